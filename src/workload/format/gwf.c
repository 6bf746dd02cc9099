/* gwf.c -- the Grid Workload Format of the Grid Workloads Archive, and OpenDC's short form of it.
 *
 * The standard: comments that begin with #, then rows of 29 columns separated by blanks, of which the first
 * 16 are those of the Standard Workload Format with the same meaning. -1 is unknown. Jobs, users, groups,
 * programs, queues and partitions may be named instead of numbered; names become numbers in order of first
 * sight, and a job with a name has the number of its row. Times of submission that are too large to be
 * counted from anywhere else are taken as Unix times, whose origin is then the begin of the first one's day.
 *
 * The short form: a header of titles and rows with commas, WorkflowID, JobID, SubmitTime, RunTime, NProcs,
 * ReqNProcs, Dependencies. The workflow becomes the task's group, so that tables by group are tables by
 * workflow. A task is submitted when the row says, whatever it depends on; the last of its dependencies is
 * kept as `preceding`. With `dependencies: honour` the workflow is its job, too, and it waits there until
 * those tasks of its workflow have ended that it depends on; without a workflow every task is a job of its
 * own.
 *
 * Sites, network, disk, platform and the structure of composite jobs (columns 17 to 29) are not used. Written
 * is the standard: of these the disk space asked for (column 26, KB of 1024 bytes) alone, and every task is
 * UNITARY. Times count from the trace's own origin, which a comment names. A task that has no number of
 * processors but a vector gets whole cores for it. A bundle becomes as many lines. Source: Iosup et al., "The
 * Grid Workloads Archive", FGCS 24(7), 2008, doi:10.1016/j.future.2008.02.003. Cost: about 0.5 us a row read,
 * 150 ns written. */
#include "base/state.h"
#include "table/pen.h"
#include "table/sheet.h"
#include "workload/ledger.h"

#define UNIX_FROM (500000000 * HC_SECOND) /* sixteen years: no log lasts as long, and none is as old */

enum { AUTO, STANDARD, OPENDC };
enum { IGNORE, HONOUR };
enum { SUBMIT_AUTO, SUBMIT_RELATIVE, SUBMIT_UNIX };

typedef struct options {
  hc_sheet_options common;
  int dialect, submit, dependencies;
} options;

typedef struct own {
  hc_after *after; /* of the row at hand */
  size_t after_cap;
  struct {
    uint64_t decided, is_unix; /* what the first time of submission said */
  } s;
} own;

#define LENGTH HC_IS(LENGTH), .wrong = "no number that this can be", .flags = HC_EXACT
#define KB HC_AMOUNT(1024), .wrong = "no number that this can be", .flags = HC_EXACT
#define PROCS HC_AMOUNT(1), .wrong = "no number that this can be", .flags = HC_EXACT
#define NUMBERED HC_IS(NAME), .flags = HC_OR_NUMBERS
#define UNUSED .text = "-1"

static const hc_column standard[] = {
    {"JobID", HC_TO(ID), HC_WHOLE(0, 0), .flags = HC_OR_ROW},
    {"SubmitTime", HC_TO(SUBMIT), LENGTH},
    {"WaitTime", HC_TO(WAIT), LENGTH},
    {"RunTime", HC_TO(RUN), LENGTH},
    {"NProcs", HC_TO(PROCS_USED), PROCS},
    {"AverageCPUTimeUsed", HC_TO(CPU_TIME), LENGTH},
    {"UsedMemory", HC_TO(MEMORY_USED), KB},
    {"ReqNProcs", HC_TO(PROCS_ASKED), PROCS},
    {"ReqTime", HC_TO(LIMIT), LENGTH},
    {"ReqMemory", HC_TO(MEMORY_ASKED), KB},
    {"Status", HC_TO(STATUS), HC_WHOLE(INT32_MIN, INT32_MAX), .wrong = "no number that this can be"},
    {"UserID", HC_TO(USER), NUMBERED},
    {"GroupID", HC_TO(GROUP), NUMBERED},
    {"ExecutableID", HC_TO(EXECUTABLE), NUMBERED},
    {"QueueID", HC_TO(QUEUE), NUMBERED},
    {"PartitionID", HC_TO(PARTITION), NUMBERED},
    {"OrigSiteID", UNUSED},
    {"LastRunSiteID", UNUSED},
    {"JobStructure", .text = "UNITARY"},
    {"JobStructureParams", UNUSED},
    {"UsedNetwork", UNUSED},
    {"UsedLocalDiskSpace", UNUSED},
    {"UsedResources", UNUSED},
    {"ReqPlatform", UNUSED},
    {"ReqNetwork", UNUSED},
    {"ReqLocalDiskSpace", HC_TO(DISK), HC_AMOUNT(1024), .flags = HC_EXACT | HC_WRITE_ONLY},
    {"ReqResources", UNUSED},
    {"VOID", UNUSED},
    {"ProjectID", UNUSED}};

