/* run.c -- a run: born from a configuration, carried through its instants, closed.
 *
 * An instant is one or more rounds. In a round, what ends at this time ends, hosts change, what arrives
 * arrives, timers fire, and then the architecture decides; whatever that makes happen at the same time
 * belongs to the next round. Sampling and integrals look once, when the instant closes. Sources are read
 * one task ahead, so that a run holds the tasks that wait or run and no others. docs/time.md says why. */
#include <inttypes.h>
#include <string.h>

#include "architecture/acts.h"
#include "base/blame.h"
#include "base/numbers.h"
#include "base/threads.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/arrivals.h"
#include "engine/changes.h"
#include "engine/checkpoints.h"
#include "engine/choose.h"
#include "engine/closed.h"
#include "engine/combine.h"
#include "engine/conflicts.h"
#include "engine/deferred.h"
#include "engine/demand.h"
#include "engine/dependencies.h"
#include "engine/ends.h"
#include "engine/event.h"
#include "engine/explain.h"
#include "engine/fair.h"
#include "engine/host_events.h"
#include "engine/life.h"
#include "engine/load.h"
#include "engine/measures.h"
#include "engine/model.h"
#include "engine/moldable.h"
#include "engine/names.h"
#include "engine/news.h"
#include "engine/observe.h"
#include "engine/outside.h"
#include "engine/overcommit.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/power.h"
#include "engine/pstates.h"
#include "engine/predict.h"
#include "engine/queues.h"
#include "engine/rates.h"
#include "engine/rejected.h"
#include "engine/replay.h"
#include "engine/reservations.h"
#include "engine/resizing.h"
#include "engine/run.h"
#include "engine/services.h"
#include "engine/shrink.h"
#include "engine/signals.h"
#include "engine/slowdowns.h"
#include "engine/tasks.h"
#include "engine/topology.h"
#include "engine/undeclared.h"
#include "engine/work.h"
#include "setup/calendar.h"
#include "setup/config.h"
#include "setup/inputs.h"
#include "workload/ledger.h"

/* ---- arrivals ---- */

/* Does it have what only some tasks have, or does any part hear of it? */
static hc_rc tell_parts(hc_engine *e, hc_task id, const hc_arrival *a, hc_error *error)
{
  const hc_task_extras *m = a->spec.more != 0 ? hc_lexicon_more(e->lexicon, a->spec.more) : NULL;
  e->counters.host_counts += m && (m->least_hosts > 0 || m->most_hosts > 0);
  e->counters.at_once += m && m->at_once > 0;
  e->counters.terms += m && hc_task_has_terms(m);
  e->counters.several_sets += m && m->set_count > 0;
  if (m && m->chunk_count > 0 && (e->policy_flags & HC_KEEPS_TERMS))
    return hc_fail(
        error, HC_EUNSUPPORTED, "source", hc_line_number(a->spec.line), 0,
        "task %" PRId64
        " has unequal parts, which the policy slurm deals out to no hosts, so that it would wait for "
        "ever: give it equal ones, or leave it out (--where)",
        a->spec.id);
  hc_notice n = {.kind = HC_ON_EXTRAS, .task = id, .arrival = a, .error = error};
  if (a->spec.more != 0) TRY(hc_notify(e, &n));
  n.kind = HC_ON_ARRIVED;
  return hc_notify(e, &n);
}

static hc_rc arrive(hc_engine *e, hc_error *error)
{
  const hc_arrival *a = e->next;
  const hc_time cancel_at = a->spec.cancel_at;
  hc_task id;
  hc_rc rc = hc_tasks_add(e, a, &id);
  if (rc < 0) return hc_fail(error, rc, "engine", 0, 0, "no room for another task: %s", hc_rc_text(rc));
  if (e->options->checkpoint.type) TRY(hc_checkpoints_add(e, id, error));
  if (hc_namer_concerns(&e->names, &a->spec))
    TRY(hc_names_met(e, hc_live_of(e, id)->serial, &a->spec, error));
  if (e->counters.first_submit == HC_UNKNOWN) e->counters.first_submit = a->spec.submit;
  e->counters.last_submit = a->spec.submit;
  e->counters.submitted++;
  if (a->spec.status != HC_STATUS_COMPLETED) e->counters.recorded[hc_spec_recorded(&a->spec)]++;
  if (cancel_at != HC_NEVER && cancel_at != HC_UNKNOWN) TRY(hc_life_expect_withdrawal(e, id, cancel_at));
  e->has_arrival = false;
  if (a->spec.more != 0 || hc_hears(e, HC_ON_ARRIVED)) rc = tell_parts(e, id, a, error);
  if (a->spec.more != 0 && e->cell.hosts) hc_demand_settle(e, id);
  return rc != 0 ? HC_MIN(rc, 0) : hc_life_eligible(e, id, error);
}

