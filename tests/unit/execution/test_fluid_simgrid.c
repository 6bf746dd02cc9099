/* test_fluid_simgrid.c -- the rule of parallel tasks against SimGrid 3.32, end by end.
 *
 * tests/oracles/simgrid/ has what SimGrid said of parallel tasks on its small_platform and on a cluster, as
 * flat problems: `R capacity kind` a resource (kind 1: each may use all of it); `T start delay bound end n`
 * a task of one unit of work with n pairs of a resource and the amount of it, in seconds and units. Ends
 * agree to 1e-8 relative: SimGrid stops its rounds at an absolute 1e-5 and prints ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/util.h"
#include "execution/fluid.h"

#define TASKS 200
#define USES 256

typedef struct task {
  double start, end;
  hc_fluid_activity a;
  hc_fluid_use uses[USES];
} task;

static hc_time ns(double seconds)
{
  return (hc_time)(seconds * 1e9 + 0.5);
}

static void read_all(const char *path, hc_fluid *f, task *tasks, size_t *count)
{
  FILE *in = fopen(path, "r");
  char kind;
  assert_non_null(in);
  while (fscanf(in, " %c", &kind) == 1) {
    double capacity, delay;
    int is_fatpipe;
    uint32_t id;
    task *t = &tasks[*count];
    if (kind == 'R') {
      assert_int_equal(fscanf(in, "%lf %d", &capacity, &is_fatpipe), 2);
      const hc_fluid_resource r = {.capacity = capacity,
                                   .sharing = is_fatpipe ? HC_FLUID_FATPIPE : HC_FLUID_SHARED};
      assert_int_equal(hc_fluid_add(f, &r, &id), 0);
      continue;
    }
    assert_true(kind == 'T' && *count < TASKS);
    t->a = (hc_fluid_activity){.uses = t->uses, .work = 1, .tag = *count, .serial = *count};
    assert_int_equal(fscanf(in, "%lf %lf %lf %lf %zu", &t->start, &delay, &t->a.bound, &t->end, &t->a.count),
                     5);
    assert_true(t->a.count <= USES);
    t->a.delay = ns(delay);
    for (size_t i = 0; i < t->a.count; i++)
      assert_int_equal(fscanf(in, "%u %lf", &t->uses[i].resource, &t->uses[i].weight), 2);
    ++*count;
  }
  fclose(in);
}

/* The largest relative difference of an end. */
static double replay(const char *path)
{
  static task tasks[TASKS];
  size_t count = 0, begun = 0, ended = 0;
  double worst = 0;
  hc_fluid *f = NULL;
  assert_int_equal(hc_fluid_new(hc_default_allocator(), &(hc_fluid_options){.rule = HC_FLUID_BOTTLENECK}, &f),
                   0);
  read_all(path, f, tasks, &count);
  while (ended < count) {
    hc_time next;
    hc_fluid_end e;
    assert_int_equal(hc_fluid_next(f, &next), 0);
    if (begun < count && ns(tasks[begun].start) < next) {
      hc_fluid_id id;
      assert_int_equal(hc_fluid_start(f, ns(tasks[begun].start), &tasks[begun].a, &id), 0);
      begun++;
      continue;
    }
    assert_true(next < HC_NEVER);
    while (hc_fluid_advance(f, next, &e) == 1) {
      const double end = tasks[e.tag].end, difference = ((double)next * 1e-9 - end) / end;
      worst = HC_MAX(worst, HC_MAX(difference, -difference));
      ended++;
    }
  }
  hc_fluid_free(f);
  return worst;
}

#ifdef HC_FLUID_REPLAY /* any such files, by hand */
int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) printf("%.3g %s\n", replay(argv[i]), argv[i]);
  return 0;
}
#else
static void test_parallel_tasks(void **state)
{
  HC_UNUSED(state);
  assert_true(replay(HC_TEST_SOURCE_DIR "/tests/oracles/simgrid/ptasks_small_platform.txt") < 1e-8);
  assert_true(replay(HC_TEST_SOURCE_DIR "/tests/oracles/simgrid/ptasks_cluster512.txt") < 1e-8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_parallel_tasks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
