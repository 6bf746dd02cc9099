/* mold.h -- schedulers that start jobs with more slots than their users asked for. See hindcast/execution.h.
 *
 * A moldable job is one task of several slots; `activities` says how many of them would be of use. Its
 * scheduler asks when it begins to think, on the cell as it is then. A job that did not start with what it
 * was given is tried with its own size next, so that nothing waits for room that others take again and again;
 * then it is asked about anew. */
#ifndef HC_ARCHITECTURE_SCHEDULER_MOLD_H
#define HC_ARCHITECTURE_SCHEDULER_MOLD_H

#include "architecture/counts.h"
#include "architecture/scheduler/options.h"
#include "base/expr.h"
#include "base/mem.h"
#include "hindcast/architecture.h"

/* Of the schedulers that are alike. */
typedef struct hc_scheduler_mold {
  const hc_scheduler_options *o;
  hc_expr *activities;
  uint64_t sped_up; /* jobs that started with more than they asked for */
  hc_counted speed_ups;
} hc_scheduler_mold;

/** @param names of the variables of `activities` @return 0, HC_EUSAGE, HC_EUNSUPPORTED, HC_ENOMEM */
hc_rc hc_scheduler_mold_init(hc_scheduler_mold *m, const hc_architecture_context *c, hc_arena *build,
                             const hc_scheduler_options *o, const char *const *names, size_t count,
                             hc_error *e);
void hc_scheduler_mold_fini(hc_scheduler_mold *m);
/** A job of one task has started, so many times as wide. @return 0 or HC_ENOMEM */
hc_rc hc_scheduler_mold_started(hc_scheduler_mold *m, double speed_up);
hc_rc hc_scheduler_mold_find(const hc_scheduler_mold *m, hc_findings *f);
hc_rc hc_scheduler_mold_visit(hc_scheduler_mold *m, hc_visitor *v);

#endif
