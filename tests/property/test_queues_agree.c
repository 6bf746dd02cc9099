/* test_queues_agree.c -- all event queues agree with each other and with a sorted array, whatever is done to
 * them.
 *
 * A history is random pushes, pops, peeks, moves and cancels, from a seed; times come from a range that is
 * narrow in some histories (so that most events tie) and wide in others (so that every bucket is used).
 * Some events have no handle until one of them is to be moved or cancelled; then all get theirs.
 * Now and then all queues are saved and replaced by what was loaded, sometimes into another kind. In
 * every third history memory is scarce: a push or a move may then be refused, but must change nothing, and
 * a pop must work all the same. The model is an array kept in order by insertion: too simple to be wrong.
 * A failure prints its seed and step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/state.h"
#include "base/util.h"
#include "kernel/queue.h"

#define MOST 600
#define KINDS 3

static const hc_queue_kind kinds[KINDS] = {HC_QUEUE_HEAP, HC_QUEUE_RADIX, HC_QUEUE_WHEEL};

typedef struct pair {
  hc_event event;
  hc_event_handle handle[KINDS]; /* of each queue */
} pair;

typedef struct world {
  uint64_t seed, random, next_key, span;
  hc_allocator allocator;
  bool is_scarce; /* most allocations are refused */
  bool is_named;  /* handles were given in the order of a kind's arrays: they may differ from now on */
  int step;
  hc_queue *queues[KINDS];
  pair model[MOST]; /* in order */
  size_t count;
  hc_time now; /* last popped */
} world;

#define CHECK(w, e) \
  do { \
    if (!(e)) fail_msg("seed %llu, step %d: not %s", (unsigned long long)(w)->seed, (w)->step, #e); \
  } while (0)

static uint64_t draw(world *w, uint64_t below)
{
  uint64_t z = w->random += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % below;
}

static void *resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  world *w = ctx;
  HC_UNUSED(old_size);
  if (new_size == 0) {
    free(p);
    return NULL;
  }
  if (w->is_scarce && draw(w, 8) > 0) return NULL;
  return realloc(p, new_size);
}

static hc_time draw_time(world *w)
{
  if (draw(w, 200) == 0) return HC_NEVER;
  /* Spans of every size, so that low and high bits of the time differ. */
  uint64_t span = 1 + (w->span >> draw(w, 40));
  return hc_time_add(w->now, (hc_time)draw(w, span));
}

static bool before(const hc_event *a, const hc_event *b)
{
  if (a->time != b->time) return a->time < b->time;
  if (a->phase != b->phase) return a->phase < b->phase;
  return a->key < b->key;
}

static void insert(world *w, pair p)
{
  size_t i = w->count++;
  for (; i > 0 && before(&p.event, &w->model[i - 1].event); i--) w->model[i] = w->model[i - 1];
  w->model[i] = p;
}

static pair take(world *w, size_t i)
{
  pair p = w->model[i];
  memmove(&w->model[i], &w->model[i + 1], (--w->count - i) * sizeof p);
  return p;
}

static void push(world *w)
{
  pair p = {
      .event = {.time = draw_time(w), .phase = (uint32_t)draw(w, 4), .payload = (uint32_t)draw(w, 1000)}};
  if (w->count == MOST) return;
  p.event.key = w->next_key++ * 0x9e3779b97f4a7c15u; /* distinct, and of all sizes */
  hc_rc rc[KINDS];
  bool all = true;
  const bool nameless = !w->is_scarce && draw(w, 3) == 0;
  for (int k = 0; k < KINDS; k++) {
    p.handle[k] = HC_NO_EVENT;
    rc[k] = hc_queue_push(w->queues[k], &p.event, nameless ? NULL : &p.handle[k]);
    CHECK(w, rc[k] == 0 || (w->is_scarce && rc[k] == HC_ENOMEM));
    all &= rc[k] == 0;
  }
  if (all) {
    CHECK(w, (p.handle[0] == p.handle[1] && p.handle[0] == p.handle[2]) || w->is_scarce || w->is_named);
    insert(w, p);
    return;
  }
  for (int k = 0; k < KINDS; k++) {
    if (rc[k] == 0) hc_queue_cancel(w->queues[k], p.handle[k]);
  }
}

static void pop(world *w)
{
  for (int k = 0; k < KINDS; k++) {
    hc_event e;
    bool some = hc_queue_pop(w->queues[k], &e);
    CHECK(w, some == (w->count > 0));
    if (some) CHECK(w, memcmp(&e, &w->model[0].event, sizeof e) == 0);
  }
  if (w->count > 0) w->now = take(w, 0).event.time;
  if (w->now == HC_NEVER)
    w->now = 0; /* only "never" was left: begin again, with whatever bases the queues have */
}

/* Only what is due, and only of the phases asked for. */
static void pop_due(world *w)
{
  const hc_time until = draw_time(w);
  const hc_phase first = (hc_phase)draw(w, 4),
                 last = (hc_phase)((uint32_t)first + draw(w, 4u - (uint32_t)first));
  const hc_event *next = &w->model[0].event;
  const bool due =
      w->count > 0 && next->time <= until && next->phase >= (uint32_t)first && next->phase <= (uint32_t)last;
  for (int k = 0; k < KINDS; k++) {
    hc_event e;
    CHECK(w, hc_queue_pop_due(w->queues[k], until, first, last, &e) == due);
    if (due) CHECK(w, memcmp(&e, next, sizeof e) == 0);
  }
  if (due) w->now = take(w, 0).event.time;
  if (w->now == HC_NEVER) w->now = 0;
}

