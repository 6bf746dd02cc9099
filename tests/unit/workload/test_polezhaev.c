/* test_polezhaev.c -- the generator `polezhaev` against the numbers that follow from the study's formulas.
 *
 * Means for 14 nodes: E[n] = 5.63 as printed (p = 0.3) and 4.01 in the other reading (0.7), 5.58 if q2 counts
 * among all; E[run] = 8980 s with cv 1.55 and median 663 s, E[n run] = 51,325 node-seconds: computed outside
 * this project, to the digits given. The distribution of n is worked out here. Tolerances are five
 * standard errors and half of the last digit. */
#define _GNU_SOURCE
#include "ks.h"
#include "sample.h"

READER(polezhaev);
/* Lists have no defaults here: the classes are always given. */
#define POLEZHAEV(...) choose(&hc_reader_polezhaev.component, __VA_ARGS__, NULL)
#define SCENARIO_1 "class_count=14", "class_memory=1GiB", "class_disk=40GiB"
#define MANY 400000
#define MIB 1048576.0
#define GIB 1073741824.0

#define SCENARIO_3 \
  "class_count=2,2,2,2,2,2,2", "class_memory=1GiB,1GiB,512MiB,512MiB,2GiB,2GiB,256MiB", \
      "class_disk=40GiB,40GiB,40GiB,20GiB,40GiB,40GiB,20GiB"

static void mean_number_of_nodes(void **state)
{
  static const struct {
    const char *p, *of;
    double mean;
  } cases[] = {{"first_stage=0.3", "power_of=parallel", 5.63},
               {"first_stage=0.7", "power_of=parallel", 4.01},
               {"first_stage=0.3", "power_of=all", 5.58}};
  HC_UNUSED(state);
  hc_test_skip_repeated();
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    moments n = {0};
    generator g;
    open_generator(&g, POLEZHAEV("tasks=400000", cases[i].p, cases[i].of, "demand=none", SCENARIO_1));
    for (const hc_task_spec *t; (t = next_row(&g));) {
      assert_in_range(t->procs_asked, 1, 14);
      add_to(&n, (double)t->procs_asked);
    }
    close_generator(&g);
    mean_is(cases[i].p, &n, cases[i].mean, 0.005);
  }
}

/* P(x <= v) of the two-stage uniform on [1, c, b]. */
static double stage(double v)
{
  const double b = hc_log2(14), c = b - 1.5;
  if (v <= 1) return 0;
  if (v >= b) return 1;
  return v <= c ? 0.3 * (v - 1) / (c - 1) : 0.3 + 0.7 * (v - c) / (b - c);
}

/* P(n = k): 2^x rounds to k, or x to log2 k, of which 4 and more become 3. */
static void each_number_of_nodes_has_its_probability(void **state)
{
  double chi = 0;
  int seen[15] = {0};
  generator g;
  HC_UNUSED(state);
  hc_test_skip_repeated();
  open_generator(&g, POLEZHAEV("tasks=400000", SCENARIO_1));
  for (const hc_task_spec *t; (t = next_row(&g));) seen[t->procs_asked]++;
  close_generator(&g);
  for (int k = 1; k <= 14; k++) {
    const double plain = stage(hc_log2(k + 0.5)) - stage(hc_log2(k - 0.5));
    double rounded = 0;
    if (k == 2) rounded = stage(1.5);
    if (k == 4) rounded = stage(2.5) - stage(1.5);
    if (k == 8) rounded = 1 - stage(2.5);
    const double want = MANY * ((k == 1 ? 0.2 : 0) + 0.8 * (0.675 * plain + 0.325 * rounded));
    if (want > 0) chi += (seen[k] - want) * (seen[k] - want) / want;
    else assert_int_equal(seen[k], 0);
  }
  is_near("chi-square of n", chi, 12, 5 * hc_sqrt(2 * 12.0));
}

