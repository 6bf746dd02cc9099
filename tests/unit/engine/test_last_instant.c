/* test_last_instant.c -- where figures over time end: with the last thing that happens to a task or a host,
 * however long the clocks of policies and architectures go on after it; and what is looked at meanwhile. */
#include "figures_test.h"

#define RUNS "execution: {use: activities, cpu_speed: 1}\n"
#define DRAWS "power: {use: linear, idle: 100, peak: 200}\n"

/* ---- clocks that tick in vain ---- */

/* One host of four cores, of which a task holds two for 10 s, and one of eight, which goes away for good at
 * 2. The second task, from 3 on, would need that: it waits for ever. */
#define TASKS \
  "- {id: 1, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 2}, delay: 10}\n" \
  "- {id: 2, submit_time: 3, resources: {nodes_count: 1, cpu_per_node: 8}, delay: 5}\n"
#define LEFT(metrics) \
  "cell: {use: hosts, classes: [{name: small, cpus: 4}, {name: big, cpus: 8}]}\n" \
  "events: [{use: list, changes: [{at: 2, hosts: big, change: down}]}]\n" RUNS DRAWS "metrics: [" metrics \
  "]\n"
#define ALL_THAT_LASTS "energy, queue_load, resource_use, host_load, lost_capacity"

/* 10 s: of one host at half its load, and of the other, idle, for 2 s of them; 7 s in which one task waits;
 * two cores held of 2 x 12 + 8 x 4 core-seconds that were there, and 7 x 8 of 120 that it waits for. */
#define WITHOUT_CLOCK \
  ALL("energy", 150 * 10 + 100 * 2), ALL("energy_idle", 200), ALL("power_mean", 170), \
      ALL("queue_load_tasks_mean", 0.7), ALL("resource_use_cores_held", 2), ALL("host_load_cpu", 20 / 56.0), \
      ALL("lost_capacity_away", 56 / 120.0)

static void test_clocks(void **state)
{
  static const char *const clocks[] = {
      "policy: scan\n",
      "policy: {use: energy_bf, sleep: idle, plan: first, off: 1, on: 1}\n",
      "policy: {use: gavel, round: 7}\n",
      "policy: slurm\n",
      "policy: gang\n",
      "policy: scan\narchitecture: {use: messages}\n",
  };
  (void)state;
  for (size_t i = 0; i < COUNT(clocks); i++) {
    char yaml[1024];
    (void)snprintf(yaml, sizeof yaml, LEFT(ALL_THAT_LASTS) "%s", clocks[i]);
    FIGURES(TASKS, yaml, WITHOUT_CLOCK);
  }
}

/* A million periods, after which nothing is expected any more. */
static void test_a_period(void **state)
{
  static const expected all[] = {WITHOUT_CLOCK};
  char file[64];
  bench b;
  (void)state;
  check(&b, try_tasks(&b, file, TASKS,
                      LEFT(ALL_THAT_LASTS) "policy: scan\narchitecture: {use: monolithic, call: period, "
                                           "period: 3}\n"));
  finish(&b);
  for (size_t i = 0; i < COUNT(all); i++) assert_float_equal(find(&b, &all[i]), all[i].value, 1e-9);
  end(&b);
  (void)unlink(file);
}

/* ---- the end that a run is given ---- */

/* With a task that waits, or none that is left. */
static void test_until(void **state)
{
  static const char alone[] =
      "- {id: 1, submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 2}, delay: 10}\n";
  (void)state;
#define PERIOD "architecture: {use: monolithic, call: period, period: 3}\nuntil: 100\n"
  FIGURES(TASKS, LEFT("energy, queue_load") "policy: scan\n" PERIOD, ALL("energy", 1500 + 200 + 9000),
          ALL("queue_load_tasks_mean", 0.97));
  FIGURES(alone, LEFT("host_load") "policy: scan\n" PERIOD, ALL("host_load_cpu", 20 / 56.0));
}

/* ---- what is looked at meanwhile ---- */

/* It comes at 1 and starts with the tick at 3: what that tick would do was not known before. */
static void test_a_tick_that_starts(void **state)
{
  static const char task[] =
      "- {id: 1, submit_time: 1, resources: {nodes_count: 1, cpu_per_node: 2}, delay: 2}\n";
  (void)state;
#define HELD(second, cores) {"resource_use", second, "cores_held", cores}
  FIGURES(task,
          "cell: {use: hosts, classes: [{name: small, cpus: 4}]}\n" RUNS
          "metrics: [{use: resource_use, every: 1s}]\npolicy: scan\n"
          "architecture: {use: monolithic, call: period, period: 3}\n",
          HELD(1, 0), HELD(2, 0), HELD(3, 2), HELD(4, 2), ALL("resource_use_cores_held", 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clocks),
      cmocka_unit_test(test_a_period),
      cmocka_unit_test(test_until),
      cmocka_unit_test(test_a_tick_that_starts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
