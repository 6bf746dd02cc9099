/* test_synthetic.c -- what the generator `synthetic` draws: exactly where it can be said exactly, by
 * chi-square where not.
 *
 * Streams are fixed, so that the statistical tests pass always or never. A chi-square statistic over k
 * classes has mean k - 1 and deviation sqrt(2 (k - 1)); five deviations are allowed. */
#define _GNU_SOURCE
#include "workload_test.h"

#include "base/math.h"

typedef struct generator {
  hc_chosen chosen;
  hc_source_context context;
  hc_source *source;
  hc_error error;
} generator;

static const hc_reader_type *const synthetic = &hc_reader_synthetic;
#define CHOOSE(...) choose(&hc_reader_synthetic.component, __VA_ARGS__, NULL)

static hc_rc try_open(generator *g, hc_chosen chosen)
{
  *g = (generator){.chosen = chosen, .context = {.allocator = hc_default_allocator(), .seed = 1}};
  return synthetic->open(&g->context, g->chosen.options, &g->source, &g->error);
}

static void open_it(generator *g, hc_chosen chosen)
{
  if (try_open(g, chosen) < 0) fail_msg("%s", g->error.text);
}

static void close_it(generator *g)
{
  if (g->source) synthetic->close(g->source);
  drop(&g->chosen);
}

/* The next task; NULL at the end. */
static const hc_task_spec *next(generator *g)
{
  hc_job job;
  const hc_rc rc = synthetic->next(g->source, &job, &g->error);
  assert_in_range(rc, 0, 1);
  if (rc == 0) return NULL;
  assert_int_equal(job.task_count, 1);
  return job.tasks;
}

static void refused(hc_chosen chosen, const char *because)
{
  generator g;
  assert_int_equal(try_open(&g, chosen), HC_EUSAGE);
  if (!strstr(g.error.text, because)) fail_msg("\"%s\" does not say \"%s\"", g.error.text, because);
  close_it(&g);
}

static double size_of_difference(double x)
{
  return x < 0 ? -x : x;
}

static void within_five(double chi, size_t classes)
{
  const double free = (double)classes - 1;
  if (!(size_of_difference(chi - free) < 5 * hc_sqrt(2 * free))) fail_msg("chi-square %.1f, %.0f", chi, free);
}

/* ---- what a task is ---- */

static void a_task_is_what_was_said(void **state)
{
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=3", "procs=64", "arrival=constant", "arrival_mean=10", "run=constant",
                     "run_mean=90", "size=constant", "size_min=7", "serial=0", "users=0"));
  for (int64_t i = 1; i <= 3; i++) {
    t = next(&g);
    assert_int_equal(t->id, i);
    assert_int_equal(t->submit, 10 * i * HC_SECOND); /* the first gap comes before the first task */
    assert_int_equal(t->run, 90 * HC_SECOND);
    assert_int_equal(t->limit, 90 * HC_SECOND);
    assert_int_equal(t->procs_asked, 7);
    assert_int_equal(t->procs_used, 7);
    assert_int_equal(t->user, -1);
    assert_int_equal(t->status, HC_STATUS_COMPLETED);
    assert_int_equal(t->cancel_at, HC_NEVER);
    assert_int_equal(t->wait, HC_UNKNOWN); /* it was not scheduled yet */
    assert_int_equal(t->line, 0);
  }
  assert_null(next(&g));
  assert_null(next(&g)); /* the end stays the end */
  assert_int_equal(synthetic->info(g.source)->processors, 64);
  assert_int_equal(synthetic->info(g.source)->unix_start, HC_UNKNOWN);
  assert_true(!synthetic->feedback && !synthetic->recognise); /* hears nothing, is never guessed */
  close_it(&g);
}

static void it_ends_with_the_count_or_the_clock(void **state)
{
  generator g;
  int n = 0;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=0", "until=100", "arrival=constant", "arrival_mean=10"));
  while (next(&g)) n++;
  assert_int_equal(n, 9); /* the tenth would arrive at 100, which is outside */
  assert_null(next(&g));
  close_it(&g);
  open_it(&g, CHOOSE("tasks=4", "until=100", "arrival=constant", "arrival_mean=10"));
  for (n = 0; next(&g);) n++;
  assert_int_equal(n, 4);
  close_it(&g);
  open_it(&g,
          CHOOSE("tasks=0", "arrival=constant", "arrival_mean=1e9")); /* endless: stops before time does */
  for (n = 0; next(&g);) n++;
  assert_int_equal(n, 4); /* 2^62 ns are 4.6e9 s */
  close_it(&g);
}

