/* alibaba_v2020.c -- writes three tables of Alibaba's GPU trace of 2020 (PAI).
 *
 *   pai_task_table      job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type
 *   pai_instance_table  job_name,task_name,inst_name,worker_name,inst_id,status,start_time,end_time,machine
 *   pai_job_table       job_name,inst_id,user,status,start_time,end_time
 *
 * No header. Numbers are reals ("600.0") and times seconds, all exact: plan_cpu is 100 for a core, plan_gpu for a GPU,
 * plan_mem in GiB. inst_num are the hosts that a task needs at once; a bundle becomes as many rows. Neither the first nor
 * the second table says when a task was submitted, or by whom: the third does, once for a job, and is read along with
 * them; so is the first with the second, which does not say what an instance needs. The same workload is converted
 * thrice for all of them.
 *
 * A program is a role, role_3; a task without one is called by its number, task_17. A task of no job is a job. Source:
 * https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2020. Cost: about 0.4 us a row; the second and third table
 * also 20 to 40 bytes for each task, or job. */
#include "workload/alibaba_rows.h"

#define GIB ((uint64_t)1 << 30)
#define MOST_SEEN ((size_t)1 << 24)

typedef enum which_table { TABLE_TASK, TABLE_INSTANCE, TABLE_JOB } which_table;

typedef struct options {
  int table;
} options;

/* A row of the job table, to which tasks may still belong. */
typedef struct held_job {
  hc_task_spec first;
  hc_time end; /* of the tasks so far; HC_UNKNOWN: not all have one */
  bool any;
} held_job;

struct hc_writer {
  hc_rows rows;
  const options *o;
  hc_map seen; /* jobs that have a row; of the instance table, what tasks of one name need */
  held_job job;
  int64_t row; /* of the task table, from 1 */
};

static void v2020_close(hc_writer *w)
{
  if (w) hc_map_fini(&w->seen);
  hc_rows_close(w);
}

static hc_rc v2020_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->o = given;
  hc_map_init(&(*out)->seen, c->allocator);
  return 0;
}

/* ---- fields ---- */

/* Seconds as reals: "1739162.0"; nothing if not known. Exact. */
static char *put_seconds(char *p, hc_time t)
{
  return hc_is_time(t) ? hc_as_real(p, hc_put_parts(p, t, HC_SECOND)) : p;
}

static char *put_real(char *p, int64_t amount, uint64_t num, uint64_t den, uint64_t *lost)
{
  return hc_as_real(p, hc_put_decimal(p, amount, num, den, lost));
}

static char *put_names(char *p, const hc_task_spec *t)
{
  p = hc_put_char(hc_alibaba_put_job_number(p, t), ',');
  if (t->executable >= 0) return hc_put_uint(hc_put_text(p, "role_"), (uint64_t)t->executable);
  return hc_put_uint(hc_put_text(p, "task_"), (uint64_t)HC_MAX(t->id, 0));
}

/* ",Terminated,1005.0,1660.0" */
static char *put_span(char *p, const hc_task_spec *t, hc_time start, hc_time end, uint64_t *lost)
{
  p = hc_put_char(hc_put_text(hc_put_char(p, ','), hc_alibaba_state(t, false, lost)), ',');
  if (t->run < 0) return hc_put_char(p, ',');
  p = hc_put_char(put_seconds(p, start), ',');
  return t->flags & HC_SPEC_NO_END ? p : put_seconds(p, end);
}

static char *put_plan(char *p, const hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const int64_t gpu = s->need[HC_DIM_GPU];
  p = hc_put_char(put_real(p, s->need[HC_DIM_CPU], 1000, 100, lost), ',');
  p = hc_put_char(put_real(p, s->need[HC_DIM_MEMORY], GIB, 1, lost), ',');
  if (gpu <= 0) return hc_put_text(p, ",CPU");
  p = hc_put_char(put_real(p, gpu, HC_DEVICE, 100, lost), ',');
  p = hc_pen_models(p, w->rows.context->lexicon, t, 1, lost);
  return p;
}

/* Roles do not tell tasks apart; then a task's number is that of its row, if it is. */
static void say_id(const hc_task_spec *t, int64_t row, uint64_t *lost)
{
  if (t->executable < 0 || t->id == row) *lost &= ~HC_FACT_BIT(ID);
}

