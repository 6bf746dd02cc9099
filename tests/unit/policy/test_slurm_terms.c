/* test_slurm_terms.c -- what jobs and sites ask of the policy slurm beside nodes: reservations, several
 * partitions, least limits; by hand, and as slurmctld had it. */
#include "slurm_runs_test.h"

#include <stdlib.h>

#include "policy/slurm/reservations.h"
#include "workload/names.h"
#include "sample.h"

/* ---- reservations ---- */

/* Second 0 is Monday, 2024-01-01T10:00:00Z. */
#define MONDAY "unix_start: 1704103200\n"
#define RESERVED(name, from, to, nodes, flags, users) \
  "ReservationName=" name " StartTime=2024-01-01T" from " EndTime=2024-01-01T" to "\n   Nodes=" nodes \
  " NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=(null) Flags=" flags "\n   Users=" users \
  " Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE\n\n"
#define T_AS(id, at, run, limit, nodes, who) T_WITH(id, at, run, limit, nodes, 8, who)

static void reserved(const char *conf, const char *reservations, const char *tasks, const int64_t *at,
                     size_t count)
{
  char path[64], keys[128];
  write_log(path, reservations, strlen(reservations));
  (void)snprintf(keys, sizeof keys, "reservations: [%s]", path);
  starts(&(const given){conf, keys, MONDAY}, tasks, at, count);
  (void)unlink(path);
}
#define RUN_RESERVED(conf, reservations, tasks, ...) \
  reserved(conf, reservations, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* n2 and n3 are ann's from 600 to 1200. Task 1 has n0 and n1 until 300. Task 2, whose limit goes past 600,
 * may have these two alone: it blocks the partition, and has them at 300. The cycle at 30 starts 3 on n2,
 * which is over at 530, but not 4, which might be there at 610: that has n0 when 2 ends. 5 and 6 are ann's
 * and name the reservation: they have n2 and n3 from 600 on, one after the other, and not before, free as
 * they are. */
#define ANNS RESERVED("course", "10:10:00", "10:20:00", "n[2-3]", "SPEC_NODES", "ann")
static void test_reserved_nodes(void **state)
{
  (void)state;
  RUN_RESERVED(FINE FOUR, ANNS,
               T_AS(1, 0, 300, 400, 2, "") T_AS(2, 1, 100, 900, 2, "") T_AS(3, 2, 50, 500, 1, "")
                   T_AS(4, 2, 50, 580, 1, "") T_AS(5, 3, 100, 200, 2, ", user: ann, reservation: course")
                       T_AS(6, 3, 100, 200, 2, ", user: ann, reservation: course"),
               0, 300000, 30000, 400000, 600000, 700000);
}

/* A job that runs in a reservation when that ends has timed out, with ResvOverRun that much later; one that
 * does not name it and was there when it began runs on. What waits for it then waits for ever, as it does if
 * it is none of its users' or names one that there is not. */
static void test_reservation_ends(void **state)
{
  static const char tasks[] = T_AS(1, 0, 5000, 5000, 2, ", user: ann, reservation: course")
      T_AS(2, 0, 5000, 5000, 2, ", user: ann, reservation: course")
          T_AS(3, 0, 10, 10, 1, ", user: bob, reservation: course")
              T_AS(4, 0, 10, 10, 1, ", user: ann, reservation: other") T_AS(5, 1300, 10, 10, 4, "");
  static const struct {
    const char *conf;
    int64_t end, next;
  } cases[] = {{FOUR, 1200, 1301}, {"ResvOverRun=2\n" FOUR, 1320, 1321}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    char path[64], reservations[64], keys[128];
    write_log(reservations, ANNS, strlen(ANNS));
    (void)snprintf(keys, sizeof keys, "reservations: [%s], killed: 0", reservations);
    begin_run(&b, &(const given){cases[i].conf, keys, MONDAY}, tasks, path);
    finish(&b);
    assert_int_equal(start_of(&b, 1), 600);
    assert_int_equal(end_of(&b, 1), cases[i].end);
    assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
    assert_true(record_of(&b, 1)->limit == (cases[i].end - 600) * HC_SECOND);
    for (int id = 2; id <= 4; id++) assert_true(record_of(&b, id)->start == HC_UNKNOWN);
    assert_true(start_of(&b, 5) >= cases[i].next - 1);
    end(&b);
    (void)unlink(path);
    (void)unlink(reservations);
  }
}

/* FLEX: task 1 is there before it begins, and on more than its nodes. MAINT of all nodes of a partition:
 * task 2 is sought behind it by the backfill, and blocks nothing before, so that 3 starts at 3. */
static void test_flags_of_reservations(void **state)
{
  (void)state;
  RUN_RESERVED(FINE FOUR, RESERVED("course", "10:10:00", "10:20:00", "n[2-3]", "FLEX", "ann"),
               T_AS(1, 0, 10, 900, 4, ", user: ann, reservation: course"), 0);
  RUN_RESERVED(FINE FOUR, RESERVED("down", "10:10:00", "10:20:00", "n[0-3]", "MAINT", "root"),
               T_AS(1, 0, 2, 10, 1, "") T_AS(2, 1, 10, 900, 1, "") T_AS(3, 2, 10, 500, 1, ""), 0, 1200000,
               3000);
  /* it is daily: at 1300 the next one is 85,700 s off, which are as many cycles of the scheduler */
  hc_test_skip_repeated();
  RUN_RESERVED(FINE FOUR, RESERVED("nightly", "10:10:00", "10:20:00", "n[2-3]", "DAILY", "root"),
               T_AS(1, 1300, 100, 85699, 4, "") T_AS(2, 1500, 100, 85600, 4, ""), 1300000, 87600000);
}

/* Of the reservations that a task names it starts in the first that begins and has room: 1 in `early`, at
 * 300, and 2, which finds its nodes taken, in `late` at 600. 3 names one that there is and one that there is
 * not; 4 none that there is, and waits. 2 is ended with `late`, its nodes are clean 0.1 s later, and 5 has
 * them. */
static void test_several_reservations(void **state)
{
  (void)state;
  RUN_RESERVED(FINE FOUR,
               RESERVED("late", "10:10:00", "10:20:00", "n[2-3]", "", "ann")
                   RESERVED("early", "10:05:00", "10:08:00", "n[0-1]", "", "ann"),
               T_AS(1, 0, 180, 180, 2, ", user: ann, reservation: [late, early]")
                   T_AS(2, 1, 900, 900, 1, ", user: ann, reservation: [early, late]")
                       T_AS(3, 700, 10, 10, 1, ", user: ann, reservation: 'gone,late'")
                           T_AS(4, 2, 10, 10, 1, ", user: ann, reservation: [gone, away]")
                               T_AS(5, 1190, 10, 10, 4, ""),
               300000, 600000, 700000, -1, 1200100);
}

/* Days of reservations that recur, by the clock on the wall. */
static void test_occurrences(void **state)
{
  static const int64_t monday = 1704103200, day = 86400;
  static const struct {
    hc_slurm_recurrence every;
    int64_t start, next; /* the occurrence lasts an hour */
    const char *zone;
  } cases[] = {{HC_SLURM_HOURLY, monday, monday + 3600, NULL},
               {HC_SLURM_DAILY, monday, monday + day, NULL},
               {HC_SLURM_WEEKLY, monday, monday + 7 * day, NULL},
               {HC_SLURM_WEEKDAY, monday + 4 * day, monday + 7 * day, NULL}, /* Friday, Monday */
               {HC_SLURM_WEEKDAY, monday, monday + day, NULL},
               {HC_SLURM_WEEKEND, monday + 5 * day, monday + 6 * day, NULL},  /* Saturday, Sunday */
               {HC_SLURM_WEEKEND, monday + 6 * day, monday + 12 * day, NULL}, /* Sunday, Saturday */
               /* 2024-03-30T09:00 in Berlin is 08:00Z, and a day later, in summer time, 07:00Z */
               {HC_SLURM_DAILY, 1711785600, 1711868400, "Europe/Berlin"}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    hc_slurm_reservation x = {.every = cases[i].every, .start = cases[i].start, .end = cases[i].start + 3600};
    hc_slurm_reservations r = {.items = &x, .count = 1};
    if (cases[i].zone) assert_int_equal(hc_zone_open(hc_default_allocator(), cases[i].zone, &r.zone), 0);
    hc_slurm_reservations_go_on(&r, x.end - 1);
    assert_int_equal(x.start, cases[i].start);
    hc_slurm_reservations_go_on(&r, x.end);
    assert_int_equal(x.start, cases[i].next);
    assert_int_equal(x.end, cases[i].next + 3600);
    hc_zone_free(r.zone);
  }
}

/* The table of sacctmgr has each occurrence by itself, and lets each job into the one that it names. */
static void test_table_of_reservations(void **state)
{
  (void)state;
  RUN_RESERVED(
      FINE FOUR,
      "Name|TimeStart|TimeEnd|NodeName|Flags\nday|2024-01-01T10:01:40|2024-01-01T10:03:20|n[2-3]|DAILY\n"
      "day|2024-01-01T10:10:00|2024-01-01T10:20:00|n[0-1]|DAILY\n",
      T_AS(1, 0, 10, 100, 2, ", reservation: day") T_AS(2, 300, 10, 100, 2, ", reservation: day"), 100000,
      600000);
}

static void test_reservations_that_are_wrong(void **state)
{
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"hello\n", "expected ReservationName="},
      {"ReservationName=a StartTime=soon\n", "expected a date"},
      {"ReservationName=a StartTime=2024-01-01T10:00:00 Nodes=n0\n", "has no StartTime and an EndTime"},
      {"ReservationName=a Flags=TIME_FLOAT\n", "whose begin moves with the clock"},
      {"ReservationName=a\n  NodeName=n0 CoreIDs=0-1\n", "of whole nodes here"},
      {"Name|TimeStart|Flags\n", "has the columns Name, TimeStart, TimeEnd and NodeName"}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    char conf[64], path[64], yaml[512];
    write_log(conf, FOUR, strlen(FOUR));
    write_log(path, cases[i].text, strlen(cases[i].text));
    (void)snprintf(yaml, sizeof yaml,
                   "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\n"
                   "policy: {use: slurm, conf: %s, reservations: [%s]}\n" MONDAY,
                   conf, conf, path);
    assert_true(try_text(&b, yaml, T(1, 0, 1, 1, 1, 1)) < 0);
    if (!strstr(b.error.text, cases[i].error)) fail_msg("%s: %s", cases[i].text, b.error.text);
    end(&b);
    (void)unlink(conf);
    (void)unlink(path);
  }
}

