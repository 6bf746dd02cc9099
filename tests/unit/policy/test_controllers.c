/* test_controllers.c -- what jobs say to offers, by their options as a file has them: whose memory it is,
 * both published rules, who never refuses, a k that adapts, delay scheduling, and several controllers at
 * once. Tasks, jobs and users are tables of this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "base/value.h"
#include "cluster/lexicon.h"
#include "hindcast/hindcast.h"
#include "setup/config.h"

/* ---- a world of tasks ---- */

typedef struct task {
  int64_t job, user, group;
} task;
static const task *tasks; /* by number, which is the serial too */

static uint64_t serial_of(const hc_view *v, hc_task t)
{
  (void)v;
  return t;
}
static int64_t user_of(const hc_view *v, hc_task t)
{
  (void)v;
  return tasks ? tasks[t].user : 1;
}
static int64_t group_of(const hc_view *v, hc_task t)
{
  (void)v;
  return tasks ? tasks[t].group : -1;
}
static int64_t job_of(const hc_view *v, hc_task t)
{
  (void)v;
  return tasks ? tasks[t].job : -1;
}
static hc_time submitted_at(const hc_view *v, hc_task t)
{
  (void)v;
  (void)t;
  return 0;
}
static int64_t none_of(const hc_view *v, hc_task t)
{
  (void)v;
  (void)t;
  return 0;
}

static const uint32_t *prefers_of(const hc_view *v, hc_task t, size_t *count)
{
  (void)v;
  (void)t;
  *count = 0;
  return NULL;
}

static const hc_services services = {.size = (uint32_t)sizeof services,
                                     .abi = HC_ABI,
                                     .serial = serial_of,
                                     .user = user_of,
                                     .group = group_of,
                                     .job = job_of,
                                     .submitted = submitted_at,
                                     .priority = none_of,
                                     .prefers = prefers_of,
                                     .units = none_of};

typedef struct controller {
  hc_registry *registry;
  hc_lexicon *lexicon;
  hc_arena arena;
  const hc_accept_type *type;
  const void *options;
  hc_policy *self;
  hc_error e;
} controller;

static hc_rc try_open(controller *c, const hc_allocator *a, const char *yaml, const hc_cell_spec *cell,
                      uint64_t seed)
{
  const hc_allocator *heap = hc_default_allocator();
  const hc_resolver r = {.registry = NULL};
  hc_resolver resolver = r;
  hc_value *v;
  hc_chosen chosen;
  hc_policy_context context = {.services = &services, .allocator = a, .seed = seed, .cell = cell};
  memset(c, 0, sizeof *c);
  hc_arena_init(&c->arena, heap);
  assert_int_equal(hc_registry_new(heap, &c->registry), 0);
  assert_int_equal(hc_lexicon_new(heap, &c->lexicon), 0);
  context.lexicon = c->lexicon;
  resolver.registry = c->registry;
  resolver.arena = &c->arena;
  if (hc_value_parse(&c->arena, yaml, strlen(yaml), "test", &v, &c->e) < 0 ||
      hc_resolve_component(&resolver, HC_KIND_ACCEPT, v, "accept", &chosen, &c->e) < 0)
    return c->e.rc;
  c->type = (const hc_accept_type *)chosen.type;
  c->options = chosen.options;
  return c->type->init(&context, chosen.options, &c->self, &c->e);
}

static void open_(controller *c, const char *yaml, const hc_cell_spec *cell)
{
  if (try_open(c, hc_default_allocator(), yaml, cell, 5) < 0) fail_msg("%s: %s", yaml, c->e.text);
}

static void close_(controller *c)
{
  if (c->self) c->type->fini(c->self);
  hc_lexicon_free(c->lexicon);
  hc_registry_free(c->registry);
  hc_arena_fini(&c->arena);
}

static const uint8_t which[] = {HC_DIM_CPU, HC_DIM_MEMORY};
static const int64_t need[] = {1, 1}, whole_cell[] = {100, 100};

static hc_offer offer_of(hc_task t, uint32_t user, uint32_t host, const int64_t *free, hc_time now)
{
  return (hc_offer){.user = user,
                    .host = host,
                    .dimensions = 2,
                    .now = now,
                    .which = which,
                    .need = need,
                    .free = free,
                    .capacity = whole_cell,
                    .task = t};
}

