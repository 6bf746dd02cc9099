/* test_slurm_backfill.c -- a cycle of Slurm's backfill against the same rules carried out plainly.
 *
 * Nodes, running jobs, among them some that should have ended, and jobs that wait are random. Here a plan is
 * a set of nodes for each minute, windows are tried one after the other, and running jobs are taken away one
 * by one, each with a look at every node of the mask; nothing is noted for the next job, and nothing passed
 * over. Only which nodes are chosen where it fits is asked of nodes.c, with what is free on each node. What
 * starts, what is planned, from when on and on which nodes has to be the same.
 *
 * More cycles follow, while time passes, jobs come and jobs end: what the last one has found is then found
 * again where nothing has changed but the time, and plainly it is sought anew. What there will be room for as
 * running jobs end is kept from cycle to cycle (ends.h): it has to be what it is when made anew.
 *
 * A third world plans only what a start may depend on (deferred.h): as many jobs are tried there, the same
 * ones start on the same nodes, and what is planned is planned as plainly.
 *
 * A failure prints the seed, which makes the cycle again. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/scheduler.h"
#include "sample.h"

enum {
  SEEDS = 600,
  NODES = 150,
  WORDS = 3,
  RUNNING = 160,
  WAITING = 40,
  DIMS = 2,
  MINUTES = 200,
  CYCLES = 4
};

#define BEGIN INT64_C(100000)

typedef struct set {
  uint64_t of[WORDS];
} set;

/* A job that runs, by what it holds. */
typedef struct runs {
  int64_t end;
  uint64_t serial;
  int64_t held[NODES][DIMS];
} runs;

typedef struct wanted {
  hc_task_shape shape;
  int64_t need[DIMS], limit;
  int64_t comes; /* before which cycle */
  bool has_started;
} wanted;

typedef struct decision {
  hc_task job;
  int64_t begin; /* s; the present: it starts */
  set nodes;
} decision;

struct hc_view {
  hc_slurm slurm;
  int64_t now; /* s */
  uint32_t nodes;
  int64_t unit; /* of amounts; 0: nothing is said of that */
  int64_t capacity[DIMS];
  wanted waiting[WAITING];
  size_t waiting_count;
  decision ours[WAITING], theirs[WAITING]; /* of the plain cycle */
  size_t our_count, their_count;
  /* of the plain cycle */
  runs *running[RUNNING + WAITING]; /* by their ends */
  size_t running_count;
  int64_t free[NODES][DIMS];
  set plan[MINUTES];
};
struct hc_plan {
  hc_view *of;
};
typedef hc_view world;

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

