/* test_google2011.c -- the life of tasks as events of the trace of 2011 tell it, one turn a test, and the
 * state of its reader. What is joined to the events is in test_google2011_tables.c. */
#define _GNU_SOURCE
#include "google2011_rows.h"

/* ---- a life ---- */

static void test_every_field(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE,
               "610,,3418309,4,,0,bob,3,9,0.5,0.25,0.125,1\n"
               "612,,3418309,4,77,1,bob,3,9,0.5,0.25,0.125,1\n"
               "700,,3418309,4,77,4,bob,3,9,0.5,0.25,0.125,1\n");
  set_option(&t, "disk_scale=1GiB");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "3418309/4 at 610 waits 2 runs 88 completed\n");
  const hc_task_spec *s = &t.first;
  assert_true(s->id == 4 && s->job == 3418309 && s->line == 1 && s->hosts == 1);
  assert_true(s->queue == 3 && s->priority == 9 && s->user == 1);
  assert_int_equal(s->need[HC_DIM_CPU], 500); /* half of cpu_scale's one core */
  assert_int_equal(s->need[HC_DIM_MEMORY], 256 << 10);
  assert_int_equal(s->need[HC_DIM_DISK], 128 << 20);
  assert_int_equal(s->need[HC_DIM_GPU], HC_UNKNOWN);
  assert_true(s->limit == HC_UNKNOWN && s->procs_asked == HC_UNKNOWN && s->executable == -1);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, s->more);
  assert_non_null(m); /* the different-machine flag: one task of the job on a host */
  assert_true(m->per_host == 1 && m->rival == 3418309 && m->constraint_count == 0);
  assert_true(t.ledger.read == 3 && t.ledger.merged == 2 && t.ledger.used == 1);
  const hc_trace_info *info = t.type->info(t.source);
  assert_int_equal(info->unix_start, 1304290200); /* 600 s before 19:00 EDT on 1 May 2011 */
  assert_non_null(info->derived);
  end_told(&t);
}

static void test_order_of_submission(void **state)
{
  HC_UNUSED(state); /* the second ends first, and waits for the first to be told */
  expect_told(TYPE,
              ROW("10", "1", "0", SUBMIT) ROW("11", "1", "0", SCHEDULE) ROW("12", "2", "0", SUBMIT)
                  ROW("12", "2", "0", SCHEDULE) ROW("15", "2", "0", FINISH) ROW("90", "1", "0", FINISH),
              NULL, NULL, NULL,
              "1/0 at 10 waits 1 runs 79 completed\n"
              "2/0 at 12 waits 0 runs 3 completed\n",
              4);
}

static void test_same_index_of_two_jobs(void **state)
{
  HC_UNUSED(state);
  expect_told(TYPE,
              ROW("10", "1", "5", SUBMIT) ROW("10", "2", "5", SUBMIT) ROW("10", "2", "6", SUBMIT)
                  ROW("11", "2", "5", SCHEDULE) ROW("12", "1", "5", SCHEDULE) ROW("13", "2", "6", SCHEDULE)
                      ROW("20", "2", "5", FINISH) ROW("30", "1", "5", FINISH) ROW("40", "2", "6", FINISH),
              NULL, NULL, NULL,
              "1/5 at 10 waits 2 runs 18 completed\n"
              "2/5 at 10 waits 1 runs 9 completed\n"
              "2/6 at 10 waits 3 runs 27 completed\n",
              6);
}

static void test_ends(void **state)
{
  const char *text = ROW("1", "1", "0", SUBMIT) ROW("1", "1", "1", SUBMIT) ROW("1", "1", "2", SUBMIT)
      ROW("1", "1", "3", SUBMIT) ROW("1", "1", "4", SUBMIT) ROW("2", "1", "0", SCHEDULE)
          ROW("2", "1", "1", SCHEDULE) ROW("2", "1", "2", SCHEDULE) ROW("2", "1", "3", SCHEDULE)
              ROW("2", "1", "4", SCHEDULE) ROW("5", "1", "0", FINISH) ROW("6", "1", "1", FAIL)
                  ROW("7", "1", "2", KILL) ROW("8", "1", "3", LOST) ROW("9", "1", "4", EVICT);
  HC_UNUSED(state);
  expect_told(TYPE, text, NULL, NULL, NULL,
              "1/0 at 1 waits 1 runs 3 completed\n"
              "1/1 at 1 waits 1 runs 4 failed\n"
              "1/2 at 1 waits 1 runs 5 cancelled\n"
              "1/3 at 1 waits 1 runs 6 unknown\n" /* its end is not in the trace */
              "1/4 at 1 waits 1 runs 7 cancelled\n",
              10);
  expect_without(TYPE, text, "ends=finish,kill", NULL, HC_REASON_FILTERED, 3,
                 "1/0 at 1 waits 1 runs 3 completed\n"
                 "1/2 at 1 waits 1 runs 5 cancelled\n");
  expect_without(TYPE, text, "without=evict,fail", NULL, HC_REASON_FILTERED, 2,
                 "1/0 at 1 waits 1 runs 3 completed\n"
                 "1/2 at 1 waits 1 runs 5 cancelled\n"
                 "1/3 at 1 waits 1 runs 6 unknown\n");
}

