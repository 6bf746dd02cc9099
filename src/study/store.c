/* store.c -- everything that a study found as one SQLite database, written in one go when all of it is known.
 *
 * Tables, schema version 2:
 *   study(key, value)        schema, kind "study", name, study (the file as JSON, the base in it), compare
 *   axis(axis, name, levels), level(axis, level, label, number)
 *   figure(figure, name, unit, better)         higher, lower, none: as the component declares
 *   point(point, state, a column an axis)   level on each; state: open done failed crashed late
 *   value(point, a column a figure)         of points that are done
 *   failure(point, what)                    why others are not
 *   input(path, bytes, checksum)            the files that were read; NULL: could not be
 * Points stand in the order of the product, without those that are excluded or were not needed. Nothing in it
 * says when, where, how fast or by what it was made, so its bytes are the same however it was carried out.
 * Figures stand in the order in which the points, in theirs, first have them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "hindcast/figure.h"
#include "output/sqlite.h"
#include "study/carrier.h"
#include "study/stored.h"

#define APPLICATION 0x48437374 /* "HCst" */
#define COLUMNS 1900           /* SQLite takes 2000 */

typedef struct set_columns {
  uint64_t key;
  uint32_t *column; /* [count] of the store, of each value */
  uint32_t count;
} set_columns;

typedef struct writer {
  hc_task_list *t;
  sqlite3 *db;
  const char *path;
  hc_arena arena;
  hc_names figures; /* "name|unit" */
  set_columns *sets;
  size_t set_count, set_cap;
  hc_buffer sql;
} writer;

static hc_rc failed(const writer *w, int sql, hc_error *e)
{
  return hc_sql_fail(w->db, sql, w->path, "write the study", e);
}

static hc_rc execute(const writer *w, const char *sql, hc_error *e)
{
  const int rc = sqlite3_exec(w->db, sql, NULL, NULL, NULL);
  return rc == SQLITE_OK ? 0 : failed(w, rc, e);
}

static hc_rc prepare(const writer *w, const char *sql, sqlite3_stmt **out, hc_error *e)
{
  const int rc = sqlite3_prepare_v2(w->db, sql, -1, out, NULL);
  return rc == SQLITE_OK ? 0 : failed(w, rc, e);
}

static hc_rc step(const writer *w, sqlite3_stmt *s, hc_error *e)
{
  const int rc = sqlite3_step(s);
  (void)sqlite3_reset(s);
  return rc == SQLITE_DONE ? 0 : failed(w, rc, e);
}

/* ---- figures ---- */

static hc_rc note_set(void *ctx, const hc_record *r, hc_error *e)
{
  writer *w = ctx;
  set_columns c = {.key = r->head.set, .count = 0};
  for (size_t i = 0; i < w->set_count; i++)
    if (w->sets[i].key == c.key) return 0;
  c.column = hc_arena_alloc(&w->arena, r->head.count * sizeof *c.column);
  if (!c.column ||
      hc_reserve(w->t->study->allocator, (void **)&w->sets, &w->set_cap, w->set_count + 1, sizeof c) < 0)
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the figures of the study");
  c.count = r->head.count;
  w->sets[w->set_count++] = c;
  return 0;
}

/* The columns of a set, numbered when a point first has it. */
static hc_rc number_set(writer *w, set_columns *c, const char *text, size_t size, hc_error *e)
{
  uint32_t i = 0;
  for (const char *line = text, *end = text + size; line < end && i < c->count; i++) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    const hc_rc rc = stop ? hc_names_add(&w->figures, line, (size_t)(stop - line), &c->column[i]) : HC_EINPUT;
    if (rc == HC_ELIMIT)
      return hc_fail(e, rc, w->path, 0, 0,
                     "the points have more than %d figures: name those that matter in `keep`", COLUMNS);
    if (rc == HC_ENOMEM) return hc_fail(e, rc, w->path, 0, 0, "out of memory for the figures of the study");
    if (rc < 0) return hc_fail(e, rc, w->path, 0, 0, "the figures of the study cannot be read");
    line = stop + 1;
  }
  return 0;
}

typedef struct find_text {
  writer *w;
  hc_buffer all;     /* texts of the sets, one behind the other */
  size_t *at, *size; /* [set_count] */
  size_t cap[2];
} find_text;