static hc_rc all_arrivals(hc_engine *e, hc_error *error)
{
  for (;;) {
    TRY(hc_arrivals_pull(e, error));
    if (!e->has_arrival || e->next->spec.submit > e->now) break;
    TRY(arrive(e, error));
  }
  TRY(hc_notify(e, &(hc_notice){.kind = HC_ON_ARRIVALS, .error = error}));
  return hc_signal_gathered(e, error);
}

/* ---- events ---- */

static hc_rc livelock(hc_engine *e, hc_error *error)
{
  char when[32];
  hc_format_seconds(e->now, when);
  return hc_fail(
      error, HC_ELIVELOCK, e->options->architecture.type->name, 0, 0,
      "%" PRId64 " rounds at t=%s s and still something happens; the last of %" PRIu64
      " tasks to start did so then. A policy that wakes itself at once, or tasks of zero length that call "
      "each other, do this; `max_rounds` is the bound",
      e->options->max_rounds, when, e->counters.started);
}

/* Tasks that end together lie anywhere in memory: those that come a few events from now are fetched
   meanwhile. */
static inline void fetch_ahead(const hc_engine *e)
{
  const hc_tasks *ts = &e->tasks;
  uint32_t payload;
  if (!hc_queue_ahead(e->events, 12, &payload)) return;
  payload &= HC_WHO_MOST;
  if (payload >= ts->count) return;
  __builtin_prefetch(&ts->live[payload]);
  __builtin_prefetch(&ts->identities[payload]);
  if (ts->need) __builtin_prefetch(&ts->need[(size_t)payload * ts->dimensions]);
}

/* All events of this instant in the phases from `first` to `last`. @return 1: one of them wants a plan from
 * outside */
static hc_rc all_events(hc_engine *e, hc_phase first, hc_phase last, hc_error *error)
{
  hc_event next;
  int64_t wakes = 0;
  while (hc_queue_pop_due(e->events, e->now, first, last, &next)) {
    const hc_event_type *type = e->event_types[hc_event_slot(&next)];
    if (type->is_wake && ++wakes > e->options->max_rounds)
      return livelock(e, error); /* a timer that sets the next one */
    fetch_ahead(e);
    const hc_rc rc = type->deliver(e, hc_event_who(&next), hc_event_order(&next), error);
    if (rc < 0 || (rc > 0 && e->outside.state == HC_OUTSIDE_ASKED)) return rc;
  }
  return hc_signal_gathered(e, error);
}

/* ---- an instant ---- */

static bool more_now(hc_engine *e)
{
  hc_event next;
  if (e->has_arrival && e->next->spec.submit <= e->now) return true;
  if (hc_parts_pending(e)) return true;
  return hc_queue_due(e->events, e->now, &next);
}

/* A plan is wanted: the round stops in its events, or where it decides. */
static hc_rc stop_in(hc_engine *e, bool in_events)
{
  e->outside.in_events = in_events;
  return 1;
}

static hc_rc end_round(hc_engine *e, hc_rc rc, hc_error *error)
{
  if (rc != 0) return rc < 0 ? rc : stop_in(e, false);
  if (e->model) TRY(hc_model_arm(e));
  return hc_signal_gathered(e, error); /* what a rejection let go */
}

static hc_rc timers_and_decisions(hc_engine *e, hc_error *error)
{
  const hc_rc rc = all_events(e, HC_PHASE_TIMER, HC_PHASE_TIMER, error);
  if (rc != 0) return rc < 0 ? rc : stop_in(e, true);
  return end_round(e, e->architecture_type->decide(e->architecture, error), error);
}

/* @return 0, 1: a plan is wanted, and the rest of it is rest_of_round's; or an error */
static hc_rc one_round(hc_engine *e, hc_error *error)
{
  const hc_signal changed = {.what = HC_WHY_CELL, .task = HC_NO_TASK};
  hc_rc rc;
  if (e->options->due_ends_first || (e->forecasts && !e->model)) TRY(hc_ends_due(e, error));
  if (e->options->instant_order == HC_ARRIVALS_FIRST) TRY(all_arrivals(e, error));
  TRY(all_events(e, HC_PHASE_END, HC_PHASE_CELL, error));
  TRY(rc = hc_notify(e, &(hc_notice){.kind = HC_ON_FREED, .error = error}));
  if (rc > 0) TRY(hc_signal_send(e, &changed, error));
  TRY(all_arrivals(e, error));
  HC_ASSERT(e->outside.state == HC_OUTSIDE_NONE);
  return timers_and_decisions(e, error);
}

/* The plan has come. */
static hc_rc rest_of_round(hc_engine *e, hc_error *error)
{
  const bool in_events = e->outside.in_events;
  const hc_rc rc = e->architecture_type->go_on(e->architecture, error);
  if (rc != 0) return rc < 0 ? rc : stop_in(e, in_events);
  return in_events ? timers_and_decisions(e, error) : end_round(e, 0, error);
}

