/* draw_svg.c -- a surface that writes SVG.
 *
 * What is drawn gathers in memory, since the sheet of style stands before it and holds the inks that were
 * used.
 * Light inks are attributes, so that programs without style sheets (LaTeX's, slides', vector editors) show
 * them; where the reader prefers dark ground, rules by class have the others, through variables that a page
 * around it may set. Lengths are hundredths of a point, rounded, so that compilers agree. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "output/draw.h"
#include "output/emit.h"

struct hc_svg {
  hc_surface surface; /* first: what drawers hold */
  hc_emit body;
  const hc_allocator *allocator;
  hc_sink nowhere;
  bool is_clipped, is_tipped;
  bool used[HC_INK_COUNT];
};

static hc_svg *svg_of(hc_surface *s)
{
  return (hc_svg *)(void *)s;
}

/* ---- numbers and inks ---- */

/* Hundredths, without what is 0 at the end; what is beyond any page is brought to its edge. */
static void number(hc_buffer *b, double x)
{
  char text[40];
  x = x > 1e6 ? 1e6 : x < -1e6 ? -1e6 : x == x ? x : 0;
  const int64_t n = (int64_t)(x * 100 + (x < 0 ? -0.5 : 0.5)), whole = n < 0 ? -n : n;
  int size =
      snprintf(text, sizeof text, "%s%" PRId64 ".%02" PRId64, n < 0 ? "-" : "", whole / 100, whole % 100);
  while (text[size - 1] == '0') size--;
  if (text[size - 1] == '.') size--;
  hc_buffer_add(b, text, (size_t)size);
}

static void attribute(hc_buffer *b, const char *name, double x)
{
  hc_buffer_printf(b, " %s=\"", name);
  number(b, x);
  hc_buffer_text(b, "\"");
}

static void ink(hc_svg *s, const char *what, hc_ink i)
{
  hc_buffer_printf(&s->body.text, " %s=\"#%06x\"", what, (unsigned)hc_ink_light(i));
  s->used[i] = true;
}

static void style(hc_svg *s, const hc_style *x)
{
  hc_buffer *b = &s->body.text;
  char area[8], line[8];
  hc_ink_word(x->area, area);
  hc_ink_word(x->line, line);
  hc_buffer_text(b, " class=\"");
  if (x->fill > 0) hc_buffer_printf(b, "hc-f-%s", area);
  if (x->width > 0) hc_buffer_printf(b, "%shc-s-%s", x->fill > 0 ? " " : "", line);
  hc_buffer_text(b, "\"");
  if (x->fill > 0) ink(s, "fill", x->area);
  else hc_buffer_text(b, " fill=\"none\"");
  if (x->fill > 0 && x->fill < 1) attribute(b, "fill-opacity", x->fill);
  if (x->width <= 0) return;
  ink(s, "stroke", x->line);
  attribute(b, "stroke-width", x->width);
  for (size_t i = 0; i < x->dashes; i++) {
    hc_buffer_text(b, i == 0 ? " stroke-dasharray=\"" : " ");
    number(b, x->dash[i] * x->width);
  }
  if (x->dashes > 0) hc_buffer_text(b, "\"");
}

/* ---- shapes ---- */

static bool is_known(const hc_point *p)
{
  return p->x == p->x && p->y == p->y;
}

/* A point alone between gaps is a dot: a line of no length with round ends. */
static void path(hc_surface *surface, const hc_point *p, size_t n, bool is_closed, const hc_style *x)
{
  hc_svg *s = svg_of(surface);
  hc_buffer *b = &s->body.text;
  bool is_down = false;
  hc_buffer_text(b, "<path");
  style(s, x);
  if (x->dashes > 0) hc_buffer_text(b, " stroke-linecap=\"butt\"");
  hc_buffer_text(b, " d=\"");
  for (size_t i = 0; i < n; i++) {
    if (!is_known(&p[i])) {
      is_down = false;
      continue;
    }
    hc_buffer_text(b, is_down ? "L" : "M");
    number(b, p[i].x);
    hc_buffer_text(b, " ");
    number(b, p[i].y);
    if (!is_down && !is_closed && (i + 1 == n || !is_known(&p[i + 1]))) hc_buffer_text(b, "h0");
    is_down = true;
  }
  hc_buffer_text(b, is_closed ? "Z\"/>\n" : "\"/>\n");
}

