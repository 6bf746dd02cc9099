/* google2019.c -- reads the traces of clusters of Google's of May 2019 (version 3), as exported.
 *
 * Each table is one or more files of comma-separated fields, whose first line names the columns, or of one
 * JSON object a line (nested or not); columns are found by name, and others do not matter:
 *   instance_events    time, type, collection_id, instance_index; scheduling_class, missing_type,
 *                      collection_type, priority, resource_request.cpus, .memory, constraint
 *   collection_events  time, type, collection_id; user, collection_logical_name, start_after_collection_ids,
 *                      max_per_machine, max_per_switch, collection_type
 *   instance_usage     start_time, end_time, collection_id, instance_index, average_usage.cpus, .memory
 * A nested column may be flattened as a.b, a_b or b, or stand whole in one field. Times are microseconds,
 * amounts shares of a reference machine's. Events: 0 SUBMIT, 1 QUEUE, 2 ENABLE, 3 SCHEDULE, 4 EVICT, 5 FAIL,
 * 6 FINISH, 7 KILL, 8 LOST, 9 UPDATE_PENDING, 10 UPDATE_RUNNING; by number or name.
 *
 * A collection is a job, or a set of allocations (rows of which are no tasks). What becomes of the events is
 * in workload/google_life.c. Tasks that run inside an allocation are tasks like others: the allocation is not
 * held. That a collection is stopped with its parent is not known here.
 *
 * Source: Wilkes, Google cluster-usage traces v3, 2020; clusterdata_trace_format_v3.proto. */
#include <string.h>

#include "base/jsonline.h"
#include "base/util.h"
#include "workload/google.h"
#include "workload/google_params.h"
#include "workload/ledger.h"

#define AFTER_LIMIT 1024 /* collections that one waits for */

typedef enum column {
  TIME,
  TYPE,
  COLLECTION,
  INDEX,
  CLASS,
  MISSING,
  KIND,
  PRIORITY,
  CPUS,
  MEMORY,
  CONSTRAINT,
  USER,
  NAME,
  AFTER,
  PER_MACHINE,
  PER_SWITCH,
  START,
  END,
  USED_CPUS,
  USED_MEMORY,
  REQUEST, /* structs that stand in one field */
  USAGE,
  COLUMNS
} column;

/* Longer names first where one column has several: in a table of usage `cpus` is what was used. */
static const struct {
  const char *name;
  column column;
} known[] = {{"time", TIME},
             {"type", TYPE},
             {"collection_id", COLLECTION},
             {"instance_index", INDEX},
             {"scheduling_class", CLASS},
             {"missing_type", MISSING},
             {"collection_type", KIND},
             {"priority", PRIORITY},
             {"resource_request.cpus", CPUS},
             {"resource_request_cpus", CPUS},
             {"cpus", CPUS},
             {"resource_request.memory", MEMORY},
             {"resource_request_memory", MEMORY},
             {"memory", MEMORY},
             {"constraint", CONSTRAINT},
             {"user", USER},
             {"collection_logical_name", NAME},
             {"start_after_collection_ids", AFTER},
             {"max_per_machine", PER_MACHINE},
             {"max_per_switch", PER_SWITCH},
             {"start_time", START},
             {"end_time", END},
             {"average_usage.cpus", USED_CPUS},
             {"average_usage_cpus", USED_CPUS},
             {"average_usage.memory", USED_MEMORY},
             {"average_usage_memory", USED_MEMORY},
             {"resource_request", REQUEST},
             {"average_usage", USAGE}};

static const char *const event_words[] = {"SUBMIT", "QUEUE",          "ENABLE",        "SCHEDULE",
                                          "EVICT",  "FAIL",           "FINISH",        "KILL",
                                          "LOST",   "UPDATE_PENDING", "UPDATE_RUNNING"};
static const char *const kind_words[] = {"JOB", "ALLOC_SET"};
static const char *const class_words[] = {"MOST_INSENSITIVE", "INSENSITIVE", "SENSITIVE", "MOST_SENSITIVE"};
static const char *const missing_words[] = {"MISSING_TYPE_NONE",         "SNAPSHOT_BUT_NO_TRANSITION",
                                            "NO_SNAPSHOT_OR_TRANSITION", "EXISTS_BUT_NO_CREATION",
                                            "TRANSITION_MISSING_STEP",   "TOO_MANY_EVENTS"};
