/* test_core.c -- what a core does: runs of texts, every failing allocation of them; and what it does not do,
 * each refused with what to do instead. Linked with the core alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hindcast/embed.h"
#include "hindcast/files.h"
#include "hindcast/output.h"
#include "hindcast/plugin.h"
#include "hindcast/setup.h"
#include "hindcast/workload.h"

static const char six_jobs[] = "; MaxProcs: 8\n"
                               "1  0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n"
                               "2 10 -1 100 8 -1 -1 8 100 -1 1 2 1 1 1 1 -1 -1\n"
                               "3 20 -1  50 4 -1 -1 4  50 -1 1 3 1 1 1 1 -1 -1\n"
                               "4 30 -1  60 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n"
                               "5 40 -1  20 2 -1 -1 2  20 -1 1 2 1 1 1 1 -1 -1\n"
                               "6 50 -1  10 1 -1 -1 1  10 -1 1 3 1 1 1 1 -1 -1\n";

static hc_embedded *make(void)
{
  hc_embedded *x = hc_embed_new(NULL);
  assert_non_null(x);
  assert_int_equal(hc_embed_text(x, "log.swf", six_jobs, sizeof six_jobs - 1), 0);
  return x;
}

/* What a run of these assignments comes to: 0, or the first error. */
static hc_rc run(hc_embedded *x, const char *const *assignments)
{
  hc_rc rc = hc_embed_reset(x);
  for (; rc >= 0 && *assignments; assignments++) rc = hc_embed_set(x, *assignments);
  if (rc >= 0) rc = hc_embed_begin(x);
  if (rc >= 0) rc = 1;
  while (rc == 1) rc = hc_embed_step(x, 2);
  return rc;
}

#define RUN(x, ...) run(x, (const char *const[]){__VA_ARGS__, NULL})

static void expect_refused(hc_embedded *x, hc_rc rc, hc_rc wanted, const char *text)
{
  if (rc != wanted || !strstr(hc_embed_error(x), text))
    fail_msg("%d where %d was wanted, of \"%s\": %s", rc, wanted, text, hc_embed_error(x));
}

/* First come, first served with a head that blocks: starts at 0, 100, 200, 200, 200 and, after job 5, 220:
 * waits of 0, 90, 180, 170, 160, 170 s. Under EASY jobs 3, 5 and 6 run before job 2, which still starts at
 * 100; job 4 says 200 s and waits: 0, 90, 0, 170, 30, 20 s. */
static void a_run_of_texts(void **state)
{
  hc_embedded *x = make();
  (void)state;
  assert_int_equal(RUN(x, "source=log.swf", "policy=fcfs+blocking"), 0);
  assert_float_equal(hc_embed_figure(x, "all", "wait_mean"), 770.0 / 6, 1e-9);
  assert_true(hc_embed_progress(x) == 1);
  char first[33];
  memcpy(first, hc_embed_digest(x, true), 33);
  assert_int_equal(RUN(x, "source=log.swf", "policy=fcfs+easy"), 0);
  assert_float_equal(hc_embed_figure(x, "all", "wait_mean"), 310.0 / 6, 1e-9);
  assert_string_not_equal(first, hc_embed_digest(x, true));
  assert_true(hc_embed_figure(x, "all", "no_such_figure") != hc_embed_figure(x, "all", "no_such_figure"));
  assert_non_null(strstr(hc_embed_export(x, "gantt", "width=400"), "<svg"));
  assert_null(hc_embed_export(x, "gant", NULL));
  assert_non_null(strstr(hc_embed_error(x), "gantt"));
  assert_int_equal(RUN(x, "source=log.swf", "trim={use: ranks, first: 0.5, last: 0}"), 0);
  assert_true(hc_embed_figure(x, "trimmed", "tasks") == 3); /* the last half */
  hc_embed_free(x);
}

