/* test_batsim_dynamic.c -- schedulers of Batsim 4 register jobs and profiles of their own: sessions word for
 * word, from records. Machines, jobs and times are those of trial.h. */
#define TRIAL "remote_batsim_dynamic"
#define TRIAL_SOURCE ", dynamic: true"
#define CONFIG_DYNAMIC "true"
#include "batsim_words.h"

#define BEGINS_ACKNOWLEDGED(acknowledged) BEGINS_WITH(CONFIG(acknowledged))
#define RUN(at, job, alloc) EVENT(at, "EXECUTE_JOB", "\"job_id\":\"" job "\",\"alloc\":\"" alloc "\"")
#define DROP(at, job) EVENT(at, "REJECT_JOB", "\"job_id\":\"" job "\"")

#define PROFILE(at, workload, name, object) \
  EVENT(at, "REGISTER_PROFILE", \
        "\"workload_name\":\"" workload "\",\"profile_name\":\"" name "\",\"profile\":" object)
#define JOB(at, id, object) EVENT(at, "REGISTER_JOB", "\"job_id\":\"" id "\",\"job\":" object)
#define FINISHED(at) EVENT(at, "NOTIFY", "\"type\":\"registration_finished\"")
#define COMPLETED(at, job, alloc, how, code) \
  EVENT(at, "JOB_COMPLETED", \
        "\"job_id\":\"" job "\",\"job_state\":\"COMPLETED_" how "\",\"return_code\":" code \
        ",\"alloc\":\"" alloc "\"")
#define D2 "{\"type\": \"delay\", \"delay\": 2}"

static trial run(const char *session, bool acknowledges)
{
  return run_trial(session, (hc_batsim_options){.remote = {.think = HC_THINK_ANSWER},
                                                .is_dynamic = true,
                                                .acknowledges = acknowledges,
                                                .reuses_profiles = true});
}

static trial right(const char *session, bool acknowledges)
{
  trial t = run(session, acknowledges);
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  return t;
}

/* Each registration is a message: the profile is taken at 13, the job at 14, where it is said back. It may
 * start in the same answer: taken at 15 it ends at 17, which is told by 18, behind the start of a at 16 and
 * the rejection of b. The scheduler is ready at 19. */
static void test_registered(void **state)
{
#define X "{\"id\": \"x\", \"res\": 1, \"profile\": \"d2\", \"walltime\": 9}"
#define TOLD_X \
  EVENT("14.000000", "JOB_SUBMITTED", \
        "\"job_id\":\"dyn!x\",\"job\":{\"id\":\"dyn!x\",\"res\":1,\"profile\":\"d2\",\"walltime\":9}")
#define REGISTERS PROFILE("12.0", "dyn", "d2", D2) "," JOB("12.0", "dyn!x", X)
#define STARTS RUN("12.0", "dyn!x", "0") "," RUN("12.0", "w0!a", "1") "," DROP("12.0", "w0!b")
#define X_ENDS COMPLETED("18.000000", "dyn!x", "0", "SUCCESSFULLY", "0")
#define A_ENDS COMPLETED("22.000000", "w0!a", "1", "SUCCESSFULLY", "0")
  static const char session[] = BEGINS_ACKNOWLEDGED("true") SUBMITTED SAYS("12.0", REGISTERS "," STARTS)
      MESSAGE("19.000000", TOLD_X "," X_ENDS) SAYS("19.0", FINISHED("19.0")) MESSAGE("22.000000", A_ENDS)
          SAYS("22.0", "") ENDS("23.000000");
  const trial t = right(session, true);
  (void)state;
  assert_int_equal(t.count, 3);
  is_task(&t, 0, 3, 15, 17, HC_FINAL_COMPLETED);
  assert_int_equal(t.tasks[1].final, HC_FINAL_REJECTED);
  is_task(&t, 2, 1, 16, 21, HC_FINAL_COMPLETED);
  assert_int_equal(t.tasks[0].submit, 12 * HC_SECOND);
}

/* Before any job of the workload has come, and without being told back: a job of the workload's own profile;
 * a sequence of a profile of its own workload, which its walltime ends; and registration that goes on.
 * Messages of the first answer are taken from 2 on, behind the submitter's greeting. Those of 9 are taken at
 * 10, 12, 14, 15 and 16, since jobs are submitted at 10, and the submitter goes at 11. */
