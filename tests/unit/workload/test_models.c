/* test_models.c -- the generators feitelson96, jann97 and downey97 against the laws that their publications
 * state.
 *
 * Expected values are closed forms of the models, worked out here. Streams are fixed; laws are tested by
 * Kolmogorov and Smirnov at one in a thousand (ks.h), means to five standard errors. */
#define _GNU_SOURCE
#include "ks.h"

#include "base/speedup.h"
#include "workload/hypererlang.h"
#include "workload/law.h"

READER(feitelson96);
READER(jann97);
READER(downey97);

#define FEITELSON(...) choose(&hc_reader_feitelson96.component, __VA_ARGS__, NULL)
#define JANN(...) choose(&hc_reader_jann97.component, __VA_ARGS__, NULL)
#define DOWNEY(...) choose(&hc_reader_downey97.component, __VA_ARGS__, NULL)
#define MANY 20000

/* ---- feitelson96 ---- */

/* n^-1.5, times 10 for 1, 2, 4 ..., times 2 for 2, 4, 6, 8. */
static double size_weight(int n)
{
  const double w = hc_pow(n, -1.5) * ((n & (n - 1)) == 0 ? 10 : 1);
  return n % 2 == 0 && n <= 8 ? 2 * w : w;
}

static void sizes_are_harmonic_with_emphasis(void **state)
{
  double all = 0, chi = 0;
  int seen[65] = {0}, classes = 0;
  generator g;
  HC_UNUSED(state);
  open_generator(&g, FEITELSON("tasks=100000", "procs=64", "repeats=none"));
  for (const hc_task_spec *t; (t = next_row(&g));) {
    assert_in_range(t->procs_asked, 1, 64);
    seen[t->procs_asked]++;
  }
  close_generator(&g);
  for (int n = 1; n <= 64; n++) all += size_weight(n);
  for (int n = 1; n <= 64; n++) {
    const double want = 1e5 * size_weight(n) / all;
    chi += (seen[n] - want) * (seen[n] - want) / want;
    assert_true(want > 5); /* enough for chi-square */
    classes++;
  }
  is_near("chi-square of the sizes", chi, classes - 1, 5 * hc_sqrt(2.0 * (classes - 1)));
}

/* With sizes all procs / 2 the 1997 run time is one law: 0.85 short, mean 1, else 7, in units of 10 min. */
static double feitelson_run_cdf(const void *ctx, double x)
{
  const double p = *(const double *)ctx;
  return 1 - p * hc_exp(-x / 600) - (1 - p) * hc_exp(-x / 4200);
}

static void run_times_grow_with_size(void **state)
{
  static double runs[2][100000];
  size_t count[2] = {0};
  generator g;
  HC_UNUSED(state);
  open_generator(
      &g, FEITELSON("tasks=100000", "procs=64", "repeats=none", "whole_seconds=false", "variant=1997"));
  for (const hc_task_spec *t; (t = next_row(&g));) {
    if (t->procs_asked == 1) runs[0][count[0]++] = (double)t->run / 1e9;
    if (t->procs_asked == 64) runs[1][count[1]++] = (double)t->run / 1e9;
  }
  close_generator(&g);
  assert_true(count[0] > 30000 && count[1] > 100);
  ks_accepts("run times of 1", runs[0], count[0], feitelson_run_cdf, &(double){0.95 - 0.2 / 64});
  ks_accepts("run times of 64", runs[1], count[1], feitelson_run_cdf, &(double){0.75});
}

/* E[r] = sum r^-1.5 / sum r^-2.5, both up to 1000. An open copy comes when the one before has run from its
 * submission. */
