/* test_slurm_priority.c -- fair shares, decayed usage and multifactor priority of Slurm on small cases whose
 * numbers follow by hand from the formulas of its documentation; parameters of slurm.conf. */
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

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/factors.h"

/* ---- a cluster from a text ---- */

typedef struct bench {
  hc_slurm_assocs b;
  hc_slurm_usage u;
} bench;

static void with_file(const char *text, char path[32])
{
  (void)strcpy(path, "/tmp/slurm_XXXXXX");
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
}

static void open_bench(bench *x, const char *script, const hc_slurm_usage_options *o)
{
  char path[32];
  hc_error e = {0};
  with_file(script, path);
  assert_int_equal(hc_slurm_assocs_init(&x->b, hc_default_allocator()), 0);
  if (hc_slurm_assocs_read(&x->b, path, &e) < 0) fail_msg("%u: %s", e.line, e.text);
  assert_int_equal(hc_slurm_assocs_settle(&x->b, &e), 0);
  assert_int_equal(hc_slurm_usage_init(&x->u, &x->b, o, hc_default_allocator()), 0);
  unlink(path);
}

static void close_bench(bench *x)
{
  hc_slurm_usage_fini(&x->u);
  hc_slurm_assocs_fini(&x->b);
}

static uint32_t of(const bench *x, const char *user)
{
  return hc_slurm_assocs_find(&x->b, NULL, user, NULL);
}

/* `amount` CPU seconds in one second, which end before the period of second 100. */
static void use(bench *x, const char *user, int amount)
{
  const hc_slurm_running r = {.assoc = of(x, user),
                              .qos = HC_SLURM_NONE,
                              .part_qos = HC_SLURM_NONE,
                              .start = 5 * HC_SECOND,
                              .limit = HC_HOUR,
                              .billing = amount,
                              .amounts = {{amount}}};
  uint32_t handle;
  assert_int_equal(hc_slurm_usage_start(&x->u, &r, &handle), 0);
  hc_slurm_usage_end(&x->u, handle, 6 * HC_SECOND);
}

static void is_factor(const bench *x, const char *user, double factor)
{
  const double mine = hc_slurm_usage_factor(&x->u, of(x, user));
  if (mine - factor > 1e-12 || factor - mine > 1e-12) fail_msg("%s: %.15f, not %.15f", user, mine, factor);
}

static const char two_accounts[] = "add account a fairshare=2\n"
                                   "add account b fairshare=2\n"
                                   "add user a1,a2 account=a\n"
                                   "add user b1 account=b\n";
static const hc_slurm_usage_options forever = {.half_life = HC_NEVER, .enforces_limits = true};

/* ---- fair tree ---- */

static void test_nothing_used(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, two_accounts, &forever);
  is_factor(&x, "a1", 0); /* before the first period */
  hc_slurm_usage_period(&x.u, 0);
  is_factor(&x, "a1", 1);
  is_factor(&x, "b1", 1);
  is_factor(&x, "root", 1);
  assert_true(hc_slurm_usage_factor(&x.u, HC_SLURM_NONE) == 0);
  close_bench(&x);
}

/* a used 30 of 130, b 100: LF(a) = 0.4 / (30/130) = 1.73, LF(b) = 0.4 / (100/130) = 0.52; root used nothing.
 * In a, LF(a2) = 0.5 / (10/30) = 1.5 and LF(a1) = 0.5 / (20/30) = 0.75. Ranks: root, a2, a1, b1 of 4. */
static void test_ranks(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, two_accounts, &forever);
  hc_slurm_usage_period(&x.u, 0);
  use(&x, "a1", 20);
  use(&x, "a2", 10);
  use(&x, "b1", 100);
  is_factor(&x, "b1", 1); /* until the next period */
  hc_slurm_usage_period(&x.u, 100 * HC_SECOND);
  is_factor(&x, "root", 4.0 / 4);
  is_factor(&x, "a2", 3.0 / 4);
  is_factor(&x, "a1", 2.0 / 4);
  is_factor(&x, "b1", 1.0 / 4);
  assert_true(x.u.standing[of(&x, "a2")].level == 1.5);
  close_bench(&x);
}

/* Both accounts used 100: tied. The account that was added last is walked first: b1 has 3/4; the first of
 * the other, a2 (LF 1.25 against a1's 0.83), shares its rank; a1 has the last. Were they merged, a2, b1 (LF
 * 1) and a1 had 3/4, 2/4 and 1/4: slurmctld 22.05.8 does not (its log shows each tied account with users of
 * its own). */
