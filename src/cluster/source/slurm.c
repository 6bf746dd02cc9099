/* slurm.c -- the nodes of a slurm.conf, its partitions as sets of hosts, its licences, and the switches of a
 * topology.conf as levels.
 *
 * What nodes are is in slurm_nodes.c. A partition is a set of its own name that binds the partition of that
 * name in the log. Switches next to nodes are the level `switch`, those above them `switch2` and so on.
 * What a file says that is taken by nothing here is noted in the result by its keys, so that a site sees
 * what its scheduler has that the run has not; settings of the whole cluster, such as SchedulerParameters,
 * are a policy's matter. */
#include <stdio.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/util.h"
#include "cluster/host_rules.h"
#include "cluster/slurm_nodes.h"
#include "cluster/slurm_sinfo.h"

#define WHERE "cell slurm"

typedef struct options {
  const char *file, *gres_file, *topology_file;
  hc_list sets, licences, lines;
} options;

typedef struct reading {
  const options *o;
  const hc_allocator *allocator;
  hc_arena texts; /* names of hosts, for as long as the cell is put together */
  hc_conf conf, gres, topology;
  hc_host_builder b;
  hc_slurm_nodes nodes;
  hc_conf_defaults defaults; /* of partitions */
  /* what host_rules takes: the user's sets and the partitions, the user's licences and those of the file */
  hc_chosen *sets;
  size_t set_count, set_cap;
  const char **licences;
  size_t licence_count, licence_cap;
  /* of the partition at hand */
  const hc_conf_line *line;
  const char **names;
  size_t name_count, name_cap;
} reading;

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, WHERE, 0, 0, "out of memory");
}

/* ---- what is left out ---- */

/* Note the keys of lines of one kind that are among `named`, or with `rest` those that are not. */
static hc_rc note_keys(reading *r, const char *kind, const char *words, bool is_rest,
                       const char *const *named, size_t count, hc_error *e)
{
  hc_names rest;
  hc_buffer text;
  hc_rc rc = 0;
  hc_names_init(&rest, r->allocator, UINT32_MAX);
  hc_buffer_init(&text, r->allocator);
  for (size_t i = 0; i < r->conf.count && rc >= 0; i++) {
    const hc_conf_line *l = &r->conf.lines[i];
    for (uint32_t k = 1; hc_conf_same(l->pairs[0].key, kind) && k < l->count && rc >= 0; k++) {
      const char *key = l->pairs[k].key;
      const size_t known = rest.count;
      bool is_named = false;
      uint32_t id;
      for (size_t j = 0; j < count && !is_named; j++) is_named = hc_conf_same(key, named[j]);
      if (is_named != is_rest) rc = hc_names_add(&rest, key, strlen(key), &id);
      if (rest.count > known) hc_buffer_printf(&text, "%s%s", known > 0 ? ", " : "", key);
    }
  }
  if (rc >= 0 && rest.count > 0) hc_builder_note(&r->b, "%s: %.900s", words, text.data);
  rc = rc < 0 || text.failed ? no_memory(e) : 0;
  hc_names_fini(&rest);
  hc_buffer_fini(&text);
  return rc;
}

/* Of which bytes a result is, it says for files that parameters name. */
static void note_included(reading *r)
{
  const char *last = r->o->file;
  for (size_t i = 0; i < r->conf.count; i++) {
    const char *file = r->conf.lines[i].file;
    const bool is_laid = r->conf.lines[i].line == 0;
    if (is_laid || strcmp(file, last) == 0 || strcmp(file, r->o->file) == 0) continue;
    hc_builder_note(&r->b, "%.200s is included, and no input of which the result keeps a checksum", file);
    last = file;
  }
}

