/* test_batsim_events.c -- external events of Batsim 4 and 5: sessions word for word, from records. Machines,
 * jobs and times are those of trial.h.
 *
 * Who tells them greets behind the submitter, which is taken at 2, sleeps until an event, tells it by a
 * message, and then sleeps for as long as the next is away from it: so late as the message was. */
#define TRIAL "remote_batsim_events"
#define TRIAL_MESSAGES ", incidents: true"
#define CONFIG_FORWARD "true"
#include "batsim_words.h"

#define EVENTS TRIAL "_events.txt"
#define OTHERS TRIAL "_others.txt"

#define MACHINES(at, word, set) \
  EVENT(at, "NOTIFY", "\"type\":\"event_machine_" word "\",\"resources\":\"" set "\"")
#define NO_MORE(at) EVENT(at, "NOTIFY", "\"type\":\"no_more_external_event_to_occur\"")
#define COMPLETED(at, job, alloc) \
  EVENT(at, "JOB_COMPLETED", \
        "\"job_id\":\"w0!" job \
        "\",\"job_state\":\"COMPLETED_SUCCESSFULLY\",\"return_code\":0,\"alloc\":\"" alloc "\"")

static trial run(const char *session, const char *events, const char *others)
{
  static const char *const files[] = {EVENTS, OTHERS};
  write_file(EVENTS, events);
  if (others) write_file(OTHERS, others);
  const trial t = run_trial(session, (hc_batsim_options){.remote = {.think = HC_THINK_ANSWER},
                                                         .events = files,
                                                         .event_count = others ? 2 : 1,
                                                         .forwards_unknown = true});
  (void)unlink(EVENTS);
  if (others) (void)unlink(OTHERS);
  return t;
}

static trial right(const char *session, const char *events, const char *others)
{
  trial t = run(session, events, others);
  if (t.rc < 0) fail_msg("%s:%u: %s", t.error.where, t.error.line, t.error.text);
  return t;
}

/* Machine 0 is told to be unavailable by 6, with an event of a type of one's own, as it stands. The next is
 * 15 s away: it is told by 22, since the first took a second; behind it that there are no more, by 23. */
static void test_machines(void **state)
{
  static const char events[] =
      "{\"type\": \"machine_available\", \"resources\": \"0\", \"timestamp\": 20}\n"
      "\n"
      "{\"type\": \"mine\", \"timestamp\": 5, \"x\": [1, \"a b\\\" c\"]}\n"
      "{\"type\": \"machine_unavailable\", \"resources\": \"0\", \"timestamp\": 5.0}\n";
  static const char session[] =
      BEGINS MESSAGE("6.000000",
                     MACHINES("6.000000", "unavailable", "0") ",{\"timestamp\":6.000000,\"type\":\"NOTIFY\","
                                                              "\"data\":{\"type\":\"mine\",\"timestamp\":5,"
                                                              "\"x\":[1,\"a b\\\" c\"]}}") SAYS("6.0", "")
          SUBMITTED SAYS("12.0", EXECUTE("12.0", "a", "1"))
              MESSAGE("19.000000", COMPLETED("19.000000", "a", "1")) SAYS("19.0", "")
                  MESSAGE("23.000000", MACHINES("22.000000", "available", "0") "," NO_MORE("23.000000"))
                      SAYS("23.0", EXECUTE("23.0", "b", "0-1"))
                          MESSAGE("30.000000", COMPLETED("30.000000", "b", "0-1")) SAYS("30.0", "")
                              ENDS("31.000000");
  const trial t = right(session, events, NULL);
  (void)state;
  is_task(&t, 0, 1, 13, 18, HC_FINAL_COMPLETED);
  is_task(&t, 1, 2, 24, 29, HC_FINAL_COMPLETED);
}

/* What runs on a machine goes on. A session goes on until all events have happened, those of several files
 * one beside the other: their tellers greet at 2 and 3. The first tells by 16, wakes at 15 + 1 + 15 = 31 and
 * tells behind the farewell of the second, which has told by 31; its own farewell is taken at 34. */
