/* resizes.c -- tasks whose demand changes while they run: vertical resizing, in place.
 *
 * A task's steps (hc_task_extras.resizes) say what each of its slots is to hold from some time after the
 * start of its attempt on. Who asks for less in some dimension and more in none shrinks at once. Who asks for
 * more in any grows if all of it is free where the task is; else the run's option says what becomes of it
 * (cannot_grow): it keeps what it has until its next step; or it is put off, and tried again whenever
 * something has been given back; or it is stopped and waits again with the new demand, having done all steps
 * up to that one. What no host could ever give, and whatever a task asks that has hosts whole, is refused
 * under each of them. A step is measured against what was asked for, not against what was granted: the next
 * one contains what was refused before.
 *
 * Order in an instant: ends, changes of hosts, steps that shrink by serial, then those who wait to grow, in
 * the order in which they were due and by serial, then arrivals. Growing gives way to no other task: a
 * policy's reservations on hosts of times to come cannot be kept beside it, so that these are not combined.
 * Offsets are of real time: hosts of other speeds do not stretch them. A task that starts again begins with
 * its first step.
 *
 * Policies and architectures that keep books hear that the task gives what it had and takes what it has now;
 * metrics the same, with a mark. The table `grants` of the store has what a task held at its start, `resizes`
 * what each of its hosts had from then on. Not kept in the table of live tasks: runs without such tasks pay a
 * look at a pointer for each start and end. Cost: O(grants + log events) a step; those put off are looked at
 * once for each instant that frees anything. */
#include "engine/resizes.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "base/wide.h"
#include "engine/claims.h"
#include "engine/combine.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/explain.h"
#include "engine/life.h"
#include "engine/observe.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/rates.h"
#include "engine/reservations.h"
#include "engine/rows.h"
#include "engine/signals.h"
#include "engine/stopping.h"
#include "engine/tasks.h"
#include "engine/work.h"

typedef struct resized {
  uint32_t first, next;  /* steps done before its start; done by now */
  uint32_t grows, again; /* the step that waits for room; with which it will begin; + 1, 0: none */
  hc_event_handle event; /* its next step while it runs; HC_NO_EVENT */
  uint32_t padding;
} resized;

typedef struct grower {
  uint64_t serial;
  hc_task task;
  uint32_t deferred; /* it has been tried */
} grower;

struct hc_resizes {
  resized *tasks; /* [count] by slot */
  size_t count, cap;
  int64_t *first; /* [count x dimensions] what they ask for at their start, if they have steps */
  size_t first_cap;
  grower *growers; /* in the order in which they were due */
  size_t grower_count, grower_cap;
  uint64_t tried; /* cell.grown, as it was when all growers were looked at last: no part of the state */
  struct {
    uint64_t done, refused, deferred, requeued;
  } s;
};

static const resized none = {.event = HC_NO_EVENT};

static const hc_task_extras *steps_of(const hc_engine *e, hc_task id)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  const hc_task_extras *m = more ? hc_lexicon_more(e->lexicon, more) : NULL;
  return m && m->resize_count > 0 ? m : NULL;
}

static int64_t *need_of(hc_engine *e, hc_task id)
{
  return e->tasks.need + (size_t)id * e->tasks.dimensions;
}

static int64_t *first_of(hc_engine *e, hc_task id)
{
  return e->resizes->first + (size_t)id * e->tasks.dimensions;
}

static void copy(const hc_engine *e, int64_t *to, const int64_t *from)
{
  memcpy(to, from, e->tasks.dimensions * sizeof *to);
}

/* ---- who can have steps ---- */

static hc_rc refuse(hc_engine *e, hc_task id, const char *why, hc_error *error)
{
  return hc_fail(
      error, HC_EUNSUPPORTED, "engine", 0, 0,
      "task %lld changes its demand while it runs, %s; or leave its changes out (`updates: last` of the "
      "readers of Google's traces)",
      (long long)e->tasks.identities[id].id, why);
}

