/* lsf.c -- lsb.acct, the accounting log of IBM Spectrum LSF (Platform LSF).
 *
 * A record is a line of fields between blanks, of which texts are quoted, a quote within them twice.
 * JOB_FINISH is a job, or an element of an array, that ended; other events are no tasks. Fields have no
 * names: after the job's file come the hosts that it was limited to, behind their number, then the hosts
 * that it had, a host for each slot (or with SHORT_EVENTFILE `4*host`, behind the number of texts), then the
 * rest, among it lists behind their numbers once more. Versions append fields; those of old ones are enough
 * for all but the run limit.
 *
 * jStatus 64 is done, 32 has ended otherwise: exitInfo says why (preempted, at its run limit, at its memory
 * limit, by its owner or an administrator ...). A start of 0 is a job that never started. The limit is
 * runLimit, seconds, or runtimeEstimation if there is none. Memory used is maxRMem, in KB, of the whole job.
 *
 * Projects are groups. Does not read resource requirements (resReq), nor pending jobs (lsb.events).
 *
 * Source: lsb.acct(5), https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=files-lsbacct; reasons of
 * bacct(1). Cost: about 3 us a line. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "workload/slurm_log.h"

#define MOST_LISTED ((int64_t)1 << 20) /* hosts in one record */

typedef struct options {
  hc_slurm_log_options common;
} options;

struct hc_source {
  hc_slurm_log log; /* first */
};

/* A record as it is read, field by field. */
typedef struct record {
  hc_slurm_cells cells;
  const char *at, *end;
  hc_slice bad;  /* what is not what it should be; without text: nothing is */
  bool is_short; /* a field was missing */
  hc_slurm_id id;
  hc_slice name;
  int64_t slots, start, end_time, status, reason;
} record;

/* ---- fields ---- */

/* The next field, without its quotes. False at the end of the line. */
static bool next_field(record *r, hc_slice *out)
{
  const char *p = r->at;
  while (p < r->end && hc_is_blank(*p)) p++;
  *out = (hc_slice){p, 0};
  r->at = p;
  if (p == r->end) return false;
  if (*p == '"') {
    const char *q = p + 1;
    while (q < r->end && (*q != '"' || (q + 1 < r->end && q[1] == '"'))) q += *q == '"' ? 2 : 1;
    if (q > r->end) q = r->end;
    *out = (hc_slice){p + 1, (size_t)(q - p - 1)};
    r->at = q < r->end ? q + 1 : q;
    return true;
  }
  while (p < r->end && !hc_is_blank(*p)) p++;
  out->n = (size_t)(p - out->s);
  r->at = p;
  return true;
}

static hc_slice text(record *r)
{
  hc_slice t;
  if (!next_field(r, &t)) r->is_short = true;
  return t;
}

static void pass(record *r, int64_t n)
{
  for (int64_t i = 0; i < n && !r->is_short; i++) (void)text(r);
}

/* A whole number, or one with decimals, which are cut off; -1 is nothing. */
static int64_t number(record *r)
{
  hc_slice t = text(r);
  const char *point = t.n > 0 ? memchr(t.s, '.', t.n) : NULL;
  int64_t n = -1;
  if (r->is_short || (t.n > 0 && t.s[0] == '-')) return -1;
  if (point) t.n = (size_t)(point - t.s);
  if (hc_slurm_count(t, &n) != HC_SLURM_VALUE && r->bad.n == 0) r->bad = t.n > 0 ? t : (hc_slice){t.s, 1};
  return n;
}

/* So many texts. @return slots: "4*host" stands for four */
static int64_t slots_in(record *r, int64_t count)
{
  int64_t sum = 0;
  if (count > MOST_LISTED) count = MOST_LISTED;
  for (int64_t i = 0; i < count && !r->is_short; i++) {
    const hc_slice host = text(r);
    const char *star = memchr(host.s, '*', host.n);
    int64_t n = 1;
    if (star && hc_slurm_count((hc_slice){host.s, (size_t)(star - host.s)}, &n) != HC_SLURM_VALUE) n = 1;
    sum += n;
  }
  return sum;
}

