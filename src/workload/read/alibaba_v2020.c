/* alibaba_v2020.c -- reads pai_task_table and pai_instance_table of Alibaba's GPU trace of 2020 (PAI).
 *
 * A row of the task table is one task of inst_num instances that start together (a gang): so many slots of plan_cpu,
 * plan_mem and plan_gpu each. gpu_type is what it ran on, taken as what it asked for. A row of the instance table is
 * one instance; what it needs stands in the task table, which is then read along (`tasks`).
 *
 * Neither table says who submitted a job, or when: the job table does (`jobs`), which is read along, too. Its
 * start_time is the submission. Without it a task is submitted when it started.
 *
 * A task that is called by a number, task_17, has that number and no role.
 *
 * Times are Unix times in UTC+8 of the right hour and day of the week in a false year. Programs (executable) are the
 * roles that tasks are named by: ps, worker, tensorflow. Files have no header; copies may.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al., NSDI 2022. Cost: about 0.5 us
 * a row; some 75 bytes for each row of the tables that are read along. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"
#include "workload/alibaba_side.h"
#include "workload/ledger.h"

enum { T_JOB, T_TASK, T_INSTANCES, T_STATUS, T_START, T_END, T_CPU, T_MEMORY, T_GPU, T_TYPE, T_COLUMNS };
enum { I_JOB, I_TASK, I_NAME, I_WORKER, I_ID, I_STATUS, I_START, I_END, I_MACHINE, I_COLUMNS };
enum { J_JOB, J_ID, J_USER, J_STATUS, J_START, J_END, J_COLUMNS };

static const char *const task_titles[T_COLUMNS] = {"job_name",   "task_name", "inst_num", "status",
                                                   "start_time", "end_time",  "plan_cpu", "plan_mem",
                                                   "plan_gpu",   "gpu_type"};
static const char *const instance_titles[I_COLUMNS] = {"job_name",    "task_name", "inst_name",
                                                       "worker_name", "inst_id",   "status",
                                                       "start_time",  "end_time",  "machine"};
static const char *const job_titles[J_COLUMNS] = {"job_name", "inst_id",    "user",
                                                  "status",   "start_time", "end_time"};

enum { TASKS, INSTANCES };

#define NOBODY HC_ALIBABA_COLUMNS

static const hc_alibaba_schema schemas[] = {
    [TASKS] = {.reader = "source alibaba_v2020",
               .kind = "pai_task_table of Alibaba's GPU trace of 2020",
               .titles = task_titles,
               .count = T_COLUMNS,
               .needed = 1u << T_JOB | 1u << T_START | 1u << T_END,
               .number = T_START,
               .submit = T_START,
               .id = NOBODY,
               .prefix = ""},
    [INSTANCES] = {.reader = "source alibaba_v2020",
                   .kind = "pai_instance_table of Alibaba's GPU trace of 2020",
                   .titles = instance_titles,
                   .count = I_COLUMNS,
                   .needed = 1u << I_JOB | 1u << I_TASK | 1u << I_START | 1u << I_END,
                   .number = I_START,
                   .submit = I_START,
                   .id = NOBODY,
                   .prefix = ""}};
static const hc_alibaba_schema job_schema = {.reader = "source alibaba_v2020",
                                             .kind = "pai_job_table of Alibaba's GPU trace of 2020",
                                             .titles = job_titles,
                                             .count = J_COLUMNS,
                                             .needed = 1u << J_JOB | 1u << J_START,
                                             .number = J_START,
                                             .submit = J_START,
                                             .id = NOBODY,
                                             .prefix = ""};

typedef enum which_table { TABLE_AUTO, TABLE_TASK, TABLE_INSTANCE } which_table;
typedef enum gpu_type { TYPE_REQUIRE, TYPE_IGNORE } gpu_type;

typedef struct options {
  hc_alibaba_options common;
  const char *jobs, *tasks;
  int table, statuses, gpu_type;
  bool gang;
  int64_t window;
} options;

/* A table that is read along. */
typedef struct along {
  hc_alibaba_options options;
  hc_alibaba table;
  hc_side side;
  bool is_open;
} along;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_source_context quiet; /* of the tables that are read along */
  hc_alibaba table;
  along jobs, plans;
  hc_alibaba_ratio cpu, memory, gpu;
  hc_interned users, roles;
  hc_buffer scratch;
  hc_task_spec task;
};

