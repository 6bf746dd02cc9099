/* slurm_live.c -- see slurm_live.h.
 *
 * When the question was asked no row says, but a running job says when it started and how long it has run:
 * the latest of these sums is the moment. States between these two (COMPLETING, CONFIGURING, SUSPENDED) count
 * as running; a job that has ended, which scontrol shows for some minutes, is outside.
 *
 * Dependencies are of jobs: `afterok:7_3` waits for all tasks of array 7 that are in the queue. Those on jobs
 * that are not there are fulfilled, by the run's `missing_predecessor`. Of alternatives (`?`) all are waited
 * for; `singleton` is not modelled.
 *
 * How many tasks of an array may run at once (%2) is said by the row of those that wait; it holds for those
 * that run, too, which count. */
#include "workload/slurm_live.h"

#include "base/hostlist.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/spec.h"

#define MOST_ROWS ((size_t)1 << 20) /* with each task of an array that waits: 400 MB */

typedef enum phase { GONE, RUNNING, WAITING } phase;

struct hc_slurm_live_row {
  hc_task_spec spec; /* submit: ns since 1970; label not yet */
  int64_t start;     /* Unix seconds; HC_UNKNOWN: it waits, or that is not known */
  int64_t eligible;  /* the same */
  hc_time elapsed;   /* ns; HC_UNKNOWN */
  const char *nodes, *dependency;
  int64_t shown[3];
  hc_slurm_terms terms;
  int64_t least_hosts, most_hosts; /* as hc_task_extras has them */
  bool is_running;
};

static hc_rc no_memory(const hc_slurm_live *l, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, l->name, 0, 0, "out of memory for the queue");
}

/* ---- a row ---- */

static phase phase_of(hc_slice state)
{
  static const char *const running[] = {"RUNNING",   "R",  "COMPLETING", "CG", "CONFIGURING", "CF",
                                        "SUSPENDED", "S",  "STOPPED",    "ST", "SIGNALING",   "SI",
                                        "STAGE_OUT", "SO", "RESIZING",   "RS"};
  static const char *const waiting[] = {"PENDING",      "PD", "REQUEUED",     "RQ", "REQUEUE_FED",   "RF",
                                        "REQUEUE_HOLD", "RH", "SPECIAL_EXIT", "SE", "RESV_DEL_HOLD", "RD"};
  for (size_t i = 0; i < HC_ARRAY_LEN(running); i++)
    if (hc_slurm_is(state, running[i])) return RUNNING;
  for (size_t i = 0; i < HC_ARRAY_LEN(waiting); i++)
    if (hc_slurm_is(state, waiting[i])) return WAITING;
  return GONE;
}

static bool begins_with(hc_slice t, const char *word)
{
  const size_t n = strlen(word);
  return t.n >= n && memcmp(t.s, word, n) == 0;
}

static bool is_held(const hc_slurm_cells *c, const hc_slurm_live_more *more)
{
  int64_t priority;
  if (begins_with(more->reason, "JobHeld")) return true;
  return hc_slurm_count(c->at[HC_SLURM_PRIORITY], &priority) == HC_SLURM_VALUE && priority == 0;
}

static void forget(hc_slurm_cells *c, hc_slurm_column column)
{
  c->at[column] = (hc_slice){0};
  c->has &= ~(UINT64_C(1) << column);
}

static const char *keep_text(hc_slurm_live *l, hc_slice t)
{
  return t.n == 0 || hc_slurm_is(t, "(null)") ? "" : hc_arena_text(&l->texts, t.s, t.n);
}

static hc_rc add_row(hc_slurm_live *l, const hc_slurm_live_row *r, hc_error *e)
{
  if (l->count == MOST_ROWS)
    return hc_fail(e, HC_ELIMIT, l->name, hc_line_number(r->spec.line), 0,
                   "more than %zu jobs and tasks of arrays", MOST_ROWS);
  if (hc_reserve(l->context->allocator, (void **)&l->rows, &l->cap, l->count + 1, sizeof *l->rows) < 0)
    return no_memory(l, e);
  l->rows[l->count++] = *r;
  return 0;
}

static void count_row(hc_slurm_live *l)
{
  l->flaws.rows++;
  if (l->context->ledger) l->context->ledger->read++;
}

