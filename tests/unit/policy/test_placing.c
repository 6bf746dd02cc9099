/* test_placing.c -- which hosts the placements choose.
 *
 * The published vectors are those of DSLab's tests: two hosts of (10, 5) and two of (13, 4), cpu and
 * memory in its own units, with something on each; three tasks come. All else is arithmetic, given where
 * it is used. */
#include "placing_test.h"

#include <math.h>

#include "policy/placing.h"

#define HOSTS 4
#define TASKS 3

static const int64_t tasks[TASKS][2] = {{2, 2}, {3, 1}, {1, 1}};

static void four_hosts(host h[HOSTS])
{
  static const int64_t capacity[HOSTS][2] = {{10, 5}, {10, 5}, {13, 4}, {13, 4}};
  static const int64_t used[HOSTS][2] = {{6, 2}, {6, 2}, {7, 1}, {9, 1}};
  memset(h, 0, HOSTS * sizeof *h);
  for (int i = 0; i < HOSTS; i++) {
    for (int d = 0; d < 2; d++) {
      h[i].capacity[d] = capacity[i][d];
      h[i].free[d] = capacity[i][d] - used[i][d];
    }
  }
}

static void take(host *h, const int64_t *need)
{
  for (int d = 0; d < 2; d++) h->free[d] -= need[d];
}

/* @param expected numbers from 1, as published; @param settings for each task, or one for all */
static void expect_choices(const hc_place_type *type, const char *const settings[TASKS],
                           const int expected[TASKS])
{
  host h[HOSTS];
  four_hosts(h);
  for (int t = 0; t < TASKS; t++) {
    placement p = open_placement(type, settings[t]);
    int i = choose(&p, h, HOSTS, tasks[t], 2);
    if (i + 1 != expected[t])
      fail_msg("%s, task %d: host %d, not %d", type->component.name, t, i + 1, expected[t]);
    take(&h[i], tasks[t]);
    close_placement(&p);
  }
}

#define EXPECT(name, settings, ...) \
  expect_choices(&hc_place_##name, (const char *const[]){settings, settings, settings}, \
                 (const int[]){__VA_ARGS__})

static void published_placements_come_out(void **state)
{
  (void)state;
  EXPECT(first_fit, "", 1, 2, 1);
  EXPECT(best_fit, "weights=1;normalise=nothing", 1, 2, 2);
  EXPECT(worst_fit, "weights=1;normalise=nothing", 3, 1, 2);
  EXPECT(dot_product, "", 3, 4, 1);
  EXPECT(cosine, "of=used;normalise=nothing", 1, 3, 3);
  EXPECT(balanced, "judge=change", 4, 3, 3); /* DeltaPerpDistance */
}

/* DSLab weighs by what of the cell is in use: (28, 6) of (46, 18), then the tasks placed. */
static void published_weighted_placements_come_out(void **state)
{
  static const char *const weights[TASKS] = {"weights=0.6086956521739131,0.3333333333333333",
                                             "weights=0.6521739130434783,0.4444444444444444",
                                             "weights=0.717391304347826,0.5"};
  (void)state;
  expect_choices(&hc_place_dot_product, weights, (const int[]){3, 1, 4});
  expect_choices(&hc_place_l2_norm, weights, (const int[]){4, 1, 4});
}

/* One host of (8, 16, 0, ...), with (4, 12) free, and a task of (2, 2): left (2, 10), shares (0.25,
 * 0.625). */
