/* result.c -- a stored result, read whole and checked: its tables, and what its configuration promises.
 *
 * A promise is read off the configuration that was resolved: FCFS of the selector `blocking` in the order of
 * arrival, EASY that protects its one reservation anew at each instant, conservative that never moves a plan
 * back. Where several decisions stand behind one instant of the records, or where tasks are not where their
 * submission puts them (they waited for others, began anew, were suspended), records do not show what was
 * promised: then nothing is. Rows come back in the order in which tasks ended; the checks sort them. Cost:
 * that of reading, and of the checks. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "verify/parts.h"

#define BLOCK 4096

typedef struct reading {
  const hc_allocator *allocator;
  hc_result *result;
  hc_error *error;
  hc_verify_ticks ticks;
  hc_task_record *records; /* [count] */
  size_t count, cap;
  hc_verify_hosts hosts;
  hc_verify_stops stops;
  hc_verify_rates rates;
  hc_verify_regrants regrants;
  hc_verify_times times;
  hc_verify_components components;
  hc_verify_priorities priorities;
  hc_verify_corrections corrections;
  hc_verify_sets sets;
  hc_verify_booked booked;
  hc_verify_activity activity;
  hc_verify_told told;
  hc_verify_options options;
} reading;

/* ---- what was promised ---- */

static bool config_is(hc_result *r, const char *path, const char *value)
{
  const char *v = hc_result_config(r, path);
  return v && strcmp(v, value) == 0;
}

/* One decision at the end of each instant in which something happened. */
static bool decides_always(hc_result *r)
{
  const char *apart = hc_result_config(r, "architecture.apart"); /* NULL: of an older result */
  return config_is(r, "architecture", "monolithic") && config_is(r, "architecture.call.0", "instant") &&
         !hc_result_config(r, "architecture.call.1") && hc_result_config(r, "architecture.triggers.2") &&
         config_is(r, "architecture.think", "0") && (!apart || strcmp(apart, "0") == 0);
}

/* On what policies believe. Elsewhere several decisions stand behind one instant of the records, and what
 * each promised cannot be read off them. */
static bool decides_once(hc_result *r)
{
  return decides_always(r) && config_is(r, "believe_waiting", "limit") &&
         config_is(r, "believe_running", "limit") && !config_is(r, "policy.place", "contiguous");
}

/* EASY's promise, by its knobs. In whichever order candidates are tried, none may delay the head. */
static bool easy_promises(hc_result *r)
{
  return config_is(r, "policy.select", "easy") && config_is(r, "policy.select.protect", "true") &&
         config_is(r, "policy.select.sticky", "false") && config_is(r, "policy.select.retry", "always") &&
         config_is(r, "policy.select.relax", "0");
}

/* Some components look at nothing but the task: then it has one size from its arrival on. */
static bool settles_sizes(hc_result *r)
{
  static const char *const fixed[] = {"configured", "fewest", "most", "preferred", "efficiency", "fraction"};
  const char *mold = hc_result_config(r, "policy.mold");
  bool is_fixed = !mold || !*mold;
  for (size_t i = 0; i < HC_ARRAY_LEN(fixed); i++) is_fixed |= config_is(r, "policy.mold", fixed[i]);
  return !is_fixed;
}

/* Nothing that could be held against the schedule, and why. */
static hc_promise none(reading *x, hc_gap why)
{
  x->told.gaps |= UINT32_C(1) << why;
  return HC_PROMISE_NONE;
}

/* What the stored configuration promises beyond what every schedule must keep. A conservative plan that is
 * made anew as a whole may move a task back, so it promises nothing; one that is compressed or kept does. Of
 * keys that change those at first count, up to when one changes that matters (told.c). */
