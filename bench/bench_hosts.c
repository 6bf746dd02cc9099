/* bench_hosts.c -- hosts with vectors in a steady state: one task ends somewhere, another is placed.
 *
 * Two dimensions, hosts of 32 cores and 128 GB, tasks of random sizes, about 80 % of the cores in use. The stranded
 * cell is the adversary of every bound: its hosts are full in one of the two dimensions in turn, so that wherever
 * one looks, each dimension is free somewhere near, and both are free almost nowhere. HC_LONG=1: a million
 * hosts, too. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>

#include "cluster/hosts.h"
#include "cluster/lexicon.h"

enum { CORES = 32000, MEMORY = 128 };

typedef struct claim {
  uint32_t host, cpu, memory;
} claim;

typedef struct setup {
  uint32_t hosts, operations;
  hc_chooser chooser;
  bool stranded;
  uint64_t checksum;
  hc_lexicon *lexicon;
  hc_hosts *cell;
  claim *live;
  size_t count;
} setup;

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static double least_left(void *self, const hc_host_view *h)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < h->dimensions; d++)
    sum -= (double)(h->free[d] - h->need[d]) / (double)h->capacity[d];
  return sum;
}

static double least_left_bound(void *self, const hc_host_box *b)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < b->dimensions; d++)
    sum -= (double)(b->low[d] - b->need[d]) / (double)b->capacity_high[d];
  return sum;
}

static double most_left(void *self, const hc_host_view *h)
{
  return -least_left(self, h);
}

static double most_left_bound(void *self, const hc_host_box *b)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < b->dimensions; d++)
    sum += (double)(b->high[d] - b->need[d]) / (double)b->capacity_low[d];
  return sum;
}

static hc_request request_of(const claim *c, int64_t need[2])
{
  need[0] = c->cpu;
  need[1] = c->memory;
  return (hc_request){.need = need, .slots = 1};
}

static bool place(setup *x, claim *c)
{
  int64_t need[2];
  const hc_request r = request_of(c, need);
  const hc_grant *g;
  if (hc_hosts_choose(x->cell, &r, &x->chooser, NULL, 0, &g) <= 0) return false;
  c->host = g->host;
  return hc_hosts_take(x->cell, &r, g, 1) == 0;
}

static void give(setup *x, const claim *c)
{
  int64_t need[2];
  const hc_request r = request_of(c, need);
  const hc_grant g = {.host = c->host, .slots = 1};
  hc_hosts_give(x->cell, &r, &g, 1);
}

static claim random_task(uint64_t *s)
{
  const uint64_t r = draw(s);
  return (claim){.cpu = 500 * (uint32_t)(1 + (r & 15)), .memory = 1 + (uint32_t)((r >> 32) * 31 >> 32)};
}

static hc_rc open_cell(setup *x, const hc_cell_spec *spec)
{
  if (hc_lexicon_new(hc_default_allocator(), &x->lexicon) < 0) return HC_ENOMEM;
  return hc_hosts_new(hc_default_allocator(), spec, x->lexicon, 1, 0, &x->cell, NULL);
}

/* Fill to 80 %, host by host, then stir: so that what is free lies about. */
static void fill(setup *x, uint64_t *s)
{
  const hc_chooser chooser = x->chooser;
  x->chooser = (hc_chooser){.how = HC_CHOOSE_NEXT};
  while (hc_hosts_free_sum(x->cell, 0) > hc_hosts_capacity(x->cell, 0) / 5) {
    claim c = random_task(s);
    if (place(x, &c)) x->live[x->count++] = c;
  }
  x->chooser = (hc_chooser){.how = HC_CHOOSE_FIRST};
  for (size_t i = 0; i < 2 * x->count; i++) {
    claim *c = &x->live[draw(s) % x->count], next = random_task(s);
    give(x, c);
    if (!place(x, &next)) {
      next = *c;
      (void)place(x, &next);
    }
    *c = next;
  }
  x->chooser = chooser;
}

