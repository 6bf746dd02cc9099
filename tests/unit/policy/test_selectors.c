/* test_selectors.c -- schedules drawn by hand, each with the arithmetic that decides. Times are seconds; a
 * job is J(number, submission, run time, processors, limit). "shadow" is the reservation of the first task
 * that is blocked, "extra" what it leaves over then. */
#include "../engine/engine_test.h"
#include "hindcast/run.h"

#define EXPECT(yaml, procs, jobs, ...) \
  do { \
    const int64_t starts_[] = {__VA_ARGS__}; \
    assert_int_equal(COUNT(starts_), COUNT(jobs)); \
    assert_starts(yaml, procs, jobs, COUNT(jobs), starts_); \
  } while (0)

#define FOUR_HOSTS "cell: {use: hosts, classes: [{count: 4, name_prefix: h, cpus: 1}]}\n"

/* Four processors, exact limits.
 *
 *   task 1: 2 processors [0, 10)
 *   task 2, from 1 on, wants 3: blocked until 10, when 4 are free: shadow 10, extra 1 */
static const job six[] = {J(1, 0, 10, 2, 10), J(2, 1, 10, 3, 10), J(3, 2, 20, 1, 20),
                          J(4, 3, 6, 1, 6),   J(5, 4, 5, 2, 5),   J(6, 5, 4, 1, 4)};
/* The same with a task 4 that would end at 10, the shadow time itself, if it started at 3. */
static const job edge[] = {J(1, 0, 10, 2, 10), J(2, 1, 10, 3, 10), J(3, 2, 20, 1, 20),
                           J(4, 3, 7, 1, 7),   J(5, 4, 5, 2, 5),   J(6, 5, 4, 1, 4)};

/*   0         10        20   25
 *   |1111111111|2222222222|555|
 *   |1111111111|2222222222|555|666|
 *   |          |2222222222|444444|
 *   |          |33333333333333333333|     task 3 fits beside 2 at 10; at 20 three are free for 4 and 5,
 *                                         and 6 takes what 5 leaves at 25 */
static void test_blocking(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: blocking}", 4, six, 0, 10, 10, 20, 20, 25);
}

/* 3 at 2 and 4 at 3 fill the machine. 9: 4 ends, one is free, 2 and 5 do not fit, 6 does. 10: 1 ends, two
 * are free: 5. 13: 6 ends, one free. 15: 5 ends, three free: 2, overtaken by all. */
static void test_scan(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: scan}", 4, six, 0, 15, 2, 3, 10, 9);
}

/* 2: task 3 ends at 22 > 10, but takes no more than the extra 1. Now extra is 0. 3: task 4 ends at 9. 9:
 * one is free; 6 would end at 13 > 10 and nothing is extra. 10: task 2. 20: 5 and 6. */
static void test_easy(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: easy}", 4, six, 0, 10, 2, 3, 20, 20);
}

/* 2: task 3 may not: it would end after 10. 3: task 4. 5: 6 ends at 9 <= 10. 9: two free; 5 would end at
 * 14. 10: task 2 takes three and task 3, now the head, the fourth. 20: task 5. */
static void test_easy_without_extra(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: easy, extra: false}}", 4, six, 0, 10, 10, 3, 20, 5);
}

/* One processor, and an order that puts task 3 before task 2 from 10 on. Until 10 task 1 runs; promised are
 * 10 to task 2, 30 to task 3, 35 to task 4. At 10 comes task 5, which the order puts before task 4: all is
 * planned anew, task 3 first, although task 2 was promised this moment. Were it not for task 5, the promises
 * would be kept. */
