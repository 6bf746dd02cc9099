/* test_slurm_space.c -- the table of the backfill, stretches of time with the nodes that no plan has, and
 * what is kept of a cycle: by hand. A table is written "BEGIN-END:NODES", with the nodes as bits in
 * hexadecimal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "policy/slurm/past.h"
#include "policy/slurm/space.h"

static void is_table(const hc_slurm_space *s, const char *text)
{
  char got[512] = "";
  for (size_t i = 0, at = 0; i < s->count; i++)
    at += (size_t)snprintf(got + at, sizeof got - at, "%s%d-%d:%llx", i > 0 ? " " : "",
                           (int)s->stretches[i].begin, (int)s->stretches[i].end,
                           (unsigned long long)s->stretches[i].nodes[0]);
  assert_string_equal(got, text);
}

/* A table of four nodes, of ten minutes. */
static void open_table(hc_slurm_space *s)
{
  hc_slurm_space_init(s, hc_default_allocator(), 1);
  assert_int_equal(hc_slurm_space_clear(s, 0, 600, &(uint64_t){0xf}), 0);
}

static void take(hc_slurm_space *s, int64_t from, int64_t to, uint64_t nodes)
{
  assert_int_equal(hc_slurm_space_take(s, from, to, &nodes), 0);
}

static void test_cut(void **state)
{
  hc_slurm_space s;
  (void)state;
  open_table(&s);
  is_table(&s, "0-600:f");
  take(&s, 120, 240, 0x2); /* in the middle: three stretches */
  is_table(&s, "0-120:f 120-240:d 240-600:f");
  take(&s, 180, 300, 0x4); /* over an edge */
  is_table(&s, "0-120:f 120-180:d 180-240:9 240-300:b 300-600:f");
  take(&s, 0, 120, 0x1); /* a stretch as it is */
  is_table(&s, "0-120:e 120-180:d 180-240:9 240-300:b 300-600:f");
  hc_slurm_space_fini(&s);
}

/* Stretches that offer the same become one, also two at once, and all of them. */
static void test_join(void **state)
{
  hc_slurm_space s;
  (void)state;
  open_table(&s);
  take(&s, 120, 240, 0x2);
  take(&s, 240, 300, 0x2);
  is_table(&s, "0-120:f 120-300:d 300-600:f");
  take(&s, 420, 480, 0x2);
  is_table(&s, "0-120:f 120-300:d 300-420:f 420-480:d 480-600:f");
  take(&s, 300, 420, 0x2);
  is_table(&s, "0-120:f 120-480:d 480-600:f");
  take(&s, 60, 540, 0x2); /* nodes that are taken already change nothing there */
  is_table(&s, "0-60:f 60-540:d 540-600:f");
  take(&s, 0, 600, 0x2);
  is_table(&s, "0-600:d");
  take(&s, 0, 60, 0x1); /* room that was made for more stretches is used again */
  take(&s, 120, 180, 0x1);
  is_table(&s, "0-60:c 60-120:d 120-180:c 180-600:d");
  hc_slurm_space_fini(&s);
}

/* What lies before, behind or around the table is passed over. */
static void test_outside(void **state)
{
  hc_slurm_space s;
  (void)state;
  open_table(&s);
  take(&s, 540, 900, 0x1);
  is_table(&s, "0-540:f 540-600:e");
  take(&s, -60, 60, 0x8);
  is_table(&s, "0-60:7 60-540:f 540-600:e");
  take(&s, 600, 660, 0xf);
  take(&s, -60, 0, 0xf);
  is_table(&s, "0-60:7 60-540:f 540-600:e");
  take(&s, -60, 900, 0x4);
  is_table(&s, "0-60:3 60-540:b 540-600:a");
  hc_slurm_space_fini(&s);
}

static void masks(const hc_slurm_space *s, int64_t from, int64_t to, uint64_t nodes, int64_t again)
{
  uint64_t mask = 0xf;
  assert_int_equal(hc_slurm_space_mask(s, from, to, &mask), again);
  assert_int_equal(mask, nodes);
}

/* Both ends count, as in Slurm: a job that ends when a plan begins does not get the nodes of the plan.
 * Asked again is at the end of a stretch whose successor offers a node more, be others less. */
static void test_mask(void **state)
{
  hc_slurm_space s;
  (void)state;
  open_table(&s);
  masks(&s, 0, 600, 0xf, 0); /* there is nothing more to hope for */
  take(&s, 120, 240, 0x2);
  masks(&s, 0, 119, 0xf, 240);
  masks(&s, 0, 120, 0xd, 240);
  masks(&s, 130, 200, 0xd, 240);
  masks(&s, 240, 300, 0xf, 0); /* a stretch that ends at `from` is over */
  masks(&s, 239, 300, 0xd, 240);
  take(&s, 240, 360, 0x5); /* f d a f: at 240 node 1 comes and two go */
  masks(&s, 0, 300, 0x8, 240);
  masks(&s, 240, 300, 0xa, 360);
  masks(&s, 360, 900, 0xf, 0);
  hc_slurm_space_fini(&s);
}