/* The instant goes on behind its round number `rounds`, which came to `rc`. @return 0, 1: a plan is wanted,
 * or an error */
static hc_rc carry_on(hc_engine *e, int64_t rounds, hc_rc rc, hc_error *error)
{
  for (;; rc = one_round(e, error)) {
    e->outside.rounds = rounds;
    if (rc != 0) return rc;
    if (e->failed < 0) return e->failed;
    TRY(hc_arrivals_pull(e, error));
    if (!more_now(e)) break;
    if (++rounds > e->options->max_rounds) return livelock(e, error);
  }
  hc_arena_reset(&e->scratch);
  TRY(hc_notify(e, &(hc_notice){.kind = HC_ON_INSTANT, .error = error}));
  return hc_observe_instant(e, error);
}

static hc_rc instant(hc_engine *e, hc_error *error)
{
  e->counters.instants++;
  return carry_on(e, 1, one_round(e, error), error);
}

/* Hosts may come and go for ever; that is no reason to go on when there is nothing to run. Tasks that wait
 * while nothing else happens may still get a host, but not after this many changes in vain: of hosts that
 * come and go, so many and some for each of them; of their local load, which has many levels, more. */
enum { CHANGES_IN_VAIN = 10000, CHANGES_IN_VAIN_PER_HOST = 1000, LOADS_IN_VAIN = 1000000 };

/* A clock that decides, or a policy that wakes itself, would go on to the end of time where no task can start
 * any more: nothing but its timers is left then, and after so many of them the run is over. Figures
 * end before them (hc_observe_come). */
enum { TIMERS_IN_VAIN = 1000000 };

static uint64_t most_in_vain(const hc_engine *e)
{
  if (e->loads) return LOADS_IN_VAIN;
  return CHANGES_IN_VAIN + CHANGES_IN_VAIN_PER_HOST * (uint64_t)e->cell_spec.units;
}

/* What an architecture wakes itself for is no more than it does between two changes. */
static bool is_own_timer(const hc_engine *e, const hc_event *next)
{
  return e->event_types[hc_event_slot(next)]->is_wake;
}

/* How many changes in vain there will have been with the next event. It is looked at again where a run stops
 * before it: so it is counted as it happens. */
static uint64_t vain_with(const hc_engine *e, const hc_event *next, hc_time at)
{
  const bool is_told = hc_news_are_heard(e) && hc_event_slot(next) == HC_EVENT_power;
  const bool is_done = !is_told && (e->host_events || e->loads || e->advance) && !e->has_arrival &&
                       e->source_ended && next->time == at && e->running == 0 && e->suspended == 0;
  if (is_done && is_own_timer(e, next)) return e->changes_in_vain;
  if (!is_done || next->phase != HC_PHASE_CELL) return 0;
  return e->waiting == 0 && e->tasks_held == 0 ? UINT64_MAX : e->changes_in_vain + 1;
}

/* How many timers in vain there will have been with the next event, as vain_with has it of changes. */
static uint64_t timers_with(const hc_engine *e, const hc_event *next, hc_time at)
{
  const bool is_left = !e->has_arrival && e->source_ended && next->time == at && e->running == 0 &&
                       e->suspended == 0 && is_own_timer(e, next);
  return is_left ? e->timers_in_vain + 1 : 0;
}

static hc_rc advance(hc_engine *e, hc_time until, uint64_t instants, hc_error *error)
{
  hc_time bound = HC_MIN(until, e->options->until);
  if (e->fair) TRY(hc_fair_begin(e, error));
  if (e->outside.state != HC_OUTSIDE_NONE) {
    const hc_rc rc = carry_on(e, e->outside.rounds, rest_of_round(e, error), error);
    if (rc != 0) return rc < 0 ? rc : HC_RUN_DECISION;
  }
  for (uint64_t n = 0; instants == 0 || n < instants; n++) {
    hc_event next;
    hc_time at = HC_NEVER;
    if (e->cancelled) return hc_fail(error, HC_ECANCELLED, "", 0, 0, "interrupted; nothing was written");
    TRY(hc_arrivals_pull(e, error));
    if (hc_queue_peek(e->events, &next)) at = next.time;
    if (e->has_arrival) at = HC_MIN(at, e->next->spec.submit);
    if (at == HC_NEVER) return 0;
    const uint64_t vain = vain_with(e, &next, at), timers = timers_with(e, &next, at);
    if (vain > most_in_vain(e) || timers > TIMERS_IN_VAIN) return 0;
    at = HC_MIN(at, HC_MAX(e->change_at, e->now));
    if (at > bound) {
      if (bound != e->options->until) return 1;
      e->now = HC_MAX(e->now, bound);
      if (timers == 0 || e->waiting + e->tasks_held > 0) e->told = e->now; /* there was more to come */
      return 0;
    }
    HC_ASSERT(at >= e->now || e->counters.instants == 0);
    e->changes_in_vain = at < e->change_at ? vain : 0; /* another policy is no vain change */
    e->timers_in_vain = at < e->change_at ? timers : 0;
    if (e->timers_in_vain == 0 || (e->model && e->model_at != HC_NEVER)) TRY(hc_observe_come(e, at, error));
    e->now = at;
    if (at >= e->change_at) TRY(hc_changes_due(e, error));
    if (e->loads || e->past || e->advance) e->cell.version++; /* what is best, or fits, changes with time */
    const hc_rc rc = instant(e, error);
    if (rc != 0) return rc < 0 ? rc : HC_RUN_DECISION;
  }
  return 1;
}

