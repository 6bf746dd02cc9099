/** @file plot.h Figures for papers: a chart of stored results or of a study, as SVG, PDF or PNG.
 *
 *  A chart is a component (`hindcast list plot`): its table of parameters says what it draws of what. The
 *  page around it (width, height, titles, colours) is the same for all of them. */
#ifndef HINDCAST_PLOT_H
#define HINDCAST_PLOT_H

#include "hindcast/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hc_plot_form { HC_PLOT_SVG, HC_PLOT_PDF, HC_PLOT_PNG } hc_plot_form;

/** What is to be drawn. Zeroed but for `chart` and `files`: SVG, as wide as a column of a paper. Borrowed for
 *  the call. */
typedef struct hc_plot_request {
  const char *chart; /* its name */
  const char *const
      *settings; /* [setting_count] of its parameters, "figure=wait_mean"; the values are YAML */
  size_t setting_count;
  /* [file_count] Results, or a study, or a table of one as CSV ("-": standard input). */
  const char *const *files;
  size_t file_count;
  hc_plot_form form;
  double width, height;               /* mm; 0: 84, and as the chart needs */
  double font;                        /* points, of the text; 0: 8 */
  double dpi;                         /* of PNG; 0: 300 */
  const char *title;                  /* above the picture; NULL: none, since a paper has a caption */
  const char *x_title, *y_title;      /* NULL: as the chart says */
  const char *colours, *colours_name; /* a list of names, a line each: the n-th has the n-th colour; NULL */
  size_t colours_size;
  hc_buffer *colours_out; /* out: the list with what this picture added; NULL */
  hc_study_progress
      *so_far; /* out: of a study that has no store yet, as hc_study_data_so_far; else zero; NULL */
} hc_plot_request;

/** Draw it. The same request over the same files gives the same bytes; of PDF and PNG on one machine, whose
 *  fonts they are set in.
 *  @return 0; HC_EUSAGE (no such chart, parameter, figure or axis, with the nearest name; a file of another
 *  kind; nothing to be drawn); HC_EUNSUPPORTED (PDF or PNG where cairo is not installed);
 *  HC_EINPUT, HC_EIO, HC_ENOMEM; what the sink returned. Since 0.3. */
HC_API hc_rc hc_plot(const hc_allocator *a, const hc_registry *registry, const hc_plot_request *q,
                     const hc_sink *out, hc_error *e);

/** A picture on its way: its shape is for the charts of this library alone. */
typedef struct hc_plot_job hc_plot_job;
/** A chart. One file in src/plot/chart and one line in plots.def. */
typedef struct hc_plot_type {
  hc_component component;
  /** Read what it needs of the job's files, and draw it. @return 0, or as hc_plot */
  hc_rc (*draw)(hc_plot_job *j, const void *options, hc_error *e);
} hc_plot_type;

#ifdef __cplusplus
}
#endif
#endif
