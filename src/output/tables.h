/* tables.h -- the tables of a result: their names, their columns, and which count in the digest when.
 *
 * The list is the only place where a table is named. A store keeps rows of it, in the order in which they
 * were handed over; what form it keeps them in is its own affair (sqlite_store.c, memory.c). */
#ifndef HC_OUTPUT_TABLES_H
#define HC_OUTPUT_TABLES_H

#include "hindcast/output.h"

#define HC_TASK_COLUMNS 16
#define HC_REJECTED_ROWS 1000 /* rows of `rejected`; what comes later goes to the side file only */

/* What is known of the rows of a table:
 *   NUMBERS  they are whole numbers alone: what hc_store_numbers takes, `tasks` and `placements`
 *   EARLY    a run writes them on its way, so that they are part of a run that is saved; others are
 *            written as it begins or ends
 *   RARE     the table exists only where there are rows: advance reservations; a closed world; its logs;
 *            policies that suspend tasks; predictors; conflicts that are told one by one; tasks that
 *            change; hosts that plans switch, or that failed unseen; tasks with a time before which they
 *            do not start; priorities under a rule that stops tasks by them; logs that measured tasks;
 *            tasks of which the log says that they did not end well; tasks that still run when the run
 *            ends; more than eight dimensions, or more than 32 GPUs on a host; sources that have names;
 *            partitions that are bound to sets of hosts; tasks that name reservations, or several
 *            partitions, under a policy that looks at them */
enum { HC_ROWS_NUMBERS = 1, HC_ROWS_EARLY = 2, HC_ROWS_RARE = 4 };

/* Every table, in the order of the canonical dump. Columns as SQL; an untyped column keeps the type it is
 * given. X(name, number of columns, columns, what is known of its rows) */
