/* batsim.c -- a run that a scheduler of Batsim carries out: each decision is a message with what it is
 * told, and an answer with what it wants.
 *
 * What the scheduler is told the architecture `messages` brings, in its order and at its times, which are
 * those of Batsim's server. A decision without news is none: the scheduler hears nothing. What it wants
 * becomes the plan, action by action, so that what cannot be is seen at once and said of that event; with
 * it the run ends. An event that Batsim has and that is not modelled here is refused with the reason.
 *
 * KILL_JOB is answered by JOB_KILLED when all of its jobs have ended; those that had ended by themselves
 * count. How far a killed job had come is said of delays alone. An event of an answer is carried out at its
 * own time, where that is later, and the scheduler hears nothing until its `now` has come, as in Batsim: so
 * an answer may be a plan in parts. A call that comes again and again (version 5) is a wake that is asked for
 * anew when it has come. What is said and heard is written otherwise in versions 4 and 5 (hc_batsim_dialect);
 * what is meant by it is decided here, for both.
 * Cost: O(what is said) a decision; 2 us for an event, beside the way to the scheduler and back.
 * Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include "remote/edc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "remote/session.h"

#define SHOWN 80     /* bytes of an id, in an error */
#define WAITS 100000 /* calls that may be asked for and have not come: they are kept in order */
#define VAIN 100000  /* calls of a period, and answers, that may come after the last job */

/* A KILL_JOB that is not answered yet. */
typedef struct kill {
  uint32_t first, count; /* in `victims` */
} kill;

/* A wake of the run: one that the scheduler has asked for, or one of our own. */
typedef struct wait {
  hc_time at;
  bool is_own;
  bool is_stopped; /* of a period: its scheduler is not told of it any more */
  hc_time period;  /* 0: it comes once */
  hc_time due;     /* of a period: the multiple of it; `at` is later where that has passed */
  uint64_t times;  /* of a period: that are left; 0: any */
  const char *id;  /* what its scheduler calls it; NULL: nothing */
} wait;

typedef struct driver {
  const hc_allocator *allocator;
  hc_run *run;
  const hc_batsim_options *o;
  hc_remote_report *report;
  hc_error *e;
  hc_session session;
  const hc_batsim_dialect *dialect;
  hc_batsim_terms terms;
  hc_batsim_book book;
  hc_batsim_machines machines;
  hc_batsim_message message;
  hc_batsim_answer answer;
  bool begun;
  hc_time now;
  size_t next;                 /* of the answer's events: those before it are planned */
  bool is_known;               /* an answer is being carried out */
  hc_time until;               /* the scheduler's answer ends then */
  const hc_decision *decision; /* at hand */
  const hc_batsim_event *event;
  wait *waits; /* [wait_count] by time, then as they were asked for */
  size_t wait_count, wait_cap;
  wait *again; /* [again_count] of a period, which the run has not been asked for anew */
  size_t again_count, again_cap;
  size_t live;       /* jobs that wait or run */
  bool are_all_told; /* no more jobs will be submitted */
  uint32_t vain;     /* calls of a period, and answers, since the last job was over */
  kill *kills; /* [kill_count] */
  size_t kill_count, kill_cap;
  uint32_t *victims; /* [victim_count] jobs of all kills so far, by their places in the book */
  size_t victim_count, victim_cap;
  const hc_batsim_job **told; /* of one kill: room */
  size_t told_cap;
  bool is_over; /* the scheduler registers nothing more */
  hc_buffer feed, registered; /* room */
  hc_batsim_request *requests; /* [request_count] of the whole run, in their order */
  size_t request_count, request_cap;
  hc_batsim_events events; /* external ones */
  uint8_t *unavailable;    /* [machines] as such an event has said; NULL: there are none */
} driver;

/* ---- what is told ---- */

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

static bool is_done(const driver *d, const kill *k)
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
    if (is_done(d, &k)) TRY(say_kill(d, &k, at));
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
  if (!d->are_all_told || d->live > 0 || ++d->vain < VAIN) return 0;
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

static hc_rc say_news(driver *d, const hc_news *n)
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

/* ---- what is wanted ---- */

static hc_rc wrong(driver *d, hc_rc rc, const hc_batsim_text *id, const char *what)
{
  char at[32];
  at[hc_format_seconds(d->now, at)] = '\0';
  return hc_fail(d->e, rc, "scheduler", 0, 0, "at t=%s s it says %s%s%.*s: %s", at,
                 d->dialect->types[d->event->type], id && id->text ? " of " : "",
                 id && id->text ? (int)HC_MIN(id->size, SHOWN) : 0, id && id->text ? id->text : "", what);
}

static hc_rc job_of(driver *d, const char *text, size_t size, hc_batsim_job **out)
{
  const hc_batsim_text id = {.text = text, .size = size, .kind = '"'};
  *out = text ? hc_batsim_find(&d->book, text, size) : NULL;
  if (*out) return 0;
  return wrong(d, HC_EPOLICY, &id, text ? "the workload has no such job" : "it names no job (`job_id`)");
}

