/* google.c -- the tables of a cluster trace of Google's, read side by side in order of time.
 *
 * Events of tasks lead. Before the row of a new time, what the other tables say of earlier times is
 * joined: usage and constraints go to the task that bears their (job, index), if it is still held; events
 * of jobs go first, since a job begins before its tasks. One row of each table is held, so that a table of
 * any size needs the memory of a line. Rows of these tables count in the ledger too: merged if they find
 * their task, else rejected as incomplete.
 *
 * What is remembered of a job (user, name, what it waits for) is forgotten at its end; past 2^20 jobs at
 * once, further ones are not remembered. Does not sort: a row earlier than the one before it is an error
 * in the events, and is taken as it comes elsewhere. Cost: about 0.5 us a row of events, 0.4 us one of the
 * other tables. */
#include "workload/google.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"

static hc_google *google_of(const hc_source *s)
{
  return (hc_google *)(uintptr_t)s;
}

#define JOB_LIMIT ((size_t)1 << 20)
#define LARGEST 4503599627370496.0 /* 2^52: exact in a double */
#define NEARLY 1e-12               /* what binary fractions may add to a whole number, relative */

/* ---- fields ---- */

bool hc_google_whole(const hc_field *f, int64_t *out)
{
  const bool negative = f->length > 0 && f->text[0] == '-';
  size_t i = negative, first = i;
  int64_t v = 0;
  if (f->length == 0) return true;
  for (; i < f->length && f->text[i] >= '0' && f->text[i] <= '9'; i++)
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, f->text[i] - '0', &v)) return false;
  if (i == first) return false;
  if (i < f->length && f->text[i] == '.') /* 12.0, as tools write columns with gaps */
    for (i++; i < f->length && f->text[i] == '0';) i++;
  if (i < f->length) return false;
  *out = negative ? -v : v;
  return true;
}

bool hc_google_time(const hc_google *g, const hc_field *f, hc_time *out)
{
  int64_t v = -1;
  if (!hc_google_whole(f, &v) || v < 0) return false;
  if (v == INT64_MAX) *out = HC_NEVER;
  else if (__builtin_mul_overflow(v, g->o->time_unit, &v) || v == HC_NEVER) return false;
  else *out = v;
  return true;
}

