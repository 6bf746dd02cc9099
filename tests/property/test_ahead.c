/* test_ahead.c -- what a thread reads ahead comes out as it went in, whatever of it varies.
 *
 * A source yields tasks of which any word may differ from one stretch to the next: none, one, some or all of them; in
 * jobs of one to some hundreds, so that they end anywhere in a block; and it counts rounded rows, so that marks cut
 * blocks. The thread is stopped, asked without, and begun again. Task and ledger are those of the source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "workload/ahead.h"

enum { WORDS = sizeof(hc_task_spec) / sizeof(uint64_t), MOST = 700 };

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s >> 11;
}

/* Task number `i`: a pure function of it. In a stretch of tasks the same words vary. */
static void make_task(uint64_t i, hc_task_spec *out)
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
  out->id = (int64_t)i;
}

struct hc_source {
  const hc_source_context *context;
  uint64_t made, most, s;
  hc_task_spec tasks[MOST];
};

static hc_rc next(hc_source *x, hc_job *job, hc_error *e)
{
  const uint64_t left = x->most - x->made, wanted = 1 + draw(&x->s) % (draw(&x->s) % 3 ? 20 : MOST);
  const uint32_t n = (uint32_t)(wanted < left ? wanted : left);
  (void)e;
  for (uint32_t i = 0; i < n; i++) make_task(x->made + i, &x->tasks[i]);
  x->made += n;
  if (draw(&x->s) % 4 == 0) x->context->ledger->rounded++;
  *job = (hc_job){.tasks = x->tasks, .task_count = n};
  return n > 0;
}

static const hc_reader_type type = {.next = next};

static void follow(uint64_t seed, bool threaded)
{
  hc_row_ledger ledger = {0}, seen;
  const hc_source_context given = {.allocator = hc_default_allocator(), .ledger = &ledger};
  hc_source_context context;
  hc_source *source = test_calloc(1, sizeof *source);
  hc_ahead *h;
  hc_error e = {0};
  hc_job job;
  uint64_t at = 0, rounded = 0, s = seed;
  hc_rc rc;
  assert_int_equal(hc_ahead_new(&given, &h, &context), 0);
  *source = (hc_source){.context = &context, .most = 20000, .s = seed};
  hc_ahead_source(h, &type, source);
  if (threaded) assert_int_equal(hc_ahead_start(h, &e), 0);
  while ((rc = hc_ahead_next(h, &job, &seen, &e)) == 1) {
    assert_true(job.task_count > 0 && seen.rounded >= rounded);
    rounded = seen.rounded;
    for (uint32_t i = 0; i < job.task_count; i++, at++) {
      hc_task_spec expected;
      make_task(at, &expected);
      assert_memory_equal(&job.tasks[i], &expected, sizeof expected);
    }
    if (draw(&s) % 50 == 0) hc_ahead_stop(h);
  }
  assert_int_equal(rc, 0);
  assert_int_equal(at, 20000);
  hc_ahead_stop(h);
  assert_int_equal(seen.rounded, context.ledger->rounded);
  hc_ahead_free(h);
  test_free(source);
}

static void comes_out_as_it_went_in(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) follow(seed * 7919, true);
  follow(31337, false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(comes_out_as_it_went_in)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
