/* lines.c -- the policy `process`: another program decides, which is told and asked by a line of JSON each.
 *
 * The program is started at the first decision, greets, and from then on hears at each decision what has
 * changed since the last one: what waits anew, what runs that it has not started itself, what is gone, and
 * what is free. It answers with a plan, action by action. So it keeps books of its own, and a message is as
 * long as what happened. A start that came to nothing (a conflict behind a time of thought) it hears of as of
 * a task that waits again: what it believes is what the run shows, at every message.
 *
 * Nothing is believed before it is checked: an action that cannot be ends the run with an error that quotes
 * it. It is called where a policy is called: while tasks of its queue wait.
 *
 * A run cannot be saved: what the program remembers is not ours to save. Cost: O(what has changed) a message,
 * and on a cell of hosts O(hosts), since others may act on them; beside the way to the program and back. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "remote/lines.h"

enum { THINK_NONE, THINK_MEASURED };

#define ASKS "may_preempt|makes_reservations|asks_jobs|ignores_time"
static const uint32_t declares[] = {HC_MAY_PREEMPT,
                                    HC_MAKES_RESERVATIONS | HC_NEEDS_TIMELINE | HC_NEEDS_ESTIMATE,
                                    HC_ASKS_JOBS, HC_IGNORES_TIME};

#define MOST_ROUNDS 10000 /* of one decision */

static uint32_t flags(const void *opts)
{
  const hc_lines_options *o = opts;
  const int *asks = o->asks.items;
  uint32_t out = HC_TIME_DEPENDENT;
  for (size_t i = 0; i < o->asks.count; i++) out |= declares[asks[i]];
  return out & HC_IGNORES_TIME ? out : out | HC_NEEDS_ESTIMATE;
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const hc_lines_options *o = opts;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
}

/* ---- the session ---- */

static hc_rc greet(hc_policy *self, hc_view *v)
{
  const hc_lines_options *o = self->o;
  const char *answer;
  hc_time took;
  size_t size;
  TRY(hc_spoken_open(&self->with, (hc_remote_options){.command = o->replay ? NULL : self->command,
                                                      .timeout = o->timeout,
                                                      .most = o->most,
                                                      .record = o->record,
                                                      .replay = o->replay}));
  hc_lines_say_hello(self, v);
  TRY(hc_spoken_ask(&self->with, &answer, &size, &took));
  return hc_lines_hear_hello(self, answer, size);
}

/* ---- a decision ---- */

/* Until it has no more to say at this time. */
static hc_rc talk(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  bool has_more = false;
  self->thought = 0;
  for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
    const char *answer;
    hc_time took;
    size_t size;
    TRY(hc_lines_say_decide(self, v, why, round > 0));
    TRY(hc_spoken_ask(&self->with, &answer, &size, &took));
    self->decisions++;
    self->thought = hc_time_add(self->thought, took);
    TRY(hc_lines_hear_plan(self, v, p, answer, size, &has_more));
    if (!has_more) return 0;
  }
  return hc_fail(&self->with.error, HC_EPOLICY, HC_LINES_PLACE, 0, 0,
                 "it has said `more` %d times at one instant, which would not end", MOST_ROUNDS);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_rc rc = 0;
  if (self->with.has_failed) return HC_EPOLICY;
  self->with.view = v;
  if (!self->with.is_open) rc = greet(self, v);
  if (rc >= 0) rc = talk(self, v, p, why);
  if (rc < 0) rc = hc_spoken_failed(&self->with, rc);
  self->with.view = NULL;
  return rc;
}

static bool thinks(const void *opts)
{
  return ((const hc_lines_options *)opts)->think == THINK_MEASURED;
}

static hc_time thought(const hc_policy *self)
{
  return self->thought;
}

/* ---- its books ---- */

static hc_rc note_change(hc_policy *self, hc_task t)
{
  if (self->tasks[t].is_changed) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->changed, &self->changed_cap, self->changed_count + 1,
                 sizeof *self->changed));
  self->changed[self->changed_count++] = (hc_lines_change){.task = t};
  self->tasks[t].is_changed = true;
  return 0;
}

