/* predict.c -- run times that a predictor says, in place of what users asked for.
 *
 * A task is predicted once, when it arrives, or where the predictor renews what it said (`renew`) again
 * whenever something has been learned, until it starts. From then on that is its estimate: for orders, for
 * backfilling, for the timeline. It is never above what would have been believed otherwise, its *bound*; what
 * kills tasks is their limits, as ever.
 *
 * A task that outlives its prediction is not overdue, as one that outlives its limit: its prediction was
 * wrong, and is corrected. It is raised by a step of a ladder, to twice of what it was, or to the bound, as
 * the run says, and the task's expected end moves to there; once it is at the bound there is nothing left to
 * correct, and it is overdue. A correction calls for no decision: what it changes is seen at the next one.
 * Promises that its processors were needed for are void until the policy makes them anew.
 *
 * A task that is stopped and waits again is believed to run as long as was believed at last. All is in work
 * at speed 1; expected ends follow from it as those of estimates do.
 *
 * A prediction that is renewed takes a waiting task to its new place in its queue. What it was promised it
 * keeps, for the new length; promises that the timeline does not keep any more, its own or those behind it,
 * are void as with a correction. A task that has run before is none that waits for a prediction. Cost: a
 * prediction of each waiting task for each instant at which some end.
 *
 * What is said of a task is of the size that it asks for, and so is what is learned of it. One that a plan
 * gives another size (moldable.c) is believed to be as much shorter or longer as its law says, and is learned
 * from as if it had run in its own; corrections are of the size in which it runs.
 *
 * Tasks that end are learned from when all that ends in this round has: what was predicted does not depend
 * on where among the ends of an instant an arrival is seen.
 * Source: Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007, doi:10.1109/TPDS.2007.70606 (predictions,
 * their correction). */
#include "engine/predict.h"

#include <inttypes.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/claims.h"
#include "engine/combine.h"
#include "engine/event.h"
#include "engine/explain.h"
#include "engine/moldable.h"
#include "engine/part.h"
#include "engine/promises.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/rows.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "hindcast/predictor.h"
#include "reserve/reserve.h"
#include "setup/options.h"

/* What is added to a prediction, one after the other. */
static const hc_time ladder[] = {HC_MINUTE,    5 * HC_MINUTE, 15 * HC_MINUTE, 30 * HC_MINUTE,
                                 HC_HOUR,      2 * HC_HOUR,   5 * HC_HOUR,    10 * HC_HOUR,
                                 20 * HC_HOUR, 50 * HC_HOUR,  100 * HC_HOUR};

/* Of a live task, by its slot; zero where there is none. `bound` and `first` are of the size that it asks
 * for. All of 64 bits: it is visited as it is. */
typedef struct forecast {
  hc_time bound;  /* what would be believed without a predictor */
  hc_time first;  /* predicted when it came, or renewed before it started */
  hc_time base;   /* of this attempt: what the ladder stands on */
  uint64_t steps; /* of this attempt */
  uint64_t began; /* attempts */
} forecast;

/* A task that has ended in this round. */
typedef struct lesson {
  hc_predictor_task task;
  hc_time run;
} lesson;

struct hc_forecasts {
  const hc_predictor_type *type;
  hc_predictor *predictor;
  bool renews;
  /* state */
  forecast *of; /* [count] */
  size_t count, cap;
  lesson *lessons; /* [lesson_count]; empty between instants */
  size_t lesson_count, lesson_cap;
  uint64_t asked, predicted, corrections, renewed;
};

/* ---- opening ---- */

static hc_rc check(const hc_run_options *o, hc_error *error)
{
  if (!o->predictor.type && o->correction != HC_CORRECT_STEPS)
    return hc_combine_refuse(error, "`correction` says how predictions are corrected, and there is no "
                                    "`predictor`: name one, or leave `correction` out");
  if (o->predictor.type && (o->believe_waiting != HC_BELIEVE_LIMIT || o->believe_running != HC_BELIEVE_LIMIT))
    return hc_combine_refuse(error,
                             "`predictor` and `believe_waiting` or `believe_running: run` both say what "
                             "policies believe of run times: leave one of them out");
  return 0;
}

hc_rc hc_predict_open(hc_engine *e, hc_error *error)
{
  const hc_run_options *o = e->options;
  const hc_predictor_type *type = (const hc_predictor_type *)o->predictor.type;
  TRY(check(o, error));
  if (!type) return 0;
  e->forecasts = hc_alloc(e->allocator, sizeof *e->forecasts);
  if (!e->forecasts) return HC_ENOMEM;
  e->forecasts->type = type;
  e->forecasts->renews = type->renews && type->renews(o->predictor.options);
  /* Corrections are rows of the result, and what a task is believed to need that was stopped follows from
   * them: so each is made, whether or not the policy looks ahead. */
  e->expects = e->tasks.plans = true;
  TRY(hc_tasks_need_cold(e)); /* what predictors go by is there */
  if (!type->init) return 0;
  return hc_blame(&type->component,
                  type->init(e->allocator, o->predictor.options, &e->forecasts->predictor, error), error);
}

