/* draw.h -- a surface to draw on: lines, areas, rectangles, markers, texts, whatever it becomes in the end.
 *
 * Lengths are points (1/72 inch), x to the right and y downwards from the upper left corner. A surface is a
 * table of functions: draw_svg.c writes SVG, and the room plot has one that writes PDF and PNG. What needs
 * no knowledge of the form is done here once: shapes of markers, how wide a text is, how much of one is
 * shown. Texts come from outside: hc_draw_text makes characters of what is none, drops what turns the
 * direction of writing, and cuts.
 *
 * How wide a text is drawn is the reader's font's to say. It is estimated by the widths of Helvetica, which
 * Arial, Liberation Sans and Nimbus Sans share, so no font is looked at and the same input gives the same
 * bytes; a fallback font may be a seventh wider, for which layouts leave room.
 * Errors: a surface remembers the first, and ending it returns that. Cost: O(what is drawn). */
#ifndef HC_OUTPUT_DRAW_H
#define HC_OUTPUT_DRAW_H

#include "output/palette.h"

typedef struct hc_point {
  double x, y; /* NaN: the line breaks here */
} hc_point;

typedef struct hc_box {
  double x, y, width, height;
} hc_box;

/** How a shape is filled and edged. Zeroed but for one of them: that alone. */
typedef struct hc_style {
  double fill; /* opacity of the area, 0 to 1; 0: it is not filled */
  hc_ink area;
  double width; /* of the line; 0: there is none */
  hc_ink line;
  double dash[6]; /* [dashes] lengths, in widths of the line */
  size_t dashes;
} hc_style;

typedef enum hc_anchor { HC_ANCHOR_START, HC_ANCHOR_MIDDLE, HC_ANCHOR_END } hc_anchor;

typedef struct hc_text_style {
  double size; /* of the font */
  hc_ink ink;
  hc_anchor anchor;
  bool is_bold, is_upward; /* upward: turned to the left by a right angle */
  double most;             /* width; what is longer ends in an ellipsis. 0: no limit */
} hc_text_style;

typedef struct hc_surface hc_surface;
struct hc_surface {
  double width, height; /* of the page */
  /* Points in order; closed: an area. Lines whose points are NaN break. */
  void (*path)(hc_surface *s, const hc_point *p, size_t n, bool is_closed, const hc_style *style);
  void (*rect)(hc_surface *s, const hc_box *b, const hc_style *style);
  void (*disc)(hc_surface *s, double x, double y, double radius, const hc_style *style);
  /* `text` is UTF-8 that was made fit to be shown. */
  void (*text)(hc_surface *s, double x, double y, const char *text, const hc_text_style *style);
  void (*clip)(hc_surface *s, const hc_box *b); /* NULL: no more */
  void (*tip)(hc_surface *s, const char *text); /* what is drawn next is about this; NULL: the end of it */
};

/** Draw a marker about a point: solid, but for the ring. */
void hc_draw_marker(hc_surface *s, double x, double y, hc_marker m, double size, hc_ink ink);
void hc_draw_line(hc_surface *s, double x1, double y1, double x2, double y2, double width, hc_ink ink);
/** Draw text at its baseline. @return how wide it was, in points */
double hc_draw_text(hc_surface *s, double x, double y, const char *text, const hc_text_style *style);
/** How wide a text is, in points. @param size of the font */
double hc_text_width(const char *text, double size, bool is_bold);
/** A text fit to be shown and at most so wide, of at most 255 bytes. @param out [256] */
void hc_text_fit(const char *text, double size, bool is_bold, double most, char *out);

/** What a picture says of itself, to those who cannot see it. */
typedef struct hc_picture_words {
  const char *title, *detail; /* NULL: none */
} hc_picture_words;

/** A page of SVG: its width in millimetres, scaled by its viewBox, light inks as attributes, which every
 *  program reads, and a sheet of style that has them dark where the reader prefers so. */
typedef struct hc_svg hc_svg;
hc_rc hc_svg_new(const hc_allocator *a, double width, double height, hc_svg **out);
hc_surface *hc_svg_surface(hc_svg *s);
/** Write it and free it. @param words  borrowed for the call
 *  @return `rc` if that is an error, else 0, HC_ENOMEM, or what the sink returned */
hc_rc hc_svg_end(hc_svg *s, hc_rc rc, const hc_picture_words *words, const hc_sink *sink, hc_error *e);

/** Fonts of one metric, which every system has one of. */
#define HC_SVG_FONTS "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', sans-serif"

/** The rules by which classes hc-f- (filled) and hc-s- (edged) of a word have their ink on dark ground, for
 *  other pictures in SVG. @param used [HC_INK_COUNT] which inks the picture has */
void hc_svg_dark(hc_buffer *out, const bool *used);

#endif
