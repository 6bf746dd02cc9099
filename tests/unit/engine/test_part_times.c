/* test_part_times.c -- how long labelled parts of profiles take on each host: all rows of the metric
 * part_times, which follow by hand from what tasks do, each run in one piece, and saved and restored after
 * each instant. */
#include "tasks_test.h"

#define TOLD "metrics: [part_times]\n"
#define TWO "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 8}]}\n"
#define STAR \
  "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}, disks: " \
  "[{read_bandwidth: 100, write_bandwidth: 50}]}\n"
#define PART(label, profile) "{part: {label: " label ", profile: " profile "}}"

/* With more than hosts and cores to be said of it. */
#define TASK(id, at, hosts, more, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {nodes_count: " #hosts ", cpu_per_node: 1}, " more \
  "profile: " profile "}\n"

typedef struct row {
  const char *label;
  double task, host, hosts, end, duration;
} row;

typedef struct found {
  char labels[64][128];
  row rows[64];
  size_t count;
} found;

static hc_rc take_cell(void *ctx, const char *const *v)
{
  found *f = ctx;
  if (strncmp(v[1], "part_times:", 11) != 0) return 0;
  const size_t key = (size_t)strtoll(v[2], NULL, 10);
  assert_true(key < COUNT(f->rows));
  if (key >= f->count) f->count = key + 1;
  row *r = &f->rows[key];
  (void)snprintf(f->labels[key], sizeof f->labels[key], "%s", v[1] + 11);
  r->label = f->labels[key];
  const double x = strtod(v[5], NULL);
  if (strcmp(v[3], "task") == 0) r->task = x;
  if (strcmp(v[3], "host") == 0) r->host = x;
  if (strcmp(v[3], "hosts") == 0) r->hosts = x;
  if (strcmp(v[3], "end") == 0) r->end = x;
  if (strcmp(v[3], "duration") == 0) r->duration = x;
  return 0;
}

static bool is_near(double a, double b)
{
  return a - b < 5e-9 && b - a < 5e-9;
}

static void assert_rows(const char *tasks, const char *yaml, size_t count, const row *all)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    found f = {.count = 0};
    hc_result *r;
    char file[64];
    bench b;
    begin_tasks(&b, file, tasks, yaml, pieces);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    check(&b, hc_result_rows(r, "cells", 6, take_cell, &f, &b.error));
    hc_result_free(r);
    for (size_t i = 0; i < f.count || i < count; i++) {
      const row *x = &f.rows[i], *y = &all[i];
      if (i < f.count && i < count && strcmp(x->label, y->label) == 0 && x->task == y->task &&
          x->host == y->host && x->hosts == y->hosts && is_near(x->end, y->end) &&
          is_near(x->duration, y->duration))
        continue;
      if (i >= count) fail_msg("%s%s: row %zu is one too many: %s", tasks, yaml, i, x->label);
      if (i >= f.count) fail_msg("%s%s: there is no row %zu", tasks, yaml, i);
      fail_msg("%s%s: row %zu is {%s, %g, %g, %g, %.9f, %.9f}", tasks, yaml, i, x->label, x->task, x->host,
               x->hosts, x->end, x->duration);
    }
    end(&b);
    (void)unlink(file);
  }
}
#define ROWS(tasks, yaml, ...) \
  assert_rows(tasks, yaml, COUNT(((const row[]){__VA_ARGS__})), (const row[]){__VA_ARGS__})

/* ---- what a host takes part in ---- */

/* 20 and 8 of work; 1000 bytes at 100 to host 1, in which both take part; 500 read on host 1 alone at 100,
 * and host 0 has nothing to do; a time that passes for both, under no label. */
static void test_each_host(void **state)
{
  (void)state;
  const char *sends = "{type: communication-src-dst, args: {src: [0], dst: [1], size: 1000}}";
  const char *reads = "{disk_ops: {processes: [1], read_size: 500}}";
  char tasks[1024];
  (void)snprintf(tasks, sizeof tasks,
                 ON(1, 0, 2, 1,
                    "{sequence: [" PART("a", "{compute_vector: [20, 8]}") ", " PART("'b, c'", "%s") ", " PART(
                        "read", "%s") ", {part: {profile: {idle: 3}}}]}"),
                 sends, reads);
  ROWS(tasks, TWO STAR TOLD, {"a", 0, 0, 1, 20, 20}, {"a", 0, 1, 1, 8, 8}, {"b, c", 0, 0, 2, 30, 10},
       {"read", 0, 0, 1, 30, 0}, {"read", 0, 1, 1, 35, 5}, {"", 0, 0, 2, 38, 3});
}

