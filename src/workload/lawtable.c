/* lawtable.c -- laws of chance by tables: how they are made, and the part of drawing that is rare. */
#include "workload/lawtable.h"

#include "base/util.h"

/* ---- alias tables ---- */

/* Things lighter than the average are filled up by one that is heavier, one after another. Both stacks lie
 * in `room`: the light ones from its begin, the heavy ones from its end. */
static void fill(hc_alias *t, double *share, uint32_t *room)
{
  uint32_t light = 0, heavy = t->count;
  for (uint32_t i = 0; i < t->count; i++) {
    t->cells[i] = (struct hc_alias_cell){UINT32_MAX, i};
    if (share[i] < 1.0) room[light++] = i;
    else room[--heavy] = i;
  }
  while (light > 0 && heavy < t->count) {
    const uint32_t small = room[--light], large = room[heavy];
    t->cells[small] = (struct hc_alias_cell){(uint32_t)(HC_MAX(share[small], 0.0) * 4294967295.0), large};
    share[large] -= 1.0 - share[small];
    if (share[large] >= 1.0) continue;
    heavy++;
    room[light++] = large;
  }
}

hc_rc hc_alias_make(hc_alias *t, const hc_allocator *a, const double *weights, uint32_t count)
{
  double *share = hc_alloc(a, count * sizeof *share), sum = 0;
  uint32_t *room = hc_alloc(a, count * sizeof *room);
  *t = (hc_alias){.cells = hc_alloc(a, count * sizeof *t->cells), .count = count};
  const bool whole = share && room && t->cells;
  if (whole) {
    for (uint32_t i = 0; i < count; i++) sum += weights[i];
    for (uint32_t i = 0; i < count; i++) share[i] = weights[i] / sum * (double)count;
    fill(t, share, room);
  }
  hc_free(a, share, count * sizeof *share);
  hc_free(a, room, count * sizeof *room);
  if (!whole) hc_alias_fini(t, a);
  return whole ? 0 : HC_ENOMEM;
}

void hc_alias_fini(hc_alias *t, const hc_allocator *a)
{
  hc_free(a, t->cells, t->count * sizeof *t->cells);
  *t = (hc_alias){0};
}

/* ---- laws ---- */

static bool has_own_steps(const hc_law_part *p)
{
  return p->kind == HC_LAW_QUANTILES && p->low <= p->values[0] && p->high >= p->values[p->count - 1] &&
         p->count <= HC_LAW_CELLS + 1;
}

static hc_rc make_discrete(hc_law_table *t, const hc_law *l)
{
  double *weights;
  size_t n = 0;
  hc_rc rc;
  for (size_t i = 0; i < l->count; i++) n += l->parts[i].kind == HC_LAW_FIXED ? 1 : l->parts[i].count;
  t->value_count = n;
  t->values = hc_alloc(t->allocator, n * sizeof *t->values);
  weights = hc_alloc(t->allocator, n * sizeof *weights);
  rc = t->values && weights ? 0 : HC_ENOMEM;
  n = 0;
  for (size_t i = 0; rc == 0 && i < l->count; i++) {
    const hc_law_part *p = &l->parts[i];
    const size_t count = p->kind == HC_LAW_FIXED ? 1 : p->count;
    for (size_t k = 0; k < count; k++) {
      weights[n] = p->weight / (double)count;
      t->values[n++] = (p->kind == HC_LAW_FIXED ? p->a : p->values[k]) * l->scale;
    }
  }
  if (rc == 0) rc = hc_alias_make(&t->alias, t->allocator, weights, (uint32_t)n);
  if (weights) hc_free(t->allocator, weights, t->value_count * sizeof *weights);
  return rc;
}

static bool is_list(const hc_law_part *p)
{
  return p->kind == HC_LAW_FIXED || p->kind == HC_LAW_VALUES;
}

/* Room for one part: a list as it is, quantiles as they were given, else three levels. */
static size_t shape_of(const hc_law_part *p, hc_law_curve *c)
{
  *c = (hc_law_curve){.cells = HC_LAW_CELLS, .levels = HC_LAW_LEVELS, .near = HC_LAW_CELLS - HC_LAW_FAR};
  if (is_list(p)) {
    *c = (hc_law_curve){.values = p->kind == HC_LAW_FIXED ? 1 : (uint32_t)p->count};
    return c->values;
  }
  if (has_own_steps(p)) {
    const uint32_t cells = (uint32_t)p->count - 1;
    *c = (hc_law_curve){.cells = cells, .levels = 1, .near = cells - 1};
  }
  return (size_t)c->levels * (c->cells + 1);
}

static void fill_list(const hc_law_part *p, double scale, double *edges)
{
  if (p->kind == HC_LAW_FIXED) edges[0] = p->a * scale;
  else
    for (size_t i = 0; i < p->count; i++) edges[i] = p->values[i] * scale;
}

