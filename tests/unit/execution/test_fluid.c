/* test_fluid.c -- the fluid solver against cases that were worked out by hand.
 *
 * V1 to V16 are the vectors of DSLab's own tests for throughput sharing and for flows on links; others are
 * drawn in the comments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/util.h"
#include "execution/fluid.h"

#define S HC_SECOND
#define MOST 128

static void assert_near(double x, double expected, double tolerance)
{
  assert_true(x >= expected - tolerance && x <= expected + tolerance);
}

static hc_fluid *new_fluid(void)
{
  hc_fluid *f = NULL;
  assert_int_equal(hc_fluid_new(hc_default_allocator(), NULL, &f), 0);
  return f;
}

static uint32_t add(hc_fluid *f, double capacity)
{
  uint32_t id = 0;
  assert_int_equal(hc_fluid_add(f, &(hc_fluid_resource){.capacity = capacity}, &id), 0);
  return id;
}

static uint32_t add_table(hc_fluid *f, const double *table, size_t count)
{
  uint32_t id = 0;
  const hc_fluid_resource r = {.capacity = 1, .throughput = table, .count = count};
  assert_int_equal(hc_fluid_add(f, &r, &id), 0);
  return id;
}

/* An activity on the links of a path, which ends in UINT32_MAX. */
static hc_fluid_id start(hc_fluid *f, hc_time now, uint64_t tag, double work, hc_time delay,
                         const uint32_t *path)
{
  hc_fluid_use uses[8];
  hc_fluid_activity a = {.uses = uses, .work = work, .delay = delay, .tag = tag, .serial = tag};
  hc_fluid_id id = {0};
  for (; path[a.count] != UINT32_MAX; a.count++) uses[a.count] = (hc_fluid_use){path[a.count], 1};
  assert_int_equal(hc_fluid_start(f, now, &a, &id), 0);
  assert_int_not_equal(id.generation, 0);
  return id;
}

#define ON(...) ((const uint32_t[]){__VA_ARGS__, UINT32_MAX})

/* The next end is of `tag`, at `at`. */
static void expect(hc_fluid *f, hc_time at, uint64_t tag)
{
  hc_time next = -1;
  hc_fluid_end e = {0};
  for (;;) {
    assert_int_equal(hc_fluid_next(f, &next), 0);
    assert_true(next <= at);
    if (hc_fluid_advance(f, next, &e) == 1) break;
  }
  assert_int_equal(next, at);
  assert_int_equal(e.tag, tag);
}

static void expect_none(hc_fluid *f)
{
  hc_time next = -1;
  assert_int_equal(hc_fluid_next(f, &next), 0);
  assert_int_equal(next, HC_NEVER);
  assert_int_equal(hc_fluid_active(f), 0);
}

/* ---- throughput sharing: each of n gets B(n) / n ---- */

static void test_one_resource(void **state)
{
  hc_fluid *f = new_fluid();
  const uint32_t r = add(f, 100);
  HC_UNUSED(state);
  start(f, 0, 1, 350, 0, ON(r)); /* V1 */
  expect(f, 7 * S / 2, 1);
  expect_none(f);
  start(f, 10 * S, 1, 150, 0, ON(r)); /* V2 */
  start(f, 10 * S, 2, 300, 0, ON(r));
  expect(f, 13 * S, 1);
  expect(f, 29 * S / 2, 2);
  start(f, 20 * S, 1, 200, 0, ON(r)); /* V3: 100 done alone, then 50 a second */
  start(f, 21 * S, 2, 200, 0, ON(r));
  expect(f, 23 * S, 1);
  expect(f, 24 * S, 2);
  hc_fluid_free(f);
}

static void test_clean_after_idle(void **state)
{
  hc_fluid *f = new_fluid();
  const uint32_t r = add(f, 100);
  HC_UNUSED(state);
  for (hc_time from = 0; from <= 10 * S; from += 10 * S) { /* V4, and V5: the same again */
    start(f, from, 1, 500, 0, ON(r));
    start(f, from + S, 2, 100, 0, ON(r));
    expect(f, from + 3 * S, 2);
    expect(f, from + 6 * S, 1);
  }
  start(f, 20 * S, 1, 10, 0, ON(r)); /* V6 */
  expect(f, 20 * S + S / 10, 1);
  start(f, 20 * S + S / 10, 2, 90, 0, ON(r));
  expect(f, 21 * S, 2);
  hc_fluid_free(f);
}

