/* test_topology.c -- placements that look at the switches above hosts, or at zones, through whole runs: which
 * hosts a task gets, drawn by hand on trees; what is refused; and how long a task takes by where it is.
 *
 * The tree has three racks of four hosts, a to l, each host with 2 cores:
 *
 *               root
 *       /        |        \
 *     r0        r1        r2
 *   a b c d   e f g h   i j k l
 *
 * The fat tree is k = 4: edge switches of 2 hosts, pods of 4, four pods. Tasks that only fill hosts say which
 * (`hosts`); times are 0 for these and 1 for those that are placed. */
#include "../engine/tasks_test.h"

#define TREE \
  "execution: {use: activities, cpu_speed: 1, network: {use: tree, children: [4, 3], bandwidth: 100}}\n"
#define FAT "execution: {use: activities, cpu_speed: 1, network: {use: fat_tree, k: 4, bandwidth: 100}}\n"
#define CELL(n) "cell: {use: hosts, classes: [{name_prefix: h, count: " #n ", cpus: 2}]}\n"
#define OF_FOUR "cell: {use: hosts, classes: [{name_prefix: h, count: 4, cpus: 4}]}\n"
#define PLACE(...) "policy: {use: batch, select: blocking, place: {use: " __VA_ARGS__ "}}\n"
#define FILL(id, hosts) \
  "- {id: " #id ", submit_time: 0, hosts: [" hosts \
  "], resources: {nodes_count: 1, cpu_per_node: 2}, profile: " \
  "{idle: 100}}\n"
#define WANT(id, hosts) \
  "- {id: " #id ", submit_time: 1, resources: {nodes_count: " #hosts \
  ", cpu_per_node: 2}, profile: {idle: 10}}\n"

typedef struct places {
  int64_t serial;
  char text[512];
} places;

static hc_rc take_grant(void *ctx, const char *const *v)
{
  places *p = ctx;
  char one[32];
  if (strtoll(v[0], NULL, 10) != p->serial) return 0;
  (void)snprintf(one, sizeof one, strcmp(v[2], "1") == 0 ? "%s%s" : "%s%sx%s", p->text[0] ? " " : "", v[1],
                 v[2]);
  (void)strcat(p->text, one);
  return 0;
}

/* The hosts of a task, "0 1 5x3": three slots on host 5. */
static void assert_hosts(const char *tasks, const char *yaml, int64_t id, const char *hosts)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    char file[64];
    places p = {.text = ""};
    hc_result *r;
    bench b;
    check(&b, try_tasks(&b, file, tasks, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    p.serial = record_of(&b, id)->serial;
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    check(&b, hc_result_rows(r, "grants", 12, take_grant, &p, &b.error));
    hc_result_free(r);
    if (strcmp(p.text, hosts) != 0)
      fail_msg("%s%s: task %" PRId64 " is on %s, not %s", tasks, yaml, id, p.text, hosts);
    end(&b);
    (void)unlink(file);
  }
}

/* ---- compact ---- */

/* b, e and f are taken: r0 has 3, r1 2, r2 4. Two fit in r1, which is the least; three in r0; four in r2;
 * five are over racks: all of r2, then one of the rack with the least, r1; seven are r2 and r0. */
static void test_tree(void **state)
{
  const char *yaml = CELL(12) TREE PLACE("compact");
  (void)state;
#define TAKEN FILL(1, "h-1") FILL(2, "h-4") FILL(3, "h-5")
  assert_hosts(TAKEN WANT(9, 1), yaml, 9, "0");
  assert_hosts(TAKEN WANT(9, 2), yaml, 9, "6 7");
  assert_hosts(TAKEN WANT(9, 3), yaml, 9, "0 2 3");
  assert_hosts(TAKEN WANT(9, 4), yaml, 9, "8 9 10 11");
  assert_hosts(TAKEN WANT(9, 5), yaml, 9, "6 8 9 10 11");
  assert_hosts(TAKEN WANT(9, 7), yaml, 9, "0 2 3 8 9 10 11");
  assert_hosts(TAKEN WANT(9, 9), yaml, 9, "0 2 3 6 7 8 9 10 11");
  /* the lowest hosts, as ever */
  assert_hosts(TAKEN WANT(9, 5), CELL(12) TREE PLACE("first_fit"), 9, "0 2 3 6 7");
}

