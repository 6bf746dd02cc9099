/* google2011.c -- the trace of a cluster of Google's of May 2011 (clusterdata-2011-2), or its like.
 *
 * Tables of comma-separated fields without titles: task_events, job_events, task_constraints, task_usage.
 * Each is 500 files, which together are in order of time. Times are microseconds; 0 is before the trace, 2^63
 * - 1 after it. Amounts are shares of the largest machine's. Events: 0 SUBMIT, 1 SCHEDULE, 2 EVICT, 3 FAIL, 4
 * FINISH, 5 KILL, 6 LOST, 7 UPDATE_PENDING, 8 UPDATE_RUNNING.
 *
 * What becomes of them is in workload/google_life.c. A constraint: 0 EQUAL, 1 NOT EQUAL, 2 LESS THAN, 3
 * GREATER THAN; a value that is a whole number is compared as one, any other as text. EQUAL to nothing asks
 * for a host without the attribute, NOT EQUAL to nothing for one with it; a host without the attribute passes
 * NOT EQUAL and fails all others. Machines are not read: those are a cell's.
 *
 * Written is task_events, in order of time (workload/google_events.c). A task without a run time is only
 * submitted, or killed when it left the queue; one whose wait is not known is scheduled when it is submitted.
 * Times count from an offset of 600 s, amounts are shares of the largest machine, with nine decimals. A task
 * of several hosts, or a bundle, becomes as many tasks, with task indices of their own from 2^30; a task of
 * no job is a job. Cost: about 300 ns a task.
 *
 * Source: Reiss, Wilkes, Hellerstein, Google cluster-usage traces: format + schema, 2011 (revised 2014). */
#include <string.h>

#include "base/util.h"
#include "table/pen.h"
#include "workload/google_events.h"
#include "workload/google_params.h"
#include "workload/ledger.h"

#define UNIX_START INT64_C(1304290200) /* 1 May 2011, 19:00 EDT, is 600 s */

enum {
  TIME,
  MISSING,
  JOB,
  INDEX,
  MACHINE,
  EVENT,
  USER,
  CLASS,
  PRIORITY,
  CPU,
  RAM,
  DISK,
  DIFFERENT,
  EVENT_FIELDS
};
enum { JOB_TIME, JOB_MISSING, JOB_JOB, JOB_EVENT, JOB_USER, JOB_CLASS, JOB_NAME, JOB_LOGICAL, JOB_FIELDS };
enum { LIMIT_TIME, LIMIT_JOB, LIMIT_INDEX, LIMIT_OPERATOR, LIMIT_ATTRIBUTE, LIMIT_VALUE, LIMIT_FIELDS };
enum { USE_START, USE_END, USE_JOB, USE_INDEX, USE_MACHINE, USE_CPU, USE_MEMORY, USE_FIELDS };

static const hc_google_event events[] = {
    HC_GOOGLE_SUBMIT, HC_GOOGLE_SCHEDULE, HC_GOOGLE_EVICT,          HC_GOOGLE_FAIL,          HC_GOOGLE_FINISH,
    HC_GOOGLE_KILL,   HC_GOOGLE_LOST,     HC_GOOGLE_UPDATE_PENDING, HC_GOOGLE_UPDATE_RUNNING};

/* ---- the columns ---- */

#define TIMED HC_IS(SECONDS), .num = HC_US, .note = "when it happened", .wrong = "time", .flags = HC_NEEDED
#define OF_JOB "job_id", HC_TO(JOB), HC_WHOLE(0, INT64_MAX), .wrong = "id", .flags = HC_NEEDED
#define OF_INDEX "task_index", HC_TO(ID), HC_WHOLE(0, INT32_MAX), .wrong = "id", .flags = HC_NEEDED
#define OF_EVENT \
  "event_type", HC_WHOLE(0, 8), \
      .wrong = "event from 0 to 8", .flags = HC_NEEDED, \
      .note = "0 SUBMIT, 1 SCHEDULE, 2 EVICT, 3 FAIL, 4 FINISH, 5 KILL, 6 LOST, 7 and 8 UPDATE"
#define OF_USER "user", HC_TO(USER), HC_IS(NAME)
#define SHARE(of) .note = "a share of " of, .wrong = "amount"

