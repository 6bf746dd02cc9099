/* spans.c -- levels over time. See spans.h. */
#include "metric/spans.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "metric/sum128.h"

#define TIME_MOST ((hc_time)1 << 60) /* so that no sum of times overflows, whatever a record says */

void hc_spans_init(hc_spans *s, const hc_allocator *a, const hc_span_options *o)
{
  *s = (hc_spans){.allocator = a,
                  .times = {o->every, HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN},
                  .rows_most = (size_t)HC_MAX(o->rows, HC_SPANS_LEAST)};
}

void hc_spans_fini(hc_spans *s)
{
  hc_free(s->allocator, s->levels, s->level_cap * sizeof *s->levels);
  hc_free(s->allocator, s->sums, s->sum_cap * sizeof *s->sums);
  s->levels = NULL;
  s->sums = NULL;
  s->level_cap = s->sum_cap = s->columns = s->sum_count = 0;
  s->rows = s->stride = 0;
}

/* ---- rows ---- */

static hc_wide *sum_at(const hc_spans *s, size_t row, size_t column)
{
  return &s->sums[row * s->stride + column];
}

static size_t rows_most(const hc_spans *s)
{
  size_t most = s->stride > 0 ? HC_SPANS_SUMS / s->stride : s->rows_most;
  return HC_MAX(HC_MIN(s->rows_most, most), HC_SPANS_LEAST);
}

/* Two rows become one, so that rows begin at multiples of the new length. The first may now begin earlier;
 * what levels were worth then is added when it is asked for. */
static void coarsen(hc_spans *s)
{
  hc_time longer = 2 * s->times.every, from = hc_floor_div(s->times.from, longer) * longer;
  size_t shift = from < s->times.from;
  for (size_t r = 0; r < s->rows; r++) {
    size_t to = (r + shift) / 2;
    bool is_second = r > 0 && (r + shift) % 2 == 1;
    for (size_t c = 0; c < s->columns; c++)
      *sum_at(s, to, c) = is_second ? hc_wide_plus(*sum_at(s, to, c), *sum_at(s, r, c)) : *sum_at(s, r, c);
  }
  if (s->rows > 0) s->rows = (s->rows - 1 + shift) / 2 + 1;
  s->sum_count = (size_t)(s->rows * s->stride);
  s->times.every = longer;
  s->times.from = from;
}

/* The row that holds `t`, or one that ends there. Rows up to it are made. */
static hc_rc row_of(hc_spans *s, hc_time t, size_t *out)
{
  size_t row, need;
  while ((uint64_t)(t - s->times.from) / (uint64_t)s->times.every >= rows_most(s)) coarsen(s);
  row = (size_t)((t - s->times.from) / s->times.every);
  if (row >= s->rows) {
    need = (row + 1) * (size_t)s->stride;
    TRY(hc_reserve(s->allocator, (void **)&s->sums, &s->sum_cap, need, sizeof *s->sums));
    memset(s->sums + s->sum_count, 0, (need - s->sum_count) * sizeof *s->sums);
    s->sum_count = need;
    s->rows = row + 1;
  }
  *out = row;
  return 0;
}

/* ---- columns ---- */

/* Rows with a longer stride, in place and from the last on. */
static hc_rc restride(hc_spans *s, size_t stride)
{
  size_t old = (size_t)s->stride, need = (size_t)s->rows * stride;
  TRY(hc_reserve(s->allocator, (void **)&s->sums, &s->sum_cap, need, sizeof *s->sums));
  for (size_t r = (size_t)s->rows; r-- > 0;) {
    memmove(s->sums + r * stride, s->sums + r * old, old * sizeof *s->sums);
    memset(s->sums + r * stride + old, 0, (stride - old) * sizeof *s->sums);
  }
  s->stride = stride;
  s->sum_count = need;
  while (s->rows > rows_most(s)) coarsen(s);
  return 0;
}

hc_rc hc_spans_widen(hc_spans *s, size_t columns)
{
  size_t stride = (size_t)HC_MAX(s->stride, 1);
  if (columns <= s->columns) return 0;
  if (columns > HC_SPANS_COLUMNS) return HC_ELIMIT;
  if (s->stride == 0) stride = columns; /* what is known from the beginning has no slack */
  while (stride < columns) stride *= 2;
  TRY(hc_reserve(s->allocator, (void **)&s->levels, &s->level_cap, columns, sizeof *s->levels));
  if (stride > s->stride) TRY(restride(s, stride));
  for (size_t c = s->columns; c < columns; c++) s->levels[c] = (hc_level){.since = s->times.end};
  s->columns = columns;
  return 0;
}

void hc_spans_start(hc_spans *s, size_t column, int64_t value)
{
  s->levels[column].value = s->levels[column].first = value;
}

/* ---- time ---- */

static hc_time bounded(hc_time t)
{
  return HC_MAX(-TIME_MOST, HC_MIN(t, TIME_MOST));
}

void hc_spans_hear(hc_spans *s, hc_time t)
{
  t = bounded(t);
  if (s->times.begin == HC_UNKNOWN) {
    s->times.begin = t;
    s->times.from = s->times.origin = hc_floor_div(t, s->times.every) * s->times.every;
    for (size_t c = 0; c < s->columns; c++) s->levels[c].since = s->times.origin;
  }
  s->times.end = HC_MAX(s->times.end, t);
}

