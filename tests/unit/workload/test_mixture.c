/* test_mixture.c -- jobs from laws: what a row is, that draws do not shift each other, loads, cycles,
 * DAGs, state. */
#define _GNU_SOURCE
#include "generator_test.h"
#include "workload/dag.h"

READER(mixture);
#define CHOOSE(...) choose(&hc_reader_mixture.component, __VA_ARGS__, NULL)

/* ---- what a row is ---- */

static void a_task_is_what_was_said(void **state)
{
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("jobs=2", "interval=10s", "run=90s", "users=0", "size=3", "priority=7",
                            "limit_factor=1.5", "limit_round=1m"));
  for (int64_t i = 1; i <= 2; i++) {
    t = next_row(&g);
    assert_int_equal(t->id, i);
    assert_int_equal(t->job, -1);
    assert_int_equal(t->submit, 10 * i * HC_SECOND);
    assert_int_equal(t->run, 90 * HC_SECOND);
    assert_int_equal(t->limit, 180 * HC_SECOND); /* 135 s, rounded up to minutes */
    assert_int_equal(t->procs_asked, 3);
    assert_int_equal(t->priority, 7);
    assert_true(t->hosts == HC_UNKNOWN && t->need[HC_DIM_CPU] == HC_UNKNOWN && t->user == -1 &&
                t->count == 0);
  }
  assert_null(next_row(&g));
  assert_null(next_row(&g));
  assert_int_equal(g.type->info(g.source)->processors, 128);
  assert_int_equal(g.type->refers(g.source), HC_REFERS_NONE);
  close_generator(&g);
}

static void demands_are_vectors(void **state)
{
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("jobs=1", "interval=1s", "cpu=2.5", "memory=3GiB", "gpu=0.5", "disk=1GB",
                            "hosts=4", "spread=true", "users=5", "groups=2"));
  t = next_row(&g);
  assert_int_equal(t->need[HC_DIM_CPU], 2500);
  assert_int_equal(t->need[HC_DIM_MEMORY], (int64_t)3 << 30);
  assert_int_equal(t->need[HC_DIM_GPU], 500);
  assert_int_equal(t->need[HC_DIM_DISK], 1000000000);
  assert_int_equal(t->need[HC_DIM_OTHER], HC_UNKNOWN);
  assert_int_equal(t->hosts, 4);
  assert_int_equal(t->procs_asked, 12); /* three cores, rounded up, on each of four */
  assert_int_equal(t->flags, HC_SPEC_SPREAD);
  assert_int_equal(t->group, (t->user - 1) % 2 + 1);
  close_generator(&g);
}

static void a_job_is_rows_or_a_bundle(void **state)
{
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(
      &g, CHOOSE("jobs=2", "interval=10s", "run=uniform(1s 1h)", "tasks_per_job=600", "cpu=uniform(1 9)"));
  for (int64_t job = 1; job <= 2; job++) {
    hc_task_spec first = {0};
    bool same_run = true;
    for (int64_t k = 1; k <= 600; k++) {
      t = next_row(&g);
      if (k == 1) first = *t;
      assert_true(t->job == job && t->id == k && t->submit == job * 10 * HC_SECOND && t->count == 0);
      assert_true(t->user == first.user && t->need[HC_DIM_CPU] == first.need[HC_DIM_CPU]);
      same_run &= t->run == first.run;
    }
    assert_false(same_run); /* each has its own */
  }
  assert_null(next_row(&g));
  close_generator(&g);
  open_generator(&g, CHOOSE("jobs=2", "interval=10s", "tasks_per_job=600", "bundle=true"));
  for (int64_t job = 1; job <= 2; job++) {
    t = next_row(&g);
    assert_true(t->job == job && t->id == 1 && t->count == 600);
  }
  assert_null(next_row(&g));
  close_generator(&g);
}

/* ---- streams ---- */

/* Which of submissions, run times, sizes, limits, users, cpus, memory are equal in 200 jobs? As bits from
 * 1. */
