/* test_machine_files.c -- the machines of published traces, on tables of our own in the same formats. */
#include "cell_test.h"

#define GIB ((int64_t)1 << 30)

static void check_events(const world *w, const char *const *expected, size_t count)
{
  for (size_t i = 0; i < HC_MIN(count, w->cell.event_count); i++)
    assert_string_equal(event_text(w, &w->cell.events[i]), expected[i]);
  assert_int_equal(w->cell.event_count, count);
}

static bool is_absent(const world *w, const char *host)
{
  return w->cell.absent && w->cell.absent[host_of(w, host)];
}

/* ---- Alibaba ---- */

static void v2017_loses_machines(void **state)
{
  HC_UNUSED(state);
  static const char *const lost[] = {"100 8 down", "300 9 down", "500 9 resize -/824633720832", "500 9 up",
                                     "600 10 up"};
  static const char *const repaired[] = {"100 8 down",
                                         "260 8 up",
                                         "300 9 down",
                                         "400 8 down",
                                         "400 9 up",
                                         "500 8 up",
                                         "500 9 resize -/824633720832",
                                         "600 10 up"};
  static const char *const hard[] = {"300 9 down", "500 9 resize -/824633720832", "500 9 up", "600 10 up"};
  world w;
  world_begin(&w);
  world_has(&w, "{use: alibaba_v2017, memory_scale: 1TiB, file: " DATA "server_event.csv}");
  assert_int_equal(w.cell.units, 4); /* the line of titles is no machine */
  assert_int_equal(w.cell.class_count, 3);
  assert_int_equal(class_of(&w, "7")->capacity[HC_DIM_CPU], 64000);
  assert_int_equal(class_of(&w, "7")->capacity[HC_DIM_MEMORY], 512 * GIB); /* 0.5 x 1 TiB */
  assert_true(is_absent(&w, "10"));                                        /* added at 600 s */
  assert_false(is_absent(&w, "7"));
  /* 8 fails at 100, and again at 160 and 400 while it is away. 9 comes back with 0.75 in place of 1. */
  check_events(&w, lost, HC_ARRAY_LEN(lost));
  assert_null(w.cell.note);
  /* 100 s of repair after the last of overlapping errors: 160 + 100; 300 + 100; 400 + 100. */
  world_has(&w, "{use: alibaba_v2017, memory_scale: 1TiB, repair: 100s, file: " DATA "server_event.csv}");
  check_events(&w, repaired, HC_ARRAY_LEN(repaired));
  world_has(&w, "{use: alibaba_v2017, memory_scale: 1TiB, errors: hard, file: " DATA "server_event.csv}");
  check_events(&w, hard, HC_ARRAY_LEN(hard));
  world_has(&w, "{use: alibaba_v2017, memory_scale: 1TiB, errors: none, file: " DATA "server_event.csv}");
  assert_int_equal(w.cell.event_count, 2); /* 9 has another size from 500 on, 10 joins */
  world_end(&w);
}

static void v2018_tells_a_machine_many_times(void **state)
{
  HC_UNUSED(state);
  static const char *const events[] = {"250 m_1 resize -/274877906944", "300 m_2 up", "900 m_2 down",
                                       "950 m_2 up"};
  world w;
  world_begin(&w);
  world_has(&w, "{use: alibaba_v2018, file: " DATA "machine_meta.csv}");
  assert_int_equal(w.cell.units, 4);
  assert_string_equal(w.cell.host_names[0], "m_2"); /* in order of first sight */
  assert_int_equal(class_of(&w, "m_1")->capacity[HC_DIM_CPU], 96000);
  assert_int_equal(class_of(&w, "m_1")->capacity[HC_DIM_MEMORY], 512 * GIB); /* 100 of 100 x 512 GiB */
  assert_int_equal(class_of(&w, "m_4")->capacity[HC_DIM_MEMORY], 64 * GIB);  /* 12.5 of 100 */
  assert_true(is_absent(&w, "m_2"));                                         /* first told of at 300 s */
  assert_true(is_absent(&w, "m_3"));                                         /* never in use */
  assert_false(is_absent(&w, "m_1"));
  check_events(&w, events, HC_ARRAY_LEN(events)); /* the row at 200 s says nothing new */
  assert_int_equal(w.cell.level_count, 2);
  assert_string_equal(w.cell.levels[0].name, "failure_domain_1");
  assert_int_equal(w.cell.levels[0].zone_count, 3);
  assert_int_equal(w.cell.levels[0].zone_of[host_of(&w, "m_4")], HC_NO_NAME);
  assert_string_equal(w.cell.levels[0].zone_names[w.cell.levels[0].zone_of[host_of(&w, "m_1")]], "10");
  assert_int_equal(w.cell.levels[1].zone_count, 2);
  assert_string_equal(w.cell.note,
                      "1 row left out, the first in line 9: expected a time in seconds, got \"late\"");
  world_end(&w);
}

