/* rows.h -- a frame whose things stand under each other, each in a row with its name at the left, over one
 * axis across: bars, and intervals. */
#ifndef HC_PLOT_ROWS_H
#define HC_PLOT_ROWS_H

#include "plot/frame.h"

typedef struct hc_rows {
  hc_plot_job *job;
  hc_box field;
  hc_scale x;
  double row_height;
  size_t count;
} hc_rows;

typedef struct hc_rows_spec {
  const char *const *names; /* [count] */
  size_t count;
  const char *words, *unit; /* of the axis across */
  double right;             /* room behind the field */
  bool is_wide;             /* the axis ends at marks */
} hc_rows_spec;

/** How high a page with so many rows is. @param lines  in a row, of the font's height */
double hc_rows_height(const hc_plot_job *j, size_t count, double lines);
/** Lay it out and draw what lies below the data. x: kind, low and high are set. */
void hc_rows_draw(hc_rows *r, hc_plot_job *j, const hc_box *page, const hc_rows_spec *s);
/** The middle of a row. */
static inline double hc_rows_y(const hc_rows *r, size_t i)
{
  return r->field.y + r->row_height * ((double)i + 0.5);
}

#endif
