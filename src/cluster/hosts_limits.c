/* hosts_limits.c -- where a task may be, before it is asked where it fits: constraints, names, sets, zones, and how
 * many of its rivals are there.
 *
 * Constraints, names and a set leave some hosts: that set of bits is kept for all tasks that say the same. What
 * they say is kept with it and compared in full, so that a handle of the lexicon that comes to mean something
 * else is only other content; of the sets kept, the one that was used longest ago makes room.
 *
 * Limits count tasks, not slots: a task is counted once on each host that it is on if it has a limit for hosts,
 * and once in each zone if it has a limit for zones. Hosts in no zone are not limited, and no choice for a task
 * that must be in one zone, or in different ones. */
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "cluster/hosts_parts.h"

/* ---- constraints ---- */

static bool compares(hc_compare how, int64_t a, int64_t b, bool is_text)
{
  switch (how) {
    case HC_EQUAL:
    case HC_UNEQUAL: return a == b; /* UNEQUAL is asked as its opposite */
    case HC_LESS: return !is_text && a < b;
    case HC_GREATER: return !is_text && a > b;
    case HC_AT_LEAST: return !is_text && a >= b;
    case HC_AT_MOST: return !is_text && a <= b;
    case HC_PRESENT:
    case HC_ABSENT: return true;
  }
  return false;
}

/* An attribute may be there more than once: one that holds is enough, and none may equal what is to be unequal. */
static bool holds(const hc_host_class *k, const hc_constraint *c)
{
  const hc_compare how = (hc_compare)c->compare;
  bool any = false;
  for (uint32_t i = 0; i < k->attribute_count && !any; i++) {
    const hc_attribute *a = &k->attributes[i];
    if (a->name != c->attribute) continue;
    any = how == HC_PRESENT || how == HC_ABSENT ||
          ((a->is_text != 0) == (c->is_text != 0) && compares(how, a->value, c->value, a->is_text != 0));
  }
  return how == HC_UNEQUAL || how == HC_ABSENT ? !any : any;
}

/* Every group must hold, by one of its members. `sorted`: by group. */
static bool meets(const hc_host_class *k, const hc_constraint *sorted, size_t n)
{
  for (size_t i = 0; i < n;) {
    const uint32_t group = sorted[i].group;
    bool any = false;
    for (; i < n && sorted[i].group == group; i++) any = any || holds(k, &sorted[i]);
    if (!any) return false;
  }
  return true;
}

/* By group, keeping the order within. */
HC_SORT_STABLE(sort_by_group, hc_constraint, a->group < b->group)

/* ---- sets of hosts that are allowed ---- */

static uint64_t hash_of(const hc_task_extras *m)
{
  hc_hash hash;
  uint64_t out[2];
  hc_hash_init(&hash);
  hc_hash_add(&hash, &m->set, sizeof m->set);
  hc_hash_add(&hash, &m->constraint_count, sizeof m->constraint_count);
  if (m->constraint_count > 0)
    hc_hash_add(&hash, m->constraints, m->constraint_count * sizeof *m->constraints);
  if (m->host_count > 0) hc_hash_add(&hash, m->hosts, m->host_count * sizeof *m->hosts);
  if (m->set_count > 0) hc_hash_add(&hash, m->sets, m->set_count * sizeof *m->sets);
  hc_hash_end(&hash, out);
  return out[0];
}

static bool says(const hc_hosts_allowed *x, uint64_t hash, const hc_task_extras *m)
{
  return x->used > 0 && x->hash == hash && x->set == m->set && x->constraint_count == m->constraint_count &&
         x->name_count == m->host_count && x->set_count == m->set_count &&
         (m->set_count == 0 || memcmp(x->sets, m->sets, m->set_count * sizeof *m->sets) == 0) &&
         (m->constraint_count == 0 ||
          memcmp(x->constraints, m->constraints, m->constraint_count * sizeof *m->constraints) == 0) &&
         (m->host_count == 0 || memcmp(x->names, m->hosts, m->host_count * sizeof *m->hosts) == 0);
}

