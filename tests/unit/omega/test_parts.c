/* test_parts.c -- the pieces of the closed world `omega`, each against something simpler: java.util.Random
 * against its published numbers, the agenda against the original's heap written down plainly, probing against
 * the words of its definition, trials on a cell against copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "omega/agenda.h"
#include "omega/empirical.h"
#include "omega/java_random.h"
#include "omega/pick.h"

/* ---- java.util.Random ---- */

/* new Random(42).nextInt() is -1170105035, 234785527, -1360544799, 205897768: nextInt(10) takes the upper 31
 * bits of each modulo 10. new Random(42).nextDouble() is 0.7275636800328681, new Random(0).nextDouble()
 * 0.730967787376657. */
static void test_java(void **state)
{
  static const int32_t ints[] = {-1170105035, 234785527, -1360544799, 205897768};
  uint64_t s = hc_java_seed(42), t = hc_java_seed(42);
  (void)state;
  for (int i = 0; i < 4; i++) {
    const uint32_t bits = (uint32_t)ints[i] >> 1;
    assert_int_equal(hc_java_below(&s, 10, hc_java_magic(10)), bits % 10);
    t = hc_java_next(t);
    assert_int_equal(hc_java_bits31(t), bits);
  }
  s = hc_java_seed(42);
  assert_int_equal(hc_java_below(&s, 16, hc_java_magic(16)), 11); /* 16 x 0.72756 */
  s = hc_java_seed(42);
  assert_true(hc_java_double(&s) == 0.7275636800328681);
  s = hc_java_seed(0);
  assert_true(hc_java_double(&s) == 0.730967787376657);
}

static void test_quotient(void **state)
{
  hc_draws d = {7, 0, 0, HC_PURPOSE_TEST, 0};
  (void)state;
  for (uint32_t n = 3; n < 70000; n += 1 + n / 50) {
    const uint64_t magic = hc_java_magic(n);
    if (!magic) continue;
    for (int i = 0; i < 50; i++) {
      const uint32_t x = (uint32_t)hc_random_bits(&d);
      assert_int_equal(hc_java_quotient(x, magic), x / n);
    }
    assert_int_equal(hc_java_quotient(UINT32_MAX, magic), UINT32_MAX / n);
    assert_int_equal(hc_java_quotient(n - 1, magic), 0);
    assert_int_equal(hc_java_quotient(UINT32_MAX / n * n, magic), UINT32_MAX / n);
    assert_int_equal(hc_java_quotient(UINT32_MAX / n * n - 1, magic), UINT32_MAX / n - 1);
  }
}

/* ---- the agenda ---- */

/* The heap as its definition has it: append and swap up while the parent is later; swap the root with the
 * last, and swap down with the earlier child, the right one only if the left is later. */
typedef struct plain {
  double time[4096];
  uint32_t subject[4096];
  size_t n;
} plain;

static void swap(plain *h, size_t a, size_t b)
{
  const double t = h->time[a];
  const uint32_t s = h->subject[a];
  h->time[a] = h->time[b];
  h->subject[a] = h->subject[b];
  h->time[b] = t;
  h->subject[b] = s;
}

static void plain_push(plain *h, double time, uint32_t subject)
{
  size_t k = ++h->n;
  h->time[k] = time;
  h->subject[k] = subject;
  for (; k > 1 && h->time[k / 2] > h->time[k]; k /= 2) swap(h, k, k / 2);
}

static uint32_t plain_pop(plain *h)
{
  size_t k = 1, n = h->n - 1;
  swap(h, 1, h->n--);
  while (n >= 2 * k) {
    size_t j = 2 * k;
    if (j < n && h->time[j] > h->time[j + 1]) j++;
    if (!(h->time[k] > h->time[j])) break;
    swap(h, k, j);
    k = j;
  }
  return h->subject[n + 1];
}

/* Three events of one time come first, third, second: after the first is gone the third is at the root, and
 * the second is not earlier. */
static void test_ties_of_three(void **state)
{
  hc_omega_agenda a;
  (void)state;
  for (int ties = 0; ties < 2; ties++) {
    hc_omega_agenda_init(&a, hc_default_allocator(), (hc_omega_ties)ties);
    for (uint32_t i = 1; i <= 3; i++) assert_int_equal(hc_omega_agenda_push(&a, 5, HC_OMEGA_END, i), 0);
    for (uint32_t i = 1; i <= 3; i++) {
      const hc_omega_event x = hc_omega_agenda_pop(&a);
      assert_int_equal(hc_omega_event_subject(&x), ties == HC_OMEGA_TIES_HEAP && i > 1 ? 5 - i : i);
    }
    hc_omega_agenda_fini(&a);
  }
}

