/* alibaba_v2026.c -- job_info_df.csv, Alibaba's GPU trace of 2026: high-priority and spot jobs.
 *
 * A row is a job of worker_num workers that start together (a gang), each with gpu_request GPUs of model
 * gpu_model and cpu_request cores; memory is not said. It is submitted at submit_time, which counts from the
 * first job, and runs for `duration`. High-priority jobs (HP) have queue 2 and priority 1, spot jobs (Spot),
 * which may be sent away, queue 1 and priority 0. The organization is the user.
 *
 * Written, a task is a job whose workers are its hosts; a bundle becomes as many jobs. gpu_model holds
 * constraints that are alternatives for gpu_model alone, if there are GPUs. A task that never ran has no
 * duration.
 *
 * Columns are found by their titles, since the published order is not the one that the description has.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2026; Duan et al., ASPLOS 2026. Cost:
 * about 0.4 us a row read, 150 ns written; constant memory. */
#include "table/pen.h"
#include "table/sheet.h"
#include "workload/alibaba.h"

#define SOURCE "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2026; Duan et al., ASPLOS 2026"

enum { NAME, ORGANIZATION, MODEL, CPU, GPU, WORKERS, SUBMIT, DURATION, TYPE, COLUMNS };
enum { MODEL_REQUIRE, MODEL_IGNORE };
enum { MOST_MODELS = 20, SPOT = 1, HP = 2 };

typedef struct options {
  hc_alibaba_options common;
  int gpu_model;
  bool gang;
} options;

static char *put_models(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return w->slots.need[HC_DIM_GPU] > 0 ? hc_pen_models(p, w->rows.context->lexicon, t, MOST_MODELS, lost) : p;
}

static const hc_column columns[COLUMNS] = {
    [NAME] = {"job_name", HC_TO(ID), HC_NUMBERED("")},
    [ORGANIZATION] = {"organization", HC_TO(USER), HC_NUMBERED("")},
    [MODEL] = {"gpu_model", .note = "alternatives for the attribute gpu_model, between bars",
               .put = put_models},
    [CPU] = {"cpu_request", HC_TO(CPU), HC_DECIMAL(1000, 1), .flags = HC_EXACT | HC_CPU_SCALE},
    [GPU] = {"gpu_request", HC_TO(GPU), HC_DECIMAL(HC_DEVICE, 1), .flags = HC_EXACT | HC_NEEDED},
    [WORKERS] = {"worker_num", HC_TO(HOSTS), HC_WHOLE(1, INT32_MAX), .flags = HC_NEEDED},
    [SUBMIT] = {"submit_time", HC_TO(SUBMIT), HC_IS(SECONDS),
                .flags = HC_EXACT | HC_NEEDED | HC_NONE_IS_FIRST | HC_SAID},
    [DURATION] = {"duration", HC_TO(RUN), HC_IS(SECONDS), .flags = HC_EXACT | HC_NEEDED | HC_SAID},
    [TYPE] = {"job_type", HC_TO(QUEUE), HC_WORDS({"Spot", SPOT}, {"HP", HP})}};

static const hc_table_form form =
    HC_ALIBABA_FORM("job_info_df.csv of Alibaba's GPU trace of 2026", columns, SUBMIT, false);

static hc_rc read_job(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const options *o = (const options *)(const void *)s->o;
  const int64_t workers = t->hosts == HC_UNKNOWN ? 1 : t->hosts;
  t->priority = t->queue == HP;
  t->hosts = o->gang ? workers : 1;
  t->count = o->gang ? 0 : (uint32_t)workers;
  if (t->need[HC_DIM_GPU] == HC_UNKNOWN || o->gpu_model == MODEL_IGNORE) return 1;
  return hc_sheet_one_of(s, t, MODEL, "gpu_model", MOST_MODELS, e);
}

static hc_rc write_job(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  HC_UNUSED(e);
  if (!hc_is_time(t->submit)) return 1;
  value[GPU] = HC_MAX(w->slots.need[HC_DIM_GPU], 0);
  hc_pen_lose(lost, HC_FACT_BIT(RUN), t->run == HC_NEVER);
  hc_pen_lose(lost, HC_FACT_BIT(PRIORITY), t->priority != (t->queue == HP));
  return 0;
}

static const hc_table_format format = {.name = "alibaba_v2026",
                                       .forms = &form,
                                       .form_count = 1,
                                       HC_ALIBABA_MISSING,
                                       .known_titles = 7,
                                       .score = 98,
                                       .row = read_job,
                                       .rows = HC_ROW_OF_A_BUNDLE,
                                       .writes_titles = true,
                                       .says = HC_FACT_BIT(PRIORITY) | HC_FACT_BIT(BUNDLE),
                                       .fill = write_job};

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "1", "1GiB", "No effect: the trace does not say what memory a job needs."),
    HC_PARAM(BOOL, options, gang, "true",
             "Whether the workers of a job start together. false: each is a task of its own."),
    HC_PARAM(CHOICE, options, gpu_model, "require|ignore", "require",
             "What gpu_model means. require: a job with GPUs runs only on hosts whose attribute gpu_model is "
             "its gpu_model. ignore: nothing."),
    {.name = NULL},
};

HC_TABLE_READER(alibaba_v2026, format, options, params,
                .summary = "job_info_df.csv, Alibaba's GPU trace of 2026: high-priority and spot jobs",
                .detail = "A job is a task of worker_num slots that start together; without `gang` it is a "
                          "bundle of so many tasks. HP has priority 1, Spot 0.",
                .source = SOURCE);

HC_TABLE_WRITER(
    alibaba_v2026, format, columns, ',', ".csv",
    .summary =
        "job_info_df.csv of Alibaba's GPU trace of 2026: a row for each task, written as a job of workers",
    .detail =
        "With titles; all values are exact. A bundle becomes a row for each of its tasks. Lost: memory, "
        "waits, and how a task ended. Tasks submitted before time 0, or at an unknown time, are left out.",
    .source = SOURCE);
