/* test_moldable.c -- tasks whose size is settled when they start, through whole runs: which size each
 * component of kind `mold` chooses, under each selector that can, and how long the task is then.
 *
 * The cell has 10 processors where nothing else is said. Under Amdahl's law with 0.1
 *   S(n) = 1 / (0.1 + 0.9 / n):  S(2) = 20/11, S(4) = 40/13, S(6) = 4, S(7) = 4.375, S(8) = 80/17
 * and a task of 100 s on 4 processors takes 100 x S(4) / S(n) on n. */
#include "tasks_test.h"

#include "base/math.h"

static const setting here = {.cell = "cell: {use: count, procs: 10}\n"};

#define OWN(id, at, procs, delay, more) \
  "- {id: " #id ", submit_time: " #at ", procs: " #procs ", delay: " #delay more "}\n"
#define EASY(mold) "policy: {use: batch, select: easy, mold: " mold "}\n"
#define WITH(select, mold) "policy: {use: batch, select: " select ", mold: " mold "}\n"

static const double s4 = 40.0 / 13;

/* ---- one task alone: which size ---- */

#define LAW ", moldable: {min: 2, max: 8, preferred: 6, speedup: {amdahl: 0.1}}"
static void test_law(void **state)
{
  const char *task = OWN(1, 0, 4, 100, LAW);
  (void)state;
  TIMES(task, EASY("fewest"), {0, 100 * s4 * 11 / 20});
  TIMES(task, EASY("most"), {0, 100 * s4 * 17 / 80});
  TIMES(task, EASY("preferred"), {0, 100 * s4 / 4});
  TIMES(task, EASY("configured"), {0, 100});
  TIMES(task, "policy: easy\n", {0, 100});
  /* S(7) / 7 = 0.625, S(8) / 8 = 0.588; S(2) / 2 = 0.909: no size is above 0.95 */
  TIMES(task, EASY("{use: efficiency, threshold: 0.6}"), {0, 100 * s4 / 4.375});
  TIMES(task, EASY("{use: efficiency, threshold: 0.95}"), {0, 100 * s4 * 11 / 20});
  TIMES(task, EASY("earliest"), {0, 100 * s4 * 17 / 80});
}

/* Without a law the work stays what it is: 30 s on 4 are 120 on 1, and 15 on 8. The components of the
 * schedulers' jobs count, too: at most so many times as many, up to a part of the cell (0.6 of 10), what
 * there is room for. */
static void test_linear(void **state)
{
  const char *task = OWN(1, 0, 4, 30, ", moldable: {min: 1, max: 8}");
  (void)state;
  TIMES(task, EASY("fewest"), {0, 120});
  TIMES(task, EASY("most"), {0, 15});
  TIMES(task, EASY("{use: relative_job_size, factor: 1.5}"), {0, 20});
  TIMES(task, EASY("global_cap"), {0, 20});
  TIMES(OWN(1, 0, 5, 100, "") OWN(2, 0, 4, 30, ", moldable: {min: 1, max: 8}"), EASY("max_parallelism"),
        {0, 100}, {0, 24});
}

/* The law is of the roofline: linear up to 4, level beyond. An expression. A list of speed-ups, in any order.
 * */
static void test_laws(void **state)
{
  (void)state;
  TIMES(OWN(1, 0, 4, 30, ", moldable: {min: 1, max: 8, speedup: {roofline: 4}}"), EASY("most"), {0, 30});
  TIMES(OWN(1, 0, 2, 30, ", moldable: {min: 1, max: 8, speedup: {roofline: 4}}"), EASY("most"), {0, 15});
  TIMES(OWN(1, 0, 4, 30, ", moldable: {min: 1, max: 9, speedup: {expr: \"sqrt(n)\"}}"), EASY("most"),
        {0, 20});
  TIMES(
      OWN(1, 0, 1, 30, ", shapes: [{slots: 8, speedup: 5}, {slots: 1, speedup: 1}, {slots: 3, speedup: 2}]"),
      EASY("most"), {0, 6});
}

/* ---- times that are said ---- */

/* What the task asks for is its first shape: 60 s. It has the limit of its own shape, which ends it. */
#define SHAPES \
  "shapes: [{slots: 4, time: 60, limit: 50}, {slots: 8, time: 40, limit: 45}, {slots: 2, time: 110}]"
