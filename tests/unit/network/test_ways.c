/* test_ways.c -- ways through graphs that are found on demand, against Floyd and Warshall's loops and against
 * groups by a table of all distances: random graphs full of ties and of arcs without latency. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "hindcast/base.h"
#include "network/ways.h"
#include "network_test.h"

enum { MOST = 48, NO = -1 };
#define NEVER (INT64_MAX / 4)

typedef struct graph {
  uint32_t nodes;
  size_t count;
  hc_arc arcs[4 * MOST * MOST], given[4 * MOST * MOST]; /* in order as told; put in order by what is tested */
  int64_t at[MOST][MOST];
  int direct[MOST][MOST], next[MOST][MOST];
} graph;

static uint64_t state;

static uint32_t below(uint32_t n)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % n;
}

/* The loops, in whole numbers. */
static void floyd(graph *g)
{
  const uint32_t n = g->nodes;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      g->at[i][j] = i == j ? 0 : NEVER;
      g->direct[i][j] = g->next[i][j] = NO;
    }
  for (size_t i = 0; i < g->count; i++) {
    const hc_arc *x = &g->arcs[i];
    g->at[x->from][x->to] = x->latency;
    g->direct[x->from][x->to] = (int)x->id;
    g->next[x->from][x->to] = (int)x->to;
  }
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; i != k && j < n; j++)
        if (g->at[i][k] < NEVER && g->at[i][k] + g->at[k][j] < g->at[i][j]) {
          g->at[i][j] = g->at[i][k] + g->at[k][j];
          g->next[i][j] = g->next[i][k];
        }
}

static void assert_ways(graph *g, hc_ways *w, int seed)
{
  for (uint32_t i = 0; i < g->nodes; i++)
    for (uint32_t j = 0; j < g->nodes; j++) {
      uint32_t ids[MOST];
      const int64_t count = hc_ways_find(w, i, j, ids, MOST);
      if (g->at[i][j] >= NEVER) {
        assert_int_equal(count, HC_EUNSUPPORTED);
        continue;
      }
      int64_t is = 0;
      for (uint32_t at = i; at != j; is++) {
        const int next = g->next[at][j];
        if (is >= count || (int)ids[is] != g->direct[at][next])
          fail_msg("seed %d: of the way from %u to %u arc %d", seed, i, j, (int)is);
        at = (uint32_t)next;
      }
      assert_int_equal(is, count);
    }
}

/* Some arcs, several between two nodes now and then, then leaves. @param least least latency */
static void draw(graph *g, bool one_way, uint32_t latencies, uint32_t least)
{
  const uint32_t core = 2 + below(MOST / 2), arcs = core + below(3 * core);
  g->nodes = core + below(MOST - core);
  g->count = 0;
  for (uint32_t i = 0; i < arcs + g->nodes - core; i++) {
    const uint32_t a = i < arcs ? below(core) : core + i - arcs, b = below(core);
    const int64_t latency = least + below(latencies);
    if (a == b) continue;
    g->arcs[g->count] = (hc_arc){a, b, (uint32_t)g->count, latency};
    g->count++;
    if (one_way && below(4) == 0) continue;
    g->arcs[g->count] = (hc_arc){b, a, (uint32_t)g->count, latency};
    g->count++;
  }
  /* leaves and others in any order of numbers */
  for (uint32_t i = 0; i < g->nodes; i++) {
    const uint32_t other = below(g->nodes);
    for (size_t k = 0; k < g->count; k++) {
      uint32_t *ends[] = {&g->arcs[k].from, &g->arcs[k].to};
      for (int e = 0; e < 2; e++) *ends[e] = *ends[e] == i ? other : *ends[e] == other ? i : *ends[e];
    }
  }
  memcpy(g->given, g->arcs, sizeof g->arcs);
}

static hc_ways *ways_of(graph *g, size_t bytes)
{
  hc_ways *w = NULL;
  assert_int_equal(hc_ways_new(hc_default_allocator(), g->nodes, g->given, g->count, bytes, &w), 0);
  return w;
}