/* ---- what a task plans ---- */

enum { PLAN_CPU, PLAN_MEMORY, PLAN_GPU, PLAN_TYPE };

/* Of the row at hand of a task table. PLAN_TYPE: a name in the lexicon, or HC_NO_NAME.
 * @return 1, 0 if it was rejected, or an error. */
static hc_rc read_plan(const hc_source *s, hc_alibaba *a, int64_t plan[HC_SIDE_VALUES], hc_error *e)
{
  const hc_field *type = hc_alibaba_get(a, T_TYPE);
  hc_rc rc = hc_alibaba_amount(a, T_CPU, s->cpu, HC_ALIBABA_POSITIVE, &plan[PLAN_CPU], e);
  if (rc == 1) rc = hc_alibaba_amount(a, T_MEMORY, s->memory, HC_ALIBABA_POSITIVE, &plan[PLAN_MEMORY], e);
  if (rc == 1) rc = hc_alibaba_amount(a, T_GPU, s->gpu, HC_ALIBABA_POSITIVE, &plan[PLAN_GPU], e);
  if (rc != 1) return rc;
  plan[PLAN_TYPE] = HC_NO_NAME;
  if (!type || plan[PLAN_GPU] == HC_UNKNOWN || s->o->gpu_type == TYPE_IGNORE || hc_field_is(type, "CPU"))
    return 1;
  plan[PLAN_TYPE] = hc_lexicon_name(s->context->lexicon, type->text, type->length);
  return plan[PLAN_TYPE] == HC_NO_NAME ? HC_ENOMEM : 1;
}

static hc_rc next_plan(void *ctx, hc_side_row *row, hc_time *at, hc_error *e)
{
  hc_source *s = ctx;
  hc_alibaba *a = &s->plans.table;
  for (;;) {
    hc_rc rc = hc_alibaba_next(a, e);
    if (rc <= 0) return rc;
    if (!hc_alibaba_get(a, T_JOB) || !hc_alibaba_get(a, T_TASK)) continue;
    row->key = hc_side_key(hc_alibaba_id(a, T_JOB, ""), hc_alibaba_id(a, T_TASK, ""));
    rc = hc_alibaba_time(a, T_START, at, e);
    if (rc == 1) rc = read_plan(s, a, row->value, e);
    if (rc != 0) return rc;
  }
}

/* Give a task what it needs. @return 0 or HC_ENOMEM. */
static hc_rc put_plan(const hc_source *s, const int64_t plan[HC_SIDE_VALUES], hc_task_spec *t)
{
  static const char model[] = "gpu_model";
  hc_constraint c = {.compare = HC_EQUAL, .is_text = 1, .value = plan[PLAN_TYPE]};
  hc_task_extras more = hc_task_extras_none();
  t->need[HC_DIM_CPU] = plan[PLAN_CPU];
  t->need[HC_DIM_MEMORY] = plan[PLAN_MEMORY];
  t->need[HC_DIM_GPU] = plan[PLAN_GPU];
  if (plan[PLAN_TYPE] == HC_NO_NAME) return 0;
  c.attribute = hc_lexicon_name(s->context->lexicon, model, sizeof model - 1);
  if (c.attribute == HC_NO_NAME) return HC_ENOMEM;
  more.constraints = &c;
  more.constraint_count = 1;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more == 0 ? HC_ENOMEM : 0;
}

/* ---- who submitted a job, and when ---- */

enum { JOB_SUBMIT, JOB_USER };

static hc_rc next_job(void *ctx, hc_side_row *row, hc_time *at, hc_error *e)
{
  hc_source *s = ctx;
  hc_alibaba *a = &s->jobs.table;
  for (;;) {
    const hc_field *user;
    hc_rc rc = hc_alibaba_next(a, e);
    if (rc <= 0) return rc;
    if (!hc_alibaba_get(a, J_JOB)) continue;
    *row = (hc_side_row){.key = hc_side_key(hc_alibaba_id(a, J_JOB, ""), 0)};
    rc = hc_alibaba_time(a, J_START, at, e);
    if (rc < 0) return rc;
    if (rc == 0) continue;
    row->value[JOB_SUBMIT] = *at;
    row->value[JOB_USER] = -1;
    user = hc_alibaba_get(a, J_USER);
    if (user) rc = hc_interned_number(&s->users, user, &s->scratch, &row->value[JOB_USER]);
    if (rc == HC_ELIMIT)
      return hc_fail(e, HC_ELIMIT, a->table.name, 0, 0, "more than %zu different users: split the file",
                     HC_NAME_LIMIT);
    return rc < 0 ? rc : 1;
  }
}

