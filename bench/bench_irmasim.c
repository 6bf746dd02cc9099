/* bench_irmasim.c -- jobs of one core on 10 nodes of 10 cores in the closed world `irmasim`, modelV1, its manager
 * Heuristic: whole runs, from the reading of the files on, with its logs and without.
 *
 * 3,000 jobs of 1000 s on average at a load of 0.9. Budget: 0.07 s; IRMaSim takes 7.4 s of CPU time for as many.
 * 30,000 are there to show that the cost of a job does not grow with their number, as it does there. */
#define _GNU_SOURCE
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "hindcast/hindcast.h"

static const char platform[] =
    "{\"platform\": {\"p\": {\"id\": \"p\", \"model_name\": \"modelV1\", \"clusters\": [{\"nodes\": [{\"type\": \"n\", "
    "\"number\": 10}]}]}}, \"node\": {\"n\": {\"processors\": [{\"type\": \"x\"}]}}, "
    "\"processor\": {\"x\": {\"cores\": 10, "
    "\"clock_rate\": 1, \"dpflops_per_cycle\": 1, \"static_power\": 61.4, \"dynamic_power\": 5.6, \"min_power\": 0.05, "
    "\"b\": -1.85e-05, \"c\": 32000, \"da\": 1.75, \"db\": 2000, \"dc\": 50000, \"dd\": 6000}}}";

typedef struct setup {
  hc_buffer workload;
  const char *logs;
} setup;

static void make(setup *x, int jobs, double volume)
{
  hc_draws s = {.seed = 1, .entity = 1};
  double at = 0;
  hc_buffer_init(&x->workload, hc_default_allocator());
  hc_buffer_text(&x->workload, "{\"jobs\": [\n");
  for (int i = 0; i < jobs; i++) {
    const double run = 1 + hc_random_exponential(&s, 1000);
    hc_buffer_printf(
        &x->workload,
        "{\"id\": \"%d\", \"subtime\": %.3f, \"res\": 1, \"req_time\": %.3f, \"req_ops\": %.0f, \"mem\": "
        "100, \"mem_vol\": %.0f}%s\n",
        i, at, run * 1.5 + 10, run * 1e9, run * volume, i + 1 < jobs ? "," : "");
    at += hc_random_exponential(&s, 1000.0 / 90);
  }
  hc_buffer_text(&x->workload, "]}\n");
}

static int64_t measure(void *ctx)
{
  setup *x = ctx;
  hc_allocator a = *hc_default_allocator();
  hc_registry *registry = NULL;
  hc_config *c = NULL;
  hc_run *run = NULL;
  hc_store *store = NULL;
  hc_texts *texts = NULL;
  hc_error e = {0};
  char yaml[256];
  int64_t begin = bench_now();
  const int n =
      snprintf(yaml, sizeof yaml,
               "world: {use: irmasim, platform: p.json, platform_name: p, workload: w.json, manager: "
               "Heuristic, logs: %s}\n",
               x->logs);
  hc_rc rc = hc_texts_new(hc_default_allocator(), &texts);
  if (rc >= 0) rc = hc_texts_add(texts, "p.json", platform, sizeof platform - 1, &e);
  if (rc >= 0) rc = hc_texts_add(texts, "w.json", x->workload.data, x->workload.size, &e);
  a.files = rc >= 0 ? hc_texts_files(texts) : NULL;
  if (rc >= 0) rc = hc_registry_new(&a, &registry);
  if (rc >= 0) rc = hc_config_new(&a, registry, &c, &e);
  if (rc >= 0) rc = hc_config_text(c, yaml, (size_t)n, "bench", &e);
  if (rc >= 0) rc = hc_store_new(&a, NULL, &store, &e);
  if (rc >= 0) rc = hc_run_new(&a, c, store, &run, &e);
  if (rc >= 0) rc = hc_run_advance(run, HC_NEVER, 0, &e);
  if (rc >= 0) rc = hc_run_finish(run, &e);
  begin = bench_now() - begin;
  if (rc < 0) (void)fprintf(stderr, "%s: %s\n", e.where, e.text);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(c);
  hc_registry_free(registry);
  hc_texts_free(texts);
  return rc < 0 ? -1 : begin;
}

static void report(const char *name, int jobs, double volume, const char *logs)
{
  setup x = {.logs = logs};
  int64_t t;
  make(&x, jobs, volume);
  t = bench_min(5, measure, &x);
  hc_buffer_fini(&x.workload);
  if (t < 0) exit(1);
  (void)printf("%-36s %7.4f s  ", name, (double)t / 1e9);
  bench_print("", (double)t / jobs, "job");
  (void)fflush(stdout);
}

int main(void)
{
  report("3,000 jobs, with logs", 3000, 100, "true");
  report("3,000 jobs, without", 3000, 100, "false");
  report("3,000 that contend, with logs", 3000, 5000, "true");
  report("30,000 jobs, with logs", 30000, 100, "true");
  return 0;
}