/* Whatever a table of jobs says: times below 0 come before 0, and -0 is 0. */
static void test_times(void **state)
{
  static const double times[] = {0, 1e-300, -0.0, -1, 3e15, -2.5, 1};
  static const uint32_t order[] = {5, 3, 0, 2, 1, 6, 4};
  hc_omega_agenda a;
  (void)state;
  hc_omega_agenda_init(&a, hc_default_allocator(), HC_OMEGA_TIES_INSERTED);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(hc_omega_agenda_push(&a, times[i], HC_OMEGA_RETRY, i), 0);
  for (uint32_t i = 0; i < 7; i++) {
    const hc_omega_event x = hc_omega_agenda_pop(&a);
    assert_int_equal(hc_omega_event_subject(&x), order[i]);
    assert_true(x.time == times[order[i]]);
  }
  hc_omega_agenda_fini(&a);
}

static void test_heap(void **state)
{
  hc_draws d = {3, 0, 0, HC_PURPOSE_TEST, 0};
  plain *h = calloc(1, sizeof *h);
  hc_omega_agenda a;
  (void)state;
  hc_omega_agenda_init(&a, hc_default_allocator(), HC_OMEGA_TIES_HEAP);
  for (uint32_t i = 0; i < 20000; i++) {
    if (h->n < 4000 && (h->n == 0 || hc_random_below(&d, 100) < 52)) {
      const double time = (double)hc_random_below(&d, 40); /* many ties */
      plain_push(h, time, i);
      assert_int_equal(hc_omega_agenda_push(&a, time, HC_OMEGA_RETRY, i), 0);
    } else {
      const hc_omega_event x = hc_omega_agenda_pop(&a);
      assert_int_equal(hc_omega_event_subject(&x), plain_pop(h));
      assert_int_equal(hc_omega_event_what(&x), HC_OMEGA_RETRY);
    }
  }
  assert_int_equal(a.count, h->n);
  hc_omega_agenda_fini(&a);
  free(h);
}

/* Batches of up to 60 equal events, with few ties between them and with many: what is taken out together is
 * what the plain heap gives one by one. Times are whole, so that ties differ by their range alone. */
static void test_equal_events(void **state)
{
  hc_draws d = {9, 0, 0, HC_PURPOSE_TEST, 0};
  size_t together = 0, apart = 0;
  (void)state;
  for (uint64_t range = 20; range <= 2000000; range *= 10) {
    plain *h = calloc(1, sizeof *h);
    hc_omega_agenda a;
    hc_omega_agenda_init(&a, hc_default_allocator(), HC_OMEGA_TIES_HEAP);
    for (uint32_t i = 0; i < 4000 || h->n > 0; i++) {
      const double time = (double)hc_random_below(&d, range);
      uint64_t copies = i < 4000 && h->n < 4000 ? hc_random_below(&d, 61) : 0;
      if (h->n + copies > 4000) copies = 0;
      for (; copies > 0; copies--) {
        plain_push(h, time, i);
        assert_int_equal(hc_omega_agenda_push(&a, time, HC_OMEGA_END, i), 0);
      }
      while (h->n > 0 && (i >= 4000 || hc_random_below(&d, 2) == 0)) {
        size_t n;
        const hc_omega_event x = hc_omega_agenda_pop_equal(&a, &n);
        for (size_t k = 0; k < n; k++) assert_int_equal(hc_omega_event_subject(&x), plain_pop(h));
        *(n > 1 ? &together : &apart) += n;
      }
      assert_int_equal(a.count, h->n);
    }
    hc_omega_agenda_fini(&a);
    free(h);
  }
  assert_true(together > 100000 && apart > 10000); /* both were met */
}

/* ---- the cell ---- */

#define MACHINES 130