/* ---- streams ---- */

/* Do the two yield the same submissions, run times, sizes, limits, users? As bits 1, 2, 4, 8, 16, of 200
 * tasks. */
static int equal_parts(hc_chosen one, hc_chosen other)
{
  generator a, b;
  int equal = 31;
  open_it(&a, one);
  open_it(&b, other);
  for (int i = 0; i < 200; i++) {
    const hc_task_spec *s = next(&a), *t = next(&b);
    assert_true(s && t);
    if (s->submit != t->submit) equal &= ~1;
    if (s->run != t->run) equal &= ~2;
    if (s->procs_asked != t->procs_asked) equal &= ~4;
    if (s->limit != t->limit) equal &= ~8;
    if (s->user != t->user) equal &= ~16;
  }
  close_it(&a);
  close_it(&b);
  return equal;
}

#define BASE "arrival_mean=100", "tasks=200"

static void draws_of_one_purpose_never_shift_another(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE)), 31);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE("arrival_mean=100", "tasks=900")), 31); /* longer */
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "arrival=gamma", "arrival_cv=2")), 30);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "run=weibull")),
                   21); /* the limit is the run time */
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "run_min=20m")),
                   21); /* more draws of one purpose */
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "size=uniform", "serial=0.5")), 27);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "estimate=factor")), 23);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "users=5000")), 15);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "stream=1")), 0);
}

static void replications_differ(void **state)
{
  generator g;
  hc_time first[2];
  HC_UNUSED(state);
  for (uint64_t i = 0; i < 2; i++) {
    open_it(&g, CHOOSE("load=0.5"));
    g.context.replication = i;
    first[i] = next(&g)->submit;
    close_it(&g);
  }
  assert_int_not_equal(first[0], first[1]);
}

/* ---- load ---- */

/* The constant gap that a load gives, in ns. */
static hc_time gap_for(hc_chosen chosen)
{
  generator g;
  hc_time gap;
  open_it(&g, chosen);
  gap = next(&g)->submit;
  close_it(&g);
  return gap;
}

#define CONSTANT "arrival=constant", "run=constant", "run_mean=100", "procs=16", "load=0.5"

static void a_load_gives_the_exact_mean_gap(void **state)
{
  double sum = 0;
  HC_UNUSED(state);
  /* serial half of the time, else 1, 2, 4, 8: E = 0.5 + 0.5 * 15 / 4 = 2.375; 100 * 2.375 / (16 * 0.5) =
   * 29.6875 s */
  assert_int_equal(gap_for(CHOOSE(CONSTANT, "serial=0.5", "size_max=8")), 29687500000);
  assert_int_equal(gap_for(CHOOSE(CONSTANT, "serial=0.5", "size_min=3", "size_max=8")), /* 4, 8: E = 3.5 */
                   43750000000);
  assert_int_equal(
      gap_for(CHOOSE(CONSTANT, "serial=0", "size=uniform", "size_min=3", "size_max=10")), /* 6.5 */
      81250000000);
  assert_int_equal(
      gap_for(CHOOSE(CONSTANT, "serial=0.2", "size=constant", "size_min=11")), /* 0.2 + 8.8 = 9 */
      112500000000);
  for (int k = 2; k <= 16; k++) sum += k * hc_log((k + 0.5) / (k - 0.5)) / hc_log(16.5 / 1.5);
  assert_true(
      size_of_difference((double)gap_for(CHOOSE(CONSTANT, "serial=0", "size=loguniform", "size_min=2")) -
                         sum * 12.5e9) < 10);
  /* loguniform run times of 10 to 1000 s: mean 990 / ln 100; one processor each */
  assert_true(size_of_difference((double)gap_for(CHOOSE("arrival=constant", "procs=1", "load=0.25",
                                                        "run=loguniform", "run_min=10", "run_max=1000")) -
                                 990 / hc_log(100) / 0.25 * 1e9) < 10);
}

