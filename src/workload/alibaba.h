/* alibaba.h -- what the readers of Alibaba's cluster traces share: tables with or without a header, amounts in units
 * of their own, states, and the times 0 that mean that nobody knows.
 *
 * A reader says what its table looks like (hc_alibaba_schema) and turns the row at hand into a task. */
#ifndef HC_WORKLOAD_ALIBABA_H
#define HC_WORKLOAD_ALIBABA_H

#include "table/sheet.h"
#include "workload/delimited.h"
#include "workload/spec.h"

#define HC_ALIBABA_COLUMNS 20 /* most columns of a table */

/* A table as it was published. */
typedef struct hc_alibaba_schema {
  const char *reader;        /* "source alibaba_v2018" */
  const char *kind;          /* for errors: "batch_task.csv of Alibaba's trace of 2018" */
  const char *const *titles; /* [count] in the order of the published file */
  uint32_t count;
  uint32_t needed; /* a bit for each column without which there is no task */
  uint32_t
      number; /* a column that holds a number or nothing: text in it makes the first line one of titles */
  uint32_t submit, id; /* columns by which rows are put in order; HC_ALIBABA_COLUMNS: none */
  const char *prefix;  /* of an id: "j_" in j_17 */
  bool zero_is_none;   /* a time of 0, or before, is one that nobody knows */
} hc_alibaba_schema;

/* The part of a reader's options that is filled from HC_ALIBABA_PARAMS. */
typedef hc_sheet_options hc_alibaba_options;

/* What these tables have where nothing is known. */
#define HC_ALIBABA_MISSING .missing = {"nan", "null", "none", "\\N"}, .missing_any_case = true

/* An amount of the dimension for one of the trace's units: num / den. */
typedef struct hc_alibaba_ratio {
  uint64_t num, den;
} hc_alibaba_ratio;

/* A table being read. */
typedef struct hc_alibaba {
  const hc_source_context *context;
  const hc_alibaba_options *o;
  const hc_alibaba_schema *schemas; /* [schema_count] of which the first row chooses one */
  size_t schema_count;
  const hc_alibaba_schema *schema;
  hc_delimited table;
  hc_trace_info info;
  struct {                           /* plain state */
    uint64_t at[HC_ALIBABA_COLUMNS]; /* number of a column in this file, from 1; 0: it has none */
    uint64_t width;                  /* fields of a row */
    uint64_t schema, started;
  } s;
} hc_alibaba;

/** @param schemas  [count] borrowed for its life; @return 0, HC_EUSAGE, HC_EIO, HC_ENOMEM. Close it even if this
 *  failed. */
hc_rc hc_alibaba_open(hc_alibaba *a, const hc_source_context *c, const hc_alibaba_options *o,
                      const hc_alibaba_schema *schemas, size_t count, hc_error *e);
void hc_alibaba_close(hc_alibaba *a);
/** As hc_reader_type has them. */
hc_rc hc_alibaba_visit(hc_alibaba *a, hc_visitor *v, hc_error *e);

/** The next row, behind the titles if there are any; counted as read. @return 1, 0 at the end, or an error. */
hc_rc hc_alibaba_next(hc_alibaba *a, hc_error *e);
/** The record at hand, which somebody else has put into a->table, is the next one. @return 1 if it is a row, 0 if it
 *  was a line of titles or has been rejected, or an error. */
hc_rc hc_alibaba_take(hc_alibaba *a, hc_error *e);
/** The end was reached. @return 0, or HC_EINPUT if nothing could be read. */
hc_rc hc_alibaba_end(hc_alibaba *a, hc_error *e);

/* ---- one row ---- */

/** A field of the row at hand; NULL if it or its column is not there, or says that it is not known. */
const hc_field *hc_alibaba_get(const hc_alibaba *a, uint32_t column);
/** Reject the row as malformed by one of its fields. @param what  what it should be, "no number"
 *  @return 0 or HC_EINPUT. */
hc_rc hc_alibaba_wrong(hc_alibaba *a, uint32_t column, const char *what, hc_error *e);
/** Reject it for another reason. @return 0 or HC_EINPUT. */
hc_rc hc_alibaba_reject(hc_alibaba *a, hc_reason why, hc_error *e);

/** A time, ns; HC_UNKNOWN if it is not there or nobody knows it. @return 1, 0 (rejected), or an error. */
hc_rc hc_alibaba_time(hc_alibaba *a, uint32_t column, hc_time *out, hc_error *e);
/** A whole number of at least `least`, at most `most`; `out` stays as it is if it is not there. @return as above. */
hc_rc hc_alibaba_count(hc_alibaba *a, uint32_t column, int64_t least, int64_t most, int64_t *out,
                       hc_error *e);

/* What became of a row's task. */
typedef enum hc_alibaba_statuses { HC_ALIBABA_TERMINATED, HC_ALIBABA_ENDED } hc_alibaba_statuses;
#define HC_ALIBABA_STATUSES "terminated|ended"
typedef struct hc_alibaba_span {
  hc_time start, end;
  int32_t status; /* hc_status */
} hc_alibaba_span;
/** From when to when it ran, by its state. Rows of tasks that did not run from a known begin to a known end, or not
 *  well while only those are wanted, are rejected. No state counts as a good end. @return 1, 0 (rejected), or an error. */
hc_rc hc_alibaba_ran(hc_alibaba *a, uint32_t status, uint32_t start, uint32_t end, hc_alibaba_statuses wanted,
                     hc_alibaba_span *out, hc_error *e);

