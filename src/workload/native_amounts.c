/* native_amounts.c -- what a task of the native format needs, of how many hosts: its resources, what it
 * really uses of them, what it is to hold later on, and how many hosts or cores it may have instead.
 *
 * Cores become thousandths, memory and disk bytes, GPUs thousandths, and any other name is a dimension of
 * its own, counted in whole units, all of them rounded up. A list of groups makes chunks. */
#include <string.h>

#include "base/util.h"
#include "workload/native.h"
#include "workload/spec.h"

/* ---- amounts ---- */

#define LONG_WORD 5 /* letters */

enum { R_HOSTS, R_CPU, R_MEMORY, R_DISK, R_GPU, R_KEYS };

static const hc_native_key amounts[] = {{"nodes_count", R_HOSTS},
                                        {"hosts", R_HOSTS},
                                        {"nodes", R_HOSTS},
                                        {"cpu_per_node", R_CPU},
                                        {"cpus_per_node", R_CPU},
                                        {"cpu", R_CPU},
                                        {"cpus", R_CPU},
                                        {"cores", R_CPU},
                                        {"memory_per_node", R_MEMORY},
                                        {"memory", R_MEMORY},
                                        {"disk_per_node", R_DISK},
                                        {"disk", R_DISK},
                                        {"gpu_per_node", R_GPU},
                                        {"gpus_per_node", R_GPU},
                                        {"gpu", R_GPU},
                                        {"gpus", R_GPU},
                                        {NULL, 0}};

/* Hosts that need the same. */
typedef struct group {
  hc_native *n;
  int64_t hosts;
  int64_t *need; /* [HC_DIMENSIONS] */
} group;

/* An amount, rounded up to a whole number of what is counted. Decimals are exact to nine digits. */
hc_rc hc_native_amount(hc_native *n, const hc_value *v, int64_t unit, bool sizes, int64_t *out, hc_error *e)
{
  hc_row_ledger *l = n->context->ledger;
  hc_time exact = HC_NEVER;
  hc_field f;
  bool fine = hc_native_scalar(v, &f);
  if (fine && unit <= HC_SECOND && hc_parse_seconds(f.text, f.length, &exact) == 0 && exact < HC_NEVER) {
    const int64_t part = exact % HC_SECOND * unit;
    fine = exact >= 0 && !__builtin_mul_overflow(exact / HC_SECOND, unit, out) && *out < HC_NATIVE_AMOUNT;
    if (fine && part > 0) *out += part / HC_SECOND + (part % HC_SECOND != 0);
    if (fine && l && part % HC_SECOND != 0) {
      const double x = (double)exact / 1e9 * (double)unit;
      l->rounded++;
      l->rounding = HC_MAX(l->rounding, ((double)*out - x) / x);
    }
  } else if (fine) {
    fine = sizes ? hc_field_size(&f, unit, out) : hc_field_amount(&f, unit, out);
  }
  if (fine) return 0;
  return hc_value_fail(v, e, HC_EINPUT, "%.60s is an amount that is not negative: a number%s", v->key,
                       sizes ? ", or a size such as 4GiB" : "");
}

bool hc_native_is_unknown(const hc_value *v)
{
  hc_field f;
  return v && hc_native_scalar(v, &f) && strcmp(f.text, "unknown") == 0;
}

/* Which known word a name is so near to that it must be meant; NULL. Of short names too many are near each
 * other (cpu, gpu, tpu). */
static const char *meant_by(const char *name, size_t n)
{
  char word[32];
  if (n < LONG_WORD || n >= sizeof word) return NULL;
  memcpy(word, name, n);
  word[n] = '\0';
  for (const hc_native_key *k = amounts; k->name; k++)
    if (hc_edit_distance(word, k->name, 3) < 3) return k->name;
  return NULL;
}

static const char suffix[] = "_per_node";

static bool ends_in_suffix(const char *name, size_t n)
{
  return n >= sizeof suffix && strcmp(name + n - (sizeof suffix - 1), suffix) == 0;
}

