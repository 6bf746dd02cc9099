/* alibaba_v2018.c -- batch_task.csv of Alibaba's trace of 2018: jobs of tasks of equal instances, with their
 * DAG.
 *
 * A row is a bundle: instance_num tasks that need plan_cpu and plan_mem each. Its name says what it waits
 * for: J5_3_4 is number 5 of its job, after 3 and 4 (workload/alibaba_job.c). A job is submitted when the
 * first of its rows starts, since the trace has no other time of arrival, and start_time is when the job's
 * master registered the task.
 *
 * So the rows of a job must be known before its first task is handed over. Rows are held until `window` of
 * them are; then the job of the first one is given out, with all of its rows that were seen. In the published
 * file the rows of a job stand together, and jobs in no order of time; sorted by start_time, jobs come in
 * order of submission and their rows apart. Both work. Rows that come later still are a part of their own:
 * submitted when they start, and what they wait for is left to the run.
 *
 * run = end - start is how long the task was registered: it includes the wait for its predecessors. `run:
 * ready` takes it from the end of the last of them.
 *
 * Written without a header, in whole seconds: a task's instances are its bundle times its hosts, its name
 * says what it waits for within its job. One without a run time has start and end 0; one that had not ended
 * has end 0.
 *
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018, and what its makers answered there.
 * Cost: about 0.6 us a row read, 60 ns written; memory: some 120 bytes for each row of the window. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"
#include "workload/alibaba_job.h"
#include "workload/alibaba_rows.h"

enum { NAME, INSTANCES, JOB, TYPE, STATUS, START, END, CPU, MEMORY, COLUMNS };

/* What its job is called, or itself if it is of none; else "j_17". */
static char *put_job_name(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  static const hc_column own = {"job_name", HC_TO(ID)}, of_job = {"job_name", HC_TO(JOB)};
  if (w->is_labelled && hc_pen_label(&p, w, t->job >= 0 ? &of_job : &own, lost)) return p;
  return hc_put_uint(hc_put_text(p, "j_"), (uint64_t)hc_alibaba_job(t));
}

static const hc_column columns[COLUMNS] = {
    [NAME] = {"task_name", .note = "id, and what it waits for", .flags = HC_NEEDED,
              .put = hc_alibaba_put_task_name},
    [INSTANCES] = {"instance_num", HC_TO(BUNDLE), HC_WHOLE(1, UINT32_MAX), .flags = HC_ASKED},
    [JOB] = {"job_name", HC_TO(ID), HC_NUMBERED("j_"), .note = "job", .flags = HC_ASKED | HC_NEEDED,
             .put = put_job_name},
    [TYPE] = {"task_type", HC_TO(EXECUTABLE), HC_WHOLE(0, INT32_MAX), .flags = HC_ASKED},
    [STATUS] = {HC_ALIBABA_STATUS},
    [START] = {"start_time", HC_TO(SUBMIT), HC_IS(SECONDS), .flags = HC_ASKED | HC_NEEDED},
    [END] = {"end_time", HC_IS(SECONDS), .note = "the end of its run", .flags = HC_ASKED | HC_NEEDED},
    [CPU] = {"plan_cpu", HC_TO(CPU), HC_DECIMAL(1000, 100), .flags = HC_ASKED | HC_CPU_SCALE | HC_EXACT},
    [MEMORY] = {"plan_mem", HC_TO(MEMORY), HC_DECIMAL(1, 100), .most = 100,
                .flags = HC_ASKED | HC_MEMORY_SCALE, .put = hc_alibaba_put_memory}};

static const hc_table_form form =
    HC_ALIBABA_FORM("batch_task.csv of Alibaba's trace of 2018", columns, START, true);

#define NONE UINT32_MAX
#define GIVEN (UINT32_MAX - 1) /* in the map: a job that was given out not long ago */
#define PIECE 7

typedef enum submit_when { SUBMIT_JOB, SUBMIT_TASK } submit_when;
typedef enum run_since { RUN_SPAN, RUN_READY } run_since;

typedef struct options {
  hc_alibaba_options common;
  int statuses, submit, run;
  int64_t window;
} options;