static void test_list(void **state)
{
  const char *task = "- {id: 1, submit_time: 0, " SHAPES "}\n";
  (void)state;
  TIMES(task, "policy: easy\n", {0, 50});
  TIMES(task, EASY("configured"), {0, 50});
  TIMES(task, EASY("most"), {0, 40});
  TIMES(task, EASY("fewest"), {0, 50}); /* of its own limit: it says none */
  /* It is one more beside those that are listed. */
  TIMES(OWN(1, 0, 3, 70, ", shapes: [{slots: 6, time: 45}]"), EASY("most"), {0, 45});
  TIMES(OWN(1, 0, 3, 70, ", shapes: [{slots: 6, time: 45}]"), EASY("fewest"), {0, 70});
}

/* What is preferred is one of them. */
static void test_preferred(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, shapes: [{slots: 4, time: 60}, {slots: 8, time: 40, preferred: true}]}\n",
        EASY("preferred"), {0, 40});
  TIMES("- {id: 1, submit_time: 0, shapes: [{slots: 4, time: 60}, {slots: 8, time: 40}]}\n",
        EASY("preferred"), {0, 60});
}

/* A limit that ends it in its own size ends it in each: 50 of 100 s on 4 are 25 on 8. One that does not, does
 * not. */
static void test_limit(void **state)
{
  (void)state;
  TIMES(OWN(1, 0, 4, 100, ", limit: 50, moldable: {min: 1, max: 8}"), EASY("most"), {0, 25});
  TIMES(OWN(1, 0, 4, 100, ", limit: 150, moldable: {min: 1, max: 8}"), EASY("most"), {0, 50});
}

/* ---- the earliest end: every size is asked of the timeline ---- */

/* 6 of 10 processors are taken until 30. On 4 now, 60 s: 70; on 8 from 30 on, 20 s: 50; on 2 now: 120. */
static void test_waits_for_more(void **state)
{
  const char *tasks =
      OWN(1, 0, 6, 30, "") "- {id: 2, submit_time: 10, shapes: [{slots: 4, time: 60}, {slots: 8, "
                           "time: 20}, {slots: 2, time: 110}]}\n";
  (void)state;
  TIMES(tasks, EASY("earliest"), {0, 30}, {30, 50});
  TIMES(tasks, WITH("conservative", "earliest"), {0, 30}, {30, 50});
  TIMES(tasks, WITH("blocking", "earliest"), {0, 30}, {30, 50});
  TIMES(tasks, WITH("scan", "earliest"), {0, 30}, {30, 50});
  TIMES(tasks, EASY("max_parallelism"), {0, 30}, {10, 70});
  TIMES(tasks, EASY("fewest"), {0, 30}, {10, 120});
}

/* Behind a head that is promised all 10 at 100: of 150 s on 2, 100 on 3 and 75 on 4 the last alone ends by
 * then; of 300, 200 and 150 none does, and it waits for the head, when 4 (of at most 4) end first. */
static void test_behind_a_head(void **state)
{
  (void)state;
  TIMES(OWN(1, 0, 6, 100, "") OWN(2, 1, 10, 10, "") OWN(3, 2, 2, 150, ", moldable: {min: 1, max: 4}"),
        EASY("earliest"), {0, 100}, {100, 110}, {2, 77});
  TIMES(OWN(1, 0, 6, 100, "") OWN(2, 1, 10, 10, "") OWN(3, 2, 2, 300, ", moldable: {min: 1, max: 4}"),
        EASY("earliest"), {0, 100}, {100, 110}, {110, 260});
  /* A rigid one is backfilled as ever: by its end, and on what the head leaves over. */
  TIMES(OWN(1, 0, 6, 100, "") OWN(2, 1, 8, 10, "") OWN(3, 2, 2, 90, "") OWN(4, 3, 2, 900, ""),
        EASY("earliest"), {0, 100}, {100, 110}, {2, 92}, {3, 903});
}

/* Conservative starts the second on 4 processors, from 1 to 101: on 8, from 100 on, it would end at 150. The
 * third is promised all of them from 101 on. For the fourth none is free before that is over: then it ends
 * first on 2. */
