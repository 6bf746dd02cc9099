/* google_life.c -- from events to tasks: the life of each (job, index), and when it can be told.
 *
 *   (none) -SUBMIT-> pending -SCHEDULE-> running -EVICT, FAIL, FINISH, KILL, LOST-> dead -SUBMIT-> ...
 *
 * Rows that a trace lacks are made good where what they said follows: a SCHEDULE of a task that is not
 * known is its arrival too; a SUBMIT or SCHEDULE of one that runs ends what runs. Rows of one time may
 * stand in any order that is understood: SCHEDULE before SUBMIT, an end before the SCHEDULE that it ends,
 * SUBMIT before the EVICT that it follows. An end of what is not known cannot be understood.
 *
 * A task is told when its end is final: by FINISH, by an end that is not followed by a SUBMIT in time, or
 * because it cannot be waited for any longer (window, number of held tasks, end of the trace). Told in
 * order of arrival: one that still runs holds back those behind it.
 *
 * Each task keeps one row for itself, which is used or rejected when it is told; all others are merged
 * when they are read. Cost: about 0.1 us a row. Source: Reiss, Wilkes, Hellerstein, Google cluster-usage
 * traces: format + schema, 2011; Wilkes, Google cluster-usage traces v3, 2020. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/google.h"
#include "workload/ledger.h"
#include "workload/spec.h"

#define BIT(event) (1u << (event))
#define FINE HC_REASON_COUNT
#define MOST 9.2e18

static hc_google_task *task_at(hc_google *g, uint32_t i)
{
  return &g->held.tasks[i];
}

static void merged(hc_google *g)
{
  if (g->context->ledger) g->context->ledger->merged++;
}

static hc_rc reject(hc_google *g, uint64_t line, hc_reason why, hc_error *e)
{
  return hc_parts_refuse_line(&g->tables[HC_GOOGLE_TABLE_EVENTS], g->context, line, why, e);
}

static void forget(hc_google *g, uint32_t i)
{
  hc_google_drop(g, task_at(g, i)->more);
  hc_google_remove(&g->held, i);
}

static bool is_final(const hc_google *g, const hc_google_task *t)
{
  return g->o->attempts == HC_GOOGLE_EACH || !(g->merge & BIT(t->how));
}

/* ---- what a row says of a task ---- */

static void take_need(hc_google *g, hc_google_task *t, const hc_google_row *r)
{
  hc_row_ledger *ledger = g->context->ledger;
  for (int d = 0; d < HC_GOOGLE_NEEDS; d++) {
    const int64_t had = t->need[d], has = r->need[d];
    if (has == HC_UNKNOWN || has == had) continue;
    if (had != HC_UNKNOWN && g->o->updates == HC_GOOGLE_UPDATES_FIRST) continue;
    if (had > has && g->o->updates == HC_GOOGLE_UPDATES_LARGEST) continue;
    t->need[d] = has;
    if (!ledger || !(r->error[d] > 0)) continue;
    ledger->rounded++;
    ledger->rounding = HC_MAX(ledger->rounding, r->error[d]);
  }
}

static void take_facts(hc_google *g, hc_google_task *t, const hc_google_row *r)
{
  t->seen |= (uint16_t)BIT(r->event);
  if (hc_google_is_end((hc_google_event)r->event)) return;
  if (r->priority != HC_GOOGLE_UNSAID) t->priority = r->priority;
  if (r->queue >= 0) t->queue = r->queue;
  if (r->user != 0) t->user = r->user;
  take_need(g, t, r);
}

static bool is_update(const hc_google_row *r)
{
  return r->event == HC_GOOGLE_UPDATE_PENDING || r->event == HC_GOOGLE_UPDATE_RUNNING;
}

static const hc_google_job *job_of(const hc_google *g, int64_t job)
{
  const uint32_t i = hc_map_get(&g->job_of, (uint64_t)job);
  return i == HC_MAP_NONE ? NULL : &g->jobs[i];
}

