/* test_resizes.c -- tasks whose demand changes while they run: what is free when, in which order those of one
 * instant have their turn, what becomes of those who find no room, and that metrics, store and checker know
 * all of it. Each case is small enough that it follows by hand. Amounts in `changes` are thousandths of
 * cores. */
#include "engine_test.h"

#define NATIVE "source: {use: native, file: FILE}\npolicy: fcfs+scan\nparanoid: true\n"
#define ONE_HOST "cell: {use: hosts, classes: [{count: 1, name_prefix: c, cpus: 4, memory: 20}]}\n"
#define TWO_HOSTS "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4, memory: 20}]}\n"
#define NO_METRICS "metrics: []\n"

/* ---- what was stored ---- */

static hc_rc add_change(void *ctx, const char *const *values)
{
  char *text = ctx;
  const size_t n = strlen(text);
  (void)snprintf(text + n, 512 - n, "%s:%lld/%s=%s ", values[0], strtoll(values[1], NULL, 10) / HC_SECOND,
                 values[2], values[3]);
  return 0;
}

/* The rows of `resizes` as "serial:seconds/host=cores ..." */
static void changes_of(bench *b, char text[512])
{
  hc_result *r;
  text[0] = '\0';
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "resizes", 11, add_change, text, &b->error));
  hc_result_free(r);
}

static void say(void *ctx, const hc_violation *v)
{
  (void)ctx;
  print_error("task %lld at %lld: %s\n", (long long)v->id, (long long)v->at, v->text);
}

static hc_rc verify(bench *b)
{
  hc_verify_hosts hosts;
  hc_verify_stops stops;
  hc_verify_options o = {.honours_run = true, .hosts = &hosts};
  hc_verify_report report;
  hc_result *r;
  hc_rc rc;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  assert_int_equal(hc_verify_hosts_read(b->allocator, r, &hosts, &b->error), 1);
  if (hc_verify_stops_read(b->allocator, r, hosts.host_count, &stops, &b->error) == 1) o.stops = &stops;
  rc = hc_verify(b->allocator, &o, b->records, b->count, say, NULL, &report);
  if (o.stops) hc_verify_stops_free(b->allocator, &stops);
  hc_verify_hosts_free(b->allocator, &hosts);
  hc_result_free(r);
  return rc;
}

typedef struct expected {
  int64_t id, start, end, units;
} expected;

typedef struct counts {
  int64_t done, refused, deferred, requeued;
} counts;

/* Run it twice, in one go and in pieces. @param b out: to be ended by the caller */
static void run_tasks(bench *b, const char *yaml, const char *tasks, const char *changes, counts n,
                      const expected *all, size_t count)
{
  char text[512];
  for (int in_pieces = 1; in_pieces >= 0; in_pieces--) {
    check(b, try_text(b, yaml, tasks));
    if (in_pieces) finish_in_pieces(b, 1);
    else finish(b);
    changes_of(b, text);
    assert_string_equal(text, changes);
    assert_int_equal(counted(b, "hindcast", "resizes"), n.done);
    assert_int_equal(counted(b, "hindcast", "resizes_refused"), n.refused);
    assert_int_equal(counted(b, "hindcast", "resizes_deferred"), n.deferred);
    assert_int_equal(counted(b, "hindcast", "resizes_requeued"), n.requeued);
    for (size_t i = 0; i < count; i++) {
      if (start_of(b, all[i].id) != all[i].start || end_of(b, all[i].id) != all[i].end)
        fail_msg("task %" PRId64 ": %" PRId64 " to %" PRId64, all[i].id, start_of(b, all[i].id),
                 end_of(b, all[i].id));
      assert_int_equal(record_of(b, all[i].id)->units, all[i].units);
    }
    assert_int_equal(verify(b), 0);
    if (in_pieces) end(b);
  }
}

#define N(...) \
  (counts) \
  { \
    __VA_ARGS__ \
  }
#define RUN(b, yaml, tasks, changes, n, ...) \
  run_tasks(b, yaml, tasks, changes, n, (const expected[]){__VA_ARGS__}, \
            COUNT(((const expected[]){__VA_ARGS__})))

/* ---- shrinking, growing, and no room ---- */

/* Task 1 holds 3 cores, 1 from 4 s on, and is to hold 4 from 8 s on. Task 2 needs 2 for 5 s, and finds them
 * at 4. */
