/* replay.c -- one sweep over submissions, starts and ends. See replay.h.
 *
 * Counts are applied event by event and looked at between instants only, so the order within an instant is of
 * no matter. The smallest waiting task is the top of a heap by units; those that have left are dropped when
 * they surface. */
#include "metric/replay.h"

#include "base/mem.h"
#include "base/radix.h"
#include "base/sort.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

enum { SUBMITTED, LEFT_QUEUE, STARTED, ENDED };

typedef struct waiter {
  int64_t units;
  hc_time leaves;
} waiter;

typedef struct sweep {
  const hc_allocator *allocator;
  const hc_task_record *records;
  hc_pair *events; /* time; record x 4 + what */
  size_t event_count, event_cap;
  waiter *heap;
  size_t waiters, heap_cap;
  hc_interval state;
  hc_wide waiting_units;
  hc_interval block[HC_BLOCK];
  size_t block_count;
  hc_interval_hearer each;
  void *ctx;
} sweep;

/* ---- events ---- */

/* When a task's wait ends; HC_UNKNOWN if it never waited. */
static hc_time leaves_queue(const hc_task_record *r)
{
  switch ((hc_final)r->final) {
    case HC_FINAL_COMPLETED:
    case HC_FINAL_KILLED:
    case HC_FINAL_RUNNING: return r->start;
    case HC_FINAL_WITHDRAWN: return r->end;
    case HC_FINAL_WAITING: return HC_NEVER;
    case HC_FINAL_LOST: return r->start;
    case HC_FINAL_HELD:
    case HC_FINAL_REJECTED:
    case HC_FINAL_COUNT: break;
  }
  return HC_UNKNOWN;
}

/* Room was reserved for all of them. */
static void add_event(sweep *s, hc_time t, size_t record, unsigned what)
{
  if (t == HC_NEVER) return;
  s->events[s->event_count++] = (hc_pair){hc_pair_key(t), (uint64_t)record << 2 | what};
}

static void add_task(sweep *s, size_t i)
{
  const hc_task_record *r = &s->records[i];
  hc_time leaves = leaves_queue(r);
  bool ran = hc_task_counts(r) || r->final == HC_FINAL_RUNNING;
  if (r->submit != HC_UNKNOWN && leaves > r->submit) {
    add_event(s, r->submit, i, SUBMITTED);
    add_event(s, leaves, i, LEFT_QUEUE);
  }
  if (!ran || r->start == HC_UNKNOWN) return;
  if (r->end == HC_UNKNOWN) {
    add_event(s, r->start, i, STARTED);
  } else if (r->end > r->start) {
    add_event(s, r->start, i, STARTED);
    add_event(s, r->end, i, ENDED);
  } else {
    /* Of no length: it holds nothing, yet its instant is an event. Started and ended there. */
    add_event(s, r->start, i, STARTED);
    add_event(s, r->start, i, ENDED);
  }
}

/* ---- the heap of waiting tasks ---- */

HC_HEAP(waiters, waiter, a->units < b->units)

static hc_rc push_waiter(sweep *s, waiter w)
{
  TRY(hc_reserve(s->allocator, (void **)&s->heap, &s->heap_cap, s->waiters + 1, sizeof *s->heap));
  waiters_rise(s->heap, s->waiters++, w);
  return 0;
}

/* ---- the sweep ---- */

static hc_rc apply(sweep *s, uint64_t event)
{
  const hc_task_record *r = &s->records[event >> 2];
  switch (event & 3) {
    case SUBMITTED:
      s->state.waiting++;
      hc_wide_add(&s->waiting_units, r->units);
      return push_waiter(s, (waiter){r->units, leaves_queue(r)});
    case LEFT_QUEUE:
      s->state.waiting--;
      s->waiting_units = hc_wide_minus(s->waiting_units, hc_wide_product(r->units, 1));
      return 0;
    case STARTED:
      s->state.running++;
      s->state.busy += r->units;
      return 0;
    default:
      s->state.running--;
      s->state.busy -= r->units;
      return 0;
  }
}

static hc_rc flush(sweep *s)
{
  size_t n = s->block_count;
  s->block_count = 0;
  return n ? s->each(s->ctx, s->block, n) : 0;
}

static hc_rc report(sweep *s, hc_time from, hc_time to)
{
  while (s->waiters > 0 && s->heap[0].leaves <= from) (void)waiters_pop(s->heap, &s->waiters);
  s->state.from = from;
  s->state.to = to;
  s->state.waiting_units = hc_wide_clamp(s->waiting_units);
  s->state.smallest_waiting = s->waiters ? s->heap[0].units : 0;
  s->block[s->block_count++] = s->state;
  return s->block_count == HC_BLOCK ? flush(s) : 0;
}

static hc_rc run(sweep *s)
{
  for (size_t i = 0; i < s->event_count; i++) {
    TRY(apply(s, s->events[i].value));
    if (i + 1 < s->event_count && s->events[i + 1].key > s->events[i].key)
      TRY(report(s, (hc_time)hc_pair_key((int64_t)s->events[i].key),
                 (hc_time)hc_pair_key((int64_t)s->events[i + 1].key)));
  }
  return flush(s);
}

hc_rc hc_metric_replay(const hc_allocator *a, int64_t capacity, const hc_task_record *records, size_t n,
                       hc_interval_hearer each, void *ctx)
{
  sweep *s = hc_alloc(a, sizeof *s); /* the block is too large for a stack that may be a thread's */
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->allocator = a;
  s->records = records;
  s->each = each;
  s->ctx = ctx;
  s->state.capacity = capacity;
  if (n > SIZE_MAX / 8) TRY_OR(HC_ENOMEM, done);
  TRY_OR(hc_reserve(a, (void **)&s->events, &s->event_cap, 4 * n, sizeof *s->events), done);
  for (size_t i = 0; i < n; i++) add_task(s, i);
  TRY_OR(hc_pairs_sort(a, s->events, s->event_count), done);
  rc = run(s);
done:
  hc_free(a, s->events, s->event_cap * sizeof *s->events);
  hc_free(a, s->heap, s->heap_cap * sizeof *s->heap);
  hc_free(a, s, sizeof *s);
  return rc;
}
