/** @file setup.h What stands before and beside a run: configurations, and what can be done with one, or with
 *  a result, without a simulation: open and write workloads, count a recorded schedule, export. */
#ifndef HINDCAST_SETUP_H
#define HINDCAST_SETUP_H

#include "hindcast/figure.h"
#include "hindcast/output.h"
#include "hindcast/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A configuration: layers of YAML, `--set` and flags, resolved against the registry. Never changed by a
 *  run. */
typedef struct hc_config hc_config;

/** Another simulator's semantics: defaults for the parameters of other components, as data. */
typedef struct hc_preset_entry {
  const char *component, *param, *value; /* "easy", "strict", "true"; "run" for the run's own keys */
} hc_preset_entry;
typedef struct hc_compat_type {
  hc_component component;
  const hc_preset_entry *entries; /* ends with a NULL component */
} hc_compat_type;

/** An empty configuration. The registry is borrowed for its life; resolving adds to it the components of
 *  the shared objects that the key `plugin` names. @return 0 or HC_ENOMEM. */
HC_API hc_rc hc_config_new(const hc_allocator *a, hc_registry *r, hc_config **out, hc_error *e);
HC_API void hc_config_free(hc_config *c);
/** Lay a file, or a text, of YAML or JSON over what was read before: its keys win, key by key; lists are
 *  replaced.
 *  @param name what errors call the text
 *  @return 0, HC_EIO (it cannot be read), HC_EINPUT (no YAML, with line and column), HC_EUSAGE (no map),
 *  HC_ENOMEM. */
HC_API hc_rc hc_config_file(hc_config *c, const char *path, hc_error *e);
HC_API hc_rc hc_config_text(hc_config *c, const char *yaml, size_t size, const char *name, hc_error *e);
/** `policy.select.depth=2`; the value is YAML. @return 0, HC_EUSAGE (no `=`, an empty part of the
 *  path), HC_EINPUT (no YAML), HC_ENOMEM. Whether the path leads anywhere is seen when resolving. */
HC_API hc_rc hc_config_set(hc_config *c, const char *assignment, hc_error *e);
/** The same from a flag, which wins over everything. @param value plain text, or YAML if `yaml`.
 *  @return as hc_config_set. */
HC_API hc_rc hc_config_flag(hc_config *c, const char *path, const char *value, bool yaml, hc_error *e);
/** Check everything and fill the options of every part. Called by hc_run_new if it was not.
 *  @return 0, HC_EUSAGE with place and remedy, HC_EUNSUPPORTED, HC_ENOMEM. */
HC_API hc_rc hc_config_resolve(hc_config *c, hc_error *e);
/** Every key as resolved: path, value, and origin ("default", "compat", "file", "set", "flag"), in order.
 *  @return 0, HC_ENOMEM, or the first thing other than 0 that `each` returned. */
HC_API hc_rc hc_config_each(const hc_config *c,
                            hc_rc (*each)(void *ctx, const char *path, const char *value, const char *origin),
                            void *ctx);

/** Whether the rejected rows of its runs may take the place of a file that is none of ours; at first they may
 *  not. No key, since it says nothing of what is computed. */
HC_API void hc_config_replace(hc_config *c, bool may);
/** Whether an output may have this name: not if that is one of the files that the resolved configuration
 *  reads: the run files, the shared objects, logs, machines, events. Whatever names lead there. @param path
 *  NULL: nothing is asked; one that does not exist is no input @return 0; HC_EUSAGE, naming both; HC_ENOMEM.
 *  Cost: a look at each of these files' inodes. */
HC_API hc_rc hc_config_protect(const hc_config *c, const char *path, hc_error *e);

/** The inputs of a stored result that are not what they were: data, and the shared objects that its parts
 *  came from. @param each  hears the path, and whether the file is still there; returns 0 to go on @return 0,
 *  what `each` returned, HC_EIO, HC_EINPUT (a damaged result), HC_ENOMEM. Cost: one reading of each file. */
HC_API hc_rc hc_result_changed_inputs(const hc_allocator *a, hc_result *r,
                                      hc_rc (*each)(void *ctx, const char *path, bool is_there), void *ctx,
                                      hc_error *e);

