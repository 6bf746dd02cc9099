/* test_slurm_preempt.c -- preemption under the policy slurm: beside what slurmctld did, and by hand. */
#include "slurm_recorded_test.h"

/* ---- beside slurmctld ---- */

static const recorded all[] = {
#include "oracles/slurm/preempted.inc"
};

/* As they were in slurmdbd. */
static const char qualities[] =
    "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode\nnormal|0|00:00:00|||cluster\n"
    "lowq|1|00:00:00|||cluster\nmidq|10|00:00:00|||cluster\ncancelq|1|00:00:00|||cancel\n"
    "graceq|1|00:00:20|||cluster\nshieldq|1|00:00:00||00:01:00|cluster\n"
    "highq|100|00:00:00|cancelq,graceq,lowq,midq,shieldq||cluster\n";

/* Phases that the records show: of the looks at time limits, and of passes over the whole queue. In two of
 * the runs slurmctld's backfill did not run a second time, since nothing had changed meanwhile; the model
 * counts that it had tried a job. */
static const struct {
  const char *name, *keys;
} phases[] = {{"grace_cancel", "limits_at: -3s"},
              {"grace_requeue", "limits_at: -3s"},
              {"grace_long", "limits_at: -3s"},
              {"exempt", "full_at: -3s, backfill_at: 1000s"},
              {"qos2", "full_at: -9s, backfill_at: 1000s, limits_at: 21s"}};

static const char *phase_of(const char *name)
{
  for (size_t i = 0; i < COUNT(phases); i++)
    if (strcmp(phases[i].name, name) == 0) return phases[i].keys;
  return NULL;
}

typedef struct stopped {
  const recorded *of;
  size_t next; /* of its facts */
} stopped;

static bool is_stop(const fact *f)
{
  return f->at > 0 && (f->kind == REQUEUED || f->kind == KILLED);
}

/* A row of `stops`: serial, times, start, end, how. The next fact that is a stop is this one. */
static hc_rc compare_stop(void *ctx, const char *const *row)
{
  stopped *s = ctx;
  const fact *f = &s->of->facts[s->next];
  while (s->next < COUNT(s->of->facts) && !is_stop(f)) f = &s->of->facts[++s->next];
  if (s->next == COUNT(s->of->facts)) return 0; /* after the record's end */
  s->next++;
  const int64_t id = strtoll(row[0], NULL, 10) + 1, how = strtoll(row[4], NULL, 10);
  const double at = strtod(row[3], NULL) / 1e9;
  if (id != f->job || (how == HC_STOP_KILL) != (f->kind == KILLED) || !is_near(at, f))
    fail_msg("%s: job %" PRId64 " is stopped (%" PRId64 ") at %.1f s, slurmctld stopped %" PRId64
             " at %.1f s",
             s->of->name, id, how, at, f->job, f->at);
  return 0;
}

/* A row of `rates`: serial, when, rate, what it holds. */
static hc_rc compare_pause(void *ctx, const char *const *row)
{
  stopped *s = ctx;
  while (s->next < COUNT(s->of->facts) && !is_pause(&s->of->facts[s->next])) s->next++;
  if (s->next == COUNT(s->of->facts)) return 0;
  const fact *f = &s->of->facts[s->next++];
  const int64_t id = strtoll(row[0], NULL, 10) + 1;
  const double at = strtod(row[1], NULL) / 1e9;
  const bool suspended = strtoll(row[2], NULL, 10) == 0;
  if (id != f->job || suspended != (f->kind == SUSPENDED) || !is_near(at, f))
    fail_msg("%s: job %" PRId64 " is %s at %.1f s, under slurmctld job %" PRId64 " at %.1f s", s->of->name,
             id, suspended ? "suspended" : "resumed", at, f->job, f->at);
  return 0;
}

/* The last fact of a job that is a start. */
static const fact *last_start(const recorded *c, int64_t id)
{
  const fact *out = NULL;
  for (size_t i = 0; i < COUNT(c->facts); i++)
    if (c->facts[i].job == id && c->facts[i].kind == START) out = &c->facts[i];
  return out;
}

