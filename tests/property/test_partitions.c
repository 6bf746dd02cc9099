/* test_partitions.c -- a log's partitions bound to sets of hosts, which may overlap.
 *
 * A planner that knows hosts as arrays and looks at every second starts tasks in order (scan, blocking), each
 * on the lowest host of its partition's set that has room; what is too long or too large for the set it
 * leaves out. A run with `of` in its sets must start each task when it does and where it does, in one go and
 * in pieces, with a thread that reads, and as two sources. With selectors that plan ahead the schedule must
 * be that of a log whose tasks name their set themselves. A failure prints the seed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

enum { TASKS = 30, HOSTS = 5, CORES = 4, SETS = 3, PARTITIONS = 5, SEEDS = 60 };

typedef struct task {
  int64_t submit, run, cores, start;
  int partition; /* 0: it has none */
  int host;
} task;

typedef struct set {
  int first, last; /* hosts */
  int64_t max_time;
} set;

typedef struct world {
  task tasks[TASKS];
  set sets[SETS];
  int set_of[PARTITIONS + 1]; /* the last set is that of the rest */
  bool by_number, has_rest;
  int64_t free[HOSTS];
} world;

static int64_t below(hc_draws *d, int64_t n)
{
  return (int64_t)hc_random_below(d, (uint64_t)n);
}

static void make_world(world *w, hc_draws *d)
{
  int64_t submit = 0;
  memset(w, 0, sizeof *w);
  w->by_number = below(d, 2);
  w->has_rest = below(d, 2);
  for (int i = 0; i < SETS; i++) {
    w->sets[i].first = (int)below(d, HOSTS);
    w->sets[i].last = w->sets[i].first + (int)below(d, HOSTS - w->sets[i].first);
    w->sets[i].max_time = below(d, 2) ? 20 : 1000;
  }
  for (int i = 1; i <= PARTITIONS; i++) w->set_of[i] = (int)below(d, w->has_rest ? SETS : SETS - 1);
  w->set_of[0] = w->has_rest ? SETS - 1 : -1;
  for (int i = 0; i < TASKS; i++) {
    submit += below(d, 6);
    w->tasks[i] =
        (task){submit, 1 + below(d, 30), 1 + below(d, CORES), -1, (int)below(d, PARTITIONS + 1), -1};
  }
}

/* ---- the planner ---- */

static const set *set_of(const world *w, const task *t)
{
  return w->set_of[t->partition] < 0 ? NULL : &w->sets[w->set_of[t->partition]];
}

static bool is_admitted(const world *w, const task *t)
{
  const set *s = set_of(w, t);
  return !s || t->run <= s->max_time;
}

static int find(const world *w, const task *t)
{
  const set *s = set_of(w, t);
  for (int h = s ? s->first : 0; h <= (s ? s->last : HOSTS - 1); h++)
    if (w->free[h] >= t->cores) return h;
  return -1;
}

static void plan(world *w, bool blocks)
{
  for (int h = 0; h < HOSTS; h++) w->free[h] = CORES;
  for (int64_t now = 0; now < 2000; now++) {
    for (int i = 0; i < TASKS; i++)
      if (w->tasks[i].start >= 0 && w->tasks[i].start + w->tasks[i].run == now)
        w->free[w->tasks[i].host] += w->tasks[i].cores;
    for (int i = 0; i < TASKS; i++) {
      task *t = &w->tasks[i];
      if (t->start >= 0 || t->submit > now || !is_admitted(w, t)) continue;
      t->host = find(w, t);
      if (t->host < 0 && blocks) break;
      if (t->host < 0) continue;
      t->start = now;
      w->free[t->host] -= t->cores;
    }
  }
}

/* ---- runs ---- */

static size_t write_of(const world *w, int i, char *out, size_t size)
{
  size_t n = 0;
  int count = 0;
  for (int p = 1; p <= PARTITIONS; p++)
    if (w->set_of[p] == i && !(w->has_rest && i == SETS - 1))
      n += (size_t)snprintf(out + n, size - n, w->by_number ? "%s%d" : "%sp%d", count++ ? ", " : "of: [", p);
  if (w->has_rest && i == SETS - 1) n += (size_t)snprintf(out + n, size - n, "of: ['*'");
  else if (count == 0) n += (size_t)snprintf(out + n, size - n, "of: [none-%d", i);
  return n + (size_t)snprintf(out + n, size - n, "]");
}