/* A failure in the middle of an instant leaves a state that means nothing: the run says so from then on. */
static hc_rc usable(const hc_engine *e, hc_error *error)
{
  if (e->failed == 0) return 0;
  return hc_fail(error, e->failed, "engine", 0, 0, "the run failed before and cannot go on: %s",
                 hc_rc_text(e->failed));
}

static hc_rc decided(const hc_engine *e, hc_error *error)
{
  if (e->outside.state != HC_OUTSIDE_ASKED) return 0;
  return hc_fail(error, HC_EUSAGE, "engine", 0, 0,
                 "the run waits for a plan: make it on the view of hc_run_wait_decision and hand it in by "
                 "hc_run_decide, or leave it to the run's policy by hc_run_decide_by_policy");
}

hc_rc hc_run_wait_decision(hc_run *r, hc_time until, hc_decision *out, hc_error *error)
{
  hc_engine *e = &r->engine;
  hc_rc rc = HC_RUN_DECISION;
  if (r->world)
    return hc_fail(error, HC_EUNSUPPORTED, "world", 0, 0,
                   "a closed world decides by itself: it asks no policy");
  TRY(usable(e, error));
  TRY(hc_outside_check(e, error));
  e->error = error;
  if (e->outside.state != HC_OUTSIDE_ASKED) {
    e->outside.is_wanted = true;
    rc = advance(e, until, 0, error);
    e->outside.is_wanted = false;
    hc_engine_note(e, rc);
  }
  if (rc < 0) return hc_fail(error, rc, "engine", 0, 0, "%s", hc_rc_text(rc));
  if (rc == HC_RUN_DECISION) TRY(hc_outside_show(e, out, error));
  return rc;
}

/* Tasks of a scheduler outside. */
static hc_rc take_tasks(hc_engine *e, const char *text, size_t size, hc_error *error)
{
  hc_arrivals_hold(e);
  const hc_rc n = hc_stream_feed(e->stream, text, size, error);
  if (n < 0) return n;
  TRY(hc_arrivals_again(e));
  e->outside.is_submitting = true;
  const hc_rc rc = all_arrivals(e, error);
  e->outside.is_submitting = false;
  return rc;
}

hc_rc hc_run_submit(hc_run *r, const char *text, size_t size, uint64_t *serials, size_t cap, hc_error *error)
{
  hc_engine *e = &r->engine;
  hc_outside *o = &e->outside;
  bool was;
  if (r->world || o->state != HC_OUTSIDE_ASKED)
    return hc_fail(error, HC_EUSAGE, "engine", 0, 0, "tasks are submitted where a plan is wanted");
  if (!hc_news_are_heard(e))
    return hc_fail(error, HC_EUNSUPPORTED, "architecture", 0, 0,
                   "tasks that a scheduler outside submits need the architecture messages");
  const uint64_t before = e->counters.submitted;
  hc_rc rc = hc_outside_park(e, &was);
  if (rc >= 0) rc = take_tasks(e, text, size, error);
  if (rc >= 0) rc = hc_outside_resume(e, was);
  hc_engine_note(e, rc);
  if (rc < 0) return hc_fail(error, rc, "engine", 0, 0, "%s", hc_rc_text(rc));
  const uint64_t count = e->counters.submitted - before;
  for (uint64_t i = 0; i < count && i < cap; i++) serials[i] = before + i;
  return (hc_rc)count;
}

hc_rc hc_run_advance(hc_run *r, hc_time until, uint64_t instants, hc_error *error)
{
  hc_engine *e = &r->engine;
  hc_rc rc;
  if (r->world) return hc_closed_advance(r, until, instants, error);
  TRY(usable(e, error));
  TRY(decided(e, error));
  e->error = error;
  rc = advance(e, until, instants, error);
  hc_engine_note(e, rc);
  return rc < 0 ? hc_fail(error, rc, "engine", 0, 0, "%s", hc_rc_text(rc)) : rc;
}