static const hc_column event_columns[EVENT_FIELDS] = {
    [TIME] = {"time", TIMED},
    [MISSING] = {"missing_info", .note = "whether the event was put in (missing)"},
    [JOB] = {OF_JOB},
    [INDEX] = {OF_INDEX},
    [MACHINE] = {.titles = "machine_id"},
    [EVENT] = {OF_EVENT},
    [USER] = {OF_USER},
    [CLASS] = {"scheduling_class", HC_WHOLE(-1, INT16_MAX), .note = "queue", .wrong = "class"},
    [PRIORITY] = {"priority", HC_TO(PRIORITY), HC_WHOLE(-INT32_MAX, INT32_MAX), .wrong = "priority"},
    [CPU] = {"cpu_request", HC_TO(CPU), SHARE("cpu_scale")},
    [RAM] = {"memory_request", HC_TO(MEMORY), SHARE("memory_scale")},
    [DISK] = {"disk_request", HC_TO(DISK), SHARE("disk_scale")},
    [DIFFERENT] = {"different_machines", HC_TO(SPREAD), HC_WHOLE(0, 1), .wrong = "0 or 1"}};
static const hc_column job_columns[JOB_FIELDS] = {
    [JOB_TIME] = {"time", TIMED},
    [JOB_MISSING] = {.titles = "missing_info"},
    [JOB_JOB] = {OF_JOB},
    [JOB_EVENT] = {OF_EVENT},
    [JOB_USER] = {OF_USER},
    [JOB_CLASS] = {.titles = "scheduling_class"},
    [JOB_NAME] = {.titles = "job_name"},
    [JOB_LOGICAL] = {"logical_job_name", HC_TO(EXECUTABLE), HC_IS(NAME)}};
static const hc_column limit_columns[LIMIT_FIELDS] = {
    [LIMIT_TIME] = {"time", TIMED},
    [LIMIT_JOB] = {OF_JOB},
    [LIMIT_INDEX] = {OF_INDEX},
    [LIMIT_OPERATOR] = {"comparison_operator", HC_WHOLE(0, 3), .wrong = "operator from 0 to 3",
                        .note = "0 EQUAL, 1 NOT EQUAL, 2 LESS THAN, 3 GREATER THAN", .flags = HC_NEEDED},
    [LIMIT_ATTRIBUTE] = {"attribute_name", .note = "attribute of hosts", .flags = HC_NEEDED},
    [LIMIT_VALUE] = {"attribute_value", .note = "whole number, or text"}};
static const hc_column use_columns[USE_FIELDS] = {
    [USE_START] = {"start_time", TIMED},
    [USE_END] = {"end_time", HC_IS(SECONDS), .num = HC_US, .note = "when it ended",
                 .wrong = "time after the start", .flags = HC_NEEDED},
    [USE_JOB] = {OF_JOB},
    [USE_INDEX] = {OF_INDEX},
    [USE_MACHINE] = {.titles = "machine_id"},
    [USE_CPU] = {"cpu_rate", .note = "share of cpu_scale that it used", .flags = HC_NEEDED},
    [USE_MEMORY] = {"canonical_memory_usage", .note = "share of memory_scale that it used",
                    .flags = HC_NEEDED}};

#define FORM(kind_, columns_) HC_FORM(kind_, columns_, ',', .fixed = true, .joined = true)
static const hc_table_form forms[] = {FORM("task_events", event_columns), FORM("job_events", job_columns),
                                      FORM("task_constraints", limit_columns),
                                      FORM("task_usage", use_columns)};
static const hc_table_format table;

/* ---- reading ---- */

typedef struct options {
  hc_google_choices g;
} options;

/* ---- fields ---- */

static hc_rc wrong(hc_google *g, hc_google_table_id t, int field, const char *what, hc_error *e)
{
  const hc_field *f = &hc_google_record(g, t)->fields[field];
  return hc_parts_reject(&g->tables[t], g->context, f->text, e, "field %d holds \"%.*s\", which is no %s",
                         field + 1, (int)HC_MIN(f->length, (size_t)40), f->text, what);
}

static hc_rc wrong_shape(hc_google *g, hc_google_table_id t, int expected, hc_error *e)
{
  return hc_parts_reject(&g->tables[t], g->context, NULL, e, "it has %zu fields, where %d are expected",
                         hc_google_record(g, t)->count, expected);
}

static bool fits(const hc_google *g, hc_google_table_id t, size_t fields)
{
  return g->tables[t].table.count >= fields && !g->tables[t].table.flaw;
}