/* A task without a limit has DefaultTime of its partition: it is planned with that, so that 3, of 500 s, may
 * go before 2, which waits for all nodes, and is ended at it. One that names a limit has its own; the
 * partition `free` has no default, and a task there no limit. */
static void test_default_limits(void **state)
{
  static const char conf[] = FINE "NodeName=n[0-3] CPUs=8\nPartitionName=all Nodes=n[0-3] DefaultTime=10\n"
                                  "PartitionName=free Nodes=n[0-3]\n",
                    tasks[] =
                        "- {id: 1, submit_time: 0, delay: 5000, resources: {nodes_count: 3, "
                        "cpu_per_node: 8}, partition: all}\n" T_IN(2, 1, 100, 1200, 4, 8, "all") T_IN(
                            3, 2, 500, 500, 1, 8,
                            "all") "- {id: 4, submit_time: 1000, delay: 3000, resources: {nodes_count: 1, "
                                   "cpu_per_node: 8}, partition: free}\n";
  bench b;
  char path[64];
  (void)state;
  begin_run(&b, &(const given){conf, "killed: 0", "no_limit: endless\n"}, tasks, path);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 600);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
  assert_true(record_of(&b, 1)->limit == 600 * HC_SECOND);
  assert_int_equal(start_of(&b, 3), 30);
  assert_int_equal(start_of(&b, 2), 600);
  assert_int_equal(end_of(&b, 4) - start_of(&b, 4), 3000);
  end(&b);
  (void)unlink(path);
}

