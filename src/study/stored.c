/* stored.c -- what a study's store says of itself, without being read whole: that it is one, whose, how far
 * it came.
 *
 * A store whose journal is gone (merged from parts, or copied elsewhere) still answers `study status`; and a
 * study is not written over another one, nor over a file that is no study at all. */
#include "study/stored.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "output/sqlite.h"

static hc_rc failed(sqlite3 *db, int sql, const char *path, hc_error *e)
{
  return hc_sql_fail(db, sql, path, "read the study", e);
}

/* Rows of a statement, until `row` says otherwise. */
static hc_rc each_row(sqlite3 *db, const char *sql, const char *path,
                      hc_rc (*row)(void *ctx, sqlite3_stmt *s), void *ctx, hc_error *e)
{
  sqlite3_stmt *s = NULL;
  hc_rc rc = 0;
  int step = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
  if (step != SQLITE_OK) return failed(db, step, path, e);
  while (rc >= 0 && (step = sqlite3_step(s)) == SQLITE_ROW) rc = row(ctx, s);
  if (rc >= 0 && step != SQLITE_DONE) rc = failed(db, step, path, e);
  (void)sqlite3_finalize(s);
  return rc;
}

static hc_rc take_number(void *ctx, sqlite3_stmt *s)
{
  *(int64_t *)ctx = sqlite3_column_int64(s, 0);
  return 0;
}

