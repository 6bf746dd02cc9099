/* test_host_cells.c -- cells of hosts as users describe them: in a run file, or in a table. */
#include "cell_test.h"

/* ---- hosts ---- */

/* Figure 4.10 of the DSLab-CS thesis: 5 hosts of 20 cores and 20 GB, 5 of 5 cores and 60 GB. */
static void the_thesis_has_ten_hosts(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, "{use: hosts, classes: [{count: 5, cpus: 20, memory: 20GB, name_prefix: c},"
                "                       {count: 5, cpus: 5, memory: 60GB, name_prefix: m}]}");
  assert_int_equal(w.cell.granularity, HC_CELL_HOSTS);
  assert_int_equal(w.cell.units, 10);
  assert_int_equal(w.cell.class_count, 2);
  assert_string_equal(w.cell.classes[0].name, "c");
  assert_string_equal(w.cell.classes[1].name, "m");
  for (uint32_t i = 0; i < 10; i++) {
    char name[8];
    (void)snprintf(name, sizeof name, "%c-%u", i < 5 ? 'c' : 'm', i % 5);
    assert_string_equal(w.cell.host_names[i], name); /* c-0 to c-4, then m-0 to m-4 */
    assert_int_equal(w.cell.class_of[i], i / 5);
  }
  assert_int_equal(w.cell.classes[0].capacity[HC_DIM_CPU], 20000); /* thousandths */
  assert_int_equal(w.cell.classes[0].capacity[HC_DIM_MEMORY], INT64_C(20000000000));
  assert_int_equal(total(&w, HC_DIM_CPU), 125000); /* 5 x 20 + 5 x 5 cores */
  assert_int_equal(total(&w, HC_DIM_MEMORY), INT64_C(400000000000));
  assert_null(w.cell.absent);
  assert_int_equal(w.cell.event_count, 0);
  assert_null(w.cell.note);
  assert_true(w.cell.classes[0].speed == 1);
  world_end(&w);
}

/* The example is what the test above says. */
static void the_example_is_the_figure(void **state)
{
  HC_UNUSED(state);
  world w;
  hc_value *root = NULL;
  hc_buffer text;
  world_begin(&w);
  assert_int_equal(
      hc_value_parse_file(&w.arena, HC_TEST_SOURCE_DIR "/examples/thesis-4-10.yaml", &root, &w.e), 0);
  hc_buffer_init(&text, hc_default_allocator());
  hc_value_write_json(hc_value_get(root, "cell"), &text, false);
  world_has(&w, text.data);
  assert_int_equal(w.cell.units, 10);
  assert_int_equal(total(&w, HC_DIM_CPU), 125000);
  assert_int_equal(total(&w, HC_DIM_MEMORY), INT64_C(400000000000));
  assert_string_equal(w.cell.host_names[9], "m-4");
  hc_buffer_fini(&text);
  world_end(&w);
}

