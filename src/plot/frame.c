/* frame.c -- see frame.h. */
#include "plot/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"

static double small(const hc_plot_job *j)
{
  return j->font * 0.9;
}

/* ---- the page ---- */

hc_box hc_page_begin(hc_plot_job *j)
{
  hc_box page = {j->font * 0.4, j->font * 0.4, j->width - j->font * 0.8, j->height - j->font * 0.8};
  const char *title = j->request->title;
  if (!title) return page;
  const double size = j->font * 1.2;
  (void)hc_draw_text(j->surface, page.x, page.y + size, title,
                     &(hc_text_style){.size = size, .ink = HC_INK_TEXT, .is_bold = true, .most = page.width});
  page.y += size * 1.6;
  page.height -= size * 1.6;
  return page;
}

/* ---- a frame ---- */

double hc_frame_left(const hc_frame *f)
{
  double most = 0;
  for (size_t i = 0; i < f->y.count; i++)
    most = HC_MAX(most, hc_text_width(f->y.ticks[i].label, small(f->job), false));
  return most * 1.04 + f->job->font * 0.5;
}

static hc_rc mark(hc_scale *scale, const char *unit, const hc_frame_spec *s, const hc_room *room,
                  bool is_wide)
{
  if (scale->kind == HC_SCALE_TIME) return hc_scale_mark_time(scale, s->calendar, room);
  if (scale->kind == HC_SCALE_STANDING) hc_scale_mark_names(scale, s->x_names, s->x_name_count, room);
  else hc_scale_mark(scale, unit, room, is_wide);
  return 0;
}

hc_rc hc_frame_lay(hc_frame *f, hc_plot_job *j, const hc_frame_spec *s)
{
  const double font = j->font;
  f->job = j;
  f->x_words = s->x_words;
  f->y_words = s->y_words;
  f->field = s->page;
  f->field.y += s->y_words ? font * 1.75 : font * 0.6;
  f->field.height = s->page.y + s->page.height - f->field.y -
                    (s->is_bare   ? font * 0.5
                     : s->x_words ? font * 2.7
                                  : font * 1.4);
  f->y.from = f->field.y + f->field.height;
  f->y.to = f->field.y;
  TRY(mark(&f->y, s->y_unit ? s->y_unit : "1", s, &(hc_room){f->field.height, small(j), false}, true));
  const double left = HC_MAX(hc_frame_left(f), s->left);
  f->field.x += left;
  f->field.width -= left + HC_MAX(s->right, font * 0.8);
  f->x.from = f->field.x;
  f->x.to = f->field.x + f->field.width;
  const hc_room room = {f->field.width, small(j), true};
  TRY(mark(&f->x, s->x_unit ? s->x_unit : "1", s, &room, false));
  if (s->x_points) hc_scale_mark_points(&f->x, s->x_points, s->x_point_count, &room);
  return 0;
}

static void draw_weekends(const hc_frame *f, const hc_frame_spec *s)
{
  enum { MOST = 40 };
  double spans[MOST][2];
  if (!s->calendar || f->x.high - f->x.low > 200 * 86400.0) return;
  const size_t n = hc_scale_weekends(&f->x, s->calendar, spans, MOST);
  for (size_t i = 0; i < n; i++) {
    const double from = hc_scale_at(&f->x, spans[i][0]), to = hc_scale_at(&f->x, spans[i][1]);
    f->job->surface->rect(f->job->surface, &(hc_box){from, f->field.y, to - from, f->field.height},
                          &(hc_style){.fill = 1, .area = HC_INK_SHADE});
  }
}

