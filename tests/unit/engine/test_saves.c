/* test_saves.c -- checkpoints of tasks that do what their profiles say, written to and read from stores that
 * all share: ends by hand, in one go and in pieces. */
#include "outcomes_test.h"

#define CELL "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4}]}\n"
#define BASE \
  "source: {use: native, file: FILE}\nparanoid: true\npolicy: fcfs+scan\nmetrics: [tasks, failures]\n"
#define DISKS "{shared: true, mount: /pfs, read_bandwidth: 125, write_bandwidth: 50}"
#define MODEL(...) "execution: {use: activities, cpu_speed: 1, disks: [" __VA_ARGS__ "]}\n"
#define SAVES "checkpoint: {use: fixed, every: 30s, size: 250B, store: /pfs}\n"
#define PLAIN BASE CELL MODEL(DISKS) SAVES
#define DOWN(...) "events: {use: list, changes: [" __VA_ARGS__ "]}\n"
#define TASK(id, at, ...) \
  "- {id: " #id ", submit_time: " #at ", resources: {cpu_per_node: 4}, " __VA_ARGS__ "}\n"

/* All of them are 100 s of work: 400 units on 4 cores, times, two at once of which the longer counts, and
 * without a profile. */
static const char *const hundred[] = {
    "profile: {compute_homogeneous: 400}",
    "profile: {idle: 100}",
    "delay: 100",
    "profile: {sequence: [{compute_homogeneous: 160}, {idle: 60}]}",
    ("profile: {sequence: [{idle: 5}, {parallel: [{compute_homogeneous: 100}, {sequence: [{idle: 45}, {idle: "
     "40}]}]}, {compute_homogeneous: 40}]}"),
    "profile: {sequence: {profiles: [{idle: 10}, {compute_homogeneous: 60}], repeat: 4}}"};

/* 250 bytes at 50 are 5 s: 100 s of work have a checkpoint after 30, 60 and 90. Two of them that write at the
 * same time have 25 each, and 10 s. */
static void a_checkpoint_takes_what_the_store_takes(void **state)
{
  char tasks[1024];
  (void)state;
  for (size_t i = 0; i < COUNT(hundred); i++) {
    (void)snprintf(tasks, sizeof tasks, TASK(1, 0, "%s"), hundred[i]);
    RUNS(PLAIN, tasks, DONE(1, 0, 115));
    (void)snprintf(tasks, sizeof tasks, TASK(1, 0, "%s") TASK(2, 0, "%s"), hundred[i], hundred[0]);
    RUNS(PLAIN, tasks, DONE(1, 0, 130), DONE(2, 0, 130));
  }
}

/* Task 2 is 2 s behind. Task 1 writes 100 bytes by 32, and its last 150 with 25: until 38; task 2 has 150 by
 * then, and is done at 40. So it is after each 30 s of work: 68 to 76 and 70 to 78, 106 to 114 and 108 to
 * 116.
 * With a store of its own no task slows another. */
static void those_that_write_at_once_share_the_store(void **state)
{
  const char *tasks = TASK(1, 0, "profile: {idle: 100}") TASK(2, 2, "profile: {compute_homogeneous: 400}");
  (void)state;
  RUNS(PLAIN, tasks, DONE(1, 0, 124), DONE(2, 2, 126));
  RUNS(BASE CELL MODEL("{mount: /pfs, read_bandwidth: 125, write_bandwidth: 50}") SAVES, tasks,
       DONE(1, 0, 115), DONE(2, 2, 117));
  /* Task 1 writes 2,000 bytes of its own, 1,500 of them by 30; that stands still while both write 250 with 25
   * a second, until 40, and takes 10 s more. */
  RUNS(PLAIN, TASK(1, 0, "profile: {file_write: {path: /pfs/x, size: 2000}}") TASK(2, 0, "delay: 40"),
       DONE(1, 0, 50), DONE(2, 0, 50));
}

