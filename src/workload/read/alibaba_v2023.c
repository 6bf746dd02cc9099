/* alibaba_v2023.c -- reads the pod lists of Alibaba's GPU trace of 2023 (openb).
 *
 * A row is a pod: cpu in thousandths of a core, memory in MiB, num_gpu GPUs on one host; one GPU may be a part of one,
 * gpu_milli thousandths of it. gpu_spec lists the models that will do, between bars. qos becomes queue (1 BE, 2
 * Burstable, 3 LS, 4 Guaranteed) and priority (one less): latency-sensitive pods before best-effort ones.
 *
 * A pod runs from scheduled_time to deletion_time, whatever its phase; one that was deleted at the trace's end was
 * still there. A pod that was never scheduled left the queue when it was deleted: a cancelled task that waited so long.
 * Or it runs from its creation, by option. Lists without times (multigpu) get arrivals and a run time by options.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023; Weng et al., USENIX ATC 2023. Cost: about
 * 0.4 us a row; constant memory. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"
#include "workload/ledger.h"

enum { NAME, CPU, MEMORY, GPUS, GPU, SPEC, QOS, PHASE, CREATION, DELETION, SCHEDULED, COLUMNS };

static const char *const titles[COLUMNS] = {"name",          "cpu_milli",     "memory_mib",    "num_gpu",
                                            "gpu_milli",     "gpu_spec",      "qos",           "pod_phase",
                                            "creation_time", "deletion_time", "scheduled_time"};

static const hc_alibaba_schema schema = {.reader = "source alibaba_v2023",
                                         .kind = "a pod list of Alibaba's GPU trace of 2023",
                                         .titles = titles,
                                         .count = COLUMNS,
                                         .needed = 1u << CPU | 1u << MEMORY | 1u << GPUS | 1u << GPU,
                                         .number = CPU,
                                         .submit = CREATION,
                                         .id = NAME,
                                         .prefix = "openb-pod-"};

#define MODELS 64 /* most that a pod may name */
#define MOST_GPUS 1024

typedef enum pending { PENDING_CANCELLED, PENDING_RUN } pending;

typedef struct options {
  hc_alibaba_options common;
  int pending;
  hc_time interval, run, trace_end;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_alibaba table;
  hc_alibaba_ratio cpu, memory;
  hc_task_spec task;
};

/* ---- one pod ---- */

/* @return 1, 0 if it was rejected, or an error. */
static hc_rc read_gpus(hc_source *s, hc_task_spec *t, hc_error *e)
{
  int64_t count = 0, part = HC_DEVICE;
  hc_rc rc = hc_alibaba_count(&s->table, GPUS, 0, MOST_GPUS, &count, e);
  if (rc == 1) rc = hc_alibaba_count(&s->table, GPU, 0, HC_DEVICE, &part, e);
  if (rc == 1 && count > 0) t->need[HC_DIM_GPU] = count == 1 && part > 0 ? part : count * HC_DEVICE;
  return rc;
}

/* @return 1, 0 if it was rejected, or an error. */
static hc_rc read_models(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(&s->table, SPEC);
  hc_constraint models[MODELS];
  hc_task_extras more = hc_task_extras_none();
  hc_rc n;
  if (!f) return 1;
  n = hc_alibaba_one_of(s->context->lexicon, "gpu_model", f, models, MODELS);
  if (n == HC_ELIMIT) return hc_alibaba_wrong(&s->table, SPEC, "more models than there can be", e);
  if (n < 0) return n;
  more.constraints = models;
  more.constraint_count = (size_t)n;
  if (n > 0) t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return n > 0 && t->more == 0 ? HC_ENOMEM : 1;
}

static void read_qos(const hc_source *s, hc_task_spec *t)
{
  static const char *const words[] = {"BE", "Burstable", "LS", "Guaranteed"};
  const hc_field *f = hc_alibaba_get(&s->table, QOS);
  for (int i = 0; f && i < (int)HC_ARRAY_LEN(words); i++) {
    if (!hc_field_is(f, words[i])) continue;
    t->queue = i + 1;
    t->priority = i;
  }
}

