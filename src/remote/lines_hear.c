/* lines_hear.c -- another program's answer, taken apart, checked and carried out, action by action:
 * {"plan": [{"start": 3}, {"start": 4, "on": [0, 1]}, {"wake": 12000000000}], "more": true}.
 *
 * An action is an object whose first member says what it is. Members that the protocol does not have are
 * errors, as is all that is wrong: what was misspelt is not passed over. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonline.h"
#include "base/util.h"
#include "remote/lines.h"

#define SHOWN 160 /* bytes of what it says, in an error */

typedef enum verb { START, TRY_START, STOP, RESERVE, UNRESERVE, REJECT, WAKE, VERBS } verb;

static const char *const verbs[VERBS] = {"start", "try", "stop", "reserve", "unreserve", "reject", "wake"};

/* A text as it stands, within the answer; NULL: it is not there. */
typedef struct span {
  const char *text;
  size_t size;
} span;

typedef struct action {
  verb what;
  int64_t number; /* the task's serial, or the time of a wake */
  int64_t at;     /* of a reservation */
  int64_t grace;  /* of a stop */
  hc_stop how;
  bool has_at;
  span on, whole;
} action;

/* The answer that is at hand. */
typedef struct hearing {
  hc_policy *self;
  hc_view *v;
  hc_plan *p;
  span answer;
} hearing;

/* ---- errors ---- */

static hc_rc wrong_answer(hearing *h, const char *what)
{
  char at[32];
  at[hc_format_seconds(h->self->s->now(h->v), at)] = '\0';
  return hc_fail(&h->self->with.error, HC_EPOLICY, HC_LINES_PLACE, 0, 0,
                 "at t=%s s its answer %s: \"%.*s%s\"", at, what, (int)HC_MIN(h->answer.size, SHOWN),
                 h->answer.text, h->answer.size > SHOWN ? "..." : "");
}

static hc_rc wrong(hearing *h, const action *a, const char *what)
{
  char at[32];
  at[hc_format_seconds(h->self->s->now(h->v), at)] = '\0';
  return hc_fail(&h->self->with.error, HC_EPOLICY, HC_LINES_PLACE, 0, 0, "at t=%s s it says %.*s: %s", at,
                 (int)HC_MIN(a->whole.size, SHOWN), a->whole.text, what);
}

/* ---- reading ---- */

static bool is_text(const hc_jsonline_token *t, const char *text)
{
  return !t->escaped && t->size == strlen(text) && memcmp(t->text, text, t->size) == 0;
}

static bool take_int(hc_jsonline *j, int64_t *out)
{
  const hc_jsonline_token t = hc_jsonline_next(j);
  return t.kind == HC_JSONLINE_NUMBER && hc_parse_int(t.text, t.size, out) == 0;
}

static bool take_how(hc_jsonline *j, hc_stop *out)
{
  const hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_TEXT) return false;
  if (is_text(&t, "requeue")) *out = HC_STOP_REQUEUE;
  else if (is_text(&t, "kill")) *out = HC_STOP_KILL;
  else if (is_text(&t, "checkpoint")) *out = HC_STOP_CHECKPOINT;
  else return false;
  return true;
}

static bool take_list(hc_jsonline *j, span *out)
{
  const hc_jsonline_token t = hc_jsonline_next(j);
  out->text = t.text;
  if (t.kind != HC_JSONLINE_ARRAY || !hc_jsonline_skip(j, t)) return false;
  out->size = (size_t)(j->at - t.text);
  return true;
}

/* A member behind the first. @return NULL, or what is wrong */
static const char *take_term(hc_jsonline *j, const hc_jsonline_token *key, action *a)
{
  if (is_text(key, "on") && (a->what == START || a->what == TRY_START))
    return take_list(j, &a->on) ? NULL : "has an `on` that is no list of hosts";
  if (is_text(key, "at") && a->what == RESERVE) {
    a->has_at = true;
    return take_int(j, &a->at) ? NULL : "has an `at` that is no whole number of nanoseconds";
  }
  if (is_text(key, "how") && a->what == STOP)
    return take_how(j, &a->how) ? NULL : "has a `how` that is none of requeue, kill and checkpoint";
  if (is_text(key, "grace") && a->what == STOP)
    return take_int(j, &a->grace) && a->grace >= 0 ? NULL : "has a `grace` that is no time in nanoseconds";
  return "has an action with a member that it cannot have";
}

