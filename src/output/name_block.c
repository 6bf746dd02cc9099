/* name_block.c -- names of tasks as they lie in a file: some hundred in a row.
 *
 * A row a name costs a tenth of a run; packed, a name costs the copy of its text. A block is about serials
 * that follow each other, so that a name's place is a subtraction away: three numbers a serial, as
 * digits of one width, which are where its texts begin in `texts` (counted from 1; 0: the serial has no
 * row) and how long that of the task and that of its job are, each with the NUL that ends it (0: NULL).
 * Digits, since plain SQL can read them: the views that show names need no extension.
 *
 * Cost: 12 bytes and the texts a task in a file; a search of the blocks and a copy of one for a name that SQL
 * asks for. */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "output/sqlite.h"

enum { MOST_TEXTS = 1 << 16, MOST_GAP = 16, MOST_WIDTH = 10, MOST_NAME = 1 << 28 };

/* ---- writing ---- */

bool hc_name_block_fits(const hc_name_block *b, int64_t serial)
{
  const int64_t gap = serial - b->next;
  return gap <= MOST_GAP && b->slots + gap < HC_STORE_NAMES && b->texts.size < MOST_TEXTS;
}

static size_t size_of(const char *text)
{
  return text ? strlen(text) + 1 : 0;
}

hc_rc hc_name_block_add(hc_name_block *b, int64_t serial, const char *id, const char *job)
{
  const size_t ids = size_of(id), jobs = size_of(job);
  hc_buffer *t = &b->texts;
  if (ids > MOST_NAME || jobs > MOST_NAME) return HC_ELIMIT;
  TRY(hc_reserve(t->allocator, (void **)&t->data, &t->cap, t->size + ids + jobs, 1));
  if (b->slots == 0) b->first = b->next = serial;
  for (; b->next < serial; b->next++) b->places[b->slots++] = (hc_name_place){0};
  b->places[b->slots++] = (hc_name_place){(uint32_t)t->size + 1, (uint32_t)ids, (uint32_t)jobs};
  if (ids > 0) memcpy(t->data + t->size, id, ids);
  if (jobs > 0) memcpy(t->data + t->size + ids, job, jobs);
  t->size += ids + jobs;
  b->next++;
  b->names++;
  return 0;
}

/* Into noughts. @param end  behind the last digit */
static void put_digits(char *end, uint32_t x)
{
  for (; x > 0; x /= 10) *--end = (char)('0' + x % 10);
}

int hc_name_block_store(hc_name_block *b, sqlite3_stmt *insert)
{
  char digits[HC_STORE_NAMES * 3 * MOST_WIDTH], *end = digits;
  int width = 1;
  for (size_t most = b->texts.size + 1; most >= 10; most /= 10) width++;
  memset(digits, '0', (size_t)(b->slots * 3) * (size_t)width);
  for (uint32_t i = 0; i < b->slots; i++) {
    put_digits(end += width, b->places[i].start);
    put_digits(end += width, b->places[i].id);
    put_digits(end += width, b->places[i].job);
  }
  (void)sqlite3_bind_int64(insert, 1, b->first);
  (void)sqlite3_bind_int64(insert, 2, (sqlite3_int64)b->before);
  (void)sqlite3_bind_int64(insert, 3, b->names);
  (void)sqlite3_bind_int64(insert, 4, width);
  (void)sqlite3_bind_blob64(insert, 5, digits, (sqlite3_uint64)(end - digits), SQLITE_STATIC);
  (void)sqlite3_bind_blob64(insert, 6, b->texts.data ? b->texts.data : "", b->texts.size, SQLITE_STATIC);
  const int rc = sqlite3_step(insert);
  (void)sqlite3_reset(insert);
  b->before += b->names;
  b->slots = b->names = 0;
  b->texts.size = 0;
  return rc;
}

void hc_name_block_clear(hc_name_block *b)
{
  b->next = 0;
  b->before = 0;
  b->slots = b->names = 0;
  b->texts.size = 0;
}

