/* native_task.c -- one task of the native format: a map, in our words or in those of DSLab-CS.
 *
 * A key has several spellings (DSLab's first): submit_time, time, submit; wall_time_limit, limit;
 * collection_id, job. Under `resources` stand the hosts and what it needs of each: cores become thousandths,
 * memory and disk bytes, GPUs thousandths, and any other name is a dimension of its own, counted in whole
 * units, all of them rounded up. A list of such groups makes chunks. What a task does not say its job says.
 *
 * Within its job a task goes by its execution_index; without one by its id. That number is its id, since it
 * is what others wait for. Tasks with several hosts have them all different, unless `spread: false` says
 * otherwise. */
#include <string.h>

#include "base/util.h"
#include "workload/native.h"
#include "workload/spec.h"

enum {
  ID,
  INDEX,
  NAME,
  SUBMIT,
  NOT_BEFORE,
  RESOURCES,
  PROFILE,
  DELAY,
  PROCS,
  MEMORY_PER_PROC,
  CANCEL_AT,
  LIMIT,
  PRIORITY,
  JOB,
  COUNT,
  AFTER_ENDED,
  AFTER_COMPLETED,
  AFTER_FAILED,
  AFTER_STARTED,
  AFTER_ARRIVED,
  AFTER_JOB,
  USER,
  GROUP,
  QUEUE,
  PARTITION,
  ACCOUNT,
  QOS,
  CALLED,
  SET,
  CONSTRAINTS,
  HOSTS,
  SPREAD,
  SAME,
  DIFFER,
  RIVALS,
  USAGE,
  RECORDED,
  RESIZES,
  MALLEABLE,
  MAX_CORES,
  EXECUTORS,
  HOST_COUNT,
  AT_ONCE,
  RESERVATION,
  SWITCHES,
  LEAST_LIMIT,
  EXCLUSIVE,
  COMPONENT,
  REQUEUE,
  PREFERS,
  INPUTS,
  OUTPUTS,
  ADDITIONAL_IO,
  STORAGE_MAPPING,
  KEYS
};

static const hc_native_key keys[] = {{"id", ID},
                                     {"execution_index", INDEX},
                                     {"index", INDEX},
                                     {"name", NAME},
                                     {"submit_time", SUBMIT},
                                     {"time", SUBMIT},
                                     {"submit", SUBMIT},
                                     {"schedule_after", NOT_BEFORE},
                                     {"not_before", NOT_BEFORE},
                                     {"resources", RESOURCES},
                                     {"need", RESOURCES},
                                     {"profile", PROFILE},
                                     {"delay", DELAY},
                                     {"run", DELAY},
                                     {"procs", PROCS},
                                     {"memory_per_proc", MEMORY_PER_PROC},
                                     {"cancel_at", CANCEL_AT},
                                     {"wall_time_limit", LIMIT},
                                     {"limit", LIMIT},
                                     {"priority", PRIORITY},
                                     {"collection_id", JOB},
                                     {"job", JOB},
                                     {"count", COUNT},
                                     {"start_after", AFTER_ENDED},
                                     {"after_any", AFTER_ENDED},
                                     {"after_ok", AFTER_COMPLETED},
                                     {"after_not_ok", AFTER_FAILED},
                                     {"after_start", AFTER_STARTED},
                                     {"after_arrival", AFTER_ARRIVED},
                                     {"after_job", AFTER_JOB},
                                     {"start_after_collection_ids", AFTER_JOB},
                                     {"user", USER},
                                     {"group", GROUP},
                                     {"queue", QUEUE},
                                     {"partition", PARTITION},
                                     {"account", ACCOUNT},
                                     {"qos", QOS},
                                     {"called", CALLED},
                                     {"set", SET},
                                     {"constraints", CONSTRAINTS},
                                     {"hosts", HOSTS},
                                     {"spread", SPREAD},
                                     {"same", SAME},
                                     {"differ", DIFFER},
                                     {"rivals", RIVALS},
                                     {"usage", USAGE},
                                     {"recorded", RECORDED},
                                     {"resizes", RESIZES},
                                     {"malleable", MALLEABLE},
                                     {"max_cores", MAX_CORES},
                                     {"executors", EXECUTORS},
                                     {"host_count", HOST_COUNT},
                                     {"at_once", AT_ONCE},
                                     {"reservation", RESERVATION},
                                     {"switches", SWITCHES},
                                     {"least_limit", LEAST_LIMIT},
                                     {"exclusive", EXCLUSIVE},
                                     {"component", COMPONENT},
                                     {"requeue", REQUEUE},
                                     {"prefers", PREFERS},
                                     {"inputs", INPUTS},
                                     {"outputs", OUTPUTS},
                                     {"additional_io", ADDITIONAL_IO},
                                     {"storage_mapping", STORAGE_MAPPING},
                                     {NULL, 0}};

