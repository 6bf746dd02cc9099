/* rates_told.c -- what metrics, the store and explanations are told of rates: at the end of each instant,
 * what has come of it.
 *
 * A plan may suspend a task to let another one have its processors and, in a later decision of the same
 * instant, let it go on. For it nothing has happened: it was suspended for no time. So changes are kept until
 * the instant is over, or the task's attempt is, and told then if its rate, or whether it holds anything, is
 * another than before. A task has one row for an instant.
 *
 * Changes are told in the order in which the instant first changed each task. Cost: O(1) a change. */
#include "engine/rates_told.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/explain.h"
#include "engine/observe.h"
#include "engine/part.h"
#include "engine/tasks.h"
#include "engine/work.h"

hc_rc hc_rates_note(hc_engine *e, hc_task id, int64_t rate, bool held, bool holds)
{
  hc_attempt *a = hc_attempt_need(e, id);
  hc_rates_told *r = &e->rates_told;
  if (!a) return HC_ENOMEM;
  if (a->told == 0) {
    TRY(hc_reserve(e->allocator, (void **)&r->items, &r->cap, r->count + 1, sizeof *r->items));
    r->items[r->count++] = (hc_rate_change){.task = id, .was = a->work.rate, .held = held};
    a->told = r->count;
  }
  r->items[a->told - 1].rate = rate;
  r->items[a->told - 1].holds = holds;
  return 0;
}

static hc_rc tell(hc_engine *e, const hc_rate_change *x, hc_error *error)
{
  hc_live *t = hc_live_of(e, x->task);
  const hc_rate_record r = {.at = e->now,
                            .serial = t->serial,
                            .user = e->tasks.identities[x->task].user,
                            .rate = x->rate,
                            .units = t->units,
                            .job = hc_cold_of(e, x->task)->job,
                            .holds = x->holds};
  if (x->rate == x->was && x->holds == x->held) return 0;
  t->flags |= HC_TASK_RATED;
  e->counters.suspensions += x->held && !x->holds;
  if (e->explain)
    hc_explain_text(e, x->task, "%s",
                    x->holds == x->held ? "works at another rate from now on"
                    : x->holds          ? "goes on"
                                        : "is suspended");
  if (e->observers.wants_rates) TRY(hc_observe_rate(e, &r));
  if (!e->store || e->options->task_rows != HC_ROWS_ALL) return 0;
  return hc_store_numbers(e->store, "rates", 4, (const int64_t[]){(int64_t)r.serial, r.at, r.rate, r.holds},
                          error);
}

hc_rc hc_rates_leave_now(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_attempt *of = hc_attempt_of(e, id);
  if (of->told == 0) return 0;
  hc_rate_change *x = &e->rates_told.items[of->told - 1];
  const hc_rate_change change = *x;
  x->task = HC_NO_TASK;
  hc_attempt_need(e, id)->told = 0;
  return tell(e, &change, error);
}

/* ---- as a part ---- */

static bool wanted(const hc_engine *e)
{
  return (e->policy_flags & HC_SETS_RATES) != 0;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  hc_rates_told *r = &e->rates_told;
  for (size_t i = 0; i < r->count; i++) {
    if (r->items[i].task == HC_NO_TASK) continue;
    hc_attempt_need(e, r->items[i].task)->told = 0;
    TRY(tell(e, &r->items[i], n->error));
  }
  r->count = 0;
  return 0;
}

/* A snapshot may be of the midst of an instant, where a plan is to come from outside. */
static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  hc_rates_told *r = &e->rates_told;
  HC_VISIT_ARRAY(v, r->items, r->count, r->cap);
  return 0;
}

static void fini(hc_engine *e)
{
  hc_free(e->allocator, e->rates_told.items, e->rates_told.cap * sizeof *e->rates_told.items);
}

const hc_part hc_part_rates_told = {.name = "rates_told",
                                    .wanted = wanted,
                                    .hears = HC_HEARS(INSTANT),
                                    .on = on,
                                    .visit = visit,
                                    .fini = fini};