static hc_rc waiting_job(driver *d, hc_batsim_job **out)
{
  const hc_batsim_text *id = &d->event->job_id;
  TRY(job_of(d, id->kind == '"' ? id->text : NULL, id->size, out));
  switch ((hc_batsim_state)(*out)->state) {
    case HC_JOB_WAITS: return 0;
    case HC_JOB_TO_COME: return wrong(d, HC_EPOLICY, id, "it has not been submitted yet");
    case HC_JOB_RUNS: return wrong(d, HC_EPOLICY, id, "it has been started already");
    case HC_JOB_IS_OVER: break;
  }
  return wrong(d, HC_EPOLICY, id, "it is over");
}

/* ---- machines ---- */

/* Machines of a text, or what is wrong. @param least so many at least @param size out */
static hc_rc read_machines(driver *d, const hc_batsim_text *id, const hc_batsim_text *text, uint32_t least,
                           uint32_t *size)
{
  char what[160];
  if (text->kind != '"') return wrong(d, HC_EPOLICY, id, "it names no machines");
  const hc_rc rc = hc_batsim_machines_read(&d->machines, text->text, text->size, size);
  if (rc == HC_ENOMEM || (rc == 0 && *size >= least)) return rc;
  (void)snprintf(what, sizeof what, "\"%.*s\" is no set of the machines 0-%u",
                 (int)HC_MIN(text->size, SHOWN), text->text, d->machines.count - 1);
  return wrong(d, HC_EPOLICY, id, what);
}

/* The set of machines that was read last, as text that lasts. */
static hc_rc keep_machines(driver *d, const char **out)
{
  hc_buffer text;
  hc_buffer_init(&text, d->allocator);
  hc_batsim_machines_put(&d->machines, &text);
  *out = text.failed ? NULL : hc_arena_text(&d->book.arena, text.data ? text.data : "", text.size);
  hc_buffer_fini(&text);
  return *out ? 0 : HC_ENOMEM;
}

/* ---- EXECUTE_JOB ---- */

/* The first of its machines that is not free. */
static hc_rc not_free(driver *d, const hc_batsim_text *alloc)
{
  const hc_decision *x = d->decision;
  char what[160];
  (void)snprintf(what, sizeof what, "it cannot start on %.*s", (int)HC_MIN(alloc->size, SHOWN), alloc->text);
  for (size_t i = 0; i < d->machines.set_count; i++)
    for (uint32_t k = 0; k < d->machines.set[i].count; k++) {
      const uint32_t id = d->machines.set[i].first + k;
      const int64_t *left = x->services->host_free(x->view, d->machines.hosts[id], NULL);
      if (x->services->powered(x->view, d->machines.hosts[id]) != HC_POWER_ON) {
        (void)snprintf(what, sizeof what, "machine %u sleeps, or is being switched", id);
        return wrong(d, HC_EPOLICY, &d->event->job_id, what);
      }
      if (d->unavailable && d->unavailable[id]) {
        (void)snprintf(what, sizeof what, "machine %u is unavailable", id);
        return wrong(d, HC_EPOLICY, &d->event->job_id, what);
      }
      if (!left || left[0] > 0) continue;
      (void)snprintf(what, sizeof what, "machine %u is not free", id);
      return wrong(d, HC_EPOLICY, &d->event->job_id, what);
    }
  return wrong(d, HC_EPOLICY, &d->event->job_id, what);
}

static hc_rc execute(driver *d)
{
  const hc_decision *x = d->decision;
  hc_batsim_text alloc;
  hc_batsim_job *job;
  uint32_t size;
  char what[160];
  hc_rc rc;
  TRY(waiting_job(d, &job));
  const char *refusal = d->dialect->allocation(d->event, job, &d->machines, &alloc, &rc);
  if (refusal) return wrong(d, rc, &d->event->job_id, refusal);
  TRY(read_machines(d, &d->event->job_id, &alloc, 0, &size));
  if (size != (uint64_t)job->res) {
    (void)snprintf(what, sizeof what, "it gets %u machines and asks for %" PRId64, size, job->res);
    return wrong(d, HC_EPOLICY, &d->event->job_id, what);
  }
  rc = x->services->start(x->plan, job->task, d->machines.ranges, d->machines.range_count);
  if (rc == HC_EPOLICY) return not_free(d, &alloc);
  TRY(rc);
  job->state = HC_JOB_RUNS;
  d->report->executed++;
  return keep_machines(d, &job->alloc);
}

/* ---- the others ---- */

static hc_rc reject(driver *d)
{
  hc_batsim_job *job;
  TRY(waiting_job(d, &job));
  TRY(d->decision->services->reject(d->decision->plan, job->task, "its scheduler has rejected it"));
  job->state = HC_JOB_IS_OVER;
  d->live--;
  d->report->rejected++;
  return 0;
}

