/* alibaba_rows.h -- names, states and units that both tables of the Alibaba v2018 trace share, for writing
 * them. */
#ifndef HC_WORKLOAD_ALIBABA_ROWS_H
#define HC_WORKLOAD_ALIBABA_ROWS_H

#include "workload/writing.h"

#define HC_ALIBABA_PREDECESSORS 256 /* most that a name is given: a row must fit HC_OUT_ROOM */

#define HC_ALIBABA_NUMBER 999999999 /* largest that a name is given: what is larger is a hash */

/** "M3_1_2": number 3 of its job, after 1 and 2; "task_3" if it is of no job or its number is none that a
 *  name can have. What the name cannot say of its predecessors goes into `*lost`, else AFTER is taken out. */
char *hc_alibaba_put_graph(char *p, const hc_task_spec *t, const hc_lexicon *l, uint64_t *lost);
static inline char *hc_alibaba_put_task(char *p, const hc_task_spec *t, const hc_lexicon *l, uint64_t *lost)
{
  if (t->job < 0 || t->id <= 0 || t->id > HC_ALIBABA_NUMBER) {
    memcpy(p, "task_", 5);
    return hc_put_uint(p + 5, (uint64_t)HC_MAX(t->id, 0));
  }
  p = hc_put_uint(hc_put_char(p, 'M'), (uint64_t)t->id);
  return t->more == 0 ? p : hc_alibaba_put_graph(p, t, l, lost);
}
/** "j_17": its job, or itself. */
static inline char *hc_alibaba_put_job(char *p, const hc_task_spec *t)
{
  memcpy(p, "j_", 2);
  return hc_put_uint(p + 2, (uint64_t)(t->job >= 0 ? t->job : HC_MAX(t->id, 0)));
}
/** "Terminated", "Failed", "Running", "Waiting"; with a comma on both sides. */
char *hc_alibaba_put_state(char *p, const hc_task_spec *t, uint64_t *lost);

/** Thousandths of a core as hundredths of a core, which is 100 for one; nothing if not known. */
static inline char *hc_alibaba_put_cpu(char *p, int64_t cpu)
{
  if (cpu < 0) return p;
  return cpu % 10 == 0 ? hc_put_uint(p, (uint64_t)cpu / 10) : hc_put_parts(p, cpu, 10);
}

/** Bytes as a share of a machine's, in hundredths of a per cent, which is as exact as it is written; -1: not
 *  known.
 *  @param per_byte  hundredths of a per cent that a byte is */
static inline int64_t hc_alibaba_share(int64_t memory, double per_byte, uint64_t *lost)
{
  const double exact = (double)memory * per_byte;
  const int64_t n = exact < 9e15 ? (int64_t)(exact + 0.5) : (int64_t)9000000000000000;
  if (memory < 0) return -1;
  if ((double)n != exact) *lost |= HC_FACT_BIT(PRECISION);
  return n;
}

/** The share with two decimals, as far as they are needed; nothing if not known. */
static inline char *hc_alibaba_put_share(char *p, int64_t share)
{
  uint64_t whole, left;
  if (share < 0) return p;
  whole = (uint64_t)share / 100;
  left = (uint64_t)share - whole * 100;
  p = hc_put_uint(p, whole);
  if (left == 0) return p;
  *p = '.';
  memcpy(p + 1, hc_digit_pairs + 2 * left, 2);
  return p + 2 + (left % 10 != 0);
}

#endif
