/* test_fluid.c -- the fluid solver against one that fills all levels anew, whatever is done to both.
 *
 * A history is random starts, cancellations, changes of factors and of capacities, and steps to the next
 * end, from a seed. Some histories have whole numbers, so that most levels tie, some have weights, costs,
 * bounds, delays, fatpipes and throughput tables, in some each flow loads its way back a little. After each
 * call
 *
 *   - each rate is that of the model (relative 1e-12), which fills from nothing by the definition;
 *   - no resource is over capacity, and each activity is at its bound, or on a full resource on which none
 *     has a higher level (both follow from the first, and are asked of the solver's own answers);
 *   - work done is the sum of rate x time in the model, until the end or a cancellation;
 *   - ends come at the first whole ns at which the model's work is done, or at the ns beside it where work
 *     sits on the edge.
 *
 * Now and then the solver is replaced by what was loaded from it, or a copy goes along and must say the
 * same, bit for bit. The same set of activities, started in another order, has the same rates. A failure
 * prints its seed and step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/state.h"
#include "base/util.h"
#include "execution/fluid.h"
#include "sample.h"

#define LINKS 24
#define FLOWS 60
#define USES 6
#define TABLE 4
#define INF __builtin_inf()

typedef struct mlink {
  double capacity, table[TABLE];
  bool is_fatpipe, has_table;
  double used;
} mlink;

enum { GONE, DELAYED, RUNS };

typedef struct mflow {
  int state;
  double work, left, bound, cost, factor, rate;
  hc_time begins;
  hc_fluid_use uses[USES];
  size_t count;
  hc_fluid_id id;
  uint64_t serial;
} mflow;

typedef struct world {
  uint64_t seed, random, serial;
  int step;
  hc_fluid *f, *twin;
  mlink links[LINKS];
  size_t link_count;
  mflow flows[FLOWS];
  hc_time now;
  bool is_whole, has_weights, has_costs, has_bounds, has_delays, has_kinds, has_zero, has_ways;
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

static double unit(world *w)
{
  return (double)draw(w, 1u << 30) / (1u << 30);
}

/* ---- the model ---- */

static size_t sharing(const world *w, uint32_t link)
{
  size_t n = 0;
  for (size_t i = 0; i < FLOWS; i++) {
    const mflow *m = &w->flows[i];
    if (m->state != RUNS || m->factor == 0) continue;
    for (size_t u = 0; u < m->count; u++)
      if (m->uses[u].resource == link && m->uses[u].weight > 0) {
        n++;
        break;
      }
  }
  return n;
}

static double capacity_of(const world *w, uint32_t link)
{
  const mlink *l = &w->links[link];
  const size_t n = sharing(w, link);
  return !l->has_table || n == 0 ? l->capacity : l->capacity * l->table[HC_MIN(n, (size_t)TABLE) - 1];
}

static double weight_on(const mflow *m, uint32_t link)
{
  double sum = 0;
  for (size_t u = 0; u < m->count; u++) sum += m->uses[u].resource == link ? m->uses[u].weight : 0;
  return sum;
}

/* Fills from nothing: the next level is the least at which a link is full or a bound is met. */
static void fill(world *w)
{
  double level[FLOWS], bound[FLOWS];
  bool is_set[FLOWS];
  for (size_t i = 0; i < FLOWS; i++) {
    mflow *m = &w->flows[i];
    is_set[i] = m->state != RUNS || m->factor == 0;
    level[i] = 0;
    bound[i] = m->bound > 0 ? m->bound * m->cost : INF;
    for (uint32_t r = 0; r < w->link_count && !is_set[i]; r++) {
      const double a = weight_on(m, r) * m->factor / m->cost;
      if (w->links[r].is_fatpipe && a > 0) bound[i] = HC_MIN(bound[i], w->links[r].capacity / a);
    }
  }
  for (;;) {
    double least = INF;
    uint32_t full = UINT32_MAX;
    size_t bounded = SIZE_MAX;
    for (size_t i = 0; i < FLOWS; i++)
      if (!is_set[i] && bound[i] < least) {
        least = bound[i];
        bounded = i;
      }
    for (uint32_t r = 0; r < w->link_count; r++) {
      double taken = 0, asked = 0, at;
      if (w->links[r].is_fatpipe) continue;
      for (size_t i = 0; i < FLOWS; i++) {
        const mflow *m = &w->flows[i];
        const double a = m->state == RUNS ? weight_on(m, r) * m->factor / m->cost : 0;
        if (is_set[i]) taken += a * level[i];
        else asked += a;
      }
      if (asked == 0) continue;
      at = HC_MAX(capacity_of(w, r) - taken, 0) / asked;
      if (at < least) {
        least = at;
        full = r;
        bounded = SIZE_MAX;
      }
    }
    if (bounded != SIZE_MAX) {
      is_set[bounded] = true;
      level[bounded] = least;
    } else if (full != UINT32_MAX) {
      for (size_t i = 0; i < FLOWS; i++)
        if (!is_set[i] && weight_on(&w->flows[i], full) > 0) {
          is_set[i] = true;
          level[i] = least;
        }
    } else {
      break;
    }
  }
  for (size_t i = 0; i < FLOWS; i++)
    w->flows[i].rate = is_set[i] ? level[i] * w->flows[i].factor / w->flows[i].cost : INF;
}

