/* test_outranks.c -- a batch queue in which tasks of higher priority stop running ones of lower: schedules
 * drawn by hand, and random ones against a simulator of this test's own.
 *
 * Times are seconds; a task is T(submission, run time, processors, limit, priority). */
#include "../engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "hindcast/run.h"

enum { MOST = 24 };

typedef struct task {
  int64_t submit, run, procs, limit, priority;
  /* of the simulator */
  int64_t start, end; /* -1: it waits */
  int64_t stops;
} task;
#define T(at, time, units, asked, rank) \
  { \
    .submit = (at), .run = (time), .procs = (units), .limit = (asked), .priority = (rank) \
  }

static void write_tasks(char path[64], const task *tasks, size_t count)
{
  hc_buffer text;
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_text(&text, "id,submit,run,procs,limit,priority\n");
  for (size_t i = 0; i < count; i++)
    hc_buffer_printf(&text, "%zu,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", i + 1,
                     tasks[i].submit, tasks[i].run, tasks[i].procs, tasks[i].limit, tasks[i].priority);
  write_log(path, text.data, text.size);
  hc_buffer_fini(&text);
}

static hc_rc try_tasks(bench *b, const char *yaml, const task *tasks, size_t count)
{
  char text[768];
  hc_rc rc;
  memset(b, 0, sizeof *b);
  write_tasks(b->path, tasks, count);
  (void)snprintf(text, sizeof text, "source: {use: csv, file: FILE}\nmetrics: []\nparanoid: true\n%s", yaml);
  rc = configure(b, hc_default_allocator(), text, NULL);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  return rc < 0 ? rc : hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error);
}

static void run_tasks(bench *b, const char *yaml, const task *tasks, size_t count)
{
  check(b, try_tasks(b, yaml, tasks, count));
  finish(b);
}

/* Last starts and ends of each. */
static void assert_tasks(const char *yaml, const task *tasks, size_t count, const int64_t (*times)[2])
{
  bench b;
  run_tasks(&b, yaml, tasks, count);
  for (size_t i = 0; i < count; i++)
    if (start_of(&b, (int64_t)i + 1) != times[i][0] || end_of(&b, (int64_t)i + 1) != times[i][1])
      fail_msg("%s: task %zu runs %" PRId64 " to %" PRId64 ", should %" PRId64 " to %" PRId64, yaml, i + 1,
               start_of(&b, (int64_t)i + 1), end_of(&b, (int64_t)i + 1), times[i][0], times[i][1]);
  end(&b);
}

#define EXPECT(yaml, tasks, ...) \
  do { \
    const int64_t times_[][2] = {__VA_ARGS__}; \
    assert_int_equal(COUNT(times_), COUNT(tasks)); \
    assert_tasks(yaml, tasks, COUNT(tasks), times_); \
  } while (0)

#define PROCS4 "cell: {use: count, procs: 4}\n"
#define HOSTS4 "cell: {use: hosts, classes: [{count: 4, name_prefix: h, cpus: 1}]}\n"
#define BATCH(select, more) "policy: {select: " select ", preempt: {use: priority" more "}}\n"

/* Four processors. 10: task 4 (priority 1) finds none free; 1 and 2 both started at 0, and 2 is the newer, so
 * it goes, and one processor stays free. 12: task 5 wants three: one is free, and of the tasks below its
 * priority 1 (priority 0) goes before 4 (priority 1): three. 42: 5 ends; in order 1 and 2, then 3. */
static const task five[] = {T(0, 100, 2, 100, 0), T(0, 50, 2, 50, 0), T(5, 20, 4, 20, 0), T(10, 5, 1, 5, 1),
                            T(12, 30, 3, 30, 2)};

static void test_drawn(void **state)
{
  static const char *const selects[] = {"blocking",
                                        "scan",
                                        "easy",
                                        "{use: easy, depth: 0}",
                                        "conservative",
                                        "{use: conservative, replan: compress}",
                                        "{use: conservative, replan: none}"};
  static const char *const cells[] = {PROCS4, "cell: {use: intervals, procs: 4}\n", HOSTS4};
  (void)state;
  for (size_t c = 0; c < COUNT(cells); c++)
    for (size_t i = 0; i < COUNT(selects); i++) {
      char yaml[256];
      (void)snprintf(yaml, sizeof yaml, BATCH("%s", "") "%s", selects[i], cells[c]);
      EXPECT(yaml, five, {42, 142}, {42, 92}, {142, 162}, {10, 15}, {12, 42});
    }
}