static void test_tied_accounts(void **state)
{
  bench x;
  (void)state;
  open_bench(&x, two_accounts, &forever);
  hc_slurm_usage_period(&x.u, 0);
  use(&x, "a1", 60);
  use(&x, "a2", 40);
  use(&x, "b1", 100);
  hc_slurm_usage_period(&x.u, 100 * HC_SECOND);
  is_factor(&x, "b1", 3.0 / 4);
  is_factor(&x, "a2", 3.0 / 4);
  is_factor(&x, "a1", 1.0 / 4);
  close_bench(&x);
}

/* No shares: LF 0, behind all; the shares of the parent: in front of all. An account with its parent's
 * shares is none in the tree: its users are siblings of its own siblings. */
static void test_shares_of_none_and_of_the_parent(void **state)
{
  bench x;
  (void)state;
  open_bench(&x,
             "add account a\n"
             "add account sub parent=a fairshare=parent\n"
             "add user zero account=a fairshare=0\n"
             "add user one account=a fairshare=1\n"
             "add user like account=a fairshare=parent\n"
             "add user deep account=sub fairshare=3\n",
             &forever);
  hc_slurm_usage_period(&x.u, 0);
  use(&x, "zero", 1);
  use(&x, "one", 10);
  use(&x, "like", 5);
  use(&x, "deep", 4);
  hc_slurm_usage_period(&x.u, 100 * HC_SECOND);
  assert_true(x.u.standing[of(&x, "one")].norm_shares == 1.0 / 4);  /* one and deep */
  assert_true(x.u.standing[of(&x, "deep")].norm_shares == 3.0 / 4); /* 3.75 of 4 / 20 */
  is_factor(&x, "root", 5.0 / 5);
  is_factor(&x, "like", 4.0 / 5);
  is_factor(&x, "deep", 3.0 / 5);
  is_factor(&x, "one", 2.0 / 5);
  is_factor(&x, "zero", 1.0 / 5);
  close_bench(&x);
}

/* ---- classic ---- */

/* S(a1) = 2/5 x 1/2 = 0.2. a used half of all, a1 0.3: UE(a1) = 0.3 + (0.5 - 0.3) / 2 = 0.4. */
static void test_classic(void **state)
{
  hc_slurm_usage_options o = forever;
  bench x;
  (void)state;
  o.sharing = HC_SLURM_CLASSIC;
  for (o.damping = 0; o.damping < 3; o.damping += 2) {
    const double damping = o.damping == 0 ? 1 : 2;
    open_bench(&x, two_accounts, &o);
    hc_slurm_usage_period(&x.u, 0);
    is_factor(&x, "a1", 1);
    use(&x, "a1", 60);
    use(&x, "a2", 40);
    use(&x, "b1", 100);
    hc_slurm_usage_period(&x.u, 100 * HC_SECOND);
    is_factor(&x, "a1", hc_pow(2, -(0.4 / 0.2) / damping));
    is_factor(&x, "a2", hc_pow(2, -(0.35 / 0.2) / damping));
    is_factor(&x, "b1", hc_pow(2, -(0.5 / 0.4) / damping));
    is_factor(&x, "root", 1);
    close_bench(&x);
  }
}

/* DEPTH_OBLIVIOUS: R(a) = 0.5 / 0.4 = 1.25. Of a1: its share of use within its siblings over its shares
 * within them, (0.3 / 0.2) / (0.5 / 0.4) = 1.2; both are above 1, so R = 1.25 x 1.2 = 1.5. Of a2: 0.8,
 * below 1, so it counts with k = 1 / (1 + (5 ln 1.25)^2). */
static void test_depth_oblivious(void **state)
{
  hc_slurm_usage_options o = forever;
  bench x;
  (void)state;
  o.sharing = HC_SLURM_DEPTH_OBLIVIOUS;
  open_bench(&x, two_accounts, &o);
  hc_slurm_usage_period(&x.u, 0);
  use(&x, "a1", 60);
  use(&x, "a2", 40);
  use(&x, "b1", 100);
  hc_slurm_usage_period(&x.u, 100 * HC_SECOND);
  const double k = 1 / (1 + 25 * hc_log(1.25) * hc_log(1.25));
  is_factor(&x, "a1", hc_pow(2, -1.5));
  is_factor(&x, "a2", hc_pow(2, -1.25 * hc_pow(0.8, k)));
  close_bench(&x);
}

