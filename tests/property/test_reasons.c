/* test_reasons.c -- what `why` says, against brute force on random small cases.
 *
 *   would delay X, promised from P on    under conservative with exact limits promises are starts, so the
 *   rest of the plan is the schedule itself: the task laid over it from that time on leaves X
 *                                        too little at P, and leaves enough to all before P. And where a
 *                                        decision leaves the task waiting though it would fit, such a
 *                                        promise is named of N hosts: ...                      each number
 *                                        is that of a count over hosts and records, and they sum to N
 *                                        nothing is decided otherwise         a run that explains is the run
 *                                        that does not, for each of its tasks
 *
 * A failure prints the seed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "hindcast/run.h"
#include "sample.h"

enum { TASKS = 24, PROCS = 10, LINES = 512 };

typedef struct told {
  hc_time at, when;
  hc_note what;
  uint64_t other;
  char text[480];
} told;

typedef struct story {
  told lines[LINES];
  size_t count;
} story;

static void hear(void *ctx, const hc_why_record *w)
{
  story *s = ctx;
  if (s->count == LINES) return;
  told *t = &s->lines[s->count++];
  *t = (told){.at = w->time, .when = w->at, .what = w->what, .other = w->other};
  (void)snprintf(t->text, sizeof t->text, "%s", w->text);
}

static uint32_t below(hc_draws *d, uint32_t n)
{
  return (uint32_t)hc_random_below(d, n);
}

/* ---- conservative, by the schedule ---- */

static void make_jobs(job *jobs, hc_draws *d, bool exact)
{
  int64_t at = 0;
  for (int64_t i = 0; i < TASKS; i++) {
    const int64_t run = 1 + below(d, 30), width = 1 + below(d, below(d, 3) ? 5 : PROCS);
    at += below(d, 2) * below(d, 12);
    jobs[i] = (job)J(i + 1, at, run, width, exact ? run : run + below(d, 20));
  }
}

/* Processors; on hosts units are thousandths of a core, and no task is as wide as that on counted ones. */
static int64_t width(const hc_task_record *r)
{
  return r->units >= 1000 ? r->units / 1000 : r->units;
}

/* Processors in use at a time by tasks that are known by then: the plan as it stood at `now`. */
static int64_t used_at(const bench *b, hc_time at, hc_time now, int64_t but)
{
  int64_t used = 0;
  for (size_t i = 0; i < b->count; i++) {
    const hc_task_record *r = &b->records[i];
    if (r->id == but || r->submit > now) continue;
    if (r->start <= at && at < r->end) used += width(r);
  }
  return used;
}

/* The first task that the start of `t` at `now` would leave too little, by going through all starts that are
 * planned then; of those at one time the first in the queue gets what there is. @return its number; 0: none
 * */
static int64_t delayed_by(const bench *b, const hc_task_record *t, hc_time now)
{
  const hc_time until = now + (t->end - t->start);
  int64_t best = 0;
  hc_time first = HC_NEVER;
  for (size_t i = 0; i < b->count; i++) {
    const hc_task_record *r = &b->records[i];
    int64_t used = used_at(b, r->start, now, t->id);
    if (r->id == t->id || r->submit > now || r->start <= now || r->start >= until) continue;
    for (size_t k = 0; k < b->count; k++)
      if (b->records[k].start == r->start && b->records[k].submit <= now && b->records[k].id > r->id &&
          b->records[k].id != t->id)
        used -= width(&b->records[k]);
    if (used + width(t) <= PROCS || r->start > first || (r->start == first && r->id > best)) continue;
    first = r->start;
    best = r->id;
  }
  return best;
}

/* What waits at `now` behind no decision that could have started it: the times at which something happened.
 * */
static bool happened_at(const bench *b, hc_time now)
{
  for (size_t i = 0; i < b->count; i++)
    if (b->records[i].submit == now || b->records[i].end == now || b->records[i].start == now) return true;
  return false;
}

