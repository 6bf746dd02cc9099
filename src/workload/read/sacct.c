/* sacct.c -- Slurm's accounting records as `sacct --parsable2` prints them, read.
 *
 * Which columns there are and in which order is up to the call of sacct, so the header is read; a file
 * without one needs `fields` or `layout`. What the fields hold is in workload/slurm_text.c, what a row means
 * in slurm_row.c.
 *
 * A task has a time of submission since 1970, a run needs an origin: the earliest Submit of the first `ahead`
 * rows. These rows are held, which also lets a job that was requeued, and has several rows (sacct -D), be
 * merged into its last one. A row earlier than the origin that comes later is an error, since no time is
 * negative.
 *
 * Users, accounts, partitions, QOS and job names become numbers from 1 in order of first sight; results say
 * Slurm's words for these columns.
 *
 * Does not sort (the stream does), does not look at steps (their rows are counted as merged), does not start
 * the components of a heterogeneous job together.
 *
 * Source: https://slurm.schedmd.com/sacct.html. Cost: about 1.5 us a row read, with memory of 0.2 KB for
 * each of `ahead` rows, and the names. */
#include <string.h>

#include "base/input.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/line_table.h"
#include "workload/names.h"
#include "workload/reading.h"
#include "workload/slurm_row.h"
#include "workload/spec.h"

#define LONGEST_HEADER ((size_t)2048)

typedef enum layout { LAYOUT_HEADER, LAYOUT_XDMOD } layout;
typedef enum requeues { REQUEUES_LAST, REQUEUES_EACH } requeues;

/* The order in which XDMoD's shredder asks for them. */
static const char xdmod_columns[] =
    "JobID|JobIDRaw|Cluster|Partition|QOS|Account|Group|GID|User|UID|Submit|Eligible|Start|End|Elapsed|"
    "ExitCode|State|NNodes|NCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit|NodeList|JobName";

typedef struct options {
  const char *file, *zone, *origin;
  hc_time time_unit; /* a second */
  hc_list fields;    /* const char * */
  int layout, units, demand, wait_from, run_from, requeues;
  hc_time partition_limit;
  int64_t ahead;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_input *in;
  const char *name;
  hc_zone *zone;
  hc_slurm_reading how;
  hc_task_spec task; /* the one at hand */
  hc_trace_info info;
  hc_slurm_record *held; /* [held_count] from `head` on */
  size_t head, held_count, held_cap;
  hc_map jobs;            /* hash of a job's identity -> low bits of the number of the row held for it */
  hc_slurm_range *ranges; /* of the array at hand */
  size_t range_count, range_cap;
  struct {
    uint64_t position, lines; /* written when visited */
    hc_flaws flaws;           /* of this file */
    uint64_t popped;          /* number of the first row held */
    int64_t origin, earliest; /* Unix seconds; HC_UNKNOWN */
    uint64_t range;           /* of the array at hand: which one, and what comes next */
    int64_t next_task;
    hc_slurm_record array; /* what each of its tasks is */
    bool begun, at_end, has_origin, in_array, unused[4];
  } s;
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
    n = o->layout == LAYOUT_XDMOD ? hc_slurm_cut(xdmod_columns, sizeof xdmod_columns - 1, '|', fields) : 0;
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
  for (size_t i = 0; s->context->lexicon && i < HC_ARRAY_LEN(titles); i++)
    if (s->how.columns.at[titles[i].column] >= 0)
      (void)hc_lexicon_title(s->context->lexicon, titles[i].kind, titles[i].word);
}

static hc_rc check_columns(const hc_source *s, hc_error *e)
{
  const char *missing = hc_slurm_missing_column(&s->how.columns, s->how.units);
  say_titles(s);
  if (!missing) return 0;
  return hc_fail(e, HC_EINPUT, s->name, 1, 0,
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
      e, HC_EINPUT, s->name, 1, 0,
      "the first line has no separator (| ; , or a tab): sacct's table for people is cut to its column "
      "widths; print the records with `sacct --parsable2`");
}

/* Learn which column is where. `*is_row`: the first line is a row already. */
static hc_rc take_header(hc_source *s, const char *line, bool *is_row, hc_error *e)
{
  find_columns(s->o, line, strlen(line), &s->how.columns, is_row);
  if (s->how.columns.separator == '\0') return no_table(s, e);
  if (s->how.columns.count == 0)
    return hc_fail(
        e, HC_EINPUT, s->name, 1, 0,
        "the first line does not name the columns (there is no JobID): leave out sacct's --noheader, or "
        "name them in order in `fields`; `layout: xdmod` if XDMoD asked for them");
  return check_columns(s, e);
}