static bool was_requeued(const recorded *c, int64_t id)
{
  bool out = false;
  for (size_t i = 0; i < COUNT(c->facts); i++) {
    if (c->facts[i].job != id) continue;
    if (c->facts[i].kind == REQUEUED) out = true;
    if (c->facts[i].kind == START) out = false;
  }
  return out;
}

/* Who is stopped, in which order, how and when; and when each job last starts, if the record tells. */
static void compare(const recorded *c, const char *path)
{
  char conf[1024], tasks[2048], keys[256], log[64];
  const char *phase = phase_of(c->name);
  bench b;
  hc_result *r;
  stopped s = {.of = c}, pauses = s;
  (void)snprintf(conf, sizeof conf, "%sAuthInfo=cred_expire=10\nMessageTimeout=60\n%s", c->conf,
                 strcmp(c->name, "no_requeue") == 0 ? "JobRequeue=0\n" : "");
  (void)snprintf(keys, sizeof keys, "accounting: [%s]%s%s", path, phase ? ", " : "", phase ? phase : "");
  put_jobs(c, tasks, sizeof tasks);
  begin_run(&b, &(const given){conf, keys, NULL}, tasks, log);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "stops", 7, compare_stop, &s, &b.error));
  if (strstr(c->conf, "SUSPEND")) check(&b, hc_result_rows(r, "rates", 4, compare_pause, &pauses, &b.error));
  hc_result_free(r);
  while (s.next < COUNT(c->facts)) {
    if (is_stop(&c->facts[s.next]))
      fail_msg("%s: slurmctld stopped job %" PRId64 " at %.1f s, here it is not", c->name,
               c->facts[s.next].job, c->facts[s.next].at);
    s.next++;
  }
  while (strstr(c->conf, "SUSPEND") && pauses.next < COUNT(c->facts))
    if (is_pause(&c->facts[pauses.next++])) fail_msg("%s: more was suspended or resumed than here", c->name);
  for (size_t i = 0; i < b.count; i++) {
    const hc_task_record *x = &b.records[i];
    const fact *f = last_start(c, x->id);
    const double at = (double)x->start / 1e9;
    if (f && !was_requeued(c, x->id) && !is_near(at, f))
      fail_msg("%s: job %" PRId64 " starts at %.1f s, under slurmctld at %.1f s", c->name, x->id, at, f->at);
  }
  end(&b);
  (void)unlink(log);
}

static void test_as_slurmctld_did(void **state)
{
  (void)state;
  compare_all(all, COUNT(all), qualities, compare);
}

/* ---- by hand ---- */

#define TIERS "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nNodeName=n[0-3] CPUs=8\n"
#define LOW(more) "PartitionName=low Nodes=n[0-3] PriorityTier=1 " more "\n"
#define HIGH(more) "PartitionName=high Nodes=n[0-3] PriorityTier=9 " more "\n"
#define QOS_OF(id, at, run, limit, nodes, qos) \
  T_WITH(id, at, run, limit, nodes, 8, ", user: root, group: root, queue: " qos)

/* Task 1 has all from 0 on, 2 comes at 10: 1 is stopped, its nodes are clean 0.1 s later, and 2 has them till
 * 20.1. 1 may start again at 10 + 121, when nothing asks for a pass: the next over all is that at 180. With
 * killed: 2s 2 starts when the nodes are clean; where jobs are cancelled 1 is over; and of a partition with
 * OFF none is stopped, nor of the same tier. */
