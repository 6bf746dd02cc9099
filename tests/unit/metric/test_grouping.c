/* test_grouping.c -- tables by anything: a case drawn by hand, classes and their limits, dates across changes
 * of the clocks, the bound on groups, and all of it against a count that goes over the tasks again for each
 * group. */
#include <stdio.h>

#include "hindcast/grouping.h"
#include "metric_test.h"

static hc_finding_list found;

/* ---- options ---- */

/* By up to two things, every figure. */
static void *options_by(const char *const *by, size_t count)
{
  void *o = default_options(&hc_metric_by.component);
  set_list(&hc_metric_by.component, o, "by", by, count);
  return o;
}

static void count_with(const hc_metric_context *c, const void *o, const hc_task_record *t, size_t n)
{
  hc_metric *self = NULL;
  hc_error e = {0};
  hc_finding_list_init(&found, hc_default_allocator());
  if (hc_metric_by.init(c, o, &self, &e) < 0) fail_msg("%s", e.text);
  for (size_t i = 0; i < n; i += 300)
    assert_int_equal(hc_metric_by.tasks(self, t + i, HC_MIN(n - i, (size_t)300)), 0);
  assert_int_equal(hc_metric_by.finish(self, &found.findings), 0);
  hc_metric_by.fini(self);
}

static void count_by(const hc_metric_context *c, const char *by, const hc_task_record *t, size_t n)
{
  void *o = options_by(&by, 1);
  count_with(c, o, t, n);
  free(o);
}

/* A cell of a row, whose cells stand together and whose keys ascend; NULL. */
static const hc_finding *look_up(const char *table, int64_t row, const char *name)
{
  size_t from = 0, to = found.count;
  while (from < to) {
    const size_t middle = (from + to) / 2;
    if (found.items[middle].key < row) from = middle + 1;
    else to = middle;
  }
  for (; from < found.count && found.items[from].key == row; from++)
    if (strcmp(found.items[from].name, name) == 0 && strcmp(found.items[from].table, table) == 0)
      return &found.items[from];
  return NULL;
}

static double cell(const char *table, int64_t row, const char *name)
{
  const hc_finding *f = look_up(table, row, name);
  if (!f) fail_msg("%s has no %s in row %lld", table, name, (long long)row);
  return f->value;
}

static bool has_cell(const char *table, int64_t row, const char *name)
{
  return look_up(table, row, name) != NULL;
}

static bool is_near(double x, double y)
{
  const double far = x > y ? x - y : y - x;
  return far <= 1e-12 * (y < 0 ? -y : y) + 1e-12;
}

#define EXPECT(table, row, name, wanted) \
  do { \
    const double x_ = cell(table, row, name), y_ = (wanted); \
    if (!is_near(x_, y_)) fail_msg("%s %d %s: %.17g, not %.17g", table, row, name, x_, y_); \
  } while (0)

static hc_metric_context context(void)
{
  hc_metric_context c = context_of(64);
  c.core_units = 1;
  return c;
}

/* ---- by hand ---- */

/* The four tasks of gantt(): user 1 has A and C, user 2 D and B.
 *           waits    runs      responses  slowdowns   bounded (tau 10)  area
 *   1  A    0        10        10         1           10/10 = 1         20
 *      C    15       10        25         2.5         25/10 = 2.5       40
 *   2  D    5        5         10         2           10/10 = 1         5
 *      B    0        20        20         1           1                 40      in all 105 */
