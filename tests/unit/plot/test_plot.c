/* test_plot.c -- what pictures are made of: colours that are told apart by all eyes, axes whose labels stand
 * apart, texts that are shown as far as there is room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/text.h"
#include "base/util.h"
#include "output/draw.h"
#include "output/palette.h"
#include "output/scale.h"
#include "plot/job.h"
#include "plugin/registry.h"

/* ---- colours as eyes see them ---- */

typedef struct rgb {
  double c[3]; /* linear light */
} rgb;

static rgb light_of(uint32_t colour)
{
  rgb x;
  for (int i = 0; i < 3; i++) {
    const double v = (double)(colour >> (16 - 8 * i) & 255) / 255;
    x.c[i] = v <= 0.04045 ? v / 12.92 : hc_pow((v + 0.055) / 1.055, 2.4);
  }
  return x;
}

/* WCAG 2.1, "contrast ratio": of relative luminances. */
static double contrast(uint32_t a, uint32_t b)
{
  static const double weights[3] = {0.2126, 0.7152, 0.0722};
  double l[2] = {0, 0};
  const rgb x[2] = {light_of(a), light_of(b)};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) l[k] += weights[i] * x[k].c[i];
  return (HC_MAX(l[0], l[1]) + 0.05) / (HC_MIN(l[0], l[1]) + 0.05);
}

/* Normal sight, then protanopia, deuteranopia and tritanopia: Machado, Oliveira and Fernandes 2009,
 * doi:10.1109/TVCG.2009.113, table 1, severity 1.0. They apply to linear light. */
static const double sights[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

static double cube_root(double x)
{
  return x > 0 ? hc_pow(x, 1.0 / 3) : 0;
}

/* Oklab (Ottosson 2020, bottosson.github.io/posts/oklab), times 100: two patches beside each other are told
 * apart from a distance of about 2 on. */
static void lab_of(uint32_t colour, int sight, double *out)
{
  const rgb x = light_of(colour);
  double c[3];
  for (int i = 0; i < 3; i++) {
    c[i] = 0;
    for (int j = 0; j < 3; j++) c[i] += sights[sight][i][j] * x.c[j];
    c[i] = HC_MIN(HC_MAX(c[i], 0.0), 1.0);
  }
  const double l = cube_root(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]),
               m = cube_root(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]),
               s = cube_root(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
  out[0] = 100 * (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s);
  out[1] = 100 * (1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s);
  out[2] = 100 * (0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s);
}

