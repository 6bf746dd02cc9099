/* test_timeline.c -- the timeline against a sorted array that is scanned, on random changes and questions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "reserve/timeline.h"

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static int64_t below(uint64_t *s, uint64_t n)
{
  return (int64_t)(draw(s) >> 11) % (int64_t)n;
}

/* ---- the model: a sorted array of breakpoints ---- */

typedef struct model {
  int64_t base;
  size_t count;
  hc_time at[20000];
  int64_t change[20000];
} model;

static void model_add(model *m, hc_time at, int64_t change)
{
  size_t i = 0;
  if (at == HC_NEVER || change == 0) return;
  while (i < m->count && m->at[i] < at) i++;
  if (i == m->count || m->at[i] != at) {
    memmove(&m->at[i + 1], &m->at[i], (m->count - i) * sizeof m->at[0]);
    memmove(&m->change[i + 1], &m->change[i], (m->count - i) * sizeof m->change[0]);
    m->at[i] = at;
    m->change[i] = 0;
    m->count++;
  }
  m->change[i] += change;
  if (m->change[i] == 0) {
    m->count--;
    memmove(&m->at[i], &m->at[i + 1], (m->count - i) * sizeof m->at[0]);
    memmove(&m->change[i], &m->change[i + 1], (m->count - i) * sizeof m->change[0]);
  }
}

static int64_t model_level(const model *m, hc_time at)
{
  int64_t level = m->base;
  for (size_t i = 0; i < m->count && m->at[i] <= at; i++) level += m->change[i];
  return level;
}

static int64_t model_least(const model *m, hc_time from, hc_time to)
{
  int64_t level = m->base, least = model_level(m, from);
  for (size_t i = 0; i < m->count && m->at[i] < to; i++) {
    level += m->change[i];
    if (m->at[i] > from && level < least) least = level;
  }
  return least;
}

static hc_time model_earliest(const model *m, hc_time from, hc_time duration, int64_t want)
{
  int64_t level = m->base;
  hc_time start = HC_NEVER; /* since when it is high enough */
  size_t i = 0;
  for (; i < m->count && m->at[i] <= from; i++) level += m->change[i];
  if (level >= want) start = from;
  for (; i < m->count; i++) {
    if (start != HC_NEVER && duration != HC_NEVER && m->at[i] >= start + duration) return start;
    level += m->change[i];
    if (level < want) start = HC_NEVER;
    else if (start == HC_NEVER) start = m->at[i];
  }
  return start;
}

/* ---- comparison ---- */

static void hash_of(hc_timeline *t, uint64_t out[2])
{
  hc_hash hash;
  hc_visitor v = {.mode = HC_VISIT_HASH, .allocator = hc_default_allocator(), .hash = &hash};
  hc_hash_init(&hash);
  assert_int_equal(hc_timeline_visit(t, &v), 0);
  hc_hash_end(&hash, out);
}

static void ask(const hc_timeline *t, const model *m, uint64_t *s, int64_t span)
{
  hc_time from = below(s, (uint64_t)span + 10) - 5,
          length = below(s, 4) ? below(s, 60) : below(s, (uint64_t)span);
  hc_time to = below(s, 10) ? from + length : HC_NEVER, at = 0, duration = below(s, 10) ? length : HC_NEVER;
  int64_t want = model_level(m, from) + below(s, 20) - 8, change = 0;
  size_t i = 0;
  assert_int_equal(hc_timeline_level(t, from), model_level(m, from));
  assert_int_equal(hc_timeline_level(t, HC_NEVER), model_level(m, HC_NEVER));
  assert_int_equal(hc_timeline_least(t, from, to), model_least(m, from, to));
  assert_int_equal(hc_timeline_earliest(t, from, duration, want), model_earliest(m, from, duration, want));
  while (i < m->count && m->at[i] < from) i++;
  assert_int_equal(hc_timeline_first(t, from, &at, &change), i < m->count);
  if (i < m->count) {
    assert_int_equal(at, m->at[i]);
    assert_int_equal(change, m->change[i]);
  }
  assert_int_equal(hc_timeline_count(t), m->count);
}

