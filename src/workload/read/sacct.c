/* sacct.c -- Slurm's accounting records as `sacct --parsable2` prints them, read.
 *
 * Which columns there are and in which order is up to the call of sacct, so the header is read; a file
 * without one needs `fields` or `layout`, unless its first row fits the columns that XDMoD asks for. What the
 * fields hold is in workload/slurm_text.c, what a row means in slurm_row.c, how rows become tasks in
 * slurm_log.c. Jobs of records without JobID are numbered by row.
 *
 * Users, accounts, partitions, QOS and job names become numbers from 1 in order of first sight; results say
 * Slurm's words for these columns.
 *
 * Source: https://slurm.schedmd.com/sacct.html. Cost: about 1.5 us a row read. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/line_table.h"
#include "workload/slurm_log.h"

#define LONGEST_HEADER ((size_t)2048)

typedef enum layout { LAYOUT_HEADER, LAYOUT_XDMOD } layout;

/* The order in which XDMoD's shredder asks for them. */
static const char xdmod_columns[] =
    "JobID|JobIDRaw|Cluster|Partition|QOS|Account|Group|GID|User|UID|Submit|Eligible|Start|End|Elapsed|"
    "ExitCode|State|NNodes|NCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit|NodeList|JobName";

typedef struct options {
  hc_slurm_log_options common;
  hc_list fields; /* const char * */
  int layout;
} options;

struct hc_source {
  hc_slurm_log log; /* first */
  const options *o;
};

/* ---- the header ---- */

/* Which column is where, as the first line says, or the options; none if nothing does. */
static void find_columns(const options *o, const char *line, size_t length, hc_slurm_columns *out,
                         bool *is_row)
{
  hc_field fields[HC_SLURM_FIELDS];
  const char *const *words = o->fields.items, separator = hc_slurm_separator(line, length);
  size_t n = HC_MIN(hc_slurm_cut(line, length, separator, fields), HC_SLURM_FIELDS);
  *is_row = !hc_slurm_is_heading(fields, n) && hc_slurm_named(fields, n, false) < HC_SLURM_NAMES_A_HEADER;
  if (o->fields.count > 0) {
    n = HC_MIN(o->fields.count, HC_SLURM_FIELDS);
    for (size_t i = 0; i < n; i++) fields[i] = (hc_field){.text = words[i], .length = strlen(words[i])};
  } else if (*is_row) {
    const bool xdmod = o->layout == LAYOUT_XDMOD || hc_slurm_fits_xdmod(fields, n, separator);
    n = xdmod ? hc_slurm_cut(xdmod_columns, sizeof xdmod_columns - 1, '|', fields) : 0;
  }
  hc_slurm_find_columns(fields, n, separator, out);
}

/* Policies see an account as a group, a QOS as a queue and a job's name as its program: results say Slurm's
 * words. A file without accounts has Unix groups. */
static void say_titles(const hc_source *s)
{
  static const struct {
    hc_slurm_column column;
    hc_called kind;
    const char *word;
  } titles[] = {{HC_SLURM_ACCOUNT, HC_CALLED_GROUP, "account"},
                {HC_SLURM_QOS, HC_CALLED_QUEUE, "qos"},
                {HC_SLURM_JOB_NAME, HC_CALLED_EXECUTABLE, "job_name"}};
  for (size_t i = 0; s->log.context->lexicon && i < HC_ARRAY_LEN(titles); i++)
    if (s->log.how.columns.at[titles[i].column] >= 0)
      (void)hc_lexicon_title(s->log.context->lexicon, titles[i].kind, titles[i].word);
}

static hc_rc check_columns(const hc_source *s, hc_error *e)
{
  const char *missing = hc_slurm_missing_column(&s->log.how.columns, s->log.how.units);
  say_titles(s);
  if (!missing) return 0;
  return hc_fail(e, HC_EINPUT, s->log.name, 1, 0,
                 "there is no column %s: ask sacct for at least "
                 "--format=JobID,Submit,Start,End,State,NCPUS,NNodes,Timelimit%s%s",
                 missing, s->o->fields.count ? ", and name all that it printed in `fields`" : "",
                 s->o->fields.count
                     ? ""
                     : "; a table that has less is read by `use: csv`, which is told what its columns are");
}

