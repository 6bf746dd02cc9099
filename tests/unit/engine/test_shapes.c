/* test_shapes.c -- what has failed is not tried again task by task: a queue that is asked for tasks of other
 * bits, the counts of shapes, and runs that are the same with and without. */
#include "../architecture/starts_test.h"
#include "base/util.h"
#include "engine/shapes.h"
#include "hindcast/output.h"
#include "kernel/waitlist.h"

#include <time.h>

/* ---- the waiting list ---- */

static hc_task next_of(hc_waitlist *w, uint64_t without, uint64_t from)
{
  hc_cursor at = {.key = 0, .serial = from, .inside = true};
  return hc_waitlist_next_of(w, &at, NULL, without);
}

/* 5,000 tasks of bits 0 to 2 in turn, but for one of bit 7 among them. Taking out and putting in keep what
 * nodes know. */
static void test_bits(void **state)
{
  enum { N = 5000, ODD = 3210 };
  uint8_t of[N];
  const hc_kinds kinds = {of, N};
  hc_waitlist *w;
  (void)state;
  assert_int_equal(hc_waitlist_new(hc_default_allocator(), &w), 0);
  hc_waitlist_know(w, &kinds);
  for (hc_task t = 0; t < N; t++) {
    of[t] = t == ODD ? 7 : (uint8_t)(t % 3);
    assert_int_equal(hc_waitlist_insert(w, &(hc_waiting){.serial = t + 1, .task = t, .units = 1}), 0);
  }
  assert_int_equal(next_of(w, 0, 10), 10);
  assert_int_equal(next_of(w, 1u << 10 % 3, 10), 11);
  assert_int_equal(next_of(w, 7, 10), ODD);
  assert_int_equal(next_of(w, 7, ODD + 1), HC_NO_TASK);
  assert_int_equal(next_of(w, 7 | 1u << 7, 10), HC_NO_TASK);
  hc_waitlist_remove(w, 0, ODD + 1);
  assert_int_equal(next_of(w, 7, 10), HC_NO_TASK);
  for (hc_task t = 0; t < N; t += 2)
    if (t != ODD) hc_waitlist_remove(w, 0, t + 1);
  assert_int_equal(next_of(w, 6, 0), 3);
  of[ODD] = 1;
  assert_int_equal(hc_waitlist_insert(w, &(hc_waiting){.serial = ODD + 1, .task = ODD, .units = 1}), 0);
  assert_int_equal(next_of(w, 5, ODD), ODD);
  hc_waitlist_free(w);
}

/* ---- shapes ---- */

static void join(hc_shapes *s, hc_task t, int64_t amount, uint32_t more)
{
  const int64_t need[] = {amount, 1};
  const hc_request r = {.need = need, .slots = 1, .more = more};
  assert_int_equal(hc_shapes_join(s, hc_default_allocator(), t, &r, 2), 0);
}

static void test_counts(void **state)
{
  hc_shapes s = {0};
  (void)state;
  for (hc_task t = 0; t < 6; t++) join(&s, t, t < 4 ? 10 : 20, 0);
  join(&s, 6, 10, 1); /* something rare: it has none */
  hc_shapes_fail(&s, 0, 5);
  assert_true(hc_shapes_failed(&s, 3, 5));
  assert_false(hc_shapes_failed(&s, 4, 5));
  assert_false(hc_shapes_failed(&s, 6, 5));
  assert_false(hc_shapes_failed(&s, 0, 6)); /* something was given back */
  assert_true(hc_shapes_mask(&s, 5) == UINT64_C(1) << s.kinds.of[0]);
  hc_shapes_fail(&s, 4, 5);
  assert_true(hc_shapes_mask(&s, 5) == (UINT64_C(1) << s.kinds.of[0] | UINT64_C(1) << s.kinds.of[4]));
  assert_true(hc_shapes_mask(&s, 6) == 0);
  hc_shapes_fini(&s, hc_default_allocator());
}

/* 64 shapes share 63 bits: the bit of two has failed when both have, or when the one that has not is gone. */
static void test_shared_bit(void **state)
{
  hc_shapes s = {0};
  (void)state;
  for (hc_task t = 0; t <= HC_SHAPE_BITS; t++) join(&s, t, 10 + (int64_t)t, 0);
  assert_int_equal(s.kinds.of[0], s.kinds.of[HC_SHAPE_BITS]);
  hc_shapes_fail(&s, 0, 5);
  assert_true(hc_shapes_mask(&s, 5) == 0);
  hc_shapes_leave(&s, HC_SHAPE_BITS);
  assert_true(hc_shapes_mask(&s, 5) == 1);
  join(&s, HC_SHAPE_BITS, 999, 0);
  assert_true(hc_shapes_mask(&s, 5) == 0);
  hc_shapes_fini(&s, hc_default_allocator());
}