/* Offer (x, y) of host 0 to a task of user 0; what it says is noted. */
static bool offer(controller *c, hc_task t, int64_t x, int64_t y)
{
  const int64_t free[] = {x, y};
  const hc_offer o = offer_of(t, 0, 0, free, 0);
  const bool taken = c->type->accepts(c->self, &o);
  assert_int_equal(c->type->noted(c->self, &o, taken), 0);
  return taken;
}

/* The same, but nothing is noted. */
static bool asked(controller *c, hc_task t, int64_t x, int64_t y, uint32_t round)
{
  const int64_t free[] = {x, y};
  hc_offer o = offer_of(t, 0, 0, free, 0);
  o.round = round;
  return c->type->accepts(c->self, &o);
}

static void tell(controller *c, hc_task_event what, hc_task t)
{
  assert_int_equal(c->type->on_task_event(c->self, NULL, what, t, 0), 0);
}

/* What it found at the end. */
typedef struct wanted {
  const char *name;
  double value;
} wanted;
static hc_rc take_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  wanted *w = ctx;
  (void)unit;
  (void)is_count;
  (void)count;
  if (strcmp(name, w->name) == 0) w->value = value;
  return 0;
}
static double figure(controller *c, const char *name)
{
  wanted w = {name, -1};
  hc_findings f = {.ctx = &w, .figure = take_figure};
  assert_int_equal(c->type->finish(c->self, &f), 0);
  return w.value;
}

/* ---- the two rules ---- */

#define PLAIN "metric: angle, window: 5, absolute: 0, relative: 1, age: never, memory: user"

/* With j better offers remembered (on the diagonal, where a task (1, 1) goes best), the thesis's k takes the
 * next one if j <= k, YTsaurus's K if j < K: the same answers for K = k + 1, for every j, and others for K =
 * k. */
static void the_rules_are_one_apart(void **state)
{
  (void)state;
  for (int k = 0; k <= 4; k++) {
    char thesis[160], ytsaurus[160], same_number[160];
    (void)snprintf(thesis, sizeof thesis, "{use: refusal, " PLAIN ", rule: thesis, better: %d}", k);
    (void)snprintf(ytsaurus, sizeof ytsaurus, "{use: refusal, " PLAIN ", rule: ytsaurus, better: %d}", k + 1);
    (void)snprintf(same_number, sizeof same_number, "{use: refusal, " PLAIN ", rule: ytsaurus, better: %d}",
                   k);
    for (int j = 0; j <= 5; j++) {
      const char *const yaml[] = {thesis, ytsaurus, same_number};
      bool said[3];
      for (int i = 0; i < 3; i++) {
        controller c;
        const int64_t free[] = {10, 10};
        const hc_offer o = offer_of(0, 0, 0, free, 0);
        open_(&c, yaml[i], NULL);
        for (int n = 0; n < j; n++) assert_int_equal(c.type->noted(c.self, &o, true), 0);
        said[i] = asked(&c, 0, 10, 2, 0);
        close_(&c);
      }
      assert_int_equal(said[0], j <= k);
      assert_int_equal(said[1], said[0]);
      assert_int_equal(said[2], j < k);
    }
  }
}

/* s = 3 of a window of 2: the thesis refuses the first three offers that come and takes the fourth, on which
 * nothing better is remembered; YTsaurus, which never remembers three, is refused by its options. */
static void the_first_are_seen_or_remembered(void **state)
{
  controller c;
  (void)state;
  open_(&c, "{use: refusal, metric: angle, window: 2, at_first: 3, age: never, memory: user}", NULL);
  for (int i = 0; i < 3; i++) assert_false(offer(&c, 0, 10, 10));
  assert_true(offer(&c, 0, 10, 10));
  assert_true(figure(&c, "offers_refused") == 3 && figure(&c, "offers_taken") == 1);
  close_(&c);
  assert_int_equal(
      try_open(&c, hc_default_allocator(), "{use: refusal, rule: ytsaurus, window: 2, at_first: 3}", NULL, 5),
      HC_EUSAGE);
  assert_non_null(strstr(c.e.text, "refuse for ever"));
  close_(&c);
}

/* A refusal by YTsaurus's defaults: two that are much better are too many, one is not. Remembered are offers
 * that were refused and those on which a task started; one that was taken and not used, and one by the
 * fallback, are not. */
