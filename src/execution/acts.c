/* acts.c -- activities of running tasks: their beginning, their end, and the clocks between.
 *
 * Sleeps, limits and time-outs are events of one clock. A computation stands in the meter of its process, of
 * which the first one only has an event, made anew whenever the meter changes: so computations that are alone
 * cost what a sleep costs, and n at once O(n) at their start where works differ. Flows are flows.c's.
 *
 * Work is kept as ns that it would take alone, in doubles. A computation ends at the first whole ns at
 * which its work is done; work of which less than 10^-4 ns and 4 x 10^-15 of it is missing is done, so that
 * sums that are whole in a hand's arithmetic end where the hand has them.
 *
 * A task's activities are one chain, so that it can be stopped and suspended at a cost that goes with what it
 * does. No call here runs a profile: ends are put where instances.c finds them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "execution/measure.h"
#include "execution/saves.h"

hc_rc hc_doings_fail(hc_doings *d, uint32_t running, hc_rc rc, const char *format, ...)
{
  char text[512];
  va_list args;
  if (d->failed < 0) return d->failed;
  d->failed = rc;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  d->failed_task = running != HC_NO_ONE ? d->running[running].task : HC_NO_ONE;
  return hc_fail(&d->error, rc, "execution", 0, 0, "%s", text);
}

/* ---- places ---- */

static uint32_t place_for(hc_doings *d)
{
  uint32_t at = d->vacant_act;
  if (at != HC_NO_ONE) {
    d->vacant_act = d->acts[at].after;
    return at;
  }
  if (hc_reserve(d->allocator, (void **)&d->acts, &d->act_cap, d->act_count + 1, sizeof *d->acts) < 0 ||
      hc_reserve(d->allocator, (void **)&d->events, &d->event_cap, d->act_count + 1, sizeof *d->events) < 0) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for another activity");
    return HC_NO_ONE;
  }
  return (uint32_t)d->act_count++;
}

uint32_t hc_doing_new(hc_doings *d, uint32_t running, uint32_t owner, hc_doing_kind kind, uint32_t tag)
{
  hc_running *r = &d->running[running];
  uint32_t at;
  if (d->failed < 0) return HC_NO_ONE;
  if ((int64_t)r->act_count >= d->most) {
    (void)hc_doings_fail(d, running, HC_ELIMIT,
                         "its profile does more than %lld things at once: let it do less, or raise "
                         "execution.max_activities",
                         (long long)d->most);
    return HC_NO_ONE;
  }
  at = place_for(d);
  if (at == HC_NO_ONE) return at;
  d->events[at] = HC_NO_EVENT;
  d->acts[at] = (hc_doing){.born = ++d->born,
                           .at = HC_NEVER,
                           .running = running,
                           .owner = owner,
                           .before = HC_NO_ONE,
                           .after = r->acts,
                           .meter = HC_NO_ONE,
                           .meter_before = HC_NO_ONE,
                           .meter_after = HC_NO_ONE,
                           .tag = tag,
                           .of = HC_NO_ONE,
                           .kind = kind,
                           .spread = HC_NO_ONE,
                           .disk = HC_NO_DISK};
  if (r->acts != HC_NO_ONE) d->acts[r->acts].before = at;
  r->acts = at;
  r->act_count++;
  if (d->saves && hc_saves_number(d, at) < 0)
    (void)hc_doings_fail(d, running, HC_ENOMEM, "no room for what a task with checkpoints does");
  if (d->measure) hc_measure_going(d, &d->acts[at], true);
  return at;
}

static void give_back(hc_doings *d, uint32_t act)
{
  hc_doing *x = &d->acts[act];
  hc_running *r = &d->running[x->running];
  if (d->measure) hc_measure_act_over(d, act);
  if (d->measure) hc_measure_going(d, x, false);
  if (x->before != HC_NO_ONE) d->acts[x->before].after = x->after;
  else r->acts = x->after;
  if (x->after != HC_NO_ONE) d->acts[x->after].before = x->before;
  r->act_count--;
  *x = (hc_doing){.after = d->vacant_act};
  d->vacant_act = act;
}

/* ---- the clock ---- */

