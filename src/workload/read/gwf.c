/* gwf.c -- reads the Grid Workload Format of the Grid Workloads Archive, and OpenDC's short form of it.
 *
 * The standard: comments that begin with #, then rows of 29 columns separated by blanks, of which the
 * first 16 are those of the Standard Workload Format with the same meaning. -1 is unknown. Jobs, users,
 * groups, programs, queues and partitions may be named instead of numbered; names become numbers in order
 * of first sight, and a job with a name has the number of its row. Times of submission that are too large
 * to be counted from anywhere else are taken as Unix times, whose origin is then the begin of the first
 * one's day.
 *
 * The short form: a header of titles and rows with commas, WorkflowID, JobID, SubmitTime, RunTime, NProcs,
 * ReqNProcs, Dependencies. The workflow becomes the task's group, so that tables by group are tables by
 * workflow. A task is submitted when the row says, whatever it depends on; the last of its dependencies is
 * kept as `preceding`. With `dependencies: honour` the workflow is its job, too, and it waits there until
 * those tasks of its workflow have ended that it depends on; without a workflow every task is a job of its
 * own.
 *
 * Sites, network, disk, platform and the structure of composite jobs (columns 17 to 29) are not used.
 * Source: Iosup et al., "The Grid Workloads Archive", FGCS 24(7), 2008, doi:10.1016/j.future.2008.02.003.
 * Cost: about 0.5 us per row. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/delimited.h"
#include "workload/fields.h"
#include "workload/ledger.h"
#include "workload/line_table.h"
#include "workload/spec.h"

#define STANDARD_COLUMNS 29
#define UNIX_FROM (500000000 * HC_SECOND) /* sixteen years: no log lasts as long, and none is as old */

typedef enum dialect { AUTO, STANDARD, OPENDC } dialect;
typedef enum dependencies { IGNORE, HONOUR } dependencies;
typedef enum submit_time { SUBMIT_AUTO, SUBMIT_RELATIVE, SUBMIT_UNIX } submit_time;

/* The standard's first columns in its order; then those that only the short form has. */
enum {
  JOB,
  SUBMIT,
  WAIT,
  RUN,
  USED,
  CPU,
  MEMORY,
  ASKED,
  LIMIT,
  MEMORY_ASKED,
  STATUS,
  USER,
  GROUP,
  EXECUTABLE,
  QUEUE,
  PARTITION,
  DEPENDENCIES,
  COLUMNS
};

#define NUMBERED 5 /* user ... partition */

static const char *const titles[COLUMNS] = {
    "JobID",      "SubmitTime",   "WaitTime", "RunTime",     "NProcs",      "AverageCPUTimeUsed",
    "UsedMemory", "ReqNProcs",    "ReqTime",  "ReqMemory",   "Status",      "UserID",
    "WorkflowID", "ExecutableID", "QueueID",  "PartitionID", "Dependencies"};

typedef struct options {
  const char *file;
  int dialect, submit, dependencies;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_delimited table;
  hc_interned numbered[NUMBERED];
  hc_buffer scratch;
  hc_after *after; /* of the row at hand */
  size_t after_cap;
  hc_task_spec task;
  hc_trace_info info;
  struct {
    uint64_t at[COLUMNS];              /* number of the column, from 1; 0: not in this file */
    uint64_t started, opendc, is_unix; /* the first record was seen; what it said */
    uint64_t decided;                  /* is_unix is known */
    uint64_t width;                    /* fields of a row */
  } s;
};

/* ---- which form it is ---- */

static bool is_title(const hc_delimited *t, size_t i, int column)
{
  return i < t->count && hc_same_word(t->fields[i].text, t->fields[i].length, titles[column]);
}

/* A record of titles with commas. */
static bool is_short_header(const hc_delimited *t)
{
  for (size_t i = 0; i < t->count; i++)
    if (is_title(t, i, SUBMIT)) return true;
  return false;
}

static hc_rc take_titles(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  TRY(hc_delimited_keep_titles(t));
  for (int c = 0; c < COLUMNS; c++) s->s.at[c] = hc_delimited_column(t, titles[c]);
  s->s.width = t->title_count;
  if (s->s.at[SUBMIT] && s->s.at[RUN] && (s->s.at[USED] || s->s.at[ASKED])) return 0;
  return hc_fail(
      e, HC_EINPUT, t->name, hc_line_number(t->s.line), 0,
      "this header lacks %s, which the short form of a Grid Workload Format needs; the reader csv takes any "
      "columns",
      !s->s.at[SUBMIT] ? "SubmitTime"
      : !s->s.at[RUN]  ? "RunTime"
                       : "NProcs or ReqNProcs");
}

