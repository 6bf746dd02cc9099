/* finish_time.c -- finish-time fairness: how long things took in the shared cluster against a part of it
 * alone.
 *
 * rho = T_shared / T_independent; above 1 sharing cost time. For a task T_shared is from its submission to
 * its end, and T_independent its run time on 1 / n of the cell: as long as it ran, and longer in proportion
 * if it needs more than a part has, run x max(1, n max_r d_r / C_r), divisible and without a queue.
 *
 * For a user T_shared is from the first submission to the last end, and T_independent how long its tasks
 * would have taken on 1 / n of the cell with no other user, as a divisible load: the end of it in dimension r
 * is the largest over submissions j of s_j + sum over tasks submitted from then on of n run d_r / C_r; and no
 * task ends before it could alone. n is the number of active users when the task came, or `parties`.
 *
 * Exact for users with at most 64 different times of submission at which the part would have been idle or
 * nearly; beyond, two neighbours become one where least is lost: nothing, if the earlier one's work lasts
 * until the later. A task that is put back into the queue when its host fails is the same task if that
 * happens at once. Tasks of no length, and those that have not ended, do not count. Cost: O(log users +
 * dimensions) a task beside the books. Memory 130 bytes a live task, 5 KB a user. Source: Mahajan et al.,
 * Themis, NSDI 2020, from memory. */
#include <string.h>

#include "base/quantile.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sharing.h"
#include "metric/sum128.h"

#define ARRIVALS 64
#define PER_UNIT 1e6 /* quantiles are of ratios below 1, too */

typedef struct options {
  hc_list weights; /* const char * */
  int64_t parties;
} options;

/* A task that waits or runs. */
typedef struct live {
  uint64_t serial;
  uint64_t place; /* of its user in the books */
  hc_time submit, start;
  double share[HC_DIMENSIONS]; /* n d_r / C_r */
  int64_t is_used, is_over;
  int64_t is_out; /* left the queue in this instant, and has not started */
} live;

typedef struct arrival {
  hc_time at;
  double work[HC_DIMENSIONS]; /* ns on its part */
} arrival;

typedef struct account {
  hc_time first, last;  /* submission, end */
  hc_time alone;        /* end of the task that ends last where each has the part for itself */
  uint64_t tasks, late; /* that ended; with rho above 1 */
  hc_real_sum sum;      /* of rho */
  uint64_t width;       /* of a share: as many dimensions as changes tell */
  uint64_t arrival_count;
  arrival arrivals[ARRIVALS];
} account;

struct hc_metric {
  hc_family family;
  int64_t parties;
  hc_sharing sharing;
  hc_quantile rhos;
  live *lives;
  size_t live_count, live_cap;
  uint32_t *vacant; /* [vacant_count] places in lives */
  size_t vacant_count, vacant_cap;
  uint32_t *fresh; /* [fresh_count] places of those that came in this instant */
  size_t fresh_count, fresh_cap;
  uint32_t *ended; /* [ended_count] of those that ended in it */
  size_t ended_count, ended_cap;
  hc_map by_serial;
  account *accounts; /* [count] by place in the books */
  size_t count, cap;
};

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_sharing_fini(&self->sharing);
    hc_quantile_fini(&self->rhos);
    hc_map_fini(&self->by_serial);
    hc_free(a, self->lives, self->live_cap * sizeof *self->lives);
    hc_free(a, self->vacant, self->vacant_cap * sizeof *self->vacant);
    hc_free(a, self->fresh, self->fresh_cap * sizeof *self->fresh);
    hc_free(a, self->ended, self->ended_cap * sizeof *self->ended);
    hc_free(a, self->accounts, self->cap * sizeof *self->accounts);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  self->parties = o->parties;
  hc_quantile_init(&self->rhos, a);
  hc_map_init(&self->by_serial, a);
  return hc_sharing_init(&self->sharing, &self->family.context, "metric finish_time", &o->weights, e);
}

HC_FAMILY_INIT

/* ---- a user's load alone ---- */

static void add_work(account *a, uint64_t at, const live *l, hc_time run)
{
  for (uint64_t d = 0; d < a->width; d++) a->arrivals[at].work[d] += l->share[d] * (double)run;
}

/* What is lost if i and the next become one: at the time of the earlier, the next one's idle time before it,
 * which is none if work was left; at that of the later, the earlier one's work done before. */
static double loss_of(const account *a, uint64_t i, bool *is_earlier)
{
  const arrival *x = &a->arrivals[i], *y = x + 1;
  const double gap = (double)(y->at - x->at);
  double idle = 0, done = 0;
  for (uint64_t d = 0; d < a->width; d++) {
    if (y->work[d] > 0) idle = HC_MAX(idle, gap - x->work[d]);
    done = HC_MAX(done, HC_MIN(gap, x->work[d]));
  }
  *is_earlier = idle <= done;
  return HC_MIN(idle, done);
}

