/* test_slurm_limits.c -- limits of associations, QOS and partitions: which forbids what, by which name, and
 * what is counted. One run of slurmctld 22.05.8 says so of the jobs of a QOS with MaxTRESPU=cpu=8 and
 * MaxJobsPU=2 (tests/data/slurm/limited.txt: Q JOB ACCOUNT USER CPUS REASON, eligible, with the reason that
 * sacct recorded; S JOB, it starts; E JOB, it ends); the rest follows from resource_limits.html. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/input.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/limits.h"

#define DATA HC_TEST_SOURCE_DIR "/tests/data/slurm/"
#define NODES 8
#define ALL (HC_SLURM_ENFORCE_ASSOCS | HC_SLURM_ENFORCE_LIMITS | HC_SLURM_ENFORCE_QOS)

typedef struct bench {
  hc_slurm_assocs b;
  hc_slurm_usage u;
  hc_slurm_limits l;
  hc_slurm_verdict v;
} bench;

static void begin(bench *x, uint32_t enforce, hc_time half_life)
{
  const hc_slurm_usage_options o = {.half_life = half_life, .enforces_limits = true};
  hc_error e = {0};
  if (hc_slurm_assocs_settle(&x->b, &e) < 0) fail_msg("%s", e.text);
  assert_int_equal(hc_slurm_usage_init(&x->u, &x->b, &o, hc_default_allocator()), 0);
  assert_int_equal(hc_slurm_limits_init(&x->l, &x->u, enforce, NODES, hc_default_allocator()), 0);
  hc_slurm_usage_period(&x->u, 0);
}

static void open_bench(bench *x, const char *script, uint32_t enforce)
{
  char path[] = "/tmp/limits_XXXXXX";
  const int fd = mkstemp(path);
  hc_error e = {0};
  assert_true(fd >= 0 && write(fd, script, strlen(script)) == (ssize_t)strlen(script));
  close(fd);
  assert_int_equal(hc_slurm_assocs_init(&x->b, hc_default_allocator()), 0);
  if (hc_slurm_assocs_read(&x->b, path, &e) < 0) fail_msg("%u: %s", e.line, e.text);
  unlink(path);
  begin(x, enforce, HC_NEVER);
}

static void close_bench(bench *x)
{
  hc_slurm_limits_fini(&x->l);
  hc_slurm_usage_fini(&x->u);
  hc_slurm_assocs_fini(&x->b);
}

/* A job of a user in its default account, with so many CPUs on so many nodes, for an hour. */
static hc_slurm_asked job_of(const bench *x, const char *user, const char *qos, int64_t cpus, int64_t nodes)
{
  return (hc_slurm_asked){.assoc = hc_slurm_assocs_find(&x->b, NULL, user, NULL),
                          .qos = hc_slurm_assocs_qos(&x->b, qos),
                          .part_qos = HC_SLURM_NONE,
                          .limit = HC_HOUR,
                          .part_limit = HC_NEVER,
                          .amounts = {{cpus, 0, 0, nodes, cpus}}};
}

typedef bool check(const hc_slurm_limits *l, const hc_slurm_asked *job, hc_slurm_verdict *v);

/* `reason` NULL: nothing forbids it. */
static void says(bench *x, check *which, const hc_slurm_asked *job, const char *reason, bool is_for_ever)
{
  const bool may = which(&x->l, job, &x->v);
  assert_int_equal(may, reason == NULL);
  if (may) {
    assert_null(x->v.reason);
    return;
  }
  assert_string_equal(x->v.reason, reason);
  assert_int_equal(x->v.is_for_ever, is_for_ever);
}

static void submits(bench *x, const hc_slurm_asked *job, int64_t jobs, const char *reason, bool is_for_ever)
{
  const bool may = hc_slurm_limits_submit(&x->l, job, jobs, &x->v);
  if (may != (reason == NULL) || (reason && strcmp(x->v.reason, reason) != 0))
    fail_msg("%s, not %s", x->v.reason ? x->v.reason : "may", reason ? reason : "may");
  if (reason) assert_int_equal(x->v.is_for_ever, is_for_ever);
}

