/* test_random.c -- the random generator of DSLab-CS: what a row is, moments, names of users, state, what
 * is refused. */
#define _GNU_SOURCE
#include "base/variates.h"
#include "generator_test.h"

READER(random);
#define CHOOSE(...) choose(&hc_reader_random.component, __VA_ARGS__, NULL)

static void a_task_is_what_was_said(void **state)
{
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("execution_count=3", "start_time=100", "delay_min=5", "delay_max=5", "cpu_min=4",
                            "cpu_max=4", "memory_min=2GiB", "memory_max=2GiB", "nodes_count_min=3",
                            "nodes_count_max=3", "duration_mean=90", "duration_dev=0", "user=7",
                            "collection_id=4"));
  for (int64_t i = 0; i < 3; i++) {
    t = next_row(&g);
    assert_int_equal(t->id, i + 1);
    assert_int_equal(t->submit, (101 + 5 * i) * HC_SECOND); /* a second after the start */
    assert_int_equal(t->run, 90 * HC_SECOND);
    assert_int_equal(t->limit, 90 * HC_SECOND);
    assert_int_equal(t->hosts, 3);
    assert_int_equal(t->need[HC_DIM_CPU], 4000);
    assert_int_equal(t->need[HC_DIM_MEMORY], (int64_t)2 << 30);
    assert_int_equal(t->need[HC_DIM_GPU], HC_UNKNOWN);
    assert_int_equal(t->procs_asked, 12);
    assert_int_equal(t->flags, HC_SPEC_SPREAD);
    assert_true(t->user == 7 && t->job == 4);
  }
  assert_null(next_row(&g));
  assert_null(next_row(&g));
  close_generator(&g);
  open_generator(&g, CHOOSE("execution_count=0", "until=31", "delay_min=10", "delay_max=10"));
  for (int i = 0; i < 3; i++) assert_int_equal(next_row(&g)->submit, (1 + 10 * i) * HC_SECOND);
  assert_null(next_row(&g)); /* the fourth would come at 31 */
  close_generator(&g);
}

/* All want what the first does, and the first what it would anyway; each stream has another. */
static void tasks_may_be_alike(void **state)
{
  generator g;
  int64_t cpu, memory;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("execution_count=1", "cpu_max=1000000", "memory_max=1TiB", "stream=1"));
  cpu = next_row(&g)->need[HC_DIM_CPU];
  close_generator(&g);
  open_generator(
      &g, CHOOSE("execution_count=100", "cpu_max=1000000", "memory_max=1TiB", "stream=1", "alike=true"));
  memory = -1;
  for (int i = 0; i < 100; i++) {
    const hc_task_spec *t = next_row(&g);
    assert_int_equal(t->need[HC_DIM_CPU], cpu);
    if (memory < 0) memory = t->need[HC_DIM_MEMORY];
    assert_int_equal(t->need[HC_DIM_MEMORY], memory);
  }
  close_generator(&g);
  open_generator(&g, CHOOSE("execution_count=1", "cpu_max=1000000", "stream=2", "alike=true"));
  assert_int_not_equal(next_row(&g)->need[HC_DIM_CPU], cpu); /* one in a million otherwise */
  close_generator(&g);
}

static void users_have_names(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("execution_count=1", "user=ann"));
  const hc_task_spec *t = next_row(&g);
  assert_true(t->user > 0);
  assert_string_equal(hc_lexicon_text(g.lexicon, (uint32_t)t->user - 1), "ann");
  close_generator(&g);
  open_generator(&g, CHOOSE("execution_count=1"));
  assert_int_equal(next_row(&g)->user, -1);
  close_generator(&g);
}

static void work_is_shared_by_processors(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("execution_count=1", "measure=work", "duration_mean=36000", "duration_dev=0",
                            "cpu_min=6", "cpu_max=6", "nodes_count_min=2", "nodes_count_max=2", "speed=10"));
  assert_int_equal(next_row(&g)->run, 300 * HC_SECOND); /* 36000 / (6 x 2 x 10) */
  close_generator(&g);
}

/* Uniform on n whole numbers: mean of the bounds, deviation sqrt((n^2 - 1) / 12). Run times: max(1, N(m,
 * d)), whose mean is m + (1 - m) P(z) + d f(z), z = (1 - m) / d. */
