/* test_names_back.c -- names that go from one format to another and back are the same names, or were told to
 * be lost.
 *
 * Users, groups, programs, queues and partitions, what tasks are called themselves, and how they ended: all
 * of them with names that mean something to some format (separators, quotes, words for nothing, numbers,
 * control characters, other scripts, bytes that are no text, ten thousand of them). They are written in every
 * format and read back; then what came back is written in every other one, and read. A task is compared by
 * the texts alone, since numbers are given anew: what was not told to be lost must be there. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "hindcast/hindcast.h"
#include "there_and_back.h"
#include "workload/spec.h"
#include "workload/writing.h"
#include "sample.h"

#define TASKS 64
#define LONG 10000 /* bytes of a name */

enum { USER, GROUP, EXECUTABLE, QUEUE, PARTITION, LABEL, KINDS };

static const struct {
  hc_called kind; /* HC_CALLED_COUNT: a label */
  uint64_t name, number;
  const char *word;
} kinds[KINDS] = {{HC_CALLED_USER, HC_FACT_BIT(USER_NAME), HC_FACT_BIT(USER), "user"},
                  {HC_CALLED_GROUP, HC_FACT_BIT(GROUP_NAME), HC_FACT_BIT(GROUP), "group"},
                  {HC_CALLED_EXECUTABLE, HC_FACT_BIT(EXECUTABLE_NAME), HC_FACT_BIT(EXECUTABLE), "executable"},
                  {HC_CALLED_QUEUE, HC_FACT_BIT(QUEUE_NAME), HC_FACT_BIT(QUEUE), "queue"},
                  {HC_CALLED_PARTITION, HC_FACT_BIT(PARTITION_NAME), HC_FACT_BIT(PARTITION), "partition"},
                  {HC_CALLED_COUNT, HC_FACT_BIT(LABEL), HC_FACT_BIT(ID), "label"}};

static const char *const hostile[] = {"ann",
                                      "O'Brien",
                                      "two words",
                                      " lead",
                                      "trail ",
                                      "a,b",
                                      "p|q",
                                      "semi;colon",
                                      "tab\there",
                                      "quo\"te",
                                      "\"all\"",
                                      "new\nline",
                                      "car\rriage",
                                      "both\r\n",
                                      "<b>&amp;</b>",
                                      "\xe5\x90\x8d\xe5\x89\x8d",
                                      "\xd0\xb8\xd0\xbc\xd1\x8f",
                                      "\xff\xfe\x80",
                                      "null",
                                      "NULL",
                                      "nan",
                                      "None",
                                      "NA",
                                      "-1",
                                      "-5",
                                      "7",
                                      "007",
                                      "1.0",
                                      "99999999999999999999",
                                      "#hash",
                                      "# c",
                                      "{y: 1}",
                                      "[z]",
                                      "- dash",
                                      "'",
                                      "\\back\\n",
                                      "\x01\x02\x1f\x7f",
                                      "true",
                                      "~",
                                      "%s%n%d",
                                      "=1+1",
                                      "task_5",
                                      "role_1",
                                      "j_7",
                                      "123_4",
                                      "123_007",
                                      "123.batch",
                                      "w0!17",
                                      "6f1d2e6a-2b8c-4a51-9d4e-0d9f7d1b7a11",
                                      "a:b",
                                      "\xc2\x85\xe2\x80\xa8",
                                      "\xef\xbb\xbfmark",
                                      "(null)",
                                      "Unknown"};

typedef struct named {
  hc_task_spec spec;
  char *text[KINDS]; /* NULL: none */
  uint64_t lost;     /* when it was written last */
  bool left_out;
} named;

typedef struct tasks {
  named all[TASKS];
  int count;
} tasks;

static hc_registry *registry;

static void check(hc_rc rc, const char *format, const hc_error *e)
{
  if (rc < 0) fail_msg("%s: %s: %s", format, e->where, e->text);
}

static void forget(tasks *t)
{
  for (int i = 0; i < t->count; i++)
    for (int k = 0; k < KINDS; k++) free(t->all[i].text[k]);
  t->count = 0;
}

/* ---- what is drawn ---- */

