/* test_process.c -- the policy `process`: what another program is told, word for word, what comes of its
 * answers, and what a program that is wrong, silent, gone or mad brings.
 *
 * Programs are scripts of the shell that answer without reading what they are told: each "read" takes a
 * message. The jobs, unless it is said otherwise: on four processors 0 wants 2 of them for 10 s (20 s are
 * believed), from 0 on; 1 wants all 4 for 5 s, from 0 on; 2 wants 2 for 3 s (4 s), from 1 on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "hindcast/hindcast.h"

#define LOG "remote_process.swf"
#define RECORD "remote_process.txt"
#define MOST 16384

static const char jobs[] = "; MaxProcs: 4\n"
                           "1 0 -1 10 2 -1 -1 2 20 -1 1 7 -1 -1 3 -1 -1 -1\n"
                           "2 0 -1 5 4 -1 -1 4 5 -1 1 7 -1 -1 3 -1 -1 -1\n"
                           "3 1 -1 3 2 -1 -1 2 4 -1 1 8 -1 -1 3 -1 -1 -1\n";

typedef struct trial {
  hc_rc rc;
  hc_error error;
  hc_task_record tasks[4];
  size_t count;
  char said[MOST]; /* messages of the record, a line each */
} trial;

static void write_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
}

/* What was told: an answer's line holds a time, which is no one's to know. */
static void read_record(trial *t)
{
  char line[4096];
  size_t used = 0;
  FILE *f = fopen(RECORD, "rb");
  t->said[0] = '\0';
  if (!f) return;
  while (fgets(line, sizeof line, f))
    if (line[0] == '>') used += (size_t)snprintf(t->said + used, MOST - used, "%s", line + 2);
  (void)fclose(f);
}

/* A run of these keys. */
static trial carry_out(const char *text)
{
  const hc_allocator *a = hc_default_allocator();
  trial t = {.rc = 0};
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_result *r;
  hc_run *run = NULL;
  write_file(LOG, jobs);
  assert_int_equal(hc_registry_new(a, &registry), 0);
  assert_int_equal(hc_config_new(a, registry, &config, &t.error), 0);
  assert_int_equal(hc_store_new(a, NULL, &store, &t.error), 0);
  t.rc = hc_config_text(config, text, strlen(text), "test", &t.error);
  if (t.rc >= 0) t.rc = hc_run_new(a, config, store, &run, &t.error);
  if (t.rc >= 0) t.rc = hc_run_advance(run, HC_NEVER, 0, &t.error);
  if (t.rc >= 0) t.rc = hc_run_finish(run, &t.error);
  if (t.rc >= 0) {
    assert_int_equal(hc_result_of_store(store, &r, &t.error), 0);
    assert_int_equal(hc_result_tasks(r, true, t.tasks, HC_ARRAY_LEN(t.tasks), &t.count, &t.error), 0);
    hc_result_free(r);
  }
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
  read_record(&t);
  (void)unlink(LOG);
  return t;
}

#define COUNTED "source: " LOG "\n"
#define HOSTS "source: " LOG "\ncell: {use: hosts, classes: [{count: 2, name_prefix: h, cpus: 2}]}\n"

/* With a script as the program. @param keys of the policy, each with a comma behind it */
static trial run(const char *base, const char *keys, const char *script)
{
  char text[8192];
  (void)unlink(RECORD);
  (void)snprintf(text, sizeof text,
                 "%sparanoid: true\npolicy:\n  use: process\n%s  command:\n  - sh\n  - -c\n  - "
                 "|\n    %s\n",
                 base, keys, script);
  return carry_out(text);
}

static trial right(const char *base, const char *keys, const char *script)
{
  trial t = run(base, keys, script);
  if (t.rc < 0) fail_msg("%s: %s", t.error.where, t.error.text);
  return t;
}

static void is_task(const trial *t, size_t k, int64_t id, int64_t start, int64_t end)
{
  assert_in_range(k, 0, t->count - 1);
  assert_int_equal(t->tasks[k].id, id);
  assert_int_equal(t->tasks[k].start, start * HC_SECOND);
  assert_int_equal(t->tasks[k].end, end * HC_SECOND);
}

#define RECORDS "  record: " RECORD "\n"
#define HELLO "read m; echo '{\"hello\": 1}'; "
#define SAYS(plan) "read m; echo '{\"plan\": [" plan "]}'; "
#define S "000000000" /* seconds as ns */

/* ---- what is told ---- */

