/* line_table.h -- where the lines of tables stand in order of submission, for sorting them as they are: what
 * the members line_begin, line_key and line_end of the readers of tables are made of. */
#ifndef HC_WORKLOAD_LINE_TABLE_H
#define HC_WORKLOAD_LINE_TABLE_H

#include "base/text.h"
#include "workload/csv.h"
#include "workload/fields.h"

/* What is known of a table once its first lines have been seen. */
typedef struct hc_line_table {
  const hc_allocator *allocator;
  char separator;    /* ' ': any run of blanks */
  bool quotes;       /* a field may be quoted */
  char comment[8];   /* lines that begin with this come first; "": none do */
  size_t submit, id; /* numbers of columns, from 1; id 0: there is none */
  hc_moment_format format;
  hc_zone *zone; /* owned; NULL: UTC */
  char *head;    /* [head_size] lines that are titles, or stand above them, each with its newline; owned */
  size_t head_size;
  bool is_slurm; /* times and ids as sacct writes them */
} hc_line_table;

/** As hc_reader_type has them, for the readers csv and sacct. */
hc_rc hc_csv_line_begin(const hc_allocator *a, const void *options, const char *text, size_t size,
                        void **layout, hc_error *e);
/** @param zone name of the time zone of dates; NULL: UTC. @param fields names of the columns, texts; empty:
 *  the first line has them, or if it has not: `otherwise`, "JobID|Submit", NULL */
hc_rc hc_slurm_line_begin(const hc_allocator *a, const char *zone, const hc_list *fields,
                          const char *otherwise, const char *text, size_t size, void **layout, hc_error *e);
hc_line_kind hc_table_line_key(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id);
void hc_table_line_end(const hc_allocator *a, void *layout);

#endif
