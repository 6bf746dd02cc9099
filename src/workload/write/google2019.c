/* google2019.c -- writes a table of Google's cluster traces of 2019 as JSON lines, as BigQuery exports them.
 *
 *   instance_events    what happened to each task, in order of time: SUBMIT (0), ENABLE (2) where it may not
 *                      start at once, SCHEDULE (3), and FINISH (6), FAIL (5), KILL (7); UPDATE_RUNNING (10)
 *                      where it was seen to run and had not ended
 *   collection_events  the submission of each job: user, logical name, the jobs that it waits for, and how
 *                      many of its tasks may share a machine or a switch
 *
 * One run writes one of them (`table`); what stands in the other is lost in it, and said to be. Reading takes
 * both: `file` and `jobs`. Times are microseconds behind an offset of 600 s (the reader's `origin`), amounts
 * shares of a reference machine's, exactly. A task of several hosts, or a bundle, becomes as many instances,
 * with indices of their own from 2^30; a task of no job is a collection. A job's rules are those of its first
 * task; others' that differ are lost.
 *
 * What the reader makes of it: a task that had not ended runs until the last event of the trace, and one that
 * runs longer than its `window` (2 days) is read with a larger one. Source: Wilkes, Google cluster-usage
 * traces v3, 2020. Cost: about 0.7 us a task. */
#include "base/text.h"
#include "workload/google_events.h"
#include "workload/names.h"

#define AFTER_MOST 1024 /* collections that one waits for */

typedef enum table { INSTANCES, COLLECTIONS } table;

typedef struct options {
  hc_google_scale_options g;
  int table;
} options;

struct hc_writer {
  hc_rows rows;
  const options *o;
  hc_google_telling telling;
  hc_buffer row;
  hc_map rules; /* of each job that was told: a checksum of what its row says */
};

#define OF_COLLECTIONS \
  (HC_FACT_BIT(USER) | HC_FACT_BIT(EXECUTABLE) | HC_FACT_BIT(AFTER) | HC_FACT_BIT(RIVALS))

/* ---- one row ---- */

/* A quoted whole number, as BigQuery exports those of 64 bits. */
static void add_number(hc_buffer *b, const char *before, int64_t n)
{
  hc_add_int(b, before, n);
  hc_buffer_text(b, "\"");
}

/* The least share that is no less than the amount: the reader rounds up. */
static double share_of(const hc_google_scale_options *o, int dimension, int64_t need)
{
  const double unit = dimension == HC_DIM_CPU ? o->cpu_scale * 1000 : (double)o->memory_scale;
  const double share = hc_google_share(o, dimension, need);
  return share * unit < (double)need ? share * (1 + 0x1p-52) : share;
}

static void add_share(hc_writer *w, const char *before, const hc_google_told *t, int dimension)
{
  char text[40];
  if (t->need[dimension] < 0) return;
  hc_buffer_text(&w->row, before);
  hc_buffer_add(&w->row, text, hc_format_real(share_of(w->telling.o, dimension, t->need[dimension]), text));
}

static void add_constraints(hc_writer *w, const hc_task_extras *m)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  static const uint8_t relations[] = {[HC_EQUAL] = 0,    [HC_UNEQUAL] = 1, [HC_LESS] = 2,    [HC_GREATER] = 3,
                                      [HC_AT_LEAST] = 5, [HC_AT_MOST] = 4, [HC_PRESENT] = 6, [HC_ABSENT] = 7};
  for (size_t i = 0; i < m->constraint_count; i++) {
    const hc_constraint *c = &m->constraints[i];
    hc_add_string(&w->row,
                  i > 0 ? ",{\"name\":" : ",\"constraint\":[{\"name\":", hc_lexicon_text(l, c->attribute));
    if (c->is_text) hc_add_string(&w->row, ",\"value\":", hc_lexicon_text(l, (uint32_t)c->value));
    else if (c->compare < HC_PRESENT) add_number(&w->row, ",\"value\":\"", c->value);
    add_number(&w->row, ",\"relation\":\"", relations[c->compare]);
    hc_buffer_text(&w->row, "}");
  }
  hc_buffer_text(&w->row, "]");
}

/* Each stands alone, and is read as itself. */
static bool can_constrain(const hc_lexicon *l, const hc_task_extras *m)
{
  if (m->constraint_count > HC_GOOGLE_CONSTRAINTS) return false;
  for (size_t i = 0; i < m->constraint_count; i++) {
    const hc_constraint *c = &m->constraints[i];
    const char *value = c->is_text ? hc_lexicon_text(l, (uint32_t)c->value) : "";
    const hc_field f = {.text = value, .length = strlen(value)};
    int64_t number;
    if (c->compare > HC_ABSENT || (i > 0 && c->group == m->constraints[i - 1].group)) return false;
    if (c->is_text && (!*value || hc_field_whole(&f, &number))) return false;
  }
  return true;
}