/* Excel and others begin a file with a mark. @return its size */
static size_t mark_of(const char *line, size_t n)
{
  return n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* ---- rows held ---- */

static uint64_t identity(const hc_slurm_record *r)
{
  uint64_t h = (uint64_t)r->job * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ (h >> 29) ^ (uint64_t)r->task) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 32) ^ (uint64_t)r->component ^ ((uint64_t)r->cluster << 32)) * UINT64_C(0x94d049bb133111eb);
  return h ^ (h >> 31);
}

/* The row held for the same job; NULL. */
static hc_slurm_record *twin_of(hc_source *s, const hc_slurm_record *r)
{
  const uint32_t number = hc_map_get(&s->jobs, identity(r));
  hc_slurm_record *twin;
  if (number == HC_MAP_NONE) return NULL;
  const uint32_t place = number - (uint32_t)s->s.popped;
  if (place >= s->held_count) return NULL;
  twin = &s->held[s->head + place];
  return twin->job == r->job && twin->task == r->task && twin->component == r->component &&
                 twin->cluster == r->cluster
             ? twin
             : NULL;
}

static hc_rc remember(hc_source *s, const hc_slurm_record *r, size_t place)
{
  const uint32_t number = (uint32_t)(s->s.popped + place);
  return number == HC_MAP_NONE ? 0 : hc_map_set(&s->jobs, identity(r), number);
}

/* Whether `b`, which stands further down, is a later run of the job. */
static bool is_later(const hc_slurm_record *a, const hc_slurm_record *b)
{
  const hc_time start_a = a->spec.wait == HC_UNKNOWN ? HC_NEVER : a->spec.wait;
  const hc_time start_b = b->spec.wait == HC_UNKNOWN ? HC_NEVER : b->spec.wait;
  if (a->spec.submit != b->spec.submit) return b->spec.submit > a->spec.submit;
  return start_b >= start_a;
}

static void close_gap(hc_source *s)
{
  if (s->held_count > 0) memmove(s->held, s->held + s->head, s->held_count * sizeof *s->held);
  s->head = 0;
}

static hc_rc hold(hc_source *s, const hc_slurm_record *r)
{
  if (!s->s.has_origin && r->submitted != HC_UNKNOWN &&
      (s->s.earliest == HC_UNKNOWN || r->submitted < s->s.earliest))
    s->s.earliest = r->submitted;
  if (s->o->requeues == REQUEUES_LAST) {
    hc_slurm_record *twin = twin_of(s, r);
    if (twin) {
      if (s->context->ledger) s->context->ledger->merged++;
      if (is_later(twin, r)) *twin = *r;
      return 0;
    }
  }
  if (s->head + s->held_count == s->held_cap) {
    if (s->head > s->held_cap / 2) close_gap(s);
    else
      TRY(hc_reserve(s->context->allocator, (void **)&s->held, &s->held_cap, s->head + s->held_count + 1,
                     sizeof *s->held));
  }
  s->held[s->head + s->held_count] = *r;
  if (s->o->requeues == REQUEUES_LAST) TRY(remember(s, r, s->held_count));
  s->held_count++;
  return 0;
}

/* ---- reading ---- */

static hc_rc malformed(hc_source *s, const char *line, uint32_t column, hc_error *e)
{
  return hc_flaws_line(&s->s.flaws, s->context, s->name, hc_input_lines(s->in), column, line, e);
}

static void count_row(hc_source *s)
{
  if (s->context->ledger) s->context->ledger->read++;
}

/* The next task of the array at hand. */
static hc_rc next_of_array(hc_source *s)
{
  const hc_slurm_range *r = &s->ranges[s->s.range];
  s->s.array.task = s->s.next_task;
  if (r->last - s->s.next_task < r->step) {
    s->s.in_array = ++s->s.range < s->range_count;
    if (s->s.in_array) s->s.next_task = s->ranges[s->s.range].first;
  } else {
    s->s.next_task += r->step;
  }
  count_row(s);
  return hold(s, &s->s.array);
}

static hc_rc begin_array(hc_source *s, const hc_slurm_record *r, hc_slice list, const char *line, hc_error *e)
{
  const hc_rc rc = hc_slurm_ranges(s->context->allocator, list, &s->ranges, &s->range_count, &s->range_cap);
  if (rc < 0) return rc;
  if (rc == 0) {
    count_row(s);
    return malformed(s, line, (uint32_t)(list.s - line) + 1, e);
  }
  s->s.flaws.rows++;
  s->s.array = *r;
  s->s.range = 0;
  s->s.next_task = s->ranges[0].first;
  s->s.in_array = true;
  return 0;
}

