/* namer.h -- what tasks, their users, queues and so on are called, written to a result.
 *
 * A name is written when the first task comes that has it, and a task's own name with the task, so that a
 * result can be read while it is made, holds no name of a task that was left out, and needs no memory but the
 * lexicon's, which is limited (`name_limit`): beyond it numbers stay numbers, and tasks without a name are
 * counted. Nothing of this reaches a policy.
 *
 * An account beside a group and a QOS beside a queue have no place in a task's record. They are rows of a
 * table of their own, and are kept until metrics have been told of the task.
 *
 * Cost: of a task whose source has names a look-up for each kind; of a task's own name a row; 40 bytes for
 * each live task that has an account or a QOS beside, and nothing for others. */
#ifndef HC_SETUP_NAMER_H
#define HC_SETUP_NAMER_H

#include "base/mem.h"
#include "cluster/lexicon.h"
#include "hindcast/output.h"
#include "hindcast/workload.h"

#define HC_NAMES_OF_TASKS HC_CALLED_COUNT /* in `left`, behind the kinds */

/* Of tasks whose records were not told yet. */
typedef struct hc_besides {
  hc_map places; /* by serial, in `all` */
  hc_beside *all;
  size_t count, cap;
  uint32_t vacant; /* head of the chain of free places through `account`; HC_MAP_NONE: none is */
} hc_besides;

typedef struct hc_namer {
  hc_store *store;                    /* borrowed; NULL: nothing is written */
  hc_lexicon *lexicon;                /* borrowed */
  int64_t limit;                      /* names of tasks; the lexicon has its own */
  uint64_t tasks;                     /* that have a name in the result */
  uint64_t left[HC_CALLED_COUNT + 1]; /* tasks with a name of that kind that was not kept */
  uint64_t beside[2];                 /* tasks with an account beside their group; a QOS beside their queue */
  hc_besides besides;
} hc_namer;

/** @param a  of what it keeps. The others are borrowed */
void hc_namer_init(hc_namer *n, const hc_allocator *a, hc_store *store, hc_lexicon *lexicon, int64_t limit);
void hc_namer_fini(hc_namer *n);
/** Whether a task has anything to do with names: asked first, since most streams have none. */
static inline bool hc_namer_concerns(const hc_namer *n, const hc_task_spec *t)
{
  return (t->account | t->qos) > 0 ||
         (n->store != NULL && ((t->label | t->job_label) != 0 || hc_lexicon_has_names(n->lexicon)));
}
/** Rows for what is met for the first time. @param has_row the result has a row of the task
 *  @return 0, HC_ENOMEM, or as hc_store_tasks */
hc_rc hc_namer_meet(hc_namer *n, int64_t serial, const hc_task_spec *t, bool has_row, hc_error *e);
/** As hc_metric_context.beside. @param namer  an hc_namer */
bool hc_namer_beside(void *namer, int64_t serial, hc_beside *out);
/** Metrics have been told of these tasks. O(1) where no task so far has anything beside. */
void hc_namer_told(hc_namer *n, const hc_task_record *records, size_t count);
/** Saved, loaded and hashed. @return as hc_visit_array */
hc_rc hc_namer_visit(hc_namer *n, hc_visitor *v);
/** What the source calls its columns, how many names were not kept, and how many tasks have an account or a
 *  QOS of which task rows know nothing. @return as hc_store_row */
hc_rc hc_namer_finish(const hc_namer *n, hc_error *e);
/** Sentences for the summary about names that were not kept, and about names that a filter asks for and no
 *  source has; nothing if there are none. @param out  empty */
void hc_namer_note(const hc_namer *n, hc_buffer *out);

#endif