static hc_rc no_table(const hc_source *s, hc_error *e)
{
  return hc_fail(
      e, HC_EINPUT, s->log.name, 1, 0,
      "the first line has no separator (| ; , or a tab): sacct's table for people is cut to its column "
      "widths; print the records with `sacct --parsable2`");
}

/* Learn which column is where. `*is_row`: the first line is a row already. */
static hc_rc take_header(hc_source *s, const char *line, bool *is_row, hc_error *e)
{
  find_columns(s->o, line, strlen(line), &s->log.how.columns, is_row);
  if (s->log.how.columns.separator == '\0') return no_table(s, e);
  if (s->log.how.columns.count == 0)
    return hc_fail(
        e, HC_EINPUT, s->log.name, 1, 0,
        "the first line does not name the columns (there is no JobID): leave out sacct's --noheader, or "
        "name them in order in `fields`; `layout: xdmod` if XDMoD asked for them");
  return check_columns(s, e);
}

/* Excel and others begin a file with a mark. @return its size */
static size_t mark_of(const char *line, size_t n)
{
  return n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* ---- reading ---- */

static hc_rc sacct_read(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  hc_slurm_cells cells;
  char *line;
  size_t n;
  bool is_row = true;
  const hc_rc rc = hc_slurm_log_line(l, &line, &n, e);
  if (rc <= 0) return rc < 0 ? rc : hc_slurm_log_end(l, e);
  if (!l->s.begun) TRY(take_header(s, line, &is_row, e));
  l->s.begun = true;
  if (!is_row) return 0;
  const uint64_t number = hc_input_lines(l->in);
  if (!hc_slurm_cut_row(&l->how.columns, line, n, &cells))
    return hc_slurm_log_malformed(l, line, number, 0, e);
  cells.row = hc_slurm_log_number(l);
  return hc_slurm_log_row(l, &cells, number, false, e);
}

static const hc_slurm_log_type sacct_log = {
    .who = "source sacct",
    .empty = "what `sacct --parsable2` printed",
    .advice =
        "no line is a job as the columns say: this field, or the number of fields, is not what it should "
        "be; check `fields` and the separator",
    .separator = '_',
    .read = sacct_read};

/* ---- the reader ---- */

static void sacct_close(hc_source *s)
{
  hc_slurm_log_close(s, sizeof *s);
}

static hc_rc sacct_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  if (o->common.file && o->common.file[0] && o->fields.count > 0 && o->layout != LAYOUT_HEADER)
    return hc_fail(e, HC_EUSAGE, "source sacct", 0, 0,
                   "`fields` and `layout` both say what the columns are: give one");
  TRY(hc_slurm_log_open(&sacct_log, c, o, sizeof **out, true, out, e));
  (*out)->o = o;
  return 0;
}

/* ---- state ---- */

/* Where reading stood the columns must be known. */
static hc_rc sacct_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  while (hc_visit_loading(v) && !l->s.begun) {
    char *line;
    size_t n;
    bool is_row;
    const hc_rc rc = hc_slurm_log_line(l, &line, &n, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
    TRY(take_header(s, line, &is_row, e));
    break;
  }
  return hc_slurm_log_visit(s, v, e);
}

/* ---- recognising ---- */

/* By its first line. */
static int sacct_recognise(const char *name, const char *head, size_t size)
{
  const char *end = memchr(head, '\n', size);
  size_t n = end ? (size_t)(end - head) : size;
  HC_UNUSED(name);
  if (n == 0 || n >= LONGEST_HEADER) return 0;
  const size_t mark = mark_of(head, n);
  return hc_slurm_likely(head + mark, n - mark);
}

/* ---- sorting lines ---- */

static bool line_time(const hc_field *f, const hc_zone *zone, hc_time *out)
{
  int64_t seconds;
  return hc_slurm_time((hc_slice){f->text, f->length}, zone, INT64_MIN, &seconds) == HC_SLURM_VALUE &&
         !__builtin_mul_overflow(seconds, HC_SECOND, out);
}

static int64_t line_number(const hc_field *f)
{
  hc_slurm_id job;
  return hc_slurm_job((hc_slice){f->text, f->length}, &job) ? job.job : -1;
}

