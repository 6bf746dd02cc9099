/* test_plan.c -- what a study file says: levels, products, what is left out, what is refused, and the order
 * in which points are carried out. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "hindcast/hindcast.h"
#include "study/inputs.h"
#include "study/plan.h"
#include "study/runner.h"
#include "unit/study/study_test.h"

static hc_registry *registry;
static hc_error error;

static hc_rc read_study(const char *axes, hc_study **out)
{
  char text[4096];
  (void)snprintf(text, sizeof text,
                 "study:\n  base: {source: {use: lublin, tasks: 10, procs: 64}, cell: {procs: 64}}\n%s",
                 axes);
  error = (hc_error){0};
  return hc_study_parse(hc_default_allocator(), registry, text, strlen(text), "test", out, &error);
}

static hc_study *must_read(const char *axes)
{
  hc_study *s = NULL;
  if (read_study(axes, &s) < 0) fail_msg("%s: %s", axes, error.text);
  return s;
}

static void labels_are(const hc_study *s, uint32_t axis, const char *expected)
{
  hc_study_facts f;
  char text[1024] = "";
  hc_study_facts_of(s, &f);
  assert_in_range(axis, 0, f.axis_count - 1);
  for (uint32_t i = 0; i < f.axes[axis].count; i++) {
    strcat(text, i ? " " : "");
    strcat(text, f.axes[axis].labels[i]);
  }
  assert_string_equal(text, expected);
}

static void refused(const char *axes, hc_rc rc, uint32_t line, const char *part)
{
  hc_study *s = NULL;
  assert_int_equal(read_study(axes, &s), rc);
  assert_null(s);
  if (!strstr(error.text, part)) fail_msg("\"%s\" is not in \"%s\"", part, error.text);
  if (error.line != line) fail_msg("%s: line %u, not %u: %s", axes, error.line, line, error.text);
}

static void steps_include_both_ends(void **state)
{
  hc_study *s = must_read("  axes:\n    tasks: {path: source.tasks, from: 100, to: 1000, step: 300}\n"
                          "    mean: {path: sort_window, from: 1, to: 2, step: 1}\n");
  HC_UNUSED(state);
  labels_are(s, 0, "100 400 700 1000");
  labels_are(s, 1, "1 2");
  hc_study_free(s);
}

/* 0.1 added up is not 0.3 in binary; a label is. */
static void decimals_are_exact(void **state)
{
  hc_study *s = must_read("  axes:\n    f: {path: source.estimate_factor, from: 0.1, to: 0.5, step: 0.1}\n"
                          "    g: {path: source.batch_pow2, from: 0.25, to: 1, step: 0.25}\n");
  HC_UNUSED(state);
  labels_are(s, 0, "0.1 0.2 0.3 0.4 0.5");
  labels_are(s, 1, "0.25 0.5 0.75 1");
  hc_study_free(s);
}

/* 1 to 64 in seven: factors of two. Three a decade from 1: 10^(1/3) = 2.15443, 10^(2/3) = 4.64159. */
static void ratios_are_equal(void **state)
{
  hc_study *s = must_read("  axes:\n    w: {path: sort_window, from: 1, to: 64, count: 7}\n"
                          "    f: {path: source.estimate_factor, from: 1, to: 10, per_decade: 3}\n"
                          "    t: {path: source.tasks, from: 1, to: 10, count: 12, whole: true}\n");
  HC_UNUSED(state);
  labels_are(s, 0, "1 2 4 8 16 32 64");
  labels_are(s, 1, "1 2.15443 4.64159 10");
  labels_are(
      s, 2,
      "1 2 3 4 5 7 8 10"); /* 1 1.23 1.52 1.87 2.31 2.85 3.51 4.33 5.34 6.58 8.11 10, rounded, once each */
  hc_study_free(s);
}

