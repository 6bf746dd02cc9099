/* running.c -- tasks that run: they begin on their hosts, are suspended, stopped, or come to their end.
 *
 * A task with a profile has an instance of it, which starts activities; a task of which a source knows only
 * how long it takes has one sleep, so long as that takes on its slowest host. Each has a process on each of
 * its hosts, and each process its own cores: what two tasks compute never slows either. Where a profile
 * treats all processes alike, the slowest of them stands for all: it has the same computations as any
 * other, begins each with it and ends it last, so that one clock serves any number.
 *
 * A suspended task does nothing and its limit waits with it. Of what a stopped one has done nothing is kept.
 *
 * State is arrays of plain structs, saved as they are; handles of events are names within the clock and no
 * part of a digest. Memory: some 220 bytes a running task, 140 an instance, 120 an activity. */
#include "execution/running.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "execution/expressions.h"
#include "execution/fibers.h"
#include "execution/measure.h"
#include "execution/saves.h"

#define ALONE_STEPS 10000000u /* of a task that runs alone, before it counts as one that does not end */
#define STEPS_MOST 10000000u  /* of profiles at one time, before it counts as a livelock */

static const hc_running free_place = {
    .task = HC_NO_ONE, .root = HC_NO_ONE, .script = HC_NO_SCRIPT, .makes = HC_NO_ONE, .point = HC_NO_ONE};

/* ---- the whole ---- */

hc_rc hc_doings_init(hc_doings *d, const hc_model_context *c, const hc_flow_options *flows, hc_error *e)
{
  *d = (hc_doings){.allocator = c->allocator,
                   .book = c->book,
                   .host_count = c->host_count,
                   .host_names = c->host_names,
                   .cell = c->cell,
                   .storage_host = c->storage_host,
                   .vacant_running = HC_NO_ONE,
                   .vacant_act = HC_NO_ONE,
                   .vacant_instance = HC_NO_ONE};
  hc_scripts_init(&d->scripts, c->allocator);
  hc_arena_init(&d->storage.arena, c->allocator);
  if (c->host_count > 0) {
    double *speeds = hc_alloc(c->allocator, c->host_count * sizeof *speeds);
    if (!speeds) return HC_ENOMEM;
    memcpy(speeds, c->speeds, c->host_count * sizeof *speeds);
    d->speeds = speeds;
    for (uint32_t h = 1; h < c->host_count; h++) d->speeds_differ |= speeds[h] != speeds[0];
  }
  TRY(hc_queue_new(c->allocator, HC_QUEUE_HEAP, &d->clock));
  TRY(hc_contention_init(d, c, flows->cores, flows->victim));
  TRY(hc_data_init(d, c, flows, e));
  TRY(hc_flows_init(d, c, flows, e));
  return hc_storage_init(d, c, flows->disks, e);
}

static void free_places(hc_doings *d, hc_running *r)
{
  hc_free(d->allocator, r->meters, r->place_count * sizeof *r->meters);
  hc_free(d->allocator, r->places, r->place_count * sizeof *r->places);
  hc_free(d->allocator, r->values, HC_VARIABLES * sizeof *r->values);
  r->values = NULL;
  hc_free(d->allocator, r->executors, r->executor_count * sizeof *r->executors);
  r->meters = NULL;
  r->places = NULL;
  r->executors = NULL;
}

void hc_doings_fini(hc_doings *d)
{
  const hc_allocator *a = d->allocator;
  for (size_t i = 0; i < d->running_count; i++) {
    free_places(d, &d->running[i]);
    hc_free(a, d->running[i].uses, d->running[i].use_count * sizeof *d->running[i].uses);
  }
  hc_contention_fini(d);
  hc_measure_free(d);
  hc_saves_fini(d);
  hc_flows_fini(d);
  hc_storage_fini(d);
  hc_data_fini(d);
  hc_queue_free(d->clock);
  hc_scripts_fini(&d->scripts);
  hc_free(a, (void *)(uintptr_t)d->speeds, d->host_count * sizeof *d->speeds);
  hc_free(a, d->of, d->of_cap * sizeof *d->of);
  hc_free(a, d->running, d->running_cap * sizeof *d->running);
  hc_free(a, d->acts, d->act_cap * sizeof *d->acts);
  hc_free(a, d->events, d->event_cap * sizeof *d->events);
  hc_free(a, d->instances, d->instance_cap * sizeof *d->instances);
  for (size_t i = 0; i < d->fiber_cap; i++) hc_fiber_free(a, d->fibers[i]);
  hc_free(a, d->fibers, d->fiber_cap * sizeof(hc_fiber *));
  hc_free(a, d->room, d->room_cap * 16);
  hc_free(a, d->ready, d->ready_cap * sizeof *d->ready);
  hc_free(a, d->over, d->over_cap * sizeof *d->over);
}

hc_rc hc_doings_failed(const hc_doings *d, hc_error *e)
{
  if (d->failed < 0 && e && e->rc == 0) *e = d->error;
  return d->failed;
}