static void fini(hc_engine *e)
{
  hc_forecasts *f = e->forecasts;
  if (!f) return;
  if (f->predictor && f->type->fini) f->type->fini(f->predictor);
  hc_free(e->allocator, f->of, f->cap * sizeof *f->of);
  hc_free(e->allocator, f->lessons, f->lesson_cap * sizeof *f->lessons);
  hc_free(e->allocator, f, sizeof *f);
}

/* ---- what is believed ---- */

/* At speed 1, of the attempt that runs or will. */
static hc_time nominal(const hc_engine *e, hc_task id)
{
  const hc_work *w = hc_work_of(e, id);
  return w->run == HC_UNKNOWN ? hc_running_estimate_of(e, id) : w->estimate;
}

/* @param estimate of its own size */
static void believe(hc_engine *e, hc_task id, hc_time estimate)
{
  if (hc_attempt_of(e, id)->own.size > 0) {
    hc_attempt *a = hc_attempt_need(e, id); /* it is there */
    a->own.estimate = a->own.running_estimate = estimate;
    estimate = hc_moldable_from_own(e, id, estimate);
  }
  if (e->tasks.plans) e->tasks.planned[id].estimate = e->tasks.planned[id].running_estimate = estimate;
  e->tasks.cold[id].estimate = estimate;
}

/* The same of one that runs, at its speed. */
static hc_rc believe_running(hc_engine *e, hc_task id, hc_time estimate)
{
  if (hc_work_of(e, id)->run != HC_UNKNOWN) {
    hc_attempt *a = hc_attempt_need(e, id);
    if (!a) return HC_ENOMEM;
    a->work.estimate = estimate;
    estimate = hc_work_length(estimate, a->work.speed);
  }
  e->tasks.planned[id].running_estimate = estimate;
  return 0;
}

/* The bound of what this attempt has left to do. */
static hc_time bound_left(const hc_engine *e, hc_task id)
{
  const hc_work *w = hc_work_of(e, id);
  const hc_time bound = hc_moldable_from_own(e, id, e->forecasts->of[id].bound);
  return hc_work_less(bound, w->saved, w->restart);
}

static double speed_of(const hc_engine *e, hc_task id)
{
  const hc_work *w = hc_work_of(e, id);
  return w->run == HC_UNKNOWN ? 1 : w->speed;
}

hc_time hc_predicted(const hc_engine *e, hc_task id)
{
  return hc_work_length(hc_moldable_from_own(e, id, e->forecasts->of[id].first), speed_of(e, id));
}

hc_time hc_predict_bound(const hc_engine *e, hc_task id)
{
  return hc_work_length(bound_left(e, id), speed_of(e, id));
}

static hc_predictor_task described(const hc_engine *e, hc_task id)
{
  const hc_live *t = &e->tasks.live[id];
  const hc_task_cold *r = hc_cold_of(e, id);
  const int64_t own = hc_attempt_of(e, id)->own.size; /* 0: it has that */
  return (hc_predictor_task){.now = e->now,
                             .submitted = t->submit,
                             .limit = e->forecasts->of[id].bound,
                             .serial = t->serial,
                             .units = own > 0 ? own * hc_moldable_each(e, id) : t->units,
                             .user = e->tasks.identities[id].user,
                             .group = r->group,
                             .executable = r->executable,
                             .queue = r->queue,
                             .partition = r->partition};
}

static hc_rc arrived(hc_engine *e, hc_task id)
{
  hc_forecasts *f = e->forecasts;
  const hc_time bound = hc_running_estimate_of(e, id);
  TRY(hc_reserve(e->allocator, (void **)&f->of, &f->cap, (size_t)id + 1, sizeof *f->of));
  for (; f->count <= id; f->count++) f->of[f->count] = (forecast){0};
  f->of[id] = (forecast){.bound = bound, .first = bound, .base = HC_UNKNOWN};
  const hc_predictor_task task = described(e, id);
  const hc_time said = f->type->predict(f->predictor, &task);
  f->asked++;
  if (said == HC_UNKNOWN) return 0;
  f->predicted++;
  f->of[id].first = HC_MIN(HC_MAX(said, 0), bound);
  believe(e, id, f->of[id].first);
  return 0;
}

/* ---- correction ---- */

