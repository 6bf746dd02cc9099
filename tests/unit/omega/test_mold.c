/* test_mold.c -- moldable jobs of the closed world `omega`: closed forms of each policy in a cell whose room
 * is known, a cell in which jobs meet, worked by hand, worker-seconds that no policy changes, and jobs that
 * nothing happens to. */
#include "world_test.h"

/* ---- closed forms ---- */

/* One job of five workers of a cpu and 2 GB, and ten machines of 4 cpus and 16 GB, of which a share may be
 * taken. */
static void one_job(const char *mold, const char *more, const char *worker, int activities, double width)
{
  char text[1024];
  world w;
  (void)snprintf(
      text, sizeof text,
      "world: {use: omega, machines: 10, run_time: 900, %s, workloads: [{name: J, mold: %s, arrivals: "
      "{use: uniform, interarrival: 1000, tasks: 5, duration: 100, activities: %d%s}}]}",
      more, mold, activities, worker);
  w = run(text);
  near(figure(&w, "speed_up_mean_J"), width / 5);
  near(figure(&w, "speed_up_p50_J"), width / 5);
  near(figure(&w, "jobs_sped_up_share_J"), width > 5);
  near(figure(&w, "jobs_moldable_share_J"), activities > 5);
  near(figure(&w, "tasks_started"), width);
  near(figure(&w, "extra_workers_J"), width - 5);
  /* it is thought about for 0.1 s and 5 ms a worker, and then runs for 100 s x 5 / width */
  near(figure(&w, "turnaround_mean_J"), 0.1 + 0.005 * width + 500 / width);
  near(figure(&w, "attempts_p90_J"), 1);
  done(&w);
}

/* 40 workers find room: the speed-up is min(activities, idle) / configured, and never below 1. */
static void test_max_parallelism(void **state)
{
  static const int activities[] = {0, 1, 5, 6, 20, 40, 41, 1000000000};
  static const double widths[] = {5, 5, 5, 6, 20, 40, 40, 40};
  (void)state;
  for (int i = 0; i < 8; i++) {
    one_job("max_parallelism", "architecture: shared_state", "", activities[i], widths[i]);
    one_job("max_parallelism", "architecture: monolithic", "", activities[i], widths[i]);
    one_job("max_parallelism", "pick: probe", "", activities[i], widths[i]);
    one_job("configured", "pick: choose", "", activities[i], 5);
  }
  /* Idle is what workers find room in: three of 1.3 cpus on a machine, where all of 40 cpus would be 30.8;
   * three of 5 GB; none on a machine that half of the schedulers never use. */
  one_job("max_parallelism", "pick: choose", ", cpus: 1.3", 1000, 30);
  one_job("max_parallelism", "pick: choose", ", memory: 5", 1000, 30);
  one_job("max_parallelism", "blacklist: 0.5", "", 1000, 20);
  one_job("max_parallelism", "blacklist: 0.5, pick: probe", "", 1000, 20);
  one_job("max_parallelism", "blacklist: 0.5, pick: probe, defects: blacklist", "", 1000, 20);
}

/* 60 % of 40 cpus are 24, of 160 GB are 96 GB: the last worker brings the cell to the cap exactly. What
 * others hold counts, and no job gets fewer than it asked for. */
static void test_global_cap(void **state)
{
  (void)state;
  one_job("global_cap", "pick: choose", "", 1000, 24);
  one_job("global_cap", "pick: choose", "", 10, 10);
  one_job("{use: global_cap, cap: 0.5}", "pick: choose", "", 1000, 20);
  one_job("{use: global_cap, cap: 1}", "pick: choose", "", 1000, 40);
  one_job("global_cap", "pick: choose", ", memory: 4", 1000, 24);
  one_job("global_cap", "pick: choose", ", memory: 5", 1000, 19); /* 96 GB / 5 GB = 19.2 */
  one_job("global_cap", "prefill: {use: even, share: 0.25}", "", 1000, 14);
  one_job("global_cap", "prefill: {use: even, share: 0.5}", "", 1000, 5);
  one_job("global_cap", "prefill: {use: even, share: 0.75}", "", 1000, 5);
}

static void test_relative_job_size(void **state)
{
  (void)state;
  one_job("relative_job_size", "pick: choose", "", 1000, 20);
  one_job("relative_job_size", "pick: choose", "", 12, 12);
  one_job("{use: relative_job_size, factor: 2.5}", "pick: choose", "", 1000, 12); /* of 12.5 */
  one_job("{use: relative_job_size, factor: 1}", "pick: choose", "", 1000, 5);
  one_job("{use: relative_job_size, factor: 100}", "pick: choose", "", 1000, 40);
  one_job("relative_job_size", "prefill: {use: even, share: 0.75}", "", 1000, 10);
}