static void put(uint64_t *bits, uint32_t i)
{
  bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* ---- the books ---- */

static void *room_for(size_t size)
{
  void *p = hc_alloc(hc_default_allocator(), size);
  assert_non_null(p);
  return p;
}

/* What is free and idle, by what running jobs hold. */
static void count_free(world *w)
{
  hc_slurm_books *b = &w->slurm.books;
  b->sum = 0;
  b->version++;
  b->plain++;
  for (uint32_t h = 0; h < w->nodes; h++) {
    b->on[h] = 0;
    for (int d = 0; d < DIMS; d++) w->free[h][d] = w->capacity[d];
    for (size_t i = 0; i < w->running_count; i++) {
      b->on[h] += w->running[i]->held[h][0] > 0;
      for (int d = 0; d < DIMS; d++) w->free[h][d] -= w->running[i]->held[h][d];
    }
    memcpy(b->free + (size_t)h * DIMS, w->free[h], sizeof w->free[h]);
    b->sum += w->free[h][0];
    b->idle[h / 64] &= ~(UINT64_C(1) << h % 64);
    b->some[h / 64] &= ~(UINT64_C(1) << h % 64);
    if (b->on[h] == 0) put(b->idle, h);
    if (w->free[h][0] > 0) put(b->some, h);
  }
}

/* The running jobs again, as the books have them. */
static void list_running(world *w)
{
  hc_slurm_books *b = &w->slurm.books;
  b->job_count = b->running_count = w->running_count;
  for (size_t i = 0; i < w->running_count; i++) {
    hc_slurm_busy *x = &b->jobs[i];
    x->end = w->running[i]->end;
    x->serial = w->running[i]->serial;
    x->nodes = 0;
    for (uint32_t h = 0; h < w->nodes; h++) {
      if (w->running[i]->held[h][0] == 0) continue;
      memcpy(x->amounts + (size_t)x->nodes * DIMS, w->running[i]->held[h], sizeof w->running[i]->held[h]);
      x->hosts[x->nodes++] = h;
    }
    b->by_end[i] = (uint32_t)i;
  }
  count_free(w);
}

static void add_running(world *w, const runs *x)
{
  size_t at = w->running_count++;
  for (; at > 0 && (w->running[at - 1]->end > x->end ||
                    (w->running[at - 1]->end == x->end && w->running[at - 1]->serial > x->serial));
       at--)
    w->running[at] = w->running[at - 1];
  w->running[at] = room_for(sizeof *x);
  *w->running[at] = *x;
}

static void open_books(world *w)
{
  hc_slurm_books *b = &w->slurm.books;
  const size_t most = RUNNING + WAITING;
  w->slurm.allocator = hc_default_allocator();
  *b = (hc_slurm_books){.s = w->slurm.s,
                        .allocator = w->slurm.allocator,
                        .settings = &w->slurm.settings,
                        .is_open = true,
                        .is_sorted = true,
                        .words = (w->nodes + 63) / 64,
                        .partition_count = 1,
                        .partition_cap = 1,
                        .queue_cap = WAITING,
                        .job_cap = most,
                        .by_end_cap = most,
                        .largest = w->capacity[0],
                        .unit = w->unit};
  b->nodes = (hc_slurm_nodes){.count = w->nodes, .dims = DIMS};
  b->free = room_for(w->nodes * DIMS * sizeof *b->free);
  b->capacity = room_for(w->nodes * DIMS * sizeof *b->capacity);
  b->on = room_for(w->nodes * sizeof *b->on);
  b->weights = room_for(w->nodes * sizeof *b->weights);
  b->idle = room_for(b->words * sizeof *b->idle);
  b->some = room_for(b->words * sizeof *b->some);
  b->up = room_for(b->words * sizeof *b->up);
  b->uniform = room_for(b->words * sizeof *b->uniform);
  b->partitions = room_for(sizeof *b->partitions);
  b->partitions[0].nodes = room_for(b->words * sizeof(uint64_t));
  b->queue = room_for(WAITING * sizeof *b->queue);
  b->jobs = room_for(most * sizeof *b->jobs);
  b->by_end = room_for(most * sizeof *b->by_end);
  b->nodes.weight = b->weights;
  b->nodes.shared = b->shared;
  b->nodes.uniform = b->uniform;
  for (uint32_t i = 0; i < b->words; i++) b->uniform[i] = true;
  for (uint32_t h = 0; h < w->nodes; h++) {
    put(b->up, h);
    put(b->partitions[0].nodes, h);
    memcpy(b->capacity + (size_t)h * DIMS, w->capacity, sizeof w->capacity);
  }
  for (size_t i = 0; i < most; i++) {
    b->jobs[i].host_cap = w->nodes;
    b->jobs[i].amount_cap = w->nodes * DIMS;
    b->jobs[i].hosts = room_for(w->nodes * sizeof(uint32_t));
    b->jobs[i].amounts = room_for(w->nodes * DIMS * sizeof(int64_t));
  }
}

/* ---- what the policy may ask, and what it decides ---- */

static hc_time ask_now(const hc_view *w)
{
  return w->now * HC_SECOND;
}
static void ask_shape(const hc_view *w, hc_task t, hc_task_shape *out)
{
  *out = w->waiting[t].shape;
}
static int64_t ask_demand(const hc_view *w, hc_task t, uint32_t d)
{
  return w->waiting[t].need[d];
}

static void decide(decision *all, size_t *count, hc_task t, int64_t begin, const hc_slurm_choice *c)
{
  decision *x = &all[(*count)++];
  *x = (decision){.job = t, .begin = begin};
  for (size_t i = 0; c && i < c->dealt_count; i++) put(x->nodes.of, c->dealt[i].host);
}

static void hold(world *w, hc_task t, const hc_host_room *dealt, size_t count)
{
  runs x = {.end = w->now + w->waiting[t].limit, .serial = 1000 + t};
  w->waiting[t].has_started = true;
  for (size_t i = 0; i < count; i++)
    for (int d = 0; d < DIMS; d++)
      x.held[dealt[i].host][d] =
          w->waiting[t].shape.is_whole ? w->capacity[d] : w->waiting[t].need[d] * dealt[i].slots;
  add_running(w, &x);
}

static hc_rc start_dealt(hc_plan *p, hc_task t, const hc_host_room *dealt, size_t count)
{
  world *w = p->of;
  decide(w->ours, &w->our_count, t, w->now, &w->slurm.choice);
  hold(w, t, dealt, count);
  list_running(w);
  return 0;
}

static void note(const hc_view *v, hc_task t, hc_note what, hc_task other, hc_time at, int64_t amount)
{
  world *w = (world *)(uintptr_t)v;
  HC_UNUSED(what);
  HC_UNUSED(other);
  HC_UNUSED(amount);
  decide(w->ours, &w->our_count, t, at / HC_SECOND,
         NULL); /* nodes that are planned need not be chosen anew */
  memcpy(w->ours[w->our_count - 1].nodes.of, w->slurm.picked, w->slurm.books.words * sizeof(uint64_t));
}

/* No one asks why a job waits. */
static bool explains_nothing(const hc_view *w)
{
  HC_UNUSED(w);
  return false;
}

static const hc_services services = {.size = sizeof services,
                                     .now = ask_now,
                                     .shape = ask_shape,
                                     .demand = ask_demand,
                                     .start_dealt = start_dealt,
                                     .explaining = explains_nothing,
                                     .note = note};

/* ---- the plain cycle ---- */

static int64_t minute(const world *w, int64_t s)
{
  return s / 60 - w->now / 60;
}

static bool is_same(const set *a, const set *b)
{
  return memcmp(a, b, sizeof *a) == 0;
}

static bool has_more(const set *next, const set *x)
{
  for (int i = 0; i < WORDS; i++)
    if (next->of[i] & ~x->of[i]) return true;
  return false;
}

/* Stretches of time in which the same nodes are free of plans, one after the other. */
static int64_t stretches(const world *w, int64_t minutes)
{
  int64_t n = 1;
  for (int64_t m = 1; m < minutes; m++) n += !is_same(&w->plan[m], &w->plan[m - 1]);
  return n;
}

/* Nodes free of plans from `from` to `to`, ends counted, and when to ask again: see hc_slurm_space_mask. */
static set window(const world *w, int64_t minutes, int64_t from, int64_t to, int64_t *again)
{
  set mask;
  int64_t behind = minutes; /* the first minute of the stretch behind the window */
  memset(&mask, 0xff, sizeof mask);
  *again = 0;
  for (int64_t m = HC_MAX(minute(w, from), 0); m < minutes; m++) {
    const bool begins = m > 0 && !is_same(&w->plan[m], &w->plan[m - 1]);
    if (begins && (w->now / 60 + m) * 60 > to && behind == minutes) behind = m;
    if (begins && m > behind) break;
    for (int i = 0; m < behind && i < WORDS; i++) mask.of[i] &= w->plan[m].of[i];
    if (*again == 0 && m + 1 < minutes && has_more(&w->plan[m + 1], &w->plan[m]))
      *again = (w->now / 60 + m + 1) * 60;
  }
  return mask;
}

static bool fits(world *w, const hc_slurm_ask *ask, int64_t free[][DIMS], const uint32_t *on, const set *mask)
{
  set some = {{0}}, idle = {{0}};
  for (uint32_t h = 0; h < w->nodes; h++) {
    if (free[h][0] > 0) put(some.of, h);
    if (on[h] == 0) put(idle.of, h);
  }
  const hc_slurm_room room = {.free = free[0], .idle = idle.of, .some = some.of, .sum = INT64_MAX};
  return hc_slurm_choose(&w->slurm.books.nodes, ask, &room, mask->of, &w->slurm.choice);
}

static bool is_on(const world *w, const runs *x, const set *mask)
{
  for (uint32_t h = 0; h < w->nodes; h++)
    if (x->held[h][0] > 0 && mask->of[h / 64] >> h % 64 & 1) return true;
  return false;
}

/* When there is room on nodes of the mask, running jobs taken away in batches; 0: never, or not by `again`.
 */
static int64_t find_room(world *w, const hc_slurm_ask *ask, const set *mask, int64_t again)
{
  int64_t free[NODES][DIMS], until = 0, span = 30, last = 0;
  const int64_t linear = w->slurm.settings.bf_window_linear;
  uint32_t on[NODES];
  memcpy(free, w->free, sizeof free);
  for (uint32_t h = 0; h < w->nodes; h++) {
    on[h] = 0;
    for (size_t i = 0; i < w->running_count; i++) on[h] += w->running[i]->held[h][0] > 0;
  }
  if (fits(w, ask, free, on, mask)) return w->now;
  for (size_t i = 0; i < w->running_count; i++) {
    const runs *x = w->running[i];
    const int64_t next = i + 1 < w->running_count ? w->running[i + 1]->end : INT64_MAX;
    for (uint32_t h = 0; h < w->nodes; h++) {
      on[h] -= x->held[h][0] > 0;
      for (int d = 0; d < DIMS; d++) free[h][d] += x->held[h][d];
    }
    if (is_on(w, x, mask)) {
      if (again > 0 && x->end > again) return 0;
      if (until == 0) until = x->end + span - x->end % span;
      last =
          x->end > w->now
              ? x->end
              : HC_MAX(x->end + w->slurm.settings.over_time_limit + w->slurm.settings.kill_wait, w->now + 1);
      if (next <= until + span) continue;
    } else if (i + 1 < w->running_count) {
      continue;
    }
    if (last > 0 && fits(w, ask, free, on, mask)) return last;
    do span = linear > 0 ? span + linear : 2 * span;
    while (next != INT64_MAX && next > until + span);
  }
  return last > 0 && fits(w, ask, free, on, mask) ? last : 0;
}

static void take(world *w, int64_t minutes, int64_t from, int64_t to, const set *nodes)
{
  for (int64_t m = HC_MAX(minute(w, from), 0); m < HC_MIN(minute(w, to), minutes); m++)
    for (int i = 0; i < WORDS; i++) w->plan[m].of[i] &= ~nodes->of[i];
}

static bool is_free(const world *w, int64_t minutes, int64_t from, int64_t to, const set *nodes)
{
  for (int64_t m = HC_MAX(minute(w, from), 0); m < HC_MIN(minute(w, to), minutes); m++)
    if (has_more(nodes, &w->plan[m])) return false;
  return true;
}

static void start_plainly(world *w, hc_task t, int64_t minutes, const hc_slurm_ask *ask, const set *nodes)
{
  const int64_t limit = w->waiting[t].limit;
  bool is_all = true;
  for (uint32_t h = 0; h < w->nodes; h++)
    if (nodes->of[h / 64] >> h % 64 & 1) is_all = is_all && ask->need[0] >= w->capacity[0];
  hold(w, t, w->slurm.choice.dealt, w->slurm.choice.dealt_count);
  count_free(w);
  if (ask->is_whole || (ask->is_spread && is_all)) take(w, minutes, w->now, w->now + limit, nodes);
}

static void try_plainly(world *w, hc_task t, int64_t minutes)
{
  const wanted *x = &w->waiting[t];
  const hc_slurm_ask ask = {.need = x->need,
                            .slots = (uint32_t)x->shape.slots,
                            .least = x->shape.least_hosts,
                            .most = x->shape.most_hosts,
                            .is_spread = x->shape.is_spread,
                            .is_whole = x->shape.is_whole};
  for (int64_t from = w->now, again;;) {
    const set mask = window(w, minutes, from, from + x->limit, &again);
    int64_t start = find_room(w, &ask, &mask, again);
    const bool has = start > 0;
    start = HC_MAX(start, from);
    if (again > 0 && (!has || start > again)) {
      from = again;
      continue;
    }
    if (!has || start > w->now + w->slurm.settings.bf_window * 60) return;
    const decision *d = &w->theirs[w->their_count];
    decide(w->theirs, &w->their_count, t, start, &w->slurm.choice);
    if (start <= w->now) {
      start_plainly(w, t, minutes, &ask, &d->nodes);
      return;
    }
    if (is_free(w, minutes, start, start + x->limit, &d->nodes)) {
      take(w, minutes, start, HC_MAX((start + x->limit) / 60, start / 60 + 1) * 60, &d->nodes);
      return;
    }
    w->their_count--;
    from = start;
  }
}

/* ---- random worlds ---- */

static void add_random_running(world *w, hc_draws *d, uint64_t serial)
{
  runs x = {.serial = serial, .end = w->now - 200 + below(d, 4) * below(d, 4000)};
  const uint32_t first = (uint32_t)below(d, w->nodes), n = 1 + (uint32_t)below(d, below(d, 4) ? 3 : 40);
  bool has = false;
  for (uint32_t h = first; h < HC_MIN(first + n, w->nodes); h++) {
    const int64_t cores = below(d, 2) ? w->capacity[0] : 1 + below(d, w->capacity[0]);
    if (cores > w->free[h][0] || cores > w->free[h][1]) continue;
    for (int i = 0; i < DIMS; i++) x.held[h][i] = cores, w->free[h][i] -= cores;
    has = true;
  }
  if (has) add_running(w, &x);
}

static void add_random_waiting(world *w, hc_draws *d, bool has_memory)
{
  static const int64_t limits[] = {60, 600, 1800, 3600, 7200, 20000};
  const hc_task t = (hc_task)w->waiting_count++;
  const bool is_whole = below(d, 5) == 0, is_spread = !is_whole && below(d, 4) == 0;
  const int64_t most = is_whole || is_spread ? w->nodes : w->nodes * w->capacity[0];
  const int64_t slots = 1 + below(d, 1 + below(d, 3) * most / 3);
  const int64_t cores = below(d, 3) ? 1 : 1 + below(d, w->capacity[0]);
  w->waiting[t] = (wanted){.shape = {.slots = slots,
                                     .is_spread = is_spread,
                                     .is_whole = is_whole,
                                     .least_hosts = 1,
                                     .set = HC_NO_NAME},
                           .need = {cores},
                           .limit = limits[below(d, 6)],
                           .comes = HC_MAX(below(d, 3 * CYCLES) - 2 * CYCLES, 0)};
  if (has_memory) w->waiting[t].need[1] = below(d, 3);
}

/* Those that have come and not started. */
static void queue_up(world *w, int64_t cycle)
{
  hc_slurm_books *b = &w->slurm.books;
  b->queue_count = 0;
  for (hc_task t = 0; t < w->waiting_count; t++)
    if (w->waiting[t].comes <= cycle && !w->waiting[t].has_started)
      b->queue[b->queue_count++] = (hc_slurm_job){.serial = t + 1,
                                                  .submitted = BEGIN - 10,
                                                  .limit = w->waiting[t].limit,
                                                  .task = t,
                                                  .array = HC_NO_NAME,
                                                  .reservation = HC_NO_NAME,
                                                  .qos = HC_SLURM_NONE};
}

static void make(world *w, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  const int64_t running = below(&d, RUNNING);
  memset(w, 0, sizeof *w);
  w->now = BEGIN;
  w->nodes = below(&d, 2) ? NODES : 1 + (uint32_t)below(&d, NODES);
  w->capacity[0] = 1 + below(&d, 16);
  w->capacity[1] = w->capacity[0];
  w->slurm.s = &services;
  hc_slurm_settings_default(&w->slurm.settings);
  w->slurm.settings.bf_window = 30 + below(&d, MINUTES - 40);
  w->slurm.settings.bf_window_linear = below(&d, 4) ? 0 : 45;
  w->slurm.settings.bf_node_space_size = below(&d, 3) ? 0 : 2 + below(&d, 30);
  w->unit = below(&d, 2);
  open_books(w);
  for (uint32_t h = 0; h < w->nodes; h++) memcpy(w->free[h], w->capacity, sizeof w->capacity);
  for (int64_t i = 0; i < running; i++) add_random_running(w, &d, (uint64_t)i + 1);
  const bool has_memory = below(&d, 3) == 0;
  for (int64_t n = 1 + below(&d, WAITING); n > 0; n--) add_random_waiting(w, &d, has_memory);
  list_running(w);
  assert_int_equal(hc_slurm_prepare(&w->slurm), 0);
}

static void forget(world *w)
{
  for (size_t i = 0; i < w->running_count; i++)
    hc_free(hc_default_allocator(), w->running[i], sizeof *w->running[i]);
  w->slurm.books.job_count = RUNNING + WAITING; /* each has room of its own */
  hc_slurm_fini(&w->slurm);
}

/* Some of those that run end, the same in each world. */
static void end_some(world *w, uint64_t seed, int64_t cycle)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 2 + (uint64_t)cycle};
  const int64_t of = 2 + below(&d, 60);
  size_t n = 0;
  for (size_t i = 0; i < w->running_count; i++)
    if (below(&d, of) == 0) hc_free(hc_default_allocator(), w->running[i], sizeof *w->running[i]);
    else w->running[n++] = w->running[i];
  w->running_count = n;
  list_running(w);
}

