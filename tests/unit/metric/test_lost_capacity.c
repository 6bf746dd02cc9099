/* test_lost_capacity.c -- idle capacity while tasks are queued, by cause: worked out by hand, on processors
 * and on hosts; and against capacity_loss, which counts it from other records. */
#include "metric/changes.h"
#include "metric_test.h"

#define FOUND(table, key, name, value) expect_found(&l, table, key, name, value)

static const hc_host_class two_class = {.name = "two", .capacity = {4000, 8 * GIB}};
static const uint32_t two_class_of[2] = {0, 0};
static const hc_cell_spec two_hosts = {.granularity = HC_CELL_HOSTS,
                                       .units = 2,
                                       .classes = &two_class,
                                       .class_count = 1,
                                       .class_of = two_class_of};

static hc_change slots(hc_change c, uint32_t n)
{
  c.slots = n;
  return c;
}

static hc_change queued(int64_t at, uint64_t serial, int64_t cpu, int64_t memory)
{
  return amounts(change(HC_CHANGE_QUEUED, at, serial, 1, HC_NO_HOST), cpu, memory);
}

static hc_change unqueued(int64_t at, uint64_t serial, int64_t cpu, int64_t memory)
{
  return amounts(change(HC_CHANGE_UNQUEUED, at, serial, 1, HC_NO_HOST), cpu, memory);
}

/* Ten processors, records alone. Task 1 has 6 of them [0, 40). Task 2 wants 3 of the 4 that are idle [0, 20):
 * one is surplus, three are the rules'. Task 3 wants 5 [10, 40): 4 are idle, all asked for. From 20 s on it
 * is alone, and larger than what is idle. From 40 s on nothing waits. */
static void of_processors(void **state)
{
  const hc_change c[] = {claim(0, 1, 1, HC_NO_HOST, 6000, 0), slots(queued(0, 2, 1000, 0), 3),
                         slots(queued(10, 3, 1000, 0), 5),    slots(unqueued(20, 2, 1000, 0), 3),
                         slots(unqueued(40, 3, 1000, 0), 5),  release(40, 1, 1, HC_NO_HOST, 6000, 0),
                         claim(40, 3, 1, HC_NO_HOST, 5000, 0)};
  void *o = options_of(&hc_metric_lost_capacity, 10, 100);
  const hc_metric_context context = context_of(10);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_lost_capacity, &context, o, c, HC_ARRAY_LEN(c), 50, &l);
  FOUND("lost_capacity", 0, "surplus", .1);
  FOUND("lost_capacity", 0, "rules", .3);
  FOUND("lost_capacity", 10, "surplus", 0);
  FOUND("lost_capacity", 10, "rules", .4);
  FOUND("lost_capacity", 20, "size", .4);
  FOUND("lost_capacity", 30, "size", .4);
  FOUND("lost_capacity", 40, "size", 0);
  FOUND(NULL, 0, "lost_capacity", 160 / 500.);
  FOUND(NULL, 0, "lost_capacity_surplus", 10 / 500.);
  FOUND(NULL, 0, "lost_capacity_size", 80 / 500.);
  FOUND(NULL, 0, "lost_capacity_rules", 70 / 500.);
  hc_finding_list_fini(&l);
  free(o);
}

/* Two hosts of 4 cores, two of which are taken on each. Task 3 wants 3 cores on one [10, 30): 4 are idle, on
 * no host 3. At 20 s the second host goes: 2 are idle, 4 away. It is back with its task at 30 s, and two
 * tasks want a host whole, of which there is none [30, 40); the first host is free from 40 s on, and takes
 * neither, for one wants two of them and the other's rule is not ours to know. */
