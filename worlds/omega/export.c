/* omega.c -- the result of a closed world `omega` as the original's protocol buffer, which its plotting
 * scripts read.
 *
 * One ExperimentResultSet with one environment with one result. Field numbers are those of
 * cluster_simulation_protos.proto; every field of it is written, unless the run has no value for it. Studies
 * concatenate: sets of equal type that stand one after the other are one set, by the format's own rule.
 * Encoding: a field is a varint of number and wire type, then the value (0 varint, 1 eight bytes, 2 length
 * and bytes). Source: the schema of github.com/google/cluster-scheduler-simulator; protobuf.dev,
 * "Encoding". */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "output/emit.h"

typedef struct cell {
  const char *table, *name;
  int64_t key;
  double value;
  bool has_value;
} cell;

typedef struct facts {
  hc_arena arena;
  hc_result *result;
  cell *cells; /* [count] */
  size_t count, cap;
  const char *workloads[4096], *schedulers[4096];
  size_t workload_count, scheduler_count;
} facts;

/* ---- what the result has ---- */

static hc_rc take_cell(void *ctx, const char *const *v)
{
  facts *f = ctx;
  cell c = {0};
  if (!v[1] || !v[2] || !v[3]) return 0;
  TRY(hc_reserve(f->arena.allocator, (void **)&f->cells, &f->cap, f->count + 1, sizeof *f->cells));
  c.table = hc_arena_text(&f->arena, v[1], strlen(v[1]));
  c.name = hc_arena_text(&f->arena, v[3], strlen(v[3]));
  if (!c.table || !c.name) return HC_ENOMEM;
  if (hc_parse_int(v[2], strlen(v[2]), &c.key) < 0) return 0;
  c.has_value = v[5] && hc_parse_real(v[5], strlen(v[5]), &c.value) == 0;
  f->cells[f->count++] = c;
  return 0;
}

static hc_rc take_name(void *ctx, const char *const *v)
{
  facts *f = ctx;
  const bool is_workload = v[0] && strncmp(v[0], "workload_", 9) == 0;
  const bool is_scheduler = v[0] && strncmp(v[0], "scheduler_", 10) == 0;
  const char *copy;
  if ((!is_workload && !is_scheduler) || !v[1]) return 0;
  if (f->workload_count == HC_ARRAY_LEN(f->workloads) || f->scheduler_count == HC_ARRAY_LEN(f->schedulers))
    return 0;
  copy = hc_arena_text(&f->arena, v[1], strlen(v[1]));
  if (!copy) return HC_ENOMEM;
  if (is_workload) f->workloads[f->workload_count++] = copy;
  else f->schedulers[f->scheduler_count++] = copy;
  return 0;
}

static const cell *find_cell(const facts *f, const char *table, int64_t key, const char *name)
{
  for (size_t i = 0; i < f->count; i++) {
    const cell *c = &f->cells[i];
    if (c->key == key && strcmp(c->name, name) == 0 && strcmp(c->table, table) == 0)
      return c->has_value ? c : NULL;
  }
  return NULL;
}

/* ---- the encoding ---- */

