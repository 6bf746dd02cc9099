/* counts.c -- processors: how many will be free when, on a timeline of levels.
 *
 * What runs and what is promised are two changes of the level each, so a question is O(log running). Where
 * the processors of a task must be one range counting is necessary and not enough: from the time that
 * counting gives, ends are gone through on a second cell until a range is long enough (later.h). Promised
 * ranges have no names: a start is tried on that cell, and each promise that it overlaps must still find a
 * range by its time. */
#include "base/state.h"
#include "base/util.h"
#include "reserve/parts.h"
#include "reserve/timeline.h"

typedef struct counts {
  hc_reserve_book base;
  hc_timeline *line;
  hc_later later; /* only asked if ranges matter */
} counts;

static counts *of(hc_reserve_book *r)
{
  return (counts *)r;
}

static hc_rc init(hc_reserve_book *r, hc_error *e)
{
  HC_UNUSED(e);
  of(r)->later.r = r;
  return hc_timeline_new(r->c.allocator, r->c.cell->free, &of(r)->line);
}

static void fini(hc_reserve_book *r)
{
  hc_timeline_free(of(r)->line);
  hc_later_close(&of(r)->later);
}

static hc_rc visit(hc_reserve_book *r, hc_visitor *v)
{
  if (hc_visit_loading(v)) hc_later_close(&of(r)->later);
  return hc_timeline_visit(of(r)->line, v);
}

/* What runs comes back in the end, but for what never ends; a promise takes as much as it gives, but for one
 * without end. */
static void check(hc_reserve_book *r)
{
  HC_ASSERT(hc_timeline_base(of(r)->line) == r->c.cell->free);
}

int64_t hc_counts_in_the_end(const hc_reserve_book *r)
{
  return r->type == &hc_reserve_counts ? hc_timeline_level(((const counts *)r)->line, HC_NEVER - 1)
                                       : HC_UNKNOWN;
}

/* ---- what happens ---- */

static hc_rc take(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count)
{
  const int64_t units = hc_reserve_units(r, t);
  TRY(hc_timeline_add(of(r)->line, end, units));
  hc_timeline_base_add(of(r)->line, -units);
  return hc_later_take(&of(r)->later, t, end, grants, count);
}

static hc_rc give(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count)
{
  const int64_t units = hc_reserve_units(r, t);
  hc_timeline_base_add(of(r)->line, units);
  TRY(hc_timeline_add(of(r)->line, end, -units));
  return hc_later_give(&of(r)->later, t, grants, count);
}

/* The level changes at `to` rather than at `from`, which is also what a promise is. */
static hc_rc move(hc_reserve_book *r, int64_t units, hc_time from, hc_time to)
{
  TRY(hc_timeline_add(of(r)->line, from, -units));
  return hc_timeline_add(of(r)->line, to, units);
}

static hc_rc overdue(hc_reserve_book *r, hc_task t, int64_t units, hc_time was, hc_time end)
{
  TRY(move(r, units, was, end));
  return hc_later_overdue(&of(r)->later, t, end);
}

static hc_rc moved(hc_reserve_book *r, hc_task t, hc_time was, hc_time end, const hc_grant *grants,
                   size_t count)
{
  HC_UNUSED(grants);
  HC_UNUSED(count);
  TRY(move(r, hc_reserve_units(r, t), was, end));
  return hc_later_moved(&of(r)->later, t, end);
}

static hc_rc promise(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants, size_t count)
{
  HC_UNUSED(grants);
  HC_UNUSED(count);
  return move(r, hc_reserve_units(r, t), at, hc_promised_until(at, hc_reserve_estimate(r, t)));
}

static hc_rc release(hc_reserve_book *r, hc_task t, hc_time at)
{
  return move(r, -hc_reserve_units(r, t), at, hc_promised_until(at, hc_reserve_estimate(r, t)));
}

/* ---- questions ---- */

static hc_rc has_range(hc_later *l, void *self)
{
  return hc_freeset_longest(&l->cell.ids) >= hc_reserve_units(l->r, *(const hc_task *)self);
}

static bool rises(const hc_reserve_book *r, hc_task t)
{
  HC_UNUSED(r);
  HC_UNUSED(t);
  return true;
}

static hc_time earliest_range(hc_reserve_book *r, hc_task t, hc_time from)
{
  hc_later *l = &of(r)->later;
  hc_time at = HC_NEVER;
  hc_rc rc = hc_later_ready(l);
  if (rc >= 0) rc = hc_later_first(l, from, HC_NEVER, true, has_range, &t, &at);
  hc_reserve_note(r, rc);
  return at;
}

/* Its own promise is not in its way. */
static hc_slot earliest(hc_reserve_book *r, hc_task t, hc_time from)
{
  const hc_time promised = hc_reserve_at(r, t);
  const int64_t units = hc_reserve_units(r, t);
  const hc_timeline *line = of(r)->line;
  hc_slot slot = {.spare = 0};
  if (promised != HC_NEVER) hc_reserve_note(r, release(r, t, promised));
  slot.at = hc_timeline_earliest(line, from, HC_MAX(hc_reserve_estimate(r, t), 1), units);
  if (r->c.is_contiguous && slot.at != HC_NEVER) slot.at = earliest_range(r, t, slot.at);
  if (slot.at != HC_NEVER) slot.spare = hc_timeline_level(line, slot.at) - units;
  if (promised != HC_NEVER) hc_reserve_note(r, promise(r, t, promised, NULL, 0));
  return slot;
}

static int64_t least_free(hc_reserve_book *r, hc_time from, hc_time to)
{
  return hc_timeline_least(of(r)->line, from, to);
}

static bool allows(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants, size_t count)
{
  return !r->c.is_contiguous || hc_later_allows(&of(r)->later, t, length, grants, count, rises, has_range);
}

const hc_reserve_type hc_reserve_counts = {.name = "counts",
                                           .size = sizeof(counts),
                                           .init = init,
                                           .fini = fini,
                                           .visit = visit,
                                           .check = check,
                                           .take = take,
                                           .give = give,
                                           .overdue = overdue,
                                           .moved = moved,
                                           .promise = promise,
                                           .release = release,
                                           .earliest = earliest,
                                           .least_free = least_free,
                                           .allows = allows};
