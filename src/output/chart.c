/* chart.c -- a table as a picture (SVG): bars, or lines where its rows follow each other.
 *
 * Panels of bars stand beside each other, a bar a row, with the rows' labels at the left and the value behind
 * each bar: a table that can be seen. Panels of lines stand above each other over one axis of rows, each from
 * 0 (or the least value, if that is below) to a round number above its greatest. What has no value has no bar
 * and breaks the line. Self-contained: no script, no style sheet, no font but the reader's.
 *
 * Bars are drawn of the first BARS rows, and the rest is counted below. How wide a text is is the reader's
 * font's to say: a letter counts LETTER pixels, and labels are cut at LONGEST letters; pointed at, they are
 * whole. The same table gives the same bytes. Cost: O(rows x panels). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "hindcast/output.h"
#include "output/draw.h"
#include "output/emit.h"

enum {
  LETTER = 6,
  LONGEST = 34,
  BARS = 200,
  TOP = 44,    /* of the picture, for its title */
  ROW = 18,    /* of a bar */
  BAR = 12,    /* its height */
  FIGURE = 64, /* room for a value behind a bar */
  GAP = 24,    /* between panels */
  PANEL = 150, /* height of lines */
  AXIS = 60,   /* at the left of lines */
  FOOT = 20
};

typedef struct drawing {
  hc_emit emit;
  const hc_chart *chart;
} drawing;

/* ---- values ---- */

static bool is_known(double x)
{
  return x == x && x < 1e300 && x > -1e300;
}

/* A class, by which dark ground has the ink, and the light one. @param what  "fill" or "stroke" */
static void put_ink(drawing *d, const char *what, hc_ink ink)
{
  char word[8];
  hc_ink_word(ink, word);
  hc_buffer_printf(&d->emit.text, " class=\"hc-%c-%s\" %s=\"#%06x\"", what[0], word, what,
                   (unsigned)hc_ink_light(ink));
}

static void draw_style(drawing *d)
{
  bool used[HC_INK_COUNT] = {
      [HC_INK_GROUND] = true, [HC_INK_TEXT] = true, [HC_INK_SOFT] = true, [HC_INK_RULE] = true};
  for (size_t i = 0; i < HC_MIN(d->chart->panel_count, (size_t)HC_SERIES); i++)
    used[d->chart->is_ordered ? HC_INK_LINE + i : HC_INK_AREA + i] = true;
  hc_svg_dark(&d->emit.text, used);
  hc_buffer_text(&d->emit.text, "<rect");
  put_ink(d, "fill", HC_INK_GROUND);
  hc_buffer_text(&d->emit.text, " width=\"100%\" height=\"100%\"/>\n");
}

/* Four digits, and thousands apart. */
static void value_text(double x, char out[48])
{
  if (!is_known(x)) {
    (void)snprintf(out, 48, "-");
    return;
  }
  if ((x >= 1000 || x <= -1000) && x < 1e15 && x > -1e15) {
    out[hc_format_count((int64_t)(x < 0 ? x - 0.5 : x + 0.5), out)] = '\0';
    return;
  }
  (void)snprintf(out, 48, "%.4g", x);
}

/* Least and greatest of a panel, 0 among them. */
static void bounds_of(const hc_chart *c, const hc_chart_panel *p, size_t rows, double *low, double *high)
{
  HC_UNUSED(c);
  *low = *high = 0;
  for (size_t i = 0; i < rows; i++) {
    if (!is_known(p->values[i])) continue;
    *low = HC_MIN(*low, p->values[i]);
    *high = HC_MAX(*high, p->values[i]);
  }
}

/* 1, 2 or 5 times a power of ten, of which at most five are needed. */
static double step_of(double range)
{
  static const double steps[] = {1, 2, 5};
  double power = 1e-12;
  if (!(range > 0)) return 1;
  while (power * 10 * 5 < range) power *= 10;
  for (;; power *= 10)
    for (size_t i = 0; i < HC_ARRAY_LEN(steps); i++)
      if (steps[i] * power * 5 >= range) return steps[i] * power;
}

/* ---- parts of a picture ---- */

static void begin(drawing *d, int64_t width, int64_t height)
{
  hc_buffer *b = &d->emit.text;
  const char *title = d->chart->title ? d->chart->title : "";
  hc_buffer_printf(b,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%" PRId64
                   "\" height=\"%" PRId64 "\" viewBox=\"0 0 %" PRId64 " %" PRId64
                   "\" font-family=\"" HC_SVG_FONTS "\" font-size=\"11\"",
                   width, height, width, height);
  put_ink(d, "fill", HC_INK_TEXT);
  hc_buffer_text(b, ">\n");
  draw_style(d);
  hc_buffer_text(b, "<text x=\"12\" y=\"20\" font-size=\"14\">");
  hc_xml_text(&d->emit.text, title, strlen(title));
  hc_buffer_text(b, "</text>\n");
}

