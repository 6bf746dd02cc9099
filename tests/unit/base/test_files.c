/* test_files.c -- texts in memory as files: every name that leads to one, every one that does not, and
 * whatever reads files reads them alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/input.h"
#include "base/util.h"
#include "base/value.h"

typedef struct fixture {
  hc_allocator memory; /* with the texts */
  hc_texts *texts;
  hc_error e;
} fixture;

static void add(fixture *f, const char *name, const char *text)
{
  assert_int_equal(hc_texts_add(f->texts, name, text, strlen(text), &f->e), 0);
}

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  assert_int_equal(hc_texts_new(hc_default_allocator(), &f->texts), 0);
  f->memory = *hc_default_allocator();
  f->memory.files = hc_texts_files(f->texts);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  hc_texts_free(((fixture *)*state)->texts);
  free(*state);
  return 0;
}

/* The file as lines joined by |; NULL if it cannot be opened. */
static const char *lines_of(fixture *f, const char *name)
{
  static char out[256];
  hc_input *in;
  char *line;
  size_t length, n = 0;
  f->e = (hc_error){0};
  if (hc_input_open(&f->memory, name, &in, &f->e) < 0) return NULL;
  while (hc_input_line(in, &line, &length, &f->e) == 1) {
    memcpy(out + n, line, length);
    n += length;
    out[n++] = '|';
  }
  out[n] = '\0';
  hc_input_free(in);
  return f->e.rc ? NULL : out;
}

static void texts_are_read_by_name(void **state)
{
  fixture *f = *state;
  add(f, "a.txt", "one\ntwo");
  add(f, "./d//b.txt", "three\n"); /* only what leads the name means nothing */
  add(f, "empty", "");
  assert_string_equal(lines_of(f, "a.txt"), "one|two|");
  assert_string_equal(lines_of(f, "././a.txt"), "one|two|");
  assert_string_equal(lines_of(f, "d//b.txt"), "three|");
  assert_string_equal(lines_of(f, "empty"), "");
  add(f, "a.txt", "other"); /* takes its place */
  assert_string_equal(lines_of(f, "a.txt"), "other|");
  char mine[] = "mine";
  assert_int_equal(hc_texts_copy(f->texts, "copy", mine, 4, &f->e), 0);
  mine[0] = 'x';
  assert_string_equal(lines_of(f, "copy"), "mine|");
}

/* What is packed is unpacked, wherever it lies; and from its beginning again. */
static void packed_texts_are_unpacked(void **state)
{
  static const char packed[] =
      "\037\213\010\000\000\000\000\000\002\377\113\344\112\342\002\000\227\052\127\030\004\000\000\000";
  fixture *f = *state;
  char *line;
  size_t length;
  hc_input *in;
  assert_int_equal(hc_texts_add(f->texts, "ab.gz", packed, sizeof packed - 1, &f->e), 0);
  assert_int_equal(hc_input_open(&f->memory, "ab.gz", &in, &f->e), 0);
  for (int twice = 0; twice < 2; twice++) {
    assert_int_equal(hc_input_line(in, &line, &length, &f->e), 1);
    assert_string_equal(line, "a");
    assert_int_equal(hc_input_line(in, &line, &length, &f->e), 1);
    assert_string_equal(line, "b");
    assert_int_equal(hc_input_line(in, &line, &length, &f->e), 0);
    assert_int_equal(hc_input_seek(in, 0, 0, &f->e), 0);
  }
  hc_input_free(in);
  assert_int_equal(hc_texts_add(f->texts, "cut.gz", packed, sizeof packed - 5, &f->e), 0);
  assert_null(lines_of(f, "cut.gz"));
  assert_non_null(strstr(f->e.text, "truncated"));
}

/* The error names what there is, so that a slip is seen. */
static void unknown_names_say_which_are_known(void **state)
{
  fixture *f = *state;
  assert_null(lines_of(f, "log.swf"));
  assert_int_equal(f->e.rc, HC_EIO);
  assert_non_null(strstr(f->e.text, "nor any other"));
  add(f, "lag.swf", "1");
  add(f, "run.yaml", "2");
  assert_null(lines_of(f, "log.swf"));
  assert_string_equal(f->e.where, "log.swf");
  assert_non_null(strstr(f->e.text, "the names given are lag.swf, run.yaml"));
  assert_null(lines_of(f, "-"));
  assert_non_null(strstr(f->e.text, "no standard input"));
  add(f, "d/x", "3");
  assert_null(lines_of(f, "d"));
  assert_non_null(strstr(f->e.text, "directory"));
  for (int i = 0; i < 200; i++) { /* more than a message holds */
    char name[32];
    (void)snprintf(name, sizeof name, "a-longer-name-%d.txt", i);
    add(f, name, "");
  }
  assert_null(lines_of(f, "log.swf"));
  assert_non_null(strstr(f->e.text, ", ..."));
  f->e = (hc_error){0};
  static const char *const none[] = {"", "-", "./", "d/"};
  for (size_t i = 0; i < HC_ARRAY_LEN(none); i++) {
    assert_int_equal(hc_texts_add(f->texts, none[i], "x", 1, &f->e), HC_EUSAGE);
    f->e = (hc_error){0};
  }
}