/* No hexadecimal, no infinity, no unit. */
static bool decimal(const hc_field *f, double *out)
{
  for (size_t i = 0; i < f->length; i++) {
    const char c = f->text[i];
    if (!(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E') return false;
  }
  return f->length > 0 && hc_parse_real(f->text, f->length, out) == 0;
}

bool hc_google_real(const hc_field *f, double *out)
{
  double x;
  if (!decimal(f, &x) || x < 0) return false;
  *out = x;
  return true;
}

double hc_google_scale(const hc_google *g, int dimension)
{
  if (dimension == HC_DIM_CPU) return g->o->cpu_scale;
  return (double)(dimension == HC_DIM_MEMORY ? g->o->memory_scale : g->o->disk_scale);
}

bool hc_google_amount(const hc_google *g, const hc_field *f, int dimension, int64_t *out, double *error)
{
  const bool whole = g->o->amounts == HC_GOOGLE_WHOLE_CORES;
  const int64_t unit = dimension == HC_DIM_CPU ? 1000 : 1; /* cores are counted in thousandths */
  double x;
  int64_t n;
  *out = HC_UNKNOWN;
  *error = 0;
  if (f->length == 0) return true;
  if (!hc_google_real(f, &x)) return false;
  if (hc_google_scale(g, dimension) <= 0) return true; /* what it stands for is not known */
  x *= hc_google_scale(g, dimension);
  if (!whole) x *= (double)unit;
  if (!(x <= LARGEST / (double)unit)) return false;
  n = (int64_t)x;
  if (whole) {
    *out = n * unit;
    return true;
  }
  if (x - (double)n > NEARLY * x) *error = ((double)++n - x) / x;
  *out = n;
  return true;
}

hc_rc hc_google_number(hc_google *g, hc_interned *names, const hc_field *f, uint32_t *out)
{
  int64_t number = 0;
  hc_rc rc;
  *out = 0;
  if (f->length == 0) return 0;
  rc = hc_interned_number(names, f, &g->scratch, &number);
  if (rc == 1) *out = number < HC_NAME_HASHED ? (uint32_t)number : (uint32_t)number | UINT32_C(1) << 31;
  return rc < 0 ? rc : 0;
}

static hc_rc name_of(hc_google *g, const hc_field *f, uint32_t *out, hc_error *e)
{
  const char *text;
  size_t n;
  *out = HC_NO_NAME;
  if (!g->context->lexicon) return 0;
  TRY(hc_field_text(f, &g->scratch, &text, &n));
  *out = hc_lexicon_name(g->context->lexicon, text, n);
  if (*out != HC_NO_NAME) return 0;
  return hc_fail(e, HC_ENOMEM, g->format->name, 0, 0,
                 "out of memory, or more than 2^24 attributes and values of hosts: leave out `constraints`");
}

/* A bound that is no whole number, against attributes that are. */
static bool bound(const hc_field *value, hc_compare compare, int64_t *out)
{
  double x;
  int64_t n;
  if (hc_field_whole(value, out)) return true;
  if (!decimal(value, &x) || x > LARGEST || x < -LARGEST) return false;
  n = (int64_t)x;
  if ((double)n > x) n--;
  const bool upwards = compare == HC_LESS || compare == HC_AT_LEAST;
  *out = n + ((double)n < x && upwards);
  return true;
}

hc_rc hc_google_constrain(hc_google *g, const hc_field *name, hc_compare compare, const hc_field *value,
                          hc_constraint *out, hc_error *e)
{
  const bool sameness = compare == HC_EQUAL || compare == HC_UNEQUAL;
  uint32_t number;
  *out = (hc_constraint){.compare = (uint32_t)compare};
  if (name->length == 0) return 0;
  TRY(name_of(g, name, &out->attribute, e));
  if (compare == HC_PRESENT || compare == HC_ABSENT) return 1;
  if (!sameness) return bound(value, compare, &out->value);
  if (value->length == 0) { /* the same as no value at all, or not */
    out->compare = compare == HC_EQUAL ? HC_ABSENT : HC_PRESENT;
    return 1;
  }
  if (hc_field_whole(value, &out->value)) return 1;
  TRY(name_of(g, value, &number, e));
  out->is_text = 1;
  out->value = number;
  return 1;
}

void hc_google_drop(hc_google *g, uint32_t more)
{
  hc_lexicon *l = g->context->lexicon;
  if (l && hc_lexicon_more(l, more)) hc_lexicon_calls_of(l)->drop(l, more);
}

/* ---- one row of a table ---- */

static const char *const table_words[HC_GOOGLE_TABLES] = {"the events of tasks", "the events of jobs",
                                                          "the constraints of tasks", "the usage of tasks"};

static hc_rc parse(hc_google *g, hc_google_table_id t, hc_error *e)
{
  switch (t) {
    case HC_GOOGLE_TABLE_EVENTS:
      memset(&g->s.row, 0, sizeof g->s.row);
      return g->format->event(g, &g->s.row, e);
    case HC_GOOGLE_TABLE_JOBS: memset(&g->s.job, 0, sizeof g->s.job); return g->format->job(g, &g->s.job, e);
    case HC_GOOGLE_TABLE_CONSTRAINTS:
      memset(&g->s.limit, 0, sizeof g->s.limit);
      return g->format->constraint(g, &g->s.limit, e);
    case HC_GOOGLE_TABLE_USAGE:
      memset(&g->s.usage, 0, sizeof g->s.usage);
      return g->format->usage(g, &g->s.usage, e);
    case HC_GOOGLE_TABLES: break;
  }
  return 0;
}

/* Have the next row of a table at hand. @return 1, 0 if it has no more, or an error. */
static hc_rc fetch(hc_google *g, hc_google_table_id t, hc_error *e)
{
  hc_parts *p = &g->tables[t];
  if (g->s.waiting[t]) return 1;
  while (g->has[t] && !g->s.over[t]) {
    hc_rc rc = hc_parts_next(p, e);
    if (rc < 0) return rc;
    if (rc == 0) {
      g->s.over[t] = 1;
      if (t != HC_GOOGLE_TABLE_EVENTS && p->table.s.rows + p->table.s.malformed == 0) return 0;
      return hc_delimited_end(&p->table, table_words[t], g->format->advice, e);
    }
    rc = parse(g, t, e);
    if (rc < 0) return rc;
    if (rc == 2) {
      p->table.s.has_header = true;
      continue;
    }
    if (g->context->ledger) g->context->ledger->read++;
    if (rc == 0) continue;
    p->table.s.rows++;
    g->s.waiting[t] = 1;
    return 1;
  }
  return 0;
}

static void merged(hc_google *g)
{
  if (g->context->ledger) g->context->ledger->merged++;
}

/* ---- jobs ---- */

/* The last one takes its place. */
static hc_rc forget_job(hc_google *g, uint32_t i)
{
  const hc_google_job *last = &g->jobs[--g->job_count];
  hc_google_drop(g, g->jobs[i].more);
  hc_map_remove(&g->job_of, (uint64_t)g->jobs[i].job);
  if (i == g->job_count) return 0;
  g->jobs[i] = *last;
  return hc_map_set(&g->job_of, (uint64_t)last->job, i);
}

static hc_rc remember_job(hc_google *g, const hc_google_job *r)
{
  TRY(hc_reserve(g->context->allocator, (void **)&g->jobs, &g->job_cap, g->job_count + 1, sizeof *g->jobs));
  TRY(hc_map_set(&g->job_of, (uint64_t)r->job, (uint32_t)g->job_count));
  g->jobs[g->job_count++] = *r;
  return 1;
}

/* @return 1 if the row's rare facts are held from here on, 0, or an error. */
static hc_rc take_job(hc_google *g, const hc_google_job *r)
{
  const uint32_t i = hc_map_get(&g->job_of, (uint64_t)r->job);
  hc_google_job *j;
  if (hc_google_is_end((hc_google_event)r->event)) return i != HC_MAP_NONE ? forget_job(g, i) : 0;
  if (i == HC_MAP_NONE) return g->job_count < JOB_LIMIT ? remember_job(g, r) : 0;
  j = &g->jobs[i];
  if (r->user != 0) j->user = r->user;
  if (r->name != 0) j->name = r->name;
  if (r->more == 0) return 0;
  hc_google_drop(g, j->more);
  j->more = r->more;
  return 1;
}

static hc_rc join_job(hc_google *g, const hc_google_job *r)
{
  const hc_rc rc = take_job(g, r);
  merged(g);
  if (rc != 1) hc_google_drop(g, r->more);
  return rc < 0 ? rc : 0;
}

/* ---- constraints and usage ---- */

/* The task that a row speaks of; NULL: it is not held. */
static hc_google_task *held_task(hc_google *g, int64_t job, int32_t index, uint32_t *out)
{
  *out = hc_google_find(&g->held, job, index);
  return *out == HC_MAP_NONE ? NULL : &g->held.tasks[*out];
}

static hc_rc homeless(hc_google *g, hc_google_table_id t, uint64_t line, hc_error *e)
{
  return hc_parts_refuse_line(&g->tables[t], g->context, line, HC_REASON_INCOMPLETE, e);
}

/* Add a constraint; those of one time hold together, and replace those said before. */
static hc_rc join_limit(hc_google *g, const hc_google_limit *r, hc_error *e)
{
  hc_constraint all[HC_GOOGLE_CONSTRAINTS];
  hc_lexicon *l = g->context->lexicon;
  uint32_t i, handle;
  hc_google_task *t = held_task(g, r->job, r->index, &i);
  if (!t) return homeless(g, HC_GOOGLE_TABLE_CONSTRAINTS, r->line, e);
  const hc_task_extras *had = l ? hc_lexicon_more(l, t->more) : NULL;
  hc_task_extras m = had ? *had : hc_task_extras_none();
  const bool is_later = t->constrained != HC_UNKNOWN && r->time > t->constrained;
  merged(g);
  if (!l || t->state == HC_GOOGLE_TOLD) return 0;
  if (is_later && g->o->updates == HC_GOOGLE_UPDATES_FIRST) return 0;
  if (g->o->updates == HC_GOOGLE_UPDATES_IN_PLACE && t->state == HC_GOOGLE_RUNNING && r->time > t->start)
    return 0;
  if (is_later) m.constraint_count = 0;
  if (m.constraint_count >= HC_GOOGLE_CONSTRAINTS) return 0;
  if (m.constraint_count > 0) memcpy(all, m.constraints, m.constraint_count * sizeof *all);
  all[m.constraint_count] = r->what;
  all[m.constraint_count].group = (uint32_t)m.constraint_count;
  m.constraint_count++;
  m.constraints = all;
  handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  hc_google_drop(g, t->more);
  t->more = handle;
  t->constrained = r->time;
  return 0;
}

static hc_rc join_usage(hc_google *g, const hc_google_usage *r, hc_error *e)
{
  uint32_t i;
  const hc_google_task *t = held_task(g, r->job, r->index, &i);
  const double seconds = (double)(r->end - r->start) / 1e9;
  const bool is_past = t && t->state == HC_GOOGLE_DEAD && r->start >= t->end;
  if (!t || is_past || r->end < t->submit) return homeless(g, HC_GOOGLE_TABLE_USAGE, r->line, e);
  merged(g);
  g->held.usage[i].cpu += r->cpu * seconds;
  g->held.usage[i].memory += r->memory * seconds;
  g->held.usage[i].seconds += seconds;
  if (g->o->attempts == HC_GOOGLE_SUM) return 0;
  const hc_use_row row = {r->start, r->end, r->cpu, r->memory};
  return hc_use_put(&g->held.uses, &g->held.usage[i].room, &row);
}

/* Join what the other tables say of the time before `now`; `all`: everything that is left. */
static hc_rc join_others(hc_google *g, hc_time now, bool all, hc_error *e)
{
  hc_rc rc;
  while ((rc = fetch(g, HC_GOOGLE_TABLE_CONSTRAINTS, e)) == 1 && (all || g->s.limit.time < now)) {
    g->s.waiting[HC_GOOGLE_TABLE_CONSTRAINTS] = 0;
    TRY(join_limit(g, &g->s.limit, e));
  }
  TRY(rc);
  while ((rc = fetch(g, HC_GOOGLE_TABLE_USAGE, e)) == 1 && (all || g->s.usage.start < now)) {
    g->s.waiting[HC_GOOGLE_TABLE_USAGE] = 0;
    TRY(join_usage(g, &g->s.usage, e));
  }
  return rc;
}

static hc_rc join_jobs(hc_google *g, hc_time now, bool all, hc_error *e)
{
  hc_rc rc;
  while ((rc = fetch(g, HC_GOOGLE_TABLE_JOBS, e)) == 1 && (all || g->s.job.time <= now)) {
    const hc_google_job row = g->s.job;
    g->s.waiting[HC_GOOGLE_TABLE_JOBS] = 0;
    g->s.job.more = 0;
    TRY(join_job(g, &row));
  }
  return rc;
}

/* ---- steps ---- */

static hc_rc unsorted(const hc_google *g, hc_error *e)
{
  const hc_delimited *d = &g->tables[HC_GOOGLE_TABLE_EVENTS].table;
  return hc_fail(
      e, HC_EINPUT, d->name, hc_line_number(d->s.line), 0,
      "this event is earlier than the one before it, and what becomes of a task follows from the order "
      "of its events: sort the table by time, as in `hindcast trace sort`");
}

static hc_rc finish(hc_google *g, hc_error *e)
{
  TRY(join_jobs(g, g->s.now, true, e));
  TRY(join_others(g, g->s.now, true, e));
  g->s.at_end = 1;
  return 0;
}

/* Read on: to the next time, or by one event. */
static hc_rc step(hc_google *g, hc_error *e)
{
  hc_google_row r;
  hc_rc rc = fetch(g, HC_GOOGLE_TABLE_EVENTS, e);
  if (rc < 0) return rc;
  if (rc == 0) return finish(g, e);
  r = g->s.row;
  if (r.time != HC_NEVER && r.time < g->s.now) return unsorted(g, e);
  if (r.time != HC_NEVER && r.time > g->s.now) {
    TRY(join_others(g, r.time, false, e));
    g->s.now = r.time;
    g->s.due = 1;
    return 0;
  }
  TRY(join_jobs(g, g->s.now, false, e));
  g->s.waiting[HC_GOOGLE_TABLE_EVENTS] = 0;
  g->s.row.more = 0;
  rc = hc_google_take(g, &r, e);
  hc_google_drop(g, r.more);
  return rc;
}

hc_rc hc_google_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_google *g = google_of(s);
  for (;;) {
    const hc_rc rc = hc_google_give(g, e);
    if (rc < 0) return rc;
    if (rc == 1) {
      *job = (hc_job){.tasks = &g->task, .task_count = 1};
      return 1;
    }
    if (g->s.at_end) {
      TRY(hc_google_clear(g, e));
      return 0;
    }
    g->s.due = 0;
    TRY(step(g, e));
  }
}

/* ---- opening ---- */

static uint32_t bits(const hc_list *list, int from)
{
  const int *items = list->items;
  uint32_t mask = 0;
  for (size_t i = 0; i < list->count; i++) mask |= 1u << (items[i] + from);
  return mask;
}

static hc_rc check_choices(const hc_google *g, hc_error *e)
{
  const hc_google_choices *o = g->o;
  const char *const paths[HC_GOOGLE_TABLES] = {o->file, o->jobs, o->constraints, o->usage};
  int streams = 0;
  if (!o->file || !o->file[0])
    return hc_fail(e, HC_EUSAGE, g->format->name, 0, 0,
                   "no file is given: set `file`, or `-` for standard input");
  if (o->reading == HC_GOOGLE_MEASURED && !o->usage)
    return hc_fail(
        e, HC_EUSAGE, g->format->name, 0, 0,
        "`reading: measured` takes the demand of tasks from their usage: set `usage` to that table");
  if (o->reading == HC_GOOGLE_MEASURED && o->updates == HC_GOOGLE_UPDATES_IN_PLACE)
    return hc_fail(
        e, HC_EUSAGE, g->format->name, 0, 0,
        "`updates: in_place` changes what tasks asked for, and `reading: measured` leaves that aside: set "
        "one "
        "of the two to another choice");
  for (int t = 0; t < HC_GOOGLE_TABLES; t++) streams += paths[t] && strcmp(paths[t], "-") == 0;
  if (streams < 2) return 0;
  return hc_fail(e, HC_EUSAGE, g->format->name, 0, 0,
                 "standard input can be only one of the tables: save the others to files");
}

static hc_rc open_tables(hc_google *g, hc_error *e)
{
  const hc_google_choices *o = g->o;
  const char *const paths[HC_GOOGLE_TABLES] = {o->file, o->jobs, o->constraints, o->usage};
  for (int t = 0; t < HC_GOOGLE_TABLES; t++) {
    if (!paths[t] || !paths[t][0]) continue;
    g->has[t] = true;
    TRY(hc_parts_open(&g->tables[t], g->context->allocator, g->format->name, paths[t],
                      t == HC_GOOGLE_TABLE_EVENTS ? &o->parts : NULL, e));
    g->tables[t].table.separator = ',';
  }
  return 0;
}

hc_rc hc_google_open(const hc_source_context *c, const hc_google_format *format, const hc_google_choices *o,
                     size_t size, hc_source **out, hc_error *e)
{
  const hc_allocator *a = c->allocator;
  hc_google *g = hc_alloc(a, size);
  hc_rc rc;
  if (!g) return HC_ENOMEM;
  g->size = size;
  g->context = c;
  g->format = format;
  g->o = o;
  g->ends = o->ends.count > 0 ? bits(&o->ends, HC_GOOGLE_EVICT) : UINT32_MAX;
  g->merge = bits(&o->merge, HC_GOOGLE_EVICT);
  g->without = bits(&o->without, 0);
  g->s.now = HC_UNKNOWN;
  g->info = (hc_trace_info){.unix_start = format->unix_start,
                            .zone = format->zone,
                            .jobs = HC_UNKNOWN,
                            .records = HC_UNKNOWN,
                            .derived = format->derived};
  if (format->unix_start != HC_UNKNOWN) g->info.unix_start += o->origin / HC_SECOND;
  hc_google_held_init(&g->held, a, o->usage != NULL, (size_t)o->usage_steps,
                      o->updates == HC_GOOGLE_UPDATES_IN_PLACE);
  hc_interned_init(&g->users, a, true);
  g->users.lexicon = g->context->lexicon;
  hc_interned_init(&g->names, a, true);
  g->names.lexicon = g->context->lexicon;
  g->names.what = HC_CALLED_EXECUTABLE;
  g->users.ledger = g->names.ledger = g->context->ledger;
  hc_buffer_init(&g->scratch, a);
  hc_map_init(&g->job_of, a);
  rc = check_choices(g, e);
  if (rc == 0) rc = open_tables(g, e);
  if (rc < 0) hc_google_close((hc_source *)(void *)g);
  else *out = (hc_source *)(void *)g;
  return rc;
}

/* What tasks still hold in the lexicon is given back, since other sources go on using it. */
void hc_google_close(hc_source *s)
{
  hc_google *g = google_of(s);
  if (!g) return;
  const hc_allocator *a = g->context->allocator;
  if (g->format->closed) g->format->closed(g);
  for (size_t i = 0; i < g->held.count; i++) hc_google_drop(g, g->held.tasks[i].more);
  for (size_t i = 0; i < g->job_count; i++) hc_google_drop(g, g->jobs[i].more);
  hc_google_drop(g, g->s.row.more);
  hc_google_drop(g, g->s.job.more);
  for (int t = 0; t < HC_GOOGLE_TABLES; t++) hc_parts_close(&g->tables[t]);
  hc_google_held_fini(&g->held);
  hc_interned_fini(&g->users);
  hc_interned_fini(&g->names);
  hc_buffer_fini(&g->scratch);
  hc_map_fini(&g->job_of);
  hc_free(a, g->jobs, g->job_cap * sizeof *g->jobs);
  hc_free(a, g, g->size);
}

const hc_trace_info *hc_google_info(hc_source *s)
{
  return &google_of(s)->info;
}

const char *hc_google_file_of(const hc_source *s, uint32_t file)
{
  return hc_parts_name(&google_of(s)->tables[HC_GOOGLE_TABLE_EVENTS], file);
}

void hc_google_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_parts_progress(&google_of(s)->tables[HC_GOOGLE_TABLE_EVENTS], done, total);
}

/* ---- state ---- */

static hc_rc check_jobs(hc_google *g)
{
  const hc_lexicon *l = g->context->lexicon;
  hc_map_fini(&g->job_of);
  for (size_t i = 0; i < g->job_count; i++) {
    const hc_google_job *j = &g->jobs[i];
    if (j->more != 0 && (!l || !hc_lexicon_more(l, j->more))) return HC_EINPUT;
    TRY(hc_map_set(&g->job_of, (uint64_t)j->job, (uint32_t)i));
  }
  return 0;
}

hc_rc hc_google_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  hc_google *g = google_of(s);
  const bool loading = hc_visit_loading(v);
  for (int t = 0; t < HC_GOOGLE_TABLES; t++)
    if (g->has[t]) TRY(hc_parts_visit(&g->tables[t], v, e));
  HC_VISIT(v, g->s);
  HC_VISIT_ARRAY(v, g->jobs, g->job_count, g->job_cap);
  TRY(hc_interned_visit(&g->users, v));
  TRY(hc_interned_visit(&g->names, v));
  if (loading) TRY(check_jobs(g));
  return hc_google_held_visit(&g->held, g->context->lexicon, v);
}
