/* batsim.c -- the workloads of Batsim, both ways: one JSON object with `jobs`, `profiles` and `nb_res`.
 *
 * A job is a task: `subtime`, `res` and `walltime` are its submission, processors and limit; `profile` names
 * what it does. In a run that carries profiles out (`execution`) tasks keep them (batsim_scripts.c). Else a
 * profile that is a delay, or a sequence of delays, is a run time; all others compute or communicate, and
 * last as long as a platform makes them: their rows are rejected (`profile`), or run for their limit if the
 * user says so.
 *
 * Jobs may stand in any order, and usually stand before the profiles that they name. So the file is read as a
 * whole when it is opened, into 56 bytes a job, and sorted by (subtime, number, place in the file); at most
 * 2^25 jobs.
 *
 * An id that is a whole number, or one behind the workload's name ("w0!17"), is kept; any other text is
 * replaced by the rank of its job in the file, from 1. Workflows, events and custom fields of jobs are not
 * read. What is wrong with one job rejects its row, what is wrong with the file or a profile is an error. A
 * delay as long as its walltime completes, unless the run's model says otherwise; Batsim, which wants it
 * shorter, counts it as killed, at the same time.
 *
 * Written, a run time is a delay, written once for all jobs that run as long, with a return code of 1 for
 * those that failed. A task without a run time, a processor or a time of submission is left out. A bundle
 * becomes as many jobs, with ids that are text. nb_res is the machine's size, or the largest job if that is
 * not known.
 *
 * Cost: about 8 ns a byte, and O(log jobs) for each of an unsorted file; 120 ns a job written, and 24
 * bytes for each different run time. Source: Batsim 4.2.1 and 5.0.0-rc2. */
#include <string.h>

#include "base/input.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/batsim_scripts.h"
#include "workload/batsim_traces.h"
#include "workload/ledger.h"
#include "workload/reading.h"
#include "workload/spec.h"
#include "workload/writing.h"

#define JOBS_LIMIT ((size_t)1 << 25)
#define NO_PROFILE UINT32_MAX
#define FINE HC_REASON_COUNT

typedef enum other_profiles { OTHER_REJECT, OTHER_LIMIT } other_profiles;

enum { TIES_FILE, TIES_ID };
enum { EXECUTABLES_NONE, EXECUTABLES_PROFILES };

typedef struct options {
  const char *file, *origin;
  int other_profiles, ties, executables;
  hc_time time_unit;
  double report;
  hc_list storage_mapping; /* texts */
  bool dynamic;
} options;

typedef struct job {
  int64_t id;
  const char *name;      /* as it is written, if it is a text; NULL */
  hc_time submit, limit; /* HC_UNKNOWN */
  int64_t procs;         /* HC_UNKNOWN */
  uint32_t profile;      /* NO_PROFILE */
  uint32_t line, column; /* where it begins */
  uint32_t why;          /* it is rejected; or FINE */
} job;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  const char *name;
  hc_trace_info info;
  hc_profiles profiles;
  hc_batsim_scripts scripts; /* where the run carries profiles out */
  hc_arena names;
  job *jobs; /* [count], by (submit, line, column) */
  size_t count, cap;
  uint64_t bytes;
  hc_task_spec task; /* the one at hand */
  struct {
    uint64_t next, count;
  } s;
  /* What came while the run went on: texts, one after the other, and of each its size and what `next` was. */
  char *fed;
  size_t fed_size, fed_cap;
  uint64_t *feeds; /* [feed_count] pairs */
  size_t feed_count, feed_cap;
};

/* Keys of a job, and of the workload. */
enum { ID, SUBTIME, WALLTIME, RES, PROFILE, NONE };
static const char *const job_keys[] = {"id", "subtime", "walltime", "res", "profile"};
enum { JOBS, PROFILES, NB_RES, NO_KEY };
static const char *const keys[] = {"jobs", "profiles", "nb_res"};

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

/* An id that its number does not say. */
static hc_rc keep_name(hc_source *s, const hc_json_token *t, job *b)
{
  if (t->kind != HC_JSON_STRING || t->size == 0 || hc_is_number_text(t->text, t->size, b->id)) return 0;
  b->name = hc_arena_text(&s->names, t->text, t->size);
  return b->name ? 0 : HC_ENOMEM;
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
  uint32_t seen = 0;
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(j, job_keys, NONE, &which, &t, e)) == 1) {
    bool fine = true;
    if (which < NONE && (seen & 1u << which)) fine = false; /* which of the two is meant? */
    seen |= 1u << which;
    if (which == ID) fine = fine && take_id(&t, b);
    if (which == ID && fine) TRY(keep_name(s, &t, b));
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
        : a->id != b->id       ? a->id < b->id
        : a->line != b->line   ? a->line < b->line
                               : a->column < b->column)