static void named_levels_set_several_keys(void **state)
{
  hc_study *s =
      must_read("  axes:\n    policy: [easy, {both: {policy.order: sjf, policy.select: scan}}]\n"
                "    machine: {small: {cell.procs: 64}, large: {cell.procs: 512, sort_window: 1}}\n");
  HC_UNUSED(state);
  labels_are(s, 0, "easy both");
  labels_are(s, 1, "small large");
  assert_int_equal(s->axes[0].levels[1].patch_count, 2);
  assert_string_equal(s->axes[0].levels[1].patches[1].path, "policy.select");
  assert_int_equal(s->axes[1].levels[1].patch_count, 2);
  hc_study_free(s);
}

static void the_last_axis_runs_fastest(void **state)
{
  hc_study *s = must_read("  axes: {policy: [fcfs, easy], sort_window: [1, 2, 3]}\n  replications: 4\n");
  uint32_t level[3];
  HC_UNUSED(state);
  assert_int_equal(s->product, 24);
  assert_true(hc_study_has_point(s, 17, level)); /* 17 = 1 * 12 + 1 * 4 + 1 */
  assert_int_equal(level[0], 1);
  assert_int_equal(level[1], 1);
  assert_int_equal(level[2], 1);
  assert_false(hc_study_has_point(s, 24, level));
  hc_study_free(s);
}

static void axes_that_go_together_are_one(void **state)
{
  hc_study *s = must_read("  axes: {policy: [fcfs, easy], sort_window: [1, 2], strict: [true, false]}\n"
                          "  zip: [policy, strict]\n");
  HC_UNUSED(state);
  assert_int_equal(s->product, 4);
  labels_are(s, 0, "fcfs+true easy+false");
  labels_are(s, 1, "1 2");
  hc_study_free(s);
}

/* 2 x 4 points; {easy, 2} and {easy, 3} go, and so do both with 4. */
static void exclusions_leave_out_what_matches(void **state)
{
  hc_study *s = must_read("  axes: {policy: [fcfs, easy], sort_window: [1, 2, 3, 4]}\n"
                          "  exclude: [{policy: easy, sort_window: [2, 3]}, sort_window > 3]\n");
  uint32_t level[2];
  HC_UNUSED(state);
  assert_int_equal(s->count, 4);
  for (uint64_t p = 0; p < s->product; p++) {
    const bool wanted = p <= 2 || p == 4; /* fcfs 1 2 3, easy 1 */
    assert_int_equal(hc_study_has_point(s, p, level), wanted);
  }
  hc_study_free(s);
}

/* Every point comes once, and the workload changes only when all of its points are done. */
static void one_workload_after_the_other(void **state)
{
  hc_study *s = must_read("  axes: {policy: [fcfs, easy, sjf], source.tasks: [5, 10]}\n  replications: 4\n");
  uint8_t seen[24] = {0};
  uint64_t last = UINT64_MAX, changes = 0;
  HC_UNUSED(state);
  for (uint64_t at = 0; at < 24; at++) {
    const uint64_t p = hc_study_point_at(s, at);
    const uint64_t workload = hc_study_digit(s, p, 1) * 4u + hc_study_digit(s, p, 2);
    assert_in_range(p, 0, 23);
    assert_int_equal(seen[p]++, 0);
    changes += workload != last;
    last = workload;
  }
  assert_int_equal(changes, 8); /* 2 sizes x 4 replications */
  hc_study_free(s);
}

/* What is read back from a journal is the same study. */
static void its_text_is_itself(void **state)
{
  hc_study *s = must_read("  axes: {f: {path: source.estimate_factor, values: [.5, 1e2, +7]}}\n"
                          "  replications: 2\n"),
           *again = NULL;
  hc_buffer a, b;
  HC_UNUSED(state);
  labels_are(s, 0, "0.5 1e2 7");
  hc_buffer_init(&a, hc_default_allocator());
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(hc_study_text(s, &a), 0);
  assert_int_equal(hc_study_parse(hc_default_allocator(), registry, a.data, a.size, "again", &again, &error),
                   0);
  assert_int_equal(hc_study_text(again, &b), 0);
  assert_string_equal(a.data, b.data);
  labels_are(again, 0, "0.5 1e2 7");
  hc_buffer_fini(&a);
  hc_buffer_fini(&b);
  hc_study_free(s);
  hc_study_free(again);
}