static double distance(uint32_t a, uint32_t b, int sight)
{
  double x[3], y[3], sum = 0;
  lab_of(a, sight, x);
  lab_of(b, sight, y);
  for (int i = 0; i < 3; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return hc_sqrt(sum);
}

static double least_distance(hc_ink first, bool dark, int sight)
{
  double least = 1e9;
  for (int i = 0; i < HC_SERIES; i++)
    for (int j = 0; j < i; j++) {
      const hc_ink a = (hc_ink)((int)first + i), b = (hc_ink)((int)first + j);
      least = HC_MIN(least, dark ? distance(hc_ink_dark(a), hc_ink_dark(b), sight)
                                 : distance(hc_ink_light(a), hc_ink_light(b), sight));
    }
  return least;
}

/* The published set has 15.6 with normal sight, and 9.6, 7.6 and 8.5 with the three deficiencies (the same
 * arithmetic in Python): what was changed for contrast must not be much nearer than that. */
static void test_series_are_told_apart(void **state)
{
  HC_UNUSED(state);
  for (int dark = 0; dark < 2; dark++)
    for (int sight = 0; sight < 4; sight++) {
      assert_true(least_distance(HC_INK_LINE, dark, sight) > (sight == 0 ? 13 : 7));
      assert_true(least_distance(HC_INK_AREA, dark, sight) > (sight == 0 ? 13 : 7));
    }
  assert_true(distance(0x0072b2, 0xd55e00, 0) > 30); /* the measure: blue and vermillion are far apart */
  assert_true(distance(0xcc0000, 0x008800, 2) <
              12); /* red and green, to an eye without green cones, are not */
}

/* A line needs 3, text 4.5. */
static void test_contrast_to_the_ground(void **state)
{
  const uint32_t white = hc_ink_light(HC_INK_GROUND), night = hc_ink_dark(HC_INK_GROUND);
  HC_UNUSED(state);
  assert_true(contrast(0xffffff, 0) > 20.99 && contrast(0xffffff, 0) < 21.01);
  for (int i = 0; i < HC_SERIES; i++) {
    assert_true(contrast(hc_ink_light((hc_ink)(HC_INK_LINE + i)), white) >= 3);
    assert_true(contrast(hc_ink_dark((hc_ink)(HC_INK_LINE + i)), night) >= 3);
  }
  assert_true(contrast(hc_ink_light(HC_INK_TEXT), white) >= 7);
  assert_true(contrast(hc_ink_dark(HC_INK_TEXT), night) >= 7);
  assert_true(contrast(hc_ink_light(HC_INK_SOFT), white) >= 4.5);
  assert_true(contrast(hc_ink_dark(HC_INK_SOFT), night) >= 4.5);
  /* grey is seen, and does not compete */
  assert_true(contrast(hc_ink_light(HC_INK_REST), white) > 2 &&
              contrast(hc_ink_light(HC_INK_REST), white) < 3);
}

/* Equal steps of lightness, one way: little is near the ground, much is far from it. */
static void test_ramp(void **state)
{
  HC_UNUSED(state);
  for (int dark = 0; dark < 2; dark++) {
    double before[3], now[3];
    for (int i = 0; i < HC_RAMP; i++) {
      const hc_ink ink = (hc_ink)(HC_INK_RAMP + i);
      lab_of(dark ? hc_ink_dark(ink) : hc_ink_light(ink), 0, now);
      if (i > 0) assert_in_range((int)(10 * (dark ? now[0] - before[0] : before[0] - now[0])), 35, 55);
      memcpy(before, now, sizeof before);
    }
  }
}

/* 64 things in a row: no two have the same colour and dashes, nor the same colour and marker. */
static void test_looks(void **state)
{
  HC_UNUSED(state);
  for (uint32_t i = 0; i < 64; i++)
    for (uint32_t j = 0; j < i; j++) {
      double a[6], b[6];
      const size_t n = hc_dash_of(i, a), m = hc_dash_of(j, b);
      if (hc_ink_of(i) != hc_ink_of(j)) continue;
      assert_true(n != m || memcmp(a, b, n * sizeof *a) != 0);
      assert_int_not_equal(hc_marker_of(i), hc_marker_of(j));
    }
}

/* ---- which thing has which ---- */

static void test_colours_are_kept(void **state)
{
  static const char list[] = "easy\n\nfcfs\r\n";
  hc_colours c;
  hc_buffer out;
  hc_error e = {0};
  uint32_t n;
  HC_UNUSED(state);
  hc_buffer_init(&out, hc_default_allocator());
  hc_colours_init(&c, hc_default_allocator());
  assert_int_equal(hc_colours_read(&c, list, sizeof list - 1, "colours.txt", &e), 0);
  assert_int_equal(hc_colours_of(&c, "fcfs", &n), 0);
  assert_int_equal(n, 2); /* the empty line keeps 1 free */
  assert_int_equal(hc_colours_of(&c, "sjf", &n), 0);
  assert_int_equal(n, 3);
  assert_int_equal(hc_colours_of(&c, "easy", &n), 0);
  assert_int_equal(n, 0);
  hc_colours_write(&c, &out);
  assert_string_equal(out.data, "easy\n\nfcfs\nsjf\n");
  assert_int_equal(hc_colours_read(&c, "easy\n", 5, "colours.txt", &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "twice"));
  assert_int_equal(e.line, 1);
  hc_colours_fini(&c);
  hc_buffer_fini(&out);
}

/* ---- axes ---- */

static void assert_labels(const hc_scale *s, const char *wanted)
{
  char got[1024] = "";
  for (size_t i = 0; i < s->count; i++)
    (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? "|" : "", s->ticks[i].label);
  assert_string_equal(got, wanted);
}

static hc_scale scale_of(hc_scale_kind kind, double low, double high, const char *unit, double length,
                         bool is_wide)
{
  hc_scale s = {.kind = kind, .low = low, .high = high, .from = 0, .to = length};
  hc_scale_mark(&s, unit, &(hc_room){length, 7, true}, is_wide);
  return s;
}

static void test_linear_marks(void **state)
{
  HC_UNUSED(state);
  hc_scale s = scale_of(HC_SCALE_LINEAR, 0, 0.93, "1", 100, true);
  assert_labels(&s, "0|0.2|0.4|0.6|0.8|1");
  assert_float_equal(s.high, 1, 1e-12); /* the end moved out to a mark */
  s = scale_of(HC_SCALE_LINEAR, 0, 0.93, "1", 30, false);
  assert_labels(&s, "0|0.5");
  s = scale_of(HC_SCALE_LINEAR, -3, 12, "1", 100, true);
  assert_labels(&s, "-5|0|5|10|15");
  s = scale_of(HC_SCALE_LINEAR, 0, 9000, "s", 60, true); /* two hours and a half are said in minutes: 150 */
  assert_string_equal(s.unit, "min");
  assert_labels(&s, "0|50|100|150");
  s = scale_of(HC_SCALE_LINEAR, 0, 40 * 3600, "s", 60, false); /* 40 hours, in hours */
  assert_string_equal(s.unit, "h");
  assert_labels(&s, "0|10|20|30|40");
  s = scale_of(HC_SCALE_LINEAR, 0, 3e6, "1", 80, false);
  assert_labels(&s, "0|1M|2M|3M");
  s = scale_of(HC_SCALE_LINEAR, 7, 7, "1", 80, false); /* one value has an axis, too */
  assert_true(s.low < 7 && s.high > 7 && s.count >= 2);
}

static void test_logarithmic_marks(void **state)
{
  HC_UNUSED(state);
  hc_scale s = scale_of(HC_SCALE_LOG, 1, 100, "1", 120, false);
  assert_labels(&s, "1|2|5|10|20|50|100");
  assert_float_equal(hc_scale_at(&s, 10), 60, 1e-9);
  assert_float_equal(hc_scale_at(&s, 0), 0, 0); /* what has no logarithm is at the low end */
  s = scale_of(HC_SCALE_LOG, 1, 100, "1", 60, false);
  assert_labels(&s, "1|||10|||100");
  s = scale_of(HC_SCALE_LOG, 0.5, 1000000, "s", 320, false); /* from half a second to eleven days */
  assert_labels(&s, "1 s|10 s|1 min|10 min|1 h|10 h|1 d|10 d");
  s = scale_of(HC_SCALE_LOG, 0.5, 1000000, "s", 200, false); /* "10 min" would touch "1 min" */
  assert_labels(&s, "1 s||1 min||1 h||1 d|");
}

static hc_scale time_of(double low, double high, const hc_calendar_of_site *c, double length)
{
  hc_scale s = {.kind = HC_SCALE_TIME, .low = low, .high = high, .from = 0, .to = length};
  assert_int_equal(hc_scale_mark_time(&s, c, &(hc_room){length, 7, true}), 0);
  return s;
}

/* 1711800000 is Saturday, 30 March 2024, 12:00 UTC, 13:00 in Stockholm, whose clocks went forward at 01:00
 * UTC on the 31st. */
static void test_calendar_marks(void **state)
{
  double weekends[4][2];
  hc_calendar_of_site c = {
      .unix_start = 1711800000, .allocator = hc_default_allocator(), .zone = "Europe/Stockholm"};
  HC_UNUSED(state);
  hc_scale s = time_of(0, 2 * 86400, &c, 160);
  assert_labels(&s, "31 Mar|12:00|1 Apr|12:00");
  assert_float_equal(s.ticks[0].at, 11 * 3600, 0); /* midnight, from 13:00 */
  assert_float_equal(s.ticks[1].at, 22 * 3600, 0); /* noon is eleven hours later */
  assert_int_equal(hc_scale_weekends(&s, &c, weekends, 4), 1);
  assert_float_equal(weekends[0][0], 0, 0);         /* it began before */
  assert_float_equal(weekends[0][1], 34 * 3600, 0); /* Monday 00:00 is 22:00 UTC */
  s = time_of(0, 60 * 86400, &c, 200);
  assert_labels(&s, "1 Apr|15 Apr|29 Apr|13 May|27 May"); /* Mondays */
  s = time_of(0, 700 * 86400.0, &c, 200);
  assert_labels(&s, "Apr|Jul|Oct|2025|Apr|Jul|Oct|2026"); /* until 28 February 2026 */
  c.zone[0] = '\0';                                       /* a fixed offset has no change of clocks */
  c.offset = 3600;
  s = time_of(0, 2 * 86400, &c, 160);
  assert_float_equal(s.ticks[1].at, 23 * 3600, 0);
  c.unix_start = HC_UNKNOWN; /* no date: how long since the origin */
  s = time_of(0, 10 * 86400, &c, 160);
  assert_labels(&s, "0|1|2|3|4|5|6|7|8|9|10");
  assert_string_equal(s.unit, "d");
}

/* Of a hundred names as many as fit, each as far as there is room. */
static void test_named_marks(void **state)
{
  char texts[100][24];
  const char *names[100];
  hc_scale s = {.kind = HC_SCALE_STANDING, .from = 0, .to = 200};
  double end = -1e9;
  HC_UNUSED(state);
  for (int i = 0; i < 100; i++) {
    (void)snprintf(texts[i], sizeof texts[i], "policy-%d", i);
    names[i] = texts[i];
  }
  hc_scale_mark_names(&s, names, 100, &(hc_room){200, 7, true});
  assert_in_range(s.count, 3, 6);
  for (size_t i = 0; i < s.count; i++) {
    const double half = hc_text_width(s.ticks[i].label, 7, false) / 2, at = hc_scale_at(&s, s.ticks[i].at);
    assert_true(at - half > end);
    end = at + half;
  }
}

/* ---- texts ---- */

static void test_texts_are_fit(void **state)
{
  char out[256], *endless = malloc(10001);
  HC_UNUSED(state);
  hc_text_fit("easy", 8, false, 100, out);
  assert_string_equal(out, "easy");
  /* e, a, s, y: 556 + 556 + 500 + 500 thousandths (Helvetica's metrics) */
  assert_float_equal(hc_text_width("easy", 1000, false), 2112, 1e-9);
  memset(endless, 'x', 10000);
  endless[10000] = '\0';
  hc_text_fit(endless, 8, false, 50, out);
  assert_true(hc_text_width(out, 8, false) <= 50 && strlen(out) < 20);
  assert_string_equal(out + strlen(out) - 3, "\xe2\x80\xa6");
  hc_text_fit(endless, 8, false, 0, out); /* no limit but that of the room */
  assert_true(strlen(out) < 256);
  free(endless);
  /* what turns the direction of writing is dropped, what is no character is shown as one */
  hc_text_fit("a\xe2\x80\xae"
              "b\x01\xff",
              8, false, 0, out);
  assert_string_equal(out, "ab\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_words(void **state)
{
  char out[120];
  HC_UNUSED(state);
  hc_figure_words("wait_mean", out);
  assert_string_equal(out, "mean wait");
  hc_figure_words("bounded_slowdown_p90", out);
  assert_string_equal(out, "90th percentile of bounded slowdown");
  hc_figure_words("utilisation", out);
  assert_string_equal(out, "utilisation");
  hc_axis_words("policy.order", out);
  assert_string_equal(out, "order");
  hc_axis_words("wait / 0.5", out);
  assert_string_equal(out, "wait / 0.5");
  hc_title_words("mean wait", "h", out);
  assert_string_equal(out, "Mean wait (h)");
}

/* ---- pages ---- */

/* What cairo's fonts keep until the process ends is no leak of ours. */
HC_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
  return "leak:libfontconfig\n";
}

typedef struct page {
  hc_buffer bytes;
  hc_error error;
  hc_rc rc;
} page;

static hc_rc take_bytes(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static void draw_table(hc_registry *r, const char *path, hc_plot_form form, page *out)
{
  const hc_plot_request q = {
      .chart = "curve", .files = &path, .file_count = 1, .form = form, .width = 84, .dpi = 72};
  *out = (page){.rc = 0};
  hc_buffer_init(&out->bytes, hc_default_allocator());
  out->rc = hc_plot(hc_default_allocator(), r, &q, &(hc_sink){&out->bytes, take_bytes}, &out->error);
}

/* PDF and PNG twice: the same bytes, of the size that was asked for. Where cairo is not installed both are
 * refused with what to do, and SVG is not. */
static void test_pages(void **state)
{
  static const char table[] =
      "figure,unit,row,column,mean,low,high\nwait_mean,s,easy,1,5,4,6\nwait_mean,s,easy,2,9,8,10\n";
  const char *path = "test_plot_table.csv";
  hc_registry *r;
  page one, two;
  FILE *f = fopen(path, "w");
  HC_UNUSED(state);
  assert_non_null(f);
  assert_int_equal(fwrite(table, 1, sizeof table - 1, f), sizeof table - 1);
  assert_int_equal(fclose(f), 0);
  assert_int_equal(hc_registry_new(hc_default_allocator(), &r), 0);
  draw_table(r, path, HC_PLOT_SVG, &one);
  assert_int_equal(one.rc, 0);
  assert_non_null(strstr(one.bytes.data, "width=\"84mm\""));
  hc_buffer_fini(&one.bytes);
  for (int form = HC_PLOT_PDF; form <= HC_PLOT_PNG; form++) {
    draw_table(r, path, (hc_plot_form)form, &one);
    draw_table(r, path, (hc_plot_form)form, &two);
    assert_int_equal(one.rc, two.rc);
    if (one.rc < 0) {
      assert_int_equal(one.rc, HC_EUNSUPPORTED);
      assert_non_null(strstr(one.error.text, "install it"));
    } else {
      assert_int_equal(one.bytes.size, two.bytes.size);
      assert_memory_equal(one.bytes.data, two.bytes.data, one.bytes.size);
      assert_memory_equal(one.bytes.data, form == HC_PLOT_PDF ? "%PDF" : "\x89PNG", 4);
      /* of 84 mm at 72 dots per inch: 238 dots; big-endian at byte 16 (PNG, "IHDR") */
      if (form == HC_PLOT_PNG) assert_int_equal((unsigned char)one.bytes.data[19], 238);
    }
    hc_buffer_fini(&one.bytes);
    hc_buffer_fini(&two.bytes);
  }
  hc_registry_free(r);
  assert_int_equal(remove(path), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_series_are_told_apart),
                                     cmocka_unit_test(test_contrast_to_the_ground),
                                     cmocka_unit_test(test_ramp),
                                     cmocka_unit_test(test_looks),
                                     cmocka_unit_test(test_colours_are_kept),
                                     cmocka_unit_test(test_linear_marks),
                                     cmocka_unit_test(test_logarithmic_marks),
                                     cmocka_unit_test(test_calendar_marks),
                                     cmocka_unit_test(test_named_marks),
                                     cmocka_unit_test(test_texts_are_fit),
                                     cmocka_unit_test(test_pages),
                                     cmocka_unit_test(test_words)};
  return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