/* A whole number in the range of its column, or a time; HC_UNKNOWN if the field is empty, and may be. */
static inline bool read_number(const hc_google *g, const hc_column *c, const hc_field *f, int64_t *out)
{
  *out = HC_UNKNOWN;
  if (f->length == 0) return !(c->flags & HC_NEEDED);
  if (c->how == HC_IS_SECONDS) return hc_google_time(g, f, out);
  return hc_google_whole(f, out) && *out >= c->least && *out <= c->most;
}

/* The numbers among columns [from, to) of the record at hand, which the compiler makes the checks of each row
 * of.
 * @return 1, 0 if it is rejected, or an error. */
HC_UNFOLDED hc_rc read_numbers(hc_google *g, hc_google_table_id t, const hc_column *columns, int from, int to,
                               int64_t *value, hc_error *e)
{
  const hc_field *f = hc_google_record(g, t)->fields;
  _Pragma("GCC unroll 32") for (int i = from; i < to;
                                i++) if ((columns[i].how == HC_IS_WHOLE || columns[i].how == HC_IS_SECONDS) &&
                                         !read_number(g, &columns[i], &f[i],
                                                      &value[i])) return wrong(g, t, i, columns[i].wrong, e);
  return 1;
}

/* ---- rows ---- */

static hc_rc read_event(hc_google *g, hc_google_row *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_EVENTS;
  const hc_field *f = hc_google_record(g, t)->fields;
  int64_t v[EVENT_FIELDS];
  hc_rc rc;
  if (!fits(g, t, EVENT_FIELDS)) return wrong_shape(g, t, EVENT_FIELDS, e);
  r->line = hc_parts_line(&g->tables[t]);
  rc = read_numbers(g, t, event_columns, 0, EVENT_FIELDS, v, e);
  if (rc != 1) return rc;
  for (int d = 0; d < HC_GOOGLE_NEEDS; d++)
    if (!hc_google_amount(g, &f[CPU + d], d, &r->need[d], &r->error[d]))
      return wrong(g, t, CPU + d, event_columns[CPU + d].wrong, e);
  r->time = v[TIME];
  r->job = v[JOB];
  r->index = (int32_t)v[INDEX];
  r->event = (uint32_t)events[v[EVENT]];
  r->queue = (int16_t)(v[CLASS] == HC_UNKNOWN ? -1 : v[CLASS]);
  r->priority = v[PRIORITY] == HC_UNKNOWN ? HC_GOOGLE_UNSAID : (int32_t)v[PRIORITY];
  r->different = v[DIFFERENT] == 1;
  if (f[MISSING].length > 0 && g->o->missing == HC_GOOGLE_REJECT)
    return hc_parts_refuse(&g->tables[t], g->context, HC_REASON_INCOMPLETE, e);
  TRY(hc_google_number(g, &g->users, &f[USER], &r->user));
  return 1;
}

static hc_rc read_job(hc_google *g, hc_google_job *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_JOBS;
  const hc_field *f = hc_google_record(g, t)->fields;
  int64_t v[JOB_FIELDS];
  hc_rc rc;
  if (!fits(g, t, JOB_FIELDS)) return wrong_shape(g, t, JOB_FIELDS, e);
  rc = read_numbers(g, t, job_columns, 0, JOB_FIELDS, v, e);
  if (rc != 1) return rc;
  r->time = v[JOB_TIME];
  r->job = v[JOB_JOB];
  r->event = (uint32_t)events[v[JOB_EVENT]];
  TRY(hc_google_number(g, &g->users, &f[JOB_USER], &r->user));
  TRY(hc_google_number(g, &g->names, &f[JOB_LOGICAL], &r->name));
  return 1;
}

static hc_rc read_constraint(hc_google *g, hc_google_limit *r, hc_error *e)
{
  static const hc_compare compares[] = {HC_EQUAL, HC_UNEQUAL, HC_LESS, HC_GREATER};
  const hc_google_table_id t = HC_GOOGLE_TABLE_CONSTRAINTS;
  const hc_field *f = hc_google_record(g, t)->fields;
  int64_t v[LIMIT_FIELDS];
  hc_rc rc;
  if (!fits(g, t, LIMIT_FIELDS)) return wrong_shape(g, t, LIMIT_FIELDS, e);
  r->line = hc_parts_line(&g->tables[t]);
  rc = read_numbers(g, t, limit_columns, 0, LIMIT_FIELDS, v, e);
  if (rc != 1) return rc;
  if (f[LIMIT_ATTRIBUTE].length == 0) return wrong(g, t, LIMIT_ATTRIBUTE, "attribute", e);
  r->time = v[LIMIT_TIME];
  r->job = v[LIMIT_JOB];
  r->index = (int32_t)v[LIMIT_INDEX];
  rc = hc_google_constrain(g, &f[LIMIT_ATTRIBUTE], compares[v[LIMIT_OPERATOR]], &f[LIMIT_VALUE], &r->what, e);
  return rc == 0 ? wrong(g, t, LIMIT_VALUE, "number to be less or greater than", e) : rc;
}

