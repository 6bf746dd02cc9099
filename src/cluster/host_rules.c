/* host_rules.c -- from what a user wrote to parts of a cell of hosts.
 *
 * Whatever a user writes is a mistake with a remedy here, or it is meant: a class without anything, two hosts
 * of one name, a zone beyond the last host are refused, since each would be noticed only by its results. */
#include "cluster/host_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cluster/host_find.h"

#define MOST_NAME ((size_t)256)
#define WHERE 128

static hc_rc no_memory(const char *where, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, where, 0, 0, "out of memory for the hosts");
}

/* ---- amounts and attributes ---- */

static bool is(const char *name, size_t n, const char *word)
{
  return strlen(word) == n && memcmp(name, word, n) == 0;
}

static bool is_name(const char *name, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)name[i] <= ' ' || strchr("=<>!|", name[i])) return false;
  return n > 0 && n <= MOST_NAME;
}

/* Cores or GPUs as thousandths. */
static hc_rc thousandths(double x, int64_t *out)
{
  if (!(x >= 0 && x * 1000 <= (double)HC_MOST_AMOUNT)) return HC_EUSAGE;
  *out = (int64_t)(x * 1000 + 0.5);
  if (*out == 0 && x > 0) *out = 1;
  return 0;
}

static hc_rc read_amount(uint32_t dimension, const char *value, int64_t *out)
{
  double x;
  switch (dimension) {
    case HC_DIM_CPU:
      if (hc_parse_real(value, strlen(value), &x) < 0) return HC_EUSAGE;
      return thousandths(x, out);
    case HC_DIM_GPU:
      if (hc_parse_int(value, strlen(value), out) < 0 || *out < 0 || *out > HC_DEVICES) return HC_EUSAGE;
      *out *= HC_DEVICE;
      return 0;
    default:
      if (hc_parse_size(value, strlen(value), out) < 0 || *out < 0 || *out > HC_MOST_AMOUNT) return HC_EUSAGE;
      return 0;
  }
}

hc_rc hc_rules_amount(hc_lexicon *l, const char *name, size_t n, const char *value, const char *where,
                      uint32_t *dimension, int64_t *amount, hc_error *e)
{
  static const char *const forms[] = {"cores, such as 10 or 2.5", "a size, such as 64GiB",
                                      "a size, such as 1TB", "a whole number of GPUs, at most 128"};
  int d = -1;
  if (!is_name(name, n))
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "\"%.*s\" cannot be the name of an amount", (int)HC_MIN(n, 80),
                   name);
  if (is(name, n, "cpus")) d = HC_DIM_CPU;
  else if (is(name, n, "gpus")) d = HC_DIM_GPU;
  else d = hc_lexicon_dimension(l, name, n);
  if (d < 0)
    return hc_fail(e, HC_ELIMIT, where, 0, 0,
                   "there is no room for a dimension \"%.*s\": a run has %d at most", (int)n, name,
                   HC_DIMENSIONS);
  *dimension = (uint32_t)d;
  if (read_amount(*dimension, value, amount) == 0) return 0;
  return hc_fail(e, HC_EUSAGE, where, 0, 0, "%.*s: expected %s, got \"%.80s\"", (int)n, name,
                 d < HC_DIM_OTHER ? forms[d] : "a whole number or a size", value);
}

hc_rc hc_rules_amount_text(hc_lexicon *l, const char *text, const char *where, uint32_t *dimension,
                           int64_t *amount, hc_error *e)
{
  const size_t n = strcspn(text, "=");
  if (text[n] == '\0')
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "expected NAME=AMOUNT, such as fpga=2, got \"%.80s\"", text);
  return hc_rules_amount(l, text, n, text + n + 1, where, dimension, amount, e);
}

hc_rc hc_rules_attribute(hc_host_builder *b, hc_attribute_list *list, const char *name, size_t n,
                         const char *value, const char *where, hc_error *e)
{
  hc_attribute a = {.value = 1};
  if (!is_name(name, n))
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "\"%.*s\" cannot be the name of a feature or an attribute",
                   (int)HC_MIN(n, 80), name);
  a.name = hc_lexicon_name(b->c->lexicon, name, n);
  if (value) TRY(hc_builder_value(b, value, strlen(value), &a, e));
  if (a.name == HC_NO_NAME) return no_memory(where, e);
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].name == a.name)
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "it has the attribute or feature \"%.*s\" twice", (int)n,
                     name);
  if (list->count >= HC_MOST_ATTRIBUTES)
    return hc_fail(e, HC_ELIMIT, where, 0, 0, "more than %zu attributes and features", HC_MOST_ATTRIBUTES);
  if (hc_reserve(b->c->allocator, (void **)&list->items, &list->cap, list->count + 1, sizeof a) < 0)
    return no_memory(where, e);
  list->items[list->count++] = a;
  return 0;
}