static void go_on(world *w, hc_time now)
{
  const double seconds = (double)(now - w->now) * 1e-9;
  for (size_t i = 0; i < FLOWS; i++) {
    mflow *m = &w->flows[i];
    if (m->state == RUNS && m->rate > 0) {
      const double done = m->rate == INF ? m->left : HC_MIN(m->rate * seconds, m->left);
      m->left -= done;
      for (size_t u = 0; u < m->count; u++) w->links[m->uses[u].resource].used += m->uses[u].weight * done;
    }
  }
  w->now = now;
}

static bool is_near(double a, double b, double tolerance)
{
  const double difference = a > b ? a - b : b - a, most = HC_MAX(a < 0 ? -a : a, b < 0 ? -b : b);
  return a == b || difference <= tolerance * most;
}

/* ---- comparing ---- */

static void check_rates(world *w)
{
  double rates[FLOWS];
  for (size_t i = 0; i < FLOWS; i++) {
    const mflow *m = &w->flows[i];
    double done = -1;
    if (m->state == GONE) continue;
    CHECK(w, hc_fluid_rate(w->f, w->now, m->id, &rates[i]) == 0);
    if (m->state == DELAYED) {
      CHECK(w, rates[i] == 0);
      continue;
    }
    if (!is_near(rates[i], m->rate, 1e-12))
      fail_msg("seed %llu, step %d: flow %zu has rate %.17g, not %.17g", (unsigned long long)w->seed, w->step,
               i, rates[i], m->rate);
    CHECK(w, hc_fluid_done(w->f, w->now, m->id, &done) == 0);
    CHECK(w, is_near(done + m->work, m->work - m->left + m->work, 1e-11));
  }
  for (uint32_t r = 0; r < w->link_count; r++) {
    double load = -1, used = -1;
    CHECK(w, hc_fluid_load(w->f, w->now, r, &load) == 0);
    if (!w->links[r].is_fatpipe) CHECK(w, load <= capacity_of(w, r) * (1 + 1e-12));
    CHECK(w, hc_fluid_used(w->f, w->now, r, &used) == 0);
    CHECK(w, is_near(used + 1, w->links[r].used + 1, 1e-9));
  }
  for (size_t i = 0; i < FLOWS; i++) {
    const mflow *m = &w->flows[i];
    uint32_t r = 7;
    double load;
    if (m->state != RUNS || m->factor == 0 || rates[i] == INF) continue;
    CHECK(w, hc_fluid_bottleneck(w->f, w->now, m->id, &r) == 0);
    if (r == UINT32_MAX) {
      CHECK(w, is_near(rates[i], m->bound * m->factor, 1e-12));
      continue;
    }
    if (w->links[r].is_fatpipe) {
      CHECK(w, is_near(rates[i] * weight_on(m, r), w->links[r].capacity, 1e-12));
      continue;
    }
    CHECK(w, hc_fluid_load(w->f, w->now, r, &load) == 0);
    CHECK(w, is_near(load, capacity_of(w, r), 1e-12));
    for (size_t j = 0; j < FLOWS; j++) {
      const mflow *o = &w->flows[j];
      if (o->state != RUNS || o->factor == 0 || weight_on(o, r) == 0) continue;
      CHECK(w, rates[j] * o->cost / o->factor <= rates[i] * m->cost / m->factor * (1 + 1e-12));
    }
  }
}

static void check_twin(world *w)
{
  for (size_t i = 0; i < FLOWS; i++) {
    double a = 0, b = 1, c = 0, d = 1;
    if (w->flows[i].state == GONE) continue;
    CHECK(w, hc_fluid_rate(w->f, w->now, w->flows[i].id, &a) == 0);
    CHECK(w, hc_fluid_rate(w->twin, w->now, w->flows[i].id, &b) == 0);
    CHECK(w, hc_fluid_done(w->f, w->now, w->flows[i].id, &c) == 0);
    CHECK(w, hc_fluid_done(w->twin, w->now, w->flows[i].id, &d) == 0);
    CHECK(w, memcmp(&a, &b, sizeof a) == 0 && memcmp(&c, &d, sizeof c) == 0);
  }
}