static void test_by_hand(void **state)
{
  hc_task_record t[GANTT_TASKS];
  hc_interval x[GANTT_INTERVALS];
  hc_metric_context c = context();
  HC_UNUSED(state);
  gantt(t, x);
  count_by(&c, "user", t, GANTT_TASKS);
  EXPECT("by(user)", 0, "user", 1);
  EXPECT("by(user)", 0, "tasks", 2);
  EXPECT("by(user)", 0, "wait_mean", 7.5);
  EXPECT("by(user)", 0, "wait_p50", 0); /* of rank 1 of 2 */
  EXPECT("by(user)", 0, "wait_p90", 15);
  EXPECT("by(user)", 0, "wait_max", 15);
  EXPECT("by(user)", 0, "run_mean", 10);
  EXPECT("by(user)", 0, "response_mean", 17.5);
  EXPECT("by(user)", 0, "response_p50", 10);
  EXPECT("by(user)", 0, "response_p99", 25);
  EXPECT("by(user)", 0, "slowdown_mean", 1.75);
  EXPECT("by(user)", 0, "bounded_slowdown_mean", 1.75);
  EXPECT("by(user)", 0, "bounded_slowdown_p95", 2.5);
  EXPECT("by(user)", 0, "area", 60);
  EXPECT("by(user)", 0, "core_hours", 60.0 / 3600);
  EXPECT("by(user)", 0, "share", 60.0 / 105);
  EXPECT("by(user)", 0, "task_share", 0.5);
  EXPECT("by(user)", 1, "user", 2);
  EXPECT("by(user)", 1, "wait_mean", 2.5);
  EXPECT("by(user)", 1, "slowdown_mean", 1.5);
  EXPECT("by(user)", 1, "bounded_slowdown_mean", 1);
  EXPECT("by(user)", 1, "share", 45.0 / 105);
  assert_false(has_cell("by(user)", 2, "tasks"));
  hc_finding_list_fini(&found);
  /* Hosts count thousandths of a core: as many units are a thousandth of the core-hours. */
  c.core_units = 1000;
  count_by(&c, "user", t, GANTT_TASKS);
  EXPECT("by(user)", 0, "core_hours", 0.06 / 3600);
  hc_finding_list_fini(&found);
}

/* Both at once, and an expression: A and B are under 30 s of response and did not wait. */
static void test_two_things_and_an_expression(void **state)
{
  static const char *const by[] = {"wait > 3", "user"};
  hc_task_record t[GANTT_TASKS];
  hc_interval x[GANTT_INTERVALS];
  hc_metric_context c = context();
  void *o = options_by(by, 2);
  HC_UNUSED(state);
  gantt(t, x);
  count_with(&c, o, t, GANTT_TASKS);
  for (int row = 0; row < 4; row++) { /* A, B, C, D: no wait first, then by user */
    static const double waits[] = {0, 0, 15, 5}, users[] = {1, 2, 1, 2};
    EXPECT("by(wait > 3,user)", row, "wait > 3", row >= 2);
    EXPECT("by(wait > 3,user)", row, "user", users[row]);
    EXPECT("by(wait > 3,user)", row, "wait_mean", waits[row]);
    EXPECT("by(wait > 3,user)", row, "tasks", 1);
  }
  hc_finding_list_fini(&found);
  free(o);
  /* A comma between parentheses is the function's. */
  count_by(&c, "min(wait, 6), queue", t, GANTT_TASKS);
  EXPECT("by(min(wait, 6),queue)", 2, "min(wait, 6)", 5);
  EXPECT("by(min(wait, 6),queue)", 3, "min(wait, 6)", 6);
  hc_finding_list_fini(&found);
}

static void test_what_is_not_known_is_last(void **state)
{
  hc_task_record t[3] = {task_of(0, 0, 0, 1, 1, -1), task_of(1, 0, 0, 1, 1, 70000),
                         task_of(2, 0, 0, 1, 1, 3)};
  const hc_metric_context c = context();
  HC_UNUSED(state);
  t[0].estimate = HC_NEVER;
  t[1].estimate = t[2].estimate = S(60);
  count_by(&c, "user", t, 3);
  EXPECT("by(user)", 0, "user", 3);
  EXPECT("by(user)", 1, "user", 70000);
  assert_true(cell("by(user)", 2, "user") != cell("by(user)", 2, "user"));
  hc_finding_list_fini(&found);
  /* A comparison with what is not known is neither true nor false. */
  count_by(&c, "estimate > 30", t, 3);
  EXPECT("by(estimate > 30)", 0, "estimate > 30", 1);
  EXPECT("by(estimate > 30)", 0, "tasks", 2);
  assert_true(cell("by(estimate > 30)", 1, "estimate > 30") != cell("by(estimate > 30)", 1, "estimate > 30"));
  hc_finding_list_fini(&found);
}

/* Values sort as numbers do, on both sides of nought, which is one with -0. */
static void test_expressions_sort(void **state)
{
  static const double wanted[] = {-2, -0.5, 0, 0.25, 3};
  hc_task_record t[6];
  const hc_metric_context c = context();
  const int64_t users[] = {12, 0, -8, 1, -2, 0};
  HC_UNUSED(state);
  for (int i = 0; i < 6; i++) t[i] = task_of(i, 0, 0, 1, 1, users[i] == 0 ? 40 : users[i] + 20);
  count_by(&c, "user == 40 ? (id == 6 ? 0 * -1 : 0) : (user - 20) / 4", t, 6);
  for (int i = 0, row = -1; i < (int)found.count; i++) {
    if (strncmp(found.items[i].name, "user ==", 7) != 0) continue;
    row++;
    assert_true(row < 5 && found.items[i].key == row && found.items[i].value == wanted[row]);
    EXPECT(found.items[i].table, row, "tasks", row == 2 ? 2 : 1);
  }
  assert_true(has_cell(found.items[0].table, 4, "tasks"));
  hc_finding_list_fini(&found);
}

