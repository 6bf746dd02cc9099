/* test_waitlist.c -- the waitlist against a sorted array that is scanned, on random queues and filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "kernel/waitlist.h"

enum { MOST = 6000 };

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s >> 11;
}

static int64_t below(uint64_t *s, uint64_t n)
{
  return (int64_t)(draw(s) % n);
}

/* ---- the model ---- */

typedef struct model {
  size_t count;
  hc_waiting entries[MOST];
} model;

static bool is_before(const hc_waiting *a, int64_t key, uint64_t serial)
{
  return a->key < key || (a->key == key && a->serial < serial);
}

static void model_insert(model *m, const hc_waiting *e)
{
  size_t i = m->count;
  while (i > 0 && !is_before(&m->entries[i - 1], e->key, e->serial)) i--;
  memmove(&m->entries[i + 1], &m->entries[i], (m->count - i) * sizeof *e);
  m->entries[i] = *e;
  m->count++;
}

static void model_remove(model *m, size_t i)
{
  m->count--;
  memmove(&m->entries[i], &m->entries[i + 1], (m->count - i) * sizeof m->entries[0]);
}

static hc_task model_next(const model *m, hc_cursor *at, const hc_filter *f)
{
  for (size_t i = 0; i < m->count; i++) {
    const hc_waiting *e = &m->entries[i];
    if (at->inside && (is_before(e, at->key, at->serial) || (e->key == at->key && e->serial == at->serial)))
      continue;
    if (f && (e->units > f->max_units || (e->estimate > f->max_estimate && e->units > f->or_units))) continue;
    *at = (hc_cursor){e->key, e->serial, true};
    return e->task;
  }
  return HC_NO_TASK;
}

/* ---- shapes of queues ---- */

typedef struct shape {
  const char *name;
  int64_t keys;      /* different ones; 0: all the same, as first come first served has them */
  int64_t units;     /* largest */
  int64_t estimates; /* different ones */
} shape;

static const shape shapes[] = {
    {"fifo", 0, 40, 100},        {"few keys", 5, 300, 6},           {"all apart", 1 << 30, 20, 1 << 30},
    {"one class", 100, 3, 1000}, {"large", 1000, 1 << 28, 1 << 20},
};

static int64_t some_units(uint64_t *s, const shape *h)
{
  int64_t most = below(s, 3) ? h->units : 1 + h->units / 10;
  if (h->units == 3) return 13 + below(s, 4); /* the class of 13 to 16 only */
  return below(s, 40) ? 1 + below(s, (uint64_t)most) : 0;
}

static hc_waiting some_entry(uint64_t *s, const shape *h, uint64_t serial)
{
  return (hc_waiting){
      .key = h->keys ? below(s, (uint64_t)h->keys) - h->keys / 2 : 0,
      .serial = serial,
      .task = (hc_task)(serial % 100003),
      .units = some_units(s, h),
      .estimate = below(s, 20) ? below(s, (uint64_t)h->estimates) : HC_NEVER - below(s, 2),
  };
}

static hc_filter some_filter(uint64_t *s, const shape *h)
{
  static const hc_time ends[] = {HC_NEVER, HC_NEVER - 1, HC_NEVER - 2, -1};
  return (hc_filter){
      .max_units = some_units(s, h) - (below(s, 30) == 0),
      .max_estimate = below(s, 4) ? below(s, (uint64_t)h->estimates) / (1 + below(s, 8)) : ends[below(s, 4)],
      .or_units = below(s, 2) ? 0 : some_units(s, h),
  };
}

/* ---- comparison ---- */

static void totals_agree(hc_waitlist *w, const model *m)
{
  int64_t sum = 0, least = m->count ? INT64_MAX : 0;
  for (size_t i = 0; i < m->count; i++) {
    sum += m->entries[i].units;
    if (m->entries[i].units < least) least = m->entries[i].units;
  }
  assert_int_equal(hc_waitlist_count(w), m->count);
  assert_int_equal(hc_waitlist_units(w), sum);
  assert_int_equal(hc_waitlist_smallest(w), least);
}

static void ask(hc_waitlist *w, const model *m, uint64_t *s, const shape *h)
{
  const size_t k = (size_t)below(s, m->count + 1);
  hc_cursor a = {0}, b = {0};
  hc_filter f = some_filter(s, h);
  bool any = below(s, 10) == 0;
  hc_task found;
  if (k < m->count && any) assert_int_equal(hc_waitlist_at(w, k), m->entries[k].task);
  if (m->count > 0 && below(s, 3)) { /* from the middle; sometimes from where nothing is (any more) */
    const hc_waiting *e = &m->entries[below(s, m->count)];
    a = (hc_cursor){e->key, e->serial - (uint64_t)below(s, 2), true};
    b = a;
  }
  for (int steps = 0; steps < 6; steps++) {
    found = model_next(m, &a, any ? NULL : &f);
    assert_int_equal(hc_waitlist_next(w, &b, any ? NULL : &f), found);
    assert_int_equal(a.key, b.key);
    assert_int_equal(a.serial, b.serial);
    assert_int_equal(a.inside, b.inside);
    if (found == HC_NO_TASK) break;
  }
}

