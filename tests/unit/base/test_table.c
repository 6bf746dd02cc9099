/* test_table.c -- tables as text: fields, titles, archives, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "base/table.h"
#include "base/util.h"

#define PATH "test_table.csv"

static void write_file(const char *data, size_t size)
{
  FILE *f = fopen(PATH, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

static void open_table(hc_table *t)
{
  hc_error e = {0};
  assert_int_equal(hc_table_open(t, hc_default_allocator(), PATH, &e), 0);
}

static void open_text(hc_table *t, const char *text)
{
  write_file(text, strlen(text));
  open_table(t);
}

static void must_be(hc_table *t, const char *const *fields, size_t count)
{
  hc_error e = {0};
  assert_int_equal(hc_table_next(t, &e), 1);
  for (size_t i = 0; i < HC_MIN(count, t->count); i++)
    assert_string_equal(hc_table_text(t, i + 1), fields[i]);
  assert_int_equal(t->count, count);
}
#define MUST_BE(t, ...) \
  must_be((t), (const char *const[]){__VA_ARGS__}, HC_ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

static void must_end(hc_table *t)
{
  hc_error e = {0};
  assert_int_equal(hc_table_next(t, &e), 0);
  assert_int_equal(hc_table_next(t, &e), 0); /* and stay there */
  assert_int_equal(t->count, 0);
  hc_table_close(t);
}

static void must_fail(hc_table *t, hc_rc rc, const char *text, uint32_t line, uint32_t column)
{
  hc_error e = {0};
  hc_rc got;
  while ((got = hc_table_next(t, &e)) == 1) continue;
  assert_int_equal(got, rc);
  assert_string_equal(e.text, text);
  assert_int_equal(e.line, line);
  assert_int_equal(e.column, column);
  hc_table_close(t);
}

static void fields_are_cut(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  open_text(&t, "\xEF\xBB\xBF"
                "a, b ,c\r\n\n  # a comment\n1,,3\n\"x, y\",\" say \"\"so\"\" \" , q\"q\"\n,\nlast");
  MUST_BE(&t, "a", "b", "c"); /* behind the byte order mark */
  MUST_BE(&t, "1", "", "3");
  assert_int_equal(t.line, 4);
  assert_int_equal(t.fields[2].at, 4); /* "3" is the fourth byte of its line */
  assert_string_equal(hc_table_text(&t, 0), "");
  assert_string_equal(hc_table_text(&t, 4), "");
  MUST_BE(&t, "x, y", " say \"so\" ", "q\"q\"");
  MUST_BE(&t, "", "");
  MUST_BE(&t, "last");
  must_end(&t);
  open_text(&t, "");
  must_end(&t);
}

static void separators_are_guessed(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  open_text(&t, "a;b,c;d\n1;2\n");
  MUST_BE(&t, "a", "b,c", "d");
  MUST_BE(&t, "1", "2");
  must_end(&t);
  open_text(&t, "a\t b\t\n");
  MUST_BE(&t, "a", "b", "");
  must_end(&t);
  open_text(&t, "\"a|b|c\",d\n"); /* what is quoted does not count */
  MUST_BE(&t, "a|b|c", "d");
  must_end(&t);
}

static void titles_are_found(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  open_text(&t, "Name,CPUs,cpus\n");
  MUST_BE(&t, "Name", "CPUs", "cpus");
  assert_int_equal(hc_table_keep_titles(&t), 0);
  assert_int_equal(hc_table_column(&t, "cpus"), 3); /* as written, before whatever the case */
  assert_int_equal(hc_table_column(&t, "name"), 1);
  assert_int_equal(hc_table_column(&t, "memory"), 0);
  assert_string_equal(hc_title_near(t.titles, t.title_count, "nmae"), "Name");
  assert_null(hc_title_near(t.titles, t.title_count, "memory"));
  must_end(&t);
}

