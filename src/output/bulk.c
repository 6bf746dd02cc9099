/* bulk.c -- tables of whole numbers as pages of an SQLite file, encoded here rather than inserted one by one.
 *
 * A row is its length, its number, and a record: a header with a type for each column, then the values, the
 * highest byte first, each in the fewest bytes that hold it; 0 and 1 are types of their own. Rows fill a page
 * from its end, and places of two bytes say from its beginning where each of them lies. A full page goes
 * behind those that are held, 1 MiB of them, and these go into a file without a name beside the result when
 * they are as many. At last they are copied behind the pages that SQLite has made. Pages above the leaves
 * have the number of each page below and of the last row in it. One page is left out: where SQLite locks a
 * file, at its 2^30th byte.
 *
 * Source: https://www.sqlite.org/fileformat2.html */
#define _GNU_SOURCE
#include "output/bulk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/target.h"
#include "base/util.h"

enum {
  PAGE = HC_BULK_PAGE,
  HELD = 32, /* pages */
  LEAF = 0x0d,
  LEAF_HEAD = 8,
  INNER = 0x05,
  INNER_HEAD = 12,
  MOST_BELOW = 2000, /* pages below one page, whatever the numbers of their rows take */
  MOST_CELL = 2 + 9 + 1 + HC_TASK_COLUMNS * 9 /* bytes of a row */
};
#define LOCK_PAGE ((UINT64_C(1) << 30) / PAGE + 1)

/* ---- numbers, the highest byte first ---- */

static void put(uint8_t *p, uint64_t v, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++) p[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
}

static uint64_t get(const uint8_t *p, unsigned bytes)
{
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes; i++) v = v << 8 | p[i];
  return v;
}

/* Eight bytes, of which those of the value come first. */
static void put_high(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  memcpy(p, &v, sizeof v);
}

/* Seven bits a byte, and whether more follow; the ninth byte has eight. @return its bytes. Here at most
 * eight: no table has 2^56 rows. */
static size_t put_varint(uint8_t *p, uint64_t v)
{
  size_t n = 1;
  while (n < 8 && v >> (7 * n) != 0) n++;
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)((v >> (7 * (n - 1 - i)) & 0x7f) | (i + 1 < n ? 0x80 : 0));
  return n;
}

static size_t varint_size(const uint8_t *p)
{
  size_t n = 1;
  while (p[n - 1] & 0x80) n++;
  return n;
}

/* ---- rows ---- */

/* By the bytes that a number needs: how many it gets, and the type that says so. */
static const uint8_t width_of[9] = {0, 1, 2, 3, 4, 6, 6, 8, 8}, type_of[9] = {0, 1, 2, 3, 4, 5, 5, 6, 6};
static const uint8_t width_of_type[10] = {0, 1, 2, 3, 4, 6, 8, 0, 0, 0};
enum { TYPE_NULL = 0, TYPE_ZERO = 8 };

/* @param out  [MOST_CELL + 8] @return its bytes */
static size_t encode(const int64_t *row, size_t columns, int64_t number, uint8_t *out)
{
  uint8_t body[HC_TASK_COLUMNS * 8 + 8], types[HC_TASK_COLUMNS];
  size_t size = 0, n;
  for (size_t i = 0; i < columns; i++) {
    const uint64_t v = (uint64_t)row[i], magnitude = row[i] < 0 ? ~v : v;
    if (row[i] == HC_UNKNOWN || v <= 1) {
      types[i] = row[i] == HC_UNKNOWN ? TYPE_NULL : (uint8_t)(TYPE_ZERO + v);
      continue;
    }
    const unsigned bits = 65 - (unsigned)__builtin_clzll(magnitude | 1), bytes = (bits + 7) / 8;
    types[i] = type_of[bytes];
    put_high(body + size, v << (64 - 8 * width_of[bytes]));
    size += width_of[bytes];
  }
  n = put_varint(out, 1 + columns + size);
  n += put_varint(out + n, (uint64_t)number);
  out[n++] = (uint8_t)(1 + columns);
  memcpy(out + n, types, columns);
  memcpy(out + n + columns, body, size);
  return n + columns + size;
}

