/* test_hosts.c -- the hosts cell: devices, slots, whole hosts, limits, changes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "cluster/hosts.h"
#include "cluster/lexicon.h"

enum { MOST = 16 };

/* A cell of at most 16 hosts, each of a class of its own. */
typedef struct cell {
  const hc_allocator *allocator;
  hc_host_class classes[MOST];
  uint32_t class_of[MOST], zone_of[MOST];
  const char *names[MOST];
  hc_zone_level level;
  hc_cell_spec spec;
  hc_lexicon *lexicon;
  hc_hosts *hosts;
  hc_error e;
} cell;

static const char *const letters[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                          "i", "j", "k", "l", "m", "n", "o", "p"};

/* @param amounts [n] of cpu, memory, gpu; @param devices whether GPUs are devices */
static void describe(cell *c, uint32_t n, const int64_t amounts[][3], bool devices)
{
  memset(c, 0, sizeof *c);
  c->allocator = hc_default_allocator();
  for (uint32_t i = 0; i < n; i++) {
    c->classes[i] = (hc_host_class){.name = letters[i], .speed = 1};
    c->classes[i].capacity[HC_DIM_CPU] = amounts[i][0];
    c->classes[i].capacity[HC_DIM_MEMORY] = amounts[i][1];
    c->classes[i].capacity[HC_DIM_GPU] = amounts[i][2];
    c->classes[i].devices = devices ? (uint32_t)(amounts[i][2] / HC_DEVICE) : 0;
    c->class_of[i] = i;
    c->zone_of[i] = i / 2;
    c->names[i] = letters[i];
  }
  c->level = (hc_zone_level){"rack", c->zone_of, letters, n / 2 + 1};
  c->spec = (hc_cell_spec){.granularity = HC_CELL_HOSTS,
                           .units = n,
                           .classes = c->classes,
                           .class_count = n,
                           .class_of = c->class_of,
                           .host_names = c->names,
                           .levels = &c->level,
                           .level_count = 1};
}

static hc_rc open_cell(cell *c)
{
  hc_rc rc = hc_lexicon_new(c->allocator, &c->lexicon);
  if (rc < 0) return rc;
  rc = hc_hosts_new(c->allocator, &c->spec, c->lexicon, 1, 0, &c->hosts, &c->e);
  if (rc < 0) {
    hc_lexicon_free(c->lexicon);
    c->lexicon = NULL;
  }
  return rc;
}

static void close_cell(cell *c)
{
  hc_hosts_check(c->hosts);
  hc_hosts_free(c->hosts);
  hc_lexicon_free(c->lexicon);
}

static uint32_t name(cell *c, const char *text)
{
  return hc_lexicon_name(c->lexicon, text, strlen(text));
}

static const hc_chooser first = {.how = HC_CHOOSE_FIRST};

/* Choose and take. @return grants, in `out` */
static hc_rc start(cell *c, const hc_request *r, const hc_chooser *chooser, const hc_grant **out)
{
  const hc_rc n = hc_hosts_choose(c->hosts, r, chooser, NULL, 0, out);
  if (n > 0) assert_int_equal(hc_hosts_take(c->hosts, r, *out, (size_t)n), 0);
  hc_hosts_check(c->hosts);
  return n;
}

static void expect(const hc_grant *g, uint32_t host, uint32_t slots, uint32_t devices, uint32_t chunk)
{
  assert_int_equal(g->host, host);
  assert_int_equal(g->slots, slots);
  assert_int_equal(g->devices, devices);
  assert_int_equal(g->chunk, chunk);
}

/* ---- devices ---- */

static void parts_share_a_device(void **state)
{
  static const int64_t amounts[][3] = {{8000, 64, 2000}};
  const int64_t half[] = {1000, 1, 500}, most[] = {1000, 1, 400};
  const hc_request r = {.need = half, .slots = 1}, three = {.need = most, .slots = 3};
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 1, amounts, true);
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(hc_hosts_dimensions(c.hosts), 3);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  expect(g, 0, 1, 1, 0);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  expect(g, 0, 1, 1, 0); /* the same device: the other stays whole */
  assert_int_equal(start(&c, &r, &first, &g), 1);
  expect(g, 0, 1, 2, 0);
  hc_hosts_free(c.hosts);
  assert_int_equal(hc_hosts_new(c.allocator, &c.spec, c.lexicon, 1, 0, &c.hosts, &c.e), 0);
  assert_int_equal(start(&c, &three, &first, &g), 2); /* 0.4 + 0.4 on the one, 0.4 on the other */
  expect(&g[0], 0, 2, 1, 0);
  expect(&g[1], 0, 1, 2, 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[2], 800);
  assert_int_equal(start(&c, &three, &first, &g), 0); /* 0.2 and 0.6: only one more */
  close_cell(&c);
}

