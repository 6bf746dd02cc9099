/* test_google2019.c -- what differs in the trace of 2019: columns by name, JSON, batch queueing,
 * collections. The life of tasks itself is tested in test_google2011.c. Times are seconds here, shares are
 * cores and MiB. */
#define _GNU_SOURCE
#include "base/jsonline.h"
#include "google_test.h"

READER(google2019);
#define TYPE (&hc_reader_google2019)

#define TITLES \
  "time,type,collection_id,instance_index,scheduling_class,collection_type,priority,cpus,memory\n"
#define ROW(time, type, job, index) time "," type "," job "," index ",1,0,200,2,3\n"

/* ---- both forms ---- */

static void test_csv(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE,
               "\xef\xbb\xbf"
               "priority,\"resource_request.cpus\",Memory,extra,instance_index,time,type,"
               "collection_id,scheduling_class\r\n"
               "360,0.5,0.25,\"a,b\",4,610,SUBMIT,398000000001,2\r\n"
               "360,0.5,0.25,,4,612.0,schedule,398000000001.0,SENSITIVE\r\n"
               "360,,null,,4,700,6,398000000001,2\r\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "398000000001/4 at 610 waits 2 runs 88 completed\n");
  assert_true(t.first.line == 2 && t.first.hosts == 1 && t.first.queue == 2 && t.first.priority == 360);
  assert_int_equal(t.first.need[HC_DIM_CPU], 500);
  assert_int_equal(t.first.need[HC_DIM_MEMORY], 256 << 10);
  assert_int_equal(t.first.need[HC_DIM_DISK], HC_UNKNOWN);
  assert_int_equal(t.ledger.read, 3); /* titles are no row */
  end_told(&t);
}

static void test_json(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(
      &t, TYPE,
      "{\"time\":\"610\",\"type\":\"0\",\"collection_id\":\"398000000001\","
      "\"instance_index\":4,\"scheduling_class\":\"2\","
      "\"priority\":\"360\",\"alloc_collection_id\":\"0\",\"resource_request\":{\"cpus\":0.5,"
      "\"memory\":0.25},"
      "\"constraint\":[{\"name\":\"arch\\u003d\",\"value\":\"\",\"relation\":\"6\"},"
      "{\"name\":\"disks\",\"value\":\"1.5\",\"relation\":4},{\"relation\":\"EQUAL\","
      "\"name\":\"os\",\"value\":\"li\\\"nux\","
      "\"more\":[{}]}]}\n"
      "  { \"time\" : 612 , \"type\" : \"SCHEDULE\", \"collection_id\" : 398000000001,"
      " \"instance_index\" : 4 ,"
      " \"resource_request\" : null, \"other\": {\"cpus\": 99, \"a\": [1, {\"b\": true}]} }\n"
      "{\"time\":700,\"type\":6,\"collection_id\":398000000001,\"instance_index\":4,\"user\":null}\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "398000000001/4 at 610 waits 2 runs 88 completed\n");
  assert_int_equal(t.first.need[HC_DIM_CPU], 500);
  assert_int_equal(t.first.need[HC_DIM_MEMORY], 256 << 10);
  assert_true(t.first.queue == 2 && t.first.priority == 360); /* later rows say nothing of it */
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.first.more);
  assert_non_null(m);
  assert_int_equal(m->constraint_count, 3);
  assert_string_equal(hc_lexicon_text(t.lexicon, m->constraints[0].attribute), "arch=");
  assert_int_equal(m->constraints[0].compare, HC_PRESENT);
  assert_int_equal(m->constraints[1].compare, HC_AT_MOST);
  assert_int_equal(m->constraints[1].value, 1); /* whole numbers of at most 1.5 */
  assert_true(m->constraints[2].compare == HC_EQUAL && m->constraints[2].is_text == 1);
  assert_string_equal(hc_lexicon_text(t.lexicon, (uint32_t)m->constraints[2].value), "li\"nux");
  end_told(&t);
}

/* A request that stands whole in one field: as BigQuery's shell has it in CSV, as Python prints it, and as a
 * text within JSON. A member that is null says nothing, and a number that is none makes the row malformed. */
