/* test_estimates.c -- estimates that models give to any source: the transforms `estimates` and `tsafrir`.
 *
 * Expected values are the publication's own numbers where it has them, and invariants: no estimate below its
 * run time, few different values, most tasks at the popular ones, as many of each as the histogram says. */
#define _GNU_SOURCE
#include "ks.h"

#include "workload/popular.h"

TRANSFORM(estimates);
TRANSFORM(tsafrir);
TRANSFORM(shake);
READER(feitelson96);

#define TSAFRIR(...) choose(&hc_transform_tsafrir.component, __VA_ARGS__, NULL)
#define ESTIMATES(...) choose(&hc_transform_estimates.component, __VA_ARGS__, NULL)

/* A stream over a generator, through transforms. */
typedef struct piped {
  bench b;
  hc_lexicon *lexicon;
} piped;

static void open_pipe(piped *p, hc_chosen source, hc_chosen one, const hc_chosen *more, size_t count)
{
  set_up(&p->b, NULL);
  p->b.sources[0] = source;
  p->b.options.source_count = 1;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &p->lexicon), 0);
  p->b.context.lexicon = p->lexicon;
  p->b.options.admission.overrun = HC_OVERRUN_RUN_ON;
  add_transform(&p->b, one);
  for (size_t i = 0; i < count; i++) add_transform(&p->b, more[i]);
  if (open_bench(&p->b) < 0) fail_msg("%s", p->b.error.text);
}

static bool next_task(piped *p, hc_arrival *a)
{
  const hc_rc rc = hc_stream_next(p->b.stream, a, &p->b.error);
  if (rc < 0) fail_msg("%s", p->b.error.text);
  return rc == 1;
}

static void close_pipe(piped *p)
{
  hc_stream_close(p->b.stream);
  hc_lexicon_free(p->lexicon);
  drop(&p->b.sources[0]);
  for (size_t i = 0; i < p->b.options.transform_count; i++) drop(&p->b.transforms[i]);
}

static hc_chosen jobs(const char *tasks)
{
  return choose(&hc_reader_lublin.component, tasks, "type=merged", NULL);
}

/* ---- the simple models ---- */

static void factors_follow_their_laws(void **state)
{
  static const struct {
    const char *set[3];
    double low, high;
    bool inverse;
  } cases[] = {{{"model=f", "reading=one_plus_f", "f=4"}, 1, 5, false},
               {{"model=f", "reading=one_to_f", "f=4"}, 1, 4, false},
               {{"model=phi", "phi=0.2", "round=0"}, 0.2, 1, true}};
  static double x[20000];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    piped p;
    hc_arrival a;
    size_t n = 0;
    open_pipe(&p, jobs("tasks=20000"),
              ESTIMATES(cases[i].set[0], cases[i].set[1], cases[i].set[2], "round=0"), NULL, 0);
    while (next_task(&p, &a)) {
      assert_true(a.spec.limit >= a.spec.run);
      x[n++] = cases[i].inverse ? (double)a.spec.run / (double)a.spec.limit
                                : (double)a.spec.limit / (double)a.spec.run;
    }
    close_pipe(&p);
    assert_int_equal(n, 20000);
    ks_accepts(cases[i].set[0], x, n, uniform_cdf, (double[]){cases[i].low, cases[i].high});
  }
}

/* The same rows, one model after the other; rounding is up, and cutting never goes below the run time. */
static void exact_and_multiplied(void **state)
{
  piped p, q, r;
  hc_arrival a, b, c;
  int cut = 0;
  HC_UNUSED(state);
  open_pipe(&p, jobs("tasks=2000"), ESTIMATES("model=exact"), NULL, 0);
  open_pipe(&q, jobs("tasks=2000"), ESTIMATES("model=multiplicative", "factor=2.5"), NULL, 0);
  open_pipe(&r, jobs("tasks=2000"), ESTIMATES("model=f", "round=5m", "max_estimate=2h"), NULL, 0);
  while (next_task(&p, &a)) {
    assert_true(next_task(&q, &b) && next_task(&r, &c));
    assert_int_equal(a.spec.limit, a.spec.run);
    assert_int_equal(b.spec.limit, (b.spec.run * 5 / 2 + HC_SECOND - 1) / HC_SECOND * HC_SECOND);
    assert_true(c.spec.limit % (5 * HC_MINUTE) == 0 || c.spec.limit == c.spec.run);
    assert_true(c.spec.limit == HC_MAX(c.spec.run, HC_MIN(c.spec.limit, 2 * HC_HOUR)));
    cut += c.spec.limit == 2 * HC_HOUR;
  }
  assert_true(cut > 50);
  close_pipe(&p);
  close_pipe(&q);
  close_pipe(&r);
}