static void test_modes_of_partitions(void **state)
{
  static const char tasks[] = T_IN(1, 0, 100, 200, 4, 8, "low") T_IN(2, 10, 10, 10, 4, 8, "high");
  (void)state;
  RUN(BUILTIN TIERS LOW("") HIGH(""), NULL, NULL, tasks, 180000, 10100);
  RUN(BUILTIN TIERS LOW("") HIGH(""), "killed: 2s", NULL, tasks, 180000, 12000);
  RUN(BUILTIN TIERS LOW("") HIGH(""), "killed: 0s", NULL, tasks, 180000, 10000);
  RUN(BUILTIN TIERS LOW("PreemptMode=CANCEL") HIGH(""), NULL, NULL, tasks, 0, 10100);
  RUN(BUILTIN TIERS LOW("PreemptMode=OFF") HIGH(""), NULL, NULL, tasks, 0, 100000);
  RUN(BUILTIN TIERS "PartitionName=DEFAULT PreemptMode=OFF\n" LOW("") HIGH("PreemptMode=REQUEUE"), NULL, NULL,
      tasks, 0, 100000);
  RUN(BUILTIN TIERS LOW("") "PartitionName=high Nodes=n[0-3] PriorityTier=1\n", NULL, NULL, tasks, 0, 100000);
  RUN(BUILTIN "JobRequeue=0\n" TIERS LOW("") HIGH(""), NULL, NULL, tasks, 0, 10100);
}

/* What a job says of itself goes before JobRequeue. */
static void test_jobs_that_stay(void **state)
{
#define OWN(word) \
  T_WITH(1, 0, 100, 200, 4, 8, ", partition: low, requeue: " word) T_IN(2, 10, 10, 10, 4, 8, "high")
  (void)state;
  RUN(BUILTIN TIERS LOW("") HIGH(""), NULL, NULL, OWN("false"), 0, 10100);
  RUN(BUILTIN "JobRequeue=0\n" TIERS LOW("") HIGH(""), NULL, NULL, OWN("true"), 180000, 10100);
  RUN(BUILTIN TIERS LOW("PreemptMode=CANCEL") HIGH(""), NULL, NULL, OWN("true"), 0, 10100);
}

/* 1 runs from 0, and may be stopped from 60 on. 2 comes at 10: the passes at 10 and, asked for by the end of
 * 3, at 40 find no job to stop. The next is over all, at 60. 1 waits for 121 s and starts again at 240, in
 * another. -1 is no such time. */
static void test_exempt_time(void **state)
{
  static const char tasks[] =
      T_IN(1, 0, 100, 200, 3, 8, "low") T_IN(2, 10, 10, 10, 4, 8, "high") T_IN(3, 0, 40, 40, 1, 8, "low");
  (void)state;
  RUN(BUILTIN TIERS "PreemptExemptTime=1\n" LOW("") HIGH(""), NULL, NULL, tasks, 240000, 60100, 0);
  RUN(BUILTIN TIERS "PreemptExemptTime=-1\n" LOW("") HIGH(""), NULL, NULL, tasks, 180000, 10100, 180000);
}

/* 1 to 3 start at 0, each on a node, and 4 comes at 1 to the fourth at 3. 5 wants two nodes: of equals the
 * first submitted go, 1 and 2; the youngest first: 4 and then 1, the first of those that started at 0. Of the
 * two the one that made room is tried first in the next round, and again in the last. */
static void test_order(void **state)
{
  static const char tasks[] = T_IN(1, 0, 100, 200, 1, 8, "low") T_IN(2, 0, 100, 200, 1, 8, "low")
      T_IN(3, 0, 100, 200, 1, 8, "low") T_IN(4, 1, 100, 200, 1, 8, "low") T_IN(5, 10, 10, 10, 2, 8, "high");
  (void)state;
  RUN(BUILTIN TIERS LOW("PreemptMode=CANCEL") HIGH(""), NULL, NULL, tasks, 0, 0, 0, 3000, 10100);
  RUN(BUILTIN TIERS LOW("") HIGH(""), NULL, NULL, tasks, 180000, 180000, 0, 3000, 10100);
  RUN(BUILTIN "SchedulerParameters=preempt_youngest_first\n" TIERS LOW("") HIGH(""), NULL, NULL, tasks,
      180000, 0, 0, 180000, 10100);
  RUN(BUILTIN "PreemptParameters=youngest_first,send_user_signal\n" TIERS LOW("") HIGH(""), NULL, NULL, tasks,
      180000, 0, 0, 180000, 10100);
}

