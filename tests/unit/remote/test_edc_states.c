/* test_edc_states.c -- components of Batsim 5 turn machines off and on, and are told of external events:
 * sessions word for word, from records.
 * Machines, jobs and times are those of trial.h; states of power those of test_batsim_states.c. What is
 * refused is what the tests of Batsim 5 (machine-switcher) expect to fail. */
#define TRIAL "remote_edc_states"
#define TRIAL_HOST \
  ", attributes: ['flops=100000000', 'flops_per_state=100Mf, 50Mf, 1e-9Mf, 0.5f, 0.25f', " \
  "'sleep_pstates=2:3:4', 'wattage_per_state=100:100:200, 90:90:150, 10:10:10, 120:120:130, 140:140:160']"
#define TRIAL_OF_B ""
#define TRIAL_PROFILES ""
#define TRIAL_ASKS "may_preempt, may_power"
#define TRIAL_MESSAGES ", incidents: true"
#define TRIAL_MORE "power: {use: simgrid, sleeps: true}\nmetrics: [energy]\n"
#include "trial.h"

#define EVENT(at, type, data) "{\"timestamp\":" at ",\"event_type\":\"" type "Event\",\"event\":{" data "}}"
#define SAYS(now, events) "< 0 {\"now\":" now ",\"events\":[" events "]}\n"
#define MESSAGE(now, events) "> {\"now\":" now ",\"events\":[" events "]}\n"
#define GREETED \
  "> {\"edc_init\":\"\"}\n" SAYS("0.0", EVENT("0.0", "EDCHello", "\"batprotocol_version\":\"1.0.0\""))
#define HOST(id) \
  "{\"id\":" id ",\"name\":\"m-" id "\",\"pstate\":0,\"computation_speed\":[100000000,50000000,0.001," \
  "0.5,0.25],\"pstate_count\":5,\"state\":\"IDLE\",\"properties\":[{\"key\":\"sleep_pstates\"," \
  "\"value\":\"2:3:4\"},{\"key\":\"wattage_per_state\",\"value\":\"100:100:200, 90:90:150, 10:10:10, " \
  "120:120:130, 140:140:160\"}],\"zone_properties\":[],\"core_count\":1}"
#define BEGINS \
  MESSAGE( \
      "0.000000", \
      EVENT("0.000000", "SimulationBegins", \
            "\"host_number\":2,\"computation_host_number\":2,\"computation_hosts\":[" HOST("0") "," HOST( \
                "1") "],\"storage_host_number\":0,\"storage_hosts\":[],\"batsim_arguments\":[]," \
                     "\"batsim_execution_context_json\":\"{}\",\"batsim_version\":\"5.0.0 (hindcast)\"," \
                     "\"workloads\":[{\"name\":\"w0\",\"filename\":\"" WORKLOAD "\"}]")) \
  SAYS("0.0", "")
#define JOB(id, res, walltime) \
  EVENT("11.000000", "JobSubmitted", \
        "\"job_id\":\"w0!" id "\",\"job\":{\"resource_request\":" res ",\"walltime\":" walltime \
        ",\"extra_data\":\"\",\"profile_id\":\"w0!d5\"},\"submission_time\":10.000000")
#define FIRST \
  GREETED BEGINS MESSAGE("12.000000", JOB("a", "1", "20") "," JOB("b", "2", "null") "," EVENT( \
                                          "12.000000", "AllStaticJobsHaveBeenSubmitted", ""))
#define EXECUTE(at, job, hosts) \
  EVENT(at, "ExecuteJob", \
        "\"job_id\":\"w0!" job "\",\"allocation\":{\"host_allocation\":\"" hosts \
        "\",\"executor_placement_type\":\"PredefinedExecutorPlacementStrategyWrapper\"," \
        "\"executor_placement\":{\"strategy\":\"SpreadOverHostsFirst\"}}")
#define TURN(at, hosts, state) EVENT(at, "TurnOnOffHosts", "\"host_ids\":\"" hosts "\",\"state\":" state)
#define PSTATE(at, hosts, state) \
  EVENT(at, "ChangeHostsPState", "\"host_ids\":\"" hosts "\",\"pstate\":" state)
#define COMPLETED(at, job) \
  EVENT(at, "JobCompleted", \
        "\"job_id\":\"w0!" job "\",\"state\":\"COMPLETED_SUCCESSFULLY\",\"return_code\":0")
#define ENDS(at) MESSAGE(at, EVENT(at, "SimulationEnds", "")) SAYS(at, "")

static trial run(const char *session)
{
  static const hc_edc edc = {.is_library = true, .init = ""};
  return run_trial(session, (hc_batsim_options){.remote = {.think = HC_THINK_ANSWER, .edc = &edc}});
}