/* ---- the histogram of popular values ---- */

/* The points themselves, and half way between two; the power law at 10,000: 0.653566 10^(4 0.547761) =
 * 101.4. */
static void the_number_of_values(void **state)
{
  static const struct {
    uint64_t jobs;
    int64_t values;
  } table[] = {{1, 1},      {20, 10},     {110, 15},    {200, 20},     {1000, 35},     {5500, 63},
               {10000, 90}, {40000, 215}, {70000, 340}, {250000, 565}, {10000000, 565}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(table); i++)
    assert_int_equal(hc_popular_count(HC_POPULAR_TABLE, table[i].jobs), table[i].values);
  assert_int_equal(hc_popular_count(HC_POPULAR_POWER, 10000), 101);
}

static hc_draws some_draws(uint64_t entity)
{
  return (hc_draws){.seed = 3, .entity = entity, .purpose = HC_PURPOSE_TEST};
}

/* M = 36 h: 15 usual values are below; of the fillings 200, 100, 50 h are not; of 10 h come 30 and 20, of
 * 5 h 35 and 25. */
static void the_head_of_36_hours(void **state)
{
  static const int minutes[20] = {5,   10,  15,  20,  30,   60,   120,  180,  240,  300,
                                  360, 480, 600, 720, 1080, 1200, 1500, 1800, 2100, 2160};
  const hc_popular_options o = {.jobs = 100000, .longest = 36 * HC_HOUR, .longest_first = true};
  hc_popular_bin bins[HC_POPULAR_MOST];
  hc_time head[HC_POPULAR_HEAD];
  size_t n_head, n;
  hc_draws d = some_draws(0);
  uint64_t all = 0, popular = 0, longest = 0;
  HC_UNUSED(state);
  n = hc_popular_bins(&o, &d, bins, head, &n_head);
  assert_int_equal(n_head, 20);
  for (size_t i = 0; i < 20; i++) assert_int_equal(head[i], minutes[i] * HC_MINUTE);
  for (size_t i = 0; i < n; i++) {
    assert_true(bins[i].jobs > 0 && bins[i].estimate <= 36 * HC_HOUR &&
                bins[i].estimate % (10 * HC_SECOND) == 0);
    assert_true(i == 0 || bins[i].estimate > bins[i - 1].estimate);
    all += bins[i].jobs;
    for (size_t k = 0; k < 20; k++)
      if (bins[i].estimate == head[k]) popular += bins[i].jobs;
    if (bins[i].estimate == o.longest) longest = bins[i].jobs;
  }
  assert_int_equal(all, 100000);
  assert_true(n > 340 && n <= 378); /* 377.5 by the table; a few find no place */
  /* 89 %, but that each of the rarest gets at least one job and that each is rounded */
  is_near("head", (double)popular / 1e5, 0.89, 0.003);
  /* 89 % - sum over x = 2 .. 20 of 14.0491 exp(-0.177531 x) + 0.462513 % = 21.7 % */
  double first = 89;
  for (int x = 2; x <= 20; x++) first -= 14.0491 * hc_exp(-0.177531 * x) + 0.462513;
  is_near("largest estimate", (double)longest / 1e5, first / 100, 0.002);
}

/* Shares of the head, sorted, are those of the formula, whichever value has which; the table of four logs
 * decides that: over many walks second is only what is so in some log, or follows it soon; the largest is
 * always first. */
