/* test_yt_modules.c -- modules of hosts under the policy yt, by hand: which module an operation is bound
 * to, when it moves, and for which others it has to go.
 *
 * Hosts have eight GPUs and report each second, the lowest first; ticks are at each second, so what
 * arrives at 0.1 is seen, bound and offered at 1. */
#include "../engine/engine_test.h"
#include "hindcast/run.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, gpu: gpu, count: n, job: job, " \
  "user: user}\nmetrics: [tasks]\nparanoid: true\n" \
  "architecture: {use: heartbeat, phase: zero, period: 1s}\n"
#define TITLES "id,at,run,cpu,gpu,n,job,user\n"
#define POLICY(options) "policy: {use: yt, update: 1s, starving_after: 1h, " options "}\n"
/* Two centres of two hosts. */
#define FOUR \
  SOURCE "cell: {use: hosts, zones: [{name: dc, size: 2}], classes: [{count: 4, name_prefix: g, cpus: 8, " \
         "gpus: 8}]}\n"

static void run_in(bench *b, const char *yaml, const char *tasks, uint64_t pieces)
{
  check(b, try_text(b, yaml, tasks));
  if (pieces > 0) finish_in_pieces(b, pieces);
  else finish(b);
}

static void assert_text_starts(const char *yaml, const char *tasks, const int64_t *starts, size_t count)
{
  static const uint64_t pieces[] = {0, 1, 7};
  for (size_t k = 0; k < COUNT(pieces); k++) {
    bench b;
    run_in(&b, yaml, tasks, pieces[k]);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != starts[i])
        fail_msg("%s\ntask %zu starts at %" PRId64 ", should at %" PRId64, yaml, i + 1,
                 start_of(&b, (int64_t)i + 1), starts[i]);
    end(&b);
  }
}
#define STARTS(yaml, tasks, ...) \
  assert_text_starts(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* Operation 1 (a host, 100 s), 2 (two hosts, 100 s), 3 (two hosts, 50 s), 4 (half a host, 20 s), 5 (two
 * hosts, 60 s): examples/yt-modules.yaml. */
#define FIVE \
  TITLES "1,0.1,100,8,8,1,1,1\n2,10.1,100,8,8,1,2,2\n3,10.1,100,8,8,1,2,2\n4,20.1,50,8,8,1,3,3\n" \
         "5,20.1,50,8,8,1,3,3\n6,30.1,20,4,4,1,4,4\n7,40.1,60,8,8,1,5,5\n8,40.1,60,8,8,1,5,5\n"
#define POOLS "pools: [{name: urgent, users: [5]}, {name: research, users: [1, 2, 3, 4]}], "

/* 1 goes to dc0, of two empty ones the first, 2 to dc1, where alone two hosts are left. 3 and 5 have room
 * nowhere; half a host is no whole one, and runs on the empty host of dc0. At 101 operation 1 ends, which the
 * tick at 102 sees: of two that want two hosts 3 came first. 5 gets dc1, of which 2 ends at 111. Without
 * modules tasks go wherever there is a host. */
static void test_an_operation_is_in_one_module(void **state)
{
  (void)state;
  STARTS(FOUR POLICY("modules: [dc]"), FIVE, 1, 11, 11, 102, 102, 31, 112, 112);
  STARTS(FOUR POLICY("modules: [dc], knob: 0"), FIVE, 1, 11, 11, 102, 102, 31, 112, 112);
  STARTS(FOUR POLICY("operation: job"), FIVE, 1, 11, 11, 21, 71, 101, 111, 111);
}

/* Operation 5 waits for a module from the tick at 41 on, and for longer than 30 s at 72. In dc0 eight GPUs
 * have to go, in dc1 sixteen: so 1 loses dc0. Its task is stopped when g-0 is offered at 72, behind what
 * starts: 5 has g-1 at 72, and g-0 at 73. Operation 3, of more GPUs, gets dc1 when 2 has ended at 111; 1
 * begins anew at 133: of 5 a task has ended at 132, which the tick at 133 sees, and the other ends then. */
static void test_priority_takes_a_module(void **state)
{
  bench b;
  (void)state;
  STARTS(FOUR POLICY(POOLS "modules: [dc], module_priority: [urgent], module_patience: 30s"), FIVE, 133, 11,
         11, 112, 112, 31, 72, 73);
  run_in(&b, FOUR POLICY(POOLS "modules: [dc], module_priority: [urgent], module_patience: 30s"), FIVE, 0);
  assert_int_equal((int)figure(&b, "yt_module_evictions"), 1);
  assert_int_equal((int)figure(&b, "yt_module_binds"), 5); /* 1 twice, 2, 3, 5 */
  assert_int_equal((int)figure(&b, "yt_module_moves"), 0);
  assert_int_equal((int)figure(&b, "yt_preempted"), 1);
  end(&b);
  /* none but operations of other pools go: all are in `urgent` */
  STARTS(FOUR POLICY("pools: [{name: urgent, users: [1, 2, 3, 4, 5]}], modules: [dc], module_priority: "
                     "[urgent], module_patience: 30s"),
         FIVE, 1, 11, 11, 102, 102, 31, 112, 112);
  /* patience that lasts until 101 */
  STARTS(FOUR POLICY(POOLS "modules: [dc], module_priority: [urgent], module_patience: 1h"), FIVE, 1, 11, 11,
         102, 102, 31, 112, 112);
}

/* Centres of eight hosts and of two. Operation 1 takes four, which only the great one has, and 2 takes
 * one: there 3 of 8 are left then, here 1 of 2; 5 of 8 are taken then, or 1 of 2. So 2 is in the great one
 * by most room, and in the small one by the others; and 3, which takes four, has room in the great one
 * only if 2 is not there. With operation 1 of one host and 3 of eight, only least room, which leaves 1 of
 * 2 there, keeps the great one empty: 1 of 8 taken is less than 1 of 2. */
#define TEN \
  SOURCE \
  "cell: {use: hosts, zones: [{name: dc, sizes: [8, 2]}], classes: [{count: 10, name_prefix: g, cpus: " \
  "8, gpus: 8}]}\n"
#define ONE(id, at, run, job) id "," at "," run ",8,8,1," job "," job "\n"
#define CHOICES \
  TITLES ONE("1", "0.1", "900", "1") ONE("2", "0.1", "900", "1") ONE("3", "0.1", "900", "1") \
      ONE("4", "0.1", "900", "1") ONE("5", "10.1", "100", "2") ONE("6", "20.1", "900", "3") \
          ONE("7", "20.1", "900", "3") ONE("8", "20.1", "900", "3") ONE("9", "20.1", "900", "3")

#define EIGHTS \
  TITLES ONE("1", "0.1", "100", "1") ONE("2", "20.1", "900", "3") ONE("3", "20.1", "900", "3") \
      ONE("4", "20.1", "900", "3") ONE("5", "20.1", "900", "3") ONE("6", "20.1", "900", "3") \
          ONE("7", "20.1", "900", "3") ONE("8", "20.1", "900", "3") ONE("9", "20.1", "900", "3")

static void test_choices(void **state)
{
  (void)state;
  STARTS(TEN POLICY("modules: [dc]"), CHOICES, 1, 1, 1, 1, 11, 112, 112, 112, 112);
  STARTS(TEN POLICY("modules: [dc], module_choice: least_room"), CHOICES, 1, 1, 1, 1, 11, 21, 21, 21, 21);
  STARTS(TEN POLICY("modules: [dc], module_choice: least_loaded"), CHOICES, 1, 1, 1, 1, 11, 21, 21, 21, 21);
  STARTS(TEN POLICY("modules: [dc], module_choice: least_room"), EIGHTS, 1, 21, 21, 21, 21, 21, 21, 21, 21);
  STARTS(TEN POLICY("modules: [dc], module_choice: least_loaded"), EIGHTS, 1, 102, 102, 102, 102, 102, 102,
         102, 102);
}

/* One centre of four hosts: of operation 1 two, of 2 and 3 one each, 3 the last to come. Operation 4 is
 * urgent, seen at 11, and over its patience at the tick at 22. For one host 3 goes, of the smallest the
 * last: its task is stopped at 22, and 4 starts when its host reports next. It ends at 123, which the tick
 * at 124 sees. For two hosts 1 goes, which alone is enough; for three 1 and 3. */
#define ONE_CENTRE \
  SOURCE "cell: {use: hosts, zones: [{name: dc, size: 4}], classes: [{count: 4, name_prefix: g, cpus: 8, " \
         "gpus: 8}]}\n"
#define URGENT \
  POLICY("modules: [dc], module_priority: [u], module_patience: 10s, pools: [{name: u, users: [4]}]")
#define THREE \
  TITLES ONE("1", "0.1", "900", "1") ONE("2", "0.1", "900", "1") ONE("3", "0.1", "900", "2") \
      ONE("4", "5.1", "900", "3")

static void test_which_go(void **state)
{
  (void)state;
  STARTS(ONE_CENTRE URGENT, THREE ONE("5", "10.1", "100", "4"), 1, 1, 1, 124, 23);
  STARTS(ONE_CENTRE URGENT, THREE ONE("5", "10.1", "100", "4") ONE("6", "10.1", "100", "4"), 124, 124, 1, 6,
         23, 23);
  STARTS(ONE_CENTRE URGENT,
         THREE ONE("5", "10.1", "100", "4") ONE("6", "10.1", "100", "4") ONE("7", "10.1", "100", "4"), 124,
         124, 1, 124, 23, 23, 23);
}

/* Halves of hosts are taken for 200 s in dc0: of g-0 and g-1, or of g-0 alone. The last operation is bound
 * to dc0, since only what is bound counts, and waits from 11 on; it has waited for longer than 20 s at 32,
 * and dc1 has room. If a task of it runs on g-1 that is stopped at 32, and both start when the tick at 33
 * has seen that it holds nothing. */
#define BOTH_TAKEN \
  TITLES "1,0.1,200,8,4,1,1,1\n2,0.1,200,8,4,1,2,2\n3,10.1,50,8,8,1,3,3\n4,10.1,50,8,8,1,3,3\n"
#define ONE_TAKEN TITLES "1,0.1,200,8,4,1,1,1\n2,10.1,50,8,8,1,3,3\n3,10.1,50,8,8,1,3,3\n"

static void test_it_moves(void **state)
{
  bench b;
  (void)state;
  STARTS(FOUR POLICY("modules: [dc], module_timeout: 20s"), BOTH_TAKEN, 1, 1, 32, 32);
  STARTS(FOUR POLICY("modules: [dc], module_timeout: never"), BOTH_TAKEN, 1, 1, 201, 201);
  STARTS(FOUR POLICY("modules: [dc], module_timeout: 20s, preemption: none"), BOTH_TAKEN, 1, 1, 32, 32);
  STARTS(FOUR POLICY("modules: [dc], module_timeout: 20s"), ONE_TAKEN, 1, 33, 33);
  STARTS(FOUR POLICY("modules: [dc], module_timeout: 20s, preemption: none"), ONE_TAKEN, 1, 11, 61);
  run_in(&b, FOUR POLICY("modules: [dc], module_timeout: 20s"), ONE_TAKEN, 0);
  assert_int_equal((int)figure(&b, "yt_module_moves"), 1);
  assert_int_equal((int)figure(&b, "yt_preempted"), 1);
  end(&b);
}

/* Three hosts are more than any module has: as any other, and counted. With an amount of 24 GPUs an operation
 * of two hosts is as any other too: one of its tasks starts on the last host, and the other behind it. */
static void test_which_are_bound(void **state)
{
  static const char *const three = TITLES ONE("1", "0.1", "100", "1") ONE("2", "0.1", "100", "1")
      ONE("3", "0.1", "100", "1") ONE("4", "10.1", "50", "2") ONE("5", "10.1", "50", "2");
  bench b;
  (void)state;
  STARTS(FOUR POLICY("modules: [dc]"), three, 1, 1, 1, 101, 101);
  run_in(&b, FOUR POLICY("modules: [dc]"), three, 0);
  assert_int_equal((int)figure(&b, "yt_module_oversized"), 1);
  assert_int_equal((int)figure(&b, "yt_module_binds"), 1);
  end(&b);
  STARTS(FOUR POLICY("modules: [dc], module_amount: 24"), three, 1, 1, 1, 11, 61);
}

/* The hosts of a feature, and those of a set; the third host is in no module, and none that is bound uses it.
 * Operation 1 takes one host, and so a; 2 the other; 3 waits for one of them. A half starts on the third. */
#define NAMED(modules) \
  SOURCE \
  "cell: {use: hosts, sets: [{name: west, hosts: [b-0]}], classes: [{count: 1, name_prefix: a, cpus: 8, " \
  "gpus: 8, features: [east]}, {count: 2, name_prefix: b, cpus: 8, gpus: 8}]}\n" POLICY("modules: " modules)

static void test_names(void **state)
{
  (void)state;
  STARTS(NAMED("[east, west]"),
         TITLES ONE("1", "0.1", "100", "1") ONE("2", "10.1", "100", "2")
             ONE("3", "20.1", "50", "3") "4,30.1,20,8,4,1,4,4\n",
         1, 11, 102, 31);
}

/* A host of dc0 goes away from 5 to 50: an operation of two hosts finds room in dc1 alone, and the next waits
 * until it is back. */
static void test_hosts_that_go(void **state)
{
  static const char *const tasks = TITLES ONE("1", "10.1", "100", "1") ONE("2", "10.1", "100", "1")
      ONE("3", "20.1", "50", "2") ONE("4", "20.1", "50", "2");
  (void)state;
  STARTS(FOUR POLICY("modules: [dc]") "events: [{use: list, changes: [{at: 5, hosts: g-0, change: down, "
                                      "until: 50}]}]\n",
         tasks, 11, 11, 51, 51);
}

static void assert_refused(const char *yaml, const char *text)
{
  bench b;
  assert_true(try_text(&b, yaml, FIVE) < 0);
  if (!strstr(b.error.text, text)) fail_msg("%s\nsays: %s", yaml, b.error.text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused(FOUR POLICY("module_amount: 8"), "name them");
  assert_refused(FOUR POLICY("module_timeout: 1m"), "name them");
  assert_refused(FOUR POLICY("modules: [dc], module_patience: 1m"), "module_priority");
  assert_refused(FOUR POLICY("modules: [dc], operation: user"), "operation: job");
  assert_refused(FOUR POLICY(POOLS "modules: [dc], module_priority: [urgent], preemption: none"),
                 "preemption: normal");
  assert_refused(FOUR POLICY("modules: [dc], module_priority: [urgent]"), "no pool `urgent`");
  assert_refused(FOUR POLICY("modules: [mars]"), "no zone");
  assert_refused(NAMED("[west, west]"), "twice");
  assert_refused(SOURCE
                 "cell: {use: hosts, sets: [{name: west, hosts: [a-0]}], classes: [{count: 1, "
                 "name_prefix: a, cpus: 8, gpus: 8, features: [east]}]}\n" POLICY("modules: [east, west]"),
                 "one module at most");
  assert_refused(
      SOURCE "cell: {use: hosts, classes: [{count: 1, name_prefix: a, cpus: 8, features: [east]}]}\n" POLICY(
          "modules: [east]"),
      "no host of these modules has any");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_operation_is_in_one_module),
      cmocka_unit_test(test_priority_takes_a_module),
      cmocka_unit_test(test_choices),
      cmocka_unit_test(test_which_go),
      cmocka_unit_test(test_it_moves),
      cmocka_unit_test(test_which_are_bound),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_hosts_that_go),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