/* At most LONGEST letters; of a longer one all when it is pointed at. Letters are not cut in two. */
static void label(drawing *d, const char *text)
{
  const size_t n = strlen(text);
  size_t letters = 0, end = 0;
  while (end < n && letters < LONGEST) {
    end++;
    while (end < n && ((unsigned char)text[end] & 0xc0) == 0x80) end++;
    letters++;
  }
  if (end < n) {
    hc_buffer_text(&d->emit.text, "<title>");
    hc_xml_text(&d->emit.text, text, n);
    hc_buffer_text(&d->emit.text, "</title>");
  }
  hc_xml_text(&d->emit.text, text, end);
  if (end < n) hc_buffer_text(&d->emit.text, "...");
}

static const char *label_of(const hc_chart *c, size_t row)
{
  return c->labels[row] ? c->labels[row] : "unknown";
}

static int64_t label_width(const hc_chart *c, size_t rows)
{
  size_t most = 4;
  for (size_t i = 0; i < rows; i++) most = HC_MAX(most, strlen(label_of(c, i)));
  return (int64_t)HC_MIN(most, (size_t)LONGEST + 3) * LETTER + 8;
}

/* ---- bars ---- */

static void draw_bars(drawing *d, size_t rows, size_t which, int64_t left, int64_t width)
{
  const hc_chart_panel *p = &d->chart->panels[which];
  hc_buffer *b = &d->emit.text;
  double low, high;
  bounds_of(d->chart, p, rows, &low, &high);
  const double scale = high > low ? (double)(width - FIGURE) / (high - low) : 0;
  hc_buffer_printf(b, "<text x=\"%" PRId64 "\" y=\"%d\" font-weight=\"bold\">", left, TOP - 4);
  hc_xml_text(&d->emit.text, p->title, strlen(p->title));
  hc_buffer_text(b, "</text>\n");
  for (size_t i = 0; i < rows; i++) {
    const double x = p->values[i];
    const int64_t top = TOP + (int64_t)i * ROW;
    char text[48];
    value_text(x, text);
    const double from = is_known(x) && x < 0 ? x - low : -low, length = is_known(x) ? (x < 0 ? -x : x) : 0;
    if (is_known(x)) {
      hc_buffer_printf(b, "<rect x=\"%.2f\" y=\"%" PRId64 "\" width=\"%.2f\" height=\"%d\"",
                       (double)left + from * scale, top + 3, length * scale, BAR);
      put_ink(d, "fill", (hc_ink)(HC_INK_AREA + which % HC_SERIES));
      hc_buffer_text(b, "/>");
    }
    hc_buffer_printf(b, "<text x=\"%.2f\" y=\"%" PRId64 "\"", (double)left + (from + length) * scale + 4,
                     top + 13);
    put_ink(d, "fill", HC_INK_SOFT);
    hc_buffer_printf(b, ">%s</text>\n", text);
  }
}

static hc_rc draw_all_bars(drawing *d)
{
  const hc_chart *c = d->chart;
  const size_t rows = HC_MIN(c->rows, (size_t)BARS);
  const int64_t left = label_width(c, rows) + 12;
  const int64_t panels = (int64_t)c->panel_count;
  const int64_t width = HC_MAX((c->width - left - (panels - 1) * GAP - 12) / panels, FIGURE + 40);
  const bool more = c->rows > rows;
  begin(d, left + panels * width + (panels - 1) * GAP + 12, TOP + (int64_t)rows * ROW + FOOT * (1 + more));
  for (size_t i = 0; i < rows; i++) {
    hc_buffer_printf(&d->emit.text, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\" text-anchor=\"end\">",
                     left - 6, TOP + (int64_t)i * ROW + 13);
    label(d, label_of(c, i));
    hc_buffer_text(&d->emit.text, "</text>\n");
    TRY(hc_emit_row(&d->emit));
  }
  for (size_t k = 0; k < c->panel_count; k++) {
    draw_bars(d, rows, k, left + (int64_t)k * (width + GAP), width);
    TRY(hc_emit_row(&d->emit));
  }
  if (more)
    hc_buffer_printf(&d->emit.text, "<text x=\"12\" y=\"%" PRId64 "\">and %zu more</text>\n",
                     TOP + (int64_t)rows * ROW + FOOT, c->rows - rows);
  return 0;
}

/* ---- lines ---- */

static double x_of(const hc_chart *c, size_t row)
{
  const double width = (double)(c->width - AXIS - 24);
  return AXIS + (c->rows > 1 ? width * (double)row / (double)(c->rows - 1) : width / 2);
}

