/* elastisim_task_times.c -- how long each task of a phase took on each node, as ElastiSim's task_times.csv.
 *
 * * A row for each labelled part of a profile on each host of it, of the metric part_times, which the run
 * must have counted: when it was over there, the job, the node, the label, and how long it took; by time,
 * and what is over at one time in the order in which the run tells it. Times are exact seconds, where
 * ElastiSim prints six digits. Labels are quoted as RFC 4180 has it where they must be; ElastiSim writes
 * them as they are.
 *
 * * Memory: 48 bytes a row, 16 a task. Source: ElastiSim, src/system/Node.cpp. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "output/emit.h"

#define TABLE "part_times:"

/* Of hosts that follow each other. */
typedef struct row {
  hc_time end, duration;
  int64_t key, task;
  uint32_t label, host, hosts;
} row;

typedef struct task_id {
  int64_t serial, id;
} task_id;

typedef struct writer {
  hc_emit emit;
  const hc_allocator *allocator;
  hc_result *result;
  row *rows; /* [count] by key, then by time */
  size_t count, cap;
  hc_names labels, hosts; /* hosts: in the order of their numbers */
  task_id *tasks;         /* [task_count] by serial */
  size_t task_count, task_cap;
} writer;

HC_SORT(sort_by_time, row, a->end != b->end ? a->end < b->end : a->key < b->key)
HC_SORT(sort_tasks, task_id, a->serial < b->serial)

/* ---- reading ---- */

static hc_rc keep_host(void *ctx, const char *const *v)
{
  writer *w = ctx;
  const char *name = v[1] ? v[1] : "";
  uint32_t id;
  return hc_names_add(&w->hosts, name, strlen(name), &id);
}

static hc_rc keep_task(void *ctx, const hc_task_record *t)
{
  writer *w = ctx;
  TRY(hc_reserve(w->allocator, (void **)&w->tasks, &w->task_cap, w->task_count + 1, sizeof *w->tasks));
  w->tasks[w->task_count++] = (task_id){(int64_t)t->serial, t->id};
  return 0;
}

/* The row of a key: one that there is, or the next. */
static hc_rc row_of(writer *w, const char *key, const char *label, row **out)
{
  int64_t at;
  TRY(hc_emit_number(&w->emit, "cells", key, 0, (int64_t)w->count, &at));
  if ((size_t)at == w->count) {
    row x = {.key = at};
    TRY(hc_names_add(&w->labels, label, strlen(label), &x.label));
    TRY(hc_reserve(w->allocator, (void **)&w->rows, &w->cap, w->count + 1, sizeof *w->rows));
    w->rows[w->count++] = x;
  }
  *out = &w->rows[at];
  return 0;
}

static hc_time time_of(double seconds)
{
  return seconds >= 0 && seconds < 9e9 ? (hc_time)(seconds * 1e9 + 0.5) : 0;
}

static hc_rc keep_cell(void *ctx, const char *const *v)
{
  writer *w = ctx;
  const size_t n = strlen(TABLE);
  row *r;
  if (strcmp(v[0], "all") != 0 || strncmp(v[1], TABLE, n) != 0) return 0;
  const double x = v[5] ? strtod(v[5], NULL) : 0;
  TRY(row_of(w, v[2], v[1] + n, &r));
  if (strcmp(v[3], "end") == 0) r->end = time_of(x);
  else if (strcmp(v[3], "duration") == 0) r->duration = time_of(x);
  else if (!(x >= 0 && x < 9e15)) return 0;
  else if (strcmp(v[3], "host") == 0) r->host = x < UINT32_MAX ? (uint32_t)x : 0;
  else if (strcmp(v[3], "hosts") == 0) r->hosts = x < UINT32_MAX ? (uint32_t)x : 0;
  else if (strcmp(v[3], "task") == 0) r->task = (int64_t)x;
  return 0;
}

/* ---- writing ---- */

