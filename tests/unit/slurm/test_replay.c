/* test_replay.c -- logs replayed on a batch system that is made up: `queue`, with a clock that moves only
 * when it is waited for.
 *
 * A job of it starts 5 s after its submission, unless its name is one that is held; ends as it wishes, or
 * 20 s after its limit; and its records are there at once. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "slurm/clock.h"
#include "slurm/replay.h"
#include "slurm/slurm_batch.h"

#define MOST 32
#define EPOCH 1000000 /* its clock begins at this second */

typedef struct queued {
  char id[HC_BATCH_ID], name[64], state[HC_BATCH_STATE];
  hc_time submit, start, end; /* HC_NEVER: it has not */
} queued;

typedef struct queue {
  hc_batch batch;
  queued jobs[MOST];
  size_t count;
  hc_time now;
  const char *held, *refused; /* names */
  int cancels;
} queue;

static queue *of(hc_batch *b)
{
  return (queue *)b;
}

static hc_rc submit(hc_batch *b, const hc_batch_job *job, char id[HC_BATCH_ID], char *said, size_t size,
                    hc_error *e)
{
  static const char *const words[] = {[HC_VEND_COMPLETED] = "COMPLETED",
                                      [HC_VEND_FAILED] = "FAILED",
                                      [HC_VEND_CANCELLED] = "CANCELLED",
                                      [HC_VEND_OUT_OF_MEMORY] = "OUT_OF_MEMORY",
                                      [HC_VEND_NEVER] = "TIMEOUT"};
  queue *q = of(b);
  queued *j = &q->jobs[q->count];
  const hc_time limit = job->minutes ? job->minutes * HC_MINUTE : HC_NEVER;
  (void)e;
  q->now += HC_SECOND; /* it takes its time */
  if (q->refused && strcmp(job->name, q->refused) == 0) {
    (void)snprintf(said, size, "no such thing");
    return 1;
  }
  assert_true(q->count < MOST);
  *j = (queued){.submit = q->now, .start = HC_NEVER, .end = HC_NEVER};
  (void)snprintf(j->id, sizeof j->id, "%zu", 100 + q->count++);
  (void)snprintf(j->name, sizeof j->name, "%s", job->name);
  (void)snprintf(id, HC_BATCH_ID, "%s", j->id);
  if (q->held && strcmp(job->name, q->held) == 0) return 0;
  j->start = q->now + 5 * HC_SECOND;
  if (job->wish.end == HC_VEND_NEVER || job->wish.run > limit) {
    (void)snprintf(j->state, sizeof j->state, "TIMEOUT");
    j->end = limit == HC_NEVER ? HC_NEVER : j->start + limit + 20 * HC_SECOND;
  } else {
    (void)snprintf(j->state, sizeof j->state, "%s", words[job->wish.end]);
    j->end = j->start + job->wish.run;
  }
  return 0;
}

static hc_rc cancel(hc_batch *b, const char *id, hc_error *e)
{
  queue *q = of(b);
  (void)e;
  q->cancels++;
  for (size_t i = 0; i < q->count; i++) {
    queued *j = &q->jobs[i];
    if (strcmp(j->id, id) != 0 || j->end <= q->now) continue;
    if (j->start > q->now) j->start = HC_NEVER;
    j->end = q->now;
    (void)snprintf(j->state, sizeof j->state, "CANCELLED by 0");
  }
  return 0;
}

static hc_rc poll(hc_batch *b, size_t *open, hc_error *e)
{
  const queue *q = of(b);
  (void)e;
  *open = 0;
  for (size_t i = 0; i < q->count; i++) *open += q->jobs[i].end > q->now;
  return 0;
}