/* ---- attempts ---- */

static const char evicted[] =
    ROW("10", "1", "0", SUBMIT) ROW("12", "1", "0", SCHEDULE) ROW("20", "1", "0", EVICT)
        ROW("20", "1", "0", SUBMIT) ROW("25", "1", "0", SCHEDULE) ROW("40", "1", "0", FINISH);

static void test_evicted_and_submitted_again(void **state)
{
  HC_UNUSED(state);
  expect_told(TYPE, evicted, NULL, NULL, NULL, "1/0 at 10 waits 15 runs 15 completed\n", 5);
  expect_told(TYPE, evicted, "attempts=sum", NULL, NULL, "1/0 at 10 waits 7 runs 23 completed\n",
              5); /* 2 + 5; it ends at 40 */
  expect_told(TYPE, evicted, "attempts=each", NULL, NULL,
              "1/0 at 10 waits 2 runs 8 cancelled\n"
              "1/0 at 20 waits 5 runs 15 completed\n",
              4);
  expect_told(TYPE, evicted, "merge=", NULL, NULL, /* no end leaves a task the same */
              "1/0 at 10 waits 2 runs 8 cancelled\n"
              "1/0 at 20 waits 5 runs 15 completed\n",
              4);
}

static void test_submitted_again_too_late(void **state)
{
  const char *text = ROW("10", "1", "0", SUBMIT) ROW("12", "1", "0", SCHEDULE) ROW("20", "1", "0", EVICT)
      ROW("30", "1", "0", SUBMIT) ROW("35", "1", "0", SCHEDULE) ROW("40", "1", "0", FINISH);
  HC_UNUSED(state);
  expect_told(TYPE, text, "resubmit=10s", NULL, NULL, "1/0 at 10 waits 25 runs 5 completed\n", 5);
  expect_told(TYPE, text, "resubmit=9s", NULL, NULL,
              "1/0 at 10 waits 2 runs 8 cancelled\n"
              "1/0 at 30 waits 5 runs 5 completed\n",
              4);
}

static void test_failed_and_submitted_again(void **state)
{
  const char *text = ROW("10", "1", "0", SUBMIT) ROW("12", "1", "0", SCHEDULE) ROW("20", "1", "0", FAIL)
      ROW("20", "1", "0", SUBMIT) ROW("25", "1", "0", SCHEDULE) ROW("40", "1", "0", KILL)
          ROW("41", "1", "0", SUBMIT) ROW("41", "1", "0", SCHEDULE) ROW("50", "1", "0", FINISH);
  HC_UNUSED(state);
  expect_told(TYPE, text, NULL, NULL, NULL,
              "1/0 at 10 waits 2 runs 8 failed\n"
              "1/0 at 20 waits 5 runs 15 cancelled\n"
              "1/0 at 41 waits 0 runs 9 completed\n",
              6);
  expect_told(TYPE, text, "merge=evict,fail", NULL, NULL,
              "1/0 at 10 waits 15 runs 15 cancelled\n"
              "1/0 at 41 waits 0 runs 9 completed\n",
              7);
  expect_told(TYPE, text, "merge=evict,fail,kill", "attempts=sum", NULL,
              "1/0 at 10 waits 8 runs 32 completed\n", 8); /* 2 + 5 + 1 and 8 + 15 + 9 */
}

static void test_killed_while_it_waits(void **state)
{
  const char *text = ROW("10", "1", "0", SUBMIT) ROW("10", "1", "1", SUBMIT) ROW("10", "1", "2", SUBMIT)
      ROW("11", "1", "0", KILL) ROW("12", "1", "1", FAIL) ROW("13", "1", "2", LOST);
  HC_UNUSED(state);
  expect_told(TYPE, text, NULL, NULL, NULL,
              "1/0 at 10 waits 1 leaves 11 cancelled\n"
              "1/1 at 10 waits 2 leaves 12 cancelled\n"
              "1/2 at 10 waits 3 leaves 13 cancelled\n",
              3);
  /* Evicted, submitted again, and killed before it could run again: what ran is lost, or all that there
   * was. */
  text = ROW("10", "1", "0", SUBMIT) ROW("12", "1", "0", SCHEDULE) ROW("20", "1", "0", EVICT)
      ROW("20", "1", "0", SUBMIT) ROW("24", "1", "0", KILL);
  expect_told(TYPE, text, NULL, NULL, NULL, "1/0 at 10 waits 14 leaves 24 cancelled\n", 4);
  expect_told(TYPE, text, "attempts=sum", NULL, NULL, "1/0 at 10 waits 6 runs 8 cancelled\n", 4);
}

