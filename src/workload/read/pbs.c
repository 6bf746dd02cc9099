/* pbs.c -- accounting logs of PBS: Torque, OpenPBS, PBS Professional.
 *
 * A line is `MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=value KEY=value ...`, a file a day; files are read one after
 * the other if they are put together. A job has several lines in its life: Q when it is queued, S when it
 * starts, E when it ends, which says all that S does; D and A when it is deleted or given up, which say when
 * alone; R when it is put back into its queue. A job whose E is there is that line. One that was deleted
 * before it started is known by Q, which says neither user nor demand; one without an end was still running,
 * or waiting.
 *
 * Processors used are Torque's total_execution_slots, resources_used.ncpus of PBS Pro, or those in exec_host
 * (n1/0+n1/1, n1/0-3, n1/0*4); asked for are ncpus, procs, or nodes=2:ppn=4. Sizes count in 1024, and in
 * words of eight bytes with a w.
 *
 * How a job ended is told from what preceded its end and from its numbers: deleted is cancelled; Exit_status
 * 0 is completed; as much time used as was asked for is a timeout, as are -29 and, in Torque, -11; -27 and,
 * in Torque, -10 are a lack of memory; all else failed. Torque's logs have no Resource_List.select.
 *
 * Does not look at reservations, at licences, nor at the line of an array as a whole (7[].server).
 *
 * Source: Torque Administrator Guide, "Accounting records" and "Job exit status",
 * http://docs.adaptivecomputing.com; PBS Professional Reference Guide, "Accounting log". Cost: about 2 us a
 * line. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "workload/slurm_log.h"
#include "workload/spec.h"

typedef struct options {
  hc_slurm_log_options common;
} options;

struct hc_source {
  hc_slurm_log log; /* first */
};

#define KEYS(X) \
  X(USER, "user") \
  X(GROUP, "group") \
  X(ACCOUNT, "account") \
  X(PROJECT, "project") \
  X(JOB_NAME, "jobname") \
  X(QUEUE, "queue") \
  X(CTIME, "ctime") \
  X(QTIME, "qtime") \
  X(ETIME, "etime") \
  X(START, "start") \
  X(END, "end") \
  X(EXEC_HOST, "exec_host") \
  X(SLOTS, "total_execution_slots") \
  X(NODE_COUNT, "unique_node_count") \
  X(EXIT, "Exit_status") \
  X(ASKED_NCPUS, "Resource_List.ncpus") \
  X(ASKED_PROCS, "Resource_List.procs") \
  X(ASKED_NODES, "Resource_List.nodes") \
  X(ASKED_NODECT, "Resource_List.nodect") \
  X(ASKED_SELECT, "Resource_List.select") \
  X(ASKED_WALLTIME, "Resource_List.walltime") \
  X(ASKED_MEM, "Resource_List.mem") \
  X(ASKED_PMEM, "Resource_List.pmem") \
  X(ASKED_GPUS, "Resource_List.ngpus") \
  X(USED_WALLTIME, "resources_used.walltime") \
  X(USED_CPUT, "resources_used.cput") \
  X(USED_MEM, "resources_used.mem") \
  X(USED_NCPUS, "resources_used.ncpus")

enum {
#define X(name, key) name,
  KEYS(X)
#undef X
      KEY_COUNT
};

static const char *const keys[KEY_COUNT] = {
#define X(name, key) [name] = key,
    KEYS(X)
#undef X
};

/* A line as it is looked at. */
typedef struct record {
  const char *line, *message;
  size_t size;
  char type;
  int64_t at; /* when it was written, Unix seconds */
  hc_slurm_id id;
  bool is_whole_array;
  hc_slice said[KEY_COUNT];
} record;

/* ---- cutting ---- */

/* What follows a word in a text. @return its place; t.n: the word is not there */
static size_t behind(hc_slice t, const char *word)
{
  const size_t n = strlen(word);
  for (size_t i = 0; i + n <= t.n; i++)
    if (memcmp(t.s + i, word, n) == 0) return i + n;
  return t.n;
}

/* The value that begins at `p`, quoted if it has blanks. @return its end */
static const char *take_value(const char *p, const char *end, hc_slice *out)
{
  const char *close = p < end && *p == '"' ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;
  if (close) {
    *out = (hc_slice){p + 1, (size_t)(close - p - 1)};
    return close + 1;
  }
  const char *blank = memchr(p, ' ', (size_t)(end - p));
  *out = (hc_slice){p, (size_t)((blank ? blank : end) - p)};
  return out->s + out->n;
}

