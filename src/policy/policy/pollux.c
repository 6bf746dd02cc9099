/* pollux.c -- rounds, in each of which all training tasks get the numbers of GPUs with which they are,
 * together, as fast as can be: Pollux.
 *
 * How fast a task is with k slots, S(k), its law of speed-up says (goodput, or any other). With n tasks there
 * its fair share is what the cell has by n, and its speed-up s is S(k) over S of that share (a law between
 * whole numbers is a straight line, below its least size in proportion). What is made as great as can be is
 * the power mean of the speed-ups of all tasks,
 *     (1/n x sum of s^p)^(1/p),
 * which for p = 1 is their mean, and cares for those that are worst off the more the less p is; p = -1 is the
 * authors'. A running task that is given another size does nothing for `restart`: it writes what it has, and
 * starts again. So of a size that it does not have s counts (T - R d) / (T + d) times, T being how long the
 * task has been there, R how often its size has changed and d that pause.
 *
 * At whole multiples of `round` running tasks have their least size at first, and so have waiting ones as
 * long as there is room, in the order of their submission; what is left is dealt by pollux_sizes.h. Then
 * those that are to be smaller shrink, waiting ones start, and those that are to be larger grow. Where hosts
 * are in pieces a task gets as many slots as do fit. Between rounds tasks wait, or start on what is free
 * (`between: fill`).
 *
 * Slots count in GPUs, where the cell has some; a task without one keeps the size that it asks for, and so
 * does each that says no sizes (the transform malleable with `at: both`).
 *
 * Against the paper: the search is greedy in place of genetic, since with a known law the gains of sizes are
 * known; a law is known, not fitted as a task runs, so that no task is kept from growing past what it was
 * seen with; it knows how many GPUs a task has and not on how many hosts they lie; a task that runs is not
 * stopped to make room, it shrinks; and the number of hosts of the cell stays what it is.
 *
 * Cost a round: O(tasks x sizes), and O(steps x (log tasks + sizes)). Source: Qiao, Choe, Subramanya,
 * Neiswanger, Ho, Zhang, Ganger and Xing, "Pollux: co-adaptive cluster scheduling for goodput-optimized deep
 * learning", OSDI 2021, section 4.2. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/mold.h"
#include "hindcast/policy.h"
#include "policy/pollux_sizes.h"

enum { BETWEEN_WAIT, BETWEEN_FILL };
enum { QUEUE_SCAN, QUEUE_BLOCKING };

typedef struct options {
  hc_chosen place, eligibility;
  hc_time round, restart;
  double p;
  int between, queue;
} options;

/* How often plans have changed a task's size while it ran. */
typedef struct changes {
  uint64_t serial;
  int64_t times;
} changes;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  const options *o;
  const hc_cell_spec *cell;
  /* state */
  changes *changes; /* [count] by task */
  size_t count, cap;
  int64_t round; /* the last that has begun; -1: none */
  hc_time armed; /* the wake for the next; HC_NEVER: none */
};

/* A task of a round. */
typedef struct member {
  const int64_t *sizes; /* [sized.count] slots of each option */
  hc_pollux_task sized;
  hc_task task;
  uint32_t runs;
  int64_t now; /* slots that it has, or asks for */
} member;

typedef struct round_of {
  hc_view *v;
  hc_plan *p;
  member *all; /* [count] those that run first, then waiting ones in the order of their submission */
  size_t count, running;
  size_t there; /* tasks that an equal share of the cell is counted by */
  uint32_t gpu; /* the dimension of GPUs; NO_GPU */
  int64_t room; /* that nothing holds */
} round_of;

#define NO_GPU UINT32_MAX
#define HC_POLLUX_SIZES 65536 /* of a task that offers more the size stays what it is */

/* ---- books ---- */

static hc_rc changes_of(hc_policy *self, uint64_t serial, hc_task t, changes **out)
{
  TRY(hc_reserve(self->allocator, (void **)&self->changes, &self->cap, (size_t)t + 1, sizeof *self->changes));
  for (; self->count <= t; self->count++) self->changes[self->count] = (changes){UINT64_MAX, 0};
  *out = &self->changes[t];
  if ((*out)->serial != serial) **out = (changes){serial, 0};
  return 0;
}

/* ---- room, and what a slot costs ---- */

static uint32_t gpu_of(const hc_policy *self, const hc_view *v)
{
  for (uint32_t d = 0; d < self->s->dimensions(v); d++)
    if (self->s->dimension_id(v, d) == HC_DIM_GPU && self->s->capacity(v, d) > 0) return d;
  return NO_GPU;
}

