/* google_resizes.h -- requests that change while a task runs, as steps that go with it: `updates: in_place`.
 *
 * The first row of a task's chain is what it asked for at its start, each further one what it asks for from
 * some time on. Only tasks that were changed have a chain; all lie in one array, whose places are used again.
 * Cost: 8 bytes a held task, 40 a change. */
#ifndef HC_WORKLOAD_GOOGLE_RESIZES_H
#define HC_WORKLOAD_GOOGLE_RESIZES_H

#include "base/mem.h"
#include "hindcast/lexicon.h"

#define HC_GOOGLE_RESIZE_NEEDS 3 /* cpu, memory, disk */
#define HC_GOOGLE_RESIZES 4096   /* most that one task keeps: each beyond takes the place of the last */

typedef struct hc_google_resize {
  hc_time at;
  int64_t need[HC_GOOGLE_RESIZE_NEEDS]; /* HC_UNKNOWN: not said */
  uint64_t next;                        /* + 1; 0: none */
} hc_google_resize;

/* The chain of a task; zeroed: none. */
typedef struct hc_google_chain {
  uint32_t first, last; /* + 1 */
} hc_google_chain;

typedef struct hc_google_resizes {
  const hc_allocator *allocator;
  hc_google_resize *rows;
  size_t count, cap;
  hc_google_chain *chains; /* [chain_cap] beside the tasks */
  size_t chain_cap;
  uint64_t vacant; /* first free row + 1 */
  bool is_on;
} hc_google_resizes;

void hc_google_resizes_init(hc_google_resizes *s, const hc_allocator *a, bool is_on);
void hc_google_resizes_fini(hc_google_resizes *s);
/** A new task. @return 0 or HC_ENOMEM. */
hc_rc hc_google_resizes_add(hc_google_resizes *s, uint32_t task);
void hc_google_resizes_drop(hc_google_resizes *s, uint32_t task);
/** It runs, and asks for `now` from `at` on, later than its start and no earlier than the change before; it
 *  asked for `was` so far. @return 0 or HC_ENOMEM. */
hc_rc hc_google_resizes_put(hc_google_resizes *s, uint32_t task, hc_time at, const int64_t *was,
                            const int64_t *now);
/** What it asks for at `start`, and the steps from there on: kept in the lexicon with `*more`. Tasks without
 *  a chain are left as they are. @return 0 or HC_ENOMEM. */
hc_rc hc_google_resizes_keep(const hc_google_resizes *s, uint32_t task, hc_time start, hc_lexicon *l,
                             int64_t *need, uint32_t *more);
/** @param tasks how many there are */
hc_rc hc_google_resizes_visit(hc_google_resizes *s, size_t tasks, hc_visitor *v);

#endif
