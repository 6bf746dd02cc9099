/* test_compute.c -- how fast tasks compute, through whole runs: laws of speed-up, cores chosen at the start.
 *
 * V20 to V22 are vectors of DSLab's dslab-compute. */
#include "tasks_test.h"

#include "base/math.h"
#include "base/mem.h"
#include "engine/state.h"
#include "hindcast/execution.h"
#include "metric/findings.h"

#define ONE "cell: {use: hosts, classes: [{name_prefix: c, count: 1, cpus: 10, memory: 1024}]}\n"
#define MODEL "execution: {use: activities, cpu_speed: 1}\n"

/* ---- a law of the test's own, as a shared object would bring it ---- */

typedef struct none {
  double unused;
} none;

/* 2 on 7 cores, and nothing that could be computed with on others. */
static double two_on_seven(const void *options, double cores)
{
  (void)options;
  return cores == 7 ? 2 : cores == 1 ? 1 : -1;
}
static const hc_speedup_type own_law = {.component = {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP),
                                                      .name = "two_on_seven", .summary = "of the test",
                                                      .options_size = sizeof(none)},
                                        .speedup = two_on_seven};
static const hc_component *const own[] = {&own_law.component, NULL};
static const setting here = {.cell = ONE, .execution = MODEL, .extra = own};

#define BY(work, law) "{type: compute_homogeneous, args: {compute_work: " #work ", speedup: " law "}}"

/* ---- laws ---- */

/* 100 of work at speed 1. Amdahl 0.4 on 4 cores: 1 / (0.4 + 0.6 / 4) = 20 / 11, so 55. Downey of A = 4,
 * sigma = 0.5 on 2 cores: 4 x 2 / (4 + 0.25) = 32 / 17, so 53.125; on 8 cores, past 2 A - 1 = 7: A, so 25. A
 * table: 3 on 4 cores; between 2 and 3 cores half-way; past its end its last. On half a core any law is half
 * of one core. */
static void test_laws(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 1, 4, BY(100, "{amdahl: 0.4}")) ON(2, 1000, 1, 4, BY(100, "linear"))
            ON(3, 2000, 1, 2, BY(100, "{use: downey, parallelism: 4, sigma: 0.5}"))
                ON(4, 3000, 1, 8, BY(100, "{type: downey, args: {parallelism: 4, sigma: 0.5}}"))
                    ON(5, 4000, 1, 4, BY(100, "{table: [1, 1.5, 2, 3]}"))
                        ON(6, 5000, 1, 2.5, BY(100, "{table: [1, 1.5, 2.5]}"))
                            ON(7, 6000, 1, 9, BY(100, "{table: [1, 1.5, 2.5]}"))
                                ON(8, 7000, 1, 0.5, BY(100, "{amdahl: 0.4}"))
                                    ON(9, 8000, 1, 7, BY(100, "two_on_seven")),
        "", {0, 55}, {1000, 1025}, {2000, 2053.125}, {3000, 3025}, {4000, 4000 + 100 / 3.0}, {5000, 5050},
        {6000, 6040}, {7000, 7200}, {8000, 8050});
}

/* A host of speed 2 has 4 cores of the task and one of speed 1.2 has 7: by cores x speed the first is the
 * slower one (8 and 8.4), under Amdahl 0.4 the second: 2 x 20 / 11 = 3.64 and 1.2 / (0.4 + 0.6 / 7) = 2.47,
 * which is 40.476... for 100. What a process computes at once shares its cores: twice as long. */
static void test_slowest(void **state)
{
  const char *cell = "cell: {use: hosts, classes: [{name_prefix: a, count: 1, cpus: 4, speed: 2}, "
                     "{name_prefix: b, count: 1, cpus: 7, speed: 1.2}]}\n";
  const double each = 100 * (0.4 + 0.6 / 7) / 1.2;
  (void)state;
#define BOTH "resources: [{nodes_count: 1, cpu_per_node: 4}, {nodes_count: 1, cpu_per_node: 7}]"
#define LAW BY(100, "{amdahl: 0.4}")
  TIMES("- {id: 1, submit_time: 0, " BOTH ", profile: " LAW "}\n"
        "- {id: 2, submit_time: 100, " BOTH ", profile: {parallel: [" LAW ", " LAW "]}}\n",
        cell, {0, each}, {100, 100 + 2 * each});
}

/* Three processes of 5 cores with works of their own, and a master with its workers, under 1 / (0.5 + 0.5 /
 * 5) = 5 / 3 and, on 2 cores, 4 / 3: 30 / (5 / 3) = 18; 20 / (4 / 3) + 4 / (4 / 3) = 18. */
static void test_profiles(void **state)
{
  const char *cell = "cell: {use: hosts, classes: [{name_prefix: a, count: 3, cpus: 5}]}\n";
  (void)state;
  TIMES(ON(1, 0, 3, 5, "{type: compute_vector, args: {compute_work: [10, 30, 20], speedup: {amdahl: 0.5}}}")
            ON(2, 50, 3, 2,
               "{type: master-workers, args: {master_compute_work: 4, worker_compute_work: 20, speedup: "
               "{amdahl: 0.5}}}"),
        cell, {0, 18}, {50, 68});
}

/* A roof at 3: 3 on 4 cores, 2 on 2, and a knee by default, which no core beside the first makes faster.
 * Formulas: sqrt(4) = 2; 4 / (1 + 0.25 x 3) = 16 / 7 by another word for cores. On half a core it is half of
 * what one does. */
