/* deferred.c -- see deferred.h.
 *
 * A cycle of the backfill forgets its plans. What is left of it is which jobs have started, where, and how
 * many were tried; the plan of a job that does not start matters only to jobs behind it, and only if one of
 * these starts. So a job that cannot start now is put off, and planned when one behind it may: those before
 * that one are then planned one by one in the order of the queue, each as if none had been put off, until it
 * is known that it cannot start either, or none is left and it is tried itself. When the queue is through,
 * those still put off are dropped.
 *
 * That a job cannot start is known where nodes that are free now, of which no plan made so far takes any in
 * the time up to its limit, have too few slots: plans only take nodes away, and its search begins with that
 * window. A plan on none of these nodes does not change the answer. A cycle ends where its table has too many
 * stretches (bf_node_space_size), and so no more jobs are put off than would let it come to that.
 *
 * Of those put off before a job that may start none needs be planned if each is known to start only when that
 * job's limit is over, and no job behind it may start: then it starts, or does not, as if they had been, and
 * what they would have been planned on matters to none. A job that starts behind them moves what they see, so
 * that they cannot be planned later on. */
#include "policy/slurm/deferred.h"

#include "base/util.h"
#include "policy/slurm/scheduler.h"

enum { TRIES = 4 };

hc_rc hc_slurm_deferred_init(hc_slurm_deferred *d, const hc_allocator *a, uint32_t words)
{
  *d = (hc_slurm_deferred){.open = hc_alloc(a, words * sizeof *d->open)};
  return d->open ? 0 : HC_ENOMEM;
}

void hc_slurm_deferred_fini(hc_slurm_deferred *d, const hc_allocator *a, uint32_t words)
{
  hc_free(a, d->items, d->cap * sizeof *d->items);
  hc_free(a, d->open, words * sizeof *d->open);
}

void hc_slurm_deferred_begin(hc_slurm_deferred *d)
{
  d->first = d->count = d->stretches = d->behind = d->refusal_count = 0;
}

/* That a job is tried with: its own, or the least that it may have. */
static int64_t limit_of(const hc_slurm_job *job)
{
  return job->least > 0 ? HC_MIN(job->least, job->limit) : job->limit;
}

/* One where it begins, and one where it ends if that is in the table. */
size_t hc_slurm_deferred_stretches(const hc_slurm *self, const hc_slurm_job *job, int64_t now)
{
  const hc_slurm_space *s = &self->space;
  return now + limit_of(job) < s->stretches[s->count - 1].end ? 2 : 1;
}

hc_rc hc_slurm_deferred_add(hc_slurm *self, size_t place, int64_t now)
{
  hc_slurm_deferred *d = &self->deferred;
  TRY(hc_reserve(self->allocator, (void **)&d->items, &d->cap, d->count + 1, sizeof *d->items));
  d->items[d->count++] = (uint32_t)place;
  d->stretches += hc_slurm_deferred_stretches(self, &self->books.queue[place], now);
  return 0;
}

size_t hc_slurm_deferred_take(hc_slurm *self, int64_t now)
{
  hc_slurm_deferred *d = &self->deferred;
  const size_t place = d->items[d->first++];
  d->stretches -= hc_slurm_deferred_stretches(self, &self->books.queue[place], now);
  if (d->first == d->count) d->first = d->count = 0;
  return place;
}

/* ---- what cannot start ---- */

/* @return could it not before, or one that asks for no more? */
static bool is_refused(const hc_slurm_deferred *d, const hc_slurm_refusal *x)
{
  for (size_t i = 0; i < d->refusal_count; i++) {
    const hc_slurm_refusal *y = &d->refusals[i];
    if (y->slots <= x->slots && y->limit <= x->limit && y->partition == x->partition && y->need == x->need &&
        y->shape == x->shape)
      return true;
  }
  return false;
}

static void refuse(hc_slurm_deferred *d, const hc_slurm_refusal *x)
{
  if (d->refusal_count < HC_SLURM_REFUSALS) d->refusals[d->refusal_count++] = *x;
  else d->refusals[d->next_refusal++ % HC_SLURM_REFUSALS] = *x;
}

/* Nodes of its partition that are up. */
static void find_up(const hc_slurm_books *b, const hc_slurm_job *job, uint64_t *nodes)
{
  const uint64_t *all = b->partitions[job->partition].nodes;
  for (uint32_t w = 0; w < b->words; w++) nodes[w] = all[w] & b->up[w];
}

hc_rc hc_slurm_may_start(hc_slurm *self, const hc_view *v, const hc_slurm_job *job, int64_t now,
                         uint64_t *open)
{
  const hc_slurm_books *b = &self->books;
  int64_t need[HC_DIMENSIONS];
  hc_slurm_shape *shape;
  hc_slurm_ask ask;
  bool is_exact;
  (void)hc_slurm_ask_in(b, v, job, need, &ask);
  TRY(hc_slurm_ends_shape(&self->ends, &ask, &shape, &is_exact));
  find_up(b, job, open);
  if (shape->kind == HC_SLURM_NOTHING) return 1;
  if (shape->most == 0) return 0;
  const hc_slurm_refusal x = {job->partition, ask.slots, shape->need, limit_of(job), shape->kind};
  if (is_refused(&self->deferred, &x)) return 0;
  const uint64_t *some = shape->kind == HC_SLURM_WHOLE ? b->idle : b->some;
  const uint32_t least = (ask.slots - 1) / shape->most + 1;
  for (uint32_t w = 0; w < b->words; w++) open[w] &= some[w];
  if (hc_slurm_space_enough(&self->space, open, least)) {
    hc_slurm_space_meet(&self->space, now, now + limit_of(job), open);
    if (hc_slurm_space_enough(&self->space, open, least) &&
        hc_slurm_ends_room(&self->ends, shape, 0, open) >= ask.slots)
      return 1;
  }
  refuse(&self->deferred, &x);
  return 0;
}

/* Starts between two times have the time from the later one to the end of the job that starts first in
 * common: where too few of the nodes that are free all through that have room by the later one, none of them
 * is found. If there are enough, the first half of the times is looked at. */
hc_rc hc_slurm_starts_later(hc_slurm *self, const hc_view *v, const hc_slurm_job *job, int64_t now,
                            int64_t until)
{
  const hc_slurm_books *b = &self->books;
  const int64_t step = self->settings.bf_resolution, limit = limit_of(job);
  int64_t need[HC_DIMENSIONS];
  hc_slurm_shape *shape;
  hc_slurm_ask ask;
  bool is_exact;
  if (limit <= 2 * step) return 0;
  (void)hc_slurm_ask_in(b, v, job, need, &ask);
  TRY(hc_slurm_ends_shape(&self->ends, &ask, &shape, &is_exact));
  if (shape->kind == HC_SLURM_NOTHING) return 0;
  int64_t from = now, to = until;
  for (int tries = 0; tries < TRIES; tries++) {
    const int64_t end = (from + limit) / step * step - 1; /* the nodes are its own till then at least */
    size_t rank;
    to = HC_MIN(to, end);
    find_up(b, job, self->mask);
    hc_slurm_space_meet(&self->space, to, end, self->mask);
    TRY(hc_slurm_ends_by(&self->ends, shape, to, &rank));
    if (hc_slurm_ends_room(&self->ends, shape, rank, self->mask) < ask.slots) {
      if (to == until) return 1;
      from = to;
      to = until;
    } else if ((to = from + (to - from) / 2) < from + step) return 0;
  }
  return 0;
}
