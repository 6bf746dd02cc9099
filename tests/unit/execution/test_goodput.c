/* test_goodput.c -- the law of speed-up goodput against closed forms, and against a grid of batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/math.h"
#include "base/util.h"
#include "hindcast/execution.h"

extern const hc_speedup_type hc_speedup_goodput;

/* In the order of its parameters, as its options have them. */
typedef struct law {
  double grad, example, near, near_each, far, far_each, gamma, noise, batch, most, memory, per_host;
} law;

static const law usual = {0.121, 0.00568, 0.0118, 0.00317, 0.0236, 0.00634, 1.14, 47.2, 128, 1280, 256, 4};

static double speedup(const law *o, double gpus)
{
  assert_int_equal(hc_speedup_goodput.component.options_size, sizeof *o);
  return hc_speedup_goodput.speedup(o, gpus);
}

static void assert_near(double value, double right, double by)
{
  if (!(fabs(value - right) <= by)) fail_msg("%.12f, should be %.12f", value, right);
}

/* Where nothing overlaps, and the batch is as large as it likes, T = a + b M, and what is to be least is
 * (a + b M) (phi + M) / M = a phi / M + a + b phi + b M: at M = sqrt(a phi / b) it is (sqrt(a) + sqrt(b
 * phi))^2. One GPU: a = 1, b phi = 10. Four: a = 1.5 + 2 x 0.1, b phi = 2.5. */
static void test_free_batch(void **state)
{
  const law o = {.grad = 1,
                 .example = 0.01,
                 .near = 0.5,
                 .near_each = 0.1,
                 .gamma = 1,
                 .noise = 1000,
                 .batch = 1,
                 .most = 1e9,
                 .memory = 1e9,
                 .per_host = 4};
  const double one = 1 + sqrt(10), four = sqrt(1.7) + sqrt(2.5);
  (void)state;
  assert_near(speedup(&o, 1), 1, 0);
  assert_near(speedup(&o, 4), one * one / (four * four), 1e-12);
}

/* The batch is 100 on any number of GPUs, so that a speed-up is one of steps: 1 + 1 s on one, 1 + 0.5 s and
 * 0.5 s for adding up on two of a host, 1 + 0.25 s and 1 + 2 x 0.25 s on four of two hosts, all of it one
 * after the other, or as the sides of a right angle. */
static void test_fixed_batch(void **state)
{
  law o = {.grad = 1,
           .example = 0.01,
           .near = 0.5,
           .far = 1,
           .far_each = 0.25,
           .gamma = 1,
           .noise = 10,
           .batch = 100,
           .most = 100,
           .memory = 100,
           .per_host = 2};
  (void)state;
  assert_near(speedup(&o, 2), 2 / 2.0, 1e-12);
  assert_near(speedup(&o, 4), 2 / 2.75, 1e-12);
  o.gamma = 2;
  assert_near(speedup(&o, 2), 2 / sqrt(1.5 * 1.5 + 0.5 * 0.5), 1e-12);
  assert_near(speedup(&o, 4), 2 / sqrt(1.25 * 1.25 + 1.5 * 1.5), 1e-12);
}

/* As its head says, written once more. */
static double goodput(const law *o, double gpus, double batch)
{
  const double grad = o->grad + o->example * batch / gpus;
  const double sync = gpus == 1             ? 0
                      : gpus <= o->per_host ? o->near + o->near_each * (gpus - 2)
                                            : o->far + o->far_each * (gpus - 2);
  const double step = hc_pow(hc_pow(grad, o->gamma) + hc_pow(sync, o->gamma), 1 / o->gamma);
  return batch * (o->noise + o->batch) / (step * (o->noise + batch));
}

static double best_of_grid(const law *o, double gpus)
{
  const double high = HC_MIN(o->most, o->memory * gpus);
  double best = 0;
  for (int i = 0; i <= 40000; i++)
    best = HC_MAX(best, goodput(o, gpus, o->batch + (high - o->batch) * i / 40000));
  return best;
}

static void test_grid(void **state)
{
  static const double noises[] = {1, 47.2, 500, 20000}, gammas[] = {1, 1.14, 3, 10};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(noises); i++)
    for (size_t k = 0; k < HC_ARRAY_LEN(gammas); k++) {
      law o = usual;
      o.noise = noises[i];
      o.gamma = gammas[k];
      for (double gpus = 1; gpus <= 32; gpus *= 2)
        assert_near(speedup(&o, gpus), best_of_grid(&o, gpus) / best_of_grid(&o, 1), 1e-7);
    }
}

/* What is noisier gains more by a larger batch, and so by more GPUs. */
static void test_noise(void **state)
{
  law o = usual;
  double last = 0;
  (void)state;
  for (o.noise = 1; o.noise < 1e6; o.noise *= 10) {
    assert_true(speedup(&o, 8) > last);
    last = speedup(&o, 8);
  }
}

static void test_refused(void **state)
{
  hc_error e;
  law o = usual;
  (void)state;
  assert_int_equal(hc_speedup_goodput.check(&o, &e), 0);
  o.memory = 64;
  assert_int_equal(hc_speedup_goodput.check(&o, &e), HC_EUSAGE);
  o = usual;
  o.grad = o.example = 0;
  assert_int_equal(hc_speedup_goodput.check(&o, &e), HC_EUSAGE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_batch), cmocka_unit_test(test_fixed_batch), cmocka_unit_test(test_grid),
      cmocka_unit_test(test_noise),      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