static void test_roof_and_formulas(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 1, 4, BY(90, "{roofline: 3}")) ON(2, 1000, 1, 2, BY(90, "{use: roofline, knee: 3}"))
            ON(3, 2000, 1, 8, BY(90, "roofline")) ON(4, 3000, 1, 4, BY(100, "{expr: \"sqrt(n)\"}"))
                ON(5, 4000, 1, 4, BY(16, "{use: expr, expr: cores / (1 + 0.25 * (cores - 1))}"))
                    ON(6, 5000, 1, 0.5, BY(100, "{expr: n ^ 2}")),
        "", {0, 30}, {1000, 1045}, {2000, 2090}, {3000, 3050}, {4000, 4007}, {5000, 5200});
}

static void test_laws_refused(void **state)
{
  (void)state;
  assert_refused(ON(1, 0, 1, 4, BY(100, "{roofline: 0.5}")), "", HC_EUSAGE, "knee");
  assert_refused(ON(1, 0, 1, 4, BY(100, "expr")), "", HC_EUSAGE, "needs `expr`");
  assert_refused(ON(1, 0, 1, 4, BY(100, "{expr: 2 * m}")), "", HC_EUSAGE, "no variable \"m\"");
  assert_refused(ON(1, 0, 1, 4, BY(100, "{expr: 4}")), "", HC_EUSAGE,
                 "does not depend on the number of cores");
  assert_refused(ON(1, 0, 1, 4, BY(100, "{expr: n - 1}")), "", HC_EUSAGE, "says 0 for 1 core");
  assert_refused(ON(1, 0, 1, 4, BY(100, "{expr: 3 - n}")), "", HC_EINPUT,
                 "the law of speed-up expr says -1 for 4 cores");
  assert_refused(ON(1, 0, 1, 4, "{sequence: [{idle: 1}, " BY(100, "{expr: 4}") "]}"), "", HC_EUSAGE,
                 "does not depend");
  assert_refused(ON(1, 0, 1, 4, BY(100, "{amdal: 0.4}")), "", HC_EUSAGE, "did you mean \"amdahl\"");
  assert_refused(ON(1, 0, 1, 4, BY(100, "{amdahl: 1.4}")), "", HC_EUSAGE, "fraction");
  assert_refused(ON(1, 0, 1, 4, BY(100, "{use: amdahl, fractoin: 0.4}")), "", HC_EUSAGE,
                 "did you mean \"fraction\"");
  assert_refused(ON(1, 0, 1, 4, BY(100, "[1, 2]")), "", HC_EUSAGE, "which speedup? write its name");
  assert_refused(ON(1, 0, 1, 4, BY(100, "two_on_seven")), "", HC_EINPUT,
                 "the law of speed-up two_on_seven says -1 for 4 cores");
}

/* ---- cores chosen at the start ---- */

#define FROM(id, at, least, most, memory, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {cpu_per_node: " #least ", memory_per_node: " #memory \
  "}, max_cores: " #most ", profile: " profile "}\n"

/* V20: on 10 cores and 1024 of memory A (100, 2 to 6 cores, linear) gets 6: 16.67 s. B (4 to 10, Amdahl 0.4)
 * gets the 4 that are left: 55 s. C (5 to 7, twice as fast on 7) gets 7: 50 s. D asks for 15: it can never
 * be. Then what holds 6 cores and 100 for 10 s: at 5000; at 5005 no other finds room, as DSLab has it, and
 * is withdrawn here, where it would wait; at 6000. */
#define SIX "resources: {cpu_per_node: 6, memory_per_node: 100}"
static void test_v20(void **state)
{
  /* clang-format off */
  static const char *const tasks =
      FROM(1, 0, 2, 6, 512, BY(100, "linear"))
      FROM(2, 0, 4, 10, 512, BY(100, "{amdahl: 0.4}"))
      FROM(3, 1000, 5, 7, 512, BY(100, "two_on_seven"))
      FROM(4, 2000, 15, 20, 512, BY(100, "linear"))
      "- {id: 5, submit_time: 5000, " SIX ", profile: {delay: 10}}\n"
      "- {id: 6, submit_time: 5005, cancel_at: 5006, " SIX ", profile: {delay: 10}}\n"
      "- {id: 7, submit_time: 6000, " SIX ", profile: {delay: 10}}\n";
  /* clang-format on */
  static const struct {
    int64_t id, milli;
    double start, end;
  } v[] = {{1, 6000, 0, 100 / 6.0},
           {2, 4000, 0, 55},
           {3, 7000, 1000, 1050},
           {5, 6000, 5000, 5010},
           {7, 6000, 6000, 6010}};
  (void)state;
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    char file[64];
    check(&b, try_tasks(&b, file, tasks, ""));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < COUNT(v); i++) {
      const hc_task_record *r = record_of(&b, v[i].id);
      assert_int_equal(r->start, (hc_time)(v[i].start * 1e9));
      assert_in_range(r->end - (hc_time)(v[i].end * 1e9) + 2, 0, 4);
      assert_int_equal(r->units, v[i].milli);
    }
    assert_int_equal(record_of(&b, 6)->final, HC_FINAL_WITHDRAWN);
    end(&b);
    (void)unlink(file);
  }
}