static hc_rc note_all(reading *r, hc_error *e)
{
  static const char *const nodes[] = {"NodeName",       "NodeHostname",   "NodeAddr",   "Port",
                                      "CPUs",           "Boards",         "Sockets",    "SocketsPerBoard",
                                      "CoresPerSocket", "ThreadsPerCore", "RealMemory", "MemSpecLimit",
                                      "CoreSpecCount",  "TmpDisk",        "Weight",     "Features",
                                      "Feature",        "Gres",           "State"};
  static const char *const partitions[] = {"PartitionName",
                                           "Nodes",
                                           "MaxTime",
                                           "State",
                                           "Default",
                                           "PriorityTier",
                                           "PriorityJobFactor",
                                           "PreemptMode",
                                           "GraceTime",
                                           "DefaultTime",
                                           "DefTime",
                                           "OverSubscribe",
                                           "Shared",
                                           "ExclusiveUser",
                                           "LLN",
                                           "MaxNodes",
                                           "MinNodes",
                                           "MaxCPUsPerNode"};
  if (r->nodes.left_out.count > 0)
    hc_builder_note(&r->b,
                    "nodes that are down or drained, or will be there in the future only, left out: %zu",
                    r->nodes.left_out.count);
  if (r->nodes.devices > 0)
    hc_builder_note(&r->b, "lines whose nodes have GPUs of several types, which are not told apart: %u",
                    r->nodes.devices);
  note_included(r);
  TRY(note_keys(r, "NodeName", "not taken of nodes", true, nodes, HC_ARRAY_LEN(nodes), e));
  TRY(note_keys(r, "PartitionName", "of partitions the policy slurm alone takes", false, partitions + 5,
                HC_ARRAY_LEN(partitions) - 5, e));
  return note_keys(r, "PartitionName", "not taken of partitions", true, partitions, HC_ARRAY_LEN(partitions),
                   e);
}

/* ---- partitions ---- */

static hc_rc add_text(reading *r, const char *text)
{
  TRY(hc_reserve(r->allocator, (void **)&r->names, &r->name_cap, r->name_count + 1, sizeof *r->names));
  r->names[r->name_count++] = text;
  return 0;
}

/* The classes of hosts with a feature. */
static hc_rc add_feature(reading *r, const char *feature)
{
  const uint32_t name = hc_lexicon_name(r->b.c->lexicon, feature, strlen(feature));
  if (name == HC_NO_NAME) return HC_ENOMEM;
  for (size_t i = 0; i < r->b.class_count; i++)
    for (uint32_t k = 0; k < r->b.classes[i].attribute_count; k++)
      if (r->b.classes[i].attributes[k].name == name) TRY(add_text(r, r->b.classes[i].name));
  return 0;
}

static hc_rc add_nodes(reading *r, const char *list, bool in_set, hc_error *e);

/* The nodes of a line NodeSet. @return 1: there is one of this name; 0: none */
static hc_rc add_node_set(reading *r, const char *name, hc_error *e)
{
  for (size_t i = 0; i < r->conf.count; i++) {
    const hc_conf_line *l = &r->conf.lines[i];
    const hc_conf_pair *nodes = hc_conf_find(l, "Nodes"), *feature = hc_conf_find(l, "Feature");
    if (!hc_conf_same(l->pairs[0].key, "NodeSet") || strcmp(l->pairs[0].value, name) != 0) continue;
    if (feature && add_feature(r, feature->value) < 0) return no_memory(e);
    if (nodes) TRY(add_nodes(r, nodes->value, true, e));
    return 1;
  }
  return 0;
}

typedef struct naming {
  reading *r;
  bool in_set;
} naming;

static hc_rc take_node(void *ctx, const char *name, hc_error *e)
{
  const naming *x = ctx;
  reading *r = x->r;
  bool is_host;
  if (hc_slurm_nodes_knows(&r->nodes, name, &is_host)) {
    const char *kept = is_host ? hc_arena_text(&r->texts, name, strlen(name)) : NULL;
    return is_host && (!kept || add_text(r, kept) < 0) ? no_memory(e) : 0;
  }
  const hc_rc rc = x->in_set ? 0 : add_node_set(r, name, e);
  if (rc != 0) return HC_MIN(rc, 0);
  return hc_fail(e, HC_EINPUT, r->line->file, r->line->line, 0,
                 "%s=%.60s: there is no node \"%.80s\": a line NodeName declares it", r->line->pairs[0].key,
                 r->line->pairs[0].value, name);
}

static hc_rc add_nodes(reading *r, const char *list, bool in_set, hc_error *e)
{
  naming x = {r, in_set};
  const hc_hostlist nodes = hc_conf_list(r->line, list, take_node, &x);
  if (!hc_conf_same(list, "ALL")) return hc_hostlist_each(&nodes, e);
  return add_text(r, "all") < 0 ? no_memory(e) : 0;
}

