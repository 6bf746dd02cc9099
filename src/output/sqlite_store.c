/* sqlite_store.c -- one run's result as one SQLite database, built beside its final name and renamed when
 * whole.
 *
 * Everything is one transaction on a file of its own (base/target.c), so there is no journal and no sync: a
 * run that fails removes the file. Only the commit makes it durable: close, fsync, rename, fsync of the
 * directory. Rows of numbers are encoded as pages of the file by ourselves (bulk.c), which are put behind
 * those of SQLite when it has closed it. If they are read before that (a run that is saved, or trimmed),
 * SQLite gets them: then and from then on they are gathered in blocks and go in through a virtual table
 * (block.c), as those of a table with an index always do. Names of tasks stay in blocks (name_block.c), which
 * the view `task_names` takes apart. Pages are 32 KiB, and SQLite keeps at most 2 MiB of them, so that memory
 * does not grow with the rows. The file's bytes depend on the rows, on SQLite's version and on when rows were
 * read before the commit.
 *
 * SQLite's own memory comes from its own allocator, which is one for the process. Stores of different runs
 * may be written by different threads. Cost: 0.05 us a row of numbers, 0.35 us one that is inserted, about 1
 * us another row, 1 ms a store. Source: https://www.sqlite.org/vtab.html,
 * https://www.sqlite.org/pragma.html */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/state.h"
#include "base/util.h"
#include "output/sqlite.h"

/* How long a task ran: one that was suspended, for its run. */
#define ORIGIN "(SELECT value FROM hindcast WHERE key='unix_start')"
#define RAN "CASE WHEN flags&32 THEN run ELSE \"end\"-start END"

/* Seconds, waits, words, dates and names for queries by hand; what is not known is NULL. A task of no
 * length has no slowdown; the bounded one uses tau = 10 s. The states' words are put between the first two
 * parts, names behind them. */
static const char view_head[] =
    "CREATE VIEW task AS SELECT serial, nullif(id, -1) AS id, submit/1e9 AS submit, start/1e9 AS start,"
    " \"end\"/1e9 AS \"end\", (start-submit)/1e9 AS wait, (\"end\"-start)/1e9 AS held,"
    " CASE WHEN start IS NOT NULL THEN (\"end\"-submit)/1e9 END AS response,"
    " CASE WHEN \"end\">start THEN (\"end\"-submit)*1.0/" RAN " END AS slowdown,"
    " max(1.0, (\"end\"-submit)*1.0/max(" RAN ", 10000000000)) AS bounded_slowdown,"
    " units, lim/1e9 AS lim, CASE WHEN estimate<9223372036854775807 THEN estimate/1e9 END AS estimate,"
    " run/1e9 AS run, nullif(user, -1) AS user, nullif(grp, -1) AS grp, nullif(executable, -1) AS executable,"
    " nullif(queue, -1) AS queue, nullif(partition, -1) AS partition, CASE final";
static const char view_tail[] =
    " END AS state, flags&1 AS backfilled, (flags>>1)&1 AS clamped, (flags>>2)&1 AS no_limit,"
    " CASE WHEN start IS NOT NULL THEN max(0, \"end\"-start-" RAN ")/1e9 END AS suspended,"
    " strftime('%Y-%m-%dT%H:%M:%SZ', " ORIGIN "+submit/1000000000, 'unixepoch') AS submit_date,"
    " strftime('%Y-%m-%dT%H:%M:%SZ', " ORIGIN "+start/1000000000, 'unixepoch') AS start_date,"
    " strftime('%Y-%m-%dT%H:%M:%SZ', " ORIGIN "+\"end\"/1000000000, 'unixepoch') AS end_date";

/* ---- errors ---- */

