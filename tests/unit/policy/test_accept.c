/* test_accept.c -- what users say to offers: the rule by hand, and its probability. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "hindcast/hindcast.h"
#include "policy/packing.h"

extern const hc_accept_type hc_accept_refusal;

/* The options of `refusal`, as its own file has them. */
typedef struct options {
  int metric, fresh, whose, rule;
  int64_t at_first, window, better, in_a_row, relaxed;
  double absolute, relative, adapt;
  hc_time age;
  hc_list dimensions;
  hc_list never_users, never_groups;
  const char *never;
  bool by_user;
} options;
#define BY_USER .whose = 1

static const uint8_t which[] = {HC_DIM_CPU, HC_DIM_MEMORY};
static const int64_t need[] = {1, 1}, cell[] = {100, 100};

static hc_policy *make(const options *o)
{
  const hc_policy_context c = {.allocator = hc_default_allocator()};
  hc_policy *p = NULL;
  hc_error e = {0};
  if (hc_accept_refusal.init(&c, o, &p, &e) < 0) fail_msg("%s", e.text);
  return p;
}

static hc_offer offer_of(const int64_t *free, hc_time now)
{
  return (hc_offer){
      .dimensions = 2, .now = now, .which = which, .need = need, .free = free, .capacity = cell};
}

static bool ask(hc_policy *p, int64_t x, int64_t y, hc_time now)
{
  const int64_t free[] = {x, y};
  const hc_offer o = offer_of(free, now);
  return hc_accept_refusal.accepts(p, &o);
}

static void note(hc_policy *p, int64_t x, int64_t y, hc_time now, bool started)
{
  const int64_t free[] = {x, y};
  const hc_offer o = offer_of(free, now);
  assert_int_equal(hc_accept_refusal.noted(p, &o, started), 0);
}

/* Of (3, 4) and (4, 3): cos = 24 / 25, lengths equal. Of (1, 1) and (3, 4): cos = 7 / (5 sqrt 2) = 0.98995,
 * lengths 1.41421 and 5, so (1 - cos) 5 / 1.41421 = 0.0355339 = 2.5 (sqrt 2 - 1.4). Product 7. d / d_1 = (1,
 * 1), f / f_1 = (1, 4/3): apart by 1/3. */
static void test_measures(void **state)
{
  const double d[] = {1, 1}, f[] = {3, 4}, g[] = {4, 3}, nothing[] = {0, 0}, cores[] = {2, 0};
  const double root = hc_sqrt(2), cosine = 7 / (5 * root);
  (void)state;
  assert_true(hc_packing_of(HC_PACK_ANGLE, 2, f, g) > 0.04 - 1e-15 &&
              hc_packing_of(HC_PACK_ANGLE, 2, f, g) < 0.04 + 1e-15);
  assert_true(hc_packing_of(HC_PACK_ANGLE_LENGTH, 2, f, g) == hc_packing_of(HC_PACK_ANGLE, 2, f, g));
  assert_true(hc_packing_of(HC_PACK_ANGLE_LENGTH, 2, d, f) - 2.5 * (root - 1.4) < 1e-14);
  assert_true(2.5 * (root - 1.4) - hc_packing_of(HC_PACK_ANGLE_LENGTH, 2, d, f) < 1e-14);
  assert_true(hc_packing_of(HC_PACK_COSINE, 2, d, f) - 1 / cosine < 1e-14);
  assert_true(1 / cosine - hc_packing_of(HC_PACK_COSINE, 2, d, f) < 1e-14);
  assert_true(hc_packing_of(HC_PACK_DOT, 2, d, f) == 1.0 / 7);
  assert_true(hc_packing_of(HC_PACK_DRFH, 2, d, f) == 4.0 / 3 - 1);
  /* The ends: a need of nothing goes with everything, and a full host with nothing. */
  for (int m = HC_PACK_ANGLE; m <= HC_PACK_DRFH; m++) {
    assert_true(m == HC_PACK_DOT || hc_packing_of((hc_packing)m, 2, nothing, f) == 0);
    assert_true(hc_packing_of((hc_packing)m, 2, d, nothing) == __builtin_inf());
  }
  assert_true(hc_packing_of(HC_PACK_DRFH, 2, cores, d) == 1); /* (1, 0) and (1, 1) */
}

/* k = 1: one better offer among those remembered does not hinder, two do. A task (1, 1) is best on the
 * diagonal. */
static void test_at_most_k_better(void **state)
{
  const options o = {BY_USER,     .metric = HC_PACK_ANGLE, .window = 3,
                     .better = 1, .relative = 1,           .age = HC_NEVER};
  hc_policy *p = make(&o);
  (void)state;
  assert_true(ask(p, 10, 2, 0)); /* nothing is remembered */
  note(p, 10, 9, 0, true);
  assert_true(ask(p, 10, 2, 1)); /* one is better */
  note(p, 10, 8, 1, true);
  assert_false(ask(p, 10, 2, 2)); /* two are */
  assert_true(ask(p, 10, 8, 2));  /* only the first is: equal is not better */
  note(p, 10, 2, 2, false);
  note(p, 10, 2, 3, false); /* the window holds 3: (10, 9) is forgotten */
  assert_true(ask(p, 10, 2, 4));
  hc_accept_refusal.fini(p);
}

