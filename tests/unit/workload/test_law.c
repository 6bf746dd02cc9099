/* test_law.c -- laws of chance as users write them: what is read, what is drawn, what tables make of it,
 * what is refused.
 *
 * Each law's draws are held against its own cdf (Kolmogorov-Smirnov, see generator_test.h) and its own
 * mean, and these against closed forms that are written out here. */
#define _GNU_SOURCE
#include "generator_test.h"
#include "workload/lawtable.h"
#include "sample.h"

#define DRAWS 100000

static double sample[DRAWS];

static hc_law read_law(const char *text, hc_law_unit unit)
{
  hc_law l;
  hc_error e = {0};
  if (hc_law_read(&l, hc_default_allocator(), text, unit, "test", "law", &e) < 0) fail_msg("%s", e.text);
  return l;
}

static double mean_of_law(const char *text, hc_law_unit unit)
{
  hc_law l = read_law(text, unit);
  const double mean = l.mean;
  hc_law_fini(&l);
  return mean;
}

/* ---- what is read ---- */

static void closed_forms(void **state)
{
  const struct {
    const char *text;
    double mean;
  } laws[] = {
      {"3", 3},
      {" 0.5 ", 0.5},
      {"exponential(4)", 4},
      {"lognormal(4 2)", 4},
      {"lognormal(mean=4, cv=2)", 4},
      {"lognormal(cv=2 mean=4)", 4},
      {"lognormal(median=2 sigma=1)", 2 * 1.6487212707001282}, /* exp(1/2) */
      {"weibull(4 0.5)", 4},
      {"weibull(shape=0.5 scale=3)", 6}, /* 3 Gamma(3) */
      {"gamma(4 3)", 4},
      {"gamma(shape=2 scale=3)", 6},
      {"hyperexponential(4 3)", 4},
      {"uniform(2 6)", 4},
      {"loguniform(1 2.718281828459045)", 1.718281828459045},
      {"normal(100 5)", 100},                             /* 20 deviations above 0 */
      {"normal(0 1)", 0.7978845608028654},                /* half of it: sqrt(2 / pi) */
      {"pareto(1 4 1)", 1.0 / 0.75 * 1.3862943611198906}, /* ln 4 / (1 - 1/4) */
      {"pareto(1 4 2)", 2 / 0.9375 * 0.75},               /* 2 (1 - 1/4) / (1 - 1/16) */
      {"quantiles(0 1 3)", 1.25},                         /* half of it 0 to 1, half 1 to 3 */
      {"values(1 2 6)", 3},
      {"values(6, 2, 1)", 3},
      {"3*1 + 1*5", 2},
      {"0.25 * exponential(4) + 0.75 * 8", 7},
      {"exponential(4)+8", 6},
      {"uniform(0 10) from 2 to 6", 4},
      {"uniform(0 10) to 6", 3},
      {"exponential(3) from 3", 6}, /* it has no memory */
      {"values(1 2 3 4 5) from 2 to 4", 3},
      {"quantiles(0 10) from 2 to 6", 4},
      {"0.5*1 + 0.5*uniform(0 4) from 2", 3}, /* the fixed part is outside */
      {"0.5*2 + 0.5*uniform(0 4) from 2",
       2 * (2.0 / 3) + 3 * (1.0 / 3)}, /* half of the second part is inside */
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(laws); i++)
    is_near(laws[i].text, mean_of_law(laws[i].text, HC_LAW_NUMBER), laws[i].mean, 1e-9 * laws[i].mean);
  is_near("a time", mean_of_law("uniform(1h 2h30m)", HC_LAW_TIME), 6300, 1e-6);
  is_near("a size", mean_of_law("2*1GiB + 1*4GiB", HC_LAW_SIZE), 2147483648.0, 1e-3);
  is_near("an exponent", mean_of_law("1e-3+1e+3", HC_LAW_NUMBER), 500.0005, 1e-9);
}

static void bounds_are_what_they_yield(void **state)
{
  hc_law l = read_law("lognormal(10 2) from 1 to 30", HC_LAW_NUMBER);
  HC_UNUSED(state);
  assert_true(l.low == 1 && l.high == 30 && !l.is_discrete);
  hc_law_stretch(&l, 2 * l.mean);
  assert_true(l.low == 2 && l.high == 60);
  is_near("stretched", hc_law_cdf(&l, 60), 1, 0);
  hc_law_fini(&l);
  l = read_law("3*1 + 1*5 + values(2 9)", HC_LAW_NUMBER);
  assert_true(l.low == 1 && l.high == 9 && l.is_discrete);
  hc_law_fini(&l);
  l = read_law("exponential(1)", HC_LAW_NUMBER);
  assert_true(l.low == 0 && l.high == HC_LAW_ENDLESS);
  hc_law_fini(&l);
}

