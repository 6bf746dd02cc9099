/* test_set.c -- a set of keys against a plain list of them, and places that are given out and come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/set.h"
#include "base/slots.h"

static bool is_out; /* of memory */

static void *resize(void *ctx, void *p, size_t old, size_t size)
{
  (void)ctx;
  (void)old;
  if (size == 0) {
    free(p);
    return NULL;
  }
  return is_out ? NULL : realloc(p, size);
}

static const hc_allocator allocator = {.resize = resize};

static uint64_t state;

static uint32_t drawn(uint32_t below)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

/* ---- sets ---- */

enum { MOST = 600 };

typedef struct item {
  uint32_t before;
  int64_t job;
  uint32_t task; /* the key is these two: 12 bytes, not a whole number of words */
  uint32_t is_in;
} item;

static item items[MOST];

static hc_keys keys_of(void)
{
  return (hc_keys){&items[0].job, sizeof *items, sizeof items->job + sizeof items->task};
}

static uint32_t find_plainly(const item *key)
{
  for (uint32_t i = 0; i < MOST; i++)
    if (items[i].is_in && items[i].job == key->job && items[i].task == key->task) return i;
  return HC_MAP_NONE;
}

/* Keys of few different numbers, so that most calls meet one that is there; many are alike but for a byte. */
static void test_as_a_list(void **unused)
{
  size_t count = 0, met = 0;
  hc_set s;
  (void)unused;
  memset(items, 0, sizeof items);
  hc_set_init(&s, &allocator);
  state = 3;
  for (int i = 0; i < 60000; i++) {
    const item key = {.job = (int64_t)drawn(40) << 8 * drawn(3), .task = drawn(9)};
    const uint32_t at = find_plainly(&key), place = drawn(MOST);
    assert_int_equal(hc_set_find(&s, keys_of(), &key.job), at);
    met += at != HC_MAP_NONE;
    if (at != HC_MAP_NONE && drawn(2)) {
      hc_set_remove(&s, keys_of(), at);
      hc_set_remove(&s, keys_of(), at); /* it is not in any more: nothing happens */
      items[at].is_in = 0;
      count--;
    } else if (at == HC_MAP_NONE && !items[place].is_in) {
      items[place] = key;
      items[place].is_in = 1;
      assert_int_equal(hc_set_put(&s, keys_of(), place), 0);
      count++;
    }
    assert_int_equal(s.count, count);
  }
  assert_true(met > 20000 && count > 300);
  for (uint32_t i = 0; i < MOST; i++)
    assert_int_equal(hc_set_find(&s, keys_of(), &items[i].job), find_plainly(&items[i]));
  hc_set_fini(&s);
  assert_int_equal(hc_set_find(&s, keys_of(), &items[0].job), HC_MAP_NONE);
}

static void test_without_memory(void **unused)
{
  hc_set s;
  (void)unused;
  memset(items, 0, sizeof items);
  hc_set_init(&s, &allocator);
  for (uint32_t i = 0; i < 11; i++) { /* as many as sixteen places take */
    items[i] = (item){.job = i, .task = 7};
    assert_int_equal(hc_set_put(&s, keys_of(), i), 0);
  }
  is_out = true;
  items[11] = (item){.job = 11, .task = 7};
  assert_int_equal(hc_set_put(&s, keys_of(), 11), HC_ENOMEM);
  is_out = false;
  assert_int_equal(s.count, 11);
  for (uint32_t i = 0; i < 12; i++)
    assert_int_equal(hc_set_find(&s, keys_of(), &items[i].job), i < 11 ? i : HC_MAP_NONE);
  hc_set_fini(&s);
}

/* ---- places ---- */

typedef struct thing {
  int64_t worth;
  uint32_t padding, next;
} thing;

static void test_places(void **unused)
{
  thing *things = NULL;
  size_t count = 0, cap = 0;
  uint32_t vacant = HC_MAP_NONE, at;
  (void)unused;
  for (uint32_t i = 0; i < 5; i++) {
    assert_int_equal(HC_SLOT_TAKE(&allocator, thing, next, things, count, cap, vacant, &at), 0);
    assert_int_equal(at, i);
    things[at] = (thing){.worth = 10 + i};
  }
  HC_SLOT_GIVE(thing, next, things, vacant, 1);
  HC_SLOT_GIVE(thing, next, things, vacant, 3);
  assert_int_equal(things[3].worth, 13); /* only the link is written */
  assert_int_equal(vacant, 3);
  assert_int_equal(things[3].next, 1);
  assert_int_equal(things[1].next, HC_MAP_NONE);
  assert_true(HC_SLOTS_ARE_SOUND(thing, next, things, count, vacant));
  things[1].next = 3; /* a circle */
  assert_false(HC_SLOTS_ARE_SOUND(thing, next, things, count, vacant));
  things[1].next = 5; /* past the end */
  assert_false(HC_SLOTS_ARE_SOUND(thing, next, things, count, vacant));
  things[1].next = HC_MAP_NONE;
  for (uint32_t i = 0; i < 3; i++) { /* the latest first, then one behind the last */
    const uint32_t expected[] = {3, 1, 5};
    assert_int_equal(HC_SLOT_TAKE(&allocator, thing, next, things, count, cap, vacant, &at), 0);
    assert_int_equal(at, expected[i]);
  }
  is_out = true;
  count = cap;
  assert_int_equal(HC_SLOT_TAKE(&allocator, thing, next, things, count, cap, vacant, &at), HC_ENOMEM);
  assert_int_equal(count, cap);
  is_out = false;
  free(things);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_a_list), cmocka_unit_test(test_without_memory),
                                     cmocka_unit_test(test_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
