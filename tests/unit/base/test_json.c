/* test_json.c -- JSON token by token: every form is read, everything else refused where it stands; and how it
 * is written. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/util.h"

static hc_json *open_text(const char *text, size_t size, int *fd)
{
  char path[64];
  hc_error e = {0};
  hc_json *j = NULL;
  *fd = memfd_create("json", MFD_CLOEXEC);
  assert_true(*fd >= 0);
  assert_int_equal(write(*fd, text, size), (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", *fd);
  assert_int_equal(hc_json_open(hc_default_allocator(), path, &j, &e), 0);
  return j;
}

/* All tokens as text: `{`, `key:`, `"text"`, `number`, and `.` where something ends. */
static hc_rc print_all(hc_json *j, char *out, size_t size, hc_error *e)
{
  size_t n = 0, open = 0;
  hc_rc rc;
  out[0] = '\0';
  for (;;) {
    hc_json_token t;
    const char *format = "%s ";
    rc = hc_json_next(j, &t, e);
    if (rc < 0) return rc;
    if (rc == 0) {
      n += (size_t)snprintf(out + n, size - n, ". ");
      if (open-- == 0) return 0;
      continue;
    }
    if (t.kind == HC_JSON_OBJECT || t.kind == HC_JSON_ARRAY) open++;
    if (t.kind == HC_JSON_STRING) format = "\"%s\" ";
    if (t.kind == HC_JSON_KEY) format = "%s: ";
    const char *const names[] = {"null", "false", "true", t.text, t.text, t.text, "{", "["};
    n += (size_t)snprintf(out + n, size - n, format, names[t.kind]);
  }
}

static void expect(const char *text, const char *tokens)
{
  char got[512];
  hc_error e = {0};
  int fd;
  hc_json *j = open_text(text, strlen(text), &fd);
  if (print_all(j, got, sizeof got, &e) < 0) fail_msg("%s: %s", text, e.text);
  assert_string_equal(got, tokens);
  hc_json_free(j);
  close(fd);
}

static void refuse(const char *text, size_t size, uint32_t line, uint32_t column)
{
  char got[512];
  hc_error e = {0};
  int fd;
  hc_json *j = open_text(text, size, &fd);
  if (print_all(j, got, sizeof got, &e) != HC_EINPUT) fail_msg("%s was read as %s", text, got);
  if (e.line != line || e.column != column) fail_msg("%s: %u:%u %s", text, e.line, e.column, e.text);
  assert_true(e.text[0] != '\0');
  hc_json_free(j);
  close(fd);
}

static void test_every_form(void **state)
{
  HC_UNUSED(state);
  expect("{}", "{ . . ");
  expect(" [ ] \n", "[ . . ");
  expect("\xef\xbb\xbf[1]", "[ 1 . . ");
  expect(
      "[0,-0,12,0.5,-1.25e+10,1E-3,99999999999999999999.000000001]",
      "[ 0 -0 12 0.5 -1.25e+10 1E-3 99999999999999999999.000000001 . . "); /* as written, not as a double */
  expect("[true,false,null]", "[ true false null . . ");
  expect("{\"a\":{\"b\":[1,{\"c\":\"d\"}]},\"e\":2}", "{ a: { b: [ 1 { c: \"d\" . . . e: 2 . . ");
  expect("\"alone\"", "\"alone\" . ");
  expect("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[ \"\"\\/\b\f\n\r\t\" . . ");
  expect("[\"\\u0041\\u00e9\\u20ac\\uD83D\\ude00\"]", "[ \"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\" . . ");
  expect("{\"a\":1,\"a\":2}", "{ a: 1 a: 2 . . "); /* whose reader knows which keys may come twice */
}

static void test_refused_where_it_stands(void **state)
{
  const struct {
    const char *text;
    uint32_t line, column;
  } bad[] = {
      {"", 1, 1},
      {"[", 1, 2},
      {"[1", 1, 3},
      {"[1,]", 1, 4},
      {"[,1]", 1, 2},
      {"[1 2]", 1, 4},
      {"{\"a\"}", 1, 5},
      {"{\"a\":}", 1, 6},
      {"{a:1}", 1, 2},
      {"{\"a\":1,}", 1, 8},
      {"[1}", 1, 3},
      {"{\"a\":1]", 1, 7},
      {"[01]", 1, 3},
      {"[1.]", 1, 4},
      {"[.5]", 1, 2},
      {"[-]", 1, 3},
      {"[1e]", 1, 4},
      {"[+1]", 1, 2},
      {"[NaN]", 1, 2},
      {"[nul]", 1, 5},
      {"[Infinity]", 1, 2},
      {"[0x10]", 1, 3},
      {"['a']", 1, 2},
      {"[\"a]", 1, 5},
      {"[\"a\nb\"]", 1, 4},
      {"[\"\\x\"]", 1, 4},
      {"[\"\\u12\"]", 1, 7},
      {"[\"\\ud800\"]", 1, 9},
      {"[\"\\u0000\"]", 1, 9},
      {"{} x", 1, 4},
      {"{}{}", 1, 3},
      {"\n\n  [1,\n 2,,]", 4, 4},
      {"[1] // why", 1, 5},
      {"[\"\xff\"]", 1, 5},
      {"[\"\\udc00\"]", 1, 9},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++)
    refuse(bad[i].text, strlen(bad[i].text), bad[i].line, bad[i].column);
  refuse("[1,\0 2]", 7, 1, 4);
  refuse("[\"a\0b\"]", 7, 1, 4);
}