static hc_rc sacct_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                              void **made, hc_error *e)
{
  const options *o = given;
  hc_line_table t = {.allocator = a, .time = line_time, .number = line_number};
  hc_slurm_columns columns;
  bool is_row = true;
  const char *end = memchr(text, '\n', size);
  const size_t n = end ? (size_t)(end - text) : size, mark = mark_of(text, n);
  find_columns(o, text + mark, n - mark, &columns, &is_row);
  t.lexer = (hc_lexer){columns.separator, columns.separator != '|', true};
  t.submit = (size_t)(columns.at[HC_SLURM_SUBMIT] + 1);
  t.id = (size_t)(columns.at[HC_SLURM_JOB_ID] + 1);
  if (t.submit == 0)
    return hc_fail(
        e, HC_EINPUT, "source sacct", 0, 0,
        "no column is called Submit in the first line: leave out sacct's --noheader, or name the columns in "
        "`fields`");
  return hc_line_table_make(&t, text, is_row ? 0 : HC_MIN(n + 1, size), o->common.zone, made, e);
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options, "Path of the records, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_PARAM(
        CHOICE, options, layout, "header|xdmod", "header",
        "Where the columns are named. header: in the first line, or in `fields`; a first line that is a "
        "row of XDMoD's 26 columns is known as such. xdmod: nowhere; they are the 26 that XDMoD asks for."),
    HC_PARAM(TEXTS, options, fields, NULL,
             "Names of the columns in their order, as given to sacct's --format: for records without a "
             "header, or with one of other names."),
    HC_SLURM_LOG_UNITS(options, "NCPUS and ReqCPUS", "NNodes and ReqNodes"),
    HC_SLURM_LOG_DEMAND(options, " (AllocTRES, ReqTRES, AllocGRES or ReqGRES)"),
    HC_SLURM_LOG_WAIT(options, "dependencies, --begin, holds and array throttles are over"),
    HC_SLURM_LOG_RUN(options, "without the time it was suspended"),
    HC_SLURM_LOG_REQUEUES(options, ", as sacct -D prints"),
    HC_PARAM_AS(TIME, "partition_limit", options, common.partition_limit, "s", NULL, 1, 1e9,
                "The limit of jobs whose Timelimit is Partition_Limit. Default: no limit."),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_sacct = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "sacct",
         .summary = "Slurm accounting records, as sacct --parsable2 prints them",
         .detail =
             "Columns are found by name, in any order, between | ; , or tabs. Required are Submit, Start and "
             "End or Elapsed, and NCPUS, ReqCPUS or AllocTRES. Jobs without JobID are numbered by row. Time "
             "counts from the earliest Submit. Users, accounts (as groups), partitions, QOS (as queues) and "
             "job names (as executables) become numbers from 1 in order of first sight. Steps are merged "
             "into their jobs; the memory that a job used is TRESUsageInTot of its steps, or else MaxRSS of "
             "the largest step x its NTasks. Eligible gives the part of the wait in which the job was held. "
             "A pending array such as 7_[1-10%2] becomes a row for each of its tasks. Reservation, TimeMin "
             "and ReqSwitches, also as options in SubmitLine, and --exclusive in SubmitLine are terms that "
             "the policy slurm observes; a Partition of several, a,b, binds a job to the nodes of both. "
             "Components of a heterogeneous job, 12+0 and 12+1, are tasks of one job, 12, which that policy "
             "starts together. A job without an end is still_running. A job that never started is never_ran, "
             "and waited until its End. If the start is before the submission the wait is unknown. "
             "CANCELLED, PREEMPTED and REVOKED are cancelled; TIMEOUT, OUT_OF_MEMORY, NODE_FAIL, BOOT_FAIL "
             "and DEADLINE are failed; REQUEUED and RESIZING are partial. UNLIMITED is no limit. ReqMem is "
             "divided among the processors asked for, without a flag of 2^31 MB that some versions add. GPUs "
             "count under `demand: nodes`. Licences, node lists and dependencies are ignored.",
         .source = "https://slurm.schedmd.com/sacct.html", .params = params, .options_size = sizeof(options)},
    .open = sacct_open,
    .next = hc_slurm_log_next,
    .info = hc_slurm_log_info,
    .visit = sacct_visit,
    .progress = hc_slurm_log_progress,
    .close = sacct_close,
    .recognise = sacct_recognise,
    .line_key = hc_table_line_key,
    .line_begin = sacct_line_begin,
    .line_end = hc_table_line_end,
};