static void popularity_is_drawn_from_the_logs(void **state)
{
  const hc_popular_options o = {.jobs = 10000000, .longest = 18 * HC_HOUR, .bins = 20, .longest_first = true};
  hc_popular_bin bins[HC_POPULAR_MOST];
  int second[20] = {0};
  double share[21], first = 89;
  HC_UNUSED(state);
  for (int x = 2; x <= 20; x++) first -= share[x] = 14.0491 * hc_exp(-0.177531 * x) + 0.462513;
  share[1] = first;
  for (int walk = 0; walk < 400; walk++) {
    hc_draws d = some_draws((uint64_t)walk);
    size_t n_head;
    assert_int_equal(hc_popular_bins(&o, &d, bins, NULL, &n_head), 20);
    bool used[21] = {0};
    for (int i = 0; i < 20; i++) {
      int x = 0;
      for (int k = 1; k <= 20; k++) /* shares are 100 % in all: there is no tail */
        if (distance((double)bins[i].jobs, share[k] / 89 * 1e7) < 50) x = k;
      assert_true(x > 0 && !used[x]);
      used[x] = true;
      assert_true((x == 1) == (i == 19));
      second[i] += x == 2;
    }
  }
  /* Popularity 2 stands in the logs at time ranks 3 (CTC), 5 (KTH, Blue) and 8 (SDSC): it is in the pool from
   * 3 on, and due at 8. */
  for (int i = 0; i < 19; i++) assert_true(second[i] == 0 || (i >= 2 && i <= 7));
  assert_true(second[2] > 20 && second[4] > 20);
}

/* Given values stand in for fillings first: 2160 min = M stays, the fillings of M = 36 h are 1200, 1500,
 * 1800, 2100 min. */
static void given_values_replace_the_nearest(void **state)
{
  const hc_time given[] = {24 * HC_HOUR, 35 * HC_HOUR, 7 * HC_MINUTE};
  const hc_popular_options o = {.jobs = 1000, .longest = 36 * HC_HOUR, .given = given, .given_count = 3};
  hc_popular_bin bins[HC_POPULAR_MOST];
  hc_time head[HC_POPULAR_HEAD];
  size_t n_head;
  bool has[2161] = {0};
  hc_draws d = some_draws(1);
  HC_UNUSED(state);
  (void)hc_popular_bins(&o, &d, bins, head, &n_head);
  for (size_t i = 0; i < n_head; i++) has[head[i] / HC_MINUTE] = true;
  assert_true(has[1440] && has[2100] && has[7] && has[2160]);
  assert_false(has[1500]); /* nearest to 24 h */
  assert_false(has[1200]); /* the filling nearest to 7 min: 5 min is no filling */
  assert_true(has[5] && has[1800]);
}

/* With few jobs there are few values, each asked for at least once, and all jobs are dealt. */
static void few_jobs(void **state)
{
  HC_UNUSED(state);
  for (uint64_t jobs = 1; jobs < 60; jobs++) {
    const hc_popular_options o = {.jobs = jobs, .longest = HC_HOUR, .longest_first = true};
    hc_popular_bin bins[HC_POPULAR_MOST];
    hc_draws d = some_draws(jobs);
    uint64_t all = 0;
    const size_t n = hc_popular_bins(&o, &d, bins, NULL, NULL);
    for (size_t i = 0; i < n; i++) all += bins[i].jobs;
    assert_int_equal(all, jobs);
    assert_true(bins[n - 1].estimate == HC_HOUR && bins[n - 1].jobs > 0);
  }
}

/* ---- dealing ---- */

/* Runs 50, 5, 20 s and estimates 60, 30, 10: by length 50, 20, 5. 50 must get 60; then 20 must get 30 (hi =
 * 30), 5 gets 10. With runs 5, 5, 5 every deal is as likely. */
