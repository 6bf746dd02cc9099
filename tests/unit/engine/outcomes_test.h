/* outcomes_test.h -- when tasks of native workloads run, and how they end, held against what follows by hand:
 * each run in one go, and saved and taken up again after each instant. */
#ifndef HC_OUTCOMES_TEST_H
#define HC_OUTCOMES_TEST_H

#include "engine_test.h"

typedef struct expected {
  int64_t id, start, end;
  hc_final final;
} expected;

/* @param instants 0: in one go; else saved and taken up again after so many */
static inline void assert_run_in(bench *b, const char *yaml, const char *tasks, const expected *all,
                                 size_t count, uint64_t instants)
{
  check(b, try_text(b, yaml, tasks));
  if (instants > 0) finish_in_pieces(b, instants);
  else finish(b);
  assert_int_equal(b->count, count);
  for (size_t i = 0; i < count; i++) {
    const hc_task_record *r = record_of(b, all[i].id);
    if (start_of(b, all[i].id) != all[i].start || end_of(b, all[i].id) != all[i].end ||
        r->final != all[i].final)
      fail_msg("task %" PRId64 ": %" PRId64 " to %" PRId64 ", %s", all[i].id, start_of(b, all[i].id),
               end_of(b, all[i].id), hc_final_name((hc_final)r->final));
  }
}

static inline void assert_run(const char *yaml, const char *tasks, const expected *all, size_t count)
{
  bench b;
  assert_run_in(&b, yaml, tasks, all, count, 0);
  end(&b);
  assert_run_in(&b, yaml, tasks, all, count, 1);
  end(&b);
}

#define RUNS(yaml, tasks, ...) \
  assert_run(yaml, tasks, (const expected[]){__VA_ARGS__}, COUNT(((const expected[]){__VA_ARGS__})))
#define DONE(n, from, to) \
  { \
    n, from, to, HC_FINAL_COMPLETED \
  }

#endif