static void test_equal_ones_end_in_order(void **state)
{
  hc_fluid *f = new_fluid();
  uint32_t r = add(f, 100);
  HC_UNUSED(state);
  for (uint64_t i = 0; i < 100; i++) start(f, 0, i, 100, 0, ON(r)); /* V7 */
  for (uint64_t i = 0; i < 100; i++) expect(f, 100 * S, i);
  r = add(f, 1);
  for (uint64_t i = 0; i < 100; i++) start(f, 100 * S + (hc_time)i * S, i, 1000, 0, ON(r)); /* V13 */
  for (uint64_t i = 0; i < 100; i++) {
    hc_time at;
    hc_fluid_end e;
    assert_int_equal(hc_fluid_next(f, &at), 0);
    assert_int_equal(hc_fluid_advance(f, at, &e), 1);
    assert_int_equal(e.tag, i);
  }
  expect_none(f);
  hc_fluid_free(f);
}

static void test_throughput_of_n(void **state)
{
  static const double steps[] = {100, 100, 100, 50}, two[] = {100, 80};
  hc_fluid *f = new_fluid();
  const uint32_t r = add_table(f, steps, 4), q = add_table(f, two, 2), p = add(f, 100);
  HC_UNUSED(state);
  for (uint64_t i = 0; i < 3; i++) start(f, 0, i, 100, 0, ON(r)); /* V8 */
  for (uint64_t i = 0; i < 3; i++) expect(f, 3 * S, i);
  for (uint64_t i = 0; i < 4; i++) start(f, 10 * S, i, 100, 0, ON(r));
  for (uint64_t i = 0; i < 4; i++) expect(f, 18 * S, i);
  start(f, 20 * S, 0, 160 / 0.8, 0, ON(p)); /* V9: factors 0.8, 0.5 and 0.5 are the caller's, in the work */
  start(f, 21 * S, 1, 100 / 0.5, 0, ON(p));
  start(f, 22 * S, 2, 25 / 0.5, 0, ON(p));
  expect(f, 47 * S / 2, 0);
  expect(f, 47 * S / 2, 2);
  expect(f, 49 * S / 2, 1);
  start(f, 30 * S, 0, 160 / 0.8, 0, ON(q)); /* V10 */
  start(f, 31 * S, 1, 100 / 0.5, 0, ON(q));
  start(f, 32 * S, 2, 25 / 0.5, 0, ON(q));
  expect(f, 33875 * HC_MS, 2);
  expect(f, 34125 * HC_MS, 0);
  expect(f, 35125 * HC_MS, 1);
  hc_fluid_free(f);
}

static void test_cancellation(void **state)
{
  hc_fluid *f = new_fluid();
  const uint32_t r = add(f, 100);
  hc_fluid_id first, ids[3];
  double done = -1;
  hc_time next;
  HC_UNUSED(state);
  start(f, 0, 1, 200, 0, ON(r)); /* V11 */
  first = start(f, 0, 2, 200, 0, ON(r));
  assert_int_equal(hc_fluid_cancel(f, S, first, &done), 0);
  assert_true(done == 50);
  assert_int_equal(hc_fluid_cancel(f, S, first, &done), HC_EINPUT);
  assert_int_equal(hc_fluid_cancel(f, S, (hc_fluid_id){77, 1}, &done), HC_EINPUT);
  expect(f, 5 * S / 2, 1);
  first = start(f, 10 * S, 1, 225, 0, ON(r)); /* V12 */
  for (uint64_t i = 0; i < 3; i++) ids[i] = start(f, 10 * S, i + 2, 50, 0, ON(r));
  for (uint64_t i = 0; i < 3; i++) {
    assert_int_equal(hc_fluid_cancel(f, 11 * S, ids[i], &done), 0);
    assert_true(done == 25);
  }
  assert_int_equal(hc_fluid_next(f, &next), 0);
  assert_int_equal(next, 13 * S);
  for (uint64_t i = 0; i < 3; i++) start(f, 12 * S, i + 2, 500, 0, ON(r));
  assert_int_equal(hc_fluid_cancel(f, 13 * S, first, &done), 0);
  assert_true(done == 150);
  for (uint64_t i = 0; i < 3; i++) expect(f, 27250 * HC_MS, i + 2);
  expect_none(f);
  hc_fluid_free(f);
}

