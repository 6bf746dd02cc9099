/* csv_columns.c -- which column of a table of jobs is what: titles and numbers, formats of times, the
 * calendar. */
#include <string.h>

#include "base/util.h"
#include "workload/csv.h"
#include "workload/ledger.h"
#include "workload/reading.h"

const char *const hc_csv_names[HC_CSV_COLUMNS] = {
#define X(name, word) [HC_CSV_##name] = word,
    HC_CSV_COLUMN_LIST(X)
#undef X
};

const hc_after_how hc_csv_hows[4] = {HC_AFTER_ENDED, HC_AFTER_COMPLETED, HC_AFTER_FAILED, HC_AFTER_STARTED};

hc_rc hc_csv_no_such_column(const hc_csv *s, const char *parameter, const char *name, hc_error *e)
{
  const char *near = hc_title_near(s->table.titles, s->table.title_count, name);
  const uint32_t line = hc_line_number(s->table.s.line);
  if (near)
    return hc_fail(e, HC_EINPUT, s->table.name, line, 0,
                   "%s: there is no column \"%.80s\"; did you mean \"%.80s\"?", parameter, name, near);
  if (s->o->header)
    return hc_fail(
        e, HC_EINPUT, s->table.name, line, 0,
        "%s: there is no column \"%.80s\" among the %zu of this header, which begins with \"%.80s\"; give a "
        "title, or a number from 1",
        parameter, name, s->table.title_count, s->table.titles[0]);
  return hc_fail(
      e, HC_EUSAGE, "source csv", 0, 0,
      "%s: \"%.80s\" is no number of a column, and without a header columns have no names: give a number "
      "from 1, or set `header: true`",
      parameter, name);
}

size_t hc_csv_find(const hc_csv *s, const char *name)
{
  const hc_field f = {.text = name, .length = strlen(name)};
  const size_t at = hc_title_among(s->table.titles, s->table.title_count, name);
  int64_t number;
  if (at > 0) return at;
  if (!hc_field_whole(&f, &number) || number <= 0 || number > (int64_t)HC_LINE_LIMIT) return 0;
  return !s->o->header || (uint64_t)number <= s->table.title_count ? (size_t)number : 0;
}

static hc_rc find_columns(hc_csv *s, hc_error *e)
{
  for (int c = 0; c < HC_CSV_COLUMNS; c++) {
    const char *name = s->o->columns[c];
    if (!name) continue;
    s->at[c] = hc_csv_find(s, name);
    if (s->at[c] == 0 && hc_csv_is_expression(name)) {
      TRY(hc_csv_add_expression(s, (hc_csv_column)c, e));
      continue;
    }
    if (s->at[c] == 0) return hc_csv_no_such_column(s, hc_csv_names[c], name, e);
    s->last = HC_MAX(s->last, s->at[c]);
  }
  return 0;
}

/* What a run needs must be among the columns, or follow from them. */
static hc_rc check_mapping(const hc_csv *s, hc_error *e)
{
  const char *const *has = s->o->columns;
  const bool run =
      has[HC_CSV_RUN] || (has[HC_CSV_END] && (has[HC_CSV_START] || (has[HC_CSV_SUBMIT] && has[HC_CSV_WAIT])));
  const char *missing = NULL;
  if (!has[HC_CSV_SUBMIT] &&
      !(has[HC_CSV_WAIT] && (has[HC_CSV_START] || (has[HC_CSV_END] && has[HC_CSV_RUN]))))
    missing = "when tasks were submitted: set `submit`";
  else if (!run) missing = "how long tasks ran: set `run`, or `start` and `end`";
  else if (!has[HC_CSV_PROCS] && !has[HC_CSV_PROCS_USED] && s->o->procs_factor == 0 && !has[HC_CSV_CPU] &&
           !has[HC_CSV_HOSTS])
    missing = "how many processors tasks had: set `procs`, or `procs_factor` if all have the same number";
  else if (has[HC_CSV_PROCS_TIMES] && !has[HC_CSV_PROCS])
    missing = "what `procs_times` multiplies: set `procs`";
  if (!missing) return 0;
  return hc_fail(
      e, HC_EUSAGE, "source csv", 0, 0,
      "no column says %s to the column's title or number; `hindcast describe csv` has the keys, and "
      "docs/howto/a-trace-of-any-table.md examples",
      missing);
}