/* Rare facts of a new task: those of its job, and of its own row. */
static hc_rc take_more(hc_google *g, hc_google_task *t, const hc_google_row *r, const hc_google_job *job)
{
  hc_lexicon *l = g->context->lexicon;
  const hc_task_extras *own = l ? hc_lexicon_more(l, r->more) : NULL;
  const hc_task_extras *base = l && job ? hc_lexicon_more(l, job->more) : NULL;
  hc_task_extras m = base ? *base : hc_task_extras_none();
  if (!l || (!own && !base && !r->different)) return 0;
  if (own) {
    m.constraints = own->constraints;
    m.constraint_count = own->constraint_count;
    t->constrained = r->time;
  }
  if (r->different) {
    m.per_host = 1;
    m.rival = r->job;
  }
  t->more = hc_lexicon_keep(l, &m);
  return t->more == 0 ? HC_ENOMEM : 0;
}

/* Its constraints are now those of the row, which lists all that hold. */
static hc_rc replace_constraints(hc_google *g, hc_google_task *t, const hc_google_row *r)
{
  hc_lexicon *l = g->context->lexicon;
  const hc_task_extras *own = l ? hc_lexicon_more(l, r->more) : NULL;
  const hc_task_extras *had = l ? hc_lexicon_more(l, t->more) : NULL;
  hc_task_extras m = had ? *had : hc_task_extras_none();
  uint32_t handle;
  const bool is_placed =
      g->o->updates == HC_GOOGLE_UPDATES_IN_PLACE && t->state == HC_GOOGLE_RUNNING && r->time > t->start;
  if (!own || g->o->updates == HC_GOOGLE_UPDATES_FIRST || is_placed) return 0;
  m.constraints = own->constraints;
  m.constraint_count = own->constraint_count;
  handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  hc_google_drop(g, t->more);
  t->more = handle;
  t->constrained = r->time;
  return 0;
}

/* A further row of a task. */
static hc_rc join(hc_google *g, hc_google_task *t, const hc_google_row *r)
{
  int64_t was[HC_GOOGLE_NEEDS];
  memcpy(was, t->need, sizeof was);
  merged(g);
  take_facts(g, t, r);
  if (is_update(r) && g->held.resizes.is_on && t->state == HC_GOOGLE_RUNNING && r->time > t->start)
    TRY(hc_google_resizes_put(&g->held.resizes, (uint32_t)(t - g->held.tasks), r->time, was, t->need));
  return is_update(r) ? replace_constraints(g, t, r) : 0;
}

/* ---- the steps of a life ---- */

/* Where it may not be in line yet, only so many may be aside. */
static hc_rc stand_aside(hc_google *g, uint32_t i, hc_error *e)
{
  const uint64_t line = task_at(g, i)->line;
  if (g->held.s.aside <= (uint64_t)g->o->held) return 0;
  forget(g, i);
  return reject(g, line, HC_REASON_NEVER_RAN, e);
}

static hc_rc start(hc_google *g, uint32_t i, hc_time now)
{
  hc_google_task *t = task_at(g, i);
  t->state = HC_GOOGLE_RUNNING;
  t->start = now;
  t->flags &= (uint8_t)~HC_GOOGLE_IMPLIED;
  return g->o->reading == HC_GOOGLE_MEASURED ? hc_google_line_up(&g->held, i, now) : 0;
}

static hc_rc end(hc_google *g, uint32_t i, hc_google_event how, hc_time now)
{
  hc_google_task *t = task_at(g, i);
  t->state = HC_GOOGLE_DEAD;
  t->how = (uint8_t)how;
  t->end = now;
  t->seen |= (uint16_t)BIT(how);
  t->flags &= (uint8_t)~HC_GOOGLE_IMPLIED;
  if (g->o->reading != HC_GOOGLE_MEASURED || t->start != HC_UNKNOWN) return 0;
  return hc_google_line_up(&g->held, i, now); /* to be told that it never ran */
}

/* It is submitted again, and is still the same task. */
static hc_rc resume(hc_google *g, uint32_t i, hc_error *e)
{
  hc_google_task *t = task_at(g, i);
  if (t->start != HC_UNKNOWN) t->ran = hc_time_add(t->ran, t->end - t->start);
  t->state = HC_GOOGLE_PENDING;
  t->start = HC_UNKNOWN;
  if (g->o->attempts != HC_GOOGLE_SUM) hc_google_forget_usage(&g->held, i);
  hc_google_resizes_drop(&g->held.resizes, i); /* what it asks for now is what it last asked for */
  if (g->o->reading != HC_GOOGLE_MEASURED) return 0;
  hc_google_leave_line(&g->held, i);
  return stand_aside(g, i, e);
}

