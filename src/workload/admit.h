/* admit.h -- from what a log says of a task to one that can be scheduled. */
#ifndef HC_WORKLOAD_ADMIT_H
#define HC_WORKLOAD_ADMIT_H

#include "workload/stream.h"

/** Whether the log says that it never ran, or leaves it open. */
bool hc_never_ran(const hc_task_spec *t);
/** Judge one task. `out->spec` is filled already; everything else is set here, padding to zero.
 *  @param name  the source, for an error
 *  @return 1 admitted, 0 rejected (with `*why`), HC_EINPUT if it is too large and the run says that this is
 *  an error. */
hc_rc hc_admit(const hc_admission *o, const char *name, hc_arrival *out, hc_reason *why, hc_error *e);

/** How long a task runs and is believed to run. */
typedef struct hc_admitted {
  hc_time run, estimate, running_estimate;
  bool killed; /* its end is its limit's doing */
} hc_admitted;
/** The same choices for one of several sizes of a task that was admitted. @param run  the truth, ns
 *  @param limit  HC_UNKNOWN: none @param estimate  what its user believes; HC_UNKNOWN: what follows from the
 *  limit */
hc_admitted hc_admit_times(const hc_admission *o, hc_time run, hc_time limit, hc_time estimate);

#endif