/* Of one shape: room behind each end on the nodes of each word, and whose end is the next one there. */
static void compare_ends(world *w, hc_slurm_shape *s, uint64_t seed, size_t *followed)
{
  hc_slurm_ends fresh;
  hc_slurm_shape *other;
  bool is_exact;
  const hc_slurm_ask ask = {.need = &s->need, .slots = 1, .least = 1};
  hc_slurm_ends_init(&fresh, &w->slurm.books);
  assert_int_equal(hc_slurm_ends_shape(&w->slurm.ends, &ask, &s, &is_exact), 0);
  assert_int_equal(hc_slurm_ends_shape(&fresh, &ask, &other, &is_exact), 0);
  *followed += s->gains.known > 1;
  for (size_t rank = 0; rank <= w->running_count; rank++)
    for (uint32_t i = 0; i < w->slurm.books.words; i++) {
      uint64_t mask[WORDS] = {0};
      size_t a = 0, b = 0;
      int64_t at, then;
      mask[i] = UINT64_MAX;
      assert_int_equal(hc_slurm_ends_time(&w->slurm.ends, s, rank, &at), 0);
      assert_int_equal(hc_slurm_ends_time(&fresh, other, rank, &then), 0);
      const uint64_t room = hc_slurm_ends_room(&w->slurm.ends, s, rank, mask);
      if (at != then || room != hc_slurm_ends_room(&fresh, other, rank, mask))
        fail_msg("seed %" PRIu64 ": behind end %zu other room is kept on word %u", seed, rank, i);
      (void)hc_slurm_ends_next(&w->slurm.ends, s, mask, rank, &a);
      (void)hc_slurm_ends_next(&fresh, other, mask, rank, &b);
      assert_int_equal(a, b);
    }
  hc_slurm_ends_fini(&fresh);
}

