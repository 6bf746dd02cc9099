/* test_saves.c -- checkpoints that share a store, against a walk from event to event.
 *
 * Each task has a host to itself and works in stretches of `every`, after each of which it writes bytes to
 * one store for all; a host that goes down sends its task back to its last complete checkpoint, which it
 * reads on the first host that is free. The walker knows what is left of each task's stretch, write or read,
 * and that writers share one bandwidth evenly, and readers another: no solver, no model, no log. What ends
 * does so at the first whole ns at which it is done. A run must start and end each task when the walker does,
 * to 2 ns: both add up reals, and a last bit may decide which ns is the first. A failure prints the seed. */
#include "../unit/engine/engine_test.h"

#include "base/math.h"
#include "base/util.h"
#include "sample.h"

enum { TASKS = 12, HOSTS = 6, DOWNS = 5, SEEDS = 120 };
typedef enum phase { WAITS, READS, WORKS, WRITES, OVER } phase;

typedef struct task {
  double submit, parts[3], work; /* s; of the profile: parts one after the other */
  double start, end;             /* ns */
  double left, saved, done;      /* s or bytes of its phase; s that are saved, and done up to the phase */
  phase at;
  int host;
} task;

typedef struct world {
  task tasks[TASKS];
  double down[HOSTS][DOWNS], up[HOSTS][DOWNS];
  double every, bytes, write, read;
  uint64_t losses, shared;
} world;

static double between(hc_draws *d, int64_t from, int64_t to)
{
  return (double)(from + (int64_t)hc_random_below(d, (uint64_t)(to - from + 1)));
}

static void make_world(world *w, hc_draws *d)
{
  *w = (world){.every = between(d, 5, 30),
               .bytes = between(d, 20, 400),
               .write = between(d, 30, 90),
               .read = between(d, 30, 150)};
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    t->submit = (i > 0 ? w->tasks[i - 1].submit : 0) + between(d, 1, 25);
    for (int k = 0; k < 3; k++) t->work += t->parts[k] = between(d, 1, 40);
    t->start = t->end = -1;
  }
  for (int h = 0; h < HOSTS; h++) {
    double at = 0.25; /* so that nothing else happens at the time */
    for (int k = 0; k < DOWNS; k++) {
      w->down[h][k] = at += between(d, 10, 120);
      w->up[h][k] = at += between(d, 1, 30);
    }
  }
}

/* ---- the walk ---- */

static int count(const world *w, phase at)
{
  int n = 0;
  for (int i = 0; i < TASKS; i++) n += w->tasks[i].at == at;
  return n;
}

static double rate_of(const world *w, const task *t)
{
  if (t->at == WORKS) return 1;
  return (t->at == WRITES ? w->write : w->read) / count(w, t->at);
}

static void work_on(const world *w, task *t)
{
  t->at = WORKS;
  t->left = HC_MIN(w->every, t->work - t->done);
}

static bool is_up(const world *w, int host, double now)
{
  for (int k = 0; k < DOWNS; k++)
    if (w->down[host][k] * 1e9 <= now && now < w->up[host][k] * 1e9) return false;
  return true;
}

static bool is_free(const world *w, int host)
{
  for (int i = 0; i < TASKS; i++)
    if (w->tasks[i].at > WAITS && w->tasks[i].at < OVER && w->tasks[i].host == host) return false;
  return true;
}

static void start_those_that_can(world *w, double now)
{
  for (int i = 0; i < TASKS; i++) {
    task *t = &w->tasks[i];
    for (int h = 0; h < HOSTS && t->at == WAITS && t->submit * 1e9 <= now; h++) {
      if (!is_up(w, h, now) || !is_free(w, h)) continue;
      t->host = h;
      t->start = now;
      t->done = t->saved;
      if (t->saved > 0) {
        t->at = READS;
        t->left = w->bytes;
      } else {
        work_on(w, t);
      }
    }
  }
}

/* What has come to the end of its phase goes on with the next one. */
static void go_on(world *w, task *t, double now)
{
  if (t->left > 1e-9 || t->at == WAITS || t->at == OVER) return;
  if (t->at == READS) work_on(w, t);
  else if (t->at == WRITES) {
    t->saved = t->done;
    work_on(w, t);
  } else {
    t->done += HC_MIN(w->every, t->work - t->done);
    t->at = t->done >= t->work ? OVER : WRITES;
    t->left = w->bytes;
    if (t->at == OVER) t->end = now;
  }
}

/* The first whole ns at which so much is done at a rate per second, but for what is rounding. */
static double whole(double left, double rate)
{
  const double ns = left / rate * 1e9;
  const double down = (double)(int64_t)ns;
  return ns - down > 1e-4 ? down + 1 : down;
}

static double earlier(double next, double at, double now)
{
  return at > now && at < next ? at : next;
}

