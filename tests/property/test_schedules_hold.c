/* test_schedules_hold.c -- random workloads under random configurations: what every schedule must keep, it
 * keeps.
 *
 *   - hc_verify of the stored records holds, with the promise that the configuration makes
 *   - on a cell whose processors have names no task's are another's, and contiguous ones are one range
 *   - both event queues give one history
 *   - with exact limits conservative is slack with factor 0, and its replanning makes no difference
 *
 * A failure prints the seed and the configuration; the seed makes both again. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "engine/state.h"
#include "hindcast/verify.h"
#include "sample.h"

#define TASKS 120
#define SEEDS 120

/* ---- workloads ---- */

typedef struct workload {
  int64_t procs;
  bool exact; /* limits are run times */
  job jobs[TASKS];
} workload;

static uint64_t below(hc_draws *d, uint64_t n)
{
  return hc_random_below(d, n);
}

static int64_t limit_of(hc_draws *d, int64_t run)
{
  switch (below(d, 4)) {
    case 0: return run;
    case 1: return 1 + (int64_t)below(d, (uint64_t)run + 1); /* too short, mostly */
    default: return run + (int64_t)below(d, 100);
  }
}

static void make_workload(workload *w, hc_draws *d)
{
  static const int64_t sizes[] = {4, 13, 64};
  uint64_t pause = 1 + below(d, 40), length = 1 + below(d, 120);
  int64_t submit = 0;
  w->procs = sizes[below(d, 3)];
  w->exact = below(d, 3) == 0;
  for (int64_t i = 0; i < TASKS; i++) {
    int64_t run = (int64_t)below(d, length), units = 1 + (int64_t)below(d, (uint64_t)w->procs);
    if (w->exact || below(d, 8) > 0) run++; /* a task of no length has no limit, and so a guess */
    if (below(d, 3) > 0) units = 1 + units / 4;
    submit += below(d, 3) ? (int64_t)below(d, pause) : 0;
    w->jobs[i] = (job)J(i + 1, submit, run, units, w->exact ? run : limit_of(d, run));
    w->jobs[i].limit = HC_MAX(w->jobs[i].limit, 1);
  }
}

/* ---- configurations ---- */

#define PICK(d, words) ((words)[below(d, COUNT(words))])

typedef struct setting {
  char yaml[512];
  hc_promise promise;
  bool named, contiguous;
} setting;

/* A selector, and what it promises in the order of arrival, decided once an instant. */
static hc_promise select_of(hc_draws *d, char *out, size_t size, bool exact, bool contiguous)
{
  static const char *const yes[] = {"true", "false"}, *const windows[] = {"inclusive", "strict"};
  static const char *const replans[] = {"compress", "none", "full", "always"};
  static const char *const candidates[] = {"", ", candidates: sjf", ", candidates: largest"};
  uint64_t kind = below(d, contiguous ? 3 : 5), replan = below(d, 4), sticky = below(d, 4),
           relaxed = below(d, 4);
  switch (kind) {
    case 0: (void)snprintf(out, size, "blocking"); return HC_PROMISE_FCFS;
    case 1: (void)snprintf(out, size, "scan"); return HC_PROMISE_NONE;
    case 2: {
      const char *protect = below(d, 4) == 0 ? "false" : "true";
      (void)snprintf(out, size,
                     "{use: easy, depth: %d, window: %s, extra: %s, sticky: %s, relax: %s, protect: %s%s}",
                     (int)below(d, 4), PICK(d, windows), PICK(d, yes), sticky == 0 ? "true" : "false",
                     relaxed == 0 ? "0.7" : "0", protect, PICK(d, candidates));
      return sticky == 0 || relaxed == 0 || *protect == 'f' ? HC_PROMISE_NONE : HC_PROMISE_EASY;
    }
    case 3:
      (void)snprintf(out, size, "{use: conservative, replan: %s}", replans[replan]);
      return exact || replan < 2 ? HC_PROMISE_CONSERVATIVE : HC_PROMISE_NONE;
    default:
      (void)snprintf(out, size, "{use: slack, factor: %s}", below(d, 2) ? "0.5" : "10");
      return HC_PROMISE_NONE;
  }
}