/* @param followed  counts those that were not made anew */
static void compare_room(world *w, uint64_t seed, size_t *followed)
{
  hc_slurm_ends *e = &w->slurm.ends;
  for (size_t i = 0; i < e->shape_count; i++)
    if (e->shapes[i].is_plain) compare_ends(w, &e->shapes[i], seed, followed);
}

static void run_plainly(world *w, int64_t cycle)
{
  const int64_t minutes = minute(w, w->now + w->slurm.settings.bf_window * 60);
  const int64_t most = w->slurm.settings.bf_node_space_size;
  memset(w->plan, 0xff, sizeof w->plan);
  for (hc_task t = 0; t < w->waiting_count && (most == 0 || stretches(w, minutes) < most); t++)
    if (w->waiting[t].comes <= cycle && !w->waiting[t].has_started) try_plainly(w, t, minutes);
}

static world quick, plain, sparing;

/* @return how many of the jobs start */
static size_t compare(uint64_t seed, int64_t cycle)
{
  size_t starts = 0;
  for (size_t i = 0; i < quick.our_count && i < plain.their_count; i++) {
    const decision *a = &quick.ours[i], *b = &plain.theirs[i];
    if (a->job != b->job || a->begin != b->begin || !is_same(&a->nodes, &b->nodes))
      fail_msg("seed %" PRIu64 ", cycle %" PRId64 ": decision %zu is of job %u at %" PRId64
               ", plainly of %u at %" PRId64 ", or on other nodes",
               seed, cycle, i, a->job, a->begin - BEGIN, b->job, b->begin - BEGIN);
    starts += a->begin == quick.now;
  }
  if (quick.our_count != plain.their_count)
    fail_msg("seed %" PRIu64 ", cycle %" PRId64 ": %zu decisions, plainly %zu", seed, cycle, quick.our_count,
             plain.their_count);
  return starts;
}

