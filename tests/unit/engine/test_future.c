/* test_future.c -- conservative and slack on hosts: each reservation holds amounts on named hosts during
 * [at, at + estimate).
 *
 * Small cases follow by hand; random ones are compared, task by task, with a model below that tries every
 * second and adds up every second of the window on every host anew. On one host that has all the cores there
 * is nothing to fragment: there the schedule must be that of as many counted processors. */
#include "engine_test.h"

#include "base/math.h"
#include "sample.h"

#define NATIVE "source: {use: native, file: FILE}\nmetrics: [tasks]\nparanoid: true\n"
#define CONSERVATIVE NATIVE "policy: conservative\n"
#define TWO "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4, gpus: 2}]}\n"
#define THREE "cell: {use: hosts, classes: [{count: 3, name_prefix: c, cpus: 1}]}\n"

/* Tasks 1, 2, ... start at these seconds; a negative one never does. */
static void assert_text(const char *yaml, const char *tasks, const int64_t *starts, size_t count)
{
  bench b;
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  assert_int_equal(b.count, count);
  for (size_t i = 0; i < count; i++)
    if (start_of(&b, (int64_t)i + 1) != starts[i])
      fail_msg("task %zu starts at %" PRId64 ", should at %" PRId64, i + 1, start_of(&b, (int64_t)i + 1),
               starts[i]);
  end(&b);
}
#define STARTS(yaml, tasks, ...) \
  assert_text(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

/* One line of a task: its estimate is its limit. */
#define T(id, at, run, limit, what) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", wall_time_limit: " #limit ", resources: {" what \
  "}}\n"
#define CORES(n) "cpu_per_node: " #n

/* ---- where counting would be wrong ---- */

static void test_enough_in_all_is_not_enough(void **state)
{
  (void)state;
  /* Three cores of each host are taken, until 10 and 20. Two cores are free in all, and no host has two: 3 is
   * promised c-0 during [10, 15). 4 wants both hosts whole, which is not before 20. 5 takes a core of c-0
   * until 11, when 1 has left it: 1 + 2 of 4. 6 would hold a core past 20, wherever it went: after 4. */
  STARTS(CONSERVATIVE TWO,
         T(1, 0, 10, 10, CORES(3)) T(2, 0, 20, 20, CORES(3)) T(3, 1, 5, 5, CORES(2))
             T(4, 2, 5, 5, "nodes_count: 2") T(5, 3, 8, 8, CORES(1)) T(6, 3, 30, 30, CORES(1)),
         0, 0, 10, 20, 3, 25);
}

static void test_the_least_of_the_sum_not_the_sum(void **state)
{
  (void)state;
  /* c-0 is full until 10, c-1 until 50. 3 and 4 are promised three of c-0's four cores one after the other,
   * in [10, 20) and [20, 30). 5 needs one for 30 s: three and three would be six, but never more than three
   * at once: it starts at 10. 6, with two, has to wait for them all: 5 leaves at 40. */
  STARTS(CONSERVATIVE TWO,
         T(1, 0, 10, 10, CORES(4)) T(2, 0, 50, 50, CORES(4)) T(3, 1, 10, 10, CORES(3))
             T(4, 2, 10, 10, CORES(3)) T(5, 3, 30, 30, CORES(1)) T(6, 4, 30, 30, CORES(2)),
         0, 0, 10, 20, 10, 30);
}

/* On counted processors a task may start although no one of them stays free for it: 5 begins where 4 is to
 * come, and 4 finds another then. A promise names hosts, so that 5 waits for one that is free all the time:
 * c-2 from 8 on.
 *
 *      0    2       8      12          18
 *  c-0 | 1  |.......| 4    |.............      the window of 5 is 10 s: c-0 offers [2, 8) and [12, ..),
 *  c-1 |     2      | 4    |.............      c-1 [12, ..), c-2 [8, ..)
 *  c-2 |     3      |   5              |                                                     */
static void test_a_promise_names_hosts(void **state)
{
  static const job jobs[] = {J(1, 0, 2, 1, 2), J(2, 0, 8, 1, 8), J(3, 0, 8, 1, 8), J(4, 1, 4, 2, 4),
                             J(5, 3, 10, 1, 10)};
  (void)state;
  assert_starts("policy: conservative\nparanoid: true\n", 3, jobs, COUNT(jobs),
                (const int64_t[]){0, 0, 0, 8, 3});
  assert_starts("policy: conservative\nparanoid: true\n" THREE, 3, jobs, COUNT(jobs),
                (const int64_t[]){0, 0, 0, 8, 8});
}

static void test_parts_of_gpus(void **state)
{
  (void)state;
  /* One host of two devices. 1 has half of the first until 10, 2 has 0.6 of the second until 4. 3 wants both
   * whole: at 10, until 15. 4 shares the first with 1 until 7. 5 would be on the second until 11: it waits
   * for 3. */
  STARTS(CONSERVATIVE "cell: {use: hosts, classes: [{name: g, cpus: 64, gpus: 2}]}\n",
         T(1, 0, 10, 10, "cpu_per_node: 1, gpu: 0.5") T(2, 0, 4, 4, "cpu_per_node: 1, gpu: 0.6")
             T(3, 1, 5, 5, "cpu_per_node: 1, gpu: 2") T(4, 2, 5, 5, "cpu_per_node: 1, gpu: 0.5")
                 T(5, 2, 9, 9, "cpu_per_node: 1, gpu: 0.4"),
         0, 0, 10, 2, 15);
}

static void test_licences(void **state)
{
  (void)state;
  /* Two licences. 3 wants both, when 1 ends; 4 is through with one by then, 5 is not. */
  STARTS(CONSERVATIVE
         "cell: {use: hosts, classes: [{count: 4, name_prefix: c, cpus: 4}], licences: [lic=2]}\n",
         T(1, 0, 10, 10, "cpu_per_node: 1, lic: 1") T(2, 0, 10, 10, "cpu_per_node: 1")
             T(3, 1, 5, 5, "cpu_per_node: 1, lic: 2") T(4, 2, 8, 8, "cpu_per_node: 1, lic: 1")
                 T(5, 2, 9, 9, "cpu_per_node: 1, lic: 1"),
         0, 0, 10, 2, 15);
}

static void test_constraints_and_rivals(void **state)
{
  (void)state;
  /* 2 must be on c-0, which is taken until 10; 3 may be anywhere, and c-1 is free. 4 would be there past 20,
   * when 5, which is for c-1 alone, has to wait for it: first come, first promised. */
  STARTS(CONSERVATIVE TWO,
         T(1, 0, 10, 10,
           CORES(4)) "- {id: 2, submit_time: 1, delay: 5, wall_time_limit: 5, hosts: [c-0],"
                     " resources: {cpu_per_node: 4}}\n" T(3, 1, 4, 4, CORES(4))
                         T(4, 2, 20, 20,
                           CORES(4)) "- {id: 5, submit_time: 3, delay: 5, wall_time_limit: 5, hosts: [c-1],"
                                     " resources: {cpu_per_node: 1}}\n",
         0, 10, 1, 5, 25);
  /* One task of application 7 a host. 1 and 2 have one each until 10 and 20; 3 is promised c-0 in [10, 40). 4
   * is of it, too: c-1 at 20. 5 is of another and starts. */
#define OF_SEVEN(id, at, run) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", wall_time_limit: " #run \
  ", rivals: {of: 7, per_host: 1}, resources: {cpu_per_node: 1}}\n"
  STARTS(CONSERVATIVE TWO,
         OF_SEVEN(1, 0, 10) OF_SEVEN(2, 0, 20) OF_SEVEN(3, 1, 30) OF_SEVEN(4, 2, 5) T(5, 3, 50, 50, CORES(1)),
         0, 0, 10, 20, 3);
}

/* ---- speeds ---- */

#define FAST \
  "cell: {use: hosts, classes: [{name: slow, cpus: 1, speed: 1}, {count: 3, name_prefix: f, cpus: 1, " \
  "speed: 2}]}\n"
#define ON(id, at, run, hosts, n) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", wall_time_limit: " #run ", hosts: [" hosts \
  "], resources: {nodes_count: " #n ", cpu_per_node: 1}}\n"
#define ANY(id, at, run, n) T(id, at, run, run, "nodes_count: " #n ", cpu_per_node: 1")

static void test_speeds(void **state)
{
  (void)state;
  /* 1 is on f-2 for 14 / 2 s. 2 is promised f-0 and f-2 in [7, 9). 3, 12 s of work on slow: until 13. 4, 12 s
   * of work: f-0 would have it until 1 + 6 = 7: now. 5, one second more, not before 9. */
  STARTS(CONSERVATIVE FAST,
         ON(1, 0, 14, "f-2", 1) ON(2, 0, 4, "f-0, f-2", 2) ON(3, 1, 12, "slow", 1) ON(4, 1, 12, "f-0", 1)
             ON(5, 1, 14, "f-0", 1),
         0, 7, 1, 1, 9);
  /* 3 wants two hosts for 12 s of work. slow and f-0 are free, each for as long as it would run there alone,
   * but slow keeps f-0 until 13 and 2 is to have it at 7: slow and f-1, then, until 13, when 4 gets slow. */
  STARTS(CONSERVATIVE FAST,
         ON(1, 0, 14, "f-2", 1) ON(2, 0, 4, "f-0, f-2", 2) ANY(3, 1, 12, 2) ON(4, 2, 9, "slow", 1), 0, 7, 1,
         13);
  /* f-1 is promised from 7 on, too. No fast host could be taken along with slow until 13; f-0 and f-1 are
   * through by 7, and leave slow to 4. */
  STARTS(CONSERVATIVE FAST,
         ON(1, 0, 14, "f-2", 1) ON(2, 0, 4, "f-0, f-1, f-2", 3) ANY(3, 1, 12, 2) ON(4, 2, 9, "slow", 1), 0, 7,
         1, 2);
  /* With 14 s of work not even they are: at 9 all are free, and the placement has slow and f-0, until 23. */
  STARTS(CONSERVATIVE FAST,
         ON(1, 0, 14, "f-2", 1) ON(2, 0, 4, "f-0, f-1, f-2", 3) ANY(3, 1, 14, 2) ON(4, 2, 9, "slow", 1), 0, 7,
         9, 23);
}

/* ---- surprises ---- */

static void test_early_ends(void **state)
{
  (void)state;
  /* 1 and 2 end at 4 and 20, not at 10 and 20 as believed. Planned: 3 at 20 (two hosts), 4 at 10 on c-0,
   * until 18. At 4 all is planned anew: 4 starts at once, 12 = 4 + 8 is still before 20. */
#define EARLY \
  T(1, 0, 4, 10, CORES(4)) \
  T(2, 0, 20, 20, CORES(4)) T(3, 1, 5, 5, "nodes_count: 2, cpu_per_node: 4") T(4, 2, 8, 8, CORES(4))
  STARTS(CONSERVATIVE TWO, EARLY, 0, 0, 20, 4);
  STARTS(NATIVE "policy: {select: {use: conservative, replan: compress}}\n" TWO, EARLY, 0, 0, 20, 4);
  STARTS(NATIVE "policy: {select: {use: conservative, replan: always}}\n" TWO, EARLY, 0, 0, 20, 4);
  STARTS(NATIVE "policy: {select: {use: conservative, replan: none}}\n" TWO, EARLY, 0, 0, 20, 10);
}

static void test_overruns(void **state)
{
  (void)state;
  /* 1 runs until 14 and was believed until 10: 2's promise on c-0 is not kept, and it is planned anew until
   * it fits, here on c-1, which is free at 12. */
  STARTS(CONSERVATIVE TWO "overrun: run_on\n",
         T(1, 0, 14, 10, CORES(4)) T(3, 0, 12, 12, CORES(4)) T(2, 1, 5, 5, CORES(4)), 0, 12, 0);
}

static void test_a_host_goes_away(void **state)
{
  bench b;
  (void)state;
  /* 3 is promised c-0 at 10, 4 c-1 at 20. c-0 goes at 5 for good: 1 is lost, 3 takes c-1 at 20, 4 comes after
   * it. */
  static const char tasks[] =
      T(1, 0, 10, 10, CORES(4)) T(2, 0, 20, 20, CORES(4)) T(3, 1, 15, 15, CORES(4)) T(4, 2, 5, 5, CORES(4));
  static const char yaml[] =
      CONSERVATIVE TWO "host_loss: lost\nevents: {use: list, changes: [{at: 5, hosts: c-0, change: down}]}\n";
  STARTS(yaml, tasks, 0, 0, 20, 35);
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  assert_int_equal(counted(&b, "hindcast", "promises_void"), 1); /* 3's; 4's was on c-1 */
  end(&b);
  /* And what comes back is used at once: planned anew as after an early end. */
  STARTS(CONSERVATIVE TWO
         "host_loss: lost\nevents: {use: list, changes: [{at: 5, hosts: c-0, change: down, until: 8}]}\n",
         tasks, 0, 0, 8, 20);
  /* c-0 shrinks to two cores at 5: 3 wants four. */
  STARTS(CONSERVATIVE TWO
         "events: {use: list, changes: [{at: 5, hosts: c-0, change: resize, amounts: [cpus=2]}]}\n",
         tasks, 0, 0, 20, 35);
}

/* ---- slack ---- */

static void test_slack(void **state)
{
  (void)state;
  /* 1 has c-0 until 10. 2 wants both hosts: promised 10, and 1 x 20 later, 30. 3 runs for 25 on c-1, until
   * 27: by its promise 2 may start then. Without slack 3 waits for 2, until 30. */
#define SLACK \
  T(1, 0, 10, 10, CORES(4)) T(2, 1, 20, 20, "nodes_count: 2, cpu_per_node: 4") T(3, 2, 25, 25, CORES(4))
  STARTS(NATIVE "policy: {select: {use: slack, factor: 1}}\n" TWO, SLACK, 0, 27, 2);
  STARTS(NATIVE "policy: {select: {use: slack, factor: 0}}\n" TWO, SLACK, 0, 10, 30);
}

/* ---- what is refused ---- */

static void test_local_load_is_refused(void **state)
{
  bench b;
  (void)state;
  assert_int_equal(try_text(&b, NATIVE "policy: {select: conservative, eligibility: utilisation}\n" TWO,
                            T(1, 0, 1, 1, CORES(1))),
                   HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "a selector that promises hosts ahead cannot know local load"));
  end(&b);
  assert_int_equal(try_text(&b, CONSERVATIVE TWO "local_load: [{dimension: cpu}]\n", T(1, 0, 1, 1, CORES(1))),
                   HC_EUNSUPPORTED);
  end(&b);
}