static hc_rc join(void *ctx, const char *name, hc_file_kind kind, uint64_t size, hc_error *e)
{
  char *out = ctx;
  HC_UNUSED(e);
  (void)sprintf(out + strlen(out), "%s:%d:%d ", name, (int)kind, (int)size);
  return 0;
}

static const char *expanded(fixture *f, const char *name)
{
  static char out[512];
  out[0] = '\0';
  f->e = (hc_error){0};
  return hc_files_expand(&f->memory, name, join, out, &f->e) < 0 ? NULL : out;
}

static void directories_and_patterns(void **state)
{
  fixture *f = *state;
  add(f, "t/part-2.csv", "22");
  add(f, "t/part-1.csv", "1");
  add(f, "t/.hidden", "x");
  add(f, "t/more/part-3.csv", "333");
  add(f, "b", "4");
  add(f, "a", "");
  assert_string_equal(expanded(f, "t"), "t/part-1.csv:1:1 t/part-2.csv:1:2 ");
  assert_string_equal(expanded(f, "t/"), "t/part-1.csv:1:1 t/part-2.csv:1:2 ");
  assert_string_equal(expanded(f, "./t/*-2*"), "./t/part-2.csv:1:2 ");
  assert_string_equal(expanded(f, "?"), "a:1:0 b:1:1 ");
  assert_string_equal(expanded(f, "b"), "b:1:1 ");
  assert_string_equal(expanded(f, "c"), "c:0:0 "); /* opening it says what is wrong */
  assert_string_equal(expanded(f, "-"), "-:0:0 ");
  assert_null(expanded(f, "t/*.gz"));
  assert_non_null(strstr(f->e.text, "matches \"*.gz\""));
}

static void patterns(void **state)
{
  static const struct {
    const char *text, *pattern;
    bool is_match;
  } all[] = {{"", "", true},
             {"", "*", true},
             {"a", "", false},
             {"abc", "a*c", true},
             {"abc", "a?c", true},
             {"ac", "a?c", false},
             {"aXbXc", "a*X*c", true},
             {"abcd", "*b*d", true},
             {"abc", "*b", false},
             {"a.b", "a.b", true},
             {"mississippi", "*is*pi", true},
             {"abc", "***", true},
             {"abc", "?*?*?", true},
             {"ab", "?*?*?", false}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++)
    if (hc_text_matches(all[i].text, all[i].pattern) != all[i].is_match)
      fail_msg("\"%s\" and \"%s\"", all[i].text, all[i].pattern);
}

/* Line by line, whole, and summed: of a size that takes several blocks. Then again from the middle. */
static void all_ways_of_reading_agree(void **state)
{
  fixture *f = *state;
  const size_t lines = 100000, size = lines * 8;
  char *text = malloc(size), *line, *whole;
  size_t length, got, cap;
  hc_input *in;
  hc_hash hash, wanted;
  uint64_t bytes, a[2], b[2];
  assert_non_null(text);
  for (size_t i = 0; i < lines; i++) { /* 0000000\n, 0000001\n ... */
    size_t rest = i;
    for (int d = 6; d >= 0; d--, rest /= 10) text[i * 8 + (size_t)d] = (char)('0' + rest % 10);
    text[i * 8 + 7] = '\n';
  }
  assert_int_equal(hc_texts_add(f->texts, "long", text, size, &f->e), 0);
  assert_int_equal(hc_files_read(&f->memory, "long", size, &whole, &got, &cap, &f->e), 0);
  assert_int_equal(got, size);
  assert_memory_equal(whole, text, size);
  hc_free(&f->memory, whole, cap);
  assert_int_equal(hc_files_read(&f->memory, "long", 99999, &whole, &got, &cap, &f->e), 0);
  assert_int_equal(got, 100000); /* one more than the limit, to tell that there is more */
  hc_free(&f->memory, whole, cap);
  assert_int_equal(hc_files_sum(&f->memory, "long", &bytes, &hash, &f->e), 0);
  hc_hash_init(&wanted);
  hc_hash_add(&wanted, text, size);
  hc_hash_end(&hash, a);
  hc_hash_end(&wanted, b);
  assert_int_equal(bytes, size);
  assert_memory_equal(a, b, sizeof a);
  assert_int_equal(hc_input_open(&f->memory, "long", &in, &f->e), 0);
  assert_true(hc_input_seekable(in));
  for (size_t i = 0; i < lines; i++) {
    assert_int_equal(hc_input_line(in, &line, &length, &f->e), 1);
    assert_memory_equal(line, text + i * 8, 7);
  }
  assert_int_equal(hc_input_line(in, &line, &length, &f->e), 0);
  assert_int_equal(hc_input_seek(in, 8 * 77777, 77777, &f->e), 0);
  assert_int_equal(hc_input_line(in, &line, &length, &f->e), 1);
  assert_string_equal(line, "0077777");
  assert_int_equal(hc_input_seek(in, size + 1, 0, &f->e), HC_EINPUT);
  assert_non_null(strstr(f->e.text, "shorter"));
  hc_input_free(in);
  free(text);
}

