/* fuzz_simgrid.c -- any bytes as a platform of SimGrid: no crash, no endless loop, an error has a text,
 * routes have links that exist and no more of them than was promised.
 *
 * Each input is read as a cell and as a network, and routes between its first hosts are asked for. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "claims.h"
#include "cluster/lexicon.h"
#include "cluster/platform.h"
#include "hindcast/cell.h"
#include "hindcast/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_cell_type hc_cell_simgrid;
extern const hc_network_type hc_network_simgrid;

static void set(const hc_component *c, char *options, const char *name, const void *value, size_t size)
{
  const hc_param *p = c->params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  memcpy(options + p->offset, value, size);
}

static void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

static void read_cell(const char *path)
{
  char *options = calloc(1, hc_cell_simgrid.component.options_size);
  hc_arena arena;
  hc_lexicon *l = NULL;
  hc_cell_spec spec = {0};
  hc_error e = {0};
  hc_arena_init(&arena, hc_default_allocator());
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_cell_context c = {
      .allocator = hc_default_allocator(), .alloc = arena_alloc, .arena = &arena, .lexicon = l};
  set(&hc_cell_simgrid.component, options, "file", &path, sizeof path);
  const hc_rc rc = hc_cell_simgrid.describe(&c, options, &spec, &e);
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(rc < 0 || spec.units > 0, "a cell has hosts");
  hc_lexicon_free(l);
  hc_arena_fini(&arena);
  free(options);
}

static void ask_routes(const hc_network_of_run *n)
{
  const uint32_t hosts = n->facts.hosts < 12 ? n->facts.hosts : 12;
  uint32_t *links = malloc((n->facts.longest + 1) * sizeof *links);
  for (uint32_t i = 0; i < hosts; i++)
    for (uint32_t j = 0; j < hosts; j++) {
      hc_route r = {0};
      const hc_rc rc = hc_network_route_of(n, i, j, links, &r);
      check(rc == 0 || rc == HC_ENOTFOUND, "a route is there or not");
      check(rc < 0 || r.count <= n->facts.longest, "a route is no longer than the longest");
      for (uint32_t k = 0; rc == 0 && k < r.count; k++) check(links[k] < n->facts.links, "links exist");
      check(rc < 0 || (r.weight > 0 && r.latency >= 0), "weights are positive");
    }
  free(links);
}

static void read_network(const char *path)
{
  const double not_said = -1;
  const hc_component *type = &hc_network_simgrid.component;
  char *options = calloc(1, type->options_size);
  const hc_network_context c = {.allocator = hc_default_allocator(), .where = "network"};
  hc_network_of_run n = {0};
  hc_error e = {0};
  set(type, options, "file", &path, sizeof path);
  set(type, options, "latency_factor", &not_said, sizeof not_said);
  set(type, options, "bandwidth_factor", &not_said, sizeof not_said);
  set(type, options, "weight_s", &not_said, sizeof not_said);
  set(type, options, "tcp_gamma", &not_said, sizeof not_said);
  set(type, options, "cross_traffic", &not_said, sizeof not_said);
  const hc_chosen chosen = {type, options};
  const hc_rc rc = hc_network_make(&c, &chosen, &n, &e);
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  if (rc == 0) ask_routes(&n);
  hc_network_drop(&n);
  free(options);
}

/* A list of numbers may ask for millions of hosts in a few bytes. */
static bool asks_for_many(const uint8_t *data, size_t size)
{
  size_t digits = 0;
  for (size_t i = 0; i < size; i++) {
    digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
    if (digits > 3) return true;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  if (asks_for_many(data, size)) return 0;
  const int fd = memfd_create("platform", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  read_cell(path);
  read_network(path);
  close(fd);
  return 0;
}
