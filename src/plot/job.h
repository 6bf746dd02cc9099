/* job.h -- a picture on its way: what was asked, what was read for it, where it is drawn.
 *
 * A chart reads its files first (results and studies here, tables of figures in cells.h), says how high it
 * would like to be (hc_job_open), draws on the surface, and leaves the rest to hc_plot. Memory that lasts as
 * long as the picture is the arena's. */
#ifndef HC_PLOT_JOB_H
#define HC_PLOT_JOB_H

#include "hindcast/grouping.h"
#include "hindcast/output.h"
#include "hindcast/plot.h"
#include "hindcast/setup.h"
#include "hindcast/study.h"
#include "output/draw.h"
#include "output/means.h"
#include "output/scale.h"

/** A result that is drawn. */
typedef struct hc_plot_result {
  hc_result *result;
  const char *name; /* of its file, without what all have in common */
  const char *full; /* with it: what its colour goes by */
  hc_result_facts facts;
  hc_calendar_of_site calendar;
  hc_task_record *records; /* [count] that started and ended, by serial; of hc_job_records */
  size_t count, cap;
} hc_plot_result;

struct hc_plot_job {
  const hc_allocator *allocator;
  const hc_registry *registry;
  const hc_plot_request *request;
  hc_arena arena;
  hc_colours colours;
  hc_surface *surface; /* NULL until hc_job_open */
  hc_svg *svg;
  struct hc_cairo *cairo;
  double width, height, font; /* points */
  hc_plot_result *results;    /* [result_count] */
  size_t result_count;
  hc_study_data *study;
  const char *title, *detail; /* for those who cannot see it; the arena's */
};

/** Points of a millimetre. */
#define HC_MM (72 / 25.4)

/** Begin the page. @param height  that suits the chart, points; the request's own if it has one
 *  @return 0, HC_EUNSUPPORTED, HC_ENOMEM */
hc_rc hc_job_open(hc_plot_job *j, double height, hc_error *e);
/** What the picture says of itself: a title, and how it was made. @return 0 or HC_ENOMEM */
hc_rc hc_job_say(hc_plot_job *j, const char *title, const char *detail);
/** The number of a name's colour. */
hc_rc hc_job_colour(hc_plot_job *j, const char *name, uint32_t *out, hc_error *e);

/* ---- inputs.c ---- */

typedef enum hc_input_kind { HC_INPUT_RESULT, HC_INPUT_STUDY, HC_INPUT_TABLE } hc_input_kind;
/** What a file is, by its first bytes and its tables. @return 0, HC_EIO, HC_EINPUT, HC_ENOMEM */
hc_rc hc_input_kind_of(const hc_allocator *a, const char *path, hc_input_kind *out, hc_error *e);
/** All files, as results. @return 0; HC_EUSAGE: one is none, with the charts that draw it */
hc_rc hc_job_results(hc_plot_job *j, hc_error *e);
/** The one file, as a study: read once. */
hc_rc hc_job_study(hc_plot_job *j, hc_error *e);
/** Tasks of each result that started and ended, by serial. @return 0; HC_EUSAGE: not a row for every task */
hc_rc hc_job_records(hc_plot_job *j, hc_error *e);
/** The same of one result; and whether it has a row for every task. */
hc_rc hc_job_records_of(hc_plot_job *j, hc_plot_result *r, hc_error *e);
bool hc_job_has_rows(const hc_plot_result *r);
/** An expression of each task of a result that is known, in the order of the records. @param values, of
 *  [*count] out, the arena's; `of` NULL or the place of each in the records. @return 0, HC_EUSAGE (no such
 *  variable), HC_ENOMEM */
hc_rc hc_job_values(hc_plot_job *j, const hc_plot_result *r, const char *expression, double **values,
                    size_t **of, size_t *count, hc_error *e);
/** Tasks of a result grouped by a trait or an expression. @param most  groups that are told apart
 *  @return as hc_grouping_new */
hc_rc hc_job_grouping(const hc_plot_job *j, const hc_plot_result *r, const char *by, int64_t most,
                      hc_grouping **out, hc_error *e);
void hc_job_close_inputs(hc_plot_job *j);

/** Whether a value can be drawn: a number, and not beyond all bounds. */
static inline bool hc_is_drawn(double x)
{
  return x > -1e300 && x < 1e300;
}

/* ---- words.c ---- */

/** A figure's name in words: "wait_mean" is "mean wait". @param out [80] */
void hc_figure_words(const char *figure, char *out);
/** The same of an axis, or an expression: its last part, with a capital if `is_title`. */
void hc_axis_words(const char *axis, char *out);
/** The unit of an expression over a task: "s" of those that are times by themselves, else "1". */
const char *hc_expression_unit(const char *expression);
/** "Mean wait (h)": words, the first with a capital, and a unit if there is one. @param out [120] */
void hc_title_words(const char *words, const char *unit, char *out);
/** Of an axis of time, s from the origin: "date, 2011, Europe/Stockholm", or "time" where no calendar is
 *  known. */
void hc_calendar_words(const hc_plot_job *j, double from, double to, char *out, size_t size);

/* ---- page_cairo.c ---- */

typedef struct hc_cairo hc_cairo;
hc_rc hc_cairo_new(const hc_allocator *a, hc_plot_form form, double width, double height, double dpi,
                   hc_cairo **out, hc_error *e);
hc_surface *hc_cairo_surface(hc_cairo *c);
/** Write it and free it. @return as hc_svg_end */
hc_rc hc_cairo_end(hc_cairo *c, hc_rc rc, const hc_picture_words *words, const hc_sink *sink, hc_error *e);

#endif