static void formulas_are_as_stated(void **state)
{
  const int64_t need[2] = {2, 2};
  const struct {
    const hc_place_type *type;
    const char *settings;
    double score;
  } expected[] = {
      {&hc_place_best_fit, "", -(0.25 + 0.625)},
      {&hc_place_best_fit, "weights=2,1", -(0.5 + 0.625)},
      {&hc_place_best_fit, "normalise=amounts;amounts=0.1,100", -(2 / 100. + 10 / 100.)}, /* 0.1 cores: 100 */
      {&hc_place_worst_fit, "normalise=nothing", 12},
      {&hc_place_least_allocated, "", (0.25 + 0.625) / 2},
      {&hc_place_least_allocated, "weights=3,1", (0.75 + 0.625) / 4},
      {&hc_place_most_allocated, "", (0.75 + 0.375) / 2},
      {&hc_place_balanced, "", 1 - 0.1875},                 /* half the distance of 0.75 and 0.375 */
      {&hc_place_balanced, "judge=change", 0.125 - 0.1875}, /* before: 0.5 and 0.75 */
      {&hc_place_dot_product, "", 0.25 * 0.5 + 0.125 * 0.75},
      {&hc_place_dot_product, "prefer=smallest", -(0.25 * 0.5 + 0.125 * 0.75)},
      {&hc_place_l2_norm, "", -(0.25 * 0.25 + 0.625 * 0.625)},
      {&hc_place_cosine, "normalise=nothing", 32 / 35.77708763999664}, /* (2,2).(4,12) / sqrt(8 x 160) */
      {&hc_place_angle_length, "normalise=nothing", -(1 - 32 / 35.77708763999664) * 4.47213595499958},
      {&hc_place_drfh, "normalise=nothing", -2}, /* |2/2 - 12/4| */
      {&hc_place_drfh, "", -1},                  /* |0.125/0.25 - 0.75/0.5| */
      /* by the cell's (80, 320), times 320: need (8, 2), free (16, 12), left (8, 10) */
      {&hc_place_best_fit, "normalise=cell", -(8 + 10) / 320.},
      {&hc_place_dot_product, "normalise=cell", (8 * 16 + 2 * 12) / (320. * 320)},
      {&hc_place_l2_norm, "normalise=cell", -(8 * 8 + 10 * 10) / (320. * 320)},
      /* by the task's: need (1, 1), free (2, 6), left (1, 5) */
      {&hc_place_best_fit, "normalise=task", -(1 + 5)},
      {&hc_place_dot_product, "normalise=task", 2 + 6},
      {&hc_place_l2_norm, "normalise=task", -(1 + 25)},
      {&hc_place_cosine, "normalise=task", 8 / 8.94427190999916}, /* sqrt(2 x 40) */
      {&hc_place_drfh, "normalise=task", -2},                     /* |1 / 1 - 6 / 2| */
      {&hc_place_cosine, "normalise=cell",
       152 / (20 * 8.246211251235321)}, /* |need| = sqrt(68), |free| = 20 */
      {&hc_place_angle_length, "normalise=cell",
       -(1 - 152 / (20 * 8.246211251235321)) * 20 / 8.246211251235321},
      {&hc_place_drfh, "normalise=cell", -0.5}, /* |2/8 - 12/16| */
      {&hc_place_epvm, "", /* ten hosts are up: 10^(3/4) - 10^(1/2) + 10^(3/8) - 10^(1/4) */
       -(5.623413251903491 - 3.1622776601683795 + 2.371373705661655 - 1.7782794100389228)},
      {&hc_place_epvm, "hosts=16",
       -(8 - 4 + 2.8284271247461903 - 2)}, /* 16^(3/4) - 16^(1/2) + 16^(3/8) - 16^(1/4) */
      {&hc_place_stranding, "", -(0.875 + 0.375)},
      {&hc_place_stranding, "lambda=2", -(0.875 + 0.75)},
      /* kube-scheduler's two: LeastAllocated 100 x (0.25 + 0.625) / 2 = 43.75, BalancedAllocation
         100 x (1 - 0.1875) = 81.25; it cuts both to whole numbers */
      {&hc_place_weighted, "", 43.75 + 81.25},
      {&hc_place_weighted, "whole=true", 43 + 81},
      {&hc_place_weighted, "weights=2,0.5", 2 * 43.75 + 0.5 * 81.25},
      {&hc_place_weighted, "of=worst_fit;scales=share", 87.5}, /* 100 x 0.875 */
      {&hc_place_weighted, "of=best_fit;scales=share", 0},     /* a score below 0 */
  };
  host h = {.capacity = {8, 16}, .free = {4, 12}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(expected); i++) {
    placement p = open_placement(expected[i].type, expected[i].settings);
    expect_near(score_of(&p, &h, need, 2), expected[i].score);
    close_placement(&p);
  }
}

