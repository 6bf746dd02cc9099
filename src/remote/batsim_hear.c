/* batsim_hear.c -- a scheduler's answer, taken apart and checked: {"now": 1.5, "events": [{"timestamp":
 * 1.5, "type": "EXECUTE_JOB", "data": {"job_id": "w0!1", "alloc": "0-3"}}]}. Version 5 has other names.
 *
 * Members may stand in any order. Here it is seen whether the answer is one at all; whether what it asks
 * for can be, the driver sees. Times are not before the message that is answered, as far as its six
 * decimals say, do not go back, and are not behind `now`; those of events may be those of the events that
 * they answer. */
#include <string.h>

#include "base/jsonline.h"
#include "base/util.h"
#include "remote/batsim.h"

#define SHOWN 160 /* bytes of an answer, in an error */

static hc_rc no_answer(const char *text, size_t size, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EPOLICY, "scheduler", 0, 0, "its answer %s: \"%.*s%s\"", what,
                 (int)HC_MIN(size, SHOWN), text, size > SHOWN ? "..." : "");
}

static bool is_key(const hc_jsonline_token *t, const char *name)
{
  return t->size == strlen(name) && memcmp(t->text, name, t->size) == 0;
}

/* ---- values ---- */

bool hc_batsim_take(hc_jsonline *j, hc_batsim_text *out)
{
  const hc_jsonline_token t = hc_jsonline_next(j);
  *out = (hc_batsim_text){.text = t.text, .size = t.size, .kind = 't'};
  switch (t.kind) {
    case HC_JSONLINE_TEXT: out->kind = '"'; return true;
    case HC_JSONLINE_NUMBER: out->kind = '0'; return true;
    case HC_JSONLINE_TRUE:
    case HC_JSONLINE_FALSE:
    case HC_JSONLINE_NULL: return true;
    case HC_JSONLINE_OBJECT:
    case HC_JSONLINE_ARRAY:
      out->kind = t.kind == HC_JSONLINE_OBJECT ? '{' : '[';
      if (!hc_jsonline_skip(j, t)) return false;
      out->size = (size_t)(j->at - t.text);
      return true;
    case HC_JSONLINE_KEY:
    case HC_JSONLINE_END:
    case HC_JSONLINE_DONE:
    case HC_JSONLINE_WRONG: break;
  }
  return false;
}

static bool time_of(const hc_batsim_text *t, hc_time *out)
{
  return t->kind == '0' && hc_parse_seconds(t->text, t->size, out) == 0 && *out >= 0 && *out < HC_NEVER;
}

/* ---- events ---- */

bool hc_batsim_members(const hc_batsim_text *object, const hc_batsim_member *members, size_t count, void *out)
{
  hc_jsonline j;
  hc_jsonline_token t;
  if (object->kind != '{') return false;
  hc_jsonline_begin(&j, object->text, object->size);
  (void)hc_jsonline_next(&j);
  while ((t = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
    hc_batsim_text other, *to = &other;
    for (size_t i = 0; i < count && to == &other; i++)
      if (is_key(&t, members[i].key)) to = (hc_batsim_text *)((char *)out + members[i].offset);
    if (!hc_batsim_take(&j, to)) return false;
  }
  return t.kind == HC_JSONLINE_END;
}

static hc_batsim_type type_of(const hc_batsim_dialect *d, const hc_batsim_text *name)
{
  int type = 0;
  while (type < HC_HEARD_TYPES && (!d->types[type] || strlen(d->types[type]) != name->size ||
                                   memcmp(d->types[type], name->text, name->size) != 0))
    type++;
  return (hc_batsim_type)type;
}

/* @return NULL, or what is wrong with it */
static const char *take_event(const hc_batsim_dialect *d, hc_jsonline *j, hc_batsim_event *x)
{
  hc_batsim_text type = {0}, at = {0}, other;
  hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_OBJECT) return "has an event that is no object";
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY)
    if (!hc_batsim_take(j, is_key(&t, d->type_key)    ? &type
                           : is_key(&t, "timestamp")  ? &at
                           : is_key(&t, d->data_key) ? &x->data
                                                      : &other))
      return "is no JSON";
  if (t.kind != HC_JSONLINE_END) return "is no JSON";
  if (!type.text || !x->data.text || x->data.kind != '{' || !time_of(&at, &x->at))
    return d->incomplete;
  x->type = type_of(d, &type);
  if (x->type == HC_HEARD_TYPES) return d->unknown;
  return hc_batsim_members(&x->data, d->members, d->member_count, x) ? NULL : "is no JSON";
}