/* A row that is held. No padding. */
typedef struct row {
  int64_t number;
  hc_time start, end;
  int64_t cpu, memory, type;
  uint64_t line;
  uint32_t count;
  hc_recorded state;
  uint32_t next;  /* row of the same job, or free one */
  uint32_t after; /* first piece of what it waits for */
  uint32_t after_count;
  uint32_t label, job_label; /* where its number, or its job's, is a hash; held until its task is given out */
  uint32_t unused;
} row;

typedef struct piece {
  int64_t numbers[PIECE];
  uint32_t next, unused;
} piece;

typedef struct job {
  int64_t number;
  uint32_t first, last; /* rows */
  uint32_t next;        /* job whose first row came next, or free one */
  uint32_t part;        /* rows of it were given out before */
} job;

/* A held row as a state has it. No padding. */
typedef struct saved_row {
  row row;
  int64_t job;
  uint32_t part, newest;
} saved_row;

typedef struct state {
  const hc_source_context *context;
  const options *o;
  hc_sheet *table;
  hc_alibaba_numbers after; /* of the row at hand */
  row *rows;
  piece *pieces;
  job *jobs;
  int64_t *given; /* [given_count] a ring of jobs that were given out last */
  size_t row_count, row_cap, piece_count, piece_cap, job_count, job_cap, given_count, given_cap;
  hc_map places; /* number of a job -> its place, or GIVEN */
  hc_alibaba_graph graph;
  hc_task_spec *tasks;
  size_t task_cap;
  hc_buffer derived;
  struct {
    uint32_t free_row, free_piece, free_job;
    uint32_t first, last;  /* jobs in order */
    uint32_t newest;       /* the job of the row read last */
    uint64_t held, pieces; /* in use */
    uint64_t given;        /* how many were, in all */
    hc_alibaba_doubts doubts;
  } s;
} state;

/* ---- what is held ---- */

static hc_rc new_row(state *s, uint32_t *out)
{
  *out = s->s.free_row;
  if (*out != NONE) {
    s->s.free_row = s->rows[*out].next;
  } else {
    TRY(hc_reserve(s->context->allocator, (void **)&s->rows, &s->row_cap, s->row_count + 1, sizeof *s->rows));
    *out = (uint32_t)s->row_count++;
  }
  s->s.held++;
  return 0;
}

static hc_rc new_piece(state *s, uint32_t *out)
{
  *out = s->s.free_piece;
  if (*out != NONE) {
    s->s.free_piece = s->pieces[*out].next;
  } else {
    TRY(hc_reserve(s->context->allocator, (void **)&s->pieces, &s->piece_cap, s->piece_count + 1,
                   sizeof *s->pieces));
    *out = (uint32_t)s->piece_count++;
  }
  memset(&s->pieces[*out], 0, sizeof *s->pieces);
  s->pieces[*out].next = NONE;
  s->s.pieces++;
  return 0;
}

static void free_row(state *s, uint32_t r)
{
  for (uint32_t p = s->rows[r].after; p != NONE;) {
    const uint32_t next = s->pieces[p].next;
    s->pieces[p].next = s->s.free_piece;
    s->s.free_piece = p;
    s->s.pieces--;
    p = next;
  }
  memset(&s->rows[r], 0, sizeof s->rows[r]);
  s->rows[r].after = NONE;
  s->rows[r].next = s->s.free_row;
  s->s.free_row = r;
  s->s.held--;
}

static hc_rc new_job(state *s, int64_t number, bool part, uint32_t *out)
{
  job *j;
  *out = s->s.free_job;
  if (*out != NONE) {
    s->s.free_job = s->jobs[*out].next;
  } else {
    TRY(hc_reserve(s->context->allocator, (void **)&s->jobs, &s->job_cap, s->job_count + 1, sizeof *s->jobs));
    *out = (uint32_t)s->job_count++;
  }
  j = &s->jobs[*out];
  *j = (job){.number = number, .first = NONE, .last = NONE, .next = NONE, .part = part};
  if (s->s.last != NONE) s->jobs[s->s.last].next = *out;
  else s->s.first = *out;
  s->s.last = *out;
  s->s.doubts.apart += part;
  return hc_map_set(&s->places, (uint64_t)number, *out);
}

static hc_rc find_job(state *s, int64_t number, uint32_t *out)
{
  const uint32_t place = hc_map_get(&s->places, (uint64_t)number);
  if (place != HC_MAP_NONE && place != GIVEN) {
    *out = place;
    return 0;
  }
  return new_job(s, number, place == GIVEN, out);
}

