/* test_extsort.c -- sorting a trace on disk: order, bytes kept, and nothing left behind. */
#define _GNU_SOURCE
#include "workload_test.h"

#include <dirent.h>
#include <sys/stat.h>

#include "workload/extsort.h"

#define LEAST ((size_t)1 << 20) /* the least memory that is taken */

typedef struct place {
  char dir[64], in[96], out[96];
} place;

static place make_place(const char *text, size_t size)
{
  place p;
  FILE *f;
  snprintf(p.dir, sizeof p.dir, "/tmp/hindcast-sort-test-XXXXXX");
  assert_non_null(mkdtemp(p.dir));
  snprintf(p.in, sizeof p.in, "%s/in.swf", p.dir);
  snprintf(p.out, sizeof p.out, "%s/out.swf", p.dir);
  f = fopen(p.in, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, size, f), size);
  fclose(f);
  return p;
}

static size_t files_in(const char *dir)
{
  DIR *d = opendir(dir);
  size_t n = 0;
  assert_non_null(d);
  for (struct dirent *e = readdir(d); e; e = readdir(d)) n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
  closedir(d);
  return n;
}

static char *read_all(const char *path, size_t *size)
{
  FILE *f = fopen(path, "rb");
  struct stat st;
  char *text;
  assert_non_null(f);
  assert_int_equal(stat(path, &st), 0);
  text = test_malloc((size_t)st.st_size + 1);
  *size = fread(text, 1, (size_t)st.st_size, f);
  text[*size] = '\0';
  fclose(f);
  return text;
}

static void clean(const place *p)
{
  unlink(p->in);
  unlink(p->out);
  rmdir(p->dir);
}

static void check_sorted(const char *in, const char *expect)
{
  const place p = make_place(in, strlen(in));
  hc_error e = {0};
  size_t size;
  assert_int_equal(hc_trace_sort(hc_default_allocator(), p.in, p.out, 0, &e), 0);
  char *got = read_all(p.out, &size);
  assert_string_equal(got, expect);
  assert_int_equal(files_in(p.dir), 2); /* the input and the output */
  test_free(got);
  clean(&p);
}

#define REST " 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1"

static void test_small(void **state)
{
  HC_UNUSED(state);
  check_sorted("; MaxProcs: 4\n; Note:  two  blanks\n"
               "3  10" REST " {1,2}\n"
               "2\t10" REST "\n"
               "9 2.5" REST "\n"
               "; in between\n"
               "8 -1" REST "\n"
               "nonsense\n"
               "1 1e1" REST "   \n"
               "7 0" REST, /* no newline at the end */
               "; MaxProcs: 4\n; Note:  two  blanks\n; in between\n"
               "8 -1" REST "\nnonsense\n" /* without a time of submission: first, as they stood */
               "7 0" REST "\n"
               "9 2.5" REST "\n"
               "1 1e1" REST "   \n"
               "2\t10" REST "\n"
               "3  10" REST " {1,2}\n");
  check_sorted("id submit wait\n2 5" REST "\n1 5" REST "\n", "id submit wait\n1 5" REST "\n2 5" REST "\n");
  check_sorted("", "");
}

static void test_stable(void **state)
{
  HC_UNUSED(state);
  check_sorted("1 5 b\n1 5 a\n1 4 z\n1 5 c\n", "1 4 z\n1 5 b\n1 5 a\n1 5 c\n");
}

/* Lines of `n` rows in an order that a multiplier scrambles; checked against what it must be. */
static void check_runs(size_t n, size_t step)
{
  char *text = test_malloc(n * 80);
  size_t at = 0, size;
  hc_error e = {0};
  for (size_t i = 0; i < n; i++) {
    const size_t k = i * step % n;
    at += (size_t)sprintf(text + at, "%zu %zu" REST "\n", k, k / 3);
  }
  const place p = make_place(text, at);
  assert_int_equal(hc_trace_sort(hc_default_allocator(), p.in, p.out, LEAST, &e), 0);
  char *got = read_all(p.out, &size);
  assert_int_equal(size, at);
  const char *line = got;
  for (size_t k = 0; k < n; k++) {
    char expect[80];
    const int length = snprintf(expect, sizeof expect, "%zu %zu" REST "\n", k, k / 3);
    assert_memory_equal(line, expect, (size_t)length);
    line += length;
  }
  assert_int_equal(files_in(p.dir), 2);
  test_free(got);
  test_free(text);
  clean(&p);
}

