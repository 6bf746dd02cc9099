/* windows.c -- hosts, and promises that are times: for selectors that ask whether a start is harmless (EASY).
 *
 * The earliest start of a task is the first expected end after which the placement finds hosts for it: ends
 * are gone through on a second cell (later.h). Promises of others do not count there; a start is tried on
 * that cell instead, and each task with a promise that it overlaps must still find hosts by its time.
 *
 * A promise may name hosts. Then it stands on each of them as a time: until then other tasks may use it. The
 * window of a host is the time to the first of these. Promises are made anew at each decision and a handful
 * of tasks have one, so windows are made of them whenever one goes. They belong to the reservation: what
 * undoes that, or carries it out later, does the same with them. */
#include "base/state.h"
#include "base/util.h"
#include "reserve/parts.h"
#include "reserve/promises.h"

typedef struct windows {
  hc_reserve_book base;
  hc_later later;
  hc_promises promises;
  hc_grant *grants; /* the last answer of `place` */
  size_t grant_cap;
} windows;

static windows *of(hc_reserve_book *r)
{
  return (windows *)r;
}
static const windows *of_const(const hc_reserve_book *r)
{
  return (const windows *)r;
}

static hc_rc init(hc_reserve_book *r, hc_error *e)
{
  HC_UNUSED(e);
  of(r)->later.r = r;
  return 0;
}

static void fini(hc_reserve_book *r)
{
  windows *w = of(r);
  hc_later_close(&w->later);
  hc_promises_fini(&w->promises, r->c.allocator);
  hc_free(r->c.allocator, r->window, r->c.spec->units * sizeof *r->window);
  hc_free(r->c.allocator, w->grants, w->grant_cap * sizeof *w->grants);
}

/* ---- what happens ---- */

static hc_rc take(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count)
{
  return hc_later_take(&of(r)->later, t, end, grants, count);
}

static hc_rc give(hc_reserve_book *r, hc_task t, hc_time end, const hc_grant *grants, size_t count)
{
  HC_UNUSED(end);
  return hc_later_give(&of(r)->later, t, grants, count);
}

static hc_rc overdue(hc_reserve_book *r, hc_task t, int64_t units, hc_time was, hc_time end)
{
  HC_UNUSED(units);
  HC_UNUSED(was);
  return hc_later_overdue(&of(r)->later, t, end);
}

static hc_rc moved(hc_reserve_book *r, hc_task t, hc_time was, hc_time end, const hc_grant *grants,
                   size_t count)
{
  HC_UNUSED(grants);
  HC_UNUSED(count);
  HC_UNUSED(was);
  return hc_later_moved(&of(r)->later, t, end);
}

static hc_rc host_changed(hc_reserve_book *r, const hc_host_event *event, bool worse)
{
  HC_UNUSED(worse);
  return hc_later_host_changed(&of(r)->later, event);
}

/* What is known of later amounts may change what it has seen. */
static hc_rc announced(hc_reserve_book *r, size_t window)
{
  if (r->c.advance->windows[window].kind == HC_ADVANCE_RESIZE) hc_later_close(&of(r)->later);
  return 0;
}

static hc_rc ready(hc_reserve_book *r)
{
  return hc_later_ready(&of(r)->later);
}

static hc_rc ahead(hc_reserve_book *r, hc_task t, hc_time at, hc_time length)
{
  return hc_later_ahead(&of(r)->later, t, at, length);
}

static hc_rc resized(hc_reserve_book *r, hc_task t, const hc_request *had, const int64_t *to,
                     const hc_grant *grants, size_t count)
{
  return hc_later_resized(&of(r)->later, t, had, to, grants, count);
}

/* ---- promises ---- */

static hc_rc need_windows(hc_reserve_book *r)
{
  if (r->window) return 0;
  r->window = hc_alloc(r->c.allocator, r->c.spec->units * sizeof *r->window);
  if (!r->window) return HC_ENOMEM;
  for (uint32_t i = 0; i < r->c.spec->units; i++) r->window[i] = HC_NEVER;
  return 0;
}

