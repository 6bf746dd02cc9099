/* test_simgrid.c -- platforms of SimGrid: units, what a cell makes of them, and every kind of mistake with
 * its place. That routes are SimGrid's own is held by oracle/test_simgrid. */
#define _GNU_SOURCE /* mkstemp; so this stands first */

#include <stdlib.h>
#include <unistd.h>

#include "cluster/lexicon.h"
#include "cluster/platform.h"
#include "hindcast/cell.h"
#include "network_test.h"

#define HEAD "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
#define PLATFORM(text) HEAD "<platform version=\"4.1\">\n" text "\n</platform>\n"
#define FULL(text) PLATFORM("<zone id=\"z\" routing=\"Full\">\n" text "\n</zone>")
#define TWO "<host id=\"a\" speed=\"1Gf\"/> <host id=\"b\" speed=\"1Gf\"/>\n"
#define LINK "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"

/* A file with that text; the caller unlinks it. */
static void write_file(char path[32], const char *text)
{
  int fd;
  strcpy(path, "/tmp/hindcast_test_XXXXXX");
  fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
}

static hc_rc read_text(const char *text, hc_platform *p, hc_error *e)
{
  char path[32];
  hc_rc rc;
  *e = (hc_error){0};
  write_file(path, text);
  rc = hc_platform_read(hc_default_allocator(), path, p, e);
  unlink(path);
  return rc;
}

/* The network of a text, of its own hosts. @param keys more keys, ", factors: plain" */
static hc_rc network_of(world *w, const char *text, const char *keys)
{
  char path[32], yaml[256];
  hc_rc rc;
  write_file(path, text);
  (void)snprintf(yaml, sizeof yaml, "{use: simgrid, file: \"%s\"%s}", path, keys);
  rc = world_network(w, 0, NULL, yaml);
  unlink(path);
  return rc;
}

/* ---- what links draw ---- */

static hc_link_watts watts_of(world *w, uint32_t link)
{
  hc_link_watts x;
  hc_network_watts_of(&w->n, link, &x);
  return x;
}

/* Each direction of a split link draws what its property says; what the file says nothing of, what the key
 * says, but for loopbacks. */
#define WATTS(properties) \
  FULL(TWO "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\">" properties \
           "</link><link id=\"m\" bandwidth=\"1GBps\"/>\n" \
           "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\" direction=\"UP\"/><link_ctn id=\"m\"/></route>")
#define RANGE(value) "<prop id=\"wattage_range\" value=\"" value "\"/>"

#define OFF(value) "<prop id=\"wattage_off\" value=\"" value "\"/>"

static void test_watts(void **state)
{
  static const char *const keys[] = {"", ", link_watts: [1, 4]"};
  world w;
  (void)state;
  world_begin(&w);
  for (int key = 0; key < 2; key++) {
    assert_int_equal(network_of(&w, WATTS(RANGE(" 10.5 : 11 ") OFF("3")), keys[key]), 0);
    assert_true(w.n.facts.draws);
    for (uint32_t i = 0; i < w.n.facts.links; i++) {
      const hc_link_watts x = watts_of(&w, i);
      char name[64];
      w.n.type->link_name(w.n.self, i, name, sizeof name);
      const bool is_split = strncmp(name, "l_", 2) == 0, is_other = strcmp(name, "m") == 0;
      assert_near(x.idle, is_split ? 10.5 : is_other ? key * 1.0 : 0);
      assert_near(x.busy, is_split ? 11 : is_other ? key * 4.0 : 0);
    }
  }
  assert_int_equal(network_of(&w, WATTS("<prop id=\"colour\" value=\"red\"/>"), ""), 0);
  assert_false(w.n.facts.draws);
  assert_int_equal(network_of(&w, WATTS(RANGE("10")), ""), HC_EINPUT);
  assert_non_null(strstr(w.e.text, "is not idle:busy"));
  assert_int_equal(network_of(&w, WATTS(RANGE("10:x")), ""), HC_EINPUT);
  assert_int_equal(network_of(&w, WATTS(OFF("-1")), ""), HC_EINPUT);
  assert_int_equal(network_of(&w, WATTS(RANGE("11:10")), ""), HC_EUSAGE);
  assert_non_null(strstr(w.e.text, "lesser number first"));
  world_end(&w);
}

