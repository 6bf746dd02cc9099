/* duplex.c -- jobs that come together are planned, each to the node where it would be complete first:
 * shortest first (min_min), longest first (max_min), or whichever of the two is over sooner (duplex). That
 * is decided at the first submission and stands.
 *
 * A plan knows nodes, not cores: on each of them jobs are one after the other, req_time / (speed / slowest
 * speed) long. Each node then starts what is planned for it, in order, whenever `ntasks_per_node` cores are
 * idle; a later job does go past an earlier one that needs more. Of a job of several nodes the tasks beyond
 * the node's cores never start. A job that fits no node is planned where the last one was, and waits there
 * for ever: all as IRMaSim has it, which breaks off if it is the first. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "irmasim/pending.h"

typedef enum option { DUPLEX, MIN_MIN, MAX_MIN } option;

typedef struct planned {
  double complete;
  uint32_t job, next; /* of the node's list; HC_IRM_NONE: the last */
  uint32_t node;
  bool is_running;
} planned;

typedef struct ends { /* of a node's list, in the order of `planned`; HC_IRM_NONE: it is empty */
  uint32_t first, last;
} ends;

struct hc_irm_manager {
  option option;
  double *speedup; /* [nodes] */
  double *free_at; /* [nodes] while a plan is made: when the last job of it is complete; below 0: none is */
  ends *lists;     /* [nodes] */
  planned *plans;  /* [count] all that were ever planned */
  size_t count, cap;
  uint32_t best; /* node of the last job that was planned; HC_IRM_NONE */
  size_t node_count;
};

static void fini(hc_irm_manager *m, const hc_allocator *a)
{
  hc_free(a, m->speedup, m->speedup ? m->node_count * sizeof *m->speedup : 0);
  hc_free(a, m->free_at, m->free_at ? m->node_count * sizeof *m->free_at : 0);
  hc_free(a, m->lists, m->lists ? m->node_count * sizeof *m->lists : 0);
  hc_free(a, m->plans, m->cap * sizeof *m->plans);
  hc_free(a, m, sizeof *m);
}

static double mops_of(const hc_world *w, uint32_t node)
{
  return w->platform.processors[w->platform.nodes[node].first].type->mops;
}

static hc_rc init(hc_world *w, hc_irm_manager **out, hc_error *e)
{
  const int rule =
      hc_irm_choice("scheduling_option", w->set.scheduling_option, "duplex|min_min|max_min", "duplex", e);
  double slowest = __builtin_inf();
  TRY(rule);
  hc_irm_say(w, "Using option:  %s", w->set.scheduling_option ? w->set.scheduling_option : "duplex");
  hc_irm_manager *m = *out = hc_alloc(w->allocator, sizeof *m);
  if (!m) return HC_ENOMEM;
  m->option = (option)rule;
  m->node_count = w->platform.node_count;
  m->speedup = hc_alloc(w->allocator, m->node_count * sizeof *m->speedup);
  m->free_at = hc_alloc(w->allocator, m->node_count * sizeof *m->free_at);
  m->lists = hc_alloc(w->allocator, m->node_count * sizeof *m->lists);
  if (!m->speedup || !m->free_at || !m->lists) return HC_ENOMEM;
  for (uint32_t i = 0; i < m->node_count; i++) {
    if (w->platform.nodes[i].count == 0)
      return hc_fail(e, HC_EINPUT, HC_IRM_WHERE, 0, 0, "node %s has no processors",
                     w->platform.nodes[i].path);
    slowest = HC_MIN(slowest, mops_of(w, i));
  }
  for (uint32_t i = 0; i < m->node_count; i++) {
    m->speedup[i] = mops_of(w, i) / slowest;
    m->lists[i] = (ends){HC_IRM_NONE, HC_IRM_NONE};
  }
  return 0;
}

/* ---- a plan ---- */

HC_SORT_STABLE(sort_jobs, hc_irm_waiting, a->key < b->key)

static double complete_at(const hc_irm_manager *m, const hc_world *w, uint32_t job, uint32_t node)
{
  const hc_irm_row *r = hc_irm_row_of(w, job);
  const double length = r->req_time.value / m->speedup[node];
  if (r->tasks_per_node > w->platform.nodes[node].cores) return -1;
  if (m->free_at[node] == m->free_at[node]) return m->free_at[node] + length;
  if (m->lists[node].last != HC_IRM_NONE) return m->plans[m->lists[node].last].complete + length;
  return w->time.value + length;
}