/* Two neighbours become one where least is lost. */
static void merge_two(account *a)
{
  uint64_t best = 0;
  bool is_earlier, best_is_earlier = true;
  double least = __builtin_inf();
  for (uint64_t i = 0; i + 1 < a->arrival_count; i++) {
    const double loss = loss_of(a, i, &is_earlier);
    if (!(loss < least)) continue;
    least = loss;
    best = i;
    best_is_earlier = is_earlier;
  }
  if (!best_is_earlier) a->arrivals[best].at = a->arrivals[best + 1].at;
  for (uint64_t d = 0; d < a->width; d++) a->arrivals[best].work[d] += a->arrivals[best + 1].work[d];
  a->arrival_count--;
  memmove(&a->arrivals[best + 1], &a->arrivals[best + 2],
          (size_t)(a->arrival_count - best - 1) * sizeof *a->arrivals);
}

static void add_arrival(account *a, const live *l, hc_time run)
{
  uint64_t at = a->arrival_count;
  while (at > 0 && a->arrivals[at - 1].at >= l->submit) at--;
  if (at < a->arrival_count && a->arrivals[at].at == l->submit) {
    add_work(a, at, l, run);
    return;
  }
  if (a->arrival_count == ARRIVALS) {
    merge_two(a);
    add_arrival(a, l, run);
    return;
  }
  memmove(&a->arrivals[at + 1], &a->arrivals[at], (size_t)(a->arrival_count - at) * sizeof *a->arrivals);
  memset(&a->arrivals[at], 0, sizeof a->arrivals[at]);
  a->arrivals[at].at = l->submit;
  a->arrival_count++;
  add_work(a, at, l, run);
}

/* ns from the first submission to the end of the load alone. */
static double time_alone(const account *a)
{
  double most = (double)(a->alone - a->first), work[HC_DIMENSIONS] = {0};
  for (uint64_t i = a->arrival_count; i-- > 0;)
    for (uint64_t d = 0; d < a->width; d++) {
      work[d] += a->arrivals[i].work[d];
      most = HC_MAX(most, (double)(a->arrivals[i].at - a->first) + work[d]);
    }
  return most;
}

/* ---- tasks ---- */

/* Differences of times that no run has do not overflow. */
static hc_time bounded(hc_time t)
{
  return HC_MAX(-((hc_time)1 << 60), HC_MIN(t, (hc_time)1 << 60));
}

static hc_rc note(hc_metric *self, uint32_t **list, size_t *count, size_t *cap, uint32_t at)
{
  TRY(hc_reserve(self->family.context.allocator, (void **)list, cap, *count + 1, sizeof **list));
  (*list)[(*count)++] = at;
  return 0;
}

static hc_rc arrives(hc_metric *self, const hc_change *c)
{
  const hc_allocator *a = self->family.context.allocator;
  uint32_t at = hc_map_get(&self->by_serial, c->serial);
  if (at != HC_MAP_NONE) { /* it is back */
    self->lives[at].is_over = self->lives[at].is_out = 0;
    self->lives[at].start = HC_UNKNOWN;
    return 0;
  }
  if (self->live_count >= HC_MAP_NONE) return HC_ELIMIT;
  if (self->vacant_count > 0) at = self->vacant[--self->vacant_count];
  else {
    TRY(hc_reserve(a, (void **)&self->lives, &self->live_cap, self->live_count + 1, sizeof *self->lives));
    at = (uint32_t)self->live_count++;
  }
  self->lives[at] = (live){.serial = c->serial, .submit = bounded(c->at), .start = HC_UNKNOWN, .is_used = 1};
  for (uint32_t d = 0; d < self->sharing.machine.dimensions; d++) {
    const uint8_t which = self->sharing.machine.which[d];
    const int64_t total = self->sharing.machine.total[which];
    const double each = c->whole ? (double)self->sharing.whole[which] : (double)c->amount[which];
    const double times = self->sharing.machine.shared[which] ? 1 : (double)c->slots;
    if (each > 0 && total > 0) self->lives[at].share[which] = each * times / (double)total;
  }
  TRY(hc_map_set(&self->by_serial, c->serial, at));
  return note(self, &self->fresh, &self->fresh_count, &self->fresh_cap, at);
}

static hc_rc drop(hc_metric *self, uint32_t at)
{
  hc_map_remove(&self->by_serial, self->lives[at].serial);
  self->lives[at] = (live){0};
  return note(self, &self->vacant, &self->vacant_count, &self->vacant_cap, at);
}

