/* test_edc.c -- sessions with a decision component of Batsim 5, word for word, from records: what is said,
 * when, and what comes of each answer, right or wrong; and shared objects that misbehave. Machines, jobs and
 * times are those of trial.h. */
#define TRIAL "remote_edc"
#define TRIAL_OF_B ", \"extra_data\": {\"k\": [1, \"x\"]}"
#define TRIAL_PROFILES \
  ", \"p\": {\"type\": \"parallel\", \"cpu\": [1e9, 2], \"com\": [0, 1, 2, 0]}" \
  ", \"t\": {\"type\": \"parallel_homogeneous_total\", \"cpu\": 5, \"com\": 6}" \
  ", \"s\": {\"type\": \"composed\", \"repeat\": 2, \"seq\": [\"d5\", \"p\"]}" \
  ", \"io\": {\"type\": \"parallel_homogeneous_pfs\", \"bytes_to_read\": 1, \"bytes_to_write\": 2, " \
  "\"host\": \"disk\"}" \
  ", \"u\": {\"type\": \"usage_trace\", \"trace\": \"u.txt\"}" \
  ", \"h\": {\"type\": \"ParallelTaskHomogeneousProfile\", \"cpu\": 5, \"com\": 6, " \
  "\"generation_strategy\": \"DefinedAmountsSpreadUniformly\"}" \
  ", \"m\": {\"type\": \"TraceReplayProfile\", \"trace_type\": \"SMPI\", \"filename\": \"m.txt\"}" \
  ", \"r\": {\"type\": \"recv\"}"
#define TRIAL_HOST \
  ", attributes: [flops=2000000000, 'flops_per_state=2Gf, 500.5Mf,1e-3f', rack=r1]"
#include "trial.h"

#define EVENT(at, type, data) "{\"timestamp\":" at ",\"event_type\":\"" type "Event\",\"event\":{" data "}}"
#define SAYS(now, events) "< 0 {\"now\":" now ",\"events\":[" events "]}\n"
#define MESSAGE(now, events) "> {\"now\":" now ",\"events\":[" events "]}\n"
#define HELLO(version, features) \
  SAYS("0.0", \
       EVENT("0.0", "EDCHello", \
             "\"batprotocol_version\":\"" version "\",\"decision_component_name\":\"x\"," \
             "\"decision_component_version\":\"1\",\"requested_simulation_features\":{" features "}"))
#define GREETING "> {\"edc_init\":\"mine: \\\"1\\\"\\n\"}\n"
#define HOST(id) \
  "{\"id\":" id ",\"name\":\"m-" id "\",\"pstate\":0,\"computation_speed\":[2000000000,500500000," \
  "0.001],\"pstate_count\":3," \
  "\"state\":\"IDLE\",\"properties\":[{\"key\":\"rack\",\"value\":\"r1\"}],\"zone_properties\":[]," \
  "\"core_count\":1}"
#define BEGINS(version, profiles) \
  MESSAGE( \
      "0.000000", \
      EVENT("0.000000", "SimulationBegins", \
            "\"host_number\":2,\"computation_host_number\":2,\"computation_hosts\":[" HOST("0") "," HOST( \
                "1") "],\"storage_host_number\":0,\"storage_hosts\":[],\"batsim_arguments\":[\"batsim\"]," \
                     "\"batsim_execution_context_json\":\"{}\"," version \
                     "\"workloads\":[{\"name\":\"w0\",\"filename\":\"" WORKLOAD "\"}]" profiles)) \
  SAYS("0.0", "")
#define OF_1 "\"batsim_version\":\"5.0.0 (hindcast)\","
#define JOB(id, res, walltime, extra, rigid, more) \
  "\"job_id\":\"w0!" id "\",\"job\":{\"resource_request\":" res ",\"walltime\":" walltime \
  ",\"extra_data\":\"" extra "\"," rigid "\"profile_id\":\"w0!d5\"},\"submission_time\":10.000000" more
#define EXTRA "{\\\"k\\\":[1,\\\"x\\\"]}"
#define ALL_TOLD(rigid, without, more) \
  MESSAGE("12.000000", \
          EVENT("11.000000", "JobSubmitted", JOB("a", "1", "20", "", rigid, more)) "," EVENT( \
              "11.000000", "JobSubmitted", \
              JOB("b", "2", without, EXTRA, rigid, more)) "," EVENT("12.000000", \
                                                                    "AllStaticJobsHaveBeenSubmit" \
                                                                    "ted", \
                                                                    ""))
