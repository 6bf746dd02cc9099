/* throughput.c -- how fast training is on each type of GPU, and on how many: a table of throughputs.
 *
 * A task's run time is what it took on the type `reference`, with as many GPUs as it holds. So it is so many
 * steps, run x throughput[reference][n], and where it runs on n GPUs of type k it takes steps /
 * throughput[k][n]. On GPUs of several types its slowest type counts, with all of its n. Between two numbers
 * of GPUs in the table it is a straight line; beyond the first and the last one it is as many times the
 * throughput there as there are GPUs. GPUs of which a task has a part count as one.
 *
 * Models differ in how much they gain by a better GPU: each has an entry of `slowdowns` with a table of its
 * own, and `tasks` names it.
 *
 * Source: throughputs by model and type of accelerator, Narayanan et al., "Heterogeneity-aware cluster
 * scheduling policies for deep learning workloads" (Gavel), OSDI 2020, section 3. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "execution/concerned.h"
#include "hindcast/cell.h"
#include "hindcast/execution.h"

typedef struct options {
  hc_concerned_options about;
  hc_list table; /* const char * */
  const char *reference;
} options;

/* One entry: a type on so many GPUs. */
typedef struct entry {
  const char *type; /* [size] */
  size_t size;
  int64_t gpus;
  double throughput;
} entry;

typedef struct table {
  hc_concerned about;
  uint32_t class_count;
  size_t count;
  entry *entries;        /* [count] */
  const char **types;    /* [class_count] of the hosts of a class; NULL: it has no GPUs */
  const char *reference; /* a type of the table */
  double least;
} table;

static hc_rc read_entry(const char *word, entry *out, hc_error *e)
{
  const char *slash = strchr(word, '/'), *equals = strchr(word, '=');
  const bool is_whole = slash && equals && slash < equals && slash > word;
  *out = (entry){.type = word, .size = is_whole ? (size_t)(slash - word) : 0};
  if (is_whole && hc_parse_int(slash + 1, (size_t)(equals - slash - 1), &out->gpus) >= 0 && out->gpus > 0 &&
      hc_parse_real(equals + 1, strlen(equals + 1), &out->throughput) >= 0 && out->throughput > 0 &&
      out->throughput < 1e18)
    return 0;
  return hc_fail(e, HC_EUSAGE, "slowdown throughput", 0, 0,
                 "table: \"%s\" is not TYPE/GPUS=THROUGHPUT: write [V100/1=100, V100/4=380, K80/1=25]", word);
}

static bool is_of(const entry *x, const char *type)
{
  return strlen(type) == x->size && memcmp(x->type, type, x->size) == 0;
}

/* Throughput of a type on n GPUs; 0: it is not in the table. */
static double throughput(const table *t, const char *type, int64_t n)
{
  const entry *below = NULL, *above = NULL;
  for (size_t i = 0; i < t->count; i++) {
    const entry *x = &t->entries[i];
    if (!is_of(x, type)) continue;
    if (x->gpus <= n && (!below || x->gpus > below->gpus)) below = x;
    if (x->gpus >= n && (!above || x->gpus < above->gpus)) above = x;
  }
  if (!below && !above) return 0;
  if (!below) return above->throughput * (double)n / (double)above->gpus;
  if (!above) return below->throughput * (double)n / (double)below->gpus;
  if (above->gpus == below->gpus) return below->throughput;
  return below->throughput + (above->throughput - below->throughput) * (double)(n - below->gpus) /
                                 (double)(above->gpus - below->gpus);
}

/* On GPUs of each class: is it in the table, and what is the least that a task may take there? All that lies
 * between numbers of the table is between what is at them. */
static hc_rc check_classes(table *t, const hc_cell_spec *cell, hc_error *e)
{
  t->least = __builtin_inf();
  for (uint32_t k = 0; k < t->class_count; k++) {
    if (!t->types[k]) {
      t->least = HC_MIN(t->least, 1);
      continue;
    }
    if (throughput(t, t->types[k], 1) == 0)
      return hc_fail(e, HC_EUSAGE, "slowdown throughput", 0, 0,
                     "the table says nothing of GPUs \"%s\" of the hosts %s: add an entry %s/1=...",
                     t->types[k], cell->classes[k].name ? cell->classes[k].name : "of the cell", t->types[k]);
    for (size_t i = 0; i < t->count; i++) {
      const int64_t n = t->entries[i].gpus;
      t->least = HC_MIN(t->least, throughput(t, t->reference, n) / throughput(t, t->types[k], n));
    }
  }
  return 0;
}