/* Remember for a while that a job was given out; as many as rows are held. */
static hc_rc remember(state *s, int64_t number)
{
  const size_t place = (size_t)(s->s.given % (uint64_t)s->o->window);
  if (place == s->given_count) {
    TRY(hc_reserve(s->context->allocator, (void **)&s->given, &s->given_cap, s->given_count + 1,
                   sizeof *s->given));
    s->given_count++;
  } else if (hc_map_get(&s->places, (uint64_t)s->given[place]) == GIVEN) {
    hc_map_remove(&s->places, (uint64_t)s->given[place]);
  }
  s->given[place] = number;
  s->s.given++;
  return hc_map_set(&s->places, (uint64_t)number, GIVEN);
}

/* Keep what the row at hand waits for. */
static hc_rc hold_after(state *s, row *r)
{
  uint32_t before = NONE;
  r->after = NONE;
  r->after_count = (uint32_t)s->after.count;
  for (size_t i = 0; i < s->after.count; i += PIECE) {
    uint32_t p;
    TRY(new_piece(s, &p));
    memcpy(s->pieces[p].numbers, s->after.items + i,
           HC_MIN(s->after.count - i, (size_t)PIECE) * sizeof(int64_t));
    if (before == NONE) r->after = p;
    else s->pieces[before].next = p;
    before = p;
  }
  return 0;
}

/* Put the row at hand into its job. */
static hc_rc hold(state *s, int64_t number, row *r)
{
  uint32_t place, j;
  TRY(hold_after(s, r));
  TRY(new_row(s, &place));
  r->next = NONE;
  s->rows[place] = *r;
  TRY(find_job(s, number, &j));
  if (s->jobs[j].last != NONE) s->rows[s->jobs[j].last].next = place;
  else s->jobs[j].first = place;
  s->jobs[j].last = place;
  s->s.newest = j;
  return 0;
}

/* ---- rows ---- */

