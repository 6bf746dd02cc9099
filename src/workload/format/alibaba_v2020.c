/* alibaba_v2020.c -- pai_task_table, pai_instance_table and pai_job_table of Alibaba's GPU trace of 2020
 * (PAI).
 *
 * A row of the task table is one task of inst_num instances that start together (a gang): so many slots of
 * plan_cpu, plan_mem and plan_gpu each. gpu_type is what it ran on, taken as what it asked for. A row of the
 * instance table is one instance; what it needs stands in the task table, which is then read along (`tasks`).
 *
 * Neither table says who submitted a job, or when: the job table does (`jobs`), which is read along, too. Its
 * start_time is the submission. Without it a task is submitted when it started.
 *
 * A task that is called by a number, task_17, has that number and no role.
 *
 * Times are Unix times in UTC+8 of the right hour and day of the week in a false year. Programs (executable)
 * are the roles that tasks are named by: ps, worker, tensorflow. Files have no header; copies may.
 *
 * Written, inst_num are the hosts that a task needs at once; a bundle becomes as many rows. The same workload
 * is converted thrice for all three tables. A program is a role, role_3; a task without one is called by its
 * number. A task of no job is a job. All is exact.
 *
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al., NSDI 2022. Cost:
 * about 0.5 us a row read, 0.4 us written; some 75 bytes for each row of the tables that are read along; 20
 * to 40 bytes for each task or job of the second and third table that is written. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"
#include "workload/alibaba_rows.h"
#include "workload/alibaba_side.h"
#include "workload/ledger.h"
#include "workload/names.h"

enum { T_JOB, T_TASK, T_INSTANCES, T_STATUS, T_START, T_END, T_CPU, T_MEMORY, T_GPU, T_TYPE, T_COLUMNS };
enum { I_JOB, I_TASK, I_NAME, I_WORKER, I_ID, I_STATUS, I_START, I_END, I_MACHINE, I_COLUMNS };
enum { J_JOB, J_ID, J_USER, J_STATUS, J_START, J_END, J_COLUMNS };

/* Of a pen. A row of the job table is held while tasks may still belong to it. */
typedef struct pen {
  hc_map seen; /* jobs that have a row; of the instance table, what tasks of one name need */
  int64_t rows;
  hc_task_spec first; /* of the job that is held */
  hc_time end;        /* of its tasks so far; HC_UNKNOWN: not all have one */
  bool any;
} pen;

static char *put_role(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const char *name = hc_called_of(w->rows.context, HC_CALLED_EXECUTABLE, t->executable);
  if (name && strncmp(name, "task_", 5) != 0) { /* which would be read as a number */
    const hc_text_rules rules = hc_pen_rules(w, 0);
    char *end = hc_put_field(p, &rules, name);
    if (end) *lost &= ~HC_FACT_BIT(EXECUTABLE_NAME);
    if (end) return end;
  }
  if (name) return hc_put_int(hc_put_text(p, "role_"), hc_name_hashed(name, strlen(name)));
  if (t->executable >= 0) return hc_put_uint(hc_put_text(p, "role_"), (uint64_t)t->executable);
  return hc_put_uint(hc_put_text(p, "task_"), (uint64_t)HC_MAX(t->id, 0));
}

static char *put_hosts(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  HC_UNUSED(lost);
  return hc_put_text(hc_put_int(p, w->slots.hosts), ".0");
}

static char *put_type(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return w->slots.need[HC_DIM_GPU] > 0 ? hc_pen_models(p, w->rows.context->lexicon, t, 1, lost)
                                       : hc_put_text(p, "CPU");
}

/* "_0" behind the name of an instance. */
static char *put_rank(char *p, const hc_pen *w)
{
  return hc_put_int(hc_put_char(hc_put_uint(p, w->serial), '_'), w->row);
}

static char *put_instance(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  HC_UNUSED(lost);
  return put_rank(hc_put_text(p, "inst_"), w);
}

static char *put_worker(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  HC_UNUSED(lost);
  return put_rank(hc_put_text(p, "worker_"), w);
}

static char *put_user(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return hc_pen_called(p, w, HC_CALLED_USER, t->user, lost);
}

