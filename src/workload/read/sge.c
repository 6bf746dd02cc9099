/* sge.c -- the accounting file of Grid Engine: Sun's, Univa's (UGE), Son of, Open Grid Scheduler.
 *
 * A line is a job that ended, or a task of an array, of at least 42 fields between colons, in a fixed order;
 * versions append more. Lines that begin with # are comments. Times are Unix seconds, in UGE from 8.2 on
 * milliseconds, which are told by their size and rounded down. What a job asked for stands in `category`,
 * the options of qsub: h_rt (else s_rt) is its limit, h_vmem (else mem_free) memory of each slot.
 *
 * `failed` says what Grid Engine knows of an end: 0 nothing, 37 that h_rt was enforced, 24 and 25 that the
 * job was put back; 100 that it ended by a signal, which is a timeout if it ran for its limit. UGE says
 * whether it was deleted (qdel_info). A job without a start (0) never started. Tasks of parallel jobs that
 * have lines of their own (pe_taskid) are steps.
 *
 * Projects, or Unix groups where there are none, are groups. Does not know on how many hosts a job ran, nor
 * what waits or runs. Source: accounting(5) of Sun Grid Engine 6.2 and of Univa Grid Engine. Cost: about 1.5
 * us a line. */
#include <string.h>

#include "base/util.h"
#include "workload/slurm_log.h"

typedef struct options {
  hc_slurm_log_options common;
} options;

struct hc_source {
  hc_slurm_log log; /* first */
};

/* Places in a line. */
enum {
  QNAME,
  HOSTNAME,
  GROUP,
  OWNER,
  JOB_NAME,
  JOB_NUMBER,
  ACCOUNT,
  PRIORITY,
  SUBMISSION,
  START,
  END,
  FAILED,
  EXIT_STATUS,
  WALLCLOCK,
  PROJECT = 31,
  SLOTS = 34,
  TASK_NUMBER = 35,
  CPU = 36,
  CATEGORY = 39,
  PE_TASKID = 41,
  LEAST_FIELDS = 42,
  QDEL_INFO = 46,
  MOST_FIELDS = 64
};

/* A line as it is looked at. */
typedef struct record {
  hc_slurm_cells cells;
  hc_field fields[MOST_FIELDS];
  size_t count;
  const hc_field *bad; /* the first that is not what it should be */
} record;

static hc_slice slice_of(const record *r, size_t i)
{
  return i < r->count ? (hc_slice){r->fields[i].text, r->fields[i].length} : (hc_slice){0};
}

static bool is_none(hc_slice v)
{
  return v.n == 0 || hc_slurm_is(v, "NONE");
}

/* A whole number of seconds in a decimal, rounded to the nearest; -1 if it is none. */
static int64_t seconds_in(record *r, size_t i)
{
  hc_time t;
  if (hc_field_duration(&r->fields[i], HC_SECOND, &t)) return (t + HC_SECOND / 2) / HC_SECOND;
  if (!r->bad && r->fields[i].length > 0 && r->fields[i].text[0] != '-') r->bad = &r->fields[i];
  return -1;
}

static int64_t time_in(record *r, size_t i)
{
  int64_t n = -1;
  if (hc_field_whole(&r->fields[i], &n) && n >= 0) return n > INT64_C(100000000000) ? n / 1000 : n;
  if (!r->bad) r->bad = &r->fields[i];
  return -1;
}

/* What stands behind "NAME=" in the options of qsub, up to a comma or a blank. */
static hc_slice asked_for(const record *r, const char *name)
{
  const hc_slice v = slice_of(r, CATEGORY);
  const size_t n = strlen(name);
  for (size_t i = 0; i + n < v.n; i++) {
    if (v.s[i + n] != '=' || memcmp(v.s + i, name, n) != 0) continue;
    if (i > 0 && v.s[i - 1] != ',' && v.s[i - 1] != ' ') continue;
    size_t end = i + n + 1;
    while (end < v.n && v.s[end] != ',' && v.s[end] != ' ') end++;
    return (hc_slice){v.s + i + n + 1, end - i - n - 1};
  }
  return (hc_slice){v.s, 0};
}