/* ---- a task begins ---- */

static hc_rc grow_of(hc_doings *d, uint32_t task)
{
  const size_t was = d->of_cap;
  TRY(hc_reserve(d->allocator, (void **)&d->of, &d->of_cap, (size_t)task + 1, sizeof *d->of));
  for (size_t i = was; i < d->of_cap; i++) d->of[i] = HC_NO_ONE;
  return 0;
}

static hc_rc place_running(hc_doings *d, uint32_t *out)
{
  *out = d->vacant_running;
  if (*out != HC_NO_ONE) {
    d->vacant_running = d->running[*out].root;
    return 0;
  }
  TRY(hc_reserve(d->allocator, (void **)&d->running, &d->running_cap, d->running_count + 1,
                 sizeof *d->running));
  *out = (uint32_t)d->running_count++;
  d->running[*out] = free_place;
  return 0;
}

static hc_place place_at(const hc_doings *d, const hc_activity *a, size_t i)
{
  if (!a->processes)
    return (hc_place){
        .host = HC_NO_ONE, .rate = d->speed, .cores = 1, .resident = HC_NO_ONE, .leases = HC_NO_ONE};
  const hc_process *p = &a->processes[i];
  return (hc_place){.host = p->host,
                    .rate = d->speed * d->speeds[p->host] * (double)p->milli / 1000,
                    .cores = (double)p->milli / 1000,
                    .slots = p->slots,
                    .resident = HC_NO_ONE,
                    .leases = HC_NO_ONE};
}

#define METER_NONE ((hc_meter){.share = 1, .first = HC_NO_ONE, .last = HC_NO_ONE, .timed = HC_NO_ONE})

static hc_rc take_places(hc_doings *d, hc_running *r, const hc_activity *a)
{
  r->meter = METER_NONE;
  r->place = place_at(d, a, 0);
  if (r->is_one) {
    for (size_t i = 1; i < a->process_count; i++) {
      const hc_place p = place_at(d, a, i);
      if (p.rate < r->place.rate) r->place = p;
    }
    return 0;
  }
  if (r->place_count == 1) return 0;
  r->meters = hc_alloc(d->allocator, r->place_count * sizeof *r->meters);
  r->places = hc_alloc(d->allocator, r->place_count * sizeof *r->places);
  if (!r->meters || !r->places) return HC_ENOMEM;
  for (uint32_t i = 0; i < r->place_count; i++) {
    r->meters[i] = METER_NONE;
    r->places[i] = place_at(d, a, i);
  }
  return 0;
}

/* How long something takes on the slowest of its hosts: up to a whole ns. */
static hc_time on_slowest(const hc_doings *d, hc_running *r, const hc_activity *a)
{
  double least = 1, t;
  for (size_t i = 0; i < a->process_count; i++) {
    const double speed = d->speeds[a->processes[i].host];
    if (i == 0 || speed < least) least = speed;
  }
  r->place.rate = least;
  if (least == 1 || a->length == HC_NEVER) return a->length;
  t = (double)a->length / least;
  if (!(t < 9e18)) return HC_NEVER;
  return (hc_time)t + ((double)(hc_time)t < t);
}

/* Where it writes from each of its hosts, these are known. */
static hc_rc begin_delay(hc_doings *d, hc_running *r, const hc_activity *a)
{
  if (a->saving && a->saving->bytes > 0) {
    r->is_one = false;
    TRY(take_places(d, r, a));
  }
  r->lasts = on_slowest(d, r, a);
  return 0;
}

/* On hosts that are promised more than once it is one computation, which others slow. */
static hc_rc begin_shared(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_running *r = &d->running[running];
  r->is_one = false;
  r->lasts = a->length;
  TRY(take_places(d, r, a));
  hc_meter_of(r, 0)->share = 0; /* until what it shares is settled, at this time */
  return hc_contention_begin(d, running, a);
}

void hc_doings_go(hc_doings *d, uint32_t running)
{
  d->running[running].stage = HC_STAGE_DOING;
  if (d->measure) hc_measure_items(d, running, false);
  if (!d->saves || !hc_saves_go(d, running)) hc_doings_work(d, running);
}

void hc_doings_work(hc_doings *d, uint32_t running)
{
  const hc_running *r = &d->running[running];
  if (r->script != HC_NO_SCRIPT) {
    const uint32_t root = hc_instance_new(d, running, HC_NO_ONE, 0, 0);
    d->running[running].root = root;
    return;
  }
  const hc_time length = r->lasts;
  if (d->contention.hosts) {
    const uint32_t one = hc_doing_new(d, running, HC_NO_ONE, HC_DOING_COMPUTE, 0);
    if (one != HC_NO_ONE) hc_contention_last(d, running, one, length);
    return;
  }
  const uint32_t act = hc_doing_new(d, running, HC_NO_ONE, HC_DOING_SLEEP, 0);
  if (act != HC_NO_ONE && length != HC_NEVER) hc_doing_time(d, act, length);
}

