/* accasim.c -- the machine of AccaSim's system configuration, a JSON file:
 *
 *   {"equivalence": {"processor": {"core": 1}}, "groups": {"g0": {"core": 4, "mem": 64}},
 *    "resources": {"g0": 16}}
 *
 * `resources` says how many nodes of each group there are, `groups` what a node has, and `equivalence` how
 * much of which resource makes up one processor of the trace. A node holds as many processors as its
 * scarcest of these allow.
 *
 * Counted, the cell has one dimension: other resources, memory above all, are named in the note and not
 * enforced. As hosts each node is one, called as AccaSim calls it, and all that its group has is enforced:
 * what makes up a processor as cores, one for each processor, the rest by its own name.
 * Source: Galleguillos, Kiziltan, Netti and Soto 2020, doi:10.1007/s10586-019-02905-5. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "base/value.h"
#include "cluster/host_builder.h"
#include "cluster/processors.h"

enum { AS_PROCESSORS, AS_HOSTS };

typedef struct options {
  const char *file;
  int as;
  int64_t memory_unit; /* bytes */
} options;

/* A whole number, at least `least`. */
static hc_rc number_of(const hc_value *v, int64_t least, int64_t *out, hc_error *e)
{
  if (v->kind != HC_VALUE_SCALAR || hc_parse_int(v->text, strlen(v->text), out) < 0 || *out < least ||
      *out > HC_MOST_PROCESSORS) {
    return hc_value_fail(v, e, HC_EINPUT, "expected a whole number from %lld to %lld for '%s'",
                         (long long)least, (long long)HC_MOST_PROCESSORS, v->key ? v->key : "");
  }
  return 0;
}

static hc_rc map_of(const hc_value *root, const char *key, const hc_value **out, hc_error *e)
{
  const hc_value *v = hc_value_get(root, key);
  if (!v || v->kind != HC_VALUE_MAP || v->count == 0) {
    return hc_value_fail(
        v ? v : root, e, HC_EINPUT,
        "expected a map '%s' that is not empty; this should be AccaSim's system configuration, with "
        "equivalence, groups and resources",
        key);
  }
  *out = v;
  return 0;
}

/* How many processors a node of a group holds. */
static hc_rc processors_of(const hc_value *group, const hc_value *processor, int64_t *out, hc_error *e)
{
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < processor->count; i++) {
    const hc_value *part = processor->items[i], *has = hc_value_get(group, part->key);
    int64_t per_processor = 1, amount = 0;
    TRY(number_of(part, 1, &per_processor, e));
    if (has) TRY(number_of(has, 0, &amount, e));
    least = HC_MIN(least, amount / per_processor);
  }
  *out = least;
  return 0;
}

/* Names of resources that do not count towards a processor, each once: "mem, gpu". */
static void collect_others(const hc_value *groups, const hc_value *processor, hc_buffer *names)
{
  for (size_t g = 0; g < groups->count; g++) {
    const hc_value *group = groups->items[g];
    for (size_t i = 0; group->kind == HC_VALUE_MAP && i < group->count; i++) {
      const char *key = group->items[i]->key;
      bool is_known = hc_value_get(processor, key) != NULL;
      for (size_t h = 0; h < g; h++) is_known = is_known || hc_value_get(groups->items[h], key) != NULL;
      if (!is_known) hc_buffer_printf(names, "%s%s", names->size > 0 ? ", " : "", key);
    }
  }
}

static hc_rc write_note(const hc_cell_context *c, const char *others, bool nodes_differ, hc_cell_spec *out)
{
  static const char unlike[] = "nodes differ in size; ", left_out[] = "not enforced: ";
  size_t size = sizeof unlike + sizeof left_out + strlen(others);
  char *note;
  if (!others[0] && !nodes_differ) return 0;
  note = c->alloc(c->arena, size);
  if (!note) return HC_ENOMEM;
  note[0] = '\0';
  if (nodes_differ) strcat(note, unlike);
  if (others[0]) strcat(strcat(note, left_out), others);
  else note[strlen(note) - 2] = '\0';
  out->note = note;
  return 0;
}

static hc_rc add_up(const hc_cell_context *c, const hc_value *root, hc_cell_spec *out, hc_error *e)
{
  const hc_value *equivalence = NULL, *processor = NULL, *groups = NULL, *resources = NULL;
  int64_t units = 0, per_node = -1;
  bool nodes_differ = false;
  hc_buffer others;
  hc_rc rc;
  TRY(map_of(root, "equivalence", &equivalence, e));
  TRY(map_of(equivalence, "processor", &processor, e));
  TRY(map_of(root, "groups", &groups, e));
  TRY(map_of(root, "resources", &resources, e));
  for (size_t i = 0; i < resources->count; i++) {
    const hc_value *group = hc_value_get(groups, resources->items[i]->key);
    int64_t nodes = 0, each = 0;
    if (!group || group->kind != HC_VALUE_MAP) {
      return hc_value_fail(resources->items[i], e, HC_EINPUT, "there is no group '%s' under groups",
                           resources->items[i]->key);
    }
    TRY(number_of(resources->items[i], 0, &nodes, e));
    TRY(processors_of(group, processor, &each, e));
    nodes_differ = nodes_differ || (nodes > 0 && per_node >= 0 && per_node != each);
    if (nodes > 0) per_node = each;
    /* Both are below 2^32, so that neither product nor sum overflows before it is refused. */
    if (each > 0 && nodes > (HC_MOST_PROCESSORS - units) / each) units = HC_MOST_PROCESSORS + 1;
    else units += nodes * each;
    if (units > HC_MOST_PROCESSORS)
      return hc_value_fail(resources, e, HC_EINPUT, "too many processors in all");
  }
  if (units == 0) return hc_value_fail(resources, e, HC_EINPUT, "these nodes have no processor in all");
  *out = hc_processors_spec(HC_CELL_INTERVALS, units, nodes_differ ? 0 : per_node);
  hc_buffer_init(&others, c->allocator);
  collect_others(groups, processor, &others);
  rc = others.failed ? HC_ENOMEM : write_note(c, others.size > 0 ? others.data : "", nodes_differ, out);
  hc_buffer_fini(&others);
  return rc;
}

