/* bytable.h -- the families by_*: tables of tasks by a key. Each brings its key and its words; the rest is
 * here. fairness is one that sums its table up instead of showing it.
 *
 * Keys come from one call for a block of records, not one for each. Cost: one look-up per task, see
 * groups.h. */
#ifndef HC_METRIC_BYTABLE_H
#define HC_METRIC_BYTABLE_H

#include "metric/family.h"
#include "metric/groups.h"

/* Write the key of each of `n` records, at most HC_BLOCK. */
typedef void (*hc_bytable_keys)(const hc_metric *self, const hc_task_record *records, size_t n,
                                int64_t *keys);

struct hc_metric {
  hc_family family;
  const char *table;
  hc_bytable_keys keys;
  int64_t base_day;  /* from 1970, of the run's origin in local time; 0 if not known */
  hc_time base_time; /* since that day began */
  hc_groups groups;  /* the state */
};

/* Since the local day of the run's origin began. The sum t + base_time is spelt so that it cannot overflow
 * with effect. The calendar is the run's: its Unix origin and one offset from UTC for the whole of it. */
static inline hc_time hc_bytable_local(const hc_metric *self, hc_time t)
{
  return hc_time_between(-self->base_time, t);
}

/* The members of a family's descriptor; its init calls hc_bytable_new with its table and key. */
typedef struct hc_bytable_options {
  hc_time tau;
} hc_bytable_options;
extern const hc_param hc_bytable_params[];

hc_rc hc_bytable_new(const hc_metric_context *c, const void *options, const char *table, hc_bytable_keys keys,
                     hc_metric **out, hc_error *e);
hc_rc hc_bytable_tasks(hc_metric *self, const hc_task_record *records, size_t count);
hc_rc hc_bytable_finish(hc_metric *self, hc_findings *f);
hc_rc hc_bytable_visit(hc_metric *self, hc_visitor *v);
void hc_bytable_fini(hc_metric *self);
#define HC_BYTABLE_CALLS \
  .tasks = hc_bytable_tasks, .finish = hc_bytable_finish, .visit = hc_bytable_visit, .fini = hc_bytable_fini

/* A whole family but for its descriptor: `key` is an expression over a record `r`, and `self`. */
#define HC_BYTABLE(table, key) \
  static void keys(const hc_metric *self, const hc_task_record *records, size_t n, int64_t *out) \
  { \
    HC_UNUSED(self); \
    for (size_t i = 0; i < n; i++) { \
      const hc_task_record *r = &records[i]; \
      out[i] = (key); \
    } \
  } \
  static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e) \
  { \
    return hc_bytable_new(c, options, table, keys, out, e); \
  } \
  static const char *const figures[] = {HC_GROUP_FIGURES(table), NULL};

#endif