#define FIRST GREETING HELLO("1.0.0", "") BEGINS(OF_1, "") ALL_TOLD("", "null", "")
#define SPREAD \
  "\"executor_placement_type\":\"PredefinedExecutorPlacementStrategyWrapper\",\"executor_placement\":{" \
  "\"strategy\":\"SpreadOverHostsFirst\"}"
#define ON(job, hosts, placement) \
  "\"job_id\":\"w0!" job "\",\"allocation\":{\"host_allocation\":\"" hosts "\"" placement "}"
#define EXECUTE(at, job, hosts) EVENT(at, "ExecuteJob", ON(job, hosts, "," SPREAD))
#define REJECT(at, job) EVENT(at, "RejectJob", "\"job_id\":\"w0!" job "\"")
#define COMPLETED(at, job, state, code) \
  EVENT(at, "JobCompleted", \
        "\"job_id\":\"w0!" job "\",\"state\":\"COMPLETED_" state "\",\"return_code\":" code)
#define CALLED(at, id, is_last) \
  EVENT(at, "RequestedCall", "\"call_me_later_id\":\"" id "\",\"last_periodic_call\":" is_last)
#define CALL(at, id, type, when) \
  EVENT(at, "CallMeLater", "\"call_me_later_id\":\"" id "\",\"when_type\":\"" type "\",\"when\":{" when "}")
#define ENDS(at) MESSAGE(at, EVENT(at, "SimulationEnds", "")) SAYS(at, "")

static const char *const arguments[] = {"batsim"};
static const char init[] = "mine: \"1\"\n";
static const hc_edc component = {
    .init = init, .init_size = sizeof init - 1, .arguments = arguments, .argument_count = 1};

static trial run(const char *session, hc_remote_think think, hc_time think_time)
{
  return run_trial(
      session, (hc_batsim_options){.remote = {.edc = &component, .think = think, .think_time = think_time}});
}

static trial right(const char *session)
{
  trial t = run(session, HC_THINK_ANSWER, 0);
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  return t;
}

/* ---- what goes well ---- */

static void test_two_jobs(void **state)
{
  static const char session[] = FIRST SAYS("12.0", EXECUTE("12.0", "a", "0"))
      MESSAGE("19.000000", COMPLETED("19.000000", "a", "SUCCESSFULLY", "0"))
          SAYS("19.0", EXECUTE("19.0", "b", "1 0"))
              MESSAGE("26.000000", COMPLETED("26.000000", "b", "SUCCESSFULLY", "0")) SAYS("26.0", "")
                  ENDS("27.000000");
  const trial t = right(session);
  (void)state;
  assert_int_equal(t.count, 2);
  is_task(&t, 0, 1, 13, 18, HC_FINAL_COMPLETED);
  is_task(&t, 1, 2, 20, 25, HC_FINAL_COMPLETED);
  assert_int_equal(t.report.messages, 6); /* the greeting is one */
  assert_int_equal(t.report.executed, 2);
}

/* Profiles as tables of their types, at the beginning and with each job; one that Batsim 5 does not have is
 * left out. */