static const char *id_text(const job *b, char *room)
{
  if (b->name) return b->name;
  *hc_put_int(room, b->id) = '\0';
  return room;
}

/* As Batsim 4 submits jobs of one time. */
static bool comes_before(const job *a, const job *b)
{
  char one[24], two[24];
  if (a->submit != b->submit) return a->submit < b->submit;
  const int order = strcmp(id_text(a, one), id_text(b, two));
  if (order != 0) return order < 0;
  return a->line != b->line ? a->line < b->line : a->column < b->column;
}

HC_SORT(sort_jobs_by_id, job, comes_before(a, b))

/* Tasks of one time come in the order of their numbers: so these are ranks, and ids are labels. */
static hc_rc number_by_id(hc_source *s)
{
  char room[24];
  sort_jobs_by_id(s->jobs, s->count);
  for (size_t i = 0; i < s->count; i++) {
    job *b = &s->jobs[i];
    const char *text = id_text(b, room);
    const size_t size = strlen(text);
    const int64_t rank = (int64_t)i + 1;
    if (hc_is_number_text(text, size, rank)) b->name = NULL;
    else if (!b->name) b->name = hc_arena_text(&s->names, text, size);
    if (text == room && !b->name && b->id != rank) return HC_ENOMEM;
    b->id = rank;
  }
  return 0;
}

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
  uint32_t seen = 0;
  hc_json_token t = {.line = 1, .column = 1};
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) {
    size_t which = 0;
    while (which < NO_KEY && strcmp(t.text, keys[which]) != 0) which++;
    if (which < NO_KEY && (seen & 1u << which))
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
  if (s->o->ties == TIES_ID) TRY(number_by_id(s));
  else sort_jobs(s->jobs, s->count);
  s->bytes = hc_json_bytes(j);
  s->s.count = s->count;
  return 0;
}

/* ---- the reader ---- */

static void batsim_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_batsim_scripts_fini(&s->scripts);
  hc_profiles_fini(&s->profiles);
  hc_arena_fini(&s->names);
  hc_free(a, s->jobs, s->cap * sizeof *s->jobs);
  hc_free(a, s->fed, s->fed_cap);
  hc_free(a, s->feeds, s->feed_cap * sizeof *s->feeds);
  hc_free(a, s, sizeof *s);
}

static hc_rc check_mapping(const hc_list *mapping, hc_error *e)
{
  const char *const *items = mapping->items;
  for (size_t i = 0; i < mapping->count; i++) {
    const char *equals = strchr(items[i], '=');
    if (equals && equals > items[i] && equals[1] != '\0') continue;
    return hc_fail(e, HC_EUSAGE, "source batsim", 0, 0,
                   "storage_mapping: \"%.80s\" is no \"LABEL=HOST\", such as \"pfs=storage_1\"", items[i]);
  }
  return 0;
}

/* Each profile is a program, whose number is the profile's place. */
static hc_rc name_executables(const hc_source *s, size_t from)
{
  hc_lexicon *l = s->context->lexicon;
  if (!l) return 0;
  hc_lexicon_ask(l, HC_CALLED_EXECUTABLE);
  for (size_t i = from; i < s->profiles.names.count; i++) {
    const char *name = s->profiles.names.names[i];
    TRY(hc_lexicon_call(l, HC_CALLED_EXECUTABLE, (int64_t)i + 1, name, strlen(name)));
  }
  return 0;
}

