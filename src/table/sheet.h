/* sheet.h -- a table being read: what the hooks of a format see, and the members of hc_reader_type. */
#ifndef HC_TABLE_SHEET_H
#define HC_TABLE_SHEET_H

#include "table/column.h"
#include "workload/delimited.h"
#include "workload/spec.h"

/* The part of a reader's options with which each of them begins. */
typedef struct hc_sheet_options {
  const char *file, *origin, *zone;
  hc_time time_unit;                               /* 0: a second */
  int64_t cpu_scale, memory_scale, default_memory; /* 0: as it was published; not said */
  double default_cpu;
} hc_sheet_options;

/* An amount of a task for one of the table's units: num / den. */
typedef struct hc_unit {
  uint64_t num, den;
} hc_unit;

/* How one column is read: settled once the first line is known. */
typedef struct hc_sheet_step {
  int64_t num, least, most, nothing;
  uint32_t field;  /* its number, from 0 */
  uint16_t member; /* where in a task it goes, if anywhere */
  bool is_plain, is_narrow, or_row;
  bool of_task, of_job; /* what the source calls the task, or its job: its text is kept */
} hc_sheet_step;

struct hc_sheet {
  const hc_source_context *context;
  const hc_table_format *format;
  const hc_table_form *form;
  const hc_sheet_options *o; /* the whole of the reader's options */
  hc_delimited in;
  hc_zone *zone;
  hc_task_spec task;
  hc_trace_info info;
  hc_interned *names[HC_TABLE_COLUMNS]; /* of columns of names */
  hc_buffer scratch;
  hc_unit unit[HC_TABLE_COLUMNS];
  int64_t
      value[HC_TABLE_COLUMNS]; /* of the row at hand; HC_UNKNOWN, or -1 for names, where nothing is known */
  void *own;                   /* [format->own_size] the format's */
  bool is_dated;               /* submissions are dates */
  bool wants_demand;           /* as hc_table_format.check says */
  uint32_t said_count;
  uint8_t said[HC_TABLE_COLUMNS];        /* [said_count] columns that are HC_SAID and there */
  bool is_ready;                         /* the next ones are settled */
  uint32_t early, late;                  /* numbers of columns in `order` */
  hc_sheet_step steps[HC_TABLE_COLUMNS]; /* of each column */
  uint8_t order[HC_TABLE_COLUMNS];       /* columns that are read: [early], then [late] after `check` */
  uint8_t begins[256];                   /* whether a word that says that nothing is known begins so */
  struct {                               /* plain state */
    uint64_t at[HC_TABLE_COLUMNS];       /* number of a column in this file, from 1; 0: it has none */
    uint64_t width, form, begun;
  } s;
};

hc_rc hc_sheet_open(const hc_table_format *f, const hc_source_context *c, const void *options,
                    hc_source **out, hc_error *e);
void hc_sheet_close(hc_source *s);

/* ---- for hooks ---- */

/** A field of the row at hand; NULL if it or its column is not there, or says that nothing is known. */
const hc_field *hc_sheet_field(const hc_sheet *s, uint32_t column);
/** The row is malformed by one of its fields. @param what  what that is: "before the start"; @return 0 or
 *  HC_EINPUT. */
hc_rc hc_sheet_wrong(hc_sheet *s, uint32_t column, const char *what, hc_error *e);
/** The row is no task for another reason. @return 0 or HC_EINPUT. */
hc_rc hc_sheet_reject(hc_sheet *s, hc_reason why, hc_error *e);
/** Read a column, once `before` or `row` wants it; the others are read between them. @return 1, 0 (wrong),
 *  an error. */
hc_rc hc_sheet_read(hc_sheet *s, uint32_t column, hc_error *e);
/** Put the defaults in place of a demand that is not said; reject the row if none is. @return 1, 0, or an
 *  error. */
