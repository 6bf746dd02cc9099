/* test_scheduler_cell.c -- the cell that schedulers find: what runs already when they begin, and hosts that
 * they never use. */
#include "schedulers_test.h"
#include "workload/apart.h"

#include "architecture/scheduler/hosts.h"

/* ---- what ran before ---- */

#define WITH_WAITS \
  "source: {use: csv, file: FILE, job: job, id: id, submit: at, wait: wait, run: run, cpu: cpu}\n" \
  "policy: scan\nmetrics: [tasks]\nparanoid: true\n"

/* The run begins at 10. Task 1 ended at 8 and is not there; task 2 has run since 5 and has 15 of its 20 s
 * left; task 3 waited from 5 to 12 in reality, and is thought about from 10 on; task 4 comes at 12 and finds
 * no core until 2 ends, at 25: thoughts end at 13, 15 ... 25. */
static void test_from_the_trace(void **state)
{
  static const char *const tasks =
      "job,id,at,wait,run,cpu\n1,1,0,0,8,1\n2,2,0,5,20,1\n3,3,5,7,90,1\n4,4,12,0,5,1\n";
  bench b;
  (void)state;
  check(&b, try_text(&b,
                     WITH_WAITS HOSTS(
                         1, 2) "transforms: [{use: prefill, at: 10s}]\narchitecture: {use: multi_path, "
                               "schedulers: [{name: all, think_job: 1s, think_task: 0}]}\n",
                     tasks));
  finish(&b);
  assert_int_equal(b.count, 3);
  const int64_t origin = start_of(&b, 2); /* the first to arrive */
  assert_int_equal(end_of(&b, 2) - origin, 15);
  assert_true(record_of(&b, 2)->flags & HC_TASK_PREFILL);
  assert_int_equal(start_of(&b, 3) - origin, 1);
  assert_int_equal(start_of(&b, 4) - origin, 15);
  assert_true(figure(&b, "jobs_all") == 2); /* task 2 is in no job */
  assert_true(figure(&b, "prefill_tasks") == 1 && figure(&b, "prefill_rejected") == 0);
  end(&b);
}

#define FILLED(cores, rest) \
  "source: [{use: prefill, cpus: " cores \
  ", tasks_per_job: 2, cpu: 1, remaining: 20s}, {use: csv, file: FILE, job: job, id: id, submit: at, run: " \
  "run, cpu: cpu}]\n" \
  "policy: scan\nmetrics: [tasks]\nparanoid: true\n" HOSTS( \
      2, 2) "architecture: {use: multi_path" rest \
            ", schedulers: [{name: all, think_job: 1s, think_task: 0}]}\n"

/* Three of four cores are taken until 20: two tasks of the first job, one of the second. A task of two cores
 * is tried when thoughts end: at 1, 3 ... 19, 21. */
static void test_from_laws(void **state)
{
  static const char *const tasks = "job,id,at,run,cpu\n91,91,0,5,2\n";
  bench b;
  (void)state;
  check(&b, try_text(&b, FILLED("3", ""), tasks));
  finish(&b);
  assert_int_equal(b.count, 4);
  assert_int_equal(start_of(&b, HC_APART + 91), 21);
  assert_true(figure(&b, "prefill_tasks") == 3 && figure(&b, "jobs_all") == 1);
  end(&b);
  /* Half of the cell is two cores, on the first host; the third task is rejected and the second host is
   * free. */
  check(&b, try_text(&b, FILLED("3", ", prefill_share: 0.5"), tasks));
  finish(&b);
  assert_int_equal(start_of(&b, HC_APART + 91), 1);
  assert_true(figure(&b, "prefill_tasks") == 2 && figure(&b, "prefill_rejected") == 1);
  end(&b);
  /* Two tasks are both on the first host, or, where the emptiest is taken, one on each. */
  check(&b, try_text(&b, FILLED("2", ""), tasks));
  finish(&b);
  assert_int_equal(start_of(&b, HC_APART + 91), 1);
  end(&b);
  check(&b, try_text(&b, FILLED("2", ", prefill_place: worst_fit"), tasks));
  finish(&b);
  assert_int_equal(start_of(&b, HC_APART + 91), 21);
  end(&b);
}

/* Job 7 has two tasks of one core until 40, job 8 one of 1.5 that runs for `remaining`, and of job 9 only the
 * end is there. */