static void what_is_remembered(void **state)
{
  const int64_t good[] = {10, 10};
  hc_offer o = offer_of(0, 0, 0, good, 0);
  controller c;
  (void)state;
  open_(&c, "{use: refusal, rule: ytsaurus, memory: user, better: 2, metric: angle}", NULL);
  assert_int_equal(c.type->noted(c.self, &o, true), 0);
  assert_true(asked(&c, 0, 10, 1, 0));      /* one is better */
  assert_true(c.type->accepts(c.self, &o)); /* taken, but the task could not start: no event */
  o.is_forced = true;
  assert_int_equal(c.type->noted(c.self, &o, true), 0);
  assert_true(asked(&c, 0, 10, 1, 0)); /* still one */
  o.is_forced = false;
  assert_int_equal(c.type->noted(c.self, &o, false), 0);
  assert_false(asked(&c, 0, 10, 1, 0)); /* two */
  assert_true(figure(&c, "offers_forced") == 1);
  close_(&c);
}

/* ---- whose memory ---- */

/* Job 7 has tasks 0 and 1, job 8 task 2, task 3 is alone; all are one user's. With a memory of its own job 8
 * does not know what job 7 was offered; by user it does. A job that has come to its end and begins again
 * knows nothing. */
static void each_operation_remembers_for_itself(void **state)
{
  static const task some[] = {{7, 1, 1}, {7, 1, 1}, {8, 1, 1}, {-1, 1, 1}, {7, 1, 1}};
  controller c;
  (void)state;
  tasks = some;
  for (int by_user = 0; by_user < 2; by_user++) {
    char yaml[160];
    (void)snprintf(yaml, sizeof yaml, "{use: refusal, metric: angle, better: 0, age: never, memory: %s}",
                   by_user ? "user" : "operation");
    open_(&c, yaml, NULL);
    for (hc_task t = 0; t < 4; t++) tell(&c, HC_TASK_EVENT_QUEUED, t);
    assert_true(offer(&c, 0, 10, 10));
    assert_false(asked(&c, 1, 10, 1, 0)); /* of the same job */
    assert_int_equal(asked(&c, 2, 10, 1, 0), !by_user);
    assert_int_equal(asked(&c, 3, 10, 1, 0), !by_user);
    if (!by_user) {
      for (hc_task t = 0; t < 2; t++) { /* both run to their ends */
        tell(&c, HC_TASK_EVENT_ALLOCATED, t);
        tell(&c, HC_TASK_EVENT_DEQUEUED, t);
      }
      tell(&c, HC_TASK_EVENT_RELEASED, 0);
      assert_false(asked(&c, 1, 10, 1, 0)); /* one of it still runs */
      tell(&c, HC_TASK_EVENT_RELEASED, 1);
      tell(&c, HC_TASK_EVENT_QUEUED, 4);
      assert_true(asked(&c, 4, 10, 1, 0));
    }
    close_(&c);
  }
  tasks = NULL;
}

/* Users by number and by name, groups, and a formula take everything; others go on refusing. A name is
 * what the source calls a user. */
static void some_never_refuse(void **state)
{
  static const task some[] = {{1, 17, 1}, {1, 18, 4}, {9, 18, 1}, {1, 18, 1}};
  static const char *const yaml[] = {"never_users: [17]", "never_groups: [3, 4]", "never: \"job == 9\"",
                                     "never_users: [ann]"};
  controller c;
  (void)state;
  tasks = some;
  for (hc_task i = 0; i < 4; i++) {
    char text[160];
    (void)snprintf(text, sizeof text,
                   "{use: refusal, metric: angle, better: 0, age: never, memory: user, %s}", yaml[i]);
    open_(&c, text, NULL);
    assert_true(offer(&c, 3, 10, 10));
    for (hc_task t = 0; t < 4; t++) assert_int_equal(asked(&c, t, 10, 1, 0), i < 3 && t == i);
    close_(&c);
  }
  open_(&c, "{use: refusal, metric: angle, better: 0, age: never, memory: user, never_users: [bob, ann]}",
        NULL);
  static const task named[] = {{1, 999, 1}, {1, 1000, 1}};
  assert_int_equal(hc_lexicon_call(c.lexicon, HC_CALLED_USER, 999, "ann", 3), 0);
  tasks = named;
  assert_true(offer(&c, 1, 10, 10));
  assert_true(offer(&c, 0, 10, 1) && offer(&c, 0, 10, 1));
  assert_false(offer(&c, 1, 10, 1));
  assert_true(figure(&c, "offers_taken") == 3 && figure(&c, "offers_refused") == 1);
  close_(&c);
  tasks = NULL;
  assert_int_equal(try_open(&c, hc_default_allocator(), "{use: refusal, never: \"usr == 1\"}", NULL, 5),
                   HC_EUSAGE);
  assert_non_null(strstr(c.e.text, "user"));
  close_(&c);
}