/* ---- classes ---- */

static void test_classes_of_size(void **state)
{
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 8, 9}, limits[] = {4, 8};
  const double above[] = {0, 1, 2, 4, 8}, to[] = {1, 2, 4, 8, 16}, tasks[] = {1, 1, 2, 2, 1};
  hc_task_record t[7];
  hc_metric_context c = context();
  static const char *const by[] = {"size"};
  void *o = options_by(by, 1);
  HC_UNUSED(state);
  for (int i = 0; i < 7; i++) t[i] = task_of(i, 0, 0, 1, sizes[i], 1);
  count_with(&c, o, t, 7); /* powers of two: 1; 2; 3, 4; 5, 8; 9 */
  for (int i = 0; i < 5; i++) {
    EXPECT("by(size)", i, "size", above[i]);
    EXPECT("by(size)", i, "size_to", to[i]);
    EXPECT("by(size)", i, "tasks", tasks[i]);
  }
  hc_finding_list_fini(&found);
  set_list(&hc_metric_by.component, o, "sizes", limits, 2);
  count_with(&c, o, t, 7); /* to 4; to 8; above */
  EXPECT("by(size)", 0, "tasks", 4);
  EXPECT("by(size)", 1, "size", 4);
  EXPECT("by(size)", 1, "size_to", 8);
  EXPECT("by(size)", 1, "tasks", 2);
  EXPECT("by(size)", 2, "size", 8);
  assert_true(cell("by(size)", 2, "size_to") != cell("by(size)", 2, "size_to")); /* no limit */
  hc_finding_list_fini(&found);
  /* In cores: 4,000 thousandths are the last of the class to 4, 4,001 are above. */
  c.core_units = 1000;
  t[0].units = 4000;
  t[1].units = 4001;
  count_with(&c, o, t, 2);
  EXPECT("by(size)", 0, "size_to", 4);
  EXPECT("by(size)", 1, "size", 4);
  hc_finding_list_fini(&found);
  free(o);
}

static void test_classes_of_estimates(void **state)
{
  const hc_time estimates[] = {HC_SECOND / 2, HC_SECOND, HC_SECOND + 1, S(10), S(10) + 1, S(100000)};
  static const hc_time limits[] = {S(10), HC_HOUR};
  const double to[] = {1, 10, 100, 100000}, tasks[] = {2, 2, 1, 1};
  hc_task_record t[6];
  const hc_metric_context c = context();
  static const char *const by[] = {"estimate"};
  void *o = options_by(by, 1);
  HC_UNUSED(state);
  for (int i = 0; i < 6; i++) {
    t[i] = task_of(i, 0, 0, 1, 1, 1);
    t[i].estimate = estimates[i];
  }
  count_with(&c, o, t, 6);
  for (int i = 0; i < 4; i++) {
    EXPECT("by(estimate)", i, "estimate_to", to[i]);
    EXPECT("by(estimate)", i, "tasks", tasks[i]);
  }
  hc_finding_list_fini(&found);
  set_list(&hc_metric_by.component, o, "estimates", limits, 2);
  count_with(&c, o, t, 6);
  EXPECT("by(estimate)", 0, "tasks", 4);
  EXPECT("by(estimate)", 1, "tasks", 1);
  EXPECT("by(estimate)", 1, "estimate_to", 3600);
  EXPECT("by(estimate)", 2, "estimate", 3600);
  hc_finding_list_fini(&found);
  free(o);
}

/* ---- dates ---- */

/* 2024-03-31 00:00 UTC is 1711843200. In Stockholm clocks go from 02:00 to 03:00 at 01:00 UTC: tasks at 00:30
 * and 01:30 UTC come at 01:30 and 03:30 of a Sunday. On 2024-10-27 (1729987200) they go back at 01:00 UTC:
 * 00:30 and 01:30 UTC are both 02:30. */
