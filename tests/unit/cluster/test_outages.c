/* test_outages.c -- units that fail: repair crews, spares, failures that spread, failures that are found
 * late; against queueing theory and by hand. */
#include "cluster/outages.h"

#include "base/state.h"
#include "base/util.h"
#include "cell_test.h"

enum { UNITS = 12 };

/* Up for 100 s and down for 30 s, exponentially, of which each test changes what it is about. */
static hc_outage_rules rules_of(double up, double down)
{
  hc_outage_rules r = {.seed = 4, .until = HC_NEVER};
  hc_lifetime_fit(&r.up, HC_LIFE_EXPONENTIAL, (hc_time)(up * 1e9), HC_UNKNOWN, 1);
  hc_lifetime_fit(&r.down, HC_LIFE_EXPONENTIAL, (hc_time)(down * 1e9), HC_UNKNOWN, 1);
  return r;
}

static hc_outages *begin(const hc_outage_rules *r, uint32_t units, uint32_t spares)
{
  uint8_t states[UNITS];
  hc_outages *o;
  for (uint32_t u = 0; u < units; u++) states[u] = u + spares < units ? HC_UNIT_UP : HC_UNIT_SPARE;
  assert_int_equal(hc_outages_new(hc_default_allocator(), r, states, units, &o), 0);
  return o;
}

static hc_outage next(hc_outages *o)
{
  hc_outage x;
  assert_int_equal(hc_outages_next(o, &x), 1);
  return x;
}

/* The mean number of units in service, over 40 stretches of which the first is left out; the standard error
 * is that of the stretches' means. */
static void must_serve(const hc_outage_rules *r, uint32_t units, uint32_t spares, double expected)
{
  enum { STRETCHES = 40 };
  const double stretch = 200000;
  hc_outages *o = begin(r, units, spares);
  double area[STRETCHES] = {0}, sum = 0, squares = 0, now = 0;
  uint32_t up = units;
  for (;;) {
    const hc_outage x = next(o);
    const double at = (double)x.at / 1e9;
    while (now < at) {
      const size_t k = (size_t)(now / stretch);
      const double end = HC_MIN(at, stretch * (double)(k + 1));
      if (k >= STRETCHES) break;
      area[k] += (end - now) * up;
      now = end;
    }
    if (at >= stretch * STRETCHES) break;
    up += x.kind == HC_OUTAGE_UP ? 1 : UINT32_MAX;
  }
  hc_outages_free(o);
  for (size_t k = 1; k < STRETCHES; k++) {
    sum += area[k] / stretch;
    squares += area[k] / stretch * (area[k] / stretch);
  }
  const double n = STRETCHES - 1, mean = sum / n, error = hc_sqrt((squares / n - mean * mean) / n);
  if (mean < expected - 4 * error || mean > expected + 4 * error || error > 0.02)
    fail_msg("%g in service, and %g are expected (standard error %g)", mean, expected, error);
}

/* The machine-repair model (Palm): with k units down, those in service, min(n, n + s - k), fail, and min(k,
 * c) are repaired, at constant rates; a birth-death process, whose stationary distribution is a product. */
static double machine_repair(double up, double down, int places, int spares, int crews)
{
  double p = 1, sum = 0, serving = 0;
  for (int k = 0; k <= places + spares; k++) {
    const int serve = HC_MIN(places, places + spares - k);
    sum += p;
    serving += p * serve;
    p *= serve / up / (HC_MIN(k + 1, crews) / down);
  }
  return serving / sum;
}

static void repairs_without_crews_are_independent(void **state)
{
  HC_UNUSED(state);
  const hc_outage_rules r = rules_of(100, 30);
  must_serve(&r, 6, 0, 6 * 100.0 / 130);
}