/* ---- birth ---- */

static hc_rc open_stream(hc_engine *e, hc_error *error)
{
  const hc_run_options *o = e->options;
  if (e->replay.of) { /* for what it says of itself */
    e->stream = e->replay.of->stream;
    return 0;
  }
  hc_source_context context = {.allocator = e->allocator,
                               .seed = (uint64_t)o->seed,
                               .replication = (uint64_t)o->replication,
                               .ledger = &e->ledger,
                               .strict = o->strict,
                               .rejected = e->rejected,
                               .rejected_ctx = e->rejects,
                               .lexicon = e->lexicon,
                               .sums = e->sums,
                               .profiles = e->book,
                               .laws = e->laws};
  hc_stream_options stream = {.sources = o->source.items,
                              .source_count = o->source.count,
                              .users = o->users,
                              .prefixes = o->prefix,
                              .transforms = o->transforms.items,
                              .transform_count = o->transforms.count,
                              .window = (size_t)o->sort_window,
                              .threads = o->threads,
                              .admission = {.processors = (hc_processors)o->processors,
                                            .overrun = (hc_overrun)o->overrun,
                                            .no_limit = (hc_no_limit)o->no_limit,
                                            .assumed_limit = o->assumed_limit,
                                            .zero_length = (hc_zero_length)o->zero_length,
                                            .too_large = (hc_too_large)o->too_large,
                                            .cancelled = (hc_cancelled)o->cancelled,
                                            .believe_waiting = (hc_believe)o->believe_waiting,
                                            .believe_running = (hc_believe)o->believe_running}};
  if (e->replay.tape) {
    stream.sources = hc_tape_sources(e->replay.tape, &stream.source_count);
    if (hc_tape_is_sorted(e->replay.tape)) {
      stream.resorting = stream.window; /* transforms may move tasks all the same */
      stream.window = 1;
    }
    stream.threads = 1;
  }
  stream.totals = stream.threads > 1 ? NULL : e->replay.totals; /* threads may not share it */
  if (o->source.count == 0)
    return hc_fail(error, HC_EUSAGE, "configuration", 0, 0,
                   "there is no source; name a log on the command line or write `source: my-log.swf`");
  return hc_stream_open(&context, &stream, &e->stream, error);
}

static void *build_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

static hc_rc build_cell(hc_engine *e, uint32_t flags, hc_error *error)
{
  const hc_run_options *o = e->options;
  const hc_cell_type *type = (const hc_cell_type *)o->cell.type;
  hc_cell_context context = {e->allocator, build_alloc, &e->build, hc_stream_info(e->stream), e->lexicon};
  if (e->replay.of) e->cell_spec = e->replay.of->cell_spec;
  else
    TRY(hc_blame(&type->component, type->describe(&context, o->cell.options, &e->cell_spec, error), error));
  TRY(hc_overcommit_promise(e, error));
  if (e->contiguous && e->cell_spec.granularity == HC_CELL_COUNT)
    e->cell_spec.granularity = HC_CELL_INTERVALS; /* its places have to have names */
  e->expects = e->keeps_all || (flags & (HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_ASKS_HARMLESS)) != 0;
  TRY(hc_cell_init(&e->cell, e->allocator, &e->cell_spec, e->lexicon, (uint64_t)o->seed,
                   (uint64_t)o->replication, error));
  e->gauge.width = HC_NEEDS;
  if (!e->cell.hosts) {
    if (!e->replay.of) hc_stream_capacity(e->stream, e->cell_spec.units);
    return hc_slowdowns_open(e, flags, error);
  }
  e->tasks.dimensions = hc_hosts_dimensions(e->cell.hosts);
  e->stretches = (flags & HC_PACES) != 0;
  e->cuts = (flags & HC_CUTS_LIMITS) != 0;
  hc_work_open(e);
  TRY(hc_slowdowns_open(e, flags, error));
  hc_demand_measure(e);
  if (e->replay.of) return 0;
  hc_stream_judge(e->stream, &(hc_judge){hc_demand_judge, hc_demand_surely, hc_demand_allows, e},
                  e->cell.capacity);
  hc_stream_sets(e->stream, e->cell_spec.sets, e->cell_spec.set_count);
  return 0;
}

static bool gathers(const hc_engine *e, uint32_t *queue)
{
  const hc_architecture_type *t = e->architecture_type;
  return t->gathers && !t->hears_hosts && t->gathers(e->architecture, queue);
}

static hc_rc build_architecture(hc_engine *e, hc_error *error)
{
  const hc_run_options *o = e->options;
  hc_architecture_context context = {
      .services = &hc_architecture_services, .engine = e, .allocator = e->allocator, .policy = o->policy};
  TRY(hc_architecture_context_for(e, e->architecture_type->asks_jobs, &context.policy_context));
  TRY(hc_blame(&e->architecture_type->component,
               e->architecture_type->init(&context, o->architecture.options, &e->architecture, error),
               error));
  e->gathered.is_wanted = gathers(e, &e->gathered.queue);
  hc_load_ready(e);
  return 0;
}

