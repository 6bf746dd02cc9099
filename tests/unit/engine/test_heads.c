/* test_heads.c -- tasks that start from the head of the queue in one go, against the same by turns.
 *
 * What the engine does in one go needs a cell of which two amounts of each host are all that counts. A third
 * amount, which no task asks for, changes no schedule and makes it ask next, fits and start by turns. So the
 * two runs must agree task by task, whatever else stands in the queue. */
#include "engine_test.h"

#define PLAIN "{count: 6, name_prefix: c, cpus: 8, memory: 32GB}"
#define THIRD "{count: 6, name_prefix: c, cpus: 8, memory: 32GB, disk: 1TB}"

/* Some want two hosts, some a host whole, some arrive while those before them wait. */
static void some_tasks(hc_buffer *out)
{
  hc_buffer_init(out, hc_default_allocator());
  for (int i = 1; i <= 800; i++) {
    hc_buffer_printf(out, "- {id: %d, submit_time: %d, collection_id: %d, delay: %d", i, i / 5, i,
                     i % 11 == 0 ? 60 : 1 + i * 37 % 23);
    if (i % 29 == 0) hc_buffer_printf(out, ", wall_time_limit: 3");
    if (i % 17 == 0) hc_buffer_printf(out, ", resources: {nodes_count: 2}}\n");
    else
      hc_buffer_printf(out, ", resources: {nodes_count: %d, cpu_per_node: %d, memory_per_node: %d}}\n",
                       i % 13 == 0 ? 3 : 1, 1 + i % 5, i % 4 * 1000000);
  }
}

static void run_on(bench *b, const char *class, const char *rest, const char *tasks)
{
  char yaml[512];
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: native, file: FILE}\nmetrics: [tasks]\ncell: {use: hosts, classes: [%s]}\n%s",
                 class, rest);
  check(b, try_text(b, yaml, tasks));
  finish(b);
}

static void same_schedule(const char *rest, const char *tasks)
{
  bench *one = calloc(2, sizeof *one), *turns = one + 1;
  uint64_t waited = 0;
  assert_non_null(one);
  run_on(one, PLAIN, rest, tasks);
  run_on(turns, THIRD, rest, tasks);
  assert_int_equal(one->count, 800);
  assert_int_equal(turns->count, 800);
  for (size_t i = 0; i < one->count; i++) {
    const hc_task_record *a = &one->records[i], *b = record_of(turns, a->id);
    if (a->start != b->start || a->end != b->end || a->flags != b->flags || a->final != b->final)
      fail_msg("%s: task %" PRId64 " starts at %" PRId64 " in one go, at %" PRId64 " by turns", rest, a->id,
               start_of(one, a->id), start_of(turns, a->id));
    waited += a->start > a->submit;
  }
  assert_true(waited > 100); /* the case is not an empty one */
  end(one);
  end(turns);
  free(one);
}

static void test_one_go_and_turns_agree(void **state)
{
  static const char *const runs[] = {
      "policy: {use: batch, order: fcfs, select: blocking, place: first_fit}\nparanoid: true\n",
      "policy: {use: batch, order: fcfs, select: blocking, place: next_fit}\nparanoid: true\n",
      "policy: {use: batch, order: fcfs, select: scan, place: first_fit}\nparanoid: true\n",
      "policy: {use: batch, order: fcfs, select: scan, place: next_fit}\nevent_queue: wheel\nparanoid: "
      "true\n",
      "policy: {use: batch, order: largest, select: scan, place: first_fit}\nparanoid: true\n",
      "policy: {use: batch, order: fcfs, select: blocking, place: first_fit}\n"
      "architecture: {use: monolithic, think: 2s}\n",
      "policy: {use: batch, order: fcfs, select: scan, place: first_fit}\n"
      "architecture: {use: monolithic, call: [per_event]}\n",
  };
  hc_buffer tasks;
  (void)state;
  some_tasks(&tasks);
  for (size_t i = 0; i < COUNT(runs); i++) same_schedule(runs[i], tasks.data);
  hc_buffer_fini(&tasks);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_go_and_turns_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
