/* test_algorithm.c -- the policy `elastisim`: what an algorithm of ElastiSim is told, word for word, what
 * comes of its answers, and what an algorithm that is wrong or gone brings.
 *
 * The algorithm is a process of its own at the other end of a socket (PAIR) that gives the answers of a
 * script, whatever it is told. On four nodes of 1 flop/s: job 0 is rigid, on 2 of them, one round of 20
 * flop, which takes 10 s; job 1 may have 1 to 4, three rounds of 12 flop, each of which takes 12 s on one
 * node, 4 s on three. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "base/util.h"
#include "hindcast/hindcast.h"

#define JOBS "remote_algorithm_jobs.json"
#define ONCE "remote_algorithm_once.json"
#define THRICE "remote_algorithm_thrice.json"
#define ASKS "remote_algorithm_asks.json"
#define LOG "remote_algorithm.swf"
#define WRITES "remote_algorithm_writes.json"
#define RECORD "remote_algorithm.txt"
#define MOST 32768

static const char once[] =
    "{\"phases\": [{\"tasks\": [{\"type\": \"cpu\", \"flops\": 20, \"computation_pattern\": "
    "\"all_ranks\"}]}]}";
static const char thrice[] =
    "{\"phases\": [{\"iterations\": \"rounds\", \"tasks\": [{\"type\": \"cpu\", \"flops\": 12, "
    "\"computation_pattern\": \"all_ranks\"}]}]}";
/* In its second round it wants one node more than it has, in its third 40 more. */
static const char asks[] =
    "{\"phases\": [{\"iterations\": 3, \"evolving_request\": \"phase_iteration == 1 ? num_nodes + 1 : "
    "num_nodes + "
    "40\", \"tasks\": [{\"type\": \"cpu\", \"flops\": 12, \"computation_pattern\": \"all_ranks\"}]}]}";

#define RIGID \
  "{\"type\": \"rigid\", \"submit_time\": 0, \"num_nodes\": 2, \"application_model\": \"" ONCE "\"}"
#define AT_5 \
  "{\"type\": \"rigid\", \"submit_time\": 5, \"num_nodes\": 2, \"application_model\": \"" ONCE "\"}"
#define OTHER(type, model, more) \
  "{\"type\": \"" type "\", \"submit_time\": 0, \"num_nodes_min\": 1, \"num_nodes_max\": 4, " \
  "\"application_model\": \"" model "\", \"arguments\": {\"rounds\": 3}" more "}"
#define MALLEABLE OTHER("malleable", THRICE, "")
#define TWO RIGID ", " MALLEABLE

static char url[64];

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

static void write_jobs(const char *jobs)
{
  char text[4096];
  (void)snprintf(text, sizeof text, "{\"jobs\": [%s]}", jobs);
  write_file(JOBS, text);
  write_file(ONCE, once);
  write_file(THRICE, thrice);
  write_file(ASKS, asks);
}

static void drop_jobs(void)
{
  (void)unlink(JOBS);
  (void)unlink(ONCE);
  (void)unlink(THRICE);
  (void)unlink(ASKS);
}

/* Answers of a script, up to NULL; then it says nothing more. */
static void be(const char *const *script)
{
  char message[MOST];
  void *socket = zmq_socket(zmq_ctx_new(), ZMQ_PAIR);
  if (!socket || zmq_connect(socket, url) < 0) _exit(1);
  for (; *script; script++) {
    if (zmq_recv(socket, message, sizeof message, 0) < 0) _exit(1);
    if (strcmp(*script, "dies") == 0) _exit(0);
    (void)zmq_send(socket, *script, strlen(*script), 0);
  }
  (void)sleep(60); /* until it is killed: what is sent has to go */
  _exit(0);
}

static void read_record(trial *t)
{
  char line[8192];
  size_t used = 0;
  FILE *f = fopen(RECORD, "rb");
  t->said[0] = '\0';
  if (!f) return;
  while (fgets(line, sizeof line, f))
    if (line[0] == '>') used += (size_t)snprintf(t->said + used, MOST - used, "%s", line + 2);
  (void)fclose(f);
}