static void moments_are_those_of_the_formulas(void **state)
{
  moments gap = {0}, cpu = {0}, memory = {0}, hosts = {0}, run = {0}, short_run = {0};
  hc_time last = 0;
  int64_t low = INT64_MAX, high = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g,
                 CHOOSE("execution_count=100000", "cpu_min=3", "cpu_max=9", "memory_min=4", "memory_max=10",
                        "nodes_count_min=1", "nodes_count_max=3", "duration_mean=250", "duration_dev=40"));
  while ((t = next_row(&g))) {
    if (last > 0) add_to(&gap, (double)(t->submit - last) / 1e9);
    last = t->submit;
    add_to(&cpu, (double)t->need[HC_DIM_CPU] / 1000);
    add_to(&memory, (double)t->need[HC_DIM_MEMORY]);
    add_to(&hosts, (double)t->hosts);
    add_to(&run, (double)t->run / 1e9);
    low = HC_MIN(low, t->need[HC_DIM_MEMORY]);
    high = HC_MAX(high, t->need[HC_DIM_MEMORY]);
  }
  close_generator(&g);
  mean_is("gap", &gap, 2.5, 0);
  is_near("deviation of gaps", deviation_of(&gap), 3 / hc_sqrt(12), 0.01);
  mean_is("cpu", &cpu, 6, 0);
  is_near("deviation of cpu", deviation_of(&cpu), 2, 0.02); /* sqrt(48 / 12) */
  mean_is("memory", &memory, 7, 0);
  assert_true(low == 4 && high == 10);
  mean_is("hosts", &hosts, 2, 0);
  mean_is("run", &run, 250, 0);
  is_near("deviation of run", deviation_of(&run), 40, 5 * 40 / hc_sqrt(2e5));
  open_generator(&g, CHOOSE("execution_count=100000", "duration_mean=5", "duration_dev=10"));
  while ((t = next_row(&g))) {
    assert_true(t->run >= HC_SECOND);
    add_to(&short_run, (double)t->run / 1e9);
  }
  close_generator(&g);
  const double z = (1.0 - 5) / 10;
  mean_is("short run", &short_run,
          5 + (1 - 5) * hc_normal_share(z) + 10 * hc_exp(-z * z / 2) * 0.3989422804014327, 0);
}

static void streams_differ_and_repeat(void **state)
{
  HC_UNUSED(state);
  checksum_is(CHOOSE("execution_count=0", "cpu_max=8", "memory_max=64GiB"), 3000, "eddace09e6558115");
  generator a, b;
  open_generator(&a, CHOOSE("execution_count=10"));
  open_generator(&b, CHOOSE("execution_count=10", "stream=1"));
  assert_int_not_equal(next_row(&a)->run, next_row(&b)->run);
  close_generator(&a);
  close_generator(&b);
}

static void a_snapshot_is_the_position(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(snapshot_goes_on(CHOOSE("execution_count=500"), CHOOSE("execution_count=500"), 123, 900),
                   16);
  damaged_state_is_refused(CHOOSE("execution_count=500"), 16);
}

static void what_cannot_be_is_refused(void **state)
{
  HC_UNUSED(state);
  refused(CHOOSE("cpu_min=4", "cpu_max=3"), "cpu_min is above cpu_max: exchange them");
  refused(CHOOSE("memory_min=2GiB"), "memory_min is above memory_max: exchange them");
  refused(CHOOSE("delay_min=9"), "delay_min is above delay_max: exchange them");
  refused(CHOOSE("nodes_count_min=2"), "nodes_count_min is above nodes_count_max: exchange them");
  refused(CHOOSE("execution_count=0", "delay_min=0", "delay_max=0"),
          "with delay_max 0 and no execution_count tasks without end would arrive at once: set one");
}

/* The largest of everything that a parameter takes: no overflow, no endless loop. */
static void extremes_are_harmless(void **state)
{
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("execution_count=0", "start_time=1e9", "delay_min=1e9", "delay_max=1e9",
                            "cpu_min=1e6", "cpu_max=1e6", "memory_min=0", "memory_max=1PiB",
                            "nodes_count_min=1e6", "nodes_count_max=1e6", "duration_mean=1e15",
                            "duration_dev=1e15"));
  for (int i = 0; i < 3; i++) {
    t = next_row(&g);
    assert_true(t->run >= HC_SECOND && t->run <= (hc_time)1000000000 * HC_SECOND);
    assert_int_equal(t->procs_asked, INT64_C(1000000000000));
  }
  assert_non_null(next_row(&g)); /* at 4e9 s + 1 */
  assert_null(next_row(&g));     /* 5e9 s are past the end of all generators */
  close_generator(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_is_what_was_said),
      cmocka_unit_test(users_have_names),
      cmocka_unit_test(tasks_may_be_alike),
      cmocka_unit_test(work_is_shared_by_processors),
      cmocka_unit_test(moments_are_those_of_the_formulas),
      cmocka_unit_test(streams_differ_and_repeat),
      cmocka_unit_test(a_snapshot_is_the_position),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(extremes_are_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