/* With everything random and truncated the load comes out within five standard errors (cv of a task's work
 * about 4). */
static void a_load_is_met(void **state)
{
  const int n = 200000;
  double work = 0;
  hc_time last = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=200000", "load=0.8", "run=hyperexponential", "run_cv=3", "run_min=1m",
                     "run_max=12h", "size=loguniform",
                     "daily=0,0,0,0,0,0,0,1,2,3,3,3,2,2,2,2,2,1,1,1,1,1,1,1", "weekly=1,1,1,1,1,0.5,0"));
  while ((t = next(&g))) {
    assert_true(t->run >= HC_MINUTE && t->run <= 12 * HC_HOUR);
    assert_in_range(t->procs_asked, 1, 128);
    work += (double)t->run / 1e9 * (double)t->procs_asked;
    last = t->submit;
  }
  const double load = work / 128 / ((double)last / 1e9);
  if (!(size_of_difference(load - 0.8) < 0.8 * 5 * 4.2 / hc_sqrt(n))) fail_msg("load %.4f", load);
  close_it(&g);
}

/* ---- cycles ---- */

/* Arrivals at random: the counts of the 168 hours of the week are Poisson, with means as the weights. */
static void weights_are_met_hour_by_hour(void **state)
{
  static const double weekly[] = {1, 1, 1, 1, 1, 0.5, 0.25};
  uint32_t seen[168] = {0};
  double chi = 0, total = 0;
  int n = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=0", "until=700d", "arrival_mean=300",
                     "daily=1,1,1,1,1,1,1,2,3,4,5,6,6,5,5,5,4,3,3,2,2,2,1,1", "weekly=1,1,1,1,1,0.5,0.25"));
  static const double daily[] = {1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 5, 5, 5, 4, 3, 3, 2, 2, 2, 1, 1};
  for (hc_time last = 0; (t = next(&g)); last = t->submit, n++) {
    assert_true(t->submit >= last);
    seen[(size_t)(t->submit / HC_HOUR) % 168]++;
  }
  for (size_t h = 0; h < 168; h++) total += daily[h % 24] * weekly[h / 24];
  const double all = 700.0 * 86400 / 300; /* whole weeks: the mean rate is kept */
  for (size_t h = 0; h < 168; h++) {
    const double want = all * daily[h % 24] * weekly[h / 24] / total;
    chi += (seen[h] - want) * (seen[h] - want) / want;
  }
  within_five(chi, 169); /* the total is free, too */
  assert_true(size_of_difference(n - all) < 5 * hc_sqrt(all));
  close_it(&g);
}

static void an_hour_of_no_weight_has_no_arrivals(void **state)
{
  generator g;
  const hc_task_spec *t;
  int n = 0;
  HC_UNUSED(state);
  /* a gap of 6 h of activity, of which only the hour from 8 to 9 has some, 24 h a day */
  open_it(&g, CHOOSE("tasks=40", "arrival=constant", "arrival_mean=6h",
                     "daily=0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"));
  for (; (t = next(&g)); n++) {
    const hc_time want = n / 4 * HC_DAY + 8 * HC_HOUR + (n % 4 + 1) * 15 * HC_MINUTE;
    const hc_time off = t->submit - want; /* at 9:00 it may be that instant, or the next day's 8:00 */
    assert_true((off >= -1 && off <= 1) || (n % 4 == 3 && off == 23 * HC_HOUR));
  }
  close_it(&g);
  /* gaps of weeks are laid out, too: 15 days from Monday 0:00 is Tuesday 0:00 two weeks later */
  open_it(&g, CHOOSE("tasks=1", "arrival=constant", "arrival_mean=15d", "weekly=1,1,1,1,1,1,1"));
  assert_int_equal(next(&g)->submit, 15 * HC_DAY);
  close_it(&g);
}

/* ---- sizes, estimates, users ---- */

