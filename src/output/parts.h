/* parts.h -- what the files of this room share: the list of tables, the store itself, and the reader's ways
 * in. */
#ifndef HC_OUTPUT_PARTS_H
#define HC_OUTPUT_PARTS_H

#include <sqlite3.h>

#include "base/mem.h"
#include "hindcast/output.h"

#define HC_STORE_APPLICATION \
  0x48436273 /* "HCbs": in the file's header, so that another database is not taken for ours */
#define HC_TASK_COLUMNS 16
#define HC_STORE_BLOCK 512    /* task rows gathered before SQLite sees them: 64 KiB */
#define HC_REJECTED_ROWS 1000 /* rows of `rejected`; what comes later goes to the side file only */

/* These exist only where a run wrote rows to them: advance reservations; a closed world; policies that
 * suspend tasks; tasks that change; tasks with a time before which they do not start; tasks that still run
 * when the run ends. */
#define HC_RARE(X) \
  X(reservations) \
  X(reservation_users) X(overruns) X(jobs) X(rates) X(resizes) X(not_before) X(open_demands) X(open_grants)

/* Every table, in the order of the canonical dump. Columns as SQL; an untyped column keeps the type it is
 * given. X(name, number of columns, columns, places for the values) */
#define HC_TABLES(X) \
  X(hindcast, 2, "key TEXT, value TEXT", "?,?") \
  X(configuration, 3, "path TEXT, value TEXT, origin TEXT", "?,?,?") \
  X(inputs, 3, "path TEXT, bytes INTEGER, checksum TEXT", "?,?,?") \
  X(rows, 2, "reason TEXT, count INTEGER", "?,?") \
  X(finals, 2, "state TEXT, count INTEGER", "?,?") \
  X(tasks, 16, \
    "serial, id, submit, start, \"end\", units, lim, estimate, run, user, grp, executable, queue, " \
    "partition, final, flags", \
    "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?") \
  X(placements, 3, "serial INTEGER, first INTEGER, count INTEGER", "?,?,?") \
  X(hosts, 12, "host INTEGER, name TEXT, class TEXT, devices INTEGER, d0, d1, d2, d3, d4, d5, d6, d7", \
    "?,?,?,?,?,?,?,?,?,?,?,?") \
  X(host_changes, 11, "at, host, change, d0, d1, d2, d3, d4, d5, d6, d7", "?,?,?,?,?,?,?,?,?,?,?") \
  X(demands, 13, "serial, job, slots, form, attempts, d0, d1, d2, d3, d4, d5, d6, d7", \
    "?,?,?,?,?,?,?,?,?,?,?,?,?") \
  X(grants, 12, "serial, host, slots, devices, d0, d1, d2, d3, d4, d5, d6, d7", "?,?,?,?,?,?,?,?,?,?,?,?") \
  X(jobs, 16, \
    "job, workload, scheduler, submit, tasks, duration, attempts, task_attempts, wait_first, wait_full, useful, " \
    "wasted, unscheduled, first_start, full, given_up", \
    "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?") \
  X(attempts, 4, "serial, attempt, start, \"end\"", "?,?,?,?") \
  X(stops, 7, "serial, times, start, \"end\", how, saved, restart", "?,?,?,?,?,?,?") \
  X(stop_grants, 13, "serial, times, host, slots, devices, d0, d1, d2, d3, d4, d5, d6, d7", \
    "?,?,?,?,?,?,?,?,?,?,?,?,?") \
  X(rates, 4, "serial, at, rate, holds", "?,?,?,?") \
  X(not_before, 2, "serial, at", "?,?") \
  X(resizes, 11, "serial, at, host, d0, d1, d2, d3, d4, d5, d6, d7", "?,?,?,?,?,?,?,?,?,?,?") \
  X(open_demands, 13, "serial, job, slots, form, attempts, d0, d1, d2, d3, d4, d5, d6, d7", \
    "?,?,?,?,?,?,?,?,?,?,?,?,?") \
  X(open_grants, 12, "serial, host, slots, devices, d0, d1, d2, d3, d4, d5, d6, d7", \
    "?,?,?,?,?,?,?,?,?,?,?,?") \
  X(reservations, 6, "reservation, start, \"end\", units, first, count", "?,?,?,?,?,?") \
  X(reservation_users, 3, "reservation, user, grp", "?,?,?") \
  X(overruns, 4, "reservation, at, serial, units", "?,?,?,?") \
  X(summary, 4, "scope TEXT, name TEXT, unit TEXT, value", "?,?,?,?") \
  X(cells, 6, "scope TEXT, tab TEXT, key INTEGER, name TEXT, unit TEXT, value", "?,?,?,?,?,?") \
  X(rejected, 4, "file TEXT, line INTEGER, reason TEXT, text TEXT", "?,?,?,?") \
  X(run_info, 2, "key TEXT, value TEXT", "?,?")

typedef enum hc_table {
#define X(name, columns, sql, places) HC_TABLE_##name,
  HC_TABLES(X)
#undef X
      HC_TABLE_COUNT
} hc_table;

typedef struct hc_table_spec {
  const char *name;
  size_t columns;
  const char *sql, *places;
} hc_table_spec;

static inline bool hc_table_is_rare(hc_table t)
{
#define X(name) || t == HC_TABLE_##name
  return false HC_RARE(X);
#undef X
}
#define X(name) +1
enum { HC_RARE_TABLES = 0 HC_RARE(X) };
#undef X

/** One table of the list, and the number of a table by its name; HC_TABLE_COUNT if there is none. */
const hc_table_spec *hc_table_at(hc_table t);
hc_table hc_table_find(const char *name);

struct hc_store {
  const hc_allocator *allocator;
  sqlite3 *db; /* NULL once a named store is committed */
  char *path;  /* NULL in memory */
  size_t path_size;
  bool made_directory;
  hc_partial partial;
  hc_task_record *waiting; /* [HC_STORE_BLOCK] rows that SQLite has not seen */
  size_t waiting_count;
  const hc_task_record *block; /* what the virtual table shows */
  size_t block_count;
  uint64_t rejected;
  sqlite3_stmt *insert[HC_TABLE_COUNT]; /* made when first used */
};

/** Make the virtual table `block` known to a connection: it shows the store's current block as task rows. */
hc_rc hc_block_register(hc_store *s);

/** Give SQLite the task rows that wait. */
hc_rc hc_store_flush(hc_store *s, hc_error *e);

/** An SQLite failure as ours: memory, space, permission, damage, each with what to do.
 *  @param where the file; @param doing "write the result" */
hc_rc hc_sql_fail(sqlite3 *db, int sql, const char *where, const char *doing, hc_error *e);

/** One row of a cursor over `tasks`, in the order of the columns. */
void hc_task_of_row(sqlite3_stmt *row, hc_task_record *t);

/** Task rows by (submit, serial) instead of stored order; otherwise as hc_result_tasks. SQLite sorts, through
 *  a temporary file if need be. */
hc_rc hc_result_tasks_sorted(hc_result *r, bool rewind, hc_task_record *records, size_t cap, size_t *count,
                             hc_error *e);

/** A row of the table `hindcast` ("processors", "unix_start" ...) as a number, or `fallback`. */
int64_t hc_result_fact(hc_result *r, const char *key, int64_t fallback);

#endif