/* ---- what is missing, and what stands in another order ---- */

static void test_rows_that_are_not_there(void **state)
{
  HC_UNUSED(state);
  /* No SUBMIT: it arrives when it starts. */
  expect_told(TYPE, ROW("10", "1", "0", SCHEDULE) ROW("15", "1", "0", FINISH), NULL, NULL, NULL,
              "1/0 at 10 waits 0 runs 5 completed start\n", 1);
  /* No end: the next SUBMIT, or SCHEDULE, ends it as if it were evicted. */
  expect_told(TYPE,
              ROW("10", "1", "0", SUBMIT) ROW("11", "1", "0", SCHEDULE) ROW("20", "1", "0", SUBMIT)
                  ROW("22", "1", "0", SCHEDULE) ROW("25", "1", "0", FINISH),
              "attempts=each", NULL, NULL,
              "1/0 at 10 waits 1 runs 9 cancelled\n"
              "1/0 at 20 waits 2 runs 3 completed\n",
              3);
  expect_told(TYPE,
              ROW("10", "1", "0", SUBMIT) ROW("11", "1", "0", SCHEDULE) ROW("22", "1", "0", SCHEDULE)
                  ROW("25", "1", "0", FINISH),
              NULL, NULL, NULL, "1/0 at 10 waits 12 runs 3 completed\n", 3);
  /* No SCHEDULE: it cannot be known how long it ran. */
  expect_without(TYPE, ROW("10", "1", "0", SUBMIT) ROW("15", "1", "0", FINISH), NULL, NULL,
                 HC_REASON_INCOMPLETE, 1, "");
  /* Nothing but an end. */
  expect_without(TYPE, ROW("15", "1", "0", FINISH), NULL, NULL, HC_REASON_INCOMPLETE, 1, "");
  /* SUBMIT twice, an end twice. */
  expect_told(TYPE,
              ROW("10", "1", "0", SUBMIT) ROW("11", "1", "0", SUBMIT) ROW("12", "1", "0", SCHEDULE)
                  ROW("20", "1", "0", KILL) ROW("20", "1", "0", KILL),
              NULL, NULL, NULL, "1/0 at 10 waits 2 runs 8 cancelled\n", 4);
}

static void test_rows_that_were_made_up(void **state)
{
  const char *text = FULL("10", "2", "1", "0", SUBMIT, "", "", "")
      FULL("12", "", "1", "0", SCHEDULE, "2", "3", "0") FULL("20", "1", "1", "0", LOST, "2", "3", "0");
  HC_UNUSED(state);
  expect_told(TYPE, text, NULL, NULL, NULL, "1/0 at 10 waits 2 runs 8 unknown\n", 2);
  expect_without(TYPE, text, "missing=reject", NULL, HC_REASON_INCOMPLETE, 2,
                 "1/0 at 12 waits 0 runs 0 unknown start open\n");
}

static void test_order_within_a_time(void **state)
{
  HC_UNUSED(state);
  /* SCHEDULE before its SUBMIT. */
  expect_told(TYPE, ROW("10", "1", "0", SCHEDULE) ROW("10", "1", "0", SUBMIT) ROW("15", "1", "0", FINISH),
              NULL, NULL, NULL, "1/0 at 10 waits 0 runs 5 completed\n", 2);
  /* The end before the SCHEDULE: it ran for no time. */
  expect_told(TYPE, ROW("9", "1", "0", SUBMIT) ROW("10", "1", "0", FINISH) ROW("10", "1", "0", SCHEDULE),
              NULL, NULL, NULL, "1/0 at 9 waits 1 runs 0 completed\n", 2);
  /* SUBMIT before the EVICT that it follows: that EVICT does not hit the new attempt. */
  const char *text = ROW("9", "1", "0", SUBMIT) ROW("9", "1", "0", SCHEDULE) ROW("10", "1", "0", SUBMIT)
      ROW("10", "1", "0", EVICT) ROW("12", "1", "0", SCHEDULE) ROW("15", "1", "0", FINISH);
  expect_told(TYPE, text, NULL, NULL, NULL, "1/0 at 9 waits 3 runs 3 completed\n", 5);
  expect_told(TYPE, text, "attempts=each", NULL, NULL,
              "1/0 at 9 waits 0 runs 1 cancelled\n"
              "1/0 at 10 waits 2 runs 3 completed\n",
              4);
  /* A whole life in one instant, twice. */
  expect_told(TYPE,
              ROW("9", "1", "0", SUBMIT) ROW("9", "1", "0", SCHEDULE) ROW("9", "1", "0", EVICT)
                  ROW("9", "1", "0", SUBMIT) ROW("9", "1", "0", SCHEDULE) ROW("9", "1", "0", FINISH),
              NULL, NULL, NULL, "1/0 at 9 waits 0 runs 0 completed\n", 5);
}

