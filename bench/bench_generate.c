/* bench_generate.c -- what a generated task costs, by model and by distribution: nothing but the source's `next`. */
#define _GNU_SOURCE
#include "bench.h"

#include <string.h>

#include "hindcast/engine.h"
#include "hindcast/plugin.h"
#include "hindcast/workload.h"

#define TASKS 200000

/* Through the public door, since it fills in the defaults; the merge window and the ledger are part of the cost. */
static int64_t generate(void *ctx)
{
  hc_registry *r = NULL;
  hc_config *c = NULL;
  hc_trace *t = NULL;
  hc_trace_task task;
  hc_error e = {0};
  int64_t begin, took = -1;
  uint64_t count = 0;
  if (hc_registry_new(hc_default_allocator(), &r) < 0) return -1;
  if (hc_config_new(hc_default_allocator(), r, &c, &e) == 0 && hc_config_set(c, ctx, &e) == 0 &&
      hc_config_set(c, "sort_window=1", &e) == 0 &&
      hc_trace_open(hc_default_allocator(), c, &(hc_trace_options){.mode = HC_TRACE_ROWS}, &t, &e) == 0) {
    begin = bench_now();
    while (hc_trace_next(t, &task, &e) == 1) count++;
    took = bench_now() - begin;
  }
  if (count != TASKS) {
    printf("%s\n", e.text);
    took = -1;
  }
  hc_trace_close(t);
  hc_config_free(c);
  hc_registry_free(r);
  return took;
}

int main(void)
{
  static const struct {
    const char *name, *source;
  } cases[] = {
      {"generate, synthetic, as it is", "source={use: synthetic, tasks: 200000, load: 0.9}"},
      {"generate, synthetic, nothing random",
       "source={use: synthetic, tasks: 200000, load: 0.9, arrival: constant, run: constant, size: constant, users: 0}"},
      {"generate, synthetic, weekly, gamma, weibull",
       "source={use: synthetic, tasks: 200000, load: 0.9, arrival: gamma, run: weibull, size: loguniform, "
       "estimate: factor, weekly: [1, 1, 1, 1, 1, 0.5, 0.5]}"},
      {"generate, lublin, both", "source={use: lublin, tasks: 200000, procs: 256}"},
      {"generate, lublin, merged", "source={use: lublin, tasks: 200000, procs: 256, type: merged}"},
  };
  int status = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char spec[400];
    (void)snprintf(spec, sizeof spec, "%s", cases[i].source);
    const int64_t least = bench_min(3, generate, spec);
    if (least < 0) status = 1;
    bench_print(cases[i].name, (double)least / TASKS, "task");
  }
  return status;
}