static void test_an_order_that_has_changed_since(void **state)
{
#define CHANGES(replan) \
  "policy: {order: {use: expr, " \
  "key: \"now < 10 ? serial : serial == 2 ? 0 : serial == 1 ? 1 : serial == 4 ? 2 : 3\"}, " \
  "select: {use: conservative, replan: " replan "}}\n"
  static const job five[] = {J(1, 0, 10, 1, 10), J(2, 0, 20, 1, 20), J(3, 0, 5, 1, 5), J(4, 0, 1, 1, 1),
                             J(5, 10, 7, 1, 7)};
  static const job four[] = {J(1, 0, 10, 1, 10), J(2, 0, 20, 1, 20), J(3, 0, 5, 1, 5), J(4, 0, 1, 1, 1)};
  (void)state;
  EXPECT(CHANGES("full"), 1, five, 0, 15, 10, 42, 35);
  EXPECT(CHANGES("always"), 1, five, 0, 15, 10, 42, 35);
  EXPECT(CHANGES("none"), 1, five, 0, 10, 30, 35, 36);
  EXPECT(CHANGES("full"), 1, four, 0, 10, 30, 35);
}

/* What runs is not believed to end: task 2 is promised nothing, and task 3 has nothing to respect. */
static void test_easy_without_a_shadow(void **state)
{
  static const job three[] = {J(1, 0, 10, 2, -1), J(2, 0, 5, 3, -1), J(3, 0, 30, 1, -1)};
  (void)state;
  EXPECT("no_limit: endless\npolicy: {order: fcfs, select: {use: easy, window: strict, extra: false}}", 3,
         three, 0, 30, 0);
}

/* On hosts of one core: tasks of one processor come first once they have waited, by serial and not by what
 * they ask for. */
static void test_unicep_on_hosts(void **state)
{
  static const job three[] = {J(1, 0, 10, 1, 10), J(2, 1, 100, 1, 100), J(3, 2, 10, 1, 10)};
  (void)state;
  EXPECT("policy: {order: unicep, select: scan}\ncell: {use: hosts, classes: [{name: a, cpus: 1}]}\n", 1,
         three, 0, 10, 110);
  EXPECT("policy: {order: {use: expr, key: \"procs == 1 ? serial : -serial\"}, select: scan}\n"
         "cell: {use: hosts, classes: [{name: a, cpus: 1}]}\n",
         1, three, 0, 10, 110);
}

/* Inclusive: 4 starts at 3 and ends at 10, when 2 starts. Strict: 10 is not before 10, and 3 took the
 * extra one; 6 starts at 5 for 9; 4 and 5 at 20. */
static void test_easy_window(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: easy, window: inclusive}}", 4, edge, 0, 10, 2, 3, 20, 20);
  EXPECT("policy: {order: fcfs, select: {use: easy, window: strict}}", 4, edge, 0, 10, 2, 20, 20, 5);
}

/* Shadow 10, extra 1. 2: task 3 would end at 10, which strict lets it do on the extra processor only; but
 * at 10 that is free again, so it is still extra for task 4 in the same decision. 10: 4 are free for task
 * 2. */
static void test_easy_strict_keeps_extra(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 3, 10), J(2, 1, 5, 4, 5), J(3, 2, 8, 1, 8), J(4, 2, 20, 1, 20)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: easy, window: strict}}", 5, jobs, 0, 10, 2, 2);
}

/* Nothing is protected: what fits starts, as under scan. */
static void test_easy_unprotected(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: easy, protect: false}}", 4, six, 0, 15, 2, 3, 10, 9);
}

/* Task 3's first reservation is at 20, where the limit of task 1 ends. But 1 ends at 4. Recomputed: at 5
 * the shadow is 8, and task 4 (15) waits; 3 at 8, 4 at 13. Sticky: at 5 the shadow is still 20, so that 4
 * may start and end at 15, when 3 fits. Retry at the reservation: 3 fits from 8 on and is not tried before
 * 20; nothing but its own wake-up happens then, and with the shadow recomputed (8, then now) 4 does not
 * pass. */
static void test_easy_sticky_and_retry(void **state)
{
  static const job jobs[] = {J(1, 0, 4, 2, 20), J(2, 0, 8, 1, 8), J(3, 1, 5, 4, 5), J(4, 5, 10, 1, 10)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: easy}", 4, jobs, 0, 0, 8, 13);
  EXPECT("policy: {order: fcfs, select: {use: easy, sticky: true}}", 4, jobs, 0, 0, 15, 5);
  EXPECT("policy: {order: fcfs, select: {use: easy, retry: at_reservation}}", 4, jobs, 0, 0, 20, 25);
}

