/* table_text.c -- a table as people read it: aligned columns, within the width of the terminal.
 *
 * Where lines would be wider than the terminal, titles take several lines, which are cut behind blanks and
 * underscores; if that is not enough, columns follow each other in pieces of the table, each of which begins
 * with the columns that say what a row is about (those before the first that is aligned right). What is no
 * terminal gets a row a line, however long, unless the environment says COLUMNS. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

#define GAP 2             /* columns of text between those of a table */
#define COLUMNS_LEAST 20u /* that a terminal is taken to have */
#define COLUMNS_MOST 4096u

size_t cli_line_columns(void)
{
  const char *said = getenv("COLUMNS");
  int64_t n = 0;
  struct winsize w = {0};
  if (said && hc_parse_int(said, strlen(said), &n) == 0 && n > 0) {
    return n < (int64_t)COLUMNS_LEAST ? COLUMNS_LEAST : n > (int64_t)COLUMNS_MOST ? 0 : (size_t)n;
  }
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0) return 0;
  return w.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : w.ws_col;
}

/* What is drawn: a table, with the widths of its columns. */
typedef struct drawing {
  const cli_table *t;
  hc_buffer *out;
  size_t indent;
  size_t *widths; /* [t->width] */
  bool header;    /* titles are shown */
} drawing;

/* ---- titles ---- */

/* @param text  not empty
 * @return bytes of its first line, at most `width` wide unless it has nowhere to be cut */
static size_t first_line(const char *text, size_t width)
{
  size_t best = 0, columns = 0;
  for (size_t i = 0; text[i]; i++) {
    columns += ((unsigned char)text[i] & 0xc0u) != 0x80u;
    if (best > 0 && columns > width) return best;
    if ((text[i] == ' ' || text[i] == '_') && text[i + 1]) best = i + 1;
  }
  return columns > width && best > 0 ? best : strlen(text);
}

/* Line `at` of a title, from above; "" behind its last. @param count of lines, out */
static void title_line(const char *title, size_t width, size_t at, const char **text, size_t *size,
                       size_t *count)
{
  *text = "";
  *size = *count = 0;
  for (size_t n; *title; title += n, ++*count) {
    n = first_line(title, width);
    if (*count != at) continue;
    *text = title;
    *size = n - (title[n - 1] == ' ');
  }
}

static size_t columns_of(const char *text, size_t size)
{
  size_t n = 0;
  for (size_t i = 0; i < size; i++) n += ((unsigned char)text[i] & 0xc0u) != 0x80u;
  return n;
}

/* The widest piece of a title that cannot be cut. */
static size_t widest_piece(const char *title)
{
  size_t widest = 0;
  for (size_t n; *title; title += n) {
    n = first_line(title, 0);
    const size_t wide = columns_of(title, n - (title[n - 1] == ' '));
    if (wide > widest) widest = wide;
  }
  return widest;
}

/* ---- widths ---- */

/* @param is_cut titles take several lines, if that makes them narrower */
static size_t column_width(const cli_table *t, size_t column, bool header, bool is_cut)
{
  const char *title = cli_column_title(&t->columns[column]);
  size_t width = !header ? 0 : is_cut ? widest_piece(title) : cli_width(title);
  for (size_t i = column; i < t->count; i += t->width) {
    const size_t n = cli_width(cli_cell_shown(&t->cells[i]));
    if (n > width) width = n;
  }
  return width;
}

static size_t span(const drawing *d, size_t from, size_t to)
{
  size_t n = 0;
  for (size_t i = from; i < to; i++) n += d->widths[i] + (i > from ? GAP : 0);
  return n;
}

static void find_widths(const drawing *d, size_t most)
{
  for (size_t i = 0; i < d->t->width; i++) d->widths[i] = column_width(d->t, i, d->header, false);
  if (!d->header || most == 0 || d->indent + span(d, 0, d->t->width) <= most) return;
  for (size_t i = 0; i < d->t->width; i++) d->widths[i] = column_width(d->t, i, true, true);
}

/* ---- lines ---- */

