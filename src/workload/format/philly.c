/* philly.c -- the job log of Microsoft's Philly, both ways: a JSON array of jobs with their attempts.
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
 * Dates are local Pacific time and do not say so. The log need not be in order, so time 0, if it is not
 * given, is found by reading a file twice: the begin of the earliest submission's day.
 *
 * The array is read token by token: memory holds one job, and the names of users and virtual clusters. To go
 * back to a state, the file is opened again and read up to there. Telemetry of GPUs and machines is not read.
 *
 * Written, a task is a job with one attempt, from its start (its submission, where no wait is known) to its
 * end; one without a run time has no attempt. Each of its hosts is a machine with so many whole GPUs, chunks
 * are machines with others, and cores and memory are those that come with a GPU, or lost. Names of users and
 * of virtual clusters (queues) are written where they are known, else their numbers; reading numbers them
 * anew. Dates are whole seconds: the second of two equal hours comes back as the first, and is lost. Where
 * the date of time 0 is not known it is the midnight that began 1970 there. A bundle becomes as many jobs.
 * Left out: tasks without a submission, those that ran without GPUs, and those with more than 16 on a host.
 *
 * Source: Jeon et al., USENIX ATC 2019; https://github.com/msr-fiddle/philly-traces. Cost: about 8 ns a
 * byte read, 0.6 us a task written. */
#include <string.h>

#include "base/json.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/names.h"
#include "workload/philly_attempts.h"
#include "workload/reading.h"
#include "workload/spec.h"
#include "workload/writing.h"

#define GPUS_LIMIT INT64_C(1000000000) /* of one job */

/* What comes with each GPU. */
typedef struct gpu_options {
  double cpus;
  int64_t memory;
} gpu_options;

typedef struct options {
  const char *file, *zone, *origin;
  int attempts;
  int64_t gpus_per_host;
  gpu_options gpu;
  hc_time time_unit;
} options;

/* Keys of a job; both its number and that of the extract. */
enum { JOBID, ID, VC, USER, STATUS, SUBMITTED, ATTEMPTS, NUM_GPUS, RUNTIME, NONE };
static const char *const known[] = {"jobid",          "id",       "vc",       "user",   "status",
                                    "submitted_time", "attempts", "num_gpus", "runtime"};

/* One job as far as it has been read. */
typedef struct job {
  hc_task_spec *spec;
  uint32_t line, column, seen;
  hc_time runtime; /* as the extract says it */
  int64_t gpus;    /* the same */
  hc_philly_attempts a;
} job;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_json *json;
  hc_zone *zone;
  hc_interned users, clusters;
  hc_buffer id; /* of the job at hand, as it is written */
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

static const struct {
  const char *word;
  int32_t status;
} states[] = {{"Pass", HC_STATUS_COMPLETED}, {"Failed", HC_STATUS_FAILED}, {"Killed", HC_STATUS_CANCELLED}};

static bool take_status(const hc_json_token *t, int32_t *out)
{
  if (hc_philly_is_missing(t)) return true;
  if (t->kind != HC_JSON_STRING) return false;
  for (size_t i = 0; i < HC_ARRAY_LEN(states); i++)
    if (strcmp(t->text, states[i].word) == 0) *out = states[i].status;
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
  const hc_field f = hc_philly_field(t);
  if (hc_philly_is_missing(t)) return true;
  return t->kind == HC_JSON_NUMBER && hc_field_whole(&f, out) && *out >= 0 && *out <= GPUS_LIMIT;
}

static bool take_runtime(const hc_source *s, const hc_json_token *t, hc_time *out)
{
  const hc_field f = hc_philly_field(t);
  if (hc_philly_is_missing(t)) return true;
  return t->kind == HC_JSON_NUMBER && hc_field_duration(&f, s->o->time_unit, out);
}