/* @return 1, 0 if it was rejected, or an error. */
static hc_rc read_demand(state *s, row *r, hc_error *e)
{
  hc_sheet *t = s->table;
  hc_rc rc = hc_sheet_get(t, CPU, &r->cpu, e);
  if (rc == 1) rc = hc_sheet_get(t, MEMORY, &r->memory, e);
  if (rc != 1) return rc;
  hc_sheet_defaults(t, &r->cpu, &r->memory);
  if (r->cpu != HC_UNKNOWN || r->memory != HC_UNKNOWN) return 1;
  return hc_sheet_reject(t, HC_REASON_NO_DEMAND, e);
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc read_row(state *s, row *r, int64_t *number, hc_error *e)
{
  hc_sheet *t = s->table;
  const hc_field *name = hc_sheet_field(t, NAME);
  hc_alibaba_span span;
  int64_t instances = HC_UNKNOWN;
  hc_rc rc;
  memset(r, 0, sizeof *r);
  if (!name) return hc_sheet_wrong(t, NAME, "no name", e);
  if (!hc_sheet_field(t, JOB)) return hc_sheet_wrong(t, JOB, "no name", e);
  *number = hc_sheet_id(t, JOB);
  r->line = t->in.s.line;
  rc = hc_alibaba_ran(t, STATUS, START, END, s->o->statuses, &span, e);
  if (rc == 1) rc = hc_sheet_get(t, INSTANCES, &instances, e);
  if (rc == 1) rc = hc_sheet_get(t, TYPE, &r->type, e);
  if (rc == 1) rc = read_demand(s, r, e);
  if (rc != 1) return rc;
  r->start = span.start;
  r->end = span.end;
  r->state = span.state;
  if (r->type == HC_UNKNOWN) r->type = -1;
  r->count = instances == HC_UNKNOWN ? 1 : (uint32_t)instances;
  s->after.count = 0;
  rc = hc_alibaba_task_name(name->text, name->length, &r->number, &s->after);
  if (rc < 0) return rc;
  s->s.doubts.parts += (uint64_t)rc;
  if (hc_name_is_hash(r->number)) TRY(hc_sheet_label(t, NAME, &r->label));
  if (hc_name_is_hash(*number)) TRY(hc_sheet_label(t, JOB, &r->job_label));
  return 1;
}

/* ---- jobs ---- */

static hc_rc make_graph(state *s, const job *j, bool whole)
{
  hc_alibaba_graph *g = &s->graph;
  hc_alibaba_graph_reset(g);
  for (uint32_t r = j->first; r != NONE; r = s->rows[r].next) {
    const row *from = &s->rows[r];
    uint32_t p = from->after;
    TRY(hc_alibaba_graph_add(g, from->number));
    TRY(hc_reserve(g->allocator, (void **)&g->after.items, &g->after.cap, g->after.count + from->after_count,
                   sizeof *g->after.items));
    for (size_t i = 0; i < from->after_count; i += PIECE, p = s->pieces[p].next) {
      const size_t n = HC_MIN(from->after_count - i, (size_t)PIECE);
      memcpy(g->after.items + g->after.count, s->pieces[p].numbers, n * sizeof(int64_t));
      g->after.count += n;
    }
    hc_alibaba_graph_close(g);
  }
  return hc_alibaba_graph_settle(g, whole, &s->s.doubts);
}

/* When the last of those that it waits for ended; the rows of the job are tasks of `made` in the same
 * order. */
static hc_time ready_since(const state *s, const hc_alibaba_member *m, const hc_time *ends)
{
  hc_time last = HC_UNKNOWN;
  for (size_t i = 0; i < m->count; i++) {
    size_t n;
    const uint32_t *rows = hc_alibaba_graph_rows(&s->graph, s->graph.after.items[m->first + i], &n);
    for (size_t k = 0; k < n; k++) last = HC_MAX(last, ends[rows[k]]);
  }
  return last;
}

static hc_task_spec task_of(const row *r, int64_t job_number)
{
  hc_task_spec t = hc_task_spec_none();
  t.id = r->number;
  t.line = r->line;
  t.submit = r->start;
  t.run = r->end - r->start;
  t.executable = r->type;
  hc_spec_record(&t, r->state);
  t.job = job_number;
  t.label = r->label;
  t.job_label = r->job_label;
  t.hosts = 1;
  t.need[HC_DIM_CPU] = r->cpu;
  t.need[HC_DIM_MEMORY] = r->memory;
  t.count = r->count;
  return t;
}

/* Run times as they are once the predecessors have ended. */
static hc_rc shorten(state *s, const job *j)
{
  const hc_allocator *a = s->context->allocator;
  const size_t n = s->graph.count;
  hc_time *ends = hc_alloc(a, n * sizeof *ends);
  size_t i = 0;
  if (!ends) return HC_ENOMEM;
  for (uint32_t r = j->first; r != NONE; r = s->rows[r].next) ends[i++] = s->rows[r].end;
  i = 0;
  for (uint32_t r = j->first; r != NONE; r = s->rows[r].next, i++) {
    const hc_time since = HC_MAX(s->rows[r].start, ready_since(s, &s->graph.tasks[i], ends));
    s->tasks[i].run = HC_MAX(s->rows[r].end - since, 0);
  }
  hc_free(a, ends, n * sizeof *ends);
  return 0;
}

static hc_rc make_tasks(state *s, const job *j)
{
  hc_time first = HC_NEVER;
  size_t i = 0;
  hc_rc rc = 0;
  TRY(hc_reserve(s->context->allocator, (void **)&s->tasks, &s->task_cap, s->graph.count, sizeof *s->tasks));
  for (uint32_t r = j->first; r != NONE; r = s->rows[r].next, i++) {
    s->tasks[i] = task_of(&s->rows[r], j->number);
    first = HC_MIN(first, s->rows[r].start);
  }
  if (s->o->run == RUN_READY && s->graph.after.count > 0) TRY(shorten(s, j));
  for (i = 0; i < s->graph.count && rc == 0; i++) {
    if (s->o->submit == SUBMIT_JOB) s->tasks[i].submit = first;
    const size_t waits = s->graph.tasks[i].count;
    rc = hc_alibaba_keep(s->context->lexicon, s->context->allocator, j->number,
                         waits ? s->graph.after.items + s->graph.tasks[i].first : NULL, waits,
                         &s->tasks[i].more);
  }
  for (; rc < 0 && i > 0; i--) /* what was kept so far has no holder */
    if (s->tasks[i - 1].more)
      hc_lexicon_calls_of(s->context->lexicon)->drop(s->context->lexicon, s->tasks[i - 1].more);
  return rc;
}

/* Give out the job whose first row came first. */
static hc_rc give(state *s, hc_job *out)
{
  const uint32_t place = s->s.first;
  const job j = s->jobs[place];
  const bool whole = !j.part && (place != s->s.newest || s->table->in.s.at_end);
  TRY(make_graph(s, &j, whole));
  TRY(remember(s, j.number));
  TRY(make_tasks(s, &j)); /* nothing fails behind this: what was kept has a holder */
  *out = (hc_job){.tasks = s->tasks, .task_count = (uint32_t)s->graph.count};
  for (uint32_t r = j.first; r != NONE;) {
    const uint32_t next = s->rows[r].next;
    free_row(s, r);
    r = next;
  }
  s->s.first = j.next;
  if (j.next == NONE) s->s.last = NONE;
  if (place == s->s.newest) s->s.newest = NONE;
  s->jobs[place] = (job){.next = s->s.free_job};
  s->s.free_job = place;
  return 0;
}

/* ---- the reader ---- */

static void closed(hc_sheet *t)
{
  const hc_allocator *a = t->context->allocator;
  state *s = t->own;
  if (!s || !s->table) return;
  hc_free(a, s->after.items, s->after.cap * sizeof *s->after.items);
  hc_free(a, s->rows, s->row_cap * sizeof *s->rows);
  hc_free(a, s->pieces, s->piece_cap * sizeof *s->pieces);
  hc_free(a, s->jobs, s->job_cap * sizeof *s->jobs);
  hc_free(a, s->given, s->given_cap * sizeof *s->given);
  hc_free(a, s->tasks, s->task_cap * sizeof *s->tasks);
  hc_map_fini(&s->places);
  hc_alibaba_graph_fini(&s->graph);
  hc_buffer_fini(&s->derived);
}

static hc_rc opened(hc_sheet *t, hc_error *e)
{
  state *s = t->own;
  HC_UNUSED(e);
  s->table = t;
  s->context = t->context;
  s->o = (const options *)(const void *)t->o;
  s->after.allocator = t->context->allocator;
  hc_map_init(&s->places, t->context->allocator);
  hc_alibaba_graph_init(&s->graph, t->context->allocator);
  hc_buffer_init(&s->derived, t->context->allocator);
  s->s.free_row = s->s.free_piece = s->s.free_job = s->s.first = s->s.last = s->s.newest = NONE;
  return 0;
}

static bool is_full(const state *s)
{
  return s->s.held >= (uint64_t)s->o->window || s->s.pieces >= 4 * (uint64_t)s->o->window + (1u << 17);
}

static hc_rc next(hc_sheet *t, hc_job *out, hc_error *e)
{
  state *s = t->own;
  while (!is_full(s) && !s->table->in.s.at_end) {
    row r;
    int64_t number = 0;
    hc_rc rc = hc_sheet_row(s->table, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
    rc = read_row(s, &r, &number, e);
    if (rc == 1) rc = hold(s, number, &r);
    if (rc < 0) return rc;
  }
  if (s->s.first == NONE) return 0;
  TRY(give(s, out));
  return 1;
}

static void info(hc_sheet *t, hc_trace_info *about)
{
  state *s = t->own;
  static const char derived[] =
      "A job is submitted when the first of its tasks starts; tasks wait for those that their names number.";
  static const char ready[] = " Run times count from the end of the last predecessor.";
  const hc_alibaba_doubts *d = &s->s.doubts;
  const struct {
    uint64_t n;
    const char *text;
  } notes[] = {{d->missing, "predecessors that their job does not have, dropped"},
               {d->self, "tasks after themselves, not so read"},
               {d->cycles, "waits that close a circle, dropped"},
               {d->parts, "parts of names that are no numbers, passed over"},
               {d->apart, "parts of jobs whose rows stand too far apart for the window"}};
  s->derived.size = 0;
  hc_buffer_text(&s->derived, derived);
  if (s->o->run == RUN_READY) hc_buffer_text(&s->derived, ready);
  for (size_t i = 0; i < HC_ARRAY_LEN(notes); i++)
    if (notes[i].n > 0)
      hc_buffer_printf(&s->derived, " So far %llu %s.", (unsigned long long)notes[i].n, notes[i].text);
  about->derived = s->derived.failed ? derived : s->derived.data;
}

/* ---- state: the rows that are held, as they would be held again ---- */

static hc_rc gather_state(const state *s, saved_row *rows, hc_alibaba_numbers *after)
{
  size_t n = 0;
  for (uint32_t j = s->s.first; j != NONE; j = s->jobs[j].next) {
    for (uint32_t r = s->jobs[j].first; r != NONE; r = s->rows[r].next) {
      const row *from = &s->rows[r];
      uint32_t p = from->after;
      rows[n] = (saved_row){.row = *from, .job = s->jobs[j].number, .part = s->jobs[j].part};
      rows[n].newest = j == s->s.newest;
      rows[n].row.next = rows[n].row.after = NONE;
      n++;
      TRY(hc_reserve(after->allocator, (void **)&after->items, &after->cap, after->count + from->after_count,
                     sizeof *after->items));
      for (size_t i = 0; i < from->after_count; i += PIECE, p = s->pieces[p].next) {
        const size_t m = HC_MIN(from->after_count - i, (size_t)PIECE);
        memcpy(after->items + after->count, s->pieces[p].numbers, m * sizeof(int64_t));
        after->count += m;
      }
    }
  }
  return 0;
}

static void forget(state *s)
{
  hc_map_fini(&s->places);
  hc_map_init(&s->places, s->context->allocator);
  s->row_count = s->piece_count = s->job_count = 0;
  s->s.free_row = s->s.free_piece = s->s.free_job = s->s.first = s->s.last = s->s.newest = NONE;
  s->s.held = s->s.pieces = 0;
}

static hc_rc restore(state *s, const saved_row *rows, size_t n, const hc_alibaba_numbers *after)
{
  const hc_alibaba_doubts doubts = s->s.doubts;
  uint32_t newest = NONE;
  size_t at = 0;
  forget(s);
  for (size_t i = 0; i < s->given_count; i++) TRY(hc_map_set(&s->places, (uint64_t)s->given[i], GIVEN));
  for (size_t i = 0; i < n; i++) {
    row r = rows[i].row;
    if (r.after_count > after->count - at) return HC_EINPUT;
    s->after.count = 0;
    TRY(hc_reserve(s->after.allocator, (void **)&s->after.items, &s->after.cap, r.after_count,
                   sizeof *after->items));
    if (r.after_count > 0) memcpy(s->after.items, after->items + at, r.after_count * sizeof *after->items);
    s->after.count = r.after_count;
    at += r.after_count;
    TRY(hold(s, rows[i].job, &r));
    s->jobs[s->s.newest].part = rows[i].part != 0;
    if (rows[i].newest) newest = s->s.newest;
  }
  s->s.newest = newest;
  s->s.doubts = doubts;
  return 0;
}

static hc_rc visit_held(state *s, hc_visitor *v)
{
  const hc_allocator *a = s->context->allocator;
  hc_alibaba_numbers after = {.allocator = a};
  saved_row *rows = NULL;
  size_t n = (size_t)s->s.held, cap = 0;
  hc_rc rc = 0;
  if (!hc_visit_loading(v)) {
    rc = hc_reserve(a, (void **)&rows, &cap, n, sizeof *rows);
    if (rc == 0) rc = gather_state(s, rows, &after);
  }
  if (rc == 0) rc = hc_visit_array(v, (void **)&rows, &n, &cap, sizeof *rows);
  if (rc == 0) rc = hc_visit_array(v, (void **)&after.items, &after.count, &after.cap, sizeof *after.items);
  if (rc == 0 && hc_visit_loading(v)) rc = restore(s, rows, n, &after);
  hc_free(a, rows, cap * sizeof *rows);
  hc_free(a, after.items, after.cap * sizeof *after.items);
  return rc;
}

static hc_rc visit(hc_sheet *t, hc_visitor *v, hc_error *e)
{
  state *s = t->own;
  HC_UNUSED(e);
  HC_VISIT_ARRAY(v, s->given, s->given_count, s->given_cap);
  HC_VISIT(v, s->s.given);
  HC_VISIT(v, s->s.doubts);
  if (s->given_count != (size_t)HC_MIN(s->s.given, (uint64_t)s->o->window)) return HC_EINPUT;
  return visit_held(s, v);
}

static hc_refers refers(const hc_sheet *s)
{
  HC_UNUSED(s);
  return HC_REFERS_JOB;
}

/* By its titles, or by a first row with a job, a state and two times where they belong. */
static int recognise(const char *name, const char *head, size_t size, const hc_field *f, size_t n)
{
  HC_UNUSED(head);
  HC_UNUSED(size);
  return n == COLUMNS && hc_alibaba_is_row_of_2018(&f[JOB], &f[STATUS], &f[START], &f[END]) ? 97
         : hc_delimited_is_called(name, "batch_task.csv")                                   ? 30
                                                                                            : 0;
}

/* ---- writing ---- */

static hc_rc write_task(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  HC_UNUSED(e);
  value[INSTANCES] = hc_alibaba_instances(&w->slots);
  value[JOB] = hc_alibaba_job(t);
  if (t->executable < 0 || t->executable > INT32_MAX) value[TYPE] = HC_UNKNOWN;
  hc_pen_lose(lost, HC_FACT_BIT(EXECUTABLE), t->executable > INT32_MAX);
  hc_pen_lose(lost, HC_FACT_BIT(ID), t->id >= 0 && !hc_alibaba_is_member(t));
  hc_alibaba_fill(w, t, w->slots.need[HC_DIM_MEMORY], &value[START], &value[END], lost);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {.name = "alibaba_v2018",
                                       .forms = &form,
                                       .form_count = 1,
                                       HC_ALIBABA_MISSING,
                                       .known_titles = COLUMNS,
                                       .score = 98,
                                       .recognise = recognise,
                                       .own_size = sizeof(state),
                                       .opened = opened,
                                       .closed = closed,
                                       .visit = visit,
                                       .refers = refers,
                                       .next = next,
                                       .info = info,
                                       .says = HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) | HC_FACT_BIT(NO_END) |
                                               HC_FACT_BIT(AT_START),
                                       .pen_size = sizeof(hc_alibaba_pen),
                                       .begun = hc_alibaba_begun,
                                       .fill = write_task};

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "100", "512GiB",
                      "Bytes that 100 stands for in plan_mem: the memory of the largest machine."),
    HC_PARAM(CHOICE, options, statuses, HC_ALIBABA_STATUSES, "terminated",
             "Which rows become tasks. terminated: those that ended well. ended: also those that failed, "
             "were interrupted or cancelled, if they have a start and an end."),
    HC_PARAM(CHOICE, options, submit, "job|task", "job",
             "When a task is submitted. job: when the first row of its job starts. task: when its own row "
             "starts."),
    HC_PARAM(CHOICE, options, run, "span|ready", "span",
             "How long a task runs. span: from its start to its end, which includes a wait for its "
             "predecessors. ready: from the end of the last predecessor, if that is later than its start."),
    HC_PARAM(INT, options, window, "rows", "65536", 1, 16777216,
             "Number of rows that are held until the rest of their jobs has been read."),
    {.name = NULL},
};