static void pad(hc_buffer *out, size_t n)
{
  while (n-- > 0) hc_buffer_add(out, " ", 1);
}

static void put(const drawing *d, size_t column, const char *text, size_t size)
{
  const size_t n = columns_of(text, size), space = d->widths[column] > n ? d->widths[column] - n : 0;
  const bool right = d->t->columns[column].right;
  if (right) pad(d->out, space);
  hc_buffer_add(d->out, text, size);
  if (!right) pad(d->out, space);
  pad(d->out, GAP);
}

/* Blanks at the end of a line say nothing. */
static void end_line(hc_buffer *out, size_t from)
{
  while (out->data && out->size > from && out->data[out->size - 1] == ' ') out->data[--out->size] = '\0';
  hc_buffer_add(out, "\n", 1);
}

/* The columns of a piece: those before `keys`, and those from `from` to `to`. */
static bool is_in(size_t column, size_t keys, size_t from, size_t to)
{
  return column < keys || (column >= from && column < to);
}

static size_t title_lines(const drawing *d, size_t column)
{
  const char *text;
  size_t size, count;
  title_line(cli_column_title(&d->t->columns[column]), d->widths[column], 0, &text, &size, &count);
  return count;
}

/* They end in the same line. */
static void put_titles(const drawing *d, size_t keys, size_t from, size_t to)
{
  size_t lines = 0;
  for (size_t i = 0; i < d->t->width; i++)
    if (is_in(i, keys, from, to) && title_lines(d, i) > lines) lines = title_lines(d, i);
  for (size_t line = 0; line < lines; line++) {
    const size_t begin = d->out->size;
    pad(d->out, d->indent);
    for (size_t i = 0; i < d->t->width; i++) {
      const char *text;
      size_t size, count;
      if (!is_in(i, keys, from, to)) continue;
      title_line(cli_column_title(&d->t->columns[i]), d->widths[i], line + title_lines(d, i) - lines, &text,
                 &size, &count);
      put(d, i, text, size);
    }
    end_line(d->out, begin);
  }
}

static void put_piece(const drawing *d, size_t keys, size_t from, size_t to)
{
  const cli_table *t = d->t;
  if (d->header) put_titles(d, keys, from, to);
  for (size_t row = 0; row + t->width <= t->count; row += t->width) {
    const size_t begin = d->out->size;
    pad(d->out, d->indent);
    for (size_t i = 0; i < t->width; i++) {
      const char *text = cli_cell_shown(&t->cells[row + i]);
      if (is_in(i, keys, from, to)) put(d, i, text, strlen(text));
    }
    end_line(d->out, begin);
  }
}

/* ---- pieces ---- */

/* The columns that each piece begins with: none if there would be little room beside them. */
static size_t keys_of(const drawing *d, size_t most)
{
  size_t keys = 0;
  while (keys < d->t->width && !d->t->columns[keys].right) keys++;
  if (keys == 0) keys = 1;
  return d->indent + span(d, 0, keys) > most * 2 / 3 ? 0 : keys;
}

static void put_pieces(const drawing *d, size_t most)
{
  const size_t keys = keys_of(d, most), columns = d->t->width;
  const size_t beside = d->indent + span(d, 0, keys) + (keys > 0 ? GAP : 0);
  for (size_t from = keys, to; from < columns; from = to) {
    to = from + 1;
    while (to < columns && beside + span(d, from, to + 1) <= most) to++;
    if (from > keys) hc_buffer_text(d->out, "\n");
    put_piece(d, keys, from, to);
  }
}

void cli_table_text(const cli_table *t, hc_buffer *out, size_t indent, bool header)
{
  const size_t most = cli_line_columns();
  const drawing d = {.t = t,
                     .out = out,
                     .indent = indent,
                     .header = header,
                     .widths = malloc((t->width + 1) * sizeof *d.widths)};
  if (!d.widths) {
    out->failed = true;
    return;
  }
  find_widths(&d, most);
  if (most == 0 || indent + span(&d, 0, t->width) <= most) put_piece(&d, t->width, t->width, t->width);
  else put_pieces(&d, most);
  free(d.widths);
}
