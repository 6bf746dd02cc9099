/* reservations.c -- what the room that knows the future (src/reserve) asks of tasks and of the cell, and what
 * policies ask of it. */
#include "engine/reservations.h"

#include "base/util.h"
#include "engine/advance.h"
#include "engine/choose.h"
#include "engine/combine.h"
#include "engine/deferred.h"
#include "engine/host_events.h"
#include "engine/load.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- what is asked of tasks ---- */

static hc_request request(void *ctx, hc_task id)
{
  return hc_request_of(ctx, id);
}

static int64_t units(void *ctx, hc_task id)
{
  return hc_live_of(ctx, id)->units;
}

static hc_time estimate(void *ctx, hc_task id)
{
  return hc_estimate_of(ctx, id);
}

static hc_time on(void *ctx, hc_task id, const hc_grant *grants, size_t count)
{
  return hc_work_on(ctx, id, hc_estimate_of(ctx, id), grants, count);
}

static hc_rc held(void *ctx, hc_task id, hc_grant *one, const hc_grant **grants, size_t *count)
{
  return hc_view_grants(ctx, id, one, grants, count);
}

static hc_rc running(void *ctx, hc_rc (*f)(void *self, hc_task t, hc_time end), void *self)
{
  const hc_engine *e = ctx;
  for (size_t i = 0; i < e->tasks.count; i++) {
    const hc_live *t = &e->tasks.live[i];
    const bool runs = t->state == HC_TASK_RUNNING || t->state == HC_TASK_RESIZING ||
                      (t->state == HC_TASK_PLANNED && t->start == e->now);
    if (runs) TRY(f(self, (hc_task)i, hc_expected_end(e, t)));
  }
  return 0;
}

static bool is_overdue(void *ctx, hc_task id)
{
  return (hc_live_of(ctx, id)->bits & HC_LIVE_OVERDUE) != 0;
}

static size_t reserved(void *ctx, const hc_task **tasks)
{
  const hc_engine *e = ctx;
  *tasks = e->tasks.reserved;
  return e->tasks.reserved_count;
}

/* A scheduler knows the promises to the tasks of its own queue, and no others. */
static bool is_seen(void *ctx, hc_task id)
{
  const hc_engine *e = ctx;
  return !e->view.open || e->tasks.live[id].queue == e->view.queue;
}

static hc_time reserved_at(void *ctx, hc_task id)
{
  return hc_reserved_of(ctx, id);
}

static hc_rc lose(void *ctx, hc_task id)
{
  return hc_apply_reservation(ctx, id, HC_NEVER, NULL, 0);
}

static size_t scope(void *ctx, const hc_range **hosts)
{
  const hc_view *v = &((const hc_engine *)ctx)->view;
  *hosts = v->open ? v->scope : NULL;
  return v->open ? v->scope_count : 0;
}

/* Placements and criteria are told of those hosts, without local load: that is not known ahead. */
static hc_rc choose(void *ctx, hc_hosts *hosts, hc_time at, hc_time length, int64_t free, uint64_t stamp,
                    hc_task id, const hc_range *among, size_t among_count, const hc_grant **grants)
{
  hc_engine *e = ctx;
  const hc_request r = hc_request_of(e, id);
  hc_rc n;
  if (!e->small_host && hc_live_of(e, id)->units > free) return 0;
  hc_hosts_set_turn(hosts, hc_hosts_turn(e->cell.hosts));
  if (stamp > 0) e->asked = (struct hc_asked){hosts, stamp | UINT64_C(1) << 63};
  hc_advance_ask(e, id, at, length);
  n = hc_hosts_choose(hosts, &r, &e->chooser, among, among_count, grants);
  hc_advance_ask(e, HC_NO_TASK, 0, 0);
  e->asked = (struct hc_asked){0};
  return n;
}

/* One host more, or more on a host, is no hindrance to equal slots; to what a task says of hosts beside
 * amounts, to a criterion, or where some hosts are drawn, it may be. */
