/* fuzz_hosts.c -- any bytes as a file of machines, of hosts, or of events: no crash, no endless loop,
 * and what comes out of it is a cell.
 *
 * Each input is read by every cell source that takes a file, and by the events that do. Memory is
 * bounded, since a short line may ask for 2^24 hosts. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/util.h"
#include "bounded.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "hindcast/plugin.h"
#include "setup/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_MEMORY ((size_t)8 << 20)

/* ---- memory with an end ---- */

static void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

/* ---- what comes out ---- */

static void check_classes(const hc_cell_spec *s)
{
  for (uint32_t i = 0; i < s->units; i++) {
    check(s->class_of[i] < s->class_count, "a host is of a class");
    check(s->host_names[i] && s->host_names[i][0], "a host has a name");
  }
  for (uint32_t c = 0; c < s->class_count; c++) {
    check(s->classes[c].devices <= HC_DEVICES, "a host has at most 16 GPUs");
    for (int d = 0; d < HC_DIMENSIONS; d++)
      check(s->classes[c].capacity[d] >= 0, "no host has less than nothing");
  }
}

static void check_cell(const hc_cell_spec *s)
{
  check(s->granularity == HC_CELL_HOSTS && s->units > 0, "a cell has hosts");
  check_classes(s);
  for (uint32_t l = 0; l < s->level_count; l++)
    for (uint32_t i = 0; i < s->units; i++)
      check(s->levels[l].zone_of[i] == HC_NO_NAME || s->levels[l].zone_of[i] < s->levels[l].zone_count,
            "a zone is one of its level");
  for (size_t i = 0; i < s->event_count; i++) {
    check(s->events[i].host < s->units && s->events[i].change <= HC_HOST_RESIZE, "an event is of a host");
    check(s->events[i].at > 0, "what is at the begin is no event");
    check(i == 0 || s->events[i - 1].at <= s->events[i].at, "events are in order of time");
  }
  for (uint32_t i = 0; i < s->set_count; i++)
    for (size_t k = 0; k < s->sets[i].host_count; k++) {
      const hc_range *r = &s->sets[i].hosts[k];
      check(r->count > 0 && r->first < s->units && r->count <= s->units - r->first, "a set is of hosts");
    }
}

/* ---- reading ---- */

typedef struct bench {
  hc_registry *registry;
  hc_lexicon *lexicon;
  hc_arena options, arena;
  bounds memory;
  hc_allocator allocator;
} bench;

static hc_chosen choose(bench *b, hc_kind kind, const char *yaml)
{
  const hc_resolver r = {.registry = b->registry, .arena = &b->options};
  hc_error e = {0};
  hc_value *v = NULL;
  hc_chosen out = {0};
  check(hc_value_parse(&b->options, yaml, strlen(yaml), "fuzz", &v, &e) == 0, "the options are YAML");
  check(hc_resolve_component(&r, kind, v, "fuzz", &out, &e) == 0, e.text);
  return out;
}

static void read_cell(bench *b, const char *yaml)
{
  const hc_cell_context c = {
      .allocator = &b->allocator, .alloc = arena_alloc, .arena = &b->arena, .lexicon = b->lexicon};
  const hc_chosen chosen = choose(b, HC_KIND_CELL, yaml);
  hc_cell_spec spec = {0};
  hc_error e = {0};
  const hc_rc rc = ((const hc_cell_type *)chosen.type)->describe(&c, chosen.options, &spec, &e);
  check(rc <= 0 && (rc == 0 || e.text[0]), "an error says what is wrong");
  if (rc == 0) check_cell(&spec);
}

static void read_events(bench *b, const char *yaml, const hc_cell_spec *cell)
{
  const hc_events_context c = {.allocator = &b->allocator, .cell = cell, .lexicon = b->lexicon};
  const hc_chosen chosen = choose(b, HC_KIND_EVENTS, yaml);
  const hc_events_type *type = (const hc_events_type *)chosen.type;
  hc_events *events = NULL;
  hc_host_event x = {0};
  hc_time last = 0;
  hc_error e = {0};
  hc_rc rc = type->open(&c, chosen.options, &events, &e);
  while (rc >= 0 && (rc = type->next(events, &x, &e)) == 1) {
    check(x.at >= last && x.host < cell->units, "events are of hosts, in order of time");
    last = x.at;
  }
  check(rc == 0 || e.text[0], "an error says what is wrong");
  if (events) type->close(events);
}

