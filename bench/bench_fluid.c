/* bench_fluid.c -- the fluid solver on a fat-tree of 1,024 hosts (three levels, 1.25 GB/s, flows of up to
 * six links by destination): flows between random hosts, 1 MB to 1 GB.
 *
 *   batch    so many start at once, and the last end is waited for
 *   steady   so many always run: each end is followed by a start
 *   one      flows that share one link and nothing else: the clock of a bottleneck
 *
 * What is printed is CPU time for a completed flow (steady: an end and a start). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "execution/fluid.h"

#define HOSTS 1024
#define EDGES 64 /* 16 hosts each */
#define UPS 8    /* switches of the second level in a pod of 8 edges, and ups of each edge */
#define PODS 8
#define CORES 8 /* of each of the second level */
#define SPEED 1.25e9

typedef struct tree {
  hc_fluid *f;
  uint32_t host[HOSTS][2];            /* up, down */
  uint32_t edge[EDGES][UPS][2];       /* edge to second level */
  uint32_t core[PODS][UPS][CORES][2]; /* second level to core */
} tree;

typedef struct run {
  size_t flows, ends;
  bool is_steady;
  hc_time last;
} run;

static uint64_t next_bits(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static bool add(hc_fluid *f, double capacity, uint32_t *id)
{
  return hc_fluid_add(f, &(hc_fluid_resource){.capacity = capacity}, id) == 0;
}

static bool build(tree *t)
{
  bool ok = hc_fluid_new(hc_default_allocator(), NULL, &t->f) == 0;
  for (size_t way = 0; way < 2; way++) {
    for (size_t h = 0; ok && h < HOSTS; h++) ok = add(t->f, SPEED, &t->host[h][way]);
    for (size_t i = 0; ok && i < EDGES * UPS; i++) ok = add(t->f, SPEED, &t->edge[i / UPS][i % UPS][way]);
    for (size_t i = 0; ok && i < PODS * UPS * CORES; i++)
      ok = add(t->f, SPEED, &t->core[i / (UPS * CORES)][i / CORES % UPS][i % CORES][way]);
  }
  return ok;
}

static bool start(tree *t, hc_time now, uint64_t *state, uint64_t serial)
{
  const size_t a = next_bits(state) % HOSTS, b = (a + 1 + next_bits(state) % (HOSTS - 1)) % HOSTS;
  const size_t ea = a / 16, eb = b / 16, pa = ea / 8, pb = eb / 8, up = b % UPS, core = b / UPS % CORES;
  const double work = 1e6 + (double)(next_bits(state) >> 11) * 0x1p-53 * 999e6;
  hc_fluid_use uses[6] = {{t->host[a][0], 1}};
  size_t n = 1;
  hc_fluid_id id;
  if (ea != eb) uses[n++] = (hc_fluid_use){t->edge[ea][up][0], 1};
  if (pa != pb) uses[n++] = (hc_fluid_use){t->core[pa][up][core][0], 1};
  if (pa != pb) uses[n++] = (hc_fluid_use){t->core[pb][up][core][1], 1};
  if (ea != eb) uses[n++] = (hc_fluid_use){t->edge[eb][up][1], 1};
  uses[n++] = (hc_fluid_use){t->host[b][1], 1};
  return hc_fluid_start(t->f, now,
                        &(hc_fluid_activity){.uses = uses, .count = n, .work = work, .serial = serial},
                        &id) == 0;
}

static int64_t carry_out(void *ctx)
{
  run *r = ctx;
  static tree t;
  uint64_t state = 1, serial = 0;
  hc_time now = 0;
  hc_fluid_end end;
  int64_t begin, took;
  bool ok = build(&t);
  begin = bench_now();
  while (ok && serial < r->flows) ok = start(&t, 0, &state, serial++);
  for (size_t ended = 0; ok && ended < r->ends;) {
    if (hc_fluid_next(t.f, &now) < 0 || now == HC_NEVER) ok = false;
    while (ok && ended < r->ends && hc_fluid_advance(t.f, now, &end) == 1) {
      ended++;
      if (r->is_steady) ok = start(&t, now, &state, serial++);
    }
  }
  took = bench_now() - begin;
  r->last = now;
  hc_fluid_free(t.f);
  return ok ? took : -1;
}

static int64_t one_link(void *ctx)
{
  run *r = ctx;
  uint64_t state = 1, serial = 0;
  hc_fluid *f;
  hc_fluid_end end;
  hc_time now = 0;
  uint32_t id;
  hc_fluid_id flow;
  int64_t begin, took;
  bool ok = hc_fluid_new(hc_default_allocator(), NULL, &f) == 0 && add(f, SPEED, &id);
  begin = bench_now();
  for (size_t ended = 0; ok && ended < r->ends;) {
    while (ok && serial < r->flows + ended) {
      const hc_fluid_use use = {id, 1};
      const double work = 1e6 + (double)(next_bits(&state) >> 11) * 0x1p-53 * 999e6;
      ok = hc_fluid_start(f, now,
                          &(hc_fluid_activity){.uses = &use, .count = 1, .work = work, .serial = serial++},
                          &flow) == 0;
    }
    if (hc_fluid_next(f, &now) < 0 || now == HC_NEVER) ok = false;
    while (ok && hc_fluid_advance(f, now, &end) == 1) ended++;
  }
  took = bench_now() - begin;
  hc_fluid_free(f);
  return ok ? took : -1;
}

static bool show(const char *name, int64_t (*work)(void *), run *r, int tries)
{
  const int64_t ns = bench_min(tries, work, r);
  char text[64];
  if (ns < 0) return false;
  snprintf(text, sizeof text, "%s, %zu flows", name, r->flows);
  bench_print(text, (double)ns / (double)r->ends, "flow");
  printf("%-44s %10.0f flows/s, ends at %.6f s\n", "", (double)r->ends * 1e9 / (double)ns,
         (double)r->last * 1e-9);
  return true;
}

/* bench_fluid [batch | steady | one [FLOWS]]: all of them, or one row. */
static bool is_asked(int argc, char *const *argv, const char *name, size_t flows)
{
  if (argc > 1 && strcmp(argv[1], name) != 0) return false;
  return argc < 3 || (size_t)strtoull(argv[2], NULL, 10) == flows;
}

int main(int argc, char **argv)
{
  static const size_t counts[] = {10, 100, 300, 1000, 3000, 10000, 30000};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof counts / sizeof counts[0]; i++) {
    if (!is_asked(argc, argv, "batch", counts[i])) continue;
    ok = show("batch", carry_out, &(run){.flows = counts[i], .ends = counts[i]}, 3);
  }
  for (size_t i = 0; ok && i < sizeof counts / sizeof counts[0]; i++) {
    const size_t ends = counts[i] > 5000 ? 10000 : 20000;
    if (!is_asked(argc, argv, "steady", counts[i])) continue;
    ok = show("steady", carry_out, &(run){.flows = counts[i], .ends = ends, .is_steady = true}, 3);
  }
  for (size_t n = 1; ok && n <= 1000000; n *= 100)
    if (is_asked(argc, argv, "one", n)) ok = show("one", one_link, &(run){.flows = n, .ends = 300000}, 3);
  return ok ? 0 : 1;
}
