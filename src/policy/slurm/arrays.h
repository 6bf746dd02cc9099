/* arrays.h -- job arrays of which only so many tasks may run at once (7_[1-10%2]). See arrays.c. */
#ifndef HC_POLICY_SLURM_ARRAYS_H
#define HC_POLICY_SLURM_ARRAYS_H

#include "base/mem.h"
#include "hindcast/policy.h"

/* An array. No padding. */
typedef struct hc_slurm_array {
  int64_t job;
  int64_t most;    /* tasks that run at once */
  int64_t running; /* that run now */
  int64_t planned; /* by the cycle of the backfill that is under way */
} hc_slurm_array;

typedef struct hc_slurm_arrays {
  const hc_allocator *allocator;
  hc_slurm_array *items; /* [count] in order of first sight */
  size_t count, cap;
  hc_map by_job;
} hc_slurm_arrays;

void hc_slurm_arrays_init(hc_slurm_arrays *a, const hc_allocator *allocator);
void hc_slurm_arrays_fini(hc_slurm_arrays *a);
hc_rc hc_slurm_arrays_visit(hc_slurm_arrays *a, hc_visitor *v);
/** Which array the tasks of a job are of. @param out  its number @return 0, HC_ENOMEM. O(1) */
hc_rc hc_slurm_arrays_join(hc_slurm_arrays *a, int64_t job, uint32_t most, uint32_t *out);
/** A task of a job starts or ends. Jobs that are no such arrays are passed over. O(1) */
void hc_slurm_arrays_count(hc_slurm_arrays *a, int64_t job, int64_t change);
/** A cycle begins: no task is planned. O(arrays) */
void hc_slurm_arrays_begin(hc_slurm_arrays *a);

/** Do as many tasks run as may, with those that are planned? @param array  HC_NO_NAME: none */
static inline bool hc_slurm_arrays_is_full(const hc_slurm_arrays *a, uint32_t array)
{
  return array != HC_NO_NAME && a->items[array].running + a->items[array].planned >= a->items[array].most;
}

#endif