#define JOB_NAME "job_name", HC_NUMBERED(""), .note = "job", .flags = HC_ASKED | HC_NEEDED
#define SECONDS HC_IS(SECONDS), .flags = HC_ASKED | HC_NEEDED | HC_POINTED
#define BEGIN "start_time", HC_TO(SUBMIT), SECONDS | HC_NONE_IS_FIRST
#define FINISH "end_time", .note = "the end of its run", SECONDS
#define STATE "status", .note = HC_ALIBABA_STATES, .put = hc_alibaba_put_task_state
#define AMOUNT(num, den) HC_DECIMAL(num, den), .flags = HC_ASKED | HC_POINTED

static const hc_column task_columns[T_COLUMNS] = {
    [T_JOB] = {JOB_NAME},
    [T_TASK] = {"task_name", HC_NUMBERED(""), .note = "executable, or id", .flags = HC_ASKED,
                .put = put_role},
    [T_INSTANCES] = {"inst_num", HC_TO(HOSTS), HC_WHOLE(1, INT32_MAX), .flags = HC_ASKED, .put = put_hosts},
    [T_STATUS] = {STATE},
    [T_START] = {BEGIN},
    [T_END] = {FINISH},
    [T_CPU] = {"plan_cpu", HC_TO(CPU), AMOUNT(1000, 100) | HC_CPU_SCALE},
    [T_MEMORY] = {"plan_mem", HC_TO(MEMORY), AMOUNT((int64_t)1 << 30, 1) | HC_MEMORY_SCALE},
    [T_GPU] = {"plan_gpu", HC_TO(GPU), AMOUNT(HC_DEVICE, 100)},
    [T_TYPE] = {"gpu_type", .note = "constraint on gpu_model, of tasks with GPUs", .put = put_type}};
static const hc_column instance_columns[I_COLUMNS] = {
    [I_JOB] = {JOB_NAME},
    [I_TASK] = {"task_name", HC_NUMBERED(""), .note = "executable, or id", .flags = HC_ASKED | HC_NEEDED,
                .put = put_role},
    [I_NAME] = {"inst_name", .note = "not read", .put = put_instance},
    [I_WORKER] = {"worker_name", .note = "not read", .put = put_worker},
    [I_ID] = {"inst_id", HC_NUMBERED(""), .note = "not read", .flags = HC_ASKED},
    [I_STATUS] = {STATE},
    [I_START] = {BEGIN},
    [I_END] = {FINISH},
    [I_MACHINE] = {.titles = "machine"}};
static const hc_column job_columns[J_COLUMNS] = {
    [J_JOB] = {JOB_NAME},
    [J_ID] = {"inst_id", HC_NUMBERED(""), .note = "not read", .flags = HC_ASKED},
    [J_USER] = {"user", .note = "user", .put = put_user},
    [J_STATUS] = {"status", .note = "not read", .put = hc_alibaba_put_task_state},
    [J_START] = {BEGIN},
    [J_END] = {"end_time", HC_IS(SECONDS), .note = "not read", .flags = HC_ASKED | HC_POINTED}};

enum { TASKS, INSTANCES, JOBS };

#define FORM(table_, columns_, number_) \
  HC_ALIBABA_FORM(table_ " of Alibaba's GPU trace of 2020", columns_, number_, false)
static const hc_table_form forms[] = {[TASKS] = FORM("pai_task_table", task_columns, T_START),
                                      [INSTANCES] = FORM("pai_instance_table", instance_columns, I_START),
                                      [JOBS] = FORM("pai_job_table", job_columns, J_START)};
static const hc_table_format job_format = {
    .name = "alibaba_v2020", .forms = &forms[JOBS], .form_count = 1, HC_ALIBABA_MISSING};
static const hc_table_format plan_format = {
    .name = "alibaba_v2020", .forms = &forms[TASKS], .form_count = 1, HC_ALIBABA_MISSING};

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
  hc_sheet *table;
  hc_side side;
  bool is_open;
} along;

typedef struct state {
  const hc_source_context *context;
  const options *o;
  hc_source_context quiet; /* of the tables that are read along */
  hc_sheet *table;
  along jobs, plans;
  hc_interned users, roles;
  hc_buffer scratch;
  hc_task_spec task;
} state;

/* ---- what a task plans ---- */

enum { PLAN_CPU, PLAN_MEMORY, PLAN_GPU, PLAN_TYPE };

/* Of the row at hand of a task table. PLAN_TYPE: a name in the lexicon, or HC_NO_NAME.
 * @return 1, 0 if it was rejected, or an error. */
