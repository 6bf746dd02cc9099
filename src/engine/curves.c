/* curves.c -- see curves.h. */
#include "engine/curves.h"

#include "base/mem.h"
#include "base/util.h"

/* Sums over the time that was heard of a piece, each x ns. */
typedef struct piece {
  double time, busy, capacity, waiting, running;
} piece;

struct hc_curves {
  hc_time from;   /* when the first piece begins */
  uint64_t width; /* ns */
  uint64_t count; /* pieces; 0: nothing was heard */
  bool is_whole;  /* heard from the beginning */
  piece pieces[HC_CURVES_MOST];
};

hc_rc hc_curves_new(const hc_allocator *a, hc_curves **out)
{
  *out = hc_alloc(a, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_curves){.width = HC_SECOND, .is_whole = true};
  return 0;
}

void hc_curves_free(const hc_allocator *a, hc_curves *c)
{
  hc_free(a, c, sizeof *c);
}

/* ---- hearing ---- */

static piece sum_of(piece a, piece b)
{
  return (piece){.time = a.time + b.time,
                 .busy = a.busy + b.busy,
                 .capacity = a.capacity + b.capacity,
                 .waiting = a.waiting + b.waiting,
                 .running = a.running + b.running};
}

/* Each two pieces become one. */
static void widen(hc_curves *c)
{
  const uint64_t half = (c->count + 1) / 2;
  for (uint64_t i = 0; i < half; i++) {
    const piece second = 2 * i + 1 < c->count ? c->pieces[2 * i + 1] : (piece){0};
    c->pieces[i] = sum_of(c->pieces[2 * i], second);
  }
  for (uint64_t i = half; i < c->count; i++) c->pieces[i] = (piece){0};
  c->count = half;
  c->width *= 2;
}

/* From the beginning of the first piece. */
static uint64_t since(const hc_curves *c, hc_time t)
{
  return (uint64_t)t - (uint64_t)c->from;
}

static void add(piece *p, const hc_interval *x, uint64_t time)
{
  const double t = (double)time;
  p->time += t;
  p->busy += (double)x->busy * t;
  p->capacity += (double)x->capacity * t;
  p->waiting += (double)x->waiting * t;
  p->running += (double)x->running * t;
}

static void hear(hc_curves *c, const hc_interval *x)
{
  uint64_t from, to;
  if (c->count == 0) c->from = x->from;
  from = since(c, x->from);
  to = since(c, x->to);
  while ((to - 1) / c->width >= HC_CURVES_MOST) widen(c);
  for (uint64_t i = from / c->width; from < to; i++) {
    const uint64_t left = c->width - from % c->width, part = HC_MIN(left, to - from);
    add(&c->pieces[i], x, part);
    c->count = HC_MAX(c->count, i + 1);
    from += part;
  }
}

/* Most intervals lie in the piece of the one before. */
void hc_curves_hear(hc_curves *c, const hc_interval *intervals, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_interval *x = &intervals[i];
    const uint64_t low = c->count > 0 ? (c->count - 1) * c->width : 0;
    if (c->count > 0 && since(c, x->from) >= low && since(c, x->to) - low <= c->width)
      add(&c->pieces[c->count - 1], x, (uint64_t)x->to - (uint64_t)x->from);
    else hear(c, x);
  }
}

static hc_rc visit(hc_curves *c, hc_visitor *v)
{
  HC_VISIT(v, c->from);
  HC_VISIT(v, c->width);
  HC_VISIT(v, c->count);
  if (c->count > HC_CURVES_MOST || c->width == 0) return HC_EINPUT;
  return hc_visit_bytes(v, c->pieces, (size_t)c->count * sizeof *c->pieces);
}

static hc_rc pass_over(hc_visitor *v)
{
  hc_curves *saved;
  TRY(hc_curves_new(v->allocator, &saved));
  const hc_rc rc = visit(saved, v);
  hc_curves_free(v->allocator, saved);
  return rc;
}

hc_rc hc_curves_visit(hc_curves *c, hc_visitor *v)
{
  bool is_whole = c && c->is_whole;
  HC_VISIT(v, is_whole);
  if (is_whole) return c ? visit(c, v) : pass_over(v);
  if (c) c->is_whole = false;
  return 0;
}

/* ---- the table ---- */

/* Of a machine that has more units its thousandths are no 64-bit numbers: bytes of memory, of which there
 * are more than nine petabytes. */
#define UNITS_MOST 9e15

/* A mean over the time heard, in thousandths. */
static int64_t mean_of(double sum, double time)
{
  return (int64_t)(1000 * (sum / time) + 0.5);
}

static bool fits(const hc_curves *c)
{
  for (uint64_t i = 0; i < c->count; i++) {
    const piece *p = &c->pieces[i];
    if (p->busy > UNITS_MOST * p->time || p->capacity > UNITS_MOST * p->time) return false;
  }
  return true;
}

hc_rc hc_curves_store(const hc_curves *c, hc_store *s, hc_error *error)
{
  if (!c->is_whole || !fits(c)) return 0;
  for (uint64_t i = 0; i < c->count; i++) {
    const piece *p = &c->pieces[i];
    const hc_time at = (hc_time)((uint64_t)c->from + i * c->width);
    if (!(p->time > 0)) continue;
    const int64_t row[] = {at, mean_of(p->busy, p->time), mean_of(p->capacity, p->time),
                           mean_of(p->waiting, p->time), mean_of(p->running, p->time)};
    TRY(hc_store_numbers(s, "curves", HC_ARRAY_LEN(row), row, error));
  }
  return 0;
}
