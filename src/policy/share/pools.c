/* pools.c -- the tree of pools: curves from the leaves up, fair shares from the root down.
 *
 * A fair pool at fit factor f in [0, 1] offers member c the share min(1, f w_c / w_min), so its F is the sum
 * of the members' curves, each stretched: a sweep over all their knots in order of f, with the value and its
 * slope at hand. The root does not need its curve, only how far f can go: bounds close in on that, members
 * without a knot between them are summed up once, and the sweep is over the few knots that are left. A fifo
 * pool of n jobs has f in [0, n] and offers clamp(f - i, 0, 1) to the i-th.
 *
 * Curves of what did not change are kept. An update costs O(knots log knots) of the pools above a change, a
 * few looks at each member of the root, and one at each element to hand its share down. Where two members
 * jump at the same f and both do not fit, neither gets its jump (YT's standard mode; its "improved" one hands
 * them out one by one). */
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "policy/share/pools.h"

/* Knot `knot` of a member is passed at `f`. */
typedef struct hc_pool_event {
  double f;
  uint32_t member, knot;
} hc_pool_event;

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "pools", 0, 0, "no memory for fair shares");
}

/* ---- a job's curve ---- */

/* A job has no guarantee, so that what it needs at F is the largest F_r. Of several knots at one s the first
 * and the last count; at s = 0 the last: as in curve.c, which draws all other curves. */
static inline void put_knot(hc_curve *c, uint32_t dims, double s, double f, const double *value)
{
  hc_knot *k;
  const size_t n = c->count;
  if (n > 0 && s < c->knots[n - 1].s + 1e-15) s = c->knots[n - 1].s;
  if (n > 0 && s == c->knots[n - 1].s && (s == 0 || (n > 1 && c->knots[n - 2].s == s))) c->count--;
  k = &c->knots[c->count++];
  k->s = s;
  k->f = f;
  k->after = n == 0;
  for (uint32_t r = 0; r < dims; r++) k->value[r] = value[r];
}

/* Level what it has up to the next larger usage, and so on. @return false: a limit was met */
static inline bool level_up(const hc_pool *x, uint32_t dims, double most, double by, hc_curve *c)
{
  const double *usage = x->wish.usage, *limit = x->wish.limit;
  double end = most, v[HC_DIMENSIONS];
  for (uint32_t r = 0; r < dims; r++)
    if (usage[r] > limit[r] + HC_CURVE_SLACK) end = HC_MIN(end, limit[r]);
  for (double level = 0; level < end;) {
    double next = end;
    for (uint32_t r = 0; r < dims; r++)
      if (usage[r] > level) next = HC_MIN(next, usage[r]);
    level = next;
    for (uint32_t r = 0; r < dims; r++) v[r] = HC_MIN(usage[r], level);
    put_knot(c, dims, HC_MIN(level, 1.0), level < most ? level * by : 1, v);
  }
  return end == most;
}

/* From usage straight to demand: the upper envelope of the dimensions' lines, as far as limits allow. */
static inline void go_on(const hc_pool *x, uint32_t dims, double most, hc_curve *c)
{
  const double *usage = x->wish.usage, *demand = x->wish.demand, *limit = x->wish.limit;
  double grow[HC_DIMENSIONS], v[HC_DIMENSIONS], end = 1, slope = 0, high = most, t = 0;
  for (uint32_t r = 0; r < dims; r++) {
    grow[r] = demand[r] - usage[r];
    if (demand[r] > limit[r] + HC_CURVE_SLACK)
      end = HC_MIN(end, HC_MAX(0.0, (limit[r] - usage[r]) / grow[r]));
    if (usage[r] >= most - 1e-15) slope = HC_MAX(slope, grow[r]);
  }
  while (t < end) {
    double next = end, steeper = slope;
    for (uint32_t r = 0; r < dims; r++) {
      double at;
      if (!(grow[r] > slope)) continue;
      at = (high - slope * t - usage[r]) / (grow[r] - slope);
      if (at < next || (at == next && grow[r] > steeper)) {
        next = HC_MAX(at, t);
        steeper = grow[r];
      }
    }
    high += slope * (next - t);
    slope = steeper;
    t = next;
    for (uint32_t r = 0; r < dims; r++) v[r] = t < 1 ? usage[r] + t * grow[r] : demand[r];
    put_knot(c, dims, HC_MIN(high, 1.0), 1 + t, v);
  }
}