static hc_promise promise_of(reading *x)
{
  hc_result *r = x->result;
  const bool in_order = config_is(r, "policy", "batch") && config_is(r, "policy.order", "fcfs");
  const bool is_conservative = config_is(r, "policy.select", "conservative");
  const char *preempt = hc_result_config(r, "policy.preempt"); /* older results have no such key */
  if (!x->told.by_run || !in_order || !config_is(r, "architecture", "monolithic"))
    return none(x, HC_GAP_POLICY);
  if (preempt && strcmp(preempt, "none") != 0) return none(x, HC_GAP_OUTRANKED);
  if (settles_sizes(r)) return none(x, HC_GAP_SIZED);
  if (config_is(r, "policy.select", "blocking")) return HC_PROMISE_FCFS;
  if (!is_conservative && !easy_promises(r)) return none(x, HC_GAP_POLICY);
  if (!decides_once(r)) return none(x, HC_GAP_OFTEN);
  if (!is_conservative) return HC_PROMISE_EASY;
  if (config_is(r, "predictor.renew", "true")) return none(x, HC_GAP_OFTEN);
  if (config_is(r, "policy.select.replan", "compress") || config_is(r, "policy.select.replan", "none"))
    return HC_PROMISE_CONSERVATIVE;
  return none(x, HC_GAP_ANEW);
}

/* Hosts that shrink, tasks that cannot grow and reservations that begin stop tasks for none that starts. */
static bool stops_otherwise(const reading *x)
{
  const char *shrinks = hc_result_config(x->result, "host_shrinks");
  return (shrinks && strcmp(shrinks, "keep") != 0) || config_is(x->result, "cannot_grow", "requeue") ||
         x->told.window_count + x->told.announcement_count > 0;
}

/* Tasks are stopped by priority wherever a decision follows all that happens, and nothing else holds a task
 * back or takes what is free. */
static bool stops_by_priority(hc_result *r)
{
  return config_is(r, "policy", "batch") && config_is(r, "policy.preempt", "priority") &&
         config_is(r, "policy.preempt.grace", "0") && config_is(r, "policy.preempt.backoff", "0") &&
         decides_always(r);
}

/* Tasks that waited for others, or began anew, are not where their submission would put them. And only who
 * plans every task promises something to one that may not start yet. */
static hc_promise judge_promise(reading *x)
{
  static const char *const moves[] = {"held_back",      "requeued",    "preempted",
                                      "preempt_killed", "suspensions", "plan_resizes"};
  const hc_promise promise = promise_of(x);
  if (promise == HC_PROMISE_NONE) return promise;
  for (size_t i = 0; i < HC_ARRAY_LEN(moves); i++)
    if (hc_told_fact(&x->told, moves[i]) != 0) return none(x, HC_GAP_MOVED);
  if (x->times.count > 0 && promise != HC_PROMISE_CONSERVATIVE) return none(x, HC_GAP_MOVED);
  if (x->told.promises_until != HC_NEVER) x->told.gaps |= UINT32_C(1) << HC_GAP_CHANGED;
  return promise;
}

/* ---- reading ---- */

static hc_rc read_tasks(reading *x)
{
  const uint64_t all = hc_result_task_count(x->result);
  const char *rows = hc_result_config(x->result, "task_rows");
  size_t got = 1;
  if (rows && strcmp(rows, "all") != 0)
    return hc_fail(
        x->error, HC_EUSAGE, hc_result_path(x->result), 0, 0,
        "the result has task_rows: %s, and this needs a row for every task; run it with task_rows: all",
        rows);
  for (bool first = true; got > 0; first = false) {
    if (hc_reserve(x->allocator, (void **)&x->records, &x->cap, x->count + BLOCK, sizeof *x->records) < 0)
      return hc_fail(x->error, HC_ENOMEM, hc_result_path(x->result), 0, 0, "out of memory for its tasks");
    TRY(hc_result_tasks(x->result, first, x->records + x->count, BLOCK, &got, x->error));
    x->count += got;
    if (x->ticks.tick && all > 0 && !x->ticks.tick(x->ticks.ctx, HC_MIN(x->count, all), 2 * all))
      return HC_ECANCELLED;
  }
  return 0;
}

static hc_rc read_capacity(reading *x, int64_t wanted)
{
  const char *procs = hc_result_config(x->result, "cell.procs"), *path = hc_result_path(x->result);
  int64_t n = hc_told_fact(&x->told, "processors");
  if (hc_result_config(x->result, "world"))
    return hc_fail(x->error, HC_EUNSUPPORTED, path, 0, 0,
                   "a run of a closed world has no schedule of tasks that could be verified");
  if (n <= 0 && procs) (void)hc_parse_int(procs, strlen(procs), &n);
  if (wanted > 0) n = wanted;
  x->options.capacity = n;
  if (n > 0) return 0;
  return hc_fail(x->error, HC_EUSAGE, path, 0, 0,
                 "how many processors did the machine have? Say it with --procs N");
}

