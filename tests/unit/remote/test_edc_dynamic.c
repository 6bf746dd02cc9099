/* test_edc_dynamic.c -- components of Batsim 5 register jobs and profiles of their own: sessions word for
 * word, from records. Machines, jobs and times are those of trial.h. */
#define TRIAL "remote_edc_dynamic"
#define TRIAL_SOURCE ", dynamic: true"
#include "trial.h"

#define EVENT(at, type, data) "{\"timestamp\":" at ",\"event_type\":\"" type "Event\",\"event\":{" data "}}"
#define SAYS(now, events) "< 0 {\"now\":" now ",\"events\":[" events "]}\n"
#define MESSAGE(now, events) "> {\"now\":" now ",\"events\":[" events "]}\n"
#define GREETED \
  "> {\"edc_init\":\"\"}\n" SAYS( \
      "0.0", EVENT("0.0", "EDCHello", \
                   "\"batprotocol_version\":\"1.0.0\",\"requested_simulation_features\":{" \
                   "\"dynamic_registration\":true,\"acknowledge_dynamic_jobs\":true," \
                   "\"forward_profiles_on_job_submission\":true}"))
#define HOST(id) \
  "{\"id\":" id ",\"name\":\"m-" id "\",\"pstate\":0,\"computation_speed\":[],\"pstate_count\":1," \
  "\"state\":\"IDLE\",\"properties\":[],\"zone_properties\":[],\"core_count\":1}"
#define BEGINS \
  MESSAGE( \
      "0.000000", \
      EVENT("0.000000", "SimulationBegins", \
            "\"host_number\":2,\"computation_host_number\":2,\"computation_hosts\":[" HOST("0") "," HOST( \
                "1") "],\"storage_host_number\":0,\"storage_hosts\":[],\"batsim_arguments\":[]," \
                     "\"batsim_execution_context_json\":\"{}\",\"batsim_version\":\"5.0.0 (hindcast)\"," \
                     "\"workloads\":[{\"name\":\"w0\",\"filename\":\"" WORKLOAD "\"}]"))
#define SUBMITTED(at, id, res, walltime, profile, submitted, whole) \
  EVENT(at, "JobSubmitted", \
        "\"job_id\":\"" id "\",\"job\":{\"resource_request\":" res ",\"walltime\":" walltime \
        ",\"extra_data\":\"\",\"profile_id\":\"" profile "\"},\"submission_time\":" submitted \
        ",\"profile\":{\"id\":\"" profile "\"," whole "}")
#define D5 "\"profile_type\":\"DelayProfile\",\"profile\":{\"delay\":5}"
#define TWICE \
  "\"profile_type\":\"SequentialCompositionProfile\",\"profile\":{\"repetition_count\":2,\"profile_ids\":[" \
  "\"dyn!p\"]}"
#define PROFILE(at, id, whole) EVENT(at, "RegisterProfile", "\"profile\":{\"id\":\"" id "\"," whole "}")
#define EXECUTE(at, job, hosts) \
  EVENT(at, "ExecuteJob", \
        "\"job_id\":\"" job "\",\"allocation\":{\"host_allocation\":\"" hosts \
        "\",\"executor_placement_type\":\"PredefinedExecutorPlacementStrategyWrapper\"," \
        "\"executor_placement\":{\"strategy\":\"SpreadOverHostsFirst\"}}")
#define REJECT(at, job) EVENT(at, "RejectJob", "\"job_id\":\"w0!" job "\"")

static trial run(const char *session)
{
  static const hc_edc edc = {.is_library = true, .init = ""};
  return run_trial(session, (hc_batsim_options){.remote = {.think = HC_THINK_ANSWER, .edc = &edc}});
}

/* Registrations of the first answer are taken at 2, 3 and 4, where the job is said back; it starts at 5 and
 * takes 2 x 3 s. That it has ended is told at 13, behind the farewell of the submitter. */
static void test_registered(void **state)
{
#define P PROFILE("0.0", "dyn!p", "\"profile_type\":\"DelayProfile\",\"profile\":{\"delay\":3}")
#define S PROFILE("0.0", "dyn!s", TWICE)
#define X \
  EVENT("0.0", "RegisterJob", \
        "\"job_id\":\"dyn!x\",\"job\":{\"resource_request\":2,\"walltime\":null,\"profile_id\":\"dyn!s\"}")
#define X_TOLD SUBMITTED("4.000000", "dyn!x", "2", "null", "dyn!s", "0.000000", TWICE)
#define X_ENDS \
  EVENT("13.000000", "JobCompleted", \
        "\"job_id\":\"dyn!x\",\"state\":\"COMPLETED_SUCCESSFULLY\",\"return_code\":0")
#define A SUBMITTED("11.000000", "w0!a", "1", "20", "w0!d5", "10.000000", D5)
#define B SUBMITTED("11.000000", "w0!b", "2", "null", "w0!d5", "10.000000", D5)
#define ALL EVENT("12.000000", "AllStaticJobsHaveBeenSubmitted", "")
#define FINISHES EVENT("0.0", "FinishRegistration", "")
  static const char session[] =
      GREETED BEGINS SAYS("0.0", P "," S "," X "," EXECUTE("0.0", "dyn!x", "0-1") "," FINISHES)
          MESSAGE("7.000000", X_TOLD) SAYS("7.0", "") MESSAGE("13.000000", A "," B "," ALL "," X_ENDS)
              SAYS("13.0", REJECT("13.0", "a") "," REJECT("13.0", "b"))
                  MESSAGE("16.000000", EVENT("16.000000", "SimulationEnds", "")) SAYS("16.0", "");
  const trial t = run(session);
  (void)state;
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  is_task(&t, 0, 3, 5, 11, HC_FINAL_COMPLETED);
}

static const refusal wrong[] = {
    {PROFILE("0.0", "p", D5), HC_EPOLICY, "is no \"WORKLOAD!NAME\""},
    {PROFILE("0.0", "w0!d5", D5), HC_EPOLICY, "there is a profile of this name"},
    {PROFILE("0.0", "dyn!p", "\"profile_type\":1,\"profile\":{}"), HC_EPOLICY, "no name of a type"},
    {PROFILE("0.0", "dyn!p", "\"profile_type\":\"DelayProfile\",\"profile\":{}"), HC_EINPUT,
     "profile \"dyn!p\""},
    {EVENT("0.0", "RegisterProfile", ""), HC_EPOLICY, "it has no object `profile`"},
    {EVENT("0.0", "RegisterJob", "\"job_id\":\"dyn!x\""), HC_EPOLICY, "it has no object `job`"},
    {EVENT("0.0", "RegisterJob",
           "\"job_id\":\"dyn!x\",\"job\":{\"resource_request\":1,\"profile_id\":\"dyn!p\"}"),
     HC_EPOLICY, "a profile that there is not"},
};

static void test_wrong(void **state)
{
  char session[8192];
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    (void)snprintf(session, sizeof session, "%s%s< 0 {\"now\":0.0,\"events\":[%s]}\n", GREETED, BEGINS,
                   wrong[i].answer);
    const trial t = run(session);
    is_refused(&t, &wrong[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registered),
      cmocka_unit_test(test_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
