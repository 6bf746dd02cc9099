/* test_schedulers.c -- schedulers that share a cell: which thinks when, which waits for which, and what is
 * refused, by hand. */
#include "schedulers_test.h"
#include "workload/apart.h"

/* ---- think times ---- */

/* Job 1 has two tasks: 10 + 2 x 1 s. Job 2 has one and stands behind it: from 12 on, 10 + 1 s. */
static void test_one_after_another(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n1,2,0,5,1,1\n2,3,3,5,1,1\n";
#define THINK(use) \
  SOURCE HOSTS(2, 4) "architecture: {use: " use \
                     ", schedulers: [{name: all, think_job: 10s, think_task: 1s}]}\n"
  (void)state;
  STARTS(THINK("multi_path"), tasks, 12, 12, 23);
  STARTS(THINK("partitions"), tasks, 12, 12, 23);
  STARTS(THINK("shared_state"), tasks, 12, 12, 23);
}

/* A task that belongs to no job is one of its own. */
static void test_without_jobs(void **state)
{
  static const job jobs[] = {J(1, 0, 5, 1, 9), J(2, 0, 5, 1, 9)};
  static const int64_t starts[] = {2, 4};
  (void)state;
  assert_starts(
      "metrics: [tasks]\npolicy: fcfs\narchitecture: {use: multi_path, schedulers: [{name: all, think_job: "
      "1s, think_task: 1s}]}\n",
      4, jobs, 2, starts);
}

/* User 9's jobs are thought about for 100 s. In one line the others wait behind (103); beside it they do not
 * (3). */
static void test_head_of_line(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,9\n2,2,1,5,1,1\n";
#define KINDS \
  "schedulers: [{name: slow, takes: user == 9, think_job: 100s, think_task: 0}, {name: fast, think_job: " \
  "2s, think_task: 0}]}\n"
  (void)state;
  STARTS(SOURCE HOSTS(2, 4) "architecture: {use: multi_path, " KINDS, tasks, 100, 102);
  STARTS(SOURCE HOSTS(2, 4) "architecture: {use: shared_state, " KINDS, tasks, 100, 3);
  STARTS(SOURCE HOSTS(2, 4) "architecture: {use: partitions, " KINDS, tasks, 100, 3);
}

/* A task of a job that comes while the job is thought about joins it for the next attempt: 10 + 1 (rest) +
 * 10. */
static void test_a_late_task(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n1,2,4,5,1,1\n";
  (void)state;
  STARTS(
      SOURCE HOSTS(
          2,
          4) "architecture: {use: shared_state, schedulers: [{name: all, think_job: 10s, think_task: 0}]}\n",
      tasks, 10, 21);
}

/* Job 2 (tasks 2, 3 and 4) stands behind job 1, which is thought about until 10. Task 3 is withdrawn at 3,
 * and task 5, of job 3, gets its slot at 5. Job 2 is what is left of it, from 20 on; job 3 comes after it, at
 * 30. The second case: task 3 leaves while its job is thought about; the third: the last of a job does, then
 * its only one. */
