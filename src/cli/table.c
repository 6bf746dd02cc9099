/* table.c -- one table, several looks: aligned for people (table_text.c), CSV, JSON, Markdown, LaTeX.
 *
 * Each cell is kept as programs read it and, where that differs, as people do. Widths count UTF-8 characters,
 * not bytes. Nothing here knows what a table is about. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

void cli_table_init(cli_table *t, const hc_allocator *a, const cli_column *columns, size_t width)
{
  *t = (cli_table){.allocator = a, .columns = columns, .width = width};
}

void cli_table_fini(cli_table *t)
{
  for (size_t i = 0; i < t->count; i++) {
    free(t->cells[i].plain);
    free(t->cells[i].human);
  }
  free(t->cells);
  *t = (cli_table){0};
}

static char *copy(const char *s)
{
  size_t n = strlen(s) + 1;
  char *p = malloc(n);
  if (p) memcpy(p, s, n);
  return p;
}

void cli_add_pair(cli_table *t, const char *plain, const char *human, bool is_text)
{
  cli_cell cell = {.is_text = is_text};
  if (t->count == t->cap) {
    size_t cap = t->cap ? t->cap * 2 : 64;
    cli_cell *cells = realloc(t->cells, cap * sizeof *cells);
    if (!cells) {
      t->failed = true;
      return;
    }
    t->cells = cells;
    t->cap = cap;
  }
  if (plain) cell.plain = copy(plain);
  if (human) cell.human = copy(human);
  t->failed |= (plain && !cell.plain) || (human && !cell.human);
  t->cells[t->count++] = cell;
}

void cli_add_text(cli_table *t, const char *text)
{
  cli_add_pair(t, text, NULL, true);
}

void cli_add_int(cli_table *t, int64_t n)
{
  char plain[32], human[40];
  (void)snprintf(plain, sizeof plain, "%lld", (long long)n);
  human[hc_format_count(n, human)] = '\0';
  cli_add_pair(t, plain, human, false);
}

/* Digits before the point in groups of three, `decimals` behind it. */
static void grouped(double x, int decimals, char *out, size_t size)
{
  char digits[400];
  size_t n, whole, at = 0;
  (void)snprintf(digits, sizeof digits, "%.*f", decimals, x);
  n = strlen(digits);
  whole = strcspn(digits, ".");
  for (size_t i = 0; i < n && at + 2 < size; i++) {
    bool comma = i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-';
    if (comma) out[at++] = ',';
    out[at++] = digits[i];
  }
  out[at] = '\0';
}

void cli_human(double x, const char *unit, char *out)
{
  double size = x < 0 ? -x : x;
  bool is_whole = size < 1e15 && x == (double)(int64_t)x;
  if (unit && strcmp(unit, "B") == 0 && size < 9e18) {
    out[hc_format_size((int64_t)(x < 0 ? x - 0.5 : x + 0.5), out)] = '\0';
    return;
  }
  if (x != x) (void)snprintf(out, 64, "-");
  else if (size >= 1e15) (void)snprintf(out, 64, "%.4g", x);
  else if (is_whole) grouped(x, 0, out, 64);
  else if (size >= 1000) grouped(x, 1, out, 64);
  else if (size >= 10) grouped(x, 2, out, 64);
  else if (size >= 0.001) grouped(x, 4, out, 64);
  else (void)snprintf(out, 64, "%.3g", x);
}

void cli_add_real(cli_table *t, double x, const char *unit)
{
  char plain[40], human[64];
  if (x != x) {
    cli_add_pair(t, NULL, "-", false);
    return;
  }
  plain[hc_format_real(x, plain)] = '\0';
  cli_human(x, unit, human);
  cli_add_pair(t, plain, human, false);
}

void cli_add_time(cli_table *t, hc_time time)
{
  char plain[40];
  if (time == HC_UNKNOWN || time == HC_NEVER) {
    cli_add_pair(t, NULL, "-", false);
    return;
  }
  plain[hc_format_seconds(time, plain)] = '\0';
  cli_add_pair(t, plain, NULL, false);
}

/* ---- looks ---- */

size_t cli_width(const char *s)
{
  size_t n = 0;
  for (; *s; s++) n += ((unsigned char)*s & 0xc0u) != 0x80u;
  return n;
}

