/* csv.c -- any table of jobs, both ways: a row per job, and a configuration that says which column is what.
 *
 * A column is named by its title or by its number. What a table does not have is derived where it follows
 * from what it has: run = end - start, wait = start - submit, and so on; a column that is given always counts
 * more than one that could be derived. Dates become times since an origin, the day of the first row unless it
 * is said.
 *
 * Users, groups, programs, queues and partitions are numbers if the first value of their column is one, else
 * names, numbered 1, 2, 3 ... in order of first sight. The names are kept (2^20 of them per column at most),
 * as nothing else of a row is. An id that is not a whole number is not kept: the row's own number stands for
 * it, or the number of its name where others may wait for it. Tables of data centres also say how many hosts
 * a task wants, how much of each dimension on each, which job it is part of and what it waits for
 * (csv_demand.c).
 *
 * It guesses no meaning of a column, and is never chosen by the content of a file. Rows are as the table has
 * them: no steps, arrays or restarts are put together.
 *
 * Written, columns are called as the reader calls its own. Times are seconds since the origin and memory is
 * bytes, exactly; cpu and gpu are cores and GPUs of each host. What is not known is empty. `after` names
 * tasks of the same job by their numbers, or jobs where a task is of none, that must have ended;
 * `constraints` are as "gpu_model=V100|gpu_model=A100 & ssd & memory_gb>=64". A bundle stays one row.
 *
 * Source: RFC 4180 for the text. Cost: about 0.5 us per row read, 100 ns per row written. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/constraint_text.h"
#include "workload/csv.h"
#include "workload/ledger.h"
#include "workload/line_table.h"
#include "workload/reading.h"
#include "workload/spec.h"
#include "workload/writing.h"

typedef hc_csv_options options;

struct hc_source {
  hc_csv t;
};

/* The next row that is a task, in s->task. @return 1, 0 at the end, or an error. */
static hc_rc read_row(hc_csv *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  hc_row_ledger *ledger = s->context->ledger;
  while (!t->s.at_end) {
    hc_rc rc = hc_delimited_next(t, e);
    if (rc < 0) return rc;
    if (rc == 0) return hc_delimited_end(t, "a table of jobs", "Check separator, columns and time_format", e);
    if (ledger) ledger->read++;
    if (!hc_csv_has_shape(s)) {
      TRY(hc_csv_reject_shape(s, e));
      continue;
    }
    rc = hc_csv_task(s);
    if (rc == 1) rc = hc_csv_more(s, e);
    if (rc < 0) return rc;
    if (rc == 0) {
      TRY(hc_csv_reject(s, e));
      continue;
    }
    t->s.rows++;
    if (!s->is_absolute || s->task.submit == HC_UNKNOWN) return 1;
    rc = hc_delimited_since_origin(t, s->context, &s->task.submit, e);
    if (rc == 1 && s->task.not_before != HC_UNKNOWN) s->task.not_before -= t->s.origin;
    if (rc != 1) hc_spec_drop(s->context->lexicon, &s->task);
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- the reader ---- */

static void csv_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->t.context->allocator;
  for (int i = 0; i < HC_CSV_NUMBERED; i++) hc_interned_fini(&s->t.numbered[i]);
  hc_zone_free(s->t.zone);
  hc_buffer_fini(&s->t.scratch);
  hc_free(a, s->t.after, s->t.after_cap * sizeof *s->t.after);
  hc_free(a, s->t.constraints, s->t.constraint_cap * sizeof *s->t.constraints);
  hc_free(a, s->t.prefers, s->t.prefer_cap * sizeof *s->t.prefers);
  hc_delimited_close(&s->t.table);
  hc_free(a, s, sizeof *s);
}

static hc_rc csv_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, "source csv", o->file, sizeof *s, &s, e));
  s->t.context = c;
  s->t.o = o;
  s->t.info = hc_trace_info_none();
  hc_buffer_init(&s->t.scratch, c->allocator);
  for (int i = 0; i < HC_CSV_NUMBERED; i++) { /* users, groups ...: in the order of hc_called */
    hc_interned_init(&s->t.numbered[i], c->allocator, o->names == HC_CSV_NAMES_ALWAYS);
    s->t.numbered[i].lexicon = c->lexicon;
    s->t.numbered[i].ledger = c->ledger;
    s->t.numbered[i].what = (hc_called)i;
  }
  TRY_OR(hc_delimited_open(&s->t.table, c->allocator, o->file, e), fail);
  hc_input_sum(s->t.table.in, c->sums);
  TRY_OR(hc_csv_map(&s->t, e), fail);
  *out = s;
  return 0;
