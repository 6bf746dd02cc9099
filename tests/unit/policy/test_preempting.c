/* test_preempting.c -- books of running tasks: classes worked by hand and against a walk over all of them;
 * victims, stages, backoff. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/preempting.h"

/* ---- a world of the test's own: tasks by number, which is their serial ---- */

#define MOST 400
typedef struct one {
  bool runs, told;
  uint32_t member, host;
  hc_time start;
  int64_t amount[2], priority, loss;
} one;
static one tasks[MOST];
static int64_t room[4][2]; /* free on each host */
static hc_time clock_now;
static hc_task stopped[16];
static size_t stopped_count;
static hc_task started;

static hc_time w_now(const hc_view *v)
{
  (void)v;
  return clock_now;
}
static uint64_t w_serial(const hc_view *v, hc_task t)
{
  (void)v;
  return t;
}
static hc_time w_started(const hc_view *v, hc_task t)
{
  (void)v;
  return tasks[t].start;
}
static int64_t w_priority(const hc_view *v, hc_task t)
{
  (void)v;
  return tasks[t].priority;
}
static uint32_t w_dimensions(const hc_view *v)
{
  (void)v;
  return 2;
}
static int64_t w_capacity(const hc_view *v, uint32_t d)
{
  (void)v;
  (void)d;
  return 100;
}
static const int64_t *w_free(const hc_view *v, uint32_t host, const int64_t **capacity)
{
  (void)v;
  (void)capacity;
  return host < 4 ? room[host] : NULL;
}
static int64_t w_demand(const hc_view *v, hc_task t, uint32_t d)
{
  (void)v;
  return tasks[t].amount[d];
}
static size_t w_held(const hc_view *v, hc_task t, const hc_holding **out)
{
  static hc_holding h;
  (void)v;
  h = (hc_holding){.host = tasks[t].host, .slots = 1, .amount = {tasks[t].amount[0], tasks[t].amount[1]}};
  *out = &h;
  return 1;
}
static hc_time w_leaves(const hc_view *v, hc_task t)
{
  (void)v;
  return !tasks[t].runs ? HC_UNKNOWN : tasks[t].told ? clock_now + 1 : HC_NEVER;
}
static hc_time w_loses(const hc_view *v, hc_task t, const hc_stopping *how)
{
  (void)v;
  (void)how;
  return tasks[t].loss;
}
static bool w_fits(const hc_view *v, hc_task t, uint32_t host, const hc_task *running, size_t count)
{
  int64_t sum[2] = {room[host][0], room[host][1]};
  (void)v;
  for (size_t i = 0; i < count; i++)
    for (int d = 0; d < 2; d++) sum[d] += tasks[running[i]].amount[d];
  return tasks[t].amount[0] <= sum[0] && tasks[t].amount[1] <= sum[1];
}
static hc_rc w_stop(hc_plan *p, hc_task t, const hc_stopping *how)
{
  (void)p;
  if (how->grace > 0) tasks[t].told = true;
  stopped[stopped_count++] = t;
  return 0;
}
static hc_rc w_start(hc_plan *p, hc_task t, const hc_range *hosts, size_t count)
{
  (void)p;
  (void)hosts;
  (void)count;
  started = t;
  return 0;
}
static bool w_explaining(const hc_view *v)
{
  (void)v;
  return false;
}

static const hc_services world = {.now = w_now,
                                  .serial = w_serial,
                                  .started = w_started,
                                  .priority = w_priority,
                                  .dimensions = w_dimensions,
                                  .capacity = w_capacity,
                                  .host_free = w_free,
                                  .demand = w_demand,
                                  .held = w_held,
                                  .leaves = w_leaves,
                                  .loses = w_loses,
                                  .fits_without = w_fits,
                                  .stop = w_stop,
                                  .start = w_start,
                                  .explaining = w_explaining};

static const hc_preempting_options yt = {
    .aggressive_threshold = 0.2, .threshold = 1, .backoff = 5 * HC_SECOND};

static void begin(hc_preempting *p, const hc_preempting_options *o)
{
  memset(tasks, 0, sizeof tasks);
  memset(room, 0, sizeof room);
  stopped_count = 0;
  started = HC_NO_TASK;
  clock_now = 100 * HC_SECOND;
  hc_preempting_init(p, hc_default_allocator(), o);
}

