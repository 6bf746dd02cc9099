/* table.c -- jobs from a table: one row a job, for any workload.
 *
 * Columns are known by their titles: workload, submit_s, num_tasks, duration_s, cpus_per_task,
 * mem_gb_per_task (or cpus, mem), and num_activities (or activities) if more workers than tasks help. Numbers
 * are read to the nearest double, as the original's language reads them. Jobs are numbered as they stand.
 * Source: the job lists with which the original was run for this project's oracle, tests/oracles/omega. */
#include <string.h>

#include "base/table.h"
#include "base/util.h"
#include "omega/omega.h"

typedef struct options {
  const char *file, *workload;
} options;

typedef struct columns {
  size_t workload, submit, tasks, duration, cpus, memory, activities;
} columns;

static size_t either(const hc_table *t, const char *one, const char *other)
{
  const size_t c = hc_table_column(t, one);
  return c ? c : hc_table_column(t, other);
}

static hc_rc find_columns(const hc_table *t, columns *c, hc_error *e)
{
  *c = (columns){.workload = hc_table_column(t, "workload"),
                 .submit = either(t, "submit_s", "submit"),
                 .tasks = either(t, "num_tasks", "tasks"),
                 .duration = either(t, "duration_s", "duration"),
                 .cpus = either(t, "cpus_per_task", "cpus"),
                 .memory = either(t, "mem_gb_per_task", "mem"),
                 .activities = either(t, "num_activities", "activities")};
  if (c->submit && c->tasks && c->duration && c->cpus && c->memory) return 0;
  return hc_table_fail(
      t, 0, e,
      "the first row should name the columns submit_s, num_tasks, duration_s, cpus_per_task and "
      "mem_gb_per_task (and workload, if the file has jobs of several)");
}

static hc_rc number(const hc_table *t, size_t column, double least, double *out, hc_error *e)
{
  if (hc_table_real(t, column, out) && *out >= least && *out <= 1e15) return 0;
  return hc_table_fail(t, column, e, "expected a number of at least %g, got \"%.80s\"", least,
                       hc_table_text(t, column));
}

#define MOST_ACTIVITIES 1000000000

/* Of a file without that column, or a row without a word there: 0, as many as there are tasks. */
static bool at_activities(const hc_table *t, const columns *c, int64_t *out)
{
  *out = 0;
  if (*hc_table_text(t, c->activities) == '\0') return true;
  return hc_table_whole(t, c->activities, out) && *out >= 0 && *out <= MOST_ACTIVITIES;
}

static hc_rc read_job(const hc_table *t, const columns *c, hc_omega_arrival *out, hc_error *e)
{
  int64_t tasks, activities;
  TRY(number(t, c->submit, 0, &out->submit, e));
  TRY(number(t, c->duration, 0, &out->duration, e));
  TRY(number(t, c->cpus, 0, &out->cpus, e));
  TRY(number(t, c->memory, 0, &out->memory, e));
  if (!hc_table_whole(t, c->tasks, &tasks) || tasks < 1 || tasks > 10000000)
    return hc_table_fail(t, c->tasks, e, "expected a number of tasks from 1 to 10000000, got \"%.80s\"",
                         hc_table_text(t, c->tasks));
  out->tasks = (uint32_t)tasks;
  if (!at_activities(t, c, &activities))
    return hc_table_fail(t, c->activities, e, "expected a number of activities up to %d, got \"%.80s\"",
                         MOST_ACTIVITIES, hc_table_text(t, c->activities));
  out->activities = (uint32_t)activities;
  return 0;
}

static hc_rc read_table(hc_table *t, const hc_arrivals_context *c, const char *workload, hc_error *e)
{
  columns at;
  hc_rc rc = hc_table_next(t, e);
  if (rc == 0)
    return hc_fail(e, HC_EINPUT, t->name, 0, 0, "the file is empty; a table of jobs begins with titles");
  TRY(rc);
  TRY(hc_table_keep_titles(t));
  TRY(find_columns(t, &at, e));
  while ((rc = hc_table_next(t, e)) > 0) {
    hc_omega_arrival job = {0};
    if (at.workload && strcmp(hc_table_text(t, at.workload), workload) != 0) continue;
    TRY(read_job(t, &at, &job, e));
    if (job.submit < c->window) TRY(c->job(c->ctx, &job));
  }
  return rc;
}

static hc_rc make(const hc_arrivals_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  hc_table t;
  hc_rc rc;
  if (!o->file)
    return hc_fail(e, HC_EUSAGE, "arrivals table", 0, 0, "which file? write {use: table, file: jobs.csv}");
  rc = hc_table_open(&t, c->allocator, o->file, e);
  if (rc >= 0) rc = read_table(&t, c, o->workload ? o->workload : c->name, e);
  hc_table_close(&t);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "The table, plain or packed: titles, then a row for each job. Required."),
    HC_PARAM(TEXT, options, workload, NULL,
             "Which rows are read: those with this text in the column `workload`. Without that column all "
             "rows are read. Default: the workload's name."),
    {0}};

const hc_arrivals_type hc_arrivals_table = {
    .component = {HC_COMPONENT_HEAD(hc_arrivals_type, HC_KIND_ARRIVALS), .name = "table",
                  .summary = "jobs from a table, a row for each",
                  .detail = "Columns are found by their titles: submit_s, num_tasks, duration_s, "
                            "cpus_per_task, mem_gb_per_task (GB of 2^30 bytes), workload if the file has "
                            "jobs of several workloads, and num_activities if a job may be molded to more "
                            "workers than tasks. Jobs that arrive after the run's end are left out.",
                  .params = params, .options_size = sizeof(options)},
    .make = make};