/* ---- a k that moves ---- */

/* k = 0 and two better offers are remembered. Three tasks of four run, one waits. One ends: k + 0.5 x 1 is
 * still 0. Two have ended: k = 1, not enough; the third: 1. With a gain of 1 two are enough. Once nothing
 * waits, what ends is not missed. A second round bears `relaxed`, if that is more. */
static void k_follows_what_was_lost(void **state)
{
  static const task one_job[] = {{7, 1, 1}, {7, 1, 1}, {7, 1, 1}, {7, 1, 1}, {7, 1, 1}};
  (void)state;
  tasks = one_job;
  for (int gain = 0; gain < 3; gain++) {
    static const char *const gains[] = {"0", "0.5", "1"};
    char yaml[200];
    controller c;
    (void)snprintf(
        yaml, sizeof yaml,
        "{use: refusal, metric: angle, better: 0, age: never, memory: operation, relaxed: 2, adapt: %s}",
        gains[gain]);
    open_(&c, yaml, NULL);
    for (hc_task t = 0; t < 4; t++) tell(&c, HC_TASK_EVENT_QUEUED, t);
    assert_true(offer(&c, 0, 10, 10) && offer(&c, 0, 10, 10));
    for (hc_task t = 0; t < 3; t++) {
      tell(&c, HC_TASK_EVENT_ALLOCATED, t);
      tell(&c, HC_TASK_EVENT_DEQUEUED, t);
    }
    assert_false(asked(&c, 3, 10, 1, 0)); /* three run: nothing is lost */
    assert_true(asked(&c, 3, 10, 1, 1));  /* two better are borne in a second round */
    tell(&c, HC_TASK_EVENT_RELEASED, 0);
    assert_false(asked(&c, 3, 10, 1, 0)); /* one lost: k is 0, 0, 1 */
    tell(&c, HC_TASK_EVENT_RELEASED, 1);
    assert_int_equal(asked(&c, 3, 10, 1, 0), gain == 2); /* two: 0, 1, 2 */
    tell(&c, HC_TASK_EVENT_ALLOCATED, 3);                /* one made up for */
    assert_false(asked(&c, 3, 10, 1, 0));
    tell(&c, HC_TASK_EVENT_DEQUEUED, 3); /* no task waits */
    tell(&c, HC_TASK_EVENT_RELEASED, 2);
    tell(&c, HC_TASK_EVENT_QUEUED, 4);
    assert_false(asked(&c, 4, 10, 1, 0));
    close_(&c);
  }
  tasks = NULL;
}

/* One offer a step to an operation that has tasks without end, each of which ends at a step with probability
 * q = 1/80; n = 7, k = 0. Every offer is taken with p = 1/8, so that p / q = 10 run on average, whatever the
 * dependence of one answer on the next; taken all, 1 / q = 80 would. The number that runs has a variance of
 * about 10 and forgets in 80 steps: over 40,000 its mean has a deviation of about 0.2, of which five are
 * allowed. With k growing by 1 a task the operation is held near the highest it ever had, which chance drives
 * up until the (d + 1) / 8 that are taken d below it meet what ends: with d up to 5 that is above 50; 40 is
 * asked for. */
static double mean_running(const char *adapt)
{
  enum { STEPS = 40000, WARM = 8000 };
  static const task one_job[] = {{7, 1, 1}};
  hc_draws draws = {.seed = 23, .purpose = HC_PURPOSE_TEST};
  char yaml[200];
  controller c;
  int64_t running = 0, sum = 0;
  tasks = one_job;
  (void)snprintf(
      yaml, sizeof yaml,
      "{use: refusal, window: 7, better: 0, absolute: 0, relative: 1, age: never, memory: operation, adapt: "
      "%s}",
      adapt);
  open_(&c, yaml, NULL);
  tell(&c, HC_TASK_EVENT_QUEUED, 0); /* a task always waits */
  for (int i = 0; i < STEPS + WARM; i++) {
    const int64_t x = 1 + (int64_t)hc_random_below(&draws, 1000000),
                  y = 1 + (int64_t)hc_random_below(&draws, 1000000);
    int64_t ended = 0;
    if (offer(&c, 0, x, y)) {
      tell(&c, HC_TASK_EVENT_ALLOCATED, 0);
      running++;
    }
    for (int64_t k = 0; k < running; k++) ended += hc_random_below(&draws, 80) == 0;
    for (int64_t k = 0; k < ended; k++) tell(&c, HC_TASK_EVENT_RELEASED, 0);
    running -= ended;
    if (i >= WARM) sum += running + ended; /* before the ends of the step: what p / q counts */
  }
  close_(&c);
  tasks = NULL;
  return (double)sum / STEPS;
}