/** Size and 128-bit checksum of a file as it lies there, as the table `inputs` of results has them. Not
 *  cryptographic.
 *  @param bytes out; @param text out: 33 bytes, hexadecimal @return 0, HC_EIO, HC_ENOMEM. Cost: one reading.
 *  Since 0.3. */
HC_API hc_rc hc_file_checksum(const hc_allocator *a, const char *path, uint64_t *bytes, char text[33],
                              hc_error *e);

/* ---- without a simulation ---- */

/** How a workload is opened on its own. Zeroed: the tasks' rows, without observers. */
typedef struct hc_trace_options {
  hc_trace_mode mode;
  /** Told of each rejected row if not NULL: its file (or what made it) and line, why, and the line's text or
   *  NULL. */
  void (*rejected)(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text);
  void *rejected_ctx;
  bool
      renumber; /* of several sources: ids are 1, 2, 3 ... over all of them, and `preceding` goes with them */
  int64_t most_names; /* of users, of queues and so on that are kept; 0: as many as there can be */
} hc_trace_options;

/** Open what a configuration says arrives: `source`, `transforms`, `sort_window`, `strict`, and for
 *  HC_TRACE_TASKS its semantic options and its cell. Resolves the configuration if it was not; borrows it for
 *  the trace's life.
 *  @return 0, HC_EUSAGE, HC_EINPUT or HC_EIO with place and remedy, HC_ENOMEM. */
HC_API hc_rc hc_trace_open(const hc_allocator *a, hc_config *c, const hc_trace_options *o, hc_trace **out,
                           hc_error *e);

/** A trace being written in a format. */
typedef struct hc_trace_writer hc_trace_writer;

/** Begin to write.
 *  @param format    name of a writer
 *  @param settings  [count] of its options, as "memory_scale=256GiB"; the values are YAML
 *  @param context   what the writer gets; what it points to is borrowed for the writer's life
 *  @return 0, HC_EUSAGE with the nearest known name, HC_ENOMEM, or what the sink returned. */
HC_API hc_rc hc_trace_writer_new(const hc_registry *r, const char *format, const char *const *settings,
                                 size_t count, const hc_writer_context *context, hc_trace_writer **out,
                                 hc_error *e);
/** Write a task, and count what of it the format could not hold. In order of submission.
 *  @return 0, HC_ELIMIT or HC_EUNSUPPORTED with the task, HC_ENOMEM, or what the sink returned. */
HC_API hc_rc hc_trace_writer_task(hc_trace_writer *w, const hc_trace_task *t, hc_error *e);
/** Write what comes at the end. @return as hc_trace_writer_task. */
HC_API hc_rc hc_trace_writer_finish(hc_trace_writer *w, hc_error *e);
/** How many tasks were written; how many were left out, since the format cannot say them; how many lost a
 *  fact. */
HC_API uint64_t hc_trace_writer_written(const hc_trace_writer *w);
HC_API uint64_t hc_trace_writer_left_out(const hc_trace_writer *w);
HC_API uint64_t hc_trace_writer_lost(const hc_trace_writer *w, hc_fact fact);
HC_API const hc_writer_type *hc_trace_writer_format(const hc_trace_writer *w);
/** Drop it. NULL is fine. */
HC_API void hc_trace_writer_free(hc_trace_writer *w);

/** Sort the lines of the file that a configuration names as its only source, as hc_sort_lines.
 *  @param o  its `format` and `options` are not looked at: they are those of the configuration
 *  @return as hc_sort_lines; HC_EUSAGE: not one source, or one that is no file. */
HC_API hc_rc hc_trace_sort_source(const hc_allocator *a, hc_config *c, const char *out,
                                  const hc_sort_options *o, hc_error *e);

/** Count the schedule that a log recorded, by the configuration's metrics, and write what a run would write:
 *  its configuration, ledgers, task rows, figures and tables. Rows without a recorded wait are rejected as
 *  no_start, those without a run time as never_ran; a log that records no wait at all is an error. Needs
 *  memory in proportion to the tasks.
 *  @param tick  called now and then with bytes read and in all; false stops with HC_ECANCELLED; may be NULL
 *  @return 0, HC_EINPUT, HC_EUSAGE, HC_EIO, HC_ECANCELLED, HC_ENOMEM. */