/* Look at the first record. @return 1 if it is a row, 0 if it was a header, or an error. */
static hc_rc begin(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  s->s.started = 1;
  if (s->o->dialect != STANDARD) {
    TRY(hc_delimited_cut_again(t, ','));
    s->s.opendc = is_short_header(t) && t->count > 1;
    if (s->s.opendc) return take_titles(s, e);
    if (s->o->dialect == OPENDC)
      return hc_fail(
          e, HC_EINPUT, t->name, hc_line_number(t->s.line), 0,
          "the short form begins with a header: WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, "
          "Dependencies");
  }
  for (uint64_t c = 0; c < DEPENDENCIES; c++) s->s.at[c] = c + 1;
  s->s.width = STANDARD_COLUMNS;
  TRY(hc_delimited_cut_again(t, ' '));
  return is_title(t, 0, JOB) ? 0 : 1;
}

/* ---- one row ---- */

/* A field of the row; NULL if the file or the row does not have it. */
static const hc_field *get(const hc_source *s, int column)
{
  const uint64_t n = s->s.at[column];
  const hc_field *f;
  int64_t number;
  if (n == 0 || n > s->table.count) return NULL;
  f = &s->table.fields[n - 1];
  if (f->length == 0) return NULL;
  if (f->text[0] == '-' && hc_field_whole(f, &number) && number == -1) return NULL;
  return f;
}

/* @return 0, or 1 + the column that is wrong. */
static int read_numbers(hc_source *s)
{
  static const hc_moment_format seconds = {.kind = HC_MOMENT_SECONDS, .unit = HC_SECOND};
  hc_task_spec *t = &s->task;
  const struct {
    int column;
    int64_t *out, unit;
  } times[] = {{WAIT, &t->wait, 0}, {RUN, &t->run, 0}, {CPU, &t->cpu_time, 0}, {LIMIT, &t->limit, 0}},
    amounts[] = {{USED, &t->procs_used, 1},
                 {MEMORY, &t->memory_used, 1024},
                 {ASKED, &t->procs_asked, 1},
                 {MEMORY_ASKED, &t->memory_asked, 1024}};
  const hc_field *f = get(s, SUBMIT);
  int64_t status = -1;
  t->submit = HC_UNKNOWN;
  if (f && !hc_field_moment(f, &seconds, NULL, &t->submit)) return 1 + SUBMIT;
  for (size_t i = 0; i < HC_ARRAY_LEN(times); i++) {
    f = get(s, times[i].column);
    *times[i].out = HC_UNKNOWN;
    if (f && !hc_field_duration(f, HC_SECOND, times[i].out)) return 1 + times[i].column;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(amounts); i++) {
    f = get(s, amounts[i].column);
    *amounts[i].out = HC_UNKNOWN;
    if (f && !hc_field_amount(f, amounts[i].unit, amounts[i].out)) return 1 + amounts[i].column;
  }
  f = get(s, STATUS);
  if (f && (!hc_field_whole(f, &status) || status != (int32_t)status)) return 1 + STATUS;
  t->status = (int32_t)status;
  return 0;
}

/* The last of several numbers with blanks between them. */
static bool last_number(const hc_field *f, int64_t *out)
{
  hc_field last = *f;
  while (last.length > 0 && last.text[last.length - 1] != ' ') last.length--;
  last.text = f->text + last.length;
  last.length = f->length - last.length;
  return hc_field_whole(&last, out);
}

/* Whom it waits for: the last thing that is read of a row. */
static hc_rc read_dependencies(hc_source *s)
{
  hc_task_spec *t = &s->task;
  hc_task_extras more = hc_task_extras_none();
  const hc_field *f = get(s, DEPENDENCIES), *id = get(s, JOB);
  if (s->o->dependencies == IGNORE || !s->s.opendc) return 0;
  if (id) t->id = hc_name_number(id->text, id->length);
  t->job = t->group >= 0 ? t->group : t->id;
  for (size_t i = 0; f && i < f->length;) {
    size_t end = i;
    while (end < f->length && f->text[end] != ' ' && f->text[end] != ';') end++;
    if (end > i) {
      const int64_t number = hc_name_number(f->text + i, end - i);
      TRY(hc_reserve(s->context->allocator, (void **)&s->after, &s->after_cap, more.after_count + 1,
                     sizeof *s->after));
      s->after[more.after_count++] = (hc_after){.job = t->group >= 0 ? t->group : number,
                                                .task = t->group >= 0 ? number : HC_UNKNOWN,
                                                .how = HC_AFTER_ENDED};
    }
    i = end + 1;
  }
  if (more.after_count == 0) return 0;
  more.after = s->after;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more ? 0 : HC_ENOMEM;
}

