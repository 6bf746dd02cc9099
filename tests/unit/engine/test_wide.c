/* test_wide.c -- runs with as many dimensions as there can be, and with as many GPUs on a host.
 *
 * A brute force that walks time second by second says when each task starts, on which host and on which of
 * its GPUs; the run, in one go and saved after every few instants, must say the same, and the checker must
 * agree with all of its rows. And the numbers of dimensions are of no matter: a run whose dimensions are the
 * first of all, and the same one behind 56 others, have the same schedule under every kind of policy. */
#include "engine_test.h"

#include "cluster/lexicon.h"

enum { HOSTS = 5, TASKS = 60, OTHERS = HC_DIMENSIONS - HC_DIM_OTHER, SAID = 3, LONGEST = 4000 };

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

/* ---- what is run ---- */

typedef struct task {
  int64_t submit, run, cpu, gpu; /* seconds, cores, thousandths */
  uint32_t other[SAID];          /* dimensions, from 0 */
  int64_t amount[SAID];
  int64_t start;
  uint32_t host;
  hc_devices devices;
} task;

typedef struct host {
  int64_t cpu, other[OTHERS], device[HC_DEVICES];
  uint32_t devices;
} host;

typedef struct world {
  host hosts[HOSTS];
  task tasks[TASKS];
} world;

static void make_world(world *w, uint64_t seed)
{
  static const uint32_t gpus[HOSTS] = {0, 4, 33, 70, HC_DEVICES};
  uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  int64_t at = 0;
  memset(w, 0, sizeof *w);
  for (uint32_t h = 0; h < HOSTS; h++) {
    w->hosts[h].cpu = 6 + h;
    w->hosts[h].devices = gpus[h];
    for (uint32_t i = 0; i < gpus[h]; i++) w->hosts[h].device[i] = HC_DEVICE;
    for (uint32_t d = 0; d < OTHERS; d++) w->hosts[h].other[d] = 3 + (d + h) % 5;
  }
  for (uint32_t i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    t->submit = at += below(&s, 3);
    t->run = 1 + below(&s, 40);
    t->cpu = 1 + below(&s, 3);
    for (int k = 0; k < SAID; k++)
      t->other[k] = k == 0 ? below(&s, OTHERS) : (t->other[k - 1] + 1 + below(&s, 19)) % OTHERS;
    for (int k = 0; k < SAID; k++) t->amount[k] = 1 + below(&s, 3);
    if (below(&s, 2))
      t->gpu = below(&s, 2) ? 100 * (1 + below(&s, 9))
                            : HC_DEVICE * (1 + (int64_t)below(&s, below(&s, 3) ? 30 : HC_DEVICES));
  }
}

static size_t tell_cell(const world *w, char *text, size_t cap)
{
  size_t n = (size_t)snprintf(
      text, cap,
      "source: {use: native, file: FILE}\nparanoid: true\nmetrics: []\ncell: {use: hosts, classes: [");
  for (uint32_t h = 0; h < HOSTS; h++) {
    n += (size_t)snprintf(text + n, cap - n, "%s{name: h%u, cpus: %lld, gpus: %u, amounts: [", h ? ", " : "",
                          h, (long long)w->hosts[h].cpu, w->hosts[h].devices);
    for (uint32_t d = 0; d < OTHERS; d++)
      n += (size_t)snprintf(text + n, cap - n, "%s'x%u=%lld'", d ? ", " : "", d,
                            (long long)w->hosts[h].other[d]);
    n += (size_t)snprintf(text + n, cap - n, "]}");
  }
  return n + (size_t)snprintf(text + n, cap - n, "]}\n");
}

static void tell_tasks(const world *w, char *text, size_t cap)
{
  size_t n = 0;
  for (uint32_t i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    n += (size_t)snprintf(text + n, cap - n,
                          "- {id: %u, submit_time: %lld, delay: %lld, resources: {cpu: %lld", i + 1,
                          (long long)t->submit, (long long)t->run, (long long)t->cpu);
    if (t->gpu > 0)
      n += (size_t)snprintf(text + n, cap - n, ", gpu: %lld.%03lld", (long long)t->gpu / 1000,
                            (long long)t->gpu % 1000);
    for (int k = 0; k < SAID; k++)
      n += (size_t)snprintf(text + n, cap - n, ", x%u: %lld", t->other[k], (long long)t->amount[k]);
    n += (size_t)snprintf(text + n, cap - n, "}}\n");
  }
}

/* ---- the brute force ---- */

static void move(host *h, const task *t, int sign)
{
  const int64_t each = t->gpu < HC_DEVICE ? t->gpu : HC_DEVICE;
  h->cpu += sign * t->cpu;
  for (int k = 0; k < SAID; k++) h->other[t->other[k]] += sign * t->amount[k];
  for (uint32_t i = 0; i < HC_DEVICES; i++)
    if (hc_devices_have(&t->devices, i)) h->device[i] += sign * each;
}

/* A part of a GPU: the fullest that has room, the lowest of equal ones. Whole ones: the lowest that are
 * free. */
