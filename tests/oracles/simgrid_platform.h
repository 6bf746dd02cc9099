/* simgrid_platform.h -- a platform of SimGrid as a run has it: the cell and the network of one file. */
#ifndef HC_TEST_SIMGRID_PLATFORM_H
#define HC_TEST_SIMGRID_PLATFORM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cluster/lexicon.h"
#include "hindcast/cell.h"
#include "hindcast/network.h"
#include "hindcast/plugin.h"
#include "setup/config.h"

typedef struct platform {
  hc_arena arena;
  hc_registry *registry;
  hc_cell_spec cell;
  hc_lexicon *lexicon;
  hc_network_of_run n;
  hc_names hosts;
  uint32_t links[HC_ROUTE_MOST];
} platform;

static inline void check(hc_rc rc, const hc_error *e)
{
  if (rc < 0) fail_msg("%s:%u: %s", e->where, e->line, e->text);
}

static inline void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

static inline void choose(platform *p, hc_kind kind, const char *file, const char *factors, hc_chosen *out)
{
  const hc_resolver r = {.registry = p->registry, .arena = &p->arena};
  hc_value *v = NULL;
  hc_error e = {0};
  char yaml[1024];
  (void)snprintf(yaml, sizeof yaml, "{use: simgrid, file: \"%s\"%s}", file,
                 kind == HC_KIND_NETWORK ? factors : "");
  check(hc_value_parse(&p->arena, yaml, strlen(yaml), "test", &v, &e), &e);
  check(hc_resolve_component(&r, kind, v, "test", out, &e), &e);
}

/* @param factors  of the network: ", factors: lv08", "" as the file says */
static inline void open_platform(platform *p, hc_lexicon *lexicon, const char *file, const char *factors)
{
  const hc_allocator *a = hc_default_allocator();
  hc_cell_context c = {.allocator = a, .alloc = arena_alloc, .arena = &p->arena, .lexicon = lexicon};
  hc_network_context nc = {.allocator = a, .where = "execution.network"};
  hc_chosen chosen;
  hc_error e = {0};
  hc_arena_init(&p->arena, a);
  assert_int_equal(hc_registry_new(a, &p->registry), 0);
  choose(p, HC_KIND_CELL, file, factors, &chosen);
  check(((const hc_cell_type *)chosen.type)->describe(&c, chosen.options, &p->cell, &e), &e);
  choose(p, HC_KIND_NETWORK, file, factors, &chosen);
  nc.hosts = p->cell.units;
  nc.host_names = p->cell.host_names;
  check(hc_network_make(&nc, &chosen, &p->n, &e), &e);
  hc_names_init(&p->hosts, a, p->cell.units);
  for (uint32_t i = 0; i < p->cell.units; i++) {
    uint32_t id;
    assert_int_equal(hc_names_add(&p->hosts, p->cell.host_names[i], strlen(p->cell.host_names[i]), &id), 0);
  }
}

static inline void close_platform(platform *p)
{
  hc_network_drop(&p->n);
  hc_names_fini(&p->hosts);
  hc_registry_free(p->registry);
  hc_arena_fini(&p->arena);
}

#endif
