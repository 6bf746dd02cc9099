/* test_recount.c -- the tables of the metric `by` from stored task rows are those that the run counted, to
 * the bit: on processors and on hosts, with tasks that are stopped, killed and lost, whole and trimmed by
 * every trim; and what rows alone do not say is refused. */
#include "engine_test.h"

#define BY \
  "metrics: [{use: by, by: \"user,size\", figures: []}, " \
  "{use: by, by: \"hour,wait > 5\", figures: []}, tasks, wait]\n"
#define CALENDAR "unix_start: 1711843000\nzone: Europe/Stockholm\n"

typedef struct cell {
  char scope[8], table[HC_GROUPING_TABLE], name[40];
  int64_t key;
  double value;
} cell;

typedef struct cells {
  cell items[8192];
  size_t count, next;
} cells;

static cells stored;

static hc_rc keep(void *ctx, const char *const *v)
{
  cells *all = ctx;
  cell *x = &all->items[all->count++];
  assert_true(all->count <= COUNT(all->items));
  (void)snprintf(x->scope, sizeof x->scope, "%s", v[0]);
  (void)snprintf(x->table, sizeof x->table, "%s", v[1]);
  (void)snprintf(x->name, sizeof x->name, "%s", v[3]);
  x->key = strtoll(v[2], NULL, 10);
  x->value = v[5] ? strtod(v[5], NULL) : __builtin_nan("");
  return 0;
}

static hc_rc no_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                       int64_t count)
{
  (void)ctx, (void)name, (void)unit, (void)value, (void)is_count, (void)count;
  return 0;
}

/* The next cell of the stored tables is this one. */
static hc_rc expect_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                         double value)
{
  cells *all = ctx;
  const cell *x = &all->items[all->next++];
  (void)unit;
  if (all->next > all->count) fail_msg("%s row %lld: %s is not stored", table, (long long)key, name);
  assert_string_equal(x->table, table);
  assert_string_equal(x->name, name);
  assert_true(x->key == key);
  if (value == value && x->value != value)
    fail_msg("%s %s: %.17g, stored %.17g", table, name, value, x->value);
  assert_true((value != value) == (x->value != x->value));
  return 0;
}

static void recount(bench *b, hc_result *r, bool trimmed)
{
  static const char *const first[] = {"by=\"user,size\"", "figures=[]"};
  static const char *const second[] = {"by=[hour, \"wait > 5\"]", "figures=[]"};
  hc_findings f = {.ctx = &stored, .figure = no_figure, .cell = expect_cell};
  check(b, hc_result_recount(b->allocator, b->registry, r, "by", first, 2, trimmed, &f, &b->error));
  check(b, hc_result_recount(b->allocator, b->registry, r, "by", second, 2, trimmed, &f, &b->error));
}

/* Over the groups of a stored table tasks and waits come to the summary's. */
static void expect_sums(hc_result *r, const char *scope)
{
  double tasks = 0, waits = 0, wait = hc_result_figure(r, scope, "wait_mean");
  for (size_t i = 0; i < stored.count; i++) {
    const cell *x = &stored.items[i];
    if (strcmp(x->scope, scope) != 0 || strcmp(x->table, "by(user,size)") != 0) continue;
    if (strcmp(x->name, "tasks") == 0) tasks += x->value;
    if (strcmp(x->name, "wait_mean") == 0)
      waits += x->value * stored.items[i - 1].value; /* tasks come before */
  }
  const double far = waits / tasks - wait;
  if (tasks > 0 && !(far < 1e-9 * (wait + 1) && far > -1e-9 * (wait + 1)))
    fail_msg("%s: groups wait %.17g, the summary says %.17g", scope, waits / tasks, wait);
  if (tasks == 0) assert_true(wait != wait);
}

typedef struct kept_sum {
  double tasks, wait;
} kept_sum;

static hc_rc add_kept(void *ctx, const hc_task_record *r)
{
  kept_sum *x = ctx;
  if (r->final != HC_FINAL_COMPLETED && r->final != HC_FINAL_KILLED) return 0;
  x->tasks++;
  x->wait += (double)(r->start - r->submit) / 1e9;
  return 0;
}

/* The tasks that are said to be kept are those that the trimmed summary counted. */
static void expect_kept(bench *b, hc_result *r)
{
  const double wait = hc_result_figure(r, "trimmed", "wait_mean");
  kept_sum x = {0};
  check(b, hc_result_kept(b->allocator, b->registry, r, add_kept, &x, &b->error));
  const double far = x.wait / x.tasks - wait;
  if (x.tasks > 0 && !(far < 1e-9 * (wait + 1) && far > -1e-9 * (wait + 1)))
    fail_msg("kept tasks wait %.17g, the summary says %.17g", x.wait / x.tasks, wait);
  if (x.tasks == 0) assert_true(wait != wait);
}

/* @param least cells that are compared */
static void expect_the_same(const char *yaml, const char *text, bool has_trim, size_t least)
{
  bench b;
  hc_result *r;
  check(&b, try_text(&b, yaml, text));
  finish(&b);
  memset(&stored, 0, sizeof stored);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "cells", 6, keep, &stored, &b.error));
  recount(&b, r, false); /* the rows of scope all are stored first */
  if (has_trim) recount(&b, r, true);
  if (stored.next != stored.count) fail_msg("%zu cells are stored and %zu found", stored.count, stored.next);
  expect_sums(r, "all");
  if (has_trim) expect_sums(r, "trimmed");
  if (has_trim) expect_kept(&b, r);
  if (stored.count < least) fail_msg("only %zu cells are compared", stored.count);
  hc_result_free(r);
  end(&b);
}