static void test_profiles(void **state)
{
#define DELAY "{\"id\":\"w0!d5\",\"profile_type\":\"DelayProfile\",\"profile\":{\"delay\":5}}"
#define PROFILES \
  ",\"profiles\":[" DELAY \
  ",{\"id\":\"w0!p\",\"profile_type\":\"ParallelTaskProfile\",\"profile\":{\"computation_vector\":[1e9,2]," \
  "\"communication_matrix\":[0,1,2,0]}}" \
  ",{\"id\":\"w0!t\",\"profile_type\":\"ParallelTaskHomogeneousProfile\",\"profile\":{\"computation_" \
  "amount\":5,\"communication_amount\":6,\"generation_strategy\":\"DefinedAmountsSpreadUniformly\"}}" \
  ",{\"id\":\"w0!s\",\"profile_type\":\"SequentialCompositionProfile\",\"profile\":{\"repetition_count\":2," \
  "\"profile_ids\":[\"w0!d5\",\"w0!p\"]}}" \
  ",{\"id\":\"w0!io\",\"profile_type\":\"ParallelTaskOnStorageHomogeneousProfile\",\"profile\":{\"storage_" \
  "name\":\"disk\",\"bytes_to_read\":1,\"bytes_to_write\":2,\"generation_strategy\":" \
  "\"DefinedAmountsUsedForEachValue\"}}" \
  ",{\"id\":\"w0!u\",\"profile_type\":\"TraceReplayProfile\",\"profile\":{\"filename\":\"u.txt\"," \
  "\"trace_type\":\"FractionalComputation\"}}" \
  ",{\"id\":\"w0!h\",\"profile_type\":\"ParallelTaskHomogeneousProfile\",\"profile\":{\"computation_" \
  "amount\":5,\"communication_amount\":6,\"generation_strategy\":\"DefinedAmountsSpreadUniformly\"}}" \
  ",{\"id\":\"w0!m\",\"profile_type\":\"TraceReplayProfile\",\"profile\":{\"filename\":\"m.txt\"," \
  "\"trace_type\":\"SMPI\"}}]"
  static const char session[] = GREETING HELLO(
      "1.0.0", "\"forward_profiles_on_job_submission\":true,\"forward_profiles_on_simulation_begins\":true,"
               "\"profile_reuse\":true,\"dynamic_registration\":false") BEGINS(OF_1, PROFILES)
      ALL_TOLD("", "null", ",\"profile\":" DELAY) SAYS("12.0", REJECT("12.0", "a") "," REJECT("12.0", "b"))
          ENDS("15.000000");
  const trial t = right(session);
  (void)state;
  assert_int_equal(t.report.rejected, 2);
}

/* batprotocol 0 has `rigid`, -1 for no walltime, and no member for the simulator's version. */
static void test_early(void **state)
{
  static const char session[] =
      GREETING HELLO("0.1.0+unknown", "") BEGINS("", "") ALL_TOLD("\"rigid\":true,", "-1.0", "")
          SAYS("12.0", REJECT("12.0", "a") "," REJECT("12.0", "b")) ENDS("15.000000");
  (void)state;
  (void)right(session);
}

/* As in version 4: killed at 16, after 3 of 5 s. Codes are unsigned. */
static void test_kill(void **state)
{
#define KILLED(at) \
  EVENT( \
      at, "JobsKilled", \
      "\"job_ids\":[\"w0!a\"],\"progresses\":[{\"job_id\":\"w0!a\",\"wrapper\":{\"kill_progress_type\":" \
      "\"KillProgressAtomicProfile\",\"kill_progress\":{\"profile_id\":\"w0!d5\",\"progress\":0.600000}}}]")
  static const char session[] =
      FIRST SAYS("15.5", EXECUTE("12.0", "a", "0") "," EVENT("15.0", "KillJobs", "\"job_ids\":[\"w0!a\"]"))
          MESSAGE("18.000000", COMPLETED("17.000000", "a", "KILLED", "4294967294") "," KILLED("17.000000"))
              SAYS("18.0", REJECT("18.0", "b")) ENDS("20.000000");
  const trial t = right(session);
  (void)state;
  is_task(&t, 0, 1, 13, 16, HC_FINAL_KILLED);
  assert_int_equal(t.report.killed, 1);
}

/* A call for 30 s, asked for at 12, is told at 31; one in milliseconds before it. One that comes every 10 s
 * is told at 21, 32, since two come at 30 and that which was asked for first is told first, and 41, where it
 * is the last. One for every 20 s comes at 20 as well, and is stopped then; a stop of a name that no call has
 * is without effect. To ask for the next time takes a message, which goes behind the answer's. */
#define ONCE CALL("12.0", "once", "OneShot", "\"time\":30,\"time_unit\":\"Second\"")
#define IN_MS CALL("12.0", "ms", "OneShot", "\"time\":17500,\"time_unit\":1")
#define OFTEN \
  CALL("12.0", "often", "Periodic", \
       "\"period\":10,\"offset\":0,\"mode_type\":\"FinitePeriodNumber\",\"mode\":{\"nb_periods\":3}")
#define EVER \
  CALL("12.0", "ever", "Periodic", \
       "\"period\":20000,\"time_unit\":\"Millisecond\",\"mode_type\":\"Infinite\",\"mode\":{}")