/* 0 starts at 0; 2 passes 1 at 1 and ends at 4; 1 starts when 0 ends, at 10. */
static void test_word_for_word(void **state)
{
  static const char said[] =
      "{\"hello\":1,\"seed\":1,\"replication\":0,\"cell\":{\"processors\":4}}\n"
      "{\"decide\":0,\"now\":0,\"why\":[\"arrival\"],\"queued\":["
      "{\"task\":0,\"submitted\":0,\"processors\":2,\"estimate\":20" S ",\"user\":7,\"priority\":0},"
      "{\"task\":1,\"submitted\":0,\"processors\":4,\"estimate\":5" S
      ",\"user\":7,\"priority\":0}],\"free\":4}\n"
      "{\"decide\":1,\"now\":1" S ",\"why\":[\"arrival\"],\"queued\":["
      "{\"task\":2,\"submitted\":1" S ",\"processors\":2,\"estimate\":4" S
      ",\"user\":8,\"priority\":0}],\"free\":2}\n"
      "{\"decide\":2,\"now\":4" S ",\"why\":[\"end\"],\"ended\":[2],\"free\":2}\n"
      "{\"decide\":3,\"now\":10" S ",\"why\":[\"end\"],\"ended\":[0],\"free\":4}\n"
      "{\"bye\":4}\n";
  const trial t = right(COUNTED, RECORDS,
                        HELLO SAYS("{\"start\": 0}") SAYS("{\"start\": 2}") SAYS("") SAYS("{\"start\": 1}"));
  (void)state;
  assert_string_equal(t.said, said);
  assert_int_equal(t.count, 3);
  is_task(&t, 0, 3, 1, 4);
  is_task(&t, 1, 1, 0, 10);
  is_task(&t, 2, 2, 10, 15);
}

/* Hosts of two cores: 0 takes the second one, 2 the first, each in a slot of a core. What is free is told of
 * hosts where it has changed; the first message is about a machine with nothing on it. */
static void test_hosts(void **state)
{
  static const char said[] =
      "{\"hello\":1,\"seed\":1,\"replication\":0,\"cell\":{\"resources\":[\"cpu\"],"
      "\"hosts\":[{\"count\":2,\"class\":\"h\",\"has\":[2000]}]}}\n"
      "{\"decide\":0,\"now\":0,\"why\":[\"arrival\"],\"queued\":["
      "{\"task\":0,\"submitted\":0,\"slots\":2,\"each\":[1000],\"user\":7,\"priority\":0},"
      "{\"task\":1,\"submitted\":0,\"slots\":4,\"each\":[1000],\"user\":7,\"priority\":0}]}\n"
      "{\"decide\":1,\"now\":1" S ",\"why\":[\"arrival\"],\"queued\":["
      "{\"task\":2,\"submitted\":1" S ",\"slots\":2,\"each\":[1000],\"user\":8,\"priority\":0}],"
      "\"free\":[[1,0]]}\n"
      "{\"decide\":2,\"now\":4" S ",\"why\":[\"end\"],\"ended\":[2]}\n"
      "{\"decide\":3,\"now\":10" S ",\"why\":[\"end\"],\"ended\":[0],\"free\":[[1,2000]]}\n"
      "{\"bye\":4}\n";
  const trial t = right(HOSTS, RECORDS "  asks: [ignores_time]\n",
                        HELLO SAYS("{\"start\": 0, \"on\": [1]}") SAYS("{\"start\": 2, \"on\": [0]}") SAYS("")
                            SAYS("{\"start\": 1, \"on\": [1, 0]}"));
  (void)state;
  assert_string_equal(t.said, said);
  is_task(&t, 2, 2, 10, 15);
}

/* Task 1 wants both hosts, which 0 is believed to leave at 20: that is promised, and nothing before. It ends
 * at 10, and 1 starts then. */
static void test_reserve(void **state)
{
  static const char keys[] = "  asks: [makes_reservations]\n";
  trial t = right(HOSTS, keys,
                  HELLO SAYS("{\"start\": 0}, {\"reserve\": 1, \"at\": 20" S "}") SAYS("{\"try\": 2}")
                      SAYS("") SAYS("{\"unreserve\": 1}, {\"start\": 1}"));
  (void)state;
  is_task(&t, 0, 3, 1, 4);
  is_task(&t, 2, 2, 10, 15);
  t = run(HOSTS, keys, HELLO SAYS("{\"start\": 0}, {\"reserve\": 1, \"at\": 19" S "}"));
  assert_int_equal(t.rc, HC_EPOLICY);
  assert_non_null(strstr(t.error.text, "there is no room for the task then"));
}