static void a_class_has_everything(void **state)
{
  HC_UNUSED(state);
  world w;
  const hc_host_class *c;
  world_begin(&w);
  world_has(
      &w,
      "{use: hosts, licences: [matlab=50, ansys=3], classes: [{name: gpu, count: 2, name_prefix: g, "
      "cpus: 0.0001, memory: 1GiB, disk: 2TB, gpus: 4, gpu_model: V100, features: [ssd, ib], "
      "attributes: ['kernel=5', 'rack_type=b', 'os=5.1'], amounts: ['fpga=2', 'burst=1TB'], speed: 1.5}]}");
  c = class_of(&w, "g-1");
  assert_string_equal(c->name, "gpu");
  assert_int_equal(c->capacity[HC_DIM_CPU], 1); /* a part of a thousandth is never nothing */
  assert_int_equal(c->capacity[HC_DIM_MEMORY], 1073741824);
  assert_int_equal(c->capacity[HC_DIM_DISK], INT64_C(2000000000000));
  assert_int_equal(c->capacity[HC_DIM_GPU], 4 * HC_DEVICE);
  assert_int_equal(c->devices, 4);
  const int fpga = hc_lexicon_dimension(w.lexicon, "fpga", 4),
            burst = hc_lexicon_dimension(w.lexicon, "burst", 5);
  assert_int_equal(c->capacity[fpga], 2);
  assert_int_equal(c->capacity[burst], INT64_C(1000000000000));
  assert_int_equal(w.cell.shared[hc_lexicon_dimension(w.lexicon, "matlab", 6)], 50);
  assert_int_equal(w.cell.shared[hc_lexicon_dimension(w.lexicon, "ansys", 5)], 3);
  assert_true(c->speed == 1.5);
  assert_int_equal(c->attribute_count, 6); /* the model, two features, three attributes */
  assert_string_equal(hc_lexicon_text(w.lexicon, c->attributes[0].name), "gpu_model");
  assert_int_equal(c->attributes[0].is_text, 1);
  assert_string_equal(hc_lexicon_text(w.lexicon, (uint32_t)c->attributes[0].value), "V100");
  assert_string_equal(hc_lexicon_text(w.lexicon, c->attributes[2].name), "ib");
  assert_int_equal(c->attributes[2].is_text, 0);
  assert_int_equal(c->attributes[2].value, 1); /* a feature has the value 1 */
  assert_int_equal(c->attributes[3].value, 5);
  assert_int_equal(c->attributes[3].is_text, 0);
  assert_int_equal(c->attributes[4].is_text, 1);
  assert_int_equal(c->attributes[5].is_text, 1); /* 5.1 is no whole number */
  world_end(&w);
}

static void names_are_as_dslab_has_them(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(
      &w,
      "{use: hosts, classes: [{name: login, cpus: 1}, {name: a, count: 2, cpus: 1}, {name_prefix: b, cpus: "
      "1}, {name: x, name_prefix: y, cpus: 1}, {name: z, name_prefix: q, count: 2, cpus: 1}]}");
  assert_int_equal(w.cell.units, 7);
  assert_string_equal(w.cell.host_names[0], "login"); /* one of a name */
  assert_string_equal(w.cell.host_names[1], "a-0");   /* several: the name is the prefix */
  assert_string_equal(w.cell.host_names[2], "a-1");
  assert_string_equal(w.cell.host_names[3], "b-0"); /* one without a name */
  assert_string_equal(w.cell.host_names[4], "x");   /* the prefix counts for several only */
  assert_string_equal(w.cell.host_names[6], "q-1");
  world_end(&w);
}

static void zones_follow_the_order_of_hosts(void **state)
{
  HC_UNUSED(state);
  world w;
  const hc_zone_level *rack, *row, *room;
  world_begin(&w);
  world_has(&w, "{use: hosts, classes: [{name: c, count: 10, cpus: 1}], zones: [{name: rack, size: 4}, "
                "{name: row, size: 8}, {name: room, sizes: [1, 6]}]}");
  assert_int_equal(w.cell.level_count, 3);
  rack = &w.cell.levels[0];
  row = &w.cell.levels[1];
  room = &w.cell.levels[2];
  assert_string_equal(rack->name, "rack");
  assert_int_equal(rack->zone_count, 3); /* 4, 4 and the last 2 */
  assert_int_equal(row->zone_count, 2);
  assert_int_equal(room->zone_count, 2);
  for (uint32_t i = 0; i < 10; i++) {
    assert_int_equal(rack->zone_of[i], i / 4);
    assert_int_equal(row->zone_of[i], i / 8);
    assert_int_equal(room->zone_of[i], i == 0 ? 0 : i < 7 ? 1 : HC_NO_NAME); /* beyond 1 + 6: in none */
  }
  assert_string_equal(rack->zone_names[2], "rack-2");
  world_end(&w);
}