static void whole_devices_are_those_that_nobody_uses(void **state)
{
  static const int64_t amounts[][3] = {{8000, 64, 4000}, {8000, 64, 1000}};
  const int64_t part[] = {0, 0, 100}, two[] = {0, 0, 2000}, odd[] = {0, 0, 1500};
  const hc_request p = {.need = part, .slots = 1}, w = {.need = two, .slots = 1},
                   o = {.need = odd, .slots = 1};
  const hc_request all = {.need = two, .slots = 2};
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 2, amounts, true);
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(start(&c, &p, &first, &g), 1);
  expect(g, 0, 1, 1, 0);
  assert_int_equal(start(&c, &w, &first, &g), 1);
  expect(g, 0, 1, 2 | 4, 0);
  assert_int_equal(start(&c, &w, &first, &g), 0); /* 1.9 GPUs are free on the first host, but one whole */
  assert_int_equal(hc_hosts_never(c.hosts, &w), HC_NEVER_FALSE);
  assert_int_equal(hc_hosts_never(c.hosts, &all), HC_NEVER_FALSE);
  assert_int_equal(hc_hosts_never(c.hosts, &o), HC_NEVER_TOO_LARGE); /* one and a half GPUs: nowhere */
  hc_hosts_free(c.hosts);
  assert_int_equal(hc_hosts_new(c.allocator, &c.spec, c.lexicon, 1, 0, &c.hosts, &c.e), 0);
  assert_int_equal(start(&c, &all, &first, &g), 1); /* two slots of two on one host: one grant of four */
  expect(g, 0, 2, 15, 0);
  close_cell(&c);
}

static void amounts_without_devices_are_divisible(void **state)
{
  static const int64_t amounts[][3] = {{8000, 64, 2000}};
  const int64_t odd[] = {0, 0, 1500};
  const hc_request r = {.need = odd, .slots = 1};
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 1, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_FALSE);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  expect(g, 0, 1, 0, 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[2], 500);
  close_cell(&c);
}

/* A host that has fewer GPUs than before loses the highest; what is on them is owed. */
static void devices_go_and_come_back(void **state)
{
  static const int64_t amounts[][3] = {{8000, 64, 2000}};
  const int64_t one[] = {0, 0, 1000};
  const hc_request r = {.need = one, .slots = 1}, two = {.need = one, .slots = 2};
  const hc_grant *g;
  hc_grant kept;
  hc_host_event e = {.host = 0, .change = HC_HOST_RESIZE};
  cell c;
  (void)state;
  describe(&c, 1, amounts, true);
  assert_int_equal(open_cell(&c), 0);
  for (int d = 0; d < HC_DIMENSIONS; d++) e.capacity[d] = HC_UNKNOWN;
  assert_int_equal(start(&c, &two, &first, &g), 1);
  kept = *g;
  e.capacity[HC_DIM_GPU] = 1000;
  assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[2], -1000);
  hc_hosts_check(c.hosts);
  hc_hosts_give(c.hosts, &two, &kept, 1);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[2], 1000);
  assert_int_equal(hc_hosts_choose(c.hosts, &two, &first, NULL, 0, &g), 0);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  expect(g, 0, 1, 1, 0);
  e.capacity[HC_DIM_GPU] = 99000; /* no more than sixteen devices */
  assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
  assert_int_equal(hc_hosts_capacity_of(c.hosts, 0)[2], 16000);
  close_cell(&c);
}

/* ---- slots ---- */

static void slots_fill_a_host_before_the_next(void **state)
{
  static const int64_t amounts[][3] = {{3000, 64, 0}, {2000, 64, 0}, {4000, 64, 0}};
  const int64_t need[] = {1000, 1};
  hc_request r = {.need = need, .slots = 6};
  const hc_range named[] = {{1, 2}};
  const hc_chooser next = {.how = HC_CHOOSE_NEXT};
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 3, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 3);
  expect(&g[0], 0, 3, 0, 0);
  expect(&g[1], 1, 2, 0, 0);
  expect(&g[2], 2, 1, 0, 0);
  assert_int_equal(hc_hosts_choose_on(c.hosts, &r, named, 1, &g), 2);
  expect(&g[0], 1, 2, 0, 0);
  expect(&g[1], 2, 4, 0, 0);
  assert_int_equal(hc_hosts_choose_on(c.hosts, &r, named, 0, &g), 0); /* it names none */
  r.slots = 10;
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 0); /* all or nothing */
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_TOO_LARGE);
  r.slots = 3;
  r.spread = true;
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 3);
  r.slots = 4;
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 0);
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_TOO_LARGE);
  r = (hc_request){.need = need, .slots = 1}; /* round and round */
  for (uint32_t i = 0; i < 7; i++) {
    assert_int_equal(hc_hosts_choose(c.hosts, &r, &next, NULL, 0, &g), 1);
    expect(g, i % 3, 1, 0, 0);
  }
  assert_int_equal(hc_hosts_turn(c.hosts), 1);
  hc_hosts_set_turn(c.hosts, 2);
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &next, NULL, 0, &g), 1);
  expect(g, 2, 1, 0, 0);
  close_cell(&c);
}

