/* runner.c -- what runs: speed-ups by the platform's model, what is drawn, and how operations are done.
 *
 * A speed-up holds from when a task comes or goes on the same processor, or node, until the next one
 * does; that a task has ended is noticed only when all of its job has. An event of the platform does
 * round(speed x time) operations of each task, whole ones, as IRMaSim does: ends that should coincide come
 * apart by fractions of a nanosecond.
 *
 * Cost: a task that comes or goes is O(cores of its processor), an event O(tasks that run + processors). */
#include "base/math.h"
#include "base/util.h"
#include "irmasim/irmasim.h"

/* ---- cores of a processor share its memory ---- */

static void update_processor(hc_world *w, hc_irm_processor *p)
{
  hc_irm_core *cores = &w->platform.cores[p->first];
  const hc_irm_processor_type *t = p->type;
  double bandwidth = 0, dynamic = 0, fixed = 0, least = 0;
  uint32_t held = 0, working = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    bandwidth += cores[i].bandwidth;
    fixed += t->static_power;
    least += t->min_power * t->static_power;
    if (cores[i].task == HC_IRM_NONE) continue;
    held++;
    working += w->tasks[cores[i].task].ops > 0;
    dynamic += t->dynamic_power;
  }
  p->bandwidth = bandwidth;
  for (uint32_t i = 0; i < p->count; i++)
    cores[i].speedup =
        cores[i].task == HC_IRM_NONE
            ? 1
            : w->platform.model->speedup(t->constants, bandwidth, cores[i].bandwidth, (double)working - 1);
  p->power = hc_irm_real(held == 0 ? least : dynamic + fixed);
}

/* ---- processes of a node do ---- */

static void update_node(const hc_irm_model *m, hc_irm_node *node)
{
  const double others = (double)node->process_count - 1;
  for (size_t i = 0; i < node->process_count; i++)
    node->processes[i].speedup =
        m->speedup(node->type->constants, node->bandwidth, node->processes[i].bandwidth, others);
}

/* ---- tasks come and go ---- */

static void begin(hc_world *w, hc_irm_task *t, uint32_t place)
{
  hc_irm_job *j = &w->jobs[t->job];
  t->place = place;
  if (j->start.value <= w->time.value) return;
  if (j->start.value == __builtin_inf()) {
    w->pending--;
    w->running++;
    w->started++;
  }
  j->start = w->time;
}

hc_rc hc_irm_schedule(hc_world *w, uint32_t task, uint32_t place)
{
  hc_irm_platform *p = &w->platform;
  hc_irm_task *t = &w->tasks[task];
  const hc_irm_row *r = hc_irm_row_of(w, t->job);
  begin(w, t, place);
  if (p->model->by_node) {
    hc_irm_node *node = &p->nodes[place];
    TRY(hc_reserve(w->allocator, (void **)&node->processes, &node->process_cap, node->process_count + 1,
                   sizeof *node->processes));
    const double bandwidth = r->memory_volume.value / (t->ops / (node->type->gops * 1e9));
    node->processes[node->process_count++] = (hc_irm_process){task, bandwidth, 1};
    node->bandwidth += bandwidth;
    node->idle--;
    update_node(p->model, node);
    return 0;
  }
  hc_irm_core *core = &p->cores[place];
  hc_irm_processor *processor = &p->processors[core->processor];
  core->task = task;
  core->bandwidth = r->memory_volume.value / (t->ops / (processor->type->mops * 1e6));
  core->busy = (uint32_t)p->busy_count;
  p->busy[p->busy_count++] = place;
  p->nodes[core->node].idle--;
  p->nodes[core->node].memory += r->memory.value;
  update_processor(w, processor);
  return 0;
}

static void leave_node(const hc_irm_model *m, hc_irm_node *node, uint32_t task)
{
  for (size_t i = 0; i < node->process_count; i++) {
    if (node->processes[i].task != task) continue;
    node->bandwidth -= node->processes[i].bandwidth;
    for (node->process_count--; i < node->process_count; i++) node->processes[i] = node->processes[i + 1];
    node->idle++;
    break;
  }
  update_node(m, node);
}

static void leave_core(hc_world *w, uint32_t place)
{
  hc_irm_platform *p = &w->platform;
  hc_irm_core *core = &p->cores[place];
  const uint32_t last = p->busy[--p->busy_count];
  p->busy[core->busy] = last;
  p->cores[last].busy = core->busy;
  core->task = HC_IRM_NONE;
  core->bandwidth = 0;
  p->nodes[core->node].idle++;
}

void hc_irm_reap(hc_world *w, uint32_t job)
{
  hc_irm_platform *p = &w->platform;
  const hc_irm_row *r = hc_irm_row_of(w, job);
  for (uint32_t i = 0; i < r->tasks; i++) {
    const uint32_t task = w->jobs[job].first + i, place = w->tasks[task].place;
    if (p->model->by_node) {
      leave_node(p->model, &p->nodes[place], task);
      continue;
    }
    leave_core(w, place);
    update_processor(w, &p->processors[p->cores[place].processor]);
    p->nodes[p->cores[place].node].memory -= r->memory.value;
  }
}

