/* report.c -- the plan's maker is to be told when what this stands behind is over. About no task, and nothing
 * of it shows on the view.
 *
 * What it is joined with (hc_services.join) goes with it, as one message of an architecture that carries a
 * plan out by messages. That waits for the switches among it, and tells. */
#include "base/util.h"
#include "engine/news.h"
#include "engine/observe.h"
#include "engine/plan.h"

static hc_rc happened(hc_engine *e, const hc_plan *p, const hc_action *a, hc_error *error)
{
  hc_news done = {.kind = HC_NEWS_DONE, .id = a->at, .energy = -1};
  HC_UNUSED(p);
  HC_UNUSED(error);
  if (a->every != 0) TRY(hc_observe_drawn(e, &done.energy));
  return hc_news_note(e, &done);
}

const hc_action_type hc_action_report = {.name = "report", .may_join = true, .happened = happened};

hc_rc hc_plan_report(hc_plan *p, int64_t id, bool energy)
{
  if (!hc_news_are_heard(p->engine)) return HC_EPOLICY;
  return hc_plan_add(p, &hc_action_report, &(hc_action){.task = HC_NO_TASK, .at = id, .every = energy}, NULL,
                     0);
}