hc_rc hc_sql_fail(sqlite3 *db, int sql, const char *where, const char *doing, hc_error *e)
{
  int system = db ? sqlite3_system_errno(db) : 0;
  const char *text = db ? sqlite3_errmsg(db) : sqlite3_errstr(sql);
  switch (sql & 0xff) {
    case SQLITE_NOMEM: return hc_fail(e, HC_ENOMEM, where, 0, 0, "out of memory while trying to %s", doing);
    case SQLITE_FULL:
      return hc_fail(e, HC_EIO, where, 0, 0,
                     "cannot %s: no space is left on the device; free some, or choose another place for it",
                     doing);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      return hc_fail(e, HC_EINPUT, where, 0, 0,
                     "cannot %s: the file is damaged or no result (%s); run the simulation again", doing,
                     text);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
      return hc_fail(e, HC_EIO, where, 0, 0, "cannot %s: %s; check the file, its directory and the device",
                     doing, system ? strerror(system) : text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return hc_fail(e, HC_EIO, where, 0, 0,
                     "cannot %s: another program holds the file; try again when it is done", doing);
    default: return hc_fail(e, HC_EIO, where, 0, 0, "cannot %s: %s", doing, text);
  }
}

static hc_rc write_failed(hc_sqlite_store *s, int sql, hc_error *e)
{
  return hc_sql_fail(s->db, sql, s->store.path ? s->store.path : "the result in memory", "write the result",
                     e);
}

/* A failure of bulk.c as ours. */
static hc_rc bulk_failed(const hc_sqlite_store *s, hc_rc rc, hc_error *e)
{
  const int why = errno;
  if (rc == HC_ENOMEM) return hc_fail(e, rc, s->store.path, 0, 0, "out of memory for rows of the result");
  if (why == ENOSPC) return hc_sql_fail(NULL, SQLITE_FULL, s->store.path, "write the result", e);
  return hc_fail(e, rc, s->store.path, 0, 0,
                 "cannot write the result: %s; check the file, its directory and the device", strerror(why));
}

/* Statements from an X-macro of words are composed with SQLite's printf, whose %w escapes; nothing here is
 * the user's text. */
static hc_rc execute(hc_sqlite_store *s, const char *sql, hc_error *e)
{
  int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
  return rc == SQLITE_OK ? 0 : write_failed(s, rc, e);
}

/* ---- the target ---- */

static char *copy_text(const hc_allocator *a, const char *s, size_t n)
{
  char *copy = hc_alloc(a, n + 1);
  if (copy) memcpy(copy, s, n);
  return copy;
}

/* https://www.sqlite.org/fileformat.html#application_id */
bool hc_sql_is(const char *path, uint32_t application)
{
  enum { APPLICATION_AT = 68, HEAD = 72 };
  uint8_t head[HEAD] = {0};
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
  if (fd >= 0) (void)close(fd);
  if (n != HEAD || memcmp(head, "SQLite format 3", 16) != 0) return false;
  for (unsigned i = 0; i < 4; i++)
    if (head[APPLICATION_AT + i] != (application >> (24 - 8 * i) & 0xff)) return false;
  return true;
}

/* A result takes the place of a result, of an empty file, and of nothing else unless asked to. */
static hc_rc refuse_target(const hc_sqlite_store *s, bool replace, hc_error *e)
{
  struct stat st;
  size_t n = strlen(s->store.path);
  bool is_there = stat(s->store.path, &st) == 0;
  if (n == 0 || s->store.path[n - 1] == '/' || (is_there && S_ISDIR(st.st_mode))) {
    return hc_fail(
        e, HC_EIO, s->store.path, 0, 0,
        "the result cannot be written here: this is a directory; name a file in it, such as run.db");
  }
  if (is_there && !S_ISREG(st.st_mode)) {
    return hc_fail(e, HC_EIO, s->store.path, 0, 0,
                   "the result cannot be written here: this is not a regular file; choose another path");
  }
  if (is_there && st.st_size > 0 && !replace && !hc_sql_is(s->store.path, HC_STORE_APPLICATION)) {
    return hc_fail(
        e, HC_EUSAGE, s->store.path, 0, 0,
        "there is a file that is no result of a run already; choose another path, or say --force to "
        "replace it");
  }
  return 0;
}

/* ---- opening ---- */

static hc_rc create_table(hc_sqlite_store *s, hc_table t, hc_error *e)
{
  char sql[512];
  (void)snprintf(sql, sizeof sql, "CREATE TABLE %s(%s)", hc_table_at(t)->name, hc_table_at(t)->sql);
  return execute(s, sql, e);
}

static hc_rc create_tables(hc_sqlite_store *s, hc_error *e)
{
  for (int t = 0; t < HC_TABLE_COUNT; t++) {
    if (!hc_table_is_rare((hc_table)t)) TRY(create_table(s, (hc_table)t, e));
  }
  return 0;
}

/* Those that exist only where there are rows are made with the first. */
static hc_rc ensure_table(hc_sqlite_store *s, hc_table t, hc_error *e)
{
  if (!hc_table_is_rare(t) || s->is_made[t]) return 0;
  TRY(create_table(s, t, e));
  s->is_made[t] = true;
  return 0;
}

/* What a column of a view is called whose number is `of`; NULL where there are no names. */
static void add_called(const hc_sqlite_store *s, hc_buffer *b, const char *kind, const char *of)
{
  if (s->is_made[HC_TABLE_names])
    hc_buffer_printf(b, "(SELECT n.name FROM names n WHERE n.kind='%s' AND n.number=%s)", kind, of);
  else hc_buffer_text(b, "NULL");
}

/* An account beside the group, or else the group where the source calls groups so; its number if it is
 * beside. */
static void add_beside(const hc_sqlite_store *s, hc_buffer *b, const char *kind, const char *group,
                       const char *column)
{
  char of[128] = "NULL";
  if (s->is_made[HC_TABLE_task_accounts])
    (void)snprintf(of, sizeof of, "(SELECT a.%s FROM task_accounts a WHERE a.serial=tasks.serial)", kind);
  hc_buffer_printf(b, ", %s AS %s, coalesce(", of, kind);
  add_called(s, b, kind, of);
  hc_buffer_printf(b, ", CASE WHEN (SELECT value FROM hindcast WHERE key='%s_is_called')='%s' THEN ", group,
                   kind);
  add_called(s, b, group, column);
  hc_buffer_printf(b, " END) AS %s_name", kind);
}

/* From the block that holds a task's serial, if any does. */
static void add_task_text(hc_buffer *b, int k)
{
  hc_buffer_text(b, "(SELECT ");
  hc_name_block_text(b, "tasks.serial-first", k);
  hc_buffer_text(b, " FROM " HC_NAME_BLOCKS " WHERE first<=tasks.serial ORDER BY first DESC LIMIT 1)");
}

static void add_task_names(const hc_sqlite_store *s, hc_buffer *b)
{
  static const char *const columns[][2] = {{"user", "tasks.user"},
                                           {"group", "tasks.grp"},
                                           {"executable", "tasks.executable"},
                                           {"queue", "tasks.queue"},
                                           {"partition", "tasks.partition"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(columns); i++) {
    hc_buffer_text(b, ", ");
    add_called(s, b, columns[i][0], columns[i][1]);
    hc_buffer_printf(b, " AS %s_name", columns[i][0]);
  }
  add_beside(s, b, "account", "group", "tasks.grp");
  add_beside(s, b, "qos", "queue", "tasks.queue");
  if (!s->is_made[HC_TABLE_task_names]) {
    hc_buffer_text(b, ", CAST(nullif(id, -1) AS TEXT) AS name, NULL AS job_name");
    return;
  }
  hc_buffer_text(b, ", coalesce(");
  add_task_text(b, 1);
  hc_buffer_text(b, ", CAST(nullif(id, -1) AS TEXT)) AS name, ");
  add_task_text(b, 2);
  hc_buffer_text(b, " AS job_name");
}

/* When all rows are there, and with them which tables of names. */
static hc_rc create_views(hc_sqlite_store *s, hc_error *e)
{
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, s->store.allocator);
  if (s->is_made[HC_TABLE_names]) hc_buffer_text(&b, "CREATE INDEX names_by_number ON names(number, kind);");
  if (s->is_made[HC_TABLE_task_accounts])
    hc_buffer_text(&b, "CREATE INDEX task_accounts_by_serial ON task_accounts(serial);");
  if (s->is_made[HC_TABLE_task_names]) hc_name_block_view(&b);
  hc_buffer_text(&b, view_head);
  for (int f = 0; f < HC_FINAL_COUNT; f++)
    hc_buffer_printf(&b, " WHEN %d THEN '%s'", f, hc_final_name((hc_final)f));
  hc_buffer_text(&b, view_tail);
  add_task_names(s, &b);
  hc_buffer_text(&b, " FROM tasks;CREATE VIEW cell AS SELECT scope, tab, key, name, unit, value");
  hc_buffer_text(&b, s->is_made[HC_TABLE_names]
                         ? ", (SELECT n.name FROM names n WHERE n.number=cells.key AND n.kind="
                           "CASE WHEN substr(tab, -8)='by_group' THEN 'group'"
                           " WHEN substr(tab, -8)='by_queue' THEN 'queue'"
                           " WHEN substr(tab, -7)='by_user' THEN 'user' END) AS key_name"
                         : ", NULL AS key_name");
  hc_buffer_text(&b, " FROM cells");
  rc = b.failed ? hc_fail(e, HC_ENOMEM, s->store.path, 0, 0, "out of memory for the views of the result")
                : execute(s, b.data, e);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc open_database(hc_sqlite_store *s, hc_error *e)
{
  char sql[160];
  int rc =
      sqlite3_open_v2(s->partial.name ? s->partial.name : ":memory:", &s->db,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                      s->partial.name ? "unix-none" : NULL); /* the lock on the file is ours: base/target.c */
  if (rc != SQLITE_OK) return write_failed(s, rc, e);
  (void)snprintf(sql, sizeof sql, "PRAGMA application_id=%d;PRAGMA user_version=%d;", HC_STORE_APPLICATION,
                 HC_STORE_VERSION);
  TRY(execute(s,
              "PRAGMA page_size=32768;PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
              "PRAGMA locking_mode=EXCLUSIVE;PRAGMA cache_size=-2048;PRAGMA encoding='UTF-8';",
              e));
  TRY(execute(s, "BEGIN EXCLUSIVE", e));
  TRY(execute(s, sql, e));
  TRY(create_tables(s, e));
  if (hc_block_register(s) < 0)
    return hc_fail(e, HC_ENOMEM, s->store.path, 0, 0, "out of memory while opening the result");
  return hc_store_begin(&s->store, e);
}

/* ---- closing ---- */

static int close_database(hc_sqlite_store *s)
{
  int rc;
  for (int t = 0; t < HC_TABLE_COUNT; t++) {
    (void)sqlite3_finalize(s->insert[t]);
    s->insert[t] = NULL;
  }
  rc = sqlite3_close(s->db);
  s->db = NULL;
  return rc;
}

/* The file is closed after SQLite's own descriptor: closing any of them drops the process's locks on it. */
static void drop_partial(hc_sqlite_store *s)
{
  char *slash = s->store.path && s->made_directory && s->partial.name ? strrchr(s->store.path, '/') : NULL;
  hc_partial_drop(&s->partial);
  if (!slash) return;
  *slash = '\0'; /* goes only if it is empty */
  (void)rmdir(s->store.path);
  *slash = '/';
}

static void free_store(hc_store *store)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  (void)close_database(s);
  drop_partial(s);
  for (int t = 0; t < HC_TABLE_COUNT; t++) {
    hc_row_block *b = &s->waiting[t];
    hc_free(s->store.allocator, b->rows, HC_STORE_BLOCK * b->columns * sizeof *b->rows);
  }
  hc_bulk_fini(&s->bulk);
  hc_buffer_fini(&s->named.texts);
  hc_free(s->store.allocator, s->store.path, s->path_size);
  hc_free(s->store.allocator, s, sizeof *s);
}

static hc_rc sync_directory(const hc_sqlite_store *s)
{
  const char *slash = strrchr(s->store.path, '/');
  size_t n = slash ? (size_t)(slash - s->store.path) : 0;
  char *directory = n > 0 ? copy_text(s->store.allocator, s->store.path, n)
                          : copy_text(s->store.allocator, s->store.path[0] == '/' ? "/" : ".", 1);
  int fd;
  if (!directory) return HC_ENOMEM;
  fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  hc_free(s->store.allocator, directory, (n > 0 ? n : 1) + 1);
  if (fd < 0)
    return 0; /* a directory that may be written but not read: the rename stands, only later on disk */
  (void)fsync(fd);
  (void)close(fd);
  return 0;
}

/* ---- rows ---- */

static hc_rc prepare(hc_sqlite_store *s, hc_table t, const char *format, sqlite3_stmt **out, hc_error *e)
{
  if (!s->insert[t]) {
    char sql[256], places[2 * HC_TASK_COLUMNS] = "?";
    int rc;
    TRY(ensure_table(s, t, e));
    for (size_t i = 1; i < hc_table_at(t)->columns; i++) memcpy(places + 2 * i - 1, ",?", 3);
    (void)snprintf(sql, sizeof sql, format, hc_table_at(t)->name, places);
    rc = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->insert[t], NULL);
    if (rc != SQLITE_OK) return write_failed(s, rc, e);
  }
  *out = s->insert[t];
  return 0;
}

