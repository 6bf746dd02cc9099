/* file.h -- what writing and reading a save share: the form of its file.
 *
 * One SQLite database. Tables:
 *   save(key, value)                    form, program, output, at, every, digest, sum, taken ...
 *   configuration(path, value, origin)  every key as resolved
 *   inputs(path, bytes, checksum)       what is read, data and shared objects
 *   rows(piece, sum, data)              rows of the result, as hc_store_rows_take gives them
 *   state(piece, data)                  a snapshot without rows, in pieces
 * `sum` is a checksum of the state: by it a run knows that the file has what it saved last. `taken` is how
 * many rows of each table are in `rows`. */
#ifndef HC_SAVE_FILE_H
#define HC_SAVE_FILE_H

#include "hindcast/save.h"
#include "output/sqlite.h"

#define HC_SAVE_APPLICATION 0x48437376 /* "HCsv" */
#define HC_SAVE_FORM "2"
#define HC_SAVE_PIECE ((size_t)64 << 20) /* of a state, bytes; SQLite takes a thousand million */

/* What a reader keeps, and a writer that adds to the same file goes on from. */
struct hc_saved {
  const hc_allocator *allocator;
  hc_arena arena; /* texts */
  sqlite3 *db;
  const char *path;
  hc_saved_facts facts;
  char sum[33];
  uint64_t taken[HC_TABLE_COUNT];
};

/** Checksum of a state, or of a piece of rows, hexadecimal. */
void hc_save_sum(const hc_snapshot *s, char out[33]);

#endif
