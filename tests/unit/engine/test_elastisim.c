/* test_elastisim.c -- rigid jobs of ElastiSim through whole runs: what each type of task and each pattern
 * comes to on a star, worked out by hand; performance models and arguments; what is rejected and refused, and
 * where. */
#include "engine_test.h"

#define CELL \
  "cell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 1}, " \
  "{name_prefix: s, count: 1, memory: 1GB}]}\n"
#define EXECUTION \
  "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}, disks: [" \
  "{at: s-0, mount: /pfs, read_bandwidth: 1000, write_bandwidth: 1000}, " \
  "{hosts: c, mount: /bb, read_bandwidth: 20, write_bandwidth: 10}]}\n"

typedef struct files {
  char jobs[64], model[64];
} files;

/* @param members of the job beside type, submit_time and application_model */
static hc_rc try_model(bench *b, files *f, const char *model, const char *members, const char *yaml)
{
  char text[2048];
  write_log(f->model, model, strlen(model));
  (void)snprintf(text, sizeof text,
                 "{\"jobs\": [{\"type\": \"rigid\", \"submit_time\": 0, \"application_model\": \"%s\", "
                 "%s}]}\n",
                 f->model, members);
  write_log(f->jobs, text, strlen(text));
  (void)snprintf(text, sizeof text, "paranoid: true\nsource: {use: elastisim, file: %s}\n%s%s", f->jobs, CELL,
                 yaml);
  return try_begin(b, text, 8, NULL, 0, NULL);
}

static void drop(const files *f)
{
  (void)unlink(f->jobs);
  (void)unlink(f->model);
}

static void takes_with(const char *model, const char *members, double seconds)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    files f;
    check(&b, try_model(&b, &f, model, members, EXECUTION));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    const double off = (double)record_of(&b, 0)->end - seconds * 1e9;
    if (off < -2 || off > 2)
      fail_msg("%s: %.9f s, not %.9f", model, (double)record_of(&b, 0)->end / 1e9, seconds);
    assert_int_equal(record_of(&b, 0)->final, HC_FINAL_COMPLETED);
    end(&b);
    drop(&f);
  }
}

/* One phase of these tasks on four nodes. */
static void takes(const char *tasks, double seconds)
{
  char model[2048];
  (void)snprintf(model, sizeof model, "{\"phases\": [{\"tasks\": [%s]}]}", tasks);
  takes_with(model, "\"num_nodes\": 4", seconds);
}

#define COMPUTE(flops, pattern) \
  "{\"type\": \"cpu\", \"flops\": " flops ", \"computation_pattern\": \"" pattern "\"}"
#define TALK(bytes, pattern) \
  "{\"type\": \"cpu\", \"bytes\": " bytes ", \"communication_pattern\": \"" pattern "\"}"

/* On nodes of speed 1. */
static void test_computations(void **state)
{
  (void)state;
  takes(COMPUTE("40", "uniform"), 40);
  takes(COMPUTE("40", "total"), 10);
  takes(COMPUTE("40", "all_ranks"), 10);
  takes(COMPUTE("40", "root_only"), 40);
  takes(COMPUTE("40", "even_ranks"), 20);
  takes(COMPUTE("40", "odd_ranks"), 20);
  takes(COMPUTE("[10, 20, 30, \"20 + 5\"]", "vector"), 30);
  takes(COMPUTE("40", "uniform") ", " COMPUTE("40", "total"), 50);
}

/* On cables of 100 each way. All to all 1200 are 100 for each pair, 300 on each cable; on a ring each node
 * sends an eighth each way, or a quarter; the master's cable carries three times two thirds of 300 each way.
 * */
static void test_messages(void **state)
{
  (void)state;
  takes(TALK("1200", "all_to_all"), 3);
  takes(TALK("400", "gather"), 3);
  takes(TALK("400", "scatter"), 3);
  takes(TALK("800", "ring"), 2);
  takes(TALK("800", "ring_clockwise"), 2);
  takes(TALK("800", "ring_counter_clockwise"), 2);
  takes(TALK("300", "master_worker"), 6);
  takes(TALK("[0,500,0,0, 0,0,0,0, 100,100,0,0, 0,0,0,0]", "matrix"), 6);
  takes_with("{\"phases\": [{\"tasks\": [" TALK("1e9", "ring") "]}]}", "\"num_nodes\": 1", 0);
}