static void start(bench *x, const hc_slurm_asked *job)
{
  assert_int_equal(hc_slurm_limits_started(&x->l, job), 0);
}

/* ---- as slurmctld did it ---- */

#define JOBS 512

static void is_queued(bench *x, hc_slurm_asked *jobs, const char *line, size_t *checked)
{
  char account[40], user[40], reason[60];
  int id, cpus;
  assert_int_equal(sscanf(line, "Q %d %39s %39s %d %59s", &id, account, user, &cpus, reason), 5);
  assert_in_range(id, 0, JOBS - 1);
  jobs[id] = job_of(x, user, "limited", cpus, 1);
  submits(x, &jobs[id], 1, NULL, false); /* no DenyOnLimit: what can never start is queued */
  if (strncmp(reason, "QOSMax", 6) != 0) return;
  if (strcmp(reason, "QOSMaxJobsPerUserLimit") == 0)
    says(x, hc_slurm_limits_before, &jobs[id], reason, false);
  else says(x, hc_slurm_limits_after, &jobs[id], reason, true); /* it waited until the end */
  ++*checked;
}

static void test_as_slurmctld(void **state)
{
  static hc_slurm_asked jobs[JOBS];
  hc_input *in = NULL;
  hc_error e = {0};
  size_t n, waited = 0, started = 0;
  char *line;
  bench x;
  (void)state;
  assert_int_equal(hc_slurm_assocs_init(&x.b, hc_default_allocator()), 0);
  assert_int_equal(hc_slurm_assocs_read(&x.b, DATA "qos.psv", &e), 0);
  assert_int_equal(hc_slurm_assocs_read(&x.b, DATA "associations.cfg", &e), 0);
  begin(&x, ALL, 10 * HC_MINUTE);
  assert_int_equal(hc_input_open(hc_default_allocator(), DATA "limited.txt", &in, &e), 0);
  while (hc_input_line(in, &line, &n, &e) == 1) {
    hc_slurm_asked *job = &jobs[atoi(line + 2) % JOBS];
    if (line[0] == 'Q') is_queued(&x, jobs, line, &waited);
    if (line[0] == 'E') hc_slurm_limits_ended(&x.l, job);
    if (line[0] != 'S') continue;
    says(&x, hc_slurm_limits_before, job, NULL, false);
    says(&x, hc_slurm_limits_after, job, NULL, false);
    start(&x, job);
    started++;
  }
  hc_input_free(in);
  assert_int_equal(waited, 8);
  assert_int_equal(started, 23);
  for (size_t i = 0; i < x.l.count; i++) assert_int_equal(x.l.counters[i].jobs, 0);
  close_bench(&x);
}

/* ---- counts and walls ---- */

static const char counts[] =
    "add qos q MaxJobsPU=2 MaxJobsPA=3 MaxSubmitJobsPU=4 GrpSubmitJobs=6 MaxWall=120\n"
    "add qos idle GrpJobs=0\n"
    "add account a GrpJobs=5 GrpSubmitJobs=9 qos=normal,q,idle\n"
    "add account b parent=a MaxJobs=1 MaxSubmitJobs=2 MaxWall=30\n"
    "add user u,v account=a\n"
    "add user w account=b\n"
    "add user x account=b MaxJobs=7 MaxWall=-1\n";

static void test_counts_of_jobs(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, counts, ALL);
  const hc_slurm_asked u = job_of(&x, "u", "q", 1, 1), v = job_of(&x, "v", "q", 1, 1);
  const hc_slurm_asked plain = job_of(&x, "u", "normal", 1, 1), idle = job_of(&x, "u", "idle", 1, 1);
  hc_slurm_asked w = job_of(&x, "w", "normal", 1, 1);
  says(&x, hc_slurm_limits_before, &u, NULL, false);
  start(&x, &u);
  start(&x, &u);
  says(&x, hc_slurm_limits_before, &u, "QOSMaxJobsPerUserLimit", false);
  assert_int_equal(x.v.qos, u.qos);
  says(&x, hc_slurm_limits_before, &v, NULL, false);
  start(&x, &v);
  says(&x, hc_slurm_limits_before, &v, "MaxJobsPerAccount", false); /* u and v are of the same */
  hc_slurm_limits_ended(&x.l, &u);
  says(&x, hc_slurm_limits_before, &v, NULL, false);
  says(&x, hc_slurm_limits_before, &idle, "QOSGrpJobsLimit", true);
  /* of the account's five jobs two run; b is in it */
  w.limit = 30 * HC_MINUTE;
  says(&x, hc_slurm_limits_before, &w, NULL, false);
  start(&x, &w);
  says(&x, hc_slurm_limits_before, &w, "AssocMaxJobsLimit", false);
  start(&x, &plain);
  start(&x, &plain);
  says(&x, hc_slurm_limits_before, &plain, "AssocGrpJobsLimit", false);
  assert_int_equal(x.v.assoc, hc_slurm_assocs_account(&x.b, "a"));
  close_bench(&x);
}