static hc_rc step(hc_sqlite_store *s, sqlite3_stmt *statement, hc_error *e)
{
  int rc = sqlite3_step(statement);
  hc_rc result = rc == SQLITE_DONE ? 0 : write_failed(s, rc, e);
  (void)sqlite3_reset(statement);
  return result;
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
  (void)sqlite3_bind_text(statement, column, text, -1, SQLITE_STATIC); /* can only fail for text over 1 GB */
}

static hc_rc flush_named(hc_sqlite_store *s, hc_error *e)
{
  sqlite3_stmt **insert = &s->insert[HC_TABLE_task_names];
  int rc = SQLITE_OK;
  if (s->named.slots == 0) return 0;
  if (!*insert) {
    TRY(execute(s, "CREATE TABLE " HC_NAME_BLOCKS "(" HC_NAME_BLOCK_SQL ")", e));
    s->is_made[HC_TABLE_task_names] = true;
    rc = sqlite3_prepare_v3(s->db, "INSERT INTO " HC_NAME_BLOCKS " VALUES(?,?,?,?,?,?)", -1,
                            SQLITE_PREPARE_PERSISTENT, insert, NULL);
    if (rc != SQLITE_OK) return write_failed(s, rc, e);
  }
  rc = hc_name_block_store(&s->named, *insert);
  return rc == SQLITE_DONE ? 0 : write_failed(s, rc, e);
}