/* At 1 task 0 is stopped for task 1, which runs until 6; it waits again and does all of its 10 s again. */
static void test_stop(void **state)
{
  const trial t =
      right(COUNTED, RECORDS "  asks: [may_preempt]\n",
            HELLO SAYS("{\"start\": 0}") SAYS("{\"stop\": 0, \"how\": \"requeue\"}, {\"start\": 1}")
                SAYS("{\"start\": 0}, {\"start\": 2}"));
  (void)state;
  assert_non_null(strstr(t.said, "{\"decide\":2,\"now\":6" S ",\"why\":[\"end\"],\"queued\":[{\"task\":0,"
                                 "\"submitted\":0,\"processors\":2,\"estimate\":20" S
                                 ",\"user\":7,\"priority\":0}],\"ended\":[1],\"free\":4}\n"));
  is_task(&t, 1, 3, 6, 9);
  is_task(&t, 2, 1, 6, 16);
}

/* Tries that do not fit leave the plan as it is: what of them runs is told, at once after `more`. At 0 only 0
 * fits beside nothing, then 1 does not. */
static void test_try(void **state)
{
  const trial t =
      right(COUNTED, RECORDS,
            HELLO "read m; echo '{\"plan\": [{\"try\": 0}, {\"try\": 1}], \"more\": true}'; " SAYS(
                "{\"wake\": 500000000}") SAYS("") SAYS("{\"try\": 2}") SAYS("") SAYS("{\"start\": 1}"));
  (void)state;
  assert_non_null(strstr(t.said, "{\"decide\":1,\"now\":0,\"why\":[\"more\"],\"started\":[{\"task\":0,"
                                 "\"submitted\":0,\"started\":0,\"processors\":2,\"estimate\":20" S
                                 ",\"user\":7,\"priority\":0}],\"free\":2}\n"));
  assert_non_null(strstr(t.said, "{\"decide\":2,\"now\":500000000,\"why\":[\"timer\"],\"free\":2}\n"));
  is_task(&t, 0, 3, 1, 4);
  is_task(&t, 2, 2, 10, 15);
}

/* Each decision takes 2 s: 0 is decided on at 0 and runs from 2 to 12. What comes meanwhile is decided on at
 * 2: task 2, from 4 to 7. At 7 nothing fits; at 12 task 1, which runs from 14 to 19. Of what went as it was
 * said nothing is told. */
static void test_think(void **state)
{
  const trial t = right(COUNTED "architecture: {use: monolithic, think: 2s}\n", RECORDS,
                        HELLO SAYS("{\"start\": 0}") SAYS("{\"start\": 2}") SAYS("") SAYS("{\"start\": 1}"));
  (void)state;
  assert_null(strstr(t.said, "\"started\":["));
  is_task(&t, 0, 3, 4, 7);
  is_task(&t, 1, 1, 2, 12);
  is_task(&t, 2, 2, 14, 19);
}

/* What was measured is part of the record: 3 s at the first decision, none at the others. The program would
 * have been as quick as it could. */
static void test_replay(void **state)
{
  static const char session[] = HC_REMOTE_RECORD
      "> {\"hello\":1,\"seed\":1,\"replication\":0,\"cell\":{\"processors\":4}}\n< 0 {\"hello\": 1}\n"
      "> {\"decide\":0,\"now\":0,\"why\":[\"arrival\"],\"queued\":["
      "{\"task\":0,\"submitted\":0,\"processors\":2,\"user\":7,\"priority\":0},"
      "{\"task\":1,\"submitted\":0,\"processors\":4,\"user\":7,\"priority\":0}],\"free\":4}\n"
      "< 3" S " {\"plan\": [{\"start\": 0}]}\n"
      "> {\"decide\":1,\"now\":3" S ",\"why\":[\"arrival\",\"timer\"],\"queued\":["
      "{\"task\":2,\"submitted\":1" S ",\"processors\":2,\"user\":8,\"priority\":0}],\"free\":2}\n"
      "< 0 {\"plan\": [{\"start\": 2}]}\n"
      "> {\"decide\":2,\"now\":6" S ",\"why\":[\"end\"],\"ended\":[2],\"free\":2}\n< 0 {\"plan\": []}\n"
      "> {\"decide\":3,\"now\":13" S ",\"why\":[\"end\"],\"ended\":[0],\"free\":4}\n"
      "< 0 {\"plan\": [{\"start\": 1}]}\n"
      "> {\"bye\":4}\n";
  static const char keys[] = COUNTED "policy: {use: process, think: measured, asks: [ignores_time], "
                                     "replay: " RECORD "}\n";
  trial t;
  (void)state;
  write_file(RECORD, session);
  t = carry_out(keys);
  if (t.rc < 0) fail_msg("%s: %s", t.error.where, t.error.text);
  is_task(&t, 0, 3, 3, 6);
  is_task(&t, 1, 1, 3, 13);
  is_task(&t, 2, 2, 13, 18);
  t = carry_out(COUNTED "policy: {use: process, asks: [ignores_time], replay: " RECORD "}\n");
  assert_int_equal(t.rc, HC_EPOLICY); /* without its thinking it is another run */
  assert_non_null(strstr(t.error.text, "another thing than was recorded"));
}

