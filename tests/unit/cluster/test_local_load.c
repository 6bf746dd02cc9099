/* test_local_load.c -- local load as a function of time: its law, its redraws, and that it is a function.
 *
 * The law and the rates are those of Polezhaev's study. Means, quantiles and counts have closed forms; the
 * tolerance is four standard deviations of the sample's own size (a chance of 6e-5), and the seeds are
 * fixed. */
#include "base/math.h"
#include "base/variates.h"
#include <stdlib.h>

#include "cell_test.h"

enum { HOSTS = 20000 };

typedef struct process {
  const hc_load_type *type;
  hc_load *load;
  uint32_t dimension;
  bool takes;
} process;

static hc_rc try_open(world *w, const char *yaml, uint64_t seed, uint32_t index, process *p)
{
  const hc_load_context c = {.allocator = hc_default_allocator(),
                             .cell = &w->cell,
                             .lexicon = w->lexicon,
                             .seed = seed,
                             .index = index};
  hc_chosen chosen = {0};
  *p = (process){.type = NULL};
  TRY(world_choose(w, HC_KIND_LOAD, yaml, &chosen));
  p->type = (const hc_load_type *)chosen.type;
  return p->type->open(&c, chosen.options, &p->load, &p->dimension, &p->takes, &w->e);
}

static process must_open(world *w, const char *yaml, uint64_t seed, uint32_t index)
{
  process p;
  if (try_open(w, yaml, seed, index, &p) != 0) fail_msg("%s: %s", w->e.where, w->e.text);
  return p;
}

static void begin(world *w, uint32_t hosts)
{
  char yaml[128];
  (void)snprintf(yaml, sizeof yaml,
                 "{use: hosts, classes: [{name: n, count: %u, cpus: 1, memory: 1GiB, disk: 1GiB}]}", hosts);
  world_begin(w);
  world_has(w, yaml);
}

static double level_at(process *p, uint32_t host, hc_time t)
{
  return p->type->level(p->load, host, t).level;
}

static void near(double found, double expected, double tolerance)
{
  if (!(found >= expected - tolerance && found <= expected + tolerance))
    fail_msg("found %.6f, expected %.6f +- %.6f", found, expected, tolerance);
}

#define CPU "{dimension: cpu, law: gamma, shape: 0.5, scale: 0.5, rate: %s, takes: false}"
#define MEMORY "{dimension: memory, law: gamma, shape: 0.2, scale: 0.3, rate: %s}"
#define DISK "{dimension: disk, law: gamma, shape: 0.2, scale: 0.2, rate: %s}"

static const char *with_rate(char buffer[128], const char *format, const char *rate)
{
  const char *at = strstr(format, "%s");
  (void)snprintf(buffer, 128, "%.*s%s%s", (int)(at - format), format, rate, at + 2);
  return buffer;
}

/* ---- the law ---- */

/* A gamma law under the condition X <= 1: E[X] = a b P(a + 1, 1/b) / P(a, 1/b), and the same with a second
 * moment. */
static double truncated_mean(double a, double b)
{
  return a * b * hc_gamma_below(a + 1, 1 / b) / hc_gamma_below(a, 1 / b);
}

