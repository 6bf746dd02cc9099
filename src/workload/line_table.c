/* line_table.c -- the keys of lines of tables. See line_table.h.
 *
 * A line is cut only as far as its columns stand. One with a quote that is not closed is a part of a row that
 * spans several lines: whoever sorts is told, and stops. Titles are known again by being the same line as the
 * first one, so that files which were put together keep all of theirs in front. */
#include "workload/line_table.h"

#include <string.h>

#include "base/util.h"
#include "workload/slurm_row.h"
#include "workload/spec.h"

/* ---- lines and fields ---- */

static size_t line_length(const char *text, size_t size)
{
  const char *end = memchr(text, '\n', size);
  return end ? (size_t)(end - text) : size;
}

static bool begins_with(const char *line, size_t n, const char *word)
{
  const size_t m = strlen(word);
  return m > 0 && n >= m && memcmp(line, word, m) == 0;
}

static bool is_empty(const char *line, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (line[i] != ' ' && line[i] != '\t') return false;
  return true;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* The next field. @return what follows it and its separator; NULL: a quote is not closed. At the end, `end` +
 * 1. */
static const char *cut(const hc_line_table *t, const char *p, const char *end, hc_field *f)
{
  *f = (hc_field){0};
  while (p < end && is_blank(*p)) p++;
  if (t->quotes && p < end && *p == '"') {
    f->text = ++p;
    for (; p < end && !(*p == '"' && (p + 1 == end || p[1] != '"')); p++)
      if (*p == '"') f->doubled = ++p != end;
    if (p == end) return NULL;
    f->length = (size_t)(p++ - f->text);
    while (p < end && *p != t->separator) p++;
    return p + 1;
  }
  f->text = p;
  while (p < end && (t->separator == ' ' ? !is_blank(*p) : *p != t->separator)) p++;
  f->length = (size_t)(p - f->text);
  while (f->length > 0 && is_blank(f->text[f->length - 1])) f->length--;
  return p + 1;
}

/* A column of a line. @return 1, 0 if the line has fewer, -1 if a quote is not closed. */
static int column(const hc_line_table *t, const char *line, size_t n, size_t number, hc_field *f)
{
  const char *p = line, *end = line + n;
  for (size_t i = 0; i < number; i++) {
    if (p > end) return 0;
    p = cut(t, p, end, f);
    if (!p) return -1;
  }
  return 1;
}

/* Whether every quote of the line is closed. */
static bool is_whole(const hc_line_table *t, const char *line, size_t n)
{
  size_t marks = 0;
  for (size_t i = 0; t->quotes && i < n; i++) marks += line[i] == '"';
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

/* ---- keys ---- */

static int64_t id_of(const hc_line_table *t, const hc_field *f)
{
  hc_slurm_id job;
  if (!t->is_slurm) return hc_name_number(f->text, f->length);
  return hc_slurm_job((hc_slice){f->text, f->length}, &job) ? job.job : -1;
}

static bool submit_of(const hc_line_table *t, const hc_field *f, hc_time *submit)
{
  int64_t seconds;
  if (!t->is_slurm) return hc_field_moment(f, &t->format, t->zone, submit);
  return hc_slurm_time((hc_slice){f->text, f->length}, t->zone, INT64_MIN, &seconds) == HC_SLURM_VALUE &&
         !__builtin_mul_overflow(seconds, HC_SECOND, submit);
}

hc_line_kind hc_table_line_key(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id)
{
  const hc_line_table *t = layout;
  hc_field f;
  if (is_empty(line, n) || begins_with(line, n, t->comment) || is_head(t, line, n)) return HC_LINE_HEAD;
  if (!is_whole(t, line, n)) return HC_LINE_PART;
  *id = -1;
  if (t->id > 0 && column(t, line, n, t->id, &f) == 1) *id = id_of(t, &f);
  if (column(t, line, n, t->submit, &f) != 1 || !submit_of(t, &f, submit)) return HC_LINE_BROKEN;
  return HC_LINE_ROW;
}

void hc_table_line_end(const hc_allocator *a, void *layout)
{
  hc_line_table *t = layout;
  if (t->head) hc_free(a, t->head, t->head_size);
  hc_zone_free(t->zone);
  hc_free(a, t, sizeof *t);
}

/* ---- birth ---- */

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory while sorting");
}

/* `head_size` bytes of the text are lines that come first. The layout is the caller's once it is there. */
static hc_rc make(const hc_line_table *like, const char *text, size_t head_size, const char *zone,
                  void **layout, hc_error *e)
{
  const hc_allocator *a = like->allocator;
  hc_line_table *t = hc_alloc(a, sizeof *t);
  hc_rc rc;
  if (!t) return no_memory(e);
  *t = *like;
  *layout = t;
  if (head_size > 0) {
    t->head = hc_alloc(a, head_size);
    if (!t->head) return no_memory(e);
    t->head_size = head_size;
    memcpy(t->head, text, head_size);
  }
  rc = zone ? hc_zone_open(a, zone, &t->zone) : 0;
  if (rc == HC_ENOMEM) return no_memory(e);
  if (rc < 0)
    return hc_fail(e, HC_EUSAGE, "", 0, 0,
                   "zone: no time zone \"%.80s\" in the tz database %s; names are like Europe/Stockholm",
                   zone, hc_zone_version());
  return 0;
}

/* ---- any table ---- */

/* As the reader guesses: whichever of tab, bar, semicolon and comma the line has most of; blanks if none. */
static char guess_separator(const char *line, size_t n)
{
  static const char candidates[] = {'\t', '|', ';', ','};
  size_t most = 0;
  char best = ' ';
  for (size_t c = 0; c < sizeof candidates; c++) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += line[i] == candidates[c];
    if (count <= most) continue;
    most = count;
    best = candidates[c];
  }
  return best;
}

