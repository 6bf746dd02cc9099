/* test_predictors.c -- what the built-in predictors say, against histories small enough to follow by hand
 * and, for quantiles, against sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/state.h"
#include "policy/history.h"

#define HC_PREDICTOR(name) extern const hc_predictor_type hc_predictor_##name;
#include "policy/predictors.def"
#undef HC_PREDICTOR

#define S(n) ((n)*HC_SECOND)

enum { USER, GROUP, EXECUTABLE, QUEUE, USER_EXECUTABLE, USER_UNITS, USER_LIMIT, CLASS, ALL };

/* As each predictor's options begin. */
typedef struct options {
  hc_history_options head;
  double q;
  int64_t window;
} options;

typedef struct bench {
  const hc_predictor_type *type;
  hc_predictor *self;
  options o;
  int by[4];
} bench;

/* @param by ends in -1 */
static void begin(bench *b, const hc_predictor_type *type, const int *by, int64_t least)
{
  hc_error e = {0};
  size_t n = 0;
  *b = (bench){.type = type, .o = {.head = {.least = least, .factor = 1}, .q = 0.5, .window = 5}};
  for (; by[n] >= 0; n++) b->by[n] = by[n];
  b->o.head.by = (hc_list){.items = b->by, .count = n};
  assert_int_equal(type->init(hc_default_allocator(), &b->o, &b->self, &e), 0);
}

static void end(bench *b)
{
  b->type->fini(b->self);
}

static hc_predictor_task task(int64_t user, int64_t executable, int64_t units)
{
  return (hc_predictor_task){.limit = HC_DAY,
                             .units = units,
                             .user = user,
                             .group = -1,
                             .executable = executable,
                             .queue = -1,
                             .partition = -1};
}

static void learn(bench *b, int64_t user, int64_t executable, int64_t units, hc_time run)
{
  const hc_predictor_task t = task(user, executable, units);
  assert_int_equal(b->type->learn(b->self, &t, run), 0);
}

static hc_time says(const bench *b, int64_t user, int64_t executable, int64_t units)
{
  const hc_predictor_task t = task(user, executable, units);
  return b->type->predict(b->self, &t);
}

static void test_none(void **state)
{
  const hc_predictor_task t = task(1, 1, 1);
  (void)state;
  assert_int_equal(hc_predictor_none.predict(NULL, &t), HC_UNKNOWN);
}

/* One ended task is not enough; of three the last two count, 10 and 21 s: 15.5 s, rounded down as
 * predictsim's int() does. Another user's tasks are another history. */
static void test_last_two(void **state)
{
  bench b;
  (void)state;
  begin(&b, &hc_predictor_last_two, (const int[]){USER, -1}, 2);
  assert_int_equal(says(&b, 7, -1, 1), HC_UNKNOWN);
  learn(&b, 7, -1, 1, S(1000));
  assert_int_equal(says(&b, 7, -1, 1), HC_UNKNOWN);
  learn(&b, 7, -1, 1, S(10));
  assert_int_equal(says(&b, 7, -1, 1), S(505));
  learn(&b, 7, -1, 4, S(21));
  assert_int_equal(says(&b, 7, -1, 1), S(15));
  assert_int_equal(says(&b, 8, -1, 1), HC_UNKNOWN);
  learn(&b, 8, -1, 1, HC_SECOND / 4); /* below a second nothing is rounded: (250 + 500) / 2 ms */
  learn(&b, 8, -1, 1, HC_SECOND / 2);
  assert_int_equal(says(&b, 8, -1, 1), 375 * HC_MS);
  end(&b);
}

/* Two run times near the end of what a time holds: their sum is more than 2^63. */
static void test_long_runs(void **state)
{
  bench b;
  const hc_time longest = HC_NEVER - 1 - (HC_NEVER - 1) % HC_SECOND;
  (void)state;
  begin(&b, &hc_predictor_last_two, (const int[]){USER, -1}, 2);
  learn(&b, 1, -1, 1, longest);
  learn(&b, 1, -1, 1, longest);
  assert_int_equal(says(&b, 1, -1, 1), longest);
  end(&b);
  begin(&b, &hc_predictor_average, (const int[]){USER, -1}, 1);
  for (int i = 0; i < 5; i++) learn(&b, 1, -1, 1, longest);
  assert_int_equal(says(&b, 1, -1, 1), longest);
  b.o.head.factor = 4; /* past what a time holds: no end */
  assert_int_equal(says(&b, 1, -1, 1), HC_NEVER);
  end(&b);
}