static void test_structs_in_a_field(void **state)
{
  static const char *const texts[] = {
      "time,type,collection_id,instance_index,resource_request\n"
      "610,SUBMIT,1,4,\"{\"\"cpus\"\": \"\"0.5\"\", \"\"memory\"\": 0.25}\"\n",
      "time,type,collection_id,instance_index,resource_request\n"
      "610,SUBMIT,1,4,\"{'cpus': 0.5, 'memory': 0.25}\"\n",
      "{\"time\":610,\"type\":0,\"collection_id\":1,\"instance_index\":4,\"resource_request\":"
      "\"{\\\"memory\\\":0.25,\\\"cpus\\\":\\\"0.5\\\"}\"}\n",
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) {
    told t;
    prepare_told(&t, TYPE, texts[i]);
    open_told(&t);
    tell_all(&t);
    no_error(&t);
    assert_int_equal(t.first.need[HC_DIM_CPU], 500);
    assert_int_equal(t.first.need[HC_DIM_MEMORY], 256 << 10);
    end_told(&t);
  }
  told t;
  prepare_told(&t, TYPE,
               "time,type,collection_id,instance_index,resource_request\n"
               "610,SUBMIT,1,4,\"{'cpus': None, 'memory': 0.25}\"\n"
               "610,SUBMIT,1,5,\"{'cpus': much, 'memory': 0.25}\"\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_int_equal(t.first.need[HC_DIM_CPU], HC_UNKNOWN);
  assert_int_equal(t.first.need[HC_DIM_MEMORY], 256 << 10);
  assert_int_equal(t.ledger.rejected[HC_REASON_MALFORMED], 1);
  end_told(&t);
}

static void test_constraints_in_csv(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE,
               "time,type,collection_id,instance_index,constraint\n"
               "10,0,1,0,\"[{\"\"name\"\":\"\"a\"\",\"\"value\"\":\"\"7\"\",\"\"relation\"\":1}]\"\n"
               "11,9,1,0,\"[{\"\"name\"\":\"\"b\"\",\"\"value\"\":\"\"8\"\",\"\"relation\"\":5}]\"\n"
               "12,7,1,0,\n"
               "13,0,2,0,[]\n"
               "14,7,2,0,\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.first.more);
  assert_int_equal(m->constraint_count, 1); /* an update lists all that hold */
  assert_string_equal(hc_lexicon_text(t.lexicon, m->constraints[0].attribute), "b");
  assert_true(m->constraints[0].compare == HC_AT_LEAST && m->constraints[0].value == 8);
  assert_int_equal(t.last.more, 0);
  end_told(&t);
}

/* ---- queueing, and the reading of another simulator ---- */

static const char queued[] = TITLES ROW("10", "0", "1", "0") ROW("10", "1", "1", "0") ROW("11", "0", "2", "0")
    ROW("11", "2", "2", "0") ROW("12", "3", "2", "0") ROW("30", "2", "1", "0") ROW("32", "3", "1", "0")
        ROW("40", "6", "1", "0") ROW("41", "6", "2", "0");

static void test_arrival(void **state)
{
  HC_UNUSED(state);
  expect_told(TYPE, queued, NULL, NULL, NULL,
              "1/0 at 10 waits 22 runs 8 not before 30 completed\n"
              "2/0 at 11 waits 1 runs 29 completed\n",
              7);
  expect_told(TYPE, queued, "arrival=enable", NULL, NULL,
              "2/0 at 11 waits 1 runs 29 completed\n"
              "1/0 at 30 waits 2 runs 8 completed\n",
              7);
}

static void test_as_dslab_reads(void **state)
{
  /* ENABLE is the submission and says the demand; a row that was queued, updated or did not finish is
   * dropped; cores are cut to whole ones, and what has none left is dropped. */
  const char *text = TITLES "10,2,1,0,1,0,200,0.000029,0.000525\n" /* 2.9 and 52.5 of 100,000 */
                            "10,2,2,0,1,0,200,0.000009,0.5\n"      /* less than a core */
                            "10,0,3,0,1,0,200,0.5,0.5\n"
                            "10,1,3,0,1,0,200,0.5,0.5\n"
                            "11,2,3,0,1,0,200,0.5,0.5\n"
                            "11,2,4,0,1,0,200,0.5,0.5\n"
                            "12,3,1,0,1,0,200,,\n"
                            "12,3,2,0,1,0,200,,\n"
                            "12,3,3,0,1,0,200,,\n"
                            "12,3,4,0,1,0,200,,\n"
                            "13,10,4,0,1,0,200,0.6,0.6\n"
                            "20,6,1,0,1,0,200,,\n"
                            "20,6,2,0,1,0,200,,\n"
                            "20,6,3,0,1,0,200,,\n"
                            "20,6,4,0,1,0,200,,\n"
                            "21,2,5,0,1,0,200,0.5,0.5\n"
                            "22,3,5,0,1,0,200,0.5,0.5\n"
                            "23,7,5,0,1,0,200,0.5,0.5\n"
                            "24,2,6,0,1,0,200,0.5,0.5\n";
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE, text);
  set_option(&t, "arrival=enable");
  set_option(&t, "updates=first");
  set_option(&t, "without=queue,evict,fail,kill,lost,update_pending,update_running");
  set_option(&t, "ends=finish");
  set_option(&t, "unfinished=reject");
  set_option(&t, "amounts=whole_cores");
  set_option(&t, "cpu_scale=100000");
  set_option(&t, "memory_scale=100000");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "1/0 at 10 waits 2 runs 8 completed\n");
  assert_int_equal(t.first.need[HC_DIM_CPU], 2000);
  assert_int_equal(t.first.need[HC_DIM_MEMORY], 52);
  assert_int_equal(t.ledger.rejected[HC_REASON_NO_DEMAND], 1);
  assert_int_equal(t.ledger.rejected[HC_REASON_FILTERED], 3);
  assert_int_equal(t.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  end_told(&t);
}