static bool rises(void *ctx, hc_task id)
{
  const hc_engine *e = ctx;
  return hc_cold_of(e, id)->more == 0 && !(e->eligibility && e->eligibility->admits) &&
         e->chooser.how != HC_CHOOSE_SAMPLE;
}

static bool returns(void *ctx, uint32_t host)
{
  return hc_host_events_returns(ctx, host);
}

static void note(void *ctx, hc_rc rc)
{
  hc_engine_note(ctx, rc);
}

hc_rc hc_reservations_open(hc_engine *e, uint32_t flags, hc_error *error)
{
  const bool promises_all = (flags & HC_MAKES_RESERVATIONS) && !(flags & HC_ASKS_HARMLESS);
  const hc_reserve_context c = {.ctx = e,
                                .allocator = e->allocator,
                                .scratch = &e->scratch,
                                .now = &e->now,
                                .cell = &e->cell,
                                .spec = &e->cell_spec,
                                .lexicon = e->lexicon,
                                .seed = (uint64_t)e->options->seed,
                                .replication = (uint64_t)e->options->replication,
                                .gate = &e->gate,
                                .advance = hc_advance_plan(e),
                                .is_contiguous = e->contiguous,
                                .request = request,
                                .units = units,
                                .estimate = estimate,
                                .on = on,
                                .at_speed = hc_work_length,
                                .held = held,
                                .is_overdue = is_overdue,
                                .running = running,
                                .reserved = reserved,
                                .reserved_at = reserved_at,
                                .is_seen = is_seen,
                                .lose = lose,
                                .scope = scope,
                                .choose = choose,
                                .rises = rises,
                                .returns = e->host_events ? returns : NULL,
                                .note = note};
  if (e->cell.hosts && promises_all && (e->loads || (e->eligibility && e->eligibility->admits)))
    return hc_combine_refuse(
        error, "a selector that promises hosts ahead cannot know local load, nor which hosts a criterion "
               "will let be used then: use select easy, or leave out `local_load` and `eligibility`");
  return hc_reserve_new(&c, e->expects, promises_all, &e->reserve, error);
}

/* ---- reservations ---- */

/* Keep the list of tasks that have one; each knows its place in it. */
static hc_rc list(hc_tasks *ts, const hc_allocator *a, hc_task id, bool has)
{
  hc_planned *t = &ts->planned[id];
  if (has && t->reserved_at == HC_NEVER) {
    TRY(hc_reserve(a, (void **)&ts->reserved, &ts->reserved_cap, ts->reserved_count + 1,
                   sizeof *ts->reserved));
    t->reserved_index = (uint32_t)ts->reserved_count;
    ts->reserved[ts->reserved_count++] = id;
  } else if (!has && t->reserved_at != HC_NEVER) {
    hc_task last = ts->reserved[--ts->reserved_count];
    ts->reserved[t->reserved_index] = last;
    ts->planned[last].reserved_index = t->reserved_index;
  }
  return 0;
}

hc_rc hc_restore_reservation(hc_engine *e, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  const hc_time was = hc_reserved_of(e, id);
  if (was == HC_NEVER && at == HC_NEVER) return 0;
  if (was != HC_NEVER) TRY(hc_reserve_release(e->reserve, id, was));
  TRY(list(&e->tasks, e->allocator, id, at != HC_NEVER));
  e->tasks.planned[id].reserved_at = at;
  return at != HC_NEVER ? hc_reserve_promise(e->reserve, id, at, grants, count) : 0;
}

hc_rc hc_apply_reservation(hc_engine *e, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  if (hc_reserved_of(e, id) == at && count == 0) return 0;
  return hc_restore_reservation(e, id, at, grants, count);
}

/* ---- what policies ask ---- */

hc_slot hc_view_earliest(const hc_view *v, hc_task id, hc_time from)
{
  hc_engine *e = v->engine;
  if (hc_is_stopped(e)) return (hc_slot){HC_NEVER, 0};
  return hc_reserve_earliest(e->reserve, id, hc_deferred_from(e, id, from));
}