hc_rc hc_study_stored_open(const char *path, sqlite3 **out, hc_error *e)
{
  int64_t is_study = 0, schema = 0;
  hc_error ignored = {0};
  const int sql = sqlite3_open_v2(path, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
  if (sql != SQLITE_OK) return failed(*out, sql, path, e);
  (void)each_row(*out, "SELECT count(*) FROM study WHERE key='kind' AND value='study'", path, take_number,
                 &is_study, &ignored);
  if (ignored.rc == HC_ENOMEM) return hc_fail(e, HC_ENOMEM, path, 0, 0, "%s", ignored.text);
  if (is_study != 1)
    return hc_fail(e, HC_EINPUT, path, 0, 0, "this is no store of a study; `hindcast study run` makes one");
  TRY(each_row(*out, "SELECT value FROM study WHERE key='schema'", path, take_number, &schema, e));
  if (schema != HC_STUDY_SCHEMA)
    return hc_fail(
        e, HC_EVERSION, path, 0, 0,
        "this study was stored by another version of hindcast, in form %lld, and this one reads form %d: ask "
        "that version, or carry the study out again",
        (long long)schema, HC_STUDY_SCHEMA);
  return 0;
}

/* ---- how far it came ---- */

static hc_rc take_state(void *ctx, sqlite3_stmt *s)
{
  hc_study_progress *p = ctx;
  const char *state = (const char *)sqlite3_column_text(s, 0);
  const uint64_t n = (uint64_t)sqlite3_column_int64(s, 1);
  if (!state) return 0;
  p->points += n;
  if (strcmp(state, "done") == 0) p->done = n;
  if (strcmp(state, "failed") == 0) p->failed = n;
  if (strcmp(state, "crashed") == 0) p->crashed = n;
  if (strcmp(state, "late") == 0) p->late = n;
  return 0;
}

typedef struct failure {
  sqlite3 *db;
  const char *path;
  char *out;
  size_t size, n;
} failure;

static void append(failure *f, const char *format, const char *one, const char *two)
{
  if (f->n < f->size) f->n += (size_t)snprintf(f->out + f->n, f->size - f->n, format, one, two);
}

static hc_rc take_level(void *ctx, sqlite3_stmt *s)
{
  const char *name = (const char *)sqlite3_column_text(s, 0),
             *label = (const char *)sqlite3_column_text(s, 1);
  append(ctx, "%.60s=%.60s", name ? name : "", label ? label : "");
  return 0;
}

/* The point's row: number, state, a level for each axis, and what went wrong. */
static hc_rc take_failure(void *ctx, sqlite3_stmt *s)
{
  failure *f = ctx;
  const int what = sqlite3_column_count(s) - 1;
  const char *text = (const char *)sqlite3_column_text(s, what);
  for (int i = 2; i < what; i++) {
    char sql[128];
    hc_error ignored = {0};
    (void)snprintf(sql, sizeof sql,
                   "SELECT name, label FROM axis JOIN level USING(axis) WHERE axis=%d AND level=%d", i - 2,
                   sqlite3_column_int(s, i));
    if (each_row(f->db, sql, f->path, take_level, f, &ignored) == HC_ENOMEM) return HC_ENOMEM;
    append(f, "%s%s", i + 1 < what ? ", " : ": ", "");
  }
  append(f, "%s%s", text ? text : "", "");
  return 0;
}

hc_rc hc_study_stored_status(const char *path, hc_study_progress *out, hc_error *e)
{
  sqlite3 *db = NULL;
  hc_rc rc = hc_study_stored_open(path, &db, e);
  *out = (hc_study_progress){0};
  if (rc >= 0)
    rc = each_row(db, "SELECT state, count(*) FROM point GROUP BY state", path, take_state, out, e);
  if (rc >= 0)
    rc = each_row(db, "SELECT * FROM point JOIN failure USING(point) ORDER BY point LIMIT 1", path,
                  take_failure,
                  &(failure){.db = db, .path = path, .out = out->failure, .size = sizeof out->failure}, e);
  (void)sqlite3_close(db);
  return rc;
}

/* ---- what it was made from ---- */

typedef struct visit {
  hc_rc (*each)(void *ctx, const hc_study_input *input);
  void *ctx;
} visit;

static hc_rc take_input(void *ctx, sqlite3_stmt *s)
{
  const visit *v = ctx;
  const char *path = (const char *)sqlite3_column_text(s, 0), *sum = (const char *)sqlite3_column_text(s, 2);
  hc_study_input x = {
      .path = path ? path : "", .bytes = (uint64_t)sqlite3_column_int64(s, 1), .is_known = sum && *sum};
  if (sum) (void)snprintf(x.checksum, sizeof x.checksum, "%s", sum);
  return v->each(v->ctx, &x);
}

hc_rc hc_study_stored_inputs(const char *path, hc_rc (*each)(void *ctx, const hc_study_input *input),
                             void *ctx, hc_error *e)
{
  visit v = {each, ctx};
  sqlite3 *db = NULL;
  hc_rc rc = hc_study_stored_open(path, &db, e);
  if (rc >= 0)
    rc = each_row(db, "SELECT path, bytes, checksum FROM input ORDER BY rowid", path, take_input, &v, e);
  (void)sqlite3_close(db);
  return rc < 0 ? rc : 0;
}

/* ---- whose it is ---- */

typedef struct wanted {
  const char *text;
  bool is_it;
} wanted;

static hc_rc take_text(void *ctx, sqlite3_stmt *s)
{
  wanted *w = ctx;
  const char *text = (const char *)sqlite3_column_text(s, 0);
  w->is_it = text && strcmp(text, w->text) == 0;
  return 0;
}

hc_rc hc_study_stored_place(const hc_study *s, const char *path, bool again, const char *remedy, hc_error *e)
{
  struct stat file;
  hc_error ignored = {0};
  wanted w = {0};
  hc_buffer text;
  sqlite3 *db = NULL;
  hc_rc rc, is_store;
  if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0) return 0;
  hc_buffer_init(&text, s->allocator);
  rc = hc_study_text(s, &text);
  w.text = text.data;
  is_store = rc < 0 ? rc : hc_study_stored_open(path, &db, &ignored);
  if (is_store >= 0)
    (void)each_row(db, "SELECT value FROM study WHERE key='study'", path, take_text, &w, &ignored);
  (void)sqlite3_close(db);
  hc_buffer_fini(&text);
  if (rc < 0 || ignored.rc == HC_ENOMEM)
    return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for the study");
  if (w.is_it || (again && (is_store >= 0 || is_store == HC_EVERSION))) return 0;
  return hc_fail(e, HC_EUSAGE, path, 0, 0, "there is %s already: %s",
                 is_store >= 0             ? "another study, or an earlier form of this one"
                 : is_store == HC_EVERSION ? "a study of another version"
                                           : "a file that is no study",
                 remedy);
}