/* (1000 + 10 + 21 + 3) / 4 = 258.5 */
static void test_average(void **state)
{
  bench b;
  (void)state;
  begin(&b, &hc_predictor_average, (const int[]){USER, -1}, 1);
  learn(&b, 7, -1, 1, S(1000));
  assert_int_equal(says(&b, 7, -1, 1), S(1000));
  learn(&b, 7, -1, 1, S(10));
  learn(&b, 7, -1, 1, S(21));
  learn(&b, 7, -1, 1, S(3));
  assert_int_equal(says(&b, 7, -1, 1), S(258));
  b.o.head.factor = 2;
  assert_int_equal(says(&b, 7, -1, 1), S(517)); /* the factor comes before the rounding */
  end(&b);
}

static int by_size(const void *a, const void *b)
{
  const hc_time x = *(const hc_time *)a, y = *(const hc_time *)b;
  return x < y ? -1 : x > y;
}

/* The least run time of the last five at or below which lies a share q of them, as sorting finds it. */
static hc_time by_sorting(const hc_time *runs, size_t n, double q)
{
  hc_time last[5];
  const size_t k = n < 5 ? n : 5;
  memcpy(last, runs + n - k, k * sizeof *last);
  qsort(last, k, sizeof *last, by_size);
  for (size_t i = 0; i < k; i++)
    if ((double)(i + 1) >= q * (double)k) return last[i];
  return last[k - 1];
}

static void test_quantile(void **state)
{
  static const double quantiles[] = {0, 0.1, 0.2, 0.5, 0.75, 0.8, 0.99, 1};
  hc_time runs[200];
  bench b;
  uint64_t x = 1;
  (void)state;
  begin(&b, &hc_predictor_quantile, (const int[]){USER, -1}, 1);
  for (size_t n = 0; n < 200; n++) {
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    runs[n] = S((hc_time)(x >> 58)); /* 0 to 63 s: many are equal */
    learn(&b, 3, -1, 1, runs[n]);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
      b.o.q = quantiles[i];
      assert_int_equal(says(&b, 3, -1, 1), by_sorting(runs, n + 1, quantiles[i]));
    }
  }
  end(&b);
}

/* The program of the user first, then the user, then all; a task whose user or program is not known has no
 * such history, and minus one is no user. */
static void test_templates(void **state)
{
  bench b;
  (void)state;
  begin(&b, &hc_predictor_average, (const int[]){USER_EXECUTABLE, USER, ALL, -1}, 2);
  learn(&b, 1, 10, 1, S(100));
  assert_int_equal(says(&b, 1, 10, 1), HC_UNKNOWN); /* each has seen one */
  learn(&b, 1, 10, 1, S(200));
  learn(&b, 1, 11, 1, S(600));
  learn(&b, 2, 10, 1, S(60));
  assert_int_equal(says(&b, 1, 10, 1), S(150)); /* (100 + 200) / 2 */
  assert_int_equal(says(&b, 1, 11, 1), S(300)); /* one of that program: by user (100 + 200 + 600) / 3 */
  assert_int_equal(says(&b, 1, -1, 1), S(300)); /* no program is known */
  assert_int_equal(says(&b, 2, 10, 1), S(240)); /* one of that user: all, 960 / 4 */
  assert_int_equal(says(&b, -1, -1, 1), S(240));
  learn(&b, -1, -1, 1, S(40));
  learn(&b, -1, -1, 1, S(40));
  assert_int_equal(says(&b, -1, -1, 1), S(173)); /* not by a user of -1: 1040 / 6 */
  end(&b);
}