static hc_rc note_wait(driver *d, wait w)
{
  size_t k = d->wait_count;
  if (k == WAITS)
    return wrong(d, HC_EPOLICY, NULL,
                 "100,000 calls that it has asked for have not come: it cannot ask for more");
  TRY(d->decision->services->wake(d->decision->plan, w.at));
  TRY(hc_reserve(d->allocator, (void **)&d->waits, &d->wait_cap, d->wait_count + 1, sizeof *d->waits));
  while (k > 0 && d->waits[k - 1].at > w.at) k--;
  memmove(d->waits + k + 1, d->waits + k, (d->wait_count - k) * sizeof *d->waits);
  d->waits[k] = w;
  d->wait_count++;
  return 0;
}

/* Calls of a period that has gone on: behind all else that is planned, which is not to be late for them. */
static hc_rc wake_again(driver *d)
{
  for (size_t i = 0; i < d->again_count; i++) {
    wait w = d->again[i];
    w.at = HC_MAX(w.due, d->now);
    if (!w.is_stopped) TRY(note_wait(d, w));
  }
  d->again_count = 0;
  return 0;
}

/* It runs, or has ended and that is on its way to the scheduler, which is told of both in their order. */
static hc_rc stop(driver *d, hc_batsim_job *job)
{
  const hc_services *s = d->decision->services;
  if (job->state == HC_JOB_IS_OVER) return 0;
  if (s->rate(d->decision->view, job->task) < 0 || s->serial(d->decision->view, job->task) != job->serial)
    return 0;
  const hc_rc rc = s->preempt(d->decision->plan, job->task, HC_STOP_KILL);
  if (rc == HC_EPOLICY)
    return wrong(d, rc, &(hc_batsim_text){.text = job->id, .size = strlen(job->id)},
                 "it is started in this very answer");
  TRY(rc);
  d->report->killed++;
  return 0;
}

static hc_rc kill_one(void *ctx, const char *text, size_t size)
{
  driver *d = ctx;
  const hc_batsim_text id = {.text = text, .size = size};
  hc_batsim_job *job;
  TRY(job_of(d, text, size, &job));
  if (job->state == HC_JOB_TO_COME || job->state == HC_JOB_WAITS)
    return wrong(d, HC_EPOLICY, &id, "it does not run: a job that waits is rejected");
  TRY(hc_reserve(d->allocator, (void **)&d->victims, &d->victim_cap, d->victim_count + 1,
                 sizeof *d->victims));
  d->victims[d->victim_count++] = (uint32_t)(job - d->book.jobs);
  return stop(d, job);
}

static hc_rc kill_jobs(driver *d)
{
  const size_t first = d->victim_count;
  const hc_batsim_text *ids = &d->event->job_ids;
  const hc_rc rc = ids->text ? hc_batsim_each_text(ids, kill_one, d) : HC_EPOLICY;
  if (rc < 0 || d->victim_count == first)
    return rc < 0 && rc != HC_EPOLICY ? rc : wrong(d, HC_EPOLICY, NULL, "it has no list `job_ids` with jobs");
  TRY(hc_reserve(d->allocator, (void **)&d->kills, &d->kill_cap, d->kill_count + 1, sizeof *d->kills));
  const kill k = {(uint32_t)first, (uint32_t)(d->victim_count - first)};
  d->kills[d->kill_count++] = k;
  return is_done(d, &k) ? note_wait(d, (wait){.at = d->now, .is_own = true}) : 0; /* no end will be told */
}

static wait *find_among(wait *all, size_t count, const hc_batsim_text *id)
{
  for (size_t i = 0; i < count; i++)
    if (all[i].period > 0 && !all[i].is_stopped && all[i].id && strlen(all[i].id) == id->size &&
        memcmp(all[i].id, id->text, id->size) == 0)
      return &all[i];
  return NULL;
}

/* A call by its name that comes again and again. NULL: there is none. */
static wait *find_period(driver *d, const hc_batsim_text *id)
{
  wait *w = find_among(d->waits, d->wait_count, id);
  return w ? w : find_among(d->again, d->again_count, id);
}

static hc_rc call_later(driver *d)
{
  const hc_batsim_text *id = &d->event->call_id;
  hc_batsim_when when;
  wait w = {.at = 0};
  const char *what = d->dialect->when(d->event, &when);
  if (what) return wrong(d, HC_EPOLICY, id, what);
  w.at = when.period > 0 ? hc_time_add(d->now - d->now % when.period, when.period) : when.at;
  if (w.at < d->now - HC_US)
    return wrong(d, HC_EPOLICY, id, id->text ? "its time has passed" : "its `timestamp` has passed");
  w.at = w.due = HC_MAX(w.at, d->now);
  w.period = when.period;
  w.times = when.times;
  if (id->text && when.period > 0 && find_period(d, id))
    return wrong(d, HC_EPOLICY, id, "a call that it has asked for has this name, and comes again and again");
  if (id->text && !(w.id = hc_arena_text(&d->book.arena, id->text, id->size))) return HC_ENOMEM;
  d->report->calls++;
  return note_wait(d, w);
}