/* Every way of every pair, with room for all tables and for one. */
static void test_as_floyd(void **unused)
{
  static graph g;
  (void)unused;
  for (int seed = 0; seed < 600; seed++) {
    state = (uint64_t)seed;
    draw(&g, seed % 3 == 0, seed % 5 == 0 ? 1 : 3, (uint32_t)seed % 2);
    floyd(&g);
    for (size_t bytes = 0; bytes <= 1 << 20; bytes += 1 << 20) {
      memcpy(g.given, g.arcs, sizeof g.arcs);
      hc_ways *w = ways_of(&g, bytes);
      if (bytes == 0) assert_int_equal(w->table_most, 1);
      assert_ways(&g, w, seed);
      hc_ways_free(w);
    }
  }
}

/* The first pair that is not joined, in order. */
static void test_apart(void **unused)
{
  static graph g;
  (void)unused;
  for (int seed = 0; seed < 200; seed++) {
    uint32_t i = 0, j = 0, from = 0, to = 0;
    state = (uint64_t)seed;
    draw(&g, seed % 2 == 0, 2, 1);
    floyd(&g);
    while (i < g.nodes && g.at[i][j] < NEVER) {
      if (++j < g.nodes) continue;
      j = 0;
      i++;
    }
    hc_ways *w = ways_of(&g, 0);
    assert_int_equal(hc_ways_apart(w, g.nodes, &from, &to), i < g.nodes);
    if (i < g.nodes) assert_true(from == i && to == j);
    hc_ways_free(w);
  }
}

/* ---- levels ---- */

static int64_t apart(const graph *g, uint32_t a, uint32_t b)
{
  return HC_MAX(g->at[a][b], g->at[b][a]);
}

/* Host by host and group by group, by the table of all distances. @return how many levels */
static uint32_t group_all(const graph *g, uint32_t hosts, uint32_t of[][MOST])
{
  uint32_t first[MOST], joins[MOST], n = hosts, levels = 0;
  int64_t radius = NEVER;
  for (uint32_t i = 0; i < hosts; i++) first[i] = i;
  for (uint32_t i = 0; i < hosts; i++)
    for (uint32_t j = 0; j < i; j++)
      if (apart(g, i, j) > 0) radius = HC_MIN(radius, apart(g, i, j));
  for (radius = radius == NEVER ? 0 : radius; levels == 0 || n > 1; radius *= 2) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < n; i++) {
      int64_t best = radius;
      joins[i] = UINT32_MAX;
      for (uint32_t k = 0; k < groups; k++) {
        const int64_t d = apart(g, first[k], first[i]);
        if (d > best || (joins[i] != UINT32_MAX && d == best)) continue;
        best = d;
        joins[i] = k;
      }
      if (joins[i] != UINT32_MAX) continue;
      joins[i] = groups;
      first[groups++] = first[i];
    }
    if (groups == n && n > 1) continue;
    for (uint32_t i = 0; i < g->nodes; i++) {
      uint32_t nearest = i < hosts ? i : 0;
      for (uint32_t h = 1; i >= hosts && h < hosts; h++)
        if (g->at[i][h] < g->at[i][nearest]) nearest = h;
      of[levels][i] = joins[levels == 0 ? nearest : of[levels - 1][i]];
    }
    levels++;
    n = groups;
  }
  return levels;
}

static void test_levels(void **unused)
{
  static graph g;
  static uint32_t of[64][MOST];
  (void)unused;
  for (int seed = 0, done = 0; done < 200; seed++) {
    uint32_t *group_of[64], levels, from, to;
    hc_arena arena;
    state = (uint64_t)seed;
    draw(&g, seed % 4 == 0, 4, (uint32_t)seed % 2);
    const uint32_t hosts = 1 + below(g.nodes);
    hc_ways *w = ways_of(&g, 0);
    if (hc_ways_apart(w, g.nodes, &from, &to) == 0) {
      const bool by_hops = seed % 3 == 0;
      for (size_t i = 0; by_hops && i < g.count; i++) g.arcs[i].latency = 1;
      floyd(&g);
      hc_arena_init(&arena, hc_default_allocator());
      assert_int_equal(hc_ways_levels(w, &arena, hosts, by_hops, 64, group_of, &levels), 0);
      assert_int_equal(levels, group_all(&g, hosts, of));
      for (uint32_t l = 0; l < levels; l++) assert_memory_equal(group_of[l], of[l], g.nodes * sizeof **of);
      hc_arena_fini(&arena);
      done++;
    }
    hc_ways_free(w);
  }
}

