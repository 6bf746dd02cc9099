/* alibaba_v2023.c -- the pod lists of Alibaba's GPU trace of 2023 (openb).
 *
 * A row is a pod: cpu in thousandths of a core, memory in MiB, num_gpu GPUs on one host; one GPU may be a
 * part of one, gpu_milli thousandths of it. gpu_spec lists the models that will do, between bars. qos becomes
 * queue (1 BE, 2 Burstable, 3 LS, 4 Guaranteed) and priority (one less): latency-sensitive pods before
 * best-effort ones.
 *
 * A pod runs from scheduled_time to deletion_time, whatever its phase; one that was deleted at the trace's
 * end was still there. A pod that was never scheduled left the queue when it was deleted: a cancelled task
 * that waited so long. Or it runs from its creation, by option. Lists without times (multigpu) get arrivals
 * and a run time by options.
 *
 * Written, a task becomes a pod for each of its hosts and for each of a bundle. Memory is rounded up to MiB
 * and times to seconds; a part of a GPU is gpu_milli of one, more are whole ones. A task that never ran is
 * Pending. Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023; Weng et al., USENIX ATC
 * 2023. Cost: about 0.4 us a row read, 150 ns written; constant memory. */
#include "table/pen.h"
#include "table/sheet.h"
#include "workload/alibaba.h"
#include "workload/ledger.h"

enum { NAME, CPU, MEMORY, GPUS, GPU, SPEC, QOS, PHASE, CREATION, DELETION, SCHEDULED, COLUMNS };
enum { PENDING_CANCELLED, PENDING_RUN };

#define MODELS 64 /* most that a pod may name */
#define MOST_GPUS 1024
#define TRACE_END (12902960 * HC_SECOND) /* of the published trace: what runs then had not ended */

typedef struct options {
  hc_alibaba_options common;
  int pending;
  hc_time interval, run, trace_end;
} options;

static char *put_id(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  if (w->is_labelled && hc_pen_label(&p, w, &w->form->columns[NAME], lost)) return p;
  p = hc_put_text(p, "openb-pod-");
  if (t->id < 0) return p;
  return t->id < 10000 ? hc_put_four(p, (uint32_t)t->id) : hc_put_int(p, t->id);
}

static char *put_models(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return hc_pen_models(p, w->rows.context->lexicon, t, MODELS, lost);
}

static char *put_phase(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const bool ran = t->run != HC_UNKNOWN, ended = ran && !(t->flags & HC_SPEC_NO_END);
  HC_UNUSED(w);
  if (!ran) {
    hc_pen_lose(lost, HC_FACT_BIT(STATUS),
                t->status != HC_STATUS_CANCELLED && t->status != HC_STATUS_UNKNOWN);
    return hc_put_text(p, "Pending");
  }
  if (!ended || t->status == HC_STATUS_UNKNOWN) return hc_put_text(p, "Running");
  if (t->status == HC_STATUS_COMPLETED) return hc_put_text(p, "Succeeded");
  hc_pen_lose(lost, HC_FACT_BIT(STATUS), t->status != HC_STATUS_FAILED);
  return hc_put_text(p, "Failed");
}

