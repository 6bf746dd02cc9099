/* findings.h -- where figures go: a table of two functions, and a ready-made list that keeps them.
 *
 * Whoever finishes a metric fills an hc_findings with where a figure and a cell of a table shall go (a store,
 * a screen); hc_finding_list is the implementation that keeps all of them in memory, in the order found. */
#ifndef HC_METRIC_FINDINGS_H
#define HC_METRIC_FINDINGS_H

#include "base/mem.h"
#include "hindcast/metric.h"

struct hc_findings {
  void *ctx;
  /* A figure: `count` is its exact value if `is_count`, and `value` the same as a double. */
  hc_rc (*figure)(void *ctx, const char *name, const char *unit, double value, bool is_count, int64_t count);
  hc_rc (*cell)(void *ctx, const char *table, int64_t key, const char *name, const char *unit, double value);
};

typedef struct hc_finding {
  const char *table; /* NULL: a figure of the summary */
  int64_t key;
  const char *name, *unit;
  double value;
  bool is_count;
  int64_t count;
} hc_finding;

typedef struct hc_finding_list {
  hc_findings findings; /* hand this to finish() */
  const hc_allocator *allocator;
  hc_arena text;
  hc_finding *items;
  size_t count, cap;
} hc_finding_list;

/* The list must not move after this: its table of functions points at it. */
void hc_finding_list_init(hc_finding_list *l, const hc_allocator *a);
void hc_finding_list_fini(hc_finding_list *l);
/* The figure of that name, or the cell of that table and key; NULL if it was not found. O(n). */
const hc_finding *hc_finding_list_get(const hc_finding_list *l, const char *table, int64_t key,
                                      const char *name);

/* Whether a family declares a figure with that unit. Cells are declared as "table.name". */
bool hc_metric_declares(const hc_metric_type *t, const char *table, const char *name, const char *unit);

/* Fill an error for what a hearing function or finish returned: they have no place for a text of their own. A
 * limit is explained by the component's detail, which says what to do. @return rc */
hc_rc hc_metric_fail(const hc_metric_type *t, hc_rc rc, hc_error *e);

#endif
