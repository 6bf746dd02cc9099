/* loadleveler.c -- what `llsummary -l` of IBM's LoadLeveler prints of its history: a block of lines for each
 * job.
 *
 * A block begins with `=== Job HOST.NUMBER ===`, and has lines `Key: value`: first those of the job (owner,
 * group, name), then those of each of its steps, which begin with `--- HOST.NUMBER.STEP ---`, or with their
 * Job Step Id. A step is a task. `llq -l` prints blocks of one step without a job, which are read as well.
 *
 * Dates are those of the locale of the call, `Thu 07 Mar 2013 13:44:22 MSK` or `Tue Jul 24 10:19:37 CDT
 * 2007`: their words are told apart by what they look like, so that no format has to be given; months must
 * be English. The zone's letters name none (CST is three of them), so the option `zone` says it. Limits are
 * in seconds between brackets. Processors are Size Requested, else the instances of the tasks, else those of
 * a node each.
 *
 * Removed after as much time as its limit is a timeout, before that cancelled. A step without a start never
 * started. Does not read the lines of events that -x adds, nor consumable resources.
 *
 * Source: Tivoli Workload Scheduler LoadLeveler, Using and Administering, llsummary; logs as pseudo-cluster
 * and DIET read them. Cost: about 20 us a block of a hundred lines. */
#include <string.h>

#include "base/util.h"
#include "workload/slurm_log.h"

#define LONGEST_BLOCK ((size_t)64 << 20)

typedef struct options {
  hc_slurm_log_options common;
} options;

struct hc_source {
  hc_slurm_log log; /* first */
};

#define KEYS(X) \
  X(JOB_ID, "Job Id") \
  X(STEP_ID, "Job Step Id") \
  X(NAME, "Job Name") \
  X(OWNER, "Owner") \
  X(UNIX_GROUP, "Unix Group") \
  X(USERID, "Submitting Userid") \
  X(GROUPID, "Submitting Groupid") \
  X(FIRST_OF_STEP, NULL) \
  X(QUEUED, "Queue Date") \
  X(STATUS, "Status") \
  X(DISPATCHED, "Dispatch Time") \
  X(STARTED, "Start Time") \
  X(COMPLETED, "Completion Date") \
  X(CODE, "Completion Code") \
  X(CLASS, "Class") \
  X(ACCOUNT, "Account") \
  X(SOFT_LIMIT, "Wall Clk Soft Limit") \
  X(HARD_LIMIT, "Wall Clk Hard Limit") \
  X(SIZE, "Size Requested") \
  X(NODES, "Node actual") \
  X(INSTANCES, "Num Task Inst")

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

/* A block as it is looked at. */
typedef struct block {
  hc_buffer text;
  uint64_t first; /* number of its first line */
  hc_slice said[KEY_COUNT];
  int64_t instances; /* of tasks, without the master's */
  bool in_master, has_step;
  hc_slice bad; /* what is not what it should be; without text: nothing is */
} block;

/* ---- lines ---- */

static hc_slice trimmed(const char *p, const char *end)
{
  while (p < end && hc_is_blank(*p)) p++;
  while (end > p && hc_is_blank(end[-1])) end--;
  return (hc_slice){p, (size_t)(end - p)};
}

/* Six of them and more, as a line of its own or around a text. */
static bool is_rule(hc_slice line, char sign)
{
  for (size_t i = 0; i < 6; i++)
    if (i >= line.n || line.s[i] != sign) return false;
  return true;
}

static void blame(block *b, hc_slice v)
{
  if (b->bad.n == 0) b->bad = v.n > 0 ? v : (hc_slice){v.s, 1};
}

/* ---- values ---- */

static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* The words of a date, in any order. */
typedef struct date {
  int year, month, day, seconds; /* of the day; -1: not said */
  bool afternoon, morning;
} date;

static bool read_clock(hc_slice w, int *seconds)
{
  int part[3] = {0, 0, 0}, k = 0;
  for (size_t i = 0; i < w.n; i++) {
    if (w.s[i] == ':' && k < 2) k++;
    else if (hc_is_digit(w.s[i]) && part[k] < 10) part[k] = part[k] * 10 + (w.s[i] - '0');
    else return false;
  }
  *seconds = part[0] * 3600 + part[1] * 60 + part[2];
  return k == 2 && part[0] < 24 && part[1] < 60 && part[2] <= 60;
}