static void sizes_are_as_likely_as_they_should_be(void **state)
{
  uint32_t seen[33] = {0};
  double chi = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=100000", "load=1", "procs=32", "size=loguniform", "serial=0.3", "size_min=2"));
  while ((t = next(&g))) {
    assert_in_range(t->procs_asked, 1, 32);
    seen[t->procs_asked]++;
  }
  close_it(&g);
  for (int k = 1; k <= 32; k++) {
    const double p = k == 1 ? 0.3 : 0.7 * hc_log((k + 0.5) / (k - 0.5)) / hc_log(32.5 / 1.5);
    chi += (seen[k] - 1e5 * p) * (seen[k] - 1e5 * p) / (1e5 * p);
  }
  within_five(chi, 32);
  memset(seen, 0, sizeof seen);
  open_it(&g, CHOOSE("tasks=100000", "load=1", "procs=33", "serial=0"));
  while ((t = next(&g))) seen[t->procs_asked]++;
  close_it(&g);
  chi = 0;
  for (int k = 1; k <= 32; k *= 2) chi += (seen[k] - 1e5 / 6) * (seen[k] - 1e5 / 6) / (1e5 / 6);
  within_five(chi, 6); /* and nothing but powers of two: the classes hold everything */
}

static void estimates_are_never_short(void **state)
{
  double sum = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=20000", "load=1", "estimate=factor", "estimate_factor=3"));
  while ((t = next(&g))) {
    const double ratio = (double)t->limit / (double)t->run;
    assert_true(ratio >= 1 && ratio < 4.0001);
    sum += ratio / 20000;
  }
  close_it(&g);
  assert_true(size_of_difference(sum - 2.5) < 5 * 3 / hc_sqrt(12) / hc_sqrt(20000));
  open_it(&g, CHOOSE("tasks=5000", "load=1", "estimate=popular"));
  while ((t = next(&g))) {
    const hc_time l = t->limit;
    assert_true(l == 5 * HC_MINUTE || l == 15 * HC_MINUTE || l == 30 * HC_MINUTE ||
                (l > 0 && l % HC_HOUR == 0));
    assert_true(l >= t->run && (l <= HC_HOUR || l - t->run < HC_HOUR)); /* the next one, not any */
  }
  close_it(&g);
  open_it(&g, CHOOSE("tasks=1", "load=1", "estimate=popular", "run=constant", "run_mean=30m"));
  assert_int_equal(next(&g)->limit, 30 * HC_MINUTE); /* a popular value is its own */
  close_it(&g);
}

static void users_follow_zipf(void **state)
{
  uint32_t seen[11] = {0};
  double chi = 0, total = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=50000", "load=1", "users=10", "user_exponent=1.5"));
  while ((t = next(&g))) {
    assert_in_range(t->user, 1, 10);
    seen[t->user]++;
  }
  close_it(&g);
  for (int k = 1; k <= 10; k++) total += hc_pow(k, -1.5);
  for (int k = 1; k <= 10; k++) {
    const double want = 50000 * hc_pow(k, -1.5) / total;
    chi += (seen[k] - want) * (seen[k] - want) / want;
  }
  within_five(chi, 10);
}

static void whole_seconds_are_whole(void **state)
{
  generator g, exact;
  const hc_task_spec *t, *x;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=2000", "load=1", "estimate=factor", "whole_seconds=true"));
  open_it(&exact, CHOOSE("tasks=2000", "load=1", "estimate=factor"));
  while ((t = next(&g))) {
    x = next(&exact);
    assert_true(t->submit % HC_SECOND == 0 && t->run % HC_SECOND == 0 && t->limit % HC_SECOND == 0);
    assert_true(x->submit - t->submit >= 0 &&
                x->submit - t->submit < HC_SECOND); /* and so the clock never drifts */
    assert_true(t->run - x->run >= 0 && t->run - x->run < HC_SECOND && t->limit >= t->run);
  }
  close_it(&g);
  close_it(&exact);
}

/* ---- state ---- */

static void a_snapshot_is_the_position(void **state)
{
  generator a, b;
  hc_buffer saved;
  const hc_task_spec *s, *t;
  HC_UNUSED(state);
  hc_buffer_init(&saved, hc_default_allocator());
  open_it(&a, CHOOSE("tasks=300", "load=0.7", "weekly=1,1,1,1,1,0,0"));
  open_it(&b, CHOOSE("tasks=300", "load=0.7", "weekly=1,1,1,1,1,0,0"));
  for (int i = 0; i < 100; i++) (void)next(&a);
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(synthetic->visit(a.source, &save, &a.error), 0);
  assert_int_equal(saved.size, 16);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(synthetic->visit(b.source, &load, &b.error), 0);
  for (int i = 100; i < 300; i++) {
    s = next(&a);
    t = next(&b);
    assert_memory_equal(s, t, sizeof *s);
  }
  assert_true(!next(&a) && !next(&b));
  hc_buffer_fini(&saved);
  close_it(&a);
  close_it(&b);
}

