/* alibaba.c -- the states of tasks and instances in Alibaba's traces of 2017, 2018 and 2020.
 *
 * A row of a task that did not run from a known begin to a known end is none of a task. No state counts as a
 * good end. Source: https://github.com/alibaba/clusterdata. */
#include "workload/alibaba.h"

#include <string.h>

#include "base/util.h"

typedef enum state { TERMINATED, FAILED, INTERRUPTED, CANCELLED, RUNNING, WAITING, READY, STATES } state;
static const char *const state_names[STATES] = {"Terminated", "Failed",  "Interrupted", "Cancelled",
                                                "Running",    "Waiting", "Ready"};

static state find_state(const hc_field *f)
{
  if (hc_field_is(f, state_names[TERMINATED])) return TERMINATED;
  for (int i = 0; i < STATES; i++)
    if (hc_same_word(f->text, f->length, state_names[i])) return (state)i;
  return STATES;
}

bool hc_alibaba_is_state(const hc_field *f)
{
  return find_state(f) != STATES;
}

bool hc_alibaba_is_row_of_2018(const hc_field *job, const hc_field *status, const hc_field *start,
                               const hc_field *end)
{
  return job->length > 2 && memcmp(job->text, "j_", 2) == 0 && hc_alibaba_is_state(status) &&
         hc_field_is_number(start) && hc_field_is_number(end);
}

/* Why a task in that state is not to be had; HC_REASON_COUNT if it is. */
static hc_reason why_not(state s, hc_alibaba_statuses wanted, const hc_alibaba_span *t)
{
  switch (s) {
    case WAITING:
    case READY: return HC_REASON_NEVER_RAN;
    case RUNNING: return t->start == HC_UNKNOWN ? HC_REASON_ALREADY_RUNNING : HC_REASON_STILL_RUNNING;
    case FAILED:
    case INTERRUPTED:
    case CANCELLED:
      if (wanted == HC_ALIBABA_TERMINATED) return HC_REASON_FILTERED;
      if (t->end == HC_UNKNOWN) return HC_REASON_NEVER_RAN;
      break;
    case TERMINATED:
    case STATES: break;
  }
  if (t->start == HC_UNKNOWN) return t->end == HC_UNKNOWN ? HC_REASON_NEVER_RAN : HC_REASON_ALREADY_RUNNING;
  return t->end == HC_UNKNOWN ? HC_REASON_STILL_RUNNING : HC_REASON_COUNT;
}

hc_rc hc_alibaba_ran(hc_sheet *t, uint32_t status, uint32_t start, uint32_t end, int wanted,
                     hc_alibaba_span *out, hc_error *e)
{
  const hc_field *f = hc_sheet_field(t, status);
  const state s = f ? find_state(f) : TERMINATED;
  hc_reason why;
  hc_rc rc;
  if (s == STATES) return hc_sheet_wrong(t, status, "no state that is known", e);
  rc = hc_sheet_get(t, start, &out->start, e);
  if (rc == 1) rc = hc_sheet_get(t, end, &out->end, e);
  if (rc != 1) return rc;
  why = why_not(s, (hc_alibaba_statuses)wanted, out);
  if (why != HC_REASON_COUNT) return hc_sheet_reject(t, why, e);
  if (out->end < out->start) return hc_sheet_wrong(t, end, "before it started", e);
  out->state = s == TERMINATED    ? HC_RECORDED_COMPLETED
               : s == CANCELLED   ? HC_RECORDED_CANCELLED
               : s == INTERRUPTED ? HC_RECORDED_INTERRUPTED
                                  : HC_RECORDED_FAILED;
  return 1;
}

hc_rc hc_alibaba_span_of(hc_sheet *t, uint32_t status, uint32_t start, uint32_t end, int wanted,
                         hc_task_spec *out, hc_error *e)
{
  hc_alibaba_span span = {0};
  const hc_rc rc = hc_alibaba_ran(t, status, start, end, wanted, &span, e);
  if (rc != 1) return rc;
  out->submit = span.start;
  out->run = span.end - span.start;
  hc_spec_record(out, span.state);
  return 1;
}
