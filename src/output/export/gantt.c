/* gantt.c -- the schedule as a picture: processors upwards, time to the right, a rectangle a task, as SVG.
 *
 * Where processors have names, each task stands on its own; elsewhere tasks are laid on the lowest processors that are
 * free when they start, which is one placement that the schedule allows, and the picture says so. Colours go by user.
 * A strip below shows how many tasks wait. Text is written with whole hundredths of a pixel, so that the same result
 * gives the same bytes.
 *
 * Memory: the tasks of the window. Cost of laying: O(tasks x processors); beyond 2 x 10^9 it asks for a smaller window. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/emit.h"

typedef struct options {
  hc_time from, to;
  int64_t width, height;
} options;

typedef struct placed {
  int64_t serial;
  uint32_t first, count;
} placed;

typedef struct picture {
  hc_emit emit;
  const options *o;
  const hc_allocator *allocator;
  hc_task_record *tasks; /* [count] that overlap the window, by start */
  size_t count, cap;
  placed *placements; /* [placement_count] by serial; none if processors have no names */
  size_t placement_count, placement_cap;
  hc_time *free_from; /* [processors] */
  hc_time from, to;
  int64_t processors;
  hc_time first, last; /* of all tasks */
} picture;

#define LEFT 60
#define RIGHT 35
#define TOP 40
#define STRIP 80 /* height of the strip of waiting tasks */
#define FOOT 30
#define WORK_LIMIT 2e9

static const hc_param params[] = {{.name = "from",
                                   .type = HC_TIME,
                                   .unit = "s",
                                   .offset = offsetof(options, from),
                                   .help = "Begin of the picture; the first start if absent."},
                                  {.name = "to",
                                   .type = HC_TIME,
                                   .unit = "s",
                                   .offset = offsetof(options, to),
                                   .help = "End of the picture; the last end if absent."},
                                  {.name = "width",
                                   .type = HC_INT,
                                   .unit = "pixels",
                                   .fallback = "1200",
                                   .min = 100,
                                   .max = 20000,
                                   .offset = offsetof(options, width),
                                   .help = "Of the whole picture."},
                                  {.name = "height",
                                   .type = HC_INT,
                                   .unit = "pixels",
                                   .fallback = "600",
                                   .min = 200,
                                   .max = 20000,
                                   .offset = offsetof(options, height),
                                   .help = "Of the whole picture."},
                                  {.name = NULL}};

/* ---- reading ---- */

static hc_rc note_span(void *ctx, const hc_task_record *t)
{
  picture *p = ctx;
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN) return 0;
  if (p->first == HC_UNKNOWN || t->start < p->first) p->first = t->start;
  if (p->last == HC_UNKNOWN || t->end > p->last) p->last = t->end;
  return 0;
}

static hc_rc keep_task(void *ctx, const hc_task_record *t)
{
  picture *p = ctx;
  bool runs = t->start != HC_UNKNOWN && t->end != HC_UNKNOWN && t->start < p->to && t->end > p->from;
  bool waits = t->submit < p->to && (t->start == HC_UNKNOWN || t->start > p->from);
  if (!runs && !waits) return 0;
  TRY(hc_reserve(p->allocator, (void **)&p->tasks, &p->cap, p->count + 1, sizeof *p->tasks));
  p->tasks[p->count++] = *t;
  return 0;
}

static hc_rc keep_placement(void *ctx, const char *const *values)
{
  picture *p = ctx;
  TRY(hc_reserve(p->allocator, (void **)&p->placements, &p->placement_cap, p->placement_count + 1,
                 sizeof *p->placements));
  p->placements[p->placement_count++] =
      (placed){strtoll(values[0], NULL, 10), (uint32_t)strtoul(values[1], NULL, 10),
               (uint32_t)strtoul(values[2], NULL, 10)};
  return 0;
}