static hc_rc read_plan(const state *s, hc_sheet *a, int64_t plan[HC_SIDE_VALUES], hc_error *e)
{
  const hc_field *type = hc_sheet_field(a, T_TYPE);
  hc_rc rc = hc_sheet_get(a, T_CPU, &plan[PLAN_CPU], e);
  if (rc == 1) rc = hc_sheet_get(a, T_MEMORY, &plan[PLAN_MEMORY], e);
  if (rc == 1) rc = hc_sheet_get(a, T_GPU, &plan[PLAN_GPU], e);
  if (rc != 1) return rc;
  plan[PLAN_TYPE] = HC_NO_NAME;
  if (!type || plan[PLAN_GPU] == HC_UNKNOWN || s->o->gpu_type == TYPE_IGNORE || hc_field_is(type, "CPU"))
    return 1;
  plan[PLAN_TYPE] = hc_lexicon_name(s->context->lexicon, type->text, type->length);
  return plan[PLAN_TYPE] == HC_NO_NAME ? HC_ENOMEM : 1;
}

static hc_rc next_plan(void *ctx, hc_side_row *row, hc_time *at, hc_error *e)
{
  state *s = ctx;
  hc_sheet *a = s->plans.table;
  for (;;) {
    hc_rc rc = hc_sheet_row(a, e);
    if (rc <= 0) return rc;
    if (!hc_sheet_field(a, T_JOB) || !hc_sheet_field(a, T_TASK)) continue;
    row->key = hc_side_key(hc_sheet_id(a, T_JOB), hc_sheet_id(a, T_TASK));
    rc = hc_sheet_get(a, T_START, at, e);
    if (rc == 1) rc = read_plan(s, a, row->value, e);
    if (rc != 0) return rc;
  }
}

/* Give a task what it needs. @return 0 or HC_ENOMEM. */
static hc_rc put_plan(const state *s, const int64_t plan[HC_SIDE_VALUES], hc_task_spec *t)
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
  state *s = ctx;
  hc_sheet *a = s->jobs.table;
  for (;;) {
    const hc_field *user;
    hc_rc rc = hc_sheet_row(a, e);
    if (rc <= 0) return rc;
    if (!hc_sheet_field(a, J_JOB)) continue;
    *row = (hc_side_row){.key = hc_side_key(hc_sheet_id(a, J_JOB), 0)};
    rc = hc_sheet_get(a, J_START, at, e);
    if (rc < 0) return rc;
    if (rc == 0) continue;
    row->value[JOB_SUBMIT] = *at;
    row->value[JOB_USER] = -1;
    user = hc_sheet_field(a, J_USER);
    if (user) rc = hc_interned_number(&s->users, user, &s->scratch, &row->value[JOB_USER]);
    return rc < 0 ? rc : 1;
  }
}

/* @return 0 or an error. */
static hc_rc put_job(state *s, hc_task_spec *t, hc_error *e)
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
  if (f->length <= n || memcmp(f->text, prefix, n) != 0 || !hc_field_is_number(&rest)) return false;
  *number = hc_sheet_number(&(hc_column){HC_NUMBERED(prefix)}, f);
  return true;
}

static hc_rc take_role(state *s, uint32_t column, hc_task_spec *t)
{
  const hc_field *f = hc_sheet_field(s->table, column);
  if (f && is_number_of_task(f, &t->id)) return 0;
  const hc_rc rc = f ? hc_interned_number(&s->roles, f, &s->scratch, &t->executable) : 1;
  return rc < 0 ? rc : 0;
}

