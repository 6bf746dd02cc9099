/* elastisim.c -- jobs of ElastiSim: {"jobs": [{"type": "rigid", "submit_time": 0, "num_nodes": 4,
 * "application_model": "model.json", "arguments": {...}}, ...]}.
 *
 * A rigid job is a task on so many whole hosts. One that is moldable, malleable, evolving or adaptive may
 * have num_nodes_min to num_nodes_max of them, settled when it starts; malleable and adaptive ones are
 * resized by a policy at their scheduling points, evolving and adaptive ones when they ask for it. What a job
 * does is its application model's matter (elastisim_model.c, elastisim_elastic.c), as a profile where the run
 * carries profiles out; without `execution` it has no length, and its row is rejected.
 *
 * Held in memory, as a tree: at most 16 MiB of text. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/lexicon.h"
#include "workload/elastisim_model.h"
#include "workload/ledger.h"
#include "workload/reading.h"

enum { LARGEST = 1 << 24 };

typedef struct options {
  const char *file, *models, *pfs, *burst_buffer, *origin;
  int64_t cores;
  double gpu_bandwidth;
  int size;
  bool task_times;
  hc_time time_unit, kill_grace;
} options;

enum { SIZE_MAX_NODES, SIZE_MIN_NODES, SIZE_MEAN_NODES };

typedef struct job {
  const hc_value *value;
  hc_time submit, limit; /* HC_UNKNOWN */
  int64_t id, nodes, gpus, least, most;
  uint32_t type; /* of types */
  uint32_t why;  /* it is rejected; or FINE */
} job;
#define FINE HC_REASON_COUNT

struct hc_source {
  const hc_source_context *context;
  const options *o;
  const char *name;
  hc_trace_info info;
  hc_elastisim_models models;
  hc_arena arena;
  char *path; /* [path_size] of the model at hand */
  size_t path_size;
  job *jobs; /* [count] by (submit, place in the file) */
  size_t count, cap;
  hc_task_spec task; /* the one at hand */
  struct {
    uint64_t next, count;
  } s;
};

/* ---- one job ---- */

static bool time_of(const hc_value *v, hc_time *out)
{
  return v->kind == HC_VALUE_SCALAR && hc_parse_seconds(v->text, strlen(v->text), out) == 0 && *out >= 0 &&
         *out < HC_NEVER;
}

static bool whole_of(const hc_value *v, int64_t least, int64_t *out)
{
  return v->kind == HC_VALUE_SCALAR && hc_parse_int(v->text, strlen(v->text), out) == 0 && *out >= least &&
         *out <= LARGEST;
}

/* In the order of the numbers that they have as queues. */
static const struct {
  const char *word;
  uint32_t changes;
} types[] = {{"rigid", 0},
             {"moldable", HC_SIZED_AT_START},
             {"malleable", HC_SIZED_AT_START | HC_SIZED_RUNNING},
             {"evolving", HC_SIZED_AT_START | HC_SIZED_BY_ITSELF},
             {"adaptive", HC_SIZED_AT_START | HC_SIZED_RUNNING | HC_SIZED_BY_ITSELF}};

/* What it has where nothing else is decided. */
static int64_t between(const options *o, int64_t least, int64_t most)
{
  return o->size == SIZE_MAX_NODES ? most : o->size == SIZE_MIN_NODES ? least : (least + most) / 2;
}

/* GPUs of each node: of a job that is not rigid they stay as many, whatever its number of nodes. It does not
 * claim them, for tasks with devices do not change their size: they go with its nodes. */
static hc_reason read_gpus(const hc_value *v, const options *o, job *b)
{
  const hc_value *gpus = hc_value_get(v, "num_gpus_per_node"),
                 *least = hc_value_get(v, "num_gpus_per_node_min"),
                 *most = hc_value_get(v, "num_gpus_per_node_max");
  int64_t from = 0, to = 0;
  if (gpus) return whole_of(gpus, 0, &b->gpus) ? FINE : HC_REASON_MALFORMED;
  if (b->type == 0) return FINE;
  if (least && !whole_of(least, 0, &from)) return HC_REASON_MALFORMED;
  if (most && !whole_of(most, from, &to)) return HC_REASON_MALFORMED;
  b->gpus = between(o, from, HC_MAX(from, to));
  return FINE;
}

