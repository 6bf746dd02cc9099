/* workload.c -- jobs out of a workload file, and those of a trajectory.
 *
 * A job's tasks are given by `res`, all on one node, or by two of `nodes`, `ntasks` and `ntasks_per_node`,
 * the third following from them. What it does stands beside that, or in a profile of that name (JSON only).
 * The operations of a task are ceil(req_ops / ipc).
 *
 * IRMaSim divides by req_time, by the operations and by ipc: none may be 0. */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/table.h"
#include "base/util.h"
#include "irmasim/irmasim.h"

typedef struct fields { /* of one job, out of JSON or out of a row of a table */
  hc_world *w;
  const char *path;
  const hc_irm_json *job, *profile; /* profile NULL: none */
  const hc_table *table;            /* NULL: JSON */
  hc_error *e;
} fields;

static hc_rc wrong(const fields *f, const char *key, const char *what)
{
  if (f->table) return hc_table_fail(f->table, hc_table_column(f->table, key), f->e, "%s: %s", key, what);
  const hc_irm_json *v = hc_irm_member(f->profile, key);
  if (!v) v = hc_irm_member(f->job, key);
  if (!v) v = f->job;
  return hc_fail(f->e, HC_EINPUT, f->path, v->line, v->column, "%s: %s", key, what);
}

/* @return its text, NULL if the job has no such member. @param is_text  out: it is a string */
static const char *text_of(const fields *f, const hc_irm_json *of, const char *key, bool *is_text)
{
  hc_irm_number x;
  if (f->table) {
    const size_t column = hc_table_column(f->table, key);
    if (!column) return NULL;
    *is_text = !hc_irm_read(hc_table_text(f->table, column), hc_table_size(f->table, column), &x);
    return hc_table_text(f->table, column);
  }
  const hc_irm_json *v = hc_irm_member(of, key);
  *is_text = v && v->kind == HC_JSON_STRING;
  return v ? v->text : NULL;
}

/* What a job does stands in its profile, if it has one. */
static hc_rc number_of(const fields *f, const char *key, hc_irm_number fallback, hc_irm_number *out)
{
  bool is_text = false;
  const char *text = text_of(f, f->profile ? f->profile : f->job, key, &is_text);
  *out = fallback;
  if (!text && fallback.value == fallback.value) return 0;
  if (text && !is_text && hc_irm_read(text, strlen(text), out)) return 0;
  return wrong(f, key, text ? "expected a number, if it is whole one up to 2^53" : "it is missing");
}

/* @param out  0: the job does not say */
static hc_rc count_of(const fields *f, const char *key, uint32_t *out)
{
  bool is_text = false;
  const char *text = text_of(f, f->job, key, &is_text);
  hc_irm_number x;
  *out = 0;
  if (!text) return 0;
  if (is_text || !hc_irm_read(text, strlen(text), &x) || !x.is_whole || x.value < 1 ||
      x.value > HC_IRM_MOST_TASKS)
    return wrong(f, key, "expected a whole number from 1 to 100000000");
  *out = (uint32_t)x.value;
  return 0;
}

static uint32_t shares(uint32_t n, uint32_t of)
{
  return (n - 1) / of + 1;
}

static hc_rc layout(const fields *f, hc_irm_row *r)
{
  uint32_t all;
  TRY(count_of(f, "res", &all));
  TRY(count_of(f, "nodes", &r->nodes));
  TRY(count_of(f, "ntasks", &r->tasks));
  TRY(count_of(f, "ntasks_per_node", &r->tasks_per_node));
  if (all) {
    if (r->nodes || r->tasks || r->tasks_per_node)
      return wrong(f, "res", "a job says this, or nodes, ntasks and ntasks_per_node, and not both");
    r->nodes = 1;
    r->tasks = r->tasks_per_node = all;
    return 0;
  }
  if (!r->tasks && !r->nodes) return wrong(f, "ntasks", "a job says this, nodes or res");
  if (r->tasks && r->nodes && r->tasks_per_node && r->nodes != shares(r->tasks, r->tasks_per_node))
    return wrong(f, "nodes", "it is not ntasks / ntasks_per_node, rounded up");
  if (!r->nodes) {
    if (!r->tasks_per_node) r->tasks_per_node = 1;
    r->nodes = shares(r->tasks, r->tasks_per_node);
  } else if (!r->tasks) {
    if (!r->tasks_per_node) r->tasks_per_node = 1;
    if ((uint64_t)r->nodes * r->tasks_per_node > HC_IRM_MOST_TASKS)
      return wrong(f, "nodes", "too many tasks");
    r->tasks = r->nodes * r->tasks_per_node;
  } else {
    r->tasks_per_node = shares(r->tasks, r->nodes);
  }
  return 0;
}