/* ---- what is drawn ---- */

/* Laws with every kind of part, bounded and not, of which little and much is inside. */
static const char *const some_laws[] = {
    "exponential(4)",
    "lognormal(4 2)",
    "weibull(4 1.5)",
    "gamma(4 2)",
    "gamma(4 0.5)",
    "hyperexponential(4 3)",
    "uniform(2 6)",
    "loguniform(1 100)",
    "normal(10 3)",
    "normal(1 3)",
    "pareto(1 10000 0.6)",
    "pareto(1 1000 1)",
    "quantiles(0 1 1.5 4 20)",
    "0.7 * exponential(1) + 0.3 * lognormal(20 1.5)",
    "0.5 * uniform(1 2) + 0.2 * uniform(5 6) + 0.3 * quantiles(10 20 40)",
    "lognormal(4 2) from 1 to 20",
    "lognormal(4 2) from 15",
    "exponential(4) from 10 to 12",
    "gamma(4 2) from 20",
    "gamma(4 2) from 1 to 5",
    "hyperexponential(4 3) from 25",
    "weibull(4 1.5) from 8 to 9",
    "0.7 * exponential(1) + 0.3 * lognormal(20 1.5) from 2 to 60",
    "quantiles(0 1 1.5 4 20) from 1.2 to 10",
};

/* The statistic of the sorted sample against the cdf, which is continuous. */
static double worst(const hc_law *l, double deviation[1])
{
  moments m = {0};
  double most = 0;
  qsort(sample, DRAWS, sizeof sample[0], by_value);
  for (int i = 0; i < DRAWS; i++) {
    const double f = hc_law_cdf(l, sample[i]);
    most = HC_MAX(most, HC_MAX(f - i / (double)DRAWS, (i + 1) / (double)DRAWS - f));
    add_to(&m, sample[i]);
  }
  *deviation = deviation_of(&m);
  return most;
}

static double sample_mean(void)
{
  double sum = 0;
  for (int i = 0; i < DRAWS; i++) sum += sample[i] / DRAWS;
  return sum;
}

static void draws_follow_the_cdf(void **state)
{
  HC_UNUSED(state);
  hc_test_skip_repeated();
  for (size_t i = 0; i < HC_ARRAY_LEN(some_laws); i++) {
    hc_law l = read_law(some_laws[i], HC_LAW_NUMBER);
    double deviation;
    for (int n = 0; n < DRAWS; n++) {
      hc_draws d = {.seed = 1, .entity = (uint64_t)n, .purpose = i};
      sample[n] = hc_law_draw(&l, &d);
      assert_true(sample[n] >= l.low && sample[n] <= l.high);
    }
    const double d = worst(&l, &deviation) * hc_sqrt(DRAWS);
    if (d > KS_LEVEL_001) fail_msg("%s: %.3f", some_laws[i], d);
    is_near(some_laws[i], sample_mean(), l.mean, 5 * deviation / hc_sqrt(DRAWS));
    hc_law_fini(&l);
  }
}

static void quantiles_invert_the_cdf(void **state)
{
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(some_laws); i++) {
    hc_law l = read_law(some_laws[i], HC_LAW_NUMBER);
    if (l.count > 1) {
      hc_law_fini(&l);
      continue;
    }
    for (int k = 1; k < 1000; k++)
      is_near(some_laws[i], hc_law_cdf(&l, hc_law_quantile(l.parts, k / 1000.0)), k / 1000.0, 1e-9);
    hc_law_fini(&l);
  }
}