/* One that comes once, has come, or never was asked for: without effect, as in Batsim. */
static hc_rc stop_call(driver *d)
{
  const hc_batsim_text *id = &d->event->call_id;
  if (id->kind != '"') return wrong(d, HC_EPOLICY, NULL, "it names no call (`call_me_later_id`)");
  wait *w = find_period(d, id);
  if (w) w->is_stopped = true;
  return 0;
}

/* ---- states of power ---- */

/* It is told when all that is joined with this is over. */
static hc_rc ask_back(driver *d, const hc_batsim_request *r, bool is_joined)
{
  const hc_services *s = d->decision->services;
  TRY(hc_reserve(d->allocator, (void **)&d->requests, &d->request_cap, d->request_count + 1,
                 sizeof *d->requests));
  TRY(s->report(d->decision->plan, (int64_t)d->request_count, r->type == HC_HEARD_QUERY));
  d->requests[d->request_count++] = *r;
  return is_joined ? s->join(d->decision->plan) : 0;
}

static hc_rc not_so(driver *d, hc_rc rc, uint32_t machine, const char *what)
{
  char text[200];
  (void)snprintf(text, sizeof text, "machine %u %s", machine, what);
  return wrong(d, rc, NULL, text);
}

/* From one state into another, which takes no time. */
static hc_rc change_state(driver *d, uint32_t machine, uint32_t state)
{
  const hc_decision *x = d->decision;
  const uint32_t now = x->services->pstate_of(x->view, d->machines.hosts[machine]);
  if (d->event->type == HC_HEARD_TURN_ON_OFF) return not_so(d, HC_EPOLICY, machine, "is on already");
  if (state == (now < HC_POWER_STATES ? now : 0)) return 0;
  return not_so(d, HC_EUNSUPPORTED, machine,
                "is to compute at another speed, and the speeds of machines are those of the platform: it "
                "can sleep, and wake");
}

static hc_rc sleep_or_wake(driver *d, uint32_t machine, bool wakes, hc_time takes)
{
  const hc_decision *x = d->decision;
  if (takes == HC_NEVER)
    return not_so(d, HC_EUNSUPPORTED, machine,
                  "has no speed (flop/s) for the state that it passes through, by which that takes time");
  const hc_rc rc = x->services->power(x->plan, d->machines.hosts[machine], wakes, takes);
  return rc == HC_EPOLICY ? not_so(d, rc, machine, "cannot sleep: a job is on it") : rc;
}

static hc_rc switch_machine(driver *d, uint32_t machine, uint32_t state)
{
  const hc_decision *x = d->decision;
  const hc_cell_spec *cell = x->context->cell;
  const uint32_t host = d->machines.hosts[machine];
  hc_batsim_states states;
  hc_batsim_states_of(&cell->classes[cell->class_of[host]], x->context->lexicon, &states);
  const hc_power_state now = x->services->powered(x->view, host);
  const hc_batsim_state_kind kind = hc_batsim_state_is(&states, state);
  if (d->event->type == HC_HEARD_CHANGE_PSTATE && (now != HC_POWER_ON || kind == HC_STATE_SLEEPS))
    return not_so(d, HC_EUNSUPPORTED, machine, "is put to sleep, and woken, by TurnOnOffHostsEvent alone");
  if (now == HC_POWER_STOPPING || now == HC_POWER_STARTING)
    return not_so(d, HC_EPOLICY, machine, "is being switched already");
  switch (kind) {
    case HC_STATE_NONE: return not_so(d, HC_EPOLICY, machine, "has no such state of power");
    case HC_STATE_PASSES:
      return not_so(d, HC_EPOLICY, machine, "only passes through this state when it is switched");
    case HC_STATE_OTHER_SLEEP:
      return not_so(d, HC_EUNSUPPORTED, machine,
                    "sleeps in the first state of `sleep_pstates`, and in no other");
    case HC_STATE_SLEEPS:
      if (now == HC_POWER_OFF) return not_so(d, HC_EPOLICY, machine, "sleeps already");
      return sleep_or_wake(d, machine, false, states.stops);
    case HC_STATE_COMPUTES: break;
  }
  if (now == HC_POWER_ON) return change_state(d, machine, state);
  if (state != 0)
    return not_so(d, HC_EUNSUPPORTED, machine, "wakes into the state 0, which it was in, and in no other");
  return sleep_or_wake(d, machine, true, states.starts);
}

static bool may_switch(const driver *d)
{
  const hc_chosen *policy = d->decision->policy;
  const hc_policy_type *type = (const hc_policy_type *)policy->type;
  return type->flags && (type->flags(policy->options) & HC_MAY_POWER) != 0;
}