static const hc_column columns[COLUMNS] = {
    [NAME] = {"name", HC_TO(ID), HC_NUMBERED("openb-pod-"), .put = put_id},
    [CPU] = {"cpu_milli", HC_TO(CPU), HC_DECIMAL(1000, 1000), .flags = HC_EXACT | HC_NEEDED | HC_CPU_SCALE},
    [MEMORY] = {"memory_mib", HC_TO(MEMORY), HC_DECIMAL((int64_t)1 << 20, 1),
                .flags = HC_ZERO_SAYS | HC_NEEDED | HC_MEMORY_SCALE},
    [GPUS] = {"num_gpu", HC_WHOLE(0, MOST_GPUS), .note = "gpu, on one host", .flags = HC_NEEDED},
    [GPU] = {"gpu_milli", HC_WHOLE(0, HC_DEVICE), .note = "thousandths of the GPU, if num_gpu is 1",
             .flags = HC_NEEDED},
    [SPEC] = {"gpu_spec", .note = "alternatives for the attribute gpu_model, between bars",
              .put = put_models},
    [QOS] = {"qos", HC_TO(QUEUE), HC_WORDS({"BE", 1}, {"Burstable", 2}, {"LS", 3}, {"Guaranteed", 4})},
    [PHASE] = {"pod_phase", HC_TO(STATUS),
               HC_WORDS({"Succeeded", HC_STATUS_COMPLETED}, {"Failed", HC_STATUS_FAILED}), .put = put_phase},
    [CREATION] = {"creation_time", HC_TO(SUBMIT), HC_IS(SECONDS), .flags = HC_NONE_IS_FIRST | HC_SAID},
    [DELETION] = {"deletion_time", HC_IS(SECONDS), .note = "the end of its run"},
    [SCHEDULED] = {"scheduled_time", HC_IS(SECONDS), .note = "the end of its wait"}};

static const hc_table_form form =
    HC_ALIBABA_FORM("a pod list of Alibaba's GPU trace of 2023", columns, CPU, false);

static const options *options_of(const hc_sheet *s)
{
  return (const options *)(const void *)s->o;
}

/* ---- reading ---- */

/* Of a list without times no time is looked at. */
static hc_rc check_times(hc_sheet *s, hc_error *e)
{
  HC_UNUSED(e);
  if (s->s.at[CREATION] == 0) s->s.at[DELETION] = s->s.at[SCHEDULED] = 0;
  return 0;
}

/* A list without times. */
static hc_rc make_times(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const int64_t rank = (int64_t)s->in.s.rows - 1;
  if (__builtin_mul_overflow(rank, options_of(s)->interval, &t->submit) || t->submit >= HC_NEVER / 4)
    return hc_fail(e, HC_EUSAGE, s->in.name, hc_line_number(t->line), 0,
                   "a pod every `interval` is more than 292 years by now: choose a shorter one");
  t->run = options_of(s)->run;
  return 1;
}

static hc_rc read_times(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const hc_time scheduled = s->value[SCHEDULED], begun = scheduled == HC_UNKNOWN ? t->submit : scheduled,
                end = s->value[DELETION] == HC_UNKNOWN ? options_of(s)->trace_end : s->value[DELETION];
  if (s->s.at[CREATION] == 0) return make_times(s, t, e);
  if (begun < t->submit) return hc_sheet_wrong(s, SCHEDULED, "before it was created", e);
  if (end < begun) return hc_sheet_wrong(s, DELETION, "before it could have run", e);
  if (scheduled == HC_UNKNOWN && options_of(s)->pending == PENDING_CANCELLED) {
    t->wait = end - begun;
    t->status = HC_STATUS_CANCELLED;
    return 1;
  }
  if (scheduled != HC_UNKNOWN) t->wait = scheduled - t->submit;
  t->run = end - begun;
  if (scheduled != HC_UNKNOWN && end >= options_of(s)->trace_end && t->status == HC_STATUS_UNKNOWN)
    t->flags |= HC_SPEC_NO_END;
  return 1;
}

static hc_rc read_pod(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const int64_t gpus = s->value[GPUS], part = s->value[GPU];
  if (t->id < 0) t->id = (int64_t)s->in.s.rows - 1;
  t->priority = t->queue > 0 ? t->queue - 1 : 0;
  if (gpus > 0) t->need[HC_DIM_GPU] = gpus == 1 && part > 0 ? part : gpus * HC_DEVICE;
  return read_times(s, t, e);
}

static hc_rc read_models(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  if (t->need[HC_DIM_CPU] == HC_UNKNOWN && t->need[HC_DIM_MEMORY] == 0 && t->need[HC_DIM_GPU] == HC_UNKNOWN)
    return hc_sheet_reject(s, HC_REASON_NO_DEMAND, e);
  return hc_sheet_one_of(s, t, SPEC, "gpu_model", MODELS, e);
}