/* ---- what is wrong ---- */

static void fails(const char *keys, const char *script, hc_rc rc, const char *text)
{
  const trial t = run(COUNTED, keys, script);
  if (t.rc != rc || !strstr(t.error.text, text))
    fail_msg("%s\nends with %s: \"%s\"\nand not with \"%s\"", script, hc_rc_name(t.rc), t.error.text, text);
}

static void test_no_answer(void **state)
{
  (void)state;
  fails("", "exit 3", HC_EIO, "sh ended with status 3 before it answered");
  fails("", "kill -9 $$", HC_EIO, "sh was ended by signal 9");
  fails("  timeout: 1s\n", "exec sleep 20", HC_EIO, "has not answered for 1 s");
  fails("", HELLO "exec >&-; exec sleep 20", HC_EIO, "closed its standard output");
  fails("", HELLO "read m; cat /dev/zero", HC_EPOLICY, "more than 67108864 bytes");
  fails("  most: 100B\n", HELLO "read m; printf %0200d 0", HC_EPOLICY, "more than 100 bytes");
  fails("", HELLO "read m; yes hello", HC_EPOLICY,
        "more than the one line that answers a message: \"hello\"");
}

static void test_wrong_answers(void **state)
{
  static const struct {
    const char *answer, *text;
  } cases[] = {
      {"nonsense", "at t=0 s its answer is no object of JSON: \"nonsense\""},
      {"", "is no object of JSON"},
      {"{}", "has no `plan`"},
      {"{\"plan\": []} x", "is no JSON"},
      {"{\"plan\": [}", "something that is no action"},
      {"{\"plan\": [], \"plan\": []}", "two plans"},
      {"{\"plan\": [], \"more\": 1}", "neither true nor false"},
      {"{\"plan\": [], \"plans\": []}", "neither `plan` nor `more`"},
      {"{\"plan\": [{}]}", "an action that says nothing"},
      {"{\"plan\": [{\"strat\": 0}]}", "does not begin with one of start, try"},
      {"{\"plan\": [{\"start\": \"0\"}]}", "no task's number"},
      {"{\"plan\": [{\"start\": -1}]}", "no task's number"},
      {"{\"plan\": [{\"start\": 0, \"at\": 1}]}", "a member that it cannot have"},
      {"{\"plan\": [{\"start\": 2}]}",
       "at t=0 s it says {\"start\": 2}: there is no such task, or it is over"},
      {"{\"plan\": [{\"start\": 0}, {\"start\": 0}]}", "the task is not in the queue"},
      {"{\"plan\": [{\"start\": 0}, {\"start\": 1}]}", "the task does not fit now"},
      {"{\"plan\": [{\"start\": 0, \"on\": [1]}]}", "leave out `on`"},
      {"{\"plan\": [{\"stop\": 0}]}", "`asks: [may_preempt]`"},
      {"{\"plan\": [{\"reserve\": 0, \"at\": 5}]}", "`asks: [makes_reservations]`"},
      {"{\"plan\": [{\"wake\": 0}]}", "has to be later than now"},
      {"{\"plan\": [{\"wake\": 1.5}]}", "no time in nanoseconds"},
  };
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char script[512];
    (void)snprintf(script, sizeof script, HELLO "read m; echo '%s'", cases[i].answer);
    fails("", script, HC_EPOLICY, cases[i].text);
  }
  fails("", "read m; echo hi", HC_EPOLICY, "{\"hello\": 1}, the version that it speaks, and says \"hi\"");
  fails("", "read m; echo '{\"hello\": 2}'", HC_EPOLICY, "speaks version 2");
  fails("", HELLO "while read m; do echo '{\"plan\": [], \"more\": true}'; done", HC_EPOLICY,
        "`more` 10000 times");
  fails("  asks: [makes_reservations]\n", HELLO SAYS("{\"reserve\": 0}"), HC_EPOLICY, "lacks `at`");
  fails("  asks: [may_preempt]\n", HELLO SAYS("{\"stop\": 0}"), HC_EPOLICY, "does not run");
}

