/* test_networks.c -- routes, links and names of each network, and the vectors of DSLab's networks on them. */
#include "network_test.h"

static const char *const abc[] = {"a", "b", "c", "d", "e", "f"};

/* ---- what holds for every network ---- */

static const char *const all[] = {
    "constant",
    "{use: constant, local_bandwidth: 1GB}",
    "shared",
    "star",
    "{use: star, duplex: half, local_bandwidth: 5GB, local_latency: 1us, local_sharing: fatpipe}",
    "backbone",
    "{use: tree, children: [4, 3]}",
    "{use: fat_tree, k: 4}",
    "{use: fat_tree, k: 4, choice: ecmp, duplex: half}",
    "{use: fat_tree, children: [4, 4], parents: [1, 2], cables: [1, 2], choice: static}",
    "{use: rack_tree, racks: 3, cores: 2}",
    "{use: rack_tree, racks: 5, cores: 2, choice: ecmp, duplex: full}",
    "{use: torus, dimensions: [3, 2, 2]}",
    "{use: torus, dimensions: [12], duplex: half}",
    "{use: dragonfly, groups: 2, chassis: 2, blades: 3, nodes: 1, local_bandwidth: 1}",
    "full_mesh",
    "{use: full_mesh, duplex: half}",
};

/* Ids are dense, names differ, a route is the same each time, its links exist, its latency is their sum. */
static void test_contract(void **state)
{
  (void)state;
  for (size_t k = 0; k < HC_ARRAY_LEN(all); k++) {
    const hc_allocator *a = hc_default_allocator();
    hc_names names;
    world w;
    world_begin(&w);
    world_has(&w, 12, NULL, all[k]);
    hc_names_init(&names, a, 1 << 20);
    for (uint32_t i = 0; i < w.n.facts.links; i++) {
      char name[256];
      uint32_t id;
      hc_link l;
      w.n.type->link(w.n.self, i, &l);
      w.n.type->link_name(w.n.self, i, name, sizeof name);
      assert_true(l.bandwidth > 0 && l.latency >= 0);
      assert_int_equal(hc_names_add(&names, name, strlen(name), &id), 0);
      if (id != i) fail_msg("%s: two links are called %s", all[k], name);
    }
    hc_names_fini(&names);
    for (uint32_t i = 0; i < 12; i++)
      for (uint32_t j = 0; j < 12; j++) {
        double sum = 0;
        char first[4096];
        (void)snprintf(first, sizeof first, "%s", way(&w, i, j));
        assert_string_equal(way(&w, i, j), first);
        assert_true(w.route.count <= w.n.facts.longest);
        for (uint32_t x = 0; x < w.route.count; x++) {
          hc_link l;
          assert_true(w.links[x] < w.n.facts.links);
          w.n.type->link(w.n.self, w.links[x], &l);
          sum += l.latency;
        }
        if (w.n.facts.model != HC_NETWORK_CONSTANT) assert_near(w.route.latency, sum);
        assert_true(w.route.weight == 1);
      }
    world_end(&w);
  }
}