/* ---- tasks ---- */

static hc_rc put_task(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost, hc_error *e)
{
  TRY(hc_rows_allowed(t, s->count, "alibaba_v2020", e));
  for (int64_t i = 0; i < s->count; i++) {
    char *p;
    TRY(hc_out_row(&w->rows.out, &p));
    p = hc_put_int(hc_put_char(put_names(p, t), ','), s->hosts);
    p = put_span(hc_put_text(p, ".0"), t, hc_start_of(t), hc_end_of(t), lost);
    p = put_plan(hc_put_char(p, ','), w, t, s, lost);
    hc_out_end(&w->rows.out, hc_put_char(p, '\n'));
    w->row++;
  }
  say_id(t, s->count > 1 ? -1 : w->row, lost);
  return 0;
}

/* ---- instances ---- */

static uint64_t mixed(uint64_t h, int64_t x)
{
  h = (h ^ (uint64_t)x) * UINT64_C(0xff51afd7ed558ccd);
  return h ^ h >> 32;
}

/* What an instance needs is found by the names of its job and task: of two tasks that have both, one must need what the
 * other does. */
static hc_rc say_plan(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const uint64_t key =
      mixed(mixed(mixed(1, t->job >= 0 ? t->job : t->id), t->executable), t->executable < 0 ? t->id : 0);
  uint64_t need = 1;
  uint32_t known;
  for (int d = 0; d <= HC_DIM_GPU; d++) need = mixed(need, s->need[d]);
  need = mixed(need, t->more);
  known = hc_map_get(&w->seen, key);
  if (known == HC_MAP_NONE)
    return w->seen.count < MOST_SEEN ? hc_map_set(&w->seen, key, (uint32_t)need >> 1) : 0;
  if (known != (uint32_t)need >> 1)
    *lost |= hc_task_facts(t, NULL) & (HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) | HC_FACT_BIT(GPU));
  return 0;
}

static hc_rc put_instances(hc_writer *w, const hc_trace_task *task, const hc_slots *s, uint64_t *lost,
                           hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const int64_t rows = hc_alibaba_instances(s);
  char names[128], span[128], plan[HC_OUT_ROOM];
  const size_t names_size = (size_t)(put_names(names, t) - names);
  const size_t span_size = (size_t)(put_span(span, t, hc_start_of(t), hc_end_of(t), lost) - span);
  TRY(hc_rows_allowed(t, rows, "alibaba_v2020", e));
  put_plan(plan, w, t, s, lost); /* for what of it is lost */
  TRY(say_plan(w, t, s, lost));
  for (int64_t i = 0; i < rows; i++) {
    char *p;
    TRY(hc_out_row(&w->rows.out, &p));
    memcpy(p, names, names_size);
    p += names_size;
    for (int k = 0; k < 2; k++) {
      p = hc_put_uint(hc_put_text(p, k == 0 ? ",inst_" : ",worker_"), (uint64_t)task->serial);
      p = hc_put_int(hc_put_char(p, '_'), i);
    }
    p = hc_alibaba_put_job_number(hc_put_char(p, ','), t);
    memcpy(p, span, span_size);
    hc_out_end(&w->rows.out, hc_put_text(p + span_size, ",\n"));
    w->row++;
  }
  say_id(t, rows > 1 ? -1 : w->row, lost);
  if (t->hosts > 1) *lost |= HC_FACT_BIT(HOSTS);
  return 0;
}

/* ---- jobs ---- */

static bool is_same_job(const hc_task_spec *a, const hc_task_spec *b)
{
  return a->job >= 0 && a->job == b->job;
}

static char *put_user(char *p, const hc_writer *w, int64_t user)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  const char *name = l && user >= 0 ? hc_lexicon_called(l, HC_CALLED_USER, user) : NULL;
  if (name && *name && strlen(name) < 256 && !strpbrk(name, ",\"\r\n")) return hc_put_text(p, name);
  return hc_alibaba_put_name(p, "", user);
}