/* Pods of hosts 0-3, 4-7, 8-11, 12-15. 0 and 2 are taken: two go under an edge switch that is whole (4 5),
 * not to 1 and 3, which have two switches between them; with 5 and 7 taken too, to 8 9; three go to the pod
 * 8-11, since no pod below has three; six to it and, of what is left, to a pod of two. */
static void test_fat_tree(void **state)
{
  const char *yaml = CELL(16) FAT PLACE("compact");
  (void)state;
  assert_hosts(FILL(1, "h-0") FILL(2, "h-2") WANT(9, 2), yaml, 9, "4 5");
#define FOUR FILL(1, "h-0") FILL(2, "h-2") FILL(3, "h-5") FILL(4, "h-7")
  assert_hosts(FOUR WANT(9, 1), yaml, 9, "1");
  assert_hosts(FOUR WANT(9, 2), yaml, 9, "8 9");
  assert_hosts(FOUR WANT(9, 3), yaml, 9, "8 9 10");
  assert_hosts(FOUR WANT(9, 6), yaml, 9, "1 3 8 9 10 11");
  assert_hosts(FOUR WANT(9, 12), yaml, 9, "1 3 4 6 8 9 10 11 12 13 14 15");
}

/* Slots that may share hosts: five of one core, while host 4 has one core left and the others two. One host
 * has room for two; three cores of r1's seven, or of the eight of r0 and r2: r1. One slot goes where least
 * is left. */
static void test_slots(void **state)
{
  const char *half = "- {id: 1, submit_time: 0, hosts: [h-4], resources: {nodes_count: 1, cpu_per_node: 1}, "
                     "profile: {idle: 100}}\n";
  char tasks[1024];
  (void)state;
#define CORES(n) "- {id: 9, submit_time: 1, resources: {cpu: 1, slots: " #n "}, profile: {idle: 10}}\n"
  (void)snprintf(tasks, sizeof tasks, "%s%s", half, WANT(9, 4));
  assert_hosts(tasks, CELL(12) TREE PLACE("compact"), 9, "0 1 2 3");
  (void)snprintf(tasks, sizeof tasks, "%s%s", half, WANT(9, 3));
  assert_hosts(tasks, CELL(12) TREE PLACE("compact"), 9, "5 6 7");
}

/* Processors of a log, a slot each, on hosts of four: two racks of two hosts. Three of the log's are on one
 * host, five on two of a rack, nine take a whole rack and one more. */
static void assert_log(const char *yaml, int64_t procs, const char *hosts)
{
  const job jobs[] = {J(1, 0, 10, procs, 10)};
  places p = {.text = ""};
  hc_result *r;
  bench b;
  begin(&b, yaml, 16, jobs, 1, NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "grants", 12, take_grant, &p, &b.error));
  hc_result_free(r);
  assert_string_equal(p.text, hosts);
  end(&b);
}

static void test_log(void **state)
{
  static const struct {
    int64_t procs;
    const char *hosts;
  } wants[] = {{3, "0x3"}, {4, "0x4"}, {5, "0x4 1"}, {8, "0x4 1x4"}, {9, "0x4 1x4 2"}};
  (void)state;
  for (size_t i = 0; i < COUNT(wants); i++)
    assert_log(OF_FOUR
               "execution: {use: activities, network: {use: tree, children: [2, 2]}}\n" PLACE("compact"),
               wants[i].procs, wants[i].hosts);
}

/* ---- boxes, routers, and hosts that are near each other ---- */

/* A torus of 4 x 4, host x + 4 y: boxes of 2 x 2 are {0 1 4 5}, {2 3 6 7}, {8 9 12 13} and {10 11 14 15},
 * and all. With 0 taken three go to the rest of its box, which has least; four to the next box; five to a
 * whole box and one of the box where least is left. */