/* ---- the model ---- */

enum { MOST_HOSTS = 4, MOST_TASKS = 14, HORIZON = 400 };
typedef enum replan { FULL, COMPRESS, NONE } replan;

typedef struct model_task {
  int64_t submit, run, estimate, cpu, memory, hosts;
  int64_t start;    /* -1: waits */
  int64_t promised; /* -1: none */
  int64_t until;    /* of what it holds or is to hold, as believed */
  int64_t end;
  bool on[MOST_HOSTS], arrived, ended;
} model_task;

typedef struct model {
  int64_t cpu[MOST_HOSTS], memory[MOST_HOSTS], speed[MOST_HOSTS];
  size_t host_count, count;
  model_task tasks[MOST_TASKS];
} model;

/* Is there room for it on this host in this second? */
static bool has_room(const model *m, size_t who, size_t h, int64_t second)
{
  int64_t cpu = m->cpu[h], memory = m->memory[h];
  for (size_t i = 0; i < m->count; i++) {
    const model_task *t = &m->tasks[i];
    const int64_t from = t->start >= 0 ? t->start : t->promised;
    if (i == who || t->ended || from < 0 || !t->on[h] || second < from || second >= t->until) continue;
    cpu -= t->cpu;
    memory -= t->memory;
  }
  return cpu >= m->tasks[who].cpu && memory >= m->tasks[who].memory;
}

