/* spec.h -- the part of a task that batch logs do not have. */
#ifndef HC_WORKLOAD_SPEC_H
#define HC_WORKLOAD_SPEC_H

#include "hindcast/lexicon.h"
#include "hindcast/workload.h"

/** Nothing that only data centres know: as hc_task_spec_none leaves it. */
static inline void hc_spec_plain(hc_task_spec *t)
{
  t->node = 0;
  t->job = -1;
  t->not_before = HC_UNKNOWN;
  t->hosts = HC_UNKNOWN;
  for (int d = 0; d < HC_NEEDS; d++) t->need[d] = HC_UNKNOWN;
  t->count = t->more = t->flags = t->file = 0;
  t->account = t->qos = 0;
  t->label = t->job_label = 0;
  t->held = HC_UNKNOWN;
}

/** The number of a name that is not worth keeping (of a job, a task, an instance): the number itself if it is
 *  written as one, else a hash with the second bit from the top set, so that the two never meet. A hash that
 *  was written out is read as itself. Two names have one hash with a chance of n^2 / 2^63 among n names. */
static inline int64_t hc_name_number(const char *s, size_t n)
{
  uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ n, number = 0;
  bool digits = n > 0 && n <= 19; /* below 2^64 */
  for (size_t i = 0; i < n; i++) {
    const unsigned digit = (unsigned char)s[i] - '0';
    digits &= digit <= 9;
    number = number * 10 + digit;
    h = (h ^ (unsigned char)s[i]) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  if (digits && (n <= 18 || number >> 62 == 1)) return (int64_t)number;
  return (int64_t)((h & ((UINT64_C(1) << 62) - 1)) | UINT64_C(1) << 62);
}

/** Whether a number is the hash of a name, which alone can say which it was. */
static inline bool hc_name_is_hash(int64_t number)
{
  return number >> 62 == 1;
}

/** Whether a text is what a number is written as: then the number says it all. */
static inline bool hc_is_number_text(const char *s, size_t n, int64_t number)
{
  uint64_t left = (uint64_t)number;
  if (number < 0 || n == 0 || n > 19 || (n > 1 && s[0] == '0')) return false;
  for (size_t i = n; i-- > 0; left /= 10)
    if (s[i] != (char)('0' + left % 10)) return false;
  return left == 0;
}

/** Call a task, or its job, what its source does, unless its number says it. @param out  a label that the
 *  task holds; @return 0 or HC_ENOMEM */
static inline hc_rc hc_spec_label(hc_lexicon *l, const char *s, size_t n, int64_t number, uint32_t *out)
{
  return l && !hc_is_number_text(s, n, number) ? hc_lexicon_label(l, s, n, out) : 0;
}

/** Whether a number that is written out is read by hc_name_number as itself. */
static inline bool hc_name_holds(int64_t n)
{
  return n >= 0 && (n < INT64_C(1000000000000000000) || n >> 62 == 1);
}

/** A copy of the task holds what it holds. */
static inline void hc_spec_hold(hc_lexicon *l, const hc_task_spec *t)
{
  if (!l || (t->more | t->label | t->job_label) == 0) return;
  hc_lexicon_hold_handle(l, t->more);
  hc_lexicon_hold_handle(l, t->label);
  hc_lexicon_hold_handle(l, t->job_label);
}

/** Its names alone: of a copy that is not asked for them. */
static inline void hc_spec_drop_labels(hc_lexicon *l, hc_task_spec *t)
{
  if (l && (t->label | t->job_label) != 0) {
    hc_lexicon_drop_handle(l, t->label);
    hc_lexicon_drop_handle(l, t->job_label);
  }
  t->label = t->job_label = 0;
}

/** The task is handed to nothing: what is kept for it is kept no longer. */
static inline void hc_spec_drop(hc_lexicon *l, hc_task_spec *t)
{
  if (l) hc_lexicon_drop_handle(l, t->more);
  t->more = 0;
  hc_spec_drop_labels(l, t);
}
/** What a task says of a dimension, whatever its number. @return HC_UNKNOWN: nothing */
int64_t hc_spec_need(const hc_task_spec *t, const hc_lexicon *l, uint32_t dimension);
/** The same of every dimension. @param out [HC_DIMENSIONS] */
void hc_spec_needs(const hc_task_spec *t, const hc_lexicon *l, int64_t *out);
/** Let it say so: of a dimension from HC_NEEDS on with its rare facts, of which it holds others then.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_spec_say(hc_task_spec *t, hc_lexicon *l, uint32_t dimension, int64_t amount);
/** Gather what a vector says of the dimensions from HC_NEEDS on. @param need [HC_DIMENSIONS]
 *  @param out [HC_DIMENSIONS - HC_NEEDS] @return how many */
size_t hc_further_of(const int64_t *need, hc_amount *out);

#endif
