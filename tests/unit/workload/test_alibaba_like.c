/* test_alibaba_like.c -- the stream like Alibaba's of 2018: rates, seconds, demands, jobs, users, state. */
#define _GNU_SOURCE
#include "generator_test.h"

READER(alibaba_like);
#define CHOOSE(...) choose(&hc_reader_alibaba_like.component, __VA_ARGS__, NULL)

static void a_task_is_what_was_said(void **state)
{
  generator g;
  const hc_task_spec *t;
  int64_t n = 0;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("tasks=1000", "run=90s", "cpu=0.75", "memory=512MiB"));
  while ((t = next_row(&g))) {
    assert_int_equal(t->id, ++n);
    assert_int_equal(t->submit, 0); /* more than a thousand come within the first second */
    assert_int_equal(t->run, 90 * HC_SECOND);
    assert_int_equal(t->limit, 90 * HC_SECOND);
    assert_int_equal(t->need[HC_DIM_CPU], 750);
    assert_int_equal(t->need[HC_DIM_MEMORY], 512 << 20);
    assert_true(t->need[HC_DIM_GPU] == HC_UNKNOWN && t->hosts == 1 && t->procs_asked == 1);
    assert_true(t->job == -1 && t->user == -1 && t->more == 0 && t->count == 0 &&
                t->status == HC_STATUS_COMPLETED);
  }
  assert_int_equal(n, 1000);
  assert_null(next_row(&g));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_NONE);
  close_generator(&g);
  open_generator(&g, CHOOSE("tasks=1", "limit=none"));
  assert_int_equal(next_row(&g)->limit, HC_UNKNOWN);
  while (next_row(&g)) continue;
  close_generator(&g);
}

/* What is announced: 1,727 a second, 58 s on average, hence 1e5 at once; 0.66 x 0.5 + 0.22 + 0.06 x 0.4 +
 * 0.06 x 0.75 = 0.619 cores. Whole seconds of a lognormal above half a second keep its mean within 0.01 s;
 * the tables are within a thousandth. */
static void moments_are_as_announced(void **state)
{
  moments run = {0}, cpu = {0}, memory = {0};
  double cores[4] = {0};
  hc_time last = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("tasks=2000000"));
  while ((t = next_row(&g))) {
    assert_true(t->run % HC_SECOND == 0 && t->submit % HC_SECOND == 0 && t->submit >= last &&
                t->run >= HC_SECOND);
    last = t->submit;
    add_to(&run, (double)t->run / 1e9);
    add_to(&cpu, (double)t->need[HC_DIM_CPU]);
    add_to(&memory, (double)t->need[HC_DIM_MEMORY] / 1048576);
    cores[t->need[HC_DIM_CPU] == 500    ? 0
          : t->need[HC_DIM_CPU] == 1000 ? 1
          : t->need[HC_DIM_CPU] == 400  ? 2
                                        : 3]++;
  }
  close_generator(&g);
  is_near("rate", 2e6 / ((double)last / 1e9 + 1), 1727, 1727 * 5 / hc_sqrt(2e6) + 1727 / 1150.0);
  mean_is("run", &run, 58, 0.058 + 0.01);
  is_near("running at once", 1727 * mean_of(&run), 1e5, 500);
  mean_is("cpu", &cpu, 619, 0);
  mean_is("memory", &memory, 600, 0.6 + 1); /* bounds of 32 MiB and 16 GiB move the mean by less than 1 MiB */
  const double share[] = {0.66, 0.22, 0.06, 0.06};
  for (int i = 0; i < 4; i++) is_near("share", cores[i] / 2e6, share[i], 5 * hc_sqrt(share[i] / 2e6));
}

/* Arrivals of a second are Poisson: variance and mean are equal. With 20,000 seconds the variance has a
 * relative error of sqrt(2 / 20000) = 1 %. */
static void seconds_are_poisson(void **state)
{
  moments per_second = {0};
  double count = 0;
  hc_time second = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("tasks=0", "until=20000", "rate=30", "run=1"));
  while ((t = next_row(&g))) {
    for (; second < t->submit; second += HC_SECOND, count = 0) add_to(&per_second, count);
    count++;
  }
  assert_true(second < 20000 * HC_SECOND);
  close_generator(&g);
  mean_is("arrivals", &per_second, 30, 0);
  is_near("variance", deviation_of(&per_second) * deviation_of(&per_second), 30, 5 * 0.01 * 30);
}