static double known(int64_t x, double unit)
{
  return x == HC_UNKNOWN || x == HC_NEVER ? __builtin_nan("") : (double)x / unit;
}

static const hc_activity_facts none = {HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN,
                                       HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN};

void hc_doings_see_hosts(hc_running *r)
{
  if (!r->values) return;
  r->values[HC_VARIABLE_NUM_HOSTS] = r->values[HC_VARIABLE_NUM_NODES] = r->place_count - r->first;
  r->values[HC_VARIABLE_NUM_PROCESSES] = hc_process_count(r);
}

static void take_sizes(hc_running *r, const hc_activity *a)
{
  const hc_activity_facts *f = a->facts ? a->facts : &none;
  int64_t milli = a->processes ? 0 : a->units * 1000;
  for (size_t i = 0; i < a->process_count; i++) milli += a->processes[i].milli;
  hc_doings_see_hosts(r);
  r->values[HC_VARIABLE_NUM_CORES] = (double)milli / 1000;
  r->values[HC_VARIABLE_NUM_GPUS] = known(f->milli_gpu, 1000);
  r->values[HC_VARIABLE_MEMORY] = known(f->memory, 1);
}

/* What expressions of its script may name. */
static hc_rc take_values(hc_doings *d, hc_running *r, const hc_activity *a)
{
  const hc_activity_facts *f = a->facts ? a->facts : &none;
  if (!d->scripts.items[r->script].exprs) return 0;
  r->values = hc_alloc(d->allocator, HC_VARIABLES * sizeof *r->values);
  if (!r->values) return HC_ENOMEM;
  take_sizes(r, a);
  r->values[HC_VARIABLE_LIMIT] = known(a->limit, 1e9);
  r->values[HC_VARIABLE_SUBMIT] = known(f->submit, 1e9);
  r->values[HC_VARIABLE_PRIORITY] = known(f->priority, 1);
  r->values[HC_VARIABLE_USER] = known(f->user, 1);
  r->values[HC_VARIABLE_TASK] = known(f->id, 1);
  return 0;
}

/* Can it, and all of its parts, run on so many processes? */
static hc_rc check_script(hc_doings *d, uint32_t running, hc_error *e)
{
  const hc_running *r = &d->running[running];
  const hc_script *s = &d->scripts.items[r->script];
  for (uint32_t i = 0; i < s->part_count; i++) {
    hc_chosen part = *s->parts[i];
    const void *options;
    TRY(hc_instance_options(d, running, i, 0, &options, e));
    part.options = (void *)(uintptr_t)options;
    TRY(hc_book_check(&part, hc_process_count(r), e));
  }
  return 0;
}

/* Several processes on a host share its place, and so its cores and its clock. */
static hc_rc take_executors(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_running *r = &d->running[running];
  if (a->executor_count == 0) return 0;
  for (size_t i = 0; i < a->executor_count; i++)
    if (a->executors[i] >= r->place_count)
      return hc_doings_fail(
          d, running, HC_EINPUT,
          "executor %zu is on host %u of its task, which has %u different hosts (numbered from "
          "0): say another, or `spread: true`",
          i, a->executors[i], r->place_count);
  r->executors = hc_alloc(d->allocator, a->executor_count * sizeof *r->executors);
  if (!r->executors) return HC_ENOMEM;
  memcpy(r->executors, a->executors, a->executor_count * sizeof *r->executors);
  r->executor_count = (uint32_t)a->executor_count;
  return 0;
}

static hc_rc begin_script(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_running *r = &d->running[running];
  hc_error mine = {0};
  hc_rc rc = hc_scripts_take(&d->scripts, d->book, a->profile, a->profile_size, &r->script, &mine);
  if (rc == 0) TRY(take_executors(d, running, a));
  if (rc == 0) rc = take_values(d, r, a);
  if (rc == 0) rc = check_script(d, running, &mine);
  if (rc < 0) return hc_doings_fail(d, running, rc, "%s", mine.text[0] ? mine.text : hc_rc_text(rc));
  const hc_script *s = &d->scripts.items[r->script];
  r->is_one = s->is_uniform && !d->contention.hosts && !r->executors &&
              !(a->saving && a->saving->bytes > 0) && !(s->is_uneven && d->speeds_differ) &&
              !(d->measure && hc_labelled_wanted(d, r->script));
  TRY(take_places(d, r, a));
  TRY(hc_contention_begin(d, running, a));
  hc_contention_memory(d, running);
  if (a->limit != HC_NEVER)
    hc_doing_time(d, hc_doing_new(d, running, HC_NO_ONE, HC_DOING_LIMIT, 0), a->limit);
  return 0;
}