static const char *const relation_words[] = {"EQUAL",        "NOT_EQUAL",       "LESS_THAN",
                                             "GREATER_THAN", "LESS_THAN_EQUAL", "GREATER_THAN_EQUAL",
                                             "PRESENT",      "NOT_PRESENT"};

typedef struct options {
  hc_google_choices g;
} options;

/* How a table is written. Plain data. */
typedef struct layout {
  uint32_t at[COLUMNS]; /* number of the column, from 1; 0: it has none */
  uint8_t is_known, is_json, unused[2];
} layout;

/* A row by its columns. */
typedef struct fields {
  hc_field f[COLUMNS];    /* not there: no length */
  hc_buffer unescaped[2]; /* USER and NAME of JSON; without an allocator they are left alone */
  const char *wrong_at;   /* where a line is no JSON; NULL: it is */
} fields;

struct hc_source {
  hc_google g; /* first */
  layout layouts[HC_GOOGLE_TABLES];
  fields row;     /* the one at hand */
  hc_buffer text; /* constraints of a field in which quotes are doubled */
};

/* ---- columns ---- */

static column column_of(const char *name, size_t n)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (hc_same_word(name, n, known[i].name)) return known[i].column;
  return COLUMNS;
}

/* What each table must have; up to COLUMNS. */
static const column *needed(hc_google_table_id t)
{
  static const column events[] = {TIME, TYPE, COLLECTION, INDEX, COLUMNS},
                      jobs[] = {TIME, TYPE, COLLECTION, COLUMNS},
                      usage[] = {START, END, COLLECTION, INDEX, COLUMNS}, none[] = {COLUMNS};
  switch (t) {
    case HC_GOOGLE_TABLE_EVENTS: return events;
    case HC_GOOGLE_TABLE_JOBS: return jobs;
    case HC_GOOGLE_TABLE_USAGE: return usage;
    case HC_GOOGLE_TABLE_CONSTRAINTS:
    case HC_GOOGLE_TABLES: break;
  }
  return none;
}

static const char *name_of(column c)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (known[i].column == c) return known[i].name;
  return "?";
}

/* Learn the columns from a line of titles. False: it is none. */
static bool read_titles(const hc_field *f, size_t count, layout *l)
{
  memset(l->at, 0, sizeof l->at);
  for (size_t i = 0; i < count; i++) {
    const column c = column_of(f[i].text, f[i].length);
    if (c < COLUMNS && l->at[c] == 0) l->at[c] = (uint32_t)i + 1;
  }
  return l->at[COLLECTION] != 0;
}

static hc_rc no_column(const hc_delimited *d, column c, hc_error *e)
{
  if (d->record[strspn(d->record, " \t")] == '[')
    return hc_fail(
        e, HC_EINPUT, d->name, hc_line_number(d->s.line), 0,
        "this is one JSON list; export one JSON object a line (NEWLINE_DELIMITED_JSON), or make it so with "
        "`jq -c '.[]'`");
  return hc_fail(
      e, HC_EINPUT, d->name, hc_line_number(d->s.line), 0,
      "there is no column %s: export the whole table, with a first line that names its columns, or as one "
      "JSON object a line",
      name_of(c));
}

/* The first record of a part: titles, an object, or a row as those of the part before. @return 2: titles;
 * 0; or an error. */
static hc_rc begin_part(struct hc_source *s, hc_google_table_id t, hc_error *e)
{
  hc_delimited *d = hc_google_record(&s->g, t);
  layout *l = &s->layouts[t], fresh = {.is_known = 1};
  size_t i = 0;
  while (i < d->length && (d->record[i] == ' ' || d->record[i] == '\t')) i++;
  if (i < d->length && d->record[i] == '{') {
    *l = (layout){.is_known = 1, .is_json = 1};
    d->quotes = false;
    return 0;
  }
  if (!d->quotes) { /* it was cut as if it were JSON */
    d->quotes = true;
    TRY(hc_delimited_cut_again(d, ','));
  }
  if (!read_titles(d->fields, d->count, &fresh)) {
    if (l->is_known && !l->is_json) return 0;
    return no_column(d, COLLECTION, e);
  }
  for (const column *c = needed(t); *c < COLUMNS; c++)
    if (fresh.at[*c] == 0) return no_column(d, *c, e);
  *l = fresh;
  return 2;
}

/* ---- one object ---- */