/* Equal numbers in different templates, or in different places, are different histories. */
static void test_keys(void **state)
{
  bench b;
  (void)state;
  begin(&b, &hc_predictor_average, (const int[]){CLASS, USER_UNITS, EXECUTABLE, -1}, 1);
  learn(&b, 5, 6, 7, S(10));
  assert_int_equal(says(&b, 5, 6, 7), S(10)); /* class */
  assert_int_equal(says(&b, 6, 5, 7), HC_UNKNOWN);
  assert_int_equal(says(&b, 5, 9, 7), S(10)); /* user and width */
  assert_int_equal(says(&b, 5, 9, 8), HC_UNKNOWN);
  assert_int_equal(says(&b, 4, 6, 8), S(10)); /* program */
  assert_int_equal(says(&b, 4, 5, 7), HC_UNKNOWN);
  end(&b);
}

static void test_twice(void **state)
{
  hc_error e = {0};
  int by[] = {USER, ALL, USER};
  options o = {.head = {.by = {.items = by, .count = 3}, .least = 1, .factor = 1}};
  hc_predictor *self;
  (void)state;
  assert_int_equal(hc_predictor_average.init(hc_default_allocator(), &o, &self, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "names a template twice"));
}

/* 2^20 users have histories; three more have none, which the note says, and no others are lost by it. */
static void test_bound(void **state)
{
  const int64_t most = (int64_t)1 << 20;
  hc_buffer text;
  bench b;
  (void)state;
  begin(&b, &hc_predictor_last_two, (const int[]){USER, -1}, 2);
  hc_buffer_init(&text, hc_default_allocator());
  for (int64_t user = 0; user < most + 3; user++) learn(&b, user, -1, 1, S(user % 1000));
  assert_int_equal(b.type->note(b.self, &text), 0);
  assert_non_null(
      strstr(text.data, "3 tasks that ended found no room for a history of theirs: 1048576 are kept"));
  learn(&b, most - 1, -1, 1, S(575));
  learn(&b, most, -1, 1, S(576));
  assert_int_equal(says(&b, most - 1, -1, 1), S(575)); /* (2^20 - 1) mod 1000 = 575 */
  assert_int_equal(says(&b, most, -1, 1), HC_UNKNOWN);
  hc_buffer_fini(&text);
  end(&b);
}

/* Saved, taken up in another one, and carried on: as if it had never been put aside. */
static void test_state(void **state)
{
  const hc_predictor_type *types[] = {&hc_predictor_last_two, &hc_predictor_average, &hc_predictor_quantile};
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    bench one, two;
    hc_buffer buffer;
    begin(&one, types[k], (const int[]){USER_EXECUTABLE, USER, -1}, 1);
    begin(&two, types[k], (const int[]){USER_EXECUTABLE, USER, -1}, 1);
    for (int64_t i = 0; i < 300; i++) learn(&one, i % 17, i % 5, 1, S(i * i % 97));
    learn(&two, 99, 99, 1, S(1)); /* what it has is forgotten */
    hc_buffer_init(&buffer, hc_default_allocator());
    hc_visitor v = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &buffer};
    assert_int_equal(one.type->visit(one.self, &v), 0);
    v = (hc_visitor){.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)buffer.data,
                     .left = buffer.size};
    assert_int_equal(two.type->visit(two.self, &v), 0);
    assert_int_equal(v.left, 0);
    assert_int_equal(says(&two, 99, 99, 1), HC_UNKNOWN);
    for (int64_t i = 0; i < 60; i++) {
      learn(&one, i % 19, i % 5, 1, S(i));
      learn(&two, i % 19, i % 5, 1, S(i));
    }
    for (int64_t i = 0; i < 100; i++)
      assert_int_equal(says(&one, i % 19, i % 7, 1), says(&two, i % 19, i % 7, 1));
    hc_buffer_fini(&buffer);
    end(&one);
    end(&two);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_none),    cmocka_unit_test(test_last_two), cmocka_unit_test(test_long_runs),
      cmocka_unit_test(test_average), cmocka_unit_test(test_quantile), cmocka_unit_test(test_templates),
      cmocka_unit_test(test_keys),    cmocka_unit_test(test_twice),    cmocka_unit_test(test_bound),
      cmocka_unit_test(test_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