static void what_runs_is_held_by_a_k_that_adapts(void **state)
{
  const double plain = mean_running("0"), adapted = mean_running("1");
  (void)state;
  if (!(plain > 9 && plain < 11)) fail_msg("%.3f run on average, expected 10", plain);
  if (!(adapted > 40 && adapted < 81)) fail_msg("%.3f run on average with a k that adapts", adapted);
}

/* Without tolerances an offer is taken with probability (k + 1) / (n + 1), in either form and for any k:
 * 3,000 answers each, n + 1 offers apart so that they are independent; four standard deviations (a chance of
 * 6e-5 each). */
static void acceptance_is_k_and_1_of_n_and_1(void **state)
{
  hc_draws draws = {.seed = 11, .purpose = HC_PURPOSE_TEST};
  enum { N = 7, ASKED = 3000 };
  (void)state;
  for (int k = 0; k <= N; k += N > k + 3 ? 3 : 1) {
    const double p = (k + 1.0) / (N + 1), deviation = hc_sqrt(p * (1 - p) * ASKED);
    char yaml[160];
    controller c;
    int taken = 0;
    (void)snprintf(
        yaml, sizeof yaml,
        "{use: refusal, window: 7, better: %d, rule: ytsaurus, absolute: 0, relative: 1, age: never, memory: "
        "operation}",
        k + 1);
    open_(&c, yaml, NULL);
    for (int i = 0; i < ASKED * (N + 1); i++) {
      const int64_t x = 1 + (int64_t)hc_random_below(&draws, 1000000),
                    y = 1 + (int64_t)hc_random_below(&draws, 1000000);
      const int64_t free[] = {x, y};
      const hc_offer o = offer_of(0, 0, 0, free, 0);
      if (i % (N + 1) == N) taken += c.type->accepts(c.self, &o);
      else assert_int_equal(c.type->noted(c.self, &o, false), 0);
    }
    if (!((double)taken >= p * ASKED - 4 * deviation - 1e-9 &&
          (double)taken <= p * ASKED + 4 * deviation + 1e-9))
      fail_msg("k %d: %d of %d were taken, expected %.1f +- %.1f", k, taken, ASKED, p * ASKED, 4 * deviation);
    close_(&c);
  }
}

/* ---- locality ---- */

enum { RACKS = 10, PER_RACK = 4, HOSTS = RACKS * PER_RACK };
static uint32_t zone_of[HOSTS], class_of[HOSTS];
static const hc_zone_level racks = {.name = "rack", .zone_of = zone_of, .zone_count = RACKS};
static const hc_cell_spec cluster = {
    .granularity = HC_CELL_HOSTS, .units = HOSTS, .class_of = class_of, .levels = &racks, .level_count = 1};

static void make_racks(void)
{
  for (uint32_t h = 0; h < HOSTS; h++) zone_of[h] = h / PER_RACK;
}

static hc_offer host_offer(hc_task t, uint32_t host, hc_time now)
{
  static const int64_t free[] = {10, 10};
  return offer_of(t, 0, host, free, now);
}

/* 0: a copy is on the host, 1: in its rack, 2: neither; by what it lets a task run there. */
static int level(controller *c, hc_task t, uint32_t host)
{
  const hc_offer o = host_offer(t, host, 0);
  const double x = c->type->pace(c->self, &o);
  return x == 1 ? 0 : x == 2 ? 1 : 2;
}

/* Three copies: the first anywhere, the second in another rack, the third there too: so of every task 3 hosts
 * are local, in two racks, 1 and 2 of them; 5 are rack-local. The rack of the single copy is uniform: 2,000
 * tasks over 10 racks are 200 each, a deviation of 13.4, four of which are allowed. */