static void varint(hc_buffer *b, uint64_t n)
{
  do {
    const unsigned char byte = (unsigned char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
    hc_buffer_add(b, &byte, 1);
    n >>= 7;
  } while (n > 0);
}

static void whole(hc_buffer *b, uint32_t field, int64_t n)
{
  varint(b, field << 3);
  varint(b, (uint64_t)n);
}

static void real(hc_buffer *b, uint32_t field, double x)
{
  unsigned char bytes[8];
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
  varint(b, field << 3 | 1);
  hc_buffer_add(b, bytes, sizeof bytes);
}

static void bytes(hc_buffer *b, uint32_t field, const void *data, size_t size)
{
  varint(b, field << 3 | 2);
  varint(b, size);
  hc_buffer_add(b, data, size);
}

static void text(hc_buffer *b, uint32_t field, const char *s)
{
  bytes(b, field, s, strlen(s));
}

/* A message within another, which is then empty again. */
static void message(hc_buffer *b, uint32_t field, hc_buffer *inner)
{
  bytes(b, field, inner->size > 0 ? inner->data : "", inner->size);
  b->failed |= inner->failed;
  hc_buffer_fini(inner);
}

/* ---- the messages ---- */

typedef struct field {
  uint32_t number;
  const char *name;
  bool is_whole;
} field;

static void cells(const facts *f, hc_buffer *b, const char *table, int64_t key, const field *fields,
                  size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const cell *c = find_cell(f, table, key, fields[i].name);
    if (c && fields[i].is_whole) whole(b, fields[i].number, (int64_t)c->value);
    else if (c) real(b, fields[i].number, c->value);
  }
}

static void workload(const facts *f, size_t i, hc_buffer *b)
{
  static const field fields[] = {{2, "jobs", true},
                                 {3, "jobs_scheduled", true},
                                 {4, "think_p90", false},
                                 {5, "wait_first_mean", false},
                                 {6, "wait_full_mean", false},
                                 {7, "wait_first_p90", false},
                                 {8, "wait_full_p90", false},
                                 {9, "attempts_p90", false},
                                 {10, "attempts_p99", false},
                                 {11, "task_attempts_p90", false},
                                 {12, "task_attempts_p99", false}};
  text(b, 1, f->workloads[i]);
  cells(f, b, "by_workload", (int64_t)i, fields, HC_ARRAY_LEN(fields));
}

static void days(const facts *f, size_t i, hc_buffer *b)
{
  static const field fields[] = {
      {2, "useful_busy", false}, {3, "wasted_busy", false}, {4, "succeeded", true}, {5, "failed", true}};
  char table[64];
  (void)snprintf(table, sizeof table, "days_of_scheduler_%zu", i);
  for (int64_t day = 0; find_cell(f, table, day, "useful_busy"); day++) {
    hc_buffer inner;
    hc_buffer_init(&inner, b->allocator);
    whole(&inner, 1, day);
    cells(f, &inner, table, day, fields, HC_ARRAY_LEN(fields));
    message(b, 15, &inner);
  }
}

static void busy_by_workload(const facts *f, size_t i, hc_buffer *b)
{
  static const field fields[] = {{2, "useful_busy", false}, {3, "wasted_busy", false}};
  char table[64];
  (void)snprintf(table, sizeof table, "workloads_of_scheduler_%zu", i);
  for (size_t l = 0; l < f->workload_count; l++) {
    hc_buffer inner;
    hc_buffer_init(&inner, b->allocator);
    text(&inner, 1, f->workloads[l]);
    cells(f, &inner, table, (int64_t)l, fields, HC_ARRAY_LEN(fields));
    message(b, 5, &inner);
  }
}

static void scheduler(const facts *f, size_t i, hc_buffer *b)
{
  static const field fields[] = {
      {3, "useful_busy", false},  {4, "wasted_busy", false},   {6, "succeeded", true},
      {7, "failed", true},        {8, "is_multi_path", true},  {9, "tasks_succeeded", true},
      {10, "tasks_failed", true}, {11, "retried", true},       {12, "queue_left", true},
      {13, "no_resources", true}, {14, "failed_probes", true}, {16, "timed_out", true}};
  text(b, 1, f->schedulers[i]);
  cells(f, b, "by_scheduler", (int64_t)i, fields, HC_ARRAY_LEN(fields));
  busy_by_workload(f, i, b);
  days(f, i, b);
}

/* Which schedulers a sweep over the last workload's think time is about: those whose name has the workload's,
 * or the one there is. */