static void mistakes_are_found_before_anything_runs(void **state)
{
  HC_UNUSED(state);
  refused("  axis: {policy: [easy]}\n", HC_EUSAGE, 3, "did you mean \"axes\"");
  refused("  axes: {policy.ordre: [sjf]}\n", HC_EUSAGE, 3, "order");
  refused("  axes: {policy: [easy, esay]}\n", HC_EUSAGE, 3, "easy");
  refused("  axes: {policy: []}\n", HC_EUSAGE, 3, "no level");
  refused("  axes: {policy: [easy, easy]}\n", HC_EUSAGE, 3, "twice");
  refused("  axes: {sort_window: {from: 1, to: 5}}\n", HC_EUSAGE, 3, "step");
  refused("  axes: {sort_window: {from: 5, to: 1, step: 1}}\n", HC_EUSAGE, 3, "empty");
  refused("  axes: {policy: [easy, fcfs], sort_window: [1, 2, 3]}\n  zip: [policy, sort_window]\n", HC_EUSAGE,
          4, "policy has 2 levels and sort_window has 3");
  refused("  axes: {policy: [easy]}\n  exclude: [{polcy: easy}]\n", HC_EUSAGE, 4, "did you mean \"policy\"");
  refused("  axes: {policy: [easy]}\n  exclude: [{policy: easi}]\n", HC_EUSAGE, 4, "did you mean \"easy\"");
  refused("  axes: {policy: [easy]}\n  exclude: [{policy: easy}]\n", HC_EUSAGE, 4, "none of the 1 points");
  refused("  axes: {policy: [easy]}\n  exclude: [policy > 2]\n", HC_EUSAGE, 4, "no number");
  refused("  keep: [wait_meen]\n", HC_EUSAGE, 3, "wait_meen");
  refused(
      "  axes: {m: {few: {metrics: [wait]}, many: {metrics: [wait, slowdown]}}}\n  keep: [slowdown_meen]\n",
      HC_EUSAGE, 4, "slowdown_meen");
  refused("  axes: {m: {few: {metrics: [wait]}, many: {metrics: [wait, slowdown]}}}\n  keep: "
          "[trimmed.slowdown_mean]\n",
          HC_EUSAGE, 4, "no trimmed summary");
  refused("  replications: 0\n", HC_EUSAGE, 3, "from 1 to");
  refused("  stop: {figure: wait_mean, max: 10}\n", HC_EUSAGE, 3, "relative or absolute");
  refused("  shake: {count: 3, run: 1}\n", HC_EUSAGE, 3, "below 1");
  refused("  shake: {count: 3, by: 0, run: 0}\n", HC_EUSAGE, 3, "nothing is shaken");
  refused("  limits: {time: never}\n", HC_EUSAGE, 3, "above 0");
  refused("  axes: {a: {path: sort_window, from: 1, to: 100000, step: 1}, policy: [fcfs, easy]}\n"
          "  replications: 10000\n",
          HC_ELIMIT, 3, "2,000,000,000 points");
  refused("  axes: {a: {path: sort_window, from: 0, to: 9999999999, step: 1}}\n", HC_ELIMIT, 3,
          "10,000,000,000 levels, and an axis may have 1,000,000");
  refused("  axes: {sort_window: {from: nan, to: 5, step: 1}}\n", HC_EUSAGE, 3, "number for `from`");
  refused("  seeds: [3, 1, 3]\n", HC_EUSAGE, 3, "3 stands here again");
  refused("  compare: {axis: policy}\n", HC_EUSAGE, 3, "no axis \"policy\"");
  refused("  axes: {policy: [easy, fcfs]}\n  compare: {axis: policy, baseline: sjf}\n", HC_EUSAGE, 4,
          "no level");
  refused(
      "  axes: {policy: [easy, fcfs]}\n  keep: [wait_*]\n  compare: {axis: policy, figures: [makespan]}\n",
      HC_EUSAGE, 5, "does not keep \"makespan\"");
}

