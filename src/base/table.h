/* table.h -- a table as text, row by row: fields between separators, quoted or not; packed or not; in a
 * tar archive or not.
 *
 * For files that describe something (machines, events). A row is a line; its fields are cut in place and
 * end in a NUL, so that they are texts like any other. Columns count from 1; column 0, and one that a
 * row does not have, is the empty text. */
#ifndef HC_BASE_TABLE_H
#define HC_BASE_TABLE_H

#include "base/input.h"
#include "base/lexer.h"
#include "base/mem.h"

typedef struct hc_table_field {
  char *text;
  uint32_t size, at; /* bytes; column of its first byte in the line, from 1 */
} hc_table_field;

typedef struct hc_table {
  const char *name;       /* of the file */
  char separator;         /* may be set before the first row; '\0': guessed from it */
  uint64_t line;          /* where the current row stands */
  hc_table_field *fields; /* [count] of the current row */
  size_t count;

  hc_input *in;        /* owned */
  const char **titles; /* [title_count] */
  size_t title_count;
  hc_arena texts;
  size_t field_cap;
  char *chunk; /* [chunk_size] what is unread of the block at hand */
  size_t chunk_size;
  char *head;                 /* [HEAD] the first bytes, which tell an archive from text */
  hc_buffer carry;            /* a line that began in an earlier block */
  struct {                    /* plain state */
    uint64_t position, lines; /* unpacked bytes used, of the archive if it is one; lines of the text */
    uint64_t left;            /* bytes of the file in the archive that are still to come */
    uint32_t separator;
    uint8_t started, is_archive, ended, unused;
  } s;
} hc_table;

/** Open `path` ("-": standard input). @return 0, HC_EIO, HC_ENOMEM. Close it even if this failed. */
hc_rc hc_table_open(hc_table *t, const hc_allocator *a, const char *path, hc_error *e);
void hc_table_close(hc_table *t);

/** The next line that is neither empty nor begins with #. What it hands out is borrowed until the next call.
 *  @return 1, 0 at the end, HC_EINPUT (a quote is never closed, a line too long, binary or damaged data, an
 *  archive of several files), HC_EIO, HC_ENOMEM. Cost: one pass over the line. */
hc_rc hc_table_next(hc_table *t, hc_error *e);

/** Keep the current row as the titles. @return 0 or HC_ENOMEM. */
hc_rc hc_table_keep_titles(hc_table *t);
/** Number of a column by its title, as hc_title_among has it. */
static inline size_t hc_table_column(const hc_table *t, const char *title)
{
  return hc_title_among(t->titles, t->title_count, title);
}

const char *hc_table_text(const hc_table *t, size_t column);
size_t hc_table_size(const hc_table *t, size_t column); /* of the text, bytes */
/** A whole number ("12.0" counts); a decimal. False if the field is none, and then `out` is untouched. */
bool hc_table_whole(const hc_table *t, size_t column, int64_t *out);
bool hc_table_real(const hc_table *t, size_t column, double *out);
/** A decimal of at least 0 times a unit, rounded up, so that a part of a unit is never nothing and what
 *  is equal stays equal; at most 2^52. False if it is none. */
bool hc_table_amount(const hc_table *t, size_t column, double unit, int64_t *out);

/** An error about a field of the current row, or about the row (column 0). @return HC_EINPUT */
hc_rc hc_table_fail(const hc_table *t, size_t column, hc_error *e, const char *text, ...)
    __attribute__((format(printf, 4, 5)));

/** Where reading stands, as a component's visit; titles are not part of it.
 *  @return HC_EUNSUPPORTED if the input cannot be read twice. */
hc_rc hc_table_visit(hc_table *t, hc_visitor *v, hc_error *e);

#endif