static inline void set_slopes(hc_curve *c, uint32_t dims)
{
  hc_knot *x = c->knots;
  for (size_t k = 0; k < c->count; k++, x++) {
    const double wide = k + 1 < c->count ? x[1].s - x->s : 0, by = wide > 0 ? 1 / wide : 0;
    for (uint32_t r = 0; r < dims; r++) x->slope[r] = wide > 0 ? (x[1].value[r] - x->value[r]) * by : 0;
  }
}

static hc_rc draw_gang(hc_pools *p, hc_pool *x)
{
  hc_pen pen = {.allocator = p->allocator,
                .dims = p->dims,
                .limit = x->wish.limit,
                .guarantee = x->guarantee,
                .curve = &x->curve};
  const double v[HC_DIMENSIONS] = {0};
  TRY(hc_pen_begin(&pen, v));
  TRY(hc_pen_line(&pen, 1, v));
  TRY(hc_pen_jump(&pen, x->wish.demand));
  hc_pen_end(&pen);
  return 0;
}

/* Dimensions that the tree has not are not wanted: a curve in four of them costs less than one in up to four,
 * since the compiler knows how many they are. @param dims a constant */
static inline void draw_in(hc_pool *x, uint32_t dims)
{
  const double none[HC_DIMENSIONS] = {0};
  double most = 0;
  x->curve.count = 0;
  for (uint32_t r = 0; r < dims; r++) most = HC_MAX(most, x->wish.usage[r]);
  put_knot(&x->curve, dims, 0, 0, none);
  if (level_up(x, dims, most, most > 0 ? 1 / most : 0, &x->curve)) go_on(x, dims, most, &x->curve);
  set_slopes(&x->curve, dims);
}

static hc_rc draw_job(hc_pools *p, hc_pool *x)
{
  const uint32_t wide = p->dims <= 2 ? 2 : p->dims <= 4 ? 4 : HC_DIMENSIONS;
  if (x->wish.is_gang) return draw_gang(p, x);
  TRY(hc_reserve(p->allocator, (void **)&x->curve.knots, &x->curve.cap, 2 * (size_t)wide + 3,
                 sizeof(hc_knot)));
  if (wide == 2) draw_in(x, 2);
  else if (wide == 4) draw_in(x, 4);
  else draw_in(x, HC_DIMENSIONS);
  return 0;
}

/* ---- the sum of the members' curves ---- */

/* Stable, so that events at one f stay in the order of the members. */
HC_SORT_STABLE(sort_events, hc_pool_event, a->f < b->f)

/* Sets the members' paces, sums what they take at f = 0 and their slopes there, and lists their knots. */
static hc_rc gather(hc_pools *p, const hc_pool *pool, double *value, double *slope, size_t *count)
{
  double least = __builtin_inf();
  size_t n = 0, at = 0;
  for (uint32_t i = pool->first; i != HC_POOL_NONE; i = p->pools[i].next) {
    least = HC_MIN(least, p->pools[i].wish.weight);
    n += p->pools[i].curve.count - 1;
  }
  TRY(hc_reserve(p->allocator, (void **)&p->events, &p->event_cap, n, sizeof *p->events));
  TRY(hc_reserve(p->allocator, (void **)&p->room, &p->room_cap, n / 2, sizeof *p->room));
  for (uint32_t r = 0; r < p->dims; r++) value[r] = slope[r] = 0;
  for (uint32_t i = pool->first; i != HC_POOL_NONE; i = p->pools[i].next) {
    hc_pool *x = &p->pools[i];
    const hc_knot *k = x->curve.knots;
    double by;
    x->pace = x->wish.weight / least;
    by = 1 / x->pace;
    for (uint32_t r = 0; r < p->dims; r++) {
      value[r] += k->value[r];
      slope[r] += k->slope[r] * x->pace;
    }
    for (uint32_t j = 1; j < x->curve.count; j++)
      p->events[at++] = (hc_pool_event){.f = k[j].s * by, .member = i, .knot = j};
  }
  *count = n;
  return 0;
}