/* Task 2 is promised 10, the limit of task 1, which runs on till 20. At 10 itself the promise stands: shadow
 * 10, nothing is extra, and task 3 (1 s) may not pass. Recomputed, task 1 is believed to end a moment later,
 * at 11, and task 3 ends by then; and so it does at 11, when the promise has been missed and is void. */
static void test_easy_sticky_at_its_instant(void **state)
{
  static const job at_it[] = {J(1, 0, 20, 3, 10), J(2, 1, 5, 4, 5), J(3, 10, 1, 1, 1)},
                   past_it[] = {J(1, 0, 20, 3, 10), J(2, 1, 5, 4, 5), J(3, 11, 1, 1, 1)};
  (void)state;
  EXPECT("overrun: run_on\npolicy: {order: fcfs, select: {use: easy, sticky: true}}", 4, at_it, 0, 20, 25);
  EXPECT("overrun: run_on\npolicy: {order: fcfs, select: {use: easy, sticky: true}}", 4, past_it, 0, 20, 11);
  EXPECT("overrun: run_on\npolicy: {order: fcfs, select: easy}", 4, at_it, 0, 20, 10);
}

/* Task 2 was promised 10, a wait of 9: it may be delayed by 4.5, to 14.5. So 6 starts at 9 (until 13 <=
 * 14.5), and at 10 task 2 does not fit; 5 would end at 15 > 14.5. 13: task 2. 22: one free. 23: task 5. */
static void test_easy_relaxed(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: easy, relax: 0.5}}", 4, six, 0, 13, 2, 3, 23, 9);
}

/* One processor is free until 10. In the queue's order 3 (8 s, until 10) takes it; by length 4 (3 s) does,
 * and at 5 task 3 would end at 13. 10 to 15: task 2 alone. */
static void test_easy_candidates(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 3, 10), J(2, 1, 5, 4, 5), J(3, 2, 8, 1, 8), J(4, 2, 3, 1, 3)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: easy}", 4, jobs, 0, 10, 2, 15);
  EXPECT("policy: {order: fcfs, select: {use: easy, candidates: sjf}}", 4, jobs, 0, 10, 15, 2);
}

/* At 3 one processor is free. Depth 1: task 4 (until 23) takes one of the two that the head leaves over at
 * 10; so at 10 task 3 does not fit beside 2, and starts at 20. Depth 2: tasks 2 and 3 hold all four from
 * 10 to 20; 4 waits. */
static void test_easy_depth(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 3, 10), J(2, 1, 10, 2, 10), J(3, 2, 10, 2, 10), J(4, 3, 20, 1, 20)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: easy}", 4, jobs, 0, 10, 20, 3);
  EXPECT("policy: {order: fcfs, select: {use: easy, depth: 2}}", 4, jobs, 0, 10, 10, 20);
}

/* Five processors. Tasks 2 and 3 are promised 10 and leave one over. Depth 2: task 5 takes it from 4 to
 * 34, and 4, which wants all, starts at 34. Depth 0: task 4 is promised 20 too, so that 5 waits for its
 * end. */
static void test_easy_every_task(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 10, 2, 10), J(3, 2, 10, 2, 10), J(4, 3, 10, 5, 10),
                             J(5, 4, 30, 1, 30)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: easy, depth: 2}}", 5, jobs, 0, 10, 10, 34, 4);
  EXPECT("policy: {order: fcfs, select: {use: easy, depth: 0}}", 5, jobs, 0, 10, 10, 20, 30);
}

/* One contiguous range of four. At 0 task 1 takes 0-1, and task 2, which ends at 4, takes 2. Task 3 wants
 * 3 in a row: its range is free when 1 ends (0-2), at 10. Task 4, one processor until 12: 3 is not in the
 * way. Task 5 fits nowhere before 10 but on 2, and would end at 11. */
