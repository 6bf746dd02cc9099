/* test_transforms.c -- what each transform keeps and changes, alone and in a row. */
#define _GNU_SOURCE
#include "workload_test.h"

/* id submit run procs limit user status */
#define ROW(id, submit, run, procs, limit, user, status) \
#id " " #submit " 5 " #run " " #procs " -1 -1 " #procs " " #limit " -1 " #status " " #user \
      " 8 9 1 2 -1 -1\n"
#define FIVE \
  ROW(1, 100, 10, 1, 20, 1, 1) \
  ROW(2, 110, 50, 4, 60, 2, 1) \
  ROW(3, 120, 10, 64, 20, 1, 0) ROW(4, 130, 99, 8, -1, 3, 1) ROW(5, 140, 10, 2, 20, 1, 1)

/* Ids left after the transforms of `b`. */
static void expect_ids(bench *b, const char *expect)
{
  char got[128];
  assert_int_equal(open_bench(b), 0);
  ids(b, got, sizeof got);
  assert_string_equal(got, expect);
  tear_down(b);
}

static void with(bench *b, hc_chosen c, const char *expect)
{
  set_up(b, FIVE, NULL);
  add_transform(b, c);
  expect_ids(b, expect);
}

static void test_window(void **state)
{
  bench b;
  HC_UNUSED(state);
  with(&b, choose(&hc_transform_window.component, "from=110", "to=130", NULL), "2 3"); /* [from, to) */
  with(&b, choose(&hc_transform_window.component, NULL), "1 2 3 4 5");
  with(&b, choose(&hc_transform_window.component, "to=100", NULL), "");
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_window.component, "from=9", "to=9", NULL));
  assert_int_equal(open_bench(&b), HC_EUSAGE);
  tear_down(&b);
}

static void test_first(void **state)
{
  bench b;
  char got[64];
  HC_UNUSED(state);
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_first.component, "count=2", NULL));
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 2");
  assert_int_equal(b.ledger.read, 3); /* the rest was never looked at, however wide the window */
  assert_int_equal(b.ledger.rejected[HC_REASON_OUTSIDE], 1);
  tear_down(&b);
  with(&b, choose(&hc_transform_first.component, "count=0", NULL), "");
  with(&b, choose(&hc_transform_first.component, "count=9", NULL), "1 2 3 4 5");
}

static void test_filter(void **state)
{
  const hc_component *f = &hc_transform_filter.component;
  bench b;
  HC_UNUSED(state);
  with(&b, choose(f, "user=1", NULL), "1 3 5");
  with(&b, choose(f, "user=1", "action=drop", NULL), "2 4");
  with(&b, choose(f, "user=1", "status=0", NULL), "3"); /* both must hold */
  with(&b, choose(f, "where=procs >= 4 && run > 20", NULL), "2 4");
  with(&b, choose(f, "where=limit < 0", NULL), "4"); /* unknown is -1 */
  with(&b, choose(f, "where=1 / 0", NULL), "");      /* undefined is not true */
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(f, "where=prox > 1", NULL));
  assert_int_equal(open_bench(&b), HC_EUSAGE);
  assert_non_null(strstr(b.error.text, "procs")); /* the nearest name */
  tear_down(&b);
}

static void test_clamp(void **state)
{
  const hc_component *c = &hc_transform_clamp.component;
  hc_arrival a;
  bench b;
  HC_UNUSED(state);
  with(&b, choose(c, "procs=8", "action=reject", NULL), "1 2 4 5");
  with(&b, choose(c, "limit=30", "action=reject", NULL), "1 3 4 5"); /* an unknown limit is within it */
  set_up(&b, ROW(2, 110, 50, 4, 60, 2, 1), NULL);
  add_transform(&b, choose(c, "procs=3", "run=20", "limit=40", NULL));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.units, 3);
  assert_int_equal(a.spec.run, 20 * HC_SECOND);
  assert_int_equal(a.spec.limit, 40 * HC_SECOND);
  tear_down(&b);
}

/* Submissions after a transform, in seconds. */
static void submits(bench *b, const char *expect)
{
  char got[200] = "";
  hc_arrival a;
  size_t n = 0;
  assert_int_equal(open_bench(b), 0);
  while (hc_stream_next(b->stream, &a, &b->error) == 1) {
    char text[32];
    text[hc_format_seconds(a.spec.submit, text)] = '\0';
    n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", n ? " " : "", text);
  }
  assert_int_equal(b->error.rc, 0);
  assert_string_equal(got, expect);
  tear_down(b);
}