/* How many nodes it may have, and has where nothing else is decided. */
static hc_reason read_size(const hc_value *v, const options *o, job *b)
{
  const hc_value *nodes = hc_value_get(v, "num_nodes"), *least = hc_value_get(v, "num_nodes_min"),
                 *most = hc_value_get(v, "num_nodes_max");
  if (b->type == 0) {
    if (!nodes) return HC_REASON_NO_PROCESSORS;
    return whole_of(nodes, 1, &b->nodes) ? FINE : HC_REASON_MALFORMED;
  }
  if (!least || !most) return HC_REASON_NO_PROCESSORS;
  if (!whole_of(least, 1, &b->least) || !whole_of(most, b->least, &b->most)) return HC_REASON_MALFORMED;
  b->nodes = between(o, b->least, b->most);
  return FINE;
}

static hc_reason read_job(const hc_value *v, const options *o, job *b)
{
  const hc_value *type = hc_value_get(v, "type"), *submit = hc_value_get(v, "submit_time"),
                 *limit = hc_value_get(v, "walltime"),
                 *model = hc_value_get(v, "application_model"), *arguments = hc_value_get(v, "arguments");
  if (v->kind != HC_VALUE_MAP || !type || type->kind != HC_VALUE_SCALAR) return HC_REASON_MALFORMED;
  while (b->type < HC_ARRAY_LEN(types) && strcmp(type->text, types[b->type].word) != 0) b->type++;
  if (b->type == HC_ARRAY_LEN(types)) return HC_REASON_PROFILE;
  if (!submit || !time_of(submit, &b->submit)) return HC_REASON_NO_SUBMIT;
  hc_reason why = read_size(v, o, b);
  if (why == FINE) why = read_gpus(v, o, b);
  if (why != FINE) return why;
  if (limit && !time_of(limit, &b->limit)) return HC_REASON_MALFORMED;
  if (b->limit == 0) b->limit = HC_UNKNOWN; /* none */
  if (!model || model->kind != HC_VALUE_SCALAR || model->text[0] == '\0') return HC_REASON_MALFORMED;
  return arguments && arguments->kind != HC_VALUE_MAP ? HC_REASON_MALFORMED : FINE;
}

HC_SORT(sort_jobs, job, a->submit != b->submit ? a->submit < b->submit : a->id < b->id)

static hc_rc read_jobs(hc_source *s, const hc_value *root, hc_error *e)
{
  const hc_value *jobs = hc_value_get(root, "jobs");
  if (!jobs || jobs->kind != HC_VALUE_LIST)
    return hc_value_fail(root, e, HC_EINPUT,
                         "this is no jobs file of ElastiSim: it is {\"jobs\": [{\"type\": \"rigid\", ...}]}");
  TRY(hc_reserve(s->context->allocator, (void **)&s->jobs, &s->cap, jobs->count, sizeof *s->jobs));
  for (size_t i = 0; i < jobs->count; i++) {
    job b = {.value = jobs->items[i], .limit = HC_UNKNOWN, .id = (int64_t)i};
    b.why = read_job(jobs->items[i], s->o, &b);
    s->jobs[s->count++] = b;
  }
  sort_jobs(s->jobs, s->count);
  s->s.count = s->count;
  return 0;
}

/* ---- what it does ---- */

/* @param path [*size] in, out: grows as needed */
static hc_rc join(const hc_allocator *a, const char *folder, size_t n, const char *rest, char **path,
                  size_t *size)
{
  const size_t need = n + strlen(rest) + 2;
  if (need > *size) {
    char *more = hc_alloc(a, need);
    if (!more) return HC_ENOMEM;
    hc_free(a, *path, *size);
    *path = more;
    *size = need;
  }
  (void)snprintf(*path, *size, "%.*s%s%s", (int)n, folder, n > 0 ? "/" : "", rest);
  return 0;
}