static hc_rc collect(hc_batch *b, hc_rc (*take)(void *ctx, const hc_batch_record *r), void *ctx, hc_error *e)
{
  queue *q = of(b);
  const hc_batch_record foreign = {.id = "1", .name = "someone's", .state = "FAILED"};
  (void)e;
  assert_int_equal(take(ctx, &foreign), 0);
  for (size_t i = 0; i < q->count; i++) {
    const queued *j = &q->jobs[i];
    hc_batch_record r = {.id = j->id, .name = j->name, .start = HC_UNKNOWN};
    if (j->end > q->now) continue;
    (void)snprintf(r.state, sizeof r.state, "%s", j->state);
    r.submit = EPOCH + j->submit / HC_SECOND;
    r.end = EPOCH + j->end / HC_SECOND;
    if (j->start != HC_NEVER) r.start = EPOCH + j->start / HC_SECOND;
    assert_int_equal(take(ctx, &r), 0);
  }
  return 0;
}

static hc_time now(hc_batch *b)
{
  return of(b)->now;
}

/* A while less than asked for, as a real one does it. */
static void wait(hc_batch *b, hc_time until)
{
  queue *q = of(b);
  q->now = until == HC_NEVER ? q->now + 10 * HC_SECOND : HC_MIN(until, q->now + 30 * HC_SECOND);
}

static queue make_queue(void)
{
  return (queue){.batch = {submit, cancel, poll, collect, now, wait}};
}

static const hc_replay_machine machine = {.nodes = 8, .cpus = 4, .margin = 60 * HC_SECOND};
static const hc_replay_options options = {.give_up = HC_DAY};

/* A row of a log, in seconds; -1: unknown. */
static hc_task_spec row(int64_t id, int64_t at, int64_t waits, int64_t run, int64_t limit, hc_recorded state)
{
  hc_task_spec t = hc_task_spec_none();
  t.id = id;
  t.submit = at * HC_SECOND;
  t.wait = waits < 0 ? HC_UNKNOWN : waits * HC_SECOND;
  t.run = run < 0 ? HC_UNKNOWN : run * HC_SECOND;
  t.limit = limit < 0 ? HC_UNKNOWN : limit * HC_SECOND;
  t.procs_asked = 4;
  t.user = 3;
  hc_spec_record(&t, state);
  return t;
}

static hc_replay_job made(const hc_task_spec *t)
{
  hc_replay_job j = {0};
  const char *why = NULL;
  assert_int_equal(hc_replay_make(t, &machine, &j, &why), 1);
  return j;
}

static const char *refused(const hc_task_spec *t)
{
  hc_replay_job j;
  const char *why = NULL;
  assert_int_equal(hc_replay_make(t, &machine, &j, &why), 0);
  return why;
}

/* ---- a job of the log ---- */

/* Nodes that a job has for itself or its user are asked for, and told to the model by the column that says
 * so. */
static void test_exclusive_jobs(void **state)
{
  static const char *const shown[] = {"|OK\n", "|NO\n", "|USER\n"};
  const hc_replay_totals t = {.origin = HC_UNKNOWN};
  (void)state;
  for (uint32_t how = HC_EXCLUSIVE_NOT; how <= HC_EXCLUSIVE_USER; how++) {
    const hc_task_spec spec = row(1, 0, 5, 10, 60, HC_RECORDED_COMPLETED);
    hc_replay_job jobs[] = {made(&spec), made(&spec)};
    hc_batch_job asked;
    hc_buffer b;
    char name[64];
    jobs[0].exclusive = how;
    jobs[1].exclusive = HC_EXCLUSIVE_USER;
    hc_replay_ask(&jobs[0], name, &asked);
    assert_int_equal(asked.exclusive, how);
    hc_buffer_init(&b, hc_default_allocator());
    hc_replay_write(jobs, 2, &t, 0, false, &b);
    assert_non_null(strstr(b.data, "|ReqCPUS|OverSubscribe\n1|"));
    assert_non_null(strstr(b.data, shown[how]));
    hc_buffer_fini(&b);
  }
}