/* ---- usage ---- */

static const char with_qos[] = "add qos half UsageFactor=0.5 Flags=NoDecay\n"
                               "add account a qos=half\n"
                               "add user u account=a\n";

static bool is_close(double a, double b)
{
  return a - b < 1e-9 && b - a < 1e-9;
}

/* 4 CPUs from 0 to 100 s, a QOS that counts half and forgets nothing, a limit of 200 s, a half-life of 600
 * s: the factor of a second is 1 - 0.693 / 600. */
static void test_decay(void **state)
{
  const hc_slurm_usage_options o = {.half_life = 600 * HC_SECOND, .enforces_limits = true};
  const double step = 1 - 0.693 / 600;
  bench x;
  uint32_t handle;
  (void)state;
  open_bench(&x, with_qos, &o);
  const uint32_t half = hc_slurm_assocs_qos(&x.b, "half");
  const hc_slurm_running r = {.assoc = of(&x, "u"),
                              .qos = half,
                              .part_qos = half,
                              .limit = 200 * HC_SECOND,
                              .billing = 4,
                              .amounts = {{4, 100}}};
  const hc_slurm_used *u = hc_slurm_used_by(&x.u, of(&x, "u")), *q = hc_slurm_used_by_qos(&x.u, half);
  hc_slurm_usage_period(&x.u, 0);
  assert_int_equal(hc_slurm_usage_start(&x.u, &r, &handle), 0);
  assert_true(u->run_secs[HC_SLURM_CPU] == 400); /* 200 s x 4 / 2 */
  hc_slurm_usage_period(&x.u, 60 * HC_SECOND);
  const double first = 60 * 4 * 0.5 * hc_pow(step, 60);
  assert_true(is_close(u->raw, first) && is_close(u->wall, 30 * hc_pow(step, 60)));
  assert_true(is_close(u->tres[HC_SLURM_MEM], 30 * hc_pow(step, 60) * 100));
  assert_true(is_close(q->raw, 120) && u->run_secs[HC_SLURM_CPU] == 280);
  hc_slurm_usage_end(&x.u, handle, 100 * HC_SECOND);
  const double second = first + 40 * 4 * 0.5 * hc_pow(step, 40);
  assert_true(is_close(u->raw, second) && is_close(q->raw, 200));
  assert_true(u->run_secs[HC_SLURM_CPU] == 0 && q->run_secs[HC_SLURM_CPU] == 0);
  hc_slurm_usage_period(&x.u, 120 * HC_SECOND);
  assert_true(is_close(u->raw, second * hc_pow(step, 60)) && is_close(q->raw, 200));
  assert_true(is_close(hc_slurm_used_by(&x.u, 0)->raw, u->raw)); /* all the way up */
  close_bench(&x);
}

/* Without limits enforced, slurmctld counts what a job ran up to the last period only. */
static void test_an_end_without_limits(void **state)
{
  const hc_slurm_usage_options o = {.half_life = 0};
  bench x;
  uint32_t handle;
  (void)state;
  open_bench(&x, two_accounts, &o);
  const hc_slurm_running r = {.assoc = of(&x, "a1"),
                              .qos = HC_SLURM_NONE,
                              .part_qos = HC_SLURM_NONE,
                              .limit = HC_NEVER,
                              .billing = 3};
  assert_int_equal(hc_slurm_usage_start(&x.u, &r, &handle), 0);
  hc_slurm_usage_period(&x.u, 10 * HC_SECOND);
  hc_slurm_usage_end(&x.u, handle, 19 * HC_SECOND);
  assert_true(hc_slurm_used_by(&x.u, of(&x, "a1"))->raw == 30);
  close_bench(&x);
}