/* The FGD simulator's DotProduct with its normalisation `pod` scores 1 - tanh(mean / 10), the mean over all
 * dimensions of (need / need) (free / need), 0 where nothing is needed (its plugin/dot_product_score.go). */
static void by_the_task_hosts_stand_as_in_fgd(void **state)
{
  static const int64_t needs[][2] = {{2, 2}, {1, 3}, {2, 0}};
  placement p = open_placement(&hc_place_dot_product, "normalise=task;prefer=smallest");
  host h[HOSTS];
  (void)state;
  four_hosts(h);
  for (size_t n = 0; n < HC_ARRAY_LEN(needs); n++) {
    double ours[HOSTS], theirs[HOSTS];
    for (int i = 0; i < HOSTS; i++) {
      double sum = 0;
      for (int d = 0; d < 2; d++)
        if (needs[n][d] > 0) sum += (double)h[i].free[d] / (double)needs[n][d];
      theirs[i] = 1 - tanh(sum / 2 / 10);
      ours[i] = score_of(&p, &h[i], needs[n], 2);
      expect_near(ours[i], -sum);
      for (int k = 0; k < i; k++) assert_int_equal(ours[i] > ours[k], theirs[i] > theirs[k]);
    }
  }
  close_placement(&p);
}

/* A host without GPUs has one dimension less, no GPU share of 0. */
static void what_a_host_has_not_does_not_count(void **state)
{
  const int64_t need[4] = {2, 2, 0, 0};
  host h = {.capacity = {8, 16}, .free = {4, 12}};
  placement p = open_placement(&hc_place_least_allocated, "");
  (void)state;
  expect_near(score_of(&p, &h, need, 4), (0.25 + 0.625) / 2);
  close_placement(&p);
}

/* 3 slots of (1, 4) and 1 of (5, 0): means (2, 3), of (8, 16): 1/4 and 3/16. */
static void demands_are_learned(void **state)
{
  const int64_t few[HC_DIMENSIONS] = {1, 4, HC_UNKNOWN}, many[HC_DIMENSIONS] = {5, 0, HC_UNKNOWN},
                need[2] = {2, 2};
  host h = {.capacity = {8, 16}, .free = {4, 12}};
  placement p = open_placement(&hc_place_l2_norm, "weigh=demand"),
            q = open_placement(&hc_place_l2_norm, "weigh=demand");
  placement x = open_placement(&hc_place_dot_product, "weigh=exp_demand;rate=0");
  hc_buffer b;
  hc_visitor v = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &b};
  (void)state;
  expect_near(score_of(&p, &h, need, 2), 0); /* nothing has arrived */
  p.type->arrived(p.self, few, HC_DIMENSIONS, 3);
  p.type->arrived(p.self, many, HC_DIMENSIONS, 1);
  expect_near(score_of(&p, &h, need, 2), -(0.25 * 0.25 * 0.25 + 3 / 16. * 0.625 * 0.625));
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(p.type->visit(p.self, &v), 0);
  v = (hc_visitor){.mode = HC_VISIT_LOAD, .in = (const uint8_t *)b.data, .left = b.size};
  assert_int_equal(q.type->visit(q.self, &v), 0);
  expect_near(score_of(&q, &h, need, 2), score_of(&p, &h, need, 2));
  x.type->arrived(x.self, few, HC_DIMENSIONS, 3);
  expect_near(score_of(&x, &h, need, 2), 0.25 * 0.5 + 0.125 * 0.75); /* exp(0) is 1 */
  hc_buffer_fini(&b);
  close_placement(&p);
  close_placement(&q);
  close_placement(&x);
}

