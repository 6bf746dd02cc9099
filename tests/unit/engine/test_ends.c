/* test_ends.c -- how what tasks do comes to its end, through whole runs: waits that last no longer than a
 * time, activities of each kind that are cancelled at any moment, hosts that are lost in the middle of a
 * pattern, delays as long as their limit; and profiles that have a stack of their own, and what that refuses.
 * */
#include "tasks_test.h"

#include "base/math.h"
#include "base/mem.h"
#include "hindcast/profile.h"

#define CELL "cell: {use: hosts, classes: [{name_prefix: c, count: 8, cpus: 4}]}\n"
#define EXECUTION(network) \
  "execution: {use: activities, cpu_speed: 1, network: " network ", " \
  "disks: [{read_bandwidth: 100, write_bandwidth: 50}, {hosts: 'c-[1-7]', at: c-0, mount: /far, " \
  "read_bandwidth: 100, write_bandwidth: 100, files: [in=1000000]}]}\n"
#define STAR EXECUTION("{use: star, bandwidth: 100}")
static const hc_component *const own_profiles[16];
static const setting here = {.cell = CELL, .execution = STAR, .extra = own_profiles};

typedef struct ends {
  double start, end;
} ends;

/* Task i + 1 runs from start to end, s, and has not completed where `end` has a sign. */
static void assert_runs(const char *tasks, const char *yaml, bool in_pieces, size_t count, const ends *x)
{
  for (int pieces = 0; pieces < (in_pieces ? 2 : 1); pieces++) {
    char file[64];
    bench b;
    check(&b, try_tasks(&b, file, tasks, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      const bool fails = __builtin_signbit(x[i].end);
      const double off = (double)r->end - (fails ? -x[i].end : x[i].end) * 1e9,
                   late = (double)r->start - x[i].start * 1e9;
      if (off < -20 || off > 20 || late < -20 || late > 20 || fails != (r->final != HC_FINAL_COMPLETED))
        fail_msg("%s%s: task %zu runs from %.9f to %.9f, state %d", tasks, yaml, i + 1,
                 (double)r->start / 1e9, (double)r->end / 1e9, (int)r->final);
    }
    end(&b);
    (void)unlink(file);
  }
}
#define RUNS(tasks, yaml, ...) \
  assert_runs(tasks, yaml, true, COUNT(((const ends[]){__VA_ARGS__})), (const ends[]){__VA_ARGS__})

typedef struct none {
  int64_t unused;
} none;

#define OWN(function, ...) \
  static const hc_profile_type own_##function = { \
      .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = #function, \
                    .summary = "of the test", .options_size = sizeof(none)}, \
      __VA_ARGS__}

/* ---- V49: two waits with time-outs ---- */

/* It waits for what does not come, or comes at 5. */
static hc_rc wait_for(hc_profile *p, hc_time most, hc_time event)
{
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_sleep(p, event, 1);
  HC_WAIT_ANY_FOR(p, most);
  assert_true(p->timed_out == (event > most));
  HC_PROFILE_END(p);
}

static hc_rc ten(hc_profile *p)
{
  return wait_for(p, 10 * HC_SECOND, HC_NEVER);
}
static hc_rc eleven(hc_profile *p)
{
  return wait_for(p, 11 * HC_SECOND, HC_NEVER);
}
static hc_rc five(hc_profile *p)
{
  return wait_for(p, 10 * HC_SECOND, 5 * HC_SECOND);
}
OWN(ten, .state_size = 8, .resume = ten);
OWN(eleven, .state_size = 8, .resume = eleven);
OWN(five, .state_size = 8, .resume = five);

typedef struct parts {
  hc_list parts;
} parts;

/* Whichever of its parts ends first, with which the others go. */
static hc_rc first(hc_profile *p)
{
  const parts *o = p->options;
  const hc_chosen *items = o->parts.items;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < o->parts.count; i++) (void)hc_profile_start(p, &items[i], i);
  HC_WAIT_ANY(p);
  HC_PROFILE_END(p);
}
static const hc_param parts_params[] = {HC_PARAM(COMPONENTS, parts, parts, HC_KIND_PROFILE, NULL, "What."),
                                        {0}};
static const hc_profile_type own_first = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "first",
                  .summary = "of the test", .params = parts_params, .options_size = sizeof(parts)},
    .resume = first};

/* What is due at one time comes in the order in which it began, whatever it is. */
static hc_rc order(hc_profile *p)
{
  uint64_t *told = p->state;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < 8; i++)
    (void)(i % 2 ? hc_profile_compute(p, i % p->processes, 5, i) : hc_profile_sleep(p, 5 * HC_SECOND, i));
  for (; *told < 8; ++*told) {
    HC_WAIT_ANY(p);
    assert_int_equal(p->ended.tag, *told);
    assert_int_equal(p->calls->now(p), 5 * HC_SECOND);
  }
  HC_PROFILE_END(p);
}
OWN(order, .state_size = 8, .resume = order);