/* The same beside a MaxTime: without a limit of its own none is too long for the partition, of DefaultTime
 * 10 minutes, or of none, where MaxTime is the limit. One that names a longer limit than MaxTime has no
 * place. */
static void test_default_limits_within_bounds(void **state)
{
  static const char
      conf[] = "NodeName=n[0-3] CPUs=8\nPartitionName=all Nodes=n[0-3] DefaultTime=10 MaxTime=60\n"
               "PartitionName=most Nodes=n[0-3] MaxTime=60\n",
      tasks[] = "- {id: 1, submit_time: 0, delay: 5000, resources: {nodes_count: 1, cpu_per_node: 1}, "
                "partition: all}\n"
                "- {id: 2, submit_time: 0, delay: 5000, resources: {nodes_count: 1, cpu_per_node: 1}, "
                "partition: most}\n"
                "- {id: 3, submit_time: 0, delay: 100, resources: {nodes_count: 1, cpu_per_node: 1}, "
                "partition: all}\n" T_IN(4, 0, 100, 7200, 1, 1, "all");
  bench b;
  char path[64];
  (void)state;
  begin_run(&b, &(const given){conf, NULL, "no_limit: endless\n"}, tasks, path);
  finish(&b);
  assert_int_equal(b.count, 3);
  assert_int_equal(end_of(&b, 1), 600);
  assert_int_equal(end_of(&b, 2), 3600);
  assert_int_equal(end_of(&b, 3), 100);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_KILLED);
  end(&b);
  (void)unlink(path);
}

