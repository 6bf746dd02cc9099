/* backfill.c -- EASY within each node: a job goes past the one that came first if, on the node, it ends
 * before that could start there, or leaves it enough cores then.
 *
 * A job is on one node. When the first one fits nowhere, each later one takes the first node of the list
 * that is empty (whatever the first one needs), or on which it may go past. `extra` cores are those of the
 * node without the first job's and without those of jobs that still run when it could start.
 *
 * The list of nodes with idle cores is sorted in place each time, and nodes that had none are appended to
 * it; energy rules sort it for each job that waits in turn, so that the last one's order stands: all as
 * IRMaSim has it. Its `high_gflops` reads what no node has, and is refused. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "irmasim/pending.h"

#define NODE_RULES \
  "random|first|high_cores|high_mem|high_mem_bw|low_power|energy_lowest|energy_highest|edp_lowest|edp_highest"
typedef enum node_rule {
  RANDOM,
  FIRST,
  CORES,
  MEMORY,
  BANDWIDTH,
  POWER,
  ENERGY_LOWEST,
  ENERGY_HIGHEST,
  EDP_LOWEST,
  EDP_HIGHEST
} node_rule;

typedef struct node_key {
  double key;
  const char *id;
  uint32_t node;
} node_key;

typedef struct on_node { /* a job that runs there */
  double end;            /* expected */
  uint32_t job, tasks;
} on_node;

struct hc_irm_manager {
  hc_irm_pending pending;
  hc_irm_beliefs beliefs;
  node_rule rule;
  uint32_t *idle, *seen; /* [idle_count] nodes with idle cores, as the list is; a copy of it. [nodes] */
  size_t idle_count;
  node_key *keys, *room; /* [nodes] */
  on_node *running, *running_room;
  size_t node_count, core_count;
  const hc_world *world;
};

static void fini(hc_irm_manager *m, const hc_allocator *a)
{
  hc_irm_pending_fini(&m->pending, a);
  hc_irm_beliefs_fini(&m->beliefs, m->world, a);
  hc_free(a, m->idle, m->idle ? m->node_count * sizeof *m->idle : 0);
  hc_free(a, m->seen, m->seen ? m->node_count * sizeof *m->seen : 0);
  hc_free(a, m->keys, m->keys ? m->node_count * sizeof *m->keys : 0);
  hc_free(a, m->room, m->room ? m->node_count * sizeof *m->room : 0);
  hc_free(a, m->running, m->running ? m->core_count * sizeof *m->running : 0);
  hc_free(a, m->running_room, m->running_room ? m->core_count * sizeof *m->running_room : 0);
  hc_free(a, m, sizeof *m);
}

static hc_rc init(hc_world *w, hc_irm_manager **out, hc_error *e)
{
  const char *word = w->set.resource_selection;
  if (word && strcmp(word, "high_gflops") == 0)
    return hc_fail(
        e, HC_EUSAGE, HC_IRM_WHERE, 0, 0,
        "resource_selection: high_gflops breaks off in Backfill of IRMaSim, whose processors have no "
        "mops_per_node");
  const int rule = hc_irm_choice("resource_selection", word, NODE_RULES, "first", e);
  TRY(rule);
  hc_irm_say(w, "Node selection: %s", word ? word : "first");
  hc_irm_manager *m = *out = hc_alloc(w->allocator, sizeof *m);
  if (!m) return HC_ENOMEM;
  m->world = w;
  m->rule = (node_rule)rule;
  m->node_count = w->platform.node_count;
  m->core_count = w->platform.core_count;
  m->idle = hc_alloc(w->allocator, m->node_count * sizeof *m->idle);
  m->seen = hc_alloc(w->allocator, m->node_count * sizeof *m->seen);
  m->keys = hc_alloc(w->allocator, m->node_count * sizeof *m->keys);
  m->room = hc_alloc(w->allocator, m->node_count * sizeof *m->room);
  m->running = hc_alloc(w->allocator, m->core_count * sizeof *m->running);
  m->running_room = hc_alloc(w->allocator, m->core_count * sizeof *m->running_room);
  if (!m->idle || !m->seen || !m->keys || !m->room || !m->running || !m->running_room) return HC_ENOMEM;
  while (m->idle_count < m->node_count) {
    m->idle[m->idle_count] = (uint32_t)m->idle_count;
    m->idle_count++;
  }
  return hc_irm_believe(&m->beliefs, w);
}

/* ---- the list of nodes ---- */

static double key_of(const hc_irm_manager *m, const hc_world *w, uint32_t node, uint32_t job)
{
  const hc_irm_node *x = &w->platform.nodes[node];
  const hc_irm_processor *p = &w->platform.processors[x->first];
  switch (m->rule) {
    case RANDOM:
    case FIRST: break;
    case CORES: return -(double)x->cores;
    case MEMORY: return -x->memory;
    case BANDWIDTH: return p->bandwidth;
    case POWER: return (p->type->static_power + p->type->dynamic_power) * x->cores;
    case ENERGY_LOWEST: return hc_irm_estimate(&m->beliefs, w, job, node, false);
    case ENERGY_HIGHEST: return -hc_irm_estimate(&m->beliefs, w, job, node, false);
    case EDP_LOWEST: return hc_irm_estimate(&m->beliefs, w, job, node, true);
    case EDP_HIGHEST: return -hc_irm_estimate(&m->beliefs, w, job, node, true);
  }
  return 0;
}

HC_SORT_STABLE(sort_keys, node_key, a->key < b->key)
HC_SORT_STABLE(sort_names, node_key, strcmp(a->id, b->id) < 0)