static hc_slice asked_limit(const record *r)
{
  const hc_slice hard = asked_for(r, "h_rt");
  return hard.n > 0 ? hard : asked_for(r, "s_rt");
}

static const char *state_of(record *r, int64_t wallclock)
{
  const hc_slice failed = slice_of(r, FAILED);
  hc_time limit = HC_UNKNOWN;
  int64_t why = 0;
  /* "100 : assumedly after job" in some versions */
  for (size_t i = 0; i < failed.n && i < 9 && hc_is_digit(failed.s[i]); i++)
    why = why * 10 + (failed.s[i] - '0');
  if (r->count > QDEL_INFO && !is_none(slice_of(r, QDEL_INFO))) return "CANCELLED";
  if (why == 37) return "TIMEOUT";
  if (why == 24 || why == 25) return "REQUEUED";
  if (why == 0) return hc_slurm_is(slice_of(r, EXIT_STATUS), "0") ? "COMPLETED" : "FAILED";
  (void)hc_slurm_duration(asked_limit(r), HC_SECOND, &limit);
  return why == 100 && limit != HC_UNKNOWN && wallclock * HC_SECOND >= limit ? "TIMEOUT" : "FAILED";
}

static void say_names(record *r)
{
  static const struct {
    hc_slurm_column column;
    uint8_t place;
  } names[] = {{HC_SLURM_USER, OWNER},
               {HC_SLURM_GROUP, GROUP},
               {HC_SLURM_ACCOUNT, PROJECT},
               {HC_SLURM_JOB_NAME, JOB_NAME},
               {HC_SLURM_QOS, QNAME}};
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    const hc_slice v = slice_of(r, names[i].place);
    const bool unknown = names[i].place == QNAME && hc_slurm_is(v, "UNKNOWN");
    if (!is_none(v) && !unknown) hc_slurm_say(&r->cells, names[i].column, v.s, v.n);
  }
}

/* Memory of each slot, as Slurm has it of each processor: "4G" is "4Gc". */
static void say_memory(record *r)
{
  char *text = r->cells.made[HC_SLURM_REQ_MEM];
  hc_slice v = asked_for(r, "h_vmem");
  if (v.n == 0) v = asked_for(r, "mem_free");
  if (v.n == 0 || v.n > 20) return;
  memcpy(text, v.s, v.n);
  text[v.n] = 'c';
  if (hc_is_digit(v.s[v.n - 1])) return; /* bytes, and in lower case thousands: rare, and not said */
  hc_slurm_say(&r->cells, HC_SLURM_REQ_MEM, text, v.n + 1);
}

static void say_all(record *r)
{
  hc_slurm_cells *c = &r->cells;
  const hc_slice slots = slice_of(r, SLOTS), limit = asked_limit(r);
  const int64_t start = time_in(r, START), end = time_in(r, END), wallclock = seconds_in(r, WALLCLOCK);
  hc_slurm_say_number(c, HC_SLURM_SUBMIT, time_in(r, SUBMISSION));
  hc_slurm_say_number(c, HC_SLURM_START, start);
  hc_slurm_say_number(c, HC_SLURM_END, end);
  if (start > 0) hc_slurm_say_number(c, HC_SLURM_ELAPSED, wallclock);
  hc_slurm_say_number(c, HC_SLURM_TOTAL_CPU, seconds_in(r, CPU));
  hc_slurm_say(c, HC_SLURM_CPUS, slots.s, slots.n);
  hc_slurm_say(c, HC_SLURM_REQ_CPUS, slots.s, slots.n);
  if (limit.n > 0) hc_slurm_say(c, HC_SLURM_LIMIT_SECONDS, limit.s, limit.n);
  hc_slurm_say_word(c, HC_SLURM_STATE, state_of(r, wallclock));
  say_names(r);
  say_memory(r);
}

