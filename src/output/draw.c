/* draw.c -- what is the same on every surface: markers, and texts. See draw.h. */
#include "output/draw.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/util.h"

/* ---- shapes ---- */

void hc_draw_line(hc_surface *s, double x1, double y1, double x2, double y2, double width, hc_ink ink)
{
  const hc_point p[2] = {{x1, y1}, {x2, y2}};
  s->path(s, p, 2, false, &(hc_style){.width = width, .line = ink});
}

/* All look as large: a triangle of the same width as a disc has half its area. */
void hc_draw_marker(hc_surface *s, double x, double y, hc_marker m, double size, hc_ink ink)
{
  const double r = size / 2, w = r * 0.36; /* half the width of a bar of a cross */
  const hc_style solid = {.fill = 1, .area = ink};
  switch (m) {
    case HC_MARKER_DISC: s->disc(s, x, y, r, &solid); return;
    case HC_MARKER_RING:
      s->disc(s, x, y, r * 0.85,
              &(hc_style){.fill = 1, .area = HC_INK_GROUND, .width = r * 0.5, .line = ink});
      return;
    case HC_MARKER_SQUARE: {
      const double a = r * 0.88;
      s->rect(s, &(hc_box){x - a, y - a, 2 * a, 2 * a}, &solid);
      return;
    }
    case HC_MARKER_UP:
    case HC_MARKER_DOWN: {
      const double up = m == HC_MARKER_UP ? 1.2 : -1.2;
      s->path(s,
              (hc_point[]){{x, y - r * up}, {x + r * 1.1, y + r * 0.7 * up}, {x - r * 1.1, y + r * 0.7 * up}},
              3, true, &solid);
      return;
    }
    case HC_MARKER_DIAMOND: {
      const double a = r * 1.2;
      s->path(s, (hc_point[]){{x, y - a}, {x + a, y}, {x, y + a}, {x - a, y}}, 4, true, &solid);
      return;
    }
    case HC_MARKER_PLUS: {
      const hc_point p[] = {{x - w, y - r}, {x + w, y - r}, {x + w, y - w}, {x + r, y - w},
                            {x + r, y + w}, {x + w, y + w}, {x + w, y + r}, {x - w, y + r},
                            {x - w, y + w}, {x - r, y + w}, {x - r, y - w}, {x - w, y - w}};
      s->path(s, p, HC_ARRAY_LEN(p), true, &solid);
      return;
    }
    case HC_MARKER_CROSS: {
      const double a = r * 0.95, b = w * 1.2, c = a - b;
      const hc_point p[] = {{x - a, y - c}, {x - c, y - a}, {x, y - b},     {x + c, y - a},
                            {x + a, y - c}, {x + b, y},     {x + a, y + c}, {x + c, y + a},
                            {x, y + b},     {x - c, y + a}, {x - a, y + c}, {x - b, y}};
      s->path(s, p, HC_ARRAY_LEN(p), true, &solid);
      return;
    }
  }
}

/* ---- how wide a text is ---- */

/* Thousandths of the font's size, of the characters from the blank to the tilde: Helvetica's metrics (Adobe
 * Core 35 AFM files, 1990). Bold is 6 % wider on average. */
static const uint16_t widths[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

static double width_of(uint32_t code, double size, bool is_bold)
{
  const unsigned w = code >= 0x20 && code < 0x7f        ? widths[code - 0x20]
                     : code >= 0x300 && code < 0x370    ? 0 /* laid over what is before it */
                     : code >= 0x1100 && code < 0x1f000 ? 1000
                     : code >= 0x1f000                  ? 1200
                     : code >= 0x400 && code < 0x530    ? 620
                                                        : 580;
  return (double)w / 1000 * size * (is_bold ? 1.06 : 1);
}

/* Marks that turn the direction of what follows, or show nothing: a name may not rearrange a picture. */
static bool is_dropped(uint32_t code)
{
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0x61c || code == 0xfeff;
}

/* The next character as it is shown. @return its bytes in the text */
static size_t shown(const char *s, size_t n, uint32_t *code)
{
  const size_t step = hc_utf8_decode(s, n, code);
  const bool is_control = step > 0 && (*code < 0x20 || (*code >= 0x7f && *code < 0xa0));
  if (step == 0 || is_control || *code == 0xfffe || *code == 0xffff) *code = 0xfffd;
  return step ? step : 1;
}

double hc_text_width(const char *text, double size, bool is_bold)
{
  const size_t n = strlen(text);
  double sum = 0;
  uint32_t code;
  for (size_t i = 0; i < n;) {
    i += shown(text + i, n - i, &code);
    if (!is_dropped(code)) sum += width_of(code, size, is_bold);
  }
  return sum;
}

static size_t put(uint32_t code, char *out)
{
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  const size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
  out[0] = (char)(n == 2 ? 0xc0 | code : n == 3 ? 0xe0 | code : 0xf0 | code);
  return n;
}

void hc_text_fit(const char *text, double size, bool is_bold, double most, char *out)
{
  enum { ROOM = 255 - 3 }; /* an ellipsis has three bytes */
  const double dots = width_of(0x2026, size, is_bold) * 1.7;
  const size_t n = strlen(text);
  size_t used = 0, cut = 0; /* cut: where an ellipsis would still fit */
  double sum = 0;
  uint32_t code;
  for (size_t i = 0; i < n;) {
    i += shown(text + i, n - i, &code);
    if (is_dropped(code)) continue;
    sum += width_of(code, size, is_bold);
    if (used + 4 > ROOM || (most > 0 && sum > most)) {
      memcpy(out + cut, "\xe2\x80\xa6", 4);
      return;
    }
    used += put(code, out + used);
    if (most <= 0 || sum + dots <= most) cut = used;
  }
  out[used] = '\0';
}

double hc_draw_text(hc_surface *s, double x, double y, const char *text, const hc_text_style *style)
{
  char fit[256];
  hc_text_fit(text, style->size, style->is_bold, style->most, fit);
  if (fit[0] != '\0') s->text(s, x, y, fit, style);
  return hc_text_width(fit, style->size, style->is_bold);
}
