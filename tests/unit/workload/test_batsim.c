/* test_batsim.c -- workloads of Batsim: jobs, what their profiles come to, and what is wrong with a file. */
#define _GNU_SOURCE
#include "workload_test.h"

extern const hc_reader_type hc_reader_batsim;

#define PROFILES "\"profiles\": {\"p\": {\"type\": \"delay\", \"delay\": 10}}"
#define JOBS(jobs) "{\"nb_res\": 4, \"jobs\": [" jobs "], " PROFILES "}"
#define JOB(members) JOBS("{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"p\"" members "}")
#define RUN(profiles) \
  "{\"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"p\"}], \"profiles\": {" profiles "}}"

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

/* What becomes of the rows: ids of the tasks, and one count of rejected rows. */
static void expect(const char *text, const char *option, const char *left, hc_reason why, uint64_t rejected)
{
  bench b;
  char got[128];
  set_up_workload(&b, text, option);
  if (open_bench(&b) < 0) fail_msg("%s: %s", text, b.error.text);
  ids(&b, got, sizeof got);
  if (strcmp(got, left) != 0) fail_msg("%s: left \"%s\"", text, got);
  if (b.ledger.rejected[why] != rejected) fail_msg("%s: %d rejected", text, (int)b.ledger.rejected[why]);
  assert_true(balances(&b.ledger));
  tear_down(&b);
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

static void test_every_field(void **state)
{
  const hc_task_spec t = only_task(
      "{\"description\": {\"any\": [1, {}]}, \"nb_res\": 8,\n \"jobs\": [\n"
      "  {\"id\": 17, \"subtime\": 57.245384205516594, \"res\": 3, \"walltime\": 300.5, \"profile\": \"p\", \"x\": [1]}],\n"
      "\"profiles\": {\"p\": {\"type\": \"delay\", \"delay\": 172.94, \"np\": 8, \"command\": \"c\"}}}");
  HC_UNUSED(state);
  assert_int_equal(t.id, 17);
  assert_int_equal(t.line, 3);
  assert_int_equal(t.submit, 57245384206); /* exact to the nanosecond, not through a double */
  assert_int_equal(t.procs_asked, 3);
  assert_int_equal(t.limit, 300500 * HC_MS);
  assert_int_equal(t.run, 172940 * HC_MS);
  assert_true(t.wait == HC_UNKNOWN && t.procs_used == HC_UNKNOWN && t.think == HC_UNKNOWN);
  assert_true(t.cpu_time == HC_UNKNOWN && t.memory_used == HC_UNKNOWN && t.memory_asked == HC_UNKNOWN);
  assert_true(t.user == -1 && t.group == -1 && t.queue == -1 && t.partition == -1 && t.executable == -1);
  assert_int_equal(t.preceding, -1);
  assert_int_equal(t.status, HC_STATUS_UNKNOWN); /* what became of it is for the run to say */
  assert_int_equal(t.cancel_at, HC_NEVER);
}

static void test_no_walltime(void **state)
{
  HC_UNUSED(state);
  assert_true(only_task(JOB("")).limit == HC_UNKNOWN);
  assert_true(only_task(JOB(", \"walltime\": -1")).limit == HC_UNKNOWN);
  assert_true(only_task(JOB(", \"walltime\": -1.0")).limit == HC_UNKNOWN);
  assert_true(only_task(JOB(", \"walltime\": null")).limit == HC_UNKNOWN);
  assert_int_equal(only_task(JOB(", \"walltime\": 1e1")).limit, 10 * HC_SECOND);
}

static void test_ids(void **state)
{
  HC_UNUSED(state);
#define WITH(id) "{\"id\": " id ", \"subtime\": 0, \"res\": 1, \"profile\": \"p\"}"
  assert_int_equal(only_task(JOBS(WITH("42"))).id, 42);
  assert_int_equal(only_task(JOBS(WITH("\"42\""))).id, 42);
  assert_int_equal(only_task(JOBS(WITH("\"w0!42\""))).id, 42);
  assert_int_equal(only_task(JOBS(WITH("\"job7\""))).id, 1); /* no number: its rank in the file */
  assert_int_equal(only_task(JOBS(WITH("\"w0!\""))).id, 1);
  assert_int_equal(only_task(JOBS(WITH("\"99999999999999999999\""))).id, 1);
  assert_int_equal(only_task(JOBS(WITH("\"seq-2\""))).id, 1); /* as part of a name a digit is no number */
  expect(JOBS(WITH("\"b\"") "," WITH("\"a\"") "," WITH("1.5")), NULL, "1 2", HC_REASON_MALFORMED, 1);
#undef WITH
}

static void test_lengths(void **state)
{
  const struct {
    const char *profiles;
    hc_time run;
  } cases[] = {
      {"\"p\": {\"type\": \"DelayProfile\", \"delay\": 0.000000001}", 1},
      {"\"p\": {\"type\": \"composed\", \"seq\": [\"a\", \"b\", \"a\"]}, \"a\": {\"type\": \"delay\", \"delay\": 3},"
       "\"b\": {\"type\": \"delay\", \"delay\": 10}",
       16 * HC_SECOND}, /* 3 + 10 + 3 */
      {"\"a\": {\"type\": \"delay\", \"delay\": 3}, \"p\": {\"seq\": [\"a\"], \"repeat\": 7, \"type\": \"composed\"}",
       21 * HC_SECOND},
      {"\"p\": {\"type\": \"SequentialCompositionProfile\", \"repeat\": 5, \"seq\": [\"q\", \"q\"]},"
       "\"q\": {\"type\": \"composed\", \"repeat\": 2, \"seq\": [\"a\"]}, \"a\": {\"type\": \"delay\", \"delay\": 1.5}",
       30 * HC_SECOND}, /* 5 x 2 x 2 x 1.5 */
      {"\"p\": {\"type\": \"composed\", \"repeat\": 3, \"seq\": [\"a\", \"bad\", \"a\"]}, \"a\": {\"type\": \"delay\","
       "\"delay\": 3}, \"bad\": {\"type\": \"delay\", \"delay\": 4, \"ret\": 1}",
       7 * HC_SECOND}, /* the second part fails */
      {"\"p\": {\"type\": \"composed\", \"seq\": []}", 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[1024];
    snprintf(text, sizeof text, RUN("%s"), cases[i].profiles);
    const hc_time run = only_task(text).run;
    if (run != cases[i].run) fail_msg("%s: %lld ns", text, (long long)run);
  }
  assert_int_equal(only_task(RUN("\"p\": {\"type\": \"delay\", \"delay\": 4, \"ret\": 1}")).status,
                   HC_STATUS_FAILED);
}

#define PARALLEL "\"p\": {\"type\": \"parallel\", \"cpu\": [5e6, 0], \"com\": [[5e6], {}]}"

static void test_other_profiles(void **state)
{
  const char *limited =
      "{\"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 2, \"walltime\": 60, \"profile\": \"p\"},"
      "{\"id\": 2, \"subtime\": 0, \"res\": 2, \"profile\": \"p\"}], \"profiles\": {" PARALLEL "}}";
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  expect(limited, NULL, "", HC_REASON_PROFILE, 2);
  expect(limited, "other_profiles=limit", "1", HC_REASON_PROFILE, 1); /* the other has no walltime */
  set_up_workload(&b, limited, "other_profiles=limit");
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.run, 60 * HC_SECOND);
  tear_down(&b);
  expect(
      RUN("\"p\": {\"type\": \"composed\", \"seq\": [\"a\", \"b\"]}, \"a\": {\"type\": \"delay\", \"delay\": 1},"
          "\"b\": {\"type\": \"smpi\", \"trace\": \"t\"}"),
      NULL, "", HC_REASON_PROFILE, 1);
  expect(RUN("\"p\": {}"), NULL, "", HC_REASON_PROFILE, 1);
}

static void test_rejected_jobs(void **state)
{
  const char *bad[] = {
      JOBS("5"),
      JOBS("[]"),
      JOBS("null"),
      JOBS("{}"),
      JOBS("{\"id\": 1, \"subtime\": 0, \"res\": 1}"),
      JOBS("{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"nobody\"}"),
      JOBS("{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": 5}"),
      JOBS("{\"id\": 1, \"subtime\": -1, \"res\": 1, \"profile\": \"p\"}"),
      JOBS("{\"id\": 1, \"subtime\": \"0\", \"res\": 1, \"profile\": \"p\"}"),
      JOBS("{\"id\": 1, \"subtime\": 1e300, \"res\": 1, \"profile\": \"p\"}"),
      JOBS("{\"id\": 1, \"subtime\": 0, \"res\": 1.5, \"profile\": \"p\"}"),
      JOBS("{\"id\": 1, \"subtime\": 0, \"res\": -1, \"profile\": \"p\"}"),
      JOBS("{\"id\": 1, \"subtime\": 0, \"res\": [1], \"profile\": \"p\"}"),
      JOBS("{\"id\": true, \"subtime\": 0, \"res\": 1, \"profile\": \"p\"}"),
      JOB(", \"walltime\": -2"),
      JOB(", \"walltime\": 0"),
      JOB(", \"walltime\": \"5\""),
      JOB(", \"res\": 2"), /* which of the two? */
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) expect(bad[i], NULL, "", HC_REASON_MALFORMED, 1);
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

static void test_files_that_are_none(void **state)
{
  HC_UNUSED(state);
  refuse("", 1, "empty or truncated");
  refuse("[]", 1, "not a Batsim workload");
  refuse("5", 1, "not a Batsim workload");
  refuse("{}", 1, "no `jobs`");
  refuse("{\"jobs\": []}", 1, "no `profiles`");
  refuse("{\"jobs\": {}}", 1, "`jobs` must be an array");
  refuse("{\"jobs\": [], \"profiles\": []}", 1, "`profiles` must be an object");
  refuse("{\"nb_res\": 0}", 1, "`nb_res`");
  refuse("{\"nb_res\": \"4\"}", 1, "`nb_res`");
  refuse("{\n\"jobs\": [],\n\"jobs\": []}", 3, "second time");
  refuse(JOBS("") " {}", 1, "follows the end");
  refuse("{\"jobs\": [{\"id\": 1,\n", 2, "truncated");
}

static void test_wrong_profiles(void **state)
{
  HC_UNUSED(state);
  refuse(RUN("\"p\": 5"), 1, "a profile is an object");
  refuse(RUN("\"p\": {\"type\": \"delay\"}"), 1, "a delay needs");
  refuse(RUN("\"p\": {\"type\": \"delay\", \"delay\": \"10\"}"), 1, "a delay needs");
  refuse(RUN("\"p\": {\"type\": \"delay\", \"delay\": -1}"), 1, "a delay needs");
  refuse(RUN("\"p\": {\"type\": \"delay\", \"delay\": 1e11}"), 1, "292 years");
  refuse(RUN("\"p\": {\"type\": \"composed\"}"), 1, "a sequence needs");
  refuse(RUN("\"p\": {\"type\": \"composed\", \"seq\": [5]}"), 1, "a sequence needs");
  refuse(RUN("\"p\": {\"type\": \"composed\", \"seq\": [], \"repeat\": 0}"), 1, "`repeat`");
  refuse(RUN("\n\"p\": {\"type\": \"composed\", \"seq\": [\"q\"]}"), 2, "not defined: \"q\"");
  refuse(RUN("\"p\": {\"type\": \"composed\", \"seq\": [\"p\"]}"), 1, "contains itself");
  refuse(
      RUN("\"p\": {\"type\": \"composed\", \"seq\": [\"q\"]}, \"q\": {\"type\": \"composed\", \"seq\": [\"p\"]}"),
      1, "contains itself");
  refuse(RUN("\"p\": {\"type\": \"delay\", \"delay\": 1},\n\"p\": {\"type\": \"delay\", \"delay\": 2}"), 2,
         "a second time, first in line 1");
  refuse(
      RUN("\"p\": {\"type\": \"composed\", \"seq\": [\"q\"], \"repeat\": 1e18}, \"q\": {\"type\": \"delay\", \"delay\": 9}"),
      1, "292 years");
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
      cmocka_unit_test(test_every_field),
      cmocka_unit_test(test_no_walltime),
      cmocka_unit_test(test_ids),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_other_profiles),
      cmocka_unit_test(test_rejected_jobs),
      cmocka_unit_test(test_admission),
      cmocka_unit_test(test_unsorted_beyond_any_window),
      cmocka_unit_test(test_files_that_are_none),
      cmocka_unit_test(test_wrong_profiles),
      cmocka_unit_test(test_nested_deep),
      cmocka_unit_test(test_rewind),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
