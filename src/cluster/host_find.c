/* host_find.c -- which hosts a text means.
 *
 * Names in brackets are written out one by one and looked up, so that a range means hosts that exist and
 * nothing else: the first that does not is an error. How many looks all texts together may cost is bounded,
 * and so is what is held: ranges are joined whenever they have doubled. */
#include "cluster/host_find.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/sort.h"
#include "base/util.h"

#define MOST_STEPS ((uint64_t)1 << 28)
#define SETTLE_AT ((size_t)1 << 16) /* ranges */

/* ---- ranges ---- */

HC_SORT(sort_ranges, hc_range, a->first != b->first ? a->first < b->first : a->count < b->count)

void hc_host_ranges_settle(hc_host_ranges *r)
{
  size_t n = 0;
  sort_ranges(r->items, r->count);
  for (size_t i = 0; i < r->count; i++) {
    const hc_range x = r->items[i];
    hc_range *last = n > 0 ? &r->items[n - 1] : NULL;
    if (last && x.first <= last->first + last->count) {
      const uint32_t end = HC_MAX(x.first + x.count, last->first + last->count);
      last->count = end - last->first;
    } else {
      r->items[n++] = x;
    }
  }
  r->count = r->settled = n;
}

void hc_host_ranges_fini(hc_host_ranges *r, const hc_allocator *a)
{
  hc_free(a, r->items, r->cap * sizeof *r->items);
  *r = (hc_host_ranges){0};
}

uint32_t hc_host_ranges_size(const hc_host_ranges *r)
{
  uint32_t n = 0;
  for (size_t i = 0; i < r->count; i++) n += r->items[i].count;
  return n;
}

static hc_rc add(hc_host_finder *f, hc_host_ranges *r, uint32_t first, uint32_t count, hc_error *e)
{
  hc_range *last = r->count > r->settled ? &r->items[r->count - 1] : NULL;
  if (last && last->first + last->count == first) {
    last->count += count;
    return 0;
  }
  if (r->count >= SETTLE_AT && r->count >= 2 * r->settled) hc_host_ranges_settle(r);
  if (hc_reserve(f->allocator, (void **)&r->items, &r->cap, r->count + 1, sizeof *r->items) < 0)
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory");
  r->items[r->count++] = (hc_range){first, count};
  return 0;
}

/* ---- the finder ---- */

hc_rc hc_host_finder_init(hc_host_finder *f, const hc_allocator *a, const hc_cell_spec *cell,
                          const hc_names *hosts)
{
  uint32_t id;
  *f = (hc_host_finder){.allocator = a, .cell = cell, .hosts = hosts};
  hc_names_init(&f->own, a, UINT32_MAX);
  hc_names_init(&f->classes, a, UINT32_MAX);
  f->class_ids = hc_alloc(a, cell->class_count * sizeof *f->class_ids);
  if (!f->class_ids) return HC_ENOMEM;
  for (uint32_t i = 0; i < cell->class_count; i++) {
    const size_t known = f->classes.count;
    TRY(hc_names_add(&f->classes, cell->classes[i].name, strlen(cell->classes[i].name), &id));
    if (f->classes.count > known) f->class_ids[id] = i;
  }
  if (hosts) return 0;
  for (uint32_t i = 0; cell->host_names && i < cell->units; i++)
    TRY(hc_names_add(&f->own, cell->host_names[i], strlen(cell->host_names[i]), &id));
  f->hosts = &f->own;
  return 0;
}

void hc_host_finder_fini(hc_host_finder *f)
{
  hc_names_fini(&f->own);
  hc_names_fini(&f->classes);
  hc_free(f->allocator, f->class_ids, f->cell->class_count * sizeof *f->class_ids);
}

/* ---- texts ---- */

typedef struct asked {
  hc_host_finder *f;
  const char *text, *where;
  hc_host_ranges *out;
  hc_error *e;
} asked;

static hc_rc spend(const asked *q, uint64_t steps)
{
  q->f->steps += steps;
  if (q->f->steps <= MOST_STEPS) return 0;
  return hc_fail(q->e, HC_ELIMIT, q->where, 0, 0,
                 "the names stand for more than %" PRIu64
                 " hosts in all; give ranges of numbers, such as 0-99",
                 MOST_STEPS);
}

static hc_rc no_such_host(const asked *q, const char *name)
{
  const hc_cell_spec *cell = q->f->cell;
  if (!cell->host_names || cell->units == 0)
    return hc_fail(q->e, HC_EUSAGE, q->where, 0, 0,
                   "there is no host \"%.80s\": the cell has no hosts with names", name);
  return hc_fail(q->e, HC_EUSAGE, q->where, 0, 0,
                 "there is no host or class \"%.80s\"; the hosts are %.60s (0) to %.60s (%u)", name,
                 cell->host_names[0], cell->host_names[cell->units - 1], cell->units - 1);
}

static hc_rc add_name(const asked *q, const char *name)
{
  const uint32_t id = hc_names_find(q->f->hosts, name, strlen(name));
  TRY(spend(q, 1));
  return id == HC_MAP_NONE ? no_such_host(q, name) : add(q->f, q->out, id, 1, q->e);
}

static hc_rc add_class(const asked *q, uint32_t class)
{
  const hc_cell_spec *cell = q->f->cell;
  TRY(spend(q, cell->units));
  for (uint32_t i = 0; i < cell->units; i++)
    if (cell->class_of[i] == class) TRY(add(q->f, q->out, i, 1, q->e));
  return 0;
}

static hc_rc add_numbers(const asked *q, uint32_t first, uint32_t last)
{
  const uint32_t units = q->f->cell->units;
  if (last < first)
    return hc_fail(q->e, HC_EUSAGE, q->where, 0, 0, "\"%.80s\": the range %u-%u ends before it begins",
                   q->text, first, last);
  if (last >= units)
    return hc_fail(q->e, HC_EUSAGE, q->where, 0, 0,
                   "\"%.80s\": there is no host %u; %u hosts are numbered from 0", q->text, last, units);
  return add(q->f, q->out, first, last - first + 1, q->e);
}

static hc_rc take_name(void *ctx, const char *name, hc_error *e)
{
  HC_UNUSED(e);
  return add_name(ctx, name);
}

hc_rc hc_host_find(hc_host_finder *f, const char *text, const char *where, hc_host_ranges *out, hc_error *e)
{
  asked q = {f, text, where, out, e};
  const size_t length = strlen(text);
  uint32_t id = hc_names_find(f->hosts, text, length), first, last;
  size_t used, width;
  TRY(spend(&q, 1));
  if (id != HC_MAP_NONE) return add(f, out, id, 1, e);
  id = hc_names_find(&f->classes, text, length);
  if (id != HC_MAP_NONE) return add_class(&q, f->class_ids[id]);
  if (strcmp(text, "all") == 0) return f->cell->units > 0 ? add(f, out, 0, f->cell->units, e) : 0;
  if ((used = hc_hostlist_range(text, &first, &last, &width)) > 0 && text[used] == '\0')
    return add_numbers(&q, first, last);
  return hc_hostlist_each(
      &(hc_hostlist){.text = text, .wrong = HC_EUSAGE, .where = where, .take = take_name, .ctx = &q}, e);
}

hc_rc hc_host_find_all(hc_host_finder *f, const hc_list *texts, const char *where, hc_host_ranges *out,
                       hc_error *e)
{
  const char *const *items = texts->items;
  for (size_t i = 0; i < texts->count; i++) TRY(hc_host_find(f, items[i], where, out, e));
  hc_host_ranges_settle(out);
  return 0;
}
