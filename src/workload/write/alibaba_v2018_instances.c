/* alibaba_v2018_instances.c -- writes batch_instance.csv of the Alibaba v2018 trace: a row for each instance
 * that ran.
 *
 *   instance_name, task_name, job_name, task_type, status, start_time, end_time, machine_id, seq_no,
 *   total_seq_no, cpu_avg, cpu_max, mem_avg, mem_max
 *
 * No header. Times are whole seconds, of which 0 says that nobody knows: when it started and ended, not when
 * it was submitted. cpu is 100 for one core; memory is a share of a machine's, 0 to 100. What a task asked for
 * stands as both its average and its maximum, since nothing else is known. A task of several hosts, or a
 * bundle, becomes as many rows, numbered by seq_no. A task without a run time has start and end 0; one that
 * had not ended has end 0. Names are M3_1_2 for number 3 of a job after 1 and 2, and task_3 for one alone.
 *
 * Numbers are formatted by hand into one large buffer: about 45 ns per row.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018. */
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

static hc_rc instances_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->memory_scale = o->memory_scale;
  (*out)->per_byte = 10000.0 / (double)o->memory_scale;
  (*out)->offset = o->offset;
  return 0;
}

/* Everything behind the instance's own name up to the machine: the same for all instances of a task. */
static char *put_middle(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_time start = hc_time_add(hc_start_of(t), w->offset), end = hc_time_add(hc_end_of(t), w->offset);
  p = hc_alibaba_put_task(hc_put_char(p, ','), t, w->rows.context->lexicon, lost);
  p = hc_alibaba_put_job(hc_put_char(p, ','), t);
  p = hc_put_text(p, ",1,");
  p = hc_put_char(hc_put_text(p, hc_alibaba_state(t, false, lost)), ',');
  if (hc_end_of(t) == HC_UNKNOWN || start < 0) {
    if (t->run >= 0) *lost |= HC_FACT_BIT(RUN);
    return hc_put_text(p, "0,0,,");
  }
  p = hc_put_uint(p, (uint64_t)hc_whole(start, HC_SECOND, lost));
  p = hc_put_char(p, ',');
  p = hc_put_uint(p, t->flags & HC_SPEC_NO_END ? 0 : (uint64_t)hc_whole(end, HC_SECOND, lost));
  return hc_put_text(p, ",,");
}

static char *put_needs(char *p, const hc_writer *w, const hc_slots *s, uint64_t *lost)
{
  char *cpu = p, *memory;
  size_t n;
  p = hc_put_char(hc_alibaba_put_cpu(p, s->need[HC_DIM_CPU]), ',');
  n = (size_t)(p - cpu);
  memcpy(p, cpu, n);
  memory = p += n;
  p = hc_put_char(
      hc_alibaba_put_share(p, hc_alibaba_share(s->need[HC_DIM_MEMORY], w->memory_scale, w->per_byte, lost)),
      ',');
  n = (size_t)(p - memory);
  memcpy(p, memory, n);
  p[n - 1] = '\n';
  return p + n;
}

/* Its reader numbers instances by their own names, and takes a row that lacks cpu or memory for none. */
static void say(const hc_trace_task *task, int64_t cpu, int64_t memory, int64_t rows, uint64_t *lost)
{
  if (task->spec.id >= 0 && (rows > 1 || task->spec.id != (int64_t)task->serial)) *lost |= HC_FACT_BIT(ID);
  if (cpu > 0 && memory <= 0) *lost |= HC_FACT_BIT(CPU);
  if (cpu <= 0 && memory > 0) *lost |= HC_FACT_BIT(MEMORY);
}

/* The usual task: one instance that ran to its end, with a vector. Whatever else it is goes the other way. */
static bool is_plain(const hc_task_spec *t)
{
  return t->count <= 1 && t->hosts <= 1 && t->need[HC_DIM_CPU] >= 0 && t->submit >= 0 && t->run >= 0 &&
         t->submit < HC_NEVER / 4 && t->wait < HC_NEVER / 4 && t->run < HC_NEVER / 4 && t->flags == 0 &&
         (t->status == HC_STATUS_COMPLETED || t->status == HC_STATUS_UNKNOWN);
}

