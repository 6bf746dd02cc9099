/* line_table.c -- the keys of lines of tables. See line_table.h.
 *
 * A line is cut only as far as its columns stand. One with a quote that is not closed is a part of a row
 * that spans several lines: sorting stops there. Titles are known again by being the same line as the
 * first one, so that files which were put together keep all of theirs in front. */
#include "workload/line_table.h"

#include <string.h>

#include "base/util.h"
#include "workload/reading.h"
#include "workload/spec.h"

static size_t line_length(const char *text, size_t size)
{
  const char *end = memchr(text, '\n', size);
  return end ? (size_t)(end - text) : size;
}

static bool is_passed_over(const hc_line_table *t, const char *line, size_t n)
{
  size_t i = 0;
  while (i < n && hc_is_blank(line[i])) i++;
  if (i == n) return true;
  return t->comment[0] == line[0] && n >= strlen(t->comment) &&
         memcmp(line, t->comment, strlen(t->comment)) == 0;
}

/* Whether every quote of the line is closed. */
static bool is_whole(const hc_line_table *t, const char *line, size_t n)
{
  size_t marks = 0;
  for (size_t i = 0; t->lexer.quotes && !t->lexer.one_line && i < n; i++) marks += line[i] == '"';
  return marks % 2 == 0;
}

static bool is_head(const hc_line_table *t, const char *line, size_t n)
{
  for (size_t at = 0; at < t->head_size;) {
    const size_t m = line_length(t->head + at, t->head_size - at);
    if (m == n && memcmp(t->head + at, line, n) == 0) return true;
    at += m + 1;
  }
  return false;
}

hc_line_kind hc_table_line_key(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id)
{
  const hc_line_table *t = layout;
  hc_field f;
  if (is_passed_over(t, line, n) || is_head(t, line, n)) return HC_LINE_HEAD;
  if (!is_whole(t, line, n)) return HC_LINE_PART;
  *id = -1;
  if (t->id > 0 && hc_lexer_nth(&t->lexer, line, n, t->id, &f) == 1)
    *id = t->number ? t->number(&f) : hc_name_number(f.text, f.length);
  if (hc_lexer_nth(&t->lexer, line, n, t->submit, &f) != 1) return HC_LINE_BROKEN;
  return (t->time ? t->time(&f, t->zone, submit) : hc_field_moment(&f, &t->format, t->zone, submit))
             ? HC_LINE_ROW
             : HC_LINE_BROKEN;
}

void hc_table_line_end(const hc_allocator *a, void *layout)
{
  hc_line_table *t = layout;
  if (t->head) hc_free(a, t->head, t->head_size);
  hc_zone_free(t->zone);
  hc_free(a, t, sizeof *t);
}

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory while sorting");
}

hc_rc hc_line_table_make(const hc_line_table *like, const char *text, size_t head_size, const char *zone,
                         void **layout, hc_error *e)
{
  const hc_allocator *a = like->allocator;
  hc_line_table *t = hc_alloc(a, sizeof *t);
  if (!t) return no_memory(e);
  *t = *like;
  *layout = t;
  if (head_size > 0) {
    t->head = hc_alloc(a, head_size);
    if (!t->head) return no_memory(e);
    t->head_size = head_size;
    memcpy(t->head, text, head_size);
  }
  const hc_rc rc = hc_origin_zone(a, "", zone, &t->zone, e);
  return rc == HC_ENOMEM ? no_memory(e) : rc;
}

size_t hc_line_table_first(const hc_line_table *t, const char *text, size_t size, int64_t skip, size_t *at)
{
  for (*at = 0; *at < size;) {
    const size_t n = line_length(text + *at, size - *at);
    if (skip-- <= 0 && !is_passed_over(t, text + *at, n)) return n;
    *at += n + 1;
  }
  *at = size;
  return 0;
}
