/* host_builder.c -- puts a cell of hosts together.
 *
 * A class is known by its content, which is hashed; two different ones with one hash take neighbouring
 * places. Classes that share a word for a name get numbers behind it. Amounts are bounded so that the
 * sum over all hosts fits 64 bits, whatever the input says. Cost: one look in a map per host. */
#include "cluster/host_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

static hc_rc no_memory(const hc_host_builder *b, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, b->where, 0, 0, "out of memory for the hosts");
}

void hc_builder_init(hc_host_builder *b, const hc_cell_context *c, const char *where)
{
  *b = (hc_host_builder){.c = c, .where = where, .class_word = "machine"};
  hc_names_init(&b->names, c->allocator, HC_MOST_HOSTS);
  hc_map_init(&b->by_content, c->allocator);
  hc_names_init(&b->class_names, c->allocator, HC_MOST_HOSTS);
  hc_buffer_init(&b->note, c->allocator);
}

void hc_builder_fini(hc_host_builder *b)
{
  const hc_allocator *a = b->c->allocator;
  for (size_t i = 0; i < b->level_count; i++) {
    hc_free(a, b->levels[i].zone_of, b->levels[i].cap * sizeof *b->levels[i].zone_of);
    hc_names_fini(&b->levels[i].zones);
  }
  hc_free(a, b->levels, b->level_cap * sizeof *b->levels);
  hc_free(a, b->class_of, b->class_of_cap * sizeof *b->class_of);
  hc_free(a, b->classes, b->class_cap * sizeof *b->classes);
  hc_free(a, b->facts, b->fact_cap * sizeof *b->facts);
  hc_free(a, b->amounts, b->amount_cap * sizeof *b->amounts);
  hc_free(a, b->traits, b->trait_cap * sizeof *b->traits);
  hc_free(a, b->events, b->event_cap * sizeof *b->events);
  hc_free(a, b->absent, b->names.count);
  hc_names_fini(&b->names);
  hc_map_fini(&b->by_content);
  hc_names_fini(&b->class_names);
  hc_buffer_fini(&b->note);
}

void *hc_builder_alloc(hc_host_builder *b, size_t size, hc_error *e)
{
  void *p = b->c->alloc(b->c->arena, size ? size : 1);
  if (!p) (void)no_memory(b, e);
  return p;
}

const char *hc_builder_text(hc_host_builder *b, const char *s, size_t n, hc_error *e)
{
  char *copy = hc_builder_alloc(b, n + 1, e);
  if (!copy) return NULL;
  memcpy(copy, s, n);
  copy[n] = '\0';
  return copy;
}

void hc_builder_note(hc_host_builder *b, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hc_buffer_printf(&b->note, "%s%s", b->note.size > 0 ? "; " : "", text);
}

/* ---- classes ---- */

static uint64_t hash_of(const hc_host_class *c)
{
  hc_hash h;
  uint64_t out[2];
  hc_hash_init(&h);
  hc_hash_add(&h, c->name, strlen(c->name));
  hc_hash_add(&h, c->capacity, sizeof c->capacity);
  hc_hash_add(&h, &c->devices, sizeof c->devices);
  hc_hash_add(&h, &c->speed, sizeof c->speed);
  hc_hash_add(&h, &c->cores, sizeof c->cores);
  if (c->attribute_count > 0) hc_hash_add(&h, c->attributes, c->attribute_count * sizeof *c->attributes);
  hc_hash_end(&h, out);
  return out[0];
}

static bool same_class(const hc_host_class *x, const hc_host_class *y)
{
  if (strcmp(x->name, y->name) != 0 || memcmp(x->capacity, y->capacity, sizeof x->capacity) != 0)
    return false;
  if (x->devices != y->devices || x->speed != y->speed || x->cores != y->cores ||
      x->attribute_count != y->attribute_count)
    return false;
  return x->attribute_count == 0 ||
         memcmp(x->attributes, y->attributes, x->attribute_count * sizeof *x->attributes) == 0;
}