static hc_rc note_text(void *ctx, const hc_record *r, hc_error *e)
{
  find_text *f = ctx;
  const size_t before = f->w->set_count;
  const hc_allocator *a = f->w->t->study->allocator;
  TRY(note_set(f->w, r, e));
  if (f->w->set_count == before) return 0;
  if (hc_reserve(a, (void **)&f->at, &f->cap[0], before + 1, sizeof *f->at) < 0 ||
      hc_reserve(a, (void **)&f->size, &f->cap[1], before + 1, sizeof *f->size) < 0)
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the figures of the study");
  f->at[before] = f->all.size;
  f->size[before] = r->head.text_size;
  hc_buffer_add(&f->all, r->text, r->head.text_size);
  return f->all.failed ? HC_ENOMEM : 0;
}

/* Go through the points in their order until every set has been seen. */
static hc_rc number_figures(writer *w, const find_text *f, hc_error *e)
{
  const hc_task_list *t = w->t;
  size_t numbered = 0;
  bool *done = hc_arena_alloc(&w->arena, w->set_count * sizeof *done);
  if (!done) return HC_ENOMEM;
  for (uint64_t p = 0; p < t->study->product && numbered < w->set_count; p++) {
    hc_record r;
    if (t->state[p] != HC_POINT_DONE || !hc_task_counts(t, p)) continue;
    TRY(hc_journal_at(t->journal, t->offset[p] - 1, &r, e));
    for (size_t i = 0; i < w->set_count; i++) {
      if (w->sets[i].key != r.head.set || done[i]) continue;
      TRY(number_set(w, &w->sets[i], f->all.data + f->at[i], f->size[i], e));
      done[i] = true;
      numbered++;
    }
  }
  return 0;
}

static hc_rc read_figures(writer *w, hc_error *e)
{
  find_text f = {.w = w};
  const hc_journal_visit visit = {.ctx = &f, .set = note_text};
  const hc_allocator *a = w->t->study->allocator;
  hc_rc rc;
  hc_buffer_init(&f.all, a);
  rc = hc_journal_each(w->t->journal, &visit, e);
  if (rc >= 0) rc = number_figures(w, &f, e);
  hc_buffer_fini(&f.all);
  hc_free(a, f.at, f.cap[0] * sizeof *f.at);
  hc_free(a, f.size, f.cap[1] * sizeof *f.size);
  return rc;
}

/* ---- tables ---- */

/* A column's name, quoted: SQLite compares them without case, and two columns of a table cannot have one.
 * @return NULL: out of memory */
static char *column_of(const char *name, size_t n, size_t number)
{
  char *plain = sqlite3_mprintf("%.*s", (int)n, name);
  const bool taken = plain && (sqlite3_stricmp(plain, "point") == 0 || sqlite3_stricmp(plain, "state") == 0);
  char *column = !plain  ? NULL
                 : taken ? sqlite3_mprintf("\"%w_%llu\"", plain, (unsigned long long)number)
                         : sqlite3_mprintf("\"%w\"", plain);
  sqlite3_free(plain);
  return column;
}

static bool named_before(const writer *w, size_t i, size_t n)
{
  for (size_t k = 0; k < i; k++)
    if (sqlite3_strnicmp(w->figures.names[k], w->figures.names[i], (int)n) == 0 &&
        w->figures.names[k][n] == '|')
      return true;
  return false;
}

static char *axis_column(const hc_study *s, size_t i)
{
  for (size_t k = 0; k < i; k++)
    if (sqlite3_stricmp(s->axes[k].name, s->axes[i].name) == 0)
      return sqlite3_mprintf("axis_%llu", (unsigned long long)i);
  return column_of(s->axes[i].name, strlen(s->axes[i].name), i);
}

static char *figure_column(const writer *w, size_t i)
{
  const size_t n = strcspn(w->figures.names[i], "|");
  if (named_before(w, i, n)) return sqlite3_mprintf("figure_%llu", (unsigned long long)i);
  return column_of(w->figures.names[i], n, i);
}

/* Takes the name. */
static void add_text(writer *w, const char *before, char *name)
{
  hc_buffer_text(&w->sql, before);
  hc_buffer_text(&w->sql, name ? name : "");
  w->sql.failed |= !name; /* out of memory */
  sqlite3_free(name);
}