static hc_rc read_usage(hc_google *g, hc_google_usage *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_USAGE;
  const hc_field *f = hc_google_record(g, t)->fields;
  int64_t v[USE_FIELDS];
  hc_rc rc;
  if (!fits(g, t, USE_FIELDS)) return wrong_shape(g, t, 20, e);
  r->line = hc_parts_line(&g->tables[t]);
  rc = read_numbers(g, t, use_columns, USE_START, USE_JOB, v, e);
  if (rc != 1) return rc;
  if (v[USE_END] < v[USE_START] || v[USE_END] == HC_NEVER)
    return wrong(g, t, USE_END, use_columns[USE_END].wrong, e);
  rc = read_numbers(g, t, use_columns, USE_JOB, USE_FIELDS, v, e);
  if (rc != 1) return rc;
  if (!hc_google_real(&f[USE_CPU], &r->cpu) || r->cpu > 1e9) return wrong(g, t, USE_CPU, "rate", e);
  if (!hc_google_real(&f[USE_MEMORY], &r->memory) || r->memory > 1e9)
    return wrong(g, t, USE_MEMORY, "amount", e);
  r->start = v[USE_START];
  r->end = v[USE_END];
  r->job = v[USE_JOB];
  r->index = (int32_t)v[USE_INDEX];
  r->cpu *= hc_google_scale(g, HC_DIM_CPU);
  r->memory *= hc_google_scale(g, HC_DIM_MEMORY);
  return 1;
}

/* ---- the reader ---- */

static const hc_google_format format = {
    .name = "source google2011",
    .advice =
        "A row of task_events has 13 fields: time, missing info, job, index, machine, event, user, class, "
        "priority, CPU, RAM, disk, different machine",
    .unix_start = UNIX_START,
    .zone = "America/New_York",
    .derived =
        "A task is the life of a (job, index) as its events tell it: it arrives with SUBMIT and runs from "
        "its last SCHEDULE to the event that ends it. Amounts are shares of the largest machine's, times "
        "cpu_scale cores, memory_scale and disk_scale bytes.",
    .event = read_event,
    .job = read_job,
    .constraint = read_constraint,
    .usage = read_usage};

static hc_rc google_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  return hc_google_open(c, &format, &((const options *)given)->g, sizeof(hc_google), out, e);
}

/* By time, and rows of one time as they stand: their order says what happened. */
static hc_line_kind google_line_key(const void *given, const char *line, size_t n, hc_time *submit,
                                    int64_t *id)
{
  const options *o = given;
  const hc_google g = {.o = &o->g};
  const char *comma = memchr(line, ',', n);
  const hc_field f = {.text = line, .length = comma ? (size_t)(comma - line) : 0};
  *id = 0;
  return comma && hc_google_time(&g, &f, submit) ? HC_LINE_ROW : HC_LINE_BROKEN;
}

/* ---- recognising ---- */

/* How many of the first line's fields are as those of task_events; all of them if it is one. */
static bool is_event(const char *line, size_t n)
{
  hc_field f[EVENT_FIELDS];
  size_t count = 0;
  int64_t v = 0;
  double x;
  for (const char *p = line, *end = line + n; count < EVENT_FIELDS; p++) {
    const char *comma = memchr(p, ',', (size_t)(end - p));
    f[count++] = (hc_field){.text = p, .length = (size_t)((comma ? comma : end) - p)};
    if (!comma) break;
    p = comma;
    if (count == EVENT_FIELDS) return false; /* there are more */
  }
  if (count < EVENT_FIELDS || f[TIME].length == 0 || f[JOB].length == 0 || f[INDEX].length == 0) return false;
  for (int i = TIME; i <= INDEX; i++)
    if (!hc_google_whole(&f[i], &v)) return false;
  if (!read_number(NULL, &event_columns[EVENT], &f[EVENT], &v) ||
      !read_number(NULL, &event_columns[DIFFERENT], &f[DIFFERENT], &v) ||
      !read_number(NULL, &event_columns[CLASS], &f[CLASS], &v) || (v != HC_UNKNOWN && (v < 0 || v > 3)))
    return false;
  for (int i = CPU; i <= DISK; i++)
    if (f[i].length > 0 && !hc_google_real(&f[i], &x)) return false;
  return true;
}

