/* describe.c -- lists and manual pages, made from what the components say of themselves.
 *
 * Three forms of one page: text for a terminal, JSON for programs, Markdown for the reference in docs/.
 * There is no second place where a parameter or a formula is written, so the pages cannot be out of date. */
#include "plugin/describe.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "hindcast/figure.h"
#include "hindcast/setup.h"
#include "table/doc.h"

#define WIDTH ((size_t)78)

/* ---- words ---- */

static const char *type_word(hc_type t)
{
  switch (t) {
    case HC_INT: return "whole number";
    case HC_REAL: return "number";
    case HC_TIME: return "time";
    case HC_SIZE: return "size";
    case HC_BOOL: return "true or false";
    case HC_TEXT: return "text";
    case HC_CHOICE: return "choice";
    case HC_COMPONENT: return "component";
  }
  return "?";
}

void hc_say_type(const hc_registry *r, hc_buffer *b, const hc_param *p)
{
  if (p->list) hc_buffer_text(b, "list of ");
  if (p->type == HC_COMPONENT) hc_buffer_text(b, hc_kind_name(r, p->kind));
  else hc_buffer_text(b, p->type == HC_REAL && hc_amount_examples(p->unit) ? "amount" : type_word(p->type));
}

bool hc_has_low(const hc_param *p)
{
  return (p->min != 0 || p->max != 0) && p->min > -1e15;
}

bool hc_has_high(const hc_param *p)
{
  if (p->min == 0 && p->max == 0) return false;
  return p->max < (p->type == HC_TIME ? 9e9 : 9e15); /* seconds beyond that are never */
}

void hc_say_range(hc_buffer *b, const hc_param *p)
{
  char low[32], high[32];
  if (p->type == HC_CHOICE) {
    hc_buffer_text(b, "one of ");
    for (const char *s = p->choices; *s; s++) hc_buffer_printf(b, *s == '|' ? ", " : "%c", *s);
    return;
  }
  (void)hc_format_real(p->min, low);
  (void)hc_format_real(p->max, high);
  if (hc_has_low(p) && hc_has_high(p)) hc_buffer_printf(b, "from %s to %s", low, high);
  else if (hc_has_low(p)) hc_buffer_printf(b, "at least %s", low);
  else if (hc_has_high(p)) hc_buffer_printf(b, "at most %s", high);
}

void hc_say_json(hc_buffer *b, const char *s)
{
  if (s) hc_json_string(b, s, strlen(s));
  else hc_buffer_text(b, "null");
}

hc_rc hc_send(hc_buffer *b, const hc_sink *out, hc_error *e)
{
  hc_rc rc;
  if (b->failed) rc = hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the page");
  else rc = b->size > 0 ? out->write(out->ctx, b->data, b->size) : 0;
  hc_buffer_fini(b);
  return rc;
}

/* Nearer than a component's name has to be, since few words stand to choose from; a plural is its kind. */
static const char *nearest_kind(const hc_registry *r, const char *word)
{
  const char *near = NULL;
  size_t best = HC_MIN((strlen(word) + 1) / 3, 2) + 1;
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    const char *name = hc_kind_name(r, (hc_kind)k); /* "?" of none is near to nothing */
    const size_t distance = hc_edit_distance(word, name, best);
    if (distance >= best) continue;
    best = distance;
    near = name;
  }
  return near;
}

hc_rc hc_kind_read(const hc_registry *r, const char *word, hc_kind *out, hc_error *e)
{
  char known[256] = "";
  const char *near;
  size_t size = 0;
  *out = hc_kind_find(r, word);
  if (*out < HC_KIND_LIMIT) return 0;
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    const char *name = hc_kind_name(r, (hc_kind)k);
    if (!hc_registry_kind(r, (hc_kind)k)) continue;
    if (size + strlen(name) + 3 > sizeof known) break;
    if (k > 0) memcpy(known + size, ", ", 3);
    size += k > 0 ? 2 : 0;
    memcpy(known + size, name, strlen(name) + 1);
    size += strlen(name);
  }
  near = nearest_kind(r, word);
  if (near)
    return hc_fail(e, HC_EUSAGE, "", 0, 0, "there is no kind \"%.80s\"; did you mean \"%s\"?", word, near);
  return hc_fail(e, HC_EUSAGE, "", 0, 0, "there is no kind \"%.80s\"; the kinds are %s", word, known);
}

/* ---- text ---- */