/* A task of unequal parts would wait for ever. */
static void test_unequal_parts(void **state)
{
  bench b;
  char conf[64], yaml[512];
  (void)state;
  write_log(conf, FOUR, strlen(FOUR));
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\n"
                 "policy: {use: slurm, conf: %s}\n",
                 conf, conf);
  check(&b, try_text(&b, yaml,
                     T(1, 0, 1, 1, 1, 1) "- {id: 2, submit_time: 0, delay: 1, limit: 9, resources: "
                                         "[{cpu_per_node: 8}, {nodes_count: 2, cpu_per_node: 2}]}\n"));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "task 2 has unequal parts"));
  assert_int_equal(b.error.line, 2);
  end(&b);
  (void)unlink(conf);
}

/* ---- several partitions, least limits ---- */

#define TWO_PARTS \
  "NodeName=n[0-3] CPUs=8\nPartitionName=a Nodes=n[0-1] PriorityTier=1\nPartitionName=b Nodes=n[2-3] " \
  "PriorityTier=10\nPartitionName=c Nodes=n[0-3] PriorityTier=5 MaxTime=1\n"

/* Of the partitions of a task that with the highest tier comes first: task 1 has b's nodes though a stands
 * before it, so that 3, of b alone, waits for its end. 2 has what is left: a. 4 may not be in c, whose
 * MaxTime is a minute, and waits for a. */
static void test_several_partitions(void **state)
{
  (void)state;
  RUN(FINE TWO_PARTS, NULL, NULL,
      T_AS(1, 0, 100, 100, 2, ", set: [a, b]") T_AS(2, 1, 200, 200, 2, ", set: [b, a]")
          T_AS(3, 2, 10, 10, 1, ", set: b") T_AS(4, 2, 10, 100, 1, ", set: [a, c]"),
      0, 3000, 100000, 203000);
}

/* The record of a task of several partitions has the one that it started in, by the number that the source
 * has for it where a task is of it alone (b, of task 3), else by one made of its name (a); one that never
 * starts keeps what it asked for. */
static void test_partition_started_in(void **state)
{
  bench b;
  char path[64];
  (void)state;
  begin_run(&b, &(const given){FINE TWO_PARTS, NULL, NULL},
            T_AS(1, 0, 100, 100, 2, ", partition: {7: [a, b]}")
                T_AS(2, 1, 200, 200, 2, ", partition: {7: [a, b]}") T_AS(3, 2, 10, 10, 1, ", partition: b")
                    T_AS(4, 2, 10, 90, 4, ", partition: {8: [b, c]}"),
            path);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 0);
  assert_int_equal(record_of(&b, 1)->partition, record_of(&b, 3)->partition);
  assert_int_equal(record_of(&b, 2)->partition, hc_name_hashed("a", 1));
  assert_true(record_of(&b, 4)->start == HC_UNKNOWN);
  assert_true(record_of(&b, 4)->partition != record_of(&b, 3)->partition);
  end(&b);
  (void)unlink(path);
}

