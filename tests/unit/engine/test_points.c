/* test_points.c -- a policy that decides at scheduling points (hc_policy_type.decides_points): what it
 * sees, what it plans and takes back, and a task that waits at its point.
 *
 * A job of ElastiSim has three rounds of 12 flop, which all of its nodes share, of 1 flop/s each: it
 * begins on node 0 and is at its first point at 12. */
#include "engine_test.h"
#include "own_policy.h"

#include "base/util.h"

#define JOBS "points_jobs.json"
#define MODEL "points_model.json"

static const char model[] =
    "{\"phases\": [{\"iterations\": 3, \"tasks\": [{\"type\": \"cpu\", \"flops\": 12, "
    "\"computation_pattern\": \"all_ranks\"}]}]}";
static const char jobs[] = "{\"jobs\": [{\"type\": \"malleable\", \"submit_time\": 0, \"num_nodes_min\": 1, "
                           "\"num_nodes_max\": 3, \"application_model\": \"" MODEL "\"}]}";
static const char yaml[] =
    "paranoid: true\nsource: {use: elastisim, file: " JOBS ", cores: 1, size: min}\n"
    "cell: {use: hosts, classes: [{name_prefix: c, count: 5, cpus: 1}]}\nexecution: {use: activities, "
    "cpu_speed: 1}\n";

static uint32_t flags(const void *options)
{
  (void)options;
  return HC_MAY_RESIZE | HC_TIME_DEPENDENT;
}

/* It is there once more when that it goes on was taken back, and holds what it held. */
static hc_rc try_and_take_back(const hc_services *s, hc_view *v, hc_plan *p, hc_task t)
{
  static const hc_range two = {2, 2}, far = {7, 1}, all = {0, 5};
  const hc_at_point *points;
  const hc_holding *held;
  const hc_plan_mark mark = s->mark(p);
  assert_int_equal(s->leave_point(p, t, &all, 1), HC_EPOLICY); /* more than its most */
  assert_int_equal(s->leave_point(p, t, &far, 1), HC_EPOLICY); /* no such host */
  assert_int_equal(s->leave_point(p, t, &two, 1), 0);
  assert_int_equal(s->at_points(v, &points), 0);
  assert_int_equal(s->slots(v, t), 2);
  assert_int_equal(s->free_units(v), 3000);
  assert_int_equal(s->leave_point(p, t, NULL, 0), HC_EPOLICY); /* it has left already */
  TRY(s->take_back(p, &mark));
  assert_int_equal(s->at_points(v, &points), 1);
  assert_int_equal(s->slots(v, t), 1);
  assert_int_equal(s->free_units(v), 4000);
  assert_int_equal(s->held(v, t, &held), 1);
  assert_int_equal(held[0].host, 0);
  return s->leave_point(p, t, &two, 1);
}

/* It lets the task wait 5 s at each point, and then go on: from the first on hosts 2 and 3, from the
 * second as it is. */
static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const hc_at_point *points;
  const hc_task *running;
  const hc_time now = s->now(v) / HC_SECOND;
  hc_task blocked;
  (void)why;
  TRY(s->start_heads(p, &blocked));
  if (s->at_points(v, &points) == 0) {
    if (now == 0)
      assert_int_equal(s->leave_point(p, s->running(v, &running) > 0 ? running[0] : 0, NULL, 0), HC_EPOLICY);
    return 0;
  }
  assert_int_equal(points[0].wants, 0);
  if (now == 12 || now == 23) return s->wake(p, s->now(v) + 5 * HC_SECOND);
  if (now == 17) return try_and_take_back(s, v, p, points[0].task);
  assert_int_equal(now, 28);
  return s->leave_point(p, points[0].task, NULL, 0);
}

static const hc_policy_type decides = {.component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY),
                                                     .name = "decides", .summary = "of a test"},
                                       .flags = flags,
                                       .init = init,
                                       .decide = decide,
                                       .fini = fini,
                                       .decides_points = true};
static const hc_component *const own[] = {&decides.component, NULL};

static void write_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
}

static hc_rc begin_with(bench *b, const char *more)
{
  char text[1024];
  write_file(JOBS, jobs);
  write_file(MODEL, model);
  (void)snprintf(text, sizeof text, "%spolicy: decides\n%s", yaml, more);
  return try_begin(b, text, 5, NULL, 0, own);
}

/* 12 on one node, 5 at the point, 6 on two, 5 at the point, 6: also where the run is saved and loaded on
 * the way. */
static void test_waits(void **state)
{
  (void)state;
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    check(&b, begin_with(&b, ""));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(record_of(&b, 0)->end, 34 * HC_SECOND);
    assert_int_equal(record_of(&b, 0)->final, HC_FINAL_COMPLETED);
    end(&b);
  }
  (void)unlink(JOBS);
  (void)unlink(MODEL);
}

static void refused(const char *more, const char *text)
{
  bench b;
  assert_int_equal(begin_with(&b, more), HC_EUNSUPPORTED);
  if (!strstr(b.error.text, text)) fail_msg("\"%s\" does not say \"%s\"", b.error.text, text);
  end(&b);
}

static void test_refused(void **state)
{
  (void)state;
  refused("cannot_grow: defer\n", "leave out `cannot_grow`");
  refused("architecture: {use: monolithic, call: [instant, period]}\n", "`call: instant` alone");
  refused("architecture: {use: monolithic, triggers: [arrival]}\n", "all `triggers`");
  (void)unlink(JOBS);
  (void)unlink(MODEL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_waits), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
