/* google2011.c -- reads the trace of a cluster of Google's of May 2011 (clusterdata-2011-2), or its like.
 *
 * Tables of comma-separated fields without titles; each is 500 files, which together are in order of time:
 *   task_events       time, missing info, job, index, machine, event, user, class, priority, CPU, RAM, disk,
 *                     different machine
 *   job_events        time, missing info, job, event, user, class, name, logical name
 *   task_constraints  time, job, index, operator, attribute, value
 *   task_usage        start, end, job, index, machine, CPU rate, canonical memory, ...
 * Times are microseconds; 0 is before the trace, 2^63 - 1 after it. Amounts are shares of the largest
 * machine's. Events: 0 SUBMIT, 1 SCHEDULE, 2 EVICT, 3 FAIL, 4 FINISH, 5 KILL, 6 LOST, 7 UPDATE_PENDING, 8
 * UPDATE_RUNNING.
 *
 * What becomes of them is in workload/google_life.c. A constraint: 0 EQUAL, 1 NOT EQUAL, 2 LESS THAN, 3
 * GREATER THAN; a value that is a whole number is compared as one, any other as text. EQUAL to nothing
 * asks for a host without the attribute, NOT EQUAL to nothing for one with it; a host without the
 * attribute passes NOT EQUAL and fails all others. Machines are not read: those are a cell's.
 *
 * Source: Reiss, Wilkes, Hellerstein, Google cluster-usage traces: format + schema, 2011 (revised 2014). */
#include <string.h>

#include "base/util.h"
#include "workload/google.h"
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

typedef struct options {
  hc_google_choices g;
} options;

struct hc_source {
  hc_google g;
  const hc_allocator *allocator;
};

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

/* A whole number in [low, high]; `out` is left if the field is empty. */
static bool whole(const hc_field *f, int64_t low, int64_t high, int64_t *out)
{
  int64_t v = *out;
  if (!hc_google_whole(f, &v) || (f->length > 0 && (v < low || v > high))) return false;
  *out = v;
  return true;
}

/* Job and index, which every table has: the number of the field that is wrong, or -1. */
static int identity(const hc_field *f, int job, int index, int64_t *out_job, int32_t *out_index)
{
  int64_t v = -1;
  *out_job = -1;
  if (!whole(&f[job], 0, INT64_MAX, out_job) || *out_job < 0) return job;
  if (!whole(&f[index], 0, INT32_MAX, &v) || v < 0) return index;
  *out_index = (int32_t)v;
  return -1;
}

static bool event_of(const hc_field *f, uint32_t *out)
{
  int64_t v = -1;
  if (!whole(f, 0, (int64_t)HC_ARRAY_LEN(events) - 1, &v) || v < 0) return false;
  *out = (uint32_t)events[v];
  return true;
}

/* ---- rows ---- */

static hc_rc read_event(hc_google *g, hc_google_row *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_EVENTS;
  const hc_field *f = hc_google_record(g, t)->fields;
  int64_t class = -1, priority = HC_GOOGLE_UNSAID, different = 0;
  int bad;
  if (!fits(g, t, EVENT_FIELDS)) return wrong_shape(g, t, EVENT_FIELDS, e);
  r->line = hc_parts_line(&g->tables[t]);
  if (!hc_google_time(g, &f[TIME], &r->time)) return wrong(g, t, TIME, "time", e);
  if ((bad = identity(f, JOB, INDEX, &r->job, &r->index)) >= 0) return wrong(g, t, bad, "id", e);
  if (!event_of(&f[EVENT], &r->event)) return wrong(g, t, EVENT, "event from 0 to 8", e);
  if (!whole(&f[CLASS], -1, INT16_MAX, &class)) return wrong(g, t, CLASS, "class", e);
  if (!whole(&f[PRIORITY], -INT32_MAX, INT32_MAX, &priority)) return wrong(g, t, PRIORITY, "priority", e);
  if (!whole(&f[DIFFERENT], 0, 1, &different)) return wrong(g, t, DIFFERENT, "0 or 1", e);
  for (int d = 0; d < HC_GOOGLE_NEEDS; d++)
    if (!hc_google_amount(g, &f[CPU + d], d, &r->need[d], &r->error[d]))
      return wrong(g, t, CPU + d, "amount", e);
  r->queue = (int16_t) class;
  r->priority = (int32_t)priority;
  r->different = (uint8_t)different;
  if (f[MISSING].length > 0 && g->o->missing == HC_GOOGLE_REJECT)
    return hc_parts_refuse(&g->tables[t], g->context, HC_REASON_INCOMPLETE, e);
  TRY(hc_google_number(g, &g->users, &f[USER], &r->user));
  return 1;
}

static hc_rc read_job(hc_google *g, hc_google_job *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_JOBS;
  const hc_field *f = hc_google_record(g, t)->fields;
  if (!fits(g, t, JOB_FIELDS)) return wrong_shape(g, t, JOB_FIELDS, e);
  r->job = -1;
  if (!hc_google_time(g, &f[JOB_TIME], &r->time)) return wrong(g, t, JOB_TIME, "time", e);
  if (!whole(&f[JOB_JOB], 0, INT64_MAX, &r->job) || r->job < 0) return wrong(g, t, JOB_JOB, "id", e);
  if (!event_of(&f[JOB_EVENT], &r->event)) return wrong(g, t, JOB_EVENT, "event from 0 to 8", e);
  TRY(hc_google_number(g, &g->users, &f[JOB_USER], &r->user));
  TRY(hc_google_number(g, &g->names, &f[JOB_LOGICAL], &r->name));
  return 1;
}