/* Small ones go before large ones: 1 has two nodes, 2 and 3 one each. A job of three nodes takes away 2, 3
 * and 1; 1 made it fit and goes first, and with it, of those before it, the one whose node was chosen: that
 * is 2, on n2. So 3, the last, runs on. Without a second round, three: n0-n2 are chosen, and 3 is spared as
 * none of its nodes is. */
static void test_reorder(void **state)
{
  static const char tasks[] = T_IN(1, 0, 100, 200, 2, 8, "low") T_IN(2, 0, 100, 200, 1, 8, "low")
      T_IN(3, 0, 100, 200, 1, 8, "low") T_IN(4, 10, 10, 10, 3, 8, "high");
  (void)state;
  RUN(BUILTIN TIERS LOW("") HIGH(""), NULL, NULL, tasks, 180000, 180000, 0, 10100);
  RUN(BUILTIN "SchedulerParameters=preempt_reorder_count=0\n" TIERS LOW("") HIGH(""), NULL, NULL, tasks,
      180000, 180000, 0, 10100);
}

/* With a grace of 20 s 1 is told at 10 and goes at the look at 30, that at or after 30; 2 starts 0.1 s later.
 * A task that ends by itself before that leaves its nodes at 25, when the pass is asked for. */
static void test_grace(void **state)
{
  (void)state;
  RUN(BUILTIN TIERS LOW("GraceTime=20") HIGH(""), NULL, NULL,
      T_IN(1, 0, 100, 200, 4, 8, "low") T_IN(2, 10, 10, 10, 4, 8, "high"), 180000, 30100);
  RUN(BUILTIN TIERS LOW("GraceTime=20") HIGH(""), "limits_at: 1s", NULL,
      T_IN(1, 0, 100, 200, 4, 8, "low") T_IN(2, 10, 10, 10, 4, 8, "high"), 180000, 31100);
  RUN(BUILTIN TIERS LOW("GraceTime=20") HIGH(""), NULL, NULL,
      T_IN(1, 0, 25, 200, 4, 8, "low") T_IN(2, 10, 10, 10, 4, 8, "high"), 0, 25100);
}

static void with_qualities(const char *text, const char *conf, const char *tasks, const int64_t *at, size_t n)
{
  char path[64], keys[128];
  write_log(path, text, strlen(text));
  (void)snprintf(keys, sizeof keys, "accounting: [%s]", path);
  starts(&(const given){conf, keys, NULL}, tasks, at, n);
  (void)unlink(path);
}
#define WITH_QOS(text, conf, tasks, ...) \
  with_qualities(text, conf, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))
#define BY_QOS "PreemptType=preempt/qos\nPreemptMode=REQUEUE\n" FOUR

/* Of `top` only `b` may be stopped: 2 goes, and 1 of `a` stays, though it came first and `a` is of a lower
 * priority. A QOS may be cancelled where the cluster requeues; OFF is the cluster's way. */
static void test_lists_of_qos(void **state)
{
  static const char tasks[] =
      QOS_OF(1, 0, 100, 200, 2, "a") QOS_OF(2, 0, 100, 200, 2, "b") QOS_OF(3, 10, 10, 10, 1, "top");
  (void)state;
  WITH_QOS("Name|Priority|Preempt|PreemptMode\na|1||cluster\nb|5||cluster\ntop|9|b|cluster\n", BUILTIN BY_QOS,
           tasks, 0, 180000, 10100);
  WITH_QOS("Name|Priority|Preempt|PreemptMode\na|1||cluster\nb|5||cancel\ntop|9|a,b|cluster\n",
           BUILTIN BY_QOS, tasks, 180000, 0, 10100);
  WITH_QOS("Name|Priority|Preempt|PreemptMode\na|1||off\nb|5||cancel\ntop|9|b|cluster\n", BUILTIN BY_QOS,
           tasks, 0, 0, 10100);
  WITH_QOS("Name|Priority|Preempt|PreemptMode\na|1||cluster\nb|5||cluster\ntop|9||cluster\n", BUILTIN BY_QOS,
           tasks, 0, 0, 100000);
}

