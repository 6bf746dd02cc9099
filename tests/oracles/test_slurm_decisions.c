/* test_slurm_decisions.c -- decision by decision the same as a real slurmctld.
 *
 * Each file of tests/oracles/slurm is what the log of a run of Slurm 22.05 says: jobs that came, passes of
 * the main scheduler and cycles of the backfill, what each of them started, on which nodes, what the backfill
 * planned, and ends. The model hears all of that as it happened; when the log says that a pass or cycle
 * begins, the model makes its own decision from the very state that Slurm had, and the two are compared: each
 * start with its nodes, and each plan with its begin, its end and its nodes. So a difference is one of the
 * rules, and not of what went before.
 *
 * The files are made by tests/oracles/slurm/extract (its README says what the lines are). The numbers that
 * differ are exact, and explained in docs/oracles.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/input.h"
#include "base/mem.h"
#include "base/util.h"
#include "policy/slurm/scheduler.h"

#define FAST "bf_interval=2,bf_resolution=1,bf_window=120,bf_max_job_test=1000,sched_interval=10"

enum { MOST_JOBS = 1024, MOST_NODES = 64 };

/* What the model is asked of a job, and what it holds. */
typedef struct known {
  int64_t slots, cpus, memory, least;
  hc_time submitted, limit;
  bool is_spread, has_started, is_gone;
  hc_holding held[MOST_NODES];
  size_t held_count;
} known;

/* One decision: a start or a plan. */
typedef struct decision {
  uint32_t job;
  bool starts;
  int64_t begin, end; /* s, of a plan */
  uint64_t nodes;
  hc_host_room dealt[MOST_NODES]; /* [count] of a start */
  size_t count;
} decision;

struct hc_view {
  hc_time now;
  known jobs[MOST_JOBS];
  int64_t capacity[2];
  hc_slurm slurm;
  decision ours[MOST_JOBS], theirs[MOST_JOBS];
  size_t our_count, their_count;
  bool is_cycle, is_open;
  bool is_untold; /* what the backfill plans is not in the log */
};
typedef struct hc_view state;
struct hc_plan {
  state *of;
};

static state world;

/* ---- what the model may ask ---- */

static hc_time ask_now(const hc_view *v)
{
  return v->now;
}
static uint64_t ask_serial(const hc_view *v, hc_task t)
{
  HC_UNUSED(v);
  return t;
}
static void ask_shape(const hc_view *v, hc_task t, hc_task_shape *out)
{
  const known *x = &v->jobs[t];
  *out = (hc_task_shape){.slots = x->slots,
                         .is_spread = x->is_spread,
                         .least_hosts = (uint32_t)x->least,
                         .most_hosts = (uint32_t)x->least,
                         .set = HC_NO_NAME};
}
static int64_t ask_demand(const hc_view *v, hc_task t, uint32_t d)
{
  return d == 0 ? v->jobs[t].cpus : v->jobs[t].memory;
}
static hc_time ask_estimate(const hc_view *v, hc_task t)
{
  return v->jobs[t].limit;
}
static hc_time ask_submitted(const hc_view *v, hc_task t)
{
  return v->jobs[t].submitted;
}
static int64_t ask_nobody(const hc_view *v, hc_task t)
{
  HC_UNUSED(v);
  HC_UNUSED(t);
  return -1;
}
static uint32_t ask_dimensions(const hc_view *v)
{
  HC_UNUSED(v);
  return 2;
}
static int64_t ask_capacity(const hc_view *v, uint32_t d)
{
  return v->capacity[d];
}
static const int64_t *ask_host_free(const hc_view *v, uint32_t host, const int64_t **capacity)
{
  HC_UNUSED(host);
  *capacity = v->capacity;
  return v->capacity;
}
static bool ask_takes_new(const hc_view *v, uint32_t host)
{
  HC_UNUSED(v);
  HC_UNUSED(host);
  return true;
}
static bool ask_is_shared(const hc_view *v, uint32_t d)
{
  HC_UNUSED(v);
  HC_UNUSED(d);
  return false;
}
static bool ask_could(const hc_view *v, hc_task t, uint32_t host)
{
  HC_UNUSED(v);
  HC_UNUSED(t);
  HC_UNUSED(host);
  return true;
}
static bool ask_is_killed(const hc_view *v, hc_task t)
{
  HC_UNUSED(v);
  HC_UNUSED(t);
  return false;
}
static size_t ask_held(const hc_view *v, hc_task t, const hc_holding **out)
{
  *out = v->jobs[t].held;
  return v->jobs[t].held_count;
}

