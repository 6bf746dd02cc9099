/* test_slurm_settings.c -- what a slurm.conf says of the scheduler: defaults, lists of
 * SchedulerParameters, and each kind of value that is none, with its place and what would be one. */
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

#include "base/util.h"
#include "policy/slurm/settings.h"

typedef struct bench {
  hc_slurm_settings s;
  hc_names noted;
  hc_error e;
  char path[32];
} bench;

static void open_bench(bench *x)
{
  memset(x, 0, sizeof *x);
  hc_slurm_settings_default(&x->s);
  hc_names_init(&x->noted, hc_default_allocator(), UINT32_MAX);
}

static hc_rc read_text(bench *x, const char *text)
{
  hc_conf conf = {0};
  (void)strcpy(x->path, "/tmp/slurm_XXXXXX");
  const int fd = mkstemp(x->path);
  assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  hc_rc rc = hc_conf_read(hc_default_allocator(), x->path, &conf, &x->e);
  if (rc >= 0) rc = hc_slurm_settings_conf(&x->s, &conf, &x->noted, &x->e);
  hc_conf_close(&conf, hc_default_allocator());
  unlink(x->path);
  return rc;
}

static hc_rc read_list(bench *x, const char *list)
{
  return hc_slurm_settings_parameters(&x->s, list, HC_EUSAGE, "here", 7, &x->noted, &x->e);
}

static void takes_list(bench *x, const char *list)
{
  open_bench(x);
  if (read_list(x, list) < 0) fail_msg("%s: %s", list, x->e.text);
}

/* Those of slurm.conf(5). */
static void test_defaults(void **state)
{
  bench x;
  (void)state;
  takes_list(&x, "");
  assert_int_equal(x.s.batch_sched_delay, 3);
  assert_int_equal(x.s.sched_interval, 60);
  assert_int_equal(x.s.default_queue_depth, 100);
  assert_int_equal(x.s.bf_interval, 30);
  assert_int_equal(x.s.bf_resolution, 60);
  assert_int_equal(x.s.bf_window, 1440);
  assert_int_equal(x.s.bf_max_job_test, 500);
  assert_int_equal(x.s.kill_wait, 30);
  assert_int_equal(x.s.over_time_limit, 0);
  assert_false(x.s.builtin || x.s.has_epilog || x.s.defer || x.s.bf_one_resv_per_job);
  hc_names_fini(&x.noted);
}

/* Names in any case and with blanks before them, empty items, flags; of two the later one. */
static void test_list(void **state)
{
  bench x;
  (void)state;
  takes_list(&x, "BF_Interval=60, bf_window=2880,,defer,bf_interval=45,sched_interval=-1,");
  assert_int_equal(x.s.bf_interval, 45);
  assert_int_equal(x.s.bf_window, 2880);
  assert_int_equal(x.s.sched_interval, -1);
  assert_true(x.s.defer);
  assert_int_equal(x.noted.count, 0);
  hc_names_fini(&x.noted);
}

/* Least and most are values; names are whole ones: what only contains one that is known is not it. */
static void test_edges(void **state)
{
  bench x;
  (void)state;
  takes_list(&x, "bf_interval=1,bf_max_job_test=1000000,bf_resolution=3600,defer_batch,x_bf_window=5");
  assert_int_equal(x.s.bf_interval, 1);
  assert_int_equal(x.s.bf_max_job_test, 1000000);
  assert_int_equal(x.s.bf_resolution, 3600);
  assert_int_equal(x.s.bf_window, 1440);
  assert_false(x.s.defer);
  assert_int_equal(x.noted.count, 2);
  hc_names_fini(&x.noted);
}

/* Bounds of time bound nothing and are not noted; what is not modelled is, once, in the order of the list. */
static void test_noted(void **state)
{
  bench x;
  (void)state;
  takes_list(&x, "bf_continue,bf_licenses,max_sched_time=9,bf_max_time=x,bf_busy_nodes=1,bf_licenses");
  assert_int_equal(x.noted.count, 2);
  assert_string_equal(x.noted.names[0], "bf_licenses");
  assert_string_equal(x.noted.names[1], "bf_busy_nodes");
  hc_names_fini(&x.noted);
}