static void chunks_are_beside_the_slots(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {2000, 64, 0}};
  const int64_t need[] = {1000, 1};
  const hc_chunk chunks[] = {{.need = {3000, 8}, .hosts = 1}, {.need = {1000, 0}, .hosts = 2}};
  hc_request r = {.need = need, .slots = 1};
  hc_more m = hc_more_none();
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 2, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  m.chunks = chunks;
  m.chunk_count = 2;
  r.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(start(&c, &r, &first, &g), 4);
  expect(&g[0], 0, 1, 0, 0);
  expect(&g[1], 0, 1, 0, 1);
  expect(&g[2], 1, 1, 0, 2);
  expect(&g[3], 1, 1, 0, 2);
  assert_int_equal(hc_hosts_free_sum(c.hosts, 0), 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[1], 64 - 1 - 8);
  hc_hosts_give(c.hosts, &r, g, 4);
  assert_int_equal(hc_hosts_idle(c.hosts), 2);
  r.spread = true; /* four hosts: never */
  assert_int_equal(start(&c, &r, &first, &g), 0);
  close_cell(&c);
}

/* As with a task's own slots: what a chunk does not say it does not need, and what no host has is not counted, unless
 * it is a GPU. */
static void chunks_need_not_say_all(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {2000, 64, 0}};
  const int64_t need[] = {1000, 1};
  hc_chunk chunk = {.hosts = 1};
  hc_request r = {.need = need, .slots = 1};
  hc_more m = hc_more_none();
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 2, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  m.chunks = &chunk;
  m.chunk_count = 1;
  for (int d = 0; d < HC_DIMENSIONS; d++) chunk.need[d] = HC_UNKNOWN;
  chunk.need[HC_DIM_CPU] = 2000;
  chunk.need[HC_DIM_DISK] = 5;
  r.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_FALSE);
  assert_int_equal(start(&c, &r, &first, &g), 2);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[0], 4000 - 1000 - 2000);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[1], 64 - 1);
  hc_hosts_give(c.hosts, &r, g, 2);
  chunk.need[HC_DIM_GPU] = HC_DEVICE;
  r.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_TOO_LARGE);
  close_cell(&c);
}

/* ---- whole hosts, and what is on them ---- */

static void whole_hosts_are_idle_and_taken_with_all_they_have(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {2000, 64, 1000}, {2000, 8, 0}};
  const int64_t little[] = {1, 1, 0}, none[] = {0, 0, 0};
  const hc_request small = {.need = little, .slots = 1}, nothing = {.need = none, .slots = 1};
  const hc_request two = {.slots = 2, .whole = true};
  hc_host_event e = {.host = 1, .change = HC_HOST_RESIZE};
  const hc_grant *g;
  hc_grant held[2];
  cell c;
  (void)state;
  describe(&c, 3, amounts, true);
  assert_int_equal(open_cell(&c), 0);
  for (int d = 0; d < HC_DIMENSIONS; d++) e.capacity[d] = HC_UNKNOWN;
  assert_int_equal(start(&c, &small, &first, &g), 1);
  assert_int_equal(start(&c, &two, &first, &g), 2);
  expect(&g[0], 1, 1, 1, 0);
  expect(&g[1], 2, 1, 0, 0);
  memcpy(held, g, sizeof held);
  assert_int_equal(hc_hosts_idle(c.hosts), 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 1)[0], 0);
  assert_int_equal(hc_hosts_free_sum(c.hosts, 0), 3999);
  assert_int_equal(start(&c, &nothing, &first, &g), 1);
  expect(g, 0, 1, 0, 0); /* not even a task that needs nothing goes to a host that is taken whole */
  e.capacity[HC_DIM_CPU] = 3000;
  assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 1)[0], 0);
  hc_hosts_give(c.hosts, &two, held, 2);
  assert_int_equal(hc_hosts_free_of(c.hosts, 1)[0], 3000);
  assert_int_equal(hc_hosts_idle(c.hosts), 2);
  close_cell(&c);
}

static double note_totals(void *self, const hc_host_view *v)
{
  *(hc_cell_totals *)self = *v->cell;
  return 0;
}

static double note_box_totals(void *self, const hc_host_box *b)
{
  *(hc_cell_totals *)self = *b->cell;
  return 0;
}