/* @return 0 or an error. */
static hc_rc put_job(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const hc_side_row *job;
  hc_rc rc;
  t->flags |= HC_SPEC_AT_START;
  if (!s->jobs.is_open) return 0;
  rc = hc_side_find(&s->jobs.side, hc_side_key(t->job, 0), t->submit, &job, e);
  if (rc <= 0) return rc;
  t->user = job->value[JOB_USER];
  if (job->value[JOB_SUBMIT] == HC_UNKNOWN || job->value[JOB_SUBMIT] > t->submit) return 0;
  t->flags &= ~(uint32_t)HC_SPEC_AT_START;
  t->wait = t->submit - job->value[JOB_SUBMIT];
  t->submit = job->value[JOB_SUBMIT];
  return 0;
}

/* ---- rows ---- */

/* "task_17" is no role but a number, which the writer of this format gives to tasks without one. */
static bool is_number_of_task(const hc_field *f, int64_t *number)
{
  static const char prefix[] = "task_";
  const size_t n = sizeof prefix - 1;
  const hc_field rest = {.text = f->text + n, .length = f->length - n};
  if (f->length <= n || memcmp(f->text, prefix, n) != 0 || !hc_alibaba_is_number(&rest)) return false;
  *number = hc_alibaba_number(f->text, f->length, prefix);
  return true;
}

static hc_rc put_role(hc_source *s, uint32_t column, hc_task_spec *t, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(&s->table, column);
  if (f && is_number_of_task(f, &t->id)) return 0;
  const hc_rc rc = f ? hc_interned_number(&s->roles, f, &s->scratch, &t->executable) : 1;
  if (rc == HC_ELIMIT)
    return hc_fail(e, HC_ELIMIT, s->table.table.name, hc_line_number(t->line), 0,
                   "more than %zu different names of tasks: split the file", HC_NAME_LIMIT);
  return rc < 0 ? rc : 0;
}