/* The larger a job, the higher its priority. Within a QOS of WITHIN, or a cluster of it, 2 stops 1. */
static void test_within_a_qos(void **state)
{
  static const char tasks[] = QOS_OF(1, 0, 100, 200, 2, "a") QOS_OF(2, 10, 10, 10, 4, "a");
#define BY_SIZE "PriorityType=priority/multifactor\nPriorityWeightJobSize=1000\n"
  (void)state;
  WITH_QOS("Name|Priority|Preempt|PreemptMode\na|1||within\n", BUILTIN BY_SIZE BY_QOS, tasks, 180000, 10100);
  WITH_QOS("Name|Priority|Preempt|PreemptMode\na|1||cluster\n", BUILTIN BY_SIZE BY_QOS, tasks, 0, 100000);
  WITH_QOS("Name|Priority|Preempt|PreemptMode\na|1||cluster\n",
           BUILTIN BY_SIZE "PreemptType=preempt/qos\nPreemptMode=REQUEUE,WITHIN\n" FOUR, tasks, 180000,
           10100);
}

/* A job that its limit forbids stops none: 3 may have 8 processors with what runs in its QOS, which 2 has
 * till 50, when its node is free for 3. 4, of a QOS that stops none, has it after that, at 60. */
static void test_limits_come_first(void **state)
{
  static const char tasks[] = QOS_OF(1, 0, 100, 200, 3, "a") QOS_OF(2, 0, 50, 50, 1, "top")
      QOS_OF(3, 10, 10, 10, 1, "top") QOS_OF(4, 20, 200, 200, 1, "b");
  (void)state;
  WITH_QOS("Name|Priority|Preempt|GrpTRES\na|1||\nb|1||\ntop|9|a|cpu=8\n",
           BUILTIN "AccountingStorageEnforce=limits\n" BY_QOS, tasks, 0, 0, 50000, 60000);
}

/* One that a pass does not reach the backfill may preempt for: 2 has half of the nodes and cannot be stopped,
 * 3 wants all of them and blocks the partition. 4 would be over before 3 could start: at 30 the backfill
 * stops 1 for it, and at 60 starts it. */
static void test_backfill_preempts(void **state)
{
  static const char tasks[] = T_IN(1, 0, 300, 600, 2, 8, "low") T_IN(2, 1, 150, 300, 2, 8, "high")
      T_IN(3, 12, 60, 600, 4, 8, "high") T_IN(4, 13, 20, 60, 1, 8, "high");
  (void)state;
  RUN(TIERS LOW("PreemptMode=CANCEL") HIGH(""), "per_job: 0s", NULL, tasks, 0, 3000, 153000, 60000);
}

/* By priority/basic the first that comes has priority 4294901759, and each that follows one less. Those above
 * min_exempt_priority are no candidates: 1 alone is above 4294901758, and 2 goes for 3. */
static void test_exempt_priority(void **state)
{
  static const char tasks[] =
      T_IN(1, 0, 100, 200, 2, 8, "low") T_IN(2, 0, 100, 200, 2, 8, "low") T_IN(3, 10, 10, 10, 1, 8, "high");
  (void)state;
  RUN(BUILTIN TIERS LOW("") HIGH(""), NULL, NULL, tasks, 180000, 0, 10100);
  RUN(BUILTIN "PreemptParameters=min_exempt_priority=4294901758\n" TIERS LOW("") HIGH(""), NULL, NULL, tasks,
      0, 180000, 10100);
  RUN(BUILTIN "PreemptParameters=min_exempt_priority=4294901757\n" TIERS LOW("") HIGH(""), NULL, NULL, tasks,
      0, 0, 100000);
}