/* The first row of a task. `*out`: its number, or HC_MAP_NONE. */
static hc_rc begin(hc_google *g, const hc_google_row *r, uint32_t *out, hc_error *e)
{
  const hc_google_event event = (hc_google_event)r->event;
  const bool runs = event == HC_GOOGLE_SCHEDULE || event == HC_GOOGLE_UPDATE_RUNNING;
  const hc_google_job *job = job_of(g, r->job);
  hc_google_task *t;
  *out = HC_MAP_NONE;
  if (hc_google_is_end(event)) return reject(g, r->line, HC_REASON_INCOMPLETE, e);
  TRY(hc_google_add(&g->held, r->job, r->index, out));
  t = task_at(g, *out);
  t->line = r->line;
  t->submit = r->time;
  if (event == HC_GOOGLE_ENABLE) t->eligible = r->time;
  if (r->time == 0 || is_update(r)) t->flags |= HC_GOOGLE_INITIAL;
  if (runs) t->flags |= HC_GOOGLE_AT_START;
  if (job) {
    t->user = job->user;
    t->name = job->name;
  }
  take_facts(g, t, r);
  TRY(take_more(g, t, r, job));
  if (runs) TRY(start(g, *out, r->time));
  if (g->o->reading == HC_GOOGLE_REQUESTED) return hc_google_line_up(&g->held, *out, r->time);
  if (runs) return 0;
  TRY(stand_aside(g, *out, e));
  *out = hc_google_find(&g->held, r->job, r->index);
  return 0;
}

/* ---- rows of a task that is known ---- */

static hc_rc when_pending(hc_google *g, uint32_t i, const hc_google_row *r)
{
  hc_google_task *t = task_at(g, i);
  const hc_google_event event = (hc_google_event)r->event;
  TRY(join(g, t, r));
  if (hc_google_is_end(event)) {
    if (!(t->flags & HC_GOOGLE_IMPLIED) || t->end != r->time) return end(g, i, event, r->time);
    t->flags &= (uint8_t)~HC_GOOGLE_IMPLIED; /* the end of the attempt before */
    return 0;
  }
  if (event == HC_GOOGLE_SCHEDULE) return start(g, i, r->time);
  if (event != HC_GOOGLE_ENABLE || t->eligible != HC_UNKNOWN) return 0;
  t->eligible = r->time;
  if (g->o->arrival != HC_GOOGLE_AT_ENABLE || g->o->reading == HC_GOOGLE_MEASURED || t->ran > 0) return 0;
  t->submit = r->time;
  return hc_google_line_up(&g->held, i, r->time);
}

/* A SUBMIT or SCHEDULE of a task that has ended: the next attempt, which is part of it or another task. */
static hc_rc again(hc_google *g, uint32_t i, const hc_google_row *r, hc_error *e)
{
  hc_google_task *t = task_at(g, i);
  const uint8_t implied = t->flags & HC_GOOGLE_IMPLIED;
  if (is_final(g, t) || r->time - t->end > g->o->resubmit) {
    TRY(begin(g, r, &i, e));
    if (!implied || i == HC_MAP_NONE || task_at(g, i)->state != HC_GOOGLE_PENDING) return 0;
    task_at(g, i)->flags |= implied; /* the row of that end may still come */
    task_at(g, i)->end = r->time;
    return 0;
  }
  TRY(join(g, t, r));
  TRY(resume(g, i, e));
  i = hc_google_find(&g->held, r->job, r->index);
  return i != HC_MAP_NONE && r->event == HC_GOOGLE_SCHEDULE ? start(g, i, r->time) : 0;
}

static hc_rc when_running(hc_google *g, uint32_t i, const hc_google_row *r, hc_error *e)
{
  hc_google_task *t = task_at(g, i);
  const hc_google_event event = (hc_google_event)r->event;
  const bool same_time = t->start == r->time;
  if (event == HC_GOOGLE_SUBMIT && same_time && (t->flags & HC_GOOGLE_AT_START)) {
    if (r->time > 0) t->flags &= (uint8_t)~HC_GOOGLE_AT_START; /* it arrived, and started at once */
  } else if (event == HC_GOOGLE_SUBMIT || (event == HC_GOOGLE_SCHEDULE && !same_time)) {
    TRY(end(g, i, HC_GOOGLE_EVICT, r->time));
    t->flags |= HC_GOOGLE_IMPLIED;
    return again(g, i, r, e);
  }
  TRY(join(g, t, r));
  if (event == HC_GOOGLE_ENABLE && t->eligible == HC_UNKNOWN) t->eligible = r->time;
  return hc_google_is_end(event) ? end(g, i, event, r->time) : 0;
}