enum { JOB, SUBMIT, RUN, USED, ASKED, DEPENDENCIES = 16 };

static const hc_column opendc[] = {
    [JOB] = {"JobID", HC_TO(ID), HC_WHOLE(0, 0), .flags = HC_OR_ROW},
    [SUBMIT] = {"SubmitTime", HC_TO(SUBMIT), LENGTH | HC_TELLING},
    [RUN] = {"RunTime", HC_TO(RUN), LENGTH},
    [USED] = {"NProcs", HC_TO(PROCS_USED), PROCS},
    [ASKED] = {"ReqNProcs", HC_TO(PROCS_ASKED), PROCS},
    {"WaitTime", HC_TO(WAIT), LENGTH},
    {"AverageCPUTimeUsed", HC_TO(CPU_TIME), LENGTH},
    {"UsedMemory", HC_TO(MEMORY_USED), KB},
    {"ReqTime", HC_TO(LIMIT), LENGTH},
    {"ReqMemory", HC_TO(MEMORY_ASKED), KB},
    {"Status", HC_TO(STATUS), HC_WHOLE(INT32_MIN, INT32_MAX), .wrong = "no number that this can be"},
    {"UserID", HC_TO(USER), NUMBERED},
    {"WorkflowID", HC_TO(GROUP), NUMBERED},
    {"ExecutableID", HC_TO(EXECUTABLE), NUMBERED},
    {"QueueID", HC_TO(QUEUE), NUMBERED},
    {"PartitionID", HC_TO(PARTITION), NUMBERED},
    [DEPENDENCIES] = {"Dependencies", .note = "preceding: the last of its numbers"}};

static const hc_table_form forms[] = {
    HC_FORM("Grid Workload Format", standard, ' ', .fixed = true, .longer = true),
    HC_FORM("Grid Workload Format", opendc, ',', .titles = HC_TITLES_ALWAYS, .shorter = true)};

static const options *options_of(const hc_sheet *s)
{
  return (const options *)(const void *)s->o;
}

/* ---- reading ---- */

static void pick(const void *given, size_t *first, size_t *count)
{
  const options *o = given;
  *first = o->dialect == OPENDC;
  *count = o->dialect == AUTO ? 2 : 1;
}

static hc_rc opened(hc_sheet *s, hc_error *e)
{
  if (options_of(s)->dependencies == IGNORE || s->context->lexicon) return 0;
  return hc_fail(e, HC_EUNSUPPORTED, "source gwf", 0, 0,
                 "there is no lexicon to keep which task waits for which: ignore dependencies");
}

static void closed(hc_sheet *s)
{
  own *w = s->own;
  if (w && w->after) hc_free(s->context->allocator, w->after, w->after_cap * sizeof *w->after);
}

static hc_rc visit(hc_sheet *s, hc_visitor *v, hc_error *e)
{
  HC_UNUSED(e);
  return hc_visit_bytes(v, &((own *)s->own)->s, sizeof((own *)s->own)->s);
}

static hc_rc check_titles(hc_sheet *s, hc_error *e)
{
  const uint64_t *at = s->s.at;
  if (s->form->columns == standard || (at[SUBMIT] && at[RUN] && (at[USED] || at[ASKED]))) return 0;
  if (!at[SUBMIT])
    return hc_fail(
        e, HC_EINPUT, s->in.name, hc_line_number(s->in.s.line), 0,
        "the short form begins with a header: WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, "
        "Dependencies");
  return hc_fail(
      e, HC_EINPUT, s->in.name, hc_line_number(s->in.s.line), 0,
      "this header lacks %s, which the short form of a Grid Workload Format needs; the reader csv takes any "
      "columns",
      !at[RUN] ? "RunTime" : "NProcs or ReqNProcs");
}