static void read_all_events(bench *b, const char *path)
{
  static const char *const names[] = {"c-0", "c-1", "m"};
  static const uint32_t class_of[] = {0, 0, 1};
  static const hc_host_class classes[] = {{.name = "c"}, {.name = "m"}};
  const hc_cell_spec cell = {.granularity = HC_CELL_HOSTS,
                             .units = 3,
                             .class_count = 2,
                             .classes = classes,
                             .class_of = class_of,
                             .host_names = names};
  char yaml[128];
  (void)snprintf(yaml, sizeof yaml, "{use: file, file: %s}", path);
  read_events(b, yaml, &cell);
}

/* A description that needs only its options. */
static void read_one(bench *b, const char *yaml, const char *events)
{
  hc_arena_init(&b->options, hc_default_allocator());
  hc_arena_init(&b->arena, &b->allocator);
  check(hc_lexicon_new(hc_default_allocator(), &b->lexicon) == 0, "there is memory");
  read_cell(b, yaml);
  if (events) read_all_events(b, events);
  hc_lexicon_free(b->lexicon);
  hc_arena_fini(&b->arena);
  hc_arena_fini(&b->options);
  check(b->memory.used == 0, "everything is given back");
}

/* The file as the switches of nodes that there are. */
static void read_switches(bench *b, const char *path)
{
  static const char nodes[] = "NodeName=n[0-3] CPUs=2\n";
  char yaml[200];
  const int fd = memfd_create("slurm.conf", MFD_CLOEXEC);
  if (fd < 0 || write(fd, nodes, sizeof nodes - 1) != (ssize_t)sizeof nodes - 1) abort();
  (void)snprintf(yaml, sizeof yaml, "{use: slurm, file: /proc/self/fd/%d, topology_file: %s}", fd, path);
  read_one(b, yaml, NULL);
  close(fd);
}

static void read_all(bench *b, const char *path)
{
  static const char *const cells[] = {
      "{use: alibaba_v2017, file: %s, repair: 1h}",
      "{use: alibaba_v2018, file: %s}",
      "{use: alibaba_v2020, file: %s}",
      "{use: alibaba_v2023, file: %s}",
      "{use: alibaba_v2026, file: %s}",
      "{use: google2011, file: %s, attributes: %s}",
      "{use: google2019, file: %s, attributes: %s}",
      "{use: host_list, file: %s, sets: [{name: s}, {name: t, hosts: ['a-[0-3]', 0-1]}]}",
      ("{use: host_list, file: %s, header: false, name: 1, cpus: 2, memory: 3, count: 4, gpus: 5, features: "
       "6, amounts: ['fpga=7'], zones: ['rack=8'], attributes: ['kernel=9']}"),
      "{use: slurm, file: %s, gres_file: %s}",
  };
  for (size_t i = 0; i < HC_ARRAY_LEN(cells); i++) {
    char yaml[400];
    /* Each may name its file twice. */
    const char *first = strstr(cells[i], "%s"), *second = strstr(first + 2, "%s");
    const int n = (int)(first - cells[i]), m = second ? (int)(second - first - 2) : (int)strlen(first + 2);
    (void)snprintf(yaml, sizeof yaml, "%.*s%s%.*s%s%s", n, cells[i], path, m, first + 2, second ? path : "",
                   second ? second + 2 : "");
    read_one(b, yaml, i == 0 ? path : NULL);
  }
  read_switches(b, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  bench b = {0};
  const int fd = memfd_create("machines", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  b.memory.most = MOST_MEMORY;
  b.allocator = (hc_allocator){&b.memory, bounded, NULL};
  check(hc_registry_new(hc_default_allocator(), &b.registry) == 0, "there is memory");
  read_all(&b, path);
  hc_registry_free(b.registry);
  close(fd);
  return 0;
}