static hc_rc read_constraint(hc_google *g, hc_google_limit *r, hc_error *e)
{
  static const hc_compare compares[] = {HC_EQUAL, HC_UNEQUAL, HC_LESS, HC_GREATER};
  const hc_google_table_id t = HC_GOOGLE_TABLE_CONSTRAINTS;
  const hc_field *f = hc_google_record(g, t)->fields;
  int64_t compare = -1;
  hc_rc rc;
  int bad;
  if (!fits(g, t, LIMIT_FIELDS)) return wrong_shape(g, t, LIMIT_FIELDS, e);
  r->line = hc_parts_line(&g->tables[t]);
  if (!hc_google_time(g, &f[LIMIT_TIME], &r->time)) return wrong(g, t, LIMIT_TIME, "time", e);
  if ((bad = identity(f, LIMIT_JOB, LIMIT_INDEX, &r->job, &r->index)) >= 0) return wrong(g, t, bad, "id", e);
  if (!whole(&f[LIMIT_OPERATOR], 0, 3, &compare) || compare < 0)
    return wrong(g, t, LIMIT_OPERATOR, "operator from 0 to 3", e);
  if (f[LIMIT_ATTRIBUTE].length == 0) return wrong(g, t, LIMIT_ATTRIBUTE, "attribute", e);
  rc = hc_google_constrain(g, &f[LIMIT_ATTRIBUTE], compares[compare], &f[LIMIT_VALUE], &r->what, e);
  return rc == 0 ? wrong(g, t, LIMIT_VALUE, "number to be less or greater than", e) : rc;
}

static hc_rc read_usage(hc_google *g, hc_google_usage *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_USAGE;
  const hc_field *f = hc_google_record(g, t)->fields;
  int bad;
  if (!fits(g, t, USE_FIELDS)) return wrong_shape(g, t, 20, e);
  r->line = hc_parts_line(&g->tables[t]);
  if (!hc_google_time(g, &f[USE_START], &r->start)) return wrong(g, t, USE_START, "time", e);
  if (!hc_google_time(g, &f[USE_END], &r->end) || r->end < r->start || r->end == HC_NEVER)
    return wrong(g, t, USE_END, "time after the start", e);
  if ((bad = identity(f, USE_JOB, USE_INDEX, &r->job, &r->index)) >= 0) return wrong(g, t, bad, "id", e);
  if (!hc_google_real(&f[USE_CPU], &r->cpu) || r->cpu > 1e9) return wrong(g, t, USE_CPU, "rate", e);
  if (!hc_google_real(&f[USE_MEMORY], &r->memory) || r->memory > 1e9)
    return wrong(g, t, USE_MEMORY, "amount", e);
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

static void google_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->allocator;
  hc_google_close(&s->g);
  hc_free(a, s, sizeof *s);
}

static hc_rc google_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->allocator = c->allocator;
  rc = hc_google_open(&s->g, c, &format, &o->g, s, e);
  if (rc < 0) google_close(s);
  else *out = s;
  return rc;
}

static hc_rc google_next(hc_source *s, hc_job *job, hc_error *e)
{
  return hc_google_next(&s->g, job, e);
}

static const hc_trace_info *google_info(hc_source *s)
{
  return &s->g.info;
}

static hc_rc google_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  return hc_google_visit(&s->g, v, e);
}

static const char *google_file_of(const hc_source *s, uint32_t file)
{
  return hc_google_file_of(&s->g, file);
}

static void google_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_google_progress(&s->g, done, total);
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
  uint32_t event;
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
  if (!event_of(&f[EVENT], &event) || !whole(&f[CLASS], 0, 3, &v) || !whole(&f[DIFFERENT], 0, 1, &v))
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
    HC_PARAM_AS(TEXT, "constraints", options, g.constraints, NULL,
                "The table task_constraints, as a file, directory or pattern: those said at the time of a "
                "SUBMIT, or later while the task is held, with which they replace those before. At most 64 a "
                "task."),
    HC_GOOGLE_READINGS(options, g),
    HC_GOOGLE_SCALES(options, g),
    HC_PARAM_AS(SIZE, "disk_scale", options, g.disk_scale, "B", NULL, 1, 1125899906842624.0,
                "How much disk space a share of 1 stands for. Default: disk space is not demanded, since the "
                "trace does not say how much of it machines have."),
    {0}};

const hc_reader_type hc_reader_google2011 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "google2011",
         .summary = "Google's cluster trace of 2011: events of tasks, and what else it says of them",
         .detail =
             "Each task needs one host, with its request of CPU, RAM and disk on it (rounded up; a request "
             "of zero stays zero, a missing one is not said). Where the different-machine flag is set, no "
             "two tasks of the job share a host. Index and job are kept, users and logical job names "
             "become numbers from 1 in order of first sight; the scheduling class is the queue; priorities "
             "run from 0 to 11. A task stopped while it waits is cancelled then; one that is seen first "
             "when it is scheduled arrives then. Constraints compare attributes of hosts: whole numbers as "
             "numbers, other values as texts; EQUAL to an empty value means without that attribute, NOT "
             "EQUAL with it. Each task is one used or rejected row; its further events, and the rows "
             "joined to it, are merged; rows of other tables that find no task are incomplete. Rows must "
             "be in order of time. Files with other columns, such as extracts with one row a task, are for "
             "the reader csv.",
         .source = "https://github.com/google/cluster-data/blob/master/ClusterData2011_2.md",
         .params = params, .options_size = sizeof(options)},
    .open = google_open,
    .next = google_next,
    .info = google_info,
    .visit = google_visit,
    .progress = google_progress,
    .close = google_close,
    .recognise = google_recognise,
    .line_key = google_line_key,
    .file_of = google_file_of,
};