/* The same number on each of its hosts: 1 holds 3 cores of c-0 and none of c-1, so that 2, of 2 to 9 cores on
 * two hosts, has 7 of each, 70 / 7 = 10. 3 has two slots on one host: 10 / 2. 5 gets all of its 2.5, as they
 * were said: 4 s. 6 has 2 of the 2.5 that are left, whole ones beyond the least: 5 s. */
static void test_same_on_each(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, resources: {cpu_per_node: 3}, hosts: [c-0], profile: {delay: 100}}\n"
        "- {id: 2, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 2}, max_cores: 9, profile: "
        "{compute_homogeneous: 70}}\n"
        "- {id: 3, submit_time: 200, resources: {nodes_count: 2, cpu_per_node: 1}, spread: false, hosts: "
        "[c-0], max_cores: 9, profile: {compute_homogeneous: 100}}\n"
        "- {id: 4, submit_time: 300, resources: {cpu_per_node: 7.5}, hosts: [c-0], profile: {delay: 100}}\n"
        "- {id: 5, submit_time: 300, resources: {cpu_per_node: 1.5}, hosts: [c-0], max_cores: 2.5, profile: "
        "{compute_homogeneous: 10}}\n"
        "- {id: 6, submit_time: 350, resources: {cpu_per_node: 0.5}, hosts: [c-0], max_cores: 3, profile: "
        "{compute_homogeneous: 10}}\n",
        "cell: {use: hosts, classes: [{name_prefix: c, count: 2, cpus: 10}]}\n", {0, 100}, {0, 10},
        {200, 210}, {300, 400}, {300, 304}, {350, 355});
}

/* What is stopped and starts again chooses again: 1 has all 8 cores and 80 of work; at 4 a task of higher
 * priority takes 6 of them for 20 s, and 1 begins anew on 2: 40 s. */
static void test_again(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, resources: {cpu_per_node: 2}, max_cores: 8, priority: 0, profile: "
        "{compute_homogeneous: 80}}\n"
        "- {id: 2, submit_time: 4, resources: {cpu_per_node: 6}, priority: 5, profile: {delay: 20}}\n",
        "cell: {use: hosts, classes: [{name_prefix: c, count: 1, cpus: 8}]}\n"
        "policy: {use: batch, order: priority, preempt: {use: priority, on_preempt: requeue}}\n",
        {4, 44}, {4, 24});
}

static void test_cores_refused(void **state)
{
  const char *one = FROM(7, 0, 2, 6, 512, BY(100, "linear"));
  (void)state;
  assert_refused(one, "policy: easy\n", HC_EUNSUPPORTED, "plans ahead");
  assert_refused(one, "policy: conservative\n", HC_EUNSUPPORTED, "plans ahead");
  assert_refused(one, "policy: {use: gang, quantum: 3s}\n", HC_EUNSUPPORTED, "take turns");
  assert_refused(one, "cell: {use: count, procs: 8}\n", HC_EUNSUPPORTED, "needs a cell of hosts");
  assert_refused("- {id: 7, submit_time: 0, resources: {cpu_per_node: 2}, max_cores: 6, delay: 5}\n", "",
                 HC_EUNSUPPORTED, "give it a profile");
  assert_refused("- {id: 7, submit_time: 0, resources: {cpu_per_node: 2}, max_cores: 1, delay: 5}\n", "",
                 HC_EINPUT, "max_cores is at least");
  assert_refused("- {id: 7, submit_time: 0, resources: {cpu_per_node: 2}, max_cores: 6, delay: 5, malleable: "
                 "{min: 1, max: 2}}\n",
                 "", HC_EINPUT, "leave out max_cores");
}

/* ---- preemption ---- */

/* V22: 100 of work on 4 cores; it stands still from 10 to 20, when 0.4 is done, and ends at 35. Here another
 * has the host in its turn, which is as long. */
static void test_v22(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 1, 4, "{compute_homogeneous: 100}") ON(2, 0, 1, 4, "{delay: 10}"),
        "cell: {use: hosts, classes: [{name_prefix: c, count: 1, cpus: 4}]}\n"
        "policy: {use: gang, quantum: 10s}\n",
        {0, 35}, {10, 20});
}

/* ---- hosts that are promised more than once ---- */

#define CORES(n) "cell: {use: hosts, classes: [{name: c, cpus: " #n ", memory: 1024}]}\n"
#define SHARED(what) "execution: {use: activities, cpu_speed: 1, overcommit: [cpu=100, memory=2]" what "}\n"
#define LASTS(id, at, cores, memory, length, more) \
  "- {id: " #id ", submit_time: " #at ", resources: {cpu_per_node: " #cores ", memory_per_node: " #memory \
  "}, delay: " #length more "}\n"

/* V21: one core that does 10 in a second; 100 from 0 on and 200 from 5 on: 15 and 30. */
static void test_v21(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, resources: {cpu_per_node: 1, memory_per_node: 512}, profile: "
        "{compute_homogeneous: 100}}\n"
        "- {id: 2, submit_time: 5, resources: {cpu_per_node: 1, memory_per_node: 512}, profile: "
        "{compute_homogeneous: 200}}\n",
        CORES(1) "execution: {use: activities, cpu_speed: 10, overcommit: [cpu=2]}\n", {0, 15}, {5, 30});
}

/* V44 to V47: invocations that need their container's share of cores for so long; each goes on at min(1,
 * cores / sum of the busy shares), and those of one container share it. V44: ten of 1 on 4 cores take
 * 2.5. V45: five of 2 for 1 s and five of 3 for 2 s on 7: 25 / 7 = 3.571428571 and 5.714285714. V46: the
 * first five for 2 s from 0.5 on: until 7.142857143 and 6.809523810. V47: two in a container of 1 and
 * three in one of 2, on 2 cores: 3 and 4. */
