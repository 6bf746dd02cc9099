/* shake.c -- how fragile a ranking is when its input is shaken a little.
 *
 * Each sample is a perturbed copy of one input, on which all choices ran. The ranking is that of the means
 * over all copies; a pair flips in a copy where the worse one is strictly better. A winner stays the winner
 * where no other is strictly better. Shares come with Wilson's interval, since they are often 0 or 1. It does
 * not perturb: that is a transform of the workload. Source: Tsafrir, Ouaknine and Feitelson, MASCOTS 2007.
 * Cost: choices^2 x samples. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "study/stat_grid.h"

typedef struct shaking {
  hc_study_fragility found; /* first: what the caller holds */
  hc_grid grid;
} shaking;

static bool is_better(const hc_grid *g, double x, double y)
{
  return g->direction > 0 ? x > y : x < y;
}

/* The order of two choices by the mean of their difference, and how often it is the other one. */
static void flip_of(const hc_grid *g, size_t x, size_t y, double *scratch, hc_study_flip *out)
{
  double sum = 0;
  hc_grid_difference(g, x, y, scratch);
  *out = (hc_study_flip){0};
  for (size_t s = 0; s < g->samples; s++) {
    if (scratch[s] != scratch[s]) continue;
    sum += scratch[s];
    out->shakes++;
    out->ties += scratch[s] == 0;
  }
  bool first = !is_better(g, 0, sum); /* ties go to the earlier choice */
  for (size_t s = 0; s < g->samples; s++) {
    if (scratch[s] == scratch[s])
      out->flips += first ? is_better(g, 0, scratch[s]) : is_better(g, scratch[s], 0);
  }
  out->better = g->label[first ? x : y];
  out->worse = g->label[first ? y : x];
  out->share = out->shakes ? (double)out->flips / (double)out->shakes : __builtin_nan("");
  hc_stat_wilson(out->flips, out->shakes, g->level, &out->low, &out->high);
}

/* Which choice has the best mean over what all have, and in how many copies no other beats it. @param series
 * [choices][samples] */
static void find_winner(const hc_grid *g, const uint8_t *mask, double *series, hc_study_fragility *f)
{
  size_t winner = SIZE_MAX;
  double best = 0;
  hc_stat_mean m;
  for (size_t c = 0; c < g->choices; c++) {
    hc_grid_series_in(g, c, mask, &series[c * g->samples]);
    (void)hc_stat_mean_of(&series[c * g->samples], g->samples, g->level, &m);
    if (g->points[c] == 0 || m.count == 0 || (winner != SIZE_MAX && !is_better(g, m.mean, best))) continue;
    winner = c;
    best = m.mean;
  }
  if (winner == SIZE_MAX) return;
  f->winner = g->label[winner];
  for (size_t s = 0; s < g->samples; s++) {
    double mine = series[winner * g->samples + s];
    bool beaten = false, whole = mine == mine;
    for (size_t c = 0; c < g->choices; c++) {
      double other = series[c * g->samples + s];
      if (g->points[c] == 0) continue;
      whole &= other == other;
      beaten |= is_better(g, other, mine);
    }
    f->shakes += whole;
    f->wins += whole && !beaten;
  }
}

/* Most fragile first, then by name. */
static int by_fragility(const void *x, const void *y)
{
  const hc_study_flip *a = x, *b = y;
  int order = strcmp(a->better, b->better);
  if (a->share != b->share) return a->share > b->share ? -1 : 1;
  return order ? order : strcmp(a->worse, b->worse);
}

static hc_rc shake(shaking *k, hc_error *e)
{
  hc_grid *g = &k->grid;
  size_t pairs = g->choices * (g->choices - 1) / 2;
  hc_study_flip *flips = hc_arena_alloc(&g->arena, (pairs + 1) * sizeof *flips);
  double *series = hc_arena_alloc(&g->arena, g->choices * g->samples * sizeof *series);
  hc_study_fragility *f = &k->found;
  uint8_t *mask = hc_arena_alloc(&g->arena, g->others);
  size_t *who = hc_arena_alloc(&g->arena, g->choices * sizeof *who), count = 0;
  if (!flips || !series || !mask || !who) return HC_ENOMEM;
  f->figure = g->figure;
  f->direction = g->direction;
  TRY(hc_grid_ranks(g, e));
  for (size_t c = 0; c < g->choices; c++) {
    if (g->points[c]) who[count++] = c;
  }
  hc_grid_common(g, who, count, mask);
  find_winner(g, mask, series, f);
  if (!f->winner)
    return hc_fail(e, HC_EUSAGE, g->data->name, 0, 0,
                   "no point that was carried out answers to these conditions");
  f->share = f->shakes ? (double)f->wins / (double)f->shakes : __builtin_nan("");
  hc_stat_wilson(f->wins, f->shakes, g->level, &f->low, &f->high);
  for (size_t x = 0; x < g->choices; x++) {
    for (size_t y = x + 1; y < g->choices; y++) {
      if (g->points[x] && g->points[y]) flip_of(g, x, y, series, &flips[f->count++]);
    }
  }
  if (f->count > 1) qsort(flips, f->count, sizeof *flips, by_fragility);
  f->flips = flips;
  return 0;
}

hc_rc hc_study_shake(const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                     hc_study_fragility **out, hc_error *e)
{
  shaking *k = hc_alloc(a, sizeof *k);
  hc_rc rc;
  if (!k) return hc_fail(e, HC_ENOMEM, d->name, 0, 0, "out of memory");
  rc = hc_grid_init(&k->grid, a, d, q, e);
  if (rc >= 0) rc = shake(k, e);
  if (rc < 0) {
    hc_study_fragility_free(a, &k->found);
    return hc_fail(e, rc, d->name, 0, 0, "%s", hc_rc_text(rc));
  }
  *out = &k->found;
  return 0;
}

void hc_study_fragility_free(const hc_allocator *a, hc_study_fragility *f)
{
  shaking *k = (shaking *)(void *)f;
  if (!k) return;
  hc_grid_fini(&k->grid);
  hc_free(a, k, sizeof *k);
}