#define BOTH(flops, coupled) \
  "{\"type\": \"cpu\", \"flops\": " flops ", \"computation_pattern\": \"uniform\", \"bytes\": 1200, " \
  "\"communication_pattern\": \"all_to_all\", \"coupled\": " coupled "}"

/* Both at once, as long as the longer; coupled, at one rate. */
static void test_both(void **state)
{
  (void)state;
  takes(BOTH("2", "false"), 3);
  takes(BOTH("2", "true"), 3);
  takes(BOTH("40", "true"), 40);
  takes("{\"type\": \"cpu\", \"flops\": 10, \"computation_pattern\": \"root_only\", \"bytes\": 800, "
        "\"communication_pattern\": \"ring\", \"coupled\": true}",
        10);
}

#define IO(type, bytes, pattern, more) \
  "{\"type\": \"" type "\", \"bytes\": " bytes ", \"pattern\": \"" pattern "\"" more "}"

/* The server's cable of 100 is what holds them all; a node's own disk reads 20. What is asynchronous goes on
 * beside the tasks behind it: 8 beside 5, and 8 beside 20. */
static void test_io(void **state)
{
  (void)state;
  takes(IO("pfs_read", "800", "total", ""), 8);
  takes(IO("pfs_write", "200", "uniform", ""), 8);
  takes(IO("pfs_read", "300", "root_only", ""), 3);
  takes(IO("pfs_read", "400", "odd_ranks", ""), 4);
  takes(IO("pfs_read", "[100, 0, 200, 0]", "vector", ""), 3);
  takes(IO("bb_read", "100", "uniform", "") ", " IO("bb_write", "200", "all_ranks", ""), 10);
  takes(IO("pfs_write", "800", "total", ", \"async\": true") ", " COMPUTE("5", "uniform"), 8);
  takes(IO("pfs_write", "800", "total", ", \"async\": true") ", " COMPUTE("20", "uniform"), 20);
  takes(COMPUTE("5", "uniform") ", " IO("pfs_write", "800", "total", ", \"async\": true"), 13);
}

static void test_rest(void **state)
{
  (void)state;
  takes(
      "{\"type\": \"idle\", \"delay\": 7}, {\"type\": \"busy_wait\", \"delay\": 3, \"pattern\": \"uniform\"}",
      10);
  takes("{\"type\": \"idle\", \"delay\": 8, \"pattern\": \"total\", \"iterations\": 3}", 6);
  takes("{\"type\": \"sequence\", \"iterations\": \"num_nodes\", \"tasks\": [" COMPUTE(
            "5", "uniform") ", {\"type\": \"idle\", \"name\": \"rest\", \"delay\": 1}]}",
        24);
  takes("{\"type\": \"idle\", \"delay\": 7, \"iterations\": 0}", 0);
  takes("", 0);
}

/* The model of ElastiSim's own example: 16 bytes read at first, then rounds of a coupled task and a write,
 * with arguments. Per round: 64 / 4^0.5 = 32 of work, which is longer than its messages, and 4 x 100 / 4
 * written at 100: 33. */
static void test_model(void **state)
{
  const char *model = "{\"on_init\": {\"tasks\": [" IO(
      "pfs_read", "\"bytes_read\"", "all_ranks",
      "") "]},\n"
          "\"on_expansion\": {\"tasks\": []}, \"phases\": [{\"iterations\": \"iterations\", "
          "\"final_scheduling_point\": false, \"tasks\": [\n"
          "{\"type\": \"cpu\", \"flops\": \"flops/num_nodes^0.5\", \"computation_pattern\": \"uniform\", "
          "\"bytes\": \"bytes_comm\", \"communication_pattern\": \"all_to_all\", \"coupled\": true},\n" IO(
              "pfs_write", "\"x * 4\"", "all_ranks", "") "]}]}\n";
  (void)state;
  takes_with(model,
             "\"num_nodes\": 4, \"walltime\": 0, \"attributes\": {\"a\": 1}, \"arguments\": {\"bytes_read\": "
             "400, "
             "\"iterations\": 3, \"flops\": 64, \"bytes_comm\": 1200, \"x\": 25}",
             4 + 3 * 33);
}