/* Times are those of test_batsim_states.c; that a state stays what it is is told, too. */
static void test_turn_off_and_on(void **state)
{
  static const char session[] = FIRST SAYS("12.0", TURN("12.0", "1", "2") "," EXECUTE("12.0", "a", "0"))
      MESSAGE("16.000000", EVENT("16.000000", "HostsTurnedOnOff", "\"host_ids\":\"1\",\"state\":2"))
          SAYS("16.0", TURN("16.0", "1", "0") "," PSTATE("16.0", "0", "0")) MESSAGE(
              "19.000000", EVENT("18.000000", "HostsPStateChanged", "\"host_ids\":\"0\",\"pstate\":0"))
              SAYS("19.0", "") MESSAGE("21.000000", COMPLETED("20.000000", "a"))
                  SAYS("21.0", EXECUTE("21.0", "b", "0-1")) MESSAGE(
                      "24.000000", EVENT("22.000000", "HostsTurnedOnOff", "\"host_ids\":\"1\",\"state\":0"))
                      SAYS("24.0", "") MESSAGE("29.000000", COMPLETED("29.000000", "b")) SAYS("29.0", "")
                          ENDS("30.000000");
  const trial t = run(session);
  (void)state;
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  is_task(&t, 0, 1, 14, 19, HC_FINAL_COMPLETED);
  is_task(&t, 1, 2, 23, 28, HC_FINAL_COMPLETED);
  assert_true(t.energy == 5220);
}

/* Told by 6, and by 7 that there are no more; texts as they stand. */
static void test_external_events(void **state)
{
#define EVENTS TRIAL "_events.txt"
  static const hc_edc edc = {.is_library = true, .init = ""};
  static const char *const files[] = {EVENTS};
#define OCCURRED(id, data) \
  EVENT("6.000000", "ExternalEventOccurred", \
        "\"id\":\"ee0!" id "\",\"external_event_type\":\"GenericExternalEvent\",\"external_event\":{" \
        "\"data\":\"" data "\"}")
  static const char session[] =
      GREETED BEGINS MESSAGE("7.000000", OCCURRED("0", "a \\\"b\\\" c") "," OCCURRED("1", "second") "," EVENT(
                                             "7.000000", "AllStaticExternalEventsHaveBeenInjected", ""))
          SAYS("7.0", "") MESSAGE("12.000000", JOB("a", "1", "20") "," JOB("b", "2", "null") "," EVENT(
                                                   "12.000000", "AllStaticJobsHaveBeenSubmitted", ""))
              SAYS("12.0", EVENT("12.0", "RejectJob", "\"job_id\":\"w0!a\"") "," EVENT(
                               "12.0", "RejectJob", "\"job_id\":\"w0!b\"")) ENDS("15.000000");
  (void)state;
  write_file(EVENTS, "{\"type\": \"generic\", \"timestamp\": 5, \"data\": \"a \\\"b\\\" c\"}\n"
                     "{\"type\": \"generic\", \"timestamp\": 5, \"data\": \"second\"}\n");
  const trial t = run_trial(session, (hc_batsim_options){.remote = {.think = HC_THINK_ANSWER, .edc = &edc},
                                                         .events = files,
                                                         .event_count = 1});
  (void)unlink(EVENTS);
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
}

static const refusal refused[] = {
    {TURN("12.0", "0-1", "0"), HC_EPOLICY, "machine 0 is on already"},
    {TURN("12.0", "0", "2") "," TURN("12.0", "0", "2"), HC_EPOLICY, "machine 0 is being switched already"},
    {EXECUTE("12.0", "a", "0") "," TURN("12.0", "0-1", "2"), HC_EPOLICY,
     "machine 0 cannot sleep: a job is on it"},
    {TURN("12.0", "0-1", "2") "," EXECUTE("12.0", "a", "0"), HC_EPOLICY,
     "machine 0 sleeps, or is being switched"},
    {PSTATE("12.0", "0", "2"), HC_EUNSUPPORTED, "by TurnOnOffHostsEvent alone"},
    {PSTATE("12.0", "0", "1"), HC_EUNSUPPORTED, "machine 0 is to compute at another speed"},
    {PSTATE("12.0", "0", "9"), HC_EPOLICY, "machine 0 has no such state of power"},
};

static void test_refused(void **state)
{
  char session[8192];
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(refused); i++) {
    (void)snprintf(session, sizeof session, "%s< 0 {\"now\":12.0,\"events\":[%s]}\n", FIRST,
                   refused[i].answer);
    const trial t = run(session);
    is_refused(&t, &refused[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turn_off_and_on),
      cmocka_unit_test(test_external_events),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
