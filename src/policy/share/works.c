/* works.c -- the work of jobs. See works.h. */
#include "policy/share/works.h"

#include <string.h>

#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"

void hc_works_init(hc_works *w, const hc_allocator *a, const hc_services *s)
{
  *w = (hc_works){.allocator = a, .services = s, .vacant = HC_MAP_NONE};
  hc_map_init(&w->index, a);
}

void hc_works_fini(hc_works *w)
{
  const hc_allocator *a = w->allocator;
  if (!a) return;
  hc_map_fini(&w->index);
  hc_free(a, w->tasks, w->task_cap * sizeof *w->tasks);
  hc_free(a, w->amounts, w->amount_cap * sizeof *w->amounts);
  hc_free(a, w->jobs, w->job_cap * sizeof *w->jobs);
  hc_free(a, w->sums, w->sum_cap * sizeof *w->sums);
  *w = (hc_works){0};
}

hc_rc hc_works_visit(hc_works *w, hc_visitor *v)
{
  HC_VISIT(v, w->dims);
  HC_VISIT(v, w->vacant);
  HC_VISIT_ARRAY(v, w->tasks, w->task_count, w->task_cap);
  HC_VISIT_ARRAY(v, w->amounts, w->amount_count, w->amount_cap);
  HC_VISIT_ARRAY(v, w->jobs, w->job_count, w->job_cap);
  HC_VISIT_ARRAY(v, w->sums, w->sum_count, w->sum_cap);
  if (!hc_visit_loading(v)) return 0;
  hc_map_fini(&w->index);
  hc_map_init(&w->index, w->allocator);
  for (size_t i = 0; i < w->job_count; i++)
    if (w->jobs[i].tasks > 0) TRY(hc_map_set(&w->index, (uint64_t)w->jobs[i].job, (uint32_t)i));
  return 0;
}

/* ---- books ---- */

static hc_rc make_room(hc_works *w, hc_task t)
{
  const hc_allocator *a = w->allocator;
  TRY(hc_reserve(a, (void **)&w->tasks, &w->task_cap, (size_t)t + 1, sizeof *w->tasks));
  TRY(hc_reserve(a, (void **)&w->amounts, &w->amount_cap, ((size_t)t + 1) * w->dims, sizeof *w->amounts));
  while (w->task_count <= t) {
    w->tasks[w->task_count++] = (hc_task_work){.work = HC_MAP_NONE};
    for (uint32_t d = 0; d < w->dims; d++) w->amounts[w->amount_count++] = 0;
  }
  return 0;
}

static hc_rc job_of(hc_works *w, int64_t job, uint32_t *out)
{
  *out = hc_map_get(&w->index, (uint64_t)job);
  if (*out != HC_MAP_NONE) return 0;
  TRY(HC_SLOT_TAKE(w->allocator, hc_job_work, next, w->jobs, w->job_count, w->job_cap, w->vacant, out));
  TRY(hc_reserve(w->allocator, (void **)&w->sums, &w->sum_cap, w->job_count * w->dims, sizeof *w->sums));
  while (w->sum_count < w->job_count * w->dims) w->sums[w->sum_count++] = (hc_wide){0};
  w->jobs[*out] = (hc_job_work){.job = job};
  return hc_map_set(&w->index, (uint64_t)job, *out);
}

static void count(hc_works *w, hc_task t, int64_t sign)
{
  const hc_task_work *x = &w->tasks[t];
  hc_job_work *j = &w->jobs[x->work];
  j->tasks += (uint64_t)sign;
  if (x->estimate == HC_NEVER) j->endless += (uint64_t)sign;
  for (uint32_t d = 0; d < w->dims && x->estimate != HC_NEVER; d++)
    hc_wide_add_product(&w->sums[(size_t)x->work * w->dims + d], sign * w->amounts[(size_t)t * w->dims + d],
                        x->estimate);
}

static hc_rc enter(hc_works *w, const hc_view *v, hc_task t)
{
  const hc_services *s = w->services;
  const int64_t job = s->job(v, t), slots = HC_MAX(s->slots(v, t), 1);
  hc_task_work *x;
  uint32_t work;
  if (w->dims == 0) w->dims = s->dimensions(v);
  TRY(make_room(w, t));
  TRY(job_of(w, job != -1 ? job : INT64_MIN + (int64_t)s->serial(v, t), &work));
  x = &w->tasks[t];
  *x = (hc_task_work){.work = work, .holds = 1, .estimate = s->estimate(v, t)};
  for (uint32_t d = 0; d < w->dims; d++)
    w->amounts[(size_t)t * w->dims + d] = HC_MAX(s->demand(v, t, d), 0) * slots;
  count(w, t, 1);
  return 0;
}

hc_rc hc_works_hear_first(hc_works *w, const hc_view *v, hc_task_event what, hc_task t)
{
  if (what != HC_TASK_EVENT_QUEUED && what != HC_TASK_EVENT_ALLOCATED) return 0;
  if (t >= w->task_count || w->tasks[t].holds == 0) return enter(w, v, t);
  w->tasks[t].holds++;
  return 0;
}

void hc_works_hear_last(hc_works *w, hc_task_event what, hc_task t)
{
  uint32_t work;
  if (what != HC_TASK_EVENT_DEQUEUED && what != HC_TASK_EVENT_RELEASED) return;
  if (t >= w->task_count || w->tasks[t].holds == 0 || --w->tasks[t].holds > 0) return;
  count(w, t, -1);
  work = w->tasks[t].work;
  w->tasks[t] = (hc_task_work){.work = HC_MAP_NONE};
  if (w->jobs[work].tasks > 0) return;
  hc_map_remove(&w->index, (uint64_t)w->jobs[work].job);
  w->jobs[work] = (hc_job_work){0};
  HC_SLOT_GIVE(hc_job_work, next, w->jobs, w->vacant, work);
}

double hc_works_left(const hc_works *w, uint32_t of, const int64_t *capacity, const double *weight)
{
  const hc_wide *sums = &w->sums[(size_t)(of - 1) * w->dims];
  double left = 0;
  if (w->jobs[of - 1].endless > 0) return __builtin_inf();
  for (uint32_t d = 0; d < w->dims; d++)
    if (capacity[d] > 0) left += weight[d] * (hc_wide_real(sums[d]) / (double)capacity[d] / HC_SECOND);
  return left;
}
