/* alibaba_v2018_instances.c -- batch_instance.csv of Alibaba's trace of 2018: a task for each instance that
 * ran.
 *
 * The trace says when an instance started, not when it was submitted: it is submitted when it started. By
 * default it needs what it was measured to use at most (cpu_max, mem_max), as there is nothing else in a row;
 * `reading: requested` takes what its task had planned from batch_task.csv, which is read along.
 *
 * With some 380 million rows this is the reader that has to be fast. Rows of the usual form are not cut: the
 * places of their commas are known (workload/marks.c), and six of their fields become numbers at once
 * (base/port.h). Whatever else a row holds (another state, a missing or odd amount, a longer number, a
 * carriage return) makes it take the general way, which gives the same task for a row that both can read.
 * Rows are handed over by the dozen.
 *
 * seq_no, total_seq_no and the machine are not used: a row is one attempt of one instance.
 *
 * Written without a header, in whole seconds, of which 0 says that a time is not known. What a task asked for
 * stands as average and as maximum, since nothing else is known; one of several hosts, or a bundle, becomes
 * as many rows, numbered by seq_no. Names are M3_1_2 for number 3 of a job after 1 and 2, and task_3 for one
 * alone.
 *
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018. Cost: for a row of 84 characters some
 * 25 ns more than finding the ends of lines, which is 55 ns in all from the page cache; 0.4 us on the general
 * way; constant memory, but for the rows of batch_task.csv; some 60 ns a row written. */
#include <string.h>

#include "base/port.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"
#include "workload/alibaba_job.h"
#include "workload/alibaba_rows.h"
#include "workload/alibaba_side.h"
#include "workload/marks.h"

enum {
  NAME,
  TASK,
  JOB,
  TYPE,
  STATUS,
  START,
  END,
  MACHINE,
  SEQ,
  TOTAL_SEQ,
  CPU_AVG,
  CPU_MAX,
  MEMORY_AVG,
  MEMORY_MAX,
  COLUMNS
};

/* Of batch_task.csv, what a request is made of. */
enum { T_NAME, T_INSTANCES, T_JOB, T_TYPE, T_STATUS, T_START, T_END, T_CPU, T_MEMORY, T_COLUMNS };

#define BATCH 16    /* few enough to stay in the first-level cache */
#define LEAST_CPU 1 /* hundredths of a core; a machine has 96 cores */
#define MOST_CPU 9600
#define MOST_MEMORY 100

#define TIME HC_IS(SECONDS), .flags = HC_ASKED | HC_NEEDED
#define CORES HC_TO(CPU), HC_DECIMAL(1000, 100), .flags = HC_ASKED | HC_CPU_SCALE | HC_EXACT
#define SHARE \
  HC_TO(MEMORY), HC_DECIMAL(1, 100), .flags = HC_ASKED | HC_MEMORY_SCALE | HC_ZERO_SAYS, \
                                     .most = MOST_MEMORY, .put = hc_alibaba_put_memory

/* What numbers an instance, or its name is hashed. */
static const hc_column own_name = {"instance_name", HC_TO(ID), HC_NUMBERED("ins_")};

/* What a task that is one instance is called, if its reader will take it for a name. */
static bool put_label(char **p, const hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  size_t n;
  const char *text = hc_lexicon_label_text(w->rows.context->lexicon, t->label, &n);
  const int64_t number = text ? hc_sheet_number(&own_name, &(hc_field){.text = text, .length = n}) : 0;
  if (w->repeat > 1 || !hc_name_is_hash(number) || !hc_pen_label(p, w, &own_name, lost)) return false;
  if (number == t->id) *lost &= ~HC_FACT_BIT(ID);
  return true;
}

/* That name, else "ins_17", or "ins_17_2" if it is one of several. */
static char *put_name(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  if (w->is_labelled && put_label(&p, w, t, lost)) return p;
  memcpy(p, "ins_", 4);
  p = hc_put_uint(p + 4, w->serial);
  return w->repeat > 1 ? hc_put_uint(hc_put_char(p, '_'), (uint64_t)w->row + 1) : p;
}

