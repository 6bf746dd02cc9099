/* works.h -- how much work the unfinished tasks of each job are: Tetris's remaining-work score.
 *
 * A task's work is what it asks for in all, in each dimension, times the time that it is believed to run. A
 * job's is the sum over its tasks that wait or run, each counted whole until it is over; what has not
 * arrived is not known. A task without a job is one by itself. Sums are of whole amounts, so what is held is
 * the same however it came about, and cells that grow or shrink change nothing in them.
 *
 * Source: Grandl et al., Tetris, SIGCOMM 2014, section 3.3. */
#ifndef HC_POLICY_SHARE_WORKS_H
#define HC_POLICY_SHARE_WORKS_H

#include "base/mem.h"
#include "base/wide.h"
#include "hindcast/view.h"

/* The job of a task, by its slot. */
typedef struct hc_task_work {
  uint32_t work;  /* HC_MAP_NONE: none is known of it */
  uint32_t holds; /* it waits, or runs; both while it starts */
  hc_time estimate;
} hc_task_work;

typedef struct hc_job_work {
  int64_t job;
  uint64_t tasks, endless; /* endless: those without an estimate */
  uint32_t next, padding;  /* of those that are free */
} hc_job_work;

typedef struct hc_works {
  const hc_allocator *allocator;
  const hc_services *services;
  uint32_t dims;   /* 0: not known yet */
  uint32_t vacant; /* first of the jobs that are free; HC_MAP_NONE */
  hc_map index;    /* job -> its work */
  hc_task_work *tasks;
  size_t task_count, task_cap;
  int64_t *amounts; /* [task_count][dims] */
  size_t amount_count, amount_cap;
  hc_job_work *jobs;
  size_t job_count, job_cap;
  hc_wide *sums; /* [job_count][dims] amounts x ns */
  size_t sum_count, sum_cap;
} hc_works;

void hc_works_init(hc_works *w, const hc_allocator *a, const hc_services *s);
void hc_works_fini(hc_works *w);
hc_rc hc_works_visit(hc_works *w, hc_visitor *v);
/* As hc_policy_type.on_task_event: the first before others that ask `of` hear it, the second after them. */
hc_rc hc_works_hear_first(hc_works *w, const hc_view *v, hc_task_event what, hc_task t);
void hc_works_hear_last(hc_works *w, hc_task_event what, hc_task t);
/* The number of its job's work, and 1. Another job may have it when all tasks of the job are over. */
static inline uint32_t hc_works_of(const hc_works *w, hc_task t)
{
  return w->tasks[t].work + 1;
}
/* sum_r weight_r x amount_r x time / capacity_r over the job's tasks, in seconds; infinite with a task
 * that has no estimate. @param capacity [dims]; dimensions without any do not count @param weight [dims] */
double hc_works_left(const hc_works *w, uint32_t of, const int64_t *capacity, const double *weight);

#endif