static const told *reason_at(const story *s, hc_time now)
{
  const told *last = NULL;
  for (size_t i = 0; i < s->count && s->lines[i].at <= now; i++)
    if (s->lines[i].what == HC_NOTE_DELAYS) last = &s->lines[i];
  return last;
}

static size_t check_story(const bench *b, const story *s, const hc_task_record *t, uint64_t seed)
{
  size_t named = 0;
  for (size_t i = 0; i < s->count; i++) {
    const told *x = &s->lines[i];
    if (x->what != HC_NOTE_DELAYS) continue;
    const hc_task_record *other = record_of(b, (int64_t)x->other + 1);
    const int64_t expected = delayed_by(b, t, x->at);
    if (other->id != expected || x->when != other->start)
      fail_msg("seed %" PRIu64 ": task %" PRId64 " at %" PRId64 ": %s; by hand task %" PRId64, seed, t->id,
               x->at / HC_SECOND, x->text, expected);
    named++;
  }
  for (hc_time now = t->submit; now < t->start; now += HC_SECOND) {
    const told *x = reason_at(s, now);
    if (!happened_at(b, now) || used_at(b, now, now, t->id) + width(t) > PROCS) continue;
    if (!x || record_of(b, (int64_t)x->other + 1)->start <= now)
      fail_msg("seed %" PRIu64 ": task %" PRId64 " would fit at %" PRId64 ", and no promise is named", seed,
               t->id, now / HC_SECOND);
  }
  return named;
}

/* @param cell of ten processors, or of one host of ten cores, where promises name hosts and are tried one by
 * one */
static void conservative_on(const char *cell)
{
  static bench b, plain;
  static story s;
  size_t named = 0;
  for (uint64_t seed = 1; seed <= hc_test_cases(40, 6); seed++) {
    hc_draws d = {.seed = seed, .entity = 77};
    job jobs[TASKS];
    char yaml[300];
    const char *policy = seed % 4 == 0 ? "policy: {order: fcfs, select: {use: conservative, replan: none}}"
                                       : "policy: {order: fcfs, select: conservative}";
    (void)snprintf(yaml, sizeof yaml, "cell: %s\n%s", cell, policy);
    make_jobs(jobs, &d, true);
    begin(&plain, yaml, PROCS, jobs, TASKS, NULL);
    finish(&plain);
    for (int64_t id = 1; id <= TASKS; id++) {
      s.count = 0;
      begin(&b, yaml, PROCS, jobs, TASKS, NULL);
      check(&b, hc_run_explain(b.run, (uint64_t)id - 1, hear, &s));
      finish(&b);
      for (int64_t k = 1; k <= TASKS; k++) assert_int_equal(start_of(&b, k), start_of(&plain, k));
      named += check_story(&b, &s, record_of(&b, id), seed);
      end(&b);
    }
    end(&plain);
  }
  assert_true(named > 100 || hc_test_is_sample());
}

static void test_conservative(void **state)
{
  (void)state;
  conservative_on("{use: count, procs: 10}");
}

static void test_conservative_on_a_host(void **state)
{
  (void)state;
  conservative_on("{use: hosts, classes: [{count: 1, name: a, cpus: 10}]}");
}

/* ---- nothing is decided otherwise ---- */

static const char *const policies[] = {
    "{order: fcfs, select: easy}",
    "{order: sjf, select: {use: easy, depth: 3}}",
    "{order: fcfs, select: {use: easy, sticky: true, retry: at_reservation}}",
    "{order: fcfs, select: {use: easy, relax: 1}}",
    "{order: fcfs, select: {use: conservative, replan: compress}}",
    "{order: largest, select: {use: conservative, replan: always}}",
    "{order: fcfs, select: {use: slack, factor: 1, depth: 5}}",
    "{order: fcfs, select: blocking}",
    "{use: fair}",
    "{use: fair, share: hdrf}",
};
static const char *const cells[] = {
    "{use: count, procs: 10}",
    "{use: intervals, procs: 10}",
    "{use: hosts, classes: [{count: 1, name_prefix: a, cpus: 6}, {count: 4, name_prefix: b, cpus: 1}]}",
    "{use: hosts, classes: [{count: 10, name_prefix: a, cpus: 1}]}",
};

