/* test_slurm_clock.c -- when slurmctld's schedulers run, by hand: passes of the main scheduler on the
 * looks of the main loop, compared in whole seconds, and cycles of the backfill, which looks again every
 * second after it has found nothing to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "policy/slurm/clock.h"

#define MS (HC_SECOND / 1000)

/* A clock whose ticks lie at `tick_at` and every `tick` from it, ms. All else begins at 0. */
static hc_slurm_clock clock_of(int64_t tick, int64_t tick_at)
{
  hc_slurm_clock c;
  hc_slurm_clock_init(&c, 0, tick * MS, tick_at * MS, 0, 0);
  return c;
}

static hc_slurm_settings defaults(void)
{
  hc_slurm_settings s;
  hc_slurm_settings_default(&s);
  return s;
}

/* The next pass, as seen at `now`, in ms; -1: none. */
static void next_pass(const hc_slurm_clock *c, const hc_slurm_settings *s, int64_t now, int64_t at, bool full)
{
  bool is_full = false;
  const hc_time got = hc_slurm_clock_main(c, s, now * MS, &is_full);
  assert_int_equal(got == HC_NEVER ? -1 : got / MS, at);
  if (at >= 0) assert_int_equal(is_full, full);
}

static void next_cycle(const hc_slurm_clock *c, const hc_slurm_settings *s, int64_t now, int64_t at)
{
  const hc_time got = hc_slurm_clock_backfill(c, s, now * MS);
  assert_int_equal(got == HC_NEVER ? -1 : got / MS, at);
}

/* A pass that is asked for comes with the next look, the one after it 3 s later and not before it is asked
 * for. */
static void test_passes_are_asked_for(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0);
  const hc_slurm_settings s = defaults();
  (void)state;
  next_pass(&c, &s, 0, 60000, true);
  hc_slurm_clock_change(&c, 500 * MS, false); /* of a kind that asks for none */
  next_pass(&c, &s, 500, 60000, true);
  hc_slurm_clock_change(&c, 500 * MS, true);
  next_pass(&c, &s, 500, 1000, false);
  hc_slurm_clock_ran(&c, 1000 * MS, false);
  next_pass(&c, &s, 1000, 60000, true);
  hc_slurm_clock_change(&c, 1200 * MS, true);
  hc_slurm_clock_change(&c, 3200 * MS, true); /* asking again changes nothing */
  next_pass(&c, &s, 3200, 4000, false);
  hc_slurm_clock_ran(&c, 4000 * MS, false);
  hc_slurm_clock_change(&c, 9300 * MS, true);
  next_pass(&c, &s, 9300, 10000, false);
}

/* Looks every 0.5 s at 0.4, 0.9, ...: a pass in second 0, at 0.9, lets one in second 3 run, at 3.4 and not
 * at 3.9. */
static void test_whole_seconds(void **state)
{
  hc_slurm_clock c = clock_of(500, 900);
  const hc_slurm_settings s = defaults();
  (void)state;
  hc_slurm_clock_change(&c, 600 * MS, true);
  next_pass(&c, &s, 600, 900, false);
  hc_slurm_clock_ran(&c, 900 * MS, false);
  hc_slurm_clock_change(&c, 1000 * MS, true);
  next_pass(&c, &s, 1000, 3400, false);
}

/* With a loop of 1.05 s looks are at 1.05, 4.2, 7.35: the first at or after second 4 is the fourth, the
 * first at or after second 7 the seventh. So the grid of passes is 3.15 s wide. */
static void test_the_loop_drifts(void **state)
{
  hc_slurm_clock c = clock_of(1050, 0);
  const hc_slurm_settings s = defaults();
  static const int64_t passes[] = {1050, 4200, 7350};
  (void)state;
  hc_slurm_clock_change(&c, 100 * MS, true);
  for (size_t i = 0; i < HC_ARRAY_LEN(passes); i++) {
    next_pass(&c, &s, 100, passes[i], false);
    hc_slurm_clock_ran(&c, passes[i] * MS, false);
    hc_slurm_clock_change(&c, passes[i] * MS + 1, true);
  }
}

/* Without a delay there is still one pass a look. */
static void test_no_delay(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0);
  hc_slurm_settings s = defaults();
  (void)state;
  s.batch_sched_delay = 0;
  hc_slurm_clock_change(&c, 1000 * MS, true);
  next_pass(&c, &s, 1000, 1000, false);
  hc_slurm_clock_ran(&c, 1000 * MS, false);
  hc_slurm_clock_change(&c, 1000 * MS, true);
  next_pass(&c, &s, 1000, 2000, false);
}

