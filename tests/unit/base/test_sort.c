/* test_sort.c -- the sorts agree with insertion on every length and pattern, the stable one keeps equal items
 * in their order, quicksort that goes too deep ends as heapsort, and the heap gives its items in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sort.h"

enum { MOST = 700 };

typedef struct item {
  int32_t key, place;
} item;

HC_SORT(sort_total, item, a->key != b->key ? a->key < b->key : a->place < b->place)
HC_SORT_STABLE(sort_stable, item, a->key < b->key)
HC_SORT_OF(sort_by_worth, uint32_t, ((const item *)of)[*a].key > ((const item *)of)[*b].key)
HC_SORT_STABLE_OF(sort_stable_by_worth, uint32_t, ((const item *)of)[*a].key > ((const item *)of)[*b].key)
HC_HEAP(heap, item, a->key != b->key ? a->key < b->key : a->place < b->place)

static uint64_t state = 1;

static int32_t drawn(int32_t below)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int32_t)(state >> 33) % below;
}

enum { RANDOM, FEW_KEYS, ASCENDING, DESCENDING, ORGAN_PIPE, NEARLY, PATTERNS };

static void fill(item *x, int n, int pattern)
{
  for (int i = 0; i < n; i++) {
    const int32_t keys[PATTERNS] = {[RANDOM] = drawn(1000000),
                                    [FEW_KEYS] = drawn(4),
                                    [ASCENDING] = i / 3,
                                    [DESCENDING] = -i / 3,
                                    [ORGAN_PIPE] = i < n / 2 ? i : n - i,
                                    [NEARLY] = i + drawn(5)};
    x[i] = (item){keys[pattern], i};
  }
}

static void insert_each(item *x, int n)
{
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && x[k].key < x[k - 1].key; k--) {
      const item swap = x[k];
      x[k] = x[k - 1];
      x[k - 1] = swap;
    }
}

static void assert_same(const item *x, const item *y, int n)
{
  for (int i = 0; i < n; i++) {
    assert_int_equal(x[i].key, y[i].key);
    assert_int_equal(x[i].place, y[i].place);
  }
}

static int next_length(int n)
{
  return n < 40 ? n + 1 : n + 73;
}

static void sorts_agree_with_insertion(void **unused)
{
  item given[MOST], expected[MOST], x[MOST], room[MOST / 2];
  HC_UNUSED(unused);
  for (int pattern = 0; pattern < PATTERNS; pattern++)
    for (int n = 0; n <= MOST; n = next_length(n)) {
      fill(given, n, pattern);
      memcpy(expected, given, sizeof given);
      insert_each(expected, n);
      memcpy(x, given, sizeof given);
      sort_total(x, (size_t)n);
      assert_same(x, expected, n);
      memcpy(x, given, sizeof given);
      sort_stable(x, (size_t)n, room);
      assert_same(x, expected, n);
      memcpy(x, given, sizeof given);
      sort_total_by_heap_(x, (size_t)n, NULL);
      assert_same(x, expected, n);
    }
}

/* A depth of none: every part is left to heapsort at once. */
static void too_deep_is_heapsort(void **unused)
{
  item x[MOST], expected[MOST];
  HC_UNUSED(unused);
  for (unsigned depth = 0; depth < 5; depth++) {
    fill(x, MOST, FEW_KEYS);
    memcpy(expected, x, sizeof x);
    insert_each(expected, MOST);
    sort_total_part_(x, MOST, depth, NULL);
    assert_same(x, expected, MOST);
  }
}

static void orders_may_look_things_up(void **unused)
{
  item worth[MOST];
  uint32_t index[MOST], stable[MOST], room[MOST / 2];
  HC_UNUSED(unused);
  fill(worth, MOST, FEW_KEYS);
  for (uint32_t i = 0; i < MOST; i++) index[i] = stable[i] = i;
  sort_by_worth(index, MOST, worth);
  sort_stable_by_worth(stable, MOST, room, worth);
  for (int i = 1; i < MOST; i++) {
    assert_true(worth[index[i - 1]].key >= worth[index[i]].key);
    assert_true(worth[stable[i - 1]].key > worth[stable[i]].key ||
                (worth[stable[i - 1]].key == worth[stable[i]].key && stable[i - 1] < stable[i]));
  }
}

static void a_heap_gives_its_items_in_order(void **unused)
{
  item x[MOST], expected[MOST];
  size_t n = 0;
  HC_UNUSED(unused);
  fill(expected, MOST, NEARLY);
  for (int i = 0; i < MOST; i++) heap_rise(x, n++, expected[i]);
  insert_each(expected, MOST);
  for (int i = 0; i < MOST; i++) {
    const item first = heap_pop(x, &n);
    assert_same(&first, &expected[i], 1);
  }
  assert_int_equal(n, 0);
}

/* Items leave from the middle, and the first is changed where it lies. */
static void a_heap_is_settled_anywhere(void **unused)
{
  item x[MOST];
  size_t n = 0;
  HC_UNUSED(unused);
  for (int i = 0; i < MOST; i++) heap_rise(x, n++, (item){drawn(1000), i});
  for (int i = 0; i < MOST / 2; i++) {
    const size_t at = (size_t)drawn((int32_t)n);
    n--;
    if (at < n) heap_settle(x, n, at, x[n]);
  }
  for (int i = 0; i < 50; i++) heap_sink(x, n, 0, (item){x[0].key + drawn(400), x[0].place});
  for (item last = {INT32_MIN, 0}; n > 0;) {
    const item first = heap_pop(x, &n);
    assert_true(last.key < first.key || (last.key == first.key && last.place < first.place));
    last = first;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorts_agree_with_insertion), cmocka_unit_test(too_deep_is_heapsort),
      cmocka_unit_test(orders_may_look_things_up), cmocka_unit_test(a_heap_gives_its_items_in_order),
      cmocka_unit_test(a_heap_is_settled_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
