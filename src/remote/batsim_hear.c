/* batsim_hear.c -- a scheduler's answer, taken apart and checked: {"now": 1.5, "events": [{"timestamp":
 * 1.5, "type": "EXECUTE_JOB", "data": {"job_id": "w0!1", "alloc": "0-3"}}]}.
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

const char *const hc_batsim_types[HC_HEARD_TYPES] = {"EXECUTE_JOB",
                                                     "REJECT_JOB",
                                                     "KILL_JOB",
                                                     "CALL_ME_LATER",
                                                     "SET_JOB_METADATA",
                                                     "NOTIFY",
                                                     "SET_RESOURCE_STATE",
                                                     "CHANGE_JOB_STATE",
                                                     "REGISTER_JOB",
                                                     "REGISTER_PROFILE",
                                                     "TO_JOB_MSG",
                                                     "QUERY",
                                                     "ANSWER"};

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

/* The value that comes next, passed over. @return false: it is no JSON */
static bool take(hc_jsonline *j, hc_batsim_text *out)
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

static bool take_data(hc_jsonline *j, hc_batsim_event *x)
{
  hc_jsonline_token t;
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY) {
    hc_batsim_text other, *out = is_key(&t, "job_id")              ? &x->job_id
                                 : is_key(&t, "alloc")             ? &x->alloc
                                 : is_key(&t, "mapping")           ? &x->mapping
                                 : is_key(&t, "storage_mapping")   ? &x->storage_mapping
                                 : is_key(&t, "additional_io_job") ? &x->additional_io
                                 : is_key(&t, "job_ids")           ? &x->job_ids
                                 : is_key(&t, "timestamp")         ? &x->timestamp
                                 : is_key(&t, "metadata")          ? &x->metadata
                                 : is_key(&t, "type")              ? &x->notice
                                                                   : &other;
    if (!take(j, out)) return false;
  }
  return t.kind == HC_JSONLINE_END;
}

/* @return NULL, or what is wrong with it */
static const char *take_event(hc_jsonline *j, hc_batsim_event *x)
{
  hc_batsim_text type = {0}, at = {0}, data = {0}, other;
  hc_jsonline inner;
  hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_OBJECT) return "has an event that is no object";
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY)
    if (!take(j, is_key(&t, "type")        ? &type
                 : is_key(&t, "timestamp") ? &at
                 : is_key(&t, "data")      ? &data
                                           : &other))
      return "is no JSON";
  if (t.kind != HC_JSONLINE_END) return "is no JSON";
  if (!type.text || !data.text || data.kind != '{' || !time_of(&at, &x->at))
    return "has an event without a `type`, a `timestamp` in seconds, or an object `data`";
  while (x->type < HC_HEARD_TYPES && (strlen(hc_batsim_types[x->type]) != type.size ||
                                      memcmp(hc_batsim_types[x->type], type.text, type.size) != 0))
    x->type++;
  if (x->type == HC_HEARD_TYPES) return "has an event of a type that Batsim 4 does not have";
  hc_jsonline_begin(&inner, data.text, data.size);
  (void)hc_jsonline_next(&inner);
  return take_data(&inner, x) ? NULL : "is no JSON";
}

static const char *take_events(hc_batsim_answer *a, hc_jsonline *j, hc_rc *rc)
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
    const char *what = take_event(j, &a->events[a->count]);
    if (what) return what;
    a->count++;
  }
}

/* ---- an answer ---- */

static const char *take_members(hc_batsim_answer *a, hc_jsonline *j, hc_rc *rc)
{
  hc_batsim_text now = {0}, other;
  const char *what = "has no list `events`";
  hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_OBJECT) return "is no object of JSON with `now` and `events`";
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY) {
    if (is_key(&t, "events")) {
      if ((what = take_events(a, j, rc))) return what;
    } else if (!take(j, is_key(&t, "now") ? &now : &other)) {
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

hc_rc hc_batsim_hear(hc_batsim_answer *a, const char *text, size_t size, hc_time least, hc_error *e)
{
  hc_jsonline j;
  hc_rc rc = 0;
  a->count = 0;
  a->now = 0;
  hc_jsonline_begin(&j, text, size);
  const char *what = take_members(a, &j, &rc);
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

hc_rc hc_batsim_each_number(const hc_batsim_text *object,
                            hc_rc (*each)(void *ctx, const char *key, size_t size, int64_t value), void *ctx)
{
  hc_jsonline j;
  hc_jsonline_token key, value;
  int64_t n;
  if (object->kind != '{') return HC_EPOLICY;
  hc_jsonline_begin(&j, object->text, object->size);
  (void)hc_jsonline_next(&j);
  while ((key = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
    value = hc_jsonline_next(&j);
    if ((value.kind != HC_JSONLINE_NUMBER && value.kind != HC_JSONLINE_TEXT) ||
        hc_parse_int(value.text, value.size, &n) < 0)
      return HC_EPOLICY;
    TRY(each(ctx, key.text, key.size, n));
  }
  return key.kind == HC_JSONLINE_END ? 0 : HC_EPOLICY;
}