static void peek(world *w)
{
  for (int k = 0; k < KINDS; k++) {
    hc_event e;
    hc_time until = draw_time(w);
    bool some = hc_queue_due(w->queues[k], until, &e);
    CHECK(w, some == (w->count > 0 && w->model[0].event.time <= until));
    if (some) CHECK(w, memcmp(&e, &w->model[0].event, sizeof e) == 0);
    some = hc_queue_peek(w->queues[k], &e);
    CHECK(w, some == (w->count > 0));
    if (some) CHECK(w, memcmp(&e, &w->model[0].event, sizeof e) == 0);
  }
}

typedef struct naming {
  world *w;
  int kind;
} naming;

static void named(void *ctx, const hc_event *event, hc_event_handle handle)
{
  const naming *n = ctx;
  size_t i = 0;
  while (i < n->w->count && memcmp(&n->w->model[i].event, event, sizeof *event) != 0) i++;
  CHECK(n->w, i < n->w->count && n->w->model[i].handle[n->kind] == HC_NO_EVENT);
  n->w->model[i].handle[n->kind] = handle;
}

/* Take one out of the model, by whose handles it may be found. */
static pair take_any(world *w)
{
  const size_t i = draw(w, w->count);
  const bool is_nameless = w->model[i].handle[0] == HC_NO_EVENT;
  w->is_named |= is_nameless;
  for (int k = 0; k < KINDS; k++)
    if (w->model[i].handle[k] == HC_NO_EVENT)
      CHECK(w, hc_queue_name(w->queues[k], named, &(naming){w, k}) == 0);
  for (size_t x = 0; x < w->count && is_nameless; x++)
    CHECK(w, w->model[x].handle[0] != HC_NO_EVENT); /* all have one now */
  return take(w, i);
}

static void move(world *w)
{
  if (w->count == 0) return;
  pair p = take_any(w);
  p.event.time = draw_time(w);
  hc_rc rc[KINDS];
  bool all = true;
  for (int k = 0; k < KINDS; k++) {
    rc[k] = hc_queue_move(w->queues[k], p.handle[k], p.event.time);
    CHECK(w, rc[k] == 0 || (w->is_scarce && rc[k] == HC_ENOMEM));
    all &= rc[k] == 0;
  }
  if (all) {
    insert(w, p);
    return;
  }
  /* Some moved and others did not: drop it from all. */
  for (int k = 0; k < KINDS; k++) hc_queue_cancel(w->queues[k], p.handle[k]);
}

static void cancel(world *w)
{
  if (w->count == 0) return;
  pair p = take_any(w);
  for (int k = 0; k < KINDS; k++) hc_queue_cancel(w->queues[k], p.handle[k]);
}

static void digest(world *w, hc_queue *q, uint64_t out[2])
{
  hc_hash h;
  hc_hash_init(&h);
  hc_visitor v = {.mode = HC_VISIT_HASH, .hash = &h};
  CHECK(w, hc_queue_visit(q, &v) == 0);
  hc_hash_end(&h, out);
}

/* Save all, load each into a new queue: of its own kind or of another. The digests never change. */
static void cut(world *w)
{
  const hc_allocator *a = &w->allocator;
  uint64_t d[2], first[2];
  uint64_t turn = draw(w, KINDS);
  digest(w, w->queues[0], first);
  for (int k = 0; k < KINDS; k++) {
    hc_buffer b;
    hc_queue *q;
    hc_buffer_init(&b, a);
    hc_visitor out = {.mode = HC_VISIT_SAVE, .allocator = a, .out = &b};
    CHECK(w, hc_queue_visit(w->queues[k], &out) == 0);
    CHECK(w, hc_queue_new(a, kinds[((uint64_t)k + turn) % KINDS], &q) == 0);
    hc_visitor in = {.mode = HC_VISIT_LOAD, .allocator = a, .in = (const uint8_t *)b.data, .left = b.size};
    CHECK(w, hc_queue_visit(q, &in) == 0);
    CHECK(w, in.left == 0);
    digest(w, q, d);
    CHECK(w, memcmp(d, first, sizeof d) == 0);
    hc_buffer_fini(&b);
    hc_queue_free(w->queues[k]);
    w->queues[k] = q;
  }
}

static void history(uint64_t seed, int steps)
{
  static const uint64_t spans[] = {1, 4, 50, (uint64_t)1 << 34, (uint64_t)1 << 61};
  world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->seed = w->random = seed;
  w->allocator = (hc_allocator){.ctx = w, .resize = resize};
  w->span = spans[seed % HC_ARRAY_LEN(spans)];
  for (int k = 0; k < KINDS; k++) {
    CHECK(w, hc_queue_new(&w->allocator, kinds[k], &w->queues[k]) == 0);
  }
  w->is_scarce = seed % 3 == 0;
  for (w->step = 0; w->step < steps; w->step++) {
    /* Grow for the first part of each thousand steps, then shrink, so that both full and empty are met. */
    uint64_t pushes = w->step % 1000 < 600 ? 50 : 25;
    uint64_t what = draw(w, 100);
    if (what < pushes) push(w);
    else if (what < 60) pop(w);
    else if (what < 70) pop_due(w);
    else if (what < 75) peek(w);
    else if (what < 90) move(w);
    else if (what < 99) cancel(w);
    else if (!w->is_scarce) cut(w);
    for (int k = 0; k < KINDS; k++) CHECK(w, hc_queue_count(w->queues[k]) == w->count);
  }
  while (w->count > 0) pop(w);
  pop(w);
  for (int k = 0; k < KINDS; k++) hc_queue_free(w->queues[k]);
  free(w);
}

static void test_queues_agree(void **state)
{
  HC_UNUSED(state);
  for (uint64_t seed = 1; seed <= 100; seed++) history(seed, 3000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_queues_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
