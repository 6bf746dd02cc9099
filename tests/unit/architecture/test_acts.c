/* test_acts.c -- every architecture with every kind of policy: what cannot act is refused before the run,
 * with the reason; what is let through acts: its schedule differs from that of fcfs. */
#include "schedulers_test.h"

#include "hindcast/plugin.h"

#define MACHINE \
  "source: {use: synthetic, tasks: 250, procs: 80, load: 1.5, size_max: 4, users: 5}\nmetrics: [tasks]\n" \
  "cell: {use: hosts, classes: [{count: 20, name_prefix: h, cpus: 4, memory: 16GiB}]}\n"

/* Carry it out. @param digest out: of its schedule, or why it was refused  @return 0 or what refused it */
static hc_rc carry_out(const char *yaml, char *digest, size_t size)
{
  const hc_allocator *a = hc_default_allocator();
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run = NULL;
  hc_result *result = NULL;
  hc_error e = {0};
  char text[33] = "";
  hc_rc rc;
  assert_int_equal(hc_registry_new(a, &registry), 0);
  assert_int_equal(hc_config_new(a, registry, &config, &e), 0);
  assert_int_equal(hc_store_new(a, NULL, &store, &e), 0);
  rc = hc_config_text(config, yaml, strlen(yaml), "test", &e);
  if (rc >= 0) rc = hc_run_new(a, config, store, &run, &e);
  if (rc >= 0) {
    assert_true(hc_run_advance(run, HC_NEVER, 0, &e) >= 0);
    assert_int_equal(hc_run_finish(run, &e), 0);
    assert_int_equal(hc_result_of_store(store, &result, &e), 0);
    assert_int_equal(hc_result_schedule_digest(result, text, &e), 0);
  }
  (void)snprintf(digest, size, "%.*s", (int)size - 1, rc >= 0 ? text : e.text);
  hc_result_free(result);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
  return rc < 0 ? rc : 0;
}

static hc_rc under(const char *architecture, const char *policy, char *digest, size_t size)
{
  char yaml[1024];
  (void)snprintf(yaml, sizeof yaml, MACHINE "architecture: %s\npolicy: %s\n", architecture, policy);
  return carry_out(yaml, digest, size);
}

/* Schedulers that are always behind: jobs queue, and their order says which is next. */
#define BUSY "schedulers: [{name: a, think_job: 60s}]}"
/* Schedulers that think about all that they have queued. */
#define PASS "decision: pass, schedulers: [{name: a}]}"

/* A row of the table in docs/architectures.md. A letter for each of `policies`: a, it acts; r, it is refused
 * since it cannot act; o, it is refused for another reason; s, it acts nowhere here (all have one priority),
 * and gives the schedule of fcfs+scan. */
static const char *const policies[] = {"sjf",          "ljf+scan",    "priority+scan",   "fair", "yt", "easy",
                                       "conservative", "{use: gang}", "fcfs+scan+spread"};
static const struct {
  const char *name, *what;
} rows[] = {
    {"monolithic", "aasaoaaaa"},
    {"heartbeat", "aasaaoooa"},
    {"{use: multi_path, " BUSY, "aaarrrrra"},
    {"{use: partitions, " BUSY, "aaarrrrra"},
    {"{use: federation, " BUSY, "aaarrrrra"},
    {"{use: shared_state, " BUSY, "aaarrrrra"},
    {"{use: two_level, " BUSY, "aaarrrrra"},
    {"{use: parsync, " BUSY, "arrrrrrrr"},
    {"{use: multi_path, " PASS, "aasaoaaoa"},
    {"{use: shared_state, " PASS, "aasaoaaoa"},
    {"{use: partitions, " PASS, "aasaaaaoa"},
    {"{use: federation, " PASS, "aasaaaaoa"},
    {"{use: two_level, " PASS, "ooorrrrro"},
    {"{use: parsync, " PASS, "orrrrrrrr"},
    {"sparrow", "rrrrrrrrr"},
    {"hawk", "rrrrrrrrr"},
    {"eagle", "rrrrrrrrr"},
    {"kubernetes", "rrrrrrrrr"},
};