static void test_containers(void **state)
{
#define COUNTED(id, at, cores, work) \
  "- {id: " #id ", submit_time: " #at ", count: 5, resources: {cpu_per_node: " #cores \
  "}, profile: {compute_homogeneous: " #work "}}\n"
  const double v45[2] = {25 / 7.0, 40 / 7.0}, v46[2] = {50 / 7.0, 143 / 21.0};
  (void)state;
  TIMES(ON(1, 0, 1, 1, "{parallel: [{compute_homogeneous: 1}, {compute_homogeneous: 1}]}")
            ON(2, 0, 1, 2,
               "{parallel: [{compute_homogeneous: 2}, {compute_homogeneous: 2}, {compute_homogeneous: 2}]}"),
        CORES(2) SHARED(""), {0, 3}, {0, 4});
  for (int v = 44; v <= 46; v++) {
    bench b;
    char file[64];
    const char *tasks = v == 44   ? COUNTED(1, 0, 1, 1) COUNTED(2, 0, 1, 1)
                        : v == 45 ? COUNTED(1, 0, 2, 2) COUNTED(2, 0, 3, 6)
                                  : COUNTED(2, 0, 3, 6) COUNTED(1, 0.5, 2, 4);
    check(&b, try_tasks(&b, file, tasks, v == 44 ? CORES(4) SHARED("") : CORES(7) SHARED("")));
    finish(&b);
    assert_int_equal(b.count, 10);
    for (size_t i = 0; i < 10; i++) {
      const hc_task_record *r = &b.records[i];
      const double end = v == 44 ? 2.5 : v == 45 ? v45[r->units == 3000] : v46[r->units == 3000];
      assert_in_range(r->end - (hc_time)(end * 1e9) + 3, 0, 6);
    }
    end(&b);
    (void)unlink(file);
  }
}

/* Use that a source recorded slows the neighbours too. On 4 cores 1 uses 2 for its first 5 s and then 4,
 * 2 uses 2: 6 from 5 on, so that each has 2/3, and the 5 s that both have left take 7.5. In equal parts
 * of at most 2 each, 2 is not slowed; 1 has half of its 4 until 10, and all of them for its last 2.5. */
static void test_usage(void **state)
{
  const char *tasks = LASTS(1, 0, 4, 1, 10, ", usage: [{until: 5, cpu: 2}, {cpu: 4}]")
      LASTS(2, 0, 4, 1, 10, ", usage: [{cpu: 2}]");
  (void)state;
  TIMES(tasks, CORES(4) SHARED(""), {0, 12.5}, {0, 12.5});
  TIMES(tasks, CORES(4) SHARED(", core_sharing: equal"), {0, 12.5}, {0, 10});
  TIMES(tasks, CORES(4) "execution: {use: activities, overcommit: [cpu=1]}\n", {0, 10}, {10, 20});
}

/* A task on two hosts goes as its slowest lets it: 2 is on b beside 3, each with half, and on a alone: 10
 * s of it take 10 + 10 x 1/2: 3 is done at 10 with its 5, then 2 has 5 left. On hosts of speed 2 it is
 * half. */
static void test_slowest_host(void **state)
{
#define PAIR(speed) \
  "cell: {use: hosts, classes: [{name: a, cpus: 2, speed: " #speed "}, {name: b, cpus: 2, speed: " #speed \
  "}]}\n"
  const char *tasks = "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 2}, delay: 10}\n"
                      "- {id: 2, submit_time: 0, resources: {cpu_per_node: 2}, hosts: [b], delay: 5}\n";
  (void)state;
  TIMES(tasks, PAIR(1) SHARED(""), {0, 15}, {0, 10});
  TIMES(tasks, PAIR(2) SHARED(""), {0, 7.5}, {0, 5});
}

/* On 100 of memory: 1 asked for 60 and uses 20, and from 10 on 90; 2 asked for 10 and uses 50; 3 asked for 30
 * and uses 5. At 10 that is 145. The one that started last goes first: 3, which is not enough, then 2. The
 * largest is 1; the one most over its request 2, by 40. */
static void test_memory(void **state)
{
  static const struct {
    const char *rule;
    double ends[3];
  } v[] = {{"last_started", {50, -10, -10}}, {"largest", {-10, 51, 52}}, {"most_over", {50, -10, 52}}};
  const char *tasks = LASTS(1, 0, 1, 60, 50, ", usage: [{until: 10, memory: 20}, {memory: 90}]")
      LASTS(2, 1, 1, 10, 50, ", usage: [{memory: 50}]") LASTS(3, 2, 1, 30, 50, ", usage: [{memory: 5}]");
  (void)state;
  for (size_t i = 0; i < COUNT(v); i++)
    for (int pieces = 0; pieces < 2; pieces++) {
      char file[64], yaml[512];
      bench b;
      (void)snprintf(
          yaml, sizeof yaml,
          "cell: {use: hosts, classes: [{name: c, cpus: 8, memory: 100}]}\nexecution: {use: activities, "
          "overcommit: ['c: memory=2'], memory_victim: %s}\n",
          v[i].rule);
      check(&b, try_tasks(&b, file, tasks, yaml));
      if (pieces) finish_in_pieces(&b, 1);
      else finish(&b);
      for (int k = 0; k < 3; k++) {
        const hc_task_record *r = record_of(&b, k + 1);
        const double at = v[i].ends[k] < 0 ? -v[i].ends[k] : v[i].ends[k];
        assert_int_equal(r->end, (hc_time)(at * 1e9));
        assert_int_equal(r->final, v[i].ends[k] < 0 ? HC_FINAL_KILLED : HC_FINAL_COMPLETED);
        assert_int_equal((r->flags & HC_TASK_FAILED) != 0, v[i].ends[k] < 0);
      }
      end(&b);
      (void)unlink(file);
    }
}

