/* test_profiles.c -- what tasks do while they run, through whole runs: lengths that can be worked out by
 * hand, what a profile may do, limits, suspension, stops, what is refused and where it says so, and that a
 * run in the middle of it is a value.
 *
 * V23 and others of that kind are vectors of DSLab-CS: a process has its cores for itself, and what it
 * computes at once shares them evenly. */
#include "scarce_test.h"

#include "base/math.h"
#include "base/mem.h"
#include "hindcast/profile.h"
#include "sample.h"

/* ---- runs of native workloads ---- */

typedef struct work {
  char tasks[64], profiles[64];
} work;

static void put(work *w, const char *tasks, const char *profiles)
{
  write_log(w->tasks, tasks, strlen(tasks));
  write_log(w->profiles, profiles, strlen(profiles));
}

static void drop(const work *w)
{
  (void)unlink(w->tasks);
  (void)unlink(w->profiles);
}

#define HOSTS "cell: {use: hosts, classes: [{name_prefix: c, count: 8, cpus: 4}]}\n"
#define MODEL "execution: {use: activities, cpu_speed: 1}\n"

static const hc_component *const own_profiles[7];

static hc_rc try_work(bench *b, work *w, const char *tasks, const char *profiles, const char *yaml)
{
  char text[2048];
  put(w, tasks, profiles);
  (void)snprintf(text, sizeof text, "paranoid: true\nsource: {use: native, file: %s, profiles: %s}\n%s%s%s",
                 w->tasks, w->profiles, strstr(yaml, "execution:") ? "" : MODEL,
                 strstr(yaml, "cell:") ? "" : HOSTS, yaml);
  return try_begin(b, text, 8, NULL, 0, own_profiles);
}

/* Task i + 1 runs from times[i][0] to times[i][1]: in one piece, and saved and restored after each
 * instant. */
static void assert_times(const char *tasks, const char *profiles, const char *yaml, size_t count,
                         const int64_t (*times)[2])
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    work w;
    check(&b, try_work(&b, &w, tasks, profiles, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != times[i][0] || end_of(&b, (int64_t)i + 1) != times[i][1])
        fail_msg("%s%s: task %zu: %" PRId64 " to %" PRId64, tasks, yaml, i + 1, start_of(&b, (int64_t)i + 1),
                 end_of(&b, (int64_t)i + 1));
    end(&b);
    drop(&w);
  }
}
#define TIMES(tasks, profiles, yaml, ...) \
  assert_times(tasks, profiles, yaml, COUNT(((const int64_t[][2]){__VA_ARGS__})), \
               (const int64_t[][2]){__VA_ARGS__})

#define ON(id, at, hosts, cores, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {nodes_count: " #hosts ", cpu_per_node: " #cores \
  "}, profile: " profile "}\n"

/* ---- lengths ---- */

#define THESIS \
  "c1000: {type: compute-homogenous, args: {compute_work: 1000}}\n" \
  "c10000: {type: compute-homogenous, args: {compute_work: 10000}}\n" \
  "other: c1000\n" \
  "advanced_parallel:\n" \
  "  type: parallel\n" \
  "  args:\n" \
  "    profiles:\n" \
  "      - {type: sequence, args: {profiles: [c1000, c10000], repeat: 2}}\n" \
  "      - {type: sequence, args: {profiles: [c10000, c10000, c1000], repeat: 4}}\n"

/* V23, on 2 cores at speed 1: six at once share them until 6 x 1000 / 2 = 3000, then three have 9000 left
 * each: 27000 / 2 more. One after the other 11000 / 2. Of the thesis's own, the first branch has 22000 to
 * do at half the pace, and all is 22000 + 84000 of work on 2 cores. */
static void test_thesis(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 1, 2, "{parallel: [c1000, c10000, c1000, c10000, c1000, c10000]}")
            ON(2, 0, 1, 2, "{sequence: [c1000, c10000]}") ON(3, 0, 1, 2, "advanced_parallel")
                ON(4, 0, 1, 2, "{type: compute_homogeneous, args: {compute_work: 1000}}")
                    ON(5, 0, 1, 2, "{sequence: [{parallel: [c1000, c10000, c1000, c10000, other, c10000]}]}")
                        ON(6, 0, 3, 2, "advanced_parallel"),
        THESIS, "", {0, 16500}, {0, 5500}, {0, 53000}, {0, 500}, {0, 16500}, {0, 53000});
  TIMES(ON(1, 0, 1, 2, "c1000"), THESIS, "execution: activities\n", {0, 0}); /* 0.5 s at DSLab's 1000 */
}

/* Ends within: the 1000s of V23 at 3000, the first branch of the thesis's own at 22000: a parallel of it
 * and a sleep ends with the longer. A round of a repeated group begins when the last has ended. */