/* @return 1, 0 if the row is malformed (it was rejected), or an error. */
static hc_rc read_task(hc_source *s, hc_error *e)
{
  hc_delimited *table = &s->table;
  hc_task_spec *t = &s->task;
  int64_t *const numbers[NUMBERED] = {&t->user, &t->group, &t->executable, &t->queue, &t->partition};
  const hc_field *f;
  int wrong;
  memset(t, 0, sizeof *t);
  hc_spec_plain(t);
  t->line = table->s.line;
  t->think = HC_UNKNOWN;
  t->cancel_at = HC_NEVER;
  f = get(s, JOB);
  if (!f || !hc_field_whole(f, &t->id)) t->id = (int64_t)(table->s.rows + table->s.malformed) + 1;
  f = get(s, DEPENDENCIES);
  if (!f || !last_number(f, &t->preceding)) t->preceding = -1;
  wrong = read_numbers(s);
  for (int i = 0; wrong == 0 && i < NUMBERED; i++) {
    hc_rc rc = 1;
    f = get(s, USER + i);
    *numbers[i] = -1;
    if (f) rc = hc_interned_number(&s->numbered[i], f, &s->scratch, numbers[i]);
    if (rc == HC_ELIMIT)
      return hc_fail(e, HC_ELIMIT, table->name, hc_line_number(table->s.line), 0,
                     "%s has more than %zu different names; the reader csv can leave that column out",
                     titles[USER + i], HC_NAME_LIMIT);
    if (rc < 0) return rc;
    if (rc == 0) wrong = 1 + USER + i;
  }
  if (wrong == 0) return 1;
  f = get(s, wrong - 1);
  return hc_delimited_reject(table, s->context, f ? f->text : NULL, e, "%s holds \"%.*s\", which is no %s",
                             wrong - 1 == GROUP && !s->s.opendc ? "GroupID" : titles[wrong - 1],
                             f ? (int)HC_MIN(f->length, (size_t)40) : 0, f ? f->text : "",
                             wrong > USER ? "number, as the values before it are"
                                          : "number that this can be");
}

/* @return 1, 0 if the row was rejected, or an error. */
static hc_rc read_record(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  const size_t need = (size_t)s->s.width;
  hc_rc rc;
  /* Of the short form, dependencies at the end may be left out with their comma. */
  if (t->count < need - (s->s.opendc && s->s.at[DEPENDENCIES] == need) || (s->s.opendc && t->count > need))
    return hc_delimited_reject(t, s->context, NULL, e, "it has %zu fields, where %zu are expected", t->count,
                               need);
  rc = read_task(s, e);
  if (rc <= 0) return rc;
  t->s.rows++;
  if (s->task.submit == HC_UNKNOWN) {
    TRY(read_dependencies(s));
    return 1;
  }
  if (!s->s.decided) {
    s->s.decided = 1;
    s->s.is_unix =
        s->o->submit == SUBMIT_UNIX || (s->o->submit == SUBMIT_AUTO && s->task.submit >= UNIX_FROM);
  }
  if (s->s.is_unix) rc = hc_delimited_since_origin(t, s->context, &s->task.submit, e);
  if (rc == 1) TRY(read_dependencies(s));
  return rc;
}

/* The next row that is a task, in s->task. @return 1, 0 at the end, or an error. */
static hc_rc read_row(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  while (!t->s.at_end) {
    hc_rc rc = hc_delimited_next(t, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_delimited_end(t, "Grid Workload Format", "`hindcast list reader` has the formats", e);
    if (!s->s.started) {
      rc = begin(s, e);
      if (rc < 0) return rc;
      if (rc == 0) continue;
    }
    if (s->context->ledger) s->context->ledger->read++;
    rc = read_record(s, e);
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- the reader ---- */

static void gwf_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  for (int i = 0; i < NUMBERED; i++) hc_interned_fini(&s->numbered[i]);
  hc_buffer_fini(&s->scratch);
  hc_free(a, s->after, s->after_cap * sizeof *s->after);
  hc_delimited_close(&s->table);
  hc_free(a, s, sizeof *s);
}

static hc_rc gwf_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  if (!o->file || !o->file[0])
    return hc_fail(e, HC_EUSAGE, "source gwf", 0, 0,
                   "no file is given: set `file`, or `-` for standard input");
  if (o->dependencies == HONOUR && !c->lexicon)
    return hc_fail(e, HC_EUNSUPPORTED, "source gwf", 0, 0,
                   "this source does not keep dependencies: ignore them");
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->info.unix_start = s->info.jobs = s->info.records = HC_UNKNOWN;
  hc_buffer_init(&s->scratch, c->allocator);
  for (int i = 0; i < NUMBERED; i++) { /* users, groups ...: in the order of hc_called */
    hc_interned_init(&s->numbered[i], c->allocator, false);
    s->numbered[i].lexicon = c->lexicon;
    s->numbered[i].what = (hc_called)i;
  }
  TRY_OR(hc_delimited_open(&s->table, c->allocator, o->file, e), fail);
  hc_input_sum(s->table.in, c->sums);
  s->table.quotes = false;
  s->table.separator = ' '; /* until the first record is seen */
  *out = s;
  return 0;
fail:
  gwf_close(s);
  return rc;
}

static hc_rc gwf_next(hc_source *s, hc_job *job, hc_error *e)
{
  const hc_rc rc = read_row(s, e);
  if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return rc;
}

static const hc_trace_info *gwf_info(hc_source *s)
{
  s->info.unix_start = hc_delimited_unix_start(&s->table);
  return &s->info;
}

static hc_rc gwf_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_delimited_visit(&s->table, v, e));
  HC_VISIT(v, s->s);
  for (int i = 0; i < NUMBERED; i++) TRY(hc_interned_visit(&s->numbered[i], v));
  return 0;
}

