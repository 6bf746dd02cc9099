/** @file run.h A run is a value: made from a configuration, advanced, saved, forked, restored, hashed,
 *  and asked for its result. */
#ifndef HINDCAST_RUN_H
#define HINDCAST_RUN_H

#include "hindcast/figure.h"
#include "hindcast/setup.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
