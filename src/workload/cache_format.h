/* cache_format.h -- the layout of a cached trace, which its writer and its reader share.
 *
 *   file   head, blocks, rows left out, end
 *   head   "hindcast cache 4\n", size, what the trace says of itself, checksum
 *   names  "hcNA", size, 0, number of the block that follows; what numbers of its tasks are called that were
 *          not before, and what these tasks and their jobs are called; checksum. Not there if there is none
 *   block  "hcBL", size, tasks, number; names, dimensions, rare facts, columns; checksum
 *   rows   "hcRO", size, 0, number of blocks; what became of the source's rows that are no task here: how
 *          many were merged, rejected for which reason (by its word), and rounded; checksum. Not there if
 *          there were none
 *   end    "hcEN", size, tasks, blocks, what tasks refer to, checksum of all checksums; checksum
 *
 * Whole numbers of fixed size are little-endian. A varint has seven bits a byte, least first, the top bit set
 * on all but the last; a signed one is folded: 0, -1, 1, -2 ... A text is a varint n and n - 1 bytes; n = 0:
 * none. A checksum is hc_hash, 16 bytes, of everything in its part before it.
 *
 * A block holds up to 4096 tasks by columns. Columns in which every task has what hc_task_spec_none has are
 * left out. A column is its number, how it is coded, and its data:
 *
 *   SAME     one value
 *   PLAIN    base and unit; then for each task u, in 0, 1, 2, 4 or 8 bytes: the value is base + unit * u
 *   VARYING  the same with u as varints
 *   and with STEPS, the value is that of the task before + base + unit * u, from a value that stands first
 *   and with HOLES, a bitmap stands in front: tasks whose bit is set have the value of hc_task_spec_none
 *
 * Names and dimensions are numbered through the file, rare facts through their block, from 1. All arithmetic
 * is modulo 2^64, so that no file, however damaged, is undefined. */
#ifndef HC_WORKLOAD_CACHE_FORMAT_H
#define HC_WORKLOAD_CACHE_FORMAT_H

#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/workload.h"

#define HC_CACHE_MAGIC "hindcast cache "
#define HC_CACHE_VERSION 4
#define HC_CACHE_OLDEST 2                /* that is read: without names; 3 is without `held` */
#define HC_CACHE_ROWS 4096               /* most tasks of a block */
#define HC_CACHE_CHUNK 64                /* tasks that are decoded at once */
#define HC_CACHE_PART ((size_t)32 << 20) /* most bytes of a head or a block */
#define HC_CACHE_FACTS ((size_t)1 << 20) /* a block with so many bytes of rare facts, or of names, ends */
#define HC_CACHE_ROWS_MOST (UINT64_C(1) << 56) /* most rows of one kind */
#define HC_CACHE_FRAME ((size_t)16) /* bytes of a part before its content, behind the file's first line */
#define HC_CACHE_SUM ((size_t)16)   /* of a checksum */
#define HC_CACHE_END ((size_t)64)   /* of the end, all in all */
#define HC_CACHE_BLOCK_TAG UINT32_C(0x4c426368) /* "hcBL" */
#define HC_CACHE_ROWS_TAG UINT32_C(0x4f526368)  /* "hcRO" */
#define HC_CACHE_NAMES_TAG UINT32_C(0x414e6368) /* "hcNA" */
#define HC_CACHE_END_TAG UINT32_C(0x4e456368)   /* "hcEN" */
#define HC_CACHE_HEAD_TAG UINT32_C(0x45486368)  /* "hcHE" */

/* ---- numbers as bytes ---- */