/* For those that ask in SQL: a row a point, the labels of its levels and its figures. */
static void add_view(writer *w)
{
  const hc_study *s = w->t->study;
  hc_buffer_text(&w->sql, "CREATE VIEW result AS SELECT p.point, p.state");
  for (size_t i = 0; i < s->axis_count; i++) {
    hc_buffer_printf(&w->sql, ", (SELECT label FROM level WHERE axis=%zu AND level=", i);
    add_text(w, "p.", axis_column(s, i));
    add_text(w, ") AS ", axis_column(s, i));
  }
  for (size_t i = 0; i < w->figures.count; i++) add_text(w, ", v.", figure_column(w, i));
  hc_buffer_text(&w->sql, " FROM point p LEFT JOIN value v USING(point);");
}

static hc_rc create_tables(writer *w, hc_error *e)
{
  const hc_study *s = w->t->study;
  hc_buffer_printf(&w->sql,
                   "CREATE TABLE study(key TEXT, value TEXT);CREATE TABLE axis(axis INTEGER PRIMARY KEY, "
                   "name TEXT, levels INTEGER);CREATE TABLE level(axis INTEGER, level INTEGER, label TEXT, "
                   "number REAL);CREATE TABLE figure(figure INTEGER PRIMARY KEY, name TEXT, unit TEXT, "
                   "better TEXT);CREATE TABLE input(path TEXT, bytes INTEGER, checksum TEXT);CREATE TABLE "
                   "point(point INTEGER PRIMARY KEY, state TEXT");
  for (size_t i = 0; i < s->axis_count; i++) add_text(w, ", ", axis_column(s, i));
  hc_buffer_text(&w->sql, ");CREATE TABLE value(point INTEGER PRIMARY KEY");
  for (size_t i = 0; i < w->figures.count; i++) add_text(w, ", ", figure_column(w, i));
  hc_buffer_text(&w->sql, ");CREATE TABLE failure(point INTEGER PRIMARY KEY, what TEXT);");
  add_view(w);
  return w->sql.failed ? HC_ENOMEM : execute(w, w->sql.data, e);
}

static hc_rc put_fact(const writer *w, const char *key, const char *value, hc_error *e)
{
  char *sql = sqlite3_mprintf("INSERT INTO study VALUES(%Q,%Q)", key, value);
  const hc_rc rc = sql ? execute(w, sql, e) : HC_ENOMEM;
  sqlite3_free(sql);
  return rc;
}

static hc_rc put_study(writer *w, hc_error *e)
{
  const hc_study *s = w->t->study;
  const hc_value *compare = hc_value_get(hc_value_get(s->tree, "study"), "compare");
  char schema[16];
  hc_rc rc = 0;
  (void)snprintf(schema, sizeof schema, "%d", HC_STUDY_SCHEMA);
  TRY(put_fact(w, "schema", schema, e));
  TRY(put_fact(w, "kind", "study", e));
  TRY(put_fact(w, "name", s->name, e));
  for (int i = 0; i < 2 && rc >= 0; i++) {
    w->sql.size = 0;
    if (i == 0) rc = hc_study_text(s, &w->sql);
    else if (compare) hc_value_write_json(compare, &w->sql, false);
    else break;
    if (rc >= 0) rc = w->sql.failed ? HC_ENOMEM : put_fact(w, i == 0 ? "study" : "compare", w->sql.data, e);
  }
  return rc;
}

