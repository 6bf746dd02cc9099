/* algorithm_jobs.c -- what an algorithm is told of a job beside what the run knows of it: its type, walltime,
 * arguments and attributes from ElastiSim's file of jobs, and how many rounds the phases of its application
 * model have.
 *
 * The source's reader has read and checked both; here they are looked at once more for what no task carries.
 * A model is looked for as the job says, beside the file of jobs and from the working directory, and else by
 * its last name beside the file of jobs. Where it is not found, or its iterations are no number, a job counts
 * as one round. */
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/files.h"
#include "base/text.h"
#include "base/util.h"
#include "remote/algorithm.h"

static const char *const types[HC_JOB_TYPES] = {"rigid", "moldable", "malleable", "evolving", "adaptive"};

hc_rc hc_algorithm_open_file(hc_algorithm_file *f, const hc_allocator *a, const char *path, hc_error *e)
{
  hc_value *root;
  *f = (hc_algorithm_file){.allocator = a, .path = path};
  hc_arena_init(&f->arena, a);
  if (!path) return 0;
  TRY(hc_value_parse_file(&f->arena, path, &root, e));
  f->jobs = hc_value_get(root, "jobs");
  if (f->jobs && f->jobs->kind == HC_VALUE_LIST) return 0;
  return hc_value_fail(root, e, HC_EINPUT,
                       "this is no file of ElastiSim's jobs: it is {\"jobs\": [{\"type\": \"rigid\", ...}]}");
}

void hc_algorithm_close_file(hc_algorithm_file *f)
{
  hc_arena_fini(&f->arena);
}

/* ---- application models ---- */

static bool is_there(const hc_algorithm_file *f, const char *path)
{
  const hc_files *files = hc_files_of(f->allocator);
  return path && files->look(files->ctx, path, NULL) != HC_FILE_ABSENT;
}

/* @return NULL: it is not found */
static const char *find_model(hc_algorithm_file *f, const char *said)
{
  const char *slash = strrchr(f->path, '/'), *last = strrchr(said, '/');
  const int folder = slash ? (int)(slash + 1 - f->path) : 0;
  const char *beside = said[0] == '/' ? said : hc_arena_printf(&f->arena, "%.*s%s", folder, f->path, said);
  if (is_there(f, beside)) return beside;
  if (is_there(f, said)) return said;
  beside = hc_arena_printf(&f->arena, "%.*s%s", folder, f->path, last ? last + 1 : said);
  return is_there(f, beside) ? beside : NULL;
}

/* Names that its expressions may hold, and what they are. */
typedef struct known {
  const char **names;
  double *values;
  size_t count;
} known;

static hc_rc know_arguments(hc_algorithm_file *f, const hc_value *job, known *out)
{
  const hc_value *arguments = hc_value_get(job, "arguments");
  const size_t n = arguments ? arguments->count : 0;
  out->names = hc_arena_alloc(&f->arena, (n + 1) * sizeof *out->names);
  out->values = hc_arena_alloc(&f->arena, (n + 1) * sizeof *out->values);
  out->count = 0;
  if (!out->names || !out->values) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const hc_value *v = arguments->items[i];
    if (v->kind != HC_VALUE_SCALAR || hc_parse_real(v->text, strlen(v->text), &out->values[out->count]) < 0)
      continue;
    out->names[out->count++] = v->key;
  }
  return 0;
}

static uint64_t rounds_of(hc_algorithm_file *f, const hc_value *phase, const known *with)
{
  const hc_value *times = hc_value_get(phase, "iterations");
  hc_error unused = {0};
  hc_expr *x;
  if (!times || times->kind != HC_VALUE_SCALAR) return 1;
  if (hc_expr_compile(&f->arena, times->text, with->names, with->count, &x, &unused) < 0) return 1;
  const double n = hc_expr_value(x, with->values);
  return n >= 1 && n < 1e12 ? (uint64_t)n : 0;
}

static bool flag(const hc_value *map, const char *key)
{
  const hc_value *v = hc_value_get(map, key);
  bool is = true;
  if (v && v->kind == HC_VALUE_SCALAR) (void)hc_parse_bool(v->text, strlen(v->text), &is);
  return is;
}

static bool asks(const hc_value *phase, int type)
{
  return (type == HC_JOB_EVOLVING || type == HC_JOB_ADAPTIVE) && hc_value_get(phase, "evolving_request");
}

static bool schedules(const hc_value *phase, int type)
{
  return (type == HC_JOB_MALLEABLE || type == HC_JOB_ADAPTIVE) && flag(phase, "scheduling_point");
}

