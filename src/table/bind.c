/* bind.c -- where the columns of a format are in a file, and whether a file is of a format.
 *
 * Tables were published with titles, without, or with others; copies add or drop them. So the first line is
 * one of titles if it holds one that is known, or text where a number belongs. Known titles say where a
 * column is, whatever the order; if they do not name all that is needed, the published order counts, provided
 * that there are as many columns. Of several forms it is the one that most titles are of; else the one with
 * as many columns; else the first. */
#include "base/util.h"
#include "table/sheet.h"

size_t hc_column_title(const hc_column *c, const char **title)
{
  *title = c->titles;
  return strcspn(c->titles, "|");
}

void hc_form_titles(const hc_table_form *form, hc_buffer *out)
{
  for (uint32_t c = 0, n = 0; c < form->count; c++) {
    const char *title;
    const size_t size = hc_column_title(&form->columns[c], &title);
    if (form->columns[c].flags & HC_READ_ONLY) continue;
    if (n++ > 0) hc_buffer_add(out, &form->separator, 1);
    hc_buffer_add(out, title, size);
  }
}

uint32_t hc_form_says(const hc_table_form *form, hc_fact fact)
{
  uint32_t c = 0;
  while (c < form->count && form->columns[c].to != 1 + (uint32_t)fact) c++;
  return c;
}

/* Number of the field that is titled so, from 1; 0: none is. */
static size_t find_title(const hc_field *fields, size_t count, const char *title, size_t n)
{
  for (size_t i = 0; i < count; i++)
    if (fields[i].length == n && memcmp(fields[i].text, title, n) == 0) return i + 1;
  for (size_t i = 0; i < count; i++)
    if (hc_same_title(&fields[i], title, n)) return i + 1;
  return 0;
}

size_t hc_form_bind(const hc_table_form *form, const hc_field *fields, size_t count,
                    uint64_t at[HC_TABLE_COLUMNS])
{
  size_t known = 0;
  for (uint32_t c = 0; c < form->count; c++) {
    at[c] = 0;
    for (const char *t = form->columns[c].titles; t && at[c] == 0; t = strchr(t, '|')) {
      t += *t == '|';
      at[c] = find_title(fields, count, t, strcspn(t, "|"));
    }
    known += at[c] > 0;
    if (form->columns[c].flags & HC_WRITE_ONLY) at[c] = 0;
  }
  return known;
}

uint32_t hc_form_lacks(const hc_table_form *form, const uint64_t at[HC_TABLE_COLUMNS])
{
  uint32_t c = 0;
  while (c < form->count && (at[c] > 0 || !(form->columns[c].flags & HC_NEEDED))) c++;
  return c;
}

static size_t cut(const hc_table_form *form, const char *line, size_t n, hc_field out[HC_TABLE_TITLES])
{
  const hc_lexer l = {form->separator, form->quotes || form->joined, true};
  return line ? hc_lexer_cut(&l, line, n, out, HC_TABLE_TITLES) : 0;
}

bool hc_field_is_number(const hc_field *f)
{
  uint64_t digits;
  uint32_t places;
  bool negative;
  return hc_field_decimal(f, &digits, &places, &negative);
}

bool hc_format_says_missing(const hc_table_format *f, const hc_field *field)
{
  const size_t n = field->length;
  if (n > HC_LONGEST_MISSING) return false;
  for (const char *const *word = f->missing; *word; word++) {
    size_t i = 0;
    if (f->missing_any_case) {
      if (hc_same_word(field->text, n, *word)) return true;
      continue;
    }
    while (i < n && (*word)[i] == field->text[i]) i++; /* the word's end is none of the field's characters */
    if (i == n && (*word)[i] == '\0') return true;
  }
  return false;
}

/* Whether all columns that tell are there. `some`: whether any does. */
static bool has_telling(const hc_table_form *form, const hc_field *fields, size_t count, bool *some)
{
  *some = false;
  for (uint32_t c = 0; c < form->count; c++) {
    const char *title;
    const size_t n = hc_column_title(&form->columns[c], &title);
    if (!(form->columns[c].flags & HC_TELLING)) continue;
    *some = true;
    if (find_title(fields, count, title, n) == 0) return false;
  }
  return true;
}

