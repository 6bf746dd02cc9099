/* test_irmasim.c -- the closed world `irmasim`: numbers and draws as Python has them, a case worked by
 * hand, a run in pieces, scarce memory. What IRMaSim itself writes is compared by oracles/test_irmasim.c. */
#include "../omega/world_test.h"

#include "base/math.h"
#include "base/util.h"
#include "irmasim/irmasim.h"

/* ---- Python ---- */

/* CPython 3.11: random.seed(n), then random.random(), random.shuffle(list(range(m))), random.randint(1,
 * 7). */
static void test_draws(void **state)
{
  static const uint32_t ten[] = {1, 0, 9, 5, 6, 2, 3, 7, 8, 4}, eleven[] = {6, 8, 1, 5, 9, 4, 3, 10, 0, 2, 7};
  static const uint32_t sevens[] = {5, 2, 3, 2, 7, 1, 5, 7};
  hc_irm_random r;
  uint32_t items[11];
  (void)state;
  hc_irm_seed(&r, 0);
  assert_true(hc_irm_unit(&r) == 0.8444218515250481);
  assert_true(hc_irm_unit(&r) == 0.7579544029403025);
  assert_true(hc_irm_unit(&r) == 0.420571580830845);
  for (uint32_t i = 0; i < 10; i++) items[i] = i;
  hc_irm_shuffle(&r, items, 10);
  assert_memory_equal(items, ten, sizeof ten);
  for (size_t i = 0; i < 8; i++) assert_int_equal(1 + hc_irm_below(&r, 7), sevens[i]);
  hc_irm_seed(&r, UINT32_MAX);
  assert_true(hc_irm_unit(&r) == 0.6353574441341173);
  hc_irm_seed(&r, 1995);
  for (uint32_t i = 0; i < 11; i++) items[i] = i;
  hc_irm_shuffle(&r, items, 11);
  assert_memory_equal(items, eleven, sizeof eleven);
  assert_true(hc_irm_unit(&r) == 0.939731122146258);
}

/* str(x) */
static void test_texts(void **state)
{
  static const struct {
    hc_irm_number x;
    const char *text;
  } cases[] = {{{0, true}, "0"},
               {{0, false}, "0.0"},
               {{-0.0, false}, "-0.0"},
               {{1, true}, "1"},
               {{1, false}, "1.0"},
               {{9007199254740992, true}, "9007199254740992"},
               {{-9007199254740992, true}, "-9007199254740992"},
               {{36893488147419103232.0, true}, "36893488147419103232"},
               {{1e-5, false}, "1e-05"},
               {{1e-4, false}, "0.0001"},
               {{2.5e-7, false}, "2.5e-07"},
               {{0.1, false}, "0.1"},
               {{-12345.678, false}, "-12345.678"},
               {{1e15, false}, "1000000000000000.0"},
               {{9999999999999998, false}, "9999999999999998.0"},
               {{1e16, false}, "1e+16"},
               {{1.2345678901234568e17, false}, "1.2345678901234568e+17"},
               {{5e-324, false}, "5e-324"},
               {{1.7976931348623157e308, false}, "1.7976931348623157e+308"},
               {{__builtin_inf(), false}, "inf"},
               {{-__builtin_inf(), false}, "-inf"},
               {{__builtin_nan(""), false}, "nan"}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[40];
    (void)hc_irm_write(cases[i].x, text);
    assert_string_equal(text, cases[i].text);
  }
}

/* The fewest digits that read back: as hc_format_real finds them, over all sizes of numbers that are written
 * exactly, and beyond. */
static void test_digits(void **state)
{
  hc_draws s = {.seed = 9};
  (void)state;
  for (int i = 0; i < 300000; i++) {
    static const double sizes[] = {1e-6, 1e-4, 1e-3, 0.1, 1, 60, 1e4, 1e9, 1e13, 1e15, 1e16, 1e20};
    char text[40], want[40], *to = want;
    double x = hc_random_unit(&s) * sizes[i % 12], back;
    if (i % 5 == 0) x = (double)(int64_t)(x * 1000) / 1000; /* few digits */
    if (i % 7 == 0 && x > 0) x = 1 / x;
    const size_t n = (size_t)(hc_irm_write(hc_irm_real(x), text) - text);
    assert_int_equal(hc_parse_real(text, n, &back), 0);
    if (back != x) fail_msg("%.17g is written as %s", x, text);
    if (x < 1e-4 || x >= 1e15) continue;
    to += hc_format_real(x, want);
    *to = '\0';
    if (!strchr(want, '.')) (void)strcpy(to, ".0");
    assert_string_equal(text, want);
  }
}

