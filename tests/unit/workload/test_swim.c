/* test_swim.c -- Hadoop workloads: tasks and run times that are derived from bytes, and what ties them. */
#define _GNU_SOURCE
#include "reader_test.h"

extern const hc_reader_type hc_reader_swim;
#define SWIM &hc_reader_swim

/* Sizes that divide: blocks of 100 bytes, reduces of 1000, ten bytes a second, and a startup of 2 s. */
static void small(reading *r, const char *text)
{
  begin_reading(r, SWIM, text, "block_size=100", "reduce_size=1000", "map_rate=10");
  const hc_param *p = hc_reader_swim.component.params;
  while (strcmp(p->name, "reduce_rate") != 0) p++;
  *(int64_t *)(void *)((char *)r->chosen.options + p->offset) = 20;
  open_reading(r);
  read_on(r);
  if (r->rc < 0) fail_msg("line %u: %s", r->error.line, r->error.text);
  assert_true(hc_ledger_balances(&r->ledger));
}

static void test_maps_and_reduces(void **state)
{
  reading r;
  HC_UNUSED(state);
  small(&r, "job0\t49\t49\t250\t1500\t500\n");
  assert_int_equal(r.count, 2);
  const hc_task_spec *map = &r.tasks[0], *reduce = &r.tasks[1];
  assert_int_equal(map->count, 3);                  /* ceil(250 / 100) */
  assert_int_equal(map->run, INT64_C(10333333334)); /* 2 + 250 / 3 / 10, to the next nanosecond */
  assert_int_equal(reduce->count, 2);               /* ceil(1500 / 1000) */
  assert_int_equal(reduce->run, 52 * HC_SECOND);    /* 2 + (1500 + 500) / 2 / 20 */
  assert_true(map->id == 1 && reduce->id == 2);
  assert_true(map->job == reduce->job && map->job > 0);
  assert_true(map->submit == 49 * HC_SECOND && reduce->submit == 49 * HC_SECOND);
  assert_int_equal(map->hosts, 1);
  assert_int_equal(map->need[HC_DIM_CPU], 1000);
  assert_int_equal(map->need[HC_DIM_MEMORY], (int64_t)1 << 30);
  assert_int_equal(map->procs_asked, 1);
  assert_int_equal(map->more, 0);
  const hc_task_extras *m = more_of(&r, 1);
  assert_int_equal(m->after_count, 1);
  assert_int_equal(m->after[0].job, map->job);
  assert_int_equal(m->after[0].task, 1);
  assert_int_equal(m->after[0].how, HC_AFTER_ENDED);
  assert_int_equal(r.type->refers(r.source), HC_REFERS_JOB);
  assert_non_null(strstr(r.type->info(r.source)->derived, "bytes only"));
  end_reading(&r);
}

static void test_map_only(void **state)
{
  reading r;
  HC_UNUSED(state);
  small(&r, "a\t0\t0\t100\t0\t50\nb\t1\t1\t0\t0\t0\nc\t1\t0\t0\t1\t0\n");
  assert_int_equal(r.count, 4);
  assert_int_equal(r.tasks[0].run, 17 * HC_SECOND); /* 2 + (100 + 50) / 10: it writes the output too */
  assert_int_equal(r.tasks[1].count, 1);            /* nothing to read, and yet a task */
  assert_int_equal(r.tasks[1].run, 2 * HC_SECOND);
  assert_int_equal(r.tasks[2].id, 5);
  assert_int_equal(r.tasks[3].id, 6);
  assert_int_equal(r.tasks[3].run, 2050 * HC_MS); /* 2 + 1 / 20 */
  end_reading(&r);
}

static void test_nine_columns(void **state)
{
  reading r;
  HC_UNUSED(state);
  small(&r, "job0\t1.5\t1\t1e2\t0\t0\t17\t/in put/a\t/out\n");
  assert_int_equal(r.count, 1);
  assert_int_equal(r.tasks[0].submit, 1500 * HC_MS);
  assert_int_equal(r.tasks[0].count, 1);
  end_reading(&r);
}

