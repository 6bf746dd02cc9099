/* facts.c -- what is known of a task, as a set of bits, so that a writer can say what its format cannot hold.
 *
 * A value that is the same as nobody's (unknown, -1, one host, no bundle) is no fact. The number of the line and
 * that of a task within its bundle are not of the task but of where it was read. Cost: about 10 ns. */
#include "hindcast/workload.h"

const char *hc_fact_name(hc_fact f)
{
  switch (f) {
#define X(name, word, text) \
  case HC_FACT_##name: return word;
    HC_FACTS(X)
#undef X
    case HC_FACT_COUNT: break;
  }
  return "?";
}

const char *hc_fact_text(hc_fact f)
{
  switch (f) {
#define X(name, word, text) \
  case HC_FACT_##name: return text;
    HC_FACTS(X)
#undef X
    case HC_FACT_COUNT: break;
  }
  return "?";
}

#define BIT(name, claim) ((uint64_t)(claim) << HC_FACT_##name)

static uint64_t facts_of_more(const hc_more *m)
{
  if (!m) return 0;
  return BIT(AFTER, m->after_count > 0) | BIT(CONSTRAINTS, m->constraint_count > 0) |
         BIT(NAMED_HOSTS, m->host_count > 0) | BIT(CHUNKS, m->chunk_count > 0) |
         BIT(SET, m->set != HC_NO_NAME) | BIT(ZONES, m->same != HC_NO_NAME || m->differ != HC_NO_NAME) |
         BIT(RIVALS, m->per_host != 0 || m->per_zone != 0);
}

static uint64_t facts_of_demand(const hc_task_spec *t)
{
  uint64_t other = 0;
  for (int d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) other |= t->need[d] != HC_UNKNOWN;
  return BIT(HOSTS, t->hosts > 1) | BIT(CPU, t->need[HC_DIM_CPU] != HC_UNKNOWN) |
         BIT(MEMORY, t->need[HC_DIM_MEMORY] != HC_UNKNOWN) | BIT(DISK, t->need[HC_DIM_DISK] != HC_UNKNOWN) |
         BIT(GPU, t->need[HC_DIM_GPU] != HC_UNKNOWN) | BIT(OTHER, other);
}

uint64_t hc_task_facts(const hc_task_spec *t, const hc_lexicon *l)
{
  uint64_t facts = BIT(ID, t->id >= 0) | BIT(SUBMIT, t->submit != HC_UNKNOWN) |
                   BIT(WAIT, t->wait != HC_UNKNOWN) | BIT(RUN, t->run != HC_UNKNOWN) |
                   BIT(LIMIT, t->limit != HC_UNKNOWN) | BIT(CPU_TIME, t->cpu_time != HC_UNKNOWN) |
                   BIT(THINK, t->think != HC_UNKNOWN) |
                   BIT(CANCEL_AT, t->cancel_at != HC_NEVER && t->cancel_at != HC_UNKNOWN) |
                   BIT(PROCS_USED, t->procs_used >= 0) | BIT(PROCS_ASKED, t->procs_asked >= 0) |
                   BIT(MEMORY_USED, t->memory_used >= 0) | BIT(MEMORY_ASKED, t->memory_asked >= 0);
  facts |= BIT(PRECEDING, t->preceding >= 0) | BIT(USER, t->user >= 0) | BIT(GROUP, t->group >= 0) |
           BIT(EXECUTABLE, t->executable >= 0) | BIT(QUEUE, t->queue >= 0) |
           BIT(PARTITION, t->partition >= 0) | BIT(PRIORITY, t->priority != 0) |
           BIT(STATUS, t->status != HC_STATUS_UNKNOWN) | BIT(JOB, t->job >= 0) |
           BIT(NOT_BEFORE, t->not_before != HC_UNKNOWN) | BIT(BUNDLE, t->count > 1);
  facts |= BIT(SPREAD, (t->flags & HC_SPEC_SPREAD) != 0) | BIT(AT_START, (t->flags & HC_SPEC_AT_START) != 0) |
           BIT(NO_END, (t->flags & HC_SPEC_NO_END) != 0);
  facts |= facts_of_demand(t);
  if (t->more != 0 && l) facts |= facts_of_more(hc_lexicon_more(l, t->more));
  return facts;
}
