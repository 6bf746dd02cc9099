/* sqlite.h -- what the files that know SQLite share. */
#ifndef HC_OUTPUT_SQLITE_H
#define HC_OUTPUT_SQLITE_H

#include <sqlite3.h>

#include "output/bulk.h"
#include "output/store.h"

#define HC_STORE_APPLICATION \
  0x48436273               /* "HCbs": in the file's header, so that another database is not taken for ours */
#define HC_STORE_BLOCK 512 /* rows of a table gathered before SQLite sees them: 64 KiB of tasks */
#define HC_STORE_NAMES 256 /* serials whose names are one row, at most */

/* Names of tasks: rows of `task_names`, which lie in a file as rows of blocks (name_block.c). */
typedef struct hc_name_place {
  uint32_t start, id, job;
} hc_name_place;

typedef struct hc_name_block {
  int64_t first, next;   /* serials: of its first name, and the least that may come next */
  uint64_t before;       /* names in the blocks before it */
  uint32_t slots, names; /* serials from `first` on, and those of them that have a row */
  hc_name_place places[HC_STORE_NAMES];
  hc_buffer texts;
} hc_name_block;

#define HC_NAME_BLOCKS "task_name_blocks"
#define HC_NAME_BLOCK_COLUMNS 6
#define HC_NAME_BLOCK_SQL \
  "first INTEGER PRIMARY KEY, before INTEGER, names INTEGER, width INTEGER, places BLOB, texts BLOB"

/** Whether a name of a serial that is `next` at least belongs into a block that has names. */
bool hc_name_block_fits(const hc_name_block *b, int64_t serial);
/** Add a row. @return 0, HC_ENOMEM, HC_ELIMIT (a text of 256 MiB). */
hc_rc hc_name_block_add(hc_name_block *b, int64_t serial, const char *id, const char *job);
/** Insert it, and begin the next. @param insert  with a place for each column. @return as sqlite3_step */
int hc_name_block_store(hc_name_block *b, sqlite3_stmt *insert);
/** As if there never was a name. */
void hc_name_block_clear(hc_name_block *b);
/** The next row of `task_names` in a row of blocks that a statement stands on.
 *  @param at in and out: serials of it that were looked at; @param row [3] borrowed until the statement's
 *  next step. @return 1 with a row, 0 at its end, HC_EINPUT (it is damaged). */
hc_rc hc_name_block_read(sqlite3_stmt *block, size_t *at, hc_field *row);

/** SQL of the n-th serial of a block: what its task (k is 1) or its job (2) is called. */
void hc_name_block_text(hc_buffer *sql, const char *n, int k);
/** SQL of the view `task_names`, which shows blocks as rows. */
void hc_name_block_view(hc_buffer *sql);

/* Rows of whole numbers that SQLite has not seen, row by row. */
typedef struct hc_row_block {
  int64_t *rows; /* [HC_STORE_BLOCK][columns]; NULL before the table's first row */
  size_t count, columns;
} hc_row_block;

typedef struct hc_sqlite_store {
  hc_store store;
  sqlite3 *db; /* NULL once a named store is committed */
  size_t path_size;
  bool made_directory;
  hc_partial partial;
  bool is_made[HC_TABLE_COUNT]; /* of tables that exist only where there are rows */
  bool inserts;                 /* rows of numbers, too: they have been read, or there is no file */
  hc_bulk bulk;                 /* rows of numbers until then */
  hc_row_block waiting[HC_TABLE_COUNT];
  hc_row_block shown;                   /* by the virtual table; its rows are borrowed */
  sqlite3_stmt *insert[HC_TABLE_COUNT]; /* made when first used */
  hc_name_block named;                  /* that SQLite has not seen */
} hc_sqlite_store;

/** Make the virtual table `block` known to a connection: the rows of `shown`, with columns c0, c1 ... */
hc_rc hc_block_register(hc_sqlite_store *s);

/** Give SQLite all rows and names that it has not seen; rows that come later are inserted.
 *  Cost: 0.4 us a row. */
hc_rc hc_sqlite_store_flush(hc_sqlite_store *s, hc_error *e);

/** Read what a store holds that is not yet committed. @return as hc_result_of_store. */
hc_rc hc_sqlite_result_of(hc_sqlite_store *s, hc_result **out, hc_error *e);

/** An SQLite failure as ours: memory, space, permission, damage, each with what to do.
 *  @param where the file; @param doing "write the result" */
hc_rc hc_sql_fail(sqlite3 *db, int sql, const char *where, const char *doing, hc_error *e);

/** Whether a file is a database of this application, by its header. */
bool hc_sql_is(const char *path, uint32_t application);

#endif
