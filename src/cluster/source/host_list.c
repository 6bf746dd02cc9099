/* host_list.c -- hosts from a table: one row a host, or one for several that are alike.
 *
 * Columns are found by title, or by number in a table without titles. A row that cannot be read is an error:
 * the table was made for this, and a host that is missing would not be noticed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/util.h"
#include "cluster/host_rules.h"

#define MOST_COLUMNS 64 /* of attributes, of amounts and of zones, each */
#define FEATURE_BREAKS " \t,;|+"

enum { CORES, MILLI };

typedef struct options {
  const char *file;
  int separator;
  bool header;
  const char *name, *count, *cpus, *memory, *disk, *gpus, *gpu_model, *features, *speed; /* columns */
  hc_list attributes, amounts, zones; /* const char *: "NAME=COLUMN", or both in one */
  int cpu_unit, memory_unit, disk_unit;
  hc_list sets, licences;
} options;

/* A column that has a name of its own in the cell. */
typedef struct named {
  const char *name;
  size_t size, column;
} named;

typedef struct reading {
  const hc_cell_context *c;
  const options *o;
  hc_table t;
  hc_host_builder b;
  size_t name, count, cpus, memory, disk, gpus, gpu_model, features, speed;
  named attributes[MOST_COLUMNS], amounts[MOST_COLUMNS], zones[MOST_COLUMNS];
  uint32_t levels[MOST_COLUMNS];
  hc_attribute_list list;
  char where[300];
} reading;

/* ---- columns ---- */