fail:
  csv_close(s);
  return rc;
}

static hc_rc csv_next(hc_source *s, hc_job *job, hc_error *e)
{
  const hc_rc rc = read_row(&s->t, e);
  if (rc == 1) *job = (hc_job){.tasks = &s->t.task, .task_count = 1};
  return rc;
}

static const hc_trace_info *csv_info(hc_source *s)
{
  s->t.info.unix_start = hc_delimited_unix_start(&s->t.table);
  return &s->t.info;
}

static hc_rc csv_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_delimited_visit(&s->t.table, v, e));
  for (int i = 0; i < HC_CSV_NUMBERED; i++) TRY(hc_interned_visit(&s->t.numbered[i], v));
  return 0;
}

static void csv_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->t.table.in, done, total);
}

static hc_refers csv_refers(const hc_source *s)
{
  return s->t.at[HC_CSV_AFTER] ? HC_REFERS_ANY : HC_REFERS_NONE; /* rows of a job may stand far apart */
}

/* Only by its name, and below every reader that knows the content. */
static int csv_recognise(const char *name, const char *head, size_t size)
{
  HC_UNUSED(head);
  HC_UNUSED(size);
  return hc_delimited_is_called(name, ".csv") || hc_delimited_is_called(name, ".tsv") ? 5 : 0;
}

/* ---- sorting lines ---- */

/* Number of the column with a title, or that a text is the number of; 0: there is none. */
static size_t find(const hc_lexer *l, const char *titles, size_t n, bool has_titles, const char *name)
{
  const hc_field word = {.text = name, .length = strlen(name)};
  const char *p = titles, *flaw = NULL;
  int64_t number;
  hc_field f;
  for (size_t i = 1; has_titles && hc_lexer_next(l, &p, titles + n, &f, &flaw) == 1; i++)
    if (hc_same_word(f.text, f.length, name)) return i;
  return hc_field_whole(&word, &number) && number > 0 && number <= (int64_t)HC_LINE_LIMIT ? (size_t)number
                                                                                          : 0;
}

static hc_rc csv_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                            void **layout, hc_error *e)
{
  static const char separators[] = {'\0', ',', ';', '\t', '|', ' '}; /* by hc_csv_separator */
  const options *o = given;
  const char *submit = o->columns[HC_CSV_SUBMIT], *id = o->columns[HC_CSV_ID];
  hc_line_table t = {.allocator = a, .lexer = {separators[o->separator], o->quotes, false}};
  size_t at, n;
  const char *wrong;
  if (o->comment && strlen(o->comment) < sizeof t.comment)
    memcpy(t.comment, o->comment, strlen(o->comment) + 1);
  n = hc_line_table_first(&t, text, size, o->skip, &at);
  if (t.lexer.separator == '\0') t.lexer.separator = hc_lexer_guess(text + at, n);
  if (!submit && !o->header)
    return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                   "no column says when tasks were submitted: set `submit` to its number");
  t.submit = find(&t.lexer, text + at, n, o->header, submit ? submit : hc_csv_names[HC_CSV_SUBMIT]);
  if (t.submit == 0 && submit && hc_csv_is_expression(submit))
    return hc_fail(
        e, HC_EUSAGE, "source csv", 0, 0,
        "submit: lines are sorted by a column that stands in them, not by the expression \"%.80s\"; name "
        "that column, or write the tasks in order with `hindcast trace convert`",
        submit);
  if (t.submit == 0)
    return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                   "no column says when tasks were submitted: set `submit` to the column's title or number");
  t.id = find(&t.lexer, text + at, n, o->header, id ? id : hc_csv_names[HC_CSV_ID]);
  wrong = hc_moment_format_init(&t.format, o->formats[0] ? o->formats[0] : o->time_format, o->time_unit);
  if (wrong) return hc_fail(e, HC_EUSAGE, "source csv", 0, 0, "time_format %s", wrong);
  return hc_line_table_make(&t, text, o->header ? HC_MIN(at + n + 1, size) : at, o->zone, layout, e);
}