/* ---- heterogeneous jobs ---- */

#define PART(id, at, run, nodes, job, part, partition) \
  T_WITH(id, at, run, 200, nodes, 8, \
         ", partition: " partition ", user: 1, collection_id: " #job ", component: " #part)

/* 1 has all four nodes. Both components of 2 and 3 may preempt: in the cycle at 30 each finds two nodes so,
 * 1 is stopped, and they start in the next, at 60. 1 is requeued for 121 s: it starts at 180. Where it may
 * not be preempted they start when it has ended, in the cycle at 120. */
static void test_for_components(void **state)
{
  static const char tasks[] =
      T_IN(1, 0, 100, 200, 4, 8, "low") PART(2, 10, 50, 2, 7, 0, "high") PART(3, 10, 50, 2, 7, 1, "high");
  (void)state;
  RUN(TIERS LOW("") HIGH(""), "per_job: 0s", NULL, tasks, 180000, 60000, 60000);
  RUN(TIERS LOW("PreemptMode=OFF") HIGH(""), "per_job: 0s", NULL, tasks, 0, 120000, 120000);
}

/* A heterogeneous job is preempted as a whole: 3 wants one node, and both components go for it at 40. They
 * may start together again from 161 on, in the cycle at 180. */
static void test_of_components(void **state)
{
  static const char tasks[] =
      PART(1, 0, 100, 2, 7, 0, "low") PART(2, 0, 100, 2, 7, 1, "low") T_IN(3, 40, 10, 10, 1, 8, "high");
  (void)state;
  RUN(TIERS LOW("") HIGH(""), "per_job: 0s", NULL, tasks, 180000, 180000, 40100);
  RUN(TIERS LOW("PreemptMode=CANCEL") HIGH(""), "per_job: 0s", NULL, tasks, 0, 0, 40100);
}

/* ---- suspended ---- */

#define GANG "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nNodeName=n[0-3] CPUs=8\n"

/* 1 has 0-1, 2 has 2-3. 3 starts at once at 10, on node 0, for which 1 is suspended; node 1 stays its own:
 * 4, of the low partition, waits. 5, of the high one, gets it at 13. 3 ends at 30, 5 at 43: then 1 goes on,
 * and ends 33 s after its 100 s. 2 ends at 100 and 4 has its place. */
static void test_suspended_jobs_keep_their_nodes(void **state)
{
  static const char tasks[] = T_IN(1, 0, 100, 200, 2, 8, "low") T_IN(2, 0, 100, 200, 2, 8, "low")
      T_IN(3, 10, 20, 20, 1, 8, "high") T_IN(4, 11, 50, 50, 1, 8, "low") T_IN(5, 12, 30, 30, 1, 8, "high");
  bench b;
  char path[64];
  (void)state;
  RUN(BUILTIN GANG LOW("") HIGH(""), NULL, NULL, tasks, 0, 0, 10000, 100000, 13000);
  begin_run(&b, &(const given){BUILTIN GANG LOW("") HIGH(""), NULL, NULL}, tasks, path);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 133);
  assert_int_equal(end_of(&b, 2), 100);
  assert_true(figure(&b, "slurm_suspended") == 1);
  end(&b);
  (void)unlink(path);
}

/* 2 cores of 1 are left to it when 2 takes 6: those 2 no job of its partition gets, though 3 would fit. Nodes
 * of 2 are clean 5 s after its end, at 35, when none waits but 1. */