/* A task that had not ended with the run is not in the result: it is called by its serial. */
static int64_t id_of(const writer *w, int64_t serial)
{
  size_t from = 0, to = w->task_count;
  while (from < to) {
    const size_t half = from + (to - from) / 2;
    if (w->tasks[half].serial < serial) from = half + 1;
    else to = half;
  }
  return from < w->task_count && w->tasks[from].serial == serial ? w->tasks[from].id : serial;
}

static hc_rc write_row(writer *w, const row *r, uint32_t host)
{
  hc_buffer *b = &w->emit.text;
  const char *name = w->hosts.names[host], *label = w->labels.names[r->label];
  hc_emit_seconds(&w->emit, r->end, "");
  hc_buffer_text(b, ",");
  hc_emit_int(&w->emit, id_of(w, r->task));
  hc_buffer_text(b, ",");
  hc_csv_field(b, name, strlen(name));
  hc_buffer_text(b, ",");
  hc_csv_field(b, label, strlen(label));
  hc_buffer_text(b, ",");
  hc_emit_seconds(&w->emit, r->duration, "");
  hc_buffer_text(b, "\n");
  return hc_emit_row(&w->emit);
}

static hc_rc write_all(writer *w)
{
  TRY(hc_result_rows(w->result, "hosts", 4 + hc_result_amounts(w->result), keep_host, w, w->emit.error));
  TRY(hc_result_rows(w->result, "cells", 6, keep_cell, w, w->emit.error));
  TRY(hc_emit_tasks(&w->emit, w->result, HC_EMIT_STORED, keep_task, w));
  sort_by_time(w->rows, w->count);
  sort_tasks(w->tasks, w->task_count);
  hc_buffer_text(&w->emit.text, "Time,Job,Node,Task,Duration\n");
  for (size_t i = 0; i < w->count; i++) {
    const row *x = &w->rows[i];
    if (x->host > w->hosts.count || x->hosts > w->hosts.count - x->host)
      return hc_fail(w->emit.error, HC_EINPUT, hc_result_path(w->result), 0, 0,
                     "the times of parts name a host that the machine does not have: the result is damaged; "
                     "run the simulation again");
    for (uint32_t h = x->host; h < x->host + x->hosts; h++) TRY(write_row(w, x, h));
  }
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  writer w = {.allocator = a, .result = r};
  const double parts = hc_result_figure(r, "all", "part_times_parts");
  HC_UNUSED(options);
  TRY(hc_result_check(r, e));
  if (!(parts >= 0))
    return hc_fail(
        e, HC_EUSAGE, hc_result_path(r), 0, 0,
        "elastisim_task_times: the result has no times of tasks; run it with the metric part_times, "
        "as in --set 'metrics=[wait, part_times]', and with task_times of the reader elastisim");
  TRY(hc_emit_need_tasks(r, false, e));
  hc_emit_init(&w.emit, a, out, e);
  hc_names_init(&w.labels, a, SIZE_MAX);
  hc_names_init(&w.hosts, a, SIZE_MAX);
  const hc_rc rc = write_all(&w);
  hc_names_fini(&w.labels);
  hc_names_fini(&w.hosts);
  hc_free(a, w.rows, w.cap * sizeof *w.rows);
  hc_free(a, w.tasks, w.task_cap * sizeof *w.tasks);
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_elastisim_task_times = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "elastisim_task_times",
                  .summary = "how long each task of a phase took on each node, as ElastiSim's task_times.csv",
                  .detail =
                      "Time (when the task ended on the node), Job, Node, Task, Duration, in seconds: a row "
                      "for each part and host of the metric part_times, which the run must have counted, in "
                      "order of time. A task with iterations has one row for all of them. An asynchronous "
                      "task has the time that it took, where ElastiSim writes 0. Nodes wait for each other "
                      "between tasks, so that a task begins on all of them at the same time.",
                  .source = "ElastiSim 2024"},
    .run = run,
};