static void test_promises(void **state)
{
  (void)state;
  TIMES(OWN(1, 0, 6, 100, "") OWN(2, 1, 8, 50, ", moldable: {min: 4, max: 8}") OWN(3, 2, 10, 10, "")
            OWN(4, 3, 2, 4, ", moldable: {min: 1, max: 2}"),
        WITH("conservative", "earliest"), {0, 100}, {1, 101}, {101, 111}, {111, 115});
}

/* A task that ends early changes the future: the plan is made anew, and sizes with it. The second is promised
 * all 8 that it asks for at 100, and gets them at 10; the third, on the 2 that are free at 2, ends at 122 and
 * starts at once. Of the other two the second is promised 8 at 100, which end at 130: on 1 from 2 on it would
 * run 240. It starts at 10, on 8. */
static void test_planned_anew(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, procs: 8, delay: 10, limit: 100}\n"
        "- {id: 2, submit_time: 1, procs: 8, delay: 20, moldable: {min: 8, max: 8}}\n"
        "- {id: 3, submit_time: 2, procs: 4, delay: 60, moldable: {min: 2, max: 4}}\n",
        WITH("conservative", "earliest"), {0, 10}, {10, 30}, {2, 122});
  TIMES("- {id: 1, submit_time: 0, procs: 9, delay: 10, limit: 100}\n"
        "- {id: 2, submit_time: 2, procs: 4, delay: 60, moldable: {min: 2, max: 8}}\n",
        WITH("conservative", "earliest"), {0, 10}, {10, 40});
}

/* ---- by load ---- */

/* 10 free, 3 wait: 3 each, and 4 for the last. 40 s on 10 are 400 of work: 133.33 on 3, 100 on 4. */
#define FLAT(id) OWN(id, 0, 4, 100, ", moldable: {min: 1, max: 10}")
static void test_load(void **state)
{
  (void)state;
  TIMES(FLAT(1) FLAT(2) FLAT(3), WITH("scan", "load"), {0, 400.0 / 3}, {0, 400.0 / 3}, {0, 100});
  TIMES(FLAT(1), WITH("scan", "load"), {0, 40});
  TIMES(FLAT(1), WITH("blocking", "{use: load, share: 0.5}"), {0, 80});
  TIMES(FLAT(1) FLAT(2), EASY("load"), {0, 80}, {0, 80});
}

/* ---- on hosts ---- */

#define HOSTS "cell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 2}]}\n"
#define TWO "resources: {nodes_count: 2, cpu_per_node: 2}"
static void test_hosts(void **state)
{
  const char *task = "- {id: 1, submit_time: 0, " TWO ", delay: 30, moldable: {min: 1, max: 9}}\n";
  const char *tasks = "- {id: 1, submit_time: 0, resources: {nodes_count: 3, cpu_per_node: 2}, delay: 20}\n"
                      "- {id: 2, submit_time: 5, " TWO ", delay: 60, moldable: {min: 1, max: 4}}\n";
  (void)state;
  TIMES(task, HOSTS EASY("most"), {0, 15}); /* 9 hosts there are not: 4 */
  TIMES(task, HOSTS EASY("fewest"), {0, 60});
  TIMES(task, HOSTS WITH("conservative", "earliest"), {0, 15});
  /* 1 now: 125; 4 from 20 on: 50 */
  TIMES(tasks, HOSTS EASY("earliest"), {0, 20}, {20, 50});
  TIMES(tasks, HOSTS WITH("conservative", "earliest"), {0, 20}, {20, 50});
  TIMES(tasks, HOSTS WITH("scan", "max_parallelism"), {0, 20}, {20, 50}); /* never fewer than it asks for */
  /* Of hosts half as fast it is twice as long in each size. */
  TIMES(task, "cell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 2, speed: 0.5}]}\n" EASY("most"),
        {0, 30});
}

/* On intervals of processors places matter: of 3 and 3 free beside a task in the middle a contiguous start
 * has 3.
 */
static void test_places(void **state)
{
  (void)state;
  TIMES(OWN(1, 0, 4, 40, ", moldable: {min: 2, max: 16}"), "cell: {use: intervals, procs: 10}\n" EASY("most"),
        {0, 16});
  TIMES(OWN(1, 0, 3, 10, "") OWN(2, 0, 4, 100, "") OWN(3, 0, 3, 100, "") OWN(4, 20, 2, 30,
                                                                             ", moldable: {min: 1, "
                                                                             "max: 5}"),
        "cell: {use: intervals, procs: 10}\n"
        "policy: {use: batch, select: scan, place: contiguous, mold: most}\n",
        {0, 10}, {0, 100}, {0, 100}, {100, 112});
}

