/* test_resize_plans.c -- plans that resize running tasks at random, against a model that shares nothing with
 * the engine.
 *
 * A policy of this test's own starts what fits and gives running tasks random sizes, on hosts and processors
 * that are named or chosen. It keeps books by what it hears in `outcome` alone: what each task holds, and how
 * much of its work is done, in whole numbers. At every decision the view must agree with them, and at the end
 * every task must have ended at the first ns at which its work was done. So every action is heard, none takes
 * or leaves what it does not say, and no work is lost or won. With a law of speed-up the books follow
 * Amdahl's formula, and each second resize pauses. Then the result is verified. Seeds are told. */
#include "../unit/engine/engine_test.h"
#include "../unit/engine/own_policy.h"
#include "../unit/engine/verified.h"

#include "base/math.h"
#include "base/util.h"
#include "base/wide.h"

#define PROCS 16
#define HOSTS 8
#define TASKS 60

/* What a task holds and has done, by serial. */
typedef struct book {
  double speed;            /* of the slowest host with which it began */
  int64_t own, size, wish; /* wish: of a resize that is planned; 0: none */
  int64_t held[HOSTS];
  hc_wide done;
  hc_time since, saved; /* since: it pauses until then, if that is later than now; saved: in all */
  hc_time pause;        /* of the resize that is planned */
  int64_t rate;
  hc_stop how;
  bool runs;
} book;

static book books[TASKS];
static hc_draws draws;
static uint64_t resized, refused, heard, planned;
static bool on_hosts, thinks, has_speeds, stops, has_law;
static uint64_t stopped;
enum { STOPS = -1 }; /* in place of a size that is wished */
static const double speeds[HOSTS] = {1, 1, 1, 2, 2, 2, 0.3, 0.3};

static uint64_t below(uint64_t n)
{
  return hc_random_below(&draws, n);
}

static uint32_t flags(const void *options)
{
  (void)options;
  return HC_MAY_RESIZE | HC_IGNORES_TIME | (stops ? HC_MAY_PREEMPT : 0);
}

static int64_t size_of(const hc_services *s, hc_view *v, hc_task t)
{
  return on_hosts ? s->slots(v, t) : s->units(v, t);
}

static void note_held(const hc_services *s, hc_view *v, hc_task t, int64_t held[HOSTS])
{
  const hc_holding *h;
  const size_t n = s->held(v, t, &h);
  memset(held, 0, HOSTS * sizeof *held);
  for (size_t i = 0; i < n; i++) held[on_hosts ? h[i].host : 0] += h[i].slots;
}

/* Of the slowest host that a task has. */
static double slowest(const int64_t held[HOSTS])
{
  double least = 1e9;
  for (int h = 0; h < HOSTS; h++)
    if (held[h] > 0 && speeds[h] < least) least = speeds[h];
  return has_speeds ? least : 1;
}

#define SERIAL 0.3 /* of Amdahl's law */
static double amdahl(int64_t n)
{
  return 1 / (SERIAL + (1 - SERIAL) / (double)n);
}

static int64_t rate_of(int64_t size, int64_t own)
{
  if (!has_law || size == own) return hc_wide_divide(hc_wide_product(HC_RATE_ONE, size), own, false);
  return (int64_t)((double)HC_RATE_ONE * (amdahl(size) / amdahl(own)) + 0.5);
}

/* Up to now; in a pause it does nothing. */
static void add_done(book *b, hc_time now)
{
  if (now <= b->since) return;
  hc_wide_add_product(&b->done, b->rate, now - b->since);
  b->since = now;
}

