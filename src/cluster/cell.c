/* cell.c -- claims on the machine, and their traces in the set of free ids. */
#include "cluster/cell.h"

#include "base/state.h"
#include "base/util.h"

/* The sums follow the hosts'. */
static void look_at_hosts(hc_cell *c)
{
  hc_hosts_sums(c->hosts, 0, &c->capacity, &c->free);
  c->claimed = c->capacity - c->free;
  c->version++;
}

hc_rc hc_cell_init(hc_cell *c, const hc_allocator *a, const hc_cell_spec *spec, hc_lexicon *lexicon,
                   uint64_t seed, uint64_t replication, hc_error *e)
{
  *c = (hc_cell){.granularity = spec->granularity,
                 .capacity = spec->units,
                 .free = spec->units,
                 .grown = 1,
                 .last_grown = 1};
  hc_freeset_init(&c->ids, a);
  if (c->granularity == HC_CELL_HOSTS) {
    TRY(hc_hosts_new(a, spec, lexicon, seed, replication, &c->hosts, e));
    look_at_hosts(c);
    return 0;
  }
  if (c->granularity == HC_CELL_INTERVALS) TRY(hc_freeset_add(&c->ids, (hc_range){0, spec->units}));
  return 0;
}

void hc_cell_fini(hc_cell *c)
{
  hc_freeset_fini(&c->ids);
  hc_hosts_free(c->hosts);
}

int64_t hc_cell_free_owing(hc_cell *c)
{
  const int64_t most = hc_hosts_free_most(c->hosts, 0);
  c->owes = hc_hosts_owes(c->hosts);
  return most;
}

/* Free and claimed move together; this is the sum that must always hold. */
static void move_units(hc_cell *c, int64_t units)
{
  c->free -= units;
  c->claimed += units;
  HC_ASSERT(c->free >= 0 && c->claimed >= 0 && c->free + c->claimed == c->capacity);
  HC_ASSERT(c->granularity != HC_CELL_INTERVALS || c->ids.free == c->free);
}

/* A grant of processors: the first of them, and how many. */
static hc_range range_of(hc_grant g)
{
  return (hc_range){g.host, g.slots};
}

/* Are these free ids, ascending and disjoint, and as many as are taken? On a counted cell there are none. */
static bool names_units(const hc_cell *c, int64_t units, const hc_grant *ids, size_t count)
{
  uint64_t end = 0;
  int64_t sum = 0;
  if (c->granularity != HC_CELL_INTERVALS) return count == 0;
  for (size_t i = 0; i < count; i++) {
    if (ids[i].slots == 0 || ids[i].host < end || !hc_freeset_holds(&c->ids, range_of(ids[i]))) return false;
    end = (uint64_t)ids[i].host + ids[i].slots;
    sum += ids[i].slots;
  }
  return sum == units;
}

/* Putting back what was just removed needs no memory: the set's room does not shrink. */
static void put_back(hc_cell *c, const hc_grant *ids, size_t count)
{
  while (count > 0) (void)hc_freeset_add(&c->ids, range_of(ids[--count]));
}

static hc_rc take_ids(hc_cell *c, const hc_grant *ids, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    hc_rc rc = hc_freeset_remove(&c->ids, range_of(ids[i]));
    if (rc < 0) {
      put_back(c, ids, i);
      return rc;
    }
  }
  return 0;
}

/* ---- claims: of processors, or of hosts ---- */

static hc_rc take_units(hc_cell *c, int64_t units, const hc_grant *ids, size_t count)
{
  if (units > c->free || !names_units(c, units, ids, count)) return HC_ECONFLICT;
  TRY(take_ids(c, ids, count));
  move_units(c, units);
  return 0;
}

static hc_rc give_units(hc_cell *c, int64_t units, const hc_grant *ids, size_t count)
{
  for (size_t i = 0; i < count; i++) TRY(hc_freeset_add(&c->ids, range_of(ids[i])));
  move_units(c, -units);
  return 0;
}

hc_rc hc_cell_take(hc_cell *c, const hc_request *r, const hc_grant *grants, size_t count)
{
  if (!c->hosts) return take_units(c, r->units, grants, count);
  TRY(hc_hosts_take(c->hosts, r, grants, count));
  look_at_hosts(c);
  return 0;
}

hc_rc hc_cell_take_again(hc_cell *c, const hc_request *r, const hc_grant *grants, size_t count)
{
  if (!c->hosts) return take_units(c, r->units, grants, count);
  TRY(hc_hosts_take_again(c->hosts, r, grants, count));
  c->owes |= hc_hosts_owes(c->hosts);
  look_at_hosts(c);
  return 0;
}

hc_rc hc_cell_give(hc_cell *c, const hc_request *r, const hc_grant *grants, size_t count)
{
  if (!c->hosts) return give_units(c, r->units, grants, count);
  c->grown = ++c->last_grown;
  hc_hosts_give(c->hosts, r, grants, count);
  look_at_hosts(c);
  return 0;
}

uint32_t hc_cell_take_one(hc_cell *c, const int64_t *need, hc_choice how)
{
  const uint32_t host = hc_hosts_take_one(c->hosts, need, how);
  if (host != HC_NO_HOST) look_at_hosts(c);
  return host;
}

void hc_cell_give_one(hc_cell *c, const int64_t *need, uint32_t host)
{
  c->grown = ++c->last_grown;
  hc_hosts_give_one(c->hosts, need, host);
  look_at_hosts(c);
}

void hc_cell_resize_hosts(hc_cell *c, const hc_request *r, const int64_t *to, const hc_grant *grants,
                          size_t count)
{
  bool gives = false;
  for (uint32_t d = 0; d < hc_hosts_dimensions(c->hosts); d++) gives |= to[d] < r->need[d];
  if (gives) c->grown = ++c->last_grown;
  hc_hosts_resize(c->hosts, r, to, grants, count);
  look_at_hosts(c);
}

hc_rc hc_cell_change(hc_cell *c, const hc_host_event *event)
{
  c->grown = ++c->last_grown;
  TRY(hc_hosts_change(c->hosts, event));
  c->owes |= hc_hosts_owes(c->hosts);
  look_at_hosts(c);
  return 0;
}

hc_rc hc_cell_visit(hc_cell *c, hc_visitor *v)
{
  if (c->granularity == HC_CELL_HOSTS) {
    TRY(hc_hosts_visit(c->hosts, v));
    c->owes = hc_hosts_owes(c->hosts);
    look_at_hosts(c);
    return 0;
  }
  HC_VISIT(v, c->free);
  HC_VISIT(v, c->claimed);
  return c->granularity == HC_CELL_INTERVALS ? hc_freeset_visit(&c->ids, v) : 0;
}
