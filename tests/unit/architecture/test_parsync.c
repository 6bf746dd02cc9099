/* test_parsync.c -- stale views: what a scheduler believes and when it looks, by hand; conflicts by their
 * expectation. */
#include "starts_test.h"
#include "sample.h"

#define SOURCE \
  "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: run, cpu: cpu, user: user}\n" \
  "policy: fcfs\nmetrics: [tasks]\nparanoid: true\n"
#define TITLES "job,id,at,run,cpu,user\n"
#define HOSTS(count, cpus) \
  "cell: {use: hosts, classes: [{count: " #count ", name_prefix: c, cpus: " #cpus "}]}\n"

/* Scheduler 0 takes user 1's jobs, scheduler 1 the others'; a thought takes 1 s, what is left comes back
 * after 1 s. */
#define PAIR(hosts, more) \
  SOURCE HOSTS(hosts, 1) "architecture: {use: parsync" more ", schedulers: [{name: one, takes: user == 1, " \
                         "think_job: 1s, think_task: 0}, {name: two, think_job: 1s, think_task: 0}]}\n"

/* ---- what is believed ---- */

/* One host, which user 1's job has from 11 to 16, and user 2's from 21 to 71: scheduler 1 believes it free,
 * as it was at 0. Scheduler 0 knows its own start and not its end. So job 3 is tried in vain from 30 on,
 * every 2 s; at 100 both look, and it starts at 101. If they look every second, it starts when the attempt of
 * 72 is over. */
static void test_own_starts(void **state)
{
  static const char *const tasks = TITLES "1,1,10,5,1,1\n2,2,20,50,1,2\n3,3,30,5,1,1\n";
  (void)state;
  STARTS(PAIR(1, ", sync: whole, gap: 100s"), tasks, 11, 21, 101);
  STARTS(PAIR(1, ", sync: whole, gap: 1s"), tasks, 11, 21, 73);
  STARTS(PAIR(1, ", gap: 0s, parts: 1"), tasks, 11, 21, 73);
}

/* The host is taken from 11 to 61. Scheduler 1 does not know, tries it at 21, is refused, and leaves it out
 * until it looks again at 100: one conflict. If it looks every second it waits, and nothing is refused. */
static void test_refused_host(void **state)
{
  static const char *const tasks = TITLES "1,1,10,50,1,1\n2,2,20,5,1,2\n";
  static const struct {
    const char *yaml;
    int64_t start;
    double conflicts;
  } cases[] = {{PAIR(1, ", sync: whole, gap: 100s"), 101, 1}, {PAIR(1, ", sync: whole, gap: 1s"), 63, 0}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    check(&b, try_text(&b, cases[i].yaml, tasks));
    finish(&b);
    assert_int_equal(start_of(&b, 2), cases[i].start);
    assert_true(figure(&b, "conflicts_two") == cases[i].conflicts);
    end(&b);
  }
}

/* Two hosts, two parts, steps of 10 s. Scheduler 0 looks at parts 0, 1, 0, 1 at 0, 10, 20, 30; scheduler 1 at
 * 1, 0, 1, 0. At 12 the fresh part of scheduler 0 is 1: task 1 starts there at 13. At 14 that of scheduler 1
 * is 0: task 2 starts there at 15. At 16 scheduler 0 knows that 1 is taken, and believes 0 free, as at 0:
 * refused at 17. From 18 on it has none. At 20 it sees that 0 is taken; that task 1 has ended at 23 it sees
 * at 30: 31. Looking at everything every 20 s, it sees both taken at 20, and both free at 40: 41. */
static void test_parts(void **state)
{
  static const char *const tasks = TITLES "1,1,12,10,1,1\n2,2,14,10,1,2\n3,3,16,5,1,1\n";
  bench b;
  (void)state;
  check(&b, try_text(&b, PAIR(2, ", parts: 2, gap: 20s, strategy: latency_first"), tasks));
  finish(&b);
  assert_int_equal(start_of(&b, 1), 13);
  assert_int_equal(start_of(&b, 2), 15);
  assert_int_equal(start_of(&b, 3), 31);
  assert_true(figure(&b, "conflicts_one") == 1 && figure(&b, "conflicts_two") == 0);
  /* Of what was chosen at 12, 14, 16 and 30, the ages are 2, 4, 16 and 0 s. */
  assert_true(figure(&b, "view_age_mean") == 5.5);
  end(&b);
}