/* The only place where books change. */
static void outcome(hc_policy *self, hc_view *v, hc_task t, hc_rc rc)
{
  const hc_services *s = self->s;
  if (t == HC_NO_TASK) return; /* it ended while the plan was thought about */
  book *b = &books[s->serial(v, t)];
  heard++;
  if (rc < 0) {
    assert_true(thinks);
    b->wish = 0;
    return;
  }
  if (b->wish == STOPS) {
    add_done(b, s->now(v));
    if (b->how == HC_STOP_CHECKPOINT) b->saved += hc_wide_divide(b->done, HC_RATE_ONE, false);
    *b = (book){.saved = b->saved};
    stopped++;
    return;
  }
  if (!b->runs)
    *b = (book){
        .saved = b->saved, .own = size_of(s, v, t), .since = s->now(v), .rate = HC_RATE_ONE, .runs = true};
  else {
    assert_true(b->wish > 0);
    add_done(b, s->now(v));
    if (s->now(v) + b->pause > b->since) b->since = s->now(v) + b->pause;
    b->rate = rate_of(b->wish, b->own);
    resized++;
  }
  b->size = size_of(s, v, t);
  if (b->wish > 0) assert_int_equal(b->size, b->wish);
  note_held(s, v, t, b->held);
  if (b->wish == 0) b->speed = slowest(b->held);
  else if (slowest(b->held) != b->speed)
    b->rate = (int64_t)((double)b->rate * (slowest(b->held) / b->speed) + 0.5);
  b->wish = 0;
}

/* Does the view agree with the books? */
static void compare(const hc_services *s, hc_view *v)
{
  const hc_task *running;
  const size_t n = s->running(v, &running);
  int64_t sum[HOSTS] = {0}, all = 0;
  for (size_t i = 0; i < n; i++) {
    const book *b = &books[s->serial(v, running[i])];
    int64_t held[HOSTS], total = 0;
    note_held(s, v, running[i], held);
    assert_true(b->runs);
    assert_int_equal(size_of(s, v, running[i]), b->size);
    assert_memory_equal(held, b->held, sizeof held);
    assert_int_equal(s->rate(v, running[i]), b->rate);
    for (int h = 0; h < HOSTS; h++) sum[h] += held[h], total += held[h];
    assert_int_equal(total, b->size);
    all += b->size;
  }
  for (uint32_t h = 0; on_hosts && h < HOSTS; h++)
    assert_int_equal(s->host_free(v, h, NULL)[0], 1000 * (PROCS / HOSTS - sum[h]));
  if (!on_hosts) assert_int_equal(s->free_units(v), PROCS - all);
}

/* @return 1: planned */
static hc_rc resize_one(const hc_services *s, hc_view *v, hc_plan *p, hc_task t)
{
  book *b = &books[s->serial(v, t)];
  int64_t least, most;
  const hc_range one = {(uint32_t)below(on_hosts ? HOSTS : PROCS), 1};
  const bool named = below(3) == 0;
  s->sizes(v, t, &least, &most);
  if (s->started(v, t) == s->now(v) && !b->runs) return 0;
  assert_true(least <= b->size && b->size <= most);
  const int64_t size = least + (int64_t)below((uint64_t)(most - least) + 1), before = s->free_units(v);
  if (size == b->size || b->wish != 0) return 0;
  if (stops && below(4) == 0) {
    const hc_stopping how = {.how = below(2) ? HC_STOP_REQUEUE : HC_STOP_CHECKPOINT};
    b->wish = STOPS;
    b->how = (hc_stop)how.how;
    planned++;
    return s->stop(p, t, &how);
  }
  const hc_range *const where = named ? &one : NULL;
  const hc_time pause = has_law && below(2) ? 1 + (hc_time)below(20000000000) : 0;
  if (has_law) {
    const double off = s->speed_in(v, t, size) / amdahl(size) - 1;
    assert_true(off > -1e-12 && off < 1e-12);
  }
  const hc_rc rc =
      pause > 0 ? s->resize_pausing(p, t, size, where, named, pause) : s->resize(p, t, size, where, named);
  if (rc == HC_EPOLICY) {
    refused++;
    assert_int_equal(size_of(s, v, t), b->size);
    /* to shrink can always be, and so can to grow into processors that are free */
    if (!named) assert_true(size > b->size && (on_hosts || size - b->size > before));
    return 0;
  }
  assert_int_equal(rc, 0);
  assert_int_equal(size_of(s, v, t), size);
  if (named && on_hosts) { /* only there is anything else */
    int64_t held[HOSTS];
    note_held(s, v, t, held);
    for (uint32_t h = 0; h < HOSTS; h++)
      if (h != one.first) assert_int_equal(held[h], b->held[h]);
  }
  b->wish = size;
  b->pause = pause;
  planned++;
  /* once a plan, and nothing beside it */
  assert_int_equal(s->resize(p, t, b->size, NULL, 0), HC_EPOLICY);
  return 1;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_cursor at = {0};
  const hc_task *running;
  hc_task t;
  (void)why;
  compare(s, v);
  const size_t n = s->running(v, &running);
  for (size_t i = 0; i < n; i++)
    if (below(3) == 0 && resize_one(s, v, p, running[i]) < 0) return HC_EPOLICY;
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    if (!s->fits(v, t)) continue;
    if (s->start(p, t, NULL, 0) < 0) return HC_EPOLICY;
    planned++;
  }
  if (n > 0 && below(2)) return s->wake(p, s->now(v) + 1 + (hc_time)below(7000000000));
  return 0;
}

