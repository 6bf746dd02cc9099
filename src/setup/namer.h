/* namer.h -- what tasks, their users, queues and so on are called, written to a result.
 *
 * A name is written when the first task comes that has it, and a task's own name with the task, so that a
 * result can be read while it is made, holds no name of a task that was left out, and needs no memory but the
 * lexicon's, which is limited (`name_limit`): beyond it numbers stay numbers, and tasks without a name are
 * counted. Nothing of this reaches a policy.
 *
 * Cost: of a task whose source has names a look-up for each kind; of a task's own name a row. */
#ifndef HC_SETUP_NAMER_H
#define HC_SETUP_NAMER_H

#include "cluster/lexicon.h"
#include "hindcast/output.h"
#include "hindcast/workload.h"

#define HC_NAMES_OF_TASKS HC_CALLED_COUNT /* in `left`, behind the kinds */

typedef struct hc_namer {
  hc_store *store;                    /* borrowed; NULL: nothing is written */
  hc_lexicon *lexicon;                /* borrowed */
  int64_t limit;                      /* names of tasks; the lexicon has its own */
  uint64_t tasks;                     /* that have a name in the result */
  uint64_t left[HC_CALLED_COUNT + 1]; /* tasks with a name of that kind that was not kept */
  uint64_t beside[2];                 /* tasks with an account beside their group; a QOS beside their queue */
} hc_namer;

/** Whether a task has anything to do with names: asked first, since most streams have none. */
static inline bool hc_namer_concerns(const hc_namer *n, const hc_task_spec *t)
{
  return n->store != NULL &&
         ((t->label | t->job_label) != 0 || (t->account | t->qos) > 0 || hc_lexicon_has_names(n->lexicon));
}
/** Rows for what is met for the first time. @param has_row the result has a row of the task
 *  @return 0, or as hc_store_tasks */
hc_rc hc_namer_meet(hc_namer *n, int64_t serial, const hc_task_spec *t, bool has_row, hc_error *e);
/** What the source calls its columns, how many names were not kept, and how many tasks have an account or a
 *  QOS of which task rows know nothing. @return as hc_store_row */
hc_rc hc_namer_finish(const hc_namer *n, hc_error *e);
/** A sentence for the summary about names that were not kept; nothing if all were. @param out  empty */
void hc_namer_note(const hc_namer *n, hc_buffer *out);

#endif
