/* host_facts.c -- what a log of machines tells, made into classes, events and absences.
 *
 * Facts are sorted by host and time, those of one instant in the order in which they were told. What is told
 * of time 0 or before is how a host begins; one that is first added later is absent until then, and one that
 * is first removed or updated later was there before. Its class has the amounts of its beginning, or the
 * first ever told. From then on an event is made only of what changes something: a second ADD of the same
 * size, the REMOVE of a host that is away, an UPDATE to what it has are nothing.
 *
 * Attributes belong to a class and cannot change: a host has those of its beginning, and how many changed
 * later is noted. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "cluster/host_builder.h"

static hc_rc no_memory(const hc_host_builder *b, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, b->where, 0, 0, "out of memory for what happened to the hosts");
}

hc_rc hc_builder_fact(hc_host_builder *b, const hc_host_fact *fact, hc_error *e)
{
  if (b->fact_count >= HC_MOST_FACTS)
    return hc_fail(e, HC_ELIMIT, b->where, 0, 0, "more than %zu changes of hosts", HC_MOST_FACTS);
  const hc_allocator *a = b->c->allocator;
  if (hc_reserve(a, (void **)&b->facts, &b->fact_cap, b->fact_count + 1, sizeof *b->facts) < 0 ||
      hc_reserve(a, (void **)&b->amounts, &b->amount_cap, b->amount_count + HC_DIMENSIONS,
                 sizeof *b->amounts) < 0)
    return no_memory(b, e);
  hc_told_fact *f = &b->facts[b->fact_count];
  *f = (hc_told_fact){.at = fact->at,
                      .host = fact->host,
                      .how = (uint16_t)fact->how,
                      .place = b->fact_count,
                      .first = b->amount_count};
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++)
    if (fact->capacity[d] != HC_UNKNOWN)
      b->amounts[b->amount_count++] = (hc_amount){.dimension = d, .amount = fact->capacity[d]};
  f->count = (uint16_t)(b->amount_count - f->first);
  b->fact_count++;
  return 0;
}

hc_rc hc_builder_trait(hc_host_builder *b, const hc_host_trait *trait, hc_error *e)
{
  if (b->trait_count >= HC_MOST_FACTS)
    return hc_fail(e, HC_ELIMIT, b->where, 0, 0, "more than %zu attributes of hosts", HC_MOST_FACTS);
  if (hc_reserve(b->c->allocator, (void **)&b->traits, &b->trait_cap, b->trait_count + 1, sizeof *trait) < 0)
    return no_memory(b, e);
  b->traits[b->trait_count] = *trait;
  b->traits[b->trait_count].place = b->trait_count;
  b->trait_count++;
  return 0;
}

/* ---- order ---- */

HC_SORT(sort_facts, hc_told_fact,
        a->host != b->host ? a->host < b->host
        : a->at != b->at   ? a->at < b->at
                           : a->place < b->place)

HC_SORT(sort_traits, hc_host_trait,
        a->host != b->host                       ? a->host < b->host
        : a->attribute.name != b->attribute.name ? a->attribute.name < b->attribute.name
        : a->at != b->at                         ? a->at < b->at
                                                 : a->place < b->place)

/* Those of one host at one time stay as they were made: an event goes by its place in `from`. */
typedef struct placed {
  hc_time at;
  uint32_t host;
  size_t place;
} placed;

HC_SORT(sort_by_time, placed,
        a->at != b->at       ? a->at < b->at
        : a->host != b->host ? a->host < b->host
                             : a->place < b->place)

/* ---- events ---- */

static hc_rc add_event(hc_host_builder *b, const hc_cell_event *event, hc_error *e)
{
  if (hc_reserve(b->c->allocator, (void **)&b->events, &b->event_cap, b->event_count + 1, sizeof *event) < 0)
    return no_memory(b, e);
  b->events[b->event_count++] = *event;
  return 0;
}

