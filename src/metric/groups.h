/* groups.h -- sums of tasks that share a key: a user, a group, a queue, a day, an hour.
 *
 * Keys are any 64-bit numbers (-1: unknown, a row of its own). Rows are found through a map, and before it
 * through a small table of the rows found last, which small tables never leave. They come out by ascending
 * key. Counts tasks that started and ended.
 * Cost: one look-up, one division and three exact sums per task; 112 bytes per key and 4 KiB. */
#ifndef HC_METRIC_GROUPS_H
#define HC_METRIC_GROUPS_H

#include "base/mem.h"
#include "hindcast/figure.h"
#include "metric/order.h"
#include "metric/sum128.h"

typedef struct hc_group {
  int64_t key;
  uint64_t tasks;
  hc_wide wait, run;    /* ns */
  hc_wide area;         /* units x ns */
  hc_real_sum slowdown; /* bounded */
  hc_time wait_max;
} hc_group;

#define HC_GROUPS_NEAR 1024

typedef struct hc_groups {
  const hc_allocator *allocator;
  hc_time tau;
  hc_map slots; /* key to index in items */
  hc_group *items;
  size_t count, cap;
  uint32_t near[HC_GROUPS_NEAR]; /* by the key's low bits: index + 1 of the row last found there; 0: none */
  hc_order order;                /* after hc_groups_order */
} hc_groups;

void hc_groups_init(hc_groups *g, const hc_allocator *a, hc_time tau);
void hc_groups_fini(hc_groups *g);
/* @param keys [count] for each record; records that do not count are passed over. @return 0 or HC_ENOMEM. */
hc_rc hc_groups_add(hc_groups *g, const int64_t *keys, const hc_task_record *records, size_t count);
/* Put the rows in order by ascending key: the i-th is hc_groups_at. @return 0 or HC_ENOMEM. */
hc_rc hc_groups_order(hc_groups *g);
static inline const hc_group *hc_groups_at(const hc_groups *g, size_t i)
{
  return &g->items[g->order.at[i]];
}
hc_rc hc_groups_visit(hc_groups *g, hc_visitor *v);
/* Find a table: for each key tasks, wait_mean, wait_max, response_mean, bounded_slowdown_mean, area. */
hc_rc hc_groups_find(hc_groups *g, hc_findings *f, const char *table);

/* The declarations of what hc_groups_find finds. */
#define HC_GROUP_FIGURES(table) \
  table ".tasks|tasks|none|tasks that started and ended", table ".wait_mean|s|lower|mean of start - submit", \
      table ".wait_max|s|lower|greatest start - submit", \
      table ".response_mean|s|lower|mean of end - submit", \
      table ".bounded_slowdown_mean|1|lower|mean of max(1, (end - submit) / max(end - start, tau))", \
      table ".area|units*s|none|sum of units x (end - start)"

#endif