/* What is called so is no instance: that its name stands here does not tell the reader. */
static char *put_task_of(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const uint64_t before = *lost;
  p = hc_alibaba_put_task_name(p, w, t, lost);
  *lost |= before & (HC_FACT_BIT(LABEL) | HC_FACT_BIT(ID));
  return p;
}

static char *put_rank(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  HC_UNUSED(lost);
  return hc_put_uint(p, (uint64_t)w->row + 1);
}

/* What was measured is a demand if it is not next to nothing; beside what was planned it may be nothing. */
#define INSTANCE_COLUMNS(name_, flag_) \
  static const hc_column name_[COLUMNS] = { \
      [NAME] = {"instance_name", HC_TO(ID), HC_NUMBERED("ins_"), .flags = HC_ASKED, .put = put_name}, \
      [TASK] = {"task_name", .note = "its task in `tasks`; and with `dependencies`, what it waits for", \
                .put = put_task_of}, \
      [JOB] = {"job_name", HC_TO(JOB), HC_NUMBERED("j_"), .flags = HC_ASKED | HC_NEEDED}, \
      [TYPE] = {"task_type", .text = "1"}, \
      [STATUS] = {HC_ALIBABA_STATUS}, \
      [START] = {"start_time", HC_TO(SUBMIT), TIME}, \
      [END] = {"end_time", TIME, .note = "the end of its run"}, \
      [MACHINE] = {.titles = "machine_id"}, \
      [SEQ] = {"seq_no", .note = "not read; written as its rank in its task", .put = put_rank}, \
      [TOTAL_SEQ] = {"total_seq_no", HC_WHOLE(0, 0), .note = "not read", .flags = HC_ASKED}, \
      [CPU_AVG] = {"cpu_avg", CORES | (flag_), .least = (flag_) ? 0 : LEAST_CPU, .most = MOST_CPU}, \
      [CPU_MAX] = {"cpu_max", CORES, .least = LEAST_CPU, .most = MOST_CPU}, \
      [MEMORY_AVG] = {"mem_avg", SHARE}, \
      [MEMORY_MAX] = {"mem_max", SHARE}}

INSTANCE_COLUMNS(measured_columns, 0);
INSTANCE_COLUMNS(requested_columns, HC_ZERO_SAYS);

#define FORM(columns_) HC_ALIBABA_FORM("batch_instance.csv of Alibaba's trace of 2018", columns_, START, true)
static const hc_table_form forms[] = {FORM(measured_columns), FORM(requested_columns)}; /* by `reading` */

static const hc_column task_columns[T_COLUMNS] = {
    [T_NAME] = {"task_name", .flags = HC_NEEDED},
    [T_INSTANCES] = {.titles = "instance_num"},
    [T_JOB] = {"job_name", HC_NUMBERED("j_"), .flags = HC_ASKED | HC_NEEDED},
    [T_TYPE] = {.titles = "task_type"},
    [T_STATUS] = {.titles = "status"},
    [T_START] = {"start_time", HC_IS(SECONDS), .flags = HC_ASKED},
    [T_END] = {.titles = "end_time"},
    [T_CPU] = {"plan_cpu", HC_DECIMAL(1000, 100), .flags = HC_ASKED | HC_NEEDED | HC_CPU_SCALE},
    [T_MEMORY] = {"plan_mem", HC_DECIMAL(1, 100), .most = MOST_MEMORY,
                  .flags = HC_ASKED | HC_NEEDED | HC_MEMORY_SCALE}};

static const hc_table_form task_form =
    HC_ALIBABA_FORM("batch_task.csv of Alibaba's trace of 2018", task_columns, T_CPU, true);

static const hc_table_format task_format = {
    .name = "alibaba_v2018_instances", .forms = &task_form, .form_count = 1, HC_ALIBABA_MISSING};

typedef enum reading { MEASURED, REQUESTED } reading;
typedef enum amount { MAXIMUM, AVERAGE } amount;
typedef enum dependencies { NO_DEPENDENCIES, BY_NAMES } dependencies;

typedef struct options {
  hc_alibaba_options common;
  const char *tasks;
  int reading, amount, statuses, dependencies;
  int64_t tasks_window;
} options;