/* (4000, 64) + (2000, 64) + (1000, 32); then without the second, which leaves; the third drains, and is up. */
static void a_placement_is_told_the_totals(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {2000, 64, 0}, {1000, 32, 0}};
  const int64_t need[] = {500, 1};
  const hc_request r = {.need = need, .slots = 1};
  const struct {
    uint32_t host, change;
    int64_t cpu, memory;
    uint32_t hosts;
  } steps[] = {{0, HC_HOST_UP, 7000, 160, 3},
               {1, HC_HOST_DOWN, 5000, 96, 2},
               {2, HC_HOST_DRAIN, 5000, 96, 2},
               {1, HC_HOST_UP, 7000, 160, 3}};
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 3, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  for (size_t i = 0; i < HC_ARRAY_LEN(steps); i++) {
    const hc_host_event e = {.host = steps[i].host, .change = steps[i].change};
    assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
    for (int bounded = 0; bounded < 2; bounded++) {
      hc_cell_totals seen[2] = {{.hosts = 0}, {.hosts = 0}};
      hc_chooser chooser = {.how = HC_CHOOSE_BEST, .self = seen, .score = note_totals};
      if (bounded) chooser.bound = note_box_totals;
      assert_int_equal(hc_hosts_choose(c.hosts, &r, &chooser, NULL, 0, &g), 1);
      assert_int_equal(seen[0].capacity[HC_DIM_CPU], steps[i].cpu);
      assert_int_equal(seen[0].capacity[HC_DIM_MEMORY], steps[i].memory);
      assert_int_equal(seen[0].hosts, steps[i].hosts);
    }
    hc_hosts_check(c.hosts);
  }
  close_cell(&c);
}

static void hosts_come_and_go(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {2000, 64, 0}};
  static const uint8_t absent[] = {0, 1};
  const int64_t need[] = {2000, 1};
  const hc_request r = {.need = need, .slots = 1};
  hc_host_event e = {.host = 1, .change = HC_HOST_UP};
  const hc_grant *g;
  hc_grant a;
  cell c;
  (void)state;
  describe(&c, 2, amounts, false);
  c.spec.absent = absent;
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(hc_hosts_up(c.hosts), 1);
  assert_int_equal(hc_hosts_capacity(c.hosts, 0), 4000);
  assert_int_equal(hc_hosts_capacity_of(c.hosts, 1)[0], 0);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  a = *g;
  e.host = 0;
  e.change = HC_HOST_DRAIN;
  assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
  assert_true(hc_hosts_is_up(c.hosts, 0)); /* it runs what it has, and takes no more */
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 0);
  assert_int_equal(hc_hosts_take(c.hosts, &r, &a, 1), HC_ECONFLICT);
  e.change = HC_HOST_DOWN;
  assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[0], -2000); /* nothing is there, and 2000 are claimed */
  assert_int_equal(hc_hosts_capacity(c.hosts, 0), 0);
  assert_int_equal(hc_hosts_free_sum(c.hosts, 0), 0);
  hc_hosts_check(c.hosts);
  e.change = HC_HOST_UP;
  assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
  assert_int_equal(hc_hosts_free_of(c.hosts, 0)[0], 2000);
  hc_hosts_give(c.hosts, &r, &a, 1);
  assert_int_equal(hc_hosts_free_sum(c.hosts, 0), 4000);
  assert_int_equal(hc_hosts_idle(c.hosts), 1);
  e.host = 99; /* no such host: nothing happens */
  assert_int_equal(hc_hosts_change(c.hosts, &e), 0);
  close_cell(&c);
}

/* ---- what the cell as a whole has ---- */

static void shared_amounts_are_taken_once(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {2000, 64, 0}};
  const int64_t need[] = {1000, 1, 2}, much[] = {1000, 1, 6};
  const hc_request r = {.need = need, .slots = 3}, huge = {.need = much, .slots = 1};
  const hc_grant *g;
  hc_grant a[2];
  cell c;
  (void)state;
  describe(&c, 2, amounts, false);
  c.spec.shared[HC_DIM_OTHER] = 5;
  assert_int_equal(open_cell(&c), 0);
  assert_true(hc_hosts_is_shared(c.hosts, 2));
  assert_int_equal(hc_hosts_capacity(c.hosts, 2), 5);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  a[0] = *g;
  assert_int_equal(hc_hosts_free_sum(c.hosts, 2), 3); /* once for three slots */
  assert_int_equal(start(&c, &r, &first, &g), 2);
  assert_int_equal(hc_hosts_free_sum(c.hosts, 2), 1);
  assert_int_equal(start(&c, &r, &first, &g), 0);
  assert_int_equal(hc_hosts_never(c.hosts, &huge), HC_NEVER_TOO_LARGE);
  hc_hosts_give(c.hosts, &r, a, 1);
  assert_int_equal(hc_hosts_free_sum(c.hosts, 2), 3);
  close_cell(&c);
}

/* ---- constraints and limits ---- */

