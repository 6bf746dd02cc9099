/* test_why.c -- what is said of a task that waits: five tasks on ten processors, drawn by hand, under
 * policies that promise something, and what each start would have broken. Times are seconds, limits are
 * exact.
 *
 *   task 1: 6 processors [0, 100)
 *   task 2, from 1 on, wants 8: 4 are free until 100
 *   task 3, from 2 on, wants all 10
 *   task 4, from 3 on, wants 2 for 200 s
 *   task 5, from 4 on, wants 3 for 60 s */
#include "engine_test.h"

static const job five[] = {J_WITH(1, 0, 100, 6, 100, .user = 1), J_WITH(2, 1, 50, 8, 50, .user = 1),
                           J_WITH(3, 2, 50, 10, 50, .user = 2), J_WITH(4, 3, 200, 2, 200, .user = 2),
                           J_WITH(5, 4, 60, 3, 60, .user = 2)};

typedef struct told {
  int64_t at; /* s */
  hc_note what;
  int64_t other, when, amount; /* serial, or -1; when: s */
  uint64_t place;
  char text[300];
} told;

typedef struct story {
  told lines[128];
  size_t count;
} story;

static void hear(void *ctx, const hc_why_record *w)
{
  story *s = ctx;
  told *t = &s->lines[s->count++];
  assert_true(s->count <= COUNT(s->lines));
  *t = (told){.at = w->time / HC_SECOND,
              .what = w->what,
              .other = w->other == UINT64_MAX ? -1 : (int64_t)w->other,
              .when = w->at / HC_SECOND,
              .amount = w->amount,
              .place = w->place};
  (void)snprintf(t->text, sizeof t->text, "%s", w->text);
}

/* A line that says where it stands, or when its start is promised, says it in numbers, too; no other does. */
static void assert_promises_are_numbers(const story *s)
{
  for (size_t i = 0; i < s->count; i++) {
    const char *from = strstr(s->lines[i].text, "; promised from "),
               *on = strstr(s->lines[i].text, "; planned for ");
    const bool is_promise = from || on;
    assert_int_equal(s->lines[i].what == HC_NOTE_PROMISE, is_promise);
    const char *place = strstr(s->lines[i].text, "at place ");
    assert_int_equal(s->lines[i].place, place ? strtoull(place + 9, NULL, 10) : 0);
    if (is_promise) assert_int_equal(s->lines[i].when, strtoll(from ? from + 16 : on + 14, NULL, 10));
  }
}

/* The story of one task; serials are numbers less 1. @param starts when it starts, and that it starts no
 * otherwise than if it were not asked about */
static void ask(const char *yaml, int64_t id, int64_t starts, story *out)
{
  bench b;
  out->count = 0;
  begin(&b, yaml, 10, five, COUNT(five), NULL);
  check(&b, hc_run_explain(b.run, (uint64_t)id - 1, hear, out));
  finish(&b);
  assert_int_equal(start_of(&b, id), starts);
  assert_promises_are_numbers(out);
  end(&b);
}

static void print(const story *s)
{
  for (size_t i = 0; i < s->count; i++) print_message("%5" PRId64 "  %s\n", s->lines[i].at, s->lines[i].text);
}

static void assert_said(const story *s, int64_t at, const char *text)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->lines[i].at == at && strcmp(s->lines[i].text, text) == 0) return;
  print(s);
  fail_msg("at %" PRId64 " it is not said: %s", at, text);
}

static void assert_reason(const story *s, int64_t at, hc_note what, int64_t other, int64_t when)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->lines[i].at == at && s->lines[i].what == what && s->lines[i].other == other - 1 &&
        s->lines[i].when == when)
      return;
  print(s);
  fail_msg("at %" PRId64 " there is no reason %d, task %" PRId64 ", %" PRId64, at, (int)what, other, when);
}

static void assert_no_reason(const story *s)
{
  for (size_t i = 0; i < s->count; i++)
    assert_true(s->lines[i].what == HC_NOTE_NONE || s->lines[i].what == HC_NOTE_PROMISE);
}

/* 8 of 10 are free from 100 on: the head's shadow, extra 2. 3: task 4 takes no more than the extra ones.
 * 100: task 2; the head is now 3, for which all are free when 4 ends, at 203. 150: 2 ends, 8 are free; task
 * 5 would run to 210. 203: 3. 253: 5. */
