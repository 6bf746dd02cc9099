/* test_shake.c -- small moves of submissions and run times: how far, how often, in which order, within which
 * limits.
 *
 * Streams are fixed; means may be five standard errors away. */
#define _GNU_SOURCE
#include "generator_test.h"

TRANSFORM(shake);

#define SHAKE(...) choose(&hc_transform_shake.component, __VA_ARGS__, NULL)
#define MOST 4000

/* Tasks 1 to n a second apart, 1,000 s each, with a limit; users 1 to 10 in turn. */
static void rows_of(char *text, int n, int limit)
{
  for (int i = 1; i <= n; i++)
    text +=
        sprintf(text, "%d %d 5 1000 1 -1 -1 1 %d -1 1 %d 8 9 1 2 -1 -1\n", i, 1000 + i, limit, i % 10 + 1);
}

typedef struct shaken {
  size_t n;
  int64_t id[MOST], user[MOST];
  hc_time submit[MOST], run[MOST], limit[MOST]; /* s and below */
} shaken;

static shaken *shake_rows(hc_chosen shake, int n, int limit, uint64_t replication, size_t window)
{
  shaken *out = test_calloc(1, sizeof *out);
  char *text = test_malloc(MOST * 64);
  hc_arrival a;
  hc_rc rc;
  bench b;
  rows_of(text, n, limit);
  set_up(&b, text, NULL);
  b.context.replication = replication;
  b.options.window = window;
  b.options.admission.overrun = HC_OVERRUN_RUN_ON;
  add_transform(&b, shake);
  assert_int_equal(open_bench(&b), 0);
  while ((rc = hc_stream_next(b.stream, &a, &b.error)) == 1) {
    assert_true(out->n < MOST);
    out->id[out->n] = a.spec.id;
    out->user[out->n] = a.spec.user;
    out->submit[out->n] = a.spec.submit;
    out->run[out->n] = a.spec.run;
    out->limit[out->n] = a.spec.limit;
    if (out->n > 0) assert_true(out->submit[out->n] >= out->submit[out->n - 1]); /* always in order */
    out->n++;
  }
  assert_int_equal(rc, 0);
  assert_int_equal(out->n, n);
  assert_true(balances(&b.ledger));
  tear_down(&b);
  test_free(text);
  return out;
}

static double moved(const shaken *s, size_t i)
{
  return (double)(s->submit[i] - (1000 + s->id[i]) * HC_SECOND) / 1e9;
}

/* ---- submissions ---- */

/* The laws' deviations: 30 / sqrt 3 for uniform; 30 for normal, cut at 3, of which the cut takes 1.3 %; 30
 * for sign. */
static void laws_of_moves(void **state)
{
  static const struct {
    const char *law;
    double most, deviation;
  } laws[] = {
      {"submit_law=uniform", 30, 17.3205}, {"submit_law=normal", 90, 29.6}, {"submit_law=sign", 30, 30}};
  HC_UNUSED(state);
  for (size_t k = 0; k < HC_ARRAY_LEN(laws); k++) {
    shaken *s = shake_rows(SHAKE("submit=30s", laws[k].law, "grain=0"), MOST, -1, 0, 0);
    moments m = {0};
    int out_of_turn = 0;
    for (size_t i = 0; i < s->n; i++) {
      add_to(&m, moved(s, i));
      if (distance(moved(s, i), 0) > laws[k].most) fail_msg("%s: %.10g", laws[k].law, moved(s, i));
      assert_int_equal(s->run[i], 1000 * HC_SECOND); /* not asked for */
      out_of_turn += i > 0 && s->id[i] < s->id[i - 1];
    }
    mean_is("move", &m, 0, 0);
    is_near("deviation of moves", deviation_of(&m), laws[k].deviation,
            5 * laws[k].deviation / hc_sqrt(2.0 * MOST));
    assert_true(out_of_turn > 100); /* they were put in a new order */
    test_free(s);
  }
}

static void order_can_be_kept(void **state)
{
  shaken *s = shake_rows(SHAKE("submit=30s", "order=keep"), MOST, -1, 0, 1);
  HC_UNUSED(state);
  for (size_t i = 0; i < s->n; i++) {
    assert_int_equal(s->id[i], i + 1);
    assert_int_equal(s->submit[i] % HC_SECOND, 0); /* the grain */
    assert_true(distance(moved(s, i), 0) <= 30);
  }
  test_free(s);
}