/* Calls in an order that means nothing. */
static void calls_out_of_turn(void **state)
{
  hc_embedded *x = make();
  (void)state;
  expect_refused(x, hc_embed_step(x, 1), HC_EUSAGE, "hc_embed_begin");
  assert_null(hc_embed_digest(x, false));
  expect_refused(x, HC_EUSAGE, HC_EUSAGE, "no result yet");
  expect_refused(x, hc_embed_begin(x), HC_EUSAGE, "nothing to run");
  assert_int_equal(hc_embed_set(x, "source=log.swf"), 0);
  assert_int_equal(hc_embed_begin(x), 0);
  expect_refused(x, hc_embed_begin(x), HC_EUSAGE, "begun already");
  expect_refused(x, hc_embed_set(x, "policy=easy"), HC_EUSAGE, "hc_embed_reset");
  expect_refused(x, hc_embed_text(x, "log.swf", "", 0), HC_EUSAGE, "hc_embed_reset");
  expect_refused(x, hc_embed_configure(x, "log.swf"), HC_EUSAGE, "hc_embed_reset");
  assert_int_equal(hc_embed_step(x, 1), 1);
  assert_null(hc_embed_export(x, "csv", NULL));
  hc_embed_free(x); /* in the middle of a run */
}

static void inputs_that_are_wrong(void **state)
{
  hc_embedded *x = make();
  (void)state;
  assert_int_equal(hc_embed_text(x, "empty.swf", "", 0), 0);
  assert_int_equal(hc_embed_text(x, "bad.swf", "1 2 three\n", 10), 0);
  assert_int_equal(hc_embed_text(x, "bad.yaml", "policy: [\n", 10), 0);
  expect_refused(x, RUN(x, "source={use: swf, file: lug.swf}"), HC_EIO,
                 "the names given are log.swf, empty.swf");
  expect_refused(x, hc_embed_configure(x, "run.yaml"), HC_EIO, "run.yaml: no text was given this name");
  expect_refused(x, hc_embed_configure(x, ""), HC_EIO, "texts: the name of an input is empty");
  expect_refused(x, hc_embed_configure(x, "bad.yaml"), HC_EINPUT, "bad.yaml:");
  expect_refused(x, RUN(x, "source=log.swf", "polcy=easy"), HC_EUSAGE, "policy");
  expect_refused(x, hc_embed_text(x, "", "x", 1), HC_EUSAGE, "name");
  expect_refused(x, RUN(x, "source={use: swf, file: empty.swf}", "cell={use: count, procs: 4}"), HC_EINPUT,
                 "the file is empty");
  expect_refused(x, RUN(x, "source={use: swf, file: bad.swf}", "cell={use: count, procs: 4}", "strict=true"),
                 HC_EINPUT, "bad.swf:1");
  assert_int_equal(RUN(x, "source=log.swf"), 0); /* and it still runs */
  hc_embed_free(x);
}

/* Under EASY two processors are free for job 4 (serial 3) at 80, when jobs 3, 5 and 6 are gone; it says
 * 200 s, and job 2 is promised all eight from 100 on. Then it is first, and job 2 runs until 200. Job 1
 * (serial 0) starts as it arrives. */
static void why_a_task_waited(void **state)
{
  hc_embedded *x = make();
  (void)state;
  assert_null(hc_embed_why(x, 3));
  expect_refused(x, HC_EUSAGE, HC_EUSAGE, "no result yet");
  assert_int_equal(RUN(x, "source=log.swf", "policy=fcfs+easy"), 0);
  char digest[33];
  memcpy(digest, hc_embed_digest(x, false), 33);
  const char *story = hc_embed_why(x, 3);
  assert_non_null(story);
  if (strncmp(story, "[[30,\"", 6) != 0 || !strstr(story, "[200,\"starts") ||
      !strstr(story,
              "[80,\"would run to 280 s and delay task 2, which is promised all 8 processors from 100 s on"))
    fail_msg("%s", story);
  story = hc_embed_why(x, 1);
  if (!story || !strstr(story, "\",100]")) fail_msg("%s", story ? story : hc_embed_error(x)); /* in numbers */
  story = hc_embed_why(x, 0);
  if (!story || !strstr(story, "[0,\"starts")) fail_msg("%s", story ? story : hc_embed_error(x));
  assert_null(hc_embed_why(x, 6));
  expect_refused(x, HC_ENOTFOUND, HC_ENOTFOUND, "no task with the serial 6");
  assert_string_equal(digest, hc_embed_digest(x, false)); /* the result is what it was */
  hc_embed_free(x);
}