/* round(x, 9): near a tie the exact value of the double decides, which is below or above what it was
 * written as. */
static void test_rounding(void **state)
{
  static const double cases[][2] = {{0.7071067811865476, 0.707106781},
                                    {5e-10, 1e-09},
                                    {1.5e-09, 1e-09},
                                    {2.5e-09, 3e-09},
                                    {0.1234567895, 0.123456789},
                                    {0.1234567885, 0.123456788},
                                    {0.3333333335, 0.333333333},
                                    {0.1923076925, 0.192307692},
                                    {1, 1},
                                    {0, 0}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++)
    if (hc_irm_round9(cases[i][0]) != cases[i][1]) fail_msg("round(%.17g, 9)", cases[i][0]);
  assert_true(hc_irm_round(0.5) == 0 && hc_irm_round(1.5) == 2 && hc_irm_round(2.5) == 2);
  assert_true(hc_irm_round(-1.5) == -2 && hc_irm_round(1e12 + 0.4999) == 1e12);
}

static void test_reading(void **state)
{
  hc_irm_number x;
  (void)state;
  assert_true(hc_irm_read("12", 2, &x) && x.value == 12 && x.is_whole);
  assert_true(hc_irm_read("-12", 3, &x) && x.value == -12 && x.is_whole);
  assert_true(hc_irm_read("12.0", 4, &x) && x.value == 12 && !x.is_whole);
  assert_true(hc_irm_read("1e3", 3, &x) && x.value == 1000 && !x.is_whole);
  assert_false(hc_irm_read("9007199254740993", 16, &x) && x.value > 9007199254740992.0);
  assert_false(hc_irm_read("99007199254740993", 17, &x));
  assert_false(hc_irm_read("", 0, &x) || hc_irm_read("a", 1, &x) || hc_irm_read("-", 1, &x));
}

/* ---- by hand ---- */

