/* test_fair_line.c -- the line of users, and the ranking of members, against looking at all of them: random
 * changes and questions, with few needs and with as many as users, so that rows and the tournament of rows
 * are both exercised, and so that blocks split and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/util.h"
#include "policy/share/choose.h"
#include "policy/share/line.h"
#include "policy/share/ranking.h"

enum { USERS = 700, DIMS = 3 };

typedef struct model {
  bool is_in[USERS];
  double key[USERS];
  uint64_t tie[USERS];
  int64_t need[USERS][DIMS];
} model;

static bool before(const model *m, uint32_t a, uint32_t b)
{
  if (m->key[a] != m->key[b]) return m->key[a] < m->key[b];
  return m->tie[a] != m->tie[b] ? m->tie[a] < m->tie[b] : a < b;
}

static bool fits(const int64_t *need, const int64_t *free)
{
  for (int d = 0; d < DIMS; d++)
    if (free && need[d] > free[d]) return false;
  return true;
}

static uint32_t first(const model *m, const int64_t *free)
{
  uint32_t best = HC_NOBODY;
  for (uint32_t i = 0; i < USERS; i++)
    if (m->is_in[i] && fits(m->need[i], free) && (best == HC_NOBODY || before(m, i, best))) best = i;
  return best;
}

static void assert_walk(const hc_line *l, const model *m)
{
  hc_line_walk w = {0};
  uint32_t last = HC_NOBODY, user, count = 0, there = 0;
  while ((user = hc_line_next(l, &w)) != HC_NOBODY) {
    assert_true(m->is_in[user]);
    if (last != HC_NOBODY) assert_true(before(m, last, user));
    last = user;
    count++;
  }
  for (uint32_t i = 0; i < USERS; i++) there += m->is_in[i];
  assert_int_equal(count, there);
}

static void one_run(uint64_t seed, uint64_t needs, bool is_ordered)
{
  static model m;
  hc_draws draws = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  hc_line l = {.is_ordered = is_ordered};
  memset(&m, 0, sizeof m);
  for (int step = 0; step < 6000; step++) {
    const uint32_t i = (uint32_t)hc_random_below(&draws, 1 + (uint64_t)HC_MIN(step / 4, USERS - 1));
    int64_t free[DIMS];
    assert_int_equal(hc_line_grow(&l, hc_default_allocator(), DIMS, i + 1), 0);
    m.is_in[i] = hc_random_below(&draws, 4) > 0;
    m.key[i] = (double)hc_random_below(&draws, 40);
    m.tie[i] = hc_random_below(&draws, 3);
    if (hc_random_below(&draws, 2) == 0)
      for (int d = 0; d < DIMS; d++) m.need[i][d] = (int64_t)hc_random_below(&draws, needs);
    assert_int_equal(hc_line_set(&l, i, m.key[i], m.tie[i], m.is_in[i] ? m.need[i] : NULL), 0);
    assert_true(hc_line_has(&l, i) == m.is_in[i]);
    for (int d = 0; d < DIMS; d++) free[d] = (int64_t)hc_random_below(&draws, needs);
    assert_int_equal(hc_line_first(&l, free), first(&m, free));
    free[0] = 0; /* often in vain, and then asked again */
    assert_int_equal(hc_line_first(&l, free), first(&m, free));
    assert_int_equal(hc_line_first(&l, NULL), first(&m, NULL));
    if (is_ordered && step % 50 == 0) assert_walk(&l, &m);
  }
  hc_line_fini(&l);
}

static void test_few_needs(void **state)
{
  (void)state;
  one_run(1, 2, false);
  one_run(2, 3, true);
}

static void test_many_needs(void **state)
{
  (void)state;
  one_run(3, 1000, false);
  one_run(4, 30, true);
}

/* One change or many before each look; some of the many are told beforehand. */
static void test_ranking(void **state)
{
  static model m;
  hc_draws draws = {.seed = 5, .purpose = HC_PURPOSE_TEST};
  hc_ranking r;
  (void)state;
  memset(&m, 0, sizeof m);
  hc_ranking_init(&r, hc_default_allocator());
  for (int look = 0; look < 3000; look++) {
    const uint64_t most = look % 10 == 0 ? USERS : 3, changes = hc_random_below(&draws, most);
    uint32_t there = 0;
    if (look % 20 == 0) hc_ranking_disturb(&r);
    for (uint64_t k = 0; k < changes; k++) {
      const uint32_t i = (uint32_t)hc_random_below(&draws, USERS);
      m.is_in[i] = hc_random_below(&draws, 4) > 0;
      m.key[i] = (double)hc_random_below(&draws, 40);
      m.tie[i] = USERS - i;
      assert_int_equal(hc_ranking_set(&r, i, m.key[i], m.tie[i], m.is_in[i]), 0);
    }
    assert_int_equal(hc_ranking_sort(&r), 0);
    for (uint32_t i = 0; i < USERS; i++) there += m.is_in[i];
    assert_int_equal(r.in, there);
    assert_int_equal(r.count, there);
    for (size_t k = 0; k < r.count; k++) {
      assert_true(m.is_in[r.order[k]]);
      if (k > 0) assert_true(before(&m, r.order[k - 1], r.order[k]));
    }
  }
  hc_ranking_fini(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_needs), cmocka_unit_test(test_many_needs),
                                     cmocka_unit_test(test_ranking)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