static void jobs_are_run_again(void **state)
{
  static struct {
    hc_time next, run;
    int64_t size;
    int seen;
  } jobs[50000];
  double up = 0, down = 0, first = 0;
  moments repeats = {0};
  hc_time last = 0;
  int64_t most = 0;
  generator g;
  HC_UNUSED(state);
  memset(jobs, 0, sizeof jobs);
  open_generator(&g, FEITELSON("tasks=60000", "interval=1m", "think=30s", "whole_seconds=false"));
  for (const hc_task_spec *t; (t = next_row(&g));) {
    const int64_t j = t->executable - 1;
    assert_true(t->submit >= last && j < 50000);
    last = t->submit;
    if (jobs[j].seen++ > 0) {
      assert_int_equal(t->submit, jobs[j].next);
      assert_int_equal(t->run, jobs[j].run);
      assert_int_equal(t->procs_asked, jobs[j].size);
    }
    jobs[j].next = t->submit + t->run + 30 * HC_SECOND;
    jobs[j].run = t->run;
    jobs[j].size = t->procs_asked;
    most = HC_MAX(most, j);
  }
  close_generator(&g);
  for (int r = 1; r <= 1000; r++) {
    up += hc_pow(r, -1.5);
    down += hc_pow(r, -2.5);
  }
  /* The last jobs may have copies to come: of the first 20,000 few have. */
  for (int j = 0; j < 20000; j++) {
    add_to(&repeats, jobs[j].seen);
    first += jobs[j].seen == 1;
  }
  assert_true(most > 20000);
  mean_is("repeats", &repeats, up / down,
          0.05); /* those that are cut off have, of a variance that is large, some */
  is_near("run once", first / 20000, 1 / down, 5 * hc_sqrt(1 / down * (1 - 1 / down) / 20000));
}

/* A closed copy waits for the end that the run tells, and comes `think` after it. */
static void closed_copies_follow_the_run(void **state)
{
  generator g;
  hc_job job;
  hc_rc rc;
  hc_time ended[2000];
  int64_t of[2000];
  int copies = 0, rows = 0;
  HC_UNUSED(state);
  for (int j = 0; j < 2000; j++) ended[j] = HC_UNKNOWN, of[j] = 0;
  open_generator(&g, FEITELSON("tasks=1500", "repeats=closed", "think=60s", "interval=5m"));
  assert_true(hc_reader_feitelson96.listens(g.chosen.options));
  while ((rc = g.type->next(g.source, &job, &g.error)) == 1) {
    const hc_task_spec t = job.tasks[0];
    const int64_t j = t.executable - 1;
    const hc_feedback f = {
        .id = t.id, .end = t.submit + 2 * t.run, .completed = true}; /* it waited as long as it ran */
    rows++;
    if (of[j]++ > 0) {
      copies++;
      assert_true(t.submit >= ended[j] + 60 * HC_SECOND);
    }
    ended[j] = f.end;
    assert_true(g.type->feedback(g.source, &f, &g.error) >= 0);
  }
  assert_int_equal(rc, 0);
  assert_int_equal(rows, 1500);
  assert_true(copies > 400); /* about half: E[r] is 1.93 */
  close_generator(&g);
}

/* ---- jann97 ---- */

static double hyper_erlang_cdf(const void *ctx, double x)
{
  return hc_hyper_erlang_cdf(ctx, x);
}

/* Raw moments of a law give back the law, if its order is the least that can have them. Worked by hand for n
 * = 1: p = 1/2, means 1 and 3: mu = 2, 2 (1 + 9) / 2 = 10, 6 (1 + 27) / 2 = 84; m = 2, 5, 14; s = (14 - 10) /
 * 1 = 4, q = (28 - 25) / 1 = 3: roots 3 and 1. */
static void three_moments_give_the_law_back(void **state)
{
  static const hc_hyper_erlang laws[] = {
      {1, 0.5, 3, 1}, {1, 0.01, 1e5, 10}, {2, 0.6, 5, 4.5}, {7, 0.5, 9, 8.9}};
  hc_hyper_erlang h;
  HC_UNUSED(state);
  assert_int_equal(hc_hyper_erlang_fit(&h, 2, 10, 84), 3);
  assert_int_equal(h.order, 1);
  is_near("p", h.p, 0.5, 1e-14);
  is_near("1 / lambda_1", h.mean1, 3, 1e-14);
  is_near("1 / lambda_2", h.mean2, 1, 1e-14);
  for (size_t i = 0; i < HC_ARRAY_LEN(laws); i++) {
    const double m1 = hc_hyper_erlang_moment(&laws[i], 1), m2 = hc_hyper_erlang_moment(&laws[i], 2),
                 m3 = hc_hyper_erlang_moment(&laws[i], 3);
    assert_int_equal(hc_hyper_erlang_fit(&h, m1, m2, m3), 3);
    assert_int_equal(h.order, laws[i].order);
    is_near("first moment", hc_hyper_erlang_moment(&h, 1), m1, 1e-9 * m1);
    is_near("second moment", hc_hyper_erlang_moment(&h, 2), m2, 1e-9 * m2);
    is_near("third moment", hc_hyper_erlang_moment(&h, 3), m3, 1e-9 * m3);
    is_near("mean 1", h.mean1, laws[i].mean1, 1e-5 * laws[i].mean1);
  }
}