static void carry_out(const char *yaml, trial *t)
{
  const hc_allocator *a = hc_default_allocator();
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_result *r;
  hc_run *run = NULL;
  assert_int_equal(hc_registry_new(a, &registry), 0);
  assert_int_equal(hc_config_new(a, registry, &config, &t->error), 0);
  assert_int_equal(hc_store_new(a, NULL, &store, &t->error), 0);
  t->rc = hc_config_text(config, yaml, strlen(yaml), "test", &t->error);
  if (t->rc >= 0) t->rc = hc_run_new(a, config, store, &run, &t->error);
  if (t->rc >= 0) t->rc = hc_run_advance(run, HC_NEVER, 0, &t->error);
  if (t->rc >= 0) t->rc = hc_run_finish(run, &t->error);
  if (t->rc >= 0) {
    assert_int_equal(hc_result_of_store(store, &r, &t->error), 0);
    assert_int_equal(hc_result_tasks(r, true, t->tasks, HC_ARRAY_LEN(t->tasks), &t->count, &t->error), 0);
    hc_result_free(r);
  }
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
}

#define MACHINE_ALONE \
  "paranoid: true\nsource: {use: elastisim, file: " JOBS ", cores: 1}\n" \
  "cell: {use: hosts, classes: [{name_prefix: s, count: 1, memory: 1GB}, " \
  "{name_prefix: c, count: 4, cpus: 1}]}\n"
#define MACHINE MACHINE_ALONE "execution: {use: activities, cpu_speed: 1}\n"

/* @param keys of the policy, each with a comma before it @param more of the run */
static trial run_as(const char *jobs, const char *keys, const char *more, const char *const *script)
{
  trial t = {.rc = 0};
  char yaml[4096];
  (void)unlink(RECORD);
  write_jobs(jobs);
  (void)snprintf(yaml, sizeof yaml,
                 "%s%spolicy: {use: elastisim, jobs: " JOBS ", url: '%s', record: " RECORD
                 ", timeout: 5s%s}\n",
                 strstr(more, "execution:") ? MACHINE_ALONE : MACHINE, more, url, keys);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) be(script);
  carry_out(yaml, &t);
  (void)kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  read_record(&t);
  drop_jobs();
  return t;
}

#define RUN(jobs, keys, ...) run_as(jobs, keys, "", (const char *const[]){__VA_ARGS__, NULL})

static trial right(trial t)
{
  if (t.rc < 0) fail_msg("%s: %s", t.error.where, t.error.text);
  return t;
}

static void is_task(const trial *t, int64_t id, double start, double finish, hc_final final)
{
  size_t k = 0;
  while (k < t->count && t->tasks[k].id != id) k++;
  assert_in_range(k, 0, t->count - 1);
  assert_int_equal(t->tasks[k].start, (hc_time)(start * 1e9));
  assert_int_equal(t->tasks[k].end, (hc_time)(finish * 1e9));
  assert_int_equal(t->tasks[k].final, final);
}

static void fails(trial t, hc_rc rc, const char *text)
{
  if (t.rc != rc || !strstr(t.error.text, text))
    fail_msg("%d, \"%s\" and not %d, \"%s\"", (int)t.rc, t.error.text, (int)rc, text);
}

static void says(const trial *t, const char *text)
{
  if (!strstr(t->said, text)) fail_msg("\"%s\" is not in what was said:\n%s", text, t->said);
}

static void says_not(const trial *t, const char *text)
{
  if (strstr(t->said, text)) fail_msg("\"%s\" is in what was said:\n%s", text, t->said);
}

#define ANSWER(jobs) "{\"code\": 4293673985, \"jobs\": [" jobs "]}"
#define ASSIGN(id, nodes) \
  "{\"id\": " id ", \"assigned_node_ids\": [" nodes \
  "], \"assigned_num_gpus_per_node\": 0, \"kill_flag\": false, " \
  "\"modified_runtime_args\": false}"
#define KILL(id) \
  "{\"id\": " id ", \"assigned_node_ids\": [], \"assigned_num_gpus_per_node\": 0, \"kill_flag\": true, " \
  "\"modified_runtime_args\": false}"
#define NONE ANSWER("")

/* ---- what is told ---- */

/* clang-format off */
#define INVOKES(time, kind) "{\"code\":4293673984,\"time\":" time ",\"invocation_type\":" kind
#define NODE(id, state, jobs) \
  "{\"id\":" id ",\"type\":0,\"state\":" state ",\"assigned_jobs\":[" jobs "],\"gpus\":[]}"
#define JOB_0(state, start, finish, wait, makespan, turnaround, nodes, done) \
  "{\"id\":0,\"type\":0,\"state\":" state ",\"walltime\":0,\"num_nodes\":2,\"num_gpus_per_node\":0," \
  "\"submit_time\":0.0,\"start_time\":" start ",\"end_time\":" finish ",\"wait_time\":" wait \
  ",\"makespan\":" makespan ",\"turnaround_time\":" turnaround ",\"assigned_nodes\":[" nodes \
      "],\"assigned_num_gpus_per_node\":0," \
  "\"total_phase_count\":1,\"completed_phases\":" done "}"