static void test_torus(void **state)
{
#define TORUS \
  "execution: {use: activities, cpu_speed: 1, network: {use: torus, dimensions: [4, 4], bandwidth: 100}}\n"
  const char *yaml = CELL(16) TORUS PLACE("compact");
  (void)state;
  assert_hosts(FILL(1, "h-0") WANT(9, 3), yaml, 9, "1 4 5");
  assert_hosts(FILL(1, "h-0") WANT(9, 4), yaml, 9, "2 3 6 7");
  assert_hosts(FILL(1, "h-0") WANT(9, 5), yaml, 9, "1 2 3 6 7");
  assert_hosts(WANT(9, 4), CELL(16) TORUS PLACE("same_zone"), 9, "0 1 4 5");
  assert_hosts(WANT(9, 4), CELL(16) TORUS PLACE("spread_zones"), 9, "0 2 8 10");
  assert_hosts(WANT(9, 4), CELL(16) TORUS PLACE("first_fit"), 9, "0 1 2 3");
}

/* Two groups of two chassis of two blades of two hosts: blades {0 1}, {2 3} ..., chassis of four, groups of
 * eight. With 0 taken two go to a whole blade of its chassis, where least room suffices at the level of
 * blades: all whole blades have two, the first of them is {2 3}; three go to the rest of the chassis, seven
 * to the rest of the group. */
static void test_dragonfly(void **state)
{
#define DRAGONFLY \
  "execution: {use: activities, cpu_speed: 1, network: {use: dragonfly, groups: 2, chassis: 2, blades: 2, " \
  "nodes: 2, bandwidth: 100}}\n"
  const char *yaml = CELL(16) DRAGONFLY PLACE("compact");
  (void)state;
  assert_hosts(FILL(1, "h-0") WANT(9, 2), yaml, 9, "2 3");
  assert_hosts(FILL(1, "h-0") WANT(9, 3), yaml, 9, "1 2 3");
  assert_hosts(FILL(1, "h-0") WANT(9, 7), yaml, 9, "1 2 3 4 5 6 7");
  assert_hosts(WANT(9, 3), CELL(16) DRAGONFLY PLACE("spread_zones"), 9, "0 2 4");
}

/* No two hosts are nearer than others: as few as suffice, or as many as there are. */
static void test_full_mesh(void **state)
{
#define MESH "execution: {use: activities, cpu_speed: 1, network: {use: full_mesh, bandwidth: 100}}\n"
  (void)state;
  assert_log(OF_FOUR MESH PLACE("compact"), 5, "0x4 1");
  assert_log(OF_FOUR MESH PLACE("same_zone"), 5, "0x4 1");
  assert_log(OF_FOUR MESH PLACE("spread_zones"), 5, "0x2 1 2 3");
}

/* Switches s, t and u, two hosts each, 1 ms a host; s and t are 2 ms apart, t and u 10 ms. Hosts of a switch
 * are 2 ms apart: the first level; those of s and t 4 ms: the second, at twice as much; u's are 12 ms from
 * t's and 14 ms from s's: 8 ms is too little, 16 ms is all. By hops they are 2, 3 and 4 apart: the second
 * level, of 4, has all. */
static void test_graph(void **state)
{
#define GRAPH(more) \
  "execution: {use: activities, cpu_speed: 1, network: {use: graph, " more "connections: [" \
  "{from: h-0, to: s, bandwidth: 100, latency: 1ms}, {from: h-3, to: s, bandwidth: 100, latency: 1ms}, " \
  "{from: h-1, to: t, bandwidth: 100, latency: 1ms}, {from: h-4, to: t, bandwidth: 100, latency: 1ms}, " \
  "{from: h-2, to: u, bandwidth: 100, latency: 1ms}, {from: h-5, to: u, bandwidth: 100, latency: 1ms}, " \
  "{from: s, to: t, bandwidth: 100, latency: 2ms}, {from: t, to: u, bandwidth: 100, latency: 10ms}]}}\n"
  const char *yaml = CELL(6) GRAPH("") PLACE("compact");
  (void)state;
  assert_hosts(WANT(9, 2), yaml, 9, "0 3");
  assert_hosts(FILL(1, "h-3") WANT(9, 2), yaml, 9, "1 4");
  assert_hosts(FILL(1, "h-0") WANT(9, 3), yaml, 9, "1 3 4");
  assert_hosts(FILL(1, "h-0") FILL(2, "h-1") WANT(9, 2), yaml, 9, "2 5");
  assert_hosts(FILL(1, "h-0") FILL(2, "h-1") FILL(3, "h-2") WANT(9, 2), yaml, 9, "3 4");
  assert_hosts(FILL(1, "h-0") FILL(2, "h-1") FILL(3, "h-2") WANT(9, 2),
               CELL(6) GRAPH("near: hops, ") PLACE("compact"), 9, "3 4");
  assert_hosts(WANT(9, 3), CELL(6) GRAPH("") PLACE("spread_zones"), 9, "0 1 2");
}

