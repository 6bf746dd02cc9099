/* spans.h -- levels over time: exact means over equal pieces of it, in bounded memory.
 *
 * A *level* is an amount that holds until it changes: what is claimed, how many wait. Each is a column; each
 * piece of time (a row) has the exact integral of each column. Pieces begin at multiples of their length from
 * the run's origin. The first one begins at or before the first change, when everything was as it was
 * declared; the last one ends where the run does, and is a mean over the part of it that the run covers.
 *
 * When there would be more rows than are allowed, two neighbours become one, and every piece is from then on
 * twice as long: the integrals add up, so what is left is as exact as before, only coarser. So memory has a
 * bound whatever the length of the run.
 *
 * Columns are integrated when they change, and all of them at the end. The greatest value of a level is
 * the greatest that held for any time at all: what comes and goes within one instant was never there.
 * Cost: one product per change and piece of time since the last; 16 bytes per row and column. */
#ifndef HC_METRIC_SPANS_H
#define HC_METRIC_SPANS_H

#include "base/mem.h"
#include "base/wide.h"
#include "hindcast/figure.h"

#define HC_SPANS_SUMS (1u << 22)    /* most sums that are kept, rows x columns: 64 MiB */
#define HC_SPANS_COLUMNS (1u << 18) /* so that there are rows enough */
#define HC_SPANS_LEAST 16           /* rows that always have room */

typedef struct hc_level {
  int64_t value, most;
  int64_t first; /* when time began */
  hc_time since;
} hc_level;

/* What is saved beside the arrays. */
typedef struct hc_span_times {
  hc_time every;      /* length of a piece now */
  hc_time from;       /* where the first piece begins */
  hc_time origin;     /* where it began before any were merged: levels are integrated from here */
  hc_time begin, end; /* first change, last heard of; HC_UNKNOWN: nothing has happened */
} hc_span_times;

typedef struct hc_spans {
  const hc_allocator *allocator;
  hc_span_times times;
  size_t rows_most; /* as asked for */
  hc_level *levels; /* [columns] */
  size_t columns, level_cap;
  hc_wide *sums; /* [rows][stride] */
  size_t sum_count, sum_cap;
  uint64_t rows, stride;
} hc_spans;

/* Members of a family's options and their parameters. */
typedef struct hc_span_options {
  hc_time every;
  int64_t rows;
} hc_span_options;

#define HC_SPAN_PARAMS(options, member) \
  HC_PARAM_AS(TIME, "every", options, member.every, "s", "1h", 1, 9e9, \
              "Length of each piece of time. Pieces begin at multiples of it from the run's origin."), \
      HC_PARAM_AS( \
          INT, "rows", options, member.rows, "rows", "2000", 16, 1e6, \
          "At most so many pieces: when there would be more, two neighbours become one, and all are " \
          "twice as long from then on. Tables with many columns have less room: 4194304 numbers in " \
          "all.")
#define HC_SPANS_TEXT \
  " Means are exact integrals over each piece of time; the last is over the part that the run covers, " \
  "and `until` says where a piece ends. Before the first change the machine is idle, from the beginning " \
  "of the first piece. There are at most `rows` pieces: beyond, neighbours are merged and pieces become " \
  "twice as long."

void hc_spans_init(hc_spans *s, const hc_allocator *a, const hc_span_options *o);
void hc_spans_fini(hc_spans *s);
/* Make room for more columns, which are 0. @return 0, HC_ELIMIT (more than HC_SPANS_COLUMNS), HC_ENOMEM. */
hc_rc hc_spans_widen(hc_spans *s, size_t columns);
/* Give a column its value before anything has happened. */
void hc_spans_start(hc_spans *s, size_t column, int64_t value);
/* Something happens at `t`: time begins with the first call. */
void hc_spans_hear(hc_spans *s, hc_time t);
/* From `t` on a column has this value. Changes come in order of time. @return 0 or HC_ENOMEM. */
hc_rc hc_spans_set(hc_spans *s, size_t column, hc_time t, int64_t value);
/* Beside the level: it was more by `value` in [from, to), which time has reached. @return 0 or HC_ENOMEM. */
hc_rc hc_spans_add(hc_spans *s, size_t column, hc_time from, hc_time to, int64_t value);
/* Time has come to `end`: every column is integrated up to it. @return 0 or HC_ENOMEM. */
hc_rc hc_spans_close(hc_spans *s, hc_time end);
hc_rc hc_spans_visit(hc_spans *s, hc_visitor *v);

static inline int64_t hc_spans_value(const hc_spans *s, size_t column)
{
  return s->levels[column].value;
}

/* ---- after hc_spans_close ---- */

hc_time hc_spans_from(const hc_spans *s, size_t row);
hc_time hc_spans_until(const hc_spans *s, size_t row);
/* Integral over a row, and since the first change, in amounts x ns. */
hc_wide hc_spans_sum(const hc_spans *s, size_t row, size_t column);
hc_wide hc_spans_total(const hc_spans *s, size_t column);
/* Mean over the time that a row covers, and since the first change; NaN if that is none. */
double hc_spans_mean(const hc_spans *s, size_t row, size_t column);
double hc_spans_mean_total(const hc_spans *s, size_t column);
/* Seconds from the origin at which a row begins, rounded down: its key. */
int64_t hc_spans_key(const hc_spans *s, size_t row);
/* Find where each row ends, in s, as figure `until`. */
hc_rc hc_spans_find_until(const hc_spans *s, size_t row, hc_findings *f, const char *table);

#endif