/* Hours have their weights: 24 classes, deviation sqrt(46) of chi-square; hours of weight 0 have no
 * arrival. */
static void days_have_their_weights(void **state)
{
  const double weight[24] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0};
  double seen[24] = {0}, total = 0, chi = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("tasks=0", "until=70d", "rate=0.05",
                            "daily=0,0,0,1,1,1,1,2,2,3,3,3,2,2,2,2,1,1,1,1,1,0,0,0"));
  while ((t = next_row(&g))) {
    seen[t->submit / HC_HOUR % 24]++;
    total++;
  }
  close_generator(&g);
  is_near("all", total, 70 * 86400 * 0.05, 5 * hc_sqrt(70 * 86400 * 0.05));
  for (int h = 0; h < 24; h++) {
    const double want = total * weight[h] / 30;
    if (weight[h] == 0) assert_true(seen[h] == 0);
    else chi += (seen[h] - want) * (seen[h] - want) / want;
  }
  is_near("chi-square", chi, 17, 5 * hc_sqrt(34));
}

static void users_follow_zipf(void **state)
{
  double seen[11] = {0}, total = 0, chi = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("tasks=100000", "users=10", "user_exponent=1.5"));
  while ((t = next_row(&g))) {
    assert_in_range(t->user, 1, 10);
    seen[t->user]++;
  }
  close_generator(&g);
  for (int k = 1; k <= 10; k++) total += hc_pow(k, -1.5);
  for (int k = 1; k <= 10; k++) {
    const double want = 1e5 * hc_pow(k, -1.5) / total;
    chi += (seen[k] - want) * (seen[k] - want) / want;
  }
  is_near("chi-square", chi, 9, 5 * hc_sqrt(18));
}

/* ---- jobs ---- */

/* Every job's tasks have numbers from 1, wait for earlier ones of the same job, and have one time of
 * arrival. */
static void jobs_hold_together(void **state)
{
  moments tasks = {0}, instances = {0};
  int64_t job = 0, task = 0, instances_in_all = 0;
  uint64_t waiting = 0;
  hc_time at = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("tasks=20000000", "shape=jobs"));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_JOB);
  while ((t = next_row(&g))) {
    const hc_task_extras *m = hc_lexicon_more(g.lexicon, t->more);
    const int64_t n = t->count ? t->count : 1;
    if (t->job != job) {
      assert_int_equal(t->job, job + 1);
      if (job > 0) add_to(&tasks, (double)task);
      job = t->job;
      task = 0;
      assert_true(t->submit >= at);
      at = t->submit;
    }
    assert_int_equal(t->id, ++task);
    assert_int_equal(t->submit, at);
    add_to(&instances, (double)n);
    instances_in_all += n;
    for (size_t i = 0; m && i < m->after_count; i++)
      assert_true(m->after[i].job == job && m->after[i].task >= 1 && m->after[i].task < t->id);
    waiting += m != NULL;
  }
  close_generator(&g);
  assert_true(instances_in_all >= 20000000 && waiting > 0);
  /* by hand: 0.4 + 0.6 x 5, and what rounding up to 1 adds to a lognormal of which 1 % is below 1/2:
   * hundredths */
  mean_is("tasks per job", &tasks, 3.4, 0.03);
  /* 0.4 + 0.6 E, E = 0.55 x 2^0.55 (20000^0.45 - 2^0.45) / 0.45 / (1 - (2 / 20000)^0.55) */
  const double pareto =
      0.55 * hc_pow(2, 0.55) * (hc_pow(20000, 0.45) - hc_pow(2, 0.45)) / 0.45 / (1 - hc_pow(1e-4, 0.55));
  mean_is("instances per task", &instances, 0.4 + 0.6 * pareto, 0.1);
  is_near("95 instances", 0.4 + 0.6 * pareto, 95, 5);
  is_near("rate of instances", (double)instances_in_all / ((double)at / 1e9), 1727,
          1727 * 0.1); /* heavy tails */
}