static void how_they_choose(void **state)
{
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(all_places); i++) {
    const hc_place_type *t = all_places[i];
    placement p = open_placement(t, "");
    const hc_range free = {3, 5};
    hc_place_input in = {.free = &free, .free_count = 1, .units = 2};
    hc_range out[8];
    if (t == &hc_place_contiguous) assert_null(t->chooser);
    else assert_non_null(t->chooser);
    if (p.chooser.how == HC_CHOOSE_BEST) assert_non_null(p.chooser.score);
    if (t != &hc_place_random) { /* all take the lowest processors here */
      assert_int_equal(t->place(p.options, &in, out), 1);
      assert_int_equal(out[0].first, 3);
      assert_int_equal(out[0].count, 2);
    }
    in.units = 6;
    assert_int_equal(t->place(p.options, &in, out), 0);
    close_placement(&p);
  }
}

/* ---- a few at random ---- */

static void random_k_scores_by_another(void **state)
{
  const int64_t need[2] = {2, 2};
  host h = {.capacity = {8, 16}, .free = {4, 12}};
  placement p = open_placement(&hc_place_random_k, "sample=3"),
            q = open_placement(&hc_place_random_k, "by=most_allocated");
  placement bad;
  hc_error e = {0};
  (void)state;
  assert_int_equal(p.chooser.how, HC_CHOOSE_SAMPLE);
  assert_int_equal(p.chooser.sample, 3);
  assert_int_equal(q.chooser.sample, 2);
  expect_near(score_of(&p, &h, need, 2), 0.4375);
  expect_near(score_of(&q, &h, need, 2), 0.5625);
  close_placement(&p);
  close_placement(&q);
  assert_int_equal(try_placement(&bad, &hc_place_random_k, "by=next_fit", &e), HC_EUSAGE);
  assert_string_equal(e.text,
                      "by: the placement `next_fit` does not compare hosts, so it cannot choose among those "
                      "drawn; take one that does, such as least_allocated");
  close_placement(&bad);
}

static void random_k_keeps_the_state_of_another(void **state)
{
  const int64_t arrives[HC_DIMENSIONS] = {4000, 0, 0, 500};
  const int64_t need[4] = {1000, 0, 0, 500};
  host h = {.capacity = {8000, 0, 0, 1000}, .free = {8000, 0, 0, 1000}, .devices = {1000}, .device_count = 1};
  placement p = open_placement(&hc_place_random_k, "by=fgd");
  (void)state;
  p.type->arrived(p.self, arrives, HC_DIMENSIONS, 1);
  assert_non_null(p.chooser.devices);
  expect_near(score_of(&p, &h, need, 4), 0); /* 500 are left, enough for one more of the typical task */
  close_placement(&p);
}

/* ---- GPUs ---- */

static host gpu_host(int64_t cores, uint32_t n, const int32_t *devices)
{
  host h = {.capacity = {64000, 0, 0, 1000 * (int64_t)n}, .free = {cores, 0, 0, 0}, .device_count = n};
  for (uint32_t i = 0; i < n; i++) {
    h.devices[i] = devices[i];
    h.free[3] += devices[i];
  }
  return h;
}

static void gpu_packing_uses_what_is_used(void **state)
{
  const int64_t part[4] = {1000, 0, 0, 300}, two[4] = {1000, 0, 0, 2000}, none[4] = {1000, 0, 0, 0};
  const host shared = gpu_host(64000, 4, (const int32_t[]){1000, 400, 700, 0});
  const host used = gpu_host(64000, 4, (const int32_t[]){1000, 1000, 200, 1000});
  const host fresh = gpu_host(64000, 4, (const int32_t[]){1000, 1000, 1000, 1000});
  placement p = open_placement(&hc_place_gpu_packing, "");
  (void)state;
  expect_near(score_of(&p, &shared, part, 4), 96); /* of the 400, not of the 700 */
  expect_near(score_of(&p, &used, part, 4), 49);   /* the 200 is too little: a free one */
  expect_near(score_of(&p, &used, two, 4), 48);
  expect_near(score_of(&p, &fresh, part, 4), 100. / 3 - 4);
  expect_near(score_of(&p, &fresh, two, 4), 100. / 3 - 4);
  expect_near(score_of(&p, &fresh, none, 4), 0);
  close_placement(&p);
}