static void constraints_choose_classes(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {4000, 64, 0}, {4000, 64, 0}};
  const int64_t need[] = {1000, 1};
  hc_request r = {.need = need, .slots = 1};
  hc_more m = hc_more_none();
  hc_constraint k[2] = {{.compare = HC_AT_LEAST, .value = 20}, {.compare = HC_PRESENT, .group = 1}};
  hc_attribute old, new[2];
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 3, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  old = (hc_attribute){name(&c, "year"), 0, 19};
  new[0] = (hc_attribute){name(&c, "year"), 0, 21};
  new[1] = (hc_attribute){name(&c, "infiniband"), 0, 1};
  c.classes[0].attributes = &old;
  c.classes[1].attributes = c.classes[2].attributes = new;
  c.classes[0].attribute_count = c.classes[1].attribute_count = 1;
  c.classes[2].attribute_count = 2;
  k[0].attribute = name(&c, "year");
  k[1].attribute = name(&c, "infiniband");
  m.constraints = k;
  m.constraint_count = 1;
  r.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 1);
  assert_int_equal(g->host, 1);
  hc_lexicon_drop(c.lexicon, r.more); /* the next gets the same handle, with another content */
  m.constraint_count = 2;
  r.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 1);
  assert_int_equal(g->host, 2);
  r.slots = 5; /* the one host holds four */
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_CONSTRAINT);
  m.set = name(&c, "night");
  r.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_NO_HOST);
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &g), 0);
  close_cell(&c);
}

/* On an idle cell a task could run on a host if and only if it fits when that host is named: two ways that share no code but
 * the facts. Six hosts of other sizes, needs of every kind: plain, several slots, GPUs in parts and whole, whole hosts, slots on
 * distinct hosts, a constraint, chunks. */
static void could_on_is_what_fits_an_idle_host(void **state)
{
  static const int64_t amounts[][3] = {{1000, 64, 0},    {4000, 8, 1000}, {4000, 64, 2000},
                                       {8000, 128, 500}, {2000, 1, 4000}, {16000, 16, 0}};
  static const int64_t needs[][3] = {{1000, 1, 0},  {2000, 16, 0}, {0, 0, 500},   {1000, 0, 2000},
                                     {4000, 64, 0}, {0, 0, 0},     {16001, 0, 0}, {1000, 1, 1500}};
  const hc_chunk chunk = {.need = {1000, 1}, .hosts = 1};
  hc_constraint k = {.compare = HC_AT_LEAST, .value = 1};
  hc_attribute year = {.value = 1};
  uint32_t seen[2] = {0, 0}, more[3] = {0};
  hc_more m = hc_more_none();
  cell c;
  (void)state;
  describe(&c, 6, amounts, true);
  assert_int_equal(open_cell(&c), 0);
  year.name = k.attribute = name(&c, "year");
  for (int i = 1; i < 6; i += 2) c.classes[i].attributes = &year;
  for (int i = 1; i < 6; i += 2) c.classes[i].attribute_count = 1;
  m.chunks = &chunk;
  m.chunk_count = 1;
  more[1] = hc_lexicon_keep(c.lexicon, &m);
  m = hc_more_none();
  m.constraints = &k;
  m.constraint_count = 1;
  more[2] = hc_lexicon_keep(c.lexicon, &m);
  for (size_t i = 0; i < HC_ARRAY_LEN(needs) * 3 * 4 * 3; i++) {
    const size_t form = i / HC_ARRAY_LEN(needs) / 3 % 4;
    const hc_request r = {.need = needs[i % HC_ARRAY_LEN(needs)],
                          .slots = (uint32_t)(1 + i / HC_ARRAY_LEN(needs) % 3),
                          .whole = (form & 1) != 0,
                          .spread = (form & 2) != 0,
                          .more = more[i / HC_ARRAY_LEN(needs) / 12]};
    for (uint32_t host = 0; host < 6; host++) {
      const hc_range there = {host, 1};
      const hc_grant *g;
      /* A task with chunks counts as one of several hosts, though some would fit one. */
      const bool fits = r.more != more[1] && hc_hosts_choose_on(c.hosts, &r, &there, 1, &g) > 0;
      assert_int_equal(hc_hosts_could_on(c.hosts, &r, host), fits);
      seen[fits]++;
    }
  }
  assert_true(seen[0] > 100 && seen[1] > 100);
  close_cell(&c);
}

static void rivals_keep_their_distance(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {4000, 64, 0}, {4000, 64, 0}, {4000, 64, 0}};
  const int64_t need[] = {1000, 1};
  hc_request r = {.need = need, .slots = 1}, pair = {.need = need, .slots = 8};
  hc_more m = hc_more_none();
  const hc_grant *g;
  hc_grant a;
  cell c;
  (void)state;
  describe(&c, 4, amounts, false); /* racks: a b, c d */
  assert_int_equal(open_cell(&c), 0);
  m.per_zone = 1;
  m.zone_level = name(&c, "rack");
  m.rival = 7;
  r.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  a = *g;
  assert_int_equal(a.host, 0);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  assert_int_equal(g->host, 2);
  assert_int_equal(start(&c, &r, &first, &g), 0);
  assert_int_equal(hc_hosts_take(c.hosts, &r, &a, 1), HC_ECONFLICT);
  hc_hosts_give(c.hosts, &r, &a, 1);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  assert_int_equal(g->host, 0);
  m = hc_more_none();
  m.same = name(&c, "rack");
  pair.more = hc_lexicon_keep(c.lexicon, &m);
  assert_int_equal(hc_hosts_choose(c.hosts, &pair, &first, NULL, 0, &g), 0); /* 7 are free in each rack */
  assert_int_equal(hc_hosts_never(c.hosts, &pair), HC_NEVER_FALSE);
  pair.slots = 9;
  assert_int_equal(hc_hosts_never(c.hosts, &pair), HC_NEVER_CONSTRAINT);
  m.same = HC_NO_NAME;
  m.differ = name(&c, "rack");
  pair.more = hc_lexicon_keep(c.lexicon, &m);
  pair.slots = 2;
  pair.spread = true;
  assert_int_equal(hc_hosts_choose(c.hosts, &pair, &first, NULL, 0, &g), 2);
  assert_int_equal(g[1].host, 2);
  close_cell(&c);
}

