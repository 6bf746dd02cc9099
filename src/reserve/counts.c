/* counts.c -- processors: how many will be free when, on a timeline of levels.
 *
 * What runs and what is promised are two changes of the level each, so a question is O(log running). Where
 * the processors of a task must be one range counting is necessary and not enough: from the time that
 * counting gives, ends are gone through on a second cell until a range is long enough (later.h). Promised
 * ranges have no names: a start is tried on that cell, and each promise that it overlaps must still find a
 * range by its time.
 *
 * Advance reservations take of the level what their users do not hold (beside.h). Then a second timeline
 * leaves the promises out: it says what may start beside the reservations, whatever was promised. */
#include "base/state.h"
#include "base/util.h"
#include "reserve/beside.h"
#include "reserve/parts.h"

/* Levels over time, and what advance reservations take of them. */
typedef struct levels {
  hc_timeline *line;
  hc_beside beside;
} levels;

typedef struct counts {
  hc_reserve_book base;
  levels all;     /* of what runs and what is promised */
  levels running; /* of what runs alone; asked where there are advance reservations, else not kept */
  hc_later later; /* only asked if ranges matter */
} counts;

static counts *of(hc_reserve_book *r)
{
  return (counts *)r;
}

static hc_rc open_levels(const hc_reserve_book *r, levels *l)
{
  TRY(hc_timeline_new(r->c.allocator, r->c.cell->free, &l->line));
  return hc_beside_open(&l->beside, r->c.advance, l->line);
}

static void close_levels(levels *l)
{
  hc_beside_close(&l->beside);
  hc_timeline_free(l->line);
}

static hc_rc init(hc_reserve_book *r, hc_error *e)
{
  HC_UNUSED(e);
  of(r)->later.r = r;
  TRY(open_levels(r, &of(r)->all));
  return r->c.advance ? open_levels(r, &of(r)->running) : 0;
}

static void fini(hc_reserve_book *r)
{
  close_levels(&of(r)->all);
  close_levels(&of(r)->running);
  hc_later_close(&of(r)->later);
}

static hc_rc visit(hc_reserve_book *r, hc_visitor *v)
{
  if (hc_visit_loading(v)) hc_later_close(&of(r)->later);
  TRY(hc_timeline_visit(of(r)->all.line, v));
  if (!r->c.advance) return 0;
  TRY(hc_beside_visit(&of(r)->all.beside, v));
  TRY(hc_timeline_visit(of(r)->running.line, v));
  return hc_beside_visit(&of(r)->running.beside, v);
}

/* What runs comes back in the end, but for what never ends; a promise takes as much as it gives, but for one
 * without end. */
static void check(hc_reserve_book *r)
{
  HC_ASSERT(hc_timeline_base(of(r)->all.line) == r->c.cell->free);
}

int64_t hc_counts_in_the_end(const hc_reserve_book *r)
{
  const hc_time end = HC_NEVER - 1;
  if (r->type != &hc_reserve_counts) return HC_UNKNOWN;
  return hc_timeline_level(((const counts *)r)->all.line, end) +
         hc_beside_kept(&((const counts *)r)->all.beside, end);
}

/* ---- what happens ---- */

static hc_rc take_level(const hc_reserve_book *r, levels *l, hc_task t, hc_time end, int64_t units)
{
  TRY(hc_timeline_add(l->line, end, units));
  hc_timeline_base_add(l->line, -units);
  if (!r->c.advance) return 0;
  if (r->c.is_overdue(r->c.ctx, t)) hc_beside_overdue(&l->beside, t, units);
  return hc_beside_hold(&l->beside, t, *r->c.now, end, units);
}

static hc_rc take(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count)
{
  const int64_t units = hc_reserve_units(r, t);
  TRY(take_level(r, &of(r)->all, t, end, units));
  if (r->c.advance) TRY(take_level(r, &of(r)->running, t, end, units));
  return hc_later_take(&of(r)->later, t, end, grants, count);
}

static hc_rc give(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count)
{
  const int64_t units = hc_reserve_units(r, t);
  TRY(take_level(r, &of(r)->all, t, end, -units));
  if (r->c.advance) TRY(take_level(r, &of(r)->running, t, end, -units));
  return hc_later_give(&of(r)->later, t, grants, count);
}

/* The level changes at `to` rather than at `from`, which is also what a promise is. */
static hc_rc move_line(levels *l, int64_t units, hc_time from, hc_time to)
{
  TRY(hc_timeline_add(l->line, from, -units));
  return hc_timeline_add(l->line, to, units);
}

/* The same of what a task holds. */
static hc_rc move_level(levels *l, hc_task t, int64_t units, hc_time from, hc_time to)
{
  TRY(move_line(l, units, from, to));
  return from < to ? hc_beside_hold(&l->beside, t, from, to, units)
                   : hc_beside_hold(&l->beside, t, to, from, -units);
}