static void test_hours_across_changes_of_the_clocks(void **state)
{
  static const char *const by[] = {"weekday,hour"};
  hc_metric_context c = context();
  hc_task_record t[4] = {
      task_of(0, 1800, 1800, 1801, 1, 1), task_of(1, 5400, 5400, 5401, 1, 1),
      task_of(2, 1729987200 - 1711843200 + 1800, 1729987200 - 1711843200 + 1900, 20000000, 1, 1),
      task_of(3, 1729987200 - 1711843200 + 5400, 1729987200 - 1711843200 + 5400, 20000000, 1, 1)};
  void *o = options_by(by, 1);
  HC_UNUSED(state);
  c.unix_start = 1711843200;
  c.zone = "Europe/Stockholm";
  count_with(&c, o, t, 4);
  for (int row = 0; row < 3; row++) EXPECT("by(weekday,hour)", row, "weekday", 6); /* Sunday */
  EXPECT("by(weekday,hour)", 0, "hour", 1);
  EXPECT("by(weekday,hour)", 0, "tasks", 1);
  EXPECT("by(weekday,hour)", 1, "hour", 2); /* twice, in October */
  EXPECT("by(weekday,hour)", 1, "tasks", 2);
  EXPECT("by(weekday,hour)", 1, "wait_mean", 50);
  EXPECT("by(weekday,hour)", 2, "hour", 3);
  hc_finding_list_fini(&found);
  /* Without the zone the offset at the origin, one hour, is all there is: 02:30 in March, which there never
   * was. */
  c.zone = NULL;
  c.zone_offset = 3600;
  count_with(&c, o, t, 4);
  EXPECT("by(weekday,hour)", 1, "hour", 2);
  EXPECT("by(weekday,hour)", 1, "tasks", 2);
  EXPECT("by(weekday,hour)", 0, "tasks", 2); /* 01:30 in March and in October */
  hc_finding_list_fini(&found);
  free(o);
}

/* 2024-06-30 22:30 UTC is 00:30 of July 1 in Stockholm, where the run began in winter, when that was 23:30.
 * */
static void test_days_and_months(void **state)
{
  hc_metric_context c = context();
  const int64_t start = 1704067200 /* 2024-01-01 */, at = 1719786600 - start;
  const hc_task_record t[2] = {task_of(0, 0, 0, 1, 1, 1), task_of(1, at, at, at + 1, 1, 1)};
  HC_UNUSED(state);
  c.unix_start = start;
  c.zone = "Europe/Stockholm";
  count_by(&c, "day", t, 2);
  EXPECT("by(day)", 0, "day", 19723); /* 2024-01-01 */
  EXPECT("by(day)", 1, "day", 19905); /* 2024-07-01 */
  hc_finding_list_fini(&found);
  count_by(&c, "month", t, 2);
  EXPECT("by(month)", 0, "month", 54 * 12);
  EXPECT("by(month)", 1, "month", 54 * 12 + 6);
  hc_finding_list_fini(&found);
  count_by(&c, "month + 100 * (weekday + 1)", t, 2);
  EXPECT("by(month + 100 * (weekday + 1))", 0, "month + 100 * (weekday + 1)", 101); /* both Mondays */
  EXPECT("by(month + 100 * (weekday + 1))", 1, "month + 100 * (weekday + 1)", 107);
  hc_finding_list_fini(&found);
}

/* ---- the bound ---- */

/* 200,000 users of a task each, of 1 unit and 1 s: 100,000 have rows, 100,000 are one. */
static void test_many_groups_are_one(void **state)
{
  const size_t n = 200000;
  hc_task_record *t = malloc(n * sizeof *t);
  const hc_metric_context c = context();
  double tasks = 0, area = 0;
  size_t rows = 0;
  HC_UNUSED(state);
  assert_non_null(t);
  for (size_t i = 0; i < n; i++)
    t[i] = task_of((int64_t)i, 0, (int64_t)(i >= 100000), 2, 1, (int64_t)(i * 7919 % n));
  count_by(&c, "user", t, n);
  for (size_t i = 0; i < found.count; i++) {
    const hc_finding *f = &found.items[i];
    if (strcmp(f->name, "tasks") == 0) {
      tasks += f->value;
      rows++;
    }
    if (strcmp(f->name, "area") == 0) area += f->value;
  }
  assert_int_equal(rows, 100001);
  assert_true(tasks == 200000);
  assert_true(area == 2 * 100000 + 100000);
  /* the last row: not found by its place, which would go over a million findings */
  const hc_finding *last = &found.items[found.count - 1];
  assert_int_equal(last->key, 100000);
  for (const hc_finding *f = last; f->key == 100000; f--) {
    if (strcmp(f->name, "groups") == 0) assert_true(f->value == 100000);
    if (strcmp(f->name, "tasks") == 0) assert_true(f->value == 100000);
    if (strcmp(f->name, "wait_mean") == 0) assert_true(f->value == 1);
    if (strcmp(f->name, "task_share") == 0) assert_true(f->value == 0.5);
    assert_string_not_equal(f->name, "user");
  }
  hc_finding_list_fini(&found);
  free(t);
}