static void swept(const facts *f, hc_buffer *b)
{
  const char *name = f->workloads[f->workload_count - 1];
  for (size_t i = 0; i < f->scheduler_count; i++) {
    hc_buffer inner;
    if (f->scheduler_count > 1 && !strstr(f->schedulers[i], name)) continue;
    hc_buffer_init(&inner, b->allocator);
    text(&inner, 1, f->schedulers[i]);
    text(&inner, 2, name);
    message(b, 10, &inner);
  }
}

static void figure(const facts *f, hc_buffer *b, uint32_t number, const char *name)
{
  const double x = hc_result_figure(f->result, "all", name);
  if (x == x) real(b, number, x);
}

static void result(const facts *f, hc_buffer *b)
{
  static const field of_swept[] = {
      {9, "interarrival_mean", false}, {11, "think_job", false}, {12, "think_task", false}};
  hc_buffer inner;
  figure(f, b, 4, "cpu_utilisation");
  figure(f, b, 5, "memory_utilisation");
  figure(f, b, 13, "cpu_locked");
  figure(f, b, 14, "memory_locked");
  for (size_t i = 0; i < f->workload_count; i++) {
    hc_buffer_init(&inner, b->allocator);
    workload(f, i, &inner);
    message(b, 6, &inner);
  }
  for (size_t i = 0; i < f->scheduler_count; i++) {
    hc_buffer_init(&inner, b->allocator);
    scheduler(f, i, &inner);
    message(b, 7, &inner);
  }
  text(b, 8, f->workloads[f->workload_count - 1]);
  cells(f, b, "by_workload", (int64_t)f->workload_count - 1, of_swept, HC_ARRAY_LEN(of_swept));
  swept(f, b);
}

static void environment(const facts *f, hc_buffer *b)
{
  const char *name = hc_result_config(f->result, "name"),
             *time = hc_result_config(f->result, "world.run_time");
  hc_buffer inner;
  double run_time;
  text(b, 1, name && name[0] ? name : "cell");
  text(b, 2, "workloads");
  if (time && hc_parse_real(time, strlen(time), &run_time) == 0) real(b, 3, run_time);
  hc_buffer_init(&inner, b->allocator);
  result(f, &inner);
  message(b, 4, &inner);
  whole(b, 5, hc_result_figure(f->result, "all", "prefill_tasks") > 0);
}

static hc_rc write_set(facts *f, const hc_sink *out, hc_error *e)
{
  hc_buffer set, inner;
  hc_rc rc;
  TRY(hc_result_rows(f->result, "hindcast", 2, take_name, f, e));
  TRY(hc_result_rows(f->result, "cells", 6, take_cell, f, e));
  if (f->workload_count == 0)
    return hc_fail(e, HC_EUSAGE, hc_result_path(f->result), 0, 0,
                   "this format is for runs of the closed world omega; use json or csv");
  hc_buffer_init(&set, f->arena.allocator);
  hc_buffer_init(&inner, f->arena.allocator);
  environment(f, &inner);
  message(&set, 1, &inner);
  rc = set.failed ? HC_ENOMEM : out->write(out->ctx, set.data, set.size);
  hc_buffer_fini(&set);
  return rc;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  facts *f = hc_alloc(a, sizeof *f);
  hc_rc rc;
  HC_UNUSED(options);
  if (!f) return HC_ENOMEM;
  f->result = r;
  hc_arena_init(&f->arena, a);
  rc = write_set(f, out, e);
  hc_free(a, f->cells, f->cap * sizeof *f->cells);
  hc_arena_fini(&f->arena);
  hc_free(a, f, sizeof *f);
  return rc;
}

const hc_exporter_type hc_exporter_omega = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "omega",
                  .summary = "a run of the world omega, as the protocol buffer of Google's Omega simulator",
                  .detail = "One ExperimentResultSet, which that simulator's plotting scripts read. Files of "
                            "several runs may be concatenated.",
                  .source =
                      "cluster_simulation_protos.proto of github.com/google/cluster-scheduler-simulator"},
    .run = run};
