/* tasks_test.h -- what the tests of native workloads share: tasks and a configuration, both as text, and when
 * each task starts and ends; what is refused; and a run each of whose allocations fails once.
 *
 * A test says in `here` what stands before a configuration that does not say it, and which components are its
 * own. Task i + 1 is the i-th. Runs are done in one piece, and saved and restored after each instant. */
#ifndef HC_TASKS_TEST_H
#define HC_TASKS_TEST_H

#include "engine_test.h"

typedef struct setting {
  const char *cell, *execution, *metrics;
  const hc_component *const *extra;
} setting;
static const setting here;

/* A task of so many hosts with so many cores on each. */
#define ON(id, at, hosts, cores, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {nodes_count: " #hosts ", cpu_per_node: " #cores \
  "}, profile: " profile "}\n"

static inline const char *put_before(const char *text, const char *yaml, const char *key)
{
  return text && !strstr(yaml, key) ? text : "";
}

/* @param file out: where the tasks are, to be unlinked */
static inline hc_rc try_tasks(bench *b, char file[64], const char *tasks, const char *yaml)
{
  char text[4096];
  write_log(file, tasks, strlen(tasks));
  assert_true((size_t)snprintf(text, sizeof text, "paranoid: true\nsource: {use: native, file: %s}\n%s%s%s%s",
                               file, put_before(here.cell, yaml, "cell:"),
                               put_before(here.execution, yaml, "execution:"),
                               put_before(here.metrics, yaml, "metrics:"), yaml) < sizeof text);
  return try_begin(b, text, 8, NULL, 0, here.extra);
}

static inline void begin_tasks(bench *b, char file[64], const char *tasks, const char *yaml, int in_pieces)
{
  check(b, try_tasks(b, file, tasks, yaml));
  if (in_pieces) finish_in_pieces(b, 1);
  else finish(b);
}

/* In s; of what did not start, or end: -1. */
static inline double seconds_of(hc_time t)
{
  return t == HC_UNKNOWN ? -1 : (double)t / 1e9;
}

/* 2 ns, which a value in s may lose too. */
static inline bool is_at(hc_time t, double s)
{
  const double off = t == HC_UNKNOWN ? (s + 1) * 1e9 : (double)t - s * 1e9;
  return off >= -2 && off <= 2;
}

/* They run from times[i][0] to times[i][1], s; -1: never. */
static inline void assert_times(const char *tasks, const char *yaml, size_t count, const double (*times)[2])
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    char file[64];
    begin_tasks(&b, file, tasks, yaml, pieces);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      if (!is_at(r->start, times[i][0]) || !is_at(r->end, times[i][1]))
        fail_msg("%s%s: task %zu: %.9f to %.9f, not %.9f to %.9f", tasks, yaml, i + 1, seconds_of(r->start),
                 seconds_of(r->end), times[i][0], times[i][1]);
    }
    end(&b);
    (void)unlink(file);
  }
}
#define TIMES(tasks, yaml, ...) \
  assert_times(tasks, yaml, COUNT(((const double[][2]){__VA_ARGS__})), (const double[][2]){__VA_ARGS__})

/* They end at ends[i] s, and have failed where that has a sign (at -ends[i]). */
static inline void assert_ends(const char *tasks, const char *yaml, size_t count, const double *ends)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    char file[64];
    begin_tasks(&b, file, tasks, yaml, pieces);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      const bool fails = __builtin_signbit(ends[i]);
      if (!is_at(r->end, fails ? -ends[i] : ends[i]) || fails != ((r->flags & HC_TASK_FAILED) != 0))
        fail_msg("%s%s: task %zu ends at %.9f with flags %x, not %.9f", tasks, yaml, i + 1,
                 seconds_of(r->end), (unsigned)r->flags, ends[i]);
    }
    end(&b);
    (void)unlink(file);
  }
}
#define ENDS(tasks, yaml, ...) \
  assert_ends(tasks, yaml, COUNT(((const double[]){__VA_ARGS__})), (const double[]){__VA_ARGS__})

/* Before the run or in it. */
static inline void assert_refused(const char *tasks, const char *yaml, hc_rc expected, const char *text)
{
  bench b;
  char file[64];
  hc_rc rc = try_tasks(&b, file, tasks, yaml);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc >= 0) rc = hc_run_finish(b.run, &b.error);
  if (rc != expected || !strstr(b.error.text, text))
    fail_msg("%s%s: %s %s:%u: %s", tasks, yaml, hc_rc_name(rc), b.error.where, b.error.line, b.error.text);
  end(&b);
  (void)unlink(file);
}

#endif