/* ---- what is not ---- */

static void refuses(const char *model, const char *members, hc_rc expected, uint32_t line, const char *text)
{
  bench b;
  files f;
  hc_rc rc = try_model(&b, &f, model, members, EXECUTION);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc != expected || !strstr(b.error.text, text) || (line > 0 && b.error.line != line))
    fail_msg("%s: %s %s:%u: %s", model, hc_rc_name(rc), b.error.where, b.error.line, b.error.text);
  end(&b);
  drop(&f);
}

#define MODEL(tasks) "{\"phases\": [{\"tasks\": [\n" tasks "]}]}"

static void test_refused(void **state)
{
  const char *four = "\"num_nodes\": 4";
  (void)state;
  refuses(MODEL("{\"type\": \"gpu\", \"flops\": 1, \"computation_pattern\": \"total\"}"), four, HC_EINPUT, 2,
          "has no num_gpus_per_node");
  refuses(MODEL("{\"type\": \"cup\"}"), four, HC_EINPUT, 2, "\"cup\" is none of cpu");
  refuses(MODEL("{\"type\": \"cpu\"}"), four, HC_EINPUT, 2, "has `flops`, `bytes` or both");
  refuses(MODEL("{\"type\": \"cpu\", \"flops\": 1}"), four, HC_EINPUT, 2, "no `computation_pattern`");
  refuses(MODEL(COMPUTE("1", "totl")), four, HC_EINPUT, 2, "none of uniform, total");
  refuses(MODEL(COMPUTE("[1, 2]", "vector")), four, HC_EINPUT, 2, "each of the job's 4 nodes");
  refuses(MODEL(COMPUTE("\"work / 2\"", "total")), four, HC_EINPUT, 2, "work");
  refuses(MODEL(COMPUTE("\"1 / (num_nodes - 4)\"", "total")), four, HC_EINPUT, 2,
          "a payload is a number from 0");
  refuses(MODEL(COMPUTE("-1", "total")), four, HC_EINPUT, 2, "comes to -1 on 4 nodes");
  refuses(MODEL(TALK("1", "star")), four, HC_EINPUT, 2, "none of all_to_all");
  refuses(MODEL(TALK("[1, 2]", "matrix")), four, HC_EINPUT, 2, "4 x 4 numbers");
  refuses(MODEL("{\"type\": \"idle\", \"delay\": 1, \"delya\": 1}"), four, HC_EINPUT, 2, "no \"delya\"");
  refuses("{\"phase\": []}", four, HC_EINPUT, 1, "has no \"phase\"");
  refuses("{}", four, HC_EINPUT, 0, "no `phases`");
  refuses("[", four, HC_EINPUT, 0, "");
}

/* ---- GPUs ---- */

#define GPUS "cell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 1, gpus: 4}]}\n"
#define GPU_SPEED \
  "execution: {use: activities, cpu_speed: 1, gpu_speed: 10, network: {use: star, bandwidth: 100}}\n"

/* @param of  "rigid", or "moldable" with the same least and most: another reader of models */
static hc_rc try_gpus(bench *b, files *f, const char *tasks, const char *of, int nodes, int gpus,
                      const char *source, const char *yaml)
{
  char text[2048];
  (void)snprintf(text, sizeof text, "{\"phases\": [{\"tasks\": [\n%s]}]}", tasks);
  write_log(f->model, text, strlen(text));
  (void)snprintf(
      text, sizeof text,
      "{\"jobs\": [{\"type\": \"%s\", \"submit_time\": 0, \"application_model\": \"%s\", "
      "\"num_nodes\": %d, \"num_nodes_min\": %d, \"num_nodes_max\": %d, \"num_gpus_per_node\": %d, "
      "\"arguments\": {\"x\": 2}}]}\n",
      of, f->model, nodes, nodes, nodes, gpus);
  write_log(f->jobs, text, strlen(text));
  (void)snprintf(text, sizeof text,
                 "paranoid: true\nsource: {use: elastisim, file: %s, cores: 1%s}\n" GPUS "%s", f->jobs,
                 source, yaml);
  return try_begin(b, text, 8, NULL, 0, NULL);
}