/* ---- what it decides ---- */

static void hear(state *s, hc_task_event what, hc_task t)
{
  const int64_t none[HC_DIMENSIONS] = {0};
  assert_int_equal(hc_slurm_books_hear(&s->slurm.books, s, what, t, none), 0);
}

static void free_due(state *s)
{
  hc_time at;
  bool killed;
  while (hc_slurm_books_free(&s->slurm.books, s->now, &at, &killed)) {
  }
}

/* A job has these nodes from now on, as many slots of each as it finds room for, in order. */
static void hold(state *s, hc_task t, const hc_host_room *dealt, size_t count)
{
  known *x = &s->jobs[t];
  assert_true(count <= MOST_NODES);
  x->held_count = count;
  for (size_t i = 0; i < count; i++) {
    x->held[i] = (hc_holding){.host = dealt[i].host, .slots = dealt[i].slots};
    x->held[i].amount[0] = x->cpus * dealt[i].slots;
    x->held[i].amount[1] = x->memory * dealt[i].slots;
  }
  x->has_started = true;
  hear(s, HC_TASK_EVENT_ALLOCATED, t);
  hear(s, HC_TASK_EVENT_DEQUEUED, t);
}

static void release(state *s, hc_task t)
{
  hear(s, HC_TASK_EVENT_RELEASED, t);
  free_due(s);
  s->jobs[t].has_started = false;
  s->jobs[t].held_count = 0;
}

static uint64_t nodes_of(const hc_host_room *dealt, size_t count)
{
  uint64_t bits = 0;
  for (size_t i = 0; i < count; i++) bits |= UINT64_C(1) << dealt[i].host;
  return bits;
}

static hc_rc start_dealt(hc_plan *p, hc_task t, const hc_host_room *dealt, size_t count)
{
  state *s = p->of;
  decision *d = &s->ours[s->our_count++];
  *d = (decision){.job = t, .starts = true, .nodes = nodes_of(dealt, count), .count = count};
  memcpy(d->dealt, dealt, count * sizeof *dealt);
  hold(s, t, dealt, count);
  return 0;
}

/* The backfill notes what it promises before it plans it. */
static void note(const hc_view *v, hc_task t, hc_note what, hc_task other, hc_time at, int64_t amount)
{
  state *s = (state *)(uintptr_t)v;
  const hc_slurm *m = &v->slurm;
  const int64_t step = m->settings.bf_resolution, begin = at / HC_SECOND;
  HC_UNUSED(what);
  HC_UNUSED(other);
  HC_UNUSED(amount);
  s->ours[s->our_count++] = (decision){.job = t,
                                       .begin = begin,
                                       .end = (begin + v->jobs[t].limit / HC_SECOND) / step * step,
                                       .nodes = m->picked[0]}; /* MOST_NODES are one word */
}

static const hc_services services = {
    .size = sizeof services,
    .now = ask_now,
    .serial = ask_serial,
    .shape = ask_shape,
    .demand = ask_demand,
    .estimate = ask_estimate,
    .submitted = ask_submitted,
    .user = ask_nobody,
    .group = ask_nobody,
    .dimensions = ask_dimensions,
    .capacity = ask_capacity,
    .host_free = ask_host_free,
    .takes_new = ask_takes_new,
    .is_shared = ask_is_shared,
    .could_slot = ask_could,
    .is_killed = ask_is_killed,
    .held = ask_held,
    .start_dealt = start_dealt,
    .note = note,
};

/* ---- a decision that both have made ---- */

static const decision *find(const decision *all, size_t n, uint32_t which)
{
  for (size_t i = 0; i < n; i++)
    if (all[i].job == which) return &all[i];
  return NULL;
}

typedef struct tally {
  long starts, starts_differ, plans, plans_differ, decisions, decisions_differ;
} tally;

static void tell(const state *s, const char *who, const decision *d)
{
  if (!getenv("HC_TEST_VERBOSE")) return;
  if (!d) fprintf(stderr, "  %s nothing\n", who);
  else
    fprintf(stderr, "  %s %u %s %lld-%lld %llx\n", who, d->job, d->starts ? "starts" : "plans",
            d->begin ? (long long)(d->begin - s->now / HC_SECOND) : 0,
            d->end ? (long long)(d->end - s->now / HC_SECOND) : 0, (unsigned long long)d->nodes);
}

