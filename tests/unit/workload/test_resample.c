/* test_resample.c -- what `resample` makes against the log that it learned from.
 *
 * Laws are compared by the two-sample Kolmogorov-Smirnov test, profiles by chi-square, both at level 0.001;
 * streams are fixed, so that the tests pass always or never. */
#define _GNU_SOURCE
#include "base/variates.h"
#include "nested_test.h"

extern const hc_reader_type hc_reader_resample;

#define RESAMPLE(inner, ...) around(choose(&hc_reader_resample.component, __VA_ARGS__, NULL), inner)
#define SYNTHETIC(...) choose(&hc_reader_synthetic.component, __VA_ARGS__, NULL)
#define KTH HC_TEST_SOURCE_DIR "/examples/data/KTH-SP2-1996-2.swf.zst"
#define WEEK (7 * 24 * HC_HOUR)

/* ---- marginals ---- */

enum { RUN, LIMIT, SIZE, USER, AREA, COLUMNS };
static const char *const names[COLUMNS] = {"run", "limit", "size", "user", "run x size"};

static void columns_of(hc_chosen chosen, bool of_log, column *c)
{
  generator g;
  const hc_task_spec *t;
  open_generator(&g, chosen);
  while ((t = next_row(&g))) {
    const bool failed = t->status == HC_STATUS_FAILED || t->status == HC_STATUS_CANCELLED;
    if (of_log && (t->procs_asked <= 0 || t->run < (failed ? 1 : 0))) continue;
    put(&c[RUN], (double)t->run);
    put(&c[LIMIT], (double)t->limit);
    put(&c[SIZE], (double)t->procs_asked);
    put(&c[USER], (double)t->user);
    put(&c[AREA], (double)t->run * (double)t->procs_asked);
  }
  close_generator(&g);
}

static void free_columns(column *c)
{
  for (int i = 0; i < COLUMNS; i++) test_free(c[i].x);
}

/* 28,476 rows of the log against 30,000 drawn: every class of size (7 of them) has its rows in full or in a
 * sample of 16,384. The product tells whether rows stayed whole. */
static void marginals_are_those_of_the_log(void **state)
{
  column log[COLUMNS] = {0}, drawn[COLUMNS] = {0};
  hc_chosen kth = choose(&hc_reader_swf.component, "file=" KTH, NULL);
  HC_UNUSED(state);
  columns_of(choose(&hc_reader_swf.component, "file=" KTH, NULL), true, log);
  columns_of(RESAMPLE(kth, "tasks=30000"), false, drawn);
  assert_int_equal(drawn[RUN].n, 30000);
  for (int i = 0; i < COLUMNS; i++) same_law(names[i], &log[i], &drawn[i]);
  free_columns(log);
  free_columns(drawn);
  drop(&kth);
}

/* A single processor never has the log's long wide rows: means by size are the log's own, to five standard
 * errors. */
static void rows_stay_whole(void **state)
{
  hc_chosen kth = choose(&hc_reader_swf.component, "file=" KTH, NULL);
  moments log[101] = {0}, drawn[101] = {0};
  generator g;
  const hc_task_spec *t;
  int compared = 0;
  HC_UNUSED(state);
  open_generator(&g, choose(&hc_reader_swf.component, "file=" KTH, NULL));
  while ((t = next_row(&g)))
    if (t->run > 0 && t->procs_asked > 0) add_to(&log[t->procs_asked], hc_log((double)t->run));
  close_generator(&g);
  open_generator(&g, RESAMPLE(kth, "tasks=30000", "rows=100000"));
  while ((t = next_row(&g)))
    if (t->run > 0) add_to(&drawn[t->procs_asked], hc_log((double)t->run));
  close_generator(&g);
  for (int k = 1; k <= 100; k++) {
    if (log[k].n < 100) continue;
    mean_is("ln(run) of a size", &drawn[k], mean_of(&log[k]), 0);
    compared++;
  }
  assert_true(compared >= 8);
  drop(&kth);
}

/* ---- memory ---- */

typedef struct meter {
  size_t now, most;
} meter;

static void *metered(void *ctx, void *p, size_t old, size_t size)
{
  meter *m = ctx;
  const hc_allocator *a = hc_default_allocator();
  m->now = m->now - old + size;
  m->most = HC_MAX(m->most, m->now);
  return a->resize(a->ctx, p, old, size);
}