static void whole_numbers_have_their_own_mean(void **state)
{
  const char *const texts[] = {"exponential(0.4)", "lognormal(3 2)", "uniform(1 7)",
                               "0.55*1 + 0.45*pareto(2 10000 0.6)", "2*0.4 + 1*2.5 + values(7 8 9.2)"};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) {
    hc_law l = read_law(texts[i], HC_LAW_NUMBER);
    moments m = {0};
    for (int n = 0; n < DRAWS; n++) {
      hc_draws d = {.seed = 1, .entity = (uint64_t)n};
      const int64_t k = hc_law_draw_whole(&l, &d, 1, INT64_MAX);
      assert_true(k >= 1);
      add_to(&m, (double)k);
    }
    mean_is(texts[i], &m, hc_law_mean_whole(&l, 1), 0);
    hc_law_fini(&l);
  }
  /* by hand: exponential of mean m, at least 1, rounded: 1 + sum over k >= 2 of exp(-(k - 1/2) / m) */
  hc_law l = read_law("exponential(2)", HC_LAW_NUMBER);
  is_near("exponential, rounded", hc_law_mean_whole(&l, 1), 1 + hc_exp(-0.75) / (1 - hc_exp(-0.5)), 1e-9);
  hc_law_fini(&l);
}

/* ---- tables ---- */

static void tables_are_near_their_laws(void **state)
{
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(some_laws); i++) {
    hc_law l = read_law(some_laws[i], HC_LAW_NUMBER);
    hc_law_table t;
    double deviation;
    assert_int_equal(hc_law_table_make(&t, hc_default_allocator(), &l), 0);
    is_near(some_laws[i], hc_law_table_mean(&t), l.mean, 1e-3 * l.mean);
    for (int n = 0; n < DRAWS; n++) {
      hc_draws d = {.seed = 1, .entity = (uint64_t)n, .purpose = i};
      sample[n] = hc_law_table_draw(&t, hc_random_bits(&d));
      assert_true(sample[n] >= l.low && sample[n] <= l.high);
    }
    const double d = worst(&l, &deviation);
    if (d > KS_LEVEL_001 / hc_sqrt(DRAWS) + 0x1p-12) fail_msg("%s: %.5f", some_laws[i], d);
    is_near(some_laws[i], sample_mean(), hc_law_table_mean(&t), 5 * deviation / hc_sqrt(DRAWS));
    hc_law_table_fini(&t);
    hc_law_fini(&l);
  }
}

/* Words at the ends of their range stay within the table. */
static void tables_end_where_they_should(void **state)
{
  const uint64_t words[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX << 11, UINT64_C(1) << 63};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(some_laws); i++) {
    hc_law l = read_law(some_laws[i], HC_LAW_NUMBER);
    hc_law_table t;
    assert_int_equal(hc_law_table_make(&t, hc_default_allocator(), &l), 0);
    for (size_t k = 0; k < HC_ARRAY_LEN(words); k++) {
      const double x = hc_law_table_draw(&t, words[k]);
      assert_true(x >= l.low && x <= l.high && x < HC_LAW_ENDLESS);
    }
    hc_law_table_fini(&t);
    hc_law_fini(&l);
  }
}

/* Chi-square of three values, with 2 degrees of freedom: above 13.8 once in a thousand streams. */
static void discrete_tables_are_exact(void **state)
{
  const char *const texts[] = {
      "0.5*1 + 0.2*2 + 0.3*3", "0.2*2 + 0.5*1 + 0.3*values(3 3)",
      "0.2*2 + 0.5*1 + 0.3*uniform(2.999 3.001)"}; /* the last is no longer discrete */
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) {
    const double share[] = {0.5, 0.2, 0.3};
    hc_law l = read_law(texts[i], HC_LAW_NUMBER);
    hc_law_table t;
    double seen[3] = {0}, chi = 0;
    assert_int_equal(hc_law_table_make(&t, hc_default_allocator(), &l), 0);
    assert_int_equal(t.alias.count > 0, i < 2);
    is_near(texts[i], hc_law_table_mean(&t), 1.8, 1e-6);
    for (int n = 0; n < DRAWS; n++) {
      hc_draws d = {.seed = 1, .entity = (uint64_t)n};
      const double x = hc_law_table_draw(&t, hc_random_bits(&d));
      if (x < 2.9) assert_true(x == 1 || x == 2);
      seen[(int)(x + 0.5) - 1]++;
    }
    for (int k = 0; k < 3; k++) {
      const double want = share[k] * DRAWS;
      chi += (seen[k] - want) * (seen[k] - want) / want;
    }
    if (chi > 13.8) fail_msg("%s: %.1f", texts[i], chi);
    hc_law_table_fini(&t);
    hc_law_fini(&l);
  }
}

/* ---- files ---- */