static void test_every_pair(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char plain[33], scan[256], got[256];
    assert_int_equal(under(rows[i].name, "fcfs", plain, sizeof plain),
                     rows[i].what[0] == 'o' ? HC_EUNSUPPORTED : 0);
    (void)under(rows[i].name, "fcfs+scan", scan, sizeof scan);
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
      const char what = rows[i].what[k];
      const hc_rc rc = under(rows[i].name, policies[k], got, sizeof got);
      const bool says = strstr(got, "cannot act: ") != NULL && strstr(got, "; ") != NULL;
      const bool right = what == 'a'   ? rc == 0 && strcmp(got, plain) != 0
                         : what == 's' ? rc == 0 && strcmp(got, plain) != 0 && strcmp(got, scan) == 0
                         : what == 'r' ? rc == HC_EUNSUPPORTED && says
                                       : rc < 0 && !says;
      if (!right) fail_msg("%s under %s: expected %c, got %s", policies[k], rows[i].name, what, got);
    }
  }
}

/* Kubernetes asks the placement and nothing else; who samples, or believes, asks not even that. */
static void test_placements(void **state)
{
  char plain[33], got[256];
  (void)state;
  assert_int_equal(under("kubernetes", "fcfs", plain, sizeof plain), 0);
  assert_int_equal(under("kubernetes", "fcfs+blocking+worst_fit", got, sizeof got), 0);
  assert_string_not_equal(got, plain);
  assert_int_equal(under("sparrow", "fcfs+blocking+worst_fit", got, sizeof got), HC_EUNSUPPORTED);
  assert_non_null(strstr(got, "the placement worst_fit cannot act"));
  assert_int_equal(under("parsync", "fcfs+blocking+worst_fit", got, sizeof got), HC_EUNSUPPORTED);
}

/* A scheduler's own policy goes by the same rule. */
static void test_own_policies(void **state)
{
  static const char *const wrong[][2] = {
      {"{name: a, policy: sjf}", "scheduler a: its policy looks ahead in time, and the run's does not"},
      {"{name: a, policy: fair}", "scheduler a: the policy fair cannot act"},
      {"{name: a, policy: easy}", "scheduler a: a selector that makes reservations cannot act"},
      {"{name: a, policy: {use: gang}}", "scheduler a: the policy gang cannot act"},
      {"{name: a, policy: fcfs+scan+best_fit}",
       "scheduler a: a placement that its `policy` names cannot act"}};
  char got[256], text[256];
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    (void)snprintf(text, sizeof text, "{use: shared_state, schedulers: [%s]}", wrong[i][0]);
    assert_true(under(text, "fcfs", got, sizeof got) < 0);
    if (!strstr(got, wrong[i][1])) fail_msg("%s: \"%s\" does not say \"%s\"", wrong[i][0], got, wrong[i][1]);
  }
  assert_int_equal(under("{use: shared_state, schedulers: [{name: a, policy: scan, place: best_fit}]}",
                         "fcfs", got, sizeof got),
                   0);
}

/* Between the tasks of one job a selector acts: the third fits beside the first, if the second does not block
 * it. */
static void test_within_a_job(void **state)
{
#define ONE_JOB(policy) \
  "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: run, cpu: cpu}\nmetrics: [tasks]\n" \
  "cell: {use: hosts, classes: [{count: 1, name: c, cpus: 4}]}\npolicy: " policy \
  "\narchitecture: {use: shared_state, retry: 1s, schedulers: [{name: a, think_job: 0s, think_task: 0s}]}\n"
  static const char *const tasks = "job,id,at,run,cpu\n1,1,0,10,3\n1,2,0,10,3\n1,3,0,10,1\n";
  (void)state;
  STARTS(ONE_JOB("fcfs"), tasks, 0, 10, 10);
  STARTS(ONE_JOB("fcfs+scan"), tasks, 0, 10, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_pair), cmocka_unit_test(test_placements),
                                     cmocka_unit_test(test_own_policies),
                                     cmocka_unit_test(test_within_a_job)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