/* c-0 fails at 80: the second checkpoint was complete at 70, with 60 s of work. On c-1 250 bytes are read at
 * 125, in 2 s, and 40 s are left with one more checkpoint: 80 + 2 + 30 + 5 + 10 = 127. At 68 only the first
 * counts: 68 + 2 + 70 + 10. At 33 none does. */
static void a_lost_task_goes_on_from_its_last_checkpoint(void **state)
{
  char tasks[512];
  bench b;
  (void)state;
  for (size_t i = 0; i < COUNT(hundred); i++) {
    (void)snprintf(tasks, sizeof tasks, TASK(1, 0, "%s"), hundred[i]);
    RUNS(PLAIN DOWN("{at: 80, hosts: c-0, change: down}"), tasks, DONE(1, 80, 127));
    RUNS(PLAIN DOWN("{at: 68, hosts: c-0, change: down}"), tasks, DONE(1, 68, 150));
    RUNS(PLAIN DOWN("{at: 33, hosts: c-0, change: down}"), tasks, DONE(1, 33, 148));
    /* Again at 81, while it reads, and at 120, behind its next one (113 to 118): 120 + 2 + 10. */
    RUNS(
        PLAIN DOWN("{at: 80, hosts: c-0, change: down, until: 81}, {at: 81, hosts: c-1, change: down, until: "
                   "82}, {at: 120, hosts: c-0, change: down}"),
        tasks, DONE(1, 120, 132));
    assert_run_in(&b, PLAIN DOWN("{at: 80, hosts: c-0, change: down}"), tasks, &(expected)DONE(1, 80, 127), 1,
                  0);
    assert_figure(&b, "failures_losses", 1);
    assert_figure(&b, "failures_lost_time", 10);
    assert_figure(&b, "failures_writing_time", 15);
    assert_figure(&b, "failures_reading_time", 2);
    assert_figure(&b, "failures_stood_time", 0);
    end(&b);
  }
}

/* A local one is written at 250 and read at 125: 1 s and 2 s. A cycle of two local ones and a global one is
 * 31 + 31 + 35. At 80 the local one at 62 is lost with the host: 80 + 214, six checkpoints of which two are
 * global. A copy of it survives: 80 + 2, and of 140 s left a global one after 30, and local ones after 60 and
 * 90, a global one after 120: 234. At 110 the global one of 97 counts, with 90 s: 110 + 2 + 110 + 1 + 1 + 5.
 */
static void there_may_be_two_levels(void **state)
{
  (void)state;
#define LEVELS(survives) \
  BASE CELL MODEL(DISKS ", {mount: /ram, read_bandwidth: 125, write_bandwidth: 250}") \
      "checkpoint: {use: fixed, every: 30s, size: 250B, store: /pfs, local_store: /ram, global_each: 3, " \
      "local_survives: " survives "}\n"
#define LONG TASK(1, 0, "profile: {sequence: [{idle: 70}, {compute_homogeneous: 520}]}")
  RUNS(LEVELS("0") DOWN("{at: 80, hosts: c-0, change: down}"), LONG, DONE(1, 80, 294));
  RUNS(LEVELS("1") DOWN("{at: 80, hosts: c-0, change: down}"), LONG, DONE(1, 80, 234));
  RUNS(LEVELS("0") DOWN("{at: 110, hosts: c-0, change: down}"), LONG, DONE(1, 110, 229));
}

/* A limit is one of work: 90 s of it have two checkpoints before them, and the third is not written. After a
 * loss at 80 what was saved counts: 60 s, so that 30 s more end it at 82 + 30. */
static void a_limit_counts_work(void **state)
{
#define KILLED(n, from, to) {n, from, to, HC_FINAL_KILLED}
  (void)state;
  RUNS(PLAIN, TASK(1, 0, "wall_time_limit: 90, profile: {compute_homogeneous: 400}"), KILLED(1, 0, 100));
  RUNS(PLAIN DOWN("{at: 80, hosts: c-0, change: down}"),
       TASK(1, 0, "wall_time_limit: 90, profile: {compute_homogeneous: 400}"), KILLED(1, 80, 112));
  RUNS(PLAIN, TASK(1, 0, "wall_time_limit: 100, profile: {compute_homogeneous: 400}"), DONE(1, 0, 115));
}

