/* test_slurm_nodes.c -- which nodes a job gets, worked out by hand from the rules that nodes.c states:
 * runs of consecutive nodes of one weight, the tightest first. An answer is written "NODE:SLOTS",
 * ascending by node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "policy/slurm/nodes.h"
#include "policy/slurm/tree.h"

#define ALL UINT64_MAX
#define FREE(...) ((const int64_t[]){__VA_ARGS__})
#define NODES(...) (sizeof(FREE(__VA_ARGS__)) / sizeof(int64_t))

static const int64_t one_cpu[] = {1};
static const bool of_nodes[HC_DIMENSIONS], unlike[1];

/* @param answer NULL: it does not fit */
static void chooses(const hc_slurm_nodes *n, const hc_slurm_ask *ask, const int64_t *free, uint64_t idle,
                    uint64_t mask, const char *answer)
{
  const hc_allocator *a = hc_default_allocator();
  const uint64_t some = mask & ((UINT64_C(1) << n->count) - 1), all = UINT64_MAX;
  char got[256] = "";
  hc_slurm_choice c;
  assert_int_equal(hc_slurm_choice_init(&c, a, n->count), 0);
  const hc_slurm_room room = {.free = free, .idle = &idle, .some = &all, .sum = INT64_MAX};
  uint64_t dealt = 0, nodes = 0;
  const bool fits_too = hc_slurm_choose_nodes(n, ask, &room, &some, &c, &nodes);
  const bool fits = hc_slurm_choose(n, ask, &room, &some, &c);
  if (fits) hc_slurm_chosen(&c, &dealt, 1);
  assert_int_equal(fits_too, fits);
  if (fits) assert_int_equal(nodes, dealt);
  if (fits) hc_slurm_sort(&c);
  for (size_t i = 0, at = 0; fits && i < c.dealt_count; i++)
    at += (size_t)snprintf(got + at, sizeof got - at, "%s%u:%u", i > 0 ? " " : "", c.dealt[i].host,
                           c.dealt[i].slots);
  hc_slurm_choice_fini(&c, a, n->count);
  if (fits != (answer != NULL) || (answer && strcmp(got, answer) != 0))
    fail_msg("%s, not %s", fits ? got : "it does not fit", answer ? answer : "that it does not fit");
}

/* A job of so many processors, on nodes of the weights. */
static void cpus_on(const int64_t *weights, const int64_t *free, size_t nodes, hc_slurm_ask ask,
                    uint64_t mask, const char *answer)
{
  const hc_slurm_nodes n = {(uint32_t)nodes, 1, weights, of_nodes, unlike, NULL, NULL};
  ask.need = one_cpu;
  chooses(&n, &ask, free, 0, mask, answer);
}

/* On nodes of one weight, with what is free on each. */
#define CPUS(ask, answer, ...) \
  cpus_on((const int64_t[16]){0}, FREE(__VA_ARGS__), NODES(__VA_ARGS__), (hc_slurm_ask)ask, ALL, answer)
#define ASK(...) \
  { \
    __VA_ARGS__ \
  }

/* What goes on one node goes on the one with the fewest free processors that suffice; the first of equals. */
static void test_one_node_is_best_fit(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 4), "1:4", 8, 4, 6);
  CPUS(ASK(.slots = 5), "2:5", 8, 4, 6);
  CPUS(ASK(.slots = 7), "0:7", 8, 4, 6);
  CPUS(ASK(.slots = 5), "0:5", 6, 6, 6);
  CPUS(ASK(.slots = 1), "3:1", 6, 2, 6, 1);
}

/* Nodes 0-1 (8 processors), 3 (6), and 5-7 (12) are runs. 8 go on the first, which is the tighter of those
 * that suffice; 5 on node 3; of 14 no run has enough: the one with most gives 12 and the other 2 go on the
 * tightest. */