/* ---- units ---- */

static void test_units(void **state)
{
  static const struct {
    hc_rc (*parse)(const char *s, double *out);
    const char *text;
    double value;
  } cases[] = {{hc_platform_speed, "1.5Gf", 1.5e9},
               {hc_platform_speed, "2megaflops", 2e6},
               {hc_platform_speed, "98.095Mf", 98.095 * 1e6},
               {hc_platform_speed, "3", 3},
               {hc_platform_speed, "1Ef", 1e18},
               {hc_platform_speed, "1e3kf", 1e6},
               {hc_platform_bandwidth, "125MBps", 125e6},
               {hc_platform_bandwidth, "1Gbps", 125e6},
               {hc_platform_bandwidth, "1KiBps", 1024},
               {hc_platform_bandwidth, "8Kibps", 1024},
               {hc_platform_bandwidth, "7", 7},
               {hc_platform_time, "50us", 50 * 1e-6},
               {hc_platform_time, "1.461517ms", 1.461517 * 1e-3},
               {hc_platform_time, "2m", 120},
               {hc_platform_time, "1w", 604800},
               {hc_platform_time, "0", 0},
               {hc_platform_time, "-1s", -1}};
  static const char *const wrong[] = {"",       "f",       "1 Gf", "1Gff",  "Gf1",
                                      "1megaf", "1Gflops", "nan",  "0x10f", "1_000f"};
  double x;
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    if (cases[i].parse(cases[i].text, &x) < 0) fail_msg("%s is not read", cases[i].text);
    if (x < cases[i].value || x > cases[i].value) fail_msg("%s is %.17g", cases[i].text, x);
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++)
    if (hc_platform_speed(wrong[i], &x) == 0) fail_msg("\"%s\" is read as %g", wrong[i], x);
}

/* ---- the cell ---- */

static void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

static hc_rc cell_of(world *w, hc_lexicon *l, const char *text, const char *keys, hc_cell_spec *out)
{
  const hc_resolver r = {.registry = w->registry, .arena = &w->arena};
  const hc_cell_context c = {
      .allocator = hc_default_allocator(), .alloc = arena_alloc, .arena = &w->arena, .lexicon = l};
  char path[32], yaml[256];
  hc_chosen chosen = {0};
  hc_value *v = NULL;
  hc_rc rc;
  w->e = (hc_error){0};
  write_file(path, text);
  (void)snprintf(yaml, sizeof yaml, "{use: simgrid, file: \"%s\"%s}", path, keys);
  rc = hc_value_parse(&w->arena, yaml, strlen(yaml), "test", &v, &w->e);
  if (rc == 0) rc = hc_resolve_component(&r, HC_KIND_CELL, v, "cell", &chosen, &w->e);
  if (rc == 0) rc = ((const hc_cell_type *)chosen.type)->describe(&c, chosen.options, out, &w->e);
  unlink(path);
  return rc;
}

#define CLUSTERS \
  PLATFORM("<zone id=\"w\" routing=\"Full\">\n" \
           "<cluster id=\"c\" prefix=\"n\" suffix=\".x\" radical=\"0-2\" speed=\"1Gf\" core=\"4\" " \
           "bw=\"125MBps\" lat=\"50us\"><prop id=\"gpu\" value=\"no\"/></cluster>\n" \
           "<zone id=\"s\" routing=\"Full\">" \
           "<host id=\"master\" speed=\"4Gf,2Gf\" pstate=\"1\">" \
           "<disk id=\"d\" read_bw=\"1MBps\" write_bw=\"1MBps\"/>" \
           "<prop id=\"role\" value=\"boss\"/></host></zone>\n</zone>")