/* 2,500 bytes at 50 are 50 s, and sqrt(2 x 50 x 10^4) = 1000 s: 2000 s of work have one checkpoint. On two
 * hosts that write 5,000 bytes at once it is C = 100 s and M = 5,000 s: as long. The same bytes from disks of
 * their own: C = 50 s, 707.1 s, and two checkpoints. */
static void formulas_know_what_the_store_takes(void **state)
{
#define YOUNG "checkpoint: {use: young, mtbf: 10000s, size: 2500B, store: /pfs}\n"
#define TWO "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 4}, profile: {idle: 2000}}\n"
  (void)state;
  RUNS(BASE CELL MODEL(DISKS) YOUNG, TASK(1, 0, "profile: {idle: 2000}"), DONE(1, 0, 2050));
  RUNS(BASE CELL MODEL(DISKS) YOUNG, TWO, DONE(1, 0, 2100));
  RUNS(BASE CELL MODEL("{mount: /pfs, read_bandwidth: 125, write_bandwidth: 50}") YOUNG, TWO,
       DONE(1, 0, 2100));
}

/* On the disks of both hosts of a task, half of what each writes on either: 5 s by a fast cable, and by one
 * of 5 the 125 bytes that go each way 25 s. A formula knows both: of 2,500 bytes of each host there are two
 * checkpoints of 50 s each 707.1 s, or by a cable of 10 one of 125 s after 1118. */
static void hosts_that_share_their_disks(void **state)
{
#define SHARED(network) \
  "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: " network \
  "}, disks: [{wide: true, mount: /pfs, read_bandwidth: 125, write_bandwidth: 50}]}\n"
#define IDLE(time) \
  "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 4}, profile: {idle: " #time "}}\n"
  (void)state;
  RUNS(BASE CELL SHARED("1000") SAVES, IDLE(100), DONE(1, 0, 115));
  RUNS(BASE CELL SHARED("5") SAVES, IDLE(100), DONE(1, 0, 175));
  RUNS(BASE CELL SHARED("1000") YOUNG, IDLE(2000), DONE(1, 0, 2100));
  RUNS(BASE CELL SHARED("10") YOUNG, IDLE(2000), DONE(1, 0, 2125));
}

/* A star with 100 bytes a second and 1 s a link: a transfer has a latency of 2 s, and 8,000 bytes take 80 s.
 * At 30, 60: 2,800 and 5,800 bytes are sent. c-0 fails at 80, what was saved at 70 counts: 2 s to read, 2 s
 * of latency again, and 2,200 bytes are 22 s: 106, without another checkpoint. A parallel task of 100 s at
 * one rate with 40 % of it left has 40 s, and one more checkpoint. Processes on hosts of speeds 1 and 2 have
 * done 400 units each after 100 s and 50 s: at 60 s the second is done, and the first has 160 left. It is on
 * the fast host then, which comes first of those that are left: 20 s. */
static void what_went_on_goes_on(void **state)
{
#define STAR(latency) \
  "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100, latency: " latency \
  "}, disks: [" DISKS "]}\n"
#define PAIR(profile) \
  "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 4}, profile: " profile "}\n"
#define FOUR "cell: {use: hosts, classes: [{count: 4, name_prefix: c, cpus: 4}]}\n"
#define FAST \
  "cell: {use: hosts, classes: [{count: 1, name_prefix: c, cpus: 4}, {count: 1, name_prefix: f, cpus: 4, " \
  "speed: 2}, {count: 1, name_prefix: s, cpus: 4}]}\n"
#define HALF "checkpoint: {use: fixed, every: 30s, size: 125B, store: /pfs}\n"
  (void)state;
  RUNS(BASE FOUR STAR("1") HALF DOWN("{at: 80, hosts: c-0, change: down}"),
       PAIR("{communication_src_dst: {src: [0], dst: [1], size: 8000}}"), DONE(1, 80, 106));
  RUNS(BASE FOUR STAR("0") HALF DOWN("{at: 80, hosts: c-0, change: down}"),
       PAIR("{parallel_homogeneous: {cpu: 400, com: 4000}}"), DONE(1, 80, 127));
  RUNS(BASE FAST MODEL(DISKS) HALF DOWN("{at: 80, hosts: c-0, change: down}"),
       PAIR("{compute_homogeneous: 400}"), DONE(1, 80, 102));
}