#define THREE_ONE_FOUR \
  "- {id: 1, submit_time: 0, resources: {cpu: 3, memory: 2}, delay: 10,\n" \
  "   resizes: [{after: 4, resources: {cpu: 1}}, {after: 8, resources: {cpu: 4}}]}\n" \
  "- {id: 2, submit_time: 1, resources: {cpu: 2, memory: 2}, delay: 5}\n"

static void test_keep(void **state)
{
  bench b;
  (void)state;
  /* 3 x 4 + 1 x 6 = 18 core-seconds in 10 s, and 2 x 5 = 10: of 40. */
  RUN(&b, NATIVE ONE_HOST "metrics: [utilisation, load]\n", THREE_ONE_FOUR, "0:4/0=1000 ", N(1, 1, 0, 0),
      {1, 0, 10, 1800}, {2, 4, 9, 2000});
  assert_true(figure(&b, "utilisation") == 28.0 / 40);
  end(&b);
}

static void test_defer(void **state)
{
  bench b;
  (void)state;
  /* Room is there when task 2 has ended: 3 x 4 + 1 x 5 + 4 x 1 = 21 core-seconds. */
  RUN(&b, NATIVE ONE_HOST "metrics: [utilisation]\ncannot_grow: defer\n", THREE_ONE_FOUR,
      "0:4/0=1000 0:9/0=4000 ", N(2, 0, 1, 0), {1, 0, 10, 2100}, {2, 4, 9, 2000});
  assert_true(figure(&b, "utilisation") == 31.0 / 40);
  end(&b);
}

static void test_requeue(void **state)
{
  bench b;
  (void)state;
  /* It is stopped at 8, after 3 x 4 + 1 x 4 = 16 core-seconds, and begins again at 9, with 4 cores to its
   * end. */
  RUN(&b, NATIVE ONE_HOST "metrics: [utilisation]\ncannot_grow: requeue\n", THREE_ONE_FOUR, "0:4/0=1000 ",
      N(1, 0, 0, 1), {1, 9, 19, 4000}, {2, 4, 9, 2000});
  assert_true(figure(&b, "utilisation") == (16.0 + 10 + 40) / (19 * 4));
  assert_int_equal(counted(&b, "hindcast", "preempted"), 1);
  end(&b);
}

/* What no host could ever give is refused, whatever the option says: 5 cores of 4. */
static void test_what_no_host_has_is_refused(void **state)
{
  static const char tasks[] =
      "- {id: 1, submit_time: 0, resources: {cpu: 3}, delay: 9, resizes: [{after: 2, resources: {cpu: 5}},"
      " {after: 4, resources: {cpu: 2}}]}\n";
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS "cannot_grow: requeue\n", tasks, "0:4/0=2000 ", N(1, 1, 0, 0),
      {1, 0, 9, 2444});
  end(&b); /* (3 x 4 + 2 x 5) / 9 = 22 / 9 cores */
  RUN(&b, NATIVE ONE_HOST NO_METRICS "cannot_grow: defer\n", tasks, "0:4/0=2000 ", N(1, 1, 0, 0),
      {1, 0, 9, 2444});
  end(&b);
}

/* Whole hosts have nothing to grow into. */
static void test_whole_hosts_stay_whole(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS,
      "- {id: 1, submit_time: 0, delay: 9, resizes: [{after: 2, resources: {cpu: 1}}]}\n"
      "- {id: 2, submit_time: 0, delay: 1, resources: {cpu: 1}}\n",
      "", N(0, 1, 0, 0), {1, 0, 9, 4000}, {2, 9, 10, 1000});
  end(&b);
}

/* ---- the order of an instant ---- */

/* At 5 s task 1 grows from 1 to 3 cores and task 2, behind it in every order, shrinks from 3 to 1: the shrink
 * comes first. */
static void test_shrinks_before_grows(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS,
      "- {id: 1, submit_time: 0, resources: {cpu: 1}, delay: 10, resizes: [{after: 5, resources: {cpu: "
      "3}}]}\n"
      "- {id: 2, submit_time: 0, resources: {cpu: 3}, delay: 10, resizes: [{after: 5, resources: {cpu: "
      "1}}]}\n",
      "1:5/0=1000 0:5/0=3000 ", N(2, 0, 0, 0), {1, 0, 10, 2000}, {2, 0, 10, 2000});
  end(&b);
}