static const hc_policy_type shaking = {.component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY),
                                                     .name = "shaking", .summary = "of a test"},
                                       .flags = flags,
                                       .init = init,
                                       .decide = decide,
                                       .outcome = outcome,
                                       .fini = fini};

static void make_jobs(job *jobs, uint64_t seed)
{
  hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 7};
  int64_t submit = 0;
  for (int64_t i = 0; i < TASKS; i++) {
    submit += (int64_t)hc_random_below(&d, 25);
    jobs[i] = (job)J(i + 1, submit, 1 + (int64_t)hc_random_below(&d, 80),
                     1 + (int64_t)hc_random_below(&d, PROCS), 200);
  }
}

static void run_one(const char *yaml, uint64_t seed)
{
  static const hc_component *const own[] = {&shaking.component, NULL};
  job jobs[TASKS];
  char text[600];
  bench b;
  make_jobs(jobs, seed);
  memset(books, 0, sizeof books);
  draws = (hc_draws){.seed = seed, .purpose = HC_PURPOSE_TEST};
  on_hosts = strstr(yaml, "hosts") != NULL;
  thinks = strstr(yaml, "think") != NULL;
  has_speeds = strstr(yaml, "speed") != NULL;
  (void)snprintf(text, sizeof text,
                 "%spolicy: shaking\nparanoid: true\ntransforms: [{use: malleable, least: 0.2, most: 3%s}]\n",
                 yaml, has_law ? ", speedup: {use: amdahl, fraction: 0.3}" : "");
  begin(&b, text, PROCS, jobs, TASKS, own);
  finish(&b);
  assert_int_equal(b.count, TASKS);
  for (size_t i = 0; i < b.count; i++) {
    const hc_task_record *r = &b.records[i];
    const book *k = &books[r->serial];
    const double run = (double)(jobs[r->serial].run * HC_SECOND);
    assert_true((double)r->run >= run / k->speed - 1 && (double)r->run <= run / k->speed + 1);
    const hc_wide left = hc_wide_minus(hc_wide_product(r->run - k->saved, HC_RATE_ONE), k->done);
    const hc_time end_at = left.hi < 0 ? k->since : k->since + hc_wide_divide(left, k->rate, true);
    if (r->end != end_at)
      fail_msg("seed %" PRIu64 "\n%stask %" PRId64 " ends at %" PRId64 " ns, and its work at %" PRId64, seed,
               yaml, r->id, r->end, end_at);
  }
  if (!thinks) assert_int_equal(heard, planned);
  assert_verified(&b);
  end(&b);
}

