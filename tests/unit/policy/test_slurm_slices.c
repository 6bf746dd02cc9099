/* test_slurm_slices.c -- the gang scheduler under the policy slurm: beside what slurmctld did, and by
 * hand. */
#include "slurm_recorded_test.h"

/* ---- beside slurmctld ---- */

static const recorded all[] = {
#include "oracles/slurm/sliced.inc"
};

static const char qualities[] =
    "Name|Priority|Preempt|PreemptMode\nlowq|1||cluster\nhighq|100|lowq|cluster\n";

/* Slices began 17 s after the first start in all cases but these. */
static const char *phase_of(const recorded *c)
{
  if (strcmp(c->name, "plans") == 0) return "slices_at: 8s";
  return strcmp(c->name, "qos") == 0 ? "slices_at: 1.7s" : "slices_at: 7s";
}

/* The backfill plans in steps of a minute of the clock on the wall: the first job started 46 s past one. */
static const char *clock_of(const recorded *c)
{
  return strcmp(c->name, "plans") == 0 ? "unix_start: 46\n" : NULL;
}

#define MOST_PAUSES 256

/* When a task was suspended and resumed. */
typedef struct pauses {
  struct {
    int64_t at[MOST_PAUSES];
    bool holds[MOST_PAUSES];
    size_t count;
  } of[9]; /* by the task's number */
} pauses;

/* A row of `rates`: serial, when, rate, what it holds. */
static hc_rc note_pause(void *ctx, const char *const *row)
{
  pauses *p = ctx;
  const size_t id = (size_t)strtoull(row[0], NULL, 10) + 1;
  const int64_t at = strtoll(row[1], NULL, 10);
  assert_true(id < COUNT(p->of) && p->of[id].count < MOST_PAUSES);
  const size_t n = p->of[id].count;
  assert_true(n == 0 || p->of[id].at[n - 1] < at); /* for no time it is not suspended */
  p->of[id].at[n] = at;
  p->of[id].holds[n] = strtoll(row[3], NULL, 10) != 0;
  p->of[id].count++;
  return 0;
}

static void find_pauses(bench *b, pauses *out)
{
  hc_result *r;
  *out = (pauses){0};
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "rates", 4, note_pause, out, &b->error));
  hc_result_free(r);
}

/* Of one job all pauses up to the record's end, in their order. */
static void compare_pauses(const recorded *c, const pauses *p, int64_t id, double end)
{
  size_t n = 0;
  for (size_t i = 0; i < COUNT(c->facts) && (i == 0 || c->facts[i].job > 0); i++) {
    const fact *f = &c->facts[i];
    if (f->job != id || !is_pause(f)) continue;
    const double at = n < p->of[id].count ? (double)p->of[id].at[n] / 1e9 : -1;
    if (n == p->of[id].count || p->of[id].holds[n] != (f->kind == RESUMED) || !is_near(at, f))
      fail_msg("%s: job %" PRId64 ": pause %zu is at %.1f s, slurmctld's at %.1f s", c->name, id, n + 1, at,
               f->at);
    n++;
  }
  if (n < p->of[id].count && (double)p->of[id].at[n] / 1e9 < end - NEAR)
    fail_msg("%s: job %" PRId64 " has a pause at %.1f s, under slurmctld none", c->name, id,
             (double)p->of[id].at[n] / 1e9);
}

/* Each job starts, and is suspended and resumed, within 4 s of when it did. */
static void compare(const recorded *c, const char *path)
{
  char conf[1024], tasks[2048], keys[256], log[64];
  double last = 0;
  bench b;
  pauses p;
  (void)snprintf(conf, sizeof conf, "%sAuthInfo=cred_expire=10\nMessageTimeout=60\n", c->conf);
  (void)snprintf(keys, sizeof keys, "%s, accounting: [%s]", phase_of(c), path);
  put_jobs(c, tasks, sizeof tasks);
  begin_run(&b, &(const given){conf, keys, clock_of(c)}, tasks, log);
  finish(&b);
  find_pauses(&b, &p);
  for (size_t i = 0; i < COUNT(c->facts); i++) last = c->facts[i].at > last ? c->facts[i].at : last;
  for (size_t i = 0; i < COUNT(c->jobs) && c->jobs[i].id > 0; i++) {
    const int64_t id = c->jobs[i].id;
    const double at = (double)record_of(&b, id)->start / 1e9;
    bool has_started = false, has_gone = false;
    for (size_t k = 0; k < COUNT(c->facts); k++) {
      const fact *f = &c->facts[k];
      if (f->job == id && f->kind == REQUEUED) has_gone = true;
      if (f->job != id || f->kind != START || has_gone) continue;
      has_started = true;
      bool goes_on = true;
      for (size_t q = k; q < COUNT(c->facts); q++)
        if (c->facts[q].job == id && c->facts[q].kind == REQUEUED) goes_on = false;
      if (goes_on && !is_near(at, f))
        fail_msg("%s: job %" PRId64 " starts at %.1f s, under slurmctld at %.1f s", c->name, id, at, f->at);
    }
    if (!has_started && at < last - NEAR)
      fail_msg("%s: job %" PRId64 " starts at %.1f s, under slurmctld it did not", c->name, id, at);
    compare_pauses(c, &p, id, last);
  }
  end(&b);
  (void)unlink(log);
}

