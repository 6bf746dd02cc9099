/* choose.c -- where a task would go: the configured placement, asked on the cell with the open plan applied.
 *
 * On a cell of counted processors there is nothing to choose. On one with intervals a placement chooses
 * among the free ranges. On hosts a chooser looks for each slot; what it answered last is kept while the
 * cell is the same, since a policy that asks whether a task fits mostly starts it then. */
#include "engine/choose.h"

#include "base/blame.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/demand.h"
#include "engine/refusals.h"
#include "engine/reservations.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* What a policy without a placement gets. */
static size_t lowest(const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units;
  size_t n = 0;
  for (; n < in->free_count && left > 0; n++) {
    out[n] = in->free[n];
    out[n].count = (uint32_t)HC_MIN(left, (int64_t)out[n].count);
    left -= out[n].count;
  }
  return left == 0 ? n : 0;
}

/* The placement's own state, and how it chooses among hosts. */
hc_rc hc_choose_open(hc_engine *e, hc_error *error)
{
  const hc_place_type *p = e->place;
  e->chooser = e->own_chooser = (hc_chooser){.how = HC_CHOOSE_FIRST};
  if (!p) return 0;
  if (p->init)
    TRY(hc_blame(&p->component, p->init(&e->policy_context, e->place_options, &e->place_state, error),
                 error));
  e->place_is_told = p->arrived != NULL && e->cell.hosts;
  if (p->chooser && e->cell.hosts) p->chooser(e->place_options, e->place_state, &e->chooser);
  e->own_chooser = e->chooser;
  return 0;
}

bool hc_choose_may(const hc_view *v, hc_range r)
{
  if (!v->open || v->scope_count == 0) return true;
  for (size_t i = 0; i < v->scope_count; i++)
    if (r.first >= v->scope[i].first &&
        (uint64_t)r.first + r.count <= (uint64_t)v->scope[i].first + v->scope[i].count)
      return true;
  return false;
}

/* Let a placement choose only from what the view may use. Both lists ascend, so one walk makes their
 * common part. */
static hc_rc narrow(hc_engine *e, hc_place_input *in)
{
  const hc_view *v = &e->view;
  hc_range *both;
  size_t n = 0;
  if (!v->open || v->scope_count == 0) return 0;
  both = hc_arena_alloc(&e->scratch, (in->free_count + v->scope_count) * sizeof *both);
  if (!both) return HC_ENOMEM;
  for (size_t i = 0, k = 0; i < in->free_count && k < v->scope_count;) {
    uint64_t free_end = (uint64_t)in->free[i].first + in->free[i].count;
    uint64_t scope_end = (uint64_t)v->scope[k].first + v->scope[k].count;
    uint64_t from = HC_MAX(in->free[i].first, v->scope[k].first), to = HC_MIN(free_end, scope_end);
    if (from < to) both[n++] = (hc_range){(uint32_t)from, (uint32_t)(to - from)};
    if (free_end <= scope_end) i++;
    else k++;
  }
  in->free = both;
  in->free_count = n;
  return 0;
}

/* On hosts of other speeds a task keeps all of its hosts as long as the slowest: if an advance reservation
 * comes before that, others are sought that are free for so long, and again. */
static hc_rc choose_open(hc_engine *e, hc_task id, const hc_range *scope, size_t scoped,
                         const hc_grant **grants)
{
  const hc_request r = hc_request_of(e, id);
  hc_time length = HC_UNKNOWN;
  hc_rc n;
  if (!e->advance) return hc_hosts_choose(e->cell.hosts, &r, &e->chooser, scope, scoped, grants);
  for (;;) {
    TRY(hc_reserve_narrow(e->reserve, id, length));
    hc_advance_ask(e, id, e->now, length);
    n = hc_hosts_choose(e->cell.hosts, &r, &e->chooser, scope, scoped, grants);
    hc_advance_ask(e, HC_NO_TASK, 0, 0);
    hc_reserve_widen(e->reserve);
    if (n <= 0) return n;
    length = hc_work_on(e, id, hc_estimate_of(e, id), *grants, (size_t)n);
    if (hc_reserve_begins(e->reserve, id, length, *grants, (size_t)n)) return n;
  }
}

/* On a cell of hosts the placement's chooser looks for each slot. What it chose for a task is kept until the
 * cell changes, or a view of other hosts is opened or closed. */
static hc_rc choose_hosts(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  const hc_view *v = &e->view;
  const bool scoped = v->open && v->scope_count > 0;
  const uint64_t serial = hc_live_of(e, id)->serial;
  hc_rc n = e->choice.count;
  if (e->choice.serial == serial && e->choice.version == e->cell.version) {
    *grants = e->choice.grants;
  } else {
    const uint32_t turn = hc_hosts_turn(e->cell.hosts);
    e->choice.version = 0;
    n = choose_open(e, id, scoped ? v->scope : NULL, scoped ? v->scope_count : 0, grants);
    e->choice.turn = hc_hosts_turn(e->cell.hosts);
    hc_hosts_set_turn(e->cell.hosts, turn); /* to be asked about is not to be chosen: a start moves it */
    hc_engine_note(e, n);                   /* who only asks whether it fits hears of no failure */
    if (n < 0) return n;
    e->choice.serial = serial;
    e->choice.version = e->cell.version;
    e->choice.grants = *grants;
    e->choice.count = n;
    if (e->explain && n > 0) hc_explain_choice(e, id, *grants, (size_t)n);
  }
  *count = (size_t)n;
  return n > 0 ? 0 : HC_EPOLICY;
}