static void test_shift(void **state)
{
  bench b;
  HC_UNUSED(state);
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_shift.component, NULL));
  submits(&b, "0 10 20 30 40");
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_shift.component, "to=7", NULL));
  submits(&b, "7 17 27 37 47");
}

static void test_scale(void **state)
{
  const hc_component *s = &hc_transform_scale.component;
  hc_arrival a;
  bench b;
  HC_UNUSED(state);
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(s, "factor=2", NULL));
  submits(&b, "100 105 110 115 120"); /* twice the load: half the time between */
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(s, "factor=3", NULL));
  submits(&b, "100 103 107 110 113"); /* to whole seconds, half up */
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(s, "factor=4", "grain=0", NULL));
  submits(&b, "100 102.5 105 107.5 110");
  set_up(&b, ROW(2, 110, 50, 4, 60, 2, 1), NULL);
  add_transform(&b, choose(s, "factor=1.5", "method=run", NULL));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.run, 75 * HC_SECOND);
  assert_int_equal(a.spec.limit, 90 * HC_SECOND);
  assert_int_equal(a.spec.submit, 110 * HC_SECOND);
  tear_down(&b);
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(s, "factor=0.4", "method=processors", NULL));
  assert_int_equal(open_bench(&b), 0);
  const int64_t units[] = {1, 2, 26, 3, 1}; /* 0.4 is at least one; 1.6, 25.6, 3.2, 0.8 to the nearest */
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
    assert_int_equal(a.units, units[i]);
  }
  tear_down(&b);
}

/* Offered load of what comes out, on 10 processors. */
static double offered(bench *b)
{
  hc_time first = HC_UNKNOWN, last = 0;
  double area = 0;
  hc_arrival a;
  assert_int_equal(open_bench(b), 0);
  while (hc_stream_next(b->stream, &a, &b->error) == 1) {
    if (first == HC_UNKNOWN) first = a.spec.submit;
    last = a.spec.submit;
    area += (double)a.run / 1e9 * (double)a.units;
  }
  assert_int_equal(b->error.rc, 0);
  tear_down(b);
  return area / (10 * (double)(last - first) / 1e9);
}

static void test_load(void **state)
{
  const char *rows = ROW(1, 100, 10, 1, 20, 1, 1) ROW(2, 300, 50, 4, 60, 2, 1) ROW(3, 1100, 40, 2, 30, 1, 1);
  const char *methods[] = {"method=arrivals", "method=run"};
  bench b;
  HC_UNUSED(state);
  for (size_t i = 0; i < 2; i++) {
    set_up(&b, rows, NULL);
    add_transform(
        &b, choose(&hc_transform_load.component, "to=0.5", "grain=0", "processors=10", methods[i], NULL));
    const double load = offered(&b); /* the third is killed at 30, before and after */
    assert_true(load > 0.4999999 && load < 0.5000001);
  }
  set_up(&b, rows, NULL); /* the machine is unknown */
  add_transform(&b, choose(&hc_transform_load.component, NULL));
  assert_int_equal(open_bench(&b), 0);
  hc_arrival a;
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), HC_EUSAGE);
  tear_down(&b);
  set_up(&b, ROW(1, 100, 10, 1, 20, 1, 1), NULL); /* one task has no load */
  add_transform(&b, choose(&hc_transform_load.component, "processors=4", NULL));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), HC_EINPUT);
  tear_down(&b);
}

static void test_load_of_standard_input(void **state)
{
  bench b;
  int saved = dup(STDIN_FILENO), ends[2];
  HC_UNUSED(state);
  assert_int_equal(pipe(ends), 0);
  assert_true(write(ends[1], FIVE, strlen(FIVE)) > 0);
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  set_up(&b, FIVE, NULL);
  drop(&b.sources[0]);
  b.sources[0] = choose(&hc_reader_swf.component, "file=-", NULL);
  add_transform(&b, choose(&hc_transform_load.component, "processors=4", NULL));
  assert_int_equal(open_bench(&b), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "load"));
  assert_string_equal(b.error.where, "standard input");
  tear_down(&b);
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(ends[0]);
}

static void test_repeat(void **state)
{
  bench b;
  HC_UNUSED(state);
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_repeat.component, "times=2", "gap=5", NULL));
  submits(&b, "100 110 120 130 140 145 155 165 175 185"); /* copy 1 begins 5 s after the last of copy 0 */
  with(&b, choose(&hc_transform_repeat.component, "times=3", NULL), "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
  with(&b, choose(&hc_transform_repeat.component, "times=2", "id_offset=100", NULL),
       "1 2 3 4 5 101 102 103 104 105");
  with(&b, choose(&hc_transform_repeat.component, "times=1", NULL), "1 2 3 4 5");
}

