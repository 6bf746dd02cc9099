/* hosts_world.h -- a random cell of hosts, and random things to ask of it, for the tests of the hosts
 * cell. */
#ifndef HOSTS_WORLD_H
#define HOSTS_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "cluster/hosts.h"
#include "cluster/lexicon.h"

enum { HOSTS = 700, GRANTS = 4096, LIVE = 400, MORES = 40, SEED = 7, REPLICATION = 3 };

/* ---- chance ---- */

static uint64_t bits(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static uint32_t below(uint64_t *s, uint32_t n)
{
  return (uint32_t)((bits(s) >> 32) * n >> 32);
}

static bool one_in(uint64_t *s, uint32_t n)
{
  return below(s, n) == 0;
}

/* ---- a world: a cell, requests, choosers ---- */

typedef struct claim {
  hc_request r;
  int64_t need[HC_DIMENSIONS];
  hc_grant grants[64];
  size_t count;
} claim;

typedef struct world {
  uint64_t s;
  bool wide; /* as many dimensions, and as many devices on a host, as there can be */
  hc_lexicon *lexicon;
  hc_cell_spec spec;
  hc_host_class classes[5];
  hc_attribute attributes[5][4];
  uint32_t class_of[HOSTS], rack[HOSTS], row[HOSTS];
  uint8_t absent[HOSTS];
  char text[HOSTS][16];
  const char *names[HOSTS];
  hc_zone_level levels[2];
  hc_range ranges[2][3];
  hc_host_set sets[2];
  uint32_t mores[MORES];
  hc_hosts *hosts;
  claim *live, stale;
  size_t live_count;
} world;

static uint32_t name_of(world *w, const char *text)
{
  return hc_lexicon_name(w->lexicon, text, strlen(text));
}

static void make_classes(world *w, bool gpus, bool shared)
{
  for (uint32_t k = 0; k < 5; k++) {
    hc_host_class *c = &w->classes[k];
    *c = (hc_host_class){.name = "c", .attributes = w->attributes[k], .attribute_count = 3, .speed = 1};
    c->capacity[HC_DIM_CPU] = 4000 + 4000 * (int64_t)k;
    c->capacity[HC_DIM_MEMORY] = k == 1 ? 24 : 16 + 4 * (int64_t)k;
    if (gpus && k >= 2) c->capacity[HC_DIM_GPU] = k == 4 ? 2500 : 1000 * (int64_t)(2 * k - 2);
    if (gpus && k >= 2) c->devices = k == 4 ? 0 : 2 * k - 2;
    if (w->wide)
      for (uint32_t d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) c->capacity[d] = 5 + d * (k + 1) % 7;
    if (w->wide && gpus && (k == 2 || k == 3)) {
      c->devices = k == 2 ? 40 : HC_DEVICES;
      c->capacity[HC_DIM_GPU] = (int64_t)c->devices * HC_DEVICE;
    }
    w->attributes[k][0] = (hc_attribute){name_of(w, "cores"), 0, 4 + 4 * (int64_t)k};
    w->attributes[k][1] = (hc_attribute){name_of(w, "arch"), 1, name_of(w, k % 2 ? "arm" : "x86")};
    w->attributes[k][2] = (hc_attribute){name_of(w, k < 2 ? "ssd" : "disk"), 0, 1};
  }
  if (shared) w->spec.shared[HC_DIM_DISK] = 9; /* between others, so that it is no tail */
}

static void make_world(world *w, uint64_t seed, uint32_t n, bool gpus, bool shared, bool wide)
{
  hc_error e = {0};
  memset(w, 0, sizeof *w);
  w->wide = wide;
  w->s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  make_classes(w, gpus, shared);
  for (uint32_t i = 0; i < n; i++) {
    w->class_of[i] = below(&w->s, 5);
    w->rack[i] = i / 4;
    w->row[i] = one_in(&w->s, 8) ? HC_NO_NAME : below(&w->s, 3);
    w->absent[i] = one_in(&w->s, 10);
    (void)snprintf(w->text[i], sizeof w->text[i], "h%u", i);
    w->names[i] = w->text[i];
  }
  w->levels[0] = (hc_zone_level){"rack", w->rack, w->names, n / 4 + 1};
  w->levels[1] = (hc_zone_level){"row", w->row, w->names, 3};
  w->ranges[0][0] = (hc_range){0, n / 2 + 1};
  w->ranges[1][0] = (hc_range){n / 4, 1};
  w->ranges[1][1] = (hc_range){n / 3 + 1, n - n / 3 - 1};
  w->sets[0] = (hc_host_set){.name = "low", .hosts = w->ranges[0], .host_count = 1};
  w->sets[1] = (hc_host_set){.name = "high", .hosts = w->ranges[1], .host_count = n > 3 ? 2 : 1};
  w->spec.granularity = HC_CELL_HOSTS;
  w->spec.units = n;
  w->spec.classes = w->classes;
  w->spec.class_count = 5;
  w->spec.class_of = w->class_of;
  w->spec.host_names = w->names;
  w->spec.levels = w->levels;
  w->spec.level_count = 2;
  w->spec.sets = w->sets;
  w->spec.set_count = 2;
  w->spec.absent = w->absent;
  w->live = test_calloc(LIVE, sizeof *w->live);
  assert_int_equal(
      hc_hosts_new(hc_default_allocator(), &w->spec, w->lexicon, SEED, REPLICATION, &w->hosts, &e), 0);
}

static void free_world(world *w)
{
  hc_hosts_free(w->hosts);
  hc_lexicon_free(w->lexicon);
  test_free(w->live);
}

static hc_constraint random_constraint(world *w)
{
  hc_constraint c = {.compare = below(&w->s, 8), .group = below(&w->s, 2)};
  switch (below(&w->s, 4)) {
    case 0:
      c.attribute = name_of(w, "cores");
      c.value = 4 * (int64_t)(1 + below(&w->s, 5));
      break;
    case 1:
      c.attribute = name_of(w, "arch");
      c.is_text = 1;
      c.value = name_of(w, one_in(&w->s, 2) ? "arm" : "x86");
      break;
    case 2:
      c.attribute = name_of(w, "ssd");
      c.value = 1;
      break;
    default: c.attribute = name_of(w, "nowhere"); c.value = 1;
  }
  return c;
}

static uint32_t random_more(world *w, bool limited)
{
  hc_task_extras m = hc_task_extras_none();
  hc_constraint constraints[3];
  uint32_t names[5];
  hc_chunk chunks[2] = {0};
  if (one_in(&w->s, 3))
    for (m.constraint_count = 0; m.constraint_count < 1 + below(&w->s, 3);)
      constraints[m.constraint_count++] = random_constraint(w);
  if (one_in(&w->s, 6))
    for (m.host_count = 0; m.host_count < 5;)
      names[m.host_count++] = name_of(w, one_in(&w->s, 9) ? "absent" : w->text[below(&w->s, w->spec.units)]);
  if (one_in(&w->s, 4)) m.set = name_of(w, one_in(&w->s, 10) ? "none" : one_in(&w->s, 2) ? "low" : "high");
  if (one_in(&w->s, 5)) m.same = name_of(w, one_in(&w->s, 10) ? "none" : one_in(&w->s, 2) ? "rack" : "row");
  if (one_in(&w->s, 5)) m.differ = name_of(w, one_in(&w->s, 2) ? "rack" : "row");
  if (limited && one_in(&w->s, 2)) m.per_host = 1 + below(&w->s, 2);
  if (limited && one_in(&w->s, 2)) {
    m.per_zone = 1 + below(&w->s, 3);
    m.zone_level = name_of(w, one_in(&w->s, 2) ? "rack" : "row");
  }
  m.rival = below(&w->s, 3);
  if (one_in(&w->s, 5))
    for (m.chunk_count = 0; m.chunk_count < 1 + below(&w->s, 2);) {
      hc_chunk *c = &chunks[m.chunk_count++];
      c->hosts = 1 + below(&w->s, 3);
      c->need[HC_DIM_CPU] = 500 * (int64_t)below(&w->s, 12);
      c->need[HC_DIM_MEMORY] = below(&w->s, 12);
      if (w->classes[4].capacity[HC_DIM_GPU] > 0 && one_in(&w->s, 2)) c->need[HC_DIM_GPU] = 300;
      if (w->spec.shared[HC_DIM_DISK] > 0 && one_in(&w->s, 3)) c->need[HC_DIM_DISK] = 1;
      if (w->wide) c->need[HC_DIM_OTHER + below(&w->s, HC_DIMENSIONS - HC_DIM_OTHER)] = 2;
    }
  m.constraints = constraints;
  m.hosts = names;
  m.chunks = chunks;
  return hc_lexicon_keep(w->lexicon, &m);
}

static void random_request(world *w, hc_request *r, int64_t need[HC_DIMENSIONS])
{
  const uint8_t *which = hc_hosts_which(w->hosts);
  static const int64_t gpus[] = {0, 0, 0, 200, 400, 500, 700, 1000, 1000, 2000, 3000, 1500};
  for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++) {
    need[d] = 0;
    if (one_in(&w->s, 6)) continue;
    if (which[d] == HC_DIM_CPU) need[d] = 500 * (int64_t)below(&w->s, one_in(&w->s, 20) ? 60 : 10);
    if (which[d] == HC_DIM_MEMORY) need[d] = below(&w->s, one_in(&w->s, 20) ? 60 : 10);
    if (which[d] == HC_DIM_GPU) need[d] = gpus[below(&w->s, 12)];
    if (which[d] == HC_DIM_GPU && w->wide && one_in(&w->s, 3))
      need[d] = HC_DEVICE * (int64_t)(1 + below(&w->s, one_in(&w->s, 3) ? HC_DEVICES : 40));
    if (which[d] >= HC_DIM_OTHER && one_in(&w->s, 12)) need[d] = below(&w->s, one_in(&w->s, 20) ? 12 : 4);
    if (which[d] == HC_DIM_DISK && one_in(&w->s, 3)) need[d] = below(&w->s, one_in(&w->s, 20) ? 11 : 3);
  }
  *r = (hc_request){.need = need, .slots = one_in(&w->s, 2) ? 1 : 1 + below(&w->s, 6)};
  r->more = one_in(&w->s, 2) ? 0 : w->mores[below(&w->s, MORES)];
  r->whole = one_in(&w->s, 10);
  r->spread = one_in(&w->s, 4);
  r->serial = bits(&w->s) >> 40;
}