static void test_easy(void **state)
{
  static story s;
  (void)state;
#define EASY "policy: {order: fcfs, select: easy}"
  ask(EASY, 2, 100, &s);
  assert_said(&s, 1, "waits at place 1 of 1: wants 8 processors, 4 free; promised from 100 s on");
  assert_said(&s, 3, "passed by task 4 (2 processors), which came later");
  assert_no_reason(&s);
  ask(EASY, 3, 203, &s);
  assert_said(&s, 2, "task 2 is promised 8 processors from 100 s on");
  assert_said(&s, 2, "waits at place 2 of 2: wants 10 processors, 4 free");
  assert_said(&s, 100, "waits at place 1 of 2: wants 10 processors, 0 free; promised from 203 s on");
  assert_no_reason(&s);
  ask(EASY, 5, 253, &s);
  assert_said(&s, 150, "waits at place 2 of 2: would fit (wants 3, 8 free)");
  assert_said(&s, 150,
              "would run to 210 s and delay task 3, which is promised all 10 processors from 203 s on");
  assert_reason(&s, 150, HC_NOTE_DELAYS, 3, 203);
  assert_said(&s, 203, "waits at place 1 of 1: wants 3 processors, 0 free; promised from 253 s on");
}

/* Without `extra` task 4 may not run past 100, though task 2 would leave 2 over. */
static void test_easy_without_extra(void **state)
{
  static story s;
  (void)state;
  ask("policy: {order: fcfs, select: {use: easy, extra: false}}", 4, 200, &s);
  assert_said(
      &s, 3,
      "would run to 203 s, and task 2 is promised 8 processors from 100 s on: by the policy's parameters "
      "that "
      "is too long, though there would be room for both");
  assert_reason(&s, 3, HC_NOTE_CROSSES, 2, 100);
}

/* 100, 150: promises to 2 and 3. 3: two would be free beside task 2, but 4 would run to 203, and at 150 task
 * 3 has all: 4 is promised 200, when 3 ends. 4: task 5 ends at 64 and delays none. */
static void test_conservative(void **state)
{
  static story s;
  (void)state;
#define CONSERVATIVE "policy: {order: fcfs, select: conservative}"
  ask(CONSERVATIVE, 2, 100, &s);
  assert_said(&s, 1, "waits at place 1 of 1: wants 8 processors, 4 free; promised from 100 s on");
  ask(CONSERVATIVE, 3, 150, &s);
  assert_said(&s, 2, "task 2 is promised 8 processors from 100 s on");
  assert_said(&s, 2, "waits at place 2 of 2: wants 10 processors, 4 free; promised from 150 s on");
  assert_no_reason(&s);
  ask(CONSERVATIVE, 4, 200, &s);
  assert_said(
      &s, 3,
      "task 2 is promised 8 processors from 100 s on, task 3 is promised all 10 processors from 150 s on");
  assert_said(&s, 3, "waits at place 3 of 3: would fit (wants 2, 4 free); promised from 200 s on");
  assert_said(&s, 3,
              "would run to 203 s and delay task 3, which is promised all 10 processors from 150 s on");
  assert_said(&s, 64,
              "would run to 264 s and delay task 3, which is promised all 10 processors from 150 s on");
  assert_said(&s, 100,
              "would run to 300 s and delay task 3, which is promised all 10 processors from 150 s on");
  assert_reason(&s, 3, HC_NOTE_DELAYS, 3, 150);
  ask(CONSERVATIVE, 5, 4, &s);
  assert_no_reason(&s);
}

/* The same plan, each promise one limit later: 2 by 150, 3 by 200, 4 by 400. 3: if 4 started, 3 could not
 * before 203, 3 s too late. With three limits of slack (3 by 300) it may, and at 150 task 5 may too, which
 * moves 3 to 210. */