bool hc_native_is_dimension(const char *name)
{
  const size_t n = strlen(name);
  const hc_native_key *k = amounts;
  while (k->name && strcmp(k->name, name) != 0) k++;
  return n > 0 && !k->name && !ends_in_suffix(name, n) && !meant_by(name, n);
}

/* A dimension with another name: "fpga", "licence", "fpga_per_node". */
static hc_rc other_amount(void *ctx, const hc_value *v, hc_error *e)
{
  const group *g = ctx;
  size_t n = strlen(v->key);
  if (ends_in_suffix(v->key, n)) n -= sizeof suffix - 1;
  const char *near = meant_by(v->key, n);
  if (near) {
    g->n->is_fatal = true;
    return hc_value_fail_key(
        v, e, HC_EINPUT, "did you mean \"%s\"? A dimension must not have a name that is so near, \"%.60s\"",
        near, v->key);
  }
  if (v->kind == HC_VALUE_NULL) return 0;
  const int d = n > 0 ? hc_lexicon_dimension(g->n->context->lexicon, v->key, n) : -1;
  if (d < 0) {
    g->n->is_fatal = true;
    return hc_value_fail_key(v, e, HC_ELIMIT,
                             "there is no room for a dimension \"%.60s\": a run has at most %d", v->key,
                             HC_DIMENSIONS);
  }
  return hc_native_amount(g->n, v, 1, false, &g->need[d], e);
}

static hc_rc read_group(hc_native *n, const hc_value *v, int64_t *hosts, int64_t need[HC_DIMENSIONS],
                        hc_error *e)
{
  const hc_value *at[R_KEYS];
  group g = {.n = n, .need = need};
  for (int d = 0; d < HC_DIMENSIONS; d++) need[d] = HC_UNKNOWN;
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT,
                         "resources are a map, {nodes_count: 2, cpu_per_node: 4}, or a list of such");
  TRY(hc_native_members(v, amounts, at, R_KEYS, other_amount, &g, &n->is_fatal, e));
  *hosts = hc_native_is_unknown(at[R_HOSTS]) ? HC_UNKNOWN : 1;
  if (at[R_HOSTS] && *hosts == 1)
    TRY(hc_native_whole(at[R_HOSTS], "nodes_count", 1, HC_NATIVE_TASKS, hosts, e));
  if (at[R_CPU]) TRY(hc_native_amount(n, at[R_CPU], 1000, false, &need[HC_DIM_CPU], e));
  if (at[R_MEMORY]) TRY(hc_native_amount(n, at[R_MEMORY], n->units.memory, true, &need[HC_DIM_MEMORY], e));
  if (at[R_DISK]) TRY(hc_native_amount(n, at[R_DISK], n->units.memory, true, &need[HC_DIM_DISK], e));
  if (at[R_GPU]) TRY(hc_native_amount(n, at[R_GPU], HC_DEVICE, false, &need[HC_DIM_GPU], e));
  return 0;
}

static void add_product(int64_t *sum, int64_t amount, int64_t hosts)
{
  int64_t product;
  if (*sum == HC_UNKNOWN) return;
  if (amount == HC_UNKNOWN || __builtin_mul_overflow(amount, hosts, &product) ||
      __builtin_add_overflow(*sum, product, sum))
    *sum = HC_UNKNOWN;
}

static void add_group(hc_native_sums *s, int64_t hosts, const int64_t *need)
{
  const int64_t cpu = need[HC_DIM_CPU], memory = need[HC_DIM_MEMORY];
  const bool first = s->hosts == 0;
  s->uneven |= !first && cpu != s->least;
  s->least = first ? cpu : HC_MIN(s->least, cpu);
  s->hosts += hosts;
  add_product(&s->milli, cpu, hosts);
  add_product(&s->memory, memory, hosts);
}