/* Five schedulers on 80 slots at load 0.75. */
#define CROWD(sync, gap, strategy) \
  "source: {use: mixture, jobs: 500, interval: exponential(1), run: exponential(60), procs: 1}\npolicy: " \
  "fcfs\nmetrics: [wait]\n" HOSTS( \
      80, 1) "architecture: {use: parsync, parts: 5, sync: " sync ", gap: " gap ", strategy: " strategy \
             ", schedulers: [{name: all, count: 5, think_job: 0.1s, think_task: 0}]}\n"

static double of_crowd(const char *yaml, const char *name)
{
  static bench b;
  double x;
  check(&b, try_text(&b, yaml, ""));
  check(&b, hc_run_advance(b.run, HC_NEVER, 0, &b.error));
  check(&b, hc_run_finish(b.run, &b.error));
  x = figure(&b, name);
  end(&b);
  return x;
}

/* The longer ago all looked at everything, the more choose what is taken. Who looks at a part at a time, each
 * at another, has a part that is fresh and his own: at the same gap a third of the conflicts at most. */
static void test_gap_costs(void **state)
{
#define SHARE(sync, gap) of_crowd(CROWD(sync, gap, "latency_first"), "task_conflict_share_all")
  (void)state;
  assert_true(SHARE("whole", "0s") < SHARE("whole", "2s"));
  assert_true(SHARE("whole", "2s") < SHARE("whole", "10s"));
  assert_true(SHARE("whole", "10s") < SHARE("whole", "40s"));
  assert_true(SHARE("parts", "10s") < SHARE("whole", "10s") / 3);
  assert_true(SHARE("parts", "40s") < SHARE("whole", "40s") / 3);
}

/* What the paper finds: the same quality, and less waiting. */
static void test_same_quality(void **state)
{
#define PARTS CROWD("parts", "10s", "quality_first")
#define WHOLE CROWD("whole", "10s", "quality_first")
  const double apart = of_crowd(PARTS, "quality_mean") - of_crowd(WHOLE, "quality_mean");
  (void)state;
  assert_true(apart > -0.05 && apart < 0.05);
  assert_true(of_crowd(PARTS, "wait_mean") < of_crowd(WHOLE, "wait_mean") / 2);
}

/* ---- conflicts ---- */

static double root(double x)
{
  double r = x > 1 ? x : 1;
  for (int i = 0; i < 60; i++) r = (r + x / r) / 2;
  return r;
}

/* N jobs of K tasks, one for each of N schedulers, one after another within one gap: all choose K of S slots
 * at random as if the cell were empty. Of N K choices, those of a slot that is taken are refused; expected
 * are S (N K / S - 1 + (1 - K / S)^N). 500 replications: the expectation lies within Student's interval of
 * level 0.999 (499 degrees: 3.31) around the mean, which is narrower than a tenth of it. */
static void assert_conflicts(int n, int k, int s)
{
  double sum = 0, squares = 0, free = 1, want, half, mean;
  hc_buffer text;
  char yaml[600];
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_text(&text, TITLES);
  for (int i = 0; i < n; i++)
    for (int t = 0; t < k; t++) hc_buffer_printf(&text, "%d,%d,%d,5000,1,%d\n", i, i * k + t, i, i);
  (void)snprintf(
      yaml, sizeof yaml,
      SOURCE
      "cell: {use: hosts, classes: [{count: %d, name_prefix: c, cpus: 1}]}\n"
      "architecture: {use: parsync, sync: whole, gap: 1h, strategy: latency_first, spread: round_robin, "
      "attempts: 1, attempts_in_vain: 1, schedulers: [{name: all, count: %d, think_job: 0.1s, "
      "think_task: 0}]}\n",
      s, n);
  for (int r = 0; r < 500; r++) {
    static bench b;
    char set[40];
    memset(&b, 0, sizeof b);
    write_log(b.path, text.data, text.size);
    check(&b, configure(&b, hc_default_allocator(), yaml, NULL));
    (void)snprintf(set, sizeof set, "replication=%d", r);
    check(&b, hc_config_set(b.config, set, &b.error));
    check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
    check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
    check(&b, hc_run_advance(b.run, HC_NEVER, 0, &b.error));
    check(&b, hc_run_finish(b.run, &b.error));
    const double x = figure(&b, "tasks_given_up_all");
    sum += x;
    squares += x * x;
    end(&b);
  }
  hc_buffer_fini(&text);
  for (int i = 0; i < n; i++) free *= 1 - (double)k / s;
  want = s * ((double)n * k / s - 1 + free);
  mean = sum / 500;
  half = 3.31 * root((squares / 500 - mean * mean) / 499);
  if (!(mean - half < want && want < mean + half) || half > 0.1 * want)
    fail_msg("%d schedulers, %d of %d slots: %g +- %g conflicts, should be %g", n, k, s, mean, half, want);
}