static bool is_there(const hc_allocator *a, const char *path)
{
  const hc_files *files = hc_files_of(a);
  return files->look(files->ctx, path, NULL) != HC_FILE_ABSENT;
}

/* A model's file: below `models` by its last name; else as the job says, beside the file of jobs or, as
 * ElastiSim has it, from the working directory; else by its last name beside the file of jobs. */
static hc_rc model_path(const hc_allocator *a, const options *o, const char *said, char **path, size_t *size)
{
  const char *slash = strrchr(said, '/'), *rest = slash ? slash + 1 : said, *last = strrchr(o->file, '/');
  const size_t beside = last ? (size_t)(last - o->file) : 0;
  if (o->models) return join(a, o->models, strlen(o->models), rest, path, size);
  TRY(join(a, o->file, said[0] != '/' ? beside : 0, said, path, size));
  if (said[0] == '/' || !slash || is_there(a, *path)) return 0;
  TRY(join(a, "", 0, said, path, size));
  if (is_there(a, *path)) return 0;
  TRY(join(a, o->file, beside, rest, path, size));
  return is_there(a, *path) ? 0 : join(a, o->file, beside, said, path, size);
}

static hc_rc keep_profile(hc_source *s, const job *b, hc_error *e)
{
  hc_task_extras m = hc_task_extras_none();
  const hc_elastisim_job with = {.nodes = b->nodes,
                                 .gpus = b->gpus,
                                 .least = b->least,
                                 .most = b->most,
                                 .changes = types[b->type].changes,
                                 .arguments = hc_value_get(b->value, "arguments")};
  TRY(model_path(s->context->allocator, s->o, hc_value_get(b->value, "application_model")->text, &s->path,
                 &s->path_size));
  if (b->type == 0) TRY(hc_elastisim_profile(&s->models, s->path, &with, &m.profile, &m.profile_size, e));
  else {
    TRY(hc_elastisim_elastic(&s->models, s->path, &with, &m.profile, &m.profile_size, e));
    m.least = (uint32_t)b->least;
    m.of = (uint32_t)b->nodes;
    m.most = (uint32_t)b->most;
    m.changes = with.changes;
  }
  s->task.flags |= HC_SPEC_PROFILE;
  s->task.more = hc_lexicon_keep(s->context->lexicon, &m);
  return s->task.more == 0 ? HC_ENOMEM : 0;
}

/* Where neither cores nor memory are said, they are whole hosts. */
static bool make_task(hc_source *s, const job *b)
{
  s->task = hc_task_spec_none();
  s->task.id = b->id;
  s->task.line = b->value->line;
  s->task.submit = b->submit;
  s->task.limit = b->limit;
  if (b->type > 0) s->task.queue = b->type;
  s->task.hosts = s->task.procs_asked = b->nodes;
  hc_time *const times[] = {&s->task.submit, &s->task.limit};
  if (!hc_reading_in_units(s->o->time_unit, times, HC_ARRAY_LEN(times))) return false;
  if (b->limit != HC_UNKNOWN) s->task.limit = hc_time_add(s->task.limit, s->o->kill_grace);
  if (s->o->cores == 0) return true;
  s->task.need[HC_DIM_CPU] = s->o->cores * 1000;
  if (b->gpus > 0 && b->type == 0) s->task.need[HC_DIM_GPU] = b->gpus * HC_DEVICE;
  s->task.procs_asked = b->nodes * s->o->cores;
  s->task.flags |= HC_SPEC_SPREAD;
  return true;
}

/* ---- the reader ---- */

static void elastisim_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_elastisim_fini(&s->models);
  hc_arena_fini(&s->arena);
  hc_free(a, s->path, s->path_size);
  hc_free(a, s->jobs, s->cap * sizeof *s->jobs);
  hc_free(a, s, sizeof *s);
}

