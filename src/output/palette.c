/* palette.c -- see palette.h. The ramp is one hue from the ground to a strong end, in equal steps of
 * lightness as eyes see it (Oklab, Ottosson 2020), so that it reads in grey print and under any colour
 * vision. */
#include "output/palette.h"

#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/util.h"

#define MOST_NAMES 10000

typedef struct pair {
  uint32_t light, dark;
} pair;

static const pair plain[] = {
    [HC_INK_GROUND] = {0xffffff, 0x14171c}, [HC_INK_TEXT] = {0x1b1e23, 0xe8eaed},
    [HC_INK_SOFT] = {0x5a6069, 0xa3abb6},   [HC_INK_RULE] = {0xdfe2e6, 0x2e343c},
    [HC_INK_SHADE] = {0xf1f3f5, 0x1e232a},  [HC_INK_REST] = {0x9aa1a9, 0x6f7781},
};

/* The first four and the seventh are Okabe and Ito's own; the others' lightness was sought. */
static const pair lines[HC_SERIES] = {
    {0x0072b2, 0x0072b2}, /* blue */
    {0xd55e00, 0xd55e00}, /* vermillion */
    {0x009e73, 0x009e73}, /* green */
    {0xcc79a7, 0xcc79a7}, /* purple */
    {0x0399fd, 0x56b4e9}, /* sky */
    {0x502603, 0xe69f00}, /* orange: on white as dark as earth */
    {0x000000, 0xf2f2f2}, /* black */
    {0x66561a, 0xf0e442}, /* yellow: on white as dark as olives */
};

/* As published; black is softer, since an area of it would be all that is seen. */
static const pair areas[HC_SERIES] = {
    {0x0072b2, 0x0072b2}, {0xd55e00, 0xd55e00}, {0x009e73, 0x009e73}, {0xcc79a7, 0xcc79a7},
    {0x56b4e9, 0x56b4e9}, {0xe69f00, 0xe69f00}, {0x4a4f57, 0xf2f2f2}, {0xf0e442, 0xf0e442},
};

/* ---- the ramp ---- */

typedef struct lab {
  double l, a, b;
} lab;

static const lab ramp_light[2] = {{0.975, -0.004, -0.012}, {0.300, -0.020, -0.095}};
static const lab ramp_dark[2] = {{0.250, -0.008, -0.020}, {0.930, -0.030, -0.045}};

static uint32_t channel(double x)
{
  x = HC_MIN(HC_MAX(x, 0.0), 1.0);
  x = x <= 0.0031308 ? 12.92 * x : 1.055 * hc_pow(x, 1 / 2.4) - 0.055;
  return (uint32_t)(x * 255 + 0.5);
}