/* Passes events at one f: changes the slope, adds jumps to `value`. True if there was one. */
static bool pass(const hc_pools *p, const hc_pool_event *events, size_t n, double *value, double *slope)
{
  bool jumps = false;
  for (size_t i = 0; i < n; i++) {
    const hc_pool *x = &p->pools[events[i].member];
    const hc_knot *k = &x->curve.knots[events[i].knot];
    for (uint32_t r = 0; r < p->dims; r++) slope[r] += (k->slope[r] - k[-1].slope[r]) * x->pace;
    if (k->s > k[-1].s) continue;
    jumps = true;
    for (uint32_t r = 0; r < p->dims; r++) value[r] += k->value[r] - k[-1].value[r];
  }
  return jumps;
}

/* Draws F from the pen's f to `high`, through the events on the way. */
static hc_rc draw_events(hc_pools *p, const hc_pool_event *events, size_t n, double high, double *value,
                         double *slope, hc_pen *pen)
{
  double f = pen->f;
  for (size_t i = 0, end; i < n && !pen->stopped; i = end) {
    double to = HC_MIN(events[i].f, high);
    for (end = i + 1; end < n && events[end].f <= to + HC_CURVE_SNAP / 4; end++) {
    }
    for (uint32_t r = 0; r < p->dims; r++) value[r] += slope[r] * (to - f);
    if (to > f) TRY(hc_pen_line(pen, to, value));
    f = to;
    if (pass(p, events + i, end - i, value, slope)) TRY(hc_pen_jump(pen, value));
  }
  if (!(f < high)) return 0;
  for (uint32_t r = 0; r < p->dims; r++) value[r] += slope[r] * (high - f);
  return hc_pen_line(pen, high, value);
}

static hc_rc draw_fair(hc_pools *p, const hc_pool *pool, hc_pen *pen)
{
  double value[HC_DIMENSIONS], slope[HC_DIMENSIONS];
  size_t n;
  TRY(gather(p, pool, value, slope, &n));
  TRY(hc_pen_begin(pen, value));
  sort_events(p->events, n, p->room);
  return draw_events(p, p->events, n, 1, value, slope, pen);
}

/* ---- the root: how far f can go ---- */

/* A member with knots between the bounds of the search: the last at or before each of them, and before what
 * is tried. */
typedef struct hc_pool_active {
  const hc_knot *low, *high, *here;
  double pace;
  uint32_t member, padding;
} hc_pool_active;

typedef struct search {
  const hc_pools *p;
  const hc_pool *root;
  hc_pool_active *active;
  size_t count;
  double low, high; /* F fits at low, and does not at high */
  double at_low[HC_DIMENSIONS], at_high[HC_DIMENSIONS];
  double value[HC_DIMENSIONS],
      slope[HC_DIMENSIONS]; /* of the others, which are straight: at f = 0, and its slope */
} search;

/* F just after f, between the bounds. */
static void total(const search *x, double f, double *value)
{
  const uint32_t dims = x->p->dims;
  for (uint32_t r = 0; r < dims; r++) value[r] = x->value[r] + x->slope[r] * f;
  for (size_t i = 0; i < x->count; i++) {
    hc_pool_active *c = &x->active[i];
    const double s = f * c->pace;
    const hc_knot *low = c->low, *high = c->high;
    while (low < high) {
      const hc_knot *mid = low + (high - low + 1) / 2;
      if (mid->s > s) high = mid - 1;
      else low = mid;
    }
    c->here = low;
    for (uint32_t r = 0; r < dims; r++) value[r] += low->value[r] + low->slope[r] * (s - low->s);
  }
}

/* Over a limit, or at it by more than guarantees. */
static bool is_over(const search *x, const double *value)
{
  const hc_pool *root = x->root;
  for (uint32_t r = 0; r < x->p->dims; r++)
    if (value[r] > root->wish.limit[r] + HC_CURVE_SLACK ||
        (value[r] >= root->wish.limit[r] - HC_CURVE_SLACK && value[r] > root->guarantee[r] + HC_CURVE_SLACK))
      return true;
  return false;
}

/* What was tried is the new bound below, or above. Members without a knot between the bounds are straight
 * there: they leave the active ones. */
static void fold(search *x, bool is_low)
{
  size_t kept = 0;
  for (size_t i = 0; i < x->count; i++) {
    hc_pool_active c = x->active[i];
    const hc_knot *k;
    if (is_low) c.low = c.here;
    else c.high = c.here;
    if (c.low < c.high) {
      x->active[kept++] = c;
      continue;
    }
    k = c.low;
    for (uint32_t r = 0; r < x->p->dims; r++) {
      x->value[r] += k->value[r] - k->slope[r] * k->s;
      x->slope[r] += k->slope[r] * c.pace;
    }
  }
  x->count = kept;
}