/* @return 0 or HC_ENOMEM. A value that is no text is no name. */
static hc_rc take_name(hc_source *s, const hc_json_token *t, hc_interned *names, int64_t *out, job *b)
{
  const hc_field f = hc_philly_field(t);
  if (hc_philly_is_missing(t)) return 0;
  if (t->kind != HC_JSON_STRING) {
    b->a.wrong = "a user or virtual cluster is a text";
    return 0;
  }
  const hc_rc rc = hc_interned_number(names, &f, &s->scratch, out);
  return rc < 0 ? rc : 0;
}

/* ---- one job ---- */

static hc_rc read_member(hc_source *s, size_t which, const hc_json_token *t, job *b)
{
  bool fine = true;
  switch (which) {
    case JOBID:
    case ID:
      fine = take_id(t, &b->spec->id);
      s->id.size = 0;
      if (fine) hc_buffer_add(&s->id, t->text, t->size);
      if (s->id.failed) return HC_ENOMEM;
      break;
    case VC: return take_name(s, t, &s->clusters, &b->spec->queue, b);
    case USER: return take_name(s, t, &s->users, &b->spec->user, b);
    case STATUS: fine = take_status(t, &b->spec->status); break;
    case SUBMITTED: fine = hc_philly_moment(s->zone, t, &b->spec->submit); break;
    case NUM_GPUS: fine = take_gpus(t, &b->gpus); break;
    case RUNTIME: fine = take_runtime(s, t, &b->runtime); break;
    default: break;
  }
  if (fine) return 0;
  b->a.wrong = which == SUBMITTED  ? "submitted_time is a date such as \"2017-10-07 01:11:39\""
               : which == NUM_GPUS ? "num_gpus is a whole number"
               : which == RUNTIME  ? "runtime is a number of minutes that is not negative"
                                   : "the id or the status is neither a text nor a number";
  return 0;
}

static hc_rc read_job(hc_source *s, job *b, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  size_t which;
  while ((rc = hc_json_member(s->json, known, NONE, &which, &t, e)) == 1) {
    if (which < NONE && (b->seen & 1u << which)) b->a.wrong = "one of its keys stands there twice";
    b->seen |= 1u << which;
    if (which == ATTEMPTS) {
      TRY(hc_philly_read_attempts(s->json, s->zone, &t, &b->a, e));
      continue;
    }
    TRY(read_member(s, which, &t, b));
    TRY(hc_json_skip(s->json, &t, e));
  }
  return rc;
}

/* What comes with so many GPUs of one host. @param count  of `need` @return false: it is more memory than can
 *  be counted */
static bool fill_need(const gpu_options *o, int64_t gpus, int64_t *need, int count)
{
  for (int d = 0; d < count; d++) need[d] = HC_UNKNOWN;
  need[HC_DIM_GPU] = gpus * HC_DEVICE;
  if (o->cpus > 0) need[HC_DIM_CPU] = gpus * (int64_t)(o->cpus * 1000 + 0.999);
  return o->memory == 0 || !__builtin_mul_overflow(gpus, o->memory, &need[HC_DIM_MEMORY]);
}

/* The machines become the spec's own hosts, those with the most GPUs, and chunks. @return 0 or HC_ENOMEM. */
static hc_rc set_demand(hc_source *s, job *b)
{
  hc_chunk chunks[HC_DEVICES];
  hc_task_extras more = hc_task_extras_none();
  hc_task_spec *t = b->spec;
  int64_t gpus = 0;
  for (int64_t n = HC_DEVICES; n > 0; n--) {
    const uint32_t hosts = b->a.machines[n];
    int64_t *need = t->need;
    if (hosts == 0) continue;
    if (gpus == 0) {
      t->hosts = hosts;
    } else {
      chunks[more.chunk_count] = (hc_chunk){.hosts = hosts};
      need = chunks[more.chunk_count++].need;
    }
    gpus += n * hosts;
    if (!fill_need(&s->o->gpu, n, need, need == t->need ? HC_NEEDS : HC_DIMENSIONS))
      b->a.wrong = "its memory by `memory_per_gpu` is more than can be counted";
  }
  if (gpus == 0 || b->a.wrong) return 0;
  t->procs_asked = t->procs_used = gpus;
  if (b->a.has_machines) t->flags |= HC_SPEC_SPREAD;
  if (more.chunk_count == 0) return 0;
  more.chunks = chunks;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more == 0 ? HC_ENOMEM : 0;
}

