/* fair.c -- fair starts, by forks of the run.
 *
 * The state before each instant at which tasks arrive is kept as bytes. When a task arrives that a metric
 * asks about, a run is made from these bytes that knows of no other arrivals than those of the instant up to
 * it: the log, truncated behind the task. It goes on until the task starts. Its true run times, its policy
 * and the policy's state are the run's own; what changes in neither (source, cell's description) is lent to
 * it. Tasks of one instant so have fair starts without those behind them, as in a run of the truncated log:
 * the state at the arrival itself would not do, since the policy may be asked in the midst of an instant.
 *
 * What a fork finds cannot bear on the run: it has its own memory. So a run is the same with and without.
 *
 * Cost: the state, O(live tasks), for each instant with arrivals; for each task asked about the making of a
 * run, O(hosts), loading the state, and the instants until the task starts. */
#include "engine/fair.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/part.h"
#include "engine/visit.h"

typedef struct seeking {
  const hc_metric_type *type;
  hc_metric *metric;
} seeking;

struct hc_fair {
  /* of a run that seeks */
  seeking *seekers; /* [count] metrics */
  size_t count;
  hc_buffer before; /* the state before the instant at hand, or the next one */
  bool is_known;    /* it is that */
  hc_arrival
      *arrivals; /* [arrival_count] of the instant at hand; what they hold of the lexicon is held here */
  size_t arrival_count, arrival_cap;
  /* of a fork */
  uint64_t serial; /* the task asked about */
  hc_time start;   /* HC_NEVER: not yet */
  hc_run_options options;
};

/* ---- birth ---- */

static size_t count_seekers(const hc_engine *e)
{
  size_t n = 0;
  for (size_t i = 0; i < e->observers.count; i++) n += e->observers.types[i]->asks_fair != NULL;
  return n;
}

static hc_rc check(const hc_engine *e, hc_error *error)
{
  if (hc_stream_listens(e->stream))
    return hc_combine_refuse(
        error, "fair starts cannot be found of a closed loop, where what comes later depends on "
               "what was before: leave the metric fair_start out");
  if (e->options->changes.count > 0)
    return hc_combine_refuse(
        error, "fair starts cannot be found of a run whose policy changes (`changes`): of which "
               "policy would they be? Leave the metric fair_start out");
  if (e->policy_flags & HC_DECIDED_OUTSIDE)
    return hc_combine_refuse(error,
                             "fair starts cannot be found where plans come from outside, which a fork would "
                             "have to ask for: leave the metric fair_start out");
  return 0;
}

hc_rc hc_fair_open(hc_engine *e, hc_error *error)
{
  const size_t count = count_seekers(e);
  hc_fair *x;
  if (e->replay.of || count == 0) return 0;
  TRY(check(e, error));
  x = e->fair = hc_arena_alloc(&e->build, sizeof *x);
  if (!x) return HC_ENOMEM;
  hc_buffer_init(&x->before, e->allocator);
  x->seekers = hc_arena_alloc(&e->build, count * sizeof *x->seekers);
  if (!x->seekers) return HC_ENOMEM;
  for (size_t i = 0; i < e->observers.count; i++)
    if (e->observers.types[i]->asks_fair)
      x->seekers[x->count++] = (seeking){e->observers.types[i], e->observers.metrics[i]};
  return 0;
}

hc_rc hc_fair_lend(hc_engine *e)
{
  hc_fair *x = e->fair = hc_arena_alloc(&e->build, sizeof *x);
  if (!x) return HC_ENOMEM;
  hc_buffer_init(&x->before, e->allocator);
  x->start = HC_NEVER;
  x->options = *e->options;
  x->options.metrics.count = 0;
  x->options.trim.type = NULL;
  x->options.task_rows = HC_ROWS_NONE;
  e->options = &x->options;
  return 0;
}

/* ---- the state before an instant ---- */

static hc_rc keep(hc_engine *e)
{
  hc_fair *x = e->fair;
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = e->allocator, .out = &x->before};
  x->before.size = 0;
  TRY(hc_engine_visit_lent(e, &v));
  x->is_known = true;
  return x->before.failed ? HC_ENOMEM : 0;
}

hc_rc hc_fair_begin(hc_engine *e, hc_error *error)
{
  HC_UNUSED(error);
  return e->replay.of || e->fair->is_known ? 0 : keep(e);
}