static hc_rc check(hc_engine *e, hc_task id, hc_error *error)
{
  if (!e->cell.hosts)
    return refuse(e, id,
                  "which needs a cell of hosts, and this one has processors: use `cell: {use: hosts, ...}`",
                  error);
  if (e->model)
    return refuse(e, id,
                  "and a model says how long tasks take, which is not told of steps: leave out the model",
                  error);
  if (e->policy_flags & HC_SETS_RATES)
    return refuse(
        e, id,
        "and the policy suspends tasks or sets their rates, of which it is not known how long after its "
        "start "
        "a task is: use another policy",
        error);
  if (e->reserve->type->holds_hosts)
    return refuse(
        e, id,
        "and the selector promises hosts ahead, which could not be kept free from growing tasks: use select "
        "blocking, scan or easy",
        error);
  if (e->options->cannot_grow == HC_GROW_RESERVE)
    return refuse(e, id,
                  "and waits for room of its own hosts, which is not reserved for it: set `cannot_grow` to "
                  "keep, defer or requeue",
                  error);
  if (e->architecture_type->fixed_amounts)
    return refuse(e, id, "and this architecture takes what a task gives back for its end: use another",
                  error);
  return hc_combine_check_trim(e, "what a task was changed to", error);
}

/* ---- birth ---- */

static hc_rc grow_tables(hc_engine *e, size_t count)
{
  hc_resizes *z = e->resizes;
  if (count <= z->count) return 0;
  TRY(hc_reserve(e->allocator, (void **)&z->tasks, &z->cap, count, sizeof *z->tasks));
  TRY(hc_reserve(e->allocator, (void **)&z->first, &z->first_cap, count * e->tasks.dimensions,
                 sizeof *z->first));
  for (size_t i = z->count; i < count; i++) z->tasks[i] = none;
  memset(z->first + z->count * e->tasks.dimensions, 0,
         (count - z->count) * e->tasks.dimensions * sizeof *z->first);
  z->count = count;
  return 0;
}

static hc_rc begin(hc_engine *e)
{
  if (e->resizes) return 0;
  e->resizes = hc_alloc(e->allocator, sizeof *e->resizes);
  if (!e->resizes) return HC_ENOMEM;
  hc_parts_settle(e); /* it is wanted from now on */
  return 0;
}

hc_rc hc_resizes_arrive(hc_engine *e, hc_task id, hc_error *error)
{
  const bool has_steps = steps_of(e, id) != NULL;
  if (!e->resizes) {
    if (!has_steps) return 0;
    TRY(check(e, id, error));
    TRY(begin(e));
  }
  TRY(grow_tables(e, e->tasks.count));
  e->resizes->tasks[id] = none;
  if (has_steps) copy(e, first_of(e, id), need_of(e, id));
  return 0;
}

/* ---- an attempt ---- */

/* A step at or after its end is never due: ends come first. */
static hc_rc expect_step(hc_engine *e, hc_task id)
{
  const hc_live *t = hc_live_of(e, id);
  resized *r = &e->resizes->tasks[id];
  const hc_task_extras *m = steps_of(e, id);
  hc_time at;
  if (!m || r->next >= m->resize_count) return 0;
  at = hc_time_add(t->start, m->resizes[r->next].after);
  if (at >= hc_time_add(t->start, t->run)) return 0;
  const hc_event step = hc_event_at(HC_EVENT_resize, at, t->serial, id);
  return hc_queue_push(e->events, &step, &r->event);
}

hc_rc hc_resizes_start(hc_engine *e, hc_task id)
{
  resized *r = &e->resizes->tasks[id];
  *r = (resized){.event = HC_NO_EVENT, .first = r->first, .next = r->first};
  return expect_step(e, id);
}

/* What it takes of the first dimension more with `to` than with `from` in each slot. */
static int64_t more_units(const hc_engine *e, hc_task id, const int64_t *from, const int64_t *to)
{
  const int64_t each = to[0] - from[0];
  int64_t all;
  if (e->gauge.has_shared && hc_hosts_is_shared(e->cell.hosts, 0)) return each;
  return __builtin_mul_overflow(each, (int64_t)e->tasks.live[id].slots, &all) ? INT64_MAX : all;
}

static void set_need(hc_engine *e, hc_task id, const int64_t *to)
{
  hc_live *t = hc_live_of(e, id);
  const int64_t more = more_units(e, id, need_of(e, id), to);
  if (t->bits & HC_LIVE_OVERDUE && t->state == HC_TASK_RUNNING) e->overdue_units += more;
  t->units = (uint32_t)((int64_t)t->units + more);
  copy(e, need_of(e, id), to);
}

/* Its mean size over the attempt that is over, for its record. @return 0 or HC_ENOMEM */
static hc_rc keep_mean(hc_engine *e, hc_task id)
{
  const hc_live *t = hc_live_of(e, id);
  const int64_t mean = hc_work_size(hc_work_of(e, id), t->start, e->now, t->units);
  hc_attempt *a = mean != HC_UNKNOWN ? hc_attempt_need(e, id) : NULL;
  if (mean == HC_UNKNOWN) return 0;
  if (!a) return HC_ENOMEM;
  a->work.mean = mean;
  return 0;
}

