/* test_runner.c -- what is kept from one point of a study to the next changes nothing: each point finds, to
 * the last bit, what it finds in a process of its own.
 *
 * A runner keeps resolved configurations, the workload, what first passes over it came to, and the memory of
 * the run before. So each study is carried out by one runner in the order of carrying out, and each of its
 * points by a runner that has seen nothing. The axes are those that such things may depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "hindcast/hindcast.h"
#include "study/runner.h"

#define TAPE ((size_t)1 << 20)

static hc_registry *registry;

static hc_study *read_study(const char *text)
{
  hc_study *s = NULL;
  hc_error e = {0};
  if (hc_study_parse(hc_default_allocator(), registry, text, strlen(text), "test", &s, &e) < 0)
    fail_msg("%u: %s", e.line, e.text);
  return s;
}

static hc_runner *new_runner(hc_study *s, size_t tape)
{
  hc_runner *r = NULL;
  hc_error e = {0};
  assert_int_equal(hc_runner_new(s, tape, &r, &e), 0);
  return r;
}

static void carry_out(hc_runner *r, uint64_t point, hc_outcome *o)
{
  hc_error e = {0};
  assert_int_equal(hc_runner_point(r, point, o, &e), 0);
  if (o->state != HC_POINT_DONE) fail_msg("point %llu: %s", (unsigned long long)point, o->text);
}

static void each_point_is_as_alone(const char *text, size_t tape)
{
  hc_study *s = read_study(text);
  hc_runner *r = new_runner(s, tape);
  for (uint64_t at = 0; at < s->product; at++) {
    const uint64_t point = hc_study_point_at(s, at);
    hc_runner *fresh = new_runner(s, tape);
    hc_outcome here, there;
    carry_out(r, point, &here);
    carry_out(fresh, point, &there);
    assert_int_equal(here.set->count, there.set->count);
    assert_string_equal(here.set->text, there.set->text);
    if (memcmp(here.values, there.values, here.set->count * sizeof *here.values) != 0)
      fail_msg("point %llu (number %llu) differs: %.17g, alone %.17g", (unsigned long long)point,
               (unsigned long long)at, here.values[0], there.values[0]);
    hc_runner_free(fresh);
  }
  hc_runner_free(r);
  hc_study_free(s);
}

#define BASE "study:\n  base: {source: {use: lublin, tasks: 60, procs: 64}, cell: {procs: 64}"

/* The load's measure depends on the machine and on who is admitted, not on the policy, nor on the load
 * wanted. */
static void loads_are_measured_once(void **state)
{
  static const char text[] = BASE
      ", transforms: [{use: load, to: 0.7}]}\n"
      "  axes: {machine: {path: cell.procs, values: [64, 96]}, large: {path: too_large, values: [reject, "
      "clamp]},\n"
      "         policy: [fcfs, easy], load: {path: transforms.0.to, values: [0.5, 0.9]}}\n"
      "  keep: [wait_mean, wait_p95, makespan, utilisation]\n  replications: 2\n";
  HC_UNUSED(state);
  each_point_is_as_alone(text, TAPE);
  each_point_is_as_alone(text, 16); /* no tape: sources are opened each time */
}

/* A total depends on the transforms below. */
static void transforms_below_count(void **state)
{
  static const char text[] = BASE
      ", transforms: [{use: first, count: 30}, {use: load, to: 0.7}]}\n"
      "  axes: {count: {path: transforms.0.count, values: [20, 40]}, load: {path: transforms.1.to, values: "
      "[0.5, 0.9]}}\n"
      "  keep: [wait_mean, makespan]\n";
  HC_UNUSED(state);
  each_point_is_as_alone(text, TAPE);
}

/* An axis that makes a second transform of which the first is then the one below. */
static void the_last_transform_may_not_be_the_last(void **state)
{
  static const char text[] =
      BASE ", transforms: [{use: load, to: 0.7}]}\n"
           "  axes:\n    chain:\n      one: {policy: fcfs}\n"
           "      two: {transforms: [{use: load, to: 0.7}, {use: load, to: 0.9, method: run, definition: "
           "polezhaev}]}\n"
           "    load: {path: transforms.0.to, values: [0.5, 1.1]}\n"
           "  keep: [wait_mean, makespan]\n";
  HC_UNUSED(state);
  each_point_is_as_alone(text, TAPE);
}

/* Which figures are kept does not change them: those not wanted need not be found. */
static void figures_kept_are_figures_found(void **state)
{
  static const char all[] = BASE ", metrics: [wait, bounded_slowdown]}\n  axes: {policy: [fcfs, easy]}\n";
  static const char *const kept[] = {"wait_p50", "wait_max", "bounded_slowdown_p99", "bounded_slowdown_mean"};
  hc_study *whole = read_study(all);
  hc_runner *of_whole = new_runner(whole, TAPE);
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(kept); i++) {
    char text[sizeof all + 100], line[60];
    (void)snprintf(text, sizeof text, "%s  keep: [%s]\n", all, kept[i]);
    hc_study *s = read_study(text);
    hc_runner *r = new_runner(s, TAPE);
    for (uint64_t p = 0; p < 2; p++) {
      hc_outcome o, found;
      size_t at = 0;
      carry_out(of_whole, p, &found);
      carry_out(r, p, &o);
      assert_int_equal(o.set->count, 1);
      (void)snprintf(line, sizeof line, "%s|", kept[i]);
      const char *place = strstr(found.set->text, line);
      assert_non_null(place);
      for (const char *c = found.set->text; c < place; c++) at += *c == '\n';
      assert_memory_equal(&o.values[0], &found.values[at], sizeof o.values[0]);
    }
    hc_runner_free(r);
    hc_study_free(s);
  }
  hc_runner_free(of_whole);
  hc_study_free(whole);
}

/* A level whose metrics do not find a figure leaves it open; the other levels have it. */
static void figures_of_some_levels(void **state)
{
  static const char text[] =
      BASE "}\n  axes: {m: {few: {metrics: [wait]}, many: {metrics: [wait, slowdown]}}}\n"
           "  keep: [wait_mean, slowdown_mean]\n";
  hc_study *s = read_study(text);
  hc_runner *r = new_runner(s, TAPE);
  hc_outcome o;
  HC_UNUSED(state);
  carry_out(r, 0, &o);
  assert_string_equal(o.set->text, "wait_mean|s\n");
  carry_out(r, 1, &o);
  assert_string_equal(o.set->text, "wait_mean|s\nslowdown_mean|1\n");
  hc_runner_free(r);
  hc_study_free(s);
}

static int set_up(void **state)
{
  HC_UNUSED(state);
  return hc_registry_new(hc_default_allocator(), &registry);
}

static int tear_down(void **state)
{
  HC_UNUSED(state);
  hc_registry_free(registry);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_are_measured_once),
      cmocka_unit_test(transforms_below_count),
      cmocka_unit_test(the_last_transform_may_not_be_the_last),
      cmocka_unit_test(figures_kept_are_figures_found),
      cmocka_unit_test(figures_of_some_levels),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