static void draw_scale(drawing *d, int64_t top, double low, double high, double step)
{
  hc_buffer *b = &d->emit.text;
  const double range = high - low;
  for (int i = 0; i <= 10; i++) {
    const double v = low + i * step;
    char text[48];
    if (v > high + step / 2) break;
    const double y = (double)(top + PANEL) - (range > 0 ? (v - low) / range : 0) * PANEL;
    value_text(v, text);
    hc_buffer_text(b, "<path");
    put_ink(d, "stroke", HC_INK_RULE);
    hc_buffer_printf(b, " d=\"M%d %.2fH%" PRId64 "\"/><text text-anchor=\"end\" x=\"%d\" y=\"%.2f\"", AXIS, y,
                     d->chart->width - 24, AXIS - 4, y + 4);
    put_ink(d, "fill", HC_INK_SOFT);
    hc_buffer_printf(b, ">%s</text>\n", text);
  }
}

static hc_rc draw_line(drawing *d, size_t which, int64_t top)
{
  const hc_chart *c = d->chart;
  const hc_chart_panel *p = &c->panels[which];
  hc_buffer *b = &d->emit.text;
  double low, high;
  bool is_down = false;
  bounds_of(c, p, c->rows, &low, &high);
  const double step = step_of(high - low);
  low = step * (double)(int64_t)(low / step - (low < 0 ? 0.999999 : 0));
  high = step * (double)(int64_t)(high / step + 0.999999);
  if (!(high > low)) high = low + 1;
  hc_buffer_printf(b, "<text x=\"%d\" y=\"%" PRId64 "\" font-weight=\"bold\">", AXIS, top - 6);
  hc_xml_text(&d->emit.text, p->title, strlen(p->title));
  hc_buffer_text(b, "</text>\n");
  draw_scale(d, top, low, high, step);
  hc_buffer_text(b, "<path fill=\"none\"");
  put_ink(d, "stroke", hc_ink_of((uint32_t)which));
  hc_buffer_text(b, " stroke-width=\"1.5\" d=\"");
  for (size_t i = 0; i < c->rows; i++) {
    const bool known = is_known(p->values[i]);
    if (known)
      hc_buffer_printf(b, "%c%.2f %.2f", is_down ? 'L' : 'M', x_of(c, i),
                       (double)(top + PANEL) - (p->values[i] - low) / (high - low) * PANEL);
    if (known && !is_down && (i + 1 == c->rows || !is_known(p->values[i + 1])))
      hc_buffer_text(b, "h1"); /* alone: a point */
    is_down = known;
    TRY(hc_emit_row(&d->emit));
  }
  hc_buffer_text(b, "\"/>\n");
  return 0;
}

/* As many labels as there is room for. */
static void draw_labels(drawing *d, int64_t y)
{
  const hc_chart *c = d->chart;
  const int64_t width = label_width(c, c->rows) + 8;
  const size_t fit = (size_t)HC_MAX((c->width - AXIS - 24) / width, 1);
  const size_t every = (c->rows + fit - 1) / fit;
  for (size_t i = 0; i < c->rows; i += HC_MAX(every, 1)) {
    hc_buffer_printf(&d->emit.text, "<text x=\"%.2f\" y=\"%" PRId64 "\" text-anchor=\"%s\">", x_of(c, i), y,
                     i == 0 ? "start" : "middle");
    label(d, label_of(c, i));
    hc_buffer_text(&d->emit.text, "</text>\n");
  }
}

static hc_rc draw_all_lines(drawing *d)
{
  const hc_chart *c = d->chart;
  const int64_t height = PANEL + GAP + 12, bottom = TOP + (int64_t)c->panel_count * height;
  begin(d, c->width, bottom + FOOT);
  for (size_t k = 0; k < c->panel_count; k++) TRY(draw_line(d, k, TOP + 12 + (int64_t)k * height));
  draw_labels(d, bottom + 4);
  return 0;
}

/* ---- the whole ---- */

hc_rc hc_chart_draw(const hc_allocator *a, const hc_chart *chart, const hc_sink *sink, hc_error *e)
{
  hc_chart c = *chart;
  drawing d = {.chart = &c};
  hc_rc rc;
  c.width = c.width > 0 ? HC_MIN(HC_MAX(c.width, 300), 20000) : 1000;
  if (c.rows == 0 || c.panel_count == 0)
    return hc_fail(e, HC_EUSAGE, "picture", 0, 0,
                   "there is nothing to draw: the table has no rows or no figures");
  hc_emit_init(&d.emit, a, sink, e);
  rc = c.is_ordered ? draw_all_lines(&d) : draw_all_bars(&d);
  hc_buffer_text(&d.emit.text, "</svg>\n");
  return hc_emit_end(&d.emit, rc);
}
