/* partitions.c -- see partitions.h. */
#include "architecture/scheduler/partitions.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"

uint32_t hc_scheduler_entry(const hc_schedulers *all, uint32_t scheduler)
{
  uint32_t k = 0;
  while (!all->is_one_server && scheduler >= all->first[k + 1]) k++;
  return k;
}

static hc_rc complain(const hc_scheduler_options *o, const char *text, const char *what, uint32_t hosts,
                      hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, "architecture", 0, 0,
                 "scheduler %s: \"%s\" %s; the cell has hosts 0 to %u, written as \"17\" or \"0-99\"",
                 o->name, text, what, hosts - 1);
}

HC_SORT(sort_ranges, hc_range, a->first < b->first)

static hc_rc read_range(const hc_scheduler_options *o, const char *text, uint32_t hosts, hc_range *out,
                        hc_error *e)
{
  char *end;
  const unsigned long long first = strtoull(text, &end, 10),
                           last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
  if (*text < '0' || *text > '9' || *end) return complain(o, text, "is no range of hosts", hosts, e);
  if (first > last || last >= hosts) return complain(o, text, "is not within the cell", hosts, e);
  *out = (hc_range){(uint32_t)first, (uint32_t)(last - first + 1)};
  return 0;
}

static hc_rc read_part(hc_schedulers *all, const hc_scheduler_options *o, uint32_t hosts, hc_partition *p,
                       hc_error *e)
{
  const char *const *texts = o->hosts.items;
  p->ranges = hc_arena_alloc(&all->build, o->hosts.count * sizeof *p->ranges);
  if (!p->ranges) return HC_ENOMEM;
  for (; p->count < o->hosts.count; p->count++)
    TRY(read_range(o, texts[p->count], hosts, &p->ranges[p->count], e));
  sort_ranges(p->ranges, p->count);
  return 0;
}

/* The list does not say which: each gets as many as the others, one behind the other. */
static hc_rc cut_evenly(hc_schedulers *all, hc_partition *parts, uint32_t hosts)
{
  for (uint32_t k = 0; k < all->kind_count; k++) {
    const uint32_t from = (uint32_t)((uint64_t)hosts * k / all->kind_count);
    const uint32_t to = (uint32_t)((uint64_t)hosts * (k + 1) / all->kind_count);
    parts[k].ranges = hc_arena_alloc(&all->build, sizeof(hc_range));
    if (!parts[k].ranges) return HC_ENOMEM;
    parts[k].ranges[0] = (hc_range){from, to - from};
    parts[k].count = 1;
  }
  return 0;
}

static hc_rc check_apart(const hc_schedulers *all, const hc_partition *parts, uint32_t hosts, hc_error *e)
{
  uint32_t *owner = hc_alloc(all->c.allocator, hosts * sizeof *owner);
  hc_rc rc = owner ? 0 : HC_ENOMEM;
  for (uint32_t k = 0; k < all->kind_count && rc == 0; k++)
    for (size_t i = 0; i < parts[k].count && rc == 0; i++)
      for (uint32_t h = 0; h < parts[k].ranges[i].count && rc == 0; h++) {
        uint32_t *at = &owner[parts[k].ranges[i].first + h];
        if (*at != 0)
          rc = hc_fail(e, HC_EUSAGE, "architecture", 0, 0,
                       "host %u belongs to %s and to %s: partitions may not overlap",
                       parts[k].ranges[i].first + h, all->kinds[*at - 1]->name, all->kinds[k]->name);
        *at = k + 1;
      }
  hc_free(all->c.allocator, owner, hosts * sizeof *owner);
  return rc;
}

hc_rc hc_partitions_read(hc_schedulers *all, hc_error *e)
{
  hc_partition *parts;
  const uint32_t hosts = all->c.services->hosts(all->c.engine);
  uint32_t named = 0;
  if (hosts < all->kind_count)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture", 0, 0,
        "the cell has %u hosts for %u schedulers: use a cell of hosts, as `cell: {use: hosts, classes: "
        "[{count: 100, cpus: 16}]}`",
        hosts, all->kind_count);
  all->parts = parts = hc_arena_alloc(&all->build, all->kind_count * sizeof *parts);
  if (!parts) return HC_ENOMEM;
  memset(parts, 0, all->kind_count * sizeof *parts);
  for (uint32_t k = 0; k < all->kind_count; k++) named += all->kinds[k]->hosts.count > 0;
  if (named == 0) return cut_evenly(all, parts, hosts);
  for (uint32_t k = 0; k < all->kind_count; k++) {
    if (all->kinds[k]->hosts.count == 0)
      return hc_fail(
          e, HC_EUSAGE, "architecture", 0, 0,
          "scheduler %s has no `hosts`, and others have: name those of each scheduler, or of none for equal "
          "parts",
          all->kinds[k]->name);
    TRY(read_part(all, all->kinds[k], hosts, &parts[k], e));
  }
  return check_apart(all, parts, hosts, e);
}
