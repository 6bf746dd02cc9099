/* test_monitoring.c -- families that follow hosts, queues and users, on histories worked out by hand:
 * exact means over pieces of time, the last of them in part, pieces that are merged, and states that are
 * saved half-way. */
#include <stdio.h>

#include "cluster/lexicon.h"
#include "metric_test.h"

#define FOUND(table, key, name, value) expect_found(&l, table, key, name, value)

static size_t rows_of(const hc_finding_list *l, const char *table)
{
  size_t n = 0;
  for (size_t i = 0; i < l->count; i++)
    n += l->items[i].table && strcmp(l->items[i].table, table) == 0 && strcmp(l->items[i].name, "until") == 0;
  return n;
}

/* ---- load ---- */

/* DSLab's own test: a total of 100, pieces of 10; 50 from 5 on, 0 from 11 on. The first piece has 50 x 5
 * of 100 x 10. The second, of which the run covers 2 s, has 50 x 1 of 100 x 2. From 5 to 12: 300 of 700. */
static void load_of_pieces(void **state)
{
  const hc_change c[] = {claim(5, 1, 3, HC_NO_HOST, 50000, 0), release(11, 1, 3, HC_NO_HOST, 50000, 0)};
  void *o = options_of(&hc_metric_host_load, 10, 100);
  hc_metric_context context = context_of(100);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_host_load, &context, o, c, 2, 12, &l);
  FOUND("host_load", 0, "cpu", 0.25);
  FOUND("host_load", 0, "cpu_amount", 25);
  FOUND("host_load", 0, "until", 10);
  FOUND("host_load", 10, "cpu", 0.25);
  FOUND("host_load", 10, "until", 12);
  FOUND(NULL, 0, "host_load_cpu", 300 / 700.);
  FOUND(NULL, 0, "host_load_cpu_amount", 300 / 7.);
  assert_int_equal(rows_of(&l, "host_load"), 2);
  hc_finding_list_fini(&l);
  free(o);
}

/* Host 4 (small, 4 cores) is claimed by half from 0 to 100; host 5 joins at 40, host 0 (big, 8 cores) goes at
 * 60 with 6 cores claimed since 20, which are given back at 60. Up to 100:
 *   small  claimed 2 x 100, capacity 4 x 100 + 4 x 60                     200 / 640
 *   big    claimed 6 x 40, capacity 32 x 100 - 8 x 40                     240 / 2880
 *   batch  hosts 0, 1, 4, 5: capacity 20 x 100 + 4 x 60 - 8 x 40 = 1920   440 / 1920 */
static void load_of_groups(void **state)
{
  hc_change c[] = {claim(0, 1, 3, 4, 2000, 0),           claim(20, 2, 3, 0, 6000, 0),
                   change(HC_CHANGE_HOST, 40, 0, -1, 5), release(60, 2, 3, 0, 6000, 0),
                   change(HC_CHANGE_HOST, 60, 0, -1, 0), release(100, 1, 3, 4, 2000, 0)};
  void *o = options_of(&hc_metric_host_load, 50, 100);
  hc_metric_context context = context_with(&test_cell);
  hc_finding_list l;
  (void)state;
  memcpy(c[2].amount, test_classes[1].capacity, sizeof c[2].amount);
  set_option(&hc_metric_host_load.component, o, "detail", 2);
  find_changes(&hc_metric_host_load, &context, o, c, 6, 100, &l);
  FOUND("host_load_by_class", 1, "cpu", 200 / 640.);
  FOUND("host_load_by_class", 1, "cpu_amount", 2);
  FOUND("host_load_by_class", 0, "cpu", 240 / 2880.);
  FOUND("host_load_by_set", 1, "cpu", 440 / 1920.);
  FOUND(NULL, 0, "host_load_cpu", 440 / 3520.);
  FOUND(NULL, 0, "host_load_gpu", 0);
  FOUND("host_load:class:small", 0, "cpu", 100 / (4 * 50 + 4 * 10.));
  FOUND("host_load:host:h4", 50, "cpu", 0.5);
  FOUND("host_load:host:h0", 50, "cpu", 6 * 10 / (8 * 10.));
  FOUND("host_load:host:h0", 50, "cpu_amount", 6 * 10 / 50.);
  FOUND("host_load:set:power1", 0, "cpu_amount", 6 * 30 / 50.);
  assert_null(hc_finding_list_get(&l, "host_load:class:small", 0, "gpu")); /* it has none */
  assert_null(hc_finding_list_get(&l, "host_load_by_class", 1, "gpu"));
  hc_finding_list_fini(&l);
  free(o);
}

/* Licences are the cell's: 4 of 10 for half the time. */
static void load_of_the_whole_cell(void **state)
{
  hc_change c[] = {change(HC_CHANGE_CLAIMED, 0, 1, 3, HC_NO_HOST),
                   change(HC_CHANGE_RELEASED, 50, 1, 3, HC_NO_HOST)};
  hc_metric_context context = context_with(&test_cell);
  hc_lexicon *lexicon;
  hc_finding_list l;
  (void)state;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &lexicon), 0);
  assert_int_equal(hc_lexicon_dimension(lexicon, "licence", 7), LICENCE);
  context.lexicon = lexicon;
  c[0].amount[LICENCE] = c[1].amount[LICENCE] = 4;
  find_changes(&hc_metric_host_load, &context, NULL, c, 2, 100, &l);
  FOUND(NULL, 0, "host_load_licence", 0.2);
  FOUND(NULL, 0, "host_load_licence_amount", 2);
  FOUND("host_load", 0, "licence", 0.2);
  hc_finding_list_fini(&l);
  hc_lexicon_free(lexicon);
}

static void nothing_that_happened_has_no_mean(void **state)
{
  hc_metric_context context = context_with(&test_cell);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_host_load, &context, NULL, NULL, 0, 100, &l);
  expect_nothing(&l, "host_load_cpu");
  assert_int_equal(rows_of(&l, "host_load"), 0);
  hc_finding_list_fini(&l);
}

