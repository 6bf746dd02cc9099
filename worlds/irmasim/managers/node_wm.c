/* node_wm.c -- under modelV2: the job that came first takes the first nodes with room, a core for each
 * task, as long as any node has room for one.
 *
 * IRMaSim itself breaks off where a job has more tasks than there are cores left, and so does this. */
#include "base/util.h"
#include "irmasim/pending.h"

struct hc_irm_manager {
  hc_irm_pending pending;
  size_t head;    /* of it */
  uint32_t first; /* no node before it has room */
};

static hc_rc init(hc_world *w, hc_irm_manager **out, hc_error *e)
{
  HC_UNUSED(e);
  *out = hc_alloc(w->allocator, sizeof **out);
  return *out ? 0 : HC_ENOMEM;
}

static bool has_room(hc_irm_manager *m, const hc_world *w)
{
  while (m->first < w->platform.node_count && w->platform.nodes[m->first].idle == 0) m->first++;
  return m->first < w->platform.node_count;
}

static hc_rc start(hc_irm_manager *m, hc_world *w)
{
  for (; m->head < m->pending.count && has_room(m, w); m->head++) {
    const uint32_t job = m->pending.jobs[m->head].job;
    for (uint32_t i = 0; i < hc_irm_row_of(w, job)->tasks; i++) {
      if (!has_room(m, w))
        return hc_fail(w->error, HC_EINPUT, HC_IRM_WHERE, 0, 0,
                       "job %s has more tasks than there are cores left; NodeWM of IRMaSim breaks off there",
                       hc_irm_row_of(w, job)->name);
      TRY(hc_irm_schedule(w, w->jobs[job].first + i, m->first));
    }
  }
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
  HC_UNUSED(jobs);
  HC_UNUSED(count);
  m->first = 0;
  return start(m, w);
}

static void fini(hc_irm_manager *m, const hc_allocator *a)
{
  hc_irm_pending_fini(&m->pending, a);
  hc_free(a, m, sizeof *m);
}

const hc_irm_manager_type hc_irm_manager_node_wm = {"NodeWM", true, init, submitted, finished, fini};