static void test_a_slot_is_used_again(void **state)
{
  static const char *const head = "job,id,at,run,cpu,user,status,end\n1,1,0,5,1,1,done,\n";
  static const struct {
    const char *tasks;
    int64_t starts[6];
  } cases[] = {
      {"2,2,1,5,1,1,done,\n2,3,1,,1,1,CANCELLED,3\n2,4,1,5,1,1,done,\n3,5,5,5,1,1,done,\n",
       {10, 20, -1, 20, 30}},
      {"2,2,1,5,1,1,done,\n2,3,1,,1,1,CANCELLED,12\n2,4,1,5,1,1,done,\n3,5,14,5,1,1,done,\n",
       {10, 20, -1, 20, 30}},
      {"2,2,1,5,1,1,done,\n2,3,1,5,1,1,done,\n2,4,1,,1,1,CANCELLED,3\n3,5,5,5,1,1,done,\n",
       {10, 20, 20, -1, 30}},
      {"2,2,1,,1,1,CANCELLED,3\n3,3,5,5,1,1,done,\n3,4,6,5,1,1,done,\n2,5,7,5,1,1,done,\n",
       {10, -1, 30, 30, 20}},
  };
  static const char *const uses[] = {"multi_path", "shared_state", "parsync, parts: 1", "partitions"};
  (void)state;
  for (size_t i = 0; i < COUNT(cases) * COUNT(uses); i++) {
    char yaml[1024], tasks[512];
    (void)snprintf(tasks, sizeof tasks, "%s%s", head, cases[i % COUNT(cases)].tasks);
    (void)snprintf(
        yaml, sizeof yaml,
        "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: run, cpu: cpu, user: user, "
        "status: status, end: end, cancelled: [CANCELLED]}\ncancelled: withdraw\npolicy: fcfs\n"
        "metrics: [tasks]\nparanoid: true\n" HOSTS(
            2, 4) "architecture: {use: %s, schedulers: [{name: all, think_job: 10s, think_task: 0}]}\n",
        uses[i / COUNT(cases)]);
    assert_text_starts(yaml, tasks, cases[i % COUNT(cases)].starts, 5);
  }
}

/* Ten tasks of 1e9 s each: a mean above 292 years, the most that a time can be. What is drawn around it is at
 * most a hundred years, which is what most draws then are: exp(-100 / 292) of them. */
static void test_endless_thought(void **state)
{
  const int64_t longest = INT64_C(100) * 365 * 86400;
  int bounded = 0;
  (void)state;
  for (int seed = 1; seed <= 20; seed++) {
    char yaml[1024];
    hc_buffer tasks;
    bench b;
    hc_buffer_init(&tasks, hc_default_allocator());
    hc_buffer_printf(&tasks, "%s", TITLES);
    for (int i = 1; i <= 10; i++) hc_buffer_printf(&tasks, "1,%d,0,5,1,1\n", i);
    (void)snprintf(
        yaml, sizeof yaml,
        SOURCE HOSTS(2,
                     8) "seed: %d\narchitecture: {use: shared_state, schedulers: [{name: all, think_job: 0, "
                        "think_task: 1000000000s, think_law: exponential}]}\n",
        seed);
    check(&b, try_text(&b, yaml, tasks.data));
    finish(&b);
    assert_in_range(start_of(&b, 1), 1, longest);
    bounded += start_of(&b, 1) == longest;
    end(&b);
    hc_buffer_fini(&tasks);
  }
  assert_in_range(bounded, 8, 19); /* 14.2, deviation 2 */
}

/* ---- conflicts ---- */

/* One host. Job 1 (two tasks, user 1) is thought about from 0 to 10, job 2 (one task of 5 s, user 2) from 3
 * to 8: both see the host free, and job 2 commits first. */
static const char *const RIVALS = TITLES "1,1,0,50,1,1\n1,2,0,50,1,1\n2,3,3,5,1,2\n";
#define RIVALS_ON(cpus, more) \
  SOURCE HOSTS( \
      1, \
      cpus) "architecture: {use: shared_state, schedulers: [{name: one, takes: user == 1, think_job: 10s, " \
            "think_task: 0}, {name: two, think_job: 5s, think_task: 0}]" more "}\n"

/* Of two cores one is left at 10: task 1. Task 2 comes back at 11 and sees both taken, so its thought is in
 * vain; at 22 it sees the core that job 2 gave back at 13. */
static void test_incremental(void **state)
{
  (void)state;
  STARTS(RIVALS_ON(2, ""), RIVALS, 10, 32, 8);
}

/* Of scheduler one's three attempts one is refused, one finds nothing and commits nothing, one succeeds: a
 * conflict for each success. */
static void test_fraction(void **state)
{
  bench b;
  hc_result *r;
  (void)state;
  check(&b, try_text(&b, RIVALS_ON(2, ""), RIVALS));
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_true(hc_result_figure(r, "all", "decisions_one") == 3);
  assert_true(hc_result_figure(r, "all", "decisions_vain_one") == 1);
  assert_true(hc_result_figure(r, "all", "conflicts_one") == 1);
  assert_true(hc_result_figure(r, "all", "conflict_fraction_one") == 1);
  assert_true(hc_result_figure(r, "all", "conflict_fraction_day_median_one") == 1);
  assert_true(hc_result_figure(r, "all", "conflict_fraction_two") == 0);
  hc_result_free(r);
  end(&b);
}