static int64_t slots_of(const hc_policy *self, const hc_view *v, hc_task t)
{
  const int64_t slots = self->s->slots(v, t);
  return slots > 0 ? slots : self->s->units(v, t);
}

/* Of one slot; 0: it has no part in what is dealt. */
static int64_t cost_of(const hc_policy *self, const round_of *r, hc_task t)
{
  const int64_t slots = self->s->slots(r->v, t);
  if (r->gpu != NO_GPU) return self->s->demand(r->v, t, r->gpu);
  return slots > 0 ? self->s->units(r->v, t) / slots : 1;
}

/* On hosts that this call may use; and of all of it what there is, for shares. */
static void count_room(const hc_policy *self, round_of *r, double *all)
{
  const hc_services *s = self->s;
  const hc_range *scope, whole = {0, self->cell->units};
  size_t n = s->scope(r->v, &scope);
  *all = 0;
  if (!s->host_free(r->v, 0, NULL)) {
    r->room = s->free_units(r->v);
    *all = (double)s->capacity(r->v, 0);
    return;
  }
  if (n == 0) scope = &whole, n = 1;
  const uint32_t d = r->gpu == NO_GPU ? 0 : r->gpu;
  for (size_t i = 0; i < n; i++)
    for (uint32_t h = scope[i].first; h - scope[i].first < scope[i].count; h++) {
      const int64_t *capacity, *free;
      if (!s->takes_new(r->v, h) || !(free = s->host_free(r->v, h, &capacity))) continue;
      r->room += HC_MAX(free[d], 0);
      *all += (double)capacity[d];
    }
}

/* ---- the sizes of a task ---- */

/* How much less a size is worth that a running task does not have. */
static hc_rc penalty_of(hc_policy *self, const hc_view *v, const member *m, double *out)
{
  const double age = (double)(self->s->now(v) - self->s->submitted(v, m->task)), d = (double)self->o->restart;
  changes *c;
  *out = 1;
  if (!m->runs || d <= 0) return 0;
  TRY(changes_of(self, self->s->serial(v, m->task), m->task, &c));
  *out = (age - (double)c->times * d) / (age + d);
  return 0;
}

/* It keeps what it has, or asks for. */
static hc_rc keep_size(const round_of *r, const hc_services *s, member *m, int64_t cost)
{
  hc_pollux_option *only = s->scratch(r->v, sizeof *only);
  int64_t *size = s->scratch(r->v, sizeof *size);
  if (!only || !size) return HC_ENOMEM;
  *only = (hc_pollux_option){0, cost * m->now};
  *size = m->now;
  m->sized = (hc_pollux_task){.options = only, .count = 1};
  m->sizes = size;
  return 0;
}

/* A size for each speed that is known. @param speed [count] for `least` slots on; 0: not that size */
static hc_rc set_options(hc_policy *self, const round_of *r, member *m, const double *speed, size_t count,
                         int64_t least, int64_t cost, double share)
{
  double *law = self->s->scratch(r->v, count * sizeof *law);
  hc_pollux_option *list = self->s->scratch(r->v, count * sizeof *list);
  int64_t *sizes = self->s->scratch(r->v, count * sizeof *sizes);
  double less;
  if (!list || !sizes || !law) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) law[i] = speed[i] > 0 || i == 0 ? speed[i] : law[i - 1];
  const double fair = hc_pollux_between(law, count, least, share / (double)cost);
  TRY(penalty_of(self, r->v, m, &less));
  m->sized = (hc_pollux_task){.options = list};
  m->sizes = sizes;
  for (size_t i = 0; i < count; i++) {
    const int64_t size = least + (int64_t)i;
    const double s = speed[i] / fair * (size == m->now || !m->runs ? 1 : less);
    const bool is_least = m->sized.count == 0; /* what it has at least, whatever that is worth */
    if (!(s > 0) && !is_least) continue;
    sizes[m->sized.count] = size;
    list[m->sized.count++] =
        (hc_pollux_option){s > 0 ? HC_MAX(hc_pollux_value(s, self->o->p), -1e300) : -1e300, cost * size};
  }
  return 0;
}

/* @param share what each task has of the cell, if all have the same */
static hc_rc add_options(hc_policy *self, const round_of *r, member *m, double share)
{
  const hc_services *s = self->s;
  const int64_t cost = cost_of(self, r, m->task);
  int64_t least, most;
  size_t asked, preferred;
  m->now = slots_of(self, r->v, m->task);
  s->sizes(r->v, m->task, &least, &most);
  const bool is_fixed = least >= most || cost <= 0 || !(s->speed_in(r->v, m->task, least) > 0) ||
                        (!m->runs && s->offers(r->v, m->task, NULL, 0, &asked, &preferred) == 0);
  if (is_fixed || most - least >= HC_POLLUX_SIZES) return keep_size(r, s, m, HC_MAX(cost, 0));
  const size_t count = (size_t)(most - least) + 1;
  double *speed = s->scratch(r->v, count * sizeof *speed);
  if (!speed) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) speed[i] = s->speed_in(r->v, m->task, least + (int64_t)i);
  return set_options(self, r, m, speed, count, least, cost, share);
}