static hc_rc count_task(hc_metric *self, const live *l, hc_time end)
{
  account *a = &self->accounts[l->place];
  const hc_time run = end - l->start;
  double stretch = 1, rho;
  if (l->start == HC_UNKNOWN || run <= 0) return 0;
  a->width = self->sharing.machine.width;
  for (uint64_t d = 0; d < a->width; d++) stretch = HC_MAX(stretch, l->share[d]);
  rho = (double)(end - l->submit) / ((double)run * stretch);
  a->first = a->tasks == 0 ? l->submit : HC_MIN(a->first, l->submit);
  a->last = a->tasks == 0 ? end : HC_MAX(a->last, end);
  a->alone = HC_MAX(a->tasks == 0 ? l->submit : a->alone,
                    l->submit + (hc_time)HC_MIN((double)run * stretch, 0x1p60));
  a->tasks++;
  a->late += rho > 1 + 1e-9;
  hc_real_sum_add(&a->sum, rho);
  add_arrival(a, l, run);
  rho *= PER_UNIT;
  return hc_quantile_add(&self->rhos, &rho, 1);
}

/* ---- hearing ---- */

static hc_rc closed(void *ctx, hc_time t)
{
  hc_metric *self = ctx;
  const hc_sharing *s = &self->sharing;
  TRY(hc_reserve(s->allocator, (void **)&self->accounts, &self->cap, s->count, sizeof *self->accounts));
  for (; self->count < s->count; self->count++) memset(&self->accounts[self->count], 0, sizeof(account));
  for (size_t i = 0; i < self->fresh_count; i++) {
    live *l = &self->lives[self->fresh[i]];
    const double n = self->parties > 0 ? (double)self->parties : (double)HC_MAX(s->active_count, 1);
    for (uint32_t d = 0; d < s->machine.width; d++) l->share[d] *= n;
  }
  self->fresh_count = 0;
  for (size_t i = 0; i < self->ended_count; i++) {
    const live *l = &self->lives[self->ended[i]];
    if (!l->is_used || !(l->is_over || l->is_out)) continue; /* named twice, or it is back in the queue */
    if (l->is_over) TRY(count_task(self, l, bounded(t)));
    TRY(drop(self, self->ended[i]));
  }
  self->ended_count = 0;
  return 0;
}

/* After the books have heard of it, so that its user is known. */
static hc_rc follow(hc_metric *self, const hc_change *c)
{
  uint32_t at;
  if (c->kind == HC_CHANGE_QUEUED) {
    TRY(arrives(self, c));
    at = hc_map_get(&self->by_serial, c->serial);
    self->lives[at].place = hc_map_get(&self->sharing.index, (uint64_t)c->user);
    return 0;
  }
  at = hc_map_get(&self->by_serial, c->serial);
  if (at == HC_MAP_NONE) return 0;
  if (c->kind == HC_CHANGE_CLAIMED) {
    self->lives[at].start = bounded(c->at);
    self->lives[at].is_over = self->lives[at].is_out = 0;
    return 0;
  }
  /* What leaves the queue starts in this instant, or was withdrawn. */
  if (c->kind == HC_CHANGE_UNQUEUED) self->lives[at].is_out = 1;
  else if (self->lives[at].is_over) return 0; /* of another of its hosts */
  else self->lives[at].is_over = 1;
  return note(self, &self->ended, &self->ended_count, &self->ended_cap, at);
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    TRY(hc_sharing_hear(&self->sharing, &changes[i], 1, closed, self));
    if (changes[i].kind < HC_CHANGE_HOST && !changes[i].resized) TRY(follow(self, &changes[i]));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  HC_UNUSED(end);
  return hc_sharing_end(&self->sharing, closed, self);
}

/* ---- figures ---- */

static hc_rc find_users(const hc_metric *self, hc_findings *f)
{
  static const char table[] = "finish_time_by_user";
  hc_real_sum sum = {0};
  uint64_t tasks = 0, late = 0;
  double most = __builtin_nan("");
  for (size_t i = 0; i < self->count; i++) {
    const account *a = &self->accounts[self->sharing.order.at[i]];
    const int64_t user = self->sharing.items[self->sharing.order.at[i]].user;
    double rho;
    if (a->tasks == 0) continue;
    rho = (double)(a->last - a->first) / time_alone(a);
    if (!(most >= rho)) most = rho;
    hc_real_sum_add(&sum, hc_real_sum_value(a->sum));
    tasks += a->tasks;
    late += a->late;
    TRY(hc_find_cell(f, table, user, "rho", "1", rho));
    TRY(hc_find_cell(f, table, user, "shared", "s", (double)(a->last - a->first) / 1e9));
    TRY(hc_find_cell(f, table, user, "independent", "s", time_alone(a) / 1e9));
    TRY(hc_find_cell(f, table, user, "task_mean", "1", hc_mean_real(a->sum, a->tasks)));
    TRY(hc_find_cell(f, table, user, "tasks", "tasks", (double)a->tasks));
  }
  TRY(hc_find_real(f, "finish_time_user_max", "1", most));
  TRY(hc_find_real(f, "finish_time_task_mean", "1", hc_mean_real(sum, tasks)));
  return hc_find_real(f, "finish_time_task_late", "1",
                      tasks ? (double)late / (double)tasks : __builtin_nan(""));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_sharing_order(&self->sharing));
  TRY(find_users(self, f));
  return hc_quantile_find(&self->rhos, f, "finish_time_task", "1", PER_UNIT);
}