static void a_file_has_a_value_a_line(void **state)
{
  trace_file f = write_file("# seconds\n10\n  1m \n\n20s\n");
  char text[100];
  hc_error e = {0};
  hc_law l;
  HC_UNUSED(state);
  snprintf(text, sizeof text, "file(%s)", f.path);
  is_near("file", mean_of_law(text, HC_LAW_TIME), 30, 0);
  snprintf(text, sizeof text, "0.5*5 + 0.5*file(%s) from 15", f.path);
  is_near("file, bounded", mean_of_law(text, HC_LAW_TIME), 40, 0);
  unlink(f.path);
  f = write_file("10\n20 apples\n");
  snprintf(text, sizeof text, "file(%s)", f.path);
  assert_int_equal(hc_law_read(&l, hc_default_allocator(), text, HC_LAW_TIME, "w", "run", &e), HC_EINPUT);
  assert_string_equal(e.text, "20 apples is no time; write 90s, 1.5h, 1h30m, or a number of seconds");
  assert_string_equal(e.where, f.path);
  assert_int_equal(e.line, 2);
  hc_law_fini(&l);
  unlink(f.path);
  f = write_file("# nothing\n");
  snprintf(text, sizeof text, "file(%s)", f.path);
  e = (hc_error){0};
  assert_int_equal(hc_law_read(&l, hc_default_allocator(), text, HC_LAW_TIME, "w", "run", &e), HC_EINPUT);
  assert_string_equal(e.text, "there is no value in it");
  hc_law_fini(&l);
  unlink(f.path);
  e = (hc_error){0};
  assert_int_equal(hc_law_read(&l, hc_default_allocator(), text, HC_LAW_TIME, "w", "run", &e), HC_EIO);
  hc_law_fini(&l);
}

/* ---- what is refused ---- */

static void is_refused(const char *text, hc_law_unit unit, const char *because)
{
  hc_law l;
  hc_error e = {0};
  char want[600];
  assert_int_equal(hc_law_read(&l, hc_default_allocator(), text, unit, "source x", "run", &e), HC_EUSAGE);
  hc_law_fini(&l);
  snprintf(want, sizeof want, "run: \"%s\", %s", text, because);
  assert_string_equal(e.text, want);
  assert_string_equal(e.where, "source x");
}