static hc_rc batsim_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_time origin = HC_UNKNOWN;
  hc_json *j = NULL;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, "source batsim", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  hc_profiles_init(&s->profiles, c->allocator);
  hc_arena_init(&s->names, c->allocator);
  s->profiles.keeps = c->profiles != NULL;
  s->name = hc_reading_name(o->file);
  hc_batsim_scripts_init(&s->scripts, c->allocator, c->profiles, &s->profiles, o->file);
  s->scripts.unit = o->time_unit;
  s->scripts.report = o->report;
  s->scripts.mapping = &o->storage_mapping;
  rc = check_mapping(&o->storage_mapping, e);
  if (rc == 0) rc = hc_origin_read("source batsim", o->origin, NULL, &origin, e);
  s->info.unix_start = hc_origin_seconds(origin);
  if (rc == 0) rc = hc_json_open(c->allocator, o->file, &j, e);
  if (rc == 0) rc = read_file(s, j, e);
  if (rc == 0 && c->profiles) rc = hc_batsim_labels(&s->scripts, e);
  if (rc == 0 && o->executables == EXECUTABLES_PROFILES) rc = name_executables(s, 0);
  hc_json_free(j);
  if (rc < 0) batsim_close(s);
  else *out = s;
  return rc;
}

/* Make the job a task. Where profiles are carried out, what it takes alone is told of sums of delays only.
 * @return FINE, or why not. */
static hc_reason make_task(hc_source *s, const job *b)
{
  hc_time time = HC_UNKNOWN;
  bool fails = false;
  if (b->why != FINE) return (hc_reason)b->why;
  switch (hc_profiles_get(&s->profiles, b->profile, &time, &fails)) {
    case HC_PROFILE_UNDEFINED: return HC_REASON_MALFORMED;
    case HC_PROFILE_OTHER:
      if (s->context->profiles) {
        time = HC_UNKNOWN;
        break;
      }
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
  if (s->o->executables == EXECUTABLES_PROFILES) s->task.executable = (int64_t)b->profile + 1;
  hc_time *const times[] = {&s->task.submit, &s->task.run, &s->task.limit};
  return hc_reading_in_units(s->o->time_unit, times, HC_ARRAY_LEN(times)) ? FINE : HC_REASON_MALFORMED;
}

/* What its profile says, as the task carries it. */
static hc_rc keep_profile(hc_source *s, const job *b, hc_error *e)
{
  hc_task_extras m = hc_task_extras_none();
  TRY(hc_batsim_script_of(&s->scripts, b->profile, &m.profile, &m.profile_size, e));
  s->task.flags |= HC_SPEC_PROFILE;
  s->task.status = HC_STATUS_UNKNOWN; /* it is found out */
  s->task.more = hc_lexicon_keep(s->context->lexicon, &m);
  return s->task.more == 0 ? HC_ENOMEM : 0;
}

static hc_rc batsim_next(hc_source *s, hc_job *out, hc_error *e)
{
  while (s->s.next < s->count) {
    const job *b = &s->jobs[s->s.next++];
    const hc_reason why = make_task(s, b);
    if (s->context->ledger) s->context->ledger->read++;
    if (why == FINE) {
      if (s->context->profiles) TRY(keep_profile(s, b, e));
      if (b->name) TRY(hc_spec_label(s->context->lexicon, b->name, strlen(b->name), b->id, &s->task.label));
      *out = (hc_job){.tasks = &s->task, .task_count = 1};
      return 1;
    }
    TRY(hc_row_reject(s->context, s->name, b->line, b->column, why, NULL, e));
  }
  return s->o->dynamic ? 2 : 0;
}

/* ---- while a run goes on ---- */

/* Behind all others by number, and in front of those that are to come. */
static hc_rc insert(hc_source *s, job *more, size_t count, uint64_t next)
{
  TRY(hc_reserve(s->context->allocator, (void **)&s->jobs, &s->cap, s->count + count, sizeof *s->jobs));
  memmove(s->jobs + next + count, s->jobs + next, (s->count - next) * sizeof *s->jobs);
  memcpy(s->jobs + next, more, count * sizeof *s->jobs);
  s->count += count;
  return 0;
}

static hc_rc take_fed_jobs(hc_source *s, hc_json *j, uint64_t next, hc_error *e)
{
  const size_t first = s->count;
  hc_rc rc = read_jobs(s, j, e); /* at the end */
  const size_t count = s->count - first, size = count * sizeof(job);
  job *more = rc < 0 ? NULL : hc_alloc(s->context->allocator, size);
  s->count = first;
  if (rc < 0) return rc;
  if (count > 0 && !more) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    job *b = &s->jobs[first + i];
    b->id = (int64_t)(first + i) + 1;
    more[i] = *b;
  }
  rc = insert(s, more, count, next);
  hc_free(s->context->allocator, more, size);
  return rc;
}