/* What is loaded may come from a damaged file. */
static hc_rc check_and_index(hc_metric *self)
{
  const uint32_t *lists[] = {self->vacant, self->fresh, self->ended};
  const size_t counts[] = {self->vacant_count, self->fresh_count, self->ended_count};
  for (size_t k = 0; k < HC_ARRAY_LEN(lists); k++)
    for (size_t i = 0; i < counts[k]; i++)
      if (lists[k][i] >= self->live_count) return HC_EINPUT;
  hc_map_fini(&self->by_serial);
  hc_map_init(&self->by_serial, self->family.context.allocator);
  for (size_t i = 0; i < self->live_count; i++) {
    if (!self->lives[i].is_used) continue;
    if (self->lives[i].place >= self->sharing.count) return HC_EINPUT;
    TRY(hc_map_set(&self->by_serial, self->lives[i].serial, (uint32_t)i));
  }
  for (size_t i = 0; i < self->count; i++)
    if (self->accounts[i].arrival_count > ARRIVALS) return HC_EINPUT;
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_sharing_visit(&self->sharing, v));
  TRY(hc_quantile_visit(&self->rhos, v));
  HC_VISIT_ARRAY(v, self->lives, self->live_count, self->live_cap);
  HC_VISIT_ARRAY(v, self->vacant, self->vacant_count, self->vacant_cap);
  HC_VISIT_ARRAY(v, self->fresh, self->fresh_count, self->fresh_cap);
  HC_VISIT_ARRAY(v, self->ended, self->ended_count, self->ended_cap);
  HC_VISIT_ARRAY(v, self->accounts, self->count, self->cap);
  if (self->count > self->sharing.count || self->live_count >= HC_MAP_NONE) return HC_EINPUT;
  return hc_visit_loading(v) ? check_and_index(self) : 0;
}

static const hc_param params[] = {
    HC_WEIGHTS_PARAM(options, weights),
    HC_PARAM(INT, options, parties, "users", "0", 0, 1e9,
             "Number n of users: a user alone has 1 / n of everything. 0: as many users as were active when "
             "the task came."),
    {.name = NULL},
};

static const char *const figures[] = {
    ("finish_time_user_max|1|lower|the greatest rho of a user: (last end - first submission) / the same "
     "alone on 1 / n"),
    "finish_time_task_mean|1|lower|mean over tasks that ended of (end - submission) / run time on 1 / n",
    "finish_time_task_late|1|lower|part of the tasks with a rho above 1",
    "finish_time_task_p50|1|lower|median of tasks' rho",
    "finish_time_task_p90|1|lower|quantile 0.90 of tasks' rho",
    "finish_time_task_p95|1|lower|quantile 0.95 of tasks' rho",
    "finish_time_task_p99|1|lower|quantile 0.99 of tasks' rho",
    "finish_time_task_max|1|lower|the greatest rho of a task",
    "finish_time_by_user.rho|1|lower|T_shared / T_independent of all that the user ran",
    "finish_time_by_user.shared|s|none|from its first submission to its last end",
    "finish_time_by_user.independent|s|none|the same alone on 1 / n of the cell, divisible",
    "finish_time_by_user.task_mean|1|lower|mean rho of its tasks",
    "finish_time_by_user.tasks|tasks|none|tasks that ended",
    NULL,
};

const hc_metric_type hc_metric_finish_time = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "finish_time",
         .summary = "finish-time fairness: time in the shared cluster over time on a part of it alone",
         .detail =
             "rho = T_shared / T_independent. A task alone runs for run x max(1, n max_r d_r / C_r), without "
             "a queue. A user alone ends when its load does, divisible, on 1 / n of everything: max over r "
             "and over submissions j of s_j + sum from j on of n run d_r / C_r, and not before each of its "
             "tasks could. n is how many users were active when the task came, or `parties`. Exact up to 64 "
             "different times of submission a user; of more, neighbouring ones are merged where that changes "
             "least. " HC_QUANTILE_DETAIL,
         .source = "Mahajan et al., Themis: fair and efficient GPU cluster scheduling, NSDI 2020",
         .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