/* The set of the partition at hand, whose hosts are `names`. */
static hc_rc add_set(reading *r, const char *name, hc_time most, hc_error *e)
{
  const size_t bytes = r->name_count * sizeof *r->names;
  hc_host_set_options *set = hc_arena_alloc(&r->texts, sizeof *set);
  const char **hosts = hc_arena_alloc(&r->texts, bytes), **of = hc_arena_alloc(&r->texts, sizeof *of);
  if (!set || !hosts || !of ||
      hc_reserve(r->allocator, (void **)&r->sets, &r->set_cap, r->set_count + 1, sizeof *r->sets) < 0)
    return no_memory(e);
  memcpy(hosts, r->names, bytes);
  *of = name;
  *set = (hc_host_set_options){
      .name = name, .hosts = {hosts, r->name_count}, .partition = true, .max_time = most, .of = {of, 1}};
  r->sets[r->set_count++] = (hc_chosen){.type = &hc_set_host_set, .options = set};
  return 0;
}

static hc_rc read_partition(reading *r, const hc_conf_line *l, hc_error *e)
{
  const hc_rc is_default = hc_conf_is_default(&r->defaults, r->allocator, l);
  const hc_conf_pair *nodes, *most, *state;
  hc_time limit = HC_NEVER;
  if (is_default != 0) return is_default < 0 ? no_memory(e) : 0;
  nodes = hc_conf_get(&r->defaults, l, "Nodes");
  most = hc_conf_get(&r->defaults, l, "MaxTime");
  if (most && (!hc_conf_limit(most->value, &limit) || limit <= 0))
    return hc_fail(e, HC_EINPUT, l->file, l->line, 0,
                   "MaxTime=%.60s: expected minutes, D-HH:MM:SS or UNLIMITED", most->value);
  state = hc_conf_get(&r->defaults, l, "State");
  if (state && !hc_conf_same(state->value, "UP"))
    hc_builder_note(&r->b, "the partition %.80s is %.40s, which is not followed", l->pairs[0].value,
                    state->value);
  r->line = l;
  r->name_count = 0;
  if (nodes) TRY(add_nodes(r, nodes->value, false, e));
  if (r->name_count > 0) return add_set(r, l->pairs[0].value, limit, e);
  hc_builder_note(&r->b, "the partition %.80s has no host", l->pairs[0].value);
  return 0;
}

/* ---- licences ---- */

static hc_rc add_licence(reading *r, const hc_conf_line *l, const char *text, size_t n, hc_error *e)
{
  const char *colon = memchr(text, ':', n);
  const size_t name = colon ? (size_t)(colon - text) : n;
  int64_t count = 1;
  if (name == 0 || (colon && !hc_conf_amount(colon + 1, n - name - 1, &count)))
    return hc_fail(e, HC_EINPUT, l->file, l->line, 0, "Licenses: expected NAME:COUNT, got \"%.*s\"",
                   (int)HC_MIN(n, (size_t)80), text);
  const char *out = hc_arena_printf(&r->texts, "%.*s=%lld", (int)name, text, (long long)count);
  if (!out || hc_reserve(r->allocator, (void **)&r->licences, &r->licence_cap, r->licence_count + 1,
                         sizeof *r->licences) < 0)
    return no_memory(e);
  r->licences[r->licence_count++] = out;
  return 0;
}

static hc_rc read_licences(reading *r, const hc_conf_line *l, const char *list, hc_error *e)
{
  for (const char *at = list; *at;) {
    const size_t n = strcspn(at, ",;");
    if (n > 0) TRY(add_licence(r, l, at, n, e));
    at += n + (at[n] != '\0');
  }
  return 0;
}

/* ---- switches ---- */

/* The line of the switch that has this one below it. NULL: none */
static hc_rc find_above(const reading *r, const hc_conf_line *l, const hc_conf_line **out, hc_error *e)
{
  *out = NULL;
  for (size_t i = 0; i < r->topology.count; i++) {
    const hc_conf_line *other = &r->topology.lines[i];
    const hc_conf_pair *below = hc_conf_find(other, "Switches");
    if (!below) continue;
    const hc_hostlist list = hc_conf_list(other, below->value, NULL, NULL);
    const hc_rc has = hc_hostlist_has(&list, l->pairs[0].value, e);
    if (has == 1) *out = other;
    if (has != 0) return HC_MIN(has, 0);
  }
  return 0;
}

