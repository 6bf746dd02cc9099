/* block.c -- rows of whole numbers as a virtual table, from which one INSERT ... SELECT fills a table.
 *
 * A row by bind and step costs a call a column, a reset and a step; here SQLite's own loop asks for the
 * columns, and the statement is stepped once a block. bench/bench_store.c has both. A row lies in a block in
 * the order of the columns, so a column is an index; a task record is such a row. The table exists on the
 * store's connection only: it is eponymous, read-only, and never in the file's schema. */
#include <string.h>

#include "base/util.h"
#include "output/sqlite.h"

typedef struct block_table {
  sqlite3_vtab base;
  hc_sqlite_store *store;
} block_table;

typedef struct block_cursor {
  sqlite3_vtab_cursor base;
  const int64_t *at, *end;
  size_t columns;
} block_cursor;

static int block_connect(sqlite3 *db, void *store, int argc, const char *const *argv, sqlite3_vtab **out,
                         char **error)
{
  block_table *t;
  int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15)");
  HC_UNUSED(argc);
  HC_UNUSED(argv);
  HC_UNUSED(error);
  if (rc != SQLITE_OK) return rc;
  t = sqlite3_malloc(sizeof *t); /* SQLite frees nothing of ours and zeroes the base itself */
  if (!t) return SQLITE_NOMEM;
  memset(t, 0, sizeof *t);
  t->store = store;
  *out = &t->base;
  return SQLITE_OK;
}

static int block_disconnect(sqlite3_vtab *t)
{
  sqlite3_free(t);
  return SQLITE_OK;
}

static int block_best_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
  HC_UNUSED(t);
  info->estimatedCost = 1.0;
  return SQLITE_OK;
}

static int block_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
  block_cursor *c = sqlite3_malloc(sizeof *c);
  HC_UNUSED(t);
  if (!c) return SQLITE_NOMEM;
  memset(c, 0, sizeof *c);
  *out = &c->base;
  return SQLITE_OK;
}

static int block_close(sqlite3_vtab_cursor *c)
{
  sqlite3_free(c);
  return SQLITE_OK;
}

static int block_filter(sqlite3_vtab_cursor *cursor, int index, const char *name, int argc,
                        sqlite3_value **argv)
{
  block_cursor *c = (block_cursor *)cursor;
  const hc_sqlite_store *s = ((block_table *)cursor->pVtab)->store;
  HC_UNUSED(index);
  HC_UNUSED(name);
  HC_UNUSED(argc);
  HC_UNUSED(argv);
  c->at = s->shown.rows;
  c->end = c->at + s->shown.count * s->shown.columns;
  c->columns = s->shown.columns;
  return SQLITE_OK;
}

static int block_next(sqlite3_vtab_cursor *c)
{
  ((block_cursor *)c)->at += ((block_cursor *)c)->columns;
  return SQLITE_OK;
}

static int block_eof(sqlite3_vtab_cursor *c)
{
  return ((block_cursor *)c)->at >= ((block_cursor *)c)->end;
}

/* A column without a result is NULL. */
static int block_column(sqlite3_vtab_cursor *c, sqlite3_context *context, int column)
{
  int64_t value = ((block_cursor *)c)->at[column];
  if (value != HC_UNKNOWN) sqlite3_result_int64(context, value);
  return SQLITE_OK;
}

static int block_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
  const block_cursor *at = (const block_cursor *)c;
  *out = (at->end - at->at) / (int64_t)at->columns;
  return SQLITE_OK;
}

hc_rc hc_block_register(hc_sqlite_store *s)
{
  static const sqlite3_module module = {
      .xConnect = block_connect,
      .xBestIndex = block_best_index,
      .xDisconnect = block_disconnect,
      .xOpen = block_open,
      .xClose = block_close,
      .xFilter = block_filter,
      .xNext = block_next,
      .xEof = block_eof,
      .xColumn = block_column,
      .xRowid = block_rowid,
  };
  return sqlite3_create_module_v2(s->db, "block", &module, s, NULL) == SQLITE_OK ? 0 : HC_ENOMEM;
}