static hc_rc elastisim_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_time origin = HC_UNKNOWN;
  hc_value *root;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, "source elastisim", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  s->name = hc_reading_name(o->file);
  hc_arena_init(&s->arena, c->allocator);
  hc_elastisim_init(&s->models, c->allocator, c->profiles);
  s->models.pfs = o->pfs;
  s->models.burst_buffer = o->burst_buffer;
  s->models.unit = (double)o->time_unit / 1e9;
  s->models.gpu_bandwidth = o->gpu_bandwidth;
  s->models.labels = o->task_times;
  rc = hc_origin_read("source elastisim", o->origin, NULL, &origin, e);
  s->info.unix_start = hc_origin_seconds(origin);
  if (rc == 0) rc = hc_value_parse_file(&s->arena, o->file, &root, e);
  if (rc == 0) rc = read_jobs(s, root, e);
  if (rc < 0) elastisim_close(s);
  else *out = s;
  return rc;
}

static hc_rc elastisim_next(hc_source *s, hc_job *out, hc_error *e)
{
  while (s->s.next < s->count) {
    const job *b = &s->jobs[s->s.next++];
    hc_reason why = (hc_reason)b->why;
    if (why == FINE && !s->context->profiles) why = HC_REASON_PROFILE;
    if (why == FINE && !make_task(s, b)) why = HC_REASON_MALFORMED;
    if (s->context->ledger) s->context->ledger->read++;
    if (why == FINE) {
      TRY(keep_profile(s, b, e));
      *out = (hc_job){.tasks = &s->task, .task_count = 1};
      return 1;
    }
    TRY(hc_row_reject(s->context, s->name, b->value->line, b->value->column, why, NULL, e));
  }
  return 0;
}

static const hc_trace_info *elastisim_info(hc_source *s)
{
  return &s->info;
}

static hc_rc elastisim_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.count == s->count && s->s.next <= s->count) return 0;
  return hc_fail(e, HC_EINPUT, s->name, 0, 0,
                 "the file does not have as many jobs as when it was read before; give the same file");
}

/* ---- what it names ---- */

typedef struct naming {
  const hc_allocator *allocator;
  const options *o;
  hc_names told;
  char *path;
  size_t path_size;
} naming;

/* The model of a job that is read, once for all jobs of it. */
static hc_rc name_model(naming *n, const hc_value *v, hc_rc (*each)(void *ctx, const char *path, hc_error *e),
                        void *ctx, hc_error *e)
{
  job b = {.limit = HC_UNKNOWN};
  uint32_t id;
  if (read_job(v, n->o, &b) != FINE) return 0;
  TRY(model_path(n->allocator, n->o, hc_value_get(v, "application_model")->text, &n->path, &n->path_size));
  const size_t size = strlen(n->path);
  if (hc_names_find(&n->told, n->path, size) != HC_MAP_NONE) return 0;
  TRY(hc_names_add(&n->told, n->path, size, &id));
  return each(ctx, n->path, e);
}

static hc_rc elastisim_names(const hc_allocator *a, const void *given,
                             hc_rc (*each)(void *ctx, const char *path, hc_error *e), void *ctx, hc_error *e)
{
  naming n = {.allocator = a, .o = given};
  hc_value *root = NULL;
  hc_arena arena;
  if (!n.o->file || strcmp(n.o->file, "-") == 0) return 0; /* it can be read only once */
  hc_arena_init(&arena, a);
  hc_names_init(&n.told, a, SIZE_MAX);
  hc_rc rc = hc_value_parse_file(&arena, n.o->file, &root, e);
  const hc_value *jobs = rc < 0 ? NULL : hc_value_get(root, "jobs");
  for (size_t i = 0; rc >= 0 && jobs && jobs->kind == HC_VALUE_LIST && i < jobs->count; i++)
    rc = name_model(&n, jobs->items[i], each, ctx, e);
  hc_free(a, n.path, n.path_size);
  hc_names_fini(&n.told);
  hc_arena_fini(&arena);
  return rc;
}

