/* test_kubernetes.c -- a loop over pods: turns, parking, back-off, flushing and how many hosts are looked at,
 * by hand. */
#include "starts_test.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, priority: prio}\n" \
  "policy: fcfs\nmetrics: [tasks]\nparanoid: true\n"
#define TITLES "id,at,run,cpu,prio\n"
#define HOSTS(count, cpus) \
  "cell: {use: hosts, classes: [{count: " #count ", name_prefix: c, cpus: " #cpus "}]}\n"
#define LOOP(hosts, cpus, more) SOURCE HOSTS(hosts, cpus) "architecture: {use: kubernetes" more "}\n"

/* ---- turns ---- */

/* Turns of 1 s. The third pod sees a full host at 2, is parked at 3, and moved when the first ends at 11. */
static void test_turns(void **state)
{
  (void)state;
  STARTS(LOOP(1, 2, ", think: 1s"), TITLES "1,0,10,1,0\n2,0,10,1,0\n3,0,10,1,0\n", 1, 2, 12);
}

/* Half a second for each of four hosts that are looked at. */
static void test_think_host(void **state)
{
  (void)state;
  STARTS(LOOP(4, 2, ", think: 1s, think_host: 0.5s"), TITLES "1,0,10,1,0\n2,0,10,1,0\n", 3, 6);
}

/* A later pod with more priority is next; no pod is blocked by one that fits nowhere. */
static void test_priority(void **state)
{
  (void)state;
  STARTS(LOOP(1, 4, ", think: 2s"), TITLES "1,0,10,1,0\n2,1,10,1,0\n3,1,10,1,7\n", 2, 6, 4);
  STARTS(LOOP(1, 4, ", think: 0s"), TITLES "1,0,10,2,0\n2,1,10,4,9\n3,2,10,1,0\n", 0, 12, 2);
}

/* Pod 1 is bound at 4 and ends at 7, in the middle of the second's turn, which saw it run. So the second only
 * backs off: from its attempt at 4 for 1 s, which is over; or for 20 s. */
static void test_event_in_turn(void **state)
{
  static const char *const tasks = TITLES "1,0,3,1,0\n2,0,10,1,0\n";
  (void)state;
  STARTS(LOOP(1, 1, ", think: 4s"), tasks, 4, 12);
  STARTS(LOOP(1, 1, ", think: 4s, back_off: 20s, back_off_most: 60s"), tasks, 4, 28);
}

/* Pod 2 needs the whole host, which pod 1 has half of until 100. Attempts: at 0; an end at 6 finds it backing
 * off until 10; an end at 16 until 10 + 20; one at 36 until 30 + 40; then the bound of 40 counts, 70 + 40,
 * though the host is free at 100. With a bound of 20 the third wait is until 50, the fourth until 70, so that
 * it starts when the host is free. */
static void test_back_off(void **state)
{
  static const char *const tasks = TITLES "1,0,100,1,0\n2,0,10,2,0\n3,5,1,1,0\n4,15,1,1,0\n5,35,1,1,0\n";
  (void)state;
  STARTS(LOOP(1, 2, ", think: 0s, back_off: 10s, back_off_most: 40s"), tasks, 0, 110, 5, 15, 35);
  STARTS(LOOP(1, 2, ", think: 0s, back_off: 10s, back_off_most: 20s"), tasks, 0, 100, 5, 15, 35);
}

/* Nothing happens until 1,000: the second pod is tried at 0, 300, 600, 900, and then because of the end. */
static void test_flush(void **state)
{
  bench b;
  (void)state;
  check(&b, try_text(&b, LOOP(1, 2, ", think: 0s"), TITLES "1,0,1000,1,0\n2,0,10,2,0\n"));
  finish(&b);
  assert_int_equal(start_of(&b, 2), 1000);
  assert_true(figure(&b, "flushed") == 3 && figure(&b, "moved") == 1 && figure(&b, "attempts") == 6);
  end(&b);
}

/* The larger host goes away at 5 and does not come back: who waits for it waits for ever, and the run ends
 * all the same. */
static void test_an_end(void **state)
{
  (void)state;
  STARTS(
      SOURCE
      "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: b, cpus: 4}]}\nevents: {use: list, changes: "
      "[{at: 5, hosts: b, change: down}]}\narchitecture: {use: kubernetes, think: 1s}\n",
      TITLES "1,0,2,1,0\n2,10,10,4,0\n", 1, NEVER_STARTED);
}

/* A host that goes away during the turn refuses the pod: at 5 it leaves, at 10 the bind fails, and the other
 * host is next. */
