/* gantt.c -- the schedule as a picture (SVG): processors or hosts upwards, time to the right, a box a task.
 *
 * Where processors have names, each task stands on its own; elsewhere tasks are laid on the lowest processors
 * that are free when they start, which is one placement that the schedule allows, and the picture says so.
 * Colours go by user, or what the option says; by task if all are of one (legend.h says which is which). The
 * eight that have most of the window have one, in the order of what they have of the whole schedule, so that
 * pictures of several policies agree. Where tasks are narrower than a pixel, areas take their place
 * (gantt_areas.c). Time is the site's calendar where the result knows it, with weekends shaded.
 * On hosts each has a band, as high as all others. A task is as high in it as its share of the host's first
 * dimension (cores), and lies on the lowest parts that are free when it starts: which cores it has no record
 * says. A host that is away is grey, one that drains is lighter. An attempt that was lost with its host is
 * not drawn. A task whose size changed is a rectangle for each size (pieces.h). A strip below shows how many
 * tasks wait. The same result gives the same bytes: hundredths of a pixel.
 * Memory: the tasks of the window. Cost: O(tasks x processors); beyond 2 x 10^9 it asks for less. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "output/draw.h"
#include "output/gantt.h"

static const hc_param params[] = {
    HC_PARAM(TIME, hc_gantt_options, from, "s", NULL, 0, 0,
             "Begin of the picture, from the run's origin. Default: the first start."),
    HC_PARAM(TIME, hc_gantt_options, to, "s", NULL, 0, 0,
             "End of the picture, from the run's origin. Default: the last end."),
    HC_PARAM(INT, hc_gantt_options, width, "pixels", "1200", 100, 20000, "Width of the whole picture."),
    HC_PARAM(INT, hc_gantt_options, height, "pixels", "600", 200, 20000, "Height of the whole picture."),
    HC_PARAM(CHOICE, hc_gantt_options, hosts, "auto|all|used", "auto",
             "Which hosts have a band. auto: all, if each band has at least six pixels, else those that are "
             "used. all: all hosts. used: those that a task uses in the picture's time."),
    HC_PARAM(CHOICE, hc_gantt_options, colour, "user|group|executable|queue|partition|task", "user",
             "Which tasks have the same colour: those of one user, group, executable, queue or partition, of "
             "which the eight with most of the picture have a colour and the rest are grey. task: each task "
             "has its own, which also holds where all tasks are of one user (or of one `colour`)."),
    HC_PARAM(CHOICE, hc_gantt_options, detail, "auto|tasks|areas", "auto",
             "What is drawn. auto: areas, if there are more than a thousand rectangles and most are narrower "
             "than a pixel, else tasks. tasks: a rectangle for each task. areas: how much of the machine "
             "each user (or `colour`) has over time."),
    HC_PARAM(BOOL, hc_gantt_options, legend, "true",
             "Whether a legend below the picture names the users (or `colour`) with most of it, each with "
             "its share, in as many rows (two, one or none) as the height has room for."),
    HC_PARAM(BOOL, hc_gantt_options, labels, "true",
             "Whether the name of a task is written into its rectangle, if it fits."),
    {.name = NULL}};

/* ---- tasks ---- */

static hc_rc rectangle(hc_gantt *p, const hc_gantt_stretch *s, uint32_t first, uint32_t count)
{
  return hc_gantt_tile(p, s, NULL, hc_gantt_y(p, (int64_t)first + count), hc_gantt_y(p, first));
}