/* The lowest hosts with room all the time. On hosts of other speeds tasks have one host. */
static bool fits_from(const model *m, size_t who, int64_t at, bool on[MOST_HOSTS], int64_t *length)
{
  int64_t left = m->tasks[who].hosts;
  memset(on, 0, MOST_HOSTS * sizeof *on);
  for (size_t h = 0; h < m->host_count && left > 0; h++) {
    const int64_t n = m->tasks[who].estimate / m->speed[h];
    bool fits = true;
    for (int64_t s = at; s < at + n && fits; s++) fits = has_room(m, who, h, s);
    if (!fits) continue;
    on[h] = true;
    *length = n;
    left--;
  }
  return left == 0;
}

static void model_plan(model *m, size_t who, int64_t now)
{
  model_task *t = &m->tasks[who];
  int64_t at = now, length = 0;
  while (!fits_from(m, who, at, t->on, &length)) assert_true(++at < HORIZON);
  t->promised = at;
  t->until = at + length;
  if (at > now) return;
  t->start = now;
  for (size_t h = 0; h < m->host_count; h++)
    if (t->on[h]) t->end = now + t->run / m->speed[h];
}

static void model_decide(model *m, int64_t now, bool early, replan how)
{
  for (size_t i = 0; i < m->count && early && how == FULL; i++)
    if (m->tasks[i].arrived && m->tasks[i].start < 0) m->tasks[i].promised = -1;
  for (size_t i = 0; i < m->count; i++) {
    model_task *t = &m->tasks[i];
    if (!t->arrived || t->start >= 0) continue;
    if (early && how == COMPRESS) t->promised = -1;
    if (t->promised < 0) {
      model_plan(m, i, now);
    } else if (t->promised == now) {
      t->start = now;
      for (size_t h = 0; h < m->host_count; h++)
        if (t->on[h]) t->end = now + t->run / m->speed[h];
    }
  }
}