static hc_rc sort_events(hc_host_builder *b, hc_error *e)
{
  const hc_allocator *a = b->c->allocator;
  const size_t n = b->event_count, keys = n * sizeof(placed), bytes = n * sizeof *b->events;
  placed *order;
  hc_cell_event *sorted;
  if (n < 2) return 0;
  order = hc_alloc(a, keys);
  sorted = hc_alloc(a, bytes);
  if (order && sorted) {
    for (size_t i = 0; i < n; i++) order[i] = (placed){b->events[i].at, b->events[i].host, i};
    sort_by_time(order, n);
    for (size_t i = 0; i < n; i++) sorted[i] = b->events[order[i].place];
    memcpy(b->events, sorted, bytes);
  }
  const bool done = order && sorted;
  hc_free(a, order, keys);
  hc_free(a, sorted, bytes);
  return done ? 0 : no_memory(b, e);
}

/* ---- one host ---- */

/* A host while its facts are told. */
typedef struct life {
  hc_host_builder *b;
  uint32_t host;
  bool is_there;
  int64_t has[HC_DIMENSIONS];   /* by what was announced so far */
  int64_t known[HC_DIMENSIONS]; /* by what was told so far */
} life;

static void learn(life *l, const hc_told_fact *f)
{
  const hc_amount *amounts = l->b->amounts + f->first;
  for (uint32_t i = 0; i < f->count; i++) l->known[amounts[i].dimension] = amounts[i].amount;
}

/* What was never told before is as it is told first. */
static void look_ahead(life *l, const hc_told_fact *f)
{
  const hc_amount *amounts = l->b->amounts + f->first;
  for (uint32_t i = 0; i < f->count; i++)
    if (l->known[amounts[i].dimension] == HC_UNKNOWN) l->known[amounts[i].dimension] = amounts[i].amount;
}

/* How it begins. @return how many facts that took. */
static size_t begin(life *l, const hc_told_fact *facts, size_t count)
{
  size_t i = 0;
  l->is_there = facts[0].at <= 0 || facts[0].how != HC_FACT_ADD;
  for (int d = 0; d < HC_DIMENSIONS; d++) l->known[d] = HC_UNKNOWN;
  for (; i < count && facts[i].at <= 0; i++) {
    learn(l, &facts[i]);
    if (facts[i].how != HC_FACT_UPDATE) l->is_there = facts[i].how == HC_FACT_ADD;
  }
  for (size_t k = i; k < count; k++) look_ahead(l, &facts[k]);
  memcpy(l->has, l->known, sizeof l->has);
  return i;
}

static hc_rc announce(life *l, hc_time at, hc_host_change change, hc_error *e)
{
  hc_cell_event event = {.at = at, .host = l->host, .change = (uint32_t)change};
  if (change == HC_HOST_RESIZE) {
    int64_t *capacity = hc_builder_alloc(l->b, HC_DIMENSIONS * sizeof *capacity, e);
    if (!capacity) return HC_ENOMEM;
    for (int d = 0; d < HC_DIMENSIONS; d++) capacity[d] = l->has[d] != l->known[d] ? l->known[d] : HC_UNKNOWN;
    memcpy(l->has, l->known, sizeof l->has);
    event.capacity = capacity;
  }
  return add_event(l->b, &event, e);
}

static hc_rc tell(life *l, const hc_told_fact *f, hc_error *e)
{
  const bool joins = f->how == HC_FACT_ADD && !l->is_there, leaves = f->how == HC_FACT_REMOVE && l->is_there;
  if (f->how != HC_FACT_REMOVE) learn(l, f);
  if ((joins || (l->is_there && !leaves)) && memcmp(l->has, l->known, sizeof l->has) != 0)
    TRY(announce(l, f->at, HC_HOST_RESIZE, e));
  if (joins) TRY(announce(l, f->at, HC_HOST_UP, e));
  if (leaves) TRY(announce(l, f->at, HC_HOST_DOWN, e));
  l->is_there = joins || (l->is_there && !leaves);
  return 0;
}

/* The attributes with which it begins. @param traits [count] of this host; @param kept out, [count].
 *  @return how many. Changes later than that are counted. */
