/* delimited.c -- tables as text: lines cut into fields, with a header or not, quoted or not.
 *
 * A record is a line, or several where a quoted field holds line breaks (RFC 4180). Fields are borrowed
 * pieces of the record, which itself stays as it is, so that an error and the file of rejected rows can show
 * it. Beyond the standard: blanks around a field do not count; empty lines and comments are no records; a
 * quote inside a field that does not begin with one is an ordinary character.
 *
 * The separator, if it is not given, is the one of tab, bar, semicolon and comma that the first record has
 * most of, outside quotes; if it has none, blanks. Of what cannot be read as a row, the first is remembered
 * for the error at the end of a file in which nothing can. Source: RFC 4180. Cost: about 1 ns per byte;
 * memory for one record. */
#include "workload/delimited.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/reading.h"

/* Cut the record. @return 1, 0 if a quote is open at its end, HC_ENOMEM. */
static hc_rc cut(hc_delimited *d)
{
  const hc_lexer l = {d->separator, d->quotes, d->one_line};
  const char *p = d->record;
  int is;
  d->count = 0;
  d->flaw = NULL;
  for (hc_field f; (is = hc_lexer_next(&l, &p, d->record + d->length, &f, &d->flaw)) == 1; d->count++) {
    TRY(hc_reserve(d->joined.allocator, (void **)&d->room, &d->cap, d->count + 1, sizeof *d->room));
    d->room[d->count] = f;
  }
  d->fields = d->room;
  return is == 0;
}

hc_rc hc_delimited_cut_again(hc_delimited *d, char separator)
{
  hc_rc rc;
  d->separator = d->s.separator = separator;
  rc = cut(d);
  return rc < 0 ? rc : 0;
}

/* ---- records ---- */

static hc_rc never_closed(const hc_delimited *d, hc_error *e)
{
  return hc_fail(
      e, HC_EINPUT, d->name, hc_line_number(d->s.line), 0,
      "a quote that opens in this row is not closed; close it, or set `quotes: false` if quotes are "
      "ordinary characters here");
}

/* The record goes on behind a line break: add lines until its quotes are closed. */
static hc_rc join_lines(hc_delimited *d, hc_error *e)
{
  d->joined.size = 0;
  hc_buffer_add(&d->joined, d->record, d->length);
  for (int i = 1; i < HC_RECORD_LINES && d->joined.size <= HC_LINE_LIMIT; i++) {
    char *line;
    size_t length;
    hc_rc rc = hc_input_line(d->in, &line, &length, e);
    if (rc < 0) return rc;
    if (rc == 0) return never_closed(d, e);
    hc_buffer_add(&d->joined, "\n", 1);
    hc_buffer_add(&d->joined, line, length);
    if (d->joined.failed) return HC_ENOMEM;
    if (!memchr(line, '"', length)) continue;
    d->record = d->joined.data;
    d->length = d->joined.size;
    rc = cut(d);
    if (rc != 0) return rc;
  }
  return never_closed(d, e);
}

hc_rc hc_delimited_next(hc_delimited *d, hc_error *e)
{
  char *line;
  size_t length;
  hc_rc rc;
  do {
    rc = hc_input_line(d->in, &line, &length, e);
    if (rc <= 0) return rc;
    if (hc_input_lines(d->in) == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0) {
      line += 3; /* a byte order mark */
      length -= 3;
    }
  } while (hc_lexer_skips(line, length, d->comment));
  d->s.line = hc_input_lines(d->in);
  d->record = line;
  d->length = length;
  if (!d->separator) d->separator = hc_lexer_guess(line, length);
  d->s.separator = d->separator;
  rc = cut(d);
  return rc != 0 ? rc : join_lines(d, e);
}

/* ---- the header ---- */

hc_rc hc_delimited_keep_titles(hc_delimited *d)
{
  hc_buffer scratch;
  hc_rc rc = 0;
  hc_buffer_init(&scratch, d->texts.allocator);
  d->titles = hc_arena_alloc(&d->texts, d->count * sizeof *d->titles);
  d->title_count = d->titles ? d->count : 0;
  d->s.has_header = true;
  if (!d->titles) rc = HC_ENOMEM;
  for (size_t i = 0; rc == 0 && i < d->count; i++) {
    const char *text;
    size_t length;
    rc = hc_field_text(&d->fields[i], &scratch, &text, &length);
    if (rc == 0 && !(d->titles[i] = hc_arena_text(&d->texts, text, length))) rc = HC_ENOMEM;
  }
  if (rc < 0) d->title_count = 0;
  hc_buffer_fini(&scratch);
  return rc;
}

/* ---- what is wrong ---- */