static void test_runs(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 8), "0:4 1:4", 4, 4, 0, 6, 0, 4, 4, 4);
  CPUS(ASK(.slots = 5), "3:5", 4, 4, 0, 6, 0, 4, 4, 4);
  CPUS(ASK(.slots = 9), "5:4 6:4 7:1", 4, 4, 0, 6, 0, 4, 4, 4);
  CPUS(ASK(.slots = 14), "3:2 5:4 6:4 7:4", 4, 4, 0, 6, 0, 4, 4, 4);
  CPUS(ASK(.slots = 26), "0:4 1:4 3:6 5:4 6:4 7:4", 4, 4, 0, 6, 0, 4, 4, 4);
  CPUS(ASK(.slots = 27), NULL, 4, 4, 0, 6, 0, 4, 4, 4);
}

/* Of runs that are alike the first is taken, be they enough or not. */
static void test_ties(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 4), "0:2 1:2", 2, 2, 0, 2, 2);
  CPUS(ASK(.slots = 6), "0:2 1:2 3:2", 2, 2, 0, 2, 2);
}

/* A run needs the nodes too: 8 processors of one node are not three nodes; of 2-4 each gives what leaves
 * one for the nodes behind it, 4 - 2 and 2 - 1 and 1. */
static void test_run_must_have_the_nodes(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 4, .least = 3), "2:2 3:1 4:1", 8, 0, 2, 2, 2);
  CPUS(ASK(.slots = 4, .least = 5), NULL, 8, 0, 2, 2, 2);
}

/* Lower weights come first, though a run of them is not enough; and a run ends where the weight changes. */
static void test_weights(void **state)
{
  static const int64_t two[] = {2, 2, 1, 1}, far[] = {5, 1}, mixed[] = {1, 2, 1, 1};
  (void)state;
  cpus_on(two, FREE(8, 8, 8, 8), 4, (hc_slurm_ask){.slots = 8}, ALL, "2:8");
  cpus_on(two, FREE(8, 8, 8, 8), 4, (hc_slurm_ask){.slots = 20}, ALL, "0:4 2:8 3:8");
  cpus_on(far, FREE(16, 1), 2, (hc_slurm_ask){.slots = 4}, ALL, "0:3 1:1");
  cpus_on(far, FREE(16, 1), 2, (hc_slurm_ask){.slots = 4, .most = 1}, ALL, "0:4");
  cpus_on(mixed, FREE(4, 8, 4, 4), 4, (hc_slurm_ask){.slots = 12}, ALL, "0:4 2:4 3:4");
}

/* 8 of a job of 9 on three nodes would leave 1 for two nodes: the first gives 7. A job of 6 on two: 4, and
 * the other 2 of the next in the run, though a node with just 2 stands behind it. */
static void test_one_is_kept_for_each_node(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 9, .least = 3), "0:7 1:1 2:1", 8, 8, 8);
  CPUS(ASK(.slots = 3, .least = 3), "0:1 1:1 2:1", 8, 8, 8);
  CPUS(ASK(.slots = 6, .least = 2), "0:4 1:2", 4, 8, 2);
  CPUS(ASK(.slots = 2, .least = 3), NULL, 8, 8, 8); /* fewer processors than nodes */
}

/* What is left once a run is used up goes on one node of the next, the tightest node of the tightest run: of
 * 12 and 13 the run 0-1 gives 10, and 3-4 is tighter than 6 and then is not. */
static void test_one_node_for_the_rest(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 12), "0:5 1:5 4:2", 5, 5, 0, 4, 2, 0, 7);
  CPUS(ASK(.slots = 13), "0:5 1:5 6:3", 5, 5, 0, 4, 1, 0, 3);
}

/* From the left two nodes are used up with 5 of 8; without nodes of one free processor 4 and 4 are enough.
 * A job that three such tries do not help does not fit. */
static void test_small_nodes_are_left_out(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 8, .most = 2), "1:4 2:4", 1, 4, 4);
  CPUS(ASK(.slots = 8, .most = 2), "2:4 4:4", 1, 2, 4, 3, 4);
  CPUS(ASK(.slots = 9, .most = 2), NULL, 1, 4, 4);
  CPUS(ASK(.slots = 9, .most = 3), "0:1 1:4 2:4", 1, 4, 4);
}

