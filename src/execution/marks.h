/* marks.h -- where in a task's run its checkpoints lie: lengths with them, and what is saved. See marks.c. */
#ifndef HC_EXECUTION_MARKS_H
#define HC_EXECUTION_MARKS_H

#include "hindcast/base.h"

/* After each stretch of work a checkpoint is written; each `global`-th is global, the others are local. */
typedef struct hc_marks {
  hc_time every;       /* work between two, ns; 0: there are none */
  hc_time local, cost; /* what writing a local one takes, and a global one */
  uint64_t global;     /* 1: all are; 0: none is */
} hc_marks;

/* What has been written up to somewhere. */
typedef struct hc_marks_done {
  hc_time position; /* of the last that counts, in the run; 0: there is none */
  hc_time writing;  /* spent on writing, the one at hand included */
  int64_t locals, globals;
  bool is_local; /* the last that counts is */
} hc_marks_done;

/* How long so much work takes with its checkpoints: none is written at its end. HC_NEVER stays. */
hc_time hc_marks_length(const hc_marks *m, hc_time work);
/* The other way round: of so long a run the work. */
hc_time hc_marks_work(const hc_marks *m, hc_time length);
/* @param at     how far the run is, from its beginning, or from any global checkpoint
 * @param locals do local ones count, or are they lost? */
hc_marks_done hc_marks_at(const hc_marks *m, hc_time at, bool locals);
/* The same place, counted from the last global checkpoint. */
hc_time hc_marks_phase(const hc_marks *m, hc_time at);

#endif