static hc_rc no_column(const reading *r, const char *param, const char *column, hc_error *e)
{
  const char *near = hc_title_near(r->t.titles, r->t.title_count, column);
  if (!r->o->header)
    return hc_fail(e, HC_EUSAGE, r->t.name, 0, 0,
                   "%s: without a header a column is a number from 1, not \"%.80s\"", param, column);
  return hc_fail(e, HC_EUSAGE, r->t.name, 0, 0, "%s: the table has no column \"%.80s\"%s%s%s", param, column,
                 near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* @param usual  the title that is looked for if none was given; it may be absent. */
static hc_rc find_column(const reading *r, const char *param, const char *column, const char *usual,
                         size_t *out, hc_error *e)
{
  int64_t number;
  *out = 0;
  if (!column) {
    if (usual && r->o->header) *out = hc_table_column(&r->t, usual);
    return 0;
  }
  if (r->o->header) *out = hc_table_column(&r->t, column);
  if (*out == 0 && hc_parse_int(column, strlen(column), &number) == 0 && number >= 1 && number <= 4096)
    *out = (size_t)number;
  return *out == 0 ? no_column(r, param, column, e) : 0;
}

static hc_rc find_named(const reading *r, const char *param, const hc_list *list, named *out, hc_error *e)
{
  const char *const *texts = list->items;
  if (list->count > MOST_COLUMNS)
    return hc_fail(e, HC_ELIMIT, r->t.name, 0, 0, "%s: more than %d columns", param, MOST_COLUMNS);
  for (size_t i = 0; i < list->count; i++) {
    const size_t n = strcspn(texts[i], "=");
    out[i] = (named){.name = texts[i], .size = n};
    if (n == 0) return hc_fail(e, HC_EUSAGE, r->t.name, 0, 0, "%s: \"%.80s\" has no name", param, texts[i]);
    TRY(find_column(r, param, texts[i][n] ? texts[i] + n + 1 : texts[i], NULL, &out[i].column, e));
  }
  return 0;
}

static hc_rc find_columns(reading *r, hc_error *e)
{
  const options *o = r->o;
  TRY(find_column(r, "name", o->name, "name", &r->name, e));
  TRY(find_column(r, "count", o->count, "count", &r->count, e));
  TRY(find_column(r, "cpus", o->cpus, "cpus", &r->cpus, e));
  TRY(find_column(r, "memory", o->memory, "memory", &r->memory, e));
  TRY(find_column(r, "disk", o->disk, "disk", &r->disk, e));
  TRY(find_column(r, "gpus", o->gpus, "gpus", &r->gpus, e));
  TRY(find_column(r, "gpu_model", o->gpu_model, "gpu_model", &r->gpu_model, e));
  TRY(find_column(r, "features", o->features, "features", &r->features, e));
  TRY(find_column(r, "speed", o->speed, "speed", &r->speed, e));
  TRY(find_named(r, "attributes", &o->attributes, r->attributes, e));
  TRY(find_named(r, "amounts", &o->amounts, r->amounts, e));
  TRY(find_named(r, "zones", &o->zones, r->zones, e));
  for (size_t i = 0; i < o->zones.count; i++) {
    const hc_rc rc = hc_builder_level_of(&r->b, r->zones[i].name, r->zones[i].size, &r->levels[i], e);
    if (rc < 0) return rc;
  }
  if (r->cpus || r->memory || r->disk || r->gpus || o->amounts.count > 0) return 0;
  return hc_fail(
      e, HC_EUSAGE, r->t.name, 0, 0,
      "no column says what a host has: name one with cpus, memory, disk, gpus or amounts, by its title%s",
      o->header ? "" : " or number");
}

/* ---- values ---- */

/* Bytes in one of the units of the parameter's choices. */
static double bytes_of(int unit)
{
  static const double units[] = {1, 1e3, 0x1p10, 1e6, 0x1p20, 1e9, 0x1p30, 1e12, 0x1p40};
  return units[unit];
}

static bool is_empty(const reading *r, size_t column)
{
  return hc_table_size(&r->t, column) == 0;
}

/* A number of units, or a size with a unit of its own. */
static hc_rc read_size(const reading *r, size_t column, const char *what, int unit, int64_t *out, hc_error *e)
{
  const char *text = hc_table_text(&r->t, column);
  if (is_empty(r, column) || hc_table_amount(&r->t, column, bytes_of(unit), out)) return 0;
  if (hc_parse_size(text, hc_table_size(&r->t, column), out) == 0 && *out <= HC_MOST_AMOUNT) return 0;
  return hc_table_fail(&r->t, column, e, "%s: expected a size such as 64GiB, or a number, got \"%.80s\"",
                       what, text);
}

static hc_rc read_capacity(reading *r, hc_host_class *class, hc_error *e)
{
  const double cpu_unit = r->o->cpu_unit == MILLI ? 1 : 1000;
  int64_t gpus = 0;
  if (!is_empty(r, r->cpus) && !hc_table_amount(&r->t, r->cpus, cpu_unit, &class->capacity[HC_DIM_CPU]))
    return hc_table_fail(&r->t, r->cpus, e, "cpus: expected a number, got \"%.80s\"",
                         hc_table_text(&r->t, r->cpus));
  TRY(read_size(r, r->memory, "memory", r->o->memory_unit, &class->capacity[HC_DIM_MEMORY], e));
  TRY(read_size(r, r->disk, "disk", r->o->disk_unit, &class->capacity[HC_DIM_DISK], e));
  if (!is_empty(r, r->gpus) && (!hc_table_whole(&r->t, r->gpus, &gpus) || gpus < 0 || gpus > HC_DEVICES))
    return hc_table_fail(&r->t, r->gpus, e, "gpus: expected a whole number from 0 to %d, got \"%.80s\"",
                         HC_DEVICES, hc_table_text(&r->t, r->gpus));
  class->capacity[HC_DIM_GPU] = gpus * HC_DEVICE;
  class->devices = (uint32_t)gpus;
  class->speed = 1;
  if (!is_empty(r, r->speed) &&
      (!hc_table_real(&r->t, r->speed, &class->speed) || !(class->speed >= 1e-6 && class->speed <= 1e6)))
    return hc_table_fail(&r->t, r->speed, e, "speed: expected a number from 1e-6 to 1e6, got \"%.80s\"",
                         hc_table_text(&r->t, r->speed));
  for (size_t i = 0; i < r->o->amounts.count; i++) {
    const named *n = &r->amounts[i];
    uint32_t d = 0;
    int64_t amount = 0;
    if (is_empty(r, n->column)) continue;
    TRY(hc_rules_amount(r->c->lexicon, n->name, n->size, hc_table_text(&r->t, n->column), r->where, &d,
                        &amount, e));
    if (d < HC_DIM_OTHER)
      return hc_fail(e, HC_EUSAGE, r->t.name, 0, 0,
                     "amounts: \"%.80s\" has a key of its own: cpus, memory, disk or gpus", n->name);
    class->capacity[d] = amount;
  }
  return 0;
}

/* A list of words in one field. */
static hc_rc read_features(reading *r, hc_error *e)
{
  const char *at = hc_table_text(&r->t, r->features);
  for (at += strspn(at, FEATURE_BREAKS); *at; at += strspn(at, FEATURE_BREAKS)) {
    const size_t n = strcspn(at, FEATURE_BREAKS);
    TRY(hc_rules_attribute(&r->b, &r->list, at, n, NULL, r->where, e));
    at += n;
  }
  return 0;
}

static hc_rc read_attributes(reading *r, hc_error *e)
{
  static const char model[] = "gpu_model";
  r->list.count = 0;
  if (!is_empty(r, r->gpu_model))
    TRY(hc_rules_attribute(&r->b, &r->list, model, sizeof model - 1, hc_table_text(&r->t, r->gpu_model),
                           r->where, e));
  TRY(read_features(r, e));
  for (size_t i = 0; i < r->o->attributes.count; i++) {
    const named *n = &r->attributes[i];
    if (is_empty(r, n->column)) continue;
    TRY(hc_rules_attribute(&r->b, &r->list, n->name, n->size, hc_table_text(&r->t, n->column), r->where, e));
  }
  return 0;
}

/* ---- rows ---- */

static hc_rc add_host(reading *r, const char *name, size_t n, uint32_t class, hc_error *e)
{
  uint32_t id;
  const hc_rc rc = hc_builder_host(&r->b, name, n, class, &id, e);
  if (rc < 0) return rc;
  if (rc == 0)
    return hc_table_fail(&r->t, r->name, e, "there is a host \"%.80s\" already: names must differ", name);
  for (size_t i = 0; i < r->o->zones.count; i++) {
    const size_t column = r->zones[i].column;
    if (is_empty(r, column)) continue;
    TRY(hc_builder_zone(&r->b, r->levels[i], id, hc_table_text(&r->t, column), hc_table_size(&r->t, column),
                        e));
  }
  return 0;
}

static hc_rc add_hosts(reading *r, uint32_t class, hc_error *e)
{
  const char *name = r->name ? hc_table_text(&r->t, r->name) : "host";
  const bool counted = !is_empty(r, r->count);
  int64_t count = 1;
  if (!name[0]) return hc_table_fail(&r->t, r->name, e, "a host without a name");
  if (strlen(name) > 256) return hc_table_fail(&r->t, r->name, e, "a name of more than 256 bytes");
  if (counted && (!hc_table_whole(&r->t, r->count, &count) || count < 1 || count > HC_MOST_HOSTS))
    return hc_table_fail(&r->t, r->count, e, "count: expected a whole number from 1 to %u, got \"%.80s\"",
                         HC_MOST_HOSTS, hc_table_text(&r->t, r->count));
  if ((uint64_t)count > HC_MOST_HOSTS - r->b.names.count) return hc_builder_too_many(&r->b, e);
  if (r->name && count == 1) return add_host(r, name, strlen(name), class, e);
  for (int64_t i = 0; i < count; i++) {
    char text[300];
    const int n = snprintf(text, sizeof text, "%s-%" PRId64, name, r->name ? i : (int64_t)r->b.names.count);
    TRY(add_host(r, text, (size_t)n, class, e));
  }
  return 0;
}

static hc_rc read_row(reading *r, hc_error *e)
{
  hc_host_class class = {.name = "host"};
  bool has_any = false;
  uint32_t id;
  (void)snprintf(r->where, sizeof r->where, "%.200s, line %" PRIu64, r->t.name, r->t.line);
  TRY(read_capacity(r, &class, e));
  for (int d = 0; d < HC_DIMENSIONS; d++) has_any |= class.capacity[d] > 0;
  if (!has_any) return hc_table_fail(&r->t, 0, e, "a host that has nothing");
  TRY(read_attributes(r, e));
  if (!is_empty(r, r->gpu_model)) class.name = hc_table_text(&r->t, r->gpu_model);
  class.attributes = r->list.items;
  class.attribute_count = (uint32_t)r->list.count;
  TRY(hc_builder_class(&r->b, &class, &id, e));
  return add_hosts(r, id, e);
}

static hc_rc read_table(reading *r, hc_cell_spec *out, hc_error *e)
{
  static const char separators[] = {'\0', ',', '\t', ';', '|'};
  hc_rc rc;
  TRY(hc_table_open(&r->t, r->c->allocator, r->o->file, e));
  r->b.where = r->t.name;
  r->t.separator = separators[r->o->separator];
  if (r->o->header) {
    rc = hc_table_next(&r->t, e);
    if (rc < 0) return rc;
    if (rc == 0) return hc_fail(e, HC_EINPUT, r->t.name, 0, 0, "the table is empty");
    if (hc_table_keep_titles(&r->t) < 0) return hc_fail(e, HC_ENOMEM, r->t.name, 0, 0, "out of memory");
  }
  TRY(find_columns(r, e));
  while ((rc = hc_table_next(&r->t, e)) == 1) TRY(read_row(r, e));
  if (rc < 0) return rc;
  TRY(hc_builder_finish(&r->b, out, e));
  TRY(hc_rules_sets(&r->b, &r->o->sets, out, e));
  return hc_rules_licences(&r->b, &r->o->licences, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  reading r = {.c = c, .o = o};
  hc_rc rc;
  if (!o->file)
    return hc_fail(e, HC_EUSAGE, "cell host_list", 0, 0,
                   "which file? Say it with file, as in cell: {use: host_list, file: hosts.csv}");
  hc_builder_init(&r.b, c, "cell host_list");
  rc = read_table(&r, out, e);
  hc_builder_fini(&r.b);
  hc_free(c->allocator, r.list.items, r.list.cap * sizeof *r.list.items);
  hc_table_close(&r.t);
  return rc;
}

#define COLUMN_PARAM(member, text) \
  HC_PARAM(TEXT, options, member, NULL, \
           "Column: " text " By default the one titled " #member ", if there is one.")
#define UNITS "bytes|kB|KiB|MB|MiB|GB|GiB|TB|TiB"

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "Path of the table; may be packed (.gz, .zst, .xz), or a tar archive of it. Required."),
    HC_PARAM(CHOICE, options, separator, "auto|comma|tab|semicolon|bar", "auto",
             "Character between fields. auto: the one that occurs most often in the first line."),
    HC_PARAM(BOOL, options, header, "true",
             "Does the first row hold titles? false: columns are named by number, from 1."),
    COLUMN_PARAM(name, "the host's name; without it hosts are called host-0, host-1 and so on."),
    COLUMN_PARAM(count, "number of such hosts; several are called <name>-0, <name>-1 and so on."),
    COLUMN_PARAM(cpus, "cores, in cpu_unit."),
    COLUMN_PARAM(memory, "a number in memory_unit, or a size with a unit such as 64GiB."),
    COLUMN_PARAM(disk, "a number in disk_unit, or a size with a unit."),
    COLUMN_PARAM(gpus, "number of GPUs, at most 128."),
    COLUMN_PARAM(gpu_model, "model of the GPUs: the attribute gpu_model, and the name of the class."),
    COLUMN_PARAM(features,
                 "features (words that are true of the host), separated by blanks, commas, semicolons, bars "
                 "or plus signs."),
    COLUMN_PARAM(speed, "speed; 1 if empty."),
    HC_PARAM(TEXTS, options, attributes, NULL,
             "Columns that hold attributes: a title, or NAME=COLUMN. Empty fields are none."),
    HC_PARAM(TEXTS, options, amounts, NULL,
             "Columns that hold amounts of other dimensions: a title, or NAME=COLUMN."),
    HC_PARAM(TEXTS, options, zones, NULL,
             "Columns that say in which zone of a level a host is: a title such as rack, or LEVEL=COLUMN. An "
             "empty field: in none."),
    HC_PARAM(CHOICE, options, cpu_unit, "cores|milli", "cores",
             "Unit of the column of cpus: cores, or thousandths of a core (milli)."),
    HC_PARAM(CHOICE, options, memory_unit, UNITS, "bytes",
             "Unit of numbers without a unit in the column of memory."),
    HC_PARAM(CHOICE, options, disk_unit, UNITS, "bytes",
             "Unit of numbers without a unit in the column of disk."),
    HC_SETS_PARAM(options),
    HC_LICENCES_PARAM(options),
    {0}};

const hc_cell_type hc_cell_host_list = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "host_list",
         .summary = "hosts from a table with a row for each, or for several, and any columns",
         .detail =
             "Hosts with equal amounts, attributes and speed make up a class. Amounts that are not whole are "
             "rounded up to the next thousandth of a core or byte. An empty field is an amount of 0. Every "
             "row must be readable: the first that is not is an error, with its line.",
         .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