/* Of what is decided plainly the sparing cycle leaves out plans, and nothing else. */
static void compare_sparing(uint64_t seed, int64_t cycle)
{
  size_t at = 0;
  for (size_t i = 0; i < plain.their_count; i++) {
    const decision *a = at < sparing.our_count ? &sparing.ours[at] : NULL, *b = &plain.theirs[i];
    if (a && a->job == b->job && a->begin == b->begin && is_same(&a->nodes, &b->nodes)) at++;
    else if (b->begin == plain.now)
      fail_msg("seed %" PRIu64 ", cycle %" PRId64
               ": job %u starts, and with few plans it does not, or elsewhere",
               seed, cycle, b->job);
  }
  if (at < sparing.our_count)
    fail_msg("seed %" PRIu64 ", cycle %" PRId64 ": with few plans job %u is decided on otherwise", seed,
             cycle, sparing.ours[at].job);
  if (sparing.slurm.counts.backfill_tried != quick.slurm.counts.backfill_tried)
    fail_msg("seed %" PRIu64 ", cycle %" PRId64 ": with few plans other jobs are tried", seed, cycle);
}

static void run_backfill(world *w, int64_t cycle)
{
  hc_plan p = {w};
  w->our_count = 0;
  queue_up(w, cycle);
  assert_int_equal(hc_slurm_backfill(&w->slurm, w, &p), 0);
}

