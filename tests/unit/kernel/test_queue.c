/* test_queue.c -- the event queue's contract, case by case, for all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/state.h"
#include "base/util.h"
#include "kernel/queue.h"

static const hc_queue_kind kinds[] = {HC_QUEUE_HEAP, HC_QUEUE_RADIX, HC_QUEUE_WHEEL};

static hc_event event(hc_time time, uint32_t phase, uint64_t key)
{
  return (hc_event){.time = time, .phase = phase, .key = key, .payload = (uint32_t)key + 100};
}

static hc_queue *new_queue(hc_queue_kind kind)
{
  hc_queue *q = NULL;
  assert_int_equal(hc_queue_new(hc_default_allocator(), kind, &q), 0);
  return q;
}

static hc_event_handle push(hc_queue *q, hc_time time, uint32_t phase, uint64_t key)
{
  const hc_event at = event(time, phase, key);
  hc_event_handle h = HC_NO_EVENT;
  assert_int_equal(hc_queue_push(q, &at, &h), 0);
  return h;
}

static void expect(hc_queue *q, hc_time time, uint32_t phase, uint64_t key)
{
  hc_event e, seen;
  assert_true(hc_queue_peek(q, &seen));
  assert_true(hc_queue_pop(q, &e));
  assert_memory_equal(&e, &seen, sizeof e); /* a peek shows what the next pop takes */
  assert_int_equal(e.time, time);
  assert_int_equal(e.phase, phase);
  assert_int_equal(e.key, key);
  assert_int_equal(e.payload, key + 100);
}

static void expect_empty(hc_queue *q)
{
  hc_event e;
  assert_int_equal(hc_queue_count(q), 0);
  assert_false(hc_queue_peek(q, &e));
  assert_false(hc_queue_pop(q, &e));
}

static void test_order_is_time_phase_key(void **state)
{
  HC_UNUSED(state);
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
    hc_queue *q = new_queue(kinds[k]);
    expect_empty(q);
    push(q, HC_NEVER, HC_PHASE_END, 1);
    push(q, 5, HC_PHASE_ARRIVAL, 1);
    push(q, 5, HC_PHASE_END, UINT64_MAX); /* the phase counts before the key, and keys are unsigned */
    push(q, 5, HC_PHASE_END, 7);
    push(q, 5, HC_PHASE_TIMER, 0);
    push(q, -3, HC_PHASE_TIMER, 9); /* before the origin is before everything else */
    assert_int_equal(hc_queue_count(q), 6);
    expect(q, -3, HC_PHASE_TIMER, 9);
    expect(q, 5, HC_PHASE_END, 7);
    hc_event e;
    assert_true(hc_queue_pop(q, &e));
    assert_true(e.key == UINT64_MAX);
    push(q, 5, HC_PHASE_END,
         3); /* a second round of the same instant: an earlier phase than the last popped */
    expect(q, 5, HC_PHASE_END, 3);
    expect(q, 5, HC_PHASE_ARRIVAL, 1);
    expect(q, 5, HC_PHASE_TIMER, 0);
    expect(q, HC_NEVER, HC_PHASE_END, 1);
    expect_empty(q);
    hc_queue_free(q);
  }
}

/* Looking ahead must not close the time before what was seen: the engine peeks, then an arrival comes
 * first. */
static void test_push_before_a_peeked_time(void **state)
{
  HC_UNUSED(state);
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
    hc_queue *q = new_queue(kinds[k]);
    hc_event e;
    push(q, 1000, HC_PHASE_END, 1);
    push(q, 4000, HC_PHASE_END, 2);
    assert_true(hc_queue_peek(q, &e));
    assert_int_equal(e.time, 1000);
    push(q, 10, HC_PHASE_END, 3);
    push(q, 2000, HC_PHASE_END, 4);
    expect(q, 10, HC_PHASE_END, 3);
    expect(q, 1000, HC_PHASE_END, 1);
    expect(q, 2000, HC_PHASE_END, 4);
    expect(q, 4000, HC_PHASE_END, 2);
    hc_queue_free(q);
  }
}

