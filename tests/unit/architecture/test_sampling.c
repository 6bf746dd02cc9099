/* test_sampling.c -- schedulers that sample hosts: every message by hand, closed forms, and what is
 * refused. */
#include "starts_test.h"
#include "sample.h"

#define SOURCE \
  "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: run, cpu: cpu, limit: limit}\n" \
  "policy: fcfs\nmetrics: [tasks, wait]\nparanoid: true\n"
#define TITLES "job,id,at,run,cpu,limit\n"
#define HOSTS(count, cpus) \
  "cell: {use: hosts, classes: [{count: " #count ", name_prefix: c, cpus: " #cpus "}]}\n"

#define SPARROW(hosts, cpus, more) \
  SOURCE HOSTS(hosts, cpus) "architecture: {use: sparrow, latency: 1s" more "}\n"

/* ---- sparrow ---- */

/* One host of two cores, a job of three tasks of 10 s: three reservations at 1. The host keeps two cores and
 * asks twice; the answers are there at 3. When the two end at 13 it asks for the third: 15. Early binding:
 * asked at 1, answered at 2, all three there at 3, so that the third starts as soon as there is room. */
static void test_bindings(void **state)
{
  static const char *const tasks = TITLES "1,1,0,10,1,\n1,2,0,10,1,\n1,3,0,10,1,\n";
  (void)state;
  STARTS(SPARROW(1, 2, ""), tasks, 3, 3, 15);
  STARTS(SPARROW(1, 2, ", binding: early"), tasks, 3, 3, 13);
}

/* Two hosts of one core, and two jobs of one task with a reservation on each. Both hosts ask for job 1 from 1
 * to 3; one gets it, the other hears that there is none, and asks for job 2 from 3 to 5. */
static void test_empty_answer(void **state)
{
  static const char *const tasks = TITLES "1,1,0,50,1,\n2,2,0,50,1,\n";
  bench b;
  (void)state;
  STARTS(SPARROW(2, 1, ""), tasks, 3, 5);
  check(&b, try_text(&b, SPARROW(2, 1, ""), tasks));
  finish(&b);
  assert_true(figure(&b, "probes") == 4);
  /* Job 2's second reservation is answered in vain too, at 55. */
  assert_true(figure(&b, "answers_empty") == 2);
  assert_true(figure(&b, "messages") == 4 + 2 * 4); /* four reservations; each is asked for, and answered */
  assert_true(figure(&b, "task_wait_mean") == 4 && figure(&b, "job_time_mean") == 54);
  end(&b);
}

/* Job 1 is on one host from 3 to 103, job 2 on the other from 13 to 200; of job 2 a reservation is left on
 * the first. Job 3 has reservations on both at 91. At 103 the first host asks for job 2 in vain until 105,
 * then for job 3 until 107. If the reservation is taken back (at 13) it asks for job 3 at once. */
static void test_cancel(void **state)
{
  static const char *const tasks = TITLES "1,1,0,100,1,\n2,2,10,187,1,\n3,3,90,5,1,\n";
  bench b;
  (void)state;
  STARTS(SPARROW(2, 1, ""), tasks, 3, 13, 107);
  STARTS(SPARROW(2, 1, ", cancel: true"), tasks, 3, 13, 105);
  check(&b, try_text(&b, SPARROW(2, 1, ", cancel: true"), tasks));
  finish(&b);
  assert_true(figure(&b, "cancelled") == 2); /* job 3's second one too, on the host that is busy until 200 */
  end(&b);
}

/* Only one host has two cores. A task that needs them has a reservation there and nowhere else; and since it
 * is the only one that is asked, job 2 starts when job 1 has ended, by its next question. */
static void test_who_could(void **state)
{
  static const char *const tasks = TITLES "1,1,0,10,2,\n2,2,1,10,2,\n";
  (void)state;
  STARTS(SOURCE
         "cell: {use: hosts, classes: [{count: 20, name_prefix: a, cpus: 1}, {count: 1, name: b, cpus: 2}]}\n"
         "architecture: {use: sparrow, latency: 1s}\n",
         tasks, 3, 15);
}