hc_rc hc_doings_begin(hc_doings *d, hc_time now, const hc_activity *a, hc_error *e)
{
  uint32_t at;
  hc_rc rc = 0;
  d->now = now;
  if (d->failed < 0) return hc_doings_failed(d, e);
  if (a->task >= d->of_cap) TRY(grow_of(d, a->task));
  TRY(place_running(d, &at));
  d->of[a->task] = at;
  d->running[at] = (hc_running){.serial = a->serial,
                                .since = now,
                                .began = ++d->begun,
                                .meter = METER_NONE,
                                .id = a->facts ? a->facts->id : HC_UNKNOWN,
                                .task = a->task,
                                .root = HC_NO_ONE,
                                .script = HC_NO_SCRIPT,
                                .acts = HC_NO_ONE,
                                .place = {.leases = HC_NO_ONE},
                                .makes = HC_NO_ONE,
                                .point = HC_NO_ONE,
                                .place_count = (uint32_t)(a->processes ? a->process_count : (size_t)a->units),
                                .is_one = true};
  if (d->measure) hc_measure_begin(d, at, a);
  if (a->profile) rc = begin_script(d, at, a);
  else if (d->contention.hosts) rc = begin_shared(d, at, a);
  else rc = begin_delay(d, &d->running[at], a);
  if (rc == 0 && d->saves) rc = hc_saves_begin(d, a);
  if (rc == 0 && hc_data_begin(d, at, a)) hc_doings_go(d, at);
  else if (d->measure) hc_measure_items(d, at, true);
  if (rc == 0) rc = hc_instances_go_on(d);
  if (rc < 0 && d->failed == 0) d->failed = rc;
  return hc_doings_failed(d, e);
}

/* ---- and is over ---- */

/* It is not told any more that it is at a scheduling point. */
static void leave_point(hc_doings *d, uint32_t task)
{
  for (size_t i = 0; i < d->over_count; i++) {
    if (d->over[i].task != task || (d->over[i].how & ~HC_OVER_HELD) != HC_ENDED_POINT) continue;
    memmove(&d->over[i], &d->over[i + 1], (--d->over_count - i) * sizeof *d->over);
    return;
  }
}

static void forget(hc_doings *d, uint32_t running, uint32_t how)
{
  hc_running *r = &d->running[running];
  if (r->point != HC_NO_ONE) leave_point(d, r->task);
  while (r->acts != HC_NO_ONE) hc_doing_drop(d, r->acts);
  if (r->root != HC_NO_ONE) hc_instance_drop(d, r->root);
  if (d->measure) hc_measure_end(d, running, how);
  if (d->saves) hc_saves_leave(d, running);
  hc_storage_leave(d, running);
  hc_contention_leave(d, running);
  hc_data_leave(d, running);
  hc_scripts_drop(&d->scripts, r->script);
  free_places(d, r);
  d->of[r->task] = HC_NO_ONE;
  *r = free_place;
  r->root = d->vacant_running;
  d->vacant_running = running;
}

static hc_rc tell_later(hc_doings *d, uint32_t running, hc_ended_how how, int64_t wants)
{
  const uint32_t held = d->running[running].since == HC_NEVER ? HC_OVER_HELD : 0;
  if (hc_reserve(d->allocator, (void **)&d->over, &d->over_cap, d->over_count + 1, sizeof *d->over) < 0)
    return hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for the ends of tasks");
  d->over[d->over_count++] = (hc_ended){d->running[running].task, (uint32_t)how | held, wants};
  return 0;
}

hc_rc hc_doings_over(hc_doings *d, uint32_t running, hc_ended_how how)
{
  if (how == HC_ENDED_DONE && !hc_data_made(d, running)) {
    if (d->measure) hc_measure_items(d, running, true);
    return 0;
  }
  TRY(tell_later(d, running, how, 0));
  if (d->saves) hc_saves_over(d, running);
  forget(d, running, (uint32_t)how);
  return 0;
}

hc_rc hc_doings_stop(hc_doings *d, hc_time now, uint32_t task)
{
  d->now = now;
  for (size_t i = 0; i < d->over_count; i++) { /* it had ended, and was stopped before that was told */
    if (d->over[i].task != task || (d->over[i].how & ~HC_OVER_HELD) == HC_ENDED_POINT) continue;
    memmove(&d->over[i], &d->over[i + 1], (--d->over_count - i) * sizeof *d->over);
    return 0;
  }
  forget(d, d->of[task], HC_DID_STOP);
  return 0;
}

/* ---- scheduling points ---- */

void hc_doings_at_point(hc_doings *d, uint32_t act, int64_t wants)
{
  const uint32_t running = d->acts[act].running;
  if (d->passes_points) hc_doing_end(d, act, HC_ACT_OK);
  else if (d->running[running].point != HC_NO_ONE)
    (void)hc_doings_fail(d, running, HC_EINPUT,
                         "its profile is at two scheduling points at once: let them follow each other");
  else {
    d->running[running].point = act;
    (void)tell_later(d, running, HC_ENDED_POINT, wants);
  }
}