/* Do tasks arrive at the next instant? */
static bool arrivals_are_next(const hc_engine *e)
{
  hc_event next;
  return e->has_arrival && (!hc_queue_peek(e->events, &next) || e->next->spec.submit <= next.time);
}

static void forget_arrivals(hc_engine *e)
{
  for (size_t i = 0; i < e->lent.count; i++) hc_lexicon_drop(e->lexicon, e->lent.items[i].spec.more);
  e->lent.count = 0;
}

/* ---- a fork ---- */

/* From the kept state, with no arrival but those it is given. */
static hc_rc load(hc_engine *fork, const hc_buffer *before)
{
  hc_visitor v = {.calls = &hc_state_calls,
                  .mode = HC_VISIT_LOAD,
                  .allocator = fork->allocator,
                  .in = (const uint8_t *)before->data,
                  .left = before->size};
  TRY(hc_engine_visit_lent(fork, &v));
  HC_ASSERT(v.left == 0);
  fork->has_arrival = fork->source_waits = fork->source_ended = false;
  fork->lent_next = 0;
  return 0;
}

/* It stops when it is cancelled, as the run that it is of is by a signal. */
static hc_rc run_until_start(const hc_engine *of, hc_run *r, hc_error *error)
{
  hc_rc rc = 1;
  while (rc == 1 && r->engine.fair->start == HC_NEVER) {
    if (of->cancelled) r->engine.cancelled = 1;
    rc = of->forks->advance(r, HC_NEVER, 1, error);
  }
  return rc < 0 ? rc : 0;
}

static hc_rc find(hc_engine *e, uint64_t serial, hc_time *start, hc_error *error)
{
  const hc_replay replay = {.keeps_all = e->keeps_all, .of = e};
  hc_run *r;
  hc_rc rc;
  TRY(e->forks->make(e->allocator, e->config, NULL, &replay, &r, error));
  rc = load(&r->engine, &e->fair->before);
  r->engine.fair->serial = serial;
  if (rc >= 0) rc = run_until_start(e, r, error);
  *start = r->engine.fair->start;
  e->forks->free(r);
  return rc;
}

/* ---- as a part: of the run that seeks ---- */

static hc_rc seek(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_fair *x = e->fair;
  const uint64_t serial = hc_live_of(e, id)->serial;
  hc_time start = HC_NEVER;
  bool is_known = false;
  for (size_t i = 0; i < x->count; i++) {
    const seeking *s = &x->seekers[i];
    const bool asks = s->type->asks_fair(s->metric, serial);
    if (asks && !is_known) TRY(find(e, serial, &start, error));
    is_known |= asks;
    TRY(s->type->fair(s->metric, serial, asks, start));
  }
  return 0;
}

static hc_rc on_arrived(hc_engine *e, const hc_notice *n)
{
  HC_ASSERT(e->fair->is_known);
  TRY(hc_reserve(e->allocator, (void **)&e->lent.items, &e->lent.cap, e->lent.count + 1,
                 sizeof *e->lent.items));
  e->lent.items[e->lent.count++] = *n->arrival;
  hc_lexicon_hold(e->lexicon, n->arrival->spec.more);
  return seek(e, n->task, n->error);
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  hc_fair *x = e->fair;
  if (e->replay.of) {
    if (n->kind == HC_ON_STARTED && x->start == HC_NEVER && hc_live_of(e, n->task)->serial == x->serial)
      x->start = e->now;
    return 0;
  }
  if (n->kind == HC_ON_ARRIVED) return on_arrived(e, n);
  if (n->kind != HC_ON_INSTANT) return 0;
  forget_arrivals(e);
  x->is_known = false;
  return arrivals_are_next(e) ? keep(e) : 0;
}

static bool wanted(const hc_engine *e)
{
  return e->fair != NULL;
}

static void fini(hc_engine *e)
{
  if (!e->fair) return;
  hc_buffer_fini(&e->fair->before);
  hc_free(e->allocator, e->lent.items, e->lent.cap * sizeof *e->lent.items);
}

const hc_part hc_part_fair = {.name = "fair",
                              .wanted = wanted,
                              .hears = HC_HEARS(ARRIVED) | HC_HEARS(STARTED) | HC_HEARS(INSTANT),
                              .on = on,
                              .fini = fini};