static void test_sizes(void **state)
{
  static const struct {
    int64_t procs, hosts, millicores, nodes, cpus;
  } cases[] = {{1, HC_UNKNOWN, 0, 1, 1},  {4, HC_UNKNOWN, 0, 1, 4},
               {5, HC_UNKNOWN, 0, 2, 3}, /* 2 x 3: one too many */
               {16, HC_UNKNOWN, 0, 4, 4}, {6, 3, 0, 3, 2},
               {-1, 2, 1500, 2, 2},       {-1, 2, 0, 2, 4} /* whole nodes */};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_task_spec t = row(1, 0, 0, 10, 60, HC_RECORDED_COMPLETED);
    t.procs_asked = cases[i].procs;
    t.hosts = cases[i].hosts;
    if (cases[i].millicores) t.need[HC_DIM_CPU] = cases[i].millicores;
    hc_replay_job j = made(&t);
    assert_int_equal(j.nodes, cases[i].nodes);
    assert_int_equal(j.cpus, cases[i].cpus);
    assert_int_equal(j.memory, 0);
  }
}

static void test_what_cannot_be_replayed(void **state)
{
  hc_task_spec t = row(1, 0, 0, 10, 60, HC_RECORDED_COMPLETED);
  (void)state;
  t.procs_asked = 33;
  assert_string_equal(refused(&t), "larger than the machine");
  t.procs_asked = -1;
  assert_string_equal(refused(&t), "without a number of processors");
  t = row(1, 0, 0, 10, 60, HC_RECORDED_COMPLETED);
  t.submit = HC_UNKNOWN;
  assert_string_equal(refused(&t), "without a time of submission");
  t = row(1, 0, 50, -1, 60, HC_RECORDED_FAILED);
  assert_string_equal(refused(&t), "that did not run, without having been cancelled");
}

/* Limits in minutes: as asked for, raised where the run comes within a minute of it, of timeouts as it is. */
static void test_limits(void **state)
{
  static const struct {
    int64_t run, limit;
    hc_recorded how;
    int64_t minutes;
    bool raised;
  } cases[] = {{100, 600, HC_RECORDED_COMPLETED, 10, false}, {540, 600, HC_RECORDED_COMPLETED, 10, false},
               {541, 600, HC_RECORDED_COMPLETED, 11, true},  {900, 600, HC_RECORDED_FAILED, 16, true},
               {900, -1, HC_RECORDED_COMPLETED, 0, false},   {600, 600, HC_RECORDED_TIMEOUT, 10, false},
               {629, 600, HC_RECORDED_TIMEOUT, 10, false},   {600, -1, HC_RECORDED_TIMEOUT, 10, false},
               {120, 3600, HC_RECORDED_TIMEOUT, 2, false}, /* ended at a limit that is not its own */
               {100, 90, HC_RECORDED_TIMEOUT, 2, false}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    const hc_task_spec t = row(1, 0, 0, cases[i].run, cases[i].limit, cases[i].how);
    const hc_replay_job j = made(&t);
    assert_int_equal(j.minutes, cases[i].minutes);
    assert_int_equal(j.was_raised, cases[i].raised);
  }
}

/* ---- a replay ---- */

/* Each state, and a job that is cancelled in the queue at 200 s, having waited for 100. */
static size_t make_all(hc_replay_job *jobs)
{
  const hc_task_spec rows[] = {
      row(11, 10, 5, 300, 900, HC_RECORDED_COMPLETED),    row(12, 20, 5, 60, 900, HC_RECORDED_FAILED),
      row(13, 30, 5, 120, 120, HC_RECORDED_TIMEOUT),      row(14, 40, 5, 70, 900, HC_RECORDED_CANCELLED),
      row(15, 50, 5, 80, 900, HC_RECORDED_OUT_OF_MEMORY), row(16, 100, 100, -1, 900, HC_RECORDED_CANCELLED),
      row(17, 100, 0, 30, 900, HC_RECORDED_UNKNOWN)};
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) jobs[i] = made(&rows[i]);
  return HC_ARRAY_LEN(rows);
}