/* Too many columns are refused with what to do. */
static void detail_has_a_limit(void **state)
{
  enum { MANY = 200000 };
  static uint32_t class_of[MANY];
  const hc_cell_spec cell = {.granularity = HC_CELL_HOSTS,
                             .units = MANY,
                             .classes = test_classes + 1,
                             .class_count = 1,
                             .class_of = class_of};
  void *o = options_of(&hc_metric_host_load, 10, 100);
  hc_metric_context context = context_with(&cell);
  hc_metric *self = NULL;
  hc_error e = {0};
  (void)state;
  set_option(&hc_metric_host_load.component, o, "detail", 2);
  assert_int_equal(hc_metric_host_load.init(&context, o, &self, &e), HC_ELIMIT);
  assert_string_equal(e.text,
                      "more than 262144 columns of hosts, sets and dimensions; ask for less with `detail`");
  free(o);
}

/* ---- pieces of time ---- */

/* One core of 10 is claimed during each odd second up to 1000. In pieces of 1 s of which 16 are allowed
 * they are merged to 64 s, beginning at multiples of it: 3 is where the first change is, so the first
 * begins at 0. */
static void pieces_are_merged_exactly(void **state)
{
  enum { END = 1000 };
  hc_change *c = calloc(END, sizeof *c);
  void *o = options_of(&hc_metric_host_load, 1, 16);
  hc_metric_context context = context_of(10);
  hc_finding_list l;
  size_t n = 0;
  (void)state;
  for (int64_t t = 3; t < END; t += 2) {
    c[n++] = claim(t, 1, 3, HC_NO_HOST, 1000, 0);
    c[n++] = release(t + 1, 1, 3, HC_NO_HOST, 1000, 0);
  }
  find_changes(&hc_metric_host_load, &context, o, c, n, END, &l);
  assert_int_equal(rows_of(&l, "host_load"), 16);
  FOUND("host_load", 0, "cpu_amount", 31 / 64.); /* 3, 5 ... 63 */
  for (int64_t k = 1; k < 15; k++) FOUND("host_load", 64 * k, "cpu_amount", 0.5);
  FOUND("host_load", 960, "cpu_amount", 0.5);
  FOUND("host_load", 960, "until", 1000);
  FOUND(NULL, 0, "host_load_cpu_amount", 499 / 997.);
  hc_finding_list_fini(&l);
  free(o);
  free(c);
}

/* Pieces of 1 s from 100 on become 8 s long, and the first begins at 96. It was idle until 100: 5 cores
 * for 4 s of 10 for 8 s. From the first change on the load is a half. */
static void the_first_piece_begins_earlier(void **state)
{
  const hc_change c[] = {claim(100, 1, 3, HC_NO_HOST, 5000, 0)};
  void *o = options_of(&hc_metric_host_load, 1, 16);
  hc_metric_context context = context_of(10);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_host_load, &context, o, c, 1, 200, &l);
  assert_int_equal(rows_of(&l, "host_load"), 13);
  FOUND("host_load", 96, "until", 104);
  FOUND("host_load", 96, "cpu", 0.25);
  FOUND("host_load", 104, "cpu", 0.5);
  FOUND(NULL, 0, "host_load_cpu", 0.5);
  hc_finding_list_fini(&l);
  free(o);
}

/* Whatever the pieces, their integrals add up to the same, and so do those of a longer piece. */
static void coarse_pieces_are_sums_of_fine_ones(void **state)
{
  hc_change *c;
  size_t n = random_changes(300, 11, &c);
  int64_t end = c[n - 1].at / HC_SECOND + 7;
  hc_metric_context context = context_with(&test_cell);
  void *fine = options_of(&hc_metric_host_load, 16, 100000),
       *coarse = options_of(&hc_metric_host_load, 16, 16);
  hc_finding_list a, b;
  double step;
  (void)state;
  find_changes(&hc_metric_host_load, &context, fine, c, n, end, &a);
  find_changes(&hc_metric_host_load, &context, coarse, c, n, end, &b);
  expect_found(&a, NULL, 0, "host_load_memory", hc_finding_list_get(&b, NULL, 0, "host_load_memory")->value);
  step = hc_finding_list_get(&b, "host_load", 0, "until")->value;
  assert_true(step >= 64 && rows_of(&b, "host_load") <= 16);
  for (int64_t k = 0; (double)k < (double)end; k += (int64_t)step) {
    const hc_finding *whole = hc_finding_list_get(&b, "host_load:class:big", k, "gpu_amount");
    double until = hc_finding_list_get(&b, "host_load", k, "until")->value, sum = 0;
    for (int64_t i = k; (double)i < until; i += 16) {
      const hc_finding *to = hc_finding_list_get(&a, "host_load", i, "until");
      if (!to) continue; /* before the first change */
      sum += hc_finding_list_get(&a, "host_load:class:big", i, "gpu_amount")->value * (to->value - (double)i);
    }
    sum = sum / (until - (double)k) - whole->value;
    assert_true(sum < 1e-9 && sum > -1e-9);
  }
  hc_finding_list_fini(&a);
  hc_finding_list_fini(&b);
  free(fine);
  free(coarse);
  free(c);
}

/* Times that no run has cost neither time nor memory. */
static void absurd_times_are_survived(void **state)
{
  static const hc_time times[] = {INT64_MIN, -S(1), 0, S(5), INT64_MAX - 1, INT64_MAX, S(3)};
  hc_metric_context context = context_with(&test_cell);
  (void)state;
  for (size_t m = 0; m < HC_ARRAY_LEN(all_metrics); m++) {
    void *o;
    hc_metric *self = NULL;
    hc_finding_list l;
    if (!all_metrics[m]->changes) continue;
    o = default_options(&all_metrics[m]->component);
    hc_finding_list_init(&l, hc_default_allocator());
    assert_int_equal(all_metrics[m]->init(&context, o, &self, NULL), 0);
    for (size_t i = 0; i < HC_ARRAY_LEN(times); i++) {
      for (uint32_t kind = HC_CHANGE_QUEUED; kind <= HC_CHANGE_HOST + 1; kind++) {
        for (uint32_t on = 5; on < 9; on++) {
          hc_change c = amounts(change((hc_change_kind)kind, 0, i, INT64_MAX, on == 8 ? HC_NO_HOST : on),
                                INT64_MAX, INT64_MIN);
          c.at = times[i];
          c.slots = UINT32_MAX;
          c.used_cpu = INT64_MAX;
          assert_int_equal(all_metrics[m]->changes(self, &c, 1), 0);
        }
      }
    }
    if (all_metrics[m]->until) assert_int_equal(all_metrics[m]->until(self, INT64_MAX), 0);
    assert_int_equal(all_metrics[m]->finish(self, &l.findings), 0);
    assert_true(l.count < 200000);
    all_metrics[m]->fini(self);
    hc_finding_list_fini(&l);
    free(o);
  }
}