/* What the row needs, into `plan`. @return 1, 0 if it was rejected, or an error. */
static hc_rc find_plan(state *s, bool is_task, const hc_task_spec *t, int64_t plan[HC_SIDE_VALUES],
                       hc_error *e)
{
  const hc_side_row *row;
  hc_rc rc;
  if (is_task) return read_plan(s, s->table, plan, e);
  rc = hc_side_find(&s->plans.side, hc_side_key(t->job, hc_sheet_id(s->table, I_TASK)), t->submit, &row, e);
  if (rc < 0) return rc;
  if (rc == 0) return hc_sheet_reject(s->table, HC_REASON_INCOMPLETE, e);
  memcpy(plan, row->value, sizeof row->value);
  return 1;
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc read_row(state *s, hc_task_spec *t, hc_error *e)
{
  hc_sheet *a = s->table;
  const bool is_task = a->s.form == TASKS;
  int64_t instances = HC_UNKNOWN, plan[HC_SIDE_VALUES];
  hc_rc rc;
  *t = hc_task_spec_none();
  rc = hc_alibaba_span_of(a, is_task ? T_STATUS : I_STATUS, is_task ? T_START : I_START,
                          is_task ? T_END : I_END, s->o->statuses, t, e);
  if (rc == 1 && is_task) rc = hc_sheet_get(a, T_INSTANCES, &instances, e);
  if (rc != 1) return rc;
  if (!hc_sheet_field(a, T_JOB)) return hc_sheet_wrong(a, T_JOB, "no name", e);
  if (instances == HC_UNKNOWN) instances = 1;
  t->line = a->in.s.line;
  t->id = (int64_t)a->in.s.rows;
  t->job = hc_sheet_id(a, T_JOB);
  t->hosts = s->o->gang ? instances : 1;
  t->count = s->o->gang ? 0 : (uint32_t)instances;
  rc = find_plan(s, is_task, t, plan, e);
  if (rc != 1) return rc;
  hc_sheet_defaults(a, &plan[PLAN_CPU], &plan[PLAN_MEMORY]);
  if (plan[PLAN_CPU] == HC_UNKNOWN && plan[PLAN_MEMORY] == HC_UNKNOWN && plan[PLAN_GPU] == HC_UNKNOWN)
    return hc_sheet_reject(a, HC_REASON_NO_DEMAND, e);
  TRY(put_job(s, t, e));
  TRY(take_role(s, T_TASK, t));
  TRY(put_plan(s, plan, t));
  return 1;
}

/* ---- the reader ---- */

static void closed(hc_sheet *t)
{
  state *s = t->own;
  if (!s || !s->table) return;
  hc_sheet_end(s->jobs.table);
  hc_sheet_end(s->plans.table);
  hc_side_fini(&s->jobs.side);
  hc_side_fini(&s->plans.side);
  hc_interned_fini(&s->users);
  hc_interned_fini(&s->roles);
  hc_buffer_fini(&s->scratch);
}

static hc_rc open_along(state *s, along *l, const char *file, const hc_table_format *format,
                        hc_rc (*read)(void *, hc_side_row *, hc_time *, hc_error *), hc_error *e)
{
  if (!file || !file[0]) return 0;
  l->options = s->o->common;
  l->options.file = file;
  l->is_open = true;
  hc_side_init(&l->side, s->context->allocator, (size_t)s->o->window);
  l->side.read = read;
  l->side.ctx = s;
  return hc_sheet_begin(format, &s->quiet, &l->options, &l->table, e);
}

static hc_rc opened(hc_sheet *t, hc_error *e)
{
  const hc_source_context *c = t->context;
  state *s = t->own;
  s->table = t;
  s->context = c;
  s->o = (const options *)(const void *)t->o;
  s->quiet = (hc_source_context){.allocator = c->allocator, .lexicon = c->lexicon};
  hc_interned_init(&s->users, c->allocator, true);
  s->users.lexicon = c->lexicon;
  hc_interned_init(&s->roles, c->allocator, true);
  s->roles.lexicon = c->lexicon;
  s->users.ledger = s->roles.ledger = c->ledger;
  s->roles.what = HC_CALLED_EXECUTABLE;
  hc_buffer_init(&s->scratch, c->allocator);
  TRY(open_along(s, &s->jobs, s->o->jobs, &job_format, next_job, e));
  return open_along(s, &s->plans, s->o->tasks, &plan_format, next_plan, e);
}

static hc_rc take_row(hc_sheet *t, hc_task_spec *spec, hc_error *e)
{
  state *s = t->own;
  if (t->s.form == INSTANCES && !s->plans.is_open)
    return hc_fail(
        e, HC_EUSAGE, t->in.name, hc_line_number(t->in.s.line), 0,
        "the instance table does not say what an instance needs: set `tasks` to pai_task_table.csv");
  return read_row(s, spec, e);
}

static void info(hc_sheet *t, hc_trace_info *i)
{
  if (i->unix_start == HC_UNKNOWN) {
    i->unix_start = 0;
    i->zone = "+08:00";
  }
  i->derived =
      ((const state *)t->own)->jobs.is_open
          ? "A task is submitted when its job was; gpu_type, what it ran on, counts as what it asked for."
          : "A task is submitted when it started, since only the job table says when jobs were "
            "submitted; gpu_type, what it ran on, counts as what it asked for.";
}

static hc_rc visit(hc_sheet *t, hc_visitor *v, hc_error *e)
{
  state *s = t->own;
  along *const others[] = {&s->jobs, &s->plans};
  TRY(hc_interned_visit(&s->roles, v));
  TRY(hc_interned_visit(&s->users, v));
  for (size_t i = 0; i < HC_ARRAY_LEN(others); i++) {
    if (!others[i]->is_open) continue;
    TRY(hc_sheet_visit((hc_source *)(void *)others[i]->table, v, e));
    TRY(hc_side_visit(&others[i]->side, v));
  }
  return 0;
}

static void pick(const void *given, size_t *first, size_t *count)
{
  const options *o = given;
  *first = o->table == TABLE_INSTANCE ? INSTANCES : TASKS;
  *count = o->table == TABLE_AUTO ? 2 : 1;
}

static int recognise(const char *name, const char *head, size_t size, const hc_field *f, size_t n)
{
  uint64_t at[HC_TABLE_COLUMNS];
  HC_UNUSED(head);
  HC_UNUSED(size);
  if (n == T_COLUMNS && (hc_form_bind(&forms[TASKS], f, n, at) == n ||
                         (hc_alibaba_is_state(&f[T_STATUS]) && hc_field_is_number(&f[T_INSTANCES]))))
    return 96;
  if (n == I_COLUMNS && (hc_form_bind(&forms[INSTANCES], f, n, at) == n ||
                         (hc_alibaba_is_state(&f[I_STATUS]) &&
                          ((f[I_ID].length > 30 && f[I_NAME].length > 30) || hc_field_is_number(&f[I_JOB])))))
    return 96;
  return hc_delimited_is_called(name, "pai_task_table.csv") ||
                 hc_delimited_is_called(name, "pai_instance_table.csv")
             ? 40
             : 0;
}

/* ---- writing ---- */

#define MOST_SEEN ((size_t)1 << 24)

typedef struct pen_options {
  int table;
} pen_options;

static uint32_t form_of(const void *o)
{
  return (uint32_t)((const pen_options *)o)->table;
}

static hc_rc begun(hc_pen *w, hc_buffer *head, hc_error *e)
{
  HC_UNUSED(head);
  HC_UNUSED(e);
  hc_map_init(&((pen *)w->own)->seen, w->rows.context->allocator);
  if (w->form == &forms[JOBS]) w->held = HC_FACT_BIT(JOB) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(STATUS);
  return 0;
}

static void dropped(hc_pen *w)
{
  hc_map_fini(&((pen *)w->own)->seen);
}

static uint64_t mixed(uint64_t h, int64_t x)
{
  h = (h ^ (uint64_t)x) * UINT64_C(0xff51afd7ed558ccd);
  return h ^ h >> 32;
}

/* What an instance needs is found by the names of its job and task: of two tasks that have both, one must
 * need what the other does. */
static hc_rc say_plan(hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  static const uint8_t dimensions[] = {HC_DIM_CPU, HC_DIM_MEMORY, HC_DIM_GPU};
  pen *own = w->own;
  const uint64_t key =
      mixed(mixed(mixed(1, t->job >= 0 ? t->job : t->id), t->executable), t->executable < 0 ? t->id : 0);
  char plan[HC_OUT_ROOM]; /* for what of it is lost */
  uint64_t need = 1;
  uint32_t known;
  for (int c = T_CPU; c <= T_GPU; c++)
    (void)hc_put_amount(plan, &task_columns[c], w->slots.need[dimensions[c - T_CPU]], lost);
  (void)put_type(plan, w, t, lost);
  for (int d = 0; d <= HC_DIM_GPU; d++) need = mixed(need, w->slots.need[d]);
  need = mixed(need, t->more);
  known = hc_map_get(&own->seen, key);
  if (known == HC_MAP_NONE)
    return own->seen.count < MOST_SEEN ? hc_map_set(&own->seen, key, (uint32_t)need >> 1) : 0;
  if (known != (uint32_t)need >> 1)
    *lost |= hc_task_facts(t, NULL) & (HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) | HC_FACT_BIT(GPU));
  return 0;
}

