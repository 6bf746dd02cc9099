/* report.c -- what IRMaSim writes: a row an event, a row a task, and closing figures; and the same as figures
 * and rows of a result.
 *
 * Statistics are of jobs that have finished, and add up in the order in which they did: each row of
 * IRMaSim's does so anew, here each job is added once. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "irmasim/irmasim.h"

#define PIECE ((size_t)1 << 18) /* bytes of a log in a row of the result */

static const char *const statistic_names[] = {"slowdown", "bounded_slowdown", "user_slowdown", "waiting_time",
                                              "relative_execution_time"};

const char *const hc_irm_figures[] = {
    "makespan|s|lower, usual, compared, primary|IRMaSim's simulation time: from the first submission to the "
    "last event",
    "energy|J|lower, usual, compared|energy that all processors, or nodes under modelV2, draw until the "
    "makespan",
    "energy_delay|J*s|lower, usual|energy x makespan: IRMaSim's energy efficiency",
    "energy_asked|J|none|IRMaSim's user energy estimation: sum over finished jobs of req_energy x tasks",
    "jobs_finished|1|none, usual|jobs that finished",
    "jobs_left|1|lower, usual|jobs that did not finish",
    "utilisation|1|higher, usual, compared|sum of (finish - start) x tasks / (cores x makespan); under "
    "modelV2 its cores are nodes",
    "exploitation|1|higher, usual|operations that were done / (speed of all cores x makespan); none under "
    "modelV2",
    "wait_mean|s|lower, usual, compared, performance|mean of start - submission",
    "wait_max|s|lower|greatest start - submission",
    "slowdown_mean|1|lower, usual, compared|mean of (finish - submission) / (finish - start)",
    "slowdown_max|1|lower|greatest (finish - submission) / (finish - start)",
    ("bounded_slowdown_mean|1|lower, usual, compared|mean of max((finish - submission) / max(finish - start, "
     "10 s), 1)"),
    "bounded_slowdown_max|1|lower|greatest max((finish - submission) / max(finish - start, 10 s), 1)",
    "user_slowdown_mean|1|lower|mean of (finish - submission) / req_time",
    "user_slowdown_max|1|lower|greatest (finish - submission) / req_time",
    "relative_time_mean|1|lower, usual|mean of (finish - start) / req_time",
    "relative_time_max|1|lower|greatest (finish - start) / req_time",
    NULL};

/* ---- statistics ---- */

static void add_to(hc_irm_statistic *s, hc_irm_number x)
{
  s->total += x.value;
  if (x.value > s->max.value) s->max = x;
  if (x.value < s->min.value) s->min = x;
}

void hc_irm_count_finished(hc_world *w, uint32_t job)
{
  const hc_irm_job *j = &w->jobs[job];
  const hc_irm_row *r = hc_irm_row_of(w, job);
  const double response = j->finish.value - j->submit.value, ran = j->finish.value - j->start.value;
  const double bounded = response / (ran >= 10 ? ran : 10);
  add_to(&w->statistics[HC_IRM_SLOWDOWN], hc_irm_real(response / ran));
  add_to(&w->statistics[HC_IRM_BOUNDED], bounded >= 1 ? hc_irm_real(bounded) : (hc_irm_number){1, true});
  add_to(&w->statistics[HC_IRM_USER], hc_irm_real(response / r->req_time.value));
  add_to(&w->statistics[HC_IRM_WAITING], hc_irm_real(j->start.value - j->submit.value));
  add_to(&w->statistics[HC_IRM_RELATIVE], hc_irm_real(ran / r->req_time.value));
  w->core_time += ran * r->tasks;
  w->mops_done += r->ops * 1e-6 * r->tasks;
  w->statistics_size = 0;
}

static double mean(const hc_world *w, int i)
{
  const size_t n = w->finished_count;
  return w->statistics[i].total / (n ? (double)n : 1);
}

static hc_irm_number utilisation(const hc_world *w)
{
  if (w->time.value == 0) return (hc_irm_number){0, true};
  return hc_irm_real(w->core_time / w->time.value / (double)w->platform.leaves);
}

/* IRMaSim divides by 0 under modelV2: here that is no number. */
static hc_irm_number exploitation(const hc_world *w)
{
  if (w->time.value == 0) return (hc_irm_number){0, true};
  if (w->platform.mops == 0) return hc_irm_real(__builtin_nan(""));
  return hc_irm_real(w->mops_done / (w->platform.mops * w->time.value));
}

/* ---- its logs ---- */