static void sort(hc_irm_manager *m, const hc_world *w, uint32_t job)
{
  for (size_t i = 0; i < m->idle_count; i++)
    m->keys[i] = (node_key){key_of(m, w, m->idle[i], job), w->platform.nodes[m->idle[i]].id, m->idle[i]};
  if (m->rule == FIRST) sort_names(m->keys, m->idle_count, m->room);
  else sort_keys(m->keys, m->idle_count, m->room);
  for (size_t i = 0; i < m->idle_count; i++) m->idle[i] = m->keys[i].node;
}

static void order(hc_irm_manager *m, hc_world *w)
{
  if (m->rule == RANDOM) hc_irm_shuffle(&w->random, m->idle, m->idle_count);
  else if (m->rule < ENERGY_LOWEST) sort(m, w, 0);
  else
    for (size_t i = 0; i < m->pending.count; i++) sort(m, w, m->pending.jobs[i].job);
}

static hc_rc allocate(hc_irm_manager *m, hc_world *w, uint32_t node, size_t at)
{
  const uint32_t job = m->pending.jobs[at].job;
  hc_irm_pick(&m->pending, at);
  TRY(hc_irm_schedule_on(w, job, node));
  m->beliefs.assigned[w->platform.nodes[node].same]++;
  if (w->platform.nodes[node].idle > 0) return 0;
  for (size_t i = 0; i < m->idle_count; i++) {
    if (m->idle[i] != node) continue;
    m->idle_count--;
    memmove(&m->idle[i], &m->idle[i + 1], (m->idle_count - i) * sizeof *m->idle);
    break;
  }
  return 0;
}

/* ---- EASY on one node ---- */

HC_SORT_STABLE(sort_running, on_node, a->end < b->end)

/* Jobs that run there, each once, by when they should end. At least one does. */
static size_t running_on(hc_irm_manager *m, const hc_world *w, const hc_irm_node *node)
{
  size_t n = 0;
  for (uint32_t i = node->first_core; i < node->first_core + node->cores; i++) {
    if (w->platform.cores[i].task == HC_IRM_NONE) continue;
    const uint32_t job = w->tasks[w->platform.cores[i].task].job;
    const hc_irm_row *r = hc_irm_row_of(w, job);
    size_t k = 0;
    while (k < n && m->running[k].job != job) k++;
    if (k == n) m->running[n++] = (on_node){w->jobs[job].start.value + r->req_time.value, job, r->tasks};
  }
  sort_running(m->running, n, m->running_room);
  return n;
}

static bool may_pass(hc_irm_manager *m, const hc_world *w, uint32_t node, uint32_t job)
{
  const hc_irm_node *x = &w->platform.nodes[node];
  const hc_irm_row *r = hc_irm_row_of(w, job);
  const int64_t first = hc_irm_row_of(w, m->pending.jobs[0].job)->tasks;
  const size_t n = running_on(m, w, x);
  double shadow = m->running[n - 1].end;
  int64_t idle = x->idle, extra = (int64_t)x->cores - first;
  size_t i = 0;
  for (; i < n; i++) {
    idle += m->running[i].tasks;
    if (idle < first) continue;
    shadow = m->running[i].end;
    break;
  }
  for (i++; i < n; i++) extra -= m->running[i].tasks;
  if (r->tasks > x->idle) return false;
  return r->tasks <= extra || w->time.value + r->req_time.value <= shadow;
}

static hc_rc backfill(hc_irm_manager *m, hc_world *w)
{
  for (size_t at = 1; at < m->pending.count;) {
    const uint32_t job = m->pending.jobs[at].job, tasks = hc_irm_row_of(w, job)->tasks;
    const size_t seen = m->idle_count;
    bool is_placed = false;
    memcpy(m->seen, m->idle, seen * sizeof *m->seen);
    for (size_t i = 0; i < seen && !is_placed; i++) {
      const hc_irm_node *x = &w->platform.nodes[m->seen[i]];
      if (tasks > x->cores || (x->idle < x->cores && !may_pass(m, w, m->seen[i], job))) continue;
      TRY(allocate(m, w, m->seen[i], at));
      is_placed = true;
    }
    at += !is_placed;
  }
  return 0;
}

static hc_rc start(hc_irm_manager *m, hc_world *w)
{
  while (m->pending.count > 0 && m->idle_count > 0) {
    const uint32_t tasks = hc_irm_row_of(w, m->pending.jobs[0].job)->tasks;
    size_t i = 0;
    order(m, w);
    while (i < m->idle_count && w->platform.nodes[m->idle[i]].idle < tasks) i++;
    if (i == m->idle_count) return backfill(m, w);
    TRY(allocate(m, w, m->idle[i], 0));
  }
  return 0;
}

/* ---- what it hears ---- */

static hc_rc submitted(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  TRY(hc_reserve(w->allocator, (void **)&m->pending.jobs, &m->pending.cap, m->pending.count + count,
                 sizeof *m->pending.jobs));
  for (size_t i = 0; i < count; i++) m->pending.jobs[m->pending.count++].job = jobs[i];
  return start(m, w);
}

static void append(hc_irm_manager *m, uint32_t node)
{
  for (size_t i = 0; i < m->idle_count; i++)
    if (m->idle[i] == node) return;
  m->idle[m->idle_count++] = node;
}

static hc_rc finished(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint32_t node = w->platform.cores[w->tasks[w->jobs[jobs[i]].first].place].node;
    append(m, node);
    m->beliefs.assigned[w->platform.nodes[node].same]--;
  }
  return start(m, w);
}

const hc_irm_manager_type hc_irm_manager_backfill = {"Backfill", false, init, submitted, finished, fini};
