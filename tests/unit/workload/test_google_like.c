/* test_google_like.c -- batch and service jobs: what a row is, the published percentiles, the steady
 * start, state. */
#define _GNU_SOURCE
#include "generator_test.h"

READER(google_like);
#define CHOOSE(...) choose(&hc_reader_google_like.component, __VA_ARGS__, NULL)

#define N 40000
static double sample[N];

static void a_job_is_what_was_said(void **state)
{
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("jobs=4", "batch_interval=10s", "service_interval=25s", "batch_tasks=300",
                            "service_tasks=2", "batch_run=60s", "service_run=1d", "batch_cpu=0.5",
                            "service_cpu=2", "batch_memory=1GiB", "service_memory=4GiB"));
  const int64_t at[] = {10, 20, 25, 30}, queue[] = {0, 0, 1, 0};
  for (int i = 0; i < 4; i++) {
    t = next_row(&g);
    const bool service = queue[i] == 1;
    assert_int_equal(t->submit, at[i] * HC_SECOND);
    assert_int_equal(t->queue, queue[i]);
    assert_int_equal(t->job, i + 1);
    assert_int_equal(t->count, service ? 2 : 300);
    assert_int_equal(t->run, service ? HC_DAY : HC_MINUTE);
    assert_int_equal(t->need[HC_DIM_CPU], service ? 2000 : 500);
    assert_int_equal(t->need[HC_DIM_MEMORY], (int64_t)(service ? 4 : 1) << 30);
    assert_int_equal(t->priority, service ? 9 : 0);
    assert_int_equal(t->hosts, 1);
  }
  assert_null(next_row(&g));
  close_generator(&g);
  open_generator(&g, CHOOSE("jobs=1", "bundle=false", "batch_tasks=300", "kind=batch"));
  for (int64_t i = 1; i <= 300; i++) {
    t = next_row(&g);
    assert_true(t->id == i && t->job == 1 && t->count == 0);
  }
  assert_null(next_row(&g));
  close_generator(&g);
}

static double percentile(int p)
{
  return sample[(size_t)N * (size_t)p / 100];
}

static double mean_of_sample(void)
{
  double sum = 0;
  for (int i = 0; i < N; i++) sum += sample[i] / N;
  return sum;
}

enum { GAP, TASKS, RUN };

/* The sorted sample of one quantity of one kind. */
static void take_sample(const char *kind, int what)
{
  generator g;
  hc_time last = 0;
  open_generator(&g, CHOOSE("jobs=0", kind));
  for (int i = 0; i < N; i++) {
    const hc_task_spec *t = next_row(&g);
    sample[i] = what == GAP     ? (double)(t->submit - last) / 1e9
                : what == TASKS ? (double)HC_MAX(t->count, 1u)
                                : (double)t->run / 1e9;
    last = t->submit;
  }
  close_generator(&g);
  qsort(sample, N, sizeof sample[0], by_value);
}

/* What the paper and the trace say, and how far 40,000 draws may be from it: a percentile's standard error is
 * sqrt(p (1 - p) / n) over the density; 5 % is five of them or more everywhere here. */
static void published_percentiles_are_met(void **state)
{
  HC_UNUSED(state);
  take_sample("kind=batch", GAP);
  is_near("batch gaps, 80th", percentile(80), 3.4 * 1.6094379, 0.05 * 5.5); /* said: 4 to 7 s */
  take_sample("kind=service", GAP);
  is_near("service gaps, 80th", percentile(80) / 60, 9.3 * 1.6094379, 0.05 * 15); /* said: 2 to 15 min */
  take_sample("kind=batch", RUN);
  is_near("batch runs, 80th", percentile(80) / 60, 16, 0.08 * 16); /* said: 12 to 20 min */
  take_sample("kind=service", RUN);
  is_near("service runs, 80th", percentile(80) / 86400, 30.5, 0.5); /* said: 29 d */
  int above = 0;
  for (int i = 0; i < N; i++) above += sample[i] > 30 * 86400.0;
  is_near("services above a month", above / (double)N, 0.21 * 30 / 31,
          5 * hc_sqrt(0.16 / N)); /* said: 0.2 to 0.4 */
  is_near("mean of services", mean_of_sample() / 86400, 0.79 * 29 / 10.64 + 0.21 * 44.5, 0.5);
  take_sample("kind=batch", TASKS);
  assert_true(percentile(50) == 1 && percentile(25) == 1); /* in the trace: 1, 1, 3, 25, 100, 500 */
  is_near("batch tasks, 75th", percentile(75), 5, 2);
  is_near("batch tasks, 90th", percentile(90), 25, 5);
  is_near("batch tasks, 95th", percentile(95), 85, 25);
  is_near("batch tasks, 99th", percentile(99), 930, 450);
  /* 0.55 + 0.45 E, E = 0.6 x 2^0.6 (10000^0.4 - 2^0.4) / 0.4 / (1 - (2 / 10000)^0.6); deviation some 320 */
  is_near("batch tasks, mean", mean_of_sample(),
          0.55 + 0.45 * 1.5 * hc_pow(2, 0.6) * (hc_pow(1e4, 0.4) - hc_pow(2, 0.4)) / (1 - hc_pow(2e-4, 0.6)),
          8);
  take_sample("kind=service", TASKS);
  is_near("service tasks, median", percentile(50), 2, 1);
  is_near("service tasks, 90th", percentile(90), 31, 10);
  is_near("service tasks, 95th", percentile(95), 88, 60);
}