/* See shapes.h. Whatever else decides whether a task fits than what its shape says keeps them off. */
static bool remembers_shapes(const hc_engine *e, uint32_t flags)
{
  const bool admits = e->eligibility && e->eligibility->admits;
  return (flags & HC_ASKS_FITS) && !(flags & HC_MAKES_RESERVATIONS) && e->cell.hosts && !e->loads &&
         e->admits_up_to == 0 && !admits && e->tasks.dimensions <= HC_NEEDS &&
         e->architecture_type->reach == HC_REACH_QUEUE && !e->architecture_type->offers_hosts;
}

static hc_rc build(hc_engine *e, hc_error *error)
{
  const hc_policy_type *policy = (const hc_policy_type *)e->options->policy.type;
  const void *options = e->options->policy.options;
  uint32_t flags = hc_policy_flags(policy, options, e->allocator);
  hc_policy_parts parts = {0};
  if (policy->parts) policy->parts(options, &parts);
  if (parts.place && parts.place->type) {
    e->place = (const hc_place_type *)parts.place->type;
    e->place_options = parts.place->options;
    e->contiguous = e->place->contiguous;
  }
  e->architecture_type = (const hc_architecture_type *)e->options->architecture.type;
  TRY(hc_combine_check(e, flags, error));
  TRY(hc_queue_new(e->allocator, (hc_queue_kind)e->options->event_queue, &e->events));
  TRY(hc_lexicon_new(e->allocator, &e->lexicon));
  hc_names_open(e);
  e->policy_context.lexicon = e->lexicon;
  if (e->options->threads > 1) {
    TRY(hc_threads_check(error));
    hc_lexicon_share(e->lexicon);
  }
  TRY(hc_rejects_open(e, error));
  if (e->store) TRY(hc_sums_new(e->allocator, &e->sums));
  TRY(hc_model_choose(e, error));
  TRY(open_stream(e, error));
  e->tasks.plans = e->keeps_all || !(flags & HC_IGNORES_TIME) || parts.candidates != NULL;
  TRY(hc_scales_check(e->config, error));
  TRY(build_cell(e, flags, error));
  e->policy_context.cell = &e->cell_spec;
  e->policy_flags = flags;
  TRY(hc_combine_check_hosts(e, error));
  TRY(hc_topology_open(e, error));
  TRY(hc_choose_open(e, error));
  hc_deferred_open(e, flags);
  TRY(hc_past_open(e));
  TRY(hc_host_events_open(e, error));
  TRY(hc_predict_open(e, error));
  TRY(hc_advance_open(e, error));
  TRY(hc_load_open(e, error));
  TRY(hc_rates_check(e, flags, error));
  TRY(hc_resize_check(e, flags, error));
  TRY(hc_moldable_check(e, flags, error));
  const bool is_told = (flags & HC_DECIDED_OUTSIDE) && e->architecture_type->brings_news;
  if (e->stream && hc_stream_takes(e->stream) && !is_told)
    return hc_fail(error, HC_EUNSUPPORTED, "source", 0, 0,
                   "tasks come while the run goes on (`dynamic`) from a program that decides: use `policy: "
                   "outside` under the architecture messages, or leave it out");
  TRY(hc_power_check(e, flags, error));
  TRY(hc_checkpoints_check(e, flags, error));
  TRY(hc_shrink_check(e, flags, error));
  TRY(hc_reservations_open(e, flags, error));
  if (hc_stream_refers(e->stream) != HC_REFERS_NONE) TRY(hc_dependencies_new(e));
  TRY(hc_calendar_at_origin(e->allocator, e->options, hc_stream_info(e->stream), &e->unix_zero,
                            &e->zone_offset, error));
  e->policy_context.unix_start = e->unix_zero;
  if ((flags & HC_ASKS_JOBS) || e->architecture_type->asks_jobs) TRY(hc_tasks_need_cold(e));
  e->shapes.is_on = remembers_shapes(e, flags) && !e->advance && !e->keeps_all;
  TRY(hc_observe_watts(e, error));
  TRY(hc_pstates_check(e, flags, error));
  TRY(build_architecture(e, error));
  if (e->options->execution.type)
    TRY(hc_model_open(e, (const hc_model_type *)e->options->execution.type, e->options->execution.options,
                      error));
  TRY(hc_observe_init(e, error));
  e->is_plain = e->cell.hosts && hc_hosts_is_plain(e->cell.hosts) && !e->tasks.plans && !e->gate.admits &&
                !e->past && !e->has_speeds && !e->has_hearers && !e->chooser.reads_held && !e->plans_ahead;
  e->tasks.remembers = e->cell.hosts && !e->keeps_all && !e->is_plain && !e->loads &&
                       !e->reserve->type->holds_hosts && !(e->eligibility && e->eligibility->admits) &&
                       !e->advance && e->admits_up_to == 0;
  TRY(hc_advance_ready(e));
  TRY(hc_power_open(e));
  TRY(hc_conflicts_open(e));
  TRY(hc_host_events_ready(e, error));
  TRY(hc_changes_open(e, error));
  TRY(hc_fair_open(e, error));
  hc_parts_settle(e);
  return 0;
}