static void test_easy_contiguous(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 0, 4, 1, 4), J(3, 1, 5, 3, 5), J(4, 2, 10, 1, 10),
                             J(5, 5, 6, 1, 6)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: easy, place: contiguous}", 4, jobs, 0, 0, 10, 2, 12);
}

/* At 10 task 2 wants three in a row of the four, of which task 1 has 0 and 1 until then. Task 3 would get
 * processor 2, and end at 10. Inclusive: it is gone then. Strict: it must be extra, and beside it there are
 * not three in a row. */
static void test_easy_contiguous_strict(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 1, 5, 3, 5), J(3, 2, 8, 1, 8)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: easy, place: contiguous}", 4, jobs, 0, 10, 2);
  EXPECT("policy: {order: fcfs, select: {use: easy, window: strict}, place: contiguous}", 4, jobs, 0, 10, 10);
}

/* Both tasks of the instant 0 are in the plan when the head is looked at: its reservation counts on their
 * ends. */
static void test_easy_contiguous_counts_on_the_plan(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 3, 10), J(2, 0, 10, 4, 10), J(3, 0, 50, 1, 50)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: easy, place: contiguous}", 4, jobs, 0, 10, 20);
}

/* Four hosts. 1 has h0 until 1, 2 has h1 and h2 until 10, 3 has h3 until 20. 4 wants two at 2: at 10 three
 * are free, and it is promised the first two of them, h0 and h1. By counting one is left over then, and 5
 * takes h0 at 3 until 103. In the book h0 is 4's from 10 on, and what is left over is h2: 5 starts at 10,
 * there. 6 ends at 9 and may have h0 at 4; if it took 7 s it would not, and would wait for 4's end. */
static void test_easy_book(void **state)
{
  static const job jobs[] = {J(1, 0, 1, 1, 1), J(2, 0, 10, 2, 10),   J(3, 0, 20, 1, 20),
                             J(4, 2, 5, 2, 5), J(5, 3, 100, 1, 100), J(6, 4, 5, 1, 5)};
  static const job more[] = {J(1, 0, 1, 1, 1), J(2, 0, 10, 2, 10),   J(3, 0, 20, 1, 20),
                             J(4, 2, 5, 2, 5), J(5, 3, 100, 1, 100), J(6, 4, 7, 1, 7)};
  (void)state;
  EXPECT(FOUR_HOSTS "policy: {select: easy}", 4, jobs, 0, 0, 0, 10, 3, 15);
  EXPECT(FOUR_HOSTS "policy: {select: easy_book}", 4, jobs, 0, 0, 0, 10, 10, 4);
  EXPECT(FOUR_HOSTS "policy: {select: {use: easy_book, dates: binary}}", 4, jobs, 0, 0, 0, 10, 10, 4);
  EXPECT(FOUR_HOSTS "policy: {select: easy_book}", 4, more, 0, 0, 0, 10, 10, 15);
}

/* The time alone, as it was at first: as easy without extra, and sticky. */
static void test_easy_book_of_times(void **state)
{
  static const job jobs[] = {J(1, 0, 4, 2, 20), J(2, 0, 8, 1, 8), J(3, 1, 5, 4, 5), J(4, 5, 10, 1, 10)};
  (void)state;
  EXPECT(FOUR_HOSTS "policy: {select: {use: easy_book, promise: time}}", 4, six, 0, 10, 10, 3, 20, 5);
  EXPECT(FOUR_HOSTS "policy: {select: {use: easy_book, promise: time}}", 4, jobs, 0, 0, 15, 5);
}

/* 1 has h0 and says 10 s, but runs until 20; 2 has h1-h3 until 15. 3 wants three: promised h1-h3 at 15 (h0
 * and two of these, if 10 is believed of h0). 4, 9 s from 5 on, has no host before. At 12 task 1 is overdue:
 * it may end at any time, or, with a margin of 5 s, at 15. What was decided at 15 is the same. */