static int equal_parts(hc_chosen one, hc_chosen other)
{
  generator a, b;
  int equal = 127;
  open_generator(&a, one);
  open_generator(&b, other);
  for (int i = 0; i < 200; i++) {
    const hc_task_spec *s = next_row(&a), *t = next_row(&b);
    if (s->submit != t->submit) equal &= ~1;
    if (s->run != t->run) equal &= ~2;
    if (s->procs_asked != t->procs_asked) equal &= ~4;
    if (s->limit != t->limit) equal &= ~8;
    if (s->user != t->user) equal &= ~16;
    if (s->need[HC_DIM_CPU] != t->need[HC_DIM_CPU]) equal &= ~32;
    if (s->need[HC_DIM_MEMORY] != t->need[HC_DIM_MEMORY]) equal &= ~64;
  }
  close_generator(&a);
  close_generator(&b);
  return equal;
}

#define BASE \
  "interval=exponential(100)", "jobs=200", "size=uniform(1 9)", "cpu=uniform(1 9)", \
      "memory=lognormal(1GiB 2)", "limit_factor=uniform(1 3)"

static void draws_of_one_law_never_shift_another(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE)), 127);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "jobs=900")), 127);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "interval=gamma(100 2)")), 126);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "run=gamma(1h 2)")),
                   117); /* limits are of the run */
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "size=gamma(9 2)")), 123);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "limit_factor=gamma(9 2)")), 119);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "users=9000")), 111);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "cpu=gamma(9 2)")), 95);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "memory=gamma(1GiB 3)")), 63);
  assert_int_equal(equal_parts(CHOOSE(BASE), CHOOSE(BASE, "stream=1")) & ~(4 | 16),
                   0); /* few sizes and users */
}

/* ---- moments ---- */

static void laws_are_met(void **state)
{
  moments gap = {0}, run = {0}, size = {0}, cpu = {0}, memory = {0}, factor = {0};
  hc_time last = 0;
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("jobs=100000", "interval=hyperexponential(10 2)", "users=0",
                            "run=0.7 * exponential(5m) + 0.3 * lognormal(2h 1)", "size=uniform(1 9)",
                            "cpu=0.5*0.5 + 0.3*1 + 0.2*4", "memory=lognormal(2GiB 1)",
                            "limit_factor=uniform(1 5)"));
  while ((t = next_row(&g))) {
    add_to(&gap, (double)(t->submit - last) / 1e9);
    last = t->submit;
    add_to(&run, (double)t->run / 1e9);
    add_to(&size, (double)t->procs_asked);
    add_to(&cpu, (double)t->need[HC_DIM_CPU] / 1000);
    add_to(&memory, (double)t->need[HC_DIM_MEMORY]);
    add_to(&factor, (double)t->limit / (double)t->run);
  }
  close_generator(&g);
  mean_is("gap", &gap, 10, 0);
  is_near("deviation of gaps", deviation_of(&gap), 20,
          0.5); /* fourth moments: 2 % is some six standard errors */
  mean_is("run", &run, 0.7 * 300 + 0.3 * 7200, 0);
  mean_is("size", &size, 5, 0);
  mean_is("cpu", &cpu, 0.25 + 0.3 + 0.8, 0);
  mean_is("memory", &memory, 2147483648.0, 0);
  mean_is("limit factor", &factor, 3, 0);
}