/* ---- updates ---- */

static void needs(const char *updates, int64_t cpu, int64_t memory)
{
  told t;
  prepare_told(&t, TYPE,
               FULL("1", "", "1", "0", SUBMIT, "", "3", "0")
                   FULL("2", "", "1", "0", UPDATE_PENDING, "2", "5", "0")
                       FULL("3", "", "1", "0", SCHEDULE, "2", "5", "0")
                           FULL("4", "", "1", "0", UPDATE_RUNNING, "1.5", "4", "0")
                               FULL("9", "", "1", "0", FINISH, "7", "7", "0"));
  set_option(&t, updates);
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "1/0 at 1 waits 2 runs 6 completed\n");
  assert_int_equal(t.first.need[HC_DIM_CPU], cpu);
  assert_int_equal(t.first.need[HC_DIM_MEMORY], memory << 20);
  assert_int_equal(t.ledger.merged, 4);
  end_told(&t);
}

static void test_updates(void **state)
{
  HC_UNUSED(state);
  needs("updates=first", 2000, 3); /* the first that says it: SUBMIT says nothing of cores */
  needs("updates=last", 1500, 4);
  needs("updates=largest", 2000, 5);
}

/* "cpu/memory at the start, then after:cpu/memory ..." of the last task, with -1 for what is not said. */
static void expect_steps(const char *text, const char *option, const char *want)
{
  char got[512];
  size_t n;
  told t;
  prepare_told(&t, TYPE, text);
  set_option(&t, "updates=in_place");
  if (option) set_option(&t, option);
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.last.more);
  n = (size_t)snprintf(got, sizeof got, "%lld/%lld", (long long)t.last.need[HC_DIM_CPU],
                       (long long)t.last.need[HC_DIM_MEMORY] >> 20);
  for (size_t i = 0; m && i < m->resize_count; i++) {
    const hc_resize_step *s = &m->resizes[i];
    n += (size_t)snprintf(got + n, sizeof got - n, " %lld:%lld/%lld", (long long)(s->after / HC_SECOND),
                          (long long)s->need[HC_DIM_CPU], (long long)s->need[HC_DIM_MEMORY] >> 20);
    assert_true(s->need[HC_DIM_GPU] == HC_UNKNOWN && s->need[HC_DIM_OTHER] == HC_UNKNOWN);
  }
  assert_string_equal(got, want);
  end_told(&t);
}

#define WAITED \
  FULL("1", "", "1", "0", SUBMIT, "1", "3", "0") FULL("2", "", "1", "0", UPDATE_PENDING, "2", "5", "0")
#define STARTED WAITED FULL("3", "", "1", "0", SCHEDULE, "2", "5", "0")
#define UPDATE(time, cpu, ram) FULL(time, "", "1", "0", UPDATE_RUNNING, cpu, ram, "0")

static void test_updates_in_place(void **state)
{
  told t;
  HC_UNUSED(state);
  expect_steps(STARTED UPDATE("4", "1.5", "4") ROW("9", "1", "0", FINISH), NULL, "2000/5 1:1500/4");
  /* A row that changes nothing is no step; of two of one time the last counts; what it does not say stays. */
  expect_steps(STARTED UPDATE("5", "2", "5") UPDATE("6", "3", "5") UPDATE("6", "4", "6") UPDATE("8", "", "7")
                   ROW("9", "1", "0", FINISH),
               NULL, "2000/5 3:4000/6 5:4000/7");
  /* Of the time of the start it is what it starts with; while it waits too, whatever the event says. */
  expect_steps(WAITED UPDATE("2", "3", "6") FULL("3", "", "1", "0", SCHEDULE, "3", "6", "0")
                   UPDATE("3", "1", "1") UPDATE("4", "2", "1") ROW("9", "1", "0", FINISH),
               NULL, "1000/1 1:2000/1");
  /* Its first row says that it runs: it runs from there on. */
  expect_steps(UPDATE("700", "1", "2") UPDATE("710", "2", "2") ROW("800", "1", "0", FINISH), NULL,
               "1000/2 10:2000/2");
  /* Nothing after its end. */
  expect_steps(STARTED ROW("9", "1", "0", FINISH) UPDATE("9", "1", "1"), NULL, "2000/5");
  /* A stopped attempt's steps go with it; the next begins with what its rows say, and with that if they say
   * nothing. */
  expect_steps(STARTED UPDATE("4", "1", "1") ROW("5", "1", "0", EVICT)
                   FULL("6", "", "1", "0", SUBMIT, "", "", "0") FULL("8", "", "1", "0", SCHEDULE, "", "", "0")
                       UPDATE("11", "4", "1") ROW("19", "1", "0", FINISH),
               NULL, "1000/1 3:4000/1");
  expect_steps(STARTED UPDATE("4", "1", "1") ROW("5", "1", "0", EVICT)
                   FULL("6", "", "1", "0", SUBMIT, "", "", "0") FULL("8", "", "1", "0", SCHEDULE, "", "", "0")
                       UPDATE("11", "4", "1") ROW("19", "1", "0", FINISH),
               "attempts=sum", "4000/1");
  /* From an origin on: at 5 s it has been 1.5 cores for a while. */
  expect_steps(FULL("0", "", "1", "0", SUBMIT, "1", "1", "0") FULL("0", "", "1", "0", SCHEDULE, "1", "1", "0")
                   UPDATE("4", "1.5", "1") UPDATE("7", "2", "1") ROW("9", "1", "0", FINISH),
               "origin=5s", "1500/1 2:2000/1");
  prepare_told(&t, TYPE, STARTED);
  set_option(&t, "updates=in_place");
  set_option(&t, "reading=measured");
  set_table(&t, "usage", "");
  expect_refused(&t, HC_EUSAGE, 0, "`reading: measured` leaves that aside");
}

