/* sqlite_result.c -- the rows of a stored result.
 *
 * A file is looked at before SQLite is: magic, application number, schema version, so that each wrong file
 * gets its own words. What is then read is not trusted: the schema's own code (triggers, functions in views)
 * is switched off, and only the tables of the list are asked for. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/util.h"
#include "output/sqlite.h"

typedef struct sqlite_result {
  hc_result result;
  sqlite3 *db;
  hc_sqlite_store *store; /* whose connection it is, and whose rows may still be on the way; NULL: our own */
} sqlite_result;

static hc_rc read_failed(const sqlite_result *r, int sql, hc_error *e)
{
  return hc_sql_fail(r->db, sql, r->result.path, "read the result", e);
}

/* ---- opening ---- */

/* What can be said of a file without SQLite: that it is there, can be read, and is a database. */
#define STUDY_APPLICATION 0x48437374 /* "HCst": as study/store.c has it */

static hc_rc look(const char *path, hc_error *e)
{
  char head[16] = {0};
  struct stat st;
  ssize_t n;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return hc_fail(e, HC_EIO, path, 0, 0, "cannot open the result: %s; `hindcast run` makes one",
                   strerror(errno));
  }
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    (void)close(fd);
    return hc_fail(e, HC_EINPUT, path, 0, 0, "this is no file; name a result that `hindcast run` wrote");
  }
  n = read(fd, head, sizeof head);
  (void)close(fd);
  if (n != (ssize_t)sizeof head || memcmp(head, "SQLite format 3", 16) != 0) {
    return hc_fail(e, HC_EINPUT, path, 0, 0,
                   "this is not a result; name a file that `hindcast run` wrote (to read a log, use "
                   "`hindcast analyze` or `hindcast trace`)");
  }
  return 0;
}

