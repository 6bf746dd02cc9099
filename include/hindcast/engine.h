/** @file engine.h A run is a value: made from a configuration, advanced, saved, forked, restored, hashed,
 *  and asked for its result. */
#ifndef HINDCAST_ENGINE_H
#define HINDCAST_ENGINE_H

#include "hindcast/architecture.h"
#include "hindcast/cluster.h"
#include "hindcast/metric.h"
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

/** Whether the rejected rows of its runs may take the place of a file that is none of ours; at first they may not. No
 *  key, since it says nothing of what is computed. */
HC_API void hc_config_replace(hc_config *c, bool may);
/** Whether an output may have this name: not if that is one of the files that the resolved configuration reads: the run
 *  files, the shared objects, logs, machines, events. Whatever names lead there.
 *  @param path  NULL: nothing is asked; one that does not exist is no input
 *  @return 0; HC_EUSAGE, naming both; HC_ENOMEM. Cost: a look at each of these files' inodes. */
HC_API hc_rc hc_config_protect(const hc_config *c, const char *path, hc_error *e);

/** The inputs of a stored result that are not what they were: data, and the shared objects that its parts came from.
 *  @param each  hears the path, and whether the file is still there; returns 0 to go on
 *  @return 0, what `each` returned, HC_EIO, HC_EINPUT (a damaged result), HC_ENOMEM. Cost: one reading of each file. */
HC_API hc_rc hc_result_changed_inputs(const hc_allocator *a, hc_result *r,
                                      hc_rc (*each)(void *ctx, const char *path, bool is_there), void *ctx,
                                      hc_error *e);

/** One simulation. */
typedef struct hc_run hc_run;

/** How far a run has come. */
typedef struct hc_progress {
  hc_time now;                        /* virtual time, ns */
  int64_t unix_start;                 /* HC_UNKNOWN if not known */
  uint64_t submitted, started, ended; /* tasks */
  uint64_t waiting, running;
  uint64_t instants, decisions;
  uint64_t source_done, source_total; /* bytes; 0 if unknown */
  uint64_t rounded; /* amounts of the workload that were not whole and have been rounded ... */
  double rounding;  /* ... and the largest relative error that this made */
} hc_progress;

/** Make a run. @param store where task rows and the summary go; NULL: nowhere (figures can still be asked
 *  for). Configuration and store are borrowed for the run's life.
 *  @return 0, as hc_config_resolve, HC_EUNSUPPORTED (parts that cannot be combined, with the reason),
 *  HC_EINPUT or HC_EIO (a source that cannot be opened), HC_ENOMEM. */
HC_API hc_rc hc_run_new(const hc_allocator *a, hc_config *c, hc_store *store, hc_run **out, hc_error *e);
HC_API void hc_run_free(hc_run *r);
/** Go on until virtual time `until` (all of it included), or the end (HC_NEVER), or `instants` instants have
 *  passed (0: no such bound), whichever is first. After an error the run can only be freed.
 *  @return 1 if there is more to do, 0 at the end, HC_ECANCELLED, HC_ELIVELOCK, HC_EPOLICY, HC_EINPUT or
 *  HC_EIO (of the source or of the store), HC_ENOMEM. */
HC_API hc_rc hc_run_advance(hc_run *r, hc_time until, uint64_t instants, hc_error *e);
/** Stop: the next advance returns HC_ECANCELLED, and so does one that is under way, as soon as the policy that decides asks
 *  anything of its view. May be called from a signal handler, or another thread. */
HC_API void hc_run_cancel(hc_run *r);
/** How far it has come. O(1), at any time between two advances. */
HC_API void hc_run_progress(const hc_run *r, hc_progress *p);
/** Close the ledgers, finish the metrics, write them to the store. The run must be at its end. A second
 *  call does nothing. @return 0, HC_EIO, HC_ENOMEM, or what a metric returned. */
HC_API hc_rc hc_run_finish(hc_run *r, hc_error *e);

/** Tell the figures of a finished run that has no store, and the cells of its tables, in the order in which a store
 *  would get them. Once. @return 0, HC_EUSAGE (not finished, or it has a store), HC_EUNSUPPORTED (a trim:
 *  that is counted from a store's rows), or what a metric or `findings` returned. */
HC_API hc_rc hc_run_figures(hc_run *r, hc_findings *findings, hc_error *e);

/** Save the whole state as one block without pointers, at an instant's end. Free it with hc_snapshot_free.
 *  @return 0, HC_EUNSUPPORTED (a source that cannot be read twice), HC_ENOMEM. */
typedef struct hc_snapshot {
  void *data;
  size_t size;
} hc_snapshot;
HC_API hc_rc hc_run_snapshot(hc_run *r, hc_snapshot *out, hc_error *e);
HC_API void hc_snapshot_free(const hc_allocator *a, hc_snapshot *s);
/** Make a run that goes on from a snapshot, under the same configuration.
 *  @return as hc_run_new; HC_EVERSION if the snapshot is of another version or configuration. */
HC_API hc_rc hc_run_restore(const hc_allocator *a, hc_config *c, hc_store *store, const hc_snapshot *s,
                            hc_run **out, hc_error *e);
/** A second run in the same state: snapshot and restore, and their errors. @return as hc_run_restore. */
HC_API hc_rc hc_run_fork(hc_run *r, hc_config *c, hc_store *store, hc_run **out, hc_error *e);
/** 128-bit checksum of the state, the same for both event queues. @param text 33 bytes.
 *  @return 0, HC_EUNSUPPORTED (a source that cannot say where it stands), HC_ENOMEM. */
HC_API hc_rc hc_run_digest(hc_run *r, char text[33], hc_error *e);

/** Explanations about one task, while the run advances: why it waited, who passed it. */
typedef struct hc_why_record {
  hc_time time;
  uint64_t serial; /* the task asked about */
  const char *text;
} hc_why_record;
/** Before the first advance. @param serial the task. @param each hears every record; borrowed text.
 *  @return 0: it cannot fail. A task that never comes is told of never. */
HC_API hc_rc hc_run_explain(hc_run *r, uint64_t serial, void (*each)(void *ctx, const hc_why_record *w),
                            void *ctx);

/* ---- without a simulation ---- */

/** How a workload is opened on its own. Zeroed: the tasks' rows, nobody listening. */
typedef struct hc_trace_options {
  hc_trace_mode mode;
  /** Told of each rejected row if not NULL: its file (or what made it) and line, why, and the line's text or NULL. */
  void (*rejected)(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text);
  void *rejected_ctx;
  bool renumber; /* of several sources: ids are 1, 2, 3 ... over all of them, and `preceding` goes with them */
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
/** How many tasks were written; how many were left out, since the format cannot say them; how many lost a fact. */
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
 *  its configuration, ledgers, task rows, figures and tables. Rows without a recorded wait or run time are
 *  rejected as never_ran; a log that records no wait at all is an error. Needs memory in proportion to the
 *  tasks.
 *  @param tick  called now and then with bytes read and in all; false stops with HC_ECANCELLED; may be NULL
 *  @return 0, HC_EINPUT, HC_EUSAGE, HC_EIO, HC_ECANCELLED, HC_ENOMEM. */
HC_API hc_rc hc_analyse(const hc_allocator *a, hc_config *c, hc_store *store,
                        bool (*tick)(void *ctx, uint64_t done, uint64_t total), void *ctx, hc_error *e);

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