const char *cli_cell_shown(const cli_cell *cell)
{
  if (cell->human) return cell->human;
  return cell->plain ? cell->plain : "";
}

const char *cli_column_title(const cli_column *c)
{
  return c->title ? c->title : c->name;
}

void cli_table_csv(const cli_table *t, hc_buffer *out)
{
  for (size_t i = 0; i < t->width; i++) {
    hc_csv_field(out, t->columns[i].name, strlen(t->columns[i].name));
    hc_buffer_text(out, i + 1 == t->width ? "\n" : ",");
  }
  for (size_t i = 0; i < t->count; i++) {
    const char *s = t->cells[i].plain ? t->cells[i].plain : "";
    hc_csv_field(out, s, strlen(s));
    hc_buffer_text(out, (i + 1) % t->width == 0 ? "\n" : ",");
  }
}

/* Names are what a log says: one that looks like markup is shown, and does nothing. "<0.0001" is no tag. */
static bool begins_tag(const char *text)
{
  const char next = *text == '<' ? text[1] : '\0';
  return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '/' || next == '!' ||
         next == '?';
}

static void markdown_cell(hc_buffer *out, const char *text)
{
  hc_buffer_text(out, " ");
  for (; *text; text++) {
    if (*text == '|' || begins_tag(text)) hc_buffer_text(out, "\\");
    hc_buffer_add(out, text, 1);
  }
  hc_buffer_text(out, " |");
}

void cli_table_markdown(const cli_table *t, hc_buffer *out)
{
  hc_buffer_text(out, "|");
  for (size_t i = 0; i < t->width; i++) markdown_cell(out, cli_column_title(&t->columns[i]));
  hc_buffer_text(out, "\n|");
  for (size_t i = 0; i < t->width; i++) hc_buffer_text(out, t->columns[i].right ? "--:|" : "---|");
  hc_buffer_text(out, "\n");
  for (size_t i = 0; i < t->count; i++) {
    const cli_cell *cell = &t->cells[i];
    if (i % t->width == 0) hc_buffer_text(out, "|");
    markdown_cell(out, cli_cell_shown(cell));
    if ((i + 1) % t->width == 0) hc_buffer_text(out, "\n");
  }
}

/* What means something to LaTeX, and characters that its fonts or encodings may lack, as it writes them. */
static const char *latex_of(const char *text, size_t *n)
{
  static const struct {
    const char *from, *to;
  } all[] = {{"\\", "\\textbackslash{}"},
             {"~", "\\textasciitilde{}"},
             {"^", "\\textasciicircum{}"},
             {"<", "$<$"},
             {">", "$>$"},
             {"|", "$|$"},
             {"+/-", "$\\pm$"},
             {"±", "$\\pm$"},
             {"×", "$\\times$"},
             {"&", "\\&"},
             {"%", "\\%"},
             {"$", "\\$"},
             {"#", "\\#"},
             {"_", "\\_"},
             {"{", "\\{"},
             {"}", "\\}"}};
  for (size_t i = 0; i < CLI_LEN(all); i++) {
    *n = strlen(all[i].from);
    if (strncmp(text, all[i].from, *n) == 0) return all[i].to;
  }
  *n = 1;
  return NULL;
}

/* A number below zero has a minus, which a hyphen is not. */
static void latex_cell(hc_buffer *out, const char *text, bool is_number)
{
  if (is_number && *text == '-' && text[1] != '\0') {
    hc_buffer_text(out, "$-$");
    text++;
  }
  for (size_t n; *text; text += n) {
    const char *to = latex_of(text, &n);
    if (to) hc_buffer_text(out, to);
    else hc_buffer_add(out, text, n);
  }
}