#define HC_TABLES(X) \
  X(hindcast, 2, "key TEXT, value TEXT", 0) \
  X(configuration, 5, "path TEXT, value TEXT, origin TEXT, \"default\" TEXT, names TEXT", 0) \
  X(inputs, 3, "path TEXT, bytes INTEGER, checksum TEXT", 0) \
  X(rows, 2, "reason TEXT, count INTEGER", 0) \
  X(finals, 2, "state TEXT, count INTEGER", 0) \
  X(tasks, 16, \
    "serial, id, submit, start, \"end\", units, lim, estimate, run, user, grp, executable, queue, " \
    "partition, final, flags", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(placements, 3, "serial INTEGER, first INTEGER, count INTEGER", HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(hosts, 12, "host INTEGER, name TEXT, class TEXT, devices INTEGER, d0, d1, d2, d3, d4, d5, d6, d7", 0) \
  X(host_changes, 11, "at, host, change, d0, d1, d2, d3, d4, d5, d6, d7", HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(power, 3, "at, host, state", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(silent_failures, 2, "at, host", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(demands, 13, "serial, job, slots, form, attempts, d0, d1, d2, d3, d4, d5, d6, d7", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(grants, 12, "serial, host, slots, devices, d0, d1, d2, d3, d4, d5, d6, d7", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(jobs, 16, \
    "job, workload, scheduler, submit, tasks, duration, attempts, task_attempts, wait_first, wait_full, useful, " \
    "wasted, unscheduled, first_start, full, given_up", \
    HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(logs, 2, "log TEXT, text TEXT", HC_ROWS_RARE) \
  X(attempts, 4, "serial, attempt, start, \"end\"", HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(stops, 7, "serial, times, start, \"end\", how, saved, restart", HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(stop_grants, 13, "serial, times, host, slots, devices, d0, d1, d2, d3, d4, d5, d6, d7", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY) \
  X(corrections, 3, "serial, at, estimate", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(rates, 4, "serial, at, rate, holds", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(regrants, 14, "serial, at, resize, units, host, slots, d0, d1, d2, d3, d4, d5, d6, d7", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(regrant_devices, 6, "serial, at, resize, host, devices, further_devices", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(resize_rates, 5, "serial, at, resize, rate, pause", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(molds, 6, "serial, start, asked, size, asked_estimate, estimate", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(not_before, 2, "serial, at", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(components, 2, "serial, job", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(recorded, 2, "serial, state", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(measured, 6, "serial, held, cpu_time, memory_asked, memory_used, ending", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(priorities, 2, "serial, priority", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(several_partitions, 2, "serial, partition", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(reserved_by, 2, "serial, reservation", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(resizes, 11, "serial, at, host, d0, d1, d2, d3, d4, d5, d6, d7", \
    HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(open_demands, 13, "serial, job, slots, form, attempts, d0, d1, d2, d3, d4, d5, d6, d7", \
    HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(open_grants, 12, "serial, host, slots, devices, d0, d1, d2, d3, d4, d5, d6, d7", \
    HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(further, 4, "tab, row, col, value", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(reservations, 6, "reservation, start, \"end\", units, first, count", HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(announcements, 6, "kind, start, \"end\", announced, first, count", HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(reservation_users, 3, "reservation, user, grp", HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(reservation_notices, 2, "reservation, at", HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(overruns, 4, "reservation, at, serial, units", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(conflicts, 13, \
    "at INTEGER, attempt INTEGER, scheduler INTEGER, name TEXT, action TEXT, serial INTEGER, id INTEGER, " \
    "host INTEGER, reason TEXT, against INTEGER, against_name TEXT, against_serial INTEGER, against_id INTEGER", \
    HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(names, 3, "number INTEGER, kind TEXT, name TEXT", HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(task_names, 3, "serial INTEGER, id TEXT, job TEXT", HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(task_accounts, 3, "serial, account, qos", HC_ROWS_NUMBERS | HC_ROWS_EARLY | HC_ROWS_RARE) \
  X(host_sets, 3, "number, first, count", HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(curves, 5, "at, busy, capacity, waiting, running", HC_ROWS_NUMBERS | HC_ROWS_RARE) \
  X(summary, 4, "scope TEXT, name TEXT, unit TEXT, value", 0) \
  X(cells, 6, "scope TEXT, tab TEXT, key INTEGER, name TEXT, unit TEXT, value", 0) \
  X(rejected, 4, "file TEXT, line INTEGER, reason TEXT, text TEXT", 0) \
  X(run_info, 2, "key TEXT, value TEXT", 0)

typedef enum hc_table {
#define X(name, columns, sql, rows) HC_TABLE_##name,
  HC_TABLES(X)
#undef X
      HC_TABLE_COUNT
} hc_table;

typedef struct hc_table_spec {
  const char *name;
  size_t columns;
  const char *sql;
  unsigned rows; /* of HC_ROWS_ */
} hc_table_spec;

#define X(name, columns, sql, rows) +(((rows)&HC_ROWS_RARE) != 0)
enum { HC_RARE_TABLES = 0 HC_TABLES(X) };
#undef X

/** One table of the list, and the number of a table by its name; HC_TABLE_COUNT if there is none. */
const hc_table_spec *hc_table_at(hc_table t);
hc_table hc_table_find(const char *name);

/** The columns before the amounts d0 ... d7 that end it; 0: it has none. Amounts that such a row has
 *  beyond them, and devices beyond those of its column, are rows of `further`: which table (its code),
 *  which row from 0, which amount from 0, and how much. Amount HC_DIMENSIONS + i are the (32 + 32 i)-th
 *  device and those after it. What is nought has no row. */
size_t hc_table_base(hc_table t);
int64_t hc_table_code(hc_table t); /* 0: it has no amounts */
enum {
  HC_TABLE_AMOUNTS = 8,
  HC_MOST_AMOUNTS = HC_DIMENSIONS + HC_DEVICES / 32 - 1,
  HC_MOST_COLUMNS = 6 + HC_MOST_AMOUNTS
};

/** How many columns a row of it has at least: those that were appended to it later may be left out, which
 *  is NULL. So has a file that was written before. */
size_t hc_table_least(hc_table t);

static inline bool hc_table_is_numbers(hc_table t)
{
  return hc_table_at(t)->rows & HC_ROWS_NUMBERS;
}
static inline bool hc_table_is_early(hc_table t)
{
  return hc_table_at(t)->rows & HC_ROWS_EARLY;
}
static inline bool hc_table_is_rare(hc_table t)
{
  return hc_table_at(t)->rows & HC_ROWS_RARE;
}

/** Whether a text laid into a column is to be kept as the whole number that it spells. */
bool hc_table_is_whole(hc_table t, size_t column);

#endif