/* Ranges of processors as grants, in the scratch arena. */
static hc_rc as_grants(hc_engine *e, const hc_range *ranges, size_t count, const hc_grant **out)
{
  hc_grant *grants = hc_arena_alloc(&e->scratch, count * sizeof *grants);
  *out = grants;
  if (!grants) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++)
    grants[i] = (hc_grant){.host = ranges[i].first, .slots = ranges[i].count};
  return 0;
}

static hc_rc choose_processors(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  const hc_live *t = hc_live_of(e, id);
  hc_place_input in = {.free = e->cell.ids.ranges,
                       .free_count = e->cell.ids.count,
                       .units = t->units,
                       .serial = t->serial,
                       .seed = (uint64_t)e->options->seed,
                       .replication = (uint64_t)e->options->replication,
                       .draws = t->draws};
  hc_range *out;
  TRY(narrow(e, &in));
  out = hc_arena_alloc(&e->scratch, t->units * sizeof *out);
  if (!out) return HC_ENOMEM;
  *count = e->place ? e->place->place(e->place_options, &in, out) : lowest(&in, out);
  return *count > 0 ? as_grants(e, out, *count, grants) : HC_EPOLICY;
}

hc_rc hc_choose_place(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  *grants = NULL;
  *count = 0;
  if (hc_live_of(e, id)->units > hc_free_most(e)) return HC_EPOLICY;
  switch (e->cell.granularity) {
    case HC_CELL_COUNT: break;
    case HC_CELL_INTERVALS: return choose_processors(e, id, grants, count);
    case HC_CELL_HOSTS:
      return e->reserve->type->choose ? e->reserve->type->choose(e->reserve, id, grants, count)
                                      : choose_hosts(e, id, grants, count);
  }
  return 0;
}

hc_rc hc_choose_named(hc_engine *e, hc_task id, const hc_range *hosts, size_t *count, const hc_grant **grants)
{
  hc_request r;
  hc_rc n;
  if (e->cell.granularity != HC_CELL_HOSTS) return as_grants(e, hosts, *count, grants);
  r = hc_request_of(e, id);
  e->choice.version = 0; /* what was chosen last is no more */
  n = hc_hosts_choose_on(e->cell.hosts, &r, hosts, *count, grants);
  if (n < 0) return n;
  *count = (size_t)n;
  return n > 0 ? 0 : HC_EPOLICY;
}

hc_rc hc_choose_dealt(hc_engine *e, hc_task id, const hc_host_room *dealt, size_t *count,
                      const hc_grant **grants)
{
  const hc_request r = hc_request_of(e, id);
  hc_rc n;
  if (e->cell.granularity != HC_CELL_HOSTS) return HC_EPOLICY;
  e->choice.version = 0;
  n = hc_hosts_choose_dealt(e->cell.hosts, &r, dealt, *count, grants);
  if (n < 0) return n;
  *count = (size_t)n;
  return n > 0 ? 0 : HC_EPOLICY;
}

/* ---- does it fit? ---- */

/* Where a view has a scope, only what is free in it counts. Both lists ascend. */
int64_t hc_view_free_units(const hc_view *v)
{
  const hc_freeset *ids = &v->engine->cell.ids;
  int64_t sum = 0;
  if (v->scope_count == 0 || v->engine->cell.hosts) return hc_free_most(v->engine);
  for (size_t i = 0, k = 0; i < ids->count && k < v->scope_count;) {
    uint64_t free_end = (uint64_t)ids->ranges[i].first + ids->ranges[i].count;
    uint64_t scope_end = (uint64_t)v->scope[k].first + v->scope[k].count;
    uint64_t from = HC_MAX(ids->ranges[i].first, v->scope[k].first), to = HC_MIN(free_end, scope_end);
    if (from < to) sum += (int64_t)(to - from);
    if (free_end <= scope_end) i++;
    else k++;
  }
  return sum;
}

/* While nothing is given back, a task that did not fit does not: queued tasks are asked about again and
 * again. */
static bool fits_hosts(const hc_view *v, hc_task t)
{
  hc_engine *e = v->engine;
  const bool remembers =
      e->tasks.remembers && v->scope_count == 0 && !e->blind && e->spare_estimate == HC_UNKNOWN;
  const bool by_shape = hc_asks_shapes(v);
  const hc_grant *grants;
  size_t count;
  hc_rc rc;
  if (remembers && e->tasks.failed[t] == e->cell.grown) return false;
  if (by_shape && hc_shapes_failed(&e->shapes, t, e->cell.grown)) return false;
  rc = hc_choose_place(e, t, &grants, &count);
  if (by_shape && rc == HC_EPOLICY) hc_shapes_fail(&e->shapes, t, e->cell.grown);
  if (remembers && rc == HC_EPOLICY) e->tasks.failed[t] = e->cell.grown;
  return rc == 0;
}

bool hc_view_fits(const hc_view *v, hc_task t)
{
  hc_engine *e = v->engine;
  const hc_live *x = hc_live_of(e, t);
  const hc_grant *grants;
  size_t count;
  if (hc_is_stopped(e)) return false;
  if (x->units > hc_view_free_units(v) || x->deferred) return false;
  if (e->cell.hosts) return fits_hosts(v, t);
  if (!hc_reserve_begins(e->reserve, t, hc_estimate_of(e, t), NULL, 0)) return false;
  if (!e->contiguous) return true;
  return v->scope_count > 0 ? hc_choose_place(e, t, &grants, &count) == 0
                            : hc_freeset_longest(&e->cell.ids) >= x->units;
}