/* ---- what it meets ---- */

/* A host is lost at 5: the task begins anew, and its size is settled anew, on the 3 that are left. */
static void test_lost(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, " TWO ", delay: 30, moldable: {min: 1, max: 4}}\n",
        HOSTS
        "events: {use: list, changes: [{at: 5, hosts: c-0, change: down}]}\n" WITH("scan", "max_parallelism"),
        {5, 25});
}

/* It starts with 8, is resized to what is free at once, and its work is 400 all the same: the policy
 * malleable lets it grow from 8 to 10 when the first ends at 10: 80 of it are done, 320 are left for 10: 32
 * s. */
static void test_malleable_too(void **state)
{
  (void)state;
  TIMES(OWN(1, 0, 2, 10, "") OWN(2, 0, 4, 100, ", malleable: {min: 1, max: 10, when: [start, running]}"),
        "policy: {use: malleable, policy: {use: batch, select: easy, mold: max_parallelism}}\n", {0, 10},
        {0, 42});
}

/* ---- with a predictor: what it says is of the size that a task asks for ---- */

#define OF(user, id, at, procs, delay, limit, more) \
  "- {id: " #id ", submit_time: " #at ", user: " user ", procs: " #procs ", delay: " #delay \
  ", limit: " #limit more "}\n"
#define TO(most) ", moldable: {min: 1, max: " #most "}"

static void assert_believed(const char *tasks, const char *yaml, int64_t id, double start, double end_at,
                            double said)
{
  bench b;
  char file[64];
  begin_tasks(&b, file, tasks, yaml, 0);
  const hc_task_record *r = record_of(&b, id);
  if (!is_at(r->start, start) || !is_at(r->end, end_at) || !is_at(r->estimate, said))
    fail_msg("task %d: %.9f to %.9f, believed to run %.9f", (int)id, seconds_of(r->start), seconds_of(r->end),
             seconds_of(r->estimate));
  end(&b);
  (void)unlink(file);
}

typedef struct corrections {
  char text[4096];
  int64_t count;
} corrections;

static hc_rc take_correction(void *ctx, const char *const *values)
{
  corrections *c = ctx;
  const size_t n = strlen(c->text);
  c->count++;
  (void)snprintf(c->text + n, sizeof c->text - n, "%s at %s to %s;", values[0], values[1], values[2]);
  return 0;
}

static void read_corrections(bench *b, corrections *out)
{
  hc_result *r;
  *out = (corrections){0};
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "corrections", 3, take_correction, out, &b->error));
  hc_result_free(r);
}

/* User 1 runs 30 and 50 s on 4, which are 15 and 25 on the 8 that they get. So task 5 is predicted 40
 * s on the 3 that it asks for, and 20 on 6: on those it ends before 160, when task 4 is promised all
 * 10; by its limit it would take 450. Task 6 is predicted (50 + 36) / 2 = 43, and 21.5 on 6; it runs
 * 45 there, so that at 146.5 it is believed to run 60 s longer, and task 4 starts when it ends, at
 * 170. Task 7 is predicted (36 + 90) / 2 = 63, 31.5 on 8. */
static void test_predicted(void **state)
{
  static const char tasks[] = OF("u1", 1, 0, 4, 30, 1000, TO(8)) OF("u1", 2, 20, 4, 50, 1000, TO(8))
      OF("u2", 3, 100, 4, 60, 60, "") OF("u2", 4, 101, 10, 10, 10, "") OF("u1", 5, 102, 3, 36, 900, TO(6))
          OF("u1", 6, 125, 3, 90, 900, TO(6)) OF("u1", 7, 171, 4, 40, 900, TO(8));
  static const char yaml[] = "predictor: last_two\n" EASY("most");
  bench b;
  char file[64];
  corrections said;
  (void)state;
  TIMES(tasks, yaml, {0, 15}, {20, 45}, {100, 160}, {170, 180}, {102, 120}, {125, 170}, {180, 200});
  assert_believed(tasks, yaml, 2, 20, 45, 500);
  assert_believed(tasks, yaml, 5, 102, 120, 20);
  assert_believed(tasks, yaml, 6, 125, 170, 21.5);
  assert_believed(tasks, yaml, 7, 180, 200, 31.5);
  begin_tasks(&b, file, tasks, yaml, 0);
  read_corrections(&b, &said);
  assert_string_equal(said.text, "5 at 146500000000 to 81500000000;");
  end(&b);
  (void)unlink(file);
}

