/* test_value.c -- the tree of configuration: reading, places, limits, layers, writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "base/value.h"

typedef struct fixture {
  hc_arena arena;
  hc_buffer out;
  hc_error e;
} fixture;

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  hc_arena_init(&f->arena, hc_default_allocator());
  hc_buffer_init(&f->out, hc_default_allocator());
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  hc_buffer_fini(&f->out);
  hc_arena_fini(&f->arena);
  free(f);
  return 0;
}

static hc_value *read(fixture *f, const char *text)
{
  hc_value *v = NULL;
  memset(&f->e, 0, sizeof f->e);
  if (hc_value_parse(&f->arena, text, strlen(text), "t.yaml", &v, &f->e) < 0)
    fail_msg("%s: %s", text, f->e.text);
  return v;
}

/* The error of a text: its code, place and words. */
static void refuse(fixture *f, const char *text, size_t size, hc_rc rc, uint32_t line, uint32_t column,
                   const char *words)
{
  hc_value *v = NULL;
  memset(&f->e, 0, sizeof f->e);
  assert_int_equal(hc_value_parse(&f->arena, text, size, "t.yaml", &v, &f->e), rc);
  assert_null(v); /* results are only written on success */
  assert_int_equal(f->e.rc, rc);
  assert_string_equal(f->e.where, "t.yaml");
  assert_int_equal(f->e.line, line);
  assert_int_equal(f->e.column, column);
  if (!strstr(f->e.text, words)) fail_msg("'%s' lacks '%s'", f->e.text, words);
}

static const char *json(fixture *f, const hc_value *v)
{
  f->out.size = 0;
  hc_value_write_json(v, &f->out, false);
  return f->out.data;
}

static const char *yaml(fixture *f, const hc_value *v)
{
  f->out.size = 0;
  hc_value_write_yaml(v, &f->out);
  return f->out.data;
}

static void test_read(void **state)
{
  fixture *f = *state;
  hc_value *v = read(f, "policy:\n  select: easy # fast\n  depth: 2\nlist: [1, \"2\", 'it''s', ~]\nempty:\n");
  assert_int_equal(v->kind, HC_VALUE_MAP);
  assert_int_equal(v->count, 3);
  hc_value *policy = hc_value_get(v, "policy"), *depth = hc_value_get(policy, "depth");
  assert_string_equal(hc_value_get(policy, "select")->text, "easy");
  assert_int_equal(depth->line, 3);
  assert_int_equal(depth->column, 10);
  assert_int_equal(depth->key_line, 3);
  assert_int_equal(depth->key_column, 3);
  assert_string_equal(depth->source_line, "  depth: 2");
  assert_string_equal(depth->file, "t.yaml");
  assert_int_equal(depth->origin, HC_FROM_FILE);
  assert_int_equal(policy->key_line, 1);
  assert_string_equal(policy->key_source_line, "policy:"); /* the map's own line is the next one */
  hc_value *list = hc_value_get(v, "list");
  assert_int_equal(list->kind, HC_VALUE_LIST);
  assert_false(list->items[0]->quoted);
  assert_true(list->items[1]->quoted);
  assert_string_equal(list->items[2]->text, "it's");
  assert_int_equal(list->items[2]->column, 16); /* of the quote */
  assert_int_equal(list->items[3]->kind, HC_VALUE_NULL);
  assert_int_equal(hc_value_get(v, "empty")->kind, HC_VALUE_NULL);
  assert_null(hc_value_get(v, "nothing"));
  assert_null(hc_value_get(list, "nothing"));
}

static void test_read_json(void **state)
{
  fixture *f = *state;
  const char *text =
      "{\n\t\"a\": [1, -2.5e3, true, null, \"x\\ty\\u00e9\\/\\\"\"],\n\t\"b\": {\"\": {}, \"c\": []},\n"
      "\t\"d\": \"\\ud83d\\ude00\"\n}";
  assert_string_equal(json(f, read(f, text)), "{\"a\":[1,-2.5e3,true,null,\"x\\ty\xc3\xa9/\\\"\"],"
                                              "\"b\":{\"\":{},\"c\":[]},\"d\":\"\xf0\x9f\x98\x80\"}");
}