/* ---- classes ---- */

static hc_rc class_attributes(hc_host_builder *b, const hc_host_class_options *o, const char *where,
                              hc_attribute_list *list, hc_error *e)
{
  const char *const *features = o->features.items, *const *attributes = o->attributes.items;
  if (o->gpu_model)
    TRY(hc_rules_attribute(b, list, "gpu_model", strlen("gpu_model"), o->gpu_model, where, e));
  for (size_t i = 0; i < o->features.count; i++)
    TRY(hc_rules_attribute(b, list, features[i], strlen(features[i]), NULL, where, e));
  for (size_t i = 0; i < o->attributes.count; i++) {
    const size_t n = strcspn(attributes[i], "=");
    if (attributes[i][n] == '\0')
      return hc_fail(e, HC_EUSAGE, where, 0, 0,
                     "attributes: expected NAME=VALUE, such as kernel=5, got \"%.80s\"", attributes[i]);
    TRY(hc_rules_attribute(b, list, attributes[i], n, attributes[i] + n + 1, where, e));
  }
  return 0;
}

static hc_rc class_amounts(hc_host_builder *b, const hc_host_class_options *o, const char *where,
                           hc_host_class *class, hc_error *e)
{
  const char *const *amounts = o->amounts.items;
  int64_t sum = 0;
  (void)thousandths(o->cpus, &class->capacity[HC_DIM_CPU]); /* the table has checked its range */
  class->capacity[HC_DIM_MEMORY] = o->memory;
  class->capacity[HC_DIM_DISK] = o->disk;
  class->capacity[HC_DIM_GPU] = o->gpus * HC_DEVICE;
  class->devices = (uint32_t)o->gpus;
  for (size_t i = 0; i < o->amounts.count; i++) {
    uint32_t d = 0;
    int64_t amount = 0;
    TRY(hc_rules_amount_text(b->c->lexicon, amounts[i], where, &d, &amount, e));
    if (d < HC_DIM_OTHER)
      return hc_fail(e, HC_EUSAGE, where, 0, 0,
                     "amounts: \"%.80s\" has a key of its own: cpus, memory, disk or gpus", amounts[i]);
    if (class->capacity[d] > 0)
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "amounts: it has \"%.*s\" twice",
                     (int)strcspn(amounts[i], "="), amounts[i]);
    class->capacity[d] = amount;
  }
  for (int d = 0; d < HC_DIMENSIONS; d++) sum |= class->capacity[d];
  if (sum > 0) return 0;
  return hc_fail(e, HC_EUSAGE, where, 0, 0,
                 "its hosts have nothing: say cpus, memory, disk, gpus or amounts");
}

static hc_rc class_hosts(hc_host_builder *b, const hc_host_class_options *o, uint32_t class,
                         const char *where, hc_error *e)
{
  const bool single = o->count == 1 && o->name;
  const char *prefix = single ? o->name : o->name_prefix ? o->name_prefix : o->name;
  if ((uint64_t)o->count > HC_MOST_HOSTS - b->names.count) return hc_builder_too_many(b, e);
  for (int64_t i = 0; i < o->count; i++) {
    char name[MOST_NAME + 16];
    uint32_t id;
    hc_rc rc;
    const int n = snprintf(name, sizeof name, single ? "%s" : "%s-%" PRId64, prefix, i);
    rc = hc_builder_host(b, name, (size_t)n, class, &id, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_fail(e, HC_EUSAGE, where, 0, 0,
                     "two hosts would be called \"%.80s\": give this class another name_prefix", name);
  }
  return 0;
}

hc_rc hc_rules_class(hc_host_builder *b, const hc_host_class_options *o, size_t number, hc_error *e)
{
  const char *name = o->name ? o->name : o->name_prefix;
  hc_host_class class = {.name = name, .speed = o->speed};
  hc_attribute_list attributes = {0};
  char where[WHERE];
  uint32_t id;
  hc_rc rc;
  (void)snprintf(where, sizeof where, "class %zu", number);
  if (!name || !name[0] || (o->name_prefix && !o->name_prefix[0]))
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "what are its hosts called? Give it a name or a name_prefix");
  (void)snprintf(where, sizeof where, "class %.80s", name);
  if (strlen(name) > MOST_NAME || (o->name_prefix && strlen(o->name_prefix) > MOST_NAME))
    return hc_fail(e, HC_ELIMIT, where, 0, 0, "a name of more than %zu bytes", MOST_NAME);
  if (hc_names_add(&b->class_names, name, strlen(name), &id) < 0) return no_memory(where, e);
  if (id + 1 != number)
    return hc_fail(e, HC_EUSAGE, where, 0, 0, "two classes have this name: give one of them another");
  TRY(class_amounts(b, o, where, &class, e));
  rc = class_attributes(b, o, where, &attributes, e);
  class.attributes = attributes.items;
  class.attribute_count = (uint32_t)attributes.count;
  if (rc == 0) rc = hc_builder_class(b, &class, &id, e);
  if (rc == 0) rc = class_hosts(b, o, id, where, e);
  hc_free(b->c->allocator, attributes.items, attributes.cap * sizeof *attributes.items);
  return rc;
}