static bool is_near(double a, double b)
{
  return a > b - 1e-9 && a < b + 1e-9;
}

static double figure_of(bench *b, const char *name)
{
  hc_engine *e = &b->run->engine;
  hc_finding_list list;
  hc_finding_list_init(&list, hc_default_allocator());
  assert_int_equal(e->model_type->finish(e->model, &list.findings), 0);
  const hc_finding *f = hc_finding_list_get(&list, NULL, 0, name);
  assert_non_null(f);
  const double value = f->is_count ? (double)f->count : f->value;
  hc_finding_list_fini(&list);
  return value;
}

/* V42: 94 of 100 cores and 100 of memory that use 1 and 75 run at once on 200 and 10000, where use and
 * one request on top must fit: loads of 0.47 and 0.705. By requests two do at a time. Of 120 that come at
 * once a hundred start: with those 100 and 7500 are used, and no room is left of what memory was
 * promised; one that asks for 101 cores finds 99 + 101 at 99 others, and waits at 100. */
static void test_v42(void **state)
{
#define V42_HOST "cell: {use: hosts, classes: [{name: h, cpus: 200, memory: 10000}]}\n"
#define BY_USE "execution: {use: activities, overcommit: [cpu=50], admission: use}\n"
#define USING(count) \
  "- {submit_time: 0, count: " #count \
  ", resources: {cpu_per_node: 100, memory_per_node: 100}, delay: 10, usage: [{cpu: 1, memory: 75}]}\n"
  static const struct {
    const char *tasks, *yaml;
    int64_t at_once;
    double cpu, memory, makespan;
  } v[] = {{USING(94), V42_HOST BY_USE, 94, 0.47, 0.705, 10},
           {USING(94), V42_HOST, 2, -1, -1, 470},
           {USING(120), V42_HOST BY_USE, 100, 0.5, 0.75, 20}};
  (void)state;
  for (size_t i = 0; i < COUNT(v); i++)
    for (int pieces = 0; pieces < 2; pieces++) {
      char file[64];
      bench b;
      int64_t first = 0;
      hc_time last = 0;
      check(&b, try_tasks(&b, file, v[i].tasks, v[i].yaml));
      if (pieces) finish_in_pieces(&b, 5);
      else finish(&b);
      for (size_t k = 0; k < b.count; k++) {
        first += b.records[k].start == 0;
        if (b.records[k].end > last) last = b.records[k].end;
      }
      assert_int_equal(first, v[i].at_once);
      assert_int_equal(last, (hc_time)(v[i].makespan * 1e9));
      if (v[i].cpu >= 0) {
        assert_true(is_near(figure_of(&b, "cpu_load_max"), v[i].cpu));
        assert_true(is_near(figure_of(&b, "memory_load_max"), v[i].memory));
        assert_true(figure_of(&b, "memory_kills") == 0);
        assert_true(figure_of(&b, "slowed_tasks") == 0);
      }
      end(&b);
      (void)unlink(file);
    }
}

/* What is used becomes less, and a task that waits starts though none has ended: 1 uses 150 until 5 and then
 * 20. */
static void test_use_falls(void **state)
{
  (void)state;
  TIMES("- {id: 1, submit_time: 0, resources: {cpu_per_node: 150}, delay: 20, usage: [{until: 5, cpu: 150}, "
        "{cpu: 20}]}\n"
        "- {id: 2, submit_time: 0, resources: {cpu_per_node: 100}, delay: 5}\n",
        V42_HOST BY_USE, {0, 20}, {5, 10});
}

/* EASY believes requests: 1 asked for 10 and is slowed by 2 to 20; 3 is promised the host at 10 and starts at
 * 20. A task's limit counts its work. */
static void test_estimates(void **state)
{
  (void)state;
  TIMES(LASTS(1, 0, 2, 1, 10, ", wall_time_limit: 10") LASTS(2, 0, 2, 1, 10, ", wall_time_limit: 10")
            LASTS(3, 1, 4, 1, 10, ", wall_time_limit: 10"),
        CORES(2) "policy: easy\nexecution: {use: activities, overcommit: [cpu=2]}\n", {0, 20}, {0, 20},
        {20, 40});
}

/* What was done is kept: 1 and 2 have 20 s of work each and half of a core; at 10 each has done 5. 3, of
 * higher priority, takes the place of 2 for 8 s beside 1, both at half; then 1 has 20 - 9 = 11 left, and
 * 2, which was saved, 15. Both at half until 1 is done at 18 + 22 = 40, and 2 has 15 - 11 = 4 left: 44. */