static void test_read_forms(void **state)
{
  fixture *f = *state;
  assert_int_equal(read(f, "")->kind, HC_VALUE_NULL);
  assert_int_equal(read(f, "# only a comment\n")->kind, HC_VALUE_NULL);
  assert_int_equal(read(f, "---\n...\n")->kind, HC_VALUE_NULL);
  assert_string_equal(json(f, read(f, "\xef\xbb\xbf"
                                      "a: 1\r\nb: 2\r\n")),
                      "{\"a\":1,\"b\":2}"); /* mark, CRLF */
  assert_string_equal(json(f, read(f, "%YAML 1.2\n---\na: 1\n")), "{\"a\":1}");
  assert_string_equal(json(f, read(f, "a: !!str 12\nb: !!int 3\n")), "{\"a\":\"12\",\"b\":3}");
  assert_string_equal(json(f, read(f, "t: |\n  two\n  lines\n")), "{\"t\":\"two\\nlines\\n\"}");
  assert_string_equal(json(f, read(f, "t: 'a''b\n\n  c \n  d'' '\n")), "{\"t\":\"a'b\\nc d' \"}");
  assert_string_equal(json(f, read(f, "null: 1\n1: 2\n")), "{\"null\":1,\"1\":2}"); /* keys are text */
  assert_string_equal(json(f, read(f, "a: &x {b: [1]}\nc: [*x, *x]\nd: *x\n")),
                      "{\"a\":{\"b\":[1]},\"c\":[{\"b\":[1]},{\"b\":[1]}],\"d\":{\"b\":[1]}}");
}

/* An alias is a copy: changing one use does not change the other. */
static void test_alias_is_copy(void **state)
{
  fixture *f = *state;
  hc_value *v = read(f, "a: &x {b: 1}\nc: *x\n");
  assert_int_equal(
      hc_value_set_path(&f->arena, v, "c.b", hc_value_scalar(&f->arena, "2", HC_FROM_SET), &f->e), 0);
  assert_string_equal(json(f, v), "{\"a\":{\"b\":1},\"c\":{\"b\":2}}");
}

static void test_errors(void **state)
{
  fixture *f = *state;
#define REFUSE(text, rc, line, column, words) refuse(f, text, sizeof(text) - 1, rc, line, column, words)
  REFUSE("a: 1\nb: c: d\n", HC_EINPUT, 2, 5, "\nb: c: d\n    ^"); /* line and caret end the text */
  REFUSE("a:\n  - [1, 2\nb: 3\n", HC_EINPUT, 2, 5, "never closed; add a ']'");
  REFUSE("a: {b: 1\n", HC_EINPUT, 1, 4, "never closed; add a '}'");
  REFUSE("a: \"open\n", HC_EINPUT, 1, 4, "closing quote");
  REFUSE("a: 1\nb: 2\na: 3\n", HC_EINPUT, 3, 1, "'a' stands here again, first on line 1");
  REFUSE("{\"k\": 1, \"k\": 2}", HC_EINPUT, 1, 10, "again");
  REFUSE("a: 1\n---\nb: 2\n", HC_EINPUT, 2, 1, "second document");
  REFUSE("a: *nope\n", HC_EINPUT, 1, 4, "no anchor '&nope'");
  REFUSE("a: &a [1, *a]\n", HC_EINPUT, 1, 11, "never end");
  REFUSE("? [1]\n: 2\n", HC_EINPUT, 1, 3, "a key must be plain text");
  REFUSE("a: &k k\n*k : 1\n", HC_EINPUT, 2, 1, "a key cannot be an alias");
  REFUSE(": 1\n", HC_EINPUT, 1, 1, "a key is missing");
  REFUSE("a: !mine 1\n", HC_EINPUT, 1, 4, "tag");
  REFUSE("a: \0b\n", HC_EINPUT, 1, 4, "NUL byte");
  REFUSE("\xc3\xa9: \xff\n", HC_EINPUT, 1, 4, "not UTF-8");
  REFUSE("\xc3\xa9: \xed\xa0\x80\n", HC_EINPUT, 1, 4, "not UTF-8"); /* a surrogate */
  REFUSE("\xff\xfe"
         "a\0:\0",
         HC_EINPUT, 1, 1, "not UTF-8"); /* UTF-16 */
  REFUSE("a: \"\\0\"\n", HC_EINPUT, 1, 4, "NUL");
  REFUSE("%TAG ! tag:x\n---\na: 1\n", HC_EINPUT, 1, 1, "directive");
  REFUSE("- ? a:\t- b\n", HC_EINPUT, 1, 5, "plain text, not a list or a map");
  REFUSE("a: 1\n\tb: 2\n", HC_EINPUT, 2, 1, "indent with spaces");
  REFUSE("a: 1\n  b: 2\n", HC_EINPUT, 2, 3, "indent all keys of a map alike, by spaces");
  REFUSE("a:\n  b: 1\n c: 2\n", HC_EINPUT, 3, 2, "indented differently");
  REFUSE("- a\nb: 1\n", HC_EINPUT, 2, 1, "no part of what stands above");
  REFUSE("a: - 1\n", HC_EINPUT, 1, 4, "a list may not begin behind a key");
  REFUSE("a: 'x' y\n", HC_EINPUT, 1, 8, "quote the whole value");
  REFUSE("[a]: 1\n", HC_EINPUT, 1, 4, "cannot be a key");
  REFUSE("{[a]: 1}\n", HC_EINPUT, 1, 2, "plain text, not a list or a map");
  REFUSE("a: 1\nb\n", HC_EINPUT, 2, 1, "a colon behind it");
  REFUSE("a: @b\n", HC_EINPUT, 1, 4, "put the text in quotes");
  REFUSE("[a, , b]\n", HC_EINPUT, 1, 5, "remove a comma");
  REFUSE("[a 'b']\n[", HC_EINPUT, 2, 1, "no part");
  REFUSE("['a' b]\n", HC_EINPUT, 1, 6, "a comma is missing");
  REFUSE("a: 'b\nc'\n", HC_EINPUT, 1, 4, "never closed");
  REFUSE("a: \"\\q\"\n", HC_EINPUT, 1, 5, "double a backslash");
  REFUSE("a: \"\\ud800 \"\n", HC_EINPUT, 1, 4, "half a character");
  REFUSE("a: | b\n", HC_EINPUT, 1, 6, "begin the text on the next");
  REFUSE("a: &x *y\n", HC_EINPUT, 1, 7, "an alias can have no anchor");
  REFUSE("a: 1\n...\nb: 2\n", HC_EINPUT, 3, 1, "second document");
#undef REFUSE
}