static void test_from_a_file(void **state)
{
  static const char *const file =
      "11 0 7 1 2 2 2.0 2147483648\n11 0 8 0 0 1 1.5 0\n12 40 7 1 2 0\n12 50 9 0 0 0\n";
  bench b;
  (void)state;
#define STATE(more) \
  "source: {use: cell_state, file: FILE, remaining: 100s" more \
  "}\npolicy: scan\nmetrics: [tasks]\n" HOSTS(2, 2) "architecture: shared_state\n"
  check(&b, try_text(&b, STATE(""), file));
  finish(&b);
  assert_int_equal(b.count, 3);
  assert_int_equal(b.records[0].end / HC_SECOND, 40);
  assert_int_equal(b.records[1].end / HC_SECOND, 40);
  assert_int_equal(b.records[2].end / HC_SECOND, 100);
  assert_int_equal(b.records[2].start, 0);
  end(&b);
  check(&b, try_text(&b, STATE(", class: 1"), file)); /* service: production, class 2 */
  finish(&b);
  assert_int_equal(b.count, 2);
  end(&b);
  check(&b, try_text(&b, STATE(", cpus: 1.8"), file)); /* job 7 would cross it, job 8 does not */
  finish(&b);
  assert_int_equal(b.count, 1);
  end(&b);
}

/* ---- blacklists ---- */

/* Of two hosts of one core one is left: the job's second task starts in the first thought after the first has
 * ended. */
static void test_blacklist(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n1,2,0,5,1,1\n";
#define PICKY(use, more) \
  SOURCE HOSTS(2, 1) "architecture: {use: " use \
                     ", schedulers: [{name: all, think_job: 1s, think_task: 0, blacklist: 0.5" more "}]}\n"
  (void)state;
  STARTS(PICKY("multi_path", ""), tasks, 1, 7);
  /* Hosts are seen when the thought begins: at 6, when the first ends. */
  STARTS(PICKY("shared_state", ""), tasks, 1, 7);
  STARTS(PICKY("shared_state", ", place: random"), tasks, 1, 7);
  STARTS(PICKY("two_level, interval: 0s", ""), tasks, 1, 7);
}

/* So many are left out, each as often: 4,000 schedulers leave out 8 of 32 hosts, so a host is left out 1,000
 * times, with a standard deviation of sqrt(4000 x 1/4 x 3/4) = 27.4. Six of these are not met by chance. */
static void test_drawn_evenly(void **state)
{
  const hc_allocator *a = hc_default_allocator();
  uint32_t used[32] = {0};
  (void)state;
  for (uint64_t i = 0; i < 4000; i++) {
    hc_scheduler_hosts h;
    hc_arena build;
    uint32_t left = 0;
    hc_arena_init(&build, a);
    assert_int_equal(
        hc_scheduler_hosts_draw(&h, &build, a, 32, 0.25, (hc_draws){7, 0, i, HC_PURPOSE_BLACKLIST, 0}), 0);
    for (size_t k = 0; k < h.count; k++) {
      if (k > 0) assert_true(h.ranges[k].first > h.ranges[k - 1].first + h.ranges[k - 1].count);
      for (uint32_t n = 0; n < h.ranges[k].count; n++) used[h.ranges[k].first + n]++;
      left += h.ranges[k].count;
    }
    assert_int_equal(left, 24);
    hc_arena_fini(&build);
  }
  for (int h = 0; h < 32; h++) assert_in_range(used[h], 3000 - 164, 3000 + 164);
}

static void test_both(void **state)
{
  hc_range mine[] = {{0, 4}, {6, 2}, {9, 5}};
  const hc_range shown[] = {{2, 5}, {10, 1}, {13, 9}};
  const hc_scheduler_hosts h = {mine, 3};
  hc_range out[6];
  (void)state;
  assert_int_equal(hc_scheduler_hosts_both(&h, shown, 3, out), 4);
  assert_true(out[0].first == 2 && out[0].count == 2 && out[1].first == 6 && out[1].count == 1);
  assert_true(out[2].first == 10 && out[2].count == 1 && out[3].first == 13 && out[3].count == 1);
}

static void test_bad(void **state)
{
  (void)state;
  assert_refused(
      SOURCE
      "cell: {use: count, procs: 4}\narchitecture: {use: shared_state, schedulers: [{name: a, blacklist: "
      "0.1}]}\n",
      "cell: {use: hosts");
  assert_refused(
      SOURCE HOSTS(2, 2) "architecture: {use: shared_state, schedulers: [{name: a, blacklist: 1}]}\n",
      "0.99");
  assert_refused(
      "source: {use: prefill, cpus: 2, cpu: exponental(1)}\npolicy: fcfs\nmetrics: []\n" HOSTS(2, 2),
      "exponential");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_from_the_trace),
      cmocka_unit_test(test_from_laws),
      cmocka_unit_test(test_from_a_file),
      cmocka_unit_test(test_blacklist),
      cmocka_unit_test(test_drawn_evenly),
      cmocka_unit_test(test_both),
      cmocka_unit_test(test_bad),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
