/** @file save.h A run on disk: saved while it runs, now and then, and carried on by another process.
 *
 *  A save is one SQLite file: what it was made by, the configuration, size and checksum of every input and
 *  shared object, the rows of the result so far, and the state of the run (hc_run_snapshot). What was saved
 *  once is left as it is: the next save adds the rows that are new, puts the new state in the place of the
 *  old one, and is one transaction, so that a process that is killed and a disk that is full leave the last
 *  save whole. The first one is written beside its name, brought to disk and renamed.
 *
 *      hc_save_new(a, run, config, store, &(hc_save_options){.path = "run.save", ...}, &save, &e);
 *      ... hc_run_advance(run, ...), hc_save_now(save, &e), hc_run_advance(run, ...) ...
 *
 *      hc_saved_open(a, "run.save", program, &saved, &e);
 *      hc_saved_config(saved, registry, &config, &e);
 *      hc_saved_restore(saved, config, store, &run, &e);      and on with hc_run_advance
 *
 *  A core has none of it: it has no files. */
#ifndef HINDCAST_SAVE_H
#define HINDCAST_SAVE_H

#include "hindcast/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hc_save hc_save;   /* a run that is saved now and then */
typedef struct hc_saved hc_saved; /* a save that is being read */

/** How a run is saved. All texts are borrowed for the call. */
typedef struct hc_save_options {
  const char *path;    /* of the save */
  bool replace;        /* it may take the place of a file that is no save */
  const char *program; /* what writes it, with version and commit: no other carries the run on */
  const char *output;  /* where the result goes; NULL: nowhere */
  int64_t every;       /* wall milliseconds between two saves, for those who carry the run on; 0: none */
  const hc_saved *of;  /* the run was restored from it, and its file is `path`: saves add to it; NULL */
} hc_save_options;

/** Make a run that is to be saved: as hc_run_new, and it keeps what other policies might want to know, so
 *  that its saves can go on with `changes` that it did not have. One made by hc_run_new can be saved, and go
 *  on as it is. @return as hc_run_new. Cost: estimates and expected ends of all tasks are kept, whatever its
 *  policy asks: 64 bytes a live task, and what a timeline costs. */
HC_API hc_rc hc_save_run_new(const hc_allocator *a, hc_config *c, hc_store *store, hc_run **out, hc_error *e);

/** Begin to save a run. Nothing is written yet, but that all of it can be saved is tried out: what cannot is
 *  refused now. Run, configuration and store are borrowed for its life.
 *  @return 0; HC_EUNSUPPORTED: a closed world, standard input, a side file of rejected rows, a component of a
 *  shared object that counts and has no `visit`; HC_EUSAGE: there is another file; HC_EIO, HC_ENOMEM.
 *  Cost: one snapshot, and one reading of each input for its checksum. */
HC_API hc_rc hc_save_new(const hc_allocator *a, hc_run *run, const hc_config *config, hc_store *store,
                         const hc_save_options *o, hc_save **out, hc_error *e);
/** Save, between two calls of hc_run_advance. @param at virtual time, ns: all that comes before it has
 *  happened, and nothing that comes later
 *  @return 0; HC_EIO (no room, the file is another one now): the last save is as it was; HC_EUNSUPPORTED,
 *  HC_ENOMEM. Cost: in proportion to live tasks and to the rows since the last save. */
HC_API hc_rc hc_save_now(hc_save *s, hc_time at, hc_error *e);
/** NULL is fine. The file stays. */
HC_API void hc_save_free(hc_save *s);

/** What a save says of itself. Borrowed from it. */
typedef struct hc_saved_facts {
  const char *program, *output; /* as hc_save_options; `output` NULL: none */
  const char *digest;           /* hc_run_digest of the saved run: 32 hexadecimal digits */
  hc_time at;                   /* as hc_save_now said */
  int64_t every;
  uint64_t submitted, ended; /* tasks */
} hc_saved_facts;

/** Open a save and check what it is. @param program as hc_save_options; NULL: any, which serves for looking
 *  @return 0; HC_EIO; HC_EINPUT: it is no save, or is damaged; HC_EVERSION: it was written by another
 *  program, which is named; HC_ENOMEM. */
HC_API hc_rc hc_saved_open(const hc_allocator *a, const char *path, const char *program, hc_saved **out,
                           hc_error *e);
HC_API void hc_saved_free(hc_saved *s); /* NULL is fine */
HC_API const hc_saved_facts *hc_saved_told(const hc_saved *s);
/** The configuration of the saved run, resolved, after a look at each input.
 *  @return 0; HC_EINPUT: an input or shared object is another one now, or gone, and is named; HC_EVERSION:
 *  the configuration no longer resolves to what it did, with the key; as hc_config_resolve. Cost: one reading
 *  of each input. */
HC_API hc_rc hc_saved_config(hc_saved *s, hc_registry *registry, hc_config **out, hc_error *e);
/** A run that goes on where the save was made. @param config as hc_saved_config gave it; its `changes` may
 *  have been added to, at times from that of the save on, and then be resolved again: the run is another
 *  branch from there @param store gets the rows so far: a new one, or NULL
 *  @return as hc_run_restore; HC_EUNSUPPORTED: what cannot change, with the reason; HC_EIO of the store.
 *  Cost: the rows so far are copied once. */
HC_API hc_rc hc_saved_restore(hc_saved *s, hc_config *config, hc_store *store, hc_run **out, hc_error *e);

#ifdef __cplusplus
}
#endif
#endif