static hc_rc take_row(hc_source *s, const char *line, hc_error *e)
{
  hc_slurm_record record;
  hc_slice list = {0};
  uint32_t column;
  const hc_rc verdict = hc_slurm_read(&s->how, line, &record, &list, &column);
  if (verdict < 0) return verdict;
  record.spec.line = hc_input_lines(s->in);
  switch ((hc_slurm_verdict)verdict) {
    case HC_SLURM_HEADING: return 0;
    case HC_SLURM_ARRAY: return begin_array(s, &record, list, line, e);
    case HC_SLURM_MALFORMED: count_row(s); return malformed(s, line, column, e);
    case HC_SLURM_STEP:
      count_row(s);
      if (s->context->ledger) s->context->ledger->merged++;
      return 0;
    case HC_SLURM_TASK: break;
  }
  count_row(s);
  s->s.flaws.rows++;
  return hold(s, &record);
}

static hc_rc check_end(hc_source *s, hc_error *e)
{
  s->s.at_end = true;
  if (!s->s.begun)
    return hc_fail(e, HC_EINPUT, s->name, 0, 0, "the file is empty: give what `sacct --parsable2` printed");
  if (s->s.flaws.rows == 0 && s->s.flaws.malformed > 0)
    return hc_fail(
        e, HC_EINPUT, s->name, s->s.flaws.bad_line, s->s.flaws.bad_column,
        "no line is a job as the columns say: this field, or the number of fields, is not what it should "
        "be; check `fields` and the separator");
  return 0;
}

static bool is_blank(const char *line)
{
  while (*line == ' ' || *line == '\t') line++;
  return *line == '\0';
}

/* Read on by a line, or by a task of the array at hand. */
static hc_rc read_on(hc_source *s, hc_error *e)
{
  char *line;
  size_t length;
  bool is_row = true;
  if (s->s.in_array) return next_of_array(s);
  const hc_rc rc = hc_input_line(s->in, &line, &length, e);
  if (rc < 0) return rc;
  if (rc == 0) return check_end(s, e);
  if (!s->s.begun) line += mark_of(line, length);
  if (is_blank(line)) return 0;
  if (!s->s.begun) TRY(take_header(s, line, &is_row, e));
  s->s.begun = true;
  return is_row ? take_row(s, line, e) : 0;
}

static void set_origin(hc_source *s)
{
  s->s.has_origin = true;
  s->s.origin = s->s.earliest;
  s->info.unix_start = s->s.origin;
}

/* Take the first row held. @return 1 with a task, 0 if it is none. */
static hc_rc give_out(hc_source *s, hc_error *e)
{
  const hc_slurm_record r = s->held[s->head];
  if (s->o->requeues == REQUEUES_LAST && hc_map_get(&s->jobs, identity(&r)) == (uint32_t)s->s.popped)
    hc_map_remove(&s->jobs, identity(&r));
  s->head++;
  s->held_count--;
  s->s.popped++;
  if (s->held_count == 0) s->head = 0;
  s->task = r.spec;
  if (r.still_running)
    return hc_row_reject(s->context, s->name, r.spec.line, 0, HC_REASON_STILL_RUNNING, NULL, e);
  if (r.spec.submit != HC_UNKNOWN) s->task.submit -= s->s.origin * HC_SECOND;
  if (r.spec.submit == HC_UNKNOWN || s->task.submit >= 0) { /* without one, that is for the stream to say */
    const int64_t in_list = r.shown[1] >= 0 ? r.shown[1] : r.task;
    char text[80];
    const size_t n = hc_slurm_spell(text, r.shown[0], in_list, r.shown[2]);
    TRY(hc_spec_label(s->context->lexicon, text, n, s->task.id, &s->task.label));
    return 1;
  }
  if (s->o->origin) return hc_row_reject(s->context, s->name, r.spec.line, 0, HC_REASON_OUTSIDE, NULL, e);
  return hc_fail(
      e, HC_EINPUT, s->name, hc_line_number(r.spec.line), 0,
      "job %lld was submitted before all of the first %lld rows, from which times are counted: raise "
      "`ahead`, or sort the records by Submit",
      (long long)r.spec.id, (long long)s->o->ahead);
}

static hc_rc sacct_next(hc_source *s, hc_job *job, hc_error *e)
{
  for (;;) {
    hc_rc rc;
    while (!s->s.at_end && s->held_count < (size_t)s->o->ahead) TRY(read_on(s, e));
    if (!s->s.has_origin) set_origin(s);
    if (s->held_count == 0) return 0;
    rc = give_out(s, e);
    if (rc == 0) continue;
    if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
    return rc;
  }
}