static void test_saved(void **state)
{
#define PRIORITY(id, at, priority, length) \
  "- {id: " #id ", submit_time: " #at ", priority: " #priority \
  ", resources: {cpu_per_node: 1}, delay: " #length "}\n"
  (void)state;
  TIMES(PRIORITY(1, 0, 3, 20) PRIORITY(2, 0, 1, 20) PRIORITY(3, 10, 5, 4),
        CORES(1) "policy: {use: batch, order: priority, preempt: {use: priority, on_preempt: checkpoint}}\n"
                 "execution: {use: activities, overcommit: [cpu=2]}\n",
        {0, 40}, {18, 44}, {10, 18});
}

/* Tasks without a profile are suspended and go on, with a model as without. */
static void test_turns(void **state)
{
  const char *tasks = LASTS(1, 0, 4, 1, 10, "") LASTS(2, 0, 4, 1, 10, "");
  (void)state;
  TIMES(tasks, CORES(4) "policy: {use: gang, quantum: 3s}\nexecution: {use: activities}\n", {0, 19}, {3, 20});
  TIMES(tasks,
        CORES(4) "policy: {use: gang, quantum: 3s}\nexecution: {use: activities, overcommit: [memory=2]}\n",
        {0, 19}, {3, 20});
}

static void test_overcommit_refused(void **state)
{
  const char *one = LASTS(7, 0, 1, 1, 10, "");
  (void)state;
#define OVER(text) "execution: {use: activities, overcommit: [" text "]}\n"
  assert_refused(one, OVER("gpu=2"), HC_EUSAGE, "neither cpu nor memory");
  assert_refused(one, OVER("cpu"), HC_EUSAGE, "has no =");
  assert_refused(one, OVER("cpu=0"), HC_EUSAGE, "no factor above 0");
  assert_refused(one, OVER("'fat: cpu=2'"), HC_EUSAGE, "a class of hosts that the cell has not");
  assert_refused(one, "cell: {use: count, procs: 8}\n" OVER("cpu=2"), HC_EUNSUPPORTED, "use a cell of hosts");
  assert_refused(one, "execution: {use: activities, admission: use}\n", HC_EUNSUPPORTED, "say of what");
  assert_refused(one, "execution: {use: activities, core_sharing: equal}\n", HC_EUSAGE,
                 "promised more than once");
  assert_refused(one, "policy: easy\nexecution: {use: activities, overcommit: [cpu=2], admission: use}\n",
                 HC_EUNSUPPORTED, "what tasks will use");
  assert_refused(ON(7, 0, 1, 1, "{parallel_task: {cpu: [5]}}"), OVER("cpu=2"), HC_EUNSUPPORTED,
                 "has its cores for itself");
  assert_refused("- {id: 7, submit_time: 0, resources: {cpu_per_node: 1}, profile: {compute_homogeneous: 9}, "
                 "usage: [{until: 5, cpu: 1}, {cpu: 1}]}\n",
                 OVER("cpu=2"), HC_EUNSUPPORTED, "leave out one of the two");
  assert_refused(one,
                 OVER("cpu=2") "events: {use: list, changes: [{at: 4, hosts: all, change: resize, amounts: "
                               "[cpus=2]}]}\n",
                 HC_EUNSUPPORTED, "changes its amounts");
  assert_refused(one, OVER("cpu=2") "oracle: true\n", HC_EUNSUPPORTED, "oracle");
}

/* One core that all share, requests at random: M/M/1 with processor sharing, whose mean response is 1 / (mu -
 * lambda): here 1 / (1 - 0.5) = 2. 60,000 tasks, 5 %. */
static void test_mm1_ps(void **state)
{
  enum { TASKS = 60000 };
  char *tasks = malloc((size_t)TASKS * 96), file[64];
  hc_draws d = {11, 0, 0, 0, 0};
  double at = 0, sum = 0;
  size_t used = 0;
  bench b;
  (void)state;
  assert_non_null(tasks);
  for (int i = 0; i < TASKS; i++) {
    at += hc_random_exponential(&d, 2);
    used += (size_t)snprintf(tasks + used, 96,
                             "- {submit_time: %.9f, resources: {cpu_per_node: 1}, delay: %.9f}\n", at,
                             hc_random_exponential(&d, 1) + 1e-6);
  }
  check(&b, try_tasks(&b, file, tasks, CORES(1) "execution: {use: activities, overcommit: [cpu=10000]}\n"));
  finish(&b);
  for (size_t i = 0; i < b.count; i++) {
    const hc_task_record *r = &b.records[i];
    assert_int_equal(r->start, r->submit);
    sum += (double)(r->end - r->submit) / 1e9;
  }
  assert_true(sum / (double)b.count > 1.9 && sum / (double)b.count < 2.1);
  end(&b);
  (void)unlink(file);
  free(tasks);
}

/* Work is neither lost nor made, whatever interrupts it: all use all 4 cores, so that the host does 4 in
 * a second as long as one is there, and the last of 40 that overlap ends when all their work is done.
 * With either rule of sharing, suspended in turns, and stopped for others with what was done saved (whole
 * ns are rounded up at each stop). */
