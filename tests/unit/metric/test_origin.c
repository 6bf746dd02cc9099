/* test_origin.c -- figures counted from time 0, the spread of waits, and the balance over hosts, by hand. */
#include "metric_test.h"

extern const hc_metric_type hc_metric_from_origin, hc_metric_wait_spread, hc_metric_host_balance,
    hc_metric_host_use;

static hc_finding_list found;

static void expect(const char *name, double value)
{
  expect_found(&found, NULL, 0, name, value);
}

/* The Gantt of test_families, 100 s later: what was idle before counts, and so does what idles between tasks,
 * but not what idles behind the last. */
static void from_time_0(void **state)
{
  const hc_interval x[] = {
      {S(100), S(104), 7, 10, 1, 2, 2, 3}, {S(104), S(110), 7, 10, 1, 5, 5, 3},
      {S(110), S(115), 0, 10, 0, 0, 0, 0}, {S(115), S(120), 10, 10, 1, 5, 5, 3},
      {S(120), S(300), 0, 10, 0, 0, 0, 0},
  };
  const hc_task_record t[] = {task_of(0, 100, 100, 110, 7, 1), task_of(1, 100, 115, 120, 10, 1)};
  hc_metric_context c = context_of(10);
  HC_UNUSED(state);
  find_all(&hc_metric_from_origin, &c, NULL, t, HC_ARRAY_LEN(t), x, HC_ARRAY_LEN(x), &found);
  expect("origin_makespan", 120);
  expect("origin_utilisation", 0.1);                 /* (7 x 10 + 10 x 5) / (10 x 120) */
  expect("origin_capacity_loss", 0.025);             /* 3 x 10 of 1200 */
  expect("origin_capacity_loss_asked", 26.0 / 1200); /* 2 x 4 + 3 x 6 */
  hc_finding_list_fini(&found);
}

/* Waits of 0, 4 and 8 s: mean 4, variance (16 + 0 + 16) / 3. A task that was withdrawn does not count. */
static void spread_of_waits(void **state)
{
  hc_task_record t[] = {task_of(0, 0, 0, 5, 1, 1), task_of(1, 1, 5, 6, 1, 1), task_of(2, 2, 10, 12, 1, 1),
                        task_of(3, 0, 50, 60, 1, 1)};
  hc_metric_context c = context_of(10);
  HC_UNUSED(state);
  t[3].final = HC_FINAL_WITHDRAWN;
  find_all(&hc_metric_wait_spread, &c, NULL, t, HC_ARRAY_LEN(t), NULL, 0, &found);
  expect("wait_variance", 32.0 / 3);
  expect("wait_deviation", 3.265986323710904);
  hc_finding_list_fini(&found);
  find_all(&hc_metric_wait_spread, &c, NULL, t, 1, NULL, 0, &found);
  expect("wait_variance", 0);
  hc_finding_list_fini(&found);
}

/* Two hosts of 2 cores and 8 bytes. The first holds 2 cores and 4 bytes from 10 to 20, the second 1 core from
 * 0 to 40 and 8 bytes from 20 to 40: means of cpu 1/4 and 1/2, of memory 1/8 and 1/2, over 40 s. */
