/* frame.h -- what stands around the field of a chart: axes with their marks, titles, the key.
 *
 * The title of the upward axis stands above it, level, where it is read without turning one's head and takes
 * no width. */
#ifndef HC_PLOT_FRAME_H
#define HC_PLOT_FRAME_H

#include "plot/job.h"

typedef struct hc_frame {
  hc_plot_job *job;
  hc_box field; /* of the page: where values are drawn */
  hc_scale x, y;
  const char *x_words, *y_words; /* of the titles, without units */
} hc_frame;

/** Where it stands, and what is known of its axes. x and y: kind, low and high are set. */
typedef struct hc_frame_spec {
  hc_box page; /* with all that stands around */
  const char *x_words, *y_words;
  const char *x_unit, *y_unit; /* of the values */
  const char *const *x_names;  /* [x.high - x.low + 1] of a standing axis */
  size_t x_name_count;
  const double *x_points; /* [x_point_count] values that are marked rather than round ones; NULL */
  size_t x_point_count;
  const hc_calendar_of_site *calendar; /* of time; NULL */
  double right;                        /* room for labels behind the field */
  bool is_bare;                        /* no marks below: the frame underneath has them */
  bool has_weekends;                   /* shade them */
  double left;                         /* at least so much for the marks, so that frames stand in line */
} hc_frame_spec;

/** Lay it out: the field, and the marks. */
hc_rc hc_frame_lay(hc_frame *f, hc_plot_job *j, const hc_frame_spec *s);
/** What its marks at the left need. Of a frame that is laid. */
double hc_frame_left(const hc_frame *f);
/** Draw what lies below the data: grid, marks, titles. */
void hc_frame_draw(hc_frame *f, const hc_frame_spec *s);

/** The page without its title, which is drawn if there is one. */
hc_box hc_page_begin(hc_plot_job *j);

/** One thing of a key. */
typedef struct hc_key_item {
  const char *name;
  uint32_t look; /* number of its colour; HC_LOOK_REST: grey */
  double end;    /* y at which its line ends: where a direct label points at */
} hc_key_item;
#define HC_LOOK_REST UINT32_MAX
enum { HC_KEY_LINE, HC_KEY_SOLID, HC_KEY_AREA }; /* a line with its dashes and marker; a line alone */

/** How high a key in rows is, at this width; 0 for one thing. */
double hc_key_height(const hc_plot_job *j, const hc_key_item *items, size_t count, double width);
void hc_key_draw(hc_plot_job *j, const hc_key_item *items, size_t count, double x, double y, double width,
                 int kind);
/** How wide names are that stand behind the field; 0: they would take too much of it, and stand in a key. */
double hc_labels_width(const hc_plot_job *j, const hc_key_item *items, size_t count, double page);
/** Names behind the field, moved apart, each with a line to its end. The items are sorted by their ends. */
void hc_labels_draw(const hc_frame *f, hc_key_item *items, size_t count, double width);

hc_ink hc_look_ink(uint32_t look);
/** A line as a thing is drawn with. */
hc_style hc_look_line(uint32_t look, double width);

#endif