static hc_rc plan_job(hc_irm_manager *m, const hc_world *w, uint32_t job, planned *out)
{
  double best = -1;
  for (uint32_t i = 0; i < m->node_count; i++) {
    const double at = complete_at(m, w, job, i);
    if (!(at > 0) || (best != -1 && !(at < best))) continue;
    best = at;
    m->best = i;
  }
  if (m->best == HC_IRM_NONE)
    return hc_fail(w->error, HC_EINPUT, HC_IRM_WHERE, 0, 0,
                   "job %s fits no node, and none was planned before it; Duplex of IRMaSim breaks off there",
                   hc_irm_row_of(w, job)->name);
  m->free_at[m->best] = best;
  *out = (planned){best, job, HC_IRM_NONE, m->best, false};
  return 0;
}

/* Plans for jobs in order of their keys. @param out [count] out @param end  out: when the last is complete */
static hc_rc plan(hc_irm_manager *m, const hc_world *w, hc_irm_waiting *jobs, size_t count, planned *out,
                  double *end)
{
  hc_irm_waiting *room = hc_alloc(w->allocator, (count / 2 + 1) * sizeof *room);
  hc_rc rc = room ? 0 : HC_ENOMEM;
  if (room) sort_jobs(jobs, count, room);
  hc_free(w->allocator, room, room ? (count / 2 + 1) * sizeof *room : 0);
  for (size_t i = 0; i < m->node_count; i++) m->free_at[i] = __builtin_nan("");
  m->best = HC_IRM_NONE;
  *end = -__builtin_inf();
  for (size_t i = 0; i < count && rc >= 0; i++) {
    rc = plan_job(m, w, jobs[i].job, &out[i]);
    if (rc >= 0) *end = HC_MAX(*end, out[i].complete);
  }
  return rc;
}

static hc_rc plan_by(hc_irm_manager *m, const hc_world *w, const uint32_t *jobs, size_t count, bool shortest,
                     planned *out, double *end)
{
  hc_irm_waiting *sorted = hc_alloc(w->allocator, (count + 1) * sizeof *sorted);
  if (!sorted) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    const double time = hc_irm_row_of(w, jobs[i])->req_time.value;
    sorted[i] = (hc_irm_waiting){shortest ? time : -time, jobs[i]};
  }
  const hc_rc rc = plan(m, w, sorted, count, out, end);
  hc_free(w->allocator, sorted, (count + 1) * sizeof *sorted);
  return rc;
}

/* The plan that is taken goes behind all others: plans[m->count ...]. */
static hc_rc choose(hc_irm_manager *m, const hc_world *w, const uint32_t *jobs, size_t count)
{
  double shortest = 0, longest = 0;
  TRY(hc_reserve(w->allocator, (void **)&m->plans, &m->cap, m->count + count, sizeof *m->plans));
  if (m->option == DUPLEX && count > 0) {
    TRY(plan_by(m, w, jobs, count, true, m->plans + m->count, &shortest));
    TRY(plan_by(m, w, jobs, count, false, m->plans + m->count, &longest));
    m->option = shortest < longest ? MIN_MIN : MAX_MIN;
    if (m->option == MAX_MIN) return 0;
  }
  return plan_by(m, w, jobs, count, m->option == MIN_MIN, m->plans + m->count, &shortest);
}

/* ---- what is planned starts ---- */

static hc_rc start(hc_irm_manager *m, hc_world *w)
{
  for (uint32_t n = 0; n < m->node_count; n++) {
    const hc_irm_node *node = &w->platform.nodes[n];
    for (uint32_t i = m->lists[n].first; i != HC_IRM_NONE && node->idle > 0; i = m->plans[i].next) {
      planned *p = &m->plans[i];
      if (p->is_running || hc_irm_row_of(w, p->job)->tasks_per_node > node->idle) continue;
      p->is_running = true;
      TRY(hc_irm_schedule_on(w, p->job, n));
    }
  }
  return 0;
}

static hc_rc submitted(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  TRY(choose(m, w, jobs, count));
  for (size_t i = 0; i < count; i++, m->count++) {
    ends *list = &m->lists[m->plans[m->count].node];
    if (list->last == HC_IRM_NONE) list->first = (uint32_t)m->count;
    else m->plans[list->last].next = (uint32_t)m->count;
    list->last = (uint32_t)m->count;
  }
  return start(m, w);
}

static void forget(hc_irm_manager *m, uint32_t node, uint32_t job)
{
  ends *list = &m->lists[node];
  uint32_t before = HC_IRM_NONE;
  for (uint32_t i = list->first; i != HC_IRM_NONE; before = i, i = m->plans[i].next) {
    if (m->plans[i].job != job) continue;
    if (before == HC_IRM_NONE) list->first = m->plans[i].next;
    else m->plans[before].next = m->plans[i].next;
    if (list->last == i) list->last = before;
    return;
  }
}

static hc_rc finished(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  for (size_t i = 0; i < count; i++)
    forget(m, w->platform.cores[w->tasks[w->jobs[jobs[i]].first].place].node, jobs[i]);
  return start(m, w);
}

const hc_irm_manager_type hc_irm_manager_duplex = {"Duplex", false, init, submitted, finished, fini};