/* ---- the reader ---- */

static void sacct_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_input_free(s->in);
  hc_zone_free(s->zone);
  hc_map_fini(&s->jobs);
  for (int k = 0; k < HC_SLURM_NAME_KINDS; k++) hc_interned_fini(&s->how.names[k]);
  hc_free(a, s->held, s->held_cap * sizeof *s->held);
  hc_free(a, s->ranges, s->range_cap * sizeof *s->ranges);
  hc_free(a, s, sizeof *s);
}

/* Where times count from, if that is said. */
static hc_rc take_origin(hc_source *s, hc_error *e)
{
  hc_time origin = HC_UNKNOWN;
  TRY(hc_origin_read("source sacct", s->o->origin, s->zone, &origin, e));
  if (origin == HC_UNKNOWN) return 0;
  s->s.has_origin = true;
  s->s.origin = s->info.unix_start = hc_origin_seconds(origin);
  return 0;
}

static hc_rc open_zone(hc_source *s, const char *zone, hc_error *e)
{
  if (!zone || !zone[0]) return 0;
  const hc_rc rc = hc_zone_open(s->context->allocator, zone, &s->zone);
  s->info.zone = zone;
  s->how.zone = s->zone;
  if (rc == HC_ENOTFOUND)
    return hc_fail(
        e, HC_EUSAGE, "source sacct", 0, 0,
        "zone: no time zone \"%.80s\" in the tz database %s; give a name such as Europe/Berlin, or +01:00",
        zone, hc_zone_version());
  return rc;
}

static hc_rc sacct_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  if (o->file && o->file[0] && o->fields.count > 0 && o->layout != LAYOUT_HEADER)
    return hc_fail(e, HC_EUSAGE, "source sacct", 0, 0,
                   "`fields` and `layout` both say what the columns are: give one");
  TRY(hc_reading_begin(c, "source sacct", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  s->s.origin = s->s.earliest = HC_UNKNOWN;
  s->how.units = (hc_slurm_units)o->units;
  s->how.demand = (hc_slurm_demand)o->demand;
  s->how.wait_from = (hc_slurm_wait)o->wait_from;
  s->how.run_from = (hc_slurm_run)o->run_from;
  s->how.partition_limit = o->partition_limit;
  hc_map_init(&s->jobs, c->allocator);
  hc_slurm_names_init(&s->how, c);
  TRY_OR(open_zone(s, o->zone, e), fail);
  TRY_OR(take_origin(s, e), fail);
  TRY_OR(hc_input_open(c->allocator, o->file, &s->in, e), fail);
  hc_input_sum(s->in, c->sums);
  s->name = hc_input_name(s->in);
  *out = s;
  return 0;
fail:
  sacct_close(s);
  return rc;
}

static const hc_trace_info *sacct_info(hc_source *s)
{
  return &s->info;
}

static void sacct_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->in, done, total);
}

/* ---- state ---- */

static hc_rc remember_all(hc_source *s)
{
  hc_map_fini(&s->jobs);
  hc_map_init(&s->jobs, s->context->allocator);
  for (size_t i = 0; s->o->requeues == REQUEUES_LAST && i < s->held_count; i++)
    TRY(remember(s, &s->held[i], i));
  return 0;
}