static void numbers_are_numbers(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  int64_t x = -7;
  double y = -7;
  open_text(&t, "12.0,1.5,nan,-1,0x10,0.07,1e300\n");
  MUST_BE(&t, "12.0", "1.5", "nan", "-1", "0x10", "0.07", "1e300");
  assert_true(hc_table_whole(&t, 1, &x) && x == 12);
  assert_false(hc_table_whole(&t, 2, &x));
  assert_true(hc_table_real(&t, 2, &y) && y == 1.5);
  assert_false(hc_table_real(&t, 3, &y));
  assert_false(hc_table_real(&t, 5, &y));
  assert_true(hc_table_amount(&t, 2, 1, &x) && x == 2);        /* a part is held whole */
  assert_true(hc_table_amount(&t, 6, 64000, &x) && x == 4480); /* not 4481, though 0.07 is not exact */
  assert_false(hc_table_amount(&t, 4, 1, &x));
  assert_false(hc_table_amount(&t, 7, 1, &x));
  assert_false(hc_table_amount(&t, 8, 1, &x)); /* there is no such field */
  assert_int_equal(x, 4480);
  must_end(&t);
}

static void what_is_no_table_is_refused(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  hc_error e = {0};
  char *long_line = malloc(HC_LINE_LIMIT + 3);
  assert_non_null(long_line);
  open_text(&t, "a,b\nc,\"d\n");
  must_fail(&t, HC_EINPUT, "a quote that opens here is not closed in its line; close it", 2, 3);
  open_text(&t, "a,\"b\"c\n");
  must_fail(&t, HC_EINPUT, "text follows a closed quote; double the quotes inside a quoted field", 1, 3);
  write_file("a,b\nc\0d,e\n", 10);
  open_table(&t);
  must_fail(&t, HC_EINPUT, "a NUL byte: this is binary data, not text", 2, 0);
  memset(long_line, 'x', HC_LINE_LIMIT + 2);
  write_file(long_line, HC_LINE_LIMIT + 2);
  open_table(&t);
  must_fail(&t, HC_EINPUT, "the line is too long; give a text file with one row per line", 1, 0);
  memset(long_line, ',', 5000);
  write_file(long_line, 5000);
  open_table(&t);
  must_fail(&t, HC_ELIMIT, "a row of more than 4096 fields", 1, 4097);
  free(long_line);
  assert_int_equal(hc_table_open(&t, hc_default_allocator(), "no/such/table", &e), HC_EIO);
  hc_table_close(&t);
}

/* Lines across the input's blocks of 256 KiB, long and short. */
static void lines_span_blocks(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  FILE *f = fopen(PATH, "wb");
  assert_non_null(f);
  for (int i = 0; i < 20000; i++) assert_true(fprintf(f, "%d,%0*d\n", i, i % 977 + 1, 7) > 0);
  assert_int_equal(fclose(f), 0);
  open_table(&t);
  for (int i = 0; i < 20000; i++) {
    hc_error e = {0};
    int64_t x = -1;
    assert_int_equal(hc_table_next(&t, &e), 1);
    assert_int_equal(t.line, i + 1);
    assert_true(hc_table_whole(&t, 1, &x) && x == i);
    assert_int_equal(hc_table_size(&t, 2), i % 977 + 1);
  }
  must_end(&t);
}

/* ---- archives ---- */

/* A member of a tar archive: its header, its data, zeros to the next 512. */
static void add_member(hc_buffer *b, const char *name, char type, const char *data)
{
  static const char zeros[512];
  char h[512] = {0}, number[32];
  unsigned sum = 0;
  (void)snprintf(h, 100, "%s", name);
  (void)snprintf(number, sizeof number, "%011zo", strlen(data));
  memcpy(h + 124, number, 12);
  memset(h + 148, ' ', 8);
  h[156] = type;
  memcpy(h + 257,
         "ustar\0"
         "00",
         8);
  for (size_t i = 0; i < sizeof h; i++) sum += (unsigned char)h[i];
  (void)snprintf(number, sizeof number, "%06o", sum);
  memcpy(h + 148, number, 7);
  hc_buffer_add(b, h, sizeof h);
  hc_buffer_add(b, data, strlen(data));
  hc_buffer_add(b, zeros, (512 - strlen(data) % 512) % 512);
}

static void end_archive(hc_buffer *b)
{
  static const char zeros[1024];
  hc_buffer_add(b, zeros, sizeof zeros);
  write_file(b->data, b->size);
  hc_buffer_fini(b);
}