/* How many jobs of the sparing cycle have started before one in front of them was planned for. */
static size_t starts_at_once(void)
{
  const hc_slurm_deferred *d = &sparing.slurm.deferred;
  size_t n = 0;
  for (size_t i = 0; i < sparing.our_count && d->count > 0; i++)
    n += sparing.ours[i].begin == sparing.now &&
         sparing.slurm.books.queue[d->items[d->first]].task < sparing.ours[i].job;
  return n;
}

static void run_cycle(int64_t cycle)
{
  run_backfill(&quick, cycle);
  run_backfill(&sparing, cycle);
  plain.their_count = 0;
  run_plainly(&plain, cycle);
}

static void test_cycles(void **state)
{
  static const int64_t steps[] = {1, 30, 60, 61, 600, 3000};
  const size_t seeds = hc_test_cases(SEEDS, 100);
  size_t starts = 0, decisions = 0, spared = 0, followed = 0, at_once = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 1};
    make(&quick, seed);
    make(&plain, seed);
    make(&sparing, seed);
    sparing.slurm.defers = true;
    for (int64_t cycle = 0; cycle < CYCLES; cycle++) {
      run_cycle(cycle);
      starts += compare(seed, cycle);
      compare_sparing(seed, cycle);
      decisions += quick.our_count;
      at_once += starts_at_once();
      spared += quick.our_count - sparing.our_count;
      quick.now = sparing.now = plain.now += steps[below(&d, 6)];
      end_some(&quick, seed, cycle);
      end_some(&sparing, seed, cycle);
      end_some(&plain, seed, cycle);
      compare_room(&quick, seed, &followed);
    }
    forget(&quick);
    forget(&plain);
    forget(&sparing);
  }
  assert_in_range(at_once, seeds / 100, starts);
  assert_in_range(followed, seeds / 4, seeds * CYCLES * HC_SLURM_SHAPES);
  assert_in_range(starts, seeds, seeds * WAITING); /* both kinds are there */
  assert_in_range(decisions - starts, seeds, seeds * WAITING * CYCLES);
  assert_in_range(spared, (decisions - starts) / 4,
                  decisions - starts - seeds); /* some are needed all the same */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cycles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
