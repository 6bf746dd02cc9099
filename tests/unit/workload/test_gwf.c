/* test_gwf.c -- the Grid Workload Format and its short form, and how they are told from their neighbours. */
#define _GNU_SOURCE
#include "generator_test.h"

READER(gwf);

/* Columns 17 to 29: two sites, structure, its parameters, and nine unknown amounts. */
#define REST " S1 S2 UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
#define ROW(id, submit) #id " " #submit " 5 100 4 -1 -1 4 200 -1 1 U7 G8 A9 Q1 P2" REST
#define TITLES "# JobID\tSubmitTime\tWaitTime\tRunTime\tNProcs\n"

static void add_trace(bench *b, const char *text, const char *option)
{
  set_up(b, text, NULL);
  drop(&b->sources[0]);
  b->sources[0] = choose(&hc_reader_gwf.component, b->files[0].pair, option, NULL);
  b->options.raw = true;
}

static void test_standard(void **state)
{
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  add_trace(&b, TITLES "job-a 22 33 44.5 55 66 77 88 99 10 5 U3 G1 bash Q7 P1" REST ROW(2, 23), NULL);
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  const hc_task_spec t = a.spec;
  assert_int_equal(t.id, 1); /* it has a name: the number of its row */
  assert_int_equal(t.line, 2);
  assert_int_equal(t.submit, 22 * HC_SECOND);
  assert_int_equal(t.wait, 33 * HC_SECOND);
  assert_int_equal(t.run, 44500 * HC_MS);
  assert_int_equal(t.procs_used, 55);
  assert_int_equal(t.cpu_time, 66 * HC_SECOND);
  assert_int_equal(t.memory_used, 77 * 1024);
  assert_int_equal(t.procs_asked, 88);
  assert_int_equal(t.limit, 99 * HC_SECOND);
  assert_int_equal(t.memory_asked, 10 * 1024);
  assert_int_equal(t.status, HC_STATUS_CANCELLED);
  assert_true(t.user == 1 && t.group == 1 && t.executable == 1 && t.queue == 1 && t.partition == 1);
  assert_true(t.preceding == -1 && t.think == HC_UNKNOWN);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.id, 2);
  assert_int_equal(a.spec.user, 2); /* U7 comes second */
  assert_true(a.spec.memory_used == HC_UNKNOWN && a.spec.cpu_time == HC_UNKNOWN);
  assert_true(hc_stream_info(b.stream)->unix_start == HC_UNKNOWN);
  tear_down(&b);
}

static void test_unix_times(void **state)
{
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  add_trace(&b, ROW(1, 1104537600) ROW(2, 1104541200), NULL); /* 2005-01-01 00:00 and 01:00 UTC */
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.submit, 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.submit, HC_HOUR);
  assert_int_equal(hc_stream_info(b.stream)->unix_start, 1104537600);
  tear_down(&b);
  add_trace(&b, ROW(1, 1104537600), "submit=relative");
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.submit, 1104537600 * HC_SECOND);
  tear_down(&b);
}

static void test_short_form(void **state)
{
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  add_trace(&b,
            "WorkflowID, JobID , SubmitTime, RunTime , NProcs , ReqNProcs , Dependencies\n"
            "0         , 1     , 16        , 11      , 1      , 2         ,\n"
            "0         , 2     , 40        , 12      , -1     , 1         , 1\n"
            "7         , 9     , 41        , 13      , 3      , -1        , 1 2\n"
            "7         , 10    , 42        , 13      , 3      , -1\n",
            NULL);
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.id, 1);
  assert_int_equal(a.spec.submit, 16 * HC_SECOND);
  assert_int_equal(a.spec.run, 11 * HC_SECOND);
  assert_int_equal(a.spec.procs_used, 1);
  assert_int_equal(a.spec.procs_asked, 2);
  assert_int_equal(a.spec.group, 0); /* the workflow */
  assert_int_equal(a.spec.preceding, -1);
  assert_true(a.spec.wait == HC_UNKNOWN && a.spec.limit == HC_UNKNOWN && a.spec.status == HC_STATUS_UNKNOWN);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.preceding, 1);
  assert_true(a.spec.procs_used == HC_UNKNOWN);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.preceding, 2); /* the last one */
  assert_int_equal(a.spec.group, 7);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.preceding, -1); /* the column may be left out at the end */
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 0);
  assert_int_equal(b.ledger.read, 4);
  tear_down(&b);
}