static bool find_devices(const host *h, task *t)
{
  int64_t left = t->gpu / HC_DEVICE;
  int best = -1;
  t->devices = (hc_devices){0};
  if (t->gpu == 0) return true;
  if (t->gpu < HC_DEVICE) {
    for (uint32_t i = 0; i < h->devices; i++)
      if (h->device[i] >= t->gpu && (best < 0 || h->device[i] < h->device[best])) best = (int)i;
    if (best >= 0) hc_devices_add(&t->devices, (uint32_t)best);
    return best >= 0;
  }
  for (uint32_t i = 0; i < h->devices && left > 0; i++) {
    if (h->device[i] != HC_DEVICE) continue;
    hc_devices_add(&t->devices, i);
    left--;
  }
  return left == 0;
}

static bool starts_on(const host *h, task *t)
{
  if (h->cpu < t->cpu) return false;
  for (int k = 0; k < SAID; k++)
    if (h->other[t->other[k]] < t->amount[k]) return false;
  return find_devices(h, t);
}

/* Whichever fits starts, in order of submission, on the lowest host. */
static void play(world *w)
{
  for (uint32_t i = 0; i < TASKS; i++) w->tasks[i].start = -1;
  for (int64_t now = 0; now < LONGEST; now++) {
    for (uint32_t i = 0; i < TASKS; i++)
      if (w->tasks[i].start >= 0 && w->tasks[i].start + w->tasks[i].run == now)
        move(&w->hosts[w->tasks[i].host], &w->tasks[i], 1);
    for (uint32_t i = 0; i < TASKS; i++) {
      task *t = &w->tasks[i];
      for (uint32_t h = 0; t->start < 0 && t->submit <= now && h < HOSTS; h++) {
        if (!starts_on(&w->hosts[h], t)) continue;
        t->start = now;
        t->host = h;
        move(&w->hosts[h], t, -1);
      }
    }
  }
}

/* ---- the run ---- */

static void say(void *ctx, const hc_violation *v)
{
  (void)ctx;
  print_error("task %lld at %lld: %s\n", (long long)v->id, (long long)v->at, v->text);
}

static const task *task_of(const bench *b, const world *w, int64_t serial)
{
  for (size_t i = 0; i < b->count; i++)
    if (b->records[i].serial == serial) return &w->tasks[b->records[i].id - 1];
  fail_msg("no task has the serial %lld", (long long)serial);
  return NULL;
}

/* Hosts, GPUs and amounts of every grant; by the lexicon the x that the file names first is the first behind
 * gpu. */
static void check_rows(bench *b, const world *w, hc_rc expected, void (*damage)(hc_verify_hosts *))
{
  hc_verify_hosts hosts;
  hc_verify_options o = {.honours_run = true, .hosts = &hosts};
  hc_verify_report report;
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  assert_int_equal(hc_verify_hosts_read(b->allocator, r, &hosts, &b->error), 1);
  assert_int_equal(hosts.dimensions, HC_DIMENSIONS);
  assert_int_equal(hosts.grant_count, TASKS);
  for (size_t i = 0; i < hosts.grant_count; i++) {
    const hc_verify_grant *g = &hosts.grants[i];
    const task *t = task_of(b, w, g->serial);
    int64_t all = 0;
    assert_int_equal(g->host, t->host);
    assert_memory_equal(&g->devices, &t->devices, sizeof g->devices);
    assert_int_equal(g->amount[HC_DIM_CPU], 1000 * t->cpu);
    assert_int_equal(g->amount[HC_DIM_GPU], t->gpu);
    for (int d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) all += g->amount[d];
    for (int k = 0; k < SAID; k++) all -= t->amount[k];
    assert_int_equal(all, 0);
  }
  if (damage) damage(&hosts);
  assert_int_equal(hc_verify(b->allocator, &o, b->records, b->count, damage ? NULL : say, NULL, &report),
                   expected);
  hc_verify_hosts_free(b->allocator, &hosts);
  hc_result_free(r);
}

static void set(const int64_t *amount, int64_t x)
{
  *(int64_t *)(uintptr_t)amount = x;
}

static void overfill(hc_verify_hosts *h)
{
  for (size_t i = 0; i < h->host_count; i++)
    for (int d = HC_NEEDS; d < HC_DIMENSIONS; d++) set(&h->hosts[i].amount[d], 0);
}

/* One of the GPUs from the 64th on is not told. */
static void lose_devices(hc_verify_hosts *h)
{
  for (size_t i = 0; i < h->grant_count; i++) {
    hc_devices *d = &((hc_verify_grant *)(uintptr_t)h->grants)[i].devices;
    d->bits[1] &= d->bits[1] - (d->bits[1] != 0);
  }
}

