/* evaluate.c -- metrics over a known schedule. */
#include "metric/evaluate.h"

#include <inttypes.h>

#include "base/blame.h"
#include "base/mem.h"
#include "base/util.h"
#include "metric/findings.h"
#include "metric/replay.h"

typedef struct hearing {
  const hc_metric_type *type;
  hc_metric *metric;
  hc_time from, to; /* integrals are taken in here */
  hc_time last;     /* of what changed */
} hearing;

static hc_rc hear_intervals(void *ctx, const hc_interval *intervals, size_t count)
{
  const hearing *h = ctx;
  for (size_t i = 0; i < count; i++) {
    hc_interval part = intervals[i];
    part.from = HC_MAX(part.from, h->from);
    part.to = HC_MIN(part.to, h->to);
    if (part.from < part.to) TRY(h->type->intervals(h->metric, &part, 1));
  }
  return 0;
}

hc_rc hc_metric_needs_only_records(const hc_metric_type *t, const char *whose, hc_error *e)
{
  if (!t->needs_use) return 0;
  return hc_fail(
      e, HC_EUNSUPPORTED, "metrics", 0, 0,
      "metric %s counts what tasks really use, or when they might start, which %s does not say; leave it out",
      t->component.name, whose);
}

/* What changed before the window is told at its beginning, when it makes up the state. */
static hc_rc hear_changes(void *ctx, const hc_change *changes, size_t count)
{
  hearing *h = ctx;
  for (size_t i = 0; i < count; i++) {
    hc_change c = changes[i];
    if (h->from != HC_UNKNOWN) c.at = HC_MAX(c.at, h->from);
    if (c.at >= h->to) return 0;
    h->last = c.at;
    TRY(h->type->changes(h->metric, &c, 1));
  }
  return 0;
}

static hc_time last_instant(const hc_task_record *records, size_t count)
{
  hc_time last = 0;
  for (size_t i = 0; i < count; i++) {
    if (records[i].submit != HC_UNKNOWN) last = HC_MAX(last, records[i].submit);
    if (records[i].start != HC_UNKNOWN) last = HC_MAX(last, records[i].start);
    if (records[i].end != HC_UNKNOWN) last = HC_MAX(last, records[i].end);
  }
  return last;
}

static hc_rc replay_changes(hearing *h, const hc_metric_context *c, const hc_task_record *records,
                            size_t count, const hc_host_story *hosts, hc_error *e)
{
  int64_t serial = 0;
  const hc_rc rc =
      hc_metric_replay_changes(c->allocator, c->cell, records, count, hosts, hear_changes, h, &serial);
  const hc_time end = HC_MIN(last_instant(records, count), h->to);
  if (rc == HC_EUNSUPPORTED)
    return hc_fail(
        e, rc, "metrics", 0, 0,
        "metric %s follows hosts, and the result does not say what task %" PRId64
        " asked of them or had: it never ran, or ran when the run ended; leave the metric out, or the trim",
        h->type->component.name, serial);
  TRY(rc);
  return h->type->until ? h->type->until(h->metric, HC_MAX(end, h->last)) : 0;
}

static hc_rc hear_tasks(const hearing *h, const hc_task_record *records, size_t count, const hc_chosen *trim,
                        const hc_trim_input *in)
{
  const hc_trim_type *t = trim ? (const hc_trim_type *)trim->type : NULL;
  uint64_t rank = 0;
  for (size_t i = 0; i < count; i++) {
    bool started = records[i].start != HC_UNKNOWN;
    bool kept = !t || (started && t->keeps(trim->options, in, rank, &records[i]));
    rank += started;
    if (kept) TRY(h->type->tasks(h->metric, &records[i], 1));
  }
  return 0;
}

static hc_rc evaluate_one(hearing *h, const hc_metric_context *c, const hc_task_record *records, size_t count,
                          const hc_host_story *hosts, const hc_chosen *trim, const hc_trim_input *in,
                          hc_findings *findings, hc_error *e)
{
  if (h->type->tasks) TRY(hear_tasks(h, records, count, trim, in));
  if (h->type->intervals) TRY(hc_metric_replay(c->allocator, c->capacity, records, count, hear_intervals, h));
  if (h->type->changes) TRY(replay_changes(h, c, records, count, hosts, e));
  return h->type->finish(h->metric, findings);
}

hc_rc hc_metric_evaluate(const hc_metric_context *c, const hc_chosen *metrics, size_t n,
                         const hc_task_record *records, size_t count, const hc_host_story *hosts,
                         const hc_chosen *trim, const hc_trim_input *in, hc_findings *findings, hc_error *e)
{
  hearing h = {.from = HC_UNKNOWN, .to = HC_NEVER};
  if (trim && ((const hc_trim_type *)trim->type)->window)
    ((const hc_trim_type *)trim->type)->window(trim->options, in, &h.from, &h.to);
  for (size_t i = 0; i < n; i++) {
    hc_rc rc;
    h.type = (const hc_metric_type *)metrics[i].type;
    TRY(hc_metric_needs_only_records(h.type, trim ? "a stored result" : "a log of waits and run times", e));
    h.last = h.from == HC_UNKNOWN ? 0 : h.from;
    TRY(hc_blame(&h.type->component, h.type->init(c, metrics[i].options, &h.metric, e), e));
    rc = evaluate_one(&h, c, records, count, hosts, trim, in, findings, e);
    if (h.type->fini) h.type->fini(h.metric);
    if (rc == HC_EUNSUPPORTED) return rc; /* with its reason */
    if (rc < 0) return hc_metric_fail(h.type, rc, e);
  }
  return 0;
}
