/* alibaba_v2023.c -- writes a pod list as Alibaba's GPU trace of 2023 (openb) has it.
 *
 *   name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
 *
 * A pod is on one host: a task becomes one for each of its hosts and for each of a bundle. Cores are exact, memory is
 * rounded up to MiB and times to seconds; a part of a GPU is gpu_milli of one, more are whole ones. gpu_spec are the
 * alternatives for gpu_model, if the task says nothing else of its hosts. Queues 1 to 4 are qos. A task that never ran
 * is Pending. Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023. Cost: about 150 ns a row. */
#include "workload/alibaba_rows.h"

#define TRACE_END (12902960 * HC_SECOND) /* of the published trace: what runs then had not ended */
#define MIB ((int64_t)1 << 20)
#define MOST_MODELS 64 /* that its reader takes */

struct hc_writer {
  hc_rows rows;
};

static hc_rc pods_open(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  return hc_rows_open(
      c, sizeof **out,
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
      "scheduled_time\n",
      out);
}

/* ---- fields ---- */

static char *put_gpus(char *p, int64_t gpu, uint64_t *lost)
{
  if (gpu <= 0) return hc_put_text(p, "0,0,");
  if (gpu < HC_DEVICE) return hc_put_char(hc_put_int(hc_put_text(p, "1,"), gpu), ',');
  if (gpu % HC_DEVICE != 0) *lost |= HC_FACT_BIT(PRECISION);
  return hc_put_text(hc_put_int(p, gpu / HC_DEVICE + (gpu % HC_DEVICE != 0)), ",1000,");
}

static const char *qos_of(const hc_task_spec *t, uint64_t *lost)
{
  static const char *const words[] = {"", "BE", "Burstable", "LS", "Guaranteed"};
  const bool known = t->queue >= 1 && t->queue <= 4;
  if (t->queue >= 0 && !known) *lost |= HC_FACT_BIT(QUEUE);
  if (t->priority != (known ? t->queue - 1 : 0)) *lost |= HC_FACT_BIT(PRIORITY);
  return words[known ? t->queue : 0];
}

static const char *phase_of(const hc_task_spec *t, uint64_t *lost)
{
  if (t->run == HC_UNKNOWN) {
    if (t->status != HC_STATUS_CANCELLED && t->status != HC_STATUS_UNKNOWN) *lost |= HC_FACT_BIT(STATUS);
    return "Pending";
  }
  if (t->flags & HC_SPEC_NO_END) return "Running";
  switch (t->status) {
    case HC_STATUS_COMPLETED: return "Succeeded";
    case HC_STATUS_FAILED: return "Failed";
    case HC_STATUS_UNKNOWN: return "Running";
    default: *lost |= HC_FACT_BIT(STATUS); return "Failed";
  }
}

static char *put_time(char *p, hc_time t, uint64_t *lost)
{
  return t == HC_UNKNOWN || t == HC_NEVER ? p : hc_put_int(p, hc_whole(t, HC_SECOND, lost));
}

static char *put_pod(char *p, const hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const int64_t memory = s->need[HC_DIM_MEMORY];
  const bool ran = t->run != HC_UNKNOWN;
  const hc_time end = ran ? hc_end_of(t) : t->wait != HC_UNKNOWN ? t->submit + t->wait : HC_UNKNOWN;
  p = hc_put_text(p, "openb-pod-");
  if (t->id >= 0) p = t->id < 10000 ? hc_put_four(p, (uint32_t)t->id) : hc_put_int(p, t->id);
  p = hc_put_char(p, ',');
  p = hc_put_char(s->need[HC_DIM_CPU] >= 0 ? hc_put_int(p, s->need[HC_DIM_CPU]) : p, ',');
  if (memory > 0 && memory % MIB != 0) *lost |= HC_FACT_BIT(PRECISION);
  p = hc_put_char(memory >= 0 ? hc_put_int(p, memory / MIB + (memory % MIB != 0)) : p, ',');
  p = put_gpus(p, s->need[HC_DIM_GPU], lost);
  if (hc_alibaba_put_models(&p, w->rows.context->lexicon, t, MOST_MODELS)) *lost &= ~HC_FACT_BIT(CONSTRAINTS);
  p = hc_put_char(hc_put_text(hc_put_char(p, ','), qos_of(t, lost)), ',');
  p = hc_put_char(hc_put_text(p, phase_of(t, lost)), ',');
  p = hc_put_char(put_time(p, t->submit, lost), ',');
  if ((t->flags & HC_SPEC_NO_END) && end < TRACE_END)
    *lost |= HC_FACT_BIT(NO_END); /* its reader takes it for an end */
  p = hc_put_char(put_time(p, end, lost), ',');
  return hc_put_char(ran ? put_time(p, hc_start_of(t), lost) : p, '\n');
}

static hc_rc pods_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  const int64_t rows = hc_alibaba_instances(&s);
  if (t->submit == HC_UNKNOWN) return 1;
  TRY(hc_rows_allowed(t, rows, "alibaba_v2023", e));
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, put_pod(row, w, t, &s, lost));
  }
  *lost &= ~hc_slots_say(t, &s);
  return 0;
}

const hc_writer_type hc_writer_alibaba_v2023 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2023",
         .summary = "a pod list of the Alibaba v2023 GPU trace (openb): a row for each pod",
         .detail =
             "11 columns with titles: cores in thousandths, memory in MiB (rounded up), GPUs whole or a part of one, "
             "whole seconds. A task becomes a row for each of its hosts and for each of a bundle; one that had not "
             "ended is Running. gpu_spec holds constraints if they "
             "are alternatives for gpu_model alone; queues 1 to 4 are BE, Burstable, LS, Guaranteed, whose "
             "priorities are 0 to 3. Tasks without a time of submission are left out.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023"},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(QUEUE) | HC_FACT_BIT(PRIORITY) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(CPU) |
             HC_FACT_BIT(MEMORY) | HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END) |
             HC_FACT_BIT(CANCEL_AT),
    .ending = ".csv",
    .open = pods_open,
    .task = pods_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