/* What the row needs, into `plan`. @return 1, 0 if it was rejected, or an error. */
static hc_rc find_plan(hc_source *s, bool is_task, const hc_task_spec *t, int64_t plan[HC_SIDE_VALUES],
                       hc_error *e)
{
  const hc_side_row *row;
  hc_rc rc;
  if (is_task) return read_plan(s, &s->table, plan, e);
  rc = hc_side_find(&s->plans.side, hc_side_key(t->job, hc_alibaba_id(&s->table, I_TASK, "")), t->submit,
                    &row, e);
  if (rc < 0) return rc;
  if (rc == 0) return hc_alibaba_reject(&s->table, HC_REASON_INCOMPLETE, e);
  memcpy(plan, row->value, sizeof row->value);
  return 1;
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc read_row(hc_source *s, hc_task_spec *t, hc_error *e)
{
  hc_alibaba *a = &s->table;
  const bool is_task = a->schema->count == T_COLUMNS;
  int64_t instances = 1, plan[HC_SIDE_VALUES];
  hc_alibaba_span span;
  hc_rc rc = hc_alibaba_ran(a, is_task ? T_STATUS : I_STATUS, is_task ? T_START : I_START,
                            is_task ? T_END : I_END, (hc_alibaba_statuses)s->o->statuses, &span, e);
  *t = hc_task_spec_none();
  if (rc == 1 && is_task) rc = hc_alibaba_count(a, T_INSTANCES, 1, INT32_MAX, &instances, e);
  if (rc != 1) return rc;
  if (!hc_alibaba_get(a, T_JOB)) return hc_alibaba_wrong(a, T_JOB, "no name", e);
  t->line = a->table.s.line;
  t->id = (int64_t)a->table.s.rows;
  t->job = hc_alibaba_id(a, T_JOB, "");
  t->submit = span.start;
  t->run = span.end - span.start;
  t->status = span.status;
  t->hosts = s->o->gang ? instances : 1;
  t->count = s->o->gang ? 0 : (uint32_t)instances;
  rc = find_plan(s, is_task, t, plan, e);
  if (rc != 1) return rc;
  hc_alibaba_defaults(a, &plan[PLAN_CPU], &plan[PLAN_MEMORY]);
  if (plan[PLAN_CPU] == HC_UNKNOWN && plan[PLAN_MEMORY] == HC_UNKNOWN && plan[PLAN_GPU] == HC_UNKNOWN)
    return hc_alibaba_reject(a, HC_REASON_NO_DEMAND, e);
  TRY(put_job(s, t, e));
  TRY(put_role(s, T_TASK, t, e));
  TRY(put_plan(s, plan, t));
  return 1;
}

/* ---- the reader ---- */

static void close_along(along *l)
{
  hc_alibaba_close(&l->table);
  hc_side_fini(&l->side);
}

static void v2020_close(hc_source *s)
{
  if (!s) return;
  hc_alibaba_close(&s->table);
  close_along(&s->jobs);
  close_along(&s->plans);
  hc_interned_fini(&s->users);
  hc_interned_fini(&s->roles);
  hc_buffer_fini(&s->scratch);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc open_along(hc_source *s, along *l, const char *file, const hc_alibaba_schema *schema,
                        hc_rc (*read)(void *, hc_side_row *, hc_time *, hc_error *), hc_error *e)
{
  if (!file || !file[0]) return 0;
  l->options = s->o->common;
  l->options.file = file;
  l->is_open = true;
  hc_side_init(&l->side, s->context->allocator, (size_t)s->o->window);
  l->side.read = read;
  l->side.ctx = s;
  return hc_alibaba_open(&l->table, &s->quiet, &l->options, schema, 1, e);
}

static hc_rc v2020_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->quiet = (hc_source_context){.allocator = c->allocator, .lexicon = c->lexicon};
  s->cpu = hc_alibaba_cpu(&o->common, 100);
  s->memory = hc_alibaba_memory(&o->common, 1);
  s->gpu = (hc_alibaba_ratio){HC_DEVICE, 100};
  hc_interned_init(&s->users, c->allocator, true);
  s->users.lexicon = c->lexicon;
  hc_interned_init(&s->roles, c->allocator, true);
  s->roles.lexicon = c->lexicon;
  s->roles.what = HC_CALLED_EXECUTABLE;
  hc_buffer_init(&s->scratch, c->allocator);
  TRY_OR(hc_alibaba_open(&s->table, c, &o->common, &schemas[o->table == TABLE_INSTANCE ? INSTANCES : TASKS],
                         o->table == TABLE_AUTO ? 2 : 1, e),
         fail);
  TRY_OR(open_along(s, &s->jobs, o->jobs, &job_schema, next_job, e), fail);
  TRY_OR(open_along(s, &s->plans, o->tasks, &schemas[TASKS], next_plan, e), fail);
  if (s->table.info.unix_start == HC_UNKNOWN) {
    s->table.info.unix_start = 0;
    s->table.info.zone = "+08:00";
  }
  *out = s;
  return 0;
fail:
  v2020_close(s);
  return rc;
}

static hc_rc v2020_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_alibaba_next(&s->table, e)) == 1) {
    if (s->table.schema->count == I_COLUMNS && !s->plans.is_open)
      return hc_fail(
          e, HC_EUSAGE, s->table.table.name, hc_line_number(s->table.table.s.line), 0,
          "the instance table does not say what an instance needs: set `tasks` to pai_task_table.csv");
    rc = read_row(s, &s->task, e);
    *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return rc;
}

static const hc_trace_info *v2020_info(hc_source *s)
{
  s->table.info.derived =
      s->jobs.is_open
          ? "A task is submitted when its job was; gpu_type, what it ran on, counts as what it asked for."
          : "A task is submitted when it started, since only the job table says when jobs were submitted; "
            "gpu_type, what it ran on, counts as what it asked for.";
  return &s->table.info;
}

static hc_rc v2020_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  along *const others[] = {&s->jobs, &s->plans};
  TRY(hc_alibaba_visit(&s->table, v, e));
  TRY(hc_interned_visit(&s->roles, v));
  TRY(hc_interned_visit(&s->users, v));
  for (size_t i = 0; i < HC_ARRAY_LEN(others); i++) {
    if (!others[i]->is_open) continue;
    TRY(hc_alibaba_visit(&others[i]->table, v, e));
    TRY(hc_side_visit(&others[i]->side, v));
  }
  return 0;
}