/* Eight processors of a batch log fit the cell but no host: rejected, and the others go on. */
static void test_no_single_host(void **state)
{
  static const job jobs[] = {J(1, 0, 5, 8, 9), J(2, 0, 5, 4, 9)};
  static const int64_t starts[] = {NEVER_STARTED, 0};
  (void)state;
  assert_starts("metrics: [tasks]\npolicy: fcfs\n" HOSTS(4, 4) "architecture: {use: sparrow, latency: 0s}\n",
                16, jobs, 2, starts);
}

/* One scheduler that thinks for 10 s lets the second job's probes go at 20; two schedulers do so at 10. */
static void test_think(void **state)
{
  static const char *const tasks = TITLES "1,1,0,50,1,\n2,2,0,50,1,\n";
  (void)state;
  STARTS(SPARROW(4, 4, ", think_job: 10s, schedulers: 1"), tasks, 13, 23);
  STARTS(SPARROW(4, 4, ", think_job: 10s, schedulers: 2"), tasks, 13, 13);
}

/* A task that was taken away while its reservation stood in a queue is not started, and no task waits for it:
 * the host is busy from 3 to 103; row 2 is withdrawn at 50 (its wait), row 3 asked for at 103. The log has
 * whole seconds, so its third task may be told from the second. */
static void test_withdrawn(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 4, 200), J_WITH(2, 10, -1, 4, 200, .wait = 40),
                             J(3, 20, 10, 4, 200)};
  static const int64_t starts[] = {3, NEVER_STARTED, 107}; /* 105: none is left of job 2; 107 */
  (void)state;
  assert_starts("metrics: [tasks]\npolicy: fcfs\ncancelled: withdraw\n" HOSTS(
                    1, 4) "architecture: {use: sparrow, latency: 1s}\n",
                4, jobs, 3, starts);
}

/* The host goes away at 10 with its task, which is sent out anew: its reservation waits from 11 on for the
 * host to return at 30, is asked for at 31, answered at 32. */
static void test_host_lost(void **state)
{
  (void)state;
  STARTS(SPARROW(1, 1, "") "events: {use: list, changes: [{at: 10, hosts: c-0, change: down, until: 30}]}\n",
         TITLES "1,1,0,20,1,\n", 32);
}

/* ---- closed forms ---- */

#define POISSON(jobs, gap, run) \
  "source: {use: mixture, jobs: " #jobs ", interval: exponential(" #gap "), run: exponential(" #run \
  "), procs: 1}\npolicy: fcfs\nmetrics: [wait]\n"

static void run_it(bench *b, const char *yaml, int64_t replication)
{
  char set[40];
  memset(b, 0, sizeof *b);
  write_log(b->path, "", 0);
  check(b, configure(b, hc_default_allocator(), yaml, NULL));
  (void)snprintf(set, sizeof set, "replication=%" PRId64, replication);
  check(b, hc_config_set(b->config, set, &b->error));
  check(b, hc_store_new(b->allocator, NULL, &b->store, &b->error));
  check(b, hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error));
  check(b, hc_run_advance(b->run, HC_NEVER, 0, &b->error));
  check(b, hc_run_finish(b->run, &b->error));
}

/* A reservation on every host is one shared queue: with no latency each task starts when it does under first
 * come, first served, to the nanosecond. */
static void test_one_shared_queue(void **state)
{
  static bench one, other;
  (void)state;
#define FIVE POISSON(1000, 2, 9) HOSTS(5, 1)
  run_it(&one, FIVE "architecture: monolithic\n", 0);
  run_it(&other, FIVE "architecture: {use: sparrow, probes: 5, latency: 0s}\n", 0);
  read_records(&one);
  read_records(&other);
  assert_int_equal(one.count, 1000);
  for (size_t i = 0; i < one.count; i++) {
    assert_int_equal(one.records[i].id, other.records[i].id);
    assert_int_equal(one.records[i].start, other.records[i].start);
  }
  assert_true(figure(&one, "wait_mean") > 1); /* they do wait */
  end(&one);
  end(&other);
}

