/* test_trimmed.c -- the trimmed summary of families that follow hosts: counted from stored rows, it is that
 * of the run wherever the trim leaves nothing out; what rows do not say is refused before the run begins. */
#include "engine_test.h"

#define SOURCE "source: {use: native, file: FILE}\npolicy: fcfs+scan\n"
#define HOSTS "cell: {use: hosts, classes: [{count: 3, name_prefix: c, cpus: 4, memory: 20GB, gpus: 2}]}\n"
#define METRICS \
  "metrics: [tasks, host_load, queue_load, dominant_share, user_shares, fragmentation, gpu_fragments, " \
  "failure_domains]\n"
#define TRIM "trim: {use: ranks, first: 0, last: 0}\n"

/* Some fit beside each other, some wait; parts of GPUs, whole ones, several hosts at once. */
static const char tasks[] =
    "- {id: 1, submit_time: 0, delay: 10, user: a, resources: {cpu_per_node: 3, memory_per_node: "
    "2000000000, gpu: 1}}\n"
    "- {id: 2, submit_time: 0, delay: 25, user: b, resources: {cpu_per_node: 1, gpu: 0.3}}\n"
    "- {id: 3, submit_time: 1, delay: 7, user: a, resources: {nodes_count: 3, cpu_per_node: 3}}\n"
    "- {id: 4, submit_time: 2, delay: 5, count: 4, user: c, resources: {cpu_per_node: 2, gpu: 0.5}}\n"
    "- {id: 5, submit_time: 30, delay: 4, user: b, resources: {cpu_per_node: 4, gpu: 2}}\n"
    "- {id: 6, submit_time: 30, delay: 0, user: b, resources: {cpu_per_node: 1}}\n";

typedef struct found {
  char name[64], value[32];
} found;
typedef struct figures {
  found all[256], trimmed[256];
  size_t counts[2];
} figures;

static hc_rc keep(void *ctx, const char *const *values)
{
  figures *f = ctx;
  const int scope = strcmp(values[0], "trimmed") == 0;
  found *x = &(scope ? f->trimmed : f->all)[f->counts[scope]++];
  assert_true(f->counts[scope] <= 256);
  (void)snprintf(x->name, sizeof x->name, "%s", values[1]);
  (void)snprintf(x->value, sizeof x->value, "%s", values[3] ? values[3] : "none");
  return 0;
}

/* Every figure of the run is found again in the rows, to the bit. @param least that are followed */
static void assert_same(const char *yaml, const char *text, size_t least)
{
  static figures f;
  bench b;
  hc_result *r;
  size_t same = 0;
  check(&b, try_text(&b, yaml, text));
  finish(&b);
  memset(&f, 0, sizeof f);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "summary", 4, keep, &f, &b.error));
  hc_result_free(r);
  for (size_t i = 0; i < f.counts[0]; i++)
    for (size_t k = 0; k < f.counts[1]; k++) {
      if (strcmp(f.all[i].name, f.trimmed[k].name) != 0) continue;
      if (strcmp(f.all[i].value, f.trimmed[k].value) != 0)
        fail_msg("%s: %s, in the rows %s", f.all[i].name, f.all[i].value, f.trimmed[k].value);
      same++;
    }
  assert_true(same >= least);
  end(&b);
}

static void rows_say_what_the_run_said(void **state)
{
  (void)state;
  assert_same(SOURCE HOSTS METRICS TRIM, tasks, 30);
  assert_same(SOURCE "cell: {use: count, procs: 6}\n" METRICS TRIM, tasks, 15);
  /* A host goes at 4 and returns, another drains; the task on the first is lost. */
  assert_same(SOURCE HOSTS METRICS TRIM
              "host_loss: lost\nevents: {use: list, changes: [{at: 4, hosts: c-0, change: down, until: 9},"
              " {at: 5, hosts: c-1, change: drain, until: 8}, {at: 6, hosts: c-2, change: resize, amounts: "
              "[cpus=8]}]}\n",
              tasks, 30);
}

/* Two hosts of four cores. From 0 each has three taken; the two that user 1 asks for at 1 are free, but on
 * two hosts: from then on nothing fits. It starts at 10, when the first host is free, and is user 1's last;
 * user 2 waits for three until
 * 20. In between six of eight cores are used, three by each of them. */