static void test_slack(void **state)
{
  static story s;
  (void)state;
#define SLACK(factor) "policy: {order: fcfs, select: {use: slack, factor: " factor "}}"
  ask(SLACK("1"), 2, 100, &s);
  assert_said(
      &s, 1,
      "waits at place 1 of 1: wants 8 processors, 4 free; planned for 100 s, promised by 150 s at the "
      "latest");
  ask(SLACK("1"), 4, 200, &s);
  assert_said(
      &s, 3,
      "waits at place 3 of 3: would fit (wants 2, 4 free); planned for 200 s, promised by 400 s at the "
      "latest");
  assert_said(&s, 3, "would run to 203 s and move task 3 to 203 s, which is promised to start by 200 s");
  assert_reason(&s, 3, HC_NOTE_MOVES, 3, 200);
  assert_said(&s, 64, "would run to 264 s and move task 3 to 264 s, which is promised to start by 200 s");
  ask(SLACK("3"), 4, 3, &s);
  assert_no_reason(&s);
  ask(SLACK("3"), 3, 210, &s);
  assert_said(
      &s, 3,
      "waits at place 2 of 2: wants 10 processors, 2 free; planned for 203 s, promised by 300 s at the "
      "latest");
  assert_said(
      &s, 150,
      "waits at place 1 of 1: wants 10 processors, 5 free; planned for 210 s, promised by 300 s at the "
      "latest");
}

/* Users' dominant shares are processors / 10. 3: of user 2 only task 4 fits. 100: task 1 ends, user 1 has 0
 * and user 2 0.2: task 2. 150: user 1 has no task more; of user 2 task 5 fits, task 3 does not until 210. */
static void test_fair(void **state)
{
  static story s;
  (void)state;
#define FAIR "policy: {use: fair}"
  ask(FAIR, 2, 100, &s);
  assert_said(
      &s, 1,
      "user 1 holds 0.6 of the cell and is due 1; it stands at 0.6 (drf), and of 1 users 0 stand before it");
  assert_said(&s, 3, "task 4 of user 2 starts before it: that user stands at 0 (drf), user 1 at 0.6");
  ask(FAIR, 5, 150, &s);
  assert_said(
      &s, 4,
      "user 2 holds 0.2 of the cell and is due 0.5; it stands at 0.2 (drf), and of 2 users 0 stand before "
      "it");
  assert_said(&s, 100, "task 2 of user 1 starts before it: that user stands at 0 (drf), user 2 at 0.2");
  ask(FAIR, 3, 210, &s);
  assert_said(&s, 150, "task 5 of the same user starts before it");
  assert_said(&s, 203, "user 2 has its turn at 0.3 (drf): none of its tasks fits what is offered");
  assert_no_reason(&s);
}

static const char *name_of(void *ctx, uint64_t serial)
{
  static const char *const names[] = {"job-a", "17_4", "control\001", NULL, "e"};
  (void)ctx;
  return names[serial];
}

/* By name where there is one that can stand in a sentence: also where a policy says a serial. */
static void test_names(void **state)
{
  static story s;
  bench b;
  (void)state;
  s.count = 0;
  begin(&b, CONSERVATIVE, 10, five, COUNT(five), NULL);
  check(&b, hc_run_explain(b.run, 3, hear, &s));
  hc_run_explain_names(b.run, name_of);
  finish(&b);
  assert_said(&s, 3,
              "task 17_4 is promised 8 processors from 100 s on, task 3 is promised all 10 processors from "
              "150 s on");
  assert_said(&s, 4, "passed by task e (3 processors), which came later");
  end(&b);
  s.count = 0;
  begin(&b, FAIR, 10, five, COUNT(five), NULL);
  check(&b, hc_run_explain(b.run, 4, hear, &s));
  hc_run_explain_names(b.run, name_of);
  finish(&b);
  assert_said(&s, 100, "task 17_4 of user 1 starts before it: that user stands at 0 (drf), user 2 at 0.2");
  end(&b);
}

static void ask_gang(int64_t id, story *s)
{
  bench b;
  s->count = 0;
  begin(&b, "policy: {use: gang, quantum: 10s, rows: 2}", 10, five, COUNT(five), NULL);
  check(&b, hc_run_explain(b.run, (uint64_t)id - 1, hear, s));
  finish(&b);
  end(&b);
}

/* Rows of ten columns, two at most: task 1 (6) has the first, 2 (8) the second; 3 wants all ten and finds no
 * row, and those behind it are given none before it. */