static void test_walls(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, counts, ALL);
  hc_slurm_asked u = job_of(&x, "u", "q", 1, 1), w = job_of(&x, "w", "normal", 1, 1);
  u.limit = 120 * HC_MINUTE;
  says(&x, hc_slurm_limits_before, &u, NULL, false);
  u.limit++;
  says(&x, hc_slurm_limits_before, &u, "QOSMaxWallDurationPerJobLimit", true);
  says(&x, hc_slurm_limits_before, &w, "AssocMaxWallDurationPerJobLimit", true);
  w.qos = u.qos; /* whose own MaxWall hides the association's */
  says(&x, hc_slurm_limits_before, &w, NULL, false);
  w.qos = hc_slurm_assocs_qos(&x.b, "normal");
  w.limit = HC_UNKNOWN;
  says(&x, hc_slurm_limits_before, &w, NULL, false);
  assert_int_equal(hc_slurm_limits_wall(&x.l, &w), 30 * HC_MINUTE);
  u.limit = HC_UNKNOWN;
  assert_int_equal(hc_slurm_limits_wall(&x.l, &u), 120 * HC_MINUTE);
  u.qos = w.qos;
  assert_int_equal(hc_slurm_limits_wall(&x.l, &u), HC_UNKNOWN);
  close_bench(&x);
}

static void test_submissions(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, counts, ALL);
  const hc_slurm_asked u = job_of(&x, "u", "q", 1, 1), v = job_of(&x, "v", "q", 1, 1);
  const hc_slurm_asked w = job_of(&x, "w", "normal", 1, 1), plain = job_of(&x, "u", "normal", 1, 1);
  submits(&x, &u, 5, "QOSMaxSubmitJobPerUserLimit", true);
  submits(&x, &u, 4, NULL, false);
  assert_int_equal(hc_slurm_limits_submitted(&x.l, &u, 4), 0);
  submits(&x, &u, 1, "QOSMaxSubmitJobPerUserLimit", false);
  submits(&x, &v, 2, NULL, false);
  submits(&x, &v, 3, "QOSGrpSubmitJobsLimit", false);
  submits(&x, &w, 3, "AssocMaxSubmitJobLimit", true);
  submits(&x, &plain, 6, "AssocGrpSubmitJobsLimit", false);
  hc_slurm_limits_withdrawn(&x.l, &u, 1);
  submits(&x, &u, 1, NULL, false);
  submits(&x, &plain, 6, NULL, false);
  close_bench(&x);
}

/* ---- amounts ---- */

static const char amounts[] =
    "add qos q MaxTRESPU=cpu=8,node=3 MaxTRESPA=cpu=10 GrpTRES=mem=100 MinTRES=cpu=2\n"
    "add qos part MaxTRESPerJob=cpu=4 GrpTRES=cpu=6\n"
    "add qos over Flags=OverPartQOS MaxTRESPerJob=cpu=64\n"
    "add qos deny Flags=DenyOnLimit MaxTRESPerJob=cpu=4\n"
    "add qos twice LimitFactor=2\n"
    "add account a GrpTRES=cpu=12,node=4 MaxTRESPerNode=cpu=11 qos=normal,q,over,deny,twice\n"
    "add user u,v account=a\n"
    "add user w account=a MaxTRESPerJob=cpu=5,gres/gpu=1\n";