/* `procs` alone is any processors, as batch logs have it: on how many hosts is not said. */
hc_rc hc_native_read_resources(hc_native *n, const hc_value *v, const hc_value *procs, hc_task_spec *t,
                               hc_task_extras *m, hc_native_sums *s, hc_error *e)
{
  t->hosts = !v && procs ? HC_UNKNOWN : 1;
  if (v && v->kind == HC_VALUE_LIST && v->count == 0)
    return hc_value_fail(v, e, HC_EINPUT, "this list of resources is empty");
  if (v) {
    int64_t need[HC_DIMENSIONS];
    TRY(read_group(n, v->kind == HC_VALUE_LIST ? v->items[0] : v, &t->hosts, need, e));
    memcpy(t->need, need, sizeof t->need);
    m->further_count = hc_further_of(need, n->further);
    m->further = n->further;
  }
  add_group(s, HC_MAX(t->hosts, 1), t->need);
  for (size_t i = 1; v && v->kind == HC_VALUE_LIST && i < v->count; i++) {
    hc_chunk c = {0};
    int64_t hosts;
    TRY(read_group(n, v->items[i], &hosts, c.need, e));
    if (hosts == HC_UNKNOWN)
      return hc_value_fail(v->items[i], e, HC_EINPUT,
                           "how many hosts of this kind is known: say nodes_count");
    c.hosts = (uint32_t)hosts;
    add_group(s, hosts, c.need);
    TRY(hc_reserve(n->context->allocator, (void **)&n->chunks, &n->chunks_cap, m->chunk_count + 1,
                   sizeof *n->chunks));
    n->chunks[m->chunk_count++] = c;
  }
  m->chunks = n->chunks;
  return 0;
}

/* ---- what it really uses ---- */

enum { U_UNTIL, U_CPU, U_MEMORY, U_KEYS };

static const hc_native_key steps[] = {{"until", U_UNTIL}, {"cpu", U_CPU},       {"cpus", U_CPU},
                                      {"cores", U_CPU},   {"memory", U_MEMORY}, {NULL, 0}};

static hc_rc read_step(hc_native *n, const hc_value *v, hc_use_step *out, hc_error *e)
{
  const hc_value *at[U_KEYS];
  const hc_time after = out->until;
  *out = (hc_use_step){HC_NEVER, HC_UNKNOWN, HC_UNKNOWN};
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT, "a step of usage is a map: {until: 5m, cpu: 0.5, memory: 1GiB}");
  TRY(hc_native_members(v, steps, at, U_KEYS, NULL, NULL, &n->is_fatal, e));
  if (at[U_UNTIL]) TRY(hc_native_time(at[U_UNTIL], "until", n->units.time, &out->until, e));
  if (at[U_CPU]) TRY(hc_native_amount(n, at[U_CPU], 1000, false, &out->cpu, e));
  if (at[U_MEMORY]) TRY(hc_native_amount(n, at[U_MEMORY], n->units.memory, true, &out->memory, e));
  if (out->until > after) return 0;
  return hc_value_fail(
      v, e, HC_EINPUT,
      "steps of usage follow each other: `until` is later than that of the step before, and only the "
      "last may be without");
}

/* A list of steps since its start, of each slot. */
hc_rc hc_native_read_usage(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  hc_use_step step = {0};
  if (!v) return 0;
  if (v->kind != HC_VALUE_LIST)
    return hc_value_fail(v, e, HC_EINPUT, "usage is a list of steps: [{until: 5m, cpu: 0.5, memory: 1GiB}]");
  for (size_t i = 0; i < v->count; i++) {
    TRY(read_step(n, v->items[i], &step, e));
    TRY(hc_reserve(n->context->allocator, (void **)&n->uses, &n->uses_cap, i + 1, sizeof *n->uses));
    n->uses[i] = step;
  }
  m->uses = n->uses;
  m->use_count = v->count;
  return 0;
}

/* ---- what it is to hold later on ---- */

enum { Z_AFTER, Z_RESOURCES, Z_KEYS };

static const hc_native_key resizes[] = {
    {"after", Z_AFTER}, {"resources", Z_RESOURCES}, {"need", Z_RESOURCES}, {NULL, 0}};