/* How many the rest is, is counted to 2^20. */
static void test_rest_is_counted_to_a_bound(void **state)
{
  static const char *const by[] = {"user"};
  const hc_grouping_options o = {.by = by, .by_count = 1, .most = 3, .unix_start = HC_UNKNOWN};
  const uint32_t bound = 1u << 20;
  hc_grouping *g;
  hc_error e = {0};
  bool at_least = true;
  uint32_t number;
  HC_UNUSED(state);
  assert_int_equal(hc_grouping_new(hc_default_allocator(), &o, &g, &e), 0);
  for (uint32_t i = 0; i < 3 + bound + 2; i++) {
    const hc_task_record t = task_of(i, 0, 0, 1, 1, 5 + (int64_t)i);
    assert_int_equal(hc_grouping_of(g, &t, 1, &number), 0);
    assert_int_equal(number, HC_MIN(i, 3u));
    if (i == 2 + bound) {
      assert_int_equal(hc_grouping_rest(g, &at_least), bound);
      assert_false(at_least);
    }
  }
  assert_int_equal(hc_grouping_count(g), 3);
  assert_int_equal(hc_grouping_rest(g, &at_least), bound);
  assert_true(at_least);
  hc_grouping_free(g);
}

/* ---- accounts beside groups ---- */

/* Of serial i: account[i] and qos[i]; both -1: it is not known to have anything. */
typedef struct besides {
  int64_t account[6], qos[6];
} besides;

static bool beside(void *ctx, int64_t serial, hc_beside *out)
{
  const besides *b = ctx;
  *out = (hc_beside){b->account[serial], b->qos[serial]};
  return out->account != -1 || out->qos != -1;
}

/* Six tasks of one second, which wait as long as their serial. Serials 0, 2 and 4 have the account 1, 3 the
 * account 2 beside group 1; 1 has group 1 alone, and 5 neither.
 *   account 1   waits 0, 2, 4        account 2   3
 *   group 1     1                    not known   5
 * Account 1 and group 1 are not one. */
static void six(hc_task_record *t)
{
  for (int64_t i = 0; i < 6; i++) {
    t[i] = task_of(i, 0, i, i + 1, 1, 7);
    t[i].group = i == 5 ? -1 : 1;
    t[i].queue = i == 5 ? -1 : 4;
  }
}

static void test_accounts_beside_groups(void **state)
{
  besides b = {{1, -1, 1, 2, 1, -1}, {-1, -1, -1, -1, -1, -1}};
  hc_task_record t[6];
  hc_metric_context c = context();
  HC_UNUSED(state);
  six(t);
  c.beside = beside;
  c.beside_ctx = &b;
  count_by(&c, "account", t, 6);
  EXPECT("by(account)", 0, "account", 1);
  EXPECT("by(account)", 0, "tasks", 3);
  EXPECT("by(account)", 0, "wait_mean", 2);
  EXPECT("by(account)", 1, "account", 2);
  EXPECT("by(account)", 1, "wait_mean", 3);
  EXPECT("by(account)", 2, "account_other", 1);
  assert_false(has_cell("by(account)", 2, "account"));
  EXPECT("by(account)", 2, "wait_mean", 1);
  assert_true(cell("by(account)", 3, "account") != cell("by(account)", 3, "account")); /* not known */
  EXPECT("by(account)", 3, "wait_mean", 5);
  assert_false(has_cell("by(account)", 4, "tasks"));
  hc_finding_list_fini(&found);
  /* A task has both: here each account is of group 1. */
  count_by(&c, "group,account", t, 6);
  EXPECT("by(group,account)", 0, "group", 1);
  EXPECT("by(group,account)", 0, "account", 1);
  EXPECT("by(group,account)", 1, "account", 2);
  EXPECT("by(group,account)", 2, "group", 1);
  EXPECT("by(group,account)", 2, "account_other", 1);
  EXPECT("by(group,account)", 3, "wait_mean", 5);
  hc_finding_list_fini(&found);
  /* In an expression, too, an account is what a task has, or else its group. */
  count_by(&c, "account * 10 + qos", t, 6);
  EXPECT("by(account * 10 + qos)", 0, "account * 10 + qos", 14);
  EXPECT("by(account * 10 + qos)", 0, "tasks", 4);
  EXPECT("by(account * 10 + qos)", 1, "account * 10 + qos", 24);
  EXPECT("by(account * 10 + qos)", 2, "wait_mean", 5);
  hc_finding_list_fini(&found);
}