static void test_amounts_of_a_qos(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, amounts, ALL);
  hc_slurm_asked u = job_of(&x, "u", "q", 5, 1), v = job_of(&x, "v", "q", 6, 1);
  says(&x, hc_slurm_limits_after, &u, NULL, false);
  start(&x, &u);
  says(&x, hc_slurm_limits_after, &u, "QOSMaxCpuPerUserLimit", false); /* 5 + 5 > 8 */
  assert_int_equal(x.v.qos, u.qos);
  says(&x, hc_slurm_limits_after, &v, "MaxCpuPerAccount", false); /* 5 + 6 > 10, which is looked at before */
  v.amounts.of[HC_SLURM_CPU] = 5;
  says(&x, hc_slurm_limits_after, &v, NULL, false);
  v.amounts.of[HC_SLURM_CPU] = 1;
  says(&x, hc_slurm_limits_after, &v, "QOSMinCpuNotSatisfied", true);
  v.amounts.of[HC_SLURM_CPU] = 2;
  v.amounts.of[HC_SLURM_MEM] = 101;
  says(&x, hc_slurm_limits_after, &v, "QOSGrpMemLimit", true);
  v.amounts.of[HC_SLURM_MEM] = 100;
  says(&x, hc_slurm_limits_after, &v, NULL, false);
  hc_slurm_limits_ended(&x.l, &u);
  u.amounts.of[HC_SLURM_CPU] = 9;
  says(&x, hc_slurm_limits_after, &u, "QOSMaxCpuPerUserLimit", true);
  close_bench(&x);
}

static void test_amounts_of_associations(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, amounts, ALL);
  hc_slurm_asked u = job_of(&x, "u", "normal", 10, 1), w = job_of(&x, "w", "normal", 3, 1);
  says(&x, hc_slurm_limits_after, &u, NULL, false);
  start(&x, &u);
  says(&x, hc_slurm_limits_after, &w, "AssocGrpCpuLimit", false); /* 10 + 3 > 12 */
  assert_int_equal(x.v.assoc, hc_slurm_assocs_account(&x.b, "a"));
  w.qos = hc_slurm_assocs_qos(&x.b, "twice"); /* counts up to 24 */
  says(&x, hc_slurm_limits_after, &w, NULL, false);
  hc_slurm_limits_ended(&x.l, &u);
  w.qos = u.qos;
  w.amounts.of[HC_SLURM_CPU] = 6;
  says(&x, hc_slurm_limits_after, &w, "AssocMaxCpuPerJobLimit", true);
  w.amounts.of[HC_SLURM_CPU] = 4;
  w.amounts.of[hc_slurm_tres_find(&x.b.tres, "gres/gpu", 8)] = 2;
  says(&x, hc_slurm_limits_after, &w, "AssocMaxGRESPerJob", true);
  w.amounts.of[hc_slurm_tres_find(&x.b.tres, "gres/gpu", 8)] = 0;
  says(&x, hc_slurm_limits_after, &w, NULL, false);
  w.qos = hc_slurm_assocs_qos(&x.b, "over"); /* whose MaxTRESPerJob hides the user's */
  w.amounts.of[HC_SLURM_CPU] = 12;
  says(&x, hc_slurm_limits_after, &w, "AssocMaxCpuPerNode", true);
  w.amounts.of[HC_SLURM_NODE] = 2; /* 6 on each */
  says(&x, hc_slurm_limits_after, &w, NULL, false);
  close_bench(&x);
}

/* The first QOS that has a limit is the one whose limit holds. */
static void test_the_order_of_qos(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, amounts, ALL);
  hc_slurm_asked u = job_of(&x, "u", "normal", 5, 1);
  u.part_qos = hc_slurm_assocs_qos(&x.b, "part");
  says(&x, hc_slurm_limits_after, &u, "QOSMaxCpuPerJobLimit", true);
  assert_int_equal(x.v.qos, u.part_qos);
  u.qos = hc_slurm_assocs_qos(&x.b, "over");
  says(&x, hc_slurm_limits_after, &u, NULL, false); /* 64 a job; GrpTRES=cpu=6 is the partition's */
  u.amounts.of[HC_SLURM_CPU] = 7;
  says(&x, hc_slurm_limits_after, &u, "QOSGrpCpuLimit", true);
  /* that of the partition hides GrpTRES=cpu=12 of the account */
  u.part_qos = HC_SLURM_NONE;
  u.amounts.of[HC_SLURM_CPU] = 13;
  u.amounts.of[HC_SLURM_NODE] = 2;
  says(&x, hc_slurm_limits_after, &u, "AssocGrpCpuLimit", true);
  close_bench(&x);
}