typedef struct state {
  const hc_source_context *context;
  const options *o;
  hc_sheet *table;
  bool is_fast;               /* the options let the fast way give the same */
  uint32_t cpu_at, memory_at; /* the columns that count */
  hc_task_spec tasks[BATCH];  /* of the fast way, which changes only what differs */
  hc_task_spec general;
  hc_marks marks;

  hc_alibaba_options task_options; /* of batch_task.csv */
  hc_source_context task_context;
  hc_sheet *task_table;
  hc_side side;
  hc_alibaba_graph graph;
} state;

/* ---- the fast way ---- */

/* A decimal of at most two places and six characters as its hundredths: the point, which is no digit, goes,
 * and what is missing behind it is zeros. */
static inline uint64_t hundredths(uint64_t w)
{
  const unsigned point = '.' ^ '0';
  if ((w >> 48 & 0xff) == point) return w >> 56 << 48 | (w & UINT64_C(0x0000ffffffffffff));
  if ((w >> 40 & 0xff) == point) return w >> 48 << 48 | (w & UINT64_C(0x000000ffffffffff)) << 8;
  return w >> 16;
}

/* An amount in hundredths of the trace's unit, of which 100 are `whole`, rounded up; the rounding is
 * counted. */
static inline int64_t scale_up(uint64_t n, uint64_t whole, hc_row_ledger *l)
{
  const uint64_t x = n * whole, up = (x + 9999) / 10000;
  if (up * 10000 != x && l) {
    const double short_of = (double)(int64_t)(up * 10000 - x), exact = (double)(int64_t)x;
    l->rounded++;
    if (short_of > l->rounding * exact) l->rounding = HC_MAX(l->rounding, short_of / exact);
  }
  return (int64_t)up;
}

/* Of a number that ends there, what stands before its last eight digits, which alone are left to be read: the
 * hundred millionth row of a whole trace is the first that has any. @return false if they are no digits, or
 * too many */
static inline bool take_high(const char *end, uint32_t *length, int64_t *high)
{
  *high = 0;
  if (*length <= 8) return true;
  if (*length > 16) return false;
  for (const char *p = end - *length; p < end - 8; p++) {
    if (*p < '0' || *p > '9') return false;
    *high = *high * 10 + (*p - '0');
  }
  *high *= 100000000;
  *length = 8;
  return true;
}

#define LENGTH(i) ((uint32_t)(a[i] - a[(i)-1] - 1))

/* A row whose separators are at `a`. @param cpu_at, memory_at the columns that count; constants, once this is
 * inlined
 * @return false if it is none of the usual form. */
static inline bool fast_row(const state *s, const int32_t *a, int cpu_at, int memory_at, hc_task_spec *t)
{
  const char *p = s->marks.text;
  const char *const ends[4] = {p + a[NAME], p + a[JOB], p + a[START], p + a[END]};
  uint32_t lengths[4] = {LENGTH(NAME) - 4, LENGTH(JOB) - 2, LENGTH(START), LENGTH(END)};
  const uint32_t cpu = LENGTH(cpu_at), memory = LENGTH(memory_at);
  const char commas = (char)(p[a[0]] & p[a[1]] & p[a[2]] & p[a[3]] & p[a[4]] & p[a[5]] & p[a[6]] & p[a[7]] &
                             p[a[8]] & p[a[9]] & p[a[10]] & p[a[11]] & p[a[12]]);
  uint64_t odd = (uint64_t)(commas ^ ',') | (uint64_t)(p[a[13]] ^ '\n');
  uint32_t n[6];
  int64_t high[2];
  if (!take_high(ends[0], &lengths[0], &high[0]) || !take_high(ends[1], &lengths[1], &high[1])) return false;
  odd |= ((lengths[0] - 1) | (lengths[1] - 1) | (lengths[2] - 1) | (lengths[3] - 1)) & ~7u;
  odd |= (uint64_t)(cpu - 1 > 5) | (uint64_t)(memory - 1 > 5);
  odd |= (hc_load32(p + a[-1] + 1) ^ hc_load32("ins_")) | (uint64_t)(p[a[TASK] + 1] ^ 'j') |
         (uint64_t)(p[a[TASK] + 2] ^ '_');
  odd |=
      (hc_load64(p + a[TYPE] + 1) ^ hc_load64("Terminat")) | (hc_load32(p + a[TYPE] + 8) ^ hc_load32("ted,"));
  if (odd) return false;
  const uint64_t amounts[2] = {hundredths(hc_digits(p + a[cpu_at], cpu)),
                               hundredths(hc_digits(p + a[memory_at], memory))};
  if (!hc_six_numbers(ends, lengths, amounts, n)) return false;
  if (n[2] == 0 || n[3] < n[2] || n[4] < LEAST_CPU * 100 || n[4] > MOST_CPU * 100 || n[5] > MOST_MEMORY * 100)
    return false;
  t->id = high[0] + n[0];
  t->job = high[1] + n[1];
  t->submit = (int64_t)n[2] * s->o->common.time_unit;
  t->run = (int64_t)(n[3] - n[2]) * s->o->common.time_unit;
  t->need[HC_DIM_CPU] = scale_up(n[4], 1000, s->context->ledger);
  t->need[HC_DIM_MEMORY] = scale_up(n[5], (uint64_t)s->o->common.memory_scale, s->context->ledger);
  return true;
}

