/* gantt_draw.c -- where things are in a picture, and its rectangles. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "output/gantt.h"

/* ---- the scale ---- */

void hc_gantt_number(hc_gantt *p, int64_t hundredths)
{
  hc_buffer_printf(&p->emit.text, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
}

/* Hundredths of a pixel from the field's left edge. Exact enough: the window is at most as wide. */
int64_t hc_gantt_x(const hc_gantt *p, hc_time t)
{
  double share = (double)(HC_MIN(HC_MAX(t, p->from), p->to) - p->from) / (double)(p->to - p->from);
  return p->left * 100 + (int64_t)(share * (double)(p->o->width - p->left - HC_GANTT_RIGHT) * 100 + 0.5);
}

/* Where the picture ends and its legend begins. */
int64_t hc_gantt_bottom(const hc_gantt *p)
{
  return p->o->height - p->legend.rows * HC_LEGEND_ROW - (p->legend.rows > 0 ? 6 : 0);
}

int64_t hc_gantt_field_height(const hc_gantt *p)
{
  return hc_gantt_bottom(p) - HC_GANTT_TOP - HC_GANTT_STRIP - HC_GANTT_FOOT;
}

/* Hundredths from the top; processor 0 is the lowest. */
int64_t hc_gantt_y(const hc_gantt *p, int64_t processor)
{
  return HC_GANTT_TOP * 100 + hc_gantt_field_height(p) * 100 * (p->processors - processor) / p->processors;
}

/* ---- colours ---- */

/* What colours go by. */
int64_t hc_gantt_number_of(const hc_gantt *p, const hc_task_record *t)
{
  switch (p->o->colour) {
    case HC_GANTT_COLOUR_GROUP: return t->group;
    case HC_GANTT_COLOUR_EXECUTABLE: return t->executable;
    case HC_GANTT_COLOUR_QUEUE: return t->queue;
    case HC_GANTT_COLOUR_PARTITION: return t->partition;
    default: return t->user;
  }
}

static hc_ink ink_of_number(const hc_gantt *p, int64_t number)
{
  for (size_t i = 0; i < p->coloured_count; i++)
    if (p->coloured[i] == number) return (hc_ink)((size_t)HC_INK_AREA + i);
  return HC_INK_REST;
}

/* Where each task has its own, neighbours have different ones. */
hc_ink hc_gantt_ink(const hc_gantt *p, const hc_task_record *t)
{
  if (p->by_task) return (hc_ink)(HC_INK_AREA + (uint64_t)t->serial % HC_SERIES);
  return ink_of_number(p, hc_gantt_number_of(p, t));
}

void hc_gantt_fill(hc_gantt *p, hc_ink ink)
{
  char word[8];
  hc_ink_word(ink, word);
  hc_buffer_printf(&p->emit.text, " class=\"hc-f-%s\" fill=\"#%06x\"", word, (unsigned)hc_ink_light(ink));
}

void hc_gantt_colour(void *ctx, int64_t number)
{
  hc_gantt_fill(ctx, ink_of_number(ctx, number));
}

/* ---- rectangles ---- */

/* At most so many bytes of a name: a tooltip is no place for more. */
static void name(hc_gantt *p, const char *text)
{
  enum { MOST = 200 };
  const size_t n = strlen(text);
  hc_xml_text(&p->emit.text, text, HC_MIN(n, (size_t)MOST));
  if (n > MOST) hc_buffer_text(&p->emit.text, "...");
}

/* The times are the task's: a stretch of it adds its own. */
static void tooltip(hc_gantt *p, const hc_gantt_stretch *s, const char *host)
{
  const hc_task_record *t = &p->tasks[s->task];
  char wait[32], ran[32], number[24];
  hc_format_duration(t->start - t->submit, wait);
  hc_format_duration(t->end - t->start, ran);
  hc_buffer_text(&p->emit.text, "<title>job ");
  name(p, hc_emit_task_called(p->result, t, number));
  if (t->user >= 0) {
    hc_buffer_text(&p->emit.text, ", user ");
    name(p, hc_emit_called(p->result, HC_CALLED_USER, t->user, number));
  }
  if (host) {
    hc_buffer_text(&p->emit.text, " on ");
    hc_xml_text(&p->emit.text, host, strlen(host));
    hc_buffer_text(&p->emit.text, ":");
  } else hc_buffer_printf(&p->emit.text, ": %" PRId64 " processors,", s->units);
  if (s->piece > 0) {
    hc_format_duration(s->end - s->start, ran);
    hc_buffer_printf(&p->emit.text, " resized, for %s,", ran);
    hc_format_duration(t->end - t->start, ran);
  }
  const char *how = t->final == HC_FINAL_KILLED ? ", killed at its limit" : "";
  hc_buffer_printf(&p->emit.text, " waited %s, ran %s%s</title>", wait, ran, how);
}

void hc_gantt_box(hc_gantt *p, hc_time from, hc_time to, int64_t top, int64_t bottom)
{
  const int64_t x = hc_gantt_x(p, from);
  hc_buffer_text(&p->emit.text, "<rect x=\"");
  hc_gantt_number(p, x);
  hc_buffer_text(&p->emit.text, "\" y=\"");
  hc_gantt_number(p, top);
  hc_buffer_text(&p->emit.text, "\" width=\"");
  hc_gantt_number(p, HC_MAX(hc_gantt_x(p, to) - x, 10));
  hc_buffer_text(&p->emit.text, "\" height=\"");
  hc_gantt_number(p, HC_MAX(bottom - top, 10));
}

/* An edge of the ground tells neighbours of one colour apart, where there is room for it. A task that its
 * limit killed ends in a dark bar. */
hc_rc hc_gantt_tile(hc_gantt *p, const hc_gantt_stretch *s, const char *host, int64_t top, int64_t bottom)
{
  enum { EDGE = 300, BAR = 200 };
  const hc_task_record *t = &p->tasks[s->task];
  const hc_legend_box b = {hc_gantt_x(p, s->start), top, hc_gantt_x(p, s->end), bottom, hc_gantt_ink(p, t)};
  const bool is_wide = bottom - top >= EDGE && b.right - b.left >= EDGE;
  char number[24];
  hc_gantt_box(p, s->start, s->end, top, bottom);
  hc_buffer_text(&p->emit.text, "\"");
  if (is_wide) {
    char word[8];
    hc_ink_word(b.ink, word);
    hc_buffer_printf(&p->emit.text,
                     " class=\"hc-f-%s hc-s-ground\" fill=\"#%06x\" stroke=\"#ffffff\" stroke-width=\".5\"",
                     word, (unsigned)hc_ink_light(b.ink));
  } else hc_gantt_fill(p, b.ink);
  hc_buffer_text(&p->emit.text, ">");
  tooltip(p, s, host);
  hc_buffer_text(&p->emit.text, "</rect>\n");
  if (t->final == HC_FINAL_KILLED && s->end == t->end && is_wide && s->end <= p->to) {
    hc_buffer_text(&p->emit.text, "<rect");
    hc_gantt_fill(p, HC_INK_TEXT);
    hc_buffer_text(&p->emit.text, " pointer-events=\"none\" x=\"");
    hc_gantt_number(p, b.right - BAR);
    hc_buffer_text(&p->emit.text, "\" y=\"");
    hc_gantt_number(p, top);
    hc_buffer_text(&p->emit.text, "\" width=\"2\" height=\"");
    hc_gantt_number(p, bottom - top);
    hc_buffer_text(&p->emit.text, "\"/>\n");
  }
  if (p->o->labels) hc_legend_label(&p->emit, hc_emit_task_called(p->result, t, number), &b);
  return hc_emit_row(&p->emit);
}
