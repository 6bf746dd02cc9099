/* test_elastic.c -- jobs of ElastiSim whose number of nodes changes: each alone, against closed forms that
 * are computed here; scheduling points, evolving requests, what a change costs; policies that resize them;
 * what cannot be combined. On a star with cables of 100 each way, whose storage host has one too, and nodes
 * whose own disks read 20 and write 10. */
#include "engine_test.h"

#include "base/math.h"

#define CELL \
  "cell: {use: hosts, classes: [{name_prefix: c, count: 8, cpus: 1}, " \
  "{name_prefix: s, count: 1, memory: 1GB}]}\n"
#define EXECUTION \
  "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}, disks: [" \
  "{at: s-0, mount: /pfs, read_bandwidth: 10000, write_bandwidth: 10000}, " \
  "{hosts: c, mount: /bb, read_bandwidth: 20, write_bandwidth: 10}]}\n"

typedef struct files {
  char jobs[64], model[64];
} files;

/* @param jobs with "@" for the file of the model and time 0, or "#" for the file alone */
static hc_rc try_jobs(bench *b, files *f, const char *model, const char *jobs, const char *source,
                      const char *yaml)
{
  char text[4096], one[3072];
  size_t n = 0;
  write_log(f->model, model, strlen(model));
  n = (size_t)snprintf(text, sizeof text, "{\"jobs\": [");
  for (const char *s = jobs; *s; s++)
    n += (size_t)(*s == '@' || *s == '#'
                      ? snprintf(text + n, sizeof text - n, "%s\"application_model\": \"%s\"",
                                 *s == '@' ? "\"submit_time\": 0, " : "", f->model)
                      : snprintf(text + n, sizeof text - n, "%c", *s));
  n += (size_t)snprintf(text + n, sizeof text - n, "]}\n");
  write_log(f->jobs, text, n);
  (void)snprintf(one, sizeof one, "paranoid: true\nsource: {use: elastisim, file: %s, cores: 1%s}\n%s%s",
                 f->jobs, source, strstr(yaml, "execution:") ? "" : CELL EXECUTION, yaml);
  return try_begin(b, one, 8, NULL, 0, NULL);
}

static void drop(const files *f)
{
  (void)unlink(f->jobs);
  (void)unlink(f->model);
}

static unsigned cases;

static void takes_with(const char *model, const char *jobs, const char *yaml, double seconds)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    files f;
    check(&b, try_jobs(&b, &f, model, jobs, ", size: min", yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    const double off = (double)record_of(&b, 0)->end - seconds * 1e9;
    if (off < -40 || off > 40)
      fail_msg("%s: %.9f s, not %.9f", model, (double)record_of(&b, 0)->end / 1e9, seconds);
    assert_int_equal(record_of(&b, 0)->final, HC_FINAL_COMPLETED);
    end(&b);
    drop(&f);
  }
  cases++;
}

/* ---- closed forms ---- */

static const char *const deals[] = {"uniform", "total", "all_ranks", "root_only", "even_ranks", "odd_ranks"};

/* The most that one of n has of S. */
static double share(const char *deal, double s, int n)
{
  if (strcmp(deal, "uniform") == 0 || strcmp(deal, "root_only") == 0) return s;
  if (strcmp(deal, "even_ranks") == 0) return s / ((n + 1) / 2);
  if (strcmp(deal, "odd_ranks") == 0) return n > 1 ? s / (n / 2) : 0;
  return s / n;
}

/* What all of n have of S. */
static double in_all(const char *deal, double s, int n)
{
  return strcmp(deal, "uniform") == 0 ? s * n : s;
}

static double longer(double a, double b)
{
  return a > b ? a : b;
}

static const char *const talks[] = {
    "all_to_all", "gather", "scatter", "ring", "ring_clockwise", "ring_counter_clockwise", "master_worker"};

/* Seconds on the busiest cable. */
static double talk(const char *how, double s, int n)
{
  if (n == 1) return 0;
  if (strcmp(how, "all_to_all") == 0) return s / (n * (n - 1.0)) * (n - 1) / 100;
  if (strcmp(how, "gather") == 0 || strcmp(how, "scatter") == 0) return s / n * (n - 1) / 100;
  if (strcmp(how, "ring") == 0) return 2 * s / (2.0 * n) / 100;
  if (strcmp(how, "master_worker") == 0) return 2 * s / (n - 1.0) * (n - 1) / 100;
  return s / n / 100;
}

/* Three rounds of these tasks: the first on 2 nodes, the others on `to` where it grows, or the other way
 * round. */
static void changes_with(const char *tasks, const char *more, const char *yaml, int to, double first,
                         double then)
{
  char model[2048], one_job[256];
  (void)snprintf(model, sizeof model,
                 "{%s\"phases\": [{\"iterations\": 3, \"evolving_request\": \"phase_iteration == 1 ? %d : "
                 "num_nodes\", \"tasks\": [%s]}]}",
                 more, to, tasks);
  (void)snprintf(one_job, sizeof one_job,
                 "{\"type\": \"evolving\", @, \"num_nodes_min\": 2, \"num_nodes_max\": %d}", to);
  takes_with(model, one_job, yaml, first + 2 * then);
}