static void cut_message(record *r)
{
  const char *end = r->line + r->size, *p = r->message;
  memset(r->said, 0, sizeof r->said);
  while (p < end) {
    hc_slice value;
    while (p < end && *p == ' ') p++;
    const char *equals = memchr(p, '=', (size_t)(end - p)), *blank = memchr(p, ' ', (size_t)(end - p));
    if (!equals) break;
    if (blank && blank < equals) {
      p = blank;
      continue;
    }
    const size_t n = (size_t)(equals - p);
    size_t k = 0;
    while (k < KEY_COUNT && !(strlen(keys[k]) == n && memcmp(keys[k], p, n) == 0)) k++;
    p = take_value(equals + 1, end, &value);
    if (k < KEY_COUNT) r->said[k] = value;
  }
}

/* 407.server, 407[3].server, 407-3.server (Torque 2); 407[].server is an array as a whole. */
static bool read_id(const char *s, size_t n, record *r)
{
  size_t i = 0;
  int64_t *number = &r->id.job;
  r->id = (hc_slurm_id){.job = -1, .task = -1, .component = -1};
  r->is_whole_array = hc_head_holds(s, n, "[]");
  for (; i < n && s[i] != '.'; i++) {
    if ((s[i] == '[' || s[i] == '-') && number == &r->id.job && *number >= 0) number = &r->id.task;
    else if (hc_is_digit(s[i]) && *number < INT64_C(1) << 52)
      *number = HC_MAX(*number, 0) * 10 + (s[i] - '0');
    else if (s[i] != ']') return false;
  }
  return r->id.job >= 0;
}

/* The head of a line. @return where it is wrong; NULL */
static const char *cut_head(const hc_slurm_log *l, record *r)
{
  static const hc_moment_format date = {.kind = HC_MOMENT_PATTERN, .pattern = "%m/%d/%Y %H:%M:%S"};
  const char *end = r->line + r->size, *first = memchr(r->line, ';', r->size), *second, *third;
  hc_time at;
  if (!first || first + 3 > end || first[2] != ';') return first ? first : r->line;
  second = first + 2;
  third = memchr(second + 1, ';', (size_t)(end - second - 1));
  const hc_field when = {.text = r->line, .length = (size_t)(first - r->line)};
  if (!hc_field_moment(&when, &date, l->zone, &at)) return r->line;
  r->at = at / HC_SECOND;
  r->type = first[1];
  r->message = third ? third + 1 : end;
  const size_t n = (size_t)((third ? third : end) - second - 1);
  const bool is_job = read_id(second + 1, n, r);
  if (!is_job && r->type != 'L' && !(n > 0 && hc_is_digit(second[1]))) r->type = 'L'; /* R12: a reservation */
  return is_job || r->type == 'L' ? NULL : second + 1;
}

/* ---- amounts ---- */

/* "4gb", "1048576kb", "100mw". @return bytes; -1: it is none */
static int64_t bytes_of(hc_slice v)
{
  static const char units[] = "kmgtp";
  int64_t n = 0, unit = 1;
  size_t i = 0;
  for (; i < v.n && hc_is_digit(v.s[i]) && n < INT64_C(1) << 52; i++) n = n * 10 + (v.s[i] - '0');
  if (i == 0 || n >= INT64_C(1) << 52) return -1;
  const char *at = i < v.n ? strchr(units, v.s[i] | 0x20) : NULL;
  for (const char *p = units; at && p <= at; p++) unit *= 1024;
  i += at != NULL;
  if (i < v.n && (v.s[i] | 0x20) == 'w') unit *= 8;
  else if (i < v.n && (v.s[i] | 0x20) != 'b') return -1;
  return __builtin_mul_overflow(n, unit, &n) || n > INT64_C(1) << 52 ? -1 : n;
}

/* Up to nine digits from `*at`. */
static int64_t digits_at(hc_slice v, size_t *at)
{
  int64_t n = 0;
  const size_t first = *at;
  while (*at < v.n && hc_is_digit(v.s[*at]) && *at - first < 9) n = n * 10 + (v.s[(*at)++] - '0');
  return *at > first ? n : -1;
}