static void test_waits(void **state)
{
  (void)state;
  RUNS(ON(1, 0, 1, 1, "{first: [ten, eleven]}"), "", {0, 10});
  RUNS(ON(1, 0, 1, 1, "{first: [eleven, ten]}"), "", {0, 10});
  RUNS(ON(1, 0, 1, 1, "{first: [five, eleven]}"), "", {0, 5});
  RUNS(ON(1, 0, 8, 1, "order"), "", {0, 5});
}

/* ---- cancelled at any moment ---- */

enum { KINDS = 11 };

/* One of each kind of activity, on two processes of which the first is not on c-0. */
static hc_act begin_one(hc_profile *p, uint32_t kind)
{
  static const double work[2] = {1e6, 1e6}, bytes[4] = {0, 1e6, 1e6, 0};
  const hc_io writes = {.bytes = 1e6, .is_write = true};
  switch (kind) {
    case 0: return hc_profile_sleep(p, 1000000 * HC_SECOND, kind);
    case 1: return hc_profile_compute(p, 0, 1e6, kind);
    case 2: return hc_profile_transfer(p, 0, 1, 1e6, kind);
    case 3: return p->calls->receive(p, 7, 0, 1e6, kind);
    case 4: return p->calls->together(p, work, bytes, kind);
    case 5: return p->calls->alike(p, 1, 1e6, kind);
    case 6: return p->calls->read(p, 1, 1e6, kind);
    case 7: return p->calls->io(p, 0, &writes, kind);
    case 8: return p->calls->file(p, 0, &(hc_file_io){.path = "/far/in", .bytes = -1}, kind);
    case 9:
      return p->calls->file(p, 1, &(hc_file_io){.path = "/far/", .bytes = 1e6, .does = HC_FILE_WRITES}, kind);
    default: return p->calls->exchange(p, "c-7", 1e6, 1e6, kind);
  }
}

typedef struct started {
  uint64_t round, act;
} started;

/* Each kind is begun beside a computation and a sleep of its own, and cancelled after so many ms; then both
 * are what they are alone: nothing of what was cancelled slows them, and nothing is told of it. */
static hc_rc cancels(hc_profile *p)
{
  started *s = p->state;
  HC_PROFILE_BEGIN(p);
  for (; s->round < 5 * KINDS; s->round++) {
    s->act = begin_one(p, (uint32_t)(s->round % KINDS));
    assert_true(s->act != HC_NO_ACT && p->active == 1);
    HC_WAIT_ANY_FOR(p, (hc_time)(s->round / KINDS) * 1700 * HC_MS);
    assert_true(p->timed_out);
    p->calls->cancel(p, s->act);
    p->calls->cancel(p, s->act); /* it is none any more */
    assert_int_equal(p->active, 0);
    s->act = (uint64_t)p->calls->now(p);
    (void)hc_profile_transfer(p, 0, 1, 100, 90);
    (void)hc_profile_compute(p, 0, 1, 91);
    (void)p->calls->read(p, 1, 100, 92);
    HC_WAIT_ALL(p);
    assert_int_equal(p->failures, 0);
    const hc_time took = p->calls->now(p) - (hc_time)s->act;
    if (took < HC_SECOND - 2 || took > HC_SECOND + 2)
      fail_msg("after kind %d: %" PRId64 " ns", (int)(s->round % KINDS), took);
  }
  HC_PROFILE_END(p);
}
OWN(cancels, .state_size = sizeof(started), .resume = cancels);

/* 11 kinds, five times each, after 0, 1.7, 3.4, 5.1 and 6.8 s, and a second behind each: 11 x 17 + 55 = 242.
 * A read of another task on a host of its own is not touched, nor does it touch. */
static void test_cancel(void **state)
{
  (void)state;
  RUNS("- {id: 1, submit_time: 0, hosts: [c-1, c-2], resources: {nodes_count: 2, cpu_per_node: 1}, profile: "
       "cancels}\n"
       "- {id: 2, submit_time: 0, hosts: c-4, resources: {nodes_count: 1, cpu_per_node: 1}, profile: "
       "{parallel: [{disk_ops: {read_size: 30000}}, {compute_homogeneous: 250}]}}\n",
       "", {0, 242}, {0, 300});
}

/* ---- a host is lost in the middle ---- */

#define RING(id, hosts, together) \
  "- {id: " #id ", submit_time: 0, hosts: [" hosts "], resources: {nodes_count: 4, cpu_per_node: 4}, " \
  "profile: {ring: {size: 1000, together: " together "}}}\n"