static char *draw_name(hc_draws *d)
{
  if (hc_random_below(d, 25) > 0) return strdup(hostile[hc_random_below(d, HC_ARRAY_LEN(hostile))]);
  char *text = malloc(LONG + 1);
  for (int i = 0; i < LONG; i++) text[i] = (char)('!' + hc_random_below(d, 90));
  text[LONG] = '\0';
  return text;
}

static void draw(tasks *t, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  memset(t, 0, sizeof *t);
  for (t->count = 0; t->count < TASKS; t->count++) {
    named *x = &t->all[t->count];
    x->spec = hc_task_spec_none();
    x->spec.id = t->count + 1;
    x->spec.submit = (t->count + 1) * HC_MINUTE;
    x->spec.wait = 5 * HC_SECOND;
    x->spec.run = HC_MINUTE;
    x->spec.procs_asked = x->spec.procs_used = 4;
    x->spec.hosts = 1;
    x->spec.need[HC_DIM_CPU] = 4000;
    x->spec.need[HC_DIM_MEMORY] = (int64_t)1 << 30;
    x->spec.need[HC_DIM_GPU] = HC_DEVICE;
    hc_spec_record(&x->spec, (hc_recorded)hc_random_below(&d, HC_RECORDED_COUNT));
    if (x->spec.status == HC_STATUS_PARTIAL) hc_spec_record(&x->spec, HC_RECORDED_TIMEOUT);
    if (x->spec.status > HC_STATUS_PARTIAL && x->spec.status < HC_STATUS_CANCELLED)
      hc_spec_record(&x->spec, HC_RECORDED_COMPLETED);
    for (int k = 0; k < LABEL; k++)
      if (hc_random_below(&d, 6) > 0) x->text[k] = draw_name(&d);
    const char *id = hostile[((size_t)t->count + seed) % HC_ARRAY_LEN(hostile)];
    if ((size_t)t->count < HC_ARRAY_LEN(hostile) && strcmp(id, "007") != 0) /* each once, as ids are */
      x->text[LABEL] = strdup(id); /* and that one is 7 for formats of numbers */
  }
}

/* ---- there ---- */

static int64_t *number_of(hc_task_spec *t, int kind)
{
  int64_t *const all[] = {&t->user, &t->group, &t->executable, &t->queue, &t->partition};
  return all[kind];
}

/* Numbers from 1 by text, and what they are called. */
static void number(hc_lexicon *l, const tasks *t, int i, hc_task_spec *out)
{
  for (int k = 0; k < LABEL; k++) {
    int first = 0;
    if (!t->all[i].text[k]) continue;
    while (!t->all[first].text[k] || strcmp(t->all[first].text[k], t->all[i].text[k]) != 0) first++;
    *number_of(out, k) = first + 1;
    assert_int_equal(
        hc_lexicon_call(l, kinds[k].kind, first + 1, t->all[i].text[k], strlen(t->all[i].text[k])), 0);
  }
  out->label = 0;
  if (t->all[i].text[LABEL])
    assert_int_equal(hc_lexicon_label(l, t->all[i].text[LABEL], strlen(t->all[i].text[LABEL]), &out->label),
                     0);
}