/* What no wait would help is refused at the submission under DenyOnLimit, or without a QOS. */
static void test_denied_at_submission(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, amounts, ALL & ~HC_SLURM_ENFORCE_QOS);
  hc_slurm_asked u = job_of(&x, "u", "normal", 13, 2);
  submits(&x, &u, 1, NULL, false);
  u.qos = hc_slurm_assocs_qos(&x.b, "deny");
  submits(&x, &u, 1, "QOSMaxCpuPerJobLimit", true);
  u.qos = HC_SLURM_NONE;
  submits(&x, &u, 1, "AssocGrpCpuLimit", true);
  u.amounts.of[HC_SLURM_CPU] = 12;
  submits(&x, &u, 1, NULL, false);
  start(&x, &u);
  submits(&x, &u, 1, NULL, false); /* what is held now says nothing of later */
  close_bench(&x);
}

/* Two jobs of one account on the same node hold one node. */
static void test_nodes_are_counted_once(void **state)
{
  const hc_range two = {2, 2}, shared = {3, 3}, three = {5, 3};
  bench x;
  (void)state;
  open_bench(&x, amounts, ALL);
  hc_slurm_asked u = job_of(&x, "u", "normal", 1, 2), v = job_of(&x, "v", "normal", 1, 3);
  u.nodes = &two;
  v.nodes = &shared;
  u.node_ranges = v.node_ranges = 1;
  start(&x, &u);                                    /* nodes 2 and 3 of at most 4 */
  says(&x, hc_slurm_limits_after, &v, NULL, false); /* 3, 4, 5: two more */
  v.nodes = &three;
  says(&x, hc_slurm_limits_after, &v, "AssocGrpNodeLimit", false);
  v.nodes = NULL; /* as long as they are not chosen, all may be others */
  says(&x, hc_slurm_limits_after, &v, "AssocGrpNodeLimit", false);
  v.nodes = &shared;
  start(&x, &v);
  assert_int_equal(x.l.counters[hc_slurm_assocs_account(&x.b, "a")].held.of[HC_SLURM_NODE], 4);
  hc_slurm_limits_ended(&x.l, &u);
  assert_int_equal(x.l.counters[hc_slurm_assocs_account(&x.b, "a")].held.of[HC_SLURM_NODE], 3);
  close_bench(&x);
}

/* ---- minutes ---- */

static const char minutes[] = "add qos q GrpTRESMins=cpu=100 GrpWall=20 Flags=NoDecay\n"
                              "add account a GrpTRESRunMins=cpu=250 MaxTRESMins=cpu=200 qos=normal,q\n"
                              "add user u account=a\n";