static void sets_name_hosts_in_every_way(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, "{use: hosts, classes: [{name: c, count: 12, cpus: 1}, {name: m, count: 3, cpus: 1}, {name: "
                "all_of_it, cpus: 1}], sets: [{name: batch, hosts: [m, 'c-[0-4,3,11]'], partition: true, "
                "max_time: 1d}, {name: whole}, {name: numbers, hosts: ['3', 1-2, c-1], failure_domain: "
                "true}, {name: one, hosts: all_of_it}]}");
  assert_int_equal(w.cell.set_count, 4);
  const hc_host_set *s = w.cell.sets;
  assert_string_equal(s[0].name, "batch");
  assert_true(s[0].is_partition);
  assert_false(s[0].is_failure_domain);
  assert_int_equal(s[0].max_time, HC_DAY);
  assert_int_equal(s[0].host_count, 2); /* c-0 to c-4; c-11 is next to m-0 to m-2 */
  assert_int_equal(s[0].hosts[0].first, 0);
  assert_int_equal(s[0].hosts[0].count, 5);
  assert_int_equal(s[0].hosts[1].first, 11);
  assert_int_equal(s[0].hosts[1].count, 4);
  assert_int_equal(s[1].host_count, 1); /* all is what a set has by default */
  assert_int_equal(s[1].hosts[0].count, 16);
  assert_int_equal(s[1].max_time, HC_NEVER);
  assert_int_equal(s[2].host_count, 1); /* 1, 2 and 3, though told in another order and 1 twice */
  assert_int_equal(s[2].hosts[0].first, 1);
  assert_int_equal(s[2].hosts[0].count, 3);
  assert_true(s[2].is_failure_domain);
  assert_int_equal(s[3].hosts[0].first, 15);
  world_end(&w);
}

/* Leading zeros are written out, two brackets are a product. */
static void brackets_spell_names(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w,
            "{use: hosts, classes: [{name: a01, cpus: 1}, {name: a02, cpus: 1}, {name: a10, cpus: 1}, "
            "{name: r1n1, cpus: 1}, {name: r1n2, cpus: 1}, {name: r2n1, cpus: 1}, {name: r2n2, cpus: 1}], "
            "sets: [{name: s, hosts: ['a[01-02]', 'r[1-2]n[1-2]']}]}");
  assert_int_equal(w.cell.sets[0].host_count, 2);
  assert_int_equal(w.cell.sets[0].hosts[0].count, 2);
  assert_int_equal(w.cell.sets[0].hosts[1].first, 3);
  assert_int_equal(w.cell.sets[0].hosts[1].count, 4);
  world_end(&w);
}

#define TWO "classes: [{name: c, count: 2, cpus: 1}]"