/* The value that `t` begins, of a column. */
static bool take_value(fields *r, hc_jsonline *j, hc_jsonline_token t, column c)
{
  if (t.kind == HC_JSONLINE_OBJECT || t.kind == HC_JSONLINE_ARRAY) {
    const char *from = t.text;
    if (!hc_jsonline_skip(j, t)) return false;
    if (c == CONSTRAINT || c == AFTER) r->f[c] = (hc_field){.text = from, .length = (size_t)(j->at - from)};
    return true;
  }
  if (t.kind == HC_JSONLINE_WRONG) return false;
  if (c == COLUMNS || t.kind == HC_JSONLINE_NULL) return true;
  if (c == USER || c == NAME)
    return !r->unescaped[0].allocator || hc_jsonline_text(&t, &r->unescaped[c == NAME], &r->f[c]);
  r->f[c] = (hc_field){.text = t.text, .length = t.size};
  return true;
}

/* A key within `outer`, which may be empty: resource_request.cpus. */
static column nested(const hc_jsonline_token *outer, const hc_jsonline_token *key)
{
  char name[64];
  if (outer->size + key->size + 2 > sizeof name) return COLUMNS;
  memcpy(name, outer->text, outer->size);
  name[outer->size] = '.';
  memcpy(name + outer->size + 1, key->text, key->size);
  return column_of(name, outer->size + 1 + key->size);
}

static bool read_inner(fields *r, hc_jsonline *j, const hc_jsonline_token *outer)
{
  hc_jsonline_token t;
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY)
    if (!take_value(r, j, hc_jsonline_next(j), nested(outer, &t))) return false;
  return t.kind == HC_JSONLINE_END;
}

/* The fields of an object into r->f. False: it is none. */
static bool read_object(fields *r, const char *text, size_t size)
{
  hc_jsonline j;
  hc_jsonline_token t, v;
  hc_jsonline_begin(&j, text, size);
  r->wrong_at = NULL;
  t = hc_jsonline_next(&j);
  if (t.kind == HC_JSONLINE_OBJECT) {
    while ((t = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
      v = hc_jsonline_next(&j);
      if (v.kind == HC_JSONLINE_OBJECT ? !read_inner(r, &j, &t)
                                       : !take_value(r, &j, v, column_of(t.text, t.size)))
        break;
    }
    if (t.kind == HC_JSONLINE_END && hc_jsonline_next(&j).kind == HC_JSONLINE_DONE) return true;
  }
  r->wrong_at = j.at;
  return false;
}

/* The fields of the record at hand into s->row. @return 1; 0: rejected; 2: titles; or an error. */
static hc_rc read_fields(struct hc_source *s, hc_google_table_id t, hc_error *e)
{
  hc_google *g = &s->g;
  hc_parts *p = &g->tables[t];
  const hc_delimited *d = &p->table;
  const layout *l = &s->layouts[t];
  if (p->begins || !l->is_known) {
    const hc_rc rc = begin_part(s, t, e);
    if (rc != 0) return rc;
  }
  for (int c = 0; c < COLUMNS; c++) s->row.f[c] = (hc_field){.text = d->record};
  if (l->is_json && !read_object(&s->row, d->record, d->length))
    return hc_parts_reject(p, g->context, s->row.wrong_at, e, "it is no JSON object from here on");
  if (!l->is_json && d->flaw)
    return hc_parts_reject(p, g->context, d->flaw, e, "text follows a closed quote");
  for (int c = 0; c < COLUMNS && !l->is_json; c++) {
    if (l->at[c] == 0) continue;
    if (l->at[c] <= d->count) s->row.f[c] = d->fields[l->at[c] - 1];
    if (s->row.f[c].length == 4 && hc_same_word(s->row.f[c].text, 4, "null")) s->row.f[c].length = 0;
  }
  hc_google_struct(&s->row.f[REQUEST], &s->row.f[CPUS], &s->row.f[MEMORY]);
  hc_google_struct(&s->row.f[USAGE], &s->row.f[USED_CPUS], &s->row.f[USED_MEMORY]);
  return 1;
}

/* ---- fields ---- */

static hc_rc wrong(struct hc_source *s, hc_google_table_id t, column c, const char *what, hc_error *e)
{
  const hc_field *f = &s->row.f[c];
  return hc_parts_reject(&s->g.tables[t], s->g.context, f->text, e, "%s holds \"%.*s\", which is no %s",
                         name_of(c), (int)HC_MIN(f->length, (size_t)40), f->text, what);
}

/* A whole number in [low, high]; `out` is left if there is none. */
static bool whole(const hc_field *f, int64_t low, int64_t high, int64_t *out)
{
  int64_t v = *out;
  if (!hc_google_whole(f, &v) || (f->length > 0 && (v < low || v > high))) return false;
  *out = v;
  return true;
}

/* One of `count` words, or its number; `out` is left if there is none. */
static bool one_of(const hc_field *f, const char *const *words, size_t count, int64_t *out)
{
  for (size_t i = 0; i < count; i++) {
    if (!hc_same_word(f->text, f->length, words[i])) continue;
    *out = (int64_t)i;
    return true;
  }
  return whole(f, 0, (int64_t)count - 1, out);
}
#define ONE_OF(f, words, out) one_of(f, words, HC_ARRAY_LEN(words), out)

static bool id_of(const hc_field *f, int64_t high, int64_t *out)
{
  *out = -1;
  return whole(f, 0, high, out) && *out >= 0;
}

/* ---- constraints ---- */

typedef struct constraint_text {
  hc_field name, value, relation;
} constraint_text;

/* An object of {name, value, relation}; `t` begins it. */
static bool read_constraint_text(struct hc_source *s, hc_jsonline *j, hc_jsonline_token t,
                                 constraint_text *out)
{
  *out = (constraint_text){.name = {.text = ""}, .value = {.text = ""}, .relation = {.text = ""}};
  if (t.kind != HC_JSONLINE_OBJECT) return false;
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY) {
    const bool is_name = hc_same_word(t.text, t.size, "name"),
               is_value = hc_same_word(t.text, t.size, "value");
    const bool is_relation = hc_same_word(t.text, t.size, "relation");
    const hc_jsonline_token v = hc_jsonline_next(j);
    hc_field *f = is_name ? &out->name : is_value ? &out->value : is_relation ? &out->relation : NULL;
    if (!f || v.kind == HC_JSONLINE_NULL) {
      if (!hc_jsonline_skip(j, v)) return false;
      continue;
    }
    if (v.kind != HC_JSONLINE_TEXT && v.kind != HC_JSONLINE_NUMBER) return false;
    if (!hc_jsonline_text(&v, &s->row.unescaped[is_value], f) || (is_relation && v.escaped)) return false;
  }
  return t.kind == HC_JSONLINE_END;
}