/* An axis of which nothing is left would be labels that mean nothing: the table would have rows that differ
 * by name. */
static void an_axis_does_not_take_another_away(void **state)
{
  HC_UNUSED(state);
  refused("  axes: {policy.order: [fcfs, sjf], how: {path: policy.order, values: [ljf]}}\n", HC_EUSAGE, 3,
          "takes away what axis policy.order sets");
  refused("  axes: {policy.order: [fcfs, sjf], policy: [easy, scan]}\n", HC_EUSAGE, 3, "may stand first");
  refused("  axes: {seed: [1, 2]}\n  seeds: [1, 2]\n", HC_EUSAGE, 4, "sets seed");
  refused("  axes: {replication: [0]}\n", HC_EUSAGE, 3, "no axis to be listed");
  refused("  axes: {r: {path: replication, values: [3, 4]}}\n  replications: 2\n", HC_EUSAGE, 3,
          "sets replication");
  /* within a key of an earlier one, and an exception at one level */
  hc_study_free(must_read("  axes: {policy: [easy, scan], policy.order: [fcfs, sjf]}\n"));
  hc_study_free(must_read("  axes:\n    policy.order: [fcfs, sjf]\n"
                          "    how: {usual: {policy.select: easy}, wide: {policy: wfp3+easy}}\n"));
}

/* A zipped axis has the name that the file gives it, by which expressions and questions can say it. */
static void a_zip_has_a_name(void **state)
{
  hc_study *s =
      must_read("  axes: {source.tasks: [10, 20, 30], sort_window: [1, 2, 3], policy: [easy, fcfs]}\n"
                "  zip: {size: [source.tasks, sort_window]}\n  exclude: [size > 20]\n");
  hc_study_facts f;
  HC_UNUSED(state);
  hc_study_facts_of(s, &f);
  assert_int_equal(f.axis_count, 2);
  assert_string_equal(f.axes[0].name, "size");
  labels_are(s, 0, "10+1 20+2 30+3");
  assert_int_equal(f.points, 4); /* the first axis has the number */
  hc_study_free(s);
  refused("  axes: {source.tasks: [10, 20], sort_window: [1, 2], policy: [easy]}\n"
          "  zip: {policy: [source.tasks, sort_window]}\n",
          HC_EUSAGE, 4, "another axis policy");
  refused("  axes: {policy: [easy]}\n  zip: {size: policy}\n", HC_EUSAGE, 4, "a list of axes");
}

/* What the file asks is a combination of two axes, named as the questions name it. */
static void what_is_compared_is_read(void **state)
{
  hc_study *s = must_read("  axes: {policy.order: [fcfs, sjf], policy.select: [easy, scan]}\n"
                          "  compare: {axis: [order, select], baseline: sjf easy, figures: wait_mean}\n");
  HC_UNUSED(state);
  assert_int_equal(s->asked.axis_count, 2);
  assert_string_equal(s->asked.axes[1], "select");
  assert_string_equal(s->asked.baseline, "sjf easy");
  assert_int_equal(s->asked.figure_count, 1);
  assert_string_equal(s->asked.figures[0], "wait_mean");
  hc_study_free(s);
}

/* A figure that only a level finds is no mistake, whichever level it is: its metric, its trim, or its
 * policy. */
static void figures_may_belong_to_some_levels(void **state)
{
  static const char *const texts[] = {
      "  axes: {m: {few: {metrics: [wait]}, many: {metrics: [wait, slowdown]}}}\n  keep: [slowdown_mean]\n",
      "  axes: {t: {none: {policy: fcfs}, full: {trim: full}}}\n  keep: [trimmed.wait_mean]\n",
      ("  axes: {sort_window: [1, 2], m: {few: {metrics: [wait]}, many: {metrics: [wait, slowdown]}}}\n"
       "  stop: {figure: slowdown_mean, relative: 0.1, max: 10}\n")};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) hc_study_free(must_read(texts[i]));
}