#define RINGS(together) RING(1, "c-0, c-1, c-2, c-3", together) RING(2, "c-4, c-5, c-6, c-7", together)
#define LOST(loss, changes) "host_loss: " loss "\nevents: {use: list, changes: [" changes "]}\n"

/* Two rings of four over a backbone of 80: eight flows of 10. At 40 the host c-1 goes, and with it all four
 * flows of the first: the other's have 20 each for their last 600: 70. Begun again at 50, when the host is
 * back, it has 10 of 80 for each flow while the other has 400 left, until 90, and then 20 for its last 600:
 * 120. The same where each ring is one activity. */
static void test_lost(void **state)
{
  const char *network = EXECUTION("{use: backbone, bandwidth: 100, backbone_bandwidth: 80}");
  (void)state;
  for (int together = 0; together < 2; together++) {
    char tasks[1024], yaml[1024];
    (void)snprintf(tasks, sizeof tasks, "%s", together ? RINGS("true") : RINGS("false"));
    (void)snprintf(yaml, sizeof yaml, "%s" LOST("lost", "{at: 40, hosts: c-1, change: down}"), network);
    RUNS(tasks, yaml, {0, -40}, {0, 70});
    (void)snprintf(yaml, sizeof yaml, "%s" LOST("requeue", "{at: 40, hosts: c-1, change: down, until: 50}"),
                   network);
    RUNS(tasks, yaml, {50, 120}, {0, 90});
  }
}

/* ---- as long as its limit ---- */

#define LIMITED(id, limit, profile) \
  "- {id: " #id ", submit_time: 0, resources: {nodes_count: 1, cpu_per_node: 1}, wall_time_limit: " #limit \
  ", profile: " profile "}\n"

/* What is done at its limit is done, but for a delay where delay_at_limit says so (Batsim): of one in a
 * sequence too, but not of a computation, or of a delay that is over before. */
static void test_limit(void **state)
{
  const char *tasks = LIMITED(1, 10, "{idle: 10}") LIMITED(2, 10, "{delay: 10}")
      LIMITED(3, 10, "{compute_homogeneous: 10}") LIMITED(4, 10, "{sequence: [{idle: 4}, {delay: 6}]}")
          LIMITED(5, 10, "{sequence: [{idle: 4}, {compute_homogeneous: 6}]}") LIMITED(6, 11, "{delay: 10}")
              LIMITED(7, 10, "{disk_ops: {read_size: 1000}}");
  const char *killed = "execution: {use: activities, cpu_speed: 1, delay_at_limit: killed, disks: "
                       "[{hosts: all, read_bandwidth: 1000, write_bandwidth: 1}]}\n";
  (void)state;
  RUNS(tasks,
       "execution: {use: activities, cpu_speed: 1, disks: [{read_bandwidth: 100, write_bandwidth: 1}]}\n",
       {0, 10}, {0, 10}, {0, 10}, {0, 10}, {0, 10}, {0, 10}, {0, 10});
  RUNS(tasks, killed, {0, -10}, {0, -10}, {0, 10}, {0, -10}, {0, 10}, {0, 10}, {0, 1});
}

/* ---- a stack of its own ---- */

/* It waits deep down: in each level it sleeps a second on the way in and computes 1 on the way out. */
static void descend(hc_profile *p, int depth)
{
  (void)hc_profile_sleep(p, HC_SECOND, 1);
  hc_fiber_wait_all(p);
  if (depth > 1) descend(p, depth - 1);
  (void)hc_profile_compute(p, 0, 1, 2);
  hc_fiber_wait_any(p);
  assert_true(p->ended.tag == 2 && p->ended.how == HC_ACT_OK);
}

static hc_rc deep(hc_profile *p)
{
  descend(p, 10);
  hc_fiber_wait_all(p); /* nothing goes on: at once */
  return HC_PROFILE_OK;
}
OWN(deep, .resume = deep, .stack_size = 64 << 10);

typedef struct times {
  int64_t rounds;
  hc_chosen part;
} times;

/* Options with expressions stay where they are, whatever else is called meanwhile; waits have limits. */
static hc_rc rounds(hc_profile *p)
{
  const times *o = p->options;
  for (int64_t i = 0; i < o->rounds; i++) {
    p->iteration = (uint64_t)i;
    const hc_act act = hc_profile_start(p, &o->part, 0);
    hc_fiber_wait_any_for(p, 3 * HC_SECOND);
    if (p->timed_out) p->calls->cancel(p, act);
    assert_int_equal(p->active, 0);
  }
  return p->failures > 0 ? HC_PROFILE_FAILED : HC_PROFILE_OK;
}
static const hc_param times_params[] = {HC_PARAM(INT, times, rounds, NULL, "1", 1, 100, "How often."),
                                        HC_PARAM(COMPONENT, times, part, HC_KIND_PROFILE, NULL, "What."),
                                        {0}};