static void the_widest_run_is_as_the_brute_force_says(void **state)
{
  static char yaml[1 << 15], tasks[1 << 15];
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    world *w = test_malloc(sizeof *w);
    make_world(w, seed);
    size_t n = tell_cell(w, yaml, sizeof yaml);
    (void)snprintf(yaml + n, sizeof yaml - n, "policy: fcfs+scan\n");
    tell_tasks(w, tasks, sizeof tasks);
    play(w);
    for (int in_pieces = 0; in_pieces < 2; in_pieces++) {
      bench b;
      check(&b, try_text(&b, yaml, tasks));
      if (in_pieces) finish_in_pieces(&b, 7);
      else finish(&b);
      assert_int_equal(b.count, TASKS);
      for (uint32_t i = 0; i < TASKS; i++) {
        if (start_of(&b, i + 1) != w->tasks[i].start)
          fail_msg("seed %llu, task %u starts at %lld, not %lld", (unsigned long long)seed, i + 1,
                   (long long)start_of(&b, i + 1), (long long)w->tasks[i].start);
      }
      check_rows(&b, w, 0, NULL);
      check_rows(&b, w, HC_EREFUTED, overfill);
      check_rows(&b, w, HC_EREFUTED, lose_devices);
      end(&b);
    }
    test_free(w);
  }
}

/* ---- numbers of dimensions ---- */

/* Three dimensions besides cores and memory, behind so many that no task needs. */
static void tell_small(uint32_t before, const char *policy, char *yaml, size_t cap)
{
  size_t n = (size_t)snprintf(yaml, cap,
                              "source: {use: native, file: FILE}\nparanoid: true\nmetrics: []\n"
                              "cell: {use: hosts, classes: [");
  for (int k = 0; k < 2; k++) {
    n += (size_t)snprintf(yaml + n, cap - n,
                          "%s{name_prefix: %s, count: 3, cpus: %d, memory: 9, speed: %s, amounts: [",
                          k ? ", " : "", k ? "b" : "a", 4 + 4 * k, k && !strstr(policy, "same") ? "2" : "1");
    for (uint32_t i = 0; i < before; i++) n += (size_t)snprintf(yaml + n, cap - n, "'w%u=1', ", i);
    n += (size_t)snprintf(yaml + n, cap - n, "'x=6', 'y=%d', 'z=8']}", 5 + k);
  }
  (void)snprintf(yaml + n, cap - n, "], licences: ['v=5']}\n%s", policy);
}

static void tell_small_tasks(uint64_t seed, uint32_t before, char *text, size_t cap)
{
  uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  size_t n = 0;
  int64_t at = 0;
  for (uint32_t i = 0; i < TASKS; i++) {
    at += below(&s, 8);
    n += (size_t)snprintf(
        text + n, cap - n,
        "- {id: %u, submit_time: %lld, delay: %u, wall_time_limit: %u, resources: {nodes_count: %u, cpu: %u",
        i + 1, (long long)at, 1 + below(&s, 30), 31 + below(&s, 30), 1 + below(&s, 3), 1 + below(&s, 3));
    for (uint32_t k = 0; i == 0 && k < before; k++) n += (size_t)snprintf(text + n, cap - n, ", w%u: 0", k);
    n += (size_t)snprintf(text + n, cap - n, ", x: %u, y: %u, z: %u, v: %u}}\n", below(&s, 5), below(&s, 5),
                          below(&s, 5), below(&s, 3));
  }
}

static void numbers_of_dimensions_are_of_no_matter(void **state)
{
  static const char *const policies[] = {
      "policy: fcfs\n",
      "policy: easy\n",
      "policy: conservative\n",
      "policy: {order: fcfs, select: slack}\n",
      "policy: {order: fcfs, select: scan, place: best_fit}\n",
      "policy: {order: fcfs, select: scan, place: l2_norm}\n",
      "policy: {order: fcfs, select: scan, place: dot_product}\n",
      "policy: {order: fcfs, select: scan, place: {use: random_k, sample: 2}} # same\n",
      "policy: conservative\narchitecture: {use: monolithic, think: 2s}\n",
  };
  static char yaml[1 << 14], tasks[1 << 15];
  (void)state;
  for (size_t p = 0; p < COUNT(policies); p++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      int64_t starts[TASKS];
      char digests[2][33];
      for (int wide = 0; wide < 2; wide++) {
        const uint32_t before = wide ? OTHERS - 4 : 0;
        bench b;
        hc_result *r;
        tell_small(before, policies[p], yaml, sizeof yaml);
        tell_small_tasks(seed, before, tasks, sizeof tasks);
        check(&b, try_text(&b, yaml, tasks));
        if (wide) finish_in_pieces(&b, 5);
        else finish(&b);
        assert_int_equal(b.count, TASKS);
        for (uint32_t i = 0; i < TASKS; i++) {
          const int64_t start = start_of(&b, i + 1);
          if (!wide) starts[i] = start;
          else if (start != starts[i])
            fail_msg("%s, seed %llu: task %u starts at %lld, not %lld", policies[p], (unsigned long long)seed,
                     i + 1, (long long)start, (long long)starts[i]);
        }
        check(&b, hc_result_of_store(b.store, &r, &b.error));
        check(&b, hc_result_digest(r, digests[wide], &b.error));
        assert_int_equal(hc_result_amounts(r), wide ? HC_DIMENSIONS : 8);
        hc_result_free(r);
        end(&b);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_widest_run_is_as_the_brute_force_says),
      cmocka_unit_test(numbers_of_dimensions_are_of_no_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