hc_rc hc_spans_add(hc_spans *s, size_t column, hc_time from, hc_time to, int64_t value)
{
  size_t row;
  if (s->times.begin == HC_UNKNOWN) return 0;
  from = HC_MAX(bounded(from), s->times.origin);
  to = bounded(to);
  if (value == 0 || to <= from) return 0;
  TRY(row_of(s, to - 1, &row)); /* the last: making it may move the first */
  TRY(row_of(s, from, &row));
  while (from < to) {
    const hc_time edge = HC_MIN(to, s->times.from + (hc_time)(row + 1) * s->times.every);
    hc_wide_add_product(sum_at(s, row++, column), value, edge - from);
    from = edge;
  }
  return 0;
}

/* A level's integral from `since` to `t`, over all the rows that this touches. */
static hc_rc integrate(hc_spans *s, size_t column, hc_time t)
{
  hc_level *l = &s->levels[column];
  size_t row;
  if (t <= l->since) return 0;
  l->most = HC_MAX(l->most, l->value);
  if (l->value == 0) {
    l->since = t;
    return 0;
  }
  TRY(row_of(s, t - 1, &row)); /* the last: making it may move the first */
  TRY(row_of(s, l->since, &row));
  while (l->since < t) {
    hc_time edge = HC_MIN(t, s->times.from + (hc_time)(row + 1) * s->times.every);
    hc_wide_add_product(sum_at(s, row++, column), l->value, edge - l->since);
    l->since = edge;
  }
  return 0;
}

hc_rc hc_spans_set(hc_spans *s, size_t column, hc_time t, int64_t value)
{
  if (s->levels[column].value == value) return 0;
  TRY(integrate(s, column, bounded(t)));
  s->levels[column].value = value;
  return 0;
}

hc_rc hc_spans_close(hc_spans *s, hc_time end)
{
  size_t row;
  if (s->times.begin == HC_UNKNOWN) return 0;
  end = HC_MAX(bounded(end), s->times.end);
  s->times.end = end;
  if (end > s->times.from) TRY(row_of(s, end - 1, &row)); /* idle rows are rows too */
  for (size_t c = 0; c < s->columns; c++) TRY(integrate(s, c, end));
  return 0;
}

/* What is loaded may come from a damaged file. */
static bool is_sound(const hc_spans *s)
{
  const hc_span_times *t = &s->times;
  if (t->every <= 0 || t->every > 4 * TIME_MOST || s->columns > s->stride) return false;
  if (s->stride > 2 * HC_SPANS_COLUMNS || s->rows > HC_SPANS_SUMS || s->sum_count != s->rows * s->stride)
    return false;
  if (t->begin == HC_UNKNOWN) return s->rows == 0;
  if (t->from < -4 * TIME_MOST || t->origin < t->from || t->begin < t->origin) return false;
  if (t->end < t->begin || t->end > TIME_MOST) return false;
  for (size_t c = 0; c < s->columns; c++)
    if (s->levels[c].since < t->origin || s->levels[c].since > t->end) return false;
  return true;
}

hc_rc hc_spans_visit(hc_spans *s, hc_visitor *v)
{
  HC_VISIT(v, s->times);
  HC_VISIT(v, s->rows);
  HC_VISIT(v, s->stride);
  HC_VISIT_ARRAY(v, s->levels, s->columns, s->level_cap);
  HC_VISIT_ARRAY(v, s->sums, s->sum_count, s->sum_cap);
  return !hc_visit_loading(v) || is_sound(s) ? 0 : HC_EINPUT;
}

/* ---- what came of it ---- */

hc_time hc_spans_from(const hc_spans *s, size_t row)
{
  return s->times.from + (hc_time)row * s->times.every;
}

hc_time hc_spans_until(const hc_spans *s, size_t row)
{
  return HC_MIN(s->times.end, hc_spans_from(s, row + 1));
}

hc_wide hc_spans_sum(const hc_spans *s, size_t row, size_t column)
{
  hc_wide sum = *sum_at(s, row, column);
  if (row == 0) hc_wide_add_product(&sum, s->levels[column].first, s->times.origin - s->times.from);
  return sum;
}

hc_wide hc_spans_total(const hc_spans *s, size_t column)
{
  hc_wide sum = {0};
  if (s->times.begin == HC_UNKNOWN || s->rows == 0) return sum;
  for (size_t r = 0; r < s->rows; r++) sum = hc_wide_plus(sum, *sum_at(s, r, column));
  return hc_wide_minus(sum, hc_wide_product(s->levels[column].first, s->times.begin - s->times.origin));
}

double hc_spans_mean(const hc_spans *s, size_t row, size_t column)
{
  hc_time length = hc_spans_until(s, row) - hc_spans_from(s, row);
  return hc_wide_ratio(hc_spans_sum(s, row, column), hc_wide_product(length, 1));
}

double hc_spans_mean_total(const hc_spans *s, size_t column)
{
  return hc_wide_ratio(hc_spans_total(s, column), hc_wide_product(s->times.end - s->times.begin, 1));
}

int64_t hc_spans_key(const hc_spans *s, size_t row)
{
  return hc_floor_div(hc_spans_from(s, row), HC_SECOND);
}

hc_rc hc_spans_find_until(const hc_spans *s, size_t row, hc_findings *f, const char *table)
{
  return hc_find_cell(f, table, hc_spans_key(s, row), "until", "s", hc_seconds(hc_spans_until(s, row)));
}