/* ---- what is done ---- */

#define BOTH(w, call) \
  do { \
    hc_fluid *f = (w)->f; \
    CHECK((w), (call) == 0); \
    f = (w)->twin; \
    if (f) CHECK((w), (call) == 0); \
  } while (0)

static double amount(world *w, double most)
{
  return w->is_whole ? (double)(1 + draw(w, (uint64_t)most)) : most * (0.01 + unit(w));
}

/* A flow loads the links of its way and, a twentieth of that, those of the way back, as SimGrid's do; where
 * links are alike, links of one level then fill because of what passes others. */
static void draw_ways(world *w, mflow *m)
{
  const size_t there = 1 + draw(w, USES / 2);
  m->count = 2 * there;
  for (size_t u = 0; u < m->count; u++) {
    m->uses[u].resource = (uint32_t)draw(w, w->link_count);
    m->uses[u].weight = u < there ? 1 : 0.05;
  }
}

static void begin(world *w)
{
  size_t at = draw(w, FLOWS);
  mflow *m = &w->flows[at];
  hc_fluid_activity a;
  if (m->state != GONE) return;
  memset(m, 0, sizeof *m);
  m->count = draw(w, USES + 1);
  for (size_t u = 0; u < m->count; u++) {
    m->uses[u].resource = (uint32_t)draw(w, w->link_count);
    m->uses[u].weight = w->has_weights ? (draw(w, 10) == 0 ? 0 : amount(w, 3)) : 1;
  }
  if (w->has_ways) draw_ways(w, m);
  m->bound = m->count == 0 || (w->has_bounds && draw(w, 3) == 0) ? amount(w, 20) : 0;
  m->cost = w->has_costs ? amount(w, 4) : 1;
  m->work = draw(w, 50) == 0 ? 0 : amount(w, 1000);
  m->left = m->work;
  m->factor = 1;
  m->serial = w->serial / 3; /* ties, which go by the order of starts */
  w->serial++;
  m->begins = w->now + (w->has_delays && draw(w, 2) == 0 ? (hc_time)draw(w, 20) * HC_SECOND / 2 : 0);
  m->state = m->begins > w->now ? DELAYED : RUNS;
  a = (hc_fluid_activity){.uses = m->uses,
                          .count = m->count,
                          .work = m->work,
                          .bound = m->bound,
                          .cost = m->cost == 1 ? 0 : m->cost,
                          .delay = m->begins - w->now,
                          .tag = at,
                          .serial = m->serial};
  BOTH(w, hc_fluid_start(f, w->now, &a, &m->id));
}

static mflow *some(world *w)
{
  mflow *m = &w->flows[draw(w, FLOWS)];
  return m->state == GONE ? NULL : m;
}

static void cancel(world *w)
{
  mflow *m = some(w);
  double done = -1, other;
  if (!m) return;
  CHECK(w, hc_fluid_cancel(w->f, w->now, m->id, &done) == 0);
  CHECK(w, is_near(done + m->work, m->work - m->left + m->work, 1e-11));
  CHECK(w, done >= 0 && done <= m->work);
  if (w->twin) CHECK(w, hc_fluid_cancel(w->twin, w->now, m->id, &other) == 0 && other == done);
  CHECK(w, hc_fluid_cancel(w->f, w->now, m->id, &other) == HC_EINPUT);
  m->state = GONE;
}

static void change(world *w)
{
  static const double factors[] = {0, 0.5, 1, 1, 2};
  mflow *m = some(w);
  if (!m) return;
  m->factor = factors[draw(w, HC_ARRAY_LEN(factors))];
  BOTH(w, hc_fluid_change(f, w->now, m->id, m->factor));
}

static void set(world *w)
{
  const uint32_t r = (uint32_t)draw(w, w->link_count);
  mlink *l = &w->links[r];
  l->capacity = w->has_zero && draw(w, 4) == 0 ? 0 : amount(w, l->has_table ? 3 : 100);
  BOTH(w, hc_fluid_set(f, w->now, r, l->capacity));
}

/* Time until the model's next end or the end of a delay. */
static double model_next(const world *w)
{
  double least = INF;
  for (size_t i = 0; i < FLOWS; i++) {
    const mflow *m = &w->flows[i];
    double at = INF;
    if (m->state == DELAYED) at = (double)(m->begins - w->now);
    if (m->state == RUNS && m->left == 0) at = 0;
    else if (m->state == RUNS && m->rate > 0) at = m->left / m->rate * 1e9;
    least = HC_MIN(least, at);
  }
  return least;
}