static hc_rc switch_machines(driver *d)
{
  const hc_batsim_event *x = d->event;
  hc_batsim_request r = {.type = x->type};
  uint32_t size, planned = 0;
  if (!may_switch(d))
    return wrong(d, HC_EUNSUPPORTED, NULL, "machines are switched where energy is counted: say --energy");
  TRY(read_machines(d, NULL, &x->machines, 1, &size));
  if ((x->state.kind != '"' && x->state.kind != '0') ||
      hc_parse_int(x->state.text, x->state.size, &r.state) < 0 || r.state < 0 || r.state >= UINT32_MAX)
    return wrong(d, HC_EPOLICY, NULL, "it names no state of power");
  TRY(keep_machines(d, &r.machines));
  for (size_t i = 0; i < d->machines.set_count; i++)
    for (uint32_t k = 0; k < d->machines.set[i].count; k++) {
      const hc_plan_mark before = d->decision->services->mark(d->decision->plan);
      TRY(switch_machine(d, d->machines.set[i].first + k, (uint32_t)r.state));
      const hc_plan_mark after = d->decision->services->mark(d->decision->plan);
      if (after.actions == before.actions) continue; /* it is so already */
      if (planned++ > 0) TRY(d->decision->services->join(d->decision->plan));
    }
  d->report->switches++;
  return ask_back(d, &r, planned > 0);
}

static hc_rc query(driver *d)
{
  static const hc_batsim_member members[] = {{"consumed_energy", 0}};
  hc_batsim_text energy = {0};
  if (!hc_batsim_members(&d->event->queries, members, 1, &energy))
    return wrong(d, HC_EPOLICY, NULL, "it has no object `requests`");
  if (!energy.text)
    return wrong(d, HC_EUNSUPPORTED, NULL, "of its `requests` only consumed_energy can be answered");
  return ask_back(d, &(hc_batsim_request){.type = HC_HEARD_QUERY}, false);
}

/* ---- jobs of its own ---- */

/* A message that is not answered. */
static hc_rc take_message(driver *d)
{
  return d->decision->services->report(d->decision->plan, -1, false);
}

static hc_rc submit_job(driver *d)
{
  hc_batsim_job *job = &d->book.jobs[d->book.count - 1];
  hc_batsim_request r = {.type = HC_HEARD_REGISTER_JOB, .state = (int64_t)d->book.count - 1};
  const hc_rc rc = hc_run_submit(d->run, d->feed.data, d->feed.size, &job->serial, 1, d->e);
  if (rc < 0) return rc;
  job->task = rc == 1 ? d->decision->services->find(d->decision->view, job->serial) : HC_NO_TASK;
  if (job->task == HC_NO_TASK)
    return wrong(d, HC_EUNSUPPORTED, &d->event->job_id, "the run takes no such job: it would never start");
  d->live++;
  return d->terms.acknowledges ? ask_back(d, &r, false) : take_message(d);
}

static hc_rc register_one(driver *d)
{
  const bool is_job = d->event->type == HC_HEARD_REGISTER_JOB;
  const hc_batsim_text *id = is_job ? &d->event->job_id : &d->event->profile_name;
  hc_batsim_registered x;
  if (!d->terms.is_dynamic)
    return wrong(d, HC_EUNSUPPORTED, id,
                 d->o->remote.edc ? "it has not said that it would (dynamic_registration)"
                                  : "jobs come from the workload alone: say --enable-dynamic-jobs");
  if (d->is_over) return wrong(d, HC_EPOLICY, id, "it has said that it registers nothing more");
  const char *what = d->dialect->registered(d->event, &d->registered, &x);
  if (what) return wrong(d, HC_EPOLICY, id, what);
  const hc_rc rc = is_job ? hc_batsim_add_job(&d->book, &x, &d->machines, d->now, &d->feed, &what)
                          : hc_batsim_add_profile(&d->book, &x, &d->feed, &what);
  if (rc == HC_EPOLICY) return wrong(d, rc, id, what);
  TRY(rc);
  if (is_job) return submit_job(d);
  TRY(hc_run_submit(d->run, d->feed.data, d->feed.size, NULL, 0, d->e));
  return take_message(d);
}

static hc_rc finish_registration(driver *d, bool is_over)
{
  if (!d->terms.is_dynamic) return 0; /* no job is registered */
  d->is_over = is_over;
  return take_message(d);
}

static hc_rc set_metadata(driver *d)
{
  const hc_batsim_text *id = &d->event->job_id, *text = &d->event->metadata;
  hc_batsim_job *job;
  TRY(job_of(d, id->kind == '"' ? id->text : NULL, id->size, &job));
  if (text->kind != '"' || memchr(text->text, '\\', text->size))
    return wrong(d, HC_EPOLICY, id, "`metadata` is no text without quotes and backslashes");
  job->metadata = hc_arena_text(&d->book.arena, text->text, text->size);
  return job->metadata ? 0 : HC_ENOMEM;
}

