/* test_exporters.c -- each format, line by line, from one small result.
 *
 * Its tasks are those of the three-job case in which a 4-processor job waits for a long one: 3 processors [0,
 * 100), 1 processor [2, 1002), 4 processors [1002, 1102). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "hindcast/output.h"

extern const hc_exporter_type hc_exporter_csv, hc_exporter_json, hc_exporter_swf, hc_exporter_accasim,
    hc_exporter_batsim, hc_exporter_gantt;

/* The options as the tables of parameters describe them: filled here as the resolver would. */
typedef union options {
  int64_t words[8];
  char bytes[64];
} options;

static const hc_param *param(const hc_exporter_type *x, const char *name)
{
  for (const hc_param *p = x->component.params; p->name; p++) {
    if (strcmp(p->name, name) == 0) return p;
  }
  fail_msg("%s has no parameter %s", x->component.name, name);
  return NULL;
}

static void set_int(options *o, const hc_exporter_type *x, const char *name, int64_t value)
{
  const hc_param *p = param(x, name);
  int choice = (int)value;
  bool flag = value != 0;
  assert_true(p->offset < sizeof *o);
  if (p->type == HC_CHOICE) memcpy(o->bytes + p->offset, &choice, sizeof choice);
  else if (p->type == HC_BOOL) memcpy(o->bytes + p->offset, &flag, sizeof flag);
  else memcpy(o->bytes + p->offset, &value, sizeof value);
}

static void set_text(options *o, const hc_exporter_type *x, const char *name, const char *value)
{
  memcpy(o->bytes + param(x, name)->offset, &value, sizeof value);
}

