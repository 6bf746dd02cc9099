/* csv.c -- reads any table of jobs: a row per job, and a configuration that says which column is what.
 *
 * A column is named by its title or by its number. What a table does not have is derived where it follows
 * from what it has: run = end - start, wait = start - submit, and so on; a column that is given always counts
 * more than one that could be derived. Dates become times since an origin, the day of the first row unless it
 * is said.
 *
 * Users, groups, programs, queues and partitions are numbers if the first value of their column is one, else
 * names, numbered 1, 2, 3 ... in order of first sight. The names are kept (2^20 of them per column at most),
 * as nothing else of a row is. An id that is not a whole number is not kept: the row's own number stands for
 * it.
 *
 * It guesses no meaning of a column, and is never chosen by the content of a file. Rows are as the table has
 * them: no steps, arrays or restarts are put together. Source: RFC 4180 for the text. Cost: about 0.5 us per
 * row. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/delimited.h"
#include "workload/fields.h"
#include "workload/ledger.h"
#include "workload/spec.h"

typedef enum column {
  ID,
  SUBMIT,
  START,
  END,
  WAIT,
  RUN,
  LIMIT,
  PROCS,
  PROCS_TIMES,
  PROCS_USED,
  MEMORY_ASKED,
  MEMORY_USED,
  USER,
  GROUP,
  EXECUTABLE,
  QUEUE,
  PARTITION,
  STATUS,
  PRIORITY,
  COLUMNS
} column;

static const char *const column_names[COLUMNS] = {
    "id",         "submit",      "start",      "end",          "wait",        "run",  "limit",
    "procs",      "procs_times", "procs_used", "memory_asked", "memory_used", "user", "group",
    "executable", "queue",       "partition",  "status",       "priority"};

typedef enum separator { AUTO, COMMA, SEMICOLON, TAB, PIPE, SPACE } separator;
typedef enum memory_of { OF_PROCESSOR, OF_TASK } memory_of;
typedef enum names { NAMES_AUTO, NAMES_ALWAYS } names;

#define MOMENTS 3   /* submit, start, end */
#define DURATIONS 3 /* wait, run, limit */
#define NUMBERED 5  /* user ... partition */

typedef struct options {
  const char *file, *comment, *origin, *zone;
  const char *columns[COLUMNS];
  const char *time_format, *formats[MOMENTS];
  hc_time time_unit, units[DURATIONS];
  int64_t skip, procs_factor, memory_unit;
  int separator, memory_of, names;
  bool header, quotes;
  hc_list missing, completed, failed, cancelled; /* of texts */
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_delimited table;
  size_t at[COLUMNS]; /* number of the column, from 1; 0: not in this table */
  size_t last;        /* the largest of them */
  hc_moment_format formats[MOMENTS];
  hc_time units[DURATIONS];
  bool is_absolute; /* moments are Unix times */
  hc_zone *zone;
  hc_interned numbered[NUMBERED];
  hc_buffer scratch;
  hc_task_spec task;
  hc_trace_info info;
  const hc_field *wrong; /* why the row at hand is malformed */
  column wrong_column;
  const char *wrong_text;
};

/* ---- the mapping ---- */

static hc_rc no_such_column(const hc_source *s, column c, hc_error *e)
{
  const char *name = s->o->columns[c], *near = hc_delimited_nearest(&s->table, name);
  const uint32_t line = hc_line_number(s->table.s.line);
  if (near)
    return hc_fail(e, HC_EINPUT, s->table.name, line, 0,
                   "%s: there is no column \"%.80s\"; did you mean \"%.80s\"?", column_names[c], name, near);
  if (s->o->header)
    return hc_fail(
        e, HC_EINPUT, s->table.name, line, 0,
        "%s: there is no column \"%.80s\" among the %zu of this header, which begins with \"%.80s\"; give a "
        "title, or a number from 1",
        column_names[c], name, s->table.title_count, s->table.titles[0]);
  return hc_fail(
      e, HC_EUSAGE, "source csv", 0, 0,
      "%s: \"%.80s\" is no number of a column, and without a header columns have no names: give a number "
      "from 1, or set `header: true`",
      column_names[c], name);
}

