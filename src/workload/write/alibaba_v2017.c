/* alibaba_v2017.c -- writes batch_task.csv and batch_instance.csv of Alibaba's trace of 2017.
 *
 *   create_timestamp, modify_timestamp, job_id, task_id, instance_num, status, plan_cpu, plan_mem
 *   start_timestamp, end_timestamp, job_id, task_id, machineID, status, seq_no, total_seq_no,
 *     real_cpu_max, real_cpu_avg, real_mem_max, real_mem_avg
 *
 * No header; times are whole seconds, and one of 0 or before is of before the trace. A row of the first table is a task
 * with its instances, a bundle times its hosts, from its submission for as long as one of them ran: what its reader
 * takes for submission and run is what it was, and the wait is lost. A row of the second is one instance from its start
 * to its end, which ran once; nobody knows on which machine, and what was asked for stands as what was used.
 *
 * plan_cpu is 100 for a core, real_cpu 1; memory is a share of the largest machine's, exact. A task of no job is a job.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-v2017. Cost: about 0.3 us a row. */
#include "workload/alibaba_rows.h"

typedef enum which_table { TABLE_TASK, TABLE_INSTANCE } which_table;

typedef struct options {
  int64_t memory_scale;
  hc_time offset;
  int table;
} options;

struct hc_writer {
  hc_rows rows;
  const options *o;
  hc_time offset;
};

static hc_rc v2017_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->o = given;
  (*out)->offset = ((const options *)given)->offset;
  return 0;
}

/* "300,420," and what follows up to the task's number. `end` may be unknown. */
static char *put_head(char *p, const hc_task_spec *t, hc_time start, hc_time end, uint64_t *lost)
{
  p = hc_put_char(hc_put_int(p, hc_whole(start, HC_SECOND, lost)), ',');
  p = hc_put_char(hc_put_int(p, end == HC_UNKNOWN ? 0 : hc_whole(end, HC_SECOND, lost)), ',');
  p = hc_put_char(hc_alibaba_put_job_number(p, t), ',');
  return hc_put_char(hc_alibaba_put_name(p, "", t->id), ',');
}

/* How long after its begin it ends; HC_UNKNOWN: nobody knows, or it did not. */
static hc_time end_after(const hc_task_spec *t, hc_time begin)
{
  return t->run < 0 || t->run == HC_NEVER || (t->flags & HC_SPEC_NO_END) ? HC_UNKNOWN
                                                                         : hc_time_add(begin, t->run);
}

static hc_rc put_task(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const hc_time begin = hc_time_add(t->submit, w->offset);
  const int64_t instances = hc_alibaba_instances(s);
  char *p;
  TRY(hc_out_row(&w->rows.out, &p));
  p = put_head(p, t, begin, end_after(t, begin), lost);
  if (instances > UINT32_MAX) *lost |= HC_FACT_BIT(BUNDLE);
  p = hc_put_char(hc_put_int(p, HC_MIN(instances, (int64_t)UINT32_MAX)), ',');
  p = hc_put_char(hc_put_text(p, hc_alibaba_state(t, true, lost)), ',');
  p = hc_put_char(hc_alibaba_put_cpu(p, s->need[HC_DIM_CPU]), ',');
  p = hc_alibaba_put_part(p, s->need[HC_DIM_MEMORY], w->o->memory_scale, 1, lost);
  hc_out_end(&w->rows.out, hc_put_char(p, '\n'));
  return 0;
}

static hc_rc put_instances(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost,
                           hc_error *e)
{
  const hc_time begin = hc_time_add(hc_start_of(t), w->offset);
  const int64_t rows = hc_alibaba_instances(s);
  char row[512], *p = row;
  TRY(hc_rows_allowed(t, rows, "alibaba_v2017", e));
  p = put_head(p, t, begin, end_after(t, begin), lost);
  p = hc_put_text(hc_put_text(hc_put_char(p, ','), hc_alibaba_state(t, true, lost)), ",1,1,");
  for (int i = 0; i < 2; i++) { /* at most, and on average */
    if (s->need[HC_DIM_CPU] >= 0) p = hc_put_parts(p, s->need[HC_DIM_CPU], 1000);
    p = hc_put_char(p, ',');
  }
  for (int i = 0; i < 2; i++)
    p = hc_put_char(hc_alibaba_put_part(p, s->need[HC_DIM_MEMORY], w->o->memory_scale, 1, lost),
                    i == 0 ? ',' : '\n');
  for (int64_t i = 0; i < rows; i++) {
    char *to;
    TRY(hc_out_row(&w->rows.out, &to));
    memcpy(to, row, (size_t)(p - row));
    hc_out_end(&w->rows.out, to + (p - row));
  }
  *lost &= ~HC_FACT_BIT(AT_START);
  if (t->wait > 0) *lost |= HC_FACT_BIT(SUBMIT);
  return 0;
}

static hc_rc v2017_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  hc_alibaba_settle(&w->offset, t);
  if (t->submit == HC_UNKNOWN || hc_time_add(t->submit, w->offset) < HC_SECOND) return 1;
  if (t->wait <= 0) *lost &= ~HC_FACT_BIT(WAIT);
  *lost &= ~hc_slots_say(t, &s);
  return w->o->table == TABLE_TASK ? put_task(w, t, &s, lost) : put_instances(w, t, &s, lost, e);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, table, "task|instance", "task",
             "Which table. task: batch_task.csv, a row for each task with its instances. instance: "
             "batch_instance.csv, a row for each of them."),
    HC_ALIBABA_MEMORY_SCALE(options, "1 of the memory columns"),
    HC_ALIBABA_OFFSET(options),
    {.name = NULL},
};

const hc_writer_type hc_writer_alibaba_v2017 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2017",
         .summary = "batch_task.csv or batch_instance.csv of Alibaba's trace of 2017",
         .detail =
             "8 or 12 columns, no header, whole seconds. table: task has a row for each task: create_timestamp is its "
             "submission, modify_timestamp its run time later, instance_num a bundle times its hosts, plan_cpu 100 for "
             "a core. table: instance has a row for each instance, from its start to its end; real_cpu is in cores, "
             "machineID is empty, seq_no and total_seq_no are 1. Memory is a share of memory_scale, with the decimals "
             "that it takes to be exact; one that is larger is lost. A task of no job is a job of its own number. Tasks "
             "submitted before 1s, or at an unknown time, are left out.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2017", .params = params,
         .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) | HC_FACT_BIT(CPU) |
             HC_FACT_BIT(MEMORY) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END),
    .ending = ".csv",
    .open = v2017_open,
    .task = v2017_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