/* Constraints are those of the start. */
static void test_constraints_in_place(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE, STARTED UPDATE("5", "1", "1") ROW("9", "1", "0", FINISH));
  set_table(&t, "constraints", "1,1,0,0,a,1\n2,1,0,0,b,2\n5,1,0,0,c,3\n");
  set_option(&t, "updates=in_place");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.last.more);
  assert_true(m && m->constraint_count == 1 && m->constraints[0].value == 2 && m->resize_count == 1);
  end_told(&t);
}

/* Many tasks with many steps, of which some are told while others go on. */
static void make_in_place(told *t)
{
  prepare_told(t, TYPE,
               STARTED UPDATE("4", "1", "1") ROW("4", "2", "0", SUBMIT) ROW("5", "2", "0", SCHEDULE)
                   FULL("6", "", "2", "0", UPDATE_RUNNING, "4", "4",
                        "0") UPDATE("7", "2", "1") ROW("8", "1", "0", FINISH) ROW("8", "3", "0", SUBMIT)
                       ROW("8", "3", "0", SCHEDULE) FULL("9", "", "3", "0", UPDATE_RUNNING, "1", "1", "0")
                           FULL("10", "", "3", "0", UPDATE_RUNNING, "3", "1", "0") ROW("11", "3", "0", KILL)
                               FULL("12", "", "2", "0", UPDATE_RUNNING, "5", "4", "0")
                                   ROW("19", "2", "0", FINISH));
  set_option(t, "updates=in_place");
  open_told(t);
}

static void test_amounts(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(
      &t, TYPE,
      FULL("1", "", "1", "0", SUBMIT, "0", "0", "0") FULL("1", "", "1", "1", SUBMIT, "0.0000001", "1e-9", "0")
          FULL("2", "", "1", "0", KILL, "0", "0", "0") FULL("2", "", "1", "1", KILL, "", "", "0"));
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_int_equal(t.first.need[HC_DIM_CPU], 0); /* zero stays zero */
  assert_int_equal(t.first.need[HC_DIM_MEMORY], 0);
  assert_int_equal(t.last.need[HC_DIM_CPU], 1); /* a little is never nothing */
  assert_int_equal(t.last.need[HC_DIM_MEMORY], 1);
  assert_int_equal(t.last.need[HC_DIM_DISK], HC_UNKNOWN); /* no disk_scale */
  assert_int_equal(t.ledger.rounded, 2);
  assert_true(t.ledger.rounding > 9998 && t.ledger.rounding < 10000); /* 1 for a ten-thousandth of it */
  end_told(&t);
}

static void test_equal_shares_are_whole(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE, FULL("1", "", "1", "0", SUBMIT, "0.0375", "0.1", "0") ROW("2", "1", "0", KILL));
  set_option(&t, "cpu_scale=64");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_int_equal(t.first.need[HC_DIM_CPU],
                   2400); /* 0.0375 x 64 cores, whatever binary fractions make of it */
  end_told(&t);
}

/* ---- the ends of the trace ---- */

static const char censored[] =
    ROW("0", "1", "0", SUBMIT) ROW("0", "1", "0", SCHEDULE) ROW("0", "1", "1", SUBMIT)
        ROW("610", "1", "1", SCHEDULE) ROW("615", "2", "0", SUBMIT) ROW("616", "2", "0", SCHEDULE)
            ROW("620", "2", "1", SUBMIT) ROW("650", "1", "0", FINISH) ROW("660", "1", "1", FINISH)
                ROW("9223372036854775807", "2", "0", FINISH) ROW("9223372036854775807", "2", "2", SUBMIT);