static int32_t status_of(const hc_source *s)
{
  const hc_field *f = hc_alibaba_get(&s->table, PHASE);
  if (f && hc_field_is(f, "Succeeded")) return HC_STATUS_COMPLETED;
  if (f && hc_field_is(f, "Failed")) return HC_STATUS_FAILED;
  return HC_STATUS_UNKNOWN;
}

/* A list without times. */
static hc_rc make_times(const hc_source *s, hc_task_spec *t, hc_error *e)
{
  const int64_t rank = (int64_t)s->table.table.s.rows - 1;
  if (__builtin_mul_overflow(rank, s->o->interval, &t->submit) || t->submit >= HC_NEVER / 4)
    return hc_fail(e, HC_EUSAGE, s->table.table.name, hc_line_number(t->line), 0,
                   "a pod every `interval` is more than 292 years by now: choose a shorter one");
  t->run = s->o->run;
  return 1;
}

/* @return 1, 0 if it was rejected, or an error. */
static hc_rc read_times(hc_source *s, hc_task_spec *t, hc_error *e)
{
  hc_alibaba *a = &s->table;
  hc_time created, deleted, scheduled, end;
  hc_rc rc;
  if (a->s.at[CREATION] == 0) return make_times(s, t, e);
  rc = hc_alibaba_time(a, CREATION, &created, e);
  if (rc == 1) rc = hc_alibaba_time(a, DELETION, &deleted, e);
  if (rc == 1) rc = hc_alibaba_time(a, SCHEDULED, &scheduled, e);
  if (rc != 1) return rc;
  if (created == HC_UNKNOWN) return hc_alibaba_reject(a, HC_REASON_NO_SUBMIT, e);
  end = deleted == HC_UNKNOWN ? s->o->trace_end : deleted;
  if (scheduled != HC_UNKNOWN && scheduled < created)
    return hc_alibaba_wrong(a, SCHEDULED, "before it was created", e);
  if (end < (scheduled == HC_UNKNOWN ? created : scheduled))
    return hc_alibaba_wrong(a, DELETION, "before it could have run", e);
  t->submit = created;
  if (scheduled == HC_UNKNOWN && s->o->pending == PENDING_RUN) {
    t->run = end - created;
  } else if (scheduled == HC_UNKNOWN) {
    t->wait = end - created;
    t->status = HC_STATUS_CANCELLED;
  } else {
    t->wait = scheduled - created;
    t->run = end - scheduled;
    if (end >= s->o->trace_end && t->status == HC_STATUS_UNKNOWN) t->flags |= HC_SPEC_NO_END;
  }
  return 1;
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc read_row(hc_source *s, hc_task_spec *t, hc_error *e)
{
  hc_alibaba *a = &s->table;
  hc_rc rc;
  *t = hc_task_spec_none();
  t->line = a->table.s.line;
  t->id = hc_alibaba_id(a, NAME, schema.prefix);
  if (t->id < 0) t->id = (int64_t)a->table.s.rows - 1;
  t->hosts = 1;
  t->status = status_of(s);
  read_qos(s, t);
  rc = hc_alibaba_amount(a, CPU, s->cpu, HC_ALIBABA_POSITIVE, &t->need[HC_DIM_CPU], e);
  if (rc == 1) rc = hc_alibaba_amount(a, MEMORY, s->memory, HC_ALIBABA_ANY, &t->need[HC_DIM_MEMORY], e);
  if (rc == 1) rc = read_gpus(s, t, e);
  if (rc == 1) rc = read_times(s, t, e);
  if (rc != 1) return rc;
  hc_alibaba_defaults(a, &t->need[HC_DIM_CPU], &t->need[HC_DIM_MEMORY]);
  if (t->need[HC_DIM_CPU] == HC_UNKNOWN && t->need[HC_DIM_MEMORY] <= 0 && t->need[HC_DIM_GPU] == HC_UNKNOWN)
    return hc_alibaba_reject(a, HC_REASON_NO_DEMAND, e);
  return read_models(s, t, e);
}

/* ---- the reader ---- */

static void v2023_close(hc_source *s)
{
  if (!s) return;
  hc_alibaba_close(&s->table);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc v2023_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->cpu = hc_alibaba_cpu(&o->common, 1000);
  s->memory = hc_alibaba_memory(&o->common, 1);
  rc = hc_alibaba_open(&s->table, c, &o->common, &schema, 1, e);
  if (rc < 0) v2023_close(s);
  else *out = s;
  return rc;
}

static hc_rc v2023_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_alibaba_next(&s->table, e)) == 1) {
    rc = read_row(s, &s->task, e);
    *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return rc;
}