/* A copy through a snapshot hashes like the original, though its tree was built in another order. */
static void copy_agrees(hc_timeline *t, const model *m, uint64_t *s, int64_t span)
{
  hc_buffer out;
  hc_timeline *copy;
  uint64_t a[2], b[2];
  hc_visitor save = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &out};
  hc_buffer_init(&out, hc_default_allocator());
  assert_int_equal(hc_timeline_visit(t, &save), 0);
  hc_visitor load = {.mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (uint8_t *)out.data,
                     .left = out.size};
  hc_visitor cut = load;
  assert_int_equal(hc_timeline_new(hc_default_allocator(), 7, &copy), 0);
  assert_int_equal(hc_timeline_add(copy, 3, 1), 0); /* what was there before must not stay */
  cut.left--;
  assert_int_equal(hc_timeline_visit(copy, &cut), HC_EINPUT);
  assert_int_equal(hc_timeline_visit(copy, &load), 0);
  assert_int_equal(load.left, 0);
  hash_of(t, a);
  hash_of(copy, b);
  assert_memory_equal(a, b, sizeof a);
  for (int i = 0; i < 20; i++) ask(copy, m, s, span);
  assert_int_equal(hc_timeline_add(copy, span / 2, 1), 0);
  hash_of(copy, b);
  assert_memory_not_equal(a, b, sizeof a);
  hc_timeline_free(copy);
  hc_buffer_fini(&out);
}

static void follow(uint64_t seed, int64_t span, int steps, bool negative_too)
{
  uint64_t s = seed;
  model *m = calloc(1, sizeof *m);
  hc_timeline *t;
  print_message("seed %llu, span %lld\n", (unsigned long long)seed, (long long)span);
  assert_non_null(m);
  m->base = 20;
  assert_int_equal(hc_timeline_new(hc_default_allocator(), 20, &t), 0);
  for (int i = 0; i < steps; i++) {
    /* Grow for a third, stay for a third, shrink for a third: splitting, reuse and merging. */
    bool remove = m->count > 0 && below(&s, 100) < (i < steps / 3 ? 20 : i < 2 * steps / 3 ? 50 : 85);
    hc_time at;
    int64_t change;
    if (remove) {
      size_t k = (size_t)below(&s, m->count);
      if (below(&s, 4) == 0) k = 0;
      at = m->at[k];
      change = -m->change[k];
    } else {
      at = below(&s, (uint64_t)span);
      change = below(&s, 12) - (negative_too ? 6 : 1);
    }
    assert_int_equal(hc_timeline_add(t, at, change), 0);
    model_add(m, at, change);
    if (i % 50 == 0) {
      hc_timeline_base_add(t, 1);
      m->base++;
      assert_int_equal(hc_timeline_base(t), m->base);
    }
    if (i % 7 == 0 || steps < 5000) ask(t, m, &s, span);
    if (i % (steps / 5) == 0) copy_agrees(t, m, &s, span);
  }
  while (m->count > 0) {
    size_t k = (size_t)below(&s, m->count);
    assert_int_equal(hc_timeline_add(t, m->at[k], -m->change[k]), 0);
    model_add(m, m->at[k], -m->change[k]);
    if (m->count % 16 == 0) ask(t, m, &s, span);
  }
  assert_int_equal(hc_timeline_count(t), 0);
  hc_timeline_free(t);
  free(m);
}

static void agrees_when_small(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) follow(seed * 7919, 40 + (int64_t)seed * 5, 400, true);
}

static void agrees_when_large(void **state)
{
  (void)state;
  follow(12345, 4000, 12000, true);
  follow(54321, 1000000, 30000, true);
  follow(777, 1000000, 12000, false);
}

/* Ends are appended, the first is folded away: what a run does. Ten thousand times over, and then it is
 * empty. */