static void read_word(hc_slice w, date *d)
{
  int64_t n;
  if (memchr(w.s, ':', w.n) && read_clock(w, &d->seconds)) return;
  if (hc_slurm_count(w, &n) == HC_SLURM_VALUE) {
    if (n > 31 && n < 10000) d->year = (int)n;
    else if (n >= 1 && n <= 31) d->day = (int)n;
    return;
  }
  for (int m = 0; m < 12; m++)
    if (w.n == 3 && hc_slurm_is(w, months[m])) d->month = m + 1;
  d->afternoon |= hc_slurm_is(w, "PM");
  d->morning |= hc_slurm_is(w, "AM");
}

static char *two_digits(char *p, int n, char behind)
{
  p[0] = (char)('0' + n / 10);
  p[1] = (char)('0' + n % 10);
  p[2] = behind;
  return p + 3;
}

/* As Slurm would write it, so that hours that occur twice are told apart in the same way. */
static void say_date(block *b, hc_slurm_cells *c, hc_slurm_column column, hc_slice v)
{
  date d = {.year = -1, .month = -1, .day = -1, .seconds = -1};
  char *p = c->made[column];
  for (size_t i = 0; i < v.n;) {
    size_t end = i;
    while (end < v.n && v.s[end] != ' ' && v.s[end] != ',') end++;
    if (end > i) read_word((hc_slice){v.s + i, end - i}, &d);
    i = end + 1;
  }
  if (v.n == 0) return;
  if (d.year < 0 || d.month < 0 || d.day < 0 || d.seconds < 0) {
    blame(b, v);
    return;
  }
  if (d.afternoon && d.seconds < 43200) d.seconds += 43200;
  if (d.morning && d.seconds >= 43200) d.seconds -= 43200;
  p = two_digits(p, d.year / 100, '0') - 1;
  p = two_digits(p, d.year % 100, '-');
  p = two_digits(p, d.month, '-');
  p = two_digits(p, d.day, 'T');
  p = two_digits(p, d.seconds / 3600, ':');
  p = two_digits(p, d.seconds % 3600 / 60, ':');
  p = two_digits(p, d.seconds % 60, '\0') - 1;
  hc_slurm_say(c, column, c->made[column], (size_t)(p - c->made[column]));
}

static int64_t count_of(block *b, int key)
{
  int64_t n = -1;
  if (hc_slurm_count(b->said[key], &n) == HC_SLURM_BAD) blame(b, b->said[key]);
  return n;
}

/* "00:15:00 (900 seconds)"; "undefined" is none. @return seconds; -1 */
static int64_t limit_of(const block *b)
{
  const hc_slice v = b->said[b->said[SOFT_LIMIT].n > 0 ? SOFT_LIMIT : HARD_LIMIT];
  const char *open = v.n > 0 ? memchr(v.s, '(', v.n) : NULL;
  int64_t n = 0;
  if (!open) return -1;
  for (const char *p = open + 1; p < v.s + v.n && hc_is_digit(*p) && p < open + 13; p++)
    n = n * 10 + (*p - '0');
  return n > 0 ? n : -1;
}

/* HOST.NUMBER, or HOST.NUMBER.STEP: the numbers at its end. */
static bool read_id(hc_slice v, bool has_step, hc_slurm_id *id)
{
  int64_t n[2] = {-1, -1};
  size_t end = v.n;
  for (int k = has_step; k >= 0; k--) {
    size_t at = end;
    while (at > 0 && hc_is_digit(v.s[at - 1])) at--;
    if (at == end || hc_slurm_count((hc_slice){v.s + at, end - at}, &n[k]) != HC_SLURM_VALUE) return false;
    if (at > 0 && v.s[at - 1] != '.') return false;
    end = at > 0 ? at - 1 : 0;
  }
  *id = (hc_slurm_id){.job = n[0], .task = has_step ? n[1] : -1, .component = -1};
  return true;
}

static const char *state_of(const block *b, const hc_slurm_cells *c, const hc_zone *zone)
{
  static const struct {
    const char *word, *state;
  } states[] = {{"Running", "RUNNING"},     {"Starting", "RUNNING"},       {"Pending", "PENDING"},
                {"Idle", "PENDING"},        {"Deferred", "PENDING"},       {"NotQueued", "PENDING"},
                {"Not Queued", "PENDING"},  {"User Hold", "PENDING"},      {"System Hold", "PENDING"},
                {"Canceled", "CANCELLED"},  {"Not Run", "CANCELLED"},      {"NotRun", "CANCELLED"},
                {"Preempted", "PREEMPTED"}, {"Vacated", "REQUEUED"},       {"Terminated", "FAILED"},
                {"Rejected", "FAILED"},     {"Submission Error", "FAILED"}};
  const hc_slice status = b->said[STATUS];
  int64_t start = 0, end = 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(states); i++)
    if (hc_slurm_is(status, states[i].word)) return states[i].state;
  if (hc_slurm_is(status, "Completed"))
    return b->said[CODE].n == 0 || hc_slurm_is(b->said[CODE], "0") ? "COMPLETED" : "FAILED";
  if (!hc_slurm_is(status, "Removed")) return "";
  if (hc_slurm_time(c->at[HC_SLURM_START], zone, 0, &start) != HC_SLURM_VALUE ||
      hc_slurm_time(c->at[HC_SLURM_END], zone, start, &end) != HC_SLURM_VALUE)
    return "CANCELLED";
  const int64_t limit = limit_of(b);
  return limit > 0 && end - start >= limit ? "TIMEOUT" : "CANCELLED";
}