static const hc_trace_info *v2023_info(hc_source *s)
{
  s->table.info.derived =
      s->table.s.started && s->table.s.at[CREATION] == 0
          ? "This list has no times: pods arrive in its order, one every `interval`, and all run for `run`."
          : "A pod runs from when it was scheduled to when it was deleted; one that never was left the queue then.";
  return &s->table.info;
}

static hc_rc v2023_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  return hc_alibaba_visit(&s->table, v, e);
}

static void v2023_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.table.in, done, total);
}

static int v2023_recognise(const char *name, const char *head, size_t size)
{
  hc_field f[HC_ALIBABA_COLUMNS];
  const size_t n = HC_MIN(hc_alibaba_first_line(head, size, f), (size_t)HC_ALIBABA_COLUMNS);
  HC_UNUSED(name);
  return n >= 5 && hc_alibaba_titles(&schema, f, n) == n ? 98 : 0;
}

static hc_rc v2023_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                              void **layout, hc_error *e)
{
  const options *o = given;
  return hc_alibaba_line_begin(a, &o->common, &schema, 1, text, size, layout, e);
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "1000", "1MiB", "what 1 of memory_mib stands for"),
    HC_PARAM(CHOICE, options, pending, "cancelled|run", "cancelled",
             "Pods that were never scheduled. cancelled: they waited until they were deleted, and what "
             "becomes of such tasks is the run's `cancelled`. run: they run from their creation to their "
             "deletion."),
    HC_PARAM(TIME, options, interval, "s", "1s", 0, 1e9,
             "Of a list without times: how long after each other pods arrive; 0: all at time 0."),
    HC_PARAM(TIME, options, run, "s", "1h", 0, 1e9, "Of a list without times: how long each pod runs."),
    HC_PARAM(TIME, options, trace_end, "s", "12902960", 0, 1e9,
             "When the trace ends: a pod that ran then, or has no deletion_time, had not ended."),
    {.name = NULL},
};

const hc_reader_type hc_reader_alibaba_v2023 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "alibaba_v2023",
         .summary = "pod lists of Alibaba's GPU trace of 2023 (openb)",
         .detail =
             "11 columns with titles, or the first 5, in any order. submit is creation_time, wait until scheduled_time, "
             "run until deletion_time. num_gpu GPUs are on one host; one GPU is gpu_milli thousandths of it. gpu_spec "
             "are alternatives for the attribute gpu_model. A pod that was never scheduled is a cancelled task with a "
             "wait and no run time. Succeeded is completed, Failed is failed, Running unknown. id is the number in "
             "openb-pod-17.",
         .source =
             "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023; Weng et al., \"Beware of "
             "Fragmentation\", USENIX ATC 2023",
         .params = params, .options_size = sizeof(options)},
    .open = v2023_open,
    .next = v2023_next,
    .info = v2023_info,
    .visit = v2023_visit,
    .progress = v2023_progress,
    .close = v2023_close,
    .recognise = v2023_recognise,
    .line_key = hc_alibaba_line_key,
    .line_begin = v2023_line_begin,
    .line_end = hc_alibaba_line_end,
};
