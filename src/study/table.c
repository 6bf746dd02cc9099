/* table.c -- means of one figure for each combination of some axes.
 *
 * The rules of averaging are the grid's (stat_grid.c); here are only the intervals. It does not compare: two
 * intervals that overlap say nothing of a paired difference (compare.c). */
#include "base/math.h"
#include "base/util.h"
#include "study/stat_grid.h"

/* t s / sqrt(n) of the mean becomes t s sqrt(1 + 1/n) of a further sample. Source: Law and Kelton, section
 * 4.5. */
static void widen(hc_stat_mean *m)
{
  m->half_width *= hc_sqrt((double)m->count + 1);
  m->relative *= hc_sqrt((double)m->count + 1);
  m->low = m->mean - m->half_width;
  m->high = m->mean + m->half_width;
}

static hc_rc measure(const hc_allocator *a, const hc_grid *g, const hc_study_query *q, size_t choice,
                     double *series, hc_stat_mean *out)
{
  hc_stat_bootstrap b = {.kind = q->interval, .level = g->level, .resamples = q->resamples};
  hc_grid_series(g, choice, series);
  TRY(hc_stat_mean_of(series, g->samples, g->level, out));
  if (q->interval == HC_STAT_PREDICTION) widen(out);
  if (q->interval == HC_STAT_T || q->interval == HC_STAT_PREDICTION) return 0;
  b.seed = q->seed;
  b.entity = choice;
  TRY(hc_stat_bootstrap_mean(a, series, g->samples, &b, &out->low, &out->high));
  out->half_width = 0.5 * (out->high - out->low);
  out->relative =
      out->mean != 0 ? out->half_width / (out->mean < 0 ? -out->mean : out->mean) : __builtin_nan("");
  return 0;
}

typedef struct table {
  hc_study_cells cells; /* first: what the caller holds */
  hc_grid grid;
} table;

hc_rc hc_study_table(const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                     hc_study_cells **out, hc_error *e)
{
  table *t = hc_alloc(a, sizeof *t);
  hc_study_cell *cells = NULL;
  double *series = NULL;
  hc_rc rc;
  if (!t) return hc_fail(e, HC_ENOMEM, d->name, 0, 0, "out of memory");
  TRY_OR(hc_grid_init(&t->grid, a, d, q, e), failed);
  rc = HC_ENOMEM;
  cells = hc_arena_alloc(&t->grid.arena, t->grid.choices * sizeof *cells);
  series = hc_arena_alloc(&t->grid.arena, t->grid.samples * sizeof *series);
  if (!cells || !series) goto failed;
  for (size_t i = 0; i < t->grid.choices; i++) {
    cells[i].label = t->grid.label[i];
    cells[i].level = &t->grid.levels[i * t->grid.axis_count];
    cells[i].holes = t->grid.holes[i];
    cells[i].missing = t->grid.missing[i];
    cells[i].parts = hc_grid_parts(&t->grid, i);
    TRY_OR(measure(a, &t->grid, q, i, series, &cells[i].stat), failed);
  }
  t->cells = (hc_study_cells){.figure = t->grid.figure,
                              .unit = t->grid.unit,
                              .direction = t->grid.direction,
                              .axis_count = t->grid.axis_count,
                              .count = (uint32_t)t->grid.choices,
                              .axis = t->grid.axis,
                              .cells = cells};
  *out = &t->cells;
  return 0;
failed:
  hc_study_cells_free(a, &t->cells);
  return hc_fail(e, rc, d->name, 0, 0,
                 rc == HC_ENOMEM ? "out of memory" : "a resample count or a level is out of range");
}

void hc_study_cells_free(const hc_allocator *a, hc_study_cells *c)
{
  table *t = (table *)(void *)c;
  if (!t) return;
  hc_grid_fini(&t->grid);
  hc_free(a, t, sizeof *t);
}