#define WORKFLOWS \
  "WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies\n" \
  "5, 1, 16, 11, 1, 1,\n" \
  "5, b, 16, 11, 1, 1, 1\n" \
  "5, 3, 17, 11, 1, 1, 1 b\n" \
  "-1, 4, 18, 11, 1, 1, 3\n"

static void test_dependencies_are_honoured(void **state)
{
  const trace_file f = write_file(WORKFLOWS);
  generator g;
  HC_UNUSED(state);
  open_generator(&g, choose(&hc_reader_gwf.component, f.pair, "dependencies=honour", NULL));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_ANY);
  const hc_task_spec *t = next_row(&g);
  assert_true(t->job == 5 && t->id == 1 && t->more == 0);
  t = next_row(&g);
  const int64_t b = t->id;
  assert_true(t->job == 5 && b >= (int64_t)1 << 62); /* the number of its name */
  const hc_task_extras *m = hc_lexicon_more(g.lexicon, t->more);
  assert_int_equal(m->after_count, 1);
  assert_true(m->after[0].job == 5 && m->after[0].task == 1 && m->after[0].how == HC_AFTER_ENDED);
  t = next_row(&g);
  assert_int_equal(t->submit, 17 * HC_SECOND);
  m = hc_lexicon_more(g.lexicon, t->more);
  assert_int_equal(m->after_count, 2);
  assert_true(m->after[0].task == 1 && m->after[1].job == 5 && m->after[1].task == b);
  t = next_row(&g); /* no workflow: a job of its own, which waits for another such */
  m = hc_lexicon_more(g.lexicon, t->more);
  assert_true(t->job == 4 && m->after[0].job == 3 && m->after[0].task == HC_UNKNOWN);
  assert_null(next_row(&g));
  close_generator(&g);
  open_generator(&g, choose(&hc_reader_gwf.component, f.pair, NULL)); /* unless told so, they are not */
  assert_int_equal(g.type->refers(g.source), HC_REFERS_NONE);
  while ((t = next_row(&g))) assert_true(t->more == 0 && t->job == -1);
  close_generator(&g);
  unlink(f.path);
}

static void test_malformed_rows(void **state)
{
  const char *bad[] = {
      "1 2 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n", /* 18 columns */
      "1 nan 5 100 4 -1 -1 4 200 -1 1 U7 G8 A9 Q1 P2" REST,
      "1 -2 5 100 4 -1 -1 4 200 -1 1 U7 G8 A9 Q1 P2" REST,
      "1 2 5 100 -4 -1 -1 4 200 -1 1 U7 G8 A9 Q1 P2" REST,
      "1 2 5 100 4 -1 -1 4 200 -1 DONE U7 G8 A9 Q1 P2" REST,
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) {
    char text[512], got[64];
    bench b;
    snprintf(text, sizeof text, ROW(8, 1) "%s" ROW(9, 2), bad[i]);
    add_trace(&b, text, NULL);
    assert_int_equal(open_bench(&b), 0);
    ids(&b, got, sizeof got);
    assert_string_equal(got, "8 9");
    assert_int_equal(b.ledger.rejected[HC_REASON_MALFORMED], 1);
    assert_int_equal(b.ledger.read, 3);
    tear_down(&b);
  }
}

static void test_strict_names_the_field(void **state)
{
  bench b;
  HC_UNUSED(state);
  add_trace(&b, TITLES ROW(1, 1) "2 3 5 lots 4 -1 -1 4 200 -1 1 U7 G8 A9 Q1 P2" REST, NULL);
  b.context.strict = true;
  const hc_rc rc = open_bench(&b);
  char got[64];
  if (rc == 0) ids(&b, got, sizeof got);
  assert_int_equal(b.error.rc, HC_EINPUT);
  assert_int_equal(b.error.line, 3);
  assert_int_equal(b.error.column, 7);
  assert_non_null(strstr(b.error.text, "RunTime holds \"lots\""));
  tear_down(&b);
}