static char *put(char *to, hc_irm_number x)
{
  to = hc_irm_write(x, to);
  *to++ = ',';
  return to;
}

static hc_rc write_statistics(hc_world *w)
{
  if (!w->statistics_text) {
    w->statistics_cap = HC_IRM_STATISTICS * 4 * 40;
    w->statistics_text = hc_alloc(w->allocator, w->statistics_cap);
    if (!w->statistics_text) return HC_ENOMEM;
  }
  char *to = w->statistics_text;
  for (int i = 0; i < HC_IRM_STATISTICS; i++) {
    const hc_irm_statistic *s = &w->statistics[i];
    to = put(to, hc_irm_real(s->total));
    to = put(to, hc_irm_real(mean(w, i)));
    to = put(to, s->max);
    to = put(to, s->min);
  }
  to[-1] = '\n';
  w->statistics_size = (size_t)(to - w->statistics_text);
  return 0;
}

static hc_rc log_nodes(hc_world *w)
{
  char time[40];
  (void)hc_irm_write(w->time, time);
  for (size_t i = 0; i < w->platform.node_count; i++) {
    const hc_irm_node *n = &w->platform.nodes[i];
    hc_buffer_printf(&w->nodes, "0,%s,%s,%u,%u\n", time, n->id, n->cores, n->cores - n->idle);
  }
  return w->nodes.failed ? HC_ENOMEM : 0;
}

hc_rc hc_irm_log_header(hc_world *w)
{
  if (!w->options->logs) return 0;
  hc_buffer_text(
      &w->simulation,
      "run,time,energy,future_jobs,pending_jobs,running_jobs,finished_jobs,utilisation,exploitation");
  for (int i = 0; i < HC_IRM_STATISTICS; i++) {
    const char *n = statistic_names[i];
    hc_buffer_printf(&w->simulation, ",%s_total,%s_avg,%s_max,%s_min", n, n, n, n);
  }
  hc_buffer_text(&w->simulation, "\n");
  hc_buffer_text(&w->job_log,
                 "run,id,req_time,ntasks,mem,submit_time,start_time,finish_time,execution_time,operations,"
                 "mem_vol,profile,resources\n");
  if (w->set.log_nodes) hc_buffer_text(&w->nodes, "run,time,id,cores,busy_cores\n");
  return w->simulation.failed || w->job_log.failed || w->nodes.failed ? HC_ENOMEM : 0;
}

hc_rc hc_irm_log_state(hc_world *w)
{
  char text[320], *to = text;
  if (!w->options->logs) return 0;
  if (w->statistics_size == 0) TRY(write_statistics(w));
  *to++ = '0';
  *to++ = ',';
  to = put(to, w->time);
  to = put(to, w->energy);
  to += snprintf(to, 100, "%zu,%zu,%zu,%zu,", w->job_count - w->next, w->pending, w->running,
                 w->finished_count);
  to = put(to, utilisation(w));
  to = put(to, exploitation(w));
  hc_buffer_add(&w->simulation, text, (size_t)(to - text));
  hc_buffer_add(&w->simulation, w->statistics_text, w->statistics_size);
  if (w->set.log_nodes) TRY(log_nodes(w));
  return w->simulation.failed ? HC_ENOMEM : 0;
}

static void log_task(hc_world *w, const hc_irm_job *j, const char *before, uint32_t k)
{
  const hc_irm_row *r = &w->rows[j->row];
  const hc_irm_task *t = &w->tasks[j->first + k];
  char ran[40], ops[40], volume[40];
  (void)hc_irm_write(t->execution_time, ran);
  (void)hc_irm_write((hc_irm_number){r->ops, true}, ops);
  (void)hc_irm_write(r->memory_volume, volume);
  hc_buffer_printf(&w->job_log, "0,%s.%u,%s,%s,%s,%s,", r->name, k, before, ran, ops, volume);
  if (r->profile) hc_buffer_printf(&w->job_log, "%s,", r->profile);
  else hc_buffer_printf(&w->job_log, "%u,", j->id);
  if (w->platform.model->by_node) {
    hc_buffer_printf(&w->job_log, "%s\n", w->platform.nodes[t->place].path);
    return;
  }
  const hc_irm_processor *p = &w->platform.processors[w->platform.cores[t->place].processor];
  hc_buffer_printf(&w->job_log, "%s.core%u\n", p->path, t->place - p->first);
}

