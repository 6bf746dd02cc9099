/* line_table.h -- where the lines of tables stand in order of submission, for sorting them as they are: what
 * the members line_begin, line_key and line_end of the readers of tables are made of. */
#ifndef HC_WORKLOAD_LINE_TABLE_H
#define HC_WORKLOAD_LINE_TABLE_H

#include "base/fields.h"
#include "base/text.h"
#include "hindcast/workload.h"

/* What is known of a table once its first lines have been seen. */
typedef struct hc_line_table {
  const hc_allocator *allocator;
  hc_lexer lexer;
  char comment[8];   /* lines that begin with this come first; "": none do */
  size_t submit, id; /* numbers of columns, from 1; id 0: there is none */
  hc_moment_format format;
  bool (*time)(const hc_field *f, const hc_zone *zone, hc_time *out); /* NULL: as `format` says */
  int64_t (*number)(const hc_field *f);                               /* of ids; NULL: as hc_name_number */
  hc_zone *zone;                                                      /* owned; NULL: UTC */
  char *head; /* [head_size] lines that are titles, or stand above them, each with its newline; owned */
  size_t head_size;
} hc_line_table;

/** The layout, which is the caller's once it is there, also if this failed.
 *  @param head_size  so many bytes of the text are lines that come first;  @param zone  its name, or NULL */
hc_rc hc_line_table_make(const hc_line_table *like, const char *text, size_t head_size, const char *zone,
                         void **layout, hc_error *e);
/** The first line that is neither empty nor a comment, after `skip` lines; `at` moves to it. @return its
 * length */
size_t hc_line_table_first(const hc_line_table *t, const char *text, size_t size, int64_t skip, size_t *at);
hc_line_kind hc_table_line_key(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id);
void hc_table_line_end(const hc_allocator *a, void *layout);

#endif
