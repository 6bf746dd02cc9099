/* store.h -- what a store and a result are made of: two tables of functions, so that rows can lie in a file
 * (sqlite_store.c, sqlite_result.c) or in memory (memory.c).
 *
 * What all have in common is said once: store.c refuses rows that fit no table and moves rows into and out of
 * snapshots; result.c answers questions; digest.c makes the digest of rows as they are handed over. */
#ifndef HC_OUTPUT_STORE_H
#define HC_OUTPUT_STORE_H

#include "base/mem.h"
#include "output/tables.h"

/* ---- writing ---- */

typedef struct hc_store_type {
  /* Rows are added in the order of the calls. Errors are HC_EIO and HC_ENOMEM. */
  hc_rc (*tasks)(hc_store *s, const hc_task_record *records, size_t count, hc_error *e);
  hc_rc (*numbers)(hc_store *s, hc_table t, const int64_t *values, hc_error *e); /* HC_UNKNOWN: NULL */
  hc_rc (*row)(hc_store *s, hc_table t, const char *const *values, hc_error *e); /* texts, NULL */
  hc_rc (*name)(hc_store *s, hc_table t, int64_t number, const char *first, const char *second,
                hc_error *e); /* a row of a number and two texts, of which any may be NULL */
  hc_rc (*figure)(hc_store *s, const char *scope, const char *name, const char *unit, double value,
                  bool is_count, hc_error *e);
  hc_rc (*cell)(hc_store *s, const char *scope, const char *table, int64_t key, const char *name,
                const char *unit, double value, hc_error *e);
  hc_rc (*clear)(hc_store *s, hc_table t); /* forgets all rows of a table of numbers */
  hc_rc (*commit)(hc_store *s, hc_error *e);
  hc_rc (*read)(hc_store *s, hc_result **out, hc_error *e);
  void (*free)(hc_store *s);
} hc_store_type;

struct hc_store {
  const hc_store_type *type;
  const hc_allocator *allocator;
  char *path;        /* NULL in memory */
  bool is_committed; /* nothing can be added */
  uint64_t rejected;
  uint64_t rows[HC_TABLE_COUNT]; /* of tables with amounts */
};

/** The rows that every result begins with: its schema, and of what it is the result. @return as
 *  hc_store_row. */
hc_rc hc_store_begin(hc_store *s, hc_error *e);

/** The rows that a run writes as it goes, in pieces, for a run that is saved now and then: those behind the
 *  first from[t] of each table, as many as `most` bytes hold and one more.
 *  @param from [HC_TABLE_COUNT] in and out: rows of each table that were taken
 *  @param out  they are added to it; none are: there are no more
 *  @return 0, HC_EIO, HC_ENOMEM. Cost: in proportion to the rows that are taken. */
hc_rc hc_store_rows_take(hc_store *s, uint64_t *from, size_t most, hc_buffer *out, hc_error *e);
/** Add the rows of such a piece. @return 0, HC_EINPUT (it is damaged), HC_EIO, HC_ENOMEM. */
hc_rc hc_store_rows_add(hc_store *s, const void *data, size_t size, hc_error *e);

/** The two stores. @param path of the second  as hc_store_new has it; @param replace  whatever file is there.
 *  @return as hc_store_new; HC_EUNSUPPORTED from a core, which has no files. */
hc_rc hc_memory_store_new(const hc_allocator *a, hc_store **out, hc_error *e);
hc_rc hc_sqlite_store_new(const hc_allocator *a, const char *path, bool replace, hc_store **out, hc_error *e);

/* ---- reading ---- */

typedef enum hc_field_kind { HC_FIELD_NULL, HC_FIELD_WHOLE, HC_FIELD_REAL, HC_FIELD_TEXT } hc_field_kind;

/* One value of a row; a text is borrowed until the next row, and ends in a NUL that `size` does not count. */
typedef struct hc_field {
  hc_field_kind kind;
  union {
    int64_t whole;
    double real;
    size_t size;
  } is;
  const char *text;
} hc_field;

/* A walk over the rows of one table. */
typedef struct hc_row_walk {
  hc_table table;
  void *rows;
  size_t size, at;
} hc_row_walk;

typedef struct hc_result_type {
  hc_rc (*has)(hc_result *r, hc_table t, hc_error *e); /* 1, 0 if there is no such table, an error */
  hc_rc (*count)(hc_result *r, hc_table t, uint64_t *out, hc_error *e);
  /* `sorted`: tasks by submission, then serial, then as stored; else in stored order. A cursor is closed
   * in any case once it was opened. */
  hc_rc (*open)(hc_result *r, hc_table t, bool sorted, hc_row_walk *c, hc_error *e);
  /* The same in stored order, behind the first `from` rows. O(log of the rows) */
  hc_rc (*open_from)(hc_result *r, hc_table t, uint64_t from, hc_row_walk *c, hc_error *e);
  hc_rc (*next)(hc_result *r, hc_row_walk *c, hc_field *row, hc_error *e); /* 1 with a row, 0 at the end */
  hc_rc (*tasks)(hc_result *r, hc_row_walk *c, hc_task_record *records, size_t cap, size_t *count,
                 hc_error *e);
  void (*close)(hc_result *r, hc_row_walk *c);
  void (*free)(hc_result *r);
} hc_result_type;

struct hc_result_names;

struct hc_result {
  const hc_result_type *type;
  const hc_allocator *allocator;
  hc_arena arena; /* the path and the configuration */
  const char *path;
  const char **config; /* path, value, path, value ...; NULL until first asked for */
  size_t config_count, config_cap;
  hc_row_walk tasks[2]; /* as stored, and sorted */
  bool tasks_open[2];
  hc_error failed;               /* the first failure of a question that answers without one */
  struct hc_result_names *names; /* names.c; NULL: none were asked for */
};
typedef struct hc_result_names hc_result_names;
void hc_result_names_free(hc_result *r);

/** Begin a result whose whole size is `size`, for the two. @return NULL without memory. */
void *hc_result_begin(const hc_allocator *a, size_t size, const hc_result_type *type, const char *path);
/** Open a file. @return as hc_result_open; HC_EUNSUPPORTED from a core. */
hc_rc hc_sqlite_result_open(const hc_allocator *a, const char *path, hc_result **out, hc_error *e);

/** Task rows by (submit, serial) instead of stored order; otherwise as hc_result_tasks. In a file SQLite
 *  sorts, through a temporary file if need be. */
hc_rc hc_result_tasks_sorted(hc_result *r, bool rewind, hc_task_record *records, size_t cap, size_t *count,
                             hc_error *e);

/** A row of the table `hindcast` ("processors", "unix_start" ...) as a number, or `fallback`. */
int64_t hc_result_fact(hc_result *r, const char *key, int64_t fallback);

#endif