/* A class with so many dimensions of its own. */
static const char *many_amounts(int n)
{
  static char text[1024];
  size_t at = (size_t)snprintf(text, sizeof text, "{use: hosts, classes: [{name: c, cpus: 1, amounts: [");
  for (int i = 0; i < n; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s'd%d=%d'", i > 0 ? ", " : "", i, i + 1);
  (void)snprintf(text + at, sizeof text - at, "]}]}");
  return text;
}

static void a_class_has_as_many_dimensions_as_there_are(void **state)
{
  world w;
  HC_UNUSED(state);
  world_begin(&w);
  world_has(&w, many_amounts(HC_DIMENSIONS - HC_DIM_OTHER));
  assert_int_equal(class_of(&w, "c")->capacity[HC_DIM_OTHER], 1);
  assert_int_equal(class_of(&w, "c")->capacity[HC_DIMENSIONS - 1], HC_DIMENSIONS - HC_DIM_OTHER);
  world_end(&w);
}

static void mistakes_in_classes_are_named(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_refuses(
      &w, "{use: hosts}", HC_EUSAGE,
      "which hosts? Say it with classes, as in cell: {use: hosts, classes: [{name_prefix: c, count: 5, cpus: "
      "20, memory: 20GiB}]}");
  world_refuses(&w, "{use: hosts, classes: [{count: 2, cpus: 1}]}", HC_EUSAGE,
                "what are its hosts called? Give it a name or a name_prefix");
  world_refuses(&w, "{use: hosts, classes: [{name: c}]}", HC_EUSAGE,
                "its hosts have nothing: say cpus, memory, disk, gpus or amounts");
  assert_string_equal(w.e.where, "class c");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1}, {name: c, cpus: 2}]}", HC_EUSAGE,
                "two classes have this name: give one of them another");
  world_refuses(
      &w,
      "{use: hosts, classes: [{name: c, count: 2, cpus: 1}, {name: d, name_prefix: c, count: 2, cpus: 2}]}",
      HC_EUSAGE, "two hosts would be called \"c-0\": give this class another name_prefix");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, features: [ssd], attributes: ['ssd=2']}]}",
                HC_EUSAGE, "it has the attribute or feature \"ssd\" twice");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, attributes: [ssd]}]}", HC_EUSAGE,
                "attributes: expected NAME=VALUE, such as kernel=5, got \"ssd\"");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, amounts: ['memory=5GB']}]}", HC_EUSAGE,
                "amounts: \"memory=5GB\" has a key of its own: cpus, memory, disk or gpus");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, amounts: ['fpga=2', 'fpga=3']}]}", HC_EUSAGE,
                "amounts: it has \"fpga\" twice");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, amounts: ['fpga=two']}]}", HC_EUSAGE,
                "fpga: expected a whole number or a size, got \"two\"");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, amounts: [fpga]}]}", HC_EUSAGE,
                "expected NAME=AMOUNT, such as fpga=2, got \"fpga\"");
  world_refuses(
      &w, "{use: hosts, classes: [{name: c, cpus: 1, memory: 5 apples}]}", HC_EUSAGE,
      "cell.classes.0.memory: expected a size (64MiB, 1GB, or a number of bytes) from 0 to 4503599627370496, "
      "got \"5 apples\"");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, gpus: 129}]}", HC_EUSAGE,
                "cell.classes.0.gpus: expected a whole number (GPUs) from 0 to 128, got \"129\"");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpu: 1}]}", HC_EUSAGE,
                "unknown key \"cpu\" of class host_class; did you mean \"cpus\"?");
  world_end(&w);
}

static void there_are_limits(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_refuses(&w, "{use: hosts, classes: [{name: c, count: 16777217, cpus: 1}]}", HC_EUSAGE,
                "cell.classes.0.count: expected a whole number (hosts) from 1 to 16777216, got \"16777217\"");
  world_refuses(&w, "{use: hosts, classes: [{name: c, count: 2000, memory: 4503599627370496}]}", HC_ELIMIT,
                "more memory on all hosts together than can be counted (2^62)"); /* 2000 x 2^52 > 2^62 */
  world_refuses(&w, many_amounts(HC_DIMENSIONS - HC_DIM_OTHER + 1), HC_ELIMIT,
                "there is no room for a dimension \"d60\": a run has 64 at most");
  world_end(&w);
}