static void changes(const char *tasks, const char *more, int to, double first, double then)
{
  changes_with(tasks, more, "", to, first, then);
}

static void test_computations_change(void **state)
{
  char task[256];
  (void)state;
  for (size_t i = 0; i < sizeof deals / sizeof *deals; i++) {
    (void)snprintf(task, sizeof task, "{\"type\": \"cpu\", \"flops\": 60, \"computation_pattern\": \"%s\"}",
                   deals[i]);
    changes(task, "", 5, share(deals[i], 60, 2), share(deals[i], 60, 5));
  }
}

static void test_messages_change(void **state)
{
  char task[256];
  (void)state;
  for (size_t i = 0; i < sizeof talks / sizeof *talks; i++) {
    (void)snprintf(task, sizeof task,
                   "{\"type\": \"cpu\", \"bytes\": \"x * 300\", \"communication_pattern\": \"%s\"}",
                   talks[i]);
    char model[1024];
    (void)snprintf(
        model, sizeof model,
        "{\"phases\": [{\"iterations\": \"it\", \"evolving_request\": \"phase_iteration == 1 ? 4 : "
        "num_nodes\", \"tasks\": [%s]}]}",
        task);
    takes_with(
        model,
        "{\"type\": \"evolving\", @, \"num_nodes_min\": 3, \"num_nodes_max\": 4, \"arguments\": {\"x\": 4, "
        "\"it\": 3}}",
        "", talk(talks[i], 1200, 3) + 2 * talk(talks[i], 1200, 4));
  }
}

/* Beside each other, or at one rate: as long as the longer, for each alone is as fast as it can be. */
static void test_both_change(void **state)
{
  char task[320];
  (void)state;
  for (size_t i = 0; i < sizeof talks / sizeof *talks; i++)
    for (int coupled = 0; coupled < 2; coupled++) {
      const char *deal = deals[(i + (size_t)coupled) % 6];
      (void)snprintf(task, sizeof task,
                     "{\"type\": \"cpu\", \"flops\": 6, \"computation_pattern\": \"%s\", \"bytes\": 1200, "
                     "\"communication_pattern\": \"%s\", \"coupled\": %s}",
                     deal, talks[i], coupled ? "true" : "false");
      char model[1024];
      (void)snprintf(model, sizeof model,
                     "{\"phases\": [{\"iterations\": 3, \"evolving_request\": \"phase_iteration == 1 ? 6 : "
                     "num_nodes\", \"tasks\": [%s]}]}",
                     task);
      takes_with(model, "{\"type\": \"evolving\", @, \"num_nodes_min\": 3, \"num_nodes_max\": 6}", "",
                 longer(share(deal, 6, 3), talk(talks[i], 1200, 3)) +
                     2 * longer(share(deal, 6, 6), talk(talks[i], 1200, 6)));
    }
}

/* Over the storage host's cable, or each node on its own disk. */
static double io(const char *type, const char *deal, double s, int n)
{
  if (type[0] == 'p') return in_all(deal, s, n) / 100;
  return share(deal, s, n) / (strstr(type, "read") ? 20 : 10);
}

static void test_io_changes(void **state)
{
  static const char *const types[] = {"pfs_read", "pfs_write", "bb_read", "bb_write"};
  char task[256];
  (void)state;
  for (size_t t = 0; t < 4; t++)
    for (size_t i = 0; i < sizeof deals / sizeof *deals; i++) {
      (void)snprintf(task, sizeof task, "{\"type\": \"%s\", \"bytes\": 600, \"pattern\": \"%s\"}", types[t],
                     deals[i]);
      changes(task, "", 5, io(types[t], deals[i], 600, 2), io(types[t], deals[i], 600, 5));
    }
}

/* With wide striping what all nodes have lies on their disks in equal parts. Cables of 100 are no bottleneck:
 * of 600 bytes of each of five nodes 480 go over each, and of 600 of one 480 over its own. */
static void test_wide_io_changes(void **state)
{
#define WIDE \
  CELL "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}, disks: [" \
       "{hosts: c, wide: true, mount: /bb, read_bandwidth: 20, write_bandwidth: 10}]}\n"
  char task[256];
  (void)state;
  for (int writes = 0; writes < 2; writes++)
    for (size_t i = 0; i < sizeof deals / sizeof *deals; i++) {
      const double bandwidth = writes ? 10 : 20;
      (void)snprintf(task, sizeof task, "{\"type\": \"%s\", \"bytes\": 600, \"pattern\": \"%s\"}",
                     writes ? "bb_write" : "bb_read", deals[i]);
      changes_with(task, "", WIDE, 5, in_all(deals[i], 600, 2) / 2 / bandwidth,
                   in_all(deals[i], 600, 5) / 5 / bandwidth);
    }
}