static void test_as_slurmctld_did(void **state)
{
  (void)state;
  compare_all(all, COUNT(all), qualities, compare);
}

/* ---- by hand ---- */

#define GANG "PreemptMode=GANG\nSchedulerTimeSlice=10\nNodeName=n[0-1] CPUs=4\n"

static void run(bench *b, const char *conf, const char *keys, const char *tasks, pauses *p)
{
  char path[64];
  begin_run(b, &(const given){conf, keys, NULL}, tasks, path);
  finish(b);
  find_pauses(b, p);
  (void)unlink(path);
}

/* One node, two rows: 1 and 2 start at 0, and 3 waits. 1 has come first, and keeps its turn at 10; they
 * change at 20, 30 ... 1 runs for 0-20, 30-40 and from 50 until 55. 2 goes on then, and 3 starts and is
 * suspended. 2 has run for 20-30, 40-50 and 55-60; then 3 runs, until 70. */
static void test_two_take_turns(void **state)
{
  static const char conf[] = BUILTIN "PreemptMode=GANG\nSchedulerTimeSlice=10\nNodeName=n0 CPUs=4\n"
                                     "PartitionName=all Nodes=n0 OverSubscribe=FORCE:2\n";
  static const char tasks[] =
      T_IN(1, 0, 35, 200, 1, 4, "all") T_IN(2, 0, 25, 200, 1, 4, "all") T_IN(3, 0, 10, 200, 1, 4, "all");
  bench b;
  pauses p;
  (void)state;
  run(&b, conf, NULL, tasks, &p);
  assert_int_equal(record_of(&b, 1)->start, 0);
  assert_int_equal(record_of(&b, 2)->start, 0);
  assert_int_equal(end_of(&b, 1), 55);
  assert_int_equal(end_of(&b, 2), 60);
  assert_int_equal(end_of(&b, 3), 70);
  end(&b);
  RUN(conf, NULL, NULL, tasks, 0, 0, 55000);
}

#define ONE(more) \
  BUILTIN "PreemptMode=GANG\nSchedulerTimeSlice=10\nNodeName=n0 CPUs=4 RealMemory=1000\n" \
          "PartitionName=all Nodes=n0 OverSubscribe=" more "\n"
#define T_OF(id, run, cpus, more) \
  "- {id: " #id ", submit_time: 0, delay: " #run \
  ", limit: 200, partition: all, resources: {nodes_count: 1, " \
  "cpu_per_node: " #cpus more "}\n"

/* FORCE:1 shares nothing among jobs of one tier, and YES, as under slurmctld, with any job that
 * comes. Without GANG both run at once, under YES if they ask for it. */
static void test_who_shares(void **state)
{
  static const char tasks[] = T_OF(1, 35, 4, "}") T_OF(2, 25, 4, "}");
  (void)state;
  RUN(ONE("FORCE:2"), NULL, NULL, tasks, 0, 0);
  RUN(ONE("YES:2"), NULL, NULL, tasks, 0, 0);
  RUN(ONE("FORCE:1"), NULL, NULL, tasks, 0, 35000);
  RUN(ONE("NO"), NULL, NULL, tasks, 0, 35000);
  RUN(ONE("EXCLUSIVE"), NULL, NULL, tasks, 0, 35000);
  RUN(ONE("FORCE:2") "PreemptMode=OFF\n", NULL, NULL, tasks, 0, 0);
  RUN(ONE("YES:2") "PreemptMode=OFF\n", NULL, NULL, tasks, 0, 35000);
  static const char ask[] = T_OF(1, 35, 4, "}, exclusive: never") T_OF(2, 25, 4, "}, exclusive: never");
  RUN(ONE("YES:2") "PreemptMode=OFF\n", NULL, NULL, ask, 0, 0);
}