static void mistakes_in_zones_sets_and_licences_are_named(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_refuses(&w, "{use: hosts, " TWO ", zones: [{size: 4}]}", HC_EUSAGE,
                "what is it called? Give it a name");
  world_refuses(&w, "{use: hosts, " TWO ", zones: [{name: rack}]}", HC_EUSAGE,
                "say either size, for zones of so many hosts, or sizes");
  world_refuses(&w, "{use: hosts, " TWO ", zones: [{name: rack, size: 1, sizes: [1]}]}", HC_EUSAGE,
                "say either size, for zones of so many hosts, or sizes");
  world_refuses(&w, "{use: hosts, " TWO ", zones: [{name: rack, sizes: [1, 2]}]}", HC_EUSAGE,
                "zone 1 would hold hosts 1 to 2, but there are 2");
  world_refuses(&w, "{use: hosts, " TWO ", zones: [{name: rack, size: 1}, {name: rack, size: 2}]}", HC_EUSAGE,
                "two levels have this name: give one of them another");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{hosts: all}]}", HC_EUSAGE,
                "what is it called? Give it a name");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s}, {name: s}]}", HC_EUSAGE,
                "two sets have this name: give one of them another");
  assert_string_equal(w.e.where, "set s");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: c-7}]}", HC_EUSAGE,
                "there is no host or class \"c-7\"; the hosts are c-0 (0) to c-1 (1)");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: 'c-[0-4]'}]}", HC_EUSAGE,
                "there is no host or class \"c-2\"; the hosts are c-0 (0) to c-1 (1)");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: 'c-[1-0]'}]}", HC_EUSAGE,
                "\"c-[1-0]\": the range 1-0 ends before it begins");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: 'c-[0'}]}", HC_EUSAGE,
                "\"c-[0\": brackets hold numbers and ranges, as in c-[0-4,7]");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: 'c-[0,,1]'}]}", HC_EUSAGE,
                "\"c-[0,,1]\": expected a number or a range such as 0-4 at \",1]\"");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: 'c-[0-]'}]}", HC_EUSAGE,
                "\"c-[0-]\": expected a number or a range such as 0-4 at \"0-]\"");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: '[0-1][0-1][0-1][0-1][0-1]'}]}", HC_EUSAGE,
                "\"[0-1][0-1][0-1][0-1][0-1]\": brackets hold numbers and ranges, as in c-[0-4,7]; at most "
                "four pairs of them");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: 0-2}]}", HC_EUSAGE,
                "\"0-2\": there is no host 2; 2 hosts are numbered from 0");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: 1-0}]}", HC_EUSAGE,
                "\"1-0\": the range 1-0 ends before it begins");
  world_refuses(&w, "{use: hosts, " TWO ", sets: [{name: s, hosts: []}]}", HC_EUSAGE,
                "it has no host: name some in hosts");
  world_refuses(&w, "{use: hosts, " TWO ", licences: ['cpu=4']}", HC_EUSAGE,
                "\"cpu=4\": cpu, memory, disk and gpu belong to hosts");
  world_refuses(&w, "{use: hosts, " TWO ", licences: ['m=4', 'm=5']}", HC_EUSAGE, "\"m\" stands there twice");
  world_refuses(&w, "{use: hosts, " TWO ", licences: ['m=0']}", HC_EUSAGE,
                "\"m=0\": there must be at least one");
  world_refuses(&w, "{use: hosts, classes: [{name: c, cpus: 1, amounts: ['m=2']}], licences: ['m=4']}",
                HC_EUSAGE, "\"m\" is also an amount of hosts: give one of the two another name");
  world_end(&w);
}

/* ---- host_list ---- */

static void a_list_is_read_by_its_titles(void **state)
{
  HC_UNUSED(state);
  world w;
  const hc_host_class *gpu;
  world_begin(&w);
  world_has(&w,
            "{use: host_list, file: " DATA "hosts.csv, memory_unit: GiB, attributes: [kernel], "
            "amounts: [accelerators=fpga], zones: [rack], sets: [{name: s, hosts: fat, partition: true}]}");
  assert_int_equal(w.cell.units, 4);
  assert_string_equal(w.cell.host_names[0], "login"); /* an empty count is one */
  assert_string_equal(w.cell.host_names[1], "gpu-0");
  assert_string_equal(w.cell.host_names[2], "gpu-1");
  assert_string_equal(w.cell.host_names[3], "fat");
  assert_int_equal(w.cell.class_count, 3);
  gpu = class_of(&w, "gpu-1");
  assert_string_equal(gpu->name, "A100");
  assert_int_equal(gpu->capacity[HC_DIM_CPU], 32500);
  assert_int_equal(gpu->capacity[HC_DIM_MEMORY], INT64_C(128) << 30);
  assert_int_equal(gpu->devices, 4);
  assert_int_equal(gpu->attribute_count, 4); /* gpu_model, ib, nvme, kernel */
  assert_int_equal(gpu->attributes[3].value, 5);
  assert_int_equal(class_of(&w, "login")->capacity[HC_DIM_MEMORY], INT64_C(16) << 30); /* a unit of its own */
  assert_int_equal(class_of(&w, "fat")->capacity[hc_lexicon_dimension(w.lexicon, "accelerators", 12)], 2);
  assert_int_equal(w.cell.level_count, 1);
  assert_int_equal(w.cell.levels[0].zone_count, 2);
  assert_int_equal(w.cell.levels[0].zone_of[0], 0);
  assert_int_equal(w.cell.levels[0].zone_of[3], 1);
  assert_string_equal(w.cell.levels[0].zone_names[1], "r2");
  assert_int_equal(w.cell.sets[0].hosts[0].first, 3);
  world_end(&w);
}