/* At 10 there is no room for both, so neither starts. At 11 one core is seen free, and a place is wished for
 * one task. */
static void test_all_or_nothing(void **state)
{
  (void)state;
  STARTS(RIVALS_ON(2, ", commit: all_or_nothing"), RIVALS, 21, 32, 8);
}

/* A gang does not start in part either where there is room for a part: at 21 nothing is wished, at 32 both
 * start. A scheduler of one line does the same: it sees one core free from 2 on, which task 2 takes and gives
 * to task 3, and two at 22. */
static void test_gang(void **state)
{
  (void)state;
#define GANGS(gang) \
  SOURCE HOSTS( \
      1, 2) "architecture: {use: shared_state, schedulers: [{name: one, takes: user == 1, think_job: 10s, " \
            "think_task: 0, gang: " gang "}, {name: two, think_job: 5s, think_task: 0}]}\n"
  STARTS(GANGS("1"), RIVALS, 32, 32, 8);
  STARTS(GANGS("user == 1"), RIVALS, 32, 32, 8);
  STARTS(GANGS("user == 2"), RIVALS, 10, 32, 8);
  static const char *const tasks = TITLES "1,1,0,20,1,2\n2,2,1,5,1,1\n2,3,1,5,1,1\n";
#define ONE_LINE(more) \
  SOURCE HOSTS( \
      1, 2) "architecture: {use: multi_path, schedulers: [{name: all, think_job: 1s, think_task: 0" more \
            "}]}\n"
  STARTS(ONE_LINE(""), tasks, 1, 2, 8);
  STARTS(ONE_LINE(", gang: user == 1"), tasks, 1, 22, 22);
}

/* Jobs of two tasks and of one ask for 12 and 11 s of 28: without conflicts that is what they get. Where one
 * is refused once and finds nothing once, 30 s go to what asks for 10. */
static void test_offered(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n1,2,0,5,1,1\n2,3,3,5,1,1\n";
  bench b;
  (void)state;
  check(&b, try_text(&b, THINK("shared_state"), tasks));
  finish(&b);
  assert_true(figure(&b, "busyness_offered_all") == 23.0 / 28 && figure(&b, "busyness_all") == 23.0 / 28);
  end(&b);
  check(&b, try_text(&b, RIVALS_ON(2, ""), RIVALS));
  finish(&b);
  assert_true(figure(&b, "busyness_offered_one") == 10.0 / 82 && figure(&b, "busyness_one") == 30.0 / 82);
  assert_true(figure(&b, "busyness_without_conflicts_one") == 20.0 / 82);
  end(&b);
}

/* Of three cores there is room for all: no conflict, but by the host's sequence of starts it is one. */
static void test_sequence(void **state)
{
  (void)state;
  STARTS(RIVALS_ON(3, ""), RIVALS, 10, 10, 8);
  STARTS(RIVALS_ON(3, ", conflict: sequence"), RIVALS, 21, 21, 8);
  STARTS(RIVALS_ON(3, ", conflict: sequence, retry: 0s"), RIVALS, 20, 20, 8);
}

/* A start that has ended again counts in a sequence, an end by itself does not: task 1 ends at 9 while job 2
 * is thought about, from 3 to 13, on a cell where it is alone meanwhile. */
static void test_ends_are_no_conflict(void **state)
{
  static const char *const tasks = TITLES "1,1,0,4,1,1\n2,2,6,5,1,2\n";
  (void)state;
  STARTS(
      SOURCE HOSTS(
          1,
          2) "architecture: {use: shared_state, conflict: sequence, schedulers: [{name: one, takes: user == "
             "1, think_job: 5s, think_task: 0}, {name: two, think_job: 10s, think_task: 0}]}\n",
      tasks, 5, 16);
}