/* A row for each task of an array that waits. */
static hc_rc add_array(hc_slurm_live *l, hc_slurm_live_row *r, hc_slice list, const hc_slurm_cells *c,
                       hc_error *e)
{
  const hc_rc rc = hc_slurm_ranges(l->context->allocator, list, &l->ranges, &l->range_count, &l->range_cap);
  if (rc < 0) return no_memory(l, e);
  if (rc == 0) return hc_slurm_live_malformed(l, c->line, r->spec.line, hc_slurm_place(c, list), e);
  for (size_t i = 0; i < l->range_count; i++)
    for (int64_t t = l->ranges[i].first; t <= l->ranges[i].last; t += l->ranges[i].step) {
      r->shown[1] = t;
      count_row(l);
      TRY(add_row(l, r, e));
    }
  return 0;
}

static void take_times(const hc_slurm_live *l, const hc_slurm_cells *c, const hc_slurm_record *record,
                       hc_slurm_live_row *r)
{
  r->start = r->eligible = HC_UNKNOWN;
  r->elapsed = record->spec.run;
  (void)hc_slurm_time(c->at[HC_SLURM_START], l->zone, 0, &r->start);
  (void)hc_slurm_time(c->at[HC_SLURM_ELIGIBLE], l->zone, 0, &r->eligible);
  if (!r->is_running) r->elapsed = HC_UNKNOWN;
}

static hc_rc reject(hc_slurm_live *l, const hc_slurm_cells *c, uint64_t number, hc_reason why, hc_error *e)
{
  count_row(l);
  return hc_row_reject(l->context, l->name, number, 0, why, c->line, e);
}

hc_rc hc_slurm_live_malformed(hc_slurm_live *l, const char *line, uint64_t number, uint32_t column,
                              hc_error *e)
{
  if (l->context->ledger) l->context->ledger->read++;
  return hc_flaws_line(&l->flaws, l->context, l->name, number, column, line, e);
}

/* Its array has a bound. */
static hc_rc note_bound(hc_slurm_live *l, const hc_slurm_cells *c, const hc_slurm_live_more *more,
                        int64_t job, hc_error *e)
{
  hc_slurm_id id = {.at_once = 0};
  if (c->id) id = *c->id;
  else (void)hc_slurm_job(c->at[HC_SLURM_JOB_ID], &id);
  const int64_t most = id.at_once > 0 ? id.at_once : more->at_once;
  if (most <= 0 || job < 0) return 0;
  return hc_map_set(&l->at_once, (uint64_t)job, (uint32_t)HC_MIN(most, INT64_C(1) << 20)) < 0
             ? no_memory(l, e)
             : 0;
}

hc_rc hc_slurm_live_take(hc_slurm_live *l, hc_slurm_cells *cells, const hc_slurm_live_more *more,
                         uint64_t number, hc_error *e)
{
  const phase p = phase_of(cells->at[HC_SLURM_STATE]);
  hc_slurm_live_row r = {.is_running = p == RUNNING};
  hc_slurm_record record;
  hc_slice list = {0};
  uint32_t column = 0;
  if (p == GONE) return reject(l, cells, number, HC_REASON_OUTSIDE, e);
  if (p == WAITING && l->o->held == 0 && is_held(cells, more))
    return reject(l, cells, number, HC_REASON_FILTERED, e);
  if (p == WAITING) forget(cells, HC_SLURM_START); /* an estimate */
  forget(cells, HC_SLURM_END);
  hc_slurm_say_word(cells, HC_SLURM_STATE, p == RUNNING ? "RUNNING" : "PENDING");
  const hc_rc verdict = hc_slurm_read(&l->how, cells, &record, &list, &column);
  if (verdict < 0) return no_memory(l, e);
  if (verdict != HC_SLURM_TASK && verdict != HC_SLURM_ARRAY)
    return hc_slurm_live_malformed(l, cells->line, number, column, e);
  r.spec = record.spec;
  r.spec.line = number;
  r.spec.job = record.shown[0];
  memcpy(r.shown, record.shown, sizeof r.shown);
  r.terms = record.terms;
  r.least_hosts = record.least_hosts;
  r.most_hosts = record.most_hosts;
  take_times(l, cells, &record, &r);
  r.nodes = p == RUNNING ? keep_text(l, cells->at[HC_SLURM_NODE_LIST]) : "";
  r.dependency = p == WAITING ? keep_text(l, more->dependency) : "";
  if (!r.nodes || !r.dependency) return no_memory(l, e);
  TRY(note_bound(l, cells, more, r.spec.job, e));
  if (verdict == HC_SLURM_ARRAY) return add_array(l, &r, list, cells, e);
  count_row(l);
  return add_row(l, &r, e);
}

