/* trimmed.c -- the second summary: the same figures over the tasks that a trim keeps.
 *
 * A trim such as "without the first 1 % to end" needs to know how many there were, so this is a pass over
 * the stored rows when the run is over. The untrimmed summary is always stored too. */
#include "base/util.h"
#include "engine/state.h"
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
  rc = *out ? 0 : HC_ENOMEM;
  for (bool first = true; rc >= 0 && got > 0 && *count < n; first = false) {
    rc = hc_result_tasks(r, first, *out + *count, (size_t)n - *count, &got, error);
    *count += got;
  }
  hc_result_free(r);
  if (rc >= 0) return 0;
  hc_free(e->allocator, *out, (size_t)(n + 1) * sizeof **out);
  return rc;
}

hc_rc hc_trimmed_finish(hc_engine *e, hc_findings *findings, hc_error *error)
{
  const hc_run_options *o = e->options;
  const hc_counters *k = &e->counters;
  hc_metric_context context = hc_observe_context(e);
  hc_trim_input in = {k->started,  k->first_submit, k->last_submit, k->first_start,
                      k->last_end, k->full_from,    k->full_to};
  hc_task_record *records;
  size_t count;
  hc_rc rc;
  if (!o->trim.type) return 0;
  if (o->task_rows != HC_ROWS_ALL)
    return hc_fail(
        error, HC_EUNSUPPORTED, "trim", 0, 0,
        "a trimmed summary is counted from the task rows; set `task_rows: all` or take the trim out");
  TRY(read_all(e, &records, &count, error));
  rc = hc_metric_evaluate(&context, o->metrics.items, o->metrics.count, records, count, &o->trim, &in,
                          findings, error);
  hc_free(e->allocator, records, (count + 1) * sizeof *records);
  return rc;
}