static void test_minutes(void **state)
{
  const uint32_t safe = ALL | HC_SLURM_ENFORCE_SAFE;
  for (int is_safe = 0; is_safe < 2; is_safe++) {
    uint32_t handle;
    bench x;
    open_bench(&x, minutes, is_safe ? safe : ALL);
    hc_slurm_asked q = job_of(&x, "u", "q", 5, 1), n = job_of(&x, "u", "normal", 4, 1);
    hc_slurm_running r = {.assoc = q.assoc,
                          .qos = q.qos,
                          .part_qos = HC_SLURM_NONE,
                          .limit = 16 * HC_MINUTE,
                          .amounts = q.amounts};
    q.limit = 21 * HC_MINUTE; /* 105 CPU minutes, 21 of wall time */
    says(&x, hc_slurm_limits_before, &q, is_safe ? "QOSGrpWallLimit" : NULL, true);
    says(&x, hc_slurm_limits_after, &q, is_safe ? "QOSGrpCPUMinutesLimit" : NULL, true);
    q.limit = 12 * HC_MINUTE;
    says(&x, hc_slurm_limits_before, &q, NULL, false);
    assert_int_equal(hc_slurm_usage_start(&x.u, &r, &handle), 0);                         /* may use 80 */
    says(&x, hc_slurm_limits_after, &q, is_safe ? "QOSGrpCPUMinutesLimit" : NULL, false); /* 60 + 80 */
    says(&x, hc_slurm_limits_after, &n, "AssocMaxCpuMinutesPerJobLimit", true);           /* 4 x 60 > 200 */
    n.limit = 42 * HC_MINUTE;
    says(&x, hc_slurm_limits_after, &n, NULL, false); /* 168, and 80 that r may use */
    n.limit++;
    says(&x, hc_slurm_limits_after, &n, "AssocGrpCPURunMinutesLimit", false);
    hc_slurm_usage_end(&x.u, handle, 20 * HC_MINUTE);
    /* it ran 20 minutes, 4 over its limit: 100 CPU minutes are used, for ever, as nothing decays */
    says(&x, hc_slurm_limits_before, &q, "QOSGrpWallLimit", true);
    says(&x, hc_slurm_limits_after, &q, "QOSGrpCPUMinutesLimit", true);
    close_bench(&x);
  }
  (void)state;
}

/* ---- what is enforced ---- */

static void test_what_is_enforced(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, amounts, 0);
  hc_slurm_asked u = job_of(&x, "u", "part", 99, 1), ghost = job_of(&x, "ghost", "normal", 1, 1);
  submits(&x, &u, 1, NULL, false);
  says(&x, hc_slurm_limits_before, &ghost, NULL, false);
  says(&x, hc_slurm_limits_after, &u, NULL, false);
  x.l.enforce = HC_SLURM_ENFORCE_ASSOCS | HC_SLURM_ENFORCE_QOS;
  submits(&x, &ghost, 1, "InvalidAccount", true);
  says(&x, hc_slurm_limits_before, &ghost, "InvalidAccount", true);
  submits(&x, &u, 1, "InvalidQOS", true);
  says(&x, hc_slurm_limits_after, &u, NULL, false);
  close_bench(&x);
}

/* ---- partitions ---- */

static void admits(const hc_slurm_gate *g, const bench *x, const hc_slurm_asked *job, const char *reason)
{
  hc_slurm_verdict v;
  const bool may = hc_slurm_gate_admits(g, &x->b, job, "a", "staff,users", &v);
  assert_int_equal(may, reason == NULL);
  if (reason) assert_string_equal(v.reason, reason);
  if (reason) assert_true(v.is_for_ever);
}

static void test_partitions(void **state)
{
  hc_slurm_gate g = {.min_nodes = 2, .max_nodes = 4, .max_time = HC_HOUR, .allow_groups = "wheel,Users"};
  bench x;
  (void)state;
  open_bench(&x, "add qos big Flags=PartitionMaxNodes,PartitionTimeLimit,PartitionMinNodes\nadd account a\n",
             ALL);
  hc_slurm_asked job = job_of(&x, "u", "normal", 1, 2);
  admits(&g, &x, &job, NULL);
  job.limit++;
  admits(&g, &x, &job, "PartitionTimeLimit");
  job.amounts.of[HC_SLURM_NODE] = 5;
  admits(&g, &x, &job, "PartitionNodeLimit");
  job.amounts.of[HC_SLURM_NODE] = 1;
  admits(&g, &x, &job, "PartitionNodeLimit");
  job.qos = hc_slurm_assocs_qos(&x.b, "big");
  admits(&g, &x, &job, NULL);
  g.deny_accounts = "b,A";
  admits(&g, &x, &job, "AccountNotAllowed");
  g.allow_accounts = "c,a"; /* hides what is denied */
  admits(&g, &x, &job, NULL);
  g.allow_qos = "normal";
  admits(&g, &x, &job, "QOSNotAllowed");
  g.allow_qos = "ALL";
  admits(&g, &x, &job, NULL);
  g.deny_qos = "normal,BIG";
  admits(&g, &x, &job, "QOSNotAllowed");
  g.allow_groups = "wheel";
  admits(&g, &x, &job, "PartitionConfig");
  close_bench(&x);
}