static void test_parts_of_nodes(void **state)
{
  static const char tasks[] =
      T_IN(1, 0, 100, 200, 4, 8, "low") T_IN(2, 10, 20, 20, 4, 6, "high") T_IN(3, 11, 10, 10, 1, 2, "low");
  static const char alone[] = T_IN(1, 0, 100, 200, 4, 8, "low") T_IN(2, 10, 20, 20, 4, 6, "high");
  bench b;
  char path[64];
  (void)state;
  RUN(BUILTIN GANG LOW("") HIGH(""), NULL, NULL, tasks, 0, 10000, 120000);
  begin_run(&b, &(const given){BUILTIN GANG LOW("") HIGH(""), "completes: 5s", NULL}, alone, path);
  finish(&b);
  assert_int_equal(end_of(&b, 1), 125);
  end(&b);
  (void)unlink(path);
}

/* While 1 is suspended on node 0, that fails at 15 and is back at 20: both are lost with it, and may start
 * again at 15 + 121: 2, of the higher tier, in the pass over all at 180, and 1 when that has ended. */
static void test_lost_while_suspended(void **state)
{
  static const char tasks[] = T_IN(1, 0, 100, 200, 1, 8, "low") T_IN(2, 10, 50, 50, 1, 8, "high");
  static const char one[] =
      "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nNodeName=n0 CPUs=8\n"
      "PartitionName=low Nodes=n0\nPartitionName=high Nodes=n0 PriorityTier=5\n";
  static const char lost[] =
      "host_loss: requeue\n" EVENTS("{at: 15, hosts: n0, change: down}, {at: 20, hosts: n0, change: up}");
  (void)state;
  RUN(one, NULL, lost, tasks, 230000, 180000);
}

/* ---- what is refused ---- */

static void refused(const char *conf, const char *says)
{
  char path[64], yaml[512];
  bench b;
  write_log(path, conf, strlen(conf));
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s}\nmetrics: []\n"
                 "policy: {use: slurm, conf: %s}\n",
                 path, path);
  assert_true(try_text(&b, yaml, T(1, 0, 10, 10, 1, 8)) < 0);
  if (!strstr(b.error.text, says)) fail_msg("%s: expected \"%s\", got \"%s\"", conf, says, b.error.text);
  end(&b);
  (void)unlink(path);
}

static void test_refused(void **state)
{
  (void)state;
  refused("PreemptMode=REQUEUE\n" FOUR, "no PreemptType");
  refused("PreemptType=preempt/qos\n" FOUR, "PreemptMode=OFF");
  refused("PreemptType=preempt/partition\nPreemptMode=CANCEL\n" FOUR, "expected preempt/none");
  refused("PreemptType=preempt/qos\nPreemptMode=CHECKPOINT\n" FOUR, "no checkpoints");
  refused("PreemptType=preempt/qos\nPreemptMode=REQUEUE,CANCEL\n" FOUR, "two ways");
  refused("PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND\n" FOUR, "SUSPEND,GANG");
  refused("PreemptType=preempt/qos\nPreemptMode=SUSPEND\n" FOUR, "SUSPEND,GANG");
  refused("PreemptMode=GANG\nSchedulerTimeSlice=2\n" FOUR, "no number of seconds");
  refused(TIERS LOW("PreemptMode=STOP") HIGH(""), "expected OFF, CANCEL");
  refused(TIERS LOW("GraceTime=soon") HIGH(""), "expected seconds");
  refused("PreemptExemptTime=x\n" TIERS LOW("") HIGH(""), "expected minutes");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_slurmctld_did),
      cmocka_unit_test(test_modes_of_partitions),
      cmocka_unit_test(test_jobs_that_stay),
      cmocka_unit_test(test_exempt_time),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_reorder),
      cmocka_unit_test(test_grace),
      cmocka_unit_test(test_lists_of_qos),
      cmocka_unit_test(test_within_a_qos),
      cmocka_unit_test(test_limits_come_first),
      cmocka_unit_test(test_backfill_preempts),
      cmocka_unit_test(test_exempt_priority),
      cmocka_unit_test(test_for_components),
      cmocka_unit_test(test_of_components),
      cmocka_unit_test(test_suspended_jobs_keep_their_nodes),
      cmocka_unit_test(test_parts_of_nodes),
      cmocka_unit_test(test_lost_while_suspended),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