static bool says(const hc_batsim_text *t, const char *word)
{
  return t->kind == '"' && t->size == strlen(word) && memcmp(t->text, word, t->size) == 0;
}

static hc_rc notice(driver *d)
{
  const hc_batsim_text *t = &d->event->notice;
  const bool is_on = says(t, "continue_registration");
  if (says(t, "registration_finished") || (is_on && d->terms.is_dynamic))
    return finish_registration(d, !is_on);
  return wrong(d, HC_EUNSUPPORTED, NULL,
               is_on ? "jobs come from the workload alone: say --enable-dynamic-jobs"
                     : "only the notices registration_finished and continue_registration are known");
}

/* Why what has no meaning here has none. */
static hc_rc refused(driver *d)
{
  const hc_batsim_text *id = &d->event->job_id;
  switch (d->event->type) {
    case HC_HEARD_CHANGE_JOB_STATE:
      return wrong(d, HC_EUNSUPPORTED, id, "the state of a job is the run's: reject it, or kill it");
    case HC_HEARD_TO_JOB_MSG:
      return wrong(d, HC_EUNSUPPORTED, id, "jobs do not talk with schedulers (send, recv)");
    case HC_HEARD_CREATE_PROBE:
    case HC_HEARD_STOP_PROBE:
    case HC_HEARD_TRIGGER_PROBE:
    case HC_HEARD_RESET_PROBE:
      return wrong(d, HC_EUNSUPPORTED, NULL, "energy is known when the run is over, and not before");
    case HC_HEARD_FORCE_STOP:
      return wrong(d, HC_EUNSUPPORTED, NULL,
                   "a run goes on to its end: reject the jobs that wait, and kill those that run");
    case HC_HEARD_HELLO: return wrong(d, HC_EPOLICY, NULL, "it has said hello already");
    default: break;
  }
  return wrong(d, HC_EUNSUPPORTED, NULL, "it has not been asked anything");
}

static hc_rc carry_out(driver *d)
{
  switch (d->event->type) {
    case HC_HEARD_EXECUTE_JOB: return execute(d);
    case HC_HEARD_REJECT_JOB: return reject(d);
    case HC_HEARD_KILL_JOB: return kill_jobs(d);
    case HC_HEARD_CALL_ME_LATER: return call_later(d);
    case HC_HEARD_STOP_CALL: return stop_call(d);
    case HC_HEARD_SET_JOB_METADATA: return set_metadata(d);
    case HC_HEARD_NOTIFY: return notice(d);
    case HC_HEARD_SET_RESOURCE_STATE:
    case HC_HEARD_CHANGE_PSTATE:
    case HC_HEARD_TURN_ON_OFF: return switch_machines(d);
    case HC_HEARD_QUERY: return query(d);
    case HC_HEARD_REGISTER_JOB:
    case HC_HEARD_REGISTER_PROFILE: return register_one(d);
    case HC_HEARD_FINISH_REGISTRATION: return finish_registration(d, true);
    default: return refused(d);
  }
}

/* ---- a decision ---- */

static hc_rc ask(driver *d, const char **answer, size_t *size, hc_time *took)
{
  hc_batsim_say_whole(&d->message, d->now);
  if (d->message.whole.failed) return HC_ENOMEM;
  return hc_session_ask(&d->session, d->message.whole.data, d->message.whole.size, answer, size, took, d->e);
}

static hc_time in_microseconds(hc_time t)
{
  return (t + HC_US / 2) / HC_US * HC_US;
}

/* When the scheduler wants an event, or the end of its answer, to be. */
static hc_time time_of(const driver *d, hc_time named)
{
  return d->o->remote.think == HC_THINK_ANSWER && named > in_microseconds(d->now) ? named : d->until;
}

static hc_rc talk(driver *d)
{
  const char *answer;
  size_t size;
  hc_time took;
  TRY(ask(d, &answer, &size, &took));
  TRY(hc_batsim_hear(&d->answer, d->dialect, answer, size, d->now, d->e));
  d->next = 0;
  d->is_known = true;
  d->until = hc_time_add(d->now, hc_session_think(&d->session, took));
  for (size_t i = 0; i < d->answer.count; i++) d->answer.events[i].at = time_of(d, d->answer.events[i].at);
  d->until = time_of(d, d->answer.now);
  return 0;
}

/* Plan what is to be by now. @return 0: all of the answer; 1: there is a rest */
static hc_rc plan_due(driver *d)
{
  for (; d->next < d->answer.count && d->answer.events[d->next].at <= d->now; d->next++) {
    d->event = &d->answer.events[d->next];
    TRY(carry_out(d));
  }
  d->is_known = d->next < d->answer.count || d->until > d->now;
  return d->is_known;
}