/* The wait and the run time. False if it is not known yet: it was still running. */
static bool set_run(const hc_source *s, const job *b)
{
  hc_task_spec *t = b->spec;
  if (t->submit != HC_UNKNOWN && b->a.start != HC_UNKNOWN && b->a.start >= t->submit &&
      __builtin_sub_overflow(b->a.start, t->submit, &t->wait))
    t->wait = HC_UNKNOWN;
  if (s->o->attempts != HC_PHILLY_SUM || b->runtime == HC_UNKNOWN)
    return hc_philly_run(&b->a, (hc_philly_which)s->o->attempts, &t->run);
  t->run = b->runtime;
  return true;
}

static hc_rc reject(hc_source *s, const job *b, hc_reason why, hc_error *e)
{
  hc_spec_drop(s->context->lexicon, b->spec);
  if (why == HC_REASON_MALFORMED)
    return hc_flaws_reject(&s->s.flaws, s->context, hc_json_name(s->json), b->line, b->column, e, "%s",
                           b->a.wrong);
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
  hc_spec_drop(s->context->lexicon, t);
  return hc_fail(
      e, HC_EINPUT, hc_json_name(s->json), b->line, b->column,
      "submitted before the day of the first job, from which the times of this trace count: set `origin` to "
      "the day of the earliest job, such as 2017-08-07, or read from a file, which is looked through for it");
}