/* ---- who is there ---- */

static hc_rc list_members(hc_policy *self, round_of *r)
{
  const hc_services *s = self->s;
  const hc_task *running;
  const size_t runs = s->running(r->v, &running), waits = s->queued(r->v);
  hc_cursor at = {0};
  hc_task t;
  r->all = s->scratch(r->v, (runs + waits + 1) * sizeof *r->all);
  if (!r->all) return HC_ENOMEM;
  for (; r->count < runs; r->count++) r->all[r->count] = (member){.task = running[r->count], .runs = 1};
  r->running = r->count;
  while (r->count < runs + waits && (t = s->next(r->v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    if (s->not_before(r->v, t) <= s->now(r->v)) r->all[r->count++] = (member){.task = t};
  r->there = r->count;
  return 0;
}

/* Sizes for those that are there and for as many of those that wait as there is room for in their least size.
 * @return how many of all have one */
static hc_rc find_sizes(hc_policy *self, round_of *r, size_t *count)
{
  hc_pollux_task *tasks = self->s->scratch(r->v, (r->count + 1) * sizeof *tasks);
  double all;
  size_t n = 0;
  if (!tasks) return HC_ENOMEM;
  count_room(self, r, &all);
  for (size_t i = 0; i < r->count; i++) {
    member *m = &r->all[i];
    TRY(add_options(self, r, m, all / (double)HC_MAX(r->there, 1)));
    const int64_t least = m->sized.options[0].cost;
    if (m->runs) r->room += cost_of(self, r, m->task) * m->now - least;
    else if (least <= r->room) r->room -= least;
    else if (self->o->queue == QUEUE_BLOCKING) break;
    else continue;
    r->all[n++] = *m;
  }
  *count = n;
  for (size_t i = 0; i < n; i++) tasks[i] = r->all[i].sized;
  TRY(hc_pollux_choose(self->allocator, tasks, n, HC_MAX(r->room, 0)));
  for (size_t i = 0; i < n; i++) r->all[i].sized.chosen = tasks[i].chosen;
  return 0;
}

/* ---- the plan ---- */

/* To a size, or the next one on the way to it from what it has for which there is room. */
static hc_rc resize_towards(hc_policy *self, const round_of *r, const member *m)
{
  const hc_services *s = self->s;
  const bool grows = m->sizes[m->sized.chosen] > m->now;
  changes *c;
  for (uint32_t k = m->sized.chosen + 1; k-- > 0;) {
    if (grows && m->sizes[k] <= m->now) return 0;
    const hc_rc rc = s->resize_pausing(r->p, m->task, m->sizes[k], NULL, 0, self->o->restart);
    if (rc == HC_EPOLICY && grows) continue;
    if (rc < 0) return rc == HC_EPOLICY ? 0 : rc;
    TRY(changes_of(self, s->serial(r->v, m->task), m->task, &c));
    c->times++;
    return 0;
  }
  return 0;
}

/* In the size, or the next smaller one for which there is room. @return 1: it has started */
static hc_rc start_in(const hc_policy *self, const round_of *r, const member *m)
{
  const hc_services *s = self->s;
  for (uint32_t k = m->sized.chosen + 1; k-- > 0;) {
    if (m->sizes[k] != m->now) {
      if (!s->fits_as(r->v, m->task, m->sizes[k], false, 0)) continue;
      TRY(s->mold(r->p, m->task, m->sizes[k]));
    } else if (!s->fits(r->v, m->task)) continue;
    const hc_rc rc = s->start(r->p, m->task, NULL, 0);
    return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
  }
  return 0;
}

static hc_rc start_all(const hc_policy *self, const round_of *r, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (r->all[i].runs) continue;
    const hc_rc rc = start_in(self, r, &r->all[i]);
    if (rc < 0) return rc;
    if (rc == 0 && self->o->queue == QUEUE_BLOCKING) return 0;
  }
  return 0;
}

static hc_rc resize_all(hc_policy *self, const round_of *r, size_t count, bool grow)
{
  for (size_t i = 0; i < count; i++) {
    const member *m = &r->all[i];
    const int64_t size = m->sizes[m->sized.chosen];
    if (m->runs && (grow ? size > m->now : size < m->now)) TRY(resize_towards(self, r, m));
  }
  return 0;
}

static hc_rc begin_round(hc_policy *self, round_of *r)
{
  size_t count;
  TRY(list_members(self, r));
  TRY(find_sizes(self, r, &count));
  TRY(resize_all(self, r, count, false));
  TRY(start_all(self, r, count));
  return resize_all(self, r, count, true);
}

/* What is free, for those that wait; running tasks stay as they are. */
static hc_rc fill(hc_policy *self, round_of *r)
{
  size_t count;
  TRY(list_members(self, r));
  r->all += r->running;
  r->count -= r->running;
  TRY(find_sizes(self, r, &count));
  return start_all(self, r, count);
}

/* The next round, while there is anything that it could change. */
static hc_rc arm(hc_policy *self, const hc_view *v, hc_plan *p)
{
  const hc_time round = self->o->round, now = self->s->now(v);
  const hc_time next = hc_time_add(now, round - now % round);
  const hc_task *running;
  if (self->s->queued(v) + self->s->running(v, &running) == 0 || self->armed == next) return 0;
  self->armed = next;
  return self->s->wake(p, next);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  round_of r = {.v = v, .p = p, .gpu = gpu_of(self, v)};
  const hc_time round = self->o->round, now = self->s->now(v);
  HC_UNUSED(why);
  if (now / round > self->round && (now % round == 0 || self->armed <= now)) {
    self->round = now / round;
    TRY(begin_round(self, &r));
  } else if (self->o->between == BETWEEN_FILL && self->s->queued(v) > 0) TRY(fill(self, &r));
  return arm(self, v, p);
}

/* ---- life ---- */

static hc_rc init(const hc_policy_context *c, const void *given, hc_policy **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(e);
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){
      .s = c->services, .allocator = c->allocator, .o = o, .cell = c->cell, .round = -1, .armed = HC_NEVER};
  *out = self;
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, self->changes, self->count, self->cap);
  HC_VISIT(v, self->round);
  HC_VISIT(v, self->armed);
  return 0;
}