/* Saved and loaded in the middle, with pieces merged on the way, each family finds what it finds in one
 * go. */
static void halves_are_the_whole(void **state)
{
  hc_change *c;
  size_t n = random_changes(500, 23, &c);
  int64_t end = c[n - 1].at / HC_SECOND + 1;
  hc_metric_context context = context_with(&test_cell);
  (void)state;
  for (size_t m = 0; m < HC_ARRAY_LEN(all_metrics); m++) {
    const hc_metric_type *t = all_metrics[m];
    hc_metric *first = NULL, *second = NULL;
    hc_finding_list whole, halves;
    hc_buffer b;
    hc_visitor v = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &b};
    void *o;
    if (!t->changes) continue;
    const bool has_pieces = has_option(&t->component, "every") && has_option(&t->component, "rows");
    o = has_pieces ? options_of(t, 30, 16) : default_options(&t->component);
    find_changes(t, &context, o, c, n, end, &whole);
    hc_buffer_init(&b, hc_default_allocator());
    assert_int_equal(t->init(&context, o, &first, NULL), 0);
    assert_int_equal(t->changes(first, c, n / 2), 0);
    assert_int_equal(t->visit(first, &v), 0);
    t->fini(first);
    assert_int_equal(t->init(&context, o, &second, NULL), 0);
    v = (hc_visitor){.mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)b.data,
                     .left = b.size};
    assert_int_equal(t->visit(second, &v), 0);
    assert_int_equal(t->changes(second, c + n / 2, n - n / 2), 0);
    if (t->until) assert_int_equal(t->until(second, S(end)), 0);
    hc_finding_list_init(&halves, hc_default_allocator());
    assert_int_equal(t->finish(second, &halves.findings), 0);
    assert_int_equal(whole.count, halves.count);
    for (size_t i = 0; i < whole.count; i++) {
      assert_string_equal(whole.items[i].name, halves.items[i].name);
      assert_memory_equal(&whole.items[i].value, &halves.items[i].value, sizeof(double));
    }
    t->fini(second);
    hc_finding_list_fini(&whole);
    hc_finding_list_fini(&halves);
    hc_buffer_fini(&b);
    free(o);
  }
  free(c);
}

/* ---- queues ---- */

/* User 7: two tasks of 2 slots of a core, [0, 10) and [4, 6). User 8: one of 3 cores, [2, 10). At 6 a task
 * of user 9 comes and goes: it was never there. A licence is asked for once by a task of two slots. */
static void queues_of_users(void **state)
{
  hc_change c[] = {
      change(HC_CHANGE_QUEUED, 0, 1, 7, HC_NO_HOST),    change(HC_CHANGE_QUEUED, 2, 2, 8, HC_NO_HOST),
      change(HC_CHANGE_QUEUED, 4, 3, 7, HC_NO_HOST),    change(HC_CHANGE_UNQUEUED, 6, 3, 7, HC_NO_HOST),
      change(HC_CHANGE_QUEUED, 6, 4, 9, HC_NO_HOST),    change(HC_CHANGE_UNQUEUED, 6, 4, 9, HC_NO_HOST),
      change(HC_CHANGE_UNQUEUED, 10, 1, 7, HC_NO_HOST), change(HC_CHANGE_UNQUEUED, 10, 2, 8, HC_NO_HOST)};
  void *o = options_of(&hc_metric_queue_load, 8, 100);
  hc_metric_context context = context_with(&test_cell);
  hc_finding_list l;
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(c); i++) {
    c[i].amount[HC_DIM_CPU] = c[i].user == 8 ? 3000 : 1000;
    c[i].slots = c[i].user == 8 ? 1 : 2;
    c[i].amount[LICENCE] = c[i].user == 7;
  }
  set_option(&hc_metric_queue_load.component, o, "users", 1);
  find_changes(&hc_metric_queue_load, &context, o, c, HC_ARRAY_LEN(c), 20, &l);
  FOUND(NULL, 0, "queue_load_tasks_mean", (10 + 2 + 8) / 20.);
  FOUND(NULL, 0, "queue_load_tasks_max", 3);
  FOUND(NULL, 0, "queue_load_cpu_amount", (2 * 10 + 2 * 2 + 3 * 8) / 20.);
  FOUND(NULL, 0, "queue_load_dimension_4_amount", (10 + 2) / 20.); /* the licence, which has no name */
  FOUND("queue_by_user", 7, "tasks_mean", 12 / 20.);
  FOUND("queue_by_user", 7, "tasks_max", 2);
  FOUND("queue_by_user", 8, "tasks_mean", 8 / 20.);
  FOUND("queue_by_user", 9, "tasks_max", 0);
  FOUND("queue_load", 0, "tasks", (8 + 2 + 6) / 8.);
  FOUND("queue_load", 8, "tasks", 4 / 8.);
  FOUND("queue_load", 16, "tasks", 0);
  FOUND("queue_load", 16, "until", 20);
  FOUND("queue_load:user:7", 0, "tasks", 10 / 8.);
  FOUND("queue_load:others", 0, "tasks", 6 / 8.);
  assert_null(hc_finding_list_get(&l, "queue_load:user:8", 0, "tasks"));
  hc_finding_list_fini(&l);
  free(o);
}