static void forget(hc_hosts *h, hc_hosts_allowed *x)
{
  hc_free(h->allocator, x->constraints, x->constraint_count * sizeof *x->constraints);
  hc_free(h->allocator, x->names, x->name_count * sizeof *x->names);
  hc_free(h->allocator, x->sets, x->set_count * sizeof *x->sets);
  hc_free(h->allocator, x->of_class, h->spec->class_count * sizeof *x->of_class);
  hc_hosts_bits_fini(&x->bits, h->allocator);
  *x = (hc_hosts_allowed){0};
}

static void allow(hc_hosts *h, hc_hosts_allowed *x, uint32_t host)
{
  const uint32_t k = h->spec->class_of[host];
  if (x->of_class[k] == UINT32_MAX || hc_hosts_bits_has(&x->bits, host)) return;
  hc_hosts_bits_set(&x->bits, host);
}

static void disallow_others(const hc_hosts *h, hc_hosts_allowed *x, const hc_host_set *set)
{
  uint32_t from = 0;
  for (size_t r = 0; r <= set->host_count; r++) {
    const uint32_t to = r < set->host_count ? set->hosts[r].first : h->units;
    while ((from = hc_hosts_bits_next(&x->bits, from)) < to) hc_hosts_bits_clear(&x->bits, from);
    if (r < set->host_count) from = to + set->hosts[r].count;
  }
}

static const hc_host_set *find_set(const hc_hosts *h, uint32_t name)
{
  const char *text = hc_lexicon_text(h->lexicon, name);
  for (uint32_t i = 0; i < h->spec->set_count; i++)
    if (strcmp(h->spec->sets[i].name, text) == 0) return &h->spec->sets[i];
  return NULL;
}

static bool is_in(const hc_host_set *set, uint32_t host)
{
  for (size_t r = 0; set && r < set->host_count; r++)
    if (host >= set->hosts[r].first && host - set->hosts[r].first < set->hosts[r].count) return true;
  return false;
}

/* Hosts of any of several sets stay. @return is there any of the sets? */
static bool disallow_all_others(const hc_hosts *h, hc_hosts_allowed *x, const hc_host_set *first)
{
  const hc_host_set *sets[HC_TASK_SETS];
  size_t n = 0;
  HC_ASSERT(x->set_count < HC_TASK_SETS);
  if (first) sets[n++] = first;
  for (size_t i = 0; i < x->set_count; i++)
    if ((sets[n] = find_set(h, x->sets[i]))) n++;
  for (uint32_t host = hc_hosts_bits_next(&x->bits, 0); host != HC_NO_HOST;
       host = hc_hosts_bits_next(&x->bits, host + 1)) {
    bool stays = false;
    for (size_t i = 0; i < n && !stays; i++) stays = is_in(sets[i], host);
    if (!stays) hc_hosts_bits_clear(&x->bits, host);
  }
  return n > 0;
}

bool hc_hosts_set_allows(const hc_hosts *h, uint32_t set, int64_t slots, hc_time limit)
{
  const hc_host_set *s = set == HC_NO_NAME ? NULL : find_set(h, set);
  return !s || (limit <= s->max_time && (s->max_size == 0 || slots <= s->max_size));
}

static hc_rc know_names(hc_hosts *h)
{
  if (h->has_names) return 0;
  if (!h->host_named) h->host_named = hc_alloc(h->allocator, h->units * sizeof *h->host_named);
  if (!h->host_named) return HC_ENOMEM;
  for (uint32_t host = 0; host < h->units; host++) {
    const size_t before = h->names.count;
    const char *name = h->spec->host_names[host];
    uint32_t id;
    TRY(hc_names_add(&h->names, name, strlen(name), &id));
    if (h->names.count > before) h->host_named[id] = host;
  }
  h->has_names = true;
  return 0;
}