static void test_conflict_model(void **state)
{
  (void)state;
  hc_test_skip_repeated();
  assert_conflicts(2, 10, 40);
  assert_conflicts(5, 10, 100);
  assert_conflicts(10, 5, 60);
}

/* ---- strategies ---- */

/* Ten of a hundred hosts. The best ten have a mean quality of 1 - 5.5 / 101 = 0.946 in expectation, ten drawn
 * ones 0.5, with deviations of 0.016 and 0.09. Under adaptive the first job (ten tasks, no wait) gets the
 * best; the second waits for 1 s and gets the best of what is left, 0.847; with a threshold of 0.5 s it does
 * not: about 0.7 in all. */
static void test_strategies(void **state)
{
  static const struct {
    const char *strategy, *threshold;
    double low, high;
  } cases[] = {{"quality_first", "1.5s", 0.85, 0.94},
               {"latency_first", "1.5s", 0.3, 0.69},
               {"adaptive", "1.5s", 0.85, 0.94},
               {"adaptive", "0.5s", 0.55, 0.82}};
  char tasks[1000] = TITLES, yaml[600];
  (void)state;
  for (int t = 0; t < 20; t++)
    (void)snprintf(tasks + strlen(tasks), sizeof tasks - strlen(tasks), "%d,%d,0,50,1,1\n", t / 10, t);
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    (void)snprintf(
        yaml, sizeof yaml,
        SOURCE HOSTS(100,
                     1) "architecture: {use: parsync, parts: 4, strategy: %s, threshold: %s, schedulers: "
                        "[{name: all, think_job: 1s, think_task: 0}]}\n",
        cases[i].strategy, cases[i].threshold);
    check(&b, try_text(&b, yaml, tasks));
    finish(&b);
    const double quality = figure(&b, "quality_mean");
    if (!(quality > cases[i].low && quality < cases[i].high)) fail_msg("%s\nmean quality %g", yaml, quality);
    end(&b);
  }
}

/* Tasks of different sizes in one job: the small one is not kept from the host that was too small for the
 * large one. */
static void test_sizes(void **state)
{
  (void)state;
  STARTS(
      SOURCE
      "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: b, cpus: 4}]}\narchitecture: {use: parsync, "
      "parts: 1, schedulers: [{name: all, think_job: 1s, think_task: 0}]}\n",
      TITLES "1,1,0,50,4,1\n1,2,0,50,1,1\n", 1, 1);
}

/* ---- what is refused ---- */

static void assert_refused(const char *yaml, const char *why)
{
  bench b;
  assert_true(try_text(&b, yaml, TITLES "1,1,0,5,1,1\n") < 0);
  if (!strstr(b.error.text, why))
    fail_msg("%s\nis refused by\n%s\nwhich does not say: %s", yaml, b.error.text, why);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused(SOURCE "cell: {use: count, procs: 4}\narchitecture: parsync\n", "use `cell: {use: hosts");
  assert_refused(PAIR(4, ", parts: 5"), "cannot be cut into 5 parts");
  assert_refused(PAIR(4, ", parts: 4, gap: 0.000000001s"), "has no 4 steps");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_starts),   cmocka_unit_test(test_refused_host),
      cmocka_unit_test(test_parts),        cmocka_unit_test(test_gap_costs),
      cmocka_unit_test(test_same_quality), cmocka_unit_test(test_conflict_model),
      cmocka_unit_test(test_strategies),   cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