/* Each against what YAML 1.2.2 says of it: by its examples where the number is given, by its rules
 * otherwise. */
static void test_read_texts(void **state)
{
  fixture *f = *state;
#define READ(text, expected) assert_string_equal(json(f, read(f, text)), expected)
  READ("a: one\n two\n\n\n  three # no part\nb: x#y\n", "{\"a\":\"one two\\n\\nthree\",\"b\":\"x#y\"}");
  READ("a: b:c\nb: -x\nc: ?d\nd: :e\n", "{\"a\":\"b:c\",\"b\":\"-x\",\"c\":\"?d\",\"d\":\":e\"}");
  READ("- a\n  - b\n", "[\"a - b\"]");                   /* indented deeper, it goes on with the text */
  READ("a:\n- 1\n- 2\nb: 3\n", "{\"a\":[1,2],\"b\":3}"); /* 8.22: a list in the column of its key */
  READ("- - 1\n  - 2\n- a: 3\n  b:\n- - - 4\n", "[[1,2],{\"a\":3,\"b\":null},[[4]]]");
  READ("? a\n: - 1\n? b\n", "{\"a\":[1],\"b\":null}");
  READ("a: |+\n x\n\nb: |-\n x\n\nc: |\n x\n\n", "{\"a\":\"x\\n\\n\",\"b\":\"x\",\"c\":\"x\\n\"}"); /* 8.4 */
  READ("a: >\n one\n two\n\n  deeper\n last\n", "{\"a\":\"one two\\n\\n deeper\\nlast\\n\"}");      /* 8.10 */
  READ("a: |2 # the first blank is text\n   x\n  y\n", "{\"a\":\" x\\ny\\n\"}");                    /* 8.2 */
  READ("- |\n x\n- >-\n\n y\n# a comment\n", "[\"x\\n\",\"\\ny\"]");
  READ("--- |\ntop\n", "\"top\\n\"");
  READ("a: \"x \\\n  \\ y\\t \n\n z\"\n", "{\"a\":\"x  y\\t\\nz\"}"); /* 7.5: an escaped line break */
  READ("a: 'x\n  y'\nb: \"x\n\n  y\"\n", "{\"a\":\"x y\",\"b\":\"x\\ny\"}");
  READ("[a: 1, {b, c: }, \"d\":2, e\nf, [], ? g, 'h' ]",
       "[{\"a\":1},{\"b\":null,\"c\":null},{\"d\":2},\"e f\",[],{\"g\":null},\"h\"]");
  READ("{a: [x, # here\ny], b: http://c}", "{\"a\":[\"x\",\"y\"],\"b\":\"http://c\"}");
  READ("a: &x\n  b: 1\nc: &y\n- *x\nd: [*y]\ne: !!str\n",
       "{\"a\":{\"b\":1},\"c\":[{\"b\":1}],\"d\":[[{\"b\":1}]],\"e\":\"\"}");
#undef READ
}