static void draw_marks_across(const hc_frame *f, const hc_frame_spec *s)
{
  hc_surface *to = f->job->surface;
  const double foot = f->field.y + f->field.height, size = small(f->job);
  hc_draw_line(to, f->field.x, foot, f->field.x + f->field.width, foot, 0.6, HC_INK_SOFT);
  for (size_t i = 0; i < f->x.count; i++) {
    const hc_tick *t = &f->x.ticks[i];
    const double x = hc_scale_at(&f->x, t->at), half = hc_text_width(t->label, size, false) / 2;
    if (f->x.kind != HC_SCALE_STANDING)
      hc_draw_line(to, x, foot, x, foot + (t->label[0] ? size * 0.32 : size * 0.18), 0.6, HC_INK_SOFT);
    if (s->is_bare) continue;
    /* the outermost stay on the page */
    const double at = HC_MIN(HC_MAX(x, half), f->job->width - half);
    (void)hc_draw_text(to, at, foot + size * 1.35, t->label,
                       &(hc_text_style){.size = size, .ink = HC_INK_SOFT, .anchor = HC_ANCHOR_MIDDLE});
  }
}

static void draw_marks_upward(const hc_frame *f)
{
  hc_surface *to = f->job->surface;
  const double size = small(f->job);
  for (size_t i = 0; i < f->y.count; i++) {
    const hc_tick *t = &f->y.ticks[i];
    const double y = hc_scale_at(&f->y, t->at);
    if (t->label[0] == '\0') continue;
    hc_draw_line(to, f->field.x, y, f->field.x + f->field.width, y, 0.5, HC_INK_RULE);
    (void)hc_draw_text(to, f->field.x - f->job->font * 0.4, y + size * 0.35, t->label,
                       &(hc_text_style){.size = size, .ink = HC_INK_SOFT, .anchor = HC_ANCHOR_END});
  }
}

static void draw_titles(const hc_frame *f, const hc_frame_spec *s)
{
  hc_surface *to = f->job->surface;
  const double font = f->job->font;
  const hc_plot_request *q = f->job->request;
  char text[120];
  if (s->y_words) {
    hc_title_words(s->y_words, f->y.unit, text);
    (void)hc_draw_text(to, s->page.x, s->page.y + font * 0.95, q->y_title ? q->y_title : text,
                       &(hc_text_style){.size = font, .ink = HC_INK_TEXT, .most = s->page.width});
  }
  if (s->x_words && !s->is_bare) {
    hc_title_words(s->x_words, f->x.unit, text);
    (void)hc_draw_text(
        to, f->field.x + f->field.width / 2, s->page.y + s->page.height - font * 0.25,
        q->x_title ? q->x_title : text,
        &(hc_text_style){
            .size = font, .ink = HC_INK_TEXT, .anchor = HC_ANCHOR_MIDDLE, .most = s->page.width});
  }
}

void hc_frame_draw(hc_frame *f, const hc_frame_spec *s)
{
  if (s->has_weekends) draw_weekends(f, s);
  draw_marks_upward(f);
  draw_marks_across(f, s);
  draw_titles(f, s);
}

/* ---- looks ---- */

hc_ink hc_look_ink(uint32_t look)
{
  return look == HC_LOOK_REST ? HC_INK_REST : hc_ink_of(look);
}

hc_style hc_look_line(uint32_t look, double width)
{
  hc_style s = {.width = look == HC_LOOK_REST ? width * 0.6 : width, .line = hc_look_ink(look)};
  if (look != HC_LOOK_REST) s.dashes = hc_dash_of(look, s.dash);
  return s;
}

/* ---- a key ---- */

enum { SAMPLE = 2 }; /* width of what stands before a name, of the font's size */

static double item_width(const hc_plot_job *j, const hc_key_item *x, double most)
{
  return HC_MIN(hc_text_width(x->name, small(j), false) * 1.05 + j->font * (SAMPLE + 1.2), most);
}

/* Where the next thing stands. @return whether a row ended */
static bool place(double *x, double width, double left, double right)
{
  const bool is_full = *x > left && *x + width > right + 1;
  if (is_full) *x = left;
  *x += width;
  return is_full;
}