hc_rc hc_sheet_demand(hc_sheet *s, hc_task_spec *t, hc_error *e);
/** A wait or a run between two times. @return false: `later` is before `earlier`. */
static inline bool hc_span(hc_time later, hc_time earlier, hc_time *out)
{
  return !__builtin_sub_overflow(later, earlier, out) && *out >= 0;
}
/** The task runs only on hosts whose attribute is one of the texts in a column, between bars. @return as
 *  `row`. */
hc_rc hc_sheet_one_of(hc_sheet *s, hc_task_spec *t, uint32_t column, const char *attribute, size_t most,
                      hc_error *e);
/** Keep what is rare of a task. @return 1 or HC_ENOMEM. */
hc_rc hc_sheet_keep(hc_sheet *s, hc_task_spec *t, const hc_task_extras *m);
/** Keep what the source calls a task, or its job, as the text of a column that was read, unless its number
 *  says it: for the task's `label` or `job_label`. @return 0 or HC_ENOMEM. */
hc_rc hc_sheet_label(hc_sheet *s, uint32_t column, uint32_t *out);
/** The next row, in s->task. @return 1, 0 at the end, or an error. */
hc_rc hc_sheet_row(hc_sheet *s, hc_error *e);

/** Read a column, and what it holds. @return as hc_sheet_read. */
static inline hc_rc hc_sheet_get(hc_sheet *s, uint32_t column, int64_t *out, hc_error *e)
{
  const hc_rc rc = hc_sheet_read(s, column, e);
  *out = s->value[column];
  return rc;
}

/** A name's number, of a column of such; -1 if it is not there. */
static inline int64_t hc_sheet_id(hc_sheet *s, uint32_t column)
{
  (void)hc_sheet_read(s, column, NULL);
  return s->value[column];
}
/** Put the defaults in place of what is not said. */
void hc_sheet_defaults(const hc_sheet *s, int64_t *cpu, int64_t *memory);
/** A table that is read beside another: its rows by hc_sheet_row. @return as hc_reader_type.open */
static inline hc_rc hc_sheet_begin(const hc_table_format *f, const hc_source_context *c, const void *options,
                                   hc_sheet **out, hc_error *e)
{
  hc_source *source = NULL;
  const hc_rc rc = hc_sheet_open(f, c, options, &source, e);
  *out = (hc_sheet *)(void *)source;
  return rc;
}
static inline void hc_sheet_end(hc_sheet *s)
{
  hc_sheet_close((hc_source *)(void *)s);
}

/* ---- amounts ---- */

/** digits / 10^places, times a unit, rounded up. @param error  relative, by rounding
 *  @return false if it is beyond 2^52. */
bool hc_scale_up(uint64_t digits, uint32_t places, hc_unit u, int64_t *out, double *error);
/** A decimal of at most 18 digits, "12", "0.02", "-1", "1e-05"; digits that are dropped round it up. */
bool hc_field_decimal(const hc_field *f, uint64_t *digits, uint32_t *places, bool *negative);

/* ---- fields ---- */

/** A date, or a number of units since 1970. */
bool hc_sheet_moment(const hc_field *f, hc_time unit, const hc_zone *zone, hc_time *out);
/** As columns of submissions and of ids have them, for those who sort lines. */
bool hc_sheet_time(const hc_column *c, const hc_field *f, hc_time unit, const hc_zone *zone, hc_time *out);
int64_t hc_sheet_number(const hc_column *c, const hc_field *f);

/* ---- where columns are ---- */

/** Find the columns of a form by titles. @return how many of the fields are titles of it. */
size_t hc_form_bind(const hc_table_form *form, const hc_field *fields, size_t count,
                    uint64_t at[HC_TABLE_COLUMNS]);
/** Which form the first line is of, and where its columns are then. @return its number; `titles`: it is no
 *  row */
size_t hc_format_bind(const hc_table_format *f, size_t first, size_t count, const char *line, size_t n,
                      uint64_t at[HC_TABLE_COLUMNS], uint64_t *width, bool *titles);