/* What comes after this, at most the bound. */
static hc_time next_of(const hc_engine *e, forecast *f, hc_time now, hc_time bound)
{
  switch ((hc_correction)e->options->correction) {
    case HC_CORRECT_STEPS:
      if (f->steps >= HC_ARRAY_LEN(ladder)) return bound;
      return HC_MIN(hc_time_add(f->base, ladder[f->steps]), bound);
    case HC_CORRECT_DOUBLE: return HC_MIN(hc_time_add(HC_MAX(now, HC_SECOND), now), bound);
    case HC_CORRECT_LIMIT: return bound;
    case HC_CORRECT_MOMENT: return now;
  }
  return bound;
}

/* Where it will outlive this, too. */
static hc_rc expect_again(hc_engine *e, hc_task id, uint64_t order)
{
  const hc_live *t = hc_live_of(e, id);
  const hc_time expected = hc_expected_end(e, t);
  const hc_time end = e->model ? HC_NEVER : hc_work_until(hc_work_of(e, id), t->start, t->run, e->now);
  if (expected >= end) return 0;
  const hc_event outlived = hc_event_at(HC_EVENT_overdue, expected, order, id);
  return hc_queue_push(e->events, &outlived, &e->tasks.planned[id].overdue_event);
}

hc_rc hc_predict_outlived(hc_engine *e, hc_task id, uint64_t order, hc_error *error)
{
  forecast *f = &e->forecasts->of[id];
  const hc_live *t = hc_live_of(e, id);
  const hc_time now = nominal(e, id), was = hc_expected_end(e, t);
  if (f->base == HC_UNKNOWN) f->base = now;
  const hc_time next = next_of(e, f, now, bound_left(e, id));
  if (next <= now) return 0;
  f->steps++;
  e->forecasts->corrections++;
  e->tasks.planned[id].overdue_event = HC_NO_EVENT;
  TRY(believe_running(e, id, next));
  TRY(hc_claim_moved(e, id, was));
  TRY(hc_promises_void_broken(e));
  TRY(expect_again(e, id, order));
  if (e->explain)
    hc_explain_text(e, id,
                    "outlives what was predicted, and is believed to run for %" PRId64 " s from now on",
                    next / HC_SECOND);
  if (hc_keeps_rows(e))
    TRY(hc_store_numbers(e->store, "corrections", 3,
                         (const int64_t[]){(int64_t)t->serial, e->now, hc_running_estimate_of(e, id)},
                         error));
  return 1;
}

/* It waits again, with what was believed last: to be shortened by what it has saved, as every estimate. */
static void over(hc_engine *e, hc_task id)
{
  forecast *f = &e->forecasts->of[id];
  f->base = HC_UNKNOWN;
  f->steps = 0;
  f->began++;
  if (e->tasks.plans) e->tasks.planned[id].estimate = nominal(e, id);
  if (hc_attempt_of(e, id)->own.size == 0) return;
  hc_attempt *a = hc_attempt_need(e, id); /* it is there */
  a->own.estimate = a->own.running_estimate = HC_MIN(hc_moldable_to_own(e, id, nominal(e, id)), f->bound);
}

/* ---- learning ---- */

/* Did it all: by itself, or up to its limit? */
static bool has_run(const hc_engine *e, const hc_notice *n)
{
  const hc_live *t = &e->tasks.live[n->task];
  if (t->start == HC_UNKNOWN || t->run == HC_NEVER) return false;
  if (n->completed) return true;
  return (t->bits & HC_LIVE_KILLED) && !e->model && hc_work_so_far(e, n->task) >= t->run;
}

/* What its user took away in another size than its own says no more than how long it ran in that. */
static hc_time whole_run(const hc_engine *e, hc_task id)
{
  const hc_attempt *a = hc_attempt_of(e, id);
  const hc_time run = hc_work_whole(&a->work, hc_work_run(e, id), HC_UNKNOWN);
  if (a->own.size == 0) return run;
  return a->own.run != HC_NEVER ? a->own.run : hc_moldable_to_own(e, id, run);
}

static hc_rc gone(hc_engine *e, const hc_notice *n)
{
  hc_forecasts *f = e->forecasts;
  const hc_task id = n->task;
  if (f->type->learn && has_run(e, n)) {
    TRY(hc_reserve(e->allocator, (void **)&f->lessons, &f->lesson_cap, f->lesson_count + 1,
                   sizeof *f->lessons));
    f->lessons[f->lesson_count++] =
        (lesson){described(e, id), whole_run(e, id)};
  }
  f->of[id] = (forecast){0};
  return 0;
}

static hc_rc learn(hc_forecasts *f)
{
  for (size_t i = 0; i < f->lesson_count; i++)
    TRY(f->type->learn(f->predictor, &f->lessons[i].task, f->lessons[i].run));
  f->lesson_count = 0;
  return 0;
}