static hc_rc add_named(hc_sqlite_store *s, int64_t serial, const char *id, const char *job, hc_error *e)
{
  if (serial < s->named.next)
    return hc_fail(
        e, HC_EUSAGE, s->store.path, 0, 0,
        "the name of the task with the serial %lld comes after that of a later one; names of tasks "
        "are added in ascending order of serials, one a task",
        (long long)serial);
  if (s->named.slots > 0 && !hc_name_block_fits(&s->named, serial)) TRY(flush_named(s, e));
  const hc_rc rc = hc_name_block_add(&s->named, serial, id, job);
  return rc < 0 ? hc_fail(e, rc, s->store.path, 0, 0, "a task's name cannot be kept: %s", hc_rc_text(rc)) : 0;
}

static hc_rc flush_rows(hc_sqlite_store *s, hc_table t, hc_error *e)
{
  hc_row_block *b = &s->waiting[t];
  if (b->count == 0) return 0;
  s->shown = *b;
  b->count = 0;
  return step(s, s->insert[t], e);
}

static hc_rc flush_all(hc_sqlite_store *s, hc_error *e)
{
  TRY(flush_named(s, e));
  for (int t = 0; t < HC_TABLE_COUNT; t++) TRY(flush_rows(s, (hc_table)t, e));
  return 0;
}

