/* bulk.h -- tables of whole numbers as pages of an SQLite file, encoded here rather than inserted one by one.
 *
 * Rows that are only appended need no tree to be searched: they fill leaves one after the other, and the
 * pages above the leaves follow when all are there. SQLite makes the file with its empty tables, and closes
 * it; then the leaves are put behind its pages, and the page that is a table's root becomes the root over
 * them. What comes out is a file like any other to everything that reads SQLite. */
#ifndef HC_OUTPUT_BULK_H
#define HC_OUTPUT_BULK_H

#include "output/tables.h"

#define HC_BULK_PAGE 32768 /* bytes of a page: what `PRAGMA page_size` of the file has to be */

typedef struct hc_bulk_leaf {
  uint64_t page; /* among those that are full, in the order in which they were */
  int64_t last;  /* its last row, from 1 */
} hc_bulk_leaf;

typedef struct hc_bulk_table {
  uint8_t *page;        /* the leaf that is being filled; NULL before the table's first row */
  size_t rows, from;    /* in it, and where its lowest row lies: rows fill a page from its end */
  int64_t count;        /* rows of the table */
  hc_bulk_leaf *leaves; /* the full ones */
  size_t leaf_count, leaf_cap;
} hc_bulk_table;

typedef struct hc_bulk {
  const hc_allocator *allocator;
  const char *beside; /* the file beside which pages wait that memory does not hold; borrowed */
  int fd;             /* they wait in it: it has no name; -1: there are none */
  uint8_t *held;      /* the pages behind them */
  size_t held_count;
  uint64_t pages; /* full ones */
  hc_bulk_table tables[HC_TABLE_COUNT];
} hc_bulk;

void hc_bulk_init(hc_bulk *b, const hc_allocator *a, const char *beside);
void hc_bulk_fini(hc_bulk *b);

/* Add rows to a table, numbered from 1 on; HC_UNKNOWN is NULL. @return 0, HC_ENOMEM, HC_EIO (errno says why).
 * Cost: 40 ns a row of sixteen columns; 1 MiB and a page for each table, whatever the rows, and 16 bytes for
 * each page. */
hc_rc hc_bulk_add(hc_bulk *b, hc_table t, const int64_t *rows, size_t columns, size_t count);

/** Forget the rows of a table. @return whether that was done: its full pages cannot be taken out */
bool hc_bulk_clear(hc_bulk *b, hc_table t);

/* All rows of a table again, in their order. @param row borrowed for the call. @return 0, what `take`
 * returned, HC_ENOMEM, HC_EIO. */
hc_rc hc_bulk_walk(const hc_bulk *b, hc_table t, hc_rc (*take)(void *ctx, hc_table t, const int64_t *row),
                   void *ctx);

/** Put all rows into the file that SQLite has made and closed.
 *  @param fd  of that file
 *  @param roots  of each table with rows: the number of its root, an empty leaf
 *  @return 0, HC_ENOMEM, HC_EIO; then the file is worth nothing. */
hc_rc hc_bulk_finish(hc_bulk *b, int fd, const int64_t roots[HC_TABLE_COUNT]);

#endif