/* ---- amounts ---- */

#define LARGEST_AMOUNT HC_NATIVE_AMOUNT
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
static hc_rc read_amount(hc_native *n, const hc_value *v, int64_t unit, bool sizes, int64_t *out, hc_error *e)
{
  hc_row_ledger *l = n->context->ledger;
  hc_time exact = HC_NEVER;
  hc_field f;
  bool fine = hc_native_scalar(v, &f);
  if (fine && unit <= HC_SECOND && hc_parse_seconds(f.text, f.length, &exact) == 0 && exact < HC_NEVER) {
    const int64_t part = exact % HC_SECOND * unit;
    fine = exact >= 0 && !__builtin_mul_overflow(exact / HC_SECOND, unit, out) && *out < LARGEST_AMOUNT;
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

static bool is_unknown(const hc_value *v)
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
  return read_amount(g->n, v, 1, false, &g->need[d], e);
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
  *hosts = is_unknown(at[R_HOSTS]) ? HC_UNKNOWN : 1;
  if (at[R_HOSTS] && *hosts == 1)
    TRY(hc_native_whole(at[R_HOSTS], "nodes_count", 1, HC_NATIVE_TASKS, hosts, e));
  if (at[R_CPU]) TRY(read_amount(n, at[R_CPU], 1000, false, &need[HC_DIM_CPU], e));
  if (at[R_MEMORY]) TRY(read_amount(n, at[R_MEMORY], n->units.memory, true, &need[HC_DIM_MEMORY], e));
  if (at[R_DISK]) TRY(read_amount(n, at[R_DISK], n->units.memory, true, &need[HC_DIM_DISK], e));
  if (at[R_GPU]) TRY(read_amount(n, at[R_GPU], HC_DEVICE, false, &need[HC_DIM_GPU], e));
  return 0;
}

/* What all hosts of a task come to. */
typedef struct sums {
  int64_t hosts, milli, memory; /* HC_UNKNOWN */
  int64_t least; /* thousandths of cores of the host with the least; HC_UNKNOWN: one has all of it */
  bool uneven;   /* hosts differ in their cores */
} sums;

static void add_product(int64_t *sum, int64_t amount, int64_t hosts)
{
  int64_t product;
  if (*sum == HC_UNKNOWN) return;
  if (amount == HC_UNKNOWN || __builtin_mul_overflow(amount, hosts, &product) ||
      __builtin_add_overflow(*sum, product, sum))
    *sum = HC_UNKNOWN;
}

static void add_group(sums *s, int64_t hosts, const int64_t *need)
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
static hc_rc read_resources(hc_native *n, const hc_value *v, const hc_value *procs, hc_task_spec *t,
                            hc_task_extras *m, sums *s, hc_error *e)
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
  if (at[U_CPU]) TRY(read_amount(n, at[U_CPU], 1000, false, &out->cpu, e));
  if (at[U_MEMORY]) TRY(read_amount(n, at[U_MEMORY], n->units.memory, true, &out->memory, e));
  if (out->until > after) return 0;
  return hc_value_fail(
      v, e, HC_EINPUT,
      "steps of usage follow each other: `until` is later than that of the step before, and only the "
      "last may be without");
}

