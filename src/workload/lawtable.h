/* lawtable.h -- laws of chance by tables: one word of random bits, one value, a few nanoseconds.
 *
 * A continuous law becomes its quantiles at 1,024 equal steps with straight lines between; the last 16
 * steps are divided again into 1,024, the last 16 of these again, and once more. So steps are never wider
 * than a sixteenth of what is left above them, but for a share of 2^-24; the cdf is met within 2^-12, and
 * means within a part in a thousand, with tails as heavy as x^-0.6. Lists of values stay lists. A discrete
 * law is exact to 2^-32: an alias table (Walker 1977, doi:10.1145/355744.355749, as Vose builds it). */
#ifndef HC_WORKLOAD_LAWTABLE_H
#define HC_WORKLOAD_LAWTABLE_H

#include "workload/law.h"

#define HC_LAW_CELLS 1024
#define HC_LAW_LEVELS 4
#define HC_LAW_FAR 16 /* steps that the next level divides again */

/* Which of n things, each with its weight. */
typedef struct hc_alias {
  struct hc_alias_cell {
    uint32_t below, other; /* the thing itself if the coin is below, else the other */
  } * cells;               /* [count] */
  uint32_t count;
} hc_alias;

/** @param weights [count] >= 0, some above; 1 <= count <= 2^24. @return 0 or HC_ENOMEM. */
hc_rc hc_alias_make(hc_alias *t, const hc_allocator *a, const double *weights, uint32_t count);
void hc_alias_fini(hc_alias *t, const hc_allocator *a);

static inline uint32_t hc_alias_draw(const hc_alias *t, uint64_t bits)
{
  const uint32_t i = (uint32_t)(((bits >> 32) * t->count) >> 32);
  return (uint32_t)bits < t->cells[i].below ? i : t->cells[i].other;
}

/* One part of a law. */
typedef struct hc_law_curve {
  double from, scale;     /* u of the mixture to u of this part */
  double upto;            /* where it ends in the mixture */
  const double *edges;    /* [levels][cells + 1]; of a list [values], each as likely */
  uint32_t cells, levels; /* cells 0: a list */
  uint32_t values;
  uint32_t near; /* the first step that needs a second look */
} hc_law_curve;

typedef struct hc_law_table {
  const hc_allocator *allocator;
  hc_alias alias; /* discrete: which of `values`; else no cells */
  double *values;
  size_t value_count;
  hc_law_curve *curves;
  size_t curve_count;
  double *edges;
  size_t edge_count;
} hc_law_table;

/** @return 0, HC_ENOMEM. Call hc_law_table_fini whatever it returned. Cost: 4,096 quantiles for each
 *  continuous part, well below a millisecond but for gamma and hyperexponential, which take ten and more. */
hc_rc hc_law_table_make(hc_law_table *t, const hc_allocator *a, const hc_law *l);
void hc_law_table_fini(hc_law_table *t);
/** The mean of what the table yields, exactly. */
double hc_law_table_mean(const hc_law_table *t);

double hc_law_table_far(const hc_law_curve *c, double x); /* a step that needs a second look */

/** @param bits  uniform, all 64 of them */
static inline double hc_law_table_draw(const hc_law_table *t, uint64_t bits)
{
  const hc_law_curve *c = t->curves;
  if (t->alias.count > 0) return t->values[hc_alias_draw(&t->alias, bits)];
  const double u = (double)(int64_t)(bits >> 11) * 0x1p-53;
  while (u >= c->upto) c++;
  const double x = (u - c->from) * c->scale;
  const uint32_t i = (uint32_t)(int32_t)x;
  if (i >= c->near) return hc_law_table_far(c, x);
  return c->edges[i] + (c->edges[i + 1] - c->edges[i]) * (x - (double)(int32_t)i);
}

#endif