static void model_run(model *m, replan how)
{
  for (size_t i = 0; i < m->count; i++) m->tasks[i].start = m->tasks[i].promised = -1;
  for (int64_t now = 0; now < HORIZON; now++) {
    bool early = false;
    for (size_t i = 0; i < m->count; i++) {
      model_task *t = &m->tasks[i];
      if (t->start >= 0 && !t->ended && t->end == now) {
        t->ended = true;
        early |= t->until > now;
      }
      t->arrived |= t->submit == now;
    }
    model_decide(m, now, early, how);
  }
}

static void draw_instance(model *m, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 3};
#define BELOW(n) ((int64_t)hc_random_below(&d, (uint64_t)(n)))
  const bool speeds = BELOW(3) == 0, exact = BELOW(3) == 0;
  int64_t submit = 0;
  memset(m, 0, sizeof *m);
  m->host_count = 2 + (size_t)BELOW(MOST_HOSTS - 1);
  m->count = MOST_TASKS;
  for (size_t h = 0; h < m->host_count; h++) {
    m->cpu[h] = h == 0 ? 4 : 1 + BELOW(4);
    m->memory[h] = h == 0 ? 4 : 1 + BELOW(6);
    m->speed[h] = speeds ? 1 + BELOW(2) : 1;
  }
  for (size_t i = 0; i < m->count; i++) {
    model_task *t = &m->tasks[i];
    int64_t fit = 0;
    submit += BELOW(4);
    t->submit = submit;
    t->estimate = 2 + 2 * BELOW(8);
    t->run = exact ? t->estimate : 2 * (1 + BELOW(t->estimate / 2));
    t->cpu = 1 + BELOW(4);
    t->memory = BELOW(5);
    for (size_t h = 0; h < m->host_count; h++) fit += m->cpu[h] >= t->cpu && m->memory[h] >= t->memory;
    t->hosts = speeds ? 1 : 1 + BELOW(fit);
  }