hc_rc hc_irm_log_job(hc_world *w, uint32_t job)
{
  const hc_irm_job *j = &w->jobs[job];
  const hc_irm_row *r = hc_irm_row_of(w, job);
  char before[240], *to = before;
  if (!w->options->logs) return 0;
  to = put(to, r->req_time);
  to += snprintf(to, 16, "%u,", r->tasks);
  to = put(to, r->memory);
  to = put(to, j->submit);
  to = put(to, j->start);
  to = put(to, j->finish);
  to[-1] = '\0';
  for (uint32_t k = 0; k < r->tasks; k++) log_task(w, j, before, k);
  return w->job_log.failed ? HC_ENOMEM : 0;
}

void hc_irm_say(hc_world *w, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hc_buffer_text(&w->summary, text);
  hc_buffer_text(&w->summary, "\n");
}

static void say_total(hc_world *w, const char *what, hc_irm_number x)
{
  char text[40];
  (void)hc_irm_write(x, text);
  hc_irm_say(w, "%s: total: %s", what, text);
}

static void say_statistic(hc_world *w, const char *what, int i)
{
  const hc_irm_statistic *s = &w->statistics[i];
  char total[40], avg[40], max[40], min[40];
  (void)hc_irm_write(hc_irm_real(s->total), total);
  (void)hc_irm_write(hc_irm_real(mean(w, i)), avg);
  (void)hc_irm_write(s->max, max);
  (void)hc_irm_write(s->min, min);
  hc_irm_say(w, "%s:  total: %s, avg: %s, max: %s, min: %s", what, total, avg, max, min);
}

static void say_all(hc_world *w)
{
  say_total(w, "Simulation time", w->time);
  say_total(w, "Energy consumption", w->energy);
  say_total(w, "User energy estimation", w->energy_asked);
  say_total(w, "Energy efficiency", hc_irm_product(w->energy, w->time));
  say_total(w, "Utilisation", utilisation(w));
  say_total(w, "Exploitation", exploitation(w));
  hc_irm_say(w, "Jobs: future: %zu, queue: %zu, running: %zu, finished: %zu", w->job_count - w->next,
             w->pending, w->running, w->finished_count);
  say_statistic(w, "Slowdown", HC_IRM_SLOWDOWN);
  say_statistic(w, "Bounded Slowdown", HC_IRM_BOUNDED);
  say_statistic(w, "Waiting Time", HC_IRM_WAITING);
  say_statistic(w, "Relative Execution Time", HC_IRM_RELATIVE);
}

/* ---- figures ---- */

static hc_rc tell_statistic(const hc_world *w, hc_findings *f, int i, const char *mean_name,
                            const char *max_name, const char *unit)
{
  const bool any = w->finished_count > 0;
  TRY(hc_find_real(f, mean_name, unit, any ? mean(w, i) : __builtin_nan("")));
  return hc_find_real(f, max_name, unit, any ? w->statistics[i].max.value : __builtin_nan(""));
}

static hc_rc tell(const hc_world *w, hc_findings *f)
{
  TRY(hc_find_real(f, "makespan", "s", w->time.value));
  TRY(hc_find_real(f, "energy", "J", w->energy.value));
  TRY(hc_find_real(f, "energy_delay", "J*s", w->energy.value * w->time.value));
  TRY(hc_find_real(f, "energy_asked", "J", w->energy_asked.value));
  TRY(hc_find_count(f, "jobs_finished", "1", (int64_t)w->finished_count));
  TRY(hc_find_count(f, "jobs_left", "1", (int64_t)(w->job_count - w->finished_count)));
  TRY(hc_find_real(f, "utilisation", "1", utilisation(w).value));
  TRY(hc_find_real(f, "exploitation", "1", exploitation(w).value));
  TRY(tell_statistic(w, f, HC_IRM_WAITING, "wait_mean", "wait_max", "s"));
  TRY(tell_statistic(w, f, HC_IRM_SLOWDOWN, "slowdown_mean", "slowdown_max", "1"));
  TRY(tell_statistic(w, f, HC_IRM_BOUNDED, "bounded_slowdown_mean", "bounded_slowdown_max", "1"));
  TRY(tell_statistic(w, f, HC_IRM_USER, "user_slowdown_mean", "user_slowdown_max", "1"));
  return tell_statistic(w, f, HC_IRM_RELATIVE, "relative_time_mean", "relative_time_max", "1");
}

/* ---- the store ---- */

static hc_final final_of(const hc_irm_job *j)
{
  if (j->is_finished) return HC_FINAL_COMPLETED;
  return j->start.value < __builtin_inf() ? HC_FINAL_RUNNING : HC_FINAL_WAITING;
}