/* Without GANG none is suspended: 1 and 2 run side by side for as long as they say, and 3 takes the place of
 * the one that ends first. To the engine the node has eight cores. */
static void test_beside_each_other(void **state)
{
  static const char tasks[] = T_OF(1, 35, 4, "}") T_OF(2, 25, 4, "}") T_OF(3, 10, 4, "}");
  bench b;
  pauses p;
  (void)state;
  run(&b, ONE("FORCE:2") "PreemptMode=OFF\n", NULL, tasks, &p);
  assert_int_equal(end_of(&b, 1), 35);
  assert_int_equal(end_of(&b, 2), 25);
  assert_int_equal(start_of(&b, 3), 25);
  assert_int_equal(end_of(&b, 3), 35);
  for (size_t id = 1; id <= 3; id++) assert_int_equal(p.of[id].count, 0);
  end(&b);
  RUN(ONE("FORCE:2") "PreemptMode=OFF\n", NULL, NULL, tasks, 0, 0, 25000);
}

/* Rows, and not cores that are free: 1 and 2 have cores 0 to 2 of the two rows, and 3, of two cores, finds
 * one free in each. Memory is each job's own: of 1000 MB two jobs of 600 have no room. */
static void test_rows_beside_each_other(void **state)
{
  static const char tasks[] = T_OF(1, 35, 3, "}") T_OF(2, 25, 3, "}") T_OF(3, 10, 2, "}") T_OF(4, 10, 1, "}");
  static const char large[] =
      T_OF(1, 35, 1, ", memory_per_node: 600MB}") T_OF(2, 25, 1, ", memory_per_node: 600MB}");
  (void)state;
  RUN(ONE("FORCE:2") "PreemptMode=OFF\n", NULL, NULL, tasks, 0, 0, 25000, 25000);
  RUN(ONE("FORCE:2") "PreemptMode=OFF\n", NULL, NULL, large, 0, 35000);
}

/* A job that has the node for itself has a row of it: 2 takes turns with 1 of two cores, and 3, of two, with
 * 2 but not with 1: all three run in two rows. */
static void test_alone_in_a_row(void **state)
{
  static const char tasks[] = T_OF(1, 35, 2, "}") T_OF(2, 25, 2, "}, exclusive: true") T_OF(3, 30, 2, "}");
  bench b;
  pauses p;
  (void)state;
  run(&b, ONE("FORCE:2"), NULL, tasks, &p);
  assert_int_equal(start_of(&b, 1), 0);
  assert_int_equal(start_of(&b, 2), 0);
  assert_int_equal(start_of(&b, 3), 0);
  assert_int_equal(end_of(&b, 1), 55); /* 0-20, 30-40, 50-55 */
  assert_int_equal(end_of(&b, 3), 40); /* 0-20, 30-40: beside 1 each time */
  end(&b);
}

/* With CR_Core_Memory jobs keep their memory when they have no turn: there is room for one. Else they give it
 * up, and take turns. */
static void test_memory(void **state)
{
  static const char tasks[] =
      T_OF(1, 35, 4, ", memory_per_node: 600MB}") T_OF(2, 25, 4, ", memory_per_node: 600MB}");
  (void)state;
  RUN(ONE("FORCE:2") "SelectTypeParameters=CR_Core_Memory\n", NULL, NULL, tasks, 0, 35000);
  RUN(ONE("FORCE:2") "SelectTypeParameters=CR_Core\n", NULL, NULL, tasks, 0, 0);
}

/* The node fails at 25, while 2 has its turn and 1 is suspended: both are lost with it, and start again at
 * 25 + 121, in the next pass over all. */
static void test_lost_without_a_turn(void **state)
{
  static const char tasks[] = T_OF(1, 100, 4, "}") T_OF(2, 100, 4, "}");
  static const char lost[] =
      "host_loss: requeue\n" EVENTS("{at: 25, hosts: n0, change: down}, {at: 30, hosts: n0, change: up}");
  (void)state;
  RUN(ONE("FORCE:2"), NULL, lost, tasks, 180000, 180000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_slurmctld_did),
      cmocka_unit_test(test_two_take_turns),
      cmocka_unit_test(test_who_shares),
      cmocka_unit_test(test_alone_in_a_row),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_lost_without_a_turn),
      cmocka_unit_test(test_beside_each_other),
      cmocka_unit_test(test_rows_beside_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
