/* slurm_log.c -- a log of a batch system as a source. See slurm_log.h.
 *
 * A task has a time of submission since 1970, a run needs an origin: the earliest submission of the first
 * `ahead` rows. These rows are held, which also lets a job that was requeued, and has several rows, be
 * merged into its last one. A row earlier than the origin that comes later is an error, since no time is
 * negative.
 *
 * A row may be provisional: it says that a job waits or runs, and gives way to the one that says how it
 * ended.
 *
 * Does not sort (the stream does), takes nothing of steps but the memory that they used (their rows are
 * counted as merged). Cost: about 0.5 us a row beside reading it, with memory of
 * 0.2 KB for each of `ahead` rows, and the names. */
#include "workload/slurm_log.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/spec.h"

/* ---- rows ---- */

static void count_row(hc_slurm_log *l)
{
  if (l->context->ledger) l->context->ledger->read++;
}

void hc_slurm_log_merge(hc_slurm_log *l)
{
  if (l->context->ledger) l->context->ledger->merged++;
}

int64_t hc_slurm_log_number(const hc_slurm_log *l)
{
  return (int64_t)(l->s.flaws.rows + l->s.flaws.malformed + 1);
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
static hc_slurm_record *twin_of(const hc_slurm_log *l, const hc_slurm_record *r)
{
  const uint32_t number = hc_map_get(&l->jobs, identity(r));
  hc_slurm_record *twin;
  if (number == HC_MAP_NONE) return NULL;
  const uint32_t place = number - (uint32_t)l->s.popped;
  if (place >= l->held_count) return NULL;
  twin = &l->held[l->head + place];
  return twin->job == r->job && twin->task == r->task && twin->component == r->component &&
                 twin->cluster == r->cluster
             ? twin
             : NULL;
}

static hc_rc remember(hc_slurm_log *l, const hc_slurm_record *r, size_t place)
{
  const uint32_t number = (uint32_t)(l->s.popped + place);
  return number == HC_MAP_NONE ? 0 : hc_map_set(&l->jobs, identity(r), number);
}

/* Whether `b`, which stands further down, is a later run of the job. */
static bool is_later(const hc_slurm_record *a, const hc_slurm_record *b)
{
  const hc_time start_a = a->spec.wait == HC_UNKNOWN ? HC_NEVER : a->spec.wait;
  const hc_time start_b = b->spec.wait == HC_UNKNOWN ? HC_NEVER : b->spec.wait;
  if (a->spec.submit != b->spec.submit) return b->spec.submit > a->spec.submit;
  return start_b >= start_a;
}

static void close_gap(hc_slurm_log *l)
{
  if (l->held_count > 0) memmove(l->held, l->held + l->head, l->held_count * sizeof *l->held);
  l->head = 0;
}

hc_slurm_record *hc_slurm_log_held(const hc_slurm_log *l, const hc_slurm_id *id)
{
  const hc_slurm_record r = {.job = id->job, .task = id->task, .component = id->component, .cluster = -1};
  return twin_of(l, &r);
}

static hc_rc hold(hc_slurm_log *l, const hc_slurm_record *r)
{
  if (!l->s.has_origin && r->submitted != HC_UNKNOWN &&
      (l->s.earliest == HC_UNKNOWN || r->submitted < l->s.earliest))
    l->s.earliest = r->submitted;
  hc_slurm_record *twin = twin_of(l, r);
  if (twin && (l->o->requeues == HC_SLURM_REQUEUES_LAST || twin->provisional)) {
    hc_slurm_log_merge(l);
    if (twin->provisional || is_later(twin, r)) *twin = *r;
    return 0;
  }
  if (l->head + l->held_count == l->held_cap) {
    if (l->head > l->held_cap / 2) close_gap(l);
    else
      TRY(hc_reserve(l->context->allocator, (void **)&l->held, &l->held_cap, l->head + l->held_count + 1,
                     sizeof *l->held));
  }
  l->held[l->head + l->held_count] = *r;
  TRY(remember(l, r, l->held_count));
  l->held_count++;
  return 0;
}

hc_rc hc_slurm_log_malformed(hc_slurm_log *l, const char *line, uint64_t number, uint32_t column, hc_error *e)
{
  count_row(l);
  return hc_flaws_line(&l->s.flaws, l->context, l->name, number, column, line, e);
}

hc_rc hc_slurm_log_reject(hc_slurm_log *l, const char *line, uint64_t number, hc_reason why, hc_error *e)
{
  count_row(l);
  l->s.flaws.rows++;
  return hc_row_reject(l->context, l->name, number, 0, why, line, e);
}

void hc_slurm_log_part(hc_slurm_log *l)
{
  count_row(l);
  l->s.flaws.rows++;
  hc_slurm_log_merge(l);
}

/* ---- arrays ---- */

/* The next task of the array at hand. */
static hc_rc next_of_array(hc_slurm_log *l)
{
  const hc_slurm_range *r = &l->ranges[l->s.range];
  l->s.array.task = l->s.next_task;
  if (r->last - l->s.next_task < r->step) {
    l->s.in_array = ++l->s.range < l->range_count;
    if (l->s.in_array) l->s.next_task = l->ranges[l->s.range].first;
  } else {
    l->s.next_task += r->step;
  }
  count_row(l);
  return hold(l, &l->s.array);
}

static hc_rc begin_array(hc_slurm_log *l, const hc_slurm_record *r, hc_slice list,
                         const hc_slurm_cells *cells, hc_error *e)
{
  const hc_rc rc = hc_slurm_ranges(l->context->allocator, list, &l->ranges, &l->range_count, &l->range_cap);
  if (rc < 0) return rc;
  if (rc == 0) return hc_slurm_log_malformed(l, cells->line, r->spec.line, hc_slurm_place(cells, list), e);
  l->s.flaws.rows++;
  l->s.array = *r;
  l->s.range = 0;
  l->s.next_task = l->ranges[0].first;
  l->s.in_array = true;
  return 0;
}

/* Steps say how much memory was used: a job used at least what each of them did. They stand behind their
 * job; one whose job is held no more is late, and says nothing. */
static void take_step(const hc_slurm_log *l, const hc_slurm_record *step)
{
  hc_slurm_record *job = twin_of(l, step);
  const int64_t bytes = step->spec.memory_used;
  if (!job || bytes < 0 || job->spec.procs_used <= 0) return;
  job->spec.memory_used = HC_MAX(job->spec.memory_used, -hc_floor_div(-bytes, job->spec.procs_used));
}

hc_rc hc_slurm_log_row(hc_slurm_log *l, const hc_slurm_cells *cells, uint64_t number, bool provisional,
                       hc_error *e)
{
  hc_slurm_record record;
  hc_slice list = {0};
  uint32_t column;
  const hc_rc verdict = hc_slurm_read(&l->how, cells, &record, &list, &column);
  if (verdict < 0) return verdict;
  record.spec.line = number;
  record.provisional = provisional;
  switch ((hc_slurm_verdict)verdict) {
    case HC_SLURM_HEADING: return 0;
    case HC_SLURM_ARRAY: return begin_array(l, &record, list, cells, e);
    case HC_SLURM_MALFORMED: return hc_slurm_log_malformed(l, cells->line, number, column, e);
    case HC_SLURM_STEP:
      take_step(l, &record);
      hc_slurm_log_part(l);
      return 0;
    case HC_SLURM_TASK: break;
  }
  count_row(l);
  l->s.flaws.rows++;
  return hold(l, &record);
}

/* ---- lines ---- */

static bool is_blank(const char *line)
{
  while (*line == ' ' || *line == '\t') line++;
  return *line == '\0';
}

hc_rc hc_slurm_log_line(hc_slurm_log *l, char **line, size_t *n, hc_error *e)
{
  for (;;) {
    const hc_rc rc = hc_input_line(l->in, line, n, e);
    if (rc <= 0) return rc;
    const size_t mark =
        hc_input_lines(l->in) == 1 && *n >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *line += mark;
    *n -= mark;
    if (!is_blank(*line)) return 1;
  }
}

hc_rc hc_slurm_log_end(hc_slurm_log *l, hc_error *e)
{
  const hc_flaws *f = &l->s.flaws;
  l->s.at_end = true;
  if (!l->s.begun && f->rows + f->malformed == 0)
    return hc_fail(e, HC_EINPUT, l->name, 0, 0, "the file is empty: give %s", l->type->empty);
  if (f->rows == 0 && f->malformed > 0)
    return hc_fail(e, HC_EINPUT, l->name, f->bad_line, f->bad_column, "%s", l->type->advice);
  return 0;
}

/* ---- tasks ---- */

static void set_origin(hc_slurm_log *l)
{
  l->s.has_origin = true;
  l->s.origin = l->s.earliest;
  l->info.unix_start = l->s.origin;
}

/* What the log calls a job. */
static size_t spell(const hc_slurm_log *l, char text[80], const hc_slurm_record *r)
{
  const int64_t task = r->shown[1] >= 0 ? r->shown[1] : r->task;
  const size_t n = hc_slurm_spell(text, r->shown[0], task, r->shown[2]);
  char *mark = l->type->separator == '_' ? NULL : memchr(text, '_', n);
  if (!mark) return n;
  *mark = l->type->separator;
  if (l->type->separator == '[') memcpy(text + n, "]", 2);
  return n + (l->type->separator == '[');
}

/* On how many hosts it may lie, and its terms. */
static hc_rc keep_more(hc_slurm_log *l, const hc_slurm_record *r)
{
  hc_task_extras more = hc_task_extras_none();
  const bool has_terms = hc_slurm_put_terms(&r->terms, &more);
  if ((r->least_hosts == 0 && !has_terms) || !l->context->lexicon) return 0;
  more.least_hosts = (uint32_t)r->least_hosts;
  more.most_hosts = (uint32_t)r->most_hosts;
  l->task.more = hc_lexicon_keep(l->context->lexicon, &more);
  return l->task.more ? 0 : HC_ENOMEM;
}

/* Take the first row held. @return 1 with a task, 0 if it is none. */
static hc_rc give_out(hc_slurm_log *l, hc_error *e)
{
  const hc_slurm_record r = l->held[l->head];
  if (hc_map_get(&l->jobs, identity(&r)) == (uint32_t)l->s.popped) hc_map_remove(&l->jobs, identity(&r));
  l->head++;
  l->held_count--;
  l->s.popped++;
  if (l->held_count == 0) l->head = 0;
  l->task = r.spec;
  if (r.still_running)
    return hc_row_reject(l->context, l->name, r.spec.line, 0, HC_REASON_STILL_RUNNING, NULL, e);
  if (r.spec.submit != HC_UNKNOWN) l->task.submit -= l->s.origin * HC_SECOND;
  if (r.spec.submit == HC_UNKNOWN || l->task.submit >= 0) { /* without one, that is for the stream to say */
    char text[80];
    const size_t n = spell(l, text, &r);
    TRY(hc_spec_label(l->context->lexicon, text, n, l->task.id, &l->task.label));
    TRY(keep_more(l, &r));
    return 1;
  }
  if (l->o->origin) return hc_row_reject(l->context, l->name, r.spec.line, 0, HC_REASON_OUTSIDE, NULL, e);
  return hc_fail(
      e, HC_EINPUT, l->name, hc_line_number(r.spec.line), 0,
      "job %lld was submitted before all of the first %lld rows, from which times are counted: raise "
      "`ahead`, or sort the records by submission",
      (long long)r.spec.id, (long long)l->o->ahead);
}

/* Read on by a row, or by a task of the array at hand. */
static hc_rc read_on(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = hc_slurm_log_of(s);
  return l->s.in_array ? next_of_array(l) : l->type->read(s, e);
}

hc_rc hc_slurm_log_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_slurm_log *l = hc_slurm_log_of(s);
  for (;;) {
    hc_rc rc;
    while (!l->s.at_end && l->held_count < (size_t)l->o->ahead) TRY(read_on(s, e));
    if (!l->s.has_origin) set_origin(l);
    if (l->held_count == 0) return 0;
    rc = give_out(l, e);
    if (rc == 0) continue;
    if (rc == 1) *job = (hc_job){.tasks = &l->task, .task_count = 1};
    return rc;
  }
}

