/* alibaba_rows.c -- names, states and amounts of the tables of Alibaba's traces. See alibaba_rows.h.
 *
 * The trace of 2018 hides a job's graph in the names of its tasks: letters, the task's own number, and the
 * numbers of those that it waits for. A name can say "after all of that task ended", of tasks of the same
 * job, and nothing else. Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018.
 *
 * Amounts are shares of a machine or of a unit, as decimals. What is written is the shortest one that is read
 * back as the same amount, so that nothing is lost, and a published value comes out as it went in. */
#include "workload/alibaba_rows.h"

#include "workload/alibaba_job.h"

static bool is_number(int64_t n)
{
  return n > 0 && n <= HC_ALIBABA_NUMBER;
}

static bool can_say(const hc_task_spec *t, const hc_after *a)
{
  return a->job == t->job && is_number(a->task) && (a->how == HC_AFTER_ENDED || a->how == HC_AFTER_COMPLETED);
}

char *hc_alibaba_put_graph(char *p, const hc_task_spec *t, const hc_lexicon *l, uint64_t *lost)
{
  const hc_task_extras *m = hc_lexicon_more(l, t->more);
  size_t said = 0;
  for (size_t i = 0; m && i < m->after_count && said < HC_ALIBABA_PREDECESSORS; i++) {
    if (!can_say(t, &m->after[i])) continue;
    p = hc_put_uint(hc_put_char(p, '_'), (uint64_t)m->after[i].task);
    said++;
  }
  if (m && said == m->after_count) *lost &= ~HC_FACT_BIT(AFTER);
  return p;
}

bool hc_alibaba_put_label(char **p, const hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  static const hc_column own = {"task_name", HC_TO(ID)};
  size_t n;
  const char *text = hc_lexicon_label_text(w->rows.context->lexicon, t->label, &n);
  const int64_t number = text && !hc_alibaba_is_member(t) ? hc_alibaba_name_hash(text, n) : 0;
  if (number == 0 || !hc_pen_label(p, w, &own, lost)) return false;
  if (number == t->id) *lost &= ~HC_FACT_BIT(ID);
  return true;
}

const char *hc_alibaba_state(const hc_task_spec *t, bool cancelled, uint64_t *lost)
{
  if ((t->flags & HC_SPEC_NO_END) || t->run == HC_NEVER) {
    *lost |= HC_FACT_BIT(RUN);
    return "Running";
  }
  if (cancelled && t->status == HC_STATUS_CANCELLED) return "Cancelled";
  if (t->run < 0) {
    if (t->status != HC_STATUS_UNKNOWN) *lost |= HC_FACT_BIT(STATUS);
    return "Waiting";
  }
  if (t->status == HC_STATUS_COMPLETED || t->status == HC_STATUS_UNKNOWN) return "Terminated";
  if (t->status != HC_STATUS_FAILED) *lost |= HC_FACT_BIT(STATUS);
  if (hc_spec_recorded(t) == HC_RECORDED_INTERRUPTED) {
    *lost &= ~HC_FACT_BIT(STATE);
    return "Interrupted";
  }
  return "Failed";
}

char *hc_alibaba_put_part(char *p, int64_t memory, int64_t scale, uint64_t whole, uint64_t *lost)
{
  if (memory <= scale) return hc_put_decimal(p, memory, (uint64_t)scale, whole, lost);
  *lost |= HC_FACT_BIT(MEMORY);
  return p;
}