/* All pairs of some hosts at once are the sum over pairs: of each network that can say so, and these can. */
static void test_all_pairs(void **state)
{
  static const char *const can[] = {
      "constant",
      "shared",
      "star",
      "{use: star, duplex: half, latency: 1us}",
      "{use: backbone, latency: 2us, backbone_latency: 3us}",
      "{use: tree, children: [4, 3], latency: [1us, 5us]}",
      "{use: tree, children: [2, 3, 2], latency: 1us, duplex: half, factors: lv08}",
      "{use: rack_tree, racks: 3, cores: 1, latency: 2us}",
  };
  static const uint32_t some[] = {0, 1, 5, 6, 7, 10, 11};
  (void)state;
  for (size_t k = 0; k < HC_ARRAY_LEN(can); k++)
    for (uint32_t count = 1; count <= HC_ARRAY_LEN(some); count++) {
      double weights[256] = {0}, sums[256] = {0}, delay = 0, bound = 1e300;
      hc_route all_of;
      world w;
      world_begin(&w);
      world_has(&w, 12, NULL, can[k]);
      assert_true(w.n.facts.links <= 256);
      assert_int_equal(hc_network_all_pairs(&w.n, some, count, weights, &all_of), 0);
      for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
          if (i == j) continue;
          assert_int_equal(hc_network_route_of(&w.n, some[i], some[j], w.links, &w.route), 0);
          for (uint32_t x = 0; x < w.route.count; x++) sums[w.links[x]] += 1;
          delay = HC_MAX(delay, w.route.delay);
          bound = HC_MIN(bound, w.route.bound);
        }
      for (uint32_t l = 0; l < w.n.facts.links; l++)
        if (weights[l] != sums[l])
          fail_msg("%s: %u hosts: link %u: %g, not %g", can[k], count, l, weights[l], sums[l]);
      if (all_of.delay - delay > 1e-15 || delay - all_of.delay > 1e-15)
        fail_msg("%s: %g, not %g", can[k], all_of.delay, delay);
      assert_true(count == 1 || all_of.bound >= bound); /* bandwidths of links are none of it */
      world_end(&w);
    }
  world w;
  double weights[256] = {0};
  world_begin(&w);
  world_has(&w, 12, NULL, "{use: fat_tree, k: 4}");
  assert_int_equal(hc_network_all_pairs(&w.n, some, 2, weights, &w.route), HC_EUNSUPPORTED);
  world_has(&w, 12, NULL, "full_mesh");
  assert_int_equal(hc_network_all_pairs(&w.n, some, 2, weights, &w.route), HC_EUNSUPPORTED);
  world_end(&w);
}

/* ---- single networks ---- */

static void test_plain(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 3, NULL, "{use: constant, bandwidth: 10, latency: 100ms, local_bandwidth: 1000}");
  assert_string_equal(way(&w, 0, 1), "");
  assert_near(w.route.bound, 10);
  assert_near(w.route.delay, 0.1);
  assert_string_equal(way(&w, 2, 2), "loopback_2");
  assert_near(w.route.bound, 1000);
  assert_int_equal(w.n.facts.links, 3);
  assert_int_equal(w.n.facts.model, HC_NETWORK_CONSTANT);
  world_has(&w, 3, NULL, "{use: shared, bandwidth: 10, latency: 100ms}");
  assert_string_equal(way(&w, 0, 1), "medium");
  assert_string_equal(way(&w, 1, 1), ""); /* takes no time */
  assert_true(w.route.bound > 1e300);
  assert_int_equal(w.n.facts.model, HC_NETWORK_SHARED);
  world_end(&w);
}

static void test_levels(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 3, NULL, "{use: star, bandwidth: 100, latency: 1ms}");
  assert_string_equal(way(&w, 0, 2), "host_0-switch_1_0 switch_1_0-host_2");
  assert_near(w.route.latency, 0.002);
  world_has(&w, 3, NULL, "{use: star, duplex: half}");
  assert_string_equal(way(&w, 0, 2), "host_0-switch_1_0 host_2-switch_1_0");
  world_has(&w, 3, NULL, "{use: backbone, bandwidth: 100, backbone_bandwidth: 50, backbone_latency: 3ms}");
  assert_string_equal(way(&w, 2, 1), "host_2-switch_1_0 backbone switch_1_0-host_1");
  assert_near(w.route.bound, 50);
  assert_near(w.route.latency, 0.003);
  /* Two switches with two hosts each: hosts fill one after another. */
  world_has(&w, 4, NULL, "{use: tree, children: [2, 2], bandwidth: [100, 150], latency: [1ms, 5ms]}");
  assert_string_equal(way(&w, 0, 1), "host_0-switch_1_0 switch_1_0-host_1");
  assert_string_equal(way(&w, 1, 2),
                      "host_1-switch_1_0 switch_1_0-switch_2_0 switch_2_0-switch_1_1 switch_1_1-host_2");
  assert_near(w.route.latency, 0.012);
  assert_near(w.route.bound, 100);
  world_end(&w);
}

