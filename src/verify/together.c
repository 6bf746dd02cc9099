/* together.c -- do tasks start together that are to: components of a heterogeneous job?
 *
 * The table `components` of a result says of each component which job it is of; it is written when the task
 * arrives, where the run's policy says that it keeps to such terms. Of the components of a job that have
 * started all start at one time, and none is left in the queue then; one that was withdrawn before that, or
 * rejected, is none of them any more. A run in which plans stopped tasks is not held to it, nor a task that
 * ran before the run began. Cost: O(n log n) in the components. */
#include <stdlib.h>

#include "base/util.h"
#include "verify/parts.h"

/* ---- the table ---- */

static hc_rc take(const int64_t *n, const void *before, void *out)
{
  HC_UNUSED(before);
  *(hc_verify_component *)out = (hc_verify_component){.serial = n[0], .job = n[1]};
  return 0;
}

hc_rc hc_verify_components_read(const hc_allocator *a, hc_result *r, hc_verify_components *out, hc_error *e)
{
  static const hc_number_table table = {.name = "components",
                                        .what = "tasks that start together",
                                        .columns = 2,
                                        .item = sizeof(hc_verify_component),
                                        .take = take};
  void *rows = NULL;
  *out = (hc_verify_components){0};
  const hc_rc rc = hc_number_table_read(&table, a, r, &rows, &out->count, e);
  out->tasks = rows;
  return rc;
}

void hc_verify_components_free(const hc_allocator *a, hc_verify_components *c)
{
  hc_free(a, (void *)(uintptr_t)c->tasks, c->count * sizeof *c->tasks);
  *c = (hc_verify_components){0};
}

/* ---- the check ---- */

/* A component whose task has a record. */
typedef struct component {
  int64_t serial, job;
  uint32_t rank;
} component;

static int by_serial(const void *a, const void *b)
{
  const component *x = a, *y = b;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int by_job(const void *a, const void *b)
{
  const component *x = a, *y = b;
  if (x->job != y->job) return x->job < y->job ? -1 : 1;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void find_ranks(const hc_check *c, component *all, size_t count)
{
  for (uint32_t rank = 0; rank < c->count; rank++) {
    const component key = {.serial = hc_serial_of(c, rank)};
    component *x = bsearch(&key, all, count, sizeof *all, by_serial);
    if (x) x->rank = rank;
  }
}

/* Does it start, or wait, when others of its job start at `at`? */
static bool is_there(const hc_check *c, const component *x, hc_time at)
{
  const hc_checked *t = &c->tasks[x->rank];
  const hc_task_record *r = &c->records[t->record];
  if (r->flags & HC_TASK_PREFILL) return false;
  return t->start != HC_UNKNOWN || t->gone > at;
}

static hc_rc check_job(hc_check *c, const component *all, size_t count)
{
  const component *first = NULL;
  for (size_t i = 0; i < count; i++) {
    const hc_checked *t = &c->tasks[all[i].rank];
    if (t->start == HC_UNKNOWN || !is_there(c, &all[i], t->start)) continue;
    if (!first || t->start < c->tasks[first->rank].start) first = &all[i];
  }
  if (!first) return 0;
  const hc_time at = c->tasks[first->rank].start;
  for (size_t i = 0; i < count; i++) {
    const hc_checked *t = &c->tasks[all[i].rank];
    if (&all[i] == first || !is_there(c, &all[i], at) || t->start == at) continue;
    TRY(hc_find(c, HC_FOUND_APART, at, all[i].rank, first->rank, at, 0));
  }
  hc_held_to(c, HC_RULE_TOGETHER, 1);
  return 0;
}

static hc_rc check_all(hc_check *c, component *all, size_t count)
{
  size_t n = 0;
  qsort(all, count, sizeof *all, by_serial);
  find_ranks(c, all, count);
  for (size_t i = 0; i < count; i++)
    if (all[i].rank != UINT32_MAX) all[n++] = all[i];
  qsort(all, n, sizeof *all, by_job);
  for (size_t i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && all[next].job == all[i].job;) next++;
    TRY(check_job(c, all + i, next - i));
  }
  return 0;
}

hc_rc hc_check_together(hc_check *c)
{
  const hc_verify_components *in = c->options->components;
  const size_t room = in->count * sizeof(component);
  if (in->count == 0 || c->options->stops) return 0;
  component *all = hc_alloc(c->allocator, room);
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < in->count; i++)
    all[i] = (component){in->tasks[i].serial, in->tasks[i].job, UINT32_MAX};
  const hc_rc rc = check_all(c, all, in->count);
  hc_free(c->allocator, all, room);
  return rc;
}
