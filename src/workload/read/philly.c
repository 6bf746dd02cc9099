/* philly.c -- reads the job log of Microsoft's Philly: a JSON array of training jobs with their attempts.
 *
 * Two files are known. The original `cluster_job_log` has jobid, vc, user, status, submitted_time and
 * attempts, each with start_time, end_time and `detail`: the machines that it had, with the GPUs on each. The
 * extract `philly_multigpu_jobs.json` has id, num_gpus, runtime in minutes, attempts without detail, and
 * submitted_time.
 *
 * A job is a task. What it needs is what its first attempt had: as many hosts, with as many GPUs on each;
 * machines with different numbers of GPUs become chunks. If only a number is recorded, it is cut into whole
 * hosts of `gpus_per_host` and a rest. Its run time is that of one attempt or of all together; the time
 * between attempts is no run time. Processors and memory are not recorded: they come from options, or are not
 * said.
 *
 * Dates are local Pacific time and do not say so. An attempt that begins in the hour which a clock shows
 * twice and ends, as it seems, before, ended in the second of the two hours. The log need not be in
 * order, so time 0, if it is not given, is found by reading a file twice: the begin of the earliest
 * submission's day.
 *
 * The array is read token by token: memory holds one job, and the names of users and virtual clusters. To go
 * back to a state, the file is opened again and read up to there. Telemetry of GPUs and machines is not read.
 * Source: Jeon et al., USENIX ATC 2019; https://github.com/msr-fiddle/philly-traces. Cost: about 8 ns a
 * byte. */
#include <string.h>

#include "base/json.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/fields.h"
#include "workload/ledger.h"
#include "workload/reading.h"
#include "workload/spec.h"

#define GPUS_LIMIT INT64_C(1000000000) /* of one job */
#define HOUR 3600

typedef enum which_attempts { ATTEMPTS_SUM, ATTEMPTS_FIRST, ATTEMPTS_LAST } which_attempts;

typedef struct options {
  const char *file, *zone, *origin;
  int attempts;
  int64_t gpus_per_host, memory_per_gpu;
  double cpus_per_gpu;
  hc_time time_unit;
} options;

/* One job as far as it has been read. */
typedef struct job {
  hc_task_spec *spec;
  uint32_t line, column, seen;
  const char *wrong;                 /* what is; NULL */
  hc_time runtime;                   /* as the extract says it */
  int64_t gpus;                      /* the same */
  uint32_t machines[HC_DEVICES + 1]; /* of the first attempt with any: how many had so many GPUs */
  bool has_machines;
  uint64_t attempts, timed; /* how many there are, and how many have a start and an end */
  hc_time first_start, first, last, sum;
  bool is_open; /* the last one started and did not end */
} job;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_json *json;
  hc_zone *zone;
  hc_interned users, clusters;
  hc_buffer scratch;
  hc_task_spec task;
  hc_trace_info info;
  struct {
    uint64_t items; /* of the array, read so far */
    hc_time origin; /* Unix time of time 0, ns; HC_UNKNOWN: not known yet */
    uint64_t begun, at_end;
    hc_told_flaws flaws;
  } s;
};

/* ---- values ---- */

static hc_field field_of(const hc_json_token *t)
{
  return (hc_field){.text = t->text, .length = t->size};
}

/* null, and what scripts write for it */
static bool is_missing(const hc_json_token *t)
{
  return t->kind == HC_JSON_NULL ||
         (t->kind == HC_JSON_STRING &&
          (t->size == 0 || strcmp(t->text, "None") == 0 || strcmp(t->text, "null") == 0));
}

static bool take_moment(const hc_zone *zone, const hc_json_token *t, hc_time *out)
{
  static const hc_moment_format iso = {.kind = HC_MOMENT_ISO},
                                unix = {.kind = HC_MOMENT_UNIX, .unit = HC_SECOND};
  const hc_field f = field_of(t);
  *out = HC_UNKNOWN;
  if (is_missing(t)) return true;
  if (t->kind == HC_JSON_NUMBER) return hc_field_moment(&f, &unix, NULL, out);
  return t->kind == HC_JSON_STRING && hc_field_moment(&f, &iso, zone, out);
}