/* k = 4: 16 hosts, 4 pods of 2 + 2 switches, 4 on top; 16 + 16 + 16 cables. */
static void test_k_ary(void **state)
{
  world w;
  uint32_t tops[2] = {0, 0};
  (void)state;
  world_begin(&w);
  world_has(&w, 16, NULL, "{use: fat_tree, k: 4, duplex: half}");
  assert_int_equal(w.n.facts.hosts, 16);
  assert_int_equal(w.n.facts.links, 48);
  (void)way(&w, 0, 1);
  assert_int_equal(w.route.count, 2); /* the same edge switch */
  (void)way(&w, 0, 2);
  assert_int_equal(w.route.count, 4); /* the same pod */
  (void)way(&w, 0, 15);
  assert_int_equal(w.route.count, 6);
  /* d mod k: destinations 4 to 7 leave host 0's edge switch by two ports in turn. */
  for (uint32_t to = 4; to < 8; to++) {
    (void)way(&w, 0, to);
    tops[w.links[1] % 2]++;
  }
  assert_int_equal(tops[0], 2);
  world_has(&w, 1, NULL, "{use: fat_tree, k: 32}"); /* 8,192 hosts, and no table of routes */
  assert_int_equal(w.n.facts.hosts, 8192);
  (void)way(&w, 17, 8000);
  assert_int_equal(w.route.count, 6);
  world_end(&w);
}

/* ECMP spreads pairs over all top switches about evenly: 16 of k = 8, 128 x 127 - in-pod pairs. */
static void test_ecmp(void **state)
{
  uint32_t seen[512] = {0}, most = 0, least = UINT32_MAX;
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 128, NULL, "{use: fat_tree, k: 8, choice: ecmp, duplex: half}");
  for (uint32_t i = 0; i < 128; i++)
    for (uint32_t j = 0; j < 128; j++) {
      (void)way(&w, i, j);
      if (w.route.count == 6) seen[w.links[2]]++;
    }
  for (uint32_t i = 256; i < 384; i++) { /* cables to the top: 112 x 128 x 1/128 = 112 pairs upwards each */
    most = HC_MAX(most, seen[i]);
    least = HC_MIN(least, seen[i]);
  }
  if (least < 112 / 2 || most > 112 * 2) fail_msg("from %u to %u pairs of a mean of 112", least, most);
  world_end(&w);
}

/* The thesis's tree: 6 hosts, 3 racks, 3 cores; host k on rack k mod 3; all between racks by core 0. */
static void test_rack_tree(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 6, NULL,
            "{use: rack_tree, racks: 3, cores: 3, bandwidth: 100, latency: 1ms, core_latency: 10ms}");
  assert_string_equal(way(&w, 1, 4), "host_1-switch_1_1 host_4-switch_1_1");
  assert_near(w.route.latency, 0.002);
  for (uint32_t i = 0; i < 6; i++)
    for (uint32_t j = 0; j < 6; j++) {
      char expected[200];
      if (i % 3 == j % 3) continue;
      (void)snprintf(expected, sizeof expected,
                     "host_%u-switch_1_%u switch_1_%u-switch_2_0 switch_1_%u-switch_2_0 host_%u-switch_1_%u",
                     i, i % 3, i % 3, j % 3, j, j % 3);
      assert_string_equal(way(&w, i, j), expected);
      assert_near(w.route.latency, 0.022);
    }
  world_has(&w, 7, NULL, "{use: rack_tree, racks: 3, cores: 2}"); /* 3, 2 and 2 hosts */
  assert_string_equal(way(&w, 6, 0), "host_6-switch_1_0 host_0-switch_1_0");
  world_end(&w);
}