static void check_pai(const char *yaml)
{
  world w;
  world_begin(&w);
  world_has(&w, yaml);
  assert_int_equal(w.cell.units, 4);
  assert_int_equal(w.cell.class_count, 3);
  assert_int_equal(total(&w, HC_DIM_CPU), 4 * 96000);
  assert_int_equal(total(&w, HC_DIM_MEMORY), (3 * 512 + 384) * GIB);
  assert_int_equal(total(&w, HC_DIM_GPU), 12 * HC_DEVICE); /* 2 + 8 + 2 */
  assert_string_equal(class_of(&w, "d4")->name, "T4");
  assert_int_equal(class_of(&w, "d4")->devices, 2);
  assert_int_equal(class_of(&w, "d4")->attribute_count, 1);
  assert_string_equal(hc_lexicon_text(w.lexicon, class_of(&w, "d4")->attributes[0].name), "gpu_model");
  assert_string_equal(class_of(&w, "a1")->name, "CPU");
  assert_int_equal(class_of(&w, "a1")->attribute_count, 0);
  assert_string_equal(w.cell.note,
                      "1 row left out, the first in line 5: the machine \"b2\" stands there already");
  world_end(&w);
}

/* The same table, packed as it is published and as it is. */
static void v2020_may_be_in_an_archive(void **state)
{
  HC_UNUSED(state);
  check_pai("{use: alibaba_v2020, file: " DATA "pai_machine_spec.csv}");
  check_pai("{use: alibaba_v2020, file: " DATA "pai_machine_spec.tar.gz}");
}

static void v2023_has_nodes_with_and_without_gpus(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, "{use: alibaba_v2023, file: " DATA "openb_node_list.csv}");
  assert_int_equal(w.cell.units, 5);
  assert_int_equal(w.cell.class_count, 4);
  assert_int_equal(total(&w, HC_DIM_CPU), 32000 + 2 * 96000 + 64000 + 64500);
  assert_int_equal(total(&w, HC_DIM_GPU), 20 * HC_DEVICE);
  assert_string_equal(class_of(&w, "node-0000")->name, "CPU");
  assert_string_equal(class_of(&w, "node-0002")->name, "V100M32");
  assert_string_equal(class_of(&w, "node-0003")->name, "P100-1"); /* two classes of one model have numbers */
  assert_string_equal(class_of(&w, "node-0004")->name, "P100-2");
  assert_null(w.cell.note);
  world_refuses(&w, "{use: alibaba_v2023, file: " DATA "node_info_df.csv}", HC_EINPUT,
                "the first row has no title sn; is this the right file?");
  world_end(&w);
}

static void v2026_is_read_by_titles(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, "{use: alibaba_v2026, file: " DATA "node_info_df.csv}");
  assert_int_equal(w.cell.units, 4);
  assert_int_equal(total(&w, HC_DIM_CPU), (128 + 192 + 128 + 64) * 1000);
  assert_int_equal(total(&w, HC_DIM_GPU), 10 * HC_DEVICE);
  assert_string_equal(class_of(&w, "1")->name, "H800");
  assert_string_equal(
      w.cell.note,
      "1 row left out, the first in line 6: expected a whole number of GPUs from 0 to 128, got \"129\"");
  world_end(&w);
}

/* ---- Google ---- */

static void google2011_machines_come_and_go(void **state)
{
  HC_UNUSED(state);
  /* 6 returns with half of its memory; 5 is updated, then added again as it is; 9 is removed twice. */
  static const char *const events[] = {
      "600 9 up",  "700 6 down", "800 6 resize -/2147483648", "800 6 up", "900 5 resize -/8589934592",
      "950 9 down"};
  world w;
  world_begin(&w);
  world_has(&w,
            "{use: google2011, cpu_scale: 10, memory_scale: 16GiB, file: " DATA "machine_events_2011.csv}");
  assert_int_equal(w.cell.units, 4);                               /* what 8 has is said nowhere */
  assert_int_equal(class_of(&w, "5")->capacity[HC_DIM_CPU], 5000); /* 0.5 x 10 cores */
  assert_int_equal(class_of(&w, "5")->capacity[HC_DIM_MEMORY], 4 * GIB);
  assert_int_equal(w.cell.class_of[host_of(&w, "5")], w.cell.class_of[host_of(&w, "6")]);
  assert_int_equal(class_of(&w, "5")->attribute_count, 1);
  assert_string_equal(hc_lexicon_text(w.lexicon, class_of(&w, "5")->attributes[0].name), "platform");
  assert_true(is_absent(&w, "9"));
  assert_false(is_absent(&w, "7"));
  check_events(&w, events, HC_ARRAY_LEN(events)); /* that 7 goes after the end of the trace is no event */
  assert_string_equal(w.cell.note,
                      "1 row left out, the first in line 13: expected ADD, REMOVE or UPDATE (0 to 2), got "
                      "\"9\"; hosts left out since nobody says what they have: 1");
  world_end(&w);
}