static void test_before_the_trace(void **state)
{
  HC_UNUSED(state);
  expect_told(TYPE, censored, NULL, NULL, NULL,
              "1/0 at 0 waits 0 runs 650 completed start\n"
              "1/1 at 0 waits 610 runs 50 completed\n"
              "2/0 at 615 waits 1 runs 44 unknown open\n"
              "2/1 at 620 waits 40 unknown open\n",
              6);
  expect_told(TYPE, censored, "origin=600s", NULL, NULL,
              "1/0 at 0 waits 0 runs 50 completed start\n"
              "1/1 at 0 waits 10 runs 50 completed\n"
              "2/0 at 15 waits 1 runs 44 unknown open\n"
              "2/1 at 20 waits 40 unknown open\n",
              6);
  expect_without(TYPE, censored, "initial=reject", NULL, HC_REASON_ALREADY_RUNNING, 1,
                 "2/0 at 615 waits 1 runs 44 unknown open\n"
                 "2/1 at 620 waits 40 unknown open\n");
  expect_without(TYPE, censored, "initial=reject", NULL, HC_REASON_NO_SUBMIT, 1,
                 "2/0 at 615 waits 1 runs 44 unknown open\n"
                 "2/1 at 620 waits 40 unknown open\n");
  /* Arrived between 0 and the origin: only those that were there before the trace are brought forward. */
  expect_without(TYPE, censored, "origin=618s", NULL, HC_REASON_OUTSIDE, 2, /* 2/0, and 2/2 after the end */
                 "1/0 at 0 waits 0 runs 32 completed start\n"
                 "1/1 at 0 waits 0 runs 42 completed\n"
                 "2/1 at 2 waits 40 unknown open\n");
}

static void test_after_the_trace(void **state)
{
  HC_UNUSED(state);
  expect_without(TYPE, censored, "unfinished=reject", NULL, HC_REASON_STILL_RUNNING, 1,
                 "1/0 at 0 waits 0 runs 650 completed start\n"
                 "1/1 at 0 waits 610 runs 50 completed\n");
  expect_without(TYPE, censored, "unfinished=reject", NULL, HC_REASON_NEVER_RAN, 1,
                 "1/0 at 0 waits 0 runs 650 completed start\n"
                 "1/1 at 0 waits 610 runs 50 completed\n");
  /* Seen first in an update: it was there. */
  expect_told(TYPE, ROW("700", "1", "0", UPDATE_RUNNING) ROW("710", "1", "0", FINISH), NULL, NULL, NULL,
              "1/0 at 700 waits 0 runs 10 completed start\n", 1);
  expect_without(TYPE, ROW("700", "1", "0", UPDATE_RUNNING) ROW("710", "1", "0", FINISH), "initial=reject",
                 NULL, HC_REASON_ALREADY_RUNNING, 1, "");
}

/* ---- bounds ---- */

static const char long_run[] =
    ROW("10", "1", "0", SUBMIT) ROW("10", "1", "0", SCHEDULE) ROW("11", "2", "0", SUBMIT)
        ROW("11", "2", "0", SCHEDULE) ROW("12", "2", "0", FINISH) ROW("40", "3", "0", SUBMIT)
            ROW("50", "1", "0", FINISH) ROW("51", "3", "0", SCHEDULE) ROW("52", "3", "0", FINISH);

static void test_window(void **state)
{
  HC_UNUSED(state);
  /* At 40, 30 s after its arrival, the first is not waited for any longer; its end at 50 is a row of it
   * still. */
  expect_told(TYPE, long_run, "window=29s", NULL, NULL,
              "1/0 at 10 waits 0 runs 30 unknown open\n"
              "2/0 at 11 waits 0 runs 1 completed\n"
              "3/0 at 40 waits 11 runs 1 completed\n",
              6);
  expect_told(TYPE, long_run, "window=40s", NULL, NULL,
              "1/0 at 10 waits 0 runs 40 completed\n"
              "2/0 at 11 waits 0 runs 1 completed\n"
              "3/0 at 40 waits 11 runs 1 completed\n",
              6);
  expect_without(TYPE, long_run, "window=29s", "unfinished=reject", HC_REASON_STILL_RUNNING, 1,
                 "2/0 at 11 waits 0 runs 1 completed\n"
                 "3/0 at 40 waits 11 runs 1 completed\n");
}