/* Any sample that varies can be fitted: order n > 1 / cv^2. Uniform on [2, 4]: mu 3, 28/3, 30; cv^2 = 1/27. A
 * constant cannot: 1000 stages are left. Nothing, or nothing but zeros, is nothing. */
static void every_sample_has_a_fit(void **state)
{
  hc_hyper_erlang h;
  HC_UNUSED(state);
  assert_int_equal(hc_hyper_erlang_fit(&h, 3, 28.0 / 3, 30), 3);
  assert_true(h.order > 27 && h.p >= 0 && h.p <= 1 && h.mean1 > 0 && h.mean2 > 0);
  is_near("third moment", hc_hyper_erlang_moment(&h, 3), 30, 1e-9);
  assert_int_equal(hc_hyper_erlang_fit(&h, 5, 25, 125), 1);
  assert_int_equal(h.order, 1000);
  is_near("mean", hc_hyper_erlang_moment(&h, 1), 5, 1e-12);
  assert_int_equal(hc_hyper_erlang_fit(&h, 0, 0, 0), 0);
}

static void given_laws_are_drawn(void **state)
{
  static double gaps[2][MANY], runs[2][MANY];
  static const hc_hyper_erlang want[2][2] = {{{1, 0.5, 100, 400}, {3, 0.25, 900, 20}},
                                             {{2, 0.9, 50, 1000}, {1, 0.1, 5000, 60}}};
  size_t count[2] = {0};
  double last[2] = {0};
  int64_t sizes[9] = {0};
  generator g;
  HC_UNUSED(state);
  open_generator(&g, JANN("tasks=30000", "procs=8", "sizes=2,8", "gap_order=1,2", "gap_p=0.5,0.9",
                          "gap_lambda1=0.01,0.02", "gap_lambda2=0.0025,0.001", "run_order=3,1",
                          "run_p=0.25,0.1", "run_lambda1=0.00111111111111111111,0.0002",
                          "run_lambda2=0.05,0.016666666666666666", "whole_seconds=false"));
  for (const hc_task_spec *t; (t = next_row(&g));) {
    const size_t i = t->procs_asked > 2;
    const double at = (double)t->submit / 1e9;
    assert_in_range(t->procs_asked, 1, 8);
    sizes[t->procs_asked]++;
    if (count[i] == MANY) continue;
    gaps[i][count[i]] = at - last[i];
    runs[i][count[i]++] = (double)t->run / 1e9;
    last[i] = at;
  }
  close_generator(&g);
  for (size_t i = 0; i < 2; i++) {
    assert_true(count[i] > 10000);
    ks_accepts("gaps", gaps[i], count[i], hyper_erlang_cdf, &want[i][0]);
    ks_accepts("run times", runs[i], count[i], hyper_erlang_cdf, &want[i][1]);
  }
  for (int n = 3; n <= 8; n++) { /* uniform on 3 .. 8 */
    const double all = 30000.0 - (double)(sizes[1] + sizes[2]);
    is_near("a size", (double)sizes[n] / all, 1.0 / 6, 5 * hc_sqrt(5.0 / 36 / all));
  }
}

/* Fitting to a log: what comes out has the moments of what went in. Gaps of 10 and 30 s, each as often; run
 * times of 5 and 500 s. Half of the gaps are 10: mean 20, and mean run time 252.5. */