/* Task 2 is planned at 1800. Task 3 may be cut to 600 s: the cycle at 30 starts it so, and it is over at 630,
 * for which 22.05 does not give it more though nothing is in its way until 1800. 4 could be cut to 2700 s at
 * most, which does not end before. */
/* A job of `count` partitions p0, p1 ... of a cluster that has all of them; `log` has "%s" for their list.
 * @param error NULL: it runs */
static void assert_many(const char *reader, const char *log, int count, const char *error)
{
  static char conf[4096], tasks[2048], names[1024], yaml[512];
  bench b;
  char path[64];
  size_t n = (size_t)snprintf(conf, sizeof conf, "NodeName=n0 CPUs=8\n"), k = 0;
  for (int i = 0; i < count; i++) {
    n += (size_t)snprintf(conf + n, sizeof conf - n, "PartitionName=p%d Nodes=n0\n", i);
    k += (size_t)snprintf(names + k, sizeof names - k, "%sp%d", i ? "," : "", i);
  }
  n = strcspn(log, "%");
  (void)snprintf(tasks, sizeof tasks, "%.*s%s%s", (int)n, log, names, log + n + 1);
  write_log(path, conf, strlen(conf));
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: %s, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\n"
                 "policy: {use: slurm, conf: %s}\n",
                 reader, path, path);
  hc_rc rc = try_text(&b, yaml, tasks);
  if (rc >= 0 && error) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  else if (rc >= 0) finish(&b);
  if ((rc < 0) != (error != NULL) || (error && !strstr(b.error.text, error)) || (!error && b.count != 1))
    fail_msg("%s, %d partitions: %zu tasks, %s", reader, count, b.count, b.error.text);
  end(&b);
  (void)unlink(path);
}

/* A task may name 64 sets. More are refused, in a workload and in a log. */
static void test_many_partitions(void **state)
{
  static const char native[] = "- {id: 1, submit_time: 0, delay: 5, limit: 9, set: [%], resources: "
                               "{nodes_count: 1, cpu_per_node: 1}}\n",
                    sacct[] = "JobID|Partition|Submit|Start|End|State|NCPUS|NNodes|Timelimit\n"
                              "1|%|2024-01-01T10:00:00|2024-01-01T10:00:00|2024-01-01T10:00:05|COMPLETED|1|1|"
                              "00:01:00\n";
  (void)state;
  assert_many("native", native, HC_TASK_SETS, NULL);
  assert_many("native", native, HC_TASK_SETS + 1, "a list of 1 to 64 names");
  assert_many("sacct", sacct, HC_TASK_SETS, NULL);
  assert_many("sacct", sacct, HC_TASK_SETS + 1, "task 1 is of more than 64 partitions");
}

static void test_least_limits(void **state)
{
  static const char tasks[] = T_AS(1, 0, 1800, 1800, 3, "") T_AS(2, 1, 600, 3600, 4, "")
      T_AS(3, 2, 2400, 7200, 1, ", least_limit: 600") T_AS(4, 2, 300, 7200, 1, ", least_limit: 2700");
  bench b;
  char path[64];
  (void)state;
  RUN(FOUR, NULL, NULL, tasks, 0, 1800000, 30000, 2400000);
  begin_run(&b, &(const given){FOUR, NULL, NULL}, tasks, path);
  finish(&b);
  assert_int_equal(end_of(&b, 3), 630);
  assert_int_equal(record_of(&b, 3)->final, HC_FINAL_KILLED);
  assert_true(record_of(&b, 3)->limit == 600 * HC_SECOND);
  assert_true(record_of(&b, 4)->limit == 7200 * HC_SECOND);
  end(&b);
  (void)unlink(path);
  /* A model carries the tasks out: the third is ended at its cut limit all the same, or the second would have
   * to wait for it until 330 s. */
  RUN(FINE FOUR, NULL, "execution: {use: activities, cpu_speed: 1e9}\n",
      T_AS(1, 0, 100, 100, 3, "") T_AS(2, 1, 100, 1000, 4, "") T_AS(3, 2, 300, 500, 1, ", least_limit: 60"),
      0, 100000, 30000);
}

/* ---- few switches ---- */

