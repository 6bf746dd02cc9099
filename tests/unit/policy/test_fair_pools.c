/* test_fair_pools.c -- trees of pools: the vectors of YT's own tests, and cases worked by hand.
 *
 * Y1 to Y9 are published as unit tests of YTsaurus's fair share; shares are exact fractions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/share/pools.h"

#define A hc_default_allocator()
#define NEAR(a, b) assert_true((a) - (b) < 1e-11 && (b) - (a) < 1e-11)

static hc_pools pools;

static void begin(uint32_t dims)
{
  assert_int_equal(hc_pools_init(&pools, A, dims, NULL), 0);
}

static void end(void)
{
  hc_pools_fini(&pools);
}

static uint32_t add(uint32_t parent, hc_pool_kind kind, hc_pool_wish w)
{
  uint32_t id;
  assert_int_equal(hc_pools_add(&pools, parent, kind, &w, &id, NULL), 0);
  return id;
}

static uint32_t pool(uint32_t parent, double strong)
{
  hc_pool_wish w = hc_pool_plain();
  for (int r = 0; r < HC_DIMENSIONS; r++) w.strong[r] = strong;
  return add(parent, HC_POOL_FAIR, w);
}

static uint32_t job(uint32_t parent, double weight, double a, double b, double c)
{
  hc_pool_wish w = hc_pool_plain();
  w.weight = weight;
  w.demand[0] = a;
  w.demand[1] = b;
  w.demand[2] = c;
  return add(parent, HC_POOL_JOB, w);
}

static void update(void)
{
  assert_int_equal(hc_pools_update(&pools, NULL), 0);
}

static void is(uint32_t id, double a, double b, double c)
{
  const double *fair = hc_pools_at(&pools, id)->fair;
  NEAR(fair[0], a);
  if (pools.dims > 1) NEAR(fair[1], b);
  if (pools.dims > 2) NEAR(fair[2], c);
}

/* cpu 100, mem 1000: X(100, 2000), Y(200, 1000) of one pool. */
static void y1_two_jobs(void **state)
{
  uint32_t p, x, y;
  (void)state;
  begin(2);
  p = pool(HC_POOL_ROOT, 0);
  x = job(p, 1, 1, 2, 0);
  y = job(p, 1, 2, 1, 0);
  update();
  is(x, 1 / 3.0, 2 / 3.0, 0);
  is(y, 2 / 3.0, 1 / 3.0, 0);
  is(p, 1, 1, 0);
  end();
}

/* The pools' dominant shares are equal, X is content, memory is gone: not what a flat DRF of three would
 * give. */
static void y2_two_pools(void **state)
{
  uint32_t a, b, x, y, z;
  (void)state;
  begin(2);
  a = pool(HC_POOL_ROOT, 0);
  b = pool(HC_POOL_ROOT, 0);
  x = job(a, 1, .1, .2, 0);
  y = job(a, 1, 30, 10, 0);
  z = job(b, 1, 20, 100, 0);
  update();
  is(x, 4 / 40.0, 8 / 40.0, 0);
  is(y, 21 / 40.0, 7 / 40.0, 0);
  is(z, 5 / 40.0, 25 / 40.0, 0);
  is(a, 25 / 40.0, 15 / 40.0, 0);
  is(b, 5 / 40.0, 25 / 40.0, 0);
  is(HC_POOL_ROOT, 30 / 40.0, 1, 0);
  end();
}

static void y3_weights(void **state)
{
  uint32_t p, x, y;
  (void)state;
  begin(3);
  p = pool(HC_POOL_ROOT, 0);
  x = job(p, 10, .1, .1, .4);
  y = job(p, 1, 10, 10, 0);
  update();
  is(x, .1, .1, .4);
  is(y, .9, .9, 0);
  end();
}

static void two_guaranteed(double first, double second, double a, double b)
{
  uint32_t p, q;
  begin(1);
  p = pool(HC_POOL_ROOT, first);
  q = pool(HC_POOL_ROOT, second);
  (void)job(p, 1, 1, 0, 0);
  (void)job(q, 1, 1, 0, 0);
  update();
  is(p, a, 0, 0);
  is(q, b, 0, 0);
  end();
}

static void y4_y5_guarantees_that_do_not_fit(void **state)
{
  (void)state;
  two_guaranteed(.3, .9, .25, .75);
  two_guaranteed(.3, 1.2, .2, .8);
}