static void a_log_is_fitted(void **state)
{
  hc_buffer text;
  generator g;
  moments gap = {0}, run = {0};
  double last = 0;
  HC_UNUSED(state);
  hc_buffer_init(&text, hc_default_allocator());
  for (int i = 0, at = 0; i < 401; i++, at += i % 2 ? 10 : 30)
    hc_buffer_printf(&text, "%d %d 0 %d 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n", i + 1, at, i % 4 < 2 ? 5 : 500);
  trace_file f = write_file(text.data);
  hc_chosen swf = choose(&hc_reader_swf.component, f.pair, NULL),
            jann = JANN("tasks=50000", "procs=8", "whole_seconds=false");
  for (const hc_param *p = hc_reader_jann97.component.params; p->name; p++)
    if (strcmp(p->name, "fit") == 0) memcpy((char *)jann.options + p->offset, &swf, sizeof swf);
  open_generator(&g, jann);
  for (const hc_task_spec *t; (t = next_row(&g));) {
    assert_in_range(t->procs_asked, 3, 4); /* the range that the log's size is in; the others are empty */
    add_to(&gap, (double)t->submit / 1e9 - last);
    add_to(&run, (double)t->run / 1e9);
    last = (double)t->submit / 1e9;
  }
  close_generator(&g);
  mean_is("gap", &gap, 20, 0);
  is_near("its deviation", deviation_of(&gap), 10, 0.5);
  mean_is("run", &run, (5.0 * 201 + 500.0 * 200) / 401, 0);
  unlink(f.path);
  drop(&swf);
  hc_buffer_fini(&text);
}

/* ---- downey97 ---- */

static void lifetimes_are_log_uniform(void **state)
{
  static double runs[MANY], gaps[MANY];
  size_t n = 0, at_most = 0;
  double last = 0;
  generator g;
  HC_UNUSED(state);
  open_generator(&g, DOWNEY("tasks=20000", "procs=400", "length=lifetime", "whole_seconds=false"));
  for (const hc_task_spec *t; (t = next_row(&g)); n++) {
    runs[n] = (double)t->run / 1e9;
    gaps[n] = (double)t->submit / 1e9 - last;
    last = (double)t->submit / 1e9;
    at_most += t->procs_asked <= 20;
  }
  close_generator(&g);
  ks_accepts("run times", runs, n, loguniform_cdf, (double[]){5.8, 87120});
  ks_accepts("gaps", gaps, n, exponential_cdf, (double[]){1200});
  /* A, rounded: P(n <= 20) = ln 20.5 / ln 400 = 0.5042 */
  const double p = hc_log(20.5) / hc_log(400);
  is_near("sizes up to 20", (double)at_most / MANY, p, 5 * hc_sqrt(p * (1 - p) / MANY));
  /* the published line: P(T < t) = -0.18 + 0.10 ln t, to what its digits say */
  is_near("b1", 1 / hc_log(87120 / 5.8), 0.10, 0.005);
  is_near("b0", -hc_log(5.8) / hc_log(87120 / 5.8), -0.18, 0.005);
}

/* Work is log-uniform where a job has one processor; where it has more, it is shorter by the speed-up. */
static void work_is_divided_by_the_speedup(void **state)
{
  static double runs[MANY];
  size_t n = 0;
  generator one, many, wide;
  HC_UNUSED(state);
  open_generator(&one, DOWNEY("tasks=20000", "length=work", "allocation=serial", "whole_seconds=false"));
  open_generator(&many, DOWNEY("tasks=20000", "length=work", "sigma_max=0", "whole_seconds=false"));
  open_generator(&wide, DOWNEY("tasks=20000", "length=work", "allocation=saturated", "whole_seconds=false"));
  for (const hc_task_spec *t; (t = next_row(&one)); n++) {
    const hc_task_spec *u = next_row(&many), *w = next_row(&wide);
    runs[n] = (double)t->run / 1e9;
    assert_int_equal(t->procs_asked, 1);
    /* without variance n = A, rounded, processors are n times as fast up to A: between n - 1/2 and n */
    const double faster = (double)t->run / (double)u->run, size = (double)u->procs_asked;
    assert_true(t->run < 1000 || (faster <= size * 1.000001 && faster >= (size - 0.5) * 0.999));
    assert_true(w->procs_asked >= u->procs_asked - 1 && w->procs_asked <= 400);
  }
  close_generator(&one);
  close_generator(&many);
  close_generator(&wide);
  ks_accepts("work", runs, n, loguniform_cdf, (double[]){1, 162754});
}

/* Efficiency is kept, and one processor more would not keep it. */
static void efficiency_is_kept(void **state)
{
  generator g, same;
  int64_t most = 0;
  HC_UNUSED(state);
  open_generator(&g, DOWNEY("tasks=2000", "allocation=efficiency", "efficiency=1", "sigma_max=0"));
  open_generator(&same, DOWNEY("tasks=2000", "sigma_max=0"));
  for (const hc_task_spec *t; (t = next_row(&g));) { /* linear up to A: the most is A, rounded down */
    const int64_t a = next_row(&same)->procs_asked;
    assert_true(t->procs_asked == a || t->procs_asked == a - 1);
    most = HC_MAX(most, t->procs_asked);
  }
  assert_true(most > 300);
  close_generator(&g);
  close_generator(&same);
}

