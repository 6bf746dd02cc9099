/* test_checkpoints.c -- tasks that save their work on the way: schedules by hand, and the expected time under
 * failures by formula. */
#include "outcomes_test.h"

#include "base/math.h"

#define CELL "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4}]}\n"
#define NATIVE "source: {use: native, file: FILE}\nparanoid: true\npolicy: fcfs+scan\n"
#define FAILURES "metrics: [tasks, failures]\n"
#define DOWN(...) "events: {use: list, changes: [" __VA_ARGS__ "]}\n"
#define TASK(id, at, run) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", wall_time_limit: " #run \
  ", resources: {cpu_per_node: 4}}\n"

/* 100 s of work with a checkpoint of 5 s after each 30: at 30, 65 and 100 one is begun, and the last 10 s
 * have none: 115 s. Work that ends where a checkpoint would be written has none there: 60 s with one. */
static void checkpoints_make_a_task_longer(void **state)
{
  (void)state;
  RUNS(NATIVE CELL "metrics: [tasks]\ncheckpoint: {use: fixed, every: 30s, write: 5s}\n",
       TASK(1, 0, 100) TASK(2, 0, 60) TASK(3, 115, 20), DONE(1, 0, 115), DONE(2, 0, 65), DONE(3, 115, 135));
}

/* c-0 fails at 80: of task 1 the second checkpoint was complete at 70, with 60 s of work. It goes on at 80
 * on c-1, which is free: it reads for 7 s, and has 40 s with one checkpoint left: 80 + 7 + 40 + 5 = 132. */
static void a_lost_task_goes_on_from_its_last_checkpoint(void **state)
{
  static const char yaml[] =
      NATIVE CELL FAILURES "checkpoint: {use: fixed, every: 30s, write: 5s, read: 7s}\n" DOWN(
          "{at: 80, hosts: c-0, change: down}");
  bench b;
  (void)state;
  RUNS(yaml, TASK(1, 0, 100), DONE(1, 80, 132));
  assert_run_in(&b, yaml, TASK(1, 0, 100), &(expected)DONE(1, 80, 132), 1, 0);
  assert_figure(&b, "failures_losses", 1);
  assert_figure(&b, "failures_lost_time", 10);
  assert_figure(&b, "failures_writing_time", 15); /* two of the first attempt, one of the second */
  assert_figure(&b, "failures_reading_time", 7);
  assert_figure(&b, "failures_waste", 32.0 / 132);
  end(&b);
  /* At 33 the first is not complete: all is lost, and nothing is read. */
  RUNS(NATIVE CELL FAILURES "checkpoint: {use: fixed, every: 30s, write: 5s, read: 7s}\n" DOWN(
           "{at: 33, hosts: c-0, change: down}"),
       TASK(1, 0, 100), DONE(1, 33, 148));
  /* At 35 it is. */
  RUNS(NATIVE CELL FAILURES "checkpoint: {use: fixed, every: 30s, write: 5s, read: 7s}\n" DOWN(
           "{at: 35, hosts: c-0, change: down}"),
       TASK(1, 0, 100), DONE(1, 35, 122)); /* 35 + 7 + 70 + 2 x 5 */
  /* Lost again while it reads: nothing is saved, and it reads again, on c-0, which is back. */
  RUNS(NATIVE CELL FAILURES "checkpoint: {use: fixed, every: 30s, write: 5s, read: 7s}\n" DOWN(
           "{at: 35, hosts: c-0, change: down, until: 36}, {at: 40, hosts: c-1, change: down}"),
       TASK(1, 0, 100), DONE(1, 40, 127));
}

/* It has failed at 80 as it is found at 95: what it had saved by 80 counts. */
static void a_silent_failure_keeps_what_was_saved_before(void **state)
{
  (void)state;
  RUNS(NATIVE CELL FAILURES "checkpoint: {use: fixed, every: 30s, write: 5s, read: 7s}\n" DOWN(
           "{at: 80, hosts: c-0, change: fail}, {at: 145, hosts: c-0, change: down}"),
       TASK(1, 0, 100), DONE(1, 145, 197));
}

/* Local ones of 1 s, each third global of 5 s: a cycle is 30 + 1 + 30 + 1 + 30 + 5 = 97. At 80 two local
 * ones are there, and lost with the host: it begins anew, 200 s with 6 checkpoints, of which 2 global: 214
 * s. With copies that survive the second counts: 60 s are saved at 62; 2 s to read, and of 140 s left a
 * global one at 30, local ones at 60 and 90, a global one at 120. */
