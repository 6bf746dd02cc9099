/* admit.c -- from what a log says of a task to one that can be scheduled.
 *
 * Every choice that published simulators make differently is an option (see stream.h). In this order: it must
 * have a time of submission; have run, or be withdrawn as the log says; need processors; fit; and then its
 * run time is cut or not by its limit. A limit of zero is no limit. Does not change the spec. Cost: about 5
 * ns. */
#include "workload/admit.h"

#include <string.h>

#include "base/util.h"
#include "workload/ledger.h"

/* HC_TASK_CLAMPED and HC_TASK_NO_LIMIT of hindcast/record.h, which this room does not include; a test
 * compares. */
enum { FLAG_CLAMPED = 2, FLAG_NO_LIMIT = 4, FLAG_PREFILL = 16 };

static bool has_demand(const hc_task_spec *t)
{
  return t->hosts > 0 || t->need[HC_DIM_CPU] > 0 || t->need[HC_DIM_MEMORY] > 0 || t->need[HC_DIM_GPU] > 0;
}

/* A task of a data centre on a machine that counts processors: its cores, rounded up in each slot; or one for
 * each host that it wants. */
static int64_t cores_of(const hc_task_spec *t)
{
  const int64_t slots = HC_MAX(t->hosts, 1), cpu = t->need[HC_DIM_CPU];
  int64_t units;
  if (!has_demand(t)) return 0;
  if (cpu <= 1000) return slots;
  return __builtin_mul_overflow(slots, cpu / 1000 + (cpu % 1000 != 0), &units) ? INT64_MAX : units;
}

static int64_t units_of(hc_processors choice, const hc_task_spec *t)
{
  const int64_t asked = t->procs_asked, used = t->procs_used;
  if (asked <= 0 && used <= 0) return cores_of(t);
  switch (choice) {
    case HC_PROCS_ASKED: return asked > 0 ? asked : used;
    case HC_PROCS_USED: return used > 0 ? used : asked;
    case HC_PROCS_LARGER: return HC_MAX(asked, used);
  }
  return asked;
}

/* Cancelled or failed before it had a processor. An unknown number of processors says nothing if it did run.
 * Of a task that ran for no time, most formats do not say whether it started: it did if the log knows it. */
bool hc_never_ran(const hc_task_spec *t)
{
  if (t->run == HC_UNKNOWN) return true;
  if (t->flags & HC_SPEC_STARTED) return t->run < 0;
  if (t->status != HC_STATUS_CANCELLED && t->status != HC_STATUS_FAILED) return false;
  if (has_demand(t)) return t->run < 0;
  return t->run <= 0 || t->procs_used == 0 || (t->procs_used < 0 && t->procs_asked <= 0);
}

/* It can never run: its row is rejected, or the run is over. */
static hc_rc refuse(const hc_admission *o, const char *name, const hc_arrival *a, hc_reason why, hc_error *e)
{
  if (o->too_large != HC_LARGE_ERROR) return 0;
  return hc_fail(
      e, HC_EINPUT, name, hc_line_number(a->spec.line), 0,
      "task %lld can never run on these hosts (%s: %s): set too_large to reject, or give the cell what it "
      "asks for",
      (long long)a->spec.id, hc_reason_name(why), hc_reason_text(why));
}

/* On a cell of hosts. */
static hc_rc fit_hosts(const hc_admission *o, const char *name, hc_arrival *a, hc_reason *why, hc_error *e)
{
  const hc_rc rc = o->judge.judge(o->judge.ctx, a, why);
  return rc != 0 ? rc : refuse(o, name, a, *why, e);
}

static hc_rc fit(const hc_admission *o, const char *name, hc_arrival *a, hc_reason *why, hc_error *e)
{
  if (o->judge.judge) return fit_hosts(o, name, a, why, e);
  if (a->units <= 0) {
    *why = HC_REASON_NO_PROCESSORS;
    return 0;
  }
  if (o->capacity <= 0 || a->units <= o->capacity) return 1;
  *why = HC_REASON_TOO_LARGE;
  switch (o->too_large) {
    case HC_LARGE_REJECT: return 0;
    case HC_LARGE_CLAMP:
      a->units = o->capacity;
      a->flags |= FLAG_CLAMPED;
      return 1;
    case HC_LARGE_ERROR: break;
  }
  return hc_fail(
      e, HC_EINPUT, name, hc_line_number(a->spec.line), 0,
      "task %lld needs %lld processors and the machine has %lld: set too_large to reject or clamp, or "
      "give the machine's size",
      (long long)a->spec.id, (long long)a->units, (long long)o->capacity);
}

/* The limit that counts: HC_NEVER if there is none. */
static hc_time limit_of(const hc_admission *o, hc_arrival *a)
{
  if (a->spec.limit > 0) return a->spec.limit;
  a->flags |= FLAG_NO_LIMIT;
  switch (o->no_limit) {
    case HC_NO_LIMIT_RUN: return a->run;
    case HC_NO_LIMIT_ENDLESS: return HC_NEVER;
    case HC_NO_LIMIT_ASSUME: return o->assumed_limit > 0 ? o->assumed_limit : HC_NEVER;
  }
  return HC_NEVER;
}

