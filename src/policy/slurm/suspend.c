/* suspend.c -- running jobs that are suspended for a job that starts.
 *
 * Nodes are chosen as if all jobs of lower tiers were gone that PreemptMode=SUSPEND lets be suspended; on the
 * nodes chosen as many are suspended, in the order of candidates, as there has to be room for. The job starts
 * at once. They go on, where they were, as soon as there is room for them again, before any other job gets at
 * it. Which cores of a node a job has is not known here: where Slurm suspends the jobs whose very cores are
 * taken, the first candidates on the node go. What they have in memory they give back.
 *
 * Not modelled: time slices, which jobs of one partition get under OverSubscribe=FORCE. Source: the gang
 * scheduler of Slurm 22.05, as it behaves (docs/slurm.md). */
#include "policy/slurm/suspend.h"

#include "base/util.h"
#include "policy/slurm/suspended.h"

/* Is there room on a node for what is dealt there? */
static bool has_room(const hc_slurm_books *b, const hc_slurm_ask *ask, const hc_host_room *dealt)
{
  const int64_t *free = b->free + (size_t)dealt->host * b->nodes.dims;
  if (ask->is_whole || ask->is_alone) return b->on[dealt->host] == 0;
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if (!b->shared[d] && free[d] < ask->need[d] * dealt->slots) return false;
  return true;
}

static bool is_on(const hc_slurm_busy *x, uint32_t host)
{
  for (uint32_t i = 0; i < x->nodes; i++)
    if (x->hosts[i] == host) return true;
  return false;
}

/* Is there too little room on any of the nodes that the job is on? */
static bool is_in_the_way(const hc_slurm *self, const hc_slurm_ask *ask, const hc_slurm_busy *x)
{
  for (size_t i = 0; i < self->choice.dealt_count; i++) {
    const hc_host_room *dealt = &self->choice.dealt[i];
    if (is_on(x, dealt->host) && !has_room(&self->books, ask, dealt)) return true;
  }
  return false;
}

static bool is_made(const hc_slurm *self, const hc_slurm_ask *ask)
{
  for (size_t i = 0; i < self->choice.dealt_count; i++)
    if (!has_room(&self->books, ask, &self->choice.dealt[i])) return false;
  return true;
}

/* @return 0 or an error */
static hc_rc make_room(hc_slurm *self, hc_plan *p, const hc_slurm_ask *ask)
{
  hc_slurm_books *b = &self->books;
  hc_slurm_preempt *m = &self->preempt;
  for (size_t i = 0; i < m->count; i++) {
    const uint32_t at = m->items[i].busy;
    m->items[i].usable = 0;
    if (m->items[i].mode != HC_SLURM_MODE_SUSPEND || !is_in_the_way(self, ask, &b->jobs[at])) continue;
    if (b->jobs[at].since > 0) {
      hc_slurm_suspended_release(b, at);
      m->items[i].usable = 1;
      continue;
    }
    const hc_rc rc = hc_slurm_suspended_add(b, p, at);
    if (rc < 0) return rc;
    m->items[i].usable = (uint32_t)rc;
    self->counts.suspended += rc;
  }
  return 0;
}

hc_rc hc_slurm_suspend_for(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                           const hc_slurm_ask *ask, const uint64_t *mask)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_preempt *m = &self->preempt;
  hc_rc rc = 0;
  TRY(hc_slurm_later_begin(&self->preempt.without, b));
  for (size_t i = 0; i < m->count; i++)
    if (m->items[i].mode == HC_SLURM_MODE_SUSPEND)
      hc_slurm_later_take(&self->preempt.without, b, &b->jobs[m->items[i].busy]);
  const hc_slurm_room room = hc_slurm_later_room(&m->without, b);
  if (!hc_slurm_choose(&b->nodes, ask, &room, mask, &self->choice)) return 0;
  if (hc_slurm_is_over(self, v, job)) return 0;
  TRY(make_room(self, p, ask));
  if (is_made(self, ask)) rc = hc_slurm_start(self, v, p, job, job->limit);
  if (rc < 0) return rc;
  for (size_t i = 0; i < m->count; i++)
    if (m->items[i].usable > 0) hc_slurm_suspended_hold(b, m->items[i].busy);
  if (rc > 0 && self->s->explaining(v))
    self->s->explain(v, job->task, "Slurm: it starts on nodes of jobs that are suspended");
  return rc;
}