static void gpus_take(const char *tasks, int nodes, int gpus, double seconds)
{
  static const char *const types[] = {"rigid", "moldable"};
  for (int i = 0; i < (strstr(tasks, "vector") ? 2 : 4); i++) {
    bench b;
    files f;
    check(&b, try_gpus(&b, &f, tasks, types[i / 2], nodes, gpus, ", gpu_bandwidth: 1000", GPU_SPEED));
    if (i % 2) finish_in_pieces(&b, 1);
    else finish(&b);
    const double off = (double)record_of(&b, 0)->end - seconds * 1e9;
    if (off < -2 || off > 2)
      fail_msg("%s, %s on %d x %d: %.9f s, not %.9f", types[i / 2], tasks, nodes, gpus,
               (double)record_of(&b, 0)->end / 1e9, seconds);
    end(&b);
    drop(&f);
  }
}

#define GPU(flops, pattern) \
  "{\"type\": \"gpu\", \"flops\": " flops ", \"computation_pattern\": \"" pattern "\"}"
#define GPU_TALK(bytes, pattern) \
  "{\"type\": \"gpu\", \"bytes\": " bytes ", \"communication_pattern\": \"" pattern "\"}"

/* A GPU does 10 a second, and a node's share its work. With one GPU on each node messages are those of nodes.
 * All to all 5600 of 4 x 2 GPUs are 100 for each pair: of two nodes 400, 1200 on each cable of 100, and 200
 * between the two of a node. In rings a g-th goes from node to node, 50 each way of the 800 of 4 x 2; on one
 * node of 4 a quarter is between two neighbours, and on one of two all of it. */
static void test_gpus(void **state)
{
  (void)state;
  gpus_take(GPU("40", "uniform"), 4, 2, 2);
  gpus_take(GPU("40", "uniform"), 4, 4, 1);
  gpus_take(GPU("\"40 * x\"", "uniform"), 4, 1, 8);
  gpus_take(GPU("40", "total"), 4, 2, 0.5);
  gpus_take(GPU("40", "root_only"), 4, 2, 2);
  gpus_take(GPU("40", "even_ranks"), 4, 2, 1);
  gpus_take(GPU("40", "odd_ranks"), 3, 2, 2);
  gpus_take(GPU("[10, 20, 30, 40]", "vector"), 4, 2, 2);
  gpus_take(GPU("40", "uniform") ", " COMPUTE("5", "uniform"), 4, 2, 7);
  gpus_take(GPU_TALK("1200", "all_to_all"), 4, 1, 3);
  gpus_take(GPU_TALK("400", "gather"), 4, 1, 3);
  gpus_take(GPU_TALK("300", "master_worker"), 4, 1, 6);
  gpus_take(GPU_TALK("1200", "all_to_all"), 1, 1, 0);
  gpus_take(GPU_TALK("5600", "all_to_all"), 4, 2, 12);
  gpus_take(GPU_TALK("5600", "all_to_all"), 1, 2, 5.6);
  gpus_take(GPU_TALK("1200", "all_to_all"), 1, 4, 0.2);
  gpus_take(GPU_TALK("800", "ring"), 4, 2, 1);
  gpus_take(GPU_TALK("8000", "ring"), 2, 4, 10);
  gpus_take(GPU_TALK("8000", "ring"), 1, 2, 8);
  gpus_take(GPU_TALK("8000", "ring"), 1, 4, 2);
  gpus_take(GPU_TALK("800", "ring_clockwise"), 4, 2, 1);
  gpus_take(GPU_TALK("8000", "ring_counter_clockwise"), 1, 4, 2);
  gpus_take("{\"type\": \"gpu\", \"flops\": 400, \"computation_pattern\": \"uniform\", \"bytes\": 5600, "
            "\"communication_pattern\": \"all_to_all\"}",
            4, 2, 20);
}

/* One that may have one to four nodes starts with all, whose eight GPUs do 40 in half a second; and with two,
 * where another one has the others: in one second. */