/* The last of several numbers with blanks between them. */
static int64_t last_number(const hc_field *f)
{
  hc_field last = *f;
  int64_t n = -1;
  while (last.length > 0 && last.text[last.length - 1] != ' ') last.length--;
  last.text = f->text + last.length;
  last.length = f->length - last.length;
  return hc_field_whole(&last, &n) ? n : -1;
}

/* Which tasks it waits for: the last thing that is read of a row. */
static hc_rc read_dependencies(hc_sheet *s, hc_task_spec *t)
{
  own *w = s->own;
  hc_task_extras more = hc_task_extras_none();
  const hc_field *f = hc_sheet_field(s, DEPENDENCIES), *id = hc_sheet_field(s, JOB);
  if (f) t->preceding = last_number(f);
  if (options_of(s)->dependencies == IGNORE) return 1;
  if (id) t->id = hc_name_number(id->text, id->length);
  t->job = t->group >= 0 ? t->group : t->id;
  for (size_t i = 0; f && i < f->length;) {
    size_t end = i;
    while (end < f->length && f->text[end] != ' ' && f->text[end] != ';') end++;
    if (end > i) {
      const int64_t number = hc_name_number(f->text + i, end - i);
      TRY(hc_reserve(s->context->allocator, (void **)&w->after, &w->after_cap, more.after_count + 1,
                     sizeof *w->after));
      w->after[more.after_count++] = (hc_after){.job = t->group >= 0 ? t->group : number,
                                                .task = t->group >= 0 ? number : HC_UNKNOWN,
                                                .how = HC_AFTER_ENDED};
    }
    i = end + 1;
  }
  more.after = w->after;
  return more.after_count > 0 ? hc_sheet_keep(s, t, &more) : 1;
}

static hc_rc read_job(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  own *w = s->own;
  const int submit = options_of(s)->submit;
  if (t->submit != HC_UNKNOWN) {
    if (!w->s.decided) {
      w->s.decided = 1;
      w->s.is_unix = submit == SUBMIT_UNIX || (submit == SUBMIT_AUTO && t->submit >= UNIX_FROM);
    }
    const hc_rc rc = w->s.is_unix ? hc_delimited_since_origin(&s->in, s->context, &t->submit, e) : 1;
    if (rc != 1) return rc;
  }
  return s->form->columns == opendc ? read_dependencies(s, t) : 1;
}

static hc_refers refers(const hc_sheet *s)
{
  return options_of(s)->dependencies == HONOUR ? HC_REFERS_ANY : HC_REFERS_NONE;
}

static bool holds(const char *text, size_t n, const char *word)
{
  const size_t m = strlen(word);
  for (size_t i = 0; i + m <= n; i++)
    if (memcmp(text + i, word, m) == 0) return true;
  return false;
}

/* By the titles of its header, in a comment or not, or by a first row of just 29 fields. A name alone scores
 * less. */
static int recognise(const char *name, const char *head, size_t size, const hc_field *first, size_t count)
{
  const int named = hc_delimited_is_called(name, ".gwf") ? 40 : 0;
  bool is_comment = true;
  for (size_t at = 0; at < size && is_comment;) {
    const char *line = head + at, *end = memchr(line, '\n', size - at);
    const size_t n = end ? (size_t)(end - line) : size - at;
    if (holds(line, n, "JobID") && holds(line, n, "SubmitTime") && holds(line, n, "RunTime") &&
        holds(line, n, "NProcs"))
      return 97;
    is_comment = n == 0 || line[0] == '#' || line[0] == '\r';
    at += n + 1;
  }
  if (count != HC_ARRAY_LEN(standard)) return named;
  for (int i = 1; i < 4; i += 2) { /* two times */
    hc_time t;
    if (!hc_field_is(&first[i], "-1") && !hc_field_duration(&first[i], HC_SECOND, &t)) return named;
  }
  return 96;
}

/* ---- writing ---- */

