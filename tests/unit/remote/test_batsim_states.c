/* test_batsim_states.c -- schedulers of Batsim 4 let machines sleep and wake, and ask for energy: sessions
 * word for word, from records. Machines, jobs and times are those of trial.h.
 *
 * States of power: 0 computes (100 W idle, 200 W busy), so does 1; 2 sleeps (10 W); 3 is the way there, which
 * takes 1 / 0.5 = 2 s at 130 W; 4 the way back, 1 / 0.25 = 4 s at 160 W. */
#define TRIAL "remote_batsim_states"
#define TRIAL_HOST \
  ", attributes: ['flops=100000000', 'flops_per_state=100Mf, 50Mf, 1e-9Mf, 0.5f, 0.25f', " \
  "'sleep_pstates=2:3:4', 'wattage_per_state=100:100:200, 90:90:150, 10:10:10, 120:120:130, 140:140:160']"
#define TRIAL_OF_B ""
#define TRIAL_PROFILES ""
#define TRIAL_ASKS "may_preempt, may_power"
#define TRIAL_MESSAGES ", incidents: true"
#define TRIAL_MORE \
  "power: {use: simgrid, sleeps: true}\n" \
  "metrics: [{use: energy, trace: true}]\n"
#define PROPERTIES \
  "{\"sleep_pstates\":\"2:3:4\",\"wattage_per_state\":\"100:100:200, 90:90:150, 10:10:10, 120:120:130, " \
  "140:140:160\"}"
#include "batsim_words.h"

#define SWITCH(at, machines, state) \
  EVENT(at, "SET_RESOURCE_STATE", "\"resources\":\"" machines "\",\"state\":\"" state "\"")
#define QUERY(at) EVENT(at, "QUERY", "\"requests\":{\"consumed_energy\":{}}")
#define ANSWER(at, joules) EVENT(at, "ANSWER", "\"consumed_energy\":" joules)
#define SWITCHED(at, machines, state) \
  EVENT(at, "RESOURCE_STATE_CHANGED", "\"resources\":\"" machines "\",\"state\":\"" state "\"")
#define COMPLETED(at, job, alloc) \
  EVENT(at, "JOB_COMPLETED", \
        "\"job_id\":\"w0!" job \
        "\",\"job_state\":\"COMPLETED_SUCCESSFULLY\",\"return_code\":0,\"alloc\":\"" alloc "\"")

static trial run(const char *session)
{
  return run_trial(session, (hc_batsim_options){.remote = {.think = HC_THINK_ANSWER}});
}

static trial right(const char *session)
{
  trial t = run(session);
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  return t;
}

/* The switch is taken at 13, the start behind it at 14, the word that it is ready at 15; machine 1 is off at
 * 15, and says so by 16.
 * There it is woken, taken at 17, until 21, and asked for energy, taken at 18: until 13 two machines have
 * drawn 2 x 13 x 100 J, machine 0 then 100 + 4 x 200, machine 1 2 x 130 + 2 x 10 + 160, in all 3,940 J.
 * It is ready at 19. That a ended at 19 is told by 20, ready at 21; that machine 1 is on since 21 goes before
 * the start of b, which is taken at 23. */
static void test_sleep_and_wake(void **state)
{
  static const char session[] = FIRST SAYS("12.0", SWITCH("12.0", "1", "2") "," EXECUTE("12.0", "a", "0"))
      MESSAGE("16.000000", SWITCHED("16.000000", "1", "2"))
          SAYS("16.0", SWITCH("16.0", "1", "0") "," QUERY("16.0"))
              MESSAGE("19.000000", ANSWER("18.000000", "3940.000000")) SAYS("19.0", "")
                  MESSAGE("21.000000", COMPLETED("20.000000", "a", "0"))
                      SAYS("21.0", EXECUTE("21.0", "b", "0-1"))
                          MESSAGE("24.000000", SWITCHED("22.000000", "1", "0")) SAYS("24.0", "")
                              MESSAGE("29.000000", COMPLETED("29.000000", "b", "0-1")) SAYS("29.0", "")
                                  ENDS("30.000000");
  const trial t = right(session);
  (void)state;
  is_task(&t, 0, 1, 14, 19, HC_FINAL_COMPLETED);
  is_task(&t, 1, 2, 23, 28, HC_FINAL_COMPLETED);
  /* from 10 to 28: machine 0 4 x 100 + 5 x 200 + 4 x 100 + 5 x 200; machine 1 3 x 100 + 2 x 130 + 2 x 10 +
   * 4 x 160 + 2 x 100 + 5 x 200 */
  assert_true(t.energy == 2800 + 2420);
}

/* Several machines are one message, taken at 13, and are told of when the last has said that it is off: both
 * are at 15, when the second job has been rejected, and their messages take until 16 and 17. Woken at 19 they
 * are on at 23. What a machine is already (0) is told at once, at 26; 1 is told to sleep at 27. The session
 * goes on until it does, without any task: until 31 both have drawn 2 x (13 x 100 + 2 x 130 + 4 x 10 + 4 x
 * 160 + 4 x 100), then 0 another 400, 1 2 x 130 + 2 x 10. */