static bool take_status(const hc_json_token *t, int32_t *out)
{
  if (is_missing(t)) return true;
  if (t->kind != HC_JSON_STRING) return false;
  if (strcmp(t->text, "Pass") == 0) *out = HC_STATUS_COMPLETED;
  if (strcmp(t->text, "Failed") == 0) *out = HC_STATUS_FAILED;
  if (strcmp(t->text, "Killed") == 0) *out = HC_STATUS_CANCELLED;
  return true;
}

static bool take_id(const hc_json_token *t, int64_t *out)
{
  if (t->kind != HC_JSON_STRING && t->kind != HC_JSON_NUMBER) return false;
  *out = hc_name_number(t->text, t->size);
  return true;
}

static bool take_gpus(const hc_json_token *t, int64_t *out)
{
  const hc_field f = field_of(t);
  if (is_missing(t)) return true;
  return t->kind == HC_JSON_NUMBER && hc_field_whole(&f, out) && *out >= 0 && *out <= GPUS_LIMIT;
}

static bool take_runtime(const hc_source *s, const hc_json_token *t, hc_time *out)
{
  const hc_field f = field_of(t);
  if (is_missing(t)) return true;
  return t->kind == HC_JSON_NUMBER && hc_field_duration(&f, s->o->time_unit, out);
}

/* @return 0, HC_ELIMIT with what to do, or HC_ENOMEM. A value that is no text is no name. */
static hc_rc take_name(hc_source *s, const hc_json_token *t, hc_interned *names, int64_t *out, job *b,
                       hc_error *e)
{
  const hc_field f = field_of(t);
  if (is_missing(t)) return 0;
  if (t->kind != HC_JSON_STRING) {
    b->wrong = "a user or virtual cluster is a text";
    return 0;
  }
  const hc_rc rc = hc_interned_number(names, &f, &s->scratch, out);
  if (rc == HC_ELIMIT)
    return hc_fail(e, rc, hc_json_name(s->json), t->line, t->column,
                   "more than %zu different users or virtual clusters: split the log", HC_NAME_LIMIT);
  return rc < 0 ? rc : 0;
}

/* ---- attempts ---- */

/* Pass over the rest of an array whose begin was read. @param count  how many items it had */
static hc_rc count_items(hc_json *j, uint64_t *count, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    TRY(hc_json_skip(j, &t, e));
    ++*count;
  }
  return rc;
}

/* One machine: {"ip": ..., "gpus": [...]} */
static hc_rc read_machine(hc_json *j, uint64_t *gpus, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    const bool is_gpus = strcmp(t.text, "gpus") == 0;
    TRY(hc_json_next(j, &t, e));
    if (is_gpus && t.kind == HC_JSON_ARRAY) TRY(count_items(j, gpus, e));
    else TRY(hc_json_skip(j, &t, e));
  }
  return rc;
}

/* The machines of an attempt; only those of the first attempt that had any are kept. */
static hc_rc read_detail(hc_json *j, job *b, hc_error *e)
{
  const bool keep = !b->has_machines;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    uint64_t gpus = 0;
    if (t.kind == HC_JSON_OBJECT) TRY(read_machine(j, &gpus, e));
    else TRY(hc_json_skip(j, &t, e));
    if (!keep || gpus == 0) continue;
    b->has_machines = true;
    if (gpus > HC_DEVICES) b->wrong = "a machine has more than 16 GPUs, the most that a host can have";
    else if (b->machines[gpus] < UINT32_MAX) b->machines[gpus]++;
  }
  return rc;
}