/* ---- what failed before ---- */

static void failures_are_remembered_until_they_may_be_wrong(void **state)
{
  static const int64_t amounts[][3] = {{4000, 8, 0}, {4000, 8, 0}};
  const int64_t big[] = {3000, 1}, bigger[] = {4000, 2}, other[] = {1000, 6};
  const hc_request b = {.need = big, .slots = 1}, bb = {.need = bigger, .slots = 1},
                   o = {.need = other, .slots = 1};
  const hc_grant *g;
  hc_grant held[2];
  cell c;
  (void)state;
  describe(&c, 2, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(start(&c, &b, &first, &g), 1);
  held[0] = *g;
  assert_int_equal(start(&c, &b, &first, &g), 1);
  held[1] = *g;
  assert_int_equal(start(&c, &b, &first, &g), 0);
  assert_int_equal(start(&c, &bb, &first, &g), 0); /* known: nowhere smaller */
  assert_int_equal(start(&c, &o, &first, &g), 1);  /* not known: smaller in one amount */
  assert_int_equal(g->host, 0);
  assert_int_equal(start(&c, &o, &first, &g), 1);
  assert_int_equal(g->host, 1);
  hc_hosts_give(c.hosts, &b, &held[1], 1);
  assert_int_equal(start(&c, &bb, &first, &g), 0); /* 3000 are free there now, not 4000 */
  assert_int_equal(start(&c, &b, &first, &g), 1);
  assert_int_equal(g->host, 1);
  close_cell(&c);
}

/* ---- what is refused, and what is hostile ---- */

static void refuse(cell *c, const char *text)
{
  c->e = (hc_error){0};
  assert_int_equal(open_cell(c), HC_EUSAGE);
  assert_string_equal(c->e.text, text);
  assert_string_equal(c->e.where, "cell");
}

static void impossible_cells_are_refused_by_name(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 2000}, {2000, 64, 0}};
  const hc_range bad[] = {{1, 2}};
  const hc_host_set set = {.name = "night", .hosts = bad, .host_count = 1};
  cell c;
  (void)state;
  describe(&c, 2, amounts, true);
  c.spec.units = 0;
  refuse(&c, "there is no host: declare a class with at least one");
  describe(&c, 2, amounts, true);
  c.classes[0].devices = 17;
  refuse(&c, "class 'a' has more than 16 GPUs, the most that a host may have");
  c.classes[0].devices = 3;
  refuse(&c, "class 'a' has an amount of gpu that is not 1000 for each of its devices");
  describe(&c, 2, amounts, true);
  c.classes[1].capacity[HC_DIM_MEMORY] = -1;
  refuse(&c, "class 'b' has an amount that is negative or above 2^60");
  c.classes[1].capacity[HC_DIM_MEMORY] = 1;
  c.spec.shared[HC_DIM_CPU] = 1;
  refuse(&c, "class 'a' has an amount in a dimension that belongs to the cell as a whole");
  c.spec.shared[HC_DIM_CPU] = 0;
  c.spec.shared[HC_DIM_OTHER] = -5;
  refuse(&c, "an amount of the whole cell is negative or above 2^60");
  c.spec.shared[HC_DIM_OTHER] = 0;
  c.class_of[1] = 2;
  refuse(&c, "host 'b' is of a class that is not there");
  c.class_of[1] = 1;
  c.spec.sets = &set;
  c.spec.set_count = 1;
  refuse(&c, "set 'night' names hosts that are not there, or not in order");
  c.spec.set_count = 0;
  c.zone_of[1] = 2;
  refuse(&c, "level 'rack' has a host in a zone that is not there");
  describe(&c, 2, amounts, true);
  c.spec.class_count = 1;
  c.spec.units = 5;
  memset(c.class_of, 0, sizeof c.class_of);
  c.classes[0].capacity[HC_DIM_MEMORY] = INT64_C(1) << 60;
  refuse(&c, "the hosts have more than 2^62 in all in one dimension");
}