void cli_table_latex(const cli_table *t, hc_buffer *out)
{
  hc_buffer_text(out, "\\begin{tabular}{");
  for (size_t i = 0; i < t->width; i++) hc_buffer_text(out, t->columns[i].right ? "r" : "l");
  hc_buffer_text(out, "}\n\\hline\n");
  for (size_t i = 0; i < t->width; i++) {
    latex_cell(out, cli_column_title(&t->columns[i]), false);
    hc_buffer_text(out, i + 1 < t->width ? " & " : " \\\\\n\\hline\n");
  }
  for (size_t i = 0; i < t->count; i++) {
    latex_cell(out, cli_cell_shown(&t->cells[i]), t->columns[i % t->width].right);
    hc_buffer_text(out, (i + 1) % t->width != 0 ? " & " : " \\\\\n");
  }
  hc_buffer_text(out, "\\hline\n\\end{tabular}\n");
}

void cli_latex_comments(hc_buffer *out)
{
  hc_buffer b;
  bool is_table = false;
  hc_buffer_init(&b, out->allocator);
  for (const char *at = out->size ? out->data : ""; *at;) {
    const size_t n = strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    if (strncmp(at, "\\begin{tabular}", 15) == 0) is_table = true;
    if (!is_table && *at != '\n') hc_buffer_text(&b, "% ");
    hc_buffer_add(&b, at, n);
    if (strncmp(at, "\\end{tabular}", 13) == 0) is_table = false;
    at += n;
  }
  b.failed |= out->failed;
  hc_buffer_fini(out);
  *out = b;
}

bool cli_is_marked(const cli *c)
{
  return cli_has(c, "markdown") || cli_has(c, "latex");
}

void cli_table_people(cli *c, const cli_table *t, size_t indent)
{
  hc_buffer *out = &c->out;
  if (cli_has(c, "markdown")) cli_table_markdown(t, out);
  else if (cli_has(c, "latex")) cli_table_latex(t, out);
  else cli_table_text(t, out, indent, true);
}

/* A list, a row a line. */
void cli_table_member(const cli_table *t, hc_json_writer *w, const char *key)
{
  w->out->failed |= t->failed;
  hc_json_enter(w, key, '[');
  for (size_t row = 0; row + t->width <= t->count; row += t->width) {
    hc_json_enter_line(w, NULL, '{');
    for (size_t i = 0; i < t->width; i++) {
      const cli_cell *cell = &t->cells[row + i];
      if (!cell->plain || cell->is_text) hc_json_put_text(w, t->columns[i].name, cell->plain);
      else hc_json_put_raw(w, t->columns[i].name, cell->plain);
    }
    hc_json_leave(w, '}');
  }
  hc_json_leave(w, ']');
}

static void page_columns(const cli_table *t, hc_json_writer *w)
{
  hc_json_enter(w, "columns", '[');
  for (size_t i = 0; i < t->width; i++) {
    hc_json_enter(w, NULL, '{');
    hc_json_put_text(w, "name", t->columns[i].name);
    hc_json_put_text(w, "title", cli_column_title(&t->columns[i]));
    hc_json_put_bool(w, "right", t->columns[i].right);
    hc_json_leave(w, '}');
  }
  hc_json_leave(w, ']');
}

void cli_table_page(const cli_table *t, hc_json_writer *w, const char *key, const char *name,
                    const char *note)
{
  w->out->failed |= t->failed;
  hc_json_enter(w, key, '{');
  hc_json_put_text(w, "title", name);
  if (note) hc_json_put_text(w, "note", note);
  page_columns(t, w);
  hc_json_enter(w, "rows", '[');
  for (size_t row = 0; row + t->width <= t->count; row += t->width) {
    hc_json_enter(w, NULL, '[');
    for (size_t i = 0; i < t->width; i++) {
      const cli_cell *cell = &t->cells[row + i];
      hc_json_enter(w, NULL, '[');
      hc_json_put_text(w, NULL, cell->plain ? cell->plain : "");
      hc_json_put_text(w, NULL, cli_cell_shown(cell));
      hc_json_leave(w, ']');
    }
    hc_json_leave(w, ']');
  }
  hc_json_leave(w, ']');
  hc_json_leave(w, '}');
}

void cli_table_show(cli *c, const cli_table *t)
{
  c->out.failed |= t->failed;
  switch (c->format) {
    case CLI_TEXT: cli_table_text(t, &c->out, 0, true); break;
    case CLI_CSV: cli_table_csv(t, &c->out); break;
    case CLI_JSON: cli_table_member(t, &(hc_json_writer){.out = &c->out}, NULL); break;
  }
}
