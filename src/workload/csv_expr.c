/* csv_expr.c -- columns of a table of jobs that are computed from others: `run: CPUTimeRAW / ReqCPUS`.
 *
 * A parameter that names no column, and has an operator in it, is an expression (base/expr.h) over the
 * columns whose titles are words, and over c1, c2 ... for any by its number. It has a value in each row,
 * which is then read as if it stood in a field: in the units of the parameter. Fields are numbers, or clocks
 * and durations, which are seconds. Where one of them is missing, or the value is no number (a division by
 * zero), the value is missing.
 *
 * Dates are not computed with: `start` and `end` take them as they are. Cost: one number a field and a few
 * operations. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/csv.h"
#include "workload/ledger.h"

#define NUMBERED ((size_t)200) /* columns that can be named by their number where there is no header */

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(const char *s)
{
  if (!is_letter(*s)) return false;
  while (is_letter(*s) || (*s >= '0' && *s <= '9')) s++;
  return *s == '\0';
}

bool hc_csv_is_expression(const char *text)
{
  return text[strcspn(text, "+-*/%^()<>=!&|?")] != '\0';
}

/* Titles that are words, then c1, c2 ...: variable i is column i, or i - titles, from 0. */
static hc_rc name_variables(hc_csv *s)
{
  const size_t titles = s->table.title_count, numbered = titles > 0 ? titles : NUMBERED;
  s->computing.count = titles + numbered;
  s->computing.names = hc_arena_alloc(&s->table.texts, s->computing.count * sizeof *s->computing.names);
  s->computing.values = hc_arena_alloc(&s->table.texts, s->computing.count * sizeof *s->computing.values);
  if (!s->computing.names || !s->computing.values) return HC_ENOMEM;
  for (size_t i = 0; i < titles; i++)
    s->computing.names[i] = is_word(s->table.titles[i]) ? s->table.titles[i] : "";
  for (size_t i = 0; i < numbered; i++) {
    s->computing.names[titles + i] = hc_arena_printf(&s->table.texts, "c%zu", i + 1);
    if (!s->computing.names[titles + i]) return HC_ENOMEM;
  }
  return 0;
}

static size_t column_of(const hc_csv *s, size_t variable)
{
  return variable < s->table.title_count ? variable : variable - s->table.title_count;
}

hc_rc hc_csv_add_expression(hc_csv *s, hc_csv_column c, hc_error *e)
{
  const char *text = s->o->columns[c];
  hc_error why = {0};
  hc_expr *x;
  if (s->computing.count == 0) TRY(name_variables(s));
  const hc_rc rc = hc_expr_compile(&s->table.texts, text, s->computing.names, s->computing.count, &x, &why);
  if (rc == HC_ENOMEM) return rc;
  if (rc < 0 && hc_title_near(s->table.titles, s->table.title_count, text))
    return hc_csv_no_such_column(s, hc_csv_names[c], text, e);
  if (rc < 0)
    return hc_fail(e, HC_EINPUT, s->table.name, hc_line_number(s->table.s.line), 0,
                   "%s: \"%.80s\" is no column, and as an expression over columns: %s", hc_csv_names[c], text,
                   why.text);
  s->computing.of[c].expr = x;
  s->at[c] = HC_CSV_COMPUTED + (size_t)c;
  for (size_t i = 0; i < s->computing.count; i++)
    if (hc_expr_reads(x, i)) s->last = HC_MAX(s->last, column_of(s, i) + 1);
  return 0;
}

/* @return false: the field is no number. `*known` turns false if it is missing. */
static bool read_value(const hc_csv *s, size_t column, double *out, bool *known)
{
  const hc_field *f = column < s->table.count ? hc_csv_at(s, column + 1) : NULL;
  hc_time length;
  if (!f) *known = false;
  if (!f || hc_parse_real(f->text, f->length, out) == 0) return true;
  if (!hc_field_duration(f, HC_SECOND, &length)) return false;
  *out = (double)length / 1e9;
  return true;
}

/* The value as a field: to a billionth where it is small enough, else whole. */
static void put_value(hc_csv_computed *x, double value)
{
  const double size = value < 0 ? -value : value;
  if (!(size < 9e18)) return; /* missing, as what is no number at all */
  if (size < 9e9 && value != (double)(int64_t)value)
    x->field.length = hc_format_seconds((hc_time)(value * 1e9 + (value < 0 ? -0.5 : 0.5)), x->text);
  else
    x->field.length =
        (size_t)snprintf(x->text, sizeof x->text, "%" PRId64, (int64_t)(value + (value < 0 ? -0.5 : 0.5)));
  x->text[x->field.length] = '\0';
  x->field.text = x->text;
}

bool hc_csv_compute(hc_csv *s)
{
  for (int c = 0; c < HC_CSV_COLUMNS && s->computing.count > 0; c++) {
    hc_csv_computed *x = &s->computing.of[c];
    bool known = true;
    if (!x->expr) continue;
    for (size_t i = 0; i < s->computing.count; i++) {
      if (!hc_expr_reads(x->expr, i)) continue;
      if (!read_value(s, column_of(s, i), &s->computing.values[i], &known))
        return hc_csv_is_wrong_at(s, column_of(s, i) + 1, hc_csv_names[c],
                                  "which is neither a number nor a duration to compute with");
    }
    x->field = (hc_field){0};
    if (known) put_value(x, hc_expr_value(x->expr, s->computing.values));
  }
  return true;
}