static hc_rc read_phases(hc_algorithm_file *f, const hc_value *list, int type, const known *with,
                         hc_algorithm_phases *out)
{
  hc_algorithm_phase *items = hc_arena_alloc(&f->arena, list->count * sizeof *items + 1);
  const hc_value *last = NULL;
  if (!items) return HC_ENOMEM;
  *out = (hc_algorithm_phases){.items = items};
  for (size_t i = 0; i < list->count; i++) {
    const hc_value *phase = list->items[i];
    hc_algorithm_phase x = {.rounds = rounds_of(f, phase, with)};
    if (x.rounds == 0) continue;
    x.between.asks = x.enter.asks = asks(phase, type);
    x.between.schedules = schedules(phase, type);
    x.enter.schedules = last && schedules(last, type) && flag(last, "final_scheduling_point");
    out->total += x.rounds;
    items[out->count++] = x;
    last = phase;
  }
  return 0;
}

static hc_rc read_model(hc_algorithm_file *f, const hc_algorithm_told *told, hc_algorithm_phases *out)
{
  const hc_value *model = hc_value_get(told->value, "application_model");
  const char *path = model && model->kind == HC_VALUE_SCALAR ? find_model(f, model->text) : NULL;
  hc_error unused = {0};
  hc_value *root;
  known with;
  if (!path || hc_value_parse_file(&f->arena, path, &root, &unused) < 0) return 0;
  const hc_value *list = hc_value_get(root, "phases");
  if (!list || list->kind != HC_VALUE_LIST) return 0;
  TRY(know_arguments(f, told->value, &with));
  return read_phases(f, list, told->type, &with, out);
}

/* ---- jobs ---- */

static uint32_t count_of(const hc_value *job, const char *key)
{
  const hc_value *v = hc_value_get(job, key);
  int64_t n = 0;
  if (v && v->kind == HC_VALUE_SCALAR) (void)hc_parse_int(v->text, strlen(v->text), &n);
  return n > 0 && n < UINT32_MAX ? (uint32_t)n : 0;
}

static int type_of(const hc_value *job)
{
  const hc_value *v = hc_value_get(job, "type");
  int type = 0;
  while (v && v->kind == HC_VALUE_SCALAR && type < HC_JOB_TYPES && strcmp(types[type], v->text) != 0) type++;
  return type < HC_JOB_TYPES ? type : HC_JOB_RIGID;
}

hc_rc hc_algorithm_tell(hc_algorithm_file *f, int64_t number, hc_algorithm_told *out,
                        hc_algorithm_phases *phases, hc_error *e)
{
  static const hc_algorithm_phase once = {.rounds = 1};
  *out = (hc_algorithm_told){.walltime = "0"};
  *phases = (hc_algorithm_phases){.items = &once, .count = 1, .total = 1};
  if (!f->path) return 0;
  if (number < 0 || (uint64_t)number >= f->jobs->count)
    return hc_fail(
        e, HC_EINPUT, HC_ALGORITHM_PLACE, 0, 0,
        "jobs: %.300s has %zu jobs, and the run has one with the number %lld: name the file that the "
        "run's only source reads",
        f->path, f->jobs->count, (long long)number);
  const hc_value *job = f->jobs->items[number], *limit = hc_value_get(job, "walltime");
  *out = (hc_algorithm_told){.value = job, .type = type_of(job), .walltime = "0"};
  if (limit && limit->kind == HC_VALUE_SCALAR) out->walltime = limit->text;
  out->gpus_least = out->gpus_most = count_of(job, "num_gpus_per_node");
  if (out->type != HC_JOB_RIGID) {
    out->gpus_least = count_of(job, "num_gpus_per_node_min");
    out->gpus_most = HC_MAX(count_of(job, "num_gpus_per_node_max"), out->gpus_least);
  }
  return read_model(f, out, phases);
}

/* ---- how far it is ---- */

void hc_algorithm_advance(hc_algorithm_job *j, bool by_request)
{
  while (j->phase < j->phases.count) {
    const hc_algorithm_phase *p = &j->phases.items[j->phase];
    j->done++;
    if (++j->round == p->rounds) {
      j->phase++;
      j->round = 0;
    }
    if (j->phase == j->phases.count) break;
    p = &j->phases.items[j->phase];
    if (by_request ? (j->round == 0 ? p->enter.asks : p->between.asks)
                   : (j->round == 0 ? p->enter.schedules : p->between.schedules))
      return;
  }
  j->done = HC_MIN(j->done, j->phases.total);
}
