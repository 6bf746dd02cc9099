/* stat_grid.c -- one figure of a study as a box of choices x others x samples.
 *
 * The axes of a study fall into three: those told apart make choices, those in `over` make samples, all
 * others are averaged over. A combination of others that a choice has in no sample is not its combination (a
 * study may exclude it); one that it has in some samples but not in this one makes that sample a hole, since
 * a mean over fewer combinations would not be the same quantity. Differences use only combinations that both
 * choices have, so that a choice is not compared with what was never run beside it. Sums run in the order of
 * the axes. Cost: one pass over the points; 8 bytes for each cell of the box. */
#include "study/stat_grid.h"

#include <string.h>

#include "base/util.h"

#define CELL_LIMIT ((size_t)1 << 28)
#define NOT_A_NUMBER __builtin_nan("")

typedef enum part { OTHERS, CHOICES, SAMPLES } part;

typedef struct layout {
  part *part;     /* [axis_count] of the study */
  size_t *stride; /* [axis_count] in its part */
  uint8_t **keep;
} layout;

static hc_rc take_axis(const hc_study_data *d, const char *name, part p, layout *l, uint32_t *out,
                       hc_error *e)
{
  uint32_t axis = hc_study_axis_find(d, name);
  if (axis == UINT32_MAX) return hc_study_no_axis(d, name, e);
  if (l->part[axis] != OTHERS)
    return hc_fail(e, HC_EUSAGE, d->name, 0, 0,
                   "axis \"%.100s\" stands twice in the question; what is told apart cannot be sampled, too",
                   name);
  l->part[axis] = p;
  if (out) *out = axis;
  return 0;
}

static hc_rc grow(const hc_study_data *d, uint32_t axis, size_t *extent, layout *l, hc_error *e)
{
  l->stride[axis] = *extent;
  if (__builtin_mul_overflow(*extent, HC_MAX(1u, d->axes[axis].count), extent) || *extent > CELL_LIMIT)
    return hc_fail(e, HC_ELIMIT, d->name, 0, 0,
                   "the question spans more than 2^28 combinations; fix some axes with a condition");
  return 0;
}

/* Choices by the order in which their axes were named, the last one fastest; the other parts by the study's.
 * */
static hc_rc lay_out(hc_grid *g, const hc_study_query *q, layout *l, hc_error *e)
{
  const hc_study_data *d = g->data;
  uint32_t *axis = hc_arena_alloc(&g->arena, (q->axis_count + 1) * sizeof *axis);
  l->part = hc_arena_alloc(&g->arena, (d->axis_count + 1) * sizeof *l->part);
  l->stride = hc_arena_alloc(&g->arena, (d->axis_count + 1) * sizeof *l->stride);
  if (!axis || !l->part || !l->stride) return HC_ENOMEM;
  for (size_t i = 0; i < q->axis_count; i++) TRY(take_axis(d, q->axes[i], CHOICES, l, &axis[i], e));
  for (size_t i = 0; i < q->over_count; i++) TRY(take_axis(d, q->over[i], SAMPLES, l, NULL, e));
  if (q->over_count == 0) {
    uint32_t replication = hc_study_axis_find(d, "replication");
    if (replication != UINT32_MAX && l->part[replication] == OTHERS) l->part[replication] = SAMPLES;
  }
  g->axis = axis;
  g->axis_count = (uint32_t)q->axis_count;
  g->choices = g->others = g->samples = 1;
  for (size_t i = q->axis_count; i-- > 0;) TRY(grow(d, axis[i], &g->choices, l, e));
  for (uint32_t i = d->axis_count; i-- > 0;) {
    if (l->part[i] == OTHERS) TRY(grow(d, i, &g->others, l, e));
    if (l->part[i] == SAMPLES) TRY(grow(d, i, &g->samples, l, e));
  }
  return hc_study_where(&g->arena, d, q->where, q->where_count, &l->keep, e);
}

