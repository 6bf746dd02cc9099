/* test_promised_speeds.c -- promises where hosts differ in speed, and licences are short.
 *
 * A task keeps what belongs to the whole cell for as long as it really runs, which depends on the host that
 * it gets. Estimates are exact here, so that nothing happens that was not foreseen: under conservative every
 * task must start just when a brute force says, which looks for the first second and the lowest host at which
 * cores and licences are free for the true length; under EASY no task may start later than the first time for
 * which, as it became the head, it had room by what ran then. */
#include "engine_test.h"

enum { HOSTS = 5, SLOW = 3, TASKS = 40, LICENCES = 3, END = 3000 };

typedef struct task {
  int64_t submit, work, cpu, licences, start, length;
  uint32_t host;
} task;

static uint64_t next(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}
static uint32_t below(uint64_t *s, uint32_t n)
{
  return (uint32_t)(next(s) >> 33) % n;
}

static int64_t length_on(const task *t, uint32_t host)
{
  return host < SLOW ? t->work : t->work / 2;
}

static void make_tasks(task *tasks, uint64_t seed, char *text, size_t cap)
{
  uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  int64_t at = 0;
  size_t n = 0;
  for (uint32_t i = 0; i < TASKS; i++) {
    tasks[i] = (task){.submit = at += 1 + below(&s, 5),
                      .work = 2 * (1 + below(&s, 15)),
                      .cpu = 1 + below(&s, 2),
                      .licences = below(&s, 3) ? below(&s, LICENCES + 1) : 0};
    n += (size_t)snprintf(
        text + n, cap - n,
        "- {id: %u, submit_time: %lld, delay: %lld, wall_time_limit: %lld, resources: {cpu: %lld, "
        "v: %lld}}\n",
        i + 1, (long long)at, (long long)tasks[i].work, (long long)tasks[i].work, (long long)tasks[i].cpu,
        (long long)tasks[i].licences);
  }
}

static void run(bench *b, const char *policy, const char *tasks)
{
  char yaml[1024];
  (void)snprintf(
      yaml, sizeof yaml,
      "source: {use: native, file: FILE}\nparanoid: true\nmetrics: []\n"
      "cell: {use: hosts, classes: [{name_prefix: s, count: %d, cpus: 2}, {name_prefix: f, count: %d, cpus: "
      "2, speed: 2}], licences: ['v=%d']}\npolicy: %s\n",
      SLOW, HOSTS - SLOW, LICENCES, policy);
  memset(b, 0, sizeof *b);
  write_log(b->path, tasks, strlen(tasks));
  check(b, configure(b, hc_default_allocator(), yaml, NULL));
  check(b, hc_store_new(b->allocator, NULL, &b->store, &b->error));
  check(b, hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error));
  finish(b);
  assert_int_equal(b->count, TASKS);
}

/* Is there room for a task on a host from `at` on, for as long as it runs there, by the tasks that have a
 * start?
 * @param known  a later one does not count */
static bool has_room(const task *tasks, const task *t, uint32_t host, int64_t at, int64_t until,
                     int64_t known)
{
  for (int64_t now = at; now < until; now++) {
    int64_t cpu = 2 - t->cpu, licences = LICENCES - t->licences;
    for (uint32_t i = 0; i < TASKS; i++) {
      const task *x = &tasks[i];
      if (x == t || x->start < 0 || x->start > known || x->start > now || x->start + x->length <= now)
        continue;
      licences -= x->licences;
      cpu -= x->host == host ? x->cpu : 0;
    }
    if (cpu < 0 || licences < 0) return false;
  }
  return true;
}

static void conservative_starts_as_the_brute_force_says(void **state)
{
  static char text[1 << 14];
  (void)state;
  for (uint64_t seed = 1; seed <= 25; seed++) {
    task tasks[TASKS];
    bench b;
    make_tasks(tasks, seed, text, sizeof text);
    for (uint32_t i = 0; i < TASKS; i++) tasks[i].start = -1;
    for (uint32_t i = 0; i < TASKS; i++) {
      task *t = &tasks[i];
      for (int64_t at = t->submit; t->start < 0; at++)
        for (uint32_t h = 0; h < HOSTS && t->start < 0; h++) {
          if (!has_room(tasks, t, h, at, at + length_on(t, h), END)) continue;
          t->start = at;
          t->host = h;
          t->length = length_on(t, h);
        }
    }
    run(&b, "conservative", text);
    for (uint32_t i = 0; i < TASKS; i++)
      if (start_of(&b, i + 1) != tasks[i].start || end_of(&b, i + 1) != tasks[i].start + tasks[i].length)
        fail_msg("seed %llu, task %u runs from %lld to %lld, not from %lld to %lld", (unsigned long long)seed,
                 i + 1, (long long)start_of(&b, i + 1), (long long)end_of(&b, i + 1),
                 (long long)tasks[i].start, (long long)(tasks[i].start + tasks[i].length));
    end(&b);
  }
}

/* What the run did: starts, lengths, hosts. */
static void take_schedule(bench *b, task *tasks)
{
  hc_verify_hosts hosts;
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  assert_int_equal(hc_verify_hosts_read(b->allocator, r, &hosts, &b->error), 1);
  for (size_t i = 0; i < b->count; i++) {
    task *t = &tasks[b->records[i].id - 1];
    t->start = start_of(b, b->records[i].id);
    t->length = end_of(b, b->records[i].id) - t->start;
    for (size_t g = 0; g < hosts.grant_count; g++)
      if (hosts.grants[g].serial == b->records[i].serial) t->host = hosts.grants[g].host;
    assert_int_equal(t->length, length_on(t, t->host));
  }
  hc_verify_hosts_free(b->allocator, &hosts);
  hc_result_free(r);
}

/* When it has room by what has started until `now`. */
static int64_t shadow_of(const task *tasks, const task *t, int64_t now)
{
  for (int64_t at = now;; at++)
    for (uint32_t h = 0; h < HOSTS; h++)
      if (has_room(tasks, t, h, at, at + 1, now)) return at;
}

static void easy_never_delays_the_head(void **state)
{
  static const char *const policies[] = {"{order: fcfs, select: easy}",
                                         "{order: fcfs, select: {use: easy, reserve: hosts}}"};
  static char text[1 << 14];
  (void)state;
  for (size_t p = 0; p < COUNT(policies); p++)
    for (uint64_t seed = 1; seed <= 25; seed++) {
      task tasks[TASKS];
      int64_t last = 0; /* when the last of those before had started */
      bench b;
      make_tasks(tasks, seed, text, sizeof text);
      run(&b, policies[p], text);
      take_schedule(&b, tasks);
      for (uint32_t i = 0; i < TASKS; i++) {
        const int64_t head_since = last > tasks[i].submit ? last : tasks[i].submit;
        if (tasks[i].start > head_since) {
          task others[TASKS];
          memcpy(others, tasks, sizeof others);
          const int64_t shadow = shadow_of(others, &others[i], head_since);
          if (tasks[i].start > shadow)
            fail_msg("%s, seed %llu: task %u is the head from %lld on, has room at %lld, and starts at %lld",
                     policies[p], (unsigned long long)seed, i + 1, (long long)head_since, (long long)shadow,
                     (long long)tasks[i].start);
        }
        last = tasks[i].start > last ? tasks[i].start : last;
      }
      end(&b);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conservative_starts_as_the_brute_force_says),
      cmocka_unit_test(easy_never_delays_the_head),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
