/* rows.c -- see rows.h. */
#include "plot/rows.h"

#include "base/util.h"

double hc_rows_height(const hc_plot_job *j, size_t count, double lines)
{
  return j->font * (0.8 + 0.8 + 2.9) + (double)count * lines * j->font;
}

static void draw_names(const hc_rows *r, const hc_rows_spec *s, double left, double width)
{
  const double size = r->job->font * 0.95;
  for (size_t i = 0; i < s->count; i++)
    (void)hc_draw_text(
        r->job->surface, left + width, hc_rows_y(r, i) + size * 0.35, s->names[i],
        &(hc_text_style){.size = size, .ink = HC_INK_TEXT, .anchor = HC_ANCHOR_END, .most = width});
}

static void draw_axis(const hc_rows *r, const hc_rows_spec *s)
{
  hc_plot_job *j = r->job;
  const double foot = r->field.y + r->field.height, size = j->font * 0.9;
  char text[120];
  for (size_t i = 0; i < r->x.count; i++) {
    const hc_tick *t = &r->x.ticks[i];
    const double x = hc_scale_at(&r->x, t->at), half = hc_text_width(t->label, size, false) / 2;
    if (t->label[0] == '\0') continue;
    hc_draw_line(j->surface, x, r->field.y, x, foot, 0.5, HC_INK_RULE);
    (void)hc_draw_text(j->surface, HC_MIN(x, j->width - half - 1), foot + size * 1.3, t->label,
                       &(hc_text_style){.size = size, .ink = HC_INK_SOFT, .anchor = HC_ANCHOR_MIDDLE});
  }
  hc_title_words(s->words, r->x.unit, text);
  (void)hc_draw_text(j->surface, r->field.x + r->field.width / 2, foot + j->font * 2.45,
                     j->request->x_title ? j->request->x_title : text,
                     &(hc_text_style){.size = j->font,
                                      .ink = HC_INK_TEXT,
                                      .anchor = HC_ANCHOR_MIDDLE,
                                      .most = HC_MIN(r->field.width * 1.3, j->width)});
}

void hc_rows_draw(hc_rows *r, hc_plot_job *j, const hc_box *page, const hc_rows_spec *s)
{
  double names = 0;
  for (size_t i = 0; i < s->count; i++)
    names = HC_MAX(names, hc_text_width(s->names[i], j->font * 0.95, false) * 1.06);
  names = HC_MIN(names, page->width * 0.42);
  r->job = j;
  r->count = s->count;
  r->field = *page;
  r->field.x += names + j->font * 0.6;
  r->field.width -= names + j->font * 0.6 + HC_MAX(s->right, j->font);
  r->field.height -= j->font * 2.9;
  r->row_height = r->field.height / (double)HC_MAX(s->count, (size_t)1);
  r->x.from = r->field.x;
  r->x.to = r->field.x + r->field.width;
  hc_scale_mark(&r->x, s->unit, &(hc_room){r->field.width, j->font * 0.9, true}, s->is_wide);
  draw_axis(r, s);
  draw_names(r, s, page->x, names);
}
