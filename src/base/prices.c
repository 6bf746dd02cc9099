/* prices.c -- what energy costs, and what its making emits, over time: a table of steps. See prices.h. */
#include "base/prices.h"

#include <string.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"

typedef struct reading {
  hc_prices *p;
  hc_table table;
  size_t at, price, carbon; /* columns; 0: none */
  int64_t unix_start;
  hc_error *e;
} reading;

static hc_rc wrong(const reading *r, size_t column, const char *text)
{
  const uint32_t at = column > 0 && column <= r->table.count ? r->table.fields[column - 1].at : 0;
  return hc_fail(r->e, HC_EINPUT, r->table.name, (uint32_t)r->table.line, at, "%s", text);
}

static bool begins_with(const char *text, const char *word)
{
  for (; *word; text++, word++)
    if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *word) return false;
  return true;
}

static size_t column_that_begins(const hc_table *t, const char *word)
{
  for (size_t i = 0; i < t->title_count; i++)
    if (begins_with(t->titles[i], word)) return i + 1;
  return 0;
}

static hc_rc find_columns(reading *r, const char *carbon)
{
  hc_table *t = &r->table;
  hc_rc rc = hc_table_next(t, r->e);
  if (rc < 0) return rc;
  if (rc > 0 && hc_table_keep_titles(t) < 0) return HC_ENOMEM;
  static const char *const times[] = {"at", "time", "timestamp"};
  for (size_t i = 0; i < HC_ARRAY_LEN(times) && r->at == 0; i++) r->at = hc_table_column(t, times[i]);
  if (r->at == 0) r->at = column_that_begins(t, "datetime");
  r->price = hc_table_column(t, "price");
  r->carbon = carbon ? hc_table_column(t, carbon) : hc_table_column(t, "carbon");
  if (r->carbon == 0 && !carbon) r->carbon = column_that_begins(t, "carbon");
  if (carbon && r->carbon == 0)
    return hc_fail(r->e, HC_EUSAGE, t->name, 1, 0, "there is no column \"%.80s\" (carbon_column)", carbon);
  if (r->at == 0 || (r->price == 0 && r->carbon == 0))
    return hc_fail(r->e, HC_EINPUT, t->name, 1, 0,
                   "the first row must be titles, with a column of times (at, time, timestamp, datetime) and "
                   "one of price or carbon among them, as in at,price,carbon");
  return 0;
}

/* So many digits. @return false: there are others */
static bool read_digits(const char **s, int count, int *out)
{
  for (*out = 0; count > 0; count--, (*s)++) {
    if (**s < '0' || **s > '9') return false;
    *out = *out * 10 + (**s - '0');
  }
  return true;
}

/* The same behind a character. */
static bool read_part(const char **s, char before, int *out)
{
  if (**s != before) return false;
  (*s)++;
  return read_digits(s, 2, out);
}

/* 06:00, perhaps with seconds and parts of one. */
static bool read_clock(const char **s, int *hour, int *minute, int *second)
{
  (*s)++;
  if (!read_digits(s, 2, hour) || !read_part(s, ':', minute)) return false;
  if (**s == ':' && !read_part(s, ':', second)) return false;
  if (**s == '.') *s += 1 + strspn(*s + 1, "0123456789");
  return true;
}

/* 2024-01-31T06:00, with a blank for the T, with seconds, with a Z or +00:00. @return false: it is no date */
static bool read_date(const char *s, int64_t *unix_seconds)
{
  int year, month, day, hour = 0, minute = 0, second = 0;
  if (!read_digits(&s, 4, &year) || !read_part(&s, '-', &month) || !read_part(&s, '-', &day)) return false;
  if ((*s == 'T' || *s == ' ') && !read_clock(&s, &hour, &minute, &second)) return false;
  if (strcmp(s, "") != 0 && strcmp(s, "Z") != 0 && strcmp(s, "+00:00") != 0 && strcmp(s, " UTC") != 0)
    return false;
  if (year < 1900 || month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 ||
      second > 60)
    return false;
  const hc_calendar c = {
      .year = year, .month = month, .day = day, .hour = hour, .minute = minute, .second = second};
  *unix_seconds = hc_calendar_unix(&c, 0);
  return true;
}

static hc_rc read_time(const reading *r, hc_time *out)
{
  const char *s = hc_table_text(&r->table, r->at);
  int64_t unix_seconds;
  if (hc_parse_seconds(s, strlen(s), out) == 0) return 0;
  if (!read_date(s, &unix_seconds))
    return wrong(r, r->at, "this is neither seconds nor a date and time in UTC, such as 2024-01-31T06:00");
  if (r->unix_start == HC_UNKNOWN)
    return wrong(r, r->at,
                 "this is a date, and it is not known when the run begins: say `unix_start`, or give "
                 "seconds since the run's origin");
  *out = (unix_seconds - r->unix_start) * HC_SECOND;
  return 0;
}

static hc_rc read_number(const reading *r, size_t column, double *out)
{
  const char *s = hc_table_text(&r->table, column);
  if (column == 0) return 0;
  return hc_parse_real(s, strlen(s), out) == 0 ? 0 : wrong(r, column, "this is no number");
}

static hc_rc read_row(reading *r)
{
  hc_prices *p = r->p;
  hc_price_step x = {.at = 0};
  TRY(read_time(r, &x.at));
  TRY(read_number(r, r->price, &x.price));
  TRY(read_number(r, r->carbon, &x.carbon));
  if (x.carbon < 0) return wrong(r, r->carbon, "less than nothing is emitted");
  if (p->count > 0 && x.at <= p->steps[p->count - 1].at)
    return wrong(r, r->at, "this is no later than the row before: rows must be in order of time");
  return hc_prices_add(p, x);
}

hc_rc hc_prices_add(hc_prices *p, hc_price_step step)
{
  TRY(hc_reserve(p->allocator, (void **)&p->steps, &p->cap, p->count + 1, sizeof *p->steps));
  p->steps[p->count++] = step;
  return 0;
}

hc_rc hc_prices_read(hc_prices *p, const char *file, const char *column, int64_t unix_start, hc_error *e)
{
  reading r = {.p = p, .unix_start = unix_start, .e = e};
  hc_rc rc = hc_table_open(&r.table, p->allocator, file, e), more = 1;
  if (rc == 0) rc = find_columns(&r, column);
  while (rc == 0 && (more = hc_table_next(&r.table, e)) > 0) rc = read_row(&r);
  if (rc == 0) rc = HC_MIN(more, 0);
  if (rc == 0 && p->count == 0) rc = hc_fail(e, HC_EINPUT, file, 0, 0, "it has no rows");
  hc_table_close(&r.table);
  return rc;
}

void hc_prices_fini(hc_prices *p)
{
  if (p->allocator) hc_free(p->allocator, p->steps, p->cap * sizeof *p->steps);
}

size_t hc_prices_at(const hc_prices *p, hc_time at)
{
  size_t from = 0, to = p->count; /* the first step later than `at` */
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    if (p->steps[middle].at <= at) from = middle + 1;
    else to = middle;
  }
  return from > 0 ? from - 1 : 0;
}
