/* backfill.c -- the backfill of slurmctld: a plan for the first jobs of the queue, made anew each cycle.
 *
 * Each job in the order of priority is tried on the nodes that no job before it is planned on, from now on
 * or, if that is not enough, from when the plan offers more. When it will find room is found by taking
 * running jobs away in the order of their ends, in batches that span 30 s and then twice as long each time;
 * it is the end of the last one taken. A job that can start does; for one that cannot, its nodes are planned
 * whole from then until its limit, in steps of bf_resolution. So it is conservative backfilling of
 * bf_max_job_test jobs, forgetful from one cycle to the next, and running jobs are no part of its table: a
 * job that is planned on nodes does not keep them from being planned for one that fits before.
 *
 * A cycle takes no time here, so that nothing changes under it. Does not model: TimeMin, bf_licenses,
 * bf_running_job_reserve, bf_busy_nodes. Cost: O(jobs x nodes), and for a job that cannot start as much for
 * each batch. Source: sched/backfill of Slurm 22.05, as it behaves (docs/slurm.md).
 * */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/scheduler.h"

#define FIRST_BATCH 30 /* s */

/* A job while it is tried. */
typedef struct trial {
  hc_slurm *self;
  hc_view *v;
  const hc_slurm_job *job;
  hc_slurm_ask ask;
  int64_t need[HC_DIMENSIONS];
  bool anywhere;
  int64_t now, from; /* s: it is sought from `from` on */
  int64_t start;     /* s: what was found */
} trial;

/* ---- when will there be room? ---- */

static bool touches(const hc_slurm_busy *x, const uint64_t *mask)
{
  for (uint32_t i = 0; i < x->nodes; i++)
    if (mask[x->hosts[i] / 64] >> x->hosts[i] % 64 & 1) return true;
  return false;
}

/* The next running job that has nodes of the mask. @return NULL: there is none */
static const hc_slurm_busy *next_running(const hc_slurm_books *b, const uint64_t *mask, size_t *at)
{
  while (*at < b->running_count) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[(*at)++]];
    if (touches(x, mask)) return x;
  }
  return NULL;
}

/* When the nodes of a job that should have ended by now are believed to be free. */
static int64_t end_of(const hc_slurm_books *b, const hc_slurm_busy *x, int64_t now)
{
  const hc_slurm_settings *s = b->settings;
  if (x->end > now) return x->end;
  return HC_MAX(x->end + s->over_time_limit + s->kill_wait, now + 1);
}

/* Take away the jobs of a batch. Whether it ends is asked of the job that comes next, be it on nodes of the
 * mask or not, and only behind one that was taken: where jobs on other nodes end meanwhile a batch goes on to
 * the next job on these, however late that ends.
 * @param until  where the first batch ends; 0: there was none  @return the last job taken; NULL: none is left
 * */
static const hc_slurm_busy *take_batch(hc_slurm *self, const uint64_t *mask, size_t *at, int64_t *until,
                                       int64_t window)
{
  const hc_slurm_books *b = &self->books;
  const hc_slurm_busy *last = NULL;
  for (const hc_slurm_busy *x; (x = next_running(b, mask, at));) {
    if (*until == 0) *until = x->end + window - x->end % window;
    hc_slurm_later_take(&self->later, b, x);
    last = x;
    if (*at < b->running_count && b->jobs[b->by_end[*at]].end > *until + window) break;
  }
  return last;
}

/* The next batch is longer, and long enough for the job that comes next. */
static int64_t wider(const hc_slurm *self, size_t at, int64_t until, int64_t window)
{
  const hc_slurm_books *b = &self->books;
  const int64_t linear = self->settings.bf_window_linear;
  do window = linear > 0 ? window + linear : 2 * window;
  while (at < b->running_count && b->jobs[b->by_end[at]].end > until + window);
  return window;
}