/* The switches from a leaf up. */
typedef struct path {
  reading *r;
  const hc_conf_line *leaf;
  const char *names[HC_MOST_LEVELS];
  uint32_t levels[HC_MOST_LEVELS];
  size_t count;
} path;

static hc_rc put_node(void *ctx, const char *name, hc_error *e)
{
  const path *p = ctx;
  hc_host_builder *b = &p->r->b;
  const uint32_t host = hc_names_find(&b->names, name, strlen(name));
  bool is_host;
  if (!hc_slurm_nodes_knows(&p->r->nodes, name, &is_host))
    return hc_fail(e, HC_EINPUT, p->leaf->file, p->leaf->line, 0,
                   "SwitchName=%.60s: there is no node \"%.80s\" in %.200s", p->leaf->pairs[0].value, name,
                   p->r->o->file);
  for (size_t i = 0; is_host && i < p->count; i++)
    TRY(hc_builder_zone(b, p->levels[i], host, p->names[i], strlen(p->names[i]), e));
  return 0;
}

static hc_rc find_path(path *p, hc_error *e)
{
  const hc_conf_line *l = p->leaf, *up;
  for (p->count = 0; l; l = up) {
    char level[32] = "switch";
    if (p->count > 0) (void)snprintf(level, sizeof level, "switch%zu", p->count + 1);
    if (p->count == HC_MOST_LEVELS)
      return hc_fail(e, HC_EINPUT, p->leaf->file, p->leaf->line, 0,
                     "SwitchName=%.60s: more than %zu switches above it: is one above itself?",
                     p->leaf->pairs[0].value, HC_MOST_LEVELS);
    TRY(hc_builder_level_of(&p->r->b, level, strlen(level), &p->levels[p->count], e));
    p->names[p->count++] = l->pairs[0].value;
    TRY(find_above(p->r, l, &up, e));
  }
  return 0;
}

static hc_rc read_switches(reading *r, hc_error *e)
{
  for (size_t i = 0; i < r->topology.count; i++) {
    const hc_conf_line *l = &r->topology.lines[i];
    const hc_conf_pair *nodes = hc_conf_find(l, "Nodes");
    path p = {.r = r, .leaf = l};
    if (!hc_conf_same(l->pairs[0].key, "SwitchName"))
      return hc_fail(e, HC_EINPUT, l->file, l->line, l->pairs[0].column,
                     "expected SwitchName=, got %.60s=: only topology/tree is read", l->pairs[0].key);
    if (!nodes) continue;
    const hc_hostlist list = hc_conf_list(l, nodes->value, put_node, &p);
    TRY(find_path(&p, e));
    TRY(hc_hostlist_each(&list, e));
  }
  return 0;
}

/* ---- the cell ---- */

static hc_rc read_nodes(reading *r, hc_error *e)
{
  for (size_t i = 0; i < r->conf.count; i++) {
    const hc_conf_line *l = &r->conf.lines[i];
    if (hc_conf_same(l->pairs[0].key, "NodeName")) TRY(hc_slurm_nodes_line(&r->nodes, l, e));
  }
  if (r->b.names.count > 0) return hc_slurm_nodes_sort(&r->nodes);
  return hc_fail(e, HC_EINPUT, r->o->file, 0, 0,
                 "no line NodeName declares a node that is there: is it a slurm.conf?");
}

/* Partitions may stand before the nodes that they name. */
static hc_rc read_rest(reading *r, hc_error *e)
{
  for (size_t i = 0; i < r->conf.count; i++) {
    const hc_conf_line *l = &r->conf.lines[i];
    if (hc_conf_same(l->pairs[0].key, "PartitionName")) TRY(read_partition(r, l, e));
    for (uint32_t k = 0; k < l->count; k++)
      if (hc_conf_same(l->pairs[k].key, "Licenses")) TRY(read_licences(r, l, l->pairs[k].value, e));
  }
  return 0;
}

/* What the user adds stands behind what the file says. */
static hc_rc add_users(reading *r, hc_error *e)
{
  const options *o = r->o;
  const size_t sets = r->set_count + o->sets.count, licences = r->licence_count + o->licences.count;
  if (hc_reserve(r->allocator, (void **)&r->sets, &r->set_cap, sets, sizeof *r->sets) < 0 ||
      hc_reserve(r->allocator, (void **)&r->licences, &r->licence_cap, licences, sizeof *r->licences) < 0)
    return no_memory(e);
  for (size_t i = 0; i < o->sets.count; i++) r->sets[r->set_count++] = ((const hc_chosen *)o->sets.items)[i];
  for (size_t i = 0; i < o->licences.count; i++)
    r->licences[r->licence_count++] = ((const char *const *)o->licences.items)[i];
  return 0;
}