double hc_key_height(const hc_plot_job *j, const hc_key_item *items, size_t count, double width)
{
  double x = 0;
  int rows = 1;
  if (count < 2) return 0;
  for (size_t i = 0; i < count; i++) rows += place(&x, item_width(j, &items[i], width), 0, width);
  return rows * j->font * 1.35 + j->font * 0.3;
}

static void sample(hc_plot_job *j, uint32_t look, double x, double y, int kind)
{
  const double width = j->font * SAMPLE * 0.85;
  if (kind == HC_KEY_AREA) {
    const double side = j->font * 0.85;
    j->surface->rect(j->surface, &(hc_box){x + width - side, y - side / 2, side, side},
                     &(hc_style){.fill = 1, .area = hc_look_ink(look)});
    return;
  }
  if (kind == HC_KEY_SOLID) {
    hc_draw_line(j->surface, x, y, x + width, y, 1.6, hc_look_ink(look));
    return;
  }
  const hc_style line = hc_look_line(look, 1.3);
  j->surface->path(j->surface, (hc_point[]){{x, y}, {x + width, y}}, 2, false, &line);
  if (look != HC_LOOK_REST)
    hc_draw_marker(j->surface, x + width / 2, y, hc_marker_of(look), j->font * 0.5, hc_look_ink(look));
}

void hc_key_draw(hc_plot_job *j, const hc_key_item *items, size_t count, double left, double top,
                 double width, int kind)
{
  double x = left, y = top + j->font;
  if (count < 2) return;
  for (size_t i = 0; i < count; i++) {
    const double wide = item_width(j, &items[i], width);
    if (place(&x, wide, left, left + width)) y += j->font * 1.35;
    sample(j, items[i].look, x - wide, y - j->font * 0.3, kind);
    (void)hc_draw_text(
        j->surface, x - wide + j->font * SAMPLE, y, items[i].name,
        &(hc_text_style){.size = small(j), .ink = HC_INK_TEXT, .most = wide - j->font * (SAMPLE + 0.6)});
  }
}

/* ---- names behind the field ---- */

#define LEADER 1.6 /* of the font's size: from the field's edge to a name */

double hc_labels_width(const hc_plot_job *j, const hc_key_item *items, size_t count, double page)
{
  double most = 0;
  for (size_t i = 0; i < count; i++) most = HC_MAX(most, hc_text_width(items[i].name, small(j), false));
  most = most * 1.06 + j->font * (LEADER + 0.2);
  return most <= page * 0.34 ? most : 0;
}

HC_SORT(sort_by_end, hc_key_item, a->end != b->end ? a->end < b->end : a->look < b->look)

void hc_labels_draw(const hc_frame *f, hc_key_item *items, size_t count, double width)
{
  hc_plot_job *j = f->job;
  const double gap = small(j) * 1.15, edge = f->field.x + f->field.width;
  double *at = hc_arena_alloc(&j->arena, (count + 1) * sizeof *at), floor = f->field.y + f->field.height;
  if (!at) return;
  sort_by_end(items, count);
  for (size_t i = 0; i < count; i++)
    at[i] = i > 0 ? HC_MAX(items[i].end, at[i - 1] + gap) : HC_MAX(items[i].end, f->field.y + gap / 2);
  for (size_t i = count; i-- > 0; floor = at[i] - gap) at[i] = HC_MIN(at[i], floor);
  for (size_t i = 0; i < count; i++) {
    const hc_ink ink = hc_look_ink(items[i].look);
    const double x = edge + j->font * LEADER;
    hc_draw_line(j->surface, edge + j->font * 0.3, items[i].end, x - j->font * 0.2, at[i], 0.8, ink);
    (void)hc_draw_text(
        j->surface, x, at[i] + small(j) * 0.35, items[i].name,
        &(hc_text_style){.size = small(j), .ink = HC_INK_TEXT, .most = width - j->font * LEADER});
  }
}