static void test_combinators(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 1, 1, "{parallel: [{idle: 30}, {delay: 20}]}")
            ON(2, 0, 2, 1, "{type: sequence, args: {repeat: 3, profiles: [{idle: 2}, {delay: 5}]}}")
                ON(3, 0, 1, 1, "{type: parallel, args: {repeat: 4, profiles: [{idle: 2}, {delay: 5}]}}")
                    ON(4, 0, 2, 1, "{compute_vector: [10, 40]}") ON(5, 0, 1, 1, "{idle: 0}"),
        "", "", {0, 30}, {0, 21}, {0, 20}, {0, 40}, {0, 0});
  /* Two processes, of which 1 computes 40 beside what both do: with 20 of its own first shared, 20 + 40 in
   * all; then the other waits for it. */
  TIMES(ON(1, 0, 2, 1,
           "{type: parallel, args: {repeat: 2, profiles: [{compute_vector: [10, 40]}, "
           "{compute_homogeneous: 20}]}}"),
        "", "", {0, 120});
}

/* Without a network what sends nothing may be: 10 of work on 2 workers, and 5 of the master. */
static void test_sends_nothing(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 3, 1, "{type: master-workers, args: {master_compute_work: 5, worker_compute_work: 10}}"), "",
        "", {0, 15});
}

/* Hosts of speed 2 and 1/2: each process at its host's, so the slowest counts once, and not again by the
 * engine; a vector that gives the slow one less evens it out. A task that only lasts takes its time on its
 * slowest. */
static void test_speeds(void **state)
{
  const char *cell = "cell: {use: hosts, classes: [{name_prefix: a, count: 1, cpus: 4, speed: 2}, "
                     "{name_prefix: b, count: 1, cpus: 4, speed: 0.5}]}\n";
  (void)state;
  TIMES(ON(1, 0, 2, 1, "{compute_homogeneous: 100}") ON(2, 0, 2, 1, "{compute_vector: [400, 100]}")
            ON(3, 0, 2, 1,
               "{idle: 50}") "- {id: 4, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, delay: "
                             "50}\n",
        "", cell, {0, 200}, {0, 200}, {0, 50}, {0, 100});
}

/* Where processors are only counted, each is a process with one core. */
static void test_counted(void **state)
{
  const char *tasks = "- {id: 1, submit_time: 0, procs: 3, profile: {compute_vector: [10, 20, 30]}}\n"
                      "- {id: 2, submit_time: 0, procs: 8, profile: {compute_homogeneous: 10}}\n";
  (void)state;
  TIMES(tasks, "", "cell: {use: count, procs: 8}\n", {0, 30}, {30, 40});
  TIMES(tasks, "", "cell: {use: intervals, procs: 8}\n", {0, 30}, {30, 40});
}

/* ---- what a profile may do: profiles of the test's own ---- */

typedef struct none {
  int64_t unused;
} none;

/* Sleeps 10 and 100; does not wait longer than 20: then stops the rest, and computes 7. */
static hc_rc impatient(hc_profile *p)
{
  uint64_t *s = p->state;
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_sleep(p, 10 * HC_SECOND, 1);
  s[0] = hc_profile_sleep(p, 100 * HC_SECOND, 2);
  HC_WAIT_ALL_FOR(p, 20 * HC_SECOND);
  assert_true(p->timed_out && p->active == 1 && p->failures == 0);
  p->calls->cancel(p, s[0]);
  p->calls->cancel(p, s[0]); /* nothing */
  assert_int_equal(p->active, 0);
  (void)hc_profile_compute(p, 0, 7, 3);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.tag, 3);
  assert_int_equal(p->ended.how, HC_ACT_OK);
  HC_PROFILE_END(p);
}

/* Which of two comes first; it goes on without the other, which goes with it. */
static hc_rc first(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_sleep(p, 50 * HC_SECOND, 1);
  (void)hc_profile_compute(p, 0, 20, 2);
  HC_WAIT_ANY_FOR(p, 30 * HC_SECOND);
  assert_false(p->timed_out);
  assert_int_equal(p->ended.tag, 2);
  assert_int_equal(p->calls->now(p), 20 * HC_SECOND);
  HC_PROFILE_END(p);
}

static hc_rc fails(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_sleep(p, 5 * HC_SECOND, 0);
  HC_WAIT_ALL(p);
  return HC_PROFILE_FAILED;
  HC_PROFILE_END(p);
}

typedef struct inside {
  hc_chosen part;
} inside;

/* Tries a part, and if it has failed does something else. */
static hc_rc tries(hc_profile *p)
{
  const inside *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_start(p, &o->part, 0);
  HC_WAIT_ALL(p);
  if (p->failures > 0) {
    p->failures = 0;
    (void)hc_profile_sleep(p, 9 * HC_SECOND, 0);
    HC_WAIT_ALL(p);
  }
  HC_PROFILE_END(p);
}

/* Process 1 is released while it computes: that is cancelled, and what is started on it later has failed. */
static hc_rc releases(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_compute(p, 1, 1000, 1);
  (void)hc_profile_compute(p, 0, 10, 2);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.tag, 2);
  p->calls->release(p, 1);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.how, HC_ACT_CANCELLED);
  (void)hc_profile_compute(p, 1, 10, 3);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.how, HC_ACT_FAILED);
  p->failures = 0;
  HC_PROFILE_END(p);
}

static hc_rc waits(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  HC_WAIT_ANY(p);
  HC_PROFILE_END(p);
}