static hc_rc apply_feed(hc_source *s, const char *text, size_t size, uint64_t next, hc_error *e)
{
  const size_t known = s->profiles.names.count;
  hc_json_token t;
  hc_json *j;
  size_t which;
  TRY(hc_json_open_text(s->context->allocator, "a task from outside", text, size, &j));
  hc_rc rc = hc_json_next(j, &t, e);
  if (rc >= 0) rc = rc == 1 && t.kind == HC_JSON_OBJECT ? 0 : HC_EINPUT;
  while (rc >= 0 && (rc = hc_json_member(j, keys, NO_KEY, &which, &t, e)) == 1) {
    if (which == JOBS && t.kind == HC_JSON_ARRAY) rc = take_fed_jobs(s, j, next, e);
    else if (which == PROFILES && t.kind == HC_JSON_OBJECT) rc = hc_profiles_read(&s->profiles, j, e);
    else rc = hc_json_skip(j, &t, e);
  }
  hc_json_free(j);
  if (rc >= 0) rc = hc_profiles_resolve(&s->profiles, "a task from outside", e);
  if (rc >= 0 && s->o->executables == EXECUTABLES_PROFILES) rc = name_executables(s, known);
  return rc;
}

static hc_rc batsim_feed(hc_source *s, const char *text, size_t size, hc_error *e)
{
  const hc_allocator *a = s->context->allocator;
  const size_t before = s->count;
  const uint64_t next = s->s.next;
  TRY(apply_feed(s, text, size, next, e));
  TRY(hc_reserve(a, (void **)&s->fed, &s->fed_cap, s->fed_size + size, 1));
  TRY(hc_reserve(a, (void **)&s->feeds, &s->feed_cap, s->feed_count + 2, sizeof *s->feeds));
  memcpy(s->fed + s->fed_size, text, size);
  s->fed_size += size;
  s->feeds[s->feed_count++] = size;
  s->feeds[s->feed_count++] = next;
  s->s.count = s->count;
  return (hc_rc)(s->count - before);
}

static bool batsim_listens(const void *opts)
{
  return ((const options *)opts)->dynamic;
}

/* It hears of ends as those that listen do, and needs none. */
static hc_rc batsim_feedback(hc_source *s, const hc_feedback *f, hc_error *e)
{
  HC_UNUSED(s);
  HC_UNUSED(f);
  HC_UNUSED(e);
  return 0;
}

static hc_rc visit_fed(hc_source *s, hc_visitor *v, hc_error *e)
{
  size_t at = 0;
  HC_VISIT_ARRAY(v, s->fed, s->fed_size, s->fed_cap);
  HC_VISIT_ARRAY(v, s->feeds, s->feed_count, s->feed_cap);
  for (size_t i = 0; hc_visit_loading(v) && i + 1 < s->feed_count; i += 2) {
    const uint64_t size = s->feeds[i], next = s->feeds[i + 1];
    if (size > s->fed_size - at || next > s->count) return HC_EINPUT;
    TRY(apply_feed(s, s->fed + at, (size_t)size, next, e));
    at += (size_t)size;
  }
  return 0;
}

static const hc_trace_info *batsim_info(hc_source *s)
{
  return &s->info;
}

/* Another unit might make two times of submission one. */
static bool batsim_is_sorted(const hc_source *s)
{
  return s->o->time_unit == HC_SECOND;
}

static hc_rc batsim_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  if (s->o->dynamic) TRY(visit_fed(s, v, e));
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

/* ---- what it names ---- */

typedef struct naming {
  const hc_allocator *allocator;
  const options *o;
  hc_rc (*each)(void *ctx, const char *path, hc_error *e);
  void *ctx;
} naming;

/* The trace of one profile, whatever its type: no other type has one. */
static hc_rc name_trace(const naming *n, hc_json *j, hc_error *e)
{
  static const char *const wanted[] = {"trace"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(j, wanted, 1, &which, &t, e)) == 1) {
    if (which == 0 && t.kind == HC_JSON_STRING)
      TRY(hc_batsim_trace_files(n->allocator, n->o->file, t.text, n->each, n->ctx, e));
    TRY(hc_json_skip(j, &t, e));
  }
  return rc;
}

static hc_rc name_traces(const naming *n, hc_json *j, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) == 1) { /* a name, and what it is */
    TRY(hc_json_next(j, &t, e));
    TRY(t.kind == HC_JSON_OBJECT ? name_trace(n, j, e) : hc_json_skip(j, &t, e));
  }
  return rc;
}

