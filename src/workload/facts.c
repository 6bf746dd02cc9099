/* facts.c -- what is known of a task, as a set of bits, so that a writer can say what its format cannot hold.
 *
 * Nearly all members are negative where they say nothing, and stand in a spec in the order of the facts:
 * their signs are the bits, two at a time.
 *
 * A value that is the same as an empty spec's (unknown, -1, one host, no bundle) is no fact. The number of
 * the line and that of a task within its bundle are not of the task but of where it was read. Cost: about 10
 * ns. */
#include "base/port.h"
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

static uint64_t facts_of_more(const hc_task_extras *m)
{
  if (!m) return 0;
  return BIT(AFTER, m->after_count > 0) | BIT(CONSTRAINTS, m->constraint_count > 0) |
         BIT(NAMED_HOSTS, m->host_count > 0) | BIT(CHUNKS, m->chunk_count > 0) |
         BIT(SET, m->set != HC_NO_NAME) | BIT(ZONES, m->same != HC_NO_NAME || m->differ != HC_NO_NAME) |
         BIT(RIVALS, m->per_host != 0 || m->per_zone != 0) | BIT(USE, m->use_count > 0) |
         BIT(RESIZES, m->resize_count > 0) | BIT(OTHER, m->further_count > 0) |
         BIT(MALLEABLE, m->of > 0 || m->most_cpu > 0) | BIT(PREFERS, m->prefer_count > 0) |
         BIT(DATA, m->input_count + m->output_count > 0) |
         BIT(HOST_COUNT, m->least_hosts > 0 || m->most_hosts > 0) | BIT(AT_ONCE, m->at_once > 0) |
         BIT(TERMS, hc_task_has_terms(m)) | BIT(AGAIN, m->again != HC_AGAIN_UNSAID);
}

/* The members whose signs are taken: [SUBMIT, PARTITION] and [JOB, GPU], each an even number of them with
 * what stands behind. */
#define FIRST offsetof(hc_task_spec, submit)
#define SECOND offsetof(hc_task_spec, job)
#define PLACE(name, member, from) \
  _Static_assert(offsetof(hc_task_spec, member) == \
                     (from) + 8 * (HC_FACT_##name - ((from) == FIRST ? HC_FACT_SUBMIT : HC_FACT_JOB)), \
                 "facts stand in the order of the members")
PLACE(CANCEL_AT, cancel_at, FIRST);
PLACE(MEMORY_ASKED, memory_asked, FIRST);
PLACE(PARTITION, partition, FIRST);
PLACE(NOT_BEFORE, not_before, SECOND);
PLACE(HOSTS, hosts, SECOND);
PLACE(GPU, need[HC_DIM_GPU], SECOND);

uint64_t hc_task_facts(const hc_task_spec *t, const hc_lexicon *l)
{
  const uint64_t first =
      hc_not_negative((const char *)t + FIRST, 18) & ~(UINT64_C(1) << 17); /* not priority */
  const uint64_t second = hc_not_negative((const char *)t + SECOND, 8) & 0x7f;
  const uint64_t others = hc_not_negative(&t->need[HC_DIM_OTHER], HC_NEEDS - HC_DIM_OTHER);
  uint64_t facts =
      BIT(ID, t->id >= 0) | first << HC_FACT_SUBMIT | second << HC_FACT_JOB | BIT(OTHER, others != 0);
  facts |= BIT(PRIORITY, t->priority != 0) | BIT(STATUS, t->status != HC_STATUS_UNKNOWN) |
           BIT(BUNDLE, t->count > 1);
  if (t->cancel_at == HC_NEVER) facts &= ~HC_FACT_BIT(CANCEL_AT);
  if (t->hosts <= 1) facts &= ~HC_FACT_BIT(HOSTS);
  if (t->submit < 0 && t->submit != HC_UNKNOWN) facts |= HC_FACT_BIT(SUBMIT); /* before the origin */
  if (t->flags != 0)
    facts |= BIT(SPREAD, (t->flags & HC_SPEC_SPREAD) != 0) |
             BIT(AT_START, (t->flags & HC_SPEC_AT_START) != 0) |
             BIT(NO_END, (t->flags & HC_SPEC_NO_END) != 0) | BIT(STARTED, (t->flags & HC_SPEC_STARTED) != 0) |
             BIT(STATE, t->flags >> HC_RECORDED_SHIFT != 0);
  facts |= BIT(ACCOUNT, t->account > 0) | BIT(QOS, t->qos > 0) | BIT(HELD, t->held > 0) |
           BIT(LABEL, t->label != 0) | BIT(JOB_LABEL, t->job_label != 0);
  if (t->more != 0 && l) facts |= facts_of_more(hc_lexicon_more(l, t->more));
  return facts;
}
