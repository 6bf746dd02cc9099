/* bench_generate.c -- what a generated task costs, by model and by distribution: inside the source's
 * `next` alone, and through the public door, where the merge window, the transforms' place and the ledger
 * are part of it. A bundle counts as one task: what is measured is rows. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cluster/lexicon.h"
#include "hindcast/plugin.h"
#include "hindcast/setup.h"
#include "options.h"

#define TASKS 200000

#define READER(x) extern const hc_reader_type hc_reader_##x
READER(synthetic);
READER(lublin);
READER(mixture);
READER(random);
READER(alibaba_like);
READER(google_like);

typedef struct one_case {
  const char *name, *source; /* as the command takes it; NULL: only what `next` costs */
  const hc_reader_type *type;
  const char *options[7]; /* "name=value" over the defaults */
  int64_t rows;
} one_case;

/* ---- inside next ---- */

static int64_t inside(void *ctx)
{
  const one_case *c = ctx;
  char *options = bench_options(&c->type->component, c->options);
  hc_lexicon *lexicon = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_job job;
  int64_t took = -1, rows = 0, sum = 0;
  if (!options || hc_lexicon_new(hc_default_allocator(), &lexicon) < 0) return -1;
  const hc_source_context context = {.allocator = hc_default_allocator(), .seed = 1, .lexicon = lexicon};
  if (c->type->open(&context, options, &s, &e) == 0) {
    const int64_t begin = bench_now();
    while (rows < c->rows && c->type->next(s, &job, &e) == 1) {
      rows += job.task_count;
      sum += job.tasks[job.task_count - 1].run;
      for (uint32_t i = 0; i < job.task_count; i++) hc_lexicon_drop(lexicon, job.tasks[i].more);
    }
    took = bench_now() - begin;
    c->type->close(s);
  }
  if (rows < c->rows) printf("%s: %lld rows; %s\n", c->name, (long long)rows, e.text);
  hc_lexicon_free(lexicon);
  free(options);
  return rows < c->rows || sum == 1 ? -1 : (int64_t)((double)took / (double)rows * 1000.0);
}

/* ---- through the public door ---- */

static int64_t through(void *ctx)
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

/* ---- the cases ---- */

static const one_case cases[] = {
    {.name = "synthetic, as it is",
     .source = "source={use: synthetic, tasks: 200000, load: 0.9}",
     .type = &hc_reader_synthetic,
     .options = {"tasks=0", "load=0.9"},
     .rows = TASKS},
    {.name = "synthetic, nothing random",
     .source = "source={use: synthetic, tasks: 200000, load: 0.9, arrival: constant, run: constant, size: "
               "constant, users: 0}"},
    {.name = "synthetic, weekly, gamma, weibull",
     .source =
         "source={use: synthetic, tasks: 200000, load: 0.9, arrival: gamma, run: weibull, size: loguniform, "
         "estimate: factor, weekly: [1, 1, 1, 1, 1, 0.5, 0.5]}"},
    {.name = "lublin, both",
     .source = "source={use: lublin, tasks: 200000, procs: 256}",
     .type = &hc_reader_lublin,
     .options = {"tasks=0", "procs=256"},
     .rows = TASKS},
    {.name = "lublin, merged", .source = "source={use: lublin, tasks: 200000, procs: 256, type: merged}"},
    {.name = "mixture, gaps and run times",
     .source = "source={use: mixture, jobs: 200000, load: 0.9, users: 0}",
     .type = &hc_reader_mixture,
     .options = {"jobs=0", "load=0.9", "users=0"},
     .rows = TASKS},
    {.name = "mixture, mixed, cpu, memory, limits, users",
     .type = &hc_reader_mixture,
     .options = {"jobs=0", "load=0.9", "run=0.7 * exponential(5m) + 0.3 * lognormal(2h 2) from 1s to 7d",
                 "cpu=0.5*1 + 0.3*4 + 0.2*16", "memory=lognormal(2GiB 1)", "limit_factor=uniform(1 5)"},
     .rows = TASKS},
    {.name = "mixture, jobs of 50 tasks, gamma",
     .type = &hc_reader_mixture,
     .options = {"jobs=0", "interval=gamma(10s 2)", "tasks_per_job=lognormal(50 2)", "run=gamma(10m 2)"},
     .rows = TASKS},
    {.name = "mixture, DAGs of 20 tasks",
     .type = &hc_reader_mixture,
     .options = {"jobs=0", "interval=1s", "tasks_per_job=20", "dag=mixed"},
     .rows = TASKS},
    {.name = "random",
     .source = "source={use: random, execution_count: 200000}",
     .type = &hc_reader_random,
     .options = {"execution_count=0"},
     .rows = TASKS},
    {.name = "alibaba_like",
     .source = "source={use: alibaba_like, tasks: 200000}",
     .type = &hc_reader_alibaba_like,
     .options = {"tasks=0"},
     .rows = 10 * TASKS},
    {.name = "alibaba_like, users",
     .type = &hc_reader_alibaba_like,
     .options = {"tasks=0", "users=1000"},
     .rows = 10 * TASKS},
    {.name = "alibaba_like, jobs with DAGs, bundles",
     .type = &hc_reader_alibaba_like,
     .options = {"tasks=0", "shape=jobs"},
     .rows = TASKS},
    {.name = "alibaba_like, jobs with DAGs, rows",
     .type = &hc_reader_alibaba_like,
     .options = {"tasks=0", "shape=jobs", "bundle=false"},
     .rows = TASKS},
    {.name = "google_like, a bundle a job",
     .source = "source={use: google_like, jobs: 200000}",
     .type = &hc_reader_google_like,
     .options = {"jobs=0"},
     .rows = TASKS},
    {.name = "google_like, a row a task",
     .type = &hc_reader_google_like,
     .options = {"jobs=0", "bundle=false"},
     .rows = TASKS},
};

int main(void)
{
  int status = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char name[80], source[400];
    one_case c = cases[i];
    if (c.type) {
      const int64_t least = bench_min(3, inside, &c);
      if (least < 0) status = 1;
      (void)snprintf(name, sizeof name, "next, %s", c.name);
      bench_print(name, (double)least / 1000.0, "task");
    }
    if (c.source) {
      (void)snprintf(source, sizeof source, "%s", c.source);
      const int64_t least = bench_min(3, through, source);
      if (least < 0) status = 1;
      (void)snprintf(name, sizeof name, "generate, %s", c.name);
      bench_print(name, (double)least / TASKS, "task");
    }
  }
  return status;
}
