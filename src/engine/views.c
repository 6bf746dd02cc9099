/* views.c -- a view of the live cell on one queue is opened and closed.
 *
 * There is one at a time, and it is the cell itself: what the plan on it does is undone when it is closed,
 * unless it is kept to be committed. */
#include "engine/views.h"

#include "base/util.h"
#include "engine/expected_ends.h"
#include "engine/explain.h"
#include "engine/plan.h"
#include "engine/queues.h"
#include "engine/reservations.h"

hc_rc hc_view_open(hc_engine *e, uint32_t queue, const hc_range *scope, size_t scope_count, hc_view **v,
                   hc_plan **p)
{
  HC_ASSERT(!e->view.open);
  if (scope_count > 0 && e->cell.granularity == HC_CELL_COUNT)
    return hc_fail(
        e->error, HC_EUNSUPPORTED, "architecture", 0, 0,
        "a view of some hosts needs a cell whose processors have names; set `cell: {use: intervals}`");
  TRY(hc_overdue_move(e));
  TRY(hc_queues_sort(e, queue));
  e->view = (hc_view){.engine = e, .queue = queue, .open = true, .scope = scope, .scope_count = scope_count};
  hc_plan_clear(&e->plan);
  if (e->reserve->type->ask) e->reserve->type->ask(e->reserve);
  e->counters.decisions++;
  e->plan.seen = e->commits;
  e->plan.queue = queue;
  if (e->has_places) e->chooser = e->queues[queue].place ? e->queues[queue].chooser : e->own_chooser;
  if (e->has_places || scope_count > 0) e->choice.version = 0; /* it was another's, or of other hosts */
  *v = &e->view;
  *p = &e->plan;
  return 0;
}

void hc_view_limit(hc_view *v, size_t most)
{
  const hc_engine *e = v->engine;
  hc_waitlist *list = e->queues[v->queue].sorting[HC_LIST_QUEUE].list;
  v->is_limited = most > 0 && most < hc_waitlist_count(list);
  if (!v->is_limited) return;
  const hc_live *t = &e->tasks.live[hc_waitlist_at(list, most - 1)];
  v->last = (hc_cursor){t->key, t->serial, true};
}

hc_rc hc_view_close(hc_engine *e, hc_view *v, bool keep)
{
  HC_ASSERT(v->open);
  if (!e->outside.is_quiet) hc_explain_decision(e);
  v->open = false;
  if (v->scope_count > 0) e->choice.version = 0;
  if (!keep) TRY(hc_plan_undo(e, &e->plan));
  hc_arena_reset(&e->scratch);
  return 0;
}