/* ---- partitions ---- */

/* Each has one host of two cores. The third task of job 1 waits for a core of its own host, though the other
 * is idle: it comes back at 2, 4, 6 ..., and at 11, when task 1 of 10 s ends, it is being thought about from
 * 10 on. */
static void test_own_hosts(void **state)
{
  static const char *const tasks = TITLES "1,1,0,10,1,1\n1,2,0,90,1,1\n1,3,0,10,1,1\n2,4,0,10,2,2\n";
#define PARTS(a, b) \
  SOURCE HOSTS( \
      2, 2) "architecture: {use: partitions, schedulers: [{name: one, takes: user == 1, think_job: 1s, " \
            "think_task: 0" a "}, {name: two, think_job: 1s, think_task: 0" b "}]}\n"
  (void)state;
  STARTS(PARTS("", ""), tasks, 1, 1, 11, 1);
  STARTS(PARTS(", hosts: [\"1\"]", ", hosts: [\"0-0\"]"), tasks, 1, 1, 11, 1);
}

/* ---- offers ---- */

#define OFFERS(hosts, cpus, more) \
  SOURCE HOSTS( \
      hosts, \
      cpus) "architecture: {use: two_level, interval: 0s, schedulers: [{name: one, takes: user == 1, " \
            "think_job: 10s, think_task: 0}, {name: two, think_job: 5s, think_task: 0}]" more "}\n"

/* Job 1 is offered everything from 0 to 10; job 2 came at 3 and is offered what is left then: from 10 to 15.
 * Under shared state it starts at 8. */
static const char *const PAIR = TITLES "1,1,0,50,1,1\n2,2,3,50,1,2\n";
static void test_one_offer_at_a_time(void **state)
{
  (void)state;
  STARTS(OFFERS(2, 2, ""), PAIR, 10, 15);
  STARTS(OFFERS(2, 2, ", offer: hosts, hosts: 2"), PAIR, 10, 15);
}

/* A host each: both think at the same time. Of four hosts a fair share is two. */
static void test_offers_side_by_side(void **state)
{
  (void)state;
  STARTS(OFFERS(2, 2, ", offer: hosts, hosts: 1"), PAIR, 10, 8);
  STARTS(OFFERS(4, 2, ", offer: fair_share"), PAIR, 10, 8);
}

/* Everything is withdrawn from job 1 at 4 and offered to job 2, which commits at 9: what job 1 wished at 10
 * is taken. At 11 it is back, but the host is full and an offer of nothing is not made: that comes at 17.
 * Without a time-out job 2 is offered the host at 60, when job 1 ends. */
static void test_withdrawn(void **state)
{
  static const char *const tasks = TITLES "1,1,0,50,2,1\n2,2,3,8,2,2\n";
  (void)state;
  STARTS(OFFERS(1, 2, ", offer_timeout: 4s"), tasks, 27, 9);
  STARTS(OFFERS(1, 2, ""), tasks, 10, 65);
}

/* On each of three hosts one core of four is left, so two frameworks whose jobs want two give back every
 * offer of everything, after 1 s. Neither is offered that again for 5 s, though the other gave it back
 * meanwhile: thoughts end at 11, 17 ... and at 12, 18 ..., 15 of each until 100. What ends at 100 lifts both:
 * who holds less, or is first, starts at 101, the other at 102. */
static void test_filters(void **state)
{
  static const char *const tasks = TITLES "9,1,0,100,3,3\n9,2,0,200,3,3\n9,3,0,200,3,3\n"
                                          "1,4,10,90,2,1\n2,5,10,90,2,2\n";
  bench b;
  (void)state;
#define PICKY_TWO \
  SOURCE HOSTS( \
      3, 4) "architecture: {use: two_level, interval: 0s, schedulers: [{name: one, takes: user == 1, " \
            "think_job: 1s, think_task: 0}, {name: two, takes: user == 2, think_job: 1s, think_task: 0}, " \
            "{name: fill, think_job: 0, think_task: 0}]}\n"
  check(&b, try_text(&b, PICKY_TWO, tasks));
  finish(&b);
  assert_true(figure(&b, "decisions_vain_one") == 15 && figure(&b, "decisions_vain_two") == 15);
  assert_int_equal(start_of(&b, 4), 101);
  assert_int_equal(start_of(&b, 5), 102);
  end(&b);
}