#undef LENGTH

/* @return how many rows at hand could be read fast, up to a batch. */
static inline uint32_t fast_rows(state *s, int cpu_at, int memory_at)
{
  uint64_t line = hc_input_lines(s->table->in.in) + hc_marks_taken(&s->marks);
  uint32_t n = 0;
  for (; n < BATCH; n++) {
    const int32_t *a = hc_marks_row(&s->marks);
    if (!a || !fast_row(s, a, cpu_at, memory_at, &s->tasks[n])) break;
    s->tasks[n].line = ++line;
    hc_marks_take(&s->marks);
  }
  if (s->context->ledger) s->context->ledger->read += n;
  s->table->in.s.rows += n;
  return n;
}

/* Columns stand as they were published, and the first line has been seen. */
static bool is_usual(const state *s)
{
  const hc_sheet *t = s->table;
  if (!t->s.begun || t->s.width != COLUMNS) return false;
  for (uint32_t c = 0; c < COLUMNS; c++)
    if (t->s.at[c] != c + 1) return false;
  return true;
}

/* ---- the plans of batch_task.csv ---- */

static hc_rc read_plan(void *ctx, hc_side_row *row, hc_time *at, hc_error *e)
{
  state *s = ctx;
  hc_sheet *t = s->task_table;
  for (;;) {
    const hc_field *name;
    hc_rc rc = hc_sheet_row(t, e);
    if (rc <= 0) return rc;
    name = hc_sheet_field(t, T_NAME);
    if (!name || !hc_sheet_field(t, T_JOB)) continue;
    *row = (hc_side_row){.key = hc_side_key(hc_sheet_id(t, T_JOB), hc_name_number(name->text, name->length))};
    rc = hc_sheet_get(t, T_START, at, e);
    if (rc == 1) rc = hc_sheet_get(t, T_CPU, &row->value[0], e);
    if (rc == 1) rc = hc_sheet_get(t, T_MEMORY, &row->value[1], e);
    if (rc != 0) return rc;
  }
}

/* What it was measured to use on average, beside what was planned. Rounding is that of no demand, and not
 * counted.
 * @return 1, 0 if the row was rejected, or an error. */
static hc_rc note_use(state *s, hc_task_spec *t, hc_error *e)
{
  hc_row_ledger *l = s->context->ledger;
  const hc_row_ledger was = l ? *l : (hc_row_ledger){0};
  int64_t milli = HC_UNKNOWN;
  hc_rc rc = hc_sheet_get(s->table, CPU_AVG, &milli, e);
  if (rc == 1) rc = hc_sheet_get(s->table, MEMORY_AVG, &t->memory_used, e);
  if (l) {
    l->rounded = was.rounded;
    l->rounding = was.rounding;
  }
  if (rc == 1 && milli >= 0 && t->run >= 0 && __builtin_mul_overflow(t->run / 1000, milli, &t->cpu_time))
    t->cpu_time = HC_UNKNOWN;
  return rc;
}