static hc_rc find_columns(hc_source *s, hc_error *e)
{
  for (int c = 0; c < COLUMNS; c++) {
    const char *name = s->o->columns[c];
    int64_t number;
    if (!name) continue;
    const hc_field f = {.text = name, .length = strlen(name)};
    s->at[c] = hc_delimited_column(&s->table, name);
    if (s->at[c] == 0 && hc_field_whole(&f, &number) && number > 0 && number <= (int64_t)HC_LINE_LIMIT &&
        (!s->o->header || (uint64_t)number <= s->table.title_count))
      s->at[c] = (size_t)number;
    if (s->at[c] == 0) return no_such_column(s, (column)c, e);
    s->last = HC_MAX(s->last, s->at[c]);
  }
  return 0;
}

/* What a run needs must be among the columns, or follow from them. */
static hc_rc check_mapping(const hc_source *s, hc_error *e)
{
  const char *const *has = s->o->columns;
  const bool run = has[RUN] || (has[END] && (has[START] || (has[SUBMIT] && has[WAIT])));
  const char *missing = NULL;
  if (!has[SUBMIT] && !(has[WAIT] && (has[START] || (has[END] && has[RUN]))))
    missing = "when tasks were submitted: set `submit`";
  else if (!run) missing = "how long tasks ran: set `run`, or `start` and `end`";
  else if (!has[PROCS] && !has[PROCS_USED] && s->o->procs_factor == 0)
    missing = "how many processors tasks had: set `procs`, or `procs_factor` if all have the same number";
  else if (has[PROCS_TIMES] && !has[PROCS]) missing = "what `procs_times` multiplies: set `procs`";
  if (!missing) return 0;
  return hc_fail(
      e, HC_EUSAGE, "source csv", 0, 0,
      "no column says %s to the column's title or number; the manual has examples under \"Any table of "
      "jobs\"",
      missing);
}

static hc_rc read_formats(hc_source *s, hc_error *e)
{
  int absolute = 0, relative = 0;
  for (int i = 0; i < MOMENTS; i++) {
    const char *text = s->o->formats[i] ? s->o->formats[i] : s->o->time_format;
    const char *wrong = hc_moment_format_init(&s->formats[i], text, s->o->time_unit);
    if (wrong)
      return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                     "time_format: \"%.80s\" %s; give seconds, unix, iso, or a pattern such as \"%%Y-%%m-%%d "
                     "%%H:%%M:%%S\" (%%Y %%y %%m %%b %%d %%e %%F %%H %%I %%p %%M %%S %%f %%T %%z)",
                     text, wrong);
    if (!s->o->columns[SUBMIT + i]) continue;
    if (s->formats[i].kind == HC_MOMENT_SECONDS) relative++;
    else absolute++;
  }
  if (absolute > 0 && relative > 0)
    return hc_fail(
        e, HC_EUSAGE, "source csv", 0, 0,
        "time_format: dates and seconds since an unnamed origin cannot be put together; give all times as "
        "one or the other");
  s->is_absolute = absolute > 0;
  for (int i = 0; i < DURATIONS; i++)
    s->units[i] = s->o->units[i] == HC_UNKNOWN ? s->o->time_unit : s->o->units[i];
  return 0;
}