/* Narrows the bounds to a few knots. A guess is where the chord meets a limit, moved towards the bound that
 * the last one did not move, so that both close in. */
static void narrow(search *x)
{
  bool was_low = true;
  for (int tries = 0; tries < 40 && x->count > 8; tries++) {
    double value[HC_DIMENSIONS], wide = x->high - x->low, t = 1;
    for (uint32_t r = 0; r < x->p->dims; r++) {
      double room = x->root->wish.limit[r] - x->at_low[r], grow = x->at_high[r] - x->at_low[r];
      if (grow > room) t = HC_MIN(t, room / grow);
    }
    t = HC_MIN(HC_MAX(tries == 0 ? t : was_low ? t + 0.05 : t - 0.05, 0.02), 0.98);
    total(x, x->low + t * wide, value);
    was_low = !is_over(x, value);
    if (was_low) x->low += t * wide;
    else x->high = x->low + t * wide;
    memcpy(was_low ? x->at_low : x->at_high, value, sizeof value);
    fold(x, was_low);
  }
}

/* All members, between 0 and 1: as paces are at least 1, each is at its last knot at 1. */
static bool activate(hc_pools *p, search *x)
{
  double least = __builtin_inf();
  size_t n = 0;
  for (uint32_t i = x->root->first; i != HC_POOL_NONE; i = p->pools[i].next, n++)
    least = HC_MIN(least, p->pools[i].wish.weight);
  if (hc_reserve(p->allocator, (void **)&p->active, &p->active_cap, n, sizeof *p->active) < 0) return false;
  x->active = p->active;
  for (uint32_t i = x->root->first; i != HC_POOL_NONE; i = p->pools[i].next) {
    hc_pool *m = &p->pools[i];
    const hc_knot *first = m->curve.knots, *last = first + m->curve.count - 1;
    m->pace = m->wish.weight / least;
    for (uint32_t r = 0; r < p->dims; r++) {
      x->at_low[r] += first->value[r];
      x->at_high[r] += last->value[r];
    }
    if (last > first) {
      x->active[x->count++] = (hc_pool_active){.low = first, .high = last, .pace = m->pace, .member = i};
      continue;
    }
    for (uint32_t r = 0; r < p->dims; r++) x->value[r] += first->value[r];
  }
  return true;
}

/* Between the bounds knot by knot, as a pool's curve is drawn. */
static hc_rc sweep(hc_pools *p, const search *x, hc_pen *pen)
{
  double value[HC_DIMENSIONS], slope[HC_DIMENSIONS];
  size_t n = 0;
  memcpy(value, x->at_low, sizeof value);
  memcpy(slope, x->slope, sizeof slope);
  for (size_t i = 0; i < x->count; i++) {
    const hc_pool_active *c = &x->active[i];
    const hc_knot *k = c->low, *knots = p->pools[c->member].curve.knots;
    for (uint32_t r = 0; r < p->dims; r++) slope[r] += k->slope[r] * c->pace;
    TRY(hc_reserve(p->allocator, (void **)&p->events, &p->event_cap, n + (size_t)(c->high - k),
                   sizeof *p->events));
    for (k++; k <= c->high; k++)
      p->events[n++] =
          (hc_pool_event){.f = k->s / c->pace, .member = c->member, .knot = (uint32_t)(k - knots)};
  }
  TRY(hc_reserve(p->allocator, (void **)&p->room, &p->room_cap, n / 2, sizeof *p->room));
  TRY(hc_pen_begin(pen, value));
  pen->f = x->low;
  sort_events(p->events, n, p->room);
  return draw_events(p, p->events, n, x->high, value, slope, pen);
}

static hc_rc find_root(hc_pools *p, const hc_pool *root, hc_pen *pen)
{
  search x = {.p = p, .root = root, .high = 1};
  if (!activate(p, &x)) return HC_ENOMEM;
  if (!is_over(&x, x.at_high)) { /* all are content */
    TRY(hc_pen_begin(pen, x.at_high));
    pen->f = 1;
    return 0;
  }
  if (!is_over(&x, x.at_low)) narrow(&x);
  return sweep(p, &x, pen);
}

/* ---- fifo ---- */