/* Where no task has one beside its group the table is that of groups, by its words, as it was before there
 * were others; with both asked for each has its own. */
static void test_accounts_that_are_groups(void **state)
{
  besides b = {{-1, -1, -1, -1, -1, -1}, {3, -1, -1, -1, -1, 3}};
  hc_task_record t[6];
  hc_metric_context c = context();
  HC_UNUSED(state);
  six(t);
  for (int known = 0; known < 2; known++) {
    count_by(&c, "account", t, 6);
    EXPECT("by(group)", 0, "group", 1);
    EXPECT("by(group)", 0, "tasks", 5);
    assert_true(cell("by(group)", 1, "group") != cell("by(group)", 1, "group"));
    assert_false(has_cell("by(group)", 2, "tasks"));
    hc_finding_list_fini(&found);
    c.beside = beside; /* of which this asks for no more than accounts */
    c.beside_ctx = &b;
  }
  count_by(&c, "queue,qos", t, 6);
  EXPECT("by(queue,qos)", 0, "queue", 4);
  EXPECT("by(queue,qos)", 0, "qos", 3);
  EXPECT("by(queue,qos)", 1, "qos_other", 4);
  EXPECT("by(queue,qos)", 1, "tasks", 4);
  EXPECT("by(queue,qos)", 2, "qos", 3); /* and no queue */
  hc_finding_list_fini(&found);
}

/* ---- brute force ---- */

/* What a task's group is called, by other means than the metric's: a text. */
static void name_group(int how, const hc_task_record *r, char out[64])
{
  const int64_t unix_time = 1711843200 - 86400 + r->submit / HC_SECOND;
  /* clocks change once in what random_tasks makes of the first day or two */
  const int64_t local = unix_time + (unix_time < 1711846800 ? 3600 : 7200);
  int k = 0;
  switch (how) {
    case 0: (void)snprintf(out, 64, "%lld", (long long)r->user); break;
    case 1:
      (void)snprintf(out, 64, "%lld %lld", (long long)(local / 86400), (long long)(local % 86400 / 3600));
      break;
    case 2:
      while ((1 << k) < r->units) k++;
      (void)snprintf(out, 64, "%d %lld", k, (long long)r->queue);
      break;
    default: (void)snprintf(out, 64, "%d", r->start - r->submit > S(100) && r->units > 8); break;
  }
}

/* Every group of `tasks`, gone over anew for each of its tasks: sums of what is to be found in some row. */
static void expect_brute_force(int how, const char *table, const hc_task_record *t, size_t n)
{
  size_t groups = 0;
  for (size_t i = 0; i < n; i++) {
    char mine[64], other[64];
    double count = 0, wait = 0, most = 0, response = 0, area = 0;
    bool is_first = true, is_found = false;
    name_group(how, &t[i], mine);
    for (size_t k = 0; k < n; k++) {
      name_group(how, &t[k], other);
      if (strcmp(mine, other) != 0) continue;
      is_first &= k >= i;
      count++;
      wait += (double)(t[k].start - t[k].submit) / 1e9;
      most = HC_MAX(most, (double)(t[k].start - t[k].submit) / 1e9);
      response += (double)(t[k].end - t[k].submit) / 1e9;
      area += (double)(t[k].end - t[k].start) / 1e9 * (double)t[k].units;
    }
    if (!is_first) continue;
    for (int64_t row = 0; has_cell(table, row, "tasks") && !is_found; row++)
      is_found = cell(table, row, "tasks") == count && cell(table, row, "wait_max") == most &&
                 cell(table, row, "area") == area && is_near(cell(table, row, "wait_mean"), wait / count) &&
                 is_near(cell(table, row, "response_mean"), response / count);
    if (!is_found) fail_msg("%s: no row is the group %s", table, mine);
    groups++;
  }
  assert_true(has_cell(table, (int64_t)groups - 1, "tasks") && !has_cell(table, (int64_t)groups, "tasks"));
}