#define JOB_1(state, start, finish, wait, makespan, turnaround, nodes, done) \
  "{\"id\":1,\"type\":2,\"state\":" state ",\"walltime\":0,\"num_nodes_min\":1,\"num_nodes_max\":4," \
  "\"num_gpus_per_node_min\":0,\"num_gpus_per_node_max\":0,\"submit_time\":0.0,\"start_time\":" start \
  ",\"end_time\":" finish ",\"wait_time\":" wait ",\"makespan\":" makespan \
  ",\"turnaround_time\":" turnaround \
  ",\"assigned_nodes\":[" nodes "],\"assigned_num_gpus_per_node\":0,\"arguments\":{\"rounds\":\"3\"}," \
  "\"total_phase_count\":3,\"completed_phases\":" done "}"

/* Job 1 begins on node 2. When job 0 has ended, at 10, it is assigned 0 and 3 too, which are kept for it
 * until its round is over, at 12. At 16, after a round on three nodes, it moves to node 1, where the last
 * takes 12 s. */
static void test_word_for_word(void **state)
{
  static const char first[] =
      INVOKES("0.0", "1") ",\"job_id\":0,\"jobs\":["
      JOB_0("1", "-1.0", "-1.0", "-1.0", "-1.0", "-1.0", "", "0") "],\"nodes\":["
      NODE("0", "0", "") "," NODE("1", "0", "") "," NODE("2", "0", "") "," NODE("3", "0", "") "]}\n"
      INVOKES("0.0", "1") ",\"job_id\":1,\"jobs\":["
      JOB_0("4", "0.0", "-1.0", "0.0", "-1.0", "-1.0", "0,1", "0") ","
      JOB_1("1", "-1.0", "-1.0", "-1.0", "-1.0", "-1.0", "", "0") "],\"nodes\":["
      NODE("0", "1", "0") "," NODE("1", "1", "0") "]}\n"
      INVOKES("10.0", "2") ",\"job_id\":0,\"jobs\":["
      JOB_0("7", "0.0", "10.0", "0.0", "10.0", "10.0", "", "1") ","
      JOB_1("4", "0.0", "-1.0", "0.0", "-1.0", "-1.0", "2", "0") "],\"nodes\":["
      NODE("0", "0", "") "," NODE("1", "0", "") "," NODE("2", "1", "1") "]}\n";
  static const char second[] =
      INVOKES("12.0", "4") ",\"job_id\":1,\"jobs\":["
      JOB_1("5", "0.0", "-1.0", "0.0", "-1.0", "-1.0", "0,2,3", "1") "],\"nodes\":["
      NODE("0", "2", "") "," NODE("3", "2", "") "]}\n"
      INVOKES("16.0", "4") ",\"job_id\":1,\"jobs\":["
      JOB_1("4", "0.0", "-1.0", "0.0", "-1.0", "-1.0", "0,2,3", "2") "],\"nodes\":["
      NODE("0", "1", "1") "," NODE("2", "1", "1") "," NODE("3", "1", "1") "]}\n"
      INVOKES("28.0", "2") ",\"job_id\":1,\"jobs\":["
      JOB_1("7", "0.0", "28.0", "0.0", "28.0", "28.0", "", "3") "],\"nodes\":["
      NODE("0", "0", "") "," NODE("1", "0", "") "," NODE("2", "0", "") "," NODE("3", "0", "") "]}\n"
      "{\"code\":4293674239}\n";
  const trial t = right(RUN(TWO, "", ANSWER(ASSIGN("0", "1, 0")), ANSWER(ASSIGN("1", "2")),
                            ANSWER(ASSIGN("1", "2, 0, 3")), NONE, ANSWER(ASSIGN("1", "1")), NONE));
  (void)state;
  assert_memory_equal(t.said, first, strlen(first));
  assert_string_equal(t.said + strlen(first), second);
  is_task(&t, 0, 0, 10, HC_FINAL_COMPLETED);
  is_task(&t, 1, 0, 28, HC_FINAL_COMPLETED);
}

/* clang-format on */

