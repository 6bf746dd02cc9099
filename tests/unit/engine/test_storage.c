/* test_storage.c -- what tasks read and write on the disks of their hosts, through whole runs: ends that are
 * drawn by hand, in one piece and saved and restored after each instant; room, limits, suspension, stops,
 * what is refused and where it says so. */
#include "scarce_test.h"
#include "tasks_test.h"

#include "hindcast/profile.h"

#define HOSTS "cell: {use: hosts, classes: [{name_prefix: c, count: 2, cpus: 4}]}\n"
#define WITH(...) "execution: {use: activities, cpu_speed: 1, disks: [" __VA_ARGS__ "]}\n"
#define DISK WITH("{read_bandwidth: 100, write_bandwidth: 50, capacity: 10000}")
#define READ(bytes) "{disk_ops: {read_size: " #bytes "}}"
#define WRITE(bytes) "{disk_ops: {write_size: " #bytes "}}"

static const hc_component *const own_profiles[4];
static const setting here = {.cell = HOSTS, .extra = own_profiles};

/* Two on one host share 100: 1 has 500 by 10, when 2 is done with its 500; its last 500 are alone. Reading
 * and writing do not slow each other, nor do two hosts. Both at once last as long as the longer. */
static void test_shared(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 1, 1, READ(1000)) ON(2, 0, 1, 1, READ(500)) ON(3, 0, 1, 2, WRITE(500))
           ON(4, 0, 1, 4, "{disk_ops: {read_size: 1000, write_size: 200}}"),
       DISK, 15, 10, 10, 10);
  /* Two processes, each on its own disk; then only the second, whose reads are worth half. */
  ENDS(ON(1, 0, 2, 1,
          "{sequence: [" READ(1000) ", {disk_ops: {processes: [1], read_size: 400, read_factor: 0.5}}, "
                                    "{idle: 2}]}"),
       DISK, 20);
}

/* One disk of both hosts: two processes with 50 each, beside a third from 0 on: 100 / 3 each until 30, when
 * all three have their 1000. Space is one, too: the second write of 501 fails, and its task when the first
 * is done. */
static void test_one_for_all(void **state)
{
#define ONE WITH("{read_bandwidth: 100, write_bandwidth: 50, capacity: 1000, shared: true}")
  (void)state;
  ENDS(ON(1, 0, 2, 1, READ(1000)) ON(2, 0, 1, 1, READ(1000)), ONE, 30, 30);
  ENDS(ON(1, 0, 2, 4, WRITE(400)) ON(2, 20, 2, 4, WRITE(501)) ON(3, 30, 1, 4, WRITE(1000)), ONE, 16, -30.02,
       50.02);
}

/* One at once: 1 reads until 10, 2 writes until 20, 3 reads until 30; the smallest first: 3 before 2. Two of
 * B(n) = 100, 40: each at 20. */
static void test_limits(void **state)
{
  const char *tasks = ON(1, 0, 1, 1, READ(1000)) ON(2, 0, 1, 1, WRITE(500)) ON(3, 0, 1, 1, READ(400));
  (void)state;
  ENDS(tasks, WITH("{read_bandwidth: 100, write_bandwidth: 50, operations: 1}"), 10, 20, 24);
  ENDS(tasks, WITH("{read_bandwidth: 100, write_bandwidth: 50, operations: 1, order: smallest}"), 10, 24, 14);
  ENDS(tasks, WITH("{read_bandwidth: 100, write_bandwidth: 50, reads: 1}"), 10, 10, 14);
  ENDS(ON(1, 0, 1, 1, READ(400)) ON(2, 0, 1, 1, READ(400)), WITH("{read_by: [100, 40], write_by: [1]}"), 20,
       20);
}

/* Capacity 1000. 1 writes 800 by 16, and has it until it ends at 26: so 2 fails at 10, and 3 at 20; 4 at 30
 * finds room. Kept, 4 fails too; but for what a task gives back itself. */
