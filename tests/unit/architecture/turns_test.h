/* turns_test.h -- runs of the policy `fair` on logs written here: when tasks start, whose they are, and in
 * which order. */
#ifndef HC_TESTS_TURNS_TEST_H
#define HC_TESTS_TURNS_TEST_H

#include "../engine/engine_test.h"
#include "hindcast/policy.h"
#include "hindcast/run.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, cpu: cpu, memory: mem, memory_unit: 1GB, " \
  "memory_of: task, user: user}\nmetrics: [tasks]\nparanoid: true\n"
#define TITLES "id,at,run,cpu,mem,user\n"

/* Tasks are numbered from 1. */
static void assert_text_starts(const char *yaml, const char *tasks, const int64_t *starts, size_t count)
{
  bench b;
  check(&b, try_text_with(&b, yaml, tasks, NULL));
  finish(&b);
  assert_int_equal(b.count, count);
  for (size_t i = 0; i < count; i++)
    if (start_of(&b, (int64_t)i + 1) != starts[i])
      fail_msg("%s\ntask %zu starts at %" PRId64 ", should at %" PRId64, yaml, i + 1,
               start_of(&b, (int64_t)i + 1), starts[i]);
  end(&b);
}
#define STARTS(yaml, tasks, ...) \
  assert_text_starts(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

extern const hc_policy_type hc_policy_fair;

/* `fair`, and who started in which order. */
static int64_t turns[64];
static size_t turn_count;
static const hc_services *spied;

static hc_rc spy_init(const hc_policy_context *c, const void *o, hc_policy **out, hc_error *e)
{
  spied = c->services;
  turn_count = 0;
  return hc_policy_fair.init(c, o, out, e);
}

static hc_rc spy_on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                               const int64_t *amounts)
{
  if (what == HC_TASK_EVENT_ALLOCATED && turn_count < COUNT(turns)) turns[turn_count++] = spied->user(v, t);
  return hc_policy_fair.on_task_event(self, v, what, t, amounts);
}

/* Users of the tasks that start at 0, in the order in which they did. */
static void assert_turns(const char *yaml, const char *tasks, const int64_t *users, size_t count)
{
  static hc_policy_type spy;
  const hc_component *const extra[] = {&spy.component, NULL};
  bench b;
  spy = hc_policy_fair;
  spy.component.name = "spy";
  spy.init = spy_init;
  spy.on_task_event = spy_on_task_event;
  check(&b, try_text_with(&b, yaml, tasks, extra));
  check(&b, hc_run_advance(b.run, 0, 0, &b.error) < 0 ? HC_EPOLICY : 0);
  for (size_t i = 0; i < count && i < turn_count; i++)
    if (turns[i] != users[i])
      fail_msg("%s\nturn %zu is user %" PRId64 "'s, should be %" PRId64, yaml, i, turns[i], users[i]);
  assert_int_equal(turn_count, count);
  end(&b);
}
#define TURNS(yaml, tasks, ...) \
  assert_turns(yaml, tasks, (const int64_t[]){__VA_ARGS__}, COUNT(((const int64_t[]){__VA_ARGS__})))

#endif
