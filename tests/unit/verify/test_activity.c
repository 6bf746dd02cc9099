/* test_activity.c -- what tasks did while they ran, and how long they take alone: what holds, and what can be
 * wrong. Times in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verify/parts.h"

#define S HC_SECOND
#define NONE __builtin_nan("")

enum { TASKS = 4 };

/* Four tasks on four processors. 0 sends from 0 to 10, 1 computes and sends from 10 to 20, 2 computes from 5
 * to 15, 3 reads from 12 to 18. So none shares a link or a disk: 0 ends when 1 begins. */
typedef struct world {
  hc_task_record records[TASKS];
  hc_verify_act rows[TASKS];
  hc_verify_activity activity;
  hc_verify_report report;
  char rule[2][24], found[2][160];
  size_t count;
} world;

static void did(world *w, int i, int64_t start, int64_t end)
{
  const double took = (double)(end - start);
  w->records[i].start = start * S;
  w->records[i].end = end * S;
  w->records[i].run = (end - start) * S;
  w->rows[i].value[HC_VERIFY_END] = (double)end;
  w->rows[i].value[HC_VERIFY_WORKED] = w->rows[i].value[HC_VERIFY_ALONE] = took;
}

/* All of its time it did one thing, or two of them at once. */
static void parts(world *w, int i, bool computes, bool sends, bool reads)
{
  double *v = w->rows[i].value;
  const bool both = computes + sends + reads > 1;
  v[HC_VERIFY_COMPUTE] = computes ? v[HC_VERIFY_WORKED] : 0;
  v[HC_VERIFY_NETWORK] = sends ? v[HC_VERIFY_WORKED] : 0;
  v[HC_VERIFY_DISK] = reads ? v[HC_VERIFY_WORKED] : 0;
  v[HC_VERIFY_WAITS_CORES] = computes && !both;
  v[HC_VERIFY_WAITS_NETWORK] = sends && !both;
  v[HC_VERIFY_WAITS_DISK] = reads && !both;
  v[HC_VERIFY_OVERLAP] = both;
  v[HC_VERIFY_AT_ONCE] = 1 + both;
}

static void set_up(world *w)
{
  static const int64_t start[] = {0, 10, 5, 12}, end[] = {10, 20, 15, 18};
  memset(w, 0, sizeof *w);
  for (int i = 0; i < TASKS; i++) {
    w->records[i] = (hc_task_record){
        .serial = i, .id = i, .units = 1, .limit = HC_UNKNOWN, .estimate = HC_NEVER, .user = -1};
    w->rows[i].serial = i;
    w->rows[i].value[HC_VERIFY_SLOWDOWN] = 1;
    w->rows[i].value[HC_VERIFY_ITEMS] = NONE;
    did(w, i, start[i], end[i]);
    parts(w, i, i == 1 || i == 2, i < 2, i == 3);
  }
  w->activity = (hc_verify_activity){.rows = w->rows, .count = TASKS};
}

/* How long one takes alone, and so its slowdown. */
static void alone(world *w, int i, double length)
{
  w->rows[i].value[HC_VERIFY_ALONE] = length;
  w->rows[i].value[HC_VERIFY_SLOWDOWN] = w->rows[i].value[HC_VERIFY_WORKED] / length;
}

static void keep(void *ctx, const hc_violation *v)
{
  world *w = ctx;
  const bool is_ours = strcmp(v->rule, "activity") == 0 || strcmp(v->rule, "alone") == 0;
  if (!is_ours || w->count == 2) return; /* nothing is counted here, which the ledger says */
  (void)strncpy(w->rule[w->count], v->rule, sizeof w->rule[0] - 1);
  (void)strncpy(w->found[w->count++], v->text, sizeof w->found[0] - 1);
}

/* @param rule NULL: it holds @param held tasks that are held to what they take alone */
static void expect(world *w, const char *rule, const char *part, uint64_t held)
{
  const hc_verify_told told = {.until = HC_NEVER, .by_run = true, .units_dimension = -1};
  const hc_verify_options o = {
      .capacity = TASKS, .honours_run = true, .activity = &w->activity, .told = &told};
  (void)hc_verify(hc_default_allocator(), &o, w->records, TASKS, keep, w, &w->report);
  if ((w->count == 0) != (rule == NULL)) fail_msg("%s: %s", w->rule[0], w->found[0]);
  assert_int_equal(w->count, rule != NULL);
  if (rule) assert_string_equal(w->rule[0], rule);
  if (rule && !strstr(w->found[0], part)) fail_msg("'%s' lacks '%s'", w->found[0], part);
  assert_int_equal(w->report.checked[HC_RULE_ALONE], held);
  set_up(w);
}

