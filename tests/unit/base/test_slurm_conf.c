/* test_slurm_conf.c -- lists of hosts in brackets, and the grammar of slurm.conf. What lists stand for is
 * what `scontrol show hostnames` of Slurm 22.05 prints for them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hostlist.h"
#include "base/slurm_conf.h"
#include "base/util.h"
#include "sample.h"

/* ---- lists of hosts ---- */

static hc_rc join(void *ctx, const char *name, hc_error *e)
{
  char *out = ctx;
  const size_t n = strlen(out);
  HC_UNUSED(e);
  (void)snprintf(out + n, 400 - n, "%s%s", n > 0 ? " " : "", name);
  return 0;
}

static hc_rc expand(const char *text, char out[400], hc_error *e)
{
  const hc_hostlist l = {.text = text, .wrong = HC_EINPUT, .where = "x", .line = 7, .take = join, .ctx = out};
  out[0] = '\0';
  *e = (hc_error){0};
  return hc_hostlist_each(&l, e);
}

static void means(const char *text, const char *names)
{
  char out[400];
  hc_error e;
  assert_int_equal(expand(text, out, &e), 0);
  assert_string_equal(out, names);
}

static void test_lists(void **state)
{
  (void)state;
  means("n[01-03,10],gpu[1-2]", "n01 n02 n03 n10 gpu1 gpu2");
  means("r[0-1]n[00-03]", "r0n00 r0n01 r0n02 r0n03 r1n00 r1n01 r1n02 r1n03");
  means("a,b,,c", "a b c");
  means("n[9-11]", "n9 n10 n11");
  means("n[08-11]", "n08 n09 n10 n11");
  means("x[1-2]-ib[0-1]", "x1-ib0 x1-ib1 x2-ib0 x2-ib1");
  means("n[007,3]", "n007 n3");
  means("", "");
}

static void refuses(const char *text, hc_rc rc, const char *words)
{
  char out[400];
  hc_error e;
  const hc_rc got = expand(text, out, &e);
  if (got != rc || e.line != 7 || !strstr(e.text, words)) fail_msg("%s: %d, %s", text, got, e.text);
}

static void test_lists_that_are_none(void **state)
{
  (void)state;
  refuses("n[3-1]", HC_EINPUT, "the range 3-1 ends before it begins");
  refuses("n[]", HC_EINPUT, "brackets hold numbers and ranges");
  refuses("n[1-2", HC_EINPUT, "brackets hold numbers and ranges");
  refuses("n[a]", HC_EINPUT, "expected a number or a range such as 0-4 at \"a]\"");
  refuses("n[1][1][1][1][1]", HC_EINPUT, "at most four pairs");
}

static hc_rc count(void *ctx, const char *name, hc_error *e)
{
  HC_UNUSED(name);
  HC_UNUSED(e);
  ++*(uint64_t *)ctx;
  return 0;
}

static void test_a_name_is_in_a_list(void **state)
{
  const hc_hostlist l = {.text = "n[1-3],gpu[01-02]", .wrong = HC_EINPUT, .where = "x"};
  const hc_hostlist bad = {.text = "n[1-", .wrong = HC_EINPUT, .where = "x"};
  hc_error e = {0};
  (void)state;
  assert_int_equal(hc_hostlist_has(&l, "gpu02", &e), 1);
  assert_int_equal(hc_hostlist_has(&l, "gpu2", &e), 0);
  assert_int_equal(hc_hostlist_has(&bad, "n1", &e), HC_EINPUT);
}

/* As many hosts as a cell may have, and no more. */
static void test_there_is_a_limit(void **state)
{
  uint64_t seen = 0;
  hc_error e = {0};
  (void)state;
  hc_test_skip_repeated();
  const hc_hostlist l = {.text = "n[0-99]x[0-999999999]", .take = count, .ctx = &seen};
  assert_int_equal(hc_hostlist_each(&l, &e), HC_ELIMIT);
  assert_int_equal(seen, UINT64_C(1) << 24);
}

static hc_rc stop(void *ctx, const char *name, hc_error *e)
{
  HC_UNUSED(name);
  HC_UNUSED(e);
  return ++*(int *)ctx == 3 ? 1 : 0;
}