#define OFFSET(member) .offset = offsetof(options, member)
#define COLUMN(word, number, text) \
  { \
    .name = word, .type = HC_TEXT, OFFSET(columns[number]), .unit = "column", \
    .help = "Column, by title or number, or an expression over columns: " text "." \
  }

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the table, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, separator, "auto|comma|semicolon|tab|pipe|space", "auto",
             "Separator of fields. auto: the most frequent of tab, bar, semicolon and comma in the first "
             "line; if it has none of them, blanks. space: any run of blanks and tabs."),
    HC_PARAM(BOOL, options, header, "true",
             "Whether the first line holds the titles of the columns. false: columns are given by number, "
             "from 1."),
    HC_PARAM(BOOL, options, quotes, "true",
             "Whether fields may stand in double quotes, and then hold separators, line breaks and doubled "
             "quotes (RFC 4180). false: quotes are ordinary characters."),
    HC_PARAM(TEXT, options, comment, "#", "Lines that begin with this text are ignored. \"\": no line is."),
    HC_PARAM(INT, options, skip, "lines", "0", 0, 1e6,
             "Number of lines above the header, or above the rows, that are ignored."),
    COLUMN("id", HC_CSV_ID,
           "the number of the task; where it is no whole number, the number of the row is taken. Default: "
           "the number of the row"),
    COLUMN("submit", HC_CSV_SUBMIT, "when the task was submitted. Default: start - wait"),
    COLUMN("start", HC_CSV_START, "when the task started"),
    COLUMN("end", HC_CSV_END,
           "when the task ended; of a cancelled task without a start, when it left the queue"),
    COLUMN("wait", HC_CSV_WAIT, "how long the task waited. Default: start - submit"),
    COLUMN("run", HC_CSV_RUN, "how long the task ran. Default: end - start"),
    COLUMN("limit", HC_CSV_LIMIT, "the run time that the task asked for"),
    COLUMN("procs", HC_CSV_PROCS,
           "how many processors the task asked for; GPUs or nodes where these are what is scheduled"),
    COLUMN("procs_times", HC_CSV_PROCS_TIMES,
           "a factor of `procs`, such as processors per node where `procs` counts nodes"),
    COLUMN("procs_used", HC_CSV_PROCS_USED, "how many processors the task had"),
    COLUMN("memory_asked", HC_CSV_MEMORY_ASKED, "memory that the task asked for"),
    COLUMN("memory_used", HC_CSV_MEMORY_USED, "memory that the task used"),
    COLUMN("user", HC_CSV_USER, "the user, a number or a name"),
    COLUMN("group", HC_CSV_GROUP, "the group, account or virtual cluster"),
    COLUMN("executable", HC_CSV_EXECUTABLE, "the program, or the name of the job"),
    COLUMN("queue", HC_CSV_QUEUE, "the queue"),
    COLUMN("partition", HC_CSV_PARTITION, "the partition"),
    COLUMN("status", HC_CSV_STATUS,
           "what became of the task, in the words of `completed`, `failed` and `cancelled`"),
    COLUMN("priority", HC_CSV_PRIORITY, "the priority, a whole number, higher first"),
    COLUMN("job", HC_CSV_JOB, "the job of which the task is part, a number or a name"),
    COLUMN("count", HC_CSV_COUNT, "how many equal tasks the row stands for. Default: one"),
    COLUMN("hosts", HC_CSV_HOSTS, "how many hosts (slots) the task asks for. Default: one"),
    COLUMN("cpu", HC_CSV_CPU, "cores on each host, in cpu_unit"),
    COLUMN("memory", HC_CSV_MEMORY, "memory on each host, in memory_unit"),
    COLUMN("disk", HC_CSV_DISK, "disk space on each host, in disk_unit"),
    COLUMN("gpu", HC_CSV_GPU, "GPUs on each host, in gpu_unit; half a GPU is half of one device"),
    COLUMN("not_before", HC_CSV_NOT_BEFORE,
           "a time before which the task does not start, although it has arrived; policies that plan ahead "
           "see it"),
    COLUMN("after", HC_CSV_AFTER,
           "ids of the tasks for which the task waits, between blanks or ; | , [ ]. They are tasks of its "
           "own job if there is a column `job`, else any tasks. Ids may be names. Requires `id`"),
    COLUMN("constraints", HC_CSV_CONSTRAINTS,
           "attributes that the hosts of the task must have: name, !name, name=value (== != < > <= >=), "
           "joined by &, with | between alternatives (gpu_model=V100|A100)"),
    COLUMN("prefers", HC_CSV_PREFERS,
           "hosts, or zones of hosts, where the task's data are, between blanks or ; | , [ ]; the task may "
           "also run elsewhere. Only `accept: locality`, which waits for these, and `remote_penalty` of the "
           "policy fair use them"),
    COLUMN("label", HC_CSV_LABEL,
           "the name of the task, if its id is a number. Default: the text of `id`, if it is no number"),
    COLUMN("job_label", HC_CSV_JOB_LABEL, "the name of the task's job. Default: the text of `job`"),
    HC_PARAM(TEXTS, options, other, "[]",
             "Amounts of other dimensions on each host: `dimension=column`, or `dimension=column*UNIT`, with "
             "UNIT units of the dimension for one unit of the column."),
    HC_PARAM(REAL, options, cpu_unit, "cores", "1", 0.001, 1e6,
             "Cores of one unit of `cpu`, to thousandths: 0.01 if 100 is a core, 0.001 for thousandths of a "
             "core, 64 for shares of a host of 64 cores."),
    HC_PARAM(REAL, options, gpu_unit, "GPUs", "1", 0.001, 1e6,
             "GPUs of one unit of `gpu`, to thousandths: 0.001 if 1000 is a GPU."),
    HC_PARAM(SIZE, options, disk_unit, "B", "1", 1, 1125899906842624.0,
             "Bytes of one unit of `disk`, for fields that are numbers."),
    HC_PARAM(CHOICE, options, amounts_of, "host|task", "host",
             "Whose amounts cpu, memory, disk, gpu and other are. host: those of each host of a task. task: "
             "those of all hosts of a task together; each host has an equal part, rounded up."),
    HC_PARAM(
        BOOL, options, spread, "false",
        "Whether each slot of a task is on another host. false: several of its slots may be on one host."),
    HC_PARAM(CHOICE, options, after_how, "ended|completed|failed|started", "ended",
             "What must have happened to the tasks in `after`. ended: they ended in any way. completed: they "
             "ran to their end. failed: they ended otherwise. started: they started."),
    HC_PARAM(INT, options, procs_factor, "processors", "0", 0, 1e6,
             "Processors of one unit of `procs` and `procs_used`, such as 36 if they count nodes of 36 "
             "processors; without both columns, the processors of every task. 0: one, and one of the columns "
             "must be given."),
    HC_PARAM(TEXT, options, time_format, "seconds",
             "Format of submit, start and end. seconds: a number since an unknown origin. unix: a number "
             "since 1970. iso: 2024-01-31T09:30:00, with or without time, fraction and offset. Or a pattern "
             "of %Y %y %m %b %d %e %F %H %I %p %M %S %f %T %z."),
    HC_PARAM_AS(TEXT, "submit_format", options, formats[0], NULL,
                "Format of `submit`. Default: time_format."),
    HC_PARAM_AS(TEXT, "start_format", options, formats[1], NULL, "Format of `start`. Default: time_format."),
    HC_PARAM_AS(TEXT, "end_format", options, formats[2], NULL, "Format of `end`. Default: time_format."),
    HC_PARAM_AS(TEXT, "not_before_format", options, formats[3], NULL,
                "Format of `not_before`. Default: time_format."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6,
             "Unit of a time that is a number: 1s, 1ms, 1m, 1h. Durations may also be clock times (HH:MM:SS, "
             "D-HH:MM:SS) or have units (1h30m)."),
    HC_PARAM_AS(TIME, "wait_unit", options, units[0], "s", NULL, 1e-9, 1e6,
                "Unit of `wait`. Default: time_unit."),
    HC_PARAM_AS(TIME, "run_unit", options, units[1], "s", NULL, 1e-9, 1e6,
                "Unit of `run`. Default: time_unit."),
    HC_PARAM_AS(TIME, "limit_unit", options, units[2], "s", NULL, 1e-9, 1e6,
                "Unit of `limit`. Default: time_unit."),
    HC_PARAM(TEXT, options, zone, NULL,
             "Time zone of dates without an offset, such as Europe/Stockholm or +01:00. Default: UTC."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Time 0: a date or a Unix time; rows submitted before it are left out. Default: the begin of "
             "the day on which the first row was submitted."),
    HC_PARAM(SIZE, options, memory_unit, "B", "1", 1, 1125899906842624.0,
             "Bytes of one unit of memory, for fields that are numbers: 1KiB, 1MiB, 1GB. Fields may also "
             "have units (4GB)."),
    HC_PARAM(CHOICE, options, memory_of, "processor|task", "processor",
             "Whose memory memory_asked and memory_used are. processor: that of each processor of a task. "
             "task: that of all its processors together."),
    HC_PARAM(CHOICE, options, names, "auto|always", "auto",
             "Whether user, group, executable, queue and partition are names, which are numbered from 1 in "
             "order of first sight. auto: they are numbers if the first value of the column is a number, "
             "else names; a name among numbers gets a hash of it as its number. always: they are names, even "
             "if they look like numbers."),
    HC_PARAM(TEXTS, options, missing, "[\"\", \"-1\", \"NA\", \"N/A\", \"NULL\", \"null\", \"None\"]",
             "Texts of a field whose value is unknown."),
    HC_PARAM(TEXTS, options, completed,
             "[COMPLETED, COMPLETE, SUCCEEDED, SUCCESS, PASS, FINISHED, DONE, \"1\"]",
             "Words of `status` for tasks that ended well, in upper or lower case; a word may be followed by "
             "further text (\"CANCELLED by 7\"). A word in no list means an unknown status."),
    HC_PARAM(TEXTS, options, failed, "[FAILED, FAIL, ERROR, TIMEOUT, NODE_FAIL, OUT_OF_MEMORY, \"0\"]",
             "Words of `status` for tasks that failed, or that the system ended."),
    HC_PARAM(TEXTS, options, cancelled, "[CANCELLED, CANCELED, KILLED, \"5\"]",
             "Words of `status` for tasks that their users withdrew or killed."),
    {.name = NULL},
};