/* ---- inputs ---- */

static void write_file(const char *name, const char *text)
{
  FILE *f = fopen(name, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
}

/* b is read only where the first axis has its second level and the second its second: no level alone shows
 * it. */
static const char reads_three[] =
    "study:\n  base: {source: {use: swf, file: a.swf}, policy: easy}\n  axes:\n"
    "    source.file: [a.swf, b.swf, gone.swf]\n    how: {fixed: {source.file: a.swf}, free: {policy: "
    "fcfs}}\n";

static hc_rc read_inputs(const hc_allocator *a, hc_study **out, hc_buffer *text)
{
  hc_rc rc = hc_study_parse(a, registry, reads_three, sizeof reads_three - 1, "test", out, &error);
  if (rc < 0) return rc;
  rc = hc_study_sum_inputs(*out, &error);
  if (rc >= 0) rc = hc_study_write_inputs(*out, text);
  if (rc < 0) hc_study_free(*out);
  return rc;
}

static hc_rc compare(hc_study *s, const char *text)
{
  error = (hc_error){0};
  return hc_study_compare_inputs(s, text, strlen(text), "part", &error);
}

/* Of 0 bytes, of 3 and not there: by path, and what one says of another file, of more and of fewer. What was
 * not there is no difference once it is. */
static void inputs_are_known_by_size_and_checksum(void **state)
{
  char folder[] = "/tmp/hc_inputs_XXXXXX", *home = getcwd(NULL, 0), changed[400];
  hc_study *s = NULL;
  hc_buffer text;
  HC_UNUSED(state);
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  write_file("a.swf", "");
  write_file("b.swf", "; x");
  hc_buffer_init(&text, hc_default_allocator());
  if (read_inputs(hc_default_allocator(), &s, &text) < 0) fail_msg("%s", error.text);
  assert_int_equal(s->input_count, 3);
  assert_memory_equal(text.data, "0 ", 2);
  assert_non_null(strstr(text.data, " a.swf\n3 "));
  assert_non_null(strstr(text.data, " b.swf\n- - gone.swf\n"));
  assert_int_equal(compare(s, text.data), 0);
  assert_int_equal(compare(s, ""), HC_EUSAGE);
  assert_non_null(strstr(error.text, "reads 3 files"));
  (void)snprintf(changed, sizeof changed, "%s- - other.swf\n", text.data);
  assert_int_equal(compare(s, changed), HC_EUSAGE);
  assert_non_null(strstr(error.text, "other.swf"));
  (void)snprintf(changed, sizeof changed, "%s", text.data);
  *strstr(changed, "\n3 ") = '\0';
  (void)snprintf(changed + strlen(changed), 300, "\n4 %s", strstr(text.data, "\n3 ") + 3);
  assert_int_equal(compare(s, changed), HC_EUSAGE);
  assert_non_null(strstr(error.text, "b.swf is another file"));
  assert_int_equal(hc_study_recheck_inputs(s, "study", &error), 0);
  write_file("gone.swf", "; was not there");
  assert_int_equal(hc_study_recheck_inputs(s, "study", &error), 0); /* its points have failed and say so */
  write_file("b.swf", "; y");
  assert_int_equal(truncate("b.swf", 2), 0);
  error = (hc_error){0};
  assert_int_equal(hc_study_recheck_inputs(s, "study", &error), HC_EINPUT);
  assert_non_null(strstr(error.text, "b.swf changed while"));
  hc_study_free(s);
  text.size = 0;
  assert_int_equal(read_inputs(hc_default_allocator(), &s, &text), 0);
  assert_non_null(strstr(text.data, " b.swf\n15 ")); /* now gone.swf is there */
  (void)snprintf(changed, sizeof changed, "%.*s- - gone.swf\n",
                 (int)(strstr(text.data, "\n15 ") + 1 - text.data), text.data);
  assert_int_equal(compare(s, changed), 0);
  hc_study_free(s);
  hc_buffer_fini(&text);
  for (const char *const *f = (const char *const[]){"a.swf", "b.swf", "gone.swf", NULL}; *f; f++)
    (void)unlink(*f);
  assert_int_equal(chdir(home), 0);
  assert_int_equal(rmdir(folder), 0);
  free(home);
}

static void inputs_run_out_of_memory(void **state)
{
  uint64_t n = 0;
  HC_UNUSED(state);
  for (;; n++) {
    failing f = {.left = n};
    hc_allocator a = {.ctx = &f, .resize = failing_resize};
    hc_study *s = NULL;
    hc_buffer text;
    hc_rc rc;
    hc_buffer_init(&text, hc_default_allocator());
    error = (hc_error){0};
    rc = read_inputs(&a, &s, &text);
    if (rc == 0) hc_study_free(s);
    hc_buffer_fini(&text);
    assert_int_equal(f.live, 0);
    if (rc == 0) break;
    if (rc != HC_ENOMEM) fail_msg("allocation %llu: %d %s", (unsigned long long)n, rc, error.text);
  }
  assert_true(n > 10);
}

/* ---- what the command lays upon a file ---- */

static const char laid_file[] = "study:\n"
                                "  base: {source: {use: lublin, tasks: 10, procs: 64}, cell: {procs: 64}}\n"
                                "  axes:\n"
                                "    policy: [fcfs, easy]\n"
                                "    tasks: {path: source.tasks, from: 10, to: 30, step: 10}\n"
                                "    sort_window: [5, 6]\n"
                                "  replications: 4\n";

static hc_rc lay(const char *const *set, size_t count, hc_study **out)
{
  char path[] = "/tmp/hindcast-laid-XXXXXX";
  const hc_study_laid laid = {.set = set, .set_count = count};
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, laid_file, strlen(laid_file)), strlen(laid_file));
  (void)close(fd);
  error = (hc_error){0};
  *out = NULL;
  const hc_rc rc = hc_study_read(hc_default_allocator(), registry, path, &laid, out, &error);
  (void)unlink(path);
  return rc;
}