static void test_delays_change(void **state)
{
  char task[256];
  (void)state;
  for (size_t i = 0; i < sizeof deals / sizeof *deals; i++) {
    (void)snprintf(task, sizeof task, "{\"type\": \"%s\", \"delay\": 12, \"pattern\": \"%s\"}",
                   i % 2 ? "idle" : "busy_wait", deals[i]);
    changes(task, "", 4, share(deals[i], 12, 2), share(deals[i], 12, 4));
  }
}

#define REST "{\"type\": \"idle\", \"delay\": 7}"

/* What a change costs: on all nodes, and on those that are new, of which num_nodes is the number. */
static void test_costs(void **state)
{
  (void)state;
  changes(REST, "\"on_reconfiguration\": {\"tasks\": [{\"type\": \"idle\", \"delay\": 5}]}, ", 4, 7, 9.5);
  changes(REST, "\"on_expansion\": {\"tasks\": [{\"type\": \"idle\", \"delay\": \"num_nodes\"}]}, ", 5, 7,
          8.5);
  changes(REST, "\"on_init\": {\"tasks\": [{\"type\": \"idle\", \"delay\": 2}]}, ", 5, 9, 7);
  /* The model goes from the store to the first node and from there to all: redistributed over the network. */
  changes(REST,
          "\"on_reconfiguration\": {\"tasks\": [{\"type\": \"pfs_read\", \"bytes\": 500, \"pattern\": "
          "\"root_only\"}, {\"type\": \"cpu\", \"bytes\": 800, \"communication_pattern\": \"scatter\"}]}, ",
          4, 7, 7 + (5 + talk("scatter", 800, 4)) / 2);
  /* Three are new: they read 100 each over one cable, on new disks 300 / 3, and talk among themselves. */
  changes(
      REST,
      "\"on_expansion\": {\"tasks\": [{\"type\": \"pfs_read\", \"bytes\": 100, \"pattern\": \"uniform\"}]}, ",
      5, 7, 7 + 3 / 2.0);
  changes(REST,
          "\"on_expansion\": {\"tasks\": [{\"type\": \"bb_write\", \"bytes\": 300, \"pattern\": "
          "\"all_ranks\"}]}, ",
          5, 7, 7 + 10 / 2.0);
  changes(REST,
          "\"on_expansion\": {\"tasks\": [{\"type\": \"cpu\", \"bytes\": 600, \"communication_pattern\": "
          "\"all_to_all\"}]}, ",
          5, 7, 7 + talk("all_to_all", 600, 3) / 2);
  changes(REST,
          "\"on_reconfiguration\": {\"tasks\": [{\"type\": \"cpu\", \"flops\": 20, \"computation_pattern\": "
          "\"total\"}]}, \"on_expansion\": {\"tasks\": [{\"type\": \"cpu\", \"flops\": 9, "
          "\"computation_pattern\": \"total\"}]}, ",
          5, 7, 7 + (4 + 3) / 2.0);
}

#define SHRINKS(n) \
  "{\"phases\": [{\"iterations\": 2, \"tasks\": [" REST "]}, {\"iterations\": 3, \"evolving_request\": " \
  "\"" n "\", \"tasks\": [{\"type\": \"cpu\", \"flops\": 60, \"computation_pattern\": \"total\"}]}]}"

/* Down again, clipped at both ends, at once and step by step; at points between two phases as well. */
static void test_requests(void **state)
{
  const char *one_job = "{\"type\": \"evolving\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 6}";
  (void)state;
  takes_with(SHRINKS("6"), one_job, "", 14 + 3 * 10);
  takes_with(SHRINKS("100"), one_job, "", 14 + 3 * 10);
  takes_with(SHRINKS("num_nodes - 7"), one_job, "", 14 + 3 * 30);
  takes_with(SHRINKS("num_nodes + 1"), one_job, "", 14 + 20 + 15 + 12);
  takes_with(SHRINKS("phase_iteration == 0 ? num_nodes_max : num_nodes - 2"), one_job, "", 14 + 10 + 15 + 30);
  takes_with(SHRINKS("num_nodes"), one_job, "", 14 + 3 * 30);
  /* Only jobs that may ask do. */
  takes_with(SHRINKS("6"), "{\"type\": \"malleable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 6}", "",
             14 + 3 * 30);
  takes_with(SHRINKS("6"), "{\"type\": \"moldable\", @, \"num_nodes_min\": 3, \"num_nodes_max\": 6}", "",
             14 + 3 * 20);
  takes_with(SHRINKS("6"), "{\"type\": \"adaptive\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 6}", "",
             14 + 3 * 10);
}

#define ELASTIC(strategy) "policy: {use: elastic, strategy: " strategy "}\n"

static const char rounds[] =
    "{\"on_reconfiguration\": {\"tasks\": [{\"type\": \"idle\", \"delay\": 1}]}, \"phases\": "
    "[{\"iterations\": 4, "
    "\"tasks\": [{\"type\": \"cpu\", \"flops\": 48, \"computation_pattern\": \"total\"}]}]}";

