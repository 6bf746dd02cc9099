/* batsim.c -- reads the workloads of Batsim: one JSON object with `jobs`, `profiles` and `nb_res`.
 *
 * A job is a task: `subtime`, `res` and `walltime` are its submission, processors and limit; `profile` names
 * what it does. A profile that is a delay, or a sequence of delays, is a run time. All others compute or
 * communicate, and last as long as a platform makes them: their rows are rejected (`profile`), or run for
 * their limit if the user says so.
 *
 * Jobs may stand in any order, and usually stand before the profiles that they name. So the file is read as a
 * whole when it is opened, into 48 bytes a job, and sorted by (subtime, place in the file); at most 2^25
 * jobs.
 *
 * An id that is a whole number, or one behind the workload's name ("w0!17"), is kept; any other text is
 * replaced by the rank of its job in the file, from 1. Batsim orders jobs of equal subtime by id as text
 * (w0!10 before w0!2); here numbers are numbers. Workflows, events and custom fields of jobs are not read.
 * What is wrong with one job rejects its row, what is wrong with the file or a profile is an error. A delay
 * as long as its walltime completes; Batsim, which wants it shorter, counts it as killed, at the same time.
 * Cost: about 8 ns a byte, and O(log jobs) for each of an unsorted file. Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/batsim_profiles.h"
#include "workload/ledger.h"
#include "workload/reading.h"

#define JOBS_LIMIT ((size_t)1 << 25)
#define NO_PROFILE UINT32_MAX
#define FINE HC_REASON_COUNT

typedef enum other_profiles { OTHER_REJECT, OTHER_LIMIT } other_profiles;

typedef struct options {
  const char *file;
  int other_profiles;
} options;

typedef struct job {
  int64_t id;
  hc_time submit, limit; /* HC_UNKNOWN */
  int64_t procs;         /* HC_UNKNOWN */
  uint32_t profile;      /* NO_PROFILE */
  uint32_t line, column; /* where it begins */
  uint32_t why;          /* it is rejected; or FINE */
} job;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  char *name;
  hc_trace_info info;
  hc_profiles profiles;
  job *jobs; /* [count], by (submit, line, column) */
  size_t count, cap;
  uint64_t bytes;
  hc_task_spec task; /* the one at hand */
  struct {
    uint64_t next, count;
  } s;
};

/* ---- one job ---- */

/* "17", "w0!17" */
static bool number_of(const hc_json_token *t, int64_t *out)
{
  const char *text = t->text, *mark = strrchr(text, '!');
  if (t->kind == HC_JSON_STRING && mark) text = mark + 1;
  if (t->kind == HC_JSON_STRING && (*text == '\0' || strspn(text, "0123456789") != strlen(text)))
    return false;
  return hc_parse_int(text, strlen(text), out) == 0;
}

static bool take_id(const hc_json_token *t, job *b)
{
  if (t->kind != HC_JSON_NUMBER && t->kind != HC_JSON_STRING) return false;
  return number_of(t, &b->id) || t->kind == HC_JSON_STRING; /* else its rank stays */
}

static bool take_time(const hc_json_token *t, hc_time *out)
{
  return t->kind == HC_JSON_NUMBER && hc_parse_seconds(t->text, t->size, out) == 0 && *out < HC_NEVER;
}

/* -1 and null: there is none. */
static bool take_limit(const hc_json_token *t, job *b)
{
  if (t->kind == HC_JSON_NULL) return true;
  if (!take_time(t, &b->limit)) return false;
  if (b->limit == -HC_SECOND) b->limit = HC_UNKNOWN;
  return b->limit > 0 || b->limit == HC_UNKNOWN;
}

static hc_rc take_profile(hc_source *s, hc_json *j, const hc_json_token *t, job *b, hc_error *e)
{
  if (t->kind != HC_JSON_STRING) {
    b->why = HC_REASON_MALFORMED;
    return 0;
  }
  return hc_profiles_id(&s->profiles, j, t, &b->profile, e);
}

static hc_rc read_job(hc_source *s, hc_json *j, job *b, hc_error *e)
{
  enum { ID, SUBTIME, RES, WALLTIME, PROFILE, NONE };
  static const char *const known[] = {"id", "subtime", "res", "walltime", "profile"};
  uint32_t seen = 0;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    size_t which = 0;
    bool fine = true;
    while (which < NONE && strcmp(t.text, known[which]) != 0) which++;
    TRY(hc_json_next(j, &t, e));
    if (which < NONE && (seen & 1u << which)) fine = false; /* which of the two is meant? */
    seen |= 1u << which;
    if (which == ID) fine = fine && take_id(&t, b);
    if (which == SUBTIME) fine = fine && take_time(&t, &b->submit) && b->submit >= 0;
    if (which == WALLTIME) fine = fine && take_limit(&t, b);
    if (which == RES)
      fine =
          fine && t.kind == HC_JSON_NUMBER && hc_parse_int(t.text, t.size, &b->procs) == 0 && b->procs >= 0;
    if (which == PROFILE) TRY(take_profile(s, j, &t, b, e));
    if (!fine) b->why = HC_REASON_MALFORMED;
    TRY(hc_json_skip(j, &t, e));
  }
  if (b->profile == NO_PROFILE) b->why = HC_REASON_MALFORMED;
  return rc;
}