/* How many bytes at the end of a block are the beginning of a word. */
static size_t begun(const char *data, size_t size, const char *word, size_t n)
{
  size_t k = HC_MIN(size, n - 1);
  while (k > 0 && memcmp(data + size - k, word, k) != 0) k--;
  return k;
}

/* May the text name a trace? A key may be written with escapes; else the word stands in it. So a workload of
 * a million profiles is not taken apart once more to find none.
 * @param at in and out: so many bytes of the word ended the block before */
static bool has_trace(const char *data, size_t size, size_t *at)
{
  static const char word[] = "trace";
  const size_t n = sizeof word - 1, rest = n - *at;
  if (memchr(data, '\\', size)) return true;
  if (*at > 0 && (size < rest || memcmp(data, word + *at, rest) == 0)) return true;
  for (const char *p = data, *end = data + size; (p = memchr(p, word[0], (size_t)(end - p))); p++)
    if ((size_t)(end - p) >= n && memcmp(p, word, n) == 0) return true;
  *at = begun(data, size, word, n);
  return false;
}

/* @return 1: it may; 0; an error */
static hc_rc may_name_traces(const hc_allocator *a, const char *path, hc_error *e)
{
  hc_input *in;
  size_t size, at = 0;
  bool has = false;
  char *data;
  TRY(hc_input_open(a, path, &in, e));
  hc_rc rc;
  while (!has && (rc = hc_input_block(in, &data, &size, e)) == 1) has = has_trace(data, size, &at);
  hc_input_free(in);
  return has ? 1 : rc;
}

static hc_rc batsim_names(const hc_allocator *a, const void *given,
                          hc_rc (*each)(void *ctx, const char *path, hc_error *e), void *ctx, hc_error *e)
{
  const naming n = {a, given, each, ctx};
  hc_json_token t;
  hc_json *j;
  size_t which;
  if (!n.o->file || strcmp(n.o->file, "-") == 0) return 0; /* it can be read only once */
  hc_rc rc = may_name_traces(a, n.o->file, e);
  if (rc != 1) return rc;
  TRY(hc_json_open(a, n.o->file, &j, e));
  rc = hc_json_next(j, &t, e);
  if (rc == 1) rc = t.kind == HC_JSON_OBJECT ? 0 : HC_EINPUT;
  while (rc == 0 && (rc = hc_json_member(j, keys, NO_KEY, &which, &t, e)) == 1)
    rc = which == PROFILES && t.kind == HC_JSON_OBJECT ? name_traces(&n, j, e) : hc_json_skip(j, &t, e);
  hc_json_free(j);
  return rc;
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
    HC_PARAM(FILE, options, file, NULL,
             "Path of the workload, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, other_profiles, "reject|limit", "reject",
             "A job whose profile is neither a delay nor a sequence of delays, so that its length depends on "
             "a platform. reject: it is rejected. limit: it runs for its walltime, and is rejected without "
             "one. No effect with `execution: activities`."),
    HC_PARAM(CHOICE, options, ties, "file|id", "file",
             "The order of jobs that are submitted at the same time. file: that of the file. id: as in "
             "Batsim 4, that of their ids as text, in which 10 comes before 2; numbers of tasks are then "
             "ranks in that order, and ids are labels."),
    HC_PARAM(CHOICE, options, executables, "none|profiles", "none",
             "The executable of a task. none: it has none. profiles: the name of its profile, which results, "
             "groups of tasks and the exporter batsim then know."),
    HC_PARAM(REAL, options, report, "B", "4", 0, 1e12,
             "Bytes that each rank of a trace (smpi, usage_trace) sends to the host of the first rank when "
             "it has ended, one rank at a time: 4 in Batsim 4, 0 in Batsim 5."),
    HC_PARAM(
        TEXTS, options, storage_mapping, NULL,
        "The storage host that each label in profiles means (`storage`, `from`, `to`), for all jobs: "
        "\"pfs=storage_1\". The host and the label must exist. In Batsim schedulers give these, job by job. "
        "Default: a label is the name of a host; if no host has it, it means the only host without cores."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6,
             "Unit of subtime, walltime and the delays of profiles; Batsim has seconds."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Date (UTC) or Unix time of time 0, for tables by day. Default: none."),
    HC_PARAM(BOOL, options, dynamic, "false",
             "Whether further jobs and profiles may arrive during the run, from the program that decides "
             "(hc_run_submit, `policy: outside` under the architecture messages)."),
    {0}};

const hc_reader_type hc_reader_batsim = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "batsim",
         .summary = "workloads of Batsim (JSON)",
         .detail = "A task for each job: subtime, res, walltime (none if -1, null or absent), and its "
                   "profile; nb_res is the size of the machine. With `execution: activities` tasks do what "
                   "their profiles say: delay, parallel, parallel_homogeneous, parallel_homogeneous_total, "
                   "parallel_homogeneous_pfs, data_staging, composed, usage_trace and smpi, also by the "
                   "names of Batsim 5, and return codes (`ret`); send and recv are refused. Without it a "
                   "delay, or a sequence of delays, is a run time. An id that is a whole number, or a whole "
                   "number after a `!` (w0!17), is kept; any other is replaced by the job's rank in the "
                   "file. The jobs are held in memory, 56 bytes each, and sorted.",
         .source = "Batsim 4.2.1 and 5.0.0-rc2; Dutot et al., JSSPP 2016, doi:10.1007/978-3-319-61756-5_10",
         .params = params, .options_size = sizeof(options)},
    .open = batsim_open,
    .next = batsim_next,
    .feedback = batsim_feedback,
    .listens = batsim_listens,
    .feed = batsim_feed,
    .info = batsim_info,
    .visit = batsim_visit,
    .progress = batsim_progress,
    .close = batsim_close,
    .names = batsim_names,
    .recognise = batsim_recognise,
    .is_sorted = batsim_is_sorted,
};