/* Set the windows of a task's hosts, or bring them down to its time. */
static hc_rc close_windows(hc_reserve_book *r, hc_task t, hc_time at, bool sets)
{
  const hc_grant *grants;
  size_t count;
  TRY(hc_promises_get(&of(r)->promises, r->c.scratch, t, &grants, &count));
  for (size_t i = 0; i < count; i++) {
    hc_time *w = &r->window[grants[i].host];
    *w = sets ? at : HC_MIN(*w, at);
  }
  return 0;
}

static hc_rc close_all(hc_reserve_book *r)
{
  const hc_task *tasks;
  const size_t n = hc_reserve_tasks(r, &tasks);
  for (size_t i = 0; i < n; i++) TRY(close_windows(r, tasks[i], hc_reserve_at(r, tasks[i]), false));
  return 0;
}

static hc_rc promise(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants, size_t count)
{
  if (count == 0) return 0;
  TRY(need_windows(r));
  TRY(hc_promises_keep(&of(r)->promises, r->c.allocator, t, grants, count));
  r->promised += count;
  return close_windows(r, t, at, false);
}

static hc_rc release(hc_reserve_book *r, hc_task t, hc_time at)
{
  HC_UNUSED(at);
  if (!hc_promises_has(&of(r)->promises, t)) return 0;
  TRY(close_windows(r, t, HC_NEVER, true));
  r->promised -= hc_promises_drop(&of(r)->promises, t);
  return close_all(r);
}

static hc_rc hosts_of(hc_reserve_book *r, hc_task t, const hc_grant **grants, size_t *count)
{
  return hc_promises_get(&of(r)->promises, r->c.scratch, t, grants, count);
}

bool hc_windows_names(const hc_reserve_book *r, hc_task t)
{
  return r->promised > 0 && hc_promises_has(&of_const(r)->promises, t);
}

bool hc_windows_all_name(const hc_reserve_book *r)
{
  const hc_task *tasks;
  const size_t n = hc_reserve_tasks(r, &tasks);
  for (size_t i = 0; i < n; i++)
    if (hc_reserve_sees(r, tasks[i]) && !hc_windows_names(r, tasks[i])) return false;
  return true;
}

bool hc_windows_breaks(const hc_reserve_book *r, hc_task t, const hc_grant *grants, size_t count, hc_time end)
{
  const hc_task *tasks;
  const size_t n = hc_reserve_tasks(r, &tasks);
  for (size_t i = 0; i < n; i++) {
    if (tasks[i] == t || hc_reserve_at(r, tasks[i]) >= end) continue;
    for (size_t g = 0; g < count; g++)
      if (hc_promises_is_on(&of_const(r)->promises, tasks[i], grants[g].host)) return true;
  }
  return false;
}

/* ---- questions ---- */

static hc_rc choose(hc_later *l, hc_task t, const hc_grant **grants)
{
  hc_reserve_book *r = l->r;
  const hc_reserve_context *c = &r->c;
  const hc_range *scope;
  const size_t n = c->scope(c->ctx, &scope);
  TRY(hc_reserve_look_ahead(r, t, l->at, HC_UNKNOWN));
  const bool is_narrow = r->ahead.count > 0;
  hc_ahead_narrow(&r->ahead, l->cell.hosts);
  l->cell.version += is_narrow;
  const hc_rc rc = c->choose(c->ctx, l->cell.hosts, l->at, HC_UNKNOWN, hc_cell_free_most(&l->cell),
                             l->cell.version, t, scope, n, grants);
  hc_ahead_widen(&r->ahead, l->cell.hosts);
  l->cell.version += is_narrow;
  return rc;
}

static hc_rc fits(hc_later *l, void *self)
{
  const hc_grant *grants;
  return HC_MIN(choose(l, *(const hc_task *)self, &grants), 1);
}

static bool rises(const hc_reserve_book *r, hc_task t)
{
  return r->c.rises(r->c.ctx, t);
}

/* Until an advance reservation comes into the way of a task, more and more is open to it; where hosts differ
 * in speed it comes at several times, and all are gone through. */
