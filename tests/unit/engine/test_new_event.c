/* test_new_event.c -- a type of event and a part that the engine does not have are a file and a line each:
 * patience.c, which docs/adding-a-part.md shows, is put into the tables of a run, and nothing else is
 * changed. */
#include "engine_test.h"

#include "engine/event.h"
#include "engine/part.h"

/* The lines of events.def and parts.def. */
#define HC_EVENT_patience (hc_event_place) HC_EVENT_SLOT(HC_PHASE_TIMER, 3, 0)
#include "patience.c"

static void add_patience(hc_engine *e)
{
  static const hc_event_type *types[HC_EVENT_SLOTS];
  static const hc_part *parts[64];
  memcpy(types, e->event_types, sizeof types);
  assert_null(types[HC_EVENT_patience]); /* the place is free */
  types[HC_EVENT_patience] = &hc_event_patience;
  for (uint32_t i = 0; i < e->part_count; i++) parts[i] = e->parts[i];
  assert_true(e->part_count < COUNT(parts));
  parts[e->part_count] = &hc_part_patience;
  e->event_types = types;
  e->parts = parts;
  e->part_count++;
  hc_parts_settle(e);
}

static void expect(const char *yaml, const job *jobs, size_t count, const int64_t *starts)
{
  bench b;
  begin(&b, yaml, 2, jobs, count, NULL);
  add_patience(&b.run->engine);
  finish(&b);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(start_of(&b, jobs[i].id), starts[i]);
    assert_int_equal(record_of(&b, jobs[i].id)->final,
                     starts[i] == NEVER_STARTED ? HC_FINAL_REJECTED : HC_FINAL_COMPLETED);
  }
  end(&b);
}

/* Two processors; a task waits for five seconds and no longer. 1 has both until 10. 2 comes at 1 and is given
 * up at 6. 3 comes at 5: its time is up at 10, in the phase of timers, but at 10 task 1 ends and so 3 would
 * start, were it decided before: the end frees the processors, the timer takes 3 away, and the decision finds
 * 4 alone, which may wait until 12 and starts. Behind 5, which is blocked, 6 fits only when 5 is gone: at
 * 18. */
static void test_patience(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 1, 10, 1, 10),  J(3, 5, 10, 1, 10),
                             J(4, 7, 20, 1, 20), J(5, 13, 10, 2, 10), J(6, 14, 10, 1, 10)};
  static const int64_t starts[] = {0, NEVER_STARTED, NEVER_STARTED, 10, NEVER_STARTED, 18};
  (void)state;
  expect("policy: fcfs\nparanoid: true\nevent_queue: heap\n", jobs, COUNT(jobs), starts);
  expect("policy: fcfs\nparanoid: true\nevent_queue: radix\n", jobs, COUNT(jobs), starts);
  expect("policy: fcfs\nparanoid: true\nevent_queue: wheel\n", jobs, COUNT(jobs), starts);
}

/* A promise goes with the task that had it: conservative promises 2 the time 10 and 3 the time 20; at 6 and 7
 * they are given up, and 4, which comes at 8, is promised 10 and starts there. */
static void test_promises_go(void **state)
{
  static const job jobs[] = {J(1, 0, 10, 2, 10), J(2, 1, 10, 2, 10), J(3, 2, 10, 2, 10), J(4, 8, 10, 2, 10)};
  static const int64_t starts[] = {0, NEVER_STARTED, NEVER_STARTED, 10};
  (void)state;
  expect("policy: conservative\nparanoid: true\n", jobs, COUNT(jobs), starts);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_patience), cmocka_unit_test(test_promises_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