const hc_reader_type hc_reader_csv = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "csv",
         .summary = "any table of jobs, whose columns are given as parameters",
         .detail =
             "If no column is given, the columns whose titles are names of these parameters are taken. "
             "Values that no column has are derived if they follow from others. Columns must say when tasks "
             "were submitted, how long they ran, and how many processors, cores or hosts they had. With cpu, "
             "memory, disk, gpu, other or hosts a task asks for hosts (one, if no column says how many) with "
             "these amounts on each; amounts are rounded up to thousandths of a core or GPU and to bytes, "
             "and rounded amounts are counted. Without procs such a task has cores x hosts processors. A row "
             "is malformed if a field cannot be read as its column requires, if it ends before it starts, or "
             "if it has more fields than the header; it is counted and left out, or an error under `strict`. "
             "Such a table does not contain the size of the machine: set `cell` or --procs.",
         .source = "RFC 4180", .params = params, .options_size = sizeof(options)},
    .open = csv_open,
    .next = csv_next,
    .info = csv_info,
    .visit = csv_visit,
    .progress = csv_progress,
    .close = csv_close,
    .recognise = csv_recognise,
    .line_key = hc_table_line_key,
    .line_begin = csv_line_begin,
    .line_end = hc_table_line_end,
    .refers = csv_refers,
};