static void write_cell(const world *w, bool binds, char *out, size_t size)
{
  size_t n = (size_t)snprintf(out, size,
                              "cell: {use: hosts, classes: [{count: %d, cpus: %d, name_prefix: h}], sets: [",
                              HOSTS, CORES);
  for (int i = 0; i < SETS; i++) {
    char of[200] = "";
    if (binds) (void)write_of(w, i, of, sizeof of);
    n += (size_t)snprintf(out + n, size - n, "%s{name: s%d, hosts: %d-%d, max_time: %" PRId64 "s%s%s}",
                          i ? ", " : "", i, w->sets[i].first, w->sets[i].last, w->sets[i].max_time,
                          of[0] ? ", " : "", of);
  }
  (void)snprintf(out + n, size - n, "]}\n");
}

/* @param binds the log says partitions; else its tasks name their sets. @param part, of of `of` logs, only
 * tasks of that one */
static void write_tasks(const world *w, bool binds, int part, int of, char path[64])
{
  hc_buffer text;
  hc_buffer_init(&text, hc_default_allocator());
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    if (i % of != part) continue;
    hc_buffer_printf(&text,
                     "- {id: %d, submit: %" PRId64 ", run: %" PRId64 ", limit: %" PRId64
                     ", resources: {cpu: %" PRId64 "}",
                     i + 1, t->submit, t->run, t->run, t->cores);
    if (!binds && w->set_of[t->partition] >= 0)
      hc_buffer_printf(&text, ", set: s%d", w->set_of[t->partition]);
    hc_buffer_printf(&text, "}\n");
  }
  write_log(path, text.data, text.size);
  hc_buffer_fini(&text);
}

static void write_table(const world *w, int part, int of, char path[64])
{
  hc_buffer text;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_printf(&text, "id,submit,run,limit,cpu,partition\n");
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    if (i % of != part) continue;
    hc_buffer_printf(&text, "%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", i + 1, t->submit, t->run,
                     t->run, t->cores);
    if (t->partition > 0) hc_buffer_printf(&text, w->by_number ? "%d" : "p%d", t->partition);
    hc_buffer_printf(&text, "\n");
  }
  write_log(path, text.data, text.size);
  hc_buffer_fini(&text);
}

typedef struct way {
  bool binds;
  int sources;
  uint64_t pieces;
  const char *more;
} way;

static void carry_out(bench *b, const world *w, const char *policy, const way *y)
{
  char yaml[2048], cell[1024], second[64] = "";
  hc_rc rc;
  memset(b, 0, sizeof *b);
  if (y->binds) write_table(w, 0, y->sources, b->path);
  else write_tasks(w, false, 0, y->sources, b->path);
  if (y->sources > 1) write_table(w, 1, 2, second);
  write_cell(w, y->binds, cell, sizeof cell);
  if (y->sources > 1)
    (void)snprintf(yaml, sizeof yaml,
                   "source: [{use: csv, file: FILE}, {use: csv, file: %s}]\nusers: [shared]\n%sparanoid: "
                   "true\nmetrics: []\npolicy: "
                   "%s\n%s",
                   second, cell, policy, y->more);
  else
    (void)snprintf(yaml, sizeof yaml,
                   "source: {use: %s, file: FILE}\n%sparanoid: true\nmetrics: []\npolicy: %s\n%s",
                   y->binds ? "csv" : "native", cell, policy, y->more);
  rc = configure(b, hc_default_allocator(), yaml, NULL);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  check(b, rc < 0 ? rc : hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error));
  if (y->pieces > 0) finish_in_pieces(b, y->pieces);
  else finish(b);
  if (second[0]) (void)unlink(second);
}

static void assert_planned(const world *w, const char *policy, const way *y, uint64_t seed)
{
  static bench b;
  size_t admitted = 0;
  carry_out(&b, w, policy, y);
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    if (!is_admitted(w, t)) continue;
    admitted++;
    if (start_of(&b, i + 1) != t->start)
      fail_msg("seed %" PRIu64 ", %s: task %d of partition %d starts at %" PRId64 " and should at %" PRId64,
               seed, policy, i + 1, t->partition, start_of(&b, i + 1), t->start);
  }
  assert_int_equal(b.count, admitted);
  end(&b);
}

static void test_schedules_are_those_of_a_planner(void **state)
{
  static const char *const policies[] = {"{select: scan}", "{select: blocking}"};
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 10); seed++)
    for (int k = 0; k < 2; k++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 1};
      make_world(&w, &d);
      plan(&w, k == 1);
      assert_planned(&w, policies[k], &(way){true, 1, 0, ""}, seed);
      assert_planned(&w, policies[k], &(way){true, 1, 1 + seed % 4, ""}, seed);
      assert_planned(&w, policies[k], &(way){true, 1, 0, "threads: 2\n"}, seed);
    }
}