/* The second is resized as well: 8 of 4, and 10 from 10 s on. It is learned from with the 100 s that
 * it would have run on 4, and the third with its 60. */
static void test_learned_in_its_own_size(void **state)
{
  (void)state;
  assert_believed(OF("u9", 1, 0, 2, 10, 10, "")
                      OF("u1", 2, 0, 4, 100, 500, ", malleable: {min: 1, max: 10, when: [start, running]}")
                          OF("u1", 3, 50, 4, 60, 500, "") OF("u1", 4, 200, 4, 10, 500, ""),
                  "predictor: last_two\n"
                  "policy: {use: malleable, policy: {use: batch, select: easy, mold: max_parallelism}}\n",
                  4, 200, 210, 80);
}

/* ---- the same as rigid ones of that size ---- */

/* Tasks that ask for two or three of twelve hosts and get twice as many, on which they are `speed`
 * times as fast; and tasks that ask for so many, with run and limit that are as much shorter. Half of
 * two runs is whole seconds, to which last_two rounds. */
static void write_worlds(uint64_t seed, int speed, char *molded, char *rigid, size_t room)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 20};
  size_t m = 0, r = 0;
  for (int id = 1, at = 0; id <= 24; id++) {
    const int hosts = 2 + (int)hc_random_below(&d, 2), run = 4 + 2 * (int)hc_random_below(&d, 30),
              limit = run * (2 + (int)hc_random_below(&d, 9)) / 2, user = (int)hc_random_below(&d, 3);
    static const char form[] =
        "- {id: %d, submit_time: %d, user: u%d, resources: {nodes_count: %d, cpu_per_node: 2}, "
        "delay: %d, limit: %d";
    m += (size_t)snprintf(molded + m, room - m, form, id, at, user, hosts, run * speed, limit * speed);
    if (speed == 2)
      m += (size_t)snprintf(molded + m, room - m, ", moldable: {min: %d, max: %d}}\n", hosts, 2 * hosts);
    else
      m += (size_t)snprintf(molded + m, room - m,
                            ", shapes: [{slots: %d, speedup: 1}, {slots: %d, speedup: %d}]}\n", hosts,
                            2 * hosts, speed);
    r += (size_t)snprintf(rigid + r, room - r, form, id, at, user, 2 * hosts, run, limit);
    r += (size_t)snprintf(rigid + r, room - r, "}\n");
    at += (int)hc_random_below(&d, 25);
  }
  assert_true(m < room && r < room);
}

/* @return attempts that were lost, and corrections */
static int64_t same_as_rigid(uint64_t seed, int speed, const char *yaml)
{
  static char text[2][8192];
  bench b[2];
  char file[2][64], conf[2][1024];
  corrections made[2];
  int64_t lost[2];
  write_worlds(seed, speed, text[0], text[1], sizeof text[0]);
  for (int k = 0; k < 2; k++) {
    (void)snprintf(conf[k], sizeof conf[k], "%spolicy: {use: batch, select: conservative%s}\n", yaml,
                   k == 0 ? ", mold: most" : "");
    begin_tasks(&b[k], file[k], text[k], conf[k], k == 0 && seed % 3 == 0);
  }
  assert_int_equal(b[0].count, b[1].count);
  for (int64_t id = 1; id <= 24; id++) {
    const hc_task_record *m = record_of(&b[0], id), *r = record_of(&b[1], id);
    if (m->start != r->start || m->end != r->end || m->estimate != r->estimate || m->final != r->final ||
        m->units != r->units)
      fail_msg("seed %d, %s: task %d: %.9f to %.9f (%.9f), and rigid %.9f to %.9f (%.9f)", (int)seed, yaml,
               (int)id, seconds_of(m->start), seconds_of(m->end), seconds_of(m->estimate),
               seconds_of(r->start), seconds_of(r->end), seconds_of(r->estimate));
  }
  for (int k = 0; k < 2; k++) {
    read_corrections(&b[k], &made[k]);
    lost[k] = counted(&b[k], "hindcast", "requeued");
    end(&b[k]);
    (void)unlink(file[k]);
  }
  assert_int_equal(lost[0], lost[1]);
  assert_string_equal(made[0].text, made[1].text);
  return lost[0] + made[0].count;
}