static void test_order_of_transforms(void **state)
{
  bench b;
  HC_UNUSED(state);
  set_up(&b, FIVE, NULL); /* the first two, twice */
  add_transform(&b, choose(&hc_transform_first.component, "count=2", NULL));
  add_transform(&b, choose(&hc_transform_repeat.component, "times=2", "gap=1", NULL));
  expect_ids(&b, "1 2 3 4");
  set_up(&b, FIVE, NULL); /* the first seven of two copies */
  add_transform(&b, choose(&hc_transform_repeat.component, "times=2", "gap=1", NULL));
  add_transform(&b, choose(&hc_transform_first.component, "count=7", NULL));
  expect_ids(&b, "1 2 3 4 5 6 7");
  set_up(&b, FIVE, NULL); /* four copies of the first two */
  add_transform(&b, choose(&hc_transform_first.component, "count=2", NULL));
  add_transform(&b, choose(&hc_transform_repeat.component, "times=2", "gap=1", NULL));
  add_transform(&b, choose(&hc_transform_repeat.component, "times=2", "gap=1", NULL));
  expect_ids(&b, "1 2 3 4 5 6 7 8");
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_repeat.component, "times=3", "gap=10", NULL));
  add_transform(&b, choose(&hc_transform_load.component, "to=0.5", "grain=0", "processors=10", NULL));
  const double load = offered(&b); /* measured over the three copies */
  assert_true(load > 0.4999999 && load < 0.5000001);
}

static void test_renumber(void **state)
{
  const char *rows = "7 1 5 10 1 -1 -1 1 20 -1 1 7 8 9 1 2 -1 -1\n"
                     "3 2 5 10 1 -1 -1 1 20 -1 1 7 8 9 1 2 7 -1\n"
                     "5 3 5 10 1 -1 -1 1 20 -1 1 7 8 9 1 2 99 -1\n";
  const int64_t preceding[] = {-1, 10, -1};
  hc_arrival a;
  bench b;
  HC_UNUSED(state);
  set_up(&b, rows, NULL);
  add_transform(&b, choose(&hc_transform_renumber.component, "from=10", NULL));
  assert_int_equal(open_bench(&b), 0);
  for (int64_t i = 0; i < 3; i++) {
    assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
    assert_int_equal(a.spec.id, 10 + i);
    assert_int_equal(a.spec.preceding, preceding[i]); /* with the one it follows, or none */
  }
  tear_down(&b);
}

static size_t sampled(const char *fraction, uint64_t seed, char *kept)
{
  char *rows = test_malloc(2000 * 64);
  size_t at = 0, n = 0;
  hc_arrival a;
  bench b;
  memset(kept, 0, 2000);
  for (int i = 0; i < 2000; i++)
    at += (size_t)sprintf(rows + at, "%d %d 5 10 1 -1 -1 1 20 -1 1 7 8 9 1 2 -1 -1\n", i, i);
  set_up(&b, rows, NULL);
  b.context.seed = seed;
  add_transform(&b, choose(&hc_transform_sample.component, fraction, NULL));
  assert_int_equal(open_bench(&b), 0);
  while (hc_stream_next(b.stream, &a, &b.error) == 1) {
    kept[a.spec.id] = 1;
    n++;
  }
  assert_true(balances(&b.ledger));
  tear_down(&b);
  test_free(rows);
  return n;
}

static void test_sample(void **state)
{
  char small[2000], large[2000], other[2000];
  const size_t n = sampled("fraction=0.2", 1, small), m = sampled("fraction=0.5", 1, large);
  HC_UNUSED(state);
  assert_in_range(n, 320, 480); /* 400 and five deviations of 18 */
  assert_in_range(m, 890, 1110);
  for (size_t i = 0; i < 2000; i++) assert_true(!small[i] || large[i]); /* a superset */
  (void)sampled("fraction=0.2", 2, other);
  assert_memory_not_equal(small, other, sizeof small); /* another seed, another sample */
  assert_int_equal(sampled("fraction=0", 1, other), 0);
  assert_int_equal(sampled("fraction=1", 1, other), 2000);
}

static void test_closed_loop_cannot_be_moved(void **state)
{
  hc_arrival a;
  bench b;
  HC_UNUSED(state);
  set_up(&b, FIVE, NULL);
  drop(&b.sources[0]);
  b.sources[0] = choose(&hc_reader_swf.component, b.files[0].pair, "follow=think_time", NULL);
  add_transform(&b, choose(&hc_transform_shift.component, NULL));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), HC_EUNSUPPORTED);
  tear_down(&b);
}

