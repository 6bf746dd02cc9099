/* sqlite.h -- what the files that know SQLite share. */
#ifndef HC_OUTPUT_SQLITE_H
#define HC_OUTPUT_SQLITE_H

#include <sqlite3.h>

#include "output/store.h"

#define HC_STORE_APPLICATION \
  0x48436273               /* "HCbs": in the file's header, so that another database is not taken for ours */
#define HC_STORE_BLOCK 512 /* task rows gathered before SQLite sees them: 64 KiB */
#define HC_STORE_NAMES 64  /* names of tasks, in the same way */

typedef struct hc_sqlite_store {
  hc_store store;
  sqlite3 *db; /* NULL once a named store is committed */
  size_t path_size;
  bool made_directory;
  hc_partial partial;
  hc_task_record *waiting; /* [HC_STORE_BLOCK] rows that SQLite has not seen */
  size_t waiting_count;
  const hc_task_record *block; /* what the virtual table shows */
  size_t block_count;
  sqlite3_stmt *insert[HC_TABLE_COUNT]; /* made when first used */
  struct {
    int64_t serial;
    size_t at[2];          /* behind which its texts lie in `text`, plus one; 0: there is none */
  } named[HC_STORE_NAMES]; /* [named_count] names of tasks that SQLite has not seen */
  size_t named_count;
  hc_buffer text;
  sqlite3_stmt *insert_named; /* so many at once */
} hc_sqlite_store;

/** Make the virtual table `block` known to a connection: it shows the store's current block as task rows. */
hc_rc hc_block_register(hc_sqlite_store *s);

/** Give SQLite the task rows that wait. */
hc_rc hc_sqlite_store_flush(hc_sqlite_store *s, hc_error *e);

/** Read what a store holds that is not yet committed. @return as hc_result_of_store. */
hc_rc hc_sqlite_result_of(hc_sqlite_store *s, hc_result **out, hc_error *e);

/** An SQLite failure as ours: memory, space, permission, damage, each with what to do.
 *  @param where the file; @param doing "write the result" */
hc_rc hc_sql_fail(sqlite3 *db, int sql, const char *where, const char *doing, hc_error *e);

/** Whether a file is a database of this application, by its header. */
bool hc_sql_is(const char *path, uint32_t application);

#endif