/* @return 1, 0 if the row was rejected, or an error. */
static hc_rc planned(state *s, hc_task_spec *t, hc_error *e)
{
  const hc_field *name = hc_sheet_field(s->table, TASK);
  const hc_side_row *plan;
  hc_rc rc = 0;
  if (name)
    rc = hc_side_find(&s->side, hc_side_key(t->job, hc_name_number(name->text, name->length)), t->submit,
                      &plan, e);
  if (rc < 0) return rc;
  if (rc == 0) return hc_sheet_reject(s->table, HC_REASON_INCOMPLETE, e);
  t->need[HC_DIM_CPU] = plan->value[0];
  t->need[HC_DIM_MEMORY] = plan->value[1];
  return note_use(s, t, e);
}

/* ---- the general way ---- */

static hc_rc measured(state *s, hc_task_spec *t, hc_error *e)
{
  const hc_rc rc = hc_sheet_get(s->table, s->cpu_at, &t->need[HC_DIM_CPU], e);
  return rc == 1 ? hc_sheet_get(s->table, s->memory_at, &t->need[HC_DIM_MEMORY], e) : rc;
}

/* A row that needs both, or has both by default. @return 1, 0 if it was rejected, or an error. */
static hc_rc demand(state *s, hc_task_spec *t, hc_error *e)
{
  int64_t *cpu = &t->need[HC_DIM_CPU], *memory = &t->need[HC_DIM_MEMORY];
  const hc_rc rc = s->o->reading == REQUESTED ? planned(s, t, e) : measured(s, t, e);
  if (rc != 1) return rc;
  hc_sheet_defaults(s->table, cpu, memory);
  if (*cpu != HC_UNKNOWN && *memory != HC_UNKNOWN) return 1;
  if (s->o->reading == REQUESTED && (*cpu != HC_UNKNOWN || *memory != HC_UNKNOWN)) return 1;
  return hc_sheet_reject(s->table, HC_REASON_NO_DEMAND, e);
}

/* What it waits for, by the name of its task; its id becomes that task's number. */
static hc_rc follow(state *s, hc_task_spec *t)
{
  const hc_field *name = hc_sheet_field(s->table, TASK);
  hc_alibaba_graph *g = &s->graph;
  hc_alibaba_doubts ignored = {0};
  if (!name) return 0;
  hc_alibaba_graph_reset(g);
  TRY(hc_alibaba_graph_add(g, 0));
  TRY(hc_alibaba_task_name(name->text, name->length, &t->id, &g->after));
  g->tasks[0].number = t->id;
  hc_alibaba_graph_close(g);
  TRY(hc_alibaba_graph_settle(g, false, &ignored));
  return hc_alibaba_keep(s->context->lexicon, s->context->allocator, t->job, g->after.items, g->after.count,
                         &t->more);
}

