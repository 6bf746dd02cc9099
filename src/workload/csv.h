/* csv.h -- a table of jobs: which column is what, and what a row says. The reader `csv` is made of these. */
#ifndef HC_WORKLOAD_CSV_H
#define HC_WORKLOAD_CSV_H

#include "workload/delimited.h"
#include "workload/names.h"

/* Columns, in the order of their parameters' help: moments, durations, what is asked for, names, the rest. */
#define HC_CSV_COLUMN_LIST(X) \
  X(ID, "id") \
  X(SUBMIT, "submit") \
  X(START, "start") \
  X(END, "end") \
  X(NOT_BEFORE, "not_before") \
  X(WAIT, "wait") \
  X(RUN, "run") \
  X(LIMIT, "limit") \
  X(PROCS, "procs") \
  X(PROCS_TIMES, "procs_times") \
  X(PROCS_USED, "procs_used") \
  X(MEMORY_ASKED, "memory_asked") \
  X(MEMORY_USED, "memory_used") \
  X(USER, "user") \
  X(GROUP, "group") \
  X(EXECUTABLE, "executable") \
  X(QUEUE, "queue") \
  X(PARTITION, "partition") \
  X(STATUS, "status") \
  X(PRIORITY, "priority") \
  X(JOB, "job") \
  X(COUNT, "count") \
  X(HOSTS, "hosts") \
  X(CPU, "cpu") \
  X(MEMORY, "memory") \
  X(DISK, "disk") \
  X(GPU, "gpu") \
  X(AFTER, "after") \
  X(CONSTRAINTS, "constraints") \
  X(PREFERS, "prefers") \
  X(LABEL, "label") \
  X(JOB_LABEL, "job_label")

typedef enum hc_csv_column {
#define X(name, word) HC_CSV_##name,
  HC_CSV_COLUMN_LIST(X)
#undef X
      HC_CSV_COLUMNS
} hc_csv_column;

extern const char *const hc_csv_names[HC_CSV_COLUMNS];
extern const hc_after_how hc_csv_hows[4]; /* by the choices of after_how */

#define HC_CSV_MOMENTS 4   /* submit, start, end, not_before */
#define HC_CSV_DURATIONS 3 /* wait, run, limit */
#define HC_CSV_NUMBERED 5  /* user ... partition */

typedef enum hc_csv_separator {
  HC_CSV_AUTO,
  HC_CSV_COMMA,
  HC_CSV_SEMICOLON,
  HC_CSV_TAB,
  HC_CSV_PIPE,
  HC_CSV_SPACE
} hc_csv_separator;
typedef enum hc_csv_memory_of { HC_CSV_OF_PROCESSOR, HC_CSV_OF_TASK } hc_csv_memory_of;
typedef enum hc_csv_amounts_of { HC_CSV_OF_HOST, HC_CSV_OF_ALL_HOSTS } hc_csv_amounts_of;
typedef enum hc_csv_naming { HC_CSV_NAMES_AUTO, HC_CSV_NAMES_ALWAYS } hc_csv_naming;

typedef struct hc_csv_options {
  const char *file, *comment, *origin, *zone;
  const char *columns[HC_CSV_COLUMNS];
  const char *time_format, *formats[HC_CSV_MOMENTS];
  hc_time time_unit, units[HC_CSV_DURATIONS];
  int64_t skip, procs_factor, memory_unit, disk_unit;
  double cpu_unit, gpu_unit;
  int separator, memory_of, names, amounts_of, after_how;
  bool header, quotes, spread;
  hc_list missing, completed, failed, cancelled, other; /* of texts */
} hc_csv_options;

/* A column with an amount of some dimension of each host. */
typedef struct hc_csv_demand {
  const char *name; /* for errors */
  size_t at;        /* number of the column */
  int64_t unit;     /* what one unit of the column is, in the dimension's own */
  int dimension;
  bool is_size; /* fields may have units of bytes */
} hc_csv_demand;

/* Numbers of columns that are computed begin here: HC_CSV_COMPUTED + hc_csv_column. */
#define HC_CSV_COMPUTED (HC_LINE_LIMIT * 2)

typedef struct hc_csv_computed {
  struct hc_expr *expr; /* NULL: the column is none of them */
  hc_field field;       /* of the row at hand; without a text where it is missing */
  char text[40];
} hc_csv_computed;

