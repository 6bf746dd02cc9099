/* alibaba_v2025.c -- disaggregated_DLRM_trace.csv, Alibaba's GPU trace of 2025: instances of inference
 * services.
 *
 * A row is an instance with requests for cores, GPUs, memory, disk, and a share of a network card's bandwidth
 * (rdma, in per cent of one). role says whether it is the CPU part (CN: queue 1) or the GPU part (HN: queue
 * 2) of its service. At most max_instance_per_node instances of one app_name may share a host.
 *
 * Times outside the trace are empty: without a creation it was there at time 0; without a deletion it had not
 * ended at `trace_end`. It runs from when it was scheduled to when it was deleted. Limits are not used.
 *
 * Written, a task becomes an instance for each of its hosts and for each of a bundle; a limit is what was
 * asked for. All is exact. Of a task that is known to be there from its start on, the creation is empty, and
 * of one that had not ended, the deletion. Source: https://github.com/alibaba/clusterdata,
 * cluster-trace-gpu-v2025; Yang et al., NSDI 2025. Cost: about 0.5 us a row read, 0.6 us written; constant
 * memory. */
#include "table/pen.h"
#include "table/sheet.h"
#include "workload/alibaba.h"
#include "workload/spec.h"

enum {
  NAME,
  ROLE,
  APP,
  CPU,
  CPU_LIMIT,
  GPU,
  GPU_LIMIT,
  RDMA,
  RDMA_LIMIT,
  MEMORY,
  MEMORY_LIMIT,
  DISK,
  DISK_LIMIT,
  PER_NODE,
  CREATION,
  SCHEDULED,
  DELETION,
  COLUMNS
};
enum { BEFORE_START, BEFORE_REJECT };
enum { RDMA_REQUIRE, RDMA_IGNORE };

#define GIB ((int64_t)1 << 30)

typedef struct options {
  hc_alibaba_options common;
  int before, rdma;
  hc_time trace_end;
} options;

typedef struct pen_options {
  hc_time trace_end;
} pen_options;

typedef struct own {
  int rdma; /* its dimension; -1: none */
} own;

#define CORES HC_DECIMAL(1000, 1), .flags = HC_EXACT | HC_CPU_SCALE
#define DEVICES HC_DECIMAL(HC_DEVICE, 1), .flags = HC_EXACT
#define BYTES HC_DECIMAL(GIB, 1), .flags = HC_POINTED
#define SECONDS HC_IS(SECONDS), .flags = HC_POINTED | HC_NEEDED
#define LIMIT(of) of | HC_WRITE_ONLY /* what was asked for */

static char *put_density(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost);

static const hc_column columns[COLUMNS] = {
    [NAME] = {"instance_sn", HC_TO(ID), HC_NUMBERED("instance_")},
    [ROLE] = {"role", HC_TO(QUEUE), HC_WORDS({"CN", 1}, {"HN", 2})},
    [APP] = {"app_name", HC_TO(GROUP), HC_NUMBERED("app_"), .flags = HC_NEEDED},
    [CPU] = {"cpu_request", HC_TO(CPU), CORES | HC_NEEDED},
    [CPU_LIMIT] = {"cpu_limit", HC_TO(CPU), LIMIT(CORES)},
    [GPU] = {"gpu_request", HC_TO(GPU), DEVICES | HC_NEEDED},
    [GPU_LIMIT] = {"gpu_limit", HC_TO(GPU), LIMIT(DEVICES)},
    [RDMA] = {"rdma_request", HC_DECIMAL(1, 1), .note = "rdma, in per cent of a network card",
              .flags = HC_EXACT},
    [RDMA_LIMIT] = {"rdma_limit", HC_DECIMAL(1, 1), .note = "rdma", .flags = HC_EXACT | HC_WRITE_ONLY},
    [MEMORY] = {"memory_request", HC_TO(MEMORY), BYTES | HC_MEMORY_SCALE},
    [MEMORY_LIMIT] = {"memory_limit", HC_TO(MEMORY), LIMIT(BYTES)},
    [DISK] = {"disk_request", HC_TO(DISK), BYTES},
    [DISK_LIMIT] = {"disk_limit", HC_TO(DISK), LIMIT(BYTES)},
    [PER_NODE] = {"max_instance_per_node", HC_WHOLE(-1, UINT32_MAX),
                  .note = "most of its app_name that share a host; -1: any number", .put = put_density},
    [CREATION] = {"creation_time", HC_TO(SUBMIT), SECONDS | HC_NONE_IS_FIRST},
    [SCHEDULED] = {"scheduled_time", HC_IS(SECONDS), .note = "the end of its wait", .flags = HC_POINTED},
    [DELETION] = {"deletion_time", SECONDS, .note = "the end of its run"}};