static hc_rc add_constraint(struct hc_source *s, const constraint_text *c, hc_constraint *out, hc_error *e)
{
  static const hc_compare compares[] = {HC_EQUAL,   HC_UNEQUAL,  HC_LESS,    HC_GREATER,
                                        HC_AT_MOST, HC_AT_LEAST, HC_PRESENT, HC_ABSENT};
  int64_t relation = 0;
  if (!ONE_OF(&c->relation, relation_words, &relation)) return 0;
  return hc_google_constrain(&s->g, &c->name, compares[relation], &c->value, out, e);
}

/* The list of constraints as rare facts. @return 1, 0 if it cannot be read, or an error. */
static hc_rc read_constraints(struct hc_source *s, uint32_t *more, hc_error *e)
{
  hc_constraint all[HC_GOOGLE_CONSTRAINTS];
  hc_lexicon *lexicon = s->g.context->lexicon;
  hc_task_extras m = hc_task_extras_none();
  constraint_text c;
  hc_jsonline j;
  hc_jsonline_token t;
  const char *text;
  size_t size;
  *more = 0;
  TRY(hc_field_text(&s->row.f[CONSTRAINT], &s->text, &text, &size));
  if (size == 0 || !lexicon) return 1;
  hc_jsonline_begin(&j, text, size);
  if (hc_jsonline_next(&j).kind != HC_JSONLINE_ARRAY) return 0;
  while ((t = hc_jsonline_next(&j)).kind != HC_JSONLINE_END) {
    hc_rc rc;
    if (m.constraint_count == HC_GOOGLE_CONSTRAINTS || !read_constraint_text(s, &j, t, &c)) return 0;
    rc = add_constraint(s, &c, &all[m.constraint_count], e);
    if (rc <= 0) return rc;
    all[m.constraint_count].group = (uint32_t)m.constraint_count;
    m.constraint_count++;
  }
  if (m.constraint_count == 0) return 1;
  m.constraints = all;
  *more = hc_lexicon_keep(lexicon, &m);
  return *more == 0 ? HC_ENOMEM : 1;
}