static hc_rc keep(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static hc_rc refuse(void *ctx, const void *data, size_t size)
{
  (void)ctx, (void)data, (void)size;
  return HC_EIO;
}

static hc_task_record task(int64_t id, int64_t submit, int64_t start, int64_t end, int64_t units)
{
  return (hc_task_record){.serial = id - 1,
                          .id = id,
                          .submit = submit * HC_SECOND,
                          .start = start * HC_SECOND,
                          .end = end * HC_SECOND,
                          .units = units,
                          .limit = (end - start) * HC_SECOND,
                          .estimate = (end - start) * HC_SECOND,
                          .run = (end - start) * HC_SECOND,
                          .user = 1,
                          .group = -1,
                          .executable = -1,
                          .queue = 2,
                          .partition = -1,
                          .final = HC_FINAL_COMPLETED};
}

static hc_result *sample(hc_store **s)
{
  const char *const facts[][2] = {{"processors", "4"}, {"unix_start", "86400"}};
  const char *config[3] = {"policy.select", "easy\nor so", "flag"};
  const char *row[2] = {"used", "5"};
  hc_task_record t[] = {task(1, 0, 0, 100, 3), task(4, 3, 0, 0, 9), task(3, 2, 2, 1002, 1),
                        task(2, 1, 1002, 1102, 4), task(5, 900, 1102, 1112, 1)};
  hc_result *r = NULL;
  t[1].start = t[1].end = t[1].limit = t[1].estimate = HC_UNKNOWN, t[1].final = HC_FINAL_REJECTED;
  t[4].submit += HC_SECOND / 2, t[4].run *= 3, t[4].final = HC_FINAL_KILLED, t[4].flags = HC_TASK_BACKFILLED;
  assert_int_equal(hc_store_new(hc_default_allocator(), NULL, s, NULL), 0);
  assert_int_equal(hc_store_row(*s, "hindcast", 2, facts[0], NULL), 0);
  assert_int_equal(hc_store_row(*s, "hindcast", 2, facts[1], NULL), 0);
  assert_int_equal(hc_store_row(*s, "configuration", 3, config, NULL), 0);
  assert_int_equal(hc_store_row(*s, "rows", 2, row, NULL), 0);
  assert_int_equal(hc_store_tasks(*s, t, 5, NULL), 0);
  assert_int_equal(hc_store_figure(*s, "all", "tasks", "1", 5, true, NULL), 0);
  assert_int_equal(hc_store_figure(*s, "all", "wait_mean", "s", 0.1, false, NULL), 0);
  assert_int_equal(hc_store_figure(*s, "trimmed", "wait_mean", "s", __builtin_nan(""), false, NULL), 0);
  assert_int_equal(hc_store_cell(*s, "all", "by_user", 1, "wait_mean", "s", 0.5, NULL), 0);
  assert_int_equal(hc_result_of_store(*s, &r, NULL), 0);
  return r;
}

static void assert_export(const hc_exporter_type *x, const options *o, const char *expected)
{
  hc_store *s = NULL;
  hc_result *r = sample(&s);
  hc_buffer text;
  hc_sink sink = {&text, keep}, broken = {NULL, refuse};
  hc_error e = {0};
  hc_buffer_init(&text, hc_default_allocator());
  assert_int_equal(x->run(hc_default_allocator(), o, r, &sink, &e), 0);
  assert_string_equal(text.data, expected);
  assert_int_equal(x->run(hc_default_allocator(), o, r, &broken, &e), HC_EIO); /* a full pipe is told */
  assert_int_equal(e.rc, HC_EIO);
  hc_buffer_fini(&text);
  hc_result_free(r);
  hc_store_free(s);
}

static void test_csv_tasks(void **state)
{
  options o = {{0}};
  (void)state;
  set_int(&o, &hc_exporter_csv, "header", true);
  /* What is not known is empty; task 4 was refused; waits and response are derived. */
  assert_export(
      &hc_exporter_csv, &o,
      "serial,id,submit,start,end,wait,held,response,processors,limit,estimate,run,user,group,executable,"
      "queue,partition,state,backfilled,clamped,no_limit,suspended\n"
      "0,1,0,0,100,0,100,100,3,100,100,100,1,,,2,,completed,0,0,0,0\n"
      "3,4,3,,,,,,9,,,0,1,,,2,,rejected,0,0,0,\n"
      "2,3,2,2,1002,0,1000,1000,1,1000,1000,1000,1,,,2,,completed,0,0,0,0\n"
      "1,2,1,1002,1102,1001,100,1101,4,100,100,100,1,,,2,,completed,0,0,0,0\n"
      "4,5,900.5,1102,1112,201.5,10,211.5,1,10,10,30,1,,,2,,killed,1,0,0,0\n");
}

static void test_csv_other_tables(void **state)
{
  options o = {{0}};
  (void)state;
  set_int(&o, &hc_exporter_csv, "table", 1);
  set_int(&o, &hc_exporter_csv, "header", true);
  assert_export(&hc_exporter_csv, &o,
                "scope,name,unit,value\nall,tasks,1,5\nall,wait_mean,s,0.1\ntrimmed,wait_mean,s,\n");
  set_int(&o, &hc_exporter_csv, "table", 4);
  set_int(&o, &hc_exporter_csv, "header", false);
  /* quoted as RFC 4180 has it */
  assert_export(&hc_exporter_csv, &o, "policy.select,\"easy\nor so\",flag,,\n");
}

static void test_json(void **state)
{
  options o = {{0}};
  (void)state;
  assert_export(
      &hc_exporter_json, &o,
      "{\n"
      "  \"hindcast\": {\n    \"schema\": \"4\",\n    \"kind\": \"run\",\n    \"processors\": \"4\",\n"
      "    \"unix_start\": \"86400\"\n  },\n"
      "  \"configuration\": {\n"
      "    \"policy.select\": {\"value\": \"easy\\nor so\", \"origin\": \"flag\"}\n  },\n"
      "  \"inputs\": [],\n"
      "  \"rows\": {\n    \"used\": 5\n  },\n"
      "  \"finals\": {},\n"
      "  \"summary\": {\n"
      "    \"all\": {\n      \"tasks\": {\"value\": 5, \"unit\": \"1\"},\n"
      "      \"wait_mean\": {\"value\": 0.1, \"unit\": \"s\"}\n    },\n"
      "    \"trimmed\": {\n      \"wait_mean\": {\"value\": null, \"unit\": \"s\"}\n    }\n  },\n"
      "  \"cells\": [\n    {\"scope\": \"all\", \"table\": \"by_user\", \"key\": 1, \"name\": \"wait_mean\", "
      "\"unit\": \"s\", \"value\": 0.5}\n  ],\n"
      "  \"rejected\": []\n"
      "}\n");
}

static void test_json_tasks(void **state)
{
  options o = {{0}};
  hc_store *s = NULL;
  hc_result *r = sample(&s);
  hc_buffer text;
  hc_sink sink = {&text, keep};
  (void)state;
  hc_buffer_init(&text, hc_default_allocator());
  set_int(&o, &hc_exporter_json, "tasks", true);
  set_int(&o, &hc_exporter_json, "run_info", true);
  assert_int_equal(hc_exporter_json.run(hc_default_allocator(), &o, r, &sink, NULL), 0);
  assert_non_null(strstr(text.data, "  \"run_info\": {},\n  \"tasks\": [\n"));
  assert_non_null(
      strstr(text.data,
             "    {\"serial\": 3, \"id\": 4, \"submit\": 3, \"start\": null, \"end\": null, "
             "\"processors\": 9, \"limit\": null, \"estimate\": null, \"run\": 0, \"user\": 1, "
             "\"group\": null, \"executable\": null, \"queue\": 2, \"partition\": null, "
             "\"state\": \"rejected\", \"backfilled\": false, \"clamped\": false, \"no_limit\": false},\n"));
  assert_string_equal(text.data + text.size - 8, "}\n  ]\n}\n");
  hc_buffer_fini(&text);
  hc_result_free(r);
  hc_store_free(s);
}

static void test_swf(void **state)
{
  options o = {{0}};
  (void)state;
  set_int(&o, &hc_exporter_swf, "header", true);
  /* By submission; a rejected job is status 5 and allocated nothing, a killed one status 0. */
  assert_export(&hc_exporter_swf, &o,
                "; Version: 2.2\n; MaxJobs: 5\n; MaxRecords: 5\n; MaxProcs: 4\n; UnixStartTime: 86400\n"
                "; Note: a simulated schedule, made by Hindcast; not a record of a real machine\n"
                "; Note: policy.select: easy or so\n"
                "1 0 0 100 3 -1 -1 3 100 -1 1 1 -1 -1 2 -1 -1 -1\n"
                "2 1 1001 100 4 -1 -1 4 100 -1 1 1 -1 -1 2 -1 -1 -1\n"
                "3 2 0 1000 1 -1 -1 1 1000 -1 1 1 -1 -1 2 -1 -1 -1\n"
                "4 3 -1 -1 -1 -1 -1 9 -1 -1 5 1 -1 -1 2 -1 -1 -1\n"
                "5 900.5 201.5 10 1 -1 -1 1 10 -1 0 1 -1 -1 2 -1 -1 -1\n");
}

static void test_accasim(void **state)
{
  options o = {{0}};
  (void)state;
  set_int(&o, &hc_exporter_accasim, "node", 1);
  /* The origin is one day into 1970; 900.5 s is written as 900. */
  assert_export(
      &hc_exporter_accasim, &o,
      "1;1;1970-01-02 00:00:00__1;1#1;1#1;1#__1970-01-02 00:00:00;1970-01-02 00:01:40;3;3;NA;100;\n"
      "3;1;1970-01-02 00:00:02__1;1#__1970-01-02 00:00:02;1970-01-02 00:16:42;1;1;NA;1000;\n"
      "2;1;1970-01-02 00:00:01__1;1#1;1#1;1#1;1#__1970-01-02 00:16:42;1970-01-02 00:18:22;4;4;NA;100;\n"
      "5;1;1970-01-02 00:15:00__1;1#__1970-01-02 00:18:22;1970-01-02 00:18:32;1;1;NA;10;\n");
}

static void test_batsim(void **state)
{
  options o = {{0}};
  (void)state;
  set_text(&o, &hc_exporter_batsim, "workload", "w0");
  set_text(&o, &hc_exporter_batsim, "profile", "delay");
  assert_export(
      &hc_exporter_batsim, &o,
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
      "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
      "allocated_resources,consumed_energy,metadata\n"
      "1,w0,delay,0.000000,3,100.000000,1,COMPLETED_SUCCESSFULLY,0.000000,100.000000,100.000000,0.000000,"
      "100.000000,1.000000,,-1.000000,\"\"\n"
      "4,w0,delay,3.000000,9,-1.000000,0,REJECTED,,,,,,,,-1.000000,\"\"\n"
      "3,w0,delay,2.000000,1,1000.000000,1,COMPLETED_SUCCESSFULLY,2.000000,1000.000000,1002.000000,0.000000,"
      "1000.000000,1.000000,,-1.000000,\"\"\n"
      "2,w0,delay,1.000000,4,100.000000,1,COMPLETED_SUCCESSFULLY,1002.000000,100.000000,1102.000000,"
      "1001.000000,1101.000000,11.010000,,-1.000000,\"\"\n"
      "5,w0,delay,900.500000,1,10.000000,0,COMPLETED_WALLTIME_REACHED,1102.000000,10.000000,1112.000000,"
      "201.500000,211.500000,21.150000,,-1.000000,\"\"\n");
}

/* ---- tasks that were resized ---- */

static void numbers(hc_store *s, const char *table, size_t n, const int64_t *values)
{
  assert_int_equal(hc_store_numbers(s, table, n, values, NULL), 0);
}

static void export(const hc_exporter_type *x, const options *o, hc_store *s, hc_buffer *text)
{
  hc_sink sink = {text, keep};
  hc_result *r = NULL;
  hc_error e = {0};
  text->size = 0;
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_int_equal(x->run(hc_default_allocator(), o, r, &sink, &e), 0);
  hc_result_free(r);
}

static void assert_says(const hc_buffer *text, const char *what)
{
  if (!strstr(text->data, what)) fail_msg("%s\nis not in\n%s", what, text->data);
}

/* Of 5 processors task 1 has 1 and 2 from 0 on, 1, 2 and 4 from 40 s to its end at 100 s. An attempt before
 * that one had 0 to 3, and the mean is (2 x 40 + 3 x 60) / 100 = 2.6, as its record says in whole ones. Task
 * 2 has 0 and 3. A second is a pixel of the picture, which begins at 60, and a processor ten, the lowest of
 * which end at 90. */
static void test_pieces_of_processors(void **state)
{
  static const int64_t rows[][14] = {{0, -50 * HC_SECOND, 0, 2, 0, 2},
                                     {0, -40 * HC_SECOND, 7, 4, 0, 4},
                                     {0, 0, 0, 2, 1, 2},
                                     {0, 40 * HC_SECOND, 8, 3, 1, 2},
                                     {0, 40 * HC_SECOND, 8, 3, 4, 1}};
  const char *const fact[] = {"processors", "5"};
  const hc_range at_end[] = {{1, 2}, {4, 1}}, other[] = {{0, 1}, {3, 1}};
  hc_task_record t[] = {task(1, 0, 0, 100, 3), task(2, 0, 0, 100, 2)};
  options o = {{0}};
  hc_store *s = NULL;
  hc_buffer text;
  (void)state;
  hc_buffer_init(&text, hc_default_allocator());
  for (int named = 1; named >= 0; named--) {
    assert_int_equal(hc_store_new(hc_default_allocator(), NULL, &s, NULL), 0);
    assert_int_equal(hc_store_row(s, "hindcast", 2, fact, NULL), 0);
    assert_int_equal(hc_store_tasks(s, t, 2, NULL), 0);
    for (size_t i = 0; i < 5; i++) numbers(s, "regrants", 14, rows[i]);
    if (named) assert_int_equal(hc_store_placement(s, 0, at_end, 2, NULL), 0);
    if (named) assert_int_equal(hc_store_placement(s, 1, other, 2, NULL), 0);
    o = (options){{0}};
    o.words[0] = o.words[1] = HC_UNKNOWN;
    set_int(&o, &hc_exporter_gantt, "width", 195);
    set_int(&o, &hc_exporter_gantt, "height", 200);
    export(&hc_exporter_gantt, &o, s, &text);
    if (named) {
      assert_says(&text, "<rect x=\"60.00\" y=\"60.00\" width=\"40.00\" height=\"20.00\"");
      assert_says(&text, "<rect x=\"100.00\" y=\"60.00\" width=\"60.00\" height=\"20.00\"");
      assert_says(&text, "<rect x=\"100.00\" y=\"40.00\" width=\"60.00\" height=\"10.00\"");
    } else { /* laid on the lowest: 0 and 1, beside 2 and 3 of task 2; then 0, 1 and 4 */
      assert_says(&text, "<rect x=\"60.00\" y=\"70.00\" width=\"40.00\" height=\"20.00\"");
      assert_says(&text, "<rect x=\"60.00\" y=\"50.00\" width=\"100.00\" height=\"20.00\"");
      assert_says(&text, "<rect x=\"100.00\" y=\"70.00\" width=\"60.00\" height=\"20.00\"");
      assert_says(&text, "<rect x=\"100.00\" y=\"40.00\" width=\"60.00\" height=\"10.00\"");
    }
    o = (options){{0}};
    set_text(&o, &hc_exporter_batsim, "workload", "w");
    set_text(&o, &hc_exporter_batsim, "profile", "d");
    export(&hc_exporter_batsim, &o, s, &text);
    assert_says(&text,
                named ? "1,w,d,0.000000,2,100.000000,1,COMPLETED_SUCCESSFULLY,0.000000,40.000000,40.000000,"
                        "0.000000,40.000000,1.000000,1-2,-1.000000,piece 1 of 2\n"
                        "1,w,d,0.000000,3,100.000000,1,COMPLETED_SUCCESSFULLY,40.000000,60.000000,100.000000,"
                        "40.000000,100.000000,1.666667,1-2 4,-1.000000,piece 2 of 2\n"
                      : "100.000000,1.666667,,-1.000000,piece 2 of 2\n");
    set_int(&o, &hc_exporter_batsim, "resized", 1);
    export(&hc_exporter_batsim, &o, s, &text);
    assert_says(&text,
                named ? "1,w,d,0.000000,3,100.000000,1,COMPLETED_SUCCESSFULLY,0.000000,100.000000,100.000000,"
                        "0.000000,100.000000,1.000000,1-2 4,-1.000000,\"\"\n"
                      : "100.000000,1.000000,,-1.000000,\"\"\n");
    o = (options){{0}};
    set_int(&o, &hc_exporter_json, "tasks", 1);
    export(&hc_exporter_json, &o, s, &text);
    assert_says(&text,
                "\"pieces\": [{\"start\": 0, \"processors\": 2}, {\"start\": 40, \"processors\": 3}]}");
    hc_store_free(s);
  }
  hc_buffer_fini(&text);
}

/* One host of 4 cores in a band of 50 pixels, one of which is a gap. Task 1 changed its demand at 40 s, from
 * 2 cores to 1: half of 49 pixels, then a quarter. Task 2 was resized, from a core to two at 50 s. */
static void test_pieces_of_hosts(void **state)
{
  static const int64_t grants[][12] = {{0, 0, 1, 0, 2000}, {1, 0, 2, 0, 2000}};
  static const int64_t resize[11] = {0, 40 * HC_SECOND, 0, 1000};
  static const int64_t regrants[][14] = {{1, 0, 0, 1000, 0, 1, 1000},
                                         {1, 50 * HC_SECOND, 1, 2000, 0, 2, 2000}};
  static const char *const host[12] = {"0", "n1", "c", "0", "4000"};
  const char *const fact[] = {"processors", "4000"};
  hc_task_record t[] = {task(1, 0, 0, 100, 1600), task(2, 0, 0, 100, 1500)};
  options o = {{0}};
  hc_store *s = NULL;
  hc_buffer text;
  (void)state;
  hc_buffer_init(&text, hc_default_allocator());
  assert_int_equal(hc_store_new(hc_default_allocator(), NULL, &s, NULL), 0);
  assert_int_equal(hc_store_row(s, "hindcast", 2, fact, NULL), 0);
  assert_int_equal(hc_store_row(s, "hosts", 12, host, NULL), 0);
  assert_int_equal(hc_store_tasks(s, t, 2, NULL), 0);
  for (size_t i = 0; i < 2; i++) numbers(s, "grants", 12, grants[i]);
  for (size_t i = 0; i < 2; i++) numbers(s, "regrants", 14, regrants[i]);
  numbers(s, "resizes", 11, resize);
  o.words[0] = o.words[1] = HC_UNKNOWN;
  set_int(&o, &hc_exporter_gantt, "width", 255);
  set_int(&o, &hc_exporter_gantt, "height", 200);
  export(&hc_exporter_gantt, &o, s, &text);
  assert_says(&text, "<rect x=\"120.00\" y=\"65.50\" width=\"40.00\" height=\"24.50\"");
  assert_says(&text, "<rect x=\"160.00\" y=\"77.75\" width=\"60.00\" height=\"12.25\"");
  assert_says(&text,
              "<rect x=\"120.00\" y=\"53.25\" width=\"50.00\" height=\"12.25\""); /* on what task 1 has */
  hc_store_free(s);
  hc_buffer_fini(&text);
}

/* A result larger than a piece of text and a block of tasks arrives whole, in pieces. */
static hc_rc count_pieces(void *ctx, const void *data, size_t size)
{
  size_t *n = ctx;
  n[0]++;
  for (size_t i = 0; i < size; i++) n[1] += ((const char *)data)[i] == '\n';
  return 0;
}

static void test_streams(void **state)
{
  hc_store *s = NULL;
  hc_result *r = NULL;
  options o = {{0}};
  size_t n[2] = {0, 0};
  hc_sink sink = {n, count_pieces};
  (void)state;
  assert_int_equal(hc_store_new(hc_default_allocator(), NULL, &s, NULL), 0);
  for (int64_t i = 5000; i > 0; i--) {
    hc_task_record t = task(i, i, i + 1, i + 2, 1);
    assert_int_equal(hc_store_tasks(s, &t, 1, NULL), 0);
  }
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_int_equal(hc_exporter_csv.run(hc_default_allocator(), &o, r, &sink, NULL), 0);
  assert_int_equal(n[1], 5000); /* no header was asked for: a line a task */
  assert_true(n[0] > 1);
  hc_result_free(r);
  hc_store_free(s);
}

static void test_descriptors(void **state)
{
  static const hc_exporter_type *const all[] = {&hc_exporter_csv, &hc_exporter_json, &hc_exporter_swf,
                                                &hc_exporter_accasim, &hc_exporter_batsim};
  (void)state;
  for (size_t i = 0; i < 5; i++) {
    const hc_component *c = &all[i]->component;
    assert_int_equal(c->size, sizeof(hc_exporter_type));
    assert_int_equal(c->kind, HC_KIND_EXPORTER);
    assert_true(c->options_size <= sizeof(options));
    for (const hc_param *p = c->params; p->name; p++) {
      assert_true(p->offset < c->options_size);
      assert_non_null(p->help);
      assert_non_null(p->fallback); /* so that every exporter runs without a word said */
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_csv_tasks),
      cmocka_unit_test(test_csv_other_tables),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_json_tasks),
      cmocka_unit_test(test_swf),
      cmocka_unit_test(test_accasim),
      cmocka_unit_test(test_batsim),
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_descriptors),
      cmocka_unit_test(test_pieces_of_processors),
      cmocka_unit_test(test_pieces_of_hosts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