static const hc_param inside_params[] = {HC_PARAM(COMPONENT, inside, part, HC_KIND_PROFILE, NULL, "What."),
                                         {0}};

#define OWN(function) \
  static const hc_profile_type own_##function = { \
      .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = #function, \
                    .summary = "of the test", .options_size = sizeof(none)}, \
      .state_size = 8, \
      .resume = function}
OWN(impatient);
OWN(first);
OWN(fails);
OWN(releases);
OWN(waits);
static const hc_profile_type own_tries = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "tries",
                  .summary = "of the test", .params = inside_params, .options_size = sizeof(inside)},
    .resume = tries};
static const hc_component *const own_profiles[7] = {&own_impatient.component,
                                                    &own_first.component,
                                                    &own_fails.component,
                                                    &own_releases.component,
                                                    &own_waits.component,
                                                    &own_tries.component,
                                                    NULL};

static void test_calls(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 1, 1, "impatient") ON(2, 0, 1, 1, "first") ON(3, 0, 1, 1, "{tries: fails}")
            ON(4, 0, 1, 1, "{tries: {sequence: [fails, {idle: 100}]}}") ON(5, 0, 2, 1, "releases")
                ON(6, 0, 1, 1, "{tries: {parallel: [{idle: 3}, first]}}"),
        "", "", {0, 27}, {0, 20}, {0, 14}, {0, 14}, {0, 10}, {0, 20});
}

/* A profile that fails ends its task, which has not completed: what waits for its success waits in vain. */
static void test_failed(void **state)
{
  const char *tasks =
      ON(1, 0, 1, 1,
         "fails") "- {id: 2, submit_time: 0, resources: {cpus: 1}, profile: {idle: 1}}\n"
                  "- {id: 3, submit_time: 0, resources: {cpus: 1}, collection_id: 8, execution_index: 0, "
                  "profile: fails}\n"
                  "- {id: 4, submit_time: 0, resources: {cpus: 1}, collection_id: 8, execution_index: 1, "
                  "after_ok: 0, "
                  "profile: {idle: 1}}\n";
  bench b;
  work w;
  (void)state;
  check(&b, try_work(&b, &w, tasks, "", ""));
  finish(&b);
  assert_int_equal(end_of(&b, 1), 5);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
  assert_true(record_of(&b, 1)->flags & HC_TASK_FAILED);
  assert_int_equal(record_of(&b, 1)->run, 5 * HC_SECOND);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_COMPLETED);
  assert_int_equal(b.records[3].final, HC_FINAL_HELD);
  end(&b);
  drop(&w);
}

/* ---- over a network ---- */

#define TWO "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 8}]}\n"
#define SENDS(from, to, size) \
  "{type: communication-src-dst, args: {src: [" #from "], dst: [" #to "], size: " #size "}}"

/* Task i + 1 ends at ends[i] seconds, to 2 ns: in one piece and in many. */
static void assert_ends(const char *tasks, const char *yaml, size_t count, const double *ends)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    work w;
    check(&b, try_work(&b, &w, tasks, "", yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const double off = (double)record_of(&b, (int64_t)i + 1)->end - ends[i] * 1e9;
      if (off < -2 || off > 2)
        fail_msg("%s%s: task %zu ends at %.9f, not %.9f", tasks, yaml, i + 1,
                 (double)record_of(&b, (int64_t)i + 1)->end / 1e9, ends[i]);
    }
    end(&b);
    drop(&w);
  }
}
#define ENDS(tasks, yaml, ...) \
  assert_ends(tasks, yaml, COUNT(((const double[]){__VA_ARGS__})), (const double[]){__VA_ARGS__})
#define GRAPH(...) \
  "execution: {use: activities, cpu_speed: 1, network: {use: graph, connections: [" __VA_ARGS__ "]}}\n"

/* V14: one cable of 100 between two hosts, l transfers of 1000 one way and r the other, all at once: 10 (l
 * + r) if both ways share it, 10 max(l, r) if each is its own, 10 if nothing is shared. */
static void test_duplex(void **state)
{
  static const char *const duplex[] = {"half", "full", "fatpipe"};
  (void)state;
  for (int l = 1; l <= 5; l += 2)
    for (int r = 1; r <= 5; r++)
      for (int k = 0; k < 3; k++) {
        char tasks[2048] = "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: "
                           "{parallel: [",
             yaml[256];
        const double end = 10 * (k == 0 ? l + r : k == 1 ? (l > r ? l : r) : 1);
        for (int i = 0; i < l + r; i++)
          (void)strcat(strcat(tasks, i < l ? SENDS(0, 1, 1000) : SENDS(1, 0, 1000)), ", ");
        (void)strcat(tasks, "{idle: 0}]}}\n");
        (void)snprintf(yaml, sizeof yaml, TWO GRAPH("{from: h-0, to: h-1, bandwidth: 100, duplex: %s}"),
                       duplex[k]);
        ENDS(tasks, yaml, end);
      }
}

/* V15: a ring of one-way links of 100, latency 0.1: three flows of two links each. V16: two ways, of which
 * the one of less latency is taken. */