static void test_easy_book_overdue(void **state)
{
  static const job jobs[] = {J(1, 0, 20, 1, 10), J(2, 0, 15, 3, 15), J(3, 1, 5, 3, 5), J(4, 5, 9, 1, 9)};
  (void)state;
  EXPECT("overrun: run_on\n" FOUR_HOSTS "policy: {select: easy_book}", 4, jobs, 0, 0, 15, 20);
  EXPECT("overrun: run_on\n" FOUR_HOSTS "policy: {select: {use: easy_book, margin: 5s}}", 4, jobs, 0, 0, 15,
         20);
}

/* Two hosts of two cores. 1 fills one and half of the other, which no task shares with it; 2 fits on half a
 * host, and has one for itself. */
static void test_easy_book_whole_hosts(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 3, 10), J(2, 0, 5, 1, 5), J(3, 10, 5, 2, 5), J(4, 10, 5, 1, 5)};
  const char *yaml =
      "cell: {use: hosts, classes: [{count: 2, name_prefix: h, cpus: 2}]}\npolicy: {select: easy_book}";
  (void)state;
  EXPECT(yaml, 4, jobs, 0, 10, 10, 15);
}

/* It books hosts. */
static void test_easy_book_needs_hosts(void **state)
{
  static const job jobs[] = {J(1, 0, 1, 1, 1)};
  bench b;
  (void)state;
  assert_int_equal(try_begin(&b, "policy: {select: easy_book}", 4, jobs, 1, NULL), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "counts processors"));
  end(&b);
}

/* 2 is promised [10, 20). 3 fits beside it from 2 on. 4 [3, 9). 5 is promised 20, and 6 beside it. */
static void test_conservative(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: conservative}", 4, six, 0, 10, 2, 3, 20, 20);
}

/* Tasks 1 and 2 hold two processors each, until 20 and 10 by their limits. 3 wants four: promised 20. 4 is
 * promised 10, beside task 1. At 4 task 1 ends.
 *   full, always: in queue order: 3 at 10, when 2 ends, and 4 after it, at 20.
 *   compress: 3 finds 4's promise at [10, 20) in the way and stays; then 4 moves to 4.
 *   none: both stay; the wake-ups are all that happens at 10 and 20. */
static void test_conservative_replan(void **state)
{
  static const job jobs[] = {J(1, 0, 4, 2, 20), J(2, 0, 10, 2, 10), J(3, 1, 10, 4, 10), J(4, 2, 10, 2, 10)};
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: conservative, replan: full}}", 4, jobs, 0, 0, 10, 20);
  EXPECT("policy: {order: fcfs, select: {use: conservative, replan: always}}", 4, jobs, 0, 0, 10, 20);
  EXPECT("policy: {order: fcfs, select: {use: conservative, replan: compress}}", 4, jobs, 0, 0, 20, 4);
  EXPECT("policy: {order: fcfs, select: {use: conservative, replan: none}}", 4, jobs, 0, 0, 20, 10);
}

/* Under sjf task 3 (1 s) goes before 2 in the plan, though it came later: 2, promised 10, moves to 11. */
static void test_conservative_out_of_order(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 4, 10), J(2, 1, 10, 4, 10), J(3, 2, 1, 4, 1)};
  (void)state;
  EXPECT("policy: {order: sjf, select: {use: conservative, replan: full}}", 4, jobs, 0, 11, 10);
}

/* Longest first, 3 processors. 0: 2 is promised 10. 3: 3 and 4 stand before it, so all is planned anew in
 * this order: 3 now, 4 at 10 on what 1 leaves, 2 at 14. Task 4 would fit at once before the old promise, but
 * must not take what 3, which stands before it, gets. */
static void test_conservative_two_before_the_planned(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 1, 10), J(2, 0, 3, 3, 3), J(3, 3, 9, 2, 9), J(4, 3, 4, 1, 4)};
  (void)state;
  EXPECT("policy: {order: ljf, select: {use: conservative, replan: full}}", 3, jobs, 0, 14, 3, 10);
  EXPECT("policy: {order: ljf, select: {use: conservative, replan: none}}", 3, jobs, 0, 10, 13, 3);
}