/* Nothing holds it back: it takes no time. */
static bool is_free(const mflow *m)
{
  double sum = m->bound;
  for (size_t u = 0; u < m->count; u++) sum += m->uses[u].weight;
  return sum == 0 && m->factor > 0;
}

static void tell_ends(world *w)
{
  hc_fluid_end e, other;
  uint64_t last = 0;
  hc_rc rc;
  for (size_t i = 0; i < FLOWS; i++) {
    mflow *m = &w->flows[i];
    if (m->state == DELAYED && m->begins <= w->now) m->state = RUNS;
    if (m->state == RUNS && is_free(m)) m->left = 0;
  }
  while ((rc = hc_fluid_advance(w->f, w->now, &e)) == 1) {
    mflow *m = &w->flows[e.tag];
    CHECK(w, e.tag < FLOWS && m->state != GONE && e.work == m->work);
    if (m->work > 0 && !is_free(m)) {
      CHECK(w, m->serial >= last);
      last = m->serial;
    }
    /* what is left takes less than a ns and a half, or is lost in the digits of the work */
    if (m->left > 0) CHECK(w, m->left <= m->rate * 1.5e-9 + 1e-11 * m->work);
    m->state = GONE;
    if (w->twin) CHECK(w, hc_fluid_advance(w->twin, w->now, &other) == 1 && other.tag == e.tag);
  }
  CHECK(w, rc == 0);
  if (w->twin) CHECK(w, hc_fluid_advance(w->twin, w->now, &other) == 0);
}

/* What has no work, or takes no time, ends at the instant at which it begins. */
static void end_at_once(world *w)
{
  hc_time at;
  for (;;) {
    fill(w);
    BOTH(w, hc_fluid_next(f, &at)); /* a question works out levels, for both */
    if (at > w->now) break;
    tell_ends(w);
  }
}

static void wait_for_end(world *w, bool whole_way)
{
  hc_time at = 0, other;
  double expected;
  fill(w);
  expected = model_next(w);
  CHECK(w, hc_fluid_next(w->f, &at) == 0);
  if (w->twin) CHECK(w, hc_fluid_next(w->twin, &other) == 0 && other == at);
  if (expected == INF || expected > 1e17) {
    CHECK(w, at == HC_NEVER || expected != INF);
    return;
  }
  if (!((double)(at - w->now) >= expected * (1 - 1e-11) - 1 &&
        (double)(at - w->now) <= expected * (1 + 1e-11) + 2))
    fail_msg("seed %llu, step %d: next end after %lld ns, not %.3f", (unsigned long long)w->seed, w->step,
             (long long)(at - w->now), expected);
  go_on(w, whole_way ? at : w->now + (hc_time)(unit(w) * (double)(at - w->now)));
  if (w->now == at) tell_ends(w);
}

/* ---- snapshots ---- */

static hc_fluid *copy(world *w)
{
  hc_buffer out;
  hc_fluid *f = NULL;
  hc_hash a, b;
  uint64_t x[2], y[2];
  hc_buffer_init(&out, hc_default_allocator());
  hc_hash_init(&a);
  hc_hash_init(&b);
  CHECK(w, hc_fluid_visit(w->f,
                          &(hc_visitor){.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .out = &out}) == 0);
  CHECK(w, hc_fluid_new(hc_default_allocator(), NULL, &f) == 0);
  CHECK(w, hc_fluid_visit(f, &(hc_visitor){.calls = &hc_state_calls,
                                           .mode = HC_VISIT_LOAD,
                                           .allocator = hc_default_allocator(),
                                           .in = (const uint8_t *)out.data,
                                           .left = out.size}) == 0);
  CHECK(w, hc_fluid_visit(w->f, &(hc_visitor){.calls = &hc_state_calls, .mode = HC_VISIT_HASH, .hash = &a}) ==
               0);
  CHECK(w,
        hc_fluid_visit(f, &(hc_visitor){.calls = &hc_state_calls, .mode = HC_VISIT_HASH, .hash = &b}) == 0);
  hc_hash_end(&a, x);
  hc_hash_end(&b, y);
  CHECK(w, x[0] == y[0] && x[1] == y[1]);
  hc_buffer_fini(&out);
  return f;
}

static void snapshot(world *w)
{
  hc_fluid *f = copy(w);
  if (draw(w, 2) == 0) {
    hc_fluid_free(w->twin);
    w->twin = f;
  } else {
    hc_fluid_free(w->f);
    w->f = f;
  }
}

