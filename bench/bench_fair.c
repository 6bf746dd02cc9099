/* bench_fair.c -- what fair shares cost: a decision (next, start, end) by users, an update of a tree of pools by jobs.
 *
 * Budgets: 5 us a decision at 1,000 users; an update of 24 jobs in 4 us, of 1,000 in 100 us. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>

#include "policy/share/choose.h"
#include "policy/share/fair.h"
#include "policy/share/pools.h"

enum { OPERATIONS = 400000, DIMS = 4, HELD = 4096 };

static const int64_t cluster[DIMS] = {4000000, 16000000, 4000, 100000};
static const hc_allocator *a;

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

typedef struct setup {
  uint32_t users;
  int what;
  uint64_t checksum;
} setup;

typedef struct held {
  uint32_t user;
  int64_t amount[DIMS];
} held;

static void amounts(uint64_t r, int64_t *amount)
{
  for (int i = 0; i < DIMS; i++) amount[i] = 1 + (int64_t)((r >> (8 * i)) % 64);
}

/* next + start of its task + end of a random one: a full cluster's life. */
static int64_t decisions(void *ctx)
{
  setup *x = ctx;
  static held ring[HELD];
  uint64_t s = 88172645463325252u, sum = 0;
  hc_drf d;
  if (hc_drf_init(&d, a, x->users, DIMS, cluster, NULL, NULL, HC_TIE_INDEX, NULL) < 0) return -1;
  for (uint32_t i = 0; i < x->users; i++) hc_drf_wait(&d, i, true);
  int64_t begin = 0;
  for (size_t k = 0; k < OPERATIONS + HELD; k++) {
    held *h = &ring[k < HELD ? k : draw(&s) % HELD];
    if (k == HELD) begin = bench_now();
    if (k >= HELD) hc_drf_end(&d, h->user, h->amount);
    h->user = hc_drf_next(&d);
    amounts(draw(&s), h->amount);
    hc_drf_start(&d, h->user, h->amount);
    sum += h->user;
  }
  int64_t took = bench_now() - begin;
  x->checksum += sum;
  hc_drf_fini(&d);
  return took;
}

/* A start or an end of a random user, and who is next. what 0: a start or an end; 1: skip and again. */
static int64_t parts(void *ctx)
{
  setup *x = ctx;
  uint64_t s = 88172645463325252u, sum = 0;
  int64_t amount[DIMS] = {1, 4, 1, 2};
  hc_drf d;
  if (hc_drf_init(&d, a, x->users, DIMS, cluster, NULL, NULL, HC_TIE_INDEX, NULL) < 0) return -1;
  for (uint32_t i = 0; i < x->users; i++) hc_drf_wait(&d, i, true);
  int64_t begin = bench_now();
  for (size_t k = 0; k < OPERATIONS; k++) {
    uint32_t user = (uint32_t)(((draw(&s) >> 32) * x->users) >> 32);
    if (x->what == 0) {
      hc_drf_start(&d, user, amount);
    } else if (x->what == 1) {
      hc_drf_skip(&d, hc_drf_next(&d));
      if (k % 8 == 7) hc_drf_again(&d);
    } else {
      sum += hc_drf_next(&d) ^ user;
    }
  }
  int64_t took = bench_now() - begin;
  x->checksum += sum + hc_drf_next(&d);
  hc_drf_fini(&d);
  return took;
}

/* Groups of about sqrt(users) users. */
static int64_t groups(void *ctx)
{
  setup *x = ctx;
  static held ring[HELD];
  uint32_t per = 1, groups = 0, n = 1;
  uint64_t s = 88172645463325252u;
  hc_hdrf h;
  while (per * per < x->users) per++;
  uint32_t *parent = calloc(2 * (size_t)x->users + 2, sizeof *parent);
  if (!parent) return -1;
  for (groups = (x->users + per - 1) / per; n <= groups; n++) parent[n] = 0;
  for (uint32_t i = 0; i < x->users; i++) parent[n++] = 1 + i / per;
  hc_rc rc = hc_hdrf_init(&h, a, n, parent, NULL, DIMS, cluster, HC_HDRF_RESCALED, NULL);
  free(parent);
  if (rc < 0) return -1;
  for (uint32_t i = groups + 1; i < n; i++) hc_hdrf_block(&h, i, false);
  int64_t begin = 0;
  for (size_t k = 0; k < OPERATIONS + HELD; k++) {
    held *e = &ring[k < HELD ? k : draw(&s) % HELD];
    if (k == HELD) begin = bench_now();
    if (k >= HELD) hc_hdrf_end(&h, e->user, e->amount);
    e->user = hc_hdrf_next(&h);
    amounts(draw(&s), e->amount);
    hc_hdrf_start(&h, e->user, e->amount);
    x->checksum += e->user;
  }
  int64_t took = bench_now() - begin;
  hc_hdrf_fini(&h);
  return took;
}