static void say_text(record *r, hc_slurm_column c)
{
  const hc_slice t = text(r);
  if (t.n > 0) hc_slurm_say(&r->cells, c, t.s, t.n);
}

static void say(record *r, hc_slurm_column c)
{
  const int64_t n = number(r);
  if (n > 0) hc_slurm_say_number(&r->cells, c, n);
}

/* ---- a record ---- */

/* From the job's number to its name. */
static void read_head(record *r)
{
  r->end_time = number(r);
  r->id = (hc_slurm_id){.job = number(r), .task = -1, .component = -1};
  pass(r, 2); /* userId, options */
  say(r, HC_SLURM_REQ_CPUS);
  say(r, HC_SLURM_SUBMIT);
  say(r, HC_SLURM_ELIGIBLE); /* -b: it may not start before */
  pass(r, 1);                /* termTime */
  r->start = number(r);
  say_text(r, HC_SLURM_USER);
  say_text(r, HC_SLURM_QOS);
  pass(r, 9); /* resReq, dependCond, preExecCmd, fromHost, cwd, inFile, outFile, errFile, jobFile */
  (void)slots_in(r, number(r));
  r->slots = slots_in(r, number(r));
  r->status = number(r);
  pass(r, 1); /* hostFactor */
  r->name = text(r);
  pass(r, 1); /* command */
}

/* From the use of resources to the reason of the end, which all versions since 6 have. */
static void read_use(record *r)
{
  const int64_t user = number(r), system = number(r);
  if (user >= 0) hc_slurm_say_number(&r->cells, HC_SLURM_TOTAL_CPU, user + HC_MAX(system, 0));
  pass(r, 17); /* the rest of getrusage, mailUser follows */
  pass(r, 1);
  say_text(r, HC_SLURM_ACCOUNT);
  pass(r, 4); /* exitStatus, maxNumProcessors, loginShell, timeEvent */
  const int64_t index = number(r);
  if (index > 0) r->id.task = index;
  const int64_t memory = number(r);
  if (memory > 0 && memory < INT64_C(1) << 40)
    hc_slurm_say_number(&r->cells, HC_SLURM_USED_MEM, memory * 1024);
  pass(r, 7); /* maxRSwap, inFileSpool, commandSpool, rsvId, sla, exceptMask, additionalInfo */
  r->reason = r->is_short ? 0 : number(r);
}

/* What later versions append: the limits of its run. */
static void read_limits(record *r)
{
  pass(r, 6); /* warningAction, warningTimePeriod, chargedSAAP, licenseProject, app, postExecCmd */
  const int64_t estimate = number(r);
  if (estimate > 0) hc_slurm_say_number(&r->cells, HC_SLURM_LIMIT_SECONDS, estimate);
  pass(
      r,
      7); /* jobGroupName, requeueEvalues, options2, resizeNotifyCmd, lastResizeTime, rsvId, jobDescription */
  pass(r, 2 * HC_MIN(number(r), MOST_LISTED));
  pass(r, 5 * HC_MIN(number(r), MOST_LISTED)); /* of each host: name, memory, swap, times */
  pass(r, 1);                                  /* options3 */
  const int64_t limit = number(r);
  if (limit > 0) hc_slurm_say_number(&r->cells, HC_SLURM_LIMIT_SECONDS, limit);
}

static const char *state_of(const record *r)
{
  if (r->status == 64) return "COMPLETED";
  switch (r->reason) {
    case 1: return "PREEMPTED";
    case 5: return "TIMEOUT";
    case 6: return "DEADLINE";
    case 8:
    case 9:
    case 14:
    case 15: return "CANCELLED";
    case 10:
    case 11: return "REQUEUED";
    case 16:
    case 20: return "OUT_OF_MEMORY";
    default: return r->start > 0 ? "FAILED" : "CANCELLED";
  }
}

/* "sim[7]" is the name of each element of an array. */
static void say_name(record *r)
{
  const char *open = memchr(r->name.s, '[', r->name.n);
  if (open && r->id.task > 0) r->name.n = (size_t)(open - r->name.s);
  if (r->name.n > 0) hc_slurm_say(&r->cells, HC_SLURM_JOB_NAME, r->name.s, r->name.n);
}