static hc_rc when_dead(hc_google *g, uint32_t i, const hc_google_row *r, hc_error *e)
{
  hc_google_task *t = task_at(g, i);
  if (r->event == HC_GOOGLE_SCHEDULE && t->start == HC_UNKNOWN && t->end == r->time) {
    TRY(join(g, t, r));
    t->start = r->time; /* the row of its end stood before this one */
    return g->o->reading == HC_GOOGLE_MEASURED ? hc_google_line_up(&g->held, i, r->time) : 0;
  }
  if (r->event == HC_GOOGLE_SUBMIT || r->event == HC_GOOGLE_SCHEDULE) return again(g, i, r, e);
  merged(g);
  return 0;
}

static hc_rc when_told(hc_google *g, uint32_t i, const hc_google_row *r, hc_error *e)
{
  if (r->event == HC_GOOGLE_SUBMIT) {
    hc_google_remove(&g->held, i);
    return begin(g, r, &i, e);
  }
  if (hc_google_is_end((hc_google_event)r->event)) hc_google_remove(&g->held, i);
  merged(g);
  return 0;
}

hc_rc hc_google_take(hc_google *g, const hc_google_row *r, hc_error *e)
{
  uint32_t i = hc_google_find(&g->held, r->job, r->index);
  if (r->time == HC_NEVER) { /* after the end of the trace: as if it had not been written down */
    if (i == HC_MAP_NONE) return reject(g, r->line, HC_REASON_OUTSIDE, e);
    merged(g);
    return 0;
  }
  if (i == HC_MAP_NONE) return begin(g, r, &i, e);
  switch ((hc_google_state)task_at(g, i)->state) {
    case HC_GOOGLE_PENDING: return when_pending(g, i, r);
    case HC_GOOGLE_RUNNING: return when_running(g, i, r, e);
    case HC_GOOGLE_DEAD: return when_dead(g, i, r, e);
    case HC_GOOGLE_TOLD: return when_told(g, i, r, e);
    case HC_GOOGLE_NO_TASK: break;
  }
  return 0;
}

/* ---- from a task to a spec ---- */

static hc_time since(const hc_google *g, hc_time t)
{
  return HC_MAX(t, g->o->origin) - g->o->origin;
}

/* How long it ran, or was seen to run; HC_UNKNOWN: it never did. */
static hc_time run_of(const hc_google *g, const hc_google_task *t)
{
  const hc_time ran = g->o->attempts == HC_GOOGLE_SUM && t->ran > 0 ? t->ran : HC_UNKNOWN;
  const hc_time until = t->state == HC_GOOGLE_DEAD ? t->end : g->s.now;
  hc_time run;
  if (t->start == HC_UNKNOWN) return ran;
  run = HC_MAX(since(g, until) - since(g, t->start), 0);
  return ran == HC_UNKNOWN ? run : hc_time_add(run, ran);
}

static hc_recorded state_of(const hc_google_task *t)
{
  if (t->state != HC_GOOGLE_DEAD) return HC_RECORDED_UNKNOWN;
  if (t->start == HC_UNKNOWN) return HC_RECORDED_CANCELLED;
  switch ((hc_google_event)t->how) {
    case HC_GOOGLE_FINISH: return HC_RECORDED_COMPLETED;
    case HC_GOOGLE_FAIL: return HC_RECORDED_FAILED;
    case HC_GOOGLE_KILL: return HC_RECORDED_CANCELLED;
    case HC_GOOGLE_EVICT: return HC_RECORDED_EVICTED;
    case HC_GOOGLE_LOST: return HC_RECORDED_LOST;
    case HC_GOOGLE_SUBMIT:
    case HC_GOOGLE_QUEUE:
    case HC_GOOGLE_ENABLE:
    case HC_GOOGLE_SCHEDULE:
    case HC_GOOGLE_UPDATE_PENDING:
    case HC_GOOGLE_UPDATE_RUNNING:
    case HC_GOOGLE_EVENTS: break;
  }
  return HC_RECORDED_UNKNOWN;
}

static int64_t up(double x)
{
  const int64_t n = x < MOST ? (int64_t)x : INT64_MAX;
  return n + (x < MOST && (double)n < x);
}