static bool goes_first(const hc_pool *a, const hc_pool *b)
{
  if (a->wish.weight != b->wish.weight) return a->wish.weight > b->wish.weight;
  return a->wish.rank < b->wish.rank;
}

/* The members in order into p->queue: by insertion, which is linear if they came in order. */
static hc_rc line_up(hc_pools *p, const hc_pool *pool, size_t *count)
{
  size_t n = 0;
  for (uint32_t i = pool->first; i != HC_POOL_NONE; i = p->pools[i].next) {
    size_t k = n;
    TRY(hc_reserve(p->allocator, (void **)&p->queue, &p->queue_cap, n + 1, sizeof *p->queue));
    for (; k > 0 && goes_first(&p->pools[i], &p->pools[p->queue[k - 1]]); k--) p->queue[k] = p->queue[k - 1];
    p->queue[k] = i;
    n++;
  }
  *count = n;
  return 0;
}

static hc_rc draw_fifo(hc_pools *p, const hc_pool *pool, hc_pen *pen)
{
  double base[HC_DIMENSIONS] = {0}, value[HC_DIMENSIONS];
  size_t n;
  TRY(line_up(p, pool, &n));
  TRY(hc_pen_begin(pen, base));
  for (size_t i = 0; i < n && !pen->stopped; i++) {
    const hc_curve *c = &p->pools[p->queue[i]].curve;
    for (size_t k = 1; k < c->count; k++) {
      for (uint32_t r = 0; r < p->dims; r++) value[r] = base[r] + c->knots[k].value[r];
      if (c->knots[k].s > c->knots[k - 1].s) TRY(hc_pen_line(pen, (double)i + c->knots[k].s, value));
      else TRY(hc_pen_jump(pen, value));
    }
    for (uint32_t r = 0; r < p->dims; r++) base[r] += c->knots[c->count - 1].value[r];
    if (c->knots[c->count - 1].s < 1) TRY(hc_pen_line(pen, (double)i + 1, base));
  }
  return 0;
}

/* A pool's curve, with limits and guarantees that may be others than its own for a moment; NULL: no curve,
 * but how far the fit factor goes. */
static hc_rc draw_pool(hc_pools *p, uint32_t id, const double *limit, const double *guarantee,
                       hc_curve *curve)
{
  hc_pool *x = &p->pools[id];
  hc_pen pen = {
      .allocator = p->allocator, .dims = p->dims, .limit = limit, .guarantee = guarantee, .curve = curve};
  TRY(x->kind == HC_POOL_FIFO ? draw_fifo(p, x, &pen)
      : curve                 ? draw_fair(p, x, &pen)
                              : find_root(p, x, &pen));
  hc_pen_end(&pen);
  if (curve) return 0;
  p->root_f = pen.f;
  p->root_after = pen.after;
  memcpy(x->fair, pen.value, p->dims * sizeof *x->fair);
  return 0;
}

/* Curve, usage and demand of one element, from those of its members. */
static hc_rc renew(hc_pools *p, uint32_t id)
{
  hc_pool *x = &p->pools[id];
  if (x->kind == HC_POOL_JOB) {
    memcpy(x->usage, x->wish.usage, sizeof x->usage);
    memcpy(x->demand, x->wish.demand, sizeof x->demand);
    return draw_job(p, x);
  }
  memset(x->usage, 0, sizeof x->usage);
  memset(x->demand, 0, sizeof x->demand);
  for (uint32_t i = x->first; i != HC_POOL_NONE; i = p->pools[i].next)
    for (uint32_t r = 0; r < p->dims; r++) {
      x->usage[r] += p->pools[i].usage[r];
      x->demand[r] += p->pools[i].demand[r];
    }
  return id == HC_POOL_ROOT ? 0 : draw_pool(p, id, x->wish.limit, x->guarantee, &x->curve);
}

/* Everything that is dirty, members before their pools. The root stays dirty until all is done. */
static hc_rc draw(hc_pools *p)
{
  for (size_t k = p->ordered; k-- > 0;) {
    uint32_t id = p->order[k];
    if (!p->pools[id].is_dirty) continue;
    TRY(renew(p, id));
    p->pools[id].is_dirty = id == HC_POOL_ROOT;
  }
  return 0;
}

/* ---- guarantees ---- */