static void make_setting(setting *s, hc_draws *d, bool exact)
{
  static const char *const orders[] = {
#define HC_ORDER(name) #name,
#include "policy/orders.def"
#undef HC_ORDER
  };
  static const char *const places[] = {"first_fit", "best_fit", "contiguous", "random"};
  static const char *const overruns[] = {"kill", "kill", "run_on", "extend", "kill_planned_long"};
  static const char *const calls[] = {"instant", "instant", "instant", "per_event", "[instant, period]"};
  const char *known = below(d, 3) ? "fcfs" : PICK(d, orders),
             *order = strcmp(known, "expr") == 0 ? "{use: expr, key: wait / procs}" : known,
             *place = PICK(d, places), *overrun = PICK(d, overruns), *call = PICK(d, calls);
  char select[256];
  s->named = below(d, 2) == 0;
  s->contiguous = strcmp(place, "contiguous") == 0;
  s->promise = select_of(d, select, sizeof select, exact, s->contiguous);
  if (strcmp(order, "fcfs") != 0 || strcmp(call, "instant") != 0) s->promise = HC_PROMISE_NONE;
  if (s->contiguous && s->promise != HC_PROMISE_FCFS)
    s->promise = HC_PROMISE_NONE; /* it is counted, not placed */
  (void)snprintf(
      s->yaml, sizeof s->yaml,
      "policy: {order: %s, select: %s, place: %s}\noverrun: %s\ncell: {use: auto, granularity: %s}\n"
      "architecture: {use: monolithic, call: %s, period: 7s}\nevent_queue: %s\ninstant_order: %s\nseed: "
      "%d\nparanoid: true\n",
      order, select, place, overrun, s->named ? "intervals" : "count", call, below(d, 2) ? "heap" : "radix",
      below(d, 2) ? "ends_first" : "arrivals_first", 1 + (int)below(d, 9));
}

/* ---- what must hold ---- */

/* Walk what every running task holds: all of it its own, as much as it needs, and free ones make up the
 * rest. */
static void assert_places(const hc_run *r, const setting *s, uint64_t seed)
{
  const hc_engine *e = &r->engine;
  unsigned char taken[64] = {0};
  int64_t free = 0;
  if (e->cell.granularity != HC_CELL_INTERVALS) return;
  for (size_t i = 0; i < e->tasks.count; i++) {
    const hc_live *t = &e->tasks.live[i];
    int64_t units = 0, ranges = 0;
    if (t->state != HC_TASK_RUNNING) continue;
    for (uint32_t at = t->held; at != HC_NO_GRANT; at = e->tasks.held[at].next, ranges++) {
      const hc_held h = e->tasks.held[at];
      units += h.slots;
      for (uint32_t k = h.host; k < h.host + h.slots; k++)
        if (k >= e->cell.capacity || taken[k]++)
          fail_msg("seed %" PRIu64 ": processor %u is held twice\n%s", seed, k, s->yaml);
    }
    if (units != t->units || (s->contiguous && ranges != 1))
      fail_msg("seed %" PRIu64 ": task %" PRIu64 " holds %" PRId64 " of %u in %" PRId64 " ranges\n%s", seed,
               t->serial, units, t->units, ranges, s->yaml);
  }
  for (size_t i = 0; i < e->cell.ids.count; i++) free += e->cell.ids.ranges[i].count;
  assert_true(free == e->cell.free);
}

typedef struct heard {
  uint64_t seed;
  const char *yaml;
} heard;