static hc_rc first(hc_reserve_book *r, hc_task t, hc_time from, hc_time *at)
{
  hc_later *l = &of(r)->later;
  const bool is_even = r->c.advance && !r->c.advance->has_others && r->c.spec->class_count == 1;
  const bool goes_up = rises(r, t) && (!r->c.advance || is_even);
  if (!goes_up || !r->c.advance) return hc_later_first(l, from, HC_NEVER, goes_up, fits, &t, at);
  const hc_time length = HC_MAX(r->c.at_speed(hc_reserve_estimate(r, t), r->c.spec->classes[0].speed), 1);
  for (;;) {
    const hc_time bar = hc_advance_bars(r->c.advance, t, from, length);
    const hc_rc rc = hc_later_first(l, from, bar == HC_NEVER ? bar : bar - 1, true, fits, &t, at);
    if (rc != 0 || bar == HC_NEVER) return rc;
    from = bar;
  }
}

static hc_slot earliest(hc_reserve_book *r, hc_task t, hc_time from)
{
  hc_later *l = &of(r)->later;
  hc_time at = HC_NEVER;
  hc_rc rc = hc_later_ready(l);
  if (rc >= 0) rc = first(r, t, from, &at);
  hc_reserve_note(r, rc);
  return (hc_slot){at, 0};
}

/* More and more is free: least at the beginning. */
static int64_t least_free(hc_reserve_book *r, hc_task t, hc_time from, hc_time to)
{
  hc_later *l = &of(r)->later;
  hc_rc rc = hc_later_ready(l);
  HC_UNUSED(t);
  HC_UNUSED(to);
  if (rc >= 0) rc = hc_later_go(l, HC_MAX(from, *r->c.now));
  hc_reserve_note(r, rc);
  return hc_cell_free_most(r->c.cell) + l->given_units;
}

static hc_rc place(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant **grants, size_t *count)
{
  windows *w = of(r);
  const hc_grant *found;
  TRY(hc_later_ready(&w->later));
  TRY(hc_later_go(&w->later, at));
  const hc_rc n = choose(&w->later, t, &found);
  if (n <= 0) return n < 0 ? n : HC_EPOLICY;
  TRY(hc_reserve(r->c.allocator, (void **)&w->grants, &w->grant_cap, (size_t)n, sizeof *w->grants));
  for (hc_rc i = 0; i < n; i++) w->grants[i] = found[i];
  *grants = w->grants;
  *count = (size_t)n;
  return 0;
}

static bool allows(hc_reserve_book *r, hc_task t, hc_time length, const hc_grant *grants, size_t count)
{
  return hc_later_allows(&of(r)->later, t, length, grants, count, rises, fits);
}

static bool leaves(hc_reserve_book *r, hc_task t, uint32_t host)
{
  const hc_grant one = {.host = host, .slots = 1};
  const hc_time length = hc_reserve_on(r, t, &one, 1);
  return !hc_windows_breaks(r, t, &one, 1, hc_time_add(*r->c.now, length));
}

/* Windows are made of the promises. */
static hc_rc visit(hc_reserve_book *r, hc_visitor *v)
{
  windows *w = of(r);
  TRY(hc_promises_visit(&w->promises, r->c.allocator, v, r->c.scratch, r->c.spec->units));
  if (!hc_visit_loading(v)) return 0;
  hc_later_close(&w->later);
  r->promised = w->promises.count;
  if (r->promised > 0) TRY(need_windows(r));
  for (uint32_t i = 0; r->window && i < r->c.spec->units; i++) r->window[i] = HC_NEVER;
  return close_all(r);
}

const hc_reserve_type hc_reserve_windows = {.name = "windows",
                                            .size = sizeof(windows),
                                            .init = init,
                                            .fini = fini,
                                            .visit = visit,
                                            .take = take,
                                            .give = give,
                                            .overdue = overdue,
                                            .moved = moved,
                                            .host_changed = host_changed,
                                            .resized = resized,
                                            .announced = announced,
                                            .ready = ready,
                                            .ahead = ahead,
                                            .promise = promise,
                                            .release = release,
                                            .hosts_of = hosts_of,
                                            .earliest = earliest,
                                            .least_free = least_free,
                                            .place = place,
                                            .allows = allows,
                                            .leaves = leaves};