static void test_cell(void **state)
{
  static const char *const names[] = {"n0.x", "n1.x", "n2.x", "master"};
  hc_lexicon *l = NULL;
  hc_cell_spec spec;
  world w;
  (void)state;
  world_begin(&w);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  if (cell_of(&w, l, CLUSTERS, ", flops: 1000000000", &spec) < 0) fail_msg("%s", w.e.text);
  assert_int_equal(spec.units, 4);
  for (uint32_t i = 0; i < 4; i++) {
    const hc_host_class *c = &spec.classes[spec.class_of[i]];
    assert_string_equal(spec.host_names[i], names[i]);
    assert_int_equal(c->capacity[HC_DIM_CPU], i < 3 ? 4000 : 1000);
    assert_near(c->speed, i < 3 ? 1 : 2); /* the second of its states of power */
    assert_string_equal(c->name, i < 3 ? "c" : "s");
    assert_int_equal(c->attribute_count, i < 3 ? 2 : 3); /* flops, a property, flops_per_state */
    assert_int_equal(spec.levels[0].zone_of[i], i < 3 ? 0 : 1);
  }
  assert_string_equal(spec.levels[0].name, "zone");
  assert_string_equal(spec.note,
                      "1 disks of the platform are those of execution.disks where it says `use: simgrid`");
  /* Without `flops` all hosts run tasks as long as they say. */
  assert_int_equal(cell_of(&w, l, CLUSTERS, ", leave_out: [master]", &spec), 0);
  assert_int_equal(spec.units, 3);
  assert_near(spec.classes[spec.class_of[0]].speed, 1);
  assert_int_equal(cell_of(&w, l, CLUSTERS, ", leave_out: [boss]", &spec), HC_EUSAGE);
  assert_non_null(strstr(w.e.text, "no host \"boss\""));
  assert_int_equal(cell_of(&w, l, CLUSTERS, ", flops: 1", &spec), HC_EUSAGE);
  assert_non_null(strstr(w.e.text, "say another `flops`"));
  hc_lexicon_free(l);
  world_end(&w);
}

#define ELASTISIM \
  PLATFORM("<zone id=\"w\" routing=\"Full\">" \
           "<host id=\"boss\" speed=\"0Gf\"><prop id=\"batch_system\" value=\"true\"/></host>" \
           "<host id=\"a\" speed=\"1Gf\"><prop id=\"pfs_host\" value=\"false\"/></host>" \
           "<host id=\"pfs\" speed=\"0Gf\"><prop id=\"pfs_host\" value=\"true\"/></host></zone>")

/* A property for each role; hosts of speed 0 have one, or are refused. */
static void test_elastisim(void **state)
{
  hc_lexicon *l = NULL;
  hc_cell_spec spec;
  world w;
  (void)state;
  world_begin(&w);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  if (cell_of(&w, l, ELASTISIM, ", roles: elastisim", &spec) < 0) fail_msg("%s", w.e.text);
  assert_int_equal(spec.units, 2);
  assert_string_equal(spec.host_names[0], "a");
  assert_int_equal(spec.classes[spec.class_of[0]].capacity[HC_DIM_CPU], 1000);
  assert_string_equal(spec.host_names[1], "pfs");
  assert_int_equal(spec.classes[spec.class_of[1]].capacity[HC_DIM_CPU], 0);
  assert_int_equal(cell_of(&w, l, ELASTISIM, "", &spec), HC_EUSAGE);
  assert_non_null(strstr(w.e.text, "speed 0 runs no task"));
  hc_lexicon_free(l);
  world_end(&w);
}

/* ---- the network ---- */

/* Hosts are found by name: a cell of some of them, in another order. */
static void test_hosts_by_name(void **state)
{
  static const char *const some[] = {"b", "a"}, *const other[] = {"a", "x"};
  char path[32], yaml[128];
  world w;
  (void)state;
  world_begin(&w);
  write_file(path, FULL(TWO "<host id=\"c\" speed=\"1f\"/>" LINK
                            "<link id=\"m\" bandwidth=\"1kBps\" sharing_policy=\"SPLITDUPLEX\"/>"
                            "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/><link_ctn id=\"m\" "
                            "direction=\"UP\"/></route>"));
  (void)snprintf(yaml, sizeof yaml, "{use: simgrid, file: \"%s\"}", path);
  world_has(&w, 2, some, yaml);
  assert_string_equal(way(&w, 1, 0), "l m_UP");
  assert_string_equal(way(&w, 0, 1), "m_DOWN l");
  assert_string_equal(way(&w, 0, 0), "__loopback__");
  assert_near(w.route.bound, 10e9);
  assert_int_equal(world_network(&w, 2, other, yaml), HC_EUSAGE);
  assert_non_null(strstr(w.e.text, "no host \"x\", which the cell has"));
  world_has(&w, 0, NULL, yaml);
  assert_int_equal(w.n.facts.hosts, 3);
  assert_string_equal(way(&w, 0, 2), "HC_ENOTFOUND"); /* no route: told when it is asked for */
  unlink(path);
  world_end(&w);
}