/* ---- rows ---- */

static hc_rc not_a_task(struct hc_source *s, hc_google_table_id t, hc_error *e)
{
  return hc_parts_refuse(&s->g.tables[t], s->g.context, HC_REASON_NOT_A_TASK, e);
}

static hc_rc made_up(struct hc_source *s, hc_google_table_id t, hc_error *e)
{
  return hc_parts_refuse(&s->g.tables[t], s->g.context, HC_REASON_INCOMPLETE, e);
}

static hc_rc read_event(hc_google *g, hc_google_row *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_EVENTS;
  hc_source *s = (hc_source *)(void *)g;
  const hc_field *f = s->row.f;
  int64_t index, event = -1, kind = 0, missing = 0, class = -1, priority = HC_GOOGLE_UNSAID;
  hc_rc rc = read_fields(s, t, e);
  if (rc != 1) return rc;
  r->line = hc_parts_line(&g->tables[t]);
  if (!hc_google_time(g, &f[TIME], &r->time)) return wrong(s, t, TIME, "time", e);
  if (!id_of(&f[COLLECTION], INT64_MAX, &r->job)) return wrong(s, t, COLLECTION, "id", e);
  if (!ONE_OF(&f[KIND], kind_words, &kind)) return wrong(s, t, KIND, "kind of collection", e);
  if (kind != 0) return not_a_task(s, t, e);
  if (!id_of(&f[INDEX], INT32_MAX, &index)) return wrong(s, t, INDEX, "index", e);
  if (!ONE_OF(&f[TYPE], event_words, &event) || event < 0) return wrong(s, t, TYPE, "event", e);
  if (!ONE_OF(&f[MISSING], missing_words, &missing)) return wrong(s, t, MISSING, "reason", e);
  if (!ONE_OF(&f[CLASS], class_words, &class)) return wrong(s, t, CLASS, "class", e);
  if (!whole(&f[PRIORITY], -INT32_MAX, INT32_MAX, &priority)) return wrong(s, t, PRIORITY, "priority", e);
  for (int d = 0; d <= HC_DIM_MEMORY; d++)
    if (!hc_google_amount(g, &f[CPUS + d], d, &r->need[d], &r->error[d]))
      return wrong(s, t, (column)(CPUS + d), "amount", e);
  r->need[HC_DIM_DISK] = HC_UNKNOWN;
  r->index = (int32_t)index;
  r->event = (uint32_t)event;
  r->queue = (int16_t) class;
  r->priority = (int32_t)priority;
  if (missing != 0 && g->o->missing == HC_GOOGLE_REJECT) return made_up(s, t, e);
  rc = read_constraints(s, &r->more, e);
  return rc == 0 ? wrong(s, t, CONSTRAINT, "list of constraints", e) : rc;
}

/* The collections that one waits for, whatever stands between their numbers. @return how many; 0 also: too
 * many. */
static size_t read_after(const hc_field *f, hc_after *out, bool *too_many)
{
  size_t n = 0;
  *too_many = false;
  for (size_t i = 0; i < f->length;) {
    hc_field one = {.text = f->text + i};
    int64_t id;
    while (i < f->length && f->text[i] >= '0' && f->text[i] <= '9') i++;
    one.length = (size_t)(f->text + i - one.text);
    if (one.length == 0) {
      i++;
      continue;
    }
    *too_many = n == AFTER_LIMIT || !id_of(&one, INT64_MAX, &id);
    if (*too_many) return 0;
    out[n++] = (hc_after){.job = id, .task = HC_UNKNOWN, .how = HC_AFTER_ENDED};
  }
  return n;
}

