/* test_patterns.c -- patterns of communication through whole runs: lengths that follow from what the fullest
 * cable carries, message by message and as one activity; large ones; what is refused.
 *
 * On a star of cables of 100 bytes/s each way a message of 1000 takes 10 s of each of two cables. */
#include "engine_test.h"

#define CELL(n) "cell: {use: hosts, classes: [{name_prefix: h, count: " #n ", cpus: 2}]}\n"
#define OVER(network) "execution: {use: activities, cpu_speed: 1, network: " network "}\n"
#define STAR OVER("{use: star, bandwidth: 100}")
#define SLOW OVER("{use: star, bandwidth: 100, latency: 1}")

static hc_rc try_one(bench *b, char *file, int hosts, const char *profile, const char *yaml)
{
  char text[1024];
  (void)snprintf(text, sizeof text,
                 "- {id: 7, submit_time: 0, resources: {nodes_count: %d, cpu_per_node: 1}, profile: %s}\n",
                 hosts, profile);
  write_log(file, text, strlen(text));
  (void)snprintf(text, sizeof text, "paranoid: true\nsource: {use: native, file: %s}\n%s%s", file,
                 strstr(yaml, "cell:") ? "" : CELL(16), yaml);
  return try_begin(b, text, 8, NULL, 0, NULL);
}

/* One task of it takes so long, to 2 ns and the fluid's 1e-12: in one piece, and saved and restored after
 * each instant. */
static void takes(int hosts, const char *profile, const char *yaml, double seconds)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    char file[64];
    bench b;
    check(&b, try_one(&b, file, hosts, profile, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    const double off = (double)record_of(&b, 7)->end - seconds * 1e9;
    if (off < -2 - seconds * 1e-3 || off > 2 + seconds * 1e-3)
      fail_msg("%s on %d: %.9f s, not %.9f", profile, hosts, (double)record_of(&b, 7)->end / 1e9, seconds);
    end(&b);
    (void)unlink(file);
  }
}

/* Each message by itself, and all of them together: where one cable is the fullest from beginning to end both
 * take what it carries. */
static void both_take(int hosts, const char *name, const char *options, const char *yaml, double seconds)
{
  char profile[256];
  for (int together = 0; together < 2; together++) {
    (void)snprintf(profile, sizeof profile, "{%s: {size: 1000, together: %s%s%s}}", name,
                   together ? "true" : "false", *options ? ", " : "", options);
    takes(hosts, profile, yaml, seconds);
  }
}

/* A ring of n: each cable carries one message each way, whatever n is; both directions two. Of half-duplex
 * cables each carries two, or four. Alone there is nothing to send. */
static void test_ring(void **state)
{
  (void)state;
  for (int n = 2; n <= 16; n += 7) {
    both_take(n, "ring", "", STAR, 10);
    both_take(n, "ring", "direction: counter", STAR, 10);
    both_take(n, "ring", "direction: both", STAR, 20);
    both_take(n, "ring", "", OVER("{use: star, bandwidth: 100, duplex: half}"), 20);
    both_take(n, "ring", "", SLOW, 12);
  }
  both_take(1, "ring", "direction: both", STAR, 0);
  /* Over a backbone of 100 all n share it. */
  both_take(8, "ring", "", OVER("{use: backbone, bandwidth: 100, backbone_bandwidth: 100}"), 80);
}

/* The root's cable carries n - 1 messages, or each one's. */
static void test_collectives(void **state)
{
  (void)state;
  for (int n = 1; n <= 16; n += 5) {
    both_take(n, "gather", "", STAR, 10 * (n - 1));
    both_take(n, "scatter", n > 3 ? "root: 3" : "", STAR, 10 * (n - 1));
    both_take(n, "broadcast", "algorithm: flat", STAR, 10 * (n - 1));
    both_take(n, "all_to_all", "", STAR, 10 * (n - 1));
    both_take(n, "reduce", "algorithm: flat, work: 6", STAR, 10 * (n - 1) + 6 * (n - 1));
  }
}

/* Rounds: log2 n, rounded up, each of a latency and a message; a reduction works after each. */
static void test_rounds(void **state)
{
  static const int rounds[][2] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {16, 4}};
  (void)state;
  for (size_t i = 0; i < COUNT(rounds); i++) {
    const int n = rounds[i][0], k = rounds[i][1];
    both_take(n, "broadcast", "", SLOW, 12 * k);
    both_take(n, "broadcast", n > 4 ? "root: 4" : "root: 0", SLOW, 12 * k);
    both_take(n, "reduce", n > 4 ? "root: 4, work: 5" : "work: 5", SLOW, (12 + 5) * k);
  }
}