/* Task 2 ends at 5 s, task 1 grows then, task 3 arrives then and waits: ends, grows, arrivals. */
static void test_ends_before_and_arrivals_after(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS,
      "- {id: 1, submit_time: 0, resources: {cpu: 2}, delay: 10, resizes: [{after: 5, resources: {cpu: "
      "4}}]}\n"
      "- {id: 2, submit_time: 0, resources: {cpu: 2}, delay: 5}\n"
      "- {id: 3, submit_time: 5, resources: {cpu: 1}, delay: 5}\n",
      "0:5/0=4000 ", N(1, 0, 0, 0), {1, 0, 10, 3000}, {2, 0, 5, 2000}, {3, 10, 15, 1000});
  end(&b);
}

/* A step at the end of its task is none: ends come first. Task 2 starts on what it gave back. */
static void test_nothing_changes_at_the_end(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS,
      "- {id: 1, submit_time: 0, resources: {cpu: 2}, delay: 5, resizes: [{after: 5, resources: {cpu: 4}}, "
      "{after: 99, resources: {cpu: 1}}]}\n"
      "- {id: 2, submit_time: 0, resources: {cpu: 4}, delay: 5}\n",
      "", N(0, 0, 0, 0), {1, 0, 5, 2000}, {2, 5, 10, 4000});
  assert_int_equal(record_of(&b, 1)->flags & HC_TASK_RESIZED, 0);
  end(&b);
}

/* Three grow by one core each. At 6 s and at 8 s one core comes free: they have it in the order in which they
 * were due, which is 2 (at 3 s), then 1 before 3 (both at 4 s); the last waits in vain. Task 4 has 1 core
 * until 6, 5 until 8. */
static void test_who_waits_longest_grows_first(void **state)
{
  bench b;
  (void)state;
  RUN(&b,
      NATIVE "cannot_grow: defer\n" NO_METRICS
             "cell: {use: hosts, classes: [{count: 1, name_prefix: c, cpus: 5}]}\n",
      "- {id: 1, submit_time: 0, resources: {cpu: 1}, delay: 10, resizes: [{after: 4, resources: {cpu: "
      "2}}]}\n"
      "- {id: 2, submit_time: 0, resources: {cpu: 1}, delay: 10, resizes: [{after: 3, resources: {cpu: "
      "2}}]}\n"
      "- {id: 3, submit_time: 0, resources: {cpu: 1}, delay: 10, resizes: [{after: 4, resources: {cpu: "
      "2}}]}\n"
      "- {id: 4, submit_time: 0, resources: {cpu: 1}, delay: 6}\n"
      "- {id: 5, submit_time: 0, resources: {cpu: 1}, delay: 8}\n",
      "1:6/0=2000 0:8/0=2000 ", N(2, 1, 3, 0), {1, 0, 10, 1200}, {2, 0, 10, 1400}, {3, 0, 10, 1000});
  end(&b);
}

/* ---- steps ---- */

/* What a step does not say is as it was asked for: after the refused growth of cores the step of memory
 * contains it, and finds room since task 2 has gone. */
static void test_a_step_contains_what_was_refused(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS,
      "- {id: 1, submit_time: 0, resources: {cpu: 1, memory: 5}, delay: 10, resizes: [{after: 2, resources: "
      "{cpu: 3}}, {after: 6, resources: {memory: 4}}]}\n"
      "- {id: 2, submit_time: 0, resources: {cpu: 2}, delay: 5}\n",
      "0:6/0=3000 ", N(1, 1, 0, 0), {1, 0, 10, 1800}, {2, 0, 5, 2000});
  end(&b);
}

/* All of a step or nothing: 12 of memory is there at 2 s, 3 cores are not. The step at 4 s takes the place of
 * the one that waits, which is refused then; it asks for 2 cores, and has them. */
static void test_a_later_step_takes_the_place(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS "cannot_grow: defer\n",
      "- {id: 1, submit_time: 0, resources: {cpu: 1, memory: 5}, delay: 10, resizes: [{after: 2, resources: "
      "{cpu: 3, memory: 12}}, {after: 4, resources: {cpu: 2}}]}\n"
      "- {id: 2, submit_time: 0, resources: {cpu: 2}, delay: 9}\n",
      "0:4/0=2000 ", N(1, 1, 1, 0), {1, 0, 10, 1600}, {2, 0, 9, 2000});
  end(&b);
}

