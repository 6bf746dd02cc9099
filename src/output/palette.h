/* palette.h -- the inks of every picture, and which thing has which: one set of colours for light and dark
 * ground, told apart by all eyes, with a dash pattern and a marker for each where colour is not printed.
 *
 * The eight series follow Okabe and Ito's set, in an order that suits lines: blue, vermillion, green, purple,
 * sky, orange, black, yellow. On white the last of them are too faint for a line (WCAG 2.1, success
 * criterion 1.4.11, asks a contrast of 3 of what a picture is made of): sky, orange and yellow are darker
 * there, so far apart that they are told from the others with any kind of colour vision (a test computes the
 * distances). Areas that border on each other are filled with the set as published. What is past the eighth
 * has its colours again with other dashes and markers; what is not singled out at all is grey.
 * Source: Okabe and Ito, Color Universal Design, 2008 (jfly.uni-koeln.de/color). */
#ifndef HC_OUTPUT_PALETTE_H
#define HC_OUTPUT_PALETTE_H

#include "base/mem.h"

enum { HC_SERIES = 8, HC_RAMP = 16, HC_MARKERS = 8 };

/** What something is drawn with. HC_INK_LINE + i, HC_INK_AREA + i: of series i. HC_INK_RAMP + i: a step of a
 *  scale from little (0) to much (HC_RAMP - 1). */
typedef enum hc_ink {
  HC_INK_GROUND, /* the paper */
  HC_INK_TEXT,
  HC_INK_SOFT,  /* what stands around: ticks, units */
  HC_INK_RULE,  /* lines of a grid */
  HC_INK_SHADE, /* weekends, what is away */
  HC_INK_REST,  /* whatever is not singled out */
  HC_INK_LINE,
  HC_INK_AREA = HC_INK_LINE + HC_SERIES,
  HC_INK_RAMP = HC_INK_AREA + HC_SERIES,
  HC_INK_COUNT = HC_INK_RAMP + HC_RAMP
} hc_ink;

typedef enum hc_marker {
  HC_MARKER_DISC,
  HC_MARKER_SQUARE,
  HC_MARKER_UP,
  HC_MARKER_DIAMOND,
  HC_MARKER_DOWN,
  HC_MARKER_CROSS,
  HC_MARKER_PLUS,
  HC_MARKER_RING
} hc_marker;

/** A colour as 0xRRGGBB. */
uint32_t hc_ink_light(hc_ink ink); /* on white */
uint32_t hc_ink_dark(hc_ink ink);  /* on dark ground */
/** A word without blanks, for the classes of a document: "text", "1", "a1", "r0". @param out [8] */
void hc_ink_word(hc_ink ink, char *out);
/** Whether text that lies upon the ink must be light. */
bool hc_ink_is_deep(hc_ink ink, bool on_dark);

/** How thing number `i` of a picture looks. */
hc_ink hc_ink_of(uint32_t i);
hc_marker hc_marker_of(uint32_t i);
/** Lengths of its dashes and gaps in widths of the line. @return how many; 0: unbroken. @param out [6] */
size_t hc_dash_of(uint32_t i, double *out);

/** Which thing has which number, for a document of many pictures: the order in which names are first seen, or
 *  that of a list that was read. A list is a text, a name a line: line n is number n - 1, and an empty line
 *  keeps its number free. */
typedef struct hc_colours {
  hc_names names;
  uint32_t gaps; /* empty lines so far */
} hc_colours;

void hc_colours_init(hc_colours *c, const hc_allocator *a);
void hc_colours_fini(hc_colours *c);
/** @return 0, HC_ELIMIT (more than 10000 lines), HC_EINPUT (a name twice) with the line, HC_ENOMEM */
hc_rc hc_colours_read(hc_colours *c, const char *text, size_t size, const char *where, hc_error *e);
/** The number of a name, given to it now if it has none. @return 0, HC_ELIMIT, HC_ENOMEM */
hc_rc hc_colours_of(hc_colours *c, const char *name, uint32_t *out);
/** The list, so that the next picture goes on with it. */
void hc_colours_write(const hc_colours *c, hc_buffer *out);

#endif