/* Limits, time-outs and checkpoints come after what ends at the same time. */
static hc_phase phase_of(const hc_doing *x)
{
  return x->kind == HC_DOING_LIMIT || x->kind == HC_DOING_TIMEOUT || x->kind == HC_DOING_SAVE
             ? HC_PHASE_TIMER
             : HC_PHASE_END;
}

static void set_event(hc_doings *d, uint32_t act, hc_time at)
{
  hc_doing *x = &d->acts[act];
  hc_event due = {at, x->born, phase_of(x), act};
  if (x->at == at) return;
  if (d->events[act] != HC_NO_EVENT) hc_queue_cancel(d->clock, d->events[act]);
  d->events[act] = HC_NO_EVENT;
  x->at = at;
  if (at != HC_NEVER && hc_queue_push(d->clock, &due, &d->events[act]) < 0)
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for another event");
}

void hc_doing_time(hc_doings *d, uint32_t act, hc_time length)
{
  if (act != HC_NO_ONE) set_event(d, act, hc_time_add(d->now, HC_MAX(length, 0)));
}

/* ---- meters ---- */

void hc_meter_settle(hc_doings *d, hc_meter *l)
{
  if (l->count > 0) l->at += (double)(d->now - l->since) * l->share / l->count;
  l->since = d->now;
}

/* A length in ns as a whole number of them: up, but for what is no more than rounding. */
static hc_time whole(double x)
{
  if (!(x < 9e18)) return HC_NEVER;
  if (x <= 0) return 0;
  const hc_time t = (hc_time)x;
  return x - (double)t > 1e-4 + x * 4e-15 ? t + 1 : t;
}

void hc_meter_time(hc_doings *d, hc_meter *l)
{
  if (l->timed != HC_NO_ONE && l->timed != l->first) set_event(d, l->timed, HC_NEVER);
  l->timed = l->first;
  if (l->first == HC_NO_ONE) return;
  set_event(d, l->first,
            hc_time_add(d->now, whole((d->acts[l->first].done_at - l->at) * l->count / l->share)));
}

static void into_meter(hc_doings *d, hc_meter *l, uint32_t act)
{
  hc_doing *x = &d->acts[act];
  uint32_t after = l->last; /* the last one that is done no later */
  while (after != HC_NO_ONE && d->acts[after].done_at > x->done_at) after = d->acts[after].meter_before;
  x->meter_before = after;
  x->meter_after = after == HC_NO_ONE ? l->first : d->acts[after].meter_after;
  if (x->meter_before != HC_NO_ONE) d->acts[x->meter_before].meter_after = act;
  else l->first = act;
  if (x->meter_after != HC_NO_ONE) d->acts[x->meter_after].meter_before = act;
  else l->last = act;
  if (l->count++ == 0) hc_contention_busy(d, x->running, x->meter, true);
}

static void out_of_meter(hc_doings *d, uint32_t act)
{
  hc_doing *x = &d->acts[act];
  hc_meter *l = hc_meter_of(&d->running[x->running], x->meter);
  hc_meter_settle(d, l);
  set_event(d, act, HC_NEVER);
  if (l->timed == act) l->timed = HC_NO_ONE;
  if (x->meter_before != HC_NO_ONE) d->acts[x->meter_before].meter_after = x->meter_after;
  else l->first = x->meter_after;
  if (x->meter_after != HC_NO_ONE) d->acts[x->meter_after].meter_before = x->meter_before;
  else l->last = x->meter_before;
  if (--l->count == 0) {
    l->at = 0;
    hc_contention_busy(d, x->running, x->meter, false);
    if (d->measure) hc_measure_meter(d, x->running, x->meter, false);
  }
  hc_meter_time(d, l);
}

void hc_doing_until(hc_doings *d, uint32_t act, double at)
{
  hc_doing *x = &d->acts[act];
  hc_meter *l = hc_meter_of(&d->running[x->running], 0);
  hc_meter_settle(d, l);
  x->done_at = at;
  if (x->meter == HC_NO_ONE) {
    x->meter = 0;
    into_meter(d, l, act);
  }
  hc_meter_time(d, l);
}