static void fill_span(const hc_task_spec *t, int64_t *start, int64_t *end)
{
  *start = t->run >= 0 && hc_is_time(hc_start_of(t)) ? hc_start_of(t) : HC_UNKNOWN;
  *end = t->run >= 0 && !(t->flags & HC_SPEC_NO_END) && hc_is_time(hc_end_of(t)) ? hc_end_of(t) : HC_UNKNOWN;
}

static hc_rc write_held(hc_pen *w, hc_error *e)
{
  pen *own = w->own;
  const hc_task_spec *t = &own->first;
  const int64_t number = hc_alibaba_job(t),
                value[J_COLUMNS] = {[J_JOB] = number,
                                    [J_ID] = number,
                                    [J_START] = hc_is_time(t->submit) ? t->submit : HC_UNKNOWN,
                                    [J_END] = t->flags & HC_SPEC_NO_END || !hc_is_time(own->end) ? HC_UNKNOWN
                                                                                                 : own->end};
  uint64_t lost = 0; /* counted when the task came */
  char *row;
  HC_UNUSED(e);
  if (!own->any) return 0;
  w->task = t;
  TRY(hc_out_row(&w->rows.out, &row));
  hc_out_end(&w->rows.out, hc_pen_row(row, w, w->format, job_columns, J_COLUMNS, ',', value, &lost));
  return 0;
}

