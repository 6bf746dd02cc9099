/* alibaba_v2017.c -- batch_task.csv and batch_instance.csv of Alibaba's trace of 2017.
 *
 * A row of batch_task.csv is a bundle: instance_num tasks that need plan_cpu and plan_mem each, from
 * create_timestamp to modify_timestamp, which is when the last of them ended: an upper bound of their run
 * times. A row of batch_instance.csv is one attempt of one instance, which is submitted when it started and
 * needs what it was measured to use. Which of the two a file is, its number of columns says. The order in
 * which the tasks of a job ran was not disclosed: no task waits for another.
 *
 * The schema calls plan_cpu a number of cores, but most of its values are 50 and 100: here 100 is a core, as
 * in the trace of 2018. What an instance used is in cores. Memory is a share of the largest machine's. Times
 * of 0 or before are of before the trace. Copies have a header of words of their own, which is passed over.
 *
 * Written without a header, in whole seconds. A row of the first table is a task with its instances, a bundle
 * times its hosts, from its submission for as long as one of them ran: what its reader takes for submission
 * and run is what it was, and the wait is lost. A row of the second is one instance from its start to its
 * end, which ran once, on a machine that is not known; what was asked for stands as what was used. A task of
 * no job is a job. Source: https://github.com/alibaba/clusterdata, cluster-trace-v2017. Cost: about 0.4 us a
 * row read, 0.3 us written; constant memory. */
#include "table/pen.h"
#include "table/sheet.h"
#include "workload/alibaba.h"
#include "workload/alibaba_rows.h"

/* Both tables begin with the same: a start, an end, a job and a task. */
enum { START, END, JOB, TASK };
enum { INSTANCES = TASK + 1, STATUS, CPU, MEMORY };
enum { I_STATUS = TASK + 2, SEQ, OF_SEQ, CPU_MAX, CPU_AVG, MEMORY_MAX, MEMORY_AVG };
enum { TASKS, ATTEMPTS };
enum { TABLE_AUTO, TABLE_TASK, TABLE_INSTANCE };
enum { MAXIMUM, AVERAGE };

typedef struct options {
  hc_alibaba_options common;
  int table, statuses, amount;
} options;

typedef struct pen_options {
  int64_t memory_scale;
  hc_time offset;
  int table;
} pen_options;

static char *put_state(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(w);
  return hc_put_text(p, hc_alibaba_state(t, true, lost));
}

static char *put_memory(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  return hc_alibaba_put_part(p, w->slots.need[HC_DIM_MEMORY], ((const pen_options *)w->options)->memory_scale,
                             1, lost);
}

#define LAST HC_IS(SECONDS), .note = "the end of its run", .flags = HC_ASKED | HC_NEEDED
#define TIME(fact) HC_TO(fact), HC_IS(SECONDS), .flags = HC_ASKED | HC_NEEDED
#define STATE "status", .to = 1 + HC_FACT_STATUS, .note = HC_ALIBABA_STATES, .put = put_state
#define CORES(den) HC_TO(CPU), HC_DECIMAL(1000, den), .flags = HC_EXACT | HC_CPU_SCALE
#define SHARE HC_TO(MEMORY), HC_DECIMAL(1, 1), .most = 1, .flags = HC_MEMORY_SCALE, .put = put_memory

static const hc_column task_columns[] = {
    [START] = {"create_timestamp", TIME(SUBMIT)},
    [END] = {"modify_timestamp", LAST},
    [JOB] = {"job_id", HC_TO(JOB), HC_NUMBERED(""), .flags = HC_NEEDED},
    [TASK] = {"task_id", HC_TO(ID), HC_NUMBERED("")},
    [INSTANCES] = {"instance_num", HC_TO(BUNDLE), HC_WHOLE(1, UINT32_MAX)},
    [STATUS] = {STATE},
    [CPU] = {"plan_cpu", CORES(100)},
    [MEMORY] = {"plan_mem", SHARE}};