static const char *take_action(hc_jsonline *j, action *a)
{
  hc_jsonline_token t = hc_jsonline_next(j);
  const char *what;
  a->whole.text = t.text;
  if (t.kind != HC_JSONLINE_OBJECT) return "has a plan with something that is no action";
  t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_KEY) return "has an action that says nothing";
  while (a->what < VERBS && !is_text(&t, verbs[a->what])) a->what++;
  if (a->what == VERBS)
    return "has an action that does not begin with one of start, try, stop, reserve, unreserve, reject and "
           "wake";
  if (!take_int(j, &a->number) || a->number < 0)
    return a->what == WAKE ? "has a `wake` that is no time in nanoseconds"
                           : "has an action on something that is no task's number";
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY)
    if ((what = take_term(j, &t, a))) return what;
  a->whole.size = (size_t)(j->at - a->whole.text);
  return t.kind == HC_JSONLINE_END ? NULL : "is no JSON";
}

/* ---- carrying out ---- */

static hc_rc task_of(hearing *h, const action *a, hc_task *out)
{
  const uint32_t t = hc_map_get(&h->self->by_serial, (uint64_t)a->number);
  *out = t;
  if (t != HC_MAP_NONE && h->self->tasks[t].known != HC_LINES_UNKNOWN) return 0;
  return wrong(h, a, "there is no such task, or it is over");
}

static int by_number(const void *a, const void *b)
{
  const uint32_t x = ((const hc_range *)a)->first, y = ((const hc_range *)b)->first;
  return (x > y) - (x < y);
}

/* Numbers of hosts, or of processors, in any order, as ranges. */
static hc_rc ranges_of(hearing *h, const action *a, size_t *count)
{
  hc_policy *self = h->self;
  hc_jsonline j;
  size_t n = 0;
  int64_t number;
  hc_jsonline_begin(&j, a->on.text, a->on.size);
  (void)hc_jsonline_next(&j);
  for (;;) {
    const hc_jsonline_token t = hc_jsonline_next(&j);
    if (t.kind == HC_JSONLINE_END) break;
    if (t.kind != HC_JSONLINE_NUMBER || hc_parse_int(t.text, t.size, &number) < 0 || number < 0 ||
        number >= (int64_t)self->cell->units)
      return wrong(h, a, "`on` names a host that there is not");
    TRY(hc_reserve(self->allocator, (void **)&self->ranges, &self->range_cap, n + 1, sizeof *self->ranges));
    self->ranges[n++] = (hc_range){.first = (uint32_t)number, .count = 1};
  }
  if (n == 0) return wrong(h, a, "`on` names no host; leave it out for a start anywhere");
  qsort(self->ranges, n, sizeof *self->ranges, by_number);
  *count = 1;
  for (size_t i = 1; i < n; i++) {
    hc_range *last = &self->ranges[*count - 1];
    if (self->ranges[i].first < last->first + last->count) return wrong(h, a, "`on` names a host twice");
    if (self->ranges[i].first == last->first + last->count) last->count++;
    else self->ranges[(*count)++] = self->ranges[i];
  }
  return 0;
}

static hc_rc start(hearing *h, const action *a)
{
  hc_policy *self = h->self;
  const hc_services *s = self->s;
  size_t count = 0;
  hc_task t;
  TRY(task_of(h, a, &t));
  if (!self->tasks[t].is_queued) return wrong(h, a, "the task is not in the queue");
  if (a->on.text) {
    if (self->cell->granularity == HC_CELL_COUNT)
      return wrong(h, a, "the machine is a number of processors, of which none has a name: leave out `on`");
    TRY(ranges_of(h, a, &count));
  }
  if (a->what == TRY_START && !a->on.text && !s->fits(h->v, t)) return 0;
  const hc_rc rc = s->start(h->p, t, count > 0 ? self->ranges : NULL, count);
  if (rc == HC_EPOLICY && a->what == TRY_START) return 0;
  if (rc == HC_EPOLICY)
    return wrong(h, a, a->on.text ? "the task does not fit there now" : "the task does not fit now");
  if (rc >= 0 && a->what == START) self->tasks[t].known = HC_LINES_RUNS;
  return rc;
}

static hc_rc stop(hearing *h, const action *a)
{
  hc_policy *self = h->self;
  hc_task t;
  if (!(self->flags & HC_MAY_PREEMPT))
    return wrong(h, a, "a program that stops tasks says so in its configuration: `asks: [may_preempt]`");
  TRY(task_of(h, a, &t));
  if (self->tasks[t].is_queued || self->s->rate(h->v, t) < 0) return wrong(h, a, "the task does not run");
  const hc_rc rc = self->s->stop(h->p, t, &(hc_stopping){.how = a->how, .grace = a->grace});
  return rc == HC_EPOLICY ? wrong(h, a, "the task cannot be stopped now, or has been told to go") : rc;
}