/* The record of a run, without the algorithm. */
static void test_replay(void **state)
{
  trial t =
      right(RUN(TWO, "", ANSWER(ASSIGN("0", "0, 1")), ANSWER(ASSIGN("1", "2")), NONE, NONE, NONE, NONE));
  (void)state;
  is_task(&t, 1, 0, 36, HC_FINAL_COMPLETED);
  write_jobs(TWO);
  t = (trial){.rc = 0};
  carry_out(MACHINE "policy: {use: elastisim, jobs: " JOBS ", replay: " RECORD "}\n", &t);
  right(t);
  is_task(&t, 1, 0, 36, HC_FINAL_COMPLETED);
  t = (trial){.rc = 0};
  carry_out(MACHINE "policy: {use: elastisim, replay: " RECORD "}\n", &t); /* without `jobs` all are rigid */
  assert_int_equal(t.rc, HC_EPOLICY);
  assert_non_null(strstr(t.error.text, "the run says another thing than was recorded"));
  drop_jobs();
}

/* The first two invocations are of the only instants at which it is asked: 5 and 10, and 20, 25, 30 while
 * job 1 runs. Job 1 begins at 5 on nodes 2 and 3, where its rounds take 6 s. */
static void test_period(void **state)
{
  trial t = right(RUN(TWO, ", schedule_on: [], interval: 5s", ANSWER(ASSIGN("1", "2, 3")),
                      ANSWER(ASSIGN("0", "0, 1")), NONE, NONE, NONE));
  (void)state;
  is_task(&t, 0, 10, 20, HC_FINAL_COMPLETED);
  is_task(&t, 1, 5, 23, HC_FINAL_COMPLETED);
  says(&t, INVOKES("5.0", "0") ",\"jobs\":[");
  says(&t, INVOKES("20.0", "0"));
  says_not(&t, "invocation_type\":1");
  says_not(&t, "invocation_type\":4");
  t = right(RUN(AT_5, ", schedule_on: [], interval: 5s", ANSWER(ASSIGN("0", "2, 3")), NONE,
                NONE)); /* it comes then */
  is_task(&t, 0, 5, 15, HC_FINAL_COMPLETED);
}

/* Between two invocations are at least 7 s: that of 10, when job 0 has ended, is made; of the points at 6
 * and 12 none is, and job 1 goes on there. It ends at 18, which is told. Jobs of the beginning are not: it
 * counts as an invocation; so they begin at 7. */
static void test_apart(void **state)
{
  const trial t =
      right(RUN(TWO, ", interval: 7s, apart: 7s", ANSWER(ASSIGN("0", "0, 1") ", " ASSIGN("1", "2, 3")), NONE,
                NONE, NONE, NONE, NONE));
  (void)state;
  is_task(&t, 0, 7, 17, HC_FINAL_COMPLETED);
  is_task(&t, 1, 7, 25, HC_FINAL_COMPLETED);
  says_not(&t, INVOKES("0.0", "1"));
  says(&t, INVOKES("7.0", "0"));
  says(&t, INVOKES("14.0", "0"));
  says_not(&t, INVOKES("13.0", "4"));
  says_not(&t, INVOKES("17.0", "2"));
}

/* At 12 it has three nodes from its point on, which is told as that (6), and not that it comes to one. */
static void test_reconfiguration(void **state)
{
  const trial t = right(RUN(MALLEABLE, ", schedule_on: [submit, finalize, reconfiguration], interval: 5s",
                            ANSWER(ASSIGN("0", "2")), ANSWER(ASSIGN("0", "1, 2, 3")), NONE, NONE, NONE, NONE,
                            NONE, NONE));
  (void)state;
  says(&t, INVOKES("12.0", "6") ",\"job_id\":0,\"jobs\":[{\"id\":0,\"type\":2,\"state\":6");
  says_not(&t, "invocation_type\":4");
  is_task(&t, 0, 0, 20, HC_FINAL_COMPLETED);
}

/* It asks for one node more at 12, and gets that; at 18 for far more, which is brought down to its most
 * and is not granted: 12 + 6 + 6. */
static void test_requests(void **state)
{
  trial t = right(RUN(OTHER("evolving", ASKS, ""), "", ANSWER(ASSIGN("0", "3")), ANSWER(ASSIGN("0", "3, 1")),
                      NONE, NONE));
  (void)state;
  says(&t, INVOKES("12.0", "5") ",\"job_id\":0,\"evolving_request\":2,");
  says(&t, INVOKES("18.0", "5") ",\"job_id\":0,\"evolving_request\":4,");
  is_task(&t, 0, 0, 24, HC_FINAL_COMPLETED);
  t = RUN(OTHER("evolving", ASKS, ""), ", clips: false", ANSWER(ASSIGN("0", "3")),
          ANSWER(ASSIGN("0", "3, 1")));
  assert_int_equal(t.rc, HC_EPOLICY);
  assert_non_null(strstr(t.error.text, "job 0 asks for 42 nodes and has 1 to 4"));
}