static void read_job(record *r)
{
  read_head(r);
  const hc_slice bad = r->bad;
  const bool is_short = r->is_short;
  if (!r->is_short) read_use(r);
  if (!r->is_short && r->bad.n == 0) read_limits(r);
  r->bad = bad; /* what follows the name is as the version has it */
  r->is_short = is_short;
  hc_slurm_say_number(&r->cells, HC_SLURM_START, r->start > 0 ? r->start : -1);
  hc_slurm_say_number(&r->cells, HC_SLURM_END, r->end_time);
  if (r->start > 0) hc_slurm_say_number(&r->cells, HC_SLURM_CPUS, r->slots > 0 ? r->slots : -1);
  hc_slurm_say_word(&r->cells, HC_SLURM_STATE, state_of(r));
  say_name(r);
}

static hc_rc lsf_read(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  record r = {.slots = 0};
  char *line;
  size_t n;
  const hc_rc rc = hc_slurm_log_line(l, &line, &n, e);
  if (rc <= 0) return rc < 0 ? rc : hc_slurm_log_end(l, e);
  const uint64_t at = hc_input_lines(l->in);
  if (line[0] == '#') return 0;
  l->s.begun = true;
  hc_slurm_cells_begin(&r.cells, line, n);
  r.at = line;
  r.end = line + n;
  const hc_slice event = text(&r);
  if (event.s == line) return hc_slurm_log_malformed(l, line, at, 1, e); /* events are quoted */
  if (!hc_slurm_is(event, "JOB_FINISH")) return hc_slurm_log_reject(l, line, at, HC_REASON_NOT_A_TASK, e);
  pass(&r, 1); /* version */
  read_job(&r);
  if (r.is_short) return hc_slurm_log_malformed(l, line, at, 0, e);
  if (r.bad.n > 0 || r.id.job < 0)
    return hc_slurm_log_malformed(l, line, at, hc_slurm_place(&r.cells, r.bad), e);
  r.cells.id = &r.id;
  return hc_slurm_log_row(l, &r.cells, at, false, e);
}

static const hc_slurm_log_type lsf_log = {
    .who = "source lsf",
    .empty = "a file lsb.acct",
    .advice = "no line is a job: \"JOB_FINISH\" \"10.1\" TIME JOB ..., as lsb.acct(5) has them",
    .separator = '[',
    .words = {"project", NULL, "job_name"},
    .read = lsf_read};

/* ---- the reader ---- */

static int lsf_recognise(const char *name, const char *head, size_t size)
{
  static const char *const events[] = {"\"JOB_FINISH\" \"", "\"EVENT_ADRSV_FINISH\" \"", "\"JOB_RESIZE\" \""};
  size_t n;
  bool whole;
  const char *line = hc_lexer_first(head, size, "#", &n, &whole);
  HC_UNUSED(name);
  for (size_t i = 0; line && i < HC_ARRAY_LEN(events); i++)
    if (n > strlen(events[i]) && memcmp(line, events[i], strlen(events[i])) == 0) return 97;
  return 0;
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options, "Path of lsb.acct, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_SLURM_LOG_WAIT(options, "beginTime, where bsub -b was given"),
    HC_SLURM_LOG_REQUEUES(options, ", one for each run"),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

HC_SLURM_LOG_READER(
    lsf, lsf_log, lsf_recognise, params, .summary = "lsb.acct, the accounting log of IBM Spectrum LSF",
    .detail = "A line JOB_FINISH for each job, or element of an array, that ended; other events are "
              "not_a_task. Slots are processors: those that the job had, and the numProcessors that it asked "
              "for. The limit is runLimit, else runtimeEstimation. Projects become groups, and job names "
              "executables. Of jobs that did not complete, exitInfo says which were cancelled (by the owner "
              "or an administrator), preempted, requeued, or ended at their deadline, run limit or memory "
              "limit; the others failed. A job that never started, without exitInfo, was cancelled.",
    .source = "lsb.acct(5), https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=files-lsbacct");
