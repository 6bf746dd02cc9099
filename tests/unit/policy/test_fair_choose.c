/* test_fair_choose.c -- who is next: discrete DRF step by step, groups of users, servers that differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policy/share/choose.h"

#define A hc_default_allocator()
#define NEAR(a, b) assert_true((a) - (b) < 1e-9 && (b) - (a) < 1e-9)

/* Fills `capacity` and says who came, as a text: 'A' for user 0. */
static size_t fill(uint32_t users, const int64_t *capacity, const int64_t *demand, const double *weight,
                   const uint64_t *rank, bool is_blocking, int64_t *used, char *who)
{
  hc_drf d;
  int64_t free[2] = {capacity[0], capacity[1]}, left[8];
  uint32_t sequence[64];
  size_t n;
  for (uint32_t i = 0; i < users; i++) left[i] = 1000;
  assert_int_equal(
      hc_drf_init(&d, A, users, 2, capacity, weight, NULL, rank ? HC_TIE_RANK : HC_TIE_INDEX, NULL), 0);
  for (uint32_t i = 0; rank && i < users; i++) hc_drf_rank(&d, i, rank[i]);
  n = hc_drf_fill(&d, free, demand, left, is_blocking, sequence, 64);
  for (size_t i = 0; i < n; i++) who[i] = (char)('A' + sequence[i]);
  who[n] = '\0';
  for (int r = 0; r < 2; r++) used[r] = capacity[r] - free[r];
  hc_drf_fini(&d);
  return n;
}

static void the_papers_steps(void **state)
{
  const int64_t c[] = {9, 18}, d[] = {1, 4, 3, 1};
  const uint64_t b_first[] = {1, 0};
  int64_t used[2];
  char who[64];
  (void)state;
  fill(2, c, d, NULL, b_first, true, used, who);
  assert_string_equal(who, "BAABA"); /* table 1 of the paper */
  assert_int_equal(used[0], 9);
  assert_int_equal(used[1], 14);
  fill(2, c, d, NULL, NULL, true, used, who);
  assert_string_equal(who, "ABABA");
  assert_int_equal(used[0], 9);
  assert_int_equal(used[1], 14);
}

static void weights_and_skipping(void **state)
{
  const int64_t c[] = {9, 18}, d[] = {1, 4, 3, 1}, c2[] = {12, 24}, d2[] = {1, 2, 2, 1, 1, 4};
  const double w[] = {2, 1};
  int64_t used[2];
  char who[64];
  (void)state;
  /* A's shares are 1/9 a task after its weight, B's 1/3. After ABAA both are 1/3: A, the lower index, is
   * next; a fifth A does not fit (2 GB), nor a second B (2 CPUs). */
  fill(2, c, d, w, NULL, false, used, who);
  assert_string_equal(who, "ABAAA");
  assert_int_equal(used[0], 7);
  assert_int_equal(used[1], 17);
  fill(3, c2, d2, NULL, NULL, false, used, who);
  assert_string_equal(who, "ABCAABCAAC");
  assert_int_equal(used[0], 12);
  assert_int_equal(used[1], 24);
}

/* (4, 1) of 5 and (2, 4): the blocking rule stops at A although a B would fit. */
static void blocking_stops_where_skipping_goes_on(void **state)
{
  const int64_t c[] = {10, 10}, d[] = {6, 1, 1, 4};
  int64_t used[2];
  char who[64];
  (void)state;
  fill(2, c, d, NULL, NULL, true, used, who);
  assert_string_equal(who, "ABB"); /* A .6, B .4 then .8: A is next, needs 6 of 2 */
  assert_int_equal(fill(2, c, d, NULL, NULL, false, used, who), 3); /* a third B needs 4 of 1 */
  const int64_t thin[] = {6, 1, 1, 2};
  fill(2, c, thin, NULL, NULL, true, used, who);
  assert_string_equal(who, "ABBB"); /* .6 against .2 .4 .6: A ties and is next */
  fill(2, c, thin, NULL, NULL, false, used, who);
  assert_string_equal(who, "ABBBB"); /* the last CPU */
}

static void ties_by_turn(void **state)
{
  const int64_t c[] = {8}, one[] = {1};
  static const uint32_t expected[] = {0, 1, 2, 0, 1, 2};
  hc_drf d;
  (void)state;
  assert_int_equal(hc_drf_init(&d, A, 3, 1, c, NULL, NULL, HC_TIE_TURN, NULL), 0);
  for (uint32_t i = 0; i < 3; i++) hc_drf_wait(&d, i, true);
  for (int k = 0; k < 6; k++) {
    assert_int_equal(hc_drf_next(&d), expected[k]);
    hc_drf_start(&d, expected[k], one);
    hc_drf_end(&d, expected[k], one); /* all shares are 0 for ever: only turns decide */
  }
  hc_drf_skip(&d, 0);
  hc_drf_wait(&d, 1, false);
  assert_int_equal(hc_drf_next(&d), 2);
  hc_drf_skip(&d, 2);
  assert_int_equal(hc_drf_next(&d), HC_NOBODY);
  hc_drf_again(&d);
  assert_int_equal(hc_drf_next(&d), 0);
  hc_drf_skip(&d, 0);
  hc_drf_wait(&d, 0, false);
  hc_drf_wait(&d, 0, true); /* it waits for something else now */
  assert_int_equal(hc_drf_next(&d), 0);
  hc_drf_again(&d);
  hc_drf_fini(&d);
}