/* ceil(req_ops / ipc) */
static hc_rc operations(const fields *f, hc_irm_row *r)
{
  const hc_irm_number none = {__builtin_nan(""), false};
  hc_irm_number ops, ipc;
  TRY(number_of(f, "req_ops", none, &ops));
  TRY(number_of(f, "ipc", hc_irm_real(1), &ipc));
  const double x = ops.value / ipc.value;
  if (!(ipc.value > 0)) return wrong(f, "ipc", "it should be above 0");
  if (!(x > 0 && x <= 9007199254740992.0))
    return wrong(f, "req_ops", "req_ops / ipc should be above 0, and up to 2^53");
  r->ops = (double)(int64_t)x;
  r->ops += r->ops < x;
  return 0;
}

/* As Python's str of what the file has. */
static hc_rc name_of(const fields *f, uint32_t number, const char **out)
{
  char text[40];
  hc_irm_number x;
  bool is_text = false;
  const char *said = text_of(f, f->job, "id", &is_text);
  hc_arena *a = &f->w->arena;
  if (said && !is_text && !hc_irm_read(said, strlen(said), &x))
    return wrong(f, "id", "expected a text, or a number up to 2^53");
  if (said && !is_text) {
    (void)hc_irm_write(x, text);
    said = text;
  }
  *out = said ? hc_arena_text(a, said, strlen(said)) : hc_arena_printf(a, "job%u", number);
  return *out ? 0 : HC_ENOMEM;
}

static hc_rc add(fields *f)
{
  const hc_irm_number none = {__builtin_nan(""), false};
  hc_world *w = f->w;
  hc_irm_row r = {0};
  bool is_text = false;
  r.profile = text_of(f, f->job, "profile", &is_text);
  if (r.profile && f->table) return wrong(f, "profile", "a table has no profiles");
  if (r.profile && !f->profile) return wrong(f, "profile", "there is no such profile");
  const hc_irm_number nought = r.profile ? (hc_irm_number){0, true} : hc_irm_real(0);
  TRY(name_of(f, (uint32_t)w->row_count, &r.name));
  TRY(layout(f, &r));
  TRY(operations(f, &r));
  TRY(number_of(f, "req_time", none, &r.req_time));
  if (r.req_time.value == 0) return wrong(f, "req_time", "it must not be 0: times are divided by it");
  TRY(number_of(f, "req_energy", nought, &r.req_energy));
  TRY(number_of(f, "mem", nought, &r.memory));
  TRY(number_of(f, "mem_vol", hc_irm_real(r.profile ? 1 : 0), &r.memory_volume));
  const hc_irm_json *profile = f->profile;
  f->profile = NULL;
  TRY(number_of(f, "subtime", none, &r.subtime));
  f->profile = profile;
  if (!(r.subtime.value > -1e9 && r.subtime.value < 1e9)) return wrong(f, "subtime", "expected up to 1e9 s");
  TRY(hc_reserve(w->allocator, (void **)&w->rows, &w->row_cap, w->row_count + 1, sizeof *w->rows));
  w->rows[w->row_count++] = r;
  return 0;
}

static hc_rc load_json(hc_world *w, fields *f, hc_error *e)
{
  const hc_irm_json *all, *jobs, *profiles;
  TRY(hc_irm_json_read(&w->arena, f->path, &all, e));
  jobs = hc_irm_member(all, "jobs");
  profiles = hc_irm_member(all, "profiles");
  if (!jobs || jobs->kind != HC_JSON_ARRAY)
    return hc_fail(e, HC_EINPUT, f->path, all->line, all->column, "expected a list `jobs`");
  for (f->job = jobs->first; f->job; f->job = f->job->next) {
    const char *profile = hc_irm_string(f->job, "profile");
    f->profile = profile ? hc_irm_member(profiles, profile) : NULL;
    TRY(add(f));
  }
  return 0;
}

static hc_rc load_table(hc_world *w, fields *f, hc_error *e)
{
  hc_table t;
  hc_rc rc = hc_table_open(&t, w->allocator, f->path, e);
  f->table = &t;
  if (rc >= 0 && (rc = hc_table_next(&t, e)) > 0) rc = hc_table_keep_titles(&t);
  while (rc >= 0 && (rc = hc_table_next(&t, e)) > 0) rc = add(f);
  hc_table_close(&t);
  return rc;
}

