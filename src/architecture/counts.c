/* counts.c -- see counts.h. */
#include "architecture/counts.h"

#include <stdio.h>

#include "base/state.h"
#include "base/util.h"

void hc_counted_init(hc_counted *c, const hc_allocator *a)
{
  c->sum = 0;
  hc_quantile_init(&c->values, a);
}

void hc_counted_fini(hc_counted *c)
{
  hc_quantile_fini(&c->values);
}

hc_rc hc_counted_add(hc_counted *c, double value)
{
  c->sum += value;
  return hc_quantile_add(&c->values, &value, 1);
}

hc_rc hc_counted_visit(hc_counted *c, hc_visitor *v)
{
  HC_VISIT(v, c->sum);
  return hc_quantile_visit(&c->values, v);
}

hc_rc hc_counted_find_mean(const hc_counted *c, const hc_counted_name *name, hc_findings *f)
{
  char figure[128];
  (void)snprintf(figure, sizeof figure, "%s_mean%s", name->head, name->tail);
  return hc_find_real(f, figure, name->unit, hc_per(c->sum, (double)c->values.n) / name->divisor);
}

hc_rc hc_counted_find_quantiles(const hc_counted *c, const hc_counted_name *name, const int *permille,
                                size_t count, hc_findings *f)
{
  double values[8];
  HC_ASSERT(count <= HC_ARRAY_LEN(values));
  TRY(hc_quantile_get(&c->values, permille, count, values));
  for (size_t i = 0; i < count; i++) {
    char figure[128];
    (void)snprintf(figure, sizeof figure, "%s_p%d%s", name->head, permille[i] / 10, name->tail);
    TRY(hc_find_real(f, figure, name->unit, values[i] / name->divisor));
  }
  return 0;
}
