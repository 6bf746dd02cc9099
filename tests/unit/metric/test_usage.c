/* test_usage.c -- what tasks really use, step by step: against a case worked out by hand, and against
 * counting second by second. */
#include "cluster/lexicon.h"
#include "metric_test.h"

#define FOUND(table, key, name, value) expect_found(&l, table, key, name, value)

static hc_lexicon *lexicon;

static double distance(double x)
{
  return x < 0 ? -x : x;
}

static uint32_t keep(const hc_use_step *steps, size_t n)
{
  hc_task_extras m = hc_task_extras_none();
  uint32_t handle;
  m.uses = steps;
  m.use_count = n;
  handle = hc_lexicon_keep(lexicon, &m);
  assert_true(handle != 0);
  return handle;
}

static hc_change held(hc_change_kind kind, int64_t at, uint64_t serial, uint32_t host, int64_t cpu,
                      int64_t memory, uint32_t use, uint32_t slots)
{
  hc_change c = change(kind, at, serial, 1, host);
  c.amount[HC_DIM_CPU] = cpu;
  c.amount[HC_DIM_MEMORY] = memory;
  c.use = use;
  c.use_slots = slots;
  return c;
}

/* Task 1 has 2 slots on host 0, of 2 cores each, [0, 100): half a core up to 10, unknown up to 20, 3
 * cores up to 50, then 1. Task 2 has one slot of 1 core on host 1, [5, 35): 1 core for 10 s, then a quarter.
 * Task 3 says nothing, [30, 40). Pieces of 15 s, core-seconds:
 *   [0, 15)   used 2 x 5 + 10 = 20, known 4 x 10 + 10 = 50, claimed 4 x 15 + 10 = 70
 *   [15, 30)  used 6 x 10 + 15 / 4 = 63.75, known 40 + 15
 *   [30, 45)  used 6 x 15 + 5 / 4 = 91.25, known 60 + 5, claimed 60 + 5 + 10
 * The run ends at 60, while task 1 runs: [45, 60) used 6 x 5 + 2 x 10 = 50. */
static void steps_count_when_the_claim_ends(void **state)
{
  static const hc_use_step one[] = {{S(10), 500, 4},
                                    {S(20), HC_UNKNOWN, 6},
                                    {S(50), 3000, 1},
                                    {HC_NEVER, 1000, 0}},
                           two[] = {{S(10), 1000, HC_UNKNOWN}, {S(20), 250, HC_UNKNOWN}};
  const uint32_t a = keep(one, 4), b = keep(two, 2);
  const hc_change c[] = {
      held(HC_CHANGE_CLAIMED, 0, 1, 0, 4000, 20, a, 2), held(HC_CHANGE_CLAIMED, 5, 2, 1, 1000, 10, b, 1),
      held(HC_CHANGE_CLAIMED, 30, 3, 2, 1000, 0, 0, 0), held(HC_CHANGE_RELEASED, 35, 2, 1, 1000, 10, b, 1),
      held(HC_CHANGE_RELEASED, 40, 3, 2, 1000, 0, 0, 0)};
  hc_metric_context context = context_of(100);
  void *o = options_of(&hc_metric_usage, 15, 100);
  hc_finding_list l;
  (void)state;
  context.cell = &test_cell;
  context.lexicon = lexicon;
  find_changes(&hc_metric_usage, &context, o, c, HC_ARRAY_LEN(c), 60, &l);
  FOUND("usage", 0, "cpu_used_amount", 20 / 15.);
  FOUND("usage", 0, "cpu_used", 20 / 50.);
  FOUND("usage", 0, "cpu_known", 50 / 70.);
  FOUND("usage", 0, "memory_used_amount", (8 * 10 + 12 * 5) / 15.);
  FOUND("usage", 15, "cpu_used_amount", 63.75 / 15);
  FOUND("usage", 15, "cpu_used", 63.75 / 55);
  FOUND("usage", 30, "cpu_used_amount", 91.25 / 15);
  FOUND("usage", 30, "cpu_known", 65 / 75.);
  FOUND("usage", 45, "cpu_used_amount", 50 / 15.);
  FOUND(NULL, 0, "usage_cpu_used_amount", (20 + 63.75 + 91.25 + 50) / 60);
  hc_finding_list_fini(&l);
  free(o);
  hc_lexicon_drop(lexicon, a);
  hc_lexicon_drop(lexicon, b);
}