static bool read_id(record *r, hc_slurm_id *id)
{
  *id = (hc_slurm_id){.job = -1, .task = -1, .component = -1};
  if (hc_slurm_count(slice_of(r, JOB_NUMBER), &id->job) != HC_SLURM_VALUE) r->bad = &r->fields[JOB_NUMBER];
  else if (hc_slurm_count(slice_of(r, TASK_NUMBER), &id->task) == HC_SLURM_BAD)
    r->bad = &r->fields[TASK_NUMBER];
  if (id->task == 0) id->task = -1;
  return !r->bad;
}

static hc_rc sge_read(hc_source *s, hc_error *e)
{
  static const hc_lexer colons = {.separator = ':', .one_line = true};
  hc_slurm_log *l = &s->log;
  hc_slurm_id id;
  record r;
  char *line;
  size_t n;
  const hc_rc rc = hc_slurm_log_line(l, &line, &n, e);
  if (rc <= 0) return rc < 0 ? rc : hc_slurm_log_end(l, e);
  const uint64_t number = hc_input_lines(l->in);
  if (line[0] == '#' || n < 2) return 0;
  l->s.begun = true;
  hc_slurm_cells_begin(&r.cells, line, n);
  r.bad = NULL;
  r.count = HC_MIN(hc_lexer_cut(&colons, line, n, r.fields, MOST_FIELDS), (size_t)MOST_FIELDS);
  if (r.count < LEAST_FIELDS) return hc_slurm_log_malformed(l, line, number, 0, e);
  if (read_id(&r, &id)) say_all(&r);
  if (r.bad) return hc_slurm_log_malformed(l, line, number, (uint32_t)(r.bad->text - line) + 1, e);
  id.is_step = !is_none(slice_of(&r, PE_TASKID));
  r.cells.id = &id;
  return hc_slurm_log_row(l, &r.cells, number, false, e);
}

static const hc_slurm_log_type sge_log = {
    .who = "source sge",
    .empty = "the file `accounting` of a cell of Grid Engine",
    .advice = "no line is a job: each has at least 42 fields between colons, as accounting(5) has them",
    .separator = '.',
    .words = {"project", NULL, "job_name"},
    .read = sge_read};

/* ---- the reader ---- */

/* The first line that is no comment: enough colons, and numbers where they must be. */
static int sge_recognise(const char *name, const char *head, size_t size)
{
  static const hc_lexer colons = {.separator = ':', .one_line = true};
  static const uint8_t numbers[] = {JOB_NUMBER, PRIORITY, SUBMISSION, START, END, EXIT_STATUS};
  hc_field fields[MOST_FIELDS];
  size_t n;
  bool whole;
  const char *line = hc_lexer_first(head, size, "#", &n, &whole);
  HC_UNUSED(name);
  if (!line || hc_lexer_cut(&colons, line, n, fields, MOST_FIELDS) < (whole ? LEAST_FIELDS : WALLCLOCK))
    return 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(numbers); i++) {
    hc_field f = fields[numbers[i]];
    int64_t value;
    if (f.length > 0 && f.text[0] == '-') f.text++, f.length--;
    if (!hc_field_whole(&f, &value)) return 0;
  }
  return 90;
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options, "Path of the accounting file, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_SLURM_LOG_RUN(options, "ru_wallclock"),
    HC_SLURM_LOG_REQUEUES(options, ", one for each start"),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

HC_SLURM_LOG_READER(
    sge, sge_log, sge_recognise, params,
    .summary = "the accounting file of Grid Engine: Sun's, Univa's and others",
    .detail = "A line of 42 fields or more, between colons, for each job, or task of an array, that ended. "
              "Slots are processors. The limit is h_rt, else s_rt, of the category; the memory of each slot "
              "is h_vmem, else mem_free. Projects, else Unix groups, become groups, and job names "
              "executables. A line with a pe_taskid is merged into its job. A deleted job (only UGE says so) "
              "is cancelled; `failed` 37, or 100 after h_rt, is a timeout; 24 and 25 are partial; any other "
              "value of `failed`, or an exit status, is failed.",
    .source = "accounting(5), https://gridscheduler.sourceforge.net/htmlman/htmlman5/"
              "accounting.html, https://gridengine.eu/mangridengine/htmlman5/accounting.html");
