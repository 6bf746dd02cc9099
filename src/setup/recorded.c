/* recorded.c -- see recorded.h. */
#include "setup/recorded.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"

/* Amounts are those of a processor in a spec. */
static int64_t of_all(int64_t each, int64_t procs)
{
  int64_t all;
  return each < 0 || procs <= 0 || __builtin_mul_overflow(each, procs, &all) ? HC_UNKNOWN : all;
}

static hc_ending ending_of(hc_recorded how)
{
  switch (how) {
    case HC_RECORDED_UNKNOWN: return HC_ENDING_UNKNOWN;
    case HC_RECORDED_COMPLETED:
    case HC_RECORDED_PARTIAL_LAST: return HC_ENDING_COMPLETED;
    case HC_RECORDED_TIMEOUT:
    case HC_RECORDED_DEADLINE: return HC_ENDING_TIMEOUT;
    case HC_RECORDED_OUT_OF_MEMORY: return HC_ENDING_OUT_OF_MEMORY;
    case HC_RECORDED_NODE_FAIL:
    case HC_RECORDED_BOOT_FAIL:
    case HC_RECORDED_INTERRUPTED: return HC_ENDING_NODE_FAIL;
    case HC_RECORDED_REQUEUED: return HC_ENDING_REQUEUED;
    default: break;
  }
  switch (hc_recorded_status(how)) {
    case HC_STATUS_FAILED:
    case HC_STATUS_PARTIAL_FAILED: return HC_ENDING_FAILED;
    case HC_STATUS_CANCELLED: return HC_ENDING_CANCELLED;
    default: return HC_ENDING_OTHER;
  }
}

/* Memory is asked for with the processors that are asked for, and used on those that are used. */
bool hc_recorded_measured(const hc_task_spec *t, hc_measured *out)
{
  const int64_t used = t->procs_used > 0 ? t->procs_used : t->procs_asked;
  const int64_t asked = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
  *out = (hc_measured){.held = t->held,
                       .cpu_time = of_all(t->cpu_time, used),
                       .memory_asked = of_all(t->memory_asked, asked),
                       .memory_used = of_all(t->memory_used, used),
                       .ending = ending_of(hc_spec_recorded(t))};
  return out->held != HC_UNKNOWN || out->cpu_time != HC_UNKNOWN || out->memory_asked != HC_UNKNOWN ||
         out->memory_used != HC_UNKNOWN || out->ending != HC_ENDING_UNKNOWN;
}

hc_rc hc_recorded_row(hc_store *s, int64_t serial, const hc_measured *m, hc_error *e)
{
  const int64_t row[] = {serial, m->held, m->cpu_time, m->memory_asked, m->memory_used, m->ending};
  return hc_store_numbers(s, "measured", HC_ARRAY_LEN(row), row, e);
}

hc_rc hc_recorded_counts(hc_store *s, const uint64_t *counts, uint64_t tasks, hc_error *e)
{
  uint64_t others = 0;
  for (int r = 0; r < HC_RECORDED_COUNT; r++)
    if (r != HC_RECORDED_COMPLETED) others += counts[r];
  if (others == counts[HC_RECORDED_UNKNOWN]) return 0;
  for (int r = 0; r < HC_RECORDED_COUNT; r++) {
    const uint64_t n = r == HC_RECORDED_COMPLETED ? tasks - others : counts[r];
    char key[40], text[32];
    if (n == 0) continue;
    (void)snprintf(key, sizeof key, HC_RECORDED_KEY "%s", hc_recorded_name((hc_recorded)r));
    (void)snprintf(text, sizeof text, "%" PRIu64, n);
    TRY(hc_store_row(s, "hindcast", 2, (const char *[]){key, text}, e));
  }
  return 0;
}
