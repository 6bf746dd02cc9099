/* test_batsim.c -- sessions with a scheduler of Batsim 4, word for word, from records: what is said, when,
 * and what comes of each answer, right or wrong. Machines, jobs and times are those of trial.h. */
#define TRIAL "remote_batsim"
#include "batsim_words.h"

#define KILL(at, jobs) EVENT(at, "KILL_JOB", "\"job_ids\":[" jobs "]")
#define COMPLETED(at, job, state, code, alloc) \
  EVENT(at, "JOB_COMPLETED", \
        "\"job_id\":\"w0!" job "\",\"job_state\":\"" state "\",\"return_code\":" code ",\"alloc\":\"" alloc \
        "\"")

/* A run by a record. @param record file that the session is written to; NULL: none */
static trial run(const char *session, hc_remote_think think, hc_time think_time, const char *record)
{
  return run_trial(session, (hc_batsim_options){
                                .remote = {.think = think, .think_time = think_time, .record = record}});
}

static trial right(const char *session)
{
  trial t = run(session, HC_THINK_ANSWER, 0, NULL);
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  return t;
}

/* ---- what goes well ---- */

/* a is first: jobs of one time come by their ids as text. */
static void test_two_jobs(void **state)
{
  static const char session[] = FIRST SAYS("12.0", EXECUTE("12.0", "a", "0"))
      MESSAGE("19.000000", COMPLETED("19.000000", "a", "COMPLETED_SUCCESSFULLY", "0", "0"))
          SAYS("19.0", EXECUTE("19.0", "b", "1 0"))
              MESSAGE("26.000000", COMPLETED("26.000000", "b", "COMPLETED_SUCCESSFULLY", "0", "0-1"))
                  SAYS("26.0", "") ENDS("27.000000");
  const trial t = right(session);
  (void)state;
  assert_int_equal(t.count, 2);
  is_task(&t, 0, 1, 13, 18, HC_FINAL_COMPLETED);
  is_task(&t, 1, 2, 20, 25, HC_FINAL_COMPLETED);
  assert_int_equal(t.report.messages, 5);
  assert_int_equal(t.report.executed, 2);
}

/* Each action is a message, metadata too: taken at 13, 14 and 15. */
static void test_actions_in_turn(void **state)
{
#define REJECT_B EVENT("12.0", "REJECT_JOB", "\"job_id\":\"w0!b\"")
#define DATA_OF_A EVENT("12.0", "SET_JOB_METADATA", "\"job_id\":\"w0!a\",\"metadata\":\"mine, yours\"")
  static const char session[] = FIRST SAYS("12.0", REJECT_B "," DATA_OF_A "," EXECUTE("12.0", "a", "1"))
      MESSAGE("21.000000", COMPLETED("21.000000", "a", "COMPLETED_SUCCESSFULLY", "0", "1")) SAYS("21.0", "")
          ENDS("22.000000");
  const trial t = right(session);
  (void)state;
  assert_int_equal(t.count, 2);
  assert_int_equal(t.tasks[0].final, HC_FINAL_REJECTED);
  is_task(&t, 1, 1, 15, 20, HC_FINAL_COMPLETED);
  assert_string_equal(t.metadata, "mine, yours");
}

/* The answer says that its second event is of 15: the job runs from 13 on, and the kill, sent at 15, is
 * taken at 16. That it has ended is told by a message, at 17; behind that one its scheduler is ready, at
 * 18. Killed again it has ended already: the kill is taken at 19, the rejection is sent then and taken at
 * 20, and what answers the kill, sent at 19 behind it, at 21. */
static void test_kill(void **state)
{
  static const char session[] = FIRST SAYS("15.5", EXECUTE("12.0", "a", "0") "," KILL("15.0", "\"w0!a\""))
      MESSAGE("18.000000", COMPLETED("17.000000", "a", "COMPLETED_KILLED", "-2",
                                     "0") "," EVENT("17.000000", "JOB_KILLED",
                                                    "\"job_ids\":[\"w0!a\"],\"job_progress\":{\"w0!a\":"
                                                    "{\"profile_name\":\"d5\",\"progress\":0.600000}}"))
          SAYS("18.0", KILL("18.0", "\"w0!a\"") "," EVENT("18.0", "REJECT_JOB", "\"job_id\":\"w0!b\""))
              MESSAGE("22.000000", EVENT("21.000000", "JOB_KILLED",
                                         "\"job_ids\":[\"w0!a\"],"
                                         "\"job_progress\":{\"w0!a\":{\"profile_name\":\"d5\","
                                         "\"progress\":0.600000}}")) SAYS("22.0", "") ENDS("23.000000");
  const trial t = right(session);
  (void)state;
  is_task(&t, 0, 1, 13, 16, HC_FINAL_KILLED);
  assert_int_equal(t.report.killed, 1);
}