/* Other hosts are for a task that does nothing on those that it has. */
static hc_rc check_idle(hc_doings *d, uint32_t running)
{
  const hc_running *r = &d->running[running];
  if (d->contention.hosts)
    return hc_doings_fail(d, running, HC_EUNSUPPORTED,
                          "it has other hosts from a scheduling point on, and hosts are promised more than "
                          "once: leave out `overcommit`");
  if (r->executors)
    return hc_doings_fail(d, running, HC_EUNSUPPORTED,
                          "it has other hosts from a scheduling point on, and its executors share those that "
                          "it had: leave out `executors`");
  for (uint32_t at = r->acts; at != HC_NO_ONE; at = d->acts[at].after)
    if (d->acts[at].kind != HC_DOING_CHILD && d->acts[at].kind != HC_DOING_LIMIT &&
        d->acts[at].kind != HC_DOING_POINT && d->acts[at].kind != HC_DOING_SAVE)
      return hc_doings_fail(
          d, running, HC_EUNSUPPORTED,
          "it has other hosts from a scheduling point on, and something of it still goes on "
          "beside that point (additional_io, a profile parallel): let it end before");
  return 0;
}

/* What it has written stays, as the first place's. */
static void keep_leases(hc_doings *d, hc_place *to, const hc_place *gone)
{
  uint32_t last = gone->leases;
  if (last == HC_NO_ONE) return;
  while (d->storage.leases[last].next != HC_NO_ONE) last = d->storage.leases[last].next;
  d->storage.leases[last].next = to->leases;
  to->leases = gone->leases;
}

static const hc_process *process_on(const hc_activity *a, uint32_t host)
{
  for (size_t i = 0; i < a->process_count; i++)
    if (a->processes[i].host == host) return &a->processes[i];
  return NULL;
}

/* The places that it keeps, in their order, and then those that are new.
 * @param to [a->process_count] out, was [place_count] @return how many it keeps */
static uint32_t order_places(hc_doings *d, const hc_place *was, uint32_t count, const hc_activity *a,
                             hc_place *to)
{
  uint32_t kept = 0, n;
  for (uint32_t i = 0; i < count; i++) {
    const hc_process *p = process_on(a, was[i].host);
    if (!p) continue;
    to[kept] = place_at(d, a, (size_t)(p - a->processes));
    to[kept].leases = was[i].leases;
    to[kept++].is_released = was[i].is_released;
  }
  n = kept;
  for (size_t k = 0; k < a->process_count; k++) {
    uint32_t i = 0;
    while (i < kept && to[i].host != a->processes[k].host) i++;
    if (i == kept) to[n++] = place_at(d, a, k);
  }
  for (uint32_t i = 0; i < count; i++)
    if (!process_on(a, was[i].host)) keep_leases(d, &to[0], &was[i]);
  return kept;
}

static hc_rc other_places(hc_doings *d, hc_running *r, const hc_activity *a)
{
  const uint32_t n = (uint32_t)a->process_count, had = r->place_count;
  const bool had_many = r->places != NULL;
  hc_place *was = r->places, one = r->place;
  hc_meter *meters = r->meters;
  hc_place *to = hc_alloc(d->allocator, n * sizeof *to);
  hc_meter *clocks = n > 1 ? hc_alloc(d->allocator, n * sizeof *clocks) : NULL;
  if (!to || (n > 1 && !clocks)) {
    hc_free(d->allocator, to, n * sizeof *to);
    hc_free(d->allocator, clocks, n * sizeof *clocks);
    return HC_ENOMEM;
  }
  r->kept = order_places(d, had_many ? was : &one, had_many ? had : 1, a, to);
  hc_free(d->allocator, meters, had * sizeof *meters);
  hc_free(d->allocator, was, had * sizeof *was);
  r->meter = METER_NONE;
  r->places = NULL;
  r->meters = NULL;
  r->place = to[0];
  r->place_count = n;
  if (n == 1) {
    hc_free(d->allocator, to, n * sizeof *to);
    return 0;
  }
  for (uint32_t i = 0; i < n; i++) clocks[i] = METER_NONE;
  r->places = to;
  r->meters = clocks;
  return 0;
}

/* One clock serves them all. How many of them it keeps is not told: what they do is the same for all. */
static void other_slowest(hc_doings *d, hc_running *r, const hc_activity *a)
{
  const uint32_t leases = r->place.leases;
  r->place_count = (uint32_t)(a->processes ? a->process_count : (size_t)a->units);
  r->kept = HC_MIN(r->kept, r->place_count);
  (void)take_places(d, r, a);
  r->place.leases = leases;
}

static hc_rc other_hosts(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_running *r = &d->running[running];
  hc_error mine = {0};
  TRY(check_idle(d, running));
  r->kept = HC_MIN(r->place_count, (uint32_t)a->process_count);
  if (r->is_one) other_slowest(d, r, a);
  else if (!a->processes)
    return hc_doings_fail(d, running, HC_EUNSUPPORTED,
                          "it has other processors from a scheduling point on, and does something on each of "
                          "them: use a cell of hosts");
  else if (other_places(d, r, a) < 0) return hc_doings_fail(d, running, HC_ENOMEM, "no room for other hosts");
  if (r->values) take_sizes(r, a);
  if (d->measure) hc_measure_resize(d, running, a);
  const hc_rc rc = check_script(d, running, &mine);
  return rc < 0 ? hc_doings_fail(d, running, rc, "%s", mine.text[0] ? mine.text : hc_rc_text(rc)) : 0;
}