/* ---- when it was asked ---- */

static int64_t later(int64_t a, int64_t b)
{
  return b == HC_UNKNOWN || (a != HC_UNKNOWN && a > b) ? a : b;
}

static int64_t submitted(const hc_slurm_live_row *r)
{
  return r->spec.submit == HC_UNKNOWN ? HC_UNKNOWN : r->spec.submit / HC_SECOND;
}

static hc_rc find_now(hc_slurm_live *l, const char *who, hc_error *e)
{
  int64_t by_runs = HC_UNKNOWN, by_rows = HC_UNKNOWN;
  hc_time said = HC_UNKNOWN;
  TRY(hc_origin_read(who, l->o->now, l->zone, &said, e));
  for (size_t i = 0; i < l->count; i++) {
    const hc_slurm_live_row *r = &l->rows[i];
    if (r->start != HC_UNKNOWN && r->elapsed != HC_UNKNOWN)
      by_runs = later(by_runs, r->start + r->elapsed / HC_SECOND);
    by_rows = later(later(by_rows, r->start), submitted(r));
  }
  l->now = said != HC_UNKNOWN       ? hc_origin_seconds(said)
           : by_runs != HC_UNKNOWN  ? by_runs
           : l->asked != HC_UNKNOWN ? later(l->asked, by_rows)
                                    : by_rows;
  if (l->now != HC_UNKNOWN || l->count == 0) return 0;
  return hc_fail(
      e, HC_EUSAGE, who, 0, 0,
      "no row says when it was submitted or started: say when it was asked with `now` (`when --now DATE`)");
}

/* ---- tasks ---- */

/* What runs arrives when it started: what is left of it is what its limit leaves, at least a second. */
static void run_on(const hc_slurm_live *l, hc_slurm_live_row *r)
{
  hc_task_spec *t = &r->spec;
  if (r->start == HC_UNKNOWN && r->elapsed != HC_UNKNOWN) r->start = l->now - r->elapsed / HC_SECOND;
  if (r->start == HC_UNKNOWN || r->start > l->now) r->start = l->now;
  const hc_time done = (l->now - r->start) * HC_SECOND;
  t->run = HC_MAX(t->limit > 0 ? t->limit : l->o->no_limit, done + HC_SECOND);
  if (t->limit > 0) t->limit = t->run;
  t->submit = r->start * HC_SECOND;
  t->wait = 0;
  t->flags |= HC_SPEC_PREFILL;
}

/* What waits for others has to be behind them, and counts no age before they have ended. */
static void wait_on(const hc_slurm_live *l, hc_slurm_live_row *r)
{
  hc_task_spec *t = &r->spec;
  if (t->submit == HC_UNKNOWN || t->submit > l->now * HC_SECOND || r->dependency[0])
    t->submit = l->now * HC_SECOND;
  t->not_before = HC_MAX(r->eligible == HC_UNKNOWN ? l->now : r->eligible, l->now) * HC_SECOND;
  t->run = t->limit > 0 ? t->limit : l->o->no_limit;
  t->wait = HC_UNKNOWN;
}

/* A job that others wait for has a lower number than these. */
HC_SORT_OF(sort_rows, hc_slurm_live_row,
           a->spec.submit != b->spec.submit ? a->spec.submit < b->spec.submit
           : a->shown[0] != b->shown[0]     ? a->shown[0] < b->shown[0]
           : a->shown[1] != b->shown[1]     ? a->shown[1] < b->shown[1]
                                            : a->spec.line < b->spec.line)

/* @param said  the origin, ns since 1970; HC_UNKNOWN: by the rows */
static void set_times(hc_slurm_live *l, hc_time said)
{
  l->origin = l->now;
  for (size_t i = 0; i < l->count; i++) {
    hc_slurm_live_row *r = &l->rows[i];
    if (r->is_running) run_on(l, r);
    else wait_on(l, r);
    l->origin = HC_MIN(l->origin, submitted(r));
    l->has_dependencies |= r->dependency[0] != '\0';
  }
  if (said != HC_UNKNOWN) l->origin = hc_origin_seconds(said);
  for (size_t i = 0; i < l->count; i++) {
    hc_task_spec *t = &l->rows[i].spec;
    t->submit -= l->origin * HC_SECOND;
    if (t->not_before != HC_UNKNOWN) t->not_before -= l->origin * HC_SECOND;
  }
  sort_rows(l->rows, l->count, NULL);
  if (l->count > 0) l->info.unix_start = l->origin;
}