static void test_routes(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 3, 1, "{parallel: [" SENDS(0, 2, 1000) ", " SENDS(1, 0, 1000) ", " SENDS(2, 1, 1000) "]}"),
       "cell: {use: hosts, classes: [{name_prefix: h, count: 3, cpus: 8}]}\n" GRAPH(
           "{from: h-0, to: h-1, bandwidth: 100, latency: 0.1, duplex: one_way}, "
           "{from: h-1, to: h-2, bandwidth: 100, latency: 0.1, duplex: one_way}, "
           "{from: h-2, to: h-0, bandwidth: 100, latency: 0.1, duplex: one_way}"),
       20.2);
  ENDS(ON(1, 0, 2, 1, SENDS(0, 1, 1000)),
       TWO GRAPH(
           "{from: h-0, to: m1, bandwidth: 1000, latency: 1}, {from: m1, to: h-1, bandwidth: 1000, latency: "
           "0.1}, {from: h-0, to: m2, bandwidth: 100, latency: 0.1}, {from: m2, to: h-1, bandwidth: 100, "
           "latency: 0.1}"),
       10.2);
}

/* V17 and V18: 1000 within a host and 1000 between two, and 500 and 500 at 10; 10 bytes/s between hosts,
 * 1000 within one, latency 0.1. Shared: until 10.1 one flow has 100 done, then both have 5, 500 take 100,
 * and 400 are left. */
static void test_simple(void **state)
{
  const char *tasks = ON(1, 0, 1, 1, "{type: communication-matrix, args: {matrix: [[1000]]}}")
      ON(2, 0, 2, 1, "{type: communication-matrix, args: {matrix: [[0, 1000], [0, 0]]}}")
          ON(3, 10, 1, 1, "{communication_matrix: [500]}") ON(4, 10, 2, 1, SENDS(0, 1, 500));
  (void)state;
  ENDS(tasks,
       TWO
       "execution: {use: activities, network: {use: constant, bandwidth: 10, latency: 0.1, local_bandwidth: "
       "1000}}\n",
       1.0, 100.1, 10.5, 60.1);
  ENDS(tasks,
       TWO
       "execution: {use: activities, network: {use: shared, bandwidth: 10, latency: 0.1, local_bandwidth: "
       "1000}}\n",
       1.0, 150.1, 10.5, 110.1);
}

/* V19: three clients behind one switch send to two servers behind another, and each gets an answer of 500
 * less what it sent, when all of that is there. */
static void test_topology(void **state)
{
  const char *tasks =
      "- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, hosts: [c1, v1], profile: "
      "{sequence: "
      "[" SENDS(0, 1, 100) ", " SENDS(
          1, 0,
          400) "]}}\n"
               "- {id: 2, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, hosts: [c2, v2], "
               "profile: {sequence: "
               "[" SENDS(0, 1, 200) ", " SENDS(
                   1, 0,
                   300) "]}}\n"
                        "- {id: 3, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, hosts: "
                        "[c3, v1], profile: {sequence: "
                        "[" SENDS(0, 1, 400) ", " SENDS(1, 0, 100) "]}}\n";
  (void)state;
  ENDS(tasks,
       "cell: {use: hosts, classes: [{name: c1, cpus: 4}, {name: c2, cpus: 4}, {name: c3, cpus: 4}, "
       "{name: v1, cpus: "
       "4}, {name: v2, cpus: 4}]}\n" GRAPH(
           "{from: c1, to: s1, bandwidth: 100, latency: 0.1}, {from: c2, to: s1, "
           "bandwidth: 90, latency: 0.1}, {from: c3, to: s1, bandwidth: 50, "
           "latency: 0.1}, {from: v1, to: s2, bandwidth: 90, latency: 0.1}, "
           "{from: v2, to: s2, bandwidth: 20, latency: 0.1}, {from: s1, to: s2, "
           "bandwidth: 50, latency: 0.1}"),
       18.2, 27.2, 58.6 / 3);
}

#define STAR "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}}\n"

/* A master's cable carries 2 x 1000 in 20; 100 of work; then its own 50. All to all on cables of 100: each
 * sends 2 x 1000. A parallel task is as long as its longest: 50 of work, or 30 where its cable is the
 * bottleneck. From a host outside 1000 come while 500 go there. */
static void test_patterns(void **state)
{
  (void)state;
  ENDS(
      ON(1, 0, 3, 1,
         "{type: master-workers, args: {master_compute_work: 50, worker_compute_work: 100, "
         "data_transfer_size: "
         "1000}}") ON(2, 1000, 3, 1, "{communication_homogeneous: 1000}")
          ON(3, 2000, 2, 1, "{parallel_task: {cpu: [50, 10], com: [[0, 1000], [0, 0]]}}") ON(
              4, 3000, 2, 1, "{parallel_task: {cpu: [5, 10], com: [[0, 3000], [1000, 0]]}}")
              ON(5, 4000, 3, 1, "{type: parallel_homogeneous, args: {cpu: 30, com: 2000}}") ON(
                  6, 5000, 1, 1,
                  "{type: communication-external, args: {processes: [0], input_size: 1000, output_size: 500, "
                  "host: 7}}") ON(7, 6000, 2, 2, "{parallel_task: {cpu: [60, 10]}}")
                  ON(8, 7000, 4, 1, "{type: parallel_homogeneous, args: {cpu: 40, total: true}}"),
      STAR, 170, 1020, 2050, 3030, 4040, 5010, 6030, 7010);
  /* Computation and communication do not slow each other: the thesis's parallel of both. */
  ENDS(ON(1, 0, 5, 2, "{parallel: [{compute_homogeneous: 1000}, {communication_homogeneous: 1000}]}")
           ON(2, 1000, 5, 2, "{parallel: [{compute_homogeneous: 10}, {communication_homogeneous: 1000}]}"),
       STAR, 500, 1040);
}