static void test_gpus_of_any_size(void **state)
{
  bench b;
  files f;
  char text[2048];
  (void)state;
  (void)snprintf(text, sizeof text, "{\"phases\": [{\"tasks\": [%s]}]}", GPU("40", "total"));
  write_log(f.model, text, strlen(text));
  (void)snprintf(
      text, sizeof text,
      "{\"jobs\": [{\"type\": \"malleable\", \"submit_time\": 0, \"application_model\": \"%s\", "
      "\"num_nodes_min\": 1, \"num_nodes_max\": 4, \"num_gpus_per_node_min\": 1, "
      "\"num_gpus_per_node_max\": 2},\n{\"type\": \"rigid\", \"submit_time\": 5, \"application_model\": "
      "\"%s\", \"num_nodes\": 2, \"num_gpus_per_node\": 1},\n{\"type\": \"moldable\", \"submit_time\": 5.5, "
      "\"application_model\": \"%s\", \"num_nodes_min\": 1, \"num_nodes_max\": 4, "
      "\"num_gpus_per_node\": 2}]}\n",
      f.model, f.model, f.model);
  write_log(f.jobs, text, strlen(text));
  (void)snprintf(text, sizeof text,
                 "paranoid: true\nsource: {use: elastisim, file: %s, cores: 1}\n" GPUS GPU_SPEED
                 "policy: {use: elastic, strategy: largest}\n",
                 f.jobs);
  check(&b, try_begin(&b, text, 8, NULL, 0, NULL));
  finish(&b);
  assert_int_equal(record_of(&b, 0)->end, HC_SECOND / 2);
  assert_int_equal(record_of(&b, 1)->end, 7 * HC_SECOND);
  assert_int_equal(record_of(&b, 2)->end, 6 * HC_SECOND + HC_SECOND / 2);
  end(&b);
  drop(&f);
}

static void refuses_gpus(const char *tasks, int gpus, const char *source, const char *yaml, hc_rc expected,
                         const char *said)
{
  static const char *const types[] = {"rigid", "moldable"};
  for (int i = 0; i < 2; i++) {
    bench b;
    files f;
    hc_rc rc = try_gpus(&b, &f, tasks, types[i], 4, gpus, source, yaml);
    if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
    if (rc != expected || !strstr(b.error.text, said))
      fail_msg("%s %s: %s %s", types[i], tasks, hc_rc_name(rc), b.error.text);
    end(&b);
    drop(&f);
  }
}

/* A rigid job that asks for more GPUs than a node has is too large; another one ends the run. */
static void test_gpus_refused(void **state)
{
  const char *fast = ", gpu_bandwidth: 1000";
  bench b;
  files f;
  (void)state;
  refuses_gpus(GPU("1", "total"), 0, fast, GPU_SPEED, HC_EINPUT, "no num_gpus_per_node");
  refuses_gpus(GPU("1", "total"), 2, fast, "execution: {use: activities}\n", HC_EINPUT,
               "execution.gpu_speed");
  refuses_gpus(GPU_TALK("1", "gather"), 2, fast, GPU_SPEED, HC_EINPUT, "between several GPUs");
  refuses_gpus(GPU_TALK("1", "ring"), 2, "", GPU_SPEED, HC_EUSAGE, "gpu_bandwidth");
  refuses_gpus("{\"type\": \"gpu\"}", 2, fast, GPU_SPEED, HC_EINPUT, "has `flops`, `bytes` or both");
  check(&b, try_gpus(&b, &f, GPU("1", "total"), "rigid", 4, 5, fast, GPU_SPEED));
  finish(&b);
  assert_int_equal(counted(&b, "rows", "too_large"), 1);
  end(&b);
  drop(&f);
  check(&b, try_gpus(&b, &f, GPU("1", "total"), "moldable", 4, 5, fast, GPU_SPEED));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EINPUT);
  assert_non_null(strstr(b.error.text, "which has 4"));
  end(&b);
  drop(&f);
}