static uint32_t first_traits(const hc_host_trait *traits, size_t count, hc_time start, hc_attribute *kept,
                             uint64_t *later)
{
  uint32_t n = 0;
  for (size_t i = 0; i < count;) {
    const uint32_t name = traits[i].attribute.name;
    const hc_host_trait *first = NULL;
    for (; i < count && traits[i].attribute.name == name; i++) {
      if (traits[i].at <= start) {
        first = &traits[i];
      } else {
        const bool had = first && !first->gone, has = !traits[i].gone;
        *later += had != has || (has && (first->attribute.value != traits[i].attribute.value ||
                                         first->attribute.is_text != traits[i].attribute.is_text));
      }
    }
    if (first && !first->gone) kept[n++] = first->attribute;
  }
  return n;
}

/* Its class, if it has amounts. */
static hc_rc find_class(life *l, const hc_attribute *attributes, uint32_t count, hc_error *e)
{
  hc_host_class class = {
      .name = l->b->class_word, .speed = 1, .attributes = attributes, .attribute_count = count};
  bool has_any = false;
  for (int d = 0; d < HC_DIMENSIONS; d++) {
    if (l->has[d] == HC_UNKNOWN) l->has[d] = l->known[d] = 0;
    class.capacity[d] = l->has[d];
    has_any |= l->has[d] > 0;
  }
  return has_any ? hc_builder_class(l->b, &class, &l->b->class_of[l->host], e) : 0;
}

/* ---- all hosts ---- */

typedef struct spans {
  size_t fact, trait; /* where the next host's begin */
  hc_attribute *kept; /* [most traits of a host] */
  uint64_t later;
} spans;

static hc_rc settle_host(hc_host_builder *b, uint32_t host, spans *s, hc_error *e)
{
  const size_t facts = s->fact, traits = s->trait;
  life l = {.b = b, .host = host};
  size_t first;
  uint32_t kept = 0;
  while (s->fact < b->fact_count && b->facts[s->fact].host == host) s->fact++;
  while (s->trait < b->trait_count && b->traits[s->trait].host == host) s->trait++;
  if (s->fact == facts || b->class_of[host] != HC_NO_NAME) return 0;
  first = facts + begin(&l, b->facts + facts, s->fact - facts);
  b->absent[host] = !l.is_there;
  if (s->trait > traits)
    kept = first_traits(b->traits + traits, s->trait - traits, HC_MAX(b->facts[facts].at, 0), s->kept,
                        &s->later);
  TRY(find_class(&l, s->kept, kept, e));
  if (b->class_of[host] == HC_NO_NAME) return 0; /* it will be left out */
  for (size_t i = first; i < s->fact; i++) TRY(tell(&l, &b->facts[i], e));
  return 0;
}

/* The most that one host has, for room. */
static size_t most_traits(const hc_host_builder *b)
{
  size_t most = 0, begin_at = 0;
  for (size_t i = 0; i < b->trait_count; i++) {
    if (b->traits[i].host != b->traits[begin_at].host) begin_at = i;
    most = HC_MAX(most, i - begin_at + 1);
  }
  return most;
}

hc_rc hc_builder_settle_facts(hc_host_builder *b, hc_error *e)
{
  const hc_allocator *a = b->c->allocator;
  const size_t hosts = b->names.count;
  spans s = {0};
  size_t room;
  bool any_absent = false;
  hc_rc rc = 0;
  if (b->fact_count == 0) return 0;
  sort_facts(b->facts, b->fact_count);
  sort_traits(b->traits, b->trait_count);
  room = most_traits(b) * sizeof *s.kept;
  s.kept = hc_alloc(a, room);
  b->absent = hc_alloc(a, hosts);
  if (!s.kept || !b->absent) rc = no_memory(b, e);
  for (uint32_t i = 0; rc == 0 && i < hosts; i++) {
    rc = settle_host(b, i, &s, e);
    any_absent |= rc == 0 && b->absent[i];
  }
  hc_free(a, s.kept, room);
  if (!any_absent) {
    hc_free(a, b->absent, hosts);
    b->absent = NULL;
  }
  if (s.later > 0)
    hc_builder_note(b, "changes of attributes that are not followed: %llu", (unsigned long long)s.later);
  return rc < 0 ? rc : sort_events(b, e);
}