static void moves_along(void **state)
{
  (void)state;
  hc_timeline *t;
  hc_time at = 0;
  int64_t change = 0;
  assert_int_equal(hc_timeline_new(hc_default_allocator(), 0, &t), 0);
  for (int64_t i = 0; i < 10000; i++) {
    assert_int_equal(hc_timeline_add(t, i, 1), 0);
    if (i < 3000) continue;
    assert_true(hc_timeline_first(t, 0, &at, &change));
    assert_int_equal(at, i - 3000);
    assert_int_equal(change, 1);
    assert_int_equal(hc_timeline_add(t, at, -1), 0);
    hc_timeline_base_add(t, 1);
    assert_int_equal(hc_timeline_level(t, i), i + 1); /* all that came so far, folded or not */
  }
  while (hc_timeline_first(t, INT64_MIN, &at, &change)) assert_int_equal(hc_timeline_add(t, at, -change), 0);
  assert_int_equal(hc_timeline_count(t), 0);
  hc_timeline_free(t);
}

static void edges_hold(void **state)
{
  (void)state;
  hc_timeline *t;
  assert_int_equal(hc_timeline_new(hc_default_allocator(), 4, &t), 0);
  assert_int_equal(hc_timeline_add(t, HC_NEVER, 5), 0);
  assert_int_equal(hc_timeline_add(t, 9, 0), 0);
  assert_int_equal(hc_timeline_count(t), 0);                    /* neither is a breakpoint */
  assert_int_equal(hc_timeline_earliest(t, 3, HC_NEVER, 4), 3); /* a flat level lasts for ever */
  assert_true(hc_timeline_earliest(t, 3, 1, 5) == HC_NEVER);    /* and never rises */
  assert_int_equal(hc_timeline_add(t, 10, -1), 0);
  assert_int_equal(hc_timeline_add(t, 20, 1), 0);
  assert_int_equal(hc_timeline_earliest(t, 3, 7, 4), 3); /* [3, 10) ends as the level falls */
  assert_int_equal(hc_timeline_earliest(t, 3, 8, 4), 20);
  assert_int_equal(hc_timeline_earliest(t, 3, HC_NEVER - 5, 4), 20); /* 3 + that saturates: for ever */
  assert_int_equal(hc_timeline_least(t, 3, 10), 4);
  assert_int_equal(hc_timeline_least(t, 3, 11), 3);
  assert_int_equal(hc_timeline_least(t, 12, 12), 3); /* empty: the level at 12 */
  assert_int_equal(hc_timeline_least(t, HC_NEVER, HC_NEVER), 4);
  hc_timeline_free(t);
}

/* ---- out of memory: refused, and nothing changed ---- */

typedef struct meter {
  int left;
} meter;

static void *metered(void *ctx, void *p, size_t old_size, size_t new_size)
{
  meter *m = ctx;
  if (new_size > old_size && m->left-- <= 0) return NULL;
  return hc_default_allocator()->resize(NULL, p, old_size, new_size);
}

static void survives_failure(void **state)
{
  (void)state;
  for (int allowed = 0; allowed < 10; allowed++) {
    meter m = {allowed};
    hc_allocator a = {&m, metered, NULL};
    hc_timeline *t;
    if (hc_timeline_new(&a, 0, &t) < 0) continue;
    for (int64_t i = 0; i < 5000; i++) {
      hc_rc rc = hc_timeline_add(t, i * 37 % 5000, 1);
      size_t n = hc_timeline_count(t);
      if (rc == 0) continue;
      assert_int_equal(rc, HC_ENOMEM);
      assert_int_equal(hc_timeline_level(t, HC_NEVER), (int64_t)n); /* each counts one */
      assert_int_equal(n, i);
      break;
    }
    hc_timeline_free(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_hold),  cmocka_unit_test(agrees_when_small), cmocka_unit_test(agrees_when_large),
      cmocka_unit_test(moves_along), cmocka_unit_test(survives_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
