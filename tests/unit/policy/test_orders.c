/* test_orders.c -- the keys of the built-in orders: who goes first, and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy/fairshare.h"

#define HC_ORDER(name) extern const hc_order_type hc_order_##name;
#include "policy/orders.def"
#undef HC_ORDER

#define HOURS(n) ((n)*HC_HOUR)

/* At noon: a small task that waited long, a large one that came just now. */
static const hc_order_input small = {.serial = 1,
                                     .units = 2,
                                     .procs = 2,
                                     .user = 7,
                                     .priority = 5,
                                     .submitted = HOURS(2),
                                     .estimate = HOURS(5),
                                     .now = HOURS(12)};
static const hc_order_input large = {.serial = 2,
                                     .units = 64,
                                     .procs = 64,
                                     .user = 3,
                                     .priority = 9,
                                     .submitted = HOURS(11),
                                     .estimate = HOURS(1),
                                     .now = HOURS(12)};

static bool goes_first(const hc_order_type *order, const hc_order_input *a, const hc_order_input *b)
{
  return order->key(NULL, a) < order->key(NULL, b);
}

static void sorts_by_one_property(void **state)
{
  (void)state;
  assert_true(goes_first(&hc_order_fcfs, &small, &large)); /* came at 2, not at 11 */
  assert_true(goes_first(&hc_order_sjf, &large, &small));  /* 1 h before 5 h */
  assert_true(goes_first(&hc_order_ljf, &small, &large));
  assert_true(goes_first(&hc_order_smallest, &small, &large)); /* 2 before 64 processors */
  assert_true(goes_first(&hc_order_largest, &large, &small));
  assert_true(goes_first(&hc_order_priority, &large, &small)); /* 9 before 5: higher first */
  assert_int_equal(hc_order_fcfs.key(NULL, &small), HOURS(2));
  assert_int_equal(hc_order_priority.key(NULL, &large), -9);
}

static void treats_a_missing_estimate_as_endless(void **state)
{
  (void)state;
  hc_order_input endless = large;
  endless.estimate = HC_NEVER;
  assert_true(goes_first(&hc_order_sjf, &small, &endless));
  assert_true(goes_first(&hc_order_ljf, &endless, &small));
  assert_true(goes_first(&hc_order_smallest_area, &small, &endless));
  assert_true(goes_first(&hc_order_largest_area, &endless, &small));
  assert_true(goes_first(&hc_order_lxf, &small, &endless)); /* its expansion factor is 1 */
  hc_order_input fresh = small; /* has not waited: a factor of 1, too, but a number */
  fresh.now = fresh.submitted;
  assert_true(goes_first(&hc_order_lxf, &fresh, &endless));
  hc_order_input other =
      endless; /* 0 for both: neither the wait nor the size of a task counts without an estimate */
  other.units = 1, other.now += HOURS(1);
  assert_int_equal(hc_order_wfp3.key(NULL, &endless), hc_order_wfp3.key(NULL, &other));
}

/* 100,000 processors x 10 days is 8.6e19 processor-ns: more than 64 bits, and still not the same as a
 * second more. */
static void areas_do_not_overflow(void **state)
{
  (void)state;
  hc_order_input a = {.units = 100000, .estimate = 10 * HC_DAY}, b = a, c = a;
  const int64_t exact = INT64_C(1) << 62;
  b.estimate += HC_SECOND;
  c.units = INT64_MAX;
  assert_true(goes_first(&hc_order_smallest_area, &a, &b));
  assert_true(goes_first(&hc_order_largest_area, &b, &a));
  assert_true(goes_first(&hc_order_smallest_area, &b, &c)); /* saturated */
  assert_true(goes_first(&hc_order_smallest_area, &large, &a));
  assert_int_equal(hc_order_smallest_area.key(NULL, &(hc_order_input){.units = 3, .estimate = 5}),
                   15); /* exact */
  assert_int_equal(hc_order_smallest_area.key(NULL, &(hc_order_input){.units = 1, .estimate = exact - 1}),
                   exact - 1);
  assert_int_equal(hc_order_smallest_area.key(NULL, &(hc_order_input){.units = 1, .estimate = exact}), exact);
  assert_int_equal(hc_order_smallest_area.key(NULL, &(hc_order_input){.units = 2, .estimate = exact}),
                   exact + (exact >> 20)); /* in steps of 2^20 beyond */
}

static void varies_where_it_says(void **state)
{
  (void)state;
  assert_int_equal(hc_order_fcfs.flags(NULL), HC_BY_SUBMISSION);
  assert_int_equal(hc_order_sjf.flags(NULL), HC_NEEDS_ESTIMATE);
  assert_int_equal(hc_order_lxf.flags(NULL), HC_VARIES | HC_NEEDS_ESTIMATE);
  assert_int_equal(hc_order_wfp3.flags(NULL), HC_VARIES | HC_NEEDS_ESTIMATE);
  assert_int_equal(hc_order_unicep.flags(NULL), HC_VARIES | HC_NEEDS_ESTIMATE);
}