/* A list of steps since its start, of each slot. */
static hc_rc read_usage(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
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
static hc_rc read_resizes(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
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

/* ---- malleable ---- */

enum { M_LEAST, M_MOST, M_KEYS };

static const hc_native_key sizes[] = {
    {"min", M_LEAST}, {"least", M_LEAST}, {"max", M_MOST}, {"most", M_MOST}, {NULL, 0}};

/* How many hosts it may have while it runs; of one that names none, processors. */
static hc_rc read_malleable(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                            hc_error *e)
{
  const int64_t of = t->hosts > 1 || t->procs_asked <= 0 ? HC_MAX(t->hosts, 1) : t->procs_asked;
  const hc_value *at[M_KEYS];
  int64_t least = of, most = of;
  if (!v) return 0;
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT, "what a malleable task may have is a map: {min: 2, max: 8}");
  TRY(hc_native_members(v, sizes, at, M_KEYS, NULL, NULL, &n->is_fatal, e));
  if (at[M_LEAST]) TRY(hc_native_whole(at[M_LEAST], "min", 1, UINT32_MAX, &least, e));
  if (at[M_MOST]) TRY(hc_native_whole(at[M_MOST], "max", 1, UINT32_MAX, &most, e));
  if (of > UINT32_MAX || least > of || most < of)
    return hc_value_fail(v, e, HC_EINPUT,
                         "a malleable task asks for %lld, which is not between its `min` and its `max`",
                         (long long)of);
  m->least = (uint32_t)least;
  m->of = (uint32_t)of;
  m->most = (uint32_t)most;
  return 0;
}

/* How many cores it may have of each host, chosen when it starts. */
static hc_rc read_cores(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                        hc_error *e)
{
  if (!v) return 0;
  TRY(read_amount(n, v, 1000, false, &m->most_cpu, e));
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

/* Processors, for cells that have nothing else: its cores, or its hosts where nothing is said of cores. */
static void set_processors(hc_task_spec *t, const sums *s)
{
  t->procs_asked = s->milli == HC_UNKNOWN ? s->hosts : s->milli / 1000 + (s->milli % 1000 != 0);
  if (s->memory != HC_UNKNOWN && t->procs_asked > 0)
    t->memory_asked = s->memory / t->procs_asked + (s->memory % t->procs_asked != 0);
}

void hc_native_derive(hc_task_spec *t, const hc_chunk *chunks, size_t count)
{
  sums s = {0};
  t->procs_asked = t->memory_asked = HC_UNKNOWN;
  add_group(&s, HC_MAX(t->hosts, 1), t->need);
  for (size_t i = 0; i < count; i++) add_group(&s, chunks[i].hosts, chunks[i].need);
  set_processors(t, &s);
}

/* Processors are what its resources come to, unless they are said. */
static hc_rc read_processors(hc_native *n, const hc_value *const *at, const sums *s, hc_task_spec *t,
                             hc_error *e)
{
  set_processors(t, s);
  if (at[PROCS] && !at[RESOURCES]) t->memory_asked = HC_UNKNOWN;
  if (is_unknown(at[PROCS])) t->procs_asked = HC_UNKNOWN;
  else if (at[PROCS]) TRY(hc_native_whole(at[PROCS], "procs", 0, LARGEST_AMOUNT, &t->procs_asked, e));
  if (is_unknown(at[MEMORY_PER_PROC])) t->memory_asked = HC_UNKNOWN;
  else if (at[MEMORY_PER_PROC])
    TRY(read_amount(n, at[MEMORY_PER_PROC], n->units.memory, true, &t->memory_asked, e));
  return 0;
}

/* ---- who and when ---- */

static hc_rc read_who(hc_native *n, const hc_value *const *at, hc_task_spec *t, hc_error *e)
{
  if (at[JOB]) TRY(hc_native_name(at[JOB], "collection_id", &t->job, e));
  if (at[ID]) TRY(hc_native_name(at[ID], "id", &t->id, e));
  if (at[INDEX] && at[JOB]) TRY(hc_native_name(at[INDEX], "execution_index", &t->id, e));
  if (at[NAME]) TRY(hc_native_name(at[NAME], "name", &t->executable, e));
  const hc_native_job *j = t->job >= 0 ? hc_native_job_of(n, t->job) : NULL;
  if (j) {
    t->submit = j->submit;
    t->user = j->user;
    t->group = j->group;
    t->queue = j->queue;
    t->priority = j->priority;
  }
  if (at[USER]) TRY(hc_native_called(n, HC_NATIVE_USERS, at[USER], "user", &t->user, e));
  if (at[GROUP]) TRY(hc_native_called(n, HC_NATIVE_GROUPS, at[GROUP], "group", &t->group, e));
  if (at[QUEUE]) TRY(hc_native_called(n, HC_NATIVE_QUEUES, at[QUEUE], "queue", &t->queue, e));
  if (at[PARTITION])
    TRY(hc_native_called(n, HC_NATIVE_PARTITIONS, at[PARTITION], "partition", &t->partition, e));
  if (at[ACCOUNT]) TRY(hc_native_called(n, HC_NATIVE_ACCOUNTS, at[ACCOUNT], "account", &t->account, e));
  if (at[QOS]) TRY(hc_native_called(n, HC_NATIVE_QOSES, at[QOS], "qos", &t->qos, e));
  if (at[PRIORITY])
    TRY(hc_native_whole(at[PRIORITY], "priority", -HC_NATIVE_PRIORITY, HC_NATIVE_PRIORITY, &t->priority, e));
  return 0;
}

static hc_rc read_when(hc_native *n, const hc_value *const *at, hc_task_spec *t, hc_error *e)
{
  int64_t count = 0;
  if (at[SUBMIT]) TRY(hc_native_time(at[SUBMIT], "submit_time", n->units.time, &t->submit, e));
  if (at[NOT_BEFORE]) TRY(hc_native_time(at[NOT_BEFORE], "schedule_after", n->units.time, &t->not_before, e));
  if (at[LIMIT]) TRY(hc_native_time(at[LIMIT], "wall_time_limit", n->units.time, &t->limit, e));
  if (at[CANCEL_AT]) TRY(hc_native_time(at[CANCEL_AT], "cancel_at", n->units.time, &t->cancel_at, e));
  if (at[COUNT]) TRY(hc_native_whole(at[COUNT], "count", 1, HC_NATIVE_TASKS, &count, e));
  t->count = (uint32_t)count;
  return 0;
}

/* What it does is kept. `run` is what that takes alone, if it is known. */
static hc_rc keep_profile(hc_native *n, const hc_value *const *at, const sums *s, hc_task_spec *t,
                          hc_task_extras *m, hc_error *e)
{
  const hc_value *v = at[PROFILE], *more = at[ADDITIONAL_IO], *mapping = at[STORAGE_MAPPING];
  hc_native_length alone;
  const char *what;
  const hc_rc rc = more || mapping ? hc_native_script_with(&n->scripts, &n->profiles, v, more, mapping,
                                                           &m->profile, &m->profile_size, &alone, e)
                                   : hc_native_script_of(&n->scripts, &n->profiles, v, &m->profile,
                                                         &m->profile_size, &alone, e);
  if (rc < 0) n->is_fatal = true; /* most likely a word of the file that is wrong for many */
  if (rc < 0) return rc;
  t->flags |= HC_SPEC_PROFILE;
  if (hc_native_run(&alone, &n->units, s->hosts, s->least, s->uneven, &t->run, &what) != 1)
    t->run = HC_UNKNOWN;
  return 1;
}

/* @return 1; 0: its length depends on a platform; or an error. */
static hc_rc read_run(hc_native *n, const hc_value *item, const hc_value *const *at, const sums *s,
                      hc_task_spec *t, hc_task_extras *m, hc_error *e)
{
  const char *what = NULL;
  hc_native_length l;
  if (at[PROFILE] && at[DELAY])
    return hc_value_fail_key(at[DELAY], e, HC_EINPUT, "a task has a `profile` or a `delay`, not both");
  if (!at[PROFILE] && !at[DELAY])
    return hc_value_fail(item, e, HC_EINPUT,
                         "this task has no `profile`, which says what it does, and no `delay`");
  if (!at[PROFILE] && (at[ADDITIONAL_IO] || at[STORAGE_MAPPING]))
    return hc_value_fail_key(at[ADDITIONAL_IO] ? at[ADDITIONAL_IO] : at[STORAGE_MAPPING], e, HC_EINPUT,
                             "it goes with a `profile`, and this task has a `delay`: say {delay: ...} as its "
                             "profile");
  if (is_unknown(at[DELAY])) return 1; /* it never ran, or how long is not known */
  if (at[DELAY]) {
    TRY(hc_native_time(at[DELAY], "delay", n->units.time, &t->run, e));
    return 1;
  }
  if (n->scripts.book) return keep_profile(n, at, s, t, m, e);
  if (at[ADDITIONAL_IO]) {
    n->why = HC_REASON_PROFILE;
    return 0;
  }
  TRY(hc_native_length_of(&n->profiles, at[PROFILE], &l, e));
  const hc_rc rc = hc_native_run(&l, &n->units, s->hosts, s->least, s->uneven, &t->run, &what);
  if (rc < 0) return hc_value_fail(at[PROFILE], e, rc, "%s", what);
  n->why = HC_REASON_PROFILE;
  return rc;
}

/* ---- rare facts ---- */

static hc_rc read_lexicon_name(hc_native *n, const hc_value *v, const char *what, uint32_t *out, hc_error *e)
{
  hc_field f;
  if (!hc_native_scalar(v, &f) || f.length == 0) return hc_value_fail(v, e, HC_EINPUT, "%s is a name", what);
  *out = hc_lexicon_name(n->context->lexicon, f.text, f.length);
  return *out == HC_NO_NAME ? HC_ENOMEM : 0;
}

/* A name, or a list of names, into `*out` [*count]. */
static hc_rc read_hosts(hc_native *n, const hc_value *v, const char *what, uint32_t **out, size_t *cap,
                        size_t *count, hc_error *e)
{
  const bool list = v->kind == HC_VALUE_LIST;
  *count = list ? v->count : 1;
  TRY(hc_reserve(n->context->allocator, (void **)out, cap, *count, sizeof **out));
  for (size_t i = 0; i < *count; i++) TRY(read_lexicon_name(n, list ? v->items[i] : v, what, &(*out)[i], e));
  return 0;
}

/* {of: name, per_host: 1, per_zone: 2, level: rack} */
static hc_rc read_rivals(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                         hc_error *e)
{
  enum { OF, PER_HOST, PER_ZONE, LEVEL, R };
  static const hc_native_key known[] = {
      {"of", OF}, {"per_host", PER_HOST}, {"per_zone", PER_ZONE}, {"level", LEVEL}, {NULL, 0}};
  const hc_value *at[R];
  int64_t per_host = 0, per_zone = 0;
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT,
                         "rivals are a map: {of: web, per_host: 1, per_zone: 2, level: rack}");
  TRY(hc_native_members(v, known, at, R, NULL, NULL, &n->is_fatal, e));
  m->rival = t->job;
  if (at[OF]) TRY(hc_native_name(at[OF], "the job whose tasks are rivals", &m->rival, e));
  if (at[PER_HOST]) TRY(hc_native_whole(at[PER_HOST], "per_host", 1, HC_NATIVE_TASKS, &per_host, e));
  if (at[PER_ZONE]) TRY(hc_native_whole(at[PER_ZONE], "per_zone", 1, HC_NATIVE_TASKS, &per_zone, e));
  if (at[LEVEL]) TRY(read_lexicon_name(n, at[LEVEL], "a level of zones", &m->zone_level, e));
  if (m->rival < 0 || (per_host == 0 && per_zone == 0) || (per_zone > 0) != (at[LEVEL] != NULL))
    return hc_value_fail(
        v, e, HC_EINPUT,
        "rivals need `of` (or a collection_id), `per_host` or `per_zone`, and with the latter `level`");
  m->per_host = (uint32_t)per_host;
  m->per_zone = (uint32_t)per_zone;
  return 0;
}

static hc_rc read_after(hc_native *n, const hc_value *const *at, const hc_task_spec *t, hc_task_extras *m,
                        hc_error *e)
{
  static const struct {
    int key;
    hc_after_how how;
  } kinds[] = {{AFTER_ENDED, HC_AFTER_ENDED},
               {AFTER_COMPLETED, HC_AFTER_COMPLETED},
               {AFTER_FAILED, HC_AFTER_FAILED},
               {AFTER_STARTED, HC_AFTER_STARTED},
               {AFTER_ARRIVED, HC_AFTER_ARRIVED}};
  const hc_native_job *j = t->job >= 0 ? hc_native_job_of(n, t->job) : NULL;
  const hc_value *jobs = at[AFTER_JOB];
  const size_t listed = jobs && jobs->kind == HC_VALUE_LIST ? jobs->count : jobs != NULL;
  size_t *count = &m->after_count;
  for (size_t i = 0; i < HC_ARRAY_LEN(kinds); i++)
    if (at[kinds[i].key]) TRY(hc_native_read_after(n, at[kinds[i].key], kinds[i].how, t, count, e));
  const size_t all = listed + (j ? j->after_count : 0);
  for (size_t i = 0; i < all; i++) {
    hc_after a = {.task = HC_UNKNOWN, .how = HC_AFTER_ENDED};
    const hc_value *v = i < listed && jobs->kind == HC_VALUE_LIST ? jobs->items[i] : jobs;
    if (i < listed) TRY(hc_native_name(v, "a job that it waits for", &a.job, e));
    else a.job = n->after[j->first_after + i - listed];
    if (a.job == t->job) n->why = HC_REASON_CYCLE;
    else if (i < listed && n->refers != HC_REFERS_ANY)
      return hc_value_fail(v, e, HC_EINPUT,
                           "this task waits for another job, which `refers` rules out: set it to any");
    TRY(hc_reserve(n->context->allocator, (void **)&n->afters, &n->afters_cap, *count + 1,
                   sizeof *n->afters));
    n->afters[(*count)++] = a;
  }
  m->after = n->afters;
  return 0;
}

static hc_rc read_at_once(const hc_value *v, const hc_task_spec *t, hc_task_extras *m, hc_error *e)
{
  int64_t most;
  if (t->job < 0)
    return hc_value_fail(v, e, HC_EINPUT, "at_once bounds the tasks of a job: this one has no collection_id");
  TRY(hc_native_whole(v, "at_once", 1, HC_NATIVE_TASKS, &most, e));
  m->at_once = (uint32_t)most;
  return 0;
}

/* host_count: 4, or [2, 4] */
static hc_rc read_host_count(const hc_value *v, hc_task_extras *m, hc_error *e)
{
  const bool two = v->kind == HC_VALUE_LIST && v->count == 2;
  int64_t least, most;
  if (v->kind == HC_VALUE_LIST && !two)
    return hc_value_fail(v, e, HC_EINPUT, "host_count is a number of hosts, or [least, most]");
  TRY(hc_native_whole(two ? v->items[0] : v, "host_count", 1, HC_NATIVE_TASKS, &least, e));
  TRY(hc_native_whole(two ? v->items[1] : v, "host_count", least, HC_NATIVE_TASKS, &most, e));
  m->least_hosts = (uint32_t)least;
  m->most_hosts = (uint32_t)most;
  return 0;
}

/* A set, or a list of sets of which any will do. */
static hc_rc read_sets(hc_native *n, const hc_value *v, const char *what, uint32_t *first, hc_task_extras *m,
                       hc_error *e)
{
  size_t count;
  if (v->kind != HC_VALUE_LIST) return read_lexicon_name(n, v, what, first, e);
  if (v->count == 0 || v->count > HC_TASK_SETS)
    return hc_value_fail(v, e, HC_EINPUT, "%s is a name, or a list of 1 to %d names", what, HC_TASK_SETS);
  TRY(read_hosts(n, v, what, &n->sets, &n->sets_cap, &count, e));
  *first = n->sets[0];
  m->sets = n->sets + 1;
  m->set_count = count - 1;
  return 0;
}

/* switches: 1, or [1, 30min] */
static hc_rc read_switches(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  const bool two = v->kind == HC_VALUE_LIST && v->count == 2;
  int64_t most;
  if (v->kind == HC_VALUE_LIST && !two && v->count != 1)
    return hc_value_fail(v, e, HC_EINPUT, "switches is a number, or [number, how long to wait for it]");
  const hc_value *first = v->kind == HC_VALUE_LIST ? v->items[0] : v;
  TRY(hc_native_whole(first, "switches", 1, HC_NATIVE_TASKS, &most, e));
  if (two) TRY(hc_native_time(v->items[1], "how long to wait", n->units.time, &m->switch_wait, e));
  m->switches = (uint32_t)most;
  return 0;
}

/* exclusive: true, or user */
static hc_rc read_exclusive(const hc_value *v, hc_task_extras *m, hc_error *e)
{
  bool is_alone;
  hc_field f;
  if (!hc_native_scalar(v, &f)) return hc_value_fail(v, e, HC_EINPUT, "exclusive is true, false or user");
  if (f.length == 4 && memcmp(f.text, "user", 4) == 0) m->exclusive = HC_EXCLUSIVE_USER;
  else if (hc_parse_bool(f.text, f.length, &is_alone) < 0)
    return hc_value_fail(v, e, HC_EINPUT, "exclusive is true, false or user");
  else m->exclusive = is_alone ? HC_EXCLUSIVE_HOST : HC_EXCLUSIVE_NOT;
  return 0;
}

/* component: 0, of the tasks of its collection_id that start together */
static hc_rc read_component(const hc_value *v, const hc_task_spec *t, hc_task_extras *m, hc_error *e)
{
  int64_t number;
  if (t->job < 0)
    return hc_value_fail(
        v, e, HC_EINPUT,
        "component is a task's number among those of its job that start together: this one has no "
        "collection_id");
  TRY(hc_native_whole(v, "component", 0, HC_NATIVE_TASKS - 1, &number, e));
  m->component = (uint32_t)number + 1;
  return 0;
}

/* A name, or a list of names of which any will do: one text with commas between them. */
static hc_rc read_reservation(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  if (v->kind != HC_VALUE_LIST) return read_lexicon_name(n, v, "reservation", &m->reservation, e);
  if (v->count == 0 || v->count > HC_TASK_RESERVATIONS)
    return hc_value_fail(v, e, HC_EINPUT, "reservation is a name, or a list of 1 to %d names",
                         HC_TASK_RESERVATIONS);
  n->scratch.size = 0;
  for (size_t i = 0; i < v->count; i++) {
    hc_field f;
    if (!hc_native_scalar(v->items[i], &f) || f.length == 0 || memchr(f.text, ',', f.length))
      return hc_value_fail(v->items[i], e, HC_EINPUT, "a reservation is a name without a comma");
    if (i > 0) hc_buffer_text(&n->scratch, ",");
    hc_buffer_add(&n->scratch, f.text, f.length);
  }
  if (n->scratch.failed) return HC_ENOMEM;
  m->reservation = hc_lexicon_name(n->context->lexicon, n->scratch.data, n->scratch.size);
  return m->reservation == HC_NO_NAME ? HC_ENOMEM : 0;
}

static hc_rc read_requeue(const hc_value *v, hc_task_extras *m, hc_error *e)
{
  bool again;
  hc_field f;
  if (!hc_native_scalar(v, &f) || hc_parse_bool(f.text, f.length, &again) < 0)
    return hc_value_fail(v, e, HC_EINPUT, "requeue is true or false: may the task be run again?");
  m->again = again ? HC_AGAIN_ALWAYS : HC_AGAIN_NEVER;
  return 0;
}

static hc_rc read_terms(hc_native *n, const hc_value *const *at, const hc_task_spec *t, hc_task_extras *m,
                        hc_error *e)
{
  if (at[RESERVATION]) TRY(read_reservation(n, at[RESERVATION], m, e));
  if (at[SWITCHES]) TRY(read_switches(n, at[SWITCHES], m, e));
  if (at[EXCLUSIVE]) TRY(read_exclusive(at[EXCLUSIVE], m, e));
  if (at[COMPONENT]) TRY(read_component(at[COMPONENT], t, m, e));
  if (at[REQUEUE]) TRY(read_requeue(at[REQUEUE], m, e));
  if (!at[LEAST_LIMIT]) return 0;
  TRY(hc_native_time(at[LEAST_LIMIT], "least_limit", n->units.time, &m->least_limit, e));
  if (t->limit != HC_UNKNOWN && m->least_limit <= t->limit) return 0;
  return hc_value_fail(
      at[LEAST_LIMIT], e, HC_EINPUT,
      "least_limit is what wall_time_limit may be cut to: it is no more than that, which the "
      "task needs to have");
}

static hc_rc read_place(hc_native *n, const hc_value *const *at, const hc_task_spec *t, hc_task_extras *m,
                        hc_error *e)
{
  const hc_value *called = at[PARTITION]; /* {3: batch} is number 3 and the set batch, {3: null} no set */
  uint32_t partition = HC_NO_NAME;
  if (called && called->kind == HC_VALUE_MAP) called = called->items[0];
  if (called && called->kind == HC_VALUE_NULL) called = NULL;
  if (called) TRY(read_sets(n, called, "partition", &partition, m, e));
  const size_t further = m->set_count;
  if (at[SET]) TRY(read_sets(n, at[SET], "set", &m->set, m, e));
  if (at[SET] && called && (partition != m->set || further + m->set_count > 0))
    return hc_value_fail(at[SET], e, HC_EINPUT, "a task has one `partition` or one `set`, not both");
  if (called) m->set = partition;
  if (at[SAME]) TRY(read_lexicon_name(n, at[SAME], "same", &m->same, e));
  if (at[DIFFER]) TRY(read_lexicon_name(n, at[DIFFER], "differ", &m->differ, e));
  if (at[HOSTS]) TRY(read_hosts(n, at[HOSTS], "a host", &n->hosts, &n->hosts_cap, &m->host_count, e));
  m->hosts = n->hosts;
  if (at[PREFERS])
    TRY(read_hosts(n, at[PREFERS], "a host or a zone", &n->prefers, &n->prefers_cap, &m->prefer_count, e));
  m->prefers = n->prefers;
  if (at[RIVALS]) TRY(read_rivals(n, at[RIVALS], t, m, e));
  if (at[HOST_COUNT]) TRY(read_host_count(at[HOST_COUNT], m, e));
  if (at[AT_ONCE]) TRY(read_at_once(at[AT_ONCE], t, m, e));
  TRY(read_terms(n, at, t, m, e));
  if (at[CONSTRAINTS]) TRY(hc_native_read_constraints(n, at[CONSTRAINTS], &m->constraint_count, e));
  m->constraints = n->constraints;
  return 0;
}

static bool is_nothing(const hc_task_extras *m)
{
  return m->after_count + m->constraint_count + m->host_count + m->chunk_count + m->per_host + m->per_zone +
                 m->use_count + m->resize_count + m->further_count + m->of + m->prefer_count +
                 m->profile_size + m->input_count + m->output_count ==
             0 &&
         !hc_task_has_terms(m) && m->again == HC_AGAIN_UNSAID && m->most_cpu == 0 && m->executor_count == 0 &&
         m->least_hosts == 0 && m->at_once == 0 && m->set == HC_NO_NAME && m->same == HC_NO_NAME &&
         m->differ == HC_NO_NAME;
}

static hc_rc read_spread(const hc_value *v, const sums *s, hc_task_spec *t, hc_error *e)
{
  bool spread = s->hosts > 1;
  hc_field f;
  if (v && (!hc_native_scalar(v, &f) || hc_parse_bool(f.text, f.length, &spread) < 0))
    return hc_value_fail(v, e, HC_EINPUT, "spread is true or false");
  if (spread) t->flags |= HC_SPEC_SPREAD;
  return 0;
}

/* ---- the task ---- */

static hc_rc pass_over(void *ctx, const hc_value *v, hc_error *e)
{
  HC_UNUSED(ctx);
  HC_UNUSED(v);
  HC_UNUSED(e);
  return 0;
}

hc_rc hc_native_task(hc_native *n, const hc_value *item, hc_task_spec *t, hc_error *e)
{
  const hc_value *at[KEYS];
  hc_task_extras more = hc_task_extras_none();
  sums s = {0};
  n->is_fatal = false;
  n->why = HC_REASON_COUNT;
  if (item->kind != HC_VALUE_MAP)
    return hc_value_fail(item, e, HC_EINPUT,
                         "a task is a map: {submit_time: 0, resources: {...}, profile: ...}");
  TRY(hc_native_members(item, keys, at, KEYS, n->ignore_unknown ? pass_over : NULL, NULL, &n->is_fatal, e));
  TRY(read_who(n, at, t, e));
  TRY(read_when(n, at, t, e));
  TRY(read_resources(n, at[RESOURCES], at[PROCS], t, &more, &s, e));
  TRY(read_processors(n, at, &s, t, e));
  TRY(read_spread(at[SPREAD], &s, t, e));
  TRY(read_after(n, at, t, &more, e));
  TRY(read_place(n, at, t, &more, e));
  TRY(read_usage(n, at[USAGE], &more, e));
  if (at[RECORDED]) TRY(hc_native_read_recorded(n, at[RECORDED], t, e));
  TRY(read_resizes(n, at[RESIZES], &more, e));
  TRY(read_malleable(n, at[MALLEABLE], t, &more, e));
  TRY(read_cores(n, at[MAX_CORES], t, &more, e));
  TRY(hc_native_read_executors(n, at[EXECUTORS], t, &more, e));
  TRY(hc_native_read_data(n, at[INPUTS], at[OUTPUTS], t, &more, e));
  if (n->why == HC_REASON_CYCLE) return 0;
  const hc_rc rc = read_run(n, item, at, &s, t, &more, e);
  if (rc != 1) return rc;
  TRY(hc_native_read_called(n, at[CALLED], t, e));
  if (hc_native_label(n, at[INDEX] && at[JOB] ? at[INDEX] : at[ID], at[JOB], t) < 0) {
    hc_spec_drop_labels(n->context->lexicon, t);
    return HC_ENOMEM;
  }
  if (is_nothing(&more)) return 1;
  t->more = hc_lexicon_keep(n->context->lexicon, &more);
  if (t->more == 0) hc_spec_drop_labels(n->context->lexicon, t);
  return t->more == 0 ? HC_ENOMEM : 1;
}