/* Four of five jobs and more are batch; kinds alone are what they are together. */
static void kinds_are_the_same_alone(void **state)
{
  generator both, batch, service;
  uint64_t batches = 0;
  HC_UNUSED(state);
  open_generator(&both, CHOOSE("jobs=20000"));
  open_generator(&batch, CHOOSE("jobs=0", "kind=batch"));
  open_generator(&service, CHOOSE("jobs=0", "kind=service"));
  for (const hc_task_spec *t; (t = next_row(&both));) {
    const hc_task_spec *s = next_row(t->queue == 0 ? &batch : &service);
    assert_true(s->submit == t->submit && s->run == t->run && s->count == t->count &&
                s->need[0] == t->need[0]);
    batches += t->queue == 0;
  }
  is_near("share of batch jobs", (double)batches / 20000, 558 / (558 + 3.4), 0.003);
  close_generator(&both);
  close_generator(&batch);
  close_generator(&service);
}

static void rates_divide_gaps(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("jobs=1", "kind=batch", "batch_interval=10s", "batch_rate=4"));
  assert_int_equal(next_row(&g)->submit, 2500 * HC_MS);
  close_generator(&g);
}

/* Run times uniform on 0 to 100 s, a job every second: 50 on average run at once, and what is left of one
 * that runs has density (1 - x / 100) / 50, mean 100 / 3. */
static void a_steady_start_is_the_steady_state(void **state)
{
  moments left = {0}, count = {0};
  HC_UNUSED(state);
  for (int stream = 0; stream < 400; stream++) {
    char which[32];
    generator g;
    double n = 0;
    const hc_task_spec *t;
    snprintf(which, sizeof which, "stream=%d", stream);
    open_generator(&g, CHOOSE("jobs=0", "until=1ms", "start=steady", "kind=batch",
                              "batch_interval=exponential(1)", "batch_run=uniform(0 100)", which));
    while ((t = next_row(&g))) {
      if (t->submit > 0) continue;
      add_to(&left, (double)t->run / 1e9);
      n++;
    }
    close_generator(&g);
    add_to(&count, n);
  }
  mean_is("how many run at 0", &count, 50, 0);
  is_near("their variance", deviation_of(&count) * deviation_of(&count), 50,
          5 * 50 * hc_sqrt(2.0 / 400)); /* Poisson */
  mean_is("what is left of them", &left, 100.0 / 3, 0);
}

/* As announced: some 63,000 batch and 59,000 service tasks, three quarters of the cores with services. The
 * number of jobs is Poisson, 5386 s / 3.4 s and 11.5 d / 9.3 min; their tasks have tails so heavy that
 * sums of them are only roughly known: deviations of some 320 and 180 tasks a job. */
static void the_steady_state_is_as_announced(void **state)
{
  double jobs[2] = {0}, cores[2] = {0}, tasks[2] = {0};
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("jobs=0", "until=1ms", "start=steady"));
  while ((t = next_row(&g))) {
    const double n = HC_MAX(t->count, 1u);
    jobs[t->queue]++;
    tasks[t->queue] += n;
    cores[t->queue] += n * (double)t->need[HC_DIM_CPU] / 1000;
  }
  close_generator(&g);
  is_near("batch jobs", jobs[0], 5386 / 3.4, 5 * hc_sqrt(5386 / 3.4));
  is_near("service jobs", jobs[1], 11.5 * 1440 / 9.3, 5 * hc_sqrt(1780));
  is_near("batch tasks", tasks[0], 63000, 5 * 320 * hc_sqrt(1584)); /* deviation of one job's tasks: 320 */
  is_near("service tasks", tasks[1], 58000, 5 * 180 * hc_sqrt(1780));
  is_near("share of services", cores[1] / (cores[0] + cores[1]), 0.75, 0.2);
}

static void a_snapshot_is_the_position(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(snapshot_goes_on(CHOOSE("jobs=900"), CHOOSE("jobs=900"), 321, 900), 48);
  snapshot_goes_on(CHOOSE("jobs=90", "bundle=false", "start=steady", "batch_run=exponential(1m) to 1h"),
                   CHOOSE("jobs=90", "bundle=false", "start=steady", "batch_run=exponential(1m) to 1h"), 400,
                   9000);
  damaged_state_is_refused(CHOOSE("jobs=1"), 48);
}

static void the_same_bits_everywhere(void **state)
{
  HC_UNUSED(state);
  checksum_is(CHOOSE("jobs=0", "start=steady", "daily=1,1,1,1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2,2,2,2"), 5000,
              "5951b81fd298b369");
}

static void what_cannot_be_is_refused(void **state)
{
  HC_UNUSED(state);
  refused(CHOOSE("batch_tasks=exponential(5)"),
          "batch_tasks can be above 1,000,000: bound it with `to 1000000`");
  refused(CHOOSE("service_interval=0"), "service_interval is always 0: nothing would ever end");
  refused(CHOOSE("start=steady", "service_run=exponential(1d)"),
          "start: steady needs a longest run: bound service_run, as in `... to 29d`");
  refused(CHOOSE("start=steady", "batch_interval=exponential(1ms)"),
          "start: steady would draw more than 2e8 jobs before time 0: bound the run times");
  refused(CHOOSE("batch_cpu="), "batch_cpu: \"\", character 1: a value is expected here");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_job_is_what_was_said),
      cmocka_unit_test(published_percentiles_are_met),
      cmocka_unit_test(kinds_are_the_same_alone),
      cmocka_unit_test(rates_divide_gaps),
      cmocka_unit_test(a_steady_start_is_the_steady_state),
      cmocka_unit_test(the_steady_state_is_as_announced),
      cmocka_unit_test(a_snapshot_is_the_position),
      cmocka_unit_test(the_same_bits_everywhere),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