/* Number of the first column for which `is` holds; 0: there is none. */
static size_t walk(const hc_line_table *t, const char *titles, size_t n, const char *name,
                   bool (*is)(const hc_field *f, const char *name))
{
  const char *p = titles, *end = titles + n;
  for (size_t i = 1; p && p <= end; i++) {
    hc_field f;
    p = cut(t, p, end, &f);
    if (p && is(&f, name)) return i;
  }
  return 0;
}

static bool is_title(const hc_field *f, const char *name)
{
  return hc_same_word(f->text, f->length, name);
}

static bool is_slurm_title(const hc_field *f, const char *name)
{
  return hc_slurm_same_column((hc_slice){f->text, f->length}, name);
}

/* Number of the column with a title, or that a text is the number of; 0: there is none. */
static size_t find(const hc_line_table *t, const char *titles, size_t n, bool has_titles, const char *name)
{
  const hc_field word = {.text = name, .length = strlen(name)};
  const size_t at = has_titles ? walk(t, titles, n, name, is_title) : 0;
  int64_t number;
  if (at > 0) return at;
  return hc_field_whole(&word, &number) && number > 0 && number <= (int64_t)HC_LINE_LIMIT ? (size_t)number
                                                                                          : 0;
}

/* The first line that is neither empty nor a comment, after `skip` lines; `at` moves to it. @return its
 * length. */
static size_t first_line(const hc_line_table *t, const char *text, size_t size, int64_t skip, size_t *at)
{
  for (*at = 0; *at < size;) {
    const size_t n = line_length(text + *at, size - *at);
    if (skip-- <= 0 && !is_empty(text + *at, n) && !begins_with(text + *at, n, t->comment)) return n;
    *at += n + 1;
  }
  *at = size;
  return 0;
}

hc_rc hc_csv_line_begin(const hc_allocator *a, const void *options, const char *text, size_t size,
                        void **layout, hc_error *e)
{
  static const char separators[] = {'\0', ',', ';', '\t', '|', ' '}; /* by hc_csv_separator */
  const hc_csv_options *o = options;
  const char *submit = o->columns[HC_CSV_SUBMIT], *id = o->columns[HC_CSV_ID];
  hc_line_table t = {.allocator = a, .separator = separators[o->separator], .quotes = o->quotes};
  size_t at, n;
  const char *wrong;
  if (o->comment && strlen(o->comment) < sizeof t.comment)
    memcpy(t.comment, o->comment, strlen(o->comment) + 1);
  n = first_line(&t, text, size, o->skip, &at);
  if (t.separator == '\0') t.separator = guess_separator(text + at, n);
  if (!submit && !o->header)
    return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                   "no column says when tasks were submitted: set `submit` to its number");
  t.submit = find(&t, text + at, n, o->header, submit ? submit : hc_csv_names[HC_CSV_SUBMIT]);
  if (t.submit == 0 && submit && hc_csv_is_expression(submit))
    return hc_fail(
        e, HC_EUSAGE, "source csv", 0, 0,
        "submit: lines are sorted by a column that stands in them, not by the expression \"%.80s\"; name "
        "that column, or write the tasks in order with `hindcast trace convert`",
        submit);
  if (t.submit == 0)
    return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                   "no column says when tasks were submitted: set `submit` to the column's title or number");
  t.id = find(&t, text + at, n, o->header, id ? id : hc_csv_names[HC_CSV_ID]);
  wrong = hc_moment_format_init(&t.format, o->formats[0] ? o->formats[0] : o->time_format, o->time_unit);
  if (wrong) return hc_fail(e, HC_EUSAGE, "source csv", 0, 0, "time_format %s", wrong);
  return make(&t, text, o->header ? HC_MIN(at + n + 1, size) : at, o->zone, layout, e);
}

/* ---- Slurm's records ---- */

static void find_slurm(hc_line_table *t, const char *titles, size_t n)
{
  t->submit = walk(t, titles, n, "Submit", is_slurm_title);
  t->id = walk(t, titles, n, "JobID", is_slurm_title);
}

hc_rc hc_slurm_line_begin(const hc_allocator *a, const char *zone, const hc_list *fields,
                          const char *otherwise, const char *text, size_t size, void **layout, hc_error *e)
{
  const char *const *words = fields->items;
  hc_line_table t = {.allocator = a, .is_slurm = true};
  const size_t mark = begins_with(text, size, "\xef\xbb\xbf") ? 3 : 0;
  size_t n = line_length(text + mark, size - mark);
  bool has_titles;
  t.separator = guess_separator(text + mark, n);
  find_slurm(&t, text + mark, n);
  has_titles = t.submit > 0 && t.id > 0;
  if (fields->count > 0) {
    t.submit = t.id = 0;
    for (size_t i = 0; i < fields->count; i++) {
      const hc_slice word = {words[i], strlen(words[i])};
      if (t.submit == 0 && hc_slurm_same_column(word, "Submit")) t.submit = i + 1;
      if (t.id == 0 && hc_slurm_same_column(word, "JobID")) t.id = i + 1;
    }
  } else if (!has_titles && otherwise) {
    const char separator = t.separator;
    t.separator = '|';
    find_slurm(&t, otherwise, strlen(otherwise));
    t.separator = separator;
  }
  if (t.submit == 0)
    return hc_fail(
        e, HC_EINPUT, "source sacct", 0, 0,
        "no column is called Submit in the first line: leave out sacct's --noheader, or name the columns in "
        "`fields`");
  n = HC_MIN(n + mark + 1, size);
  return make(&t, text, has_titles ? n : 0, zone, layout, e);
}