/* What <config> says holds unless the keys say otherwise. */
static void test_config(void **state)
{
#define CONFIGURED(props) \
  PLATFORM("<config>" props "</config>\n<zone id=\"z\" routing=\"Full\">" TWO LINK \
           "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>")
  world w;
  (void)state;
  world_begin(&w);
  assert_int_equal(network_of(&w, CONFIGURED("<prop id=\"network/loopback-bw\" value=\"5\"/>"), ""), 0);
  assert_near(w.n.facts.rules.latency_factor, 13.01);
  (void)way(&w, 0, 0);
  assert_near(w.route.bound, 5);
  assert_int_equal(
      network_of(&w,
                 CONFIGURED("<prop id=\"network/model\" value=\"CM02\"/><prop id=\"network/TCP-gamma\" "
                            "value=\"20000\"/><prop id=\"network/crosstraffic\" value=\"no\"/>"
                            "<prop id=\"contexts/stack-size\" value=\"16\"/>"),
                 ""),
      0);
  assert_near(w.n.facts.rules.latency_factor, 1);
  assert_near(w.n.facts.rules.tcp_gamma, 20000);
  assert_near(w.n.facts.rules.cross_traffic, 0);
  assert_int_equal(
      network_of(&w, CONFIGURED("<prop id=\"network/weight-S\" value=\"7\"/>"), ", latency_factor: 3"), 0);
  assert_near(w.n.facts.rules.weight_s, 7);
  assert_near(w.n.facts.rules.latency_factor, 3);
  assert_int_equal(
      network_of(&w, CONFIGURED("<prop id=\"network/weight-S\" value=\"7\"/>"), ", factors: plain"), 0);
  assert_near(w.n.facts.rules.weight_s, 0);
  assert_int_equal(network_of(&w, CONFIGURED("<prop id=\"network/model\" value=\"SMPI\"/>"), ""),
                   HC_EUNSUPPORTED);
  assert_int_equal(network_of(&w, CONFIGURED("<prop id=\"network/weight-S\" value=\"x\"/>"), ""), HC_EINPUT);
  world_end(&w);
}

/* ---- mistakes ---- */

typedef struct mistake {
  const char *text;
  hc_rc rc;
  uint32_t line;
  const char *part;
} mistake;

