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
    hc_exporter_batsim;

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
  assert_export(&hc_exporter_csv, &o, "policy.select,\"easy\nor so\",flag\n"); /* quoted as RFC 4180 has it */
}

static void test_json(void **state)
{
  options o = {{0}};
  (void)state;
  assert_export(
      &hc_exporter_json, &o,
      "{\n"
      "  \"hindcast\": {\n    \"schema\": \"2\",\n    \"kind\": \"run\",\n    \"processors\": \"4\",\n"
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
      cmocka_unit_test(test_csv_tasks),   cmocka_unit_test(test_csv_other_tables),
      cmocka_unit_test(test_json),        cmocka_unit_test(test_json_tasks),
      cmocka_unit_test(test_swf),         cmocka_unit_test(test_accasim),
      cmocka_unit_test(test_batsim),      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_descriptors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