static hc_rc put_event(hc_writer *w, const hc_google_told *t, hc_google_event what, const hc_task_spec *first)
{
  const hc_task_extras *m = first ? hc_lexicon_more(w->rows.context->lexicon, first->more) : NULL;
  hc_buffer *b = &w->row;
  b->size = 0;
  add_number(b, "{\"time\":\"", hc_google_moment(w->telling.o, t->at));
  add_number(b, ",\"type\":\"", (int64_t)what);
  add_number(b, ",\"collection_id\":\"", t->job);
  add_number(b, ",\"instance_index\":\"", t->index);
  if (first && t->class >= 0) add_number(b, ",\"scheduling_class\":\"", t->class);
  if (first) add_number(b, ",\"priority\":\"", t->priority);
  hc_buffer_text(b, first ? ",\"collection_type\":\"0\"" : "");
  if (first && (t->need[HC_DIM_CPU] >= 0 || t->need[HC_DIM_MEMORY] >= 0)) {
    add_share(w, ",\"resource_request\":{\"cpus\":", t, HC_DIM_CPU);
    add_share(w, t->need[HC_DIM_CPU] >= 0 ? ",\"memory\":" : ",\"resource_request\":{\"memory\":", t,
              HC_DIM_MEMORY);
    hc_buffer_text(b, "}");
  }
  if (m && m->constraint_count > 0 && can_constrain(w->rows.context->lexicon, m)) add_constraints(w, m);
  hc_buffer_text(b, "}\n");
  return b->failed ? HC_ENOMEM : hc_out_add(&w->rows.out, b->data, b->size);
}

/* ---- instances ---- */

static hc_rc put_instances(hc_writer *w, const hc_task_spec *t, uint64_t *lost, hc_error *e)
{
  const hc_task_extras *m = hc_lexicon_more(w->rows.context->lexicon, t->more);
  const hc_slots s = hc_slots_of(t);
  hc_google_told l;
  int64_t rows;
  if (__builtin_mul_overflow(s.count, s.hosts, &rows)) rows = INT64_MAX;
  TRY(hc_rows_allowed(t, rows, "google2019", e));
  TRY(hc_google_tell(&w->telling, w, t->submit));
  l = hc_google_told_of(t, &s, lost);
  if (m && m->constraint_count > 0 && can_constrain(w->rows.context->lexicon, m))
    *lost &= ~HC_FACT_BIT(CONSTRAINTS);
  if (t->not_before % HC_US != 0 && t->not_before > t->submit) *lost |= HC_FACT_BIT(FRACTION);
  if (t->not_before > t->submit && l.next != HC_GOOGLE_SUBMIT) *lost |= HC_FACT_BIT(NOT_BEFORE);
  if (t->priority < -INT32_MAX || t->priority > INT32_MAX) {
    *lost |= HC_FACT_BIT(PRIORITY);
    l.priority = HC_MAX(HC_MIN(t->priority, INT32_MAX), -INT32_MAX);
  }
  return hc_google_begin(&w->telling, w, &l, t, rows, lost, e);
}

/* ---- collections ---- */

static bool can_wait(const hc_task_extras *m, int64_t job)
{
  bool fine = m->after_count <= AFTER_MOST;
  for (size_t i = 0; i < m->after_count && fine; i++)
    fine = m->after[i].task == HC_UNKNOWN && m->after[i].how == HC_AFTER_ENDED && m->after[i].job != job &&
           m->after[i].job >= 0;
  return fine;
}

static bool can_rival(const hc_writer *w, const hc_task_extras *m, int64_t job)
{
  return m->rival == job && (m->per_zone == 0 ||
                             strcmp(hc_lexicon_text(w->rows.context->lexicon, m->zone_level), "switch") == 0);
}

static void add_rules(hc_writer *w, const hc_task_extras *m, int64_t job, uint64_t *lost)
{
  hc_buffer *b = &w->row;
  if (m->after_count > 0 && can_wait(m, job)) {
    for (size_t i = 0; i < m->after_count; i++)
      add_number(b, i > 0 ? ",\"" : ",\"start_after_collection_ids\":[\"", m->after[i].job);
    hc_buffer_text(b, "]");
    *lost &= ~HC_FACT_BIT(AFTER);
  }
  if ((m->per_host == 0 && m->per_zone == 0) || !can_rival(w, m, job)) return;
  if (m->per_host > 0) add_number(b, ",\"max_per_machine\":\"", m->per_host);
  if (m->per_zone > 0) add_number(b, ",\"max_per_switch\":\"", m->per_zone);
  *lost &= ~HC_FACT_BIT(RIVALS);
}

/* What a number is called, or the number; of a name that is no text of JSON its hash. */
static void add_called(hc_writer *w, const char *before, hc_called kind, int64_t n, uint64_t *lost)
{
  const char *name = hc_called_of(w->rows.context, kind, n);
  if (n < 0) return;
  if (name && hc_is_plain_text(name)) {
    hc_add_string(&w->row, before, name);
    return;
  }
  if (name) *lost |= hc_name_fact(kind);
  hc_buffer_text(&w->row, before);
  add_number(&w->row, "\"", name ? hc_name_hashed(name, strlen(name)) : n);
}