/* ---- scores ---- */

/* What is left, as parts of the capacity: the less the better. */
static double best_fit(void *self, const hc_host_view *v)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < v->dimensions; d++)
    if (v->capacity[d] > 0) sum -= (double)(v->free[d] - v->need[d]) / (double)v->capacity[d];
  return sum;
}

static double best_fit_bound(void *self, const hc_host_box *b)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < b->dimensions; d++)
    if (b->capacity_high[d] > 0) sum -= (double)(b->low[d] - b->need[d]) / (double)b->capacity_high[d];
  return sum;
}

static double most_free(void *self, const hc_host_view *v)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < v->dimensions; d++) sum += (double)v->free[d] * (d == 0 ? 0.001 : 1);
  return sum;
}

static double most_free_bound(void *self, const hc_host_box *b)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < b->dimensions; d++) sum += (double)b->high[d] * (d == 0 ? 0.001 : 1);
  return sum;
}

/* Not a function of amounts alone, and sometimes no number at all. */
static double odd(void *self, const hc_host_view *v)
{
  (void)self;
  return v->host % 7 == 3 ? __builtin_nan("") : (double)(v->host * 37 % 11);
}

static double every_third(void *self, const hc_host_view *v)
{
  (void)self;
  return (double)(v->host % 3);
}