static void local_checkpoints_are_lost_with_a_host(void **state)
{
  (void)state;
#define LEVELS(survives) \
  NATIVE CELL FAILURES \
      "checkpoint: {use: fixed, every: 30s, write: 5s, read: 7s, global_each: 3, local_write: 1s, " \
      "local_read: 2s, local_survives: " survives "}\n"
  RUNS(LEVELS("0") DOWN("{at: 80, hosts: c-0, change: down}"), TASK(1, 0, 200), DONE(1, 80, 294));
  RUNS(LEVELS("1") DOWN("{at: 80, hosts: c-0, change: down}"), TASK(1, 0, 200), DONE(1, 80, 234));
  /* At 110 the global one at 97 counts: 90 s are saved, 7 s to read, 110 s with 2 local ones and a
   * global one left. */
  RUNS(LEVELS("0") DOWN("{at: 110, hosts: c-0, change: down}"), TASK(1, 0, 200), DONE(1, 110, 234));
}

/* sqrt(2 x 50 x 10^4) = 1000 s. The task of two hosts fails twice as often: 707.1 s, and 2000 s of work have
 * two checkpoints. Daly: x = 0.0025, 1000 (1 + 0.05 / 3 + 0.0025 / 9) - 50 = 966.944 s; 2000 s have two. */
static void intervals_are_those_of_the_formulas(void **state)
{
  (void)state;
#define TWO "- {id: 2, submit_time: 0, delay: 2000, resources: {nodes_count: 2, cpu_per_node: 1}}\n"
#define ONE "- {id: 1, submit_time: 0, delay: 2000, resources: {cpu_per_node: 1}}\n"
  RUNS(NATIVE CELL "metrics: [tasks]\ncheckpoint: {use: young, mtbf: 10000s, write: 50s}\n", ONE TWO,
       DONE(1, 0, 2050), DONE(2, 0, 2100));
  RUNS(NATIVE CELL "metrics: [tasks]\ncheckpoint: {use: daly, mtbf: 10000s, write: 50s}\n", ONE,
       DONE(1, 0, 2100));
  /* 10 GB at 100 MB/s and 1 s: 101 s each. */
  RUNS(NATIVE CELL
       "metrics: [tasks]\ncheckpoint: {use: fixed, every: 1500s, write: 1s, size: 10GB, bandwidth: 100MB}\n",
       ONE, DONE(1, 0, 2101));
}

/* Lost at 35, and back 20 s later: the other host is free all the time. The second loss, at 60, doubles
 * that; c-0 is up again. */
static void a_lost_task_waits_the_longer_the_more_often(void **state)
{
  (void)state;
  RUNS(NATIVE CELL FAILURES "requeue_after: 20s\n" DOWN("{at: 35, hosts: c-0, change: down, until: 70}"),
       TASK(1, 0, 100), DONE(1, 55, 155));
  RUNS(NATIVE CELL FAILURES "requeue_after: 20s\nrequeue_growth: 2\n" DOWN(
           "{at: 35, hosts: c-0, change: down, until: 70}, {at: 60, hosts: c-1, change: down}"),
       TASK(1, 0, 100), DONE(1, 100, 200));
  RUNS(NATIVE CELL FAILURES "requeue_after: 20s\nrequeue_growth: 2\nrequeue_most: 30s\n" DOWN(
           "{at: 35, hosts: c-0, change: down, until: 70}, {at: 60, hosts: c-1, change: down}"),
       TASK(1, 0, 100), DONE(1, 90, 190));
  /* Meanwhile it blocks no other: task 2, behind it in the queue, starts at 36. */
  RUNS("source: {use: native, file: FILE}\nparanoid: true\npolicy: fcfs\nrequeue_after: 20s\n"
       "cell: {use: hosts, classes: [{count: 1, name_prefix: c, cpus: 4}]}\nmetrics: [tasks]\n" DOWN(
           "{at: 35, hosts: c-0, change: down, until: 36}"),
       TASK(1, 0, 100) TASK(2, 1, 50), DONE(1, 86, 186), DONE(2, 36, 86));
  /* It is given up after so many losses. */
  RUNS(NATIVE CELL FAILURES "requeue_after: 20s\nattempts: 2\n" DOWN(
           "{at: 35, hosts: c-0, change: down, until: 70}, {at: 60, hosts: c-1, change: down}"),
       TASK(1, 0, 100), {1, 55, 60, HC_FINAL_LOST});
}

static void must_refuse(const char *yaml, hc_rc rc, const char *text)
{
  bench b;
  hc_rc got = try_text(&b, yaml, TASK(1, 0, 10));
  if (got >= 0) got = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  assert_int_equal(got, rc);
  if (!strstr(b.error.text, text)) fail_msg("%s", b.error.text);
  end(&b);
}