/* Alone it starts with its least, or with all, and grows at its first point: 48 on 2, then 48 / 8. */
static void test_policies(void **state)
{
  const char *one_job = "{\"type\": \"malleable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 8}";
  (void)state;
  takes_with(rounds, one_job, ELASTIC("rigid"), 4 * 24);
  takes_with(rounds, one_job, ELASTIC("min"), 24 + 1 + 3 * 6);
  takes_with(rounds, one_job, ELASTIC("average"), 24 + 1 + 3 * 6);
  takes_with(rounds, one_job, ELASTIC("common_pool"), 24 + 1 + 3 * 6);
  takes_with(rounds, one_job, ELASTIC("equipartition"), 4 * 6);
  takes_with(rounds, one_job, ELASTIC("preferred"), 48 / 5.0 + 1 + 3 * 6);
  takes_with(rounds, one_job, ELASTIC("keep_preferred"), 48 / 5.0 + 1 + 3 * 6);
  takes_with(rounds, one_job, ELASTIC("agreement"), 48 / 5.0 + 1 + 3 * 6);
  takes_with(rounds, one_job, ELASTIC("steal_agreement"), 48 / 5.0 + 1 + 3 * 6);
  takes_with(rounds, one_job, ELASTIC("largest"), 4 * 6);
  takes_with(rounds, one_job, ELASTIC("priority"), 4 * 6);
  takes_with(rounds, one_job, "policy: malleable\n", 24 + 1 + 3 * 6);
  takes_with(rounds, "{\"type\": \"moldable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 8}",
             ELASTIC("largest"), 4 * 6);
  takes_with(rounds, "{\"type\": \"moldable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 8}",
             ELASTIC("min"), 4 * 24);
}

/* A task that only lasts, on 4 of 8 processors: its 160 processor-seconds are conserved, it grows at once. */
static void test_lasting(void **state)
{
  static const char *const strategies[] = {"min",       "average",         "preferred",     "keep_preferred",
                                           "agreement", "steal_agreement", "equipartition", "common_pool",
                                           "largest",   "priority",        "greedy",        "rigid"};
  const job jobs[] = {J(1, 0, 40, 4, 60)};
  (void)state;
  for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
    char yaml[256];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   "cell: {use: count, procs: 8}\ntransforms: [{use: malleable, least: 0.5, most: 2}]\n"
                   "policy: {use: elastic, strategy: %s}\n",
                   strategies[i]);
    begin(&b, yaml, 8, jobs, 1, NULL);
    finish_in_pieces(&b, 1);
    assert_int_equal(record_of(&b, 1)->end, (strcmp(strategies[i], "rigid") == 0 ? 40 : 20) * HC_SECOND);
    end(&b);
  }
}

/* It has grown to all 8 when at 10 s another comes that needs 4: what it gives up is there in that instant.
 * With what is left, 160 - 80, it goes on on 4 until that one has ended, and on 8 then: 10 + 10 + 40 / 8. */
static void test_gives_at_once(void **state)
{
  static const char *const strategies[] = {"min", "common_pool", "equipartition", "largest"};
  const job jobs[] = {J(1, 0, 40, 4, 60), J(2, 10, 10, 4, 20)};
  (void)state;
  for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
    char yaml[256];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   "cell: {use: count, procs: 8}\ntransforms: [{use: malleable, where: \"id == 1\"}]\n"
                   "policy: {use: elastic, strategy: %s}\n",
                   strategies[i]);
    begin(&b, yaml, 8, jobs, 2, NULL);
    finish_in_pieces(&b, 1);
    assert_int_equal(record_of(&b, 2)->start, 10 * HC_SECOND);
    assert_int_equal(record_of(&b, 2)->end, 20 * HC_SECOND);
    assert_int_equal(record_of(&b, 1)->end, 25 * HC_SECOND);
    end(&b);
  }
}

/* No point, no change: neither where a phase has none, nor after the last round of one without a final one.
 * */
static void test_points(void **state)
{
  const char *one_job = "{\"type\": \"malleable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 8}";
  (void)state;
#define TWO(more) \
  "{\"phases\": [{\"iterations\": 2, " more "\"tasks\": [{\"type\": \"cpu\", \"flops\": 48, " \
  "\"computation_pattern\": \"total\"}]}, {\"iterations\": 2, \"tasks\": [{\"type\": " \
  "\"cpu\", \"flops\": 16, \"computation_pattern\": \"total\"}]}]}"
  takes_with(TWO(""), one_job, ELASTIC("min"), 24 + 6 + 2 + 2);
  takes_with(TWO("\"scheduling_point\": false, "), one_job, ELASTIC("min"), 24 + 24 + 8 + 2);
  takes_with(TWO("\"final_scheduling_point\": false, "), one_job, ELASTIC("min"), 24 + 6 + 2 + 2);
  assert_true(cases >= 40);
  print_message("%u jobs against closed forms\n", cases);
}