/* The first row of a table: room for a block, and the statement that takes one in. */
static hc_rc begin_rows(hc_sqlite_store *s, hc_table t, hc_error *e)
{
  hc_row_block *b = &s->waiting[t];
  const size_t columns = hc_table_at(t)->columns;
  char sql[256] = "INSERT INTO %s SELECT c0";
  sqlite3_stmt *statement;
  size_t n = strlen(sql);
  for (size_t i = 1; i < columns; i++) n += (size_t)snprintf(sql + n, sizeof sql - n, ",c%zu", i);
  (void)snprintf(sql + n, sizeof sql - n, " FROM block");
  TRY(prepare(s, t, sql, &statement, e));
  b->rows = hc_alloc(s->store.allocator, HC_STORE_BLOCK * columns * sizeof *b->rows);
  if (!b->rows) return hc_fail(e, HC_ENOMEM, s->store.path, 0, 0, "out of memory for rows of the result");
  b->columns = columns;
  return 0;
}

/* An index would not hear of rows that SQLite does not see. */
static bool goes_in_bulk(const hc_sqlite_store *s, hc_table t)
{
  return !s->inserts && t != HC_TABLE_task_accounts;
}

static hc_rc add_in_bulk(hc_sqlite_store *s, hc_table t, const int64_t *rows, size_t count, hc_error *e)
{
  TRY(ensure_table(s, t, e));
  const hc_rc rc = hc_bulk_add(&s->bulk, t, rows, hc_table_at(t)->columns, count);
  return rc < 0 ? bulk_failed(s, rc, e) : 0;
}