/* ---- levels ---- */

static hc_rc put_zones(hc_host_builder *b, const hc_zone_level_options *o, uint32_t level, const char *where,
                       hc_error *e)
{
  const int64_t *sizes = o->sizes.items;
  const size_t hosts = b->names.count;
  size_t host = 0;
  for (size_t zone = 0; o->size > 0 ? host < hosts : zone < o->sizes.count; zone++) {
    const int64_t size = o->size > 0 ? o->size : sizes[zone];
    char name[MOST_NAME + 32];
    const int n = snprintf(name, sizeof name, "%s-%zu", o->name, zone);
    if (o->size == 0 && (uint64_t)size > hosts - host)
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "zone %zu would hold hosts %zu to %zu, but there are %zu",
                     zone, host, host + (size_t)size - 1, hosts);
    for (int64_t i = 0; i < size && host < hosts; i++, host++)
      TRY(hc_builder_zone(b, level, (uint32_t)host, name, (size_t)n, e));
  }
  return 0;
}

hc_rc hc_rules_levels(hc_host_builder *b, const hc_list *levels, hc_error *e)
{
  const hc_chosen *items = levels->items;
  for (size_t i = 0; i < levels->count; i++) {
    const hc_zone_level_options *o = items[i].options;
    char where[WHERE];
    uint32_t level;
    hc_rc rc;
    (void)snprintf(where, sizeof where, "level %zu", i + 1);
    if (!o->name || !o->name[0])
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "what is it called? Give it a name");
    (void)snprintf(where, sizeof where, "level %.80s", o->name);
    if (strlen(o->name) > MOST_NAME)
      return hc_fail(e, HC_ELIMIT, where, 0, 0, "a name of more than %zu bytes", MOST_NAME);
    if ((o->size > 0) == (o->sizes.count > 0))
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "say either size, for zones of so many hosts, or sizes");
    rc = hc_builder_level_of(b, o->name, strlen(o->name), &level, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_fail(e, HC_EUSAGE, where, 0, 0, "two levels have this name: give one of them another");
    TRY(put_zones(b, o, level, where, e));
  }
  return 0;
}

/* ---- sets ---- */

static hc_rc fill_of(hc_host_builder *b, const hc_list *of, hc_host_set *out, hc_error *e)
{
  const char *const *texts = of->items;
  const char **kept = of->count > 0 ? hc_builder_alloc(b, of->count * sizeof *kept, e) : NULL;
  if (of->count > 0 && !kept) return HC_ENOMEM;
  for (size_t i = 0; i < of->count; i++) {
    kept[i] = hc_builder_text(b, texts[i], strlen(texts[i]), e);
    if (!kept[i]) return HC_ENOMEM;
  }
  out->of = kept;
  out->of_count = of->count;
  return 0;
}

static hc_rc fill_set(hc_host_builder *b, hc_host_finder *f, const hc_host_set_options *o, const char *where,
                      hc_host_set *out, hc_error *e)
{
  hc_host_ranges ranges = {0};
  hc_rc rc = hc_host_find_all(f, &o->hosts, where, &ranges, e);
  const size_t size = ranges.count * sizeof *ranges.items;
  hc_range *hosts = rc == 0 ? hc_builder_alloc(b, size, e) : NULL;
  const char *name = hosts ? hc_builder_text(b, o->name, strlen(o->name), e) : NULL;
  if (rc == 0 && ranges.count == 0)
    rc = hc_fail(e, HC_EUSAGE, where, 0, 0, "it has no host: name some in hosts");
  if (rc == 0 && !name) rc = HC_ENOMEM;
  if (rc == 0) {
    memcpy(hosts, ranges.items, size);
    *out = (hc_host_set){.name = name,
                         .hosts = hosts,
                         .host_count = ranges.count,
                         .is_partition = o->partition,
                         .is_failure_domain = o->failure_domain,
                         .max_time = o->max_time,
                         .max_size = o->max_size};
    rc = fill_of(b, &o->of, out, e);
  }
  hc_host_ranges_fini(&ranges, b->c->allocator);
  return rc;
}