/* Text that is a table only in this test. */
static const char *table(const char *text)
{
  static const char path[] = "test_host_cells.csv";
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
  return path;
}

static void a_list_is_read_by_numbers(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  (void)table("4000\t1024\n4000\t1024\n500\t1\n");
  world_has(&w,
            "{use: host_list, file: test_host_cells.csv, header: false, cpus: 1, cpu_unit: milli, memory: 2, "
            "memory_unit: MiB}");
  assert_int_equal(w.cell.units, 3);
  assert_int_equal(w.cell.class_count, 2);
  assert_string_equal(w.cell.host_names[2], "host-2"); /* no names were given */
  assert_int_equal(total(&w, HC_DIM_CPU), 8500);
  assert_int_equal(total(&w, HC_DIM_MEMORY), INT64_C(2049) << 20);
  world_end(&w);
}

static void mistakes_in_lists_have_a_place(void **state)
{
  static const struct {
    const char *table, *more, *text;
    uint32_t line, column;
  } cases[] = {
      {"name,cpus\na,1\na,2\n", "", "there is a host \"a\" already: names must differ", 3, 1},
      {"name,cpus\na,many\n", "", "cpus: expected a number, got \"many\"", 2, 3},
      {"name,cpus\na,-1\n", "", "cpus: expected a number, got \"-1\"", 2, 3},
      {"name,cpus,memory\na,1,5 apples\n", "",
       "memory: expected a size such as 64GiB, or a number, got \"5 apples\"", 2, 5},
      {"name,cpus,gpus\na,1,1.5\n", "", "gpus: expected a whole number from 0 to 128, got \"1.5\"", 2, 5},
      {"name,cpus,count\na,1,0\n", "", "count: expected a whole number from 1 to 16777216, got \"0\"", 2, 5},
      {"name,cpus,count\na,1,99999999999\n", "",
       "count: expected a whole number from 1 to 16777216, got \"99999999999\"", 2, 5},
      {"name,cpus\n,1\n", "", "a host without a name", 2, 1},
      {"name,cpus\na,\n", "", "a host that has nothing", 2, 0},
      {"name,cpus\n", "", "there is no host in it", 0, 0},
      {"", "", "the table is empty", 0, 0},
      {"name,os\na,5\n", "",
       "no column says what a host has: name one with cpus, memory, disk, gpus or amounts, by its title", 0,
       0},
      {"name,cpus\na,1\n", ", memory: mem", "memory: the table has no column \"mem\"", 0, 0},
      {"name,cpus,memry\na,1,1\n", ", memory: memory",
       "memory: the table has no column \"memory\"; did you mean \"memry\"?", 0, 0},
      {"name,cpus\na,1\n", ", header: false, cpus: cores",
       "cpus: without a header a column is a number from 1, not \"cores\"", 0, 0},
      {"name,cpus\n\"a,1\n", "", "a quote that opens here is not closed in its line; close it", 2, 1},
      {"name,cpus,count\na,1,1\nb,1,16777216\n", "",
       "more than 16777216 hosts, which is as many as a cell may have", 0, 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char yaml[200];
    world w;
    world_begin(&w);
    (void)snprintf(yaml, sizeof yaml, "{use: host_list, file: %s%s}", table(cases[i].table), cases[i].more);
    assert_true(world_cell(&w, yaml) < 0);
    assert_string_equal(w.e.text, cases[i].text);
    assert_int_equal(w.e.line, cases[i].line);
    assert_int_equal(w.e.column, cases[i].column);
    world_end(&w);
  }
  (void)remove("test_host_cells.csv");
}

static void a_list_needs_a_file(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_refuses(&w, "{use: host_list}", HC_EUSAGE,
                "which file? Say it with file, as in cell: {use: host_list, file: hosts.csv}");
  assert_int_equal(world_cell(&w, "{use: host_list, file: no/such/file.csv}"), HC_EIO);
  world_end(&w);
}

/* ---- lognormal ---- */

static const int64_t *amounts_of(const world *w, uint32_t host)
{
  return w->cell.classes[w->cell.class_of[host]].capacity;
}

/* Without deviation every host has the median's 24 cores, and 2.75 times as many GiB: round(64 x 2.75 x 24 n
 * / 64 n) = 66. */
static void alike_without_deviation(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, "{use: lognormal, sigma: 0}");
  assert_int_equal(w.cell.units, 73);
  assert_int_equal(w.cell.class_count, 1);
  assert_string_equal(w.cell.host_names[72], "s72");
  assert_int_equal(amounts_of(&w, 0)[HC_DIM_CPU], 24000);
  assert_int_equal(amounts_of(&w, 0)[HC_DIM_MEMORY], INT64_C(66) << 30);
  world_end(&w);
}