/* Two of the whole machine in turns: what is suspended takes nothing of the network, so each sends its 1000
 * in its own 10 s. */
static void test_flows_by_turns(void **state)
{
  const char *task = "{parallel: [" SENDS(0, 1, 1000) ", {idle: 4}]}";
  char tasks[1024];
  (void)state;
  (void)snprintf(tasks, sizeof tasks,
                 "- {id: 1, submit_time: 0, resources: {nodes_count: 8, cpu_per_node: 4}, profile: %s}\n"
                 "- {id: 2, submit_time: 0, resources: {nodes_count: 8, cpu_per_node: 4}, profile: %s}\n",
                 task, task);
  ENDS(tasks, "policy: {use: gang, quantum: 3s}\n" STAR, 19, 20);
}

/* A task that is stopped in the middle of its transfer gives its share back: 1 and 2 both send to host 1.
 * From 0 to 4 each has 50; then 2 loses its hosts, and 1 sends its last 800 at 100. */
static void test_stopped_flow(void **state)
{
  (void)state;
  ENDS("- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, hosts: [c-0, c-1], "
       "profile: " SENDS(
           0, 1, 1000) "}\n"
                       "- {id: 2, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, hosts: [c-1, "
                       "c-2], profile: " SENDS(1, 0, 1000) "}\n",
       STAR "host_loss: lost\nevents: {use: list, changes: [{at: 4, hosts: c-2, change: down}]}\n", 12, 4);
}

/* ---- limits, suspension, stops ---- */

#define LIMITED(id, at, hosts, limit, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {nodes_count: " #hosts \
  ", cpu_per_node: 4}, wall_time_limit: " #limit ", profile: " profile "}\n"

/* Work that is done exactly at its limit is done. EASY believes requests: 2 takes all from 20 on, when 1 is
 * believed to end; 3 ends by then, 4 would not. */
static void test_limits(void **state)
{
  const char *tasks = LIMITED(1, 0, 4, 20, "{compute_homogeneous: 40}") LIMITED(2, 1, 8, 10, "{idle: 10}")
      LIMITED(3, 1, 2, 19, "{idle: 50}") LIMITED(4, 2, 1, 30, "{idle: 5}");
  bench b;
  work w;
  (void)state;
  TIMES(tasks, "", "policy: easy\n", {0, 10}, {20, 30}, {1, 20}, {30, 35});
  TIMES(tasks, "", "policy: easy\noverrun: run_on\n", {0, 10}, {51, 61}, {1, 51}, {61, 66});
  check(&b, try_work(&b, &w, tasks, "", "policy: easy\n"));
  finish(&b);
  assert_int_equal(record_of(&b, 3)->final, HC_FINAL_KILLED);
  assert_int_equal(record_of(&b, 2)->final, HC_FINAL_COMPLETED);
  assert_false(record_of(&b, 3)->flags & HC_TASK_FAILED);
  assert_int_equal(record_of(&b, 1)->run, 10 * HC_SECOND);
  end(&b);
  drop(&w);
}

/* Without a limit a task is believed to take what its profile takes alone, where that is known: 1 is
 * believed to end at 10, so that 3 may not go before 2. Of a sleep beside a computation it is not: 1 is
 * then believed never to end. */
static void test_alone(void **state)
{
  (void)state;
  TIMES(ON(1, 0, 4, 4, "{compute_homogeneous: 40}") ON(2, 0, 8, 4, "{idle: 10}") ON(3, 0, 4, 4, "{idle: 11}"),
        "", "policy: easy\n", {0, 10}, {10, 20}, {20, 31});
  TIMES(ON(1, 0, 4, 4, "{parallel: [{compute_homogeneous: 40}, {idle: 1}]}") ON(2, 0, 8, 4, "{idle: 10}")
            ON(3, 0, 4, 4, "{idle: 11}"),
        "", "policy: easy\n", {0, 10}, {11, 21}, {0, 11});
}

/* Two of full width in turns of 3 s: each does its 10 in its own turns, A [0,3) [6,9) [12,15) [18,19),
 * whatever it does: compute, sleep, or both one after the other. A limit waits with its task, and so does a
 * wait for 20: the impatient one takes that and 7 / 4, of which it has had 9 when it is alone: 19 + 12.75. */