static int google_recognise(const char *name, const char *head, size_t size)
{
  const char *end = size > 0 ? memchr(head, '\n', size) : NULL;
  size_t n = end ? (size_t)(end - head) : size;
  if (n > 0 && head[n - 1] == '\r') n--;
  if (size == 0) return name && strstr(name, "task_events") ? 60 : 0; /* perhaps a directory */
  return is_event(head, n) ? 90 : 0;
}

static const hc_param params[] = {
    HC_GOOGLE_FILES(options, g, "task_events", "job_events, which names jobs (as executables)", "task_usage"),
    HC_PARAM_AS(
        FILE, "constraints", options, g.constraints, NULL,
        "The table task_constraints, as a file, directory or pattern. Constraints at the time of a SUBMIT, "
        "or later while the task is held, replace earlier ones; a task has at most 64. Default: none."),
    HC_GOOGLE_READINGS(options, g),
    HC_GOOGLE_SCALES(options, g),
    HC_PARAM_AS(SIZE, "disk_scale", options, g.disk_scale, "B", NULL, 1, 1125899906842624.0,
                "Disk space that a share of 1 stands for. Default: tasks ask for no disk space, since the "
                "trace does not say how much machines have."),
    {0}};

const hc_reader_type hc_reader_google2011 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "google2011",
         .summary = "Google's cluster trace of 2011: events of tasks, with the other tables of the trace",
         .detail =
             "Each task asks for one host, with its request of CPU, RAM and disk (rounded up; a request of "
             "zero stays zero, a missing one is unknown). With the different-machine flag no two tasks of "
             "the job share a host. Index and job are kept; users and logical job names become numbers from "
             "1 in order of first sight; the scheduling class is the queue; priorities are from 0 to 11. A "
             "task that is stopped while it waits is cancelled then; a task whose first event is SCHEDULE "
             "arrives then. Constraints compare attributes of hosts: whole numbers as numbers, other values "
             "as texts; EQUAL to an empty value means that the host does not have the attribute, NOT EQUAL "
             "that it has it. Each task is one used or rejected row; its further events, and the rows of "
             "other tables that belong to it, are counted as merged; rows of other tables without a task are "
             "incomplete. Rows must be in order of time. Files with other columns, such as extracts with one "
             "row for each task, are for the reader csv.",
         .source = "Reiss, Wilkes and Hellerstein, Google cluster-usage traces: format + schema, 2011; "
                   "https://github.com/google/cluster-data/blob/master/ClusterData2011_2.md",
         .params = params, .options_size = sizeof(options)},
    .open = google_open,
    .next = hc_google_next,
    .info = hc_google_info,
    .visit = hc_google_visit,
    .progress = hc_google_progress,
    .close = hc_google_close,
    .recognise = google_recognise,
    .line_key = google_line_key,
    .file_of = hc_google_file_of,
    .table = &table};

/* ---- writing ---- */

typedef struct pen_options {
  hc_google_scale_options g;
} pen_options;

#define MOST_SHARE 1e6

static char *put_share(char *p, const hc_google_scale_options *o, const hc_google_told *t, int dimension)
{
  p = hc_put_char(p, ',');
  if (t->need[dimension] < 0) return p;
  return hc_put_rounded(p, HC_MIN(hc_google_share(o, dimension, t->need[dimension]), MOST_SHARE), 9);
}

static hc_rc put_event(hc_writer *writer, const hc_google_told *t, hc_google_event what,
                       const hc_task_spec *first)
{
  static const uint8_t codes[HC_GOOGLE_EVENTS] = {
      [HC_GOOGLE_SUBMIT] = 0, [HC_GOOGLE_SCHEDULE] = 1, [HC_GOOGLE_EVICT] = 2, [HC_GOOGLE_FAIL] = 3,
      [HC_GOOGLE_FINISH] = 4, [HC_GOOGLE_KILL] = 5,     [HC_GOOGLE_LOST] = 6};
  hc_pen *w = hc_pen_of(writer);
  const hc_google_scale_options *o = ((hc_google_telling *)w->own)->o;
  uint64_t lost = 0; /* counted when the task came */
  char *p;
  HC_UNUSED(first);
  TRY(hc_out_row(&w->rows.out, &p));
  p = hc_put_int(p, hc_google_moment(o, t->at));
  p = hc_put_int(hc_put_text(p, ",,"), t->job);
  p = hc_put_int(hc_put_char(p, ','), t->index);
  p = hc_put_uint(hc_put_text(p, ",,"), codes[what]);
  p = hc_put_char(p, ',');
  p = hc_pen_called(p, w, HC_CALLED_USER, t->user, &lost);
  p = hc_put_char(p, ',');
  if (t->class >= 0) p = hc_put_int(p, t->class);
  p = hc_put_int(hc_put_char(p, ','), t->priority);
  for (int d = 0; d <= HC_DIM_DISK; d++) p = put_share(p, o, t, d);
  hc_out_end(&w->rows.out, hc_put_text(p, t->spread ? ",1\n" : ",0\n"));
  return 0;
}