static void test_nothing_moves(void **state)
{
  static bench b, plain;
  static story s;
  size_t told_of = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(120, 20); seed++) {
    hc_draws d = {.seed = seed, .entity = 78};
    job jobs[TASKS];
    char yaml[400], one[33], two[33];
    const size_t cell = seed / COUNT(policies) % COUNT(cells);
    make_jobs(jobs, &d, seed % 3 == 0);
    for (size_t i = 0; i < TASKS; i++) jobs[i].user = 1 + below(&d, 3);
    for (size_t i = 0; i < TASKS && cell == 2; i++) jobs[i].procs = HC_MIN(jobs[i].procs, 6);
    (void)snprintf(yaml, sizeof yaml, "cell: %s\npolicy: %s\nparanoid: true\n", cells[cell],
                   policies[seed % COUNT(policies)]);
    begin(&plain, yaml, PROCS, jobs, TASKS, NULL);
    finish(&plain);
    check(&plain, hc_run_digest(plain.run, one, &plain.error));
    for (uint64_t serial = below(&d, 3); serial < TASKS; serial += 3) {
      s.count = 0;
      begin(&b, yaml, PROCS, jobs, TASKS, NULL);
      check(&b, hc_run_explain(b.run, serial, hear, &s));
      finish(&b);
      check(&b, hc_run_digest(b.run, two, &b.error));
      if (strcmp(one, two) != 0) fail_msg("seed %" PRIu64 ", serial %" PRIu64 ": %s", seed, serial, yaml);
      for (int64_t id = 1; id <= TASKS; id++) assert_int_equal(start_of(&b, id), start_of(&plain, id));
      assert_true(s.count >= 2); /* it arrives and starts */
      told_of += s.count;
      end(&b);
    }
    end(&plain);
  }
  assert_true(told_of > 1000 || hc_test_is_sample());
}

/* ---- hosts, counted ---- */

enum { HOST_COUNT = 9, KINDS = 5 };
/* three of 2 cores and 4 GB, three of 8 and 8, three of 8, 8 and 2 GPUs */
static const char hosts_yaml[] =
    "source: {use: csv, file: FILE, memory_unit: 1GB}\nmetrics: []\nparanoid: true\n"
    "cell: {use: hosts, classes: [{count: 3, name_prefix: a, cpus: 2, memory: 4GB}, {count: 3, "
    "name_prefix: b, cpus: 8, memory: 8GB}, {count: 3, name_prefix: c, cpus: 8, memory: 8GB, gpus: 2}]}\n";
static const int64_t has[3][3] = {{2, 4, 0}, {8, 8, 0}, {8, 8, 2}};

typedef struct wide {
  int64_t at, run, need[3]; /* cores, GB, GPUs */
} wide;

typedef struct placed {
  int64_t host[64]; /* by serial; -1 */
} placed;

static hc_rc take_grant(void *ctx, const char *const *v)
{
  placed *p = ctx;
  p->host[strtoll(v[0], NULL, 10)] = strtoll(v[1], NULL, 10);
  return 0;
}

/* The number before these words, or 0. */
static int64_t number_of(const char *text, const char *words)
{
  const char *at = strstr(text, words);
  if (!at) return 0;
  at--;
  while (at > text && at[-1] >= '0' && at[-1] <= '9') at--;
  return strtoll(at, NULL, 10);
}