/* Of 20,000 hosts, 24 exp(z/2) is below 7 with the probability P(z < 2 ln(7/24)) = 0.006869, and then they
 * have the fewest cores, 6; the deviation of their number is 11.7. It is below 24 for half of them, deviation
 * 70.7. Six deviations are exceeded in one of 5 x 10^8 cases; the seeds are fixed. Hosts are within bounds;
 * each host's rounding changes the total by at most half a GiB, the least amount by more, but upwards. */
static void sizes_are_lognormal(void **state)
{
  HC_UNUSED(state);
  const int64_t gib = INT64_C(1) << 30;
  int64_t least = 0, below = 0, cores = 0, memory = 0;
  world w;
  world_begin(&w);
  world_has(&w, "{use: lognormal, count: 20000, seed: 5, name_prefix: n}");
  for (uint32_t i = 0; i < w.cell.units; i++) {
    const int64_t c = amounts_of(&w, i)[HC_DIM_CPU], m = amounts_of(&w, i)[HC_DIM_MEMORY];
    assert_true(c % 1000 == 0 && c >= 6000 && c <= 64000 && m % gib == 0 && m >= 20 * gib);
    least += c == 6000;
    below += c < 24000;
    cores += c / 1000;
    memory += m / gib;
  }
  assert_true(least > 137 - 70 && least < 137 + 70);
  assert_true(below > 10000 - 424 && below < 10000 + 424);
  assert_true((double)memory > 2.75 * (double)cores - 10000 && (double)memory < 2.75 * (double)cores * 1.01);
  world_end(&w);
}

/* A host is a function of the seed and its number; the scale of memory is the whole cell's. */
static void a_seed_is_a_cell(void **state)
{
  HC_UNUSED(state);
  int64_t cores[50];
  bool other = false;
  world w;
  world_begin(&w);
  world_has(&w, "{use: lognormal, count: 50, seed: 3}");
  for (uint32_t i = 0; i < 50; i++) cores[i] = amounts_of(&w, i)[HC_DIM_CPU];
  world_has(&w, "{use: lognormal, count: 90, seed: 3}");
  for (uint32_t i = 0; i < 50; i++) assert_int_equal(cores[i], amounts_of(&w, i)[HC_DIM_CPU]);
  world_has(&w, "{use: lognormal, count: 50, seed: 4}");
  for (uint32_t i = 0; i < 50; i++) other |= cores[i] != amounts_of(&w, i)[HC_DIM_CPU];
  assert_true(other);
  world_refuses(&w, "{use: lognormal, least_cpus: 9, most_cpus: 8}", HC_EUSAGE,
                "least_cpus or least_memory is above the most of it: exchange them");
  world_end(&w);
}