static hc_rc allow_named(hc_hosts *h, hc_hosts_allowed *x)
{
  TRY(know_names(h));
  x->nowhere = true;
  for (size_t i = 0; i < x->name_count; i++) {
    const char *text = hc_lexicon_text(h->lexicon, x->names[i]);
    const uint32_t id = hc_names_find(&h->names, text, strlen(text));
    if (id == HC_MAP_NONE) continue;
    x->nowhere = false;
    allow(h, x, h->host_named[id]);
  }
  return 0;
}

/* @param spare [constraint_count] */
static hc_rc find_allowed(hc_hosts *h, hc_hosts_allowed *x, hc_constraint *sorted, hc_constraint *spare)
{
  const hc_cell_spec *s = h->spec;
  const hc_host_set *set = x->set == HC_NO_NAME ? NULL : find_set(h, x->set);
  sort_by_group(sorted, x->constraint_count, spare);
  for (uint32_t k = 0; k < s->class_count; k++) /* those that are out are marked until hosts are counted */
    x->of_class[k] = meets(&s->classes[k], sorted, x->constraint_count) ? 0 : UINT32_MAX;
  if (x->name_count > 0) TRY(allow_named(h, x));
  else
    for (uint32_t host = 0; host < h->units; host++) allow(h, x, host);
  bool is_one = set != NULL;
  if (x->set_count > 0) is_one = disallow_all_others(h, x, set);
  else if (set) disallow_others(h, x, set);
  if (x->set != HC_NO_NAME && !is_one) x->nowhere = true;
  memset(x->of_class, 0, s->class_count * sizeof *x->of_class);
  for (uint32_t host = hc_hosts_bits_next(&x->bits, 0); host != HC_NO_HOST;
       host = hc_hosts_bits_next(&x->bits, host + 1)) {
    x->of_class[s->class_of[host]]++;
    x->count++;
  }
  return 0;
}

static void *copy_of(hc_hosts *h, const void *items, size_t size)
{
  void *copy = hc_alloc(h->allocator, size);
  if (copy && size > 0) memcpy(copy, items, size);
  return copy;
}

static hc_rc make_allowed(hc_hosts *h, hc_hosts_allowed *x, const hc_task_extras *m)
{
  const size_t bytes = m->constraint_count * sizeof *m->constraints;
  hc_constraint *sorted = copy_of(h, m->constraints, bytes), *spare = hc_alloc(h->allocator, bytes);
  hc_rc rc = HC_ENOMEM;
  x->set = m->set;
  x->constraint_count = m->constraint_count;
  x->name_count = m->host_count;
  x->constraints = copy_of(h, m->constraints, bytes);
  x->names = copy_of(h, m->hosts, m->host_count * sizeof *m->hosts);
  x->set_count = m->set_count;
  x->sets = copy_of(h, m->sets, m->set_count * sizeof *m->sets);
  x->of_class = hc_alloc(h->allocator, h->spec->class_count * sizeof *x->of_class);
  if (sorted && spare && x->constraints && x->names && x->sets && x->of_class &&
      hc_hosts_bits_init(&x->bits, h->allocator, h->units) >= 0)
    rc = find_allowed(h, x, sorted, spare);
  hc_free(h->allocator, sorted, bytes);
  hc_free(h->allocator, spare, bytes);
  if (rc < 0) forget(h, x);
  return rc;
}

static hc_rc allowed_of(hc_hosts *h, const hc_task_extras *m, const hc_hosts_allowed **out)
{
  const uint64_t hash = hash_of(m);
  hc_hosts_allowed *oldest = &h->allowed[0];
  for (uint32_t i = 0; i < HC_HOSTS_FACTS; i++) {
    hc_hosts_allowed *x = &h->allowed[i];
    if (x->used < oldest->used) oldest = x;
    if (!says(x, hash, m)) continue;
    x->used = ++h->tick;
    *out = x;
    return 0;
  }
  forget(h, oldest);
  TRY(make_allowed(h, oldest, m));
  oldest->hash = hash;
  oldest->used = ++h->tick;
  *out = oldest;
  return 0;
}