/* Two tasks on one host in turns of 20 s, and checkpoints of 350 bytes, 7 s, after 18 s of work: the end of
 * the first turn of each comes while it writes, and what is left is written in its next one. */
static void a_suspended_task_does_not_write(void **state)
{
#define TURNS \
  "source: {use: native, file: FILE}\nparanoid: true\npolicy: {use: gang, quantum: 20s}\nmetrics: [tasks]\n" \
  "cell: {use: hosts, classes: [{count: 1, name_prefix: c, cpus: 4}]}\n" MODEL( \
      DISKS) "checkpoint: {use: fixed, every: 18s, size: 350B, store: /pfs}\n"
  (void)state;
  /* 1 has 0-20, 40-60, 80-: work 0-18, write 18-20 and 40-45, work 45-60 and 80-83, write 83-90, and the last
   * 4 s of 40 until 94; 2 has 20-40, 60-80 and what is left, from 94 on: work 20-38, write 38-40 and 60-65,
   * work 65-80 and 94-97, write until 104, and 4 s until 108. */
  RUNS(TURNS, TASK(1, 0, "profile: {idle: 40}") TASK(2, 0, "profile: {compute_homogeneous: 160}"),
       DONE(1, 0, 94), DONE(2, 20, 108));
}

/* A computation of which half cannot be shared takes 62.5 s on 4 cores and 75 s on 2. It has 4 of c-0, and
 * 30 s of it are saved when c-0 fails at 40; task 3 has 2 of c-1, from 21 to 121 and for three checkpoints
 * more. So 52 % are left, 39 s on 2 cores: 40 + 5 + 39 + 5. */
static void the_same_part_is_left_on_other_cores(void **state)
{
  (void)state;
  RUNS(BASE CELL MODEL("") "checkpoint: {use: fixed, every: 30s, write: 5s}\n" DOWN(
           "{at: 40, hosts: c-0, change: down}"),
       "- {id: 1, submit_time: 0, resources: {cpu_per_node: 2}, max_cores: 4, profile: {type: "
       "compute_homogeneous, args: {compute_work: 100, speedup: {amdahl: 0.5}}}}\n"
       "- {id: 2, submit_time: 1, resources: {cpu_per_node: 2}, delay: 20}\n"
       "- {id: 3, submit_time: 21, resources: {cpu_per_node: 2}, delay: 100}\n",
       DONE(1, 40, 89), DONE(2, 1, 21), DONE(3, 21, 136));
}

/* A task of 8 cores is on two hosts at first, and without c-0 on three, with 4, 2 and 2 of them. Processes
 * that are alike, and write nothing to a store, go on: 160 of 400 are left of each, 80 s on 2 cores, with
 * checkpoints after 30 s and 60 s: 80 + 5 + 80 + 10. Those that write to a store are other ones. */