/* What a collection says of its tasks as rare facts. @return 1, 0 if it is rejected, or an error. */
static hc_rc read_rules(struct hc_source *s, hc_google_job *r, hc_error *e)
{
  hc_after after[AFTER_LIMIT];
  hc_lexicon *lexicon = s->g.context->lexicon;
  const hc_google_table_id t = HC_GOOGLE_TABLE_JOBS;
  hc_task_extras m = hc_task_extras_none();
  int64_t per_host = 0, per_zone = 0;
  bool too_many;
  if (!whole(&s->row.f[PER_MACHINE], 0, UINT32_MAX, &per_host))
    return wrong(s, t, PER_MACHINE, "number of tasks", e);
  if (!whole(&s->row.f[PER_SWITCH], 0, UINT32_MAX, &per_zone))
    return wrong(s, t, PER_SWITCH, "number of tasks", e);
  m.after = after;
  m.after_count = read_after(&s->row.f[AFTER], after, &too_many);
  if (too_many) return wrong(s, t, AFTER, "list of at most 1024 collections", e);
  if (!lexicon || (m.after_count == 0 && per_host == 0 && per_zone == 0)) return 1;
  m.per_host = (uint32_t)per_host;
  m.per_zone = (uint32_t)per_zone;
  if (per_zone > 0) m.zone_level = hc_lexicon_name(lexicon, "switch", strlen("switch"));
  if (per_host > 0 || per_zone > 0) m.rival = r->job;
  r->more = hc_lexicon_keep(lexicon, &m);
  return r->more == 0 ? HC_ENOMEM : 1;
}

static hc_rc read_job(hc_google *g, hc_google_job *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_JOBS;
  hc_source *s = (hc_source *)(void *)g;
  const hc_field *f = s->row.f;
  int64_t event = -1, kind = 0;
  const hc_rc rc = read_fields(s, t, e);
  if (rc != 1) return rc;
  if (!hc_google_time(g, &f[TIME], &r->time)) return wrong(s, t, TIME, "time", e);
  if (!id_of(&f[COLLECTION], INT64_MAX, &r->job)) return wrong(s, t, COLLECTION, "id", e);
  if (!ONE_OF(&f[KIND], kind_words, &kind)) return wrong(s, t, KIND, "kind of collection", e);
  if (kind != 0) return not_a_task(s, t, e);
  if (!ONE_OF(&f[TYPE], event_words, &event) || event < 0) return wrong(s, t, TYPE, "event", e);
  r->event = (uint32_t)event;
  TRY(hc_google_number(g, &g->users, &f[USER], &r->user));
  TRY(hc_google_number(g, &g->names, &f[NAME], &r->name));
  return read_rules(s, r, e);
}

static hc_rc read_usage(hc_google *g, hc_google_usage *r, hc_error *e)
{
  const hc_google_table_id t = HC_GOOGLE_TABLE_USAGE;
  hc_source *s = (hc_source *)(void *)g;
  hc_field *f = s->row.f;
  int64_t index, kind = 0;
  const hc_rc rc = read_fields(s, t, e);
  if (rc != 1) return rc;
  r->line = hc_parts_line(&g->tables[t]);
  if (f[USED_CPUS].length == 0) f[USED_CPUS] = f[CPUS];
  if (f[USED_MEMORY].length == 0) f[USED_MEMORY] = f[MEMORY];
  if (!hc_google_time(g, &f[START], &r->start)) return wrong(s, t, START, "time", e);
  if (!hc_google_time(g, &f[END], &r->end) || r->end < r->start || r->end == HC_NEVER)
    return wrong(s, t, END, "time after the start", e);
  if (!id_of(&f[COLLECTION], INT64_MAX, &r->job)) return wrong(s, t, COLLECTION, "id", e);
  if (!ONE_OF(&f[KIND], kind_words, &kind)) return wrong(s, t, KIND, "kind of collection", e);
  if (kind != 0) return not_a_task(s, t, e);
  if (!id_of(&f[INDEX], INT32_MAX, &index)) return wrong(s, t, INDEX, "index", e);
  if (!hc_google_real(&f[USED_CPUS], &r->cpu) || r->cpu > 1e9) return wrong(s, t, USED_CPUS, "rate", e);
  if (!hc_google_real(&f[USED_MEMORY], &r->memory) || r->memory > 1e9)
    return wrong(s, t, USED_MEMORY, "amount", e);
  r->index = (int32_t)index;
  r->cpu *= hc_google_scale(g, HC_DIM_CPU);
  r->memory *= hc_google_scale(g, HC_DIM_MEMORY);
  return 1;
}

/* ---- the reader ---- */

static void closed(hc_google *g)
{
  hc_source *s = (hc_source *)(void *)g;
  if (!s->text.allocator) return; /* it was not opened */
  for (int i = 0; i < 2; i++) hc_buffer_fini(&s->row.unescaped[i]);
  hc_buffer_fini(&s->text);
}