/* 300 bytes from 0 to 1, and 100 from 2 to 1 over the cable of host 1: 50 each until the second has come at
 * 2, and the first at 4. Of the pattern all take part until all of it is over: host 1's cable has 400. */
static void test_messages(void **state)
{
  const char *three = "cell: {use: hosts, classes: [{name_prefix: h, count: 3, cpus: 1}]}\n" STAR TOLD;
  (void)state;
  ROWS(ON(1, 0, 3, 1, PART("m", "{communication_matrix: {matrix: [[0, 300, 0], [0, 0, 0], [0, 100, 0]]}}")),
       three, {"m", 0, 0, 2, 4, 4}, {"m", 0, 2, 1, 2, 2});
  ROWS(ON(1, 0, 3, 1, PART("p", "{parallel_task: {com: [[0, 300, 0], [0, 0, 0], [0, 100, 0]]}}")), three,
       {"p", 0, 0, 3, 4, 4});
}

/* The same work on hosts of speed 1, 1 and 1/2, which one clock serves where no times are told. */
static void test_speeds(void **state)
{
  (void)state;
  ROWS(
      ON(1, 0, 3, 1, PART("w", "{compute_homogeneous: 20}")),
      "cell: {use: hosts, classes: [{name_prefix: a, count: 2, cpus: 1}, {name_prefix: b, count: 1, cpus: 1, "
      "speed: 0.5}]}\n" STAR TOLD,
      {"w", 0, 0, 2, 20, 20}, {"w", 0, 2, 1, 40, 40});
}

/* A row for each time that a part is over: three rounds of 5, and one for all of them. GPUs of each process
 * do 40 of work at 10 on 2 GPUs, and 40 on the first host alone. */
static void test_rounds(void **state)
{
  (void)state;
  ROWS(ON(1, 0, 2, 1,
          PART("all", "{sequence: {repeat: 3, profiles: [" PART("one", "{compute_homogeneous: 5}") "]}}")),
       TWO STAR TOLD, {"one", 0, 0, 2, 5, 5}, {"one", 0, 0, 2, 10, 5}, {"one", 0, 0, 2, 15, 5},
       {"all", 0, 0, 2, 15, 15});
  ROWS("- {id: 1, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1, gpu_per_node: 2}, profile: "
       "{sequence: [" PART("each", "{gpus: {work: 40, gpus: 2}}") ", " PART(
           "first", "{gpus: {work: 40, deal: root}}") "]}}\n",
       "cell: {use: hosts, classes: [{name_prefix: h, count: 2, cpus: 8, gpus: 2}]}\n"
       "execution: {use: activities, cpu_speed: 1, gpu_speed: 10}\n" TOLD,
       {"each", 0, 0, 2, 2, 2}, {"first", 0, 0, 1, 6, 4}, {"first", 0, 1, 1, 2, 0});
}

/* At once on host 0, which shares its core: 5 of work is done at 10, and 10 at 15; beside them nothing is on
 * 1 but 4 of the first. Of a host of the task that ran first the second begins where it begins. */
static void test_beside(void **state)
{
  (void)state;
  ROWS(ON(1, 0, 2, 1,
          "{parallel: [" PART("x", "{compute_vector: [5, 4]}") ", " PART(
              "y", "{compute_vector: [10, 0]}") "]}") ON(2, 2, 1, 8, PART("z", "{idle: 1}")),
       TWO STAR "policy: fcfs\n" TOLD, {"x", 0, 0, 1, 10, 10}, {"x", 0, 1, 1, 4, 4}, {"y", 0, 0, 1, 15, 15},
       {"y", 0, 1, 1, 0, 0}, {"z", 1, 0, 1, 16, 1});
}