/* ---- a step ---- */

static void say_names(const block *b, hc_slurm_cells *c)
{
  static const struct {
    hc_slurm_column column;
    int key;
  } names[] = {{HC_SLURM_USER, OWNER},   {HC_SLURM_UID, USERID},      {HC_SLURM_GROUP, UNIX_GROUP},
               {HC_SLURM_GID, GROUPID},  {HC_SLURM_ACCOUNT, ACCOUNT}, {HC_SLURM_QOS, CLASS},
               {HC_SLURM_JOB_NAME, NAME}};
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    const hc_slice v = b->said[names[i].key];
    if (v.n > 0) hc_slurm_say(c, names[i].column, v.s, v.n);
  }
}

static void say_demand(block *b, hc_slurm_cells *c)
{
  const int64_t size = count_of(b, SIZE), nodes = count_of(b, NODES);
  const int64_t procs = size > 0 ? size : b->instances > 0 ? b->instances : nodes;
  hc_slurm_say_number(c, HC_SLURM_CPUS, procs);
  hc_slurm_say_number(c, HC_SLURM_REQ_CPUS, procs);
  if (nodes > 0) hc_slurm_say_number(c, HC_SLURM_NODES, nodes);
  hc_slurm_say_number(c, HC_SLURM_LIMIT_SECONDS, limit_of(b));
}

/* The line and column of a place in the block. */
static uint64_t line_at(const block *b, const char *place, uint32_t *column)
{
  uint64_t line = b->first;
  const char *begin = b->text.data;
  for (const char *p = b->text.data; p < place; p++)
    if (*p == '\n') {
      line++;
      begin = p + 1;
    }
  *column = (uint32_t)(place - begin) + 1;
  return line;
}

static hc_rc take_step(hc_slurm_log *l, block *b, hc_error *e)
{
  const hc_slice name = b->said[b->said[STEP_ID].n > 0 ? STEP_ID : JOB_ID];
  hc_slurm_cells c;
  hc_slurm_id id;
  uint32_t column;
  const uint64_t number = line_at(b, name.s, &column);
  hc_slurm_cells_begin(&c, name.s, name.n);
  if (!read_id(name, b->said[STEP_ID].n > 0, &id)) blame(b, name);
  say_date(b, &c, HC_SLURM_SUBMIT, b->said[QUEUED]);
  c.has |= UINT64_C(1) << HC_SLURM_START | UINT64_C(1) << HC_SLURM_END;
  say_date(b, &c, HC_SLURM_START, b->said[b->said[STARTED].n > 0 ? STARTED : DISPATCHED]);
  say_date(b, &c, HC_SLURM_END, b->said[COMPLETED]);
  say_names(b, &c);
  say_demand(b, &c);
  hc_slurm_say_word(&c, HC_SLURM_STATE, state_of(b, &c, l->zone));
  c.id = &id;
  hc_rc rc;
  if (b->bad.n > 0) {
    const uint64_t at = line_at(b, b->bad.s, &column);
    rc = hc_slurm_log_malformed(l, NULL, at, column, e);
  } else rc = hc_slurm_log_row(l, &c, number, false, e);
  for (int k = FIRST_OF_STEP; k < KEY_COUNT; k++) b->said[k].n = 0;
  b->said[STEP_ID].n = b->bad.n = 0;
  b->instances = 0;
  b->has_step = b->in_master = false;
  return rc;
}

/* ---- a block ---- */

static void take_pair(block *b, hc_slice key, hc_slice value)
{
  int k = 0;
  while (k < KEY_COUNT && !(keys[k] && hc_slurm_is(key, keys[k]))) k++;
  if (k == KEY_COUNT) return;
  if (k == INSTANCES) {
    int64_t n;
    if (!b->in_master && hc_slurm_count(value, &n) == HC_SLURM_VALUE)
      b->instances = HC_MIN(b->instances + n, 1 << 30);
    return;
  }
  b->said[k] = value;
  b->has_step |= k == STEP_ID || k > FIRST_OF_STEP;
}