static hc_rc take_note(void *ctx, const char *const *values)
{
  if (strcmp(values[0], "points_note") == 0) (void)snprintf(ctx, 256, "%s", values[1]);
  return 0;
}

/* A job of one phase comes to no point: it keeps its two nodes of eight for all of its 48 / 2 s, whatever the
 * policy wants, and the result says so. */
static void test_no_point_is_said(void **state)
{
  const char *model = "{\"phases\": [{\"tasks\": [{\"type\": \"cpu\", \"flops\": 48, "
                      "\"computation_pattern\": \"total\"}]}]}";
  char note[256] = "";
  hc_result *r;
  bench b;
  files f;
  (void)state;
  check(&b,
        try_jobs(&b, &f, model, "{\"type\": \"malleable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 8}",
                 ", size: min", ELASTIC("min")));
  finish(&b);
  assert_true(record_of(&b, 0)->end == 24 * HC_SECOND);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "hindcast", 2, take_note, note, &b.error));
  hc_result_free(r);
  if (!strstr(note, "resized 1 attempts that came to no scheduling point")) fail_msg("\"%s\"", note);
  end(&b);
  drop(&f);
}

static hc_rc take_share(void *ctx, const char *const *values)
{
  if (strcmp(values[1], "energy_by_task") == 0) *(double *)ctx = strtod(values[5], NULL);
  return 0;
}

/* Nodes draw 100 W idle and 200 W while they compute: two for 24 s, and from the first point on all eight
 * for 10 s, beside a storage host that is idle for 34 s. */
static void test_energy(void **state)
{
  (void)state;
  for (int pieces = 0; pieces < 2; pieces++) {
    double share = 0;
    hc_result *r;
    bench b;
    files f;
    check(&b,
          try_jobs(&b, &f, TWO(""),
                   "{\"type\": \"malleable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 8}", ", size: min",
                   ELASTIC("min") "power: {use: linear, idle: 100, peak: 200}\n"
                                  "metrics: [{use: energy, by: tasks}]\n"));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    const double all = hc_result_figure(r, "all", "energy");
    check(&b, hc_result_rows(r, "cells", 6, take_share, &share, &b.error));
    hc_result_free(r);
    if (__builtin_fabs(all - (24 * (2 * 200 + 6 * 100) + 10 * 8 * 200 + 34 * 100)) > 1e-3 ||
        __builtin_fabs(share - (24 * 2 * 200 + 10 * 8 * 200)) > 1e-3)
      fail_msg("%.6f J, of which the job has %.6f", all, share);
    end(&b);
    drop(&f);
  }
}

/* ---- several ---- */

/* The first has 4 of 8 nodes, and from its first point on, at 12 s, all. The second comes at 13 s and needs
 * 4, which the first gives up at its next point, at 18 s. When it ends, at 30 s, the first is at a point
 * again, and has no wish yet: its last round is on 4 as well. */
static void test_shrinks_for_another(void **state)
{
  static const char model[] = "{\"phases\": [{\"iterations\": \"n\", \"tasks\": [{\"type\": \"cpu\", "
                              "\"flops\": 48, \"computation_pattern\": \"total\"}]}]}";
  bench b;
  files f;
  (void)state;
  for (int pieces = 0; pieces < 2; pieces++) {
    check(&b,
          try_jobs(&b, &f, model,
                   "{\"type\": \"malleable\", @, \"num_nodes_min\": 4, \"num_nodes_max\": 8, \"arguments\": "
                   "{\"n\": 4}}, {\"type\": \"rigid\", \"num_nodes\": 4, #, \"submit_time\": 13, "
                   "\"arguments\": {\"n\": 1}}",
                   ", size: min", ELASTIC("average")));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(record_of(&b, 1)->start, 18 * HC_SECOND);
    assert_int_equal(record_of(&b, 1)->end, 30 * HC_SECOND);
    assert_int_equal(record_of(&b, 0)->end, 42 * HC_SECOND);
    assert_int_equal(counted(&b, "hindcast", "plan_resizes"), 2);
    assert_int_equal(counted(&b, "hindcast", "scheduling_points"), 3);
    end(&b);
    drop(&f);
  }
}

/* A host that goes away takes what ran on it: the job waits again, with its own size, and does all of it
 * again. It grew to 6 at 7 s; host 5 is gone at 9 s; from then on it has 2 for a round, and 6 from 16 s on.
 * */
