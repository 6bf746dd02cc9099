/* main_pass.c -- the main scheduler of slurmctld: jobs in the order of their priority, until one of a
 * partition does not fit.
 *
 * A job that finds no nodes blocks its partition for the rest of the pass, and the partition's nodes for jobs
 * of others, unless it has waited less than bf_min_age_reserve or its priority is below bf_min_prio_reserve.
 * One that could not run on the nodes that are there, even alone, blocks nothing; nor does one for which
 * there are no licences, or which a limit forbids whatever nodes are free. A pass looks at
 * default_queue_depth jobs and one more, or at all.
 *
 * Cost: O(nodes) for each job that is tried; one for each partition does not fit. Source: the main scheduler
 * of Slurm 22.05, as it behaves (docs/slurm.md). */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/scheduler.h"

/* @return the limit that says so is explained */
static bool explain(const hc_slurm *self, const hc_view *v, hc_task t, const char *reason)
{
  if (reason && self->s->explaining(v)) self->s->explain(v, t, "Slurm: %s", reason);
  return reason != NULL;
}

bool hc_slurm_waits_for_array(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job)
{
  return hc_slurm_arrays_is_full(&self->books.arrays, job->array) &&
         explain(self, v, job->task, "JobArrayTaskLimit");
}

bool hc_slurm_is_limited(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job)
{
  hc_slurm_accounting *a = self->books.accounting;
  return a && explain(self, v, job->task, hc_slurm_accounting_before(a, v, job->task, job->partition));
}

bool hc_slurm_is_over(hc_slurm *self, const hc_view *v, const hc_slurm_job *job)
{
  hc_slurm_accounting *a = self->books.accounting;
  hc_slurm_choice *c = &self->choice;
  if (!a || a->limits.enforce == 0) return false;
  hc_slurm_sort(c);
  return explain(self, v, job->task,
                 hc_slurm_accounting_after(a, v, job->task, job->partition, c->dealt, c->dealt_count));
}

hc_rc hc_slurm_start(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job)
{
  hc_slurm_choice *c = &self->choice;
  hc_slurm_sort(c);
  if (hc_slurm_is_over(self, v, job)) return 0;
  const hc_rc rc = self->s->start_dealt(p, job->task, c->dealt, c->dealt_count);
  self->counts.refused += rc == HC_EPOLICY;
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

bool hc_slurm_has_licences(const hc_slurm *self, const hc_slurm_ask *ask)
{
  const hc_slurm_books *b = &self->books;
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if (b->shared[d] && ask->need[d] > b->licences[d]) return false;
  return true;
}

/* Its nodes are kept from the others that are looked at. */
static bool blocks(const hc_slurm *self, const hc_slurm_job *job, int64_t now)
{
  return now - job->submitted >= self->settings.bf_min_age_reserve &&
         job->priority >= self->settings.bf_min_prio_reserve;
}

/* Could it run on the nodes that are there if nothing else did? */
static bool could_alone(hc_slurm *self, const hc_slurm_ask *ask, const uint64_t *mask)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_room alone = {.free = b->capacity, .idle = b->up, .some = b->up, .sum = INT64_MAX};
  return hc_slurm_choose(&b->nodes, ask, &alone, mask, &self->choice);
}

/* @return 1: it has started; 0: it has not, and @param busy  says whether for lack of free nodes */
static hc_rc try_job(hc_slurm *self, hc_view *v, hc_plan *p, const hc_slurm_job *job, bool *busy)
{
  hc_slurm_books *b = &self->books;
  int64_t need[HC_DIMENSIONS];
  hc_slurm_ask ask;
  const hc_slurm_room room = hc_slurm_now(b);
  const bool anywhere = hc_slurm_ask_of(b, v, job->task, need, &ask);
  *busy = false;
  if (hc_slurm_is_limited(self, v, job) || !hc_slurm_has_licences(self, &ask)) return 0;
  for (uint32_t w = 0; w < b->words; w++) self->mask[w] = b->partitions[job->partition].nodes[w] & b->up[w];
  if (!anywhere) hc_slurm_may(b, v, job->task, self->mask);
  memcpy(self->picked, self->mask, b->words * sizeof *self->mask);
  for (uint32_t w = 0; w < b->words; w++) self->mask[w] &= self->avail[w];
  self->counts.main_tried++;
  if (hc_slurm_choose(&b->nodes, &ask, &room, self->mask, &self->choice))
    return hc_slurm_start(self, v, p, job);
  *busy = could_alone(self, &ask, self->picked) && !hc_slurm_is_over(self, v, job);
  return 0;
}

static void fail_partition(hc_slurm *self, uint32_t partition)
{
  const hc_slurm_books *b = &self->books;
  self->failed[partition] = 1;
  for (uint32_t w = 0; w < b->words; w++) self->avail[w] &= ~b->partitions[partition].nodes[w];
}

hc_rc hc_slurm_main_pass(hc_slurm *self, hc_view *v, hc_plan *p, bool full)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_settings *s = &self->settings;
  const int64_t now = hc_slurm_second(b, self->s->now(v));
  int64_t depth = 0, started = 0;
  hc_slurm_books_sort(b);
  if (b->queue_count == 0) return 0;
  self->counts.passes++;
  memcpy(self->avail, b->up, b->words * sizeof *self->avail);
  memset(self->failed, 0, b->partition_count);
  for (size_t i = 0; i < b->queue_count; i++) {
    const hc_slurm_job job = b->queue[i];
    bool busy = false;
    if (job.begin > now || hc_slurm_waits_for_array(self, v, &job)) continue;
    if (!full && depth++ > s->default_queue_depth) break;
    if (self->failed[job.partition]) continue;
    const hc_rc rc = try_job(self, v, p, &job, &busy);
    if (rc < 0) return rc;
    started += rc;
    if (s->sched_max_job_start > 0 && started >= s->sched_max_job_start) break;
    if (busy && blocks(self, &job, now)) fail_partition(self, job.partition);
  }
  self->counts.main_started += started;
  return 0;
}