/* Job 1 is killed at its point, at 12, and job 2, which waits, at the same time. Job 0 has 6 s for its 10,
 * and is killed then: that is told as such (3). What the algorithm has killed is not. */
static void test_kill(void **state)
{
  const trial t = right(RUN(
      "{\"type\": \"rigid\", \"submit_time\": 0, \"walltime\": 6, \"num_nodes\": 2, \"application_model\": "
      "\"" ONCE "\"}, " MALLEABLE ", " MALLEABLE,
      "", ANSWER(ASSIGN("0", "0, 1")), ANSWER(ASSIGN("1", "2")), NONE, NONE,
      ANSWER(KILL("1") ", " KILL("2"))));
  (void)state;
  is_task(&t, 0, 0, 6, HC_FINAL_KILLED);
  is_task(&t, 1, 0, 12, HC_FINAL_KILLED);
  says(&t, INVOKES("6.0", "3") ",\"job_id\":0,\"jobs\":[{\"id\":0,\"type\":0,\"state\":8,\"walltime\":6,");
  says(&t, INVOKES("12.0", "4") ",\"job_id\":1,");
  assert_null(strstr(strchr(strstr(t.said, INVOKES("12.0", "4")), '\n'), "invocation_type")); /* the last */
}

/* Jobs 0 and 1 end at 10: when the end of 0 is told that of 1 has come, so that it is not killed, and its
 * nodes are its own until it is told. At 22 jobs 2 and 3 are at points: 3 is killed when 2 is told of, and is
 * not told of then. */
static void test_same_instant(void **state)
{
  const trial t = right(RUN(RIGID ", " RIGID ", " MALLEABLE ", " MALLEABLE, "", ANSWER(ASSIGN("0", "0, 1")),
                            ANSWER(ASSIGN("1", "2, 3")), NONE, NONE, ANSWER(KILL("1") ", " ASSIGN("2", "0")),
                            ANSWER(ASSIGN("3", "2")), ANSWER(KILL("3")), NONE, NONE));
  (void)state;
  is_task(&t, 0, 0, 10, HC_FINAL_COMPLETED);
  is_task(&t, 1, 0, 10, HC_FINAL_COMPLETED);
  is_task(&t, 2, 10, 46, HC_FINAL_COMPLETED);
  is_task(&t, 3, 10, 22, HC_FINAL_KILLED);
  says(&t, INVOKES("10.0", "2") ",\"job_id\":1,");
  says(&t, INVOKES("22.0", "4") ",\"job_id\":2,");
  says_not(&t, INVOKES("22.0", "4") ",\"job_id\":3,");
  fails(RUN(RIGID ", " RIGID ", " RIGID, "", ANSWER(ASSIGN("0", "0, 1")), ANSWER(ASSIGN("1", "2, 3")), NONE,
            ANSWER(ASSIGN("2", "2, 3"))),
        HC_EPOLICY, "job 1 runs on node 2");
}

/* Jobs of a log are rigid, their walltime is what they ask for; one that ran before the beginning, at 20, is
 * told as one that runs: job 0, on hosts 0 and 1 until 100. The other wants two nodes, and has 2 and 3. */
static void test_log(void **state)
{
  static const char log[] = "; MaxProcs: 4\n1 0 0 100 2 -1 -1 2 200 -1 1 7 -1 -1 3 -1 -1 -1\n"
                            "2 30 -1 10 2 -1 -1 2 14 -1 1 8 -1 -1 3 -1 -1 -1\n";
  static const char *const script[] = {NONE, ANSWER(ASSIGN("1", "2, 3")), NONE, NONE, NULL};
  trial t = {.rc = 0};
  char yaml[1024];
  (void)state;
  (void)unlink(RECORD);
  write_file(LOG, log);
  (void)snprintf(yaml, sizeof yaml,
                 "paranoid: true\nsource: " LOG "\ntransforms: [{use: prefill, at: 20s}]\n"
                 "cell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 1}]}\n"
                 "policy: {use: elastisim, url: '%s', record: " RECORD ", timeout: 5s}\n",
                 url);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) be(script);
  carry_out(yaml, &t);
  (void)kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  read_record(&t);
  (void)unlink(LOG);
  right(t);
  says(&t, "{\"id\":0,\"type\":0,\"state\":4,");
  says(&t, "\"assigned_nodes\":[0,1]");
  says(&t, "{\"id\":1,\"type\":0,\"state\":1,\"walltime\":14,\"num_nodes\":2,");
  is_task(&t, 1, 20, 100, HC_FINAL_COMPLETED);
  is_task(&t, 2, 30, 40, HC_FINAL_COMPLETED);
}