static void test_gang(void **state)
{
  const char *yaml = "policy: {use: gang, quantum: 3s}\n";
  (void)state;
  TIMES(LIMITED(1, 0, 8, 10, "{compute_homogeneous: 40}") LIMITED(2, 0, 8, 10, "{idle: 10}"), "", yaml,
        {0, 19}, {3, 20});
  TIMES(LIMITED(1, 0, 8, 10,
                "{sequence: [{idle: 2}, {compute_homogeneous: 16}, {parallel: [{idle: 3}, "
                "{compute_homogeneous: 16}]}]}") LIMITED(2, 0, 8, 100, "impatient"),
        "", yaml, {0, 19}, {3, 31});
}

/* What is stopped and waits again begins anew: 2, of higher priority, takes the hosts of 1 at 4; 1 does all
 * of its 10 after it. A host that goes away does the same. */
static void test_stops(void **state)
{
  bench b;
  work w;
  (void)state;
  TIMES("- {id: 1, submit_time: 0, resources: {nodes_count: 8, cpu_per_node: 4}, priority: 0, profile: "
        "{compute_homogeneous: 40}}\n"
        "- {id: 2, submit_time: 4, resources: {nodes_count: 8, cpu_per_node: 4}, priority: 5, profile: "
        "{idle: 5}}\n",
        "", "policy: {use: batch, order: priority, preempt: {use: priority, on_preempt: requeue}}\n", {9, 19},
        {4, 9});
  TIMES(ON(1, 0, 8, 4, "{compute_homogeneous: 40}"), "",
        "events: {use: list, changes: [{at: 4, hosts: c-0, change: down, until: 6}]}\n", {6, 16});
  check(&b,
        try_work(
            &b, &w,
            ON(1, 0, 8, 4,
               "{idle: 9}") "- {id: 2, submit_time: 4, resources: {nodes_count: 8, cpu_per_node: 4}, "
                            "priority: 5, "
                            "profile: {idle: 5}}\n",
            "", "policy: {use: batch, order: priority, preempt: {use: priority, on_preempt: checkpoint}}\n"));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "task 1 is stopped and is to go on later"));
  end(&b);
  drop(&w);
}

/* ---- what is refused ---- */

static void assert_refused(const char *tasks, const char *profiles, const char *yaml, hc_rc expected,
                           uint32_t line, const char *text)
{
  bench b;
  work w;
  hc_rc rc = try_work(&b, &w, tasks, profiles, yaml);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc != expected || !strstr(b.error.text, text) || (line > 0 && b.error.line != line))
    fail_msg("%s%s%s: %s %s:%u: %s", tasks, profiles, yaml, hc_rc_name(rc), b.error.where, b.error.line,
             b.error.text);
  end(&b);
  drop(&w);
}

static void test_files(void **state)
{
  const char *one = ON(1, 0, 1, 1, "x");
  (void)state;
  assert_refused(
      one, "a: {sequence: [b]}\nb: {sequence: [a]}\n", "", HC_EUSAGE, 1,
      "\"b\" stands below: a profile is defined above those that name it, so that none contains itself");
  assert_refused(one, "y: {idle: 1}\n", "", HC_EUSAGE, 1, "no profile \"x\" is defined");
  assert_refused(one, "\nx: {type: compute-homogenus, args: {compute_work: 1}}\n", "", HC_EUSAGE, 2,
                 "did you mean \"compute_homogeneous\"");
  assert_refused(one, "x: {type: idle, args: {tme: 1}}\n", "", HC_EUSAGE, 1, "did you mean \"time\"");
  assert_refused(one, "x:\n  type: idle\n  args: {time: long}\n", "", HC_EUSAGE, 3, "expected a time");
  assert_refused(one, "x: {type: compute_homogeneous, args: {compute_work: -1}}\n", "", HC_EUSAGE, 1,
                 "compute_work: expected an amount");
  assert_refused(one, "y: {idle: 1}\nx: {type: y, args: {time: 2}}\n", "", HC_EUSAGE, 2, "takes no others");
  assert_refused(one, "x: {type: idle, args: {time: 1}, arg: 2}\n", "", HC_EUSAGE, 1, "no \"arg\"");
  assert_refused(one, "x: {type: communication-matrix, args: {matrix: [[1, 2], [3]]}}\n", "", HC_EUSAGE, 1,
                 "each row of a matrix is a list as long as the first one");
  assert_refused(one, "a: {sequence: [{idle: 1}, {idle: 2}]}\nx: [a, a]\n", "", HC_EUSAGE, 2, "a profile is");
}