static void check_line(const bench *b, const placed *p, const wide *tasks, int64_t id, const told *x,
                       uint64_t seed)
{
  static const char *const what[7] = {
      "with too little cpu",      "with too little memory",      "with too little gpu",
      "with too little free cpu", "with too little free memory", "with too little free gpu",
      "with room for it"};
  int64_t expected[7] = {0}, sum = 0;
  for (int64_t h = 0; h < HOST_COUNT; h++) {
    int64_t free[3];
    int kind = 6;
    memcpy(free, has[h / 3], sizeof free);
    for (size_t i = 0; i < b->count; i++) {
      const hc_task_record *r = &b->records[i];
      if (p->host[r->serial] != h || r->start > x->at || r->end <= x->at) continue;
      for (int k = 0; k < 3; k++) free[k] -= tasks[r->id - 1].need[k];
    }
    for (int k = 2; k >= 0; k--)
      if (tasks[id - 1].need[k] > free[k]) kind = 3 + k;
    for (int k = 2; k >= 0; k--)
      if (tasks[id - 1].need[k] > has[h / 3][k]) kind = k;
    expected[kind]++;
  }
  for (int k = 0; k < 7; k++) {
    const int64_t said = number_of(x->text, what[k]);
    sum += said;
    if (said != expected[k])
      fail_msg("seed %" PRIu64 ", task %" PRId64 " at %" PRId64 ": %s; %" PRId64 " %s", seed, id,
               x->at / HC_SECOND, x->text, expected[k], what[k]);
  }
  assert_int_equal(sum, HOST_COUNT);
}

static void write_wide(hc_buffer *out, wide *tasks, hc_draws *d)
{
  int64_t at = 0;
  hc_buffer_printf(out, "id,submit,run,limit,cpu,memory,gpu\n");
  for (int64_t i = 0; i < TASKS; i++) {
    wide *t = &tasks[i];
    at += below(d, 3);
    *t = (wide){at, 5 + below(d, 40), {1 + below(d, 8), 1 + below(d, 8), below(d, 3) ? 0 : 1 + below(d, 2)}};
    hc_buffer_printf(out,
                     "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
                     i + 1, t->at, t->run, t->run, t->need[0], t->need[1], t->need[2]);
  }
}

static void test_hosts(void **state)
{
  static bench b;
  static story s;
  size_t lines = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(12, 3); seed++) {
    hc_draws d = {.seed = seed, .entity = 79};
    wide tasks[TASKS];
    hc_buffer text;
    char path[64];
    hc_buffer_init(&text, hc_default_allocator());
    write_wide(&text, tasks, &d);
    write_log(path, text.data, text.size);
    for (int64_t id = 1; id <= TASKS; id++) {
      char yaml[800];
      placed p;
      hc_result *r;
      const told *last = NULL;
      (void)snprintf(yaml, sizeof yaml, "%spolicy: {order: fcfs, select: %s, place: %s}\n", hosts_yaml,
                     seed % 2 ? "scan" : "blocking", seed % 2 ? "best_fit" : "first_fit");
      memset(&b, 0, sizeof b);
      memset(&p, -1, sizeof p);
      memcpy(b.path, path, sizeof path);
      check(&b, configure(&b, hc_default_allocator(), yaml, NULL));
      check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
      check(&b, hc_run_new(b.allocator, b.config, b.store, &b.run, &b.error));
      s.count = 0;
      check(&b, hc_run_explain(b.run, (uint64_t)id - 1, hear, &s));
      finish(&b);
      check(&b, hc_result_of_store(b.store, &r, &b.error));
      check(&b, hc_result_rows(r, "grants", 12, take_grant, &p, &b.error));
      hc_result_free(r);
      for (size_t i = 0; i < s.count; i++) {
        if (strncmp(s.lines[i].text, "of 9 hosts: ", 12) != 0) continue;
        if (last && last->at != s.lines[i].at) check_line(&b, &p, tasks, id, last, seed);
        last = &s.lines[i];
        lines++;
      }
      if (last) check_line(&b, &p, tasks, id, last, seed);
      hc_run_free(b.run);
      hc_store_free(b.store);
      hc_config_free(b.config);
      hc_registry_free(b.registry);
    }
    (void)unlink(path);
    hc_buffer_fini(&text);
  }
  assert_true(lines > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_conservative),
                                     cmocka_unit_test(test_conservative_on_a_host),
                                     cmocka_unit_test(test_nothing_moves), cmocka_unit_test(test_hosts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