#undef BELOW
}

static void write_instance(const model *m, const char *how, hc_buffer *yaml, hc_buffer *tasks)
{
  hc_buffer_init(yaml, hc_default_allocator());
  hc_buffer_init(tasks, hc_default_allocator());
  hc_buffer_printf(
      yaml, NATIVE "policy: {select: {use: conservative, replan: %s}}\ncell: {use: hosts, classes: [", how);
  for (size_t h = 0; h < m->host_count; h++)
    hc_buffer_printf(yaml, "%s{name: h%zu, cpus: %" PRId64 ", memory: %" PRId64 ", speed: %" PRId64 "}",
                     h > 0 ? ", " : "", h, m->cpu[h], m->memory[h], m->speed[h]);
  hc_buffer_printf(yaml, "]}\n");
  for (size_t i = 0; i < m->count; i++) {
    const model_task *t = &m->tasks[i];
    hc_buffer_printf(tasks,
                     "- {id: %zu, submit_time: %" PRId64 ", delay: %" PRId64 ", wall_time_limit: %" PRId64
                     ", resources: {nodes_count: %" PRId64 ", cpu_per_node: %" PRId64
                     ", memory_per_node: %" PRId64 "}}\n",
                     i + 1, t->submit, t->run, t->estimate, t->hosts, t->cpu, t->memory);
  }
}