static hc_rc read_jobs(hc_source *s, hc_json *j, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    job b = {.id = (int64_t)s->count + 1,
             .submit = HC_UNKNOWN,
             .limit = HC_UNKNOWN,
             .procs = HC_UNKNOWN,
             .profile = NO_PROFILE,
             .line = t.line,
             .column = t.column,
             .why = FINE};
    if (s->count == JOBS_LIMIT)
      return hc_fail(e, HC_EINPUT, s->name, t.line, t.column,
                     "more than 33,554,432 jobs, which are held in memory: split the workload");
    if (t.kind == HC_JSON_OBJECT) {
      TRY(read_job(s, j, &b, e));
    } else {
      b.why = HC_REASON_MALFORMED;
      TRY(hc_json_skip(j, &t, e));
    }
    TRY(hc_reserve(s->context->allocator, (void **)&s->jobs, &s->cap, s->count + 1, sizeof *s->jobs));
    s->jobs[s->count++] = b;
  }
  return rc;
}

/* ---- their order ---- */

/* In place, since a workload may be large; most are in order already. No two keys are equal. */
HC_SORT(sort_jobs, job,
        a->submit != b->submit ? a->submit < b->submit
        : a->line != b->line   ? a->line < b->line
                               : a->column < b->column)

/* ---- the file ---- */

static hc_rc no_workload(const hc_source *s, const hc_json_token *t, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, s->name, t->line, t->column, "this is not a Batsim workload: %s", what);
}

static hc_rc read_processors(hc_source *s, const hc_json_token *t, hc_error *e)
{
  if (t->kind != HC_JSON_NUMBER || hc_parse_int(t->text, t->size, &s->info.processors) < 0 ||
      s->info.processors < 1)
    return no_workload(s, t, "`nb_res`, the number of its resources, must be a whole number from 1 on", e);
  return 0;
}

static hc_rc read_members(hc_source *s, hc_json *j, hc_error *e)
{
  enum { NB_RES, JOBS, PROFILES, NONE };
  static const char *const known[] = {"nb_res", "jobs", "profiles"};
  uint32_t seen = 0;
  hc_json_token t = {.line = 1, .column = 1};
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    size_t which = 0;
    while (which < NONE && strcmp(t.text, known[which]) != 0) which++;
    if (which < NONE && (seen & 1u << which))
      return no_workload(s, &t, "this key stands in it for the second time; keep one", e);
    seen |= 1u << which;
    TRY(hc_json_next(j, &t, e));
    if (which == JOBS && t.kind != HC_JSON_ARRAY)
      return no_workload(s, &t, "`jobs` must be an array of objects", e);
    if (which == PROFILES && t.kind != HC_JSON_OBJECT)
      return no_workload(s, &t, "`profiles` must be an object with the profiles by name", e);
    if (which == NB_RES) TRY(read_processors(s, &t, e));
    if (which == JOBS) TRY(read_jobs(s, j, e));
    else if (which == PROFILES) TRY(hc_profiles_read(&s->profiles, j, e));
    else TRY(hc_json_skip(j, &t, e));
  }
  TRY(rc);
  if (!(seen & 1u << JOBS)) return no_workload(s, &t, "it has no `jobs`", e);
  if (!(seen & 1u << PROFILES))
    return no_workload(s, &t, "it has no `profiles`, which say how long its jobs run", e);
  return 0;
}

static hc_rc read_file(hc_source *s, hc_json *j, hc_error *e)
{
  hc_json_token t;
  TRY(hc_json_next(j, &t, e));
  if (t.kind != HC_JSON_OBJECT)
    return no_workload(s, &t, "it is {\"nb_res\": 4, \"jobs\": [...], \"profiles\": {...}}", e);
  TRY(read_members(s, j, e));
  const hc_rc rest = hc_json_next(j, &t, e); /* nothing may follow */
  if (rest < 0) return rest;
  TRY(hc_profiles_resolve(&s->profiles, s->name, e));
  sort_jobs(s->jobs, s->count);
  s->bytes = hc_json_bytes(j);
  s->s.count = s->count;
  return 0;
}

/* ---- the reader ---- */

static void batsim_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_profiles_fini(&s->profiles);
  hc_free(a, s->jobs, s->cap * sizeof *s->jobs);
  if (s->name) hc_free(a, s->name, strlen(s->name) + 1);
  hc_free(a, s, sizeof *s);
}

