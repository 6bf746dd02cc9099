/* test_names.c -- names of any kind survive from the store to what is exported, in memory and in a file, and
 * do nothing on their way: no markup, no formula, no field of its own. */
#define _GNU_SOURCE /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/state.h"
#include "base/util.h"
#include "hindcast/hindcast.h"
#include "output/store.h"

static char long_name[10001];
static const char *const hostile[] = {"<script>alert(1)</script>",
                                      "a\"b'c`d",
                                      "=cmd|' /C calc'!A0",
                                      "line\nbreak\rand\ttab",
                                      "\x1b[31mred\x07",
                                      "\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd \xe6\x9d\x8e",
                                      "bad \xff\xfe utf8",
                                      "\\u0000 %s %n ${x} ../..",
                                      "]]>&amp;--",
                                      "; DROP TABLE tasks; --",
                                      "a;b#c,d",
                                      long_name};
enum { HOSTILE = 12 };

static hc_store *filled(const char *path)
{
  hc_store *s = NULL;
  hc_error e = {0};
  memset(long_name, 'x', sizeof long_name - 1);
  if (hc_store_new(hc_default_allocator(), path, &s, &e) < 0) fail_msg("%s", e.text);
  for (int64_t i = 0; i < HOSTILE; i++) {
    const hc_task_record t = {.serial = i,
                              .id = 100 + i,
                              .submit = i * HC_SECOND,
                              .start = i * HC_SECOND,
                              .end = (i + 5) * HC_SECOND,
                              .units = 1,
                              .limit = 5 * HC_SECOND,
                              .estimate = 5 * HC_SECOND,
                              .run = 5 * HC_SECOND,
                              .user = i,
                              .group = i,
                              .executable = -1,
                              .queue = i,
                              .partition = -1,
                              .final = HC_FINAL_COMPLETED};
    assert_int_equal(hc_store_name(s, "user", i, hostile[i], NULL), 0);
    assert_int_equal(hc_store_name(s, "group", i, hostile[HOSTILE - 1 - i], NULL), 0);
    assert_int_equal(hc_store_task_name(s, i, hostile[i], i % 2 ? hostile[0] : NULL, NULL), 0);
    assert_int_equal(hc_store_tasks(s, &t, 1, NULL), 0);
  }
  const char *const facts[][2] = {
      {"processors", "16"}, {"group_is_called", "account"}, {"unix_start", "86400"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(facts); i++)
    assert_int_equal(hc_store_row(s, "hindcast", 2, facts[i], NULL), 0);
  return s;
}

static void assert_asked(hc_result *r)
{
  int64_t number = -1;
  for (int64_t i = 0; i < HOSTILE; i++) {
    assert_string_equal(hc_result_name(r, HC_CALLED_USER, i), hostile[i]);
    assert_string_equal(hc_result_name(r, HC_CALLED_GROUP, i), hostile[HOSTILE - 1 - i]);
    assert_true(hc_result_number(r, HC_CALLED_USER, hostile[i], &number));
    assert_int_equal(number, i);
    assert_string_equal(hc_result_task_name(r, i), hostile[i]);
    assert_int_equal(hc_result_find_task(r, hostile[i], &number), 1);
    assert_int_equal(number, i);
    if (i % 2) assert_string_equal(hc_result_job_name(r, i), hostile[0]);
    else assert_null(hc_result_job_name(r, i));
  }
  assert_string_equal(hc_result_title(r, HC_CALLED_GROUP), "account");
  assert_string_equal(hc_result_title(r, HC_CALLED_USER), "user");
  assert_null(hc_result_name(r, HC_CALLED_USER, HOSTILE));
  assert_null(hc_result_name(r, HC_CALLED_QUEUE, 1));
  assert_false(hc_result_number(r, HC_CALLED_USER, "ann", &number));
  assert_int_equal(hc_result_check(r, NULL), 0);
}

static void test_a_file_and_memory(void **state)
{
  char path[] = "/tmp/hc_names_XXXXXX", a[33], b[33], x[33], y[33];
  hc_result *in_memory, *in_file;
  hc_store *s = filled(NULL);
  (void)state;
  assert_int_equal(hc_result_of_store(s, &in_memory, NULL), 0);
  assert_asked(in_memory);
  assert_int_equal(close(mkstemp(path)), 0);
  hc_store *f = filled(path);
  assert_int_equal(hc_store_commit(f, NULL), 0);
  hc_store_free(f);
  assert_int_equal(hc_result_open(hc_default_allocator(), path, &in_file, NULL), 0);
  assert_asked(in_file);
  assert_int_equal(hc_result_digest(in_memory, a, NULL), 0);
  assert_int_equal(hc_result_digest(in_file, b, NULL), 0);
  assert_string_equal(a, b);
  assert_int_equal(hc_result_schedule_digest(in_memory, x, NULL), 0);
  assert_int_equal(hc_result_schedule_digest(in_file, y, NULL), 0);
  assert_string_equal(x, y);
  hc_result_free(in_file);
  hc_result_free(in_memory);
  hc_store_free(s);
  assert_int_equal(unlink(path), 0);
}

/* The views give names, dates, and NULL where nothing is known. */
static void test_views(void **state)
{
  char path[] = "/tmp/hc_names_XXXXXX";
  sqlite3 *db;
  sqlite3_stmt *q;
  (void)state;
  assert_int_equal(close(mkstemp(path)), 0);
  hc_store *f = filled(path);
  assert_int_equal(hc_store_cell(f, "all", "by_user", 3, "tasks", "tasks", 1, NULL), 0);
  assert_int_equal(hc_store_cell(f, "all", "by_day", 3, "tasks", "tasks", 1, NULL), 0);
  assert_int_equal(hc_store_commit(f, NULL), 0);
  hc_store_free(f);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db,
                                      "SELECT user_name, group_name, queue_name, executable, name, job_name, "
                                      "submit_date, end_date, account_name FROM task WHERE serial=1",
                                      -1, &q, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  assert_string_equal((const char *)sqlite3_column_text(q, 0), hostile[1]);
  assert_string_equal((const char *)sqlite3_column_text(q, 1), hostile[HOSTILE - 2]);
  assert_int_equal(sqlite3_column_type(q, 2), SQLITE_NULL); /* a queue without a name */
  assert_int_equal(sqlite3_column_type(q, 3), SQLITE_NULL); /* it is not known: stored as -1 */
  assert_string_equal((const char *)sqlite3_column_text(q, 4), hostile[1]);
  assert_string_equal((const char *)sqlite3_column_text(q, 5), hostile[0]);
  assert_string_equal((const char *)sqlite3_column_text(q, 6), "1970-01-02T00:00:01Z"); /* 86400 + 1 s */
  assert_string_equal((const char *)sqlite3_column_text(q, 7), "1970-01-02T00:00:06Z");
  assert_string_equal((const char *)sqlite3_column_text(q, 8), hostile[HOSTILE - 2]); /* the group's */
  assert_int_equal(sqlite3_finalize(q), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT key_name FROM cell ORDER BY tab DESC", -1, &q, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  assert_string_equal((const char *)sqlite3_column_text(q, 0), hostile[3]);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  assert_int_equal(sqlite3_column_type(q, 0), SQLITE_NULL); /* the key is a day */
  assert_int_equal(sqlite3_finalize(q), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  assert_int_equal(unlink(path), 0);
}

static void test_snapshot(void **state)
{
  hc_store *a = filled(NULL), *b = filled(NULL);
  hc_result *r;
  hc_buffer bytes;
  hc_visitor save = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_SAVE,
                     .allocator = hc_default_allocator(),
                     .out = &bytes},
             load;
  (void)state;
  hc_buffer_init(&bytes, hc_default_allocator());
  assert_int_equal(hc_store_visit(a, &save), 0);
  load = (hc_visitor){.calls = &hc_state_calls,
                      .mode = HC_VISIT_LOAD,
                      .allocator = hc_default_allocator(),
                      .in = (const uint8_t *)bytes.data,
                      .left = bytes.size};
  assert_int_equal(hc_store_visit(b, &load), 0); /* in the place of the rows that it had */
  assert_int_equal(hc_result_of_store(b, &r, NULL), 0);
  assert_asked(r);
  hc_result_free(r);
  for (size_t cut = 0; cut < bytes.size; cut += 997) { /* one that ends early */
    load = (hc_visitor){.calls = &hc_state_calls,
                        .mode = HC_VISIT_LOAD,
                        .allocator = hc_default_allocator(),
                        .in = (const uint8_t *)bytes.data,
                        .left = cut};
    assert_int_equal(hc_store_visit(b, &load), HC_EINPUT);
  }
  hc_store_free(a);
  hc_store_free(b);
  hc_buffer_fini(&bytes);
}

/* ---- names in blocks ---- */

enum { MANY = 3000 };

/* Which serials have names: all, then gaps that a block bridges and such that it does not; and what they are
 * called: nothing, no more than nothing, short, long enough for a block of its own. */
static bool has_row(int64_t i)
{
  return i < 1000 || (i < 2000 ? i % 7 == 0 : i % 40 == 3);
}

static const char *id_of(int64_t i, char *text, size_t size)
{
  if (i % 11 == 4) return NULL;
  if (i % 11 == 5) return "";
  if (i == 500) memset(text, 'y', 70000), text[70000] = '\0';
  else (void)snprintf(text, size, "t%lld \xc3\xa9 \xff", (long long)i);
  return text;
}

static const char *job_of(int64_t i, char *text, size_t size)
{
  if (i % 3 == 0) return NULL;
  (void)snprintf(text, size, "j%lld", (long long)i / 4);
  return text;
}

static hc_store *many_names(const char *path)
{
  static char id[70001], job[32];
  hc_store *s = NULL;
  assert_int_equal(hc_store_new(hc_default_allocator(), path, &s, NULL), 0);
  for (int64_t i = 0; i < MANY; i++)
    if (has_row(i))
      assert_int_equal(hc_store_task_name(s, i, id_of(i, id, sizeof id), job_of(i, job, sizeof job), NULL),
                       0);
  return s;
}

typedef struct name_rows {
  int64_t next;
} name_rows;

static void assert_text(const char *is, const char *wanted)
{
  if (wanted) assert_string_equal(is, wanted);
  else assert_null(is);
}

static void assert_row(name_rows *n, int64_t serial, const char *is_id, const char *is_job)
{
  static char id[70001], job[32];
  while (!has_row(n->next)) n->next++;
  assert_int_equal(serial, n->next);
  assert_text(is_id, id_of(serial, id, sizeof id));
  assert_text(is_job, job_of(serial, job, sizeof job));
  n->next++;
}

static hc_rc hear_name(void *ctx, const char *const *values)
{
  assert_row(ctx, strtoll(values[0], NULL, 10), values[1], values[2]);
  return 0;
}

static void assert_rows(hc_result *r)
{
  name_rows n = {0};
  assert_int_equal(hc_result_rows(r, "task_names", 3, hear_name, &n, NULL), 0);
  assert_int_equal(n.next, 2964); /* behind the last that has one: 2963 = 74 * 40 + 3 */
}

/* A file, the memory and what is still being written have the same rows; so has plain SQL. */
static void test_blocks(void **state)
{
  char path[] = "/tmp/hc_names_XXXXXX", a[33], b[33];
  name_rows n = {0};
  hc_result *r;
  sqlite3 *db;
  sqlite3_stmt *q;
  (void)state;
  hc_store *s = many_names(NULL);
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_rows(r);
  assert_int_equal(hc_result_digest(r, a, NULL), 0);
  hc_result_free(r);
  hc_store_free(s);
  assert_int_equal(close(mkstemp(path)), 0);
  s = many_names(path);
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_rows(r);
  hc_result_free(r);
  assert_int_equal(hc_store_task_name(s, 7, "late", NULL, NULL), HC_EUSAGE);
  assert_int_equal(hc_store_commit(s, NULL), 0);
  hc_store_free(s);
  assert_int_equal(hc_result_open(hc_default_allocator(), path, &r, NULL), 0);
  assert_rows(r);
  assert_int_equal(hc_result_digest(r, b, NULL), 0);
  assert_string_equal(a, b);
  hc_result_free(r);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT * FROM task_names", -1, &q, NULL), SQLITE_OK);
  while (sqlite3_step(q) == SQLITE_ROW)
    assert_row(&n, sqlite3_column_int64(q, 0), (const char *)sqlite3_column_text(q, 1),
               (const char *)sqlite3_column_text(q, 2));
  assert_int_equal(n.next, 2964);
  assert_int_equal(sqlite3_finalize(q), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  assert_int_equal(unlink(path), 0);
}

/* Pieces of whatever size end within blocks, and what they say together is what there was. */
static void test_pieces(void **state)
{
  (void)state;
  for (size_t most = 1; most < 100000; most = most * 9 + 100) {
    char from_path[] = "/tmp/hc_names_XXXXXX", to_path[] = "/tmp/hc_names_XXXXXX";
    uint64_t from[HC_TABLE_COUNT] = {0};
    hc_buffer piece;
    hc_result *r;
    assert_int_equal(close(mkstemp(from_path)), 0);
    assert_int_equal(close(mkstemp(to_path)), 0);
    hc_store *s = many_names(from_path), *to = NULL;
    assert_int_equal(hc_store_new(hc_default_allocator(), to_path, &to, NULL), 0);
    do {
      hc_buffer_init(&piece, hc_default_allocator());
      assert_int_equal(hc_store_rows_take(s, from, most, &piece, NULL), 0);
      assert_int_equal(hc_store_rows_add(to, piece.data, piece.size, NULL), 0);
      hc_buffer_fini(&piece);
    } while (from[HC_TABLE_task_names] < 1000 + 143 + 25); /* below 1000, of [1000, 2000), of [2000, 3000) */
    hc_buffer_init(&piece, hc_default_allocator());
    assert_int_equal(hc_store_rows_take(s, from, most, &piece, NULL), 0);
    assert_int_equal(piece.size, 0);
    hc_buffer_fini(&piece);
    assert_int_equal(hc_result_of_store(to, &r, NULL), 0);
    assert_rows(r);
    hc_result_free(r);
    hc_store_free(s);
    hc_store_free(to);
    assert_int_equal(unlink(from_path), 0);
    assert_int_equal(unlink(to_path), 0);
  }
}

/* Rows of a snapshot take the place of those that a file under way has. */
static void test_cleared(void **state)
{
  char path[] = "/tmp/hc_names_XXXXXX";
  hc_store *a = many_names(NULL);
  hc_buffer bytes;
  hc_result *r;
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &bytes};
  (void)state;
  hc_buffer_init(&bytes, hc_default_allocator());
  assert_int_equal(hc_store_visit(a, &v), 0);
  assert_int_equal(close(mkstemp(path)), 0);
  hc_store *b = many_names(path);
  for (int i = 0; i < 2; i++) {
    v = (hc_visitor){.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)bytes.data,
                     .left = bytes.size};
    assert_int_equal(hc_store_visit(b, &v), 0);
    assert_int_equal(hc_result_of_store(b, &r, NULL), 0);
    assert_rows(r);
    hc_result_free(r);
  }
  hc_store_free(a);
  hc_store_free(b);
  hc_buffer_fini(&bytes);
  assert_int_equal(unlink(path), 0);
}

static hc_rc hear_any(void *ctx, const char *const *values)
{
  (void)ctx, (void)values;
  return 0;
}

/* What a damaged block says is not believed. */
static void test_damaged_blocks(void **state)
{
  static const char *const damages[] = {"width=0",
                                        "width=11",
                                        "width=1000000",
                                        "width=3",
                                        "first=-1",
                                        "first=9223372036854775807",
                                        "texts=NULL",
                                        "texts=substr(texts,1,100)",
                                        "places='x'||places",
                                        "places=CAST('9999999'||substr(places,8) AS BLOB)"};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(damages); i++) {
    char path[] = "/tmp/hc_names_XXXXXX", sql[128];
    hc_result *r;
    hc_error e = {0};
    sqlite3 *db;
    assert_int_equal(close(mkstemp(path)), 0);
    hc_store *s = many_names(path);
    assert_int_equal(hc_store_commit(s, NULL), 0);
    hc_store_free(s);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    (void)snprintf(sql, sizeof sql, "UPDATE task_name_blocks SET %s WHERE first=256", damages[i]);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(hc_result_open(hc_default_allocator(), path, &r, NULL), 0);
    const hc_rc rc = hc_result_rows(r, "task_names", 3, hear_any, NULL, &e);
    if (rc != HC_EINPUT) fail_msg("%s: %d", damages[i], rc);
    hc_result_free(r);
    assert_int_equal(unlink(path), 0);
  }
}

