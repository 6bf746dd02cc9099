/* test_hosts_hostile.c -- the hosts cell: what is refused, what is absurd, memory that runs out, and damaged
 * state. */
#include "small_cell.h"

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
  c.classes[0].devices = 129;
  refuse(&c, "class 'a' has more than 128 GPUs, the most that a host may have");
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
  g = (hc_grant){.host = 0, .slots = 1, .devices = {{1}}};
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
    hc_task_extras m = hc_task_extras_none();
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
  const hc_allocator allocator = {&s, stingy_resize, NULL};
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
      cmocka_unit_test(impossible_cells_are_refused_by_name),
      cmocka_unit_test(absurd_requests_fit_nowhere),
      cmocka_unit_test(nothing_is_a_need_too),
      cmocka_unit_test(memory_that_runs_out_is_said_to_have),
      cmocka_unit_test(damaged_state_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