static void dealing_by_hand(void **state)
{
  const hc_popular_bin bins[] = {{10 * HC_SECOND, 1}, {30 * HC_SECOND, 1}, {60 * HC_SECOND, 1}};
  const hc_time tight[] = {50 * HC_SECOND, 5 * HC_SECOND, 20 * HC_SECOND}, loose[] = {1, 1, 1},
                high[] = {40 * HC_SECOND, 35 * HC_SECOND, 1}, never[] = {61 * HC_SECOND, 1, 1};
  hc_time out[6];
  uint32_t rank[6];
  size_t k = 0;
  int seen[3] = {0};
  hc_draws d = some_draws(2);
  HC_UNUSED(state);
  assert_int_equal(hc_popular_assign(tight, 3, bins, 3, false, &d, rank, out, &k), 0);
  assert_true(out[0] == 60 * HC_SECOND && out[1] == 10 * HC_SECOND && out[2] == 30 * HC_SECOND);
  for (int i = 0; i < 3000; i++) {
    assert_int_equal(hc_popular_assign(loose, 3, bins, 3, false, &d, rank, out, &k), 0);
    assert_int_equal(out[0] + out[1] + out[2], 100 * HC_SECOND);
    seen[out[0] == 10 * HC_SECOND ? 0 : out[0] == 30 * HC_SECOND ? 1 : 2]++;
  }
  for (int i = 0; i < 3; i++) is_near("each as likely", seen[i], 1000, 5 * hc_sqrt(3000 * 2.0 / 9));
  assert_int_equal(hc_popular_assign(high, 3, bins, 3, false, &d, rank, out, &k), HC_EINPUT);
  assert_int_equal(k, 1);
  assert_int_equal(hc_popular_assign(high, 3, bins, 3, true, &d, rank, out, &k), 0);
  assert_true(out[0] == 60 * HC_SECOND && out[1] == 60 * HC_SECOND && out[2] == 10 * HC_SECOND);
  assert_int_equal(hc_popular_assign(never, 3, bins, 3, true, &d, rank, out, &k), HC_EINPUT);
}

/* ---- the transform ---- */

typedef struct tally {
  hc_time values[HC_POPULAR_MOST];
  int count[HC_POPULAR_MOST], n;
} tally;

static void count_value(tally *t, hc_time v)
{
  int i = 0;
  while (i < t->n && t->values[i] != v) i++;
  if (i == t->n) t->values[t->n++] = v, t->count[i] = 0;
  t->count[i]++;
}

/* 10,000 tasks ask for 90 values at most; 20 of them have 89 %; none asks for less than it runs. The
 * estimates of a workload are the same multiset whatever the assignment, and the tasks are otherwise what
 * they were. */
static void users_ask_for_few_round_values(void **state)
{
  static tally t;
  piped p;
  generator plain;
  hc_arrival a;
  int top[20] = {0}, head = 0, accurate = 0;
  HC_UNUSED(state);
  t.n = 0;
  open_pipe(&p, jobs("tasks=10000"), TSAFRIR("max_estimate=2d"), NULL, 0);
  open_generator(&plain, jobs("tasks=10000"));
  while (next_task(&p, &a)) {
    hc_task_spec want = *next_row(&plain);
    assert_true(a.spec.limit >= a.spec.run && a.spec.limit <= 2 * HC_DAY);
    accurate += 10 * a.spec.run > 9 * a.spec.limit;
    count_value(&t, a.spec.limit);
    want.limit = a.spec.limit;
    assert_memory_equal(&a.spec, &want, sizeof want);
  }
  close_generator(&plain);
  close_pipe(&p);
  assert_true(t.n > 80 && t.n <= 90);
  for (int i = 0; i < t.n; i++) {
    int c = t.count[i], k = 0;
    for (; k < 20; k++)
      if (c > top[k]) {
        const int other = top[k];
        top[k] = c;
        c = other;
      }
  }
  for (int k = 0; k < 20; k++) head += top[k];
  is_near("the 20 most popular", head / 1e4, 0.89,
          0.01);                /* some of the tail is above the rarest of the head */
  assert_true(accurate < 2000); /* most users are far off */
}

/* `repeat` starts the source over, `first` before it in the middle: every copy has the estimates of the
 * first. */
static void passes_have_the_same_estimates(void **state)
{
  const hc_chosen more[] = {choose(&hc_transform_first.component, "count=70", NULL),
                            choose(&hc_transform_repeat.component, "times=3", NULL)};
  piped p;
  hc_arrival a;
  hc_time limits[70];
  int n = 0;
  HC_UNUSED(state);
  open_pipe(&p, jobs("tasks=200"), TSAFRIR("max_estimate=2d"), more, 2);
  for (; next_task(&p, &a); n++) {
    if (n < 70) limits[n] = a.spec.limit;
    else assert_int_equal(a.spec.limit, limits[n % 70]);
  }
  assert_int_equal(n, 210);
  close_pipe(&p);
}