/* Ten to the power of six parts in seven lines. */
static void test_bomb(void **state)
{
  char text[2048] = "a0: {sequence: [{idle: 1}, {idle: 1}]}\n";
  (void)state;
  for (int i = 1; i < 7; i++) {
    char line[256];
    (void)snprintf(line, sizeof line, "a%d: {sequence: [a%d, a%d, a%d, a%d, a%d, a%d, a%d, a%d, a%d, a%d]}\n",
                   i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    (void)strcat(text, line);
  }
  assert_refused(ON(1, 0, 1, 1, "a0"), text, "", HC_ELIMIT, 6, "when the names in it are written out");
}

/* A sequence that never lets time go on ends with an error, after ten million rounds. */
static void test_endless(void **state)
{
  (void)state;
  hc_test_skip_repeated();
  assert_refused(ON(7, 0, 1, 1, "{type: sequence, args: {profiles: [{idle: 0}], repeat: 1000000000000}}"), "",
                 "", HC_ELIVELOCK, 0, "at one time");
}

static void test_refused(void **state)
{
  const char *one = ON(7, 0, 2, 1, "{idle: 1}");
  bench b;
  work w;
  (void)state;
  assert_refused(ON(7, 0, 2, 1, "{compute_vector: [1, 2, 3]}"), "", "", HC_EINPUT, 0,
                 "has the work of 3 processes, and the task has 2");
  assert_refused(ON(7, 0, 2, 1, "{type: disk-ops, args: {processes: [0], read_size: 5}}"), "", "",
                 HC_EUNSUPPORTED, 0, "has no disk");
  assert_refused(ON(7, 0, 2, 1, "{communication_homogeneous: 5}"), "", "", HC_EUNSUPPORTED, 0, "no network");
  assert_refused(ON(7, 0, 1, 1, "{parallel: [{idle: 1}, {idle: 1}, {idle: 1}, {idle: 1}]}"), "",
                 "execution: {use: activities, max_activities: 5}\n", HC_ELIMIT, 0,
                 "more than 5 things at once");
  assert_refused(ON(7, 0, 1, 1, "waits"), "", "", HC_EINPUT, 0, "waits and has started nothing");
  assert_refused("- {id: 7, submit_time: 0, procs: 2, profile: {idle: 1}}\n", "",
                 "cell: {use: count, procs: 8}\nexecution: {use: activities, network: star}\n",
                 HC_EUNSUPPORTED, 0, "a network connects hosts");
  assert_refused(ON(7, 0, 8, 1, "{communication_homogeneous: 5}"), "",
                 "execution: {use: activities, network: star, max_activities: 55}\n", HC_ELIMIT, 0,
                 "more than 55 things");
  assert_refused(ON(7, 0, 1, 1, SENDS(0, 1, 10)), "", STAR, HC_EINPUT, 0, "names process 1");
  assert_refused(
      ON(7, 0, 1, 1, "{type: communication_external, args: {processes: [0], input_size: 1, host: 99}}"), "",
      STAR, HC_EINPUT, 0, "talks to host 99");
  assert_refused(one, "", "oracle: true\n", HC_EUNSUPPORTED, 0, "oracle");
  assert_refused(one, "", "overrun: extend\n", HC_EUNSUPPORTED, 0, "overrun");
  assert_refused(one, "", "transforms: {use: scale, method: run, factor: 2}\n", HC_EUNSUPPORTED, 0,
                 "changes how long tasks run");
  assert_refused("- {id: 7, submit_time: 0, resources: {cpus: 1}, profile: {idle: 9}, resizes: [{after: 1, "
                 "resources: {cpus: 2}}]}\n",
                 "", "", HC_EUNSUPPORTED, 0, "changes its demand while it runs");
  assert_refused(one, "", "end_order: start\n", HC_EUNSUPPORTED, 0, "end_order");
  check(&b, try_work(&b, &w, ON(7, 0, 2, 1, "{compute_vector: [1, 2, 3]}"), "", ""));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EINPUT);
  assert_string_equal(b.error.where, "task 7");
  end(&b);
  drop(&w);
}

/* Without a model a profile is worked out to a length, as ever. */
static void test_without(void **state)
{
  bench b;
  char text[512];
  work w;
  (void)state;
  put(&w, ON(1, 0, 1, 2, "c1000"), THESIS);
  (void)snprintf(text, sizeof text, HOSTS "source: {use: native, file: %s, profiles: %s, cpu_speed: 1}\n",
                 w.tasks, w.profiles);
  check(&b, try_begin(&b, text, 8, NULL, 0, NULL));
  finish(&b);
  assert_int_equal(end_of(&b, 1), 500);
  end(&b);
  drop(&w);
}

/* Random mixtures of all that needs no network, of 1 to 8 hosts, under EASY with limits: the same with
 * names and without, with two threads, and saved every few instants. Nothing is left when all have ended. */
static void test_mixture(void **state)
{
  static const char *const kinds[] = {
      "{idle: 7}",
      "c1000",
      "{parallel: [c1000, {idle: 3}, {compute_homogeneous: 77}]}",
      "impatient",
      "{type: sequence, args: {repeat: 3, profiles: [{idle: 1.5}, {compute_homogeneous: 10}]}}",
      "{tries: fails}",
      "{type: parallel, args: {repeat: 2, profiles: [c10000, other]}}"};
  static char tasks[32768];
  hc_draws d = {5, 0, 0, 0, 0};
  char digests[3][33];
  size_t used = 0;
  (void)state;
  for (int i = 0, at = 0; i < 150; i++) {
    at += (int)hc_random_below(&d, 40);
    used += (size_t)snprintf(tasks + used, sizeof tasks - used,
                             "- {id: %d, submit_time: %d, resources: {nodes_count: %d, cpu_per_node: %d}, "
                             "wall_time_limit: %d, profile: %s}\n",
                             i + 1, at, 1 + (int)hc_random_below(&d, 8), 1 + (int)hc_random_below(&d, 4),
                             10 + (int)hc_random_below(&d, 900), kinds[hc_random_below(&d, COUNT(kinds))]);
  }
  for (int k = 0; k < 3; k++) {
    bench b;
    work w;
    check(&b, try_work(&b, &w, tasks, THESIS, k == 1 ? "policy: easy\nthreads: 2\n" : "policy: easy\n"));
    if (k == 2) finish_in_pieces(&b, 7);
    else finish(&b);
    assert_int_equal(b.count, 150);
    hc_hash h;
    uint64_t sum[2];
    hc_hash_init(&h);
    hc_hash_add(&h, b.records, b.count * sizeof *b.records);
    hc_hash_end(&h, sum);
    (void)snprintf(digests[k], sizeof digests[k], "%016llx%016llx", (unsigned long long)sum[0],
                   (unsigned long long)sum[1]);
    end(&b);
    drop(&w);
  }
  assert_string_equal(digests[0], digests[1]);
  assert_string_equal(digests[0], digests[2]);
}