/* ---- collections ---- */

static void test_allocations_are_no_tasks(void **state)
{
  HC_UNUSED(state);
  expect_without(TYPE,
                 "time,type,collection_id,instance_index,collection_type\n"
                 "10,0,1,0,1\n11,3,1,0,ALLOC_SET\n12,0,2,0,0\n13,7,2,0,JOB\n14,7,1,0,1\n",
                 NULL, NULL, HC_REASON_NOT_A_TASK, 3, "2/0 at 12 waits 1 leaves 13 cancelled\n");
}

static void test_collections(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE,
               TITLES ROW("10", "0", "7", "0") ROW("10", "0", "8", "0") ROW("11", "7", "7", "0")
                   ROW("12", "7", "8", "0"));
  set_table(&t, "jobs",
            "{\"time\":\"10\",\"type\":\"0\",\"collection_id\":\"7\",\"user\":\"an\\u006e\","
            "\"collection_logical_name\":\"l\\/1\","
            "\"start_after_collection_ids\":[\"5\",\"6\"],\"max_per_machine\":2,\"max_per_switch\":\"9\"}\n"
            "{\"time\":\"10\",\"type\":\"0\",\"collection_id\":\"8\",\"user\":\"ann\","
            "\"collection_logical_name\":\"l/1\","
            "\"start_after_collection_ids\":[],\"max_per_machine\":null}\n"
            "{\"time\":\"10\",\"type\":\"0\",\"collection_id\":\"9\",\"collection_type\":\"1\","
            "\"user\":\"ann\"}\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_true(t.first.user == 1 && t.last.user == 1); /* however it is escaped */
  assert_true(t.first.executable == 1 && t.last.executable == 1);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.first.more);
  assert_int_equal(m->after_count, 2);
  assert_true(m->after[0].job == 5 && m->after[1].job == 6);
  assert_true(m->after[0].task == HC_UNKNOWN && m->after[0].how == HC_AFTER_ENDED); /* the whole collection */
  assert_true(m->per_host == 2 && m->per_zone == 9 && m->rival == 7);
  assert_string_equal(hc_lexicon_text(t.lexicon, m->zone_level), "switch");
  assert_int_equal(t.last.more, 0);
  assert_int_equal(t.ledger.rejected[HC_REASON_NOT_A_TASK], 1);
  assert_int_equal(TYPE->refers(t.source), HC_REFERS_ANY);
  end_told(&t);
}