static size_t memory_for(const char *tasks, const char *rows)
{
  meter m = {0};
  const hc_allocator a = {.ctx = &m, .resize = metered};
  hc_chosen inner = SYNTHETIC("arrival_mean=60", tasks);
  hc_chosen chosen = RESAMPLE(inner, rows);
  hc_source_context c = {.allocator = &a, .seed = 1};
  hc_source *s;
  hc_error e = {0};
  assert_int_equal(hc_reader_resample.open(&c, chosen.options, &s, &e), 0);
  hc_reader_resample.close(s);
  assert_int_equal(m.now, 0);
  drop(&inner);
  drop(&chosen);
  return m.most;
}

/* 8 classes (1 to 128 processors) of 64 rows and 64 gaps, whatever the log's length; 64 rows are a whole
 * doubling. */
static void memory_is_bounded(void **state)
{
  const size_t bound = 8 * 64 * sizeof(hc_task_spec) + 64 * 24, little = memory_for("tasks=20000", "rows=64");
  HC_UNUSED(state);
  assert_true(little >= bound);
  assert_true(little < bound + 16384);
  assert_int_equal(memory_for("tasks=40000", "rows=64"), little);
}

/* A sample of 64 rows of each class has their law: level 0.001 for 64 rows of the smallest class, the exact
 * shares of classes make it better. */
static void a_sample_has_the_law(void **state)
{
  column log[COLUMNS] = {0}, drawn[COLUMNS] = {0};
  hc_chosen inner = SYNTHETIC("arrival_mean=60", "tasks=20000", "size=constant", "size_min=4", "serial=0");
  HC_UNUSED(state);
  columns_of(SYNTHETIC("arrival_mean=60", "tasks=20000", "size=constant", "size_min=4", "serial=0"), true,
             log);
  columns_of(RESAMPLE(inner, "tasks=20000", "rows=400"), false, drawn);
  const double d = two_sample_distance(&log[RUN], &drawn[RUN]);
  assert_true(d * hc_sqrt(1 / (1 / 400.0 + 1 / 20000.0 + 1 / 20000.0)) < KS_LEVEL_001);
  assert_true(d > 0); /* it is a sample */
  free_columns(log);
  free_columns(drawn);
  drop(&inner);
}

/* ---- arrivals ---- */

#define WEEKLY "daily=1,1,1,1,1,1,2,4,8,9,9,9,8,9,9,9,8,6,4,3,3,2,2,1", "weekly=5,5,5,5,4,1,1"

/* Arrivals by hour of the week, until a time. */
static double hours_of(hc_chosen chosen, double hours[168])
{
  generator g;
  const hc_task_spec *t;
  double n = 0;
  memset(hours, 0, 168 * sizeof *hours);
  open_generator(&g, chosen);
  while ((t = next_row(&g))) {
    hours[t->submit / HC_HOUR % 168]++;
    n++;
  }
  close_generator(&g);
  return n;
}

/* The log has weeks of 168 hours whose rates differ by 45 to 1, and some 52,000 arrivals, as Poisson as they
 * come. The model's rate of an hour is the log's count, so counts of as many weeks differ from it by their
 * own chance alone: chi-square of 168 degrees. */
static void the_week_has_its_profile(void **state)
{
  static const char *const modes[] = {"arrivals=poisson", "arrivals=gaps"};
  double log[168], drawn[168];
  HC_UNUSED(state);
  const double n = hours_of(SYNTHETIC("tasks=0", "until=26w", "arrival_mean=5m", WEEKLY), log);
  for (size_t m = 0; m < HC_ARRAY_LEN(modes); m++) {
    hc_chosen inner = SYNTHETIC("tasks=0", "until=26w", "arrival_mean=5m", WEEKLY);
    const double k = hours_of(RESAMPLE(inner, "until=26w", modes[m]), drawn);
    double chi = 0;
    is_near("arrivals of half a year", k, n, 5 * hc_sqrt(n));
    for (int h = 0; h < 168; h++) {
      assert_true(log[h] > 5);
      chi += (drawn[h] - log[h]) * (drawn[h] - log[h]) / log[h];
    }
    if (1 - hc_gamma_below(84, chi / 2) < 0.001) fail_msg("%s: chi-square %.1f of 168", modes[m], chi);
    drop(&inner);
  }
}