static void write_file(const char *name, const char *text)
{
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

#define FILES "use: irmasim, platform: irmasim_unit.json, platform_name: p, workload: irmasim_unit.csv"

/* Two cores of 10^9 operations a second, on which 10^9 and 2 x 10^9 operations ask for y = 600 each:
 *   n = 1, k = 0.6, z = (600 - 0) / (2000 - 800) = 1/2, s = 1 - 1/8 (3/2 - 15/2 + 10) = 1/2
 *   d = 1/2 x 0.6/1.6 + 1/1.6 = 0.8125; it is reached at (0.8125 - 1 - 1) / -0.001 = 1187.5, and x is 1200.
 * So the first ends at 1 / 0.8125 = 16/13 s, and the other, then alone, 1 s later. Power: both cores
 * 2 x 6 + 8, then 6 + 8. With y = 550 memory is not used up: 1 - 0.001 x 100 = 0.9. */
static void test_contention(void **state)
{
  (void)state;
  write_file(
      "irmasim_unit.json",
      "{\"platform\": {\"p\": {\"id\": \"p\", \"model_name\": \"modelV1\", \"clusters\": [{\"nodes\": "
      "[{\"type\": \"n\"}]}]}}, \"node\": {\"n\": {\"processors\": [{\"type\": \"x\"}]}}, \"processor\": "
      "{\"x\": {\"cores\": 2, \"clock_rate\": 1, \"dpflops_per_cycle\": 1, \"static_power\": 8, "
      "\"dynamic_power\": 6, \"min_power\": 0.1, \"b\": -0.001, \"c\": 1000, \"da\": 1, \"db\": 0, \"dc\": "
      "2000, \"dd\": 800}}}");
  write_file("irmasim_unit.csv",
             "subtime,res,req_time,req_ops,mem_vol\n0,1,1,1000000000,600\n0,1,2,2000000000,1200\n");
  world w = run("world: {" FILES "}");
  near(figure(&w, "makespan"), 16.0 / 13 + 1);
  near(figure(&w, "energy"), 20 * 16.0 / 13 + 14);
  near(figure(&w, "relative_time_max"), 16.0 / 13);
  near(figure(&w, "exploitation"), 3e9 / (2e9 * (16.0 / 13 + 1)));
  done(&w);
  write_file("irmasim_unit.csv",
             "subtime,res,req_time,req_ops,mem_vol\n0,2,1,1000000000,550\n10,1,1,1000000000,1\n");
  w = run("world: {" FILES "}");
  near(figure(&w, "relative_time_max"), 1 / 0.9);
  near(figure(&w, "energy"),
       20 / 0.9 + 0.8 * (10 - 1 / 0.9) + 14); /* in between it is idle, at a tenth of 8 W */
  done(&w);
}

/* Two cores, a job that needs both for 10 s, a second that waits for it, and a third of one core that ends
 * by then: it goes past the second, which starts at 10 as if it had not. A fourth of 9 s would not end in
 * time. */
static void test_backfill(void **state)
{
  hc_task_record r[5];
  hc_error e = {0};
  size_t n;
  (void)state;
  write_file("irmasim_unit.csv",
             "subtime,res,req_time,req_ops\n0,1,10,10000000000\n1,2,5,5000000000\n2,1,9,9000000000\n"
             "3,1,7,7000000000\n");
  world w = run("world: {" FILES ", manager: Backfill}");
  check(hc_result_tasks(w.result, true, r, 5, &n, &e), &e);
  assert_int_equal(n, 4);
  for (size_t i = 0; i < n; i++) {
    static const int64_t starts[] = {0, 10, 15, 3};
    assert_int_equal(r[i].start, starts[r[i].serial] * HC_SECOND);
  }
  done(&w);
}

/* ---- pieces, memory ---- */

#define MADE HC_TEST_SOURCE_DIR "/tests/oracles/irmasim/made/"

/* An event at a time comes to the same as all at once. */
static void test_pieces(void **state)
{
  const hc_allocator *a = hc_default_allocator();
  static const char text[] = "world: {use: irmasim, options: \"" MADE "backfill_1/options.json\"}";
  world w = run(text);
  hc_store *store;
  hc_config *config;
  hc_registry *registry;
  hc_result *result;
  hc_run *r;
  hc_error e = {0};
  hc_rc rc = 1;
  char straight[33], pieces[33];
  size_t calls = 0;
  (void)state;
  check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_text(config, text, strlen(text), "test", &e), &e);
  check(hc_store_new(a, NULL, &store, &e), &e);
  check(hc_run_new(a, config, store, &r, &e), &e);
  for (; rc == 1; calls++) check(rc = hc_run_advance(r, HC_NEVER, 1, &e), &e);
  assert_true(calls > 60);
  check(hc_run_finish(r, &e), &e);
  hc_run_free(r);
  check(hc_result_of_store(store, &result, &e), &e);
  check(hc_result_digest(result, pieces, &e), &e);
  check(hc_result_digest(w.result, straight, &e), &e);
  assert_string_equal(pieces, straight);
  hc_result_free(result);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
  done(&w);
}

static void test_scarce(void **state)
{
  static const char *const cases[] = {"minimal_1",  "heuristic_2", "energyheuristic_1",
                                      "backfill_6", "duplex_3",    "nodewm_2"};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[400];
    (void)snprintf(text, sizeof text, "world: {use: irmasim, options: \"" MADE "%s/options.json\", logs: %s}",
                   cases[i], i % 2 ? "true" : "false");
    assert_scarce(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_draws),    cmocka_unit_test(test_texts),   cmocka_unit_test(test_digits),
      cmocka_unit_test(test_rounding), cmocka_unit_test(test_reading), cmocka_unit_test(test_contention),
      cmocka_unit_test(test_backfill), cmocka_unit_test(test_pieces),  cmocka_unit_test(test_scarce)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