static hc_rc reserve(hearing *h, const action *a)
{
  hc_policy *self = h->self;
  hc_task t;
  if (!(self->flags & HC_MAKES_RESERVATIONS))
    return wrong(h, a, "a program that reserves says so in its configuration: `asks: [makes_reservations]`");
  TRY(task_of(h, a, &t));
  if (!self->tasks[t].is_queued) return wrong(h, a, "the task is not in the queue");
  if (a->what == UNRESERVE) return self->s->unreserve(h->p, t);
  if (!a->has_at) return wrong(h, a, "it lacks `at`, the time of the reservation");
  if (a->at < self->s->now(h->v)) return wrong(h, a, "that time is over");
  const hc_rc rc = self->s->reserve(h->p, t, a->at);
  return rc == HC_EPOLICY ? wrong(h, a, "there is no room for the task then") : rc;
}

static hc_rc reject(hearing *h, const action *a)
{
  hc_task t;
  TRY(task_of(h, a, &t));
  if (!h->self->tasks[t].is_queued) return wrong(h, a, "the task is not in the queue");
  const hc_rc rc = h->self->s->reject(h->p, t, "its scheduler has rejected it");
  if (rc == HC_EPOLICY) return wrong(h, a, "the task cannot be rejected now");
  if (rc >= 0) h->self->tasks[t].known = HC_LINES_UNKNOWN;
  return rc;
}

static hc_rc wake(hearing *h, const action *a)
{
  if (a->number <= h->self->s->now(h->v))
    return wrong(h, a, "a time to be called at has to be later than now");
  return h->self->s->wake(h->p, a->number);
}

static hc_rc carry_out(hearing *h, const action *a)
{
  switch (a->what) {
    case START:
    case TRY_START: return start(h, a);
    case STOP: return stop(h, a);
    case RESERVE:
    case UNRESERVE: return reserve(h, a);
    case REJECT: return reject(h, a);
    case WAKE: return wake(h, a);
    case VERBS: break;
  }
  return 0;
}

/* ---- answers ---- */

static hc_rc take_plan(hearing *h, hc_jsonline *j)
{
  hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_ARRAY) return wrong_answer(h, "has a `plan` that is no list");
  for (;;) {
    hc_jsonline ahead = *j;
    action a = {.what = START};
    if (hc_jsonline_next(&ahead).kind == HC_JSONLINE_END) {
      *j = ahead;
      return 0;
    }
    const char *what = take_action(j, &a);
    if (what) return wrong_answer(h, what);
    TRY(carry_out(h, &a));
  }
}

hc_rc hc_lines_hear_plan(hc_policy *self, hc_view *v, hc_plan *p, const char *text, size_t size,
                         bool *has_more)
{
  hearing h = {.self = self, .v = v, .p = p, .answer = {text, size}};
  bool has_plan = false;
  hc_jsonline j;
  hc_jsonline_token t;
  *has_more = false;
  hc_jsonline_begin(&j, text, size);
  if (hc_jsonline_next(&j).kind != HC_JSONLINE_OBJECT) return wrong_answer(&h, "is no object of JSON");
  while ((t = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
    if (is_text(&t, "plan")) {
      if (has_plan) return wrong_answer(&h, "has two plans");
      has_plan = true;
      TRY(take_plan(&h, &j));
    } else if (is_text(&t, "more")) {
      t = hc_jsonline_next(&j);
      if (t.kind != HC_JSONLINE_TRUE && t.kind != HC_JSONLINE_FALSE)
        return wrong_answer(&h, "has a `more` that is neither true nor false");
      *has_more = t.kind == HC_JSONLINE_TRUE;
    } else {
      return wrong_answer(&h, "has a member that is neither `plan` nor `more`");
    }
  }
  if (t.kind != HC_JSONLINE_END || hc_jsonline_next(&j).kind != HC_JSONLINE_DONE)
    return wrong_answer(&h, "is no JSON");
  return has_plan ? 0 : wrong_answer(&h, "has no `plan`");
}

hc_rc hc_lines_hear_hello(hc_policy *self, const char *text, size_t size)
{
  int64_t version = -1;
  hc_jsonline j;
  hc_jsonline_token t;
  hc_jsonline_begin(&j, text, size);
  t = hc_jsonline_next(&j);
  if (t.kind == HC_JSONLINE_OBJECT) t = hc_jsonline_next(&j);
  if (t.kind != HC_JSONLINE_KEY || !is_text(&t, "hello") || !take_int(&j, &version) ||
      hc_jsonline_next(&j).kind != HC_JSONLINE_END || hc_jsonline_next(&j).kind != HC_JSONLINE_DONE)
    return hc_fail(&self->with.error, HC_EPOLICY, HC_LINES_PLACE, 0, 0,
                   "it has to answer the first message with {\"hello\": %d}, the version that it speaks, and "
                   "says \"%.*s\"",
                   HC_LINES_VERSION, (int)HC_MIN(size, SHOWN), text);
  if (version == HC_LINES_VERSION) return 0;
  return hc_fail(&self->with.error, HC_EPOLICY, HC_LINES_PLACE, 0, 0,
                 "it speaks version %" PRId64 " of the protocol, and this program version %d", version,
                 HC_LINES_VERSION);
}