static void run(hc_preempting *p, hc_task t, uint32_t member, uint32_t host, hc_time start, int64_t a,
                int64_t b)
{
  tasks[t] = (one){.runs = true, .member = member, .host = host, .start = start, .amount = {a, b}};
  assert_int_equal(hc_preempting_hear(p, &world, NULL, HC_TASK_EVENT_ALLOCATED, t, member, tasks[t].amount),
                   0);
}

static void gone(hc_preempting *p, hc_task t)
{
  tasks[t].runs = false;
  assert_int_equal(
      hc_preempting_hear(p, &world, NULL, HC_TASK_EVENT_RELEASED, t, tasks[t].member, tasks[t].amount), 0);
}

static void due(hc_preempting *p, uint32_t member, double a, double b, double wants_a, double wants_b)
{
  assert_int_equal(hc_preempting_due(p, member, (const double[]){a, b}, (const double[]){wants_a, wants_b}),
                   0);
}

/* ---- classes ---- */

/* Ten tasks of one unit, in the order of their starts. Fair share 5 of a demand of 20: below 0.2 x 5 = 1
 * stands before the first alone; the second to the fifth have 1 to 4 before them, below 5; from the sixth on
 * 5 is not below 5. The first crosses the first bound, the fifth the second: both belong to the safer class.
 */
static void test_classes(void **state)
{
  hc_preempting p;
  (void)state;
  begin(&p, &yt);
  for (hc_task t = 0; t < 10; t++) run(&p, t, 0, 0, t, 1, 0);
  assert_int_equal(hc_preempting_class(&p, 9), HC_STOPS_NEVER); /* what is due was not said */
  due(&p, 0, 5, 0, 20, 0);
  for (hc_task t = 0; t < 10; t++)
    assert_int_equal(hc_preempting_class(&p, t), t < 1   ? HC_STOPS_NEVER
                                                 : t < 5 ? HC_STOPS_AGGRESSIVELY
                                                         : HC_STOPS_FREELY);
  /* The oldest ends: every other moves up by one. */
  gone(&p, 0);
  assert_int_equal(hc_preempting_class(&p, 1), HC_STOPS_NEVER);
  assert_int_equal(hc_preempting_class(&p, 5), HC_STOPS_AGGRESSIVELY);
  assert_int_equal(hc_preempting_class(&p, 6), HC_STOPS_FREELY);
  /* It is due all it wants: no dimension is open, so nothing bounds it. */
  due(&p, 0, 9, 0, 9, 0);
  assert_int_equal(hc_preempting_class(&p, 9), HC_STOPS_NEVER);
  hc_preempting_fini(&p);
}

/* Two dimensions, tasks of (1, 3), share (4, 6) of (8, 24): strictly below in both only while 3 k < 6, so two
 * are safe from `freely`. If the second dimension is covered (demand 6), the first alone decides: k < 4. */
static void test_dimensions(void **state)
{
  hc_preempting p;
  (void)state;
  begin(&p, &yt);
  for (hc_task t = 0; t < 8; t++) run(&p, t, 0, 0, 7 - (hc_time)t, 1, 3); /* 7 is the oldest */
  due(&p, 0, 4, 6, 8, 24);
  for (hc_task t = 0; t < 8; t++) assert_int_equal(hc_preempting_class(&p, t) == HC_STOPS_FREELY, 7 - t >= 2);
  due(&p, 0, 4, 6, 8, 6);
  for (hc_task t = 0; t < 8; t++) assert_int_equal(hc_preempting_class(&p, t) == HC_STOPS_FREELY, 7 - t >= 4);
  assert_int_equal(hc_preempting_usage(&p, 0)[1], 24);
  assert_null(hc_preempting_usage(&p, 1));
  hc_preempting_fini(&p);
}

/* What preempting.h says, word by word. */
static hc_stop_class walked(hc_task t, const double *fair, const double *demand)
{
  int64_t sum[2] = {0, 0};
  bool below[2] = {true, true};
  for (hc_task x = 0; x < MOST; x++) {
    const bool older = tasks[x].start < tasks[t].start || (tasks[x].start == tasks[t].start && x < t);
    if (!tasks[x].runs || tasks[x].member != tasks[t].member || !older) continue;
    for (int d = 0; d < 2; d++) sum[d] += tasks[x].amount[d];
  }
  for (int k = 0; k < 2; k++)
    for (int d = 0; d < 2; d++)
      if (fair[d] < demand[d] && !((double)sum[d] < (k ? 1 : 0.2) * fair[d])) below[k] = false;
  return below[0] ? HC_STOPS_NEVER : below[1] ? HC_STOPS_AGGRESSIVELY : HC_STOPS_FREELY;
}