static uint32_t rgb_of(lab c)
{
  double l = c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, m = c.l - 0.1055613458 * c.a - 0.0638541728 * c.b,
         s = c.l - 0.0894841775 * c.a - 1.2914855480 * c.b;
  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  return channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16 |
         channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8 |
         channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

static uint32_t ramp(const lab *ends, int step)
{
  const double x = (double)step / (HC_RAMP - 1), bow = 4 * x * (1 - x) * 0.035; /* fuller in the middle */
  return rgb_of((lab){ends[0].l + (ends[1].l - ends[0].l) * x, ends[0].a + (ends[1].a - ends[0].a) * x,
                      ends[0].b + (ends[1].b - ends[0].b) * x - bow});
}

/* ---- inks ---- */

uint32_t hc_ink_light(hc_ink ink)
{
  if (ink < HC_INK_LINE) return plain[ink].light;
  if (ink < HC_INK_AREA) return lines[ink - HC_INK_LINE].light;
  if (ink < HC_INK_RAMP) return areas[ink - HC_INK_AREA].light;
  return ramp(ramp_light, (int)(ink - HC_INK_RAMP));
}

uint32_t hc_ink_dark(hc_ink ink)
{
  if (ink < HC_INK_LINE) return plain[ink].dark;
  if (ink < HC_INK_AREA) return lines[ink - HC_INK_LINE].dark;
  if (ink < HC_INK_RAMP) return areas[ink - HC_INK_AREA].dark;
  return ramp(ramp_dark, (int)(ink - HC_INK_RAMP));
}

void hc_ink_word(hc_ink ink, char *out)
{
  static const char *const words[] = {"ground", "text", "soft", "rule", "shade", "rest"};
  const unsigned i = ink;
  if (ink < HC_INK_LINE) (void)snprintf(out, 8, "%s", words[ink]);
  else if (ink < HC_INK_AREA) (void)snprintf(out, 8, "%u", (i - HC_INK_LINE + 1) % 100);
  else if (ink < HC_INK_RAMP) (void)snprintf(out, 8, "a%u", (i - HC_INK_AREA + 1) % 100);
  else (void)snprintf(out, 8, "r%u", (i - HC_INK_RAMP) % 100);
}

static double light_of(uint32_t channel)
{
  const double x = (double)(channel & 255) / 255;
  return x <= 0.04045 ? x / 12.92 : hc_pow((x + 0.055) / 1.055, 2.4);
}

/* Below a luminance of 0.179 white has the greater contrast to it (WCAG 2.1), above black. */
bool hc_ink_is_deep(hc_ink ink, bool on_dark)
{
  const uint32_t c = on_dark ? hc_ink_dark(ink) : hc_ink_light(ink);
  return 0.2126 * light_of(c >> 16) + 0.7152 * light_of(c >> 8) + 0.0722 * light_of(c) < 0.179;
}

hc_ink hc_ink_of(uint32_t i)
{
  return (hc_ink)(HC_INK_LINE + i % HC_SERIES);
}

/* From one round of colours to the next markers and dashes move on by one, so that 64 things look unlike. */
hc_marker hc_marker_of(uint32_t i)
{
  return (hc_marker)((i + i / HC_SERIES) % HC_MARKERS);
}

size_t hc_dash_of(uint32_t i, double *out)
{
  static const double dashes[HC_SERIES][6] = {
      {0},     {5, 2}, {1.5, 1.5}, {6, 1.8, 1.5, 1.8}, {8, 2.5}, {3, 1.5}, {6, 1.5, 1.5, 1.5, 1.5, 1.5},
      {2.5, 3}};
  const double *d = dashes[(i + i / HC_SERIES) % HC_SERIES];
  size_t n = 0;
  for (; n < 6 && d[n] > 0; n++) out[n] = d[n];
  return n;
}

/* ---- which thing has which ---- */

void hc_colours_init(hc_colours *c, const hc_allocator *a)
{
  hc_names_init(&c->names, a, MOST_NAMES);
  c->gaps = 0;
}

void hc_colours_fini(hc_colours *c)
{
  hc_names_fini(&c->names);
}

/* An empty line is a name that nothing has. */
static hc_rc keep_free(hc_colours *c)
{
  char name[16];
  uint32_t id;
  const int n = snprintf(name, sizeof name, "\n%u", c->gaps++);
  return hc_names_add(&c->names, name, (size_t)n, &id);
}

hc_rc hc_colours_read(hc_colours *c, const char *text, size_t size, const char *where, hc_error *e)
{
  uint32_t line = 0;
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    const size_t whole = end ? (size_t)(end - text) - at : size - at;
    const size_t n = whole > 0 && text[at + whole - 1] == '\r' ? whole - 1 : whole;
    const size_t before = c->names.count;
    uint32_t id;
    line++;
    const hc_rc rc = n > 0 ? hc_names_add(&c->names, text + at, n, &id) : keep_free(c);
    if (rc < 0)
      return hc_fail(e, rc, where, line, 0, "the list of colours has too many names; %d are read at most",
                     MOST_NAMES);
    if (c->names.count == before)
      return hc_fail(e, HC_EINPUT, where, line, 0,
                     "\"%.*s\" stands in the list twice, and a name has one colour; delete one of the lines",
                     (int)HC_MIN(n, (size_t)80), text + at);
    at += whole + 1;
  }
  return 0;
}

hc_rc hc_colours_of(hc_colours *c, const char *name, uint32_t *out)
{
  return hc_names_add(&c->names, name, strcspn(name, "\n\r"), out);
}

void hc_colours_write(const hc_colours *c, hc_buffer *out)
{
  for (size_t i = 0; i < c->names.count; i++) {
    if (c->names.names[i][0] != '\n') hc_buffer_text(out, c->names.names[i]);
    hc_buffer_text(out, "\n");
  }
}