static void test_collections_with_constraints(void **state)
{
  told t;
  HC_UNUSED(state); /* what the collection says and what the instance says hold together */
  prepare_told(&t, TYPE,
               "{\"time\":1,\"type\":0,\"collection_id\":7,\"instance_index\":0,"
               "\"constraint\":[{\"name\":\"a\",\"value\":"
               "\"1\",\"relation\":0}]}\n"
               "{\"time\":2,\"type\":7,\"collection_id\":7,\"instance_index\":0}\n");
  set_table(&t, "jobs", "time,type,collection_id,start_after_collection_ids\n0,0,7,\"[5, 6]\"\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.first.more);
  assert_true(m->after_count == 2 && m->constraint_count == 1);
  end_told(&t);
}

static void test_usage(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE, TITLES ROW("10", "0", "7", "0") ROW("20", "3", "7", "0") ROW("60", "6", "7", "0"));
  set_table(&t, "usage",
            "{\"start_time\":20,\"end_time\":40,\"collection_id\":7,\"instance_index\":0,"
            "\"average_usage\":{\"cpus\":0.5,"
            "\"memory\":1}}\n"
            "{\"start_time\":40,\"end_time\":60,\"collection_id\":7,\"instance_index\":0,"
            "\"average_usage\":{\"memory\":2,"
            "\"cpus\":1.5},\"cpu_usage_distribution\":[0.1,0.2]}\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_int_equal(t.first.cpu_time, 40 * HC_SECOND);
  assert_int_equal(t.first.memory_used, 3 << 19);
  end_told(&t);
  prepare_told(&t, TYPE, TITLES ROW("10", "0", "7", "0") ROW("20", "3", "7", "0") ROW("60", "6", "7", "0"));
  set_table(&t, "usage", "start_time,end_time,collection_id,instance_index,cpus,memory\n20,60,7,0,3,4\n");
  set_option(&t, "reading=measured");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "7/0 at 20 waits 0 runs 40 completed start\n");
  assert_int_equal(t.first.need[HC_DIM_CPU], 3000);
  end_told(&t);
}

/* ---- what is wrong ---- */

static void test_what_is_wrong(void **state)
{
  static const struct {
    const char *row, *words;
  } wrong[] = {
      {"{\"time\":x}\n", "it is no JSON object from here on"},
      {"{\"time\":1,}\n", "it is no JSON object from here on"},
      {"{\"time\":1} 2\n", "it is no JSON object from here on"},
      {"{\"time\":1\n", "it is no JSON object from here on"},
      {"{\"resource_request\":{\"cpus\":1]}\n", "it is no JSON object from here on"},
      {"[1]\n", "it is no JSON object from here on"},
      {"{\"type\":0,\"collection_id\":1,\"instance_index\":0}\n", "time holds \"\", which is no time"},
      {"{\"time\":1,\"type\":\"START\",\"collection_id\":1,\"instance_index\":0}\n",
       "type holds \"START\", which is no event"},
      {"{\"time\":1,\"type\":11,\"collection_id\":1,\"instance_index\":0}\n", "which is no event"},
      {"{\"time\":1,\"type\":0,\"collection_id\":1,\"instance_index\":-1}\n",
       "instance_index holds \"-1\", which is no index"},
      {"{\"time\":1,\"type\":0,\"collection_id\":1,\"instance_index\":0,\"collection_type\":2}\n",
       "which is no kind of collection"},
      {"{\"time\":1,\"type\":0,\"collection_id\":1,\"instance_index\":0,"
       "\"resource_request\":{\"cpus\":-1}}\n",
       "resource_request.cpus holds \"-1\", which is no amount"},
      {"{\"time\":1,\"type\":0,\"collection_id\":1,\"instance_index\":0,"
       "\"constraint\":[{\"name\":\"a\",\"relation\":9}]}\n",
       "which is no list of constraints"},
      {"{\"time\":1,\"type\":0,\"collection_id\":1,\"instance_index\":0,"
       "\"constraint\":[{\"name\":\"a\",\"value\":\"b\","
       "\"relation\":2}]}\n",
       "which is no list of constraints"},
      {"{\"time\":1,\"type\":0,\"collection_id\":1,\"instance_index\":0,\"constraint\":[5]}\n",
       "which is no list of constraints"},
  };
  told t;
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    char text[600];
    snprintf(text, sizeof text, "{\"time\":0,\"type\":0,\"collection_id\":1,\"instance_index\":0}\n%s",
             wrong[i].row);
    prepare_told(&t, TYPE, text);
    t.context.strict = true;
    expect_refused(&t, HC_EINPUT, 2, wrong[i].words);
    expect_without(TYPE, text, NULL, NULL, HC_REASON_MALFORMED, 1, "1/0 at 0 waits 0 unknown open\n");
  }
  prepare_told(&t, TYPE, "10,0,1,0\n");
  expect_refused(&t, HC_EINPUT, 1, "there is no column collection_id");
  prepare_told(&t, TYPE, "time,collection_id,instance_index\n10,1,0\n");
  expect_refused(&t, HC_EINPUT, 1, "there is no column type");
  prepare_told(&t, TYPE, TITLES ROW("5", "0", "1", "0") ROW("4", "0", "2", "0"));
  expect_refused(&t, HC_EINPUT, 3, "this event is earlier than the one before it");
  prepare_told(&t, TYPE, TITLES); /* titles alone: a trace without tasks */
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_int_equal(t.count, 0);
  end_told(&t);
  prepare_told(&t, TYPE, TITLES ROW("5", "0", "1", "0"));
  set_table(&t, "jobs", "time,type,collection_id,max_per_machine\n5,0,1,-2\n");
  t.context.strict = true;
  expect_refused(&t, HC_EINPUT, 2, "max_per_machine holds \"-2\", which is no number of tasks");
}

