/* journal.h -- what is known of a study while it is carried out: a file to which records are appended.
 *
 * The first record is the study itself, as JSON, so that a journal says of what it is a part; then come
 * records of figure sets and of points, in the order in which they became known. Each has a checksum; what a
 * killed process left half written at the end is cut off when the journal is opened again. The same records
 * go through the pipes from workers to their parent. Numbers are those of the machine: a journal of the other
 * byte order is refused. */
#ifndef HC_STUDY_JOURNAL_H
#define HC_STUDY_JOURNAL_H

#include "base/mem.h"
#include "study/runner.h"

#define HC_RECORD_LIMIT ((size_t)64 << 20) /* bytes of one; a longer one is damage */

typedef enum hc_record_kind {
  HC_RECORD_HEAD =
      1, /* text: the study; point: its product; set: checksum of the text; count: shard; state: shards */
  HC_RECORD_SET,  /* set: its key; text */
  HC_RECORD_POINT /* state; set and count values, or text: why */
} hc_record_kind;

typedef struct hc_record_head {
  uint32_t magic, kind;
  uint64_t point, set;
  uint32_t state, count; /* of values */
  uint32_t text_size, version;
  uint64_t wall_ns; /* POINT: how long it took; outside of every checksum but the record's */
} hc_record_head;   /* values, text padded to 8 bytes and a checksum follow */

/* A record as read: borrowed from the buffer it lies in. */
typedef struct hc_record {
  hc_record_head head;
  const double *values;
  const char *text; /* no NUL behind it */
  size_t size;      /* of the whole */
} hc_record;

/** Append a record to a buffer. */
void hc_record_write(hc_buffer *out, hc_record_head head, const double *values, const char *text,
                     size_t text_size);
/** Look at the record at `data` (8-byte aligned). @return 1; 0: not all of it is there; HC_EINPUT: damaged.
 *  */
hc_rc hc_record_look(const char *data, size_t size, hc_record *out);

typedef struct hc_journal hc_journal;

/* What is known of a point: where its record stands. */
typedef struct hc_journal_visit {
  void *ctx;
  hc_rc (*head)(void *ctx, const hc_record *r, hc_error *e);
  hc_rc (*set)(void *ctx, const hc_record *r, hc_error *e);
  hc_rc (*point)(void *ctx, const hc_record *r, uint64_t offset, hc_error *e);
} hc_journal_visit;

/** Open for appending, and lock: no two processes write one journal. A new one gets `head` as its first
 *  record.
 *  @param fresh  forget what is there
 *  @return 0; HC_EUSAGE (another process has it); HC_EIO; HC_EINPUT (no journal); HC_ENOMEM. */
hc_rc hc_journal_open(const hc_allocator *a, const char *path, bool fresh, hc_journal **out, hc_error *e);
/** Open to read only: nothing is cut off or locked. */
hc_rc hc_journal_read(const hc_allocator *a, const char *path, hc_journal **out, hc_error *e);
void hc_journal_close(hc_journal *j); /* NULL is fine */
/** Go through everything. One that is open for appending is cut behind the last whole record.
 *  @return 0, HC_EIO, HC_EINPUT (it is no journal), HC_EVERSION, HC_ENOMEM, what `visit` returned. */
hc_rc hc_journal_each(hc_journal *j, const hc_journal_visit *visit, hc_error *e);
/** Append whole records. They are with the system when this returns. @return 0 or HC_EIO */
hc_rc hc_journal_append(hc_journal *j, const void *records, size_t size, hc_error *e);
/** The record at an offset that hc_journal_each told. Borrowed until the next call. @return 0, HC_EIO,
 *  HC_EINPUT. */
hc_rc hc_journal_at(hc_journal *j, uint64_t offset, hc_record *out, hc_error *e);
/** Bring it to disk. */
hc_rc hc_journal_sync(hc_journal *j, hc_error *e);
int hc_journal_file(const hc_journal *j);
const char *hc_journal_path(const hc_journal *j);
uint64_t hc_journal_size(const hc_journal *j); /* bytes so far */

#endif