/* The whole queue once in 60 s; a pass that is due for both reasons is one over all of it; with an
 * interval of -1 there is none, and without one that is asked for no pass at all. */
static void test_whole_queue(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0);
  hc_slurm_settings s = defaults();
  (void)state;
  hc_slurm_clock_change(&c, 59500 * MS, true);
  next_pass(&c, &s, 59500, 60000, true);
  hc_slurm_clock_ran(&c, 60000 * MS, true);
  next_pass(&c, &s, 60000, 120000, true);
  hc_slurm_clock_change(&c, 60500 * MS, true);
  next_pass(&c, &s, 60500, 63000, false); /* it counts as a pass for the delay */
  hc_slurm_clock_ran(&c, 63000 * MS, false);
  next_pass(&c, &s, 63000, 120000, true); /* and one over the front does not for the interval */
  s.sched_interval = -1;
  next_pass(&c, &s, 63000, -1, false);
  hc_slurm_clock_change(&c, 70000 * MS, true);
  next_pass(&c, &s, 70000, 70000, false);
}

/* The seconds that are compared are those of Unix time: the run's 0 s may be any of them. */
static void test_origin(void **state)
{
  const hc_slurm_settings s = defaults();
  hc_slurm_clock c;
  (void)state;
  hc_slurm_clock_init(&c, 1700000017, HC_SECOND, 0, 0, -20 * HC_SECOND);
  next_pass(&c, &s, 0, 40000, true);
  hc_slurm_clock_change(&c, 5500 * MS, true);
  next_pass(&c, &s, 5500, 6000, false);
  next_cycle(&c, &s, 5500, 6000);
  hc_slurm_clock_filled(&c, &s, 6000 * MS, 0);
  hc_slurm_clock_change(&c, 6000 * MS, false);
  next_cycle(&c, &s, 6000, 36000);
}

/* Nothing has changed: no cycle. The first comes with the next look; the next bf_interval after its end,
 * if the cycle or anything since has changed something. */
static void test_cycles(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0);
  const hc_slurm_settings s = defaults();
  (void)state;
  next_cycle(&c, &s, 0, -1);
  hc_slurm_clock_change(&c, 5200 * MS, false);
  next_cycle(&c, &s, 5200, 6000);
  hc_slurm_clock_filled(&c, &s, 6000 * MS, 200 * MS);
  next_cycle(&c, &s, 6000, -1);
  hc_slurm_clock_change(&c, 6900 * MS, false); /* in the second of the cycle: it may have missed that */
  next_cycle(&c, &s, 6900, 36200);
  hc_slurm_clock_filled(&c, &s, 36200 * MS, 1900 * MS); /* ends in second 38 */
  hc_slurm_clock_change(&c, 37900 * MS, false);         /* while it runs */
  next_cycle(&c, &s, 38100, -1);
  hc_slurm_clock_change(&c, 38900 * MS, false);
  next_cycle(&c, &s, 38900, 68100);
}

/* At 36 s it finds nothing to do, and looks every second from then on: what changes at 40.5 is seen at 41. */
static void test_poll_after_a_skipped_cycle(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0);
  const hc_slurm_settings s = defaults();
  (void)state;
  hc_slurm_clock_change(&c, 5000 * MS, false);
  hc_slurm_clock_filled(&c, &s, 6000 * MS, 0);
  hc_slurm_clock_settle(&c, &s, 30000 * MS);
  next_cycle(&c, &s, 30000, -1);
  hc_slurm_clock_settle(&c, &s, 40500 * MS);
  hc_slurm_clock_change(&c, 40500 * MS, false);
  next_cycle(&c, &s, 40500, 41000);
  hc_slurm_clock_filled(&c, &s, 41000 * MS, 0);
  hc_slurm_clock_change(&c, 50000 * MS, false);
  next_cycle(&c, &s, 50000, 71000); /* what changes between two cycles waits for the next */
}