/* Lines: 1 declaration, 2 DOCTYPE, 3 platform, 4 the first of the text (FULL: the zone, and 5 its first). */
static const mistake in_file[] = {
    {"", HC_EINPUT, 1, "not well-formed"},
    {HEAD "<platform version=\"4.1\">", HC_EINPUT, 3, "not well-formed"},
    {PLATFORM(""), HC_EINPUT, 0, "it has no zone"},
    {HEAD "<platform version=\"3\"></platform>", HC_EINPUT, 3, "versions 4 and 4.1"},
    {HEAD "<table/>", HC_EINPUT, 3, "no element of a platform"},
    {PLATFORM("<host id=\"a\" speed=\"1f\"/>"), HC_EINPUT, 4, "does not belong here"},
    {PLATFORM("<zone id=\"z\" routing=\"Best\"/>"), HC_EINPUT, 4, "expected Full"},
    {PLATFORM("<zone id=\"z\" routing=\"Wifi\"/>"), HC_EUNSUPPORTED, 4, "wifi"},
    {PLATFORM("<zone id=\"z\" routing=\"Full\"/>\n<zone id=\"y\" routing=\"Full\"/>"), HC_EINPUT, 5,
     "second zone"},
    {FULL("<host id=\"a\"/>"), HC_EINPUT, 5, "needs the attribute speed"},
    {FULL("<host id=\"a\" speed=\"-1Gf\"/>"), HC_EINPUT, 5, "is less than 0"},
    {FULL("<host id=\"a\" speed=\"1Gx\"/>"), HC_EINPUT, 5, "unit such as 1.5Gf"},
    {FULL("<host id=\"a\" speed=\"1f\" core=\"0\"/>"), HC_EINPUT, 5, "number of cores"},
    {FULL("<host id=\"a\" speed=\"1f\" pstate=\"2\"/>"), HC_EINPUT, 5, "there are 1 speeds"},
    {FULL("<host id=\"a\" speed=\"1f\" cores=\"2\"/>"), HC_EINPUT, 5, "no attribute \"cores\""},
    {FULL("<host id=\"a\" speed=\"1f\" speed_file=\"x\"/>"), HC_EUNSUPPORTED, 5, "changes during a run"},
    {FULL(TWO "<router id=\"a\"/>"), HC_EINPUT, 6, "\"a\" already"},
    {FULL("<link id=\"l\" bandwidth=\"0\"/>"), HC_EINPUT, 5, "it must be more"},
    {FULL("<link id=\"l\" bandwidth=\"-1MBps\"/>"), HC_EINPUT, 5, "negative"},
    {FULL("<link id=\"l\" bandwidth=\"1Bps\" latency=\"-1s\"/>"), HC_EINPUT, 5, "negative"},
    {FULL("<link id=\"l\" bandwidth=\"1Bps\" sharing_policy=\"WIFI\"/>"), HC_EUNSUPPORTED, 5, "wifi"},
    {FULL(LINK LINK), HC_EINPUT, 6, "\"l\" already"},
    {FULL(TWO "<route src=\"a\" dst=\"c\"/>"), HC_EINPUT, 6, "dst=\"c\": no host"},
    {FULL(TWO "<route src=\"a\" dst=\"b\"/>"), HC_EINPUT, 6, "no link"},
    {FULL(TWO "<route src=\"a\" dst=\"b\">\n<link_ctn id=\"l\"/></route>"), HC_EINPUT, 7, "no link \"l\""},
    {FULL(TWO LINK "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\" direction=\"UP\"/></route>"), HC_EINPUT, 7,
     "it is not split"},
    {FULL(TWO LINK "<route src=\"a\" dst=\"z\"><link_ctn id=\"l\"/></route>"), HC_EINPUT, 7, "a zone"},
    {FULL(TWO LINK "<route src=\"a\" dst=\"b\" symmetrical=\"maybe\"/>"), HC_EINPUT, 7, "YES or NO"},
    {FULL("<trace id=\"t\" file=\"x\" periodicity=\"1\"/>"), HC_EUNSUPPORTED, 5, "changes during a run"},
    {PLATFORM("<include file=\"other.xml\"/>"), HC_EUNSUPPORTED, 4, "<include> is not read"},
    {PLATFORM("<actor host=\"a\" function=\"f\"/>"), HC_EUNSUPPORTED, 4, "said by the workload"},
    {PLATFORM("<cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"0-2000000000\" speed=\"1f\" "
              "bw=\"1Bps\" lat=\"0\"/>"),
     HC_ELIMIT, 4, "more than 16777216 hosts"},
    {PLATFORM(
         "<cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"2-x\" speed=\"1f\" bw=\"1Bps\" lat=\"0\"/>"),
     HC_EINPUT, 4, "radical"},
    {PLATFORM(
         "<cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"2-1\" speed=\"1f\" bw=\"1Bps\" lat=\"0\"/>"),
     HC_EINPUT, 4, "names no host"},
    {PLATFORM("<cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"1\" speed=\"1f\" bw=\"1Bps\" lat=\"0\" "
              "bb_lat=\"1s\"/>"),
     HC_EINPUT, 4, "bb_lat without bb_bw"},
    {PLATFORM("<zone id=\"z\" routing=\"Full\"><peer id=\"p\" speed=\"1f\" bw_in=\"1Bps\" "
              "bw_out=\"1Bps\"/></zone>"),
     HC_EINPUT, 4, "Vivaldi"},
    {PLATFORM("<zone id=\"z\" routing=\"Cluster\"><host_link id=\"h\" up=\"u\" down=\"d\"/></zone>"),
     HC_EINPUT, 4, "no host \"h\""},
    /* what could make a small file large, or read another one */
    {"<!DOCTYPE platform [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n"
     "<platform version=\"4.1\">&b;</platform>",
     HC_EINPUT, 1, "declares entities"},
    {"<!DOCTYPE platform [<!ENTITY a SYSTEM \"/etc/passwd\">]>\n<platform version=\"4.1\"/>", HC_EINPUT, 1,
     "declares"},
    {HEAD "<platform version=\"4.1\">&other;</platform>", HC_EINPUT, 3, "entity"},
};