/* On a cell of processors each is a core, and a task asks for as many as it has slots. */
static void queues_of_processors(void **state)
{
  hc_change c[] = {amounts(change(HC_CHANGE_QUEUED, 0, 1, 7, HC_NO_HOST), 1000, 0),
                   amounts(change(HC_CHANGE_UNQUEUED, 10, 1, 7, HC_NO_HOST), 1000, 0)};
  hc_metric_context context = context_of(64);
  hc_finding_list l;
  (void)state;
  c[0].slots = c[1].slots = 48;
  find_changes(&hc_metric_queue_load, &context, NULL, c, 2, 10, &l);
  FOUND(NULL, 0, "queue_load_cpu_amount", 48);
  hc_finding_list_fini(&l);
}

/* ---- shares as figures ---- */

/* Ten processors; tasks of user 1 take two, those of user 2 four. User 1 holds 0.2 throughout, user 2 nothing
 * to 10, 0.4 to 20, 0.8 to 30, nothing to 40: means 0.2 and 0.3, median 0.25. Both wait up to 30, with gaps
 * of 0.2, 0.2 and 0.6, of which the last is above one task's 0.4; from 30 on user 1 waits alone. Both need
 * nothing but processors, so they could have half of them each. */
static void shares_of_users_who_wait(void **state)
{
  hc_change c[] = {
      amounts(change(HC_CHANGE_QUEUED, 0, 1, 1, HC_NO_HOST), 2000, 0),
      amounts(change(HC_CHANGE_QUEUED, 0, 2, 2, HC_NO_HOST), 4000, 0),
      amounts(change(HC_CHANGE_QUEUED, 0, 3, 1, HC_NO_HOST), 2000, 0),
      amounts(change(HC_CHANGE_UNQUEUED, 0, 1, 1, HC_NO_HOST), 2000, 0),
      claim(0, 1, 1, HC_NO_HOST, 2000, 0),
      amounts(change(HC_CHANGE_QUEUED, 10, 4, 2, HC_NO_HOST), 4000, 0),
      amounts(change(HC_CHANGE_UNQUEUED, 10, 2, 2, HC_NO_HOST), 4000, 0),
      claim(10, 2, 2, HC_NO_HOST, 4000, 0),
      amounts(change(HC_CHANGE_QUEUED, 20, 5, 2, HC_NO_HOST), 4000, 0),
      amounts(change(HC_CHANGE_UNQUEUED, 20, 4, 2, HC_NO_HOST), 4000, 0),
      claim(20, 4, 2, HC_NO_HOST, 4000, 0),
      release(30, 2, 2, HC_NO_HOST, 4000, 0),
      release(30, 4, 2, HC_NO_HOST, 4000, 0),
      amounts(change(HC_CHANGE_UNQUEUED, 30, 5, 2, HC_NO_HOST), 4000, 0),
  };
  hc_metric_context context = context_of(10);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_user_shares, &context, NULL, c, HC_ARRAY_LEN(c), 40, &l);
  FOUND(NULL, 0, "user_share_of_1", 0.2);
  FOUND(NULL, 0, "user_share_of_2", 0.3);
  FOUND(NULL, 0, "user_share_ratio_of_1", 0.8);
  FOUND(NULL, 0, "user_share_ratio_of_2", 1.2);
  FOUND(NULL, 0, "user_share_least", 0.2);
  FOUND(NULL, 0, "user_share_median", 0.25);
  FOUND(NULL, 0, "user_share_most", 0.3);
  FOUND(NULL, 0, "user_share_worst_off", 1);
  FOUND(NULL, 0, "user_share_pooled", 0.5);
  FOUND(NULL, 0, "user_share_satisfaction_least", 0.4);
  FOUND(NULL, 0, "user_share_satisfaction_mean", 0.5);
  FOUND(NULL, 0, "user_share_gap", 1 / 3.);
  FOUND(NULL, 0, "user_share_even", 2 / 3.);
  FOUND(NULL, 0, "user_share_rivals", 70 / 40.);
  FOUND(NULL, 0, "user_share_from", 0);
  FOUND(NULL, 0, "user_share_until", 40);
  hc_finding_list_fini(&l);
}

/* ---- shares ---- */

/* The same from 15 to 25: user 2 holds 0.4 for five seconds and 0.8 for five, user 1 0.2; gaps of 0.2 and
 * 0.6. What happens at 30 is never told. */
static void shares_in_a_window(void **state)
{
  hc_change c[] = {
      amounts(change(HC_CHANGE_QUEUED, 0, 3, 1, HC_NO_HOST), 2000, 0),
      amounts(change(HC_CHANGE_QUEUED, 0, 5, 2, HC_NO_HOST), 4000, 0),
      claim(0, 1, 1, HC_NO_HOST, 2000, 0),
      claim(10, 2, 2, HC_NO_HOST, 4000, 0),
      claim(20, 4, 2, HC_NO_HOST, 4000, 0),
      release(30, 2, 2, HC_NO_HOST, 4000, 0),
  };
  void *o = default_options(&hc_metric_user_shares.component);
  hc_metric_context context = context_of(10);
  hc_finding_list l;
  (void)state;
  set_option(&hc_metric_user_shares.component, o, "from", 15);
  set_option(&hc_metric_user_shares.component, o, "to", 25);
  find_changes(&hc_metric_user_shares, &context, o, c, HC_ARRAY_LEN(c), 40, &l);
  FOUND(NULL, 0, "user_share_of_1", 0.2);
  FOUND(NULL, 0, "user_share_of_2", 0.6);
  FOUND(NULL, 0, "user_share_gap", 0.4);
  FOUND(NULL, 0, "user_share_even", 0.5);
  FOUND(NULL, 0, "user_share_from", 15);
  FOUND(NULL, 0, "user_share_until", 25);
  hc_finding_list_fini(&l);
  free(o);
}

/* Ten processors, from 10 to 20: seven are claimed until 18, four after that, 64 of 100. Three of the seven
 * were an attempt from 5 to 18 that is stopped and loses all: eight seconds of it are in the window, 24 of
 * 100. One task starts in it. */