/* What a policy answers where nothing is left to be had, and of a worker that takes nothing of a resource. */
static void test_answers(void **state)
{
  hc_registry *registry;
  hc_mold_resource r[] = {{1, 90, 100}, {0, 7, 5}};
  hc_mold_question q = {.configured = 3, .useful = 50, .idle = 0, .resources = r, .resource_count = 2};
  double cap = 0.5;
  hc_chosen c = {.options = &cap};
  (void)state;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  assert_int_equal(hc_mold_width(&c, &q), 3); /* without a policy */
  c.type = hc_registry_find(registry, HC_KIND_MOLD, "global_cap");
  assert_non_null(c.type);
  assert_int_equal(hc_mold_width(&c, &q), 3);
  q.idle = 20;
  assert_int_equal(hc_mold_width(&c, &q), 3);
  cap = 0.95;
  assert_int_equal(hc_mold_width(&c, &q), 5);
  r[0].worker = 0; /* nothing brings it nearer to the cap */
  assert_int_equal(hc_mold_width(&c, &q), 20);
  hc_registry_free(registry);
}

/* ---- jobs that meet ---- */

/* Eight cpus, ten workers, forty activities: eight find room and do their own work, 100 s of it, from 1 s on.
 * What is left is two workers' work and eight activities. It is tried every two seconds; the attempt that
 * begins at 101 s or after sees eight idle cpus, and eight workers do the work of two in 25 s. The job's
 * speed-up is the least of its parts'. */
static void test_in_parts(void **state)
{
  world w = run(
      "world: {use: omega, machines: 2, run_time: 900, workloads: [{name: J, mold: max_parallelism, "
      "think_job: 1, think_task: 0, arrivals: {use: uniform, interarrival: 1000, tasks: 10, duration: 100, "
      "activities: 40}}]}");
  const double samples = figure(&w, "makespan") + 1, busy = figure(&w, "cpu_utilisation") * 8 * samples;
  (void)state;
  near(figure(&w, "tasks_started"), 16);
  near(figure(&w, "extra_workers_J"), 6);
  near(figure(&w, "speed_up_mean_J"), 1);
  near(figure(&w, "tasks_unscheduled_J"), 0);
  near(busy, 8 * 100 + 8 * 25); /* = 10 x 100 */
  near(figure(&w, "turnaround_mean_J"), 102 + 1 + 25);
  done(&w);
}

/* Both schedulers see 40 idle cpus. A's job has 20 activities and takes as many at 1 s; B's would take 40 and
 * has found places for them when it commits at 2 s: twenty are gone. The other twenty start, four times what
 * its user asked for, and the job is whole: there is no second attempt, though the transaction had conflicts.
 * All-or-nothing starts none of them. */
static void test_private_view(void **state)
{
  static const char *const transactions[] = {"incremental", "all_or_nothing"};
  (void)state;
  for (int gang = 0; gang < 2; gang++) {
    char text[1024];
    world w;
    (void)snprintf(text, sizeof text,
                   "world: {use: omega, machines: 10, run_time: 2.5, transaction: %s, workloads: ["
                   "{name: A, mold: max_parallelism, think_job: 1, think_task: 0, arrivals: {use: uniform, "
                   "interarrival: 900, tasks: 5, activities: 20}}, "
                   "{name: B, mold: max_parallelism, think_job: 2, think_task: 0, arrivals: {use: uniform, "
                   "interarrival: 900, tasks: 5, activities: 100}}]}",
                   transactions[gang]);
    w = run(text);
    near(figure(&w, "speed_up_mean_A"), 4);
    near(figure(&w, "failed_OmegaB-1"), 1);
    near(figure(&w, "jobs_scheduled_B"), !gang);
    near(figure(&w, "tasks_started"), gang ? 20 : 40);
    near(figure(&w, "task_attempts_p90_B"), 40);
    if (!gang) near(figure(&w, "speed_up_mean_B"), 4);
    if (!gang) near(figure(&w, "tasks_failed_OmegaB-1"), 20);
    done(&w);
  }
}

/* ---- laws ---- */

static hc_rc add_up(void *ctx, const char *const *v)
{
  *(double *)ctx += strtod(v[1], NULL);
  return 0;
}

/* Ten jobs J that may have 20 workers in place of 5, and seventeen K that may not, on 40 cpus. */
static void write_meeting(void)
{
  FILE *f = fopen("test_mold.tmp", "w");
  assert_non_null(f);
  fputs("workload,submit_s,num_tasks,duration_s,cpus,mem,num_activities\n", f);
  for (int i = 0; i < 10; i++) fprintf(f, "J,%d,5,120,1,1,20\n", 50 * i);
  for (int i = 0; i < 17; i++) fprintf(f, "K,%d,5,40,1,1,\n", 30 * i);
  (void)fclose(f);
}

