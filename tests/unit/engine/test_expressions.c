/* test_expressions.c -- arithmetic in place of the numbers of profiles, through whole runs: what it may name,
 * when it is computed, and what is refused and where. */
#include "engine_test.h"

#include "hindcast/profile.h"

#define HOSTS "cell: {use: hosts, classes: [{name_prefix: c, count: 8, cpus: 4, memory: 8GB, gpus: 2}]}\n"
#define MODEL "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 100}}\n"
#define ON(id, at, hosts, cores, profile) \
  "- {id: " #id ", submit_time: " #at ", resources: {nodes_count: " #hosts ", cpu_per_node: " #cores \
  "}, profile: " profile "}\n"

static const hc_component *const own_profiles[2];

typedef struct files {
  char tasks[64], profiles[64];
} files;

static hc_rc try_work(bench *b, files *f, const char *tasks, const char *profiles, const char *yaml)
{
  char text[2048];
  write_log(f->tasks, tasks, strlen(tasks));
  write_log(f->profiles, profiles, strlen(profiles));
  (void)snprintf(text, sizeof text, "paranoid: true\nsource: {use: native, file: %s, profiles: %s}\n%s%s%s",
                 f->tasks, f->profiles, strstr(yaml, "execution:") ? "" : MODEL,
                 strstr(yaml, "cell:") ? "" : HOSTS, yaml);
  return try_begin(b, text, 8, NULL, 0, own_profiles);
}

static void drop(const files *f)
{
  (void)unlink(f->tasks);
  (void)unlink(f->profiles);
}

/* Task i + 1 runs for lengths[i] seconds: in one piece, and saved and restored after each instant. */
static void assert_lengths(const char *tasks, const char *profiles, const char *yaml, size_t count,
                           const double *lengths)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    files f;
    check(&b, try_work(&b, &f, tasks, profiles, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      const double off = (double)(r->end - r->start) - lengths[i] * 1e9;
      if (off < -2 || off > 2)
        fail_msg("%s: task %zu runs for %.9f s, not %.9f", tasks, i + 1, (double)(r->end - r->start) / 1e9,
                 lengths[i]);
    }
    end(&b);
    drop(&f);
  }
}
#define LENGTHS(tasks, profiles, yaml, ...) \
  assert_lengths(tasks, profiles, yaml, COUNT(((const double[]){__VA_ARGS__})), (const double[]){__VA_ARGS__})

/* 120 of work divided among hosts, each with one core: 30 on four, 60 on two, by one profile. A ring of 8000
 * / 4 bytes at 100: 20. A vector on two hosts: 2 x 10 beside 6. */
static void test_sizes(void **state)
{
  (void)state;
  LENGTHS(ON(1, 0, 4, 1, "divided") ON(2, 0, 2, 1, "divided") ON(3, 0, 1, 1, "divided"),
          "divided: {compute_homogeneous: 120 / num_hosts}\n", "", 30, 60, 120);
  LENGTHS(ON(1, 0, 4, 1, "{ring: {size: 8000 / num_nodes}}")
              ON(2, 0, 2, 3, "{idle: num_cores + num_processes}")
                  ON(3, 0, 2, 1, "{compute_vector: [num_hosts * 10, \"num_cores*3\"]}")
                      ON(4, 0, 1, 4, "{compute_homogeneous: {compute_work: 'max(40, num_cores ^ 2)'}}"),
          "", "", 20, 8, 20, 10);
  /* On a cell that counts, each processor is a process with a core. */
  LENGTHS("- {id: 1, submit_time: 0, procs: 3, profile: {idle: 10 * num_hosts + num_cores}}\n", "",
          "cell: {use: count, procs: 8}\nexecution: activities\n", 33);
}

/* Of a task: half of its limit of 50; its number, priority, memory and GPUs; when it was submitted. */
static void test_facts(void **state)
{
  (void)state;
  LENGTHS("- {id: 1, submit_time: 0, resources: {cpus: 1}, wall_time_limit: 50, profile: {idle: limit / 2}}\n"
          "- {id: 2, submit_time: 7, priority: 5, resources: {nodes_count: 2, cpu_per_node: 1, "
          "memory_per_node: "
          "1GB, gpus: 1}, "
          "profile: {idle: task * 100 + priority * 10 + memory / 1e9 + submit_time / 100 + num_gpus * "
          "1000}}\n",
          "", "", 25, 2252.07);
}

