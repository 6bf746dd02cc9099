/* legend.h -- what the colours of a picture mean: the names of those that have most of it and so have one, as
 * many as there is room for, each with its share. */
#ifndef HC_OUTPUT_LEGEND_H
#define HC_OUTPUT_LEGEND_H

#include "output/emit.h"
#include "output/palette.h"

enum { HC_LEGEND_ROW = 16 }; /* height of a row, pixels */

typedef struct hc_legend_item {
  int64_t number; /* of a user, a queue ... */
  double amount;  /* what it has of the picture */
  int64_t x, row; /* where its square is: pixels from the left edge, row from 0 */
} hc_legend_item;

typedef struct hc_legend {
  const hc_allocator *allocator;
  hc_called kind;
  hc_legend_item *items; /* [count] once settled each number once, the largest amount first */
  size_t count, cap;
  size_t shown;  /* those that have room */
  int64_t rows;  /* that they take; 0: there is no legend */
  int64_t end_x; /* where the last row ends */
  double all;    /* amounts together */
} hc_legend;

void hc_legend_init(hc_legend *l, const hc_allocator *a, hc_called kind);
void hc_legend_fini(hc_legend *l);
/** @return 0 or HC_ENOMEM */
hc_rc hc_legend_add(hc_legend *l, int64_t number, double amount);
/** Say where each item stands, in at most `most` rows between `left` and `right`. One alone has no legend.
 *  Cost: O(n log n), and a name for each that is shown. */
void hc_legend_settle(hc_legend *l, hc_result *r, int64_t left, int64_t right, int64_t most);
/** Draw it. @param top  of its first row, pixels; @param colour  of a number, as attributes
 *  @return as hc_emit_row */
hc_rc hc_legend_draw(const hc_legend *l, hc_emit *m, hc_result *r, int64_t left, int64_t top,
                     void (*colour)(void *ctx, int64_t number), void *ctx);

/* Hundredths of a pixel. */
typedef struct hc_legend_box {
  int64_t left, top, right, bottom;
  hc_ink ink; /* that it is filled with */
} hc_legend_box;

/** Write a name into a rectangle, if there is room for all of it. */
void hc_legend_label(hc_emit *m, const char *text, const hc_legend_box *box);

#endif