/* ---- alone ---- */

static void test_holds(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  expect(&w, NULL, NULL, 4);
}

/* One that shares nothing takes neither more nor less. */
static void test_shares_nothing(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  for (int i = 0; i < TASKS; i++) {
    const double took = w.rows[i].value[HC_VERIFY_WORKED];
    alone(&w, i, took - 1e-8);
    expect(&w, "alone", "shared no link and no disk", 4);
    alone(&w, i, took + 1e-8);
    expect(&w, "alone", "shared no link and no disk", 4);
  }
}

/* 1 begins at 9, beside 0: that may slow both. 0 does one thing at a time, and is never shorter; of 1, which
 * does two at once, nothing follows. */
static void test_beside(void **state)
{
  world w;
  (void)state;
  for (int k = 0; k < 4; k++) {
    set_up(&w);
    did(&w, 1, 9, 20);
    parts(&w, 1, true, true, false);
    if (k == 1) alone(&w, 0, 4);
    if (k == 2) alone(&w, 0, 11);
    if (k == 3) alone(&w, 1, 15);
    expect(&w, k == 2 ? "alone" : NULL, "did one thing at a time, and took 10 s; alone it takes 11 s", 3);
  }
}

/* Reads beside transfers share nothing; with files what another has left there counts. */
static void test_files(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.activity.has_files = true;
  alone(&w, 3, 3);
  expect(&w, NULL, NULL, 3);
  w.activity.has_tables = true; /* a disk may be faster for two, but 3 is alone there */
  alone(&w, 3, 3);
  expect(&w, "alone", "alone it takes 3 s", 4);
}

/* What a task waits for its items is no part of what it takes alone; and items cross links. 2 has waited for
 * 4 of its 10. */
static void test_items(void **state)
{
  world w;
  (void)state;
  for (int k = 0; k < 2; k++) {
    set_up(&w);
    double *v = w.rows[2].value;
    v[HC_VERIFY_ITEMS] = v[HC_VERIFY_IDLE] = 4;
    v[HC_VERIFY_COMPUTE] = 6;
    v[HC_VERIFY_WAITS_CORES] = 0.6;
    alone(&w, 2, k == 0 ? 6 : 10);
    /* 0 is held as one that did one thing at a time; 1 is not */
    expect(&w, k == 0 ? NULL : "alone", "and took 6 s; alone it takes 10 s", 3);
  }
}

/* One that still runs may use what it likes: then 0, which it is beside, may be slower than alone. */
static void test_still_runs(void **state)
{
  world w;
  (void)state;
  set_up(&w);
  w.records[2].final = HC_FINAL_RUNNING;
  w.records[2].end = HC_UNKNOWN;
  w.activity.count = 2;
  alone(&w, 0, 6);
  expect(&w, NULL, NULL, 1);
}

/* ---- rows ---- */

static void test_rows(void **state)
{
  static const struct {
    int column;
    double value;
    const char *part;
  } wrong[] = {{HC_VERIFY_END, 11, "ends at 11 s, and no attempt that does"},
               {HC_VERIFY_WORKED, 9, "worked for 9 s by its row of `activity`; the attempt took 10 s"},
               {HC_VERIFY_WORKED, NONE, "worked for"},
               {HC_VERIFY_COMPUTE, 1, "compute_time"},
               {HC_VERIFY_NETWORK, 9, "network_time"},
               {HC_VERIFY_DISK, 1, "disk_time"},
               {HC_VERIFY_IDLE, 1, "idle_time"},
               {HC_VERIFY_ITEMS, 1, "item_time"},
               {HC_VERIFY_AT_ONCE, 0, "at_once"},
               {HC_VERIFY_READ, -1, "read"},
               {HC_VERIFY_SLOWDOWN, 2, "slowdown"}};
  world w;
  (void)state;
  set_up(&w);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    w.rows[0].value[wrong[i].column] = wrong[i].value;
    w.activity.count = 1;
    w.rows[0].value[HC_VERIFY_ALONE] = wrong[i].column == HC_VERIFY_SLOWDOWN ? 10 : NONE;
    if (wrong[i].column != HC_VERIFY_SLOWDOWN) w.rows[0].value[HC_VERIFY_SLOWDOWN] = NONE;
    expect(&w, "activity", wrong[i].part, wrong[i].column == HC_VERIFY_SLOWDOWN);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holds), cmocka_unit_test(test_shares_nothing), cmocka_unit_test(test_beside),
      cmocka_unit_test(test_files), cmocka_unit_test(test_items),          cmocka_unit_test(test_still_runs),
      cmocka_unit_test(test_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
