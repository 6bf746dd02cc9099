/* nested_test.h -- what the tests of sources around sources share: the inner one, and two-sample
 * statistics. */
#ifndef HC_NESTED_TEST_H
#define HC_NESTED_TEST_H

#include "generator_test.h"

/* `outer` over `inner`; drop() both. */
static inline hc_chosen around(hc_chosen outer, hc_chosen inner)
{
  for (const hc_param *p = outer.type->params; p->name; p++)
    if (strcmp(p->name, "from") == 0) memcpy((char *)outer.options + p->offset, &inner, sizeof inner);
  return outer;
}

/* A column of numbers. */
typedef struct column {
  double *x;
  size_t n, cap;
} column;

static inline void put(column *c, double x)
{
  if (c->n == c->cap) {
    c->cap = c->cap ? 2 * c->cap : 1024;
    double *more = test_calloc(c->cap, sizeof *more);
    if (c->n) memcpy(more, c->x, c->n * sizeof *more);
    test_free(c->x);
    c->x = more;
  }
  c->x[c->n++] = x;
}

/* The Kolmogorov-Smirnov distance of two samples, ties included; sorts both. */
static inline double two_sample_distance(column *a, column *b)
{
  double most = 0;
  qsort(a->x, a->n, sizeof *a->x, by_value);
  qsort(b->x, b->n, sizeof *b->x, by_value);
  for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
    const double x = a->x[i] <= b->x[j] ? a->x[i] : b->x[j];
    while (i < a->n && a->x[i] <= x) i++;
    while (j < b->n && b->x[j] <= x) j++;
    most = HC_MAX(most, distance((double)i / (double)a->n, (double)j / (double)b->n));
  }
  return most;
}

/* At level 0.001: D sqrt(nm / (n + m)) is above KS_LEVEL_001 once in a thousand streams for continuous laws,
 * and less often where values tie. */
static inline void same_law(const char *what, column *a, column *b)
{
  const double n = (double)a->n, m = (double)b->n;
  const double d = two_sample_distance(a, b) * hc_sqrt(n * m / (n + m));
  if (!(d < KS_LEVEL_001))
    fail_msg("%s: D sqrt(nm/(n+m)) = %.3f of %zu and %zu, above %.4f", what, d, a->n, b->n, KS_LEVEL_001);
}

#endif