/* Hosts of 2, 2 and 4 cores are offered one at a time. Job 1 has had the first; job 2 wants 3 cores, refuses
 * the second at 11 and is back at 12: the third it has not refused. */
static void test_filters_by_host(void **state)
{
  static const char *const tasks = TITLES "1,1,0,1,1,2\n2,2,10,5,3,1\n";
#define ONE_BY_ONE(hosts) \
  SOURCE \
  "cell: {use: hosts, classes: [" hosts "]}\n" \
  "architecture: {use: two_level, interval: 0s, offer: hosts, hosts: 1, schedulers: [{name: all, " \
  "think_job: 1s, think_task: 0}]}\n"
  (void)state;
  STARTS(ONE_BY_ONE("{count: 2, name_prefix: a, cpus: 2}, {name: b, cpus: 4}"), tasks, 1, 13);
}

/* What is left of an offer is refused at 1, until 6; a job that comes at 3 lifts that. */
static void test_revive(void **state)
{
  static const char *const tasks = TITLES "1,1,0,50,1,1\n2,2,3,50,1,1\n";
#define REVIVE(more) \
  SOURCE HOSTS( \
      1, \
      4) "architecture: {use: two_level, interval: 0s, schedulers: [{name: all, think_job: 1s, think_task: " \
         "0}]" more "}\n"
  (void)state;
  STARTS(REVIVE(""), tasks, 1, 4);
  STARTS(REVIVE(", revive: false"), tasks, 1, 7);
  STARTS(REVIVE(", offer: hosts, hosts: 1"), tasks, 1, 4);
  STARTS(REVIVE(", offer: hosts, hosts: 1, revive: false"), tasks, 1, 7);
  STARTS(REVIVE(", revive: false, refuse_for: 0s"), tasks, 1, 4);
}

/* Three of four cores are taken by what ran before, until 20. The fourth is offered and idle for 10 s. */
static void test_locked_beside_prefill(void **state)
{
  bench b;
  (void)state;
  check(
      &b,
      try_text(
          &b,
          "source: [{use: prefill, cpus: 3, cpu: 1, remaining: 20s}, {use: csv, file: FILE, id: id, submit: "
          "at, run: run, cpu: cpu}]\npolicy: scan\nmetrics: [tasks]\n" HOSTS(
              2, 2) "architecture: {use: two_level, interval: 0s, schedulers: [{name: all, think_job: 10s, "
                    "think_task: 0}]}\n",
          "id,at,run,cpu\n91,0,5,1\n"));
  finish(&b);
  assert_int_equal(start_of(&b, HC_APART + 91), 10);
  assert_true(figure(&b, "prefill_tasks") == 3);
  assert_true(figure(&b, "locked_cpu") == 10.0 / (4 * 20));
  end(&b);
}

/* Offers are made at multiples of 7 s. */
static void test_interval(void **state)
{
  (void)state;
  STARTS(SOURCE HOSTS(
             1, 2) "architecture: {use: two_level, interval: 7s, schedulers: [{name: all, think_job: 1s, "
                   "think_task: 0}]}\n",
         PAIR, 8, 9);
}

/* Who has less is first: at 20 user 1 holds a core, user 2 none. With three times the weight of user 2's,
 * user 1 has less. */
static void test_by_share(void **state)
{
  static const char *const tasks = TITLES "1,1,0,90,1,1\n2,2,20,50,1,1\n3,3,20,50,1,2\n";
  (void)state;
  STARTS(OFFERS(1, 4, ""), tasks, 10, 35, 25);
  STARTS(OFFERS(1, 4, ", weights: [1e-3, 1]"), tasks, 10, 35, 25);
}

/* Two jobs of two tasks on two hosts of one core, offered one by one: each gets one and waits for the
 * other's. That is a deadlock; at 30 both give up, stand back for random times, and one after another both
 * run. */