static hc_rc build(reading *r, hc_cell_spec *out, hc_error *e)
{
  const hc_rc is_table = hc_sinfo_read(r->allocator, r->o->file, &r->conf, e);
  if (is_table < 0) return is_table;
  if (!is_table) {
    hc_conf_close(&r->conf, r->allocator);
    TRY(hc_conf_read(r->allocator, r->o->file, &r->conf, e));
  }
  TRY(hc_conf_lay(r->allocator, &r->conf, r->o->lines.items, r->o->lines.count, "cell.lines", e));
  if (r->o->gres_file) TRY(hc_conf_read(r->allocator, r->o->gres_file, &r->gres, e));
  if (r->o->topology_file) TRY(hc_conf_read(r->allocator, r->o->topology_file, &r->topology, e));
  TRY(read_nodes(r, e));
  TRY(read_rest(r, e));
  TRY(read_switches(r, e));
  TRY(note_all(r, e));
  TRY(add_users(r, e));
  TRY(hc_builder_finish(&r->b, out, e));
  TRY(hc_rules_sets(&r->b, &(hc_list){r->sets, r->set_count}, out, e));
  return hc_rules_licences(&r->b, &(hc_list){(void *)r->licences, r->licence_count}, out, e);
}

static void close_all(reading *r)
{
  const hc_allocator *a = r->allocator;
  hc_slurm_nodes_fini(&r->nodes);
  hc_builder_fini(&r->b);
  hc_conf_close(&r->conf, a);
  hc_conf_close(&r->gres, a);
  hc_conf_close(&r->topology, a);
  hc_free(a, (void *)r->defaults.lines, r->defaults.cap * sizeof *r->defaults.lines);
  hc_free(a, r->sets, r->set_cap * sizeof *r->sets);
  hc_free(a, (void *)r->licences, r->licence_cap * sizeof *r->licences);
  hc_free(a, (void *)r->names, r->name_cap * sizeof *r->names);
  hc_arena_fini(&r->texts);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  reading r = {.o = p, .allocator = c->allocator};
  if (!r.o->file)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "which file? Say it with file, as in cell: {use: slurm, file: slurm.conf}");
  hc_arena_init(&r.texts, c->allocator);
  hc_builder_init(&r.b, c, WHERE);
  hc_slurm_nodes_init(&r.nodes, &r.b, &r.gres);
  const hc_rc rc = build(&r, out, e);
  close_all(&r);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "Path of slurm.conf; files that it includes are read from its folder. Or path of the output of "
             "`sinfo --Node --format='%N|%P|%c|%m|%f|%G|%w|%l|%T'`. Required."),
    HC_PARAM(FILE, options, gres_file, NULL, "Path of gres.conf, which may name the types of GPUs."),
    HC_PARAM(
        FILE, options, topology_file, NULL,
        "Path of topology.conf (topology/tree): switches become the levels `switch`, `switch2` and so on."),
    HC_PARAM(
        TEXTS, options, lines, NULL,
        "Lines that replace or extend those of `file`, written as in it: keys for a NodeName or "
        "PartitionName that is written in the same way in the file win over its own; another NodeName or "
        "PartitionName is new."),
    HC_SETS_PARAM(options),
    HC_LICENCES_PARAM(options),
    {0}};

const hc_cell_type hc_cell_slurm = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "slurm",
         .summary = "the nodes, partitions and licences of a slurm.conf",
         .detail =
             "A host for each node of the lines NodeName, by name (n2 before n10) as slurmctld counts them, "
             "with CPUs, RealMemory, TmpDisk, GPUs and other Gres (dimensions gres/NAME); features, weight, "
             "sockets, cores_per_socket, threads_per_core and gpu_model are attributes. A partition is a set "
             "of its name, whose tasks in the log run in it, with MaxTime as its longest limit. Nodes that "
             "are down, drained or of the future are left out. The result notes which keys of nodes and "
             "partitions are ignored. Lists of hosts (n[01-03,10]), DEFAULT, NodeSet and Include are "
             "understood.",
         .source = "https://slurm.schedmd.com/slurm.conf.html, release 22.05", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