static void test_wrong_hosts(void **state)
{
  static const struct {
    const char *on, *text;
  } cases[] = {{"[2]", "names a host that there is not"},
               {"[\"h-0\"]", "names a host that there is not"},
               {"[]", "names no host"},
               {"[0, 0]", "names a host twice"},
               {"[0], \"on\": 3", "no list of hosts"}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char script[512];
    (void)snprintf(script, sizeof script, HELLO SAYS("{\"start\": 0, \"on\": %s}"), cases[i].on);
    const trial t = run(HOSTS, "", script);
    assert_int_equal(t.rc, HC_EPOLICY);
    if (!strstr(t.error.text, cases[i].text)) fail_msg("%s: %s", cases[i].on, t.error.text);
  }
}

static void test_refused(void **state)
{
  trial t;
  (void)state;
  t = carry_out(COUNTED "policy: process\n");
  assert_int_equal(t.rc, HC_EUSAGE);
  assert_non_null(strstr(t.error.text, "missing `command`"));
  t = carry_out(COUNTED "policy: {use: process, command: [./no_such_program]}\n");
  assert_int_equal(t.rc, HC_ENOTFOUND);
  t = carry_out(COUNTED "policy: {use: process, command: [x], record: a, replay: b}\n");
  assert_int_equal(t.rc, HC_EUSAGE);
  t = carry_out(HOSTS "architecture: shared_state\npolicy: {use: process, command: [x], think: measured}\n");
  assert_int_equal(t.rc, HC_EUNSUPPORTED);
  assert_non_null(strstr(t.error.text, "says itself how long its decisions take"));
  write_file(RECORD, "mine");
  t = carry_out(COUNTED "policy: {use: process, command: [x], record: " RECORD "}\n");
  assert_int_equal(t.rc, HC_EUSAGE);
  assert_non_null(strstr(t.error.text, "is there already"));
  (void)unlink(RECORD);
}

/* What another program remembers is not saved; the run goes on. */
static void test_snapshot(void **state)
{
  const hc_allocator *a = hc_default_allocator();
  static const char text[] =
      COUNTED "policy: {use: process, command: [sh, -c, \"read m; echo "
              "'{\\\"hello\\\": 1}'; while read m; do echo '{\\\"plan\\\": []}'; done\"]}\n";
  hc_registry *registry;
  hc_config *config;
  hc_snapshot s;
  hc_error e = {0};
  hc_run *run;
  char one[33], two[33];
  (void)state;
  write_file(LOG, jobs);
  assert_int_equal(hc_registry_new(a, &registry), 0);
  assert_int_equal(hc_config_new(a, registry, &config, &e), 0);
  assert_int_equal(hc_config_text(config, text, strlen(text), "test", &e), 0);
  assert_int_equal(hc_run_new(a, config, NULL, &run, &e), 0);
  assert_true(hc_run_advance(run, 0, 0, &e) >= 0);
  assert_int_equal(hc_run_digest(run, one, &e), 0);
  assert_int_equal(hc_run_snapshot(run, &s, &e), HC_EUNSUPPORTED);
  assert_non_null(strstr(e.text, "cannot be saved"));
  e = (hc_error){0};
  assert_int_equal(hc_run_digest(run, two, &e), 0);
  assert_string_equal(one, two);
  assert_true(hc_run_advance(run, HC_SECOND, 0, &e) >= 0);
  assert_int_equal(hc_run_digest(run, two, &e), 0);
  assert_string_not_equal(one, two); /* it has heard of task 2 */
  hc_run_free(run);
  hc_config_free(config);
  hc_registry_free(registry);
  (void)unlink(LOG);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_word_for_word), cmocka_unit_test(test_hosts),
                                     cmocka_unit_test(test_reserve),       cmocka_unit_test(test_stop),
                                     cmocka_unit_test(test_try),           cmocka_unit_test(test_think),
                                     cmocka_unit_test(test_replay),        cmocka_unit_test(test_no_answer),
                                     cmocka_unit_test(test_wrong_answers), cmocka_unit_test(test_wrong_hosts),
                                     cmocka_unit_test(test_refused),       cmocka_unit_test(test_snapshot)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