static void say_times(hc_sheet *s, hc_trace_info *i)
{
  i->derived =
      s->s.begun && s->s.at[CREATION] == 0
          ? "This list has no times: pods arrive in its order, one every `interval`, and all run for `run`."
          : "A pod runs from when it was scheduled to when it was deleted; one that never was left the "
            "queue then.";
}

/* ---- writing ---- */

static hc_rc write_pod(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  const int64_t gpu = w->slots.need[HC_DIM_GPU];
  const bool ran = t->run != HC_UNKNOWN;
  HC_UNUSED(e);
  if (t->submit == HC_UNKNOWN) return 1;
  hc_pen_lose(lost, HC_FACT_BIT(PRECISION), gpu > HC_DEVICE && gpu % HC_DEVICE != 0);
  value[GPUS] = gpu <= 0 ? 0 : gpu / HC_DEVICE + (gpu % HC_DEVICE != 0);
  value[GPU] = gpu <= 0 ? 0 : HC_MIN(gpu, (int64_t)HC_DEVICE);
  hc_pen_lose(lost, HC_FACT_BIT(PRIORITY),
              t->priority != (t->queue >= 1 && t->queue <= 4 ? t->queue - 1 : 0));
  value[DELETION] = ran ? hc_end_of(t) : t->wait != HC_UNKNOWN ? t->submit + t->wait : HC_UNKNOWN;
  value[SCHEDULED] = ran ? hc_start_of(t) : HC_UNKNOWN;
  hc_pen_lose(lost, HC_FACT_BIT(NO_END), t->flags & HC_SPEC_NO_END && value[DELETION] < TRACE_END);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {.name = "alibaba_v2023",
                                       .forms = &form,
                                       .form_count = 1,
                                       HC_ALIBABA_MISSING,
                                       .known_titles = 5,
                                       .score = 98,
                                       .bound = check_times,
                                       .check = read_pod,
                                       .row = read_models,
                                       .info = say_times,
                                       .rows = HC_ROW_A_HOST,
                                       .writes_titles = true,
                                       .says = HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(PRIORITY) |
                                               HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END) |
                                               HC_FACT_BIT(CANCEL_AT),
                                       .fill = write_pod};

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "1000", "1MiB", "Bytes that 1 of memory_mib stands for."),
    HC_PARAM(CHOICE, options, pending, "cancelled|run", "cancelled",
             "What becomes of pods that were never scheduled. cancelled: they waited until they were "
             "deleted; the run's `cancelled` says what becomes of such tasks. run: they run from their "
             "creation to their deletion."),
    HC_PARAM(TIME, options, interval, "s", "1s", 0, 1e9,
             "For a list without times: time between two arrivals of pods. 0: all arrive at time 0."),
    HC_PARAM(TIME, options, run, "s", "1h", 0, 1e9, "For a list without times: run time of each pod."),
    HC_PARAM(TIME, options, trace_end, "s", "12902960", 0, 1e9,
             "Time at which the trace ends: a pod that ran then, or has no deletion_time, had not ended."),
    {.name = NULL},
};

HC_TABLE_READER(
    alibaba_v2023, format, options, params, .summary = "pod lists of Alibaba's GPU trace of 2023 (openb)",
    .detail = "A list may also have only the first 5 columns. A pod that was never scheduled is a cancelled "
              "task with a wait and without a run time. A pod that is Running has not ended.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023; Weng et al., \"Beware of "
              "Fragmentation\", USENIX ATC 2023");

HC_TABLE_WRITER(
    alibaba_v2023, format, columns, ',', ".csv",
    .summary = "a pod list of the Alibaba v2023 GPU trace (openb): a row for each pod",
    .detail = "With titles; memory is rounded up to MiB, times are whole seconds. A task becomes a row for "
              "each of its hosts and for each task of a bundle; one that had not ended is Running. Queues 1 "
              "to 4 are written as BE, Burstable, LS and Guaranteed, which the reader gives the priorities 0 "
              "to 3; other priorities are lost. Tasks without a time of submission are left out.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023");