static uint32_t integral_pool(hc_pool_integral kind, double share, double weight)
{
  hc_pool_wish w = hc_pool_plain();
  w.weight = weight;
  w.integral = kind;
  w.burst = kind == HC_INTEGRAL_BURST ? share : 0;
  w.integral_share = share;
  return add(HC_POOL_ROOT, HC_POOL_FAIR, w);
}

static void y6_strong_and_burst(void **state)
{
  uint32_t p, q;
  double strong[HC_DIMENSIONS], integral[HC_DIMENSIONS], rest[HC_DIMENSIONS];
  (void)state;
  begin(1);
  p = pool(HC_POOL_ROOT, .9);
  q = integral_pool(HC_INTEGRAL_BURST, .6, 1);
  (void)job(p, 1, 1, 0, 0);
  (void)job(q, 1, 1, 0, 0);
  update();
  is(p, .6, 0, 0); /* 150 of 100: all by 2/3 */
  is(q, .4, 0, 0);
  hc_pool_split(hc_pools_at(&pools, q), 1, strong, integral, rest);
  NEAR(strong[0], 0);
  NEAR(integral[0], .4);
  NEAR(rest[0], 0);
  end();
}

/* 30 of 100 are guaranteed; the rest is divided 1 : 1 : 2 : 3 on top of it. */
static void y7_guarantees_are_not_subtracted(void **state)
{
  uint32_t p[4];
  double strong[HC_DIMENSIONS], integral[HC_DIMENSIONS], rest[HC_DIMENSIONS];
  hc_pool_wish w = hc_pool_plain();
  (void)state;
  begin(1);
  w.strong[0] = .1;
  p[0] = add(HC_POOL_ROOT, HC_POOL_FAIR, w);
  p[1] = integral_pool(HC_INTEGRAL_BURST, .1, 1);
  p[2] = integral_pool(HC_INTEGRAL_RELAXED, .1, 2);
  w = hc_pool_plain();
  w.weight = 3;
  p[3] = add(HC_POOL_ROOT, HC_POOL_FAIR, w);
  for (int i = 0; i < 4; i++) (void)job(p[i], 1, 1, 0, 0);
  update();
  is(p[0], .2, 0, 0);
  is(p[1], .2, 0, 0);
  is(p[2], .3, 0, 0);
  is(p[3], .3, 0, 0);
  hc_pool_split(hc_pools_at(&pools, p[2]), 1, strong, integral, rest);
  NEAR(integral[0], .1);
  NEAR(rest[0], .2);
  update(); /* again, from the same state */
  is(p[2], .3, 0, 0);
  end();
}

static void y8_a_limit_below_the_guarantee(void **state)
{
  uint32_t p, q;
  hc_pool_wish w = hc_pool_plain();
  (void)state;
  begin(1);
  w.strong[0] = 1;
  w.limit[0] = .5;
  p = add(HC_POOL_ROOT, HC_POOL_FAIR, w);
  q = pool(p, 1);
  (void)job(q, 1, 1, 0, 0);
  update();
  is(p, .5, 0, 0);
  is(q, .5, 0, 0);
  end();
}

static void y9_one_job(void **state)
{
  uint32_t x;
  (void)state;
  begin(2);
  x = job(HC_POOL_ROOT, 1, 2, 4, 0);
  update();
  is(x, .5, 1, 0);
  end();
}

/* ---- worked by hand ---- */

/* What a job has is levelled up first, from the bottom: of usage (.4, .2) at s = .1 it is due (.1, .1), at .3
 * (.3, .2). Then in proportion to what it still wants: (.4, .6), of which s = .55 = .2 + .6 t gives t = 7/12.
 * Its sibling wants the first resource only and has nothing. */
static void usage_is_levelled_up_first(void **state)
{
  uint32_t x, y;
  hc_pool_wish w = hc_pool_plain();
  (void)state;
  begin(2);
  w.usage[0] = w.demand[0] = .4;
  w.usage[1] = .2;
  w.demand[1] = .8;
  x = add(HC_POOL_ROOT, HC_POOL_JOB, w);
  y = job(HC_POOL_ROOT, 1, 1, 0, 0);
  update(); /* the first is gone at .4 + .6: s = .6 on both sides, where t = 2/3 */
  is(x, .4, .6, 0);
  is(y, .6, 0, 0);
  hc_pools_remove(&pools, y);
  y = job(HC_POOL_ROOT, 1, .95, 0, 0);
  w.weight = .25;
  assert_int_equal(hc_pools_set(&pools, x, &w, NULL), 0);
  /* s for x, 4 s for y: y is content at .95 = 4 s, x has s = .2375 and is at (.2375, .2): too much; so */
  update();
  is(x, .2, .2, 0); /* the first is gone at s + 4 s = 1, s = .2 */
  is(y, .8, 0, 0);
  end();
}