static void test_against_brute_force(void **state)
{
  static const char *const by[] = {"user", "day,hour", "size,queue", "wait > 100 && procs > 8"};
  HC_UNUSED(state);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    hc_task_record *t = random_tasks(400, seed);
    hc_metric_context c = context();
    c.unix_start = 1711843200 - 86400;
    c.zone = "Europe/Stockholm";
    for (size_t i = 0; i < 400; i++) { /* spread over three days */
      const hc_time by_hours = t[i].serial * 10 * HC_MINUTE;
      t[i].submit += by_hours;
      t[i].start += by_hours;
      t[i].end += by_hours;
    }
    for (int how = 0; how < 4; how++) {
      char table[HC_GROUPING_TABLE];
      (void)snprintf(table, sizeof table, "by(%s)", by[how]);
      count_by(&c, by[how], t, 400);
      expect_brute_force(how, table, t, 400);
      hc_finding_list_fini(&found);
    }
    free(t);
  }
}

/* ---- sums ---- */

/* Over groups of whatever kind: tasks, core-hours and shares add up, and so do waits by their means. */
static void test_groups_add_up_to_the_whole(void **state)
{
  static const char *const by[] = {
      "user", "size", "estimate", "hour,weekday", "run > wait,user", "floor(response / 60)"};
  const size_t n = 3000;
  hc_task_record *t = random_tasks(n, 11);
  hc_metric_context c = context();
  double wait = 0, area = 0;
  HC_UNUSED(state);
  c.unix_start = 0;
  c.zone = "UTC";
  for (size_t i = 0; i < n; i++) {
    if (i % 7 == 0) t[i].final = HC_FINAL_LOST; /* such do not count */
    if (i % 7 == 0) continue;
    wait += (double)(t[i].start - t[i].submit) / 1e9;
    area += (double)(t[i].end - t[i].start) / 1e9 * (double)t[i].units;
  }
  for (size_t k = 0; k < HC_ARRAY_LEN(by); k++) {
    char table[HC_GROUPING_TABLE];
    double tasks = 0, waits = 0, areas = 0, share = 0, task_share = 0;
    (void)snprintf(table, sizeof table, "by(%s)", by[k]);
    count_by(&c, by[k], t, n);
    for (int64_t row = 0; has_cell(table, row, "tasks"); row++) {
      tasks += cell(table, row, "tasks");
      waits += cell(table, row, "tasks") * cell(table, row, "wait_mean");
      areas += cell(table, row, "area");
      share += cell(table, row, "share");
      task_share += cell(table, row, "task_share");
    }
    assert_true(tasks == (double)(n - (n + 6) / 7));
    assert_true(waits > wait - 1e-6 && waits < wait + 1e-6);
    assert_true(areas == area); /* whole numbers */
    assert_true(share > 1 - 1e-12 && share < 1 + 1e-12 && task_share > 1 - 1e-12 && task_share < 1 + 1e-12);
    hc_finding_list_fini(&found);
  }
  free(t);
}

/* ---- state ---- */

/* Something of every task: held for a part of its wait, busy for half of its time, cut every fifth time. */
static bool measured(void *ctx, int64_t serial, hc_measured *out)
{
  HC_UNUSED(ctx);
  *out = (hc_measured){.held = serial % 3 * HC_MS,
                       .cpu_time = serial % 50 * HC_SECOND,
                       .memory_asked = 4 << 20,
                       .memory_used = (serial % 4) << 20,
                       .ending = serial % 5 ? HC_ENDING_COMPLETED : HC_ENDING_TIMEOUT};
  return serial % 11 != 0;
}

/* Saved and loaded on the way, with few rows of its own: groups past them are told apart after loading too.
 * */