static double truncated_variance(double a, double b)
{
  const double mean = truncated_mean(a, b);
  return a * (a + 1) * b * b * hc_gamma_below(a + 2, 1 / b) / hc_gamma_below(a, 1 / b) - mean * mean;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Mean, and the greatest distance of the sample's distribution function from the law's: 1.95 / sqrt(n) is
 * passed by one in a thousand. */
static void has_law(const char *format, double a, double b, double published)
{
  static double x[HOSTS];
  char yaml[128];
  double sum = 0, worst = 0;
  world w;
  process p;
  begin(&w, HOSTS);
  p = must_open(&w, with_rate(yaml, format, "0"), 1, 0); /* no redraws: one independent level a host */
  for (uint32_t h = 0; h < HOSTS; h++) sum += x[h] = level_at(&p, h, 0);
  near(sum / HOSTS, truncated_mean(a, b), 4 * hc_sqrt(truncated_variance(a, b) / HOSTS));
  near(truncated_mean(a, b), published, 0.0005);
  qsort(x, HOSTS, sizeof *x, by_value);
  assert_true(x[0] >= 0 && x[HOSTS - 1] <= 1);
  for (uint32_t h = 0; h < HOSTS; h++) {
    const double f = hc_gamma_below(a, x[h] / b) / hc_gamma_below(a, 1 / b);
    worst = HC_MAX(worst, HC_MAX(f - (double)h / HOSTS, (double)(h + 1) / HOSTS - f));
  }
  assert_true(worst < 1.95 / hc_sqrt(HOSTS));
  p.type->close(p.load);
  world_end(&w);
}

static void levels_have_the_truncated_law(void **state)
{
  HC_UNUSED(state);
  has_law(CPU, 0.5, 0.5, 0.193);
  has_law(MEMORY, 0.2, 0.3, 0.057);
  has_law(DISK, 0.2, 0.2, 0.040);
}

/* An idle host passes 0.6 cpu + 0.3 memory + 0.1 disk <= 0.5 with probability 0.969, which is given to three
 * digits. */
static void an_idle_host_passes_the_criterion(void **state)
{
  HC_UNUSED(state);
  char yaml[3][128];
  world w;
  process p[3];
  int passes = 0;
  begin(&w, HOSTS);
  p[0] = must_open(&w, with_rate(yaml[0], CPU, "0"), 2, 0);
  p[1] = must_open(&w, with_rate(yaml[1], MEMORY, "0"), 2, 1);
  p[2] = must_open(&w, with_rate(yaml[2], DISK, "0"), 2, 2);
  assert_false(p[0].takes);
  assert_true(p[1].takes && p[2].takes);
  for (uint32_t h = 0; h < HOSTS; h++)
    passes += 0.6 * level_at(&p[0], h, 0) + 0.3 * level_at(&p[1], h, 0) + 0.1 * level_at(&p[2], h, 0) <= 0.5;
  near((double)passes / HOSTS, 0.969, 0.0005 + 4 * hc_sqrt(0.969 * 0.031 / HOSTS));
  for (int i = 0; i < 3; i++) p[i].type->close(p[i].load);
  world_end(&w);
}

/* ---- redraws ---- */

/* The number of redraws in disjoint pieces of time is Poisson: mean rate x length, variance the same, and the
 * pieces independent. Gaps are exponential: a share e^-1 is longer than the mean. */
static void redraws_are_a_poisson_process(void **state)
{
  HC_UNUSED(state);
  enum { PIECES = 10000 };
  const double mean = 0.08 * 100; /* in 100 s */
  static int count[PIECES];
  char yaml[128];
  double sum = 0, squares = 0, products = 0;
  int gaps = 0, longer = 0;
  world w;
  process p;
  hc_time at = 0, last = 0;
  memset(count, 0, sizeof count);
  begin(&w, 1);
  p = must_open(&w, with_rate(yaml, CPU, "0.08"), 3, 0);
  while ((at = p.type->level(p.load, 0, at).until) < PIECES * 100 * HC_SECOND) {
    assert_true(at > last);
    count[at / (100 * HC_SECOND)]++;
    longer += at - last > (hc_time)(12.5 * HC_SECOND);
    gaps++;
    last = at;
  }
  for (int i = 0; i < PIECES; i++) {
    sum += count[i];
    squares += (count[i] - mean) * (count[i] - mean);
    if (i > 0) products += (count[i] - mean) * (count[i - 1] - mean);
  }
  near(sum / PIECES, mean, 4 * hc_sqrt(mean / PIECES));
  /* Of a Poisson number the squared deviation has variance mean + 2 mean^2. */
  near(squares / PIECES, mean, 4 * hc_sqrt((mean + 2 * mean * mean) / PIECES));
  near(products / PIECES, 0, 4 * mean / hc_sqrt(PIECES));
  near((double)longer / gaps, 0.36787944, 4 * hc_sqrt(0.3679 * 0.6321 / gaps));
  p.type->close(p.load);
  world_end(&w);
}

/* ---- a function of time ---- */

/* Asked at random times on random hosts it says what it says when it is walked through, and the level holds
 * until the time told and no longer. */
static void it_can_be_asked_in_any_order(void **state)
{
  HC_UNUSED(state);
  enum { STEPS = 3000 };
  static hc_load_level walked[3][STEPS];
  static hc_time from[3][STEPS];
  hc_draws draws = {.seed = 5, .purpose = HC_PURPOSE_TEST};
  char yaml[128];
  world w;
  process one, other, seeded;
  int changed = 0;
  begin(&w, 3);
  one = must_open(&w, with_rate(yaml, CPU, "0.08"), 7, 0);
  other = must_open(&w, yaml, 7, 0);
  seeded = must_open(&w, yaml, 8, 0);
  for (uint32_t h = 0; h < 3; h++) {
    hc_time at = 0;
    for (int i = 0; i < STEPS; i++) {
      from[h][i] = at;
      walked[h][i] = one.type->level(one.load, h, at);
      at = walked[h][i].until;
    }
  }
  for (int k = 0; k < 20000; k++) {
    const uint32_t h = (uint32_t)hc_random_below(&draws, 3);
    const uint64_t i = hc_random_below(&draws, STEPS);
    const hc_time span = walked[h][i].until - from[h][i];
    const hc_time at = from[h][i] + (hc_time)hc_random_below(&draws, (uint64_t)span);
    const hc_load_level x = other.type->level(other.load, h, at);
    assert_true(x.level == walked[h][i].level && x.until == walked[h][i].until);
    changed += level_at(&seeded, h, at) != x.level;
  }
  assert_true(changed > 19000); /* another seed, another load */
  one.type->close(one.load);
  other.type->close(other.load);
  seeded.type->close(seeded.load);
  world_end(&w);
}

/* Two hosts, two processes: correlation of indicators, as of independent ones. */
static void hosts_and_processes_are_independent(void **state)
{
  HC_UNUSED(state);
  char yaml[128];
  world w;
  process a, b;
  double hosts = 0, processes = 0;
  const double median = 0.1; /* near it, about half of the levels are above */
  double above = 0;
  begin(&w, HOSTS);
  a = must_open(&w, with_rate(yaml, CPU, "0"), 9, 0);
  b = must_open(&w, yaml, 9, 1);
  for (uint32_t h = 0; h < HOSTS; h++) above += level_at(&a, h, 0) > median;
  above /= HOSTS;
  for (uint32_t h = 1; h < HOSTS; h++) {
    const double x = (level_at(&a, h, 0) > median) - above;
    hosts += x * ((level_at(&a, h - 1, 0) > median) - above);
    processes += x * ((level_at(&b, h, 0) > median) - above);
  }
  near(hosts / HOSTS, 0, 4 * 0.25 / hc_sqrt(HOSTS));
  near(processes / HOSTS, 0, 4 * 0.25 / hc_sqrt(HOSTS));
  a.type->close(a.load);
  b.type->close(b.load);
  world_end(&w);
}

static void refuses(const char *yaml, const char *text)
{
  world w;
  process p;
  begin(&w, 2);
  assert_int_equal(try_open(&w, yaml, 1, 0, &p), HC_EUSAGE);
  w.e.text[strcspn(w.e.text, "\n")] = '\0';
  assert_string_equal(w.e.text, text);
  world_end(&w);
}

static void what_makes_no_sense_is_refused(void **state)
{
  HC_UNUSED(state);
  refuses("{rate: 1}", "of what? Say it with dimension: cpu, memory, disk, gpu or another that hosts have");
  refuses("{dimension: cpu, scale: 0}", "a law with scale 0 has no values; use law: constant");
  refuses("{dimension: cpu, law: constant, scale: 1.5}", "scale: a constant level is at most 1");
  refuses("{dimension: cpu, shape: 900, scale: 900}",
          "scale: 900 makes nearly every level greater than 1; a level is a share of the host");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_have_the_truncated_law),
      cmocka_unit_test(an_idle_host_passes_the_criterion),
      cmocka_unit_test(redraws_are_a_poisson_process),
      cmocka_unit_test(it_can_be_asked_in_any_order),
      cmocka_unit_test(hosts_and_processes_are_independent),
      cmocka_unit_test(what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