#define TWELVE "cell: {use: hosts, classes: [{name_prefix: c, count: 12, cpus: 2}]}\n"
#define LOSSES \
  "events: {use: list, changes: [{at: 61, hosts: c-0, change: down, until: 75}, {at: 97, hosts: " \
  "\"c-1,c-2\", change: " \
  "down, until: 140}, {at: 188, hosts: c-3, change: down, until: 230}]}\n"
static void test_as_rigid(void **state)
{
  static const char *const with[] = {
      "predictor: last_two\n",
      "predictor: {use: last_two, renew: true}\n" LOSSES,
      "predictor: last_two\ncorrection: double\n" LOSSES,
      "predictor: last_two\ncorrection: limit\n",
      "checkpoint: {use: fixed, every: 7s, write: 2s, read: 3s}\n" LOSSES,
      "checkpoint: {use: young, mtbf: 400s, write: 1s, size: 1GB, bandwidth: 1GB}\n" LOSSES,
      "checkpoint: {use: fixed, every: 5s, write: 3s, global_each: 3, local_write: 1s, "
      "local_survives: 0.5}\n" LOSSES,
  };
  int64_t happened = 0;
  (void)state;
  for (size_t i = 0; i < COUNT(with); i++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      char yaml[768];
      (void)snprintf(yaml, sizeof yaml, TWELVE "%s", with[i]);
      happened += same_as_rigid(seed, seed % 2 ? 2 : 4, yaml);
    }
  assert_true(happened > 100);
}

/* 100 s of work on 4 are 50 on 8. A checkpoint of 5 s after each 30 s: 115, and 55; of 1 GB a slot at
 * 1 GB/s: 4 s each, and 8. Those that say their times are lengthened alike, and what is believed of
 * them too: no task is overdue. */
static void test_checkpoints(void **state)
{
  static const char task[] = OWN(1, 0, 4, 100, ", moldable: {min: 1, max: 8}");
  static const char said[] =
      "- {id: 1, submit_time: 0, shapes: [{slots: 4, time: 100, estimate: 100}, {slots: 8, "
      "time: 70, estimate: 70}]}\n";
#define FIXED "checkpoint: {use: fixed, every: 30s, write: 5s}\n"
#define SIZED "checkpoint: {use: fixed, every: 30s, write: 0s, size: 1GB, bandwidth: 1GB}\n"
  (void)state;
  TIMES(task, FIXED EASY("configured"), {0, 115});
  TIMES(task, FIXED EASY("most"), {0, 55});
  TIMES(task, SIZED EASY("configured"), {0, 112});
  TIMES(task, SIZED EASY("most"), {0, 58});
  TIMES(said, FIXED EASY("most"), {0, 80});
  TIMES(said, FIXED EASY("configured"), {0, 115});
  assert_believed(said, FIXED "policy: easy\n", 1, 0, 115, 115);
  assert_believed(said, FIXED EASY("most"), 1, 0, 80, 80);
  /* It has 2 of 4 hosts and gets 4, which end it at 55; a host is lost at 40, when 30 s are saved: it
   * goes on in that size when there are 4 again, at 60, for 20 s, after it has read for 5. */
  TIMES("- {id: 1, submit_time: 0, " TWO ", delay: 100, moldable: {min: 1, max: 4}}\n",
        HOSTS FIXED
        "events: {use: list, changes: [{at: 40, hosts: c-0, change: down, until: 60}]}\n" EASY("most"),
        {60, 85});
  /* At 20 nothing is: it begins anew, on the 3 that are left: 200 / 3 s of work, with two checkpoints. */
  TIMES("- {id: 1, submit_time: 0, " TWO ", delay: 100, moldable: {min: 1, max: 4}}\n",
        HOSTS FIXED "events: {use: list, changes: [{at: 20, hosts: c-0, change: down}]}\n" WITH(
            "scan", "max_parallelism"),
        {20, 20 + 200.0 / 3 + 10});
}

/* ---- sizes that change later ---- */