static void a_load_is_met(void **state)
{
  const struct {
    const char *first, *second;
    double gap;
  } cases[] = {
      /* 100 s x 5 processors / (0.5 x 128) */
      {"size=uniform(1 9)", "run=100s", 100 * 5 / 64.0},
      {"tasks_per_job=uniform(1 5)", "run=100s", 100 * 3 / 64.0},
      {"cpu=0.25", "run=exponential(100s)", 100 * 0.25 / 64},
      {"hosts=4", "run=100s", 100 * 4 / 64.0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    generator g;
    open_generator(&g, CHOOSE("jobs=1", "load=0.5", "interval=1s", cases[i].first, cases[i].second));
    is_near("gap", (double)next_row(&g)->submit / 1e9, cases[i].gap, 1e-8);
    while (next_row(&g)) continue;
    close_generator(&g);
  }
}

/* Each hour of the week holds its weight's share: chi-square over 168 classes, 167 degrees of freedom,
 * deviation 18.3; five deviations are allowed. */
static void cycles_are_met(void **state)
{
  double seen[168] = {0}, chi = 0, total = 0, sum = 0;
  const double week[] = {1, 1, 1, 1, 1, 0.5, 0.25};
  generator g;
  const hc_task_spec *t;
  HC_UNUSED(state);
  open_generator(&g, CHOOSE("jobs=0", "until=520w", "interval=exponential(1000)", "weekly=1,1,1,1,1,0.5,0.25",
                            "daily=1,1,1,1,1,1,2,3,4,5,6,6,6,6,5,4,3,2,1,1,1,1,1,1"));
  while ((t = next_row(&g))) {
    seen[t->submit / HC_HOUR % 168]++;
    total++;
  }
  close_generator(&g);
  is_near("all of them", total, 520 * 604800 / 1000.0, 5 * hc_sqrt(520 * 604.8));
  const double day[] = {1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 6, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1};
  for (int h = 0; h < 168; h++) sum += day[h % 24] * week[h / 24];
  for (int h = 0; h < 168; h++) {
    const double want = total * day[h % 24] * week[h / 24] / sum;
    chi += (seen[h] - want) * (seen[h] - want) / want;
  }
  is_near("chi-square", chi, 167, 5 * 18.3);
}

/* ---- dependencies ---- */

/* Predecessors of each task of the first job: "2:1 3:1,2". */
static void shape_of(const char *dag, const char *tasks, char *out, size_t size)
{
  generator g;
  const hc_task_spec *t;
  size_t n = 0;
  out[0] = '\0';
  open_generator(&g, CHOOSE("jobs=1", "interval=1s", dag, tasks));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_JOB);
  while ((t = next_row(&g))) {
    const hc_task_extras *m = hc_lexicon_more(g.lexicon, t->more);
    for (size_t i = 0; m && i < m->after_count; i++) {
      assert_true(m->after[i].job == t->job && m->after[i].task < t->id && m->after[i].how == HC_AFTER_ENDED);
      n += (size_t)snprintf(out + n, size - n,
                            i   ? ",%lld"
                            : n ? " %lld:%lld"
                                : "%lld:%lld",
                            (long long)(i ? m->after[i].task : t->id), (long long)m->after[i].task);
    }
  }
  close_generator(&g);
}

static void shapes_are_what_they_are_called(void **state)
{
  const struct {
    const char *dag, *tasks, *want;
  } shapes[] = {
      {"dag=chain", "tasks_per_job=4", "2:1 3:2 4:3"},   {"dag=fan_in", "tasks_per_job=4", "4:1,2,3"},
      {"dag=fan_out", "tasks_per_job=4", "2:1 3:1 4:1"}, {"dag=diamond", "tasks_per_job=4", "2:1 3:1 4:2,3"},
      {"dag=diamond", "tasks_per_job=2", "2:1"},         {"dag=chain", "tasks_per_job=1", ""},
  };
  char got[4096];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(shapes); i++) {
    shape_of(shapes[i].dag, shapes[i].tasks, got, sizeof got);
    assert_string_equal(got, shapes[i].want);
  }
}

/* Layers: a third are free, the others wait for one to three, ascending and all different. */
static void layers_wait_for_a_few(void **state)
{
  uint32_t before[HC_DAG_TASKS];
  uint64_t counts[4] = {0};
  HC_UNUSED(state);
  for (uint32_t count = 1; count <= 40; count++) {
    for (uint32_t i = 1; i <= count; i++) {
      hc_draws d = {.seed = 1, .entity = count, .purpose = i};
      const uint32_t n = hc_dag_before(HC_DAG_LAYERS, i, count, &d, before);
      assert_true(n <= 3 && n < i && (n == 0) == (3 * i <= count + 2));
      for (uint32_t k = 0; k < n; k++)
        assert_true(before[k] >= 1 && before[k] < i && (k == 0 || before[k] > before[k - 1]));
      counts[n]++;
    }
  }
  assert_true(counts[1] > 0 && counts[2] > 0 && counts[3] > 0);
}