/* What becomes of those that are stopped. Kill: 2 ends at 10 and 1 at 12; at 42 task 3 starts. Checkpoint: 1
 * has done 12 s and 2 has done 10 when they are stopped; they go on at 42 for 88 and 40 s. */
static void test_how(void **state)
{
  (void)state;
  EXPECT(BATCH("easy", ", on_preempt: kill") PROCS4, five, {0, 12}, {0, 10}, {42, 62}, {10, 15}, {12, 42});
  EXPECT(BATCH("easy", ", on_preempt: checkpoint") PROCS4, five, {42, 130}, {42, 82}, {130, 150}, {10, 15},
         {12, 42});
}

/* Grace 5 s. 10: 2 is told, and goes at 15, when 4 starts (until 20). 12: one has been told, so for 5 none
 * is. 15: three are held, one is free; 1 is told, and goes at 20, when 4 ends too: 5 from 20 to 50. */
static void test_grace(void **state)
{
  (void)state;
  EXPECT(BATCH("easy", ", grace: 5s") PROCS4, five, {50, 150}, {50, 100}, {150, 170}, {15, 20}, {20, 50});
}

/* Stopped at 10, and not again before 30: 5 (three processors) waits. 15: 4 ends, two are free; in order 2
 * takes them. 30: 1 and 2 would have to go, 2 as the newer first: two are free, three are wanted, so 1 goes
 * as well. 60: 1 and 2. */
static void test_backoff(void **state)
{
  (void)state;
  EXPECT(BATCH("scan", ", backoff: 20s") PROCS4, five, {60, 160}, {60, 110}, {160, 180}, {10, 15}, {30, 60});
}

/* No more go than have to. Task 4 wants two. 3 (one processor, the newest) is not enough, and with 2 (two
 * processors) three are free: 3 proves not to be needed and goes on. */
static void test_no_more_than_needed(void **state)
{
  static const task tasks[] = {T(0, 100, 1, 100, 0), T(1, 50, 2, 50, 0), T(2, 60, 1, 60, 0),
                               T(10, 10, 2, 10, 1)};
  (void)state;
  EXPECT(BATCH("easy", "") PROCS4, tasks, {0, 100}, {20, 70}, {2, 62}, {10, 20});
  EXPECT(BATCH("easy", "") HOSTS4, tasks, {0, 100}, {20, 70}, {2, 62}, {10, 20});
}

/* A promise gives way to tasks of higher priority alone. 1 holds three until 100; 2 wants four and is
 * promised 100 (EASY). At 10 task 3, of their priority, can stop nothing, and would run past that promise.
 * At 20 task 4 (priority 2, two processors, 200 s) stops 1 and runs past the promise of 2. 1 waits again,
 * at the head, and is promised 220, when one is to spare: task 3 takes that at once, until 320. 2 starts
 * when 1 and 3 end. */
static void test_promises(void **state)
{
  static const task tasks[] = {T(0, 100, 3, 100, 1), T(1, 10, 4, 10, 1), T(10, 300, 1, 300, 1),
                               T(20, 200, 2, 200, 2)};
  (void)state;
  EXPECT(BATCH("easy", "") PROCS4, tasks, {220, 320}, {320, 330}, {20, 320}, {20, 220});
}

/* The first that would not fit bars those of its priority and below. 1 (priority 2) holds two, 2 (priority
 * 0) two. 3 (priority 1) wants three: without 2 there are two. 4, of the same priority, wants one and
 * could stop 2: it may not pass 3. At 12 task 5 (priority 2) may: it takes one of the two of 2. One is
 * free: under blocking 3, the head, holds 4 back; under scan 4 starts. 22: under scan 2 starts again; 50:
 * 3 stops it. */
static void test_bars(void **state)
{
  static const task tasks[] = {T(0, 50, 2, 50, 2), T(0, 60, 2, 60, 0), T(5, 10, 3, 10, 1), T(6, 10, 1, 10, 1),
                               T(12, 10, 1, 10, 2)};
  (void)state;
  EXPECT("policy: {order: priority, select: blocking, preempt: priority}\n" PROCS4, tasks, {0, 50}, {60, 120},
         {50, 60}, {50, 60}, {12, 22});
  EXPECT("policy: {order: priority, select: scan, preempt: priority}\n" PROCS4, tasks, {0, 50}, {60, 120},
         {50, 60}, {12, 22}, {12, 22});
}