/* Whether it is a task at all, by the choices. @return FINE, or why not. */
static hc_reason judge(const hc_google *g, const hc_google_task *t, const hc_google_usage_sum *used)
{
  const bool dead = t->state == HC_GOOGLE_DEAD, started = run_of(g, t) != HC_UNKNOWN;
  const bool initial = (t->flags & HC_GOOGLE_INITIAL) != 0;
  const bool measured = g->o->reading == HC_GOOGLE_MEASURED;
  const hc_time came = measured ? t->start : t->submit;
  if (initial && g->o->initial == HC_GOOGLE_REJECT)
    return t->start != HC_UNKNOWN && t->start == t->submit ? HC_REASON_ALREADY_RUNNING : HC_REASON_NO_SUBMIT;
  if ((t->seen & g->without) || (dead && !(g->ends & BIT(t->how)))) return HC_REASON_FILTERED;
  if (!dead && g->o->unfinished == HC_GOOGLE_REJECT)
    return started ? HC_REASON_STILL_RUNNING : HC_REASON_NEVER_RAN;
  if (measured && t->start == HC_UNKNOWN) return HC_REASON_NEVER_RAN; /* or not after it was stopped */
  if (dead && !started && t->how == HC_GOOGLE_FINISH) return HC_REASON_INCOMPLETE;
  if (came < g->o->origin && !(initial && (!dead || t->end >= g->o->origin))) return HC_REASON_OUTSIDE;
  if (measured && !(used && used->seconds > 0)) return HC_REASON_INCOMPLETE;
  if (g->o->amounts == HC_GOOGLE_WHOLE_CORES && !measured && t->need[HC_DIM_CPU] < 1000)
    return HC_REASON_NO_DEMAND;
  return FINE;
}

static void write_times(const hc_google *g, const hc_google_task *t, hc_task_spec *s)
{
  const bool dead = t->state == HC_GOOGLE_DEAD, starts = t->start != HC_UNKNOWN;
  s->submit = since(g, t->submit);
  s->run = run_of(g, t);
  if (!dead) s->flags |= HC_SPEC_NO_END;
  if (g->o->reading == HC_GOOGLE_MEASURED) {
    s->submit = since(g, t->start);
    s->wait = 0;
    s->flags |= HC_SPEC_AT_START;
    return;
  }
  if ((t->flags & HC_GOOGLE_AT_START) || ((t->flags & HC_GOOGLE_INITIAL) && t->start == t->submit))
    s->flags |= HC_SPEC_AT_START;
  s->wait = since(g, starts ? t->start : dead ? t->end : g->s.now) - s->submit;
  if (g->o->attempts == HC_GOOGLE_SUM) s->wait -= t->ran; /* only then is wait + run until its end */
  s->wait = HC_MAX(s->wait, 0);
  if (t->eligible != HC_UNKNOWN && since(g, t->eligible) > s->submit) s->not_before = since(g, t->eligible);
  if (dead && s->run == HC_UNKNOWN) s->cancel_at = since(g, t->end);
}

static void write_usage(const hc_google *g, const hc_google_usage_sum *used, hc_task_spec *s)
{
  if (!used || !(used->seconds > 0)) return;
  const double cores = used->cpu / used->seconds, bytes = used->memory / used->seconds;
  const double time = s->run == HC_UNKNOWN ? 0 : cores * (double)s->run + 0.5;
  if (s->run != HC_UNKNOWN && time < MOST) s->cpu_time = (hc_time)time;
  s->memory_used = up(bytes);
  if (g->o->reading != HC_GOOGLE_MEASURED) return;
  s->need[HC_DIM_CPU] = up(cores * 1000);
  s->need[HC_DIM_MEMORY] = s->memory_used;
}

/* Steps count from its start: of several attempts in a row it is not known where they begin. */
static hc_rc write_steps(hc_google *g, const hc_google_task *t, const hc_google_usage_sum *used, hc_error *e)
{
  hc_lexicon *l = g->context->lexicon;
  hc_use_step *steps;
  size_t n;
  hc_rc rc;
  if (!l || used->room.count == 0 || t->start == HC_UNKNOWN || t->ran > 0) return 0;
  steps = hc_alloc(g->context->allocator, 2 * g->held.uses.most * sizeof *steps);
  if (!steps) return hc_fail(e, HC_ENOMEM, g->format->name, 0, 0, "no memory for what a task used");
  n = hc_use_steps(&g->held.uses, &used->room, HC_MAX(t->start, g->o->origin), steps);
  rc = hc_use_keep(l, &g->task.more, steps, n);
  hc_free(g->context->allocator, steps, 2 * g->held.uses.most * sizeof *steps);
  return rc;
}