static void run_times_and_estimates(void **state)
{
  static double runs[MANY], factors[MANY], gaps[MANY];
  moments run = {0}, work = {0};
  int priorities[101] = {0}, below = 0;
  size_t n = 0;
  double last = 0, chi = 0;
  generator g;
  HC_UNUSED(state);
  hc_test_skip_repeated();
  open_generator(&g, POLEZHAEV("tasks=400000", "rate=0.01", SCENARIO_1));
  for (const hc_task_spec *t; (t = next_row(&g)); n++) {
    runs[n] = (double)t->run / 1e9;
    factors[n] = (double)t->limit / (double)t->run;
    gaps[n] = (double)t->submit / 1e9 - last;
    last = (double)t->submit / 1e9;
    add_to(&run, runs[n]);
    add_to(&work, runs[n] * (double)t->procs_asked);
    below += runs[n] <= 663;
    assert_in_range(t->priority, 1, 100);
    priorities[t->priority]++;
    assert_true(t->limit >= t->run);
  }
  close_generator(&g);
  mean_is("E[run]", &run, 8980, 5); /* three digits */
  is_near("cv of run", deviation_of(&run) / mean_of(&run), 1.55, 0.02);
  mean_is("E[n run]", &work, 51325,
          100); /* its own standard error with 2 million draws: 1.7 51325 / 1414 = 62 */
  is_near("median", below / (double)MANY, 0.5, 5 * 0.5 / hc_sqrt(MANY) + 0.001);
  ks_accepts("estimate / run", factors, n, uniform_cdf, (double[]){1, 2});
  ks_accepts("gaps", gaps, n, exponential_cdf, (double[]){100});
  for (int w = 1; w <= 100; w++)
    chi += (priorities[w] - MANY / 100.0) * (priorities[w] - MANY / 100.0) / (MANY / 100.0);
  is_near("chi-square of priorities", chi, 99, 5 * hc_sqrt(2 * 99.0));
}

/* ---- memory and disk ---- */

/* A mixture of uniforms on [1 MiB, 0.7 of each size], each as likely; in MiB. */
static double amount_cdf(const void *ctx, double x)
{
  const double *sizes = ctx;
  double p = 0;
  int n = 0;
  for (; sizes[n] > 0; n++) p += uniform_cdf((double[]){1, 0.7 * sizes[n]}, x);
  return p / n;
}

/* The table of pairs for the cluster of scenarios 3 and 4, worked by hand: how many of the 14 nodes have
 * both. */
static void pairs_of_the_heterogeneous_cluster(void **state)
{
  static double memory[4][MANY], disk[4][MANY];
  static const double memories[4][4] = {{256, 512, 1024}, {256, 512}, {256, 512}, {256}};
  static const double disks[4][2] = {{40 * 1024.0}, {40 * 1024.0}, {20 * 1024.0}, {20 * 1024.0}};
  size_t count[4] = {0};
  generator g;
  HC_UNUSED(state);
  hc_test_skip_repeated();
  open_generator(&g, POLEZHAEV("tasks=400000", SCENARIO_3));
  for (const hc_task_spec *t; (t = next_row(&g));) {
    const size_t i = t->hosts <= 8 ? 0 : t->hosts <= 10 ? 1 : t->hosts <= 12 ? 2 : 3;
    assert_int_equal(t->hosts, t->procs_asked);
    assert_int_equal(t->need[HC_DIM_CPU], 1000);
    assert_int_equal((t->flags & HC_SPEC_SPREAD) != 0, t->hosts > 1);
    memory[i][count[i]] = (double)t->need[HC_DIM_MEMORY] / MIB;
    disk[i][count[i]++] = (double)t->need[HC_DIM_DISK] / MIB;
  }
  assert_int_equal(hc_reader_polezhaev.info(g.source)->nodes, 14);
  close_generator(&g);
  for (size_t i = 0; i < 4; i++) {
    assert_true(count[i] > 5000);
    ks_accepts("memory", memory[i], count[i], amount_cdf,
               (double[]){memories[i][0], memories[i][1], memories[i][2], 0});
    ks_accepts("disk", disk[i], count[i], amount_cdf, (double[]){disks[i][0], 0});
  }
}