static void users_compete_while_nothing_fits(void **state)
{
  static const char text[] = "- {id: 1, submit_time: 0, delay: 10, user: 1, resources: {cpu_per_node: 3}}\n"
                             "- {id: 2, submit_time: 0, delay: 20, user: 2, resources: {cpu_per_node: 3}}\n"
                             "- {id: 3, submit_time: 1, delay: 5, user: 1, resources: {cpu_per_node: 2}}\n"
                             "- {id: 4, submit_time: 5, delay: 5, user: 2, resources: {cpu_per_node: 3}}\n";
  bench b;
  hc_result *r;
  (void)state;
  check(&b, try_text(&b,
                       SOURCE "cell: {use: hosts, classes: [{count: 2, name_prefix: c, cpus: 4}]}\n"
                              "metrics: [tasks, host_load, user_shares]\ntrim: contended\n",
                       text));
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_true(hc_result_figure(r, "trimmed", "user_share_from") == 1);
  assert_true(hc_result_figure(r, "trimmed", "user_share_until") == 10);
  assert_true(hc_result_figure(r, "trimmed", "host_load_cpu") == 0.75);
  assert_true(hc_result_figure(r, "trimmed", "user_share_least") == 0.375);
  assert_true(hc_result_figure(r, "trimmed", "user_share_gap") == 0);
  assert_true(hc_result_figure(r, "trimmed", "tasks") == 1); /* started then: number 3 */
  hc_result_free(r);
  end(&b);
}

static void expect_refusal(const char *yaml, const char *word)
{
  bench b;
  assert_int_equal(try_text(&b, yaml, tasks), HC_EUNSUPPORTED);
  if (!strstr(b.error.text, word)) fail_msg("%s", b.error.text);
  end(&b);
}

static void what_rows_do_not_say_is_refused(void **state)
{
  (void)state;
  expect_refusal(SOURCE HOSTS TRIM "metrics: [tasks, usage]\n", "really use");
  expect_refusal(SOURCE HOSTS TRIM
                 "metrics: [host_load]\nhost_loss: requeue\n"
                 "events: {use: list, changes: [{at: 4, hosts: c-0, change: down, until: 9}]}\n",
                 "lost with its host");
  /* Families that hear of tasks only are as good as ever. */
  assert_same(SOURCE HOSTS TRIM
              "metrics: [tasks, wait]\nhost_loss: requeue\n"
              "events: {use: list, changes: [{at: 4, hosts: c-0, change: down, until: 9}]}\n",
              tasks, 5);
}

static hc_rc count_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                          int64_t count)
{
  (void)name;
  (void)unit;
  (void)value;
  (void)is_count;
  (void)count;
  ++*(int *)ctx;
  return 0;
}

/* Without a store there are no rows to trim: its figures would be those of all tasks, unseen. */
static void no_store_no_trim(void **state)
{
  static const char *const yaml[] = {SOURCE HOSTS "metrics: [tasks]\n",
                                     SOURCE HOSTS "metrics: [tasks]\n" TRIM};
  (void)state;
  for (int k = 0; k < 2; k++) {
    int count = 0;
    hc_findings findings = {.ctx = &count, .figure = count_figure};
    bench b;
    memset(&b, 0, sizeof b);
    write_log(b.path, tasks, strlen(tasks));
    check(&b, configure(&b, hc_default_allocator(), yaml[k], NULL));
    check(&b, hc_run_new(b.allocator, b.config, NULL, &b.run, &b.error));
    check(&b, hc_run_advance(b.run, HC_NEVER, 0, &b.error));
    check(&b, hc_run_finish(b.run, &b.error));
    assert_int_equal(hc_run_figures(b.run, &findings, &b.error), k == 0 ? 0 : HC_EUNSUPPORTED);
    assert_true(k == 0 ? count > 0 : count == 0);
    if (k == 1) assert_non_null(strstr(b.error.text, "this run has no store"));
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest all_tests[] = {
      cmocka_unit_test(no_store_no_trim),
      cmocka_unit_test(rows_say_what_the_run_said),
      cmocka_unit_test(users_compete_while_nothing_fits),
      cmocka_unit_test(what_rows_do_not_say_is_refused),
  };
  return cmocka_run_group_tests(all_tests, NULL, NULL);
}
