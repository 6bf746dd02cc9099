/* alibaba_v2026.c -- reads job_info_df.csv, Alibaba's GPU trace of 2026: high-priority and spot jobs.
 *
 * A row is a job of worker_num workers that start together (a gang), each with gpu_request GPUs of model gpu_model and
 * cpu_request cores; memory is not said. It is submitted at submit_time, which counts from the first job, and runs for
 * `duration`. High-priority jobs (HP) have queue 2 and priority 1, spot jobs (Spot), which may be sent away, queue 1
 * and priority 0. The organization is the user.
 *
 * Columns are found by their titles, since the published order is not the one that the description has.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2026; Duan et al., ASPLOS 2026. Cost: about
 * 0.4 us a row; constant memory. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"

enum { NAME, ORGANIZATION, MODEL, CPU, GPU, WORKERS, SUBMIT, DURATION, TYPE, COLUMNS };

static const char *const titles[COLUMNS] = {"job_name",    "organization", "gpu_model",
                                            "cpu_request", "gpu_request",  "worker_num",
                                            "submit_time", "duration",     "job_type"};

static const hc_alibaba_schema schema = {.reader = "source alibaba_v2026",
                                         .kind = "job_info_df.csv of Alibaba's GPU trace of 2026",
                                         .titles = titles,
                                         .count = COLUMNS,
                                         .needed = 1u << GPU | 1u << WORKERS | 1u << SUBMIT | 1u << DURATION,
                                         .number = SUBMIT,
                                         .submit = SUBMIT,
                                         .id = NAME,
                                         .prefix = ""};

typedef enum gpu_model { MODEL_REQUIRE, MODEL_IGNORE } gpu_model;

typedef struct options {
  hc_alibaba_options common;
  int gpu_model;
  bool gang;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_alibaba table;
  hc_alibaba_ratio cpu, gpu;
  hc_task_spec task;
};

/* @return 1 or HC_ENOMEM. */
static hc_rc read_model(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(&s->table, MODEL);
  hc_constraint models[HC_ALIBABA_COLUMNS];
  hc_task_extras more = hc_task_extras_none();
  hc_rc n;
  if (!f || s->o->gpu_model == MODEL_IGNORE) return 1;
  n = hc_alibaba_one_of(s->context->lexicon, "gpu_model", f, models, HC_ARRAY_LEN(models));
  if (n == HC_ELIMIT) return hc_alibaba_wrong(&s->table, MODEL, "more models than there can be", e);
  if (n <= 0) return n < 0 ? n : 1;
  more.constraints = models;
  more.constraint_count = (size_t)n;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more == 0 ? HC_ENOMEM : 1;
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc read_row(hc_source *s, hc_task_spec *t, hc_error *e)
{
  hc_alibaba *a = &s->table;
  const hc_field *type = hc_alibaba_get(a, TYPE);
  int64_t workers = 1;
  hc_rc rc;
  *t = hc_task_spec_none();
  t->line = a->table.s.line;
  t->id = hc_alibaba_id(a, NAME, "");
  t->user = hc_alibaba_id(a, ORGANIZATION, "");
  if (type && hc_same_word(type->text, type->length, "HP")) {
    t->queue = 2;
    t->priority = 1;
  } else if (type && hc_same_word(type->text, type->length, "Spot")) {
    t->queue = 1;
  }
  rc = hc_alibaba_amount(a, CPU, s->cpu, HC_ALIBABA_POSITIVE, &t->need[HC_DIM_CPU], e);
  if (rc == 1) rc = hc_alibaba_amount(a, GPU, s->gpu, HC_ALIBABA_POSITIVE, &t->need[HC_DIM_GPU], e);
  if (rc == 1) rc = hc_alibaba_count(a, WORKERS, 1, INT32_MAX, &workers, e);
  if (rc == 1) rc = hc_alibaba_time(a, SUBMIT, &t->submit, e);
  if (rc == 1) rc = hc_alibaba_time(a, DURATION, &t->run, e);
  if (rc != 1) return rc;
  t->hosts = s->o->gang ? workers : 1;
  t->count = s->o->gang ? 0 : (uint32_t)workers;
  hc_alibaba_defaults(a, &t->need[HC_DIM_CPU], &t->need[HC_DIM_MEMORY]);
  if (t->submit == HC_UNKNOWN) return hc_alibaba_reject(a, HC_REASON_NO_SUBMIT, e);
  if (t->run == HC_UNKNOWN) return hc_alibaba_reject(a, HC_REASON_NEVER_RAN, e);
  if (t->need[HC_DIM_CPU] == HC_UNKNOWN && t->need[HC_DIM_MEMORY] == HC_UNKNOWN &&
      t->need[HC_DIM_GPU] == HC_UNKNOWN)
    return hc_alibaba_reject(a, HC_REASON_NO_DEMAND, e);
  return t->need[HC_DIM_GPU] == HC_UNKNOWN ? 1 : read_model(s, t, e);
}

/* ---- the reader ---- */

static void v2026_close(hc_source *s)
{
  if (!s) return;
  hc_alibaba_close(&s->table);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc v2026_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->cpu = hc_alibaba_cpu(&o->common, 1);
  s->gpu = (hc_alibaba_ratio){HC_DEVICE, 1};
  rc = hc_alibaba_open(&s->table, c, &o->common, &schema, 1, e);
  if (rc < 0) v2026_close(s);
  else *out = s;
  return rc;
}

static hc_rc v2026_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_alibaba_next(&s->table, e)) == 1) {
    rc = read_row(s, &s->task, e);
    *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return rc;
}