/* On hosts, wherever they are: 4 wants two hosts of two cores whole. h0 has 1 (priority 0), h1 has 2
 * (priority 1), h2 has 3 (priority 0), all of one core. 4 takes h0 and h2. */
static void test_hosts(void **state)
{
  static const task tasks[] = {T(0, 100, 1, 100, 0), T(0, 100, 1, 100, 1), T(0, 100, 1, 100, 0),
                               T(10, 10, 2, 10, 1)};
  bench b;
  (void)state;
  run_tasks(&b, BATCH("easy", "") "cell: {use: hosts, classes: [{count: 3, name_prefix: h, cpus: 1}]}\n",
            tasks, COUNT(tasks));
  assert_int_equal(start_of(&b, 4), 10);
  assert_int_equal(start_of(&b, 1), 20);
  assert_int_equal(start_of(&b, 2), 0);
  assert_int_equal(start_of(&b, 3), 20);
  assert_int_equal(counted(&b, "hindcast", "preempted"), 2);
  end(&b);
}

/* ---- refused ---- */

static void assert_refused(const char *yaml, const char *part)
{
  bench b;
  const hc_rc rc = try_tasks(&b, yaml, five, COUNT(five));
  if (rc >= 0) fail_msg("%s: was not refused", yaml);
  if (!strstr(b.error.text, part)) fail_msg("%s: says %s", yaml, b.error.text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused("policy: {preempt: starving}\n" PROCS4, "a batch queue has none");
  assert_refused(BATCH("slack", "") PROCS4, "keeps what it has promised");
  assert_refused(BATCH("{use: easy, sticky: true}", "") PROCS4, "keeps what it has promised");
  assert_refused(BATCH("{use: easy, retry: at_reservation}", "") PROCS4, "keeps what it has promised");
  assert_refused(BATCH("{use: easy, relax: 1}", "") PROCS4, "keeps what it has promised");
  assert_refused(BATCH("scan", "") HOSTS4 "architecture: heartbeat\n", "looks at one host");
  assert_refused(BATCH("blocking", "") HOSTS4 "architecture: multi_path\n", "stops tasks of one job");
  assert_refused("policy: {use: sleeping, policy: {use: batch, preempt: priority}}\n" HOSTS4, "keeps books");
}

/* ---- a simulator of this test's own ---- */

typedef struct world {
  task tasks[MOST];
  size_t count;
  int64_t procs, free, now;
  bool by_priority; /* the order of the queue; else as they came */
  int select;       /* 0 blocking, 1 scan, 2 easy */
} world;

static bool waits(const world *w, size_t i)
{
  return w->tasks[i].submit <= w->now && w->tasks[i].start < 0 && w->tasks[i].end < 0;
}

static bool runs(const world *w, size_t i)
{
  return w->tasks[i].start >= 0 && w->tasks[i].end < 0;
}

/* The next in the queue after `last` (-1: the first), in order; -1: none. */
static int next_waiting(const world *w, int last)
{
  int best = -1;
  for (size_t i = 0; i < w->count; i++) {
    const int64_t mine = w->by_priority ? -w->tasks[i].priority : 0;
    if (!waits(w, i)) continue;
    if (last >= 0) {
      const int64_t its = w->by_priority ? -w->tasks[last].priority : 0;
      if (mine < its || (mine == its && (int)i <= last)) continue;
    }
    if (best >= 0 && mine >= (w->by_priority ? -w->tasks[best].priority : 0)) continue;
    best = (int)i;
  }
  return best;
}

static void start_task(world *w, size_t i)
{
  w->tasks[i].start = w->now;
  w->free -= w->tasks[i].procs;
}

/* The running task that goes next: lowest priority, last start, highest number. */
static int next_victim(const world *w, int64_t below_priority, const bool *gone)
{
  int best = -1;
  for (size_t i = 0; i < w->count; i++) {
    const task *t = &w->tasks[i], *b = best < 0 ? NULL : &w->tasks[best];
    if (!runs(w, i) || gone[i] || t->priority >= below_priority) continue;
    if (!b || t->priority < b->priority || (t->priority == b->priority && t->start >= b->start))
      best = (int)i;
  }
  return best;
}

/* @return false: it cannot */
static bool oust(world *w, size_t taker, bool *stopped)
{
  bool gone[MOST] = {false};
  int order[MOST], n = 0;
  int64_t room = w->free;
  while (room < w->tasks[taker].procs) {
    const int v = next_victim(w, w->tasks[taker].priority, gone);
    if (v < 0) return false;
    gone[v] = true;
    order[n++] = v;
    room += w->tasks[v].procs;
  }
  while (n-- > 0)
    if (room - w->tasks[order[n]].procs >= w->tasks[taker].procs) {
      room -= w->tasks[order[n]].procs;
      gone[order[n]] = false;
    }
  for (size_t i = 0; i < w->count; i++)
    if (gone[i]) {
      w->free += w->tasks[i].procs;
      w->tasks[i].start = -1;
      w->tasks[i].stops++;
      stopped[i] = true;
    }
  start_task(w, taker);
  return true;
}

/* Tasks that outrank a running or a waiting one, by priority, then in order. @param stopped [MOST] out */
static bool take_room(world *w, bool *stopped)
{
  bool any = false;
  for (;;) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    int first = -1;
    for (size_t i = 0; i < w->count; i++)
      if (runs(w, i) || (waits(w, i) && !stopped[i])) least = HC_MIN(least, w->tasks[i].priority);
    for (int i = next_waiting(w, -1); i >= 0; i = next_waiting(w, i))
      if (!stopped[i] && w->tasks[i].priority > most) {
        most = w->tasks[i].priority;
        first = i;
      }
    if (first < 0 || most <= least || !oust(w, (size_t)first, stopped)) break;
  }
  for (size_t i = 0; i < w->count; i++) any |= stopped[i];
  return any;
}