static const char *take_events(hc_batsim_answer *a, const hc_batsim_dialect *d, hc_jsonline *j, hc_rc *rc)
{
  hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_ARRAY) return "has no list `events`";
  for (;;) {
    hc_jsonline ahead = *j;
    t = hc_jsonline_next(&ahead);
    if (t.kind == HC_JSONLINE_END) {
      *j = ahead;
      return NULL;
    }
    *rc = hc_reserve(a->allocator, (void **)&a->events, &a->cap, a->count + 1, sizeof *a->events);
    if (*rc < 0) return "";
    a->events[a->count] = (hc_batsim_event){.type = 0};
    const char *what = take_event(d, j, &a->events[a->count]);
    if (what) return what;
    a->count++;
  }
}

/* ---- an answer ---- */

static const char *take_members(hc_batsim_answer *a, const hc_batsim_dialect *d, hc_jsonline *j, hc_rc *rc)
{
  hc_batsim_text now = {0}, other;
  const char *what = "has no list `events`";
  hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_OBJECT) return "is no object of JSON with `now` and `events`";
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY) {
    if (is_key(&t, "events")) {
      if ((what = take_events(a, d, j, rc))) return what;
    } else if (!hc_batsim_take(j, is_key(&t, "now") ? &now : &other)) {
      return "is no JSON";
    }
  }
  if (t.kind != HC_JSONLINE_END || hc_jsonline_next(j).kind != HC_JSONLINE_DONE) return "is no JSON";
  if (what) return what;
  return time_of(&now, &a->now) ? NULL : "has no time `now` in seconds, from 0 on";
}

static const char *check_times(const hc_batsim_answer *a, hc_time least)
{
  hc_time last = 0;
  if (a->now < least - HC_US) return "has a time `now` before that of the message";
  for (size_t i = 0; i < a->count; i++) {
    const hc_time at = a->events[i].at;
    if (at > a->now) return "has an event later than its `now`";
    if (at < last) return "has an event before the one in front of it";
    last = at;
  }
  return NULL;
}

hc_rc hc_batsim_hear(hc_batsim_answer *a, const hc_batsim_dialect *dialect, const char *text, size_t size,
                     hc_time least, hc_error *e)
{
  hc_jsonline j;
  hc_rc rc = 0;
  a->count = 0;
  a->now = 0;
  hc_jsonline_begin(&j, text, size);
  const char *what = take_members(a, dialect, &j, &rc);
  if (rc < 0) return rc;
  if (!what) what = check_times(a, least);
  return what ? no_answer(text, size, what, e) : 0;
}

/* ---- lists within ---- */

hc_rc hc_batsim_each_text(const hc_batsim_text *list, hc_rc (*each)(void *ctx, const char *text, size_t size),
                          void *ctx)
{
  hc_jsonline j;
  hc_jsonline_token t;
  if (list->kind != '[') return HC_EPOLICY;
  hc_jsonline_begin(&j, list->text, list->size);
  (void)hc_jsonline_next(&j);
  while ((t = hc_jsonline_next(&j)).kind == HC_JSONLINE_TEXT) TRY(each(ctx, t.text, t.size));
  return t.kind == HC_JSONLINE_END ? 0 : HC_EPOLICY;
}