/* Rows are copied once, so that a caller with few of them pays no statement for each. */
static hc_rc add_rows(hc_sqlite_store *s, hc_table t, const int64_t *rows, size_t count, hc_error *e)
{
  hc_row_block *b = &s->waiting[t];
  if (goes_in_bulk(s, t)) return add_in_bulk(s, t, rows, count, e);
  if (!b->rows) TRY(begin_rows(s, t, e));
  while (count > 0) {
    const size_t room = HC_STORE_BLOCK - b->count, n = HC_MIN(room, count);
    memcpy(b->rows + b->count * b->columns, rows, n * b->columns * sizeof *rows);
    b->count += n;
    rows += n * b->columns;
    count -= n;
    if (b->count == HC_STORE_BLOCK) TRY(flush_rows(s, t, e));
  }
  return 0;
}

typedef struct insertion {
  hc_sqlite_store *store;
  hc_error *e;
} insertion;

static hc_rc insert_row(void *ctx, hc_table t, const int64_t *row)
{
  const insertion *x = ctx;
  return add_rows(x->store, t, row, 1, x->e);
}

/* What waits as pages. */
static hc_rc insert_bulk(hc_sqlite_store *s, hc_error *e)
{
  insertion x = {s, e};
  if (s->inserts) return 0;
  s->inserts = true;
  for (int t = 0; t < HC_TABLE_COUNT; t++) {
    const hc_rc rc = hc_bulk_walk(&s->bulk, (hc_table)t, insert_row, &x);
    if (rc < 0) return bulk_failed(s, rc, e);
  }
  hc_bulk_fini(&s->bulk);
  return 0;
}