/* What it and its job are called, where their numbers are hashes. */
static hc_rc call(state *s, hc_task_spec *t)
{
  const uint32_t own = s->o->dependencies == BY_NAMES ? TASK : NAME;
  if (hc_name_is_hash(t->id)) TRY(hc_sheet_label(s->table, own, &t->label));
  return hc_name_is_hash(t->job) ? hc_sheet_label(s->table, JOB, &t->job_label) : 0;
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc general_row(state *s, hc_task_spec *t, hc_error *e)
{
  hc_rc rc;
  *t = hc_task_spec_none();
  t->flags = HC_SPEC_AT_START;
  t->hosts = 1;
  t->line = s->table->in.s.line;
  if (!hc_sheet_field(s->table, JOB)) return hc_sheet_wrong(s->table, JOB, "no name", e);
  rc = hc_alibaba_span_of(s->table, STATUS, START, END, s->o->statuses, t, e);
  if (rc != 1) return rc;
  t->id = hc_sheet_id(s->table, NAME);
  t->job = hc_sheet_id(s->table, JOB);
  rc = demand(s, t, e);
  if (rc != 1) return rc;
  if (s->o->dependencies == BY_NAMES) TRY(follow(s, t));
  TRY(call(s, t));
  return 1;
}

/* ---- the reader ---- */

static void closed(hc_sheet *t)
{
  state *s = t->own;
  if (!s || !s->table) return;
  hc_sheet_end(s->task_table);
  hc_side_fini(&s->side);
  hc_alibaba_graph_fini(&s->graph);
}

static hc_rc open_plans(state *s, hc_error *e)
{
  if (s->o->reading != REQUESTED) return 0;
  if (!s->o->tasks || !s->o->tasks[0])
    return hc_fail(e, HC_EUSAGE, "source alibaba_v2018_instances", 0, 0,
                   "reading: requested takes what was planned from batch_task.csv: set `tasks` to that file");
  s->task_options = s->o->common;
  s->task_options.file = s->o->tasks;
  s->task_context = (hc_source_context){.allocator = s->context->allocator, .lexicon = s->context->lexicon};
  hc_side_init(&s->side, s->context->allocator, (size_t)s->o->tasks_window);
  s->side.read = read_plan;
  s->side.ctx = s;
  return hc_sheet_begin(&task_format, &s->task_context, &s->task_options, &s->task_table, e);
}

/* Whether the fast way gives the same, and its numbers stay within 64 bits. */
static bool may_be_fast(const options *o)
{
  return o->reading == MEASURED && o->dependencies == NO_DEPENDENCIES &&
         (o->common.cpu_scale == 100 || o->common.cpu_scale == 0) && o->common.time_unit <= 60 * HC_SECOND &&
         o->common.memory_scale <= (int64_t)1 << 49;
}

static hc_rc opened(hc_sheet *t, hc_error *e)
{
  const options *o = (const options *)(const void *)t->o;
  state *s = t->own;
  s->table = t;
  s->context = t->context;
  s->o = o;
  s->cpu_at = o->amount == MAXIMUM ? CPU_MAX : CPU_AVG;
  s->memory_at = o->amount == MAXIMUM ? MEMORY_MAX : MEMORY_AVG;
  s->is_fast = may_be_fast(o);
  hc_alibaba_graph_init(&s->graph, t->context->allocator);
  for (int i = 0; i < BATCH; i++) {
    s->tasks[i] = hc_task_spec_none();
    s->tasks[i].hosts = 1;
    s->tasks[i].flags = HC_SPEC_AT_START;
    s->tasks[i].status = HC_STATUS_COMPLETED;
  }
  TRY(open_plans(s, e));
  hc_marks_init(&s->marks, t->in.in, ',', COLUMNS);
  return 0;
}

static hc_rc next(hc_sheet *t, hc_job *job, hc_error *e)
{
  state *s = t->own;
  for (;;) {
    hc_rc rc;
    if (s->is_fast && is_usual(s)) {
      const uint32_t n =
          s->o->amount == MAXIMUM ? fast_rows(s, CPU_MAX, MEMORY_MAX) : fast_rows(s, CPU_AVG, MEMORY_AVG);
      *job = (hc_job){.tasks = s->tasks, .task_count = n};
      if (n > 0) return 1;
      hc_marks_tell(&s->marks);
    }
    rc = hc_sheet_row(s->table, e);
    if (rc <= 0) return rc;
    rc = general_row(s, &s->general, e);
    *job = (hc_job){.tasks = &s->general, .task_count = 1};
    if (rc != 0) return rc;
  }
}

static void info(hc_sheet *t, hc_trace_info *i)
{
  i->derived = ((const state *)t->own)->o->reading == REQUESTED
                   ? "Instances are submitted when they started, since the trace does not say when they "
                     "arrived. They need what their task planned, by batch_task.csv."
                   : "Instances are submitted when they started, since the trace does not say when they "
                     "arrived. They need what they were measured to use.";
}

/* The input stands behind the rows that were read fast before it is asked where it is. */
static void paused(hc_sheet *t)
{
  hc_marks_tell(&((state *)t->own)->marks);
}

static hc_rc visit(hc_sheet *t, hc_visitor *v, hc_error *e)
{
  state *s = t->own;
  if (s->o->reading != REQUESTED) return 0;
  TRY(hc_sheet_visit((hc_source *)(void *)s->task_table, v, e));
  return hc_side_visit(&s->side, v);
}

static hc_refers refers(const hc_sheet *t)
{
  return ((const state *)t->own)->o->dependencies == BY_NAMES ? HC_REFERS_JOB : HC_REFERS_NONE;
}

static void pick(const void *o, size_t *first, size_t *count)
{
  *first = ((const options *)o)->reading == REQUESTED;
  *count = 1;
}

static int recognise(const char *name, const char *head, size_t size, const hc_field *f, size_t n)
{
  HC_UNUSED(head);
  HC_UNUSED(size);
  return n == COLUMNS && hc_alibaba_is_row_of_2018(&f[JOB], &f[STATUS], &f[START], &f[END]) ? 97
         : hc_delimited_is_called(name, "batch_instance.csv")                               ? 30
                                                                                            : 0;
}

/* ---- writing ---- */

/* Its reader numbers instances by their own names, and takes a row that lacks cpu or memory for none. */
static void say_lost(const hc_task_spec *t, uint64_t serial, int64_t rows, int64_t cpu, int64_t memory,
                     uint64_t *lost)
{
  hc_pen_lose(lost, HC_FACT_BIT(ID), t->id >= 0 && (rows > 1 || t->id != (int64_t)serial));
  hc_pen_lose(lost, HC_FACT_BIT(CPU), cpu > 0 && memory <= 0);
  hc_pen_lose(lost, HC_FACT_BIT(MEMORY), cpu <= 0 && memory > 0);
}

static hc_rc write_instance(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  const int64_t cpu = w->slots.need[HC_DIM_CPU], memory = w->slots.need[HC_DIM_MEMORY];
  HC_UNUSED(e);
  value[JOB] = hc_alibaba_job(t);
  value[TOTAL_SEQ] = w->repeat;
  say_lost(t, w->serial, w->repeat, cpu, memory, lost);
  hc_alibaba_fill(w, t, memory, &value[START], &value[END], lost);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {.name = "alibaba_v2018_instances",
                                       .forms = forms,
                                       .form_count = 2,
                                       HC_ALIBABA_MISSING,
                                       .known_titles = 10, /* as extracts have it */
                                       .score = 98,
                                       .recognise = recognise,
                                       .own_size = sizeof(state),
                                       .opened = opened,
                                       .closed = closed,
                                       .visit = visit,
                                       .paused = paused,
                                       .refers = refers,
                                       .pick = pick,
                                       .next = next,
                                       .info = info,
                                       .rows = HC_ROW_A_HOST,
                                       .says = HC_FACT_BIT(RUN) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END) |
                                               HC_FACT_BIT(AT_START),
                                       .pen_size = sizeof(hc_alibaba_pen),
                                       .begun = hc_alibaba_begun,
                                       .fill = write_instance};

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "100", "512GiB",
                      "Bytes that 100 of the memory columns stands for: the memory of the largest machine."),
    HC_PARAM(CHOICE, options, reading, "measured|requested", "measured",
             "What an instance asks for. measured: what it used, as `amount` says. requested: what its task "
             "planned, which the file `tasks` contains; what it used on average becomes its CPU time and "
             "used memory, for the metric usage."),
    HC_PARAM(CHOICE, options, amount, "max|avg", "max",
             "Which measurement counts. max: the largest. avg: the average."),
    HC_PARAM(FILE, options, tasks, NULL,
             "Path of batch_task.csv, for `reading: requested`. Both files must be in order of start_time, "
             "unless this one has at most tasks_window rows."),
    HC_PARAM(INT, options, tasks_window, "rows", "1048576", 1, 16777216,
             "Number of rows of `tasks` that are held at one time. An instance whose task is not among them "
             "is rejected as incomplete."),
    HC_PARAM(CHOICE, options, statuses, HC_ALIBABA_STATUSES, "terminated",
             "Which rows become tasks. terminated: those that ended well. ended: also those that failed, "
             "were interrupted or cancelled, if they have a start and an end."),
    HC_PARAM(CHOICE, options, dependencies, "none|names", "none",
             "What an instance waits for. names: for all instances of the tasks that the name of its task "
             "lists (R4_2: those of task 2); its id is its task's number. none: for nothing, since recorded "
             "starts are after these ends as a rule; its id is its own number."),
    {.name = NULL},
};