static void a_mix_of_shapes_is_as_it_says(void **state)
{
  uint32_t seen[8] = {0};
  const double share[] = {[HC_DAG_CHAIN] = 0.35,
                          [HC_DAG_FAN_IN] = 0.25,
                          [HC_DAG_TREE] = 0.2,
                          [HC_DAG_DIAMOND] = 0.1,
                          [HC_DAG_LAYERS] = 0.1};
  HC_UNUSED(state);
  for (uint64_t i = 0; i < 100000; i++) {
    hc_draws d = {.seed = 1, .entity = i};
    seen[hc_dag_of_job(HC_DAG_MIXED, &d)]++;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(share); i++) /* binomial: five deviations */
    is_near("share", seen[i] / 1e5, share[i], 5 * hc_sqrt(share[i] / 1e5));
  assert_int_equal(hc_dag_of_job(HC_DAG_TREE, NULL), HC_DAG_TREE); /* uses no draw */
}

/* ---- state, and what is refused ---- */

static void a_snapshot_is_the_position(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(snapshot_goes_on(CHOOSE("jobs=300", "load=0.7", "weekly=1,1,1,1,1,0,0"),
                                    CHOOSE("jobs=300", "load=0.7", "weekly=1,1,1,1,1,0,0"), 100, 500),
                   24);
  /* within a job: 256 of 900 rows are gone */
  snapshot_goes_on(CHOOSE("jobs=3", "load=0.7", "tasks_per_job=900", "dag=mixed"),
                   CHOOSE("jobs=3", "load=0.7", "tasks_per_job=900", "dag=mixed"), 1100, 5000);
  damaged_state_is_refused(CHOOSE("load=1"), 24);
}

/* Recorded once: any compiler at any level of optimisation must give the same. */
static void the_same_bits_everywhere(void **state)
{
  HC_UNUSED(state);
  checksum_is(CHOOSE("jobs=0", "load=0.9",
                     "run=0.5*gamma(1h 2) + 0.3*weibull(1m 3) + 0.2*normal(5m 1m) from 1s",
                     "tasks_per_job=pareto(1 100 1)", "dag=mixed", "cpu=loguniform(0.1 32)",
                     "memory=quantiles(1GiB 2GiB 8GiB)", "limit_factor=lognormal(3 1) from 1",
                     "daily=1,1,1,1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2,2,2,2"),
              5000, "57478854dc514ec9");
}

static void what_cannot_be_is_refused(void **state)
{
  HC_UNUSED(state);
  refused(CHOOSE("jobs=1"), "nothing says how often jobs arrive: give load, or interval");
  refused(CHOOSE("interval=0"), "interval is always 0: nothing would ever end");
  refused(CHOOSE("load=1e-9", "run=1e8"),
          "for this load a job would have to arrive every 7.81e+14 s: change the load, run or procs");
  refused(CHOOSE("load=1", "dag=chain", "bundle=true"),
          "tasks of a bundle cannot wait for each other: leave out dag, or bundle");
  refused(CHOOSE("load=1", "dag=chain", "tasks_per_job=lognormal(3 2)"),
          "a job whose tasks wait for each other has at most 1024 of them: bound tasks_per_job, as in "
          "`lognormal(20 2) to 1024`");
  refused(CHOOSE("load=1", "run=tomorrow"),
          "run: \"tomorrow\", character 1: there is no such law; there are exponential, lognormal, weibull, "
          "gamma, hyperexponential, normal, uniform, loguniform, pareto, quantiles, values, file, and plain "
          "numbers");
  refused(CHOOSE("load=1", "daily=1,2,3"),
          "daily is not a list of 24 weights: give one for each hour, from midnight");
  refused(CHOOSE("load=1", "weekly=0,0,0,0,0,0,0"),
          "all weights of daily or weekly are 0: tasks have to arrive at some time");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_is_what_was_said),
      cmocka_unit_test(demands_are_vectors),
      cmocka_unit_test(a_job_is_rows_or_a_bundle),
      cmocka_unit_test(draws_of_one_law_never_shift_another),
      cmocka_unit_test(laws_are_met),
      cmocka_unit_test(a_load_is_met),
      cmocka_unit_test(cycles_are_met),
      cmocka_unit_test(shapes_are_what_they_are_called),
      cmocka_unit_test(layers_wait_for_a_few),
      cmocka_unit_test(a_mix_of_shapes_is_as_it_says),
      cmocka_unit_test(a_snapshot_is_the_position),
      cmocka_unit_test(the_same_bits_everywhere),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