/* Rounds: 1 + 2 + 3; a whole number is rounded down: 2 rounds of 7 / 3; the innermost that repeats counts: 3
 * times (0 + 1), and a list within one round of another is told that one's: 5 x (0 + 1 + 2). */
static void test_rounds(void **state)
{
  (void)state;
  LENGTHS(
      ON(1, 0, 1, 1, "{sequence: {profiles: [{idle: iteration + 1}], repeat: 3}}")
          ON(2, 0, 1, 1, "{sequence: {profiles: [{idle: 1}], repeat: 7 / 3}}") ON(
              3, 0, 1, 1,
              "{sequence: {repeat: 3, profiles: [{sequence: {repeat: 2, profiles: [{idle: iteration}]}}]}}")
              ON(4, 0, 1, 1, "{sequence: {repeat: 3, profiles: [{sequence: [{idle: 5 * iteration}]}]}}")
                  ON(5, 0, 3, 1,
                     "{parallel: {repeat: num_hosts, profiles: [{idle: 2 - iteration}, {idle: 1}]}}"),
      "", "", 6, 2, 3, 15, 4);
}

/* Lists of whole numbers, of which some are expressions: a grid of 4 x 2 has one with three neighbours. */
static void test_lists(void **state)
{
  (void)state;
  LENGTHS(ON(1, 0, 8, 1, "{stencil: {size: 1000, grid: [num_hosts / 2, 2]}}")
              ON(2, 100, 3, 1, "{communication_src_dst: {src: [num_hosts - 1, 0], dst: [1], size: 500}}"),
          "", "", 30, 10);
}

/* ---- a part that stands in the options themselves ---- */

typedef struct twice {
  int64_t times;
  hc_chosen part;
  hc_time pause;
} twice;

static hc_rc resume_twice(hc_profile *p)
{
  const twice *o = p->options;
  uint64_t *round = p->state;
  HC_PROFILE_BEGIN(p);
  for (; *round < (uint64_t)o->times; ++*round) {
    p->iteration = *round;
    (void)hc_profile_start(p, &o->part, 0);
    HC_WAIT_ALL(p);
    (void)hc_profile_sleep(p, o->pause, 0);
    HC_WAIT_ALL(p);
  }
  HC_PROFILE_END(p);
}

static const hc_param twice_params[] = {HC_PARAM(INT, twice, times, NULL, "2", 1, 10, "Rounds."),
                                        HC_PARAM(COMPONENT, twice, part, HC_KIND_PROFILE, NULL, "What."),
                                        HC_PARAM(TIME, twice, pause, "s", "0", 0, 1e6, "After each."),
                                        {0}};
static const hc_profile_type own_twice = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "twice",
                  .summary = "of the test", .params = twice_params, .options_size = sizeof(twice)},
    .state_size = 8,
    .resume = resume_twice};
static const hc_component *const own_profiles[2] = {&own_twice.component, NULL};

/* Two rounds of 3 and 0, and 1 and 0; each with a pause of 2.5. */
static void test_part(void **state)
{
  (void)state;
  LENGTHS(
      ON(1, 0, 2, 1, "{twice: {times: num_hosts, part: {idle: 3 - 2 * iteration}, pause: num_cores + 0.5}}"),
      "", "", 9);
}

/* ---- what is refused ---- */

static void refuses(const char *profile, const char *profiles, hc_rc expected, uint32_t line,
                    const char *text)
{
  char task[512];
  bench b;
  files f;
  (void)snprintf(task, sizeof task,
                 "- {id: 7, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: %s}\n",
                 profile);
  hc_rc rc = try_work(&b, &f, task, profiles, "");
  const bool begun = rc >= 0;
  if (begun) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc != expected || !strstr(b.error.text, text) || (line > 0 && b.error.line != line))
    fail_msg("%s%s: %s %s:%u: %s", profile, profiles, hc_rc_name(rc), b.error.where, b.error.line,
             b.error.text);
  end(&b);
  drop(&f);
}

/* Amounts with units. At speed 1 work of 120 flop takes 120, at 100 B/s a ring of 2 kB takes 20, as one of
 * 8 kB on four does; a master sends 1 kB to its worker, which works 5 and sends nothing. */