/* Beyond the last shape tasks have none, and a shape that is forgotten makes room. */
static void test_too_many(void **state)
{
  hc_shapes s = {0};
  (void)state;
  for (hc_task t = 0; t <= HC_SHAPE_LIMIT; t++) join(&s, t, 10 + (int64_t)t, 0);
  assert_int_equal(s.of[HC_SHAPE_LIMIT], HC_NO_SHAPE);
  hc_shapes_leave(&s, 17);
  join(&s, HC_SHAPE_LIMIT + 1, 5, 0);
  assert_int_equal(s.of[HC_SHAPE_LIMIT + 1], 17);
  hc_shapes_fini(&s, hc_default_allocator());
}

/* Every allocation fails once: it is said, what was known stays, and all is given back. */
typedef struct scarce {
  int left;     /* allocations that succeed */
  size_t bytes; /* in use */
} scarce;

static void *resize(void *ctx, void *old, size_t was, size_t size)
{
  scarce *s = ctx;
  void *p;
  if (size > was && s->left-- == 0) return NULL;
  p = hc_default_allocator()->resize(hc_default_allocator()->ctx, old, was, size);
  if (p || size == 0) s->bytes += size - was;
  return p;
}

static void test_no_memory(void **state)
{
  const int64_t need[] = {1, 1};
  const hc_request r = {.need = need, .slots = 1};
  hc_rc rc = HC_ENOMEM;
  (void)state;
  for (int left = 0; rc == HC_ENOMEM; left++) {
    scarce room = {.left = left};
    const hc_allocator a = {.ctx = &room, .resize = resize};
    hc_shapes s = {0};
    rc = 0;
    for (hc_task t = 0; t < 1000 && rc == 0; t++) rc = hc_shapes_join(&s, &a, t, &r, 2);
    assert_true(rc == 0 || rc == HC_ENOMEM);
    assert_true(left < 100);
    for (hc_task t = 0; t < 1000; t++) hc_shapes_leave(&s, t);
    hc_shapes_fini(&s, &a);
    assert_int_equal(room.bytes, 0);
  }
}

/* ---- runs ---- */

static void schedule(const char *select, const char *demand, int seed, char digest[33])
{
  char yaml[1024];
  hc_result *r;
  bench b;
  (void)snprintf(
      yaml, sizeof yaml,
      "seed: %d\nsource: {use: mixture, jobs: 400, interval: exponential(5), run: exponential(600) from 1, "
      "%s}\n"
      "cell: {use: hosts, classes: [{count: 12, name_prefix: h, cpus: 4, memory: 16GiB}, "
      "{count: 4, name_prefix: g, cpus: 8, memory: 8GiB}]}\n"
      "events: {use: drawn, up_time: 5h, down_time: 10m}\n"
      "policy: {use: batch, order: fcfs, select: %s, place: best_fit}\nmetrics: [tasks]\nparanoid: true\n",
      seed, demand, select);
  check(&b, try_text(&b, yaml, "x\n"));
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_schedule_digest(r, digest, &b.error));
  hc_result_free(r);
  end(&b);
}

/* EASY that protects no head starts whatever fits too, and asks about each task. */
static void test_same_schedule(void **state)
{
  static const char *const demands[] = {
      "cpu: 3, memory: 2GiB", "cpu: \"values(1 2 3 0.5)\", memory: \"values(1GiB 6GiB 12GiB)\"",
      "cpu: \"uniform(1 8)\", memory: 4GiB", "cpu: 1, memory: 3GiB, hosts: \"values(1 2 5)\""};
  (void)state;
  for (size_t d = 0; d < HC_ARRAY_LEN(demands); d++)
    for (int seed = 1; seed <= 5; seed++) {
      char scan[33], easy[33];
      schedule("scan", demands[d], seed, scan);
      schedule("{use: easy, protect: false}", demands[d], seed, easy);
      if (strcmp(scan, easy) != 0) fail_msg("%s, seed %d: %s and %s", demands[d], seed, scan, easy);
    }
}

/* 40,000 equal tasks, of which 500 hosts run 500 at a time: each end is one try, not one for each that waits.
 * Tried one by one they take minutes of CPU; 0.1 s otherwise, or a few under a sanitizer. */
static void test_long_queue(void **state)
{
  const clock_t before = clock();
  bench b;
  (void)state;
  check(&b, try_text(
                &b,
                "source: {use: mixture, jobs: 40000, interval: 0.001, run: exponential(600) from 1, cpu: 3}\n"
                "cell: {use: hosts, classes: [{count: 500, name_prefix: h, cpus: 4}]}\n"
                "policy: fcfs+scan\nmetrics: [tasks]\ntask_rows: none\n",
                "x\n"));
  finish(&b);
  assert_true(figure(&b, "tasks") == 40000);
  assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 15);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits),       cmocka_unit_test(test_counts),
                                     cmocka_unit_test(test_shared_bit), cmocka_unit_test(test_too_many),
                                     cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_same_schedule),
                                     cmocka_unit_test(test_long_queue)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