static int64_t node_of(const hc_world *w, const hc_irm_job *j)
{
  const uint32_t place = w->tasks[j->first].place;
  if (place == HC_IRM_NONE) return -1;
  return 1 + (int64_t)(w->platform.model->by_node ? place : w->platform.cores[place].node);
}

static hc_rc store_job(const hc_world *w, uint32_t i, hc_store *store, hc_error *e)
{
  const hc_irm_job *j = &w->jobs[i];
  const bool has_started = j->start.value < __builtin_inf();
  const hc_task_record row = {.serial = j->rank,
                              .id = (int64_t)j->id + 1,
                              .submit = hc_irm_ns(j->submit.value),
                              .start = has_started ? hc_irm_ns(j->start.value) : HC_UNKNOWN,
                              .end = j->is_finished ? hc_irm_ns(j->finish.value) : HC_UNKNOWN,
                              .units = hc_irm_row_of(w, i)->tasks,
                              .limit = HC_UNKNOWN,
                              .estimate = hc_irm_ns(hc_irm_row_of(w, i)->req_time.value),
                              .run = j->is_finished ? hc_irm_ns(j->finish.value) - hc_irm_ns(j->start.value)
                                                    : HC_UNKNOWN,
                              .user = -1,
                              .group = -1,
                              .executable = -1,
                              .queue = -1,
                              .partition = node_of(w, j),
                              .final = final_of(j)};
  return hc_store_tasks(store, &row, 1, e);
}

static hc_rc store_number(hc_store *store, const char *table, const char *key, uint64_t n, hc_error *e)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRIu64, n);
  return hc_store_row(store, table, 2, (const char *[]){key, text}, e);
}

static hc_rc store_names(const hc_world *w, hc_store *store, hc_error *e)
{
  for (uint32_t i = 0; i < w->job_count; i++)
    TRY(hc_store_task_name(store, i, hc_irm_row_of(w, i)->name, NULL, e));
  for (size_t i = 0; i < w->platform.node_count; i++)
    TRY(hc_store_name(store, "partition", (int64_t)i + 1, w->platform.nodes[i].path, e));
  return 0;
}

/* Pieces end with a line. */
static hc_rc store_log(const hc_world *w, const char *name, const hc_buffer *log, hc_store *store,
                       hc_error *e)
{
  for (size_t at = 0; at < log->size;) {
    size_t n = HC_MIN(PIECE, log->size - at);
    while (at + n < log->size && log->data[at + n - 1] != '\n') n++;
    char *text = hc_alloc(w->allocator, n + 1);
    if (!text) return HC_ENOMEM;
    memcpy(text, log->data + at, n);
    const hc_rc rc = hc_store_row(store, "logs", 2, (const char *[]){name, text}, e);
    hc_free(w->allocator, text, n + 1);
    TRY(rc);
    at += n;
  }
  return 0;
}

static hc_rc store_all(hc_world *w, hc_store *store, hc_error *e)
{
  uint64_t finals[HC_FINAL_COUNT] = {0};
  char text[80], cores[40];
  const size_t leaves = w->platform.leaves;
  cores[hc_format_count((int64_t)leaves, cores)] = '\0';
  (void)snprintf(text, sizeof text, "%s %s%s", cores, w->platform.model->by_node ? "node" : "core",
                 leaves == 1 ? "" : "s");
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"machine", text}, e));
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"partition_is_called", "node"}, e));
  TRY(store_number(store, "rows", "read", w->job_count, e));
  TRY(store_number(store, "rows", "used", w->job_count, e));
  TRY(store_number(store, "rows", "merged", 0, e));
  for (size_t i = 0; i < w->job_count; i++) finals[final_of(&w->jobs[i])]++;
  for (int f = 0; f < HC_FINAL_COUNT; f++)
    TRY(store_number(store, "finals", hc_final_name((hc_final)f), finals[f], e));
  for (size_t i = 0; i < w->finished_count; i++) TRY(store_job(w, w->finished[i], store, e));
  for (uint32_t i = 0; i < w->job_count; i++)
    if (!w->jobs[i].is_finished) TRY(store_job(w, i, store, e));
  TRY(store_names(w, store, e));
  if (!w->options->logs) return 0;
  TRY(store_log(w, "jobs", &w->job_log, store, e));
  TRY(store_log(w, "simulation", &w->simulation, store, e));
  TRY(store_log(w, "resources", &w->nodes, store, e));
  return store_log(w, "summary", &w->summary, store, e);
}

hc_rc hc_irm_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e)
{
  say_all(w);
  if (w->summary.failed) return HC_ENOMEM;
  if (store) TRY(store_all(w, store, e));
  return tell(w, f);
}
