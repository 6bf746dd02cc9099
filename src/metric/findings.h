/* findings.h -- a ready-made place for figures: a list that keeps all of them in memory, in the order found.
 *
 * Others who finish a metric fill an hc_findings of their own with where a figure and a cell of a table
 * shall go. */
#ifndef HC_METRIC_FINDINGS_H
#define HC_METRIC_FINDINGS_H

#include "base/mem.h"
#include "hindcast/metric.h"

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

/* Whether a line of hc_component.figures declares a figure with that unit. Cells are declared as
 * "table.name". A * stands for any text, where names follow from the input (dimensions, classes, users); a
 * unit may list several: "cores, B". @param table NULL: a figure of the summary */
bool hc_metric_matches(const char *line, const char *table, const char *name, const char *unit);
/* Whether a family declares it. */
bool hc_metric_declares(const hc_metric_type *t, const char *table, const char *name, const char *unit);

/* Fill an error for what a hearing function or finish returned: they have no place for a text of their own. A
 * limit (HC_ELIMIT), and what the run does not have (HC_EUSAGE), are explained by the component's detail,
 * which says what to do. @return rc */
hc_rc hc_metric_fail(const hc_metric_type *t, hc_rc rc, hc_error *e);

#endif
