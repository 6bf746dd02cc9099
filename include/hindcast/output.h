/** @file output.h
 *  Where results go: the store (one SQLite database a run, or memory), its reader, and the exporters.
 *
 *  Tables of the store, schema version 4. Times are ns from the run's origin.
 *    hindcast(key, value)                    schema version, kind "run"
 *    configuration(path, value, origin, default, names)  every key of the run as resolved, which layer set
 *                                            it, what it is by default (NULL: it has no default), and "file"
 *                                            where the value names files to be read (else NULL)
 *    inputs(path, bytes, checksum)           what was read, data and shared objects
 *    rows(reason, count)                     the row ledger: read, used, merged, rejected by reason
 *    finals(state, count)                    the task ledger
 *    tasks(serial, id, submit, start, end, units, lim, estimate, run, user, grp, executable, queue,
 *          partition, final, flags)          one row a task, in the order in which they came to their final
 *                                            state
 *    recorded(serial, state)                 hc_recorded of tasks whose log says that they did not end well:
 *                                            outside the digest, as are their counts in hindcast,
 *                                            "recorded_timeout"
 *    measured(serial, held, cpu_time, memory_asked, memory_used, ending)  what the log measured:
 *                                            of analyze alone, outside the digest; hc_measured
 *    placements(serial, first, count)        the processors that each task had, where they have names: a row
 *                                            a range
 *    names(number, kind, name)               what users, groups, executables, queues, partitions, accounts
 *                                            and QOS are called that tasks have, as they were first met; only
 *                                            where the source has names
 *    task_names(serial, id, job)             what tasks and jobs are called whose numbers do not say it; in
 *                                            a file a view of task_name_blocks, some hundred a row
 *    summary(scope, name, unit, value)       scope "all" or "trimmed"
 *    cells(scope, tab, key, name, unit, value)  per-user, per-day ... tables, and time series
 *    logs(log, text)                         of a closed world: lines as the simulator that it repeats writes
 *                                            them, some hundreds a row. The table exists only if it has rows
 *    rejected(file, line, reason, text)      at most 1000 rows; the whole list on request goes to a side file
 *    run_info(key, value)                    versions, paths, wall time, memory: outside the digest
 *  Views: task (seconds, wait, response, slowdown, bounded slowdown, words of states, dates, names), cell
 *  (cells with the names of their keys). What is not known is NULL in them. */
#ifndef HINDCAST_OUTPUT_H
#define HINDCAST_OUTPUT_H

#include "hindcast/component.h"
#include "hindcast/lexicon.h"
#include "hindcast/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 2: hosts, their changes, what tasks ask of them and get. 3: what keys are by default, and a digest
   without keys that are so and tables without rows. 4: which keys name files, and a digest without them. */
#define HC_STORE_VERSION 4

#define HC_RECORDED_KEY "recorded_" /* of counts in hindcast: and the word of a state */

typedef struct hc_store hc_store; /* a result being written */

/** Begin a result. It is built under a temporary name beside `path` and takes its final name only at
 *  hc_store_commit, so that a failed run leaves nothing. It takes the place of an earlier result or an empty
 *  file, of no other. @param path  borrowed for the call. NULL: in memory, never named, by the allocator
 *  alone: 128 bytes a task row, with the digest that a file would have. A core has no other. @return 0,
 *  HC_EIO with the reason and a remedy, HC_EUSAGE (there is another file already), HC_ENOMEM, HC_EUNSUPPORTED
 *  (a path, in a core). */
HC_API hc_rc hc_store_new(const hc_allocator *a, const char *path, hc_store **out, hc_error *e);
/** The same, in the place of whatever regular file is there. @return 0, HC_EIO, HC_ENOMEM. */
HC_API hc_rc hc_store_replace(const hc_allocator *a, const char *path, hc_store **out, hc_error *e);
/** Where it goes; NULL: it stays in memory. */
HC_API const char *hc_store_path(const hc_store *s);
/** Drop it, with its temporary file unless it was committed. */
HC_API void hc_store_free(hc_store *s);
/** Task rows, in the order in which they came to their final state. They are copied. Gathered in blocks: a
 *  row may reach the file later. @return 0, HC_EIO (with the remedy), HC_EUSAGE (after the commit),
 *  HC_ENOMEM. */
HC_API hc_rc hc_store_tasks(hc_store *s, const hc_task_record *records, size_t count, hc_error *e);
/** Which processors a task had, where processors have names. One row a range. @return as hc_store_tasks. */
HC_API hc_rc hc_store_placement(hc_store *s, int64_t serial, const hc_range *ranges, size_t count,
                                hc_error *e);