int64_t hc_view_least_free(const hc_view *v, hc_time from, hc_time to)
{
  hc_engine *e = v->engine;
  if (e->small_host || e->advance) return INT64_MAX;
  return hc_reserve_least_free(e->reserve, HC_NO_TASK, from, to);
}

/* Where advance reservations come and go counting what is free at one time is not enough, as with places. */
static bool has_places(const hc_engine *e)
{
  return e->contiguous || e->cell.hosts;
}

bool hc_view_places_matter(const hc_view *v)
{
  return has_places(v->engine) || v->engine->advance;
}

/* How long it is believed to run on these hosts, and `longer`. */
static hc_time believed_on(const hc_engine *e, hc_task id, hc_time longer, const hc_grant *grants,
                           size_t count)
{
  return hc_time_add(hc_work_on(e, id, hc_running_estimate_of(e, id), grants, count), longer);
}

static bool breaks_promise(const hc_engine *e, hc_task id, hc_time longer, const hc_grant *grants,
                           size_t count)
{
  const hc_time end = hc_time_add(e->now, believed_on(e, id, longer, grants, count));
  return hc_windows_breaks(e->reserve, id, grants, count, end);
}

/* If the hosts that were chosen are promised to others before it would end, others are sought among those
 * that are not: what backfilling calls extra. @return 0, or HC_EPOLICY if there are not enough. */
static hc_rc keep_promises(const hc_view *v, hc_task id, hc_time longer, const hc_grant **grants,
                           size_t *count)
{
  hc_engine *e = v->engine;
  hc_rc rc;
  if (!breaks_promise(e, id, longer, *grants, *count)) return 0;
  hc_load_spare(e, id);
  rc = hc_choose_place(e, id, grants, count);
  if (rc == 0 && breaks_promise(e, id, longer, *grants, *count)) rc = HC_EPOLICY;
  const uint64_t version = e->choice.version;
  hc_load_spare(e, HC_NO_TASK);
  if (rc == 0) e->choice.version = version;
  return rc;
}

/* With counted processors a start is harmless if, reservations included, enough stays free while it would
 * run. With places, it is tried at the time of each reservation that it overlaps. No policy hears of that. */
bool hc_view_harmless_for(const hc_view *v, hc_task id, hc_time longer)
{
  hc_engine *e = v->engine;
  const hc_live *t = hc_live_of(e, id);
  const hc_grant *grants;
  size_t count;
  if (hc_is_stopped(e)) return false;
  if (!e->reserve->type->allows) return hc_view_fits(v, id);
  if (t->deferred) return false;
  if (!e->cell.hosts &&
      hc_reserve_least_free(e->reserve, id, e->now,
                            hc_time_add(hc_time_add(e->now, hc_estimate_of(e, id)), longer)) < t->units)
    return false;
  if (!has_places(e)) return true;
  if (hc_choose_place(e, id, &grants, &count) < 0) return false;
  if (e->reserve->promised > 0) {
    if (keep_promises(v, id, longer, &grants, &count) < 0) return false;
    /* The start that follows takes what was chosen. What belongs to the whole cell is on no host: that it
       will be there is tried below. */
    if (hc_windows_all_name(e->reserve) && !e->gauge.has_shared) return true;
  }
  return hc_reserve_allows(e->reserve, id, believed_on(e, id, longer, grants, count), grants, count);
}

bool hc_view_harmless(const hc_view *v, hc_task id)
{
  return hc_view_harmless_for(v, id, 0);
}

/* ---- as a part ---- */

static hc_rc hear(hc_engine *e, const hc_notice *n)
{
  return n->is_planned ? 0 : hc_reserve_host_changed(e->reserve, n->event, n->worse);
}

static bool wanted(const hc_engine *e)
{
  return e->expects;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  return e->reserve->type->visit ? e->reserve->type->visit(e->reserve, v) : 0;
}

static void fini(hc_engine *e)
{
  hc_reserve_free(e->reserve);
}

const hc_part hc_part_reservations = {.name = "reservations",
                                      .wanted = wanted,
                                      .hears = HC_HEARS(HOST),
                                      .on = hear,
                                      .visit = visit,
                                      .fini = fini};
