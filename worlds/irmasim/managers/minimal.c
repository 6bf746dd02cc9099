/* minimal.c -- the job that came first takes the first idle cores of the platform, wherever they are; as long
 * as there are not enough of them all others wait.
 *
 * IRMaSim gives all tasks of a job their cores and then starts them: what it starts is the same. */
#include "base/util.h"
#include "irmasim/pending.h"

struct hc_irm_manager {
  hc_irm_pending pending;
  size_t head;    /* of it */
  uint32_t first; /* no core before it is idle */
  size_t idle;
};

static hc_rc init(hc_world *w, hc_irm_manager **out, hc_error *e)
{
  hc_irm_manager *m = hc_alloc(w->allocator, sizeof *m);
  HC_UNUSED(e);
  if (!m) return HC_ENOMEM;
  m->idle = w->platform.core_count;
  *out = m;
  return 0;
}

static hc_rc start(hc_irm_manager *m, hc_world *w)
{
  for (; m->head < m->pending.count; m->head++) {
    const uint32_t job = m->pending.jobs[m->head].job, tasks = hc_irm_row_of(w, job)->tasks;
    if (tasks > m->idle) return 0;
    for (uint32_t i = 0; i < tasks; i++) {
      while (w->platform.cores[m->first].task != HC_IRM_NONE) m->first++;
      TRY(hc_irm_schedule(w, w->jobs[job].first + i, m->first));
    }
    m->idle -= tasks;
  }
  m->head = m->pending.count = 0;
  return 0;
}

static hc_rc submitted(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  TRY(hc_reserve(w->allocator, (void **)&m->pending.jobs, &m->pending.cap, m->pending.count + count,
                 sizeof *m->pending.jobs));
  for (size_t i = 0; i < count; i++) m->pending.jobs[m->pending.count++].job = jobs[i];
  return start(m, w);
}

static hc_rc finished(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const uint32_t tasks = hc_irm_row_of(w, jobs[i])->tasks, from = w->jobs[jobs[i]].first;
    for (uint32_t k = 0; k < tasks; k++) m->first = HC_MIN(m->first, w->tasks[from + k].place);
    m->idle += tasks;
  }
  return start(m, w);
}

static void fini(hc_irm_manager *m, const hc_allocator *a)
{
  hc_irm_pending_fini(&m->pending, a);
  hc_free(a, m, sizeof *m);
}

const hc_irm_manager_type hc_irm_manager_minimal = {"Minimal", false, init, submitted, finished, fini};
