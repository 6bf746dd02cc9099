/* test_hosts.c -- the hosts cell: devices, slots, whole hosts, limits, and hosts that come and go. */
#include "small_cell.h"

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
  hc_task_extras m = hc_task_extras_none();
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

/* As with a task's own slots: what a chunk does not say it does not need, and what no host has is not
 * counted, unless it is a GPU. */
static void chunks_need_not_say_all(void **state)
{
  static const int64_t amounts[][3] = {{4000, 64, 0}, {2000, 64, 0}};
  const int64_t need[] = {1000, 1};
  hc_chunk chunk = {.hosts = 1};
  hc_request r = {.need = need, .slots = 1};
  hc_task_extras m = hc_task_extras_none();
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

/* (4000, 64) + (2000, 64) + (1000, 32); then without the second, which leaves; the third drains, and is
 * up. */
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
  hc_task_extras m = hc_task_extras_none();
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

/* On an idle cell a task could run on a host if and only if it fits when that host is named: two ways that
 * share no code but the facts. Six hosts of other sizes, needs of every kind: plain, several slots, GPUs in
 * parts and whole, whole hosts, slots on distinct hosts, a constraint, chunks. */
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
  hc_task_extras m = hc_task_extras_none();
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
  m = hc_task_extras_none();
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
  hc_task_extras m = hc_task_extras_none();
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
  m = hc_task_extras_none();
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
