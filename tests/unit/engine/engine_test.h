/* engine_test.h -- what the tests of runs share: a run built from a few keys of YAML and a tiny log, and
 * its records by the number of the task.
 *
 * A log is an array of jobs in seconds, written as a file of the Standard Workload Format. In a
 * configuration, FILE stands for that file's name; where `source` is not said, it is the source. */
#ifndef HC_ENGINE_TEST_H
#define HC_ENGINE_TEST_H

#define _GNU_SOURCE /* mkstemp; so this file comes first */

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hindcast/hindcast.h"

#define NEVER_STARTED INT64_C(-1)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One row: `run` < 0 was cancelled after waiting for `wait`; `after` is the job that it follows, with
 * `think`. */
typedef struct job {
  int64_t id, submit, run, procs, limit;
  int64_t wait, after, think, status;
  int64_t user, group, executable, queue, partition; /* 0: 1 */
} job;
#define J(n, at, time, units, asked) \
  { \
    .id = (n), .submit = (at), .run = (time), .procs = (units), .limit = (asked) \
  }
#define J_WITH(n, at, time, units, asked, ...) \
  { \
    .id = (n), .submit = (at), .run = (time), .procs = (units), .limit = (asked), __VA_ARGS__ \
  }

typedef struct bench {
  const hc_allocator *allocator;
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  hc_error error;
  char path[64];
  hc_task_record records[2048];
  size_t count;
} bench;

/* ---- a log ---- */

static inline void job_line(hc_buffer *out, const job *j)
{
  bool cancelled = j->run < 0;
  int64_t status = j->status != 0 ? j->status : cancelled ? 5 : 1;
  hc_buffer_printf(out,
                   "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " -1 -1 %" PRId64 " %" PRId64,
                   j->id, j->submit, cancelled ? j->wait : -1, cancelled ? -1 : j->run,
                   cancelled ? -1 : j->procs, j->procs, j->limit > 0 ? j->limit : -1);
  hc_buffer_printf(out, " -1 %" PRId64, status);
  hc_buffer_printf(out, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
                   j->user > 0 ? j->user : 1, j->group > 0 ? j->group : 1,
                   j->executable > 0 ? j->executable : 1, j->queue > 0 ? j->queue : 1,
                   j->partition > 0 ? j->partition : 1);
  hc_buffer_printf(out, " %" PRId64 " %" PRId64 "\n", j->after > 0 ? j->after : -1,
                   j->after > 0 ? j->think : -1);
}

static inline void write_log(char path[64], const char *text, size_t size)
{
  int fd;
  (void)snprintf(path, 64, "/tmp/hindcast-test-XXXXXX");
  fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, size), (ssize_t)size);
  (void)close(fd);
}

static inline void write_jobs(char path[64], int64_t procs, const job *jobs, size_t count)
{
  hc_buffer text;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_printf(&text, "; MaxProcs: %" PRId64 "\n", procs);
  for (size_t i = 0; i < count; i++) job_line(&text, &jobs[i]);
  write_log(path, text.data, text.size);
  hc_buffer_fini(&text);
}

/* ---- a configuration ---- */

/* The YAML with FILE replaced, and a source put before it if it has none. */
static inline void full_yaml(hc_buffer *out, const char *yaml, const char *path)
{
  const char *at;
  if (!strstr(yaml, "source:")) hc_buffer_printf(out, "source: {use: swf, file: %s}\n", path);
  while ((at = strstr(yaml, "FILE"))) {
    hc_buffer_add(out, yaml, (size_t)(at - yaml));
    hc_buffer_text(out, path);
    yaml = at + 4;
  }
  hc_buffer_text(out, yaml);
}

/* Registry and configuration, not a run yet. @param extra components of the test's own, up to a NULL; may
 * be NULL */
static inline hc_rc configure(bench *b, const hc_allocator *a, const char *yaml,
                              const hc_component *const *extra)
{
  hc_buffer text;
  hc_rc rc = hc_registry_new(a, &b->registry);
  b->allocator = a;
  for (; rc >= 0 && extra && *extra; extra++) rc = hc_registry_add(b->registry, *extra, &b->error);
  if (rc >= 0) rc = hc_config_new(a, b->registry, &b->config, &b->error);
  hc_buffer_init(&text, hc_default_allocator());
  full_yaml(&text, yaml, b->path);
  if (rc >= 0) rc = hc_config_text(b->config, text.data, text.size, "test", &b->error);
  hc_buffer_fini(&text);
  return rc;
}

/* Its configuration, and a run of it that stands at its beginning. */
static inline hc_rc try_run(bench *b, const char *yaml, const hc_component *const *extra)
{
  hc_rc rc = configure(b, hc_default_allocator(), yaml, extra);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  return rc < 0 ? rc : hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error);
}

/* The same, where FILE has this text: tasks as some reader has them. */
static inline hc_rc try_text_with(bench *b, const char *yaml, const char *text,
                                  const hc_component *const *extra)
{
  memset(b, 0, sizeof *b);
  write_log(b->path, text, strlen(text));
  return try_run(b, yaml, extra);
}
static inline hc_rc try_text(bench *b, const char *yaml, const char *text)
{
  return try_text_with(b, yaml, text, NULL);
}