/* Make the object at hand a task. @return 1, 0 if it was rejected, or an error. */
static hc_rc take_job(hc_source *s, const hc_json_token *begin, hc_error *e)
{
  job b = {.spec = &s->task,
           .line = begin->line,
           .column = begin->column,
           .runtime = HC_UNKNOWN,
           .gpus = HC_UNKNOWN,
           .a = {.start = HC_UNKNOWN, .first = HC_UNKNOWN, .last = HC_UNKNOWN}};
  hc_rc rc;
  s->task = hc_task_spec_none();
  s->task.line = begin->line;
  s->task.id = (int64_t)s->s.items;
  s->id.size = 0;
  if (begin->kind != HC_JSON_OBJECT) {
    b.a.wrong = "a job is an object: {\"jobid\": ..., \"submitted_time\": ..., \"attempts\": [...]}";
    TRY(hc_json_skip(s->json, begin, e));
  } else {
    TRY(read_job(s, &b, e));
  }
  if (!b.a.wrong && !(b.seen & 1u << SUBMITTED)) b.a.wrong = "it has no submitted_time";
  if (b.a.wrong) return reject(s, &b, HC_REASON_MALFORMED, e);
  if (!b.a.has_machines && b.gpus > 0) hc_philly_cut_gpus(&b.a, b.gpus, s->o->gpus_per_host);
  TRY(set_demand(s, &b));
  if (b.a.wrong) return reject(s, &b, HC_REASON_MALFORMED, e);
  s->s.flaws.at.rows++;
  if (!set_run(s, &b)) return reject(s, &b, HC_REASON_STILL_RUNNING, e);
  rc = set_submit(s, &b, e);
  if (rc == 1) TRY(hc_spec_label(s->context->lexicon, s->id.data, s->id.size, s->task.id, &s->task.label));
  return rc;
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
  size_t which;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_member(j, &known[SUBMITTED], 1, &which, &t, e)) == 1) {
    hc_time at;
    if (which == 0 && hc_philly_moment(s->zone, &t, &at) && at != HC_UNKNOWN &&
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
  hc_buffer_fini(&s->id);
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
  hc_buffer_init(&s->id, c->allocator);
  hc_interned_init(&s->clusters, c->allocator, true);
  s->clusters.lexicon = c->lexicon;
  s->users.ledger = s->clusters.ledger = c->ledger;
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
    HC_PARAM(FILE, options, file, NULL, "Path of the log, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, attempts, "sum|first|last", "sum",
             "Which attempts make up the run time of a job; the time between attempts does not count. sum: "
             "all attempts with a start and an end, or `runtime` if the log has it. first, last: only the "
             "first, or the last, attempt."),
    HC_PARAM(INT, options, gpus_per_host, "GPUs", "8", 1, HC_DEVICES,
             "GPUs of a host, for jobs without recorded machines: they get as many hosts with so many GPUs "
             "as their number fills, and one host with the rest."),
    HC_PARAM_AS(REAL, "cpus_per_gpu", options, gpu.cpus, "cores", "0", 0, 1e6,
                "Cores that a task asks for with each GPU; the log does not have them. 0: none."),
    HC_PARAM_AS(SIZE, "memory_per_gpu", options, gpu.memory, "B", "0", 0, 1125899906842624.0,
                "Memory that a task asks for with each GPU; the log does not have it. 0: none."),
    HC_PARAM(TIME, options, time_unit, "s", "1m", 1e-9, 1e6, "Unit of `runtime`."),
    HC_PARAM(TEXT, options, zone, "America/Los_Angeles", "Time zone of the dates, which they do not name."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Time 0: a date or a Unix time; jobs submitted before it are left out. Default: the begin of "
             "the day of the earliest submission, for which a file is read twice; from standard input, of "
             "the first submission."),
    {0}};

const hc_reader_type hc_reader_philly = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "philly",
         .summary = "job logs of Microsoft's Philly (JSON): GPUs, hosts and attempts of training jobs",
         .detail =
             "A job is a task. It asks for as many different hosts as its first attempt had machines, with "
             "the same GPUs on each (machines with different numbers of GPUs become chunks); where only "
             "num_gpus is recorded, gpus_per_host divides it into hosts. GPUs also count as processors, for "
             "cells that count processors. Pass is completed, Failed is failed, Killed is cancelled; vc is "
             "the queue. Users and virtual clusters are numbered from 1 in order of first sight; an id that "
             "is no number is replaced by a hash of it. A job whose last attempt has a start and no end was "
             "still running, and is rejected; a job without any attempt never ran.",
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

/* ---- writing ---- */

typedef struct writer_options {
  const char *zone;
  gpu_options gpu;
} writer_options;

struct hc_writer {
  hc_rows rows;
  const writer_options *o;
  hc_zone *zone;
  int64_t origin; /* Unix seconds */
  hc_buffer job;  /* the one at hand */
  bool any;
};

static void writer_close(hc_writer *w)
{
  if (w) hc_buffer_fini(&w->job);
  if (w) hc_zone_free(w->zone);
  hc_rows_close(w);
}

static hc_rc writer_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_writer *w;
  hc_rc rc;
  TRY(hc_rows_open(c, sizeof *w, "[", &w));
  w->o = given;
  hc_buffer_init(&w->job, c->allocator);
  rc = hc_origin_zone(c->allocator, "writer philly", w->o->zone, &w->zone, e);
  if (rc < 0) {
    writer_close(w);
    return rc;
  }
  w->origin =
      c->info && c->info->unix_start != HC_UNKNOWN ? c->info->unix_start : -hc_zone_offset(w->zone, 0);
  *out = w;
  return 0;
}

/* ---- dates ---- */

static void add_key(hc_buffer *b, const char *before, const char *key)
{
  hc_buffer_text(b, before);
  hc_add_string(b, "", key);
  hc_buffer_text(b, ": ");
}

