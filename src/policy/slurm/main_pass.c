/* main_pass.c -- the main scheduler of slurmctld: jobs in the order of their priority, until one of a
 * partition does not fit.
 *
 * A job that finds no nodes blocks its partition for the rest of the pass, and the partition's nodes for
 * jobs of others, unless it has waited less than bf_min_age_reserve or its priority is below
 * bf_min_prio_reserve. So does one that wants more nodes than there are up and not blocked. One that could
 * not run on the nodes that reservations and jobs before it leave, even alone, blocks nothing if none of
 * these is a job's alone; nor does one for which there are no licences, or which a limit forbids whatever
 * nodes are free. One that runs in a reservation blocks that and nothing else. A pass looks at
 * default_queue_depth jobs and one more, or at all.
 *
 * Cost: O(nodes) for each job that is tried; one for each partition does not fit. Source: the main scheduler
 * of Slurm 22.05, as it behaves (docs/slurm.md). */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/scheduler.h"
#include "policy/slurm/sharing.h"

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

bool hc_slurm_is_barred(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job,
                        const hc_slurm_ask *ask)
{
  return ask->is_barred && explain(self, v, job->task, "PartitionNodeLimit");
}

bool hc_slurm_is_over(hc_slurm *self, const hc_view *v, const hc_slurm_job *job)
{
  hc_slurm_accounting *a = self->books.accounting;
  hc_slurm_choice *c = &self->choice;
  if (!a || a->limits.enforce == 0) return false;
  hc_slurm_sort(c);
  int64_t rest[2] = {0, 0};
  if (job->sharing == HC_EXCLUSIVE_HOST)
    hc_slurm_sharing_dealt(&self->books, v, job->task, c->dealt, c->dealt_count, rest);
  hc_slurm_accounting_whole(a, job->task, rest);
  return explain(self, v, job->task,
                 hc_slurm_accounting_after(a, v, job->task, job->partition, c->dealt, c->dealt_count));
}

bool hc_slurm_waits_for_reservation(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job,
                                    int64_t now)
{
  if (job->reservation == HC_NO_NAME) return false;
  const hc_slurm_reserver who = hc_slurm_reserver_of(&self->books, job);
  const bool may = hc_slurm_reservations_admit(&self->books.reservations, &who, now) == HC_SLURM_MAY;
  return !may && explain(self, v, job->task, "Reservation");
}

/* It names no limit, and its partition gives it one (DefaultTime, or else MaxTime). */
static bool is_given_limit(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job)
{
  const hc_slurm_partition *p = &self->books.partitions[job->partition];
  const bool is_bounded = p->max_time > 0 && p->max_time < HC_SLURM_UNLIMITED;
  return (p->default_time > 0 || is_bounded) && self->s->estimate(v, job->task) == HC_NEVER;
}

/* Its limit is less than its own where the backfill has cut it, and where its reservation ends before: of
 * that slurmctld hears when the time has come, and believes in the limit till then. */
hc_rc hc_slurm_start(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job, int64_t limit)
{
  hc_slurm_books *b = &self->books;
  hc_slurm_choice *c = &self->choice;
  const int64_t now = hc_slurm_second(b, self->s->now(v));
  int64_t ends = INT64_MAX;
  hc_rc rc;
  hc_slurm_sort(c);
  if (hc_slurm_is_over(self, v, job)) return 0;
  if (job->reservation != HC_NO_NAME) {
    const hc_slurm_reserver who = hc_slurm_reserver_of(b, job);
    ends = hc_slurm_reservations_ends(&b->reservations, &who, now);
  }
  b->starting = *job;
  b->starting.limit = limit < job->limit ? limit : 0; /* what is believed of it may have changed meanwhile */
  if (limit < job->limit || ends < now + limit || is_given_limit(self, v, job)) {
    hc_time cut = limit * HC_SECOND;
    if (ends < now + limit) cut = HC_MIN(cut, (ends - b->origin) * HC_SECOND - self->s->now(v));
    rc = cut > 0 ? self->s->start_limited(p, job->task, c->dealt, c->dealt_count, cut) : HC_EPOLICY;
  } else rc = self->s->start_dealt(p, job->task, c->dealt, c->dealt_count);
  if (rc == 0 && job->is_one_of && job->partition + 1 < b->partition_count)
    rc = self->s->starts_in(p, job->task, b->partitions[job->partition].set);
  b->starting.task = HC_NO_TASK;
  self->counts.refused += rc == HC_EPOLICY;
  self->starts += rc == 0;
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

static uint32_t count_common(const uint64_t *a, const uint64_t *b, uint32_t words)
{
  uint32_t n = 0;
  for (uint32_t w = 0; w < words; w++) n += hc_bits_of(a[w] & b[w]);
  return n;
}

/* -N, as far as it says. */
static uint32_t least_nodes(const hc_slurm_ask *ask)
{
  return ask->is_spread || ask->is_whole ? HC_MAX(ask->slots, ask->least) : HC_MAX(ask->least, 1);
}

/* Has any of these nodes a job beside which this one cannot be there? */
static bool are_busy(const hc_slurm *self, const hc_slurm_ask *ask, const uint64_t *nodes)
{
  const hc_slurm_books *b = &self->books;
  for (uint32_t w = 0; (ask->is_whole || ask->is_alone) && w < b->words; w++)
    if (nodes[w] & ~b->idle[w]) return true;
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (!x->is_whole && x->freed == HC_NEVER) continue;
    for (uint32_t k = 0; k < x->nodes; k++)
      if (hc_bit_is(nodes, x->hosts[k])) return true;
  }
  return false;
}