/* ---- JSON in a line ---- */

static void test_jsonline(void **state)
{
  static const char *const good[] = {"{}", "[]", "1", " \"a\" ",
                                     "{\"a\":[1,-2.5e3,true,false,null,\"x\\\"y\"],\"b\":{}}"};
  static const char *const bad[] = {"",        "{",
                                    "]",       "{]",
                                    "[1,]",    "[,1]",
                                    "{\"a\"}", "{\"a\":}",
                                    "{a:1}",   "[1 2]",
                                    "1 2",     "\"a",
                                    "\"a\\",   "tru",
                                    "[1}",     "{\"a\":1,}",
                                    "{,}",     "[\"a\"",
                                    "nul",     "{\"a\":1",
                                    ":",       "{\"a\":1 \"b\":2}"};
  hc_jsonline j;
  hc_buffer scratch;
  HC_UNUSED(state);
  for (int kind = 0; kind < 2; kind++) {
    const size_t n = kind == 0 ? HC_ARRAY_LEN(good) : HC_ARRAY_LEN(bad);
    for (size_t i = 0; i < n; i++) {
      const char *text = kind == 0 ? good[i] : bad[i];
      hc_jsonline_token t;
      hc_jsonline_begin(&j, text, strlen(text));
      do t = hc_jsonline_next(&j);
      while (t.kind != HC_JSONLINE_DONE && t.kind != HC_JSONLINE_WRONG);
      if ((t.kind == HC_JSONLINE_DONE) != (kind == 0)) fail_msg("%s", text);
      assert_int_equal(hc_jsonline_next(&j).kind, t.kind); /* and so it stays */
    }
  }
  char deep[HC_JSONLINE_DEPTH + 2];
  memset(deep, '[', sizeof deep);
  hc_jsonline_begin(&j, deep, sizeof deep);
  for (int i = 0; i < HC_JSONLINE_DEPTH; i++) assert_int_equal(hc_jsonline_next(&j).kind, HC_JSONLINE_ARRAY);
  assert_int_equal(hc_jsonline_next(&j).kind, HC_JSONLINE_WRONG);
  static const char *const texts[][2] = {{"\"a\\u00e9\\n\"", "a\xc3\xa9\n"},
                                         {"\"\\u20ac\"", "\xe2\x82\xac"},
                                         {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
                                         {"\"\\/\\\\\"", "/\\"},
                                         {"\"\\ud83d\"", NULL},
                                         {"\"\\u0000\"", NULL},
                                         {"\"\\q\"", NULL},
                                         {"\"\\u12g4\"", NULL},
                                         {"\"\\ude00\"", NULL}};
  hc_buffer_init(&scratch, hc_default_allocator());
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) {
    hc_field f;
    hc_jsonline_begin(&j, texts[i][0], strlen(texts[i][0]));
    const hc_jsonline_token t = hc_jsonline_next(&j);
    assert_int_equal(t.kind, HC_JSONLINE_TEXT);
    assert_int_equal(hc_jsonline_text(&t, &scratch, &f), texts[i][1] != NULL);
    if (texts[i][1]) assert_true(hc_field_is(&f, texts[i][1]));
  }
  hc_buffer_fini(&scratch);
}