static hc_rc read_all(reading *x, const hc_verify_request *q)
{
  hc_verify_options *o = &x->options;
  const hc_allocator *a = x->allocator;
  hc_rc rc;
  TRY(read_tasks(x));
  TRY(hc_told_read(a, x->result, &x->told, x->error));
  o->told = &x->told;
  x->told.by_profile = config_is(x->result, "execution", "activities");
  o->honours_run = x->told.by_run;
  TRY(rc = hc_verify_hosts_read(a, x->result, &x->hosts, x->error));
  if (rc == 1) o->hosts = &x->hosts;
  else TRY(read_capacity(x, q->capacity));
  TRY(rc = hc_verify_stops_read(a, x->result, x->hosts.host_count, &x->stops, x->error));
  if (rc == 1) o->stops = &x->stops;
  TRY(rc = hc_verify_rates_read(a, x->result, &x->rates, x->error));
  if (rc == 1) o->rates = &x->rates;
  TRY(rc = hc_verify_regrants_read(a, x->result, x->hosts.host_count, &x->regrants, x->error));
  if (rc == 1) o->regrants = &x->regrants;
  TRY(rc = hc_verify_times_read(a, x->result, &x->times, x->error));
  if (rc == 1) o->times = &x->times;
  TRY(rc = hc_verify_components_read(a, x->result, &x->components, x->error));
  if (rc == 1) o->components = &x->components;
  TRY(rc = hc_verify_priorities_read(a, x->result, &x->priorities, x->error));
  if (rc == 1) o->priorities = &x->priorities;
  o->stops_by_priority = x->told.by_run && stops_by_priority(x->result) && !stops_otherwise(x);
  TRY(rc = hc_verify_corrections_read(a, x->result, &x->corrections, x->error));
  if (rc == 1) o->corrections = &x->corrections;
  TRY(rc = hc_verify_sets_read(a, x->result, &x->sets, x->error));
  if (rc == 1) o->sets = &x->sets;
  TRY(rc = hc_verify_booked_read(a, x->result, &x->booked, x->error));
  if (rc == 1) o->booked = &x->booked;
  TRY(rc = hc_verify_activity_read(a, x->result, &x->activity, x->error));
  if (rc == 1) o->activity = &x->activity;
  o->promise = q->promise < 0                  ? judge_promise(x)
               : q->promise == HC_PROMISE_NONE ? none(x, HC_GAP_POLICY)
                                               : (hc_promise)q->promise;
  if (o->rates && o->regrants)
    return hc_fail(x->error, HC_EUNSUPPORTED, hc_result_path(x->result), 0, 0,
                   "tasks were both resized and suspended in it, which cannot be checked together");
  return 0;
}

hc_rc hc_verify_result(const hc_allocator *a, hc_result *r, const hc_verify_request *q,
                       void (*each)(void *ctx, const hc_violation *v), void *ctx, hc_verify_report *report,
                       hc_error *e)
{
  reading x = {.allocator = a, .result = r, .error = e, .ticks = q->ticks, .options.ticks = q->ticks};
  hc_rc rc = read_all(&x, q);
  if (rc >= 0) rc = hc_verify(a, &x.options, x.records, x.count, each, ctx, report);
  if (rc == HC_ENOMEM) (void)hc_fail(e, rc, hc_result_path(r), 0, 0, "out of memory for the check");
  hc_free(a, x.records, x.cap * sizeof *x.records);
  hc_verify_corrections_free(a, &x.corrections);
  hc_verify_sets_free(a, &x.sets);
  hc_verify_booked_free(a, &x.booked);
  hc_verify_activity_free(a, &x.activity);
  hc_verify_times_free(a, &x.times);
  hc_verify_components_free(a, &x.components);
  hc_verify_priorities_free(a, &x.priorities);
  hc_verify_rates_free(a, &x.rates);
  hc_verify_regrants_free(a, &x.regrants);
  hc_verify_stops_free(a, &x.stops);
  hc_verify_hosts_free(a, &x.hosts);
  hc_told_free(a, &x.told);
  return rc;
}
