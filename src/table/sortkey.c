/* sortkey.c -- where a line of a table stands in order of submission, for sorting lines as they are.
 *
 * A line is cut only as far as its columns stand. Lines of titles are known again by being the same as the
 * first one, so that files which were put together keep all of theirs in front. One with a quote that is not
 * closed is part of a row of several lines: sorting stops there. Cost: about 50 ns a line. */
#include "base/util.h"
#include "table/sheet.h"
#include "workload/reading.h"

typedef struct layout {
  const hc_table_format *format;
  const hc_table_form *form;
  const hc_sheet_options *o;
  hc_zone *zone;
  const hc_column *submit, *id;
  size_t submit_at, id_at; /* numbers of their columns, from 1; 0: there is none */
  char *titles;            /* [titles_size] the line of titles; owned */
  size_t titles_size;
} layout;

void hc_sortkey_end(const hc_allocator *a, void *made)
{
  layout *l = made;
  if (!l) return;
  if (l->titles) hc_free(a, l->titles, l->titles_size);
  hc_zone_free(l->zone);
  hc_free(a, l, sizeof *l);
}

static hc_rc bind(layout *l, const hc_allocator *a, const char *line, size_t n, hc_error *e)
{
  const hc_table_format *f = l->format;
  uint64_t at[HC_TABLE_COLUMNS] = {0}, width;
  size_t first = 0, count = f->form_count;
  bool titles = false;
  if (f->pick) f->pick(l->o, &first, &count);
  l->form = &f->forms[hc_format_bind(f, first, count, line, n, at, &width, &titles)];
  const uint32_t submit = hc_form_says(l->form, HC_FACT_SUBMIT), id = hc_form_says(l->form, HC_FACT_ID);
  const uint32_t lack = hc_form_lacks(l->form, at);
  if (submit < l->form->count) {
    l->submit = &l->form->columns[submit];
    l->submit_at = (size_t)at[submit];
  }
  if (id < l->form->count) {
    l->id = &l->form->columns[id];
    l->id_at = (size_t)at[id];
  }
  if (line && lack < l->form->count) {
    const char *title;
    const size_t m = hc_column_title(&l->form->columns[lack], &title);
    return hc_fail(e, HC_EINPUT, l->o->file ? l->o->file : f->name, 0, 0,
                   "this is not %s: no column has the title %.*s; `hindcast list reader` has the formats",
                   l->form->kind, (int)m, title);
  }
  if (l->form->titles == HC_TITLES_ALWAYS && l->submit_at == 0 && l->submit) {
    const char *title;
    const size_t m = hc_column_title(l->submit, &title);
    return hc_fail(e, HC_EINPUT, l->o->file ? l->o->file : f->name, 0, 0,
                   "the first line that is no comment has no column %.*s, by which rows are put in order",
                   (int)m, title);
  }
  if (!titles || !line) return 0;
  if (!(l->titles = hc_alloc(a, n))) return HC_ENOMEM;
  memcpy(l->titles, line, n);
  l->titles_size = n;
  return 0;
}

hc_rc hc_sortkey_begin(const hc_table_format *f, const hc_allocator *a, const void *options, const char *text,
                       size_t size, void **out, hc_error *e)
{
  size_t n = 0;
  bool whole;
  const char *line = hc_lexer_first(text, size, "#", &n, &whole);
  layout *l = hc_alloc(a, sizeof *l);
  hc_rc rc;
  if (!l) return HC_ENOMEM;
  l->format = f;
  l->o = options;
  rc = hc_origin_zone(a, f->name, l->o->zone, &l->zone, e);
  if (rc == 0) rc = bind(l, a, line, n, e);
  if (rc < 0) hc_sortkey_end(a, l);
  else *out = l;
  return rc;
}

/* Whether every quote of the line is closed. */
static bool is_whole(const char *line, size_t n)
{
  size_t marks = 0;
  for (size_t i = 0; i < n; i++) marks += line[i] == '"';
  return marks % 2 == 0;
}

hc_line_kind hc_sortkey(const void *made, const char *line, size_t n, hc_time *submit, int64_t *id)
{
  const layout *l = made;
  const hc_lexer lexer = {l->form->separator, l->form->quotes || l->form->joined, !l->form->joined};
  hc_field f;
  if (n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
    line += 3;
    n -= 3;
  }
  if (n > 0 && line[n - 1] == '\r') n--;
  if (hc_lexer_skips(line, n, "#")) return HC_LINE_HEAD;
  if (l->titles && n == l->titles_size && memcmp(line, l->titles, n) == 0) return HC_LINE_HEAD;
  if (l->form->joined && !is_whole(line, n)) return HC_LINE_PART;
  *submit = 0;
  *id = 0;
  if (l->id_at > 0 && hc_lexer_nth(&lexer, line, n, l->id_at, &f) == 1) *id = hc_sheet_number(l->id, &f);
  if (l->form->expected && hc_lexer_nth(&lexer, line, n, l->form->count, &f) != 1) return HC_LINE_BROKEN;
  if (l->submit_at == 0) return HC_LINE_ROW;
  if (hc_lexer_nth(&lexer, line, n, l->submit_at, &f) != 1) return HC_LINE_BROKEN;
  if (hc_format_misses(l->format, &f))
    return l->submit->flags & HC_NONE_IS_FIRST ? HC_LINE_ROW : HC_LINE_BROKEN;
  return hc_sheet_time(l->submit, &f, l->o->time_unit ? l->o->time_unit : HC_SECOND, l->zone, submit)
             ? HC_LINE_ROW
             : HC_LINE_BROKEN;
}