/* Whatever a job gets, its worker-seconds stay: 10 x 5 x 120 and 17 x 5 x 40. There is always room for a
 * multiple of five, so that J has 5, 10, 15 or 20 workers and runs for 120, 60, 40 or 30 s, which the samples
 * of each second add up exactly. The ledger has a state for each worker. */
static void test_conservation(void **state)
{
  static const char *const molds[] = {"", "mold: configured,", "mold: {use: relative_job_size, factor: 2},",
                                      "mold: {use: global_cap, cap: 0.75},", "mold: max_parallelism,"};
  (void)state;
  write_meeting();
  for (size_t i = 0; i < sizeof molds / sizeof molds[0]; i++) {
    char text[1024];
    world w;
    double workers = 0;
    hc_error e = {0};
    (void)snprintf(text, sizeof text,
                   "world: {use: omega, architecture: monolithic, machines: 10, run_time: 3000, workloads: ["
                   "{name: J, think_job: 1, think_task: 0, %s arrivals: {use: table, file: test_mold.tmp}}, "
                   "{name: K, think_job: 1, think_task: 0, arrivals: {use: table, file: test_mold.tmp}}]}",
                   molds[i]);
    w = run(text);
    near(figure(&w, "cpu_utilisation") * 40 * (figure(&w, "makespan") + 1), 10 * 5 * 120 + 17 * 5 * 40);
    check(hc_result_rows(w.result, "finals", 2, add_up, &workers, &e), &e);
    near(workers, figure(&w, "tasks_started"));
    if (i < 2) near(workers, 27 * 5);
    else assert_true(workers > 27 * 5 && figure(&w, "extra_workers_J") == workers - 27 * 5);
    done(&w);
  }
  assert_int_equal(remove("test_mold.tmp"), 0);
}

typedef struct rows {
  char text[65536];
  size_t n;
} rows;

static hc_rc keep_row(void *ctx, const char *const *v)
{
  rows *r = ctx;
  for (int i = 0; i < 16; i++)
    r->n += (size_t)snprintf(r->text + r->n, sizeof r->text - r->n, "%s ", v[i] ? v[i] : "-");
  assert_true(r->n < sizeof r->text);
  return 0;
}

#define CROWD(ties, mold, arrivals) \
  "world: {use: omega, machines: 30, run_time: 600, " ties \
  ", prefill: {use: even, share: 0.3}, workloads: [" \
  "{name: A, schedulers: 2, " mold "arrivals: {" arrivals "interarrival: 9, tasks: 10, duration: 60}}, " \
  "{name: B, think_job: 7, arrivals: {use: exp_exp_exp, interarrival: 20, tasks: 5, duration: 90}}]}"

static void same_rows(const char *a, const char *b)
{
  static rows x, y;
  world p = run(a), q = run(b);
  hc_error e = {0};
  x.n = y.n = 0;
  check(hc_result_rows(p.result, "jobs", 16, keep_row, &x, &e), &e);
  check(hc_result_rows(q.result, "jobs", 16, keep_row, &y, &e), &e);
  assert_true(x.n > 5000);
  assert_string_equal(x.text, y.text);
  assert_true(figure(&p, "cpu_utilisation") == figure(&q, "cpu_utilisation"));
  done(&p);
  done(&q);
}

/* To the last bit: jobs that may be molded, under no policy and under the one that does nothing; jobs that
 * may not, under the greediest policy, in each order of ties. */
static void test_nothing(void **state)
{
  (void)state;
  same_rows(CROWD("pick: choose", "", "use: uniform, activities: 50, "),
            CROWD("pick: choose", "mold: configured, ", "use: uniform, activities: 50, "));
  same_rows(CROWD("pick: choose", "", "use: exp_exp_exp, "),
            CROWD("pick: choose", "mold: max_parallelism, ", "use: exp_exp_exp, "));
  same_rows(CROWD("ties: heap", "", "use: exp_exp_exp, "),
            CROWD("ties: heap", "mold: max_parallelism, ", "use: exp_exp_exp, "));
  same_rows(
      CROWD("pick: choose", "mold: configured, ", "use: uniform, activities: 50, "),
      CROWD("pick: choose", "mold: {use: relative_job_size, factor: 1}, ", "use: uniform, activities: 50, "));
}

/* Five cpus of 40 from 1 to 101 s, and the monitor's looks at 0 to 101 of which 100 see them: the mean m is
 * 100 / 102 x 1/8, and the deviation sqrt(m (1/8 - m)). */