static hc_rc put_held(hc_writer *w)
{
  const held_job *j = &w->job;
  const hc_task_spec t = j->first;
  uint64_t lost = 0; /* counted when the task came */
  char *p;
  if (!j->any) return 0;
  TRY(hc_out_row(&w->rows.out, &p));
  p = hc_put_char(hc_alibaba_put_job_number(p, &t), ',');
  p = hc_put_char(hc_alibaba_put_job_number(p, &t), ',');
  p = put_user(p, w, t.user);
  p = hc_put_char(hc_put_text(hc_put_char(p, ','), hc_alibaba_state(&t, false, &lost)), ',');
  p = hc_put_char(put_seconds(p, t.submit), ',');
  if (!(t.flags & HC_SPEC_NO_END)) p = put_seconds(p, j->end);
  hc_out_end(&w->rows.out, hc_put_char(p, '\n'));
  return 0;
}

/* The tasks of a job make one row, as far as they come one after another. */
static hc_rc put_job(hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const uint64_t number = (uint64_t)(t->job >= 0 ? t->job : HC_MAX(t->id, 0));
  held_job *j = &w->job;
  *lost |= hc_task_facts(t, w->rows.context->lexicon) &
           ~(HC_FACT_BIT(JOB) | HC_FACT_BIT(USER) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(STATUS));
  if (j->any && is_same_job(&j->first, t)) {
    j->end = HC_MAX(j->end, hc_end_of(t));
  } else if (w->seen.count < MOST_SEEN && hc_map_get(&w->seen, number) == HC_MAP_NONE) {
    TRY(hc_map_set(&w->seen, number, 0));
    TRY(put_held(w));
    (void)hc_alibaba_state(t, false, lost);
    *j = (held_job){.first = *t, .end = hc_end_of(t), .any = true};
  } else { /* it has its row */
    *lost |= HC_FACT_BIT(SUBMIT);
    return 0;
  }
  if (t->submit != j->first.submit) *lost |= HC_FACT_BIT(SUBMIT);
  if (t->user != j->first.user) *lost |= HC_FACT_BIT(USER);
  return 0;
}

/* ---- the writer ---- */

static hc_rc v2020_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  if (!hc_is_time(t->submit)) return 1;
  if (w->o->table == TABLE_JOB) return put_job(w, t, lost);
  if (t->wait > 0) *lost |= HC_FACT_BIT(SUBMIT);
  else *lost &= ~HC_FACT_BIT(WAIT);
  *lost &= ~hc_slots_say(t, &s);
  return w->o->table == TABLE_TASK ? put_task(w, t, &s, lost, e) : put_instances(w, task, &s, lost, e);
}

static hc_rc v2020_finish(hc_writer *w, hc_error *e)
{
  TRY(put_held(w));
  return hc_rows_finish(w, e);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, table, "task|instance|job", "task",
             "Which table. task: pai_task_table, what each task needs. instance: pai_instance_table, a row "
             "for each of its instances. job: pai_job_table, who submitted each job, and when."),
    {.name = NULL},
};

const hc_writer_type hc_writer_alibaba_v2020 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "alibaba_v2020",
         .summary =
             "pai_task_table, pai_instance_table or pai_job_table of Alibaba's GPU trace of 2020 (PAI)",
         .detail =
             "10, 9 or 6 columns, no header, times in seconds and numbers as reals, all exact: plan_cpu 100 for a core, "
             "plan_gpu 100 for a GPU, plan_mem in GiB. A task's inst_num are its hosts, a bundle is as many rows; "
             "gpu_type holds a constraint on gpu_model alone, of tasks with GPUs. job_name is the number of the job, or of a "
             "task of no job; task_name is role_ and the program (numbered anew when it is read), or task_ and the task's "
             "number where there is none. start_time is the start; the submission and the user stand in the job table "
             "alone (jobs of the reader), and what an instance needs in the task table (tasks of the reader). Tasks "
             "submitted before 0, or at an unknown time, are left out.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2020; Weng et al., NSDI 2022",
         .params = params, .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) | HC_FACT_BIT(EXECUTABLE) |
             HC_FACT_BIT(STATUS) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) |
             HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(AT_START) | HC_FACT_BIT(NO_END) |
             HC_FACT_BIT(USER_NAME), /* where it has the user */
    .ending = ".csv",
    .open = v2020_open,
    .task = v2020_task,
    .finish = v2020_finish,
    .close = v2020_close,
};