/* Processors in "n1/0+n1/1", "n1/0-3,6+n2/0", "n1/0*4+n2/0*4". */
static int64_t slots_in(hc_slice v)
{
  int64_t sum = 0;
  bool is_slot = false; /* behind a slash */
  for (size_t i = 0; i < v.n;) {
    const char c = v.s[i];
    if (c == '+' || c == '/') {
      is_slot = c == '/';
      i++;
    } else if (is_slot && hc_is_digit(c)) {
      const int64_t first = digits_at(v, &i);
      int64_t n = 1;
      const char mark = i < v.n ? v.s[i] : '\0';
      if (mark == '*' || mark == '-') {
        i++;
        const int64_t second = digits_at(v, &i);
        n = mark == '*' ? second : second - first + 1;
      }
      sum += HC_MAX(n, 0);
    } else i++;
  }
  return sum;
}

/* Processors in "4", "2:ppn=6+1:ppn=4", "n1:ppn=2+n2", "2:ncpus=4": of each part so many nodes, or one with a
 * name, with so many each, or one. `*nodes` are those together. */
static int64_t nodes_asked(hc_slice v, int64_t *nodes)
{
  int64_t sum = 0;
  *nodes = 0;
  for (size_t i = 0; i < v.n;) {
    const char *plus = memchr(v.s + i, '+', v.n - i);
    const size_t end = plus ? (size_t)(plus - v.s) : v.n;
    const hc_slice part = {v.s + i, end - i};
    size_t at = 0, inside = HC_MIN(behind(part, ":ppn="), behind(part, ":ncpus="));
    int64_t n = digits_at(part, &at);
    if (n < 0 || (at < part.n && part.s[at] != ':')) n = 1; /* a name */
    const int64_t each = digits_at(part, &inside);
    *nodes += n;
    sum += n * HC_MAX(each, 1);
    i = end + 1;
  }
  return sum;
}

/* ---- a job ---- */

static void say(hc_slurm_cells *c, const record *r, hc_slurm_column column, int key)
{
  hc_slurm_say(c, column, r->said[key].s, r->said[key].n);
}

static void say_demand(hc_slurm_cells *c, const record *r)
{
  int64_t nodes = 0, asked = nodes_asked(r->said[ASKED_NODES], &nodes);
  const int64_t slots = slots_in(r->said[EXEC_HOST]);
  if (asked == 0) asked = nodes_asked(r->said[ASKED_SELECT], &nodes);
  if (r->said[ASKED_NCPUS].n > 0) say(c, r, HC_SLURM_REQ_CPUS, ASKED_NCPUS);
  else if (r->said[ASKED_PROCS].n > 0) say(c, r, HC_SLURM_REQ_CPUS, ASKED_PROCS);
  else hc_slurm_say_number(c, HC_SLURM_REQ_CPUS, asked > 0 ? asked : -1);
  if (r->said[SLOTS].n > 0) say(c, r, HC_SLURM_CPUS, SLOTS);
  else if (r->said[USED_NCPUS].n > 0) say(c, r, HC_SLURM_CPUS, USED_NCPUS);
  else hc_slurm_say_number(c, HC_SLURM_CPUS, slots > 0 ? slots : -1);
  if (r->said[NODE_COUNT].n > 0) say(c, r, HC_SLURM_NODES, NODE_COUNT);
  else if (r->said[ASKED_NODECT].n > 0) say(c, r, HC_SLURM_NODES, ASKED_NODECT);
  if (nodes > 0) hc_slurm_say_number(c, HC_SLURM_REQ_NODES, nodes);
}

/* @return a size that is none; NULL */
static const hc_slice *say_memory(hc_slurm_cells *c, const record *r)
{
  const int key = r->said[ASKED_MEM].n > 0 ? ASKED_MEM : ASKED_PMEM;
  const hc_slice asked = r->said[key], used = r->said[USED_MEM];
  if (asked.n > 0) {
    const int64_t bytes = bytes_of(asked);
    if (bytes < 0) return &r->said[key];
    hc_slurm_say_number(c, HC_SLURM_REQ_MEM, bytes / 1024 + (bytes % 1024 != 0));
    char *end = c->made[HC_SLURM_REQ_MEM] + c->at[HC_SLURM_REQ_MEM].n;
    memcpy(end, "Kc", 3);
    c->at[HC_SLURM_REQ_MEM].n += key == ASKED_MEM ? 1 : 2;
  }
  if (used.n == 0) return NULL;
  hc_slurm_say_number(c, HC_SLURM_USED_MEM, bytes_of(used));
  return c->at[HC_SLURM_USED_MEM].n == 0 ? &r->said[USED_MEM] : NULL;
}

