/* delimited.h -- tables as text: lines of fields between separators, quoted as RFC 4180 has it or not. */
#ifndef HC_WORKLOAD_DELIMITED_H
#define HC_WORKLOAD_DELIMITED_H

#include "base/input.h"
#include "base/mem.h"
#include "hindcast/workload.h"
#include "workload/names.h"

#define HC_RECORD_LINES 1000 /* most lines that one quoted field may span */

/* A table being read. Those who use it may set the first group before the first record. */
typedef struct hc_delimited {
  char separator;      /* ' ': any run of blanks; '\0': to be guessed from the first record */
  bool quotes;         /* a field may be quoted, and then hold separators and line breaks */
  bool one_line;       /* but no line breaks: a quote that the line does not close is an ordinary character */
  const char *comment; /* lines that begin with this are passed over; "": none are */
  const hc_zone *zone; /* of dates without an offset; NULL: UTC */
  bool origin_given;   /* s.origin was set by the user */

  hc_input *in; /* owned */
  const char *name;
  const char *record; /* the current one, as it stands in the file; ends in a NUL */
  size_t length;
  const hc_field *fields; /* [count] of the current record */
  size_t count;
  const char *flaw; /* where text follows a closed quote; NULL */
  hc_arena texts;
  const char **titles; /* [title_count] of the header, once read */
  size_t title_count;

  hc_field *room;
  size_t cap;
  hc_buffer joined;           /* a record of several lines */
  struct {                    /* plain state */
    uint64_t position, lines; /* written when visited */
    uint64_t line;            /* where the current record begins */
    uint64_t rows, malformed;
    hc_time origin;                /* Unix time of time 0, ns; HC_UNKNOWN: not known yet */
    uint32_t bad_line, bad_column; /* the first malformed row, and why */
    char bad[240];
    char separator;
    bool at_end, has_header, unused[5];
  } s;
} hc_delimited;

/** Open `path` ("-": standard input). The rest is zero but for quotes, comment "#".
 *  @return 0, HC_EIO, HC_ENOMEM. Close it even if this failed. */
hc_rc hc_delimited_open(hc_delimited *d, const hc_allocator *a, const char *path, hc_error *e);
void hc_delimited_close(hc_delimited *d);

/** The next record that is neither empty nor a comment. Borrowed until the next call.
 *  @return 1, 0 at the end, HC_EINPUT (a quote is never closed; as hc_input_line), HC_EIO, HC_ENOMEM.
 *  Cost: one pass over the line. */
hc_rc hc_delimited_next(hc_delimited *d, hc_error *e);
/** Cut the current record again, by another separator; for tables without quotes. @return 0 or HC_ENOMEM. */
hc_rc hc_delimited_cut_again(hc_delimited *d, char separator);

/** Keep the current record as the header. @return 0 or HC_ENOMEM. */
hc_rc hc_delimited_keep_titles(hc_delimited *d);
/** Reject the current record as malformed.
 *  @param at  where in `record`, or NULL: all of it;  @param why  what is wrong with it, for people
 *  @return 0, or HC_EINPUT under `strict`. */
hc_rc hc_delimited_reject(hc_delimited *d, const hc_source_context *c, const char *at, hc_error *e,
                          const char *why, ...) __attribute__((format(printf, 5, 6)));
/** The end of the file was reached.
 *  @param kind  what it should have been, "a table";  @param advice  what to do.
 *  @return 0, or HC_EINPUT if it held nothing that could be read. */
hc_rc hc_delimited_end(hc_delimited *d, const char *kind, const char *advice, hc_error *e);

/** From a Unix time to one since the origin, which is the begin of the first one's day unless it was given.
 *  @return 1; 0: rejected as outside, before a given origin; HC_EINPUT: before the first one's day. */
hc_rc hc_delimited_since_origin(hc_delimited *d, const hc_source_context *c, hc_time *submit, hc_error *e);
/** The origin as hc_trace_info has it: Unix seconds, or HC_UNKNOWN. */
int64_t hc_delimited_unix_start(const hc_delimited *d);

/** Where reading stands; as hc_reader_type.visit. */
hc_rc hc_delimited_visit(hc_delimited *d, hc_visitor *v, hc_error *e);

/** Whether a file is called so, packed (".csv.gz") or not. */
bool hc_delimited_is_called(const char *name, const char *ending);

#endif