static void copies_lie_in_two_racks(void **state)
{
  int single[RACKS] = {0};
  controller c;
  (void)state;
  make_racks();
  open_(&c, "{use: locality, rack_factor: 2, any_factor: 4}", &cluster);
  for (hc_task t = 0; t < 2000; t++) {
    int in_rack[RACKS] = {0}, local = 0, rack_local = 0, found_single = 0, found_pair = 0;
    for (uint32_t h = 0; h < HOSTS; h++) {
      const int l = level(&c, t, h);
      local += l == 0;
      rack_local += l == 1;
      in_rack[h / PER_RACK] += l == 0;
    }
    for (int r = 0; r < RACKS; r++) {
      found_single += in_rack[r] == 1;
      found_pair += in_rack[r] == 2;
      single[r] += in_rack[r] == 1;
    }
    assert_true(local == 3 && rack_local == 5 && found_single == 1 && found_pair == 1);
  }
  for (int r = 0; r < RACKS; r++)
    if (single[r] < 200 - 54 || single[r] > 200 + 54)
      fail_msg("rack %d has the first copy of %d tasks", r, single[r]);
  close_(&c);
  open_(&c, "{use: locality, replicas: 64, any_factor: 4}", &cluster); /* more copies than hosts */
  for (uint32_t h = 0; h < HOSTS; h++) assert_int_equal(level(&c, 1, h), 0);
  close_(&c);
}

/* A job whose data is drawn once has the same hosts for all of its tasks; tasks of their own have not. */
static void a_job_may_have_one_file(void **state)
{
  static const task two[] = {{7, 1, 1}, {7, 1, 1}};
  controller c;
  int differ = 0;
  (void)state;
  tasks = two;
  open_(&c, "{use: locality, data: job, any_factor: 4, rack_factor: 2}", &cluster);
  for (uint32_t h = 0; h < HOSTS; h++) assert_int_equal(level(&c, 0, h), level(&c, 1, h));
  close_(&c);
  open_(&c, "{use: locality, any_factor: 4, rack_factor: 2}", &cluster);
  for (uint32_t h = 0; h < HOSTS; h++) differ += level(&c, 0, h) != level(&c, 1, h);
  assert_true(differ > 0);
  close_(&c);
  tasks = NULL;
}

/* Offers of hosts drawn alike, of which a share p = 4 / 40 is local, to tasks that are jobs of their own. D1
 * = D2 = 0 of racks: after D skipped offers anything is taken. The paper: the wait is in vain with
 * probability (1 - p)^D, so locality is 1 - (1 - p)^D by waiting; the offer that is taken then is local with
 * probability p once more: 1 - (1 - p)^(D + 1) of starts. And skipped are sum of (1 - p)^i, i = 1 ... D,
 * offers a start. 4,000 starts, four standard deviations. */
static void waiting_gains_what_the_paper_says(void **state)
{
  enum { STARTS = 4000 };
  (void)state;
  make_racks();
  for (int d = 0; d <= 12; d += 6) {
    hc_draws draws = {.seed = 3, .purpose = HC_PURPOSE_TEST};
    double vain = 1, skips = 0, p = 0.1, local, in_vain = 0, deviation, share;
    char yaml[160];
    controller c;
    (void)snprintf(yaml, sizeof yaml,
                   "{use: locality, replicas: 4, delay: offers, rack_offers: %d, any_offers: 0}", d);
    open_(&c, yaml, &cluster);
    for (hc_task t = 0; t < STARTS; t++) {
      int skipped = 0;
      bool taken = false;
      tell(&c, HC_TASK_EVENT_QUEUED, t);
      while (!taken) {
        const hc_offer o = host_offer(t, (uint32_t)hc_random_below(&draws, HOSTS), 0);
        taken = c.type->accepts(c.self, &o);
        assert_int_equal(c.type->noted(c.self, &o, taken), 0);
        skipped += !taken;
      }
      assert_true(skipped <= d);
      in_vain += skipped == d;
      tell(&c, HC_TASK_EVENT_ALLOCATED, t);
      tell(&c, HC_TASK_EVENT_DEQUEUED, t);
      tell(&c, HC_TASK_EVENT_RELEASED, t);
    }
    for (int i = 0; i < d; i++) {
      vain *= 1 - p;
      skips += vain;
    }
    deviation = hc_sqrt(vain * (1 - vain) * STARTS);
    if (!(in_vain >= vain * STARTS - 4 * deviation && in_vain <= vain * STARTS + 4 * deviation))
      fail_msg("D %d: %.0f of %d waited in vain, expected %.1f +- %.1f", d, in_vain, STARTS, vain * STARTS,
               4 * deviation);
    local = 1 - vain * (1 - p);
    share = figure(&c, "local_starts");
    deviation = hc_sqrt(local * (1 - local) / STARTS);
    if (!(share >= local - 4 * deviation && share <= local + 4 * deviation))
      fail_msg("D %d: %.4f are local, expected %.4f +- %.4f", d, share, local, 4 * deviation);
    assert_true(figure(&c, "locality_skipped") >= 0.9 * skips * STARTS &&
                figure(&c, "locality_skipped") <= 1.1 * skips * STARTS);
    close_(&c);
  }
}