static bool same(const state *s, const decision *a, const decision *b)
{
  const bool is_same =
      a && b && a->starts == b->starts && a->nodes == b->nodes && a->begin == b->begin && a->end == b->end;
  if (is_same) return true;
  tell(s, "ours", a);
  tell(s, "Slurm", b);
  return false;
}

static void compare(state *s, tally *n)
{
  long differ = 0;
  for (size_t i = 0; i < s->their_count; i++) {
    const decision *b = &s->theirs[i], *a = find(s->ours, s->our_count, b->job);
    const bool is_same = same(s, a, b);
    *(b->starts ? &n->starts : &n->plans) += 1;
    *(b->starts ? &n->starts_differ : &n->plans_differ) += !is_same;
    differ += !is_same;
  }
  for (size_t i = 0; i < s->our_count; i++) {
    if (s->is_untold && !s->ours[i].starts) continue;
    if (find(s->theirs, s->their_count, s->ours[i].job)) continue;
    tell(s, "ours alone", &s->ours[i]);
    *(s->ours[i].starts ? &n->starts_differ : &n->plans_differ) += 1;
    differ++;
  }
  if (differ > 0 && getenv("HC_TEST_VERBOSE"))
    fprintf(stderr, "  that was the %s at %.3f\n", s->is_cycle ? "cycle" : "pass",
            (double)s->now / HC_SECOND);
  n->decisions++;
  n->decisions_differ += differ > 0;
}

/* How Slurm has dealt a job on its nodes, the log does not say: as the model does that chose them too, or
 * would if it had no others. */
static void start_as_they(state *s, const decision *d)
{
  const decision *ours = find(s->ours, s->our_count, d->job);
  hc_slurm *m = &s->slurm;
  int64_t need[HC_DIMENSIONS];
  hc_slurm_ask ask;
  hc_host_room dealt[MOST_NODES];
  size_t count = ours ? ours->count : 0;
  if (ours && ours->starts && ours->nodes == d->nodes) {
    memcpy(dealt, ours->dealt, count * sizeof *dealt);
  } else {
    const hc_slurm_room room = hc_slurm_now(&m->books);
    (void)hc_slurm_ask_of(&m->books, s, d->job, need, &ask);
    if (!hc_slurm_choose(&m->books.nodes, &ask, &room, &d->nodes, &m->choice))
      fail_msg("job %u does not fit on the nodes that Slurm gave it", d->job);
    hc_slurm_sort(&m->choice);
    count = m->choice.dealt_count;
    memcpy(dealt, m->choice.dealt, count * sizeof *dealt);
  }
  hold(s, d->job, dealt, count);
}

/* Take back what the model has started, and start what Slurm has. */
static void settle(state *s, tally *n)
{
  if (!s->is_open) return;
  compare(s, n);
  for (size_t i = s->our_count; i-- > 0;) {
    if (!s->ours[i].starts) continue;
    release(s, s->ours[i].job);
    hear(s, HC_TASK_EVENT_QUEUED, s->ours[i].job);
  }
  for (size_t i = 0; i < s->their_count; i++)
    if (s->theirs[i].starts) start_as_they(s, &s->theirs[i]);
  s->our_count = s->their_count = 0;
  s->is_open = false;
}

static void decide(state *s, bool is_cycle, bool full)
{
  hc_plan p = {s};
  s->is_open = true;
  s->is_cycle = is_cycle;
  if (is_cycle) assert_int_equal(hc_slurm_backfill(&s->slurm, s, &p), 0);
  else assert_int_equal(hc_slurm_main_pass(&s->slurm, s, &p, full), 0);
}

/* ---- the log ---- */

static uint64_t read_nodes(char *text)
{
  uint64_t bits = 0;
  for (char *at = text, *end; *at != '\0'; at = end + (*end == ','))
    bits |= UINT64_C(1) << strtol(at, &end, 10);
  return bits;
}

static void submit(state *s, char **f)
{
  const hc_task t = (hc_task)strtol(f[2], NULL, 10);
  assert_true(t < MOST_JOBS);
  s->jobs[t] = (known){.slots = strtoll(f[3], NULL, 10),
                       .is_spread = f[4][0] == '1',
                       .cpus = strtoll(f[5], NULL, 10),
                       .memory = strtoll(f[6], NULL, 10),
                       .limit = strtoll(f[7], NULL, 10) * HC_SECOND,
                       .least = strtoll(f[8], NULL, 10),
                       .submitted = s->now};
  if (!s->jobs[t].is_spread && s->jobs[t].slots < s->jobs[t].least) s->jobs[t].least = s->jobs[t].slots;
  hear(s, HC_TASK_EVENT_QUEUED, t);
}