/* ---- rare facts ---- */

static hc_rc take_host(void *ctx, const char *name, hc_error *e)
{
  hc_slurm_live *l = ctx;
  if (hc_reserve(l->context->allocator, (void **)&l->hosts, &l->host_cap, l->host_count + 1,
                 sizeof *l->hosts) < 0)
    return no_memory(l, e);
  l->hosts[l->host_count] = hc_lexicon_name(l->context->lexicon, name, strlen(name));
  return l->hosts[l->host_count++] == HC_NO_NAME ? no_memory(l, e) : 0;
}

static hc_rc read_hosts(hc_slurm_live *l, const hc_slurm_live_row *r, hc_error *e)
{
  const hc_hostlist list = {.text = r->nodes,
                            .wrong = HC_EINPUT,
                            .where = l->name,
                            .line = hc_line_number(r->spec.line),
                            .take = take_host,
                            .ctx = l};
  l->host_count = 0;
  return l->how.demand != HC_SLURM_DEMAND_PROCESSORS ? hc_hostlist_each(&list, e) : 0;
}

/* What a word of a dependency asks for. @return false: it is no dependency on jobs */
static bool how_of(hc_slice word, uint32_t *out)
{
  static const struct {
    const char *word;
    hc_after_how how;
  } words[] = {{"after", HC_AFTER_STARTED},
               {"afterany", HC_AFTER_ENDED},
               {"afterok", HC_AFTER_COMPLETED},
               {"aftercorr", HC_AFTER_COMPLETED},
               {"afternotok", HC_AFTER_FAILED}};
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (hc_slurm_is(word, words[i].word)) {
      *out = words[i].how;
      return true;
    }
  return false;
}

/* "afterok:7_3(unfulfilled),afterany:8_*+5(unfulfilled)": each number behind a colon is a job. */
static hc_rc read_after(hc_slurm_live *l, const char *text, size_t *count, hc_error *e)
{
  uint32_t how = 0;
  bool is_known = false;
  *count = 0;
  for (const char *p = text; *p;) {
    const size_t n = strcspn(p, ":,?()");
    const hc_slice word = {p, strcspn(p, "_+:,?()")};
    int64_t job;
    if (n > 0 && hc_slurm_count(word, &job) == HC_SLURM_VALUE && is_known) {
      if (hc_reserve(l->context->allocator, (void **)&l->after, &l->after_cap, *count + 1, sizeof *l->after) <
          0)
        return no_memory(l, e);
      l->after[(*count)++] = (hc_after){.job = job, .task = HC_UNKNOWN, .how = how};
    } else if (n > 0) {
      is_known = how_of((hc_slice){p, n}, &how);
    }
    p += n;
    if (*p == '(') p += strcspn(p, ")");
    p += *p != '\0';
  }
  return 0;
}

static hc_rc put_more(hc_slurm_live *l, const hc_slurm_live_row *r, hc_task_spec *t, hc_error *e)
{
  hc_task_extras m = hc_task_extras_none();
  if (!l->context->lexicon) return 0;
  TRY(read_hosts(l, r, e));
  TRY(read_after(l, r->dependency, &m.after_count, e));
  const uint32_t most = t->job >= 0 ? hc_map_get(&l->at_once, (uint64_t)t->job) : HC_MAP_NONE;
  const bool has_terms = hc_slurm_put_terms(&r->terms, &m);
  if (most != HC_MAP_NONE) m.at_once = most;
  m.least_hosts = (uint32_t)r->least_hosts;
  m.most_hosts = (uint32_t)r->most_hosts;
  if (l->host_count + m.after_count + m.at_once + m.least_hosts == 0 && !has_terms) return 0;
  m.after = l->after;
  m.hosts = l->hosts;
  m.host_count = l->host_count;
  t->more = hc_lexicon_keep(l->context->lexicon, &m);
  return t->more ? 0 : no_memory(l, e);
}

/* ---- members of a reader ---- */

static hc_slurm_live *live_of(hc_source *s)
{
  return (hc_slurm_live *)(void *)s;
}

