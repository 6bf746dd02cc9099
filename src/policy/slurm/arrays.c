/* arrays.c -- see arrays.h.
 *
 * To Slurm an array is one record of its queue while its tasks are pending: they have one priority, and a
 * task becomes a job of its own when it starts. While as many run as may (JobArrayTaskLimit) the record is
 * not looked at; the backfill plans further tasks of it only as far as the limit lets them run beside those
 * that run. Here each task is a job of its own, and those beyond the limit are passed over, which comes to
 * the same: they stand behind each other in the queue. Source: Slurm 22.05,
 * https://slurm.schedmd.com/job_array.html. */
#include "policy/slurm/arrays.h"

#include "base/state.h"
#include "base/util.h"

void hc_slurm_arrays_init(hc_slurm_arrays *a, const hc_allocator *allocator)
{
  *a = (hc_slurm_arrays){.allocator = allocator};
  hc_map_init(&a->by_job, allocator);
}

void hc_slurm_arrays_fini(hc_slurm_arrays *a)
{
  hc_map_fini(&a->by_job);
  hc_free(a->allocator, a->items, a->cap * sizeof *a->items);
}

hc_rc hc_slurm_arrays_visit(hc_slurm_arrays *a, hc_visitor *v)
{
  TRY(hc_map_visit(&a->by_job, v));
  return hc_visit_array(v, (void **)&a->items, &a->count, &a->cap, sizeof *a->items);
}

hc_rc hc_slurm_arrays_join(hc_slurm_arrays *a, int64_t job, uint32_t most, uint32_t *out)
{
  *out = hc_map_get(&a->by_job, (uint64_t)job);
  if (*out != HC_MAP_NONE) {
    a->items[*out].most = most;
    return 0;
  }
  TRY(hc_reserve(a->allocator, (void **)&a->items, &a->cap, a->count + 1, sizeof *a->items));
  TRY(hc_map_set(&a->by_job, (uint64_t)job, (uint32_t)a->count));
  a->items[a->count] = (hc_slurm_array){.job = job, .most = most};
  *out = (uint32_t)a->count++;
  return 0;
}

void hc_slurm_arrays_count(hc_slurm_arrays *a, int64_t job, int64_t change)
{
  const uint32_t at = a->count > 0 && job >= 0 ? hc_map_get(&a->by_job, (uint64_t)job) : HC_MAP_NONE;
  if (at != HC_MAP_NONE) a->items[at].running += change;
}

void hc_slurm_arrays_begin(hc_slurm_arrays *a)
{
  for (size_t i = 0; i < a->count; i++) a->items[i].planned = 0;
}