/* Every choice against a search through all users; starts, ends, waits and skips at random. */
static void the_tournament_agrees_with_a_search(void **state)
{
  enum { USERS = 37 };
  const int64_t c[] = {1000, 3000};
  int64_t held[USERS][2] = {{0}};
  bool out[USERS];
  double w[USERS];
  uint64_t s = 88172645463325252u;
  hc_drf d;
  (void)state;
  for (uint32_t i = 0; i < USERS; i++) {
    w[i] = 1 + i % 3;
    out[i] = true;
  }
  assert_int_equal(hc_drf_init(&d, A, USERS, 2, c, w, NULL, HC_TIE_INDEX, NULL), 0);
  for (int k = 0; k < 20000; k++) {
    uint32_t i, best = HC_NOBODY;
    double least = 0;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    i = (uint32_t)(s >> 40) % USERS;
    if (s % 4 == 0) {
      out[i] = !out[i];
      hc_drf_wait(&d, i, !out[i]);
    } else if (s % 4 == 1 && held[i][0] > 0) {
      hc_drf_end(&d, i, held[i]);
      held[i][0] = held[i][1] = 0;
    } else {
      int64_t more[2] = {1 + (int64_t)(s >> 20) % 5, (int64_t)(s >> 24) % 9};
      hc_drf_start(&d, i, more);
      held[i][0] += more[0];
      held[i][1] += more[1];
    }
    for (i = 0; i < USERS; i++) {
      double a = (double)held[i][0] / (1000 * w[i]), b = (double)held[i][1] / (3000 * w[i]),
             m = a > b ? a : b;
      if (out[i] || (best != HC_NOBODY && m >= least)) continue;
      best = i;
      least = m;
    }
    assert_int_equal(hc_drf_next(&d), best);
  }
  hc_drf_fini(&d);
}

/* ---- H-DRF ---- */

enum { ROOT, N1, N2, N21, N22, NODES };
static const uint32_t parents[] = {0, ROOT, ROOT, N2, N2};
static const int64_t needs[NODES][2] = {{0}, {1, 0}, {0}, {1, 0}, {0, 1}};

/* 10 CPUs, 10 GPUs; n1 and n21 want CPUs, n22 GPUs. Tasks end at random, one at a time. Means of the second
 * half. */
static void long_run(hc_hdrf_rule rule, double *mean)
{
  static const int64_t c[] = {10, 10};
  hc_hdrf h;
  int64_t free[2] = {10, 10}, held[NODES] = {0}, sum[NODES] = {0}, running = 0;
  uint64_t s = 88172645463325252u;
  assert_int_equal(hc_hdrf_init(&h, A, NODES, parents, NULL, 2, c, rule, NULL), 0);
  for (int k = 0; k < 20000; k++) {
    static const uint32_t leaves[] = {N1, N21, N22};
    uint32_t leaf;
    for (int i = 0; i < 3; i++)
      hc_hdrf_block(&h, leaves[i], needs[leaves[i]][0] > free[0] || needs[leaves[i]][1] > free[1]);
    while ((leaf = hc_hdrf_next(&h)) != HC_NOBODY) {
      hc_hdrf_start(&h, leaf, needs[leaf]);
      held[leaf]++;
      running++;
      for (int r = 0; r < 2; r++) free[r] -= needs[leaf][r];
      for (int i = 0; i < 3; i++)
        hc_hdrf_block(&h, leaves[i], needs[leaves[i]][0] > free[0] || needs[leaves[i]][1] > free[1]);
    }
    for (int i = 0; i < NODES; i++)
      if (k >= 10000) sum[i] += held[i];
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    int64_t which = (int64_t)((s >> 11) % (uint64_t)running);
    for (leaf = 0; which >= held[leaf]; leaf++) which -= held[leaf];
    hc_hdrf_end(&h, leaf, needs[leaf]);
    held[leaf]--;
    running--;
    for (int r = 0; r < 2; r++) free[r] += needs[leaf][r];
  }
  for (int i = 0; i < NODES; i++) mean[i] = (double)sum[i] / 10000;
  hc_hdrf_fini(&h);
}

static void groups_do_not_starve_their_members(void **state)
{
  double mean[NODES];
  (void)state;
  long_run(HC_HDRF_RESCALED, mean);
  assert_true(mean[N1] == 5 && mean[N21] == 5 &&
              mean[N22] == 10);  /* one end, one start: it is put right at once */
  long_run(HC_HDRF_NAIVE, mean); /* n2's share is the GPUs', 1 or nearly: n1 gets every CPU that is freed */
  assert_true(mean[N1] == 10 && mean[N21] == 0 && mean[N22] == 10);
}