/* How long an attempt took; HC_UNKNOWN if it is not known. False if it ends before it starts. */
static bool length_of(const hc_zone *zone, hc_time start, hc_time end, hc_time *out)
{
  *out = HC_UNKNOWN;
  if (start == HC_UNKNOWN || end == HC_UNKNOWN) return true;
  if (end < start && zone) { /* the second of two equal hours? */
    const int64_t seconds = hc_floor_div(end, HC_SECOND);
    const int32_t back = hc_zone_offset(zone, seconds) - hc_zone_offset(zone, seconds + HOUR);
    if (back > 0) end += back * HC_SECOND;
  }
  return !__builtin_sub_overflow(end, start, out) && *out >= 0;
}

static hc_rc read_attempt(hc_source *s, job *b, hc_error *e)
{
  hc_time start = HC_UNKNOWN, end = HC_UNKNOWN, length;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(s->json, &t, e)) == 1) {
    const bool is_start = strcmp(t.text, "start_time") == 0, is_end = strcmp(t.text, "end_time") == 0,
               is_detail = strcmp(t.text, "detail") == 0;
    TRY(hc_json_next(s->json, &t, e));
    if ((is_start && !take_moment(s->zone, &t, &start)) || (is_end && !take_moment(s->zone, &t, &end)))
      b->wrong = "start_time and end_time are dates such as \"2017-10-07 01:12:09\"";
    if (is_detail && t.kind == HC_JSON_ARRAY) TRY(read_detail(s->json, b, e));
    else TRY(hc_json_skip(s->json, &t, e));
  }
  TRY(rc);
  if (!length_of(s->zone, start, end, &length)) b->wrong = "an attempt ends before it starts";
  if (b->attempts++ == 0) {
    b->first_start = start;
    b->first = length;
  }
  b->last = length;
  b->is_open = start != HC_UNKNOWN && end == HC_UNKNOWN;
  if (length == HC_UNKNOWN) return 0;
  b->timed++;
  b->sum = hc_time_add(b->sum, length);
  return 0;
}

static hc_rc read_attempts(hc_source *s, const hc_json_token *begin, job *b, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_ARRAY) {
    if (!is_missing(begin)) b->wrong = "`attempts` is an array";
    return hc_json_skip(s->json, begin, e);
  }
  while ((rc = hc_json_next(s->json, &t, e)) == 1) {
    if (t.kind == HC_JSON_OBJECT) {
      TRY(read_attempt(s, b, e));
      continue;
    }
    b->wrong = "an attempt is an object";
    TRY(hc_json_skip(s->json, &t, e));
  }
  return rc;
}

/* ---- one job ---- */

enum { JOBID, ID, VC, USER, STATUS, SUBMITTED, ATTEMPTS, NUM_GPUS, RUNTIME, NONE };
static const char *const known[] = {"jobid",          "id",       "vc",       "user",   "status",
                                    "submitted_time", "attempts", "num_gpus", "runtime"};

static hc_rc read_member(hc_source *s, size_t which, const hc_json_token *t, job *b, hc_error *e)
{
  bool fine = true;
  switch (which) {
    case JOBID:
    case ID: fine = take_id(t, &b->spec->id); break;
    case VC: return take_name(s, t, &s->clusters, &b->spec->queue, b, e);
    case USER: return take_name(s, t, &s->users, &b->spec->user, b, e);
    case STATUS: fine = take_status(t, &b->spec->status); break;
    case SUBMITTED: fine = take_moment(s->zone, t, &b->spec->submit); break;
    case NUM_GPUS: fine = take_gpus(t, &b->gpus); break;
    case RUNTIME: fine = take_runtime(s, t, &b->runtime); break;
    default: break;
  }
  if (fine) return 0;
  b->wrong = which == SUBMITTED  ? "submitted_time is a date such as \"2017-10-07 01:11:39\""
             : which == NUM_GPUS ? "num_gpus is a whole number"
             : which == RUNTIME  ? "runtime is a number of minutes that is not negative"
                                 : "the id or the status is neither a text nor a number";
  return 0;
}