static void google2011_scales_have_defaults(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, "{use: google2011, file: " DATA "machine_events_2011.csv}");
  assert_int_equal(class_of(&w, "7")->capacity[HC_DIM_CPU], 64000);        /* 1 stands for 64 cores */
  assert_int_equal(class_of(&w, "7")->capacity[HC_DIM_MEMORY], 256 * GIB); /* and 256 GiB */
  world_has(&w, "{use: google2011, origin: 600s, file: " DATA "machine_events_2011.csv}");
  assert_false(is_absent(&w, "9")); /* it joined when this run begins */
  assert_string_equal(event_text(&w, &w.cell.events[0]), "100 6 down");
  world_end(&w);
}

static const hc_attribute *attribute_of(const world *w, const char *host, const char *name)
{
  const hc_host_class *c = class_of(w, host);
  for (uint32_t i = 0; i < c->attribute_count; i++)
    if (strcmp(hc_lexicon_text(w->lexicon, c->attributes[i].name), name) == 0) return &c->attributes[i];
  return NULL;
}

static void google2011_machines_have_attributes(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, "{use: google2011, file: " DATA "machine_events_2011.csv, attributes: " DATA
                "machine_attributes_2011.csv}");
  assert_int_equal(attribute_of(&w, "5", "kernel=")->value, 3);
  assert_int_equal(attribute_of(&w, "5", "kernel=")->is_text, 0);
  assert_int_equal(attribute_of(&w, "5", "zone=")->is_text, 1);
  assert_int_equal(attribute_of(&w, "6", "kernel=")->value, 2);
  assert_null(attribute_of(&w, "6", "old=")); /* deleted before the trace */
  assert_null(attribute_of(&w, "7", "kernel="));
  assert_int_equal(attribute_of(&w, "9", "kernel=")->value, 5); /* when it joined; 6 comes later */
  assert_non_null(strstr(w.cell.note, "attributes left out since no event names their machine: 1"));
  assert_non_null(strstr(w.cell.note, "changes of attributes that are not followed: 1"));
  world_end(&w);
}

/* As a table, or as BigQuery exports nested columns: the same machines. */
static void expect_switches(const char *yaml)
{
  static const char *const events[] = {"1 23 up", "2 22 down", "3 21 resize -/68719476736"};
  world w;
  world_begin(&w);
  world_has(&w, yaml);
  assert_int_equal(w.cell.units, 3);
  assert_int_equal(class_of(&w, "22")->capacity[HC_DIM_CPU], 16000);
  check_events(&w, events, HC_ARRAY_LEN(events));
  assert_int_equal(w.cell.level_count, 1);
  assert_string_equal(w.cell.levels[0].name, "switch");
  assert_int_equal(w.cell.levels[0].zone_of[host_of(&w, "23")], 1);
  assert_int_equal(attribute_of(&w, "21", "arch")->value, 9);
  assert_null(w.cell.note);
  world_end(&w);
}

static void google2019_has_switches(void **state)
{
  HC_UNUSED(state);
  expect_switches("{use: google2019, file: " DATA "machine_events_2019.csv, attributes: " DATA
                  "machine_attributes_2019.csv}");
  expect_switches("{use: google2019, file: " DATA "machine_events_2019.json, attributes: " DATA
                  "machine_attributes_2019.json}");
}

/* ---- hostile ---- */

static const char *file(const char *text)
{
  static const char path[] = "test_machine_files.csv";
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
  return path;
}