/* A job of one node alone looks at nodes only that have room for all of it, so that others make no run. */
static void test_one_node_alone(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 6, .least = 1, .most = 1), "2:6", 4, 8, 6);
  CPUS(ASK(.slots = 8, .least = 1, .most = 1), "1:8", 4, 8, 6);
  CPUS(ASK(.slots = 9, .least = 1, .most = 1), NULL, 4, 8, 6);
}

/* Of the last node that it may have it needs all that is left: those that have less are passed over, and one
 * behind them is taken. The second is JobId 121 of the recorded run r7, which slurmctld planned on n02 and
 * n05 of these. */
static void test_last_node_is_enough(void **state)
{
  (void)state;
  CPUS(ASK(.slots = 5, .most = 2), "0:2 3:3", 2, 2, 2, 3);
  CPUS(ASK(.slots = 16, .least = 2, .most = 2), "1:8 4:8", 1, 8, 5, 5, 8, 8, 8, 8, 7, 4, 7, 6);
  CPUS(ASK(.slots = 5, .most = 2), NULL, 2, 2, 2, 2);
  CPUS(ASK(.slots = 5, .most = 3), "0:2 1:2 2:1", 2, 2, 2, 3);
}

/* Nodes outside of the mask are as if they were not there: node 3 is a run, and the tightest. */
static void test_mask(void **state)
{
  static const int64_t weights[4] = {1, 1, 1, 1};
  (void)state;
  cpus_on(weights, FREE(4, 4, 4, 4), 4, (hc_slurm_ask){.slots = 4}, 0xb, "3:4");
  cpus_on(weights, FREE(4, 4, 4, 4), 4, (hc_slurm_ask){.slots = 12}, 0xb, "0:4 1:4 3:4");
  cpus_on(weights, FREE(4, 4, 4, 4), 4, (hc_slurm_ask){.slots = 13}, 0xb, NULL);
}

/* Whole nodes are those that nothing is on, whatever is free on others: 0 and 2-3 here. */
static void test_whole_nodes(void **state)
{
  static const int64_t weights[4] = {1, 1, 1, 1}, free[4] = {8, 7, 8, 8};
  const hc_slurm_nodes n = {4, 1, weights, of_nodes, unlike, NULL, NULL};
  (void)state;
  chooses(&n, &(hc_slurm_ask){.need = one_cpu, .slots = 1, .is_whole = true}, free, 0xd, ALL, "0:1");
  chooses(&n, &(hc_slurm_ask){.need = one_cpu, .slots = 2, .is_whole = true}, free, 0xd, ALL, "2:1 3:1");
  chooses(&n, &(hc_slurm_ask){.need = one_cpu, .slots = 3, .is_whole = true}, free, 0xd, ALL, "0:1 2:1 3:1");
  chooses(&n, &(hc_slurm_ask){.need = one_cpu, .slots = 4, .is_whole = true}, free, 0xd, ALL, NULL);
}

/* Each slot on another node: a node counts once, however much is free there. */
static void test_spread(void **state)
{
  static const int64_t weights[4] = {1, 1, 1, 1}, need[] = {4};
  const hc_slurm_nodes n = {4, 1, weights, of_nodes, unlike, NULL, NULL};
  (void)state;
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 1, .is_spread = true}, FREE(9, 4, 3, 8), 0, ALL, "3:1");
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 2, .is_spread = true}, FREE(9, 4, 3, 8), 0, ALL,
          "0:1 1:1");
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 3, .is_spread = true}, FREE(9, 4, 3, 8), 0, ALL,
          "0:1 1:1 3:1");
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 4, .is_spread = true}, FREE(9, 4, 3, 8), 0, ALL, NULL);
}

/* Slots of a processor and 2 of memory: 8 and 6 are three, 4 and 16 are four. Licences are no node's: what is
 * asked of them does not make room smaller. */