static const hc_google_format format = {
    .name = "source google2019",
    .advice =
        "It is a table whose first line names the columns time, type, collection_id, instance_index ..., "
        "or one JSON object a line with these keys",
    .unix_start = HC_UNKNOWN,
    .derived =
        "A task is the life of an instance of a collection as its events tell it: it arrives with SUBMIT "
        "(or ENABLE) and runs from its last SCHEDULE to the event that ends it. Amounts are shares of a "
        "reference machine's, times cpu_scale cores and memory_scale bytes.",
    .event = read_event,
    .job = read_job,
    .usage = read_usage,
    .closed = closed};

static hc_rc google_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  TRY(hc_google_open(c, &format, &o->g, sizeof **out, out, e));
  for (int i = 0; i < 2; i++) hc_buffer_init(&(*out)->row.unescaped[i], c->allocator);
  hc_buffer_init(&(*out)->text, c->allocator);
  for (int t = 0; t < HC_GOOGLE_TABLES; t++)
    (*out)->g.tables[t].table.quotes = false; /* until it is seen to be CSV */
  return 0;
}

static hc_rc google_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_google_visit(s, v, e));
  TRY(hc_visit_bytes(v, s->layouts, sizeof s->layouts));
  for (int t = 0; t < HC_GOOGLE_TABLES; t++)
    s->g.tables[t].table.quotes = s->layouts[t].is_known && !s->layouts[t].is_json;
  return 0;
}

static hc_refers google_refers(const hc_source *s)
{
  return s->g.has[HC_GOOGLE_TABLE_JOBS] ? HC_REFERS_ANY : HC_REFERS_NONE;
}

/* ---- lines, for sorting and recognising ---- */

/* The field that begins at `*at` of a line; false past the last. `*open`: its quotes are not closed. */
static bool next_field(const char *line, size_t n, size_t *at, hc_field *out, bool *open)
{
  size_t i = *at;
  const bool quotes = i < n && line[i] == '"';
  if (i > n) return false;
  *open = false;
  *out = (hc_field){.text = line + i + quotes};
  if (quotes) {
    for (i++; i < n; i++) {
      if (line[i] != '"') continue;
      if (i + 1 == n || line[i + 1] != '"') break;
      i++;
    }
    *open = i == n;
    out->length = (size_t)(line + i - out->text);
  }
  while (i < n && line[i] != ',') i++;
  if (!quotes) out->length = (size_t)(line + i - out->text);
  *at = i + 1;
  return true;
}

/* Of a line of CSV or JSON: its time and its type; `*open` as above. */
static void find_fields(const layout *l, const char *line, size_t n, hc_field *time, hc_field *type,
                        bool *open)
{
  fields row;
  hc_field f;
  size_t at = 0;
  *time = *type = (hc_field){.text = line};
  *open = false;
  if (l->is_json) {
    memset(&row, 0, sizeof row);
    if (read_object(&row, line, n)) {
      *time = row.f[TIME];
      *type = row.f[TYPE];
    }
    return;
  }
  for (uint32_t number = 1; !*open && next_field(line, n, &at, &f, open); number++) {
    if (number == l->at[TIME]) *time = f;
    if (number == l->at[TYPE]) *type = f;
  }
}

/* Titles of a line, or that it is JSON. */
static bool read_layout(const char *line, size_t n, layout *l)
{
  hc_field f[256];
  size_t at = 0, count = 0;
  bool open = false;
  *l = (layout){.is_known = 1};
  while (at < n && (line[at] == ' ' || line[at] == '\t')) at++;
  l->is_json = at < n && line[at] == '{';
  if (l->is_json) return true;
  at = 0;
  while (count < HC_ARRAY_LEN(f) && !open && next_field(line, n, &at, &f[count], &open)) count++;
  return !open && read_titles(f, count, l);
}

typedef struct sorting {
  const options *o;
  layout l;
} sorting;

static void google_line_end(const hc_allocator *a, void *made)
{
  hc_free(a, made, sizeof(sorting));
}