hc_rc hc_doings_go_on(hc_doings *d, hc_time now, uint32_t task, const hc_activity *a, hc_error *e)
{
  hc_running *r = &d->running[d->of[task]];
  const uint32_t point = r->point;
  d->now = now;
  HC_ASSERT(point != HC_NO_ONE);
  r->point = HC_NO_ONE;
  r->kept = r->place_count;
  if (a) (void)other_hosts(d, d->of[task], a);
  if (d->saves) hc_saves_point_over(d, d->of[task]);
  if (d->failed == 0) hc_doing_end(d, point, HC_ACT_OK);
  (void)hc_instances_go_on(d);
  return hc_doings_failed(d, e);
}

/* ---- it is suspended ---- */

static void pause_meter(hc_doings *d, hc_meter *l)
{
  hc_meter_settle(d, l);
  const uint32_t first = l->first;
  l->first = HC_NO_ONE; /* without one there is no event */
  hc_meter_time(d, l);
  l->first = first;
}

static void each_meter(hc_doings *d, hc_running *r, void (*each)(hc_doings *d, hc_meter *l))
{
  const uint32_t meters = r->meters ? r->place_count : 1;
  for (uint32_t i = 0; i < meters; i++) each(d, hc_meter_of(r, i));
}

static void go_on_meter(hc_doings *d, hc_meter *l)
{
  l->since = d->now;
  hc_meter_time(d, l);
}

/* What took no time was over when it began: it is told when its task goes on. */
static void hold_over(hc_doings *d, uint32_t task, bool is_held)
{
  for (size_t i = 0; i < d->over_count; i++)
    if (d->over[i].task == task)
      d->over[i].how = (d->over[i].how & ~HC_OVER_HELD) | (is_held ? HC_OVER_HELD : 0);
}

/* The first that may be told; over_count: none. */
static size_t first_over(const hc_doings *d)
{
  size_t i = 0;
  while (i < d->over_count && (d->over[i].how & HC_OVER_HELD)) i++;
  return i;
}

void hc_doings_pause(hc_doings *d, uint32_t running, bool is_paused)
{
  hc_running *r = &d->running[running];
  if (is_paused) r->worked += d->now - r->since;
  r->since = is_paused ? HC_NEVER : d->now;
  if (d->measure) hc_measure_suspend(d, running, is_paused);
  each_meter(d, r, is_paused ? pause_meter : go_on_meter);
  hc_contention_changed(d, running);
  for (uint32_t at = r->acts; at != HC_NO_ONE; at = d->acts[at].after)
    if (is_paused) hc_doing_pause(d, at);
    else hc_doing_resume(d, at);
}

hc_rc hc_doings_suspend(hc_doings *d, hc_time now, uint32_t task, bool is_suspended, hc_error *e)
{
  d->now = now;
  hold_over(d, task, is_suspended); /* or it is at a scheduling point, and that is not told yet */
  if (d->of[task] == HC_NO_ONE) return 0;
  hc_running *r = &d->running[d->of[task]];
  if (d->saves && hc_saves_suspend(d, d->of[task], is_suspended)) return hc_doings_failed(d, e);
  if (is_suspended == (r->since == HC_NEVER)) return 0;
  hc_doings_pause(d, d->of[task], is_suspended);
  if (!is_suspended && r->stage == HC_STAGE_READY) {
    hc_doings_go(d, d->of[task]);
    (void)hc_instances_go_on(d);
  }
  return hc_doings_failed(d, e);
}

hc_time hc_doings_worked(const hc_doings *d, hc_time now, uint32_t task)
{
  if (d->of[task] == HC_NO_ONE) return 0; /* it took no time */
  const hc_running *r = &d->running[d->of[task]];
  const hc_time worked = r->since == HC_NEVER ? r->worked : r->worked + (now - r->since);
  if (r->script == HC_NO_SCRIPT && d->contention.hosts) {
    const hc_meter *l = r->meters ? r->meters : &r->meter;
    const double since = r->since == HC_NEVER ? 0 : (double)(now - l->since);
    return (hc_time)HC_MIN(l->at + since * l->share, r->length);
  }
  if (r->script != HC_NO_SCRIPT || r->place.rate == 1) return worked;
  return (hc_time)((double)worked * r->place.rate); /* of its length, which is at speed 1 */
}

/* ---- time ---- */

hc_time hc_doings_next(hc_doings *d)
{
  hc_event next;
  hc_time at = hc_flows_next(d);
  if (d->measure) hc_busy_rates(d);
  at = HC_MIN(at, hc_storage_next(d));
  if (d->failed < 0 || first_over(d) < d->over_count || d->contention.dirty_count > 0) return d->now;
  return hc_queue_peek(d->clock, &next) ? HC_MIN(at, next.time) : at;
}