/* ---- writing ---- */

typedef enum names { NAMES_4, NAMES_5 } names;

typedef struct writer_options {
  int version;
} writer_options;

typedef struct profile {
  hc_time run;
  bool fails;
} profile;

struct hc_writer {
  hc_rows rows;
  const writer_options *o;
  hc_map known;      /* run times and whether they fail, as keys */
  profile *profiles; /* [count] in order of first sight */
  size_t count, cap;
  int64_t largest;
  bool any;
};

static void writer_close(hc_writer *w)
{
  if (!w) return;
  hc_map_fini(&w->known);
  hc_free(w->rows.context->allocator, w->profiles, w->cap * sizeof *w->profiles);
  hc_rows_close(w);
}

static hc_rc write_head(hc_writer *w)
{
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, w->rows.context->allocator);
  hc_buffer_text(&b, "{\n");
  if (w->rows.context->note) {
    hc_buffer_text(&b, "\"description\": ");
    hc_json_string(&b, w->rows.context->note, strlen(w->rows.context->note));
    hc_buffer_text(&b, ",\n");
  }
  hc_buffer_text(&b, "\"jobs\": [");
  rc = b.failed ? HC_ENOMEM : hc_out_add(&w->rows.out, b.data, b.size);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc writer_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_rc rc;
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->o = given;
  hc_map_init(&(*out)->known, c->allocator);
  rc = write_head(*out);
  if (rc < 0) writer_close(*out);
  return rc;
}

static hc_rc note_profile(hc_writer *w, hc_time run, bool fails)
{
  const uint64_t key = (uint64_t)run << 1 | fails;
  if (hc_map_get(&w->known, key) != HC_MAP_NONE) return 0;
  TRY(hc_reserve(w->rows.context->allocator, (void **)&w->profiles, &w->cap, w->count + 1,
                 sizeof *w->profiles));
  TRY(hc_map_set(&w->known, key, 0));
  w->profiles[w->count++] = (profile){run, fails};
  return 0;
}

static char *put_profile_name(char *p, hc_time run, bool fails)
{
  p = hc_put_text(p, "\"delay_");
  p = hc_put_parts(p, run, HC_SECOND);
  return hc_put_text(p, fails ? "_failed\"" : "\"");
}

static char *put_key(char *p, const char *before, const char *key)
{
  return hc_put_text(hc_put_text(hc_put_char(hc_put_text(p, before), '"'), key), "\": ");
}

static char *put_job(char *p, const hc_task_spec *t, const char *name, int64_t procs, bool fails, int64_t i)
{
  p = put_key(p, "{", job_keys[ID]);
  if (t->count <= 1 && name) {
    p = hc_put_json(p, name);
  } else if (t->count > 1) {
    p = hc_put_int(hc_put_char(p, '"'), t->id);
    p = hc_put_char(hc_put_int(hc_put_char(p, ':'), i), '"');
  } else {
    p = hc_put_int(p, t->id);
  }
  p = hc_put_parts(put_key(p, ", ", job_keys[SUBTIME]), t->submit, HC_SECOND);
  if (t->limit > 0 && t->limit != HC_NEVER)
    p = hc_put_parts(put_key(p, ", ", job_keys[WALLTIME]), t->limit, HC_SECOND);
  p = hc_put_int(put_key(p, ", ", job_keys[RES]), procs);
  p = put_profile_name(put_key(p, ", ", job_keys[PROFILE]), t->run, fails);
  return hc_put_char(p, '}');
}

