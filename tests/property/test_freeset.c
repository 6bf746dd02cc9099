/* test_freeset.c -- the set of free ids against one flag an id, on random ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/state.h"
#include "cluster/freeset.h"

enum { IDS = 300 };

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s >> 11;
}

static bool all_are(const bool *flags, hc_range r, bool value)
{
  for (uint32_t i = r.first; i < r.first + r.count; i++) {
    if (flags[i] != value) return false;
  }
  return true;
}

static void agrees(const hc_freeset *f, const bool *flags)
{
  int64_t n = 0;
  uint32_t run = 0, longest = 0;
  size_t ranges = 0;
  for (uint32_t i = 0; i < IDS; i++) {
    n += flags[i];
    run = flags[i] ? run + 1 : 0;
    if (run == 1) {
      assert_true(ranges < f->count);
      assert_int_equal(f->ranges[ranges].first, i);
      ranges++;
    }
    if (run > 0) assert_true(f->ranges[ranges - 1].count >= run);
    if (run > longest) longest = run;
  }
  assert_int_equal(f->count, ranges); /* each maximal run is one range: they never touch */
  assert_int_equal(f->free, n);
  assert_int_equal(hc_freeset_longest(f), longest);
}

static void copy_agrees(hc_freeset *f, const bool *flags)
{
  hc_buffer out;
  hc_freeset copy;
  hc_hash a, b;
  uint64_t x[2], y[2];
  hc_buffer_init(&out, hc_default_allocator());
  hc_freeset_init(&copy, hc_default_allocator());
  hc_visitor save = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &out};
  assert_int_equal(hc_freeset_visit(f, &save), 0);
  hc_visitor load = {.mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (uint8_t *)out.data,
                     .left = out.size};
  assert_int_equal(hc_freeset_visit(&copy, &load), 0);
  agrees(&copy, flags);
  hc_hash_init(&a);
  hc_hash_init(&b);
  hc_visitor va = {.mode = HC_VISIT_HASH, .hash = &a}, vb = {.mode = HC_VISIT_HASH, .hash = &b};
  assert_int_equal(hc_freeset_visit(f, &va), 0);
  assert_int_equal(hc_freeset_visit(&copy, &vb), 0);
  hc_hash_end(&a, x);
  hc_hash_end(&b, y);
  assert_memory_equal(x, y, sizeof x);
  hc_freeset_fini(&copy);
  hc_buffer_fini(&out);
}

static void follows_random_ranges(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t s = seed * 104729;
    bool flags[IDS] = {false};
    hc_freeset f;
    hc_freeset_init(&f, hc_default_allocator());
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 2000; i++) {
      uint32_t first = (uint32_t)(draw(&s) % IDS), most = IDS - first;
      hc_range r = {first, (uint32_t)(draw(&s) % (most < 12 ? most + 1 : 12))};
      bool add = draw(&s) % 2;
      bool possible = all_are(flags, r, !add);
      assert_int_equal(hc_freeset_holds(&f, r), all_are(flags, r, true));
      assert_int_equal(add ? hc_freeset_add(&f, r) : hc_freeset_remove(&f, r), possible ? 0 : HC_ECONFLICT);
      for (uint32_t k = 0; possible && k < r.count; k++) flags[r.first + k] = add;
      agrees(&f, flags);
      if (i % 200 == 0) copy_agrees(&f, flags);
    }
    hc_freeset_fini(&f);
  }
}

static void holds_the_last_id(void **state)
{
  (void)state;
  hc_freeset f;
  hc_freeset_init(&f, hc_default_allocator());
  assert_int_equal(hc_freeset_add(&f, (hc_range){UINT32_MAX - 3, 4}), 0); /* ends at 2^32 */
  assert_int_equal(hc_freeset_add(&f, (hc_range){UINT32_MAX, 2}), HC_ECONFLICT);
  assert_int_equal(hc_freeset_remove(&f, (hc_range){UINT32_MAX, 1}), 0);
  assert_int_equal(f.free, 3);
  assert_false(hc_freeset_holds(&f, (hc_range){UINT32_MAX, 1}));
  hc_freeset_fini(&f);
}

static void refuses_a_damaged_snapshot(void **state)
{
  (void)state;
  struct {
    uint64_t count;
    hc_range ranges[2];
  } touching = {2, {{0, 4}, {4, 2}}};
  hc_freeset f;
  hc_freeset_init(&f, hc_default_allocator());
  hc_visitor load = {.mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (uint8_t *)&touching,
                     .left = sizeof touching};
  assert_int_equal(hc_freeset_visit(&f, &load), HC_EINPUT); /* 4 follows 3: they should have been one */
  hc_freeset_fini(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follows_random_ranges),
      cmocka_unit_test(holds_the_last_id),
      cmocka_unit_test(refuses_a_damaged_snapshot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