static hc_rc step(hc_doings *d)
{
  if (d->steps_at != d->now) d->steps = 0;
  d->steps_at = d->now;
  if (++d->steps <= STEPS_MOST) return 0;
  return hc_doings_fail(
      d, HC_NO_ONE, HC_ELIVELOCK,
      "%u steps of profiles at one time, and still something happens: one that repeats what "
      "takes no time does this",
      STEPS_MOST);
}

hc_rc hc_doings_advance(hc_doings *d, hc_time now, hc_ended *out, hc_error *e)
{
  hc_event next;
  size_t told;
  d->now = now;
  while (d->failed == 0 && first_over(d) == d->over_count) {
    if (hc_queue_pop_due(d->clock, now, HC_PHASE_END, HC_PHASE_END, &next)) {
      hc_doing_due(d, next.payload);
    } else if (hc_flows_due(d) == 0 && hc_storage_due(d) == 0) {
      if (hc_queue_pop_due(d->clock, now, HC_PHASE_TIMER, HC_PHASE_TIMER, &next))
        hc_doing_due(d, next.payload);
      else if (!hc_contention_due(d)) break;
    }
    (void)hc_instances_go_on(d);
    (void)step(d);
  }
  if (d->failed < 0) *out = (hc_ended){.task = d->failed_task};
  if (d->failed < 0) return hc_doings_failed(d, e);
  told = first_over(d);
  if (told == d->over_count) return 0;
  *out = d->over[told];
  memmove(d->over + told, d->over + told + 1, (--d->over_count - told) * sizeof *d->over);
  return 1;
}

/* ---- alone ---- */

/* The same task on the same places, of which nothing is used. */
static hc_rc repeat(hc_doings *d, const hc_doings *of, uint32_t running, uint32_t *out)
{
  const hc_running *was = &of->running[running];
  const hc_script *s = &of->scripts.items[was->script];
  hc_running *r;
  if (d->of_cap == 0) TRY(grow_of(d, 0));
  TRY(place_running(d, out));
  r = &d->running[*out];
  *r = (hc_running){.serial = was->serial,
                    .since = d->now,
                    .meter = METER_NONE,
                    .place = was->place,
                    .id = was->id,
                    .task = 0,
                    .root = HC_NO_ONE,
                    .script = HC_NO_SCRIPT,
                    .acts = HC_NO_ONE,
                    .makes = HC_NO_ONE,
                    .point = HC_NO_ONE,
                    .stage = HC_STAGE_DOING,
                    .place_count = was->place_count,
                    .is_one = was->is_one};
  d->of[0] = *out;
  r->place.leases = r->place.resident = HC_NO_ONE;
  r->place.is_released = 0;
  if (was->values) {
    r->values = hc_alloc(d->allocator, HC_VARIABLES * sizeof *r->values);
    if (!r->values) return HC_ENOMEM;
    memcpy(r->values, was->values, HC_VARIABLES * sizeof *r->values);
  }
  if (was->executors) {
    r->executors = hc_alloc(d->allocator, was->executor_count * sizeof *r->executors);
    if (!r->executors) return HC_ENOMEM;
    memcpy(r->executors, was->executors, was->executor_count * sizeof *r->executors);
    r->executor_count = was->executor_count;
  }
  TRY(hc_scripts_take(&d->scripts, d->book, s->text, s->size, &r->script, NULL));
  if (was->meters) {
    r->meters = hc_alloc(d->allocator, r->place_count * sizeof *r->meters);
    r->places = hc_alloc(d->allocator, r->place_count * sizeof *r->places);
    if (!r->meters || !r->places) return HC_ENOMEM;
    for (uint32_t i = 0; i < r->place_count; i++) {
      r->meters[i] = METER_NONE;
      r->places[i] =
          (hc_place){.host = was->places[i].host, .rate = was->places[i].rate, .leases = HC_NO_ONE};
    }
  }
  r->root = hc_instance_new(d, *out, HC_NO_ONE, 0, 0);
  return hc_instances_go_on(d);
}

hc_rc hc_doings_alone(hc_doings *d, const hc_doings *of, uint32_t running, hc_time *length)
{
  const hc_time began = d->now;
  hc_ended ended = {0};
  hc_error ignored = {0};
  uint32_t at;
  hc_rc rc = repeat(d, of, running, &at);
  *length = HC_UNKNOWN;
  for (uint32_t steps = 0; rc == 0 && steps < ALONE_STEPS; steps++) {
    const hc_time next = hc_doings_next(d);
    if (next == HC_NEVER || d->failed < 0) break;
    rc = hc_doings_advance(d, next, &ended, &ignored);
  }
  if (rc < 0 || d->failed < 0) return HC_EINPUT;
  if (rc == 0) return hc_doings_stop(d, d->now, 0);
  if (ended.how == HC_ENDED_DONE) *length = d->now - began;
  return 0;
}

/* ---- state ---- */