static hc_rc init(const hc_slowdown_context *c, const void *given, void **out, hc_error *e)
{
  const options *o = given;
  const char *const *words = o->table.items;
  table *t = hc_alloc(c->allocator, sizeof *t);
  if (!t) return HC_ENOMEM;
  *out = t;
  TRY(hc_concerned_init(&t->about, c, &o->about));
  t->count = o->table.count;
  t->class_count = c->cell->class_count;
  t->entries = hc_alloc(c->allocator, (t->count + 1) * sizeof *t->entries);
  t->types = hc_alloc(c->allocator, (t->class_count + 1) * sizeof *t->types);
  if (!t->entries || !t->types) return HC_ENOMEM;
  for (size_t i = 0; i < t->count; i++) TRY(read_entry(words[i], &t->entries[i], e));
  for (uint32_t k = 0; k < t->class_count; k++) t->types[k] = c->gpu_models[k];
  t->reference = o->reference;
  if (t->reference && throughput(t, t->reference, 1) > 0) return check_classes(t, c->cell, e);
  return hc_fail(e, HC_EUSAGE, "slowdown throughput", 0, 0,
                 "reference must be a type of the table, that on which tasks took their run times: \"%s\" is "
                 "none",
                 t->reference ? t->reference : "");
}

static double times(const void *state, const hc_slowdown_task *task, const hc_slowdown_part *parts,
                    size_t count)
{
  const table *t = state;
  double most = 0, its;
  int64_t n = 0;
  for (size_t i = 0; i < count; i++) n += parts[i].gpus;
  if (n == 0 || !hc_concerns(&t->about, task)) return 1;
  its = throughput(t, t->reference, n);
  for (size_t i = 0; i < count; i++)
    if (parts[i].gpus > 0) most = HC_MAX(most, its / throughput(t, t->types[parts[i].host_class], n));
  return most;
}

static double least(const void *state)
{
  const table *t = state;
  return t->about.o->tasks.count > 0 ? HC_MIN(t->least, 1) : t->least; /* of others it is 1 */
}

static void fini(const hc_allocator *a, void *state)
{
  table *t = state;
  hc_free(a, t->entries, (t->count + 1) * sizeof *t->entries);
  hc_free(a, t->types, (t->class_count + 1) * sizeof *t->types);
  hc_free(a, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(TEXTS, options, table, NULL,
             "Throughputs, TYPE/GPUS=THROUGHPUT each, in any unit: V100/1=100. TYPE is the gpu_model of "
             "hosts. Between two numbers of GPUs the throughput is a straight line; below the first and "
             "above the last it is proportional to the number of GPUs."),
    HC_PARAM(TEXT, options, reference, NULL,
             "The type of GPU on which tasks took the run times of their source; it must be in the table. "
             "Required."),
    HC_CONCERNED_PARAMS(options, about),
    {0}};

const hc_slowdown_type hc_slowdown_throughput = {
    .component = {HC_COMPONENT_HEAD(hc_slowdown_type, HC_KIND_SLOWDOWN), .name = "throughput",
                  .summary = "run times by a table of throughputs, for each type and number of GPUs",
                  .detail = "A task on n GPUs takes run x throughput[reference][n] / throughput[type][n], "
                            "where run is its run time in the source; on GPUs of several types the slowest "
                            "counts. A GPU of which a task has a part counts as one. Tasks without GPUs, and "
                            "tasks that `tasks` of no entry names, take their run time.",
                  .source = "Narayanan et al., Heterogeneity-aware cluster scheduling policies for deep "
                            "learning workloads (Gavel), OSDI 2020, section 3",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .times = times,
    .least = least,
    .fini = fini};
