/* philly_attempts.c -- the attempts of a job of Philly's log. See philly_attempts.h.
 *
 * Dates do not say their offset. An attempt that begins in the hour which a clock shows twice and ends, as
 * it seems, before, ended in the second of the two hours. */
#include "workload/philly_attempts.h"

#include <string.h>

#include "base/util.h"

#define HOUR 3600

const char *const hc_philly_attempt_keys[] = {"start_time", "end_time", "detail"};
const char hc_philly_gpus[] = "gpus";

bool hc_philly_is_missing(const hc_json_token *t)
{
  return t->kind == HC_JSON_NULL ||
         (t->kind == HC_JSON_STRING &&
          (t->size == 0 || strcmp(t->text, "None") == 0 || strcmp(t->text, "null") == 0));
}

bool hc_philly_moment(const hc_zone *zone, const hc_json_token *t, hc_time *out)
{
  static const hc_moment_format iso = {.kind = HC_MOMENT_ISO},
                                unix = {.kind = HC_MOMENT_UNIX, .unit = HC_SECOND};
  const hc_field f = hc_philly_field(t);
  *out = HC_UNKNOWN;
  if (hc_philly_is_missing(t)) return true;
  if (t->kind == HC_JSON_NUMBER) return hc_field_moment(&f, &unix, NULL, out);
  return t->kind == HC_JSON_STRING && hc_field_moment(&f, &iso, zone, out);
}

/* Pass over the rest of an array whose begin was read. @param count  how many items it had */
static hc_rc count_items(hc_json *j, uint64_t *count, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    TRY(hc_json_skip(j, &t, e));
    ++*count;
  }
  return rc;
}

/* One machine: {"ip": ..., "gpus": [...]} */
static hc_rc read_machine(hc_json *j, uint64_t *count, hc_error *e)
{
  const char *const gpus = hc_philly_gpus;
  size_t which;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_member(j, &gpus, 1, &which, &t, e)) == 1) {
    if (which == 0 && t.kind == HC_JSON_ARRAY) TRY(count_items(j, count, e));
    else TRY(hc_json_skip(j, &t, e));
  }
  return rc;
}

/* The machines of an attempt; only those of the first attempt that had any are kept. */
static hc_rc read_detail(hc_json *j, hc_philly_attempts *b, hc_error *e)
{
  const bool keep = !b->has_machines;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    uint64_t gpus = 0;
    if (t.kind == HC_JSON_OBJECT) TRY(read_machine(j, &gpus, e));
    else TRY(hc_json_skip(j, &t, e));
    if (!keep || gpus == 0) continue;
    b->has_machines = true;
    if (gpus > HC_DEVICES) b->wrong = "a machine has more than 128 GPUs, the most that a host can have";
    else if (b->machines[gpus] < UINT32_MAX) b->machines[gpus]++;
  }
  return rc;
}

/* How long an attempt took; HC_UNKNOWN if it is not known. False if it ends before it starts. */
static bool length_of(const hc_zone *zone, hc_time start, hc_time end, hc_time *out)
{
  *out = HC_UNKNOWN;
  if (start == HC_UNKNOWN || end == HC_UNKNOWN) return true;
  if (end < start && zone) { /* the second of two equal hours? */
    const int64_t seconds = hc_floor_div(end, HC_SECOND);
    const int32_t back = hc_zone_offset(zone, seconds) - hc_zone_offset(zone, seconds + HOUR);
    if (back > 0) end += back * HC_SECOND;
  }
  return !__builtin_sub_overflow(end, start, out) && *out >= 0;
}

static hc_rc read_attempt(hc_json *j, const hc_zone *zone, hc_philly_attempts *b, hc_error *e)
{
  hc_time start = HC_UNKNOWN, end = HC_UNKNOWN, length;
  size_t which;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_member(j, hc_philly_attempt_keys, HC_PHILLY_ATTEMPT_KEYS, &which, &t, e)) == 1) {
    if ((which == HC_PHILLY_START && !hc_philly_moment(zone, &t, &start)) ||
        (which == HC_PHILLY_END && !hc_philly_moment(zone, &t, &end)))
      b->wrong = "start_time and end_time are dates such as \"2017-10-07 01:12:09\"";
    if (which == HC_PHILLY_DETAIL && t.kind == HC_JSON_ARRAY) TRY(read_detail(j, b, e));
    else TRY(hc_json_skip(j, &t, e));
  }
  TRY(rc);
  if (!length_of(zone, start, end, &length)) b->wrong = "an attempt ends before it starts";
  if (b->count++ == 0) {
    b->start = start;
    b->first = length;
  }
  b->last = length;
  b->is_open = start != HC_UNKNOWN && end == HC_UNKNOWN;
  if (length == HC_UNKNOWN) return 0;
  b->timed++;
  b->sum = hc_time_add(b->sum, length);
  return 0;
}

hc_rc hc_philly_read_attempts(hc_json *j, const hc_zone *zone, const hc_json_token *begin,
                              hc_philly_attempts *b, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_ARRAY) {
    if (!hc_philly_is_missing(begin)) b->wrong = "`attempts` is an array";
    return hc_json_skip(j, begin, e);
  }
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    if (t.kind == HC_JSON_OBJECT) {
      TRY(read_attempt(j, zone, b, e));
      continue;
    }
    b->wrong = "an attempt is an object";
    TRY(hc_json_skip(j, &t, e));
  }
  return rc;
}

bool hc_philly_run(const hc_philly_attempts *a, hc_philly_which which, hc_time *out)
{
  if (a->is_open && (which != HC_PHILLY_FIRST || a->count == 1)) return false;
  if (which == HC_PHILLY_SUM) *out = a->timed > 0 ? a->sum : HC_UNKNOWN;
  else *out = which == HC_PHILLY_FIRST ? a->first : a->last;
  return true;
}

void hc_philly_cut_gpus(hc_philly_attempts *a, int64_t gpus, int64_t per_host)
{
  a->machines[per_host] = (uint32_t)(gpus / per_host);
  if (gpus % per_host > 0) a->machines[gpus % per_host] = 1;
}
