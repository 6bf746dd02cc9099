/* batsim_news.c -- what has happened, as a scheduler of Batsim is told of it: news become events of the next
 * message, and the books of jobs, calls and kills follow.
 *
 * KILL_JOB is answered by JOB_KILLED when all of its jobs have ended; those that had ended by themselves
 * count. How far a killed job had come is said of delays alone. Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "remote/batsim_driver.h"

typedef hc_batsim_driver driver;
typedef hc_batsim_kill kill;
typedef hc_batsim_wait wait;

static hc_rc say_submitted(driver *d, const hc_news *n)
{
  if (n->id < 1 || (uint64_t)n->id > d->book.count)
    return hc_fail(d->e, HC_EUSAGE, d->o->workload, 0, 0,
                   "the run has a task %" PRId64
                   " that the workload does not: its source must be this file, with "
                   "`ties: id` and nothing that changes it",
                   n->id);
  hc_batsim_job *job = &d->book.jobs[n->id - 1];
  job->state = HC_JOB_WAITS;
  job->task = n->task;
  job->serial = n->serial;
  d->live++;
  d->dialect->submitted(&d->message, n->at, job);
  return 0;
}

static void say_ended(driver *d, const hc_news *n)
{
  hc_batsim_job *job = &d->book.jobs[n->id - 1];
  hc_batsim_end how = HC_JOB_SUCCEEDED;
  int64_t code = 0;
  job->is_killed = (n->flags & HC_TASK_PREEMPTED) != 0; /* it may have ended by itself before */
  if (job->is_killed) {
    how = HC_JOB_WAS_KILLED;
    code = -2;
  } else if (n->flags & HC_TASK_FAILED) {
    const int64_t ret = job->profile < d->book.profile_count ? d->book.profiles[job->profile].ret : 0;
    how = HC_JOB_FAILED;
    code = ret != 0 ? ret : 1;
  } else if (n->final != HC_FINAL_COMPLETED) {
    how = HC_JOB_REACHED_WALLTIME;
    code = -1;
  }
  job->state = HC_JOB_IS_OVER;
  d->live--;
  job->start = n->start;
  job->end = n->end;
  d->dialect->ended(&d->message, n->at, job, how, code);
}

bool hc_batsim_kill_is_done(const driver *d, const kill *k)
{
  for (uint32_t i = 0; i < k->count; i++)
    if (d->book.jobs[d->victims[k->first + i]].state != HC_JOB_IS_OVER) return false;
  return true;
}

static hc_rc say_kill(driver *d, const kill *k, hc_time at)
{
  TRY(hc_reserve(d->allocator, (void **)&d->told, &d->told_cap, k->count, sizeof *d->told));
  for (uint32_t i = 0; i < k->count; i++) d->told[i] = &d->book.jobs[d->victims[k->first + i]];
  d->dialect->killed(&d->message, at, d->told, k->count);
  return 0;
}

/* Those of which all jobs are over. */
static hc_rc say_kills(driver *d, hc_time at)
{
  size_t kept = 0;
  for (size_t i = 0; i < d->kill_count; i++) {
    const kill k = d->kills[i];
    if (hc_batsim_kill_is_done(d, &k)) TRY(say_kill(d, &k, at));
    else d->kills[kept++] = k;
  }
  d->kill_count = kept;
  if (kept == 0) d->victim_count = 0;
  return 0;
}

/* One more thing that happens because its scheduler has asked for it, when all jobs are over: so many and no
 * more. */
static hc_rc in_vain(driver *d, const char *what, const char *id)
{
  if (!d->are_all_told || d->live > 0 || ++d->vain < HC_BATSIM_VAIN) return 0;
  return hc_fail(d->e, HC_EPOLICY, "scheduler", 0, 0,
                 "all jobs are over, and %s%.80s is all that happens, again and again: it never stops", what,
                 id);
}

/* A call of a period is asked for anew when what is planned now is planned. */
static hc_rc go_on(driver *d, wait w)
{
  if (w.times > 0) w.times--;
  w.due = hc_time_add(w.due, w.period);
  if (w.times == 0) TRY(in_vain(d, "its call ", w.id ? w.id : ""));
  TRY(hc_reserve(d->allocator, (void **)&d->again, &d->again_cap, d->again_count + 1, sizeof *d->again));
  d->again[d->again_count++] = w;
  return 0;
}

/* Wakes come in the order of their times. One of our own is there for the answer to a kill. */
static hc_rc say_call(driver *d, const hc_news *n)
{
  if (d->wait_count == 0) return 0;
  const wait w = d->waits[0];
  memmove(d->waits, d->waits + 1, --d->wait_count * sizeof *d->waits);
  if (w.is_own) TRY(say_kills(d, n->at));
  if (w.is_own || w.is_stopped) return 0;
  const bool is_last = w.period > 0 && w.times == 1;
  d->dialect->called(&d->message, n->at, w.id ? w.id : "", is_last);
  return w.period > 0 && !is_last ? go_on(d, w) : 0;
}

/* What it has asked for is over. */
static hc_rc say_done(driver *d, const hc_news *n)
{
  const hc_batsim_request *r = &d->requests[n->id];
  if (r->type == HC_HEARD_REGISTER_JOB) {
    d->dialect->submitted(&d->message, n->at, &d->book.jobs[r->state]);
    return 0;
  }
  TRY(in_vain(d, "what it asks for", ""));
  if (r->type != HC_HEARD_QUERY) d->dialect->switched(&d->message, n->at, r);
  else if (n->energy >= 0) d->dialect->energy(&d->message, n->at, n->energy);
  else
    return hc_fail(d->e, HC_EUNSUPPORTED, "scheduler", 0, 0,
                   "it asks for the energy that machines have consumed, which this run does not count: say "
                   "--energy (metrics: [{use: energy, trace: true}])");
  return 0;
}

/* An external event. */
static hc_rc say_occurs(driver *d, const hc_news *n)
{
  const hc_batsim_occurrence *x = &d->events.items[n->id];
  const bool goes = x->kind == HC_OCCURS_UNAVAILABLE;
  for (size_t i = 0; i < x->machine_count; i++) {
    uint8_t *is_gone = &d->unavailable[x->machines[i]];
    char at[32];
    at[hc_format_seconds(x->at, at)] = '\0';
    if (*is_gone == goes)
      return hc_fail(d->e, HC_EINPUT, d->o->events[x->list], 0, 0,
                     "at t=%s s machine %u becomes %s, and is so already", at, x->machines[i],
                     goes ? "unavailable" : "available");
    *is_gone = goes;
  }
  d->dialect->occurs(&d->message, n->at, x);
  return 0;
}

hc_rc hc_batsim_say_news(driver *d, const hc_news *n)
{
  switch ((hc_news_kind)n->kind) {
    case HC_NEWS_SUBMITTED: return say_submitted(d, n);
    case HC_NEWS_ENDED:
      say_ended(d, n);
      return say_kills(d, n->at);
    case HC_NEWS_CALL: return say_call(d, n);
    case HC_NEWS_ALL_SUBMITTED:
      d->are_all_told = true;
      d->dialect->all_submitted(&d->message, n->at);
      return 0;
    case HC_NEWS_DONE: return say_done(d, n);
    case HC_NEWS_INCIDENT: return say_occurs(d, n);
    case HC_NEWS_NO_MORE_INCIDENTS: d->dialect->all_occurred(&d->message, n->at); return 0;
    case HC_NEWS_SWITCHES:
    case HC_NEWS_SWITCHED: break;
  }
  return 0;
}