static void load_and_loss_in_a_window(void **state)
{
  hc_change c[] = {claim(0, 1, 3, HC_NO_HOST, 4000, 0), claim(5, 2, 3, HC_NO_HOST, 3000, 0),
                   amounts(change(HC_CHANGE_UNQUEUED, 12, 3, 3, HC_NO_HOST), 1000, 0),
                   release(18, 2, 3, HC_NO_HOST, 3000, 0), release(30, 1, 3, HC_NO_HOST, 4000, 0)};
  const hc_stop_record stop = {
      .at = S(18), .start = S(5), .serial = 2, .lost = S(13), .amount = {[HC_DIM_CPU] = 3000}};
  const hc_metric_type *t = &hc_metric_window_load;
  void *o = default_options(&t->component);
  hc_metric_context context = context_of(10);
  hc_metric *self;
  hc_finding_list l;
  hc_error e;
  (void)state;
  set_option(&t->component, o, "from", 10);
  set_option(&t->component, o, "to", 20);
  assert_int_equal(t->init(&context, o, &self, &e), 0);
  assert_int_equal(t->changes(self, c, 3), 0);
  assert_int_equal(t->stops(self, &stop), 0);
  assert_int_equal(t->changes(self, c + 3, 2), 0);
  assert_int_equal(t->until(self, S(40)), 0);
  hc_finding_list_init(&l, hc_default_allocator());
  assert_int_equal(t->finish(self, &l.findings), 0);
  FOUND(NULL, 0, "window_load_cpu", 0.64);
  FOUND(NULL, 0, "window_useful_cpu", 0.4);
  FOUND(NULL, 0, "window_stops", 1);
  FOUND(NULL, 0, "window_stopped_share", 1);
  t->fini(self);
  hc_finding_list_fini(&l);
  free(o);
}

/* Ghodsi's example: 9 cores and 18 GB; A takes (1, 4) three times, B (3, 1) twice. A's share is 12/18 of
 * memory, B's 6/9 of cores: both 2/3. Half the cell goes at 50: A has 12/9 of what is left, B 6/4.5. */
static void dominant_shares(void **state)
{
  static const hc_host_class class = {.name = "half", .capacity = {4500, 9 * GIB}};
  static const uint32_t class_of[2] = {0, 0};
  const hc_cell_spec cell = {
      .granularity = HC_CELL_HOSTS, .units = 2, .classes = &class, .class_count = 1, .class_of = class_of};
  const hc_change c[] = {claim(0, 1, 1, 0, 1000, 4 * GIB), claim(0, 2, 1, 0, 1000, 4 * GIB),
                         claim(0, 3, 1, 1, 1000, 4 * GIB), claim(0, 4, 2, 0, 3000, GIB),
                         claim(20, 5, 2, 1, 3000, GIB),    change(HC_CHANGE_HOST, 50, 0, -1, 1),
                         release(80, 5, 2, 1, 3000, GIB),  release(80, 4, 2, 0, 3000, GIB)};
  void *o = options_of(&hc_metric_dominant_share, 50, 100);
  hc_metric_context context = context_with(&cell);
  const double a = (50 * 2 / 3. + 50 * 4 / 3.) / 100, b = (20 / 3. + 30 * 2 / 3. + 30 * 4 / 3.) / 100;
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_dominant_share, &context, o, c, HC_ARRAY_LEN(c), 100, &l);
  FOUND("dominant_share_by_user", 1, "share_mean", a);
  FOUND("dominant_share_by_user", 1, "share_max", 4 / 3.);
  FOUND("dominant_share_by_user", 1, "share_end", 4 / 3.);
  FOUND("dominant_share_by_user", 2, "share_mean", b);
  FOUND("dominant_share_by_user", 2, "share_end", 0);
  FOUND("dominant_share:user:2", 0, "share", (20 / 3. + 30 * 2 / 3.) / 50);
  FOUND("dominant_share", 50, "users", (30 * 2 + 20) / 50.);
  FOUND(NULL, 0, "dominant_share_mean", (a + b) / 2);
  FOUND(NULL, 0, "dominant_share_max", 4 / 3.);
  FOUND(NULL, 0, "dominant_share_jain", (a + b) * (a + b) / (2 * (a * a + b * b)));
  hc_finding_list_fini(&l);
  free(o);
}

/* ---- use ---- */

/* Of 10 cores 4 are claimed [0, 10), of which 1 is used; 2 more [5, 10) of which nothing is known. */
static void used_against_claimed(void **state)
{
  hc_change c[] = {claim(0, 1, 1, HC_NO_HOST, 4000, GIB), claim(5, 2, 1, HC_NO_HOST, 2000, 0),
                   release(10, 1, 1, HC_NO_HOST, 4000, GIB), release(10, 2, 1, HC_NO_HOST, 2000, 0)};
  hc_metric_context context = context_of(10);
  hc_finding_list l;
  (void)state;
  c[0].used_cpu = c[2].used_cpu = 1000;
  find_changes(&hc_metric_usage, &context, NULL, c, 4, 20, &l);
  FOUND(NULL, 0, "usage_cpu_claimed", 50 / 200.);
  FOUND(NULL, 0, "usage_cpu_used", 10 / 40.);
  FOUND(NULL, 0, "usage_cpu_known", 40 / 50.);
  FOUND(NULL, 0, "usage_cpu_claimed_amount", 2.5);
  FOUND(NULL, 0, "usage_cpu_used_amount", 0.5);
  FOUND(NULL, 0, "usage_memory_claimed_amount", (double)GIB / 2);
  FOUND("usage", 0, "cpu_claimed", 0.25);
  expect_nothing(&l, "usage_memory_used"); /* of nothing is it known */
  hc_finding_list_fini(&l);
}

/* ---- fragmentation ---- */

static const hc_host_class two_class = {.name = "two", .capacity = {4000, 8 * GIB}};
static const uint32_t two_class_of[2] = {0, 0};
static const hc_cell_spec two_hosts = {.granularity = HC_CELL_HOSTS,
                                       .units = 2,
                                       .classes = &two_class,
                                       .class_count = 1,
                                       .class_of = two_class_of};