static hc_rc google_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                               void **out, hc_error *e)
{
  const options *o = given;
  const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
  size_t n = end ? (size_t)(end - text) : size, mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  sorting *s = hc_alloc(a, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->o = o;
  if (n > mark && text[n - 1] == '\r') n--;
  if (read_layout(text + mark, n - mark, &s->l) && (s->l.is_json || s->l.at[TIME] != 0)) {
    *out = s;
    return 0;
  }
  google_line_end(a, s);
  return hc_fail(
      e, HC_EINPUT, o->g.file ? o->g.file : format.name, 1, 0,
      "the first line does not name the columns time and collection_id, by which rows are put in order");
}

/* By time, and events of one time in the order of a life. */
static hc_line_kind google_line_key(const void *made, const char *line, size_t n, hc_time *submit,
                                    int64_t *id)
{
  const sorting *s = made;
  const hc_google g = {.o = &s->o->g};
  hc_field time, type;
  bool open;
  if (n > 0 && line[n - 1] == '\r') n--;
  find_fields(&s->l, line, n, &time, &type, &open);
  *id = (int64_t)HC_ARRAY_LEN(event_words);
  if (open) return HC_LINE_PART;
  if (!s->l.is_json && hc_same_word(time.text, time.length, name_of(TIME))) return HC_LINE_HEAD;
  if (time.length == 0 || !hc_google_time(&g, &time, submit)) return HC_LINE_BROKEN;
  (void)ONE_OF(&type, event_words, id);
  return HC_LINE_ROW;
}

static bool contains(const char *head, size_t size, const char *what)
{
  const size_t n = strlen(what);
  for (size_t i = 0; i + n <= size; i++)
    if (memcmp(head + i, what, n) == 0) return true;
  return false;
}

/* By its columns; a directory by its name alone. */
static int google_recognise(const char *name, const char *head, size_t size)
{
  const char *end = size > 0 ? memchr(head, '\n', size) : NULL;
  const size_t n = end ? (size_t)(end - head) : size;
  if (size == 0) return name && strstr(name, "instance_events") ? 60 : 0;
  if (!contains(head, n, "collection_id") || !contains(head, n, "instance_index")) return 0;
  return contains(head, n, "time") && contains(head, n, "type") ? 95 : 0;
}

static const hc_param params[] = {
    HC_GOOGLE_FILES(
        options, g, "instance_events",
        "collection_events, which gives the user and the name (as executable) of a collection, the "
        "collections that it waits for, and how many of its tasks may share a machine or a switch",
        "instance_usage"),
    HC_PARAM_AS(
        CHOICE, "arrival", options, g.arrival, "submit|enable", "submit",
        "When a task arrives. submit: with SUBMIT; it may not start before its first ENABLE. enable: with "
        "its first ENABLE, when the batch scheduler releases it, or with SUBMIT if it has no ENABLE."),
    HC_PARAM_AS(CHOICE, "amounts", options, g.amounts, "rounded|whole_cores", "rounded",
                "How requests are rounded. rounded: CPU up to thousandths of a core, memory up to bytes. "
                "whole_cores: CPU down to whole cores, memory down to bytes; tasks of less than a core are "
                "rejected (no_demand)."),
    HC_GOOGLE_READINGS(options, g),
    HC_GOOGLE_SCALES(options, g),
    {0}};

const hc_reader_type hc_reader_google2019 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "google2019",
         .summary = "Google's cluster traces of 2019, exported as CSV or JSON lines",
         .detail =
             "Each task asks for one host, with its request of CPU and memory. Instances of allocation sets "
             "are not_a_task; tasks that run inside an allocation set are like others. Collection and index "
             "are kept; the scheduling class is the queue; priorities are from 0 to 450. Requests and usage "
             "may be columns of their own, or a struct in one field. Constraints are read from JSON, or from "
             "a field that holds JSON, and compare as texts, or as numbers where both are whole; a fraction "
             "is rounded so that the same whole attributes satisfy it. A collection waits until all "
             "collections that it names have ended in any way. Rows must be in order of time, which an "
             "export is not by itself: export with ORDER BY time, or sort it. To read the trace as DSLab "
             "does: arrival: enable, updates: first, without: [queue, evict, fail, kill, lost, "
             "update_pending, update_running], ends: [finish], unfinished: reject, amounts: whole_cores, "
             "cpu_scale: 100000, memory_scale: 100000, and zero_length: drop in the run.",
         .source = "Tirmazi et al., Borg: the next generation, EuroSys 2020, doi:10.1145/3342195.3387517; "
                   "https://github.com/google/cluster-data/blob/master/ClusterData2019.md",
         .params = params, .options_size = sizeof(options)},
    .open = google_open,
    .next = hc_google_next,
    .info = hc_google_info,
    .visit = google_visit,
    .progress = hc_google_progress,
    .close = hc_google_close,
    .recognise = google_recognise,
    .refers = google_refers,
    .line_key = google_line_key,
    .line_begin = google_line_begin,
    .line_end = google_line_end,
    .file_of = hc_google_file_of,
};