/* ---- state ---- */

static void test_saved_and_loaded(void **state)
{
  const hc_range two = {2, 2};
  bench x, y;
  hc_buffer saved;
  (void)state;
  open_bench(&x, amounts, ALL);
  open_bench(&y, amounts, ALL);
  hc_slurm_asked u = job_of(&x, "u", "q", 5, 2);
  u.nodes = &two;
  u.node_ranges = 1;
  start(&x, &u);
  hc_buffer_init(&saved, hc_default_allocator());
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(hc_slurm_limits_visit(&x.l, &save), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(hc_slurm_limits_visit(&y.l, &load), 0);
  says(&y, hc_slurm_limits_after, &u, "QOSMaxCpuPerUserLimit", false);
  hc_slurm_limits_ended(&y.l, &u);
  says(&y, hc_slurm_limits_after, &u, NULL, false);
  hc_buffer_fini(&saved);
  close_bench(&x);
  close_bench(&y);
}

/* ---- memory that ends ---- */

typedef struct scarce {
  size_t left, used; /* calls that still succeed; bytes held */
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  const hc_allocator *a = hc_default_allocator();
  if (new_size > old_size && s->left-- == 0) {
    s->left = 0;
    return NULL;
  }
  s->used = s->used - old_size + new_size;
  return a->resize(a->ctx, p, old_size, new_size);
}

/* All that the modules do until an allocation fails. */
static hc_rc all_of_it(bench *x, const hc_allocator *a, hc_error *e)
{
  const hc_slurm_usage_options o = {.half_life = HC_HOUR, .enforces_limits = true};
  uint32_t handle;
  TRY(hc_slurm_assocs_init(&x->b, a));
  TRY(hc_slurm_assocs_read(&x->b, DATA "qos.psv", e));
  TRY(hc_slurm_assocs_read(&x->b, DATA "associations.cfg", e));
  TRY(hc_slurm_assocs_settle(&x->b, e));
  TRY(hc_slurm_usage_init(&x->u, &x->b, &o, a));
  TRY(hc_slurm_limits_init(&x->l, &x->u, ALL, NODES, a));
  const hc_slurm_asked job = job_of(x, "psu1", "prem", 2, 1);
  const hc_slurm_running r = {.assoc = job.assoc, .qos = job.qos, .part_qos = HC_SLURM_NONE, .billing = 2};
  TRY(hc_slurm_limits_started(&x->l, &job));
  TRY(hc_slurm_usage_start(&x->u, &r, &handle));
  hc_slurm_usage_end(&x->u, handle, HC_SECOND);
  hc_slurm_limits_ended(&x->l, &job);
  return 0;
}

static void test_memory_that_ends(void **state)
{
  hc_rc rc = HC_ENOMEM;
  (void)state;
  for (size_t n = 0; rc < 0; n++) {
    scarce s = {.left = n};
    const hc_allocator a = {&s, scarce_resize, NULL};
    bench x = {.v = {NULL, false, 0, 0}};
    hc_error e = {0};
    rc = all_of_it(&x, &a, &e);
    if (rc < 0) assert_int_equal(rc, HC_ENOMEM);
    close_bench(&x);
    assert_int_equal(s.used, 0);
    assert_true(n < 10000);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_slurmctld),
                                     cmocka_unit_test(test_counts_of_jobs),
                                     cmocka_unit_test(test_walls),
                                     cmocka_unit_test(test_submissions),
                                     cmocka_unit_test(test_amounts_of_a_qos),
                                     cmocka_unit_test(test_amounts_of_associations),
                                     cmocka_unit_test(test_the_order_of_qos),
                                     cmocka_unit_test(test_denied_at_submission),
                                     cmocka_unit_test(test_nodes_are_counted_once),
                                     cmocka_unit_test(test_minutes),
                                     cmocka_unit_test(test_what_is_enforced),
                                     cmocka_unit_test(test_partitions),
                                     cmocka_unit_test(test_saved_and_loaded),
                                     cmocka_unit_test(test_memory_that_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
