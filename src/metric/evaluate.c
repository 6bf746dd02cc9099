/* evaluate.c -- metrics over a known schedule. */
#include "metric/evaluate.h"

#include "base/mem.h"
#include "base/util.h"
#include "metric/findings.h"
#include "metric/replay.h"

typedef struct hearing {
  const hc_metric_type *type;
  hc_metric *metric;
  hc_time from, to; /* integrals are taken in here */
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
                          const hc_chosen *trim, const hc_trim_input *in, hc_findings *findings)
{
  if (h->type->tasks) TRY(hear_tasks(h, records, count, trim, in));
  if (h->type->intervals) TRY(hc_metric_replay(c->allocator, c->capacity, records, count, hear_intervals, h));
  return h->type->finish(h->metric, findings);
}

hc_rc hc_metric_evaluate(const hc_metric_context *c, const hc_chosen *metrics, size_t n,
                         const hc_task_record *records, size_t count, const hc_chosen *trim,
                         const hc_trim_input *in, hc_findings *findings, hc_error *e)
{
  hearing h = {.from = HC_UNKNOWN, .to = HC_NEVER};
  if (trim && ((const hc_trim_type *)trim->type)->window)
    ((const hc_trim_type *)trim->type)->window(trim->options, in, &h.from, &h.to);
  for (size_t i = 0; i < n; i++) {
    hc_rc rc;
    h.type = (const hc_metric_type *)metrics[i].type;
    TRY(h.type->init(c, metrics[i].options, &h.metric, e));
    rc = evaluate_one(&h, c, records, count, trim, in, findings);
    if (h.type->fini) h.type->fini(h.metric);
    if (rc < 0) return hc_metric_fail(h.type, rc, e);
  }
  return 0;
}