static hc_rc read_job(hc_source *s, job *b, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(s->json, &t, e)) == 1) {
    size_t which = 0;
    while (which < NONE && strcmp(t.text, known[which]) != 0) which++;
    if (which < NONE && (b->seen & 1u << which)) b->wrong = "one of its keys stands there twice";
    b->seen |= 1u << which;
    TRY(hc_json_next(s->json, &t, e));
    if (which == ATTEMPTS) {
      TRY(read_attempts(s, &t, b, e));
      continue;
    }
    TRY(read_member(s, which, &t, b, e));
    TRY(hc_json_skip(s->json, &t, e));
  }
  return rc;
}

/* What one host with so many GPUs gives. */
static bool fill_need(const options *o, int64_t gpus, int64_t need[HC_DIMENSIONS])
{
  for (int d = 0; d < HC_DIMENSIONS; d++) need[d] = HC_UNKNOWN;
  need[HC_DIM_GPU] = gpus * HC_DEVICE;
  if (o->cpus_per_gpu > 0) need[HC_DIM_CPU] = gpus * (int64_t)(o->cpus_per_gpu * 1000 + 0.999);
  return o->memory_per_gpu == 0 || !__builtin_mul_overflow(gpus, o->memory_per_gpu, &need[HC_DIM_MEMORY]);
}

/* A number of GPUs alone: whole hosts, and one with the rest. */
static void cut_gpus(const options *o, job *b)
{
  const int64_t whole = b->gpus / o->gpus_per_host, rest = b->gpus % o->gpus_per_host;
  b->machines[o->gpus_per_host] = (uint32_t)whole;
  if (rest > 0) b->machines[rest] = 1;
}

/* The machines become the spec's own hosts, those with the most GPUs, and chunks. @return 0 or HC_ENOMEM. */
static hc_rc set_demand(hc_source *s, job *b)
{
  hc_chunk chunks[HC_DEVICES];
  hc_task_extras more = hc_task_extras_none();
  hc_task_spec *t = b->spec;
  int64_t gpus = 0;
  for (int64_t n = HC_DEVICES; n > 0; n--) {
    const uint32_t hosts = b->machines[n];
    int64_t *need = t->need;
    if (hosts == 0) continue;
    if (gpus == 0) {
      t->hosts = hosts;
    } else {
      chunks[more.chunk_count] = (hc_chunk){.hosts = hosts};
      need = chunks[more.chunk_count++].need;
    }
    gpus += n * hosts;
    if (!fill_need(s->o, n, need)) b->wrong = "its memory by `memory_per_gpu` is more than can be counted";
  }
  if (gpus == 0 || b->wrong) return 0;
  t->procs_asked = t->procs_used = gpus;
  if (b->has_machines) t->flags |= HC_SPEC_SPREAD;
  if (more.chunk_count == 0) return 0;
  more.chunks = chunks;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more == 0 ? HC_ENOMEM : 0;
}

/* The run time. False if nobody knows it yet: it was still running. */
static bool set_run(const hc_source *s, const job *b)
{
  hc_task_spec *t = b->spec;
  const bool first = s->o->attempts == ATTEMPTS_FIRST;
  if (t->submit != HC_UNKNOWN && b->first_start != HC_UNKNOWN && b->first_start >= t->submit &&
      __builtin_sub_overflow(b->first_start, t->submit, &t->wait))
    t->wait = HC_UNKNOWN;
  if (s->o->attempts == ATTEMPTS_SUM && b->runtime != HC_UNKNOWN) {
    t->run = b->runtime;
    return true;
  }
  if (b->is_open && (!first || b->attempts == 1)) return false;
  if (s->o->attempts == ATTEMPTS_SUM) t->run = b->timed > 0 ? b->sum : HC_UNKNOWN;
  else t->run = first ? b->first : b->last;
  return true;
}

/* Nobody takes the task: what was kept for it is kept no longer. */
static void drop_more(const hc_source *s, hc_task_spec *t)
{
  if (t->more == 0) return;
  hc_lexicon_calls_of(s->context->lexicon)->drop(s->context->lexicon, t->more);
  t->more = 0;
}