/* What a clock shows there, and shows once: an hour before it showed something else. False: it does not. */
static bool add_date(hc_writer *w, const char *before, const char *key, int64_t seconds)
{
  const int64_t unix = seconds + w->origin;
  const int32_t offset = hc_zone_offset(w->zone, unix);
  char text[40];
  const char *end = hc_put_char(hc_put_date(text, unix + offset, ' '), '"');
  add_key(&w->job, before, key);
  hc_buffer_text(&w->job, "\"");
  hc_buffer_add(&w->job, text, (size_t)(end - text));
  for (int64_t back = 900; back <= 7200; back += 900) /* clocks are put back by quarters of an hour */
    if (hc_zone_offset(w->zone, unix - back) - offset == back) return false;
  return true;
}

/* ---- machines ---- */

/* So many machines, each with so many GPUs; `*made` numbers them. */
static void add_machines(hc_buffer *b, int64_t hosts, int64_t gpus, int64_t *made)
{
  for (int64_t i = 0; i < hosts && !b->failed; i++) {
    hc_add_int(b, *made > 0 ? ", {\"ip\": \"m" : "{\"ip\": \"m", *made + 1);
    ++*made;
    add_key(b, "\", ", hc_philly_gpus);
    hc_buffer_text(b, "[");
    for (int64_t g = 0; g < gpus; g++) {
      hc_add_int(b, g > 0 ? ", \"gpu" : "\"gpu", g);
      hc_buffer_text(b, "\"");
    }
    hc_buffer_text(b, "]}");
  }
}

/* Whether the reader will say the same of cores and memory: the bits of what it will. */
static uint64_t comes_with(const gpu_options *o, int64_t gpus, const int64_t need[HC_NEEDS])
{
  int64_t will[HC_NEEDS];
  uint64_t same = 0;
  if (gpus == 0) return 0;
  const bool counts = fill_need(o, gpus, will, HC_NEEDS);
  if (o->cpus > 0 && need[HC_DIM_CPU] == will[HC_DIM_CPU]) same |= HC_FACT_BIT(CPU);
  if (o->memory > 0 && counts && need[HC_DIM_MEMORY] == will[HC_DIM_MEMORY]) same |= HC_FACT_BIT(MEMORY);
  return same;
}

static bool said(const int64_t need[HC_NEEDS], uint64_t same)
{
  bool all = (need[HC_DIM_CPU] < 0 || (same & HC_FACT_BIT(CPU))) &&
             (need[HC_DIM_MEMORY] < 0 || (same & HC_FACT_BIT(MEMORY)));
  for (int d = 0; d < HC_NEEDS; d++)
    all &= d == HC_DIM_CPU || d == HC_DIM_MEMORY || d == HC_DIM_GPU || need[d] < 0;
  return all;
}

/* The machines of its attempt. What its chunks need beside GPUs must come with these, and each kind of
 * machine must have fewer than the one before, since the reader puts those with the most first. */
static void add_detail(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const hc_task_extras *m = hc_lexicon_more(w->rows.context->lexicon, t->more);
  const int64_t own = hc_whole_gpus(s->need[HC_DIM_GPU], lost);
  const uint64_t same = comes_with(&w->o->gpu, own, s->need);
  int64_t made = 0, total = own * s->hosts, before = own;
  bool chunks = own > 0;
  *lost &= ~same;
  add_machines(&w->job, s->hosts, own, &made);
  for (size_t i = 0; m && i < m->chunk_count; i++) {
    const hc_chunk *c = &m->chunks[i];
    const int64_t gpus = hc_whole_gpus(c->need[HC_DIM_GPU], lost);
    chunks &=
        gpus > 0 && gpus < before && comes_with(&w->o->gpu, gpus, c->need) == same && said(c->need, same);
    add_machines(&w->job, c->hosts, gpus, &made);
    total += gpus * c->hosts;
    before = gpus;
  }
  if (chunks && m && m->chunk_count > 0) *lost &= ~HC_FACT_BIT(CHUNKS);
  if (own == 0) *lost |= HC_FACT_BIT(HOSTS); /* a machine without GPUs is none */
  if (total > 0 && t->procs_asked == total) *lost &= ~HC_FACT_BIT(PROCS_ASKED);
  if (total > 0 && t->procs_used == total) *lost &= ~HC_FACT_BIT(PROCS_USED);
  if (own > 0) *lost &= ~HC_FACT_BIT(SPREAD);
}

