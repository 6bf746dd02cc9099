/* replay.h -- runs whose workload was read before: for studies, which make many runs of one workload. */
#ifndef HC_ENGINE_REPLAY_H
#define HC_ENGINE_REPLAY_H

#include "hindcast/run.h"
#include "workload/stream.h"
#include "workload/tape.h"

/** What a run is spared, because a run before it did it. Borrowed for its life. Zeroed: nothing. */
typedef struct hc_replay {
  const hc_tape *tape;      /* what the sources yield; NULL: they are opened */
  bool keeps_all; /* see hc_engine: the run can be given another policy later */
  /* A fork for a while, of a run that stands still meanwhile: what is the same in both is lent, it has no
   * source but `fair.arrivals`, no store, and no metrics. See fair.c. */
  struct hc_engine *of;
  hc_totals_memory *totals; /* what a first pass over them comes to, or will have come to; NULL: it is made */
} hc_replay;

/** Make a run as hc_run_new does, with what is on a tape in place of the configuration's sources. Everything
 *  else, transforms included, is as the configuration says. @return as hc_run_new */
hc_rc hc_run_new_on(const hc_allocator *a, hc_config *c, hc_store *store, const hc_replay *replay,
                    hc_run **out, hc_error *e);

#endif