/* How it ended. */
static const char *state_of(const record *r, bool was_deleted)
{
  const hc_slice exit = r->said[EXIT];
  const bool torque = r->said[ASKED_SELECT].n == 0;
  hc_time used = HC_UNKNOWN, limit = HC_UNKNOWN;
  if (r->type == 'S' || r->type == 'T' || r->type == 'C') return "RUNNING";
  if (r->type == 'Q') return "PENDING";
  if (was_deleted) return "CANCELLED";
  if (exit.n == 0) return "";
  if (hc_slurm_is(exit, "0")) return "COMPLETED";
  (void)hc_slurm_duration(r->said[USED_WALLTIME], HC_SECOND, &used);
  (void)hc_slurm_duration(r->said[ASKED_WALLTIME], HC_SECOND, &limit);
  if (hc_slurm_is(exit, "-29") || (torque && hc_slurm_is(exit, "-11"))) return "TIMEOUT";
  if (limit != HC_UNKNOWN && used != HC_UNKNOWN && used >= limit) return "TIMEOUT";
  if (hc_slurm_is(exit, "-27") || (torque && hc_slurm_is(exit, "-10"))) return "OUT_OF_MEMORY";
  return "FAILED";
}

static void say_names(hc_slurm_cells *c, const record *r)
{
  static const struct {
    hc_slurm_column column;
    int key;
  } names[] = {{HC_SLURM_USER, USER},
               {HC_SLURM_GROUP, GROUP},
               {HC_SLURM_ACCOUNT, PROJECT},
               {HC_SLURM_QOS, QUEUE},
               {HC_SLURM_JOB_NAME, JOB_NAME},
               {HC_SLURM_ELAPSED, USED_WALLTIME},
               {HC_SLURM_START, START},
               {HC_SLURM_END, END},
               {HC_SLURM_ELIGIBLE, ETIME},
               {HC_SLURM_TOTAL_CPU, USED_CPUT},
               {HC_SLURM_LIMIT_SECONDS, ASKED_WALLTIME}};
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++)
    if (r->said[names[i].key].n > 0) say(c, r, names[i].column, names[i].key);
  if (hc_slurm_is(c->at[HC_SLURM_ACCOUNT], "_pbs_project_default")) c->at[HC_SLURM_ACCOUNT].n = 0;
  if (r->said[ACCOUNT].n > 0) say(c, r, HC_SLURM_ACCOUNT, ACCOUNT);
}

/* A line that says what the job is. */
static hc_rc take_job(hc_slurm_log *l, const record *r, hc_error *e)
{
  const hc_slurm_record *twin = hc_slurm_log_held(l, &r->id);
  const uint64_t number = hc_input_lines(l->in);
  hc_slurm_cells c;
  hc_slurm_cells_begin(&c, r->line, r->size);
  c.id = &r->id;
  c.has = UINT64_C(1) << HC_SLURM_START | UINT64_C(1) << HC_SLURM_END;
  if (r->type == 'Q') hc_slurm_say_number(&c, HC_SLURM_SUBMIT, r->at);
  else say(&c, r, HC_SLURM_SUBMIT, r->said[CTIME].n > 0 ? CTIME : QTIME);
  say_names(&c, r);
  say_demand(&c, r);
  if (r->said[ASKED_GPUS].n > 0) say(&c, r, HC_SLURM_GRES, ASKED_GPUS);
  const bool was_deleted = twin && twin->provisional && twin->spec.status == HC_STATUS_CANCELLED;
  hc_slurm_say_word(&c, HC_SLURM_STATE, state_of(r, was_deleted));
  const hc_slice *bad = say_memory(&c, r);
  if (bad) return hc_slurm_log_malformed(l, r->line, number, hc_slurm_place(&c, *bad), e);
  return hc_slurm_log_row(l, &c, number, r->type != 'E', e);
}