/* A ring of 5 and one of 4: the shorter way; halfway around upwards if the other number is greater. */
static void test_torus(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 5, NULL, "{use: torus, dimensions: [5], duplex: half}");
  assert_string_equal(way(&w, 0, 2), "host_0-host_1_d0 host_1-host_2_d0");
  assert_string_equal(way(&w, 0, 3), "host_4-host_0_d0 host_3-host_4_d0");
  world_has(&w, 4, NULL, "{use: torus, dimensions: [4]}");
  assert_string_equal(way(&w, 1, 3), "host_1-host_2_u0 host_2-host_3_u0");
  world_has(&w, 12, NULL, "{use: torus, dimensions: [3, 4]}"); /* 0 is (0, 0), 7 is (1, 2) */
  assert_string_equal(way(&w, 0, 7), "host_0-host_1_u0 host_1-host_4_u1 host_4-host_7_u1");
  world_end(&w);
}

static void test_full_mesh(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 4, NULL, "full_mesh");
  assert_int_equal(w.n.facts.links, 12);
  assert_string_equal(way(&w, 1, 3), "host_1-host_3");
  assert_string_equal(way(&w, 3, 1), "host_3-host_1");
  world_end(&w);
}

/* ---- rules ---- */

/* One link of 1.25 GB/s and 1 ms each way: the weight is 2 x 0.001 + 2 x 20537 / 1.25e9 (0.002 +
 * 3.28592e-5), the window allows 4194304 / (2 x 0.002) = 1,048,576,000 B/s, less than the links. */
static void test_rules(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 2, NULL, "{use: star, bandwidth: 1.25GB, latency: 1ms, factors: lv08}");
  (void)way(&w, 0, 1);
  assert_near(w.route.delay, 0.02602);
  assert_near(w.route.weight, 0.0020328592);
  assert_near(w.route.bound / 1e9, 1.048576);
  assert_near(w.n.facts.rules.bandwidth_factor, 0.97);
  assert_near(w.n.facts.rules.cross_traffic, 0.05);
  world_has(&w, 2, NULL, "{use: star, bandwidth: 1.25GB, latency: 1ms, factors: cm02}");
  (void)way(&w, 0, 1);
  assert_near(w.route.delay, 0.002);
  assert_near(w.route.weight, 0.002);
  world_has(&w, 2, NULL,
            "{use: star, bandwidth: 1.25GB, factors: lv08}"); /* no latency: all weigh the same */
  (void)way(&w, 0, 1);
  assert_true(w.route.weight == 1);
  assert_near(w.route.bound / 1e9, 1.25);
  world_has(&w, 2, NULL,
            "{use: star, bandwidth: 1.25GB, latency: 1ms, factors: lv08, tcp_gamma: 0, latency_factor: 2}");
  (void)way(&w, 0, 1);
  assert_near(w.route.delay, 0.004);
  assert_near(w.route.bound / 1e9, 1.25);
  world_end(&w);
}

/* ---- vectors of DSLab ---- */

#define WIRE(x, y, bandwidth, latency, duplex) \
  "{from: " x ", to: " y ", bandwidth: " bandwidth ", latency: " latency ", duplex: " duplex "}"

/* V14: l transfers one way and r the other over one connection of 100. */
static void test_v14(void **state)
{
  static const char *const duplexes[] = {"half", "full", "fatpipe"};
  (void)state;
  for (int d = 0; d < 3; d++)
    for (int l = 1; l <= 5; l++)
      for (int r = 1; r <= 5; r++) {
        flow f[10] = {0};
        char yaml[200];
        world w;
        world_begin(&w);
        (void)snprintf(yaml, sizeof yaml,
                       "{use: graph, connections: [{from: a, to: b, bandwidth: 100, duplex: %s}]}",
                       duplexes[d]);
        world_has(&w, 2, abc, yaml);
        for (int i = 0; i < l + r; i++) f[i] = (flow){.from = i >= l, .to = i < l, .size = 1000, .after = -1};
        carry_out(&w, f, (size_t)(l + r));
        for (int i = 0; i < l + r; i++) {
          if (d == 0) assert_near(f[i].end, 10 * (l + r));
          if (d == 1) assert_near(f[i].end, 10 * (i < l ? l : r));
          if (d == 2) assert_near(f[i].end, 10);
        }
        world_end(&w);
      }
}