static void absurd_requests_fit_nowhere(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 2000}, {2000, 64, 0}};
  static const int64_t absurd[] = {INT64_MAX, INT64_MIN, -1, INT64_C(1) << 61, (INT64_C(1) << 60) + 1};
  const hc_range outside[] = {{1, 5}}, twice[] = {{0, 2}, {1, 1}}, far[] = {{UINT32_MAX, UINT32_MAX}};
  int64_t need[3] = {1000, 1, 0};
  hc_request r = {.need = need, .slots = 1};
  hc_grant g = {.host = 5, .slots = 1};
  const hc_grant *out;
  cell c;
  (void)state;
  describe(&c, 2, amounts, true);
  assert_int_equal(open_cell(&c), 0);
  for (size_t i = 0; i < HC_ARRAY_LEN(absurd); i++)
    for (int d = 0; d < 3; d++) {
      need[d] = absurd[i];
      for (int how = HC_CHOOSE_FIRST; how <= HC_CHOOSE_SAMPLE; how++) {
        const hc_chooser chooser = {.how = (hc_choice)how};
        assert_int_equal(hc_hosts_choose(c.hosts, &r, &chooser, NULL, 0, &out), 0);
      }
      assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_TOO_LARGE);
      g.host = 0;
      assert_int_equal(hc_hosts_take(c.hosts, &r, &g, 1), HC_ECONFLICT);
      need[d] = d == 0 ? 1000 : d == 1 ? 1 : 0;
    }
  r.slots = UINT32_MAX;
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, NULL, 0, &out), 0);
  assert_int_equal(hc_hosts_never(c.hosts, &r), HC_NEVER_TOO_LARGE);
  r.slots = 1;
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, outside, 1, &out), 0);
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, twice, 2, &out), 0);
  assert_int_equal(hc_hosts_choose(c.hosts, &r, &first, far, 1, &out), 0);
  g.host = 5;
  assert_int_equal(hc_hosts_take(c.hosts, &r, &g, 1), HC_ECONFLICT); /* no such host */
  g = (hc_grant){.host = 0, .slots = UINT32_MAX};
  assert_int_equal(hc_hosts_take(c.hosts, &r, &g, 1), HC_ECONFLICT);
  g = (hc_grant){.host = 0, .slots = 1, .devices = 1};
  assert_int_equal(hc_hosts_take(c.hosts, &r, &g, 1), HC_ECONFLICT); /* a device for a task without GPUs */
  g = (hc_grant){.host = 0, .slots = 1, .chunk = 3};
  assert_int_equal(hc_hosts_take(c.hosts, &r, &g, 1), HC_ECONFLICT); /* of a chunk that it does not have */
  close_cell(&c);
}

/* Tasks that need nothing fit anywhere, as often as they like. */
static void nothing_is_a_need_too(void **state)
{
  static const int64_t amounts[][3] = {{0, 0, 0}, {0, 0, 0}};
  const int64_t need[] = {0};
  const hc_request r = {.need = need, .slots = 1000000};
  const hc_chooser best = {.how = HC_CHOOSE_BEST};
  const hc_grant *g;
  cell c;
  (void)state;
  describe(&c, 2, amounts, false);
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(hc_hosts_dimensions(c.hosts), 1);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  expect(g, 0, 1000000, 0, 0);
  assert_int_equal(start(&c, &r, &best, &g), 1);
  expect(g, 0, 1000000, 0, 0);
  close_cell(&c);
}

/* ---- memory, and damage ---- */

typedef struct stingy {
  int64_t left; /* allocations that it grants */
} stingy;

static void *stingy_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  stingy *s = ctx;
  (void)old_size;
  if (new_size == 0) {
    free(p);
    return NULL;
  }
  if (new_size > old_size && --s->left < 0) return NULL;
  return realloc(p, new_size);
}

static double most_free(void *self, const hc_host_view *v)
{
  (void)self;
  return (double)v->free[0];
}

static double any_score(void *self, const hc_host_box *b)
{
  (void)self;
  (void)b;
  return __builtin_inf();
}