/* ---- memory ---- */

typedef struct scarce {
  int left;     /* calls that are given memory */
  int64_t held; /* bytes */
} scarce;

static void *take(void *ctx, void *p, size_t old, size_t size)
{
  scarce *s = ctx;
  if (size > 0 && s->left-- <= 0) return NULL;
  void *out = hc_default_allocator()->resize(NULL, p, old, size);
  s->held += (int64_t)size - (int64_t)old;
  return out;
}

/* Whatever call fails, what was taken is given back. A table without room is made the next time. */
static void test_scarce(void **unused)
{
  static graph g;
  hc_rc rc = HC_ENOMEM;
  (void)unused;
  state = 12;
  do draw(&g, false, 2, 1);
  while (g.nodes < 12);
  for (int most = 0; rc == HC_ENOMEM; most++) {
    scarce s = {.left = most};
    const hc_allocator a = {.ctx = &s, .resize = take};
    hc_ways *w = NULL;
    uint32_t ids[MOST];
    rc = hc_ways_new(&a, g.nodes, g.given, g.count, 0, &w);
    if (rc == 0) {
      s.left = 0;
      assert_int_equal(hc_ways_find(w, w->out.items[0].from, w->in.items[w->arcs - 1].to, ids, MOST),
                       HC_ENOMEM);
      s.left = 1;
      assert_true(hc_ways_find(w, w->out.items[0].from, w->in.items[w->arcs - 1].to, ids, MOST) != HC_ENOMEM);
      hc_ways_free(w);
    }
    assert_int_equal(s.held, 0);
  }
}

/* ---- as a network ---- */

/* 3,000 hosts in racks of 30 below one switch: two links within a rack, four between racks, and racks as the
 * first level. Of two switches above, as near, the one that is mentioned first is taken. */
static void test_network(void **unused)
{
  enum { HOSTS = 3000, RACK = 30 };
  char *yaml = malloc(1 << 20), *at = yaml;
  world w;
  (void)unused;
  at += sprintf(at, "{use: graph, connections: [");
  for (int i = 0; i < HOSTS; i++)
    at += sprintf(at, "{from: %d, to: r%d, bandwidth: 100, latency: 1us},\n", i, i / RACK);
  for (int i = 0; i < HOSTS / RACK; i++)
    at += sprintf(at,
                  "{from: r%d, to: t, bandwidth: 100, latency: 3us}, {from: r%d, to: s, bandwidth: 100, "
                  "latency: 3us}%s\n",
                  i, i, i + 1 < HOSTS / RACK ? "," : "]}");
  world_begin(&w);
  world_has(&w, HOSTS, NULL, yaml);
  assert_int_equal(hc_network_route_of(&w.n, 0, 29, w.links, &w.route), 0);
  assert_int_equal(w.route.count, 2);
  assert_true(w.links[0] == 0 && w.links[1] == 59); /* up from 0, down to 29 */
  assert_int_equal(hc_network_route_of(&w.n, 2999, 0, w.links, &w.route), 0);
  assert_int_equal(w.route.count, 4);
  assert_int_equal(w.links[1], 2 * HOSTS + 4 * 99); /* r99 to t */
  assert_int_equal(w.links[2], 2 * HOSTS + 1);      /* t to r0 */
  assert_near(w.route.latency, 8e-6);
  assert_int_equal(w.n.type->levels(w.n.self), 2);
  for (uint32_t i = 0; i < HOSTS; i++) assert_int_equal(w.n.type->group(w.n.self, 1, i), i / RACK);
  world_end(&w);
  free(yaml);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_floyd), cmocka_unit_test(test_apart),
                                     cmocka_unit_test(test_levels), cmocka_unit_test(test_scarce),
                                     cmocka_unit_test(test_network)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
