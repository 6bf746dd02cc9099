/* easy.c -- does a schedule keep what EASY promises to the head of its queue?
 *
 * The queue is replayed from the records: tasks arrive, start and end when they say. At each instant, after
 * its ends, arrivals and starts, the head is the first task in (submit, serial) that still waits. The tasks
 * that run (without those that passed the head at this very instant) give, by their estimates, the earliest
 * time at which the head can start, its reservation, and how many processors are to spare then. Two things
 * are checked:
 *   - a task behind the head that starts at this instant ends by the reservation, or fits in what is
 *     to spare, and takes it from there (only the sum of such tasks counts, not their order);
 *   - the head starts no later than the earliest reservation that it had while it was the head.
 *
 * A task that outlives its estimate is believed to end in a second, and breaks what was promised because of
 * it: the second check then begins anew. So does one that outlives what was predicted for it, which is
 * believed from then on to end when its row of `corrections` says. And so do changes of the policy's keys,
 * for which it promises anew. One decision an instant and a queue in order of submission are taken for
 * granted, and processors are counted: a placement that needs them side by side may leave the head waiting
 * where this sees room. At an instant at which a task of no length came and went there were several
 * decisions, each with another reservation, and which task passed in which of them is not in the records:
 * there only the promise is checked.
 *
 * Cost: O(running) per instant with a blocked head, O(running) bytes moved per start and end.
 * Source: Lifka, JSSPP 1995, doi:10.1007/3-540-60153-8_35; Mu'alem & Feitelson 2001,
 * doi:10.1109/71.932708. */
#include <string.h>

#include "base/util.h"
#include "verify/parts.h"

typedef struct running {
  hc_time believed; /* when it ends by its estimate */
  uint32_t rank;
  int64_t units;
} running;

typedef struct easy {
  hc_check *check;
  running *running; /* [running_count] by (believed, rank) */
  size_t running_count, running_cap;
  int64_t free;
  bool *out; /* [count] started, or left */
  uint32_t head, arrived;
  hc_time *believed;         /* [count] when each that runs is believed to end; NULL: by its estimate */
  size_t correction, change; /* the next ones */
  uint32_t owner;            /* whose promise */
  hc_time promise;           /* HC_NEVER: none */
  uint32_t *starts;          /* at this instant, by rank */
  size_t start_count, start_cap;
} easy;

typedef struct shadow {
  hc_time at;
  int64_t spare;
} shadow;

static const hc_checked *task_of(const easy *s, uint32_t rank)
{
  return &s->check->tasks[rank];
}

static hc_time believed_end(const hc_checked *t)
{
  return hc_time_add(t->start, t->estimate);
}

/* By what is believed of it now. */
static hc_time believed_of(const easy *s, uint32_t rank)
{
  return s->believed ? s->believed[rank] : believed_end(task_of(s, rank));
}