static hc_rc plan_answer(driver *d)
{
  const hc_rc rc = d->is_known ? plan_due(d) : 0;
  if (rc < 0) return rc;
  if (rc == 0) {
    TRY(wake_again(d));
    return hc_run_decide(d->run, d->e);
  }
  return hc_run_decide_more(d->run, d->next < d->answer.count ? d->answer.events[d->next].at : d->until,
                            d->e);
}

/* What a component of version 5 answers first says what it wants to be told. */
static hc_rc greet(driver *d)
{
  hc_buffer *greeting = &d->message.whole;
  const char *answer;
  size_t size;
  hc_time took;
  greeting->size = 0;
  hc_edc_greeting(greeting, d->o->remote.edc);
  if (greeting->failed) return HC_ENOMEM;
  TRY(hc_session_ask(&d->session, greeting->data, greeting->size, &answer, &size, &took, d->e));
  return hc_edc_greeted(&d->terms, &d->answer, answer, size, d->e);
}

static void note_sleep_state(driver *d)
{
  const hc_policy_context *c = d->decision->context;
  hc_batsim_states x = {.sleep = UINT32_MAX};
  if (d->machines.count > 0)
    hc_batsim_states_of(&c->cell->classes[c->cell->class_of[d->machines.hosts[0]]], c->lexicon, &x);
  d->report->sleep_state = x.sleep != UINT32_MAX ? x.sleep : 0;
}

/* Each file is told by a sender of its own. */
static hc_rc tell_run(driver *d, const char *path)
{
  const size_t first = d->events.count;
  TRY(hc_batsim_events_read(&d->events, &d->terms, &d->book.arena, &d->machines, path, d->e));
  const size_t count = d->events.count - first, size = count * sizeof(hc_incident);
  hc_incident *all = hc_alloc(d->allocator, size);
  if (count > 0 && !all) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    const hc_batsim_occurrence *x = &d->events.items[first + i];
    all[i] = (hc_incident){.at = x->at,
                           .change = x->kind == HC_OCCURS_GENERIC       ? HC_INCIDENT_ALONE
                                     : x->kind == HC_OCCURS_UNAVAILABLE ? (uint32_t)HC_HOST_DRAIN
                                                                        : (uint32_t)HC_HOST_UP,
                           .hosts = x->hosts,
                           .host_count = x->host_count};
  }
  const hc_rc rc = hc_run_incidents(d->run, all, count, d->e);
  hc_free(d->allocator, all, size);
  return rc;
}

static hc_rc begin_events(driver *d)
{
  d->events.allocator = d->allocator;
  if (d->o->event_count == 0) return 0;
  d->unavailable = hc_alloc(d->allocator, HC_MAX(d->machines.count, 1));
  if (!d->unavailable) return HC_ENOMEM;
  for (size_t i = 0; i < d->o->event_count; i++) TRY(tell_run(d, d->o->events[i]));
  return 0;
}

static hc_rc begin(driver *d)
{
  d->begun = true;
  TRY(hc_batsim_machines_of(&d->machines, d->allocator, d->decision->context->cell, d->e));
  TRY(begin_events(d));
  note_sleep_state(d);
  if (d->o->remote.edc) TRY(greet(d));
  d->dialect->begins(&d->message, &d->machines, d->decision->context);
  return 0;
}

/* A start on its way is refused by a machine that has become unavailable meanwhile. */
static hc_rc check_refused(const driver *d)
{
  const hc_decision *x = d->decision;
  if (!d->unavailable || !(x->why.bits & HC_WHY_CONFLICT)) return 0;
  for (size_t i = 0; i < d->book.count; i++) {
    const hc_batsim_job *job = &d->book.jobs[i];
    if (job->state != HC_JOB_RUNS || !x->services->waits(x->view, job->task) ||
        x->services->serial(x->view, job->task) != job->serial)
      continue;
    char at[32];
    at[hc_format_seconds(d->now, at)] = '\0';
    return hc_fail(d->e, HC_EPOLICY, "scheduler", 0, 0,
                   "before t=%s s it has started %.80s on machines of which one had become unavailable", at,
                   job->id);
  }
  return 0;
}

/* News of while it thinks waits for the next message. */
static hc_rc decide(driver *d, const hc_decision *x)
{
  d->decision = x;
  d->now = x->services->now(x->view);
  if (!d->begun) TRY(begin(d));
  TRY(check_refused(d));
  for (size_t i = 0; i < x->news_count; i++) TRY(say_news(d, &x->news[i]));
  if (!d->is_known && d->message.events.size > 0) TRY(talk(d));
  return plan_answer(d);
}

/* ---- the end ---- */

/* A run with events of hosts may put a job back into its queue, which no message of Batsim says. */
static hc_rc check_lost(const driver *d, uint64_t waiting)
{
  if (waiting == 0) return 0;
  return hc_fail(d->e, HC_EUNSUPPORTED, "batsim", 0, 0,
                 "%" PRIu64 " jobs lost their hosts and wait again, of which schedulers of Batsim are not "
                 "told: leave out events of hosts, or say `host_loss: lost`",
                 waiting);
}