/* ---- writing ---- */

/* A row must fit HC_OUT_ROOM. What has more loses the rest, and says so. */
#define AFTER_MOST 256
#define CONSTRAINTS_MOST 24
#define PREFERS_MOST 1024 /* characters */

typedef enum columns { COLUMNS_AUTO, COLUMNS_ALL, COLUMNS_BATCH } columns;

typedef struct writer_options {
  int after_how; /* index of hc_csv_hows */
  int columns;
} writer_options;

/* What only the columns of data centres say. */
#define DATA_CENTRE \
  (HC_FACT_BIT(JOB) | HC_FACT_BIT(NOT_BEFORE) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) | \
   HC_FACT_BIT(MEMORY) | HC_FACT_BIT(DISK) | HC_FACT_BIT(GPU) | HC_FACT_BIT(OTHER) | HC_FACT_BIT(BUNDLE))

struct hc_writer {
  hc_rows rows;
  const writer_options *o;
  uint32_t dimensions[HC_DIMENSIONS]; /* [dimension_count] those with names of their own */
  size_t dimension_count;
  uint64_t holds_other;   /* a bit for each of them */
  bool has_titles, batch; /* the title line is written; only columns of batch logs */
  bool has_prefers;
};

static void add_dimensions(hc_writer *w, hc_buffer *b)
{
  for (uint32_t d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) {
    const char *name = hc_lexicon_dimension_name(w->rows.context->lexicon, d);
    if (!name) continue;
    w->dimensions[w->dimension_count++] = d;
    w->holds_other |= UINT64_C(1) << d;
    hc_buffer_text(b, ",");
    hc_csv_field(b, name, strlen(name));
  }
}