/* A task's places and meters, and the text of its script, which is read again. */
static hc_rc visit_running(hc_doings *d, hc_running *r, hc_visitor *v)
{
  hc_running head = *r;
  uint64_t has[5] = {r->meters != NULL, r->script != HC_NO_SCRIPT ? d->scripts.items[r->script].size : 0,
                     r->uses ? r->use_count : 0, r->executors ? r->executor_count : 0, r->values != NULL};
  head.executors = NULL;
  head.uses = NULL;
  head.values = NULL;
  head.meters = NULL;
  head.places = NULL;
  head.script = HC_NO_SCRIPT;
  HC_VISIT(v, head);
  HC_VISIT(v, has);
  if (hc_visit_loading(v)) {
    *r = head;
    if (has[0]) {
      r->meters = hc_alloc(d->allocator, r->place_count * sizeof *r->meters);
      r->places = hc_alloc(d->allocator, r->place_count * sizeof *r->places);
      if (!r->meters || !r->places) return HC_ENOMEM;
    }
  }
  if (has[4] && hc_visit_loading(v)) {
    r->values = hc_alloc(d->allocator, HC_VARIABLES * sizeof *r->values);
    if (!r->values) return HC_ENOMEM;
  }
  if (has[4]) TRY(hc_visit_bytes(v, r->values, HC_VARIABLES * sizeof *r->values));
  if (has[0]) {
    TRY(hc_visit_bytes(v, r->meters, r->place_count * sizeof *r->meters));
    TRY(hc_visit_bytes(v, r->places, r->place_count * sizeof *r->places));
  }
  if (has[2] > 0 && hc_visit_loading(v)) {
    if (has[2] > v->left) return HC_EINPUT;
    r->uses = hc_alloc(d->allocator, (size_t)has[2] * sizeof *r->uses);
    if (!r->uses) return HC_ENOMEM;
  }
  if (has[2] > 0) TRY(hc_visit_bytes(v, r->uses, (size_t)has[2] * sizeof *r->uses));
  if (has[3] > 0 && hc_visit_loading(v)) {
    if (has[3] > v->left) return HC_EINPUT;
    r->executors = hc_alloc(d->allocator, (size_t)has[3] * sizeof *r->executors);
    if (!r->executors) return HC_ENOMEM;
  }
  if (has[3] > 0) TRY(hc_visit_bytes(v, r->executors, (size_t)has[3] * sizeof *r->executors));
  if (has[1] == 0) return 0;
  if (!hc_visit_loading(v))
    return hc_visit_bytes(v, (void *)(uintptr_t)d->scripts.items[r->script].text, (size_t)has[1]);
  if (has[1] > HC_PROFILE_TEXT) return HC_EINPUT;
  char *text = hc_alloc(d->allocator, (size_t)has[1]);
  if (!text) return HC_ENOMEM;
  hc_rc rc = hc_visit_bytes(v, text, (size_t)has[1]);
  if (rc == 0) rc = hc_scripts_take(&d->scripts, d->book, text, (size_t)has[1], &r->script, NULL);
  hc_free(d->allocator, text, (size_t)has[1]);
  return rc;
}

static hc_rc visit_all_running(hc_doings *d, hc_visitor *v)
{
  uint64_t count = d->running_count;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > v->left) return HC_EINPUT;
    TRY(hc_reserve(d->allocator, (void **)&d->running, &d->running_cap, (size_t)count, sizeof *d->running));
    d->running_count = (size_t)count;
    for (size_t i = 0; i < count; i++) d->running[i] = free_place;
  }
  for (size_t i = 0; i < d->running_count; i++) TRY(visit_running(d, &d->running[i], v));
  HC_VISIT(v, d->vacant_running);
  return 0;
}

hc_rc hc_doings_visit(hc_doings *d, hc_visitor *v)
{
  size_t of = d->of_cap, events = d->act_count;
  HC_ASSERT(d->ready_count == 0);
  HC_VISIT(v, d->now);
  HC_VISIT(v, d->born);
  HC_VISIT(v, d->begun);
  TRY(visit_all_running(d, v));
  if (v->mode != HC_VISIT_HASH) TRY(hc_visit_array(v, (void **)&d->of, &of, &d->of_cap, sizeof *d->of));
  HC_VISIT_ARRAY(v, d->acts, d->act_count, d->act_cap);
  HC_VISIT_ARRAY(v, d->instances, d->instance_count, d->instance_cap);
  HC_VISIT(v, d->vacant_act);
  HC_VISIT(v, d->vacant_instance);
  HC_VISIT_ARRAY(v, d->over, d->over_count, d->over_cap);
  if (v->mode != HC_VISIT_HASH)
    TRY(hc_visit_array(v, (void **)&d->events, &events, &d->event_cap, sizeof *d->events));
  for (size_t i = of; i < d->of_cap; i++) d->of[i] = HC_NO_ONE;
  TRY(hc_queue_visit(d->clock, v));
  TRY(hc_contention_visit(d, v));
  TRY(hc_flows_visit(d, v));
  TRY(hc_storage_visit(d, v));
  TRY(hc_saves_visit(d, v));
  return hc_data_visit(d, v);
}
