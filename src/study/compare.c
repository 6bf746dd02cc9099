/* compare.c -- every choice against a baseline, sample by sample.
 *
 * Samples are runs under common random numbers, so what they have in common cancels in the difference. The
 * verdict is that of one test, stated beforehand, whose p values are corrected for the number of choices;
 * better and worse are the side on which that test sees the differences, turned by the figure's direction; of
 * a figure that has none the verdict is "differs".
 * "same" is said only where it is shown: all samples equal, or the interval within the margin (two one-sided
 * tests; Schuirmann 1987, doi:10.1007/BF01068419). */
#include "base/util.h"
#include "study/stat_grid.h"

const char *hc_study_verdict_name(hc_study_verdict v)
{
  switch (v) {
    case HC_VERDICT_BETTER: return "better";
    case HC_VERDICT_WORSE: return "worse";
    case HC_VERDICT_SAME: return "same";
    case HC_VERDICT_DIFFERS: return "differs";
    case HC_VERDICT_UNCLEAR: return "unclear";
    case HC_VERDICT_NO_DATA: return "no data";
  }
  return "?";
}

static double deciding(const hc_stat_pairs *p, hc_stat_test test)
{
  switch (test) {
    case HC_STAT_TEST_T: return p->p_t;
    case HC_STAT_TEST_SIGN: return p->difference.count < 2 ? __builtin_nan("") : p->p_sign;
    case HC_STAT_TEST_WILCOXON: return p->difference.count < 2 ? __builtin_nan("") : p->p_wilcoxon;
  }
  return __builtin_nan("");
}

/* On which side of zero the test that decides sees the differences: ranks and the mean may disagree where a
 * few samples are far out, and a p value of ranks says nothing of the mean's side. */
static bool is_above(const hc_stat_pairs *p, hc_stat_test test)
{
  const double n = (double)(p->above + p->below);
  switch (test) {
    case HC_STAT_TEST_T: break;
    case HC_STAT_TEST_SIGN: return p->above > p->below;
    case HC_STAT_TEST_WILCOXON: return p->rank_sum > n * (n + 1) / 4;
  }
  return p->difference.mean > 0;
}

static hc_study_verdict judge(const hc_study_difference *r, const hc_study_against *against, double alpha,
                              int direction, double margin)
{
  const hc_stat_mean *m = &r->pairs.difference;
  if (r->pairs.above + r->pairs.below == 0 && m->count) return HC_VERDICT_SAME;
  if (m->count < 2) return HC_VERDICT_NO_DATA;
  if (margin > 0 && m->low >= -margin && m->high <= margin) return HC_VERDICT_SAME;
  if (!(r->adjusted < alpha)) return HC_VERDICT_UNCLEAR;
  if (direction == 0) return HC_VERDICT_DIFFERS;
  return is_above(&r->pairs, against->test) == (direction > 0) ? HC_VERDICT_BETTER : HC_VERDICT_WORSE;
}

typedef struct comparison {
  hc_study_differences found; /* first: what the caller holds */
  hc_grid grid;
} comparison;

/* The rows, without verdicts. @param scratch [4][samples] */
static hc_rc pair_all(const hc_allocator *a, comparison *c, size_t base, hc_stat_test test,
                      hc_study_difference *rows, double *scratch)
{
  hc_grid *g = &c->grid;
  double *series = scratch, *x = scratch + g->samples, *y = x + g->samples;
  hc_grid_series(g, base, series);
  TRY(hc_stat_mean_of(series, g->samples, g->level, &c->found.stat));
  for (size_t i = 0; i < g->choices; i++) {
    hc_study_difference *r = &rows[c->found.count];
    if (i == base || (g->points[i] == 0 && g->missing[i] == 0)) continue; /* no such choice here */
    r->label = g->label[i];
    hc_grid_series(g, i, series);
    TRY(hc_stat_mean_of(series, g->samples, g->level, &r->stat));
    hc_grid_both(g, i, base, x, y);
    TRY(hc_stat_pairs_of(a, x, y, g->samples, g->level, &r->pairs));
    r->p = deciding(&r->pairs, test);
    c->found.count++;
  }
  return 0;
}

static hc_rc find_base(const hc_grid *g, const char *label, size_t *out, hc_error *e)
{
  size_t at = SIZE_MAX;
  for (size_t i = 0; i < g->choices && at == SIZE_MAX; i++) {
    if (g->points[i]) at = i;
  }
  if (at == SIZE_MAX)
    return hc_fail(e, HC_EUSAGE, g->data->name, 0, 0,
                   "no point that was carried out answers to these conditions");
  if (label) at = hc_grid_find(g, label);
  if (at == SIZE_MAX || g->points[at] == 0) return hc_grid_no_choice(g, label, e);
  *out = at;
  return 0;
}

static hc_rc compare(const hc_allocator *a, comparison *c, const hc_study_against *against, hc_error *e)
{
  hc_grid *g = &c->grid;
  hc_study_difference *rows = hc_arena_alloc(&g->arena, g->choices * sizeof *rows);
  double *scratch = hc_arena_alloc(&g->arena, 3 * HC_MAX(g->samples, g->choices) * sizeof *scratch), margin;
  size_t base = 0;
  if (!rows || !scratch) return HC_ENOMEM;
  TRY(find_base(g, against->baseline, &base, e));
  c->found.figure = g->figure;
  c->found.unit = g->unit;
  c->found.direction = g->direction;
  c->found.baseline = g->label[base];
  c->found.rows = rows;
  TRY(pair_all(a, c, base, against->test, rows, scratch));
  for (uint32_t i = 0; i < c->found.count; i++) scratch[i] = rows[i].p;
  TRY(hc_stat_adjust(a, against->adjustment, scratch, c->found.count, scratch));
  margin = against->margin * (c->found.stat.mean < 0 ? -c->found.stat.mean : c->found.stat.mean);
  for (uint32_t i = 0; i < c->found.count; i++) {
    rows[i].adjusted = scratch[i];
    rows[i].verdict = judge(&rows[i], against, 1 - g->level, g->direction, margin);
  }
  return 0;
}

hc_rc hc_study_compare(const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                       const hc_study_against *against, hc_study_differences **out, hc_error *e)
{
  comparison *c = hc_alloc(a, sizeof *c);
  hc_rc rc;
  if (!c) return hc_fail(e, HC_ENOMEM, d->name, 0, 0, "out of memory");
  rc = hc_grid_init(&c->grid, a, d, q, e);
  if (rc >= 0) rc = compare(a, c, against, e);
  if (rc < 0) {
    hc_study_differences_free(a, &c->found);
    return hc_fail(e, rc, d->name, 0, 0, "%s", hc_rc_text(rc));
  }
  *out = &c->found;
  return 0;
}

void hc_study_differences_free(const hc_allocator *a, hc_study_differences *f)
{
  comparison *c = (comparison *)(void *)f;
  if (!c) return;
  hc_grid_fini(&c->grid);
  hc_free(a, c, sizeof *c);
}
