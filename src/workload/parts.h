/* parts.h -- a table that comes in parts: a file, a list of files, a directory or a pattern, read as one. */
#ifndef HC_WORKLOAD_PARTS_H
#define HC_WORKLOAD_PARTS_H

#include "workload/delimited.h"

#define HC_PARTS_LIMIT ((size_t)1 << 16) /* files of one table */

typedef struct hc_part_file {
  const char *path;
  uint64_t size;   /* bytes as it is stored; 0: unknown */
  uint64_t before; /* lines of the parts before it, once it has been begun */
} hc_part_file;

/* A table being read. */
typedef struct hc_parts {
  const hc_allocator *allocator;
  const char *what; /* for errors: "source google2011" */
  hc_arena texts;
  hc_part_file *files; /* [count] in the order in which they are read */
  size_t count, cap;
  hc_delimited table; /* the part at hand */
  bool is_open;
  bool begins;      /* the record at hand is the first of its part */
  struct {          /* plain state */
    uint64_t part;  /* the one at hand; `count`: the end was reached */
    uint64_t lines; /* of the parts before it */
  } s;
} hc_parts;

/** Find the files and open the first. A directory stands for the files in it, a last step with * or ? for the
 *  files that match, both in the order of their names' bytes; names that begin with a dot do not count.
 *  @param file  path, directory, pattern, or "-": standard input;  @param more  further ones, texts, after it
 *  @return 0, HC_EIO (there is none), HC_ELIMIT, HC_ENOMEM. Close it even if this failed. */
hc_rc hc_parts_open(hc_parts *p, const hc_allocator *a, const char *what, const char *file,
                    const hc_list *more, hc_error *e);
void hc_parts_close(hc_parts *p);

/** The next record, in p->table, going on to the next part where one ends. Separator, quotes and comment are
 *  those of p->table when this is called. @return as hc_delimited_next. */
hc_rc hc_parts_next(hc_parts *p, hc_error *e);
/** Number of the current record's line, counted through all parts. */
uint64_t hc_parts_line(const hc_parts *p);
/** The part in which such a line stands, of those that have been begun. @param line in: counted through all
 *  parts; out: in its own */
uint32_t hc_parts_find(const hc_parts *p, uint64_t *line);
/** The name of a part, as errors have it; NULL if there are not so many. */
const char *hc_parts_name(const hc_parts *p, uint32_t part);

/** Reject the current record, for `why`. @return as hc_row_reject. */
hc_rc hc_parts_refuse(const hc_parts *p, const hc_source_context *c, hc_reason why, hc_error *e);
/** Reject a row read before: `line` is hc_parts_line of then. @return as hc_row_reject. */
hc_rc hc_parts_refuse_line(const hc_parts *p, const hc_source_context *c, uint64_t line, hc_reason why,
                           hc_error *e);
/** Reject the current record as malformed; as hc_delimited_reject. */
hc_rc hc_parts_reject(hc_parts *p, const hc_source_context *c, const char *at, hc_error *e, const char *why,
                      ...) __attribute__((format(printf, 5, 6)));

/** Where reading stands. @return as hc_reader_type.visit. */
hc_rc hc_parts_visit(hc_parts *p, hc_visitor *v, hc_error *e);
/** Bytes read so far, and of all parts (0 if unknown). */
void hc_parts_progress(const hc_parts *p, uint64_t *done, uint64_t *total);

#endif