/* What a page shows of what there is to set. */
static void keys_and_pages(void **state)
{
  hc_embedded *x = make();
  (void)state;
  assert_int_equal(hc_embed_set(x, "source=log.swf"), 0);
  assert_int_equal(hc_embed_set(x, "policy=sjf+easy"), 0);
  const char *keys = hc_embed_keys(x);
  assert_non_null(keys);
  assert_non_null(strstr(keys, "[\"policy.order\",\"sjf\",\"set\"]"));
  assert_non_null(strstr(keys, "[\"seed\",\"1\",\"default\"]"));
  assert_int_equal(hc_embed_begin(x), 0); /* what was resolved can be run */
  assert_null(hc_embed_keys(x));
  expect_refused(x, HC_EUSAGE, HC_EUSAGE, "hc_embed_reset");
  assert_non_null(strstr(hc_embed_describe(x, "order/sjf", false), "sjf (order)"));
  assert_non_null(strstr(hc_embed_describe(x, "order", true), "\"sjf\""));
  assert_non_null(
      strstr(hc_embed_describe(x, "run", false), "believe_running")); /* the only one of its kind */
  assert_null(hc_embed_describe(x, "esay", false));
  expect_refused(x, HC_ENOTFOUND, HC_ENOTFOUND, "did you mean the select \"easy\"");
  assert_int_equal(hc_embed_reset(x), 0);
  assert_int_equal(hc_embed_text(x, "run.yaml", "source: log.swf\npolcy: easy\n", 28), 0);
  assert_int_equal(hc_embed_configure(x, "run.yaml"), 0);
  assert_null(hc_embed_keys(x));
  expect_refused(x, HC_EUSAGE, HC_EUSAGE, "run.yaml:2:1: unknown key \"polcy\"");
  hc_embed_free(x);
}

/* What a core is built without. */
static void what_cannot_be_had_is_refused(void **state)
{
  hc_embedded *x = make();
  static const struct {
    const char *name, *data;
    size_t size;
  } packed[] = {{"a.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3", 10},
                {"a.zst", "\x28\xb5\x2f\xfd\x24\0\1\0\0\0", 10},
                {"a.xz",
                 "\xfd"
                 "7zXZ\0\0\4\0\0",
                 10}};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    char source[64];
    assert_int_equal(hc_embed_text(x, packed[i].name, packed[i].data, packed[i].size), 0);
    (void)snprintf(source, sizeof source, "source={use: swf, file: %s}", packed[i].name);
    expect_refused(x, RUN(x, source, "cell={use: count, procs: 4}"), HC_EUNSUPPORTED, "unpacks nothing");
  }
  expect_refused(x, RUN(x, "source=log.swf", "threads=2"), HC_EUNSUPPORTED, "set threads to 1");
  expect_refused(x, RUN(x, "source=log.swf", "rejected=r.tsv"), HC_EUNSUPPORTED, "leave it out");
  expect_refused(x, RUN(x, "source=log.swf", "plugin=./mine.so"), HC_EUNSUPPORTED, "hc_registry_add");
  expect_refused(x, RUN(x, "source=log.swf", "study={seeds: 3}"), HC_EUSAGE, "the keys of one run");
  hc_embed_free(x);
}