/* Recorded once: any compiler at any level of optimisation must give the same. */
static void the_same_bits_everywhere(void **state)
{
  hc_hash hash;
  uint64_t words[2];
  char text[40];
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  hc_hash_init(&hash);
  open_it(&g, CHOOSE("tasks=5000", "load=0.9", "arrival=weibull", "arrival_cv=2", "run=gamma", "run_cv=3",
                     "size=loguniform", "estimate=factor",
                     "daily=1,1,1,1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2,2,2,2"));
  while ((t = next(&g))) hc_hash_add(&hash, t, offsetof(hc_task_spec, account)); /* names came later */
  hc_hash_end(&hash, words);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)words[0]);
  close_it(&g);
  assert_string_equal(text, "5efa24944055e05c");
}

/* Exponential with a mean of 1 us: one in 2,000 would be less than half a nanosecond. A run time is at least
 * one. */
static void run_times_are_never_nothing(void **state)
{
  enum { N = 100000 };
  generator g;
  const hc_task_spec *t;
  double sum = 0;
  int least = 0;
  HC_UNUSED(state);
  open_it(&g, CHOOSE("tasks=100000", "arrival_mean=1", "run=exponential", "run_min=0", "run_mean=0.000001"));
  while ((t = next(&g))) {
    assert_true(t->run >= 1);
    least += t->run == 1;
    sum += (double)t->run;
  }
  close_it(&g);
  assert_in_range(least, 150 - 60, 150 + 60); /* below 1.5 ns: 1 - exp(-0.0015) of them */
  assert_true(size_of_difference(sum / N - 1000) < 5 * 1000 / 316.2);
}

static void what_cannot_be_is_refused(void **state)
{
  HC_UNUSED(state);
  refused(CHOOSE("tasks=1"), "load, or arrival_mean");
  refused(CHOOSE("load=1", "arrival_mean=5"), "leave one of them out");
  refused(CHOOSE("load=1", "arrival=hyperexponential", "arrival_cv=0.5"), "arrival_cv");
  refused(CHOOSE("load=1", "run_cv=0"), "run_cv");
  refused(CHOOSE("load=1", "run=loguniform"), "run_max");
  refused(CHOOSE("load=1", "run_min=5", "run_max=4"), "exchange");
  refused(CHOOSE("load=1", "run_min=300d"), "widen");
  refused(CHOOSE("load=1", "run=constant", "run_mean=5", "run_max=4"), "widen");
  refused(CHOOSE("load=1", "size_max=200"), "procs");
  refused(CHOOSE("load=1", "size_min=100", "size_max=50"), "size_min");
  refused(CHOOSE("load=1", "size_min=33", "size_max=63"), "power of two");
  refused(CHOOSE("load=1", "daily=1,2,3"), "24");
  refused(CHOOSE("load=1", "weekly=1,2,3"), "7");
  refused(CHOOSE("load=1", "weekly=0,0,0,0,0,0,0"), "0");
  refused(CHOOSE("load=1e-9", "run_mean=1e8"), "every");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_is_what_was_said),
      cmocka_unit_test(it_ends_with_the_count_or_the_clock),
      cmocka_unit_test(draws_of_one_purpose_never_shift_another),
      cmocka_unit_test(replications_differ),
      cmocka_unit_test(a_load_gives_the_exact_mean_gap),
      cmocka_unit_test(a_load_is_met),
      cmocka_unit_test(weights_are_met_hour_by_hour),
      cmocka_unit_test(an_hour_of_no_weight_has_no_arrivals),
      cmocka_unit_test(sizes_are_as_likely_as_they_should_be),
      cmocka_unit_test(estimates_are_never_short),
      cmocka_unit_test(users_follow_zipf),
      cmocka_unit_test(whole_seconds_are_whole),
      cmocka_unit_test(a_snapshot_is_the_position),
      cmocka_unit_test(the_same_bits_everywhere),
      cmocka_unit_test(run_times_are_never_nothing),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