static void test_hoarding(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n1,2,0,5,1,1\n2,3,0,5,1,2\n2,4,0,5,1,2\n";
  bench b;
  (void)state;
  check(&b,
        try_text(&b, OFFERS(2, 1, ", offer: hosts, hosts: 1, gang: hoard, hoard_timeout: 30s, back_off: 20s"),
                 tasks));
  finish(&b);
  for (int64_t t = 1; t <= 4; t++) assert_true(start_of(&b, t) > 30 && start_of(&b, t) < 1000);
  assert_int_equal(start_of(&b, 1), start_of(&b, 2));
  assert_int_equal(start_of(&b, 3), start_of(&b, 4));
  end(&b);
  /* Offered together there is nothing to hoard. */
  STARTS(OFFERS(2, 1, ", gang: hoard"), tasks, 10, 10, 20, 20);
}

/* Only user 1's job is a gang: it keeps the first host from 0 on, while job 2 starts its first task on the
 * other at 5. That host is free at 10 and kept, too; both its tasks start at 20. At 25 they end, and job 2
 * has its second task at 30. */
static void test_hoards_gangs_alone(void **state)
{
  static const char *const tasks = TITLES "1,1,0,5,1,1\n1,2,0,5,1,1\n2,3,0,5,1,2\n2,4,0,5,1,2\n";
  (void)state;
  STARTS(
      SOURCE HOSTS(
          2,
          1) "architecture: {use: two_level, interval: 0s, offer: hosts, hosts: 1, gang: hoard, schedulers: "
             "[{name: one, takes: user == 1, think_job: 10s, think_task: 0, gang: 1}, {name: two, think_job: "
             "5s, think_task: 0}]}\n",
      tasks, 20, 20, 5, 30);
}

/* ---- giving up ---- */

/* The host is taken until 1,000 s. Job 2 is tried at 1, 3 and 5 s, and then no more; job 3 comes when there
 * is room. */
static void test_given_up(void **state)
{
  static const char *const tasks = TITLES "1,1,0,999,2,1\n2,2,0,5,1,2\n3,3,1000,5,1,2\n";
#define PATIENCE(more) \
  SOURCE HOSTS(1, 2) "architecture: {use: shared_state, " more \
                     ", schedulers: [{name: one, takes: user == 1, think_job: 0, " \
                     "think_task: 0}, {name: two, think_job: 1s, think_task: 0}]}\n"
  (void)state;
  STARTS(PATIENCE("attempts_in_vain: 3"), tasks, 0, NEVER_STARTED, 1001);
  STARTS(PATIENCE("attempts: 3"), tasks, 0, NEVER_STARTED, 1001);
}

/* It could have started at 999, and is not said to be one that never could: the run's note, its state and
 * `why` say so. */
static void hear_why(void *ctx, const hc_why_record *w)
{
  (void)snprintf(ctx, 160, "%s", w->text);
}

typedef struct noted {
  char text[512];
} noted;

static hc_rc take_note(void *ctx, const char *const *values)
{
  noted *n = ctx;
  if (strcmp(values[0], "architecture_note") == 0) (void)snprintf(n->text, sizeof n->text, "%s", values[1]);
  return 0;
}

static void test_given_up_is_said(void **state)
{
  static const char *const tasks = TITLES "1,1,0,999,2,1\n2,2,0,5,1,2\n3,3,1000,5,1,2\n";
  char last[160] = "";
  noted note = {""};
  hc_result *r;
  bench b;
  (void)state;
  check(&b, try_text(&b, PATIENCE("attempts_in_vain: 3"), tasks));
  check(&b, hc_run_explain(b.run, 1, hear_why, last));
  finish(&b);
  assert_string_equal(last, "rejected: given up by its scheduler after 3 attempts, all in vain");
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "hindcast", 2, take_note, &note, &b.error));
  hc_result_free(r);
  assert_non_null(
      strstr(note.text, "1 task of 1 job was given up by schedulers, not because they could never start"));
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_REJECTED);
  assert_string_equal(hc_final_text(HC_FINAL_REJECTED),
                      "given up by its scheduler, or refused by its policy");
  end(&b);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
  (void)state;