HC_TABLE_READER(
    alibaba_v2018_instances, format, options, params,
    .summary = "batch_instance.csv of Alibaba's trace of 2018: a task for each instance that ran",
    .detail =
        "A file with the columns in their published order is read fastest. `amount` says which of the two "
        "measurements counts; cores are from 1 to 9600 hundredths and memory from 0 to 100, and a row "
        "without one of them is rejected as no_demand, unless there are defaults. Times of 0 are missing: a "
        "row without a start is rejected as already_running, without an end as still_running, without both "
        "as never_ran. Rows with other states than `statuses` are filtered.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018");

static const hc_param pen_params[] = {
    HC_ALIBABA_MEMORY_SCALE(hc_alibaba_pen_options, "100 of the memory columns"),
    HC_ALIBABA_OFFSET(hc_alibaba_pen_options),
    {.name = NULL},
};

/* The usual task, of which there are hundreds of millions: one instance that ran to its end, with a
 * vector. */
static bool is_plain(const hc_task_spec *t)
{
  return (t->label | t->job_label) == 0 && t->count <= 1 && t->hosts <= 1 && t->need[HC_DIM_CPU] >= 0 &&
         t->submit >= 0 && t->run >= 0 && t->submit < HC_NEVER / 4 && t->wait < HC_NEVER / 4 &&
         t->run < HC_NEVER / 4 && t->flags == 0 &&
         (t->status == HC_STATUS_COMPLETED || t->status == HC_STATUS_UNKNOWN) && t->procs_asked <= 0 &&
         t->procs_used <= 0;
}