/* The zone and the origin. */
static hc_rc read_calendar(hc_source *s, hc_error *e)
{
  const char *text = s->o->origin;
  const hc_moment_format unix = {.kind = HC_MOMENT_UNIX, .unit = HC_SECOND}, iso = {.kind = HC_MOMENT_ISO};
  if (s->o->zone) {
    const hc_rc rc = hc_zone_open(s->context->allocator, s->o->zone, &s->zone);
    if (rc == HC_ENOMEM) return rc;
    if (rc < 0)
      return hc_fail(
          e, HC_EUSAGE, "source csv", 0, 0,
          "zone: no time zone \"%.80s\" on this system; names are like Europe/Stockholm, or an offset like "
          "+01:00",
          s->o->zone);
  }
  s->table.zone = s->zone;
  s->info.zone = s->o->zone;
  if (!text) return 0;
  const hc_field f = {.text = text, .length = strlen(text)};
  if (!hc_field_moment(&f, &iso, s->zone, &s->table.s.origin) &&
      !hc_field_moment(&f, &unix, NULL, &s->table.s.origin))
    return hc_fail(
        e, HC_EUSAGE, "source csv", 0, 0,
        "origin: \"%.80s\" is no date; give one such as 2024-01-31 or 2024-01-31T09:00:00, or a Unix time",
        text);
  s->table.origin_given = true;
  return 0;
}

