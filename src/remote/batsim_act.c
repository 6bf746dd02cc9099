/* batsim_act.c -- what a scheduler of Batsim wants: each event of its answer becomes an action of the plan,
 * or an error that says what is wrong with it.
 *
 * An event that Batsim has and that is not modelled here is refused with the reason. A call that comes again
 * and again (version 5) is a wake that is asked for anew when it has come. What machines of one event are
 * switched is one message of the plan, and so is each registration of a job or a profile.
 * Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "remote/batsim_driver.h"

#define SHOWN 80     /* bytes of an id, in an error */
#define WAITS 100000 /* calls that may be asked for and have not come: they are kept in order */

typedef hc_batsim_driver driver;
typedef hc_batsim_kill kill;
typedef hc_batsim_wait wait;

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
hc_rc hc_batsim_wake_again(driver *d)
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
  if (!hc_batsim_kill_is_done(d, &k)) return 0;
  return note_wait(d, (wait){.at = d->now, .is_own = true}); /* no end will be told */
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
      if (d->unavailable && d->unavailable[machine]) return not_so(d, HC_EPOLICY, machine, "is unavailable");
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
  return job->metadata ? take_message(d) : HC_ENOMEM;
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

/* A job that waits is rejected; another change is of jobs that run nowhere. */
static hc_rc change_job_state(driver *d)
{
  if (says(&d->event->job_state, "REJECTED")) return reject(d);
  return wrong(d, HC_EUNSUPPORTED, &d->event->job_id,
               "the state of a job is the run's, but for REJECTED: start it, or kill it");
}

/* Why what has no meaning here has none. */
static hc_rc refused(driver *d)
{
  const hc_batsim_text *id = &d->event->job_id;
  switch (d->event->type) {
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

hc_rc hc_batsim_carry_out(driver *d)
{
  switch (d->event->type) {
    case HC_HEARD_EXECUTE_JOB: return execute(d);
    case HC_HEARD_REJECT_JOB: return reject(d);
    case HC_HEARD_CHANGE_JOB_STATE: return change_job_state(d);
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