/* The largest factor <= 1 by which `sum` fits into `room`. */
static double fitting(uint32_t dims, const double *room, const double *sum)
{
  double by = 1;
  for (uint32_t r = 0; r < dims; r++)
    if (sum[r] > room[r] * (1 + 1e-15)) by = HC_MIN(by, room[r] / sum[r]);
  return by;
}

/* Members' strong guarantees are cut to their limits and scaled to fit into their pool's, from the root down.
 * @param scale of the root: what makes all strong and burst guarantees fit into the whole. */
static void fit_strong(hc_pools *p, double scale)
{
  for (size_t k = 0; k < p->ordered; k++) {
    hc_pool *x = &p->pools[p->order[k]];
    double sum[HC_DIMENSIONS] = {0}, by;
    if (x->kind == HC_POOL_JOB) continue;
    for (uint32_t i = x->first; i != HC_POOL_NONE; i = p->pools[i].next)
      for (uint32_t r = 0; r < p->dims && p->pools[i].kind != HC_POOL_JOB; r++)
        sum[r] += p->pools[i].wish.strong[r];
    if (p->order[k] == HC_POOL_ROOT)
      for (uint32_t r = 0; r < p->dims; r++) x->strong[r] = HC_MIN(sum[r] * scale, x->wish.limit[r]);
    by = fitting(p->dims, x->strong, sum);
    for (uint32_t i = x->first; i != HC_POOL_NONE; i = p->pools[i].next)
      for (uint32_t r = 0; r < p->dims && p->pools[i].kind != HC_POOL_JOB; r++)
        p->pools[i].strong[r] = HC_MIN(p->pools[i].wish.strong[r] * by, p->pools[i].wish.limit[r]);
  }
}

/* Guarantee = strong + integral; what changed is drawn again. */
static void guarantee(hc_pools *p)
{
  for (size_t k = 0; k < p->ordered; k++) {
    hc_pool *x = &p->pools[p->order[k]];
    bool changed = false;
    for (uint32_t r = 0; r < p->dims; r++) {
      double g = x->strong[r] + x->integral[r];
      changed |= g != x->guarantee[r];
      x->guarantee[r] = g;
    }
    if (changed) hc_pools_mark(p, p->order[k]);
  }
}

/* What a pool and all pools above it have left below their limits. */
static void room_above(const hc_pools *p, uint32_t id, double *room)
{
  for (uint32_t r = 0; r < p->dims; r++) room[r] = 1;
  for (uint32_t i = id;; i = p->pools[i].parent) {
    const hc_pool *x = &p->pools[i];
    for (uint32_t r = 0; r < p->dims; r++)
      room[r] = HC_MAX(0.0, HC_MIN(room[r], x->wish.limit[r] - x->strong[r] - x->integral[r]));
    if (i == HC_POOL_ROOT) return;
  }
}

static void give(hc_pools *p, uint32_t id, const double *share)
{
  for (uint32_t i = id;; i = p->pools[i].parent) {
    for (uint32_t r = 0; r < p->dims; r++) p->pools[i].integral[r] += share[r];
    if (i == HC_POOL_ROOT) return;
  }
}

/* What a burst pool would use of its promise: B(0) with the promise as a guarantee, less the strong one. */
static hc_rc burst(hc_pools *p, uint32_t id, double scale)
{
  hc_pool *x = &p->pools[id];
  double room[HC_DIMENSIONS], all[HC_DIMENSIONS], value[HC_DIMENSIONS], f;
  bool after;
  room_above(p, id, room);
  for (uint32_t r = 0; r < p->dims; r++)
    all[r] = x->strong[r] + HC_MIN(room[r], HC_MIN(x->wish.burst * scale, x->wish.integral_share));
  TRY(draw_pool(p, id, x->wish.limit, all, &x->curve));
  hc_curve_at(&x->curve, p->dims, 0, true, value, &f, &after);
  for (uint32_t r = 0; r < p->dims; r++) value[r] = HC_MAX(0.0, value[r] - x->strong[r]);
  give(p, id, value);
  return 0;
}

static bool is_relaxed(const hc_pool *x)
{
  return x->kind != HC_POOL_JOB && x->wish.integral == HC_INTEGRAL_RELAXED && x->wish.integral_share > 0;
}