#define LIST(use, list) SOURCE HOSTS(2, 2) "architecture: {use: " use ", schedulers: [" list "]}\n"
  assert_refused(LIST("shared_state", "{count: 2}"), "need a name");
  assert_refused(LIST("shared_state", "{name: a, takes: user == 1}, {name: a}"), "two have this name");
  assert_refused(LIST("shared_state", "{name: a}, {name: b}"), "put it last");
  assert_refused(LIST("shared_state", "{name: a, takes: usr == 1}, {name: b}"), "user");
  assert_refused(LIST("multi_path", "{name: a, count: 2}"), "one scheduler serves all");
  assert_refused(LIST("shared_state", "{name: a, takes: user == 1, count: 200}, {name: b, count: 200}"),
                 "at most 250");
  assert_refused(
      LIST("partitions", "{name: a, takes: user == 1, hosts: [\"0-1\"]}, {name: b, hosts: [\"1\"]}"),
      "belongs to a and to b");
  assert_refused(
      LIST("partitions", "{name: a, takes: user == 1, hosts: [\"0-2\"]}, {name: b, hosts: [\"1\"]}"),
      "not within the cell");
  assert_refused(LIST("partitions", "{name: a, takes: user == 1, hosts: [c0]}, {name: b, hosts: [\"1\"]}"),
                 "no range of hosts");
  assert_refused(LIST("partitions", "{name: a, takes: user == 1, hosts: [\"0\"]}, {name: b}"),
                 "none for equal parts");
  assert_refused(SOURCE
                 "cell: {use: count, procs: 4}\narchitecture: {use: shared_state, conflict: sequence}\n",
                 "numbered by host");
  assert_refused(LIST("shared_state", "{name: a, policy: easy}"), "cannot act: it plans between jobs");
  assert_refused(LIST("shared_state", "{name: a, hosts: [\"0\"]}"), "those of a partition");
  assert_refused(LIST("multi_path", "{name: a, hosts: [\"0\"]}"), "those of a partition");
  assert_refused(LIST("two_level", "{name: a, hosts: [\"0\"]}"), "those of a partition");
  assert_refused(LIST("parsync, parts: 1", "{name: a, blacklist: 0.5}"), "that it believes free");
  assert_refused(LIST("parsync, parts: 1", "{name: a, max_cpus: 1}"), "that it believes free");
  assert_refused(LIST("parsync, parts: 1", "{name: a, gang: 1}"), "that it believes free");
  assert_refused(OFFERS(1, 1, ", weights: [1]"), "1 weights for 2 schedulers");
  assert_refused(OFFERS(1, 1, ", weights: [1, 0]"), "not above 0");
  assert_refused(SOURCE "cell: {use: count, procs: 4}\narchitecture: {use: two_level, offer: hosts}\n",
                 "cell of hosts");
}

/* The paper's split: of priorities 9, 9, 9, 8 and classes 0, 2, none, 2 two are services. A thought takes 10
 * s, or 1 s. */
static void test_service(void **state)
{
  static const char *const tasks =
      "job,id,at,run,cpu,prio,class\n1,1,0,5,1,9,0\n2,2,100,5,1,9,2\n3,3,200,5,1,9,\n4,4,300,5,1,8,2\n";
  (void)state;
  STARTS(
      "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: run, cpu: cpu, priority: prio, "
      "queue: class}\n"
      "policy: fcfs\nmetrics: [tasks]\n" HOSTS(
          1, 4) "architecture: {use: shared_state, schedulers: [{name: services, takes: service, think_job: "
                "10s, think_task: 0}, {name: batch, think_job: 1s, think_task: 0}]}\n",
      tasks, 1, 110, 210, 301);
}

/* A task that no scheduler takes ends the run, which says whose it was. */
static void test_nobody_takes(void **state)
{
  bench b;
  (void)state;
  check(&b, try_text(&b, LIST("shared_state", "{name: a, takes: user == 2}"), TITLES "1,1,0,5,1,1\n"));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, UINT64_MAX, &b.error), HC_EUSAGE);
  assert_non_null(strstr(b.error.text, "no scheduler takes task 0 (user 1"));
  end(&b);
}