/* ---- state, memory, lines ---- */

static void make_all(told *t)
{
  prepare_told(t, TYPE,
               TITLES ROW("0", "0", "1", "0") ROW("0", "3", "1", "0") ROW("10", "0", "2", "0")
                   ROW("10", "1", "2", "0") ROW("12", "2", "2", "0") ROW("13", "3", "2", "0")
                       ROW("14", "4", "2", "0") ROW("14", "0", "2", "0") ROW("16", "3", "2", "0")
                           ROW("20", "6", "2", "0") ROW("30", "0", "3", "0") ROW("31", "3", "3", "0")
                               ROW("40", "7", "3", "0") ROW("50", "6", "1", "0"));
  set_table(t, "jobs",
            "{\"time\":5,\"type\":0,\"collection_id\":2,\"user\":\"an\\u006e\","
            "\"start_after_collection_ids\":[1]}\n"
            "{\"time\":30,\"type\":0,\"collection_id\":3,\"user\":\"bob\",\"max_per_machine\":1}\n");
  set_table(t, "usage",
            "start_time,end_time,collection_id,instance_index,cpus,memory\n13,14,2,0,3,4\n16,20,2,0,1,1\n");
  open_told(t);
}

static void make_json(told *t)
{
  prepare_told(
      t, TYPE,
      "{\"time\":1,\"type\":0,\"collection_id\":7,\"instance_index\":0,\"constraint\":[{\"name\":\"\\u0061\","
      "\"value\":\"x\",\"relation\":0}]}\n"
      "{\"time\":2,\"type\":0,\"collection_id\":8,\"instance_index\":0}\n"
      "{\"time\":3,\"type\":9,\"collection_id\":7,\"instance_index\":0,\"constraint\":[{\"name\":\"b\","
      "\"value\":\"2\",\"relation\":2}]}\n"
      "{\"time\":4,\"type\":7,\"collection_id\":7,\"instance_index\":0}\n"
      "{\"time\":5,\"type\":7,\"collection_id\":8,\"instance_index\":0}\n");
  open_told(t);
}

/* Autopilot resizes what runs: event 9 while it waits, 10 while it runs. */
static void test_updates_in_place(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(
      &t, TYPE,
      "time,type,collection_id,instance_index,scheduling_class,collection_type,priority,cpus,memory\n"
      "1,0,7,0,1,0,200,2,3\n"
      "2,2,7,0,1,0,200,2,3\n"
      "3,9,7,0,1,0,200,4,3\n"
      "5,3,7,0,1,0,200,4,3\n"
      "8,10,7,0,1,0,200,1,3\n"
      "9,UPDATE_RUNNING,7,0,1,0,200,1,8\n"
      "20,6,7,0,1,0,200,1,8\n");
  set_option(&t, "updates=in_place");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.first.more);
  assert_true(m && m->resize_count == 2);
  assert_true(t.first.need[HC_DIM_CPU] == 4000 && t.first.need[HC_DIM_MEMORY] == 3 << 20);
  assert_true(m->resizes[0].after == 3 * HC_SECOND && m->resizes[0].need[HC_DIM_CPU] == 1000 &&
              m->resizes[0].need[HC_DIM_MEMORY] == 3 << 20);
  assert_true(m->resizes[1].after == 4 * HC_SECOND && m->resizes[1].need[HC_DIM_CPU] == 1000 &&
              m->resizes[1].need[HC_DIM_MEMORY] == 8 << 20);
  assert_int_equal(t.ledger.merged, 6);
  end_told(&t);
}