static void test_room(void **state)
{
  const char *tasks = ON(1, 0, 1, 1, "{sequence: [" WRITE(800) ", {idle: 10}]}") ON(2, 10, 1, 1, WRITE(300))
      ON(3, 20, 1, 1, "{sequence: [" WRITE(100) ", " WRITE(101) "]}") ON(4, 30, 1, 1, WRITE(300));
  (void)state;
  ENDS(tasks, WITH("{read_bandwidth: 100, write_bandwidth: 50, capacity: 1000}"), 26, -10, -22, 36);
  ENDS(tasks, WITH("{read_bandwidth: 100, write_bandwidth: 50, capacity: 1000, kept: always}"), 26, -10, -22,
       -30);
  ENDS(ON(1, 0, 1, 1, "{sequence: [" WRITE(800) ", {disk_ops: {discard_size: 700}}]}")
           ON(2, 20, 1, 1, WRITE(900)) ON(3, 50, 1, 1, WRITE(1))
               ON(4, 60, 1, 1, "{disk_ops: {discard_size: 1}}"),
       WITH("{read_bandwidth: 100, write_bandwidth: 50, capacity: 1000, kept: always}"), 16, 38, -50, -60);
  ENDS(ON(1, 5, 1, 1, READ(1001)) ON(2, 0, 1, 1, READ(1000)),
       WITH("{read_bandwidth: 100, write_bandwidth: 50, capacity: 1000}"), -5, 10);
}

/* In turns of 3 s each reads its 1000 in its own 10: suspended it takes nothing. With one at once 2 waits for
 * 1, which keeps its place while it is suspended: 1 reads [0,3) [6,9) [12,15) [18,19), and 2 from 19 on. */
static void test_turns(void **state)
{
  const char *tasks = ON(1, 0, 2, 4, READ(1000)) ON(2, 0, 2, 4, READ(1000));
  (void)state;
  ENDS(tasks, "policy: {use: gang, quantum: 3s}\n" DISK, 19, 20);
  ENDS(tasks,
       "policy: {use: gang, quantum: 3s}\n" WITH("{read_bandwidth: 100, write_bandwidth: 1, operations: 1}"),
       19, 29);
}

/* 1 and 2 write on host 0 with 25 each; at 4 host 1 goes, and 2, which is on it too, is stopped: its 100 are
 * free again, and 1 writes its last 400 with 50. What 2 left is nothing: 3 finds 500 of 1000. Where it is
 * kept its 100 stay, and 3 fails. */
static void test_stopped(void **state)
{
#define STOPPED(kept) \
  "host_loss: lost\nevents: {use: list, changes: [{at: 4, hosts: c-1, change: down}]}\n" WITH( \
      "{read_bandwidth: 100, write_bandwidth: 50, capacity: 1000, kept: " kept "}")
#define ONE_ON_0(id, at) \
  "- {id: " #id ", submit_time: " #at ", hosts: c-0, resources: {nodes_count: 1, cpu_per_node: 1}, profile: "
  const char *tasks = ONE_ON_0(1, 0) "{sequence: [" WRITE(500) ", {idle: 100}]}}\n" ON(2, 0, 2, 1, WRITE(500))
      ONE_ON_0(3, 20) WRITE(500) "}\n";
  (void)state;
  for (int kept = 0; kept < 2; kept++) {
    char file[64];
    bench b;
    check(&b, try_tasks(&b, file, tasks, kept ? STOPPED("always") : STOPPED("task")));
    finish_in_pieces(&b, 1);
    assert_int_equal(end_of(&b, 1), 112);
    assert_int_equal(end_of(&b, 2), 4);
    assert_int_equal(end_of(&b, 3), kept ? 20 : 30);
    end(&b);
    (void)unlink(file);
  }
}

/* ---- what a profile may do: profiles of the test's own ---- */

typedef struct none {
  int64_t unused;
} none;

/* Reads; has no patience: 100 s of it are stopped at 3, and 40 are read after. */
static hc_rc impatient(hc_profile *p)
{
  uint64_t *s = p->state;
  HC_PROFILE_BEGIN(p);
  s[0] = p->calls->read(p, 0, 10000, 1);
  HC_WAIT_ALL_FOR(p, 3 * HC_SECOND);
  assert_true(p->timed_out);
  p->calls->cancel(p, s[0]);
  (void)p->calls->read(p, 0, 400, 2);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.tag, 2);
  HC_PROFILE_END(p);
}

/* What it writes on process 1 is cancelled when that is released, and more there fails; what has no room
 * fails with the tag that it has, and may be tried again with less. */
static hc_rc copes(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  (void)p->calls->write(p, 1, 5000, 7);
  (void)p->calls->write(p, 0, 1e9, 8);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.tag, 8);
  assert_int_equal(p->ended.how, HC_ACT_FAILED);
  (void)p->calls->write(p, 0, 250, 9);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.tag, 9);
  assert_false(p->calls->discard(p, 0, 251));
  assert_true(p->calls->discard(p, 0, 250));
  p->calls->release(p, 1);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.tag, 7);
  assert_int_equal(p->ended.how, HC_ACT_CANCELLED);
  (void)p->calls->read(p, 1, 1, 10);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.how, HC_ACT_FAILED);
  assert_int_equal(p->failures, 3);
  p->failures = 0;
  HC_PROFILE_END(p);
}