/* ---- flows over links ---- */

static void test_two_hosts(void **state)
{
  HC_UNUSED(state);
  for (uint64_t l = 1; l <= 5; l++) {
    for (uint64_t r = 1; r <= 5; r++) { /* V14: half-duplex, full-duplex, not shared */
      hc_fluid *f = new_fluid();
      const uint32_t half = add(f, 100), there = add(f, 100), back = add(f, 100);
      uint32_t own;
      assert_int_equal(
          hc_fluid_add(f, &(hc_fluid_resource){.capacity = 100, .sharing = HC_FLUID_FATPIPE}, &own), 0);
      for (uint64_t i = 0; i < l + r; i++) start(f, 0, i, 1000, 0, ON(half));
      for (uint64_t i = 0; i < l + r; i++) expect(f, (hc_time)(10 * (l + r)) * S, i);
      for (uint64_t i = 0; i < l + r; i++) start(f, 200 * S, i, 1000, 0, ON(i < l ? there : back));
      if (l != r) {
        for (uint64_t i = 0; i < HC_MIN(l, r); i++)
          expect(f, 200 * S + (hc_time)(10 * HC_MIN(l, r)) * S, l < r ? i : l + i);
      }
      for (uint64_t i = 0; i < (l == r ? l + r : HC_MAX(l, r)); i++)
        expect(f, 200 * S + (hc_time)(10 * HC_MAX(l, r)) * S, l >= r ? i : l + i);
      for (uint64_t i = 0; i < l + r; i++) start(f, 300 * S, i, 1000, 0, ON(own));
      for (uint64_t i = 0; i < l + r; i++) expect(f, 310 * S, i);
      expect_none(f);
      hc_fluid_free(f);
    }
  }
}

static void test_triangle_and_latency(void **state)
{
  hc_fluid *f = new_fluid();
  const uint32_t a = add(f, 100), b = add(f, 100), c = add(f, 100), d = add(f, 1000);
  HC_UNUSED(state);
  start(f, 0, 1, 1000, S / 5, ON(a, b)); /* V15: each link has two flows, of half of it each */
  start(f, 0, 2, 1000, S / 5, ON(b, c));
  start(f, 0, 3, 1000, S / 5, ON(c, a));
  for (uint64_t i = 1; i <= 3; i++) expect(f, 20200 * HC_MS, i);
  start(f, 30 * S, 1, 1000, S / 5, ON(b, c)); /* V16 */
  expect(f, 40200 * HC_MS, 1);
  start(f, 50 * S, 1, 1000, S, ON(d)); /* what waits for its latency takes nothing */
  start(f, 50 * S, 2, 1000, 0, ON(d));
  expect(f, 51 * S, 2);
  expect(f, 52 * S, 1);
  expect_none(f);
  hc_fluid_free(f);
}

static double rate(hc_fluid *f, hc_time now, hc_fluid_id id)
{
  double x = -1;
  assert_int_equal(hc_fluid_rate(f, now, id, &x), 0);
  return x;
}

/* Link a (10) has flows 1, 2 and 3; b (9) has 3, 4; c (20) has 4 and 5. Level 10/3 at a: 1, 2 and 3. What b
 * has left, 17/3, is for 4; what c has left, 43/3, for 5. Without 1: a 5 each for 2 and 3, but b is full at
 * 4.5 for 3 and 4; 2 gets 5.5, 5 gets 15.5. */