/* A stream that is saved in the middle goes on with the same estimates in another one. */
static void a_snapshot_goes_on(void **state)
{
  piped p, q;
  hc_arrival a, b;
  hc_buffer saved;
  HC_UNUSED(state);
  hc_buffer_init(&saved, hc_default_allocator());
  open_pipe(&p, jobs("tasks=500"), TSAFRIR("max_estimate=2d"), NULL, 0);
  open_pipe(&q, jobs("tasks=500"), TSAFRIR("max_estimate=2d"), NULL, 0);
  for (int i = 0; i < 200; i++) assert_true(next_task(&p, &a));
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(hc_stream_visit(p.b.stream, &save, &p.b.error), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(hc_stream_visit(q.b.stream, &load, &q.b.error), 0);
  for (int i = 200; i < 500; i++) {
    assert_true(next_task(&p, &a) && next_task(&q, &b));
    assert_memory_equal(&a.spec, &b.spec, sizeof a.spec);
  }
  assert_false(next_task(&q, &b));
  hc_buffer_fini(&saved);
  close_pipe(&p);
  close_pipe(&q);
}

/* Below it rows may be moved: what it sees first is in the order of what it changes. */
static void rows_that_were_moved(void **state)
{
  piped p;
  hc_arrival a;
  int n = 0;
  HC_UNUSED(state);
  const hc_chosen after = TSAFRIR("max_estimate=2d");
  open_pipe(&p, jobs("tasks=3000"), choose(&hc_transform_shake.component, "submit=12h", NULL), &after, 1);
  for (; next_task(&p, &a); n++) assert_true(a.spec.limit >= a.spec.run);
  assert_int_equal(n, 3000);
  close_pipe(&p);
}

/* Not all run times are known of a loop that the run closes. */
static void a_closed_loop_is_refused(void **state)
{
  piped p;
  hc_arrival a;
  HC_UNUSED(state);
  open_pipe(&p, choose(&hc_reader_feitelson96.component, "repeats=closed", NULL), TSAFRIR("max_estimate=2d"),
            NULL, 0);
  assert_int_equal(hc_stream_next(p.b.stream, &a, &p.b.error), HC_EUNSUPPORTED);
  if (!strstr(p.b.error.text, "transform tsafrir has to see all tasks first"))
    fail_msg("\"%s\"", p.b.error.text);
  close_pipe(&p);
}

static void what_cannot_be_is_said(void **state)
{
  static const struct {
    const char *set, *says;
  } cases[] = {{"max_estimate=1h", "longer than max_estimate"},
               {"most=10", "more than 10 tasks"},
               {"popular=200h", "popular: value 1"}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    piped p;
    hc_arrival a;
    open_pipe(&p, jobs("tasks=3000"), TSAFRIR(cases[i].set), NULL, 0);
    assert_true(hc_stream_next(p.b.stream, &a, &p.b.error) < 0);
    if (!strstr(p.b.error.text, cases[i].says)) fail_msg("\"%s\"", p.b.error.text);
    close_pipe(&p);
  }
}

/* Recorded once: any compiler at any level of optimisation must give the same. */
static void the_same_bits_everywhere(void **state)
{
  piped p;
  hc_arrival a;
  hc_hash hash;
  uint64_t words[2];
  char text[40];
  HC_UNUSED(state);
  hc_hash_init(&hash);
  open_pipe(&p, jobs("tasks=3000"), TSAFRIR("max_estimate=2d"), NULL, 0);
  while (next_task(&p, &a)) hc_hash_add(&hash, &a.spec.limit, sizeof a.spec.limit);
  hc_hash_end(&hash, words);
  close_pipe(&p);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)words[0]);
  assert_string_equal(text, "f839a59ef0b00eec");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_follow_their_laws),
      cmocka_unit_test(exact_and_multiplied),
      cmocka_unit_test(the_number_of_values),
      cmocka_unit_test(the_head_of_36_hours),
      cmocka_unit_test(popularity_is_drawn_from_the_logs),
      cmocka_unit_test(given_values_replace_the_nearest),
      cmocka_unit_test(few_jobs),
      cmocka_unit_test(dealing_by_hand),
      cmocka_unit_test(users_ask_for_few_round_values),
      cmocka_unit_test(passes_have_the_same_estimates),
      cmocka_unit_test(a_snapshot_goes_on),
      cmocka_unit_test(rows_that_were_moved),
      cmocka_unit_test(a_closed_loop_is_refused),
      cmocka_unit_test(what_cannot_be_is_said),
      cmocka_unit_test(the_same_bits_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