static hc_rc reject(hc_source *s, const job *b, hc_reason why, hc_error *e)
{
  drop_more(s, b->spec);
  if (why == HC_REASON_MALFORMED)
    return hc_flaws_reject(&s->s.flaws, s->context, hc_json_name(s->json), b->line, b->column, e, "%s",
                           b->wrong);
  return hc_row_reject(s->context, hc_json_name(s->json), b->line, b->column, why, NULL, e);
}

/* Time counts from the origin. @return 1, 0 if the row was rejected, or an error. */
static hc_rc set_submit(hc_source *s, const job *b, hc_error *e)
{
  hc_task_spec *t = b->spec;
  if (t->submit == HC_UNKNOWN) return 1; /* which is for the stream to say */
  if (s->s.origin == HC_UNKNOWN) s->s.origin = hc_origin_day(t->submit, s->zone);
  if (__builtin_sub_overflow(t->submit, s->s.origin, &t->submit)) t->submit = -1;
  if (t->submit >= 0) return 1;
  if (s->o->origin) return reject(s, b, HC_REASON_OUTSIDE, e);
  drop_more(s, t);
  return hc_fail(
      e, HC_EINPUT, hc_json_name(s->json), b->line, b->column,
      "submitted before the day of the first job, from which the times of this trace count: set `origin` to "
      "the day "
      "of the earliest job, such as 2017-08-07, or read from a file, which is looked through for it");
}

/* Make the object at hand a task. @return 1, 0 if it was rejected, or an error. */
static hc_rc take_job(hc_source *s, const hc_json_token *begin, hc_error *e)
{
  job b = {.spec = &s->task,
           .line = begin->line,
           .column = begin->column,
           .runtime = HC_UNKNOWN,
           .gpus = HC_UNKNOWN,
           .first_start = HC_UNKNOWN,
           .first = HC_UNKNOWN,
           .last = HC_UNKNOWN};
  s->task = hc_task_spec_none();
  s->task.line = begin->line;
  s->task.id = (int64_t)s->s.items;
  if (begin->kind != HC_JSON_OBJECT) {
    b.wrong = "a job is an object: {\"jobid\": ..., \"submitted_time\": ..., \"attempts\": [...]}";
    TRY(hc_json_skip(s->json, begin, e));
  } else {
    TRY(read_job(s, &b, e));
  }
  if (!b.wrong && !(b.seen & 1u << SUBMITTED)) b.wrong = "it has no submitted_time";
  if (b.wrong) return reject(s, &b, HC_REASON_MALFORMED, e);
  if (!b.has_machines && b.gpus > 0) cut_gpus(s->o, &b);
  TRY(set_demand(s, &b));
  if (b.wrong) return reject(s, &b, HC_REASON_MALFORMED, e);
  s->s.flaws.at.rows++;
  if (!set_run(s, &b)) return reject(s, &b, HC_REASON_STILL_RUNNING, e);
  return set_submit(s, &b, e);
}

/* ---- the file ---- */

static hc_rc no_log(const hc_json *j, const hc_json_token *t, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, hc_json_name(j), t->line, t->column,
                 "this is not a Philly job log, which is an array of jobs: [{\"jobid\": \"application_1\", "
                 "\"submitted_time\": \"2017-10-07 01:11:39\", \"attempts\": [...]}, ...]");
}

static hc_rc begin(hc_json *j, hc_error *e)
{
  hc_json_token t;
  TRY(hc_json_next(j, &t, e));
  return t.kind == HC_JSON_ARRAY ? 0 : no_log(j, &t, e);
}

/* The earliest submitted_time of an object whose begin was read. */
static hc_rc look_at_job(const hc_source *s, hc_json *j, hc_time *earliest, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    const bool is_time = strcmp(t.text, known[SUBMITTED]) == 0;
    hc_time at;
    TRY(hc_json_next(j, &t, e));
    if (is_time && take_moment(s->zone, &t, &at) && at != HC_UNKNOWN &&
        (*earliest == HC_UNKNOWN || at < *earliest))
      *earliest = at;
    TRY(hc_json_skip(j, &t, e));
  }
  return rc;
}