#define STOP(id) EVENT("22.0", "StopCallMeLater", "\"call_me_later_id\":\"" id "\"")

static void test_calls(void **state)
{
  static const char session[] = FIRST SAYS("12.0", ONCE "," IN_MS "," OFTEN "," EVER)
      MESSAGE("18.500000", CALLED("18.500000", "ms", "false")) SAYS("18.5", "")
          MESSAGE("22.000000", CALLED("21.000000", "often", "false") "," CALLED("22.000000", "ever", "false"))
              SAYS("22.0", STOP("ever") "," STOP("none") "," REJECT("22.0", "a")) MESSAGE(
                  "32.000000", CALLED("31.000000", "once", "false") "," CALLED("32.000000", "often", "false"))
                  SAYS("32.0", EXECUTE("32.0", "b", "0-1"))
                      MESSAGE("39.000000", COMPLETED("39.000000", "b", "SUCCESSFULLY", "0")) SAYS("39.0", "")
                          MESSAGE("41.000000", CALLED("41.000000", "often", "true")) SAYS("41.0", "")
                              ENDS("42.000000");
  const trial t = right(session);
  (void)state;
  assert_int_equal(t.report.calls, 4);
  is_task(&t, 1, 2, 33, 38, HC_FINAL_COMPLETED);
}

/* As in version 4: the answer says 14; no thinking; 3 s of it. */
static void test_thinking(void **state)
{
#define THOUGHT(at, end, next) \
  FIRST SAYS("14.0", EXECUTE("14.0", "a", "0") "," REJECT("14.0", "b")) \
      MESSAGE(at, COMPLETED(at, "a", "SUCCESSFULLY", "0")) SAYS(end, "") ENDS(next)
  (void)state;
  trial t = right(THOUGHT("21.000000", "21.0", "22.000000"));
  is_task(&t, 1, 1, 15, 20, HC_FINAL_COMPLETED);
  t = run(THOUGHT("19.000000", "19.0", "20.000000"), HC_THINK_NONE, 0);
  assert_int_equal(t.rc, 0);
  is_task(&t, 1, 1, 13, 18, HC_FINAL_COMPLETED);
  t = run(THOUGHT("22.000000", "22.0", "26.000000"), HC_THINK_FIXED, 3 * HC_SECOND);
  assert_int_equal(t.rc, 0);
  is_task(&t, 1, 1, 16, 21, HC_FINAL_COMPLETED);
}

/* Placements that leave executors where they are, values of enumerations as numbers, and what is without
 * effect. */
static void test_harmless(void **state)
{
  static const char *const fine[] = {
      ON("b", "0-1", "," SPREAD) ",\"profile_allocation_override\":[],\"storage_placement\":[]",
      ON("b", "0-1", ",\"executor_placement_type\":1,\"executor_placement\":{\"strategy\":0}"),
      ON("b", "0-1", ",\"executor_placement_type\":1"),
      ON("b", "0-1",
         ",\"executor_placement_type\":\"CustomExecutorToHostMapping\",\"executor_placement\":{"
         "\"mapping\":[0,1]}"),
      ON("b", "0-1", "," SPREAD) ",\"profile_allocation_override\":null,\"storage_placement\":null",
  };
  char session[8192];
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(fine); i++) {
    (void)snprintf(session, sizeof session,
                   "%s< 0 {\"now\":12.0,\"events\":[{\"timestamp\":12.0,\"event_type\":\"ExecuteJobEvent\","
                   "\"event\":{%s}},%s",
                   FIRST, fine[i],
                   EVENT("12.0", "FinishRegistration", "") "," REJECT("12.0", "a") "]}\n" MESSAGE(
                       "19.000000", COMPLETED("19.000000", "b", "SUCCESSFULLY", "0")) SAYS("19.0", "")
                       ENDS("20.000000"));
    const trial t = right(session);
    is_task(&t, 1, 2, 13, 18, HC_FINAL_COMPLETED);
  }
}

/* ---- what does not ---- */

#define AT_12(events) SAYS("12.0", events)
#define ON_B(placement) AT_12(EVENT("12.0", "ExecuteJob", ON("b", "0-1", placement)))
#define WHEN(type, when) AT_12(CALL("12.0", "c", type, when))

