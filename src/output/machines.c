/* machines.c -- which machines each task had. See machines.h. */
#include "output/machines.h"

#include "base/sort.h"

HC_SORT(sort_ranges, hc_machine_range, a->serial != b->serial ? a->serial < b->serial : a->first < b->first)

static hc_rc keep(hc_machines *x, const char *table, const char *serial, const char *first, const char *count)
{
  hc_machine_range range = {.count = 1};
  TRY(hc_emit_number(x->emit, table, serial, 0, INT64_MAX, &range.serial));
  TRY(hc_emit_number(x->emit, table, first, 0, UINT32_MAX, &range.first));
  if (count) TRY(hc_emit_number(x->emit, table, count, 1, UINT32_MAX, &range.count));
  TRY(hc_reserve(x->allocator, (void **)&x->ranges, &x->cap, x->count + 1, sizeof range));
  x->ranges[x->count++] = range;
  return 0;
}

static hc_rc keep_placement(void *ctx, const char *const *values)
{
  return keep(ctx, "placements", values[0], values[1], values[2]);
}

static hc_rc keep_grant(void *ctx, const char *const *values)
{
  return keep(ctx, "grants", values[0], values[1], NULL);
}

static hc_rc note_host(void *ctx, const char *const *values)
{
  (void)values;
  ((hc_machines *)ctx)->are_hosts = true;
  return 0;
}

/* Neighbours become one range, and a host that a task had twice is one machine. */
static void join(hc_machines *x)
{
  size_t n = 0;
  for (size_t i = 0; i < x->count; i++) {
    const hc_machine_range next = x->ranges[i];
    hc_machine_range *last = n > 0 ? &x->ranges[n - 1] : NULL;
    if (last && last->serial == next.serial && next.first <= last->first + last->count)
      last->count = HC_MAX(last->count, next.first + next.count - last->first);
    else x->ranges[n++] = next;
  }
  x->count = n;
}

hc_rc hc_machines_read(hc_machines *x, hc_emit *m, const hc_allocator *a, hc_result *r)
{
  *x = (hc_machines){.allocator = a, .emit = m};
  const uint32_t amounts = hc_result_amounts(r);
  TRY(hc_result_rows(r, "hosts", 4 + amounts, note_host, x, m->error));
  if (x->are_hosts) TRY(hc_result_rows(r, "grants", 4 + amounts, keep_grant, x, m->error));
  else TRY(hc_result_rows(r, "placements", 3, keep_placement, x, m->error));
  sort_ranges(x->ranges, x->count);
  join(x);
  return 0;
}

void hc_machines_fini(hc_machines *x)
{
  hc_free(x->allocator, x->ranges, x->cap * sizeof *x->ranges);
}

const hc_machine_range *hc_machines_of(const hc_machines *x, int64_t serial, size_t *n)
{
  size_t low = 0, high = x->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (x->ranges[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  *n = 0;
  while (low + *n < x->count && x->ranges[low + *n].serial == serial) (*n)++;
  return x->ranges + low;
}