static void try_cells(void)
{
  static const char *const cells[] = {
      "",
      "cell: {use: intervals, procs: 16}\n",
      "cell: {use: hosts, classes: [{count: 8, name_prefix: a, cpus: 2}]}\n",
      "architecture: {use: monolithic, think: 3s}\n",
      "cell: {use: intervals, procs: 16}\narchitecture: {use: monolithic, think: 3s}\n",
      ("cell: {use: hosts, classes: [{count: 8, name_prefix: a, cpus: 2}]}\n"
       "architecture: {use: monolithic, think: 3s}\n"),
      ("cell: {use: hosts, classes: [{count: 3, name_prefix: a, cpus: 2}, {count: 3, name_prefix: b, cpus: "
       "2, speed: 2}, {count: 2, name_prefix: c, cpus: 2, speed: 0.3}]}\n")};
  for (size_t k = 0; k < 2 * COUNT(cells); k++) {
    const char *cell = cells[k % COUNT(cells)];
    stops = k >= COUNT(cells);
    if (stops && strstr(cell, "speed")) continue; /* what is saved there no record says */
    resized = refused = heard = planned = stopped = 0;
    for (uint64_t seed = 1; seed <= (stops ? 15 : 30); seed++) run_one(cell, seed);
    assert_true(resized > 200 && refused > 20); /* it was not idle */
    assert_true(!stops || stopped > 50);
  }
  stops = false;
}

static void test_against_books(void **state)
{
  (void)state;
  try_cells();
}

/* Its work is what the integral of its speed-up says, whatever sizes and pauses it goes through. */
static void test_by_a_law(void **state)
{
  (void)state;
  has_law = true;
  try_cells();
  has_law = false;
}

/* 100 s of work on 4 processors, by Amdahl's law with a tenth in one place: S is 3.0769 on 4, 4.7059 on 8 and
 * 2.5 on 3. The task has 8 until 10 s and does 15.2941, 3 until 30 s and does 16.25, and the 68.4559 that are
 * left with 8 again in 44.7596 s. With `speeds` in place of the law it is the same. */
static void test_law_closed_form(void **state)
{
  static const char *const laws[] = {
      "speedup: {amdahl: 0.1}",
      "speeds: [1, 1.8181818181818181, 2.5, 3.0769230769230766, 3.5714285714285712, 4, 4.375, "
      "4.7058823529411766]"};
  (void)state;
  for (size_t k = 0; k < COUNT(laws); k++) {
    char tasks[400];
    bench b;
    (void)snprintf(tasks, sizeof tasks,
                   "- {id: 1, submit_time: 0, procs: 4, delay: 100, malleable: {min: 1, max: 8, %s}}\n"
                   "- {id: 2, submit_time: 10, procs: 5, delay: 20}\n",
                   laws[k]);
    check(&b, try_text(&b,
                       "source: {use: native, file: FILE}\ncell: {procs: 8}\n"
                       "policy: {use: malleable, policy: scan}\nparanoid: true\n",
                       tasks));
    finish(&b);
    const double s4 = 1 / (0.1 + 0.9 / 4), s8 = 1 / (0.1 + 0.9 / 8), s3 = 1 / (0.1 + 0.9 / 3);
    const double end_at = 30 + (100 - 10 * s8 / s4 - 20 * s3 / s4) / (s8 / s4);
    const double off = (double)record_of(&b, 1)->end / HC_SECOND - end_at;
    assert_true(off > -1e-7 && off < 1e-7); /* rates are whole numbers of 1 / HC_RATE_ONE: 1e-10 of each */
    assert_int_equal(end_of(&b, 2), 30);
    assert_verified(&b);
    end(&b);
  }
}

/* A linear law is no law: every end is the same to the ns. */
static void test_linear_law(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 4, 100), J(2, 20, 30, 6, 30), J(3, 21, 77, 3, 90),
                             J(4, 50, 31, 7, 40)};
  static const char *const laws[] = {"", ", speedup: linear"};
  hc_time ends[2][COUNT(jobs)];
  (void)state;
  for (size_t k = 0; k < 2; k++) {
    char text[300];
    bench b;
    (void)snprintf(
        text, sizeof text,
        "policy: malleable\nparanoid: true\ntransforms: [{use: malleable, least: 0.25, most: 2%s}]\n",
        laws[k]);
    begin(&b, text, 8, jobs, COUNT(jobs), NULL);
    finish(&b);
    for (size_t i = 0; i < COUNT(jobs); i++) ends[k][i] = record_of(&b, (int64_t)i + 1)->end;
    assert_verified(&b);
    end(&b);
  }
  assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
}

/* 1 grows to 8 when it has started, and has done 160 of its 400 when 2 comes at 20: it shrinks to 2 for it,
 * does 60 by 50, and the 180 that are left with 8 again in 22.5 s. */