static void test_host_is_lost(void **state)
{
  static const char model[] =
      "{\"phases\": [{\"iterations\": 3, \"evolving_request\": \"6\", \"tasks\": [" REST "]}]}";
  bench b;
  files f;
  (void)state;
  check(&b, try_jobs(&b, &f, model, "{\"type\": \"evolving\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 6}",
                     ", size: min",
                     "host_loss: requeue\n"
                     "events: [{use: list, changes: [{at: 9, hosts: 5, until: 1000}]}]\n"));
  finish_in_pieces(&b, 1);
  assert_int_equal(record_of(&b, 0)->start, 9 * HC_SECOND);
  assert_int_equal(record_of(&b, 0)->end, (9 + 21) * HC_SECOND);
  assert_int_equal(record_of(&b, 0)->units, (1000 * (2 * 7 + 6 * 14) + 10) / 21); /* to the nearest */
  assert_int_equal(counted(&b, "hindcast", "plan_resizes"), 2);
  end(&b);
  drop(&f);
}

/* One that was stopped for another begins anew as well, with its own size. */
static void test_preempted(void **state)
{
  static const char tasks[] =
      "[{id: 0, submit_time: 0, priority: 1, resources: {nodes_count: 2, cpu_per_node: 1}, spread: true, "
      "malleable: {min: 2, max: 6, when: itself}, profile: {use: phase, iterations: 3, between: "
      "{use: point, asks: true, request: 6}, profile: {use: idle, time: 10}}},\n"
      "{id: 1, submit_time: 13, priority: 9, resources: {nodes_count: 8, cpu_per_node: 1}, spread: true, "
      "profile: {use: idle, time: 4}}]\n";
  char path[64], yaml[1024];
  bench b;
  (void)state;
  write_log(path, tasks, sizeof tasks - 1);
  (void)snprintf(yaml, sizeof yaml,
                 "paranoid: true\nsource: {use: native, file: %s}\n" CELL EXECUTION
                 "policy: {use: batch, order: priority, preempt: {use: priority, on_preempt: requeue}}\n",
                 path);
  begin(&b, yaml, 8, NULL, 0, NULL);
  finish_in_pieces(&b, 1);
  assert_int_equal(record_of(&b, 1)->start, 13 * HC_SECOND);
  assert_int_equal(record_of(&b, 0)->start, 17 * HC_SECOND);
  assert_int_equal(record_of(&b, 0)->end, 47 * HC_SECOND);
  assert_int_equal(counted(&b, "hindcast", "plan_resizes"), 2);
  end(&b);
  (void)unlink(path);
}

/* Work is conserved through any sequence of sizes: a walk over the rounds, each of which does 840 in all,
 * comes to the same end. */
static void test_any_sequence(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 7};
    char model[2048], request[1024] = "";
    size_t n = 0;
    int size = 1;
    double end = 840;
    for (int round = 1; round < 12; round++) {
      const int to = 1 + (int)hc_random_below(&d, 8);
      n += (size_t)snprintf(request + n, sizeof request - n, "phase_iteration == %d ? %d : ", round, to);
      size = to;
      end += 840.0 / size;
    }
    (void)snprintf(model, sizeof model,
                   "{\"phases\": [{\"iterations\": 12, \"evolving_request\": \"%s num_nodes\", \"tasks\": "
                   "[{\"type\": \"cpu\", \"flops\": 840, \"computation_pattern\": \"total\"}]}]}",
                   request);
    takes_with(model, "{\"type\": \"evolving\", @, \"num_nodes_min\": 1, \"num_nodes_max\": 8}", "", end);
  }
}

/* Evolving requests that find no room: refused, or waited for. The rigid job has 4 of 8 nodes until 30. */
static void refused_or_deferred(const char *cannot_grow, double seconds, uint64_t refused, uint64_t deferred)
{
  static const char model[] =
      "{\"phases\": [{\"iterations\": \"n\", \"evolving_request\": \"6\", \"tasks\": [{\"type\": \"idle\", "
      "\"delay\": \"num_nodes == 4 ? d : 2\"}]}]}";
  char yaml[64];
  bench b;
  files f;
  (void)snprintf(yaml, sizeof yaml, "cannot_grow: %s\n", cannot_grow);
  check(&b, try_jobs(&b, &f, model,
                     "{\"type\": \"rigid\", @, \"num_nodes\": 4, \"arguments\": {\"n\": 1, \"d\": 30}}, "
                     "{\"type\": \"evolving\", @, \"num_nodes_min\": 4, \"num_nodes_max\": 6, \"arguments\": "
                     "{\"n\": 3, \"d\": 5}}",
                     ", size: min", yaml));
  finish_in_pieces(&b, 1);
  assert_int_equal(record_of(&b, 1)->end, (int64_t)(seconds * 1e9));
  assert_int_equal(counted(&b, "hindcast", "size_requests_refused"), refused);
  assert_int_equal(counted(&b, "hindcast", "size_requests_deferred"), deferred);
  end(&b);
  drop(&f);
}

static void test_no_room(void **state)
{
  (void)state;
  refused_or_deferred("keep", 15, 2, 0);
  refused_or_deferred("defer", 30 + 2 + 2, 0, 1);
}

/* ---- room that is reserved ---- */

#define WAITS(nodes, at, rounds, d) \
  "{\"type\": \"rigid\", \"submit_time\": " #at ", #, \"num_nodes\": " #nodes \
  ", \"arguments\": {\"n\": " #rounds ", \"d\": 5, \"e\": " #d "}}"