static hc_rc put_plain(hc_writer *w, const hc_trace_task *task, uint64_t *lost)
{
  const hc_task_spec *t = &task->spec;
  const hc_time start = t->submit + (t->wait > 0 ? t->wait : 0) + w->offset;
  int64_t memory;
  char *p;
  TRY(hc_out_row(&w->rows.out, &p));
  memcpy(p, "ins_", 4);
  p = hc_put_char(hc_put_uint(p + 4, (uint64_t)task->serial), ',');
  p = hc_alibaba_put_task(p, t, w->rows.context->lexicon, lost);
  p = hc_alibaba_put_job(hc_put_char(p, ','), t);
  memcpy(p, ",1,Terminated,", 14);
  p = hc_put_char(hc_put_uint(p + 14, (uint64_t)hc_whole(start, HC_SECOND, lost)), ',');
  p = hc_put_uint(p, (uint64_t)hc_whole(start + t->run, HC_SECOND, lost));
  memcpy(p, ",,1,1,", 6);
  /* Twice each: copying what was just written would wait for it. */
  p = hc_put_char(hc_alibaba_put_cpu(p + 6, t->need[HC_DIM_CPU]), ',');
  p = hc_put_char(hc_alibaba_put_cpu(p, t->need[HC_DIM_CPU]), ',');
  memory = hc_alibaba_share(t->need[HC_DIM_MEMORY], w->memory_scale, w->per_byte, lost);
  p = hc_put_char(hc_alibaba_put_share(p, memory), ',');
  p = hc_put_char(hc_alibaba_put_share(p, memory), '\n');
  hc_out_end(&w->rows.out, p);
  say(task, t->need[HC_DIM_CPU], t->need[HC_DIM_MEMORY], 1, lost);
  if (t->wait <= 0) *lost &= ~(HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT));
  return 0;
}

static hc_rc instances_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  hc_alibaba_settle(&w->offset, &task->spec);
  if (is_plain(&task->spec)) return put_plain(w, task, lost);
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  char middle[HC_OUT_ROOM], needs[256];
  const int64_t rows = hc_alibaba_instances(&s);
  size_t middle_size, needs_size;
  TRY(hc_rows_allowed(t, rows, "alibaba_v2018_instances", e));
  middle_size = (size_t)(put_middle(middle, w, t, lost) - middle);
  needs_size = (size_t)(put_needs(needs, w, &s, lost) - needs);
  *lost &= ~hc_slots_say(t, &s);
  say(task, s.need[HC_DIM_CPU], s.need[HC_DIM_MEMORY], rows, lost);
  if (t->wait <= 0) *lost &= ~(HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT));
  for (int64_t i = 1; i <= rows; i++) {
    char *p;
    TRY(hc_out_row(&w->rows.out, &p));
    p = hc_put_uint(hc_put_text(p, "ins_"), (uint64_t)task->serial);
    if (rows > 1) p = hc_put_uint(hc_put_char(p, '_'), (uint64_t)i);
    memcpy(p, middle, middle_size);
    p = hc_put_uint(p + middle_size, (uint64_t)i);
    p = hc_put_uint(hc_put_char(p, ','), (uint64_t)rows);
    p = hc_put_char(p, ',');
    memcpy(p, needs, needs_size);
    hc_out_end(&w->rows.out, p + needs_size);
  }
  return 0;
}

static const hc_param params[] = {
    HC_ALIBABA_MEMORY_SCALE(options, "100 of the memory columns"),
    HC_ALIBABA_OFFSET(options),
    {.name = NULL},
};

const hc_writer_type hc_writer_alibaba_v2018_instances = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2018_instances",
         .summary = "batch_instance.csv of the Alibaba v2018 trace: a row for each instance that ran",
         .detail =
             "14 columns, no header: start and end in whole seconds, cpu 100 for one core, memory 0 to 100 "
             "of memory_scale, with two decimals. A task becomes a row for each of its hosts and for each "
             "of a bundle; a batch task is one instance with all its processors. What was asked for stands "
             "as average and as maximum. The time of submission has no place: rows are in its order.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018", .params = params,
         .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) | HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) |
             HC_FACT_BIT(STATUS) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END) | HC_FACT_BIT(AT_START),
    .ending = ".csv",
    .open = instances_open,
    .task = instances_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