/* The tasks of a job make one row, as far as they come one after another. */
static hc_rc hold_job(hc_pen *w, const hc_task_spec *t, uint64_t *lost, hc_error *e)
{
  const uint64_t number = (uint64_t)hc_alibaba_job(t);
  pen *own = w->own;
  if (own->any && own->first.job >= 0 && own->first.job == t->job) {
    own->end = HC_MAX(own->end, hc_end_of(t));
  } else if (own->seen.count < MOST_SEEN && hc_map_get(&own->seen, number) == HC_MAP_NONE) {
    TRY(hc_map_set(&own->seen, number, 0));
    TRY(write_held(w, e));
    (void)hc_alibaba_state(t, false, lost);
    own->first = *t;
    own->end = hc_end_of(t);
    own->any = true;
  } else { /* it has its row */
    *lost |= HC_FACT_BIT(SUBMIT);
    return 0;
  }
  hc_pen_lose(lost, HC_FACT_BIT(SUBMIT), t->submit != own->first.submit);
  hc_pen_lose(lost, HC_FACT_BIT(USER), t->user != own->first.user);
  hc_pen_tell(w, HC_CALLED_USER, t->user, lost);
  return 0;
}

/* Roles do not tell tasks apart; then a task's number is that of its row, if it is. */
static hc_rc write_task(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  const bool is_task = w->form == &forms[TASKS];
  pen *own = w->own;
  if (!hc_is_time(t->submit)) return 1;
  if (w->form == &forms[JOBS]) {
    w->repeat = 0;
    return hold_job(w, t, lost, e);
  }
  if (!is_task) w->repeat = hc_pen_rows(&w->slots, HC_ROW_A_HOST);
  TRY(hc_rows_allowed(t, w->repeat, w->format->name, e));
  if (!is_task) TRY(say_plan(w, t, lost));
  own->rows += w->repeat;
  if (t->executable < 0 || (w->repeat == 1 && t->id == own->rows)) *lost &= ~HC_FACT_BIT(ID);
  hc_pen_lose(lost, HC_FACT_BIT(SUBMIT), t->wait > 0);
  hc_pen_lose(lost, HC_FACT_BIT(HOSTS), !is_task && t->hosts > 1);
  if (t->wait <= 0) *lost &= ~HC_FACT_BIT(WAIT);
  value[T_JOB] = hc_alibaba_job(t); /* of both tables */
  if (is_task && value[T_GPU] <= 0) value[T_GPU] = HC_UNKNOWN;
  if (!is_task) value[I_ID] = value[I_JOB];
  if (is_task) fill_span(t, &value[T_START], &value[T_END]);
  else fill_span(t, &value[I_START], &value[I_END]);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {.name = "alibaba_v2020",
                                       .forms = forms,
                                       .form_count = 3,
                                       HC_ALIBABA_MISSING,
                                       .recognise = recognise,
                                       .own_size = sizeof(state),
                                       .opened = opened,
                                       .closed = closed,
                                       .visit = visit,
                                       .pick = pick,
                                       .row = take_row,
                                       .info = info,
                                       .rows = HC_ROW_OF_A_BUNDLE,
                                       .says = HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) | HC_FACT_BIT(EXECUTABLE) |
                                               HC_FACT_BIT(STATUS) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) |
                                               HC_FACT_BIT(MEMORY) | HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE) |
                                               HC_FACT_BIT(AT_START) | HC_FACT_BIT(NO_END),
                                       .pen_size = sizeof(pen),
                                       .form_of = form_of,
                                       .begun = begun,
                                       .ended = write_held,
                                       .dropped = dropped,
                                       .fill = write_task};