/* Jobs of types that are none, and that say too little, are rejected, each with its reason. */
static void test_rejected(void **state)
{
  static const char jobs[] =
      "{\"jobs\": [{\"type\": \"malleable\", \"submit_time\": 1, \"num_nodes_min\": 1},\n"
      "{\"type\": \"rigid\", \"submit_time\": 1, \"application_model\": \"m\"},\n"
      "{\"type\": \"rigid\", \"num_nodes\": 1, \"application_model\": \"m\"},\n"
      "{\"type\": \"rigid\", \"submit_time\": 1, \"num_nodes\": 0, \"application_model\": \"m\"},\n"
      "{\"type\": \"rigid\", \"submit_time\": 1, \"num_nodes\": 1},\n"
      "{\"type\": \"elastic\", \"submit_time\": 1, \"num_nodes\": 1, \"application_model\": \"m\"}]}\n";
  char path[64], text[512];
  bench b;
  (void)state;
  write_log(path, jobs, sizeof jobs - 1);
  (void)snprintf(text, sizeof text, "source: {use: elastisim, file: %s}\n%s%s", path, CELL, EXECUTION);
  begin(&b, text, 8, NULL, 0, NULL);
  finish(&b);
  assert_int_equal(b.count, 0);
  assert_int_equal(counted(&b, "rows", "read"), 6);
  assert_int_equal(counted(&b, "rows", "malformed"), 2);
  assert_int_equal(counted(&b, "rows", "profile"), 1);
  assert_int_equal(counted(&b, "rows", "no_submit"), 1);
  assert_int_equal(counted(&b, "rows", "no_processors"), 2);
  end(&b);
  (void)unlink(path);
}

/* Limits, the order of submission, and a folder of models in place of what jobs say. */
static void test_jobs(void **state)
{
  static const char model[] = "{\"phases\": [{\"tasks\": [{\"type\": \"idle\", \"delay\": \"t\"}]}]}";
  bench b;
  files f;
  char text[1024];
  (void)state;
  write_log(f.model, model, sizeof model - 1);
  const char *last = strrchr(f.model, '/') + 1;
  (void)snprintf(text, sizeof text,
                 "{\"jobs\": [{\"type\": \"rigid\", \"submit_time\": 5.5, \"num_nodes\": 1, "
                 "\"application_model\": "
                 "\"/elsewhere/%s\", \"arguments\": {\"t\": 3}},\n{\"type\": \"rigid\", \"submit_time\": 1, "
                 "\"num_nodes\": 4, \"application_model\": \"%s\", \"walltime\": 20.5, \"arguments\": "
                 "{\"t\": "
                 "100}}]}\n",
                 last, last);
  write_log(f.jobs, text, strlen(text));
  (void)snprintf(text, sizeof text, "source: {use: elastisim, file: %s, models: /tmp, cores: 1}\n%s%s",
                 f.jobs, CELL, EXECUTION);
  begin(&b, text, 8, NULL, 0, NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 1)->end, 21 * HC_SECOND + HC_SECOND / 2);
  assert_int_equal(record_of(&b, 1)->final, HC_FINAL_KILLED);
  assert_int_equal(record_of(&b, 0)->start, 21 * HC_SECOND + HC_SECOND / 2);
  assert_int_equal(record_of(&b, 0)->end, 24 * HC_SECOND + HC_SECOND / 2);
  end(&b);
  (void)snprintf(text, sizeof text,
                 "source: {use: elastisim, file: %s, models: /tmp, cores: 1, time_unit: 1m}\n%s%s", f.jobs,
                 CELL, EXECUTION);
  begin(&b, text, 8, NULL, 0, NULL);
  finish(&b);
  assert_int_equal(record_of(&b, 1)->end, 21 * HC_MINUTE + HC_MINUTE / 2);
  assert_int_equal(record_of(&b, 0)->end, 24 * HC_MINUTE + HC_MINUTE / 2);
  end(&b);
  drop(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_computations), cmocka_unit_test(test_messages), cmocka_unit_test(test_both),
      cmocka_unit_test(test_io),           cmocka_unit_test(test_rest),     cmocka_unit_test(test_model),
      cmocka_unit_test(test_refused),      cmocka_unit_test(test_rejected), cmocka_unit_test(test_jobs),
      cmocka_unit_test(test_gpus),         cmocka_unit_test(test_gpus_refused),
      cmocka_unit_test(test_gpus_of_any_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