/* Append words, broken at WIDTH, each line behind `indent` spaces. Newlines in the text are kept. */
static void wrap_part(hc_buffer *b, const char *s, const char *end, size_t indent)
{
  size_t column = 0;
  while (s < end) {
    size_t n = strcspn(s, " \n"), spaces = strspn(s, " ");
    if (*s == '\n') {
      hc_buffer_text(b, "\n");
      column = 0;
      s++;
    } else if (n == 0) {
      s += spaces;
    } else {
      if (column > 0 && indent + column + 1 + n > WIDTH) {
        hc_buffer_text(b, "\n");
        column = 0;
      }
      if (column == 0) hc_buffer_printf(b, "%*s", (int)indent, "");
      else hc_buffer_text(b, " ");
      hc_buffer_add(b, s, n);
      column += n + (column > 0);
      s += n;
    }
  }
  hc_buffer_text(b, "\n");
}

static void wrap(hc_buffer *b, const char *s, size_t indent)
{
  wrap_part(b, s, s + strlen(s), indent);
}

/* Whether one of the parameter's choices stands at `s`, with a colon. */
static bool is_choice(const hc_param *p, const char *s)
{
  const size_t n = strcspn(s, " :");
  if (s[n] != ':') return false;
  for (const char *c = p->choices; c; c = c[strcspn(c, "|")] ? c + strcspn(c, "|") + 1 : NULL)
    if (strcspn(c, "|") == n && strncmp(c, s, n) == 0) return true;
  return false;
}

/* The next sentence behind `s` that begins with a choice, "first: what that is.", or the end of the text. A
 * help text says what the parameter is about first, and then what each choice is. */
static const char *next_choice(const hc_param *p, const char *s)
{
  const char *end = s + strlen(s);
  if (p->type != HC_CHOICE) return end;
  while ((s = strchr(s + 1, ' ')) != NULL)
    if ((s[-1] == '.' || s[-1] == ';') && is_choice(p, s + 1)) return s + 1;
  return end;
}

static void text_help(hc_buffer *b, const hc_param *p)
{
  for (const char *s = p->help, *next; *s; s = next) {
    next = next_choice(p, s);
    wrap_part(b, s, next, p->type == HC_CHOICE && is_choice(p, s) ? 8 : 6);
  }
}

static void text_param(const hc_registry *r, hc_buffer *b, const hc_param *p)
{
  size_t before;
  hc_buffer_printf(b, "  %s: ", p->name);
  hc_say_type(r, b, p);
  if (p->unit && strcmp(p->unit, "1") != 0) hc_buffer_printf(b, " (%s)", p->unit);
  before = b->size;
  hc_buffer_text(b, ", ");
  hc_say_range(b, p);
  if (b->size == before + 2) b->size = before; /* any value: take the comma back */
  hc_buffer_printf(b, "; default %s\n", !p->fallback ? "none" : p->fallback[0] ? p->fallback : "\"\"");
  text_help(b, p);
}

static const char *better(const hc_figure *f)
{
  return f->direction > 0 ? ", higher is better" : f->direction < 0 ? ", lower is better" : "";
}

/* The columns of a format that is a table of them. A writer has those of the reader of its name. */
static const struct hc_table_format *table_of(const hc_component *c)
{
  if (c->kind == HC_KIND_READER) return ((const hc_reader_type *)(const void *)c)->table;
  return c->kind == HC_KIND_WRITER ? ((const hc_writer_type *)(const void *)c)->table : NULL;
}

/* What a page has of a column behind its name. */
static void say_column(hc_buffer *b, const hc_column *c, bool is_markdown)
{
  hc_column_say(c, b);
  if (c->flags & HC_NEEDED) hc_buffer_text(b, "; required");
  if (is_markdown) hc_buffer_text(b, " | ");
  else if (c->how != HC_IS_TEXT || c->text) hc_buffer_text(b, "; ");
  hc_column_say_how(c, b);
}