hc_rc hc_builder_class(hc_host_builder *b, const hc_host_class *class, uint32_t *id, hc_error *e)
{
  const size_t bytes = class->attribute_count * sizeof *class->attributes;
  uint64_t hash = hash_of(class);
  hc_host_class copy = *class;
  hc_attribute *attributes = NULL;
  for (; (*id = hc_map_get(&b->by_content, hash)) != HC_MAP_NONE; hash++)
    if (same_class(&b->classes[*id], class)) return 0;
  if (b->class_count >= HC_MOST_HOSTS)
    return hc_fail(e, HC_ELIMIT, b->where, 0, 0, "more than %u classes of hosts", HC_MOST_HOSTS);
  copy.name = hc_builder_text(b, class->name, strlen(class->name), e);
  if (bytes > 0 && !(attributes = hc_builder_alloc(b, bytes, e))) return HC_ENOMEM;
  if (!copy.name) return HC_ENOMEM;
  if (bytes > 0) memcpy(attributes, class->attributes, bytes);
  copy.attributes = attributes;
  if (hc_reserve(b->c->allocator, (void **)&b->classes, &b->class_cap, b->class_count + 1, sizeof copy) < 0 ||
      hc_map_set(&b->by_content, hash, (uint32_t)b->class_count) < 0)
    return no_memory(b, e);
  *id = (uint32_t)b->class_count;
  b->classes[b->class_count++] = copy;
  return 0;
}

/* Digits and a sign, perhaps a point and zeros: what cannot be meant as a text. */
static bool is_whole(const char *s, size_t n, int64_t *out)
{
  const size_t sign = n > 0 && s[0] == '-';
  size_t i = sign;
  int64_t x = 0;
  for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
    if (i - sign == 18) return false;
    x = x * 10 + (s[i] - '0');
  }
  if (i == sign) return false;
  *out = sign ? -x : x;
  if (i == n) return true;
  if (s[i++] != '.' || i == n) return false;
  while (i < n && s[i] == '0') i++;
  return i == n;
}

hc_rc hc_builder_value(hc_host_builder *b, const char *text, size_t n, hc_attribute *out, hc_error *e)
{
  uint32_t name;
  int64_t whole = 0;
  out->is_text = !is_whole(text, n, &whole);
  out->value = whole;
  if (!out->is_text) return 0;
  name = hc_lexicon_name(b->c->lexicon, text, n);
  out->value = name;
  return name == HC_NO_NAME ? no_memory(b, e) : 0;
}

/* ---- hosts and their zones ---- */

hc_rc hc_builder_too_many(const hc_host_builder *b, hc_error *e)
{
  return hc_fail(e, HC_ELIMIT, b->where, 0, 0, "more than %u hosts, which is as many as a cell may have",
                 HC_MOST_HOSTS);
}

hc_rc hc_builder_host(hc_host_builder *b, const char *name, size_t n, uint32_t class, uint32_t *id,
                      hc_error *e)
{
  const size_t known = b->names.count;
  const hc_rc rc = hc_names_add(&b->names, name, n, id);
  if (rc == HC_ELIMIT) return hc_builder_too_many(b, e);
  if (rc < 0) return no_memory(b, e);
  if (b->names.count == known) return 0;
  if (hc_reserve(b->c->allocator, (void **)&b->class_of, &b->class_of_cap, b->names.count,
                 sizeof *b->class_of) < 0) {
    return no_memory(b, e);
  }
  b->class_of[*id] = class;
  return 1;
}

hc_rc hc_builder_level_of(hc_host_builder *b, const char *name, size_t n, uint32_t *level, hc_error *e)
{
  hc_builder_level *l;
  for (uint32_t i = 0; i < b->level_count; i++) {
    if (strlen(b->levels[i].name) != n || memcmp(b->levels[i].name, name, n) != 0) continue;
    *level = i;
    return 0;
  }
  if (b->level_count >= HC_MOST_LEVELS)
    return hc_fail(e, HC_ELIMIT, b->where, 0, 0, "more than %zu levels of zones", HC_MOST_LEVELS);
  if (hc_reserve(b->c->allocator, (void **)&b->levels, &b->level_cap, b->level_count + 1, sizeof *l) < 0)
    return no_memory(b, e);
  l = &b->levels[b->level_count];
  *l = (hc_builder_level){.name = hc_builder_text(b, name, n, e)};
  if (!l->name) return HC_ENOMEM;
  hc_names_init(&l->zones, b->c->allocator, HC_MOST_HOSTS);
  *level = (uint32_t)b->level_count++;
  return 1;
}