static const hc_fork_calls fork_calls = {hc_engine_new, hc_run_advance, hc_run_free};

hc_rc hc_engine_new(const hc_allocator *a, hc_config *c, hc_store *store, const hc_replay *replay,
                    hc_run **out, hc_error *error)
{
  hc_run *r = hc_alloc(a, sizeof *r);
  hc_engine *e;
  hc_rc rc;
  if (!r) return hc_fail(error, HC_ENOMEM, "", 0, 0, "out of memory");
  e = &r->engine;
  e->allocator = a;
  e->config = c;
  e->store = store;
  if (replay) e->replay = *replay;
  e->error = error;
  e->explained = UINT64_MAX;
  e->change_at = HC_NEVER;
  e->telling.task = HC_NO_TASK;
  e->unix_zero = HC_UNKNOWN;
  e->forks = &fork_calls;
  e->actions = hc_action_table;
  e->parts = hc_part_table;
  e->part_count = hc_part_count;
  e->event_types = hc_event_table;
  e->tasks.held_vacant = HC_NO_GRANT;
  e->tasks.vacant = HC_NO_TASK;
  e->plan.engine = e->loaded.engine = e;
  e->counters.first_submit = e->counters.last_submit = e->counters.first_start = e->counters.last_end =
      HC_UNKNOWN;
  e->counters.full_from = e->counters.full_to = HC_UNKNOWN;
  hc_arena_init(&e->build, a);
  hc_arena_init(&e->scratch, a);
  rc = hc_config_resolve(c, error);
  if (rc >= 0 && !e->replay.of) rc = hc_outputs_check(c, store, error);
  if (rc >= 0) {
    e->options = hc_config_options(c);
    if (e->replay.of) rc = hc_fair_lend(e);
  }
  if (rc >= 0) {
    e->keeps_all = e->replay.keeps_all || e->options->changes.count > 0;
    e->glance.engine = e;
    e->policy_context = (hc_policy_context){.services = &hc_policy_services,
                                            .numbers = &hc_numbers_of_library,
                                            .unix_start = HC_UNKNOWN,
                                            .allocator = a,
                                            .seed = (uint64_t)e->options->seed,
                                            .replication = (uint64_t)e->options->replication};
    rc = e->options->world.type ? hc_closed_open(r, error) : build(e, error);
  }
  if (rc < 0) {
    (void)hc_fail(error, rc, "", 0, 0, "%s", hc_rc_text(rc));
    hc_config_place(c, error);
    hc_run_free(r);
    return rc;
  }
  *out = r;
  return 0;
}

hc_rc hc_run_new(const hc_allocator *a, hc_config *c, hc_store *store, hc_run **out, hc_error *e)
{
  return hc_engine_new(a, c, store, NULL, out, e);
}

hc_rc hc_run_new_on(const hc_allocator *a, hc_config *c, hc_store *store, const hc_replay *replay,
                    hc_run **out, hc_error *e)
{
  return hc_engine_new(a, c, store, replay, out, e);
}

/* ---- while it runs ---- */

void hc_run_cancel(hc_run *r)
{
  r->engine.cancelled = 1;
}

void hc_run_progress(const hc_run *r, hc_progress *p)
{
  const hc_engine *e = &r->engine;
  if (r->world) {
    hc_closed_progress(r, p);
    return;
  }
  *p = (hc_progress){.now = e->now,
                     .unix_start = e->unix_zero,
                     .submitted = e->counters.submitted,
                     .started = e->counters.started,
                     .ended = e->counters.ended,
                     .waiting = (uint64_t)e->waiting,
                     .running = (uint64_t)e->running,
                     .instants = e->counters.instants,
                     .decisions = e->counters.decisions,
                     .rounded = e->ledger.rounded,
                     .rounding = e->ledger.rounding,
                     .unnamed = e->ledger.unnamed};
  hc_stream_progress(e->stream, &p->source_done, &p->source_total);
}

static void explain(hc_run *r, uint64_t serial, void (*each)(void *ctx, const hc_why_record *w), void *ctx)
{
  r->engine.explained = serial;
  r->engine.explain = each;
  r->engine.explain_ctx = ctx;
  r->engine.noted.task = hc_explain_find(&r->engine, serial);
  hc_explain_anew(&r->engine);
}