/* Two hosts of 4 cores and 8 GiB, against 1 core and 2 GiB. On the first 3.5 cores and 2 GiB are claimed
 * [10, 30): half a core is less than one, so that 6 GiB are stranded. On the second 7 GiB and a core [20,
 * 40): the 3 cores left are stranded. Free: 8 cores and 16 GiB less the claims. */
static void stranded_amounts(void **state)
{
  const hc_change c[] = {claim(0, 9, 1, 0, 0, 0), claim(10, 1, 1, 0, 3500, 2 * GIB),
                         claim(20, 2, 1, 1, 1000, 7 * GIB), release(30, 1, 1, 0, 3500, 2 * GIB),
                         release(40, 2, 1, 1, 1000, 7 * GIB)};
  static const double demand[2] = {1, 2.0 * (double)GIB};
  void *o = options_of(&hc_metric_fragmentation, 20, 100);
  hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  (void)state;
  set_option(&hc_metric_fragmentation.component, o, "against", 2);
  set_list(&hc_metric_fragmentation.component, o, "demand", demand, 2);
  find_changes(&hc_metric_fragmentation, &context, o, c, HC_ARRAY_LEN(c), 40, &l);
  FOUND(NULL, 0, "fragmentation_memory_stranded_amount", 20 * 6. * (double)GIB / 40);
  FOUND(NULL, 0, "fragmentation_cpu_stranded_amount", 20 * 3 / 40.);
  FOUND(NULL, 0, "fragmentation_cpu_stranded", 60 / (8 * 40 - 3.5 * 20 - 20));
  FOUND(NULL, 0, "fragmentation_cpu_free_amount", (8 * 40 - 3.5 * 20 - 20) / 40);
  FOUND(NULL, 0, "fragmentation_cpu_largest_amount", (20 * 4 + 10 * 3 + 10 * 4) / 40.);
  FOUND("fragmentation", 20, "memory_largest_amount", (10 * 6. + 10 * 8) * (double)GIB / 20);
  FOUND("fragmentation", 0, "memory_stranded", 10 * 6 / (16 * 20 - 2 * 10.));
  hc_finding_list_fini(&l);
  free(o);
}

/* The least of what waits: 3 cores and 1 GiB [10, 30), 1 core and 5 GiB [20, 40): (3, 1), then (1, 1), then
 * (1, 5). On the first host 2 cores and 4 GiB are free, on the second nothing is claimed.
 *   [10, 20)  2 cores are less than 3: 4 GiB stranded
 *   [20, 30)  nothing
 *   [30, 40)  4 GiB are less than 5: 2 cores stranded
 *   [40, 50)  nothing waits */
static void stranded_for_those_that_wait(void **state)
{
  const hc_change c[] = {claim(0, 1, 1, 0, 2000, 4 * GIB),
                         amounts(change(HC_CHANGE_QUEUED, 10, 2, 1, HC_NO_HOST), 3000, GIB),
                         amounts(change(HC_CHANGE_QUEUED, 20, 3, 1, HC_NO_HOST), 1000, 5 * GIB),
                         amounts(change(HC_CHANGE_UNQUEUED, 30, 2, 1, HC_NO_HOST), 3000, GIB),
                         amounts(change(HC_CHANGE_UNQUEUED, 40, 3, 1, HC_NO_HOST), 1000, 5 * GIB)};
  void *o = options_of(&hc_metric_fragmentation, 10, 100);
  hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  (void)state;
  set_option(&hc_metric_fragmentation.component, o, "against", 0);
  find_changes(&hc_metric_fragmentation, &context, o, c, HC_ARRAY_LEN(c), 50, &l);
  for (int64_t t = 0; t < 50; t += 10) {
    FOUND("fragmentation", t, "memory_stranded_amount", t == 10 ? 4 * (double)GIB : 0);
    FOUND("fragmentation", t, "cpu_stranded_amount", t == 30 ? 2 : 0);
  }
  hc_finding_list_fini(&l);
  free(o);
}

/* The same of all that have arrived: the least of each dimension stays, (3, 1) and then (1, 1). A task
 * that wants hosts whole changes nothing. */
static void stranded_for_those_that_came(void **state)
{
  hc_change c[] = {claim(0, 1, 1, 0, 2000, 4 * GIB),
                   amounts(change(HC_CHANGE_QUEUED, 10, 2, 1, HC_NO_HOST), 3000, GIB),
                   change(HC_CHANGE_QUEUED, 15, 4, 1, HC_NO_HOST),
                   amounts(change(HC_CHANGE_UNQUEUED, 20, 2, 1, HC_NO_HOST), 3000, GIB),
                   amounts(change(HC_CHANGE_QUEUED, 30, 3, 1, HC_NO_HOST), 1000, 5 * GIB)};
  void *o = options_of(&hc_metric_fragmentation, 10, 100);
  hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  (void)state;
  c[2].whole = 1;
  find_changes(&hc_metric_fragmentation, &context, o, c, HC_ARRAY_LEN(c), 40, &l);
  for (int64_t t = 0; t < 40; t += 10)
    FOUND("fragmentation", t, "memory_stranded_amount", t == 10 || t == 20 ? 4 * (double)GIB : 0);
  hc_finding_list_fini(&l);
  free(o);
}

static void a_demand_must_be_given(void **state)
{
  void *o = default_options(&hc_metric_fragmentation.component);
  hc_metric_context context = context_with(&two_hosts);
  hc_metric *self = NULL;
  hc_error e = {0};
  (void)state;
  set_option(&hc_metric_fragmentation.component, o, "against", 2);
  assert_int_equal(hc_metric_fragmentation.init(&context, o, &self, &e), HC_EUSAGE);
  assert_string_equal(e.text,
                      "against: given, but no demand; give the least demand in cores, bytes, bytes, GPUs, as "
                      "demand: [1, 2e9]");
  free(o);
}