/* What EASY promises the head, and what is to spare then. */
static int64_t shadow_of(const world *w, int head, int64_t *extra)
{
  int64_t at = w->now;
  for (;;) {
    int64_t free = w->free, next = INT64_MAX;
    for (size_t i = 0; i < w->count; i++) {
      const int64_t ends = runs(w, i) ? w->tasks[i].start + w->tasks[i].limit : INT64_MAX;
      if (!runs(w, i)) continue;
      if (ends <= at) free += w->tasks[i].procs;
      else next = HC_MIN(next, ends);
    }
    *extra = free - w->tasks[head].procs;
    if (*extra >= 0) return at;
    at = next;
  }
}

static void backfill(world *w, int head)
{
  int64_t extra;
  const int64_t shadow = shadow_of(w, head, &extra);
  for (int i = next_waiting(w, head); i >= 0; i = next_waiting(w, i)) {
    const bool ends = w->now + w->tasks[i].limit <= shadow;
    if (w->tasks[i].procs > w->free || (!ends && w->tasks[i].procs > extra)) continue;
    if (!ends) extra -= w->tasks[i].procs;
    start_task(w, (size_t)i);
  }
}

static void decide(world *w)
{
  bool again = true;
  while (again) {
    bool stopped[MOST] = {false};
    int head;
    again = take_room(w, stopped);
    if (again && w->select == 2) continue;
    /* those that were stopped now wait again from the next decision of this instant on */
    for (size_t i = 0; i < w->count; i++)
      if (stopped[i]) w->tasks[i].submit += 1000000;
    for (head = next_waiting(w, -1); head >= 0; head = next_waiting(w, head)) {
      if (w->tasks[head].procs <= w->free) start_task(w, (size_t)head);
      else if (w->select != 1) break;
    }
    if (w->select == 2 && head >= 0) backfill(w, head);
    for (size_t i = 0; i < w->count; i++)
      if (stopped[i]) w->tasks[i].submit -= 1000000;
  }
}

static void simulate(world *w)
{
  w->free = w->procs;
  for (w->now = 0;;) {
    int64_t next = INT64_MAX;
    decide(w);
    for (size_t i = 0; i < w->count; i++) {
      if (runs(w, i)) next = HC_MIN(next, w->tasks[i].start + w->tasks[i].run);
      if (w->tasks[i].submit > w->now) next = HC_MIN(next, w->tasks[i].submit);
    }
    if (next == INT64_MAX) return;
    w->now = next;
    for (size_t i = 0; i < w->count; i++)
      if (runs(w, i) && w->tasks[i].start + w->tasks[i].run == w->now) {
        w->tasks[i].end = w->now;
        w->free += w->tasks[i].procs;
      }
  }
}