/* Two executors on a host are one host of the task: 6 and 2 of work at once on one core, done at 8 and 4. */
static void test_executors(void **state)
{
  (void)state;
  ROWS(TASK(1, 0, 1, "executors: [0, 0], ", PART("e", "{compute_vector: [6, 2]}")), TWO STAR TOLD,
       {"e", 0, 0, 1, 8, 8});
}

/* ---- what it meets ---- */

/* Turns of 3 s: 8 and 8 of work are done at 14 and 16, suspended time included. */
static void test_turns(void **state)
{
  (void)state;
  ROWS(ON(1, 0, 2, 8, PART("t", "{compute_homogeneous: 64}"))
           ON(2, 0, 2, 8, PART("u", "{compute_homogeneous: 64}")),
       "policy: {use: gang, quantum: 3s}\n" TWO STAR TOLD, {"t", 0, 0, 2, 14, 14}, {"u", 1, 0, 2, 16, 13});
}

/* A part that fails, that is stopped, or that goes on at the limit is not told. Host 0 goes at 15, in the
 * second part, and returns at 20, when all begins anew. */
static void test_stopped(void **state)
{
  const char *two =
      "{sequence: [" PART("a", "{compute_homogeneous: 10}") ", " PART("b", "{compute_homogeneous: 10}") "]}";
  char task[512];
  (void)state;
  ROWS(ON(1, 0, 1, 1, "{sequence: [" PART("a", "{idle: 1}") ", " PART("b", "fail") "]}")
           TASK(2, 5, 1, "wall_time_limit: 3, ",
                "{sequence: [" PART("c", "{idle: 2}") ", " PART("d", "{idle: 2}") "]}"),
       TWO STAR TOLD, {"a", 0, 0, 1, 1, 1}, {"c", 1, 0, 1, 7, 2});
  (void)snprintf(task, sizeof task, ON(1, 0, 1, 1, "%s"), two);
#define LOSS \
  "cell: {use: hosts, classes: [{name_prefix: h, count: 1, cpus: 1}]}\n" STAR \
  "host_loss: requeue\nevents: {use: list, changes: [{at: 15, hosts: h-0, change: down, until: 20}]}\n" TOLD
  ROWS(task, LOSS, {"a", 0, 0, 1, 10, 10}, {"a", 0, 0, 1, 30, 10}, {"b", 0, 0, 1, 40, 10});
  /* The same with a checkpoint after 8: at 20 there are 2 of the first part left, which is over twice. */
  ROWS(task, LOSS "checkpoint: {use: fixed, every: 8s}\n", {"a", 0, 0, 1, 10, 10}, {"a", 0, 0, 1, 22, 2},
       {"b", 0, 0, 1, 32, 10});
  /* After 12 there are 8 of the second left, and the first was over before. */
  ROWS(task, LOSS "checkpoint: {use: fixed, every: 12s}\n", {"a", 0, 0, 1, 10, 10}, {"b", 0, 0, 1, 28, 8});
}

/* 2 hosts until 10, of which host 1 is given up then; and 1 host until 10, when another comes. What is done
 * on new hosts alone is theirs: 4 of work until 14, when the first computes 6. */
