/* starts_test.h -- tasks as a small table, and when each of them starts. */
#ifndef HC_STARTS_TEST_H
#define HC_STARTS_TEST_H

#include "../engine/engine_test.h"
#include "hindcast/run.h"

/* Tasks are numbered from 1. */
static inline void assert_text_starts(const char *yaml, const char *tasks, const int64_t *starts,
                                      size_t count)
{
  bench b;
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  assert_int_equal(b.count, count);
  for (size_t i = 0; i < count; i++)
    if (start_of(&b, (int64_t)i + 1) != starts[i])
      fail_msg("%s\ntask %zu starts at %" PRId64 ", should at %" PRId64, yaml, i + 1,
               start_of(&b, (int64_t)i + 1), starts[i]);
  end(&b);
}
#define STARTS(yaml, tasks, ...) \
  assert_text_starts(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

#endif
