/* report.h -- how the parts of a report tell figures. See report.c. */
#ifndef HC_OMEGA_REPORT_H
#define HC_OMEGA_REPORT_H

#include "omega/world.h"

/* Figures of the whole, or of one workload or scheduler. */
typedef struct hc_omega_teller {
  hc_findings *to;
  const char *table, *suffix; /* "by_workload", "Batch"; NULL: of the whole */
  int64_t key;
} hc_omega_teller;

hc_rc hc_omega_tell(const hc_omega_teller *t, const char *name, const char *unit, double value,
                    bool is_count);
/** Of n values, sorted on the way, the one of rank floor((n - 1) p), from 0; NaN if n is 0. */
double hc_omega_percentile(double *values, size_t n, double p);

/** What moldable jobs gained, and what it did to the cell; nothing where no job may be molded. @param scratch
 *  [as many as the largest workload has jobs] */
hc_rc hc_omega_tell_molds(const hc_world *w, hc_findings *f, double *scratch);

/* what a world finds, as figures are declared; NULL-terminated */
extern const char *const hc_omega_figures[];

#endif