/* A wake is a message there and, when its time has come, one back: asked for at 12 (taken at 13) for 30,
 * told at 31. One that was asked for later and for an earlier time is told first. */
static void test_call_me_later(void **state)
{
  static const char session[] =
      FIRST SAYS("12.0", EVENT("12.0", "CALL_ME_LATER",
                               "\"timestamp\":30.0") "," EVENT("12.0", "CALL_ME_LATER", "\"timestamp\":20.0"))
          MESSAGE("21.000000", EVENT("21.000000", "REQUESTED_CALL", "")) SAYS("21.0", "")
              MESSAGE("31.000000", EVENT("31.000000", "REQUESTED_CALL", "")) SAYS(
                  "31.0", EVENT("31.0", "REJECT_JOB", "\"job_id\":\"w0!a\"") "," EXECUTE("31.0", "b", "0-1"))
                  MESSAGE("39.000000", COMPLETED("39.000000", "b", "COMPLETED_SUCCESSFULLY", "0", "0-1"))
                      SAYS("39.0", "") ENDS("40.000000");
  const trial t = right(session);
  (void)state;
  is_task(&t, 1, 2, 33, 38, HC_FINAL_COMPLETED);
  assert_int_equal(t.report.calls, 2);
}

/* The answer says 14: the start is sent then. With no thinking it is sent at 12; with 3 s of it at 15. */
static void test_thinking(void **state)
{
#define THOUGHT(at, end, next) \
  FIRST SAYS("14.0", EXECUTE("14.0", "a", "0") "," EVENT("14.0", "REJECT_JOB", "\"job_id\":\"w0!b\"")) \
      MESSAGE(at, COMPLETED(at, "a", "COMPLETED_SUCCESSFULLY", "0", "0")) SAYS(end, "") ENDS(next)
  (void)state;
  trial t = right(THOUGHT("21.000000", "21.0", "22.000000"));
  is_task(&t, 1, 1, 15, 20, HC_FINAL_COMPLETED);
  t = run(THOUGHT("19.000000", "19.0", "20.000000"), HC_THINK_NONE, 0, NULL);
  assert_int_equal(t.rc, 0);
  is_task(&t, 1, 1, 13, 18, HC_FINAL_COMPLETED);
  /* and so it thinks about what is told at 22, until 25 */
  t = run(THOUGHT("22.000000", "22.0", "26.000000"), HC_THINK_FIXED, 3 * HC_SECOND, NULL);
  assert_int_equal(t.rc, 0);
  is_task(&t, 1, 1, 16, 21, HC_FINAL_COMPLETED);
}

/* Measured: as long as the record says, in which there are 3 s and 0. What is recorded of a replay is the
 * record. */
static void test_measured(void **state)
{
  static const char session[] =
      FIRST "< 3000000000 {\"now\":12.0,\"events\":[" EXECUTE("12.0", "a", "0") "," EVENT(
          "12.0", "REJECT_JOB",
          "\"job_id\":\"w0!b\"") "]}\n" MESSAGE("22.000000", COMPLETED("22.000000", "a",
                                                                       "COMPLETED_SUCCESSFULLY", "0", "0"))
          SAYS("22.0", "") ENDS("23.000000");
  static const char record[] = "remote_batsim_record.txt";
  const trial t = run(session, HC_THINK_MEASURED, 0, record);
  char text[8192] = "";
  (void)state;
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  is_task(&t, 1, 1, 16, 21, HC_FINAL_COMPLETED);
  FILE *f = fopen(record, "rb");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  (void)fclose(f);
  (void)unlink(record);
  assert_string_equal(strchr(text, '\n') + 1, session);
}

/* ---- what does not ---- */