static hc_rc read_resize(hc_native *n, const hc_value *v, hc_time before, hc_resize_step *out, hc_error *e)
{
  const hc_value *at[Z_KEYS];
  int64_t hosts, need[HC_DIMENSIONS];
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT,
                         "a resize is a map: {after: 5m, resources: {cpu: 2, memory: 1GiB}}");
  TRY(hc_native_members(v, resizes, at, Z_KEYS, NULL, NULL, &n->is_fatal, e));
  if (!at[Z_AFTER] || !at[Z_RESOURCES])
    return hc_value_fail(v, e, HC_EINPUT,
                         "a resize says `after`, how long after the start of the task, and `resources`");
  TRY(hc_native_time(at[Z_AFTER], "after", n->units.time, &out->after, e));
  TRY(read_group(n, at[Z_RESOURCES], &hosts, need, e));
  memcpy(out->need, need, sizeof out->need);
  if (hc_further_of(need, n->further) > 0)
    return hc_value_fail(
        at[Z_RESOURCES], e, HC_EUNSUPPORTED,
        "a resize changes amounts of the first %d dimensions of a run, and \"%.60s\" is a later one: "
        "name it earlier, in the classes of hosts",
        HC_NEEDS, hc_lexicon_dimension_name(n->context->lexicon, n->further[0].dimension));
  if (hosts != 1)
    return hc_value_fail(at[Z_RESOURCES], e, HC_EINPUT,
                         "a resize changes what each host of a task holds, not how many hosts these are");
  if (out->need[HC_DIM_GPU] != HC_UNKNOWN)
    return hc_value_fail(
        at[Z_RESOURCES], e, HC_EINPUT,
        "GPUs are devices that a task gets when it starts: a resize leaves them as they are");
  if (out->after > before && out->after < HC_NEVER) return 0;
  return hc_value_fail(
      v, e, HC_EINPUT,
      "resizes follow each other: `after` is more than 0, and later than that of the one before");
}

/* A list of amounts of each slot, and when they begin to hold, since its start. */
hc_rc hc_native_read_resizes(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  if (!v) return 0;
  if (v->kind != HC_VALUE_LIST)
    return hc_value_fail(v, e, HC_EINPUT,
                         "resizes are a list: [{after: 5m, resources: {cpu: 2, memory: 1GiB}}]");
  for (size_t i = 0; i < v->count; i++) {
    TRY(hc_reserve(n->context->allocator, (void **)&n->resizes, &n->resizes_cap, i + 1, sizeof *n->resizes));
    TRY(read_resize(n, v->items[i], i > 0 ? n->resizes[i - 1].after : 0, &n->resizes[i], e));
  }
  m->resizes = n->resizes;
  m->resize_count = v->count;
  return 0;
}

/* ---- cores ---- */

/* How many cores it may have of each host, chosen when it starts. */
hc_rc hc_native_read_cores(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                           hc_error *e)
{
  if (!v) return 0;
  TRY(hc_native_amount(n, v, 1000, false, &m->most_cpu, e));
  m->least_cpu = t->need[HC_DIM_CPU];
  if (m->least_cpu <= 0 || m->most_cpu < m->least_cpu)
    return hc_value_fail(v, e, HC_EINPUT,
                         "max_cores is at least what the task asks for of each host: say cpu_per_node, which "
                         "is the least that it starts with");
  if (m->chunk_count + m->resize_count + m->of > 0)
    return hc_value_fail(v, e, HC_EINPUT,
                         "a task whose cores are chosen when it starts has the same resources on each of its "
                         "hosts, and keeps them: leave out max_cores, or further groups of resources, "
                         "resizes and malleable");
  return 0;
}

/* For cells that have nothing else: its cores, or its hosts where nothing is said of cores. */
void hc_native_set_processors(hc_task_spec *t, const hc_native_sums *s)
{
  t->procs_asked = s->milli == HC_UNKNOWN ? s->hosts : s->milli / 1000 + (s->milli % 1000 != 0);
  if (s->memory != HC_UNKNOWN && t->procs_asked > 0)
    t->memory_asked = s->memory / t->procs_asked + (s->memory % t->procs_asked != 0);
}

void hc_native_derive(hc_task_spec *t, const hc_chunk *chunks, size_t count)
{
  hc_native_sums s = {0};
  t->procs_asked = t->memory_asked = HC_UNKNOWN;
  add_group(&s, HC_MAX(t->hosts, 1), t->need);
  for (size_t i = 0; i < count; i++) add_group(&s, chunks[i].hosts, chunks[i].need);
  hc_native_set_processors(t, &s);
}