static void test_group(void **state)
{
  static const char session[] =
      FIRST SAYS("12.0", SWITCH("12.0", "0-1", "2") "," REJECT("12.0", "a") "," REJECT("12.0", "b"))
          MESSAGE("18.000000", SWITCHED("17.000000", "0-1", "2")) SAYS("18.0", SWITCH("18.0", "1 0", "0"))
              MESSAGE("25.000000", SWITCHED("25.000000", "0-1", "0"))
                  SAYS("25.0", SWITCH("25.0", "0", "0") "," SWITCH("25.0", "1", "2"))
                      MESSAGE("28.000000", SWITCHED("26.000000", "0", "0")) SAYS("28.0", "")
                          MESSAGE("30.000000", SWITCHED("30.000000", "1", "2")) SAYS("30.0", QUERY("30.0"))
                              MESSAGE("32.000000", ANSWER("31.000000", "5960.000000")) SAYS("32.0", "")
                                  ENDS("33.000000");
  const trial t = right(session);
  (void)state;
  assert_int_equal(t.count, 2);
}

/* A machine becomes unavailable while it goes to sleep, by 15, and wakes so, at 23; it cannot sleep again
 * until it is available, by 42.5: its teller woke at 13.5, had told by 15, and woke 26.5 s later. Idle it
 * draws as before: until 44.5 machine 0 has drawn 4,450 J, and machine 1 13 x 100 + 2 x 130 + 4 x 10 +
 * 4 x 160 + 21.5 x 100. */
static void test_unavailable(void **state)
{
#define EVENTS TRIAL "_events.txt"
#define MACHINES(at, word) EVENT(at, "NOTIFY", "\"type\":\"event_machine_" word "\",\"resources\":\"1\"")
#define NO_MORE EVENT("43.500000", "NOTIFY", "\"type\":\"no_more_external_event_to_occur\"")
#define GONE MACHINES("15.000000", "unavailable") "," SWITCHED("17.000000", "1", "2")
#define SLEEPS SWITCH("12.0", "1", "2") "," REJECT("12.0", "a") "," REJECT("12.0", "b")
#define ASLEEP FIRST SAYS("12.0", SLEEPS) MESSAGE("18.000000", GONE)
#define AWAKE \
  ASLEEP SAYS("18.0", SWITCH("18.0", "1", "0")) MESSAGE("24.000000", SWITCHED("24.000000", "1", "0"))
  static const char session[] = AWAKE SAYS("24.0", "")
      MESSAGE("43.500000", MACHINES("42.500000", "available") "," NO_MORE) SAYS("43.5", QUERY("43.5"))
          MESSAGE("45.500000", ANSWER("44.500000", "8840.000000")) SAYS("45.5", "") ENDS("46.500000");
  static const char *const files[] = {EVENTS};
  const hc_batsim_options o = {.remote = {.think = HC_THINK_ANSWER}, .events = files, .event_count = 1};
  (void)state;
  write_file(EVENTS, "{\"type\": \"machine_unavailable\", \"resources\": \"1\", \"timestamp\": 13.5}\n"
                     "{\"type\": \"machine_available\", \"resources\": \"1\", \"timestamp\": 40}\n");
  trial t = run_trial(session, o);
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  t = run_trial(AWAKE SAYS("24.0", SWITCH("24.0", "1", "2")), o);
  (void)unlink(EVENTS);
  assert_int_equal(t.rc, HC_EPOLICY);
  assert_non_null(strstr(t.error.text, "machine 1 is unavailable"));
}

static const refusal refused[] = {
    {SWITCH("12.0", "2", "2"), HC_EPOLICY, "\"2\" is no set of the machines 0-1"},
    {SWITCH("12.0", "", "2"), HC_EPOLICY, "is no set"},
    {SWITCH("12.0", "0", "x"), HC_EPOLICY, "it names no state of power"},
    {SWITCH("12.0", "0", "5"), HC_EPOLICY, "machine 0 has no such state of power"},
    {SWITCH("12.0", "0", "3"), HC_EPOLICY, "machine 0 only passes through this state"},
    {SWITCH("12.0", "0", "1"), HC_EUNSUPPORTED, "machine 0 is to compute at another speed"},
    {SWITCH("12.0", "0", "2") "," SWITCH("12.0", "0-1", "2"), HC_EPOLICY,
     "machine 0 is being switched already"},
    {EXECUTE("12.0", "a", "0") "," SWITCH("12.0", "0", "2"), HC_EPOLICY,
     "machine 0 cannot sleep: a job is on it"},
    {SWITCH("12.0", "0", "2") "," EXECUTE("12.0", "a", "0"), HC_EPOLICY,
     "machine 0 sleeps, or is being switched"},
    {EVENT("12.0", "QUERY", "\"requests\":{\"estimate_waiting_time\":{}}"), HC_EUNSUPPORTED,
     "only consumed_energy can be answered"},
    {EVENT("12.0", "QUERY", ""), HC_EPOLICY, "it has no object `requests`"},
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
      cmocka_unit_test(test_sleep_and_wake),
      cmocka_unit_test(test_group),
      cmocka_unit_test(test_unavailable),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
