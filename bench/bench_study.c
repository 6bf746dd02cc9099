/* bench_study.c -- what a point of a study costs: a run of 500 generated tasks with everything that belongs to it
 * (workload, configuration, the run, its figures), and a run of one task, which is all set-up.
 *
 * Five policies see each workload, as in a study. On a count cell and on 14 hosts.
 *
 *   bench_study STUDY.yaml [COUNT [FIRST]]
 *
 * carries out points of a study's file instead, once, in their order: so many of its product, from the one of that
 * number on. */
#define _GNU_SOURCE
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hindcast/hindcast.h"
#include "study/runner.h"

#define POINTS 1000

static const char text[] =
    "study:\n"
    "  base: {source: {use: lublin, tasks: %d, procs: 256}, cell: %s}\n"
    "  axes: {policy: [fcfs, sjf, easy, {sjf_easy: {policy.order: sjf, policy.select: easy}},\n"
    "                  {ljf_easy: {policy.order: ljf, policy.select: easy}}]}\n"
    "  keep: [wait_mean, bounded_slowdown_mean, utilisation, makespan]\n"
    "  replications: 200\n";

typedef struct bench {
  hc_study *study;
  hc_runner *runner;
  double checksum;
} bench;

static int64_t all_points(void *ctx)
{
  bench *b = ctx;
  const int64_t began = bench_now();
  for (uint64_t i = 0; i < POINTS; i++) {
    hc_outcome o = {0};
    hc_error e = {0};
    if (hc_runner_point(b->runner, hc_study_point_at(b->study, i), &o, &e) < 0 || o.state != HC_POINT_DONE)
      return -1;
    b->checksum += o.values[0];
  }
  return bench_now() - began;
}

static int one(hc_registry *r, const char *name, int tasks, const char *cell)
{
  const hc_allocator *a = hc_default_allocator();
  char yaml[sizeof text + 200];
  hc_error e = {0};
  bench b = {0};
  int64_t ns = -1;
  const int n = snprintf(yaml, sizeof yaml, text, tasks, cell);
  if (hc_study_parse(a, r, yaml, (size_t)n, "bench", &b.study, &e) == 0 &&
      hc_runner_new(b.study, (size_t)64 << 20, &b.runner, &e) == 0)
    ns = bench_min(5, all_points, &b);
  if (ns < 0) fprintf(stderr, "%s: %s\n", name, e.text);
  else bench_print(name, (double)ns / POINTS, "point");
  hc_runner_free(b.runner);
  hc_study_free(b.study);
  return ns < 0;
}

/* Points of a study's file, one after another as a worker would: for a profile of what a worker does. */
static int points_of(hc_registry *r, const char *path, uint64_t count, uint64_t first)
{
  bench b = {0};
  hc_error e = {0};
  uint64_t points = 0, done = 0, end;
  int64_t began;
  hc_rc rc = hc_study_read(hc_default_allocator(), r, path, NULL, &b.study, &e);
  if (rc >= 0) rc = hc_runner_new(b.study, (size_t)64 << 20, &b.runner, &e);
  if (rc < 0) return fprintf(stderr, "%s:%u: %s\n", e.where, e.line, e.text), 1;
  end = count > 0 && first + count < b.study->product ? first + count : b.study->product;
  began = bench_now();
  for (uint64_t i = first; i < end; i++) {
    hc_outcome o = {0};
    const uint64_t point = hc_study_point_at(b.study, i);
    if (hc_study_is_excluded(b.study, point)) continue;
    points++;
    if (hc_runner_point(b.runner, point, &o, &e) < 0) return 1;
    done += o.state == HC_POINT_DONE;
    for (size_t k = 0; o.state == HC_POINT_DONE && k < o.set->count; k++) b.checksum += o.values[k];
  }
  (void)printf("%" PRIu64 " points of %" PRIu64 ", %.4f ms each, sum of figures %.17g\n", done, points,
               1e-6 * (double)(bench_now() - began) / (double)(points > 0 ? points : 1), b.checksum);
  hc_runner_free(b.runner);
  hc_study_free(b.study);
  return 0;
}

int main(int argc, char **argv)
{
  static const char hosts[] = "{use: hosts, classes: [{name: c, count: 14, cpus: 32}]}";
  hc_registry *r = NULL;
  int bad;
  if (hc_registry_new(hc_default_allocator(), &r) < 0) return 1;
  if (argc > 1) {
    bad = points_of(r, argv[1], argc > 2 ? strtoull(argv[2], NULL, 10) : 0,
                    argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
    hc_registry_free(r);
    return bad;
  }
  bad = one(r, "500 tasks, 256 processors", 500, "{procs: 256}");
  bad |= one(r, "1 task, 256 processors", 1, "{procs: 256}");
  bad |= one(r, "500 tasks, 14 hosts", 500, hosts);
  bad |= one(r, "1 task, 14 hosts", 1, hosts);
  hc_registry_free(r);
  return bad;
}