hc_rc hc_irm_load(hc_world *w, hc_error *e)
{
  fields f = {.w = w, .path = w->set.workload, .e = e};
  const char *dot = strrchr(f.path, '.');
  if (dot && strcmp(dot, ".json") == 0) TRY(load_json(w, &f, e));
  else if (dot && strcmp(dot, ".csv") == 0) TRY(load_table(w, &f, e));
  else
    return hc_fail(e, HC_EUSAGE, HC_IRM_WHERE, 0, 0,
                   "workload: expected a file .json or .csv, as IRMaSim does, got \"%s\"", f.path);
  if (w->row_count == 0) return hc_fail(e, HC_EINPUT, f.path, 0, 0, "there are no jobs");
  return 0;
}

/* ---- a trajectory ---- */

HC_SORT_STABLE(sort_by_submission, hc_irm_job, a->submit.value < b->submit.value)

static hc_rc make_tasks(hc_world *w)
{
  size_t count = 0;
  for (size_t i = 0; i < w->job_count; i++) {
    w->jobs[i].first = (uint32_t)count;
    w->jobs[i].rank = (uint32_t)i;
    count += w->rows[w->jobs[i].row].tasks;
    if (count > HC_IRM_MOST_TASKS)
      return hc_fail(w->error, HC_ELIMIT, HC_IRM_WHERE, 0, 0, "more than %d tasks", HC_IRM_MOST_TASKS);
  }
  TRY(hc_reserve(w->allocator, (void **)&w->tasks, &w->task_room, count, sizeof *w->tasks));
  w->task_count = 0;
  for (uint32_t i = 0; i < w->job_count; i++)
    for (uint32_t k = 0; k < w->jobs[i].left; k++)
      w->tasks[w->task_count++] = (hc_irm_task){
          .job = i, .place = HC_IRM_NONE, .ops = w->rows[w->jobs[i].row].ops, .execution_time = {0, true}};
  return 0;
}

static hc_rc make_jobs(hc_world *w, uint32_t origin, uint32_t length)
{
  const hc_allocator *a = w->allocator;
  const hc_irm_number begin = w->rows[origin].subtime, now = w->time;
  if (length > w->job_room) {
    hc_free(a, w->jobs, w->job_room * sizeof *w->jobs);
    hc_free(a, w->finished, w->job_room * sizeof *w->finished);
    hc_free(a, w->ended, w->job_room * sizeof *w->ended);
    w->jobs = hc_alloc(a, length * sizeof *w->jobs);
    w->finished = hc_alloc(a, length * sizeof *w->finished);
    w->ended = hc_alloc(a, length * sizeof *w->ended);
    w->job_room = length;
    if (!w->jobs || !w->finished || !w->ended) return HC_ENOMEM;
  }
  w->job_count = length;
  for (uint32_t i = 0; i < length; i++) {
    const hc_irm_row *r = &w->rows[origin + i];
    w->jobs[i] = (hc_irm_job){.row = origin + i,
                              .id = origin + i,
                              .left = r->tasks,
                              .submit = hc_irm_sum(hc_irm_difference(r->subtime, begin), now),
                              .start = {__builtin_inf(), false},
                              .finish = {0, false}};
  }
  hc_irm_job *room = hc_alloc(a, (length / 2 + 1) * sizeof *room);
  if (!room) return HC_ENOMEM;
  sort_by_submission(w->jobs, length, room);
  hc_free(a, room, (length / 2 + 1) * sizeof *room);
  return make_tasks(w);
}

hc_rc hc_irm_generate(hc_world *w, hc_error *e)
{
  const uint32_t rows = (uint32_t)w->row_count;
  uint32_t length = w->set.length, origin = w->set.origin;
  if (length == HC_IRM_NONE) length = 1 + hc_irm_below(&w->random, rows);
  if (length > rows)
    return hc_fail(e, HC_EUSAGE, HC_IRM_WHERE, 0, 0, "trajectory_length: the workload has %u jobs", rows);
  if (origin == HC_IRM_NONE) origin = hc_irm_below(&w->random, rows - HC_MAX(length, 1u) + 1);
  if (origin >= rows || length > rows - origin)
    return hc_fail(e, HC_EUSAGE, HC_IRM_WHERE, 0, 0, "trajectory_origin: the workload has %u jobs", rows);
  if (length == 0) length = rows - origin;
  if (w->trajectory == 0) hc_irm_say(w, "Loaded %u jobs from %s", rows, w->set.workload_name);
  hc_irm_say(w, "Using %u jobs starting with #%u", length, origin);
  w->error = e;
  return make_jobs(w, origin, length);
}