static void test_to_the_end(void **state)
{
  static const char events[] =
      "{\"type\": \"machine_unavailable\", \"resources\": \"1 0\", \"timestamp\": 15}\n"
      "{\"type\": \"machine_available\", \"resources\": \"0-1\", \"timestamp\": 30}\n";
  static const char others[] = "{\"type\":\"x\",\"timestamp\":30}\n";
  static const char session[] =
      BEGINS SUBMITTED SAYS("12.0", EXECUTE("12.0", "a", "1") "," REJECT("12.0", "b"))
          MESSAGE("16.000000", MACHINES("16.000000", "unavailable", "0-1")) SAYS("16.0", "")
              MESSAGE("19.000000", COMPLETED("19.000000", "a", "1")) SAYS("19.0", "") MESSAGE(
                  "34.000000",
                  "{\"timestamp\":31.000000,\"type\":\"NOTIFY\",\"data\":{\"type\":\"x\","
                  "\"timestamp\":30}}," MACHINES("33.000000", "available", "0-1") "," NO_MORE("34.000000"))
                  SAYS("34.0", "") ENDS("35.000000");
  const trial t = right(session, events, others);
  (void)state;
  is_task(&t, 1, 1, 13, 18, HC_FINAL_COMPLETED);
}

static const struct {
  const char *events, *session; /* NULL: it fails before anything is said */
  hc_rc rc;
  uint32_t line;
  const char *says;
} wrong[] = {
    {"{\"type\": \"x\"}\n", NULL, HC_EINPUT, 1, "a text `type` and a `timestamp` in seconds"},
    {"\n[]\n", NULL, HC_EINPUT, 2, "an object of JSON, in a line of its own"},
    {"{\"type\": \"x\", \"timestamp\": 1} {}\n", NULL, HC_EINPUT, 1, "an object of JSON"},
    {"{\"type\": \"x\", \"timestamp\": -1}\n", NULL, HC_EINPUT, 1, "from 0 on"},
    {"{\"type\": \"machine_available\", \"timestamp\": 1}\n", NULL, HC_EINPUT, 1, "has a text `resources`"},
    {"{\"type\": \"machine_available\", \"resources\": \"2\", \"timestamp\": 1}\n", NULL, HC_EINPUT, 1,
     "`resources` is no set of machines that there are"},
    {"{\"type\": \"machine_available\", \"resources\": \"0\", \"timestamp\": 1}\n", BEGINS, HC_EINPUT, 0,
     "at t=1 s machine 0 becomes available, and is so already"},
    /* told by 13, and by 14 that there are no more */
    {"{\"type\": \"machine_unavailable\", \"resources\": \"0\", \"timestamp\": 11.5}\n",
     BEGINS MESSAGE("14.000000", BOTH_COME("12.000000") "," MACHINES("13.000000", "unavailable",
                                                                     "0") "," NO_MORE("14.000000"))
         SAYS("14.0", EXECUTE("14.0", "a", "0")),
     HC_EPOLICY, 0, "EXECUTE_JOB of w0!a: machine 0 is unavailable"},
    /* the rejection is taken at 13, the event, sent at 12.5, at 14, the start behind it */
    {"{\"type\": \"machine_unavailable\", \"resources\": \"0\", \"timestamp\": 12.5}\n",
     BEGINS SUBMITTED SAYS("12.0", REJECT("12.0", "a") "," EXECUTE("12.0", "b", "0-1")), HC_EPOLICY, 0,
     "it has started w0!b on machines of which one had become unavailable"},
};

static void test_wrong(void **state)
{
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    const trial t = run(wrong[i].session ? wrong[i].session : "", wrong[i].events, NULL);
    if (t.rc != wrong[i].rc || t.error.line != wrong[i].line || !strstr(t.error.text, wrong[i].says))
      fail_msg("%s comes to %d, %u: \"%s\", and not to %d, \"%s\"", wrong[i].events, t.rc, t.error.line,
               t.error.text, wrong[i].rc, wrong[i].says);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_machines),
      cmocka_unit_test(test_to_the_end),
      cmocka_unit_test(test_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
