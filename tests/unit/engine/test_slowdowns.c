/* test_slowdowns.c -- where tasks run decides how long they take: schedules by hand.
 *
 * Times are seconds; a task is {submission, run time, processors or GPUs}. */
#include "engine_test.h"

#define CSV "source: {use: csv, file: FILE}\nmetrics: []\nparanoid: true\n"
#define RACKS \
  "cell: {use: hosts, zones: [{name: rack, size: 2}], classes: [{count: 4, name_prefix: h, cpus: 1}]}\n"
#define SPREAD "slowdowns: [{use: spread, hosts: 1.5, levels: [rack=2]}]\n"

#define GPUS \
  "cell: {use: hosts, classes: [{count: 1, name_prefix: v, cpus: 16, gpus: 4, gpu_model: V100}, " \
  "{count: 1, name_prefix: k, cpus: 16, gpus: 4, gpu_model: K80}]}\n"
#define TABLE "table: [V100/1=100, V100/4=300, K80/1=25, K80/4=100]"
#define THROUGHPUT "slowdowns: [{use: throughput, " TABLE ", reference: V100}]\n"
#define NATIVE "source: {use: native, file: FILE}\nmetrics: []\nparanoid: true\n"
#define GPU_TASK(id, at, run, nodes, gpus) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", resources: {nodes_count: " #nodes \
  ", cpu_per_node: 1, gpu: " #gpus "}}\n"

static void assert_run(const char *yaml, const char *tasks, const int64_t (*times)[2], size_t count)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    check(&b, try_text(&b, yaml, tasks));
    if (pieces) finish_in_pieces(&b, 2);
    else finish(&b);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != times[i][0] || end_of(&b, (int64_t)i + 1) != times[i][1])
        fail_msg("%s: task %zu runs %" PRId64 " to %" PRId64 ", should %" PRId64 " to %" PRId64, yaml, i + 1,
                 start_of(&b, (int64_t)i + 1), end_of(&b, (int64_t)i + 1), times[i][0], times[i][1]);
    end(&b);
  }
}

#define EXPECT(yaml, tasks, ...) \
  do { \
    const int64_t times_[][2] = {__VA_ARGS__}; \
    assert_run(yaml, tasks, times_, COUNT(times_)); \
  } while (0)

/* 1 and 2 have a rack each: 10 x 1.5. 3 has three hosts of two racks: 10 x 2. 4 has one host. */
static void test_spread(void **state)
{
  static const char tasks[] = "id,submit,run,procs,limit\n"
                              "1,0,10,2,10\n2,0,10,2,10\n3,20,10,3,10\n4,20,10,1,10\n";
  (void)state;
  EXPECT(CSV RACKS SPREAD "policy: fcfs+scan\n", tasks, {0, 15}, {0, 15}, {20, 40}, {20, 30});
}

/* A slow host of speed 1/2, and two factors: they multiply. On h0 and h1, one of them slow, 10 s take 10 x 2
 * x 1.5 x 1.2. */
static void test_product(void **state)
{
  (void)state;
  EXPECT(CSV "cell: {use: hosts, classes: [{name: a, count: 1, cpus: 1}, {name: b, count: 1, cpus: 1, speed: "
             "0.5}]}\n"
             "slowdowns: [{use: spread, hosts: 1.5}, {use: spread, hosts: 1.2}]\npolicy: fcfs\n",
         "id,submit,run,procs,limit\n1,0,10,2,10\n", {0, 36});
}

/* EASY believes it: 1 has two racks and ends at 20, so that 2 (four hosts) is promised 20, and 3, which ends
 * at 17, may pass. By its run time of 10 alone it might not. 2 is over two racks as well. */
static void test_is_believed(void **state)
{
  static const char tasks[] = "id,submit,run,procs,limit\n1,0,10,3,10\n2,1,10,4,10\n3,2,15,1,15\n";
  (void)state;
  EXPECT(CSV RACKS SPREAD "policy: easy\n", tasks, {0, 20}, {20, 40}, {2, 17});
  EXPECT(CSV RACKS SPREAD "policy: conservative\n", tasks, {0, 20}, {20, 40}, {2, 17});
}

/* Four GPUs: 300 steps/s on V100, 100 on K80. Two: 166.7 and 50. 1 and 3 have the V100; 2 runs 3 times as
 * long, 4 runs 10 x 166.7 / 50 = 33.3 s, 5 has no GPU, and 6 has eight of both: 10 x 600 / 200. */
static void test_throughput(void **state)
{
  (void)state;
  EXPECT(NATIVE GPUS THROUGHPUT "policy: fcfs+scan\n",
         GPU_TASK(1, 0, 30, 1, 4) GPU_TASK(2, 0, 30, 1, 4) GPU_TASK(3, 100, 100, 1, 4)
             GPU_TASK(4, 100, 10, 1, 2) GPU_TASK(5, 100, 10, 1, 0) GPU_TASK(6, 300, 10, 2, 4),
         {0, 30}, {0, 90}, {100, 200}, {100, 133}, {100, 110}, {300, 330});
}

/* A model with a table of its own, one that takes longer when it is spread, by its number, and one of
 * neither.
 * On the K80 (the V100 is taken by 1) 10 s take lm 10 x 4 and others 10; two hosts are 1.5 times as long for
 * program 7. `by: user` goes by users. */