static void gpu_clustering_has_four_bands(void **state)
{
  const int64_t part[4] = {1000, 0, 0, 300}, one[4] = {1000, 0, 0, 1000};
  const host shared = gpu_host(64000, 4, (const int32_t[]){1000, 400, 1000, 1000}); /* 3.4 of 8 */
  const host both = gpu_host(64000, 4, (const int32_t[]){1000, 400, 0, 1000});      /* 2.4 */
  const host whole = gpu_host(64000, 4, (const int32_t[]){1000, 1000, 0, 1000});    /* 3 */
  const host fresh = gpu_host(64000, 4, (const int32_t[]){1000, 1000, 1000, 1000}); /* 4 */
  placement p = open_placement(&hc_place_gpu_clustering, "");
  (void)state;
  expect_near(score_of(&p, &shared, part, 4), 75 + 25 * (1 - 3.4 / 8));
  expect_near(score_of(&p, &both, part, 4), 50 + 25 * (1 - 2.4 / 8));
  expect_near(score_of(&p, &fresh, part, 4), 25 + 12.5);
  expect_near(score_of(&p, &whole, part, 4), 25 * (1 - 3. / 8));
  expect_near(score_of(&p, &whole, one, 4), 75 + 25 * (1 - 3. / 8));
  expect_near(score_of(&p, &both, one, 4), 50 + 25 * (1 - 2.4 / 8));
  expect_near(score_of(&p, &shared, one, 4), 25 * (1 - 3.4 / 8));
  close_placement(&p);
}

/* Typical: 0.5 GPU with 4 cores (weight 3), a whole GPU with 4 cores (1). Host with 8 cores and GPUs of 600
 * and 1000:
 *   before        F(half) = 0, F(whole) = 600                          F = (3 x 0 + 600) / 4 = 150
 *   half on 600   100 and 1000 free: F(half) = 100, F(whole) = 100     F = 100   fall 50
 *   half on 1000  600 and 500 free: F(half) = 0, F(whole) = 1100       F = 275   fall -125
 *   with 6 cores, 2 left: nothing typical runs: F = what is free = 1100, either way: fall -950 */
static void fgd_leaves_gpus_useful(void **state)
{
  const int64_t half[4] = {1000, 0, 0, 500}, greedy[4] = {6000, 0, 0, 500}, whole[4] = {1000, 0, 0, 1000};
  const int64_t none[4] = {5000, 0, 0, 0};
  const host h = gpu_host(8000, 2, (const int32_t[]){600, 1000});
  placement p = open_placement(&hc_place_fgd, "typical=4 0.5 3,4 1 1");
  hc_host_view v = view_of(&h, 0, half, 4);
  (void)state;
  expect_near(score_of(&p, &h, half, 4), 50);
  assert_int_equal(p.chooser.devices(p.chooser.self, &v, 500).bits[0], 1);
  expect_near(score_of(&p, &h, greedy, 4), 150 - 1100);
  v.need = whole;
  expect_near(score_of(&p, &h, whole, 4), 150 - 600. / 4); /* 600 is left: good for a half, not for a whole */
  assert_int_equal(p.chooser.devices(p.chooser.self, &v, 1000).bits[0], 2);
  expect_near(score_of(&p, &h, none, 4), 150 - 1600); /* 3 cores are left */
  close_placement(&p);
}

/* 6 of (4 cores, half), 3 of (4 cores, one), 1 of (8 cores, none). With popularity 60 and step 1 the first
 * alone is typical; with step 2 the first two. */
