/* list.c -- events of hosts that a run file spells out. */
#include <stdio.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "cluster/downtimes.h"
#include "cluster/host_find.h"
#include "cluster/host_rules.h"

#define WHERE 64

typedef struct options {
  hc_list changes; /* hc_chosen of kind change */
} options;

/* An event and where it was written: those of one instant stay in that order. */
typedef struct entry {
  hc_cell_event event;
  hc_time announced; /* HC_NEVER: not ahead */
  hc_time since;     /* of an eviction: when its drain was */
  const hc_host_change_options *of;
  size_t place;
} entry;

struct hc_events {
  const hc_allocator *allocator;
  entry *entries; /* [count] */
  size_t count, cap;
  hc_arena rows; /* amounts */
  hc_downtimes downtimes;
  bool evicts, fails;
  uint64_t at; /* the next one: state */
};

/* What a word says: hc_host_change has one in between that is none. */
static uint32_t change_of(int word)
{
  return word == HC_HOST_EVICT ? HC_HOST_FAIL : (uint32_t)word;
}

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "events list", 0, 0, "out of memory");
}

/* One event for each host of some ranges. */
static hc_rc add(hc_events *self, const hc_cell_event *event, const entry *of, const hc_host_ranges *hosts,
                 hc_error *e)
{
  const size_t more = hc_host_ranges_size(hosts);
  if (more > HC_MOST_FACTS - self->count)
    return hc_fail(e, HC_ELIMIT, "events list", 0, 0, "more than %zu events of hosts in all", HC_MOST_FACTS);
  if (hc_reserve(self->allocator, (void **)&self->entries, &self->cap, self->count + more, sizeof(entry)) < 0)
    return no_memory(e);
  for (size_t i = 0; i < hosts->count; i++) {
    for (uint32_t k = 0; k < hosts->items[i].count; k++) {
      entry *x = &self->entries[self->count++];
      *x = *of;
      x->event = *event;
      x->event.host = hosts->items[i].first + k;
    }
  }
  return 0;
}

static hc_rc check(const hc_host_change_options *o, const char *where, hc_error *e)
{
  const bool comes_back = o->change == HC_HOST_DOWN || o->change == HC_HOST_DRAIN;
  if (o->at == HC_UNKNOWN || o->at == HC_NEVER)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "when? Say it with at");
  if (o->hosts.count == 0) return hc_fail(e, HC_EUSAGE, where, 0, 0, "which hosts? Name them in hosts");
  if (o->until != HC_UNKNOWN && !comes_back)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "until goes with down and drain: it is when the hosts are up again");
  if (o->evict_after != HC_NEVER && o->change != HC_HOST_DRAIN)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "evict_after goes with drain: hosts that are down have lost what ran on them");
  if (o->evict_after == HC_NEVER && (o->evict != HC_EVICT_REQUEUE || o->tolerate != HC_TOLERATES))
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "evict and tolerate are of tasks that are evicted: say when with evict_after");
  if (o->evict_after != HC_NEVER && o->until != HC_UNKNOWN && o->until <= hc_time_add(o->at, o->evict_after))
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "the hosts are up again (until) before what runs on them is evicted (at + evict_after): "
                   "leave evict_after out, or make until later");
  if (o->until != HC_UNKNOWN && o->until <= o->at)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "until must be later than at");
  if (change_of(o->change) == HC_HOST_FAIL && o->announced != HC_NEVER)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "nothing knows of a silent failure: leave `announced` out");
  if ((o->amounts.count > 0) != (o->change == HC_HOST_RESIZE))
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "amounts and resize go together");
  return 0;
}

static hc_rc read_amounts(hc_events *self, const hc_events_context *c, const hc_list *said, const char *where,
                          const int64_t **out, hc_error *e)
{
  const char *const *amounts = said->items;
  int64_t *capacity = hc_arena_alloc(&self->rows, HC_DIMENSIONS * sizeof *capacity);
  if (!capacity) return no_memory(e);
  for (int d = 0; d < HC_DIMENSIONS; d++) capacity[d] = HC_UNKNOWN;
  for (size_t i = 0; i < said->count; i++) {
    uint32_t d = 0;
    int64_t amount = 0;
    TRY(hc_rules_amount_text(c->lexicon, amounts[i], where, &d, &amount, e));
    capacity[d] = amount;
  }
  *out = capacity;
  return 0;
}

static hc_rc read_change(hc_events *self, const hc_events_context *c, hc_host_finder *f,
                         const hc_host_change_options *o, size_t number, hc_host_ranges *hosts, hc_error *e)
{
  hc_cell_event event = {.at = o->at, .change = change_of(o->change)};
  entry x = {.announced = o->announced, .place = number, .of = o};
  char where[WHERE];
  (void)snprintf(where, sizeof where, "change %zu", number);
  TRY(check(o, where, e));
  if (o->amounts.count > 0) TRY(read_amounts(self, c, &o->amounts, where, &event.capacity, e));
  TRY(hc_host_find_all(f, &o->hosts, where, hosts, e));
  TRY(add(self, &event, &x, hosts, e));
  x.announced = HC_NEVER;
  x.since = o->at;
  event.at = hc_time_add(o->at, o->evict_after);
  event.change = HC_HOST_EVICT;
  if (o->evict_after != HC_NEVER) TRY(add(self, &event, &x, hosts, e));
  if (o->until == HC_UNKNOWN || o->until == HC_NEVER) return 0;
  event.at = o->until;
  event.change = HC_HOST_UP;
  return add(self, &event, &x, hosts, e);
}