static void rect(hc_surface *surface, const hc_box *r, const hc_style *x)
{
  hc_svg *s = svg_of(surface);
  hc_buffer_text(&s->body.text, "<rect");
  style(s, x);
  attribute(&s->body.text, "x", r->x);
  attribute(&s->body.text, "y", r->y);
  attribute(&s->body.text, "width", HC_MAX(r->width, 0.0));
  attribute(&s->body.text, "height", HC_MAX(r->height, 0.0));
  hc_buffer_text(&s->body.text, "/>\n");
}

static void disc(hc_surface *surface, double cx, double cy, double radius, const hc_style *x)
{
  hc_svg *s = svg_of(surface);
  hc_buffer_text(&s->body.text, "<circle");
  style(s, x);
  attribute(&s->body.text, "cx", cx);
  attribute(&s->body.text, "cy", cy);
  attribute(&s->body.text, "r", radius);
  hc_buffer_text(&s->body.text, "/>\n");
}

static void text(hc_surface *surface, double x, double y, const char *words, const hc_text_style *t)
{
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  hc_svg *s = svg_of(surface);
  hc_buffer *b = &s->body.text;
  char word[8];
  hc_ink_word(t->ink, word);
  hc_buffer_printf(b, "<text class=\"hc-f-%s\"", word);
  ink(s, "fill", t->ink);
  hc_buffer_text(b, anchors[t->anchor]);
  if (t->is_bold) hc_buffer_text(b, " font-weight=\"bold\"");
  attribute(b, "font-size", t->size);
  if (t->is_upward) {
    hc_buffer_text(b, " transform=\"translate(");
    number(b, x);
    hc_buffer_text(b, " ");
    number(b, y);
    hc_buffer_text(b, ") rotate(-90)\"");
  } else {
    attribute(b, "x", x);
    attribute(b, "y", y);
  }
  hc_buffer_text(b, ">");
  hc_xml_text(&s->body.text, words, strlen(words));
  hc_buffer_text(b, "</text>\n");
}

/* The name of a clip is made of its place, which pages of several pictures share only if they may. */
static void clip(hc_surface *surface, const hc_box *r)
{
  hc_svg *s = svg_of(surface);
  hc_buffer *b = &s->body.text;
  if (s->is_clipped) hc_buffer_text(b, "</g>\n");
  s->is_clipped = r != NULL;
  if (!r) return;
  const double edges[4] = {r->x, r->y, r->width, r->height};
  char name[80];
  int n = snprintf(name, sizeof name, "hc-clip");
  for (int i = 0; i < 4; i++)
    n += snprintf(name + n, sizeof name - (size_t)n, "-%lld", (long long)(edges[i] * 100 + 0.5));
  hc_buffer_printf(b, "<clipPath id=\"%s\"><rect", name);
  attribute(b, "x", r->x);
  attribute(b, "y", r->y);
  attribute(b, "width", r->width);
  attribute(b, "height", r->height);
  hc_buffer_printf(b, "/></clipPath><g clip-path=\"url(#%s)\">\n", name);
}

static void tip(hc_surface *surface, const char *words)
{
  hc_svg *s = svg_of(surface);
  if (s->is_tipped) hc_buffer_text(&s->body.text, "</g>\n");
  s->is_tipped = words != NULL;
  if (!words) return;
  char fit[256];
  hc_text_fit(words, 1, false, 0, fit);
  hc_buffer_text(&s->body.text, "<g><title>");
  hc_xml_text(&s->body.text, fit, strlen(fit));
  hc_buffer_text(&s->body.text, "</title>");
}