/* Host c-0, which is node 0, goes at 3 and returns at 20: job 0 is lost, and submitted anew as it was.
 * Nodes that are away are told as taken (1) by no job. */
static void test_host_goes(void **state)
{
  static const char *const script[] = {ANSWER(ASSIGN("0", "0, 1")),
                                       ANSWER(ASSIGN("1", "2")),
                                       ANSWER(ASSIGN("0", "1, 3")),
                                       NONE,
                                       NONE,
                                       NONE,
                                       NONE,
                                       NONE,
                                       NULL};
  const trial t = right(run_as(
      TWO, "", "events: {use: list, changes: [{at: 3s, hosts: c-0, change: down, until: 20s}]}\n", script));
  (void)state;
  says(&t, INVOKES("3.0", "1") ",\"job_id\":0,");
  says(&t, NODE("0", "1", "") "," NODE("1", "0", ""));
  says(&t, INVOKES("20.0", "0") ",\"jobs\":[],\"nodes\":[" NODE("0", "0", "") "]}");
  is_task(&t, 0, 3, 13, HC_FINAL_COMPLETED);
}

/* Node 3 is kept for job 1 from 10 on, and goes at 11: the job stays on what it has. */
static void test_kept_node_goes(void **state)
{
  static const char *const script[] = {ANSWER(ASSIGN("0", "0, 1")),
                                       ANSWER(ASSIGN("1", "2")),
                                       ANSWER(ASSIGN("1", "2, 3")),
                                       NONE,
                                       NONE,
                                       NONE,
                                       NONE,
                                       NONE,
                                       NULL};
  const trial t = right(run_as(
      TWO, "", "events: {use: list, changes: [{at: 11s, hosts: c-3, change: down, until: 20s}]}\n", script));
  (void)state;
  says(&t, INVOKES("11.0", "0") ",\"jobs\":[" JOB_1("4", "0.0", "-1.0", "0.0", "-1.0", "-1.0", "2",
                                                    "0") "],\"nodes\":[" NODE("3", "1", "") "]}");
  is_task(&t, 1, 0, 36, HC_FINAL_COMPLETED);
}

/* Arguments that are set at run time are told back; no model has names for them, which the result says. */
static void test_arguments(void **state)
{
  const trial t = right(RUN(
      RIGID, "",
      ANSWER("{\"id\": 0, \"assigned_node_ids\": [2, 3], \"assigned_num_gpus_per_node\": 0, \"kill_flag\": "
             "false, "
             "\"modified_runtime_args\": true, \"runtime_arguments\": {\"mine\": \"7\"}}"),
      NONE));
  (void)state;
  says(&t, ",\"runtime_arguments\":{\"mine\": \"7\"},\"total_phase_count\"");
  is_task(&t, 0, 0, 10, HC_FINAL_COMPLETED);
}

/* Job 0 writes 100 bytes from its node 1 from 0 to 10, over cables of 10 bytes/s each way, one of which is
 * that of the storage host: as job 1 comes, at 5, all of it is taken. */
static void test_io_information(void **state)
{
  static const char *const script[] = {ANSWER(ASSIGN("0", "1, 2")), ANSWER(ASSIGN("1", "0, 3")), NONE, NONE,
                                       NULL};
  static const char star[] =
      "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 10}, disks: [{at: "
      "s-0, mount: /pfs, read_bandwidth: 1000, write_bandwidth: 1000}]}\n";
  static const char late[] =
      "{\"type\": \"rigid\", \"submit_time\": 5, \"num_nodes\": 2, \"application_model\": "
      "\"" ONCE "\"}";
  char jobs[1024];
  (void)state;
  write_file(WRITES, "{\"phases\": [{\"tasks\": [{\"type\": \"pfs_write\", \"bytes\": 100, \"pattern\": "
                     "\"root_only\"}]}]}");
  (void)snprintf(jobs, sizeof jobs,
                 "{\"type\": \"rigid\", \"submit_time\": 0, \"num_nodes\": 2, "
                 "\"application_model\": \"" WRITES "\"}, %s",
                 late);
  const trial t =
      right(run_as(jobs,
                   ", io_information: true, pfs_read: [host_0-switch_1_0], pfs_write: [switch_1_0-host_0, "
                   "host_1-switch_1_0]",
                   star, script));
  (void)unlink(WRITES);
  is_task(&t, 0, 0, 10, HC_FINAL_COMPLETED);
#define FILE_SYSTEM(written) \
  "\"pfs_read_bw\":10,\"pfs_read_utilization\":0,\"pfs_write_bw\":20,\"pfs_write_utilization\":" written "}\n"
  says(&t, FILE_SYSTEM("0") INVOKES("5.0", "1"));
  says(&t, FILE_SYSTEM("10") INVOKES("10.0", "2"));
}