/* One in the middle has four neighbours, at an edge fewer; around the edge two in each dimension, twice the
 * same one of two. 12 are 4 x 3, 7 are 7 x 1. */
static void test_stencil(void **state)
{
  (void)state;
  both_take(9, "stencil", "grid: [3, 3]", STAR, 40);
  both_take(9, "stencil", "", STAR, 40);
  both_take(9, "stencil", "grid: [9]", STAR, 20);
  both_take(9, "stencil", "grid: [9], periodic: true", STAR, 20);
  both_take(8, "stencil", "dimensions: 3", STAR, 30);
  both_take(8, "stencil", "dimensions: 3, periodic: true", STAR, 60);
  both_take(12, "stencil", "", STAR, 40);
  both_take(7, "stencil", "", STAR, 20);
  both_take(7, "stencil", "grid: [1, 7, 1], periodic: true", STAR, 20);
  both_take(1, "stencil", "periodic: true", STAR, 0);
  both_take(2, "stencil", "dimensions: 1", STAR, 10);
  /* A torus of the same shape: neighbours have a cable for themselves each way. */
  both_take(9, "stencil", "grid: [3, 3], periodic: true",
            CELL(9) OVER("{use: torus, dimensions: [3, 3], bandwidth: 100}"), 10);
}

/* Of 7 in two levels below the root one in the middle has a parent and two children. */
static void test_tree(void **state)
{
  (void)state;
  both_take(7, "tree", "", STAR, 30);
  both_take(7, "tree", "direction: up", STAR, 20);
  both_take(7, "tree", "direction: down", STAR, 20);
  both_take(16, "tree", "arity: 15, direction: up", STAR, 150);
  both_take(4, "tree", "arity: 1", STAR, 20);
  both_take(1, "tree", "", STAR, 0);
}

/* By itself a message ends when it is done, together the slowest sets the pace of all. Both of 1's flows are
 * held by cable 0, which has three: 1000 each at 100 / 3. */
static void test_beside(void **state)
{
  (void)state;
  takes(4, "{parallel: [{gather: {size: 1000}}, {ring: {size: 500, together: true}}]}", STAR, 35);
}

/* Large ones by the shape of the network: 600 on a star are 599 messages on each cable; in racks of 30 of 600
 * 30 x 570 go up, which two more racks' cables of ten times that carry in 17.1 of a cable's. 10,000 at once.
 * */
static void test_large(void **state)
{
  const char *all = "{all_to_all: {size: 1000, together: true}}";
  (void)state;
  takes(600, all, CELL(600) STAR, 5990);
  takes(600, all, CELL(600) OVER("{use: tree, children: [30, 20], bandwidth: [100, 1000]}"), 17100);
  takes(600, all, CELL(600) OVER("{use: backbone, bandwidth: 100, backbone_bandwidth: 1000}"), 359400);
  takes(600, all, CELL(600) OVER("{use: shared, bandwidth: 1000, latency: 2}"), 359402);
  takes(600, all, CELL(600) OVER("{use: constant, bandwidth: 100, latency: 2}"), 12);
  takes(10000, all, CELL(10000) SLOW, 99992);
  takes(10000, "{parallel_homogeneous: {cpu: 5, com: 1000}}", CELL(10000) SLOW, 99992);
  takes(10000, "{ring: {size: 1000, together: true}}", CELL(10000) SLOW, 12);
}