/* A table being read. */
typedef struct hc_csv {
  const hc_source_context *context;
  const hc_csv_options *o;
  hc_csv_options titled; /* the same with columns by their titles, where none was given */
  hc_delimited table;
  size_t at[HC_CSV_COLUMNS]; /* number of the column, from 1; 0: not in this table */
  size_t last;               /* the largest of them */
  struct {
    const char **names; /* [count] variables */
    double *values;     /* [count] */
    size_t count;       /* 0: nothing is computed */
    hc_csv_computed of[HC_CSV_COLUMNS];
  } computing;
  bool missing[256]; /* whether a word of o->missing begins so; [0]: the empty one is among them */
  hc_moment_format formats[HC_CSV_MOMENTS];
  hc_time units[HC_CSV_DURATIONS];
  bool is_absolute; /* moments are Unix times */
  hc_zone *zone;
  hc_interned numbered[HC_CSV_NUMBERED];
  hc_csv_demand demands[HC_DIMENSIONS];
  size_t demand_count;
  hc_amount further[HC_DIMENSIONS]; /* of the row at hand, ascending */
  size_t further_count;
  hc_after *after; /* of the row at hand */
  size_t after_cap;
  hc_constraint *constraints;
  size_t constraint_cap;
  uint32_t *prefers;
  size_t prefer_cap;
  hc_buffer scratch;
  hc_task_spec task;
  hc_trace_info info;
  const hc_field *wrong; /* why the row at hand is malformed */
  const char *wrong_name;
  const char *wrong_text;
} hc_csv;

/** Find every column, once the header is read: formats, units, dimensions, zone, origin.
 *  @return 0, or an error that names the column. */
hc_rc hc_csv_map(hc_csv *s, hc_error *e);

/** The columns of the record as a task, but for what hc_csv_more says. @return 1, 0 if it is malformed (see
 *  hc_csv_reject), or an error. */
hc_rc hc_csv_task(hc_csv *s);
/** Reject the record that hc_csv_task, or hc_csv_more, found malformed. @return as hc_delimited_reject. */
hc_rc hc_csv_reject(hc_csv *s, hc_error *e);
/** Whether the record has the columns that it must have; if not, reject it. */
bool hc_csv_has_shape(const hc_csv *s);
hc_rc hc_csv_reject_shape(hc_csv *s, hc_error *e);

/* Columns that are computed: csv_expr.c. */

/** Whether what a parameter says may be an expression: it has an operator. */
bool hc_csv_is_expression(const char *text);
/** Let a column be what its parameter says, which is no column.
 *  @return 0, or an error that says what is wrong with it. */
hc_rc hc_csv_add_expression(hc_csv *s, hc_csv_column c, hc_error *e);
/** Compute them for the record at hand. @return false: it is malformed */
bool hc_csv_compute(hc_csv *s);

/* What rows of data centres say: csv_demand.c. */

/** Which dimensions there are. @return 0, or an error that says what is wrong with `other`. */
hc_rc hc_csv_map_demands(hc_csv *s, hc_error *e);
/** Hosts, amounts on each, the count, and the job. False: malformed. */
bool hc_csv_read_demands(hc_csv *s);
/** Predecessors and constraints, kept in the lexicon: the last thing that is read. @return as hc_csv_task. */
hc_rc hc_csv_more(hc_csv *s, hc_error *e);

/** A field of the row; NULL if the table or the row does not have it. */
const hc_field *hc_csv_get(const hc_csv *s, hc_csv_column c);
/** The same by the number of a column. */
const hc_field *hc_csv_at(const hc_csv *s, size_t at);
/** The column of a title or number, 0 if there is none. */
size_t hc_csv_find(const hc_csv *s, const char *name);
/** Note why a row is malformed. @return false */
bool hc_csv_is_wrong(hc_csv *s, hc_csv_column c, const char *text);
/** The same about a column by its number. */
bool hc_csv_is_wrong_at(hc_csv *s, size_t at, const char *name, const char *text);
/** There is no column as the parameter says: what to write instead. */
hc_rc hc_csv_no_such_column(const hc_csv *s, const char *parameter, const char *name, hc_error *e);
/** The number of an id: itself, or that of its name. */
int64_t hc_csv_number(const char *s, size_t n);

#endif