/* @return false: memory ran out somewhere, and was said to have */
static bool use_everything(cell *c)
{
  static const int64_t amounts[][3] = {{4000, 64, 2000}, {2000, 64, 0}, {4000, 64, 0}, {4000, 64, 0}};
  const int64_t need[] = {1000, 1, 0};
  const hc_chunk chunk = {.need = {1000, 8}, .hosts = 2};
  const hc_chooser choosers[] = {{.how = HC_CHOOSE_FIRST},
                                 {.how = HC_CHOOSE_NEXT},
                                 {.how = HC_CHOOSE_BEST, .score = most_free, .bound = any_score},
                                 {.how = HC_CHOOSE_SAMPLE, .sample = 2, .score = most_free}};
  const hc_allocator *allocator = c->allocator;
  uint32_t hosts[2];
  bool good = true;
  describe(c, 4, amounts, true);
  c->allocator = allocator;
  if (open_cell(c) < 0) return false;
  for (int i = 0; i < 8 && good; i++) {
    hc_request r = {.need = need, .slots = 2, .spread = i % 2 != 0};
    hc_more m = hc_more_none();
    const hc_grant *g;
    hc_rc n;
    hosts[0] = name(c, "c");
    hosts[1] = name(c, "d");
    m.host_count = i > 3 ? 2 : 0;
    m.hosts = hosts;
    m.chunks = &chunk;
    m.chunk_count = i % 4 == 2;
    m.same = i % 4 == 1 ? name(c, "rack") : HC_NO_NAME;
    m.per_host = 5;
    r.more = i == 0 ? 0 : hc_lexicon_keep(c->lexicon, &m);
    good = hosts[0] != HC_NO_NAME && hosts[1] != HC_NO_NAME && (i == 0 || r.more != 0);
    if (!good) break;
    n = hc_hosts_choose(c->hosts, &r, &choosers[i % 4], NULL, 0, &g);
    hc_hosts_check(c->hosts);
    if (n > 0) {
      const hc_rc rc = hc_hosts_take(c->hosts, &r, g, (size_t)n);
      good = rc == 0;
      if (good && i % 2) hc_hosts_give(c->hosts, &r, g, (size_t)n);
      if (!good) assert_int_equal(rc, HC_ENOMEM);
    } else if (n < 0) {
      assert_int_equal(n, HC_ENOMEM);
      good = false;
    }
    (void)hc_hosts_never(c->hosts, &r);
  }
  close_cell(c);
  return good;
}

static void memory_that_runs_out_is_said_to_have(void **state)
{
  stingy s;
  const hc_allocator allocator = {&s, stingy_resize};
  cell c;
  int64_t most = 0;
  (void)state;
  for (bool good = false; !good; most++) {
    assert_true(most < 1000);
    s.left = most;
    c.allocator = &allocator;
    good = use_everything(&c);
  }
  assert_true(most > 40); /* each of the allocations has failed once */
}

/* A damaged snapshot is refused, or makes a cell that is wrong but answers. */
static void damaged_state_is_survived(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 2000}, {2000, 64, 0}, {4000, 64, 0}};
  const int64_t need[] = {1000, 1, 300};
  const hc_request r = {.need = need, .slots = 1};
  const hc_grant *g;
  hc_buffer out;
  uint64_t s = 88172645463325252u;
  int refused = 0;
  cell c;
  (void)state;
  describe(&c, 3, amounts, true);
  assert_int_equal(open_cell(&c), 0);
  assert_int_equal(start(&c, &r, &first, &g), 1);
  hc_buffer_init(&out, c.allocator);
  assert_int_equal(
      hc_hosts_visit(c.hosts, &(hc_visitor){.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .out = &out}),
      0);
  for (int i = 0; i < 3000; i++) {
    hc_visitor load = {.calls = &hc_state_calls, .mode = HC_VISIT_LOAD, .allocator = c.allocator};
    hc_hosts *other;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    const size_t at = (size_t)(s >> 20) % out.size;
    const char was = out.data[at];
    out.data[at] = (char)(was ^ (1 << (s & 7)));
    load.in = (const uint8_t *)out.data;
    load.left = i % 3 == 0 ? at : out.size;
    assert_int_equal(hc_hosts_new(c.allocator, &c.spec, c.lexicon, 1, 0, &other, &c.e), 0);
    if (hc_hosts_visit(other, &load) < 0) refused++;
    else (void)hc_hosts_choose(other, &r, &first, NULL, 0, &g);
    hc_hosts_free(other);
    out.data[at] = was;
  }
  assert_true(refused > 1000);
  hc_buffer_fini(&out);
  close_cell(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_share_a_device),
      cmocka_unit_test(whole_devices_are_those_that_nobody_uses),
      cmocka_unit_test(amounts_without_devices_are_divisible),
      cmocka_unit_test(devices_go_and_come_back),
      cmocka_unit_test(slots_fill_a_host_before_the_next),
      cmocka_unit_test(chunks_are_beside_the_slots),
      cmocka_unit_test(chunks_need_not_say_all),
      cmocka_unit_test(whole_hosts_are_idle_and_taken_with_all_they_have),
      cmocka_unit_test(a_placement_is_told_the_totals),
      cmocka_unit_test(hosts_come_and_go),
      cmocka_unit_test(shared_amounts_are_taken_once),
      cmocka_unit_test(constraints_choose_classes),
      cmocka_unit_test(could_on_is_what_fits_an_idle_host),
      cmocka_unit_test(rivals_keep_their_distance),
      cmocka_unit_test(failures_are_remembered_until_they_may_be_wrong),
      cmocka_unit_test(impossible_cells_are_refused_by_name),
      cmocka_unit_test(absurd_requests_fit_nowhere),
      cmocka_unit_test(nothing_is_a_need_too),
      cmocka_unit_test(memory_that_runs_out_is_said_to_have),
      cmocka_unit_test(damaged_state_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