static uint32_t checksum(const char *s, size_t n)
{
  uint32_t h = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
  return h == HC_MAP_NONE ? 0 : h;
}

/* What its job says, which is written once. */
static hc_rc put_collection(hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  const hc_task_extras *m = hc_lexicon_more(l, t->more);
  const int64_t job = t->job >= 0 ? t->job : t->id;
  const uint32_t known = hc_map_get(&w->rules, (uint64_t)job);
  hc_buffer *b = &w->row;
  *lost = hc_task_facts(t, l) & (HC_FACT_BIT(AFTER) | HC_FACT_BIT(RIVALS));
  b->size = 0;
  add_called(w, ",\"user\":", HC_CALLED_USER, t->user, lost);
  add_called(w, ",\"collection_logical_name\":", HC_CALLED_EXECUTABLE, t->executable, lost);
  if (m) add_rules(w, m, job, lost);
  hc_buffer_text(b, "}\n");
  if (b->failed) return HC_ENOMEM;
  const uint32_t sum = checksum(b->data, b->size);
  if (known != HC_MAP_NONE) {
    if (known != sum) *lost |= hc_task_facts(t, l) & OF_COLLECTIONS;
    return 0;
  }
  char head[128],
      *p = hc_put_int(hc_put_text(head, "{\"time\":\""), hc_google_moment(w->telling.o, t->submit));
  p = hc_put_int(hc_put_text(p, "\",\"type\":\"0\",\"collection_id\":\""), job);
  p = hc_put_text(p, "\",\"collection_type\":\"0\"");
  TRY(hc_out_add(&w->rows.out, head, (size_t)(p - head)));
  TRY(hc_out_add(&w->rows.out, b->data, b->size));
  return hc_map_set(&w->rules, (uint64_t)job, sum);
}

/* ---- the writer ---- */

static hc_rc google_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  if (t->submit == HC_UNKNOWN || (t->job < 0 && t->id < 0) || hc_google_moment(w->telling.o, t->submit) < 0)
    return 1;
  if (w->o->table == COLLECTIONS) return put_collection(w, t, lost);
  return put_instances(w, t, lost, e);
}

static hc_rc google_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  const options *o = given;
  hc_writer *w;
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof *w, NULL, &w));
  w->o = o;
  w->telling = (hc_google_telling){.allocator = c->allocator,
                                   .o = &o->g,
                                   .format = "google2019",
                                   .enables = true,
                                   .seen = HC_GOOGLE_UPDATE_RUNNING,
                                   .put = put_event};
  hc_buffer_init(&w->row, c->allocator);
  hc_map_init(&w->rules, c->allocator);
  *out = w;
  return 0;
}

static void google_close(hc_writer *w)
{
  if (w) hc_google_telling_fini(&w->telling);
  if (w) hc_buffer_fini(&w->row);
  if (w) hc_map_fini(&w->rules);
  hc_rows_close(w);
}

static hc_rc google_finish(hc_writer *w, hc_error *e)
{
  TRY(hc_google_tell(&w->telling, w, HC_NEVER));
  return hc_rows_finish(w, e);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, table, "instance_events|collection_events", "instance_events",
             "Which table is written. instance_events: the reader's `file`. collection_events: the reader's "
             "`jobs`, with users, names and what jobs wait for."),
    HC_GOOGLE_TELLING_PARAMS(options, g),
    {.name = NULL},
};

const hc_writer_type hc_writer_google2019 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "google2019",
         .summary = "a table of Google's cluster traces of 2019, as JSON lines: instance_events or "
                    "collection_events",
         .detail = "instance_events has, in order of time: SUBMIT, ENABLE (at the earliest start), SCHEDULE, "
                   "and FINISH, FAIL or KILL, or UPDATE_RUNNING for a task that had not ended. Times are "
                   "microseconds after an offset of 600 s, which is the reader's `origin`; requests are "
                   "exact shares of a reference machine; constraints have no alternatives; a queue from 0 to "
                   "3 becomes the scheduling class. collection_events has users, names, the jobs that a job "
                   "waits for, and rivals. A task becomes an instance for each of its hosts and for each "
                   "task of a bundle; a task that is part of no job becomes a collection of its own. Lost: "
                   "disks, GPUs and other dimensions, limits, groups, partitions, chunks, predecessors that "
                   "are tasks. Left out: tasks without a time of submission.",
         .source = "https://github.com/google/cluster-data/blob/master/ClusterData2019.md", .params = params,
         .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(PRIORITY) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(JOB) | HC_FACT_BIT(CPU) |
             HC_FACT_BIT(MEMORY) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END) | HC_FACT_BIT(NOT_BEFORE),
    .ending = ".jsonl",
    .open = google_open,
    .task = google_task,
    .finish = google_finish,
    .close = google_close,
};