static const hc_table_form form =
    HC_ALIBABA_FORM("disaggregated_DLRM_trace.csv of Alibaba's GPU trace of 2025", columns, CPU, false);

/* ---- reading ---- */

static const options *options_of(const hc_sheet *s)
{
  return (const options *)(const void *)s->o;
}

static hc_rc find_rdma(hc_sheet *s, hc_error *e)
{
  own *w = s->own;
  const bool is_wanted = options_of(s)->rdma == RDMA_REQUIRE;
  w->rdma = is_wanted ? hc_lexicon_dimension(s->context->lexicon, "rdma", 4) : -1;
  if (!is_wanted || w->rdma >= 0) return 0;
  return hc_fail(e, HC_ELIMIT, "source alibaba_v2025", 0, 0,
                 "there is no room for a dimension `rdma` beside the %d that are named: set `rdma: ignore`",
                 HC_DIMENSIONS);
}

static hc_rc read_times(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const hc_time trace_end = options_of(s)->trace_end;
  hc_time scheduled = s->value[SCHEDULED], deleted = s->value[DELETION];
  if (t->submit == HC_UNKNOWN && options_of(s)->before == BEFORE_REJECT)
    return hc_sheet_reject(s, HC_REASON_ALREADY_RUNNING, e);
  if (t->submit != HC_UNKNOWN && scheduled == HC_UNKNOWN) { /* never, within the trace */
    t->status = HC_STATUS_CANCELLED;
    t->wait = HC_MAX((deleted == HC_UNKNOWN ? trace_end : deleted) - t->submit, 0);
    return 1;
  }
  if (t->submit == HC_UNKNOWN) {
    t->submit = scheduled = scheduled == HC_UNKNOWN ? 0 : scheduled;
    t->flags |= HC_SPEC_AT_START;
  }
  if (scheduled < t->submit) return hc_sheet_wrong(s, SCHEDULED, "before it was created", e);
  if (deleted == HC_UNKNOWN) {
    deleted = HC_MAX(trace_end, scheduled);
    t->flags |= HC_SPEC_NO_END;
  }
  if (deleted < scheduled) return hc_sheet_wrong(s, DELETION, "before it was scheduled", e);
  t->wait = scheduled - t->submit;
  t->run = deleted - scheduled;
  return 1;
}

/* rdma is only looked at if it is required. */
static hc_rc skip_rdma(hc_sheet *s, hc_error *e)
{
  HC_UNUSED(e);
  if (((const own *)s->own)->rdma < 0) s->s.at[RDMA] = 0;
  return 0;
}

static hc_rc read_instance(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const own *w = s->own;
  const hc_amount further = {.dimension = (uint32_t)HC_MAX(w->rdma, 0), .amount = s->value[RDMA]};
  hc_task_extras more = hc_task_extras_none();
  const hc_rc rc = read_times(s, t, e);
  const bool is_rival = s->value[PER_NODE] > 0 && t->group >= 0;
  if (rc != 1) return rc;
  if (w->rdma >= HC_NEEDS) more.further_count = 1;
  else if (w->rdma >= 0) t->need[w->rdma] = s->value[RDMA];
  if (!is_rival && more.further_count == 0) return 1;
  more.further = &further;
  if (!is_rival) return hc_sheet_keep(s, t, &more);
  more.per_host = (uint32_t)s->value[PER_NODE];
  more.rival = t->group;
  return hc_sheet_keep(s, t, &more);
}

/* ---- writing ---- */

/* "8": how many of its group may share a host; "-1": any number. */
static char *put_density(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_task_extras *m = t->more != 0 ? hc_lexicon_more(w->rows.context->lexicon, t->more) : NULL;
  if (!m || m->per_host == 0 || t->group < 0 || m->rival != t->group) return hc_put_text(p, "-1");
  if (m->per_zone == 0) *lost &= ~HC_FACT_BIT(RIVALS);
  return hc_put_uint(p, m->per_host);
}

/* What it needs of a dimension by its name. Any other that has one is lost. */
static int64_t rdma_of(const hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  int64_t rdma = 0;
  bool others = false;
  for (uint32_t d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) {
    const int64_t need = d < HC_NEEDS || t->more != 0 ? hc_spec_need(t, l, d) : HC_UNKNOWN;
    const char *name = need >= 0 && l ? hc_lexicon_dimension_name(l, d) : NULL;
    if (name && strcmp(name, "rdma") == 0) rdma = need;
    else others |= need >= 0;
  }
  if (!others) *lost &= ~HC_FACT_BIT(OTHER);
  return rdma;
}

