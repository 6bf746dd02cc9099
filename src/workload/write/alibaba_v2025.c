/* alibaba_v2025.c -- writes disaggregated_DLRM_trace.csv as Alibaba's GPU trace of 2025 has it: a row for each instance.
 *
 *   instance_sn,role,app_name, request and limit of cpu, gpu, rdma, memory and disk, max_instance_per_node,
 *   creation_time,scheduled_time,deletion_time
 *
 * An instance is on one host: a task becomes one for each of its hosts and for each of a bundle. Cores, GPUs and the
 * bandwidth of a network card (the dimension rdma) are numbers, memory and disk GiB as reals, all exact; a limit is what
 * was asked for. Queues 1 and 2 are the roles CN and HN. Times are seconds as reals, exact; of a task that is known to be
 * there from its start on, the creation is empty, as it is for instances from before the trace, and of one that had not
 * ended, the deletion. Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2025. Cost: about 0.6 us a row. */
#include "workload/alibaba_rows.h"

#define GIB ((uint64_t)1 << 30)

typedef struct options {
  hc_time trace_end;
} options;

struct hc_writer {
  hc_rows rows;
  const options *o;
};

static hc_rc v2025_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_rows_open(
      c, sizeof **out,
      "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,"
      "memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,"
      "scheduled_time,deletion_time\n",
      out));
  (*out)->o = given;
  return 0;
}

/* What it needs of a dimension by its name. Any other that has one is lost. */
static int64_t rdma_of(const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  int64_t rdma = HC_UNKNOWN;
  bool others = false;
  for (uint32_t d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) {
    const char *name = t->need[d] >= 0 && l ? hc_lexicon_dimension_name(l, d) : NULL;
    if (name && strcmp(name, "rdma") == 0) rdma = t->need[d];
    else others |= t->need[d] >= 0;
  }
  if (!others) *lost &= ~HC_FACT_BIT(OTHER);
  return rdma;
}

/* A request and its limit. */
static char *put_both(char *p, int64_t amount, int64_t unit)
{
  for (int i = 0; i < 2; i++) p = hc_put_char(amount >= 0 ? hc_put_parts(p, amount, unit) : p, ',');
  return p;
}

static char *put_both_bytes(char *p, int64_t bytes, uint64_t *lost)
{
  for (int i = 0; i < 2; i++) p = hc_put_char(hc_alibaba_put_real(p, bytes, GIB, 1, lost), ',');
  return p;
}

/* "8": how many of its group may share a host; "-1": any number. */
static char *put_density(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_task_extras *m = t->more != 0 ? hc_lexicon_more(w->rows.context->lexicon, t->more) : NULL;
  if (!m || m->per_host == 0 || t->group < 0 || m->rival != t->group) return hc_put_text(p, "-1");
  if (m->per_zone == 0) *lost &= ~HC_FACT_BIT(RIVALS);
  return hc_put_uint(p, m->per_host);
}

/* ---- times ---- */

static char *put_times(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const bool ran = t->run >= 0, was_there = (t->flags & HC_SPEC_AT_START) != 0;
  const hc_time start = hc_start_of(t), left = hc_time_add(t->submit, HC_MAX(t->wait, 0));
  const bool ends = ran && !(t->flags & HC_SPEC_NO_END) && t->run != HC_NEVER;
  if (!ran) { /* left the queue, or was in it to the end */
    if (t->status == HC_STATUS_CANCELLED) *lost &= ~HC_FACT_BIT(STATUS);
    if (t->cancel_at == left) *lost &= ~HC_FACT_BIT(CANCEL_AT);
    p = hc_put_text(hc_alibaba_put_seconds(p, t->submit), ",,");
    return t->wait >= 0 && left != w->o->trace_end ? hc_alibaba_put_seconds(p, left) : p;
  }
  if (!ends && (hc_end_of(t) != w->o->trace_end || !(t->flags & HC_SPEC_NO_END))) *lost |= HC_FACT_BIT(RUN);
  if (was_there && t->wait > 0) *lost |= HC_FACT_BIT(AT_START);
  if (!was_there || t->wait > 0) p = hc_alibaba_put_seconds(p, t->submit);
  p = hc_put_char(p, ',');
  if (!was_there || start != 0) p = hc_alibaba_put_seconds(p, start);
  p = hc_put_char(p, ',');
  return ends ? hc_alibaba_put_seconds(p, hc_end_of(t)) : p;
}

/* ---- a row ---- */

static char *put_instance(char *p, const hc_writer *w, const hc_task_spec *t, const hc_slots *s,
                          uint64_t *lost)
{
  static const char *const roles[] = {"", "CN", "HN"};
  const bool has_role = t->queue == 1 || t->queue == 2;
  if (t->queue >= 0 && !has_role) *lost |= HC_FACT_BIT(QUEUE);
  p = hc_put_char(hc_alibaba_put_name(p, "instance_", t->id), ',');
  p = hc_put_char(hc_put_text(p, roles[has_role ? t->queue : 0]), ',');
  p = hc_put_char(hc_alibaba_put_name(p, "app_", t->group), ',');
  p = put_both(p, s->need[HC_DIM_CPU], 1000);
  p = put_both(p, HC_MAX(s->need[HC_DIM_GPU], 0), HC_DEVICE);
  p = put_both(p, HC_MAX(rdma_of(w, t, lost), 0), 1);
  p = put_both_bytes(p, s->need[HC_DIM_MEMORY], lost);
  p = put_both_bytes(p, s->need[HC_DIM_DISK], lost);
  p = hc_put_char(put_density(p, w, t, lost), ',');
  return hc_put_char(put_times(p, w, t, lost), '\n');
}

static hc_rc v2025_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  const int64_t rows = hc_alibaba_instances(&s);
  if (!hc_alibaba_is_time(t->submit)) return 1;
  TRY(hc_rows_allowed(t, rows, "alibaba_v2025", e));
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, put_instance(row, w, t, &s, lost));
  }
  *lost &= ~hc_slots_say(t, &s);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, trace_end, "s", "31d", 0, 1e9,
             "When the trace ends, up to which its reader has an instance run that has no deletion_time: a "
             "task that had not ended keeps its run time only if it was seen until then."),
    {.name = NULL},
};

const hc_writer_type hc_writer_alibaba_v2025 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2025",
         .summary = "disaggregated_DLRM_trace.csv of Alibaba's GPU trace of 2025: a row for each instance",
         .detail =
             "17 columns with titles: cores, GPUs and rdma in per cent of a network card as numbers, memory and disk in "
             "GiB and times in seconds as reals, all exact; each limit is the request. instance_sn is instance_ and the "
             "number, app_name app_ and the group, role CN for queue 1 and HN for 2. max_instance_per_node holds a bound "
             "on how many of the same group share a host. A task becomes a row for each of its hosts and for each of a "
             "bundle. creation_time is empty if the submission is known to be only a start, scheduled_time too if that is "
             "0; deletion_time if it had not ended. How a task ended has no place. Tasks submitted before 0, or at a time "
             "that is not known, are left out.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2025; Yang et al., NSDI 2025",
         .params = params, .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(GROUP) | HC_FACT_BIT(QUEUE) | HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) |
             HC_FACT_BIT(DISK) | HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(AT_START) |
             HC_FACT_BIT(NO_END),
    .ending = ".csv",
    .open = v2025_open,
    .task = v2025_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