/* Of 8 processors the first task has 4 until 30; the second asks for 6 at 5, and has them from 30 on. */
static void test_deferred_on_processors(void **state)
{
  static const char tasks[] =
      OWN(1, 0, 4, 30,
          "") "- {id: 2, submit_time: 0, procs: 4, malleable: {min: 4, max: 6, when: [itself]}, profile: "
              "{phase: {iterations: 3, profile: {idle: 5}, between: {point: {asks: true, request: 6}}}}}\n";
#define PROCESSORS(more) "cell: {use: " more ", procs: 8}\nexecution: activities\npolicy: scan\n"
  (void)state;
  TIMES(tasks, PROCESSORS("count") "cannot_grow: defer\n", {0, 30}, {0, 40});
  TIMES(tasks, PROCESSORS("count") "cannot_grow: reserve\n", {0, 30}, {0, 40});
  TIMES(tasks, PROCESSORS("intervals") "cannot_grow: defer\n", {0, 30}, {0, 40});
  TIMES(tasks, PROCESSORS("count") "cannot_grow: keep\n", {0, 30}, {0, 15});
}

static hc_rc take_resize_note(void *ctx, const char *const *values)
{
  if (strcmp(values[0], "resize_note") == 0) (void)snprintf(ctx, 256, "%s", values[1]);
  return 0;
}

/* What cannot be resized though it may be is said: a task with GPUs; not one without, nor under
 * another policy. */
static void test_kept_is_said(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1, gpu: 1}, delay: 10, "
      "malleable: {min: 1, "
      "max: 4}}\n- {id: 2, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, delay: "
      "10, malleable: {min: 1, "
      "max: 4}}\n";
  static const char cell[] = "cell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 2, gpus: 1}]}\n";
  for (int k = 0; k < 2; k++) {
    bench b;
    char file[64], yaml[256], note[256] = "";
    hc_result *r;
    (void)snprintf(yaml, sizeof yaml, "%spolicy: %s\n", cell, k ? "scan" : "{use: malleable, policy: scan}");
    begin_tasks(&b, file, tasks, yaml, 1);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    check(&b, hc_result_rows(r, "hindcast", 2, take_resize_note, note, &b.error));
    hc_result_free(r);
    assert_string_equal(note,
                        k ? ""
                          : "1 tasks that may be resized keep their size: 1 ask for GPUs, which do not go "
                            "with their slots");
    end(&b);
    (void)unlink(file);
  }
  (void)state;
}

/* Nothing changes for others, and for a task that waits for its time no size is settled before that. */
static void test_others(void **state)
{
  (void)state;
  TIMES(OWN(1, 0, 4, 30, "") OWN(2, 0, 4, 30, ", malleable: {min: 1, max: 8}"), EASY("most"), {0, 30},
        {0, 30});
  TIMES("- {id: 1, submit_time: 0, schedule_after: 7, procs: 4, delay: 30, moldable: {min: 1, max: 8}}\n",
        EASY("most"), {7, 22});
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
  const char *task = OWN(1, 0, 4, 30, ", moldable: {min: 1, max: 8}");
  const char *said = "- {id: 1, submit_time: 0, shapes: [{slots: 4, time: 60}, {slots: 12, time: 30}]}\n";
  (void)state;
  assert_refused(task, WITH("slack", "most"), HC_EUNSUPPORTED, "select: slack plans tasks in the sizes");
  assert_refused(task, WITH("{use: easy, sticky: true}", "most"), HC_EUNSUPPORTED,
                 "keeps what it has promised");
  assert_refused(task, "policy: {use: batch, preempt: priority, mold: most}\n", HC_EUNSUPPORTED,
                 "preempt: priority makes room");
  assert_refused(task, "policy: {use: elastic, policy: {use: batch, mold: most}}\n", HC_EUNSUPPORTED,
                 "settle in which sizes");
  assert_refused(task,
                 "architecture: {use: shared_state, schedulers: [{name: a}]}\n" HOSTS WITH("scan", "most"),
                 HC_EUNSUPPORTED, "use the architecture monolithic");
  assert_refused(said, "predictor: last_two\n" EASY("most"), HC_EUNSUPPORTED, "and says a time for each");
  assert_refused(said, EASY("most"), HC_EINPUT, "offers a shape of 12 slots, which can never run");
  TIMES(said, "policy: easy\n", {0, 60});
}