/* ---- opening and closing ---- */

void hc_slurm_log_close(hc_source *s, size_t size)
{
  if (!s) return;
  hc_slurm_log *l = hc_slurm_log_of(s);
  const hc_allocator *a = l->context->allocator;
  hc_input_free(l->in);
  hc_zone_free(l->zone);
  hc_map_fini(&l->jobs);
  for (int k = 0; k < HC_SLURM_NAME_KINDS; k++) hc_interned_fini(&l->how.names[k]);
  hc_free(a, l->held, l->held_cap * sizeof *l->held);
  hc_free(a, l->ranges, l->range_cap * sizeof *l->ranges);
  hc_free(a, s, size);
}

/* Where times count from, if that is said. */
static hc_rc take_origin(hc_slurm_log *l, hc_error *e)
{
  hc_time origin = HC_UNKNOWN;
  TRY(hc_origin_read(l->type->who, l->o->origin, l->zone, &origin, e));
  if (origin == HC_UNKNOWN) return 0;
  l->s.has_origin = true;
  l->s.origin = l->info.unix_start = hc_origin_seconds(origin);
  return 0;
}

static hc_rc open_zone(hc_slurm_log *l, hc_error *e)
{
  const char *zone = l->o->zone;
  if (!zone || !zone[0]) return 0;
  TRY(hc_origin_zone(l->context->allocator, l->type->who, zone, &l->zone, e));
  l->info.zone = zone;
  l->how.zone = l->zone;
  return 0;
}