HC_TABLE_READER(
    alibaba_v2018, format, options, params,
    .summary = "batch_task.csv of Alibaba's trace of 2018: jobs of tasks of instances, with their DAG",
    .detail =
        "A row is a bundle of equal tasks. A row with neither cores nor memory is rejected as no_demand, "
        "unless there are defaults. R4_2 is task 4 of its job, and waits until all of task 2 has ended. "
        "Dependencies on tasks that the job does not have, on the task itself, or that close a circle are "
        "dropped and counted. Times of 0 are missing: a row without a start is rejected as already_running, "
        "a row without an end as still_running. Rows of a job may be up to `window` rows apart.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018");

static const hc_param pen_params[] = {
    HC_ALIBABA_MEMORY_SCALE(hc_alibaba_pen_options, "100 of plan_mem"),
    HC_ALIBABA_OFFSET(hc_alibaba_pen_options),
    {.name = NULL},
};

HC_TABLE_WRITER(
    alibaba_v2018, format, columns, ',', ".csv",
    .summary = "batch_task.csv of the Alibaba v2018 trace: a row for each task with its instances",
    .detail = "No titles; times are whole seconds, shares have two decimals. instance_num is the size of the "
              "bundle x the hosts of a task. Names of tasks say which tasks of the job they wait for, as far "
              "as they can: until all of another task has ended. The time of submission is lost, but rows "
              "are in its order.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018", .params = pen_params,
    .options_size = sizeof(hc_alibaba_pen_options));