/* A hostile text is refused quickly and without deep recursion, whatever it is made of. */
static void test_limits(void **state)
{
  fixture *f = *state;
  size_t size = (size_t)16 << 20;
  char *text = malloc(size + 1);
  assert_non_null(text);
  memset(text, '[', size + 1);
  refuse(f, text, size + 1, HC_ELIMIT, 0, 0, "16 MiB");
  refuse(f, text, size, HC_ELIMIT, 1, 65, "64 levels");
  refuse(f, text, 65, HC_ELIMIT, 1, 65, "64 levels");
  for (size_t i = 0; i < 400; i++) memcpy(text + 2 * i, "- ", 2);
  refuse(f, text, 800, HC_ELIMIT, 1, 129, "64 levels");
  memset(text, '%', size);
  refuse(f, text, size, HC_EINPUT, 1, 1, "directive");
  for (size_t i = 0; i < size / 4; i++) memcpy(text + 4 * i, "- x\n", 4);
  refuse(f, text, size, HC_ELIMIT, 1000000, 3, "a million");
  free(text);

  const char *bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
  refuse(f, bomb, strlen(bomb), HC_ELIMIT, 6, 29, "aliases expanded");
}

/* Nesting by aliases counts as if it were written out. */
static void test_alias_depth(void **state)
{
  fixture *f = *state;
  char text[512] = "- &a ";
  size_t n = strlen(text);
  for (int i = 0; i < 40; i++) text[n++] = '[';
  for (int i = 0; i < 40; i++) text[n++] = ']';
  text[n++] = '\n';
  text[n++] = '-';
  text[n++] = ' ';
  for (int i = 0; i < 40; i++) text[n++] = '[';
  memcpy(text + n, "*a", 2);
  n += 2;
  for (int i = 0; i < 40; i++) text[n++] = ']';
  refuse(f, text, n, HC_ELIMIT, 2, 43, "deeper than 64");
}

static void test_many_keys(void **state)
{
  fixture *f = *state;
  hc_buffer text;
  hc_value *v = NULL;
  hc_buffer_init(&text, hc_default_allocator());
  for (int i = 0; i < 100000; i++) hc_buffer_printf(&text, "k%d: %d\n", (i * 7919) % 100000, i);
  assert_int_equal(hc_value_parse(&f->arena, text.data, text.size, "t.yaml", &v, &f->e), 0);
  assert_int_equal(v->count, 100000);
  hc_buffer_text(&text, "k42: again\n");
  refuse(f, text.data, text.size, HC_EINPUT, 100001, 1, "'k42' stands here again");
  hc_buffer_fini(&text);
}

static void test_fail(void **state)
{
  fixture *f = *state;
  hc_value *x = read(f, "a:\n  - [1,\ttwo]\n");
  x = hc_value_get(x, "a")->items[0]->items[1];
  assert_int_equal(hc_value_fail(x, &f->e, HC_EUSAGE, "expected a number, got '%s'", x->text), HC_EUSAGE);
  assert_string_equal(f->e.where, "t.yaml");
  assert_int_equal(f->e.line, 2);
  assert_int_equal(f->e.column, 9);
  /* a tab is shown as one space, so that the caret stands right */
  assert_string_equal(f->e.text, "expected a number, got 'two'\n  - [1, two]\n        ^");
  hc_error second = f->e;
  (void)hc_value_fail(x, &f->e, HC_EINPUT, "another");
  assert_memory_equal(&second, &f->e, sizeof second); /* the first failure stays */
  assert_int_equal(hc_value_fail(x, NULL, HC_EINPUT, "no one listens"), HC_EINPUT);

  hc_value *flag = hc_value_scalar(&f->arena, "x", HC_FROM_SET);
  memset(&f->e, 0, sizeof f->e);
  (void)hc_value_fail(flag, &f->e, HC_EUSAGE, "expected a number");
  assert_string_equal(f->e.where, "--set");
  assert_string_equal(f->e.text, "expected a number"); /* no file, no line to show */
}

