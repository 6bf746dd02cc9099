/* bench_slurm.c -- what the policy slurm takes for a pass, a cycle and a job that it tries, in a whole run.
 *
 *   bench_slurm RUN.yaml
 *
 * The run is that of the file, with its result in bench_slurm.db, which is removed. CPU time: of the
 * process, and of the two schedulers, whose calls are wrapped by the linker (--wrap), which costs less than
 * 1 us a call. bench/slurm.sh makes the files and calls this. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "hindcast/hindcast.h"
#include "policy/slurm/scheduler.h"

/* What one of the schedulers took. */
typedef struct part {
  int64_t ns, calls, tried;
} part;

static part passes, cycles;
static int64_t planned;

hc_rc __real_hc_slurm_main_pass(hc_slurm *self, hc_view *v, hc_plan *p, bool full);
hc_rc __real_hc_slurm_backfill(hc_slurm *self, hc_view *v, hc_plan *p);
hc_rc __wrap_hc_slurm_main_pass(hc_slurm *self, hc_view *v, hc_plan *p, bool full);
hc_rc __wrap_hc_slurm_backfill(hc_slurm *self, hc_view *v, hc_plan *p);

hc_rc __wrap_hc_slurm_main_pass(hc_slurm *self, hc_view *v, hc_plan *p, bool full)
{
  const int64_t begin = bench_now();
  const hc_rc rc = __real_hc_slurm_main_pass(self, v, p, full);
  passes.ns += bench_now() - begin;
  passes.calls = self->counts.passes;
  passes.tried = self->counts.main_tried;
  return rc;
}

hc_rc __wrap_hc_slurm_backfill(hc_slurm *self, hc_view *v, hc_plan *p)
{
  const int64_t begin = bench_now();
  const hc_rc rc = __real_hc_slurm_backfill(self, v, p);
  cycles.ns += bench_now() - begin;
  cycles.calls = self->counts.cycles;
  cycles.tried = self->counts.backfill_tried;
  planned = self->counts.planned;
  return rc;
}

static void check(hc_rc rc, const hc_error *e)
{
  if (rc >= 0) return;
  (void)fprintf(stderr, "bench_slurm: %s:%u: %s\n", e->where, e->line, e->text);
  exit(1);
}

static void print_part(const char *name, const char *call, const part *p)
{
  const double us = (double)p->ns / 1e3;
  printf("  %-14s %8.1f s  %10" PRId64 " %-6s %8.1f us  %11" PRId64 " jobs tried %7.2f us\n", name, us / 1e6,
         p->calls, call, us / (double)(p->calls > 0 ? p->calls : 1), p->tried,
         us / (double)(p->tried > 0 ? p->tried : 1));
}

int main(int argc, char **argv)
{
  const hc_allocator *a = hc_default_allocator();
  const int64_t begin = bench_now();
  hc_error e = {0};
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  hc_progress p;
  if (argc != 2) return fprintf(stderr, "usage: bench_slurm RUN.yaml\n"), 2;
  check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_file(config, argv[1], &e), &e);
  check(hc_store_new(a, "bench_slurm.db", &store, &e), &e);
  check(hc_run_new(a, config, store, &run, &e), &e);
  check(hc_run_advance(run, HC_NEVER, 0, &e), &e);
  check(hc_run_finish(run, &e), &e);
  check(hc_store_commit(store, &e), &e);
  hc_run_progress(run, &p);
  printf("%" PRIu64 " jobs, %.1f s, %.1f MiB\n", p.submitted, (double)(bench_now() - begin) / 1e9,
         (double)bench_peak_memory() / 0x1p20);
  print_part("main scheduler", "passes", &passes);
  print_part("backfill", "cycles", &cycles);
  printf("  %-14s %.1f jobs tried in a cycle, %" PRId64 " plans\n", "",
         (double)cycles.tried / (double)(cycles.calls > 0 ? cycles.calls : 1), planned);
  (void)remove("bench_slurm.db");
  return 0;
}