/* ---- lies ---- */

TRANSFORM(lie);

static hc_task_spec honest_task(int64_t user)
{
  hc_task_spec t = hc_task_spec_none();
  t.user = user;
  t.run = 100 * HC_SECOND;
  t.limit = 150 * HC_SECOND;
  t.need[HC_DIM_CPU] = 2000;
  t.need[HC_DIM_MEMORY] = 1000;
  return t;
}

/* What becomes of `count` tasks of user 3, and that of another user is as it was. */
static hc_task_spec lied(hc_chosen options, int count, int64_t users[])
{
  const hc_source_context c = {.allocator = hc_default_allocator()};
  hc_task_spec t = honest_task(4), last = t;
  const hc_task_spec other = t;
  hc_transform *self = NULL;
  hc_reason why;
  hc_error e = {0};
  assert_int_equal(hc_transform_lie.init(&c, options.options, NULL, &self, &e), 0);
  assert_int_equal(hc_transform_lie.apply(self, &t, &why, &e), 1);
  assert_memory_equal(&t, &other, sizeof t);
  for (int i = 0; i < count; i++) {
    last = honest_task(3);
    assert_int_equal(hc_transform_lie.apply(self, &last, &why, &e), 1);
    if (users) users[i] = last.user;
  }
  hc_transform_lie.fini(self);
  drop(&options);
  return last;
}

static void test_lies(void **state)
{
  const hc_component *c = &hc_transform_lie.component;
  int64_t users[4];
  hc_task_spec t = lied(choose(c, "user=3", "factor=1.25", NULL), 1, NULL);
  HC_UNUSED(state);
  assert_int_equal(t.need[HC_DIM_CPU], 2500); /* it holds more, and runs as long */
  assert_int_equal(t.need[HC_DIM_MEMORY], 1250);
  assert_int_equal(t.need[HC_DIM_DISK], HC_UNKNOWN);
  assert_int_equal(t.run, 100 * HC_SECOND);
  t = lied(choose(c, "user=3", "factor=0.5", NULL), 1, NULL);
  assert_int_equal(t.need[HC_DIM_CPU], 1000); /* half of what it needs: it takes twice as long, and says so */
  assert_int_equal(t.run, 200 * HC_SECOND);
  assert_int_equal(t.limit, 300 * HC_SECOND);
  t = lied(choose(c, "user=3", "factor=0.8", "under=fail", NULL), 1, NULL);
  assert_int_equal(t.run, 80 * HC_SECOND); /* it ends when it has done that part */
  assert_int_equal(t.limit, 150 * HC_SECOND);
  /* 2 of 10 cores are a fifth, 1,000 of 20,000 bytes a twentieth: a fifth of both. Disk: of 0 it asks
   * nothing. */
  t = lied(choose(c, "user=3", "to=10,20000,0", NULL), 1, NULL);
  assert_int_equal(t.need[HC_DIM_CPU], 2000);
  assert_int_equal(t.need[HC_DIM_MEMORY], 4000);
  assert_int_equal(t.need[HC_DIM_DISK], HC_UNKNOWN);
  assert_int_equal(t.run, 100 * HC_SECOND);
  (void)lied(choose(c, "user=3", "identities=3", "alias=70", NULL), 4, users);
  assert_int_equal(users[0], 3);
  assert_int_equal(users[1], 70);
  assert_int_equal(users[2], 71);
  assert_int_equal(users[3], 3);
}

#define TEN "1,2,3,4,5,6,7,8,9,10,"
#define SIXTY_FIVE TEN TEN TEN TEN TEN TEN "1,2,3,4,5"

static void test_mistakes_in_lies_are_named(void **state)
{
  const hc_source_context c = {.allocator = hc_default_allocator()};
  hc_chosen options[] = {choose(&hc_transform_lie.component, "factor=2", NULL),
                         choose(&hc_transform_lie.component, "user=1", "dimension=memory", NULL),
                         choose(&hc_transform_lie.component, "user=1", "to=" SIXTY_FIVE, NULL)};
  static const char *const says[] = {"who lies", "memory", "more amounts"};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(options); i++) {
    hc_transform *self = NULL;
    hc_error e = {0};
    assert_int_equal(hc_transform_lie.init(&c, options[i].options, NULL, &self, &e), HC_EUSAGE);
    assert_non_null(strstr(e.text, says[i])); /* the second: without a lexicon no dimension has a name */
    drop(&options[i]);
  }
}

