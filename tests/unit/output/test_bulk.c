/* test_bulk.c -- rows that are encoded as pages: SQLite reads what was written, and finds the file whole. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hindcast/output.h"

enum { ROWS = 20000, TASK_COLUMNS = 16 };

/* Numbers of all lengths, of both signs, 0, 1, the ends of each length, and what is not known. */
static int64_t number(uint64_t *state)
{
  uint64_t x = *state;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  *state = x;
  const int64_t edges[] = {0, 1, -1, HC_UNKNOWN, INT64_MAX, HC_UNKNOWN + 1};
  const unsigned kind = (unsigned)(x >> 60), bits = (unsigned)(x >> 8) % 62 + 1;
  if (kind < 6) return edges[kind];
  if (kind < 8) return ((int64_t)1 << bits) - (kind == 6); /* 127 and 128, 32,767 and 32,768 ... */
  if (kind < 10) return -((int64_t)1 << bits) - (kind == 8);
  return (int64_t)x >> bits;
}

typedef struct rows {
  const char *table;
  int columns;
} rows;
/* The first two are there without rows, too; the last has an index, so that SQLite inserts its rows. */
static const rows tables[] = {
    {"tasks", TASK_COLUMNS}, {"attempts", 4}, {"corrections", 3}, {"rates", 4}, {"task_accounts", 3}};
enum { TABLES = sizeof tables / sizeof *tables };

static void add(hc_store *s, const rows *t, const int64_t *row)
{
  hc_task_record task;
  memcpy(&task, row, sizeof task);
  assert_int_equal(t == tables ? hc_store_tasks(s, &task, 1, NULL)
                               : hc_store_numbers(s, t->table, (size_t)t->columns, row, NULL),
                   0);
}

/* Tables by turns. @param read_at  the row before which it is read, so that SQLite inserts; -1: none */
static void write_rows(const char *path, int64_t count, int64_t read_at)
{
  hc_store *s = NULL;
  hc_result *r = NULL;
  uint64_t state = 88172645463325252u;
  (void)unlink(path);
  assert_int_equal(hc_store_new(hc_default_allocator(), path, &s, NULL), 0);
  for (int64_t i = 0; i < count; i++) {
    if (i == read_at) {
      assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
      hc_result_free(r);
    }
    for (size_t t = 0; t < TABLES; t++) {
      int64_t row[TASK_COLUMNS];
      for (int c = 0; c < TASK_COLUMNS; c++) row[c] = number(&state);
      add(s, &tables[t], row);
    }
  }
  assert_int_equal(hc_store_commit(s, NULL), 0);
  hc_store_free(s);
}

static sqlite3 *opened(const char *path)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *s = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &s, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(s), SQLITE_ROW);
  assert_string_equal((const char *)sqlite3_column_text(s, 0), "ok");
  (void)sqlite3_finalize(s);
  return db;
}

static sqlite3_stmt *rows_of(sqlite3 *db, const char *table)
{
  char sql[64];
  sqlite3_stmt *s = NULL;
  (void)snprintf(sql, sizeof sql, "SELECT rowid, * FROM %s ORDER BY rowid", table);
  assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
  return s;
}

static int64_t value_of(sqlite3_stmt *s, int column)
{
  return sqlite3_column_type(s, column) == SQLITE_NULL ? HC_UNKNOWN : sqlite3_column_int64(s, column);
}

/* The numbers are drawn again, and each has to be where it was put. */
static void assert_rows(const char *path, int64_t count)
{
  sqlite3 *db = opened(path);
  sqlite3_stmt *of[TABLES];
  uint64_t state = 88172645463325252u;
  for (size_t t = 0; t < TABLES; t++) of[t] = count > 0 || t < 2 ? rows_of(db, tables[t].table) : NULL;
  for (int64_t i = 0; i < count; i++) {
    for (size_t t = 0; t < TABLES; t++) {
      assert_int_equal(sqlite3_step(of[t]), SQLITE_ROW);
      assert_int_equal(sqlite3_column_int64(of[t], 0), i + 1);
      for (int c = 0; c < TASK_COLUMNS; c++) {
        const int64_t expected = number(&state);
        if (c < tables[t].columns) assert_int_equal(value_of(of[t], c + 1), expected);
      }
    }
  }
  for (size_t t = 0; t < TABLES; t++) {
    if (of[t]) assert_int_equal(sqlite3_step(of[t]), SQLITE_DONE);
    (void)sqlite3_finalize(of[t]);
  }
  (void)sqlite3_close(db);
}

