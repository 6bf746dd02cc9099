/* batsim.c -- a run that a scheduler of Batsim carries out: each decision is a message with what it is
 * told, and an answer with what it wants.
 *
 * What the scheduler is told the architecture `messages` brings, in its order and at its times, which are
 * those of Batsim's server. A decision without news is none: the scheduler hears nothing. What it wants
 * becomes the plan, action by action, so that what cannot be is seen at once and said of that event; with
 * it the run ends.
 *
 * An event of an answer is carried out at its own time, where that is later, and the scheduler hears nothing
 * until its `now` has come, as in Batsim: so an answer may be a plan in parts. What is said and heard is
 * written otherwise in versions 4 and 5 (hc_batsim_dialect); what is meant by it is decided here, for both
 * (batsim_news.c, batsim_act.c).
 * Cost: O(what is said) a decision; 2 us for an event, beside the way to the scheduler and back.
 * Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include "remote/edc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "remote/batsim_driver.h"

typedef hc_batsim_driver driver;

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
    TRY(hc_batsim_carry_out(d));
  }
  d->is_known = d->next < d->answer.count || d->until > d->now;
  return d->is_known;
}

static hc_rc plan_answer(driver *d)
{
  const hc_rc rc = d->is_known ? plan_due(d) : 0;
  if (rc < 0) return rc;
  if (rc == 0) {
    TRY(hc_batsim_wake_again(d));
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
  for (size_t i = 0; i < x->news_count; i++) TRY(hc_batsim_say_news(d, &x->news[i]));
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