static void test_mistakes_of_files(void **state)
{
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(in_file); i++) {
    hc_platform p;
    hc_error e;
    const hc_rc rc = read_text(in_file[i].text, &p, &e);
    if (rc == 0) fail_msg("this is read: %s", in_file[i].text);
    if (rc != in_file[i].rc || e.line != in_file[i].line || !strstr(e.text, in_file[i].part))
      fail_msg("case %zu: %d, line %u: %s", i, rc, e.line, e.text);
    assert_true(e.where[0] != '\0');
  }
}

#define CLUSTER(topology, parameters) \
  PLATFORM("<cluster id=\"c\" prefix=\"\" suffix=\"\" radical=\"0-3\" speed=\"1f\" bw=\"1Bps\" lat=\"0\" " \
           "topology=\"" topology "\" topo_parameters=\"" parameters "\"/>")

static const mistake in_network[] = {
    {CLUSTER("TORUS", ""), HC_EINPUT, 4, "a torus is its sizes"},
    {CLUSTER("TORUS", "2,3"), HC_EINPUT, 4, "6 hosts, and radical names 4"},
    {CLUSTER("TORUS", "2,0"), HC_EINPUT, 4, "a torus is its sizes"},
    {CLUSTER("FAT_TREE", "2;2,2;1"), HC_EINPUT, 4, "a fat tree is levels"},
    {CLUSTER("FAT_TREE", "2;2,2;1,2;1,9999999"), HC_EINPUT, 4, "a fat tree is levels"},
    {CLUSTER("FAT_TREE", "1;3;1;1"), HC_EINPUT, 4, "3 hosts, and radical names 4"},
    {CLUSTER("DRAGONFLY", "4,1;1,1;1,1;1"), HC_EINPUT, 4, "more groups than blades"},
    {CLUSTER("DRAGONFLY", "4;1;1;1"), HC_EINPUT, 4, "a dragonfly is"},
    {PLATFORM("<zone id=\"z\" routing=\"Vivaldi\">" TWO "</zone>"), HC_EINPUT, 4, "has no coordinates"},
    {FULL(TWO LINK "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\n<route src=\"b\" dst=\"a\">"
                   "<link_ctn id=\"l\"/></route>"),
     HC_EINPUT, 8, "from \"b\" to \"a\" already"},
};

static void test_mistakes_of_networks(void **state)
{
  world w;
  (void)state;
  world_begin(&w);
  for (size_t i = 0; i < HC_ARRAY_LEN(in_network); i++) {
    const hc_rc rc = network_of(&w, in_network[i].text, "");
    if (rc != in_network[i].rc || w.e.line != in_network[i].line || !strstr(w.e.text, in_network[i].part))
      fail_msg("case %zu: %d, line %u: %s", i, rc, w.e.line, w.e.text);
  }
  assert_int_equal(world_network(&w, 0, NULL, "{use: simgrid, file: /nowhere.xml}"), HC_EIO);
  world_end(&w);
}

/* 200 zones in each other are more than a platform has. */
static void test_depth(void **state)
{
  static char text[16384];
  hc_platform p;
  hc_error e;
  size_t n = (size_t)snprintf(text, sizeof text, "%s<platform version=\"4.1\">", HEAD);
  (void)state;
  for (int i = 0; i < 200; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "<zone id=\"z%d\" routing=\"Full\">", i);
  assert_int_equal(read_text(text, &p, &e), HC_EINPUT);
  assert_string_equal(e.text, "more than 64 elements are within each other");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_watts),
                                     cmocka_unit_test(test_cell),
                                     cmocka_unit_test(test_elastisim),
                                     cmocka_unit_test(test_config),
                                     cmocka_unit_test(test_hosts_by_name),
                                     cmocka_unit_test(test_depth),
                                     cmocka_unit_test(test_mistakes_of_files),
                                     cmocka_unit_test(test_mistakes_of_networks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
