/* family.h -- what every family of figures has in common: how it is made and freed, which tasks it counts,
 * and the parameter of those that bound slowdowns. */
#ifndef HC_METRIC_FAMILY_H
#define HC_METRIC_FAMILY_H

#include "base/util.h"
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
/* What came of making it: the state in `out`, or what there is of it given back. @return rc */
hc_rc hc_family_born(hc_metric *self, hc_rc rc, void (*fini)(hc_metric *), hc_metric **out, hc_error *e);

/* The `init` of a family that has things to make: `set_up(self, options, e)` makes them, and `fini` gives
 * back what there is of them where that fails. It need not say that there is no memory. */
#define HC_FAMILY_INIT \
  static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e) \
  { \
    hc_metric *self; \
    TRY(hc_family_new(c, sizeof(hc_metric), &self, e)); \
    return hc_family_born(self, set_up(self, chosen, e), fini, out, e); \
  }

#define HC_FAMILY_CALLS .init = init, .finish = finish, .visit = visit, .fini = fini

/* The state of a family that only adds up: a plain struct `sums`, which begins as { ... } and is visited as
 * it is. Its bytes are all of 64 bits, so that none is left between them. */
#define HC_PLAIN_FAMILY(type, ...) \
  struct hc_metric { \
    hc_family family; \
    type sums; \
  }; \
  static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e) \
  { \
    HC_UNUSED(options); \
    TRY(hc_family_new(c, sizeof(hc_metric), out, e)); \
    (*out)->sums = (type){__VA_ARGS__}; \
    return 0; \
  } \
  static hc_rc visit(hc_metric *self, hc_visitor *v) \
  { \
    return hc_visit_bytes(v, &self->sums, sizeof self->sums); \
  }
#define HC_PLAIN_CALLS .init = init, .finish = finish, .visit = visit, .fini = hc_family_free

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