/* The row that its columns say, by hand: half the instructions. */
static hc_rc put_plain(hc_pen *w, const hc_trace_task *task, uint64_t *lost)
{
  const hc_task_spec *t = &task->spec;
  const int64_t cpu = t->need[HC_DIM_CPU], memory = t->need[HC_DIM_MEMORY];
  hc_alibaba_pen *own = w->own;
  hc_time start;
  int64_t share;
  char *p;
  *lost &= ~w->held;
  if (t->wait > 0) *lost |= HC_FACT_BIT(SUBMIT);
  else *lost &= ~HC_FACT_BIT(WAIT);
  say_lost(t, (uint64_t)task->serial, 1, cpu, memory, lost);
  hc_alibaba_settle(&own->offset, t);
  start = t->submit + HC_MAX(t->wait, 0) + own->offset;
  TRY(hc_out_row(&w->rows.out, &p));
  memcpy(p, "ins_", 4);
  p = hc_put_char(hc_put_uint(p + 4, (uint64_t)task->serial), ',');
  p = hc_alibaba_put_task(p, t, w->rows.context->lexicon, lost);
  memcpy(p, ",j_", 3);
  p = hc_put_uint(p + 3, (uint64_t)hc_alibaba_job(t));
  memcpy(p, ",1,Terminated,", 14);
  p = hc_put_char(hc_put_uint(p + 14, (uint64_t)hc_whole(start, HC_SECOND, lost)), ',');
  p = hc_put_uint(p, (uint64_t)hc_whole(start + t->run, HC_SECOND, lost));
  memcpy(p, ",,1,1,", 6);
  p = hc_put_char(hc_put_amount(p + 6, &measured_columns[CPU_AVG], cpu, lost), ',');
  p = hc_put_char(hc_put_amount(p, &measured_columns[CPU_MAX], cpu, lost), ',');
  share = hc_alibaba_share(memory, ((const hc_alibaba_pen_options *)w->options)->memory_scale, own->per_byte,
                           lost);
  p = hc_put_char(hc_alibaba_put_share(p, share), ',');
  hc_out_end(&w->rows.out, hc_put_char(hc_alibaba_put_share(p, share), '\n'));
  return 0;
}

static hc_rc pen_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  return is_plain(&task->spec) ? put_plain(hc_pen_of(w), task, lost)
                               : HC_PEN_TASK(format, measured_columns, ',');
}

HC_TABLE_WRITER_OF(
    alibaba_v2018_instances, format, ".csv",
    .summary = "batch_instance.csv of the Alibaba v2018 trace: a row for each instance that ran",
    .detail = "No titles; times are whole seconds, shares have two decimals. A task becomes a row for each "
              "of its hosts and for each task of a bundle; a task with processors instead of hosts is one "
              "instance with all its processors. The demand is written as average and as maximum. The time "
              "of submission is lost, but rows are in its order.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018", .params = pen_params,
    .options_size = sizeof(hc_alibaba_pen_options));