static void test_resized(void **state)
{
#define MALLEABLE "spread: true, malleable: {min: 1, max: 2, when: itself}, "
#define SIZED(count, profile) TASK(1, 0, count, MALLEABLE, PART("all", profile))
  const char *mine = TWO STAR "policy: fcfs\n" TOLD;
  (void)state;
  ROWS(SIZED(2, "{sequence: [{compute_homogeneous: 10}, {point: {asks: true, request: 1}}, " PART(
                    "rest", "{compute_homogeneous: 5}") "]}"),
       mine, {"all", 0, 1, 1, 10, 10}, {"rest", 0, 0, 1, 15, 5}, {"all", 0, 0, 1, 15, 15});
  ROWS(SIZED(1, "{sequence: [{compute_homogeneous: 10}, {point: {asks: true, request: 2, on_growth: " PART(
                    "new", "{compute_homogeneous: 4}") "}}, " PART("rest",
                                                                   "{ranks: {work: 6, compute: root}}") "]}"),
       mine, {"new", 0, 1, 1, 14, 4}, {"rest", 0, 0, 1, 20, 6}, {"rest", 0, 1, 1, 14, 0},
       {"all", 0, 0, 1, 20, 20}, {"all", 0, 1, 1, 14, 4});
  /* The one that comes is half as fast, and the first takes no part in what it does. */
  ROWS(SIZED(1, "{sequence: [{compute_homogeneous: 10}, {point: {asks: true, request: 2, on_growth: " PART(
                    "new", "{compute_homogeneous: 4}") "}}]}"),
       "cell: {use: hosts, classes: [{name: a, cpus: 1}, {name: b, cpus: 1, speed: 0.5}]}\n" STAR TOLD,
       {"new", 0, 1, 1, 18, 8}, {"all", 0, 0, 1, 10, 10}, {"all", 0, 1, 1, 18, 8});
  /* Or twice as fast, which it is whether that is told or not: 20, and 4 s. */
  TIMES(TASK(1, 0, 1, MALLEABLE,
             "{sequence: [{compute_homogeneous: 10}, {point: {asks: true, request: 2, on_growth: "
             "{compute_homogeneous: 4}}}]}"),
        "cell: {use: hosts, classes: [{name: a, cpus: 1, speed: 0.5}, {name: b, cpus: 1}]}\n" STAR, {0, 24});
}

/* ---- that it is only told ---- */

static void must_refuse(const char *yaml, const char *tasks, hc_rc rc, const char *text)
{
  char file[64];
  bench b;
  hc_rc got = try_tasks(&b, file, tasks, yaml);
  if (got >= 0) got = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (got != rc || !strstr(b.error.text, text)) fail_msg("%s: %s", hc_rc_name(got), b.error.text);
  end(&b);
  (void)unlink(file);
}

#define THREE \
  "cell: {use: hosts, classes: [{name: a, cpus: 8}, {name: c, cpus: 8}, {name: b, cpus: 8, speed: 0.7}]}" \
  "\n" STAR
/* A run is the same whether it is told or not, and with the label or without; what is not known is refused.
 */
static void test_only_told(void **state)
{
  static const char *const profiles[] = {PART("x", "{compute_homogeneous: 7}"), "{compute_homogeneous: 7}"};
  hc_time ends[2][2];
  (void)state;
  for (int i = 0; i < 4; i++) {
    char tasks[1024], file[64];
    bench b;
    (void)snprintf(tasks, sizeof tasks,
                   ON(1, 0, 3, 3, "%s")
                       ON(2, 1, 2, 8, "{sequence: [{idle: 1}, {all_to_all: {size: 33, together: true}}]}"),
                   profiles[i % 2]);
    begin_tasks(&b, file, tasks, i < 2 ? THREE TOLD : THREE "metrics: [wait]\n", 0);
    for (int k = 0; k < 2; k++) {
      if (i == 0) ends[0][k] = record_of(&b, k + 1)->end;
      assert_int_equal(record_of(&b, k + 1)->end, ends[0][k]);
    }
    end(&b);
    (void)unlink(file);
  }
  must_refuse("cell: {use: count, procs: 4}\nexecution: activities\n" TOLD,
              "- {id: 1, submit_time: 0, procs: 2, profile: {idle: 100}}\n", HC_EUNSUPPORTED,
              "only counts processors");
  must_refuse(TWO TOLD, ON(1, 0, 1, 1, "{idle: 1}"), HC_EUNSUPPORTED, "execution: {use: activities");
#define TEN "123456789 "
  must_refuse(TWO STAR TOLD,
              ON(1, 0, 1, 1, PART("x" TEN TEN TEN TEN TEN TEN TEN TEN TEN "12345", "{idle: 1}")), HC_EINPUT,
              "longer than 95 bytes");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_host), cmocka_unit_test(test_messages), cmocka_unit_test(test_speeds),
      cmocka_unit_test(test_rounds),    cmocka_unit_test(test_beside),   cmocka_unit_test(test_executors),
      cmocka_unit_test(test_turns),     cmocka_unit_test(test_stopped),  cmocka_unit_test(test_resized),
      cmocka_unit_test(test_only_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