static void test_gang(void **state)
{
  static story s;
  (void)state;
  ask_gang(2, &s);
  assert_said(&s, 1, "is placed in row 2 of 2");
  ask_gang(3, &s);
  assert_said(&s, 2,
              "is in no row: of 2 the emptiest has 4 of 10 columns left, and there are 2 rows at most");
  ask_gang(5, &s);
  assert_reason(&s, 4, HC_NOTE_BEHIND, 3, 0);
}

static void test_blocking(void **state)
{
  static story s;
  (void)state;
  ask("policy: {order: fcfs, select: blocking}", 5, 200, &s);
  assert_said(&s, 4, "waits at place 4 of 4: would fit (wants 3, 4 free)");
  assert_said(&s, 4, "blocked by the head of the queue, task 2, which does not fit");
  assert_reason(&s, 100, HC_NOTE_BEHIND, 3, 0);
}

/* Between two advances another task is asked about, which is told all anew though the words are those of the
 * one before; then none is. At 4, with all five there, task 1 holds six of ten processors: those that wait
 * stand in the order of their submission, and task 2, the head, wants 8 where 4 are free. */
static void test_watched(void **state)
{
  static story s;
  hc_seen_task queued[2], running[2];
  hc_seen seen = {.queued = queued, .running = running, .queued_cap = 2, .running_cap = 2};
  hc_progress p;
  bench b;
  (void)state;
  s.count = 0;
  begin(&b, "policy: {order: fcfs, select: blocking}", 10, five, COUNT(five), NULL);
  assert_int_equal(hc_run_advance(b.run, 2 * HC_SECOND, 0, &b.error), 1);
  check(&b, hc_run_explain(b.run, 2, hear, &s));
  assert_int_equal(hc_run_advance(b.run, 3 * HC_SECOND, 0, &b.error), 1);
  assert_said(&s, 3, "waits at place 2 of 3: wants 10 processors, 4 free");
  assert_said(&s, 3, "blocked by the head of the queue, task 2, which does not fit");
  check(&b, hc_run_explain(b.run, 3, hear, &s));
  assert_int_equal(hc_run_advance(b.run, 4 * HC_SECOND, 0, &b.error), 1);
  assert_said(&s, 4, "blocked by the head of the queue, task 2, which does not fit");
  check(&b, hc_run_explain(b.run, UINT64_MAX, NULL, NULL));
  const size_t said = s.count;
  hc_run_progress(b.run, &p);
  hc_run_look(b.run, &seen);
  assert_int_equal(p.waiting, 4);
  assert_int_equal(seen.capacity, 10);
  assert_int_equal(seen.held, 6);
  assert_string_equal(seen.machine, "10 processors");
  assert_string_equal(seen.free, "4 processors");
  assert_int_equal(seen.queued_count, 2);
  assert_int_equal(queued[0].id, 2);
  assert_int_equal(queued[1].id, 3);
  assert_int_equal(queued[1].since, 2 * HC_SECOND);
  assert_int_equal(queued[0].place, 1);
  assert_int_equal(queued[1].place, 2);
  assert_string_equal(queued[1].wants, "10 processors");
  assert_int_equal(seen.running_count, 1);
  assert_int_equal(running[0].id, 1);
  assert_int_equal(running[0].units, 6);
  /* at 200 task 3 has run, and 4 and 5 start: the larger is first, alone where there is room for one */
  assert_int_equal(hc_run_advance(b.run, 200 * HC_SECOND, 0, &b.error), 1);
  hc_run_look(b.run, &seen);
  assert_int_equal(seen.queued_count, 0);
  assert_int_equal(seen.running_count, 2);
  assert_int_equal(running[0].id, 5);
  assert_int_equal(running[1].id, 4);
  seen.running_cap = 1;
  hc_run_look(b.run, &seen);
  assert_int_equal(seen.running_count, 1);
  assert_int_equal(running[0].id, 5);
  finish(&b);
  assert_int_equal(s.count, said);
  assert_int_equal(start_of(&b, 5), 200);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_easy),         cmocka_unit_test(test_easy_without_extra),
      cmocka_unit_test(test_conservative), cmocka_unit_test(test_slack),
      cmocka_unit_test(test_fair),         cmocka_unit_test(test_blocking),
      cmocka_unit_test(test_gang),         cmocka_unit_test(test_names),
      cmocka_unit_test(test_watched)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