static void test_deviation(void **state)
{
  world w = run(
      "world: {use: omega, machines: 10, run_time: 900, workloads: [{name: J, mold: configured, think_job: "
      "1, think_task: 0, arrivals: {use: uniform, interarrival: 1000, tasks: 5, duration: 100}}]}");
  const double m = figure(&w, "cpu_utilisation"), s = figure(&w, "cpu_utilisation_deviation");
  (void)state;
  near(figure(&w, "makespan"), 101);
  near(m, 100.0 / 102 / 8);
  near(s * s, m * (0.125 - m));
  near(figure(&w, "memory_utilisation_deviation"), s / 2); /* 10 of 160 GB */
  done(&w);
}

/* ---- where activities come from ---- */

/* Workers take nothing, so that there is room for all: the speed-up is max(1, ceil(200 X) / 200) with X
 * exponential of mean
 * 7. P(X > 1) = exp(-1/7) = 0.8669, the median is 7 ln 2 = 4.852, P(X <= 7 ln 10 = 16.118) = 0.9. Of n =
 *    3,000 jobs or so the
 * share is within 4 sqrt(p (1 - p) / n) = 0.025, the median within 4 x 7 / sqrt n = 0.51 and the other within
 * 4 x 7 x sqrt(0.09 / n) / 0.1 = 1.53. */
static void test_generator(void **state)
{
  world w =
      run("world: {use: omega, machines: 1, run_time: 30000, workloads: [{name: M, mold: max_parallelism, "
          "think_job: 0, think_task: 0, arrivals: {use: mapreduce, workers: [200], activities: 7, cpus: 0, "
          "memory: 0}}]}");
  const double jobs = figure(&w, "jobs_M");
  (void)state;
  assert_true(jobs > 2700 && jobs < 3300); /* 3,000 in the mean, and a deviation of 55 */
  assert_true(figure(&w, "jobs_sped_up_share_M") > 0.867 - 0.025 &&
              figure(&w, "jobs_sped_up_share_M") < 0.867 + 0.025);
  assert_true(figure(&w, "speed_up_p50_M") > 4.852 - 0.51 && figure(&w, "speed_up_p50_M") < 4.852 + 0.51);
  assert_true(figure(&w, "speed_up_p90_M") > 16.118 - 1.53 && figure(&w, "speed_up_p90_M") < 16.118 + 1.53);
  done(&w);
}

/* A table may say how many activities a job has; where it says nothing there are as many as tasks. */
static void test_table(void **state)
{
  static const char text[] =
      "world: {use: omega, machines: 100, run_time: 900, workloads: [{name: T, mold: max_parallelism, "
      "arrivals: {use: table, file: test_mold.tmp}}]}";
  static const char *const bad[] = {"-1", "1e10", "few"};
  FILE *f = fopen("test_mold.tmp", "w");
  world w;
  (void)state;
  assert_non_null(f);
  fputs("submit_s,num_tasks,duration_s,cpus,mem,num_activities\n0,2,10,1,1,6\n0,2,10,1,1,\n0,2,10,1,1,1\n",
        f);
  (void)fclose(f);
  w = run(text);
  near(figure(&w, "speed_up_mean_T"), (3.0 + 1 + 1) / 3);
  near(figure(&w, "jobs_moldable_share_T"), 1.0 / 3);
  done(&w);
  for (int i = 0; i < 3; i++) {
    hc_error e = {0};
    world x = {0};
    assert_non_null(f = fopen("test_mold.tmp", "w"));
    fprintf(f, "submit_s,num_tasks,duration_s,cpus,mem,num_activities\n0,2,10,1,1,%s\n", bad[i]);
    (void)fclose(f);
    assert_int_equal(try_run(text, &x, &e), HC_EINPUT);
    assert_non_null(strstr(e.text, "activities"));
    assert_int_equal(e.line, 2);
    done(&x);
  }
  assert_int_equal(remove("test_mold.tmp"), 0);
}

/* A framework that is offered resources does not see the cell. */
static void test_refused(void **state)
{
  world w = {0};
  hc_error e = {0};
  (void)state;
  assert_int_equal(
      try_run(
          "world: {use: omega, architecture: two_level, workloads: [{name: M, mold: configured, arrivals: "
          "uniform}]}",
          &w, &e),
      HC_EUSAGE);
  assert_non_null(strstr(e.text, "leave out its `mold`"));
  done(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_max_parallelism),
                                     cmocka_unit_test(test_global_cap),
                                     cmocka_unit_test(test_relative_job_size),
                                     cmocka_unit_test(test_answers),
                                     cmocka_unit_test(test_in_parts),
                                     cmocka_unit_test(test_private_view),
                                     cmocka_unit_test(test_conservation),
                                     cmocka_unit_test(test_nothing),
                                     cmocka_unit_test(test_deviation),
                                     cmocka_unit_test(test_generator),
                                     cmocka_unit_test(test_table),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