static hc_rc alike(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  (void)p->calls->read(p, 0, 1, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

#define OWN(function, uniform) \
  static const hc_profile_type own_##function = { \
      .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = #function, \
                    .summary = "of the test", .options_size = sizeof(none)}, \
      .state_size = 8, \
      .is_uniform = uniform, \
      .resume = function}
OWN(impatient, false);
OWN(copes, false);
OWN(alike, true);
static const hc_component *const own_profiles[4] = {&own_impatient.component, &own_copes.component,
                                                    &own_alike.component, NULL};

static void test_calls(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 1, 1, "impatient") ON(2, 100, 2, 1, "copes") ON(3, 200, 1, 1, "alike"), DISK, 7, 105, 200.01);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
  const char *one = ON(7, 0, 2, 1, READ(1));
  (void)state;
  assert_refused(one, "execution: activities\n", HC_EUNSUPPORTED,
                 "number 0, has no disk: say under execution.disks");
  assert_refused(one, WITH("{hosts: c-0, read_bandwidth: 1, write_bandwidth: 1}"), HC_EUNSUPPORTED,
                 "process 1, whose host, number 1, has no disk");
  assert_refused("- {id: 7, submit_time: 0, procs: 2, profile: " READ(1) "}\n",
                 "cell: {use: count, procs: 8}\n" DISK, HC_EUNSUPPORTED, "this cell counts processors");
  assert_refused("- {id: 7, submit_time: 0, procs: 2, profile: " READ(1) "}\n",
                 "cell: {use: count, procs: 8}\nexecution: activities\n", HC_EUNSUPPORTED,
                 "a cell that counts processors has no disks");
  assert_refused(one, WITH("{read_bandwidth: -1, write_bandwidth: 1}"), HC_EUSAGE, "at least 1, got \"-1\"");
  assert_refused(one, WITH("{read_bandwidth: 1, write_bandwidth: 0}"), HC_EUSAGE, "at least 1, got \"0\"");
  assert_refused(one, WITH("{read_bandwidth: 1, write_bandwidth: 1, reads: 0}"), HC_EUSAGE, "from 1 to");
  assert_refused(one, WITH("{read_bandwidth: 1}"), HC_EUSAGE, "needs `write_bandwidth`");
  assert_refused(one, WITH("{read_bandwidth: 1, write_bandwidth: 1, write_by: [2]}"), HC_EUSAGE,
                 "leave one out");
  assert_refused(one, WITH("{hosts: d, read_bandwidth: 1, write_bandwidth: 1}"), HC_EUSAGE,
                 "no host or class");
  assert_refused(
      one,
      WITH("{read_bandwidth: 1, write_bandwidth: 1}, {hosts: c-1, read_bandwidth: 1, write_bandwidth: 1}"),
      HC_EUSAGE, "two entries give a disk to the host c-1");
  assert_refused(ON(7, 0, 1, 1, "{disk_ops: {processes: [1], read_size: 1}}"), DISK, HC_EINPUT,
                 "processes names 1");
  assert_refused(ON(7, 0, 1, 1, "{disk_ops: {read_size: -1}}"), DISK, HC_EUSAGE, "read_size");
  assert_refused(ON(7, 0, 2, 1, "alike"), DISK, HC_EINPUT, "treats processes alike");
}

/* Each allocation of a small run fails once: an error, and nothing is lost. */
static void test_scarce(void **state)
{
  const char *tasks = ON(1, 0, 2, 1, READ(1000)) ON(2, 0, 1, 1, WRITE(500)) ON(3, 0, 1, 1, WRITE(100));
  char text[512], file[64];
  (void)state;
  write_log(file, tasks, strlen(tasks));
  (void)snprintf(text, sizeof text, "metrics: []\nsource: {use: native, file: %s}\n%s%s", file, HOSTS,
                 WITH("{read_by: [100, 50], write_bandwidth: 50, operations: 1, capacity: 1000}"));
  assert_scarce(text);
  (void)unlink(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared),  cmocka_unit_test(test_limits),      cmocka_unit_test(test_room),
      cmocka_unit_test(test_turns),   cmocka_unit_test(test_stopped),     cmocka_unit_test(test_calls),
      cmocka_unit_test(test_refused), cmocka_unit_test(test_one_for_all), cmocka_unit_test(test_scarce)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
