/* test_ahead.c -- what a thread makes ahead comes out as it went in, whatever of it varies.
 *
 * A maker yields tasks of which any word may differ from one stretch to the next: none, one, some or all of
 * them; and it counts rounded rows, so that marks cut blocks: with each task the ledger must stand as it did
 * when that was made. The thread is stopped, what it had made is taken, and it begins again. Where tasks may
 * come several at a time, they are the next ones, and none of them had to be looked at; some are
 * given back, and come again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "workload/ahead.h"

enum { WORDS = sizeof(hc_arrival) / sizeof(uint64_t), MOST = 20000 };

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s >> 11;
}

/* Task number `i`: a pure function of it. In a stretch of tasks the same words vary. */
/* For two blocks, and then not for one: in order, admitted, a row each. */
static bool is_simple(uint64_t i)
{
  return i / 256 % 3 != 2;
}

static void make_task(uint64_t i, hc_arrival *out)
{
  uint64_t stretch = i / 333 * 7919 + 1, s = i * 2654435761 + 12345, words[WORDS];
  const uint64_t kind = draw(&stretch) % 4;
  (void)draw(&s);
  for (uint32_t w = 0; w < WORDS; w++) {
    const uint64_t base = draw(&stretch);
    const bool varies = kind == 3 || (kind == 2 && base % 3 == 0) || (kind == 1 && w == base % WORDS);
    words[w] = varies ? draw(&s) : base;
  }
  memcpy(out, words, sizeof *out);
  out->spec.id = (int64_t)i;
  out->unjudged = !is_simple(i) && i % 256 == 77;
  if (!is_simple(i)) return;
  out->spec.submit = (hc_time)i;
  out->spec.count = (uint32_t)(i / 1024 % 2);
}

typedef struct source {
  hc_source_context context;
  uint64_t made;
} source;

static bool is_rounded(uint64_t i)
{
  uint64_t s = i * 48271 + 11;
  return draw(&s) % 40 == 0;
}

static hc_rc next(void *ctx, hc_arrival *out, hc_error *e)
{
  source *x = ctx;
  (void)e;
  if (x->made == MOST) return 0;
  if (is_rounded(x->made)) x->context.ledger->rounded++;
  make_task(x->made++, out);
  return 1;
}

static void progress(void *ctx, uint64_t *done, uint64_t *total)
{
  *done = ((source *)ctx)->made;
  *total = MOST;
}

/* Take what may be taken without a look, and give some of it back. @return how many were taken */
static uint64_t take_stretch(hc_ahead *h, uint64_t at, uint64_t *draws)
{
  const hc_arrival *first;
  const uint32_t n = hc_ahead_stretch(h, &first);
  const uint32_t back = n > 0 ? (uint32_t)(draw(draws) % (n + 1)) : 0;
  for (uint64_t i = at; i < at + n; i++) {
    hc_arrival expected;
    make_task(i, &expected);
    assert_true(is_simple(i) && !is_rounded(i));
    assert_memory_equal(&first[i - at], &expected, sizeof expected);
  }
  hc_ahead_give_back(h, back);
  return n - back;
}

static void follow(uint64_t seed)
{
  hc_row_ledger ledger = {0}, seen = {0};
  const hc_source_context given = {.allocator = hc_default_allocator(), .ledger = &ledger};
  source x = {0};
  const hc_ahead_maker maker = {&x, next, progress};
  hc_ahead *h;
  hc_error e = {0};
  uint64_t rounded = 0, s = seed, done, total, at_once = 0;
  bool stopped = false;
  assert_int_equal(hc_ahead_new(&given, &maker, &h, &x.context), 0);
  for (uint64_t at = 0; at < MOST;) {
    const hc_arrival *a;
    hc_arrival expected;
    const hc_rc rc = stopped ? hc_ahead_left(h, &a, &seen, &e) : hc_ahead_next(h, &a, &seen, &e);
    if (stopped && rc == 0) {
      assert_int_equal(x.made, at); /* nothing was made that has not come out */
      stopped = false;
      continue;
    }
    assert_int_equal(rc, 1);
    make_task(at, &expected);
    assert_memory_equal(a, &expected, sizeof expected);
    rounded += is_rounded(at++);
    assert_int_equal(seen.rounded, rounded);
    if (!stopped && draw(&s) % 2 == 0) {
      const uint64_t n = take_stretch(h, at, &s);
      at += n;
      at_once += n;
    }
    if (draw(&s) % 300 == 0) hc_ahead_stop(h);
    if (draw(&s) % 300 == 0) {
      hc_ahead_stop(h);
      stopped = true;
    }
  }
  assert_true(at_once > 0); /* how many is the scheduler's business: when the thread is stopped decides */
  for (int i = 0; i < 2; i++) {
    const hc_arrival *a;
    assert_int_equal(hc_ahead_next(h, &a, &seen, &e), 0); /* the end stays the end */
  }
  hc_ahead_progress(h, &done, &total);
  assert_int_equal(done, MOST);
  assert_int_equal(total, MOST);
  hc_ahead_free(h);
}

static void comes_out_as_it_went_in(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) follow(seed * 7919);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(comes_out_as_it_went_in)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