static const refusal hostile[] = {
    {"< 0 \n", HC_EPOLICY, "is no object of JSON"},
    {AT_12("{\"timestamp\":12.0,\"type\":\"RejectJobEvent\",\"data\":{}}"), HC_EPOLICY, "`event_type`"},
    {AT_12("{\"timestamp\":12.0,\"event_type\":\"RejectJobEvent\"}"), HC_EPOLICY, "an object `event`"},
    {AT_12(EVENT("12.0", "Dance", "")), HC_EPOLICY, "of a type that components of Batsim 5 do not send"},
    {AT_12(EVENT("12.0", "JobSubmitted", "")), HC_EPOLICY, "do not send"},
    {AT_12(EXECUTE("12.0", "z", "0")), HC_EPOLICY, "ExecuteJobEvent of w0!z: the workload has no such job"},
    {AT_12(EXECUTE("12.0", "a", "0-1")), HC_EPOLICY, "it gets 2 machines and asks for 1"},
    {AT_12(EXECUTE("12.0", "a", "2")), HC_EPOLICY, "\"2\" is no set of the machines 0-1"},
    {AT_12(EXECUTE("12.0", "a", "0") "," EXECUTE("12.0", "b", "0-1")), HC_EPOLICY, "machine 0 is not free"},
    {AT_12(EVENT("12.0", "ExecuteJob", "\"job_id\":\"w0!a\"")), HC_EPOLICY, "no `allocation`"},
    {AT_12(EVENT("12.0", "ExecuteJob", "\"job_id\":\"w0!a\",\"allocation\":{}")), HC_EPOLICY,
     "no `allocation` with a text"},
    {ON_B(""), HC_EPOLICY, "no `executor_placement_type` that is known"},
    {ON_B(",\"executor_placement_type\":\"Elsewhere\""), HC_EPOLICY, "no `executor_placement_type`"},
    {ON_B(",\"executor_placement_type\":0"), HC_EPOLICY, "no `executor_placement_type`"},
    {ON_B(",\"executor_placement_type\":1,\"executor_placement\":[]"), HC_EPOLICY, "is no object"},
    {ON_B(",\"executor_placement_type\":1,\"executor_placement\":{\"strategy\":\"Elsewhere\"}"), HC_EPOLICY,
     "a `strategy` that is not known"},
    {ON_B(",\"executor_placement_type\":1,\"executor_placement\":{\"strategy\":\"FillOneHostCoresFirst\"}"),
     HC_EUNSUPPORTED, "several executors on a machine"},
    {ON_B(",\"executor_placement_type\":2,\"executor_placement\":{\"mapping\":[1,0]}"), HC_EUNSUPPORTED,
     "mapped to other machines"},
    {ON_B(",\"executor_placement_type\":2,\"executor_placement\":{\"mapping\":[0]}"), HC_EPOLICY,
     "number of executors"},
    {ON_B(",\"executor_placement_type\":2,\"executor_placement\":{\"mapping\":[\"0\",\"1\"]}"), HC_EPOLICY,
     "no list of numbers"},
    {ON_B(",\"executor_placement_type\":2,\"executor_placement\":{}"), HC_EPOLICY, "no list `mapping`"},
    {AT_12(EVENT("12.0", "ExecuteJob",
                 ON("a", "0", "," SPREAD) ",\"profile_allocation_override\":[{\"profile_id\":\"w0!d5\"}]")),
     HC_EUNSUPPORTED, "parts of a profile"},
    {AT_12(
         EVENT("12.0", "ExecuteJob",
               ON("a", "0", "," SPREAD) ",\"storage_placement\":[{\"storage_name\":\"pfs\",\"host_id\":2}]")),
     HC_EUNSUPPORTED, "not just one storage host"},
    {AT_12(EVENT("12.0", "ExecuteJob", ON("a", "0", "," SPREAD) ",\"storage_placement\":{}")), HC_EPOLICY,
     "`storage_placement` is no list"},
    {AT_12(EVENT("12.0", "KillJobs", "\"job_ids\":[\"w0!a\"]")), HC_EPOLICY, "it does not run"},
    {AT_12(EVENT("12.0", "KillJobs", "\"job_ids\":[]")), HC_EPOLICY, "no list `job_ids`"},
    {WHEN("OneShot", "\"time\":3"), HC_EPOLICY, "CallMeLaterEvent of c: its time has passed"},
    {WHEN("OneShot", "\"time\":-3"), HC_EPOLICY, "not whole numbers"},
    {WHEN("OneShot", "\"time\":9223372036854775807"), HC_EPOLICY, "later than there is any"},
    {WHEN("OneShot", "\"time\":30.5"), HC_EPOLICY, "not whole numbers"},
    {WHEN("Never", "\"time\":30"), HC_EPOLICY, "neither OneShot nor Periodic"},
    {WHEN("OneShot", "\"time\":30,\"time_unit\":\"Year\""), HC_EPOLICY, "unit of time"},
    {WHEN("Periodic", "\"period\":10"), HC_EPOLICY, "neither Infinite nor"},
    {WHEN("Periodic", "\"period\":0,\"mode_type\":\"Infinite\""), HC_EPOLICY, "its `period` is 0"},
    {WHEN("Periodic", "\"period\":5,\"offset\":1,\"mode_type\":\"Infinite\""), HC_EPOLICY,
     "`offset` is not 0"},
    {WHEN("Periodic", "\"period\":5,\"mode_type\":\"FinitePeriodNumber\",\"mode\":{}"), HC_EPOLICY,
     "`nb_periods` is 0"},
    {AT_12(CALL("12.0", "c", "Periodic", "\"period\":5,\"mode_type\":1") "," CALL(
         "12.0", "c", "Periodic", "\"period\":6,\"mode_type\":1")),
     HC_EPOLICY, "has this name"},
    {AT_12(EVENT("12.0", "CallMeLater", "\"when_type\":\"OneShot\",\"when\":{\"time\":30}")), HC_EPOLICY,
     "no text `call_me_later_id`"},
    {AT_12(EVENT("12.0", "ChangeHostsPState", "\"host_ids\":\"0\",\"pstate\":1")), HC_EUNSUPPORTED,
     "where energy is counted: say --energy"},
    {AT_12(EVENT("12.0", "TurnOnOffHosts", "\"host_ids\":\"0\",\"state\":1")), HC_EUNSUPPORTED,
     "where energy is counted: say --energy"},
    {AT_12(EVENT("12.0", "RegisterJob", "\"job_id\":\"dyn!1\",\"job\":{}")), HC_EUNSUPPORTED,
     "RegisterJobEvent of dyn!1: it has not said that it would (dynamic_registration)"},
    {AT_12(EVENT("12.0", "RegisterProfile", "\"profile\":{}")), HC_EUNSUPPORTED, "dynamic_registration"},
    {AT_12(EVENT("12.0", "CreateProbe", "\"probe_id\":\"p\"")), HC_EUNSUPPORTED, "when the run is over"},
    {AT_12(EVENT("12.0", "ForceSimulationStop", "")), HC_EUNSUPPORTED, "a run goes on to its end"},
    {AT_12(EVENT("12.0", "EDCHello", "")), HC_EPOLICY, "said hello already"},
    {AT_12(""), HC_EPOLICY, "neither started nor rejected 2 jobs, of which w0!a is the first"},
};