static hc_rc name_choices(hc_grid *g)
{
  uint32_t *levels = hc_arena_alloc(&g->arena, (g->choices * g->axis_count + 1) * sizeof *levels);
  g->label = hc_arena_alloc(&g->arena, g->choices * sizeof *g->label);
  if (!levels || !g->label) return HC_ENOMEM;
  g->levels = levels;
  for (size_t c = 0; c < g->choices; c++) {
    size_t rest = c;
    g->label[c] = g->axis_count ? NULL : "all";
    for (uint32_t i = g->axis_count; i-- > 0;) {
      const hc_study_axis *x = &g->data->axes[g->axis[i]];
      const char *label;
      uint32_t level = (uint32_t)(rest % HC_MAX(1u, x->count));
      rest /= HC_MAX(1u, x->count);
      levels[c * g->axis_count + i] = level;
      label = x->count ? x->labels[level] : "";
      g->label[c] = g->label[c] ? hc_arena_printf(&g->arena, "%s %s", label, g->label[c]) : label;
      if (!g->label[c]) return HC_ENOMEM;
    }
  }
  return 0;
}

static void fill(hc_grid *g, const layout *l, const double *figure)
{
  const hc_study_data *d = g->data;
  size_t cells = g->choices * g->others * g->samples;
  for (size_t i = 0; i < cells; i++) g->value[i] = NOT_A_NUMBER;
  for (uint64_t p = 0; p < d->point_count; p++) {
    const uint32_t *level = &d->level[p * d->axis_count];
    size_t at[3] = {0, 0, 0}, pair;
    bool kept = true;
    for (uint32_t i = 0; kept && i < d->axis_count; i++) {
      kept = l->keep[i][level[i]];
      at[l->part[i]] += level[i] * l->stride[i];
    }
    if (!kept) continue;
    g->missing[at[CHOICES]] += d->state[p] != HC_POINT_DONE;
    if (d->state[p] != HC_POINT_DONE || figure[p] != figure[p]) continue;
    pair = at[CHOICES] * g->others + at[OTHERS];
    g->value[pair * g->samples + at[SAMPLES]] = figure[p];
    g->has[pair] = 1;
    g->points[at[CHOICES]]++;
  }
}

static void count_holes(hc_grid *g)
{
  for (size_t c = 0; c < g->choices; c++) {
    for (size_t s = 0; s < g->samples; s++) {
      bool any = false, hole = false;
      for (size_t o = 0; o < g->others; o++) {
        double v = g->value[(c * g->others + o) * g->samples + s];
        if (!g->has[c * g->others + o]) continue;
        any |= v == v;
        hole |= v != v;
      }
      g->holes[c] += any && hole;
    }
  }
}

hc_rc hc_grid_init(hc_grid *g, const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                   hc_error *e)
{
  layout l = {0};
  uint32_t figure = hc_study_figure_find(d, q->figure);
  size_t cells;
  *g = (hc_grid){.data = d, .level = q->level > 0 ? q->level : 0.95};
  hc_arena_init(&g->arena, a);
  if (!(g->level < 1))
    return hc_fail(e, HC_EUSAGE, d->name, 0, 0, "the level of an interval is above 0 and below 1, as 0.95");
  if (figure == UINT32_MAX) return hc_study_no_figure(d, q->figure, e);
  g->figure = d->figures[figure].name;
  g->unit = d->figures[figure].unit;
  g->direction = q->direction ? q->direction : d->figures[figure].direction;
  TRY(lay_out(g, q, &l, e));
  if (__builtin_mul_overflow(g->choices, g->others, &cells) ||
      __builtin_mul_overflow(cells, g->samples, &cells) || cells > CELL_LIMIT)
    return hc_fail(e, HC_ELIMIT, d->name, 0, 0,
                   "the question spans more than 2^28 combinations; fix some axes with a condition");
  g->value = hc_arena_alloc(&g->arena, cells * sizeof *g->value);
  g->has = hc_arena_alloc(&g->arena, g->choices * g->others);
  g->points = hc_arena_alloc(&g->arena, g->choices * sizeof *g->points);
  g->holes = hc_arena_alloc(&g->arena, g->choices * sizeof *g->holes);
  g->missing = hc_arena_alloc(&g->arena, g->choices * sizeof *g->missing);
  if (!g->value || !g->has || !g->points || !g->holes || !g->missing)
    return hc_fail(e, HC_ENOMEM, d->name, 0, 0, "out of memory");
  if (name_choices(g) < 0) return hc_fail(e, HC_ENOMEM, d->name, 0, 0, "out of memory");
  fill(g, &l, d->value[figure]);
  count_holes(g);
  return 0;
}