/* Columns next to each other that say the same are one line of a page. @return how many from `first` on */
static uint32_t say_columns(hc_buffer *b, const hc_table_form *form, uint32_t first, bool is_markdown)
{
  const char *mark = is_markdown ? "`" : "";
  hc_buffer says, other;
  uint32_t n = 0;
  hc_buffer_init(&says, b->allocator);
  hc_buffer_init(&other, b->allocator);
  say_column(&says, &form->columns[first], is_markdown);
  do {
    const char *title = form->columns[first + n].titles;
    hc_buffer_printf(b, "%s%s%.*s%s", n > 0 ? ", " : "", mark, (int)strcspn(title, "|"), title, mark);
    if (first + ++n == form->count) break;
    other.size = 0;
    say_column(&other, &form->columns[first + n], is_markdown);
  } while (!other.failed && other.size == says.size && memcmp(other.data, says.data, says.size) == 0);
  hc_buffer_printf(b, "%s%s", is_markdown ? " | " : ": ", says.failed ? "" : says.data);
  b->failed |= says.failed || other.failed;
  hc_buffer_fini(&says);
  hc_buffer_fini(&other);
  return n;
}

static void text_table(hc_buffer *b, const hc_table_format *f)
{
  hc_buffer_text(b, "\nColumns\n");
  for (size_t i = 0; i < f->form_count; i++) {
    if (hc_form_is_again(f, i)) continue;
    hc_buffer line;
    hc_buffer_init(&line, b->allocator);
    hc_form_say(&f->forms[i], &line);
    if (!line.failed) wrap(b, line.data, 2);
    for (uint32_t c = 0; c < f->forms[i].count;) {
      line.size = 0;
      c += say_columns(&line, &f->forms[i], c, false);
      if (!line.failed) wrap(b, line.data, 4);
    }
    b->failed |= line.failed;
    hc_buffer_fini(&line);
  }
}

static void text_page(const hc_registry *r, hc_buffer *b, const hc_component *c)
{
  const char *kind = hc_kind_name(r, c->kind);
  hc_buffer_printf(b, "%s (%s)\n", c->name, kind);
  wrap(b, c->summary, 2);
  if (c->detail) {
    hc_buffer_text(b, "\n");
    wrap(b, c->detail, 2);
  }
  if (c->source) {
    hc_buffer_text(b, "\nSource\n");
    wrap(b, c->source, 2);
  }
  if (c->figures) {
    hc_buffer_text(b, "\nFigures\n");
    for (const char *const *x = c->figures; *x; x++) {
      hc_figure f = hc_figure_cut(*x);
      hc_buffer_printf(b, "  %.*s [%.*s]%s\n", (int)f.name_size, f.name, (int)f.unit_size, f.unit,
                       better(&f));
      wrap(b, f.formula, 6);
    }
  }
  if (table_of(c) && c->kind == HC_KIND_READER) text_table(b, table_of(c));
  if (c->kind == HC_KIND_COMPAT) {
    hc_buffer_text(b, "\nDefaults that it sets\n");
    for (const hc_preset_entry *x = ((const hc_compat_type *)c)->entries; x->component; x++)
      hc_buffer_printf(b, "  %s.%s: %s\n", x->component, x->param, x->value);
  }
  if (c->params && c->params->name) hc_buffer_text(b, "\nParameters\n");
  for (const hc_param *p = c->params; p && p->name; p++) text_param(r, b, p);
}

static void text_list(hc_buffer *b, const hc_registry *r, hc_kind k)
{
  const hc_component *c;
  size_t width = 0;
  for (size_t i = 0; (c = hc_registry_at(r, k, i)); i++) width = HC_MAX(width, strlen(c->name));
  hc_buffer_printf(b, "%s: %s\n", hc_kind_name(r, k), hc_registry_kind(r, k)->text);
  for (size_t i = 0; (c = hc_registry_at(r, k, i)); i++)
    hc_buffer_printf(b, "  %-*s  %s\n", (int)width, c->name, c->summary);
}

/* ---- JSON ---- */

static const char *type_key(hc_type t)
{
  switch (t) {
    case HC_INT: return "int";
    case HC_REAL: return "real";
    case HC_TIME: return "time";
    case HC_SIZE: return "size";
    case HC_BOOL: return "bool";
    case HC_TEXT: return "text";
    case HC_CHOICE: return "choice";
    case HC_COMPONENT: return "component";
  }
  return "?";
}

static void json_param(const hc_registry *r, hc_json_writer *w, const hc_param *p)
{
  hc_json_enter(w, NULL, '{');
  hc_json_put_text(w, "name", p->name);
  hc_json_put_text(w, "type", p->type == HC_COMPONENT ? hc_kind_name(r, p->kind) : type_key(p->type));
  hc_json_put_bool(w, "list", p->list);
  hc_json_put_text(w, "unit", p->unit);
  hc_json_put_text(w, "default", p->fallback);
  if (hc_has_low(p)) hc_json_put_real(w, "minimum", p->min);
  if (hc_has_high(p)) hc_json_put_real(w, "maximum", p->max);
  if (p->type == HC_CHOICE && p->choices) {
    hc_json_enter(w, "choices", '[');
    for (const char *s = p->choices;; s++) {
      const size_t n = strcspn(s, "|");
      hc_json_key(w, NULL);
      hc_json_string(w->out, s, n);
      s += n;
      if (*s == '\0') break;
    }
    hc_json_leave(w, ']');
  }
  hc_json_put_text(w, "help", p->help);
  hc_json_leave(w, '}');
}