/* ---- what is wrong ---- */

#define SAYS(...) RUN(TWO, "", __VA_ARGS__)

static void test_wrong(void **state)
{
  (void)state;
  fails(SAYS("dies"), HC_EIO, "went away before it had answered");
  fails(SAYS("no JSON"), HC_EPOLICY, "at t=0 s its answer is no object of JSON: \"no JSON\"");
  fails(SAYS("{\"code\": 1, \"jobs\": []}"), HC_EPOLICY, "has not the `code` 4293673985");
  fails(SAYS("{\"code\": 4293673985}"), HC_EPOLICY, "has no `jobs`");
  fails(SAYS("{\"code\": 4293673985, \"jobs\": [], \"more\": 1}"), HC_EPOLICY, "neither `code` nor `jobs`");
  fails(SAYS(ANSWER("{\"id\": 0, \"nodes\": []}")), HC_EPOLICY, "a member that the protocol does not have");
  fails(SAYS(ANSWER(ASSIGN("1", "0"))), HC_EPOLICY, "names a job that there is not");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 4"))), HC_EPOLICY, "it names a node that there is not");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 0"))), HC_EPOLICY, "it names node 0 twice");
  fails(SAYS(ANSWER(ASSIGN("0", "0"))), HC_EPOLICY, "that are 1 nodes, and it has 2 to 2");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 1") "," ASSIGN("0", "0, 1"))), HC_EPOLICY,
        "said something of that job before");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 1")), ANSWER(ASSIGN("1", "1"))), HC_EPOLICY,
        "at t=0 s it says {\"id\": 1, \"assigned_node_ids\": [1]");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 1")), ANSWER(ASSIGN("1", "1"))), HC_EPOLICY, "job 0 runs on node 1");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 1")), ANSWER(ASSIGN("0", "2, 3"))), HC_EPOLICY,
        "rigid: its nodes stay the same");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 1")), ANSWER(ASSIGN("1", "2")), ANSWER(ASSIGN("0", "0, 1"))), HC_EPOLICY,
        "that job is over");
  fails(SAYS(ANSWER(ASSIGN("0", "0, 1")), ANSWER(KILL("0"))), HC_EPOLICY,
        "cannot be killed at the instant at which it starts");
}

/* How many GPUs of a node a job has, its most, is settled when it is read. */
static void test_gpus(void **state)
{
  static const char job[] =
      OTHER("malleable", THRICE, ", \"num_gpus_per_node_min\": 1, \"num_gpus_per_node_max\": 2");
  const trial t = RUN(job, ", burst_buffers: [c-1]",
                      ANSWER("{\"id\": 0, \"assigned_node_ids\": [0], \"assigned_num_gpus_per_node\": 1, "
                             "\"kill_flag\": false, \"modified_runtime_args\": false}"));
  (void)state;
  fails(t, HC_EUNSUPPORTED, "this one has 2, its most; give it as many for its least and its most");
  says(&t, "\"num_gpus_per_node_min\":1,\"num_gpus_per_node_max\":2");
  says(&t, "\"assigned_num_gpus_per_node\":2");
  says(&t, "{\"id\":0,\"type\":0,\"state\":0,\"assigned_jobs\":[],\"gpus\":[]},{\"id\":1,\"type\":1,");
  fails(RUN(job, "", ANSWER(ASSIGN("0", "0"))), HC_EPOLICY, "it has 1 to 2 GPUs of each node");
}

/* A name that only the algorithm could give. */
static void test_unknown_argument(void **state)
{
  (void)state;
  fails(RUN("{\"type\": \"malleable\", \"submit_time\": 0, \"num_nodes_min\": 1, \"num_nodes_max\": 4, "
            "\"application_model\": \"" THRICE "\"}",
            "", NONE),
        HC_EINPUT, "rounds");
}