/* V15: a triangle of one-way links; V16: a diamond, where the way of less latency has less bandwidth. */
static void test_v15_v16(void **state)
{
  flow f[3] = {{.from = 0, .to = 2, .size = 1000, .after = -1},
               {.from = 1, .to = 0, .size = 1000, .after = -1},
               {.from = 2, .to = 1, .size = 1000, .after = -1}};
  flow one = {.from = 0, .to = 1, .size = 1000, .after = -1};
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 3, abc,
            "{use: graph, connections: [" WIRE("a", "b", "100", "100ms", "one_way") ", " WIRE(
                "b", "c", "100", "100ms", "one_way") ", " WIRE("c", "a", "100", "100ms", "one_way") "]}");
  carry_out(&w, f, 3);
  for (int i = 0; i < 3; i++) assert_near(f[i].end, 20.2);
  world_has(&w, 2, abc,
            "{use: graph, connections: [" WIRE("a", "m1", "1000", "1s", "full") ", " WIRE(
                "m1", "b", "1000", "100ms", "full") ", " WIRE("a", "m2", "100", "100ms",
                                                              "full") ", " WIRE("m2", "b", "100", "100ms",
                                                                                "full") "]}");
  carry_out(&w, &one, 1);
  assert_near(one.end, 10.2);
  world_end(&w);
}

/* V17: constant; V18: shared. Local transfers are the host's own. */
static void test_v17_v18(void **state)
{
  static const double ends[2][4] = {{1.0, 100.1, 10.5, 60.1}, {1.0, 150.1, 10.5, 110.1}};
  static const char *const models[] = {"constant", "shared"};
  (void)state;
  for (int m = 0; m < 2; m++) {
    flow f[4] = {{.from = 0, .to = 0, .size = 1000, .after = -1},
                 {.from = 0, .to = 1, .size = 1000, .after = -1},
                 {.from = 0, .to = 0, .start = 10, .size = 500, .after = -1},
                 {.from = 0, .to = 1, .start = 10, .size = 500, .after = -1}};
    char yaml[200];
    world w;
    world_begin(&w);
    (void)snprintf(yaml, sizeof yaml, "{use: %s, bandwidth: 10, latency: 100ms, local_bandwidth: 1000}",
                   models[m]);
    world_has(&w, 2, NULL, yaml);
    carry_out(&w, f, 4);
    for (int i = 0; i < 4; i++) assert_near(f[i].end, ends[m][i]);
    world_end(&w);
  }
}

/* V19: three clients, two servers, two switches; each receiver answers with 500 less what it got. */
static void test_v19(void **state)
{
  static const char *const names[] = {"c1", "c2", "c3", "v1", "v2"};
  static const double ends[] = {6.3, 11.3, 14.3, 18.2, 27.2, 19.0 + 8.0 / 15};
  flow f[6] = {{.from = 0, .to = 3, .size = 100, .after = -1}, {.from = 1, .to = 4, .size = 200, .after = -1},
               {.from = 2, .to = 3, .size = 400, .after = -1}, {.from = 3, .to = 0, .size = 400, .after = 0},
               {.from = 4, .to = 1, .size = 300, .after = 1},  {.from = 3, .to = 2, .size = 100, .after = 2}};
  world w;
  (void)state;
  world_begin(&w);
  world_has(&w, 5, names,
            "{use: graph, connections: [" WIRE("c1", "s1", "100", "100ms", "full") ", " WIRE(
                "c2", "s1", "90", "100ms",
                "full") ", " WIRE("c3", "s1", "50", "100ms",
                                  "full") ", " WIRE("v1", "s2", "90", "100ms",
                                                    "full") ", " WIRE("v2", "s2", "20", "100ms",
                                                                      "full") ", " WIRE("s1", "s2", "50",
                                                                                        "100ms",
                                                                                        "full") "]}");
  assert_string_equal(way(&w, 0, 4), "0:c1-s1 10:s1-s2 9:s2-v2");
  carry_out(&w, f, 6);
  for (int i = 0; i < 6; i++) assert_near(f[i].end, ends[i]);
  world_end(&w);
}