static void digest_of(const char *path, char text[33])
{
  hc_result *r = NULL;
  assert_int_equal(hc_result_open(hc_default_allocator(), path, &r, NULL), 0);
  assert_int_equal(hc_result_digest(r, text, NULL), 0);
  hc_result_free(r);
}

/* None, one, one page or two of the widest rows (some 330 fit one), pages that memory holds, and more. */
static void test_every_number_comes_back(void **state)
{
  const int64_t counts[] = {0, 1, 2, 320, 340, 700, 5000, ROWS};
  (void)state;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    write_rows("bulk.db", counts[i], -1);
    assert_rows("bulk.db", counts[i]);
  }
  (void)unlink("bulk.db");
}

/* Rows that are read before the commit are inserted, and so are those behind them: the result is the same. */
static void test_read_on_the_way(void **state)
{
  const int64_t reads[] = {0, 1, 345, 15000, ROWS - 1};
  char whole[33], read[33];
  (void)state;
  write_rows("bulk.db", ROWS, -1);
  digest_of("bulk.db", whole);
  for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
    write_rows("read.db", ROWS, reads[i]);
    assert_rows("read.db", ROWS);
    digest_of("read.db", read);
    assert_string_equal(read, whole);
  }
  (void)unlink("bulk.db");
  (void)unlink("read.db");
}

/* The same rows, the same bytes. */
static void test_same_bytes(void **state)
{
  static char one[1 << 16], other[1 << 16];
  (void)state;
  write_rows("bulk.db", 5000, -1);
  write_rows("again.db", 5000, -1);
  FILE *a = fopen("bulk.db", "rb"), *b = fopen("again.db", "rb");
  assert_non_null(a);
  assert_non_null(b);
  for (size_t n = 1; n > 0;) {
    n = fread(one, 1, sizeof one, a);
    assert_int_equal(fread(other, 1, sizeof other, b), n);
    assert_memory_equal(one, other, n);
  }
  (void)fclose(a);
  (void)fclose(b);
  (void)unlink("bulk.db");
  (void)unlink("again.db");
}

/* A row of `placements` takes at most 16 bytes here, so five millions fill more than the 2,000 pages that
 * one page above them has places for. */
static void test_two_levels_above_the_leaves(void **state)
{
  enum { MANY = 5000000 };
  hc_store *s = NULL;
  sqlite3_stmt *sum = NULL;
  (void)state;
  (void)unlink("bulk.db");
  assert_int_equal(hc_store_new(hc_default_allocator(), "bulk.db", &s, NULL), 0);
  for (int64_t i = 0; i < MANY; i++) {
    const hc_range range = {.first = (uint32_t)(i % 7 + 2), .count = 3};
    assert_int_equal(hc_store_placement(s, i, &range, 1, NULL), 0);
  }
  assert_int_equal(hc_store_commit(s, NULL), 0);
  hc_store_free(s);
  sqlite3 *db = opened("bulk.db");
  assert_int_equal(
      sqlite3_prepare_v2(db,
                         "SELECT count(*), sum(serial), (SELECT first FROM placements WHERE rowid=4000000) "
                         "FROM placements",
                         -1, &sum, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_step(sum), SQLITE_ROW);
  assert_int_equal(sqlite3_column_int64(sum, 0), MANY);
  assert_int_equal(sqlite3_column_int64(sum, 1), (int64_t)MANY * (MANY - 1) / 2);
  assert_int_equal(sqlite3_column_int64(sum, 2), 3999999 % 7 + 2);
  (void)sqlite3_finalize(sum);
  (void)sqlite3_close(db);
  (void)unlink("bulk.db");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_number_comes_back),
      cmocka_unit_test(test_read_on_the_way),
      cmocka_unit_test(test_same_bytes),
      cmocka_unit_test(test_two_levels_above_the_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