static void what_is_no_machine_file_is_refused(void **state)
{
  static const struct {
    const char *use, *text, *error;
    uint32_t line, column;
  } cases[] = {
      {"alibaba_v2017", "", "the file has no rows: give a server_event table", 0, 0},
      {"alibaba_v2017", "1,2\n",
       "no row of this file can be read as one of a server_event table. The first: expected add, softerror "
       "or harderror, got \"\"",
       1, 0},
      {"alibaba_v2017", "0,1,add,,nan,1,1\n",
       "no row of this file can be read as one of a server_event table. The first: expected a "
       "number of cores, got \"nan\"",
       1, 10},
      {"alibaba_v2017", "5,1,softerror,,0,0,0\n", "there is no host in it", 0, 0},
      {"alibaba_v2017", "time,machine\nt,m\n", /* one row of titles, not two */
       "no row of this file can be read as one of a server_event table. The first: expected a time in "
       "seconds, got \"t\"",
       2, 1},
      {"alibaba_v2018", "m,0,1,1,-4,100,USING\n",
       "no row of this file can be read as one of a machine_meta table. The first: expected a "
       "number of cores, got \"-4\"",
       1, 9},
      {"alibaba_v2018", "m,0,1,1,4,100\n",
       "no row of this file can be read as one of a machine_meta table. The first: no status", 1, 0},
      {"alibaba_v2020", "m,T4,1e99,1,1\n",
       "no row of this file can be read as one of a pai_machine_spec table. The first: expected a number of "
       "cores, got \"1e99\"",
       1, 6},
      {"alibaba_v2020", "m,T4,0,0,0\n",
       "no row of this file can be read as one of a pai_machine_spec table. The first: a machine "
       "that has nothing",
       1, 0},
      {"alibaba_v2023", "", "the file is empty", 0, 0},
      {"alibaba_v2023", "sn,cpu_milli,memory_mib,gpu,model\n",
       "the file has no rows: give an openb_node_list table", 0, 0},
      {"google2011", "0,1,0,p,2,\"1\n", "a quote that opens here is not closed in its line; close it", 1, 11},
      {"google2019", "time,machine_id,type,cpus\n",
       "the first row has no title memory; is this the right file?", 1, 0},
      {"google2011", "0,1,0,p,,\n", "there is no host in it", 0, 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char yaml[200];
    world w;
    world_begin(&w);
    (void)snprintf(yaml, sizeof yaml, "{use: %s, file: %s}", cases[i].use, file(cases[i].text));
    assert_int_equal(world_cell(&w, yaml), HC_EINPUT);
    assert_string_equal(w.e.text, cases[i].error);
    assert_int_equal(w.e.line, cases[i].line);
    assert_int_equal(w.e.column, cases[i].column);
    world_end(&w);
  }
  (void)remove("test_machine_files.csv");
}

/* A line that is no object costs itself alone; texts lose their escapes. */
static void objects_that_are_none_are_left_out(void **state)
{
#define GOOD \
  "{\"time\":0,\"machine_id\":\"m\\u003d1\\/\",\"type\":1,\"capacity\":{\"cpus\":1,\"memory\":1}}\n"
  static const char *const bad[] = {"{",
                                    "{\"time\"",
                                    "{\"time\":}",
                                    "{\"time\":0,}",
                                    "{\"time\":\"0}",
                                    "{\"time\":\"\\u0000\"}",
                                    "{\"time\":\"\\u00\"}",
                                    "{\"time\":\"\\",
                                    "{\"a\":[1,{\"b\":\"]\"}",
                                    "{\"a\":{\"b\":{\"c\":1}}}",
                                    "[]",
                                    "1,2,3"};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) {
    char text[400], yaml[100];
    world w;
    world_begin(&w);
    (void)snprintf(text, sizeof text, GOOD "%s\n", bad[i]);
    (void)snprintf(yaml, sizeof yaml, "{use: google2019, file: %s}", file(text));
    world_has(&w, yaml);
    assert_int_equal(w.cell.units, 1);
    assert_int_equal(host_of(&w, "m=1/"), 0);
    assert_string_equal(w.cell.note, "1 row left out, the first in line 2: this is no JSON object");
    world_end(&w);
  }
#undef GOOD
  (void)remove("test_machine_files.csv");
}

static void every_one_needs_a_file(void **state)
{
  HC_UNUSED(state);
  static const char *const names[] = {"alibaba_v2017", "alibaba_v2018", "alibaba_v2020", "alibaba_v2023",
                                      "alibaba_v2026", "google2011",    "google2019"};
  world w;
  world_begin(&w);
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    char text[200];
    (void)snprintf(text, sizeof text,
                   "which file? Say it with file, as in cell: {use: %s, file: machines.csv}", names[i]);
    world_refuses(&w, names[i], HC_EUSAGE, text);
  }
  assert_int_equal(world_cell(&w, "{use: google2011, file: no/such.csv}"), HC_EIO);
  assert_int_equal(
      world_cell(&w, "{use: google2011, file: " DATA "machine_events_2011.csv, attributes: no/such.csv}"),
      HC_EIO);
  world_end(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(v2017_loses_machines),
      cmocka_unit_test(v2018_tells_a_machine_many_times),
      cmocka_unit_test(v2020_may_be_in_an_archive),
      cmocka_unit_test(v2023_has_nodes_with_and_without_gpus),
      cmocka_unit_test(v2026_is_read_by_titles),
      cmocka_unit_test(google2011_machines_come_and_go),
      cmocka_unit_test(google2011_scales_have_defaults),
      cmocka_unit_test(google2011_machines_have_attributes),
      cmocka_unit_test(google2019_has_switches),
      cmocka_unit_test(objects_that_are_none_are_left_out),
      cmocka_unit_test(what_is_no_machine_file_is_refused),
      cmocka_unit_test(every_one_needs_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