/* The same by looking at every host after every change. */
typedef struct count {
  int64_t has[6][HC_DIMENSIONS], held[6][HC_DIMENSIONS], least[HC_DIMENSIONS];
  int64_t stranded[HC_DIMENSIONS], largest[HC_DIMENSIONS]; /* integrals */
} count;

static int64_t free_on(const count *x, int host, int d)
{
  return HC_MAX(x->has[host][d] - x->held[host][d], 0);
}

static void count_for(count *x, int64_t time)
{
  static const int dimensions[] = {HC_DIM_CPU, HC_DIM_MEMORY, HC_DIM_DISK, HC_DIM_GPU, THING};
  for (size_t i = 0; i < HC_ARRAY_LEN(dimensions); i++) {
    int64_t stranded = 0, largest = 0;
    for (int h = 0; h < 6; h++) {
      bool is_stranded = false;
      for (size_t k = 0; k < HC_ARRAY_LEN(dimensions); k++)
        is_stranded |= k != i && free_on(x, h, dimensions[k]) < x->least[dimensions[k]];
      stranded += is_stranded ? free_on(x, h, dimensions[i]) : 0;
      largest = HC_MAX(largest, free_on(x, h, dimensions[i]));
    }
    x->stranded[dimensions[i]] += stranded * time;
    x->largest[dimensions[i]] += largest * time;
  }
}

/* The least of all that have come up to `i`, or of those that have not gone. */
static void find_least(count *x, const hc_change *c, size_t i, bool only_waiting)
{
  static bool gone[1000];
  memset(gone, 0, sizeof gone);
  for (int d = 0; d < HC_DIMENSIONS; d++) x->least[d] = INT64_MIN;
  for (size_t k = 0; k <= i && only_waiting; k++)
    if (c[k].kind == HC_CHANGE_UNQUEUED) gone[c[k].serial] = true;
  for (size_t k = 0; k <= i; k++)
    for (int d = 0; d < HC_DIMENSIONS && c[k].kind == HC_CHANGE_QUEUED && !gone[c[k].serial]; d++)
      x->least[d] = x->least[d] == INT64_MIN ? c[k].amount[d] : HC_MIN(x->least[d], c[k].amount[d]);
}

static void agree_with_counting(int against)
{
  static const char *const names[] = {"cpu", "memory", "disk", "gpu"};
  static const double per_unit[] = {1000, 1, 1, 1000};
  hc_change *c;
  size_t n = random_changes(300, 5, &c);
  int64_t begin = c[0].at / HC_SECOND, end = c[n - 1].at / HC_SECOND + 1;
  hc_metric_context context = context_with(&test_cell);
  void *o = options_of(&hc_metric_fragmentation, 1000, 100);
  hc_finding_list l;
  count x = {0};
  set_option(&hc_metric_fragmentation.component, o, "against", against);
  for (int h = 0; h < 5; h++) memcpy(x.has[h], test_classes[h > 3].capacity, sizeof x.has[h]);
  for (size_t i = 0; i < n; i++) {
    c[i].amount[HC_DIM_MEMORY] += c[i].kind == HC_CHANGE_HOST ? 0 : GIB; /* all ask for some */
    for (int d = 0; d < HC_DIMENSIONS; d++) {
      int64_t more = c[i].amount[d];
      if (c[i].kind == HC_CHANGE_QUEUED)
        x.least[d] = x.least[d] == INT64_MIN ? more : HC_MIN(x.least[d], more);
      if (c[i].kind == HC_CHANGE_CLAIMED) x.held[c[i].host][d] += more;
      if (c[i].kind == HC_CHANGE_RELEASED) x.held[c[i].host][d] -= more;
      if (c[i].kind == HC_CHANGE_HOST) x.has[c[i].host][d] = more;
    }
    find_least(&x, c, i, against == 0);
    count_for(&x, (i + 1 < n ? c[i + 1].at / HC_SECOND : end) - c[i].at / HC_SECOND);
  }
  find_changes(&hc_metric_fragmentation, &context, o, c, n, end, &l);
  for (int d = 0; d < 4; d++) {
    char name[64];
    double all = (double)(end - begin) * per_unit[d];
    (void)snprintf(name, sizeof name, "fragmentation_%s_stranded_amount", names[d]);
    FOUND(NULL, 0, name, (double)x.stranded[d] / all);
    (void)snprintf(name, sizeof name, "fragmentation_%s_largest_amount", names[d]);
    FOUND(NULL, 0, name, (double)x.largest[d] / all);
  }
  assert_true(x.stranded[HC_DIM_CPU] > 0 && x.stranded[HC_DIM_GPU] > 0);
  assert_null(
      hc_finding_list_get(&l, NULL, 0, "fragmentation_dimension_4_stranded")); /* the cell's, not a host's */
  hc_finding_list_fini(&l);
  free(o);
  free(c);
}

static void fragmentation_agrees_with_counting(void **state)
{
  (void)state;
  agree_with_counting(0);
  agree_with_counting(1);
}

/* ---- failure domains ---- */

/* Domain 0 is hosts 0 to 2, domain 1 hosts 2 and 3. Task 1 is on 0 and 1 [0, 40): one task of domain 0. Task
 * 2 is on 2 [10, 30): in both. Task 3 is on 3 and 4 [20, 40): in domain 1, and in none with host 4.
 *   tasks of domain 0   1, 2 during [10, 30)      of domain 1   1 during [10, 20), 2 until 30, 1 until 40
 *   worst               1, 2 [10, 30), 1 */
