/* machine_file.h -- what the machine files of traces have in common: rows that cannot be read are left
 * out and noted, titles, times and amounts in the trace's own units. */
#ifndef HC_CLUSTER_MACHINE_FILE_H
#define HC_CLUSTER_MACHINE_FILE_H

#include "base/table.h"
#include "cluster/host_builder.h"

typedef struct hc_machine_file {
  hc_table t;
  hc_host_builder *b;
  bool has_titles;               /* a first row that is none was passed over */
  uint64_t rows, bad;            /* read; of them, left out */
  uint32_t bad_line, bad_column; /* the first left out, and why */
  char bad_why[240];
} hc_machine_file;

/** Open the file of a cell source. @param use  the source's name, for errors.
 *  @return 0, HC_EUSAGE (no file given), HC_EIO, HC_ENOMEM. Close it in every case. */
hc_rc hc_machine_open(hc_machine_file *f, hc_host_builder *b, const char *use, const char *path, hc_error *e);
void hc_machine_close(hc_machine_file *f);
/** The next row. @return as hc_table_next. */
hc_rc hc_machine_next(hc_machine_file *f, hc_error *e);
/** Is this the first row, and does a column that must hold a number hold something else? Then it is titles,
 *  which some copies of a file have, and no row. */
bool hc_machine_is_titles(hc_machine_file *f, size_t column);
/** Leave the current row out. Always returns 0. */
hc_rc hc_machine_reject(hc_machine_file *f, size_t column, const char *why, ...)
    __attribute__((format(printf, 3, 4)));
/** Everything is read: note what was left out. @param kind what the file should be, "a machine_meta table".
 *  @return 0, or HC_EINPUT if no row could be read. */
hc_rc hc_machine_end(hc_machine_file *f, const char *kind, hc_error *e);

/** Read the titles and find columns by them. A title may have alternatives, "cpus|capacity.cpus"; one in
 *  parentheses need not be there, and then its column is 0.
 *  @param columns [count] out. @return 0, HC_EINPUT with the title that is missing, or as hc_table_next. */
hc_rc hc_machine_titles(hc_machine_file *f, const char *const *titles, size_t *columns, size_t count,
                        hc_error *e);

/** A time in units of `unit` ns, at least 0. Times past what a run can have are HC_NEVER. */
bool hc_machine_time(const hc_machine_file *f, size_t column, hc_time unit, hc_time *out);
/** One host of a class made of what the file says of it; a name that is taken is left out.
 *  @return 1 if the host is new, 0, or an error. */
hc_rc hc_machine_host(hc_machine_file *f, size_t name, const hc_host_class *class, hc_error *e);
/** GPUs and their model, if there are any. @param attribute room for one that `class` borrows.
 *  @return 1; 0: the row was left out; HC_ENOMEM. */
hc_rc hc_machine_gpus(hc_machine_file *f, size_t count, size_t model, hc_host_class *class,
                      hc_attribute *attribute, hc_error *e);
/** An attribute's value: a whole number, or a text. @return 0 or HC_ENOMEM. */
hc_rc hc_machine_value(const hc_machine_file *f, size_t column, hc_attribute *out, hc_error *e);

/* ---- lists of hosts that are there all the time, with their GPUs ---- */

enum {
  HC_MACHINE_NAME,
  HC_MACHINE_CPUS,
  HC_MACHINE_MEMORY,
  HC_MACHINE_GPUS,
  HC_MACHINE_MODEL,
  HC_MACHINE_COLUMNS
};

typedef struct hc_machine_list {
  const char *use, *kind; /* the source's name; what the file should be, "a node_info table" */
  const char *titles[HC_MACHINE_COLUMNS]; /* as hc_machine_titles takes them; "()": there is none */
  size_t columns[HC_MACHINE_COLUMNS];     /* of a table that may be without titles: their numbers, from 1 */
  double cpus;                            /* thousandths of a core that 1 of its column is */
  const char *cpus_are, *memory_is;       /* for errors: "a number of cores"; NULL: memory is not said */
} hc_machine_list;
/** As hc_cell_type.describe. @param memory_scale  bytes that 1 of the column of memory is */
hc_rc hc_machine_list_describe(const hc_cell_context *c, const hc_machine_list *l, const char *path,
                               int64_t memory_scale, hc_cell_spec *out, hc_error *e);

/* ---- one JSON object a line, in place of a table ---- */

#define HC_MACHINE_JSON_COLUMNS 8

typedef struct hc_machine_json {
  const char *const
      *titles; /* [count] as hc_machine_titles takes them; `capacity.cpus` is a member of a member */
  size_t count;
  hc_table_field fields[HC_MACHINE_JSON_COLUMNS]; /* of the row at hand, by title */
  hc_table_field *whole;                          /* the table's own */
  char *line;
  char nothing[1]; /* the text of a field that is not there */
} hc_machine_json;

/** Whether a file holds objects. Standard input never does. */
bool hc_machine_is_json(const hc_allocator *a, const char *path);
/** Before the first row. @param titles  borrowed, at most HC_MACHINE_JSON_COLUMNS */
void hc_machine_json_begin(hc_machine_file *f, const char *const *titles, size_t count, hc_machine_json *j);
/** The next row, its columns those of `titles`. Lines that are no object are left out. @return as
 *  hc_table_next. `j` must outlive the row. */
hc_rc hc_machine_json_next(hc_machine_file *f, hc_machine_json *j, hc_error *e);

#define HC_MACHINE_FILE_PARAM(options, text) \
  HC_PARAM(FILE, options, file, NULL, \
           "Path of " text "; may be packed (.gz, .zst, .xz), or a tar archive of it. Required.")
#define HC_CPU_SCALE_PARAM(options, usual, text) \
  HC_PARAM(REAL, options, cpu_scale, "cores", usual, 1e-3, 1e6, text)
#define HC_MEMORY_SCALE_PARAM(options, usual, text) \
  HC_PARAM(SIZE, options, memory_scale, "B", usual, 1, 0x1p52, text)

#endif
