/* scaling.h -- one of three ways to make a workload heavier or lighter; shared by the transforms load and
 * scale. */
#ifndef HC_WORKLOAD_SCALING_H
#define HC_WORKLOAD_SCALING_H

#include "hindcast/workload.h"

typedef enum hc_scaling_method { HC_SCALE_ARRIVALS, HC_SCALE_RUN, HC_SCALE_PROCESSORS } hc_scaling_method;

/* The parameters that both have. */
typedef struct hc_scaling_options {
  int method;         /* hc_scaling_method */
  hc_time grain;      /* scaled times are whole multiples of it; 0: ns */
  int64_t processors; /* a task is not made larger than that; 0: any */
  bool from_zero;     /* arrivals move towards time 0; else towards the first one */
} hc_scaling_options;

/* Their rows, for an options struct with this one as its member `scaling`. */
#define HC_SCALING_PARAMS(options, method_text, processors_text) \
  HC_PARAM_AS(CHOICE, "method", options, scaling.method, "arrivals|run|processors", "arrivals", \
              method_text), \
      HC_PARAM_AS(TIME, "grain", options, scaling.grain, "s", "1s", 0, 1e6, \
                  "Scaled times are rounded to whole multiples of it; 0: to nanoseconds."), \
      HC_PARAM_AS(INT, "processors", options, scaling.processors, "processors", "0", 0, 1e15, \
                  processors_text)

/* The members of a transform's descriptor; its init calls hc_scaling_new.
 * @param who for messages: "transform load"; @param factor of the load; > 0 */
hc_rc hc_scaling_new(const hc_source_context *c, const char *who, const hc_scaling_options *o, double factor,
                     hc_transform **out);
/* Scale one task in place. @return 1, or HC_ELIMIT if a time would pass 292 years. */
hc_rc hc_scaling_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e);
hc_rc hc_scaling_visit(hc_transform *t, hc_visitor *v);
void hc_scaling_fini(hc_transform *t);

#endif