/* Columns that are written: in order, with the other dimensions where 0 stands. */
static const uint8_t batch_columns[] = {
    HC_CSV_ID,          HC_CSV_SUBMIT,    HC_CSV_WAIT,       HC_CSV_RUN,
    HC_CSV_LIMIT,       HC_CSV_PROCS,     HC_CSV_PROCS_USED, HC_CSV_MEMORY_ASKED,
    HC_CSV_MEMORY_USED, HC_CSV_USER,      HC_CSV_GROUP,      HC_CSV_EXECUTABLE,
    HC_CSV_QUEUE,       HC_CSV_PARTITION, HC_CSV_STATUS,     HC_CSV_PRIORITY};
static const uint8_t more_columns[] = {HC_CSV_JOB,        HC_CSV_COUNT, HC_CSV_HOSTS,       HC_CSV_CPU,
                                       HC_CSV_MEMORY,     HC_CSV_DISK,  HC_CSV_GPU,         0,
                                       HC_CSV_NOT_BEFORE, HC_CSV_AFTER, HC_CSV_CONSTRAINTS, HC_CSV_LABEL,
                                       HC_CSV_JOB_LABEL};

/* Which columns there are is known when the first task is. */
static hc_rc write_titles(hc_writer *w, const hc_task_spec *first)
{
  hc_buffer b;
  hc_rc rc;
  w->has_titles = true;
  w->batch = w->o->columns == COLUMNS_BATCH;
  if (w->o->columns == COLUMNS_AUTO && first)
    w->batch = (hc_task_facts(first, w->rows.context->lexicon) & DATA_CENTRE) == 0 && first->more == 0 &&
               first->hosts < 0;
  hc_buffer_init(&b, w->rows.context->allocator);
  for (size_t i = 0; i < HC_ARRAY_LEN(batch_columns); i++)
    hc_buffer_printf(&b, "%s%s", i > 0 ? "," : "", hc_csv_names[batch_columns[i]]);
  for (size_t i = 0; !w->batch && i < HC_ARRAY_LEN(more_columns); i++) {
    if (more_columns[i] > 0) hc_buffer_printf(&b, ",%s", hc_csv_names[more_columns[i]]);
    else add_dimensions(w, &b);
  }
  w->has_prefers =
      !w->batch && first && (hc_task_facts(first, w->rows.context->lexicon) & HC_FACT_BIT(PREFERS)) != 0;
  if (w->has_prefers) hc_buffer_printf(&b, ",%s", hc_csv_names[HC_CSV_PREFERS]);
  hc_buffer_text(&b, "\n");
  rc = b.failed ? HC_ENOMEM : hc_out_add(&w->rows.out, b.data, b.size);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc writer_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->o = given;
  return 0;
}

/* ---- fields, each with the comma before it ---- */

static inline char *put_time(char *p, hc_time t)
{
  *p++ = ',';
  if (t == HC_UNKNOWN || t == HC_NEVER) return p;
  return t >= 0 && t % HC_SECOND == 0 ? hc_put_uint(p, (uint64_t)(t / HC_SECOND))
                                      : hc_put_parts(p, t, HC_SECOND);
}

static inline char *put_amount(char *p, int64_t n)
{
  *p++ = ',';
  return n < 0 ? p : hc_put_uint(p, (uint64_t)n);
}

/* By the reader's defaults: a column that begins with a number holds numbers, and names among them. */
static const char *const missing[] = {"-1", "NA", "N/A", "NULL", "null", "None", NULL};
static const hc_text_rules texts = {
    .separator = ',', .quotes = true, .joined = true, .or_numbers = true, .missing = missing};

static char *put_name(char *p, const hc_writer *w, hc_called kind, int64_t n, uint64_t *lost)
{
  return hc_put_called(hc_put_char(p, ','), &texts, w->rows.context, kind, n, lost);
}

static inline char *put_thousandths(char *p, int64_t n)
{
  *p++ = ',';
  return n < 0 ? p : hc_put_parts(p, n, 1000);
}