/* ---- against counting ---- */

#define TASKS 200
#define END 3000

static hc_use_step all_steps[TASKS][9];
static size_t step_counts[TASKS];
static uint32_t uses[TASKS];

/* Tasks of one or two hosts; on one host some have two parts, which begin and end together. */
static size_t make_changes(hc_change *c, uint64_t seed)
{
  size_t n = 0;
  for (uint64_t i = 0; i < TASKS; i++) {
    const uint64_t q = next_bits(&seed);
    const int64_t from = (int64_t)(q % 2000), to = from + 1 + (int64_t)(q >> 16 & 1023);
    const uint32_t parts = 1 + (uint32_t)(q >> 30 & 1), host = (uint32_t)(q >> 32) % 6;
    int64_t at = 0;
    step_counts[i] = 1 + (q >> 40) % 9;
    for (size_t s = 0; s < step_counts[i]; s++) {
      const uint64_t r = next_bits(&seed);
      at += 1 + (int64_t)(r & 127);
      all_steps[i][s] = (hc_use_step){S(at), r >> 8 & 3 ? (int64_t)(r >> 10 & 4095) : HC_UNKNOWN,
                                      r >> 24 & 3 ? (int64_t)(r >> 26 & 4095) : HC_UNKNOWN};
    }
    uses[i] = keep(all_steps[i], step_counts[i]);
    for (uint32_t k = 0; k < parts; k++) {
      const uint32_t on = q >> 31 & 1 ? host : (host + k) % 6;
      c[n++] = held(HC_CHANGE_CLAIMED, from, i, on, 1000 * (k + 1), 50, uses[i], k + 1);
      c[n++] = held(HC_CHANGE_RELEASED, to, i, on, 1000 * (k + 1), 50, uses[i], k + 1);
    }
  }
  qsort(c, n, sizeof *c, by_time);
  return n;
}

/* What is used, and claimed while that is known, in one second. */
static void count_second(const hc_change *c, size_t n, int64_t second, double *used, double *known)
{
  *used = *known = 0;
  for (size_t i = 0; i < n; i++) {
    const int64_t start = c[i].at / HC_SECOND;
    int64_t end = END;
    size_t s = 0;
    if (c[i].kind != HC_CHANGE_CLAIMED || start > second) continue;
    for (size_t k = i + 1; k < n; k++)
      if (c[k].kind == HC_CHANGE_RELEASED && c[k].serial == c[i].serial) end = c[k].at / HC_SECOND;
    if (second >= end) continue;
    while (s + 1 < step_counts[c[i].serial] && all_steps[c[i].serial][s].until <= S(second - start)) s++;
    if (all_steps[c[i].serial][s].cpu < 0) continue;
    *used += (double)all_steps[c[i].serial][s].cpu / 1000 * c[i].use_slots;
    *known += (double)c[i].amount[HC_DIM_CPU] / 1000;
  }
}