/* Five tasks that overlap, on as many hosts as follow, alike or by a matrix that says the same. */
static void end_by(bool is_alike, int most, const char *yaml, hc_time *ends)
{
  char file[64], text[8192], begin[512];
  size_t at = 0;
  bench b;
  for (int i = 0; i < 5; i++) {
    const int n = 2 + (most - 2) * i / 4;
    at += (size_t)snprintf(
        text + at, sizeof text - at,
        "- {id: %d, submit_time: %d, resources: {nodes_count: %d, cpu_per_node: 1}, profile: ", i + 1, 3 * i,
        n);
    if (is_alike) {
      at += (size_t)snprintf(text + at, sizeof text - at, "{parallel_homogeneous: {cpu: 7, com: 1000.1}}}\n");
      continue;
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "{parallel_task: {cpu: [");
    for (int k = 0; k < n; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%s7", k ? ", " : "");
    at += (size_t)snprintf(text + at, sizeof text - at, "], com: [");
    for (int k = 0; k < n * n; k++)
      at +=
          (size_t)snprintf(text + at, sizeof text - at, "%s%s", k ? ", " : "", k % (n + 1) ? "1000.1" : "0");
    at += (size_t)snprintf(text + at, sizeof text - at, "]}}}\n");
  }
  write_log(file, text, at);
  (void)snprintf(begin, sizeof begin, "paranoid: true\nsource: {use: native, file: %s}\n%s", file, yaml);
  check(&b, try_begin(&b, begin, 8, NULL, 0, NULL));
  finish(&b);
  for (int i = 0; i < 5; i++) ends[i] = record_of(&b, i + 1)->end;
  end(&b);
  (void)unlink(file);
}

/* Processes that are alike are not gone through pair by pair on a network with one way between hosts: their
 * ends are to the ns those of the pairs, also where bytes are no whole numbers. */
static void test_alike(void **state)
{
  static const char *const networks[] = {
      "{use: star, bandwidth: 100, latency: 1}",
      "{use: star, bandwidth: 100, duplex: half}",
      "{use: backbone, bandwidth: 100, backbone_bandwidth: 130, latency: 1, backbone_latency: 2}",
      "{use: tree, children: [3, 4], bandwidth: [100, 170], latency: [1, 3]}",
      "{use: tree, children: [2, 3, 2], bandwidth: [100, 70, 40], duplex: half, factors: lv08}",
      "{use: rack_tree, racks: 3, cores: 1}",
      "{use: shared, bandwidth: 100, latency: 2}",
      "{use: constant, bandwidth: 100, latency: 2}",
      "{use: fat_tree, k: 4, bandwidth: 100}"};
  (void)state;
  for (size_t i = 0; i < COUNT(networks); i++)
    for (int rule = 0; rule < 2; rule++) {
      char yaml[384];
      hc_time alike[5], pairs[5];
      (void)snprintf(yaml, sizeof yaml,
                     CELL(12) "execution: {use: activities, cpu_speed: 1, sharing: %s, network: %s}\n",
                     rule ? "bottleneck" : "max_min", networks[i]);
      end_by(true, 10, yaml, alike);
      end_by(false, 10, yaml, pairs);
      for (int k = 0; k < 5; k++)
        if (alike[k] != pairs[k])
          fail_msg("%s, task %d: %.9f s, not %.9f", networks[i], k + 1, (double)alike[k] / 1e9,
                   (double)pairs[k] / 1e9);
    }
}

static void refuses(int hosts, const char *profile, const char *yaml, hc_rc expected, const char *text)
{
  char file[64];
  bench b;
  hc_rc rc = try_one(&b, file, hosts, profile, yaml);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc != expected || !strstr(b.error.text, text))
    fail_msg("%s: %s %s: %s", profile, hc_rc_name(rc), b.error.where, b.error.text);
  end(&b);
  (void)unlink(file);
}

static void test_refused(void **state)
{
  (void)state;
  refuses(4, "{gather: {size: 1, root: 4}}", STAR, HC_EINPUT, "root names process 4");
  refuses(4, "{broadcast: {size: 1, root: 9}}", STAR, HC_EINPUT, "are numbered 0 to 3");
  refuses(4, "{stencil: {size: 1, grid: [3, 2]}}", STAR, HC_EINPUT, "as the task has processes, which are 4");
  refuses(4, "{stencil: {size: 1, grid: [2, 2, 1, 1]}}", STAR, HC_EINPUT, "at most 3");
  refuses(4, "{stencil: {size: 1, grid: [0, 4]}}", STAR, HC_EUSAGE, "grid");
  refuses(4, "{ring: {size: -1}}", STAR, HC_EUSAGE, "size");
  refuses(4, "{ring: {size: 1, direction: left}}", STAR, HC_EUSAGE, "direction");
  refuses(4, "{tree: {size: 1, arity: 0}}", STAR, HC_EUSAGE, "arity");
  refuses(4, "{ring: {size: 1}}", "execution: activities\n", HC_EUNSUPPORTED, "no network");
  refuses(16, "{all_to_all: {size: 1}}", "execution: {use: activities, network: star, max_activities: 200}\n",
          HC_ELIMIT, "more than 200");
  refuses(9000, "{all_to_all: {size: 1, together: true}}", CELL(9000) OVER("{use: fat_tree, k: 34}"),
          HC_ELIMIT, "67108864 pairs to look up");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ring),    cmocka_unit_test(test_collectives), cmocka_unit_test(test_rounds),
      cmocka_unit_test(test_stencil), cmocka_unit_test(test_tree),        cmocka_unit_test(test_beside),
      cmocka_unit_test(test_large),   cmocka_unit_test(test_alike),       cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