static void draw_world(world *w, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
  int64_t submit = 0;
  *w = (world){.count = 4 + (size_t)hc_random_below(&d, MOST - 4),
               .procs = 2 + (int64_t)hc_random_below(&d, 7)};
  w->by_priority = hc_random_below(&d, 2) == 0;
  w->select = (int)hc_random_below(&d, 3);
  for (size_t i = 0; i < w->count; i++) {
    const int64_t run = 1 + (int64_t)hc_random_below(&d, 30);
    submit += (int64_t)hc_random_below(&d, 8);
    w->tasks[i] = (task)T(submit, run, 1 + (int64_t)hc_random_below(&d, (uint64_t)w->procs),
                          run + (int64_t)hc_random_below(&d, 10), (int64_t)hc_random_below(&d, 4));
    w->tasks[i].start = w->tasks[i].end = -1;
  }
}

static void say(void *ctx, const hc_violation *v)
{
  fail_msg("%s\n%s: %s", (const char *)ctx, v->rule, v->text);
}

/* Of the rule alone a few hundred things are held. */
static uint64_t verify(bench *b, const char *yaml)
{
  static const hc_verify_request q = {.promise = -1};
  hc_verify_report report;
  hc_result *r;
  uint64_t n = 0;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_verify_result(b->allocator, r, &q, say, (void *)(uintptr_t)yaml, &report, &b->error));
  for (size_t i = 0; hc_verify_rule_at(i); i++)
    if (strcmp(hc_verify_rule_at(i)->name, "outranks") == 0) n = report.checked[i];
  hc_result_free(r);
  return n;
}

static void test_agrees(void **state)
{
  static const char *const selects[] = {"blocking", "scan", "easy"};
  int64_t stops = 0;
  uint64_t held = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 900; seed++) {
    static const char *const kinds[] = {"count", "intervals"};
    world w;
    char yaml[256];
    int64_t sum = 0;
    bench b;
    draw_world(&w, seed);
    (void)snprintf(yaml, sizeof yaml,
                   "policy: {order: %s, select: %s, preempt: priority}\ncell: {use: %s, procs: %" PRId64
                   "}\n",
                   w.by_priority ? "priority" : "fcfs", selects[w.select], kinds[seed % 2], w.procs);
    run_tasks(&b, yaml, w.tasks, w.count);
    simulate(&w);
    for (size_t i = 0; i < w.count; i++) {
      const task *t = &w.tasks[i];
      sum += t->stops;
      if (start_of(&b, (int64_t)i + 1) != t->start || end_of(&b, (int64_t)i + 1) != t->end)
        fail_msg(
            "seed %" PRIu64 ", %s: task %zu runs %" PRId64 " to %" PRId64 ", should %" PRId64 " to %" PRId64,
            seed, yaml, i + 1, start_of(&b, (int64_t)i + 1), end_of(&b, (int64_t)i + 1), t->start, t->end);
    }
    assert_int_equal(counted(&b, "hindcast", "preempted"), sum);
    stops += sum;
    held += verify(&b, yaml);
    end(&b);
  }
  assert_true(stops > 1000 && held > (uint64_t)stops + 1000); /* it was not idle */
}

/* A run is a value: cut into pieces it is the same. */
static void test_in_pieces(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    world w;
    bench b, c;
    char yaml[256];
    draw_world(&w, seed);
    (void)snprintf(yaml, sizeof yaml,
                   "policy: {select: %s, preempt: {use: priority, grace: %ds, backoff: %ds}}\n"
                   "cell: {use: count, procs: %" PRId64 "}\n",
                   seed % 2 ? "easy" : "conservative", (int)(seed % 3) * 2, (int)(seed % 5), w.procs);
    run_tasks(&b, yaml, w.tasks, w.count);

    check(&c, try_tasks(&c, yaml, w.tasks, w.count));
    finish_in_pieces(&c, 3);
    for (size_t i = 0; i < w.count; i++)
      assert_int_equal(start_of(&b, (int64_t)i + 1), start_of(&c, (int64_t)i + 1));
    end(&b);
    end(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drawn),
      cmocka_unit_test(test_how),
      cmocka_unit_test(test_grace),
      cmocka_unit_test(test_backoff),
      cmocka_unit_test(test_no_more_than_needed),
      cmocka_unit_test(test_promises),
      cmocka_unit_test(test_bars),
      cmocka_unit_test(test_hosts),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_agrees),
      cmocka_unit_test(test_in_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
