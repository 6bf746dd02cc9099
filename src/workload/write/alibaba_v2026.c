/* alibaba_v2026.c -- writes job_info_df.csv as Alibaba's GPU trace of 2026 has it: high-priority and spot jobs.
 *
 *   job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type
 *
 * A task is a job whose workers are its hosts, each with cpu_request cores and gpu_request GPUs, exact; a bundle becomes
 * as many jobs. Queue 2 with priority 1 is HP, queue 1 with priority 0 is Spot. gpu_model holds constraints if they are
 * alternatives for gpu_model alone, and there are GPUs. Times are seconds, with decimals where they need them; a task
 * that never ran has no duration. Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2026. Cost:
 * about 150 ns a row. */
#include "workload/alibaba_rows.h"

#define MOST_MODELS 20 /* that its reader takes */

struct hc_writer {
  hc_rows rows;
};

static hc_rc v2026_open(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  return hc_rows_open(
      c, sizeof **out,
      "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n",
      out);
}

static const char *type_of(const hc_task_spec *t, uint64_t *lost)
{
  const bool known = t->queue == 1 || t->queue == 2;
  if (t->queue >= 0 && !known) *lost |= HC_FACT_BIT(QUEUE);
  if (t->priority != (t->queue == 2)) *lost |= HC_FACT_BIT(PRIORITY);
  return !known ? "" : t->queue == 2 ? "HP" : "Spot";
}

static char *put_job(char *p, const hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const int64_t cpu = s->need[HC_DIM_CPU], gpu = s->need[HC_DIM_GPU];
  p = hc_put_char(hc_alibaba_put_name(p, "", t->id), ',');
  p = hc_put_char(hc_alibaba_put_name(p, "", t->user), ',');
  if (gpu > 0 && hc_alibaba_put_models(&p, w->rows.context->lexicon, t, MOST_MODELS))
    *lost &= ~HC_FACT_BIT(CONSTRAINTS);
  p = hc_put_char(p, ',');
  p = hc_put_char(cpu >= 0 ? hc_put_parts(p, cpu, 1000) : p, ',');
  p = hc_put_char(hc_put_parts(p, HC_MAX(gpu, 0), HC_DEVICE), ',');
  p = hc_put_char(hc_put_int(p, s->hosts), ',');
  p = hc_put_char(hc_put_parts(p, t->submit, HC_SECOND), ',');
  if (t->run == HC_NEVER) *lost |= HC_FACT_BIT(RUN);
  else if (t->run >= 0) p = hc_put_parts(p, t->run, HC_SECOND);
  return hc_put_char(hc_put_text(hc_put_char(p, ','), type_of(t, lost)), '\n');
}

static hc_rc v2026_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  if (!hc_alibaba_is_time(t->submit)) return 1;
  TRY(hc_rows_allowed(t, s.count, "alibaba_v2026", e));
  for (int64_t i = 0; i < s.count; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, put_job(row, w, t, &s, lost));
  }
  *lost &= ~(hc_slots_say(t, &s) & ~HC_FACT_BIT(MEMORY_ASKED));
  return 0;
}

const hc_writer_type hc_writer_alibaba_v2026 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2026",
         .summary =
             "job_info_df.csv of Alibaba's GPU trace of 2026: a row for each task, as a job of workers",
         .detail =
             "9 columns with titles: job_name is the number, organization the user, worker_num the hosts, cpu_request "
             "cores and gpu_request GPUs of each, submit_time and duration seconds, all exact. Memory, waits and how a "
             "task ended have no place. job_type is HP for queue 2, whose priority is 1, and Spot for queue 1, whose "
             "priority is 0. gpu_model has the alternatives between bars. A bundle becomes as many rows. Tasks submitted "
             "before 0, or at an unknown time, are left out.",
         .source =
             "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2026; Duan et al., ASPLOS 2026"},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(USER) |
             HC_FACT_BIT(QUEUE) | HC_FACT_BIT(PRIORITY) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) |
             HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE),
    .ending = ".csv",
    .open = v2026_open,
    .task = v2026_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
