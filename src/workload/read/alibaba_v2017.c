/* alibaba_v2017.c -- reads batch_task.csv and batch_instance.csv of Alibaba's trace of 2017.
 *
 * A row of batch_task.csv is a bundle: instance_num tasks that need plan_cpu and plan_mem each, from create_timestamp
 * to modify_timestamp, which is when the last of them ended: an upper bound of their run times. A row of
 * batch_instance.csv is one attempt of one instance, which is submitted when it started and needs what it was measured
 * to use. Which of the two a file is, its number of columns says. The order in which the tasks of a job ran was not
 * disclosed: nobody waits for anybody.
 *
 * The schema calls plan_cpu a number of cores, but most of its values are 50 and 100: here 100 is a core, as in the
 * trace of 2018. What an instance used is in cores. Memory is a share of the largest machine's. Times of 0 or before
 * are of before the trace. Copies have a header of words of their own, which is passed over.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-v2017. Cost: about 0.4 us a row; constant memory. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"

enum { T_CREATE, T_MODIFY, T_JOB, T_TASK, T_INSTANCES, T_STATUS, T_CPU, T_MEMORY, T_COLUMNS };
enum {
  I_START,
  I_END,
  I_JOB,
  I_TASK,
  I_MACHINE,
  I_STATUS,
  I_SEQ,
  I_TOTAL_SEQ,
  I_CPU_MAX,
  I_CPU_AVG,
  I_MEMORY_MAX,
  I_MEMORY_AVG,
  I_COLUMNS
};

static const char *const task_titles[T_COLUMNS] = {"create_timestamp", "modify_timestamp", "job_id",
                                                   "task_id",          "instance_num",     "status",
                                                   "plan_cpu",         "plan_mem"};
static const char *const instance_titles[I_COLUMNS] = {
    "start_timestamp", "end_timestamp", "job_id",       "task_id",      "machineID",    "status",
    "seq_no",          "total_seq_no",  "real_cpu_max", "real_cpu_avg", "real_mem_max", "real_mem_avg"};

enum { TASKS, INSTANCES };

static const hc_alibaba_schema schemas[] = {
    [TASKS] = {.reader = "source alibaba_v2017",
               .kind = "batch_task.csv of Alibaba's trace of 2017",
               .titles = task_titles,
               .count = T_COLUMNS,
               .needed = 1u << T_CREATE | 1u << T_MODIFY | 1u << T_JOB,
               .number = T_CREATE,
               .submit = T_CREATE,
               .id = T_TASK,
               .prefix = "",
               .zero_is_none = true},
    [INSTANCES] = {.reader = "source alibaba_v2017",
                   .kind = "batch_instance.csv of Alibaba's trace of 2017",
                   .titles = instance_titles,
                   .count = I_COLUMNS,
                   .needed = 1u << I_START | 1u << I_END,
                   .number = I_START,
                   .submit = I_START,
                   .id = I_TASK,
                   .prefix = "",
                   .zero_is_none = true}};

typedef enum which_table { TABLE_AUTO, TABLE_TASK, TABLE_INSTANCE } which_table;
typedef enum amount { MAXIMUM, AVERAGE } amount;

typedef struct options {
  hc_alibaba_options common;
  int table, statuses, amount;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_alibaba table;
  hc_alibaba_ratio memory;
  hc_task_spec task;
};

/* Columns of what both tables have. */
typedef struct columns {
  uint32_t status, start, end, job, task, cpu, memory;
  int64_t cpu_unit; /* of one core */
} columns;

static columns columns_of(const hc_source *s)
{
  const bool most = s->o->amount == MAXIMUM;
  if (s->table.schema->count == T_COLUMNS)
    return (columns){T_STATUS, T_CREATE, T_MODIFY, T_JOB, T_TASK, T_CPU, T_MEMORY, 100};
  return (columns){I_STATUS,
                   I_START,
                   I_END,
                   I_JOB,
                   I_TASK,
                   most ? I_CPU_MAX : I_CPU_AVG,
                   most ? I_MEMORY_MAX : I_MEMORY_AVG,
                   1};
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc read_row(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const hc_alibaba_range share = {1e-18, 1};
  const columns c = columns_of(s);
  const bool is_task = s->table.schema->count == T_COLUMNS;
  hc_alibaba *a = &s->table;
  int64_t *cpu = &t->need[HC_DIM_CPU], *memory = &t->need[HC_DIM_MEMORY], instances = 1;
  hc_alibaba_span span;
  hc_rc rc = hc_alibaba_ran(a, c.status, c.start, c.end, (hc_alibaba_statuses)s->o->statuses, &span, e);
  *t = hc_task_spec_none();
  if (rc == 1 && is_task) rc = hc_alibaba_count(a, T_INSTANCES, 1, UINT32_MAX, &instances, e);
  if (rc == 1)
    rc = hc_alibaba_amount(a, c.cpu, hc_alibaba_cpu(&s->o->common, c.cpu_unit), HC_ALIBABA_POSITIVE, cpu, e);
  if (rc == 1) rc = hc_alibaba_amount(a, c.memory, s->memory, share, memory, e);
  if (rc != 1) return rc;
  hc_alibaba_defaults(a, cpu, memory);
  if (*cpu == HC_UNKNOWN && *memory == HC_UNKNOWN) return hc_alibaba_reject(a, HC_REASON_NO_DEMAND, e);
  t->line = a->table.s.line;
  t->job = hc_alibaba_id(a, c.job, "");
  t->id = hc_alibaba_id(a, c.task, "");
  if (t->id < 0) t->id = (int64_t)a->table.s.rows;
  t->submit = span.start;
  t->run = span.end - span.start;
  t->status = span.status;
  t->hosts = 1;
  t->count = (uint32_t)instances;
  if (!is_task) t->flags = HC_SPEC_AT_START;
  return 1;
}

/* ---- the reader ---- */

static void v2017_close(hc_source *s)
{
  if (!s) return;
  hc_alibaba_close(&s->table);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc v2017_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->memory = hc_alibaba_memory(&o->common, 1);
  rc = hc_alibaba_open(&s->table, c, &o->common, &schemas[o->table == TABLE_INSTANCE ? INSTANCES : TASKS],
                       o->table == TABLE_AUTO ? 2 : 1, e);
  if (rc < 0) v2017_close(s);
  else *out = s;
  return rc;
}

static hc_rc v2017_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_alibaba_next(&s->table, e)) == 1) {
    rc = read_row(s, &s->task, e);
    *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return rc;
}

