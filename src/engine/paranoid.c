/* paranoid.c -- every invariant of the state, walked at the end of each instant if the run asks for it.
 *
 * Cheap sums are asserted in every build where they change (cell.c, run.c); this adds up everything anew
 * from the table of tasks, O(live tasks) an instant, and compares. What fails here is our error, so it
 * stops the program with its name. No result depends on it. */
#include "base/util.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/tasks.h"
#include "engine/work.h"

typedef struct tally {
  int64_t waiting, running, suspended, claimed, overdue, reserved, deferred, deferred_units;
  int64_t
      returning; /* units that the timeline expects back at some time, less those that promises keep for ever */
} tally;

static void count_ids(const hc_engine *e, const hc_live *t)
{
  int64_t held = 0;
  if (e->cell.granularity != HC_CELL_INTERVALS) return;
  for (uint32_t at = t->held; at != HC_NO_GRANT; at = e->tasks.held[at].next) {
    const hc_held *g = &e->tasks.held[at];
    HC_ASSERT(!hc_freeset_holds(&e->cell.ids, ((hc_range){g->host, g->slots})));
    held += g->slots;
  }
  HC_ASSERT(held == t->units);
}

static void count_task(const hc_engine *e, const hc_live *t, tally *sum)
{
  /* Between instants no plan is open and every task that arrived is in a queue. */
  HC_ASSERT(t->state == HC_TASK_FREE || t->state == HC_TASK_WAITING || t->state == HC_TASK_RUNNING ||
            t->state == HC_TASK_HELD || t->state == HC_TASK_SUSPENDED);
  sum->suspended += t->state == HC_TASK_SUSPENDED;
  if (t->state == HC_TASK_SUSPENDED) HC_ASSERT(t->start >= t->submit && t->event == HC_NO_EVENT);
  if (t->state == HC_TASK_WAITING) {
    const hc_time reserved = hc_reserved_of(e, hc_task_of(e, t));
    HC_ASSERT(t->start == HC_UNKNOWN && t->held == HC_NO_GRANT);
    sum->waiting++;
    sum->deferred += t->deferred;
    sum->deferred_units += t->deferred ? t->units : 0;
    if (t->deferred) HC_ASSERT(hc_cold_of(e, hc_task_of(e, t))->eligible > e->now);
    sum->reserved += reserved != HC_NEVER;
    if (reserved != HC_NEVER && hc_time_add(reserved, hc_estimate_of(e, hc_task_of(e, t))) == HC_NEVER)
      sum->returning -= t->units;
  }
  if (t->state == HC_TASK_RUNNING) {
    HC_ASSERT(t->start >= t->submit && hc_reserved_of(e, hc_task_of(e, t)) == HC_NEVER);
    sum->running++;
    sum->claimed += t->units;
    sum->overdue += t->bits & HC_LIVE_OVERDUE ? t->units : 0;
    if (hc_expected_end(e, t) != HC_NEVER) sum->returning += t->units;
    count_ids(e, t);
  }
}

static hc_rc walk(hc_engine *e, const hc_notice *n)
{
  tally sum = {0};
  int64_t queued = 0;
  HC_UNUSED(n);
  for (size_t i = 0; i < e->tasks.count; i++) count_task(e, &e->tasks.live[i], &sum);
  for (size_t q = 0; q < e->queue_count; q++) {
    int64_t first = (int64_t)hc_waitlist_count(e->queues[q].sorting[HC_LIST_QUEUE].list);
    const hc_sorting *second = &e->queues[q].sorting[HC_LIST_CANDIDATES];
    HC_ASSERT(!second->order || (int64_t)hc_waitlist_count(second->list) == first);
    queued += first;
  }
  HC_ASSERT(sum.waiting == e->waiting && queued == e->waiting);
  HC_ASSERT(sum.deferred == e->deferred && sum.deferred_units == e->deferred_units);
  HC_ASSERT(sum.running == e->running && sum.suspended == e->suspended);
  if (e->cell.hosts) hc_hosts_check(e->cell.hosts);
  else HC_ASSERT(sum.claimed == e->cell.claimed);
  HC_ASSERT(sum.overdue == e->overdue_units);
  HC_ASSERT(sum.reserved == (int64_t)e->tasks.reserved_count);
  if (e->expects && e->reserve->type->check) e->reserve->type->check(e->reserve);
  const int64_t in_the_end = hc_counts_in_the_end(e->reserve);
  HC_ASSERT(in_the_end == HC_UNKNOWN || in_the_end == e->cell.free + sum.returning);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->options->paranoid;
}

const hc_part hc_part_paranoid = {
    .name = "paranoid", .wanted = wanted, .hears = HC_HEARS(INSTANT), .on = walk};
