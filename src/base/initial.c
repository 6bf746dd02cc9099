/* initial.c -- a file of what runs at the beginning: see initial.h. */
#include "base/initial.h"

#include <string.h>

#include "base/math.h"
#include "base/table.h"
#include "base/util.h"

/* What a file of the beginning is read into. */
typedef struct initial_reader {
  const hc_allocator *allocator;
  double time_unit;
  hc_initial **jobs;
  size_t *count, *cap;
  hc_names names; /* of jobs, in the order of `jobs` */
} initial_reader;

/* "11 time job prod class tasks cpus bytes": it runs at the beginning. "12 time job prod class unused": and
 * ends then. */
static hc_rc initial_line(hc_table *t, initial_reader *r, hc_error *e)
{
  int64_t kind, prod, class, tasks = 1;
  double time, cpus = 0, bytes = 0;
  const char *job = hc_table_text(t, 3);
  uint32_t at;
  if (!hc_table_whole(t, 1, &kind) || (kind != 11 && kind != 12) || !hc_table_real(t, 2, &time) ||
      !hc_table_whole(t, 4, &prod) || !hc_table_whole(t, 5, &class))
    return hc_table_fail(
        t, 0, e, "expected \"11 time job prod class tasks cpus bytes\", or \"12 time job prod class ...\"");
  if (kind == 11 && (!hc_table_whole(t, 6, &tasks) || tasks < 1 || tasks > 10000000 ||
                     !hc_table_real(t, 7, &cpus) || !hc_table_real(t, 8, &bytes)))
    return hc_table_fail(t, 6, e, "expected tasks, cpus and bytes of the whole job");
  TRY(hc_reserve(r->allocator, (void **)r->jobs, r->cap, *r->count + 1, sizeof **r->jobs));
  TRY(hc_names_add(&r->names, job, strlen(job), &at));
  if (at == *r->count) (*r->jobs)[(*r->count)++] = (hc_initial){.end = (double)__builtin_inff()};
  if (kind == 12) {
    (*r->jobs)[at].end = time * r->time_unit;
    return 0;
  }
  (*r->jobs)[at].tasks = (uint32_t)tasks;
  (*r->jobs)[at].cpus = cpus / (double)tasks;
  (*r->jobs)[at].memory = bytes / 1024 / 1024 / 1024 / (double)tasks;
  (*r->jobs)[at].is_service = prod == 1 && class != 0 && class != 1;
  return 0;
}

hc_rc hc_initial_file(const hc_allocator *a, const char *path, double time_unit, const char *where,
                      hc_initial **jobs, size_t *count, size_t *cap, hc_error *e)
{
  initial_reader r = {.allocator = a, .time_unit = time_unit, .jobs = jobs, .count = count, .cap = cap};
  hc_table t;
  hc_rc rc;
  *jobs = NULL;
  *count = *cap = 0;
  if (!path) return hc_fail(e, HC_EUSAGE, where, 0, 0, "which `file` says what runs at the beginning?");
  hc_names_init(&r.names, a, HC_MAP_NONE);
  rc = hc_table_open(&t, a, path, e);
  if (rc >= 0) t.separator = ' ';
  while (rc >= 0 && (rc = hc_table_next(&t, e)) > 0) rc = initial_line(&t, &r, e);
  hc_table_close(&t);
  hc_names_fini(&r.names);
  if (rc < 0) {
    hc_free(a, *jobs, *cap * sizeof **jobs);
    *jobs = NULL;
    *count = *cap = 0;
  }
  return rc;
}