/* D, A or R: what was known of the job is all there is of it so far. A job that runs goes on to its E. */
static hc_rc take_word(hc_slurm_log *l, const record *r, hc_error *e)
{
  hc_slurm_record *twin = hc_slurm_log_held(l, &r->id);
  const uint64_t number = hc_input_lines(l->in);
  if (!twin) return hc_slurm_log_reject(l, r->line, number, HC_REASON_INCOMPLETE, e);
  hc_slurm_log_part(l);
  if (!twin->provisional) return 0;
  hc_time since = HC_UNKNOWN;
  if (__builtin_sub_overflow(r->at * HC_SECOND, twin->spec.submit, &since)) since = HC_UNKNOWN;
  const bool has_run = twin->still_running;
  if (r->type != 'R') hc_spec_record(&twin->spec, HC_RECORDED_CANCELLED);
  if (!has_run && since >= 0) twin->spec.wait = since;
  if (r->type != 'R' || !has_run || since < 0 || twin->spec.wait == HC_UNKNOWN) return 0;
  hc_spec_record(&twin->spec, HC_RECORDED_REQUEUED);
  twin->spec.run = HC_MAX(since - twin->spec.wait, 0);
  twin->still_running = twin->provisional = 0;
  return 0;
}

static hc_rc pbs_read(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  char *line;
  record r;
  const hc_rc rc = hc_slurm_log_line(l, &line, &r.size, e);
  if (rc <= 0) return rc < 0 ? rc : hc_slurm_log_end(l, e);
  const uint64_t number = hc_input_lines(l->in);
  l->s.begun = true;
  r.line = line;
  const char *bad = cut_head(l, &r);
  if (bad) return hc_slurm_log_malformed(l, line, number, (uint32_t)(bad - line) + 1, e);
  cut_message(&r);
  if (r.is_whole_array) r.type = 'L';
  switch (r.type) {
    case 'Q':
    case 'S':
    case 'T':
    case 'C':
    case 'E': return take_job(l, &r, e);
    case 'D':
    case 'A':
    case 'R': return take_word(l, &r, e);
    default: return hc_slurm_log_reject(l, line, number, HC_REASON_NOT_A_TASK, e);
  }
}

static const hc_slurm_log_type pbs_log = {
    .who = "source pbs",
    .empty = "a file of server_priv/accounting",
    .advice = "no line is a record of PBS: MM/DD/YYYY HH:MM:SS;E;JOB;user=... ",
    .separator = '[',
    .words = {"account", NULL, "job_name"},
    .read = pbs_read};

/* ---- the reader ---- */

/* "06/06/2005 14:04:25;D;4" */
static int pbs_recognise(const char *name, const char *head, size_t size)
{
  static const char form[] = "00/00/0000 00:00:00;A;";
  const size_t at = hc_head_begin(head, size);
  HC_UNUSED(name);
  if (size - at < sizeof form) return 0;
  for (size_t i = 0; form[i]; i++) {
    const char c = head[at + i];
    if (form[i] == '0' ? !hc_is_digit(c) : form[i] == 'A' ? c < 'A' || c > 'z' : c != form[i]) return 0;
  }
  return 96;
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options, "Path of the log, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_SLURM_LOG_UNITS(options, "slots of exec_host, ncpus, procs, or nodes times ppn",
                       "unique_node_count, nodect"),
    HC_SLURM_LOG_DEMAND(options, ""),
    HC_SLURM_LOG_WAIT(options, "etime: dependencies, begin times and holds are over"),
    HC_SLURM_LOG_RUN(options, "resources_used.walltime"),
    HC_SLURM_LOG_REQUEUES(options, ", which was put back into its queue (R)"),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

HC_SLURM_LOG_READER(
    pbs, pbs_log, pbs_recognise, params,
    .summary = "accounting logs of PBS: Torque, OpenPBS, PBS Professional",
    .detail = "Lines MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=value, of one day or of several days together. A job "
              "follows from its line E, or else from Q and S: without an end it is still_running. For a job "
              "that never started, D or A gives its wait, but no line says what it asked for. Lines that add "
              "to another are counted as merged; a D without Q or S, as at the begin of a log, is "
              "incomplete; lines of reservations, of licences and of arrays as a whole are not_a_task. ctime "
              "is the submission; accounts (else projects, else groups) become groups, and job names "
              "executables. A deleted job is cancelled; timeouts and want of memory follow from Exit_status, "
              "and from a resources_used.walltime that reaches Resource_List.walltime.",
    .source = "http://docs.adaptivecomputing.com/torque/4-1-4/Content/topics/9-accounting/"
              "accountingRecords.htm; PBS Professional Reference Guide, accounting log");