static void test_fail_key(void **state)
{
  fixture *f = *state;
  hc_value *v = hc_value_get(read(f, "\nselekt:\n  use: easy\n"), "selekt");
  (void)hc_value_fail_key(v, &f->e, HC_EUSAGE, "unknown key '%s'; did you mean 'select'?", v->key);
  assert_int_equal(f->e.line, 2);
  assert_string_equal(f->e.text, "unknown key 'selekt'; did you mean 'select'?\nselekt:\n^");
}

/* However long line and message are, the caret is under its place and the text within its bounds. */
static void test_fail_long(void **state)
{
  fixture *f = *state;
  char text[4000];
  memset(text, 'x', sizeof text);
  memcpy(text, "[a, '", 5);
  for (size_t i = 5; i + 1 < 2000; i += 2) memcpy(text + i, "\xc3\xa9", 2); /* two bytes a column */
  memcpy(text + 2001, "', bad,    ", 11);
  memset(text + 2012, ' ', 1000);
  memcpy(text + 3012, "]", 2);
  text[2000] = 'e';
  hc_value *bad = read(f, text)->items[2];
  assert_string_equal(bad->text, "bad");
  char message[600];
  memset(message, 'm', 599);
  message[599] = '\0';
  (void)hc_value_fail(bad, &f->e, HC_EUSAGE, "%s", message);
  assert_true(strlen(f->e.text) < sizeof f->e.text);
  const char *caret = strrchr(f->e.text, '\n') + 1, *line = strchr(f->e.text, '\n') + 1;
  size_t columns = 0, up_to = strlen(caret) - 1;
  for (; columns < up_to; line++) columns += ((uint8_t)line[1] & 0xc0) != 0x80;
  assert_memory_equal(line, "bad", 3);
  assert_non_null(strstr(f->e.text, "mmm...\n...")); /* both the message and the line were cut */
}

static void test_build(void **state)
{
  fixture *f = *state;
  hc_arena *a = &f->arena;
  hc_value *map = hc_value_map(a);
  assert_int_equal(hc_value_put(a, map, "x", hc_value_scalar(a, "1", HC_FROM_DEFAULT)), 0);
  assert_int_equal(hc_value_put(a, map, "y", hc_value_scalar(a, "2", HC_FROM_DEFAULT)), 0);
  assert_int_equal(hc_value_put(a, map, "x", hc_value_scalar(a, "3", HC_FROM_FLAG)), 0);
  assert_string_equal(json(f, map), "{\"x\":3,\"y\":2}"); /* in its old place */
  assert_int_equal(hc_value_get(map, "x")->origin, HC_FROM_FLAG);
}

static void set(fixture *f, hc_value *root, const char *path, const char *text)
{
  hc_value *item = hc_value_scalar(&f->arena, text, HC_FROM_SET);
  assert_int_equal(hc_value_set_path(&f->arena, root, path, item, &f->e), 0);
}

static void test_parse_setting(void **state)
{
  fixture *f = *state;
  const char *path;
  hc_value *v;
  assert_int_equal(hc_value_parse_setting(&f->arena, "a.b=[1, x=2]", "--set", "path=value", &path, &v, &f->e),
                   0);
  assert_string_equal(path, "a.b"); /* up to the first =; the value is YAML, and may hold others */
  assert_int_equal(v->count, 2);
  assert_string_equal(v->items[1]->text, "x=2");
  assert_int_equal(hc_value_parse_setting(&f->arena, "a=", "--set", "path=value", &path, &v, &f->e), 0);
  assert_int_equal(v->kind, HC_VALUE_NULL);
  static const char *const wrong[] = {"", "a", "=3"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    hc_error e = {0};
    assert_int_equal(hc_value_parse_setting(&f->arena, wrong[i], "--option", "o=1", &path, &v, &e),
                     HC_EUSAGE);
    assert_string_equal(e.where, "--option");
    assert_non_null(strstr(e.text, "expected o=1, got \""));
  }
  hc_error e = {0};
  assert_int_equal(hc_value_parse_setting(&f->arena, "b=[1", "--option", "o=1", &path, &v, &e), HC_EINPUT);
  assert_non_null(strstr(e.where, "--option b"));
}