static void test_cancel_and_move(void **state)
{
  HC_UNUSED(state);
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
    hc_queue *q = new_queue(kinds[k]);
    hc_event_handle h[6];
    for (uint64_t i = 0; i < 6; i++) h[i] = push(q, (hc_time)(10 * i), HC_PHASE_END, i);
    hc_queue_cancel(q, h[2]);
    hc_queue_cancel(q, h[0]);
    assert_int_equal(hc_queue_move(q, h[5], 5), 0);  /* to the front: 50 -> 5 */
    assert_int_equal(hc_queue_move(q, h[1], 45), 0); /* to the back: 10 -> 45 */
    assert_int_equal(hc_queue_move(q, h[3], 40), 0); /* into a tie with event 4, which its key decides */
    assert_int_equal(hc_queue_move(q, h[3], 40), 0); /* to where it is */
    assert_int_equal(hc_queue_count(q), 4);
    expect(q, 5, HC_PHASE_END, 5);
    hc_queue_move(q, h[1], 7); /* a handle outlives moves and other events' pops */
    expect(q, 7, HC_PHASE_END, 1);
    expect(q, 40, HC_PHASE_END, 3);
    hc_queue_cancel(q, h[4]);
    expect_empty(q);
    hc_queue_free(q);
  }
}

static void test_all_kinds_give_the_same_handles(void **state)
{
  HC_UNUSED(state);
  hc_event_handle got[HC_ARRAY_LEN(kinds)][4];
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
    hc_queue *q = new_queue(kinds[k]);
    hc_event e;
    got[k][0] = push(q, 30, HC_PHASE_END, 0);
    got[k][1] = push(q, 20, HC_PHASE_END, 1);
    hc_queue_cancel(q, got[k][0]);
    assert_true(hc_queue_pop(q, &e));
    got[k][2] = push(q, 40, HC_PHASE_END, 2);
    got[k][3] = push(q, 50, HC_PHASE_END, 3);
    hc_queue_free(q);
  }
  for (size_t k = 1; k < HC_ARRAY_LEN(kinds); k++)
    assert_memory_equal(got[0], got[k], sizeof got[0]); /* so that state which holds handles is equal too */
}

/* ---- saving ---- */

static void save(hc_queue *q, hc_buffer *out)
{
  hc_visitor v = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = out};
  assert_int_equal(hc_queue_visit(q, &v), 0);
}

static hc_rc load(hc_queue *q, const void *data, size_t size)
{
  hc_visitor v = {.mode = HC_VISIT_LOAD, .allocator = hc_default_allocator(), .in = data, .left = size};
  return hc_queue_visit(q, &v);
}

static void digest(hc_queue *q, uint64_t out[2])
{
  hc_hash h;
  hc_hash_init(&h);
  hc_visitor v = {.mode = HC_VISIT_HASH, .hash = &h};
  assert_int_equal(hc_queue_visit(q, &v), 0);
  hc_hash_end(&h, out);
}

static void test_load_into_any_kind(void **state)
{
  HC_UNUSED(state);
  const size_t n = HC_ARRAY_LEN(kinds);
  for (size_t k = 0; k < n * n; k++) {
    hc_queue *from = new_queue(kinds[k / n]), *to = new_queue(kinds[k % n]);
    hc_event_handle h[5];
    hc_buffer b;
    uint64_t d[2], d2[2];
    hc_buffer_init(&b, hc_default_allocator());
    for (uint64_t i = 0; i < 5; i++) h[i] = push(from, (hc_time)(100 - 10 * i), HC_PHASE_END, i);
    hc_queue_cancel(from, h[1]);
    hc_queue_cancel(from, h[3]);
    push(to, 1, HC_PHASE_END, 77); /* what was there before a load is gone after it */
    save(from, &b);
    assert_int_equal(load(to, b.data, b.size), 0);
    digest(from, d);
    digest(to, d2);
    assert_memory_equal(d, d2, sizeof d);
    assert_int_equal(hc_queue_move(to, h[0], 5), 0); /* handles stay valid */
    /* The chain of free slots was saved: last freed, first used. */
    assert_int_equal(push(to, 200, HC_PHASE_END, 8), h[3]);
    assert_int_equal(push(to, 300, HC_PHASE_END, 9), h[1]);
    digest(to, d2);
    assert_memory_not_equal(d, d2, sizeof d);
    expect(to, 5, HC_PHASE_END, 0);
    expect(to, 60, HC_PHASE_END, 4);
    expect(to, 80, HC_PHASE_END, 2);
    expect(to, 200, HC_PHASE_END, 8);
    expect(to, 300, HC_PHASE_END, 9);
    hc_buffer_fini(&b);
    hc_queue_free(from);
    hc_queue_free(to);
  }
}

/* Take every free slot and one more, each once, and give them back: what a bad chain of them would not
 * survive. */