/* Leave what reservations leave it. @return false: nothing */
static bool leave_open(const hc_slurm *self, const hc_slurm_job *job, int64_t now, uint64_t *nodes)
{
  const hc_slurm_reservations *r = &self->books.reservations;
  int64_t when = now;
  bool overlaps;
  if (r->count == 0) return true;
  const hc_slurm_reserver who = hc_slurm_reserver_of(&self->books, job);
  return hc_slurm_reservations_leave(r, &who, now, &when, job->limit, false, nodes, &overlaps);
}

/* Could it run on its partition's nodes if all were up and empty? */
static bool could_ever(hc_slurm *self, const hc_view *v, const hc_slurm_ask *ask, const hc_slurm_job *job,
                       bool anywhere)
{
  hc_slurm_books *b = &self->books;
  const uint64_t *all = b->partitions[job->partition].nodes;
  const hc_slurm_room empty = {.free = b->capacity, .idle = all, .some = all, .sum = INT64_MAX};
  memcpy(self->picked, all, b->words * sizeof *all);
  if (!anywhere) hc_slurm_may(b, v, job->task, self->picked);
  return hc_slurm_choose(&b->nodes, ask, &empty, self->picked, &self->choice);
}

/* @return 1: it has started; HC_SLURM_PUT_OFF; 0: it has not, and @param busy  says whether for lack of
 * free nodes */
static hc_rc try_job(hc_slurm *self, hc_view *v, hc_plan *p, const hc_slurm_job *job, int64_t now, bool *busy)
{
  hc_slurm_books *b = &self->books;
  int64_t need[HC_DIMENSIONS];
  hc_slurm_ask ask;
  const hc_slurm_room room = hc_slurm_now(b);
  const bool anywhere = hc_slurm_ask_in(b, v, job, need, &ask);
  const uint64_t *mask = self->mask;
  *busy = false;
  if (hc_slurm_is_barred(self, v, job, &ask) || hc_slurm_is_limited(self, v, job)) return 0;
  const bool has_licences = hc_slurm_has_licences(self, &ask);
  self->counts.main_tried += has_licences;
  if (count_common(self->avail, b->partitions[job->partition].nodes, b->words) < least_nodes(&ask)) {
    *busy = true;
    return 0;
  }
  if (!has_licences) return 0;
  for (uint32_t w = 0; w < b->words; w++)
    self->mask[w] = b->partitions[job->partition].nodes[w] & self->avail[w];
  if (!leave_open(self, job, now, self->mask)) return 0;
  if (!anywhere) hc_slurm_may(b, v, job->task, self->mask);
  hc_slurm_caps_fill(self, job, 0, &ask);
  hc_slurm_caps_leave(self, job, &ask, self->mask);
  if (hc_slurm_sharing_matters(b, job)) {
    mask = memcpy(self->may, self->mask, b->words * sizeof *mask);
    hc_slurm_sharing_leave(b, job, self->may);
  }
  if (hc_slurm_choose(&b->nodes, &ask, &room, mask, &self->choice))
    return hc_slurm_start(self, v, p, job, job->limit);
  hc_rc rc = hc_slurm_rows_start(self, v, p, job, &ask, mask);
  if (rc != 0) return rc;
  if (self->settings.preempt.type != HC_SLURM_PREEMPT_NONE) {
    rc = hc_slurm_preempt_for(self, v, p, job, &ask, mask);
    *busy = rc > 0;
    if (rc != 0) return HC_MIN(rc, 0);
  }
  hc_slurm_caps_fill(self, job, SIZE_MAX, &ask);
  *busy = could_alone(self, &ask, self->mask)
              ? !hc_slurm_is_over(self, v, job)
              : are_busy(self, &ask, self->mask) && could_ever(self, v, &ask, job, anywhere);
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
  hc_map_fini(&self->closed);
  hc_map_init(&self->closed, self->allocator);
  for (size_t i = 0; i < b->queue_count; i++) {
    const hc_slurm_job job = b->queue[i];
    bool busy = false;
    if (job.task == HC_NO_TASK) continue; /* it has started in another of its partitions */
    if (job.begin > now || hc_slurm_waits_for_array(self, v, &job)) continue;
    if (hc_slurm_waits_for_reservation(self, v, &job, now)) continue;
    if (!full && depth++ > s->default_queue_depth) break;
    const bool reserved = job.reservation != HC_NO_NAME;
    if (reserved ? hc_map_get(&self->closed, job.reservation) != HC_MAP_NONE : self->failed[job.partition])
      continue;
    hc_rc rc = 0;
    if (job.het > 0) busy = true; /* the backfill starts it with the other components */
    if (job.het > 0 && job.begin > 0) hc_slurm_clock_change(&self->clock, self->s->now(v), false);
    if (job.het == 0) rc = try_job(self, v, p, &job, now, &busy);
    if (rc < 0) return rc;
    if (rc == HC_SLURM_PUT_OFF) {
      self->put_off |= full ? HC_SLURM_PUT_OFF_FULL : HC_SLURM_PUT_OFF_FRONT;
      break;
    }
    started += rc;
    if (s->sched_max_job_start > 0 && started >= s->sched_max_job_start) break;
    if (busy && reserved) TRY(hc_map_set(&self->closed, job.reservation, 1));
    else if (busy && blocks(self, &job, now)) fail_partition(self, job.partition);
  }
  self->counts.main_started += started;
  return 0;
}