static void test_limits(void **state)
{
  char deep[HC_JSON_DEPTH + 2], *text = malloc(HC_JSON_TEXT_LIMIT + 4);
  hc_error e = {0};
  hc_json_token t;
  hc_json *j;
  int fd;
  HC_UNUSED(state);
  memset(deep, '[', sizeof deep);
  refuse(deep, HC_JSON_DEPTH + 1, 1, HC_JSON_DEPTH + 1); /* one level too many */
  refuse(deep, HC_JSON_DEPTH, 1, HC_JSON_DEPTH + 1);     /* deep enough, but not closed */
  assert_non_null(text);
  memset(text, 'x', HC_JSON_TEXT_LIMIT + 4);
  text[0] = text[HC_JSON_TEXT_LIMIT + 1] = '"';
  j = open_text(text, HC_JSON_TEXT_LIMIT + 2, &fd);
  assert_int_equal(hc_json_next(j, &t, &e), 1);
  assert_int_equal(t.size, HC_JSON_TEXT_LIMIT);
  hc_json_free(j);
  close(fd);
  text[HC_JSON_TEXT_LIMIT + 1] = 'x';
  text[HC_JSON_TEXT_LIMIT + 2] = '"';
  refuse(text, HC_JSON_TEXT_LIMIT + 3, 1, (uint32_t)HC_JSON_TEXT_LIMIT + 3);
  free(text);
}

static void test_skip(void **state)
{
  const char text[] = "[{\"a\":[1,[2,{}]],\"b\":{}},[],5,6]";
  hc_error e = {0};
  hc_json_token t;
  int fd;
  hc_json *j = open_text(text, strlen(text), &fd);
  HC_UNUSED(state);
  assert_int_equal(hc_json_next(j, &t, &e), 1); /* the array */
  for (int i = 0; i < 3; i++) {
    assert_int_equal(hc_json_next(j, &t, &e), 1);
    assert_int_equal(hc_json_skip(j, &t, &e),
                     0); /* an object, an empty array, and a number, which has been read */
  }
  assert_int_equal(hc_json_next(j, &t, &e), 1);
  assert_string_equal(t.text, "6");
  assert_int_equal(hc_json_next(j, &t, &e), 0);
  assert_int_equal(hc_json_next(j, &t, &e), 0); /* the text has ended as well */
  hc_json_free(j);
  close(fd);
}

/* One line of 3 MB: no line limit, tokens across blocks, places counted through. */
static void test_one_long_line(void **state)
{
  enum { ITEMS = 500000, WIDTH = 6 };
  char *text = malloc((size_t)ITEMS * WIDTH + 2);
  hc_error e = {0};
  hc_json_token t = {0};
  int fd, n = 0;
  hc_json *j;
  hc_rc rc;
  HC_UNUSED(state);
  assert_non_null(text);
  for (size_t i = 0; i < ITEMS; i++) memcpy(text + i * WIDTH, i ? ",12345" : "[12345", WIDTH);
  text[(size_t)ITEMS * WIDTH] = ']';
  j = open_text(text, (size_t)ITEMS * WIDTH + 1, &fd);
  assert_int_equal(hc_json_next(j, &t, &e), 1);
  while ((rc = hc_json_next(j, &t, &e)) == 1) {
    if (strcmp(t.text, "12345") != 0) fail_msg("item %d is %s", n, t.text);
    n++;
  }
  assert_int_equal(rc, 0);
  assert_int_equal(n, ITEMS);
  assert_int_equal(t.column, (ITEMS - 1) * WIDTH + 2);
  hc_json_free(j);
  close(fd);
  free(text);
}

/* ---- writing ---- */

static void write_all(hc_json_writer *w)
{
  hc_json_enter(w, NULL, '{');
  hc_json_put_text(w, "a \"b\"", "x\ny");
  hc_json_put_text(w, "none", NULL);
  hc_json_enter(w, "list", '[');
  hc_json_enter_line(w, NULL, '{');
  hc_json_put_int(w, "n", -7);
  hc_json_enter(w, "within", '[');
  hc_json_put_bool(w, NULL, true);
  hc_json_put_real(w, NULL, 0.5);
  hc_json_leave(w, ']');
  hc_json_leave(w, '}');
  hc_json_put_raw(w, NULL, "1e3");
  hc_json_leave(w, ']');
  hc_json_enter(w, "empty", '{');
  hc_json_leave(w, '}');
  hc_json_leave(w, '}');
}

static void assert_written(hc_json_writer w, const char *expected)
{
  hc_buffer b;
  hc_buffer_init(&b, hc_default_allocator());
  w.out = &b;
  write_all(&w);
  assert_false(b.failed);
  assert_string_equal(b.data, expected);
  hc_buffer_fini(&b);
}

/* Each member on a line of its own, but for what is entered by line; and without any space. */
static void test_written(void **state)
{
  HC_UNUSED(state);
  assert_written((hc_json_writer){.compact = false}, "{\n"
                                                     "  \"a \\\"b\\\"\": \"x\\ny\",\n"
                                                     "  \"none\": null,\n"
                                                     "  \"list\": [\n"
                                                     "    {\"n\": -7, \"within\": [true, 0.5]},\n"
                                                     "    1e3\n"
                                                     "  ],\n"
                                                     "  \"empty\": {}\n"
                                                     "}\n");
  assert_written((hc_json_writer){.compact = true},
                 "{\"a \\\"b\\\"\":\"x\\ny\",\"none\":null,\"list\":[{\"n\":-7,\"within\":[true,0.5]},1e3],"
                 "\"empty\":{}}");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_form),    cmocka_unit_test(test_refused_where_it_stands),
      cmocka_unit_test(test_limits),        cmocka_unit_test(test_skip),
      cmocka_unit_test(test_one_long_line), cmocka_unit_test(test_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