static void test_held(void **state)
{
  HC_UNUSED(state); /* two tasks may be held: the third pushes out the first */
  expect_told(TYPE,
              ROW("10", "1", "0", SUBMIT) ROW("10", "1", "1", SUBMIT) ROW("11", "1", "0", SCHEDULE)
                  ROW("12", "1", "2", SUBMIT) ROW("13", "1", "1", SCHEDULE) ROW("14", "1", "0", FINISH)
                      ROW("15", "1", "1", FINISH) ROW("16", "1", "2", KILL),
              "held=2", NULL, NULL,
              "1/0 at 10 waits 1 runs 1 unknown open\n"
              "1/1 at 10 waits 3 runs 2 completed\n"
              "1/2 at 12 waits 4 leaves 16 cancelled\n",
              5);
}

static void test_told_and_there_again(void **state)
{
  HC_UNUSED(state); /* what was given out without its end, and is submitted again, is another task */
  expect_told(TYPE,
              ROW("10", "1", "0", SUBMIT) ROW("10", "1", "0", SCHEDULE) ROW("90", "2", "0", SUBMIT)
                  ROW("91", "1", "0", EVICT) ROW("91", "1", "0", SUBMIT) ROW("92", "1", "0", SCHEDULE)
                      ROW("93", "1", "0", FINISH) ROW("94", "2", "0", KILL),
              "window=20s", NULL, NULL,
              "1/0 at 10 waits 0 runs 80 unknown open\n"
              "2/0 at 90 waits 4 leaves 94 cancelled\n"
              "1/0 at 91 waits 1 runs 1 completed\n",
              5);
}

static void test_many_tasks(void **state)
{
  /* Places and the table of them are used again and grow: 3,000 tasks at once, then again the same ones. */
  const size_t n = 3000;
  char *text = test_malloc(n * 8 * 64), *p = text;
  told t;
  hc_job job;
  size_t count = 0;
  hc_time last = 0;
  HC_UNUSED(state);
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < n; i++)
      p += sprintf(p, "%zu,,%zu,%zu,,0,u,1,1,1,1,,\n", 10 + 9000 * (size_t)round + i, i % 7, i);
    for (size_t i = 0; i < n; i++)
      p += sprintf(p, "%zu,,%zu,%zu,,1,u,1,1,1,1,,\n", 3010 + 9000 * (size_t)round + i, (n - 1 - i) % 7,
                   n - 1 - i);
    for (size_t i = 0; i < n; i++)
      p += sprintf(p, "%zu,,%zu,%zu,,4,u,1,1,1,1,,\n", 6010 + 9000 * (size_t)round + i, i % 7, i);
  }
  prepare_told(&t, TYPE, text);
  open_told(&t);
  assert_int_equal(t.rc, 0);
  while ((t.rc = t.type->next(t.source, &job, &t.error)) == 1) {
    const hc_task_spec *s = job.tasks;
    const hc_time at = (hc_time)(10 + count % n + 9000 * (count / n)) * HC_SECOND;
    assert_int_equal(s->submit, at);
    assert_int_equal(s->id, count % n);
    assert_int_equal(s->job, s->id % 7);
    assert_int_equal(s->run, (2 * s->id + 1) * HC_SECOND); /* started last to first, ended first to last */
    assert_true(s->submit >= last);
    last = s->submit;
    count++;
    t.ledger.used++;
  }
  no_error(&t);
  assert_int_equal(count, 2 * n);
  assert_int_equal(t.ledger.merged, 4 * n);
  end_told(&t);
  test_free(text);
}

/* ---- state, memory, lines ---- */

static void make_all(told *t)
{
  prepare_told(t, TYPE,
               ROW("0", "1", "0", SUBMIT) ROW("0", "1", "0", SCHEDULE) FULL(
                   "10", "", "2", "0", SUBMIT, "1", "1", "1") FULL("10", "", "2", "1", SUBMIT, "1", "1", "1")
                   ROW("11", "2", "0", SCHEDULE) ROW("12", "2", "0", EVICT) ROW("12", "2", "0", SUBMIT)
                       ROW("13", "2", "1", SCHEDULE) ROW("14", "2", "0", SCHEDULE) ROW("20", "2", "0", FINISH)
                           ROW("21", "2", "1", FAIL) ROW("21", "2", "1", SUBMIT) ROW("22", "2", "1", SCHEDULE)
                               ROW("70", "3", "0", SUBMIT) ROW("71", "3", "0", SCHEDULE)
                                   ROW("72", "2", "1", FINISH) ROW("73", "3", "0", FINISH)
                                       ROW("80", "4", "0", SUBMIT) ROW("90", "1", "0", FINISH));
  set_table(t, "usage",
            "11,12,2,0,9,1,1\n13,20,2,1,9,1,1\n14,20,2,0,9,2,1\n30,60,2,1,9,3,1\n71,72,3,0,9,1,1\n");
  set_table(t, "constraints", "10,2,0,0,a,b\n10,2,1,0,a,b\n10,2,1,0,c,d\n70,3,0,1,a,7\n");
  set_table(t, "jobs", "10,,2,0,ann,1,n,l\n50,,2,4,ann,1,n,l\n70,,3,0,bob,1,n,m\n80,,4,0,cy,1,n,k\n");
  set_option(t, "window=55s");
  open_told(t);
}