static hc_rc look_through(const hc_source *s, hc_json *j, hc_time *earliest, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  TRY(begin(j, e));
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    if (t.kind == HC_JSON_OBJECT) TRY(look_at_job(s, j, earliest, e));
    else TRY(hc_json_skip(j, &t, e));
  }
  return rc;
}

/* Time 0 of a file that can be read twice. What is wrong with it is told when it is read for good. */
static hc_rc find_origin(hc_source *s, hc_error *e)
{
  hc_time earliest = HC_UNKNOWN;
  hc_error ignored = {0};
  hc_json *j;
  if (s->s.origin != HC_UNKNOWN || !hc_json_seekable(s->json)) return 0;
  TRY(hc_json_open(s->context->allocator, s->o->file, &j, e));
  const hc_rc rc = look_through(s, j, &earliest, &ignored);
  hc_json_free(j);
  if (rc == HC_ENOMEM) return rc;
  if (earliest != HC_UNKNOWN) s->s.origin = hc_origin_day(earliest, s->zone);
  return 0;
}

/* ---- the reader ---- */

static void philly_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_interned_fini(&s->users);
  hc_interned_fini(&s->clusters);
  hc_buffer_fini(&s->scratch);
  hc_json_free(s->json);
  hc_zone_free(s->zone);
  hc_free(a, s, sizeof *s);
}

static hc_rc philly_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, "source philly", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->s.origin = HC_UNKNOWN;
  s->info = hc_trace_info_none();
  s->info.zone = o->zone;
  s->info.derived =
      "A task's demand is what its first attempt had; its run time is that of its attempts, by "
      "`attempts`. Processors and memory are not recorded: they are those of the options, if any.";
  hc_interned_init(&s->users, c->allocator, true);
  s->users.lexicon = c->lexicon;
  hc_interned_init(&s->clusters, c->allocator, true);
  s->clusters.lexicon = c->lexicon;
  s->clusters.what = HC_CALLED_QUEUE;
  hc_buffer_init(&s->scratch, c->allocator);
  TRY_OR(hc_origin_zone(c->allocator, "source philly", o->zone, &s->zone, e), fail);
  TRY_OR(hc_origin_read("source philly", o->origin, s->zone, &s->s.origin, e), fail);
  TRY_OR(hc_json_open(c->allocator, o->file, &s->json, e), fail);
  *out = s;
  return 0;
fail:
  philly_close(s);
  return rc;
}

/* The array has ended: nothing may follow it. */
static hc_rc check_end(hc_source *s, hc_error *e)
{
  hc_json_token t;
  s->s.at_end = 1;
  TRY(hc_json_next(s->json, &t, e));
  return hc_flaws_end(&s->s.flaws, hc_json_name(s->json), "a job of Philly",
                      "`hindcast list reader` has the formats", e);
}

static hc_rc philly_next(hc_source *s, hc_job *out, hc_error *e)
{
  hc_json_token t;
  if (!s->s.begun) {
    TRY(find_origin(s, e));
    TRY(begin(s->json, e));
    s->s.begun = 1;
  }
  while (!s->s.at_end) {
    hc_rc rc = hc_json_next(s->json, &t, e);
    if (rc < 0) return rc;
    if (rc == 0) return check_end(s, e);
    s->s.items++;
    if (s->context->ledger) s->context->ledger->read++;
    rc = take_job(s, &t, e);
    if (rc == 1) *out = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return 0;
}

static const hc_trace_info *philly_info(hc_source *s)
{
  s->info.unix_start = hc_origin_seconds(s->s.origin);
  return &s->info;
}

/* Read the file up to where the state says. */
static hc_rc go_back(hc_source *s, hc_error *e)
{
  hc_json_token t;
  hc_json *j;
  if (!hc_json_seekable(s->json))
    return hc_fail(e, HC_EUNSUPPORTED, hc_json_name(s->json), 0, 0,
                   "this input cannot be read twice: save it to a file first");
  TRY(hc_json_open(s->context->allocator, s->o->file, &j, e));
  hc_json_free(s->json);
  s->json = j;
  if (!s->s.begun) return 0;
  TRY(begin(j, e));
  for (uint64_t i = 0; i < s->s.items; i++) {
    const hc_rc rc = hc_json_next(j, &t, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_fail(e, HC_EINPUT, hc_json_name(j), 0, 0,
                     "the file has fewer jobs than when it was read before; give the same file");
    TRY(hc_json_skip(j, &t, e));
  }
  return 0;
}

static hc_rc philly_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  TRY(hc_interned_visit(&s->users, v));
  TRY(hc_interned_visit(&s->clusters, v));
  return hc_visit_loading(v) ? go_back(s, e) : 0;
}

static void philly_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_json_progress(s->json, done, total);
}