/* ---- amounts ---- */

/** Thousandths of a core, and bytes, for one unit of the trace. @param published  the unit if cpu_scale is 0
 *  @param share  which number of the trace memory_scale stands for */
hc_alibaba_ratio hc_alibaba_cpu(const hc_alibaba_options *o, int64_t published);
hc_alibaba_ratio hc_alibaba_memory(const hc_alibaba_options *o, int64_t share);
/** What an amount can be, in units of the trace. */
typedef struct hc_alibaba_range {
  double least, most;
} hc_alibaba_range;
#define HC_ALIBABA_ANY ((hc_alibaba_range){0, 1e300})          /* 0, too */
#define HC_ALIBABA_POSITIVE ((hc_alibaba_range){1e-18, 1e300}) /* 0 says nothing */
/** An amount, rounded up, which is counted; HC_UNKNOWN if it is not there or out of its range, as -1 is.
 *  @return 1, 0 (rejected), or an error. */
hc_rc hc_alibaba_amount(hc_alibaba *a, uint32_t column, hc_alibaba_ratio r, hc_alibaba_range range,
                        int64_t *out, hc_error *e);
/** Put the defaults in place of what is not said. */
void hc_alibaba_defaults(const hc_alibaba *a, int64_t *cpu, int64_t *memory);
/** Count an amount that was rounded, by its relative error. */
static inline void hc_alibaba_rounded(const hc_alibaba *a, double error)
{
  hc_row_ledger *l = a->context->ledger;
  if (!l || error == 0) return;
  l->rounded++;
  if (error > l->rounding) l->rounding = error;
}
/** digits / 10^places, times a ratio, rounded up. @param error  relative, by rounding
 *  @return false if it is beyond 2^52. */
bool hc_alibaba_scale(uint64_t digits, uint32_t places, hc_alibaba_ratio r, int64_t *out, double *error);

/* ---- names ---- */

/** The number in a name: 17 of "j_17" with the prefix "j_"; else hc_name_number. */
int64_t hc_alibaba_number(const char *s, size_t n, const char *prefix);
/** The same for a field of the row; -1 if it is not there. */
int64_t hc_alibaba_id(const hc_alibaba *a, uint32_t column, const char *prefix);
/** The constraint that a host's attribute is one of several texts, between bars.
 *  @param out  [cap];  @return how many; HC_ENOMEM; HC_ELIMIT if there are more than `cap`. */
hc_rc hc_alibaba_one_of(hc_lexicon *l, const char *attribute, const hc_field *f, hc_constraint *out,
                        size_t cap);

/* ---- sorting and recognising ---- */

/** As hc_reader_type has them, for a table. @param o  borrowed for the layout's life */
hc_rc hc_alibaba_line_begin(const hc_allocator *a, const hc_alibaba_options *o,
                            const hc_alibaba_schema *schemas, size_t count, const char *text, size_t size,
                            void **layout, hc_error *e);
void hc_alibaba_line_end(const hc_allocator *a, void *layout);
hc_line_kind hc_alibaba_line_key(const void *layout, const char *line, size_t n, hc_time *submit,
                                 int64_t *id);

/** The first line of a file that is neither empty nor a comment, cut at commas.
 *  @return number of fields, of which [HC_ALIBABA_COLUMNS] at most are in `out`; 0 if no whole line is there. */
size_t hc_alibaba_first_line(const char *head, size_t size, hc_field out[HC_ALIBABA_COLUMNS]);
/** How many of a schema's titles the fields hold, of which the first HC_ALIBABA_COLUMNS are looked at. */
size_t hc_alibaba_titles(const hc_alibaba_schema *s, const hc_field *fields, size_t count);
/** Whether a field is a state's word, or a number. */
bool hc_alibaba_is_state(const hc_field *f);
bool hc_alibaba_is_number(const hc_field *f);

/* ---- parameters ---- */

/* Those that all readers have. @param cpu_, memory_  their defaults, as texts; @param of_  what memory_scale is for */
#define HC_ALIBABA_PARAMS(struct_, cpu_, memory_, of_) \
  HC_PARAM_AS(TEXT, "file", struct_, common.file, NULL, \
              "Path of the table, plain, .gz, .zst or .xz; - is standard input."), \
      HC_PARAM_AS(TIME, "time_unit", struct_, common.time_unit, "s", "1s", 1e-9, 1e6, \
                  "What one unit of a time is."), \
      HC_PARAM_AS(TEXT, "origin", struct_, common.origin, NULL, \
                  "When the trace's time 0 was: a date such as 2018-01-31, or a Unix time. It changes no " \
                  "time of a task."), \
      HC_PARAM_AS(INT, "cpu_scale", struct_, common.cpu_scale, NULL, cpu_, 0, 1e6, \
                  "How many units of the trace are one core; 0: as it was published."), \
      HC_PARAM_AS(SIZE, "memory_scale", struct_, common.memory_scale, "B", memory_, 1, 1125899906842624.0, \
                  of_), \
      HC_PARAM_AS(REAL, "default_cpu", struct_, common.default_cpu, "cores", NULL, 0, 1e6, \
                  "Cores that a task needs which does not say it. Not given, or 0: it stays unsaid."), \
      HC_PARAM_AS(SIZE, "default_memory", struct_, common.default_memory, "B", NULL, 0, 1125899906842624.0, \
                  "Memory that a task needs which does not say it. Not given, or 0: it stays unsaid.")

#endif