hc_rc hc_grid_ranks(const hc_grid *g, hc_error *e)
{
  if (g->direction) return 0;
  return hc_fail(
      e, HC_EUSAGE, g->data->name, 0, 0,
      "of %s neither more nor less is better by its declaration, so nothing can be ranked by it; say which "
      "with --higher %s or --lower %s (in a file of statements: `direction: higher` or `direction: lower`)",
      g->figure, g->figure, g->figure);
}

void hc_grid_fini(hc_grid *g)
{
  hc_arena_fini(&g->arena);
}

/* ---- series ---- */

/* Mean of choice x in sample s over the combinations that y has, too. */
static double sample(const hc_grid *g, size_t x, size_t y, size_t s)
{
  double sum = 0;
  size_t n = 0;
  for (size_t o = 0; o < g->others; o++) {
    if (!g->has[x * g->others + o] || !g->has[y * g->others + o]) continue;
    sum += g->value[(x * g->others + o) * g->samples + s];
    n++;
  }
  return n ? sum / (double)n : NOT_A_NUMBER;
}

void hc_grid_series(const hc_grid *g, size_t choice, double *out)
{
  for (size_t s = 0; s < g->samples; s++) out[s] = sample(g, choice, choice, s);
}

uint32_t hc_grid_parts(const hc_grid *g, size_t choice)
{
  uint32_t n = 0;
  for (size_t o = 0; o < g->others; o++) n += g->has[choice * g->others + o];
  return n;
}

void hc_grid_common(const hc_grid *g, const size_t *who, size_t count, uint8_t *mask)
{
  memset(mask, 1, g->others);
  for (size_t i = 0; i < count; i++) {
    for (size_t o = 0; o < g->others; o++) mask[o] &= g->has[who[i] * g->others + o];
  }
}

void hc_grid_series_in(const hc_grid *g, size_t choice, const uint8_t *mask, double *out)
{
  for (size_t s = 0; s < g->samples; s++) {
    double sum = 0;
    size_t n = 0;
    for (size_t o = 0; o < g->others; o++) {
      if (!mask[o]) continue;
      sum += g->value[(choice * g->others + o) * g->samples + s];
      n++;
    }
    out[s] = n ? sum / (double)n : NOT_A_NUMBER;
  }
}

void hc_grid_both(const hc_grid *g, size_t x, size_t y, double *of_x, double *of_y)
{
  for (size_t s = 0; s < g->samples; s++) {
    of_x[s] = sample(g, x, y, s);
    of_y[s] = sample(g, y, x, s);
  }
}

void hc_grid_difference(const hc_grid *g, size_t x, size_t y, double *out)
{
  for (size_t s = 0; s < g->samples; s++) out[s] = sample(g, x, y, s) - sample(g, y, x, s);
}

size_t hc_grid_find(const hc_grid *g, const char *label)
{
  for (size_t c = 0; c < g->choices; c++) {
    if (strcmp(g->label[c], label) == 0) return c;
  }
  return SIZE_MAX;
}

hc_rc hc_grid_no_choice(const hc_grid *g, const char *label, hc_error *e)
{
  const char *best = g->choices ? g->label[0] : "-";
  size_t distance = SIZE_MAX;
  for (size_t c = 0; c < g->choices; c++) {
    size_t n = hc_edit_distance(g->label[c], label, 40);
    if (g->points[c] && n < distance) {
      distance = n;
      best = g->label[c];
    }
  }
  return hc_fail(e, HC_EUSAGE, g->data->name, 0, 0, "it has no \"%.100s\" here; did you mean \"%.100s\"?",
                 label, best);
}