/* Users keep the distances of their own tasks. */
static void users_move_as_one(void **state)
{
  shaken *s = shake_rows(SHAKE("submit=30s", "by=user", "grain=0"), MOST, -1, 0, 0);
  double of_user[11] = {0};
  int different = 0;
  HC_UNUSED(state);
  for (size_t i = 0; i < s->n; i++) {
    if (of_user[s->user[i]] == 0) of_user[s->user[i]] = moved(s, i);
    is_near("move of a user", moved(s, i), of_user[s->user[i]], 1e-6);
  }
  for (int u = 2; u <= 10; u++) different += of_user[u] != of_user[1];
  assert_int_equal(different, 9);
  test_free(s);
}

static void replications_differ(void **state)
{
  shaken *a = shake_rows(SHAKE("submit=30s", "run=0.1"), 500, -1, 0, 0);
  shaken *same = shake_rows(SHAKE("submit=30s", "run=0.1"), 500, -1, 0, 0);
  shaken *other = shake_rows(SHAKE("submit=30s", "run=0.1"), 500, -1, 1, 0);
  shaken *none = shake_rows(SHAKE("submit=0", "run=0"), 500, -1, 1, 0);
  shaken *no_run = shake_rows(SHAKE("submit=30s"), 500, -1, 0, 0);
  HC_UNUSED(state);
  assert_memory_equal(a, same, sizeof *a);
  assert_memory_not_equal(a->submit, other->submit, sizeof a->submit);
  assert_memory_not_equal(a->run, other->run, sizeof a->run);
  assert_memory_equal(a->submit, no_run->submit, sizeof a->submit); /* run times have draws of their own */
  for (size_t i = 0; i < 500; i++) assert_true(none->id[i] == (int64_t)i + 1 && moved(none, i) == 0);
  test_free(a);
  test_free(same);
  test_free(other);
  test_free(none);
  test_free(no_run);
}

/* Row k can come up to 60 rows too late: a window of ten is too small, and says so. Never before time 0. */
static void edges(void **state)
{
  char *text = test_malloc(MOST * 64);
  hc_arrival a;
  bench b;
  hc_rc rc;
  HC_UNUSED(state);
  rows_of(text, 1000, -1);
  set_up(&b, text, NULL);
  b.options.window = 10;
  add_transform(&b, SHAKE("submit=30s"));
  assert_int_equal(open_bench(&b), 0);
  while ((rc = hc_stream_next(b.stream, &a, &b.error)) == 1) {
  }
  assert_int_equal(rc, HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "raise sort_window"));
  tear_down(&b);
  set_up(&b, "1 3 5 9 1 -1 -1 1 9 -1 1 1 8 9 1 2 -1 -1\n2 3 5 9 1 -1 -1 1 9 -1 1 1 8 9 1 2 -1 -1\n", NULL);
  add_transform(&b, SHAKE("submit=1h", "submit_law=sign"));
  assert_int_equal(open_bench(&b), 0);
  while (hc_stream_next(b.stream, &a, &b.error) == 1)
    assert_true(a.spec.submit == 0 || a.spec.submit == 3603 * HC_SECOND);
  tear_down(&b);
  set_up(&b, text, NULL); /* a closed loop cannot be moved, but its run times can be shaken */
  for (int k = 0; k < 2; k++) {
    drop(&b.sources[0]);
    b.sources[0] = choose(&hc_reader_swf.component, b.files[0].pair, "follow=think_time", NULL);
    b.options.transform_count = 0;
    add_transform(&b, k == 0 ? SHAKE("submit=30s") : SHAKE("submit=0", "run=0.1"));
    assert_int_equal(open_bench(&b), 0);
    assert_int_equal(hc_stream_next(b.stream, &a, &b.error), k == 0 ? HC_EUNSUPPORTED : 1);
    if (k == 0) hc_stream_close(b.stream), b.stream = NULL, drop(&b.transforms[0]);
  }
  tear_down(&b);
  test_free(text);
}

/* ---- run times and limits ---- */

/* 1,000 s (1 + 0.2 z), z uniform: from 800 to 1,200, mean 1,000, deviation 200 / sqrt 3. */
static void run_times(void **state)
{
  shaken *s = shake_rows(SHAKE("submit=0", "run=0.2", "grain=0"), MOST, -1, 0, 1);
  moments m = {0};
  HC_UNUSED(state);
  for (size_t i = 0; i < s->n; i++) {
    const double run = (double)s->run[i] / 1e9;
    assert_true(run >= 800 && run <= 1200);
    add_to(&m, run);
  }
  mean_is("run", &m, 1000, 0);
  is_near("deviation", deviation_of(&m), 115.47, 5 * 115.47 / hc_sqrt(2.0 * MOST));
  test_free(s);
}