/* Nodes that were left out before stay so. */
static void test_mask_only_takes_away(void **state)
{
  hc_slurm_space s;
  uint64_t mask = 0x6;
  (void)state;
  open_table(&s);
  take(&s, 120, 240, 0x2);
  assert_int_equal(hc_slurm_space_mask(&s, 0, 300, &mask), 240);
  assert_int_equal(mask, 0x4);
  hc_slurm_space_fini(&s);
}

/* Here the end does not count: plans that touch do not overlap. */
static void test_has(void **state)
{
  hc_slurm_space s;
  const uint64_t one = 0x2, other = 0x8, both = 0xa;
  (void)state;
  open_table(&s);
  take(&s, 120, 240, one);
  assert_true(hc_slurm_space_has(&s, 0, 120, &one));
  assert_false(hc_slurm_space_has(&s, 0, 121, &one));
  assert_false(hc_slurm_space_has(&s, 239, 240, &one));
  assert_true(hc_slurm_space_has(&s, 240, 900, &one));
  assert_true(hc_slurm_space_has(&s, 0, 900, &other));
  assert_false(hc_slurm_space_has(&s, 0, 900, &both)); /* one of them is enough */
  hc_slurm_space_fini(&s);
}

/* A search for at least so many nodes, asked step by step: what `hc_slurm_space_window` passes over would
 * have been too few at each step, and where it stops it says what the steps say. The same of
 * `hc_slurm_space_skip`, which asks on while what it is told lies before `reach`. Random plans on 70 nodes.
 * */
static void test_search(void **state)
{
  enum { NODES = 70, LAST = 4000 };
  const uint64_t all[2] = {UINT64_MAX, 0x3f};
  uint64_t seed = 1;
  int passed = 0;
  (void)state;
  for (int round = 0; round < 200; round++) {
    hc_slurm_space s;
    hc_slurm_space_init(&s, hc_default_allocator(), 2);
    assert_int_equal(hc_slurm_space_clear(&s, 0, LAST, all), 0);
    for (int i = 0; i < 1 + round % 40; i++) {
      uint64_t nodes[2] = {0, 0};
      int64_t at[4];
      for (int k = 0; k < 4; k++) at[k] = (int64_t)((seed = seed * 16807 % 2147483647) % LAST);
      for (int64_t h = at[0] % NODES, n = 1 + at[1] % 30; n > 0 && h < NODES; h++, n--)
        nodes[h / 64] |= UINT64_C(1) << h % 64;
      assert_int_equal(
          hc_slurm_space_take(&s, at[2] / 50 * 50, at[2] / 50 * 50 + 50 + at[3] / 100 * 50, nodes), 0);
    }
    const int64_t length = (int64_t)(seed % 900);
    const uint32_t least = 1 + (uint32_t)(seed % 69);
    int64_t from = 0, step = 0, again, next;
    uint64_t mask[2], window[2];
    for (bool is_found = false; !is_found;) {
      is_found = hc_slurm_space_window(&s, from, from + length, all, least, window, &again);
      for (;;) {
        memcpy(mask, all, sizeof mask);
        next = hc_slurm_space_mask(&s, step, step + length, mask);
        const int count = __builtin_popcountll(mask[0]) + __builtin_popcountll(mask[1]);
        if (step == from && is_found) assert_memory_equal(mask, window, sizeof mask);
        assert_int_equal(step == from && is_found, count >= (int)least);
        if (is_found || next == again) break;
        step = next;
        passed++;
      }
      assert_int_equal(next, again);
      if (again == 0) break;
      from = step = again;
    }
    const int64_t reach = 1000 + (int64_t)(seed % 3000), until = (int64_t)(seed % 2500);
    from = hc_slurm_space_skip(&s, 0, length, until, reach, &again);
    for (step = 0;; step = next) {
      memcpy(mask, all, sizeof mask);
      next = hc_slurm_space_mask(&s, step, step + length, mask);
      if (next == 0 || next >= reach || step >= until) break;
    }
    assert_int_equal(from, step);
    assert_int_equal(again, next);
    hc_slurm_space_fini(&s);
  }
  assert_true(passed > 0);
}