static void test_slots_of_several_amounts(void **state)
{
  static const int64_t weights[2] = {1, 1}, need[] = {1, 2, 5};
  static const bool shared[HC_DIMENSIONS] = {false, false, true};
  const hc_slurm_nodes n = {2, 3, weights, shared, unlike, NULL, NULL};
  (void)state;
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 3}, FREE(8, 6, 0, 4, 16, 0), 0, ALL, "0:3");
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 4}, FREE(8, 6, 0, 4, 16, 0), 0, ALL, "1:4");
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 7}, FREE(8, 6, 0, 4, 16, 0), 0, ALL, "0:3 1:4");
  chooses(&n, &(hc_slurm_ask){.need = need, .slots = 8}, FREE(8, 6, 0, 4, 16, 0), 0, ALL, NULL);
}

/* ---- topology/tree ---- */

/* Ten nodes on the leaves 0-1, 2-5 and 6-9, of which the first two have a switch of their own above them
 * where there is one, and all a top where there is one. */
typedef enum shape { APART, ONE_TOP, TWO_TIERS } shape;

static void tree_of(shape tops, const int64_t *weights, const int64_t *free, hc_slurm_ask ask,
                    const char *answer)
{
  static const char *const names[] = {"a", "b", "c"};
  static const uint32_t leaf[] = {0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, mid[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
                        top[10];
  const hc_zone_level levels[] = {
      {"switch", leaf, names, 3},
      {"switch2", tops == TWO_TIERS ? mid : top, names, tops == TWO_TIERS ? 2 : 1},
      {"switch3", top, names, 1}};
  const hc_cell_spec cell = {.units = 10, .levels = levels, .level_count = 1 + (uint32_t)tops};
  hc_slurm_tree *t;
  assert_int_equal(hc_slurm_tree_new(&cell, hc_default_allocator(), &t), 1);
  const hc_slurm_nodes n = {10, 1, weights, of_nodes, unlike, t, NULL};
  ask.need = one_cpu;
  chooses(&n, &ask, free, 0, ALL, answer);
  hc_slurm_tree_free(t);
}
#define EQUAL ((const int64_t[16]){0})

/* All nodes have 4 processors. One node: the leaf with the fewest, and of these nodes the first, not that
 * which is fullest. 12 processors fit on one leaf; the first of two alike. 20 fit on none: the largest, and
 * then what is left over on the smallest that has room for it. With one more switch above the first two
 * leaves the rest of a job that has begun on 2-5 stays below that, though node 6, alone on its leaf, would be
 * the closer fit. */
static void test_few_leaves(void **state)
{
  const int64_t *four = FREE(4, 4, 4, 4, 4, 4, 4, 4, 4, 4);
  (void)state;
  tree_of(ONE_TOP, EQUAL, four, (hc_slurm_ask){.slots = 3}, "0:3");
  tree_of(ONE_TOP, EQUAL, FREE(4, 3, 4, 4, 4, 4, 4, 4, 4, 4), (hc_slurm_ask){.slots = 3}, "0:3");
  tree_of(ONE_TOP, EQUAL, four, (hc_slurm_ask){.slots = 12}, "2:4 3:4 4:4");
  tree_of(ONE_TOP, EQUAL, four, (hc_slurm_ask){.slots = 20}, "0:4 2:4 3:4 4:4 5:4");
  tree_of(ONE_TOP, EQUAL, four, (hc_slurm_ask){.slots = 9, .least = 4}, "2:4 3:3 4:1 5:1");
  tree_of(TWO_TIERS, EQUAL, FREE(4, 4, 4, 4, 4, 4, 4, 0, 0, 0), (hc_slurm_ask){.slots = 20},
          "0:4 2:4 3:4 4:4 5:4");
}

/* Heavier nodes are looked at only if lighter ones do not suffice, be it on another leaf. Leaves that nothing
 * joins are not used together. */
static void test_weights_and_gaps_of_a_tree(void **state)
{
  const int64_t *four = FREE(4, 4, 4, 4, 4, 4, 4, 4, 4, 4);
  const int64_t weights[] = {9, 9, 9, 9, 9, 9, 1, 1, 1, 9};
  (void)state;
  tree_of(ONE_TOP, weights, four, (hc_slurm_ask){.slots = 3}, "6:3");
  tree_of(ONE_TOP, weights, four, (hc_slurm_ask){.slots = 12}, "6:4 7:4 8:4");
  tree_of(ONE_TOP, weights, four, (hc_slurm_ask){.slots = 16}, "2:4 3:4 4:4 5:4");
  tree_of(APART, EQUAL, four, (hc_slurm_ask){.slots = 16}, "2:4 3:4 4:4 5:4");
  tree_of(APART, EQUAL, four, (hc_slurm_ask){.slots = 17}, NULL);
}

/* Of 150 nodes in three words, with room for 0 to 16 slots each as planes: the nodes are those dealt.
 * Three quarters of them may be used, so that there are many runs; some pass from one word into the next. */
static void test_nodes_alone_are_the_same(void **state)
{
  enum { NODES_OF = 150, WORDS = 3, DIGITS = 5 };
  static const int64_t weights[NODES_OF];
  static const bool alike[WORDS] = {true, true, true};
  const hc_allocator *a = hc_default_allocator();
  const hc_slurm_nodes n = {NODES_OF, 1, weights, of_nodes, alike, NULL, NULL};
  hc_slurm_choice c;
  uint64_t seed = 1, fitting = 0;
  (void)state;
  assert_int_equal(hc_slurm_choice_init(&c, a, NODES_OF), 0);
  for (int round = 0; round < 2000; round++) {
    uint64_t planes[WORDS * DIGITS] = {0}, mask[WORDS] = {0}, dealt[WORDS], nodes[WORDS];
    uint32_t on[NODES_OF] = {0};
    for (uint32_t h = 0; h < NODES_OF; h++) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      const uint32_t x = (uint32_t)(seed >> 33);
      on[h] = x >> 8 & 1 ? 16 : x % 17;
      if (x >> 12 & 1 || x >> 13 & 1) mask[h / 64] |= UINT64_C(1) << h % 64;
      for (uint32_t i = 0; i < DIGITS; i++)
        planes[h / 64 * DIGITS + i] |= (uint64_t)(on[h] >> i & 1) << h % 64;
    }
    const hc_slurm_room room = {.sum = INT64_MAX, .planes = planes, .digits = DIGITS};
    const hc_slurm_ask ask = {.need = one_cpu,
                              .slots = 1 + (uint32_t)(seed >> 40) % 1500,
                              .least = round % 3 == 0 ? 2 : 0,
                              .most = round % 5 == 0 ? 9 : 0};
    const bool fits = hc_slurm_choose(&n, &ask, &room, mask, &c);
    uint64_t sum = 0;
    if (fits) hc_slurm_chosen(&c, dealt, WORDS);
    for (size_t i = 0; fits && i < c.dealt_count; i++) {
      assert_in_range(c.dealt[i].slots, 1, on[c.dealt[i].host]);
      sum += c.dealt[i].slots;
    }
    assert_int_equal(hc_slurm_choose_nodes(&n, &ask, &room, mask, &c, nodes), fits);
    if (!fits) continue;
    assert_int_equal(sum, ask.slots);
    assert_memory_equal(nodes, dealt, sizeof nodes);
    fitting++;
  }
  assert_in_range(fitting, 400, 1800); /* both were tried */
  hc_slurm_choice_fini(&c, a, NODES_OF);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_node_is_best_fit),
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_ties),
      cmocka_unit_test(test_run_must_have_the_nodes),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_one_is_kept_for_each_node),
      cmocka_unit_test(test_one_node_for_the_rest),
      cmocka_unit_test(test_small_nodes_are_left_out),
      cmocka_unit_test(test_one_node_alone),
      cmocka_unit_test(test_last_node_is_enough),
      cmocka_unit_test(test_mask),
      cmocka_unit_test(test_whole_nodes),
      cmocka_unit_test(test_spread),
      cmocka_unit_test(test_slots_of_several_amounts),
      cmocka_unit_test(test_few_leaves),
      cmocka_unit_test(test_weights_and_gaps_of_a_tree),
      cmocka_unit_test(test_nodes_alone_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