static int by_start(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int by_serial(const void *a, const void *b)
{
  const placed *x = a, *y = b;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* ---- drawing ---- */

static void number(picture *p, int64_t hundredths)
{
  hc_buffer_printf(&p->emit.text, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
}

/* Hundredths of a pixel from the left edge of the field. Exact enough: the window is at most the field's width. */
static int64_t x_of(const picture *p, hc_time t)
{
  double share = (double)(HC_MIN(HC_MAX(t, p->from), p->to) - p->from) / (double)(p->to - p->from);
  return LEFT * 100 + (int64_t)(share * (double)(p->o->width - LEFT - RIGHT) * 100 + 0.5);
}

static int64_t field_height(const picture *p)
{
  return p->o->height - TOP - STRIP - FOOT;
}

/* Hundredths from the top; processor 0 is the lowest. */
static int64_t y_of(const picture *p, int64_t processor)
{
  return TOP * 100 + field_height(p) * 100 * (p->processors - processor) / p->processors;
}

static void tooltip(picture *p, const hc_task_record *t)
{
  char wait[32], ran[32];
  hc_format_duration(t->start - t->submit, wait);
  hc_format_duration(t->end - t->start, ran);
  hc_buffer_printf(
      &p->emit.text,
      "<title>job %" PRId64 ", user %" PRId64 ": %" PRId64 " processors, waited %s, ran %s%s</title>", t->id,
      t->user, t->units, wait, ran, t->final == HC_FINAL_KILLED ? ", killed at its limit" : "");
}

static hc_rc rectangle(picture *p, const hc_task_record *t, uint32_t first, uint32_t count)
{
  int64_t x = x_of(p, t->start), top = y_of(p, (int64_t)first + count);
  hc_buffer_text(&p->emit.text, "<rect x=\"");
  number(p, x);
  hc_buffer_text(&p->emit.text, "\" y=\"");
  number(p, top);
  hc_buffer_text(&p->emit.text, "\" width=\"");
  number(p, HC_MAX(x_of(p, t->end) - x, 10));
  hc_buffer_text(&p->emit.text, "\" height=\"");
  number(p, HC_MAX(y_of(p, first) - top, 10));
  hc_buffer_printf(&p->emit.text, "\" fill=\"hsl(%d,55%%,%d%%)\">", (int)(((uint64_t)t->user * 137) % 360),
                   t->final == HC_FINAL_KILLED ? 40 : 62);
  tooltip(p, t);
  hc_buffer_text(&p->emit.text, "</rect>\n");
  return hc_emit_row(&p->emit);
}

static hc_rc draw_named(picture *p, const hc_task_record *t)
{
  size_t low = 0, high = p->placement_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->placements[middle].serial < t->serial) low = middle + 1;
    else high = middle;
  }
  for (; low < p->placement_count && p->placements[low].serial == t->serial; low++)
    TRY(rectangle(p, t, p->placements[low].first, p->placements[low].count));
  return 0;
}

/* The lowest processors that nobody has at its start: runs of neighbours become one rectangle each. */
static hc_rc draw_laid(picture *p, const hc_task_record *t)
{
  int64_t left = t->units;
  uint32_t first = 0, count = 0;
  for (int64_t i = 0; i < p->processors && left > 0; i++) {
    if (p->free_from[i] > t->start) continue;
    p->free_from[i] = t->end;
    left--;
    if (count > 0 && first + count == i) {
      count++;
      continue;
    }
    if (count > 0) TRY(rectangle(p, t, first, count));
    first = (uint32_t)i;
    count = 1;
  }
  return count > 0 ? rectangle(p, t, first, count) : 0;
}

static hc_rc draw_tasks(picture *p)
{
  for (size_t i = 0; i < p->count; i++) {
    const hc_task_record *t = &p->tasks[i];
    if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN || t->end <= t->start) continue;
    if (t->start >= p->to || t->end <= p->from) continue;
    TRY(p->placement_count > 0 ? draw_named(p, t) : draw_laid(p, t));
  }
  return 0;
}

/* ---- the strip of waiting tasks ---- */

typedef struct change {
  hc_time at;
  int64_t by;
} change;

static int by_time(const void *a, const void *b)
{
  const change *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return x->by < y->by ? -1 : x->by > y->by;
}