static void test_state(void **state)
{
  HC_UNUSED(state);
  expect_resumable(make_all);
  expect_resumable(make_in_place);
}

static void test_out_of_memory(void **state)
{
  HC_UNUSED(state);
  expect_no_leak(make_all, 1);
  expect_no_leak(make_in_place, 1);
}

static void test_damaged_state(void **state)
{
  told t;
  hc_buffer saved;
  HC_UNUSED(state);
  make_all(&t);
  hc_buffer_init(&saved, hc_default_allocator());
  assert_int_equal(tell_one(&t), 1);
  save_told(&t, &saved);
  end_told(&t);
  for (size_t cut = 0; cut < saved.size; cut += 13) { /* cut short: never taken for whole */
    hc_visitor v = {.calls = &hc_state_calls,
                    .mode = HC_VISIT_LOAD,
                    .allocator = hc_default_allocator(),
                    .in = (const uint8_t *)saved.data,
                    .left = cut};
    make_all(&t);
    hc_rc rc = hc_lexicon_visit(t.lexicon, &v);
    if (rc == 0) rc = t.type->visit(t.source, &v, &t.error);
    assert_true(rc < 0);
    t.type->close(t.source);
    hc_lexicon_free(t.lexicon);
    for (size_t i = 0; i < t.file_count; i++) unlink(t.files[i].path);
    drop(&t.chosen);
  }
  hc_buffer_fini(&saved);
}

static void test_lines(void **state)
{
  hc_chosen c = choose(&TYPE->component, NULL);
  hc_time submit = 0;
  int64_t id = 1;
  HC_UNUSED(state);
  assert_int_equal(TYPE->line_key(c.options, "600000000,,1,2,,0", 17, &submit, &id), HC_LINE_ROW);
  assert_int_equal(submit, 600 * HC_SECOND);
  assert_int_equal(id, 0); /* rows of one time stay as they stand */
  assert_int_equal(TYPE->line_key(c.options, "9223372036854775807,,1", 22, &submit, &id), HC_LINE_ROW);
  assert_int_equal(submit, HC_NEVER); /* last of all */
  assert_int_equal(TYPE->line_key(c.options, "time,missing", 12, &submit, &id), HC_LINE_BROKEN);
  assert_int_equal(TYPE->line_key(c.options, "600", 3, &submit, &id), HC_LINE_BROKEN);
  assert_int_equal(TYPE->line_key(c.options, "", 0, &submit, &id), HC_LINE_BROKEN);
  drop(&c);
}

static int likely(const char *name, const char *text)
{
  return TYPE->recognise(name, text, strlen(text));
}

static void test_recognised(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(likely("x", "0,2,3418309,0,4155527081,0,70s3v5q=,3,9,,,,\n0,2"), 90);
  assert_int_equal(
      likely("x", "600000000,,3418309,0,4155527081,1,70s3v5q=,3,9,0.125,0.07446,0.0004244,0\r\n"), 90);
  assert_int_equal(likely("data/task_events", ""), 60); /* perhaps a directory */
  assert_int_equal(likely("data/job_events", ""), 0);
  assert_int_equal(likely("x.csv", "id,submit,run\n1,2,3\n"), 0);
  assert_int_equal(likely("x", "0,,3418309,0,70s3v5q=,3,abc=,def=\n"), 0);           /* job_events */
  assert_int_equal(likely("x", "0,2,3418309,0,4155527081,0,70s3v5q=,9,9,,,,\n"), 0); /* no class 9 */
  assert_int_equal(likely("x", "0,2,3,0,4,0,u,3,9,,,,,\n"), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_field),
      cmocka_unit_test(test_order_of_submission),
      cmocka_unit_test(test_same_index_of_two_jobs),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_evicted_and_submitted_again),
      cmocka_unit_test(test_submitted_again_too_late),
      cmocka_unit_test(test_failed_and_submitted_again),
      cmocka_unit_test(test_killed_while_it_waits),
      cmocka_unit_test(test_rows_that_are_not_there),
      cmocka_unit_test(test_rows_that_were_made_up),
      cmocka_unit_test(test_order_within_a_time),
      cmocka_unit_test(test_updates),
      cmocka_unit_test(test_updates_in_place),
      cmocka_unit_test(test_constraints_in_place),
      cmocka_unit_test(test_amounts),
      cmocka_unit_test(test_equal_shares_are_whole),
      cmocka_unit_test(test_before_the_trace),
      cmocka_unit_test(test_after_the_trace),
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_held),
      cmocka_unit_test(test_told_and_there_again),
      cmocka_unit_test(test_many_tasks),
      cmocka_unit_test(test_state),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_damaged_state),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