static void test_set_path(void **state)
{
  fixture *f = *state;
  hc_value *v = read(f, "policy: {select: easy}\nlist: [a, {b: 1}]\nnothing:\n");
  set(f, v, "policy.select.depth", "2"); /* easy is the same as {use: easy} */
  set(f, v, "list.0", "A");
  set(f, v, "list.1.b", "9");
  set(f, v, "list.2", "z"); /* behind the last */
  set(f, v, "new.way.down", "x");
  set(f, v, "nothing.more", "y");
  assert_string_equal(json(f, v), "{\"policy\":{\"select\":{\"use\":\"easy\",\"depth\":2}},"
                                  "\"list\":[\"A\",{\"b\":9},\"z\"],"
                                  "\"nothing\":{\"more\":\"y\"},\"new\":{\"way\":{\"down\":\"x\"}}}");
  hc_value *item = hc_value_scalar(&f->arena, "x", HC_FROM_SET);
  const char *const wrong[] = {"",       ".",        "a..b",    "a.",     ".a",
                               "list.4", "list.3.b", "list.-1", "list.x", "list.1e9"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    memset(&f->e, 0, sizeof f->e);
    assert_int_equal(hc_value_set_path(&f->arena, v, wrong[i], item, &f->e), HC_EUSAGE);
    assert_int_equal(f->e.rc, HC_EUSAGE);
  }
  char deep[400];
  for (size_t i = 0; i < 100; i++) memcpy(deep + 2 * i, "a.", 2);
  deep[199] = '\0';
  assert_int_equal(hc_value_set_path(&f->arena, v, deep, item, NULL), HC_EUSAGE); /* 100 steps */
}

static void expect_merge(fixture *f, const char *under, const char *over, const char *merged)
{
  hc_value *low = read(f, under), *high = read(f, over);
  const char *low_json = hc_arena_printf(&f->arena, "%s", json(f, low));
  const char *high_json = hc_arena_printf(&f->arena, "%s", json(f, high));
  assert_string_equal(json(f, hc_value_merge(&f->arena, low, high)), merged);
  assert_string_equal(json(f, low), low_json); /* neither layer was written to */
  assert_string_equal(json(f, high), high_json);
}

static void test_merge(void **state)
{
  fixture *f = *state;
  expect_merge(f, "{a: 1, b: {c: 2, d: 3}}", "{b: {d: 4, e: 5}, f: 6}",
               "{\"a\":1,\"b\":{\"c\":2,\"d\":4,\"e\":5},\"f\":6}");
  expect_merge(f, "s: {use: easy, depth: 2}", "s: easy", "{\"s\":{\"use\":\"easy\",\"depth\":2}}");
  expect_merge(f, "s: {use: easy, depth: 2}", "s: scan", "{\"s\":\"scan\"}");
  expect_merge(f, "s: {use: easy, depth: 2}", "s: {use: scan, limit: 3}",
               "{\"s\":{\"use\":\"scan\",\"limit\":3}}");
  expect_merge(f, "s: {use: easy, depth: 2}", "s: {use: easy, limit: 3}",
               "{\"s\":{\"use\":\"easy\",\"depth\":2,\"limit\":3}}");
  expect_merge(f, "s: easy", "s: {depth: 2}", "{\"s\":{\"use\":\"easy\",\"depth\":2}}");
  expect_merge(f, "s: easy", "s: {use: scan}", "{\"s\":{\"use\":\"scan\"}}");
  expect_merge(f, "a: [1, 2, 3]", "a: [4]", "{\"a\":[4]}"); /* lists are replaced */
  expect_merge(f, "a: {b: 1}", "a: 5", "{\"a\":5}");        /* no component in the way */
  expect_merge(f, "a: {b: 1}", "a:", "{\"a\":null}");
  expect_merge(f, "a:", "a: {b: 1}", "{\"a\":{\"b\":1}}");
  assert_ptr_equal(hc_value_merge(&f->arena, NULL, NULL), NULL);
}

