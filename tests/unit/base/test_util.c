/* test_util.c -- the macros that the whole house uses: HC_MIN and HC_MAX are the lesser and the greater, in
 * the type that arithmetic would give, and evaluate what they are given once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/util.h"

static int calls;

static int counted(int x)
{
  calls++;
  return x;
}

/* With (a) < (b) ? (a) : (b) the one that is returned is evaluated twice. */
static void arguments_are_evaluated_once(void **state)
{
  HC_UNUSED(state);
  calls = 0;
  assert_int_equal(HC_MIN(counted(3), 5), 3);
  assert_int_equal(HC_MIN(5, counted(3)), 3);
  assert_int_equal(HC_MAX(counted(7), 5), 7);
  assert_int_equal(HC_MAX(5, counted(7)), 7);
  assert_int_equal(calls, 4);
  assert_int_equal(HC_MIN(HC_MAX(counted(1), counted(2)), counted(9)), 2);
  assert_int_equal(calls, 7);
}

/* A bound on what is drawn holds, and each draw takes one number of the stream. */
static void a_bounded_draw_stays_within(void **state)
{
  hc_draws d = {1, 0, 0, HC_PURPOSE_TEST, 0}, same = d;
  HC_UNUSED(state);
  for (int i = 0; i < 1000; i++) {
    const double x = hc_random_unit(&same), y = HC_MIN(hc_random_unit(&d), 0.5);
    assert_true(y <= 0.5 && y == (x < 0.5 ? x : 0.5));
  }
  assert_true(d.draw == same.draw && d.draw == 1000);
}

#define TYPE_OF(x) \
  _Generic((x), int : 1, unsigned : 2, long : 3, unsigned long : 4, double : 5, long double : 6, default : 0)

/* As C converts the operands of a sum: the lesser and the greater of two numbers is a number of that type. */
static void the_type_is_that_of_the_sum(void **state)
{
  const uint8_t byte = 200;
  HC_UNUSED(state);
  assert_int_equal(TYPE_OF(HC_MIN(byte, byte)), 1);
  assert_int_equal(TYPE_OF(HC_MIN(byte, UINT32_C(7))), 2);
  assert_int_equal(TYPE_OF(HC_MAX(INT64_C(1), 2)), 3);
  assert_int_equal(TYPE_OF(HC_MAX((size_t)1, byte)), 4);
  assert_int_equal(TYPE_OF(HC_MAX(1, 0.5)), 5);
  assert_int_equal(TYPE_OF(HC_MAX(1.0L, 0.5)), 6);
}

static void values_at_the_edges(void **state)
{
  HC_UNUSED(state);
  assert_true(HC_MIN(INT64_MIN, 0) == INT64_MIN && HC_MAX(INT64_MIN, 0) == 0);
  assert_true(HC_MAX(UINT64_MAX, 1u) == UINT64_MAX && HC_MIN(UINT64_MAX, 1u) == 1);
  assert_true(HC_MIN(-3, -2.5) == -3.0 && HC_MAX(-3, -2.5) == -2.5);
  assert_true(HC_MIN(2, 2) == 2 && HC_MAX(2, 2) == 2);
  assert_true(HC_MIN(1.0L, 2) == 1.0L && HC_MAX(1.0L, 2) == 2.0L);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_are_evaluated_once),
      cmocka_unit_test(a_bounded_draw_stays_within),
      cmocka_unit_test(the_type_is_that_of_the_sum),
      cmocka_unit_test(values_at_the_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
