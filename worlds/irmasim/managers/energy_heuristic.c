/* energy_heuristic.c -- each job that waits, by the energy, the time or the energy-delay product that it asks
 * for, takes the node where it is expected to be least (or most), if that has room now; others go past it.
 *
 * Jobs that have waited for a minute are looked at before all others. A node is chosen by `ntasks_per_node`,
 * and gets as many of the tasks as it has cores: of a job of several nodes the rest never starts. */
#include "base/util.h"
#include "irmasim/pending.h"

#define PATIENCE 60 /* s */
typedef enum metric { ENERGY, EDP, TIMETASKS } metric;

struct hc_irm_manager {
  hc_irm_pending pending;
  hc_irm_beliefs beliefs;
  metric metric;
  double job_sign, node_sign; /* -1: highest first */
  const hc_world *world;
};

static double key_of(const hc_world *w, uint32_t job)
{
  const hc_irm_row *r = hc_irm_row_of(w, job);
  const hc_irm_manager *m = w->manager;
  switch (m->metric) {
    case ENERGY: return m->job_sign * (r->req_energy.value * r->tasks);
    case EDP: return m->job_sign * (r->req_energy.value * r->req_time.value * r->tasks);
    case TIMETASKS: break;
  }
  return m->job_sign * (r->req_time.value * r->tasks);
}

static hc_rc init(hc_world *w, hc_irm_manager **out, hc_error *e)
{
  static const char words[] = "lowest|highest";
  const int rule = hc_irm_choice("metric", w->set.metric, "energy|edp|timetasks", "energy", e);
  const int job = hc_irm_choice("job_selection", w->set.job_selection, words, "lowest", e);
  const int node = hc_irm_choice("resource_selection", w->set.resource_selection, words, "lowest", e);
  TRY(rule);
  TRY(job);
  TRY(node);
  hc_irm_say(w, "%s %s %s", job ? "highest" : "lowest", node ? "highest" : "lowest",
             w->set.metric ? w->set.metric : "energy");
  hc_irm_manager *m = *out = hc_alloc(w->allocator, sizeof *m);
  if (!m) return HC_ENOMEM;
  m->world = w;
  m->metric = (metric)rule;
  m->job_sign = job ? -1 : 1;
  m->node_sign = node ? -1 : 1;
  return hc_irm_believe(&m->beliefs, w);
}

static uint32_t select_node(const hc_irm_manager *m, const hc_world *w, uint32_t job)
{
  const uint32_t least = hc_irm_row_of(w, job)->tasks_per_node;
  double best = __builtin_inf();
  uint32_t node = HC_IRM_NONE;
  for (uint32_t i = 0; i < w->platform.node_count; i++) {
    if (w->platform.nodes[i].idle < least) continue;
    const double x = m->node_sign * hc_irm_estimate(&m->beliefs, w, job, i, m->metric == EDP);
    if (!(x < best)) continue;
    best = x;
    node = i;
  }
  return node;
}

/* @param patient  those that have waited for less than a minute are passed over */
static hc_rc start(hc_irm_manager *m, hc_world *w, bool patient)
{
  size_t left = 0;
  for (size_t i = 0; i < m->pending.count; i++) {
    const uint32_t job = m->pending.jobs[i].job;
    const bool is_due = !patient || w->time.value - w->jobs[job].submit.value >= PATIENCE;
    const uint32_t node = is_due ? select_node(m, w, job) : HC_IRM_NONE;
    m->pending.jobs[left] = m->pending.jobs[i];
    if (node == HC_IRM_NONE) {
      left++;
      continue;
    }
    TRY(hc_irm_schedule_on(w, job, node));
    m->beliefs.assigned[w->platform.nodes[node].same]++;
  }
  m->pending.count = left;
  return 0;
}

static hc_rc submitted(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  TRY(hc_irm_wait(&m->pending, w, key_of, jobs, count));
  TRY(start(m, w, true));
  return start(m, w, false);
}

static hc_rc finished(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint32_t core = w->tasks[w->jobs[jobs[i]].first].place;
    m->beliefs.assigned[w->platform.nodes[w->platform.cores[core].node].same]--;
  }
  if (count == 0) return 0;
  TRY(start(m, w, true));
  return start(m, w, false);
}

static void fini(hc_irm_manager *m, const hc_allocator *a)
{
  hc_irm_pending_fini(&m->pending, a);
  hc_irm_beliefs_fini(&m->beliefs, m->world, a);
  hc_free(a, m, sizeof *m);
}

const hc_irm_manager_type hc_irm_manager_energy_heuristic = {"EnergyHeuristic", false, init,
                                                             submitted,         finished,  fini};
