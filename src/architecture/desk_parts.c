/* desk_parts.c -- see desk_parts.h. */
#include "architecture/desk_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"

uint32_t hc_desk_kind(const hc_desks *d, uint32_t desk)
{
  uint32_t k = 0;
  while (desk >= d->first[k + 1]) k++;
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

static hc_rc read_part(hc_desks *d, const hc_scheduler_options *o, uint32_t hosts, hc_desk_part *p,
                       hc_error *e)
{
  const char *const *texts = o->hosts.items;
  p->ranges = hc_arena_alloc(&d->build, o->hosts.count * sizeof *p->ranges);
  if (!p->ranges) return HC_ENOMEM;
  for (; p->count < o->hosts.count; p->count++)
    TRY(read_range(o, texts[p->count], hosts, &p->ranges[p->count], e));
  sort_ranges(p->ranges, p->count);
  return 0;
}

/* Nobody said who has which: each gets as many as the others, one behind the other. */
static hc_rc cut_evenly(hc_desks *d, hc_desk_part *parts, uint32_t hosts)
{
  for (uint32_t k = 0; k < d->kind_count; k++) {
    const uint32_t from = (uint32_t)((uint64_t)hosts * k / d->kind_count);
    const uint32_t to = (uint32_t)((uint64_t)hosts * (k + 1) / d->kind_count);
    parts[k].ranges = hc_arena_alloc(&d->build, sizeof(hc_range));
    if (!parts[k].ranges) return HC_ENOMEM;
    parts[k].ranges[0] = (hc_range){from, to - from};
    parts[k].count = 1;
  }
  return 0;
}

static hc_rc check_apart(const hc_desks *d, const hc_desk_part *parts, uint32_t hosts, hc_error *e)
{
  uint32_t *owner = hc_alloc(d->c.allocator, hosts * sizeof *owner);
  hc_rc rc = owner ? 0 : HC_ENOMEM;
  for (uint32_t k = 0; k < d->kind_count && rc == 0; k++)
    for (size_t i = 0; i < parts[k].count && rc == 0; i++)
      for (uint32_t h = 0; h < parts[k].ranges[i].count && rc == 0; h++) {
        uint32_t *at = &owner[parts[k].ranges[i].first + h];
        if (*at != 0)
          rc = hc_fail(e, HC_EUSAGE, "architecture", 0, 0,
                       "host %u belongs to %s and to %s: partitions may not overlap",
                       parts[k].ranges[i].first + h, d->kinds[*at - 1]->name, d->kinds[k]->name);
        *at = k + 1;
      }
  hc_free(d->c.allocator, owner, hosts * sizeof *owner);
  return rc;
}

hc_rc hc_desk_parts(hc_desks *d, hc_desk_part **out, hc_error *e)
{
  hc_desk_part *parts;
  const uint32_t hosts = d->c.services->hosts(d->c.engine);
  uint32_t named = 0;
  if (hosts < d->kind_count)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture", 0, 0,
        "the cell has %u hosts for %u schedulers: use a cell of hosts, as `cell: {use: hosts, classes: "
        "[{count: 100, cpus: 16}]}`",
        hosts, d->kind_count);
  *out = parts = hc_arena_alloc(&d->build, d->kind_count * sizeof *parts);
  if (!parts) return HC_ENOMEM;
  memset(parts, 0, d->kind_count * sizeof *parts);
  for (uint32_t k = 0; k < d->kind_count; k++) named += d->kinds[k]->hosts.count > 0;
  if (named == 0) return cut_evenly(d, parts, hosts);
  for (uint32_t k = 0; k < d->kind_count; k++) {
    if (d->kinds[k]->hosts.count == 0)
      return hc_fail(
          e, HC_EUSAGE, "architecture", 0, 0,
          "scheduler %s has no `hosts`, and others have: name everybody's, or nobody's for equal parts",
          d->kinds[k]->name);
    TRY(read_part(d, d->kinds[k], hosts, &parts[k], e));
  }
  return check_apart(d, parts, hosts, e);
}

hc_rc hc_desk_parts_hear(hc_desks *d, const hc_desk_part *parts, const hc_signal *sig, hc_error *e)
{
  const hc_desk_part *p;
  hc_attempt a;
  uint32_t desk;
  TRY(hc_desks_hear(d, sig, &desk, e));
  if (desk == HC_NO_WORK) return 0;
  p = &parts[hc_desk_kind(d, desk)];
  TRY(hc_desks_decide(d, desk, p->ranges, p->count, true, &a, e));
  return hc_desks_done(d, desk, &a, e);
}

hc_rc hc_desk_parts_begin(hc_desks *d)
{
  for (uint32_t i = 0; i < d->count; i++) {
    const hc_rc rc = hc_desks_begin(d, i);
    if (rc < 0) return rc;
    if (rc > 0) TRY(hc_desks_timer(d, i));
  }
  return 0;
}
