/* test_energy.c -- what hosts draw, by their state and over time: worked out by hand, on hosts and on
 * processors. */
#include "metric_test.h"

#define FOUND(table, key, name, value) expect_found(&l, table, key, name, value)

static const hc_host_class four_class = {.name = "four", .capacity = {4000, 8 * GIB}};
static const uint32_t four_class_of[2] = {0, 0};
static const hc_cell_spec two_hosts = {.granularity = HC_CELL_HOSTS,
                                       .units = 2,
                                       .classes = &four_class,
                                       .class_count = 1,
                                       .class_of = four_class_of};

static hc_change power(int64_t at, uint32_t host, hc_power_state state)
{
  hc_change c = change(HC_CHANGE_POWER, at, 0, -1, host);
  c.slots = (uint32_t)state;
  return c;
}

/* Task 1 has two of the four cores of host 0 [0, 30): 150 W. Host 1 is idle until 10 s, is switched off (2
 * s, 50 W), is off (10 W) until 20 s, is switched on (3 s, 150 W), and is all task 2's from 23 s to the end
 * at 40 s. */
static void of_hosts(void **state)
{
  const hc_change c[] = {claim(0, 1, 1, 0, 2000, 0),
                         change(HC_CHANGE_HOST, 10, 0, -1, 1),
                         power(10, 1, HC_POWER_STOPPING),
                         power(12, 1, HC_POWER_OFF),
                         power(20, 1, HC_POWER_STARTING),
                         power(23, 1, HC_POWER_ON),
                         amounts(change(HC_CHANGE_HOST, 23, 0, -1, 1), 4000, 8 * GIB),
                         claim(23, 2, 1, 1, 4000, 0),
                         release(30, 1, 1, 0, 2000, 0),
                         release(40, 2, 1, 1, 4000, 0)};
  void *o = options_of(&hc_metric_energy, 10, 100);
  const hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_energy, &context, o, c, HC_ARRAY_LEN(c), 40, &l);
  FOUND("power", 0, "busy", 150);
  FOUND("power", 0, "idle", 100);
  FOUND("power", 0, "all", 250);
  FOUND("power", 10, "busy", 150);
  FOUND("power", 10, "off", 8);
  FOUND("power", 10, "switching", 10);
  FOUND("power", 20, "busy", 150 + .7 * 200);
  FOUND("power", 20, "switching", 45);
  FOUND("power", 20, "all", 335);
  FOUND("power", 30, "busy", 200);
  FOUND("power", 30, "idle", 100);
  FOUND(NULL, 0, "energy_busy", 150 * 30 + 200 * 17);
  FOUND(NULL, 0, "energy_idle", 100 * 10 + 100 * 10);
  FOUND(NULL, 0, "energy_off", 10 * 8);
  FOUND(NULL, 0, "energy_switching", 50 * 2 + 150 * 3);
  FOUND(NULL, 0, "energy", 10530);
  FOUND(NULL, 0, "power_mean", 10530 / 40.);
  FOUND(NULL, 0, "power_max", 350);
  FOUND(NULL, 0, "energy_delay", 10530 * 40.);
  hc_finding_list_fini(&l);
  free(o);
}

/* A host that its source takes away draws what one does that is off, and its tasks' cores compute no more.
 * Task 2 waits to the end, or nothing would be counted from 10 s on. */
static void of_a_host_that_is_away(void **state)
{
  const hc_change c[] = {change(HC_CHANGE_QUEUED, 0, 2, 1, HC_NO_HOST), claim(0, 1, 1, 0, 4000, 0),
                         release(10, 1, 1, 0, 4000, 0), change(HC_CHANGE_HOST, 10, 0, -1, 0),
                         amounts(change(HC_CHANGE_HOST, 30, 0, -1, 0), 4000, 8 * GIB)};
  void *o = options_of(&hc_metric_energy, 10, 100);
  const hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_energy, &context, o, c, HC_ARRAY_LEN(c), 40, &l);
  FOUND(NULL, 0, "energy_busy", 200 * 10);
  FOUND(NULL, 0, "energy_off", 10 * 20);
  FOUND(NULL, 0, "energy_idle", 100 * 40 + 100 * 10);
  hc_finding_list_fini(&l);
  free(o);
}

/* What happens to hosts before the first task is where counting begins: of host 1, which is away from 5 s
 * on, 10 W for 10 s. */
static void of_a_host_that_was_away_before(void **state)
{
  const hc_change c[] = {change(HC_CHANGE_HOST, 5, 0, -1, 1), claim(7210, 1, 1, 0, 4000, 0),
                         release(7220, 1, 1, 0, 4000, 0),
                         amounts(change(HC_CHANGE_HOST, 7230, 0, -1, 1), 4000, 8 * GIB)};
  void *o = options_of(&hc_metric_energy, 3600, 100);
  const hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_energy, &context, o, c, HC_ARRAY_LEN(c), 7230, &l);
  FOUND(NULL, 0, "energy_busy", 200 * 10);
  FOUND(NULL, 0, "energy_off", 10 * 10);
  FOUND(NULL, 0, "energy_idle", 0);
  FOUND(NULL, 0, "power_max", 210);
  hc_finding_list_fini(&l);
  free(o);
}

/* Ten processors, each of which draws 100 W idle and 200 W busy: six are [0, 30), ten [10, 30). What comes
 * after the last task is not counted. */
static void of_processors(void **state)
{
  const hc_change c[] = {claim(0, 1, 1, HC_NO_HOST, 6000, 0), claim(10, 2, 1, HC_NO_HOST, 4000, 0),
                         release(30, 1, 1, HC_NO_HOST, 6000, 0), release(30, 2, 1, HC_NO_HOST, 4000, 0)};
  void *o = options_of(&hc_metric_energy, 10, 100);
  const hc_metric_context context = context_of(10);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_energy, &context, o, c, HC_ARRAY_LEN(c), 40, &l);
  FOUND(NULL, 0, "energy_busy", 200 * (6 * 10 + 10 * 20));
  FOUND(NULL, 0, "energy_idle", 100 * 4 * 10);
  FOUND(NULL, 0, "energy_delay", 30. * (200 * 260 + 100 * 40));
  FOUND(NULL, 0, "power_max", 2000);
  hc_finding_list_fini(&l);
  free(o);
}

/* A run that says nothing of power has none to count. */
static void without_power(void **state)
{
  void *o = options_of(&hc_metric_energy, 10, 100);
  hc_metric_context context = context_with(&two_hosts);
  hc_metric *m = NULL;
  hc_error e = {0};
  (void)state;
  context.watts = NULL;
  assert_int_equal(hc_metric_energy.init(&context, o, &m, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "nothing says what hosts draw"));
  free(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_hosts), cmocka_unit_test(of_a_host_that_is_away),
                                     cmocka_unit_test(of_a_host_that_was_away_before),
                                     cmocka_unit_test(of_processors), cmocka_unit_test(without_power)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