static void what_is_no_law_is_refused(void **state)
{
  HC_UNUSED(state);
  is_refused("", HC_LAW_TIME, "character 1: a value is expected here");
  is_refused(
      "soon", HC_LAW_TIME,
      "character 1: there is no such law; there are exponential, lognormal, weibull, gamma, "
      "hyperexponential, normal, uniform, loguniform, pareto, quantiles, values, file, and plain numbers");
  is_refused("5x", HC_LAW_TIME, "character 1: 5x is no time; write 90s, 1.5h, 1h30m, or a number of seconds");
  is_refused("-5", HC_LAW_NUMBER, "character 1: -5 is not between 0 and 1e15");
  is_refused("1e16", HC_LAW_NUMBER, "character 1: 1e16 is not between 0 and 1e15");
  is_refused(
      "nan", HC_LAW_NUMBER,
      "character 1: there is no such law; there are exponential, lognormal, weibull, gamma, "
      "hyperexponential, normal, uniform, loguniform, pareto, quantiles, values, file, and plain numbers");
  is_refused(
      "never", HC_LAW_TIME,
      "character 1: there is no such law; there are exponential, lognormal, weibull, gamma, "
      "hyperexponential, normal, uniform, loguniform, pareto, quantiles, values, file, and plain numbers");
  is_refused("2e9", HC_LAW_TIME, "character 1: 2e9 is not between 0 and 1e9 s");
  is_refused("2PiB", HC_LAW_SIZE, "character 1: 2PiB is not between 0 and 2^50 bytes");
  is_refused("exponential", HC_LAW_TIME, "character 12: a parenthesis is expected here");
  is_refused("exponential(", HC_LAW_TIME, "character 13: a value is expected here");
  is_refused("exponential()", HC_LAW_TIME, "character 1: exponential takes (mean)");
  is_refused("exponential(1 2)", HC_LAW_TIME, "character 15: exponential takes (mean)");
  is_refused("exponential(0)", HC_LAW_TIME, "character 1: the mean must be above 0");
  is_refused("lognormal(1)", HC_LAW_TIME, "character 1: lognormal takes (mean cv), or (median= sigma=)");
  is_refused("lognormal(median=1 cv=2)", HC_LAW_TIME, "character 20: lognormal takes (median sigma)");
  is_refused("lognormal(mean=1 mean=2)", HC_LAW_TIME,
             "character 18: lognormal takes (mean cv), or (median= sigma=)");
  is_refused("lognormal(mean 1)", HC_LAW_TIME,
             "character 11: lognormal takes (mean cv), or (median= sigma=)");
  is_refused("gamma(1 31)", HC_LAW_NUMBER,
             "character 1: no such cv: lognormal has 0.001 to 1000, weibull 0.02 to 400, gamma 0.001 to 30, "
             "hyperexponential 1 to 1000");
  is_refused("gamma(shape=0.01 scale=1)", HC_LAW_NUMBER,
             "character 1: the shape is not between 0.1 and 10000");
  is_refused("lognormal(median=1 sigma=11)", HC_LAW_NUMBER, "character 1: sigma is above 10");
  is_refused("uniform(2 2)", HC_LAW_NUMBER, "character 1: low is not below high");
  is_refused("loguniform(0 2)", HC_LAW_NUMBER,
             "character 1: the logarithm is uniform between low and high, which are above 0");
  is_refused("normal(1 0)", HC_LAW_NUMBER, "character 1: the deviation must be above 0");
  is_refused("pareto(0 1 1)", HC_LAW_NUMBER, "character 1: low must be above 0 and below high");
  is_refused("pareto(1 2 0)", HC_LAW_NUMBER, "character 1: the shape is not between 0.01 and 100");
  is_refused("quantiles(1)", HC_LAW_NUMBER,
             "character 1: two quantiles are needed at least: the least and the greatest value");
  is_refused("quantiles(2 1)", HC_LAW_NUMBER, "character 1: quantiles do not fall: put them in order");
  is_refused("values()", HC_LAW_NUMBER, "character 1: a value is needed at least");
  is_refused("file()", HC_LAW_NUMBER, "character 6: file(path) is expected here");
  is_refused("0*1", HC_LAW_NUMBER,
             "character 1: less than one in a hundred would lie between the bounds: widen them");
  is_refused("1 2", HC_LAW_NUMBER,
             "character 3: this does not belong here; laws are joined by +, bounds are `from x to y`");
  is_refused("1 +", HC_LAW_NUMBER, "character 4: a value is expected here");
  is_refused("2 * * 3", HC_LAW_NUMBER, "character 5: a value is expected here");
  is_refused("exponential(1) from 5 to 4", HC_LAW_NUMBER,
             "character 1: the bounds are in the wrong order: exchange them");
  is_refused("exponential(1) from 5", HC_LAW_NUMBER,
             "character 1: less than one in a hundred would lie between the bounds: widen them");
  is_refused("3 to 2", HC_LAW_NUMBER,
             "character 1: less than one in a hundred would lie between the bounds: widen them");
}

/* As long as texts may be: an error, and no crash. */
static void long_texts_are_refused(void **state)
{
  char *text = test_malloc(200001);
  hc_law l;
  hc_error e = {0};
  HC_UNUSED(state);
  for (int i = 0; i < 100000; i++) memcpy(text + 2 * i, "1+", 2);
  text[200000] = '\0';
  assert_int_equal(hc_law_read(&l, hc_default_allocator(), text, HC_LAW_NUMBER, "w", "run", &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "character 129: these are more than 64 parts"));
  hc_law_fini(&l);
  memcpy(text, "values(", 7);
  for (int i = 7; i < 200000; i++) text[i] = i % 2 ? '1' : ' ';
  e = (hc_error){0};
  assert_int_equal(hc_law_read(&l, hc_default_allocator(), text, HC_LAW_NUMBER, "w", "run", &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "these are more than 4096 values: put them into a file"));
  hc_law_fini(&l);
  test_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(bounds_are_what_they_yield),
      cmocka_unit_test(draws_follow_the_cdf),
      cmocka_unit_test(quantiles_invert_the_cdf),
      cmocka_unit_test(whole_numbers_have_their_own_mean),
      cmocka_unit_test(tables_are_near_their_laws),
      cmocka_unit_test(tables_end_where_they_should),
      cmocka_unit_test(discrete_tables_are_exact),
      cmocka_unit_test(a_file_has_a_value_a_line),
      cmocka_unit_test(what_is_no_law_is_refused),
      cmocka_unit_test(long_texts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