static hc_rc put_axes(const writer *w, hc_error *e)
{
  const hc_study *s = w->t->study;
  sqlite3_stmt *axis = NULL, *level = NULL;
  hc_rc rc = prepare(w, "INSERT INTO axis VALUES(?,?,?)", &axis, e);
  if (rc >= 0) rc = prepare(w, "INSERT INTO level VALUES(?,?,?,?)", &level, e);
  for (size_t i = 0; i < s->axis_count && rc >= 0; i++) {
    (void)sqlite3_bind_int64(axis, 1, (int64_t)i);
    (void)sqlite3_bind_text(axis, 2, s->axes[i].name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(axis, 3, (int64_t)s->axes[i].count);
    rc = step(w, axis, e);
    for (size_t k = 0; k < s->axes[i].count && rc >= 0; k++) {
      (void)sqlite3_bind_int64(level, 1, (int64_t)i);
      (void)sqlite3_bind_int64(level, 2, (int64_t)k);
      (void)sqlite3_bind_text(level, 3, s->axes[i].levels[k].label, -1, SQLITE_STATIC);
      (void)sqlite3_bind_double(level, 4, s->axes[i].levels[k].number); /* NaN is stored as NULL */
      rc = step(w, level, e);
    }
  }
  (void)sqlite3_finalize(axis);
  (void)sqlite3_finalize(level);
  return rc;
}

static hc_rc put_inputs(const writer *w, hc_error *e)
{
  const hc_study *s = w->t->study;
  sqlite3_stmt *row = NULL;
  hc_rc rc = prepare(w, "INSERT INTO input VALUES(?,?,?)", &row, e);
  for (size_t i = 0; i < s->input_count && rc >= 0; i++) {
    const hc_noted_input *x = &s->inputs[i];
    (void)sqlite3_clear_bindings(row);
    (void)sqlite3_bind_text(row, 1, x->path, -1, SQLITE_STATIC);
    if (x->checksum[0]) {
      (void)sqlite3_bind_int64(row, 2, (int64_t)x->bytes);
      (void)sqlite3_bind_text(row, 3, x->checksum, -1, SQLITE_STATIC);
    }
    rc = step(w, row, e);
  }
  (void)sqlite3_finalize(row);
  return rc;
}

static hc_rc put_figures(const writer *w, hc_error *e)
{
  char plain[300];
  sqlite3_stmt *s = NULL;
  hc_rc rc = prepare(w, "INSERT INTO figure VALUES(?,?,?,?)", &s, e);
  for (size_t i = 0; i < w->figures.count && rc >= 0; i++) {
    const char *name = w->figures.names[i];
    const size_t n = strcspn(name, "|");
    (void)sqlite3_bind_int64(s, 1, (int64_t)i);
    (void)sqlite3_bind_text(s, 2, name, (int)n, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 3, name[n] ? name + n + 1 : "", -1, SQLITE_STATIC);
    (void)snprintf(plain, sizeof plain, "%.*s", (int)n, name);
    (void)sqlite3_bind_text(s, 4, hc_figure_direction_name(hc_figure_direction(w->t->study->registry, plain)),
                            -1, SQLITE_STATIC);
    rc = step(w, s, e);
  }
  (void)sqlite3_finalize(s);
  return rc;
}

/* ---- points ---- */

typedef struct rows {
  sqlite3_stmt *point, *value, *failure;
} rows;

static hc_rc prepare_rows(writer *w, rows *r, hc_error *e)
{
  const char *const tables[] = {"point", "value"};
  const size_t columns[] = {2 + w->t->study->axis_count, 1 + w->figures.count};
  sqlite3_stmt **out[] = {&r->point, &r->value};
  for (int i = 0; i < 2; i++) {
    w->sql.size = 0;
    hc_buffer_printf(&w->sql, "INSERT INTO %s VALUES(", tables[i]);
    for (size_t k = 0; k < columns[i]; k++) hc_buffer_text(&w->sql, k ? ",?" : "?");
    hc_buffer_text(&w->sql, ")");
    if (w->sql.failed) return HC_ENOMEM;
    TRY(prepare(w, w->sql.data, out[i], e));
  }
  return prepare(w, "INSERT INTO failure VALUES(?,?)", &r->failure, e);
}

static hc_rc put_values(const writer *w, const rows *into, int64_t number, const hc_record *r, hc_error *e)
{
  const set_columns *c = NULL;
  for (size_t i = 0; i < w->set_count; i++)
    if (w->sets[i].key == r->head.set) c = &w->sets[i];
  if (!c || c->count != r->head.count)
    return hc_fail(e, HC_EINPUT, w->path, 0, 0,
                   "a point has figures that were not named: carry it out again");
  (void)sqlite3_clear_bindings(into->value);
  (void)sqlite3_bind_int64(into->value, 1, number);
  for (uint32_t i = 0; i < c->count; i++)
    (void)sqlite3_bind_double(into->value, 2 + (int)c->column[i], r->values[i]);
  return step(w, into->value, e);
}

static hc_rc put_point(const writer *w, const rows *into, int64_t number, uint64_t p, hc_error *e)
{
  static const char *const states[] = {"open", "done", "failed", "crashed", "late"};
  const hc_task_list *t = w->t;
  const hc_study *s = t->study;
  hc_record r;
  uint64_t rest = p;
  (void)sqlite3_bind_int64(into->point, 1, number);
  (void)sqlite3_bind_text(into->point, 2, states[t->state[p]], -1, SQLITE_STATIC);
  for (size_t i = s->axis_count; i-- > 0; rest /= s->axes[i].count)
    (void)sqlite3_bind_int64(into->point, 3 + (int)i, (int64_t)(rest % s->axes[i].count));
  TRY(step(w, into->point, e));
  if (t->state[p] == HC_POINT_OPEN) return 0;
  TRY(hc_journal_at(t->journal, t->offset[p] - 1, &r, e));
  if (t->state[p] == HC_POINT_DONE) return put_values(w, into, number, &r, e);
  (void)sqlite3_bind_int64(into->failure, 1, number);
  (void)sqlite3_bind_text(into->failure, 2, r.text, (int)r.head.text_size, SQLITE_TRANSIENT);
  return step(w, into->failure, e);
}

static hc_rc put_points(writer *w, hc_error *e)
{
  rows r = {0};
  int64_t number = 0;
  hc_rc rc = prepare_rows(w, &r, e);
  for (uint64_t p = 0; p < w->t->study->product && rc >= 0; p++)
    if (hc_task_counts(w->t, p)) rc = put_point(w, &r, number++, p, e);
  (void)sqlite3_finalize(r.point);
  (void)sqlite3_finalize(r.value);
  (void)sqlite3_finalize(r.failure);
  return rc;
}

/* ---- the file ---- */

static hc_rc write_all(writer *w, hc_error *e)
{
  char sql[320];
  (void)snprintf(
      sql, sizeof sql,
      "PRAGMA page_size=32768;PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;PRAGMA "
      "locking_mode=EXCLUSIVE;PRAGMA cache_size=-8192;PRAGMA encoding='UTF-8';BEGIN EXCLUSIVE;PRAGMA "
      "application_id=%d;PRAGMA user_version=%d;",
      APPLICATION, HC_STUDY_SCHEMA);
  TRY(read_figures(w, e));
  TRY(execute(w, sql, e));
  TRY(create_tables(w, e));
  TRY(put_study(w, e));
  TRY(put_axes(w, e));
  TRY(put_inputs(w, e));
  TRY(put_figures(w, e));
  TRY(put_points(w, e));
  return execute(w, "COMMIT", e);
}

static hc_rc sync_file(const char *partial, const char *path, hc_error *e)
{
  const int fd = open(partial, O_RDWR | O_CLOEXEC);
  const bool ok = fd >= 0 && fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) (void)close(fd);
  if (!ok)
    return hc_fail(e, HC_EIO, path, 0, 0, "cannot bring the study to disk: %s; check the device",
                   strerror(why));
  if (rename(partial, path) == 0) return 0;
  return hc_fail(e, HC_EIO, path, 0, 0, "cannot give the study its name: %s; choose another path",
                 strerror(errno));
}