static int elastisim_recognise(const char *name, const char *head, size_t size)
{
  (void)name;
  const size_t i = hc_head_begin(head, size);
  if (i == size || head[i] != '{' || !hc_head_holds(head, size, "\"jobs\"")) return 0;
  return hc_head_holds(head, size, "\"application_model\"") ? 96 : 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "Path of the file of jobs, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(
        TEXT, options, models, NULL,
        "Folder in which application models are looked for by their file names. Default: the paths in the "
        "file of jobs, from its folder or from the working directory; else their file names in its folder."),
    HC_PARAM(INT, options, cores, "cores", "0", 0, 65536,
             "Cores that a job takes on each of its nodes. 0: whole hosts; since that may be any host, "
             "storage hosts must then be outside the sets that jobs may use."),
    HC_PARAM(REAL, options, gpu_bandwidth, "B/s", "0", 0, 1e30,
             "Bandwidth between two GPUs of a node, for messages of gpu tasks (gpu_to_gpu_bw of ElastiSim's "
             "platform). 0: unknown, and tasks with such messages are refused."),
    HC_PARAM(CHOICE, options, size, "max|min|mean", "max",
             "Number of nodes with which a job that is not rigid starts if the policy does not decide. max: "
             "num_nodes_max. min: num_nodes_min. mean: half of their sum, rounded down. Its number of GPUs "
             "on each node is chosen likewise from num_gpus_per_node_min and num_gpus_per_node_max."),
    HC_PARAM(TEXT, options, pfs, "/pfs/",
             "Path that pfs_read and pfs_write read and write, on what `execution.disks` mounts there. A "
             "path that ends with a slash names no file."),
    HC_PARAM(TEXT, options, burst_buffer, "/bb/",
             "Path that bb_read and bb_write read and write, on what `execution.disks` mounts there. A path "
             "that ends with a slash names no file."),
    HC_PARAM(BOOL, options, task_times, "false",
             "Whether tasks of application models become profiles `part` with their names, whose times on "
             "each node the metric part_times counts. It does not change what jobs do."),
    HC_PARAM(TIME, options, kill_grace, "s", "0", 0, 1e9,
             "Time after its walltime at which a job is killed (ElastiSim's job_kill_grace_period). It is "
             "added to the limit that policies believe."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6,
             "Unit of submit_time, walltime and the delays of models; ElastiSim has seconds."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Which date (UTC) or Unix time time 0 is, for tables by day. Default: none."),
    {0}};

const hc_reader_type hc_reader_elastisim = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "elastisim",
         .summary = "jobs of ElastiSim and their application models (JSON)",
         .detail =
             "A task for each job, numbered from 0 in the order of the file; a walltime of 0 is none; "
             "attributes are ignored. A rigid job has num_nodes hosts. A moldable job has from num_nodes_min "
             "to num_nodes_max hosts, as the policy decides when it starts; a malleable job is moreover "
             "resized at its scheduling points (policies elastic, malleable), an evolving job when it asks "
             "for it (evolving_request, the run's cannot_grow), and an adaptive job in both ways. Moldable, "
             "malleable, evolving and adaptive jobs have the queues 1 to 4. With `execution: activities` a "
             "job does what its application model says: on_init and phases with iterations, tasks cpu "
             "(coupled or not), gpu, pfs_read, pfs_write, bb_read, bb_write (async or not), idle, busy_wait "
             "and sequence, with all patterns of ElastiSim and performance models over num_nodes, "
             "num_gpus_per_node, num_gpus and the job's arguments. A task of the model begins when the one "
             "before it has ended on all nodes. A rigid job asks for num_gpus_per_node GPUs of each node, "
             "besides its `cores`; other jobs get the GPUs with their nodes, so that each node should have "
             "one job at a time, and a node with fewer GPUs ends the run with an error. The length of gpu "
             "tasks follows from execution.gpu_speed. Vectors and matrices that are written out are refused "
             "for jobs that are not rigid; without `execution` all jobs are rejected.",
         .source = "ElastiSim 2024, https://elastisim.github.io", .params = params,
         .options_size = sizeof(options)},
    .open = elastisim_open,
    .next = elastisim_next,
    .info = elastisim_info,
    .visit = elastisim_visit,
    .close = elastisim_close,
    .names = elastisim_names,
    .recognise = elastisim_recognise};