/* What is saved half way and loaded goes on to the same numbers. */
static void test_saved_and_loaded(void **state)
{
  const hc_slurm_usage_options o = {.half_life = 600 * HC_SECOND, .enforces_limits = true};
  bench x, y;
  hc_buffer saved;
  uint32_t handle, other;
  (void)state;
  open_bench(&x, with_qos, &o);
  open_bench(&y, with_qos, &o);
  const hc_slurm_running r = {
      .assoc = of(&x, "u"), .qos = HC_SLURM_NONE, .part_qos = HC_SLURM_NONE, .billing = 7};
  assert_int_equal(hc_slurm_usage_start(&x.u, &r, &other), 0);
  assert_int_equal(hc_slurm_usage_start(&x.u, &r, &handle), 0);
  hc_slurm_usage_end(&x.u, other, 3 * HC_SECOND);
  hc_slurm_usage_period(&x.u, 10 * HC_SECOND);
  hc_buffer_init(&saved, hc_default_allocator());
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(hc_slurm_usage_visit(&x.u, &save), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(hc_slurm_usage_visit(&y.u, &load), 0);
  assert_int_equal(load.left, 0);
  for (bench *z = &x; z; z = z == &x ? &y : NULL) {
    hc_slurm_usage_end(&z->u, handle, 15 * HC_SECOND);
    hc_slurm_usage_period(&z->u, 20 * HC_SECOND);
  }
  assert_memory_equal(y.u.used, x.u.used, x.b.count * sizeof *x.u.used);
  assert_memory_equal(y.u.standing, x.u.standing, x.b.count * sizeof *x.u.standing);
  hc_buffer_fini(&saved);
  close_bench(&x);
  close_bench(&y);
}

/* ---- factors ---- */

static void test_factors(void **state)
{
  bench x;
  hc_slurm_factors f;
  (void)state;
  open_bench(
      &x,
      "add qos fast Priority=40\nadd qos slow Priority=10\nadd account a priority=3\nadd user u account=a "
      "priority=1\n",
      &forever);
  const hc_slurm_scale scale = {.b = &x.b, .nodes = 12, .cpus = 96, .most_part_factor = 8};
  const hc_slurm_amounts asks = {{24, 1000}}, has = {{96, 8000}};
  hc_slurm_ranked job = {.accrue = 10 * HC_SECOND,
                         .min_nodes = 3,
                         .cpus = 24,
                         .limit = 10 * HC_MINUTE,
                         .assoc = of(&x, "u"),
                         .qos = hc_slurm_assocs_qos(&x.b, "slow"),
                         .fair_share = 0.5,
                         .part_factor = 2,
                         .amounts = &asks,
                         .part_amounts = &has,
                         .site = 7,
                         .nice = 20};
  hc_slurm_priority p = {.age = 1000,
                         .assoc = 300,
                         .fair_share = 100,
                         .size = 1000,
                         .partition = 400,
                         .qos = 800,
                         .tres = {16, 80},
                         .has_tres = true,
                         .max_age = 100 * HC_SECOND};
  hc_slurm_priority_of(&p, &scale, &job, 35 * HC_SECOND + 999, &f);
  assert_true(f.age == 250 && f.assoc == 100 && f.fair_share == 50 && f.partition == 100 && f.qos == 200);
  assert_true(f.size == 250); /* (3/12 + 24/96) / 2 */
  assert_true(f.tres == 16.0 / 4 + 80.0 / 8);
  assert_int_equal(f.priority, 250 + 100 + 50 + 250 + 100 + 200 + 14 + 7 - 20);
  p.favor_small = true;
  hc_slurm_priority_of(&p, &scale, &job, 1000 * HC_SECOND, &f);
  assert_true(f.size == 750 && f.age == 1000);
  p.flags = HC_SLURM_RELATIVE_TO_TIME | HC_SLURM_RAW_TRES | HC_SLURM_RAW_QOS;
  job.accrue = HC_UNKNOWN;
  hc_slurm_priority_of(&p, &scale, &job, 1000 * HC_SECOND, &f);
  assert_true(is_close(f.size, 975)); /* 1 - 24 / 10 min / 96 */
  assert_true(f.age == 0 && f.tres == 24 * 16 + 1000 * 80 && f.qos == 8000);
  p.favor_small = false;
  job.min_nodes = 6; /* of 8 CPUs on average */
  hc_slurm_priority_of(&p, &scale, &job, 0, &f);
  assert_true(is_close(f.size, 50)); /* 48 / 10 / 96 */
  close_bench(&x);
}

static void test_ends_of_the_range(void **state)
{
  bench x;
  hc_slurm_factors f;
  (void)state;
  open_bench(&x, two_accounts, &forever);
  const hc_slurm_scale scale = {.b = &x.b, .nodes = 1, .cpus = 1};
  hc_slurm_ranked job = {.accrue = 0,
                         .min_nodes = 1,
                         .cpus = 1,
                         .limit = HC_NEVER,
                         .assoc = HC_SLURM_NONE,
                         .qos = HC_SLURM_NONE,
                         .fair_share = 1,
                         .nice = 5};
  hc_slurm_priority p = {.fair_share = 1000, .max_age = HC_NEVER, .age = 9};
  hc_slurm_priority_of(&p, &scale, &job, HC_DAY, &f);
  assert_int_equal(f.priority, 1); /* no association, no age: -5 */
  job.nice = -INT64_C(0x180000000);
  hc_slurm_priority_of(&p, &scale, &job, HC_DAY, &f);
  assert_int_equal(f.priority, UINT32_MAX);
  close_bench(&x);
}

static void test_basic(void **state)
{
  uint32_t lowest = HC_SLURM_BASIC_TOP;
  (void)state;
  assert_int_equal(hc_slurm_priority_basic(&lowest, 0), UINT32_C(4294901759));
  assert_int_equal(hc_slurm_priority_basic(&lowest, 0), UINT32_C(4294901758));
  assert_int_equal(hc_slurm_priority_basic(&lowest, 100), UINT32_C(4294901657));
  assert_int_equal(hc_slurm_priority_basic(&lowest, -100), UINT32_C(4294901756)); /* 1 less, and 100 more */
  assert_int_equal(hc_slurm_priority_basic(&lowest, 0), UINT32_C(4294901656));
  lowest = 1;
  assert_int_equal(hc_slurm_priority_basic(&lowest, 0), 1);
}

/* ---- parameters ---- */

static hc_rc read_conf(const char *text, hc_slurm_priority *p, hc_slurm_assocs *b, hc_buffer *note,
                       hc_error *e)
{
  char path[32];
  hc_conf c;
  with_file(text, path);
  *e = (hc_error){0};
  assert_int_equal(hc_conf_read(hc_default_allocator(), path, &c, e), 0);
  const hc_rc rc = hc_slurm_priority_read(p, &c, b, e);
  if (rc == 0 && note) hc_slurm_priority_note(p, &c, note);
  hc_conf_close(&c, hc_default_allocator());
  unlink(path);
  return rc;
}

static void test_parameters(void **state)
{
  hc_slurm_assocs b;
  hc_slurm_priority p;
  hc_buffer note;
  hc_error e;
  (void)state;
  assert_int_equal(hc_slurm_assocs_init(&b, hc_default_allocator()), 0);
  hc_buffer_init(&note, hc_default_allocator());
  assert_int_equal(read_conf("ClusterName=c\n", &p, &b, &note, &e), 0);
  assert_true(p.type == HC_SLURM_BASIC && p.max_age == 7 * HC_DAY && p.usage.half_life == 7 * HC_DAY);
  assert_true(p.period == 5 * HC_MINUTE && p.usage.sharing == HC_SLURM_FAIR_TREE && p.usage.damping == 1);
  assert_true(!p.has_tres && !p.favor_small && p.enforce == 0 && note.size == 0);
  assert_int_equal(
      read_conf("PriorityType=priority/multifactor\nPriorityDecayHalfLife=30-0\n"
                "PriorityWeightFairshare=120000\nPriorityWeightTRES=CPU=0,Mem=.03,GRES/gpu=30000\n"
                "PriorityFlags=NO_NORMAL_TRES,SMALL_RELATIVE_TO_TIME,NO_FAIR_TREE\n"
                "PriorityMaxAge=0-5 priorityFavorSmall=yes\nPriorityUsageResetPeriod=now\n"
                "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=safe,qos\n"
                "FairShareDampeningFactor=5\nPrioritySiteFactorPlugin=site_factor/x\n"
                "PartitionName=p PriorityTier=3 PriorityJobFactor=7\n",
                &p, &b, &note, &e),
      0);
  assert_true(p.type == HC_SLURM_MULTIFACTOR && p.usage.half_life == 30 * HC_DAY && p.fair_share == 120000);
  assert_true(p.max_age == 5 * HC_HOUR && p.favor_small && p.usage.reset == HC_SLURM_RESET_NOW);
  assert_true(p.usage.sharing == HC_SLURM_CLASSIC && p.usage.damping == 5);
  assert_int_equal(p.flags, HC_SLURM_RAW_TRES | HC_SLURM_RELATIVE_TO_TIME);
  assert_int_equal(p.enforce, HC_SLURM_ENFORCE_ASSOCS | HC_SLURM_ENFORCE_LIMITS | HC_SLURM_ENFORCE_QOS |
                                  HC_SLURM_ENFORCE_SAFE);
  assert_true(p.tres[HC_SLURM_MEM] == 0.03 && p.tres[hc_slurm_tres_find(&b.tres, "gres/gpu", 8)] == 30000);
  assert_string_equal(note.data, "not taken of priority: PrioritySiteFactorPlugin");
  hc_buffer_fini(&note);
  hc_buffer_init(&note, hc_default_allocator());
  assert_int_equal(read_conf("PriorityType=priority/multifactor\nPriorityWeightAge=5\n", &p, &b, &note, &e),
                   0);
  assert_int_equal(p.age, 0);
  assert_string_equal(note.data, "not taken of priority: PriorityWeightAge (it needs slurmdbd)");
  hc_buffer_fini(&note);
  hc_slurm_assocs_fini(&b);
}

static void refuses(const char *text, uint32_t line, uint32_t column, const char *words)
{
  hc_slurm_assocs b;
  hc_slurm_priority p;
  hc_error e;
  assert_int_equal(hc_slurm_assocs_init(&b, hc_default_allocator()), 0);
  const hc_rc rc = read_conf(text, &p, &b, NULL, &e);
  if (rc != HC_EINPUT || e.line != line || e.column != column || !strstr(e.text, words))
    fail_msg("%s: %d at %u:%u: %s", text, rc, e.line, e.column, e.text);
  hc_slurm_assocs_fini(&b);
}

static void test_parameters_that_are_none(void **state)
{
  (void)state;
  refuses("A=1\nB=2 PriorityType=priority/fifo\n", 2, 5,
          "expected priority/basic or priority/multifactor, got");
  refuses("PriorityWeightAge=-1\n", 1, 1, "PriorityWeightAge: expected a whole number from 0");
  refuses("PriorityCalcPeriod=0\n", 1, 1, "PriorityCalcPeriod: expected minutes");
  refuses("PriorityMaxAge=long\n", 1, 1, "or a time such as 7-0");
  refuses("PriorityFavorSmall=maybe\n", 1, 1, "expected YES or NO");
  refuses("PriorityFlags=INCR_ONLY,TICKET_BASED\n", 1, 1, "expected ACCRUE_ALWAYS");
  refuses("PriorityUsageResetPeriod=WEEKLY\n", 1, 1,
          "expected NONE or NOW: DAILY, WEEKLY, MONTHLY, QUARTERLY and");
  refuses("FairShareDampeningFactor=0\n", 1, 1, "from 1 to 65535");
  refuses("AccountingStorageEnforce=limit\n", 1, 1, "expected associations, limits");
  refuses("PriorityWeightTRES=cores=3\n", 1, 1, "there is no TRES \"cores\"");
  refuses("PriorityWeightTRES=CPU\n", 1, 1, "expected TRES=WEIGHT such as CPU=1.0 or Mem=0.25G");
}

/* Memory is in MiB, so a weight of a GiB is 1,024 times as much as one of a MiB. */
static void test_billing(void **state)
{
  hc_slurm_tres t;
  hc_arena a;
  double w[HC_SLURM_TRES_MOST];
  hc_error e = {0};
  (void)state;
  hc_slurm_tres_init(&t);
  hc_arena_init(&a, hc_default_allocator());
  const hc_slurm_place at = {.file = "x"};
  assert_int_equal(
      hc_slurm_tres_weights(&t, &a, "CPU=1.0,Mem=0.25G,GRES/gpu=2.0,license/x=3", "W", &at, w, &e), 0);
  const hc_slurm_amounts job = {{4, 32 * 1024, 9, 1, 77, 3, 2}};
  assert_true(hc_slurm_billing(&t, NULL, &job, false) == 4);
  assert_true(hc_slurm_billing(&t, w, &job, false) == 4 + 8 + 6 + 6);
  assert_true(hc_slurm_billing(&t, w, &job, true) == 8 + 6); /* the memory, and licences */
  hc_arena_fini(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_used),
                                     cmocka_unit_test(test_ranks),
                                     cmocka_unit_test(test_tied_accounts),
                                     cmocka_unit_test(test_shares_of_none_and_of_the_parent),
                                     cmocka_unit_test(test_classic),
                                     cmocka_unit_test(test_depth_oblivious),
                                     cmocka_unit_test(test_decay),
                                     cmocka_unit_test(test_an_end_without_limits),
                                     cmocka_unit_test(test_saved_and_loaded),
                                     cmocka_unit_test(test_factors),
                                     cmocka_unit_test(test_ends_of_the_range),
                                     cmocka_unit_test(test_basic),
                                     cmocka_unit_test(test_parameters),
                                     cmocka_unit_test(test_parameters_that_are_none),
                                     cmocka_unit_test(test_billing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