/* A task runs in one set. */
static hc_rc check_of(const hc_host_set *sets, size_t count, hc_error *e)
{
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sets[i].of_count; k++)
      for (size_t j = 0; j <= i; j++)
        for (size_t m = 0; m < (j < i ? sets[j].of_count : k); m++) {
          if (strcmp(sets[i].of[k], sets[j].of[m]) != 0) continue;
          return hc_fail(
              e, HC_EUSAGE, "sets", 0, 0,
              "partition \"%.80s\" is in `of` of %.80s and of %.80s: a task runs in one set, whose "
              "hosts others may share",
              sets[i].of[k], sets[j].name, sets[i].name);
        }
  return 0;
}

static hc_rc fill_sets(hc_host_builder *b, hc_host_finder *f, const hc_list *sets, hc_host_set *out,
                       hc_error *e)
{
  const hc_chosen *items = sets->items;
  hc_names names;
  hc_rc rc = 0;
  hc_names_init(&names, b->c->allocator, UINT32_MAX);
  for (size_t i = 0; rc == 0 && i < sets->count; i++) {
    const hc_host_set_options *o = items[i].options;
    char where[WHERE];
    uint32_t id;
    (void)snprintf(where, sizeof where, "set %zu", i + 1);
    if (!o->name || !o->name[0]) {
      rc = hc_fail(e, HC_EUSAGE, where, 0, 0, "what is it called? Give it a name");
      break;
    }
    (void)snprintf(where, sizeof where, "set %.80s", o->name);
    if (hc_names_add(&names, o->name, strlen(o->name), &id) < 0) rc = no_memory(where, e);
    else if (id != i)
      rc = hc_fail(e, HC_EUSAGE, where, 0, 0, "two sets have this name: give one of them another");
    else rc = fill_set(b, f, o, where, &out[i], e);
  }
  hc_names_fini(&names);
  return rc < 0 ? rc : check_of(out, sets->count, e);
}

hc_rc hc_rules_sets(hc_host_builder *b, const hc_list *sets, hc_cell_spec *spec, hc_error *e)
{
  hc_host_set *out = hc_builder_alloc(b, sets->count * sizeof *out, e);
  hc_host_finder f;
  hc_rc rc;
  if (!out) return HC_ENOMEM;
  rc = hc_host_finder_init(&f, b->c->allocator, spec, &b->names);
  rc = rc < 0 ? no_memory(b->where, e) : fill_sets(b, &f, sets, out, e);
  hc_host_finder_fini(&f);
  spec->sets = out;
  spec->set_count = (uint32_t)sets->count;
  return rc;
}

hc_rc hc_rules_licences(hc_host_builder *b, const hc_list *licences, hc_cell_spec *spec, hc_error *e)
{
  const char *const *texts = licences->items;
  for (size_t i = 0; i < licences->count; i++) {
    uint32_t d = 0;
    int64_t amount = 0;
    TRY(hc_rules_amount_text(b->c->lexicon, texts[i], "licences", &d, &amount, e));
    if (d < HC_DIM_OTHER)
      return hc_fail(e, HC_EUSAGE, "licences", 0, 0, "\"%.80s\": cpu, memory, disk and gpu belong to hosts",
                     texts[i]);
    if (spec->shared[d] > 0)
      return hc_fail(e, HC_EUSAGE, "licences", 0, 0, "\"%.*s\" stands there twice",
                     (int)strcspn(texts[i], "="), texts[i]);
    for (uint32_t c = 0; c < spec->class_count; c++)
      if (spec->classes[c].capacity[d] > 0)
        return hc_fail(e, HC_EUSAGE, "licences", 0, 0,
                       "\"%.*s\" is also an amount of hosts: give one of the two another name",
                       (int)strcspn(texts[i], "="), texts[i]);
    if (amount == 0)
      return hc_fail(e, HC_EUSAGE, "licences", 0, 0, "\"%.80s\": there must be at least one", texts[i]);
    spec->shared[d] = amount;
  }
  return 0;
}