static hc_rc overdue_level(levels *l, hc_task t, int64_t units, hc_time was, hc_time end)
{
  if (t == HC_NO_TASK) {
    TRY(move_line(l, units, was, end));
    return hc_beside_all_overdue(&l->beside, was, end);
  }
  hc_beside_overdue(&l->beside, t, units);
  return move_level(l, t, units, was, end);
}

static hc_rc overdue(hc_reserve_book *r, hc_task t, int64_t units, hc_time was, hc_time end)
{
  TRY(overdue_level(&of(r)->all, t, units, was, end));
  if (r->c.advance) TRY(overdue_level(&of(r)->running, t, units, was, end));
  return hc_later_overdue(&of(r)->later, t, end);
}

static hc_rc moved(hc_reserve_book *r, hc_task t, hc_time was, hc_time end, const hc_grant *grants,
                   size_t count)
{
  const int64_t units = hc_reserve_units(r, t);
  HC_UNUSED(grants);
  HC_UNUSED(count);
  TRY(move_level(&of(r)->all, t, units, was, end));
  if (r->c.advance) TRY(move_level(&of(r)->running, t, units, was, end));
  return hc_later_moved(&of(r)->later, t, end);
}

static hc_rc announced(hc_reserve_book *r, size_t window)
{
  TRY(hc_beside_announced(&of(r)->all.beside, window));
  return hc_beside_announced(&of(r)->running.beside, window);
}

static hc_rc passed(hc_reserve_book *r, size_t window)
{
  TRY(hc_beside_passed(&of(r)->all.beside, window));
  return hc_beside_passed(&of(r)->running.beside, window);
}

static hc_rc promise(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants, size_t count)
{
  HC_UNUSED(grants);
  HC_UNUSED(count);
  return move_level(&of(r)->all, t, hc_reserve_units(r, t), at,
                    hc_promised_until(at, hc_reserve_estimate(r, t)));
}

static hc_rc release(hc_reserve_book *r, hc_task t, hc_time at)
{
  return move_level(&of(r)->all, t, -hc_reserve_units(r, t), at,
                    hc_promised_until(at, hc_reserve_estimate(r, t)));
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

/* Its own promise is not in its way, nor what is kept for its users. */
static hc_slot earliest(hc_reserve_book *r, hc_task t, hc_time from)
{
  const hc_time promised = hc_reserve_at(r, t);
  const int64_t units = hc_reserve_units(r, t);
  const hc_timeline *line = of(r)->all.line;
  hc_slot slot = {.spare = 0};
  if (promised != HC_NEVER) hc_reserve_note(r, release(r, t, promised));
  hc_reserve_note(r, hc_beside_lift(&of(r)->all.beside, t, 1));
  slot.at = hc_timeline_earliest(line, from, HC_MAX(hc_reserve_estimate(r, t), 1), units);
  if (r->c.is_contiguous && slot.at != HC_NEVER) slot.at = earliest_range(r, t, slot.at);
  if (slot.at != HC_NEVER) slot.spare = hc_timeline_level(line, slot.at) - units;
  hc_reserve_note(r, hc_beside_lift(&of(r)->all.beside, t, -1));
  if (promised != HC_NEVER) hc_reserve_note(r, promise(r, t, promised, NULL, 0));
  return slot;
}

static int64_t least_in(hc_reserve_book *r, levels *l, hc_task t, hc_time from, hc_time to)
{
  const bool lifts = r->c.advance && t != HC_NO_TASK;
  if (lifts) hc_reserve_note(r, hc_beside_lift(&l->beside, t, 1));
  const int64_t least = hc_timeline_least(l->line, from, to);
  if (lifts) hc_reserve_note(r, hc_beside_lift(&l->beside, t, -1));
  return least;
}

static int64_t least_free(hc_reserve_book *r, hc_task t, hc_time from, hc_time to)
{
  return least_in(r, &of(r)->all, t, from, to);
}

static bool begins(hc_reserve_book *r, hc_task t, hc_time length)
{
  const hc_time now = *r->c.now;
  return least_in(r, &of(r)->running, t, now, hc_promised_until(now, length)) >= hc_reserve_units(r, t);
}

/* Its own promise is not in its way. Where a selector promises every task a start a promise is room that is
 * kept; the one of EASY's head is a time, and stands as it does on hosts (windows.c). */
static bool holds(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants, size_t count)
{
  const hc_time promised = hc_reserve_at(r, t), to = hc_promised_until(at, hc_reserve_estimate(r, t));
  HC_UNUSED(grants);
  HC_UNUSED(count);
  if (!r->promises_all) return true;
  if (promised != HC_NEVER) hc_reserve_note(r, release(r, t, promised));
  const bool has = least_free(r, t, at, to) >= hc_reserve_units(r, t);
  if (promised != HC_NEVER) hc_reserve_note(r, promise(r, t, promised, NULL, 0));
  return has;
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
                                           .announced = announced,
                                           .passed = passed,
                                           .promise = promise,
                                           .release = release,
                                           .earliest = earliest,
                                           .least_free = least_free,
                                           .begins = begins,
                                           .holds = holds,
                                           .allows = allows};
