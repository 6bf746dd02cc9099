/* batsim_machines.c -- Batsim's numbers of machines and sets of them: "0-3 7".
 *
 * Hosts that compute are numbered first, in their order in the cell, and storage hosts behind them, which lie
 * among them in the cell. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "remote/batsim.h"

hc_rc hc_batsim_machines_of(hc_batsim_machines *m, const hc_allocator *a, const hc_cell_spec *cell,
                            hc_error *e)
{
  *m = (hc_batsim_machines){.allocator = a};
  if (cell->granularity == HC_CELL_COUNT || !cell->class_of)
    return hc_fail(e, HC_EUNSUPPORTED, "batsim", 0, 0,
                   "its schedulers name the hosts of each job, and this cell has none: use `cell: simgrid`");
  m->hosts = hc_alloc(a, cell->units * sizeof *m->hosts);
  if (!m->hosts) return HC_ENOMEM;
  m->total = cell->units;
  for (int storage = 0; storage < 2; storage++)
    for (uint32_t h = 0; h < cell->units; h++)
      if ((cell->classes[cell->class_of[h]].capacity[HC_DIM_CPU] == 0) == (storage == 1))
        m->hosts[m->count + m->storage_count] = h, *(storage ? &m->storage_count : &m->count) += 1;
  return 0;
}

void hc_batsim_machines_fini(hc_batsim_machines *m)
{
  if (!m->allocator) return;
  hc_free(m->allocator, m->hosts, m->total * sizeof *m->hosts);
  hc_free(m->allocator, m->set, m->set_cap * sizeof *m->set);
  hc_free(m->allocator, m->ranges, m->range_cap * sizeof *m->ranges);
}

/* ---- sets ---- */

static hc_rc append(const hc_allocator *a, hc_range **items, size_t *count, size_t *cap, hc_range one)
{
  hc_range *last = *count > 0 ? &(*items)[*count - 1] : NULL;
  if (last && last->first + last->count == one.first) {
    last->count += one.count;
    return 0;
  }
  TRY(hc_reserve(a, (void **)items, cap, *count + 1, sizeof **items));
  (*items)[(*count)++] = one;
  return 0;
}

HC_SORT(sort_ranges, hc_range, a->first < b->first)

/* Ascending, with nothing twice. */
static void merge(hc_batsim_machines *m)
{
  size_t n = 0;
  sort_ranges(m->set, m->set_count);
  for (size_t i = 0; i < m->set_count; i++) {
    const hc_range x = m->set[i];
    hc_range *last = n > 0 ? &m->set[n - 1] : NULL;
    if (last && x.first <= last->first + last->count)
      last->count = HC_MAX(last->count, x.first + x.count - last->first);
    else m->set[n++] = x;
  }
  m->set_count = n;
}

static hc_rc to_hosts(hc_batsim_machines *m, uint32_t *size)
{
  m->range_count = 0;
  *size = 0;
  for (size_t i = 0; i < m->set_count; i++) {
    *size += m->set[i].count;
    for (uint32_t k = 0; k < m->set[i].count; k++)
      TRY(append(m->allocator, &m->ranges, &m->range_count, &m->range_cap,
                 (hc_range){m->hosts[m->set[i].first + k], 1}));
  }
  return 0;
}

static const char *digits(const char *s, const char *end, uint32_t *out)
{
  uint64_t n = 0;
  const char *p = s;
  for (; p < end && *p >= '0' && *p <= '9' && n < UINT32_MAX; p++) n = n * 10 + (uint64_t)(*p - '0');
  *out = (uint32_t)n;
  return p > s && n < UINT32_MAX ? p : NULL;
}

hc_rc hc_batsim_machines_read(hc_batsim_machines *m, const char *text, size_t n, uint32_t *size)
{
  const char *s = text, *end = text + n;
  m->set_count = 0;
  while (s < end) {
    uint32_t first, last;
    if (!(s = digits(s, end, &first))) return HC_EINPUT;
    last = first;
    if (s < end && *s == '-' && !(s = digits(s + 1, end, &last))) return HC_EINPUT;
    if (last < first || last >= m->count) return HC_EINPUT;
    TRY(hc_reserve(m->allocator, (void **)&m->set, &m->set_cap, m->set_count + 1, sizeof *m->set));
    m->set[m->set_count++] = (hc_range){first, last - first + 1};
    if (s < end && *s != ' ') return HC_EINPUT;
    while (s < end && *s == ' ') s++;
  }
  merge(m);
  return to_hosts(m, size);
}

void hc_batsim_machines_put(const hc_batsim_machines *m, hc_buffer *out)
{
  for (size_t i = 0; i < m->set_count; i++) {
    const hc_range *x = &m->set[i];
    if (i > 0) hc_buffer_text(out, " ");
    hc_batsim_put_number(out, x->first);
    if (x->count == 1) continue;
    hc_buffer_text(out, "-");
    hc_batsim_put_number(out, x->first + x->count - 1);
  }
}
