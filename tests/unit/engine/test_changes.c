/* test_changes.c -- keys of the policy that have other values from a time on: schedules drawn by hand, what a
 * change leaves alone, and what is refused.
 *
 * Four processors. Task 1 has three of them until 100. Task 2, which wants all four, blocks tasks 3 (50 s)
 * and 4 (200 s), which want the one that is left. */
#include "engine_test.h"

static const job blocked[] = {J(1, 0, 100, 3, 100), J(2, 10, 100, 4, 100), J(3, 20, 50, 1, 50),
                              J(4, 25, 200, 1, 200)};

#define FROM_FCFS "policy: {use: batch, select: blocking}\n"

static void test_drawn_by_hand(void **state)
{
  static const struct {
    const char *yaml;
    int64_t starts[4];
  } cases[] = {
      {FROM_FCFS, {0, 100, 200, 200}},
      /* nothing happens at 30 but the change: 3 starts then, 4 when it has ended, and 2 when that has */
      {FROM_FCFS "changes: [{at: 30, set: policy=scan}]\n", {0, 280, 30, 80}},
      /* 3 ends before 100, when 2 can start; 4 would not */
      {FROM_FCFS "changes: [{at: 30, set: policy=easy}]\n", {0, 100, 30, 200}},
      /* and back again before 4 can start */
      {FROM_FCFS "changes: [{at: 30, set: policy=scan}, {at: 60, set: policy=blocking}]\n",
       {0, 100, 30, 200}},
      /* at the very time of an event: from 80 on nothing passes 2 */
      {FROM_FCFS "changes: [{at: 30, set: policy=scan}, {at: 80, set: policy=blocking}]\n",
       {0, 100, 30, 200}},
      /* a change at the beginning is the other policy, and one behind the end is none */
      {FROM_FCFS "changes: [{at: 0, set: policy=scan}]\n", {0, 270, 20, 70}},
      {FROM_FCFS "changes: [{at: 1000, set: policy=scan}]\n", {0, 100, 200, 200}},
      {"policy: scan\n", {0, 270, 20, 70}},
      /* changes lie upon each other: the order of the first stays */
      {FROM_FCFS "changes: [{at: 5, set: policy.order=largest}, {at: 30, set: policy.select=easy}]\n",
       {0, 100, 30, 200}},
      /* several keys at once, and one of them twice: the last counts */
      {FROM_FCFS "changes: [{at: 30, set: [policy.select=scan, policy.order=fcfs, policy.select=easy]}]\n",
       {0, 100, 30, 200}},
      /* easy with more promises: with two, 4 may not delay 3, which comes to the same here */
      {"policy: easy\nchanges: [{at: 30, set: policy.select.depth=2}]\n", {0, 100, 20, 200}},
      {"policy: conservative\nchanges: [{at: 60, set: policy=scan}]\n", {0, 270, 20, 70}},
      /* what it was promised is forgotten: scan lets 4 pass, and from 90 on conservative plans anew */
      {"policy: conservative\nchanges: [{at: 60, set: policy=scan}, {at: 90, set: policy=conservative}]\n",
       {0, 270, 20, 70}},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    for (int how = 0; how < 3; how++) { /* in one piece, saved at each instant, on a cell of hosts */
      char yaml[512];
      bench b;
      (void)snprintf(yaml, sizeof yaml, "%sparanoid: true\n%s", cases[i].yaml,
                     how == 2 ? "cell: {use: hosts, classes: [{count: 1, cpus: 4, name: h}]}\n" : "");
      if (how == 2 && strstr(yaml, "conservative")) continue;
      begin(&b, yaml, 4, blocked, COUNT(blocked), NULL);
      if (how == 1) finish_in_pieces(&b, 1);
      else finish(&b);
      for (int64_t id = 1; id <= 4; id++)
        if (start_of(&b, id) != cases[i].starts[id - 1])
          fail_msg("%s (%d): task %" PRId64 " starts at %" PRId64 ", should at %" PRId64, yaml, how, id,
                   start_of(&b, id), cases[i].starts[id - 1]);
      end(&b);
    }
  }
}

/* Queued tasks are sorted anew: at 200, when 2 ends, the shortest is first and takes all. */
static void test_order(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 3, 100), J(2, 10, 100, 4, 100), J(3, 20, 50, 1, 50),
                             J(4, 25, 200, 1, 200), J(5, 30, 10, 4, 10)};
  (void)state;
  assert_starts(FROM_FCFS, 4, jobs, COUNT(jobs), (const int64_t[]){0, 100, 200, 200, 400});
  assert_starts(FROM_FCFS "changes: [{at: 150, set: policy.order=sjf}]\n", 4, jobs, COUNT(jobs),
                (const int64_t[]){0, 100, 210, 210, 200});
}

/* A thought is not forgotten: what was decided before the change starts when the thought ends. */
static void test_thought(void **state)
{
  static const char yaml[] = "policy: scan\narchitecture: {use: monolithic, think: 10}\n"
                             "changes: [{at: 25, set: policy=blocking}]\n";
  (void)state;
  /* 1 is decided at 0, 3 at 20; at 25 the policy changes, at 30 task 3 starts; at 80 and 100 nothing passes 2
   * */
  assert_starts(yaml, 4, blocked, COUNT(blocked), (const int64_t[]){10, 120, 30, 230});
}

static void test_refused(void **state)
{
  static const struct {
    const char *yaml, *phrase;
    hc_rc rc;
  } cases[] = {
      {"changes: [{at: 5, set: policy=fair}]\n", "the kind of policy, here to fair", HC_EUNSUPPORTED},
      {"changes: [{at: 5, set: cell.procs=8}]\n", "the key cell.procs", HC_EUNSUPPORTED},
      {"changes: [{at: 5, set: seed=8}]\n", "the key seed", HC_EUNSUPPORTED},
      {"changes: [{at: 5, set: policy.order=fairshare}]\n", "the order fairshare", HC_EUNSUPPORTED},
      {"changes: [{at: 5, set: policy.place=contiguous}]\n", "the placement contiguous", HC_EUNSUPPORTED},
      {"architecture: {use: two_pass}\nchanges: [{at: 5, set: policy=easy}]\n",
       "the policy of the architecture two_pass", HC_EUNSUPPORTED},
      {"cell: {use: hosts, classes: [{count: 4, cpus: 1, name_prefix: h}]}\n"
       "changes: [{at: 5, set: policy=conservative}]\n",
       "whose promises are of another kind", HC_EUNSUPPORTED},
      {"changes: [{set: policy=easy}]\n", "has no time", HC_EUSAGE},
      {"changes: [{at: 5}]\n", "sets nothing", HC_EUSAGE},
      {"changes: [{at: 5, set: policy=easy}, {at: 4, set: policy=scan}]\n", "list them in order of time",
       HC_EUSAGE},
      {"changes: [{at: 5, set: policy.select.depht=5}]\n", "depht", HC_EUSAGE},
      {"changes: [{at: 5, set: policy}]\n", "policy.select.depth=2", HC_EUSAGE},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    const hc_rc rc = try_begin(&b, cases[i].yaml, 4, blocked, COUNT(blocked), NULL);
    if (rc != cases[i].rc || !strstr(b.error.text, cases[i].phrase))
      fail_msg("%s gives %s: %s", cases[i].yaml, hc_rc_name(rc), b.error.text);
    end(&b);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn_by_hand),
                                            cmocka_unit_test(test_order), cmocka_unit_test(test_thought),
                                            cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