static void the_homogeneous_cluster_has_one_pair(void **state)
{
  static double memory[MANY];
  size_t n = 0;
  generator g;
  HC_UNUSED(state);
  open_generator(&g, POLEZHAEV("tasks=20000", SCENARIO_1));
  for (const hc_task_spec *t; (t = next_row(&g));) {
    memory[n++] = (double)t->need[HC_DIM_MEMORY] / MIB;
    assert_true(t->need[HC_DIM_DISK] >= 1048576 && (double)t->need[HC_DIM_DISK] <= 0.7 * 40 * GIB);
    assert_int_equal(t->need[HC_DIM_MEMORY] % 1024, 0);
  }
  close_generator(&g);
  ks_accepts("memory", memory, n, amount_cdf, (double[]){1024, 0});
}

/* To the letter, no job has less than half of the nodes; else nothing changes. */
static void the_other_readings(void **state)
{
  generator a, b, c;
  HC_UNUSED(state);
  open_generator(&a, POLEZHAEV("tasks=2000", SCENARIO_1));
  open_generator(&b, POLEZHAEV("tasks=2000", "demand=job", SCENARIO_1));
  open_generator(&c, POLEZHAEV("tasks=2000", "demand=none", "estimate_factor=1", SCENARIO_1));
  for (const hc_task_spec *t; (t = next_row(&a));) {
    const hc_task_spec *u = next_row(&b), *v = next_row(&c);
    assert_int_equal(u->hosts, HC_MAX(t->hosts, 7));
    assert_int_equal(u->need[HC_DIM_MEMORY], t->need[HC_DIM_MEMORY]);
    assert_true(u->run == t->run && v->run == t->run && v->limit == v->run &&
                v->procs_asked == t->procs_asked);
    assert_true(v->hosts == HC_UNKNOWN && v->need[HC_DIM_MEMORY] == HC_UNKNOWN);
  }
  close_generator(&a);
  close_generator(&b);
  close_generator(&c);
}

/* The first rows, for other implementations: submission and run time in ns, nodes, estimate, bytes of memory
 * and disk on each node, priority. */
static void first_rows(void **state)
{
  static const int64_t want[4][7] = {
      {12419775750, 19480099118563, 8, 24683854325712, 680124416, 22078865408, 12},
      {13827055622, 421471488471, 4, 615300555347, 734619648, 18924869632, 67},
      {31519307590, 1573516212341, 1, 3106893431367, 462587904, 13356773376, 33},
      {40346786877, 10320068834257, 1, 15593975635636, 453797888, 28995452928, 70},
  };
  generator g;
  HC_UNUSED(state);
  open_generator(&g, POLEZHAEV("tasks=4", SCENARIO_1));
  for (int k = 0; k < 4; k++) {
    const hc_task_spec *t = next_row(&g);
    const int64_t got[7] = {
        t->submit, t->run, t->hosts, t->limit, t->need[HC_DIM_MEMORY], t->need[HC_DIM_DISK], t->priority};
    for (int j = 0; j < 7; j++) assert_int_equal(got[j], want[k][j]);
  }
  assert_null(next_row(&g));
  close_generator(&g);
}

static void the_rest(void **state)
{
  HC_UNUSED(state);
  const size_t size =
      snapshot_goes_on(POLEZHAEV("tasks=300", SCENARIO_1), POLEZHAEV("tasks=300", SCENARIO_1), 100, 200);
  damaged_state_is_refused(POLEZHAEV("tasks=300", SCENARIO_1), size);
  refused(
      POLEZHAEV("class_count=1,2"),
      "class_count, class_memory and class_disk differ in length: give one value of each for every class");
  refused(POLEZHAEV("rate=0", SCENARIO_3), "rate must be above 0: nothing would ever arrive");
  checksum_is(POLEZHAEV("tasks=2000", SCENARIO_3), 2000, "8204c44154b1207c");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mean_number_of_nodes),
      cmocka_unit_test(each_number_of_nodes_has_its_probability),
      cmocka_unit_test(run_times_and_estimates),
      cmocka_unit_test(pairs_of_the_heterogeneous_cluster),
      cmocka_unit_test(the_homogeneous_cluster_has_one_pair),
      cmocka_unit_test(the_other_readings),
      cmocka_unit_test(first_rows),
      cmocka_unit_test(the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