/* Room for all hosts that there are; those that are new are in no zone. */
static hc_rc widen(const hc_host_builder *b, hc_builder_level *l)
{
  const size_t before = l->cap;
  TRY(hc_reserve(b->c->allocator, (void **)&l->zone_of, &l->cap, b->names.count, sizeof *l->zone_of));
  for (size_t i = before; i < l->cap; i++) l->zone_of[i] = HC_NO_NAME;
  return 0;
}

hc_rc hc_builder_zone(hc_host_builder *b, uint32_t level, uint32_t host, const char *zone, size_t n,
                      hc_error *e)
{
  hc_builder_level *l = &b->levels[level];
  uint32_t id;
  if (widen(b, l) < 0) return no_memory(b, e);
  if (l->zone_of[host] != HC_NO_NAME) return 0;
  if (hc_names_add(&l->zones, zone, n, &id) < 0) return no_memory(b, e);
  l->zone_of[host] = id;
  return 0;
}

/* ---- finishing ---- */

/* Hosts without a class go; the others close ranks. Names stay where they are, their list shrinks. */
static hc_rc leave_out(hc_host_builder *b, hc_error *e)
{
  const size_t before = b->names.count;
  const hc_allocator *a = b->c->allocator;
  uint32_t *now, n = 0;
  for (size_t i = 0; i < before; i++) n += b->class_of[i] != HC_NO_NAME;
  if (n == before) return 0;
  for (size_t l = 0; l < b->level_count; l++)
    if (widen(b, &b->levels[l]) < 0) return no_memory(b, e);
  now = hc_alloc(a, before * sizeof *now);
  if (!now) return no_memory(b, e);
  n = 0;
  for (size_t i = 0; i < before; i++) {
    now[i] = n;
    if (b->class_of[i] == HC_NO_NAME) continue;
    b->names.names[n] = b->names.names[i];
    b->class_of[n] = b->class_of[i];
    if (b->absent) b->absent[n] = b->absent[i];
    for (size_t l = 0; l < b->level_count; l++) b->levels[l].zone_of[n] = b->levels[l].zone_of[i];
    n++;
  }
  for (size_t i = 0; i < b->event_count; i++) b->events[i].host = now[b->events[i].host];
  hc_free(a, now, before * sizeof *now);
  hc_builder_note(b, "hosts left out since nobody says what they have: %zu", before - n);
  if (b->absent) {
    uint8_t *fewer = hc_alloc(a, n);
    if (!fewer) return no_memory(b, e);
    memcpy(fewer, b->absent, n);
    hc_free(a, b->absent, before);
    b->absent = fewer;
  }
  b->names.count = n;
  return 0;
}

static hc_rc add_up(const hc_host_builder *b, uint32_t dimensions, int64_t *totals, const int64_t *capacity,
                    hc_error *e)
{
  for (uint32_t d = 0; d < dimensions; d++) {
    if (capacity[d] == HC_UNKNOWN) continue;
    totals[d] += capacity[d]; /* both below 2^62 */
    if (totals[d] <= HC_MOST_TOTAL) continue;
    return hc_fail(e, HC_ELIMIT, b->where, 0, 0, "more %s on all hosts together than can be counted (2^62)",
                   hc_lexicon_dimension_name(b->c->lexicon, d));
  }
  return 0;
}

static hc_rc check_totals(const hc_host_builder *b, hc_error *e)
{
  int64_t totals[HC_DIMENSIONS] = {0};
  uint32_t n = HC_DIM_OTHER;
  while (n < HC_DIMENSIONS && (!b->c->lexicon || hc_lexicon_dimension_name(b->c->lexicon, n))) n++;
  for (size_t i = 0; i < b->names.count; i++)
    TRY(add_up(b, n, totals, b->classes[b->class_of[i]].capacity, e));
  for (size_t i = 0; i < b->event_count; i++)
    if (b->events[i].change == HC_HOST_RESIZE) TRY(add_up(b, n, totals, b->events[i].capacity, e));
  return 0;
}