/* How many titles of the form a first line holds; 0: it is none of titles. */
static size_t known_titles(const hc_table_form *form, const hc_field *fields, size_t count,
                           uint64_t at[HC_TABLE_COLUMNS])
{
  const size_t known = hc_form_bind(form, fields, count, at);
  bool some;
  if (form->fixed) return at[0] == 1 ? known : 0;
  return form->titles == HC_TITLES_ALWAYS && (count < 2 || !has_telling(form, fields, count, &some)) ? 0
                                                                                                     : known;
}

size_t hc_format_bind(const hc_table_format *f, size_t first, size_t forms, const char *line, size_t n,
                      uint64_t at[HC_TABLE_COLUMNS], uint64_t *width, bool *titles)
{
  hc_field fields[HC_TABLE_TITLES];
  size_t best = first, most = 0;
  bool found = false;
  for (size_t i = first; i < first + forms; i++) {
    const size_t count = cut(&f->forms[i], line, n, fields);
    const size_t known = known_titles(&f->forms[i], fields, HC_MIN(count, HC_TABLE_TITLES), at);
    if (known > most || (most == 0 && !found && count == f->forms[i].count)) best = i;
    found |= count == f->forms[i].count;
    most = HC_MAX(most, known);
  }
  const hc_table_form *form = &f->forms[best];
  const size_t count = cut(form, line, n, fields), seen = HC_MIN(count, HC_TABLE_TITLES);
  const uint32_t c = form->number - 1;
  *width = count;
  *titles = known_titles(form, fields, seen, at) > 0 || form->titles == HC_TITLES_ALWAYS ||
            (form->number && c < seen && !hc_format_misses(f, &fields[c]) && !hc_field_is_number(&fields[c]));
  if (form->titles == HC_TITLES_ALWAYS) return best;
  if (form->fixed || !*titles || (hc_form_lacks(form, at) < form->count && count == form->count)) {
    for (uint32_t i = 0; i < form->count; i++) at[i] = form->columns[i].flags & HC_WRITE_ONLY ? 0 : i + 1;
    *width = form->count;
  }
  return best;
}

size_t hc_form_first_line(const hc_table_form *form, const char *head, size_t size,
                          hc_field out[HC_TABLE_COLUMNS])
{
  const hc_lexer l = {form->separator, form->quotes || form->joined, true};
  size_t n = 0;
  bool whole = false;
  const char *line = hc_lexer_first(head, size, "#", &n, &whole);
  return line && whole ? hc_lexer_cut(&l, line, n, out, HC_TABLE_COLUMNS) : 0;
}

/* Whether the first line has all columns that tell, or nothing but titles. */
static bool is_titled(const hc_table_format *f, const hc_table_form *form, const hc_field *fields,
                      size_t count)
{
  uint64_t at[HC_TABLE_COLUMNS];
  bool some;
  if (!has_telling(form, fields, HC_MIN(count, HC_TABLE_TITLES), &some)) return false;
  return some || (f->known_titles > 0 && count >= f->known_titles &&
                  hc_form_bind(form, fields, HC_MIN(count, HC_TABLE_TITLES), at) == count);
}

int hc_format_recognise(const hc_table_format *f, const char *name, const char *head, size_t size)
{
  hc_field fields[HC_TABLE_TITLES];
  size_t n = 0, count = 0;
  bool whole = false;
  const char *line = hc_lexer_first(head, size, "#", &n, &whole);
  if (!whole) line = NULL;
  for (size_t i = f->form_count; line && i-- > 0;) { /* the hook gets the fields of the first form */
    count = cut(&f->forms[i], line, n, fields);
    if (f->score > 0 && is_titled(f, &f->forms[i], fields, count)) return f->score;
  }
  return f->recognise ? f->recognise(name, head, size, fields, count) : 0;
}