static hc_rc read_formats(hc_csv *s, hc_error *e)
{
  int absolute = 0, relative = 0;
  for (int i = 0; i < HC_CSV_MOMENTS; i++) {
    const char *text = s->o->formats[i] ? s->o->formats[i] : s->o->time_format;
    const char *wrong = hc_moment_format_init(&s->formats[i], text, s->o->time_unit);
    if (wrong)
      return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                     "time_format: \"%.80s\" %s; give seconds, unix, iso, or a pattern such as \"%%Y-%%m-%%d "
                     "%%H:%%M:%%S\" (%%Y %%y %%m %%b %%d %%e %%F %%H %%I %%p %%M %%S %%f %%T %%z)",
                     text, wrong);
    if (!s->o->columns[HC_CSV_SUBMIT + i]) continue;
    if (s->formats[i].kind == HC_MOMENT_SECONDS) relative++;
    else absolute++;
  }
  if (absolute > 0 && relative > 0)
    return hc_fail(
        e, HC_EUSAGE, "source csv", 0, 0,
        "time_format: dates and seconds since an unnamed origin cannot be put together; give all times as "
        "one or the other");
  s->is_absolute = absolute > 0;
  for (int i = 0; i < HC_CSV_DURATIONS; i++)
    s->units[i] = s->o->units[i] == HC_UNKNOWN ? s->o->time_unit : s->o->units[i];
  return 0;
}

/* The zone and the origin. */
static hc_rc read_calendar(hc_csv *s, hc_error *e)
{
  TRY(hc_origin_zone(s->context->allocator, "source csv", s->o->zone, &s->zone, e));
  s->table.zone = s->zone;
  s->info.zone = s->o->zone;
  s->table.origin_given = s->o->origin != NULL;
  return hc_origin_read("source csv", s->o->origin, s->zone, &s->table.s.origin, e);
}

/* Everything above the rows. */
static hc_rc read_head(hc_csv *s, hc_error *e)
{
  static const char separators[] = {'\0', ',', ';', '\t', '|', ' '}; /* by hc_csv_separator */
  hc_delimited *t = &s->table;
  char *line;
  size_t length;
  hc_rc rc;
  t->separator = separators[s->o->separator];
  t->quotes = s->o->quotes;
  t->comment = s->o->comment ? s->o->comment : "";
  for (int64_t i = 0; i < s->o->skip; i++) {
    rc = hc_input_line(t->in, &line, &length, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
  }
  if (s->o->header) {
    rc = hc_delimited_next(t, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_fail(
          e, HC_EINPUT, t->name, 0, 0,
          "the file has no header line: give a table, or set `header: false` and number the columns");
    TRY(hc_delimited_keep_titles(t));
  }
  return 0;
}

static bool names_columns(const hc_csv_options *o)
{
  int c = 0;
  while (c < HC_CSV_COLUMNS && !o->columns[c]) c++;
  return c < HC_CSV_COLUMNS || o->other.count > 0;
}

/* No parameter says which column is what: a column that is called as a parameter is what that parameter
 * names. */
static void take_titles(hc_csv *s)
{
  s->titled = *s->o;
  for (int c = 0; c < HC_CSV_COLUMNS; c++)
    for (size_t i = 0; i < s->table.title_count && !s->titled.columns[c]; i++)
      if (strcmp(s->table.titles[i], hc_csv_names[c]) == 0) s->titled.columns[c] = hc_csv_names[c];
  s->o = &s->titled;
}

hc_rc hc_csv_map(hc_csv *s, hc_error *e)
{
  const bool by_titles = s->o->header && !names_columns(s->o);
  const char *const *words = s->o->missing.items;
  for (size_t i = 0; i < s->o->missing.count; i++) s->missing[(unsigned char)words[i][0]] = true;
  if (by_titles) {
    TRY(read_head(s, e));
    take_titles(s);
  }
  TRY(check_mapping(s, e));
  TRY(read_formats(s, e));
  TRY(read_calendar(s, e));
  if (!by_titles) TRY(read_head(s, e));
  TRY(find_columns(s, e));
  return hc_csv_map_demands(s, e);
}