static void test_refused_bind(void **state)
{
  bench b;
  (void)state;
  check(&b,
        try_text(&b,
                 SOURCE
                 "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: b, cpus: 1}]}\nevents: {use: list, "
                 "changes: [{at: 5, hosts: a, change: down}]}\narchitecture: {use: kubernetes, think: 10s}\n",
                 TITLES "1,0,2,1,0\n"));
  finish(&b);
  assert_int_equal(start_of(&b, 1), 20);
  assert_true(figure(&b, "refused") == 1 && figure(&b, "bound") == 1);
  end(&b);
}

/* ---- how many hosts ---- */

/* max(100, hosts x max(5 %, 50 % - hosts / 125)): all of 50, 100 of 200 (49 % would be 98), 42 % of 1,000, 5
 * % of 10,000. */
static void test_enough(void **state)
{
  static const struct {
    const char *yaml;
    double examined;
  } cases[] = {{LOOP(50, 1, ""), 50},
               {LOOP(200, 1, ""), 100},
               {LOOP(1000, 1, ""), 420},
               {LOOP(10000, 1, ""), 500},
               {LOOP(1000, 1, ", share: 90"), 900},
               {LOOP(1000, 1, ", share: 1, feasible: 7"), 10}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    check(&b, try_text(&b, cases[i].yaml, TITLES "1,0,5,1,0\n"));
    finish(&b);
    if (figure(&b, "hosts_examined_mean") != cases[i].examined)
      fail_msg("%s\nlooks at %g, should at %g", cases[i].yaml, figure(&b, "hosts_examined_mean"),
               cases[i].examined);
    end(&b);
  }
}

/* Round and round: of six hosts two are enough, and the lowest with room is taken. Pods 1, 2, 3 look at 0-1,
 * 2-3, 4-5 and take 0, 2, 4; pod 4 looks at 0-1 and takes 1. So hosts 3 and 5 are idle, and pod 5, which
 * wants a host for itself, looks at 2-3; pod 6 at 4-5. Pod 7 finds none: all six are looked at. */
static void test_round_robin(void **state)
{
  bench b;
  (void)state;
  check(&b, try_text(&b, LOOP(6, 2, ", think: 0s, share: 1, feasible: 2"),
                     TITLES
                     "1,0,99,2,0\n2,1,99,2,0\n3,2,99,2,0\n4,3,99,2,0\n5,4,99,2,0\n6,5,99,2,0\n7,6,9,2,0\n"));
  finish(&b);
  for (int64_t t = 1; t <= 6; t++) assert_int_equal(start_of(&b, t), t - 1);
  assert_int_equal(start_of(&b, 7), 99);
  end(&b);
}

/* Scores are the placement's: the host of which least is used, or most. */
static void test_score(void **state)
{
  static const char *const tasks = TITLES "1,0,99,1,0\n2,1,99,2,0\n3,2,9,3,0\n";
  (void)state;
  /* Spread: 1 and 2 on different hosts of four cores; three more fit on the host of 1. Packed: together, and
   * the other is free. */
  STARTS(LOOP(2, 4, ", think: 0s, place: least_allocated"), tasks, 0, 1, 2);
  STARTS(LOOP(2, 4, ", think: 0s, place: least_allocated"), TITLES "1,0,99,1,0\n2,1,99,2,0\n3,2,9,4,0\n", 0,
         1, 99);
  STARTS(LOOP(2, 4, ", think: 0s, place: most_allocated"), TITLES "1,0,99,1,0\n2,1,99,2,0\n3,2,9,4,0\n", 0, 1,
         2);
}

/* ---- what is refused ---- */

static void assert_refused(const char *yaml, const char *why)
{
  bench b;
  assert_true(try_text(&b, yaml, TITLES "1,0,5,1,0\n") < 0);
  if (!strstr(b.error.text, why))
    fail_msg("%s\nis refused by\n%s\nwhich does not say: %s", yaml, b.error.text, why);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused(SOURCE "cell: {use: count, procs: 4}\narchitecture: kubernetes\n", "use `cell: {use: hosts");
  assert_refused(LOOP(2, 1, ", flush: 0s"), "flush");
  assert_refused(LOOP(2, 1, ", place: contiguous"), "cannot be a scheduler's own");
}

/* ---- preemption ---- */

#define PREEMPTS ", think: 0s, preempts: true"

/* c0 has 1 (priority 1) and 2 (priority 2), c1 has 3 (priority 3). 4 wants a whole host at 10: on c0 the most
 * important victim has priority 2, on c1 it has 3. So 1 and 2 go, though they are two; they start when 4 has
 * ended. Without preemption 4 waits for 3 or for both of c0. */
static void test_lowest_victims(void **state)
{
  static const char *const tasks = TITLES "1,0,100,2,1\n2,0,100,2,2\n3,0,100,4,3\n4,10,10,4,5\n";
  (void)state;
  STARTS(LOOP(2, 4, PREEMPTS), tasks, 20, 20, 0, 10);
  STARTS(LOOP(2, 4, ", think: 0s"), tasks, 0, 0, 0, 100);
}