/* Cut the run by the limit; return what is planned with. */
static hc_time meet_limit(hc_overrun choice, hc_time limit, hc_arrival *a)
{
  const hc_time run = a->run;
  if (run <= limit) return limit;
  switch (choice) {
    case HC_OVERRUN_KILL:
      a->run = limit;
      a->killed = true;
      return limit;
    case HC_OVERRUN_RUN_ON: return limit;
    case HC_OVERRUN_EXTEND: return run;
    case HC_OVERRUN_KILL_PLANNED_LONG:
      a->run = limit;
      a->killed = true;
      return run;
  }
  return limit;
}

/* It waits as long as the log says it did, and leaves. @return 1, or 0 if the log does not say how long. */
static hc_rc withdraw(const hc_admission *o, const char *name, hc_arrival *a, hc_reason *why, hc_error *e)
{
  *why = HC_REASON_NEVER_RAN;
  if (o->cancelled != HC_CANCELLED_WITHDRAW || a->spec.wait < 0) return 0;
  a->units = units_of(HC_PROCS_ASKED, &a->spec);
  if (a->units <= 0 && !o->judge.judge) return 0;
  const hc_rc rc = fit(o, name, a, why, e);
  if (rc <= 0) return rc;
  a->spec.cancel_at = hc_time_add(a->spec.submit, a->spec.wait);
  a->run = HC_NEVER;
  a->estimate = a->running_estimate = limit_of(o, a);
  return 1;
}

/* Nothing but what every task has. All of these are none at once, or one of them is not. */
static bool is_plain(const hc_task_spec *t)
{
  const int64_t unknown = (t->limit ^ HC_UNKNOWN) | (t->not_before ^ HC_UNKNOWN),
                none = (t->group & t->executable & t->queue & t->partition) ^ -1,
                zero = t->priority | (int64_t)t->more;
  return (unknown | none | zero) == 0 && (t->cancel_at == HC_NEVER || t->cancel_at == HC_UNKNOWN);
}

/* How long it runs is known when it has: what is believed is what its user asked for, or, where no limit was
 * asked for, what its profile takes alone if that is known. */
static hc_rc admit_profile(const hc_admission *o, const char *name, hc_arrival *out, hc_reason *why,
                           hc_error *e)
{
  const hc_time alone = out->spec.run;
  out->units = units_of(o->processors, &out->spec);
  const hc_rc rc = fit(o, name, out, why, e);
  if (rc <= 0) return rc;
  out->run = alone == HC_UNKNOWN ? HC_NEVER : alone;
  out->plain = false;
  out->estimate = out->running_estimate = limit_of(o, out);
  out->run = HC_NEVER;
  if (!o->judge.allows || o->judge.allows(o->judge.ctx, out, out->estimate)) return 1;
  *why = HC_REASON_NO_HOST;
  return refuse(o, name, out, *why, e);
}

hc_rc hc_admit(const hc_admission *o, const char *name, hc_arrival *out, hc_reason *why, hc_error *e)
{
  const hc_task_spec *t = &out->spec;
  hc_time planned;
  memset((char *)out + sizeof out->spec, 0, sizeof *out - sizeof out->spec);
  if (t->flags & HC_SPEC_PREFILL) out->flags |= FLAG_PREFILL;
  if (t->submit == HC_UNKNOWN) {
    *why = HC_REASON_NO_SUBMIT;
    return 0;
  }
  if (t->flags & HC_SPEC_PROFILE) return admit_profile(o, name, out, why, e);
  if (hc_never_ran(t)) return withdraw(o, name, out, why, e);
  out->units = units_of(o->processors, t);
  const hc_rc rc = fit(o, name, out, why, e);
  if (rc <= 0) return rc;
  out->run = t->run;
  if (out->run <= 0) {
    *why = HC_REASON_ZERO_LENGTH;
    if (o->zero_length == HC_ZERO_DROP) return 0;
    out->run = o->zero_length == HC_ZERO_SECOND ? HC_SECOND : 0;
  }
  out->plain = is_plain(t);
  const hc_time limit = limit_of(o, out);
  if (t->more != 0 && o->judge.allows && !o->judge.allows(o->judge.ctx, out, limit)) {
    *why = HC_REASON_NO_HOST;
    return refuse(o, name, out, *why, e);
  }
  planned = meet_limit(o->overrun, limit, out);
  out->estimate = o->believe_waiting == HC_BELIEVE_RUN ? out->run : planned;
  out->running_estimate = o->believe_running == HC_BELIEVE_RUN ? out->run : planned;
  return 1;
}

hc_admitted hc_admit_times(const hc_admission *o, hc_time run, hc_time limit, hc_time estimate)
{
  hc_arrival a = {.spec.limit = limit, .run = run};
  if (run <= 0) a.run = o->zero_length == HC_ZERO_SECOND ? HC_SECOND : 0;
  hc_time planned = meet_limit(o->overrun, limit_of(o, &a), &a);
  if (estimate != HC_UNKNOWN) planned = HC_MIN(planned, estimate);
  return (hc_admitted){.run = a.run,
                       .estimate = o->believe_waiting == HC_BELIEVE_RUN ? a.run : planned,
                       .running_estimate = o->believe_running == HC_BELIEVE_RUN ? a.run : planned,
                       .killed = a.killed};
}