#define LAID(s, ...) \
  lay((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), &(s))

static void must_lay(hc_rc rc)
{
  if (rc < 0) fail_msg("%s", error.text);
}

static uint64_t points_of(const hc_study *s)
{
  hc_study_facts f;
  hc_study_facts_of(s, &f);
  return f.points;
}

/* 2 policies x 3 sizes x 2 windows x 4 replications, and what becomes of that. */
static void settings_are_the_study_s_or_the_base_s(void **state)
{
  hc_study *s;
  HC_UNUSED(state);
  must_lay(lay(NULL, 0, &s));
  assert_int_equal(points_of(s), 48);
  hc_study_free(s);
  must_lay(
      LAID(s, "replications=2", "axes.tasks.step=20", "axes.policy=[fcfs, sjf, easy]", "axes.sort_window="));
  assert_int_equal(points_of(s), 3 * 2 * 2);
  labels_are(s, 0, "fcfs sjf easy"); /* it keeps its place */
  labels_are(s, 1, "10 30");
  hc_study_free(s);
  must_lay(LAID(s, "axes.policy.1=sjf", "axes.cell.procs=[64, 128]", "replications=", "seeds=[3, 5]"));
  labels_are(s, 0, "fcfs sjf");
  labels_are(s, 3, "64 128"); /* an axis by its path, behind the others */
  labels_are(s, 4, "3 5");
  assert_int_equal(points_of(s), 2 * 3 * 2 * 2 * 2);
  hc_study_free(s);
  must_lay(LAID(s, "max_waiting=7", "base.strict=true", "name=other"));
  assert_string_equal(hc_value_get(s->base, "max_waiting")->text, "7");
  assert_string_equal(hc_value_get(s->base, "strict")->text, "true");
  assert_string_equal(s->name, "other");
  assert_int_equal(points_of(s), 48);
  hc_study_free(s);
}