static void test_every_state_comes_out(void **state)
{
  queue q = make_queue();
  hc_replay_job jobs[MOST];
  const size_t n = make_all(jobs);
  hc_replay_totals t;
  hc_buffer text;
  (void)state;
  q.held = "hindcast.16";
  q.now = 77 * HC_SECOND; /* whatever it shows at first: the log begins there */
  assert_int_equal(hc_replay_run(hc_default_allocator(), &q.batch, jobs, n, &options, &t, NULL), 0);
  assert_int_equal(t.submitted, 7);
  assert_int_equal(t.equal, 7);
  assert_int_equal(q.cancels, 1);
  /* Job 11 is due at 77 s of the queue's clock and is there a second later: 1000078 less 10 is the log's 0.
   * */
  assert_int_equal(t.origin, EPOCH + 68);
  assert_int_equal(t.late_median, 0);
  assert_int_equal(t.late_most, HC_SECOND); /* 17, behind 16 */
  hc_buffer_init(&text, hc_default_allocator());
  hc_replay_write(jobs, n, &t, 5000, true, &text);
  assert_string_equal(
      text.data, "JobID|User|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|NNodes|NCPUS|ReqCPUS\n"
                 "11|u3||5010|5015|5315|300|15|COMPLETED|1|4|4\n"
                 "12|u3||5020|5025|5085|60|15|FAILED|1|4|4\n"
                 "13|u3||5030|5035|5175|140|2|TIMEOUT|1|4|4\n"
                 "14|u3||5040|5045|5115|70|15|CANCELLED|1|4|4\n"
                 "15|u3||5050|5055|5135|80|15|OUT_OF_MEMORY|1|4|4\n"
                 "16|u3||5100|Unknown|5199|0|15|CANCELLED|1|4|4\n"
                 "17|u3||5101|5106|5136|30|15|COMPLETED|1|4|4\n");
  text.size = 0;
  hc_replay_write(jobs, n, &t, 5000, false, &text);
  assert_non_null(strstr(text.data, "\n13|u3||5030|5035|5155|120|2|TIMEOUT|1|4|4\n"));
  assert_non_null(strstr(text.data, "\n16|u3||5100|Unknown|5200|0|15|CANCELLED|1|4|4\n"));
  hc_buffer_fini(&text);
}

static void test_a_job_that_never_ends_is_lost(void **state)
{
  queue q = make_queue();
  hc_replay_job jobs[MOST];
  const size_t n = make_all(jobs);
  hc_replay_totals t;
  (void)state;
  q.held = "hindcast.11";
  assert_int_equal(hc_replay_run(hc_default_allocator(), &q.batch, jobs, n, &options, &t, NULL), 0);
  assert_int_equal(t.states[HC_REPLAY_COMPLETED][HC_REPLAY_LOST], 1);
  assert_int_equal(t.equal, 6);
  assert_int_equal(jobs[0].got_end, HC_UNKNOWN);
}

static void test_a_refusal_is_told(void **state)
{
  queue q = make_queue();
  hc_replay_job jobs[MOST];
  const size_t n = make_all(jobs);
  hc_replay_totals t;
  (void)state;
  q.refused = "hindcast.16"; /* it is not cancelled either */
  assert_int_equal(hc_replay_run(hc_default_allocator(), &q.batch, jobs, n, &options, &t, NULL), 0);
  assert_int_equal(t.refused, 1);
  assert_int_equal(t.submitted, 6);
  assert_string_equal(t.refusal, "no such thing");
  assert_int_equal(q.cancels, 0);
  assert_int_equal(t.states[HC_REPLAY_CANCELLED][HC_REPLAY_LOST], 1);
}

/* A number that the log has twice is made another one, so that each record finds its job. */
static void test_numbers_that_come_twice(void **state)
{
  queue q = make_queue();
  const hc_task_spec rows[] = {row(7, 0, 0, 30, 900, HC_RECORDED_COMPLETED),
                               row(7, 1, 0, 40, 900, HC_RECORDED_FAILED)};
  hc_replay_job jobs[2] = {made(&rows[0]), made(&rows[1])};
  hc_replay_totals t;
  (void)state;
  assert_int_equal(hc_replay_run(hc_default_allocator(), &q.batch, jobs, 2, &options, &t, NULL), 0);
  assert_int_equal(t.equal, 2);
  assert_int_equal(jobs[0].id, 7);
  assert_int_not_equal(jobs[1].id, 7);
}