/* Predecessors, with blanks between them; those of another kind than the column's are lost. */
static char *put_after(char *p, const hc_writer *w, const hc_task_spec *t, const hc_task_extras *m,
                       uint64_t *lost)
{
  const uint32_t how = hc_csv_hows[w->o->after_how];
  size_t said = 0;
  for (size_t i = 0; i < m->after_count && said < AFTER_MOST; i++) {
    const hc_after *a = &m->after[i];
    const bool within = t->job >= 0;
    if (a->how != how || (within ? a->job != t->job || a->task < 0 : a->task != HC_UNKNOWN || a->job < 0))
      continue;
    if (said++ > 0) *p++ = ' ';
    p = hc_put_int(p, within ? a->task : a->job);
  }
  if (said == m->after_count) *lost &= ~HC_FACT_BIT(AFTER);
  return p;
}

/* All of them or none: half of a demand is another demand. Features come first of their alternatives:
 * behind a value they would be read as another value. */
static char *put_constraints(char *p, const hc_writer *w, const hc_task_extras *m, uint64_t *lost)
{
  char *const begin = p;
  size_t said = 0;
  if (m->constraint_count > CONSTRAINTS_MOST) return p;
  for (size_t i = 0; i < m->constraint_count; i++) {
    const uint32_t group = m->constraints[i].group;
    if (i > 0 && m->constraints[i - 1].group == group) continue;
    if (i > 0) p = hc_put_text(p, " & ");
    for (int features = 1; features >= 0 && p; features--)
      for (size_t j = i; j < m->constraint_count && m->constraints[j].group == group && p; j++)
        if ((m->constraints[j].compare == HC_PRESENT) == features) {
          if (said++ > i) p = hc_put_char(p, '|');
          p = hc_constraint_put(p, w->rows.context->lexicon, &m->constraints[j]);
        }
    if (!p) return begin;
  }
  *lost &= ~HC_FACT_BIT(CONSTRAINTS);
  return p;
}

static bool is_one_word(const char *text)
{
  return *text && text[strcspn(text, " \t;|,[]\"'\n\r")] == '\0';
}

/* All of them or none, with blanks between them: names that are one word each. */
static char *put_prefers(char *p, const hc_writer *w, const hc_task_extras *m, uint64_t *lost)
{
  char *const begin = p;
  for (size_t i = 0; i < m->prefer_count; i++) {
    const char *name = hc_lexicon_text(w->rows.context->lexicon, m->prefers[i]);
    if (!is_one_word(name) || (size_t)(p - begin) + strlen(name) + 1 > PREFERS_MOST) return begin;
    p = hc_put_text(i > 0 ? hc_put_char(p, ' ') : p, name);
  }
  *lost &= ~HC_FACT_BIT(PREFERS);
  return p;
}

/* What a task, or its job, is called. @return the end; NULL: that cannot be said, or it has no label */
static char *put_label(char *p, const hc_writer *w, uint32_t label, bool or_number, uint64_t fact,
                       uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  const char *text = label != 0 && l ? hc_lexicon_label_text(l, label, NULL) : NULL;
  hc_text_rules rules = texts;
  rules.or_numbers = or_number;
  char *end = text && (!or_number || text[0] != '#') ? hc_put_field(p, &rules, text) : NULL; /* no comment */
  if (end) *lost &= ~fact;
  return end;
}

/* In columns of their own beside the numbers, by which others may wait for them. */
static char *put_labels(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  char *end;
  p = hc_put_char(p, ',');
  end = put_label(p, w, t->label, false, HC_FACT_BIT(LABEL), lost);
  p = hc_put_char(end ? end : p, ',');
  end = put_label(p, w, t->job_label, false, HC_FACT_BIT(JOB_LABEL), lost);
  return end ? end : p;
}

