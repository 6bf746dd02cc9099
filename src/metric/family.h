/* family.h -- what every family of figures has in common: how it is made and freed, which tasks it counts,
 * and the parameter of those that bound slowdowns. */
#ifndef HC_METRIC_FAMILY_H
#define HC_METRIC_FAMILY_H

#include "hindcast/metric.h"

/* First member of every family's hc_metric. Not part of the visited state: it is the same in each run of a
 * configuration. */
typedef struct hc_family {
  hc_metric_context context;
  size_t size;
} hc_family;

/* A zeroed state of `size` bytes with its head filled. @return 0 or HC_ENOMEM. */
hc_rc hc_family_new(const hc_metric_context *c, size_t size, hc_metric **out, hc_error *e);
void hc_family_free(hc_metric *self);

/* A task that started and came to an end. The two states are the first two, so this is one comparison. */
static inline bool hc_task_counts(const hc_task_record *r)
{
  return (uint64_t)r->final <= HC_FINAL_KILLED;
}

/* The threshold of a bounded slowdown, a member `tau` of the family's options. */
#define HC_TAU_PARAM(options, text) HC_PARAM(TIME, options, tau, "s", "10s", 0.001, 1e9, text)
#define HC_TAU_TEXT "Tasks that ran for less are taken to have run for this long."

/* Families hear blocks of any size and work on pieces of this many, which their scratch on the stack
 * holds. */
#define HC_BLOCK 256

#endif