static void test_preemption(void **state)
{
  bench x;
  (void)state;
  open_bench(&x);
  assert_int_equal(read_text(&x, "PreemptType=preempt/none\nPreemptMode=OFF\n"), 0);
  assert_int_equal(x.noted.count, 0);
  assert_int_equal(x.s.preempt.type, HC_SLURM_PREEMPT_NONE);
  assert_int_equal(x.s.preempt_reorder_count, 1);
  assert_int_equal(read_text(&x, "PreemptType=preempt/qos\nPreemptMode=cancel,within\nPreemptExemptTime=2\n"
                                 "PartitionName=a Nodes=ALL PreemptMode=requeue\nJobRequeue=0\n"
                                 "PreemptParameters=reorder_count=4,strict_order,min_exempt_priority=5\n"),
                   0);
  assert_int_equal(x.s.preempt.type, HC_SLURM_PREEMPT_QOS);
  assert_int_equal(x.s.preempt.mode, HC_SLURM_MODE_CANCEL);
  assert_true(x.s.preempt.within && !x.s.preempt.gang && x.s.preempt.never_requeues);
  assert_int_equal(x.s.preempt.exempt, 120);
  assert_int_equal(x.s.preempt_reorder_count, 4);
  assert_true(x.s.preempt_strict_order && !x.s.preempt_youngest_first);
  assert_int_equal(x.s.preempt_min_exempt_priority, 5);
  assert_int_equal(x.noted.count, 0);
  hc_names_fini(&x.noted);
}

static void test_bad_numbers(void **state)
{
  static const char *const bad[] = {"bf_interval",
                                    "bf_interval=",
                                    "bf_interval=0",
                                    "bf_interval=10801",
                                    "bf_interval=x",
                                    "bf_interval=30s",
                                    "bf_interval=1.5",
                                    "bf_interval=-1",
                                    "bf_interval=99999999999999999999",
                                    "defer,bf_interval=12345678901234567890123456789012345"};
  bench x;
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) {
    open_bench(&x);
    assert_int_equal(read_list(&x, bad[i]), HC_EUSAGE);
    assert_string_equal(x.e.where, "here");
    assert_int_equal(x.e.line, 7);
    assert_non_null(strstr(x.e.text, "bf_interval="));
    assert_non_null(strstr(x.e.text, "from 1 to 10800"));
    hc_names_fini(&x.noted);
  }
}

/* All of it in one file; of a key that stands twice the later line counts. */
static void test_conf(void **state)
{
  bench x;
  (void)state;
  open_bench(&x);
  assert_int_equal(read_text(&x,
                             "schedulertype=sched/BUILTIN\n"
                             "SchedulerParameters=bf_interval=60,default_queue_depth=7\n"
                             "SCHEDULERPARAMETERS=bf_window=10\n"
                             "KillWait=5\nKillWait=7 # s\nOverTimeLimit=2\nEpilog=/etc/slurm/epilog.sh\n"),
                   0);
  assert_true(x.s.builtin && x.s.has_epilog);
  assert_int_equal(x.s.default_queue_depth, 7);
  assert_int_equal(x.s.bf_window, 10);
  assert_int_equal(x.s.kill_wait, 7);
  assert_int_equal(x.s.over_time_limit, 120);
  hc_names_fini(&x.noted);
}

static void test_unlimited(void **state)
{
  bench x;
  (void)state;
  open_bench(&x);
  assert_int_equal(read_text(&x, "OverTimeLimit=unlimited\nSchedulerType=sched/backfill\n"), 0);
  assert_int_equal(x.s.over_time_limit, HC_SLURM_UNLIMITED);
  assert_false(x.s.builtin);
  hc_names_fini(&x.noted);
}

/* Each with its file, line and column, and what would be a value. */
static void test_bad_conf(void **state)
{
  static const struct {
    const char *text, *says;
    uint32_t line, column;
  } bad[] = {
      {"# a\nSchedulerType=sched/wiki\n", "sched/backfill and sched/builtin", 2, 1},
      {"ClusterName=a KillWait=soon\n", "KillWait=soon is no length of time: a number of seconds", 1, 15},
      {"KillWait=-1\n", "from 0 to 65533", 1, 1},
      {"\n\nOverTimeLimit=70000\n", "a number of minutes from 0 to 65533, or UNLIMITED", 3, 1},
      {"A=b\nSchedulerParameters=defer,bf_window=0\n", "bf_window=0 is no number from 1 to 43200", 2, 1},
  };
  bench x;
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) {
    open_bench(&x);
    assert_int_equal(read_text(&x, bad[i].text), HC_EINPUT);
    assert_string_equal(x.e.where, x.path);
    if (!strstr(x.e.text, bad[i].says)) fail_msg("%s", x.e.text);
    assert_int_equal(x.e.line, bad[i].line);
    assert_int_equal(x.e.column, bad[i].column);
    hc_names_fini(&x.noted);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults), cmocka_unit_test(test_list),       cmocka_unit_test(test_edges),
      cmocka_unit_test(test_noted),    cmocka_unit_test(test_preemption), cmocka_unit_test(test_bad_numbers),
      cmocka_unit_test(test_conf),     cmocka_unit_test(test_unlimited),  cmocka_unit_test(test_bad_conf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