static hc_rc write_spec(hc_google *g, uint32_t i, hc_error *e)
{
  hc_google_task *t = task_at(g, i);
  hc_task_spec *s = &g->task;
  *s = hc_task_spec_none();
  s->id = t->index;
  s->line = t->line;
  s->file = hc_parts_find(&g->tables[HC_GOOGLE_TABLE_EVENTS], &s->line);
  s->job = t->job;
  s->hosts = 1;
  s->priority = t->priority;
  s->queue = t->queue;
  hc_spec_record(s, state_of(t));
  if (t->user != 0) s->user = t->user;
  if (t->name != 0) s->executable = t->name;
  for (int d = 0; d < HC_GOOGLE_NEEDS; d++) s->need[d] = t->need[d];
  write_times(g, t, s);
  write_usage(g, g->held.has_usage ? &g->held.usage[i] : NULL, s);
  s->more = t->more; /* and with it who holds it */
  t->more = 0;
  if (g->held.resizes.is_on && t->start != HC_UNKNOWN && !(g->o->attempts == HC_GOOGLE_SUM && t->ran > 0))
    TRY(hc_google_resizes_keep(&g->held.resizes, i, HC_MAX(t->start, g->o->origin), g->context->lexicon,
                               s->need, &s->more));
  return g->held.has_usage ? write_steps(g, t, &g->held.usage[i], e) : 0;
}

/* ---- telling ---- */

/* What has no end yet is remembered until its end comes, unless too many are. */
static void keep_or_forget(hc_google *g, uint32_t i)
{
  hc_google_task *t = task_at(g, i);
  if (t->state == HC_GOOGLE_DEAD || g->s.at_end || g->held.s.aside > (uint64_t)g->o->held) {
    forget(g, i);
    return;
  }
  hc_google_drop(g, t->more);
  t->more = 0;
  t->state = HC_GOOGLE_TOLD;
}

/* @return 1 with a task in g->task, 0 if it is rejected, or an error. */
static hc_rc tell(hc_google *g, uint32_t i, hc_error *e)
{
  const hc_google_task *t = task_at(g, i);
  const hc_reason why = judge(g, t, g->held.has_usage ? &g->held.usage[i] : NULL);
  const uint64_t line = t->line;
  const hc_rc rc = why == FINE ? write_spec(g, i, e) : 0;
  if (rc < 0) {
    hc_google_drop(g, g->task.more);
    return rc;
  }
  keep_or_forget(g, i);
  if (why == FINE) return 1;
  return reject(g, line, why, e);
}

/* Whether a task, whose place this is, can be told; or must be. */
static bool may_tell(const hc_google *g, const hc_google_place *p)
{
  const hc_google_task *t = &g->held.tasks[p->task];
  if (g->s.at_end || g->held.s.in_line > (uint64_t)g->o->held) return true;
  if (!g->s.due) return false; /* rows of the same time may still speak of it */
  if (t->state == HC_GOOGLE_DEAD && (is_final(g, t) || g->s.now - t->end > g->o->resubmit)) return true;
  return g->s.now - p->key > g->o->window;
}

hc_rc hc_google_give(hc_google *g, hc_error *e)
{
  const hc_google_place *p;
  while ((p = hc_google_first(&g->held)) != NULL && may_tell(g, p)) {
    const uint32_t i = p->task;
    hc_google_step_out(&g->held);
    const hc_rc rc = tell(g, i, e);
    if (rc != 0) return rc;
  }
  return 0;
}

hc_rc hc_google_clear(hc_google *g, hc_error *e)
{
  for (uint32_t i = 0; i < g->held.count && g->held.s.aside > 0; i++) {
    const hc_google_task *t = task_at(g, i);
    const uint64_t line = t->line;
    const uint8_t state = t->state;
    if (state == HC_GOOGLE_NO_TASK) continue;
    forget(g, i);
    if (state != HC_GOOGLE_TOLD) TRY(reject(g, line, HC_REASON_NEVER_RAN, e));
  }
  return 0;
}