static void json_figures(hc_json_writer *w, const char *const *figures)
{
  hc_json_enter(w, "figures", '[');
  for (const char *const *x = figures; *x; x++) {
    hc_figure f = hc_figure_cut(*x);
    hc_json_enter(w, NULL, '{');
    hc_json_key(w, "name");
    hc_json_string(w->out, f.name, f.name_size);
    hc_json_key(w, "unit");
    hc_json_string(w->out, f.unit, f.unit_size);
    hc_json_put_text(w, "direction", hc_figure_direction_name(f.direction));
    hc_json_put_text(w, "formula", f.formula);
    hc_json_leave(w, '}');
  }
  hc_json_leave(w, ']');
}

static void json_presets(hc_json_writer *w, const hc_compat_type *t)
{
  hc_json_enter(w, "sets", '[');
  for (const hc_preset_entry *x = t->entries; x->component; x++) {
    hc_json_enter(w, NULL, '{');
    hc_json_put_text(w, "component", x->component);
    hc_json_put_text(w, "parameter", x->param);
    hc_json_put_text(w, "value", x->value);
    hc_json_leave(w, '}');
  }
  hc_json_leave(w, ']');
}

static void json_table(hc_json_writer *w, const hc_table_format *f)
{
  hc_buffer words;
  hc_buffer_init(&words, w->out->allocator);
  hc_json_enter(w, "tables", '[');
  for (size_t i = 0; i < f->form_count; i++) {
    hc_json_enter(w, NULL, '{');
    hc_json_put_text(w, "kind", f->forms[i].kind);
    hc_json_enter(w, "columns", '[');
    for (uint32_t k = 0; k < f->forms[i].count; k++) {
      const hc_column *c = &f->forms[i].columns[k];
      hc_json_enter(w, NULL, '{');
      hc_json_put_text(w, "titles", c->titles);
      words.size = 0;
      hc_column_say(c, &words);
      hc_json_put_text(w, "says", words.data);
      words.size = 0;
      hc_column_say_how(c, &words);
      hc_json_put_text(w, "how", words.size > 0 ? words.data : NULL);
      hc_json_put_bool(w, "needed", (c->flags & HC_NEEDED) != 0);
      hc_json_leave(w, '}');
    }
    hc_json_leave(w, ']');
    hc_json_leave(w, '}');
  }
  hc_json_leave(w, ']');
  w->out->failed |= words.failed;
  hc_buffer_fini(&words);
}

static void json_page(const hc_registry *r, hc_buffer *b, const hc_component *c)
{
  hc_json_writer w = {.out = b, .compact = true};
  hc_json_enter(&w, NULL, '{');
  hc_json_put_text(&w, "kind", hc_kind_name(r, c->kind));
  hc_json_put_text(&w, "name", c->name);
  hc_json_put_text(&w, "summary", c->summary);
  hc_json_put_text(&w, "detail", c->detail);
  hc_json_put_text(&w, "source", c->source);
  hc_json_enter(&w, "parameters", '[');
  for (const hc_param *p = c->params; p && p->name; p++) json_param(r, &w, p);
  hc_json_leave(&w, ']');
  if (c->figures) json_figures(&w, c->figures);
  if (table_of(c)) json_table(&w, table_of(c));
  if (c->kind == HC_KIND_COMPAT) json_presets(&w, (const hc_compat_type *)c);
  hc_json_leave(&w, '}');
}

/* ---- Markdown ---- */

/* The text of a table's cell: | ends a cell and a newline ends a row. */
static void cell_part(hc_buffer *b, const char *s, const char *end)
{
  for (; s < end; s++) {
    if (*s == '|') hc_buffer_text(b, "\\|");
    else hc_buffer_add(b, *s == '\n' ? " " : s, 1);
  }
}

static void cell(hc_buffer *b, const char *s)
{
  cell_part(b, s, s + strlen(s));
}

