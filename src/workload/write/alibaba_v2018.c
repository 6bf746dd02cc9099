/* alibaba_v2018.c -- writes batch_task.csv of the Alibaba v2018 trace: a row for each task with its
 * instances.
 *
 *   task_name, instance_num, job_name, task_type, status, start_time, end_time, plan_cpu, plan_mem
 *
 * No header. A task's instances are its bundle times its hosts; the name says what it waits for, within its
 * job: M3_1_2 is number 3, after 1 and 2. Times are whole seconds, of which 0 says that nobody knows, of its start
 * and its end. plan_cpu is 100 for one core of each instance, plan_mem a share of a machine's memory, 0 to 100. A
 * task without a run time has start and end 0; one that had not ended has end 0. Source:
 * https://github.com/alibaba/clusterdata, cluster-trace-v2018. Cost: about 40 ns per row. */
#include "workload/alibaba_rows.h"

typedef struct options {
  int64_t memory_scale;
  hc_time offset;
} options;

struct hc_writer {
  hc_rows rows;
  int64_t memory_scale;
  double per_byte;
  hc_time offset;
};

static hc_rc tasks_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->memory_scale = o->memory_scale;
  (*out)->per_byte = 10000.0 / (double)o->memory_scale;
  (*out)->offset = o->offset;
  return 0;
}

static char *put_times(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_time start = hc_time_add(hc_start_of(t), w->offset), end = hc_time_add(hc_end_of(t), w->offset);
  if (hc_end_of(t) == HC_UNKNOWN || start < 0) {
    if (t->run >= 0) *lost |= HC_FACT_BIT(RUN);
    return hc_put_text(p, "0,0,");
  }
  p = hc_put_char(hc_put_uint(p, (uint64_t)hc_whole(start, HC_SECOND, lost)), ',');
  p = hc_put_uint(p, t->flags & HC_SPEC_NO_END ? 0 : (uint64_t)hc_whole(end, HC_SECOND, lost));
  return hc_put_char(p, ',');
}

static hc_rc tasks_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  char *p;
  HC_UNUSED(e);
  hc_alibaba_settle(&w->offset, t);
  TRY(hc_out_row(&w->rows.out, &p));
  p = hc_alibaba_put_task(p, t, w->rows.context->lexicon, lost);
  p = hc_put_char(hc_put_uint(hc_put_char(p, ','), (uint64_t)hc_alibaba_instances(&s)), ',');
  p = hc_put_char(hc_alibaba_put_job(p, t), ',');
  p = hc_put_char(hc_alibaba_put_name(p, "", t->executable <= INT32_MAX ? t->executable : -1), ',');
  if (t->executable > INT32_MAX) *lost |= HC_FACT_BIT(EXECUTABLE);
  if (t->id >= 0 && !hc_alibaba_is_member(t)) *lost |= HC_FACT_BIT(ID);
  p = hc_put_char(hc_put_text(p, hc_alibaba_state(t, false, lost)), ',');
  p = put_times(p, w, t, lost);
  p = hc_put_char(hc_alibaba_put_cpu(p, s.need[HC_DIM_CPU]), ',');
  p = hc_put_char(
      hc_alibaba_put_share(p, hc_alibaba_share(s.need[HC_DIM_MEMORY], w->memory_scale, w->per_byte, lost)),
      '\n');
  hc_out_end(&w->rows.out, p);
  *lost &= ~hc_slots_say(t, &s);
  if (t->wait <= 0) *lost &= ~(HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT));
  return 0;
}

static const hc_param params[] = {
    HC_ALIBABA_MEMORY_SCALE(options, "100 of plan_mem"),
    HC_ALIBABA_OFFSET(options),
    {.name = NULL},
};

const hc_writer_type hc_writer_alibaba_v2018 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2018",
         .summary = "batch_task.csv of the Alibaba v2018 trace: a row for each task with its instances",
         .detail =
             "9 columns, no header: start and end in whole seconds, plan_cpu 100 for one core, plan_mem 0 "
             "to 100 of memory_scale, with two decimals. instance_num is a bundle times its hosts, task_type the program. Names "
             "say what waits for what within a job, as far as they can: after the end of all of another "
             "task. The time of submission has no place: rows are in its order.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018", .params = params,
         .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(RUN) | HC_FACT_BIT(EXECUTABLE) | HC_FACT_BIT(JOB) |
             HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(BUNDLE) |
             HC_FACT_BIT(NO_END) | HC_FACT_BIT(AT_START),
    .ending = ".csv",
    .open = tasks_open,
    .task = tasks_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