/* ---- jobs ---- */

static void add_status(hc_buffer *b, const hc_task_spec *t, uint64_t *lost)
{
  size_t i = 0;
  while (i < HC_ARRAY_LEN(states) && states[i].status != t->status) i++;
  add_key(b, ",\n{", known[STATUS]);
  if (i < HC_ARRAY_LEN(states)) hc_add_string(b, "", states[i].word);
  else hc_buffer_text(b, "null");
  if (i == HC_ARRAY_LEN(states) && t->status != HC_STATUS_UNKNOWN) *lost |= HC_FACT_BIT(STATUS);
}

/* A name where it is known, else its number; null where there is none. Of a name that is no text of JSON its
 * hash. */
static void add_name(hc_writer *w, size_t key, hc_called kind, int64_t n, uint64_t *lost)
{
  hc_buffer *b = &w->job;
  const char *name = hc_called_of(w->rows.context, kind, n);
  add_key(b, ", ", known[key]);
  if (name && hc_is_plain_text(name) && strcmp(name, "None") != 0 && strcmp(name, "null") != 0) {
    *lost &= ~hc_name_fact(kind);
    hc_add_string(b, "", name);
    return;
  }
  if (name) *lost |= hc_name_fact(kind);
  if (name) n = hc_name_hashed(name, strlen(name));
  if (n < 0) hc_buffer_text(b, "null");
  else hc_buffer_printf(b, "\"%lld\"", (long long)n);
}

static void add_attempt(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const int64_t submit = hc_whole(t->submit, HC_SECOND, lost);
  const int64_t start = submit + (t->wait > 0 ? hc_whole(t->wait, HC_SECOND, lost) : 0);
  const int64_t end = start + hc_whole(t->run, HC_SECOND, lost);
  if (!add_date(w, "{", hc_philly_attempt_keys[HC_PHILLY_START], start))
    *lost |= HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN);
  if (!add_date(w, ", ", hc_philly_attempt_keys[HC_PHILLY_END], end)) *lost |= HC_FACT_BIT(RUN);
  add_key(&w->job, ", ", hc_philly_attempt_keys[HC_PHILLY_DETAIL]);
  hc_buffer_text(&w->job, "[");
  add_detail(w, t, s, lost);
  hc_buffer_text(&w->job, "]}");
}

static void make_job(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  hc_buffer *b = &w->job;
  const bool ran = t->run >= 0;
  b->size = 0;
  add_status(b, t, lost);
  add_name(w, VC, HC_CALLED_QUEUE, t->queue, lost);
  const char *id = t->label != 0 && l ? hc_lexicon_label_text(l, t->label, NULL) : NULL;
  if (id && hc_is_plain_text(id)) {
    *lost &= ~HC_FACT_BIT(LABEL);
    add_key(b, ", ", known[JOBID]);
    hc_add_string(b, "", id);
  } else if (t->id >= 0) {
    add_name(w, JOBID, HC_CALLED_COUNT, t->id, lost);
  }
  if (t->id >= 0 && !hc_name_holds(t->id)) *lost |= HC_FACT_BIT(ID);
  add_key(b, ", ", known[ATTEMPTS]);
  hc_buffer_text(b, "[");
  if (ran) add_attempt(w, t, s, lost);
  else if (t->wait >= 0) *lost |= HC_FACT_BIT(WAIT);
  if (!ran) *lost |= hc_task_facts(t, l) & (HC_FACT_BIT(HOSTS) | HC_FACT_BIT(GPU));
  if (!add_date(w, "], ", known[SUBMITTED], hc_whole(t->submit, HC_SECOND, lost)))
    *lost |= HC_FACT_BIT(SUBMIT);
  add_name(w, USER, HC_CALLED_USER, t->user, lost);
  hc_buffer_text(b, "}");
}