/* ---- when memory runs out ---- */

typedef struct scarce {
  size_t left; /* allocations until it fails */
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  const hc_allocator *a = hc_default_allocator();
  if (new_size > old_size && s->left-- == 0) {
    s->left = 0;
    return NULL;
  }
  return a->resize(a->ctx, p, old_size, new_size);
}

/* Every allocation fails once: an error, nothing lost. */
static void memory_may_run_out_anywhere(void **state)
{
  HC_UNUSED(state);
  static const char *const cells[] = {
      "{use: hosts, classes: [{name: c, count: 20, cpus: 1, features: [a], attributes: ['k=v']}], "
      "zones: [{name: r, size: 2}], sets: [{name: s, hosts: [c, 1-2]}], licences: ['m=1']}",
      "{use: host_list, file: " DATA "hosts.csv, memory_unit: GiB, zones: [rack], attributes: [kernel]}",
      "{use: lognormal, count: 12}",
      "{use: alibaba_v2017, file: " DATA "server_event.csv, repair: 100s}",
      "{use: alibaba_v2018, file: " DATA "machine_meta.csv}",
      "{use: alibaba_v2020, file: " DATA "pai_machine_spec.tar.gz}",
      "{use: google2011, file: " DATA "machine_events_2011.csv, attributes: " DATA
      "machine_attributes_2011.csv}"};
  for (size_t i = 0; i < HC_ARRAY_LEN(cells); i++) {
    for (size_t n = 0;; n++) {
      scarce s = {n};
      const hc_allocator a = {&s, scarce_resize, NULL};
      hc_chosen chosen;
      hc_arena arena;
      hc_cell_spec spec = {0};
      world w;
      hc_rc rc;
      world_begin(&w);
      hc_arena_init(&arena, &a);
      assert_int_equal(world_choose(&w, HC_KIND_CELL, cells[i], &chosen), 0);
      const hc_cell_context c = {
          .allocator = &a, .alloc = world_alloc, .arena = &arena, .lexicon = w.lexicon};
      rc = ((const hc_cell_type *)chosen.type)->describe(&c, chosen.options, &spec, &w.e);
      hc_arena_fini(&arena);
      world_end(&w);
      if (rc == 0) break;
      assert_int_equal(rc, HC_ENOMEM);
      assert_int_equal(w.e.rc, HC_ENOMEM);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_thesis_has_ten_hosts),
      cmocka_unit_test(the_example_is_the_figure),
      cmocka_unit_test(a_class_has_everything),
      cmocka_unit_test(names_are_as_dslab_has_them),
      cmocka_unit_test(zones_follow_the_order_of_hosts),
      cmocka_unit_test(sets_name_hosts_in_every_way),
      cmocka_unit_test(brackets_spell_names),
      cmocka_unit_test(a_class_has_as_many_dimensions_as_there_are),
      cmocka_unit_test(mistakes_in_classes_are_named),
      cmocka_unit_test(there_are_limits),
      cmocka_unit_test(mistakes_in_zones_sets_and_licences_are_named),
      cmocka_unit_test(a_list_is_read_by_its_titles),
      cmocka_unit_test(a_list_is_read_by_numbers),
      cmocka_unit_test(mistakes_in_lists_have_a_place),
      cmocka_unit_test(a_list_needs_a_file),
      cmocka_unit_test(alike_without_deviation),
      cmocka_unit_test(sizes_are_lognormal),
      cmocka_unit_test(a_seed_is_a_cell),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