/* Everything above the rows. */
static hc_rc read_head(hc_source *s, hc_error *e)
{
  static const char separators[] = {'\0', ',', ';', '\t', '|', ' '};
  hc_delimited *t = &s->table;
  char *line;
  size_t length;
  hc_rc rc;
  t->separator = separators[s->o->separator];
  t->quotes = s->o->quotes;
  t->comment = s->o->comment ? s->o->comment : "";
  for (int64_t i = 0; i < s->o->skip; i++) {
    rc = hc_input_line(t->in, &line, &length, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
  }
  if (s->o->header) {
    rc = hc_delimited_next(t, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_fail(
          e, HC_EINPUT, t->name, 0, 0,
          "the file has no header line: give a table, or set `header: false` and number the columns");
    TRY(hc_delimited_keep_titles(t));
  }
  return find_columns(s, e);
}

/* ---- one row ---- */

static bool is_missing(const hc_source *s, const hc_field *f)
{
  const char *const *words = s->o->missing.items;
  for (size_t i = 0; i < s->o->missing.count; i++)
    if (hc_field_is(f, words[i])) return true;
  return false;
}

/* A field of the row; NULL if the table or the row does not have it. */
static const hc_field *get(const hc_source *s, column c)
{
  const hc_field *f;
  if (s->at[c] == 0) return NULL;
  f = &s->table.fields[s->at[c] - 1];
  return is_missing(s, f) ? NULL : f;
}

static bool is_wrong(hc_source *s, column c, const char *text)
{
  s->wrong = s->at[c] ? &s->table.fields[s->at[c] - 1] : NULL;
  s->wrong_column = c;
  s->wrong_text = text;
  return false;
}

static bool read_times(hc_source *s, hc_time moments[MOMENTS], hc_time durations[DURATIONS])
{
  for (int i = 0; i < MOMENTS; i++) {
    const hc_field *f = get(s, (column)(SUBMIT + i));
    moments[i] = HC_UNKNOWN;
    if (f && !hc_field_moment(f, &s->formats[i], s->zone, &moments[i]))
      return is_wrong(s, (column)(SUBMIT + i), "which is no time in the form that `time_format` says");
  }
  for (int i = 0; i < DURATIONS; i++) {
    const hc_field *f = get(s, (column)(WAIT + i));
    durations[i] = HC_UNKNOWN;
    if (f && !hc_field_duration(f, s->units[i], &durations[i]))
      return is_wrong(s, (column)(WAIT + i), "which is no duration");
  }
  return true;
}

/* later - earlier. All moments are far from the ends of their type. */
static bool difference(hc_time later, hc_time earlier, hc_time *out)
{
  return !__builtin_sub_overflow(later, earlier, out) && *out >= 0;
}

/* What was not given and follows from the rest. */
static bool derive(hc_source *s, hc_time submit, hc_time start, hc_time end)
{
  hc_task_spec *t = &s->task;
  if (start == HC_UNKNOWN && end != HC_UNKNOWN && t->run != HC_UNKNOWN && submit == HC_UNKNOWN &&
      __builtin_sub_overflow(end, t->run, &start))
    return is_wrong(s, RUN, "which is too long");
  if (submit == HC_UNKNOWN && start != HC_UNKNOWN && t->wait != HC_UNKNOWN &&
      (__builtin_sub_overflow(start, t->wait, &submit) || (!s->is_absolute && submit < 0)))
    return is_wrong(s, WAIT, "which is too long");
  if (t->wait == HC_UNKNOWN && submit != HC_UNKNOWN && start != HC_UNKNOWN &&
      !difference(start, submit, &t->wait))
    return is_wrong(s, START, "which is before its submission");
  if (start == HC_UNKNOWN && submit != HC_UNKNOWN && t->wait != HC_UNKNOWN)
    start = hc_time_add(submit, t->wait);
  if (t->run == HC_UNKNOWN && start != HC_UNKNOWN && end != HC_UNKNOWN && !difference(end, start, &t->run))
    return is_wrong(s, END, "which is before its start");
  if (t->wait == HC_UNKNOWN && t->status == HC_STATUS_CANCELLED && submit != HC_UNKNOWN &&
      end != HC_UNKNOWN && !difference(end, submit, &t->wait)) /* it left the queue then */
    return is_wrong(s, END, "which is before its submission");
  t->submit = submit;
  return true;
}

static bool multiply(int64_t *amount, int64_t factor)
{
  return !__builtin_mul_overflow(*amount, factor, amount) && *amount <= (int64_t)1 << 52;
}

static bool read_processors(hc_source *s)
{
  const int64_t factor = s->o->procs_factor > 0 ? s->o->procs_factor : 1;
  hc_task_spec *t = &s->task;
  const hc_field *asked = get(s, PROCS), *times = get(s, PROCS_TIMES), *used = get(s, PROCS_USED);
  int64_t multiplier = 1;
  t->procs_asked = t->procs_used = HC_UNKNOWN;
  if (asked && !hc_field_amount(asked, 1, &t->procs_asked))
    return is_wrong(s, PROCS, "which is no number of processors");
  if (times && !hc_field_amount(times, 1, &multiplier))
    return is_wrong(s, PROCS_TIMES, "which is no whole number");
  if (asked && (!multiply(&t->procs_asked, multiplier) || !multiply(&t->procs_asked, factor)))
    return is_wrong(s, PROCS, "which is too many");
  if (s->at[PROCS_TIMES] && !times) t->procs_asked = HC_UNKNOWN;
  if (used && (!hc_field_amount(used, 1, &t->procs_used) || !multiply(&t->procs_used, factor)))
    return is_wrong(s, PROCS_USED, "which is no number of processors");
  if (!s->at[PROCS] && !s->at[PROCS_USED]) t->procs_asked = factor;
  return true;
}

static bool read_memory(hc_source *s, column c, int64_t procs, int64_t *out)
{
  const hc_field *f = get(s, c);
  *out = HC_UNKNOWN;
  if (!f) return true;
  if (!hc_field_size(f, s->o->memory_unit, out)) return is_wrong(s, c, "which is no amount of memory");
  if (s->o->memory_of == OF_TASK) *out = procs > 0 ? (*out + procs - 1) / procs : HC_UNKNOWN;
  return true;
}

/* "CANCELLED by 1001" and "CANCELLED+" are CANCELLED. */
static bool is_among(const hc_list *words, const char *text, size_t n)
{
  const char *const *items = words->items;
  size_t first = 0;
  while (first < n && text[first] != ' ' && text[first] != '+') first++;
  for (size_t i = 0; i < words->count; i++)
    if (hc_same_word(text, n, items[i]) || hc_same_word(text, first, items[i])) return true;
  return false;
}

static hc_rc read_status(hc_source *s)
{
  const hc_field *f = get(s, STATUS);
  const char *text;
  size_t n;
  s->task.status = HC_STATUS_UNKNOWN;
  if (!f) return 0;
  TRY(hc_field_text(f, &s->scratch, &text, &n));
  if (is_among(&s->o->completed, text, n)) s->task.status = HC_STATUS_COMPLETED;
  else if (is_among(&s->o->cancelled, text, n)) s->task.status = HC_STATUS_CANCELLED;
  else if (is_among(&s->o->failed, text, n)) s->task.status = HC_STATUS_FAILED;
  return 0;
}

/* @return 1, 0 if the row is malformed, or an error. */
static hc_rc read_numbered(hc_source *s, hc_error *e)
{
  int64_t *const out[NUMBERED] = {&s->task.user, &s->task.group, &s->task.executable, &s->task.queue,
                                  &s->task.partition};
  for (int i = 0; i < NUMBERED; i++) {
    const hc_field *f = get(s, (column)(USER + i));
    hc_rc rc = 1;
    *out[i] = -1;
    if (f) rc = hc_interned_number(&s->numbered[i], f, &s->scratch, out[i]);
    if (rc == HC_ELIMIT)
      return hc_fail(e, HC_ELIMIT, s->table.name, hc_line_number(s->table.s.line), 0,
                     "%s: this column has more than %zu different names; leave it out",
                     column_names[USER + i], HC_NAME_LIMIT);
    if (rc < 0) return rc;
    if (rc == 0)
      return is_wrong(s, (column)(USER + i),
                      "which is no number, as the values before it are; `names: always` numbers all of them");
  }
  return 1;
}

/* The columns of the record as a task. @return 1, 0 if it is malformed, or an error. */
static hc_rc read_task(hc_source *s, hc_error *e)
{
  hc_task_spec *t = &s->task;
  hc_time moments[MOMENTS], durations[DURATIONS];
  const hc_field *f;
  int64_t procs;
  memset(t, 0, sizeof *t);
  hc_spec_plain(t);
  t->line = s->table.s.line;
  t->cpu_time = t->think = HC_UNKNOWN;
  t->preceding = -1;
  t->cancel_at = HC_NEVER;
  f = get(s, ID);
  if (!f || !hc_field_whole(f, &t->id)) t->id = (int64_t)(s->table.s.rows + s->table.s.malformed) + 1;
  if (!read_times(s, moments, durations)) return 0;
  t->wait = durations[0];
  t->run = durations[1];
  t->limit = durations[2];
  TRY(read_status(s));
  if (!derive(s, moments[0], moments[1], moments[2]) || !read_processors(s)) return 0;
  procs = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
  if (!read_memory(s, MEMORY_ASKED, procs, &t->memory_asked)) return 0;
  if (!read_memory(s, MEMORY_USED, t->procs_used > 0 ? t->procs_used : procs, &t->memory_used)) return 0;
  f = get(s, PRIORITY);
  if (f && !hc_field_whole(f, &t->priority)) return is_wrong(s, PRIORITY, "which is no whole number");
  return read_numbered(s, e);
}

static hc_rc reject_field(hc_source *s, hc_error *e)
{
  const size_t number = s->at[s->wrong_column];
  const char *title = number <= s->table.title_count ? s->table.titles[number - 1] : NULL;
  const hc_field *f = s->wrong;
  const int length = (int)HC_MIN(f->length, (size_t)40);
  if (title)
    return hc_delimited_reject(&s->table, s->context, f->text, e, "%s: column \"%.40s\" holds \"%.*s\", %s",
                               column_names[s->wrong_column], title, length, f->text, s->wrong_text);
  return hc_delimited_reject(&s->table, s->context, f->text, e, "%s: column %zu holds \"%.*s\", %s",
                             column_names[s->wrong_column], number, length, f->text, s->wrong_text);
}

/* Whether the record has the columns that it must have. Those at the end that are not asked for may be
 * missing; more than the header has means that one of them is not quoted and the rest have moved. */
static bool has_shape(const hc_delimited *t, size_t last)
{
  if (t->flaw || t->count < last) return false;
  if (t->title_count == 0 || t->separator == ' ' || t->count <= t->title_count) return true;
  return t->count == t->title_count + 1 && t->fields[t->count - 1].length == 0;
}

static hc_rc reject_shape(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  if (t->flaw)
    return hc_delimited_reject(t, s->context, t->flaw, e,
                               "text follows a closed quote; quotes within a field are doubled");
  return hc_delimited_reject(t, s->context, NULL, e, "it has %zu fields, where %zu are expected", t->count,
                             t->title_count > 0 ? t->title_count : s->last);
}

/* The next row that is a task, in s->task. @return 1, 0 at the end, or an error. */
static hc_rc read_row(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  hc_row_ledger *ledger = s->context->ledger;
  while (!t->s.at_end) {
    hc_rc rc = hc_delimited_next(t, e);
    if (rc < 0) return rc;
    if (rc == 0) return hc_delimited_end(t, "a table of jobs", "Check separator, columns and time_format", e);
    if (ledger) ledger->read++;
    if (!has_shape(t, s->last)) {
      TRY(reject_shape(s, e));
      continue;
    }
    rc = read_task(s, e);
    if (rc < 0) return rc;
    if (rc == 0) {
      TRY(reject_field(s, e));
      continue;
    }
    t->s.rows++;
    if (!s->is_absolute || s->task.submit == HC_UNKNOWN) return 1;
    rc = hc_delimited_since_origin(t, s->context, &s->task.submit, e);
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- the reader ---- */

static void csv_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  for (int i = 0; i < NUMBERED; i++) hc_interned_fini(&s->numbered[i]);
  hc_zone_free(s->zone);
  hc_buffer_fini(&s->scratch);
  hc_delimited_close(&s->table);
  hc_free(a, s, sizeof *s);
}

static hc_rc csv_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  if (!o->file || !o->file[0])
    return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                   "no file is given: set `file`, or `-` for standard input");
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->info.unix_start = s->info.jobs = s->info.records = HC_UNKNOWN;
  hc_buffer_init(&s->scratch, c->allocator);
  for (int i = 0; i < NUMBERED; i++)
    hc_interned_init(&s->numbered[i], c->allocator, o->names == NAMES_ALWAYS);
  TRY_OR(hc_delimited_open(&s->table, c->allocator, o->file, e), fail);
  TRY_OR(check_mapping(s, e), fail);
  TRY_OR(read_formats(s, e), fail);
  TRY_OR(read_calendar(s, e), fail);
  TRY_OR(read_head(s, e), fail);
  *out = s;
  return 0;
fail:
  csv_close(s);
  return rc;
}

static hc_rc csv_next(hc_source *s, hc_job *job, hc_error *e)
{
  const hc_rc rc = read_row(s, e);
  if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return rc;
}

static const hc_trace_info *csv_info(hc_source *s)
{
  s->info.unix_start = hc_delimited_unix_start(&s->table);
  return &s->info;
}

static hc_rc csv_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_delimited_visit(&s->table, v, e));
  for (int i = 0; i < NUMBERED; i++) TRY(hc_interned_visit(&s->numbered[i], v));
  return 0;
}