hc_rc hc_study_store_in(hc_task_list *t, sqlite3 *db, const char *path, hc_error *e)
{
  const hc_allocator *a = t->study->allocator;
  writer w = {.t = t, .db = db, .path = path};
  hc_arena_init(&w.arena, a);
  hc_names_init(&w.figures, a, COLUMNS);
  hc_buffer_init(&w.sql, a);
  const hc_rc rc = write_all(&w, e);
  if (rc == HC_ENOMEM) (void)hc_fail(e, rc, path, 0, 0, "out of memory while the study was written");
  hc_buffer_fini(&w.sql);
  hc_names_fini(&w.figures);
  hc_free(a, w.sets, w.set_cap * sizeof *w.sets);
  hc_arena_fini(&w.arena);
  return rc;
}

hc_rc hc_study_store(hc_task_list *t, const char *path, hc_error *e)
{
  sqlite3 *db = NULL;
  char partial[4096];
  hc_rc rc = 0;
  int sql;
  if ((size_t)snprintf(partial, sizeof partial, "%s.partial", path) >= sizeof partial)
    return hc_fail(e, HC_EIO, path, 0, 0, "the path is too long");
  (void)unlink(partial); /* of a process that was killed: what writes holds the lock of the journal */
  sql = sqlite3_open_v2(partial, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (sql != SQLITE_OK) rc = hc_sql_fail(db, sql, path, "write the study", e);
  if (rc >= 0) rc = hc_study_store_in(t, db, path, e);
  sql = sqlite3_close(db);
  if (rc >= 0 && sql != SQLITE_OK) rc = hc_sql_fail(NULL, sql, path, "write the study", e);
  if (rc >= 0) rc = sync_file(partial, path, e);
  if (rc < 0) (void)unlink(partial);
  return rc;
}