/* What is kept for a job is no other's. */
static void test_kept(void **state)
{
  (void)state;
  fails(RUN(MALLEABLE ", " MALLEABLE ", {\"type\": \"rigid\", \"submit_time\": 1, \"num_nodes\": 1, "
                      "\"application_model\": \"" ONCE "\"}",
            "", ANSWER(ASSIGN("0", "0")), ANSWER(ASSIGN("1", "1")),
            ANSWER(ASSIGN("0", "0, 2") ", " ASSIGN("1", "1, 2"))),
        HC_EPOLICY, "node 2 is kept for job 0");
  fails(RUN(MALLEABLE
            ", {\"type\": \"rigid\", \"submit_time\": 1, \"num_nodes\": 1, \"application_model\": \"" ONCE
            "\"}",
            "", ANSWER(ASSIGN("0", "0")), ANSWER(ASSIGN("0", "0, 2") ", " ASSIGN("1", "2"))),
        HC_EPOLICY, "node 2 is kept for job 0 until its next scheduling point");
}

static trial configured(const char *yaml)
{
  trial t = {.rc = 0};
  char text[2048];
  write_jobs(TWO);
  (void)snprintf(text, sizeof text, "%s%s", strstr(yaml, "execution:") ? MACHINE_ALONE : MACHINE, yaml);
  carry_out(text, &t);
  drop_jobs();
  return t;
}

static void test_refused(void **state)
{
  (void)state;
  fails(configured("policy: {use: elastisim}\n"), HC_EUSAGE, "missing `url`");
  fails(configured("policy: {use: elastisim, url: 'ipc:///tmp/x', schedule_on: [submit]}\n"), HC_EUSAGE,
        "nothing calls for decisions");
  fails(configured("policy: {use: elastisim, url: 'ipc:///tmp/x'}\ncannot_grow: defer\n"), HC_EUNSUPPORTED,
        "leave out `cannot_grow`");
  fails(configured(
            "policy: {use: elastisim, url: 'ipc:///tmp/x'}\narchitecture: {use: monolithic, think: 2s}\n"),
        HC_EUNSUPPORTED, "allows no `think`");
  fails(configured("policy: {use: elastisim, url: 'ipc:///tmp/x'}\narchitecture: {use: monolithic, call: "
                   "per_event}\n"),
        HC_EUNSUPPORTED, "`call: instant` alone");
  fails(configured("policy: {use: elastisim, url: 'tcp://example.org:1'}\n"), HC_EUSAGE,
        "is on another machine");
  fails(configured("policy: {use: elastisim, url: 'ipc://" JOBS "'}\n"), HC_EUSAGE,
        "is there and is no socket");
  fails(configured("policy: {use: elastisim, url: 'ipc:///tmp/x', io_information: true}\nexecution: null\n"),
        HC_EUNSUPPORTED,
        "is told what is used of links, which is known where tasks do what their profiles say");
  fails(RUN(TWO, ", io_information: true, pfs_read: [none]", NONE), HC_EUSAGE,
        "pfs_read: no link of the network is called \"none\"");
  fails(configured("policy: {use: elastisim, url: 'ipc:///tmp/x', burst_buffers: [s-0]}\n"), HC_EUSAGE,
        "there is no node s-0");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_word_for_word),
                                     cmocka_unit_test(test_replay),
                                     cmocka_unit_test(test_period),
                                     cmocka_unit_test(test_apart),
                                     cmocka_unit_test(test_reconfiguration),
                                     cmocka_unit_test(test_requests),
                                     cmocka_unit_test(test_kill),
                                     cmocka_unit_test(test_same_instant),
                                     cmocka_unit_test(test_log),
                                     cmocka_unit_test(test_host_goes),
                                     cmocka_unit_test(test_kept_node_goes),
                                     cmocka_unit_test(test_arguments),
                                     cmocka_unit_test(test_io_information),
                                     cmocka_unit_test(test_wrong),
                                     cmocka_unit_test(test_kept),
                                     cmocka_unit_test(test_gpus),
                                     cmocka_unit_test(test_unknown_argument),
                                     cmocka_unit_test(test_refused)};
  (void)snprintf(url, sizeof url, "ipc:///tmp/hindcast-algorithm-%ld", (long)getpid());
  const int failures = cmocka_run_group_tests(tests, NULL, NULL);
  (void)unlink(RECORD);
  return failures;
}
