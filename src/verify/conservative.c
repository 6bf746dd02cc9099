/* conservative.c -- does a schedule keep what conservative backfilling promises to everyone?
 *
 * A task gets a plan when it arrives: the earliest start, not before the time that its trace names, at which
 * it fits beside the tasks that run, by their estimates, and the plans of those that arrived before it. It
 * never starts later than that first plan.
 *
 * As long as no task ends before its estimate the plans follow from the records. After that they depend on
 * how a policy uses what became free, which the records do not say; but a plan that never moves to a later
 * time lies somewhere from the actual start of its task (`low`) to its first plan (`high`). So each waiting
 * task is taken to hold its processors from low until high + estimate, at the most, and the first plan of the
 * next arrival is sought around that. What is found is an upper bound of any such policy's first plan, equal
 * to it while nothing ended early: a schedule that is refuted is wrong, one that is not may still have been.
 * A policy that plans the whole queue anew after an early end does not make the promise, and may be refuted.
 *
 * A task that outlives its estimate, or what was predicted for it, breaks every plan: those who wait then,
 * or arrive meanwhile, have no bound, and before it their plans may have been at any time, even earlier
 * than their start. Keys of the policy that change break them once. At one instant arrivals are planned
 * before ends, the looser of the two orders.
 *
 * Future use is a step function in sorted blocks of up to 128 steps, each with its bounds and a pending sum,
 * so that a search skips blocks that all fit or all do not. Cost: O(steps / 128 + 128) per arrival, start and
 * end.
 * Source: Mu'alem & Feitelson 2001, doi:10.1109/71.932708. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "verify/parts.h"

#define STEPS 128

typedef struct block {
  int64_t pending;     /* to be added to every step */
  int64_t least, most; /* of `used`, without `pending` */
  size_t count;
  hc_time at[STEPS]; /* a step holds from here to the next */
  int64_t used[STEPS];
} block;

typedef struct profile {
  const hc_allocator *allocator;
  block **blocks;
  size_t count, cap;
} profile;

/* ---- the profile ---- */

static void bound(block *b)
{
  b->least = b->most = b->used[0];
  for (size_t i = 1; i < b->count; i++) {
    if (b->used[i] < b->least) b->least = b->used[i];
    if (b->used[i] > b->most) b->most = b->used[i];
  }
}

static hc_rc insert_block(profile *p, size_t at, block **out)
{
  TRY(hc_reserve(p->allocator, (void **)&p->blocks, &p->cap, p->count + 1, sizeof *p->blocks));
  *out = hc_alloc(p->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  memmove(p->blocks + at + 1, p->blocks + at, (p->count - at) * sizeof *p->blocks);
  p->blocks[at] = *out;
  p->count++;
  return 0;
}

static void remove_block(profile *p, size_t at)
{
  hc_free(p->allocator, p->blocks[at], sizeof *p->blocks[at]);
  p->count--;
  memmove(p->blocks + at, p->blocks + at + 1, (p->count - at) * sizeof *p->blocks);
}

static hc_rc profile_init(profile *p, const hc_allocator *a)
{
  block *b;
  *p = (profile){.allocator = a};
  TRY(insert_block(p, 0, &b));
  b->count = 1;
  b->at[0] = INT64_MIN;
  return 0;
}

static void profile_fini(profile *p)
{
  while (p->count > 0) remove_block(p, p->count - 1);
  hc_free(p->allocator, p->blocks, p->cap * sizeof *p->blocks);
}

/* Block of the step that holds at t; the first step begins before all time. */
static size_t block_of(const profile *p, hc_time t)
{
  size_t low = 0, high = p->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (p->blocks[middle]->at[0] <= t) low = middle;
    else high = middle;
  }
  return low;
}