/* n2 has twice n1's weight: 1/3 and 2/3 of the CPUs, as far as tasks are whole. */
static void groups_have_weights(void **state)
{
  static const double w[] = {1, 1, 2, 1, 1};
  static const int64_t c[] = {12, 12};
  hc_hdrf h;
  int held[NODES] = {0};
  (void)state;
  assert_int_equal(hc_hdrf_init(&h, A, NODES, parents, w, 2, c, HC_HDRF_RESCALED, NULL), 0);
  assert_int_equal(hc_hdrf_next(&h), HC_NOBODY);
  hc_hdrf_block(&h, N1, false);
  hc_hdrf_block(&h, N21, false);
  for (int k = 0; k < 12; k++) {
    uint32_t leaf = hc_hdrf_next(&h);
    hc_hdrf_start(&h, leaf, needs[leaf]);
    held[leaf]++;
  }
  assert_int_equal(held[N1], 4);
  assert_int_equal(held[N21], 8);
  NEAR(h.share[N1], 4 / 12.0);
  NEAR(h.share[N2], 8 / 12.0 / 2);
  hc_hdrf_fini(&h);
}

static void *failing(void *ctx, void *p, size_t old_size, size_t new_size)
{
  int *left = ctx;
  if (new_size > 0 && (*left)-- <= 0) return NULL;
  return A->resize(A->ctx, p, old_size, new_size);
}

/* Every allocation fails in turn: an error, and nothing is left behind. */
static void memory_that_runs_out(void **state)
{
  static const int64_t c[] = {10, 10};
  int left = 0, n;
  const hc_allocator a = {&left, failing, NULL};
  (void)state;
  for (n = 0;; n++) {
    hc_drf d;
    left = n;
    if (hc_drf_init(&d, &a, 3, 2, c, NULL, NULL, HC_TIE_INDEX, NULL) < 0) continue;
    hc_drf_fini(&d);
    break;
  }
  assert_int_equal(n, 9);
  for (n = 0;; n++) {
    hc_hdrf h;
    left = n;
    if (hc_hdrf_init(&h, &a, NODES, parents, NULL, 2, c, HC_HDRF_NAIVE, NULL) < 0) continue;
    hc_hdrf_fini(&h);
    break;
  }
  assert_int_equal(n, 12);
}

/* ---- servers ---- */

static void the_server_of_the_tasks_shape(void **state)
{
  static const int64_t free[] = {10, 10, 4, 16, 2, 4, 9, 36};
  static const int64_t need[] = {1, 4}, large[] = {9, 30}, none[] = {20, 1}, second[] = {0, 5};
  (void)state;
  assert_int_equal(hc_drfh_first_fit(2, need, free, 4), 0);
  assert_int_equal(hc_drfh_best_fit(2, need, free, 4),
                   1); /* 4 : 16 is 1 : 4, as is 9 : 36: the lower index */
  assert_int_equal(hc_drfh_first_fit(2, large, free, 4), 3);
  assert_int_equal(hc_drfh_best_fit(2, large, free, 4), 3);
  assert_int_equal(hc_drfh_first_fit(2, none, free, 4), HC_NOBODY);
  assert_int_equal(hc_drfh_best_fit(2, none, free, 4), HC_NOBODY);
  assert_int_equal(hc_drfh_best_fit(2, second, free, 4),
                   1); /* of the second: free 1, 1/4, -, 1/4 of the first */
}

/* Wang, Li and Liang's servers with whole tasks (amounts in fifths): best fit finds the 10 and 10 of the LP,
 * first fit spreads both over both. */
static void best_fit_finds_the_programmes_answer(void **state)
{
  static const int64_t c[] = {14 * 5, 14 * 5}, need[2][2] = {{1, 5}, {5, 1}};
  int64_t free[4] = {10, 60, 60, 10}, n[2] = {0};
  hc_drf d;
  uint32_t i;
  (void)state;
  assert_int_equal(hc_drf_init(&d, A, 2, 2, c, NULL, NULL, HC_TIE_INDEX, NULL), 0);
  hc_drf_wait(&d, 0, true);
  hc_drf_wait(&d, 1, true);
  while ((i = hc_drf_next(&d)) != HC_NOBODY) {
    uint32_t s = hc_drfh_best_fit(2, need[i], free, 2);
    if (s == HC_NOBODY) {
      hc_drf_skip(&d, i);
      continue;
    }
    for (int r = 0; r < 2; r++) free[2 * s + (uint32_t)r] -= need[i][r];
    hc_drf_start(&d, i, need[i]);
    n[i]++;
  }
  assert_int_equal(n[0], 10);
  assert_int_equal(n[1], 10);
  hc_drf_fini(&d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_papers_steps),
      cmocka_unit_test(weights_and_skipping),
      cmocka_unit_test(blocking_stops_where_skipping_goes_on),
      cmocka_unit_test(ties_by_turn),
      cmocka_unit_test(the_tournament_agrees_with_a_search),
      cmocka_unit_test(groups_do_not_starve_their_members),
      cmocka_unit_test(groups_have_weights),
      cmocka_unit_test(memory_that_runs_out),
      cmocka_unit_test(the_server_of_the_tasks_shape),
      cmocka_unit_test(best_fit_finds_the_programmes_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