void hc_doing_compute(hc_doings *d, uint32_t act, uint32_t meter, double work)
{
  if (act == HC_NO_ONE) return;
  hc_doing *x = &d->acts[act];
  hc_running *r = &d->running[x->running];
  hc_meter *l = hc_meter_of(r, meter);
  const double rate = r->is_one ? r->place.rate : hc_place_of(r, meter)->rate;
  if (work > 0 && !(rate > 0)) {
    (void)hc_doings_fail(
        d, x->running, HC_EINPUT,
        "its profile computes on process %u, which has no cores, or a host of speed 0: ask for "
        "some (cpu_per_node)",
        meter);
    return;
  }
  hc_meter_settle(d, l);
  x->meter = meter;
  x->done_at = l->at + (work > 0 ? work / rate : 0);
  into_meter(d, l, act);
  if (d->measure) hc_measure_act(d, act, &(hc_measured_act){.kinds = HC_DOES_COMPUTE});
  if (l->count == 1 && d->measure) hc_measure_meter(d, x->running, meter, true);
  hc_meter_time(d, l);
}

/* ---- ends ---- */

/* Out of the chain of members of what it is a part of. */
static void leave_spread(hc_doings *d, uint32_t act)
{
  const hc_doing *x = &d->acts[act];
  if (x->meter_before != HC_NO_ONE) d->acts[x->meter_before].meter_after = x->meter_after;
  else d->acts[x->spread].meter_after = x->meter_after;
  if (x->meter_after != HC_NO_ONE) d->acts[x->meter_after].meter_before = x->meter_before;
}

static void drop_members(hc_doings *d, uint32_t spread)
{
  while (d->acts[spread].meter_after != HC_NO_ONE) hc_doing_drop(d, d->acts[spread].meter_after);
}

/* Out of whatever it is in. */
static void leave(hc_doings *d, uint32_t act)
{
  const hc_doing *x = &d->acts[act];
  if (x->spread != HC_NO_ONE) leave_spread(d, act);
  if (x->kind == HC_DOING_SPREAD) drop_members(d, act);
  if (x->kind == HC_DOING_COMPUTE && x->meter != HC_NO_ONE) out_of_meter(d, act);
  else if (x->kind == HC_DOING_FLOW) hc_flow_stop(d, act);
  else if (x->kind == HC_DOING_DISK || x->kind == HC_DOING_FILE) hc_storage_stop(d, act);
  set_event(d, act, HC_NEVER);
}

/* A member of a computation on each process is done: with the last one all of it is. */
static void member_done(hc_doings *d, uint32_t group)
{
  if (--d->acts[group].of == 0) hc_doing_end(d, group, HC_ACT_OK);
}

/* The same of a read or a write on several disks; one that does not end well ends all of it. */
static void part_done(hc_doings *d, uint32_t spread, hc_act_end how)
{
  if (how != HC_ACT_OK) hc_doing_end(d, spread, how);
  else if (--d->acts[spread].of == 0) hc_doing_end(d, spread, HC_ACT_OK);
}

void hc_doing_member(hc_doings *d, uint32_t act, uint32_t spread)
{
  hc_doing *x = &d->acts[act], *s = &d->acts[spread];
  x->spread = spread;
  x->meter_after = s->meter_after;
  if (s->meter_after != HC_NO_ONE) d->acts[s->meter_after].meter_before = act;
  s->meter_after = act;
}

void hc_doing_end(hc_doings *d, uint32_t act, hc_act_end how)
{
  const hc_doing x = d->acts[act];
  const hc_act name = hc_act_name(d, act);
  if (d->measure) hc_labelled_act(d, act);
  leave(d, act);
  give_back(d, act);
  if (x.running == d->data.carrier) {
    hc_data_arrived(d, x.tag);
    return;
  }
  if (x.kind == HC_DOING_COMPUTE && x.of != HC_NO_ONE) {
    member_done(d, x.of);
    return;
  }
  if (x.spread != HC_NO_ONE) {
    part_done(d, x.spread, how);
    return;
  }
  if (x.owner == HC_SAVER) {
    hc_saves_done(d, x.running, how);
    return;
  }
  if (x.owner != HC_NO_ONE) {
    hc_instance_tell(d, &(hc_ready){.born = d->instances[x.owner].born,
                                    .act = name,
                                    .instance = x.owner,
                                    .tag = x.tag,
                                    .how = how,
                                    .ordinal = d->saves ? d->saves->ordinals[act].ordinal : 0});
    return;
  }
  (void)hc_doings_over(d, x.running, how == HC_ACT_OK ? HC_ENDED_DONE : HC_ENDED_FAILED);
}