/* Factor 0 is conservative. Factor 0.4 promises task 2 14 and task 5 22: 6 at 9 would put 2 at 13 and 5 at
 * 23. Factor 0.6 promises 16 and 23: 6 starts at 9, and at 10 task 5, which puts 2 at 15. A great factor
 * protects no task. */
static void test_slack(void **state)
{
  (void)state;
  EXPECT("policy: {order: fcfs, select: {use: slack, factor: 0}}", 4, six, 0, 10, 2, 3, 20, 20);
  EXPECT("policy: {order: fcfs, select: {use: slack, factor: 0.4}}", 4, six, 0, 10, 2, 3, 20, 20);
  EXPECT("policy: {order: fcfs, select: {use: slack, factor: 0.6}}", 4, six, 0, 15, 2, 3, 10, 9);
  EXPECT("policy: {order: fcfs, select: {use: slack, factor: 1000}}", 4, six, 0, 15, 2, 3, 10, 9);
}

/* Task 1 has the machine; each of the others comes, is promised a start, and is taken away after 5 s of
 * waiting. @return how much larger a run that is saved at 7,000 s is than one saved at 1,000 s: two tasks
 * live at either time. */
static int64_t growth(const char *policy)
{
  static job jobs[800];
  size_t size[2];
  char yaml[128];
  bench b;
  jobs[0] = (job)J(1, 0, 100000, 4, 100000);
  for (int64_t i = 1; i < (int64_t)COUNT(jobs); i++)
    jobs[i] = (job)J_WITH(i + 1, i * 10, -1, 4, 50, .wait = 5);
  (void)snprintf(yaml, sizeof yaml, "cancelled: withdraw\npolicy: %s\n", policy);
  begin(&b, yaml, 4, jobs, COUNT(jobs), NULL);
  for (size_t k = 0; k < 2; k++) {
    hc_snapshot s;
    check(&b, hc_run_advance(b.run, (k == 0 ? 1002 : 7002) * HC_SECOND, 0, &b.error));
    check(&b, hc_run_snapshot(b.run, &s, &b.error));
    size[k] = s.size;
    hc_snapshot_free(b.allocator, &s);
  }
  end(&b);
  return (int64_t)size[1] - (int64_t)size[0];
}

static void test_slack_forgets(void **state)
{
  (void)state;
  assert_int_equal(growth("{select: slack}"), growth("{select: conservative}"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocking),
      cmocka_unit_test(test_scan),
      cmocka_unit_test(test_easy),
      cmocka_unit_test(test_easy_without_extra),
      cmocka_unit_test(test_an_order_that_has_changed_since),
      cmocka_unit_test(test_easy_without_a_shadow),
      cmocka_unit_test(test_unicep_on_hosts),
      cmocka_unit_test(test_easy_window),
      cmocka_unit_test(test_easy_strict_keeps_extra),
      cmocka_unit_test(test_easy_unprotected),
      cmocka_unit_test(test_easy_sticky_and_retry),
      cmocka_unit_test(test_easy_sticky_at_its_instant),
      cmocka_unit_test(test_easy_relaxed),
      cmocka_unit_test(test_easy_candidates),
      cmocka_unit_test(test_easy_depth),
      cmocka_unit_test(test_easy_every_task),
      cmocka_unit_test(test_easy_contiguous),
      cmocka_unit_test(test_easy_contiguous_strict),
      cmocka_unit_test(test_easy_contiguous_counts_on_the_plan),
      cmocka_unit_test(test_easy_book),
      cmocka_unit_test(test_easy_book_of_times),
      cmocka_unit_test(test_easy_book_overdue),
      cmocka_unit_test(test_easy_book_whole_hosts),
      cmocka_unit_test(test_easy_book_needs_hosts),
      cmocka_unit_test(test_conservative),
      cmocka_unit_test(test_conservative_replan),
      cmocka_unit_test(test_conservative_out_of_order),
      cmocka_unit_test(test_conservative_two_before_the_planned),
      cmocka_unit_test(test_slack),
      cmocka_unit_test(test_slack_forgets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