static void an_archive_is_its_file(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  hc_buffer b;
  hc_buffer_init(&b, hc_default_allocator());
  add_member(&b, "x/", '5', "");
  add_member(&b, "x/._t.csv", '0', "what some system adds\n");
  add_member(&b, "pax", 'x', "30 mtime=1\n");
  add_member(&b, "x/t.csv", '0', "a,b\n1,2\n3,4");
  end_archive(&b);
  open_table(&t);
  MUST_BE(&t, "a", "b");
  assert_int_equal(t.line, 1);
  MUST_BE(&t, "1", "2");
  MUST_BE(&t, "3", "4"); /* the file ends without a newline */
  must_end(&t);
}

static void other_archives_are_refused(void **state)
{
  HC_UNUSED(state);
  hc_table t;
  hc_buffer b;
  hc_buffer_init(&b, hc_default_allocator());
  add_member(&b, "a.csv", '0', "a\n");
  add_member(&b, "b.csv", '0', "b\n");
  end_archive(&b);
  open_table(&t);
  must_fail(&t, HC_EINPUT, "the tar archive holds more than one file; unpack it and give the file itself", 0,
            0);
  hc_buffer_init(&b, hc_default_allocator());
  add_member(&b, "a/", '5', "");
  end_archive(&b);
  open_table(&t);
  must_fail(&t, HC_EINPUT, "the tar archive holds no file; unpack it and give the file itself", 0, 0);
  hc_buffer_init(&b, hc_default_allocator());
  add_member(&b, "a.csv", '0', "a,b\n");
  add_member(&b, "b.csv", '0', "b\n");
  b.data[1024 + 3] ^= 1; /* its checksum no longer holds */
  end_archive(&b);
  open_table(&t);
  must_fail(&t, HC_EINPUT, "the tar archive is damaged; unpack it and give the file itself", 0, 0);
  hc_buffer_init(&b, hc_default_allocator());
  add_member(&b, "a.csv", '0', "a,b\n1,2\n");
  write_file(b.data, 512 + 6);
  hc_buffer_fini(&b);
  open_table(&t);
  must_fail(&t, HC_EINPUT, "the tar archive stops before its end; unpack it and give the file itself", 0, 0);
}

/* ---- going on ---- */

static void where_it_stands_is_kept(void **state)
{
  HC_UNUSED(state);
  for (int archived = 0; archived < 2; archived++) {
    static const char text[] = "a,b\n1,2\n\n3,4\n5,6\n";
    hc_buffer b;
    hc_buffer_init(&b, hc_default_allocator());
    add_member(&b, "t.csv", '0', text);
    end_archive(&b);
    if (!archived) write_file(text, strlen(text));
    for (int rows = 0; rows <= 4; rows++) {
      hc_table t, u;
      hc_buffer saved;
      hc_error e = {0};
      hc_buffer_init(&saved, hc_default_allocator());
      open_table(&t);
      for (int i = 0; i < rows; i++) assert_int_equal(hc_table_next(&t, &e), 1);
      hc_visitor save = {.calls = &hc_state_calls,
                         .mode = HC_VISIT_SAVE,
                         .allocator = hc_default_allocator(),
                         .out = &saved};
      assert_int_equal(hc_table_visit(&t, &save, &e), 0);
      hc_visitor load = {.calls = &hc_state_calls,
                         .mode = HC_VISIT_LOAD,
                         .allocator = hc_default_allocator(),
                         .in = (const uint8_t *)saved.data,
                         .left = saved.size};
      open_table(&u);
      assert_int_equal(hc_table_next(&u, &e), 1); /* a component reads the titles when it opens */
      assert_int_equal(hc_table_visit(&u, &load, &e), 0);
      for (hc_rc rc = 1; rc == 1;) {
        rc = hc_table_next(&t, &e);
        assert_int_equal(hc_table_next(&u, &e), rc);
        assert_int_equal(t.count, u.count);
        if (rc == 1) assert_int_equal(t.line, u.line);
        assert_string_equal(hc_table_text(&t, 2), hc_table_text(&u, 2));
      }
      hc_table_close(&t);
      hc_table_close(&u);
      hc_buffer_fini(&saved);
    }
  }
  (void)remove(PATH);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_are_cut),
      cmocka_unit_test(separators_are_guessed),
      cmocka_unit_test(titles_are_found),
      cmocka_unit_test(numbers_are_numbers),
      cmocka_unit_test(what_is_no_table_is_refused),
      cmocka_unit_test(lines_span_blocks),
      cmocka_unit_test(an_archive_is_its_file),
      cmocka_unit_test(other_archives_are_refused),
      cmocka_unit_test(where_it_stands_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