static hc_rc writer_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_batch b = hc_batch_of(t, lost);
  const int64_t rows = t->count > 1 ? t->count : 1, procs = b.procs_asked > 0 ? b.procs_asked : b.procs_used;
  const bool fails = t->status == HC_STATUS_FAILED;
  const char *name = t->label != 0 && w->rows.context->lexicon
                         ? hc_lexicon_label_text(w->rows.context->lexicon, t->label, NULL)
                         : NULL;
  if (t->submit == HC_UNKNOWN || t->submit < 0 || t->run < 0 || t->run == HC_NEVER || procs <= 0) return 1;
  if (t->status != HC_STATUS_FAILED && t->status != HC_STATUS_COMPLETED && t->status != HC_STATUS_UNKNOWN)
    *lost |= HC_FACT_BIT(STATUS);
  if (b.procs_asked <= 0 || b.procs_used == b.procs_asked) *lost &= ~HC_FACT_BIT(PROCS_USED);
  TRY(hc_rows_allowed(t, rows, "batsim", e));
  TRY(note_profile(w, t->run, fails));
  w->largest = HC_MAX(w->largest, procs);
  if (name && hc_is_plain_text(name) && t->count <= 1) *lost &= ~HC_FACT_BIT(LABEL);
  else name = NULL;
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    row = hc_put_text(row, w->any ? ",\n" : "\n");
    w->any = true;
    hc_out_end(&w->rows.out, put_job(row, t, name, procs, fails, i));
  }
  return 0;
}

static hc_rc writer_finish(hc_writer *w, hc_error *e)
{
  const char *type = w->o->version == NAMES_5 ? "DelayProfile" : "delay";
  const hc_trace_info *info = w->rows.context->info;
  const int64_t procs = info && info->processors > 0 ? info->processors : w->largest;
  char *p;
  HC_UNUSED(e);
  TRY(hc_out_add(&w->rows.out, "\n],\n\"profiles\": {", 17));
  for (size_t i = 0; i < w->count; i++) {
    const profile *f = &w->profiles[i];
    TRY(hc_out_row(&w->rows.out, &p));
    p = put_profile_name(hc_put_text(p, i ? ",\n" : "\n"), f->run, f->fails);
    p = hc_put_text(hc_put_text(p, ": {\"type\": \""), type);
    p = hc_put_parts(hc_put_text(p, "\", \"delay\": "), f->run, HC_SECOND);
    hc_out_end(&w->rows.out, hc_put_text(p, f->fails ? ", \"ret\": 1}" : "}"));
  }
  TRY(hc_out_row(&w->rows.out, &p));
  p = hc_put_int(hc_put_text(p, "\n},\n\"nb_res\": "), procs);
  hc_out_end(&w->rows.out, hc_put_text(p, "\n}\n"));
  return hc_out_flush(&w->rows.out);
}

static const hc_param writer_params[] = {
    HC_PARAM(CHOICE, writer_options, version, "4|5", "4",
             "Version of Batsim whose names of profile types are written. 4: `delay`. 5: `DelayProfile`."),
    {.name = NULL},
};

const hc_writer_type hc_writer_batsim = {
    .component = {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "batsim",
                  .summary = "a workload of Batsim (JSON) whose profiles are delays",
                  .detail =
                      "subtime, res (the processors asked for, else those used) and walltime of each task, "
                      "with times in seconds; the run time is a delay. Tasks without submission, run time or "
                      "processors are left out, since the format has no unknown values. Failed tasks return "
                      "1. nb_res is the size of the machine, else of the largest task.",
                  .source = "Batsim 4.2.1, 5.0.0-rc2", .params = writer_params,
                  .options_size = sizeof(writer_options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(LIMIT) |
             HC_FACT_BIT(PROCS_ASKED) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(BUNDLE),
    .ending = ".json",
    .open = writer_open,
    .task = writer_task,
    .finish = writer_finish,
    .close = writer_close,
};