/* With usage = demand in the resource that counts, what is wanted of the other comes at once, as a jump: x
 * needs no larger offer for it. If it does not fit, there is none of it. */
static void a_jump(void **state)
{
  uint32_t x, y;
  hc_pool_wish w = hc_pool_plain();
  (void)state;
  begin(2);
  w.usage[0] = w.demand[0] = .4;
  w.demand[1] = .3;
  x = add(HC_POOL_ROOT, HC_POOL_JOB, w);
  y = job(HC_POOL_ROOT, 1, 0, .5, 0);
  update();
  is(x, .4, .3, 0);
  is(y, 0, .5, 0);
  hc_pools_remove(&pools, y);
  y = job(HC_POOL_ROOT, 1.5, 0, .9, 0); /* at s = .4 it has .6, and .9 with x's jump: fits; then .7 at most */
  update();
  is(x, .4, .3, 0);
  is(y, 0, .7, 0);
  end();
}

static void gangs_get_all_or_nothing(void **state)
{
  uint32_t x, y, z;
  hc_pool_wish w = hc_pool_plain();
  (void)state;
  begin(1);
  w.is_gang = true;
  w.demand[0] = .5;
  x = add(HC_POOL_ROOT, HC_POOL_JOB, w);
  y = add(HC_POOL_ROOT, HC_POOL_JOB, w);
  update();
  is(x, .5, 0, 0);
  is(y, .5, 0, 0);
  z = job(HC_POOL_ROOT, 1, 1, 0, 0);
  update(); /* both jump at s = .5, where z has .5 too: neither fits */
  is(x, 0, 0, 0);
  is(y, 0, 0, 0);
  is(z, .5, 0, 0);
  w.weight = 4;
  assert_int_equal(hc_pools_set(&pools, x, &w, NULL), 0);
  update(); /* x jumps at s = .125 of the others; y would at .5, when z has .5 */
  is(x, .5, 0, 0);
  is(y, 0, 0, 0);
  is(z, .5, 0, 0);
  end();
}

static void fifo_goes_one_by_one(void **state)
{
  uint32_t f, g, x, y, z;
  hc_pool_wish w = hc_pool_plain();
  (void)state;
  begin(1);
  f = add(HC_POOL_ROOT, HC_POOL_FIFO, w);
  w.demand[0] = .4;
  w.rank = 2;
  x = add(f, HC_POOL_JOB, w);
  w.rank = 1;
  y = add(f, HC_POOL_JOB, w);
  w.rank = 3;
  w.weight = 2;
  z = add(f, HC_POOL_JOB, w);
  update(); /* z by its weight, then y by its rank */
  is(z, .4, 0, 0);
  is(y, .4, 0, 0);
  is(x, .2, 0, 0);
  g = job(HC_POOL_ROOT, 1, 1, 0, 0);
  update();
  is(g, .5, 0, 0);
  is(f, .5, 0, 0);
  is(z, .4, 0, 0);
  is(y, .1, 0, 0);
  is(x, 0, 0, 0);
  end();
}

/* One-shot saturation: y needs nothing of what is gone, and still its fair share ends there. */
static void it_stops_at_the_first_resource_that_is_gone(void **state)
{
  uint32_t x, y;
  (void)state;
  begin(2);
  x = job(HC_POOL_ROOT, 2, 1.5, 0, 0);
  y = job(HC_POOL_ROOT, 1, 0, 1, 0);
  update();
  is(x, 1, 0, 0);
  is(y, 0, .5, 0); /* DRF gives it all */
  hc_pools_job(&pools, x, (double[]){0, 0}, (double[]){1, 0});
  update(); /* nor does it matter that x wants no more */
  is(x, 1, 0, 0);
  is(y, 0, .5, 0);
  hc_pools_job(&pools, x, (double[]){0, 0}, (double[]){.99, 0});
  update(); /* never used up */
  is(x, .99, 0, 0);
  is(y, 0, 1, 0);
  end();
}