hc_rc hc_sqlite_store_flush(hc_sqlite_store *s, hc_error *e)
{
  if (!s->db) return 0;
  TRY(insert_bulk(s, e));
  return flush_all(s, e);
}

_Static_assert(sizeof(hc_task_record) == HC_TASK_COLUMNS * sizeof(int64_t), "a record is sixteen integers");
_Static_assert(offsetof(hc_task_record, flags) == 15 * sizeof(int64_t), "in the order of the columns");

static hc_rc add_tasks(hc_store *store, const hc_task_record *records, size_t count, hc_error *e)
{
  return add_rows((hc_sqlite_store *)store, HC_TABLE_tasks, (const int64_t *)(const void *)records, count, e);
}

static hc_rc add_numbers(hc_store *store, hc_table t, const int64_t *values, hc_error *e)
{
  return add_rows((hc_sqlite_store *)store, t, values, 1, e);
}

/* Text is bound as text; the column's type turns a whole number into one. The values live until the step. */
static hc_rc add_row(hc_store *store, hc_table t, const char *const *values, hc_error *e)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  sqlite3_stmt *statement = NULL;
  TRY(prepare(s, t, "INSERT INTO %s VALUES(%s)", &statement, e));
  for (size_t i = 0; i < hc_table_at(t)->columns; i++) {
    int rc = values[i] ? sqlite3_bind_text(statement, (int)i + 1, values[i], -1, SQLITE_STATIC)
                       : sqlite3_bind_null(statement, (int)i + 1);
    if (rc != SQLITE_OK) return write_failed(s, rc, e);
  }
  return step(s, statement, e);
}

static hc_rc add_name(hc_store *store, hc_table t, int64_t number, const char *first, const char *second,
                      hc_error *e)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  sqlite3_stmt *statement = NULL;
  if (t == HC_TABLE_task_names) return add_named(s, number, first, second, e);
  TRY(prepare(s, t, "INSERT INTO %s VALUES(%s)", &statement, e));
  (void)sqlite3_bind_int64(statement, 1, number);
  bind_text(statement, 2, first);
  bind_text(statement, 3, second);
  return step(s, statement, e);
}

static hc_rc add_figure(hc_store *store, const char *scope, const char *name, const char *unit, double value,
                        bool is_count, hc_error *e)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  sqlite3_stmt *statement = NULL;
  TRY(prepare(s, HC_TABLE_summary, "INSERT INTO %s VALUES(%s)", &statement, e));
  bind_text(statement, 1, scope);
  bind_text(statement, 2, name);
  bind_text(statement, 3, unit);
  if (is_count) (void)sqlite3_bind_int64(statement, 4, (sqlite3_int64)value);
  else (void)sqlite3_bind_double(statement, 4, value); /* SQLite keeps NaN as NULL */
  return step(s, statement, e);
}

static hc_rc add_cell(hc_store *store, const char *scope, const char *table, int64_t key, const char *name,
                      const char *unit, double value, hc_error *e)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  sqlite3_stmt *statement = NULL;
  TRY(prepare(s, HC_TABLE_cells, "INSERT INTO %s VALUES(%s)", &statement, e));
  bind_text(statement, 1, scope);
  bind_text(statement, 2, table);
  (void)sqlite3_bind_int64(statement, 3, key);
  bind_text(statement, 4, name);
  bind_text(statement, 5, unit);
  (void)sqlite3_bind_double(statement, 6, value);
  return step(s, statement, e);
}

static hc_rc clear(hc_store *store, hc_table t)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  char sql[64];
  s->waiting[t].count = 0;
  if (t == HC_TABLE_task_names) hc_name_block_clear(&s->named);
  if (hc_table_is_rare(t) && !s->is_made[t]) return 0;
  if (!s->inserts && !hc_bulk_clear(&s->bulk, t)) TRY(hc_sqlite_store_flush(s, NULL));
  (void)snprintf(sql, sizeof sql, "DELETE FROM %s",
                 t == HC_TABLE_task_names ? HC_NAME_BLOCKS : hc_table_at(t)->name);
  return execute(s, sql, NULL);
}