static void fill_times(const hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost)
{
  const hc_time trace_end = ((const pen_options *)w->options)->trace_end;
  const bool was_there = (t->flags & HC_SPEC_AT_START) != 0;
  const hc_time start = hc_start_of(t), left = hc_time_add(t->submit, HC_MAX(t->wait, 0));
  const bool ends = t->run >= 0 && !(t->flags & HC_SPEC_NO_END) && t->run != HC_NEVER;
  value[SCHEDULED] = value[DELETION] = HC_UNKNOWN;
  if (t->run < 0) { /* left the queue, or was in it to the end */
    if (t->status == HC_STATUS_CANCELLED) *lost &= ~HC_FACT_BIT(STATUS);
    if (t->cancel_at == left) *lost &= ~HC_FACT_BIT(CANCEL_AT);
    if (t->wait >= 0 && left != trace_end && hc_is_time(left)) value[DELETION] = left;
    return;
  }
  hc_pen_lose(lost, HC_FACT_BIT(RUN), !ends && (hc_end_of(t) != trace_end || !(t->flags & HC_SPEC_NO_END)));
  hc_pen_lose(lost, HC_FACT_BIT(AT_START), was_there && t->wait > 0);
  if (was_there && t->wait <= 0) value[CREATION] = HC_UNKNOWN;
  if ((!was_there || start != 0) && hc_is_time(start)) value[SCHEDULED] = start;
  if (ends && hc_is_time(hc_end_of(t))) value[DELETION] = hc_end_of(t);
}

static hc_rc write_instance(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  HC_UNUSED(e);
  if (!hc_is_time(t->submit)) return 1;
  value[GPU] = value[GPU_LIMIT] = HC_MAX(w->slots.need[HC_DIM_GPU], 0);
  value[RDMA] = value[RDMA_LIMIT] = rdma_of(w, t, lost);
  fill_times(w, t, value, lost);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {
    .name = "alibaba_v2025",
    .forms = &form,
    .form_count = 1,
    HC_ALIBABA_MISSING,
    .derived = "Instances without a creation time were there at time 0; those without a deletion time had "
               "not ended at the end of the trace.",
    .known_titles = 10,
    .score = 98,
    .own_size = sizeof(own),
    .opened = find_rdma,
    .bound = skip_rdma,
    .row = read_instance,
    .rows = HC_ROW_A_HOST,
    .writes_titles = true,
    .says = HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(AT_START) |
            HC_FACT_BIT(NO_END),
    .fill = write_instance};

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "1", "1GiB", "Bytes that 1 of memory_request stands for."),
    HC_PARAM(CHOICE, options, before, "start|reject", "start",
             "Instances that existed before the trace began. start: they are submitted at time 0. reject: "
             "they are rejected as already_running."),
    HC_PARAM(CHOICE, options, rdma, "require|ignore", "require",
             "What rdma_request means. require: a demand in the dimension `rdma`, of which a host with one "
             "network card has 100. ignore: nothing."),
    HC_PARAM(TIME, options, trace_end, "s", "31d", 0, 1e9,
             "Time at which the trace ends: an instance without deletion_time runs until then. The last time "
             "in the published file is 2,676,679 s."),
    {.name = NULL},
};

HC_TABLE_READER(
    alibaba_v2025, format, options, params,
    .summary = "disaggregated_DLRM_trace.csv, Alibaba's GPU trace of 2025: instances of inference services",
    .detail = "An instance that was created and never scheduled is a cancelled task.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2025; Yang et al., NSDI 2025");

static const hc_param pen_params[] = {
    HC_PARAM(TIME, pen_options, trace_end, "s", "31d", 0, 1e9,
             "Time at which the trace ends: the reader lets an instance without deletion_time run until "
             "then, so that a task that had not ended keeps its run time only if it was seen until then."),
    {.name = NULL},
};

HC_TABLE_WRITER(
    alibaba_v2025, format, columns, ',', ".csv",
    .summary = "disaggregated_DLRM_trace.csv of Alibaba's GPU trace of 2025: a row for each instance",
    .detail =
        "With titles; all values are exact, and each limit equals the request. A task becomes a row for each "
        "of its hosts and for each task of a bundle. creation_time is empty if the submission is known to be "
        "only a start, scheduled_time too if that start is 0, and deletion_time if the task had not ended. "
        "How a task ended is lost. Tasks submitted before time 0, or at an unknown time, are left out.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2025; Yang et al., NSDI 2025",
    .params = pen_params, .options_size = sizeof(pen_options));
