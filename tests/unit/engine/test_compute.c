/* test_compute.c -- how fast tasks compute, through whole runs: laws of speed-up, cores chosen at the start.
 *
 * V20 to V22 are vectors of DSLab's dslab-compute. */
#include "engine_test.h"

#include "base/mem.h"
#include "hindcast/execution.h"

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

/* ---- runs of native workloads ---- */

static hc_rc try_tasks(bench *b, char *file, const char *tasks, const char *yaml)
{
  char text[4096];
  write_log(file, tasks, strlen(tasks));
  (void)snprintf(text, sizeof text, "paranoid: true\nsource: {use: native, file: %s}\n%s%s%s", file,
                 strstr(yaml, "execution:") ? "" : MODEL, strstr(yaml, "cell:") ? "" : ONE, yaml);
  return try_begin(b, text, 8, NULL, 0, own);
}

/* Task i + 1 runs from times[i][0] to times[i][1], in s to 2 ns: in one piece, and saved and restored after
 * each instant. */
static void assert_times(const char *tasks, const char *yaml, size_t count, const double (*times)[2])
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    char file[64];
    check(&b, try_tasks(&b, file, tasks, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      const double start = (double)r->start - times[i][0] * 1e9, off = (double)r->end - times[i][1] * 1e9;
      if (start < -2 || start > 2 || off < -2 || off > 2)
        fail_msg("%s%s: task %zu: %.9f to %.9f, not %.9f to %.9f", tasks, yaml, i + 1, (double)r->start / 1e9,
                 (double)r->end / 1e9, times[i][0], times[i][1]);
    }
    end(&b);
    (void)unlink(file);
  }
}
#define TIMES(tasks, yaml, ...) \
  assert_times(tasks, yaml, COUNT(((const double[][2]){__VA_ARGS__})), (const double[][2]){__VA_ARGS__})

static void assert_refused(const char *tasks, const char *yaml, hc_rc expected, const char *text)
{
  bench b;
  char file[64];
  hc_rc rc = try_tasks(&b, file, tasks, yaml);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc != expected || !strstr(b.error.text, text))
    fail_msg("%s%s: %s %s:%u: %s", tasks, yaml, hc_rc_name(rc), b.error.where, b.error.line, b.error.text);
  end(&b);
  (void)unlink(file);
}

#define ON(id, at, hosts, cores, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {nodes_count: " #hosts ", cpu_per_node: " #cores \
  "}, profile: " profile "}\n"
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

static void test_laws_refused(void **state)
{
  (void)state;
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws),     cmocka_unit_test(test_slowest),
                                     cmocka_unit_test(test_profiles), cmocka_unit_test(test_laws_refused),
                                     cmocka_unit_test(test_v20),      cmocka_unit_test(test_same_on_each),
                                     cmocka_unit_test(test_again),    cmocka_unit_test(test_cores_refused),
                                     cmocka_unit_test(test_v22)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