/** A row of whole numbers of a table about hosts; HC_UNKNOWN is NULL. Amounts d0 ... d7 are by the lexicon's number,
 *  whose names are in `hindcast` as dimension_0 ... A table that ends in them takes up to HC_DIMENSIONS amounts, and
 *  behind all of these the further devices of a grant, 32 a column; what is beyond d7 and not nought goes to the
 *  table `further` (table, row, amount, value), which exists only then. Tables and columns:
 *    hosts         host, name, class, devices, d0 ... d7 (by hc_store_row)
 *    host_changes  at, host, change (hc_host_change), d0 ... d7: what it has from then on
 *    power         at, host, state (hc_power_state): hosts that plans switch off and on; `starting` is a host
 *                  from when it is switched on, also while it still stops. The table exists only if it has
 *                  rows
 *    silent_failures  at, host: hosts that failed, which nothing knew until they went away. The table exists
 *                  only if it has rows
 *    demands       serial, job, slots, form (1 whole hosts, 2 each slot on another), attempts lost, d0 ... d7
 *                  of a slot
 *    grants        serial, host, slots, devices (a bit each), d0 ... d7 held there
 *    attempts      serial, attempt from 1, start, end: attempts that were lost with a host
 *    stops         serial, times from 1 (of a kill: those before it), start, end, how (hc_stop), work saved,
 *                  of the next attempt's run what goes to starting again: attempts that a plan stopped
 *    stop_grants   serial, times, host, slots, devices, d0 ... d7: what such an attempt held, unless it was
 *                  its end
 *    rates         serial, at, rate (of HC_RATE_ONE), holds (0: it gave back all until the next row): plans
 *                  that suspended a task or set its rate, in order of time. The table exists only if it has
 *                  rows
 *    regrants      serial, at, number of the resize (0: as the attempt began), units, host, slots, d0 ... d7:
 *                  what a task held from then on that a plan resized, a row for each grant; of processors
 *                  with names the host is the first of a range, of others there is one row. The table exists
 *                  only if it has rows
 *    regrant_devices  serial, at, number of the resize, host, devices (a bit each; the first 64, and the
 *                  others): the GPUs of a row of `regrants`, where a host's GPUs are told apart, in the order
 *                  of these rows. The table exists only if it has rows
 *    resize_rates  serial, at, number of the resize, the rate from then on (of HC_RATE_ONE), ns for which the
 *                  task did nothing first: resizes of tasks with a law of speed-up, or with a pause. The
 *                  table exists only if it has rows
 *    not_before    serial, at: before when a task may not start, as its trace says, if that is after its
 *                  submission. The table exists only if it has rows
 *    components    serial, job: of a component of a heterogeneous job, under a policy that starts those
 *                  together, the job that it is of, its source in the upper byte. The table exists only if it
 *                  has rows
 *    open_demands, open_grants  as demands and grants, of tasks that still run when the run ends. On a cell
 *                  of named processors a grant's host is the first of a range and its slots are how many.
 *                  Outside the digest. The tables exist only if they have rows
 *    curves        at, busy, capacity, waiting, running: means over pieces of time that cover the run, at
 *                  most 512, each up to the next one, in thousandths of units and of tasks. Outside the
 *                  digest. The table exists only if it has rows; a machine of more than 9 x 10^15 units has
 *                  none
 *    host_sets     number of the set from 0, first host, how many: a row for each range of hosts of a set that
 *                  says which partitions it is. Outside the digest. The table exists only if it has rows
 *    task_accounts  serial, account, qos: of a task whose source has them beside a group and a queue; NULL:
 *                  none. The table exists only if it has rows
 *    jobs          of a closed world: job from 1, workload, scheduler, submit, tasks, duration, attempts,
 *                  task attempts, wait before the first attempt, before all of them, think time useful,
 *                  wasted, tasks left, when the first task started, when the last, whether it was given up.
 *                  The table exists only if it has rows
 *  @return as hc_store_tasks. */
HC_API hc_rc hc_store_numbers(hc_store *s, const char *table, size_t columns, const int64_t *values,
                              hc_error *e);
/** What a number is called: a row of the table `names`. @param kind "user", "group", "executable", "queue",
 *  "partition", "account" or "qos"; @param name ends at its first NUL, and may be no UTF-8.
 *  @return as hc_store_tasks. */
HC_API hc_rc hc_store_name(hc_store *s, const char *kind, int64_t number, const char *name, hc_error *e);
/** What a task and its job are called: a row of the table `task_names`, one a serial, ascending. Either may
 *  be NULL. In a file some hundred names are one row.
 *  @return as hc_store_tasks; from a file HC_EUSAGE for a serial that does not ascend, HC_ELIMIT for a name
 *  of 256 MiB. */