HC_API hc_rc hc_analyse(const hc_allocator *a, hc_config *c, hc_store *store,
                        bool (*tick)(void *ctx, uint64_t done, uint64_t total), void *ctx, hc_error *e);

/** What a stored result says of its machine and its calendar. */
typedef struct hc_result_facts {
  int64_t capacity;    /* units */
  int64_t core_units;  /* units to a core: 1 of processors, 1000 on hosts; 0: units are no cores */
  int64_t unix_start;  /* s; HC_UNKNOWN: dates are not known */
  int32_t zone_offset; /* s east of UTC at the origin */
  char zone[64];       /* tz database name; "": not known, and the offset holds all the time */
} hc_result_facts;
HC_API void hc_result_facts_of(hc_result *r, hc_result_facts *out);
/** What is on a machine in a piece of time: means over it. */
typedef struct hc_occupancy {
  int64_t at; /* when it begins: seconds since 1970 on the site's clock, or since the origin without dates */
  double seconds;  /* how long it is */
  double busy;     /* cores that tasks had */
  double down;     /* that were away */
  double reserved; /* that were kept in advance, used or not */
} hc_occupancy;
/** Occupancy of the time from the first start to the last end, in pieces that begin at multiples of `every`
 *  on the site's clock, the first and the last cut.
 *  @param records  [count] of tasks that started and ended are counted
 *  @param down, reserved  may be NULL; they need dates
 *  @param rows  out, of the allocator, [*row_count] with room for *row_cap
 *  @return 0, HC_EUSAGE (spans without dates, too many pieces, nothing ran), HC_ENOMEM. Since 0.3. */
HC_API hc_rc hc_occupancy_of(const hc_allocator *a, const hc_result_facts *facts,
                             const hc_task_record *records, size_t count, const hc_node_times *down,
                             const hc_node_times *reserved, hc_time every, hc_occupancy **rows,
                             size_t *row_count, size_t *row_cap, hc_error *e);
HC_API void hc_occupancy_free(const hc_allocator *a, hc_occupancy *rows, size_t row_cap);
/** Count the task rows of a stored result by a metric that hears of tasks alone, as its run would have.
 *  @param metric    its name
 *  @param settings  [count] of its options, as "by=user"; the values are YAML
 *  @param trimmed   only the tasks that the stored trim keeps
 *  @return 0; HC_EUSAGE (no such metric or option, not a row for every task, no trim); HC_EUNSUPPORTED (the
 *  metric hears of more than tasks; a trim that follows hosts) with the remedy; what `f` returned; HC_EIO,
 *  HC_EINPUT, HC_ENOMEM. Cost: one reading of the rows; trimmed: 136 bytes a task, and a replay. */
HC_API hc_rc hc_result_recount(const hc_allocator *a, const hc_registry *registry, hc_result *r,
                               const char *metric, const char *const *settings, size_t count, bool trimmed,
                               hc_findings *f, hc_error *e);

/** The tasks that the trim of a stored result keeps, in the order of its rows.
 *  @param each  returns 0 to go on
 *  @return as hc_result_recount, trimmed; or what `each` returned */
HC_API hc_rc hc_result_kept(const hc_allocator *a, const hc_registry *registry, hc_result *r,
                            hc_rc (*each)(void *ctx, const hc_task_record *record), void *ctx, hc_error *e);

/** Write a result in another format.
 *  @param format    name of an exporter
 *  @param settings  [count] of its options, as "table=summary"; the values are YAML
 *  @return 0, HC_EUSAGE with the nearest known name, what the exporter or the sink returned, HC_ENOMEM. */
HC_API hc_rc hc_export_result(const hc_allocator *a, const hc_registry *registry, const char *format,
                              const char *const *settings, size_t count, hc_result *r, const hc_sink *out,
                              hc_error *e);

#ifdef __cplusplus
}
#endif
#endif