/* The task of that number, which another one may have had. */
static hc_rc know(hc_policy *self, hc_task t, uint64_t serial)
{
  while (self->task_count <= t) {
    TRY(hc_reserve(self->allocator, (void **)&self->tasks, &self->task_cap, self->task_count + 1,
                   sizeof *self->tasks));
    self->tasks[self->task_count++] = (hc_lines_task){.serial = 0};
  }
  hc_lines_task *x = &self->tasks[t];
  if (x->is_here && x->serial == serial) return 0;
  if (x->is_here) hc_map_remove(&self->by_serial, x->serial);
  if (x->is_here && x->known != HC_LINES_UNKNOWN) {
    TRY(hc_reserve(self->allocator, (void **)&self->gone, &self->gone_cap, self->gone_count + 1,
                   sizeof *self->gone));
    self->gone[self->gone_count++] = x->serial;
  }
  *x = (hc_lines_task){.serial = serial, .is_here = true, .is_changed = x->is_changed};
  return hc_map_set(&self->by_serial, serial, t);
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  HC_UNUSED(amounts);
  TRY(know(self, t, self->s->serial(v, t)));
  if (what == HC_TASK_EVENT_QUEUED) self->tasks[t].is_queued = true;
  if (what == HC_TASK_EVENT_DEQUEUED) self->tasks[t].is_queued = false;
  return note_change(self, t);
}

/* ---- its life ---- */

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->allocator;
  (void)hc_spoken_close(&self->with);
  hc_map_fini(&self->by_serial);
  hc_spoken_fini(&self->with);
  hc_buffer_fini(&self->part);
  hc_free(a, self->tasks, self->task_cap * sizeof *self->tasks);
  hc_free(a, self->changed, self->changed_cap * sizeof *self->changed);
  hc_free(a, self->gone, self->gone_cap * sizeof *self->gone);
  hc_free(a, self->free, self->free_cap * sizeof *self->free);
  hc_free(a, self->ranges, self->range_cap * sizeof *self->ranges);
  hc_free(a, self->command, (self->o->command.count + 1) * sizeof *self->command);
  hc_free(a, self, sizeof *self);
}

static hc_rc check(const hc_lines_options *o, hc_error *e)
{
  if (o->command.count == 0 && !o->replay)
    return hc_fail(e, HC_EUSAGE, HC_LINES_PLACE, 0, 0,
                   "missing `command`: the program that decides and its arguments, such as [python3, "
                   "fcfs.py]");
  if (o->record && o->replay)
    return hc_fail(e, HC_EUSAGE, HC_LINES_PLACE, 0, 0,
                   "record and replay: what is replayed has been recorded already; leave one out");
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const hc_lines_options *o = opts;
  hc_policy *self;
  TRY(check(o, e));
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){.s = c->services,
                      .allocator = c->allocator,
                      .o = o,
                      .cell = c->cell,
                      .lexicon = c->lexicon,
                      .seed = c->seed,
                      .replication = c->replication,
                      .unix_start = c->unix_start,
                      .flags = flags(o)};
  hc_map_init(&self->by_serial, c->allocator);
  hc_spoken_init(&self->with, c, HC_LINES_PLACE);
  hc_buffer_init(&self->part, c->allocator);
  self->command = hc_alloc(c->allocator, (o->command.count + 1) * sizeof *self->command);
  if (!self->command) {
    fini(self);
    return HC_ENOMEM;
  }
  for (size_t i = 0; i < o->command.count; i++) self->command[i] = ((const char *const *)o->command.items)[i];
  self->command[o->command.count] = NULL;
  *out = self;
  return 0;
}

/* All that it was told and has said: two runs that agree in it agree in what it knows. It is never loaded. */
static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  if (hc_visit_loading(v)) return HC_EUNSUPPORTED;
  HC_VISIT(v, self->decisions);
  HC_VISIT(v, self->with.said);
  return 0;
}