static void test_hostile(void **state)
{
  char session[8192];
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(hostile); i++) {
    (void)snprintf(session, sizeof session, "%s%s", FIRST, hostile[i].answer);
    const trial t = run(session, HC_THINK_ANSWER, 0);
    is_refused(&t, &hostile[i]);
  }
}

/* What a component says first. */
static void test_hello(void **state)
{
  static const struct {
    const char *answer;
    hc_rc rc;
    const char *says;
  } all[] = {
      {SAYS("0.0", ""), HC_EPOLICY, "is not one EDCHelloEvent"},
      {SAYS("0.0", REJECT("0.0", "a")), HC_EPOLICY, "is not one EDCHelloEvent"},
      {SAYS("0.0", EVENT("0.0", "EDCHello", "\"requested_simulation_features\":[]")), HC_EPOLICY,
       "no objects"},
      {HELLO("1.0.0", "\"forward_profiles_on_jobs_killed\":true"), HC_EUNSUPPORTED, "on_jobs_killed"},
      {HELLO("0.1.0", "\"forward_profiles_on_job_submission\":true"), HC_EUNSUPPORTED, "has no member"},
      {SAYS("0.0", EVENT("0.0", "EDCHello", "\"scheduling_constraints\":{\"compute_sharing\":true}")),
       HC_EUNSUPPORTED, "asks for compute_sharing"},
      {SAYS("0.0", EVENT("0.0", "EDCHello", "\"scheduling_constraints\":{\"storage_sharing\":false}")),
       HC_EUNSUPPORTED, "forbids storage_sharing"},
  };
  char session[1024];
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++) {
    (void)snprintf(session, sizeof session, "%s%s", GREETING, all[i].answer);
    const trial t = run(session, HC_THINK_ANSWER, 0);
    if (t.rc != all[i].rc || !strstr(t.error.text, all[i].says))
      fail_msg("%s comes to %d, \"%s\"", all[i].answer, t.rc, t.error.text);
  }
}

