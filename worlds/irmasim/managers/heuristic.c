/* heuristic.c -- a rule for jobs and a rule for nodes: the first job by the one takes the first nodes by the
 * other that have `ntasks_per_node` idle cores; as long as there are fewer than it needs all others wait.
 *
 * Its tasks go round these nodes. Nodes are sorted anew for each job; equal ones keep the platform's order,
 * and `first` is by their names as texts: node10 stands before node2. `random` shuffles the nodes. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "irmasim/pending.h"

#define JOB_RULES "random|first|shortest|longest|smallest|low_mem|low_mem_ops"
#define NODE_RULES "random|first|high_gflops|high_cores|low_cores|high_mem|high_mem_bw|low_power"
typedef enum node_rule { RANDOM, FIRST, GFLOPS, MOST_IDLE, LEAST_IDLE, MEMORY, BANDWIDTH, POWER } node_rule;

typedef struct node_key {
  double key;
  const char *id;
  uint32_t node;
} node_key;

struct hc_irm_manager {
  hc_irm_pending pending;
  hc_irm_key job_key;
  node_rule rule;
  node_key *viable, *room; /* [nodes] */
  uint32_t *nodes;         /* [nodes] */
  double *power;           /* [nodes] the most that they draw */
  size_t node_count;
};

static double by_random(const hc_world *w, uint32_t job)
{
  return w->jobs[job].random;
}
static double by_submission(const hc_world *w, uint32_t job)
{
  return w->jobs[job].submit.value;
}
static double by_time(const hc_world *w, uint32_t job)
{
  return hc_irm_row_of(w, job)->req_time.value;
}
static double by_time_down(const hc_world *w, uint32_t job)
{
  return -by_time(w, job);
}
static double by_tasks(const hc_world *w, uint32_t job)
{
  return hc_irm_row_of(w, job)->tasks;
}
static double by_memory(const hc_world *w, uint32_t job)
{
  return hc_irm_row_of(w, job)->memory.value;
}
static double by_volume(const hc_world *w, uint32_t job)
{
  return hc_irm_row_of(w, job)->memory_volume.value;
}
static const hc_irm_key job_keys[] = {by_random, by_submission, by_time,  by_time_down,
                                      by_tasks,  by_memory,     by_volume};

static void fini(hc_irm_manager *m, const hc_allocator *a)
{
  hc_irm_pending_fini(&m->pending, a);
  hc_free(a, m->viable, m->viable ? m->node_count * sizeof *m->viable : 0);
  hc_free(a, m->room, m->room ? m->node_count * sizeof *m->room : 0);
  hc_free(a, m->nodes, m->nodes ? m->node_count * sizeof *m->nodes : 0);
  hc_free(a, m->power, m->power ? m->node_count * sizeof *m->power : 0);
  hc_free(a, m, sizeof *m);
}

static hc_rc init(hc_world *w, hc_irm_manager **out, hc_error *e)
{
  const hc_irm_platform *p = &w->platform;
  const int job = hc_irm_choice("job_selection", w->set.job_selection, JOB_RULES, "first", e);
  const int rule = hc_irm_choice("resource_selection", w->set.resource_selection, NODE_RULES, "first", e);
  TRY(job);
  TRY(rule);
  hc_irm_say(w, "Job selection: %s, Node selection: %s",
             w->set.job_selection ? w->set.job_selection : "first",
             w->set.resource_selection ? w->set.resource_selection : "first");
  hc_irm_manager *m = *out = hc_alloc(w->allocator, sizeof *m);
  if (!m) return HC_ENOMEM;
  m->job_key = job_keys[job];
  m->rule = (node_rule)rule;
  m->node_count = p->node_count;
  m->viable = hc_alloc(w->allocator, m->node_count * sizeof *m->viable);
  m->room = hc_alloc(w->allocator, m->node_count * sizeof *m->room);
  m->nodes = hc_alloc(w->allocator, m->node_count * sizeof *m->nodes);
  m->power = hc_alloc(w->allocator, m->node_count * sizeof *m->power);
  if (!m->viable || !m->room || !m->nodes || !m->power) return HC_ENOMEM;
  for (uint32_t i = 0; i < p->node_count; i++) {
    if (p->nodes[i].count == 0)
      return hc_fail(e, HC_EINPUT, HC_IRM_WHERE, 0, 0, "node %s has no processors", p->nodes[i].path);
    for (uint32_t k = 0; k < p->nodes[i].count; k++)
      m->power[i] += p->processors[p->nodes[i].first + k].max_power;
  }
  return 0;
}

static double node_key_of(const hc_irm_manager *m, const hc_world *w, uint32_t node)
{
  const hc_irm_node *x = &w->platform.nodes[node];
  const hc_irm_processor *p = &w->platform.processors[x->first];
  switch (m->rule) {
    case RANDOM:
    case FIRST: break;
    case GFLOPS: return -p->type->mops;
    case MOST_IDLE: return -(double)x->idle;
    case LEAST_IDLE: return x->idle;
    case MEMORY: return -x->memory;
    case BANDWIDTH: return p->bandwidth;
    case POWER: return m->power[node];
  }
  return 0;
}

HC_SORT_STABLE(sort_nodes, node_key, a->key < b->key)
HC_SORT_STABLE(sort_names, node_key, strcmp(a->id, b->id) < 0)

/* @return how many nodes are in m->nodes; if these are too few the job waits */
static size_t viable(hc_irm_manager *m, hc_world *w, uint32_t least)
{
  size_t n = 0;
  for (uint32_t i = 0; i < m->node_count; i++) {
    const hc_irm_node *x = &w->platform.nodes[i];
    if (x->idle >= least) m->viable[n++] = (node_key){node_key_of(m, w, i), x->id, i};
  }
  if (m->rule == FIRST) sort_names(m->viable, n, m->room);
  else if (m->rule != RANDOM) sort_nodes(m->viable, n, m->room);
  for (size_t i = 0; i < n; i++) m->nodes[i] = m->viable[i].node;
  if (m->rule == RANDOM) hc_irm_shuffle(&w->random, m->nodes, n);
  return n;
}

static hc_rc start(hc_irm_manager *m, hc_world *w)
{
  while (m->pending.count > 0) {
    const uint32_t job = m->pending.jobs[0].job;
    const hc_irm_row *r = hc_irm_row_of(w, job);
    if (viable(m, w, r->tasks_per_node) < r->nodes) return 0;
    for (uint32_t i = 0; i < r->tasks; i++) {
      const uint32_t core = hc_irm_idle_core(w, m->nodes[i % r->nodes]);
      if (core != HC_IRM_NONE) TRY(hc_irm_schedule(w, w->jobs[job].first + i, core));
    }
    hc_irm_pick(&m->pending, 0);
  }
  return 0;
}

static hc_rc submitted(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  for (size_t i = 0; i < count; i++) w->jobs[jobs[i]].random = hc_irm_unit(&w->random);
  TRY(hc_irm_wait(&m->pending, w, m->job_key, jobs, count));
  return start(m, w);
}

static hc_rc finished(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  HC_UNUSED(jobs);
  HC_UNUSED(count);
  return start(m, w);
}

const hc_irm_manager_type hc_irm_manager_heuristic = {"Heuristic", false, init,
                                                      submitted,   finished,  fini};
