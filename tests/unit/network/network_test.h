/* network_test.h -- networks as a run file says them: text in, routes or an error out; and flows on them. */
#ifndef NETWORK_TEST_H
#define NETWORK_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "hindcast/network.h"
#include "hindcast/plugin.h"
#include "setup/config.h"

#define NEAR 1e-9
#define assert_near(a, b) \
  do { \
    const double a_ = (a), b_ = (b); \
    if (a_ - b_ > NEAR || b_ - a_ > NEAR) fail_msg("%s is %.12g, expected %.12g", #a, a_, b_); \
  } while (0)

/* Everything of one test. */
typedef struct world {
  hc_arena arena;
  hc_registry *registry;
  hc_network_of_run n;
  hc_error e;
  uint32_t links[HC_ROUTE_MOST];
  hc_route route;
  char text[4096];
} world;

static inline void world_begin(world *w)
{
  memset(w, 0, sizeof *w);
  hc_arena_init(&w->arena, hc_default_allocator());
  assert_int_equal(hc_registry_new(hc_default_allocator(), &w->registry), 0);
}

static inline void world_end(world *w)
{
  hc_network_drop(&w->n);
  hc_registry_free(w->registry);
  hc_arena_fini(&w->arena);
}

/* Make a network of so many hosts. @param names [hosts]; NULL @return as hc_network_make */
static inline hc_rc world_network(world *w, uint32_t hosts, const char *const *names, const char *yaml)
{
  const hc_resolver r = {.registry = w->registry, .arena = &w->arena};
  const hc_network_context c = {
      .allocator = hc_default_allocator(), .hosts = hosts, .host_names = names, .where = "execution.network"};
  hc_chosen chosen = {0};
  hc_value *v = NULL;
  hc_network_drop(&w->n);
  w->e = (hc_error){0};
  TRY(hc_value_parse(&w->arena, yaml, strlen(yaml), "test", &v, &w->e));
  TRY(hc_resolve_component(&r, HC_KIND_NETWORK, v, "network", &chosen, &w->e));
  return hc_network_make(&c, &chosen, &w->n, &w->e);
}

static inline void world_has(world *w, uint32_t hosts, const char *const *names, const char *yaml)
{
  if (world_network(w, hosts, names, yaml) < 0) fail_msg("%s:%u: %s", w->e.where, w->e.line, w->e.text);
  assert_true(w->n.facts.longest <= HC_ROUTE_MOST);
}

/* It is refused with this code, and the error says this. */
static inline void world_refuses(world *w, uint32_t hosts, const char *yaml, hc_rc rc, const char *part)
{
  assert_int_equal(world_network(w, hosts, NULL, yaml), rc);
  if (!strstr(w->e.text, part)) fail_msg("%s: %s", yaml, w->e.text);
  assert_true(w->e.where[0] != '\0');
}

/* The names of the links of a route, with a blank between them. */
static inline const char *way(world *w, uint32_t from, uint32_t to)
{
  const hc_rc rc = hc_network_route_of(&w->n, from, to, w->links, &w->route);
  size_t at = 0;
  w->text[0] = '\0';
  if (rc < 0) return hc_rc_name(rc);
  for (uint32_t i = 0; i < w->route.count; i++) {
    char name[256];
    w->n.type->link_name(w->n.self, w->links[i], name, sizeof name);
    at += (size_t)snprintf(w->text + at, sizeof w->text - at, "%s%s", i ? " " : "", name);
  }
  return w->text;
}

/* ---- flows: max-min fair rates by filling link after link, all anew at each event ---- */

#define FLOWS 64
typedef struct flow {
  uint32_t from, to;
  double start, size, end; /* end: out; size is used up */
  int after;               /* starts when that one ends; -1: at `start` */
  double begin, rate;
  uint32_t links[64], count;
  double bound, weight;
  bool is_fixed, is_done;
} flow;

static inline double link_share(const world *w, const flow *f, size_t n, uint32_t link, hc_link *l)
{
  double left, weights = 0;
  w->n.type->link(w->n.self, link, l);
  left = l->bandwidth;
  if (l->sharing == HC_LINK_FATPIPE) return left;
  for (size_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < f[i].count; k++) {
      if (f[i].links[k] != link || f[i].is_done) continue;
      if (f[i].is_fixed) left -= f[i].rate;
      else weights += 1;
    }
  return weights > 0 ? left / weights : 1e300;
}

static inline void set_rates(const world *w, flow *f, size_t n, double now)
{
  for (size_t i = 0; i < n; i++) {
    f[i].is_fixed = f[i].is_done || f[i].begin > now;
    f[i].rate = 0;
  }
  for (;;) {
    double least = 1e299;
    size_t found = n;
    for (size_t i = 0; i < n; i++) {
      double rate = f[i].bound;
      hc_link l;
      if (f[i].is_fixed) continue;
      for (uint32_t k = 0; k < f[i].count; k++) rate = HC_MIN(rate, link_share(w, f, n, f[i].links[k], &l));
      if (rate >= least) continue;
      least = rate;
      found = i;
    }
    if (found == n) return;
    f[found].rate = least;
    f[found].is_fixed = true;
  }
}

static inline void begin_flow(world *w, flow *f, double at)
{
  assert_int_equal(hc_network_route_of(&w->n, f->from, f->to, w->links, &w->route), 0);
  assert_true(w->route.count <= 64);
  memcpy(f->links, w->links, w->route.count * sizeof *w->links);
  f->count = w->route.count;
  f->bound = w->route.bound;
  f->begin = at + w->route.delay;
}

/* Carry them out; `end` of each is set. */
static inline void carry_out(world *w, flow *f, size_t n)
{
  double now = 0;
  for (size_t i = 0; i < n; i++) {
    f[i].begin = 1e300;
    if (f[i].after < 0) begin_flow(w, &f[i], f[i].start);
  }
  for (;;) {
    double next = 1e299;
    set_rates(w, f, n, now);
    for (size_t i = 0; i < n; i++) {
      if (f[i].is_done) continue;
      next = HC_MIN(next, f[i].begin > now ? f[i].begin : now + f[i].size / f[i].rate);
    }
    if (next > 1e298) return;
    for (size_t i = 0; i < n; i++)
      if (!f[i].is_done && f[i].begin <= now) f[i].size -= f[i].rate * (next - now);
    now = next;
    for (size_t i = 0; i < n; i++) {
      if (f[i].is_done || f[i].begin > now || f[i].size > 1e-7) continue;
      f[i].is_done = true;
      f[i].end = now;
      for (size_t k = 0; k < n; k++)
        if (f[k].after == (int)i) begin_flow(w, &f[k], now);
    }
  }
}

#endif