static hc_rc batsim_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_json *j = NULL;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, "source batsim", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  hc_profiles_init(&s->profiles, c->allocator);
  TRY_OR(hc_json_open(c->allocator, o->file, &j, e), done);
  const char *name = hc_json_name(j);
  s->name = hc_alloc(c->allocator, strlen(name) + 1);
  rc = s->name ? 0 : HC_ENOMEM;
  if (rc == 0) {
    memcpy(s->name, name, strlen(name) + 1);
    rc = read_file(s, j, e);
  }
done:
  hc_json_free(j);
  if (rc < 0) batsim_close(s);
  else *out = s;
  return rc;
}

/* Make the job a task. @return FINE, or why not. */
static hc_reason make_task(hc_source *s, const job *b)
{
  hc_time time = HC_UNKNOWN;
  bool fails = false;
  if (b->why != FINE) return (hc_reason)b->why;
  switch (hc_profiles_get(&s->profiles, b->profile, &time, &fails)) {
    case HC_PROFILE_UNDEFINED: return HC_REASON_MALFORMED;
    case HC_PROFILE_OTHER:
      if (s->o->other_profiles == OTHER_REJECT || b->limit == HC_UNKNOWN) return HC_REASON_PROFILE;
      time = b->limit;
      break;
    case HC_PROFILE_DELAY:
    case HC_PROFILE_SEQUENCE: break;
  }
  s->task = hc_task_spec_none();
  s->task.id = b->id;
  s->task.line = b->line;
  s->task.submit = b->submit;
  s->task.run = time;
  s->task.limit = b->limit;
  s->task.procs_asked = b->procs;
  s->task.status = fails ? HC_STATUS_FAILED : HC_STATUS_UNKNOWN;
  return FINE;
}

static hc_rc batsim_next(hc_source *s, hc_job *out, hc_error *e)
{
  while (s->s.next < s->count) {
    const job *b = &s->jobs[s->s.next++];
    const hc_reason why = make_task(s, b);
    if (s->context->ledger) s->context->ledger->read++;
    if (why == FINE) {
      *out = (hc_job){.tasks = &s->task, .task_count = 1};
      return 1;
    }
    TRY(hc_row_reject(s->context, s->name, b->line, b->column, why, NULL, e));
  }
  return 0;
}

static const hc_trace_info *batsim_info(hc_source *s)
{
  return &s->info;
}

static hc_rc batsim_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.count == s->count && s->s.next <= s->count) return 0;
  return hc_fail(e, HC_EINPUT, s->name, 0, 0,
                 "the file does not have as many jobs as when it was read before; give the same file");
}

static void batsim_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  *total = s->bytes;
  *done = s->count > 0 ? (uint64_t)((double)s->bytes * ((double)s->s.next / (double)s->count)) : s->bytes;
}

/* By the keys that no other format has; a line too long to be looked at leaves the name alone. */
static int batsim_recognise(const char *name, const char *head, size_t size)
{
  const bool is_json = name && strstr(name, ".json") != NULL;
  const size_t i = hc_head_begin(head, size);
  if (i == size) return is_json ? 20 : 0;
  if (head[i] != '{') return 0;
  if (hc_head_holds(head, size, "\"nb_res\"") || hc_head_holds(head, size, "\"subtime\"")) return 95;
  if (hc_head_holds(head, size, "\"jobs\"") || hc_head_holds(head, size, "\"profiles\"")) return 50;
  return is_json ? 20 : 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, file, NULL,
             "Path of the workload, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, other_profiles, "reject|limit", "reject",
             "A job whose profile is neither a delay nor a sequence of delays, so that its length depends "
             "on a platform. reject: its row is rejected. limit: it runs for its walltime; rejected without "
             "one."),
    {0}};

const hc_reader_type hc_reader_batsim = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "batsim",
         .summary = "workloads of Batsim (JSON): delays, and sequences of delays",
         .detail =
             "One task for each job: subtime, res, walltime (-1, null or absent: none), and the run time "
             "that its profile comes to; nb_res is the machine. Types delay, DelayProfile, composed and "
             "SequentialCompositionProfile are known. An id that is a whole number, or one behind a "
             "`!` (w0!17), is kept; another is replaced by the job's rank in the file. Held in memory, "
             "48 bytes a job, and sorted.",
         .source = "Batsim 4.2.1 and 5.0.0-rc2; Dutot et al., JSSPP 2016, doi:10.1007/978-3-319-61756-5_10",
         .params = params, .options_size = sizeof(options)},
    .open = batsim_open,
    .next = batsim_next,
    .info = batsim_info,
    .visit = batsim_visit,
    .progress = batsim_progress,
    .close = batsim_close,
    .recognise = batsim_recognise,
};