static void forget_grower(hc_resizes *z, uint64_t serial)
{
  for (size_t i = 0; i < z->grower_count; i++) {
    if (z->growers[i].serial != serial) continue;
    memmove(&z->growers[i], &z->growers[i + 1], (z->grower_count - i - 1) * sizeof *z->growers);
    z->grower_count--;
    return;
  }
}

/* The growth that it waited for will not be. */
static void give_up(hc_engine *e, hc_task id)
{
  resized *r = &e->resizes->tasks[id];
  if (r->grows == 0) return;
  forget_grower(e->resizes, hc_live_of(e, id)->serial);
  r->grows = 0;
  e->resizes->s.refused++;
}

/* What it asks for once so many steps are done, and did at the start of the attempt. */
static void wanted(hc_engine *e, hc_task id, uint32_t steps, int64_t *out)
{
  const hc_task_extras *m = steps_of(e, id);
  copy(e, out, first_of(e, id));
  for (uint32_t i = e->resizes->tasks[id].first; i < steps; i++)
    for (uint32_t d = 0; d < e->gauge.in_spec; d++) {
      const int64_t x = m->resizes[i].need[e->gauge.which[d]];
      if (x != HC_UNKNOWN) out[d] = HC_MAX(x, 0);
    }
}

void hc_resizes_stop(hc_engine *e, hc_task id, bool for_good)
{
  resized *r = &e->resizes->tasks[id];
  int64_t next[HC_DIMENSIONS];
  if (!steps_of(e, id)) return;
  if (r->event != HC_NO_EVENT) hc_queue_cancel(e->events, r->event);
  give_up(e, id);
  r->event = HC_NO_EVENT;
  if (for_good) hc_engine_note(e, keep_mean(e, id));
  if (r->again > 0) {
    wanted(e, id, r->again, next);
    copy(e, first_of(e, id), next);
    r->first = r->again;
    r->again = 0;
  }
  hc_live_of(e, id)->bits &= (uint8_t)~HC_LIVE_OVERDUE; /* those were counted out before */
  set_need(e, id, first_of(e, id));
}

void hc_resizes_swap(hc_engine *e, hc_task id)
{
  int64_t *a = need_of(e, id), *b = first_of(e, id), was;
  if (!steps_of(e, id)) return;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    was = a[d];
    a[d] = b[d];
    b[d] = was;
  }
}

bool hc_resizes_is_other(const hc_engine *e, hc_task id)
{
  return e->resizes->tasks[id].first > 0;
}

/* ---- a change ---- */

/* What it has on each of its hosts from now on: a row for each. */
static hc_rc store(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_error *error)
{
  if (!e->store || e->options->task_rows != HC_ROWS_ALL) return 0;
  for (size_t i = 0, end; i < count; i = end) {
    int64_t row[3 + HC_ROW_AMOUNTS];
    row[0] = (int64_t)hc_live_of(e, id)->serial;
    row[1] = e->now;
    row[2] = grants[i].host;
    hc_amounts_clear(e, row + 3);
    for (end = i; end < count && grants[end].host == grants[i].host; end++) {
      int64_t amounts[HC_DIMENSIONS];
      hc_demand_of_grant(e, id, &grants[end], amounts);
      for (uint32_t d = 0; d < e->gauge.width; d++) row[3 + d] += amounts[d];
    }
    TRY(hc_rows_put(e, "resizes", 3, row, NULL, error));
  }
  return 0;
}

static hc_rc carry_out(hc_engine *e, hc_task id, const int64_t *to, const hc_grant *grants, size_t count,
                       hc_error *error)
{
  hc_live *t = hc_live_of(e, id);
  hc_attempt *a = hc_attempt_need(e, id);
  hc_request had = hc_request_of(e, id);
  int64_t before[HC_DIMENSIONS] = {0};
  hc_rc rc = 0;
  if (!a) return HC_ENOMEM;
  memcpy(before, had.need, e->tasks.dimensions * sizeof *before);
  had.need = before;
  hc_work_resize(&a->work, t->start, e->now, t->units);
  t->flags |= HC_TASK_RESIZED;
  e->resizes->s.done++;
  e->is_resizing = 1;
  hc_tell_claim(e, id, HC_TASK_EVENT_RELEASED, grants, count);
  if (e->past) hc_past_move(e, id, grants, count, -1);
  if (e->observers.wants_changes) rc = hc_observe_claims(e, id, HC_CHANGE_RELEASED, grants, count);
  hc_cell_resize_hosts(&e->cell, &had, to, grants, count);
  set_need(e, id, to);
  if (rc >= 0) rc = hc_reserve_resized(e->reserve, id, &had, to, grants, count);
  hc_tell_claim(e, id, HC_TASK_EVENT_ALLOCATED, grants, count);
  if (e->past) hc_past_move(e, id, grants, count, 1);
  if (rc >= 0 && e->observers.wants_changes) rc = hc_observe_claims(e, id, HC_CHANGE_CLAIMED, grants, count);
  e->is_resizing = 0;
  if (e->explain) hc_explain_text(e, id, "holds other amounts from now on");
  return rc < 0 ? rc : store(e, id, grants, count, error);
}