/* Two slots on two hosts: both grow, or neither does. Task 2, of 2 cores on the first host until 6 s, is in
 * the way. */
static void test_on_several_hosts(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE TWO_HOSTS NO_METRICS "cannot_grow: defer\n",
      "- {id: 1, submit_time: 0, resources: {hosts: 2, cpu: 2}, delay: 10, resizes: [{after: 3, resources: "
      "{cpu: 3}}]}\n"
      "- {id: 2, submit_time: 0, resources: {cpu: 2}, delay: 6}\n",
      "0:6/0=3000 0:6/1=3000 ", N(1, 0, 1, 0), {1, 0, 10, 4800}, {2, 0, 6, 2000});
  end(&b);
}

/* Licences belong to the whole cell, of which a task takes its demand once: 1 of 2 at first, 2 from 3 s on,
 * so that task 2, which needs one, has to wait. */
static void test_amounts_of_the_whole_cell(void **state)
{
  bench b;
  (void)state;
  RUN(&b,
      NATIVE NO_METRICS
      "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4}], licences: [matlab=2]}\n",
      "- {id: 1, submit_time: 0, resources: {cpu: 1, matlab: 1}, delay: 10, resizes: [{after: 3, resources: "
      "{matlab: 2}}]}\n"
      "- {id: 2, submit_time: 4, resources: {cpu: 1, matlab: 1}, delay: 5}\n",
      "0:3/0=1000 ", N(1, 0, 0, 0), {1, 0, 10, 1000}, {2, 10, 15, 1000});
  end(&b);
}

/* ---- hosts ---- */

/* The host goes down at 6 s and comes back at 7: the task begins again with 3 cores, and its first step is 4
 * s later. */
static void test_a_restart_begins_at_the_first_step(void **state)
{
  bench b;
  (void)state;
  RUN(&b,
      NATIVE ONE_HOST NO_METRICS
      "events: {use: list, changes: [{at: 6, hosts: c-0, change: down, until: 7}]}\n",
      "- {id: 1, submit_time: 0, resources: {cpu: 3}, delay: 10, resizes: [{after: 4, resources: {cpu: "
      "1}}]}\n",
      "0:4/0=1000 0:11/0=1000 ", N(2, 0, 0, 0), {1, 7, 17, 1800});
  end(&b);
}

/* A host that shrank to 2 cores at 2 s holds 3. At 3 s task 1 shrinks to 2, and at 5 s it grows to 3 in vain.
 * A host that drains from 8 s on lets it shrink, and grow again to what is free. */
static void test_hosts_that_shrink_and_drain(void **state)
{
  bench b;
  (void)state;
  RUN(&b,
      NATIVE ONE_HOST NO_METRICS
      "events: {use: list, changes: [{at: 2, hosts: c-0, change: resize, amounts: [cpus=2]}, {at: 8, hosts: "
      "c-0, change: drain}]}\n",
      "- {id: 1, submit_time: 0, resources: {cpu: 3}, delay: 20, resizes: [{after: 3, resources: {cpu: 2}}, "
      "{after: 5, resources: {cpu: 3}}, {after: 10, resources: {cpu: 1}}, {after: 15, resources: {cpu: "
      "2}}]}\n",
      "0:3/0=2000 0:10/0=1000 0:15/0=2000 ", N(3, 1, 0, 0), {1, 0, 20, 1900});
  end(&b); /* 3 x 3 + 2 x 7 + 1 x 5 + 2 x 5 = 38 core-seconds */
}

/* ---- who looks ---- */

/* One host of 4 cores for 10 s. Claimed 2 x 5 + 4 x 5 = 30 core-seconds of 40. Used 1 core, and from 4 s on
 * 3, whatever is claimed: 1 x 4 + 3 x 6 = 22 core-seconds, known all the time. The greatest share is 4 of 4
 * cores, on average 3 of 4. */
static void test_metrics_are_exact(void **state)
{
  bench b;
  (void)state;
  RUN(&b, NATIVE ONE_HOST "metrics: [utilisation, usage, host_load, dominant_share, by_job, load]\n",
      "- {id: 1, job: 7, user: 1, submit_time: 0, resources: {cpu: 2}, delay: 10, usage: [{until: 4, cpu: "
      "1}, {cpu: 3}], resizes: [{after: 5, resources: {cpu: 4}}]}\n",
      "0:5/0=4000 ", N(1, 0, 0, 0), {1, 0, 10, 3000});
  assert_true(figure(&b, "utilisation") == 30.0 / 40);
  assert_true(figure(&b, "usage_cpu_claimed") == 30.0 / 40);
  assert_true(figure(&b, "usage_cpu_used") == 22.0 / 30);
  assert_true(figure(&b, "usage_cpu_known") == 1);
  assert_true(figure(&b, "usage_cpu_used_amount") == 2.2);
  end(&b);
}