static void fgd_learns_what_is_typical(void **state)
{
  const int64_t half[HC_DIMENSIONS] = {4000, 7, 0, 500}, whole[HC_DIMENSIONS] = {4000, 9, 0, 1000};
  const int64_t none[HC_DIMENSIONS] = {8000, 1, 0, 0}, need[4] = {1000, 0, 0, 500};
  const host h = gpu_host(8000, 2, (const int32_t[]){600, 1000});
  const struct {
    const char *settings;
    double score; /* of a half, the better of the two GPUs */
  } expected[] = {
      {"popularity=60;step=1", 0},                         /* on the 1000: nothing is lost to halves */
      {"popularity=60;step=2", (6 * -100 + 3 * 500) / 9.}, /* on the 600, as above */
      {"popularity=100;step=1;cpu_only=false", (6 * -100 + 3 * 500) / 9.},
      {"popularity=100;step=1",
       (6 * -100 + 3 * 500 + 500) / 10.}, /* to a task without GPUs all is a fragment */
  };
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(expected); i++) {
    placement p = open_placement(&hc_place_fgd, expected[i].settings);
    expect_near(score_of(&p, &h, need, 4), 0);
    p.type->arrived(p.self, whole, HC_DIMENSIONS, 3);
    p.type->arrived(p.self, none, HC_DIMENSIONS, 1);
    p.type->arrived(p.self, half, HC_DIMENSIONS, 6);
    p.type->arrived(p.self, half, HC_DIMENSIONS, 0);
    expect_near(score_of(&p, &h, need, 4), expected[i].score);
    close_placement(&p);
  }
}

/* The list is made anew at 1, 2, 3 ... 8, then 10, 12 ... slots: saved in between, it is the old list that
 * counts. */
static void fgd_is_saved_as_it_stands(void **state)
{
  int64_t need[HC_DIMENSIONS] = {1000, 0, 0, 500};
  const int64_t asked[4] = {1000, 0, 0, 500};
  const host h = gpu_host(8000, 2, (const int32_t[]){600, 1000});
  placement p = open_placement(&hc_place_fgd, ""), q = open_placement(&hc_place_fgd, "");
  hc_buffer a, b;
  hc_visitor v = {.mode = HC_VISIT_SAVE, .out = &a};
  (void)state;
  hc_buffer_init(&a, hc_default_allocator());
  hc_buffer_init(&b, hc_default_allocator());
  for (int i = 0; i < 5000; i++) { /* more different ones than are counted */
    need[HC_DIM_CPU] = 1000 + i * (i % 3 == 0);
    p.type->arrived(p.self, need, HC_DIMENSIONS, 1 + i % 2);
  }
  assert_int_equal(p.type->visit(p.self, &v), 0);
  v = (hc_visitor){.mode = HC_VISIT_LOAD, .in = (const uint8_t *)a.data, .left = a.size};
  assert_int_equal(q.type->visit(q.self, &v), 0);
  for (int i = 0; i < 100; i++) {
    need[HC_DIM_GPU] = 100 + i;
    p.type->arrived(p.self, need, HC_DIMENSIONS, 20);
    q.type->arrived(q.self, need, HC_DIMENSIONS, 20);
    expect_near(score_of(&p, &h, asked, 4), score_of(&q, &h, asked, 4));
  }
  hc_buffer_fini(&a);
  hc_buffer_init(&a, hc_default_allocator());
  v = (hc_visitor){.mode = HC_VISIT_SAVE, .out = &a};
  assert_int_equal(p.type->visit(p.self, &v), 0);
  v.out = &b;
  assert_int_equal(q.type->visit(q.self, &v), 0);
  assert_int_equal(a.size, b.size);
  assert_memory_equal(a.data, b.data, a.size);
  v = (hc_visitor){.mode = HC_VISIT_LOAD, .in = (const uint8_t *)a.data, .left = a.size - 1};
  assert_int_equal(q.type->visit(q.self, &v), HC_EINPUT);
  hc_buffer_fini(&a);
  hc_buffer_fini(&b);
  close_placement(&p);
  close_placement(&q);
}

