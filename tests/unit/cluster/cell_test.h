/* cell_test.h -- cells and events as a run file says them: text in, spec or error out. */
#ifndef CELL_TEST_H
#define CELL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cluster/lexicon.h"
#include "hindcast/plugin.h"
#include "setup/config.h"

#define DATA HC_TEST_SOURCE_DIR "/tests/data/hosts/"

/* Everything of one test. */
typedef struct world {
  hc_arena arena;
  hc_registry *registry;
  hc_lexicon *lexicon;
  hc_cell_spec cell;
  hc_error e;
} world;

static inline void *world_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

static inline void world_begin(world *w)
{
  memset(w, 0, sizeof *w);
  hc_arena_init(&w->arena, hc_default_allocator());
  assert_int_equal(hc_registry_new(hc_default_allocator(), &w->registry), 0);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
}

static inline void world_end(world *w)
{
  hc_lexicon_free(w->lexicon);
  hc_registry_free(w->registry);
  hc_arena_fini(&w->arena);
}

static inline hc_rc world_choose(world *w, hc_kind kind, const char *yaml, hc_chosen *out)
{
  const hc_resolver r = {.registry = w->registry, .arena = &w->arena};
  hc_value *v = NULL;
  w->e = (hc_error){0};
  TRY(hc_value_parse(&w->arena, yaml, strlen(yaml), "test", &v, &w->e));
  return hc_resolve_component(&r, kind, v, "cell", out, &w->e);
}

/* @return what the resolver or the source returned; its text is in w->e. */
static inline hc_rc world_cell(world *w, const char *yaml)
{
  const hc_cell_context c = {
      .allocator = hc_default_allocator(), .alloc = world_alloc, .arena = &w->arena, .lexicon = w->lexicon};
  hc_chosen chosen = {0};
  w->cell = (hc_cell_spec){0};
  TRY(world_choose(w, HC_KIND_CELL, yaml, &chosen));
  return ((const hc_cell_type *)chosen.type)->describe(&c, chosen.options, &w->cell, &w->e);
}

static inline void world_has(world *w, const char *yaml)
{
  if (world_cell(w, yaml) != 0) fail_msg("%s: %s", w->e.where, w->e.text);
}

/* It is refused with this code and, word by word, this text; what the resolver shows of the input
 * follows it. */
static inline void world_refuses(world *w, const char *yaml, hc_rc rc, const char *text)
{
  assert_int_equal(world_cell(w, yaml), rc);
  w->e.text[strcspn(w->e.text, "\n")] = '\0';
  assert_string_equal(w->e.text, text);
}

/* Number of a host by its name. */
static inline uint32_t host_of(const world *w, const char *name)
{
  for (uint32_t i = 0; i < w->cell.units; i++)
    if (strcmp(w->cell.host_names[i], name) == 0) return i;
  fail_msg("there is no host %s", name);
  return 0;
}

static inline const hc_host_class *class_of(const world *w, const char *host)
{
  return &w->cell.classes[w->cell.class_of[host_of(w, host)]];
}

/* Of all hosts together, by the lexicon's number. */
static inline int64_t total(const world *w, uint32_t dimension)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < w->cell.units; i++)
    sum += w->cell.classes[w->cell.class_of[i]].capacity[dimension];
  return sum;
}

/* An event as a word: "100 c-3 down", "5 m-0 resize 2000/-"; times in s, cpu and memory after a resize. */
static inline const char *event_text(const world *w, const hc_cell_event *x)
{
  static const char *const words[] = {"up", "down", "drain", "resize", "evict", "fail"};
  static char text[256];
  char at[32], cpu[32] = "-", memory[32] = "-";
  (void)hc_format_seconds(x->at, at);
  if (x->capacity && x->capacity[HC_DIM_CPU] != HC_UNKNOWN)
    (void)snprintf(cpu, sizeof cpu, "%lld", (long long)x->capacity[HC_DIM_CPU]);
  if (x->capacity && x->capacity[HC_DIM_MEMORY] != HC_UNKNOWN)
    (void)snprintf(memory, sizeof memory, "%lld", (long long)x->capacity[HC_DIM_MEMORY]);
  if (x->change == HC_HOST_RESIZE)
    (void)snprintf(text, sizeof text, "%s %s resize %s/%s", at, w->cell.host_names[x->host], cpu, memory);
  else (void)snprintf(text, sizeof text, "%s %s %s", at, w->cell.host_names[x->host], words[x->change]);
  return text;
}

#endif