/* ---- zones ---- */

#define RACKS \
  "cell: {use: hosts, classes: [{name_prefix: h, count: 8, cpus: 2}], " \
  "zones: [{name: rack, sizes: [2, 3, 3]}, {name: row, sizes: [5, 3]}]}\n"

/* Racks {0 1}, {2 3 4} and {5 6 7}, of which the first two are a row. Two go to the least rack, three to the
 * first that has three; four are over racks: all of the first with most, and one where least is left; with 2
 * taken they are the third rack and the first, but with rows the whole north. */
static void test_zones(void **state)
{
  (void)state;
  assert_hosts(WANT(9, 2), RACKS PLACE("same_zone, over: rack"), 9, "0 1");
  assert_hosts(WANT(9, 3), RACKS PLACE("same_zone, over: rack"), 9, "2 3 4");
  assert_hosts(WANT(9, 4), RACKS PLACE("same_zone, over: rack"), 9, "0 2 3 4");
  assert_hosts(FILL(1, "h-2") WANT(9, 4), RACKS PLACE("same_zone, over: rack"), 9, "0 5 6 7");
  assert_hosts(FILL(1, "h-2") WANT(9, 4), RACKS PLACE("compact, over: [rack, row]"), 9, "0 1 3 4");
  assert_hosts(WANT(9, 5), CELL(12) TREE PLACE("same_zone"), 9, "0 1 2 3 4");
}

/* One each from {2 3 4}, {5 6 7} and {0 1}, which has least; then again. Over racks of a tree one each, from
 * those with most first. */
static void test_spread(void **state)
{
  (void)state;
  assert_hosts(WANT(9, 1), RACKS PLACE("spread_zones, over: rack"), 9, "2");
  assert_hosts(WANT(9, 2), RACKS PLACE("spread_zones, over: rack"), 9, "2 5");
  assert_hosts(WANT(9, 3), RACKS PLACE("spread_zones, over: rack"), 9, "0 2 5");
  assert_hosts(WANT(9, 5), RACKS PLACE("spread_zones, over: rack"), 9, "0 2 3 5 6");
  assert_hosts(WANT(9, 7), RACKS PLACE("spread_zones, over: rack"), 9, "0 1 2 3 4 5 6");
  assert_hosts(FILL(1, "h-0") FILL(2, "h-1") WANT(9, 3), CELL(12) TREE PLACE("spread_zones"), 9, "2 4 8");
}

/* ---- links ---- */

/* a sends to b and e to f all the time, so that their cables are full; each has a core free. Two tasks of
 * one core go where least is in use on average: half of r0 and of r1, nothing of r2. One goes to an empty
 * cable. Where f sends to i over the root, r1 and r2 have a quarter in use, and f is avoided; five hosts are
 * over racks: those of r0, whose way up is empty, and one of r1. */
static void test_links(void **state)
{
#define TALK(id, from, to) \
  "- {id: " #id ", submit_time: 0, hosts: [" from ", " to \
  "], resources: {nodes_count: 2, cpu_per_node: 1}, profile: " \
  "{communication_matrix: [0, 1e6, 0, 0]}}\n"
#define TWO_OF(id, n) \
  "- {id: " #id ", submit_time: 1, resources: {nodes_count: " #n ", cpu_per_node: 1}, profile: {idle: 10}}\n"
  const char *yaml = CELL(12) TREE PLACE("least_loaded");
  (void)state;
  assert_hosts(TALK(1, "h-0", "h-1") TALK(2, "h-4", "h-5") TWO_OF(9, 2), yaml, 9, "8 9");
  assert_hosts(TALK(1, "h-0", "h-1") TALK(2, "h-4", "h-5") TWO_OF(9, 1), yaml, 9, "2");
  assert_hosts(TALK(1, "h-0", "h-1") TALK(2, "h-5", "h-8") TWO_OF(9, 2), yaml, 9, "4 6");
  assert_hosts(TALK(1, "h-0", "h-1") TALK(2, "h-5", "h-8") TWO_OF(9, 5), yaml, 9, "0 1 2 3 4");
}