static void check_shapes(const hc_omega_cell *c)
{
  for (size_t k = 0; k < c->shape_count; k++) {
    const hc_omega_shape *s = &c->shapes[k];
    uint32_t count = 0;
    for (uint32_t m = 0; m < c->machines; m++) {
      const bool fits = hc_omega_cell_fits(c, m, s->task);
      count += fits;
      if (!c->lists) assert_int_equal(s->fits[m], fits);
      if (c->lists) assert_int_equal(s->members[s->place[m]], m);
      if (c->lists) assert_int_equal(s->place[m] < s->count, fits);
    }
    assert_int_equal(count, s->count);
  }
}

static void some_changes(hc_omega_cell *c, hc_draws *d, int n)
{
  for (int i = 0; i < n; i++) {
    const uint32_t m = (uint32_t)hc_random_below(d, c->machines);
    const hc_omega_amounts task = {(double)(1 + hc_random_below(d, 2)), 1.5};
    if (hc_omega_cell_fits(c, m, task)) assert_int_equal(hc_omega_cell_take(c, m, task), 0);
    else assert_int_equal(hc_omega_cell_set(c, m, (hc_omega_amounts){0, 0}, c->state[m].sequence), 0);
  }
}

/* What is tried is taken back, bits or lists with it; what comes after a trial stays. */
static void test_trial(void **state)
{
  hc_draws d = {5, 0, 0, HC_PURPOSE_TEST, 0};
  (void)state;
  for (size_t kind = 0; kind < 4; kind++) {
    const size_t shapes = 1 + kind / 2;
    hc_omega_machine then[MACHINES];
    hc_omega_cell c;
    assert_int_equal(hc_omega_cell_init(&c, hc_default_allocator(), MACHINES, (hc_omega_amounts){4, 16}), 0);
    c.lists = kind % 2;
    for (size_t k = 1; k <= shapes; k++)
      assert_non_null(hc_omega_cell_shape(&c, (hc_omega_amounts){(double)k, 1.5}));
    for (int round = 0; round < 3; round++) {
      some_changes(&c, &d, 500);
      memcpy(then, c.state, sizeof then);
      hc_omega_cell_try(&c);
      some_changes(&c, &d, 300);
      assert_memory_not_equal(then, c.state, sizeof then);
      check_shapes(&c);
      hc_omega_cell_undo(&c);
      assert_memory_equal(then, c.state, sizeof then);
      check_shapes(&c);
    }
    hc_omega_cell_fini(&c);
  }
}

/* ---- picking ---- */

/* Randomised first fit in the words of its definition, with java's own nextInt. */
typedef struct definition {
  uint64_t s;
  uint32_t pool[MACHINES];
  uint64_t misses;
} definition;

static uint32_t next_int(uint64_t *s, uint32_t n)
{
  int32_t bits, value;
  do {
    *s = (*s * HC_JAVA_FACTOR + 11) & ((UINT64_C(1) << 48) - 1);
    bits = (int32_t)(*s >> 17);
    if ((n & (n - 1)) == 0) return (uint32_t)((uint64_t)n * (uint64_t)bits >> 31);
    value = bits % (int32_t)n;
  } while ((int64_t)bits - value + ((int32_t)n - 1) > INT32_MAX);
  return (uint32_t)value;
}

static size_t defined_pick(definition *p, hc_omega_cell *c, hc_omega_amounts task, uint32_t wanted,
                           uint32_t left, uint32_t *out)
{
  size_t n = 0;
  while (n < wanted && left > 0) {
    const uint32_t i = next_int(&p->s, left), m = p->pool[i];
    if (hc_omega_cell_fits(c, m, task)) {
      out[n++] = m;
      assert_int_equal(hc_omega_cell_take(c, m, task), 0);
      continue;
    }
    p->misses++;
    p->pool[i] = p->pool[left - 1];
    p->pool[--left] = m;
  }
  return n;
}

/* Tasks of more sizes than there are bits for, so that both tests are met; a blacklist; small and large
 * pools. */
