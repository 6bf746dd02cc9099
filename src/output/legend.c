/* legend.c -- what the colours of a picture mean.
 *
 * Items stand in rows, the largest first, each a square and a name; those that have no room are counted at
 * the end. How wide a text is drawn is the reader's font's to say: here a letter has the width of most, and a
 * character of the East twice that, so that items stand apart whatever they hold. A name is text from
 * outside: it is escaped, shown as far as LONGEST, and whole where one points at it. */
#include "output/legend.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "base/util.h"

enum { LETTER = 6, SQUARE = 10, GAP = 16, LONGEST = 24, FURTHER = 84, MOST_TEXT = 200 };

HC_SORT(sort_by_number, hc_legend_item, a->number < b->number)
HC_SORT(sort_by_amount, hc_legend_item,
        a->amount != b->amount ? a->amount > b->amount : a->number < b->number)

void hc_legend_init(hc_legend *l, const hc_allocator *a, hc_called kind)
{
  *l = (hc_legend){.allocator = a, .kind = kind};
}

void hc_legend_fini(hc_legend *l)
{
  hc_free(l->allocator, l->items, l->cap * sizeof *l->items);
}

hc_rc hc_legend_add(hc_legend *l, int64_t number, double amount)
{
  TRY(hc_reserve(l->allocator, (void **)&l->items, &l->cap, l->count + 1, sizeof *l->items));
  l->items[l->count++] = (hc_legend_item){.number = number, .amount = amount};
  return 0;
}

/* ---- texts ---- */

static const char *text_of(const hc_legend *l, hc_result *r, int64_t number, char buf[24])
{
  return number < 0 ? "not known" : hc_emit_called(r, l->kind, number, buf);
}

/* The bytes of its first characters, and how wide these are drawn: what is no character is shown as one, a
 * control character as four. */
static size_t cut(const char *text, int64_t *width)
{
  const size_t n = strlen(text);
  size_t at = 0;
  *width = 0;
  for (int characters = 0; at < n && characters < LONGEST; characters++) {
    uint32_t code = 0;
    const size_t step = hc_utf8_decode(text + at, n - at, &code);
    const bool is_shown_as_code = step > 0 && (code < 0x20 || (code >= 0x7f && code < 0xa0));
    *width += is_shown_as_code ? 4 * LETTER : code >= 0x1100 ? 2 * LETTER : LETTER;
    at += step > 0 ? step : 1;
  }
  if (at < n) *width += 2 * LETTER; /* three dots */
  return at;
}

/* Whole percents of all; less than one is said so. @param out [16] */
static int64_t share_text(const hc_legend *l, const hc_legend_item *x, char *out)
{
  const double percent = l->all > 0 ? 100 * x->amount / l->all : 0;
  if (percent >= 0.5) return snprintf(out, 16, "%.0f %%", percent) * LETTER;
  return snprintf(out, 16, "<1 %%") * LETTER;
}

static int64_t width_of(const hc_legend *l, hc_result *r, const hc_legend_item *x)
{
  char buf[24], share[16];
  int64_t width;
  (void)cut(text_of(l, r, x->number, buf), &width);
  return SQUARE + 4 + width + LETTER + share_text(l, x, share) + GAP;
}

/* ---- where they stand ---- */

/* Each number once. */
static void merge(hc_legend *l)
{
  size_t n = 0;
  sort_by_number(l->items, l->count);
  for (size_t i = 0; i < l->count; i++) {
    if (n > 0 && l->items[n - 1].number == l->items[i].number) l->items[n - 1].amount += l->items[i].amount;
    else l->items[n++] = l->items[i];
  }
  l->count = n;
  l->all = 0;
  sort_by_amount(l->items, l->count);
  for (size_t i = 0; i < l->count; i++) l->all += l->items[i].amount;
}

void hc_legend_settle(hc_legend *l, hc_result *r, int64_t left, int64_t right, int64_t most)
{
  int64_t row = 0, x = left;
  merge(l);
  for (l->shown = 0; l->count > 1 && most > 0 && l->shown < HC_MIN(l->count, (size_t)HC_SERIES); l->shown++) {
    hc_legend_item *item = &l->items[l->shown];
    const int64_t width = width_of(l, r, item);
    const int64_t end = row + 1 < most || l->shown + 1 == l->count ? right + GAP : right - FURTHER;
    if (x + width > end && x > left) {
      if (row + 1 == most) break;
      row++;
      x = left;
    }
    item->x = x;
    item->row = row;
    x += width;
    l->end_x = x;
    l->rows = row + 1;
  }
}

/* ---- drawing ---- */

