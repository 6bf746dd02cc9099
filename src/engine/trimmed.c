/* trimmed.c -- the second summary: the same figures over the tasks that a trim keeps.
 *
 * A trim such as "without the first 1 % to end" needs to know how many there were, so this is a pass over
 * the stored rows when the run is over. The untrimmed summary is always stored too.
 *
 * On hosts the rows also say what each task asked for and had. They do not say what tasks really used, and
 * which hosts an attempt had that was lost with its host: metrics that would need it are refused before the
 * run begins. */
#include <stdlib.h>

#include "base/util.h"
#include "engine/observe.h"
#include "engine/state.h"
#include "metric/contention.h"
#include "metric/evaluate.h"
#include "metric/findings.h"

static hc_rc read_all(hc_engine *e, hc_task_record **out, size_t *count, hc_error *error)
{
  hc_result *r;
  uint64_t n;
  size_t got = 1;
  hc_rc rc;
  TRY(hc_result_of_store(e->store, &r, error));
  n = hc_result_task_count(r);
  *count = 0;
  *out = hc_alloc(e->allocator, (size_t)(n + 1) * sizeof **out);
  rc = *out ? hc_result_check(r, error) : HC_ENOMEM;
  for (bool first = true; rc >= 0 && got > 0 && *count < n; first = false) {
    rc = hc_result_tasks(r, first, *out + *count, (size_t)n - *count, &got, error);
    *count += got;
  }
  hc_result_free(r);
  if (rc >= 0) return 0;
  hc_free(e->allocator, *out, (size_t)(n + 1) * sizeof **out);
  return rc;
}

/* ---- what is stored about hosts ---- */

typedef struct story {
  const hc_allocator *allocator;
  hc_arena amounts;
  uint32_t width, amount_columns;
  hc_story_asked *asked;
  hc_story_held *held;
  hc_change *changes;
  size_t asked_count, asked_cap, held_count, held_cap, change_count, change_cap;
} story;

static int64_t number(const char *text)
{
  return text ? strtoll(text, NULL, 10) : 0;
}

static void amounts(const story *s, const char *const *values, int64_t *out)
{
  for (uint32_t d = 0; d < s->width; d++) out[d] = HC_MAX(number(values[d]), 0);
}

static const int64_t *keep_amounts(story *s, const char *const *values)
{
  int64_t *out = hc_arena_alloc(&s->amounts, s->width * sizeof *out);
  if (out) amounts(s, values, out);
  return out;
}

static hc_rc keep_asked(void *ctx, const char *const *values)
{
  story *s = ctx;
  hc_story_asked x = {
      .serial = number(values[0]), .slots = (uint32_t)number(values[2]), .whole = number(values[3]) & 1};
  if (!(x.amount = keep_amounts(s, values + 5))) return HC_ENOMEM;
  TRY(hc_reserve(s->allocator, (void **)&s->asked, &s->asked_cap, s->asked_count + 1, sizeof x));
  s->asked[s->asked_count++] = x;
  return 0;
}

static hc_rc keep_held(void *ctx, const char *const *values)
{
  story *s = ctx;
  hc_story_held x = {.serial = number(values[0]),
                     .host = (uint32_t)number(values[1]),
                     .devices = hc_result_devices(values + 3, s->amount_columns)};
  if (!(x.amount = keep_amounts(s, values + 4))) return HC_ENOMEM;
  TRY(hc_reserve(s->allocator, (void **)&s->held, &s->held_cap, s->held_count + 1, sizeof x));
  s->held[s->held_count++] = x;
  return 0;
}

static hc_rc keep_change(void *ctx, const char *const *values)
{
  story *s = ctx;
  hc_change x = {.at = number(values[0]),
                 .user = -1,
                 .job = -1,
                 .kind = HC_CHANGE_HOST,
                 .host = (uint32_t)number(values[1]),
                 .slots = 1,
                 .used_cpu = HC_UNKNOWN,
                 .used_memory = HC_UNKNOWN};
  amounts(s, values + 3, x.amount);
  TRY(hc_reserve(s->allocator, (void **)&s->changes, &s->change_cap, s->change_count + 1, sizeof x));
  s->changes[s->change_count++] = x;
  return 0;
}

static int by_serial(const void *a, const void *b)
{
  const int64_t x = ((const hc_story_asked *)a)->serial, y = ((const hc_story_asked *)b)->serial;
  return x < y ? -1 : x > y;
}

static int by_serial_and_host(const void *a, const void *b)
{
  const hc_story_held *x = a, *y = b;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  if (x->host != y->host) return x->host < y->host ? -1 : 1;
  if (x->devices.bits[1] != y->devices.bits[1]) return x->devices.bits[1] < y->devices.bits[1] ? -1 : 1;
  return x->devices.bits[0] < y->devices.bits[0] ? -1 : x->devices.bits[0] > y->devices.bits[0];
}

static void forget(story *s)
{
  hc_arena_fini(&s->amounts);
  hc_free(s->allocator, s->asked, s->asked_cap * sizeof *s->asked);
  hc_free(s->allocator, s->held, s->held_cap * sizeof *s->held);
  hc_free(s->allocator, s->changes, s->change_cap * sizeof *s->changes);
}