static hc_rc check_left(const driver *d)
{
  size_t left = 0;
  const hc_batsim_job *first = NULL;
  for (size_t i = 0; i < d->book.count; i++) {
    const hc_batsim_job *job = &d->book.jobs[i];
    if (job->state != HC_JOB_WAITS) continue;
    if (left++ == 0) first = job;
  }
  if (left == 0) return 0;
  return hc_fail(
      d->e, HC_EPOLICY, "scheduler", 0, 0,
      "it has neither started nor rejected %zu job%s, of which %.80s is the first, and nothing more "
      "will happen",
      left, left == 1 ? "" : "s", first->id);
}

static hc_rc check_registration(const driver *d)
{
  if (!d->terms.is_dynamic || d->is_over) return 0;
  return hc_fail(d->e, HC_EPOLICY, "scheduler", 0, 0,
                 "nothing more will happen, and it has not said that it registers nothing more (%s)",
                 d->o->remote.edc ? "FinishRegistrationEvent" : "NOTIFY registration_finished");
}

static hc_rc store_metadata(const driver *d, hc_store *store)
{
  for (size_t i = 0; store && i < d->book.count; i++) {
    const hc_batsim_job *job = &d->book.jobs[i];
    char key[40];
    if (!job->metadata || job->task == HC_NO_TASK) continue;
    (void)snprintf(key, sizeof key, "metadata/%" PRIu64, job->serial);
    TRY(hc_store_row(store, "run_info", 2, (const char *[]){key, job->metadata}, d->e));
  }
  return 0;
}

static hc_rc end(driver *d, hc_store *store)
{
  hc_progress p;
  const char *answer;
  size_t size;
  hc_time took;
  TRY(check_left(d));
  TRY(check_registration(d));
  hc_run_progress(d->run, &p);
  TRY(check_lost(d, p.waiting));
  d->now = p.now;
  d->dialect->ends(&d->message, d->now);
  TRY(ask(d, &answer, &size, &took));
  return store_metadata(d, store);
}

static hc_rc drive(driver *d, hc_store *store)
{
  hc_decision x;
  hc_rc rc;
  while ((rc = hc_run_wait_decision(d->run, HC_NEVER, &x, d->e)) == HC_RUN_DECISION) TRY(decide(d, &x));
  return rc < 0 ? rc : end(d, store);
}

static void fini(driver *d)
{
  hc_buffer_fini(&d->message.events);
  hc_buffer_fini(&d->message.whole);
  hc_free(d->allocator, d->answer.events, d->answer.cap * sizeof *d->answer.events);
  hc_free(d->allocator, d->waits, d->wait_cap * sizeof *d->waits);
  hc_free(d->allocator, d->again, d->again_cap * sizeof *d->again);
  hc_free(d->allocator, d->kills, d->kill_cap * sizeof *d->kills);
  hc_free(d->allocator, d->victims, d->victim_cap * sizeof *d->victims);
  hc_free(d->allocator, (void *)d->told, d->told_cap * sizeof *d->told);
  hc_buffer_fini(&d->feed);
  hc_buffer_fini(&d->registered);
  hc_free(d->allocator, d->requests, d->request_cap * sizeof *d->requests);
  hc_free(d->allocator, d->events.items, d->events.cap * sizeof *d->events.items);
  hc_free(d->allocator, d->unavailable, d->unavailable ? HC_MAX(d->machines.count, 1) : 0);
  hc_batsim_book_fini(&d->book);
  hc_batsim_machines_fini(&d->machines);
}

hc_rc hc_remote_batsim(const hc_allocator *a, hc_run *run, hc_store *store, const hc_batsim_options *o,
                       hc_remote_report *report, hc_error *e)
{
  hc_remote_report own = {0};
  driver d = {.allocator = a, .run = run, .o = o, .report = report ? report : &own, .e = e};
  d.answer.allocator = a;
  d.dialect = o->remote.edc ? &hc_batsim_5 : &hc_batsim_4;
  d.terms = (hc_batsim_terms){.o = o, .book = &d.book, .profiles_with_jobs = o->forwards_profiles,
                              .is_dynamic = o->is_dynamic,
                              .acknowledges = o->is_dynamic && o->acknowledges};
  d.message.terms = &d.terms;
  *d.report = own;
  hc_buffer_init(&d.message.events, a);
  hc_buffer_init(&d.message.whole, a);
  hc_buffer_init(&d.feed, a);
  hc_buffer_init(&d.registered, a);
  hc_rc rc = hc_batsim_book_read(&d.book, a, o->workload, e);
  if (rc >= 0) rc = hc_session_open(&d.session, a, &o->remote, d.report, e);
  if (rc >= 0) rc = drive(&d, store);
  const hc_rc closed = d.session.allocator ? hc_session_close(&d.session, rc < 0 ? NULL : e) : 0;
  fini(&d);
  return rc < 0 ? rc : closed;
}