/* What does not go on ends the list: a thousand million names cost three. */
static void test_a_list_can_be_left(void **state)
{
  int seen = 0;
  hc_error e = {0};
  (void)state;
  const hc_hostlist l = {.text = "n[0-9]x[0-99999999]", .take = stop, .ctx = &seen};
  assert_int_equal(hc_hostlist_each(&l, &e), 1);
  assert_int_equal(seen, 3);
}

/* ---- files ---- */

static void write_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

typedef struct folder {
  char dir[64], path[80], other[80];
  hc_conf conf;
  hc_error e;
} folder;

/* @param included  the text of `other.conf` beside it; NULL: there is none */
static hc_rc read_text(folder *f, const char *text, const char *included)
{
  *f = (folder){.dir = "/tmp/hindcast_test_XXXXXX"};
  assert_non_null(mkdtemp(f->dir));
  (void)snprintf(f->path, sizeof f->path, "%s/slurm.conf", f->dir);
  (void)snprintf(f->other, sizeof f->other, "%s/other.conf", f->dir);
  write_text(f->path, text);
  if (included) write_text(f->other, included);
  const hc_rc rc = hc_conf_read(hc_default_allocator(), f->path, &f->conf, &f->e);
  unlink(f->path);
  unlink(f->other);
  rmdir(f->dir);
  return rc;
}

static void test_grammar(void **state)
{
  static const char text[] = "# a comment\n"
                             "\n"
                             "PriorityType = priority/multifactor   # blanks around the sign\n"
                             "SchedulerParameters=\"a b,c\" SlurmUser=\\#root\n"
                             "NodeName=n[1-2] \\\n"
                             "   cpus=4 CPUS=8\r\n"
                             "INCLUDE other.conf\n"
                             "Last=1 \\";
  folder f;
  (void)state;
  if (read_text(&f, text, "A=1\n") < 0) fail_msg("%s", f.e.text);
  assert_int_equal(f.conf.count, 5);
  assert_int_equal(f.conf.lines[0].line, 3);
  assert_string_equal(hc_conf_find(&f.conf.lines[0], "prioritytype")->value, "priority/multifactor");
  assert_string_equal(f.conf.lines[1].pairs[0].value, "a b,c");
  assert_string_equal(f.conf.lines[1].pairs[1].value, "#root");
  assert_int_equal(f.conf.lines[1].pairs[1].column, 29);
  assert_int_equal(f.conf.lines[2].line, 5);
  assert_int_equal(f.conf.lines[2].count, 3);
  assert_string_equal(hc_conf_find(&f.conf.lines[2], "CPUs")->value, "8"); /* the last of two */
  assert_string_equal(f.conf.lines[3].file, f.other);
  assert_string_equal(f.conf.lines[3].pairs[0].key, "A");
  assert_string_equal(f.conf.lines[4].pairs[0].key, "Last");
  assert_null(hc_conf_find(&f.conf.lines[4], "A"));
  hc_conf_close(&f.conf, hc_default_allocator());
}

static void is_wrong(const char *text, const char *included, hc_rc rc, uint32_t line, const char *words)
{
  folder f;
  const hc_rc got = read_text(&f, text, included);
  if (got != rc || f.e.line != line || !strstr(f.e.text, words))
    fail_msg("%s: %d, line %u: %s", text, got, f.e.line, f.e.text);
  hc_conf_close(&f.conf, hc_default_allocator());
}

static void test_what_is_no_line(void **state)
{
  (void)state;
  is_wrong("A=1\nNodeName\n", NULL, HC_EINPUT, 2, "expected KEY=VALUE, got \"NodeName\"");
  is_wrong("A=1 n1\n", NULL, HC_EINPUT, 1, "got \"n1\"");
  is_wrong("A=\"1\n", NULL, HC_EINPUT, 1, "the quote after A= does not close");
  is_wrong("Include other.conf\n", "Include slurm.conf\n", HC_ELIMIT, 1, "nested deeper than 8");
  is_wrong("Include missing.conf\n", NULL, HC_EIO, 0, "No such file");
}

/* ---- values ---- */

