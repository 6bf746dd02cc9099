/* test_moldable.c -- tasks whose size is settled when they start, through whole runs: which size each
 * component of kind `mold` chooses, under each selector that can, and how long the task is then.
 *
 * The cell has 10 processors where nothing else is said. Under Amdahl's law with 0.1
 *   S(n) = 1 / (0.1 + 0.9 / n):  S(2) = 20/11, S(4) = 40/13, S(6) = 4, S(7) = 4.375, S(8) = 80/17
 * and a task of 100 s on 4 processors takes 100 x S(4) / S(n) on n. */
#include "tasks_test.h"

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
  assert_refused(task, "predictor: last_two\n" EASY("most"), HC_EUNSUPPORTED, "a predictor learns");
  assert_refused(task, "checkpoint: {use: fixed, every: 10s}\n" WITH("scan", "most"), HC_EUNSUPPORTED,
                 "its checkpoints are laid out");
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
      {READ("malleable: {min: 1, max: 8, speedup: {amdahl: 0.1}}"), "keeps its work"},
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
                                     cmocka_unit_test(test_others),
                                     cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_misread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