static void fgd_refuses_what_is_no_task(void **state)
{
  static const char *const bad[] = {"typical=4 0.5", "typical=4 0.5 x", "typical=4 -1 2", "typical=4 1 0",
                                    "typical=4 1 2 3"};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) {
    placement p;
    hc_error e = {0};
    assert_int_equal(try_placement(&p, &hc_place_fgd, bad[i], &e), HC_EUSAGE);
    assert_non_null(
        strstr(e.text, "is no typical task; write cores, GPUs and popularity, such as \"8 0.5 0.2\""));
    close_placement(&p);
  }
}

/* Of hosts in question, two dimensions, a task of (2, 2): left 2 + 10, 6 + 2, 3 + 6 as amounts. worst_fit
 * scores them 12, 8 and 9. most: 100, 66.7, 75. range: 100, 0, 25. */
static void scores_are_relative_to_those_in_question(void **state)
{
  const int64_t need[2] = {2, 2};
  const host h[3] = {{.capacity = {8, 16}, .free = {4, 12}},
                     {.capacity = {8, 16}, .free = {8, 4}},
                     {.capacity = {8, 16}, .free = {5, 8}}};
  static const struct {
    const char *scales;
    double scores[3];
  } expected[] = {{"most", {100, 100 * (8 / 12.), 75}}, {"range", {100, 0, 25}}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(expected); i++) {
    char settings[80] = "of=worst_fit;scales=";
    placement p;
    hc_error e = {0};
    strcat(settings, expected[i].scales);
    assert_true(try_placement(&p, &hc_place_weighted, settings, &e) >= 0);
    const hc_chosen *of = ((const hc_list *)p.options)->items;
    ((hc_scale *)of->options)->by = HC_DIVIDE_BY_NOTHING;
    p.chooser.meet(p.chooser.self, NULL);
    for (uint32_t k = 0; k < 3; k++) {
      const hc_host_view v = view_of(&h[k], k, need, 2);
      p.chooser.meet(p.chooser.self, &v);
    }
    for (uint32_t k = 0; k < 3; k++) expect_near(score_of(&p, &h[k], need, 2), expected[i].scores[k]);
    assert_null(p.chooser.bound);
    close_placement(&p);
  }
}

static void what_cannot_be_added_up_is_refused(void **state)
{
  static const struct {
    const hc_place_type *type;
    const char *settings, *part;
  } refused[] = {{&hc_place_weighted, "of=first_fit", "does not score every host"},
                 {&hc_place_weighted, "of=best_fit,balanced;weights=1", "1 numbers for 2 placements"},
                 {&hc_place_weighted, "of=best_fit,balanced;scales=most", "1 words for 2 placements"}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(refused); i++) {
    placement p;
    hc_error e = {0};
    assert_true(try_placement(&p, refused[i].type, refused[i].settings, &e) < 0);
    if (!strstr(e.text, refused[i].part)) fail_msg("%s", e.text);
    close_placement(&p);
  }
}

int main(void)
{
  const struct CMUnitTest all[] = {
      cmocka_unit_test(published_placements_come_out),
      cmocka_unit_test(published_weighted_placements_come_out),
      cmocka_unit_test(formulas_are_as_stated),
      cmocka_unit_test(scores_are_relative_to_those_in_question),
      cmocka_unit_test(what_cannot_be_added_up_is_refused),
      cmocka_unit_test(by_the_task_hosts_stand_as_in_fgd),
      cmocka_unit_test(what_a_host_has_not_does_not_count),
      cmocka_unit_test(demands_are_learned),
      cmocka_unit_test(how_they_choose),
      cmocka_unit_test(random_k_scores_by_another),
      cmocka_unit_test(random_k_keeps_the_state_of_another),
      cmocka_unit_test(gpu_packing_uses_what_is_used),
      cmocka_unit_test(gpu_clustering_has_four_bands),
      cmocka_unit_test(fgd_leaves_gpus_useful),
      cmocka_unit_test(fgd_learns_what_is_typical),
      cmocka_unit_test(fgd_is_saved_as_it_stands),
      cmocka_unit_test(fgd_refuses_what_is_no_task),
  };
  return cmocka_run_group_tests(all, NULL, NULL);
}