static bool stop(void *ctx, size_t submitted, size_t ended, hc_time at)
{
  (void)ended;
  (void)at;
  return submitted < *(size_t *)ctx;
}

static void test_it_can_be_stopped(void **state)
{
  queue q = make_queue();
  hc_replay_job jobs[MOST];
  size_t n = make_all(jobs), most = 3;
  const hc_replay_options o = {.tick = stop, .ctx = &most, .give_up = HC_DAY};
  hc_replay_totals t;
  hc_error e = {0};
  (void)state;
  q.now = 0;
  jobs[3].submit = 90 * HC_SECOND; /* so that it is waited for */
  jobs[4].submit = 95 * HC_SECOND;
  assert_int_equal(hc_replay_run(hc_default_allocator(), &q.batch, jobs, n, &o, &t, &e), HC_ECANCELLED);
  assert_int_equal(q.count, 3);
  assert_non_null(strstr(e.text, "down"));
}

/* ---- Slurm's records ---- */

/* Lines as Slurm 22.05.8 wrote them; the second never ran. */
static void test_records_of_jobcomp(void **state)
{
  char ran[] =
      "JobId=4 UserId=root(0) GroupId=root(0) Name=hindcast.9 JobState=TIMEOUT Partition=all TimeLimit=5 "
      "StartTime=2026-11-28T14:24:53 EndTime=2026-11-28T14:30:25 NodeList=n[01-02] NodeCnt=2 ProcCnt=8 "
      "WorkDir=/ ReservationName= Tres=cpu=8,mem=125G,node=2,billing=8 Account= QOS= WcKey= Cluster=unknown "
      "SubmitTime=2026-11-28T14:24:50 EligibleTime=2026-11-28T14:24:50 DerivedExitCode=0:0 ExitCode=0:0 \n";
  char never[] =
      "JobId=5 UserId=root(0) GroupId=root(0) Name=x JobState=CANCELLED Partition=all TimeLimit=5 "
      "StartTime=2026-02-28T23:59:59 EndTime=2026-03-01T00:00:00 NodeList=(null) NodeCnt=1 ProcCnt=1 "
      "WorkDir=/ SubmitTime=2026-02-28T23:59:58 EligibleTime=2026-02-28T23:59:58 ExitCode=0:0 \n";
  char none[] = "JobId=5 Name=x\n";
  hc_batch_record r;
  (void)state;
  assert_true(hc_jobcomp_read(ran, &r));
  assert_string_equal(r.id, "4");
  assert_string_equal(r.name, "hindcast.9");
  assert_string_equal(r.state, "TIMEOUT");
  assert_int_equal(r.start, 1795875893); /* date -u -d 2026-11-28T14:24:53 +%s */
  assert_int_equal(r.end - r.start, 332);
  assert_int_equal(r.start - r.submit, 3);
  assert_true(hc_jobcomp_read(never, &r));
  assert_int_equal(r.start, HC_UNKNOWN);
  assert_int_equal(r.end, 1772323200); /* date -u -d 2026-03-01 +%s */
  assert_int_equal(r.end - r.submit, 2);
  assert_false(hc_jobcomp_read(none, &r));
}