/* Two logs number their partitions each for itself: their names are what counts. Tasks of one instant may
 * come in another order than those of one log, so times are told apart. */
static void test_two_sources(void **state)
{
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 10); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 2};
    make_world(&w, &d);
    w.by_number = false;
    for (int i = 0; i < TASKS; i++) w.tasks[i].submit += i;
    plan(&w, false);
    static bench b;
    carry_out(&b, &w, "{select: scan}", &(way){true, 2, 0, ""});
    /* ids of the second source are numbered apart: starts are compared as they come */
    int64_t planned[TASKS], found[TASKS];
    size_t n = 0;
    for (int i = 0; i < TASKS; i++)
      if (is_admitted(&w, &w.tasks[i])) planned[n++] = w.tasks[i].submit * 10000 + w.tasks[i].start;
    assert_int_equal(b.count, n);
    for (size_t i = 0; i < n; i++)
      found[b.records[i].serial] = b.records[i].submit / HC_SECOND * 10000 + b.records[i].start / HC_SECOND;
    for (size_t i = 0; i < n; i++)
      if (found[i] != planned[i])
        fail_msg("seed %" PRIu64 ": task %zu: %" PRId64 ", not %" PRId64, seed, i, found[i], planned[i]);
    end(&b);
  }
}

static void test_as_if_tasks_named_their_sets(void **state)
{
  static const char *const policies[] = {"{select: easy}",
                                         "{select: {use: easy, reserve: hosts}}",
                                         "{select: conservative}",
                                         "{select: slack}",
                                         "{order: sjf, select: scan}",
                                         "{use: fair}"};
  static bench a, b;
  static world w;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 10); seed++)
    for (size_t k = 0; k < COUNT(policies); k++) {
      hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 3};
      make_world(&w, &d);
      carry_out(&a, &w, policies[k], &(way){true, 1, 0, ""});
      carry_out(&b, &w, policies[k], &(way){false, 1, 0, ""});
      assert_int_equal(a.count, b.count);
      for (int i = 0; i < TASKS; i++)
        if (is_admitted(&w, &w.tasks[i]) && start_of(&a, i + 1) != start_of(&b, i + 1))
          fail_msg("seed %" PRIu64 ", %s: task %d starts at %" PRId64 ", and at %" PRId64
                   " if it names its set",
                   seed, policies[k], i + 1, start_of(&a, i + 1), start_of(&b, i + 1));
      end(&a);
      end(&b);
    }
}

static void refused(const char *sets, const char *tasks, const char *text)
{
  char yaml[600];
  bench b;
  hc_rc rc;
  memset(&b, 0, sizeof b);
  write_log(b.path, tasks, strlen(tasks));
  (void)snprintf(
      yaml, sizeof yaml,
      "source: {use: csv, file: FILE}\ncell: {use: hosts, classes: [{count: 2, cpus: 4, name_prefix: h}], "
      "sets: %s}\nmetrics: []\ntoo_large: error\n",
      sets);
  rc = configure(&b, hc_default_allocator(), yaml, NULL);
  if (rc >= 0) rc = hc_store_new(b.allocator, NULL, &b.store, &b.error);
  if (rc >= 0) rc = hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error);
  if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc >= 0) fail_msg("%s is accepted", sets);
  if (!strstr(b.error.text, text)) fail_msg("%s: says \"%s\", not \"%s\"", sets, b.error.text, text);
  end(&b);
}

static void test_refusals(void **state)
{
  static const char one[] = "id,submit,run,limit,cpu,partition\n7,0,5,5,1,batch\n";
  (void)state;
  refused("[{name: a, of: [gpu]}]", one, "task 7 is of partition 1 (batch), which is in `of` of no set");
  refused("[{name: a, of: [batch]}, {name: b, of: [gpu, batch]}]", one, "is in `of` of a and of b");
  refused("[{name: a, of: [x, x]}]", one, "is in `of` of a and of a");
  refused("[{name: a, of: [batch], max_time: 4s}]", one, "task 7 can never run on these hosts");
  refused("[{name: a, of: ['*'], max_size: 2}]", "id,submit,run,limit,procs\n7,0,5,5,3\n",
          "task 7 can never run on these hosts");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schedules_are_those_of_a_planner),
      cmocka_unit_test(test_two_sources),
      cmocka_unit_test(test_as_if_tasks_named_their_sets),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
