/* test_batsim.c -- workloads of Batsim in a stream: what the run judges, order, deep profiles. What becomes
 * of jobs, and what is wrong with a file: tests/rows/batsim.rows. */
#define _GNU_SOURCE
#include "workload_test.h"

extern const hc_reader_type hc_reader_batsim;

#define PROFILES "\"profiles\": {\"p\": {\"type\": \"delay\", \"delay\": 10}}"
#define JOBS(jobs) "{\"nb_res\": 4, \"jobs\": [" jobs "], " PROFILES "}"
static void set_up_workload(bench *b, const char *text, const char *option)
{
  memset(b, 0, sizeof *b);
  b->context = (hc_source_context){.allocator = hc_default_allocator(), .seed = 1, .ledger = &b->ledger};
  b->options =
      (hc_stream_options){.sources = b->sources, .transforms = b->transforms, .source_count = 1, .raw = true};
  b->files[0] = write_file(text);
  b->sources[0] = choose(&hc_reader_batsim.component, b->files[0].pair, option, NULL);
}

static hc_task_spec only_task(const char *text)
{
  bench b;
  hc_arrival a;
  set_up_workload(&b, text, NULL);
  if (open_bench(&b) < 0) fail_msg("%s: %s", text, b.error.text);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  tear_down(&b);
  return a.spec;
}

static void refuse(const char *text, uint32_t line, const char *words)
{
  bench b;
  set_up_workload(&b, text, NULL);
  assert_int_equal(open_bench(&b), HC_EINPUT);
  if (!strstr(b.error.text, words) || b.error.line != line)
    fail_msg("%s: line %u, %s", text, b.error.line, b.error.text);
  assert_null(b.stream);
  tear_down(&b);
}

/* What is only missing is for the run to judge, as in every other format. */
static void test_admission(void **state)
{
  bench b;
  char got[32];
  HC_UNUSED(state);
  set_up_workload(
      &b,
      JOBS("{\"id\": 1, \"res\": 1, \"profile\": \"p\"}, {\"id\": 2, \"subtime\": 0, \"profile\": \"p\"},"
           "{\"id\": 3, \"subtime\": 0, \"res\": 0, \"profile\": \"p\"},"
           "{\"id\": 4, \"subtime\": 0, \"res\": 5, \"profile\": \"p\", \"walltime\": 4}"),
      NULL);
  b.options.raw = false;
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_info(b.stream)->processors, 4);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "4");
  assert_int_equal(b.ledger.rejected[HC_REASON_NO_SUBMIT], 1);
  assert_int_equal(b.ledger.rejected[HC_REASON_NO_PROCESSORS], 2);
  tear_down(&b);
}

static void test_unsorted_beyond_any_window(void **state)
{
  bench b;
  char got[64];
  HC_UNUSED(state);
#define AT(id, subtime) "{\"id\": " id ", \"subtime\": " subtime ", \"res\": 1, \"profile\": \"p\"}"
  set_up_workload(&b,
                  JOBS(AT("1", "9") "," AT("2", "7") "," AT("3", "8") "," AT("4", "0") "," AT(
                      "5", "7") "," AT("6", "0.5")),
                  NULL);
  b.options.window = 1; /* an input that has to be sorted already; the reader has seen to it */
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "4 6 2 5 3 1");
  tear_down(&b);
}

/* Each level doubles: 2^30 parts are summed in 30 steps. And more levels than are allowed. */
static void test_nested_deep(void **state)
{
  char text[16384];
  HC_UNUSED(state);
  for (int levels = 30; levels <= 70; levels += 40) {
    size_t n = (size_t)snprintf(text, sizeof text,
                                "{\"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"s0\"}],"
                                "\"profiles\": {\"s%d\": {\"type\": \"delay\", \"delay\": 1e-9}",
                                levels);
    for (int i = 0; i < levels; i++)
      n += (size_t)snprintf(text + n, sizeof text - n,
                            ",\n\"s%d\": {\"type\": \"composed\", \"seq\": [\"s%d\", \"s%d\"]}", i, i + 1,
                            i + 1);
    (void)snprintf(text + n, sizeof text - n, "}}");
    if (levels == 30) assert_int_equal(only_task(text).run, 1 << 30);
    else refuse(text, 65, "nested deeper than 64 levels"); /* s63, the 64th, is in line 65 */
  }
}

/* The same tasks again after going back, as `repeat` does. */
static void test_rewind(void **state)
{
  bench b;
  char got[64];
  HC_UNUSED(state);
  set_up_workload(&b, JOBS(AT("1", "0") "," AT("2", "5")), NULL);
  add_transform(&b, choose(&hc_transform_repeat.component, "times=2", NULL));
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 2 3 4"); /* as new tasks */
  tear_down(&b);
}

static void test_recognised(void **state)
{
  const char *full = JOBS(AT("1", "0")), *other = "{\"source\": \"a.swf\"}", *swf = "; MaxProcs: 4\n";
  HC_UNUSED(state);
  assert_true(hc_reader_batsim.recognise("w.json", full, strlen(full)) >= 90);
  assert_true(hc_reader_batsim.recognise("w", full, strlen(full)) >= 90);
  assert_true(hc_reader_batsim.recognise("run.json", other, strlen(other)) < 50); /* may be a run file */
  assert_int_equal(hc_reader_batsim.recognise("a.swf", swf, strlen(swf)), 0);
  assert_int_equal(hc_reader_batsim.recognise("a", "", 0), 0);
  assert_true(hc_reader_batsim.recognise("a.json.gz", "", 0) > 0); /* one line, too long to be looked at */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_admission),   cmocka_unit_test(test_unsorted_beyond_any_window),
      cmocka_unit_test(test_nested_deep), cmocka_unit_test(test_rewind),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