static const hc_column attempt_columns[] = {[START] = {"start_timestamp", TIME(SUBMIT)},
                                            [END] = {"end_timestamp", LAST},
                                            [JOB] = {"job_id", HC_TO(JOB), HC_NUMBERED("")},
                                            [TASK] = {"task_id", HC_TO(ID), HC_NUMBERED("")},
                                            {.titles = "machineID"},
                                            [I_STATUS] = {STATE},
                                            [SEQ] = {"seq_no", .text = "1"},
                                            [OF_SEQ] = {"total_seq_no", .text = "1"},
                                            [CPU_MAX] = {"real_cpu_max", CORES(1)},
                                            [CPU_AVG] = {"real_cpu_avg", CORES(1)},
                                            [MEMORY_MAX] = {"real_mem_max", SHARE},
                                            [MEMORY_AVG] = {"real_mem_avg", SHARE}};

#define FORM(file_, columns_) HC_ALIBABA_FORM(file_ " of Alibaba's trace of 2017", columns_, START, true)
static const hc_table_form forms[] = {
    [TASKS] = FORM("batch_task.csv", task_columns), [ATTEMPTS] = FORM("batch_instance.csv", attempt_columns)};

/* ---- reading ---- */

static const options *options_of(const hc_sheet *s)
{
  return (const options *)(const void *)s->o;
}

static void pick(const void *given, size_t *first, size_t *count)
{
  const options *o = given;
  *first = o->table == TABLE_INSTANCE;
  *count = o->table == TABLE_AUTO ? 2 : 1;
}

/* Of two measurements one is not looked at. */
static hc_rc choose_amounts(hc_sheet *s, hc_error *e)
{
  const bool most = options_of(s)->amount == MAXIMUM;
  HC_UNUSED(e);
  if (s->s.form == ATTEMPTS) s->s.at[most ? CPU_AVG : CPU_MAX] = s->s.at[most ? MEMORY_AVG : MEMORY_MAX] = 0;
  return 0;
}

static hc_rc read_span(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  return hc_alibaba_span_of(s, s->s.form == TASKS ? STATUS : I_STATUS, START, END, options_of(s)->statuses, t,
                            e);
}

static hc_rc read_row(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  HC_UNUSED(e);
  if (t->id < 0) t->id = (int64_t)s->in.s.rows;
  if (t->count == 0) t->count = 1;
  if (s->s.form == ATTEMPTS) t->flags = HC_SPEC_AT_START;
  return 1;
}

static void say_derived(hc_sheet *s, hc_trace_info *i)
{
  i->derived =
      s->s.form == TASKS
          ? "Each instance of a task runs from the task's creation to its last change, an upper bound."
          : "Instances are submitted when they started, since the trace does not say when they arrived. They "
            "need what they were measured to use.";
}

/* By a state and two times where they belong, whatever a header above them says. */
static int recognise(const char *name, const char *head, size_t size, const hc_field *first, size_t count)
{
  hc_field f[HC_TABLE_COLUMNS];
  HC_UNUSED(first);
  HC_UNUSED(count);
  for (int i = 0; i < 2; i++) {
    const size_t n = hc_form_first_line(&forms[0], head, size, f);
    const char *end = memchr(head, '\n', size);
    if ((n == forms[TASKS].count || n == forms[ATTEMPTS].count) &&
        hc_alibaba_is_state(&f[n == forms[TASKS].count ? STATUS : I_STATUS]) && hc_field_is_number(&f[0]) &&
        hc_field_is_number(&f[1]) && hc_field_is_number(&f[2]))
      return 96;
    if (!end) break;
    size -= (size_t)(end + 1 - head);
    head = end + 1;
  }
  return hc_delimited_is_called(name, "batch_task.csv") || hc_delimited_is_called(name, "batch_instance.csv")
             ? 20
             : 0;
}

/* ---- writing ---- */

static uint32_t form_of(const void *o)
{
  return (uint32_t)((const pen_options *)o)->table;
}

static hc_rc begun(hc_pen *w, hc_buffer *head, hc_error *e)
{
  HC_UNUSED(head);
  HC_UNUSED(e);
  *(hc_time *)w->own = ((const pen_options *)w->options)->offset;
  return 0;
}