static uint64_t drawn = 12345;
static uint64_t draw(uint64_t below)
{
  drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (drawn >> 33) % below;
}

static void reload(hc_preempting *p)
{
  const hc_preempting_options o = p->o;
  hc_buffer b;
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &b};
  hc_visitor load = {.calls = &hc_state_calls, .mode = HC_VISIT_LOAD, .allocator = hc_default_allocator()};
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(hc_preempting_visit(p, &save), 0);
  hc_preempting_fini(p);
  hc_preempting_init(p, hc_default_allocator(), &o);
  load.in = (const uint8_t *)b.data;
  load.left = b.size;
  assert_int_equal(hc_preempting_visit(p, &load), 0);
  hc_buffer_fini(&b);
}

/* Starts, ends, and returns of older tasks (a start that is undone) in any order; shares and amounts small,
 * so that bounds are met exactly. Fair shares are multiples of 5, so that 0.2 of them is whole. */
static void test_against_a_walk(void **state)
{
  double fair[3][2] = {{0}}, demand[3][2] = {{0}};
  hc_preempting p;
  (void)state;
  begin(&p, &yt);
  run(&p, 0, 0, 0, 3, 1, 1);
  for (uint32_t m = 0; m < 3; m++) due(&p, m, 0, 0, 1, 1);
  for (uint32_t m = 0; m < 3; m++) demand[m][0] = demand[m][1] = 1;
  for (int step = 0; step < 3000; step++) {
    const hc_task t = (hc_task)draw(60);
    const uint32_t m = (uint32_t)draw(3);
    if (tasks[t].runs) gone(&p, t);
    else run(&p, t, m, (uint32_t)draw(4), (hc_time)draw(20), (int64_t)draw(4), (int64_t)draw(4));
    if (draw(5) == 0) {
      for (int d = 0; d < 2; d++) {
        fair[m][d] = (double)(5 * draw(5));
        demand[m][d] = fair[m][d] + (double)draw(3);
      }
      due(&p, m, fair[m][0], fair[m][1], demand[m][0], demand[m][1]);
    }
    if (step % 500 == 499) reload(&p);
    for (hc_task x = 0; x < 60; x++)
      if (tasks[x].runs)
        assert_int_equal(hc_preempting_class(&p, x),
                         walked(x, fair[tasks[x].member], demand[tasks[x].member]));
  }
  hc_preempting_fini(&p);
}

/* ---- victims ---- */

static hc_task wanted;
static hc_task take_wanted(void *ctx, uint32_t member, const int64_t *free)
{
  (void)ctx;
  (void)member;
  return tasks[wanted].amount[0] <= free[0] && tasks[wanted].amount[1] <= free[1] ? wanted : HC_NO_TASK;
}

static bool second_is_protected(void *ctx, uint32_t member, uint32_t taker)
{
  (void)ctx;
  (void)taker;
  return member == 1;
}

static const uint32_t third[] = {2};

static hc_rc stage(hc_preempting *p, uint32_t host, hc_stop_class least, bool protects)
{
  const hc_preempting_stage x = {.host = host,
                                 .least = least,
                                 .is_protected = protects ? second_is_protected : NULL,
                                 .takers = third,
                                 .taker_count = 1,
                                 .task = take_wanted};
  stopped_count = 0;
  started = HC_NO_TASK;
  return hc_preempting_run(p, &world, NULL, NULL, &x, NULL, NULL);
}

/* Member 0 is due 2 and has tasks 0 to 4 of one unit, 0 oldest: 0 never, 1 aggressively, 2 to 4 freely.
 * Member 1 is due 1 and has 10 and 11: 11 freely, since 1 is not below 1. All on host 0; the taker is member
 * 2, its task 50. */
static void set_up(hc_preempting *p, const hc_preempting_options *o, int64_t need)
{
  begin(p, o);
  for (hc_task t = 0; t < 5; t++) run(p, t, 0, 0, 10 + (hc_time)t, 1, 1);
  run(p, 10, 1, 0, 5, 1, 1);
  run(p, 11, 1, 0, 13, 1, 1); /* starts with 3 */
  due(p, 0, 2, 2, 9, 9);
  due(p, 1, 1, 1, 9, 9);
  wanted = 50;
  tasks[50].amount[0] = need;
}