/* One host of four. 4 wants two. Without 1, 2 and 3 all four are free. 2 (priority 2) is reprieved first:
 * three are left; then 1 (priority 1): two. 3 (priority 0) has to go. At 20 it starts again, parked before
 * 5, which, of priority 0, can stop none. */
static void test_reprieved(void **state)
{
  bench b;
  (void)state;
  check(&b, try_text(&b, LOOP(1, 4, PREEMPTS),
                     TITLES "1,0,100,1,1\n2,0,100,1,2\n3,0,100,2,0\n4,10,10,2,5\n5,12,10,1,0\n"));
  finish(&b);
  assert_true(start_of(&b, 1) == 0 && start_of(&b, 2) == 0 && start_of(&b, 4) == 10);
  assert_true(start_of(&b, 3) == 20 && start_of(&b, 5) == 100);
  assert_true(figure(&b, "preempting") == 1 && figure(&b, "victims") == 1);
  end(&b);
}

/* Victims of one priority on both hosts. Two on c0 have a greater sum than one on c1. */
static void test_fewest_victims(void **state)
{
  (void)state;
  STARTS(LOOP(2, 2, PREEMPTS), TITLES "1,0,100,1,1\n2,0,100,1,1\n3,0,100,2,1\n4,10,10,2,5\n", 0, 0, 20, 10);
}

/* One each, of one priority: the one that started last. */
static void test_latest_victim(void **state)
{
  (void)state;
  STARTS(LOOP(2, 2, PREEMPTS), TITLES "1,0,100,2,1\n2,5,100,2,1\n3,10,10,2,5\n", 0, 20, 10);
}

/* Turns of 1 s: 1 is bound at 1. 2 comes at 5, sees no room, and 1 is stopped at the end of that turn, at
 * 6; it waits again, is parked at 7, moved by the end of 2 at 16, and bound at 17. Killed, it has no other
 * start. */
static void test_preemption_takes_a_turn(void **state)
{
  static const char *const tasks = TITLES "1,0,100,2,1\n2,5,10,2,5\n";
  (void)state;
  STARTS(LOOP(1, 2, ", think: 1s, preempts: true"), tasks, 17, 6);
  STARTS(LOOP(1, 2, ", think: 1s, preempts: true, on_preempt: kill"), tasks, 1, 6);
}

/* What is stopped goes by constraints too: 3 may run on b alone, where 2 has the higher priority. 2 in
 * turn stops 1 on a, and 1 starts when 3 has ended. */
static void test_victims_where_it_may_run(void **state)
{
  (void)state;
  STARTS("source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, priority: prio, "
         "constraints: where}\n"
         "policy: fcfs\nmetrics: []\nparanoid: true\ncell: {use: hosts, classes: [{name: a, cpus: 2}, "
         "{name: b, cpus: 2, features: [ssd]}]}\narchitecture: {use: kubernetes" PREEMPTS "}\n",
         "id,at,run,cpu,prio,where\n1,0,100,2,1,\n2,1,100,2,2,\n3,10,10,2,5,ssd\n", 20, 10, 10);
}

/* A run is a value. */
static void test_preemption_in_pieces(void **state)
{
  static const char *const tasks =
      TITLES "1,0,100,2,1\n2,0,100,2,2\n3,0,100,4,3\n4,10,10,4,5\n5,11,10,3,4\n6,15,30,2,9\n";
  bench b, c;
  (void)state;
  check(&b, try_text(&b, LOOP(2, 4, ", think: 1s, preempts: true"), tasks));
  finish(&b);
  check(&c, try_text(&c, LOOP(2, 4, ", think: 1s, preempts: true"), tasks));
  finish_in_pieces(&c, 1);
  for (int64_t i = 1; i <= 6; i++) assert_int_equal(start_of(&b, i), start_of(&c, i));
  end(&b);
  end(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turns),
      cmocka_unit_test(test_think_host),
      cmocka_unit_test(test_priority),
      cmocka_unit_test(test_event_in_turn),
      cmocka_unit_test(test_back_off),
      cmocka_unit_test(test_flush),
      cmocka_unit_test(test_an_end),
      cmocka_unit_test(test_refused_bind),
      cmocka_unit_test(test_enough),
      cmocka_unit_test(test_round_robin),
      cmocka_unit_test(test_score),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_lowest_victims),
      cmocka_unit_test(test_reprieved),
      cmocka_unit_test(test_fewest_victims),
      cmocka_unit_test(test_latest_victim),
      cmocka_unit_test(test_preemption_takes_a_turn),
      cmocka_unit_test(test_victims_where_it_may_run),
      cmocka_unit_test(test_preemption_in_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