/* Twice the rate is twice the tasks, in each half of the week; a longer workload begins with the shorter. */
static void rates_scale(void **state)
{
  static const char *const factors[] = {"rate=0.5", "rate=2", "rate=10"};
  static const double factor[] = {0.5, 2, 10};
  double log[168], drawn[168];
  HC_UNUSED(state);
  const double n = hours_of(SYNTHETIC("tasks=0", "until=26w", "arrival_mean=5m", WEEKLY), log);
  for (size_t f = 0; f < HC_ARRAY_LEN(factors); f++) {
    hc_chosen inner = SYNTHETIC("tasks=0", "until=26w", "arrival_mean=5m", WEEKLY);
    double early = 0, early_log = 0;
    const double k = hours_of(RESAMPLE(inner, "until=26w", factors[f]), drawn);
    is_near("tasks", k, factor[f] * n, 5 * hc_sqrt(factor[f] * n));
    for (int h = 0; h < 84; h++) early += drawn[h], early_log += log[h];
    is_near("tasks to Thursday noon", early, factor[f] * early_log, 5 * hc_sqrt(factor[f] * early_log));
    drop(&inner);
  }
}

static void a_longer_workload_begins_with_the_shorter(void **state)
{
  hc_chosen inner = SYNTHETIC("arrival_mean=60", "tasks=500");
  generator a, b;
  HC_UNUSED(state);
  open_generator(&a, RESAMPLE(inner, "tasks=100"));
  open_generator(&b, RESAMPLE(inner, NULL)); /* as many as the log */
  for (int i = 0; i < 100; i++) {
    const hc_task_spec *s = next_row(&a), *t = next_row(&b);
    assert_true(s && t);
    assert_int_equal(s->id, i + 1);
    assert_memory_equal(s, t, sizeof *s);
    assert_int_equal(s->submit % HC_SECOND, 0); /* the grain */
  }
  assert_null(next_row(&a));
  for (int i = 100; i < 500; i++) assert_non_null(next_row(&b));
  assert_null(next_row(&b));
  close_generator(&a);
  close_generator(&b);
  drop(&inner);
}

/* Gaps of the log in activity have mean 1: those of a flat log, one task a minute, are all 1, and so the
 * model's tasks come a minute apart too, to the second (the log has 1,000 rows in 999 minutes). */
static void bursts_are_the_logs_own(void **state)
{
  hc_chosen inner = SYNTHETIC("arrival=constant", "arrival_mean=60", "tasks=1000");
  generator g;
  HC_UNUSED(state);
  open_generator(&g, RESAMPLE(inner, "cycle=none", "grain=0"));
  for (int i = 1; i <= 1000; i++) is_near("submission", (double)next_row(&g)->submit / 1e9, 60.0 * i, 1e-5);
  close_generator(&g);
  drop(&inner);
}

/* One task at five past nine on every day of three weeks before summer time began on 30 March 1997 in
 * Stockholm, and one on each of the seven days after. 9:05 there is 8:05 and then 7:05 in Greenwich; so only
 * the hour from nine in the log's own zone has a rate, in any season. */
static void hours_are_those_of_the_logs_zone(void **state)
{
  char text[4096];
  size_t n = (size_t)sprintf(
      text, "; UnixStartTime: 857952000\n; TimeZoneString: Europe/Stockholm\n; MaxProcs: 4\n");
  HC_UNUSED(state);
  for (int day = 0; day < 28; day++) /* 857952000 is 1997-03-10, a Monday, 0:00 in Greenwich */
    n += (size_t)sprintf(text + n, "%d %d 5 10 1 -1 -1 1 20 -1 1 7 8 9 1 2 -1 -1\n", day + 1,
                         day * 86400 + (day < 20 ? 8 : 7) * 3600 + 300);
  trace_file f = write_file(text);
  hc_chosen inner = choose(&hc_reader_swf.component, f.pair, NULL);
  const int64_t start = 857952000;
  const hc_task_spec *t;
  generator g;
  int summer = 0, winter = 0;
  open_generator(&g, RESAMPLE(inner, "until=52w", "arrivals=poisson"));
  while ((t = next_row(&g))) {
    const int64_t at = start + t->submit / HC_SECOND;
    const bool is_summer =
        at >= 859683600 && at < 877827600; /* 30 March, 26 October 1997, 1:00 in Greenwich */
    assert_int_equal(at % 86400 / 3600, is_summer ? 7 : 8);
    summer += is_summer;
    winter += !is_summer;
  }
  assert_true(summer > 100 && winter > 70); /* some 210 and 154 */
  assert_string_equal(g.type->info(g.source)->zone, "Europe/Stockholm");
  assert_int_equal(g.type->info(g.source)->unix_start, start);
  assert_int_equal(g.type->info(g.source)->processors, 4);
  close_generator(&g);
  drop(&inner);
  unlink(f.path);
}

