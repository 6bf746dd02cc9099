/* scaling.h -- one of three ways to make a workload heavier or lighter; shared by the transforms load and
 * scale. */
#ifndef HC_WORKLOAD_SCALING_H
#define HC_WORKLOAD_SCALING_H

#include "hindcast/workload.h"

typedef enum hc_scaling_method { HC_SCALE_ARRIVALS, HC_SCALE_RUN, HC_SCALE_PROCESSORS } hc_scaling_method;
#define HC_SCALING_METHODS "arrivals|run|processors"

typedef struct hc_scaling {
  hc_scaling_method method;
  double factor;      /* of the load; > 0 */
  hc_time grain;      /* scaled times are whole multiples of it; 0: ns */
  int64_t processors; /* a task is not made larger than that; 0: any */
  hc_time anchor;     /* state: the first submission, which stays; HC_UNKNOWN before it */
} hc_scaling;

/** Scale one task in place. @return 1, or HC_ELIMIT if a time would pass 292 years. */
hc_rc hc_scaling_apply(hc_scaling *s, const char *who, hc_task_spec *t, hc_error *e);

#endif
