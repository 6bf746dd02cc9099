/* pieces.h -- what resized tasks held from when to when, for exporters that draw a task or list what it had.
 *
 * A piece is a stretch of a task's last attempt in which it held the same. Of tasks that a plan resized the
 * table `regrants` says what each piece held; of tasks that changed their own demand the table `resizes`
 * does, but for the first piece, which held what the task's grants say. A task that never changed has no
 * pieces. Memory: the rows of both tables. Cost: O(rows log rows) for reading, O(log rows) a task. */
#ifndef HC_OUTPUT_PIECES_H
#define HC_OUTPUT_PIECES_H

#include "output/emit.h"

/* What it held on one host, or of named processors a range. */
typedef struct hc_piece_row {
  int64_t serial, number;
  hc_time at;
  int64_t units;       /* of the whole piece; -1: the table does not say */
  int64_t host, slots; /* of processors without names 0, and how many */
  int64_t amount;      /* of the dimension that was asked for */
  size_t place;        /* as it was read */
} hc_piece_row;

typedef struct hc_piece {
  hc_time from;
  int64_t units;
  const hc_piece_row *rows; /* [count]; none: what its grants or placements say */
  size_t count;
} hc_piece;

typedef struct hc_pieces {
  const hc_allocator *allocator;
  hc_piece_row *rows; /* [count] by serial, and for one in order of time */
  size_t count, cap;
  hc_piece *of; /* of the task that was asked for last */
  size_t of_cap;
} hc_pieces;

/** @param dimension whose amounts are kept, by the lexicon's number
 *  @return 0, HC_EINPUT (a damaged file), HC_ENOMEM; hc_pieces_fini is called in either case */
hc_rc hc_pieces_read(hc_pieces *p, hc_emit *m, hc_result *r, uint32_t dimension);
void hc_pieces_fini(hc_pieces *p);
/** The pieces of a task, in order of time: the last one lasts until its end.
 *  @param out borrowed until the next call. @return how many; 0: it was the same throughout; HC_ENOMEM */
hc_rc hc_pieces_of(hc_pieces *p, const hc_task_record *t, const hc_piece **out);

#endif