static void write_all(tasks *t, const char *format, const char *path)
{
  const hc_row_ledger ledger = {0};
  const hc_trace_info info = {.unix_start = 1577836800, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  losses before = {0};
  hc_trace_writer *out;
  hc_lexicon *l;
  hc_buffer text;
  hc_error e = {0};
  hc_buffer_init(&text, hc_default_allocator());
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  hc_lexicon_keep_programs(l);
  const hc_writer_context c = {.allocator = hc_default_allocator(),
                               .lexicon = l,
                               .info = &info,
                               .sink = {&text, gather},
                               .ledger = &ledger};
  check(hc_trace_writer_new(registry, format, NULL, 0, &c, &out, &e), format, &e);
  for (int i = 0; i < t->count; i++) {
    hc_trace_task task = {.spec = t->all[i].spec, .serial = i};
    task.spec.more = 0;
    number(l, t, i, &task.spec);
    check(hc_trace_writer_task(out, &task, &e), format, &e);
    t->all[i].lost = lost_by_last(&before, out, &t->all[i].left_out);
    hc_lexicon_drop(l, task.spec.label);
  }
  check(hc_trace_writer_finish(out, &e), format, &e);
  hc_trace_writer_free(out);
  hc_lexicon_free(l);
  put_in_file(path, &text);
}

/* ---- and back ---- */

/* What a number is called; the number itself if it has no name, as it is then written. */
static char *text_of(const hc_lexicon *l, hc_called kind, int64_t n)
{
  const char *text = n >= 0 ? hc_lexicon_called(l, kind, n) : NULL;
  char own[24];
  snprintf(own, sizeof own, "%lld", (long long)n);
  return text ? strdup(text) : n >= 0 ? strdup(own) : NULL;
}

static void read_all(tasks *t, const char *format, const char *path)
{
  const hc_component *reader = hc_registry_find(registry, HC_KIND_READER, format);
  const hc_trace_options options = {.mode = HC_TRACE_ROWS};
  const hc_allocator *a = hc_default_allocator();
  char text[512];
  hc_trace_task task;
  hc_error e = {0};
  hc_config *c;
  hc_trace *in;
  hc_rc rc;
  snprintf(text, sizeof text,
           "source: {use: %s, file: \"%s\"%s}\ncell: {use: count, procs: 1000}\npolicy: fcfs\n", format, path,
           all_that_ended(reader));
  check(hc_config_new(a, registry, &c, &e), format, &e);
  check(hc_config_text(c, text, strlen(text), format, &e), format, &e);
  check(hc_trace_open(a, c, &options, &in, &e), format, &e);
  memset(t, 0, sizeof *t);
  while ((rc = hc_trace_next(in, &task, &e)) == 1) {
    const hc_lexicon *l = hc_trace_lexicon(in);
    if (t->count == TASKS) fail_msg("%s: more tasks came back than were written", format);
    named *x = &t->all[t->count++];
    x->spec = task.spec;
    for (int k = 0; k < LABEL; k++) x->text[k] = text_of(l, kinds[k].kind, *number_of(&x->spec, k));
    const char *label = hc_lexicon_label_text(l, task.spec.label, NULL);
    if (label) x->text[LABEL] = strdup(label);
    x->spec.label = x->spec.job_label = x->spec.more = 0;
  }
  check(rc, format, &e);
  for (int r = 0; r < HC_REASON_COUNT; r++)
    if (hc_trace_rows(in)->rejected[r] > 0 && r == HC_REASON_MALFORMED)
      fail_msg("%s: %llu rows that were written are malformed", format,
               (unsigned long long)hc_trace_rows(in)->rejected[r]);
  hc_trace_close(in);
  hc_config_free(c);
}

/* ---- the same ---- */

static bool is_same(const char *a, const char *b)
{
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static void print_name(char out[64], const char *s)
{
  size_t n = 0;
  for (; s && *s && n < 56; s++)
    n += (size_t)(*s >= ' ' && *s < 127 ? snprintf(out + n, 64 - n, "%c", *s)
                                        : snprintf(out + n, 64 - n, "\\x%02x", (unsigned char)*s));
  if (!s) snprintf(out, 64, "(none)");
}

/* What was written in a format, and what came back. @return names that were the same */
static int compare(const tasks *was, const tasks *is, const char *format, uint64_t seed)
{
  int kept = 0, j = 0;
  for (int i = 0; i < was->count; i++) {
    const named *x = &was->all[i];
    char a[64] = "", b[64] = "";
    if (x->left_out) continue;
    /* what has no run is told to be lost, and is no task for some readers */
    if (j == is->count ||
        is->all[j].spec.submit - is->all[0].spec.submit != x->spec.submit - was->all[0].spec.submit) {
      if (x->lost & (HC_FACT_BIT(RUN) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT))) continue;
      fail_msg("%s, seed %llu: task %d (%s) did not come back: %d of %d", format, (unsigned long long)seed, i,
               hc_recorded_name(hc_spec_recorded(&x->spec)), is->count, was->count);
    }
    const named *y = &is->all[j++];
    for (int k = 0; k < KINDS; k++) {
      if (!x->text[k] || x->lost & (kinds[k].name | kinds[k].number)) continue;
      if (k == LABEL && !y->text[k]) { /* a number alone says it */
        char own[24];
        snprintf(own, sizeof own, "%lld", (long long)y->spec.id);
        if (strcmp(own, x->text[k]) == 0) continue;
      }
      if (!is_same(x->text[k], y->text[k])) {
        print_name(a, x->text[k]);
        print_name(b, y->text[k]);
        fail_msg("%s, seed %llu: task %d has %s \"%s\", and had \"%s\"", format, (unsigned long long)seed, i,
                 kinds[k].word, b, a);
      }
      kept++;
    }
    const bool is_good = x->spec.status == HC_STATUS_COMPLETED; /* which a format may say by nothing */
    if (!(x->lost & (HC_FACT_BIT(STATE) | HC_FACT_BIT(STATUS))) && x->spec.status != HC_STATUS_UNKNOWN &&
        !(is_good && y->spec.status == HC_STATUS_UNKNOWN) &&
        hc_spec_recorded(&x->spec) != hc_spec_recorded(&y->spec))
      fail_msg("%s, seed %llu: task %d ended as %s, and as %s", format, (unsigned long long)seed, i,
               hc_recorded_name(hc_spec_recorded(&x->spec)), hc_recorded_name(hc_spec_recorded(&y->spec)));
  }
  return kept;
}

/* Two names that were not the same are not so now, and one is not two: also where it could not be written. */
static void expect_apart(tasks *was, tasks *is, const char *format)
{
  if (was->count != is->count) return;
  for (int k = 0; k < LABEL; k++)
    for (int i = 0; i < was->count; i++)
      for (int j = 0; j < i; j++) {
        const char *a = was->all[i].text[k], *b = was->all[j].text[k];
        const int64_t m = *number_of(&is->all[i].spec, k), n = *number_of(&is->all[j].spec, k);
        if (!a || !b || m < 0 || n < 0 || was->all[i].lost & kinds[k].number) continue;
        if (is_same(a, b) != (m == n)) fail_msg("%s: %s of tasks %d and %d", format, kinds[k].word, i, j);
      }
}

static void there_and_back(const char *first, const char *second, uint64_t seed, const char *path, int *kept)
{
  tasks drawn, one, two;
  draw(&drawn, seed);
  write_all(&drawn, first, path);
  read_all(&one, first, path);
  *kept += compare(&drawn, &one, first, seed);
  expect_apart(&drawn, &one, first);
  if (strcmp(first, second) != 0) {
    write_all(&one, second, path);
    read_all(&two, second, path);
    *kept += compare(&one, &two, second, seed);
    forget(&two);
  }
  forget(&drawn);
  forget(&one);
}

static bool has_names(const char *name)
{
  static const char *const with[] = {"csv",           "sacct",         "native",     "gwf",
                                     "helios",        "philly",        "google2011", "alibaba_v2017",
                                     "alibaba_v2020", "alibaba_v2023", "batsim",     "alibaba_v2025",
                                     "alibaba_v2026", "azure_v1",      "cache",      "pseudo_cluster"};
  for (size_t i = 0; i < HC_ARRAY_LEN(with); i++)
    if (strcmp(with[i], name) == 0) return true;
  return false;
}

static void test_pairs(void **state)
{
  char path[] = "/tmp/hindcast-test-XXXXXX";
  HC_UNUSED(state);
  assert_int_equal(hc_registry_new(hc_default_allocator(), &registry), 0);
  close(mkstemp(path));
  for (size_t i = 0; hc_registry_at(registry, HC_KIND_WRITER, i); i++) {
    const char *first = hc_registry_at(registry, HC_KIND_WRITER, i)->name;
    int kept = 0;
    if (!has_names(first)) continue;
    for (size_t j = 0; hc_registry_at(registry, HC_KIND_WRITER, j); j++) {
      const char *second = hc_registry_at(registry, HC_KIND_WRITER, j)->name;
      if (has_names(second) && (i + j) % hc_test_cases(1, 3) == 0)
        there_and_back(first, second, 100 * i + j, path, &kept);
    }
    print_message("%-16s %d names came back\n", first, kept);
    assert_true(kept > 0);
  }
  unlink(path);
  hc_registry_free(registry);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