static void test_what_is_no_trace(void **state)
{
  const struct {
    const char *text, *option, *said;
  } cases[] = {
      {"", NULL, "no rows"},
      {"hello\nworld\n", NULL, "no row of this file"},
      {"JobID,SubmitTime,NProcs\n1,2,3\n", NULL, "lacks RunTime"},
      {ROW(1, 2), "dialect=opendc", "begins with a header"},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    bench b;
    add_trace(&b, cases[i].text, cases[i].option);
    assert_int_equal(open_bench(&b), HC_EINPUT);
    assert_non_null(strstr(b.error.text, cases[i].said));
    tear_down(&b);
  }
}

static int score(const hc_reader_type *t, const char *text)
{
  return t->recognise("trace", text, strlen(text));
}

static void test_recognised(void **state)
{
  const char *numbers = "1 2 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n";
  const char *swf = "1 2 5 100 4 -1 -1 4 200 -1 1 7 8 9 1 2 -1 -1\n";
  HC_UNUSED(state);
  assert_true(score(&hc_reader_gwf, TITLES ROW(1, 2)) > 90);
  assert_true(score(&hc_reader_gwf, "# made by hand\n" ROW(1, 2)) > 90);
  assert_true(score(&hc_reader_gwf, "WorkflowID, JobID , SubmitTime, RunTime , NProcs\n") > 90);
  assert_true(score(&hc_reader_gwf, numbers) >
              score(&hc_reader_swf, numbers)); /* 29 columns, all of them numbers */
  assert_int_equal(score(&hc_reader_gwf, swf), 0);
  assert_int_equal(score(&hc_reader_gwf, "a,b,c\n1,2,3\n"), 0);
  assert_int_equal(hc_reader_gwf.recognise("das2.gwf.gz", "", 0), 40);
}

static void save_and_load(const char *text, int before)
{
  bench b, c;
  hc_arrival x, y;
  hc_buffer saved;
  hc_rc rc;
  add_trace(&b, text, NULL);
  add_trace(&c, text, NULL);
  b.options.window = c.options.window = 1;
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(open_bench(&c), 0);
  for (int i = 0; i < before; i++) assert_int_equal(hc_stream_next(b.stream, &x, &b.error), 1);
  hc_buffer_init(&saved, hc_default_allocator());
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(hc_stream_visit(b.stream, &save, &b.error), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(hc_stream_visit(c.stream, &load, &c.error), 0);
  do {
    rc = hc_stream_next(b.stream, &x, &b.error);
    assert_int_equal(hc_stream_next(c.stream, &y, &c.error), rc);
    if (rc == 1) assert_memory_equal(&x.spec, &y.spec, sizeof x.spec);
  } while (rc == 1);
  assert_int_equal(rc, 0);
  assert_memory_equal(&b.ledger, &c.ledger, sizeof b.ledger);
  hc_buffer_fini(&saved);
  tear_down(&b);
  tear_down(&c);
}

static void test_snapshot(void **state)
{
  HC_UNUSED(state);
  for (int before = 0; before <= 3; before++) {
    save_and_load(TITLES ROW(1, 1104537600) ROW(2, 1104537601) "x 1\n" ROW(3, 1104537602), before);
    save_and_load("JobID,SubmitTime,RunTime,NProcs,Dependencies\n1,1,2,3\n2,2,2,3,1\n3,4,5,6,1 2\n", before);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_standard),         cmocka_unit_test(test_unix_times),
      cmocka_unit_test(test_short_form),       cmocka_unit_test(test_dependencies_are_honoured),
      cmocka_unit_test(test_malformed_rows),   cmocka_unit_test(test_strict_names_the_field),
      cmocka_unit_test(test_what_is_no_trace), cmocka_unit_test(test_recognised),
      cmocka_unit_test(test_snapshot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
