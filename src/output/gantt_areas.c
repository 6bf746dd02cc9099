/* gantt_areas.c -- a schedule whose tasks are narrower than a pixel: what each user (queue ...) has of the
 * machine over time, as areas upon each other, in place of rectangles of which the last one drawn would
 * win.
 *
 * Time is cut into pieces of a length that clocks have, two pixels wide at least, and what is drawn of each
 * is the mean over it, exactly (means.h). Those that have a colour lie from the bottom up in the order of
 * the legend, the rest upon them in grey. Where on the machine a task was is not drawn. Cost: O(tasks +
 * width x colours). */
#include <inttypes.h>

#include "output/gantt.h"
#include "output/means.h"

#define FEW ((size_t)1000) /* tasks of which each is worth a rectangle, however narrow */

bool hc_gantt_wants_areas(const hc_gantt *p)
{
  size_t narrow = 0;
  if (p->o->detail != HC_GANTT_DETAIL_AUTO) return p->o->detail == HC_GANTT_DETAIL_AREAS;
  if (p->stretch_count < FEW) return false;
  for (size_t i = 0; i < p->stretch_count; i++)
    narrow += hc_gantt_x(p, p->stretches[i].end) - hc_gantt_x(p, p->stretches[i].start) < 100;
  return narrow * 2 > p->stretch_count;
}

/* The number of its area from below: by its colour, the rest last. */
static size_t layer_of(const hc_gantt *p, const hc_task_record *t)
{
  const hc_ink ink = hc_gantt_ink(p, t);
  return ink == HC_INK_REST ? HC_SERIES : (size_t)ink - (size_t)HC_INK_AREA;
}

/* How many pieces: hours, days, weeks. */
static size_t pieces_of(const hc_gantt *p)
{
  static const int64_t hours[] = {1, 2, 3, 6, 12, 24, 48, 168, 672};
  const hc_time span = p->to - p->from;
  const int64_t width = HC_MAX(p->o->width - p->left - HC_GANTT_RIGHT, (int64_t)2);
  hc_time piece = HC_MAX(span / (width / 2), (hc_time)1);
  for (size_t i = 0; i < HC_ARRAY_LEN(hours) && piece > HC_HOUR / 2; i++) {
    if (hours[i] * HC_HOUR < piece) continue;
    piece = hours[i] * HC_HOUR;
    break;
  }
  return (size_t)HC_MAX((span + piece / 2) / piece, (hc_time)1);
}

static int64_t x_of(const hc_gantt *p, size_t piece, size_t count)
{
  const int64_t width = (p->o->width - p->left - HC_GANTT_RIGHT) * 100;
  return p->left * 100 + width * (int64_t)piece / (int64_t)count;
}

/* A step where the height changes, and none elsewhere. */
static void step(hc_gantt *p, int64_t x, int64_t y, int64_t *before)
{
  if (y == *before) return;
  hc_buffer_text(&p->emit.text, "H");
  hc_gantt_number(p, x);
  hc_buffer_text(&p->emit.text, "V");
  hc_gantt_number(p, y);
  *before = y;
}

static void draw_layer(hc_gantt *p, size_t layer, const double *below, const double *above, size_t count)
{
  const double unit = (double)hc_gantt_field_height(p) * 100 / (double)p->processors,
               foot = (double)(HC_GANTT_TOP + hc_gantt_field_height(p)) * 100 + 0.5;
  int64_t y = (int64_t)(foot - above[0] * unit);
  hc_buffer_text(&p->emit.text, "<path");
  hc_gantt_fill(p, layer == HC_SERIES ? HC_INK_REST : (hc_ink)((size_t)HC_INK_AREA + layer));
  hc_buffer_text(&p->emit.text, " d=\"M");
  hc_gantt_number(p, x_of(p, 0, count));
  hc_buffer_text(&p->emit.text, " ");
  hc_gantt_number(p, y);
  for (size_t i = 1; i < count; i++) /* along its upper end */
    step(p, x_of(p, i, count), (int64_t)(foot - above[i] * unit), &y);
  for (size_t i = count; i-- > 0;) /* and back along its lower one */
    step(p, x_of(p, i + 1, count), (int64_t)(foot - below[i] * unit), &y);
  hc_buffer_text(&p->emit.text, "H");
  hc_gantt_number(p, x_of(p, 0, count));
  hc_buffer_text(&p->emit.text, "Z\"/>\n");
}

static hc_rc draw_layers(hc_gantt *p, double *room, size_t count)
{
  double *below = room, *above = room + count, *steps = room + 2 * count, *values = steps + count + 2;
  for (size_t layer = 0; layer <= HC_SERIES; layer++) {
    hc_means m = {
        .from = (double)p->from, .to = (double)p->to, .count = count, .values = values, .steps = steps};
    bool has_any = false;
    for (size_t i = 0; i < count; i++) values[i] = steps[i] = 0;
    steps[count] = steps[count + 1] = 0;
    for (size_t i = 0; i < p->stretch_count; i++) {
      const hc_gantt_stretch *x = &p->stretches[i];
      if (layer_of(p, &p->tasks[x->task]) != layer) continue;
      hc_means_add(&m, (double)x->start, (double)x->end, (double)x->units);
      has_any = true;
    }
    hc_means_end(&m);
    for (size_t i = 0; i < count; i++) above[i] = below[i] + values[i];
    if (has_any) draw_layer(p, layer, below, above, count);
    for (size_t i = 0; i < count; i++) below[i] = above[i];
    TRY(hc_emit_row(&p->emit));
  }
  return 0;
}

hc_rc hc_gantt_draw_areas(hc_gantt *p)
{
  const size_t count = pieces_of(p), size = (4 * count + 2) * sizeof(double);
  double *room = hc_alloc(p->allocator, size);
  if (!room) return HC_ENOMEM;
  const hc_rc rc = draw_layers(p, room, count);
  hc_free(p->allocator, room, size);
  return rc;
}