static size_t step_of(const block *b, hc_time t)
{
  size_t low = 0, high = b->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (b->at[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

static hc_rc halve(profile *p, size_t at)
{
  block *b = p->blocks[at], *next;
  TRY(insert_block(p, at + 1, &next));
  next->count = b->count / 2;
  b->count -= next->count;
  next->pending = b->pending;
  memcpy(next->at, b->at + b->count, next->count * sizeof *b->at);
  memcpy(next->used, b->used + b->count, next->count * sizeof *b->used);
  bound(b);
  bound(next);
  return 0;
}

/* Make a step begin at t. */
static hc_rc cut(profile *p, hc_time t)
{
  size_t at = block_of(p, t), i;
  block *b;
  if (p->blocks[at]->count == STEPS) {
    TRY(halve(p, at));
    at = block_of(p, t);
  }
  b = p->blocks[at];
  i = step_of(b, t);
  if (b->at[i] == t) return 0;
  memmove(b->at + i + 2, b->at + i + 1, (b->count - i - 1) * sizeof *b->at);
  memmove(b->used + i + 1, b->used + i, (b->count - i) * sizeof *b->used);
  b->at[i + 1] = t;
  b->count++;
  return 0;
}

/* Remove the step that begins at t if it goes on as the one before does. */
static void heal(profile *p, hc_time t)
{
  size_t at = block_of(p, t), i = step_of(p->blocks[at], t);
  block *b = p->blocks[at];
  int64_t before;
  if (b->at[i] != t || (at == 0 && i == 0)) return;
  before = i > 0 ? b->used[i - 1] + b->pending
                 : p->blocks[at - 1]->used[p->blocks[at - 1]->count - 1] + p->blocks[at - 1]->pending;
  if (b->used[i] + b->pending != before) return;
  if (b->count == 1) {
    remove_block(p, at);
    return;
  }
  b->count--;
  memmove(b->at + i, b->at + i + 1, (b->count - i) * sizeof *b->at);
  memmove(b->used + i, b->used + i + 1, (b->count - i) * sizeof *b->used);
  bound(b);
}

/* @param to HC_NEVER: without end. */
static hc_rc profile_add(profile *p, hc_time from, hc_time to, int64_t units)
{
  if (from >= to || units == 0) return 0;
  TRY(cut(p, from));
  if (to != HC_NEVER) TRY(cut(p, to));
  for (size_t at = block_of(p, from); at < p->count && p->blocks[at]->at[0] < to; at++) {
    block *b = p->blocks[at];
    bool whole = b->at[0] >= from && (at + 1 < p->count ? p->blocks[at + 1]->at[0] <= to : to == HC_NEVER);
    if (whole) {
      b->pending += units;
      continue;
    }
    for (size_t i = step_of(b, from); i < b->count && b->at[i] < to; i++) {
      if (b->at[i] >= from) b->used[i] += units;
    }
    bound(b);
  }
  heal(p, from);
  if (to != HC_NEVER) heal(p, to);
  return 0;
}

/* Earliest s >= now with use <= limit in [s, s + length); HC_NEVER if none. */
static hc_time profile_earliest(const profile *p, hc_time now, hc_time length, int64_t limit)
{
  hc_time s = HC_NEVER; /* start of the stretch that fits, up to the step at hand */
  for (size_t at = block_of(p, now); at < p->count; at++) {
    const block *b = p->blocks[at];
    if (s != HC_NEVER && b->at[0] >= hc_time_add(s, length)) return s;
    if (b->least + b->pending > limit) {
      s = HC_NEVER;
      continue;
    }
    if (b->most + b->pending <= limit) {
      if (s == HC_NEVER) s = HC_MAX(now, b->at[0]);
      continue;
    }
    for (size_t i = step_of(b, now); i < b->count; i++) {
      if (s != HC_NEVER && b->at[i] >= hc_time_add(s, length)) return s;
      if (b->used[i] + b->pending > limit) s = HC_NEVER;
      else if (s == HC_NEVER) s = HC_MAX(now, b->at[i]);
    }
  }
  return s;
}

/* The past is not asked for again. */
static void forget_before(profile *p, hc_time now)
{
  while (p->count > 1 && p->blocks[1]->at[0] <= now) remove_block(p, 0);
}

/* ---- the replay ---- */

typedef struct plan {
  hc_time low, high; /* where its start may be planned; high HC_NEVER: nowhere in particular */
  bool waits;
} plan;

typedef struct conservative {
  hc_check *check;
  profile profile;
  plan *plans; /* [count] */
  uint32_t arrived;
  uint32_t void_upto; /* those before it that wait have no bound */
  hc_time *outliving; /* when running tasks pass their estimates: a heap */
  size_t outliving_count, outliving_cap;
  size_t change; /* the next one */
  size_t beyond; /* how many have passed it and still run */
  /* [pass_count] when tasks pass their estimates and keys of the policy change, ascending: what will break
   * the plans */
  hc_time *passes;
  size_t pass_count;
} conservative;

HC_SORT(sort_times, hc_time, *a < *b)

static size_t change_count(const hc_check *c)
{
  return c->options->told ? c->options->told->change_count : 0;
}

static size_t pass_room(const hc_check *c)
{
  return (c->count + change_count(c)) * sizeof(hc_time);
}

static hc_rc find_passes(conservative *s)
{
  s->passes = hc_alloc(s->check->allocator, pass_room(s->check));
  if (!s->passes) return HC_ENOMEM;
  for (size_t i = 0; i < s->check->count; i++) {
    const hc_checked *t = &s->check->tasks[i];
    hc_time at = t->start == HC_UNKNOWN ? HC_NEVER : hc_time_add(t->start, t->estimate);
    if (at != HC_NEVER && t->end > at) s->passes[s->pass_count++] = at;
  }
  for (size_t i = 0; i < change_count(s->check); i++)
    s->passes[s->pass_count++] = s->check->options->told->changes[i];
  sort_times(s->passes, s->pass_count);
  return 0;
}

/* Does a task pass its estimate, or the policy change, in [from, to]? */
static bool breaks_between(const conservative *s, hc_time from, hc_time to)
{
  size_t low = 0, high = s->pass_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (s->passes[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low < s->pass_count && s->passes[low] <= to;
}

static hc_time held_until(const plan *p, const hc_checked *t)
{
  return hc_time_add(p->high, HC_MAX(t->estimate, 1));
}

/* Plan an arrival. A task that cannot ever run, or whose plans are unknown, has no bound; the latter may be
 * planned at any time. */
static hc_rc arrive(conservative *s, uint32_t rank, hc_time now)
{
  const hc_checked *t = &s->check->tasks[rank];
  plan *p = &s->plans[rank];
  bool broken = breaks_between(s, now, t->start == HC_UNKNOWN ? HC_NEVER : t->start);
  s->arrived = rank + 1;
  if (t->units > s->check->capacity || t->gone <= now) return 0;
  if (t->start != HC_UNKNOWN && t->start < now) return 0; /* started before it came: told elsewhere */
  *p = (plan){.waits = true, .high = HC_NEVER};
  if (s->beyond == 0) {
    p->high = profile_earliest(&s->profile, HC_MAX(now, t->earliest), HC_MAX(t->estimate, 1),
                               s->check->capacity - t->units);
  }
  s->check->report.reservations += p->high != HC_NEVER;
  p->low =
      t->start == HC_UNKNOWN || broken ? HC_MAX(now, t->earliest) : HC_MAX(now, HC_MIN(t->start, p->high));
  if (p->high != HC_NEVER && t->start != HC_UNKNOWN && t->start > p->high &&
      !breaks_between(s, now, p->high)) {
    TRY(hc_find(s->check, HC_FOUND_LATE, t->start, rank, UINT32_MAX, p->high, 0));
  }
  return profile_add(&s->profile, p->low, held_until(p, t), t->units);
}

/* From waiting to running (from now until its estimate), or to nothing. */
static hc_rc leave_queue(conservative *s, uint32_t rank, hc_time now, bool starts)
{
  const hc_checked *t = &s->check->tasks[rank];
  plan *p = &s->plans[rank];
  if (p->waits) TRY(profile_add(&s->profile, p->low, held_until(p, t), -t->units));
  p->waits = false;
  if (!starts || t->end == now) return 0;
  return profile_add(&s->profile, now, hc_time_add(now, t->estimate), t->units);
}

static hc_rc void_plans(conservative *s)
{
  for (; s->void_upto < s->arrived; s->void_upto++) {
    plan *p = &s->plans[s->void_upto];
    const hc_checked *t = &s->check->tasks[s->void_upto];
    if (!p->waits || p->high == HC_NEVER) continue;
    TRY(profile_add(&s->profile, held_until(p, t), HC_NEVER, t->units));
    p->high = HC_NEVER;
  }
  return 0;
}

/* ---- tasks that outlive their estimates ---- */

HC_HEAP(times, hc_time, *a < *b)

static hc_time outlives_at(const conservative *s, uint32_t rank)
{
  return hc_time_add(s->check->tasks[rank].start, s->check->tasks[rank].estimate);
}

static hc_rc pass_estimates(conservative *s, hc_time now)
{
  while (s->outliving_count > 0 && s->outliving[0] <= now) {
    (void)times_pop(s->outliving, &s->outliving_count);
    s->beyond++;
    TRY(void_plans(s));
  }
  return 0;
}

/* ---- one instant: arrivals, then the rest ---- */

static hc_rc take_arrivals(conservative *s, size_t first, size_t past)
{
  for (size_t i = first; i < past; i++) {
    const hc_happens *h = &s->check->events[i];
    if (h->kind == HC_ARRIVES) TRY(arrive(s, h->rank, h->at));
  }
  return s->beyond > 0 ? void_plans(s) : 0;
}

static hc_rc take_others(conservative *s, size_t first, size_t past)
{
  for (size_t i = first; i < past; i++) {
    const hc_happens *h = &s->check->events[i];
    const hc_checked *t = &s->check->tasks[h->rank];
    switch ((hc_happening)h->kind) {
      case HC_ENDS:
        if (t->end > outlives_at(s, h->rank)) s->beyond--;
        TRY(profile_add(&s->profile, h->at, outlives_at(s, h->rank), -t->units));
        break;
      case HC_LEAVES: TRY(leave_queue(s, h->rank, h->at, false)); break;
      case HC_ARRIVES: break;
      case HC_STARTS:
        TRY(leave_queue(s, h->rank, h->at, true));
        if (t->end > outlives_at(s, h->rank)) {
          TRY(hc_reserve(s->check->allocator, (void **)&s->outliving, &s->outliving_cap,
                         s->outliving_count + 1, sizeof *s->outliving));
          times_rise(s->outliving, s->outliving_count++, outlives_at(s, h->rank));
        }
        break;
    }
  }
  return 0;
}

static hc_rc replay(conservative *s)
{
  hc_check *c = s->check;
  hc_time now = 0;
  for (size_t i = 0, past; i < c->event_count; i = past) {
    now = c->events[i].at;
    for (past = i; past < c->event_count && c->events[past].at == now;) past++;
    if (!hc_promises_at(c, now)) return 0;
    forget_before(&s->profile, now);
    if (hc_changed_at(c, &s->change, now) != HC_NEVER) TRY(void_plans(s));
    TRY(pass_estimates(s, now));
    TRY(take_arrivals(s, i, past));
    TRY(take_others(s, i, past));
  }
  for (uint32_t rank = 0; rank < c->count; rank++) {
    const plan *p = &s->plans[rank];
    if (!p->waits || c->tasks[rank].start != HC_UNKNOWN || p->high >= now) continue;
    TRY(hc_find(c, HC_FOUND_NEVER_STARTS, now, rank, UINT32_MAX, p->high, 0));
  }
  return 0;
}

hc_rc hc_check_conservative(hc_check *c)
{
  conservative s = {.check = c};
  hc_rc rc = profile_init(&s.profile, c->allocator);
  s.plans = hc_alloc(c->allocator, c->count * sizeof *s.plans);
  if (rc == 0) rc = s.plans ? find_passes(&s) : HC_ENOMEM;
  if (rc == 0) rc = replay(&s);
  hc_free(c->allocator, s.passes, pass_room(c));
  hc_free(c->allocator, s.plans, c->count * sizeof *s.plans);
  hc_free(c->allocator, s.outliving, s.outliving_cap * sizeof *s.outliving);
  profile_fini(&s.profile);
  return rc;
}