void hc_hosts_facts_fini(hc_hosts *h)
{
  for (uint32_t i = 0; i < HC_HOSTS_FACTS; i++) forget(h, &h->allowed[i]);
  for (uint32_t l = 0; h->zones && l < h->spec->level_count; l++) {
    hc_hosts_level *z = &h->zones[l];
    const size_t zones = h->spec->levels[l].zone_count;
    if (z->begin) hc_free(h->allocator, z->ranges, (z->begin[zones] + 1) * sizeof *z->ranges);
    hc_free(h->allocator, z->begin, (zones + 1) * sizeof *z->begin);
    hc_free(h->allocator, z->seen, zones * sizeof *z->seen);
    hc_free(h->allocator, z->used, zones * sizeof *z->used);
    hc_free(h->allocator, z->sum, zones * sizeof *z->sum);
    hc_free(h->allocator, z->good, zones * sizeof *z->good);
  }
  hc_free(h->allocator, h->zones, h->spec->level_count * sizeof *h->zones);
}

/* ---- levels ---- */

static int level_of(const hc_hosts *h, uint32_t name, bool *nowhere)
{
  const char *text;
  if (name == HC_NO_NAME) return -1;
  text = hc_lexicon_text(h->lexicon, name);
  for (uint32_t l = 0; l < h->spec->level_count; l++)
    if (strcmp(h->spec->levels[l].name, text) == 0) return (int)l;
  *nowhere = true;
  return -1;
}

hc_hosts_facts hc_hosts_facts_levels(const hc_hosts *h, uint32_t more)
{
  hc_hosts_facts f = {.more = hc_lexicon_more(h->lexicon, more), .same = -1, .differ = -1, .zone = -1};
  if (!f.more) return f;
  f.same = level_of(h, f.more->same, &f.nowhere);
  f.differ = level_of(h, f.more->differ, &f.nowhere);
  if (f.more->per_zone > 0) f.zone = level_of(h, f.more->zone_level, &f.nowhere);
  return f;
}

hc_rc hc_hosts_facts_of(hc_hosts *h, uint32_t more, hc_hosts_facts *out)
{
  *out = hc_hosts_facts_levels(h, more);
  if (!out->more) return 0;
  if (out->more->constraint_count > 0 || out->more->host_count > 0 || out->more->set != HC_NO_NAME)
    TRY(allowed_of(h, out->more, &out->allowed));
  out->nowhere |= out->allowed && out->allowed->nowhere;
  return 0;
}

/* The first of what is said that leaves a host out: set, names, constraints. */
hc_refusal hc_hosts_rule_against(const hc_hosts *h, const hc_hosts_facts *f, uint32_t host)
{
  const hc_task_extras *m = f->more;
  const hc_host_set *set = !m || m->set == HC_NO_NAME ? NULL : find_set(h, m->set);
  bool is_named = false, is_inside;
  if (!f->allowed) return HC_REFUSED_NOT;
  if (m->set != HC_NO_NAME && !set && m->set_count == 0) return HC_REFUSED_SET; /* there is no such set */
  if (hc_hosts_bits_has(&f->allowed->bits, host)) return HC_REFUSED_NOT;
  is_inside = is_in(set, host);
  for (size_t i = 0; i < m->set_count && !is_inside; i++) is_inside = is_in(find_set(h, m->sets[i]), host);
  if (m->set != HC_NO_NAME && !is_inside) return HC_REFUSED_SET;
  for (size_t i = 0; i < m->host_count && !is_named; i++)
    is_named = strcmp(hc_lexicon_text(h->lexicon, m->hosts[i]), h->spec->host_names[host]) == 0;
  return m->host_count > 0 && !is_named ? HC_REFUSED_NAME : HC_REFUSED_CONSTRAINT;
}

/* Does a range of its zone begin at this host? Hosts side by side in one zone are one range. */
static bool begins(const hc_hosts *h, int level, uint32_t host)
{
  const uint32_t zone = hc_hosts_zone_of(h, level, host);
  return zone != HC_NO_NAME && (host == 0 || hc_hosts_zone_of(h, level, host - 1) != zone);
}