static hc_rc take_line(hc_slurm_log *l, block *b, hc_slice line, hc_error *e)
{
  const char *end = line.s + line.n, *colon = line.n > 0 ? memchr(line.s, ':', line.n) : NULL;
  if (hc_slurm_is(line, "Master Task")) b->in_master = true;
  if (hc_slurm_is(line, "Task")) b->in_master = false;
  if (!colon)
    return is_rule(line, '-') && memchr(line.s, '.', line.n) && b->has_step ? take_step(l, b, e) : 0;
  const hc_slice key = trimmed(line.s, colon), value = trimmed(colon + 1, end);
  if (hc_slurm_is(key, keys[STEP_ID]) && b->said[STEP_ID].n > 0) TRY(take_step(l, b, e));
  take_pair(b, key, value);
  return 0;
}

static hc_rc take_block(hc_slurm_log *l, block *b, hc_error *e)
{
  const char *p = b->text.data, *end = p + b->text.size;
  while (p && p < end) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    TRY(take_line(l, b, trimmed(p, stop), e));
    p = stop + 1;
  }
  return b->has_step ? take_step(l, b, e) : 0;
}

/* Up to the rule that the next block begins with. @return 1, 0 at the end, or an error */
static hc_rc read_block(hc_slurm_log *l, block *b, hc_error *e)
{
  for (;;) {
    char *line;
    size_t n;
    const hc_rc rc = hc_input_line(l->in, &line, &n, e);
    if (rc <= 0) return rc;
    if (b->text.size == 0) b->first = hc_input_lines(l->in);
    if (is_rule(trimmed(line, line + n), '=')) return 1;
    hc_buffer_add(&b->text, line, n);
    hc_buffer_add(&b->text, "\n", 1);
    if (b->text.failed) return HC_ENOMEM;
    if (b->text.size > LONGEST_BLOCK)
      return hc_fail(e, HC_EINPUT, l->name,
                     hc_input_lines(l->in) > UINT32_MAX ? 0 : (uint32_t)hc_input_lines(l->in), 0,
                     "no line of = signs for 64 MiB: this is not what `llsummary -l` prints");
  }
}

static hc_rc ll_read(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  block b = {.first = 1};
  hc_buffer_init(&b.text, l->context->allocator);
  hc_rc rc = read_block(l, &b, e);
  const bool at_end = rc == 0;
  l->s.begun |= b.text.size > 0;
  if (rc >= 0) rc = take_block(l, &b, e);
  hc_buffer_fini(&b.text);
  return rc < 0 || !at_end ? rc : hc_slurm_log_end(l, e);
}

static const hc_slurm_log_type ll_log = {
    .who = "source loadleveler",
    .empty = "what `llsummary -l` printed",
    .advice =
        "no block is a job: each has Job Id, Queue Date and Completion Date, as `llsummary -l` prints them",
    .separator = '.',
    .words = {NULL, "class", "job_name"},
    .read = ll_read};

/* ---- the reader ---- */

static int ll_recognise(const char *name, const char *head, size_t size)
{
  const size_t at = hc_head_begin(head, size);
  HC_UNUSED(name);
  if (!is_rule((hc_slice){head + at, size - at}, '=')) return 0;
  return hc_head_holds(head, size, "= Job ") && hc_head_holds(head, size, ": ") ? 92 : 0;
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options, "Path of the listing, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_SLURM_LOG_UNITS(options, "Size Requested, or instances of tasks", "Node actual"),
    HC_SLURM_LOG_DEMAND(options, ""),
    HC_SLURM_LOG_REQUEUES(options, ""),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

HC_SLURM_LOG_READER(
    loadleveler, ll_log, ll_recognise, params,
    .summary = "what llsummary -l of LoadLeveler prints: a block of lines for each job",
    .detail =
        "A task is a job step, with the owner, group and name of its job. Dates are recognised by their "
        "words, in any order, with English months; `zone` is the time zone of the clock. The limit is Wall "
        "Clk Soft Limit, else the hard one. Accounts, else Unix groups, become groups, classes queues, and "
        "job names executables. Completed with a completion code is failed; Removed is a timeout if the "
        "limit was reached, else cancelled; Vacated is requeued. A step without a start never ran.",
    .source = "Tivoli Workload Scheduler LoadLeveler, Using and Administering, llsummary");