static double root(double x)
{
  double r = x > 1 ? x : 1;
  for (int i = 0; i < 60; i++) r = (r + x / r) / 2;
  return r;
}

/* Ten replications: the closed form lies within Student's interval of level 0.999 around their mean, whose
 * half width is less than `most` of it. */
static void assert_mean_wait(const char *yaml, double want, double most)
{
  double sum = 0, squares = 0, half;
  for (int64_t r = 0; r < 10; r++) {
    static bench b;
    run_it(&b, yaml, r);
    const double x = figure(&b, "task_wait_mean");
    sum += x;
    squares += x * x;
    end(&b);
  }
  half = 4.781 * root((squares / 10 - sum / 10 * sum / 10) / 9);
  if (!(sum / 10 - half < want && want < sum / 10 + half) || half > most * want)
    fail_msg("%s\nmean wait %g +- %g, should be %g", yaml, sum / 10, half, want);
}

/* M/M/4 at load 0.7: Erlang's C(4, 2.8) = 0.42866, mean wait C S / (c - a) = 0.42866 x 10 / 1.2 s. The run
 * begins empty; the relaxation time, S / (c (1 - sqrt(0.7))^2) = 94 s, is 0.1 % of a replication's 107,000
 * s. */
static void test_erlang_c(void **state)
{
  double term = 1, sum = 1, c;
  (void)state;
  hc_test_skip_repeated();
  for (int k = 1; k < 4; k++) sum += term *= 2.8 / k;
  term *= 2.8 / 4 / (1 - 0.7);
  c = term / (sum + term);
  assert_mean_wait(POISSON(30000, 3.5714, 10)
                       HOSTS(4, 1) "architecture: {use: sparrow, probes: 4, latency: 0s}\n",
                   c * 10 / 1.2, 0.2);
}

/* With one probe tasks are split at random: each of 10 hosts is an M/M/1 queue at load 0.6, mean wait S 0.6 /
 * 0.4. Late or early is then the same. */
static void test_random_split(void **state)
{
  (void)state;
  hc_test_skip_repeated();
  assert_mean_wait(POISSON(5000, 1.66667, 10)
                       HOSTS(10, 1) "architecture: {use: sparrow, probes: 1, latency: 0s}\n",
                   15, 0.2);
  assert_mean_wait(POISSON(5000, 1.66667, 10)
                       HOSTS(10, 1) "architecture: {use: sparrow, probes: 1, latency: 0s, binding: early}\n",
                   15, 0.2);
}

/* The power of two choices: of many hosts at load x, the mean time in the system is S times the sum of x^(2^i
 * - 2), i from 1 (Mitzenmacher 2001, doi:10.1109/71.963420). With 100 hosts and 5 x 20,000 tasks the limit is
 *   met within 3 %: 0.4 %
 * for the finite cell, below 1 % for its empty beginning, three deviations of 0.5 % for chance. */
static void test_two_choices(void **state)
{
  double want = 0, sum = 0;
  (void)state;
  hc_test_skip_repeated();
  for (int i = 1, power = 2; i < 6; i++, power *= 2) {
    double x = 1;
    for (int k = 0; k < power - 2; k++) x *= 0.7;
    want += 10 * x;
  }
  for (int64_t r = 0; r < 5; r++) {
    static bench b;
    run_it(&b,
           POISSON(20000, 0.142857, 10)
               HOSTS(100, 1) "architecture: {use: sparrow, latency: 0s, binding: early}\n",
           r);
    sum += figure(&b, "job_time_mean") / 5;
    end(&b);
  }
  if (sum < 0.97 * want || sum > 1.03 * want) fail_msg("time in system %g, should be %g", sum, want);
}

/* ---- hawk ---- */

#define SPLIT(use, hosts, more) \
  SOURCE HOSTS(hosts, 1) "architecture: {use: " use ", latency: 1s, cutoff: 50s" more "}\n"

/* Host 2 is kept for short jobs. The two long tasks of job 1 arrive on hosts 0 and 1 at 1. At 10 both have 91
 * s left: job 2 goes to host 0, and then host 1 has less: job 3. Both start at 101. The short job 4 has
 * reservations everywhere at 31; host 2 asks: 33. */