static hc_rc draw_named(hc_gantt *p, const hc_gantt_stretch *s)
{
  const int64_t serial = p->tasks[s->task].serial;
  const hc_piece *of;
  size_t low = 0, high = p->placement_count;
  const hc_rc own = hc_gantt_rows_of(p, s, &of);
  TRY(own);
  for (size_t i = 0; own > 0 && i < of->count; i++)
    TRY(rectangle(p, s, (uint32_t)of->rows[i].host, (uint32_t)of->rows[i].slots));
  if (own > 0) return 0;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->placements[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  for (; low < p->placement_count && p->placements[low].serial == serial; low++)
    TRY(rectangle(p, s, p->placements[low].first, p->placements[low].count));
  return 0;
}

/* The lowest processors that are free at its start: runs of neighbours become one rectangle each. */
static hc_rc draw_laid(hc_gantt *p, const hc_gantt_stretch *s)
{
  int64_t left = s->units;
  uint32_t first = 0, count = 0;
  for (int64_t i = 0; i < p->processors && left > 0; i++) {
    if (p->free_from[i] > s->start) continue;
    p->free_from[i] = s->end;
    left--;
    if (count > 0 && first + count == i) {
      count++;
      continue;
    }
    if (count > 0) TRY(rectangle(p, s, first, count));
    first = (uint32_t)i;
    count = 1;
  }
  return count > 0 ? rectangle(p, s, first, count) : 0;
}

static hc_rc draw_tasks(hc_gantt *p)
{
  if (p->is_areas) return hc_gantt_draw_areas(p);
  for (size_t i = 0; i < p->stretch_count; i++) {
    const hc_gantt_stretch *s = &p->stretches[i];
    if (p->band_count > 0) TRY(hc_gantt_draw_on_hosts(p, s));
    else TRY(p->placement_count > 0 ? draw_named(p, s) : draw_laid(p, s));
  }
  return 0;
}

/* ---- the strip of waiting tasks ---- */

typedef struct change {
  hc_time at;
  int64_t by;
} change;

HC_SORT(sort_changes, change, a->at != b->at ? a->at < b->at : a->by < b->by)

static hc_rc draw_strip(hc_gantt *p)
{
  size_t n = 0;
  int64_t waiting = 0, most = 1, bottom = (hc_gantt_bottom(p) - HC_GANTT_FOOT) * 100,
          height = (HC_GANTT_STRIP - 20) * 100;
  change *c = hc_alloc(p->allocator, (2 * p->count + 1) * sizeof *c);
  if (!c) return HC_ENOMEM;
  for (size_t i = 0; i < p->count; i++) {
    hc_time left = p->tasks[i].start != HC_UNKNOWN ? p->tasks[i].start : p->tasks[i].end;
    c[n++] = (change){HC_MAX(p->tasks[i].submit, p->from), 1};
    c[n++] = (change){left == HC_UNKNOWN ? HC_NEVER : HC_MAX(left, p->from), -1};
  }
  sort_changes(c, n);
  for (size_t i = 0; i < n && c[i].at < p->to; i++) {
    waiting += c[i].by;
    if (i + 1 == n || c[i + 1].at != c[i].at) most = HC_MAX(most, waiting);
  }
  hc_buffer_printf(&p->emit.text,
                   "<text x=\"4\" y=\"%" PRId64 "\">waiting</text><text x=\"4\" y=\"%" PRId64
                   "\">max %" PRId64 "</text>\n<path",
                   hc_gantt_bottom(p) - HC_GANTT_FOOT - 24, hc_gantt_bottom(p) - HC_GANTT_FOOT - 8, most);
  hc_gantt_fill(p, HC_INK_REST);
  hc_buffer_text(&p->emit.text, " d=\"M");
  hc_gantt_number(p, hc_gantt_x(p, p->from));
  hc_buffer_text(&p->emit.text, " ");
  hc_gantt_number(p, bottom);
  waiting = 0;
  for (size_t i = 0; i < n && c[i].at < p->to;) {
    /* of areas the most within a pixel: where tasks are not told apart, their waits are not either */
    const int64_t x = hc_gantt_x(p, c[i].at), pixel = x / 100;
    int64_t most_here = 0;
    do {
      waiting += c[i].by;
      if (i + 1 == n || c[i + 1].at != c[i].at) most_here = HC_MAX(most_here, waiting);
      i++;
    } while (i < n && c[i].at < p->to &&
             (c[i].at == c[i - 1].at || (p->is_areas && hc_gantt_x(p, c[i].at) / 100 == pixel)));
    hc_buffer_text(&p->emit.text, "H");
    hc_gantt_number(p, x);
    hc_buffer_text(&p->emit.text, "V");
    hc_gantt_number(p, bottom - height * most_here / most);
  }
  hc_buffer_text(&p->emit.text, "H");
  hc_gantt_number(p, hc_gantt_x(p, p->to));
  hc_buffer_text(&p->emit.text, "V");
  hc_gantt_number(p, bottom);
  hc_buffer_text(&p->emit.text, "Z\"/>\n");
  hc_free(p->allocator, c, (2 * p->count + 1) * sizeof *c);
  return 0;
}

/* ---- around it ---- */

static void draw_mark(hc_gantt *p, int64_t x, const char *label)
{
  hc_buffer_printf(&p->emit.text, "<path class=\"hc-s-rule\" stroke=\"#%06x\" d=\"M",
                   (unsigned)hc_ink_light(HC_INK_RULE));
  hc_gantt_number(p, x);
  hc_buffer_printf(&p->emit.text, " %dV%" PRId64 "\"/>", HC_GANTT_TOP, hc_gantt_bottom(p) - HC_GANTT_FOOT);
  if (label[0] == '\0') return;
  hc_buffer_text(&p->emit.text, "<text text-anchor=\"middle\" x=\"");
  hc_gantt_number(p, x);
  hc_buffer_printf(&p->emit.text, "\" y=\"%" PRId64 "\">%s</text>\n", hc_gantt_bottom(p) - 12, label);
}

/* Dates at the marks, and weekends. */
static hc_rc draw_calendar(hc_gantt *p)
{
  enum { WEEKENDS = 40 };
  hc_scale s = {.kind = HC_SCALE_TIME, .low = (double)p->from / 1e9, .high = (double)p->to / 1e9};
  const double length = (double)(p->o->width - p->left - HC_GANTT_RIGHT);
  double spans[WEEKENDS][2];
  s.to = length;
  TRY(hc_scale_mark_time(&s, &p->calendar, &(hc_room){length, 13, true}));
  const size_t n = s.high - s.low < 200 * 86400.0 ? hc_scale_weekends(&s, &p->calendar, spans, WEEKENDS) : 0;
  for (size_t i = 0; i < n; i++) {
    hc_gantt_box(p, (hc_time)(spans[i][0] * 1e9), (hc_time)(spans[i][1] * 1e9), HC_GANTT_TOP * 100,
                 (hc_gantt_bottom(p) - HC_GANTT_FOOT) * 100);
    hc_buffer_text(&p->emit.text, "\"");
    hc_gantt_fill(p, HC_INK_SHADE);
    hc_buffer_text(&p->emit.text, "/>\n");
  }
  for (size_t i = 0; i < s.count; i++)
    draw_mark(p, hc_gantt_x(p, (hc_time)(s.ticks[i].at * 1e9)), s.ticks[i].label);
  return 0;
}

static void draw_axis(hc_gantt *p)
{
  static const int32_t seconds[] = {
      1,    2,     5,     10,    20,    30,     60,     120,    300,     600,     1200,     1800,     3600,
      7200, 10800, 21600, 43200, 86400, 172800, 604800, 864000, 2592000, 7776000, 31536000, 315360000};
  size_t i = 0;
  const hc_time most = (p->o->width - p->left - HC_GANTT_RIGHT) / 100;
  while (i + 1 < HC_ARRAY_LEN(seconds) && (p->to - p->from) / (seconds[i] * HC_SECOND) > most) i++;
  const hc_time step = seconds[i] * HC_SECOND;
  for (hc_time t = (p->from + step - 1) / step * step; t <= p->to; t += step) {
    char label[32];
    int64_t x = hc_gantt_x(p, t);
    hc_format_duration(t, label);
    if (t >= HC_DAY && t % HC_DAY == 0) label[strcspn(label, " ")] = '\0';          /* whole days */
    else if (t >= HC_DAY && step % HC_MINUTE == 0) label[strlen(label) - 3] = '\0'; /* whole minutes */
    draw_mark(p, x, label);
    if (t > HC_NEVER - step) break;
  }
}

/* All inks that a picture may have: it is written as it is drawn, and what it has in the end is not known
 * here. */
static void draw_style(hc_gantt *p)
{
  bool used[HC_INK_COUNT] = {[HC_GANTT_RESERVED] = true};
  for (int i = 0; i < HC_INK_LINE; i++) used[i] = true;
  for (int i = HC_INK_AREA; i < HC_INK_RAMP; i++) used[i] = true;
  hc_svg_dark(&p->emit.text, used);
  hc_buffer_text(&p->emit.text, "<rect");
  hc_gantt_fill(p, HC_INK_GROUND);
  hc_buffer_text(&p->emit.text, " width=\"100%\" height=\"100%\"/>\n");
}

static void draw_name(hc_gantt *p, hc_result *r)
{
  const char *name = hc_result_config(r, "name");
  if (name) hc_xml_text(&p->emit.text, name, strlen(name));
}

/* From when to when, in the words of the site's calendar. */
static void draw_dates(hc_gantt *p)
{
  const hc_calendar_of_site *c = &p->calendar;
  if (c->unix_start == HC_UNKNOWN || p->o->width < 700) return;
  const hc_calendar a = hc_calendar_of(c->unix_start + p->from / HC_SECOND, c->offset),
                    b = hc_calendar_of(c->unix_start + p->to / HC_SECOND, c->offset);
  hc_buffer_printf(&p->emit.text, ", %04lld-%02d-%02d to %04lld-%02d-%02d", (long long)a.year, a.month, a.day,
                   (long long)b.year, b.month, b.day);
}

static void draw_head(hc_gantt *p, hc_result *r)
{
  hc_buffer_printf(&p->emit.text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%" PRId64
                   "\" height=\"%" PRId64 "\" viewBox=\"0 0 %" PRId64 " %" PRId64
                   "\" font-family=\"" HC_SVG_FONTS
                   "\" font-size=\"11\" class=\"hc-f-text\" fill=\"#%06x\">\n<title>Schedule of ",
                   p->o->width, p->o->height, p->o->width, p->o->height, (unsigned)hc_ink_light(HC_INK_TEXT));
  draw_name(p, r);
  hc_buffer_text(&p->emit.text, "</title>\n");
  draw_style(p);
  hc_buffer_printf(&p->emit.text, "<text x=\"%d\" y=\"24\" font-size=\"15\">", (int)p->left);
  draw_name(p, r);
  if (p->band_count > 0 && !p->is_areas) {
    if (p->rows < (int64_t)p->band_count) hc_buffer_printf(&p->emit.text, ", %" PRId64 " of", p->rows);
    else hc_buffer_text(&p->emit.text, ",");
    hc_buffer_printf(&p->emit.text, " %zu host%s (height: share of ", p->band_count,
                     p->band_count == 1 ? "" : "s");
    hc_xml_text(&p->emit.text, p->dimension_name, strlen(p->dimension_name));
    hc_buffer_text(&p->emit.text, ")");
    draw_dates(p);
    hc_buffer_text(&p->emit.text, "</text>\n");
    return;
  }
  hc_buffer_text(&p->emit.text, ", ");
  hc_emit_processors(&p->emit, p->processors);
  hc_buffer_printf(&p->emit.text, " processors%s",
                   p->is_areas              ? " (areas: means over time)"
                   : p->placement_count > 0 ? ""
                                            : " (laid on the lowest that are free)");
  draw_dates(p);
  hc_buffer_printf(&p->emit.text, "</text>\n<text x=\"4\" y=\"%d\">", HC_GANTT_TOP + 10);
  hc_emit_processors(&p->emit, p->processors);
  hc_buffer_printf(&p->emit.text, "</text><text x=\"4\" y=\"%" PRId64 "\">0</text>\n",
                   HC_GANTT_TOP + hc_gantt_field_height(p));
}

static hc_rc draw(hc_gantt *p, hc_result *r)
{
  draw_head(p, r);
  if (p->band_count > 0 && !p->is_areas) TRY(hc_gantt_draw_bands(p, r));
  if (!p->is_areas) TRY(hc_gantt_draw_reservations(p, r));
  if (p->calendar.unix_start != HC_UNKNOWN) TRY(draw_calendar(p));
  else draw_axis(p);
  TRY(draw_tasks(p));
  TRY(draw_strip(p));
  TRY(hc_legend_draw(&p->legend, &p->emit, r, p->left, hc_gantt_bottom(p), hc_gantt_colour, p));
  hc_buffer_text(&p->emit.text, "</svg>\n");
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *opts, hc_result *r, const hc_sink *out, hc_error *e)
{
  hc_gantt p = {.result = r, .o = opts, .allocator = a, .first = HC_UNKNOWN, .last = HC_UNKNOWN};
  hc_rc rc;
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&p.emit, a, out, e);
  hc_legend_init(&p.legend, a, HC_CALLED_USER);
  rc = hc_gantt_read(&p, r, e);
  if (rc >= 0) rc = draw(&p, r);
  hc_gantt_fini(&p);
  return hc_emit_end(&p.emit, rc);
}

const hc_exporter_type hc_exporter_gantt = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "gantt",
         .summary = "the schedule as a picture (SVG): processors or hosts, time, and queued tasks",
         .detail =
             "A rectangle for each task, or for each size of a resized task, coloured by user (or `colour`), "
             "with a dark end if its limit killed it. Pointing at a rectangle shows its task; a legend names "
             "the user of each colour, with its share. Where most rectangles are narrower than a pixel, "
             "areas show how much of the machine each user has over time. Dates are those of the site, with "
             "weekends shaded. Where processors have no numbers, a task is drawn on the lowest ones that are "
             "free. On a cell of hosts each host has a band, in which the height of a task is its share of "
             "the host's cores (its first dimension), stacked on the tasks that run there; hosts that are "
             "away are grey. A strip below shows the number of queued tasks.",
         .params = params, .options_size = sizeof(hc_gantt_options)},
    .run = run,
};