static void csv_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.in, done, total);
}

/* Only by its name, and below every reader that knows the content. */
static int csv_recognise(const char *name, const char *head, size_t size)
{
  HC_UNUSED(head);
  HC_UNUSED(size);
  return hc_delimited_is_called(name, ".csv") || hc_delimited_is_called(name, ".tsv") ? 5 : 0;
}

#define OFFSET(member) .offset = offsetof(options, member)
#define COLUMN(word, number, text) \
  { \
    .name = word, .type = HC_TEXT, OFFSET(columns[number]), .help = "column, by title or number: " text \
  }

static const hc_param params[] = {
    {.name = "file",
     .type = HC_TEXT,
     OFFSET(file),
     .help = "path of the table, plain, .gz, .zst or .xz; - is standard input"},
    {.name = "separator",
     .type = HC_CHOICE,
     OFFSET(separator),
     .fallback = "auto",
     .choices = "auto|comma|semicolon|tab|pipe|space",
     .help =
         "what stands between fields. auto: whichever of tab, bar, semicolon and comma the first line has "
         "most of; if it has none, blanks. space: any run of blanks and tabs"},
    {.name = "header",
     .type = HC_BOOL,
     OFFSET(header),
     .fallback = "true",
     .help = "the first line holds the titles of the columns. false: columns are given by number"},
    {.name = "quotes",
     .type = HC_BOOL,
     OFFSET(quotes),
     .fallback = "true",
     .help =
         "fields may stand in double quotes, and then hold separators, line breaks and doubled quotes (RFC "
         "4180). false: quotes are ordinary characters"},
    {.name = "comment",
     .type = HC_TEXT,
     OFFSET(comment),
     .fallback = "\"#\"",
     .help = "lines that begin with this are passed over; \"\": none are"},
    {.name = "skip",
     .type = HC_INT,
     OFFSET(skip),
     .unit = "lines",
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "how many lines above the header, or above the rows, are passed over"},
    COLUMN("id", ID, "the job's number. Not a whole number, or not given: rows are numbered"),
    COLUMN("submit", SUBMIT, "when it was submitted. Not given: start - wait"),
    COLUMN("start", START, "when it started"),
    COLUMN("end", END, "when it ended; of a cancelled task without a start, when it left the queue"),
    COLUMN("wait", WAIT, "how long it waited. Not given: start - submit"),
    COLUMN("run", RUN, "how long it ran. Not given: end - start"),
    COLUMN("limit", LIMIT, "how long it asked for"),
    COLUMN("procs", PROCS,
           "how many processors it asked for; GPUs or nodes where these are what is scheduled"),
    COLUMN("procs_times", PROCS_TIMES,
           "multiplies `procs`, such as processors per node where that counts nodes"),
    COLUMN("procs_used", PROCS_USED, "how many processors it had"),
    COLUMN("memory_asked", MEMORY_ASKED, "memory it asked for"),
    COLUMN("memory_used", MEMORY_USED, "memory it used"),
    COLUMN("user", USER, "whose it is: a number or a name"),
    COLUMN("group", GROUP, "group, account or virtual cluster"),
    COLUMN("executable", EXECUTABLE, "program or job name"),
    COLUMN("queue", QUEUE, "queue"),
    COLUMN("partition", PARTITION, "partition"),
    COLUMN("status", STATUS, "what became of it, in the words of `completed`, `failed` and `cancelled`"),
    COLUMN("priority", PRIORITY, "a whole number, higher first"),
    {.name = "procs_factor",
     .type = HC_INT,
     OFFSET(procs_factor),
     .unit = "processors",
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "what one unit of `procs` and `procs_used` stands for, such as 36 where they count nodes of 36 "
             "processors; without both columns, what every task has. 0: one, and a column must be given"},
    {.name = "time_format",
     .type = HC_TEXT,
     OFFSET(time_format),
     .fallback = "seconds",
     .help =
         "how submit, start and end are written. seconds: a number since an origin that is not said. unix: "
         "a number since 1970. iso: 2024-01-31T09:30:00, with or without time, fraction and offset. Or a "
         "pattern of %Y %y %m %b %d %e %F %H %I %p %M %S %f %T %z"},
    {.name = "submit_format",
     .type = HC_TEXT,
     OFFSET(formats[0]),
     .help = "time_format of `submit`, if it differs"},
    {.name = "start_format",
     .type = HC_TEXT,
     OFFSET(formats[1]),
     .help = "time_format of `start`, if it differs"},
    {.name = "end_format",
     .type = HC_TEXT,
     OFFSET(formats[2]),
     .help = "time_format of `end`, if it differs"},
    {.name = "time_unit",
     .type = HC_TIME,
     OFFSET(time_unit),
     .unit = "s",
     .fallback = "1s",
     .min = 1e-9,
     .max = 1e6,
     .help = "what one unit of a time that is a number means: 1s, 1ms, 1m, 1h. Durations may also be clocks "
             "(HH:MM:SS, D-HH:MM:SS) or have units (1h30m)"},
    {.name = "wait_unit",
     .type = HC_TIME,
     OFFSET(units[0]),
     .unit = "s",
     .min = 1e-9,
     .max = 1e6,
     .help = "time_unit of `wait`, if it differs"},
    {.name = "run_unit",
     .type = HC_TIME,
     OFFSET(units[1]),
     .unit = "s",
     .min = 1e-9,
     .max = 1e6,
     .help = "time_unit of `run`, if it differs"},
    {.name = "limit_unit",
     .type = HC_TIME,
     OFFSET(units[2]),
     .unit = "s",
     .min = 1e-9,
     .max = 1e6,
     .help = "time_unit of `limit`, if it differs"},
    {.name = "zone",
     .type = HC_TEXT,
     OFFSET(zone),
     .help = "time zone of dates without an offset, such as Europe/Stockholm or +01:00. Not given: UTC"},
    {.name = "origin",
     .type = HC_TEXT,
     OFFSET(origin),
     .help = "time 0: a date or a Unix time; rows submitted before it are left out. Not given: the begin of "
             "the day on which the first row was submitted"},
    {.name = "memory_unit",
     .type = HC_SIZE,
     OFFSET(memory_unit),
     .unit = "B",
     .fallback = "1",
     .min = 1,
     .max = 1125899906842624.0,
     .help =
         "what one unit of memory means where it is a number: 1KiB, 1MiB, 1GB. Fields may also have units "
         "(4GB)"},
    {.name = "memory_of",
     .type = HC_CHOICE,
     OFFSET(memory_of),
     .fallback = "processor",
     .choices = "processor|task",
     .help = "whose memory it is. task: that of all its processors together"},
    {.name = "names",
     .type = HC_CHOICE,
     OFFSET(names),
     .fallback = "auto",
     .choices = "auto|always",
     .help =
         "user, group, executable, queue, partition. auto: numbers if the first value of the column is "
         "one, else names. always: names, also where they look like numbers. Names are numbered from 1 in "
         "order of first sight"},
    {.name = "missing",
     .type = HC_TEXT,
     .list = true,
     OFFSET(missing),
     .fallback = "[\"\", \"-1\", \"NA\", \"N/A\", \"NULL\", \"null\", \"None\"]",
     .help = "what stands in a field that is not known"},
    {.name = "completed",
     .type = HC_TEXT,
     .list = true,
     OFFSET(completed),
     .fallback = "[COMPLETED, COMPLETE, SUCCEEDED, SUCCESS, PASS, FINISHED, DONE, \"1\"]",
     .help =
         "words of `status` for what ended well, in any case; a word may be followed by more (\"CANCELLED "
         "by 7\"). Words in no list mean that it is not known"},
    {.name = "failed",
     .type = HC_TEXT,
     .list = true,
     OFFSET(failed),
     .fallback = "[FAILED, FAIL, ERROR, TIMEOUT, NODE_FAIL, OUT_OF_MEMORY, \"0\"]",
     .help = "words of `status` for what failed, or was ended by the system"},
    {.name = "cancelled",
     .type = HC_TEXT,
     .list = true,
     OFFSET(cancelled),
     .fallback = "[CANCELLED, CANCELED, KILLED, \"5\"]",
     .help = "words of `status` for what its user withdrew or killed"},
    {.name = NULL},
};

const hc_reader_type hc_reader_csv = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "csv",
         .summary = "any table of jobs, given which column is what",
         .detail =
             "Columns that are not given are derived where they follow from others. Columns must say when "
             "tasks were submitted, how long they ran, and how many processors they had. A row with a field "
             "that is not what its column should hold, that ends before it starts, or that has more fields "
             "than the header is malformed: it is counted and left out, or an error under strict. The size "
             "of the machine is not in such a table: set cell or --procs.",
         .source = "RFC 4180", .params = params, .options_size = sizeof(options)},
    .open = csv_open,
    .next = csv_next,
    .info = csv_info,
    .visit = csv_visit,
    .progress = csv_progress,
    .close = csv_close,
    .recognise = csv_recognise,
};