hc_rc hc_hosts_level_build(hc_hosts *h, int level)
{
  hc_hosts_level *z = &h->zones[level];
  const size_t zones = h->spec->levels[level].zone_count;
  size_t *begin, sum = 0;
  hc_range *ranges;
  if (z->begin) return 0;
  begin = hc_alloc(h->allocator, (zones + 1) * sizeof *begin);
  if (!begin) return HC_ENOMEM;
  for (uint32_t host = 0; host < h->units; host++)
    if (begins(h, level, host)) begin[hc_hosts_zone_of(h, level, host)]++;
  for (size_t i = 0; i <= zones;
       i++) { /* from counts to the ends of zones, which filling moves to their begins */
    sum += begin[i];
    begin[i] = sum;
  }
  ranges = hc_alloc(h->allocator, (sum + 1) * sizeof *ranges);
  if (!ranges) {
    hc_free(h->allocator, begin, (zones + 1) * sizeof *begin);
    return HC_ENOMEM;
  }
  for (uint32_t host = h->units, end = h->units; host-- > 0;) {
    if (host + 1 == h->units || hc_hosts_zone_of(h, level, host) != hc_hosts_zone_of(h, level, host + 1))
      end = host + 1;
    if (begins(h, level, host))
      ranges[--begin[hc_hosts_zone_of(h, level, host)]] = (hc_range){host, end - host};
  }
  z->ranges = ranges;
  z->begin = begin;
  return 0;
}

/* ---- rivals: a table by who and where, open addressing, deleted from by shifting back ---- */

static size_t home_of(const hc_hosts *h, int64_t who, uint32_t level, uint32_t place)
{
  uint64_t x = (uint64_t)who * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)level << 32 | place);
  x ^= x >> 30;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= UINT64_C(0x94d049bb133111eb);
  return (size_t)(x ^ x >> 31) & (h->rival_cap - 1);
}

static size_t find_rival(const hc_hosts *h, int64_t who, uint32_t level, uint32_t place)
{
  size_t i = home_of(h, who, level, place);
  while (h->rivals[i].count > 0 &&
         (h->rivals[i].who != who || h->rivals[i].level != level || h->rivals[i].place != place))
    i = (i + 1) & (h->rival_cap - 1);
  return i;
}

static uint32_t count_rivals(const hc_hosts *h, int64_t who, uint32_t level, uint32_t place)
{
  return h->rival_cap == 0 ? 0 : h->rivals[find_rival(h, who, level, place)].count;
}

static hc_rc reserve_rivals(hc_hosts *h, size_t more)
{
  hc_hosts_rival *old = h->rivals;
  const size_t old_cap = h->rival_cap;
  size_t cap = old_cap ? old_cap : 16;
  while ((h->rival_count + more) * 10 > cap * 7) cap *= 2;
  if (cap == old_cap) return 0;
  h->rivals = hc_alloc(h->allocator, cap * sizeof *h->rivals);
  if (!h->rivals) {
    h->rivals = old;
    return HC_ENOMEM;
  }
  h->rival_cap = cap;
  for (size_t i = 0; i < old_cap; i++)
    if (old[i].count > 0) h->rivals[find_rival(h, old[i].who, old[i].level, old[i].place)] = old[i];
  hc_free(h->allocator, old, old_cap * sizeof *old);
  return 0;
}

static void add_rival(hc_hosts *h, int64_t who, uint32_t level, uint32_t place)
{
  hc_hosts_rival *x = &h->rivals[find_rival(h, who, level, place)];
  if (x->count == 0) {
    *x = (hc_hosts_rival){.who = who, .level = level, .place = place};
    h->rival_count++;
  }
  x->count++;
}