static inline void hc_store_le(uint8_t *p, uint64_t v, size_t size)
{
  if (size > sizeof v) __builtin_unreachable(); /* else GCC 12 warns of what its vectors might write */
  for (size_t i = 0; i < size; i++) p[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t hc_load_le(const uint8_t *p, size_t size)
{
  uint64_t v = 0;
  for (size_t i = 0; i < size; i++) v |= (uint64_t)p[i] << 8 * i;
  return v;
}

static inline uint64_t hc_fold(int64_t v)
{
  return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t hc_unfold(uint64_t v)
{
  return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/** Append to a buffer, whose `failed` tells of a lack of memory. */
void hc_cache_put(hc_buffer *b, uint64_t v);                    /* varint */
void hc_cache_put_signed(hc_buffer *b, int64_t v);              /* folded */
void hc_cache_put_text(hc_buffer *b, const char *s, size_t n);  /* NULL: none */
void hc_cache_put_fixed(hc_buffer *b, uint64_t v, size_t size); /* little-endian */

/* What is left of a part that is being read. */
typedef struct hc_bytes {
  const uint8_t *p, *end;
} hc_bytes;

/** Read; false if the bytes do not suffice, or are none of the kind. */
bool hc_cache_get(hc_bytes *b, uint64_t *v);
bool hc_cache_get_signed(hc_bytes *b, int64_t *v);
bool hc_cache_get_text(hc_bytes *b, const char **s, size_t *n); /* borrowed, without a NUL; NULL: none */

/* ---- columns ---- */

/* What values a column may hold beside that of hc_task_spec_none: a reader yields no others. */
typedef enum hc_cache_rule {
  HC_CACHE_ANY,
  HC_CACHE_TIME,     /* from 0, before HC_NEVER */
  HC_CACHE_DEADLINE, /* from 0, or HC_NEVER */
  HC_CACHE_COUNT,    /* 0 to 2^52 */
  HC_CACHE_AMOUNT,   /* 0 to 2^62 */
  HC_CACHE_NUMBER    /* from -1 */
} hc_cache_rule;

typedef struct hc_cache_column {
  uint16_t offset; /* of the member in hc_task_spec */
  uint8_t size;    /* of it: 4 or 8 bytes */
  uint8_t rule;    /* hc_cache_rule */
} hc_cache_column;

/* In the order of the format; never changed within a version. */
enum {
  HC_COLUMN_NEED = 25,                        /* the first of HC_NEEDS; others are rare facts */
  HC_COLUMN_MORE = HC_COLUMN_NEED + HC_NEEDS, /* number of the rare facts in the block */
  HC_COLUMNS = HC_COLUMN_MORE + 4
};
extern const hc_cache_column hc_cache_columns[HC_COLUMNS];

/** Gather the columns of a few tasks, while these are in the cache, behind those of `before` tasks.
 *  @param said    a bit for each column in which any task so far has a value; the others are not gathered
 *  @param values  [HC_COLUMNS][HC_CACHE_ROWS] */
void hc_cache_gather(const hc_task_spec *tasks, size_t n, size_t before, uint64_t *said, uint64_t *values);
/** Append column `number` of `n` tasks, if any task has a value there. @param values [n] are changed. */
void hc_cache_encode(hc_buffer *b, unsigned number, size_t n, uint64_t *values);

/* A column that is being decoded. */
typedef struct hc_cache_decoder {
  uint32_t number, how;
  uint32_t width;  /* bytes of a PLAIN u */
  uint32_t member; /* where it goes: the column's own, but for the dimensions of another run */
  uint64_t base, unit, last, none;
  int64_t low, high; /* what values may be */
  bool is_checked;   /* no u of this width can make another one */
  const uint8_t *holes, *data, *end;
} hc_cache_decoder;

/** Begin to read a column of `rows` tasks. @return NULL, or what is wrong with it. */
const char *hc_cache_decoder_init(hc_cache_decoder *d, hc_bytes *b, size_t rows);
/** Write rows [from, from + n) of the column into `tasks`. Rows come in order. @return NULL, or what is
 *  wrong. */
const char *hc_cache_decode(hc_cache_decoder *d, size_t from, size_t n, hc_task_spec *tasks);

/* ---- the head ---- */

/** Append the content of the head. */
void hc_cache_put_info(hc_buffer *b, const hc_trace_info *info);
/** Read it; texts are copied. @return 1, 0 if it is not one, HC_ENOMEM. */
hc_rc hc_cache_get_info(hc_bytes *b, hc_arena *texts, hc_trace_info *out);

/* ---- rows left out ---- */

/** Whether a ledger has anything to tell beyond used rows. */
bool hc_cache_has_rows(const hc_row_ledger *l);
/** Append what a ledger tells of rows that were not used, or rounded. */
void hc_cache_put_rows(hc_buffer *b, const hc_row_ledger *l);
/** Read that. @param out  the counts; `read` is their sum. @return NULL, or what is wrong. */
const char *hc_cache_get_rows(hc_bytes *b, hc_row_ledger *out);

/* ---- names ---- */

/* How the names and dimensions of a file stand to those of a lexicon. When writing, `map` goes from the
 * lexicon to the file (plus 1; 0: not written yet); when reading, from the file to the lexicon. */
typedef struct hc_cache_names {
  const hc_allocator *allocator;
  hc_lexicon *lexicon;
  uint32_t *map;
  size_t count, cap; /* of map */
  uint32_t names;    /* in the file so far */
  uint32_t dimensions;
  uint8_t dimension[HC_DIMENSIONS];
} hc_cache_names;

void hc_cache_names_init(hc_cache_names *n, const hc_allocator *a, hc_lexicon *l);
void hc_cache_names_fini(hc_cache_names *n);

/** The number in the file of one of the lexicon's names, which is put into `fresh` if it is new. 0: no name,
 *  or out of memory, which `fresh->failed` tells. */
uint32_t hc_cache_name(hc_cache_names *n, hc_buffer *fresh, uint32_t *fresh_count, uint32_t name);
/** The same of a dimension. */
uint32_t hc_cache_dimension(hc_cache_names *n, hc_buffer *fresh, uint32_t *fresh_count, uint32_t dimension);

/** Read the names and dimensions that a block adds. @return NULL, or what is wrong; `rc` tells a lack of
 *  memory. */
const char *hc_cache_read_names(hc_cache_names *n, hc_bytes *b, hc_rc *rc);

/* ---- rare facts ---- */

/* What a block adds to names and dimensions. */
typedef struct hc_cache_fresh {
  hc_buffer names, dimensions;
  uint32_t name_count, dimension_count;
} hc_cache_fresh;

void hc_cache_put_more(hc_buffer *b, const hc_task_extras *m, hc_cache_names *names, hc_cache_fresh *fresh);
/** Read one. Its arrays are in the arena. @param own [HC_NEEDS] out: amounts of dimensions that are no rare
 *  facts in this run; HC_UNKNOWN. @return NULL, or what is wrong; `rc` tells a lack of memory. */
const char *hc_cache_get_more(hc_bytes *b, hc_cache_names *names, hc_arena *a, hc_task_extras *out,
                              int64_t *own, hc_rc *rc);

#endif