static void drop_group(hc_doings *d, uint32_t group)
{
  const uint32_t running = d->acts[group].running;
  for (uint32_t at = d->running[running].acts, next; at != HC_NO_ONE; at = next) {
    next = d->acts[at].after;
    if (d->acts[at].kind == HC_DOING_COMPUTE && d->acts[at].of == group) hc_doing_drop(d, at);
  }
}

/* What a child has started goes with it; nesting is bounded where profiles are read. */
void hc_doing_drop(hc_doings *d, uint32_t act)
{
  if (d->acts[act].kind == HC_DOING_CHILD) hc_instance_drop(d, d->acts[act].of);
  if (d->acts[act].kind == HC_DOING_GROUP) drop_group(d, act);
  leave(d, act);
  give_back(d, act);
}

/* Does its task come to its limit now? */
static bool is_at_limit(const hc_doings *d, uint32_t running)
{
  for (uint32_t at = d->running[running].acts; at != HC_NO_ONE; at = d->acts[at].after)
    if (d->acts[at].kind == HC_DOING_LIMIT) return d->acts[at].at == d->now;
  return false;
}

void hc_doing_due(hc_doings *d, uint32_t act)
{
  const hc_doing x = d->acts[act];
  d->events[act] = HC_NO_EVENT;
  d->acts[act].at = HC_NEVER;
  if (x.kind == HC_DOING_SLEEP && d->delays_end_late && x.owner != HC_SAVER && is_at_limit(d, x.running))
    return;
  switch ((hc_doing_kind)x.kind) {
    case HC_DOING_COMPUTE:
      if (hc_contention_goes_on(d, act)) return;
      hc_doing_end(d, act, HC_ACT_OK);
      return;
    case HC_DOING_SLEEP:
    case HC_DOING_GPUS: hc_doing_end(d, act, HC_ACT_OK); return;
    case HC_DOING_LIMIT: (void)hc_doings_over(d, x.running, HC_ENDED_LIMIT); return;
    case HC_DOING_SAVE: hc_saves_due(d, act); return;
    case HC_DOING_TIMEOUT:
      give_back(d, act);
      d->instances[x.owner].timer = HC_NO_ONE;
      hc_instance_tell(
          d, &(hc_ready){.born = d->instances[x.owner].born, .instance = x.owner, .how = HC_ACT_TIMED_OUT});
      return;
    case HC_DOING_NOTHING:
    case HC_DOING_FLOW:
    case HC_DOING_DISK:
    case HC_DOING_FILE:
    case HC_DOING_SPREAD:
    case HC_DOING_CHILD:
    case HC_DOING_POINT:
    case HC_DOING_GROUP: break;
  }
}

/* ---- suspension: what is left until an event is kept in place of its time ---- */

void hc_doing_pause(hc_doings *d, uint32_t act)
{
  const hc_doing *x = &d->acts[act];
  const hc_time at = x->at;
  if (x->kind == HC_DOING_FLOW) hc_flow_pause(d, act, true);
  if (x->kind == HC_DOING_DISK || x->kind == HC_DOING_FILE) hc_storage_pause(d, act, true);
  if (x->kind == HC_DOING_COMPUTE || at == HC_NEVER) return; /* its meter has the event */
  set_event(d, act, HC_NEVER);
  d->acts[act].at = at - d->now;
}

void hc_doing_resume(hc_doings *d, uint32_t act)
{
  hc_doing *x = &d->acts[act];
  const hc_time left = x->at;
  if (x->kind == HC_DOING_FLOW) hc_flow_pause(d, act, false);
  if (x->kind == HC_DOING_DISK || x->kind == HC_DOING_FILE) hc_storage_pause(d, act, false);
  if (x->kind == HC_DOING_COMPUTE || left == HC_NEVER) return;
  x->at = HC_NEVER;
  hc_doing_time(d, act, left);
}