static const hc_trace_info *v2017_info(hc_source *s)
{
  s->table.info.derived =
      s->table.schema->count == T_COLUMNS
          ? "Each instance of a task runs from the task's creation to its last change, which is an upper bound."
          : "Instances are submitted when they started, since the trace does not say when they arrived. They need what "
            "they were measured to use.";
  return &s->table.info;
}

static hc_rc v2017_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  return hc_alibaba_visit(&s->table, v, e);
}

static void v2017_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.table.in, done, total);
}

/* By a state and two times where they belong, whatever a header above them says. */
static bool looks_like(const hc_alibaba_schema *schema, const hc_field *f, size_t n, uint32_t status)
{
  return n == schema->count && hc_alibaba_is_state(&f[status]) && hc_alibaba_is_number(&f[0]) &&
         hc_alibaba_is_number(&f[1]) && hc_alibaba_is_number(&f[2]);
}

static int v2017_recognise(const char *name, const char *head, size_t size)
{
  hc_field f[HC_ALIBABA_COLUMNS];
  const int named =
      hc_delimited_is_called(name, "batch_task.csv") || hc_delimited_is_called(name, "batch_instance.csv")
          ? 20
          : 0;
  for (int i = 0; i < 2; i++) {
    const size_t n = hc_alibaba_first_line(head, size, f);
    const char *end = memchr(head, '\n', size);
    if (looks_like(&schemas[TASKS], f, n, T_STATUS) || looks_like(&schemas[INSTANCES], f, n, I_STATUS))
      return 96;
    if (!end) break;
    size -= (size_t)(end + 1 - head);
    head = end + 1;
  }
  return named;
}

static hc_rc v2017_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                              void **layout, hc_error *e)
{
  const options *o = given;
  return hc_alibaba_line_begin(a, &o->common, &schemas[o->table == TABLE_INSTANCE ? INSTANCES : TASKS],
                               o->table == TABLE_AUTO ? 2 : 1, text, size, layout, e);
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "0", "512GiB",
                      "what 1 of the memory columns stands for: the memory of the largest machine"),
    HC_PARAM(CHOICE, options, table, "auto|task|instance", "auto",
             "Which table the file is. auto: the first line says it, by its titles or by 8 or 12 columns."),
    HC_PARAM(CHOICE, options, amount, "max|avg", "max",
             "Which measurement of an instance counts: the largest, or the average."),
    HC_PARAM(CHOICE, options, statuses, HC_ALIBABA_STATUSES, "terminated",
             "Which rows become tasks. terminated: those that ended well. ended: also those that failed, "
             "were interrupted or cancelled, if they have a start and an end."),
    {.name = NULL},
};

const hc_reader_type hc_reader_alibaba_v2017 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "alibaba_v2017",
         .summary = "batch_task.csv or batch_instance.csv of Alibaba's trace of 2017",
         .detail =
             "8 or 12 columns, with or without a header. A row of batch_task.csv is a bundle of instance_num equal "
             "tasks from create_timestamp to modify_timestamp; cpu is plan_cpu (100 is a core unless cpu_scale says "
             "otherwise). A row of batch_instance.csv is a task from start to end; cpu is real_cpu_max or _avg, in "
             "cores. Memory is a share of memory_scale. A row that says neither is rejected as no_demand, unless there "
             "are defaults. Times of 0 or before are missing: such a start is already_running, such an end "
             "still_running.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2017", .params = params,
         .options_size = sizeof(options)},
    .open = v2017_open,
    .next = v2017_next,
    .info = v2017_info,
    .visit = v2017_visit,
    .progress = v2017_progress,
    .close = v2017_close,
    .recognise = v2017_recognise,
    .line_key = hc_alibaba_line_key,
    .line_begin = v2017_line_begin,
    .line_end = hc_alibaba_line_end,
};