/* Lines as `scontrol --oneliner show job` of 22.05.8 writes them, shortened: one that ran, one that runs. */
static void test_records_of_scontrol(void **state)
{
  char ended[] = "JobId=7 JobName=hindcast.3 UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=1 Nice=0 "
                 "JobState=FAILED Reason=NonZeroExitCode Requeue=1 RunTime=00:00:03 TimeLimit=00:01:00 "
                 "SubmitTime=2026-03-01T00:00:00 EligibleTime=2026-03-01T00:00:00 AccrueTime=Unknown "
                 "StartTime=2026-03-01T00:00:01 EndTime=2026-03-01T00:00:04 Deadline=N/A ReqNodeList=(null) "
                 "ExcNodeList=(null) NodeList=n1 BatchHost=n1";
  char runs[] =
      "JobId=8 JobName=hindcast.4 JobState=RUNNING SubmitTime=2026-03-01T00:00:00 "
      "StartTime=2026-03-01T00:00:01 EndTime=2026-03-01T00:01:01 ReqNodeList=(null) ExcNodeList=(null) "
      "NodeList=n1";
  char never[] =
      "JobId=9 JobName=hindcast.5 JobState=CANCELLED SubmitTime=2026-03-01T00:00:00 "
      "StartTime=2026-03-01T00:00:09 EndTime=2026-03-01T00:00:09 ReqNodeList=n1 ExcNodeList=(null) "
      "NodeList=(null)";
  hc_batch_record r;
  (void)state;
  assert_true(hc_scontrol_read(ended, &r));
  assert_string_equal(r.name, "hindcast.3");
  assert_string_equal(r.state, "FAILED");
  assert_int_equal(r.submit, 1772323200);
  assert_int_equal(r.start - r.submit, 1);
  assert_int_equal(r.end - r.start, 3);
  assert_false(hc_scontrol_read(runs, &r));
  assert_true(hc_scontrol_read(never, &r));
  assert_int_equal(r.start, HC_UNKNOWN);
}

static void test_limits_are_divided(void **state)
{
  (void)state;
  assert_int_equal(hc_compressed_minutes(0, 60), 0); /* none stays none */
  assert_int_equal(hc_compressed_minutes(60, 60), 1);
  assert_int_equal(hc_compressed_minutes(61, 60), 2);
  assert_int_equal(hc_compressed_minutes(1, 1000), 1); /* never none */
  assert_int_equal(hc_compressed_minutes(90, 1), 90);
}

/* ---- the clock ---- */

static void test_a_clock_is_moved(void **state)
{
  char path[] = "clock_XXXXXX";
  const int fd = mkstemp(path);
  hc_clock a = {.speed = 100, .path = path}, b = a;
  hc_time next = 0;
  FILE *f;
  (void)state;
  assert_true(fd >= 0);
  (void)close(fd);
  hc_clock_read(&a); /* an empty file says nothing */
  assert_int_equal(a.ahead, 0);
  assert_int_equal(hc_clock_move(&a, 90 * HC_MINUTE + HC_SECOND / 4, NULL), 0);
  assert_int_equal(hc_clock_move(&a, HC_SECOND, NULL), 0);
  hc_clock_read(&b);
  assert_int_equal(b.ahead, 5401 * HC_SECOND + HC_SECOND / 4);
  assert_int_equal(hc_clock_real(&b, HC_MINUTE), HC_SECOND * 6 / 10);
  assert_int_equal(hc_clock_real(&b, HC_NEVER), HC_NEVER);
  f = fopen(path, "w"); /* nonsense changes nothing */
  assert_non_null(f);
  (void)fprintf(f, "@soon\n");
  (void)fclose(f);
  hc_clock_read(&b);
  assert_int_equal(b.ahead, 5401 * HC_SECOND + HC_SECOND / 4);
  assert_false(hc_clock_told(path, &next));
  assert_int_equal(hc_clock_tell(path, 12345), 0);
  assert_true(hc_clock_told(path, &next));
  assert_int_equal(next, 12345);
  (void)unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exclusive_jobs),          cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_what_cannot_be_replayed), cmocka_unit_test(test_limits),
      cmocka_unit_test(test_every_state_comes_out),   cmocka_unit_test(test_a_job_that_never_ends_is_lost),
      cmocka_unit_test(test_a_refusal_is_told),       cmocka_unit_test(test_numbers_that_come_twice),
      cmocka_unit_test(test_it_can_be_stopped),       cmocka_unit_test(test_records_of_jobcomp),
      cmocka_unit_test(test_records_of_scontrol),     cmocka_unit_test(test_limits_are_divided),
      cmocka_unit_test(test_a_clock_is_moved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