/* An array, with the key of a time that no other format spells so; of a line too long to be looked at, the
 * name. */
static int philly_recognise(const char *name, const char *head, size_t size)
{
  const bool is_named = name && (strstr(name, "philly") || strstr(name, "cluster_job_log"));
  const size_t i = hc_head_begin(head, size);
  if (i == size) return is_named ? 60 : 0;
  if (head[i] != '[' || !hc_head_holds(head, size, "\"submitted_time\"")) return 0;
  return hc_head_holds(head, size, "\"attempts\"") || hc_head_holds(head, size, "\"num_gpus\"") ? 95 : 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, file, NULL, "Path of the log, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, attempts, "sum|first|last", "sum",
             "Which attempts a job's run time is made of. sum: all that have a start and an end; or "
             "`runtime`, where the log has it. first, last: that one alone. The time between attempts does "
             "not count."),
    HC_PARAM(INT, options, gpus_per_host, "GPUs", "8", 1, HC_DEVICES,
             "How a number of GPUs is cut into hosts where the machines are not recorded: as many with so "
             "many GPUs as it makes, and one with the rest."),
    HC_PARAM(REAL, options, cpus_per_gpu, "cores", "0", 0, 1e6,
             "Cores that each GPU brings along, which the log does not have. 0: the demand says nothing of "
             "them."),
    HC_PARAM(SIZE, options, memory_per_gpu, "B", "0", 0, 1125899906842624.0,
             "Memory that each GPU brings along, which the log does not have. 0: the demand says nothing of "
             "it."),
    HC_PARAM(TIME, options, time_unit, "s", "1m", 1e-9, 1e6, "What one unit of `runtime` means."),
    HC_PARAM(TEXT, options, zone, "America/Los_Angeles", "Time zone of the dates, which do not say it."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Time 0: a date or a Unix time; jobs submitted before it are left out. Default: the begin of "
             "the day of the earliest submission, for which a file is read twice; of the first one on "
             "standard input."),
    {0}};

const hc_reader_type hc_reader_philly = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "philly",
         .summary = "job logs of Microsoft's Philly (JSON): GPUs, hosts and attempts of training jobs",
         .detail =
             "A job is a task. It needs as many hosts as its first attempt had machines, with as many GPUs "
             "on each "
             "(machines that differ are chunks), each on another host; where only num_gpus is recorded, that "
             "number cut "
             "by gpus_per_host. GPUs also count as processors, for cells that have nothing else. Pass is "
             "completed, "
             "Failed failed, Killed cancelled; vc is the queue. Users and virtual clusters are numbered from "
             "1 in order "
             "of first sight; an id that is no number is replaced by a hash of it. A job whose last attempt "
             "has a start "
             "and no end was still running, and is rejected; one without any attempt never ran.",
         .source =
             "Jeon et al., \"Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads\", "
             "USENIX ATC 2019; https://github.com/msr-fiddle/philly-traces",
         .params = params, .options_size = sizeof(options)},
    .open = philly_open,
    .next = philly_next,
    .info = philly_info,
    .visit = philly_visit,
    .progress = philly_progress,
    .close = philly_close,
    .recognise = philly_recognise,
};
