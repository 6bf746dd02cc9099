/* given.h -- what a reader under test hands over: its content, and giving it back. */
#ifndef HC_TESTS_FUZZ_GIVEN_H
#define HC_TESTS_FUZZ_GIVEN_H

#include "base/mem.h"
#include "cluster/lexicon.h"
#include "workload/spec.h"

/* Rare facts and labels that the task holds are held no more. */
static inline void give_back(hc_lexicon *l, const hc_task_spec *t)
{
  hc_task_spec gone = *t;
  hc_spec_drop(l, &gone);
}

static inline void hash_label(hc_hash *h, const hc_lexicon *l, uint32_t handle)
{
  size_t n = 0;
  const char *text = hc_lexicon_label_text(l, handle, &n);
  const uint64_t size = text ? (uint64_t)n + 1 : 0;
  hc_hash_add(h, &size, sizeof size);
  if (text) hc_hash_add(h, text, n);
}

/* The task without the numbers of handles, which depend on what else is held; of rare facts only that there
 * are some. */
static inline void hash_task(hc_hash *h, const hc_lexicon *l, const hc_task_spec *t)
{
  hc_task_spec copy = *t;
  copy.more = copy.more != 0;
  copy.label = copy.job_label = 0;
  hc_hash_add(h, &copy, sizeof copy);
  hash_label(h, l, t->label);
  hash_label(h, l, t->job_label);
}

#endif
