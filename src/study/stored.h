/* stored.h -- what a study's store says of itself, without being read whole. */
#ifndef HC_STUDY_STORED_H
#define HC_STUDY_STORED_H

#include <sqlite3.h>

#include "study/plan.h"

#define HC_STUDY_SCHEMA 2 /* form of the store */

/** Open a store to be read. Close it with sqlite3_close, also if this fails (`out` may then be NULL).
 *  @return 0, HC_EIO, HC_EINPUT (it is none), HC_EVERSION. */
hc_rc hc_study_stored_open(const char *path, sqlite3 **out, hc_error *e);
/** Write everything that a study found into an open database. @param path  what errors call it @return as
 *  hc_study_store */
hc_rc hc_study_store_in(hc_task_list *t, sqlite3 *db, const char *path, hc_error *e);
/** Read a study from an open database. @return as hc_study_data_load */
hc_rc hc_study_data_read(const hc_allocator *a, sqlite3 *db, const char *path, hc_study_data **out,
                         hc_error *e);
/** How far it came: as hc_study_status, of a store that has no journal beside it. */
hc_rc hc_study_stored_status(const char *path, hc_study_progress *out, hc_error *e);
/** The files that it was made from, by path. */
hc_rc hc_study_stored_inputs(const char *path, hc_rc (*each)(void *ctx, const hc_study_input *input),
                             void *ctx, hc_error *e);
/** May the study be written there? Not over what is no store, nor, unless `again`, over another study's.
 *  @return 0, also if there is nothing; HC_EUSAGE with the remedy; HC_ENOMEM. */
hc_rc hc_study_stored_place(const hc_study *s, const char *path, bool again, const char *remedy, hc_error *e);

#endif