/* The same activities in another order, at once: the same rates. */
static void check_order(world *w)
{
  hc_fluid *f = NULL;
  hc_fluid_id ids[FLOWS];
  fill(w);
  CHECK(w, hc_fluid_new(hc_default_allocator(), NULL, &f) == 0);
  for (uint32_t r = 0; r < w->link_count; r++) {
    const mlink *l = &w->links[r];
    uint32_t id;
    const hc_fluid_resource x = {.capacity = l->capacity,
                                 .sharing = l->is_fatpipe ? HC_FLUID_FATPIPE : HC_FLUID_SHARED,
                                 .throughput = l->has_table ? l->table : NULL,
                                 .count = l->has_table ? TABLE : 0};
    CHECK(w, hc_fluid_add(f, &x, &id) == 0 && id == r);
  }
  for (size_t i = FLOWS; i-- > 0;) {
    const mflow *m = &w->flows[i];
    const hc_fluid_activity a = {
        .uses = m->uses, .count = m->count, .work = 1, .bound = m->bound, .cost = m->cost};
    if (m->state != RUNS) continue;
    CHECK(w, hc_fluid_start(f, 0, &a, &ids[i]) == 0);
    if (m->factor != 1) CHECK(w, hc_fluid_change(f, 0, ids[i], m->factor) == 0);
  }
  for (size_t i = 0; i < FLOWS; i++) {
    double rate = -1;
    if (w->flows[i].state != RUNS) continue;
    CHECK(w, hc_fluid_rate(f, 0, ids[i], &rate) == 0);
    CHECK(w, is_near(rate, w->flows[i].rate, 1e-12));
  }
  hc_fluid_free(f);
}

/* ---- histories ---- */

static void add_links(world *w)
{
  w->link_count = 1 + draw(w, LINKS);
  if (draw(w, 4) == 0) w->link_count = 1 + draw(w, 3);
  for (uint32_t r = 0; r < w->link_count; r++) {
    mlink *l = &w->links[r];
    uint32_t id;
    hc_fluid_resource x;
    l->is_fatpipe = w->has_kinds && draw(w, 5) == 0;
    l->has_table = w->has_kinds && !l->is_fatpipe && draw(w, 3) == 0;
    l->capacity = amount(w, l->has_table ? 3 : w->is_whole && draw(w, 2) == 0 ? 5 : 100);
    if (w->has_ways && !l->has_table) l->capacity = 1 + (double)draw(w, 2);
    for (size_t i = 0; i < TABLE; i++) l->table[i] = amount(w, 60);
    x = (hc_fluid_resource){.capacity = l->capacity,
                            .sharing = l->is_fatpipe ? HC_FLUID_FATPIPE : HC_FLUID_SHARED,
                            .throughput = l->has_table ? l->table : NULL,
                            .count = l->has_table ? TABLE : 0};
    CHECK(w, hc_fluid_add(w->f, &x, &id) == 0 && id == r);
  }
}

static void history(uint64_t seed)
{
  world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->seed = w->random = seed;
  w->is_whole = draw(w, 2) == 0;
  w->has_weights = draw(w, 2) == 0;
  w->has_costs = draw(w, 2) == 0;
  w->has_bounds = draw(w, 2) == 0;
  w->has_delays = draw(w, 2) == 0;
  w->has_kinds = draw(w, 2) == 0;
  w->has_zero = draw(w, 3) == 0;
  w->has_ways = draw(w, 3) == 0;
  assert_int_equal(hc_fluid_new(hc_default_allocator(), NULL, &w->f), 0);
  add_links(w);
  for (w->step = 0; w->step < 400; w->step++) {
    const uint64_t what = draw(w, 100);
    const uint64_t starts = w->step / 100 % 2 == 0 ? 45 : 20;
    if (what < starts) begin(w);
    else if (what < 55) wait_for_end(w, draw(w, 3) > 0);
    else if (what < 65) cancel(w);
    else if (what < 75) change(w);
    else if (what < 80) set(w);
    else if (what < 82) snapshot(w);
    else if (what < 83 && w->twin) check_twin(w);
    else if (what < 84) check_order(w);
    if (draw(w, 3) == 0) continue; /* several changes in an instant */
    end_at_once(w);
    check_rates(w);
  }
  hc_fluid_free(w->f);
  hc_fluid_free(w->twin);
  free(w);
}

static void test_histories(void **state)
{
  const unsigned n = hc_test_is_soak() ? 3000 : hc_test_cases(500, 100);
  HC_UNUSED(state);
  for (unsigned seed = 1; seed <= n; seed++) history(seed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_histories)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