static const hc_profile_type own_rounds = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "rounds",
                  .summary = "of the test", .params = times_params, .options_size = sizeof(times)},
    .resume = rounds,
    .stack_size = 32 << 10};

/* Waits by a call without a stack. */
static hc_rc confused(hc_profile *p)
{
  (void)hc_profile_sleep(p, HC_SECOND, 1);
  hc_fiber_wait_all(p);
  return HC_PROFILE_OK;
}
OWN(confused, .resume = confused);

static hc_rc gives_up(hc_profile *p)
{
  (void)hc_profile_sleep(p, 2 * HC_SECOND, 1);
  hc_fiber_wait_all(p);
  return HC_PROFILE_FAILED;
}
OWN(gives_up, .resume = gives_up, .stack_size = 1);

static const hc_component *const own_profiles[16] = {&own_ten.component,
                                                     &own_eleven.component,
                                                     &own_five.component,
                                                     &own_first.component,
                                                     &own_order.component,
                                                     &own_cancels.component,
                                                     &own_deep.component,
                                                     &own_rounds.component,
                                                     &own_confused.component,
                                                     &own_gives_up.component,
                                                     NULL};

/* Ten levels are 20 s with one core, 12.5 with four; beside others of its kind; in turns of 7 s with another;
 * its host lost in the middle, from where it begins anew. Rounds of 0, 1, 2 and 3 s, of which the last is
 * just over when the wait is. */
static void test_stack(void **state)
{
  static const ends all[] = {{0, 20}, {0, 20}, {0, 6}, {0, -2}, {0, 12}};
  static const ends turns[] = {{0, 19.5}, {7, 31.5}};
  static const ends again[] = {{7, 19.5}};
  (void)state;
  assert_runs(ON(1, 0, 1, 1, "deep") ON(2, 0, 2, 1, "{parallel: [deep, {idle: 7}]}")
                  ON(3, 0, 4, 1, "{rounds: {rounds: num_hosts, part: {idle: iteration}}}")
                      ON(4, 0, 1, 1, "gives_up")
                          ON(5, 0, 4, 1, "{rounds: {rounds: num_hosts, part: {idle: 3 + 2 * num_hosts}}}"),
              "", false, COUNT(all), all);
  assert_runs(ON(1, 0, 8, 4, "deep") ON(2, 0, 8, 4, "{idle: 19}"), "policy: {use: gang, quantum: 7s}\n",
              false, COUNT(turns), turns);
  assert_runs(
      "- {id: 1, submit_time: 0, hosts: c-2, resources: {nodes_count: 1, cpu_per_node: 4}, profile: deep}\n",
      LOST("requeue", "{at: 5, hosts: c-2, change: down, until: 7}"), false, 1, again);
}

/* While one goes on its run cannot be saved, forked or branched, and says which task's it is; its state is
 * hashed. When it is over the run is a value again. */
static void test_no_copy(void **state)
{
  const char *tasks = ON(17, 0, 1, 1, "{sequence: [{idle: 1}, deep, {idle: 5}]}");
  char file[64], digest[33];
  bench b;
  hc_snapshot s = {0};
  hc_run *fork = NULL;
  (void)state;
  check(&b, try_tasks(&b, file, tasks, ""));
  check(&b, hc_run_advance(b.run, 0, 0, &b.error));
  check(&b, hc_run_snapshot(b.run, &s, &b.error)); /* it has not begun */
  hc_snapshot_free(b.allocator, &s);
  check(&b, hc_run_advance(b.run, 10 * HC_SECOND, 0, &b.error));
  assert_int_equal(hc_run_snapshot(b.run, &s, &b.error), HC_EUNSUPPORTED);
  assert_non_null(strstr(b.error.text, "the profile deep of task 17 has a stack of its own"));
  b.error = (hc_error){0};
  assert_int_equal(hc_run_fork(b.run, b.config, b.store, &fork, &b.error), HC_EUNSUPPORTED);
  b.error = (hc_error){0};
  check(&b, hc_run_digest(b.run, digest, &b.error));
  check(&b, hc_run_advance(b.run, 22 * HC_SECOND, 0, &b.error));
  check(&b, hc_run_snapshot(b.run, &s, &b.error));
  hc_snapshot_free(b.allocator, &s);
  finish(&b);
  assert_int_equal(end_of(&b, 17), 26);
  end(&b);
  (void)unlink(file);
  check(&b, try_tasks(&b, file, ON(3, 0, 1, 1, "confused"), ""));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EINPUT);
  assert_non_null(strstr(b.error.text, "has no stack of its own"));
  end(&b);
  (void)unlink(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_waits), cmocka_unit_test(test_cancel),
                                     cmocka_unit_test(test_lost),  cmocka_unit_test(test_limit),
                                     cmocka_unit_test(test_stack), cmocka_unit_test(test_no_copy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