/* How many machines it is, or 0: the format cannot say it, since it ran on no GPU, or on more than a
 * machine has. */
static int64_t machines_of(const hc_task_spec *t, const hc_task_extras *m, int64_t hosts)
{
  int64_t most = t->need[HC_DIM_GPU], all = hosts;
  for (size_t i = 0; m && i < m->chunk_count; i++) {
    most = HC_MAX(most, m->chunks[i].need[HC_DIM_GPU]);
    all += m->chunks[i].hosts;
  }
  return most > (int64_t)HC_DEVICES * HC_DEVICE || (most <= 0 && t->run >= 0) ? 0 : all;
}

static hc_rc writer_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  int64_t machines;
  if (t->submit == HC_UNKNOWN || t->run == HC_NEVER) return 1;
  machines = machines_of(t, hc_lexicon_more(w->rows.context->lexicon, t->more), s.hosts);
  if (machines == 0) return 1;
  TRY(hc_rows_allowed(t, HC_MAX(s.count, machines), "philly", e));
  make_job(w, t, &s, lost);
  if (w->job.failed) return HC_ENOMEM;
  for (int64_t i = 0; i < s.count; i++) {
    const size_t comma = w->any ? 0 : 1;
    TRY(hc_out_add(&w->rows.out, w->job.data + comma, w->job.size - comma));
    w->any = true;
  }
  return 0;
}

static hc_rc writer_finish(hc_writer *w, hc_error *e)
{
  TRY(hc_out_add(&w->rows.out, "\n]\n", 3));
  return hc_rows_finish(w, e);
}

static const hc_param writer_params[] = {
    HC_PARAM(
        TEXT, writer_options, zone, "America/Los_Angeles",
        "Time zone of the dates, which they do not name: the reader's `zone`. In UTC no hour comes twice."),
    HC_PARAM_AS(REAL, "cpus_per_gpu", writer_options, gpu.cpus, "cores", "0", 0, 1e6,
                "The value of cpus_per_gpu with which the file will be read: tasks with so many cores for "
                "each GPU lose none. 0: all cores are lost."),
    HC_PARAM_AS(SIZE, "memory_per_gpu", writer_options, gpu.memory, "B", "0", 0, 1125899906842624.0,
                "The value of memory_per_gpu with which the file will be read: tasks with so much memory for "
                "each GPU lose none. 0: all memory is lost."),
    {.name = NULL},
};

const hc_writer_type hc_writer_philly = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "philly",
         .summary = "the job log of Microsoft's Philly (cluster_job_log, JSON): jobs with attempts, "
                    "machines and GPUs",
         .detail = "jobid, vc (the queue), user, status (Pass, Failed, Killed, or null), submitted_time, and "
                   "one attempt with start_time, end_time and a different machine for each host, with its "
                   "GPUs, rounded up to whole numbers. Dates are whole seconds in `zone`, which they do not "
                   "name. A task that never ran has no attempt. A bundle becomes a job for each of its "
                   "tasks. Users and virtual clusters are numbered anew when they are read. Lost: cores and "
                   "memory that do not come with GPUs, disks, limits, priorities, groups, jobs, "
                   "predecessors, constraints, and that a run had not ended. Left out: tasks without "
                   "submission, tasks that ran without GPUs, and tasks with more than 16 GPUs on a host.",
         .source =
             "Jeon et al., \"Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads\", "
             "USENIX ATC 2019; https://github.com/msr-fiddle/philly-traces",
         .params = writer_params, .options_size = sizeof(writer_options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(USER) | HC_FACT_BIT(QUEUE) | HC_FACT_BIT(USER_NAME) | HC_FACT_BIT(QUEUE_NAME) |
             HC_FACT_BIT(STATUS) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE),
    .ending = ".json",
    .open = writer_open,
    .task = writer_task,
    .finish = writer_finish,
    .close = writer_close,
};