/* A bundle of n is the same as n rows, but for run times of their own; blocks break within a task. */
static void rows_are_bundles_unrolled(void **state)
{
  generator bundles, rows;
  const hc_task_spec *b, *r = NULL;
  HC_UNUSED(state);
  open_generator(&bundles, CHOOSE("tasks=30000", "shape=jobs", "users=5"));
  open_generator(&rows, CHOOSE("tasks=30000", "shape=jobs", "bundle=false", "users=5"));
  while ((b = next_row(&bundles))) {
    for (uint32_t i = 0; i < HC_MAX(b->count, 1u); i++) {
      r = next_row(&rows);
      assert_non_null(r);
      assert_true(r->job == b->job && r->id == b->id && r->submit == b->submit && r->user == b->user &&
                  r->count == 0);
      assert_true(memcmp(r->need, b->need, sizeof r->need) == 0);
      assert_true(i > 0 || r->run == b->run);
      const hc_task_extras *x = hc_lexicon_more(bundles.lexicon, b->more),
                           *y = hc_lexicon_more(rows.lexicon, r->more);
      assert_int_equal(x ? x->after_count : 0, y ? y->after_count : 0);
    }
  }
  assert_null(next_row(&rows));
  close_generator(&bundles);
  close_generator(&rows);
}

/* ---- state, and what is refused ---- */

static void a_snapshot_is_the_position(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(
      snapshot_goes_on(CHOOSE("tasks=5000", "rate=100"), CHOOSE("tasks=5000", "rate=100"), 1234, 9000), 40);
  snapshot_goes_on(CHOOSE("tasks=20000", "shape=jobs", "bundle=false"),
                   CHOOSE("tasks=20000", "shape=jobs", "bundle=false"), 3000, 30000);
  damaged_state_is_refused(CHOOSE("tasks=1"), 40);
}

static void the_same_bits_everywhere(void **state)
{
  HC_UNUSED(state);
  checksum_is(CHOOSE("tasks=0", "users=9", "weekly=1,1,1,1,1,0,0"), 5000, "424efb177fc245a3");
  checksum_is(CHOOSE("tasks=0", "shape=jobs"), 5000, "eda77c7bb47760f8");
}

static void longer_streams_begin_with_shorter_ones(void **state)
{
  generator a, b;
  const hc_task_spec *s, *t;
  HC_UNUSED(state);
  open_generator(&a, CHOOSE("tasks=3000"));
  open_generator(&b, CHOOSE("tasks=9000"));
  while ((s = next_row(&a))) {
    t = next_row(&b);
    assert_memory_equal(s, t, sizeof *s);
  }
  close_generator(&a);
  close_generator(&b);
}

static void what_cannot_be_is_refused(void **state)
{
  HC_UNUSED(state);
  refused(
      CHOOSE("run=long"),
      "run: \"long\", character 1: there is no such law; there are exponential, lognormal, weibull, gamma, "
      "hyperexponential, normal, uniform, loguniform, pareto, quantiles, values, file, and plain numbers");
  refused(CHOOSE("shape=jobs", "tasks_per_job=65"), "tasks_per_job can be above 64: bound it with `to 64`");
  refused(CHOOSE("shape=jobs", "instances=exponential(5)"),
          "instances can be above 1,000,000: bound it with `to 1000000`");
  refused(CHOOSE("weekly=1,2"), "weekly is not a list of 7 weights: give one for each day, from Monday");
}

static void extremes_are_harmless(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("tasks=0", "rate=1e6", "run=1e9", "cpu=1e15", "memory=1PiB"));
  for (int i = 0; i < 3000; i++) assert_true(next_row(&g)->run == (hc_time)1000000000 * HC_SECOND);
  close_generator(&g);
  open_generator(&g, CHOOSE("tasks=0", "rate=1e-3", "run=0", "cpu=0", "memory=0"));
  for (int i = 0; i < 10; i++) {
    const hc_task_spec *t = next_row(&g);
    assert_true(t->run == HC_SECOND && t->need[HC_DIM_CPU] == 0 && t->procs_asked == 1);
  }
  close_generator(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_is_what_was_said),   cmocka_unit_test(moments_are_as_announced),
      cmocka_unit_test(seconds_are_poisson),       cmocka_unit_test(days_have_their_weights),
      cmocka_unit_test(users_follow_zipf),         cmocka_unit_test(jobs_hold_together),
      cmocka_unit_test(rows_are_bundles_unrolled), cmocka_unit_test(a_snapshot_is_the_position),
      cmocka_unit_test(the_same_bits_everywhere),  cmocka_unit_test(longer_streams_begin_with_shorter_ones),
      cmocka_unit_test(what_cannot_be_is_refused), cmocka_unit_test(extremes_are_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