static void test_every_start_time_tried(void **state)
{
  static const char *const names[] = {"full", "compress", "none"};
  size_t waited = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 150; seed++)
    for (size_t how = 0; how < COUNT(names); how++) {
      hc_buffer yaml, tasks;
      model m;
      bench b;
      draw_instance(&m, seed);
      write_instance(&m, names[how], &yaml, &tasks);
      model_run(&m, (replan)how);
      check(&b, try_text(&b, yaml.data, tasks.data));
      finish(&b);
      assert_int_equal(b.count, m.count);
      for (size_t i = 0; i < m.count; i++) {
        if (start_of(&b, (int64_t)i + 1) != m.tasks[i].start)
          fail_msg("seed %" PRIu64 ", %s: task %zu starts at %" PRId64 ", by the model at %" PRId64 "\n%s%s",
                   seed, names[how], i + 1, start_of(&b, (int64_t)i + 1), m.tasks[i].start, yaml.data,
                   tasks.data);
        waited += m.tasks[i].start > m.tasks[i].submit;
      }
      end(&b);
      hc_buffer_fini(&yaml);
      hc_buffer_fini(&tasks);
    }
  assert_true(waited > 2000); /* of 6,300: it was no idle machine */
}

/* ---- held to its promise from the records alone ---- */

typedef struct heard {
  int64_t id;
  size_t count;
} heard;

static void hear(void *ctx, const hc_violation *v)
{
  heard *h = ctx;
  assert_string_equal(v->rule, "promise");
  h->id = v->id;
  h->count++;
}