static hc_rc begun(hc_pen *w, hc_buffer *head, hc_error *e)
{
  HC_UNUSED(head);
  HC_UNUSED(e);
  *(hc_google_telling *)w->own = (hc_google_telling){.allocator = w->rows.context->allocator,
                                                     .o = &((const pen_options *)w->options)->g,
                                                     .format = w->format->name,
                                                     .seen = HC_GOOGLE_EVENTS,
                                                     .put = put_event};
  return 0;
}

static void dropped(hc_pen *w)
{
  hc_google_telling *g = w->own;
  if (g->allocator) hc_google_telling_fini(g);
}

static hc_rc ended(hc_pen *w, hc_error *e)
{
  HC_UNUSED(e);
  return hc_google_tell(w->own, (hc_writer *)(void *)w, HC_NEVER);
}

static void judge_share(const hc_google_scale_options *o, const hc_google_told *t, int dimension,
                        uint64_t *lost)
{
  const double share = hc_google_share(o, dimension, t->need[dimension]);
  if (t->need[dimension] < 0) return;
  const double back = (double)(int64_t)(share * 1e9 + 0.5) * 1e-9 / share * (double)t->need[dimension];
  if (share > MOST_SHARE ||
      (share > 0 && (back - (double)t->need[dimension] > 0.5 || (double)t->need[dimension] - back > 0.5)))
    *lost |= HC_FACT_BIT(PRECISION);
}

/* Its rows are written when their time comes. */
static hc_rc write_task(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  hc_google_telling *g = w->own;
  hc_writer *writer = (hc_writer *)(void *)w;
  const int64_t rows = w->repeat;
  hc_google_told l;
  HC_UNUSED(value);
  if (t->submit == HC_UNKNOWN) return 1;
  w->repeat = 0;
  TRY(hc_rows_allowed(t, rows, w->format->name, e));
  TRY(hc_google_tell(g, writer, t->submit));
  l = hc_google_told_of(t, &w->slots, lost);
  hc_pen_tell(w, HC_CALLED_USER, t->user, lost);
  for (int d = 0; d <= HC_DIM_DISK; d++) judge_share(g->o, &l, d, lost);
  return hc_google_begin(g, writer, &l, t, rows, lost, e);
}

static const hc_table_format table = {.name = "google2011",
                                      .forms = forms,
                                      .form_count = HC_ARRAY_LEN(forms),
                                      .rows = HC_ROW_A_HOST,
                                      .says = HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
                                              HC_FACT_BIT(STATUS) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END),
                                      .pen_size = sizeof(hc_google_telling),
                                      .begun = begun,
                                      .fill = write_task,
                                      .ended = ended,
                                      .dropped = dropped};

static const hc_param pen_params[] = {
    HC_GOOGLE_TELLING_PARAMS(pen_options, g),
    HC_PARAM_AS(SIZE, "disk_scale", pen_options, g.disk_scale, "B", "4TiB", 1, 1e18,
                "Bytes that 1 stands for in the disk column: the disk space of the largest machine."),
    {.name = NULL},
};

HC_TABLE_WRITER(
    google2011, table, event_columns, ',', ".csv",
    .summary = "task_events of the Google cluster trace of 2011: submit, schedule and end of each task",
    .detail = "No titles; rows are in order of time, after an offset of 600 s. A queue from 0 to 3 becomes "
              "the scheduling class. Shares have nine decimals. A task becomes a task for each of its hosts "
              "and for each task of a bundle; a task that is part of no job becomes a job of its own. Tasks "
              "without a time of submission are left out.",
    .source = "https://github.com/google/cluster-data, clusterdata-2011-2", .params = pen_params,
    .options_size = sizeof(pen_options));