HC_SORT(sort_entries, entry,
        a->event.at != b->event.at ? a->event.at < b->event.at
        : a->place != b->place     ? a->place < b->place
        : a->event.change != b->event.change
            ? a->event.change < b->event.change /* an eviction at once is behind its drain */
            : a->event.host < b->event.host)

static hc_host_event event_of(const entry *x)
{
  const hc_cell_event *event = &x->event;
  hc_host_event out = {.at = event->at, .host = event->host, .change = event->change};
  for (int d = 0; d < HC_DIMENSIONS; d++) out.capacity[d] = event->capacity ? event->capacity[d] : HC_UNKNOWN;
  if (event->change == HC_HOST_EVICT) {
    out.tolerate = x->of->tolerate;
    out.how = (uint32_t)x->of->evict;
  }
  return out;
}

/* Hosts that were up in between are not drained as long as that: their evictions are left out. */
static hc_rc settle_evictions(hc_events *self, uint32_t units)
{
  const size_t size = units * sizeof(size_t);
  size_t *up = hc_alloc(self->allocator, size),
         kept = 0; /* [units] the last entry by which one is up, and 1 */
  if (!up) return HC_ENOMEM;
  for (size_t i = 0; i < self->count; i++) {
    const entry *x = &self->entries[i];
    const entry *last = up[x->event.host] > 0 ? &self->entries[up[x->event.host] - 1] : NULL;
    const bool is_over =
        last && (last->event.at != x->since ? last->event.at > x->since : last->place > x->place);
    if (x->event.change == HC_HOST_EVICT && is_over) continue;
    self->evicts |= x->event.change == HC_HOST_EVICT;
    self->fails |= x->event.change == HC_HOST_FAIL;
    self->entries[kept++] = *x;
    if (x->event.change == HC_HOST_UP) up[x->event.host] = kept;
  }
  self->count = kept;
  hc_free(self->allocator, up, size);
  return 0;
}

static hc_rc find_downtimes(hc_events *self, hc_error *e)
{
  for (size_t i = 0; i < self->count; i++) {
    const hc_host_event event = event_of(&self->entries[i]);
    if (event.change == HC_HOST_EVICT || event.change == HC_HOST_FAIL) continue;
    TRY(hc_downtimes_hear(&self->downtimes, &event, self->entries[i].announced, self->entries[i].place, e));
  }
  return hc_downtimes_settle(&self->downtimes) < 0 ? no_memory(e) : 0;
}

static hc_rc read_changes(hc_events *self, const hc_events_context *c, const options *o, hc_error *e)
{
  const hc_chosen *changes = o->changes.items;
  hc_host_finder f;
  hc_rc rc = hc_host_finder_init(&f, c->allocator, c->cell, NULL);
  if (rc < 0) rc = no_memory(e);
  for (size_t i = 0; rc == 0 && i < o->changes.count; i++) {
    hc_host_ranges hosts = {0};
    rc = read_change(self, c, &f, changes[i].options, i + 1, &hosts, e);
    hc_host_ranges_fini(&hosts, c->allocator);
  }
  hc_host_finder_fini(&f);
  if (rc < 0) return rc;
  sort_entries(self->entries, self->count);
  if (settle_evictions(self, c->cell->units) < 0) return no_memory(e);
  return find_downtimes(self, e);
}

static void finish(hc_events *self)
{
  hc_free(self->allocator, self->entries, self->cap * sizeof *self->entries);
  hc_arena_fini(&self->rows);
  hc_downtimes_fini(&self->downtimes);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc open(const hc_events_context *c, const void *opts, hc_events **out, hc_error *e)
{
  hc_events *self = hc_alloc(c->allocator, sizeof *self);
  hc_rc rc;
  if (!self) return no_memory(e);
  self->allocator = c->allocator;
  hc_arena_init(&self->rows, c->allocator);
  hc_downtimes_init(&self->downtimes, c->allocator, c->cell, "events list", "change");
  rc = read_changes(self, c, opts, e);
  if (rc < 0) finish(self);
  else *out = self;
  return rc;
}

static hc_rc next(hc_events *self, hc_host_event *out, hc_error *e)
{
  HC_UNUSED(e);
  if (self->at >= self->count) return 0;
  *out = event_of(&self->entries[self->at++]);
  return 1;
}

static bool announced(const hc_events *self, size_t i, hc_downtime *out)
{
  return hc_downtimes_get(&self->downtimes, i, out);
}

static bool evicts(const hc_events *self)
{
  return self->evicts;
}

static bool fails(const hc_events *self)
{
  return self->fails;
}

static hc_rc visit(hc_events *self, hc_visitor *v)
{
  HC_VISIT(v, self->at);
  return self->at > self->count ? HC_EINPUT : 0;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, changes, HC_KIND_CHANGE, NULL,
             "The changes, in any order, written as `hindcast describe change/host_change` says."),
    {0}};

const hc_events_type hc_events_list = {
    .component =
        {HC_COMPONENT_HEAD(hc_events_type, HC_KIND_EVENTS), .name = "list",
         .summary = "what happens to hosts, written out in the run file",
         .detail =
             "events: {use: list, changes: [{at: 1h, hosts: 'c-[0-4]', change: down, until: 2h}]}. Changes "
             "of one instant happen in the order written, and those of one change in order of host. A "
             "planned change says from when on policies know of it: {at: 8d, hosts: c, change: down, until: "
             "9d, announced: 0}. Tasks on hosts that drain may be evicted: {at: 1h, hosts: c, change: drain, "
             "evict_after: 5m}.",
         .params = params, .options_size = sizeof(options)},
    .open = open,
    .next = next,
    .visit = visit,
    .close = finish,
    .announced = announced,
    .evicts = evicts,
    .fails = fails,
};