/* ---- small models ---- */

/* Calzarossa and Serazzi's polynomial, by the midpoint rule: an hour's share of the day. It peaks from 10 to
 * 11, is low from 14 to 15, and peaks again from 16 to 17. */
static double rate_of_hour(int hour)
{
  double sum = 0;
  for (int i = 0; i < 1000; i++) {
    const double at = hour + (i + 0.5) / 1000, t = (at - 13.25) / 9.5;
    if (at > 8.5 && at < 18)
      sum += 3.1 - 8.5 * t + 24.7 * t * t + 130.8 * hc_pow(t, 3) + 107.7 * hc_pow(t, 4) -
             804.2 * hc_pow(t, 5) - 2038.5 * hc_pow(t, 6) + 1856.8 * hc_pow(t, 7) + 4618.6 * hc_pow(t, 8);
  }
  return sum / 1000;
}

static void arrivals_of_a_published_day(void **state)
{
  double all = 0, chi = 0, seen[24] = {0};
  generator g;
  HC_UNUSED(state);
  open_generator(&g, DOWNEY("tasks=100000", "day=calzarossa_serazzi"));
  for (const hc_task_spec *t; (t = next_row(&g));) seen[t->submit % HC_DAY / HC_HOUR]++;
  close_generator(&g);
  for (int h = 0; h < 24; h++) all += rate_of_hour(h);
  for (int h = 0; h < 24; h++) {
    const double want = 1e5 * rate_of_hour(h) / all;
    if (want > 0) chi += (seen[h] - want) * (seen[h] - want) / want;
    else assert_true(seen[h] <= 0);
  }
  is_near("chi-square of ten hours", chi, 9, 5 * hc_sqrt(2 * 9.0));
  assert_true(seen[10] > seen[9] && seen[10] > seen[11] && seen[14] < seen[13] && seen[16] > seen[15] &&
              seen[16] > seen[17]);
  hc_chosen both = DOWNEY("day=calzarossa_serazzi", "daily=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
  refused(both, "`day` and `daily` both say how the day goes: leave one out");
}

/* Leland and Ott: P(T > t | T > 3 s) = (t / 3)^-1.15; at 30 days 1e-7 is cut off, too rare to be seen. */
static double leland_ott_cdf(const void *ctx, double x)
{
  HC_UNUSED(ctx);
  return x <= 3 ? 0 : 1 - hc_pow(x / 3, -1.15);
}

static void the_tail_of_leland_and_ott(void **state)
{
  static double x[MANY];
  hc_law law;
  hc_error e = {0};
  hc_draws d = {.seed = 2, .purpose = HC_PURPOSE_TEST};
  HC_UNUSED(state);
  assert_int_equal(
      hc_law_read(&law, hc_default_allocator(), "pareto(3s 30d 1.15)", HC_LAW_TIME, "test", "run", &e), 0);
  for (size_t i = 0; i < MANY; i++) x[i] = hc_law_draw(&law, &d);
  hc_law_fini(&law);
  ks_accepts("tail", x, MANY, leland_ott_cdf, NULL);
}

/* ---- all ---- */

/* The test would see a mean that is 5 % off: D is 0.018 then, sqrt(n) D 2.6. */
static void the_ks_test_has_teeth(void **state)
{
  static double x[MANY];
  hc_draws d = {.seed = 1, .purpose = HC_PURPOSE_TEST};
  HC_UNUSED(state);
  for (size_t i = 0; i < MANY; i++) x[i] = hc_random_exponential(&d, 1);
  ks_accepts("exponential", x, MANY, exponential_cdf, &(double){1});
  assert_true(ks_statistic(x, MANY, exponential_cdf, &(double){1.05}) > KS_LEVEL_001);
}

static void snapshots_go_on(void **state)
{
  HC_UNUSED(state);
  (void)snapshot_goes_on(FEITELSON("tasks=500"), FEITELSON("tasks=500"), 200, 300);
  const size_t size = snapshot_goes_on(DOWNEY("tasks=500"), DOWNEY("tasks=500"), 200, 300);
  damaged_state_is_refused(DOWNEY("tasks=500"), size);
#define LAWS \
  "sizes=322", "gap_order=1", "gap_p=0.5", "gap_lambda1=0.01", "gap_lambda2=0.002", "run_order=2", \
      "run_p=0.5", "run_lambda1=0.01", "run_lambda2=0.1", "tasks=500"
  (void)snapshot_goes_on(JANN(LAWS), JANN(LAWS), 200, 300);
}

static void what_cannot_be_is_refused(void **state)
{
  HC_UNUSED(state);
  refused(FEITELSON("interval=0"), "interval and unit must be above 0");
  refused(DOWNEY("run_min=2d"), "run_min is not between 0 and run_max: a logarithm is uniform between them");
  refused(DOWNEY("sigma_min=3"), "sigma_min is above sigma_max: exchange them");
  refused(JANN("sizes=4,4"), "sizes: value 2 is not above the one before it");
  refused(JANN("sizes=4,400"), "sizes: the last range reaches above procs, 322: raise procs, or lower it");
  refused(JANN("sizes=4"),
          "gap_order, gap_p, gap_lambda1 and gap_lambda2 do not all have 1 values, one for each range: give "
          "them, or a log to `fit`");
}

/* The first rows, for other implementations: submission and run time in ns, processors, limit. */
static void first_rows(void **state)
{
  static const struct {
    const char *model;
    int64_t rows[4][4];
  } want[] = {
      {"feitelson96",
       {{1490373090056, 254867207556, 1, 254867207556},
        {1659246674734, 1636180743402, 1, 1636180743402},
        {3782316910859, 1289879753218, 1, 1289879753218},
        {4841614425242, 209503906034, 1, 209503906034}}},
      {"downey97",
       {{993582060037, 77907731849015, 5, 77907731849015},
        {1106164449822, 8328411507, 9, 8328411507},
        {2521544607238, 450949169415, 3, 450949169415},
        {3227742950160, 18942012414523, 3, 18942012414523}}},
      {"jann97",
       {{228882630817, 13951879670, 86, 13951879670},
        {428539345612, 147242854896, 195, 147242854896},
        {453723270432, 10364512564, 216, 10364512564},
        {876951126466, 144076863247, 71, 144076863247}}},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(want); i++) {
    generator g;
    open_generator(&g, i == 0   ? FEITELSON("whole_seconds=false")
                       : i == 1 ? DOWNEY("length=lifetime", "whole_seconds=false")
                                : JANN(LAWS, "whole_seconds=false"));
    for (int k = 0; k < 4; k++) {
      const hc_task_spec *t = next_row(&g);
      const int64_t got[4] = {t->submit, t->run, t->procs_asked, t->limit};
      for (int j = 0; j < 4; j++)
        if (got[j] != want[i].rows[k][j])
          fail_msg("%s, row %d: {%lld, %lld, %lld, %lld}", want[i].model, k, (long long)got[0],
                   (long long)got[1], (long long)got[2], (long long)got[3]);
    }
    close_generator(&g);
  }
}

/* Recorded once: any compiler at any level of optimisation must give the same. */
static void the_same_bits_everywhere(void **state)
{
  HC_UNUSED(state);
  checksum_is(FEITELSON("tasks=2000"), 2000, "b3dc525bafa5ffd8");
  checksum_is(DOWNEY("tasks=2000", "length=work"), 2000, "8237b938e7210299");
  checksum_is(JANN(LAWS), 500, "4c78d375894376ec");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_harmonic_with_emphasis),
      cmocka_unit_test(run_times_grow_with_size),
      cmocka_unit_test(jobs_are_run_again),
      cmocka_unit_test(closed_copies_follow_the_run),
      cmocka_unit_test(three_moments_give_the_law_back),
      cmocka_unit_test(every_sample_has_a_fit),
      cmocka_unit_test(given_laws_are_drawn),
      cmocka_unit_test(a_log_is_fitted),
      cmocka_unit_test(lifetimes_are_log_uniform),
      cmocka_unit_test(work_is_divided_by_the_speedup),
      cmocka_unit_test(efficiency_is_kept),
      cmocka_unit_test(arrivals_of_a_published_day),
      cmocka_unit_test(the_tail_of_leland_and_ott),
      cmocka_unit_test(the_ks_test_has_teeth),
      cmocka_unit_test(snapshots_go_on),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(first_rows),
      cmocka_unit_test(the_same_bits_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