/* Can it ever hold that, where it is or elsewhere? */
static bool is_possible(hc_engine *e, hc_task id, const int64_t *to)
{
  hc_request r = hc_request_of(e, id);
  const int64_t more = more_units(e, id, r.need, to);
  if (r.whole || more == INT64_MAX || (int64_t)e->tasks.live[id].units + more > UINT32_MAX) return false;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++)
    if (e->gauge.which[d] == HC_DIM_GPU && to[d] != r.need[d]) return false;
  r.need = to;
  return hc_hosts_never(e->cell.hosts, &r) == HC_NEVER_FALSE;
}

static bool grows(const hc_engine *e, const int64_t *from, const int64_t *to)
{
  bool more = false;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) more |= to[d] > from[d];
  return more;
}

static bool gives(const hc_engine *e, const int64_t *from, const int64_t *to)
{
  return grows(e, to, from);
}

static hc_rc queue_up(hc_engine *e, hc_task id)
{
  hc_resizes *z = e->resizes;
  TRY(hc_reserve(e->allocator, (void **)&z->growers, &z->grower_cap, z->grower_count + 1,
                 sizeof *z->growers));
  z->growers[z->grower_count++] = (grower){.serial = hc_live_of(e, id)->serial, .task = id};
  z->tasks[id].grows = z->tasks[id].next;
  z->tried = 0; /* some task has not been looked at */
  return 0;
}

static hc_rc due(hc_engine *e, hc_task id, hc_error *error)
{
  hc_resizes *z = e->resizes;
  resized *r = &z->tasks[id];
  int64_t to[HC_DIMENSIONS];
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  hc_rc rc = 0;
  r->event = HC_NO_EVENT;
  give_up(e, id);
  r->next++;
  wanted(e, id, r->next, to);
  if (grows(e, need_of(e, id), to) || gives(e, need_of(e, id), to)) {
    if (!is_possible(e, id, to)) z->s.refused++;
    else if (grows(e, need_of(e, id), to)) TRY(queue_up(e, id));
    else {
      TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
      TRY(carry_out(e, id, to, grants, count, error));
      rc = 1;
    }
  }
  TRY(expect_step(e, id));
  return rc;
}

/* ---- growing ---- */

static hc_rc requeue(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_error *error)
{
  const hc_stopping how = {.how = HC_STOP_REQUEUE};
  resized *r = &e->resizes->tasks[id];
  r->again = r->grows;
  r->grows = 0;
  e->resizes->s.requeued++;
  if (hc_live_of(e, id)->bits & HC_LIVE_WARNED) hc_undo_warn(e, id);
  TRY(hc_apply_preempt(e, id, grants, count));
  TRY(hc_life_stop(e, id, &how, grants, count, error));
  return 1;
}

/* @param stays out: it goes on waiting for room. @return 1: something is free; 0; or an error */
static hc_rc try_one(hc_engine *e, grower *g, bool *stays, hc_error *error)
{
  hc_resizes *z = e->resizes;
  const hc_task id = g->task;
  const hc_request had = hc_request_of(e, id);
  int64_t to[HC_DIMENSIONS];
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  wanted(e, id, z->tasks[id].grows, to);
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  if (hc_hosts_resize_fits(e->cell.hosts, &had, to, grants, count)) {
    const bool frees = gives(e, had.need, to);
    z->tasks[id].grows = 0;
    TRY(carry_out(e, id, to, grants, count, error));
    return frees;
  }
  if (e->explain && !g->deferred) hc_explain_text(e, id, "does not find the room to grow");
  switch ((hc_cannot_grow)e->options->cannot_grow) {
    case HC_GROW_KEEP:
      z->tasks[id].grows = 0;
      z->s.refused++;
      return 0;
    case HC_GROW_DEFER:
    case HC_GROW_RESERVE:
      z->s.deferred += !g->deferred;
      g->deferred = 1;
      *stays = true;
      return 0;
    case HC_GROW_REQUEUE: return requeue(e, id, grants, count, error);
  }
  return 0;
}

