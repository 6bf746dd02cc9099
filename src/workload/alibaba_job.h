/* alibaba_job.h -- jobs of Alibaba's trace of 2018, as the names of their tasks tell them: M1, R4_2, J5_3_4.
 */
#ifndef HC_WORKLOAD_ALIBABA_JOB_H
#define HC_WORKLOAD_ALIBABA_JOB_H

#include "base/mem.h"
#include "hindcast/workload.h"

/* Numbers of tasks. */
typedef struct hc_alibaba_numbers {
  const hc_allocator *allocator;
  int64_t *items; /* [count] */
  size_t count, cap;
} hc_alibaba_numbers;

/** Cut a task's name: letters, its own number, and the numbers of those that it waits for, each behind a
 *  line. Parts of other forms ("Stg1") say nothing of this. A name that does not begin so (task_Nzg3,
 *  MergeTask) waits for none.
 *  @param number out: its own; a hash if it has none; @param after added to
 *  @return how many parts were passed over, or HC_ENOMEM. Cost: one pass. */
hc_rc hc_alibaba_task_name(const char *s, size_t n, int64_t *number, hc_alibaba_numbers *after);
/** The number of a name that numbers no task, which is its hash; 0: it numbers one. */
int64_t hc_alibaba_name_hash(const char *s, size_t n);

typedef struct hc_alibaba_member {
  int64_t number;
  size_t first, count; /* those that it waits for, in `after` */
} hc_alibaba_member;

/* What did not make sense. */
typedef struct hc_alibaba_doubts {
  uint64_t missing; /* waits for a task that the job does not have */
  uint64_t self;    /* waits for itself */
  uint64_t cycles;  /* waits that would close a circle */
  uint64_t parts;   /* parts of names that are no numbers */
  uint64_t apart;   /* jobs whose rows came too far apart to be put together */
} hc_alibaba_doubts;

/* The tasks of one job, in the order of its rows. */
typedef struct hc_alibaba_graph {
  const hc_allocator *allocator;
  hc_alibaba_member *tasks; /* [count] */
  size_t count, cap;
  hc_alibaba_numbers after;
  struct node *nodes; /* [node_count] one for each number, ascending; of the search for circles */
  size_t node_count, node_cap;
  uint32_t *order, *stack; /* rows by node, with as much room to sort them; nodes on the way */
  const uint32_t *by_node; /* in `order` */
  size_t order_cap, stack_cap;
} hc_alibaba_graph;

void hc_alibaba_graph_init(hc_alibaba_graph *g, const hc_allocator *a);
void hc_alibaba_graph_fini(hc_alibaba_graph *g);
/** Forget the tasks; keep the memory. */
void hc_alibaba_graph_reset(hc_alibaba_graph *g);
/** Add a task, and then those that it waits for to g->after; hc_alibaba_graph_close ends it. @return 0 or
 * HC_ENOMEM. */
hc_rc hc_alibaba_graph_add(hc_alibaba_graph *g, int64_t number);
void hc_alibaba_graph_close(hc_alibaba_graph *g);
/** Make sense of it: each task's predecessors ascending and once, never itself, only those that the job has
 *  if all of it is here, and no circle. Of a circle, the wait is dropped that closes it when tasks are
 *  followed from the first row on. @param whole no more rows of the job are to come; @return 0 or HC_ENOMEM.
 *  Cost: O(n log n). */
hc_rc hc_alibaba_graph_settle(hc_alibaba_graph *g, bool whole, hc_alibaba_doubts *d);
/** The tasks, by their place in the graph, that have a number, in the order of their rows; once settled, and
 *  only if any of them waits. @return [count] borrowed */
const uint32_t *hc_alibaba_graph_rows(const hc_alibaba_graph *g, int64_t number, size_t *count);

/** Keep that a task waits for the end of these of its job. @param more  out: as hc_lexicon_keep; 0 for none
 *  @return 0 or HC_ENOMEM */
hc_rc hc_alibaba_keep(hc_lexicon *l, const hc_allocator *a, int64_t job, const int64_t *numbers, size_t count,
                      uint32_t *more);

#endif