static void crews_and_spares_are_the_machine_repair_model(void **state)
{
  static const struct {
    int places, spares, crews;
  } cases[] = {{6, 0, 1}, {6, 0, 2}, {6, 2, 8}, {6, 2, 1}, {5, 3, 2}, {1, 1, 1}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_outage_rules r = rules_of(100, 30);
    r.crews = (uint32_t)cases[i].crews;
    r.has_spares = cases[i].spares > 0;
    must_serve(&r, (uint32_t)(cases[i].places + cases[i].spares), (uint32_t)cases[i].spares,
               machine_repair(100, 30, cases[i].places, cases[i].spares, cases[i].crews));
  }
}

static void must_happen(hc_outages *o, const char *const *expected, size_t n)
{
  static const char *const words[] = {"up", "down", "silent"};
  for (size_t i = 0; i < n; i++) {
    char text[64], at[32];
    const hc_outage x = next(o);
    (void)hc_format_seconds(x.at, at);
    (void)snprintf(text, sizeof text, "%s %u %s", at, x.unit, words[x.kind]);
    assert_string_equal(text, expected[i]);
  }
}
#define HAPPENS(o, ...) \
  must_happen(o, (const char *const[]){__VA_ARGS__}, HC_ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

static hc_outage_rules clockwork(void)
{
  hc_outage_rules r = {.seed = 4, .until = HC_NEVER};
  hc_lifetime_fit(&r.up, HC_LIFE_FIXED, INT64_C(10000000000), HC_UNKNOWN, 1);
  hc_lifetime_fit(&r.down, HC_LIFE_FIXED, INT64_C(3000000000), HC_UNKNOWN, 1);
  hc_lifetime_fit(&r.found, HC_LIFE_FIXED, INT64_C(2000000000), HC_UNKNOWN, 1);
  return r;
}

/* Three fail at 10, and one crew repairs them one after the other: 13, 16, 19. */
static void one_crew_repairs_in_the_order_of_failures(void **state)
{
  HC_UNUSED(state);
  hc_outage_rules r = clockwork();
  r.crews = 1;
  hc_outages *o = begin(&r, 3, 0);
  HAPPENS(o, "10 0 down", "10 1 down", "10 2 down", "13 0 up", "16 1 up", "19 2 up", "23 0 down", "26 0 up",
          "26 1 down", "29 1 up", "29 2 down");
  hc_outages_free(o);
}

/* Unit 2 is the spare. Both others fail at 10: it takes the place of 0 at 11, and 1's stays empty until 0 is
 * repaired at 13 and takes it; 1, repaired at 13 as well, is the spare. Unit 2 fails at 21, 1 is there at
 * 22; 0 fails at 23 without a spare, and 2, repaired at 24, takes its place. */
static void spares_take_places_and_repaired_units_are_spares(void **state)
{
  HC_UNUSED(state);
  hc_outage_rules r = clockwork();
  r.has_spares = true;
  r.spare_time = INT64_C(1000000000);
  hc_outages *o = begin(&r, 3, 1);
  HAPPENS(o, "0 2 down", "10 0 down", "10 1 down", "11 2 up", "13 0 up", "21 2 down", "22 1 up", "23 0 down",
          "24 2 up");
  hc_outages_free(o);
}

/* Every failure is silent and found 2 s later. */
static void silent_failures_are_found_later(void **state)
{
  HC_UNUSED(state);
  hc_outage_rules r = clockwork();
  r.silent = 1;
  hc_outages *o = begin(&r, 1, 0);
  HAPPENS(o, "10 0 silent", "12 0 down", "15 0 up", "25 0 silent", "27 0 down", "30 0 up");
  hc_outages_free(o);
}

/* Four units, of which 0 to 2 are a group; each failure takes others with the chance p. Without repairs in
 * between (they take no time) each unit fails at the rate 1 / up by itself, and p / up by each of its
 * group. */
static void failures_spread_over_a_group(void **state)
{
  static const uint32_t group_of[] = {0, 0, 0, HC_NO_NAME}, first[] = {0, 3}, members[] = {0, 1, 2};
  enum { FAILURES = 40000 };
  hc_outage_rules r = rules_of(100, 1e-9);
  double count[4] = {0}, now = 0;
  HC_UNUSED(state);
  r.spread = 0.25;
  r.group_of = group_of;
  r.groups = first;
  r.members = members;
  hc_outages *o = begin(&r, 4, 0);
  for (int i = 0; i < FAILURES;) {
    const hc_outage x = next(o);
    if (x.kind != HC_OUTAGE_DOWN) continue;
    count[x.unit]++;
    now = (double)x.at / 1e9;
    i++;
  }
  hc_outages_free(o);
  for (int u = 0; u < 4; u++) {
    const double expected = now / 100 * (u < 3 ? 1.5 : 1); /* a Poisson process each */
    assert_true(count[u] > expected - 4 * hc_sqrt(expected) && count[u] < expected + 4 * hc_sqrt(expected));
  }
}

/* A failure of one is the end of all of its group if p is 1, in order of unit behind it. */
static void a_certain_spread_takes_the_group(void **state)
{
  static const uint32_t group_of[] = {0, 0, 1, 0}, first[] = {0, 3, 4}, members[] = {0, 1, 3, 2};
  HC_UNUSED(state);
  hc_outage_rules r = rules_of(100, 30);
  r.spread = 1;
  r.group_of = group_of;
  r.groups = first;
  r.members = members;
  hc_outages *o = begin(&r, 4, 0);
  hc_outage x = next(o);
  while (x.unit == 2) x = next(o); /* which is alone */
  const hc_outage a = next(o), b = next(o);
  assert_int_equal(x.at, a.at);
  assert_int_equal(x.at, b.at);
  assert_int_equal(x.unit + a.unit + b.unit, 0 + 1 + 3);
  assert_true(a.unit < b.unit && a.kind == HC_OUTAGE_DOWN && b.kind == HC_OUTAGE_DOWN);
  hc_outages_free(o);
}

/* Saved after each event, it goes on in another as it would have. */
static void what_is_saved_goes_on(void **state)
{
  static const uint32_t group_of[] = {0, 0, 0, 0, 0, 0, 0}, first[] = {0, 7},
                        members[] = {0, 1, 2, 3, 4, 5, 6};
  HC_UNUSED(state);
  hc_outage_rules r = rules_of(100, 30);
  r.crews = 1;
  r.has_spares = true;
  r.spare_time = INT64_C(5000000000);
  r.silent = 0.3;
  hc_lifetime_fit(&r.found, HC_LIFE_EXPONENTIAL, INT64_C(20000000000), HC_UNKNOWN, 1);
  r.spread = 0.3;
  r.group_of = group_of;
  r.groups = first;
  r.members = members;
  hc_outages *a = begin(&r, 7, 2);
  for (int i = 0; i < 300; i++) {
    hc_buffer saved;
    hc_outages *b = begin(&r, 7, 2);
    hc_buffer_init(&saved, hc_default_allocator());
    hc_visitor save = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
    assert_int_equal(hc_outages_visit(a, &save), 0);
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = hc_default_allocator(),
                       .in = (const uint8_t *)saved.data,
                       .left = saved.size};
    assert_int_equal(hc_outages_visit(b, &load), 0);
    hc_buffer_fini(&saved);
    const hc_outage x = next(a), y = next(b);
    assert_int_equal(x.at, y.at);
    assert_int_equal(x.unit, y.unit);
    assert_int_equal(x.kind, y.kind);
    hc_outages_free(b);
  }
  hc_outages_free(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repairs_without_crews_are_independent),
      cmocka_unit_test(crews_and_spares_are_the_machine_repair_model),
      cmocka_unit_test(one_crew_repairs_in_the_order_of_failures),
      cmocka_unit_test(spares_take_places_and_repaired_units_are_spares),
      cmocka_unit_test(silent_failures_are_found_later),
      cmocka_unit_test(failures_spread_over_a_group),
      cmocka_unit_test(a_certain_spread_takes_the_group),
      cmocka_unit_test(what_is_saved_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