static void test_probing(void **state)
{
  hc_draws d = {11, 0, 0, HC_PURPOSE_TEST, 0};
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    uint64_t magic[MACHINES + 1];
    uint16_t small[MACHINES];
    uint32_t large[MACHINES], want[200];
    const hc_omega_magic shared = {magic};
    hc_omega_cell mine, theirs;
    hc_omega_places places = {0};
    definition p = {.s = 1 ^ HC_JAVA_FACTOR};
    uint64_t misses = 0;
    hc_omega_picker q = {.probes = true, .machines = MACHINES, .state = hc_java_seed(1), .magic = &shared};
    q.blacklisted = kind & 2 ? 30 : 0;
    if (kind & 1) q.small_pool = small;
    else q.pool = large;
    for (uint32_t m = 0; m < MACHINES; m++) p.pool[m] = small[m] = (uint16_t)(large[m] = m);
    for (uint32_t n = 1; n <= MACHINES; n++) magic[n] = hc_java_magic(n);
    assert_int_equal(hc_omega_cell_init(&mine, hc_default_allocator(), MACHINES, (hc_omega_amounts){4, 16}),
                     0);
    assert_int_equal(hc_omega_cell_init(&theirs, hc_default_allocator(), MACHINES, (hc_omega_amounts){4, 16}),
                     0);
    for (int round = 0; round < 300; round++) {
      const hc_omega_amounts task = {0.25 * (double)(1 + hc_random_below(&d, 12)), 2};
      const uint32_t wanted = (uint32_t)hc_random_below(&d, 40) + 1;
      const size_t n = defined_pick(&p, &theirs, task, wanted, MACHINES - q.blacklisted, want);
      assert_int_equal(hc_omega_pick(&q, &mine, task, wanted, &places), 0);
      assert_int_equal(places.count, n);
      for (size_t i = 0; i < n; i++) assert_int_equal(places.items[i].machine, want[i]);
      misses += q.misses;
      assert_int_equal(misses, p.misses);
      for (int k = 0; k < 10; k++) { /* some machines are emptied */
        const uint32_t m = (uint32_t)hc_random_below(&d, MACHINES);
        assert_int_equal(hc_omega_cell_set(&mine, m, (hc_omega_amounts){0, 0}, 0), 0);
        assert_int_equal(hc_omega_cell_set(&theirs, m, (hc_omega_amounts){0, 0}, 0), 0);
      }
    }
    hc_free(mine.allocator, places.items, places.cap * sizeof *places.items);
    hc_omega_cell_fini(&mine);
    hc_omega_cell_fini(&theirs);
  }
}

/* 20 of 100 machines have room; each is drawn about as often as any other, by a list and without one. 20,000
 * draws: 1,000 each, with a deviation of 31; 160 are five of them. */
static void test_choosing(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    uint32_t count[100] = {0}, found[100];
    hc_omega_places places = {0};
    hc_omega_cell c;
    hc_omega_picker p = {.machines = 100, .found = found, .draws.s = {1, 0, 0, HC_PURPOSE_PLACE, 0}};
    assert_int_equal(hc_omega_cell_init(&c, hc_default_allocator(), 100, (hc_omega_amounts){4, 16}), 0);
    c.lists = true;
    for (uint32_t m = 0; m < 100; m++)
      if (m % 5) hc_omega_cell_put(&c, m, (hc_omega_amounts){4, 0}, 0);
    if (kind == 1)
      for (int k = 0; k < HC_OMEGA_SHAPES; k++) /* sizes that use the bits up */
        assert_non_null(hc_omega_cell_shape(&c, (hc_omega_amounts){5 + k, 1}));
    for (int i = 0; i < 20000; i++) {
      assert_int_equal(hc_omega_pick(&p, &c, (hc_omega_amounts){1, 1}, 1, &places), 0);
      assert_int_equal(places.count, 1);
      count[places.items[0].machine]++;
      assert_int_equal(hc_omega_cell_leave(&c, places.items[0].machine, (hc_omega_amounts){1, 1}, 0), 0);
    }
    for (uint32_t m = 0; m < 100; m++) {
      if (m % 5) assert_int_equal(count[m], 0);
      else assert_in_range(count[m], 840, 1160);
    }
    /* 80 tasks fill what there is, and no more */
    assert_int_equal(hc_omega_pick(&p, &c, (hc_omega_amounts){1, 1}, 100, &places), 0);
    assert_int_equal(places.count, 80);
    hc_free(c.allocator, places.items, places.cap * sizeof *places.items);
    hc_omega_cell_fini(&c);
  }
}

/* ---- measured distributions ---- */

/* Of 0, 10, 20, 30 the quantile lies within its neighbours, so that draws are uniform up to 30 with mean 15.
 * With defect quantile it is below + part x (below + above): of 10 and 20, 10 + part x 30, so that draws
 * reach 20 + 50 = 70. */