/* small: waited 10 h of 5 h asked; large: waited 1 h of 1 h asked. */
static void weighs_waiting(void **state)
{
  (void)state;
  hc_order_input one = small, fresh = small;
  assert_int_equal(hc_order_lxf.key(NULL, &small), hc_key_of_real(-3.0));          /* (10 + 5) / 5 */
  assert_int_equal(hc_order_lxf.key(NULL, &large), hc_key_of_real(-2.0));          /* (1 + 1) / 1 */
  assert_int_equal(hc_order_wfp3.key(NULL, &small), hc_key_of_real(-16.0));        /* (10 / 5)^3 x 2 */
  assert_int_equal(hc_order_wfp3.key(NULL, &large), hc_key_of_real(-64.0));        /* (1 / 1)^3 x 64 */
  assert_int_equal(hc_order_unicep.key(NULL, &small), hc_key_of_real(-2.0));       /* 10 / (1 x 5) */
  assert_int_equal(hc_order_unicep.key(NULL, &large), hc_key_of_real(-1.0 / 6.0)); /* 1 / (6 x 1) */
  one.units = 1;
  one.procs = 1;
  assert_true(goes_first(&hc_order_unicep, &one, &small)); /* log2(1) = 0: before every other */
  fresh.submitted = fresh.now;
  assert_true(goes_first(&hc_order_unicep, &large, &fresh)); /* who has not waited is last */
}

static void draws_by_serial(void **state)
{
  (void)state;
  hc_order_input a = small, b = small;
  b.now += 5;
  assert_int_equal(hc_order_random.key(NULL, &a),
                   hc_order_random.key(NULL, &b)); /* time does not change it */
  assert_true(hc_order_random.key(NULL, &a) >= 0);
  b.serial++;
  assert_true(hc_order_random.key(NULL, &a) != hc_order_random.key(NULL, &b));
  b = a;
  b.seed++;
  assert_true(hc_order_random.key(NULL, &a) != hc_order_random.key(NULL, &b));
  b = a;
  b.replication++;
  assert_true(hc_order_random.key(NULL, &a) != hc_order_random.key(NULL, &b));
}

/* ---- expr; its options are a text, a bool and those of fairshare, as its table of parameters says ---- */

typedef struct expr_options {
  const char *key;
  bool descending;
  hc_fairshare_options share;
} expr_options;

static int64_t key_by(const char *formula, bool descending, const hc_order_input *in)
{
  expr_options o = {.key = formula, .descending = descending};
  hc_policy_context c = {.allocator = hc_default_allocator()};
  hc_error e = {0};
  hc_policy *self;
  int64_t key;
  assert_int_equal(hc_order_expr.component.options_size, sizeof o);
  assert_int_equal(hc_order_expr.init(&c, &o, &self, &e), 0);
  key = hc_order_expr.key(self, in);
  hc_order_expr.fini(self);
  return key;
}

static void reads_formulas(void **state)
{
  (void)state;
  assert_int_equal(key_by("wait", false, &small), hc_key_of_real(36000)); /* seconds */
  assert_int_equal(key_by("estimate", false, &small), hc_key_of_real(18000));
  assert_int_equal(key_by("request", false, &small), hc_key_of_real(18000)); /* the other name */
  assert_int_equal(key_by("procs", false, &large), hc_key_of_real(64));
  assert_int_equal(key_by("submit", false, &large), hc_key_of_real(39600));
  assert_int_equal(key_by("priority * 100 + user * 10 + serial", false, &large), hc_key_of_real(932));
  assert_int_equal(key_by("now - submit - wait", false, &large), hc_key_of_real(0));
  assert_int_equal(key_by("-(wait / request)^3 * procs", false, &small), hc_order_wfp3.key(NULL, &small));
  assert_int_equal(key_by("procs", true, &large), hc_key_of_real(-64));
  hc_order_input known = large;
  known.group = 2, known.queue = 3, known.partition = 4, known.executable = 5, known.job = 6;
  known.eligible = known.now - 10 * HC_SECOND;
  assert_int_equal(key_by("account * 1000 + qos * 100 + partition * 10 + executable", false, &known),
                   hc_key_of_real(2345));
  assert_int_equal(key_by("job * 10 + job_name", false, &known), hc_key_of_real(65));
  assert_int_equal(key_by("age", false, &known), hc_key_of_real(10));
  assert_int_equal(key_by("now - eligible", false, &known), hc_key_of_real(10));
  assert_int_equal(key_by("0 / (procs - procs)", true, &large), INT64_MAX); /* no number: last either way */
}

static void knows_what_a_formula_needs(void **state)
{
  (void)state;
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "procs * 2"}), 0);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "wait"}), HC_VARIES);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "now"}), HC_VARIES);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "age"}), HC_VARIES);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "eligible + partition"}), 0);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "fairshare"}), HC_VARIES | HC_FOLLOWS_TASKS);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "estimate"}), HC_NEEDS_ESTIMATE);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "wait / request"}),
                   HC_VARIES | HC_NEEDS_ESTIMATE);
  assert_int_equal(hc_order_expr.flags(&(expr_options){.key = "wait /"}), 0); /* init will say why */
}

static void refuses_bad_formulas(void **state)
{
  (void)state;
  hc_policy_context c = {.allocator = hc_default_allocator()};
  hc_error e = {0};
  hc_policy *self = NULL;
  assert_int_equal(hc_order_expr.init(&c, &(expr_options){.key = NULL}, &self, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "formula"));
  e = (hc_error){0};
  assert_int_equal(hc_order_expr.init(&c, &(expr_options){.key = "proccs + 1"}, &self, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "procs")); /* the nearest name */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorts_by_one_property), cmocka_unit_test(treats_a_missing_estimate_as_endless),
      cmocka_unit_test(areas_do_not_overflow), cmocka_unit_test(varies_where_it_says),
      cmocka_unit_test(weighs_waiting),        cmocka_unit_test(draws_by_serial),
      cmocka_unit_test(reads_formulas),        cmocka_unit_test(knows_what_a_formula_needs),
      cmocka_unit_test(refuses_bad_formulas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