/* what 0: every job changed; 1: one did; 2, 3: the same in ten pools. */
static int64_t updates(void *ctx)
{
  setup *x = ctx;
  uint64_t s = 88172645463325252u;
  hc_pools p;
  uint32_t *id = calloc(x->users, sizeof *id), pool[10] = {0};
  int rounds = (int)(200000 / x->users);
  if (!id || hc_pools_init(&p, a, DIMS, NULL) < 0) return -1;
  hc_pool_wish w = hc_pool_plain();
  for (int i = 0; i < 10 && x->what >= 2; i++)
    if (hc_pools_add(&p, 0, HC_POOL_FAIR, &w, &pool[i], NULL) < 0) return -1;
  for (uint32_t i = 0; i < x->users; i++)
    if (hc_pools_add(&p, pool[i % 10], HC_POOL_JOB, &w, &id[i], NULL) < 0) return -1;
  int64_t took = 0;
  for (int k = 0; k <= rounds; k++) {
    double usage[DIMS], demand[DIMS];
    for (uint32_t i = 0; i < x->users; i++) {
      if (k > 0 && x->what % 2 == 1 && i != (uint32_t)k % x->users) continue;
      uint64_t r = draw(&s);
      for (int j = 0; j < DIMS; j++) {
        usage[j] = (double)((r >> (8 * j)) % 64) / 64 / x->users;
        demand[j] = usage[j] + (double)((r >> (8 * j + 24)) % 64) / 8 / x->users;
      }
      hc_pools_job(&p, id[i], usage, demand);
    }
    int64_t begin = bench_now();
    if (hc_pools_update(&p, NULL) < 0) return -1;
    if (k > 0) took += bench_now() - begin;
  }
  x->checksum += (uint64_t)(p.pools[id[0]].fair[0] * 1e9);
  hc_pools_fini(&p);
  free(id);
  return took / rounds;
}

/* Divisible shares of all users at once: 0 DRF, 1 CEEI. */
static int64_t divisible(void *ctx)
{
  setup *x = ctx;
  uint64_t s = 88172645463325252u;
  static double demand[10000 * DIMS], tasks[10000];
  static const double capacity[DIMS] = {4000, 16000, 4000, 1000};
  hc_fair_problem p = {.users = x->users, .dims = DIMS, .capacity = capacity, .demand = demand};
  for (size_t i = 0; i < (size_t)x->users * DIMS; i++) demand[i] = 1 + (double)(draw(&s) >> 60);
  int64_t begin = bench_now();
  hc_rc rc = x->what ? hc_fair_ceei(a, &p, 1e-10, tasks, NULL, NULL) : hc_fair_drf(a, &p, tasks, NULL);
  int64_t took = bench_now() - begin;
  x->checksum += (uint64_t)tasks[0];
  return rc < 0 ? -1 : took;
}

static uint64_t measure(const char *name, int64_t (*work)(void *), int what, double by, const char *unit)
{
  static const uint32_t sizes[] = {10, 24, 100, 1000, 10000};
  uint64_t sum = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    setup x = {.users = sizes[i], .what = what};
    char text[64];
    (void)snprintf(text, sizeof text, "%s, %u users", name, x.users);
    bench_print(text, (double)bench_min(3, work, &x) / by, unit);
    sum += x.checksum;
  }
  return sum;
}

int main(void)
{
  uint64_t sum = 0;
  a = hc_default_allocator();
  sum += measure("DRF: next, start, end", decisions, 0, OPERATIONS, "decision");
  sum += measure("DRF: start", parts, 0, OPERATIONS, "start");
  sum += measure("DRF: next, skip, again", parts, 1, OPERATIONS, "skip");
  sum += measure("DRF: next", parts, 2, OPERATIONS, "next");
  sum += measure("H-DRF: next, start, end", groups, 0, OPERATIONS, "decision");
  sum += measure("pools, flat: all changed", updates, 0, 1, "update");
  sum += measure("pools, flat: one changed", updates, 1, 1, "update");
  sum += measure("pools, ten: all changed", updates, 2, 1, "update");
  sum += measure("pools, ten: one changed", updates, 3, 1, "update");
  sum += measure("DRF, divisible", divisible, 0, 1, "allocation");
  sum += measure("CEEI", divisible, 1, 1, "allocation");
  return sum == 0;
}