static void test_verified(void **state)
{
  static const char yaml[] = NATIVE "policy: {select: {use: conservative, replan: none}}\n" TWO;
  /* The first case of this file. */
  static const char tasks[] = T(1, 0, 10, 10, CORES(3)) T(2, 0, 20, 20, CORES(3)) T(3, 1, 5, 5, CORES(2))
      T(4, 2, 5, 5, "nodes_count: 2") T(5, 3, 8, 8, CORES(1)) T(6, 3, 30, 30, CORES(1));
  bench b;
  hc_result *r;
  hc_verify_hosts hosts;
  hc_verify_report report;
  heard found = {0};
  (void)state;
  check(&b, try_text(&b, yaml, tasks));
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_int_equal(hc_verify_hosts_read(b.allocator, r, &hosts, &b.error), 1);
  const hc_verify_options o = {.promise = HC_PROMISE_CONSERVATIVE, .honours_run = true, .hosts = &hosts};
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, hear, &found, &report), 0);
  assert_int_equal(report.reservations, 5); /* not 4, which takes hosts whole */
  /* 3 had room on c-0 at 10. Two seconds later it still has, but that is not what it was promised. */
  for (size_t i = 0; i < b.count; i++) {
    if (b.records[i].id != 3) continue;
    b.records[i].start += 2 * HC_SECOND;
    b.records[i].end += 2 * HC_SECOND;
  }
  assert_int_equal(hc_verify(b.allocator, &o, b.records, b.count, hear, &found, &report), HC_EREFUTED);
  assert_true(found.count == 1 && found.id == 3);
  hc_verify_hosts_free(b.allocator, &hosts);
  hc_result_free(r);
  end(&b);
}

/* ---- one host is as many processors ---- */

static void make_jobs(job *jobs, size_t count, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 4};
  int64_t submit = 0;
  for (size_t i = 0; i < count; i++) {
    const int64_t limit = 1 + (int64_t)hc_random_below(&d, 60);
    submit += (int64_t)hc_random_below(&d, 8);
    jobs[i] = (job)J((int64_t)i + 1, submit, (int64_t)hc_random_below(&d, (uint64_t)limit + 9),
                     1 + (int64_t)hc_random_below(&d, 16), limit);
  }
}

static void test_one_host_is_as_many_processors(void **state)
{
  static const char *const selects[] = {"conservative",
                                        "{use: conservative, replan: always}",
                                        "{use: conservative, replan: compress}",
                                        "{use: conservative, replan: none}",
                                        "{use: slack, factor: 1}",
                                        "{use: slack, factor: 0, depth: 4}"};
  job jobs[120];
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(4, 1); seed++)
    for (size_t i = 0; i < COUNT(selects); i++)
      for (int overrun = 0; overrun < 2; overrun++) {
        if (hc_test_is_sample() && (i + (size_t)overrun) % 2 == 1) continue;
        hc_task_record counted_ones[COUNT(jobs)];
        char yaml[512];
        bench b;
        make_jobs(jobs, COUNT(jobs), seed);
        (void)snprintf(yaml, sizeof yaml, "policy: {select: %s}\noverrun: %s\nparanoid: true\n", selects[i],
                       overrun ? "run_on" : "kill");
        begin(&b, yaml, 16, jobs, COUNT(jobs), NULL);
        finish(&b);
        for (size_t k = 0; k < COUNT(jobs); k++) counted_ones[k] = *record_of(&b, jobs[k].id);
        end(&b);
        (void)snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml),
                       "cell: {use: hosts, classes: [{name: h, cpus: 16}]}\n");
        begin(&b, yaml, 16, jobs, COUNT(jobs), NULL);
        finish(&b);
        for (size_t k = 0; k < COUNT(jobs); k++) {
          const hc_task_record *r = record_of(&b, jobs[k].id);
          if (r->start != counted_ones[k].start)
            fail_msg("%s, seed %" PRIu64 ": task %" PRId64 " starts at %" PRId64
                     ", on processors at %" PRId64,
                     yaml, seed, jobs[k].id, r->start / HC_SECOND, counted_ones[k].start / HC_SECOND);
        }
        end(&b);
      }
}

/* A plan that is thought about is applied to a cell on which tasks have ended, or passed their estimates,
 * meanwhile: what was to start or to be promised may be refused, and paranoid walks what is left. Every task
 * gets there in the end. */