static void read_line(state *s, char *line, tally *n)
{
  char *f[9] = {0};
  size_t count = 0;
  for (char *at = line; at && count < 9; count++) {
    f[count] = at;
    at = strchr(at, ' ');
    if (at) *at++ = '\0';
  }
  const char what = f[0][0];
  if (!strchr("BMR", what)) settle(s, n);
  if (!strchr("BMR", what)) s->now = (hc_time)(strtod(f[1], NULL) * 1000 + 0.5) * HC_MS;
  free_due(s);
  const hc_task t = f[2] ? (hc_task)strtol(f[2], NULL, 10) : 0;
  switch (what) {
    case 'S': submit(s, f); break;
    case 'C': decide(s, true, false); break;
    case 'P': decide(s, false, f[2][0] == '1'); break;
    case 'B':
    case 'M':
      s->theirs[s->their_count++] = (decision){.job = t, .starts = true, .nodes = read_nodes(f[3])};
      break;
    case 'R':
      s->theirs[s->their_count++] = (decision){.job = t,
                                               .begin = strtoll(f[3], NULL, 10),
                                               .end = strtoll(f[4], NULL, 10),
                                               .nodes = read_nodes(f[5])};
      break;
    case 'E': release(s, t); break;
    case 'X':
      if (!s->jobs[t].has_started) hear(s, HC_TASK_EVENT_DEQUEUED, t);
      break;
    default: fail_msg("%s", "unknown line");
  }
}

typedef struct run {
  const char *name, *parameters;
  uint32_t nodes;
  int64_t cpus, memory, kill_wait;
  tally expected;
  bool is_untold;
} run;

static const run runs[] = {
#include "oracles/slurm/decisions.inc"
};

static void set_up(state *s, const run *r)
{
  hc_error e = {0};
  hc_slurm *m = &s->slurm;
  hc_names noted;
  static uint32_t class_of[MOST_NODES];
  static const hc_host_class class = {.speed = 1};
  hc_cell_spec cell = {.granularity = HC_CELL_HOSTS,
                       .units = r->nodes,
                       .classes = &class,
                       .class_count = 1,
                       .class_of = class_of};
  const hc_policy_context c = {.services = &services, .allocator = hc_default_allocator(), .cell = &cell};
  memset(s, 0, sizeof *s);
  s->is_untold = r->is_untold;
  s->capacity[0] = r->cpus;
  s->capacity[1] = r->memory;
  hc_names_init(&noted, c.allocator, UINT32_MAX);
  m->s = &services;
  m->allocator = c.allocator;
  hc_slurm_settings_default(&m->settings);
  assert_int_equal(hc_slurm_settings_parameters(&m->settings, r->parameters, HC_EUSAGE, "", 0, &noted, &e),
                   0);
  m->settings.kill_wait = r->kill_wait;
  assert_int_equal(hc_slurm_books_init(&m->books, &c, &m->settings, NULL, &e), 0);
  assert_int_equal(hc_slurm_prepare(m), 0);
  hc_names_fini(&noted);
}

static void check(void **of)
{
  const run *r = *of;
  tally n = {0};
  hc_input *in = NULL;
  hc_error e = {0};
  char path[512], *line;
  size_t length;
  (void)snprintf(path, sizeof path, HC_TEST_SOURCE_DIR "/tests/oracles/slurm/%s.txt.zst", r->name);
  set_up(&world, r);
  assert_int_equal(hc_input_open(hc_default_allocator(), path, &in, &e), 0);
  while (hc_input_line(in, &line, &length, &e) > 0) read_line(&world, line, &n);
  settle(&world, &n);
  hc_input_free(in);
  hc_slurm_fini(&world.slurm);
  printf("%s: starts %ld, other %ld; plans %ld, other %ld; decisions %ld, other %ld\n", r->name, n.starts,
         n.starts_differ, n.plans, n.plans_differ, n.decisions, n.decisions_differ);
  assert_memory_equal(&n, &r->expected, sizeof n);
}

int main(void)
{
  struct CMUnitTest tests[HC_ARRAY_LEN(runs)];
  for (size_t i = 0; i < HC_ARRAY_LEN(runs); i++)
    tests[i] = (struct CMUnitTest){runs[i].name, check, NULL, NULL, (void *)(uintptr_t)&runs[i]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