static void test_runs_on_disk(void **state)
{
  HC_UNUSED(state);
  check_runs(20000, 1);     /* sorted already, in several runs */
  check_runs(20000, 7919);  /* scrambled, merged at once */
  check_runs(80000, 77773); /* more runs than 1 MiB has buffers for: merged twice */
}

/* Lines of one time and id keep their order across runs on disk too: those of the first run come first. So do
 * equal ones among others. */
static void test_stable_across_runs(void **state)
{
  const size_t n = 20000; /* 1.6 MB, in several runs of what 1 MiB holds */
  char *text = test_malloc(n * 80), *expect = test_malloc(n * 80);
  size_t at = 0, size, half = 0;
  HC_UNUSED(state);
  for (size_t i = 0; i < n; i++) at += (size_t)sprintf(text + at, "1 %d %zu" REST "\n", i % 2 ? 7 : 5, i);
  for (size_t odd = 0; odd < 2; odd++)
    for (size_t i = odd; i < n; i += 2)
      half += (size_t)sprintf(expect + half, "1 %d %zu" REST "\n", i % 2 ? 7 : 5, i);
  const place p = make_place(text, at);
  hc_error e = {0};
  assert_int_equal(hc_trace_sort(hc_default_allocator(), p.in, p.out, LEAST, &e), 0);
  char *got = read_all(p.out, &size);
  assert_int_equal(size, at);
  assert_memory_equal(got, expect, at);
  test_free(got);
  test_free(text);
  test_free(expect);
  clean(&p);
}

static void test_nothing_left_behind(void **state)
{
  char text[] = "2 5" REST "\n1 5" REST "\n";
  place p = make_place(text, sizeof text); /* with its NUL: binary */
  hc_error e = {0};
  HC_UNUSED(state);
  assert_true(hc_trace_sort(hc_default_allocator(), p.in, p.out, 0, &e) < 0);
  assert_int_equal(files_in(p.dir), 1);
  e = (hc_error){0};
  assert_int_equal(hc_trace_sort(hc_default_allocator(), "/nonexistent/x.swf", p.out, 0, &e), HC_EIO);
  e = (hc_error){0};
  clean(&p);
  p = make_place(text, sizeof text - 1);
  assert_int_equal(hc_trace_sort(hc_default_allocator(), p.in, "/nonexistent/x/out.swf", 0, &e), HC_EIO);
  assert_int_equal(files_in(p.dir), 1);
  clean(&p);
}

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  int64_t *left = ctx;
  if (new_size > old_size && (*left)-- <= 0) return NULL;
  return hc_default_allocator()->resize(NULL, p, old_size, new_size);
}

static void test_out_of_memory(void **state)
{
  const size_t n = 12000;
  char *text = test_malloc(n * 80);
  size_t at = 0;
  HC_UNUSED(state);
  for (size_t i = 0; i < n; i++) at += (size_t)sprintf(text + at, "%zu %zu" REST "\n", i, n - i);
  const place p = make_place(text, at);
  bool failed = true;
  for (int64_t k = 0; failed && k < 300; k++) { /* each allocation in turn fails */
    int64_t left = k;
    const hc_allocator a = {&left, failing_resize, NULL};
    hc_error e = {0};
    const hc_rc rc = hc_trace_sort(&a, p.in, p.out, LEAST, &e);
    failed = rc != 0;
    if (failed) assert_int_equal(rc, HC_ENOMEM);
    assert_int_equal(files_in(p.dir), failed ? 1 : 2);
  }
  assert_false(failed);
  test_free(text);
  clean(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small),
      cmocka_unit_test(test_stable),
      cmocka_unit_test(test_stable_across_runs),
      cmocka_unit_test(test_runs_on_disk),
      cmocka_unit_test(test_nothing_left_behind),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
