/* curve.c -- drawing F and keeping B and M: see policy/share/curve.h.
 *
 * On a straight piece of F, the offer that is needed is S = max_r(0, F_r - guarantee_r), the upper envelope
 * of at most dims + 1 lines; between its corners S is linear in f, so B is linear in s. Where S stands still
 * while F grows (only resources grow that are not the one that counts), B jumps.
 *
 * Source: the idea of the three functions is YTsaurus's; the construction in one pass is ours. */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "policy/share/curve.h"

static double needed(const hc_pen *p, const double *value)
{
  double s = 0;
  for (uint32_t r = 0; r < p->dims; r++) s = HC_MAX(s, value[r] - p->guarantee[r]);
  return HC_MIN(s, 1.0);
}

/* Of several knots at one s the first and the last count; at s = 0 the last. */
static hc_rc knot(hc_pen *p, double s)
{
  hc_curve *c = p->curve;
  hc_knot *k;
  size_t n = c->count;
  if (n > 0 && s < c->knots[n - 1].s + 1e-15) s = c->knots[n - 1].s;
  if (n > 0 && s == c->knots[n - 1].s && (s == 0 || (n > 1 && c->knots[n - 2].s == s))) c->count--;
  if (c->count == c->cap)
    TRY(hc_reserve(p->allocator, (void **)&c->knots, &c->cap, c->count + 1, sizeof *c->knots));
  k = &c->knots[c->count++];
  k->s = p->s = s;
  k->f = p->f;
  k->after = p->after;
  for (uint32_t r = 0; r < p->dims; r++) k->value[r] = p->value[r];
  return 0;
}

hc_rc hc_pen_begin(hc_pen *p, const double *value)
{
  p->f = 0;
  p->stopped = false;
  p->after = true;
  memcpy(p->value, value, p->dims * sizeof *value);
  if (!p->curve) return 0;
  p->curve->count = 0;
  return knot(p, needed(p, value));
}

/* How far along the piece every limit holds, in [0, 1]. */
static double reach(const hc_pen *p, const double *value)
{
  double most = 1;
  for (uint32_t r = 0; r < p->dims; r++) {
    if (!(value[r] > p->limit[r] + HC_CURVE_SLACK)) continue;
    most = HC_MIN(most, HC_MAX(0.0, (p->limit[r] - p->value[r]) / (value[r] - p->value[r])));
  }
  return most;
}

/* The next corner of the envelope after `at`, of which the line is left that is highest just after `at`. */
static double corner(const hc_pen *p, const double *grow, double at, double end)
{
  double high = 0, slope = 0, next = end;
  for (uint32_t r = 0; r < p->dims; r++) {
    double v = p->value[r] - p->guarantee[r] + at * grow[r];
    if (v < high - 1e-15 || (v <= high + 1e-15 && grow[r] <= slope)) continue;
    high = v;
    slope = grow[r];
  }
  for (uint32_t r = 0; r < p->dims; r++) {
    double v = p->value[r] - p->guarantee[r] + at * grow[r];
    if (grow[r] > slope && v < high - 1e-15) next = HC_MIN(next, at + (high - v) / (grow[r] - slope));
  }
  return next;
}

hc_rc hc_pen_line(hc_pen *p, double f, const double *value)
{
  double grow[HC_DIMENSIONS], from[HC_DIMENSIONS], end, start = p->f;
  hc_pen base;
  if (p->stopped) return 0;
  end = reach(p, value);
  p->stopped = end < 1;
  for (uint32_t r = 0; r < p->dims; r++) {
    from[r] = p->value[r];
    grow[r] = value[r] - from[r];
  }
  if (p->curve) {
    base = *p;            /* the piece's beginning, from which corners are seen */
    uint32_t corners = 0; /* an envelope of dims + 1 lines has no more than dims */
    for (double at = 0; at < end;) {
      at = corners++ > p->dims ? end : corner(&base, grow, at, end);
      p->f = at < 1 ? start + at * (f - start) : f;
      for (uint32_t r = 0; r < p->dims; r++) p->value[r] = at < 1 ? from[r] + at * grow[r] : value[r];
      p->after = false;
      TRY(knot(p, needed(p, p->value)));
    }
    return 0;
  }
  p->f = end < 1 ? start + end * (f - start) : f;
  p->after = false;
  for (uint32_t r = 0; r < p->dims; r++) {
    p->value[r] = end < 1 ? from[r] + end * grow[r] : value[r];
    p->stopped |= grow[r] > 0 && p->value[r] > p->guarantee[r] + HC_CURVE_SLACK &&
                  p->value[r] >= p->limit[r] - HC_CURVE_SLACK; /* used up, though no more is wanted */
  }
  return 0;
}

hc_rc hc_pen_jump(hc_pen *p, const double *value)
{
  double s = 0;
  if (p->stopped) return 0;
  for (uint32_t r = 0; r < p->dims; r++) p->stopped |= value[r] > p->limit[r] + HC_CURVE_SLACK;
  if (p->stopped) return 0;
  if (p->curve) {
    s = needed(p, value);
    if (s > p->s) TRY(knot(p, s)); /* it stands still until the whole jump fits */
  }
  p->after = true;
  memcpy(p->value, value, p->dims * sizeof *value);
  return p->curve ? knot(p, s) : 0;
}

void hc_pen_end(hc_pen *p)
{
  hc_curve *c = p->curve;
  if (!c) return;
  for (size_t k = 0; k < c->count; k++) {
    hc_knot *x = &c->knots[k];
    double wide = k + 1 < c->count ? x[1].s - x->s : 0, by = wide > 0 ? 1 / wide : 0;
    for (uint32_t r = 0; r < p->dims; r++) x->slope[r] = wide > 0 ? (x[1].value[r] - x->value[r]) * by : 0;
  }
}

/* Knots before the first one above s. */
static size_t above(const hc_curve *c, double s)
{
  size_t low = 0, high = c->count;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (c->knots[mid].s > s) high = mid;
    else low = mid + 1;
  }
  return low;
}

void hc_curve_at(const hc_curve *c, uint32_t dims, double s, bool after, double *value, double *f,
                 bool *f_after)
{
  const hc_knot *k;
  size_t n = above(c, s + HC_CURVE_SNAP);
  double t = 0;
  if (n == 0) n = 1; /* the first knot is at 0, but for rounding */
  k = &c->knots[n - 1];
  if (!after && n > 1 && s > HC_CURVE_SNAP && k->s >= s - HC_CURVE_SNAP && k[-1].s == k->s) k--;
  *f = k->f;
  *f_after = k->after;
  if (n < c->count && k->s < s - HC_CURVE_SNAP) {
    t = s - k->s;
    *f += (k[1].f - k->f) * (t / (k[1].s - k->s));
    if (k[1].f > k->f) *f_after = false;
    else *f_after = k->after && k[1].after;
  }
  for (uint32_t r = 0; r < dims; r++) value[r] = k->value[r] + t * k->slope[r];
}