static hc_rc grow_all(hc_engine *e, hc_error *error)
{
  hc_resizes *z = e->resizes;
  bool is_free = false;
  while (z->grower_count > 0 && z->tried != e->cell.grown) {
    size_t left = 0;
    z->tried = e->cell.grown;
    for (size_t i = 0; i < z->grower_count; i++) {
      bool stays = false;
      const hc_rc rc = try_one(e, &z->growers[i], &stays, error);
      if (rc < 0) return rc;
      is_free |= rc > 0;
      if (stays) z->growers[left++] = z->growers[i];
    }
    z->grower_count = left;
  }
  return is_free;
}

/* A running task holds other amounts from now on. What it gives up is free, as at an end. */
static hc_rc deliver(hc_engine *e, hc_task id, uint64_t order, hc_error *error)
{
  size_t hosts;
  hc_rc rc;
  HC_UNUSED(order);
  TRY(hc_signal_note_hosts(e, id, &hosts));
  rc = due(e, id, error);
  return rc > 0 ? hc_signal_free(e, hosts, error) : rc;
}

const hc_event_type hc_event_resize = {.name = "resize", .deliver = deliver};

/* ---- figures, state, death ---- */

hc_rc hc_resizes_each(const hc_engine *e, hc_rc (*each)(void *ctx, const char *key, uint64_t n), void *ctx)
{
  const hc_resizes *z = e->resizes;
  TRY(each(ctx, "resizes", z->s.done));
  TRY(each(ctx, "resizes_refused", z->s.refused));
  TRY(each(ctx, "resizes_deferred", z->s.deferred));
  return each(ctx, "resizes_requeued", z->s.requeued);
}

hc_rc hc_resizes_visit(hc_engine *e, hc_visitor *v)
{
  bool has = e->resizes != NULL;
  hc_resizes *z;
  HC_VISIT(v, has);
  if (!has) return 0;
  TRY(begin(e));
  z = e->resizes;
  if (hc_visit_loading(v)) z->tried = 0;
  HC_VISIT(v, z->s);
  size_t firsts = z->count * e->tasks.dimensions;
  HC_VISIT_ARRAY(v, z->growers, z->grower_count, z->grower_cap);
  HC_VISIT_ARRAY(v, z->first, firsts, z->first_cap);
  if (v->mode != HC_VISIT_HASH) {
    HC_VISIT_ARRAY(v, z->tasks, z->count, z->cap);
    return 0;
  }
  for (size_t i = 0; i < z->count; i++) {
    resized r = z->tasks[i]; /* handles of events are names within one kind of queue */
    r.event = HC_NO_EVENT;
    HC_VISIT(v, r);
  }
  return 0;
}

void hc_resizes_fini(hc_engine *e)
{
  hc_resizes *z = e->resizes;
  if (!z) return;
  hc_free(e->allocator, z->tasks, z->cap * sizeof *z->tasks);
  hc_free(e->allocator, z->first, z->first_cap * sizeof *z->first);
  hc_free(e->allocator, z->growers, z->grower_cap * sizeof *z->growers);
  hc_free(e->allocator, z, sizeof *z);
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_ARRIVED) return hc_resizes_arrive(e, n->task, n->error);
  if (n->kind == HC_ON_STARTED) return hc_resizes_start(e, n->task);
  if (n->kind == HC_ON_FREED) return grow_all(e, n->error);
  hc_resizes_stop(e, n->task, n->for_good);
  return 0;
}

static bool has_begun(const hc_engine *e)
{
  return e->resizes != NULL;
}

const hc_part hc_part_resizes = {.name = "resizes",
                                 .wanted = has_begun,
                                 .hears =
                                     HC_HEARS(ARRIVED) | HC_HEARS(STARTED) | HC_HEARS(OVER) | HC_HEARS(FREED),
                                 .on = on,
                                 .visit = hc_resizes_visit,
                                 .fini = hc_resizes_fini};

/* The first task with steps makes the part: it is the only one that hears of tasks before it is there. */
static hc_rc on_extras(hc_engine *e, const hc_notice *n)
{
  return e->resizes ? 0 : hc_resizes_arrive(e, n->task, n->error);
}

static bool always(const hc_engine *e)
{
  HC_UNUSED(e);
  return true;
}

const hc_part hc_part_resize_steps = {
    .name = "resize_steps", .wanted = always, .hears = HC_HEARS(EXTRAS), .on = on_extras};