/* Cables between equals are ways out of either end. On the torus 0 sends to 1: their cable is full, and of
 * its box two of four hosts have a full one; the next box has none. On the dragonfly 0 sends to 8, in the
 * other group, by way of the second blade: the cables of both blades of its chassis are full, and four go to
 * the next chassis. On the mesh 0 and 1 are avoided, one slot each on 2 and 3. */
static void test_links_between_equals(void **state)
{
  (void)state;
  assert_hosts(TALK(1, "h-0", "h-1") TWO_OF(9, 2), CELL(16) TORUS PLACE("least_loaded"), 9, "2 3");
  assert_hosts(TALK(1, "h-0", "h-8") TWO_OF(9, 4), CELL(16) DRAGONFLY PLACE("least_loaded"), 9, "4 5 6 7");
  assert_hosts(TALK(1, "h-0", "h-1") TWO_OF(9, 2), CELL(4) MESH PLACE("least_loaded"), 9, "2 3");
  assert_hosts(TALK(1, "h-0", "h-3") TWO_OF(9, 2), CELL(6) GRAPH("") PLACE("least_loaded"), 9, "1 4");
}

/* ---- how long it takes ---- */

/* A master and three workers, to each of which it sends 1000: in one rack its own cable of 100 is the
 * bottleneck, 30 s. Of racks of two hosts, with cables of 10 above, what is sent to the two workers in the
 * other rack shares one of these, 200 s; with the workers in two other racks, the master's cable upwards has
 * all three. */
static void test_length(void **state)
{
  static const struct {
    const char *place, *children;
    double end;
  } runs[] = {{"compact", "[4, 3]", 30}, {"compact", "[2, 6]", 200}, {"spread_zones", "[2, 6]", 300}};
  (void)state;
  for (size_t i = 0; i < COUNT(runs); i++) {
    char yaml[1024], file[64];
    bench b;
    (void)snprintf(
        yaml, sizeof yaml,
        CELL(12) "execution: {use: activities, cpu_speed: 1, network: {use: tree, children: %s, bandwidth: "
                 "[100, 10]}}\npolicy: {use: batch, select: blocking, place: %s}\n",
        runs[i].children, runs[i].place);
    check(&b, try_tasks(&b, file,
                        "- {id: 1, submit_time: 0, resources: {nodes_count: 4, cpu_per_node: 1}, profile: "
                        "{master_workers: {data_transfer_size: 1000}}}\n",
                        yaml));
    finish(&b);
    assert_int_equal(end_of(&b, 1), (int64_t)runs[i].end);
    end(&b);
    (void)unlink(file);
  }
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
  (void)state;
  assert_refused(WANT(1, 1), CELL(4) PLACE("compact"), HC_EUSAGE, "no network that has any");
  assert_refused(WANT(1, 1), CELL(4) "execution: {use: activities, network: shared}\n" PLACE("least_loaded"),
                 HC_EUSAGE, "constant, shared and");
  assert_refused(WANT(1, 1), RACKS PLACE("compact, over: [aisle]"), HC_EUSAGE, "no level \"aisle\"");
  assert_refused(WANT(1, 1), RACKS PLACE("compact, over: [row, rack]"), HC_EUSAGE,
                 "a row lies in two zones of rack");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree),      cmocka_unit_test(test_fat_tree),
      cmocka_unit_test(test_slots),     cmocka_unit_test(test_log),
      cmocka_unit_test(test_zones),     cmocka_unit_test(test_spread),
      cmocka_unit_test(test_links),     cmocka_unit_test(test_links_between_equals),
      cmocka_unit_test(test_torus),     cmocka_unit_test(test_dragonfly),
      cmocka_unit_test(test_full_mesh), cmocka_unit_test(test_graph),
      cmocka_unit_test(test_length),    cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