static const hc_trace_info *v2026_info(hc_source *s)
{
  return &s->table.info;
}

static hc_rc v2026_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  return hc_alibaba_visit(&s->table, v, e);
}

static void v2026_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.table.in, done, total);
}

static int v2026_recognise(const char *name, const char *head, size_t size)
{
  hc_field f[HC_ALIBABA_COLUMNS];
  const size_t n = HC_MIN(hc_alibaba_first_line(head, size, f), (size_t)HC_ALIBABA_COLUMNS);
  HC_UNUSED(name);
  return n >= 7 && hc_alibaba_titles(&schema, f, n) == n ? 98 : 0;
}

static hc_rc v2026_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                              void **layout, hc_error *e)
{
  const options *o = given;
  return hc_alibaba_line_begin(a, &o->common, &schema, 1, text, size, layout, e);
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "1", "1GiB", "not used: the trace does not say what memory a job needs"),
    HC_PARAM(BOOL, options, gang, "true",
             "The workers of a job start together. false: each is a task of its own."),
    HC_PARAM(CHOICE, options, gpu_model, "require|ignore", "require",
             "require: a job with GPUs runs only on hosts whose attribute gpu_model is its gpu_model. "
             "ignore: anywhere."),
    {.name = NULL},
};

const hc_reader_type hc_reader_alibaba_v2026 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "alibaba_v2026",
         .summary = "job_info_df.csv, Alibaba's GPU trace of 2026: high-priority and spot jobs",
         .detail =
             "9 columns with titles, in any order. A job is a task of worker_num slots at once, or a bundle of as "
             "many without `gang`, each with cpu_request cores and gpu_request GPUs. HP: queue 2, priority 1; "
             "Spot: queue 1, priority 0. user is the organization, id the job_name.",
         .source =
             "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2026; Duan et al., ASPLOS 2026",
         .params = params, .options_size = sizeof(options)},
    .open = v2026_open,
    .next = v2026_next,
    .info = v2026_info,
    .visit = v2026_visit,
    .progress = v2026_progress,
    .close = v2026_close,
    .recognise = v2026_recognise,
    .line_key = hc_alibaba_line_key,
    .line_begin = v2026_line_begin,
    .line_end = hc_alibaba_line_end,
};