/* By hand, with D1 = 1 and D2 = 2, one copy a task. L, R, X: offers of a local, a rack-local and a remote
 * host.
 *   X skipped (1); R taken, since 1 was skipped: level 1.  R taken at once.  X skipped (1), X skipped (2), X
 *   taken: level
 *   2.  X taken at once.  L taken: level 0.  R skipped (1), X skipped (2), X skipped (3), X taken. */
static void levels_rise_and_fall(void **state)
{
  static const task one_job[] = {{7, 1, 1}};
  static const char offers[] = "XRRXXXXLRXXX", taken[] = "011001110001";
  controller c;
  uint32_t of[3] = {HC_NO_HOST, HC_NO_HOST, HC_NO_HOST};
  (void)state;
  make_racks();
  tasks = one_job;
  open_(&c,
        "{use: locality, replicas: 1, delay: offers, rack_offers: 1, any_offers: 2, rack_factor: 2, "
        "any_factor: 4}",
        &cluster);
  for (uint32_t h = 0; h < HOSTS; h++) of[level(&c, 0, h)] = h;
  tell(&c, HC_TASK_EVENT_QUEUED, 0);
  for (size_t i = 0; offers[i]; i++) {
    const uint32_t host = of[offers[i] == 'L' ? 0 : offers[i] == 'R' ? 1 : 2];
    const hc_offer o = host_offer(0, host, (hc_time)i * HC_SECOND);
    const bool said = c.type->accepts(c.self, &o);
    assert_int_equal(c.type->noted(c.self, &o, said), 0);
    if (said != (taken[i] == '1')) fail_msg("offer %zu (%c): %s", i, offers[i], said ? "taken" : "skipped");
  }
  assert_true(figure(&c, "local_starts") == 1.0 / 6 && figure(&c, "rack_local_starts") == 2.0 / 6);
  assert_true(figure(&c, "remote_starts") == 3.0 / 6 && figure(&c, "locality_skipped") == 6);
  assert_true(figure(&c, "locality_wait_mean") == (1 + 2 + 3) / 6.0); /* from 0 to 1, 3 to 5, 8 to 11 s */
  close_(&c);
  /* By time: W1 = 10 s, W2 = 20 s from the first offer that was skipped. */
  open_(&c, "{use: locality, replicas: 1, rack_wait: 10s, any_wait: 20s, rack_factor: 2, any_factor: 4}",
        &cluster);
  tell(&c, HC_TASK_EVENT_QUEUED, 0);
  for (int i = 0; i < 8; i++) {
    static const int at[] = {100, 109, 110, 129, 130, 130, 131, 132};
    static const int which_host[] = {1, 1, 1, 2, 2, 2, 0, 1};
    static const bool expected[] = {false, false, true, false, false, false, true, false};
    /* 110: R after 10 s. 129: X skipped anew, at level 1. 130, W2 from 129 is far. 131: L. 132: R at level 0:
     * skipped. */
    const hc_offer o = host_offer(0, of[which_host[i]], at[i] * HC_SECOND);
    const bool said = c.type->accepts(c.self, &o);
    assert_int_equal(c.type->noted(c.self, &o, said), 0);
    if (said != expected[i])
      fail_msg("at %d s host %d: %s", at[i], which_host[i], said ? "taken" : "skipped");
  }
  close_(&c);
  tasks = NULL;
}

static void where_it_makes_no_sense_it_is_refused(void **state)
{
  static const hc_cell_spec counted = {.granularity = HC_CELL_COUNT, .units = 4};
  controller c;
  (void)state;
  assert_int_equal(try_open(&c, hc_default_allocator(), "locality", &counted, 5), HC_EUNSUPPORTED);
  close_(&c);
  assert_int_equal(try_open(&c, hc_default_allocator(), "{use: locality, zone: row}", &cluster, 5),
                   HC_EUSAGE);
  assert_non_null(strstr(c.e.text, "no level of zones \"row\""));
  close_(&c);
  assert_int_equal(try_open(&c, hc_default_allocator(), "all_of", &cluster, 5), HC_EUSAGE);
  assert_non_null(strstr(c.e.text, "there is no accept component in it"));
  close_(&c);
}