static void test_levels(void **state)
{
  hc_fluid *f = new_fluid();
  const uint32_t a = add(f, 10), b = add(f, 9), c = add(f, 20);
  uint32_t at;
  const hc_fluid_id one = start(f, 0, 1, 1e6, 0, ON(a)), two = start(f, 0, 2, 1e6, 0, ON(a));
  const hc_fluid_id three = start(f, 0, 3, 1e6, 0, ON(a, b)), four = start(f, 0, 4, 1e6, 0, ON(b, c));
  const hc_fluid_id five = start(f, 0, 5, 1e6, 0, ON(c));
  double load;
  HC_UNUSED(state);
  assert_true(rate(f, 0, three) == 10.0 / 3 && rate(f, 0, one) == 10.0 / 3);
  assert_near(rate(f, 0, four), 17.0 / 3, 1e-14);
  assert_near(rate(f, 0, five), 43.0 / 3, 1e-14);
  assert_int_equal(hc_fluid_bottleneck(f, 0, four, &at), 0);
  assert_int_equal(at, b);
  assert_int_equal(hc_fluid_change(f, S, one, 0), 0); /* suspended */
  assert_true(rate(f, S, one) == 0 && rate(f, S, two) == 5.5 && rate(f, S, three) == 4.5);
  assert_true(rate(f, S, four) == 4.5 && rate(f, S, five) == 15.5);
  assert_int_equal(hc_fluid_set(f, S, b, 0), 0); /* a link that is down: what uses it stands still */
  assert_true(rate(f, S, three) == 0 && rate(f, S, four) == 0 && rate(f, S, two) == 10 &&
              rate(f, S, five) == 20);
  assert_int_equal(hc_fluid_load(f, S, c, &load), 0);
  assert_true(load == 20);
  hc_fluid_free(f);
}

/* A task of 100 units needs 2 flops and 1 byte for each: a host of 100 flops/s allows 50/s, a link of 30
 * bytes/s that it shares with a transfer 15/s. With cost 2 it has half of the transfer's rate: 10 and 20. */
static void test_weights_costs_and_bounds(void **state)
{
  hc_fluid *f = new_fluid();
  const uint32_t host = add(f, 100), link = add(f, 30);
  const hc_fluid_use uses[] = {{host, 2}, {link, 1}, {link, 0}};
  hc_fluid_activity a = {.uses = uses, .count = 3, .work = 100};
  hc_fluid_id task, flow, bounded;
  double used;
  HC_UNUSED(state);
  assert_int_equal(hc_fluid_start(f, 0, &a, &task), 0);
  assert_true(rate(f, 0, task) == 30);
  flow = start(f, 0, 1, 1e6, 0, ON(link));
  assert_true(rate(f, 0, task) == 15 && rate(f, 0, flow) == 15);
  assert_int_equal(hc_fluid_cancel(f, S, task, NULL), 0);
  assert_int_equal(hc_fluid_used(f, S, host, &used), 0);
  assert_near(used, 30, 1e-12);
  a.cost = 2;
  assert_int_equal(hc_fluid_start(f, S, &a, &task), 0);
  assert_true(rate(f, S, task) == 10 && rate(f, S, flow) == 20);
  a.cost = 0;
  a.bound = 3;
  assert_int_equal(hc_fluid_start(f, S, &a, &bounded), 0);
  assert_true(rate(f, S, bounded) == 3 && rate(f, S, task) == 9 && rate(f, S, flow) == 18);
  assert_int_equal(hc_fluid_change(f, S, bounded, 0.5), 0); /* half of its bound, and of its share */
  assert_true(rate(f, S, bounded) == 1.5 && rate(f, S, task) == 9.5 && rate(f, S, flow) == 19);
  hc_fluid_free(f);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
  hc_fluid *f = new_fluid();
  static const double table[] = {1, -1};
  const uint32_t r = add(f, 1);
  hc_fluid_use use = {r, 1};
  hc_fluid_activity a = {.uses = &use, .count = 1, .work = 1};
  hc_fluid_id id;
  uint32_t out;
  HC_UNUSED(state);
  assert_int_equal(hc_fluid_add(f, &(hc_fluid_resource){.capacity = -1}, &out), HC_EINPUT);
  assert_int_equal(hc_fluid_add(f, &(hc_fluid_resource){.capacity = __builtin_nan("")}, &out), HC_EINPUT);
  assert_int_equal(
      hc_fluid_add(f, &(hc_fluid_resource){.capacity = 1, .throughput = table, .count = 2}, &out), HC_EINPUT);
  assert_int_equal(hc_fluid_set(f, 0, 5, 1), HC_EINPUT);
  a.work = -1;
  assert_int_equal(hc_fluid_start(f, 0, &a, &id), HC_EINPUT);
  a.work = 1;
  use.weight = HC_FLUID_FREE;
  assert_int_equal(hc_fluid_start(f, 0, &a, &id), HC_EINPUT);
  use = (hc_fluid_use){9, 1};
  assert_int_equal(hc_fluid_start(f, 0, &a, &id), HC_EINPUT);
  assert_int_equal(hc_fluid_count(f), 1);
  expect_none(f);
  hc_fluid_free(f);
}