static double next_change(const world *w, double now)
{
  double next = 1e18;
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    if (t->at == WAITS) next = earlier(next, t->submit * 1e9, now);
    else if (t->at != OVER) next = HC_MIN(next, now + whole(t->left, rate_of(w, t)));
  }
  for (int h = 0; h < HOSTS; h++)
    for (int k = 0; k < DOWNS; k++) {
      next = earlier(next, w->down[h][k] * 1e9, now);
      next = earlier(next, w->up[h][k] * 1e9, now);
    }
  return next;
}

static void walk(world *w)
{
  for (double now = 0; count(w, OVER) < TASKS;) {
    const double next = next_change(w, now);
    double rates[TASKS];
    w->shared += count(w, WRITES) > 1;
    for (int i = 0; i < TASKS; i++) rates[i] = rate_of(w, &w->tasks[i]);
    for (int i = 0; i < TASKS; i++)
      if (w->tasks[i].at != WAITS) w->tasks[i].left -= rates[i] * (next - now) / 1e9;
    now = next;
    for (int i = 0; i < TASKS; i++) go_on(w, &w->tasks[i], now);
    for (int i = 0; i < TASKS; i++) {
      task *t = &w->tasks[i];
      if (t->at == WAITS || t->at == OVER || is_up(w, t->host, now)) continue;
      t->at = WAITS;
      w->losses++;
    }
    start_those_that_can(w, now);
  }
}

/* ---- the run ---- */

static void carry_out(bench *b, const world *w, uint64_t pieces)
{
  hc_buffer text, yaml;
  memset(b, 0, sizeof *b);
  hc_buffer_init(&text, hc_default_allocator());
  hc_buffer_init(&yaml, hc_default_allocator());
  for (int i = 0; i < TASKS; i++) {
    const task *t = &w->tasks[i];
    hc_buffer_printf(&text, "- {id: %d, submit_time: %g, resources: {cpu_per_node: 2}, ", i + 1, t->submit);
    hc_buffer_printf(&text, "profile: {sequence: [{idle: %g}, {compute_homogeneous: %g}, {idle: %g}]}}\n",
                     t->parts[0], 2 * t->parts[1], t->parts[2]);
  }
  write_log(b->path, text.data, text.size);
  hc_buffer_printf(
      &yaml,
      "source: {use: native, file: FILE}\nparanoid: true\nmetrics: [failures]\n"
      "policy: {select: scan}\ncell: {use: hosts, classes: [{name: h, count: %d, cpus: 2}]}\n"
      "execution: {use: activities, cpu_speed: 1, disks: [{shared: true, mount: /pfs, "
      "read_bandwidth: %g, write_bandwidth: %g}]}\n"
      "checkpoint: {use: fixed, every: %gs, size: %gB, store: /pfs}\nevents:\n  use: list\n  changes:\n",
      HOSTS, w->read, w->write, w->every, w->bytes);
  for (int h = 0; h < HOSTS; h++)
    for (int k = 0; k < DOWNS; k++)
      hc_buffer_printf(&yaml, "  - {at: %.2f, hosts: %d, change: down, until: %.2f}\n", w->down[h][k], h,
                       w->up[h][k]);
  check(b, try_run(b, yaml.data, NULL));
  hc_buffer_fini(&text);
  hc_buffer_fini(&yaml);
  if (pieces > 0) finish_in_pieces(b, pieces);
  else finish(b);
}

static void assert_same(const world *w, uint64_t pieces, uint64_t seed)
{
  static bench b;
  carry_out(&b, w, pieces);
  assert_int_equal(b.count, TASKS);
  for (int i = 0; i < TASKS; i++) {
    const hc_task_record *r = record_of(&b, i + 1);
    const double start = (double)r->start, end = (double)r->end;
    const task *t = &w->tasks[i];
    if (r->final != HC_FINAL_COMPLETED || start < t->start - 2 || start > t->start + 2 ||
        end < t->end - 2 || end > t->end + 2)
      fail_msg("seed %" PRIu64 ": task %d runs from %.0f to %.0f and should from %.0f to %.0f", seed, i + 1,
               start, end, t->start, t->end);
  }
  end(&b);
}

static void test_a_store_is_shared_as_by_a_walk(void **state)
{
  static world w;
  uint64_t losses = 0, shared = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= hc_test_cases(SEEDS, 30); seed++) {
    hc_draws d = {.seed = seed, .purpose = HC_PURPOSE_TEST, .entity = 3};
    make_world(&w, &d);
    walk(&w);
    losses += w.losses;
    shared += w.shared;
    assert_same(&w, 0, seed);
    if (seed % 3 == 0) assert_same(&w, 1 + seed % 4, seed);
  }
  assert_true(losses > 50 && shared > 500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_store_is_shared_as_by_a_walk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