static hc_rc pragma_number(sqlite_result *r, const char *sql, int64_t *out, hc_error *e)
{
  sqlite3_stmt *statement = NULL;
  int rc = sqlite3_prepare_v2(r->db, sql, -1, &statement, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(statement);
  if (rc == SQLITE_ROW) *out = sqlite3_column_int64(statement, 0);
  (void)sqlite3_finalize(statement);
  return rc == SQLITE_ROW ? 0 : read_failed(r, rc, e);
}

static hc_rc check_version(sqlite_result *r, hc_error *e)
{
  int64_t application = 0, version = 0, tables = 0;
  TRY(pragma_number(r, "PRAGMA application_id", &application, e));
  TRY(pragma_number(r, "PRAGMA user_version", &version, e));
  if (application == STUDY_APPLICATION) {
    return hc_fail(
        e, HC_EINPUT, r->result.path, 0, 0,
        "this is a study, not the result of one run; `hindcast study table` prints it, `study compare` and "
        "`study best` ask it");
  }
  if (application != HC_STORE_APPLICATION || version < 1) {
    return hc_fail(e, HC_EINPUT, r->result.path, 0, 0,
                   "this is a database, but not a result; name a file that `hindcast run` wrote");
  }
  if (version > HC_STORE_VERSION) {
    return hc_fail(
        e, HC_EVERSION, r->result.path, 0, 0,
        "the result has schema version %lld, and this program reads up to %d; use a newer Hindcast",
        (long long)version, HC_STORE_VERSION);
  }
  TRY(pragma_number(r, "SELECT count(*) FROM sqlite_master WHERE type='table'", &tables, e));
  if (tables < HC_TABLE_COUNT - HC_RARE_TABLES) {
    return hc_fail(e, HC_EINPUT, r->result.path, 0, 0,
                   "the result lacks tables: it is damaged; run the simulation again");
  }
  return 0;
}

static hc_rc open_file(sqlite_result *r, hc_error *e)
{
  int rc = sqlite3_open_v2(r->result.path, &r->db,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
  if (rc != SQLITE_OK) return read_failed(r, rc, e);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  rc = sqlite3_exec(r->db, "PRAGMA cell_size_check=ON;PRAGMA cache_size=-2048;PRAGMA query_only=ON", NULL,
                    NULL, NULL);
  if (rc != SQLITE_OK) return read_failed(r, rc, e);
  return check_version(r, e);
}

/* ---- rows ---- */

static hc_rc has_table(hc_result *result, hc_table t, hc_error *e)
{
  const sqlite_result *r = (const sqlite_result *)result;
  sqlite3_stmt *s = NULL;
  char sql[96];
  if (!hc_table_is_rare(t)) return 1;
  if (r->store) TRY(hc_sqlite_store_flush(r->store, e)); /* its first rows may be on the way */
  (void)snprintf(sql, sizeof sql, "SELECT 1 FROM sqlite_master WHERE type='table' AND name='%s'",
                 t == HC_TABLE_task_names ? HC_NAME_BLOCKS : hc_table_at(t)->name);
  int rc = sqlite3_prepare_v2(r->db, sql, -1, &s, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(s);
  (void)sqlite3_finalize(s);
  return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : read_failed(r, rc, e);
}

static hc_rc prepare_all(const sqlite_result *r, const char *columns, hc_table t, const char *tail,
                         sqlite3_stmt **out, hc_error *e)
{
  char sql[320];
  (void)snprintf(sql, sizeof sql, "SELECT %s FROM %s%s", columns, hc_table_at(t)->name, tail);
  const int rc = sqlite3_prepare_v2(r->db, sql, -1, out, NULL);
  return rc == SQLITE_OK ? 0 : read_failed(r, rc, e);
}

static hc_rc damaged(const sqlite_result *r, hc_table t, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, r->result.path, 0, 0,
                 "the result's table '%s' is damaged; run the simulation again", hc_table_at(t)->name);
}

/* @param tail " ORDER BY rowid". On a store's connection the columns are those of the list, in its order. */
static hc_rc select_all(const sqlite_result *r, hc_table t, const char *tail, sqlite3_stmt **out, hc_error *e)
{
  const int columns = (int)hc_table_at(t)->columns, least = (int)hc_table_least(t);
  if (r->store) TRY(hc_sqlite_store_flush(r->store, e));
  TRY(prepare_all(r, "*", t, tail, out, e));
  if (t == HC_TABLE_rejected &&
      sqlite3_column_count(*out) == columns - 1) { /* written before files were told */
    (void)sqlite3_finalize(*out);
    *out = NULL;
    TRY(prepare_all(r, "NULL, *", t, tail, out, e));
  }
  const int there = sqlite3_column_count(*out);
  if (there >= least && there < columns) { /* by an earlier version, which had less to say of a row */
    (void)sqlite3_finalize(*out);
    *out = NULL;
    TRY(prepare_all(r, columns - there == 1 ? "*, NULL" : "*, NULL, NULL", t, tail, out, e));
  }
  if (sqlite3_column_count(*out) == columns) return 0;
  (void)sqlite3_finalize(*out);
  *out = NULL;
  return damaged(r, t, e);
}

/* Past the end SQLite would begin again: then the cursor's size is 0. @return 1, 0, an error */
static hc_rc step(hc_result *r, hc_row_walk *c, hc_error *e)
{
  const int sql = c->size > 0 ? sqlite3_step(c->rows) : SQLITE_DONE;
  if (sql == SQLITE_ROW) return 1;
  c->size = 0;
  return sql == SQLITE_DONE ? 0 : read_failed((const sqlite_result *)r, sql, e);
}

/* ---- names of tasks, which lie in blocks ---- */

static hc_rc next_name(hc_result *r, hc_row_walk *c, hc_field *row, hc_error *e)
{
  hc_rc rc = 0;
  while (sqlite3_data_count(c->rows) == 0 || (rc = hc_name_block_read(c->rows, &c->at, row)) == 0) {
    rc = step(r, c, e);
    if (rc != 1) return rc;
    c->at = 0;
  }
  return rc < 0 ? damaged((const sqlite_result *)r, c->table, e) : rc;
}

/* The n-th name, from 0, has a serial of n at least, so no block that ends before that serial holds it. */
static hc_rc select_names(const sqlite_result *r, uint64_t from, sqlite3_stmt **out, hc_error *e)
{
  char sql[160];
  if (r->store) TRY(hc_sqlite_store_flush(r->store, e));
  (void)snprintf(sql, sizeof sql,
                 "SELECT * FROM " HC_NAME_BLOCKS " WHERE first > %lld AND before+names > %lld ORDER BY first",
                 (long long)from - HC_STORE_NAMES, (long long)from);
  const int rc = sqlite3_prepare_v2(r->db, sql, -1, out, NULL);
  if (rc != SQLITE_OK) return read_failed(r, rc, e);
  if (sqlite3_column_count(*out) == HC_NAME_BLOCK_COLUMNS) return 0;
  (void)sqlite3_finalize(*out);
  return damaged(r, HC_TABLE_task_names, e);
}

static hc_rc open_names(hc_result *r, uint64_t from, hc_row_walk *c, hc_error *e)
{
  sqlite3_stmt *rows = NULL;
  hc_field row[3];
  *c = (hc_row_walk){.table = HC_TABLE_task_names, .size = 1};
  TRY(select_names((const sqlite_result *)r, from, &rows, e));
  c->rows = rows;
  hc_rc rc = step(r, c, e);
  for (int64_t n = rc == 1 ? sqlite3_column_int64(rows, 1) : 0; rc == 1 && n < (int64_t)from; n++)
    rc = next_name(r, c, row, e);
  if (rc < 0) (void)sqlite3_finalize(rows);
  return rc < 0 ? rc : 0;
}

/* ---- rows of any table ---- */

static hc_rc open_rows(hc_result *result, hc_table t, bool sorted, hc_row_walk *c, hc_error *e)
{
  sqlite3_stmt *rows = NULL;
  const sqlite_result *r = (const sqlite_result *)result;
  if (t == HC_TABLE_task_names) return open_names(result, 0, c, e);
  *c = (hc_row_walk){.table = t, .size = 1};
  TRY(select_all(r, t, sorted ? " ORDER BY submit, serial, rowid" : " ORDER BY rowid", &rows, e));
  c->rows = rows;
  return 0;
}

/* Rows that are only added are numbered by SQLite from 1 on. */
static hc_rc open_from(hc_result *result, hc_table t, uint64_t from, hc_row_walk *c, hc_error *e)
{
  sqlite3_stmt *rows = NULL;
  char tail[64];
  if (t == HC_TABLE_task_names) return open_names(result, from, c, e);
  *c = (hc_row_walk){.table = t, .size = 1};
  (void)snprintf(tail, sizeof tail, " WHERE rowid > %llu ORDER BY rowid", (unsigned long long)from);
  TRY(select_all((const sqlite_result *)result, t, tail, &rows, e));
  c->rows = rows;
  return 0;
}

static void close_rows(hc_result *r, hc_row_walk *c)
{
  HC_UNUSED(r);
  (void)sqlite3_finalize(c->rows);
}

static hc_rc read_field(sqlite3_stmt *row, int column, hc_field *out)
{
  *out = (hc_field){.kind = HC_FIELD_NULL};
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return 0;
    case SQLITE_INTEGER:
      *out = (hc_field){.kind = HC_FIELD_WHOLE, .is.whole = sqlite3_column_int64(row, column)};
      return 0;
    case SQLITE_FLOAT:
      *out = (hc_field){.kind = HC_FIELD_REAL, .is.real = sqlite3_column_double(row, column)};
      return 0;
    default:
      *out = (hc_field){.kind = HC_FIELD_TEXT, .text = (const char *)sqlite3_column_text(row, column)};
      out->is.size = (size_t)sqlite3_column_bytes(row, column);
      return out->text ? 0 : HC_ENOMEM;
  }
}

static hc_rc next_row(hc_result *r, hc_row_walk *c, hc_field *row, hc_error *e)
{
  if (c->table == HC_TABLE_task_names) return next_name(r, c, row, e);
  const hc_rc rc = step(r, c, e);
  for (size_t i = 0; rc == 1 && i < hc_table_at(c->table)->columns; i++)
    if (read_field(c->rows, (int)i, &row[i]) < 0)
      return read_failed((const sqlite_result *)r, SQLITE_NOMEM, e);
  return rc;
}

static void read_task(sqlite3_stmt *row, hc_task_record *t)
{
  int64_t values[HC_TASK_COLUMNS];
  for (int i = 0; i < HC_TASK_COLUMNS; i++) {
    values[i] = sqlite3_column_int64(row, i);
    if (values[i] == 0 && sqlite3_column_type(row, i) == SQLITE_NULL) values[i] = HC_UNKNOWN;
  }
  memcpy(t, values, sizeof *t);
}

static hc_rc next_tasks(hc_result *r, hc_row_walk *c, hc_task_record *records, size_t cap, size_t *count,
                        hc_error *e)
{
  hc_rc rc = 1;
  for (*count = 0; *count < cap && (rc = step(r, c, e)) == 1; (*count)++)
    read_task(c->rows, &records[*count]);
  return rc < 0 ? rc : 0;
}

static hc_rc count_rows(hc_result *result, hc_table t, uint64_t *out, hc_error *e)
{
  sqlite_result *r = (sqlite_result *)result;
  char sql[64];
  int64_t n = 0;
  if (r->store) TRY(hc_sqlite_store_flush(r->store, e));
  if (t == HC_TABLE_task_names)
    (void)snprintf(sql, sizeof sql, "SELECT coalesce(sum(names), 0) FROM " HC_NAME_BLOCKS);
  else (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", hc_table_at(t)->name);
  TRY(pragma_number(r, sql, &n, e));
  *out = (uint64_t)n;
  return 0;
}

/* ---- its life ---- */

static void free_result(hc_result *result)
{
  sqlite_result *r = (sqlite_result *)result;
  if (!r->store) (void)sqlite3_close(r->db);
  hc_free(result->allocator, r, sizeof *r);
}

static sqlite_result *new_result(const hc_allocator *a, const char *path)
{
  static const hc_result_type type = {has_table, count_rows, open_rows,  open_from,
                                      next_row,  next_tasks, close_rows, free_result};
  return hc_result_begin(a, sizeof(sqlite_result), &type, path);
}

hc_rc hc_sqlite_result_open(const hc_allocator *a, const char *path, hc_result **out, hc_error *e)
{
  sqlite_result *r;
  hc_rc rc;
  TRY(look(path, e));
  r = new_result(a, path);
  if (!r) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory while opening the result");
  rc = open_file(r, e);
  if (rc < 0) {
    hc_result_free(&r->result);
    return rc;
  }
  *out = &r->result;
  return 0;
}

hc_rc hc_sqlite_result_of(hc_sqlite_store *s, hc_result **out, hc_error *e)
{
  sqlite_result *r;
  TRY(hc_sqlite_store_flush(s, e));
  r = new_result(s->store.allocator, s->store.path ? s->store.path : "the result in memory");
  if (!r) return hc_fail(e, HC_ENOMEM, s->store.path, 0, 0, "out of memory while opening the result");
  r->db = s->db;
  r->store = s;
  *out = &r->result;
  return 0;
}