/* Committed under a name it is a file like any other. */
static hc_rc read_store(hc_store *store, hc_result **out, hc_error *e)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  return s->db ? hc_sqlite_result_of(s, out, e)
               : hc_sqlite_result_open(store->allocator, store->path, out, e);
}

/* ---- when all is there ---- */

/* The root of each table that waits as pages. */
static hc_rc find_roots(hc_sqlite_store *s, int64_t roots[HC_TABLE_COUNT], hc_error *e)
{
  sqlite3_stmt *statement = NULL;
  int rc = sqlite3_prepare_v2(s->db, "SELECT name, rootpage FROM sqlite_master WHERE type='table'", -1,
                              &statement, NULL);
  while (rc == SQLITE_OK || rc == SQLITE_ROW) {
    rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW) break;
    const hc_table t = hc_table_find((const char *)sqlite3_column_text(statement, 0));
    if (t != HC_TABLE_COUNT) roots[t] = sqlite3_column_int64(statement, 1);
  }
  (void)sqlite3_finalize(statement);
  return rc == SQLITE_DONE ? 0 : write_failed(s, rc, e);
}

static hc_rc commit(hc_store *store, hc_error *e)
{
  hc_sqlite_store *s = (hc_sqlite_store *)store;
  int64_t roots[HC_TABLE_COUNT] = {0};
  int rc;
  TRY(flush_all(s, e));
  TRY(create_views(s, e));
  TRY(find_roots(s, roots, e));
  TRY(execute(s, "COMMIT", e));
  store->is_committed = true;
  if (!store->path) return 0;
  rc = close_database(s);
  if (rc != SQLITE_OK) return hc_sql_fail(NULL, rc, store->path, "close the result", e);
  const hc_rc put = s->inserts ? 0 : hc_bulk_finish(&s->bulk, s->partial.fd, roots);
  if (put < 0) return bulk_failed(s, put, e);
  TRY(hc_partial_commit(&s->partial, store->path, e));
  (void)sync_directory(s); /* without it the file is whole all the same */
  return 0;
}

/* ---- opening it ---- */

hc_rc hc_sqlite_store_new(const hc_allocator *a, const char *path, bool replace, hc_store **out, hc_error *e)
{
  static const hc_store_type type = {.tasks = add_tasks,
                                     .numbers = add_numbers,
                                     .row = add_row,
                                     .name = add_name,
                                     .figure = add_figure,
                                     .cell = add_cell,
                                     .clear = clear,
                                     .commit = commit,
                                     .read = read_store,
                                     .free = free_store};
  hc_sqlite_store *s = hc_alloc(a, sizeof *s);
  hc_rc rc = HC_ENOMEM;
  if (!s) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory while opening the result");
  s->store = (hc_store){.type = &type, .allocator = a};
  hc_buffer_init(&s->named.texts, a);
  hc_bulk_init(&s->bulk, a, NULL);
  if (path) {
    s->path_size = strlen(path) + 1;
    s->store.path = copy_text(a, path, s->path_size - 1);
    s->bulk.beside = s->store.path;
  }
  if (path && !s->store.path) {
    (void)hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory while opening the result");
    goto failed;
  }
  if (path) {
    TRY_OR(refuse_target(s, replace, e), failed);
    TRY_OR(hc_target_directory(a, path, &s->made_directory, e), failed);
    TRY_OR(hc_partial_open(a, path, &s->partial, e), failed);
  }
  s->inserts = !path;
  TRY_OR(open_database(s, e), failed);
  *out = &s->store;
  return 0;
failed:
  free_store(&s->store);
  return rc;
}