static void changes_give_what_a_new_tree_gives(void **state)
{
  enum { JOBS = 40 };
  uint64_t s = 88172645463325252u;
  uint32_t group[5], id[JOBS];
  hc_pool_wish wish[JOBS];
  double fair[JOBS][3];
  (void)state;
  begin(3);
  for (int i = 0; i < 5; i++) group[i] = pool(i < 3 ? HC_POOL_ROOT : group[i - 2], i == 1 ? .2 : 0);
  for (int k = 0; k < 300 + JOBS; k++) {
    int i = k < JOBS ? k : (int)((s >> 33) % JOBS);
    hc_pool_wish *w = &wish[i];
    *w = hc_pool_plain();
    for (int r = 0; r < 3; r++) {
      s ^= s << 13, s ^= s >> 7, s ^= s << 17;
      w->usage[r] = (double)((s >> 20) % 5) / 200;
      w->demand[r] = w->usage[r] + (double)((s >> 30) % 50) / 100;
      w->weight = 1 + (double)((s >> 40) % 4);
    }
    w->is_gang = i % 7 == 0;
    if (k < JOBS) id[i] = add(group[i % 5], HC_POOL_JOB, *w);
    else assert_int_equal(hc_pools_set(&pools, id[i], w, NULL), 0);
    if (k >= JOBS) update();
  }
  for (int i = 0; i < JOBS; i++)
    for (int r = 0; r < 3; r++) fair[i][r] = hc_pools_at(&pools, id[i])->fair[r];
  end();
  begin(3);
  for (int i = 0; i < 5; i++) group[i] = pool(i < 3 ? HC_POOL_ROOT : group[i - 2], i == 1 ? .2 : 0);
  for (int i = 0; i < JOBS; i++) id[i] = add(group[i % 5], HC_POOL_JOB, wish[i]);
  update();
  for (int i = 0; i < JOBS; i++)
    for (int r = 0; r < 3; r++)
      assert_true(fair[i][r] == hc_pools_at(&pools, id[i])->fair[r]); /* to the bit */
  end();
}

static void what_is_refused(void **state)
{
  hc_pool_wish w = hc_pool_plain();
  uint32_t id, f, x;
  hc_error e = {0};
  (void)state;
  begin(1);
  f = add(HC_POOL_ROOT, HC_POOL_FIFO, w);
  x = job(f, 1, 1, 0, 0);
  assert_int_equal(hc_pools_add(&pools, f, HC_POOL_FAIR, &w, &id, &e), HC_EINPUT);
  assert_int_equal(hc_pools_add(&pools, x, HC_POOL_JOB, &w, &id, NULL), HC_EINPUT);
  w.weight = 0;
  assert_int_equal(hc_pools_add(&pools, f, HC_POOL_JOB, &w, &id, NULL), HC_EINPUT);
  w = hc_pool_plain();
  w.usage[0] = .1; /* more than it demands */
  assert_int_equal(hc_pools_set(&pools, x, &w, NULL), HC_EINPUT);
  end();
}

/* ---- out of memory, at every allocation in turn ---- */

static void *failing(void *ctx, void *p, size_t old_size, size_t new_size)
{
  int *left = ctx;
  if (new_size > 0 && (*left)-- <= 0) return NULL;
  return A->resize(A->ctx, p, old_size, new_size);
}

static hc_rc try_it(const hc_allocator *a, bool *is_made)
{
  hc_pool_wish w = hc_pool_plain();
  uint32_t p, x;
  hc_rc rc = hc_pools_init(&pools, a, 2, NULL);
  *is_made = rc == 0;
  w.strong[0] = .2;
  w.demand[0] = w.demand[1] = .8;
  if (rc == 0) rc = hc_pools_add(&pools, HC_POOL_ROOT, HC_POOL_FAIR, &w, &p, NULL);
  for (int i = 0; i < 12 && rc == 0; i++)
    rc = hc_pools_add(&pools, i % 2 ? p : HC_POOL_ROOT, HC_POOL_JOB, &w, &x, NULL);
  return rc == 0 ? hc_pools_update(&pools, NULL) : rc;
}

static void memory_that_runs_out(void **state)
{
  int left = 0, n = 0;
  const hc_allocator a = {&left, failing, NULL};
  hc_rc rc;
  (void)state;
  do {
    bool is_made;
    left = n++;
    rc = try_it(&a, &is_made);
    assert_true(rc == 0 || rc == HC_ENOMEM);
    if (!is_made) continue;
    left = 1000;
    if (rc < 0) update(); /* what could not be done is done the next time */
    hc_pools_fini(&pools);
  } while (rc < 0);
  assert_true(n > 15);
}

/* ---- satisfaction and starvation ---- */