/* `$here/` is where the text's name says, as with files. */
static void yaml_knows_where_it_stands(void **state)
{
  fixture *f = *state;
  hc_arena arena;
  hc_value *v;
  add(f, "runs/x.yaml", "a: $here/log.swf\n");
  add(f, "x.yaml", "a: $here/log.swf\n");
  add(f, "none.yaml", "");
  hc_arena_init(&arena, &f->memory);
  assert_int_equal(hc_value_parse_file(&arena, "runs/x.yaml", &v, &f->e), 0);
  assert_string_equal(hc_value_get(v, "a")->text, "runs/log.swf");
  assert_int_equal(hc_value_parse_file(&arena, "x.yaml", &v, &f->e), 0);
  assert_string_equal(hc_value_get(v, "a")->text, "log.swf");
  assert_int_equal(hc_value_parse_file(&arena, "none.yaml", &v, &f->e), 0);
  assert_int_equal(v->kind, HC_VALUE_NULL);
  assert_int_equal(hc_value_parse_file(&arena, "y.yaml", &v, &f->e), HC_EIO);
  hc_arena_fini(&arena);
}

/* A table whose device fails in the middle. */
static hc_rc open_bad(void *ctx, const char *name, hc_file *out, hc_error *e)
{
  HC_UNUSED(ctx);
  HC_UNUSED(name);
  HC_UNUSED(e);
  *out = (hc_file){0};
  return 0;
}

static hc_rc read_bad(void *ctx, hc_file *file, void *data, size_t room, hc_error *e)
{
  HC_UNUSED(ctx);
  if (file->number++ > 0) return hc_fail(e, HC_EIO, NULL, 0, 0, "the line is down");
  memset(data, 'x', HC_MIN(room, 4));
  ((char *)data)[3] = '\n';
  return 4;
}

static void close_bad(void *ctx, hc_file *file)
{
  HC_UNUSED(file);
  ++*(int *)ctx;
}

static void failing_tables_are_errors_with_a_place(void **state)
{
  fixture *f = *state;
  int closed = 0;
  const hc_files bad = {.ctx = &closed, .open = open_bad, .read = read_bad, .close = close_bad};
  char *line, *whole;
  size_t length, size, cap;
  hc_input *in;
  f->memory.files = &bad;
  assert_int_equal(hc_input_open(&f->memory, "far", &in, &f->e), 0);
  assert_int_equal(hc_input_line(in, &line, &length, &f->e),
                   HC_EIO); /* ten bytes are wanted, to see what it is */
  assert_string_equal(f->e.where, "far");
  assert_non_null(strstr(f->e.text, "the line is down"));
  hc_input_free(in);
  f->e = (hc_error){0};
  assert_int_equal(hc_files_read(&f->memory, "far", 100, &whole, &size, &cap, &f->e), HC_EIO);
  assert_null(whole);
  assert_int_equal(closed, 2);
}

typedef struct scarce {
  int left;
  int64_t held;
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  if (new_size > 0 && s->left-- == 0) return NULL;
  void *q = hc_default_allocator()->resize(NULL, p, old_size, new_size);
  s->held += (int64_t)new_size - (int64_t)old_size;
  return q;
}

static hc_rc use_texts(const hc_allocator *a, hc_error *e)
{
  hc_texts *t;
  char out[256] = "";
  hc_rc rc;
  TRY(hc_texts_new(a, &t));
  hc_allocator with = *a;
  with.files = hc_texts_files(t);
  rc = hc_texts_copy(t, "d/one", "1", 1, e);
  if (rc >= 0) rc = hc_texts_add(t, "d/two", "2", 1, e);
  if (rc >= 0) rc = hc_texts_copy(t, "d/one", "11", 2, e);
  if (rc >= 0) rc = hc_files_expand(&with, "d/*", join, out, e);
  if (rc >= 0) assert_string_equal(out, "d/one:1:2 d/two:1:1 ");
  hc_texts_free(t);
  return rc;
}

static void out_of_memory(void **state)
{
  int n = 0;
  HC_UNUSED(state);
  for (hc_rc rc = HC_ENOMEM; rc < 0; n++) {
    scarce s = {.left = n};
    const hc_allocator a = {&s, scarce_resize, NULL};
    hc_error e = {0};
    rc = use_texts(&a, &e);
    if (rc < 0) assert_int_equal(rc, HC_ENOMEM);
    assert_int_equal(s.held, 0);
    assert_true(n < 100);
  }
  assert_true(n > 6);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(texts_are_read_by_name),
      TEST(packed_texts_are_unpacked),
      TEST(unknown_names_say_which_are_known),
      TEST(directories_and_patterns),
      TEST(patterns),
      TEST(all_ways_of_reading_agree),
      TEST(yaml_knows_where_it_stands),
      TEST(out_of_memory),
      TEST(failing_tables_are_errors_with_a_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