static void help_cell(hc_buffer *b, const hc_param *p)
{
  for (const char *s = p->help, *next; *s; s = next) {
    if (p->type == HC_CHOICE && is_choice(p, s) && s != p->help) hc_buffer_text(b, "<br>");
    next = next_choice(p, s);
    cell_part(b, s, next);
  }
}

static void markdown_params(const hc_registry *r, hc_buffer *b, const hc_component *c)
{
  hc_buffer_text(b, "\n| parameter | type | default | values | meaning |\n|---|---|---|---|---|\n");
  for (const hc_param *p = c->params; p->name; p++) {
    hc_buffer_printf(b, "| `%s` | ", p->name);
    hc_say_type(r, b, p);
    if (p->unit && strcmp(p->unit, "1") != 0) hc_buffer_printf(b, " (%s)", p->unit);
    hc_buffer_text(b, " | ");
    if (p->fallback) {
      hc_buffer_text(b, "`");
      cell(b, p->fallback);
      hc_buffer_text(b, "`");
    }
    hc_buffer_text(b, " | ");
    hc_say_range(b, p);
    hc_buffer_text(b, " | ");
    help_cell(b, p);
    hc_buffer_text(b, " |\n");
  }
}

static void markdown_table(hc_buffer *b, const hc_table_form *form)
{
  hc_buffer_text(b, "\n");
  hc_form_say(form, b);
  hc_buffer_text(b, "\n\n| column | says | written as |\n|---|---|---|\n");
  for (uint32_t i = 0; i < form->count;) {
    hc_buffer_text(b, "| ");
    i += say_columns(b, form, i, true);
    hc_buffer_text(b, " |\n");
  }
}

static void markdown_page(const hc_registry *r, hc_buffer *b, const hc_component *c)
{
  hc_buffer_printf(b, "\n## %s\n\n%s\n", c->name, c->summary);
  if (c->detail) hc_buffer_printf(b, "\n%s\n", c->detail);
  if (c->source) hc_buffer_printf(b, "\nSource: %s\n", c->source);
  if (c->figures) {
    hc_buffer_text(b, "\n| figure | unit | better | formula |\n|---|---|---|---|\n");
    for (const char *const *x = c->figures; *x; x++) {
      hc_figure f = hc_figure_cut(*x);
      hc_buffer_printf(b, "| `%.*s` | %.*s | %s | ", (int)f.name_size, f.name, (int)f.unit_size, f.unit,
                       f.direction ? hc_figure_direction_name(f.direction) : "");
      cell(b, f.formula);
      hc_buffer_text(b, " |\n");
    }
  }
  if (table_of(c) && c->kind == HC_KIND_WRITER)
    hc_buffer_printf(b, "\nColumns: those of the [reader](reader.md#%s).\n", c->name);
  for (size_t i = 0; table_of(c) && c->kind == HC_KIND_READER && i < table_of(c)->form_count; i++)
    if (!hc_form_is_again(table_of(c), i)) markdown_table(b, &table_of(c)->forms[i]);
  if (c->kind == HC_KIND_COMPAT) {
    hc_buffer_text(b, "\n| component | parameter | default under this preset |\n|---|---|---|\n");
    for (const hc_preset_entry *x = ((const hc_compat_type *)c)->entries; x->component; x++)
      hc_buffer_printf(b, "| `%s` | `%s` | `%s` |\n", x->component, x->param, x->value);
  }
  if (c->params && c->params->name) markdown_params(r, b, c);
}

/* ---- public ---- */

hc_rc hc_list_components(const hc_registry *r, const char *kind, hc_page page, const hc_sink *out,
                         hc_error *e)
{
  hc_kind only = HC_KIND_LIMIT;
  hc_buffer b;
  bool first = true;
  if (kind) TRY(hc_kind_read(r, kind, &only, e));
  hc_buffer_init(&b, r->allocator);
  if (page == HC_PAGE_JSON) hc_buffer_text(&b, "[");
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    const hc_component *c;
    if ((only != HC_KIND_LIMIT && k != only) || (only == HC_KIND_LIMIT && !r->kinds[k].count)) continue;
    if (page == HC_PAGE_TEXT) {
      if (!first) hc_buffer_text(&b, "\n");
      text_list(&b, r, (hc_kind)k);
      first = false;
      continue;
    }
    for (size_t i = 0; (c = hc_registry_at(r, (hc_kind)k, i)); i++) {
      hc_json_writer w = {.out = &b, .compact = true};
      hc_buffer_text(&b, first ? "\n" : ",\n");
      hc_json_enter(&w, NULL, '{');
      hc_json_put_text(&w, "kind", hc_kind_name(r, c->kind));
      hc_json_put_text(&w, "name", c->name);
      hc_json_put_text(&w, "summary", c->summary);
      hc_json_leave(&w, '}');
      first = false;
    }
  }
  if (page == HC_PAGE_JSON) hc_buffer_text(&b, first ? "]\n" : "\n]\n");
  return hc_send(&b, out, e);
}