static void satisfaction(void **state)
{
  static const double fair[] = {.4, .2}, much[] = {1, 1}, some[] = {.4, .2}, one[] = {.4, 1}, none[] = {0, 0};
  (void)state;
  NEAR(hc_pool_satisfaction(2, fair, (double[]){.1, .1}, much), .5);  /* the largest of 1/4, 1/2 */
  NEAR(hc_pool_satisfaction(2, fair, (double[]){.1, .1}, some), .25); /* all blocked: the smallest */
  NEAR(hc_pool_satisfaction(2, fair, (double[]){.3, .1}, one), .5);   /* the first is blocked */
  NEAR(hc_pool_satisfaction(2, fair, (double[]){.1, .3}, much), 1.5);
  NEAR(hc_pool_satisfaction(2, none, (double[]){.1, .3}, much), HC_POOL_SATED);
  NEAR(hc_pool_satisfaction(2, (double[]){.4, 0}, (double[]){.1, .1}, much), HC_POOL_SATED); /* x / 0 */
}

static void starvation(void **state)
{
  static const double fair[] = {.5, .5}, much[] = {1, 1}, some[] = {.5, .5}, one[] = {.5, 1};
  (void)state;
  assert_true(hc_pool_is_below(2, fair, (double[]){.3, .3}, much, .8)); /* .4 > .3 in both */
  assert_false(hc_pool_is_below(2, fair, (double[]){.3, .4}, much, .8));
  assert_true(hc_pool_is_below(2, fair, (double[]){.5, .4}, some, 1)); /* all blocked: one is enough */
  assert_false(
      hc_pool_is_below(2, fair, (double[]){.1, .4}, one, .8)); /* the first is blocked: it does not count */
  assert_int_equal(hc_pool_starves(HC_NEVER, HC_HOUR, 30 * HC_SECOND, HC_NEVER), HC_POOL_FED);
  assert_int_equal(hc_pool_starves(0, 30 * HC_SECOND, 30 * HC_SECOND, 120 * HC_SECOND), HC_POOL_FED);
  assert_int_equal(hc_pool_starves(0, 31 * HC_SECOND, 30 * HC_SECOND, 120 * HC_SECOND), HC_POOL_STARVING);
  assert_int_equal(hc_pool_starves(0, 121 * HC_SECOND, 30 * HC_SECOND, 120 * HC_SECOND),
                   HC_POOL_STARVING_BADLY);
  assert_int_equal(hc_pool_starves(0, HC_DAY, 30 * HC_SECOND, HC_NEVER), HC_POOL_STARVING);
}

static void volumes_of_integral_guarantees(void **state)
{
  hc_integral x = {.flow = .1};
  double over;
  (void)state;
  over = hc_integral_flow(&x, 600, 0);
  NEAR(over, 0);
  NEAR(x.volume, 60);
  NEAR(hc_integral_share(&x, .5), .5); /* a minute of the whole is there, but no more than half is promised */
  over = hc_integral_flow(&x, 60, .5);
  NEAR(over, 0);
  NEAR(x.volume, 36);
  NEAR(hc_integral_share(&x, 1), .6);
  over = hc_integral_flow(&x, 600, .5);
  NEAR(over, 0); /* it cannot owe */
  NEAR(x.volume, 0);
  over = hc_integral_flow(&x, 86410, 0);
  NEAR(over, 1); /* it holds a day's flow */
  NEAR(x.volume, 8640);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(y1_two_jobs),
      cmocka_unit_test(y2_two_pools),
      cmocka_unit_test(y3_weights),
      cmocka_unit_test(y4_y5_guarantees_that_do_not_fit),
      cmocka_unit_test(y6_strong_and_burst),
      cmocka_unit_test(y7_guarantees_are_not_subtracted),
      cmocka_unit_test(y8_a_limit_below_the_guarantee),
      cmocka_unit_test(y9_one_job),
      cmocka_unit_test(usage_is_levelled_up_first),
      cmocka_unit_test(a_jump),
      cmocka_unit_test(gangs_get_all_or_nothing),
      cmocka_unit_test(fifo_goes_one_by_one),
      cmocka_unit_test(it_stops_at_the_first_resource_that_is_gone),
      cmocka_unit_test(changes_give_what_a_new_tree_gives),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(memory_that_runs_out),
      cmocka_unit_test(satisfaction),
      cmocka_unit_test(starvation),
      cmocka_unit_test(volumes_of_integral_guarantees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
