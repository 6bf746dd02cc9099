/* result.c -- reading a stored result, and its digest.
 *
 * A file is looked at before SQLite is: magic, application number, schema version, so that each wrong file
 * gets its own words. What is then read is not trusted: the schema's own code (triggers, functions in views)
 * is switched off, and only the tables that store.c lists are asked for. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/util.h"
#include "output/parts.h"

struct hc_result {
  const hc_allocator *allocator;
  sqlite3 *db;
  bool owns;       /* the connection is ours, not a store's */
  hc_store *store; /* whose rows may still be on the way; NULL */
  hc_arena arena;  /* the path and the configuration */
  const char *path;
  const char **config; /* path, value, path, value ...; NULL until first asked for */
  size_t config_count, config_cap;
  sqlite3_stmt *figure, *tasks, *sorted;
  hc_error failed; /* the first failure of a question that answers without one */
};

static hc_rc read_failed(const hc_result *r, int sql, hc_error *e)
{
  return hc_sql_fail(r->db, sql, r->path, "read the result", e);
}

/* A question that answers without an error has none to give: the failure is kept for hc_result_check(). */
static hc_error *kept(hc_result *r, hc_error *e)
{
  return e ? e : &r->failed;
}

hc_rc hc_result_check(const hc_result *r, hc_error *e)
{
  const hc_error *x = &r->failed;
  return x->rc == 0 ? 0 : hc_fail(e, x->rc, x->where, x->line, x->column, "%s", x->text);
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

static hc_rc pragma_number(hc_result *r, const char *sql, int64_t *out, hc_error *e)
{
  sqlite3_stmt *statement = NULL;
  int rc = sqlite3_prepare_v2(r->db, sql, -1, &statement, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(statement);
  if (rc == SQLITE_ROW) *out = sqlite3_column_int64(statement, 0);
  (void)sqlite3_finalize(statement);
  return rc == SQLITE_ROW ? 0 : read_failed(r, rc, e);
}

static hc_rc check_version(hc_result *r, hc_error *e)
{
  int64_t application = 0, version = 0, tables = 0;
  TRY(pragma_number(r, "PRAGMA application_id", &application, e));
  TRY(pragma_number(r, "PRAGMA user_version", &version, e));
  if (application == STUDY_APPLICATION) {
    return hc_fail(
        e, HC_EINPUT, r->path, 0, 0,
        "this is a study, not the result of one run; `hindcast study table` prints it, `study compare` and "
        "`study best` ask it");
  }
  if (application != HC_STORE_APPLICATION || version < 1) {
    return hc_fail(e, HC_EINPUT, r->path, 0, 0,
                   "this is a database, but not a result; name a file that `hindcast run` wrote");
  }
  if (version > HC_STORE_VERSION) {
    return hc_fail(
        e, HC_EVERSION, r->path, 0, 0,
        "the result has schema version %lld, and this program reads up to %d; use a newer Hindcast",
        (long long)version, HC_STORE_VERSION);
  }
  TRY(pragma_number(r, "SELECT count(*) FROM sqlite_master WHERE type='table'", &tables, e));
  if (tables < HC_TABLE_COUNT - HC_RARE_TABLES) {
    return hc_fail(e, HC_EINPUT, r->path, 0, 0,
                   "the result lacks tables: it is damaged; run the simulation again");
  }
  return 0;
}

static hc_rc open_file(hc_result *r, hc_error *e)
{
  int rc = sqlite3_open_v2(r->path, &r->db,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
  if (rc != SQLITE_OK) return read_failed(r, rc, e);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  (void)sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  rc = sqlite3_exec(r->db, "PRAGMA cell_size_check=ON;PRAGMA cache_size=-2048;PRAGMA query_only=ON", NULL,
                    NULL, NULL);
  if (rc != SQLITE_OK) return read_failed(r, rc, e);
  return check_version(r, e);
}

static hc_result *new_result(const hc_allocator *a, const char *path)
{
  hc_result *r = hc_alloc(a, sizeof *r);
  if (!r) return NULL;
  r->allocator = a;
  hc_arena_init(&r->arena, a);
  r->path = hc_arena_text(&r->arena, path, strlen(path));
  if (r->path) return r;
  hc_result_free(r);
  return NULL;
}

hc_rc hc_result_open(const hc_allocator *a, const char *path, hc_result **out, hc_error *e)
{
  hc_result *r;
  hc_rc rc;
  TRY(look(path, e));
  r = new_result(a, path);
  if (!r) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory while opening the result");
  r->owns = true;
  rc = open_file(r, e);
  if (rc < 0) {
    hc_result_free(r);
    return rc;
  }
  *out = r;
  return 0;
}

hc_rc hc_result_of_store(hc_store *s, hc_result **out, hc_error *e)
{
  hc_result *r;
  if (!s->db)
    return hc_result_open(s->allocator, s->path, out, e); /* committed: it is a file like any other */
  TRY(hc_store_flush(s, e));
  r = new_result(s->allocator, s->path ? s->path : "the result in memory");
  if (!r) return hc_fail(e, HC_ENOMEM, s->path, 0, 0, "out of memory while opening the result");
  r->db = s->db;
  r->store = s;
  *out = r;
  return 0;
}

void hc_result_free(hc_result *r)
{
  if (!r) return;
  (void)sqlite3_finalize(r->figure);
  (void)sqlite3_finalize(r->tasks);
  (void)sqlite3_finalize(r->sorted);
  if (r->owns) (void)sqlite3_close(r->db);
  hc_free(r->allocator, r->config, r->config_cap * sizeof *r->config);
  hc_arena_fini(&r->arena);
  hc_free(r->allocator, r, sizeof *r);
}

const char *hc_result_path(const hc_result *r)
{
  return r->path;
}

/* ---- small tables ---- */

/* The text of one value, borrowed from the row or written to `buf`. Real numbers are spelt by our own code:
 * SQLite's shows fifteen digits, which is not always the same number. */
static hc_rc value_text(sqlite3_stmt *row, int column, char *buf, const char **out)
{
  *out = NULL;
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return 0;
    case SQLITE_FLOAT:
      (void)hc_format_real(sqlite3_column_double(row, column), buf);
      *out = buf;
      return 0;
    default: *out = (const char *)sqlite3_column_text(row, column); return *out ? 0 : HC_ENOMEM;
  }
}

/* @return 1, 0 if there is none, an error */
static hc_rc has_table(const hc_result *r, hc_table t, hc_error *e)
{
  sqlite3_stmt *s = NULL;
  char sql[96];
  if (!hc_table_is_rare(t)) return 1;
  (void)snprintf(sql, sizeof sql, "SELECT 1 FROM sqlite_master WHERE type='table' AND name='%s'",
                 hc_table_at(t)->name);
  int rc = sqlite3_prepare_v2(r->db, sql, -1, &s, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(s);
  (void)sqlite3_finalize(s);
  return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : read_failed(r, rc, e);
}

static hc_rc prepare_all(const hc_result *r, const char *columns, hc_table t, const char *tail,
                         sqlite3_stmt **out, hc_error *e)
{
  char sql[320];
  (void)snprintf(sql, sizeof sql, "SELECT %s FROM %s%s", columns, hc_table_at(t)->name, tail);
  const int rc = sqlite3_prepare_v2(r->db, sql, -1, out, NULL);
  return rc == SQLITE_OK ? 0 : read_failed(r, rc, e);
}

/* @param tail " ORDER BY rowid". On a store's connection the columns are those of the list, in its order. */
static hc_rc select_all(const hc_result *r, hc_table t, const char *tail, sqlite3_stmt **out, hc_error *e)
{
  const int columns = (int)hc_table_at(t)->columns;
  if (r->store) TRY(hc_store_flush(r->store, e));
  TRY(prepare_all(r, "*", t, tail, out, e));
  if (t == HC_TABLE_rejected &&
      sqlite3_column_count(*out) == columns - 1) { /* written before files were told */
    (void)sqlite3_finalize(*out);
    *out = NULL;
    TRY(prepare_all(r, "NULL, *", t, tail, out, e));
  }
  if (sqlite3_column_count(*out) == columns) return 0;
  (void)sqlite3_finalize(*out);
  *out = NULL;
  return hc_fail(e, HC_EINPUT, r->path, 0, 0, "the result's table '%s' is damaged; run the simulation again",
                 hc_table_at(t)->name);
}

hc_rc hc_result_rows(hc_result *r, const char *table, size_t columns,
                     hc_rc (*each)(void *ctx, const char *const *values), void *ctx, hc_error *e)
{
  hc_table t = hc_table_find(table);
  const char *values[HC_TASK_COLUMNS];
  char numbers[HC_TASK_COLUMNS][32];
  sqlite3_stmt *rows;
  hc_rc rc = 0;
  int sql;
  TRY(hc_result_check(r, e));
  e = kept(r, e);
  if (t == HC_TABLE_COUNT || columns != hc_table_at(t)->columns) {
    return hc_fail(e, HC_EUSAGE, r->path, 0, 0, "a result has no table '%s' of %zu columns", table, columns);
  }
  rc = has_table(r, t, e);
  if (rc <= 0) return rc;
  TRY(select_all(r, t, " ORDER BY rowid", &rows, e));
  rc = 0;
  while ((sql = sqlite3_step(rows)) == SQLITE_ROW) {
    for (size_t i = 0; rc == 0 && i < columns; i++) rc = value_text(rows, (int)i, numbers[i], &values[i]);
    if (rc == 0) rc = each(ctx, values);
    if (rc != 0) break;
  }
  if (rc == HC_ENOMEM) (void)hc_fail(e, rc, r->path, 0, 0, "out of memory while trying to read the result");
  if (rc == 0 && sql != SQLITE_DONE) rc = read_failed(r, sql, e);
  (void)sqlite3_finalize(rows);
  return rc;
}

static hc_rc keep_config(void *ctx, const char *const *values)
{
  hc_result *r = ctx;
  TRY(hc_reserve(r->allocator, (void **)&r->config, &r->config_cap, r->config_count + 2, sizeof *r->config));
  for (int i = 0; i < 2; i++) {
    const char *text = values[i] ? values[i] : "";
    text = hc_arena_text(&r->arena, text, strlen(text));
    if (!text) return HC_ENOMEM;
    r->config[r->config_count++] = text;
  }
  return 0;
}

const char *hc_result_config(hc_result *r, const char *path)
{
  if (r->config_count == 0 && hc_result_rows(r, "configuration", 3, keep_config, r, NULL) < 0) {
    r->config_count = 0;
    return NULL;
  }
  for (size_t i = 0; i < r->config_count; i += 2) {
    if (strcmp(r->config[i], path) == 0) return r->config[i + 1];
  }
  return NULL;
}

double hc_result_figure(hc_result *r, const char *scope, const char *name)
{
  double value = __builtin_nan("");
  int sql = SQLITE_OK;
  if (!r->figure)
    sql =
        sqlite3_prepare_v2(r->db, "SELECT value FROM summary WHERE scope=? AND name=?", -1, &r->figure, NULL);
  if (sql == SQLITE_OK) sql = sqlite3_bind_text(r->figure, 1, scope, -1, SQLITE_STATIC);
  if (sql == SQLITE_OK) sql = sqlite3_bind_text(r->figure, 2, name, -1, SQLITE_STATIC);
  if (sql == SQLITE_OK) sql = sqlite3_step(r->figure);
  if (sql == SQLITE_ROW && sqlite3_column_type(r->figure, 0) != SQLITE_NULL)
    value = sqlite3_column_double(r->figure, 0);
  if (sql != SQLITE_ROW && sql != SQLITE_DONE) (void)read_failed(r, sql, &r->failed);
  (void)sqlite3_reset(r->figure);
  return value;
}

typedef struct fact_search {
  const char *key;
  int64_t value;
} fact_search;

static hc_rc match_fact(void *ctx, const char *const *values)
{
  fact_search *f = ctx;
  if (values[0] && values[1] && strcmp(values[0], f->key) == 0) {
    (void)hc_parse_int(values[1], strlen(values[1]), &f->value);
    return 1;
  }
  return 0;
}

int64_t hc_result_fact(hc_result *r, const char *key, int64_t fallback)
{
  fact_search f = {key, fallback};
  (void)hc_result_rows(r, "hindcast", 2, match_fact, &f, NULL);
  return f.value;
}

/* ---- tasks ---- */

/* Times so far apart that their differences do not overflow: 3 x 2^61 - 1 + 2^61 < 2^63. */
static bool is_time(hc_time t)
{
  const int64_t step = (int64_t)1 << 61;
  return t == HC_UNKNOWN || (t >= -step && t < 3 * step);
}

/* What the program writes is, and what arithmetic on rows may rely on. */
static hc_rc check_task(const hc_result *r, const hc_task_record *t, hc_error *e)
{
  const bool lengths = (t->limit == HC_NEVER || is_time(t->limit)) &&
                       (t->run == HC_NEVER || is_time(t->run)) &&
                       (t->estimate == HC_NEVER || is_time(t->estimate));
  const bool units = t->units == HC_UNKNOWN || (t->units >= -1 && t->units <= (int64_t)1 << 53);
  if (lengths && units && is_time(t->submit) && is_time(t->start) && is_time(t->end)) return 0;
  return hc_fail(
      e, HC_EINPUT, r->path, 0, 0,
      "the row of the task with the serial %lld holds %s that cannot be: the result is damaged; run the "
      "simulation again",
      (long long)t->serial, units ? "a time" : "a number of processors");
}

static hc_rc next_tasks(hc_result *r, sqlite3_stmt **rows, const char *tail, bool rewind,
                        hc_task_record *records, size_t cap, size_t *count, hc_error *e)
{
  size_t n = 0;
  int sql = SQLITE_ROW;
  TRY(hc_result_check(r, e));
  if (rewind && *rows) (void)sqlite3_reset(*rows);
  if (rewind && r->store) TRY(hc_store_flush(r->store, e));
  if (!*rows) TRY(select_all(r, HC_TABLE_tasks, tail, rows, e));
  else if (!rewind && !sqlite3_stmt_busy(*rows)) cap = 0; /* past the end: SQLite would begin again */
  while (n < cap && (sql = sqlite3_step(*rows)) == SQLITE_ROW) {
    hc_task_of_row(*rows, &records[n]);
    TRY(check_task(r, &records[n++], e));
  }
  if (sql != SQLITE_ROW) (void)sqlite3_reset(*rows);
  if (sql != SQLITE_ROW && sql != SQLITE_DONE) return read_failed(r, sql, e);
  *count = n;
  return 0;
}

hc_rc hc_result_tasks(hc_result *r, bool rewind, hc_task_record *records, size_t cap, size_t *count,
                      hc_error *e)
{
  return next_tasks(r, &r->tasks, " ORDER BY rowid", rewind, records, cap, count, e);
}

hc_rc hc_result_tasks_sorted(hc_result *r, bool rewind, hc_task_record *records, size_t cap, size_t *count,
                             hc_error *e)
{
  return next_tasks(r, &r->sorted, " ORDER BY submit, serial, rowid", rewind, records, cap, count, e);
}

uint64_t hc_result_task_count(hc_result *r)
{
  int64_t n = 0;
  if (r->store && hc_store_flush(r->store, &r->failed) < 0) return 0;
  return pragma_number(r, "SELECT count(*) FROM tasks", &n, &r->failed) < 0 ? 0 : (uint64_t)n;
}

/* ---- the digest ---- */

static void hash_u64(hc_hash *h, uint64_t x)
{
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(x >> (8 * i));
  hc_hash_add(h, bytes, sizeof bytes);
}

static void hash_text(hc_hash *h, const void *text, size_t n)
{
  hc_hash_add(h, "t", 1);
  hash_u64(h, n);
  hc_hash_add(h, text, n);
}

/* Each value is a letter for its type, then bytes whose number the letter or a length gives: no two different
 * rows are the same bytes. */
static void hash_value(hc_hash *h, sqlite3_stmt *row, int column)
{
  uint64_t bits;
  double real;
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: hc_hash_add(h, "n", 1); return;
    case SQLITE_INTEGER:
      hc_hash_add(h, "i", 1);
      hash_u64(h, (uint64_t)sqlite3_column_int64(row, column));
      return;
    case SQLITE_FLOAT:
      real = sqlite3_column_double(row, column);
      memcpy(&bits, &real, sizeof bits);
      hc_hash_add(h, "r", 1);
      hash_u64(h, bits);
      return;
    default: {
      const void *text = sqlite3_column_blob(row, column);
      hash_text(h, text ? text : "", (size_t)sqlite3_column_bytes(row, column));
      return;
    }
  }
}

/* Tasks are nearly all of the rows, so they go in as whole records: sixteen words each, HC_UNKNOWN for NULL.
 * The number of rows comes behind them and ends the table. */
static void hash_task(hc_hash *h, sqlite3_stmt *row)
{
  uint8_t bytes[8 * HC_TASK_COLUMNS];
  for (int c = 0; c < HC_TASK_COLUMNS; c++) {
    int64_t value = sqlite3_column_int64(row, c);
    if (value == 0 && sqlite3_column_type(row, c) == SQLITE_NULL) value = HC_UNKNOWN;
    for (int i = 0; i < 8; i++) bytes[8 * c + i] = (uint8_t)((uint64_t)value >> (8 * i));
  }
  hc_hash_add(h, bytes, sizeof bytes);
}

static bool one_of(const char *s, const char *const *words, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (strcmp(s, words[i]) == 0) return true;
  }
  return false;
}

/* Keys that say where and how a run was computed, not what: different event queues, two places of one log and two
 * names of one result must agree. Which log it was is in the checksums of `inputs`. */
static bool is_outside(const char *path)
{
  static const char *const keys[] = {"name", "output", "event_queue", "threads", "paranoid", "rejected"};
  static const char *const last[] = {"path", "file"};
  const char *dot = path ? strrchr(path, '.') : NULL;
  if (!path) return false;
  return one_of(path, keys, HC_ARRAY_LEN(keys)) || one_of(dot ? dot + 1 : path, last, HC_ARRAY_LEN(last));
}

/* Keys that came later count only where they say something else than what had held before. */
static bool is_as_before(const char *path, const char *value)
{
  static const char *const later[][2] = {{"cannot_grow", "keep"}, {"architecture.decision", "job"}};
  for (size_t i = 0; path && value && i < HC_ARRAY_LEN(later); i++)
    if (strcmp(path, later[i][0]) == 0 && strcmp(value, later[i][1]) == 0) return true;
  return false;
}

static bool hash_row(hc_hash *h, hc_table t, sqlite3_stmt *row)
{
  int first = 0, past = (int)hc_table_at(t)->columns;
  if (t == HC_TABLE_tasks) {
    hash_task(h, row);
    return true;
  }
  if (t == HC_TABLE_configuration) {
    if (is_outside((const char *)sqlite3_column_text(row, 0))) return false;
    if (is_as_before((const char *)sqlite3_column_text(row, 0), (const char *)sqlite3_column_text(row, 1)))
      return false;
    past = 2; /* the layer that set a key does not change what it does */
  }
  if (t == HC_TABLE_inputs || t == HC_TABLE_rejected) first = 1; /* the path is where, not what */
  hc_hash_add(h, "R", 1);
  for (int c = first; c < past; c++) hash_value(h, row, c);
  return true;
}

/* Tables that came later count only where something is in them: the digests of results without are what they were. */
static bool is_later(hc_table t)
{
  return t == HC_TABLE_stops || t == HC_TABLE_stop_grants || t == HC_TABLE_rates ||
         t == HC_TABLE_not_before || t == HC_TABLE_resizes;
}

/* A shared object is code, as the program is: two compilers make two files of one part, whose results must agree. Its
 * checksum is kept beside those of the data, and does not count. */
static const char of_inputs[] =
    " WHERE path IS NULL OR path NOT IN (SELECT value FROM configuration WHERE (path='plugin' OR path LIKE"
    " 'plugin.%') AND value IS NOT NULL) ORDER BY rowid";

/* What is no part of what was computed, or follows from it: how a run was made, and what tasks held that still ran when it
 * ended, which was written down later than digests were made. */
static bool is_beside(hc_table t)
{
  return t == HC_TABLE_run_info || t == HC_TABLE_open_demands || t == HC_TABLE_open_grants;
}

/* What says from what, and by what, a result was made. */
static bool is_origin(hc_table t)
{
  return t == HC_TABLE_hindcast || t == HC_TABLE_configuration || t == HC_TABLE_inputs ||
         t == HC_TABLE_rows || t == HC_TABLE_rejected;
}

static hc_rc digest(hc_result *r, bool schedule_only, char text[33], hc_error *e)
{
  hc_hash h;
  uint64_t out[2];
  hc_hash_init(&h);
  for (int t = 0; t < HC_TABLE_COUNT; t++) {
    const hc_table_spec *table = hc_table_at((hc_table)t);
    uint64_t count = 0;
    sqlite3_stmt *rows;
    int sql;
    if (is_beside((hc_table)t)) continue;
    const hc_rc there = has_table(r, (hc_table)t, e);
    if (there < 0) return there;
    if (there == 0) continue;
    if (schedule_only && is_origin((hc_table)t)) continue;
    TRY(select_all(r, (hc_table)t, t == HC_TABLE_inputs ? of_inputs : " ORDER BY rowid", &rows, e));
    const hc_hash without = h;
    hc_hash_add(&h, "T", 1);
    hash_text(&h, table->name, strlen(table->name));
    while ((sql = sqlite3_step(rows)) == SQLITE_ROW) count += hash_row(&h, (hc_table)t, rows);
    (void)sqlite3_finalize(rows);
    if (sql != SQLITE_DONE) return read_failed(r, sql, e);
    hc_hash_add(&h, "E", 1);
    hash_u64(&h, count);
    if (count == 0 && is_later((hc_table)t)) h = without;
  }
  hc_hash_end(&h, out);
  (void)snprintf(text, 33, "%016llx%016llx", (unsigned long long)out[0], (unsigned long long)out[1]);
  return 0;
}

hc_rc hc_result_digest(hc_result *r, char text[33], hc_error *e)
{
  return digest(r, false, text, e);
}

hc_rc hc_result_schedule_digest(hc_result *r, char text[33], hc_error *e)
{
  return digest(r, true, text, e);
}