/* ---- processor sharing: M/M/1-PS ---- */

/* The mean sojourn of a queue whose server is shared equally is 1 / (mu - lambda), as in M/M/1: 2 s at load
 * 0.5. The mean of 200,000 has a standard error of 0.016 s: the number present over a time T has the
 * variance 2 load (1 + load) / (1 - load)^4 / T. */
static void test_processor_sharing(void **state)
{
  static hc_time came[MOST * 64];
  hc_fluid *f = new_fluid();
  const uint32_t r = add(f, 1);
  hc_draws d = {.seed = 5, .purpose = HC_PURPOSE_TEST};
  hc_time arrival = 0, next;
  uint64_t begun = 0, ended = 0;
  const uint64_t all = 200000;
  double sojourn = 0;
  HC_UNUSED(state);
  while (ended < all) {
    hc_fluid_end e;
    assert_int_equal(hc_fluid_next(f, &next), 0);
    if (begun < all && arrival < next) {
      came[begun % HC_ARRAY_LEN(came)] = arrival;
      start(f, arrival, begun++, hc_random_exponential(&d, 1), 0, ON(r));
      arrival += (hc_time)(hc_random_exponential(&d, 1 / 0.5) * 1e9);
      continue;
    }
    while (hc_fluid_advance(f, next, &e) == 1) {
      sojourn += (double)(next - came[e.tag % HC_ARRAY_LEN(came)]) * 1e-9;
      ended++;
    }
  }
  assert_near(sojourn / (double)all, 2, 0.06);
  hc_fluid_free(f);
}

/* By the rule of parallel tasks only what hangs together with a change is worked out anew. Beside it one with
 * a fatpipe without limit that all are on: there all hang together, and it bounds none. To the bit the same.
 */
typedef struct pair_of_fluids {
  hc_fluid *f[2];
  uint32_t hub; /* of the second */
  hc_fluid_id ids[40][2];
} pair_of_fluids;

static void start_both(pair_of_fluids *p, hc_time now, size_t slot, hc_draws *d)
{
  const uint32_t island = 5 * (uint32_t)hc_random_below(d, 4);
  hc_fluid_use uses[6];
  hc_fluid_activity a = {.uses = uses, .work = 1 + 9 * hc_random_unit(d), .tag = slot, .serial = slot};
  if (hc_random_below(d, 4) == 0) a.bound = 0.5 + hc_random_unit(d);
  if (hc_random_below(d, 5) == 0) a.delay = (hc_time)hc_random_below(d, 3) * S;
  for (uint32_t i = 0; i < 5; i++)
    if (hc_random_below(d, 2) == 0) uses[a.count++] = (hc_fluid_use){island + i, 0.5 + hc_random_unit(d)};
  if (a.count == 0) a.bound = 1;
  for (size_t k = 0; k < 2; k++) {
    if (k == 1) uses[a.count++] = (hc_fluid_use){p->hub, 1};
    assert_int_equal(hc_fluid_start(p->f[k], now, &a, &p->ids[slot][k]), 0);
  }
}