HC_API hc_rc hc_store_task_name(hc_store *s, int64_t serial, const char *id, const char *job, hc_error *e);
/** One row of a small table: `key` and `value` mean what the table's columns say. @param table
 *  "configuration" ...
 *  @return as hc_store_tasks; HC_EUSAGE also for a table that is none of these, or another number of
 *  columns. */
HC_API hc_rc hc_store_row(hc_store *s, const char *table, size_t columns, const char *const *values,
                          hc_error *e);
/** A figure of the summary. @param scope "all" or "trimmed"; @param value NaN is stored as NULL; a count
 *  (`is_count`) as an integer. @return as hc_store_tasks. */
HC_API hc_rc hc_store_figure(hc_store *s, const char *scope, const char *name, const char *unit, double value,
                             bool is_count, hc_error *e);
/** A cell of a table of figures: table "by_user", key 17. @return as hc_store_tasks. */
HC_API hc_rc hc_store_cell(hc_store *s, const char *scope, const char *table, int64_t key, const char *name,
                           const char *unit, double value, hc_error *e);
/** Finish: everything is on disk under the final name, or an error and nothing is. An existing file is
 *  replaced.
 *  @return 0, HC_EIO, HC_EUSAGE (a second time), HC_ENOMEM. */
HC_API hc_rc hc_store_commit(hc_store *s, hc_error *e);
/** The rows of tasks, of placements and about hosts written so far, as bytes, for a snapshot; and back. No
 *  other table: a run writes those when it is finished. O(rows). @return 0, HC_EIO, HC_EINPUT (a damaged
 *  snapshot), HC_ENOMEM. */
HC_API hc_rc hc_store_visit(hc_store *s, hc_visitor *v);

typedef struct hc_result hc_result; /* a result being read */

/** Open a stored result, read-only. @return 0, HC_EIO, HC_EINPUT (not a result), HC_EVERSION, HC_ENOMEM. */
HC_API hc_rc hc_result_open(const hc_allocator *a, const char *path, hc_result **out, hc_error *e);
/** The result that a store holds, before or without committing it; the store must outlive it.
 *  @return 0, HC_EIO, HC_ENOMEM. */
HC_API hc_rc hc_result_of_store(hc_store *s, hc_result **out, hc_error *e);
HC_API void hc_result_free(hc_result *r);
HC_API const char *hc_result_path(const hc_result *r);
/** Whether all that was asked so far could be read: the first failure of a question that answers without one
 *  (hc_result_config, hc_result_figure, hc_result_task_count, hc_result_rows with `e` NULL). To be asked
 *  before anything is made of the answers. @return 0, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM. */
HC_API hc_rc hc_result_check(const hc_result *r, hc_error *e);
/** A configuration value as text; NULL if there is no such key. Borrowed until the result is freed. */
HC_API const char *hc_result_config(hc_result *r, const char *path);
/** How many amounts the tables that end in d7 have: 8, or more if any row has. hc_result_rows takes a table with as
 *  many columns; those from HC_DIMENSIONS on are devices. O(rows of `further`). */
HC_API uint32_t hc_result_amounts(hc_result *r);
/** The devices of a grant, from the column `devices` on.
 *  @param amounts as hc_result_amounts says, and as it was asked for */
HC_API hc_devices hc_result_devices(const char *const *values, uint32_t amounts);
/** Each row of a small table, in order. @param each returns 0 to go on. A value that a row does not have is
 *  NULL; of `cells`, scope, table, key and name never are.
 *  @return 0, HC_EUSAGE (no such table), HC_EIO, HC_EINPUT (a damaged file), or the first thing else
 *  `each` returned. */
HC_API hc_rc hc_result_rows(hc_result *r, const char *table, size_t columns,
                            hc_rc (*each)(void *ctx, const char *const *values), void *ctx, hc_error *e);
/** A figure of the summary; NaN if there is none. */
HC_API double hc_result_figure(hc_result *r, const char *scope, const char *name);
/** Task rows in stored order: fills up to `cap`; `*count` 0 at the end. Call with `rewind` first.
 *  @return 0, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM. */
HC_API hc_rc hc_result_tasks(hc_result *r, bool rewind, hc_task_record *records, size_t cap, size_t *count,
                             hc_error *e);
/** How many task rows it has: fewer than tasks if the run kept a sample, 0 if none. */
HC_API uint64_t hc_result_task_count(hc_result *r);
/* ---- names ---- */

/** What a number is called at its source; NULL if that is not known. Borrowed until the result is freed, and
 *  never to be trusted: it may be of any length, be no UTF-8, and hold markup and control characters.
 *  The first question reads all names: about 60 bytes each and their texts. A failure is kept for
 *  hc_result_check(). */