static void agrees_with_counting(void **state)
{
  hc_change *c = calloc((size_t)TASKS * 4, sizeof *c);
  const size_t n = make_changes(c, 77);
  hc_metric_context context = context_of(100);
  void *o = options_of(&hc_metric_usage, 7, 50); /* pieces are merged on the way */
  hc_finding_list l;
  (void)state;
  context.cell = &test_cell;
  context.lexicon = lexicon;
  find_changes(&hc_metric_usage, &context, o, c, n, END, &l);
  size_t pieces = 0;
  for (size_t i = 0; i < l.count; i++) {
    const hc_finding *f = &l.items[i];
    double used = 0, known = 0;
    if (!f->table || strcmp(f->table, "usage") != 0 || strcmp(f->name, "cpu_used_amount") != 0) continue;
    const double until = hc_finding_list_get(&l, "usage", f->key, "until")->value;
    for (int64_t second = f->key; second < (int64_t)until; second++) {
      double u, k;
      count_second(c, n, second, &u, &k);
      used += u;
      known += k;
    }
    assert_true(distance(f->value - used / (until - (double)f->key)) < 1e-9);
    if (known > 0)
      assert_true(distance(hc_finding_list_get(&l, "usage", f->key, "cpu_used")->value - used / known) <
                  1e-9);
    pieces++;
  }
  assert_true(pieces > 20);
  hc_finding_list_fini(&l);
  for (size_t i = 0; i < TASKS; i++) hc_lexicon_drop(lexicon, uses[i]);
  free(o);
  free(c);
}

/* Saved and loaded in the middle it finds what it finds in one go; what is cut off or damaged is refused, or
 * survived. */
static void halves_are_the_whole(void **state)
{
  hc_change *c = calloc((size_t)TASKS * 4, sizeof *c);
  const size_t n = make_changes(c, 78);
  const hc_metric_type *t = &hc_metric_usage;
  hc_metric_context context = context_of(100);
  void *o = options_of(t, 7, 50);
  hc_metric *first, *second;
  hc_finding_list whole, halves;
  hc_buffer b;
  hc_visitor v = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &b};
  (void)state;
  context.cell = &test_cell;
  context.lexicon = lexicon;
  find_changes(t, &context, o, c, n, END, &whole);
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(t->init(&context, o, &first, NULL), 0);
  assert_int_equal(t->changes(first, c, n / 2), 0);
  assert_int_equal(t->visit(first, &v), 0);
  t->fini(first);
  assert_int_equal(t->init(&context, o, &second, NULL), 0);
  v = (hc_visitor){
      .mode = HC_VISIT_LOAD, .allocator = hc_default_allocator(), .in = (uint8_t *)b.data, .left = b.size};
  assert_int_equal(t->visit(second, &v), 0);
  assert_int_equal(t->changes(second, c + n / 2, n - n / 2), 0);
  assert_int_equal(t->until(second, S(END)), 0);
  hc_finding_list_init(&halves, hc_default_allocator());
  assert_int_equal(t->finish(second, &halves.findings), 0);
  assert_int_equal(whole.count, halves.count);
  for (size_t i = 0; i < whole.count; i++)
    assert_memory_equal(&whole.items[i].value, &halves.items[i].value, sizeof(double));
  t->fini(second);
  for (size_t at = 0; at < b.size; at += 37) {
    b.data[at] ^= 0x41;
    assert_int_equal(t->init(&context, o, &second, NULL), 0);
    v = (hc_visitor){
        .mode = HC_VISIT_LOAD, .allocator = hc_default_allocator(), .in = (uint8_t *)b.data, .left = b.size};
    if (t->visit(second, &v) == 0) (void)t->changes(second, c + n / 2, n - n / 2);
    t->fini(second);
    b.data[at] ^= 0x41;
  }
  hc_finding_list_fini(&whole);
  hc_finding_list_fini(&halves);
  hc_buffer_fini(&b);
  for (size_t i = 0; i < TASKS; i++) hc_lexicon_drop(lexicon, uses[i]);
  free(o);
  free(c);
}

static int begin(void **state)
{
  (void)state;
  return hc_lexicon_new(hc_default_allocator(), &lexicon);
}

static int end(void **state)
{
  (void)state;
  assert_int_equal(hc_lexicon_held(lexicon), 0);
  hc_lexicon_free(lexicon);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_count_when_the_claim_ends),
      cmocka_unit_test(agrees_with_counting),
      cmocka_unit_test(halves_are_the_whole),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