static void count_two_hosts(const hc_metric_type *m,
                            hc_load_level (*load)(void *, uint32_t, uint32_t, hc_time), const void *options)
{
  const hc_host_class class = {.name = "n", .capacity = {2000, 8}, .speed = 1};
  const uint32_t class_of[2] = {0, 0};
  const char *const names[2] = {"n-0", "n-1"};
  const hc_cell_spec cell = {.granularity = HC_CELL_HOSTS,
                             .units = 2,
                             .classes = &class,
                             .class_count = 1,
                             .class_of = class_of,
                             .host_names = names};
  hc_metric_context c = context_of(4000);
  hc_change x[6];
  c.cell = &cell;
  c.load = load;
  x[0] = change(HC_CHANGE_CLAIMED, 0, 1, 1, 1);
  x[0].amount[HC_DIM_CPU] = 1000;
  x[1] = change(HC_CHANGE_CLAIMED, 10, 2, 1, 0);
  x[1].amount[HC_DIM_CPU] = 2000;
  x[1].amount[HC_DIM_MEMORY] = 4;
  x[2] = x[1];
  x[2].kind = HC_CHANGE_RELEASED;
  x[2].at = S(20);
  x[3] = change(HC_CHANGE_CLAIMED, 20, 3, 1, 1);
  x[3].amount[HC_DIM_MEMORY] = 8;
  x[4] = x[0];
  x[4].kind = HC_CHANGE_RELEASED;
  x[4].at = S(40);
  x[5] = x[3];
  x[5].kind = HC_CHANGE_RELEASED;
  x[5].at = S(40);
  find_changes(m, &c, options, x, 6, 100, &found);
}

static void balance_of_hosts(void **state)
{
  HC_UNUSED(state);
  count_two_hosts(&hc_metric_host_balance, NULL, NULL);
  expect("host_mean_cpu", 0.375);
  expect("host_variance_cpu", 0.015625); /* (1/8)^2 */
  expect("host_mean_memory", 0.3125);
  expect("host_variance_memory", 0.03515625); /* (3/16)^2 */
  expect_nothing(&found, "host_mean_disk");
  expect_nothing(&found, "host_variance_gpu");
  hc_finding_list_fini(&found);
}

/* Of the cores 0.2 before 15 s and 0.6 from then on, of memory a half at all times, on both hosts. */
static hc_load_level load_of(void *ctx, uint32_t host, uint32_t dimension, hc_time at)
{
  HC_UNUSED(ctx);
  HC_UNUSED(host);
  if (dimension == HC_DIM_MEMORY) return (hc_load_level){.level = 0.5, .until = HC_NEVER};
  return at < S(15) ? (hc_load_level){.level = 0.2, .until = S(15)}
                    : (hc_load_level){.level = 0.6, .until = HC_NEVER};
}

/* u = 1 - f (1 - psi), f what tasks leave. Cores of the first host: 10 x 0.2 + 10 x 1 + 20 x 0.6 = 24 of 40
 * s; of the second, half of which a task has all the time: 40 x 0.5 + 0.5 (15 x 0.2 + 25 x 0.6) = 29. Memory,
 * of which half of what is left is loaded: 5 + (5 + 2.5) + 10 = 22.5, and 10 + 20 = 30. */
static void use_of_hosts_with_load(void **state)
{
  const hc_time sample = S(10);
  HC_UNUSED(state);
  count_two_hosts(&hc_metric_host_use, load_of, NULL);
  expect("host_mean_used_cpu", 0.6625);
  expect("host_variance_used_cpu", 0.00390625); /* (1/16)^2 */
  expect("host_mean_used_memory", 0.65625);
  expect("host_variance_used_memory", 0.0087890625); /* (3/32)^2 */
  expect_nothing(&found, "host_mean_used_disk");
  hc_finding_list_fini(&found);
  /* Read at 5, 15, 25 and 35 s: the second host's cores have 20 + 0.5 x 10 (0.2 + 3 x 0.6) = 30. */
  count_two_hosts(&hc_metric_host_use, load_of, &sample);
  expect("host_mean_used_cpu", 0.675);
  expect("host_mean_used_memory", 0.65625);
  hc_finding_list_fini(&found);
  count_two_hosts(&hc_metric_host_use, NULL, NULL); /* no load: what tasks hold */
  expect("host_mean_used_cpu", 0.375);
  expect("host_variance_used_memory", 0.03515625);
  hc_finding_list_fini(&found);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_time_0),
      cmocka_unit_test(spread_of_waits),
      cmocka_unit_test(balance_of_hosts),
      cmocka_unit_test(use_of_hosts_with_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