static void test_limits(void **state)
{
  static const struct {
    const char *text;
    int64_t minutes;
  } cases[] = {{"90", 90},    {"90:00", 90},     {"1:30:00", 90},
               {"1-0", 1440}, {"1-01:30", 1530}, {"1-01:30:00", 1530}};
  hc_time t;
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    assert_true(hc_conf_limit(cases[i].text, &t));
    assert_int_equal(t, cases[i].minutes * 60 * HC_SECOND);
  }
  assert_true(hc_conf_limit("infinite", &t));
  assert_int_equal(t, HC_NEVER);
  assert_true(hc_conf_limit("UNLIMITED", &t));
  assert_false(hc_conf_limit("soon", &t));
  assert_false(hc_conf_limit("", &t));
}

static void test_amounts(void **state)
{
  int64_t n;
  (void)state;
  assert_true(hc_conf_amount("4", 1, &n));
  assert_int_equal(n, 4);
  assert_true(hc_conf_amount("2K", 2, &n));
  assert_int_equal(n, 2048);
  assert_true(hc_conf_amount("1t", 2, &n));
  assert_int_equal(n, INT64_C(1) << 40);
  assert_false(hc_conf_amount("4097T", 5, &n)); /* 2^52 is 4096 T */
  assert_false(hc_conf_amount("4x", 2, &n));
  assert_false(hc_conf_amount("", 0, &n));
}

/* ---- lines that are laid over a file ---- */

static const char *value_of(const hc_conf *c, size_t line, const char *key)
{
  const hc_conf_pair *p = hc_conf_find(&c->lines[line], key);
  return p ? p->value : "";
}

/* Keys of a name that is there win over the file's, a name that is not and a setting go to the end, and the
 * first of defaults to the front. */
static void test_lines_are_laid_over(void **state)
{
  static const char text[] = "NodeName=n[1-2] CPUs=4 RealMemory=10\n"
                             "PartitionName=DEFAULT MaxTime=5\n"
                             "PartitionName=a Nodes=n1\n"
                             "KillWait=30\n";
  static const char *const laid[] = {"nodename=n[1-2] CPUs=8", "PartitionName=b Nodes=n2", "KillWait=60",
                                     "PartitionName=DEFAULT MaxTime=7", "NodeName=DEFAULT Weight=3"};
  folder f;
  (void)state;
  assert_int_equal(read_text(&f, text, NULL), 0);
  assert_int_equal(hc_conf_lay(hc_default_allocator(), &f.conf, laid, HC_ARRAY_LEN(laid), "lines", &f.e), 0);
  assert_int_equal(f.conf.count, 7);
  assert_string_equal(value_of(&f.conf, 0, "NodeName"), "DEFAULT");
  assert_string_equal(value_of(&f.conf, 1, "CPUs"), "8");
  assert_string_equal(value_of(&f.conf, 1, "RealMemory"), "10");
  assert_string_equal(value_of(&f.conf, 2, "MaxTime"), "7");
  assert_string_equal(value_of(&f.conf, 5, "PartitionName"), "b");
  assert_string_equal(f.conf.lines[5].file, "lines.1");
  assert_string_equal(value_of(&f.conf, 6, "KillWait"), "60");
  hc_conf_close(&f.conf, hc_default_allocator());
}

static void cannot_be_laid(const char *line, const char *where, const char *words)
{
  const char *const laid[] = {"A=1", line};
  folder f;
  assert_int_equal(read_text(&f, "A=1\n", NULL), 0);
  assert_int_equal(hc_conf_lay(hc_default_allocator(), &f.conf, laid, 2, "lines", &f.e), HC_EUSAGE);
  assert_int_equal(f.e.rc, HC_EUSAGE);
  assert_string_equal(f.e.where, where);
  if (!strstr(f.e.text, words)) fail_msg("%s", f.e.text);
  hc_conf_close(&f.conf, hc_default_allocator());
}

static void test_what_cannot_be_laid(void **state)
{
  (void)state;
  cannot_be_laid("n1 n2", "lines.1", "expected KEY=VALUE, got \"n1 n2\"");
  cannot_be_laid("Include other.conf", "lines.1", "expected a line such as NodeName=");
  cannot_be_laid("", "lines.1", "expected a line such as NodeName=");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_lists_that_are_none),
      cmocka_unit_test(test_a_name_is_in_a_list),
      cmocka_unit_test(test_there_is_a_limit),
      cmocka_unit_test(test_a_list_can_be_left),
      cmocka_unit_test(test_grammar),
      cmocka_unit_test(test_what_is_no_line),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_amounts),
      cmocka_unit_test(test_lines_are_laid_over),
      cmocka_unit_test(test_what_cannot_be_laid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