static hc_rc draw_item(const hc_legend *l, hc_emit *m, hc_result *r, const hc_legend_item *x, int64_t top,
                       void (*colour)(void *ctx, int64_t number), void *ctx)
{
  const int64_t y = top + x->row * HC_LEGEND_ROW;
  char buf[24], share[16];
  const char *text = text_of(l, r, x->number, buf);
  const size_t n = strlen(text);
  int64_t width;
  const size_t shown = cut(text, &width);
  hc_buffer_printf(&m->text, "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%d\" height=\"%d\" rx=\"2\"",
                   x->x, y + 3, SQUARE, SQUARE);
  colour(ctx, x->number);
  (void)share_text(l, x, share);
  hc_buffer_printf(&m->text, "/><text x=\"%" PRId64 "\" y=\"%" PRId64 "\">", x->x + SQUARE + 4, y + 12);
  if (shown < n) {
    hc_buffer_text(&m->text, "<title>");
    hc_xml_text(&m->text, text, HC_MIN(n, (size_t)MOST_TEXT));
    hc_buffer_text(&m->text, n > MOST_TEXT ? "...</title>" : "</title>");
  }
  hc_xml_text(&m->text, text, shown);
  if (shown < n) hc_buffer_text(&m->text, "...");
  hc_buffer_printf(&m->text, " <tspan class=\"hc-f-soft\" fill=\"#%06x\">%s</tspan></text>\n",
                   (unsigned)hc_ink_light(HC_INK_SOFT), share);
  return hc_emit_row(m);
}

hc_rc hc_legend_draw(const hc_legend *l, hc_emit *m, hc_result *r, int64_t left, int64_t top,
                     void (*colour)(void *ctx, int64_t number), void *ctx)
{
  if (l->rows == 0) return 0;
  hc_buffer_printf(&m->text,
                   "<text text-anchor=\"end\" class=\"hc-f-soft\" fill=\"#%06x\" x=\"%" PRId64
                   "\" y=\"%" PRId64 "\">",
                   (unsigned)hc_ink_light(HC_INK_SOFT), left - 8, top + 12);
  hc_xml_text(&m->text, hc_result_title(r, l->kind),
              HC_MIN(strlen(hc_result_title(r, l->kind)), (size_t)LONGEST));
  hc_buffer_text(&m->text, "</text>\n");
  for (size_t i = 0; i < l->shown; i++) TRY(draw_item(l, m, r, &l->items[i], top, colour, ctx));
  if (l->shown == l->count) return 0;
  hc_buffer_printf(&m->text, "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%d\" height=\"%d\" rx=\"2\" ",
                   l->end_x, top + (l->rows - 1) * HC_LEGEND_ROW + 3, SQUARE, SQUARE);
  hc_buffer_printf(&m->text,
                   "class=\"hc-f-rest\" fill=\"#%06x\"/><text class=\"hc-f-soft\" fill=\"#%06x\" x=\"%" PRId64
                   "\" y=\"%" PRId64 "\">and %zu more</text>\n",
                   (unsigned)hc_ink_light(HC_INK_REST), (unsigned)hc_ink_light(HC_INK_SOFT),
                   l->end_x + SQUARE + 4, top + (l->rows - 1) * HC_LEGEND_ROW + 12, l->count - l->shown);
  return 0;
}

void hc_legend_label(hc_emit *m, const char *text, const hc_legend_box *b)
{
  enum { ROOM = 8, LOWEST = 14, BASE = 4 }; /* pixels: beside the text, of its rectangle, below its middle */
  int64_t width;
  if (b->bottom - b->top < LOWEST * 100 || b->right - b->left < (LETTER + ROOM) * 100) return;
  const size_t n = cut(text, &width);
  if (text[n] != '\0' || n == 0 || (width + ROOM) * 100 > b->right - b->left) return;
  /* An area's ink is deep on both grounds or on none, but for the black one, which is light on dark ground. */
  const bool turns = hc_ink_is_deep(b->ink, false) != hc_ink_is_deep(b->ink, true);
  hc_buffer_printf(&m->text,
                   "<text pointer-events=\"none\" text-anchor=\"middle\"%s fill=\"%s\" x=\"%" PRId64
                   "\" y=\"%" PRId64 "\">",
                   turns ? " class=\"hc-f-ground\"" : "",
                   hc_ink_is_deep(b->ink, false) ? "#ffffff" : "#000000", (b->left + b->right) / 200,
                   (b->top + b->bottom) / 200 + BASE);
  hc_xml_text(&m->text, text, n);
  hc_buffer_text(&m->text, "</text>\n");
}