static void of_hosts(void **state)
{
  hc_change c[] = {claim(0, 1, 1, 0, 2000, 0),
                   claim(0, 2, 1, 1, 2000, 0),
                   queued(10, 3, 3000, 0),
                   release(20, 2, 1, 1, 2000, 0),
                   change(HC_CHANGE_HOST, 20, 0, -1, 1),
                   unqueued(30, 3, 3000, 0),
                   amounts(change(HC_CHANGE_HOST, 30, 0, -1, 1), 4000, 8 * GIB),
                   claim(30, 2, 1, 1, 2000, 0),
                   queued(30, 4, 0, 0),
                   slots(queued(30, 5, 0, 0), 2),
                   release(40, 1, 1, 0, 2000, 0)};
  void *o = options_of(&hc_metric_lost_capacity, 10, 100);
  const hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  (void)state;
  c[8].whole = c[9].whole = 1;
  find_changes(&hc_metric_lost_capacity, &context, o, c, HC_ARRAY_LEN(c), 50, &l);
  FOUND("lost_capacity", 0, "fragments", 0);
  FOUND("lost_capacity", 10, "surplus", 1 / 8.);
  FOUND("lost_capacity", 10, "fragments", 3 / 8.);
  FOUND("lost_capacity", 20, "away", 4 / 8.);
  FOUND("lost_capacity", 20, "size", 2 / 8.);
  FOUND("lost_capacity", 30, "away", 0);
  FOUND("lost_capacity", 30, "fragments", 4 / 8.);
  FOUND("lost_capacity", 40, "rules", 6 / 8.);
  hc_finding_list_fini(&l);
  free(o);
}

/* Two licences of the cell, both taken: no host helps. */
static void of_what_the_cell_shares(void **state)
{
  hc_cell_spec spec = two_hosts;
  hc_change c[] = {change(HC_CHANGE_CLAIMED, 0, 1, 1, HC_NO_HOST), queued(0, 2, 1000, 0),
                   change(HC_CHANGE_RELEASED, 10, 1, 1, HC_NO_HOST)};
  void *o = options_of(&hc_metric_lost_capacity, 10, 100);
  const hc_metric_context context = context_with(&spec);
  hc_finding_list l;
  (void)state;
  spec.shared[LICENCE] = 2;
  c[0].amount[LICENCE] = c[2].amount[LICENCE] = 2;
  c[1].amount[LICENCE] = 1;
  find_changes(&hc_metric_lost_capacity, &context, o, c, HC_ARRAY_LEN(c), 20, &l);
  FOUND("lost_capacity", 0, "fragments", 1 / 8.);
  FOUND("lost_capacity", 10, "rules", 1 / 8.);
  hc_finding_list_fini(&l);
  free(o);
}

/* A run says at each instant's end how scheduling stands. Of ten processors one task wants 4, all the time;
 * a reservation of 3 is open [20, 30). */
static void as_a_run_tells_it(void **state)
{
  const hc_metric_type *m = &hc_metric_lost_capacity;
  static const hc_reserved course = {.from = S(20), .to = S(30), .units = 3};
  const hc_change c = slots(queued(0, 1, 1000, 0), 4);
  void *o = options_of(m, 10, 100);
  hc_metric_context context = context_of(10);
  hc_metric *self;
  hc_finding_list l;
  (void)state;
  context.reserved = &course;
  context.reserved_count = 1;
  hc_finding_list_init(&l, hc_default_allocator());
  assert_int_equal(m->init(&context, o, &self, NULL), 0);
  assert_int_equal(m->changes(self, &c, 1), 0);
  for (int64_t t = 0; t < 50; t += 10)
    assert_int_equal(
        m->stands(self, &(hc_standing_record){.at = S(t), .thinking = t == 10, .plans = t == 20 || t == 30}),
        0);
  assert_int_equal(m->until(self, S(50)), 0);
  assert_int_equal(m->finish(self, &l.findings), 0);
  FOUND("lost_capacity", 0, "rules", .4);
  FOUND("lost_capacity", 10, "thinking", .4);
  FOUND("lost_capacity", 20, "reserved", .3);
  FOUND("lost_capacity", 20, "planned", .1);
  FOUND("lost_capacity", 30, "reserved", 0);
  FOUND("lost_capacity", 30, "planned", .4);
  FOUND("lost_capacity", 40, "rules", .4);
  for (int64_t t = 0; t < 50; t += 10) FOUND("lost_capacity", t, "surplus", .6);
  FOUND(NULL, 0, "lost_capacity", 1);
  m->fini(self);
  hc_finding_list_fini(&l);
  free(o);
}