static void test_write_json(void **state)
{
  fixture *f = *state;
  hc_value *v = read(
      f, "[+3, .5, -.5, 5., 1_000, 007, 0x1F, .inf, 1e5, -0, True, yes, \"true\", \"5\", 1__0, +, 1.e2]");
  assert_string_equal(json(f, v),
                      "[3,0.5,-0.5,5,1000,\"007\",\"0x1F\",\".inf\",1e5,-0,true,\"yes\",\"true\",\"5\","
                      "\"1__0\",\"+\",1e2]");
  f->out.size = 0;
  hc_value_write_json(read(f, "{a: [1, {}], b: {c: x}}"), &f->out, true);
  assert_string_equal(f->out.data,
                      "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": \"x\"\n  }\n}");
}

static void test_write_yaml(void **state)
{
  fixture *f = *state;
  const char *text = "policy:\n"
                     "  order: -(wait / request)^3 * procs\n"
                     "  select:\n"
                     "    use: easy\n"
                     "    depth: 2\n"
                     "list:\n"
                     "  - 1\n"
                     "  - \"1\"\n"
                     "  - a: x\n"
                     "    b: y\n"
                     "  - - deep\n"
                     "    - - deeper\n"
                     "  - []\n"
                     "  - {}\n"
                     "\"key: odd\": \"#no comment\"\n"
                     "date: 2003-06-01 00:00:00\n"
                     "text: \"two\\nlines \\x7f\"\n"
                     "none: null\n";
  assert_string_equal(yaml(f, read(f, text)), text); /* what it writes is its own fixed point */
  hc_value *map = hc_value_map(&f->arena);
  char key[1500];
  memset(key, 'k', sizeof key - 1);
  key[sizeof key - 1] = '\0';
  assert_int_equal(hc_value_put(&f->arena, map, key, hc_value_scalar(&f->arena, "", HC_FROM_SET)), 0);
  hc_value *again = read(f, yaml(f, map)); /* a key too long for "key: value" */
  assert_string_equal(hc_value_get(again, key)->text, "");
}

static void test_file(void **state)
{
  fixture *f = *state;
  hc_value *v = NULL;
  assert_int_equal(hc_value_parse_file(&f->arena, "no/such/file.yaml", &v, &f->e), HC_EIO);
  assert_non_null(strstr(f->e.text, "No such file"));
  memset(&f->e, 0, sizeof f->e);
  assert_int_equal(hc_value_parse_file(&f->arena, ".", &v, &f->e), HC_EIO);
  assert_non_null(strstr(f->e.text, "directory"));
  assert_null(v);
}

/* Memory that ends at the n-th call: an error, no leak, no crash. */
typedef struct failing {
  int left;
} failing;

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  failing *x = ctx;
  if (new_size > 0 && x->left-- <= 0) return NULL;
  return hc_default_allocator()->resize(NULL, p, old_size, new_size);
}

static void test_out_of_memory(void **state)
{
  const char *text =
      "a: &a [1, {b: 2}, e: f]\nc: *a\nd: 'it''s'\n? g\n: |\n  text\nh: two\n  lines\ni:\n- j: \"\\t\"\n";
  hc_rc rc = HC_ENOMEM;
  HC_UNUSED(state);
  for (int n = 0; rc != 0; n++) {
    failing x = {n};
    hc_allocator memory = {&x, failing_resize, NULL};
    hc_arena arena;
    hc_value *v = NULL;
    hc_error e = {0};
    hc_arena_init(&arena, &memory);
    rc = hc_value_parse(&arena, text, strlen(text), "t.yaml", &v, &e);
    assert_true(rc == 0 || (rc == HC_ENOMEM && e.rc == rc && !v));
    hc_arena_fini(&arena);
    assert_true(n < 100);
  }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(test_read),          TEST(test_read_json),     TEST(test_read_forms), TEST(test_read_texts),
      TEST(test_alias_is_copy), TEST(test_errors),        TEST(test_limits),     TEST(test_alias_depth),
      TEST(test_many_keys),     TEST(test_fail),          TEST(test_fail_key),   TEST(test_fail_long),
      TEST(test_build),         TEST(test_parse_setting), TEST(test_set_path),   TEST(test_merge),
      TEST(test_write_json),    TEST(test_write_yaml),    TEST(test_file),       TEST(test_out_of_memory)};
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
