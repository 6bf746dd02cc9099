/* test_sacct.c -- Slurm's accounting records: going back to a state, and telling one. What they hold in
 * practice, one quirk a case: tests/rows/sacct.rows. */
#define _GNU_SOURCE
#include "workload_test.h"

READER(sacct);

#define HEADER "JobID|Submit|Start|End|State|NCPUS\n"
#define T "2021-03-01T10:" /* an hour of a day */

/* Saved in the middle of an array and of a file, and loaded over a source that is fresh. */
static void test_saved_and_loaded(void **state)
{
  const char *text =
      "JobID|User|Submit|Start|End|State|NCPUS\n1|ann|" T "00:00|" T "00:00|" T "00:05|COMPLETED|1\n"
      "2_[1-4]|bob|" T "00:01|None|" T "00:09|CANCELLED|1\n3|cid|" T "00:02|" T "00:02|" T
      "00:05|COMPLETED|1\n4|bob|" T "00:03|" T "00:03|" T "00:05|COMPLETED|1\n";
  HC_UNUSED(state);
  for (int taken = 0; taken <= 7; taken++) {
    trace_file f = write_file(text);
    hc_chosen chosen = choose(&hc_reader_sacct.component, f.pair, "ahead=2", NULL);
    const hc_source_context c = {.allocator = hc_default_allocator()};
    hc_source *a, *b;
    hc_job from_a, from_b;
    hc_error e = {0};
    hc_buffer saved;
    hc_buffer_init(&saved, c.allocator);
    assert_int_equal(hc_reader_sacct.open(&c, chosen.options, &a, &e), 0);
    assert_int_equal(hc_reader_sacct.open(&c, chosen.options, &b, &e), 0);
    for (int i = 0; i < taken; i++) assert_int_equal(hc_reader_sacct.next(a, &from_a, &e), 1);
    hc_visitor save = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = c.allocator, .out = &saved};
    assert_int_equal(hc_reader_sacct.visit(a, &save, &e), 0);
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = c.allocator,
                       .in = (const uint8_t *)saved.data,
                       .left = saved.size};
    if (hc_reader_sacct.visit(b, &load, &e) < 0) fail_msg("%s", e.text);
    for (int i = taken; i < 7; i++) {
      assert_int_equal(hc_reader_sacct.next(a, &from_a, &e), 1);
      assert_int_equal(hc_reader_sacct.next(b, &from_b, &e), 1);
      assert_memory_equal(from_a.tasks, from_b.tasks, sizeof *from_a.tasks);
    }
    assert_int_equal(hc_reader_sacct.next(b, &from_b, &e), 0);
    hc_reader_sacct.close(a);
    hc_reader_sacct.close(b);
    hc_buffer_fini(&saved);
    unlink(f.path);
    drop(&chosen);
  }
}

static void test_recognised(void **state)
{
  static const struct {
    const char *head;
    int least, most;
  } cases[] = {
      {HEADER "1|", 90, 100},
      {"JobID,NCPUS,NNodes,Submit,Start,End,ElapsedRaw,State\n", 90, 100},
      {"163485|163485|phillips|2016-12-22T07:15:12|2016-12-22T07:15:12|x\n", 60, 80},
      {"JobID           JobName  Partition\n------------ ----------\n", 50,
       70}, /* so that the error can say it */
      {"; Version: 2\n1 2 3\n", 0, 0},
      {"id,submit,run\n", 0, 0},
      {"", 0, 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    const int score = hc_reader_sacct.recognise("x", cases[i].head, strlen(cases[i].head));
    assert_in_range(score, cases[i].least, cases[i].most);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_saved_and_loaded),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