/* Profiles that only wait give the schedule of delays, whatever suspends, plans, thinks or takes hosts away;
 * those that take no time, too. */
static void test_delays(void **state)
{
  static const char *const yamls[] = {
      "policy: easy\n",
      "policy: conservative\noverrun: run_on\n",
      "policy: {use: gang, quantum: 7s, switch_cost: 1s}\n",
      "policy: {use: gang, quantum: 5s}\n",
      "architecture: {use: monolithic, think: 3s}\n",
      "events: {use: list, changes: [{at: 50, hosts: all, change: down, until: 60}]}\n"};
  static char tasks[16384];
  hc_draws d = {9, 0, 0, 0, 0};
  size_t used = 0;
  (void)state;
  for (int i = 0, at = 0; i < 90; i++) {
    const int idle = (int)hc_random_below(&d, 4) == 0 ? 0 : (int)hc_random_below(&d, 25);
    const int limit = idle + (int)hc_random_below(&d, 9) - 3 * (i % 3),
              hosts = 1 + (int)hc_random_below(&d, 8);
    at += (int)hc_random_below(&d, 9);
    used += (size_t)snprintf(tasks + used, sizeof tasks - used,
                             "- {id: %d, submit_time: %d, resources: {nodes_count: %d, cpu_per_node: 4}, "
                             "wall_time_limit: %d, profile: {idle: %d}}\n",
                             i + 1, at, hosts, limit < 1 ? 1 : limit, idle);
  }
  for (size_t k = 0; k < COUNT(yamls); k++) {
    static bench b[2];
    work w[2];
    char plain[256];
    (void)snprintf(plain, sizeof plain, "execution:\n%s", yamls[k]);
    for (int i = 0; i < 2; i++) {
      check(&b[i], try_work(&b[i], &w[i], tasks, "", i ? yamls[k] : plain));
      finish(&b[i]);
    }
    for (int i = 1; i <= 90; i++) {
      const hc_task_record *x = record_of(&b[0], i), *y = record_of(&b[1], i);
      if (x->start != y->start || x->end != y->end || x->final != y->final)
        fail_msg("%stask %d: %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64, yamls[k], i, y->start,
                 y->end, x->start, x->end);
    }
    for (int i = 0; i < 2; i++) {
      end(&b[i]);
      drop(&w[i]);
    }
  }
}

/* Each allocation of a small run fails once: an error, and nothing is lost. */
static void test_scarce(void **state)
{
  static const char *const profiles =
      "a: {parallel: [{compute_homogeneous: 5}, {communication_homogeneous: 100}]}\n";
  char text[512];
  work w;
  (void)state;
  put(&w,
      ON(1, 0, 3, 1, "{type: master-workers, args: {worker_compute_work: 3, data_transfer_size: 100}}")
          ON(2, 1, 2, 1, "{type: sequence, args: {profiles: [a, {idle: 1}], repeat: 2}}")
              ON(3, 1, 2, 1, "{compute_vector: [1, 2]}"),
      profiles);
  (void)snprintf(text, sizeof text, HOSTS STAR "metrics: []\nsource: {use: native, file: %s, profiles: %s}\n",
                 w.tasks, w.profiles);
  assert_scarce(text);
  drop(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thesis),        cmocka_unit_test(test_combinators),
      cmocka_unit_test(test_speeds),        cmocka_unit_test(test_counted),
      cmocka_unit_test(test_calls),         cmocka_unit_test(test_failed),
      cmocka_unit_test(test_duplex),        cmocka_unit_test(test_routes),
      cmocka_unit_test(test_simple),        cmocka_unit_test(test_topology),
      cmocka_unit_test(test_patterns),      cmocka_unit_test(test_flows_by_turns),
      cmocka_unit_test(test_stopped_flow),  cmocka_unit_test(test_limits),
      cmocka_unit_test(test_alone),         cmocka_unit_test(test_gang),
      cmocka_unit_test(test_stops),         cmocka_unit_test(test_files),
      cmocka_unit_test(test_bomb),          cmocka_unit_test(test_endless), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_without),       cmocka_unit_test(test_mixture),
      cmocka_unit_test(test_delays),        cmocka_unit_test(test_scarce),
      cmocka_unit_test(test_sends_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