static hc_rc write_row(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  const bool is_task = w->form == &forms[TASKS];
  hc_time *offset = w->own;
  HC_UNUSED(e);
  hc_alibaba_settle(offset, t);
  if (t->submit == HC_UNKNOWN || hc_time_add(t->submit, *offset) < HC_SECOND) return 1;
  if (t->wait <= 0) *lost &= ~HC_FACT_BIT(WAIT);
  value[START] = hc_time_add(is_task ? t->submit : hc_start_of(t), *offset);
  value[END] =
      t->run < 0 || t->run == HC_NEVER || (t->flags & HC_SPEC_NO_END) ? 0 : hc_time_add(value[START], t->run);
  value[JOB] = t->job >= 0 ? t->job : HC_MAX(t->id, 0);
  if (is_task) {
    hc_pen_lose(lost, HC_FACT_BIT(BUNDLE), w->repeat > UINT32_MAX);
    value[INSTANCES] = HC_MIN(w->repeat, (int64_t)UINT32_MAX);
    w->repeat = 1;
    return 0;
  }
  *lost &= ~HC_FACT_BIT(AT_START);
  hc_pen_lose(lost, HC_FACT_BIT(SUBMIT), t->wait > 0);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {.name = "alibaba_v2017",
                                       .forms = forms,
                                       .form_count = 2,
                                       HC_ALIBABA_MISSING,
                                       .recognise = recognise,
                                       .pick = pick,
                                       .bound = choose_amounts,
                                       .before = read_span,
                                       .check = read_row,
                                       .info = say_derived,
                                       .rows = HC_ROW_A_HOST,
                                       .says = HC_FACT_BIT(RUN) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END),
                                       .pen_size = sizeof(hc_time),
                                       .form_of = form_of,
                                       .begun = begun,
                                       .fill = write_row};

static hc_rc pen_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  return hc_pen_form(w) == TASKS ? HC_PEN_TASK(format, task_columns, ',')
                                 : HC_PEN_TASK(format, attempt_columns, ',');
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "0", "512GiB",
                      "Bytes that 1 stands for in the memory columns: the memory of the largest machine."),
    HC_PARAM(CHOICE, options, table, "auto|task|instance", "auto",
             "Which table the file is. auto: it follows from the titles in the first line, or from its 8 or "
             "12 columns. task: batch_task.csv. instance: batch_instance.csv."),
    HC_PARAM(CHOICE, options, amount, "max|avg", "max",
             "Which measurement of an instance counts. max: the largest. avg: the average."),
    HC_PARAM(CHOICE, options, statuses, HC_ALIBABA_STATUSES, "terminated",
             "Which rows become tasks. terminated: those that ended well. ended: also those that failed, "
             "were interrupted or cancelled, if they have a start and an end."),
    {.name = NULL},
};

HC_TABLE_READER(
    alibaba_v2017, format, options, params,
    .summary = "batch_task.csv or batch_instance.csv of Alibaba's trace of 2017",
    .detail = "A row of batch_task.csv is a bundle of equal tasks, whose run time is an upper bound. A row "
              "of batch_instance.csv is a task that is submitted at its start. A row with neither cores nor "
              "memory is rejected as no_demand, unless there are defaults. Times of 0 or less are missing: a "
              "row without a start is rejected as already_running, a row without an end as still_running.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2017");

static const hc_param pen_params[] = {
    HC_PARAM(CHOICE, pen_options, table, "task|instance", "task",
             "Which table. task: batch_task.csv, a row for each task with its instances. instance: "
             "batch_instance.csv, a row for each of them."),
    HC_ALIBABA_MEMORY_SCALE(pen_options, "1 of the memory columns"),
    HC_ALIBABA_OFFSET(pen_options),
    {.name = NULL},
};

HC_TABLE_WRITER_OF(
    alibaba_v2017, format, ".csv",
    .summary = "batch_task.csv or batch_instance.csv of Alibaba's trace of 2017",
    .detail =
        "No titles; times are whole seconds. `table: task` has a row for each task, which ends its run time "
        "after its submission; instance_num is the size of the bundle x the hosts of a task. `table: "
        "instance` has a row for each instance, from its start to its end. Memory has as many decimals as "
        "are needed to be exact; a share of more than 1 is lost. A task that is part of no job becomes a job "
        "with the task's number. Tasks submitted before 1s, or at an unknown time, are left out.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2017", .params = pen_params,
    .options_size = sizeof(pen_options));