static void fini(hc_policy *self)
{
  hc_free(self->allocator, self->changes, self->cap * sizeof *self->changes);
  hc_free(self->allocator, self, sizeof *self);
}

static uint32_t flags(const void *given)
{
  HC_UNUSED(given);
  return HC_MAY_RESIZE | HC_MOLDS | HC_TIME_DEPENDENT | HC_IGNORES_TIME;
}

static void parts(const void *given, hc_policy_parts *out)
{
  const options *o = given;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
}

static const hc_param params[] = {
    HC_PARAM(
        REAL, options, p, "1", "-1", -20, 1,
        "Exponent of the power mean that is maximised. 1: the arithmetic mean. The smaller it is, the more "
        "the tasks with the least ratios count."),
    HC_PARAM(TIME, options, round, "s", "60", 1e-6, 1e9,
             "Sizes are decided at whole multiples of this time."),
    HC_PARAM(
        TIME, options, restart, "s", "30", 0, 1e9,
        "How long a running task does no work when it is given another size: d of the formula."),
    HC_PARAM(
        CHOICE, options, between, "wait|fill", "wait",
        "What becomes of room that becomes free within a round. wait: it stays free until the next round. "
        "fill: waiting tasks that fit start on it."),
    HC_PARAM(
        CHOICE, options, queue, "scan|blocking", "scan",
        "What happens behind a task for which there is no room in its least size. scan: those behind it are "
        "tried too. blocking: no task behind it starts."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, "first_fit",
             "Which processors a task gets. On a cell that only counts processors it changes nothing."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Which hosts may be used now, by their attributes and their load."),
    {0}};

const hc_policy_type hc_policy_pollux = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "pollux",
         .summary =
             "rounds in which all tasks get the numbers of GPUs with which their speed-ups are greatest",
         .detail =
             "For tasks that may have another size when they start and while they run, with a law of "
             "speed-up: the transform `malleable` with `at: both` and `speedup`, or native tasks with `when: "
             "[start, running]`. In each round those sizes are chosen for which the power mean of the tasks' "
             "ratios is greatest; a ratio is the speed-up at a size over the speed-up on an equal share of "
             "the cell. The ratio of a size that a running task does not have now is multiplied by (T - R d) "
             "/ (T + d): T is the task's age, R the number of times that it was resized, d the time that a "
             "resize costs (`restart`). The search is greedy by gain for each slot, which is exact for "
             "concave laws. Sizes are in GPUs where the cell has some, else in processors or cores. Tasks of "
             "one size keep it, and running tasks are never stopped.",
         .source = "Qiao et al., Pollux, OSDI 2021, section 4.2", .params = params,
         .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .goes_by_speeds = true,
};