static void functions_of_files_are_refused(void **state)
{
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  hc_store *store = NULL;
  hc_result *result = NULL;
  hc_registry *registry;
  hc_config *config;
  (void)state;
  assert_int_equal(hc_store_new(a, "r.db", &store, &e), HC_EUNSUPPORTED);
  assert_non_null(strstr(e.text, "give the store no path"));
  e = (hc_error){0};
  assert_int_equal(hc_result_open(a, "r.db", &result, &e), HC_EUNSUPPORTED);
  assert_non_null(strstr(e.text, "hc_result_of_store"));
  e = (hc_error){0};
  assert_int_equal(hc_trace_sort(a, "a", "b", 1, &e), HC_EUNSUPPORTED);
  assert_non_null(strstr(e.text, "sort_window"));
  e = (hc_error){0};
  assert_int_equal(hc_registry_new(a, &registry), 0);
  assert_int_equal(hc_registry_load(registry, "x.so", &e), HC_EUNSUPPORTED);
  e = (hc_error){0};
  assert_int_equal(hc_config_new(a, registry, &config, &e), 0);
  assert_int_equal(hc_config_file(config, "run.yaml", &e), HC_EIO); /* an allocator without texts */
  assert_non_null(strstr(e.text, "hc_texts_add"));
  hc_config_free(config);
  assert_null(hc_registry_find(registry, HC_KIND_CARRIER, "local"));
  hc_registry_free(registry);
}

typedef struct scarce {
  int64_t left, held;
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  if (new_size > 0 && s->left-- == 0) return NULL;
  void *q = hc_default_allocator()->resize(NULL, p, old_size, new_size);
  s->held += (int64_t)new_size - (int64_t)old_size;
  return q;
}

/* All from the first call to the last; NULL when memory ran out, which is the only thing that may go wrong.
 * */
static const char *whole(const hc_allocator *a, char digest[33])
{
  hc_embedded *x = hc_embed_new(a);
  if (!x) return NULL;
  hc_rc rc = hc_embed_text(x, "log.swf", six_jobs, sizeof six_jobs - 1);
  if (rc >= 0)
    rc = RUN(x, "source={use: swf, file: log.swf}", "policy=easy", "metrics=[tasks, wait]",
             "trim={use: ranks, first: 0.5, last: 0}");
  const char *out = rc >= 0 ? hc_embed_digest(x, false) : NULL;
  if (out) memcpy(digest, out, 33);
  if (out && !hc_embed_export(x, "csv", NULL)) out = NULL;
  if (out && (!hc_embed_why(x, 3) || !hc_embed_describe(x, "order/sjf", true))) out = NULL;
  if (out && (hc_embed_reset(x) < 0 || hc_embed_set(x, "source=log.swf") < 0)) out = NULL;
  if (out && !hc_embed_keys(x)) out = NULL;
  if (rc < 0 && rc != HC_ENOMEM) fail_msg("%d: %s", rc, hc_embed_error(x));
  if (rc < 0) assert_true(hc_embed_error(x)[0] != '\0');
  hc_embed_free(x);
  return out ? digest : NULL;
}

static void every_failing_allocation(void **state)
{
  char plain[33] = "", digest[33];
  (void)state;
  assert_non_null(whole(hc_default_allocator(), plain));
  for (int64_t n = 0;; n++) {
    scarce s = {.left = n};
    const hc_allocator a = {&s, scarce_resize, NULL};
    const char *out = whole(&a, digest);
    assert_int_equal(s.held, 0);
    if (out) assert_string_equal(out, plain);
    if (s.left >= 0) break; /* all that it asked for was there */
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_of_texts),
      cmocka_unit_test(calls_out_of_turn),
      cmocka_unit_test(inputs_that_are_wrong),
      cmocka_unit_test(why_a_task_waited),
      cmocka_unit_test(keys_and_pages),
      cmocka_unit_test(what_cannot_be_had_is_refused),
      cmocka_unit_test(functions_of_files_are_refused),
      cmocka_unit_test(every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