/* ---- in SQL ---- */

static void add_number(hc_buffer *sql, const char *n, int k)
{
  hc_buffer_printf(sql, "CAST(substr(places, (3*(%s)+%d)*width+1, width) AS INTEGER)", n, k);
}

void hc_name_block_text(hc_buffer *sql, const char *n, int k)
{
  hc_buffer_text(sql, "CASE WHEN ");
  add_number(sql, n, k);
  hc_buffer_text(sql, ">0 THEN CAST(substr(texts, ");
  for (int i = 0; i < k; i++) { /* where they begin, and the other before it */
    if (i > 0) hc_buffer_text(sql, "+");
    add_number(sql, n, i);
  }
  hc_buffer_text(sql, ", ");
  add_number(sql, n, k);
  hc_buffer_text(sql, "-1) AS TEXT) END");
}

void hc_name_block_view(hc_buffer *sql)
{
  hc_buffer_printf(
      sql,
      "CREATE VIEW task_names AS WITH RECURSIVE place(n) AS (VALUES(0) UNION ALL SELECT n+1 FROM "
      "place WHERE n<%d) SELECT first+n AS serial, ",
      HC_STORE_NAMES - 1);
  hc_name_block_text(sql, "n", 1);
  hc_buffer_text(sql, " AS id, ");
  hc_name_block_text(sql, "n", 2);
  hc_buffer_text(sql, " AS job FROM " HC_NAME_BLOCKS " CROSS JOIN place WHERE ");
  add_number(sql, "n", 0);
  hc_buffer_text(sql, ">0;");
}

/* ---- reading: nothing of a file is trusted ---- */

static hc_rc read_digits(const char *at, int width, int64_t *out)
{
  *out = 0;
  for (int i = 0; i < width; i++) {
    if (at[i] < '0' || at[i] > '9') return HC_EINPUT;
    *out = 10 * *out + (at[i] - '0');
  }
  return 0;
}

/* @param size  with its NUL; 0: NULL. @param from  in and out: where it begins, from 0 */
static hc_rc read_text(const char *texts, int64_t all, int64_t *from, int64_t size, hc_field *out)
{
  *out = (hc_field){.kind = HC_FIELD_NULL};
  if (size == 0) return 0;
  if (size > all - *from || texts[*from + size - 1] != '\0') return HC_EINPUT;
  *out = (hc_field){.kind = HC_FIELD_TEXT, .text = texts + *from, .is.size = (size_t)size - 1};
  *from += size;
  return 0;
}

hc_rc hc_name_block_read(sqlite3_stmt *block, size_t *at, hc_field *row)
{
  const int64_t first = sqlite3_column_int64(block, 0);
  const int width = sqlite3_column_int(block, 3);
  const char *places = sqlite3_column_blob(block, 4), *texts = sqlite3_column_blob(block, 5);
  const int64_t all = sqlite3_column_bytes(block, 5);
  int64_t numbers[3] = {0};
  if (width < 1 || width > MOST_WIDTH || first < 0 || first > INT64_MAX - INT32_MAX) return HC_EINPUT;
  for (const size_t slots = (size_t)(sqlite3_column_bytes(block, 4) / width / 3); *at < slots;) {
    const size_t i = (*at)++;
    for (size_t k = 0; k < 3; k++) TRY(read_digits(places + (3 * i + k) * (size_t)width, width, &numbers[k]));
    if (numbers[0] == 0) continue;
    int64_t from = numbers[0] - 1;
    if (from > all) return HC_EINPUT;
    row[0] = (hc_field){.kind = HC_FIELD_WHOLE, .is.whole = first + (int64_t)i};
    TRY(read_text(texts, all, &from, numbers[1], &row[1]));
    TRY(read_text(texts, all, &from, numbers[2], &row[2]));
    return 1;
  }
  return 0;
}