#define ASKS(at, least) \
  "{\"type\": \"evolving\", \"submit_time\": " #at ", #, \"num_nodes_min\": " #least \
  ", \"num_nodes_max\": 6, " \
  "\"arguments\": {\"n\": 3, \"d\": 5, \"e\": 2}}"

static const char asks_six[] =
    "{\"phases\": [{\"iterations\": \"n\", \"evolving_request\": \"6\", \"tasks\": [{\"type\": \"idle\", "
    "\"delay\": \"num_nodes == 4 ? d : e\"}]}]}";

/* @param ends  [count] in s, by the order of jobs */
static void ends_at(const char *jobs, const char *yaml, size_t count, const double *ends, uint64_t refused,
                    uint64_t deferred)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    files f;
    check(&b, try_jobs(&b, &f, asks_six, jobs, ", size: min", yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < count; i++)
      if (record_of(&b, (int64_t)i)->end != (int64_t)(ends[i] * 1e9))
        fail_msg("%s: %zu ends at %.9f, not %g", yaml, i, (double)record_of(&b, (int64_t)i)->end / 1e9,
                 ends[i]);
    assert_int_equal(counted(&b, "hindcast", "size_requests_refused"), refused);
    assert_int_equal(counted(&b, "hindcast", "size_requests_deferred"), deferred);
    end(&b);
    drop(&f);
  }
}

/* Of 8 nodes the first job has four and asks for six at 5 s; two others have one each, until 10 and 20, and a
 * third one two until 100. Two of one node and 20 s queue. Deferred, these take what becomes free, until 30
 * and 40, and the request is met at 40; reserved, at 20, and they start when the job ends, at 24. Whatever
 * the policy: none starts anything meanwhile. */
static void test_reserved(void **state)
{
  static const char jobs[] = ASKS(0, 4) ", " WAITS(1, 0, 1, 10) ", " WAITS(1, 0, 1, 20) ", " WAITS(
      2, 0, 1, 100) ", " WAITS(1, 6, 1, 20) ", " WAITS(1, 7, 1, 20);
  static const char *const policies[] = {"policy: fcfs\n",       "policy: easy\n",
                                         "policy: scan\n",       "policy: {use: malleable, policy: fcfs}\n",
                                         ELASTIC("min"),         ELASTIC("average"),
                                         ELASTIC("common_pool"), ELASTIC("rigid")};
  (void)state;
  ends_at(jobs, "cannot_grow: defer\n", 6, (const double[]){44, 10, 20, 100, 30, 40}, 0, 1);
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    char yaml[256];
    (void)snprintf(yaml, sizeof yaml, "cannot_grow: reserve\n%s", policies[i]);
    ends_at(jobs, yaml, 6, (const double[]){24, 10, 20, 100, 44, 44}, 0, 1);
  }
}

/* Two with four of eight nodes each ask for six at 5 s. The first waits; were the second to wait too, both
 * would for ever: it goes on as it is, asks again at 10 s, and ends at 15 s, when the first gets its two.
 * Deferred, both wait. */
static void test_none_waits_for_ever(void **state)
{
  (void)state;
  ends_at(ASKS(0, 4) ", " ASKS(0, 4), "cannot_grow: reserve\n", 2, (const double[]){19, 15}, 2, 1);
}

/* A malleable job with 4 of 8 nodes, and 2 at least, gives two up for a request, as it would for a job that
 * waits: at its point at 10 s. The request is of 6 s, and the rest of the malleable job lasts 30 s on 2
 * nodes. */
static void test_others_give(void **state)
{
  static const char jobs[] = ASKS(
      1, 4) ", {\"type\": \"malleable\", \"submit_time\": 0, #, \"num_nodes_min\": 2, \"num_nodes_max\": 4, "
            "\"arguments\": {\"n\": 2, \"d\": 10, \"e\": 30}}";
  (void)state;
  ends_at(jobs, "cannot_grow: reserve\npolicy: {use: elastic, strategy: largest}\n", 2,
          (const double[]){14, 40}, 0, 1);
}

/* Any jobs that ask for any size, under every strategy: all come to their end, nothing starts while room is
 * reserved (points.c says so if it does), and saving and loading changes nothing. */