/* Position of the first entry not before (believed, rank). */
static size_t place_of(const easy *s, hc_time believed, uint32_t rank)
{
  size_t low = 0, high = s->running_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const running *r = &s->running[middle];
    if (r->believed < believed || (r->believed == believed && r->rank < rank)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static hc_rc put_running(easy *s, uint32_t rank, hc_time believed)
{
  const hc_checked *t = task_of(s, rank);
  size_t at = place_of(s, believed, rank);
  TRY(hc_reserve(s->check->allocator, (void **)&s->running, &s->running_cap, s->running_count + 1,
                 sizeof *s->running));
  memmove(s->running + at + 1, s->running + at, (s->running_count - at) * sizeof *s->running);
  s->running[at] = (running){.believed = believed, .rank = rank, .units = t->units};
  s->running_count++;
  s->free -= t->units;
  return 0;
}

static hc_rc begin_running(easy *s, uint32_t rank)
{
  const hc_time believed = believed_end(task_of(s, rank));
  if (s->believed) s->believed[rank] = believed;
  return put_running(s, rank, believed);
}

static void end_running(easy *s, uint32_t rank)
{
  const hc_checked *t = task_of(s, rank);
  size_t at = place_of(s, believed_of(s, rank), rank);
  s->running_count--;
  memmove(s->running + at, s->running + at + 1, (s->running_count - at) * sizeof *s->running);
  s->free += t->units;
}

/* Who is past that is believed to end a second from now, whenever now is (docs/time.md). */
static hc_time believed_now(const running *r, hc_time now)
{
  return r->believed > now ? r->believed : hc_time_add(now, HC_SECOND);
}

static shadow shadow_of(const easy *s, const hc_checked *head, hc_time now)
{
  int64_t free = s->free;
  hc_time at = now;
  size_t i = 0;
  for (; i < s->running_count && free < head->units; i++) {
    free += s->running[i].units;
    at = HC_MAX(at, believed_now(&s->running[i], now));
  }
  if (free < head->units) return (shadow){HC_NEVER, 0};
  for (; i < s->running_count && s->running[i].believed <= at; i++) free += s->running[i].units;
  return (shadow){at, free - head->units};
}

/* With the tasks of no length that started before the head, and without them: the looser. */
static hc_rc looser_shadow(easy *s, const hc_checked *head, hc_time now, shadow *out)
{
  size_t guests = 0;
  shadow with;
  *out = shadow_of(s, head, now);
  for (size_t i = 0; i < s->start_count && s->starts[i] < s->head; i++) {
    if (task_of(s, s->starts[i])->end > now) continue;
    TRY(begin_running(s, s->starts[i]));
    guests++;
  }
  if (guests == 0) return 0;
  with = shadow_of(s, head, now);
  for (size_t i = 0; i < s->start_count && s->starts[i] < s->head; i++) {
    if (task_of(s, s->starts[i])->end <= now) end_running(s, s->starts[i]);
  }
  out->at = HC_MAX(out->at, with.at);
  out->spare = HC_MAX(out->spare, with.spare);
  return 0;
}

/* ---- one instant ---- */

static void void_promise(easy *s)
{
  s->promise = HC_NEVER;
}

/* What outlived its prediction before or now is believed to end later, and broke what was promised. */
static hc_rc take_corrections(easy *s, hc_time now)
{
  const hc_check *c = s->check;
  const hc_verify_corrections *all = c->options->corrections;
  for (; s->believed && s->correction < all->count; s->correction++) {
    const hc_verify_correction *x = &all->items[s->correction];
    if (x->at > now) return 0;
    size_t at = 0;
    while (at < s->running_count && hc_serial_of(c, s->running[at].rank) != x->serial) at++;
    if (at == s->running_count) continue; /* it does not run: not ours to say */
    const uint32_t rank = s->running[at].rank;
    end_running(s, rank);
    s->believed[rank] = hc_time_add(task_of(s, rank)->start, x->estimate);
    TRY(put_running(s, rank, s->believed[rank]));
    void_promise(s);
  }
  return 0;
}

static hc_rc take_events(easy *s, size_t *i, hc_time now)
{
  hc_check *c = s->check;
  TRY(take_corrections(s, now));
  if (hc_changed_at(c, &s->change, now) <= s->promise) void_promise(s);
  s->start_count = 0;
  for (; *i < c->event_count && c->events[*i].at == now; (*i)++) {
    uint32_t rank = c->events[*i].rank;
    switch ((hc_happening)c->events[*i].kind) {
      case HC_ENDS:
        if (believed_of(s, rank) < now) void_promise(s);
        end_running(s, rank);
        break;
      case HC_LEAVES: s->out[rank] = true; break;
      case HC_ARRIVES: s->arrived = rank + 1; break;
      case HC_STARTS:
        TRY(hc_reserve(c->allocator, (void **)&s->starts, &s->start_cap, s->start_count + 1,
                       sizeof *s->starts));
        s->starts[s->start_count++] = rank;
        s->out[rank] = true;
        break;
    }
  }
  if (s->running_count > 0 && s->running[0].believed <= now) void_promise(s);
  return 0;
}

/* Has a task of no length started now? Then there was a second decision at this instant. */
static bool decided_twice(const easy *s, hc_time now)
{
  for (size_t i = 0; i < s->start_count; i++)
    if (task_of(s, s->starts[i])->end <= now) return true;
  return false;
}

static hc_rc check_passing(easy *s, shadow at_head, hc_time now)
{
  int64_t spare = at_head.spare;
  if (decided_twice(s, now)) return 0;
  if (at_head.at == HC_NEVER) return 0; /* no reservation, nothing to delay */
  for (size_t i = 0; i < s->start_count; i++) {
    const hc_checked *t = task_of(s, s->starts[i]);
    if (s->starts[i] < s->head || hc_time_add(now, t->estimate) <= at_head.at) continue;
    if (t->units <= spare) {
      spare -= t->units;
      continue;
    }
    TRY(hc_find(s->check, HC_FOUND_DELAYS_HEAD, now, s->starts[i], s->head, at_head.at, spare));
  }
  return 0;
}

/* The promise is to one task: the head stays the head until it starts or leaves. */
static hc_rc check_head(easy *s, hc_time now)
{
  bool outlived = s->running_count > 0 && s->running[0].believed <= now;
  const hc_checked *head;
  shadow at_head;
  while (s->head < s->arrived && s->out[s->head]) s->head++;
  if (s->owner != UINT32_MAX && s->owner != s->head) {
    const hc_checked *t = task_of(s, s->owner);
    if (t->start == now && now > s->promise) {
      TRY(hc_find(s->check, HC_FOUND_HEAD_LATE, now, s->owner, UINT32_MAX, s->promise, 0));
    }
    s->owner = UINT32_MAX;
  }
  for (size_t i = 0; i < s->start_count && s->starts[i] < s->head; i++) {
    if (task_of(s, s->starts[i])->end > now) TRY(begin_running(s, s->starts[i]));
  }
  if (s->head >= s->arrived) return 0;
  head = task_of(s, s->head);
  TRY(looser_shadow(s, head, now, &at_head));
  s->check->report.reservations++;
  TRY(check_passing(s, at_head, now));
  if (s->owner == UINT32_MAX) s->promise = HC_NEVER;
  s->owner = s->head;
  if (!outlived) s->promise = HC_MIN(s->promise, at_head.at);
  return 0;
}

/* Another policy than the one that promised goes on: was the head's time over before? */
static hc_rc check_overdue(easy *s, hc_time now)
{
  const bool outlived = s->running_count > 0 && s->running[0].believed <= s->promise;
  if (s->owner == UINT32_MAX || s->out[s->owner] || outlived || !s->check->options->told) return 0;
  if (s->promise >= s->check->options->told->promises_until) return 0;
  const hc_time start = task_of(s, s->owner)->start;
  return hc_find(s->check, start == HC_UNKNOWN ? HC_FOUND_HEAD_NEVER : HC_FOUND_HEAD_LATE,
                 start == HC_UNKNOWN ? now : start, s->owner, UINT32_MAX, s->promise, 0);
}

static hc_rc replay(easy *s)
{
  hc_check *c = s->check;
  hc_time now = 0;
  for (size_t i = 0; i < c->event_count;) {
    now = c->events[i].at;
    if (!hc_promises_at(c, now)) return check_overdue(s, now);
    TRY(take_events(s, &i, now));
    TRY(check_head(s, now));
    for (size_t k = 0; k < s->start_count; k++) {
      if (s->starts[k] >= s->head && task_of(s, s->starts[k])->end > now) TRY(begin_running(s, s->starts[k]));
    }
  }
  if (s->owner != UINT32_MAX && s->head == s->owner && s->promise < now) {
    TRY(hc_find(c, HC_FOUND_HEAD_NEVER, now, s->owner, UINT32_MAX, s->promise, 0));
  }
  return 0;
}

hc_rc hc_check_easy(hc_check *c)
{
  easy s = {.check = c, .free = c->capacity, .owner = UINT32_MAX, .promise = HC_NEVER};
  hc_rc rc;
  const bool corrects = c->options->corrections != NULL;
  s.out = hc_alloc(c->allocator, c->count);
  if (corrects) s.believed = hc_alloc(c->allocator, c->count * sizeof *s.believed);
  rc = s.out && (s.believed || !corrects) ? replay(&s) : HC_ENOMEM;
  hc_free(c->allocator, s.out, c->count);
  hc_free(c->allocator, s.believed, s.believed ? c->count * sizeof *s.believed : 0);
  hc_free(c->allocator, s.running, s.running_cap * sizeof *s.running);
  hc_free(c->allocator, s.starts, s.start_cap * sizeof *s.starts);
  return rc;
}