static char *put_batch(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  char *called = w->batch && t->label != 0 ? put_label(p, w, t->label, true, HC_FACT_BIT(LABEL), lost) : NULL;
  if (called) p = called;
  else if (t->id >= 0) p = hc_put_uint(p, (uint64_t)t->id);
  p = put_time(put_time(put_time(put_time(p, t->submit), t->wait), t->run), t->limit);
  p = put_amount(put_amount(p, t->procs_asked), t->procs_used);
  p = put_amount(put_amount(p, t->memory_asked), t->memory_used);
  p = put_name(p, w, HC_CALLED_USER, t->user, lost);
  p = put_name(p, w, HC_CALLED_GROUP, t->group, lost);
  p = put_name(p, w, HC_CALLED_EXECUTABLE, t->executable, lost);
  p = put_name(p, w, HC_CALLED_QUEUE, t->queue, lost);
  p = put_name(p, w, HC_CALLED_PARTITION, t->partition, lost);
  p = hc_put_state(hc_put_char(p, ','), t, lost);
  return hc_put_int(hc_put_char(p, ','), t->priority);
}

static char *put_data_centre(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_task_extras *m = t->more ? hc_lexicon_more(w->rows.context->lexicon, t->more) : NULL;
  p = put_amount(p, t->job);
  p = put_amount(p, t->count > 1 ? (int64_t)t->count : -1);
  p = put_amount(p, t->hosts);
  p = put_thousandths(p, t->need[HC_DIM_CPU]);
  p = put_amount(put_amount(p, t->need[HC_DIM_MEMORY]), t->need[HC_DIM_DISK]);
  p = put_thousandths(p, t->need[HC_DIM_GPU]);
  for (size_t i = 0; i < w->dimension_count; i++)
    p = put_amount(p, hc_spec_need(t, w->rows.context->lexicon, w->dimensions[i]));
  p = hc_put_char(put_time(p, t->not_before), ',');
  if (m) p = put_after(p, w, t, m, lost);
  p = hc_put_char(p, ',');
  if (m) p = put_constraints(p, w, m, lost);
  p = put_labels(p, w, t, lost);
  if (w->has_prefers) p = hc_put_char(p, ',');
  if (w->has_prefers && m) p = put_prefers(p, w, m, lost);
  for (uint32_t d = HC_DIM_OTHER; d < (m ? HC_DIMENSIONS : HC_NEEDS); d++)
    if (hc_spec_need(t, w->rows.context->lexicon, d) != HC_UNKNOWN && !(w->holds_other >> d & 1))
      *lost |= HC_FACT_BIT(OTHER);
  return p;
}

static hc_rc writer_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  char *p;
  HC_UNUSED(e);
  if (!w->has_titles) TRY(write_titles(w, t));
  TRY(hc_out_row(&w->rows.out, &p));
  p = put_batch(p, w, t, lost);
  if (w->batch) *lost |= hc_task_facts(t, w->rows.context->lexicon) & DATA_CENTRE;
  else p = put_data_centre(p, w, t, lost);
  hc_out_end(&w->rows.out, hc_put_char(p, '\n'));
  return 0;
}

static hc_rc writer_finish(hc_writer *w, hc_error *e)
{
  HC_UNUSED(e);
  if (!w->has_titles) TRY(write_titles(w, NULL));
  return hc_out_flush(&w->rows.out);
}

static const hc_param writer_params[] = {
    HC_PARAM(CHOICE, writer_options, after_how, "ended|completed|failed|started", "ended",
             "Which predecessors the column `after` names, since a table has only one kind of them: the "
             "reader's after_how must have the same value. Predecessors of other kinds are lost. ended: "
             "those that must have ended. completed: those that must have completed. failed: those that must "
             "have failed. started: those that must have started."),
    HC_PARAM(CHOICE, writer_options, columns, "auto|all|batch", "auto",
             "Which columns are written. auto: those of batch, if the first task has no value in the others, "
             "else all; values of later tasks without a column are lost, and counted. all: all columns. "
             "batch: the columns up to `priority`."),
    {.name = NULL},
};

const hc_writer_type hc_writer_csv = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "csv",
         .summary = "a table with titles, whose columns are called like the parameters of the reader csv",
         .detail = "Times in seconds since the origin, amounts in bytes, cores and GPUs, all exact; unknown "
                   "values are empty. Each further dimension gets a column of its name (the reader's "
                   "`other`), if it is known when the first task is written. A bundle stays one row.",
         .source = "RFC 4180", .params = writer_params, .options_size = sizeof(writer_options)},
    .holds = (HC_HOLDS_BATCH & ~HC_FACT_BIT(CPU_TIME)) | HC_FACT_BIT(PRIORITY) | DATA_CENTRE,
    .ending = ".csv",
    .open = writer_open,
    .task = writer_task,
    .finish = writer_finish,
    .close = hc_rows_close,
};