static void hash_of(hc_waitlist *w, uint64_t out[2])
{
  hc_hash hash;
  hc_visitor v = {.mode = HC_VISIT_HASH, .allocator = hc_default_allocator(), .hash = &hash};
  hc_hash_init(&hash);
  assert_int_equal(hc_waitlist_visit(w, &v), 0);
  hc_hash_end(&hash, out);
}

static void copy_agrees(hc_waitlist *w, const model *m, uint64_t *s, const shape *h)
{
  hc_buffer out;
  hc_waitlist *copy;
  uint64_t a[2], b[2];
  hc_buffer_init(&out, hc_default_allocator());
  hc_visitor save = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &out};
  assert_int_equal(hc_waitlist_visit(w, &save), 0);
  hc_visitor load = {.mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (uint8_t *)out.data,
                     .left = out.size};
  hc_visitor cut = load;
  assert_int_equal(hc_waitlist_new(hc_default_allocator(), &copy), 0);
  cut.left--;
  assert_int_equal(hc_waitlist_visit(copy, &cut), HC_EINPUT);
  assert_int_equal(hc_waitlist_visit(copy, &load), 0);
  hash_of(w, a);
  hash_of(copy, b);
  assert_memory_equal(a, b, sizeof a);
  totals_agree(copy, m);
  for (int i = 0; i < 20; i++) ask(copy, m, s, h);
  hc_waitlist_free(copy);
  hc_buffer_fini(&out);
}

/* ---- new keys ---- */

typedef struct rekeying {
  uint64_t salt;
  int64_t range;
} rekeying;

static int64_t new_key(void *ctx, hc_task task)
{
  const rekeying *r = ctx;
  uint64_t s = (task + 1) * 0x9e3779b97f4a7c15u ^ r->salt;
  return r->range == 0 ? 7 : (int64_t)(draw(&s) % (uint64_t)r->range);
}

static int compare(const void *a, const void *b)
{
  const hc_waiting *x = a, *y = b;
  return is_before(x, y->key, y->serial) ? -1 : is_before(y, x->key, x->serial);
}

static void rekey(hc_waitlist *w, model *m, uint64_t *s)
{
  rekeying r = {draw(s), below(s, 3) * 500};
  assert_int_equal(hc_waitlist_rekey(w, new_key, &r), 0);
  for (size_t i = 0; i < m->count; i++) m->entries[i].key = new_key(&r, m->entries[i].task);
  qsort(m->entries, m->count, sizeof m->entries[0], compare);
}

/* By its head, if the waitlist knows it at once: then it is the first. */
static bool drop_head(hc_waitlist *w, model *m)
{
  const hc_waiting *head = hc_waitlist_head(w);
  if (!head) return false;
  assert_int_equal(head->task, m->entries[0].task);
  assert_int_equal(head->serial, m->entries[0].serial);
  hc_waitlist_drop_head(w);
  model_remove(m, 0);
  return true;
}

/* One by one, or at the end by members, which is the same. */
static void insert(hc_waitlist *w, model *m, const hc_waiting *e, bool last)
{
  const hc_waiting *back = m->count > 0 ? &m->entries[m->count - 1] : NULL;
  const bool is_last = !back || is_before(back, e->key, e->serial);
  const hc_rc rc = last ? hc_waitlist_append(w, e->key, e->serial, e->task, e->units, e->estimate) : 0;
  assert_true(rc == 0 || (rc == 1 && is_last));
  if (rc == 0) assert_int_equal(hc_waitlist_insert(w, e), 0);
  model_insert(m, e);
}

static void follow(uint64_t seed, const shape *h, size_t size, int steps)
{
  uint64_t s = seed, serial = 1;
  model *m = calloc(1, sizeof *m);
  hc_waitlist *w;
  print_message("seed %llu, %s, about %zu\n", (unsigned long long)seed, h->name, size);
  assert_non_null(m);
  assert_int_equal(hc_waitlist_new(hc_default_allocator(), &w), 0);
  for (int i = 0; i < steps; i++) {
    size_t aim = i < steps / 2 ? size : size / 20 + 1;
    if (m->count == 0 || (m->count < MOST - 1 && below(&s, 2 * aim) >= (int64_t)m->count)) {
      hc_waiting e = some_entry(&s, h, serial++);
      assert_int_equal(hc_waitlist_insert(w, &e), 0);
      model_insert(m, &e);
    } else if (below(&s, 4) > 0 || !drop_head(w, m)) {
      size_t k = below(&s, 2) ? 0 : (size_t)below(&s, m->count);
      hc_waitlist_remove(w, m->entries[k].key, m->entries[k].serial);
      model_remove(m, k);
    }
    ask(w, m, &s, h);
    if (i % 97 == 0) totals_agree(w, m);
    if (i % 499 == 0) copy_agrees(w, m, &s, h);
    if (i % 301 == 300) rekey(w, m, &s);
  }
  while (m->count > 0) {
    size_t k = (size_t)below(&s, m->count);
    hc_waitlist_remove(w, m->entries[k].key, m->entries[k].serial);
    model_remove(m, k);
    if (m->count % 8 == 0) ask(w, m, &s, h);
    if (m->count % 64 == 0) totals_agree(w, m);
  }
  assert_int_equal(hc_waitlist_smallest(w), 0);
  hc_waitlist_free(w);
  free(m);
}