/* Go to where reading stood; the columns must be known there. */
static hc_rc go_back(hc_source *s, hc_visitor *v, hc_error *e)
{
  while (!s->s.begun) {
    char *line;
    size_t length;
    bool is_row;
    const hc_rc rc = hc_input_line(s->in, &line, &length, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
    line += mark_of(line, length);
    if (is_blank(line)) continue;
    TRY(take_header(s, line, &is_row, e));
    break;
  }
  TRY(hc_visit_bytes(v, &s->s, sizeof s->s));
  if (s->s.has_origin) s->info.unix_start = s->s.origin;
  return hc_input_seek(s->in, s->s.position, s->s.lines, e);
}

static hc_rc sacct_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  if (hc_visit_loading(v)) {
    TRY(go_back(s, v, e));
  } else {
    s->s.position = hc_input_position(s->in);
    s->s.lines = hc_input_lines(s->in);
    HC_VISIT(v, s->s);
  }
  close_gap(s);
  HC_VISIT_ARRAY(v, s->held, s->held_count, s->held_cap);
  HC_VISIT_ARRAY(v, s->ranges, s->range_count, s->range_cap);
  for (int k = 0; k < HC_SLURM_NAME_KINDS; k++) TRY(hc_interned_visit(&s->how.names[k], v));
  return hc_visit_loading(v) ? remember_all(s) : 0;
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
  return hc_line_table_make(&t, text, is_row ? 0 : HC_MIN(n + 1, size), o->zone, made, e);
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the records, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(TEXT, options, zone, NULL,
             "Tz database name of the cluster's clock (Europe/Berlin), by which local times are read. "
             "Default: UTC. Numbers of seconds (SLURM_TIME_FORMAT=%s) are Unix time whatever the zone."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Time 0: a date such as 2024-01-31, or a Unix time; rows submitted before it are left out. "
             "Default: the earliest Submit of the first rows (see ahead)."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1, 1,
             "What one unit of a time that is a number is: a second by the format's definition, and no other "
             "length is accepted; Slurm prints dates, [D-]HH:MM:SS, and limits in minutes (TimelimitRaw)."),
    HC_PARAM(CHOICE, options, layout, "header|xdmod", "header",
             "Where the columns are named. header: in the first line, or in `fields`. xdmod: nowhere; they "
             "are the 26 that XDMoD asks for."),
    HC_PARAM(TEXTS, options, fields, NULL,
             "Names of the columns in their order, as given to sacct's --format: for records without a "
             "header, or with one of other names."),
    HC_PARAM(CHOICE, options, units, "cpus|nodes", "cpus",
             "What a processor of the simulation is. cpus: NCPUS and ReqCPUS. nodes: NNodes and ReqNodes, "
             "for machines that give out whole nodes."),
    HC_PARAM(CHOICE, options, demand, "processors|nodes", "processors",
             "What a task wants on a cell of hosts. processors: so many, wherever they are. nodes: NNodes "
             "different hosts, with an equal part of NCPUS, of ReqMem and of the GPUs (AllocTRES, ReqTRES, "
             "AllocGRES or ReqGRES) on each, rounded up. On cells that count processors it makes no "
             "difference."),
    HC_PARAM(CHOICE, options, wait_from, "submit|eligible", "submit",
             "When a task arrives. eligible: once nothing but resources held it back (dependencies, "
             "--begin, holds and array throttles are over)."),
    HC_PARAM(CHOICE, options, run_from, "elapsed|end", "elapsed",
             "How long a task ran; each falls back on the other. elapsed: without the time it was "
             "suspended. end: End - Start."),
    HC_PARAM(CHOICE, options, requeues, "last|each", "last",
             "Several rows of one job, as sacct -D prints. last: the last run, as sacct without -D; the "
             "others are counted as merged. each: each is a task."),
    HC_PARAM(TIME, options, partition_limit, "s", NULL, 1, 1e9,
             "The limit of jobs whose Timelimit is Partition_Limit. Default: no limit."),
    HC_PARAM(INT, options, ahead, "rows", "131072", 1, 1e9,
             "Rows held at once: the earliest Submit of the first so many is the origin of time, and rows "
             "of one job are merged within so many."),
    {.name = NULL},
};

const hc_reader_type hc_reader_sacct = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "sacct",
         .summary = "Slurm accounting records, as sacct --parsable2 prints them",
         .detail =
             "Columns are found by name, in any order, between | ; , or tabs; needed are JobID, Submit, "
             "Start and End or Elapsed, and NCPUS, ReqCPUS or AllocTRES. Time counts from the earliest "
             "Submit. Users, accounts (as groups), partitions, QOS (as queues) and job names (as "
             "executables) become numbers from 1 in order of first sight. Steps are merged into their jobs; "
             "a waiting array such as 7_[1-10%2] is a row for each of its tasks; a job that has no end yet "
             "is still_running, and one that never started is never_ran, having waited until its End. A "
             "start before the submission leaves the wait unknown. CANCELLED, PREEMPTED and REVOKED are "
             "cancelled; TIMEOUT, OUT_OF_MEMORY, NODE_FAIL, BOOT_FAIL and DEADLINE are failed; REQUEUED and "
             "RESIZING are partial. UNLIMITED is no limit. ReqMem is divided among the processors asked "
             "for; the flag that leaked into it as 2^31 MB is taken off. GPUs count under `demand: nodes`. "
             "Licences, node lists, dependencies and the other components of a heterogeneous job are not "
             "looked at.",
         .source = "https://slurm.schedmd.com/sacct.html", .params = params, .options_size = sizeof(options)},
    .open = sacct_open,
    .next = sacct_next,
    .info = sacct_info,
    .visit = sacct_visit,
    .progress = sacct_progress,
    .close = sacct_close,
    .recognise = sacct_recognise,
    .line_key = hc_table_line_key,
    .line_begin = sacct_line_begin,
    .line_end = hc_table_line_end,
};