static hc_rc read_story(hc_engine *e, story *s, hc_host_story *out, hc_error *error)
{
  hc_result *r;
  hc_rc rc;
  TRY(hc_result_of_store(e->store, &r, error));
  s->amount_columns = hc_result_amounts(r);
  s->width = HC_MIN(s->amount_columns, HC_DIMENSIONS);
  rc = hc_result_rows(r, "demands", 5 + s->width, keep_asked, s, error);
  if (rc >= 0) rc = hc_result_rows(r, "grants", 4 + s->amount_columns, keep_held, s, error);
  if (rc >= 0) rc = hc_result_rows(r, "host_changes", 3 + s->width, keep_change, s, error);
  hc_result_free(r);
  TRY(rc);
  if (s->asked_count > 0) qsort(s->asked, s->asked_count, sizeof *s->asked, by_serial);
  if (s->held_count > 0) qsort(s->held, s->held_count, sizeof *s->held, by_serial_and_host);
  *out = (hc_host_story){s->asked,
                         s->asked_count,
                         s->held,
                         s->held_count,
                         s->changes,
                         s->change_count,
                         HC_MIN(s->width, e->gauge.width)};
  return 0;
}

hc_rc hc_trimmed_check(const hc_engine *e, hc_error *error)
{
  const hc_run_options *o = e->options;
  const hc_chosen *metrics = o->metrics.items;
  const bool hosts_change = o->events.count > 0 || e->cell_spec.event_count > 0;
  if (!o->trim.type) return 0;
  for (size_t i = 0; i < o->metrics.count; i++) {
    const hc_metric_type *type = (const hc_metric_type *)metrics[i].type;
    TRY(hc_metric_needs_only_records(type, "the stored result that a trim goes over", error));
    if (hosts_change && o->host_loss != HC_LOSS_LOST && type->changes)
      return hc_fail(
          error, HC_EUNSUPPORTED, "trim", 0, 0,
          "metric %s follows hosts, and a stored result does not say which hosts an attempt had that was "
          "lost with its host; leave out the trim or the metric, or set `host_loss: lost`",
          type->component.name);
  }
  return 0;
}

static hc_rc find_contention(const hc_run_options *o, const hc_metric_context *c,
                             const hc_task_record *records, size_t count, const hc_host_story *hosts,
                             hc_trim_input *in, hc_error *error)
{
  int64_t serial = 0;
  hc_rc rc;
  if (!((const hc_trim_type *)o->trim.type)->needs_contention) return 0;
  rc = hc_contention_find(c, records, count, hosts, in, &serial);
  if (rc == HC_EUNSUPPORTED)
    return hc_fail(
        error, rc, "trim", 0, 0,
        "the result does not say what task %lld asked of hosts or had: it never ran, or ran when the "
        "run ended; let the run go on to its end, or choose another trim",
        (long long)serial);
  return rc < 0 ? hc_fail(error, rc, "trim", 0, 0, "no memory to find when users competed") : 0;
}

static bool beside(void *result, int64_t serial, hc_beside *out)
{
  return hc_result_beside(result, serial, out);
}

/* The figures of what the trim keeps. What tasks have beside group and queue is in the result by now. */
static hc_rc evaluate(hc_engine *e, hc_metric_context *c, const hc_task_record *records, size_t count,
                      const hc_host_story *hosts, const hc_trim_input *in, hc_findings *findings,
                      hc_error *error)
{
  const hc_run_options *o = e->options;
  hc_result *r;
  TRY(hc_result_of_store(e->store, &r, error));
  c->beside = beside;
  c->beside_ctx = r;
  hc_rc rc = hc_metric_evaluate(c, o->metrics.items, o->metrics.count, records, count, hosts, &o->trim, in,
                                findings, error);
  if (rc >= 0) rc = hc_result_check(r, error);
  hc_result_free(r);
  return rc;
}

hc_rc hc_trimmed_finish(hc_engine *e, hc_findings *findings, hc_error *error)
{
  const hc_run_options *o = e->options;
  const hc_counters *k = &e->counters;
  hc_metric_context context = hc_observe_context(e);
  hc_trim_input in = {.tasks = k->started,
                      .first_submit = k->first_submit,
                      .last_submit = k->last_submit,
                      .first_start = k->first_start,
                      .last_end = k->last_end,
                      .full_from = k->full_from,
                      .full_to = k->full_to};
  story s = {.allocator = e->allocator};
  hc_host_story hosts = {0};
  hc_task_record *records;
  size_t count;
  hc_rc rc;
  if (!o->trim.type) return 0;
  hc_arena_init(&s.amounts, e->allocator);
  if (o->task_rows != HC_ROWS_ALL)
    return hc_fail(
        error, HC_EUNSUPPORTED, "trim", 0, 0,
        "a trimmed summary is counted from the task rows; set `task_rows: all` or take the trim out");
  TRY(read_all(e, &records, &count, error));
  rc = e->cell.hosts ? read_story(e, &s, &hosts, error) : 0;
  if (rc >= 0) rc = find_contention(o, &context, records, count, e->cell.hosts ? &hosts : NULL, &in, error);
  if (rc >= 0)
    rc = evaluate(e, &context, records, count, e->cell.hosts ? &hosts : NULL, &in, findings, error);
  forget(&s);
  hc_free(e->allocator, records, (count + 1) * sizeof *records);
  return rc;
}