uint32_t hc_irm_idle_core(const hc_world *w, uint32_t node)
{
  const hc_irm_node *x = &w->platform.nodes[node];
  if (x->idle == 0) return HC_IRM_NONE;
  for (uint32_t i = x->first_core; i < x->first_core + x->cores; i++)
    if (w->platform.cores[i].task == HC_IRM_NONE) return i;
  return HC_IRM_NONE;
}

hc_rc hc_irm_schedule_on(hc_world *w, uint32_t job, uint32_t node)
{
  for (uint32_t i = 0; i < hc_irm_row_of(w, job)->tasks; i++) {
    const uint32_t core = hc_irm_idle_core(w, node);
    if (core != HC_IRM_NONE) TRY(hc_irm_schedule(w, w->jobs[job].first + i, core));
  }
  return 0;
}

/* ---- time passes ---- */

/* Operations are done; a job without any left is on the list of those that are to be noticed. Time that runs
 * backwards, as between trajectories, can take it off that again. */
static void work(hc_world *w, hc_irm_task *t, double operations, hc_irm_number delta)
{
  const bool had = t->ops > 0;
  t->ops -= hc_irm_round(operations);
  if (t->ops >= 0) t->execution_time = hc_irm_sum(t->execution_time, delta);
  if (had == (t->ops > 0)) return;
  hc_irm_job *j = &w->jobs[t->job];
  if (had && --j->left == 0) w->ended[w->ended_count++] = t->job;
  if (had || j->left++ > 0) return;
  for (size_t i = 0; i < w->ended_count; i++)
    if (w->ended[i] == t->job) w->ended[i] = w->ended[--w->ended_count];
}

void hc_irm_advance_tasks(hc_world *w, hc_irm_number delta)
{
  hc_irm_platform *p = &w->platform;
  for (size_t i = 0; i < p->busy_count; i++) {
    hc_irm_core *core = &p->cores[p->busy[i]];
    hc_irm_task *t = &w->tasks[core->task];
    work(w, t, p->processors[core->processor].type->mops * 1e6 * core->speedup * delta.value, delta);
    if (t->ops <= 0) core->bandwidth = 0;
  }
  for (size_t i = 0; p->model->by_node && i < p->node_count; i++) {
    const hc_irm_node *node = &p->nodes[i];
    for (size_t k = 0; k < node->process_count; k++)
      work(w, &w->tasks[node->processes[k].task],
           node->type->gops * 1e9 * node->processes[k].speedup * delta.value, delta);
  }
}

/* A node with a process that has ended, and is not reaped, says nothing. */
static double next_of_node(const hc_world *w, const hc_irm_node *node)
{
  double next = __builtin_inf();
  for (size_t k = 0; k < node->process_count; k++) {
    const hc_irm_process *x = &node->processes[k];
    next = HC_MIN(next, w->tasks[x->task].ops / (node->type->gops * 1e9 * x->speedup));
  }
  return next;
}

double hc_irm_next_end(const hc_world *w)
{
  const hc_irm_platform *p = &w->platform;
  double next = __builtin_inf();
  for (size_t i = 0; i < p->busy_count; i++) {
    const hc_irm_core *core = &p->cores[p->busy[i]];
    const double step =
        w->tasks[core->task].ops / (p->processors[core->processor].type->mops * 1e6 * core->speedup);
    if (step > 0 && step < next) next = step;
  }
  for (size_t i = 0; p->model->by_node && i < p->node_count; i++) {
    const double step = next_of_node(w, &p->nodes[i]);
    if (step > 0 && step < next) next = step;
  }
  return next;
}

/* ---- energy ---- */

static hc_irm_number node_joules(const hc_irm_platform *p, const hc_irm_node *node, hc_irm_number delta)
{
  const hc_irm_node_type *t = node->type;
  hc_irm_number sum = {0, true};
  if (!p->model->by_node) {
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      sum = hc_irm_sum(sum, hc_irm_product(p->processors[i].power, delta));
    return sum;
  }
  if (node->process_count == 0) return hc_irm_product(t->pidle, delta);
  const double power = p->model->power(t->constants, node->bandwidth, (double)node->process_count);
  return hc_irm_real(power * delta.value);
}

/* Level by level, as IRMaSim adds up. */
hc_irm_number hc_irm_joules(const hc_world *w, hc_irm_number delta)
{
  const hc_irm_platform *p = &w->platform;
  hc_irm_number all = {0, true};
  for (size_t c = 0; c < p->cluster_count; c++) {
    hc_irm_number cluster = {0, true};
    for (uint32_t i = p->clusters[c].first; i < p->clusters[c].first + p->clusters[c].count; i++)
      cluster = hc_irm_sum(cluster, node_joules(p, &p->nodes[i], delta));
    all = hc_irm_sum(all, cluster);
  }
  return all;
}