/* Seconds at which a task that comes at `submit` may start, by this table; -1: at once. */
static double held_until(const char *table, const char *row, const char *a, const char *b_)
{
  char path[] = "/tmp/hindcast-greenest-XXXXXX", tariff[64];
  const int file = mkstemp(path);
  hc_arrival arrival;
  bench b;
  assert_true(file >= 0 && write(file, table, strlen(table)) == (ssize_t)strlen(table));
  close(file);
  (void)snprintf(tariff, sizeof tariff, "tariff=%s", path);
  set_up(&b, row, NULL);
  add_transform(&b, choose(&hc_transform_greenest.component, tariff, a, b_, NULL));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &arrival, &b.error), 1);
  tear_down(&b);
  (void)unlink(path);
  return arrival.spec.not_before == HC_UNKNOWN ? -1 : (double)arrival.spec.not_before / 1e9;
}

/* Dear until 3600, cheap until 7200, dear again; a task of 1800 s that comes at 600. */
#define DAY "at,price,carbon\n0,3,5\n3600,1,5\n7200,3,2\n"
#define HALF_HOUR ROW(1, 600, 1000, 1, 1800, 1, 1)

static void test_greenest(void **state)
{
  HC_UNUSED(state);
  /* The first start from which all of it is cheap. */
  assert_true(held_until(DAY, HALF_HOUR, "by=price", "delay=7200") == 3600);
  /* It may not wait for so long: as late as it can, for half of it is cheap then, or a quarter. */
  assert_true(held_until(DAY, HALF_HOUR, "by=price", "delay=2100") == 2700);
  assert_true(held_until(DAY, HALF_HOUR, "by=price", "delay=1650") == 2250);
  /* The cheap hour is out of reach: all starts are the same, and the first is at once. */
  assert_true(held_until(DAY, HALF_HOUR, "by=price", "delay=1200") == -1);
  /* Carbon is least from 7200 on. */
  assert_true(held_until(DAY, HALF_HOUR, "by=carbon", "delay=9000") == 7200);
  /* Longer than the cheap hour: any start with all of that in it, so the first, at which it ends with it. */
  assert_true(held_until(DAY, ROW(1, 600, 1000, 1, 5400, 1, 1), "by=price", "delay=7200") == 1800);
  /* By its run time of 1000 s it would start at 3600, and so would one with a limit that ends with the
   * hour. */
  assert_true(held_until(DAY, HALF_HOUR, "length=run", "by=price") == 3600);
  assert_true(held_until(DAY, ROW(1, 600, 10, 1, 3600, 1, 1), "by=price", "delay=7200") == 3600);
  /* Before the table the first row holds: a day that is dear at first, in hours from 600 on. */
  assert_true(held_until("at,price\n3600,3\n7200,1\n", HALF_HOUR, "by=price", "delay=1d") == 7200);
  /* Prices below 0 are better still. */
  assert_true(held_until("at,price\n0,1\n3600,-1\n7200,-2\n", HALF_HOUR, "by=price", "delay=1d") == 7200);
  assert_true(held_until(DAY, HALF_HOUR, "by=price", "where=limit > 1800") == -1);
}

static void test_greenest_mistakes(void **state)
{
  bench b;
  HC_UNUSED(state);
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_greenest.component, NULL));
  assert_int_equal(open_bench(&b), HC_EUSAGE);
  assert_non_null(strstr(b.error.text, "give `tariff`"));
  tear_down(&b);
  set_up(&b, FIVE, NULL);
  add_transform(&b, choose(&hc_transform_greenest.component, "tariff=/nowhere/at/all.csv", NULL));
  assert_int_equal(open_bench(&b), HC_EIO);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_first),
      cmocka_unit_test(test_filter),
      cmocka_unit_test(test_clamp),
      cmocka_unit_test(test_shift),
      cmocka_unit_test(test_scale),
      cmocka_unit_test(test_load),
      cmocka_unit_test(test_load_of_standard_input),
      cmocka_unit_test(test_repeat),
      cmocka_unit_test(test_order_of_transforms),
      cmocka_unit_test(test_renumber),
      cmocka_unit_test(test_sample),
      cmocka_unit_test(test_greenest),
      cmocka_unit_test(test_greenest_mistakes),
      cmocka_unit_test(test_closed_loop_cannot_be_moved),
      cmocka_unit_test(test_lies),
      cmocka_unit_test(test_mistakes_in_lies_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