/* A number behind the names of classes that share one. */
static hc_rc number_classes(hc_host_builder *b, hc_error *e)
{
  const hc_allocator *a = b->c->allocator;
  uint32_t *count = NULL, id;
  size_t cap = 0;
  hc_names words;
  hc_rc rc = 0;
  hc_names_init(&words, a, HC_MOST_HOSTS);
  if (hc_reserve(a, (void **)&count, &cap, b->class_count, 2 * sizeof *count) < 0) rc = no_memory(b, e);
  if (rc == 0) memset(count, 0, cap * 2 * sizeof *count);
  for (size_t i = 0; rc == 0 && i < b->class_count; i++) {
    if (hc_names_add(&words, b->classes[i].name, strlen(b->classes[i].name), &id) < 0) rc = no_memory(b, e);
    else count[2 * id]++;
  }
  for (size_t i = 0; rc == 0 && i < b->class_count; i++) {
    char text[300];
    id = hc_names_find(&words, b->classes[i].name, strlen(b->classes[i].name));
    if (count[2 * id] < 2) continue;
    const int n = snprintf(text, sizeof text, "%.256s-%u", b->classes[i].name, ++count[2 * id + 1]);
    b->classes[i].name = hc_builder_text(b, text, (size_t)n, e);
    if (!b->classes[i].name) rc = HC_ENOMEM;
  }
  hc_free(a, count, cap * 2 * sizeof *count);
  hc_names_fini(&words);
  return rc;
}

/* Texts in one block of the arena, and pointers to them. */
static hc_rc copy_names(hc_host_builder *b, const hc_names *from, const char *const **out, hc_error *e)
{
  const char **list = hc_builder_alloc(b, from->count * sizeof *list, e);
  size_t size = 0;
  char *at;
  for (size_t i = 0; i < from->count; i++) size += strlen(from->names[i]) + 1;
  at = list ? hc_builder_alloc(b, size, e) : NULL;
  if (!at) return HC_ENOMEM;
  for (size_t i = 0; i < from->count; i++) {
    const size_t n = strlen(from->names[i]) + 1;
    list[i] = memcpy(at, from->names[i], n);
    at += n;
  }
  *out = list;
  return 0;
}

static void *copy(hc_host_builder *b, const void *from, size_t size, hc_error *e)
{
  void *p = hc_builder_alloc(b, size, e);
  return p && size > 0 ? memcpy(p, from, size) : p;
}

static hc_rc copy_levels(hc_host_builder *b, hc_cell_spec *out, hc_error *e)
{
  hc_zone_level *levels = hc_builder_alloc(b, b->level_count * sizeof *levels, e);
  if (!levels) return HC_ENOMEM;
  for (size_t i = 0; i < b->level_count; i++) {
    hc_builder_level *l = &b->levels[i];
    if (widen(b, l) < 0) return no_memory(b, e);
    levels[i] = (hc_zone_level){.name = l->name, .zone_count = (uint32_t)l->zones.count};
    levels[i].zone_of = copy(b, l->zone_of, b->names.count * sizeof *l->zone_of, e);
    if (!levels[i].zone_of) return HC_ENOMEM;
    TRY(copy_names(b, &l->zones, &levels[i].zone_names, e));
  }
  out->levels = levels;
  out->level_count = (uint32_t)b->level_count;
  return 0;
}

hc_rc hc_builder_finish(hc_host_builder *b, hc_cell_spec *out, hc_error *e)
{
  hc_cell_spec s = {.granularity = HC_CELL_HOSTS};
  TRY(hc_builder_settle_facts(b, e));
  TRY(leave_out(b, e));
  if (b->names.count == 0) return hc_fail(e, HC_EINPUT, b->where, 0, 0, "there is no host in it");
  TRY(check_totals(b, e));
  TRY(number_classes(b, e));
  s.units = (uint32_t)b->names.count;
  s.class_count = (uint32_t)b->class_count;
  s.classes = copy(b, b->classes, b->class_count * sizeof *b->classes, e);
  s.class_of = copy(b, b->class_of, b->names.count * sizeof *b->class_of, e);
  if (!s.classes || !s.class_of) return HC_ENOMEM;
  TRY(copy_names(b, &b->names, &s.host_names, e));
  TRY(copy_levels(b, &s, e));
  s.event_count = b->event_count;
  if (b->event_count > 0 && !(s.events = copy(b, b->events, b->event_count * sizeof *b->events, e)))
    return HC_ENOMEM;
  if (b->absent && !(s.absent = copy(b, b->absent, b->names.count, e))) return HC_ENOMEM;
  if (b->note.failed) return no_memory(b, e);
  if (b->note.size > 0 && !(s.note = hc_builder_text(b, b->note.data, b->note.size, e))) return HC_ENOMEM;
  *out = s;
  return 0;
}