/* ---- together ---- */

/* A host must be local and pack well. What locality refuses packing does not remember: after a good offer on
 * a remote host a bad one on a local host is taken; after a good one on a local host it is not. */
static void both_must_accept(void **state)
{
  static const task one_job[] = {{7, 1, 1}};
  static const int64_t good[] = {10, 10}, bad[] = {10, 1};
  controller c;
  uint32_t local = HC_NO_HOST, remote = HC_NO_HOST;
  (void)state;
  make_racks();
  tasks = one_job;
  open_(
      &c,
      "{use: all_of, of: [{use: locality, rack_wait: never, any_wait: never, any_factor: 4, rack_factor: 2}, "
      "{use: refusal, metric: angle, better: 0, age: never, memory: operation}, always]}",
      &cluster);
  for (uint32_t h = 0; h < HOSTS; h++) {
    if (level(&c, 0, h) == 0) local = h;
    if (level(&c, 0, h) == 2) remote = h;
  }
  tell(&c, HC_TASK_EVENT_QUEUED, 0);
  for (int i = 0; i < 4; i++) {
    const bool is_local = i > 0;
    const hc_offer o = offer_of(0, 0, is_local ? local : remote, i == 1 || i == 3 ? bad : good, i);
    const bool said = c.type->accepts(c.self, &o);
    assert_int_equal(c.type->noted(c.self, &o, said), 0);
    assert_int_equal(said, i == 1 || i == 2); /* remote; bad, but nothing better is known; good; bad */
  }
  assert_true(figure(&c, "locality_skipped") == 1 && figure(&c, "offers_refused") == 1);
  assert_true(figure(&c, "offers_taken") == 2 && figure(&c, "local_starts") == 1);
  close_(&c);
  tasks = NULL;
}

/* ---- memory ---- */

typedef struct failing {
  uint64_t left;
  int64_t live;
} failing;

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  failing *f = ctx;
  void *q;
  (void)old_size;
  if (new_size == 0) {
    f->live -= p != NULL;
    free(p);
    return NULL;
  }
  if (f->left == 0) return NULL;
  f->left--;
  q = realloc(p, new_size);
  f->live += p == NULL;
  return q;
}

static hc_rc some_life(controller *c)
{
  for (hc_task t = 0; t < 20; t++) {
    const hc_offer o = host_offer(t, t % HOSTS, t);
    TRY(c->type->on_task_event(c->self, NULL, HC_TASK_EVENT_QUEUED, t, 0));
    TRY(c->type->noted(c->self, &o, t % 3 == 0));
  }
  return 0;
}

static void running_out_of_memory_is_an_error(void **state)
{
  uint64_t n = 0;
  (void)state;
  make_racks();
  for (;; n++) {
    failing f = {.left = n};
    const hc_allocator a = {.ctx = &f, .resize = failing_resize};
    controller c;
    hc_rc rc = try_open(
        &c, &a, "{use: all_of, of: [locality, {use: refusal, memory: operation, never: \"user > 5\"}]}",
        &cluster, 5);
    if (rc >= 0) rc = some_life(&c);
    close_(&c);
    assert_int_equal(f.live, 0);
    if (rc == 0) break;
    if (rc != HC_ENOMEM) fail_msg("allocation %llu: %d %s", (unsigned long long)n, rc, c.e.text);
  }
  assert_true(n > 8);
}

int main(void)
{
  const struct CMUnitTest tests_[] = {
      cmocka_unit_test(the_rules_are_one_apart),
      cmocka_unit_test(the_first_are_seen_or_remembered),
      cmocka_unit_test(what_is_remembered),
      cmocka_unit_test(each_operation_remembers_for_itself),
      cmocka_unit_test(some_never_refuse),
      cmocka_unit_test(k_follows_what_was_lost),
      cmocka_unit_test(what_runs_is_held_by_a_k_that_adapts),
      cmocka_unit_test(acceptance_is_k_and_1_of_n_and_1),
      cmocka_unit_test(copies_lie_in_two_racks),
      cmocka_unit_test(a_job_may_have_one_file),
      cmocka_unit_test(waiting_gains_what_the_paper_says),
      cmocka_unit_test(levels_rise_and_fall),
      cmocka_unit_test(where_it_makes_no_sense_it_is_refused),
      cmocka_unit_test(both_must_accept),
      cmocka_unit_test(running_out_of_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests_, NULL, NULL);
}