hc_rc hc_slurm_live_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_slurm_live *l = live_of(s);
  const hc_slurm_live_row *r;
  char text[80];
  for (; l->next < l->count && l->rows[l->next].spec.submit < 0; l->next++)
    TRY(hc_row_reject(l->context, l->name, l->rows[l->next].spec.line, 0, HC_REASON_OUTSIDE, NULL, e));
  if (l->next == l->count) return 0;
  r = &l->rows[l->next++];
  l->task = r->spec;
  TRY(put_more(l, r, &l->task, e));
  const size_t n = hc_slurm_spell(text, r->shown[0], r->shown[1], r->shown[2]);
  TRY(hc_spec_label(l->context->lexicon, text, n, l->task.id, &l->task.label));
  *job = (hc_job){.tasks = &l->task, .task_count = 1};
  return 1;
}

const hc_trace_info *hc_slurm_live_info(hc_source *s)
{
  return &live_of(s)->info;
}

hc_refers hc_slurm_live_refers(const hc_source *s)
{
  const hc_slurm_live *l = (const void *)s;
  return l->has_dependencies ? HC_REFERS_ANY : HC_REFERS_NONE;
}

hc_rc hc_slurm_live_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  hc_slurm_live *l = live_of(s);
  HC_UNUSED(e);
  HC_VISIT(v, l->next);
  return l->next <= l->count ? 0 : HC_EINPUT;
}

void hc_slurm_live_close(hc_source *s, size_t size)
{
  if (!s) return;
  hc_slurm_live *l = live_of(s);
  const hc_allocator *a = l->context->allocator;
  hc_zone_free(l->zone);
  for (int k = 0; k < HC_SLURM_NAME_KINDS; k++) hc_interned_fini(&l->how.names[k]);
  hc_arena_fini(&l->texts);
  hc_map_fini(&l->at_once);
  hc_free(a, l->rows, l->cap * sizeof *l->rows);
  hc_free(a, l->ranges, l->range_cap * sizeof *l->ranges);
  hc_free(a, l->after, l->after_cap * sizeof *l->after);
  hc_free(a, l->hosts, l->host_cap * sizeof *l->hosts);
  hc_free(a, s, size);
}

static hc_rc begin(hc_slurm_live *l, const char *who, hc_error *e)
{
  const hc_slurm_live_options *o = l->o;
  static const struct {
    hc_called kind;
    const char *word;
  } titles[] = {{HC_CALLED_GROUP, "account"}, {HC_CALLED_QUEUE, "qos"}, {HC_CALLED_EXECUTABLE, "job_name"}};
  l->info = hc_trace_info_none();
  l->asked = HC_UNKNOWN;
  l->how.units = (hc_slurm_units)o->units;
  l->how.demand = (hc_slurm_demand)o->demand;
  l->how.partition_limit = o->partition_limit ? o->partition_limit : HC_UNKNOWN;
  hc_slurm_names_init(&l->how, l->context);
  hc_arena_init(&l->texts, l->context->allocator);
  hc_map_init(&l->at_once, l->context->allocator);
  for (size_t i = 0; l->context->lexicon && i < HC_ARRAY_LEN(titles); i++)
    (void)hc_lexicon_title(l->context->lexicon, titles[i].kind, titles[i].word);
  if (!o->zone || !o->zone[0]) return 0;
  TRY(hc_origin_zone(l->context->allocator, who, o->zone, &l->zone, e));
  l->info.zone = o->zone;
  l->how.zone = l->zone;
  return 0;
}

hc_rc hc_slurm_live_open(const hc_source_context *c, const char *who, const void *options, size_t size,
                         hc_rc (*read)(hc_source *s, hc_error *e), const char *advice, hc_source **out,
                         hc_error *e)
{
  const hc_slurm_live_options *o = options;
  hc_time origin = HC_UNKNOWN;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, who, o->file, size, &s, e));
  hc_slurm_live *l = live_of(s);
  l->context = c;
  l->o = o;
  l->name = hc_reading_name(o->file);
  rc = begin(l, who, e);
  if (rc >= 0) rc = hc_origin_read(who, o->origin, l->zone, &origin, e);
  if (rc >= 0) rc = read(s, e);
  if (rc >= 0 && l->flaws.rows == 0 && l->flaws.malformed > 0)
    rc = hc_fail(e, HC_EINPUT, l->name, l->flaws.bad_line, l->flaws.bad_column, "%s", advice);
  if (rc >= 0) rc = find_now(l, who, e);
  if (rc >= 0) set_times(l, origin);
  if (rc >= 0) *out = s;
  else hc_slurm_live_close(s, size);
  return rc;
}