/* @return true with `start` and what is dealt; false: there will be none */
static bool find_room(trial *t, const uint64_t *mask)
{
  hc_slurm *self = t->self;
  const hc_slurm_books *b = &self->books;
  int64_t window = FIRST_BATCH, until = 0;
  size_t at = 0;
  const hc_slurm_room now = hc_slurm_now(b);
  t->start = t->now;
  if (hc_slurm_choose(&b->nodes, &t->ask, &now, mask, &self->choice)) return true;
  hc_slurm_later_reset(&self->later, b);
  for (const hc_slurm_busy *last; (last = take_batch(self, mask, &at, &until, window));) {
    const hc_slurm_room later = hc_slurm_later_room(&self->later);
    window = wider(self, at, until, window);
    if (hc_slurm_choose(&b->nodes, &t->ask, &later, mask, &self->choice)) {
      t->start = end_of(b, last, t->now);
      return true;
    }
  }
  return false;
}

/* ---- one job ---- */

static void pick_bits(hc_slurm *self)
{
  memset(self->picked, 0, self->books.words * sizeof *self->picked);
  for (size_t i = 0; i < self->choice.dealt_count; i++) {
    const uint32_t host = self->choice.dealt[i].host;
    self->picked[host / 64] |= UINT64_C(1) << host % 64;
  }
}

static int64_t rounded(const hc_slurm *self, int64_t s)
{
  return s / self->settings.bf_resolution * self->settings.bf_resolution;
}

/* Nodes on which it may run and none is planned from `from` for as long as it lasts.
 * @return when to look again; 0: never */
static int64_t mask_from(trial *t)
{
  hc_slurm *self = t->self;
  hc_slurm_books *b = &self->books;
  const hc_slurm_partition *p = &b->partitions[t->job->partition];
  for (uint32_t w = 0; w < b->words; w++) self->mask[w] = p->nodes[w] & b->up[w];
  if (!t->anywhere) hc_slurm_may(b, t->v, t->job->task, self->mask);
  return hc_slurm_space_mask(&self->space, t->from, t->from + t->job->limit, self->mask);
}

typedef enum found { NOTHING, NOW, LATER } found;

/* Find the earliest start beside what is planned. */
static found seek(trial *t)
{
  hc_slurm *self = t->self;
  for (t->from = t->now;;) {
    const int64_t again = mask_from(t);
    const bool has = find_room(t, self->mask);
    if (has) {
      t->start = HC_MAX(t->start, t->from);
      pick_bits(self);
      if (t->start <= t->now) return NOW;
    }
    if (again > 0 && (!has || t->start > again)) {
      t->from = again;
      continue;
    }
    if (!has || t->start > t->now + self->settings.bf_window * 60) return NOTHING;
    if (hc_slurm_space_has(&self->space, rounded(self, t->start), rounded(self, t->start + t->job->limit),
                           self->picked))
      return LATER;
    t->from = t->start;
  }
}

static bool is_planned_for(const hc_slurm *self, const hc_slurm_job *job, int64_t now)
{
  return now - job->submitted >= self->settings.bf_min_age_reserve &&
         job->priority >= self->settings.bf_min_prio_reserve;
}

static hc_rc plan(trial *t)
{
  hc_slurm *self = t->self;
  const int64_t from = rounded(self, t->start), to = rounded(self, t->start + t->job->limit);
  if (hc_slurm_is_over(self, t->v, t->job)) return 0; /* when a limit will let it start is not known */
  self->s->note(t->v, t->job->task, HC_NOTE_PROMISE, HC_NO_TASK, (t->start - self->books.origin) * HC_SECOND,
                0);
  if (!is_planned_for(self, t->job, t->now)) return 0;
  self->counts.planned++;
  if (t->job->array != HC_NO_NAME) self->books.arrays.items[t->job->array].planned++;
  return hc_slurm_space_take(&self->space, from, to == from ? to + self->settings.bf_resolution : to,
                             self->picked);
}

/* Has it each of its nodes whole, be it that it takes all cores there are? */
static bool is_exclusive(const trial *t)
{
  const hc_slurm *self = t->self;
  const hc_slurm_books *b = &self->books;
  if (t->ask.is_whole) return true;
  for (size_t i = 0; t->ask.is_spread && i < self->choice.dealt_count; i++)
    if (t->need[0] < b->capacity[(size_t)self->choice.dealt[i].host * b->nodes.dims]) return false;
  return t->ask.is_spread;
}