/** The first line that is a row, whole, cut as the form is. @return how many fields; 0: there is none */
size_t hc_form_first_line(const hc_table_form *form, const char *head, size_t size,
                          hc_field out[HC_TABLE_COLUMNS]);
bool hc_field_is_number(const hc_field *f);
/** The first column that is needed and not there; form->count if all are. */
uint32_t hc_form_lacks(const hc_table_form *form, const uint64_t at[HC_TABLE_COLUMNS]);
/** The first title of a column. @return its length */
size_t hc_column_title(const hc_column *c, const char **title);
/** The titles of a form that are written, between its separators, without an end of line. */
void hc_form_titles(const hc_table_form *form, hc_buffer *out);
/** The first column that says a fact; count: none does. */
uint32_t hc_form_says(const hc_table_form *form, hc_fact fact);
bool hc_format_says_missing(const hc_table_format *f, const hc_field *field);
/** Whether a field says that nothing is known. */
static inline bool hc_format_misses(const hc_table_format *f, const hc_field *field)
{
  return field->length == 0 || (!hc_is_digit(field->text[0]) && hc_format_says_missing(f, field));
}

/* ---- the members of hc_reader_type ---- */

hc_rc hc_sheet_next(hc_source *s, hc_job *job, hc_error *e);
const hc_trace_info *hc_sheet_info(hc_source *s);
hc_rc hc_sheet_visit(hc_source *s, hc_visitor *v, hc_error *e);
void hc_sheet_progress(hc_source *s, uint64_t *done, uint64_t *total);
int hc_format_recognise(const hc_table_format *f, const char *name, const char *head, size_t size);
hc_rc hc_sortkey_begin(const hc_table_format *f, const hc_allocator *a, const void *options, const char *text,
                       size_t size, void **layout, hc_error *e);
hc_line_kind hc_sortkey(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id);
void hc_sortkey_end(const hc_allocator *a, void *layout);

hc_refers hc_sheet_refers(const hc_source *s);

/* The reader of a format, with the members that must know it. What follows are members of its component: a
 * summary, details, a source. */
#define HC_TABLE_READER(name_, format_, options_, params_, ...) \
  static hc_rc table_open(const hc_source_context *c, const void *o, hc_source **out, hc_error *e) \
  { \
    return hc_sheet_open(&(format_), c, o, out, e); \
  } \
  static int table_recognise(const char *name, const char *head, size_t size) \
  { \
    return hc_format_recognise(&(format_), name, head, size); \
  } \
  static hc_rc table_line_begin(const hc_allocator *a, const void *o, const char *text, size_t size, \
                                void **layout, hc_error *e) \
  { \
    return hc_sortkey_begin(&(format_), a, o, text, size, layout, e); \
  } \
  const hc_reader_type hc_reader_##name_ = {.component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), \
                                                          .name = #name_, .params = params_, \
                                                          .options_size = sizeof(options_), __VA_ARGS__}, \
                                            .open = table_open, \
                                            .next = hc_sheet_next, \
                                            .info = hc_sheet_info, \
                                            .visit = hc_sheet_visit, \
                                            .progress = hc_sheet_progress, \
                                            .close = hc_sheet_close, \
                                            .recognise = table_recognise, \
                                            .refers = hc_sheet_refers, \
                                            .line_key = hc_sortkey, \
                                            .line_begin = table_line_begin, \
                                            .line_end = hc_sortkey_end, \
                                            .table = &(format_)}

/* Parameters that readers of tables have. */
#define HC_TABLE_FILE(options_, member_) \
  HC_PARAM_AS(TEXT, "file", options_, member_, NULL, \
              "Path of the table, plain, .gz, .zst or .xz; - is standard input.")
extern const hc_param hc_sheet_params[]; /* of a format without options of its own */

#endif