/* What relaxed pools take above their strong guarantees at a common factor. True if it fits into `room`. */
static bool try_relaxed(hc_pools *p, double factor, double least, const double *room, bool do_give)
{
  double sum[HC_DIMENSIONS] = {0};
  for (size_t k = 0; k < p->ordered; k++) {
    hc_pool *x = &p->pools[p->order[k]];
    double value[HC_DIMENSIONS], left[HC_DIMENSIONS], f, s;
    bool after;
    if (!is_relaxed(x)) continue;
    s = factor * (x->wish.integral_share / least);
    hc_curve_at(&x->curve, p->dims, HC_MIN(1.0, s), s > 1, value, &f, &after);
    for (uint32_t r = 0; r < p->dims; r++) sum[r] += value[r] = HC_MAX(0.0, value[r] - x->strong[r]);
    if (!do_give) continue;
    room_above(p, p->order[k], left);
    for (uint32_t r = 0; r < p->dims; r++) value[r] = HC_MIN(value[r], left[r]);
    give(p, p->order[k], value);
  }
  for (uint32_t r = 0; r < p->dims; r++)
    if (sum[r] > room[r] + HC_CURVE_SLACK) return false;
  return true;
}

static hc_rc relaxed(hc_pools *p)
{
  double room[HC_DIMENSIONS], least = __builtin_inf(), low = 0, high = 1;
  for (uint32_t r = 0; r < p->dims; r++) room[r] = 1;
  for (uint32_t i = p->pools[0].first; i != HC_POOL_NONE; i = p->pools[i].next)
    for (uint32_t r = 0; r < p->dims; r++)
      room[r] -= HC_MIN(p->pools[i].strong[r] + p->pools[i].integral[r], p->pools[i].demand[r]);
  for (uint32_t r = 0; r < p->dims; r++) room[r] = HC_MAX(room[r], 0.0);
  for (size_t k = 0; k < p->ordered; k++) {
    hc_pool *x = &p->pools[p->order[k]];
    double limit[HC_DIMENSIONS];
    if (!is_relaxed(x)) continue;
    least = HC_MIN(least, x->wish.integral_share);
    for (uint32_t r = 0; r < p->dims; r++)
      limit[r] = HC_MIN(x->wish.limit[r], x->strong[r] + x->wish.integral_share);
    TRY(draw_pool(p, p->order[k], limit, x->strong, &x->curve));
  }
  if (least == __builtin_inf()) return 0;
  if (!try_relaxed(p, 1, least, room, false)) { /* the curves jump, so halve: as exact as doubles are */
    for (int i = 0; i < 60; i++) {
      double mid = (low + high) / 2;
      if (try_relaxed(p, mid, least, room, false)) low = mid;
      else high = mid;
    }
    high = low;
  }
  (void)try_relaxed(p, high, least, room, true);
  return 0;
}

static void redraw_pools(hc_pools *p)
{
  for (size_t k = 0; k < p->ordered; k++)
    if (p->pools[p->order[k]].kind != HC_POOL_JOB) p->pools[p->order[k]].is_dirty = true;
}

static hc_rc guarantees(hc_pools *p)
{
  double sum[HC_DIMENSIONS] = {0}, one[HC_DIMENSIONS] = {0}, bursts = 0, scale;
  for (size_t k = 0; k < p->ordered; k++) {
    hc_pool *x = &p->pools[p->order[k]];
    memset(x->integral, 0, sizeof x->integral);
    if (x->kind != HC_POOL_JOB && x->wish.integral == HC_INTEGRAL_BURST) bursts += x->wish.burst;
    for (uint32_t r = 0; r < p->dims && x->parent == HC_POOL_ROOT && k > 0; r++)
      if (x->kind != HC_POOL_JOB) sum[r] += x->wish.strong[r];
  }
  for (uint32_t r = 0; r < p->dims; r++) {
    one[r] = 1;
    sum[r] += bursts;
  }
  scale = fitting(p->dims, one, sum);
  fit_strong(p, scale);
  guarantee(p);
  if (!p->has_integral) return 0;
  redraw_pools(p);
  TRY(draw(p));
  for (size_t k = 0; k < p->ordered; k++) {
    const hc_pool *x = &p->pools[p->order[k]];
    if (x->kind != HC_POOL_JOB && x->wish.integral == HC_INTEGRAL_BURST) TRY(burst(p, p->order[k], scale));
  }
  TRY(relaxed(p));
  guarantee(p);
  redraw_pools(p); /* some have curves of a moment's limits and guarantees */
  return 0;
}