static void test_conserved(void **state)
{
  static const char *const policies[] = {
      "policy: scan\n", "policy: {use: gang, quantum: 7s}\n",
      "policy: {use: batch, order: priority, preempt: {use: priority, on_preempt: checkpoint}}\n"};
  static const char *const rules[] = {"proportional", "equal"};
  (void)state;
  for (uint64_t seed = 0; seed < 12; seed++) {
    char tasks[8192], yaml[512], file[64];
    hc_draws d = {seed, 0, 0, 0, 0};
    int64_t work = 0, at = 0;
    hc_time last = 0;
    size_t used = 0;
    bench b;
    for (int i = 0; i < 40; i++) {
      const int64_t length = 3 + (int64_t)hc_random_below(&d, 40);
      used += (size_t)snprintf(
          tasks + used, sizeof tasks - used,
          "- {id: %d, submit_time: %d, priority: %d, resources: {cpu_per_node: 4}, delay: %d}\n", i + 1,
          (int)at, (int)hc_random_below(&d, 5), (int)length);
      work += length;
      at += (int64_t)hc_random_below(&d, 3); /* less than the shortest: there is always one */
    }
    (void)snprintf(yaml, sizeof yaml,
                   CORES(4) "%sexecution: {use: activities, overcommit: [cpu=%d], core_sharing: %s}\n",
                   policies[seed % 3], 1 + (int)(seed / 3), rules[seed % 2]);
    if (seed / 3 == 0)
      (void)snprintf(yaml, sizeof yaml, CORES(4) "%sexecution: activities\n", policies[seed % 3]);
    check(&b, try_tasks(&b, file, tasks, yaml));
    if (seed % 2) finish_in_pieces(&b, 3);
    else finish(&b);
    assert_int_equal(b.count, 40);
    for (size_t i = 0; i < b.count; i++)
      if (b.records[i].end > last) last = b.records[i].end;
    if (last < work * HC_SECOND - 200 || last > work * HC_SECOND + 2000)
      fail_msg("%sseed %d: all is done at %.9f, not %d", yaml, (int)seed, (double)last / 1e9, (int)work);
    end(&b);
    (void)unlink(file);
  }
}

/* ---- against a reference that recomputes everything ---- */

enum { REF_TASKS = 12, REF_STEPS = 3 };

typedef struct ref_task {
  double at, length, until[REF_STEPS], cores[REF_STEPS]; /* of its own progress */
  int steps, step;
  double done, end;
} ref_task;

/* The level of equal parts, by bisection. */
static double ref_level(const double *use, int n, double cores)
{
  double low = 0, high = cores;
  for (int k = 0; k < 200; k++) {
    const double mid = (low + high) / 2;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += use[i] < mid ? use[i] : mid;
    if (sum > cores) high = mid;
    else low = mid;
  }
  return low;
}

static void ref_run(ref_task *t, double cores, bool is_equal)
{
  for (double now = 0;;) {
    double use[REF_TASKS], sum = 0, next = 1e300, level;
    for (int i = 0; i < REF_TASKS; i++) {
      use[i] = t[i].at <= now && t[i].end < 0 ? t[i].cores[t[i].step] : 0;
      sum += use[i];
      if (t[i].at > now && t[i].at < next) next = t[i].at;
    }
    level = is_equal && sum > cores ? ref_level(use, REF_TASKS, cores) : 1e300;
    double share[REF_TASKS];
    for (int i = 0; i < REF_TASKS; i++) {
      share[i] = sum <= cores ? 1 : !is_equal ? cores / sum : use[i] > level ? level / use[i] : 1;
      if (!(use[i] > 0)) continue;
      const double until = t[i].step + 1 < t[i].steps ? t[i].until[t[i].step] : t[i].length;
      const double when = now + ((until < t[i].length ? until : t[i].length) - t[i].done) / share[i];
      if (when < next) next = when;
    }
    if (next > 1e299) return;
    for (int i = 0; i < REF_TASKS; i++) {
      if (!(use[i] > 0)) continue;
      t[i].done += (next - now) * share[i];
      if (t[i].done > t[i].length - 1e-9) t[i].end = next;
      else if (t[i].step + 1 < t[i].steps && t[i].done > t[i].until[t[i].step] - 1e-9) t[i].step++;
    }
    now = next;
  }
}

/* Random tasks of up to three steps of usage that come at random to a host of 4 cores, under both rules:
 * every end is that of the reference to a microsecond. */
static void test_reference(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    char tasks[4096], file[64];
    hc_draws d = {seed, 1, 0, 0, 0};
    ref_task t[REF_TASKS] = {0};
    size_t used = 0;
    double at = 0;
    bench b;
    for (int i = 0; i < REF_TASKS; i++) {
      ref_task *x = &t[i];
      double until = 0;
      at += (double)hc_random_below(&d, 6);
      *x = (ref_task){.at = at, .length = 5 + (double)hc_random_below(&d, 30), .end = -1};
      x->steps = 1 + (int)hc_random_below(&d, REF_STEPS);
      used +=
          (size_t)snprintf(tasks + used, sizeof tasks - used,
                           "- {id: %d, submit_time: %g, resources: {cpu_per_node: 4}, delay: %g, usage: [",
                           i + 1, x->at, x->length);
      for (int k = 0; k < x->steps; k++) {
        x->cores[k] = 0.5 * (double)(1 + hc_random_below(&d, 8));
        x->until[k] = until += 1 + (double)hc_random_below(&d, 15);
        if (k + 1 == x->steps) break;
        used += (size_t)snprintf(tasks + used, sizeof tasks - used, "{until: %g, cpu: %g}, ", x->until[k],
                                 x->cores[k]);
      }
      used += (size_t)snprintf(tasks + used, sizeof tasks - used, "{cpu: %g}]}\n", x->cores[x->steps - 1]);
    }
    ref_run(t, 4, seed % 2);
    check(&b,
          try_tasks(&b, file, tasks,
                    seed % 2
                        ? CORES(4) "execution: {use: activities, overcommit: [cpu=20], core_sharing: equal}\n"
                        : CORES(4) "execution: {use: activities, overcommit: [cpu=20]}\n"));
    if (seed % 3 == 0) finish_in_pieces(&b, 2);
    else finish(&b);
    for (int i = 0; i < REF_TASKS; i++) {
      const double end = (double)record_of(&b, i + 1)->end / 1e9;
      if (end < t[i].end - 1e-6 || end > t[i].end + 1e-6)
        fail_msg("seed %d: %stask %d ends at %.9f, not %.9f", (int)seed, tasks, i + 1, end, t[i].end);
    }
    end(&b);
    (void)unlink(file);
  }
}