/* ---- renewal ---- */

/* What it was promised goes and comes again, as what it takes is longer or shorter. */
static hc_rc believe_anew(hc_engine *e, hc_task id, hc_time estimate)
{
  const bool waits = hc_live_of(e, id)->state == HC_TASK_WAITING;
  const hc_time at = waits ? hc_reserved_of(e, id) : HC_NEVER;
  const hc_grant *grants = NULL;
  size_t count = 0;
  if (at != HC_NEVER) {
    TRY(hc_reserve_hosts_of(e->reserve, id, &grants, &count));
    TRY(hc_restore_reservation(e, id, HC_NEVER, NULL, 0));
  }
  if (waits) hc_queues_lift(e, id);
  believe(e, id, estimate);
  if (waits) TRY(hc_queues_settle(e, id));
  return at != HC_NEVER ? hc_restore_reservation(e, id, at, grants, count) : 0;
}

static hc_rc renew(hc_engine *e, hc_task id)
{
  hc_forecasts *f = e->forecasts;
  const hc_predictor_task task = described(e, id);
  const hc_time said = f->type->predict(f->predictor, &task), bound = f->of[id].bound;
  const hc_time next = said == HC_UNKNOWN ? bound : HC_MIN(HC_MAX(said, 0), bound);
  if (next == f->of[id].first) return 0;
  f->of[id].first = next;
  f->renewed++;
  if (e->explain)
    hc_explain_text(e, id, "is believed to run for %" PRId64 " s from now on, as others have ended",
                    next / HC_SECOND);
  return believe_anew(e, id, next);
}

static bool awaits(const hc_engine *e, hc_task id)
{
  const hc_task_state state = (hc_task_state)e->tasks.live[id].state;
  return (state == HC_TASK_ARRIVED || state == HC_TASK_HELD || state == HC_TASK_WAITING) &&
         id < e->forecasts->count && e->forecasts->of[id].began == 0;
}

static hc_rc renew_all(hc_engine *e)
{
  const uint64_t before = e->forecasts->renewed;
  for (hc_task t = 0; t < e->tasks.count; t++)
    if (awaits(e, t)) TRY(renew(e, t));
  if (e->forecasts->renewed == before) return 0;
  e->choice.version = 0;
  return hc_promises_void_broken(e);
}

static hc_rc freed(hc_engine *e)
{
  const bool learned = e->forecasts->lesson_count > 0;
  TRY(learn(e->forecasts));
  return learned && e->forecasts->renews ? renew_all(e) : 0;
}

/* ---- what is said at the end ---- */

hc_rc hc_predict_note(const hc_engine *e, hc_buffer *out)
{
  const hc_forecasts *f = e->forecasts;
  if (!f || !f->type->learn) return 0;
  hc_buffer_printf(
      out, "%" PRIu64 " of %" PRIu64 " run times were predicted (%s), and corrected %" PRIu64 " times",
      f->predicted, f->asked, f->type->component.name, f->corrections);
  if (f->renews) hc_buffer_printf(out, ", renewed %" PRIu64 " times", f->renewed);
  if (!f->type->note) return 0;
  const size_t before = out->size;
  hc_buffer_text(out, "; ");
  const size_t behind = out->size;
  TRY(f->type->note(f->predictor, out));
  if (out->size == behind && !out->failed) out->data[out->size = before] = '\0';
  return 0;
}

/* ---- as a part ---- */

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  switch (n->kind) {
    case HC_ON_ARRIVED: return arrived(e, n->task);
    case HC_ON_OVER:
      if (!n->for_good) over(e, n->task);
      return 0;
    case HC_ON_GONE: return gone(e, n);
    case HC_ON_FREED: return freed(e);
    default: return 0;
  }
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  hc_forecasts *f = e->forecasts;
  if (!f) return 0;
  HC_VISIT_ARRAY(v, f->of, f->count, f->cap);
  HC_VISIT_ARRAY(v, f->lessons, f->lesson_count, f->lesson_cap);
  HC_VISIT(v, f->asked);
  HC_VISIT(v, f->predicted);
  HC_VISIT(v, f->corrections);
  HC_VISIT(v, f->renewed);
  return f->type->visit ? f->type->visit(f->predictor, v) : 0;
}

static bool wanted(const hc_engine *e)
{
  return e->forecasts != NULL;
}

const hc_part hc_part_predict = {.name = "predict",
                                 .wanted = wanted,
                                 .hears =
                                     HC_HEARS(ARRIVED) | HC_HEARS(OVER) | HC_HEARS(GONE) | HC_HEARS(FREED),
                                 .on = on,
                                 .visit = visit,
                                 .fini = fini};