/* ---- the page ---- */

hc_rc hc_svg_new(const hc_allocator *a, double width, double height, hc_svg **out)
{
  hc_svg *s = hc_alloc(a, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->surface = (hc_surface){.width = width,
                            .height = height,
                            .path = path,
                            .rect = rect,
                            .disc = disc,
                            .text = text,
                            .clip = clip,
                            .tip = tip};
  s->allocator = a;
  hc_emit_init(&s->body, a, &s->nowhere, NULL);
  *out = s;
  return 0;
}

hc_surface *hc_svg_surface(hc_svg *s)
{
  return &s->surface;
}

void hc_svg_dark(hc_buffer *out, const bool *used)
{
  char word[8];
  hc_buffer_text(out, "<style>@media (prefers-color-scheme:dark){:root{");
  for (int i = 0; i < HC_INK_COUNT; i++) {
    if (!used[i]) continue;
    hc_ink_word((hc_ink)i, word);
    hc_buffer_printf(out, "--hc-%s:#%06x;", word, (unsigned)hc_ink_dark((hc_ink)i));
  }
  hc_buffer_text(out, "}");
  for (int i = 0; i < HC_INK_COUNT; i++) {
    if (!used[i]) continue;
    hc_ink_word((hc_ink)i, word);
    hc_buffer_printf(out, ".hc-f-%s{fill:var(--hc-%s)}.hc-s-%s{stroke:var(--hc-%s)}", word, word, word, word);
  }
  hc_buffer_text(out, "}</style>\n");
}

static void head(hc_svg *s, const hc_picture_words *words, hc_emit *m)
{
  hc_buffer *b = &m->text;
  hc_buffer_text(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"");
  number(b, s->surface.width * 25.4 / 72);
  hc_buffer_text(b, "mm\" height=\"");
  number(b, s->surface.height * 25.4 / 72);
  hc_buffer_text(b, "mm\" viewBox=\"0 0 ");
  number(b, s->surface.width);
  hc_buffer_text(b, " ");
  number(b, s->surface.height);
  hc_buffer_text(b, "\" font-family=\"" HC_SVG_FONTS "\" "
                    "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n");
  if (words->title) {
    hc_buffer_text(b, "<title>");
    hc_xml_text(&m->text, words->title, strlen(words->title));
    hc_buffer_text(b, "</title>\n");
  }
  if (words->detail) {
    hc_buffer_text(b, "<desc>");
    hc_xml_text(&m->text, words->detail, strlen(words->detail));
    hc_buffer_text(b, "</desc>\n");
  }
  s->used[HC_INK_GROUND] = true;
  hc_svg_dark(b, s->used);
  hc_buffer_printf(b, "<rect class=\"hc-f-ground\" fill=\"#%06x\" width=\"100%%\" height=\"100%%\"/>\n",
                   (unsigned)hc_ink_light(HC_INK_GROUND));
}

hc_rc hc_svg_end(hc_svg *s, hc_rc rc, const hc_picture_words *words, const hc_sink *sink, hc_error *e)
{
  hc_emit out;
  hc_emit_init(&out, s->allocator, sink, e);
  clip(&s->surface, NULL);
  tip(&s->surface, NULL);
  if (rc >= 0) head(s, words, &out);
  if (s->body.text.failed && rc >= 0)
    rc = hc_fail(e, HC_ENOMEM, "picture", 0, 0, "out of memory for the picture");
  if (rc >= 0 && s->body.text.size > 0) hc_buffer_add(&out.text, s->body.text.data, s->body.text.size);
  hc_buffer_text(&out.text, "</svg>\n");
  hc_buffer_fini(&s->body.text);
  hc_free(s->allocator, s, sizeof *s);
  return hc_emit_end(&out, rc);
}