static void test_saved_on_the_way(void **state)
{
  static const char *const by[] = {"user,size"};
  const size_t n = 2000;
  hc_task_record *t = random_tasks(n, 5);
  hc_metric_context c = context();
  void *o = options_by(by, 1);
  hc_finding_list whole;
  hc_metric *self = NULL;
  HC_UNUSED(state);
  c.measured = measured; /* so that all figures are those of a log, too */
  set_option(&hc_metric_by.component, o, "most", 9);
  count_with(&c, o, t, n);
  whole = found;
  whole.findings.ctx = &whole;
  assert_int_equal(hc_metric_by.init(&c, o, &self, NULL), 0);
  for (size_t i = 0; i < n; i += 100) {
    hc_buffer b;
    hc_visitor v = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &b};
    assert_int_equal(hc_metric_by.tasks(self, t + i, 100), 0);
    hc_buffer_init(&b, hc_default_allocator());
    assert_int_equal(hc_metric_by.visit(self, &v), 0);
    hc_metric_by.fini(self);
    assert_int_equal(hc_metric_by.init(&c, o, &self, NULL), 0);
    v = (hc_visitor){.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)b.data,
                     .left = b.size};
    assert_int_equal(hc_metric_by.visit(self, &v), 0);
    hc_buffer_fini(&b);
  }
  hc_finding_list_init(&found, hc_default_allocator());
  assert_int_equal(hc_metric_by.finish(self, &found.findings), 0);
  hc_metric_by.fini(self);
  assert_int_equal(found.count, whole.count);
  for (size_t i = 0; i < whole.count; i++) {
    assert_string_equal(found.items[i].name, whole.items[i].name);
    assert_memory_equal(&found.items[i].value, &whole.items[i].value, sizeof(double));
  }
  assert_true(has_cell("by(user,size)", 9, "groups"));
  assert_true(has_cell("by(user,size)", 9, "covers_90") && has_cell("by(user,size)", 9, "cpu_used"));
  hc_finding_list_fini(&found);
  hc_finding_list_fini(&whole);
  free(t);
  free(o);
}

/* A number that no double is comes back from its two cells. */
static void test_numbers_past_doubles(void **state)
{
  const int64_t number = (INT64_C(1) << 60) + 1;
  const hc_task_record t = task_of(0, 0, 0, 1, 1, number);
  const hc_metric_context c = context();
  HC_UNUSED(state);
  count_by(&c, "user", &t, 1);
  assert_true((int64_t)cell("by(user)", 0, "user") + (int64_t)cell("by(user)", 0, "user_rest") == number);
  hc_finding_list_fini(&found);
}

/* ---- what is refused ---- */

static void expect_refused(const char *by, const char *words)
{
  const hc_grouping_options o = {.by = &by, .by_count = by ? 1 : 0, .unix_start = HC_UNKNOWN};
  hc_grouping *g = NULL;
  hc_error e = {0};
  assert_int_equal(hc_grouping_new(hc_default_allocator(), &o, &g, &e), HC_EUSAGE);
  if (!strstr(e.text, words)) fail_msg("\"%s\" is refused with: %s", by ? by : "", e.text);
}

static void test_refusals(void **state)
{
  const int64_t limits[] = {4, 4};
  const char *by = "size";
  const hc_grouping_options o = {
      .by = &by, .by_count = 1, .sizes = limits, .size_count = 2, .unix_start = HC_UNKNOWN};
  hc_grouping *g = NULL;
  hc_error e = {0};
  HC_UNUSED(state);
  expect_refused(NULL, "nothing to group by");
  expect_refused("usr", "did you mean \"user\"?");
  expect_refused("colour", "known are user, group");
  expect_refused("user,user", "twice");
  expect_refused("account,account", "twice");
  expect_refused("acount", "did you mean \"account\"?");
  expect_refused("user,size,queue", "one too many");
  expect_refused("user,,size", "between two commas");
  expect_refused("wait >", "the text ends");
  expect_refused("wiat > 3", "did you mean \"wait\"");
  expect_refused("day", "unix_start");
  expect_refused("hour > 8", "unix_start");
  assert_int_equal(hc_grouping_new(hc_default_allocator(), &o, &g, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "ascend"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_two_things_and_an_expression),
      cmocka_unit_test(test_what_is_not_known_is_last),
      cmocka_unit_test(test_expressions_sort),
      cmocka_unit_test(test_classes_of_size),
      cmocka_unit_test(test_classes_of_estimates),
      cmocka_unit_test(test_hours_across_changes_of_the_clocks),
      cmocka_unit_test(test_days_and_months),
      cmocka_unit_test(test_many_groups_are_one),
      cmocka_unit_test(test_rest_is_counted_to_a_bound),
      cmocka_unit_test(test_accounts_beside_groups),
      cmocka_unit_test(test_accounts_that_are_groups),
      cmocka_unit_test(test_against_brute_force),
      cmocka_unit_test(test_groups_add_up_to_the_whole),
      cmocka_unit_test(test_saved_on_the_way),
      cmocka_unit_test(test_numbers_past_doubles),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