/* The emptiest GPU, the highest of equal ones. */
static hc_devices emptiest(void *self, const hc_host_view *v, int64_t amount)
{
  hc_devices out = {0};
  uint32_t best = 0;
  (void)self;
  if (amount >= HC_DEVICE) return out; /* no answer: the cell's own choice */
  for (uint32_t i = 0; i < v->device_count; i++)
    if (v->devices[i] >= v->devices[best]) best = i;
  hc_devices_add(&out, best);
  return out;
}

static hc_chooser random_chooser(world *w)
{
  hc_chooser c = {.how = (hc_choice)below(&w->s, 4), .sample = below(&w->s, 4)};
  switch (below(&w->s, 4)) {
    case 0:
      c.score = best_fit;
      if (one_in(&w->s, 2)) c.bound = best_fit_bound;
      break;
    case 1:
      c.score = most_free;
      if (one_in(&w->s, 2)) c.bound = most_free_bound;
      break;
    case 2:
      c.score = odd;
      c.is_fixed = one_in(&w->s, 2);
      break;
    default: break;
  }
  if (c.how == HC_CHOOSE_BEST && c.score && !c.bound && one_in(&w->s, 3)) c.tie = every_third;
  if (one_in(&w->s, 3)) c.devices = emptiest;
  return c;
}

#endif