/* Ties: of two switches the one that is mentioned first; a later connection replaces an earlier one. */
static void test_ties(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_has(
      &w, 2, abc,
      "{use: graph, connections: [" WIRE("a", "y", "100", "1ms", "full") ", " WIRE(
          "a", "x", "100", "1ms", "full") ", " WIRE("x", "b", "100", "1ms",
                                                    "full") ", " WIRE("y", "b", "100", "1ms", "full") "]}");
  assert_string_equal(way(&w, 0, 1), "0:a-y 6:y-b");
  world_has(&w, 2, NULL,
            "{use: graph, connections: [" WIRE("0", "1", "100", "1ms", "full") ", " WIRE("0", "1", "200",
                                                                                         "2ms", "full") "]}");
  assert_string_equal(way(&w, 0, 1), "2:0-1");
  world_end(&w);
}

/* ---- memory ---- */

typedef struct scarce {
  int64_t left; /* allocations until one fails; negative: none does */
  size_t held;
} scarce;

static void *resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  const hc_allocator *a = hc_default_allocator();
  scarce *s = ctx;
  void *q;
  if (new_size > old_size && s->left >= 0 && s->left-- == 0) return NULL;
  q = a->resize(a->ctx, p, old_size, new_size);
  if (q || new_size == 0) s->held += new_size - old_size;
  return q;
}

/* Every allocation fails once: the error says so, and nothing is kept. */
static void fail_each(const char *yaml, uint32_t hosts)
{
  scarce s = {0};
  const hc_allocator a = {.ctx = &s, .resize = resize};
  const hc_network_context c = {.allocator = &a, .hosts = hosts, .where = "network"};
  hc_chosen chosen = {0};
  hc_value *v = NULL;
  hc_rc rc = HC_ENOMEM;
  world w;
  world_begin(&w);
  const hc_resolver r = {.registry = w.registry, .arena = &w.arena};
  assert_int_equal(hc_value_parse(&w.arena, yaml, strlen(yaml), "test", &v, &w.e), 0);
  assert_int_equal(hc_resolve_component(&r, HC_KIND_NETWORK, v, "network", &chosen, &w.e), 0);
  for (int64_t n = 0; rc != 0; n++) {
    s.left = n;
    w.e = (hc_error){0};
    rc = hc_network_make(&c, &chosen, &w.n, &w.e);
    if (rc != 0 && rc != HC_ENOMEM) fail_msg("%s, allocation %d: %s", yaml, (int)n, w.e.text);
    if (rc != 0) assert_true(w.e.text[0] != '\0');
    hc_network_drop(&w.n);
    if (s.held != 0) fail_msg("%s, allocation %d: %zu bytes are kept", yaml, (int)n, s.held);
  }
  world_end(&w);
}

static void test_out_of_memory(void **state)
{
  static const char *const files[] = {"floyd", "dijkstra", "stars", "nested", "trees", "torus", "dragonfly"};
  (void)state;
  for (size_t k = 0; k < HC_ARRAY_LEN(all); k++) fail_each(all[k], 12);
  fail_each("{use: graph, connections: [{from: 0, to: 1, bandwidth: 1}]}", 2);
  for (size_t k = 0; k < HC_ARRAY_LEN(files); k++) {
    char yaml[300];
    (void)snprintf(yaml, sizeof yaml,
                   "{use: simgrid, file: \"" HC_TEST_SOURCE_DIR "/tests/oracles/simgrid/%s.xml\"}", files[k]);
    fail_each(yaml, 0);
  }
}

/* ---- what is refused ---- */