/* The nearest name of the kind, or of any kind, to one that is not known. */
static hc_rc not_found(const hc_registry *r, hc_kind only, const char *name, hc_error *e)
{
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    const char *near = only == HC_KIND_LIMIT || only == k ? hc_registry_nearest(r, (hc_kind)k, name) : NULL;
    if (near)
      return hc_fail(e, HC_ENOTFOUND, "", 0, 0, "there is no %s \"%.80s\"; did you mean the %s \"%s\"?",
                     only == HC_KIND_LIMIT ? "component" : hc_kind_name(r, only), name,
                     hc_kind_name(r, (hc_kind)k), near);
  }
  return hc_fail(e, HC_ENOTFOUND, "", 0, 0,
                 "there is no %s \"%.80s\"; `hindcast list%s%s` names what there is",
                 only == HC_KIND_LIMIT ? "component" : hc_kind_name(r, only), name,
                 only == HC_KIND_LIMIT ? "" : " ", only == HC_KIND_LIMIT ? "" : hc_kind_name(r, only));
}

hc_rc hc_describe(const hc_registry *r, const char *kind, const char *name, hc_page page, const hc_sink *out,
                  hc_error *e)
{
  hc_kind only = HC_KIND_LIMIT;
  hc_buffer b;
  size_t found = 0;
  if (kind) TRY(hc_kind_read(r, kind, &only, e));
  hc_buffer_init(&b, r->allocator);
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    const hc_component *c = only == HC_KIND_LIMIT || only == k ? hc_registry_find(r, (hc_kind)k, name) : NULL;
    if (!c) continue;
    if (page == HC_PAGE_JSON) {
      hc_buffer_text(&b, found ? ",\n" : "[");
      json_page(r, &b, c);
    } else {
      if (found) hc_buffer_text(&b, "\n");
      text_page(r, &b, c);
    }
    found++;
  }
  if (found == 0) {
    hc_buffer_fini(&b);
    return not_found(r, only, name, e);
  }
  if (page == HC_PAGE_JSON) hc_buffer_text(&b, "]\n");
  return hc_send(&b, out, e);
}

hc_rc hc_describe_word(const hc_registry *r, const char *word, hc_page page, const hc_sink *out, hc_error *e)
{
  const char *slash = strchr(word, '/');
  char kind[32];
  if (slash) {
    (void)snprintf(kind, sizeof kind, "%.*s", (int)(slash - word < 30 ? slash - word : 30), word);
    return hc_describe(r, kind, slash + 1, page, out, e);
  }
  const hc_kind k = hc_kind_find(r, word);
  if (!word[0]) return hc_list_components(r, NULL, page, out, e);
  if (k == HC_KIND_LIMIT) return hc_describe(r, NULL, word, page, out, e);
  const hc_component *first = hc_registry_at(r, k, 0);
  if (first && !hc_registry_at(r, k, 1)) return hc_describe(r, word, first->name, page, out, e);
  return hc_list_components(r, word, page, out, e);
}

hc_rc hc_manual(const hc_registry *r, const char *kind, const hc_sink *out, hc_error *e)
{
  hc_kind only = HC_KIND_LIMIT;
  hc_buffer b;
  bool first = true;
  if (kind) TRY(hc_kind_read(r, kind, &only, e));
  hc_buffer_init(&b, r->allocator);
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    const hc_component *c;
    if (!hc_registry_kind(r, (hc_kind)k) || (only != HC_KIND_LIMIT && only != k)) continue;
    hc_buffer_printf(&b, "%s# %s\n\n%s\n", first ? "" : "\n", hc_kind_name(r, (hc_kind)k),
                     hc_registry_kind(r, (hc_kind)k)->text);
    for (size_t i = 0; (c = hc_registry_at(r, (hc_kind)k, i)); i++) markdown_page(r, &b, c);
    first = false;
  }
  return hc_send(&b, out, e);
}