static void test_central(void **state)
{
  static const char *const tasks =
      TITLES "1,1,0,100,1,100\n1,2,0,100,1,100\n2,3,10,60,1,60\n3,4,20,60,1,60\n4,5,30,10,1,10\n";
  (void)state;
  STARTS(SPLIT("hawk", 3, ", short_share: 0.34, probes: 3"), tasks, 1, 1, 101, 101, 33);
}

/* The mean of a job's tasks decides: (10 + 100) / 2 is long, (10 + 80) / 2 is not. Long tasks go out at once,
 * and take one way; short ones take three. */
static void test_mean_decides(void **state)
{
  static const char *const tasks = TITLES "1,1,0,10,1,10\n1,2,0,10,1,100\n2,3,0,10,1,10\n2,4,0,10,1,80\n";
  (void)state;
  STARTS(SPLIT("hawk", 9, ", short_share: 0"), tasks, 1, 1, 3, 3);
}

/* A task without an estimate is long. */
static void test_no_estimate(void **state)
{
  static const char *const tasks = TITLES "1,1,0,10,1,\n2,2,0,10,1,10\n";
  (void)state;
  STARTS(SPLIT("hawk", 4, ", short_share: 0") "no_limit: endless\n", tasks, 1, 3);
}

/* One long task of 1,000 s, then forty short ones of 1 s, one every 5 s, each with one reservation on one of
 * two hosts. */
static void forty(char *text, size_t size)
{
  size_t n = (size_t)snprintf(text, size, TITLES "1,1,0,1000,1,1000\n");
  for (int i = 2; i <= 41; i++) n += (size_t)snprintf(text + n, size - n, "%d,%d,%d,1,1,1\n", i, i, 5 * i);
}

static int64_t late_of(const char *yaml, const char *tasks, bench *b)
{
  int64_t late = 0;
  check(b, try_text(b, yaml, tasks));
  finish(b);
  for (int64_t t = 2; t <= 41; t++) late += start_of(b, t) > 300;
  return late;
}

/* Without stealing about half wait behind the long task. With it, the other host takes them when it next has
 * nothing to do: only those that come after it was last idle can be caught, and with d = 1 these are the last
 * ones in a row that host 0 gets. */
static void test_stealing(void **state)
{
  static bench b;
  char tasks[2048];
  int64_t left;
  (void)state;
  forty(tasks, sizeof tasks);
  left = late_of(SPLIT("hawk", 2, ", short_share: 0, probes: 1, steal: 0"), tasks, &b);
  assert_true(left > 10 && left < 30);
  assert_true(figure(&b, "stolen") == 0 && figure(&b, "steals") == 0);
  end(&b);
  const int64_t caught = late_of(SPLIT("hawk", 2, ", short_share: 0, probes: 1"), tasks, &b);
  assert_true(caught < 6);
  assert_true(figure(&b, "stolen") == (double)(left - caught));
  end(&b);
}

/* ---- eagle ---- */

/* No task queues behind the long one: those that find it are turned away to the other host. */
static void test_marks(void **state)
{
  static bench b;
  char tasks[2048];
  (void)state;
  forty(tasks, sizeof tasks);
  const int64_t left = late_of(SPLIT("hawk", 2, ", short_share: 0, probes: 1, steal: 0"), tasks, &b);
  end(&b);
  assert_int_equal(late_of(SPLIT("eagle", 2, ", short_share: 0, probes: 1, steal: 0"), tasks, &b), 0);
  assert_true(figure(&b, "probes_rejected") == (double)left); /* the same draws */
  end(&b);
}

/* Turned away twice, a probe goes to the part that is kept. Hosts 0 and 1 have long tasks at 1, host 2 is
 * kept; a probe that finds one of them is back at 12, no host of theirs is unmarked, and host 2 gets it at
 * 13: 15. One that was drawn for host 2 starts at 13. */