/* Nodes beyond the 64th are in a word of their own, that counts as the first. */
static void test_many_nodes(void **state)
{
  hc_slurm_space s;
  const uint64_t all[2] = {UINT64_MAX, 0x3f}, last[2] = {0, 0x20};
  uint64_t mask[2] = {UINT64_MAX, UINT64_MAX};
  (void)state;
  hc_slurm_space_init(&s, hc_default_allocator(), 2);
  assert_int_equal(hc_slurm_space_clear(&s, 0, 600, all), 0);
  assert_int_equal(hc_slurm_space_take(&s, 60, 120, last), 0);
  assert_int_equal(s.count, 3);
  assert_false(hc_slurm_space_has(&s, 60, 61, last));
  assert_int_equal(hc_slurm_space_mask(&s, 0, 90, mask), 120);
  assert_true(mask[0] == UINT64_MAX && mask[1] == 0x1f);
  assert_int_equal(hc_slurm_space_clear(&s, 30, 630, all), 0); /* begun anew, nothing is planned */
  assert_true(s.count == 1 && hc_slurm_space_has(&s, 60, 120, last));
  hc_slurm_space_fini(&s);
}

/* A window holds until it begins behind its first stretch, or its end, which counts, comes to the next. */
static void test_holds(void **state)
{
  hc_slurm_space s;
  (void)state;
  open_table(&s);
  take(&s, 120, 240, 0x2);
  is_table(&s, "0-120:f 120-240:d 240-600:f");
  assert_int_equal(hc_slurm_space_holds(&s, 0, 60), 60);  /* from 60 on it ends at 120 */
  assert_int_equal(hc_slurm_space_holds(&s, 0, 150), 90); /* from 90 on it ends at 240 */
  assert_int_equal(hc_slurm_space_holds(&s, 0, 700), 120);
  assert_int_equal(hc_slurm_space_holds(&s, 130, 20), 220);
  assert_int_equal(hc_slurm_space_holds(&s, 600, 60), 600); /* behind the table nothing is known */
  hc_slurm_space_fini(&s);
}

static void keep(hc_slurm_past *p, uint64_t serial, int64_t until, int64_t start, const uint64_t *nodes)
{
  const hc_slurm_found x = {
      .serial = serial, .limit = 60, .until = until, .start = start, .is_taken = start != HC_NEVER};
  assert_int_equal(hc_slurm_past_keep(p, hc_default_allocator(), p->version, &x, nodes, 3), 0);
}

static const hc_slurm_found *next(const hc_slurm_past *p, uint64_t serial, int64_t now)
{
  return hc_slurm_past_next(p, p->version, &(hc_slurm_found){.serial = serial, .limit = 60}, now);
}

static void test_past(void **state)
{
  const uint64_t first[3] = {0, 5, 0}, second[3] = {0, 0, 9};
  uint64_t nodes[3];
  hc_slurm_past p = {0};
  (void)state;
  hc_slurm_past_begin(&p, 1);
  assert_null(next(&p, 1, 0));
  keep(&p, 1, 30, 100, first);
  keep(&p, 2, HC_NEVER, HC_NEVER, NULL);
  keep(&p, 3, 50, 200, second);

  hc_slurm_past_begin(&p, 1);
  assert_null(next(&p, 2, 0));  /* another job stands there */
  assert_null(next(&p, 1, 30)); /* its time has come */
  assert_null(hc_slurm_past_next(&p, 2, &(hc_slurm_found){.serial = 1, .limit = 60}, 0));
  hc_slurm_past_nodes(&p, next(&p, 1, 29), nodes, 3);
  assert_memory_equal(nodes, first, sizeof nodes);
  keep(&p, 1, 60, 100, first); /* found anew, and the same: what is behind it holds */
  assert_non_null(next(&p, 2, 1000));
  keep(&p, 2, HC_NEVER, HC_NEVER, NULL);
  hc_slurm_past_nodes(&p, next(&p, 3, 40), nodes, 3);
  assert_memory_equal(nodes, second, sizeof nodes);

  hc_slurm_past_begin(&p, 1);
  assert_int_equal(next(&p, 1, 40)->until, 60);
  keep(&p, 1, 60, 100, second); /* on other nodes: what is behind it is forgotten */
  assert_null(next(&p, 2, 40));
  hc_slurm_past_begin(&p, 2);
  assert_null(next(&p, 1, 40)); /* the books are others */
  hc_slurm_past_fini(&p, hc_default_allocator());
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut),
      cmocka_unit_test(test_join),
      cmocka_unit_test(test_outside),
      cmocka_unit_test(test_mask),
      cmocka_unit_test(test_mask_only_takes_away),
      cmocka_unit_test(test_has),
      cmocka_unit_test(test_search),
      cmocka_unit_test(test_many_nodes),
      cmocka_unit_test(test_holds),
      cmocka_unit_test(test_past),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