#define AT_12(events) SAYS("12.0", events)
#define AB(more) "\"job_id\":\"w0!b\",\"alloc\":\"0-1\"" more

static const refusal hostile[] = {
    {"< 0 \n", HC_EPOLICY, "is no object of JSON"},
    {"< 0 {\"now\":12.0,\"events\":[}\n", HC_EPOLICY, "no object"},
    {"< 0 {\"now\":12.0,\"events\":[]\n", HC_EPOLICY, "is no JSON"},
    {"< 0 {\"now\":12.0}\n", HC_EPOLICY, "has no list `events`"},
    {"< 0 {\"events\":[]}\n", HC_EPOLICY, "has no time `now`"},
    {"< 0 {\"now\":1e400,\"events\":[]}\n", HC_EPOLICY, "has no time `now`"},
    {SAYS("11.9", ""), HC_EPOLICY, "before that of the message"},
    {SAYS("12.0", EXECUTE("13.0", "a", "0")), HC_EPOLICY, "later than its `now`"},
    {SAYS("13.0", EXECUTE("13.0", "a", "0") "," EXECUTE("12.0", "b", "0")), HC_EPOLICY, "in front of it"},
    {AT_12(EVENT("12.0", "DANCE", "")), HC_EPOLICY, "of a type that Batsim 4 does not have"},
    {AT_12("{\"timestamp\":12.0,\"type\":\"REJECT_JOB\"}"), HC_EPOLICY, "an object `data`"},
    {AT_12(EXECUTE("12.0", "z", "0")), HC_EPOLICY, "EXECUTE_JOB of w0!z: the workload has no such job"},
    {AT_12(EXECUTE("12.0", "a", "0-1")), HC_EPOLICY, "it gets 2 machines and asks for 1"},
    {AT_12(EXECUTE("12.0", "a", "2")), HC_EPOLICY, "\"2\" is no set of the machines 0-1"},
    {AT_12(EXECUTE("12.0", "a", "1-0")), HC_EPOLICY, "is no set"},
    {AT_12(EXECUTE("12.0", "a", "x")), HC_EPOLICY, "is no set"},
    {AT_12(EXECUTE("12.0", "a", "4294967296")), HC_EPOLICY, "is no set"},
    {AT_12(EXECUTE("12.0", "a", "0") "," EXECUTE("12.0", "a", "1")), HC_EPOLICY, "started already"},
    {AT_12(EXECUTE("12.0", "a", "0") "," EXECUTE("12.0", "b", "0-1")), HC_EPOLICY, "machine 0 is not free"},
    {AT_12(EVENT("12.0", "EXECUTE_JOB", "\"job_id\":\"w0!a\"")), HC_EPOLICY, "no text `alloc`"},
    {AT_12(EVENT("12.0", "EXECUTE_JOB", AB(",\"mapping\":{\"0\":\"0\",\"1\":\"0\"}"))), HC_EUNSUPPORTED,
     "mapped to other machines"},
    {AT_12(EVENT("12.0", "EXECUTE_JOB", AB(",\"mapping\":{\"0\":0}"))), HC_EPOLICY, "number of executors"},
    {AT_12(EVENT("12.0", "EXECUTE_JOB", AB(",\"storage_mapping\":{\"pfs\":2}"))), HC_EUNSUPPORTED,
     "not just one storage host"},
    {AT_12(EVENT("12.0", "EXECUTE_JOB", AB(",\"additional_io_job\":{}"))), HC_EUNSUPPORTED, "not modelled"},
    {AT_12(KILL("12.0", "\"w0!a\"")), HC_EPOLICY, "KILL_JOB of w0!a: it does not run"},
    {AT_12(KILL("12.0", "")), HC_EPOLICY, "no list `job_ids`"},
    {AT_12(EXECUTE("12.0", "a", "0") "," KILL("12.0", "\"w0!a\"")), HC_EPOLICY, "in this very answer"},
    {AT_12(EVENT("12.0", "REJECT_JOB", "\"job_id\":\"w0!a\"") "," EXECUTE("12.0", "a", "0")), HC_EPOLICY,
     "it is over"},
    {AT_12(EVENT("12.0", "CALL_ME_LATER", "\"timestamp\":3")), HC_EPOLICY, "its `timestamp` has passed"},
    {AT_12(EVENT("12.0", "SET_RESOURCE_STATE", "\"resources\":\"0\",\"state\":\"1\"")), HC_EUNSUPPORTED,
     "where energy is counted: say --energy"},
    {AT_12(EVENT("12.0", "REGISTER_JOB", "\"job_id\":\"dyn!1\",\"job\":{}")), HC_EUNSUPPORTED,
     "from the workload alone: say --enable-dynamic-jobs"},
    {AT_12(EVENT("12.0", "QUERY", "\"requests\":{\"consumed_energy\":{}}")), HC_EUNSUPPORTED,
     "which this run does not count: say --energy"},
    {AT_12(EVENT("12.0", "CHANGE_JOB_STATE", "\"job_id\":\"w0!a\"")), HC_EUNSUPPORTED,
     "but for REJECTED: start it, or kill it"},
    {AT_12(EVENT("12.0", "NOTIFY", "\"type\":\"continue_registration\"")), HC_EUNSUPPORTED,
     "say --enable-dynamic-jobs"},
    {AT_12(""), HC_EPOLICY, "neither started nor rejected 2 jobs, of which w0!a is the first"},
    {"", HC_EIO, "the record has no answer here"},
};