static void test_units(void **state)
{
  (void)state;
  LENGTHS(ON(1, 0, 1, 1, "{compute_homogeneous: 0.12kflop}") ON(2, 200, 2, 1, "{ring: 2kB}")
              ON(3, 400, 4, 1, "{ring: {size: \"8kB / num_hosts\"}}")
                  ON(4, 600, 2, 1, "{compute_vector: [10f, \"0.02k\"]}")
                      ON(5, 800, 2, 1, "{parallel_task: {cpu: [1, 1flop], com: [0, 1KiB, 0, 0]}}"),
          "", "", 120, 20, 20, 20, 10.24);
  LENGTHS(ON(1, 0, 1, 2, "{compute_homogeneous: 3Mf}"), "", "execution: {use: activities, cpu_speed: 2kf}\n",
          750);
}

static void test_refused(void **state)
{
  hc_buffer many;
  (void)state;
  refuses("x", "a: {idle: 1}\nx:\n  type: compute_homogeneous\n  args: {compute_work: 1e12 / num_host}\n",
          HC_EUSAGE, 4, "compute_work: expected a number or an expression");
  refuses("x", "x: {idle: 1e12 / num_host}\n", HC_EUSAGE, 1, "did you mean \"num_hosts\"");
  refuses("x", "x: {idle: 3 *}\n", HC_EUSAGE, 1, "time: expected a time or an expression");
  refuses("x", "x: {idle: long}\n", HC_EUSAGE, 1, "expected a time");
  refuses("{idle: 1 / (num_hosts - 2)}", "", HC_EINPUT, 0, "time = 1 / (num_hosts - 2) is not a number");
  refuses("{idle: limit / 2}", "", HC_EINPUT, 0, "or names what the task has not");
  refuses("{idle: 1 - num_hosts}", "", HC_EINPUT, 0, "comes to -1, and must be from 0 to");
  refuses("{sequence: {profiles: [{idle: 1 - iteration}], repeat: 3}}", "", HC_EINPUT, 0, "comes to -1");
  refuses("{sequence: {profiles: [{idle: 1}], repeat: num_hosts - 2}}", "", HC_EINPUT, 0,
          "must be from 1 to");
  refuses("{ring: {size: 1e300 ^ num_hosts}}", "", HC_EINPUT, 0, "is not a number there can be");
  refuses("{communication_src_dst: {src: [num_hosts], dst: [0], size: 1}}", "", HC_EINPUT, 0,
          "names process 2");
  refuses("x", "a: {idle: 1}\nx: {ring: \"10 MB\"}\n", HC_EUSAGE, 2,
          "size: expected an amount (64MiB, 1GB, or a number of bytes), at least 0, got \"10 MB\"");
  refuses("x", "x: {compute_homogeneous: 4GiB}\n", HC_EUSAGE, 1,
          "expected an amount (2Gflop, 500Mf, or a number)");
  refuses("x", "x: {ring: 2Gflop}\n", HC_EUSAGE, 1, "size: expected an amount (64MiB");
  refuses("x", "x: {ring: {size: 2GBB / num_hosts}}\n", HC_EUSAGE, 1, "\"2GBB\" is not a number");
  hc_buffer_init(&many, hc_default_allocator());
  hc_buffer_text(&many, "x: {compute_vector: [num_hosts");
  for (int i = 0; i < 4096; i++) hc_buffer_text(&many, ", num_hosts");
  hc_buffer_text(&many, "]}\n");
  refuses("x", many.data, HC_ELIMIT, 1, "more than 4096 expressions");
  hc_buffer_fini(&many);
}

/* The place of one that shows at the start is its task. */
static void test_place(void **state)
{
  bench b;
  files f;
  (void)state;
  check(&b, try_work(&b, &f, ON(17, 0, 2, 1, "{idle: -num_hosts * 1}"), "", ""));
  assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), HC_EINPUT);
  assert_string_equal(b.error.where, "task 17");
  end(&b);
  drop(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),   cmocka_unit_test(test_facts),
                                     cmocka_unit_test(test_rounds),  cmocka_unit_test(test_lists),
                                     cmocka_unit_test(test_part),    cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_refused), cmocka_unit_test(test_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