static hc_rc may_save(const void *opts, hc_error *e)
{
  HC_UNUSED(opts);
  return hc_fail(e, HC_EUNSUPPORTED, HC_LINES_PLACE, 0, 0,
                 "what another program remembers cannot be saved with the run: run it from the beginning, or "
                 "use a policy of Hindcast's own");
}

/* ---- the end of the run ---- */

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  HC_UNUSED(f);
  if (!self->with.is_open) return 0;
  hc_lines_say_bye(self);
  const hc_rc rc = hc_spoken_end(&self->with, &self->status);
  self->is_over = rc >= 0;
  const hc_rc closed = hc_spoken_close(&self->with);
  return rc == HC_ENOMEM ? rc : closed;
}

static hc_rc note(const hc_policy *self, hc_buffer *out)
{
  const char *name = self->command[0] ? self->command[0] : "the program";
  if (self->is_over && self->status != 0)
    hc_buffer_printf(out, "%s ended with status %d when it was told that the run is over", name,
                     self->status);
  else if (!self->is_over && self->with.error.rc < 0)
    hc_buffer_printf(out, "when the run was over: %s", self->with.error.text);
  return out->failed ? HC_ENOMEM : 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXTS, hc_lines_options, command, NULL,
             "The program that decides and its arguments: [python3, fcfs.py]. It is looked for on PATH and "
             "started in the working directory, once for each scheduler of a run, at its first decision. "
             "Needed unless `replay` is set."),
    HC_PARAM(COMPONENT, hc_lines_options, place, HC_KIND_PLACE, "first_fit",
             "Placement of a start that names no processors or hosts."),
    HC_PARAM(COMPONENT, hc_lines_options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Hosts that may be used now."),
    HC_PARAM(CHOICES, hc_lines_options, asks, ASKS, "[]",
             "What the program uses beyond starts. may_preempt: `stop`; makes_reservations: `reserve`; "
             "asks_jobs: it is told the job, the group and the queue of each task; ignores_time: it is told "
             "no estimates."),
    HC_PARAM(CHOICE, hc_lines_options, think, "none|measured", "none",
             "How long a decision takes in the run. none: no time, or `think` of the architecture; measured: "
             "as long as the program's answer took by the wall clock, in addition to `think`. With the "
             "architecture monolithic only."),
    HC_PARAM(TIME, hc_lines_options, timeout, "s", "600", 0, 1e9,
             "How long an answer may take by the wall clock, in steps of a quarter of a second; 0: any "
             "time."),
    HC_PARAM(SIZE, hc_lines_options, most, "B", "64MiB", 1, 1e12, "Greatest size of an answer."),
    HC_PARAM(TEXT, hc_lines_options, record, NULL,
             "File in which all messages, and the time of each answer, are recorded for `replay`. The file "
             "must not exist yet. Runs of a study, and schedulers of a run, need a file each. Default: "
             "none."),
    HC_PARAM(FILE, hc_lines_options, replay, NULL,
             "Recorded file (`record`) from which the answers are taken, in place of the program: it repeats "
             "the run that was recorded, measured times included. A message that differs from the recorded "
             "one is an error. Default: none."),
    {0}};

const hc_policy_type hc_policy_process = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "process",
         .summary =
             "another program decides, by lines of JSON on its standard input and output",
         .detail = "At each decision the program is told what has changed and what is free, and answers with "
                   "a plan: starts, on hosts that it names or anywhere, stops, reservations, and times at "
                   "which it wants to be called. docs/process.md describes the protocol, with its schema. "
                   "The program is asked while tasks of its queue wait. If it ends, does not answer, or "
                   "gives an answer that is not valid, the run ends with an error that quotes the answer. "
                   "Runs with this policy cannot be saved.",
         .params = params, .options_size = sizeof(hc_lines_options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
    .finish = finish,
    .note = note,
    .thinks = thinks,
    .thought = thought,
    .may_save = may_save,
};