static void agrees(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
      follow(seed * 7919 + i, &shapes[i], 12, 600);
      follow(seed * 104729 + i, &shapes[i], 90, 1200);
    }
    follow(31337 + i, &shapes[i], 1200, 5000);
  }
}

/* Some tens at a time, never saved nor sorted anew, so that they stay in the line: tasks step in anywhere,
 * leave from anywhere, and holes are closed. */
static void short_lines_agree(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    uint64_t s = 4999 + i, serial = 1;
    model *m = calloc(1, sizeof *m);
    hc_waitlist *w;
    assert_non_null(m);
    assert_int_equal(hc_waitlist_new(hc_default_allocator(), &w), 0);
    for (int step = 0; step < 20000; step++) {
      if (m->count == 0 || (m->count < 47 && below(&s, 2))) {
        const hc_waiting e = some_entry(&s, &shapes[i], serial++);
        insert(w, m, &e, below(&s, 2));
      } else {
        const size_t k = below(&s, 3) ? (size_t)below(&s, m->count) : m->count - 1;
        hc_waitlist_remove(w, m->entries[k].key, m->entries[k].serial);
        model_remove(m, k);
      }
      ask(w, m, &s, &shapes[i]);
      if (step % 7 == 0) totals_agree(w, m);
    }
    hc_waitlist_free(w);
    free(m);
  }
}

/* The whole queue of five thousand, drained from the front: it visits every entry once, in order. */
static void keeps_the_order(void **state)
{
  (void)state;
  hc_waitlist *w;
  hc_cursor at = {0};
  assert_int_equal(hc_waitlist_new(hc_default_allocator(), &w), 0);
  for (uint64_t i = 0; i < 5000; i++) {
    hc_waiting e = {.key = 0, .serial = i, .task = (hc_task)i, .units = 1 + (int64_t)(i % 7), .estimate = 5};
    assert_int_equal(hc_waitlist_insert(w, &e), 0);
  }
  for (uint64_t i = 0; i < 5000; i++) {
    assert_int_equal(hc_waitlist_next(w, &at, NULL), i);
    if (i % 3 == 0) hc_waitlist_remove(w, 0, i); /* a cursor may stand where an entry was */
  }
  assert_int_equal(hc_waitlist_next(w, &at, NULL), HC_NO_TASK);
  assert_int_equal(at.serial, 4999); /* and stays */
  hc_waitlist_free(w);
}

static void sums_saturate(void **state)
{
  (void)state;
  hc_waitlist *w;
  assert_int_equal(hc_waitlist_new(hc_default_allocator(), &w), 0);
  for (uint64_t i = 0; i < 5; i++) {
    hc_waiting e = {.serial = i, .task = (hc_task)i, .units = INT64_MAX, .estimate = HC_NEVER};
    assert_int_equal(hc_waitlist_insert(w, &e), 0);
  }
  assert_int_equal(hc_waitlist_units(w), INT64_MAX);
  for (uint64_t i = 1; i < 5; i++) hc_waitlist_remove(w, 0, i);
  assert_int_equal(hc_waitlist_units(w), INT64_MAX); /* exactly now, not cut off */
  hc_waiting small = {.serial = 9, .task = 9, .units = 3};
  hc_waitlist_remove(w, 0, 0);
  assert_int_equal(hc_waitlist_insert(w, &small), 0);
  assert_int_equal(hc_waitlist_units(w), 3);
  hc_waitlist_free(w);
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
  for (int allowed = 0; allowed < 12; allowed++) {
    meter m = {allowed};
    hc_allocator a = {&m, metered, NULL};
    rekeying r = {1, 1000};
    hc_waitlist *w;
    size_t n = 0;
    if (hc_waitlist_new(&a, &w) < 0) continue;
    for (; n < 3000; n++) {
      hc_waiting e = {.key = (int64_t)(n * 37 % 3000), .serial = n, .task = (hc_task)n, .units = 1};
      if (hc_waitlist_insert(w, &e) == 0) continue;
      break;
    }
    assert_int_equal(hc_waitlist_count(w), n);
    assert_int_equal(hc_waitlist_units(w), n);
    m.left = 0;
    if (n > 100) assert_int_equal(hc_waitlist_rekey(w, new_key, &r), HC_ENOMEM);
    for (size_t i = 0; i < n; i++) hc_waitlist_remove(w, (int64_t)(i * 37 % 3000), i); /* all still there */
    hc_waitlist_free(w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_the_order),   cmocka_unit_test(sums_saturate),
      cmocka_unit_test(survives_failure),  cmocka_unit_test(agrees),
      cmocka_unit_test(short_lines_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