/* A bench whose run stands at its beginning. Its metrics are none unless the YAML says so. */
static inline hc_rc try_begin(bench *b, const char *yaml, int64_t procs, const job *jobs, size_t count,
                              const hc_component *const *extra)
{
  hc_rc rc;
  memset(b, 0, sizeof *b);
  write_jobs(b->path, procs, jobs, count);
  rc = configure(b, hc_default_allocator(), yaml, extra);
  if (rc >= 0 && !strstr(yaml, "metrics:")) rc = hc_config_set(b->config, "metrics=[]", &b->error);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  return rc < 0 ? rc : hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error);
}

static inline void check(const bench *b, hc_rc rc)
{
  if (rc < 0) fail_msg("%s %s:%u: %s", hc_rc_name(rc), b->error.where, b->error.line, b->error.text);
}

static inline void begin(bench *b, const char *yaml, int64_t procs, const job *jobs, size_t count,
                         const hc_component *const *extra)
{
  check(b, try_begin(b, yaml, procs, jobs, count, extra));
}

/* ---- to its end ---- */

static inline void read_records(bench *b)
{
  hc_result *r;
  size_t n = 1;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  b->count = 0;
  for (bool first = true; n > 0 && b->count < COUNT(b->records); first = false) {
    check(b, hc_result_tasks(r, first, b->records + b->count, COUNT(b->records) - b->count, &n, &b->error));
    b->count += n;
  }
  hc_result_free(r);
}

static inline void finish(bench *b)
{
  check(b, hc_run_advance(b->run, HC_NEVER, 0, &b->error));
  check(b, hc_run_finish(b->run, &b->error));
  read_records(b);
}

/* The same, saved and taken up again after every so many instants: a run is a value. */
static inline void finish_in_pieces(bench *b, uint64_t instants)
{
  for (hc_rc more = 1; more > 0;) {
    char one[33], two[33];
    hc_snapshot s;
    more = hc_run_advance(b->run, HC_NEVER, instants, &b->error);
    check(b, more);
    check(b, hc_run_digest(b->run, one, &b->error));
    check(b, hc_run_snapshot(b->run, &s, &b->error));
    hc_run_free(b->run);
    check(b, hc_run_restore(b->allocator, b->config, b->store, &s, &b->run, &b->error));
    check(b, hc_run_digest(b->run, two, &b->error));
    assert_string_equal(one, two);
    hc_snapshot_free(b->allocator, &s);
  }
  finish(b);
}

/* A figure of the summary of a finished run; NaN: it has none of that name. */
static inline double figure(bench *b, const char *name)
{
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  const double value = hc_result_figure(r, "all", name);
  hc_result_free(r);
  return value;
}

/* To the last digit that is stored of sums; NaN is no value. */
static inline void assert_figure(bench *b, const char *name, double value)
{
  const double found = figure(b, name);
  if (!(found >= value - 1e-9 && found <= value + 1e-9))
    fail_msg("%s is %.12g, not %.12g", name, found, value);
}

static inline void end(bench *b)
{
  hc_run_free(b->run);
  hc_store_free(b->store);
  hc_config_free(b->config);
  hc_registry_free(b->registry);
  (void)unlink(b->path);
}

/* Each of these configurations is refused before it runs, on a log of one task, with the text behind it. */
static inline void assert_each_refused(const char *const (*table)[2], size_t count, int64_t procs)
{
  static const job jobs[] = {J(1, 0, 100, 4, 100)};
  for (size_t i = 0; i < count; i++) {
    bench b;
    if (try_begin(&b, table[i][0], procs, jobs, 1, NULL) == 0 || !strstr(b.error.text, table[i][1]))
      fail_msg("%s: %s", table[i][0], b.error.text);
    end(&b);
  }
}

static inline const hc_task_record *record_of(const bench *b, int64_t id)
{
  for (size_t i = 0; i < b->count; i++)
    if (b->records[i].id == id) return &b->records[i];
  fail_msg("no record of task %" PRId64, id);
  return NULL;
}

/* When a task started, in seconds; NEVER_STARTED if it did not. */
static inline int64_t start_of(const bench *b, int64_t id)
{
  hc_time start = record_of(b, id)->start;
  return start == HC_UNKNOWN ? NEVER_STARTED : start / HC_SECOND;
}

static inline int64_t end_of(const bench *b, int64_t id)
{
  hc_time at = record_of(b, id)->end;
  return at == HC_UNKNOWN ? NEVER_STARTED : at / HC_SECOND;
}

/* A value of one of the result's small tables of (key, value), as a number; 0 if it has no such row. */
typedef struct wanted {
  const char *key;
  int64_t value;
} wanted;

static inline hc_rc take_value(void *ctx, const char *const *values)
{
  wanted *w = ctx;
  if (strcmp(values[0], w->key) == 0) w->value = strtoll(values[1], NULL, 10);
  return 0;
}

static inline int64_t counted(bench *b, const char *table, const char *key)
{
  wanted w = {key, 0};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, table, 2, take_value, &w, &b->error));
  hc_result_free(r);
  return w.value;
}

/* Run the jobs, numbered from 1, and hold that they start at these seconds. */
static inline void assert_starts(const char *yaml, int64_t procs, const job *jobs, size_t count,
                                 const int64_t *starts)
{
  bench b;
  begin(&b, yaml, procs, jobs, count, NULL);
  finish(&b);
  for (size_t i = 0; i < count; i++)
    if (start_of(&b, jobs[i].id) != starts[i])
      fail_msg("%s: task %" PRId64 " starts at %" PRId64 ", should at %" PRId64, yaml, jobs[i].id,
               start_of(&b, jobs[i].id), starts[i]);
  end(&b);
}

#endif