static void test_state(void **state)
{
  HC_UNUSED(state);
  expect_resumable(make_all);
  expect_resumable(make_json);
}

static void test_out_of_memory(void **state)
{
  HC_UNUSED(state);
  expect_no_leak(make_all, 1);
  expect_no_leak(make_json, 1);
}

static hc_line_kind key_of(const void *layout, const char *line, hc_time *submit, int64_t *id)
{
  *submit = *id = -1;
  return TYPE->line_key(layout, line, strlen(line), submit, id);
}

static void test_lines(void **state)
{
  static const char json[] = "{\"time\":\"7\",\"collection_id\":1,\"type\":\"SUBMIT\"}\n";
  hc_chosen c = choose(&TYPE->component, "time_unit=1s", NULL);
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  hc_time submit;
  int64_t id;
  void *layout = NULL;
  HC_UNUSED(state);
  static const char titles[] = "user,\"time\",collection_id,type\r\nx,5,6,0\n";
  assert_int_equal(TYPE->line_begin(a, c.options, titles, strlen(titles), &layout, &e), 0);
  assert_int_equal(key_of(layout, "user,\"time\",collection_id,type\r", &submit, &id), HC_LINE_HEAD);
  assert_int_equal(key_of(layout, "\"a,b\",600,6,3\r", &submit, &id), HC_LINE_ROW);
  assert_true(submit == 600 * HC_SECOND && id == 3); /* SUBMIT before SCHEDULE, whatever their rows' order */
  assert_int_equal(key_of(layout, "ann,\"0\",6,SUBMIT", &submit, &id), HC_LINE_ROW);
  assert_true(submit == 0 && id == 0);
  assert_int_equal(key_of(layout, "ann,x,6,3", &submit, &id), HC_LINE_BROKEN);
  assert_int_equal(key_of(layout, "ann", &submit, &id), HC_LINE_BROKEN);
  assert_int_equal(key_of(layout, "\"ann", &submit, &id), HC_LINE_PART);
  assert_int_equal(key_of(layout, "", &submit, &id), HC_LINE_BROKEN);
  TYPE->line_end(a, layout);
  assert_int_equal(TYPE->line_begin(a, c.options, json, strlen(json), &layout, &e), 0);
  assert_int_equal(key_of(layout, "{\"type\":6,\"time\":9,\"user\":\"\\u0061\"}", &submit, &id), HC_LINE_ROW);
  assert_true(submit == 9 * HC_SECOND && id == 6);
  assert_int_equal(key_of(layout, "{\"type\":6,\"time\":9", &submit, &id), HC_LINE_BROKEN);
  TYPE->line_end(a, layout);
  assert_int_equal(TYPE->line_begin(a, c.options, "1,2,3\n", 6, &layout, &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "does not name the columns time and collection_id"));
  drop(&c);
}

static int likely(const char *name, const char *text)
{
  return TYPE->recognise(name, text, strlen(text));
}

static void test_recognised(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(likely("x", TITLES ROW("1", "0", "1", "0")), 95);
  assert_int_equal(
      likely("x", "{\"time\":\"1\",\"type\":\"0\",\"collection_id\":\"1\",\"instance_index\":0}\n"), 95);
  assert_int_equal(likely("cell_a/instance_events", ""), 60);
  assert_int_equal(likely("x", "time,type,collection_id,user\n"), 0); /* collection_events */
  assert_int_equal(likely("x", "0,2,3418309,0,4155527081,0,70s3v5q=,3,9,,,,\n"), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_csv),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_structs_in_a_field),
      cmocka_unit_test(test_constraints_in_csv),
      cmocka_unit_test(test_arrival),
      cmocka_unit_test(test_as_dslab_reads),
      cmocka_unit_test(test_allocations_are_no_tasks),
      cmocka_unit_test(test_collections),
      cmocka_unit_test(test_collections_with_constraints),
      cmocka_unit_test(test_usage),
      cmocka_unit_test(test_what_is_wrong),
      cmocka_unit_test(test_jsonline),
      cmocka_unit_test(test_updates_in_place),
      cmocka_unit_test(test_state),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