typedef struct told {
  hc_metric *metric;
} told;

static hc_rc tell(void *ctx, const hc_change *c, size_t n)
{
  return hc_metric_lost_capacity.changes(((told *)ctx)->metric, c, n);
}

/* The same loss as capacity_loss has it, which hears of intervals: all of it is Zhang's, without the surplus
 * it is Leung's. */
static void it_is_the_capacity_loss(void **state)
{
  const hc_metric_context context = context_of(64);
  const hc_metric_type *m = &hc_metric_lost_capacity;
  (void)state;
  for (uint64_t seed = 1; seed < 20; seed++) {
    enum { N = 300 };
    hc_task_record *t = random_tasks(N, seed);
    recorded x = {0};
    hc_finding_list l, loss;
    void *o = default_options(&m->component);
    told k;
    int64_t serial;
    hc_time last = 0;
    for (size_t i = 0; i < N; i++) last = HC_MAX(last, t[i].end);
    assert_int_equal(hc_metric_replay(hc_default_allocator(), 64, t, N, record, &x), 0);
    find_all(&hc_metric_capacity_loss, &context, NULL, t, N, x.items, x.count, &loss);
    hc_finding_list_init(&l, hc_default_allocator());
    assert_int_equal(m->init(&context, o, &k.metric, NULL), 0);
    assert_int_equal(hc_metric_replay_changes(hc_default_allocator(), NULL, t, N, NULL, tell, &k, &serial),
                     0);
    assert_int_equal(m->until(k.metric, last), 0);
    assert_int_equal(m->finish(k.metric, &l.findings), 0);
    const double all = hc_finding_list_get(&l, NULL, 0, "lost_capacity")->value,
                 surplus = hc_finding_list_get(&l, NULL, 0, "lost_capacity_surplus")->value;
    assert_true(all > 0.01);
    expect_found(&loss, NULL, 0, "capacity_loss_zhang", all);
    expect_found(&loss, NULL, 0, "capacity_loss_leung", all - surplus);
    m->fini(k.metric);
    hc_finding_list_fini(&l);
    hc_finding_list_fini(&loss);
    free(x.items);
    free(t);
    free(o);
  }
}

/* The cell's other dimensions go by their names. */
static void of_a_dimension_by_name(void **state)
{
  const hc_metric_type *m = &hc_metric_lost_capacity;
  const hc_change c[] = {claim(0, 1, 1, 0, 1000, 8 * GIB), claim(0, 2, 1, 1, 1000, 2 * GIB),
                         queued(0, 3, 1000, 7 * GIB)};
  void *o = options_of(m, 10, 100);
  const hc_metric_context context = context_with(&two_hosts);
  hc_finding_list l;
  hc_metric *self;
  hc_error e = {0};
  (void)state;
  for (const hc_param *p = m->component.params; p->name; p++)
    if (strcmp(p->name, "of") == 0) *(const char **)(void *)((char *)o + p->offset) = "memory";
  find_changes(m, &context, o, c, HC_ARRAY_LEN(c), 10, &l);
  FOUND("lost_capacity", 0, "size", 6 / 16.);
  hc_finding_list_fini(&l);
  for (const hc_param *p = m->component.params; p->name; p++)
    if (strcmp(p->name, "of") == 0) *(const char **)(void *)((char *)o + p->offset) = "tape";
  assert_int_equal(m->init(&context, o, &self, &e), HC_EUSAGE);
  assert_string_equal(e.text, "of: the cell has no \"tape\"; name one of its dimensions, as cpu or gpu");
  free(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_processors),           cmocka_unit_test(of_hosts),
      cmocka_unit_test(of_what_the_cell_shares), cmocka_unit_test(as_a_run_tells_it),
      cmocka_unit_test(it_is_the_capacity_loss), cmocka_unit_test(of_a_dimension_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