/* Every host has little left in one dimension and much in the other; every 64th has some of both. */
static void strand(setup *x, uint64_t *s)
{
  for (uint32_t i = 0; i < x->hosts; i++) {
    const uint32_t little = (uint32_t)(draw(s) % 8);
    claim c = {i, CORES, MEMORY};
    if (i % 64 == 63) {
      c.cpu -= 9000;
      c.memory -= 40;
    } else if (i % 2) {
      c.cpu -= little * 50;
      c.memory -= 64 + little;
    } else {
      c.cpu -= 16000 + little * 500;
      c.memory -= little / 4;
    }
    int64_t need[2];
    const hc_request r = request_of(&c, need);
    const hc_grant g = {.host = i, .slots = 1};
    if (hc_hosts_take(x->cell, &r, &g, 1) < 0) abort();
  }
  for (uint32_t i = 0; i < x->hosts / 256 + 1; i++) {
    claim c = {0, 4000, 16};
    if (place(x, &c)) x->live[x->count++] = c;
  }
}

static int64_t run(void *ctx)
{
  setup *x = ctx;
  uint32_t *class_of = calloc(x->hosts, sizeof *class_of);
  const hc_host_class kind = {.name = "host", .capacity = {[HC_DIM_CPU] = CORES, [HC_DIM_MEMORY] = MEMORY}};
  const hc_cell_spec spec = {.granularity = HC_CELL_HOSTS,
                             .units = x->hosts,
                             .classes = &kind,
                             .class_count = 1,
                             .class_of = class_of};
  uint64_t s = 88172645463325252u, sum = 0;
  int64_t begin, took;
  x->live = calloc((size_t)x->hosts * 64, sizeof *x->live);
  x->count = 0;
  if (!class_of || !x->live || open_cell(x, &spec) < 0) return -1;
  if (x->stranded) strand(x, &s);
  else fill(x, &s);
  begin = bench_now();
  for (uint32_t i = 0; i < x->operations; i++) {
    claim *c = &x->live[(draw(&s) >> 32) * x->count >> 32];
    claim next = x->stranded ? *c : random_task(&s);
    give(x, c);
    if (!place(x, &next)) {
      next = *c;
      if (!place(x, &next)) return -1;
    }
    *c = next;
    sum += next.host;
  }
  took = bench_now() - begin;
  x->checksum = sum;
  hc_hosts_free(x->cell);
  hc_lexicon_free(x->lexicon);
  free(class_of);
  free(x->live);
  return took;
}

int main(void)
{
  static const uint32_t sizes[] = {1000, 4000, 10000, 100000, 1000000};
  const size_t size_count = HC_ARRAY_LEN(sizes) - (getenv("HC_LONG") == NULL);
  const hc_chooser first = {.how = HC_CHOOSE_FIRST}, next = {.how = HC_CHOOSE_NEXT};
  const hc_chooser best = {.how = HC_CHOOSE_BEST, .score = least_left};
  const hc_chooser least = {.how = HC_CHOOSE_BEST, .score = least_left, .bound = least_left_bound};
  const hc_chooser most = {.how = HC_CHOOSE_BEST, .score = most_left, .bound = most_left_bound};
  const hc_chooser sample = {.how = HC_CHOOSE_SAMPLE, .sample = 2, .score = most_left};
  const struct {
    const char *name;
    hc_chooser chooser;
    bool stranded;
    uint32_t operations, visits; /* and less, if each looks at all hosts: so many of them in all */
  } cases[] = {
      {"first", first, false, 1000000, 0},
      {"next", next, false, 1000000, 0},
      {"sample of 2", sample, false, 100000, 20000000},
      {"least left, bounded", least, false, 100000, 0},
      {"most left, bounded", most, false, 100000, 0},
      {"least left, every host scored", best, false, 100000, 20000000},
      {"first, stranded", first, true, 100000, 0},
      {"least left, bounded, stranded", least, true, 100000, 0},
      {"least left, every host scored, stranded", best, true, 100000, 20000000},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (size_t n = 0; n < size_count; n++) {
      setup x = {.hosts = sizes[n], .chooser = cases[i].chooser, .stranded = cases[i].stranded};
      char name[80];
      int64_t took;
      x.operations = cases[i].operations;
      if (cases[i].visits > 0 && cases[i].visits / sizes[n] < x.operations)
        x.operations = cases[i].visits / sizes[n];
      took = bench_min(sizes[n] < 100000 ? 3 : 1, run, &x);
      if (took < 0) return 1;
      (void)snprintf(name, sizeof name, "hosts %s, %u", cases[i].name, sizes[n]);
      bench_print(name, (double)took / x.operations, "take and give");
    }
  }
  return 0;
}