static double highest(const hc_law_part *p)
{
  return p->high < HC_LAW_ENDLESS ? p->high : hc_law_quantile(p, 1.0 - 0x1p-40);
}

static void fill_steps(const hc_law_part *p, double scale, const hc_law_curve *c, double *edges)
{
  double from = 0, width = 1;
  for (uint32_t level = 0; level < c->levels; level++) {
    for (uint32_t i = 0; i <= c->cells; i++) {
      const double u = from + width * (double)i / c->cells;
      double x = u >= 1.0 ? highest(p) : hc_law_quantile(p, u);
      if (has_own_steps(p)) x = p->values[i];
      if (i > 0) x = HC_MAX(x, edges[i - 1] / scale);
      edges[i] = x * scale;
    }
    edges += c->cells + 1;
    from += width * (double)c->near / c->cells;
    width *= (double)HC_LAW_FAR / c->cells;
  }
}

static hc_rc make_curves(hc_law_table *t, const hc_law *l)
{
  hc_law_curve shape;
  double *edges, begin = 0;
  for (size_t i = 0; i < l->count; i++) t->edge_count += shape_of(&l->parts[i], &shape);
  t->curve_count = l->count;
  t->curves = hc_alloc(t->allocator, l->count * sizeof *t->curves);
  t->edges = edges = hc_alloc(t->allocator, t->edge_count * sizeof *t->edges);
  if (!t->curves || !t->edges) return HC_ENOMEM;
  for (size_t i = 0; i < l->count; i++) {
    const hc_law_part *p = &l->parts[i];
    hc_law_curve *c = &t->curves[i];
    const size_t size = shape_of(p, c);
    const bool last = i + 1 == l->count;
    c->from = begin;
    c->scale = (c->cells ? c->cells : c->values) / (last ? 1.0 - begin : p->weight);
    c->upto = last ? 2.0 : begin + p->weight;
    c->edges = edges;
    if (is_list(p)) fill_list(p, l->scale, edges);
    else fill_steps(p, l->scale, c, edges);
    edges += size;
    begin = c->upto;
  }
  return 0;
}

hc_rc hc_law_table_make(hc_law_table *t, const hc_allocator *a, const hc_law *l)
{
  *t = (hc_law_table){.allocator = a};
  return l->is_discrete ? make_discrete(t, l) : make_curves(t, l);
}

void hc_law_table_fini(hc_law_table *t)
{
  if (!t->allocator) return;
  hc_alias_fini(&t->alias, t->allocator);
  hc_free(t->allocator, t->values, t->value_count * sizeof *t->values);
  hc_free(t->allocator, t->curves, t->curve_count * sizeof *t->curves);
  hc_free(t->allocator, t->edges, t->edge_count * sizeof *t->edges);
  *t = (hc_law_table){0};
}

/* x is a place in a list; or it is in the last steps of a level, or by rounding just behind them: what is
 * left of it is spread over the next level. */
double hc_law_table_far(const hc_law_curve *c, double x)
{
  const double *edges = c->edges;
  if (c->cells == 0) return edges[HC_MIN((uint32_t)(int32_t)x, c->values - 1)];
  for (uint32_t level = 1; level < c->levels && x >= c->near; level++) {
    edges += c->cells + 1;
    x = (x - c->near) * ((double)c->cells / HC_LAW_FAR);
  }
  const uint32_t i = HC_MIN((uint32_t)(int32_t)x, c->cells - 1);
  return edges[i] + (edges[i + 1] - edges[i]) * HC_MIN(x - (double)(int32_t)i, 1.0);
}

static double curve_mean(const hc_law_curve *c)
{
  const double *edges = c->edges;
  double sum = 0, width = 1.0 / HC_MAX(c->cells, 1u);
  for (uint32_t i = 0; i < c->values; i++) sum += edges[i] / c->values;
  for (uint32_t level = 0; level < c->levels; level++, edges += c->cells + 1) {
    const uint32_t end = level + 1 < c->levels ? c->near : c->cells;
    for (uint32_t i = 0; i < end; i++) sum += width * 0.5 * (edges[i] + edges[i + 1]);
    width *= (double)HC_LAW_FAR / c->cells;
  }
  return sum;
}

double hc_law_table_mean(const hc_law_table *t)
{
  double sum = 0;
  for (size_t i = 0; i < t->curve_count; i++)
    sum += HC_MAX(t->curves[i].cells, t->curves[i].values) / t->curves[i].scale * curve_mean(&t->curves[i]);
  for (uint32_t i = 0; i < t->alias.count; i++) {
    const double own = t->alias.cells[i].below / 4294967296.0;
    sum += (own * t->values[i] + (1.0 - own) * t->values[t->alias.cells[i].other]) / t->alias.count;
  }
  return sum;
}