static void test_sequence(void **state)
{
#define EARLY JOB("0.0", "w0!early", "{\"res\": 2, \"profile\": \"d5\"}") "," RUN("0.0", "w0!early", "0-1")
#define AGAIN FINISHED("0.0") "," EVENT("0.0", "NOTIFY", "\"type\":\"continue_registration\"")
#define THREE "{\"type\": \"composed\", \"repeat\": 3, \"seq\": [\"d2\"]}"
#define PROFILES PROFILE("9.0", "dyn", "d2", D2) "," PROFILE("9.0", "dyn", "three", THREE)
#define Y JOB("9.0", "dyn!y", "{\"res\": 1, \"profile\": \"three\", \"walltime\": 5}")
#define Y_STARTS RUN("9.0", "dyn!y", "0") "," FINISHED("9.0")
#define LATE BOTH_COME("13.000000")
#define EARLY_ENDS COMPLETED("9.000000", "w0!early", "0-1", "SUCCESSFULLY", "0")
#define Y_ENDS COMPLETED("21.000000", "dyn!y", "0", "WALLTIME_REACHED", "-1")
  static const char begins[] = BEGINS_ACKNOWLEDGED("false");
  static const char rest[] =
      SAYS("0.0", EARLY "," AGAIN) MESSAGE("9.000000", EARLY_ENDS) SAYS("9.0", PROFILES "," Y "," Y_STARTS)
          MESSAGE("17.000000", LATE) SAYS("17.0", DROP("17.0", "w0!a") "," DROP("17.0", "w0!b"))
              MESSAGE("21.000000", Y_ENDS) SAYS("21.0", "") ENDS("22.000000");
  char session[8192];
  (void)state;
  const size_t head = strlen(begins) - strlen("< 0 {\"now\":0.0,\"events\":[]}\n");
  (void)snprintf(session, sizeof session, "%.*s%s", (int)head, begins, rest);
  const trial t = right(session, false);
  is_task(&t, 0, 3, 3, 8, HC_FINAL_COMPLETED);
}

static const refusal wrong[] = {
    {JOB("12.0", "x", "{\"res\": 1, \"profile\": \"d5\"}"), HC_EPOLICY, "`job_id` is no \"WORKLOAD!NAME\""},
    {JOB("12.0", "w0!a", "{\"res\": 1, \"profile\": \"d5\"}"), HC_EPOLICY, "there is a job of this name"},
    {JOB("12.0", "w0!x", "{\"id\": \"y\", \"res\": 1, \"profile\": \"d5\"}"), HC_EPOLICY, "is another one"},
    {JOB("12.0", "w0!x", "{\"res\": 0, \"profile\": \"d5\"}"), HC_EPOLICY, "whole number of machines"},
    {JOB("12.0", "w0!x", "{\"res\": 3, \"profile\": \"d5\"}"), HC_EPOLICY, "more machines than there are"},
    {JOB("12.0", "w0!x", "{\"res\": 1, \"profile\": \"d5\", \"walltime\": 0}"), HC_EPOLICY,
     "is not positive"},
    {JOB("12.0", "w0!x", "{\"res\": 1}"), HC_EPOLICY, "names no profile"},
    {JOB("12.0", "dyn!x", "{\"res\": 1, \"profile\": \"d5\"}"), HC_EPOLICY, "a profile that there is not"},
    {JOB("12.0", "w0!x", "7"), HC_EPOLICY, "it has no object `job`"},
    {PROFILE("12.0", "w0", "d5", D2), HC_EPOLICY, "there is a profile of this name"},
    {PROFILE("12.0", "dyn", "p", "7"), HC_EPOLICY, "its profile is no object"},
    {PROFILE("12.0", "dyn", "p", "{\"type\": \"delay\"}"), HC_EINPUT, "profile \"dyn!p\""},
    {PROFILE("12.0", "dyn", "p", "{\"type\": \"composed\", \"seq\": [\"q\"]}"), HC_EINPUT,
     "names one that is not defined: \"dyn!q\""},
    {FINISHED("12.0") "," JOB("12.0", "w0!x", "{\"res\": 1, \"profile\": \"d5\"}"), HC_EPOLICY,
     "it has said that it registers nothing more"},
    {DROP("12.0", "w0!a") "," DROP("12.0", "w0!b"), HC_EPOLICY,
     "it has not said that it registers nothing more (NOTIFY registration_finished)"},
};

static void test_wrong(void **state)
{
  char session[8192];
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    (void)snprintf(session, sizeof session, "%s%s< 0 {\"now\":12.0,\"events\":[%s]}\n",
                   BEGINS_ACKNOWLEDGED("true"), SUBMITTED, wrong[i].answer);
    const trial t = run(session, true);
    is_refused(&t, &wrong[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registered),
      cmocka_unit_test(test_sequence),
      cmocka_unit_test(test_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