static void v2020_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.table.in, done, total);
}

static int v2020_recognise(const char *name, const char *head, size_t size)
{
  hc_field f[HC_ALIBABA_COLUMNS];
  const size_t n = hc_alibaba_first_line(head, size, f);
  const int named = hc_delimited_is_called(name, "pai_task_table.csv") ||
                            hc_delimited_is_called(name, "pai_instance_table.csv")
                        ? 40
                        : 0;
  if (n == T_COLUMNS)
    return hc_alibaba_titles(&schemas[TASKS], f, n) == n ||
                   (hc_alibaba_is_state(&f[T_STATUS]) && hc_alibaba_is_number(&f[T_INSTANCES]))
               ? 96
               : named;
  if (n == I_COLUMNS)
    return hc_alibaba_titles(&schemas[INSTANCES], f, n) == n ||
                   (hc_alibaba_is_state(&f[I_STATUS]) &&
                    ((f[I_ID].length > 30 && f[I_NAME].length > 30) || hc_alibaba_is_number(&f[I_JOB])))
               ? 96
               : named;
  return named;
}

static hc_rc v2020_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                              void **layout, hc_error *e)
{
  const options *o = given;
  return hc_alibaba_line_begin(a, &o->common, &schemas[o->table == TABLE_INSTANCE ? INSTANCES : TASKS],
                               o->table == TABLE_AUTO ? 2 : 1, text, size, layout, e);
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "100", "1GiB", "what 1 of plan_mem stands for"),
    HC_PARAM(CHOICE, options, table, "auto|task|instance", "auto",
             "Which table the file is. auto: the first line says it, by its titles or by 10 or 9 columns."),
    HC_PARAM(TEXT, options, jobs, NULL,
             "Path of pai_job_table.csv, which says who submitted a job, and when. Default: no user, and "
             "tasks are submitted when they started."),
    HC_PARAM(TEXT, options, tasks, NULL,
             "Path of pai_task_table.csv, which says what the instances of the instance table need."),
    HC_PARAM(INT, options, window, "rows", "4194304", 1, 16777216,
             "How many rows of each table that is read along are held at once. If it has more, both files "
             "must be in order of time."),
    HC_PARAM(BOOL, options, gang, "true",
             "The instances of a task start together. false: each is a task of its own."),
    HC_PARAM(CHOICE, options, gpu_type, "require|ignore", "require",
             "require: a task with GPUs runs only on hosts whose attribute gpu_model is its gpu_type. "
             "ignore: anywhere."),
    HC_PARAM(CHOICE, options, statuses, HC_ALIBABA_STATUSES, "terminated",
             "Which rows become tasks. terminated: those that ended well. ended: also those that failed, if "
             "they have a start and an end."),
    {.name = NULL},
};

const hc_reader_type hc_reader_alibaba_v2020 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "alibaba_v2020",
         .summary = "pai_task_table or pai_instance_table of Alibaba's GPU trace of 2020 (PAI)",
         .detail =
             "10 or 9 columns, with or without a header. A row of the task table is a task of inst_num slots at once, "
             "or a bundle of as many without `gang`; none said: one. Each needs plan_cpu (100 is a core), plan_mem "
             "(GiB) and plan_gpu (100 is a GPU; 50 is half of one); a row that says none of them is rejected as "
             "no_demand, unless there are defaults. A row of the instance table is one slot, with the demand of its "
             "task. id is the row's number, or 17 of a task_17, job a hash of its name, user and executable (the task's name) are numbered "
             "in order of first sight. Time 0 is 1970 in UTC+8: hour and day of the week are true, the date is not.",
         .source =
             "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al., \"MLaaS in the Wild\", "
             "NSDI 2022",
         .params = params, .options_size = sizeof(options)},
    .open = v2020_open,
    .next = v2020_next,
    .info = v2020_info,
    .visit = v2020_visit,
    .progress = v2020_progress,
    .close = v2020_close,
    .recognise = v2020_recognise,
    .line_key = hc_alibaba_line_key,
    .line_begin = v2020_line_begin,
    .line_end = hc_alibaba_line_end,
};