static hc_rc pen_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  switch (hc_pen_form(w)) {
    case TASKS: return HC_PEN_TASK(format, task_columns, ',');
    case INSTANCES: return HC_PEN_TASK(format, instance_columns, ',');
    default: return HC_PEN_TASK(format, job_columns, ',');
  }
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "100", "1GiB", "Bytes that 1 of plan_mem stands for."),
    HC_PARAM(CHOICE, options, table, "auto|task|instance", "auto",
             "Which table the file is. auto: it follows from the titles in the first line, or from its 10 or "
             "9 columns. task: pai_task_table. instance: pai_instance_table."),
    HC_PARAM(FILE, options, jobs, NULL,
             "Path of pai_job_table.csv, which has the user and the submission of each job. Default: tasks "
             "have no user, and are submitted at their start."),
    HC_PARAM(FILE, options, tasks, NULL,
             "Path of pai_task_table.csv, which has the demands of the instances of the instance table."),
    HC_PARAM(INT, options, window, "rows", "4194304", 1, 16777216,
             "Number of rows of `jobs`, and of `tasks`, that are held at one time. If such a file has more "
             "rows, both files must be in order of time."),
    HC_PARAM(BOOL, options, gang, "true",
             "Whether the instances of a task start together. false: each is a task of its own."),
    HC_PARAM(CHOICE, options, gpu_type, "require|ignore", "require",
             "What gpu_type means. require: a task with GPUs runs only on hosts whose attribute gpu_model is "
             "its gpu_type. ignore: nothing."),
    HC_PARAM(CHOICE, options, statuses, HC_ALIBABA_STATUSES, "terminated",
             "Which rows become tasks. terminated: those that ended well. ended: also those that failed, if "
             "they have a start and an end."),
    {.name = NULL},
};

HC_TABLE_READER(
    alibaba_v2020, format, options, params,
    .summary = "pai_task_table or pai_instance_table of Alibaba's GPU trace of 2020 (PAI)",
    .detail = "A row of the task table is a task of inst_num slots (one, if it is empty) that start "
              "together; without `gang` it is a bundle of so many tasks. A row without a demand is rejected "
              "as no_demand, unless there are defaults. A row of the instance table is a task of one slot, "
              "with the demand of its task. The id is the row's number, or 17 for task_17; users and roles "
              "are numbered in order of first sight. Time 0 is the begin of 1970 in UTC+8: the hour and the "
              "day of the week are true, the date is not.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al., \"MLaaS in the "
              "Wild\", NSDI 2022");

static const hc_param pen_params[] = {
    HC_PARAM(CHOICE, pen_options, table, "task|instance|job", "task",
             "Which table. task: pai_task_table, what each task needs. instance: pai_instance_table, a row "
             "for each of its instances. job: pai_job_table, who submitted each job, and when."),
    {.name = NULL},
};

HC_TABLE_WRITER_OF(
    alibaba_v2020, format, ".csv",
    .summary = "pai_task_table, pai_instance_table or pai_job_table of Alibaba's GPU trace of 2020 (PAI)",
    .detail = "No titles; times and numbers are reals, all exact. A bundle becomes a row for each of its "
              "tasks. job_name is the number of the job, or of a task that is part of no job; task_name is "
              "role_ and the program (numbered anew when it is read), or task_ and the task's number if it "
              "has no program. start_time is the start. The submission and the user are only in the job "
              "table (`jobs` of the reader), and what an instance needs is only in the task table (`tasks` "
              "of the reader). Tasks submitted before time 0, or at an unknown time, are left out.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al., NSDI 2022",
    .params = pen_params, .options_size = sizeof(pen_options));