/* ---- down ---- */

/* Hands a member its offer: just after s if `after`. */
static void offer(hc_pools *p, hc_pool *x, double s, bool after, double *f, bool *f_after)
{
  hc_curve_at(&x->curve, p->dims, HC_MIN(s, 1.0), after || s > 1 + HC_CURVE_SNAP, x->fair, f, f_after);
}

/* How far an element goes. */
typedef struct hc_pool_place {
  double f;
  bool after;
} hc_pool_place;

static hc_rc hand_down(hc_pools *p, hc_pool_place *at)
{
  at[0] = (hc_pool_place){p->root_f, p->root_after};
  for (size_t k = 0; k < p->ordered; k++) {
    uint32_t id = p->order[k];
    const hc_pool *x = &p->pools[id];
    size_t n;
    if (x->kind == HC_POOL_JOB) continue;
    if (x->kind == HC_POOL_FAIR) {
      for (uint32_t i = x->first; i != HC_POOL_NONE; i = p->pools[i].next)
        offer(p, &p->pools[i], at[id].f * p->pools[i].pace, at[id].after, &at[i].f, &at[i].after);
      continue;
    }
    TRY(line_up(p, x, &n));
    for (size_t i = 0; i < n; i++) {
      uint32_t m = p->queue[i];
      double s = at[id].f - (double)i;
      offer(p, &p->pools[m], HC_MAX(0.0, s), at[id].after || s > 1, &at[m].f, &at[m].after);
    }
  }
  return 0;
}

static hc_rc put_in_order(hc_pools *p)
{
  uint32_t i = HC_POOL_ROOT;
  p->ordered = 0;
  TRY(hc_reserve(p->allocator, (void **)&p->order, &p->order_cap, p->count, sizeof *p->order));
  for (;;) {
    p->order[p->ordered++] = i;
    if (p->pools[i].first != HC_POOL_NONE) {
      i = p->pools[i].first;
      continue;
    }
    while (i != HC_POOL_ROOT && p->pools[i].next == HC_POOL_NONE) i = p->pools[i].parent;
    if (i == HC_POOL_ROOT) return 0;
    i = p->pools[i].next;
  }
}

static void look(hc_pools *p)
{
  p->has_strong = p->has_integral = false;
  for (size_t k = 0; k < p->ordered; k++) {
    const hc_pool *x = &p->pools[p->order[k]];
    if (x->kind == HC_POOL_JOB) continue;
    for (uint32_t r = 0; r < p->dims; r++) p->has_strong |= x->wish.strong[r] > 0 || x->guarantee[r] > 0;
    p->has_integral |= x->wish.integral != HC_INTEGRAL_NONE;
  }
}

static hc_rc bring_up(hc_pools *p)
{
  TRY(hc_reserve(p->allocator, (void **)&p->places, &p->place_cap, p->count, sizeof *p->places));
  if (p->has_strong || p->has_integral) TRY(guarantees(p));
  TRY(draw(p));
  TRY(draw_pool(p, HC_POOL_ROOT, p->pools[0].wish.limit, p->pools[0].guarantee, NULL));
  return hand_down(p, p->places);
}

hc_rc hc_pools_update(hc_pools *p, hc_error *e)
{
  if (p->is_changed) {
    if (put_in_order(p) < 0) return no_memory(e);
    look(p);
    p->is_changed = false;
  }
  if (!p->pools[0].is_dirty && !p->has_integral) return 0;
  if (bring_up(p) < 0) return no_memory(e);
  p->pools[0].is_dirty = false;
  return 0;
}

void hc_pools_fini(hc_pools *p)
{
  const hc_allocator *a = p->allocator;
  for (size_t i = 0; i < p->count; i++)
    hc_free(a, p->pools[i].curve.knots, p->pools[i].curve.cap * sizeof(hc_knot));
  hc_free(a, p->pools, p->cap * sizeof *p->pools);
  hc_free(a, p->order, p->order_cap * sizeof *p->order);
  hc_free(a, p->events, p->event_cap * sizeof *p->events);
  hc_free(a, p->room, p->room_cap * sizeof *p->room);
  hc_free(a, p->active, p->active_cap * sizeof *p->active);
  hc_free(a, p->queue, p->queue_cap * sizeof *p->queue);
  hc_free(a, p->places, p->place_cap * sizeof *p->places);
  *p = (hc_pools){0};
}