/* ---- draws ---- */

static hc_rc keep_host(void *ctx, const char *const *values)
{
  if (strcmp(values[0], "0") == 0) *(long *)ctx = strtol(values[1], NULL, 10);
  return 0;
}

/* Task 1 is thought about from 0, 11, 22 ... on, and its place is refused as long as waves of short tasks
 * have gone over all hosts meanwhile. @return the host that it has when the last of `waves` is over */
static long host_after(int waves, const char *cell)
{
  hc_error e = {0};
  hc_buffer text, yaml;
  hc_result *r;
  bench b;
  long host = -1;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_init(&yaml, hc_default_allocator());
  hc_buffer_text(&text, TITLES "1,1,0,5,1,1\n");
  for (int i = 0; i < waves * 128; i++)
    hc_buffer_printf(&text, "%d,%d,%d,2,1,2\n", i + 2, i + 2, i / 128 * 11 + 3);
  hc_buffer_printf(
      &yaml,
      SOURCE
      "%sarchitecture: {use: shared_state, conflict: sequence, schedulers: [{name: slow, takes: user == 1, "
      "think_job: 10s, think_task: 0, place: random}, {name: waves, think_job: 0, think_task: 0}]}\n",
      cell);
  check(&b, try_text(&b, yaml.data, text.data));
  finish(&b);
  assert_int_equal(start_of(&b, 1), 10 + 11 * waves);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_int_equal(hc_result_rows(r, "grants", 4 + HC_NEEDS, keep_host, &host, &e), 0);
  hc_result_free(r);
  end(&b);
  hc_buffer_fini(&text);
  hc_buffer_fini(&yaml);
  return host;
}

/* A task that is refused draws anew: all hosts are free whenever task 1 is looked at, so each place is a draw
 * of its own among 64 (a word of bits) or 128 (a list). Twelve draws fall on at least 6 hosts but for once in
 * two million. */
static void test_draws_anew(void **state)
{
  static const char *const cells[] = {HOSTS(64, 2), HOSTS(128, 1)};
  (void)state;
  for (int c = 0; c < 2; c++) {
    long seen[12];
    int different = 0;
    for (int i = 0; i < 12; i++) {
      bool is_new = true;
      seen[i] = host_after(i, cells[c]);
      for (int k = 0; k < i; k++) is_new &= seen[k] != seen[i];
      different += is_new;
    }
    assert_in_range(different, 6, 12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_after_another),
      cmocka_unit_test(test_without_jobs),
      cmocka_unit_test(test_head_of_line),
      cmocka_unit_test(test_a_late_task),
      cmocka_unit_test(test_a_slot_is_used_again),
      cmocka_unit_test(test_endless_thought),
      cmocka_unit_test(test_incremental),
      cmocka_unit_test(test_fraction),
      cmocka_unit_test(test_all_or_nothing),
      cmocka_unit_test(test_gang),
      cmocka_unit_test(test_offered),
      cmocka_unit_test(test_sequence),
      cmocka_unit_test(test_ends_are_no_conflict),
      cmocka_unit_test(test_own_hosts),
      cmocka_unit_test(test_given_up),
      cmocka_unit_test(test_given_up_is_said),
      cmocka_unit_test(test_one_offer_at_a_time),
      cmocka_unit_test(test_offers_side_by_side),
      cmocka_unit_test(test_withdrawn),
      cmocka_unit_test(test_filters),
      cmocka_unit_test(test_filters_by_host),
      cmocka_unit_test(test_revive),
      cmocka_unit_test(test_locked_beside_prefill),
      cmocka_unit_test(test_interval),
      cmocka_unit_test(test_by_share),
      cmocka_unit_test(test_hoarding),
      cmocka_unit_test(test_hoards_gangs_alone),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_service),
      cmocka_unit_test(test_nobody_takes),
      cmocka_unit_test(test_draws_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
