/* groups.c -- one table of sums by key. See groups.h. */
#include "metric/groups.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"

void hc_groups_init(hc_groups *g, const hc_allocator *a, hc_time tau)
{
  *g = (hc_groups){.allocator = a, .tau = tau};
  hc_map_init(&g->slots, a);
}

void hc_groups_fini(hc_groups *g)
{
  hc_map_fini(&g->slots);
  hc_free(g->allocator, g->items, g->cap * sizeof *g->items);
  hc_order_fini(&g->order, g->allocator);
  hc_groups_init(g, g->allocator, g->tau);
}

/* The row of a key from the map, or a new one; kept in the table for the next time. */
static hc_rc look_up(hc_groups *g, int64_t key, uint32_t *row)
{
  uint32_t found = hc_map_get(&g->slots, (uint64_t)key);
  if (found == HC_MAP_NONE) {
    if (g->count >= HC_MAP_NONE) return HC_ELIMIT;
    TRY(hc_reserve(g->allocator, (void **)&g->items, &g->cap, g->count + 1, sizeof *g->items));
    found = (uint32_t)g->count;
    TRY(hc_map_set(&g->slots, (uint64_t)key, found));
    g->items[g->count++] = (hc_group){.key = key};
  }
  g->near[(uint64_t)key % HC_GROUPS_NEAR] = found + 1;
  *row = found;
  return 0;
}

static void add_one(hc_group *row, const hc_task_record *r, hc_time tau)
{
  hc_time wait = hc_time_between(r->submit, r->start), run = hc_task_ran(r);
  double slowdown = (double)hc_time_between(r->submit, r->end) / (double)HC_MAX(run, tau);
  row->tasks++;
  hc_wide_add(&row->wait, wait);
  hc_wide_add(&row->run, run);
  hc_wide_add_product(&row->area, run, r->units);
  hc_real_sum_add(&row->slowdown, slowdown > 1 ? slowdown : 1);
  row->wait_max = HC_MAX(row->wait_max, wait);
}

hc_rc hc_groups_add(hc_groups *g, const int64_t *keys, const hc_task_record *records, size_t count)
{
  hc_time tau = g->tau;
  hc_group *items = g->items;
  for (size_t i = 0; i < count; i++) {
    uint32_t near = g->near[(uint64_t)keys[i] % HC_GROUPS_NEAR], row = near - 1;
    if (!hc_task_counts(&records[i])) continue;
    if (near == 0 || items[row].key != keys[i]) {
      TRY(look_up(g, keys[i], &row));
      items = g->items;
    }
    add_one(&items[row], &records[i], tau);
  }
  return 0;
}

hc_rc hc_groups_order(hc_groups *g)
{
  return hc_order_make(&g->order, g->allocator, g->items, g->count, sizeof *g->items);
}

/* The map is made again from the rows, and the table begins empty: what they hold follows from the rows. */
hc_rc hc_groups_visit(hc_groups *g, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, g->items, g->count, g->cap);
  if (!hc_visit_loading(v)) return 0;
  hc_map_fini(&g->slots);
  memset(g->near, 0, sizeof g->near);
  for (size_t i = 0; i < g->count; i++) TRY(hc_map_set(&g->slots, (uint64_t)g->items[i].key, (uint32_t)i));
  return g->slots.count == g->count ? 0 : HC_EINPUT;
}

static hc_rc find_row(const hc_group *r, hc_findings *f, const char *table)
{
  hc_wide response = hc_wide_plus(r->wait, r->run);
  TRY(hc_find_cell(f, table, r->key, "tasks", "tasks", (double)r->tasks));
  TRY(hc_find_cell(f, table, r->key, "wait_mean", "s", hc_mean_seconds(r->wait, r->tasks)));
  TRY(hc_find_cell(f, table, r->key, "wait_max", "s", hc_seconds(r->wait_max)));
  TRY(hc_find_cell(f, table, r->key, "response_mean", "s", hc_mean_seconds(response, r->tasks)));
  TRY(hc_find_cell(f, table, r->key, "bounded_slowdown_mean", "1", hc_mean_real(r->slowdown, r->tasks)));
  return hc_find_cell(f, table, r->key, "area", "units*s", hc_wide_seconds(r->area));
}

hc_rc hc_groups_find(hc_groups *g, hc_findings *f, const char *table)
{
  TRY(hc_groups_order(g));
  for (size_t i = 0; i < g->count; i++) TRY(find_row(hc_groups_at(g, i), f, table));
  return 0;
}