/* Nodes that a job has whole are no others' until its limit. */
static hc_rc started(trial *t)
{
  hc_slurm *self = t->self;
  if (!is_exclusive(t)) return 0;
  return hc_slurm_space_take(&self->space, rounded(self, t->now), rounded(self, t->now + t->job->limit),
                             self->picked);
}

/* ---- how many of each are tried ---- */

enum { OF_USER, OF_PARTITION, OF_USER_PARTITION, OF_ACCOUNT };

/* @return has one more of them a turn? */
static hc_rc count_one(hc_slurm *self, int kind, uint64_t key, int64_t most)
{
  const uint64_t k = (uint64_t)kind << 62 ^ key;
  const uint32_t n = hc_map_get(&self->tested, k);
  const uint32_t now = n == HC_MAP_NONE ? 1 : n + 1;
  if (most <= 0) return 1;
  TRY(hc_map_set(&self->tested, k, now));
  return now <= (uint64_t)most;
}

static hc_rc has_turn(hc_slurm *self, const hc_slurm_job *job)
{
  const hc_slurm_settings *s = &self->settings;
  const uint64_t user = (uint64_t)job->user & 0xffffffff, partition = job->partition;
  hc_rc rc = count_one(self, OF_PARTITION, partition, s->bf_max_job_part);
  if (rc > 0) rc = count_one(self, OF_USER, user, s->bf_max_job_user);
  if (rc > 0) rc = count_one(self, OF_USER_PARTITION, partition << 32 | user, s->bf_max_job_user_part);
  if (rc > 0) rc = count_one(self, OF_ACCOUNT, (uint64_t)job->account & 0xffffffff, s->bf_max_job_assoc);
  return rc;
}

/* ---- a cycle ---- */

/* @return 1: the job has started */
static hc_rc try_job(hc_slurm *self, hc_view *v, hc_plan *p, const hc_slurm_job *job, int64_t now)
{
  trial t = {.self = self, .v = v, .job = job, .now = now};
  hc_rc rc = 0;
  t.anywhere = hc_slurm_ask_of(&self->books, v, job->task, t.need, &t.ask);
  if (hc_slurm_is_limited(self, v, job) || !hc_slurm_has_licences(self, &t.ask)) return 0;
  switch (seek(&t)) {
    case NOTHING: return 0;
    case LATER: return plan(&t);
    case NOW: break;
  }
  rc = hc_slurm_start(self, v, p, job);
  if (rc > 0) hc_slurm_later_changed(&self->later, self->choice.dealt, self->choice.dealt_count);
  if (rc > 0) TRY(started(&t));
  return rc;
}

hc_rc hc_slurm_backfill(hc_slurm *self, hc_view *v, hc_plan *p)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_settings *s = &self->settings;
  const int64_t now = hc_slurm_second(b, self->s->now(v)), most = s->bf_node_space_size;
  int64_t tried = 0, count = 0;
  hc_slurm_books_sort(b);
  if (b->queue_count == 0) return 0;
  self->counts.cycles++;
  hc_slurm_arrays_begin(&b->arrays);
  TRY(hc_slurm_later_begin(&self->later, b));
  hc_map_fini(&self->tested);
  hc_map_init(&self->tested, self->allocator);
  TRY(hc_slurm_space_clear(&self->space, rounded(self, now), rounded(self, now + s->bf_window * 60), b->up));
  for (size_t i = 0; i < b->queue_count && tried < s->bf_max_job_test; i++) {
    const hc_slurm_job job = b->queue[i];
    if (job.begin > now || hc_slurm_waits_for_array(self, v, &job)) continue;
    hc_rc rc = has_turn(self, &job);
    if (rc < 0) return rc;
    if (rc == 0) continue;
    tried++;
    rc = try_job(self, v, p, &job, now);
    if (rc < 0) return rc;
    count += rc;
    if (s->bf_max_job_start > 0 && count >= s->bf_max_job_start) break;
    if (self->space.count >= (size_t)(most > 0 ? most : s->bf_max_job_test)) break;
  }
  if (tried > 0) hc_slurm_clock_change(&self->clock, self->s->now(v), false);
  self->counts.backfill_tried += tried;
  self->counts.backfill_started += count;
  self->counts.deepest = HC_MAX(self->counts.deepest, tried);
  return 0;
}