HC_API const char *hc_result_name(hc_result *r, hc_called kind, int64_t number);
/** The number of a name. @return false: nothing is called so. O(names). */
HC_API bool hc_result_number(hc_result *r, hc_called kind, const char *name, int64_t *number);
/** Whether anything of this kind has a name. */
HC_API bool hc_result_has_names(hc_result *r, hc_called kind);
/** The account and QOS that a task has beside its group and queue. @return false: it has none. The first
 *  question reads all of the table: about 50 bytes a row. A failure is kept for hc_result_check(). */
HC_API bool hc_result_beside(hc_result *r, int64_t serial, hc_beside *out);
/** What the log measured of a task, of a result of hc_analyse. @return false: nothing. As hc_result_beside:
 *  60 bytes a row. Since 0.3. */
HC_API bool hc_result_measured(hc_result *r, int64_t serial, hc_measured *out);
/** Whether it has any. */
HC_API bool hc_result_has_measured(hc_result *r);
/** What the source calls the column: "account" for HC_CALLED_GROUP; else the general word. */
HC_API const char *hc_result_title(hc_result *r, hc_called kind);
/** What a task, and its job, are called, by the task's serial; NULL: their numbers say it. */
HC_API const char *hc_result_task_name(hc_result *r, int64_t serial);
HC_API const char *hc_result_job_name(hc_result *r, int64_t serial);
/** How many tasks are called so. @param serial out: of the first of them */
HC_API uint64_t hc_result_find_task(hc_result *r, const char *name, int64_t *serial);
/** How many tasks are called so, or of how many the job is. O(tasks with names).
 *  @param serials [cap] out: of the first of them, ascending */
HC_API uint64_t hc_result_find_tasks(hc_result *r, const char *name, bool of_job, int64_t *serials,
                                     size_t cap);

/** 128-bit checksum of what was computed, from what. Rows go in as they are stored, in their order, but for
 *  what says where and how a result was made:
 *    run_info                left out whole, and so are open_demands, open_grants and host_sets
 *    configuration           the column `origin`; keys at their defaults, whether written or not; and the
 *                            keys `name`, `output`, `event_queue`, `threads`, `paranoid`, `rejected`, and
 *                            those that end in `path` or `file` or name files: what is in the files counts
 *    hindcast                the row `schema`, and those that end in `_is_called`
 *    inputs                  the column `path`: which bytes were read is in their size and checksum; and the
 *                            rows of shared objects, which are code as the program is
 *    rejected                the column `file`
 *    tables without rows; columns that are appended to a table by a later version, where they are NULL
 *  A result of an earlier schema version has the digest that it was made with: by version 3 keys that name
 *  files count if they end in neither `path` nor `file`, by version 2 also keys at their defaults, tables
 *  without rows and the row `schema` (but for some that came later). So a flag and a
 *  run file that say the same, two places of one log, two names of one result and both event queues agree.
 *  Not cryptographic. @param text 33 bytes: hexadecimal.
 *  @return 0, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM. Cost: 0.4 us a task row. */
HC_API hc_rc hc_result_digest(hc_result *r, char text[33], hc_error *e);
/** The schema version by which a result was written: 1 to HC_STORE_VERSION. */
HC_API int hc_result_schema(hc_result *r);
/** The same of what happened alone: without the tables hindcast, configuration, inputs, rows and rejected.
 *  Runs over one workload in two formats agree in it. @return as hc_result_digest. Since 0.1. */
HC_API hc_rc hc_result_schedule_digest(hc_result *r, char text[33], hc_error *e);

/** Writes a stored result in another format. */
typedef struct hc_exporter_type {
  hc_component component;
  hc_rc (*run)(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e);
} hc_exporter_type;

/* ---- a table as a picture ---- */

/** A column of a table. */
typedef struct hc_chart_panel {
  const char *title;    /* with its unit */
  const double *values; /* [rows] of the chart; NaN: none */
} hc_chart_panel;

/** A table to be drawn: a panel for each of its figures over the same rows. Borrowed for the call. */
typedef struct hc_chart {
  const char *title;         /* NULL: none */
  const char *const *labels; /* [rows] NULL: unknown */
  size_t rows;
  const hc_chart_panel *panels; /* [panel_count] */
  size_t panel_count;
  bool is_ordered; /* rows follow each other, as hours do: lines; else bars */
  int64_t width;   /* pixels, 300 to 20000; 0: 1000 */
} hc_chart;

/** Draw it as an SVG that needs nothing else. Bars are drawn of the first 200 rows. The same table gives the
 *  same bytes. Since 0.3.
 *  @return 0, HC_EUSAGE (no rows or no panels), HC_ENOMEM, or what the sink returned. */
HC_API hc_rc hc_chart_draw(const hc_allocator *a, const hc_chart *chart, const hc_sink *sink, hc_error *e);

#ifdef __cplusplus
}
#endif
#endif