static void test_mistakes(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  world_refuses(&w, 2, "{use: star, bandwidth: 0}", HC_EUSAGE, "bandwidth");
  world_refuses(&w, 2, "{use: star, bandwidth: -5}", HC_EUSAGE, "bandwidth");
  world_refuses(&w, 2, "{use: star, latency: -1s}", HC_EUSAGE, "latency");
  world_refuses(&w, 2, "{use: star, bandwith: 5}", HC_EUSAGE, "bandwidth");
  world_refuses(&w, 2, "{use: star, bandwidth_factor: 0}", HC_EUSAGE, "no flow would ever end");
  world_refuses(&w, 2, "{use: star, local_latency: 1s}", HC_EUSAGE, "local_bandwidth");
  world_refuses(&w, 9, "{use: tree, children: [4, 2]}", HC_EUSAGE, "connects 8 hosts, and the cell has 9");
  world_refuses(&w, 2, "tree", HC_EUSAGE, "children");
  world_refuses(&w, 2, "{use: tree, children: [4], bandwidth: [1, 2]}", HC_EUSAGE, "one value for each");
  world_refuses(&w, 2, "fat_tree", HC_EUSAGE, "missing k");
  world_refuses(&w, 2, "{use: fat_tree, k: 7}", HC_EUSAGE, "even number");
  world_refuses(&w, 2, "{use: fat_tree, k: 4, cables: [1]}", HC_EUSAGE, "leave it out");
  world_refuses(&w, 2, "{use: fat_tree, children: [2, 2], parents: [1]}", HC_EUSAGE, "one each");
  world_refuses(&w, 2, "{use: fat_tree, children: [65536, 65536], parents: [1, 60000]}", HC_EUSAGE,
                "numbered");
  world_refuses(&w, 2, "torus", HC_EUSAGE, "dimensions");
  world_refuses(&w, 2, "{use: torus, dimensions: [1000000, 1000000]}", HC_ELIMIT, "numbered");
  world_refuses(&w, 2, "{use: torus, dimensions: [9000]}", HC_ELIMIT, "longest route");
  world_refuses(&w, 2, "{use: dragonfly, groups: 9}", HC_EUSAGE, "lead");
  world_refuses(&w, 100000, "full_mesh", HC_ELIMIT, "links");
  world_refuses(&w, 2, "graph", HC_EUSAGE, "connections");
  world_refuses(&w, 2, "{use: graph, connections: [{from: a, to: b}]}", HC_EUSAGE, "its bandwidth is 0");
  world_refuses(&w, 2, "{use: graph, connections: [{from: a, bandwidth: 1}]}", HC_EUSAGE, "`from` and `to`");
  world_refuses(&w, 2, "{use: graph, connections: [{from: a, to: a, bandwidth: 1}]}", HC_EUSAGE, "to itself");
  world_refuses(&w, 3, "{use: graph, connections: [{from: 0, to: 1, bandwidth: 1}]}", HC_EUSAGE,
                "no connections lead from the host \"0\" to the host \"2\"");
  world_refuses(&w, 1100000, "{use: graph, connections: [{from: 0, to: 1, bandwidth: 1}]}", HC_ELIMIT,
                "computed");
  world_refuses(&w, 2, "{use: simgrid}", HC_EUSAGE, "missing file");
  world_end(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contract),      cmocka_unit_test(test_all_pairs),
      cmocka_unit_test(test_plain),         cmocka_unit_test(test_levels),
      cmocka_unit_test(test_k_ary),         cmocka_unit_test(test_ecmp),
      cmocka_unit_test(test_rack_tree),     cmocka_unit_test(test_torus),
      cmocka_unit_test(test_full_mesh),     cmocka_unit_test(test_rules),
      cmocka_unit_test(test_v14),           cmocka_unit_test(test_v15_v16),
      cmocka_unit_test(test_v17_v18),       cmocka_unit_test(test_v19),
      cmocka_unit_test(test_ties),          cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