static void decode(const uint8_t *cell, int64_t *row)
{
  const uint8_t *types = cell + varint_size(cell);
  types += varint_size(types);
  const size_t columns = (size_t)types[0] - 1;
  const uint8_t *body = ++types + columns;
  for (size_t i = 0; i < columns; i++) {
    const unsigned width = width_of_type[types[i]];
    if (types[i] == TYPE_NULL) row[i] = HC_UNKNOWN;
    else if (types[i] >= TYPE_ZERO) row[i] = types[i] - TYPE_ZERO;
    else row[i] = (int64_t)(get(body, width) << (64 - 8 * width)) >> (64 - 8 * width);
    body += width;
  }
}

/* ---- pages that are full ---- */

static uint64_t in_file(const hc_bulk *b)
{
  return b->pages - b->held_count;
}

static hc_rc write_all(int fd, const uint8_t *p, size_t size, uint64_t at)
{
  while (size > 0) {
    const ssize_t n = pwrite(fd, p, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return HC_EIO;
    p += n;
    size -= (size_t)n;
    at += (uint64_t)n;
  }
  return 0;
}

static hc_rc read_all(int fd, uint8_t *p, size_t size, uint64_t at)
{
  while (size > 0) {
    const ssize_t n = pread(fd, p, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return HC_EIO;
    p += n;
    size -= (size_t)n;
    at += (uint64_t)n;
  }
  return 0;
}

static hc_rc put_away(hc_bulk *b)
{
  if (b->fd < 0) TRY(hc_scratch_open(b->allocator, b->beside, &b->fd));
  TRY(write_all(b->fd, b->held, b->held_count * PAGE, in_file(b) * PAGE));
  b->held_count = 0;
  return 0;
}

static hc_rc hold(hc_bulk *b, const uint8_t *page)
{
  if (!b->held) b->held = hc_alloc(b->allocator, (size_t)HELD * PAGE);
  if (!b->held) return HC_ENOMEM;
  if (b->held_count == HELD) TRY(put_away(b));
  memcpy(b->held + b->held_count++ * PAGE, page, PAGE);
  b->pages++;
  return 0;
}

/* ---- the leaf of a table ---- */

static void begin_leaf(hc_bulk_table *t)
{
  t->rows = 0;
  t->from = PAGE;
}

static void end_leaf(const hc_bulk_table *t)
{
  t->page[0] = LEAF;
  put(t->page + 1, 0, 2); /* no gaps */
  put(t->page + 3, t->rows, 2);
  put(t->page + 5, t->from, 2);
  t->page[7] = 0;
  memset(t->page + LEAF_HEAD + 2 * t->rows, 0, t->from - LEAF_HEAD - 2 * t->rows);
}

static hc_rc put_leaf(hc_bulk *b, hc_bulk_table *t)
{
  if (t->leaf_count == t->leaf_cap &&
      hc_reserve(b->allocator, (void **)&t->leaves, &t->leaf_cap, t->leaf_count + 1, sizeof *t->leaves) < 0)
    return HC_ENOMEM;
  end_leaf(t);
  TRY(hold(b, t->page));
  t->leaves[t->leaf_count++] = (hc_bulk_leaf){.page = b->pages - 1, .last = t->count};
  begin_leaf(t);
  return 0;
}

hc_rc hc_bulk_add(hc_bulk *b, hc_table table, const int64_t *rows, size_t columns, size_t count)
{
  hc_bulk_table *t = &b->tables[table];
  uint8_t cell[MOST_CELL + 8];
  if (!t->page) {
    t->page = hc_alloc(b->allocator, PAGE);
    if (!t->page) return HC_ENOMEM;
    begin_leaf(t);
  }
  for (; count > 0; count--, rows += columns) {
    const size_t n = encode(rows, columns, t->count + 1, cell);
    if (LEAF_HEAD + 2 * (t->rows + 1) + n > t->from) TRY(put_leaf(b, t));
    t->from -= n;
    memcpy(t->page + t->from, cell, n);
    put(t->page + LEAF_HEAD + 2 * t->rows, t->from, 2);
    t->rows++;
    t->count++;
  }
  return 0;
}

bool hc_bulk_clear(hc_bulk *b, hc_table table)
{
  hc_bulk_table *t = &b->tables[table];
  if (t->leaf_count > 0) return false;
  begin_leaf(t);
  t->count = 0;
  return true;
}

/* ---- rows again ---- */

static hc_rc walk_leaf(const uint8_t *page, size_t rows, hc_table t,
                       hc_rc (*take)(void *ctx, hc_table t, const int64_t *row), void *ctx)
{
  int64_t row[HC_TASK_COLUMNS];
  for (size_t i = 0; i < rows; i++) {
    decode(page + get(page + LEAF_HEAD + 2 * i, 2), row);
    TRY(take(ctx, t, row));
  }
  return 0;
}

hc_rc hc_bulk_walk(const hc_bulk *b, hc_table table, hc_rc (*take)(void *ctx, hc_table t, const int64_t *row),
                   void *ctx)
{
  const hc_bulk_table *t = &b->tables[table];
  uint8_t *page = t->leaf_count > 0 ? hc_alloc(b->allocator, PAGE) : NULL;
  hc_rc rc = t->leaf_count > 0 && !page ? HC_ENOMEM : 0;
  for (size_t i = 0; i < t->leaf_count && rc >= 0; i++) {
    const uint64_t at = t->leaves[i].page;
    if (at >= in_file(b)) memcpy(page, b->held + (at - in_file(b)) * PAGE, PAGE);
    else rc = read_all(b->fd, page, PAGE, at * PAGE);
    if (rc >= 0) rc = walk_leaf(page, get(page + 3, 2), table, take, ctx);
  }
  if (page) hc_free(b->allocator, page, PAGE);
  return rc >= 0 && t->rows > 0 ? walk_leaf(t->page, t->rows, table, take, ctx) : rc;
}

/* ---- the file ---- */

/* How pages are numbered that come behind those of SQLite. */
typedef struct numbers {
  int fd;
  uint64_t before; /* pages of SQLite */
  uint64_t next;   /* pages behind them */
} numbers;

/* @param i  from 0 @return from 1, as SQLite counts */
static uint64_t number_of(const numbers *n, uint64_t i)
{
  const uint64_t number = n->before + 1 + i;
  return n->before < LOCK_PAGE && number >= LOCK_PAGE ? number + 1 : number;
}

static hc_rc write_page(const numbers *n, uint64_t number, const uint8_t *page)
{
  return write_all(n->fd, page, PAGE, (number - 1) * PAGE);
}

/* Pages that wait, 1 MiB of them at a time; what was copied is given back to the device at once, where it can
 * be. */
static hc_rc copy_leaves(hc_bulk *b, numbers *n)
{
  const uint64_t waiting = in_file(b);
  for (size_t i = 0; i < b->held_count; i++)
    TRY(write_page(n, number_of(n, waiting + i), b->held + i * PAGE));
  for (uint64_t at = 0; at < waiting; at += HELD) {
    const size_t some = (size_t)HC_MIN((uint64_t)HELD, waiting - at);
    TRY(read_all(b->fd, b->held, some * PAGE, at * PAGE));
    for (size_t i = 0; i < some; i++) TRY(write_page(n, number_of(n, at + i), b->held + i * PAGE));
    (void)fallocate(b->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(at * PAGE),
                    (off_t)(some * PAGE));
  }
  n->next = b->pages;
  return 0;
}

/* A page above others: their numbers, each but the last with its last row. */
static void fill_inner(uint8_t *page, const hc_bulk_leaf *below, size_t count)
{
  size_t from = PAGE;
  memset(page, 0, PAGE);
  for (size_t i = 0; i + 1 < count; i++) {
    uint8_t cell[4 + 9];
    put(cell, below[i].page, 4);
    const size_t n = 4 + put_varint(cell + 4, (uint64_t)below[i].last);
    from -= n;
    memcpy(page + from, cell, n);
    put(page + INNER_HEAD + 2 * i, from, 2);
  }
  page[0] = INNER;
  put(page + 3, count - 1, 2);
  put(page + 5, from, 2);
  put(page + 8, below[count - 1].page, 4);
}

/* Level upon level, until one page holds what is left: the root. Pages of a level have as many below as
 * others, or one fewer. @param below becomes the next level */
static hc_rc put_tree(const hc_bulk *b, numbers *n, hc_bulk_leaf *below, size_t count, int64_t root)
{
  uint8_t *page = hc_alloc(b->allocator, PAGE);
  hc_rc rc = page ? 0 : HC_ENOMEM;
  while (rc >= 0 && count > MOST_BELOW) {
    const size_t above = (count + MOST_BELOW - 1) / MOST_BELOW;
    for (size_t i = 0, at = 0; i < above && rc >= 0; i++) {
      const size_t end = count * (i + 1) / above;
      fill_inner(page, below + at, end - at);
      below[i] = (hc_bulk_leaf){.page = number_of(n, n->next++), .last = below[end - 1].last};
      rc = write_page(n, below[i].page, page);
      at = end;
    }
    count = above;
  }
  if (rc >= 0) {
    fill_inner(page, below, count);
    rc = write_page(n, (uint64_t)root, page);
  }
  if (page) hc_free(b->allocator, page, PAGE);
  return rc;
}

static hc_rc put_table(hc_bulk *b, hc_bulk_table *t, numbers *n, int64_t root)
{
  if (t->leaf_count == 0) {
    end_leaf(t);
    return write_page(n, (uint64_t)root, t->page);
  }
  for (size_t i = 0; i < t->leaf_count; i++) t->leaves[i].page = number_of(n, t->leaves[i].page);
  return put_tree(b, n, t->leaves, t->leaf_count, root);
}

/* https://www.sqlite.org/fileformat2.html#the_database_header: the size counts while two other fields are
 * equal, which they stay. */
static hc_rc grow_header(const numbers *n)
{
  enum { SIZE_AT = 28 };
  uint8_t size[4];
  put(size, n->next > 0 ? number_of(n, n->next - 1) : n->before, 4);
  return write_all(n->fd, size, sizeof size, SIZE_AT);
}

static hc_rc end_leaves(hc_bulk *b)
{
  for (int t = 0; t < HC_TABLE_COUNT; t++)
    if (b->tables[t].leaf_count > 0 && b->tables[t].rows > 0) TRY(put_leaf(b, &b->tables[t]));
  return 0;
}

hc_rc hc_bulk_finish(hc_bulk *b, int fd, const int64_t roots[HC_TABLE_COUNT])
{
  const off_t size = lseek(fd, 0, SEEK_END);
  numbers n = {.fd = fd, .before = size > 0 ? (uint64_t)size / PAGE : 0};
  if (size <= 0) return HC_EIO;
  TRY(end_leaves(b));
  TRY(copy_leaves(b, &n));
  for (int t = 0; t < HC_TABLE_COUNT; t++)
    if (b->tables[t].count > 0) TRY(put_table(b, &b->tables[t], &n, roots[t]));
  return grow_header(&n);
}

/* ---- its life ---- */

void hc_bulk_init(hc_bulk *b, const hc_allocator *a, const char *beside)
{
  *b = (hc_bulk){.allocator = a, .beside = beside, .fd = -1};
}

void hc_bulk_fini(hc_bulk *b)
{
  if (b->fd >= 0) (void)close(b->fd);
  if (b->held) hc_free(b->allocator, b->held, (size_t)HELD * PAGE);
  for (int i = 0; i < HC_TABLE_COUNT; i++) {
    hc_bulk_table *t = &b->tables[i];
    if (t->page) hc_free(b->allocator, t->page, PAGE);
    hc_free(b->allocator, t->leaves, t->leaf_cap * sizeof *t->leaves);
  }
  hc_bulk_init(b, b->allocator, b->beside);
}