/* What was set belongs to the study: its text is another one's, and that of a file that says the same. */
static void settings_belong_to_the_study(void **state)
{
  hc_study *one, *two;
  hc_buffer a, b;
  HC_UNUSED(state);
  hc_buffer_init(&a, hc_default_allocator());
  hc_buffer_init(&b, hc_default_allocator());
  must_lay(LAID(one, "replications=2"));
  must_lay(LAID(two, "replications=4"));
  assert_int_equal(hc_study_text(one, &a), 0);
  assert_int_equal(hc_study_text(two, &b), 0);
  assert_string_not_equal(a.data, b.data);
  hc_study_free(two);
  b.size = 0;
  must_lay(lay(NULL, 0, &two)); /* says 4 itself */
  hc_buffer_fini(&a);
  hc_buffer_init(&a, hc_default_allocator());
  hc_study_free(one);
  must_lay(LAID(one, "replications=4"));
  assert_int_equal(hc_study_text(one, &a), 0);
  assert_int_equal(hc_study_text(two, &b), 0);
  assert_string_equal(a.data, b.data);
  hc_buffer_fini(&a);
  hc_buffer_fini(&b);
  hc_study_free(one);
  hc_study_free(two);
}

static void settings_that_mean_nothing_are_refused(void **state)
{
  static const char *const cases[][2] = {{"replications=0", "replications: expected a whole number"},
                                         {"replications", "path=value"},
                                         {"policy=easy", "such as --set 'axes.policy=[...]'"},
                                         {"policy.select.depth=2", "would not hold"},
                                         {"base={policy: easy}", "set its keys one by one"},
                                         {"output=x.db", "says nothing of a study"},
                                         {"axes.policy=[]", "has no level"},
                                         {"axes.tasks.stepp=1", "stepp"},
                                         {"axes.policy.7=sjf", "numbered"},
                                         {"seeds=[1, 1]", "stands here again"},
                                         {"replication=3", "replication"},
                                         {"no_such_key=1", "no_such_key"}};
  HC_UNUSED(state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hc_study *s;
    if (lay(&cases[i][0], 1, &s) >= 0) fail_msg("%s was taken", cases[i][0]);
    assert_null(s);
    if (!strstr(error.text, cases[i][1])) fail_msg("%s: %s", cases[i][0], error.text);
  }
}

static int begin(void **state)
{
  HC_UNUSED(state);
  return hc_registry_new(hc_default_allocator(), &registry);
}

static int end(void **state)
{
  HC_UNUSED(state);
  hc_registry_free(registry);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_include_both_ends),
      cmocka_unit_test(decimals_are_exact),
      cmocka_unit_test(ratios_are_equal),
      cmocka_unit_test(named_levels_set_several_keys),
      cmocka_unit_test(the_last_axis_runs_fastest),
      cmocka_unit_test(axes_that_go_together_are_one),
      cmocka_unit_test(exclusions_leave_out_what_matches),
      cmocka_unit_test(one_workload_after_the_other),
      cmocka_unit_test(its_text_is_itself),
      cmocka_unit_test(inputs_are_known_by_size_and_checksum),
      cmocka_unit_test(inputs_run_out_of_memory),
      cmocka_unit_test(mistakes_are_found_before_anything_runs),
      cmocka_unit_test(an_axis_does_not_take_another_away),
      cmocka_unit_test(what_is_compared_is_read),
      cmocka_unit_test(a_zip_has_a_name),
      cmocka_unit_test(figures_may_belong_to_some_levels),
      cmocka_unit_test(settings_are_the_study_s_or_the_base_s),
      cmocka_unit_test(settings_belong_to_the_study),
      cmocka_unit_test(settings_that_mean_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