static void domains_lose_tasks(void **state)
{
  const hc_change c[] = {claim(0, 1, 1, 0, 1000, 0),    claim(0, 1, 1, 1, 1000, 0),
                         claim(10, 2, 1, 2, 4000, 0),   claim(20, 3, 1, 3, 3000, 0),
                         claim(20, 3, 1, 4, 3000, 0),   release(30, 2, 1, 2, 4000, 0),
                         release(40, 1, 1, 0, 1000, 0), release(40, 1, 1, 1, 1000, 0),
                         release(40, 3, 1, 3, 3000, 0), release(40, 3, 1, 4, 3000, 0)};
  void *o = options_of(&hc_metric_failure_domains, 25, 100);
  hc_metric_context context = context_with(&test_cell);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_failure_domains, &context, o, c, HC_ARRAY_LEN(c), 50, &l);
  FOUND(NULL, 0, "failure_domains_tasks_max", 2);
  FOUND(NULL, 0, "failure_domains_tasks_mean", (10 + 40 + 10) / 50.);
  FOUND(NULL, 0, "failure_domains_tasks_average", ((40 + 20) + (20 + 20)) / 2 / 50.);
  FOUND(NULL, 0, "failure_domains_cpu_amount_max", 7); /* 4 and 3, of domain 1 */
  FOUND(NULL, 0, "failure_domains_cpu_amount_mean", (2 * 10 + 6 * 10 + 7 * 10 + 3 * 10) / 50.);
  FOUND("failure_domain", 0, "tasks_mean", 60 / 50.);
  FOUND("failure_domain", 1, "tasks_mean", 40 / 50.);
  FOUND("failure_domain", 1, "cpu_amount_max", 7);
  FOUND("failure_domains", 0, "tasks", (10 + 15 * 2) / 25.);
  FOUND("failure_domains", 25, "tasks", (5 * 2 + 10) / 25.);
  hc_finding_list_fini(&l);
  free(o);
}

static void set_level(void *o, const char *level)
{
  for (const hc_param *p = hc_metric_failure_domains.component.params; p->name; p++)
    if (p->type == HC_TEXT) *(const char **)((char *)o + p->offset) = level;
}

/* Racks: hosts 0 to 2, and 3 and 4; host 5 is in none. Without domains each host is one. */
static void domains_of_other_kinds(void **state)
{
  const hc_change c[] = {claim(0, 1, 1, 0, 1000, 0), claim(0, 1, 1, 2, 1000, 0), claim(0, 2, 1, 5, 4000, 0),
                         claim(0, 3, 1, 4, 4000, 0)};
  void *o = options_of(&hc_metric_failure_domains, 25, 100);
  hc_metric_context context = context_with(&test_cell);
  hc_cell_spec plain = test_cell;
  hc_metric *self = NULL;
  hc_error e = {0};
  hc_finding_list l;
  (void)state;
  set_level(o, "rack");
  find_changes(&hc_metric_failure_domains, &context, o, c, HC_ARRAY_LEN(c), 10, &l);
  FOUND("failure_domain", 0, "cpu_amount_mean", 2);
  FOUND("failure_domain", 1, "cpu_amount_mean", 4);
  FOUND(NULL, 0, "failure_domains_tasks_average", 1);
  hc_finding_list_fini(&l);
  set_level(o, "row");
  assert_int_equal(hc_metric_failure_domains.init(&context, o, &self, &e), HC_EUSAGE);
  assert_string_equal(e.text,
                      "level: the cell has no zones of a level \"row\"; name one that its hosts are in");
  set_level(o, NULL);
  plain.set_count = 0;
  context.cell = &plain;
  find_changes(&hc_metric_failure_domains, &context, o, c, HC_ARRAY_LEN(c), 10, &l);
  FOUND("failure_domain", 2, "cpu_amount_mean", 1);
  FOUND("failure_domain", 5, "cpu_amount_mean", 4);
  FOUND(NULL, 0, "failure_domains_tasks_average", 4 / 6.);
  hc_finding_list_fini(&l);
  free(o);
}

/* ---- declarations ---- */

static void declarations_have_stars(void **state)
{
  (void)state;
  assert_true(hc_metric_matches("a_*|1|x", NULL, "a_b", "1"));
  assert_true(hc_metric_matches("a_*_c|1|x", NULL, "a_c_c_c", "1"));
  assert_false(hc_metric_matches("a_*|1|x", NULL, "a_", "1")); /* a star is something */
  assert_false(hc_metric_matches("a_*_c|1|x", NULL, "a_b_cd", "1"));
  assert_false(hc_metric_matches("a_*|1|x", NULL, "a_b", "s"));
  assert_true(hc_metric_matches("a|cores, B|x", NULL, "a", "B"));
  assert_true(hc_metric_matches("a|cores, B|x", NULL, "a", "cores"));
  assert_false(hc_metric_matches("a|cores, B|x", NULL, "a", "core"));
  assert_true(hc_metric_matches("t.*|1|x", "t", "b", "1"));
  assert_true(hc_metric_matches("t:*.*_c|1|x", "t:host:a.b", "d_c", "1"));
  assert_false(hc_metric_matches("t.*|1|x", NULL, "b", "1"));
  assert_false(hc_metric_matches("t.*|1|x", "t:u", "b", "1"));
  assert_false(hc_metric_matches("a_*|1|x", "a_t", "b", "1"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(load_of_pieces),
      cmocka_unit_test(load_of_groups),
      cmocka_unit_test(load_of_the_whole_cell),
      cmocka_unit_test(nothing_that_happened_has_no_mean),
      cmocka_unit_test(detail_has_a_limit),
      cmocka_unit_test(pieces_are_merged_exactly),
      cmocka_unit_test(the_first_piece_begins_earlier),
      cmocka_unit_test(coarse_pieces_are_sums_of_fine_ones),
      cmocka_unit_test(absurd_times_are_survived),
      cmocka_unit_test(halves_are_the_whole),
      cmocka_unit_test(queues_of_users),
      cmocka_unit_test(queues_of_processors),
      cmocka_unit_test(shares_of_users_who_wait),
      cmocka_unit_test(shares_in_a_window),
      cmocka_unit_test(load_and_loss_in_a_window),
      cmocka_unit_test(dominant_shares),
      cmocka_unit_test(used_against_claimed),
      cmocka_unit_test(stranded_amounts),
      cmocka_unit_test(stranded_for_those_that_wait),
      cmocka_unit_test(stranded_for_those_that_came),
      cmocka_unit_test(a_demand_must_be_given),
      cmocka_unit_test(fragmentation_agrees_with_counting),
      cmocka_unit_test(domains_lose_tasks),
      cmocka_unit_test(domains_of_other_kinds),
      cmocka_unit_test(declarations_have_stars),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