/* ---- as hosts ---- */

/* What a node has of a resource that is no part of a processor. */
static hc_rc put_amount(hc_host_builder *b, const hc_value *v, int64_t memory_unit, hc_host_class *class,
                        hc_error *e)
{
  const bool is_memory = strcmp(v->key, "mem") == 0;
  const char *name = is_memory ? "memory" : v->key;
  const int d = hc_lexicon_dimension(b->c->lexicon, name, strlen(name));
  int64_t amount = 0, unit = 1;
  if (d < 0)
    return hc_value_fail(v, e, HC_ELIMIT, "more than 64 resources: leave out those that no task asks for");
  TRY(number_of(v, 0, &amount, e));
  if (d == HC_DIM_MEMORY) unit = memory_unit;
  if (d == HC_DIM_GPU) unit = HC_DEVICE;
  if (d == HC_DIM_GPU && amount > HC_DEVICES)
    return hc_value_fail(v, e, HC_ELIMIT, "more than %d GPUs in a node", HC_DEVICES);
  if (__builtin_mul_overflow(amount, unit, &amount) || amount > HC_MOST_AMOUNT)
    return hc_value_fail(v, e, HC_ELIMIT, "more %s than can be counted", v->key);
  class->capacity[d] = amount;
  if (d == HC_DIM_GPU) class->devices = (uint32_t)(amount / HC_DEVICE);
  return 0;
}

static hc_rc add_group(hc_host_builder *b, const options *o, const hc_value *group, const hc_value *processor,
                       int64_t nodes, hc_error *e)
{
  hc_host_class class = {.name = group->key, .speed = 1};
  uint32_t id, host;
  int64_t each = 0;
  TRY(processors_of(group, processor, &each, e));
  class.capacity[HC_DIM_CPU] = each * 1000;
  for (size_t i = 0; i < group->count; i++)
    if (!hc_value_get(processor, group->items[i]->key))
      TRY(put_amount(b, group->items[i], o->memory_unit, &class, e));
  TRY(hc_builder_class(b, &class, &id, e));
  for (; nodes > 0; nodes--) {
    char name[40];
    const int n = snprintf(name, sizeof name, "node_%zu", b->names.count + 1);
    TRY(hc_builder_host(b, name, (size_t)n, id, &host, e));
  }
  return 0;
}

static hc_rc add_hosts(hc_host_builder *b, const options *o, const hc_value *root, hc_cell_spec *out,
                       hc_error *e)
{
  const hc_value *equivalence = NULL, *processor = NULL, *groups = NULL, *resources = NULL;
  TRY(map_of(root, "equivalence", &equivalence, e));
  TRY(map_of(equivalence, "processor", &processor, e));
  TRY(map_of(root, "groups", &groups, e));
  TRY(map_of(root, "resources", &resources, e));
  for (size_t i = 0; i < resources->count; i++) {
    const hc_value *count = resources->items[i], *group = hc_value_get(groups, count->key);
    int64_t nodes = 0;
    if (!group || group->kind != HC_VALUE_MAP)
      return hc_value_fail(count, e, HC_EINPUT, "there is no group '%s' under groups", count->key);
    TRY(number_of(count, 0, &nodes, e));
    TRY(add_group(b, o, group, processor, nodes, e));
  }
  return hc_builder_finish(b, out, e);
}

static hc_rc as_hosts(const hc_cell_context *c, const options *o, const hc_value *root, hc_cell_spec *out,
                      hc_error *e)
{
  hc_host_builder b;
  hc_builder_init(&b, c, "cell accasim");
  const hc_rc rc = add_hosts(&b, o, root, out, e);
  hc_builder_fini(&b);
  return rc;
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  hc_arena arena;
  hc_value *root;
  hc_rc rc;
  if (!o->file) {
    return hc_fail(e, HC_EUSAGE, "cell accasim", 0, 0,
                   "which file? Say it with file, as in cell: {use: accasim, file: system.json}");
  }
  hc_arena_init(&arena, c->allocator);
  rc = hc_value_parse_file(&arena, o->file, &root, e);
  if (rc == 0) rc = o->as == AS_HOSTS ? as_hosts(c, o, root, out, e) : add_up(c, root, out, e);
  hc_arena_fini(&arena);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the system configuration (JSON)."),
    HC_PARAM_AS(
        CHOICE, "as", options, as, "processors|hosts", "processors",
        "What the cell is made of. processors: those of all nodes, counted; nothing else is enforced. hosts: "
        "each node, node_1, node_2 ... in the order of `resources`, with what its group has: processors as "
        "cores, mem as memory, gpu as GPUs, others as dimensions of their names."),
    HC_PARAM(SIZE, options, memory_unit, "B", "1KiB", 1, 1e15,
             "Unit of `mem`; logs in the Standard Workload Format have KiB for each processor."),
    {0}};

const hc_cell_type hc_cell_accasim = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "accasim",
         .summary = "the machine of an AccaSim system configuration",
         .detail = "Groups x resources, counted in processors by `equivalence`. Ids run from 0 through the "
                   "groups in the order of `resources`. Amounts that are not part of a processor (memory) "
                   "are enforced only with `as: hosts`; else the result notes that they are not.",
         .source = "AccaSim, Galleguillos et al. 2020, doi:10.1007/s10586-019-02905-5", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