/* A checker that is told of another growth than there was room for finds it. */
static void test_a_false_row_is_found(void **state)
{
  bench b;
  hc_verify_hosts hosts;
  hc_verify_options o = {.honours_run = true, .hosts = &hosts};
  hc_verify_report report;
  hc_verify_resize *rows;
  hc_result *r;
  (void)state;
  RUN(&b, NATIVE ONE_HOST NO_METRICS "cannot_grow: defer\n", THREE_ONE_FOUR, "0:4/0=1000 0:9/0=4000 ",
      N(2, 0, 1, 0), {1, 0, 10, 2100});
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_int_equal(hc_verify_hosts_read(b.allocator, r, &hosts, &b.error), 1);
  hc_result_free(r);
  assert_int_equal(hosts.resize_count, 2);
  rows = (hc_verify_resize *)(uintptr_t)hosts.resizes;
  *(int64_t *)(uintptr_t)&rows[0].amount[HC_DIM_CPU] = 2500; /* then 2 cores do not fit beside it at 4 s */
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, NULL, NULL, &report), HC_EREFUTED);
  assert_int_equal(report.violations, 1);
  *(int64_t *)(uintptr_t)&rows[0].amount[HC_DIM_CPU] = 1000;
  rows[1].at = 8 * HC_SECOND; /* before task 2 has ended */
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, NULL, NULL, &report), HC_EREFUTED);
  assert_int_equal(report.violations, 1);
  rows[1].at = 9 * HC_SECOND;
  *(int64_t *)(uintptr_t)&rows[1].amount[HC_DIM_CPU] = -1;
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, NULL, NULL, &report), HC_EREFUTED);
  *(int64_t *)(uintptr_t)&rows[1].amount[HC_DIM_CPU] = 4000;
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, NULL, NULL, &report), 0);
  hc_verify_hosts_free(b.allocator, &hosts);
  end(&b);
}

/* ---- what cannot be combined ---- */

static void refused(const char *yaml, const char *reason)
{
  bench b;
  hc_rc rc = try_text(&b, yaml, THREE_ONE_FOUR);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  assert_int_equal(rc, HC_EUNSUPPORTED);
  if (!strstr(b.error.text, reason)) fail_msg("%s", b.error.text);
  end(&b);
}

static void test_refusals(void **state)
{
  (void)state;
  refused("source: {use: native, file: FILE}\npolicy: fcfs\ncell: {use: count, procs: 4}\n",
          "needs a cell of hosts");
  refused("source: {use: native, file: FILE}\npolicy: fcfs+conservative\n" ONE_HOST, "promises hosts ahead");
  refused("source: {use: native, file: FILE}\narchitecture: sparrow\n" ONE_HOST, "for its end");
  refused("source: {use: native, file: FILE}\npolicy: fcfs\nmetrics: [utilisation]\ntrim: pyss\n" ONE_HOST,
          "what a task was changed to");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keep),
      cmocka_unit_test(test_defer),
      cmocka_unit_test(test_requeue),
      cmocka_unit_test(test_what_no_host_has_is_refused),
      cmocka_unit_test(test_whole_hosts_stay_whole),
      cmocka_unit_test(test_shrinks_before_grows),
      cmocka_unit_test(test_ends_before_and_arrivals_after),
      cmocka_unit_test(test_nothing_changes_at_the_end),
      cmocka_unit_test(test_who_waits_longest_grows_first),
      cmocka_unit_test(test_a_step_contains_what_was_refused),
      cmocka_unit_test(test_a_later_step_takes_the_place),
      cmocka_unit_test(test_on_several_hosts),
      cmocka_unit_test(test_amounts_of_the_whole_cell),
      cmocka_unit_test(test_a_restart_begins_at_the_first_step),
      cmocka_unit_test(test_hosts_that_shrink_and_drain),
      cmocka_unit_test(test_metrics_are_exact),
      cmocka_unit_test(test_a_false_row_is_found),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