static void test_models(void **state)
{
#define LM "slowdowns: [{use: throughput, tasks: [lm], table: [V100/1=4, K80/1=1], reference: V100}]\n"
#define NAMED(id, name, run, nodes) \
  "- {id: " #id ", name: " #name ", submit_time: 0, delay: " #run ", resources: {nodes_count: " #nodes \
  ", cpu_per_node: 1, gpu: 4}}\n"
  static const char csv[] = "id,submit,run,procs,limit,executable,user\n"
                            "1,0,10,2,10,7,1\n2,0,10,2,10,70,2\n3,20,10,2,10,7,2\n";
  (void)state;
  EXPECT(NATIVE GPUS LM "policy: fcfs+scan\n", NAMED(1, lm, 10, 1) NAMED(2, lm, 10, 1), {0, 10}, {0, 40});
  EXPECT(NATIVE GPUS LM "policy: fcfs+scan\n", NAMED(1, lm, 10, 1) NAMED(2, lms, 10, 1), {0, 10}, {0, 10});
  EXPECT(CSV RACKS "slowdowns: [{use: spread, tasks: [7], hosts: 1.5}]\npolicy: fcfs+scan\n", csv, {0, 15},
         {0, 10}, {20, 35});
  EXPECT(CSV RACKS "slowdowns: [{use: spread, tasks: [2], by: user, hosts: 1.5}]\npolicy: fcfs+scan\n", csv,
         {0, 10}, {0, 15}, {20, 35});
}

/* Of two models each has its own factor in what EASY believes: 2 (four hosts) is promised 20, when 1, a model
 * that takes twice as long, ends; 3, which is of no model, may run until 17. */
static void test_models_are_believed(void **state)
{
  static const char tasks[] = "id,submit,run,procs,limit,executable\n"
                              "1,0,10,3,10,5\n2,1,10,4,10,6\n3,2,15,1,15,6\n";
  (void)state;
  EXPECT(CSV RACKS "slowdowns: [{use: spread, tasks: [5], hosts: 2}]\npolicy: easy\n", tasks, {0, 20},
         {20, 30}, {2, 17});
  EXPECT(CSV RACKS "slowdowns: [{use: spread, tasks: [6], hosts: 2}]\npolicy: easy\n", tasks, {0, 10},
         {10, 30}, {30, 45});
}

/* Stopped at 30, 1 has done 30 s of its 60 and 2, on K80, 10 of its 100. 3 runs 3 x 1 s. Then 1 has the V100
 * for 30 s, and 2 the K80 for 3 x 90 s: work is what it would be on the reference. */
static void test_goes_on_elsewhere(void **state)
{
  (void)state;
  EXPECT(NATIVE GPUS THROUGHPUT "policy: srtf\noracle: true\nbelieve_waiting: run\nbelieve_running: run\n",
         GPU_TASK(1, 0, 60, 1, 4) GPU_TASK(2, 0, 100, 1, 4) GPU_TASK(3, 30, 1, 2, 4), {33, 63}, {33, 303},
         {30, 33});
}

/* What is left of 1 at 9 s is 5.5 s of its work, which takes 11 on two racks: 2, of 6, does not stop it. */
static void test_srtf_counts_work(void **state)
{
  (void)state;
  EXPECT(CSV RACKS SPREAD "policy: srtf\n", "id,submit,run,procs,limit\n1,0,10,3,10\n2,9,6,3,6\n", {0, 20},
         {20, 32});
}

/* What a limit is of is work: 1, which asks for 10 s and would run 12, is killed after 10 x 1.5. */
static void test_limit(void **state)
{
  (void)state;
  EXPECT(CSV RACKS SPREAD "policy: fcfs\n", "id,submit,run,procs,limit\n1,0,12,2,10\n", {0, 15});
}

static void assert_refused(const char *yaml, const char *part)
{
  bench b;
  const hc_rc rc = try_text(&b, yaml, "id,submit,run,procs,limit\n1,0,12,1,10\n");
  if (rc >= 0) fail_msg("%s: was not refused", yaml);
  if (!strstr(b.error.text, part)) fail_msg("%s: says %s", yaml, b.error.text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused(CSV SPREAD "cell: {use: count, procs: 4}\n", "this cell has none");
  assert_refused(CSV RACKS SPREAD "execution: activities\n", "a model of execution says itself");
  assert_refused(CSV RACKS SPREAD "policy: malleable\n", "a policy resizes");
  assert_refused(CSV RACKS SPREAD "local_load: [{use: redrawn, dimension: cpu}]\n", "leave out `slowdowns`");
  assert_refused(CSV RACKS "slowdowns: [{use: spread, levels: [row=2]}]\n", "no level of zones \"row\"");
  assert_refused(CSV RACKS "slowdowns: [{use: spread, levels: [rack]}]\n", "is not LEVEL=FACTOR");
  assert_refused(CSV RACKS "slowdowns: [{use: spread, levels: [rack=0.5]}]\n", "at least 1");
  assert_refused(CSV GPUS "slowdowns: [{use: throughput, table: [V100/1=100], reference: V100}]\n",
                 "says nothing of GPUs \"K80\"");
  assert_refused(CSV GPUS "slowdowns: [{use: throughput, " TABLE "}]\n", "reference must be a type");
  assert_refused(CSV GPUS "slowdowns: [{use: throughput, table: [V100=100], reference: V100}]\n",
                 "is not TYPE/GPUS=THROUGHPUT");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spread),
      cmocka_unit_test(test_product),
      cmocka_unit_test(test_is_believed),
      cmocka_unit_test(test_throughput),
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_models_are_believed),
      cmocka_unit_test(test_goes_on_elsewhere),
      cmocka_unit_test(test_srtf_counts_work),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