/* Line and column of a place in the record, from 1. */
static void place_of(const hc_delimited *d, const char *at, uint32_t *line, uint32_t *column)
{
  const char *begin = d->record;
  uint64_t n = d->s.line;
  *column = 0;
  for (const char *p = d->record; at && p < at; p++) {
    if (*p != '\n') continue;
    n++;
    begin = p + 1;
  }
  *line = hc_line_number(n);
  if (at) *column = (uint32_t)(at - begin) + 1;
}

hc_rc hc_delimited_reject(hc_delimited *d, const hc_source_context *c, const char *at, hc_error *e,
                          const char *why, ...)
{
  char text[sizeof d->s.bad] = {0};
  uint32_t line, column;
  va_list args;
  va_start(args, why);
  (void)vsnprintf(text, sizeof text, why, args);
  va_end(args);
  place_of(d, at, &line, &column);
  if (d->s.malformed++ == 0) {
    d->s.bad_line = line;
    d->s.bad_column = column;
    memcpy(d->s.bad, text, sizeof text);
  }
  if (c->strict) /* more than the ledger knows to say; the first error stays */
    (void)hc_fail(
        e, HC_EINPUT, d->name, line, column,
        "row rejected (malformed): %s; correct it, or leave out `strict` to count such rows and go on", text);
  return hc_row_reject(c, d->name, d->s.line, column, HC_REASON_MALFORMED, d->record, e);
}

hc_rc hc_delimited_end(hc_delimited *d, const char *kind, const char *advice, hc_error *e)
{
  d->s.at_end = true;
  if (d->s.rows > 0) return 0;
  if (d->s.malformed > 0)
    return hc_fail(e, HC_EINPUT, d->name, d->s.bad_line, d->s.bad_column,
                   "no row of this file can be read as %s. The first: %s. %s", kind, d->s.bad, advice);
  if (d->s.has_header) return 0; /* a header alone: a trace without tasks */
  return hc_fail(e, HC_EINPUT, d->name, 0, 0, "the file has no rows: give %s", kind);
}

/* ---- the origin ---- */

hc_rc hc_delimited_since_origin(hc_delimited *d, const hc_source_context *c, hc_time *submit, hc_error *e)
{
  if (d->s.origin == HC_UNKNOWN) d->s.origin = hc_origin_day(*submit, d->zone);
  if (__builtin_sub_overflow(*submit, d->s.origin, submit)) *submit = *submit < 0 ? -1 : HC_NEVER - 1;
  if (*submit >= 0) return 1;
  if (!d->origin_given)
    return hc_fail(
        e, HC_EINPUT, d->name, hc_line_number(d->s.line), 0,
        "submitted before the day of the first row, from which the times of this trace count: set `origin` "
        "to the day of the earliest row, such as 2024-01-31");
  return hc_row_reject(c, d->name, d->s.line, 0, HC_REASON_OUTSIDE, d->record, e);
}

int64_t hc_delimited_unix_start(const hc_delimited *d)
{
  return hc_origin_seconds(d->s.origin);
}

/* ---- opening and moving ---- */

hc_rc hc_delimited_open(hc_delimited *d, const hc_allocator *a, const char *path, hc_error *e)
{
  memset(d, 0, sizeof *d);
  d->quotes = true;
  d->comment = "#";
  d->s.origin = HC_UNKNOWN;
  hc_arena_init(&d->texts, a);
  hc_buffer_init(&d->joined, a);
  TRY(hc_input_open(a, path, &d->in, e));
  d->name = hc_input_name(d->in);
  return 0;
}

void hc_delimited_close(hc_delimited *d)
{
  if (!d->joined.allocator) return;
  hc_free(d->joined.allocator, d->room, d->cap * sizeof *d->room);
  hc_input_free(d->in);
  hc_buffer_fini(&d->joined);
  hc_arena_fini(&d->texts);
}

hc_rc hc_delimited_visit(hc_delimited *d, hc_visitor *v, hc_error *e)
{
  if (!hc_visit_loading(v)) {
    d->s.position = hc_input_position(d->in);
    d->s.lines = hc_input_lines(d->in);
    return hc_visit_bytes(v, &d->s, sizeof d->s);
  }
  TRY(hc_visit_bytes(v, &d->s, sizeof d->s));
  if (d->s.separator) d->separator = d->s.separator;
  return hc_input_seek(d->in, d->s.position, d->s.lines, e);
}

bool hc_delimited_is_called(const char *name, const char *ending)
{
  const size_t m = strlen(ending);
  for (const char *at = name; at && (at = strstr(at, ending)) != NULL; at++)
    if (at[m] == '\0' || at[m] == '.') return true; /* also before .gz, .zst, .xz */
  return false;
}