static void hear(void *ctx, const hc_violation *v)
{
  const heard *h = ctx;
  print_error("seed %" PRIu64 ": %s at %" PRId64 " s, task %" PRId64 ": %s\n%s\n", h->seed, v->rule,
              v->at / HC_SECOND, v->id, v->text, h->yaml);
}

static void assert_verified(const bench *b, const workload *w, const setting *s, uint64_t seed)
{
  hc_verify_options o = {.capacity = w->procs, .promise = s->promise, .honours_run = true};
  heard h = {seed, s->yaml};
  hc_verify_report report;
  assert_int_equal(b->count, TASKS);
  assert_int_equal(hc_verify(hc_default_allocator(), &o, b->records, b->count, hear, &h, &report), 0);
}

static void test_schedules_hold(void **state)
{
  int promises[4] = {0};
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, SEEDS / 4); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST};
    workload w;
    make_workload(&w, &d);
    for (int k = 0; k < 4; k++) {
      setting s;
      bench b;
      hc_rc rc;
      make_setting(&s, &d, w.exact);
      begin(&b, s.yaml, w.procs, w.jobs, TASKS, NULL);
      while ((rc = hc_run_advance(b.run, HC_NEVER, 1, &b.error)) == 1) assert_places(b.run, &s, seed);
      if (rc < 0) fail_msg("seed %" PRIu64 ": %s\n%s", seed, b.error.text, s.yaml);
      finish(&b);
      assert_verified(&b, &w, &s, seed);
      promises[s.promise]++;
      end(&b);
    }
  }
  for (int i = 0; i < 4; i++) assert_true(promises[i] >= (int)hc_test_cases(5, 1)); /* each was tested */
}

/* ---- runs that must be the same ---- */

static void schedule(bench *b, const char *yaml, const workload *w)
{
  begin(b, yaml, w->procs, w->jobs, TASKS, NULL);
  finish(b);
}

static void assert_same(const char *one, const char *other, const workload *w, uint64_t seed)
{
  static bench a, b; /* too large for a stack */
  schedule(&a, one, w);
  schedule(&b, other, w);
  assert_int_equal(a.count, b.count);
  for (size_t i = 0; i < a.count; i++)
    if (memcmp(&a.records[i], &b.records[i], sizeof a.records[i]) != 0)
      fail_msg("seed %" PRIu64 ": record %zu (task %" PRId64 " starts at %" PRId64 " s, task %" PRId64
               " at %" PRId64 " s)\n%s\n%s",
               seed, i, a.records[i].id, a.records[i].start / HC_SECOND, b.records[i].id,
               b.records[i].start / HC_SECOND, one, other);
  end(&a);
  end(&b);
}

static void test_queues_agree(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS / 2, SEEDS / 8); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 1};
    char heap[600], radix[600];
    workload w;
    setting s;
    make_workload(&w, &d);
    make_setting(&s, &d, w.exact);
    *strstr(s.yaml, "event_queue") = '#';
    (void)snprintf(heap, sizeof heap, "%sevent_queue: heap\n", s.yaml);
    (void)snprintf(radix, sizeof radix, "%sevent_queue: radix\n", s.yaml);
    assert_same(heap, radix, &w, seed);
  }
}

static void test_conservative_is_slack_without_slack(void **state)
{
  static const char *const same[] = {"policy: {select: {use: conservative, replan: compress}}\n",
                                     "policy: {select: {use: conservative, replan: none}}\n",
                                     "policy: {select: {use: conservative, replan: always}}\n",
                                     "policy: {select: {use: slack, factor: 0, depth: 1000}}\n"};
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS / 4, SEEDS / 12); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 2};
    workload w;
    do make_workload(&w, &d);
    while (!w.exact);
    for (size_t i = 0; i < COUNT(same); i++) assert_same("policy: conservative\n", same[i], &w, seed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schedules_hold),
      cmocka_unit_test(test_queues_agree),
      cmocka_unit_test(test_conservative_is_slack_without_slack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