/* 300 jobs of 7 users on 16 processors; some are killed at their limits, some never start. */
static void make_log(hc_buffer *out)
{
  uint64_t state = 7;
  hc_buffer_init(out, hc_default_allocator());
  hc_buffer_text(out, "; MaxProcs: 16\n");
  for (int i = 1, at = 0; i <= 300; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const int r = (int)(state >> 33);
    at += r % 23;
    hc_buffer_printf(out, "%d %d -1 %d %d -1 -1 %d %d -1 1 %d 1 1 1 1 -1 -1\n", i, at, 5 + r / 3 % 200,
                     1 + r / 7 % 16, 1 + r / 7 % 16, 40 + r / 11 % 200, i % 13 == 0 ? -1 : 1 + r / 13 % 7);
  }
}

static void rows_say_what_the_run_counted(void **state)
{
  static const char *const trims[] = {"pyss",
                                      "full",
                                      "ids",
                                      "contended",
                                      "{use: ranks, first: 0.2, last: 0.1}",
                                      "{use: window, from: 300, to: 20m}",
                                      "{use: contended, fits: not_all}"};
  hc_buffer log;
  char yaml[1024];
  (void)state;
  make_log(&log);
  for (size_t i = 0; i < COUNT(trims); i++) {
    (void)snprintf(yaml, sizeof yaml,
                   "source: {use: swf, file: FILE}\npolicy: sjf+easy\ntrim: %s\n" CALENDAR BY, trims[i]);
    expect_the_same(yaml, log.data, true, 1500);
  }
  expect_the_same("source: {use: swf, file: FILE}\npolicy: conservative\nuntil: 20m\n" CALENDAR BY, log.data,
                  false, 500);
  hc_buffer_fini(&log);
}

static const char tasks[] =
    "- {id: 1, submit_time: 0, delay: 10, user: a, resources: {cpu_per_node: 3, gpu: 1}}\n"
    "- {id: 2, submit_time: 0, delay: 25, user: b, resources: {cpu_per_node: 1, gpu: 0.3}}\n"
    "- {id: 3, submit_time: 1, delay: 7, user: a, resources: {nodes_count: 3, cpu_per_node: 3}}\n"
    "- {id: 4, submit_time: 2, delay: 5, count: 4, user: c, resources: {cpu_per_node: 0.5, gpu: 0.5}}\n"
    "- {id: 5, submit_time: 30, delay: 4, user: b, resources: {cpu_per_node: 4, gpu: 2}}\n"
    "- {id: 6, submit_time: 30, delay: 0, user: b, resources: {cpu_per_node: 1}}\n";

#define HOSTS \
  "source: {use: native, file: FILE}\n" \
  "cell: {use: hosts, classes: [{count: 3, name_prefix: c, cpus: 4, memory: 20GB, gpus: 2}]}\n"

static void on_hosts_too(void **state)
{
  (void)state;
  expect_the_same(HOSTS CALENDAR BY "policy: fcfs+scan\ntrim: {use: ranks, first: 0.2, last: 0}\n", tasks,
                  true, 100);
  expect_the_same(HOSTS CALENDAR BY "policy: fcfs+scan\ntrim: full\n", tasks, true, 100);
  expect_the_same(HOSTS CALENDAR BY "policy: fcfs+scan\nhost_loss: lost\nevents: {use: list, changes: "
                                    "[{at: 4, hosts: c-0, change: down, until: 9}]}\n",
                  tasks, false, 80);
}

/* A result is asked, and refuses. */
static void expect_refused(const char *yaml, const char *metric, const char *setting, bool trimmed, hc_rc rc,
                           const char *words)
{
  hc_findings f = {.ctx = NULL, .figure = no_figure, .cell = NULL};
  bench b;
  hc_result *r;
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  memset(&b.error, 0, sizeof b.error);
  assert_int_equal(hc_result_recount(b.allocator, b.registry, r, metric, &setting, 1, trimmed, &f, &b.error),
                   rc);
  if (!strstr(b.error.text, words)) fail_msg("refused with: %s", b.error.text);
  hc_result_free(r);
  end(&b);
}

static void what_rows_do_not_say_is_refused(void **state)
{
  (void)state;
  expect_refused(HOSTS, "by", "by=user", true, HC_EUSAGE, "no trimmed summary");
  expect_refused(HOSTS, "by", "by=day", false, HC_EUSAGE, "unix_start");
  expect_refused(HOSTS, "by", "by=usr", false, HC_EUSAGE, "did you mean \"user\"");
  expect_refused(HOSTS, "by", "figures=[waits]", false, HC_EUSAGE, "wait_mean");
  expect_refused(HOSTS, "by", "per=user", false, HC_EUSAGE, "per");
  expect_refused(HOSTS, "bye", "by=user", false, HC_EUSAGE, "bye");
  expect_refused(HOSTS, "utilisation", "x=1", false, HC_EUSAGE, "x");
  expect_refused(HOSTS "task_rows: none\n", "by", "by=user", false, HC_EUSAGE, "task_rows: all");
  expect_refused(HOSTS "trim: contended\n", "by", "by=user", true, HC_EUNSUPPORTED, "follows hosts");
}

int main(void)
{
  const struct CMUnitTest all[] = {
      cmocka_unit_test(rows_say_what_the_run_counted),
      cmocka_unit_test(on_hosts_too),
      cmocka_unit_test(what_rows_do_not_say_is_refused),
  };
  return cmocka_run_group_tests(all, NULL, NULL);
}