static void test_defaults_and_origin(void **state)
{
  reading r;
  HC_UNUSED(state);
  read_all(&r, SWIM, "job0\t1\t1\t134217729\t1073741825\t0\n", "origin=2010-01-02", "time_unit=1m",
           "cpus=0.5");
  assert_int_equal(r.tasks[0].count, 2); /* a byte more than a block of 128 MiB */
  assert_int_equal(r.tasks[1].count, 2); /* a byte more than 1 GiB */
  assert_int_equal(r.tasks[0].submit, HC_MINUTE);
  assert_int_equal(r.tasks[0].need[HC_DIM_CPU], 500);
  assert_int_equal(r.tasks[0].procs_asked, 1);
  assert_int_equal(r.type->info(r.source)->unix_start, 1262390400);
  end_reading(&r);
}

static void test_rejected(void **state)
{
  HC_UNUSED(state);
#define BAD(row, option, words) expect_rejected(SWIM, "# c\n" row "\n", option, HC_REASON_MALFORMED, 2, words)
  BAD("job0\t1\t1\t1\t1", NULL, "it has 5 fields, where 6 or 9 are expected");
  BAD("job0\t-1\t1\t1\t1\t1", NULL, "the time of submission holds \"-1\"");
  BAD("job0\t1\t1\tx\t1\t1", NULL, "the bytes read holds \"x\"");
  BAD("job0\t1\t1\t1\t1\t-1", NULL, "the bytes written holds \"-1\"");
  BAD("job0\t1\t1\t99999999\t1\t1", "block_size=1", "more than 16,777,216 tasks: raise block_size");
  BAD("job0\t1\t1\t4000000000000000\t1\t1", NULL, "tasks: raise block_size");
#undef BAD
  expect_error(SWIM, "", NULL, HC_EINPUT, 0, "the file has no rows: give a workload of SWIM");
  expect_error(SWIM, "a b c\n", NULL, HC_EINPUT, 1, "no row of this file can be read as a workload of SWIM");
  expect_error(SWIM, "a\tb\n", "origin=never", HC_EUSAGE, 0, "origin: \"never\" is no date");
}

static void test_resumed(void **state)
{
  const char *text = "a\t0\t0\t1\t1\t1\nbad\nb\t1\t1\t1\t0\t1\nc\t2\t1\t1\t1\t1\n";
  HC_UNUSED(state);
  for (size_t after = 0; after < 4; after++) expect_resumable(SWIM, text, after, NULL);
}

static void test_lines(void **state)
{
  hc_chosen c = choose(&hc_reader_swim.component, "file=x", NULL);
  hc_time submit = 0;
  int64_t id = 9;
  HC_UNUSED(state);
#define KIND(line) hc_reader_swim.line_key(c.options, line, strlen(line), &submit, &id)
  assert_int_equal(KIND("# x"), HC_LINE_HEAD);
  assert_int_equal(KIND("job5\t12\t1\t1\t1\t1\r"), HC_LINE_ROW);
  assert_int_equal(submit, 12 * HC_SECOND);
  assert_int_equal(id, 0);
  assert_int_equal(KIND("job5\tx\t1\t1\t1\t1"), HC_LINE_BROKEN);
  assert_int_equal(KIND("job5\t1"), HC_LINE_BROKEN);
#undef KIND
  drop(&c);
}

static void test_recognised(void **state)
{
  const char *yes = "job0\t49\t49\t740773\t2339561\t627471\n", *no = "1\t49\t49\t740773\t2339561\t627471\n";
  HC_UNUSED(state);
  assert_int_equal(hc_reader_swim.recognise("x", yes, strlen(yes)), 90);
  assert_int_equal(hc_reader_swim.recognise("x", no, strlen(no)), 0);
  assert_int_equal(hc_reader_swim.recognise("x", "", 0), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_maps_and_reduces),
      cmocka_unit_test(test_map_only),
      cmocka_unit_test(test_nine_columns),
      cmocka_unit_test(test_defaults_and_origin),
      cmocka_unit_test(test_rejected),
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