static void test_reserved_in_any_run(void **state)
{
  static const char *const policies[] = {"min",       "average",         "preferred",     "keep_preferred",
                                         "agreement", "steal_agreement", "equipartition", "common_pool",
                                         "largest",   "priority",        "greedy",        "rigid",
                                         NULL};
  static const char *const types[] = {"rigid", "moldable", "malleable", "evolving", "adaptive"};
  uint64_t deferred = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 52; seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 11};
    char jobs[2900] = "", yaml[128], model[512];
    size_t n = 0, count = 6 + (size_t)hc_random_below(&d, 8);
    const char *strategy = policies[seed % (sizeof policies / sizeof *policies)];
    bench b;
    files f;
    for (size_t i = 0; i < count; i++) {
      const int least = 1 + (int)hc_random_below(&d, 4),
                most = least + (int)hc_random_below(&d, (uint64_t)(9 - least));
      n += (size_t)snprintf(
          jobs + n, sizeof jobs - n,
          "%s{\"type\": \"%s\", \"submit_time\": %d, #, \"num_nodes\": %d, \"num_nodes_min\": %d, "
          "\"num_nodes_max\": %d, \"arguments\": {\"n\": %d, \"w\": %d}}",
          i > 0 ? ", " : "", types[hc_random_below(&d, 5)], (int)hc_random_below(&d, 60), least, least, most,
          1 + (int)hc_random_below(&d, 5), 10 + (int)hc_random_below(&d, 90));
    }
    (void)snprintf(
        model, sizeof model,
        "{\"phases\": [{\"iterations\": \"n\", \"evolving_request\": \"1 + (phase_iteration * 5 + w) %% 8\", "
        "\"tasks\": [{\"type\": \"cpu\", \"flops\": \"w\", \"computation_pattern\": \"total\"}]}]}");
    (void)snprintf(yaml, sizeof yaml, "cannot_grow: reserve\npolicy: {use: %s%s%s}\n",
                   strategy ? "elastic" : "malleable", strategy ? ", strategy: " : "",
                   strategy ? strategy : "");
    check(&b, try_jobs(&b, &f, model, jobs, ", size: min", yaml));
    if (seed % 3 == 0) finish_in_pieces(&b, 2);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++)
      if (record_of(&b, (int64_t)i)->final != HC_FINAL_COMPLETED)
        fail_msg("seed %d, %s: job %zu is at %d", (int)seed, strategy ? strategy : "malleable", i,
                 (int)record_of(&b, (int64_t)i)->final);
    deferred += (uint64_t)counted(&b, "hindcast", "size_requests_deferred");
    end(&b);
    drop(&f);
  }
  assert_true(deferred > 20);
}

static void refuses(const char *model, const char *one_job, const char *yaml, const char *text)
{
  bench b;
  files f;
  hc_rc rc = try_jobs(&b, &f, model, one_job, "", yaml);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc >= 0 || !strstr(b.error.text, text))
    fail_msg("%s: %s %s:%u: %s", model, hc_rc_name(rc), b.error.where, b.error.line, b.error.text);
  end(&b);
  drop(&f);
}

#define MODEL(tasks) "{\"phases\": [{\"iterations\": 2, \"tasks\": [" tasks "]}]}"

static void test_refused(void **state)
{
  const char *one_job = "{\"type\": \"malleable\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 6}";
  const char *asks = "{\"type\": \"evolving\", @, \"num_nodes_min\": 2, \"num_nodes_max\": 6}";
  (void)state;
  refuses(MODEL("{\"type\": \"cpu\", \"flops\": [1, 2], \"computation_pattern\": \"vector\"}"), one_job, "",
          "\"vector\" is not known, or for rigid jobs");
  refuses(MODEL("{\"type\": \"cpu\", \"flops\": \"work / num_nodes\", \"computation_pattern\": \"total\"}"),
          one_job, "", "work");
  refuses(MODEL("{\"type\": \"gpu\", \"flops\": 1, \"computation_pattern\": \"total\"}"), one_job, "",
          "has no num_gpus_per_node");
  refuses(SHRINKS("6"), asks, "cannot_grow: requeue\n", "set `cannot_grow` to keep, defer or reserve");
  refuses(SHRINKS("2"), asks, CELL "execution: {use: activities, cpu_speed: 1, overcommit: [cpu=2]}\n",
          "hosts are promised more than once");
  refuses(SHRINKS("6"), asks, "policy: gang\n", "asks for other hosts while it runs");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_computations_change),
                                     cmocka_unit_test(test_messages_change),
                                     cmocka_unit_test(test_both_change),
                                     cmocka_unit_test(test_io_changes),
                                     cmocka_unit_test(test_wide_io_changes),
                                     cmocka_unit_test(test_delays_change),
                                     cmocka_unit_test(test_costs),
                                     cmocka_unit_test(test_requests),
                                     cmocka_unit_test(test_policies),
                                     cmocka_unit_test(test_points),
                                     cmocka_unit_test(test_no_point_is_said),
                                     cmocka_unit_test(test_energy),
                                     cmocka_unit_test(test_lasting),
                                     cmocka_unit_test(test_gives_at_once),
                                     cmocka_unit_test(test_shrinks_for_another),
                                     cmocka_unit_test(test_no_room),
                                     cmocka_unit_test(test_host_is_lost),
                                     cmocka_unit_test(test_preempted),
                                     cmocka_unit_test(test_any_sequence),
                                     cmocka_unit_test(test_reserved),
                                     cmocka_unit_test(test_none_waits_for_ever),
                                     cmocka_unit_test(test_others_give),
                                     cmocka_unit_test(test_reserved_in_any_run),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