static void test_measured(void **state)
{
  (void)state;
  for (int wrong = 0; wrong < 2; wrong++) {
    const uint32_t defects = wrong ? 1u << HC_OMEGA_D1_QUANTILE : 0;
    hc_omega_measured m = {.allocator = hc_default_allocator()};
    hc_omega_stream s = hc_omega_stream_of(1, 0, 0, HC_PURPOSE_TEST, false, false);
    double sum = 0, most = 0;
    for (int i = 0; i < 4; i++) assert_int_equal(hc_omega_measured_add(&m, 10.0 * ((i * 3) % 4)), 0);
    assert_int_equal(hc_omega_measured_close(&m, defects), 0);
    for (int i = 0; i < 100000; i++) {
      const double x = hc_omega_measured_draw(&m, &s, defects);
      sum += x;
      if (x > most) most = x;
    }
    assert_true(wrong ? most > 69 && most <= 70 : most > 29.9 && most <= 30);
    /* 15; or the mean of below, 10, and of half of below + above, 15: 25. Deviations of the means are 0.03
     * and 0.06. */
    assert_true(wrong ? sum / 1e5 > 24.7 && sum / 1e5 < 25.3 : sum / 1e5 > 14.8 && sum / 1e5 < 15.2);
    hc_omega_measured_fini(&m);
  }
}

/* Of 5,000 values 1,001 are kept: every fifth, and the largest only as the last. */
static void test_tail(void **state)
{
  hc_omega_measured m = {.allocator = hc_default_allocator()};
  (void)state;
  for (int i = 0; i < 5000; i++) assert_int_equal(hc_omega_measured_add(&m, i), 0);
  assert_int_equal(hc_omega_measured_close(&m, 1u << HC_OMEGA_D2_TAIL), 0);
  assert_int_equal(m.count, 1001);
  assert_true(m.values[1] == 4 && m.values[999] == 4994 && m.values[1000] == 4999); /* floor(4999 i / 1000) */
  hc_omega_measured_fini(&m);
}

/* ---- prefills ---- */

extern const hc_prefill_type hc_prefill_random_jobs;

typedef struct sizes {
  double sum;
  uint32_t most, count;
} sizes;

static hc_rc hear_job(void *ctx, const hc_omega_fill *job)
{
  sizes *s = ctx;
  s->sum += job->tasks;
  if (job->tasks > s->most) s->most = job->tasks;
  return ++s->count == 20000 ? HC_ECANCELLED : 0;
}

/* 1 + the whole part of an exponential of mean m = 1e6, at most m: the greatest is m + 1, and the mean is m
 * (1 - 1/e), to the half of a task; the deviation of the mean of 20,000 is 0.359 m / 141. */
static void test_random_jobs_are_bounded(void **state)
{
  const hc_component *c = &hc_prefill_random_jobs.component;
  char options[256] = {0};
  sizes s = {0};
  (void)state;
  assert_true(c->options_size <= sizeof options);
  for (const hc_param *p = c->params; p->name; p++) {
    const double x = strcmp(p->name, "tasks") == 0 ? 1e6 : 1;
    if (p->type == HC_REAL) memcpy(options + p->offset, &x, sizeof x);
  }
  const hc_prefill_context context = {.allocator = hc_default_allocator(),
                                      .cpus = 1e18,
                                      .machine_cpus = 8,
                                      .machine_memory = 8,
                                      .seed = 1,
                                      .ctx = &s,
                                      .job = hear_job};
  assert_int_equal(hc_prefill_random_jobs.make(&context, options, NULL), HC_ECANCELLED);
  assert_int_equal(s.most, 1000001);
  const double off = s.sum / s.count / 1e6 - 0.6321205588;
  assert_true(off < 5 * 0.359 / 141.4 && off > -5 * 0.359 / 141.4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_java),          cmocka_unit_test(test_quotient),
      cmocka_unit_test(test_ties_of_three), cmocka_unit_test(test_heap),
      cmocka_unit_test(test_times),         cmocka_unit_test(test_equal_events),
      cmocka_unit_test(test_trial),         cmocka_unit_test(test_probing),
      cmocka_unit_test(test_choosing),      cmocka_unit_test(test_measured),
      cmocka_unit_test(test_tail),          cmocka_unit_test(test_random_jobs_are_bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
