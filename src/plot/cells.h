/* cells.h -- a figure over two axes with its intervals: asked of a study, or read from a table as CSV. */
#ifndef HC_PLOT_CELLS_H
#define HC_PLOT_CELLS_H

#include "plot/job.h"

/** What charts of a study ask: members of their options, for HC_CELLS_PARAMS. */
typedef struct hc_cells_asked {
  const char *figure, *by;
  hc_list where, over;
  double level;
} hc_cells_asked;

#define HC_CELLS_PARAMS(options, asked) \
  HC_PARAM_AS(TEXT, "figure", options, asked.figure, NULL, \
              "Name of the figure, as the study kept it. Default: the first."), \
      HC_PARAM_AS( \
          TEXTS, "where", options, asked.where, NULL, \
          "Only points for which all of these conditions hold: load>=0.5, policy=easy,fcfs. Axes that are " \
          "neither fixed nor shown are averaged over. Default: all points."), \
      HC_PARAM_AS(TEXTS, "over", options, asked.over, NULL, \
                  "The axes whose levels are the samples of the intervals. Default: replication."), \
      HC_PARAM_AS(REAL, "level", options, asked.level, "1", "0.95", 0.5, 0.999999, \
                  "Confidence level of the intervals.")

typedef struct hc_plot_cell {
  double mean, low, high; /* NaN: none */
} hc_plot_cell;

typedef struct hc_plot_cells {
  const char *figure, *unit, *row_axis, *column_axis; /* axes NULL: there is none, or it is not known */
  const char *const *rows, *const *columns;           /* [row_count], [column_count] labels */
  const double *numbers;                              /* [column_count] NaN: a label is no number */
  size_t row_count, column_count;
  const hc_plot_cell *cells; /* [row_count][column_count] */
  int direction;
} hc_plot_cells;

/** Read the job's file. @param columns  the axis in columns: NULL chooses one, whose labels are numbers if
 *  `numbers_first`; "" for none. `asked->by` likewise in rows.
 *  @return 0; HC_EUSAGE with the nearest name; HC_EINPUT (a table with its line) */
hc_rc hc_cells_read(hc_plot_job *j, const hc_cells_asked *asked, const char *columns, bool numbers_first,
                    hc_plot_cells *out, hc_error *e);
/** Refuse what only a study can be asked. @param x  NULL: nothing; @param what  the file is, for the error
 *  @return 0, HC_EUSAGE */
hc_rc hc_cells_refuse(const hc_plot_job *j, const hc_cells_asked *asked, const char *x, const char *what,
                      hc_error *e);
/** A list of texts as an array. */
static inline const char *const *hc_texts_of(const hc_list *l)
{
  return (const char *const *)l->items;
}

#endif