/* ---- exports ---- */

static hc_rc keep(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static void export_to(const char *name, const char *setting, hc_buffer *text)
{
  hc_registry *registry;
  hc_error e = {0};
  hc_result *r;
  hc_store *s = filled(NULL);
  const hc_sink sink = {text, keep};
  hc_buffer_init(text, hc_default_allocator());
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  const hc_rc rc =
      hc_export_result(hc_default_allocator(), registry, name, &setting, setting != NULL, r, &sink, &e);
  if (rc < 0) fail_msg("%s: %s", name, e.text);
  hc_result_free(r);
  hc_store_free(s);
  hc_registry_free(registry);
  hc_buffer_add(text, "", 1);
}

static size_t count_of(const hc_buffer *b, const char *part)
{
  size_t n = 0;
  for (const char *p = b->data; (p = strstr(p, part)); p++) n++;
  return n;
}

static void test_exports(void **state)
{
  hc_buffer text;
  (void)state;
  export_to("gantt", NULL, &text);
  assert_int_equal(count_of(&text, "<script"), 0); /* markup is text */
  assert_true(count_of(&text, "&lt;script>alert(1)") > 0);
  assert_int_equal(count_of(&text, "\x1b"), 0); /* XML has no control characters */
  assert_int_equal(count_of(&text, "\xff"), 0); /* nor what is no UTF-8 */
  assert_true(count_of(&text, "\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd \xe6\x9d\x8e") > 0);
  assert_true(count_of(&text, "job ") >= HOSTILE);
  assert_true(text.size < 100000); /* ten thousand letters are cut */
  hc_buffer_fini(&text);
  export_to("csv", NULL, &text);
  assert_int_equal(count_of(&text, "\n"),
                   HOSTILE + 1 + 3); /* a row a task; one name is over two lines, thrice */
  assert_true(count_of(&text, ",\"a\"\"b'c`d\",") > 0);
  assert_int_equal(count_of(&text, ",=cmd"), 0); /* no formula */
  assert_int_equal(count_of(&text, "'=cmd"), 3);
  hc_buffer_fini(&text);
  export_to("json", "tasks=true", &text);
  assert_int_equal(count_of(&text, "\"user_name\": \"a\\\"b'c`d\""), 1);
  assert_int_equal(count_of(&text, "\x1b"), 0);
  assert_int_equal(count_of(&text, "\xff"), 0);
  hc_buffer_fini(&text);
  export_to("batsim", NULL, &text);
  assert_int_equal(count_of(&text, "\"a;b#c,d\",") + count_of(&text, "a;b#c,d"), 2);
  hc_buffer_fini(&text);
  export_to("accasim", NULL, &text);
  assert_int_equal(count_of(&text, "\n"), HOSTILE); /* a line a task */
  assert_int_equal(count_of(&text, "a_b_c,d;a_b_c,d;"), 1);
  hc_buffer_fini(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_file_and_memory),
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_snapshot),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_cleared),
      cmocka_unit_test(test_damaged_blocks),
      cmocka_unit_test(test_exports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