static void test_closed_form(void **state)
{
  static const char *const cells[] = {"", "cell: {use: intervals, procs: 8}\n",
                                      "cell: {use: hosts, classes: [{count: 4, name_prefix: a, cpus: 2}]}\n"};
  static const job jobs[] = {J(1, 0, 100, 4, 100), J(2, 20, 30, 6, 30)};
  (void)state;
  for (size_t k = 0; k < COUNT(cells); k++) {
    char text[300];
    bench b;
    (void)snprintf(
        text, sizeof text,
        "%spolicy: malleable\nparanoid: true\ntransforms: [{use: malleable, least: 0.25, most: 2}]\n",
        cells[k]);
    begin(&b, text, 8, jobs, COUNT(jobs), NULL);
    finish(&b);
    const hc_task_record *one = record_of(&b, 1), *two = record_of(&b, 2);
    assert_int_equal(one->start, 0);
    assert_int_equal(one->end, 72500000000);
    assert_int_equal(two->start, 20 * HC_SECOND);
    assert_int_equal(two->end, 50 * HC_SECOND);
    assert_int_equal(one->units, k < 2 ? 6 : 5517); /* 400 / 72.5 on average, rounded; thousandths of cores */
    assert_verified(&b);
    end(&b);
  }
}

/* What cannot be combined says why. */
static void test_refused(void **state)
{
  static const char *const table[][2] = {
      {("policy: {use: malleable, policy: {use: fair}}\n"
        "cell: {use: hosts, classes: [{count: 4, name_prefix: a, cpus: 2}]}\n"),
       "keeps books of its tasks"},
      {"policy: malleable\narchitecture: two_pass\n", "use the architecture monolithic"},
      {"policy: {use: malleable, policy: {place: contiguous}}\ncell: {use: intervals, procs: 8}\n",
       "one range has no room for a task that grows"},
      {"policy: malleable\nend_order: start\n", "end_order: serial"},
      {"policy: malleable\nreservations: [{units: 3, users: [1], start: 30, end: 90}]\n",
       "no advance reservation, nor announced downtime, would be kept"}};
  static const job jobs[] = {J(1, 0, 100, 4, 100)};
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    bench b;
    if (try_begin(&b, table[i][0], 8, jobs, 1, NULL) != HC_EUNSUPPORTED)
      fail_msg("%s: %s", table[i][0], b.error.text);
    if (!strstr(b.error.text, table[i][1])) fail_msg("%s: %s", table[i][0], b.error.text);
    end(&b);
  }
}

/* A host of speed 2 and one of 1, a core each. 1 has 100 s of work and begins on the fast one, where that is
 * 50 s. At 0 it takes the slow one as well: both work at speed 1, twice as many. 2 comes at 10, when 1 has
 * done 20, and gets the fast one for 5 s. In these 1 does 5 on the slow one, and with both again the 75 that
 * are left in 37.5 s. */
static void test_speed_of_hosts(void **state)
{
  static const job jobs[] = {J(1, 0, 100, 1, 200), J(2, 10, 10, 1, 30)};
  bench b;
  (void)state;
  begin(&b,
        "policy: malleable\nparanoid: true\ntransforms: [{use: malleable, least: 1, most: 2}]\ncell: {use: "
        "hosts, "
        "classes: [{count: 1, name_prefix: a, cpus: 1, speed: 2}, {count: 1, name_prefix: b, cpus: 1}]}\n",
        2, jobs, COUNT(jobs), NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 2), 10);
  assert_int_equal(end_of(&b, 2), 15);
  assert_int_equal(record_of(&b, 1)->end, 105 * HC_SECOND / 2);
  assert_int_equal(record_of(&b, 1)->run, 50 * HC_SECOND);
  assert_verified(&b);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_books), cmocka_unit_test(test_by_a_law),
      cmocka_unit_test(test_closed_form),   cmocka_unit_test(test_law_closed_form),
      cmocka_unit_test(test_linear_law),    cmocka_unit_test(test_speed_of_hosts),
      cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