static hc_rc draw_strip(picture *p)
{
  size_t n = 0;
  int64_t waiting = 0, most = 1, bottom = (p->o->height - FOOT) * 100, height = (STRIP - 20) * 100;
  change *c = hc_alloc(p->allocator, (2 * p->count + 1) * sizeof *c);
  if (!c) return HC_ENOMEM;
  for (size_t i = 0; i < p->count; i++) {
    hc_time left = p->tasks[i].start != HC_UNKNOWN ? p->tasks[i].start : p->tasks[i].end;
    c[n++] = (change){HC_MAX(p->tasks[i].submit, p->from), 1};
    c[n++] = (change){left == HC_UNKNOWN ? HC_NEVER : HC_MAX(left, p->from), -1};
  }
  qsort(c, n, sizeof *c, by_time);
  for (size_t i = 0; i < n && c[i].at < p->to; i++) {
    waiting += c[i].by;
    if (i + 1 == n || c[i + 1].at != c[i].at) most = HC_MAX(most, waiting);
  }
  hc_buffer_printf(&p->emit.text,
                   "<text x=\"4\" y=\"%" PRId64 "\">waiting</text><text x=\"4\" y=\"%" PRId64
                   "\">max %" PRId64 "</text>\n<path fill=\"#888\" d=\"M",
                   p->o->height - FOOT - 24, p->o->height - FOOT - 8, most);
  number(p, x_of(p, p->from));
  hc_buffer_text(&p->emit.text, " ");
  number(p, bottom);
  waiting = 0;
  for (size_t i = 0; i < n && c[i].at < p->to; i++) {
    waiting += c[i].by;
    if (i + 1 < n && c[i + 1].at == c[i].at) continue;
    hc_buffer_text(&p->emit.text, "H");
    number(p, x_of(p, c[i].at));
    hc_buffer_text(&p->emit.text, "V");
    number(p, bottom - height * waiting / most);
  }
  hc_buffer_text(&p->emit.text, "H");
  number(p, x_of(p, p->to));
  hc_buffer_text(&p->emit.text, "V");
  number(p, bottom);
  hc_buffer_text(&p->emit.text, "Z\"/>\n");
  hc_free(p->allocator, c, (2 * p->count + 1) * sizeof *c);
  return 0;
}

/* ---- around it ---- */

static void draw_axis(picture *p)
{
  static const hc_time steps[] = {HC_SECOND,   10 * HC_SECOND, HC_MINUTE,    10 * HC_MINUTE,
                                  HC_HOUR,     6 * HC_HOUR,    HC_DAY,       7 * HC_DAY,
                                  30 * HC_DAY, 90 * HC_DAY,    365 * HC_DAY, 3650 * HC_DAY};
  size_t i = 0;
  while (i + 1 < HC_ARRAY_LEN(steps) && (p->to - p->from) / steps[i] > (p->o->width - LEFT - RIGHT) / 100)
    i++;
  for (hc_time t = (p->from + steps[i] - 1) / steps[i] * steps[i]; t <= p->to; t += steps[i]) {
    char label[32];
    int64_t x = x_of(p, t);
    hc_format_duration(t, label);
    if (steps[i] >= HC_DAY && t >= HC_DAY) label[strcspn(label, " ")] = '\0'; /* whole days */
    hc_buffer_text(&p->emit.text, "<path stroke=\"#ccc\" d=\"M");
    number(p, x);
    hc_buffer_printf(&p->emit.text, " %dV%" PRId64 "\"/><text text-anchor=\"middle\" x=\"", TOP,
                     p->o->height - FOOT);
    number(p, x);
    hc_buffer_printf(&p->emit.text, "\" y=\"%" PRId64 "\">%s</text>\n", p->o->height - 12, label);
    if (t > HC_NEVER - steps[i]) break;
  }
}