#define LEAVES "SwitchName=s1 Nodes=n[0-1]\nSwitchName=s2 Nodes=n[2-3]\nSwitchName=top Switches=s[1-2]\n"
#define SWITCHED(conf, tasks, ...) \
  starts_on(&(const given){FINE "TopologyPlugin=topology/tree\n" conf FOUR, NULL, NULL}, LEAVES, tasks, \
            (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* Tasks 1 and 2 leave n1 and n3, on two leaves. A job of two nodes that wants one switch waits until task 1
 * ends, at 50, and has n0 and n1; until then it keeps others from starting in the pass, and is planned for
 * when task 1's limit is over, at 100, so that the cycle at 30 starts task 4, which has left by then. One
 * that wants two switches starts at once; so does one whose wait is over when it is looked at next: the
 * arrival at 20 does that. max_switch_wait bounds what a job says, and is what one has that says nothing. */
static void test_few_switches(void **state)
{
  static const char *const busy = T(1, 0, 50, 100, 1, 8) T_AS(2, 0, 200, 200, 1, ", hosts: [n2]");
  static char tasks[2048];
  (void)state;
#define BEHIND(...) ((void)snprintf(tasks, sizeof tasks, "%s%s", busy, __VA_ARGS__), tasks)
  SWITCHED("", BEHIND(T_AS(3, 1, 10, 10, 2, ", switches: 1") T(4, 2, 15, 70, 1, 8)), 0, 0, 50000, 30000);
  SWITCHED("", BEHIND(T_AS(3, 1, 10, 10, 2, ", switches: 2") T(4, 20, 15, 60, 1, 8)), 0, 0, 3000, 20000);
  SWITCHED("", BEHIND(T_AS(3, 1, 10, 10, 2, ", switches: [1, 19]") T(4, 20, 15, 500, 1, 8)), 0, 0, 20000,
           30000);
  SWITCHED("", BEHIND(T_AS(3, 1, 10, 10, 2, ", switches: [1, 20]") T(4, 20, 15, 500, 1, 8)), 0, 0, 30000,
           40000);
  SWITCHED("SchedulerParameters=max_switch_wait=19\n",
           BEHIND(T_AS(3, 1, 10, 10, 2, ", switches: [1, 1000]") T(4, 20, 15, 500, 1, 8)), 0, 0, 20000,
           30000);
  SWITCHED("SchedulerParameters=max_switch_wait=19\n",
           BEHIND(T_AS(3, 1, 10, 10, 2, ", switches: 1") T(4, 20, 15, 500, 1, 8)), 0, 0, 20000, 30000);
#undef BEHIND
}

/* No leaf has three nodes, so that nothing but time lets task 1 start: its wait is over at 300, and it is
 * looked at every minute. Without topology/tree there is nothing to wait for. */
static void test_switches_that_never_do(void **state)
{
  (void)state;
  SWITCHED("", T_AS(1, 0, 10, 10, 3, ", switches: 1"), 300000);
  RUN(FINE FOUR, NULL, NULL, T_AS(1, 0, 10, 10, 3, ", switches: 1"), 0);
}

/* With TopoOptional only a job that says something of switches lies by them. Beside task 1 on n0 a job of
 * two nodes has the leaf of n2 and n3 by them, and n1 with n2 in a row, where task 3 waits for it. */
static void test_optional_topology(void **state)
{
#define BEHIND(more) \
  T_AS(1, 0, 50, 50, 1, ", hosts: [n0]") \
  T_AS(2, 1, 20, 20, 2, more) T_AS(3, 10, 20, 20, 1, ", hosts: [n1]")
  (void)state;
  SWITCHED("TopologyParam=TopoOptional\n", BEHIND(""), 0, 3000, 23000);
  SWITCHED("TopologyParam=TopoOptional\n", BEHIND(", switches: 1"), 0, 3000, 10000);
  SWITCHED("", BEHIND(""), 0, 3000, 10000);
#undef BEHIND
}

/* ---- with preemption ---- */

#define TIERS \
  FINE "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nNodeName=n[0-3] CPUs=8\n" \
       "PartitionName=low Nodes=n[0-3]\nPartitionName=high Nodes=n[0-3] PriorityTier=10\n"

/* Task 2 stands in both partitions. In high it stops task 1 at once, and starts when the nodes are clean,
 * which takes 0.1 s. Task 3, of low alone, waits for the pass 3 s behind that of 60 s. The credential of task
 * 1 is good until 131 s, and nothing changes then: the queue is gone through at 180 s. */
static void test_preempting_in_one_of_several(void **state)
{
  (void)state;
  RUN(TIERS, NULL, NULL,
      T_AS(1, 0, 1000, 1000, 4, ", partition: low") T_AS(2, 10, 50, 50, 4, ", set: [low, high]")
          T_AS(3, 10, 50, 50, 4, ", partition: low"),
      180000, 10100, 63000);
}

/* n2 and n3 are reserved from 60 to 600 s, and so kept from the limits of tasks 2 and 3. For task 2, which
 * wants all nodes, none is stopped. For task 3 n0 and n1 will do, for which task 1 is. */
static void test_preempting_beside_a_reservation(void **state)
{
  (void)state;
  RUN_RESERVED(TIERS, RESERVED("maint", "10:01:00", "10:10:00", "n[2-3]", "MAINT", "root"),
               T_AS(1, 0, 40, 40, 4, ", partition: low") T_AS(2, 10, 50, 500, 4, ", partition: high")
                   T_AS(3, 12, 50, 500, 2, ", partition: high"),
               650000, 600000, 13100);
}

/* ---- what slurmctld did ---- */

/* Cases that slurmctld 22.05.8 was given (`hindcast slurm up --conf`, four nodes of four cores, a clock 60
 * times as fast, so that a second of it is what a call takes): sbatch -N -n -t, scontrol create reservation.
 * Times are those of its jobcomp file, from a full minute on; the model starts each job within `late` of
 * them, in its order. */
typedef struct seen {
  int64_t start, end; /* s */
} seen;

static void as_seen(const char *conf, const char *reservations, const char *run, const char *tasks,
                    const seen *slurm, size_t count, int64_t late)
{
  bench b;
  char path[64], file[64], keys[128];
  write_log(file, reservations, strlen(reservations));
  (void)snprintf(keys, sizeof keys, "reservations: [%s]", file);
  begin_run(&b, &(const given){conf, keys, run}, tasks, path);
  finish(&b);
  for (size_t i = 0; i < count; i++) {
    const int64_t id = (int64_t)i + 1, start = start_of(&b, id), stop = end_of(&b, id);
    if (llabs(start - slurm[i].start) > late || llabs(stop - slurm[i].end) > late)
      fail_msg("job %" PRId64 ": from %" PRId64 " to %" PRId64 ", and in Slurm from %" PRId64 " to %" PRId64,
               id, start, stop, slurm[i].start, slurm[i].end);
  }
  end(&b);
  (void)unlink(path);
  (void)unlink(file);
}

#define SMALL "NodeName=n[1-4] CPUs=4\nPartitionName=batch Nodes=n[1-4]\n"
#define JOB(id, at, run, limit, nodes, cpus, more) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", limit: " #limit \
  ", resources: {nodes_count: " #cpus ", cpu_per_node: 1}, spread: false, host_count: " #nodes more "}\n"

/* A maintenance of n3 and n4 from 30 to 90 min, a reservation of n1 and n2 from 100 to 130 min: its job of
 * 50 min is ended with it, and a job of three nodes finds no place between the two. */
static void test_maintenance_as_seen(void **state)
{
  static const seen slurm[] = {{35, 936},    {939, 1541},  {66, 368},    {1803, 2105},
                               {7805, 8106}, {1542, 1664}, {6000, 7803}, {6000, 6061}};
  (void)state;
  as_seen(SMALL,
          "ReservationName=maint StartTime=2024-01-01T10:30:00 EndTime=2024-01-01T11:30:00 Duration=01:00:00 "
          "Nodes=n[3-4] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) "
          "Flags=MAINT,IGNORE_JOBS,SPEC_NODES TRES=cpu=8 Users=root Groups=(null) Accounts=(null)\n"
          "ReservationName=class StartTime=2024-01-01T11:40:00 EndTime=2024-01-01T12:10:00 Duration=00:30:00 "
          "Nodes=n[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) Flags=SPEC_NODES TRES=cpu=8 "
          "Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null)\n",
          MONDAY,
          JOB(1, 34, 900, 1200, 2, 8, "") JOB(2, 43, 600, 3600, 2, 8, "") JOB(3, 49, 300, 1500, 1, 1, "")
              JOB(4, 56, 300, 600, 2, 8, ", user: root, reservation: maint") JOB(5, 62, 300, 1200, 3, 12, "")
                  JOB(6, 69, 120, 4200, 1, 1, "")
                      JOB(7, 73, 3000, 3600, 1, 4, ", user: root, reservation: class")
                          JOB(8, 80, 60, 300, 1, 1, ", user: root, reservation: class"),
          slurm, COUNT(slurm), 10);
}

/* -p a,b: a of n1 and n2 with tier 1, b of n3 and n4 with 10, c of all with 5 and MaxTime 30. */
static void test_partitions_as_seen(void **state)
{
  static const seen slurm[] = {{9, 611}, {15, 617}, {613, 914}, {1220, 1522}, {917, 1218}, {613, 674}};
  (void)state;
  as_seen("NodeName=n[1-4] CPUs=4\nPartitionName=a Nodes=n[1-2] PriorityTier=1\nPartitionName=b Nodes=n[3-4] "
          "PriorityTier=10\nPartitionName=c Nodes=n[1-4] MaxTime=30 PriorityTier=5\n",
          "", MONDAY,
          JOB(1, 8, 600, 1200, 2, 8, ", set: [a, b]") JOB(2, 14, 600, 1200, 2, 8, ", set: [a, b]")
              JOB(3, 20, 300, 600, 1, 1, ", set: [b, a]") JOB(4, 26, 300, 3600, 1, 1, ", set: [a, c]")
                  JOB(5, 33, 300, 1200, 4, 16, ", set: c") JOB(6, 38, 60, 300, 1, 1, ", set: [a, b, c]"),
          slurm, COUNT(slurm), 20);
}

/* --time-min=10 of a job of two hours beside one that is planned in 30 min: its limit is 10 min from then
 * on; and n4 drained for ten minutes, while a job of four nodes blocks the partition: those behind it are
 * the backfill's. */
static void test_limits_and_drains_as_seen(void **state)
{
  static const seen cut[] = {{7, 1808}, {1810, 2411}, {37, 646}, {2413, 2715}};
  static const seen drained[] = {{610, 913}, {51, 351}, {51, 351}};
  (void)state;
  as_seen(SMALL, "", MONDAY,
          JOB(1, 7, 1800, 1800, 3, 12, "") JOB(2, 20, 600, 3600, 4, 16, "")
              JOB(3, 31, 2400, 7200, 1, 1, ", least_limit: 600")
                  JOB(4, 36, 300, 7200, 1, 1, ", least_limit: 2700"),
          cut, COUNT(cut), 31);
  as_seen(SMALL, "", MONDAY EVENTS("{at: 0, hosts: n4, change: drain, until: 600}"),
          JOB(1, 20, 300, 1800, 4, 16, "") JOB(2, 25, 300, 600, 1, 1, "") JOB(3, 30, 300, 600, 1, 1, ""),
          drained, COUNT(drained), 31);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reserved_nodes),
      cmocka_unit_test(test_reservation_ends),
      cmocka_unit_test(test_flags_of_reservations),
      cmocka_unit_test(test_several_reservations),
      cmocka_unit_test(test_occurrences),
      cmocka_unit_test(test_table_of_reservations),
      cmocka_unit_test(test_reservations_that_are_wrong),
      cmocka_unit_test(test_default_limits),
      cmocka_unit_test(test_default_limits_within_bounds),
      cmocka_unit_test(test_unequal_parts),
      cmocka_unit_test(test_several_partitions),
      cmocka_unit_test(test_partition_started_in),
      cmocka_unit_test(test_many_partitions),
      cmocka_unit_test(test_least_limits),
      cmocka_unit_test(test_few_switches),
      cmocka_unit_test(test_switches_that_never_do),
      cmocka_unit_test(test_optional_topology),
      cmocka_unit_test(test_maintenance_as_seen),
      cmocka_unit_test(test_preempting_in_one_of_several),
      cmocka_unit_test(test_preempting_beside_a_reservation),
      cmocka_unit_test(test_partitions_as_seen),
      cmocka_unit_test(test_limits_and_drains_as_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