#define STOPPED(...) \
  do { \
    const hc_task expected_[] = {__VA_ARGS__}; \
    assert_int_equal(stopped_count, HC_ARRAY_LEN(expected_)); \
    assert_memory_equal(stopped, expected_, sizeof expected_); \
  } while (0)

static void test_victims(void **state)
{
  hc_preempting_options o = yt;
  hc_preempting p;
  (void)state;
  set_up(&p, &o,
         3); /* newest first: 4 (at 14), then of those that started at 13 the higher serial, 11, then 3 */
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  STOPPED(4, 11, 3);
  assert_int_equal(started, 50);
  hc_preempting_fini(&p);
  o.victims = HC_VICTIMS_OLDEST;
  set_up(&p, &o, 3);
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  STOPPED(2, 3, 11);
  hc_preempting_fini(&p);
  o.victims = HC_VICTIMS_LEAST_LOST;
  set_up(&p, &o, 3);
  for (hc_task t = 0; t < 12; t++) tasks[t].loss = t == 3 ? 1 : t == 11 ? 2 : t == 4 ? 9 : 5;
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  STOPPED(3, 11, 2);
  hc_preempting_fini(&p);
  o.victims = HC_VICTIMS_MOST_OVER_SHARE; /* 5 of 2 against 2 of 1 */
  set_up(&p, &o, 4);
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  STOPPED(4, 3, 2, 11);
  hc_preempting_fini(&p);
}

/* Four tasks may go freely. Five units: no task is stopped in vain. Aggressively there are six, 1 and 10's
 * member's: 10 has nothing before it and is never stopped; so five are enough for five, and the freely
 * stopped come first. Member 1 protected: three, and four with 1. */
static void test_what_is_enough(void **state)
{
  hc_preempting p;
  (void)state;
  set_up(&p, &yt, 5);
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 0);
  assert_int_equal(stopped_count, 0);
  assert_int_equal(stage(&p, 0, HC_STOPS_AGGRESSIVELY, true), 0);
  assert_int_equal(stage(&p, 0, HC_STOPS_AGGRESSIVELY, false), 1);
  STOPPED(4, 11, 3, 2, 1);
  hc_preempting_fini(&p);
  set_up(&p, &yt, 5);
  room[0][0] = 2; /* what is free counts */
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, true), 1);
  STOPPED(4, 3, 2);
  hc_preempting_fini(&p);
  set_up(&p, &yt, 2); /* it fits as it is, and was only not wanted there: no task has to go */
  room[0][0] = 2;
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  assert_int_equal(stopped_count, 0);
  assert_int_equal(started, 50);
  assert_int_equal(stage(&p, 1, HC_STOPS_FREELY, false), 0); /* nothing is known of host 1 */
  hc_preempting_fini(&p);
}

/* Stopped at 100 s; not again before 105 s, and on another host at once. */
static void test_backoff(void **state)
{
  hc_preempting p;
  (void)state;
  set_up(&p, &yt, 1);
  run(&p, 5, 0, 1, 20, 1, 1);
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  gone(&p, 4);
  clock_now += 5 * HC_SECOND - 1;
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 0);
  assert_int_equal(stage(&p, 1, HC_STOPS_FREELY, false), 1);
  STOPPED(5);
  reload(&p);
  assert_true(hc_preempting_ready(&p, 0) == 105 * HC_SECOND);
  assert_true(hc_preempting_ready(&p, 2) == HC_UNKNOWN);
  clock_now++;
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  STOPPED(11);
  hc_preempting_fini(&p);
}

/* With a grace nothing starts, and while 4 is going no other is told there. */
static void test_grace(void **state)
{
  hc_preempting_options o = yt;
  hc_preempting p;
  (void)state;
  o.stopping.grace = 60 * HC_SECOND;
  set_up(&p, &o, 1);
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  STOPPED(4);
  assert_int_equal(started, HC_NO_TASK);
  clock_now += 30 * HC_SECOND;
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 0);
  gone(&p, 4);
  assert_int_equal(stage(&p, 0, HC_STOPS_FREELY, false), 1);
  STOPPED(11);
  hc_preempting_fini(&p);
}

int main(void)
{
  const struct CMUnitTest tests_[] = {
      cmocka_unit_test(test_classes),        cmocka_unit_test(test_dimensions),
      cmocka_unit_test(test_against_a_walk), cmocka_unit_test(test_victims),
      cmocka_unit_test(test_what_is_enough), cmocka_unit_test(test_backoff),
      cmocka_unit_test(test_grace),
  };
  return cmocka_run_group_tests(tests_, NULL, NULL);
}