/* A phase that is not whole stays: looks at 0.7, and after a cycle at 6.7 at 36.7. */
static void test_phase_of_the_backfill(void **state)
{
  const hc_slurm_settings s = defaults();
  hc_slurm_clock c;
  (void)state;
  hc_slurm_clock_init(&c, 0, HC_SECOND, 0, 700 * MS, 0);
  hc_slurm_clock_change(&c, 5800 * MS, false);
  next_cycle(&c, &s, 5800, 6700);
  hc_slurm_clock_filled(&c, &s, 6700 * MS, 0);
  hc_slurm_clock_change(&c, 6700 * MS, false);
  next_cycle(&c, &s, 6700, 36700);
}

static void test_builtin_has_no_cycles(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0);
  hc_slurm_settings s = defaults();
  (void)state;
  s.builtin = true;
  hc_slurm_clock_change(&c, 1000 * MS, true);
  next_cycle(&c, &s, 1000, -1);
  next_pass(&c, &s, 1000, 1000, false);
}

/* While nothing waits the whole queue is looked at every 60 s all the same: after 1000.5 s at 1020. A pass
 * that was asked for has come in between. */
static void test_settle(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0), asked = clock_of(1000, 0), steps = clock_of(1000, 0);
  const hc_slurm_settings s = defaults();
  (void)state;
  hc_slurm_clock_settle(&c, &s, 1000500 * MS);
  next_pass(&c, &s, 1000500, 1020000, true);
  assert_int_equal(c.s.last_pass, 960);
  hc_slurm_clock_change(&asked, 1500 * MS, true);
  hc_slurm_clock_settle(&asked, &s, 100500 * MS);
  next_pass(&asked, &s, 100500, 120000, true);
  assert_int_equal(asked.s.asked, HC_NEVER);
  for (int64_t at = 0; at <= 1000500; at += 1500) hc_slurm_clock_settle(&steps, &s, at * MS);
  assert_memory_equal(&steps.s, &c.s, sizeof c.s); /* it is no matter how often it is settled */
}

/* What the settled time ends with is not in it: a pass that is due now is still to come. */
static void test_settle_leaves_now(void **state)
{
  hc_slurm_clock c = clock_of(1000, 0);
  const hc_slurm_settings s = defaults();
  (void)state;
  hc_slurm_clock_settle(&c, &s, 600000 * MS);
  next_pass(&c, &s, 600000, 600000, true);
}

/* A log says when both ran, 0 s to 20.25 s; after it the rules go on from what it told. */
static void test_log_leads_and_ends(void **state)
{
  hc_slurm_moment passes[] = {{10500 * MS, 0}, {20250 * MS, 1}}, cycles[] = {{15100 * MS, 0}};
  const hc_slurm_moments log = {.passes = passes, .pass_count = 2, .cycles = cycles, .cycle_count = 1};
  hc_slurm_clock c = clock_of(1000, 0);
  const hc_slurm_settings s = defaults();
  (void)state;
  c.log = &log;
  hc_slurm_clock_change(&c, 1000 * MS, true); /* a look at 1 s would run one by the rules */
  next_pass(&c, &s, 1000, 10500, false);
  next_cycle(&c, &s, 1000, 15100);
  hc_slurm_clock_settle(&c, &s, 9000 * MS); /* nothing but what it says happens */
  assert_int_equal(c.s.asked, 1000 * MS);
  hc_slurm_clock_ran(&c, 10500 * MS, false);
  next_pass(&c, &s, 10500, 20250, true);
  hc_slurm_clock_filled(&c, &s, 15100 * MS, 0);
  hc_slurm_clock_change(&c, 15100 * MS, false);
  next_cycle(&c, &s, 15101, 45100);
  hc_slurm_clock_ran(&c, 20250 * MS, true);
  next_pass(&c, &s, 20250, 80000, true); /* 60 s after second 20 */
  hc_slurm_clock_change(&c, 21000 * MS, true);
  next_pass(&c, &s, 21000, 23000, false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_passes_are_asked_for),
      cmocka_unit_test(test_whole_seconds),
      cmocka_unit_test(test_the_loop_drifts),
      cmocka_unit_test(test_no_delay),
      cmocka_unit_test(test_whole_queue),
      cmocka_unit_test(test_origin),
      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_poll_after_a_skipped_cycle),
      cmocka_unit_test(test_phase_of_the_backfill),
      cmocka_unit_test(test_builtin_has_no_cycles),
      cmocka_unit_test(test_settle),
      cmocka_unit_test(test_settle_leaves_now),
      cmocka_unit_test(test_log_leads_and_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