static void test_thinking(void **state)
{
  job jobs[120];
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    bench b;
    make_jobs(jobs, COUNT(jobs), seed);
    begin(
        &b,
        "policy: conservative\narchitecture: {use: monolithic, think: 1s}\noverrun: run_on\nparanoid: true\n"
        "cell: {use: hosts, classes: [{name: a, cpus: 12}, {name: b, cpus: 12, speed: 2}]}\n",
        16, jobs, COUNT(jobs), NULL);
    finish(&b);
    assert_int_equal(b.count, COUNT(jobs));
    for (size_t i = 0; i < b.count; i++) assert_int_equal(b.records[i].final, HC_FINAL_COMPLETED);
    end(&b);
  }
}

/* ---- a run is a value ---- */

static void digest_of(const char *yaml, const char *tasks, uint64_t cut, char text[33])
{
  bench b;
  hc_result *r;
  check(&b, try_text(&b, yaml, tasks));
  if (cut > 0 && hc_run_advance(b.run, HC_NEVER, cut, &b.error) == 1) {
    char before[33], after[33];
    hc_run *copy;
    hc_store *store;
    check(&b, hc_store_new(b.allocator, NULL, &store, &b.error));
    check(&b, hc_run_fork(b.run, b.config, store, &copy, &b.error));
    check(&b, hc_run_digest(b.run, before, &b.error));
    check(&b, hc_run_digest(copy, after, &b.error));
    assert_string_equal(before, after);
    hc_run_free(b.run);
    hc_store_free(b.store);
    b.run = copy;
    b.store = store;
  }
  check(&b, hc_run_advance(b.run, HC_NEVER, 0, &b.error));
  check(&b, hc_run_finish(b.run, &b.error));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_digest(r, text, &b.error));
  hc_result_free(r);
  end(&b);
}

static void test_cuts_change_nothing(void **state)
{
  static const char *const selects[] = {"conservative", "{use: conservative, replan: none}", "slack"};
  (void)state;
  for (size_t i = 0; i < COUNT(selects); i++) {
    char yaml[512], plain[33], other[33];
    hc_buffer tasks;
    hc_buffer_init(&tasks, hc_default_allocator());
    for (int k = 1; k <= 200; k++)
      hc_buffer_printf(
          &tasks,
          "- {id: %d, submit_time: %d, delay: %d, wall_time_limit: %d, resources: {nodes_count: %d, "
          "cpu_per_node: %d}}\n",
          k, k * 2, 1 + k * 37 % 23, 5 + k * 41 % 25, 1 + k % 3, 1 + k % 4);
    (void)snprintf(yaml, sizeof yaml,
                   NATIVE
                   "policy: {select: %s}\nevents: {use: drawn, up_time: 90, down_time: 6}\n"
                   "cell: {use: hosts, classes: [{count: 3, name_prefix: c, cpus: 4}, {name: s, cpus: 4, "
                   "speed: 2}]}\n",
                   selects[i]);
    digest_of(yaml, tasks.data, 0, plain);
    for (uint64_t cut = 3; cut < 300; cut += hc_test_cases(41, 290)) {
      digest_of(yaml, tasks.data, cut, other);
      if (strcmp(plain, other) != 0) fail_msg("%s: cut after %" PRIu64 " instants", selects[i], cut);
    }
    hc_buffer_fini(&tasks);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_enough_in_all_is_not_enough),
      cmocka_unit_test(test_the_least_of_the_sum_not_the_sum),
      cmocka_unit_test(test_a_promise_names_hosts),
      cmocka_unit_test(test_parts_of_gpus),
      cmocka_unit_test(test_licences),
      cmocka_unit_test(test_constraints_and_rivals),
      cmocka_unit_test(test_speeds),
      cmocka_unit_test(test_early_ends),
      cmocka_unit_test(test_overruns),
      cmocka_unit_test(test_a_host_goes_away),
      cmocka_unit_test(test_slack),
      cmocka_unit_test(test_local_load_is_refused),
      cmocka_unit_test(test_every_start_time_tried),
      cmocka_unit_test(test_verified),
      cmocka_unit_test(test_one_host_is_as_many_processors),
      cmocka_unit_test(test_thinking),
      cmocka_unit_test(test_cuts_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
