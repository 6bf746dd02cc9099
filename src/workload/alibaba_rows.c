/* alibaba_rows.c -- names and states of the Alibaba v2018 tables. See alibaba_rows.h.
 *
 * The trace hides a job's graph in the names of its tasks: letters, the task's own number, and the numbers of
 * those that it waits for. A name can say "after all of that task ended", of tasks of the same job, and
 * nothing else. Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018. */
#include "workload/alibaba_rows.h"

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
  const hc_more *m = hc_lexicon_more(l, t->more);
  size_t said = 0;
  for (size_t i = 0; m && i < m->after_count && said < HC_ALIBABA_PREDECESSORS; i++) {
    if (!can_say(t, &m->after[i])) continue;
    p = hc_put_uint(hc_put_char(p, '_'), (uint64_t)m->after[i].task);
    said++;
  }
  if (m && said == m->after_count) *lost &= ~HC_FACT_BIT(AFTER);
  return p;
}

char *hc_alibaba_put_state(char *p, const hc_task_spec *t, uint64_t *lost)
{
  const char *word = ",Terminated,";
  if (t->flags & HC_SPEC_NO_END) {
    word = ",Running,";
  } else if (t->run < 0) {
    word = ",Waiting,";
  } else if (t->status == HC_STATUS_FAILED) {
    word = ",Failed,";
  } else if (t->status != HC_STATUS_COMPLETED && t->status != HC_STATUS_UNKNOWN) {
    *lost |= HC_FACT_BIT(STATUS);
    word = ",Failed,";
  }
  return hc_put_text(p, word);
}