static void other_hosts_may_not_do(void **state)
{
#define WIDE \
  "source: {use: native, file: FILE}\nmetrics: [tasks]\npolicy: {select: scan, place: first_fit}\n" \
  "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4}, {count: 2, name_prefix: d, cpus: 2}]}\n"
#define EIGHT(profile) "- {id: 1, submit_time: 0, procs: 8, profile: " profile "}\n"
  bench b;
  (void)state;
  RUNS(WIDE MODEL(DISKS) "checkpoint: {use: fixed, every: 30s, write: 5s}\n" DOWN(
           "{at: 80, hosts: c-0, change: down}"),
       EIGHT("{compute_homogeneous: 400}"), DONE(1, 80, 175));
  check(&b, try_text(&b, WIDE MODEL(DISKS) SAVES DOWN("{at: 80, hosts: c-0, change: down}"),
                     EIGHT("{compute_homogeneous: 400}")));
  const hc_rc rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc >= 0 || !strstr(b.error.text, "a checkpoint of 2 processes")) fail_msg("%s", b.error.text);
  end(&b);
}

static void must_refuse(const char *yaml, const char *tasks, const char *text)
{
  bench b;
  hc_rc got = try_text(&b, yaml, tasks);
  if (got >= 0) got = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (got >= 0 || !strstr(b.error.text, text)) fail_msg("%s", b.error.text);
  end(&b);
}

static void mistakes_are_named(void **state)
{
  const char *task = TASK(1, 0, "profile: {idle: 100}");
  (void)state;
  must_refuse(BASE CELL "checkpoint: {use: fixed, every: 30s, store: /pfs}\n", task, "is what tasks with");
  must_refuse(BASE CELL MODEL(DISKS) "checkpoint: {use: fixed, every: 30s, store: /pfs, bandwidth: 5}\n",
              task, "leave out `bandwidth`");
  must_refuse(BASE CELL MODEL(DISKS) "checkpoint: {use: fixed, every: 30s, store: pfs}\n", task,
              "is no path");
  must_refuse(BASE CELL MODEL(DISKS) "checkpoint: {use: fixed, every: 30s, size: 1B, store: /nfs}\n", task,
              "has no store /nfs");
  must_refuse(BASE CELL MODEL(DISKS) "checkpoint: {use: fixed, every: 30s, size: 1B, store: disk}\n", task,
              "has no store without a path");
  must_refuse(BASE CELL
              "execution: activities\ncheckpoint: {use: fixed, every: 30s, size: 1B, store: disk}\n",
              task, "and there is none");
  must_refuse(BASE "cell: {use: count, procs: 4}\nexecution: activities\n"
                   "checkpoint: {use: fixed, every: 3s, size: 1B, store: disk}\n",
              "- {id: 1, submit_time: 0, procs: 2, profile: {idle: 100}}\n", "and there is none");
  must_refuse(BASE CELL MODEL(
                  "{shared: true, mount: /pfs, capacity: 100, read_bandwidth: 1, write_bandwidth: 1}") SAVES,
              task, "no room for a checkpoint of 250 bytes");
  must_refuse(BASE CELL
              "execution: {use: activities, overcommit: [cpu=2]}\ncheckpoint: {use: fixed, every: 3s}\n",
              task, "Leave out `overcommit`");
  must_refuse(BASE CELL MODEL(DISKS) "checkpoint: {use: young, mtbf: 1d, store: /pfs}\n", task,
              "knows no time between checkpoints");
  must_refuse(
      BASE CELL MODEL("{read_bandwidth: 1, write_bandwidth: 1}") "checkpoint: {use: fixed, every: 30s}\n",
      TASK(1, 0, "profile: {sequence: [{disk_ops: {write_size: 5}}, {disk_ops: {discard_size: 5}}]}"),
      "discard");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_checkpoint_takes_what_the_store_takes),
      cmocka_unit_test(those_that_write_at_once_share_the_store),
      cmocka_unit_test(a_lost_task_goes_on_from_its_last_checkpoint),
      cmocka_unit_test(there_may_be_two_levels),
      cmocka_unit_test(a_limit_counts_work),
      cmocka_unit_test(formulas_know_what_the_store_takes),
      cmocka_unit_test(hosts_that_share_their_disks),
      cmocka_unit_test(what_went_on_goes_on),
      cmocka_unit_test(a_suspended_task_does_not_write),
      cmocka_unit_test(the_same_part_is_left_on_other_cores),
      cmocka_unit_test(other_hosts_may_not_do),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