static void gwf_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.in, done, total);
}

static hc_refers gwf_refers(const hc_source *s)
{
  return s->o->dependencies == HONOUR ? HC_REFERS_ANY : HC_REFERS_NONE;
}

static bool holds(const char *text, size_t n, const char *word)
{
  const size_t m = strlen(word);
  for (size_t i = 0; i + m <= n; i++)
    if (memcmp(text + i, word, m) == 0) return true;
  return false;
}

/* The number of fields between blanks, and whether the second and the fourth, both times, are numbers. */
static size_t count_fields(const char *line, size_t n, bool *numbers)
{
  size_t count = 0;
  *numbers = true;
  for (size_t i = 0; i < n;) {
    hc_field f = {.text = line + i};
    hc_time t;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')) i++;
    f.text = line + i;
    while (i < n && line[i] != ' ' && line[i] != '\t' && line[i] != '\r') i++;
    f.length = (size_t)(line + i - f.text);
    if (f.length == 0) break;
    count++;
    if ((count == 2 || count == 4) && !hc_field_is(&f, "-1") && !hc_field_duration(&f, HC_SECOND, &t))
      *numbers = false;
  }
  return count;
}

/* By the titles of its header, or by a first row of just 29 fields. A name alone scores less. */
static int gwf_recognise(const char *name, const char *head, size_t size)
{
  const int named = hc_delimited_is_called(name, ".gwf") ? 40 : 0;
  for (size_t at = 0; at < size;) {
    const char *line = head + at, *end = memchr(line, '\n', size - at);
    const size_t n = end ? (size_t)(end - line) : size - at;
    bool numbers;
    if (holds(line, n, "JobID") && holds(line, n, "SubmitTime") && holds(line, n, "RunTime") &&
        holds(line, n, "NProcs"))
      return 97;
    if (!end) break;
    at += n + 1;
    if (n > 0 && line[0] != '#' && line[0] != '\r')
      return count_fields(line, n, &numbers) == STANDARD_COLUMNS && numbers ? 96 : named;
  }
  return named;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, file, NULL, "Path of the trace, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, dialect, "auto|standard|opendc", "auto",
             "standard: 29 columns between blanks. opendc: a header of titles, and commas. auto: opendc if "
             "the first line has the title SubmitTime between commas."),
    HC_PARAM(CHOICE, options, submit, "auto|relative|unix", "auto",
             "What times of submission count from. relative: an origin that is not said. unix: 1970; time 0 "
             "is then the begin of the first one's day, UTC. auto: unix if the first one is past "
             "500,000,000 s."),
    HC_PARAM(CHOICE, options, dependencies, "ignore|honour", "ignore",
             "Of the short form. ignore: a task may start as soon as it is submitted. honour: it waits "
             "until the tasks of its workflow in Dependencies have ended, however; a job that has a name "
             "has a number made from it."),
    {.name = NULL},
};

const hc_reader_type hc_reader_gwf = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "gwf",
         .summary = "Grid Workload Format of the Grid Workloads Archive, and OpenDC's short form",
         .detail =
             "Rows of 29 columns, of which the first 16 are used; -1 is unknown. Names of users, groups, "
             "programs, queues and partitions are numbered in order of first sight; a job with a name has "
             "the number of its row. Memory is KB of 1024 bytes per processor. In the short form the "
             "workflow becomes the group, and dependencies delay a task only if they are to be honoured.",
         .source = "Iosup et al., \"The Grid Workloads Archive\", FGCS 24(7), 2008, "
                   "doi:10.1016/j.future.2008.02.003",
         .params = params, .options_size = sizeof(options)},
    .open = gwf_open,
    .next = gwf_next,
    .info = gwf_info,
    .visit = gwf_visit,
    .progress = gwf_progress,
    .close = gwf_close,
    .recognise = gwf_recognise,
    .line_key = hc_table_line_key,
    .line_begin = hc_gwf_line_begin,
    .line_end = hc_table_line_end,
    .refers = gwf_refers,
};
