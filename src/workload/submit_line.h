/* submit_line.h -- the options of the command that submitted a job of Slurm, as far as no other field tells
 * them.
 *
 * Slurm keeps the words of `sbatch`, `salloc` or `srun` as one text, with a blank between them and without
 * the quotes that the shell had (sacct's SubmitLine, since 21.08). Options that stand in the script, or that
 * the environment sets, are not in it: what a line does not say may have been said there. */
#ifndef HC_WORKLOAD_SUBMIT_LINE_H
#define HC_WORKLOAD_SUBMIT_LINE_H

#include "hindcast/task.h"
#include "workload/slurm_text.h"

typedef struct hc_submit_line {
  hc_slice reservation, least_limit, switches; /* of --reservation, --time-min, --switches; empty: not said */
  hc_again again;                              /* --requeue, --no-requeue */
  hc_exclusive exclusive;                      /* --exclusive, --exclusive=user, --oversubscribe */
  int64_t at_once;                             /* of --array=0-9%2: 2; 0: none is said */
} hc_submit_line;

/** Read the options of a line. Of an option that is given twice the last counts, as for Slurm. Texts are
 *  borrowed from the line. A line of several components (`sbatch A : B`) says nothing. */
hc_submit_line hc_submit_line_read(hc_slice line);

#endif
