/* test_azure_functions.c -- the Azure Functions dataset of 2019 as tasks: order, ledger, draws, where reading
 * stands, what is refused. */
#define _GNU_SOURCE
#include "reader_test.h"

READER(azure_functions);

#define DURATIONS \
  "HashOwner,HashApp,HashFunction,percentile_Average_0,percentile_Average_1,percentile_Average_25," \
  "percentile_Average_50,percentile_Average_75,percentile_Average_99,percentile_Average_100\n"
#define LENGTHS \
  DURATIONS "o,a,f,1000,1000,1000,1000,1000,1000,1000\no,b,g,1000,1000,1000,1000,2000,2000,2000\n"
#define DAY \
  "HashOwner,HashApp,HashFunction,Trigger,1,2,3\n" \
  "o,a,f,http,2,0,1\no,b,g,timer,1,1,0\np,b,h,timer,0,3,0\n"

static trace_file other(const char *word, const char *text)
{
  trace_file f = write_file(text);
  char pair[sizeof f.pair];
  (void)snprintf(pair, sizeof pair, "%s=%s", word, f.path);
  memcpy(f.pair, pair, sizeof pair);
  return f;
}

/* f at 15 and 45 s and, in the third minute, at 150; g at 30 and 90. h has no durations: three are not made.
 * Numbers are by first mention: f is the first function of the durations. b of o and b of p are two. */
static void test_even(void **state)
{
  static const int64_t at[] = {15, 30, 45, 90, 150}, functions[] = {1, 2, 1, 2, 1},
                       groups[] = {1, 2, 1, 2, 1};
  const trace_file d = other("durations", LENGTHS);
  const trace_file m = other("memory", "HashOwner,HashApp,AverageAllocatedMb\no,a,100\n");
  reading r;
  HC_UNUSED(state);
  read_all(&r, &hc_reader_azure_functions, DAY, d.pair, "spread=even", m.pair);
  assert_int_equal(r.count, 5);
  assert_int_equal(r.ledger.read, 8);
  assert_int_equal(r.ledger.rejected[HC_REASON_INCOMPLETE], 3);
  for (size_t i = 0; i < r.count; i++) {
    assert_int_equal(r.tasks[i].submit, at[i] * HC_SECOND);
    assert_int_equal(r.tasks[i].executable, functions[i]);
    assert_int_equal(r.tasks[i].group, groups[i]);
    assert_int_equal(r.tasks[i].user, 1);
    assert_int_equal(r.tasks[i].id, i + 1);
    assert_in_range(r.tasks[i].run, HC_SECOND, functions[i] == 1 ? HC_SECOND : 2 * HC_SECOND);
  }
  end_reading(&r);
  unlink(d.path);
  unlink(m.path);
}

/* Columns of ten seconds from a date on; all that is drawn lies in its column. */
static void test_drawn(void **state)
{
  const trace_file d = other("durations", LENGTHS);
  reading r;
  HC_UNUSED(state);
  read_all(&r, &hc_reader_azure_functions, DAY, d.pair, "time_unit=10s", "origin=2019-07-15");
  assert_int_equal(r.count, 5);
  assert_int_equal(r.type->info(r.source)->unix_start, 1563148800);
  for (size_t i = 0; i < r.count; i++) {
    const hc_time column = i < 3 ? 0 : i < 4 ? 10 * HC_SECOND : 20 * HC_SECOND;
    assert_in_range(r.tasks[i].submit, column, column + 10 * HC_SECOND);
    if (i > 0) assert_true(r.tasks[i].submit >= r.tasks[i - 1].submit);
  }
  end_reading(&r);
  read_all(&r, &hc_reader_azure_functions, DAY, d.pair, "share=0", NULL);
  assert_int_equal(r.count, 0);
  assert_int_equal(r.ledger.rejected[HC_REASON_FILTERED], 8);
  end_reading(&r);
  for (size_t after = 0; after < 5; after++) expect_resumable(&hc_reader_azure_functions, DAY, after, d.pair);
  unlink(d.path);
}

static void test_refused(void **state)
{
  const trace_file d = other("durations", LENGTHS);
  const hc_reader_type *type = &hc_reader_azure_functions;
  HC_UNUSED(state);
  expect_error(type, DAY, NULL, HC_EUSAGE, 0, "which files");
  expect_error(type, "HashOwner,HashApp,Trigger,1\n", d.pair, HC_EINPUT, 1,
               "no column is called HashFunction");
  expect_error(type, "HashOwner,HashApp,HashFunction,1\no,a,f,x\n", d.pair, HC_EINPUT, 2, "got \"x\"");
  expect_error(type, "HashOwner,HashApp,HashFunction,1\no,,f,1\n", d.pair, HC_EINPUT, 2,
               "this field is empty");
  expect_error(type,
               "HashOwner,HashApp,HashFunction,1,2,3,4,5\n"
               "o,a,f,1000000000,1000000000,1000000000,1000000000,1000000000\n",
               d.pair, HC_EINPUT, 2, "more than 2^32");
  unlink(d.path);
}

static void test_recognised(void **state)
{
  static const char head[] = "HashOwner,HashApp,HashFunction,Trigger,1,2,3\n";
  HC_UNUSED(state);
  assert_true(hc_reader_azure_functions.recognise("d01.csv", head, sizeof head - 1) > 90);
  assert_int_equal(hc_reader_azure_functions.recognise("d01.csv", "vmid,1,2", 8), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_even), cmocka_unit_test(test_drawn),
                                     cmocka_unit_test(test_refused), cmocka_unit_test(test_recognised)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
