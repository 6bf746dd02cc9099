/* test_units.c -- `time_unit` and `origin`, which every reader of a trace has, and what they do in those
 * whose format has a unit and no place for a date. */
#define _GNU_SOURCE
#include "hindcast/plugin.h"
#include "reader_test.h"

READER(swf);
READER(sacct);
READER(batsim);
READER(gwf);
READER(yt_operations);
READER(azure_v1);
READER(cell_state);

static const hc_param *param_of(const hc_component *c, const char *name)
{
  for (const hc_param *p = c->params; p && p->name; p++)
    if (strcmp(p->name, name) == 0) return p;
  return NULL;
}

/* Also of those that are added: what reads a file has both. */
static void test_all_have_them(void **state)
{
  hc_registry *known;
  size_t readers = 0;
  HC_UNUSED(state);
  assert_int_equal(hc_registry_new(hc_default_allocator(), &known), 0);
  for (size_t i = 0; hc_registry_at(known, HC_KIND_READER, i); i++) {
    const hc_component *c = hc_registry_at(known, HC_KIND_READER, i);
    if (!param_of(c, "file")) continue;
    readers++;
    if (!param_of(c, "time_unit")) fail_msg("reader %s has no time_unit", c->name);
    if (!param_of(c, "origin")) fail_msg("reader %s has no origin", c->name);
  }
  assert_true(readers >= 23);
  hc_registry_free(known);
}

/* One task: submitted, waited, ran and was limited as the text says, in minutes, from 2001-09-09 01:46:40
 * UTC, which is the Unix time 10^9. */
static void expect(const hc_reader_type *type, const char *text, const char *option, hc_time submit,
                   hc_time run, hc_time limit)
{
  reading r;
  read_all(&r, type, text, "time_unit=1m", "origin=2001-09-09T01:46:40", option);
  assert_int_equal(r.count, 1);
  assert_int_equal(r.tasks[0].submit, submit);
  assert_int_equal(r.tasks[0].run, run);
  if (limit != HC_UNKNOWN) assert_int_equal(r.tasks[0].limit, limit);
  assert_int_equal(r.type->info(r.source)->unix_start, 1000000000);
  end_reading(&r);
}

static void test_minutes(void **state)
{
  HC_UNUSED(state);
  expect(&hc_reader_swf, "; UnixStartTime: 7\n1 2 -1 3 4 -1 -1 4 5 -1 1 1 1 1 1 1 -1 -1\n", NULL,
         2 * HC_MINUTE, 3 * HC_MINUTE, 5 * HC_MINUTE);
  expect(&hc_reader_gwf, "1 2 -1 3 4 -1 -1 4 5 -1 1 1 1 1 1 1 1 1 UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n",
         NULL, 2 * HC_MINUTE, 3 * HC_MINUTE, 5 * HC_MINUTE);
  expect(&hc_reader_batsim,
         "{\"nb_res\": 4, \"jobs\": [{\"id\": 1, \"subtime\": 2, \"walltime\": 5, \"res\": 4, \"profile\": "
         "\"p\"}], \"profiles\": {\"p\": {\"type\": \"delay\", \"delay\": 3.5}}}",
         NULL, 2 * HC_MINUTE, 210 * HC_SECOND, 5 * HC_MINUTE);
  expect(&hc_reader_azure_v1, "vm1,sub,dep,2,5,0,0,0,Interactive,4,8\n", NULL, 2 * HC_MINUTE, 3 * HC_MINUTE,
         HC_UNKNOWN);
}

/* Times count from the earliest operation, which is at the origin whatever it says. */
static void test_yt(void **state)
{
  HC_UNUSED(state);
  expect(&hc_reader_yt_operations,
         "{\"start_time\": 7, \"authenticated_user\": \"u\", \"spec\": {\"pool\": \"p\"}, "
         "\"job_descriptions\": [[3, 1024, 1.0, 1, 0, \"j\", \"map\", \"completed\"]]}",
         "weight_unit=1", 0, 3 * HC_MINUTE, HC_UNKNOWN);
}

/* Rows of Slurm have dates: what was submitted before the origin is left out, as in other formats. */
static void test_sacct(void **state)
{
  static const char text[] = "JobID|Submit|Start|End|State|NCPUS\n"
                             "1|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:02:00|COMPLETED|4\n"
                             "2|2024-01-01T00:00:30|2024-01-01T00:01:00|2024-01-01T00:02:00|COMPLETED|4\n";
  reading r;
  HC_UNUSED(state);
  read_all(&r, &hc_reader_sacct, text, "origin=2024-01-01T00:00:20", NULL, NULL);
  assert_int_equal(r.count, 1);
  assert_true(r.tasks[0].id == 2 && r.tasks[0].submit == 10 * HC_SECOND);
  assert_int_equal(r.ledger.rejected[HC_REASON_OUTSIDE], 1);
  end_reading(&r);
  read_all(&r, &hc_reader_sacct, text, "origin=2023-12-31", NULL, NULL);
  assert_int_equal(r.count, 2);
  assert_int_equal(r.tasks[0].submit, 24 * HC_HOUR);
  end_reading(&r);
  expect_error(&hc_reader_sacct, text, "origin=soon", HC_EUSAGE, 0, "no date");
}

/* Beyond what there can be: 10^17 units of 10^6 seconds. */
static void test_too_long(void **state)
{
  reading r;
  HC_UNUSED(state);
  begin_reading(&r, &hc_reader_batsim,
                "{\"nb_res\": 4, \"jobs\": [{\"id\": 1, \"subtime\": 1e9, \"walltime\": -1, \"res\": 4, "
                "\"profile\": \"p\"}], \"profiles\": {\"p\": {\"type\": \"delay\", \"delay\": 3}}}",
                "time_unit=1000000", NULL, NULL);
  open_reading(&r);
  read_on(&r);
  assert_int_equal(r.count, 0);
  assert_int_equal(r.ledger.rejected[HC_REASON_MALFORMED], 1);
  end_reading(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_have_them), cmocka_unit_test(test_minutes),
                                     cmocka_unit_test(test_yt), cmocka_unit_test(test_sacct),
                                     cmocka_unit_test(test_too_long)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