static void test_kept_part(void **state)
{
  static const char *const tasks = TITLES "1,1,0,100,1,100\n1,2,0,100,1,100\n2,3,10,5,1,5\n";
  static bench b;
  bool turned[2] = {false, false};
  (void)state;
  for (int seed = 1; seed <= 12; seed++) {
    char set[24];
    memset(&b, 0, sizeof b);
    write_log(b.path, tasks, strlen(tasks));
    check(&b,
          configure(&b, hc_default_allocator(), SPLIT("eagle", 3, ", short_share: 0.34, probes: 1"), NULL));
    (void)snprintf(set, sizeof set, "seed=%d", seed);
    check(&b, hc_config_set(b.config, set, &b.error));
    check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
    check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
    finish(&b);
    const bool was = figure(&b, "probes_rejected") > 0;
    assert_int_equal(start_of(&b, 3), was ? 15 : 13);
    turned[was] = true;
    end(&b);
  }
  assert_true(turned[0] && turned[1]);
}

/* One host, a job of two tasks of 30 s, and at 10 one of 10 s. The host starts task 1 at 3. At 33 it asks job
 * 1 again (sticky): task 2 at 35. At 65 it asks once more in vain, then for the reservation that is left of
 * job 1, of which nothing is left to do: 67, 69, and task 3 starts at 71. Without sticking, at 33 job 2 has
 * less left: 35, then task 2 at 47. First come, first served: task 2 at 35, task 3 at 67. */
static void test_sticky_and_srpt(void **state)
{
  static const char *const tasks = TITLES "1,1,0,30,1,30\n1,2,0,30,1,30\n2,3,10,10,1,10\n";
  (void)state;
  STARTS(SPLIT("eagle", 1, ", short_share: 0"), tasks, 3, 35, 71);
  STARTS(SPLIT("eagle", 1, ", short_share: 0, sticky: false"), tasks, 3, 47, 35);
  STARTS(SPLIT("eagle", 1, ", short_share: 0, sticky: false, bypass: 0"), tasks, 3, 35, 67);
}

/* The host is busy from 3 to 53. Of those that wait, job 2 of 40 s is first and is passed by two of 10 s, at
 * 55 and 67; not by the third: 79, and that one at 79 + 40 + 2. */
static void test_bypass(void **state)
{
  static const char *const tasks =
      TITLES "1,1,0,50,1,50\n2,2,10,40,1,40\n3,3,20,10,1,10\n4,4,21,10,1,10\n5,5,22,10,1,10\n";
  (void)state;
  STARTS(SPLIT("eagle", 1, ", short_share: 0, sticky: false, bypass: 2"), tasks, 3, 79, 55, 67, 121);
  STARTS(SPLIT("eagle", 1, ", short_share: 0, sticky: false"), tasks, 3, 91, 55, 67, 79);
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
  assert_refused(SOURCE "cell: {use: count, procs: 4}\narchitecture: sparrow\n", "use `cell: {use: hosts");
  assert_refused(SPLIT("hawk", 2, ", short_share: 0.8"), "leaves none for long jobs");
  assert_refused(SPARROW(2, 1, ", probes: 0"), "probes");
  assert_refused(
      "policy: easy\n" HOSTS(2, 1) "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: "
                                   "run, cpu: cpu}\narchitecture: sparrow\n",
      "a selector that makes reservations cannot act");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bindings),        cmocka_unit_test(test_empty_answer),
      cmocka_unit_test(test_cancel),          cmocka_unit_test(test_who_could),
      cmocka_unit_test(test_no_single_host),  cmocka_unit_test(test_think),
      cmocka_unit_test(test_withdrawn),       cmocka_unit_test(test_one_shared_queue),
      cmocka_unit_test(test_host_lost),       cmocka_unit_test(test_erlang_c),
      cmocka_unit_test(test_random_split),    cmocka_unit_test(test_two_choices),
      cmocka_unit_test(test_central),         cmocka_unit_test(test_mean_decides),
      cmocka_unit_test(test_no_estimate),     cmocka_unit_test(test_stealing),
      cmocka_unit_test(test_marks),           cmocka_unit_test(test_kept_part),
      cmocka_unit_test(test_sticky_and_srpt), cmocka_unit_test(test_bypass),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