#define READ(more) "- {id: 1, submit_time: 0, procs: 4, delay: 30, " more "}\n"
static void test_misread(void **state)
{
  static const struct {
    const char *task, *text;
  } wrong[] = {
      {READ("moldable: {min: 1, max: 3}"), "not between its `min` and its `max`"},
      {READ("moldable: {min: 1, max: 8, preferred: 9}"), "`preferred` is not between"},
      {READ("moldable: {min: 1, max: 8, speedup: {amdal: 0.1}}"), "did you mean \"amdahl\""},
      {READ("moldable: {min: 1, max: 8, speedup: {expr: \"m + 1\"}}"), "m"},
      {READ("moldable: {min: 1, max: 8, speedup: {expr: \"4\"}}"), "does not depend on the number of cores"},
      {READ("moldable: {min: 1, max: 8, speedup: {expr: \"n - 1\"}}"), "above zero"},
      {READ("moldable: {min: 1, max: 8, speedup: {expr: \"5 - n\"}}"), "says 0 for 5 slots"},
      {READ("malleable: {min: 1, max: 8, speedup: {amdahl: 0.1}, speeds: [1]}"), "say the same"},
      {READ("malleable: {min: 1, max: 8, speeds: [1, 2, 3]}"),
       "for each size from `min` to `max`, 8 of them"},
      {READ("malleable: {min: 3, max: 4, speeds: [1, 0]}"), "a number above zero"},
      {READ("moldable: {min: 1, max: 8}, shapes: [{slots: 2, time: 3}]"), "says its sizes once"},
      {READ("shapes: [{slots: 2, time: 3, speedup: 2}]"), "either the `time`"},
      {READ("shapes: [{slots: 2, speedup: -1}]"), "a number above zero"},
      {READ("shapes: [{slots: 2, speedup: 2}]"), "none of its shapes has so many"},
      {READ("shapes: [{slots: 2, time: 60}, {slots: 2, time: 50}]"), "two shapes have 2 slots"},
      {READ("shapes: [{slots: 4, time: 60}]"), "takes another time"},
      {READ("shapes: [{slots: 8, time: 10}, {slots: 2, speedup: 2}]"), "a `time` each, or a `speedup` each"},
      {"- {id: 1, submit_time: 0, shapes: [{slots: 2, time: 3}], profile: {idle: 4}}\n", "its profile says"},
      {"- {id: 1, submit_time: 0, resources: [{nodes_count: 1, cpu_per_node: 1}, {nodes_count: 1, "
       "cpu_per_node: 2}], delay: 4, moldable: {min: 1, max: 4}}\n",
       "the same resources in each of its slots"}};
  (void)state;
  for (size_t i = 0; i < COUNT(wrong); i++) {
    bench b;
    char file[64];
    hc_rc rc = try_tasks(&b, file, wrong[i].task, "strict: true\npolicy: fcfs\n");
    if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
    if (rc >= 0 || !strstr(b.error.text, wrong[i].text))
      fail_msg("%s: %s: %s", wrong[i].task, hc_rc_name(rc), b.error.text);
    end(&b);
    (void)unlink(file);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_law),
                                     cmocka_unit_test(test_linear),
                                     cmocka_unit_test(test_laws),
                                     cmocka_unit_test(test_list),
                                     cmocka_unit_test(test_preferred),
                                     cmocka_unit_test(test_limit),
                                     cmocka_unit_test(test_waits_for_more),
                                     cmocka_unit_test(test_behind_a_head),
                                     cmocka_unit_test(test_promises),
                                     cmocka_unit_test(test_planned_anew),
                                     cmocka_unit_test(test_load),
                                     cmocka_unit_test(test_hosts),
                                     cmocka_unit_test(test_places),
                                     cmocka_unit_test(test_lost),
                                     cmocka_unit_test(test_malleable_too),
                                     cmocka_unit_test(test_predicted),
                                     cmocka_unit_test(test_learned_in_its_own_size),
                                     cmocka_unit_test(test_as_rigid),
                                     cmocka_unit_test(test_checkpoints),
                                     cmocka_unit_test(test_deferred_on_processors),
                                     cmocka_unit_test(test_kept_is_said),
                                     cmocka_unit_test(test_others),
                                     cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_misread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