static void put_fact(hc_buffer *b, const char *key, const char *value)
{
  if (!value || !value[0]) return;
  hc_buffer_printf(b, "# %s: ", key);
  for (; *value; value++) hc_buffer_add(b, *value == '\n' || *value == '\r' ? " " : value, 1);
  hc_buffer_text(b, "\n");
}

static void put_count(hc_buffer *b, const char *key, int64_t n, bool said)
{
  if (said) hc_buffer_printf(b, "# %s: %lld\n", key, (long long)n);
}

static hc_rc put_head(hc_pen *w, hc_buffer *b, hc_error *e)
{
  const hc_trace_info *i = w->rows.context->info;
  HC_UNUSED(e);
  if (i) {
    put_fact(b, "Computer", i->computer);
    put_fact(b, "Installation", i->installation);
    put_fact(b, "Acknowledge", i->acknowledge);
    put_count(b, "UnixStartTime", i->unix_start, i->unix_start != HC_UNKNOWN);
    put_count(b, "MaxProcs", i->processors, i->processors > 0);
    put_count(b, "MaxNodes", i->nodes, i->nodes > 0);
  }
  put_fact(b, "Note", w->rows.context->note);
  hc_buffer_text(b, "# ");
  hc_form_titles(w->form, b);
  hc_buffer_text(b, "\n");
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {.name = "gwf",
                                       .forms = forms,
                                       .form_count = 2,
                                       .missing = {"-1", "-1.0"},
                                       .recognise = recognise,
                                       .own_size = sizeof(own),
                                       .opened = opened,
                                       .closed = closed,
                                       .visit = visit,
                                       .refers = refers,
                                       .pick = pick,
                                       .bound = check_titles,
                                       .row = read_job,
                                       .rows = HC_ROW_OF_A_BUNDLE,
                                       .none = "-1",
                                       .says = HC_FACT_BIT(BUNDLE),
                                       .begun = put_head};

static const hc_param params[] = {
    HC_PARAM_AS(FILE, "file", options, common.file, NULL,
                "Path of the trace, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, dialect, "auto|standard|opendc", "auto",
             "Form of the file. standard: 29 columns between blanks. opendc: a header of titles, and commas. "
             "auto: opendc if the first line has the title SubmitTime between commas, else standard."),
    HC_PARAM(
        CHOICE, options, submit, "auto|relative|unix", "auto",
        "Origin of the times of submission. relative: unknown. unix: 1970; time 0 is then the begin of the "
        "day of the first submission, in UTC. auto: unix if the first submission is past 500,000,000 s."),
    HC_PARAM(CHOICE, options, dependencies, "ignore|honour", "ignore",
             "Dependencies in the short form. ignore: a task may start when it is submitted. honour: a task "
             "waits until the tasks of its workflow that are listed in Dependencies have ended in any way; "
             "names of jobs are then replaced by numbers made from them."),
    HC_PARAM_AS(TIME, "time_unit", options, common.time_unit, "s", "1s", 1e-9, 1e6,
                "What one unit of the time fields is; the standard says a second."),
    HC_PARAM_AS(TEXT, "origin", options, common.origin, NULL,
                "Date (UTC) or Unix time of time 0. With Unix times, rows submitted before it are left out; "
                "with other times it changes no time of a task. Default: as `submit` says."),
    {.name = NULL},
};

HC_TABLE_READER(
    gwf, format, options, params,
    .summary = "Grid Workload Format of the Grid Workloads Archive, and OpenDC's short form",
    .detail =
        "-1 is an unknown value. A job with a name instead of a number gets the number of its row. Memory is "
        "per processor. In the short form dependencies delay tasks only with `dependencies: honour`.",
    .source = "Iosup et al., \"The Grid Workloads Archive\", FGCS 24(7), 2008, "
              "doi:10.1016/j.future.2008.02.003");

HC_TABLE_WRITER(gwf, format, standard, ' ', ".gwf",
                .summary = "Grid Workload Format of the Grid Workloads Archive",
                .detail = "The standard form, with times from the trace's origin. A task with a vector of "
                          "amounts instead of processors gets ceil(cores) processors for each of its hosts. "
                          "A bundle becomes a line for each of its tasks.",
                .source = "doi:10.1016/j.future.2008.02.003");