static void use_all_slots(hc_queue *q)
{
  hc_event_handle h[8];
  size_t n = 0, before = hc_queue_count(q);
  hc_event e;
  for (; before + n < 7; n++) {
    h[n] = push(q, 50, HC_PHASE_TIMER, 1000 + n);
    for (size_t i = 0; i < n; i++) assert_int_not_equal(h[i], h[n]);
  }
  while (n > 0) hc_queue_cancel(q, h[--n]);
  while (hc_queue_pop(q, &e)) continue;
  assert_int_equal(hc_queue_count(q), 0);
}

static void test_damaged_snapshot_is_refused(void **state)
{
  HC_UNUSED(state);
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
    hc_queue *q = new_queue(kinds[k]), *to = new_queue(kinds[k]);
    hc_buffer b;
    hc_buffer_init(&b, hc_default_allocator());
    for (uint64_t i = 0; i < 6; i++) push(q, (hc_time)i, HC_PHASE_END, i);
    hc_queue_cancel(q, 1);
    hc_queue_cancel(q, 4);
    save(q, &b);
    for (size_t cut = 0; cut < b.size; cut++) { /* a snapshot that ends early, wherever */
      uint8_t *part = malloc(cut ? cut : 1);
      assert_non_null(part);
      memcpy(part, b.data, cut);
      assert_int_equal(load(to, part, cut), HC_EINPUT);
      expect_empty(to);
      free(part);
    }
    /* A flipped bit: refused, or a queue that can be worked with. */
    for (size_t at = 0; at < b.size * 8; at++) {
      b.data[at / 8] = (char)(b.data[at / 8] ^ (1 << at % 8));
      if (load(to, b.data, b.size) < 0) expect_empty(to);
      else use_all_slots(to);
      b.data[at / 8] = (char)(b.data[at / 8] ^ (1 << at % 8));
    }
    assert_int_equal(load(to, b.data, b.size), 0);
    assert_int_equal(hc_queue_count(to), 4);
    hc_buffer_fini(&b);
    hc_queue_free(q);
    hc_queue_free(to);
  }
}

/* ---- memory ---- */

/* Fails every allocation once `left` calls were granted; frees always work. `held` counts bytes not given
 * back. */
typedef struct scarce {
  long left;
  size_t held;
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  if (new_size == 0) {
    s->held -= old_size;
    free(p);
    return NULL;
  }
  if (s->left <= 0) return NULL;
  s->left--;
  void *grown = realloc(p, new_size);
  if (grown) s->held += new_size - old_size;
  return grown;
}

/* Whatever allocation is the first to fail: pushes then say so and change nothing, pops still work and in
 * order. */
static void test_out_of_memory(void **state)
{
  HC_UNUSED(state);
  for (long granted = 0; granted < 60; granted++) {
    for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) {
      scarce s = {.left = granted};
      hc_allocator a = {.ctx = &s, .resize = scarce_resize};
      hc_queue *q = NULL;
      hc_rc rc = hc_queue_new(&a, kinds[k], &q);
      const long wanted = kinds[k] == HC_QUEUE_WHEEL ? 2 : 1; /* the queue, and its wheel */
      assert_true(rc == (granted >= wanted ? 0 : HC_ENOMEM));
      if (rc < 0) continue;
      size_t pushed = 0;
      for (uint64_t i = 0; i < 300; i++) {
        hc_time time = (hc_time)(i * 7919 % 4096) * (i % 3 ? 1 : 1000003);
        const hc_event at = event(time, HC_PHASE_END, i);
        rc = hc_queue_push(q, &at, NULL);
        assert_true(rc == 0 || rc == HC_ENOMEM);
        pushed += rc == 0;
      }
      assert_int_equal(hc_queue_count(q), pushed);
      s.left = 0; /* from here on there is none at all, not even to spread a bucket */
      hc_event last = {.time = INT64_MIN}, e;
      for (; pushed > 0; pushed--) {
        assert_true(hc_queue_pop(q, &e));
        assert_true(last.time < e.time || (last.time == e.time && last.key < e.key));
        last = e;
      }
      expect_empty(q);
      hc_queue_free(q);
      assert_int_equal(s.held, 0); /* sizes given back are the sizes taken */
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_is_time_phase_key), cmocka_unit_test(test_push_before_a_peeked_time),
      cmocka_unit_test(test_cancel_and_move),         cmocka_unit_test(test_all_kinds_give_the_same_handles),
      cmocka_unit_test(test_load_into_any_kind),      cmocka_unit_test(test_damaged_snapshot_is_refused),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