/* A call that is never stopped would be all that happens, for ever. */
static void test_for_ever(void **state)
{
  const size_t size = (size_t)32 << 20;
  char *session = malloc(size);
  (void)state;
  assert_non_null(session);
  size_t n =
      (size_t)snprintf(session, size, "%s",
                       FIRST SAYS("12.0", REJECT("12.0", "a") "," REJECT("12.0", "b") "," CALL(
                                              "12.0", "c", "Periodic", "\"period\":10,\"mode_type\":1")));
  for (unsigned k = 0; k < 100000; k++)
    n += (size_t)snprintf(
        session + n, size - n,
        "> {\"now\":%u.000000,\"events\":[{\"timestamp\":%u.000000,\"event_type\":"
        "\"RequestedCallEvent\",\"event\":{\"call_me_later_id\":\"c\",\"last_periodic_call\":"
        "false}}]}\n< 0 {\"now\":0%u.0,\"events\":[]}\n",
        21 + 10 * k, 21 + 10 * k, 21 + 10 * k);
  const trial t = run(session, HC_THINK_NONE, 0);
  free(session);
  assert_int_equal(t.rc, HC_EPOLICY);
  if (!strstr(t.error.text, "its call c is all that happens, again and again"))
    fail_msg("%s", t.error.text);
}

/* ---- shared objects ---- */

static void test_libraries(void **state)
{
  static const struct {
    const char *library, *init;
    hc_rc rc;
    const char *says;
  } all[] = {
      {"./edc_nothing.so", "", HC_EUSAGE, "cannot be loaded"},
      {"./edc_half.so", "", HC_EUSAGE, "no function batsim_edc_take_decisions"},
      {"./edc_fixture.so", "no init", HC_EPOLICY, "batsim_edc_init has failed: it returned 3"},
      {"./edc_fixture.so", "binary", HC_EUNSUPPORTED, "it wants binary messages"},
      {"./edc_fixture.so", "flags", HC_EPOLICY, "its flags are 28"},
      {"./edc_fixture.so", "no hello", HC_EPOLICY, "given no message: its buffer is NULL"},
      {"./edc_fixture.so", "no decision", HC_EPOLICY, "batsim_edc_take_decisions has failed: it returned 4"},
      {"./edc_fixture.so", "no answer", HC_EPOLICY, "given no message: its buffer is NULL"},
      {"./edc_fixture.so", "empty", HC_EPOLICY, "its buffer is empty"},
      {"./edc_fixture.so", "much", HC_EPOLICY, "has 4000 bytes, and may have 1000"},
      {"./edc_fixture.so", "fine", HC_EPOLICY,
       "a time `now` before that of the message"}, /* its second answer */
  };
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++) {
    const hc_edc edc = {.is_library = true, .init = all[i].init, .init_size = (uint32_t)strlen(all[i].init)};
    const trial t = run_trial(
        NULL, (hc_batsim_options){.remote = {.endpoint = all[i].library, .edc = &edc, .most = 1000}});
    if (t.rc != all[i].rc || !strstr(t.error.text, all[i].says))
      fail_msg("%s %s comes to %d, \"%s\"", all[i].library, all[i].init, t.rc, t.error.text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_jobs), cmocka_unit_test(test_profiles),  cmocka_unit_test(test_early),
      cmocka_unit_test(test_kill),     cmocka_unit_test(test_calls),     cmocka_unit_test(test_thinking),
      cmocka_unit_test(test_harmless), cmocka_unit_test(test_hostile),   cmocka_unit_test(test_hello),
      cmocka_unit_test(test_for_ever), cmocka_unit_test(test_libraries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
