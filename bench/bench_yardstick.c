/* bench_yardstick.c -- how fast this machine is just now, for comparing figures of two machines or days.
 *
 * Two loops that have nothing to do with Hindcast: additions, multiplications and a branch that depend on
 * each other, and looks at random places of 64 MiB, each place named by the one before. `bench_yardstick
 * short` says it in one line. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 50 * 1000 * 1000, PLACES = 16 * 1024 * 1024, LOOKS = 2 * 1000 * 1000 };

static uint32_t next_place[PLACES]; /* one circle through all of them */

static int64_t reckon(void *ctx)
{
  uint64_t *x = ctx;
  const int64_t begin = bench_now();
  for (int i = 0; i < STEPS; i++) {
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    if (*x >> 63) *x ^= (uint64_t)i;
  }
  return bench_now() - begin;
}

static int64_t look(void *ctx)
{
  uint32_t *at = ctx;
  const int64_t begin = bench_now();
  for (int i = 0; i < LOOKS; i++) *at = next_place[*at];
  return bench_now() - begin;
}

/* A random circle (Sattolo's shuffle), so that no place is met twice before all are. */
static void lay_out(void)
{
  uint64_t x = 1;
  for (uint32_t i = 0; i < PLACES; i++) next_place[i] = i;
  for (uint32_t i = PLACES - 1; i > 0; i--) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const uint32_t j = (uint32_t)((x >> 32) % i), swapped = next_place[i];
    next_place[i] = next_place[j];
    next_place[j] = swapped;
  }
}

int main(int argc, char **argv)
{
  uint64_t x = 1;
  uint32_t at = 0;
  lay_out();
  const double step = (double)bench_min(3, reckon, &x) / STEPS,
               place = (double)bench_min(3, look, &at) / LOOKS;
  if (argc > 1 && strcmp(argv[1], "short") == 0) {
    (void)printf("%.2f and %.0f ns\n", step, place);
  } else {
    bench_print("yardstick: arithmetic", step, "step");
    bench_print("yardstick: a random place of 64 MiB", place, "look");
  }
  return (x ^ at) == 1; /* keeps both loops */
}