/* ---- the kernel ---- */

/* All rows ran 1,000 s: ln(run / 1000) / bandwidth is standard normal. Cut at the limit where the log kept
 * it. */
static void run_times_are_smoothed_by_the_kernel(void **state)
{
  hc_chosen inner =
      SYNTHETIC("arrival_mean=60", "run=constant", "run_mean=1000", "estimate=factor", "estimate_factor=0");
  hc_chosen free = choose(&hc_reader_swf.component, NULL);
  column z = {0}, normal = {0};
  const hc_task_spec *t;
  generator g;
  char text[1024] = "";
  HC_UNUSED(state);
  drop(&free);
  for (int i = 0; i < 9; i++)
    sprintf(text + strlen(text), "%d %d 5 1000 1 -1 -1 1 -1 -1 1 7 8 9 1 2 -1 -1\n", i, i * 60);
  trace_file f = write_file(text);
  free = choose(&hc_reader_swf.component, f.pair, NULL);
  open_generator(&g, RESAMPLE(free, "tasks=20000", "smooth=0.25", "grain=0"));
  while ((t = next_row(&g))) put(&z, hc_log((double)t->run / 1e12) / 0.25);
  close_generator(&g);
  qsort(z.x, z.n, sizeof *z.x, by_value);
  double most = 0;
  for (size_t i = 0; i < z.n; i++)
    most = HC_MAX(most, distance(hc_normal_share(z.x[i]), ((double)i + 0.5) / (double)z.n));
  assert_true(most * hc_sqrt((double)z.n) < KS_LEVEL_001);
  open_generator(&g, RESAMPLE(inner, "tasks=2000", "smooth=0.25"));
  int cut = 0;
  while ((t = next_row(&g))) {
    assert_true(t->run <= 1000 * HC_SECOND && t->run > 0 && t->run % HC_SECOND == 0);
    assert_int_equal(t->limit, 1000 * HC_SECOND);
    cut += t->run == t->limit;
  }
  is_near("half are cut", cut, 1000, 5 * hc_sqrt(500));
  close_generator(&g);
  test_free(z.x);
  test_free(normal.x);
  drop(&inner);
  drop(&free);
  unlink(f.path);
}

/* ---- what it refuses; snapshots ---- */

static void what_cannot_be_learned_from(void **state)
{
  const char *row = "1 5 5 10 1 -1 -1 1 20 -1 1 7 8 9 1 2 -1 -1\n";
  trace_file f = write_file(row);
  hc_chosen one = choose(&hc_reader_swf.component, f.pair, NULL);
  hc_chosen loop = choose(&hc_reader_swf.component, f.pair, "follow=think_time", NULL);
  HC_UNUSED(state);
  refused(RESAMPLE(one, NULL),
          "1 rows say when they arrived, how large they were and how long they ran; there must be "
          "two at least, with two times of submission");
  refused(choose(&hc_reader_resample.component, NULL),
          "there is nothing to learn from: give a log, `from: {use: swf, file: ...}`");
  refused(RESAMPLE(loop, NULL), "a closed loop has no arrivals of its own to learn from: follow none");
  drop(&one);
  drop(&loop);
  unlink(f.path);
}

static void snapshots(void **state)
{
  hc_chosen inner = SYNTHETIC("arrival_mean=60", "tasks=500");
  HC_UNUSED(state);
  const size_t size =
      snapshot_goes_on(RESAMPLE(inner, "smooth=0.1"), RESAMPLE(inner, "smooth=0.1"), 100, 450);
  assert_int_equal(size, 16); /* the model is not in it */
  damaged_state_is_refused(RESAMPLE(inner, NULL), size);
  drop(&inner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(marginals_are_those_of_the_log),
      cmocka_unit_test(rows_stay_whole),
      cmocka_unit_test(memory_is_bounded),
      cmocka_unit_test(a_sample_has_the_law),
      cmocka_unit_test(the_week_has_its_profile),
      cmocka_unit_test(rates_scale),
      cmocka_unit_test(a_longer_workload_begins_with_the_shorter),
      cmocka_unit_test(bursts_are_the_logs_own),
      cmocka_unit_test(hours_are_those_of_the_logs_zone),
      cmocka_unit_test(run_times_are_smoothed_by_the_kernel),
      cmocka_unit_test(what_cannot_be_learned_from),
      cmocka_unit_test(snapshots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