static void test_hostile(void **state)
{
  char session[8192];
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(hostile); i++) {
    (void)snprintf(session, sizeof session, "%s%s", FIRST, hostile[i].answer);
    const trial t = run(session, HC_THINK_ANSWER, 0, NULL);
    is_refused(&t, &hostile[i]);
  }
}

/* A mapping that leaves executors where they are, and what a scheduler may say without effect. */
static void test_harmless(void **state)
{
  static const char session[] = FIRST SAYS(
      "12.0", EVENT("12.0", "EXECUTE_JOB", AB(",\"mapping\":{\"0\":\"0\",\"1\":1}")) "," EVENT(
                  "12.0", "NOTIFY",
                  "\"type\":\"registration_finished\"") "," EVENT("12.0", "CHANGE_JOB_STATE",
                                                                "\"job_id\":\"w0!a\",\"job_state\":"
                                                                "\"REJECTED\""))
      MESSAGE("19.000000", COMPLETED("19.000000", "b", "COMPLETED_SUCCESSFULLY", "0", "0-1")) SAYS("19.0", "")
          ENDS("20.000000");
  const trial t = right(session);
  (void)state;
  is_task(&t, 1, 2, 13, 18, HC_FINAL_COMPLETED);
}

/* More calls than are kept. */
static void test_flood(void **state)
{
  static const char one[] = EVENT("12.0", "CALL_ME_LATER", "\"timestamp\":30.0");
  const size_t count = 100001, size = sizeof FIRST + count * (sizeof one + 1) + 100;
  char *session = malloc(size);
  (void)state;
  assert_non_null(session);
  size_t n = (size_t)snprintf(session, size, "%s< 0 {\"now\":12.0,\"events\":[", FIRST);
  for (size_t i = 0; i < count; i++) n += (size_t)snprintf(session + n, size - n, "%s%s", i ? "," : "", one);
  (void)snprintf(session + n, size - n, "]}\n");
  const trial t = run(session, HC_THINK_ANSWER, 0, NULL);
  free(session);
  assert_int_equal(t.rc, HC_EPOLICY);
  assert_non_null(strstr(t.error.text, "100,000 calls that it has asked for have not come"));
}

/* A record of another run. */
static void test_other_run(void **state)
{
  const trial t = run("> {\"now\":0.000000}\n< 0 {}\n", HC_THINK_ANSWER, 0, NULL);
  (void)state;
  assert_int_equal(t.rc, HC_EPOLICY);
  assert_non_null(strstr(t.error.text, "another thing than was recorded"));
  assert_int_equal(t.error.line, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_jobs),  cmocka_unit_test(test_actions_in_turn),
      cmocka_unit_test(test_kill),      cmocka_unit_test(test_call_me_later),
      cmocka_unit_test(test_thinking),  cmocka_unit_test(test_measured),
      cmocka_unit_test(test_hostile),   cmocka_unit_test(test_harmless),
      cmocka_unit_test(test_other_run), cmocka_unit_test(test_flood),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