/* 1 - cos of (1, 1): with (10, 9) 0.001385, with (10, 5) 0.051317, with (10, 4) 0.080849, with (10, 2)
 * 0.167950. So (10,
 * 9) is better than (10, 5) by 0.04993, which A = 0.05 does not let count, and than (10, 4) by 0.0795, which
 *    it does; (10,
 * 5) is better than (10, 2) by 0.117, a factor of 3.27, and than (10, 4) by a factor of 1.575. */
static void test_tolerances(void **state)
{
  const options absolute = {BY_USER,          .metric = HC_PACK_ANGLE, .window = 3,
                            .absolute = 0.05, .relative = 1,           .age = HC_NEVER};
  const options relative = {BY_USER, .metric = HC_PACK_ANGLE, .window = 3, .relative = 1.6, .age = HC_NEVER};
  hc_policy *p = make(&absolute);
  (void)state;
  note(p, 10, 9, 0, true);
  assert_true(ask(p, 10, 5, 1));
  assert_false(ask(p, 10, 4, 1));
  hc_accept_refusal.fini(p);
  p = make(&relative);
  note(p, 10, 5, 0, true);
  assert_true(ask(p, 10, 4, 1));
  assert_false(ask(p, 10, 2, 1));
  hc_accept_refusal.fini(p);
}

/* s = 2: the first two are refused whatever they are. After three refusals in a row the next is taken. Offers
 * older than 10 s do not count, nor such as would not have held the task; both count towards s. */
static void test_the_rest_of_the_rule(void **state)
{
  const options first = {BY_USER, .window = 5, .at_first = 2, .relative = 1, .age = HC_NEVER};
  const options row = {BY_USER, .window = 9, .in_a_row = 3, .relative = 1, .age = HC_NEVER};
  const options age = {BY_USER, .window = 5, .relative = 1, .age = 10 * HC_SECOND};
  hc_policy *p = make(&first);
  (void)state;
  assert_false(ask(p, 9, 9, 0));
  note(p, 9, 9, 0, false);
  assert_false(ask(p, 9, 9, 1));
  note(p, 0, 9, 1, false); /* holds no such task, but is one of two */
  assert_true(ask(p, 9, 9, 2));
  hc_accept_refusal.forget(p, 0);
  assert_true(ask(p, 9, 9, 2)); /* `fresh` is never here: nothing was forgotten */
  hc_accept_refusal.fini(p);
  p = make(&row);
  note(p, 9, 9, 0, true);
  for (int i = 0; i < 3; i++) {
    assert_false(ask(p, 9, 1, 1));
    note(p, 9, 1, 1, false);
  }
  assert_true(ask(p, 9, 1, 1));
  note(p, 9, 1, 1, true);
  assert_false(ask(p, 9, 1, 1));
  hc_accept_refusal.fini(p);
  p = make(&age);
  note(p, 9, 9, 0, true);
  assert_false(ask(p, 9, 1, 10 * HC_SECOND));
  assert_true(ask(p, 9, 1, 10 * HC_SECOND + 1));
  hc_accept_refusal.fini(p);
}

/* Of n offers remembered and one more, alike and independent, each is as likely to be the best as any: the
 * last is among the k + 1 best with probability (k + 1) / (n + 1) = 4 / 16. Every 16th offer is asked about,
 * so that answers are independent: 4,000 of them have a deviation of sqrt(1/4 x 3/4 / 4000) = 0.0068, and
 * four of those are allowed. */
static void test_probability(void **state)
{
  const options o = {BY_USER,        .metric = HC_PACK_ANGLE_LENGTH, .window = 15, .better = 3, .relative = 1,
                     .age = HC_NEVER};
  hc_policy *p = make(&o);
  hc_draws draws = {.seed = 7, .purpose = HC_PURPOSE_TEST};
  const int blocks = 4000;
  int taken = 0;
  (void)state;
  for (int i = 0; i < 16 * blocks; i++) {
    const int64_t x = 1 + (int64_t)hc_random_below(&draws, 1000000),
                  y = 1 + (int64_t)hc_random_below(&draws, 1000000);
    if (i % 16 == 15) taken += ask(p, x, y, i);
    else note(p, x, y, i, false);
  }
  if (taken < blocks / 4 - 4 * 27 || taken > blocks / 4 + 4 * 27)
    fail_msg("%d of %d were taken", taken, blocks);
  hc_accept_refusal.fini(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_measures),    cmocka_unit_test(test_at_most_k_better),
      cmocka_unit_test(test_tolerances),  cmocka_unit_test(test_the_rest_of_the_rule),
      cmocka_unit_test(test_probability),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