/* Limits of 1,050 s, run times of 1,000 (1 + 0.2 z): these pass 1,050 where z > 1/4, unless something is
 * done: P(z > 1/4) = 3/8. Limits of 900 s were overrun before, and stay what they are. */
static void limits_keep_up(void **state)
{
  shaken *raise = shake_rows(SHAKE("submit=0", "run=0.2"), MOST, 1050, 0, 1);
  shaken *scale = shake_rows(SHAKE("submit=0", "run=0.2", "limits=scale"), MOST, 1050, 0, 1);
  shaken *cut = shake_rows(SHAKE("submit=0", "run=0.2", "limits=cut"), MOST, 1050, 0, 1);
  shaken *over = shake_rows(SHAKE("submit=0", "run=0.2"), MOST, 900, 0, 1);
  const double expected = 0.375 * MOST, deviation = hc_sqrt(0.375 * 0.625 * MOST);
  int raised = 0, was_cut = 0;
  HC_UNUSED(state);
  for (size_t i = 0; i < MOST; i++) {
    assert_int_equal(raise->limit[i], HC_MAX(1050 * HC_SECOND, raise->run[i]));
    raised += raise->limit[i] > 1050 * HC_SECOND;
    assert_true(scale->limit[i] >= scale->run[i]);
    is_near("share of the limit", (double)scale->run[i] / (double)scale->limit[i], 1000.0 / 1050,
            1.22e-3); /* half a second of 800, and of 840 */
    assert_int_equal(cut->limit[i], 1050 * HC_SECOND);
    assert_int_equal(cut->run[i], HC_MIN(raise->run[i], 1050 * HC_SECOND)); /* the same draws */
    was_cut += cut->run[i] == 1050 * HC_SECOND;
    assert_int_equal(over->limit[i], 900 * HC_SECOND);
    assert_int_equal(over->run[i], raise->run[i]);
  }
  is_near("raised", raised, expected, 5 * deviation);
  is_near("cut", was_cut, expected, 5 * deviation + 10); /* and those rounded to it */
  test_free(raise);
  test_free(scale);
  test_free(cut);
  test_free(over);
}

/* ---- snapshots ---- */

/* The second window is part of the state. */
static void snapshots(void **state)
{
  char *text = test_malloc(MOST * 64);
  hc_buffer saved;
  hc_arrival x, y;
  bench a, b;
  HC_UNUSED(state);
  rows_of(text, 1000, -1);
  hc_buffer_init(&saved, hc_default_allocator());
  set_up(&a, text, NULL);
  set_up(&b, text, NULL);
  a.options.window = b.options.window = 200;
  add_transform(&a, SHAKE("submit=30s", "run=0.1"));
  add_transform(&b, SHAKE("submit=30s", "run=0.1"));
  assert_int_equal(open_bench(&a), 0);
  assert_int_equal(open_bench(&b), 0);
  for (int i = 0; i < 300; i++) assert_int_equal(hc_stream_next(a.stream, &x, &a.error), 1);
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(hc_stream_visit(a.stream, &save, &a.error), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(hc_stream_visit(b.stream, &load, &b.error), 0);
  for (int i = 300; i < 1000; i++) {
    assert_int_equal(hc_stream_next(a.stream, &x, &a.error), 1);
    assert_int_equal(hc_stream_next(b.stream, &y, &b.error), 1);
    assert_memory_equal(&x.spec, &y.spec, sizeof x.spec);
  }
  assert_int_equal(hc_stream_next(a.stream, &x, &a.error), 0);
  assert_int_equal(hc_stream_next(b.stream, &y, &b.error), 0);
  hc_buffer_fini(&saved);
  tear_down(&a);
  tear_down(&b);
  test_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_of_moves),
      cmocka_unit_test(order_can_be_kept),
      cmocka_unit_test(users_move_as_one),
      cmocka_unit_test(replications_differ),
      cmocka_unit_test(edges),
      cmocka_unit_test(run_times),
      cmocka_unit_test(limits_keep_up),
      cmocka_unit_test(snapshots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