static void draw_head(picture *p, hc_result *r)
{
  const char *name = hc_result_config(r, "name");
  hc_buffer_printf(
      &p->emit.text,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%" PRId64
      "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
      "<text x=\"%d\" y=\"24\" font-size=\"15\">",
      p->o->width, p->o->height, LEFT);
  for (; name && *name; name++) {
    if (*name == '&') hc_buffer_text(&p->emit.text, "&amp;");
    else if (*name == '<') hc_buffer_text(&p->emit.text, "&lt;");
    else hc_buffer_add(&p->emit.text, name, 1);
  }
  hc_buffer_printf(&p->emit.text,
                   ", %" PRId64 " processors%s</text>\n<text x=\"4\" y=\"%d\">%" PRId64
                   "</text><text x=\"4\" y=\"%" PRId64 "\">0</text>\n",
                   p->processors, p->placement_count > 0 ? "" : " (laid on the lowest that are free)",
                   TOP + 10, p->processors, TOP + field_height(p));
}

static hc_rc draw(picture *p, hc_result *r)
{
  draw_head(p, r);
  draw_axis(p);
  TRY(draw_tasks(p));
  TRY(draw_strip(p));
  hc_buffer_text(&p->emit.text, "</svg>\n");
  return 0;
}

static hc_rc prepare(picture *p, hc_result *r, hc_error *e)
{
  p->processors = hc_emit_fact(r, "processors");
  if (p->processors == HC_UNKNOWN || p->processors <= 0)
    return hc_fail(e, HC_EINPUT, hc_result_path(r), 0, 0,
                   "the result does not say how many processors there were");
  TRY(hc_emit_tasks(&p->emit, r, HC_EMIT_STORED, note_span, p));
  p->from = p->o->from != HC_UNKNOWN ? p->o->from : p->first;
  p->to = p->o->to != HC_UNKNOWN ? p->o->to : p->last;
  if (p->first == HC_UNKNOWN || p->to <= p->from || p->to <= p->first || p->from >= p->last)
    return hc_fail(e, HC_EUSAGE, "gantt", 0, 0, "nothing ran between `from` and `to`; choose another window");
  TRY(hc_emit_tasks(&p->emit, r, HC_EMIT_STORED, keep_task, p));
  if (p->count > 0) qsort(p->tasks, p->count, sizeof *p->tasks, by_start);
  TRY(hc_result_rows(r, "placements", 3, keep_placement, p, e));
  if (p->placement_count > 0) qsort(p->placements, p->placement_count, sizeof *p->placements, by_serial);
  if (p->placement_count > 0) return 0;
  if ((double)p->count * (double)p->processors > WORK_LIMIT)
    return hc_fail(e, HC_ELIMIT, "gantt", 0, 0,
                   "%zu tasks on %" PRId64
                   " processors are too many for one picture; choose a window with `from` and `to`",
                   p->count, p->processors);
  p->free_from = hc_alloc(p->allocator, (size_t)p->processors * sizeof *p->free_from);
  return p->free_from ? 0 : HC_ENOMEM;
}

static hc_rc run(const hc_allocator *a, const void *opts, hc_result *r, const hc_sink *out, hc_error *e)
{
  picture p = {.o = opts, .allocator = a, .first = HC_UNKNOWN, .last = HC_UNKNOWN};
  hc_rc rc;
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&p.emit, a, out, e);
  rc = prepare(&p, r, e);
  if (rc >= 0) rc = draw(&p, r);
  hc_free(a, p.tasks, p.cap * sizeof *p.tasks);
  hc_free(a, p.placements, p.placement_cap * sizeof *p.placements);
  hc_free(a, p.free_from, (size_t)HC_MAX(p.processors, 0) * sizeof *p.free_from);
  return hc_emit_end(&p.emit, rc);
}

const hc_exporter_type hc_exporter_gantt = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "gantt",
         .summary = "the schedule as a picture (SVG): processors, time, and who waits",
         .detail =
             "A rectangle a task, coloured by user, darker if its limit killed it; pointing at one says "
             "which. Without named processors tasks are laid on the lowest that are free. Below: tasks "
             "that wait.",
         .params = params, .options_size = sizeof(options)},
    .run = run,
};