static void remove_rival(hc_hosts *h, int64_t who, uint32_t level, uint32_t place)
{
  const size_t mask = h->rival_cap - 1;
  size_t hole = h->rival_cap ? find_rival(h, who, level, place) : 0;
  HC_ASSERT(h->rival_cap > 0 && h->rivals[hole].count > 0);
  if (--h->rivals[hole].count > 0) return;
  h->rival_count--;
  for (size_t i = (hole + 1) & mask; h->rivals[i].count > 0; i = (i + 1) & mask) {
    const size_t home = home_of(h, h->rivals[i].who, h->rivals[i].level, h->rivals[i].place);
    if (((i - home) & mask) < ((i - hole) & mask)) continue; /* its home lies behind the hole */
    h->rivals[hole] = h->rivals[i];
    h->rivals[i].count = 0;
    hole = i;
  }
}

bool hc_hosts_limits_allow(const hc_hosts *h, const hc_hosts_facts *f, uint32_t host)
{
  const hc_task_extras *m = f->more;
  if (m->per_host > 0 && count_rivals(h, m->rival, 0, host) >= m->per_host) return false;
  if (m->per_zone == 0 || f->zone < 0) return true;
  const uint32_t zone = hc_hosts_zone_of(h, f->zone, host);
  return zone == HC_NO_NAME || count_rivals(h, m->rival, 1 + (uint32_t)f->zone, zone) < m->per_zone;
}

static void move_rivals(hc_hosts *h, const hc_hosts_facts *f, const hc_grant *grants, size_t count,
                        void (*move)(hc_hosts *h, int64_t who, uint32_t level, uint32_t place))
{
  const hc_task_extras *m = f->more;
  const uint64_t epoch = ++h->zone_epoch;
  for (size_t i = 0; i < count; i++) {
    const uint32_t host = grants[i].host;
    if (i > 0 && host == grants[i - 1].host) continue;
    if (m->per_host > 0) move(h, m->rival, 0, host);
    if (m->per_zone == 0 || f->zone < 0) continue;
    const uint32_t zone = hc_hosts_zone_of(h, f->zone, host);
    uint64_t *seen = zone == HC_NO_NAME ? NULL : &h->zones[f->zone].seen[zone];
    if (!seen || *seen == epoch) continue;
    *seen = epoch;
    move(h, m->rival, 1 + (uint32_t)f->zone, zone);
  }
}

hc_rc hc_hosts_limits_add(hc_hosts *h, const hc_hosts_facts *f, const hc_grant *grants, size_t count)
{
  TRY(reserve_rivals(h, 2 * count));
  move_rivals(h, f, grants, count, add_rival);
  return 0;
}

void hc_hosts_limits_remove(hc_hosts *h, const hc_hosts_facts *f, const hc_grant *grants, size_t count)
{
  move_rivals(h, f, grants, count, remove_rival);
}

/* The table's layout depends on its history, its contents do not: it is hashed as a sum. */
hc_rc hc_hosts_limits_visit(hc_hosts *h, hc_visitor *v)
{
  uint64_t count = h->rival_count, sum = 0;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > v->left / sizeof *h->rivals) return HC_EINPUT;
    h->rival_count = 0;
    if (h->rival_cap > 0) memset(h->rivals, 0, h->rival_cap * sizeof *h->rivals);
    TRY(reserve_rivals(h, (size_t)count));
    for (uint64_t i = 0; i < count; i++) {
      hc_hosts_rival x, *at;
      HC_VISIT(v, x);
      at = &h->rivals[find_rival(h, x.who, x.level, x.place)];
      if (x.count == 0 || at->count > 0) return HC_EINPUT;
      x.padding = 0;
      *at = x;
      h->rival_count++;
    }
    return 0;
  }
  for (size_t i = 0; i < h->rival_cap; i++) {
    hc_hash hash;
    uint64_t out[2];
    if (h->rivals[i].count == 0) continue;
    if (v->mode == HC_VISIT_SAVE) {
      HC_VISIT(v, h->rivals[i]);
      continue;
    }
    hc_hash_init(&hash);
    hc_hash_add(&hash, &h->rivals[i], sizeof h->rivals[i]);
    hc_hash_end(&hash, out);
    sum += out[0];
  }
  return v->mode == HC_VISIT_HASH ? hc_visit_bytes(v, &sum, sizeof sum) : 0;
}