static void check_both(pair_of_fluids *p, hc_time now)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(p->ids); i++) {
    double rate[2] = {0, 0}, done[2] = {0, 0};
    for (size_t k = 0; k < 2; k++) {
      if (p->ids[i][k].generation == 0) continue;
      assert_int_equal(hc_fluid_rate(p->f[k], now, p->ids[i][k], &rate[k]), 0);
      assert_int_equal(hc_fluid_done(p->f[k], now, p->ids[i][k], &done[k]), 0);
    }
    assert_true(rate[0] == rate[1] && done[0] == done[1]);
  }
}

static void advance_both(pair_of_fluids *p, hc_time now)
{
  hc_fluid_end e[2];
  for (int more = 1; more;) {
    more = hc_fluid_advance(p->f[0], now, &e[0]);
    assert_int_equal(hc_fluid_advance(p->f[1], now, &e[1]), more);
    if (!more) break;
    assert_int_equal(e[0].tag, e[1].tag);
    p->ids[e[0].tag][0] = p->ids[e[0].tag][1] = (hc_fluid_id){0};
  }
}

static void test_joint_by_components(void **state)
{
  const hc_fluid_options rules = {.rule = HC_FLUID_BOTTLENECK};
  pair_of_fluids p = {.hub = 20};
  hc_draws d = {.seed = 7, .purpose = HC_PURPOSE_TEST};
  hc_time now = 0;
  (void)state;
  for (size_t k = 0; k < 2; k++) {
    uint32_t id;
    assert_int_equal(hc_fluid_new(hc_default_allocator(), &rules, &p.f[k]), 0);
    for (uint32_t i = 0; i < 21; i++) {
      const hc_fluid_resource r = {.capacity = i == 20 ? HC_FLUID_FREE : 2 + i % 3,
                                   .sharing = i % 5 == 4 || i == 20 ? HC_FLUID_FATPIPE : HC_FLUID_SHARED};
      assert_int_equal(hc_fluid_add(p.f[k], &r, &id), 0);
    }
  }
  for (size_t step = 0; step < 4000; step++) {
    const size_t slot = hc_random_below(&d, HC_ARRAY_LEN(p.ids)), what = hc_random_below(&d, 8);
    hc_time at[2];
    for (size_t k = 0; k < 2; k++) assert_int_equal(hc_fluid_next(p.f[k], &at[k]), 0);
    assert_true(at[0] == at[1]);
    now = HC_MIN(at[0], now + (hc_time)(hc_random_unit(&d) * 1e8));
    if (now == at[0]) advance_both(&p, now);
    if (p.ids[slot][0].generation == 0) start_both(&p, now, slot, &d);
    for (size_t k = 0; k < 2 && what < 3; k++) {
      const uint32_t link = (uint32_t)(slot % 20);
      if (what == 0) assert_int_equal(hc_fluid_cancel(p.f[k], now, p.ids[slot][k], NULL), 0);
      if (what == 1) assert_int_equal(hc_fluid_change(p.f[k], now, p.ids[slot][k], (double)(step % 3)), 0);
      if (what == 2) assert_int_equal(hc_fluid_set(p.f[k], now, link, 1 + (double)(step % 4)), 0);
    }
    if (what == 0) p.ids[slot][0] = p.ids[slot][1] = (hc_fluid_id){0};
    if (step % 2 == 0) check_both(&p, now);
  }
  for (size_t k = 0; k < 2; k++) hc_fluid_free(p.f[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_resource),
                                     cmocka_unit_test(test_clean_after_idle),
                                     cmocka_unit_test(test_equal_ones_end_in_order),
                                     cmocka_unit_test(test_throughput_of_n),
                                     cmocka_unit_test(test_cancellation),
                                     cmocka_unit_test(test_two_hosts),
                                     cmocka_unit_test(test_triangle_and_latency),
                                     cmocka_unit_test(test_levels),
                                     cmocka_unit_test(test_weights_costs_and_bounds),
                                     cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_processor_sharing),
                                     cmocka_unit_test(test_joint_by_components)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