static void say_words(const hc_slurm_log *l)
{
  static const hc_called kinds[] = {HC_CALLED_GROUP, HC_CALLED_QUEUE, HC_CALLED_EXECUTABLE};
  for (size_t i = 0; l->context->lexicon && i < HC_ARRAY_LEN(kinds); i++)
    if (l->type->words[i]) (void)hc_lexicon_title(l->context->lexicon, kinds[i], l->type->words[i]);
}

static void begin(hc_slurm_log *l)
{
  const hc_slurm_log_options *o = l->o;
  say_words(l);
  l->info = hc_trace_info_none();
  l->s.origin = l->s.earliest = HC_UNKNOWN;
  l->how.units = (hc_slurm_units)o->units;
  l->how.demand = (hc_slurm_demand)o->demand;
  l->how.wait_from = (hc_slurm_wait)o->wait_from;
  l->how.run_from = (hc_slurm_run)o->run_from;
  l->how.partition_limit = o->partition_limit ? o->partition_limit : HC_UNKNOWN;
  hc_map_init(&l->jobs, l->context->allocator);
  hc_slurm_names_init(&l->how, l->context);
}

hc_rc hc_slurm_log_open(const hc_slurm_log_type *type, const hc_source_context *c, const void *options,
                        size_t size, bool opens, hc_source **out, hc_error *e)
{
  const hc_slurm_log_options *o = options;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, type->who, o->file, size, &s, e));
  hc_slurm_log *l = hc_slurm_log_of(s);
  l->type = type;
  l->context = c;
  l->o = o;
  l->name = hc_reading_name(o->file);
  begin(l);
  TRY_OR(open_zone(l, e), fail);
  TRY_OR(take_origin(l, e), fail);
  if (opens) {
    TRY_OR(hc_input_open(c->allocator, o->file, &l->in, e), fail);
    hc_input_sum(l->in, c->sums);
    l->name = hc_input_name(l->in);
  }
  *out = s;
  return 0;