/* ---- several executors on a host ---- */

#define EXECUTORS(id, at, hosts, cores, executors, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {nodes_count: " #hosts ", cpu_per_node: " #cores \
  "}, executors: " executors ", profile: " profile "}\n"

/* Batsim's tests of a job of four computations: on 4 hosts it takes 20, on 2 of two each twice as long,
 * on 3 where one has two of them as well, on 1 four times. As a parallel task and as computations that
 * share cores: of 10 and 30 on one host 10 is done at 20, and the other at 40. Filled: two a host of 2
 * cores, and 2 x 20 / 2. */
static void test_executors(void **state)
{
  const char *cell = "cell: {use: hosts, classes: [{name_prefix: h, count: 4, cpus: 2}]}\n";
#define TASK4 "{type: parallel_homogeneous, args: {cpu: 20}}"
  (void)state;
  TIMES(EXECUTORS(1, 0, 4, 1, "4", TASK4) EXECUTORS(2, 100, 2, 1, "4", TASK4)
            EXECUTORS(3, 200, 3, 1, "[0, 1, 2, 0]", TASK4) EXECUTORS(4, 300, 1, 1, "4", TASK4)
                EXECUTORS(5, 400, 2, 1, "[0, 0, 1, 1]", "{compute_homogeneous: 20}")
                    EXECUTORS(6, 500, 2, 1, "[0, 0, 1]", "{compute_vector: [10, 30, 35]}")
                        EXECUTORS(7, 600, 2, 2, "{count: 4, placement: fill}", "{compute_homogeneous: 20}")
                            EXECUTORS(8, 700, 2, 1, "[0, 0, 1]", "{parallel_task: {cpu: [10, 30, 35]}}"),
        cell, {0, 20}, {100, 140}, {200, 240}, {300, 380}, {400, 440}, {500, 540}, {600, 620}, {700, 740});
}

/* All four send 100 to each other, two a host: 4 pairs cross the cable of 100 each way, and within a host the
 * loopback of 1000 has one pair each way. */
static void test_executors_send(void **state)
{
  (void)state;
  TIMES(EXECUTORS(1, 0, 2, 1, "[0, 0, 1, 1]", "{communication_homogeneous: 100}"),
        "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 2}]}\n"
        "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}}\n",
        {0, 4});
}

static void test_executors_refused(void **state)
{
  (void)state;
  assert_refused(EXECUTORS(7, 0, 2, 1, "[0, 2]", "{compute_homogeneous: 20}"), "", HC_EINPUT,
                 "the host of an executor");
  assert_refused(EXECUTORS(7, 0, 2, 1, "{placement: fill}", "{compute_homogeneous: 20}"), "", HC_EINPUT,
                 "a `count`");
  assert_refused(EXECUTORS(7, 0, 1, 1, "3", "{compute_vector: [1, 2]}"), "", HC_EINPUT, "and the task has 3");
  assert_refused(EXECUTORS(7, 0, 1, 1, "2", BY(10, "{amdahl: 0.4}")), "", HC_EUNSUPPORTED,
                 "a law of speed-up");
  assert_refused("- {id: 7, submit_time: 0, resources: {cpu_per_node: 1}, executors: 2, delay: 5}\n", "",
                 HC_EUNSUPPORTED, "for a profile to say");
  assert_refused(
      "- {id: 7, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, spread: false, executors: 2, "
      "profile: {compute_homogeneous: 5}}\n",
      "", HC_EINPUT, "which has 1 different hosts");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws),
                                     cmocka_unit_test(test_slowest),
                                     cmocka_unit_test(test_profiles),
                                     cmocka_unit_test(test_roof_and_formulas),
                                     cmocka_unit_test(test_laws_refused),
                                     cmocka_unit_test(test_v20),
                                     cmocka_unit_test(test_same_on_each),
                                     cmocka_unit_test(test_again),
                                     cmocka_unit_test(test_cores_refused),
                                     cmocka_unit_test(test_v22),
                                     cmocka_unit_test(test_v21),
                                     cmocka_unit_test(test_containers),
                                     cmocka_unit_test(test_usage),
                                     cmocka_unit_test(test_slowest_host),
                                     cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_v42),
                                     cmocka_unit_test(test_use_falls),
                                     cmocka_unit_test(test_estimates),
                                     cmocka_unit_test(test_saved),
                                     cmocka_unit_test(test_turns),
                                     cmocka_unit_test(test_overcommit_refused),
                                     cmocka_unit_test(test_mm1_ps),
                                     cmocka_unit_test(test_conserved),
                                     cmocka_unit_test(test_executors),
                                     cmocka_unit_test(test_executors_send),
                                     cmocka_unit_test(test_executors_refused),
                                     cmocka_unit_test(test_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