static void mistakes_are_named(void **state)
{
  (void)state;
  must_refuse(NATIVE CELL "metrics: [tasks]\ncheckpoint: fixed\n", HC_EUSAGE,
              "knows no time between checkpoints");
  must_refuse(NATIVE CELL "metrics: [tasks]\ncheckpoint: {use: young, mtbf: 1d}\n", HC_EUSAGE,
              "a cost that is more");
  must_refuse(NATIVE CELL "metrics: [tasks]\ncheckpoint: {use: fixed, every: 1h, store: /pfs}\n",
              HC_EUNSUPPORTED, "with `execution`");
  must_refuse(NATIVE CELL "metrics: [tasks]\ncheckpoint: {use: fixed, every: 0}\n", HC_EUSAGE, "every");
}

/* ---- failures by formula ---- */

/* The expected time of a stretch of s that is begun again, after reading for r, whenever a failure at the
 * rate 1 / m ends it: m e^(r / m) (e^(s / m) - 1) (Daly 2006, equation 12). The first stretch has nothing to
 * read. */
static double expected_time(double work, double every, double cost, double read, double m)
{
  const double count = (double)(int64_t)((work - 1e-9) / every), last = work - count * every;
  const double whole = hc_exp((every + cost) / m) - 1, again = hc_exp(read / m);
  if (count == 0) return m * (hc_exp(last / m) - 1);
  return m * (whole + (count - 1) * again * whole + again * (hc_exp(last / m) - 1));
}

enum { MANY = 1500 };

/* As many tasks of 20,000 s at once as MANY, each on a host of its own, among 4 times as many: there is
 * always one that is up, whose life is memoryless, so a lost task goes on at once. Repairs take no time that
 * counts. */
static double measured_time(const char *checkpoint, double *error)
{
  bench b;
  hc_buffer tasks;
  char yaml[1024];
  double sum = 0, squares = 0;
  hc_buffer_init(&tasks, hc_default_allocator());
  for (int i = 1; i <= MANY; i++)
    hc_buffer_printf(&tasks, "- {id: %d, submit_time: 0, delay: 20000, resources: {cpu_per_node: 1}}\n", i);
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: native, file: FILE}\npolicy: fcfs+scan\nmetrics: [tasks]\nattempts: 1000000\n"
                 "cell: {use: hosts, classes: [{count: 3000, name_prefix: c, cpus: 1}]}\n"
                 "events: {use: drawn, up_time: 10000s, down_time: 100s}\ncheckpoint: %s\n",
                 checkpoint);
  check(&b, try_text(&b, yaml, tasks.data));
  hc_buffer_fini(&tasks);
  finish(&b);
  assert_int_equal(b.count, MANY);
  for (size_t i = 0; i < MANY; i++) {
    const double took = (double)(b.records[i].end - b.records[i].submit) / 1e9;
    assert_int_equal(b.records[i].final, HC_FINAL_COMPLETED);
    sum += took;
    squares += took * took;
  }
  end(&b);
  *error = hc_sqrt((squares / MANY - sum / MANY * (sum / MANY)) / MANY);
  return sum / MANY;
}

/* A study over the interval, with C = 200 s, R = 300 s, M = 10^4 s: each point is what the formula says,
 * within 4 standard errors, and the least is where Young's (2000 s) and Daly's (1870 s) intervals are. */
static void a_study_finds_the_best_interval(void **state)
{
  static const double points[] = {500, 1000, 1900, 4000, 8000};
  double times[COUNT(points)], error, least = 1e30;
  size_t best = 0;
  char text[128];
  (void)state;
  for (size_t i = 0; i < COUNT(points); i++) {
    (void)snprintf(text, sizeof text, "{use: fixed, every: %gs, write: 200s, read: 300s}", points[i]);
    times[i] = measured_time(text, &error);
    const double formula = expected_time(20000, points[i], 200, 300, 10000);
    if (times[i] < formula - 4 * error || times[i] > formula + 4 * error)
      fail_msg("every %g s: %g s, and %g are expected (standard error %g)", points[i], times[i], formula,
               error);
    if (times[i] < least) {
      least = times[i];
      best = i;
    }
  }
  assert_int_equal(best, 2);
  const double young = measured_time("{use: young, mtbf: 10000s, write: 200s, read: 300s}", &error);
  const double daly = measured_time("{use: daly, mtbf: 10000s, write: 200s, read: 300s}", &error);
  assert_true(young < times[1] && young < times[3] && daly < times[1] && daly < times[3]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checkpoints_make_a_task_longer),
      cmocka_unit_test(a_lost_task_goes_on_from_its_last_checkpoint),
      cmocka_unit_test(a_silent_failure_keeps_what_was_saved_before),
      cmocka_unit_test(local_checkpoints_are_lost_with_a_host),
      cmocka_unit_test(intervals_are_those_of_the_formulas),
      cmocka_unit_test(a_lost_task_waits_the_longer_the_more_often),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(a_study_finds_the_best_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