fail:
  hc_slurm_log_close(s, size);
  return rc;
}

const hc_trace_info *hc_slurm_log_info(hc_source *s)
{
  return &hc_slurm_log_of(s)->info;
}

void hc_slurm_log_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(hc_slurm_log_of(s)->in, done, total);
}

/* ---- state ---- */

static hc_rc remember_all(hc_slurm_log *l)
{
  hc_map_fini(&l->jobs);
  hc_map_init(&l->jobs, l->context->allocator);
  for (size_t i = 0; i < l->held_count; i++) TRY(remember(l, &l->held[i], i));
  return 0;
}

static hc_rc visit_place(hc_slurm_log *l, hc_visitor *v, hc_error *e)
{
  if (!hc_visit_loading(v)) {
    if (l->in) {
      l->s.position = hc_input_position(l->in);
      l->s.lines = hc_input_lines(l->in);
    }
    HC_VISIT(v, l->s);
    return 0;
  }
  TRY(hc_visit_bytes(v, &l->s, sizeof l->s));
  if (l->s.has_origin) l->info.unix_start = l->s.origin;
  return l->in ? hc_input_seek(l->in, l->s.position, l->s.lines, e) : 0;
}

hc_rc hc_slurm_log_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  hc_slurm_log *l = hc_slurm_log_of(s);
  TRY(visit_place(l, v, e));
  close_gap(l);
  HC_VISIT_ARRAY(v, l->held, l->held_count, l->held_cap);
  HC_VISIT_ARRAY(v, l->ranges, l->range_count, l->range_cap);
  for (int k = 0; k < HC_SLURM_NAME_KINDS; k++) TRY(hc_interned_visit(&l->how.names[k], v));
  return hc_visit_loading(v) ? remember_all(l) : 0;
}