hc_rc hc_run_explain(hc_run *r, uint64_t serial, void (*each)(void *ctx, const hc_why_record *w), void *ctx)
{
  explain(r, serial, each, ctx);
  r->engine.explains_waits = false;
  if (!r->world && each) TRY(hc_measures_explain(&r->engine));
  hc_parts_settle(&r->engine);
  return 0;
}

hc_rc hc_run_explain_waits(hc_run *r, uint64_t serial, void (*each)(void *ctx, const hc_why_record *w),
                           void *ctx)
{
  explain(r, serial, each, ctx);
  r->engine.explains_waits = true;
  hc_parts_settle(&r->engine);
  return 0;
}

hc_rc hc_run_watch(hc_run *r, void (*each)(void *ctx, const hc_happening *h), void *ctx, hc_error *error)
{
  if (r->world)
    return hc_fail(error, HC_EUNSUPPORTED, "world", 0, 0, "a closed world does not tell what happens in it");
  r->engine.watch.each = each;
  r->engine.watch.ctx = ctx;
  hc_parts_settle(&r->engine);
  return 0;
}

void hc_run_explain_names(hc_run *r, const char *(*name)(void *ctx, uint64_t serial))
{
  r->engine.noted.name = name;
}

/* ---- the end ---- */

hc_rc hc_run_stop(hc_run *r, hc_time at, hc_error *error)
{
  hc_progress p;
  hc_run_progress(r, &p);
  return hc_config_stop(r->engine.config, HC_MAX(at, p.now), error);
}

hc_rc hc_run_finish(hc_run *r, hc_error *error)
{
  hc_engine *e = &r->engine;
  uint64_t finals = 0, rejected = 0;
  hc_rc rc;
  if (r->world) return hc_closed_finish(r, error);
  if (e->finished) return 0;
  TRY(usable(e, error));
  TRY(decided(e, error));
  e->error = error;
  rc = hc_observe_finish(e, error);
  if (rc >= 0) rc = hc_rejects_finish(e, error);
  hc_engine_note(e, rc);
  if (rc < 0) return hc_fail(error, rc, "engine", 0, 0, "%s", hc_rc_text(rc));
  for (int i = 0; i < HC_FINAL_COUNT; i++) finals += e->counters.finals[i];
  for (int i = 0; i < HC_REASON_COUNT; i++) rejected += e->ledger.rejected[i];
  HC_ASSERT(finals == e->counters.submitted);
  HC_ASSERT(!e->source_ended || e->ledger.read == e->ledger.used + e->ledger.merged + rejected);
  e->finished = true;
  return 0;
}

hc_rc hc_run_figures(hc_run *r, hc_findings *findings, hc_error *e)
{
  if (!r->engine.finished || r->engine.store)
    return hc_fail(
        e, HC_EUSAGE, "engine", 0, 0,
        "figures can be asked for once a run without a store is finished; else they are in the store");
  if (r->world) return hc_closed_figures(r, findings, e);
  if (r->engine.options->trim.type)
    return hc_fail(
        e, HC_EUNSUPPORTED, "trim", 0, 0,
        "a trimmed summary is counted from stored task rows, and this run has no store, so that its "
        "figures would be those of all tasks: give the run a store (hc_store_new; without a path it is in "
        "memory), or leave out the trim");
  return hc_observe_figures(&r->engine, findings, e);
}

void hc_run_free(hc_run *r)
{
  hc_engine *e;
  const hc_allocator *a;
  if (!r) return;
  e = &r->engine;
  a = e->allocator;
  hc_closed_close(r);
  hc_rejects_close(e);
  if (e->architecture && e->architecture_type->fini) e->architecture_type->fini(e->architecture);
  hc_observe_fini(e);
  hc_parts_end(e);
  if (e->place_state && e->place->fini) e->place->fini(e->place_state);
  hc_queues_fini(e);
  hc_tasks_fini(e);
  hc_plan_fini(&e->plan);
  hc_plan_fini(&e->loaded);
  hc_free(a, e->last_start, e->cell_spec.units * sizeof *e->last_start);
  hc_free(a, e->holdings, e->holding_cap * sizeof *e->holdings);
  hc_free(a, e->ended_on, e->ended_on_cap * sizeof *e->ended_on);
  hc_slowdowns_close(e);
  hc_cell_fini(&e->cell);
  hc_queue_free(e->events);
  if (!e->replay.of) hc_stream_close(e->stream);
  hc_sums_free(e->sums);
  hc_namer_fini(&e->names);
  hc_lexicon_free(e->lexicon);
  hc_arena_fini(&e->scratch);
  hc_arena_fini(&e->build);
  hc_free(a, r, sizeof *r);
}
