/* evicting.c -- see evicting.h. */
#include "architecture/evicting.h"

#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/wide.h"

hc_rc hc_evicting_init(hc_evicting *x, const hc_allocator *a, const hc_services *ask, uint32_t hosts)
{
  *x = (hc_evicting){.allocator = a, .ask = ask, .hosts = hosts};
  x->first = hc_alloc(a, hosts * sizeof *x->first);
  if (!x->first) return HC_ENOMEM;
  for (uint32_t h = 0; h < hosts; h++) x->first[h] = HC_NO_TASK;
  return 0;
}

void hc_evicting_fini(hc_evicting *x)
{
  const hc_allocator *a = x->allocator;
  if (!a) return;
  hc_free(a, x->tasks, x->task_cap * sizeof *x->tasks);
  hc_free(a, x->first, x->hosts * sizeof *x->first);
  hc_free(a, x->here, x->here_cap * sizeof *x->here);
  hc_free(a, x->best, x->best_cap * sizeof *x->best);
  *x = (hc_evicting){0};
}

hc_rc hc_evicting_visit(hc_evicting *x, hc_visitor *v)
{
  if (!x->allocator) return 0; /* nothing is stopped in this run */
  HC_VISIT_ARRAY(v, x->tasks, x->task_count, x->task_cap);
  return hc_visit_bytes(v, x->first, x->hosts * sizeof *x->first);
}

/* ---- books ---- */

static hc_rc begin(hc_evicting *x, const hc_view *v, hc_task t)
{
  const hc_services *s = x->ask;
  const hc_time started = s->started(v, t);
  const hc_holding *held;
  TRY(hc_reserve(x->allocator, (void **)&x->tasks, &x->task_cap, (size_t)t + 1, sizeof *x->tasks));
  while (x->task_count <= t) x->tasks[x->task_count++] = (hc_evicted){.host = HC_NO_HOST, .next = HC_NO_TASK};
  x->tasks[t] = (hc_evicted){.serial = s->serial(v, t),
                             .priority = s->priority(v, t),
                             .started = started == HC_UNKNOWN ? s->now(v) : started,
                             .host = HC_NO_HOST,
                             .next = HC_NO_TASK};
  if (s->held(v, t, &held) != 1) return 0;
  x->tasks[t].host = held[0].host;
  x->tasks[t].next = x->first[held[0].host];
  x->first[held[0].host] = t;
  return 0;
}

static void end(hc_evicting *x, hc_task t)
{
  uint32_t *at;
  if (t >= x->task_count || x->tasks[t].host == HC_NO_HOST) return;
  at = &x->first[x->tasks[t].host];
  while (*at != t) at = &x->tasks[*at].next;
  *at = x->tasks[t].next;
  x->tasks[t] = (hc_evicted){.host = HC_NO_HOST, .next = HC_NO_TASK};
}

hc_rc hc_evicting_hear(hc_evicting *x, const hc_view *v, hc_task_event what, hc_task t)
{
  if (!x->allocator) return 0;
  if (what == HC_TASK_EVENT_ALLOCATED) return begin(x, v, t);
  if (what == HC_TASK_EVENT_RELEASED) end(x, t);
  return 0;
}

/* ---- one host ---- */

typedef struct order {
  int64_t priority;
  hc_time started;
  uint64_t serial;
  hc_task task;
} order;

HC_SORT(sort_important, order,
        a->priority != b->priority ? a->priority > b->priority
        : a->started != b->started ? a->started < b->started
                                   : a->serial < b->serial)

/* All of lower priority on the host, the most important first, to `here`. @return 0 or HC_ENOMEM */
static hc_rc gather(hc_evicting *x, const hc_view *v, uint32_t host, int64_t priority)
{
  order few[64], *list = few;
  size_t n = 0, all = 0;
  for (hc_task t = x->first[host]; t != HC_NO_TASK; t = x->tasks[t].next) all++;
  if (all > HC_ARRAY_LEN(few)) list = hc_alloc(x->allocator, all * sizeof *list);
  if (!list) return HC_ENOMEM;
  for (hc_task t = x->first[host]; t != HC_NO_TASK; t = x->tasks[t].next) {
    const hc_evicted *e = &x->tasks[t];
    if (e->priority >= priority || x->ask->leaves(v, t) != HC_NEVER) continue;
    list[n++] = (order){e->priority, e->started, e->serial, t};
  }
  sort_important(list, n);
  x->here_count = 0;
  hc_rc rc = hc_reserve(x->allocator, (void **)&x->here, &x->here_cap, n, sizeof *x->here);
  for (size_t i = 0; rc >= 0 && i < n; i++) x->here[x->here_count++] = list[i].task;
  if (list != few) hc_free(x->allocator, list, all * sizeof *list);
  return rc;
}

/* Would amounts be enough without them? */
static bool could_be_enough(const hc_evicting *x, const hc_view *v, uint32_t host,
                            const hc_one_host_need *need)
{
  int64_t given[HC_DIMENSIONS] = {0};
  for (size_t i = 0; i < x->here_count; i++) {
    const hc_holding *held;
    if (x->ask->held(v, x->here[i], &held) != 1) return false;
    for (uint32_t d = 0; d < need->dimensions; d++) given[d] -= held[0].amount[d];
  }
  return hc_one_host_has_room(x->ask, v, host, need, given);
}

/* Let the task go on, if the one in question fits without the others. */
static void reprieve(hc_evicting *x, const hc_view *v, uint32_t host, hc_task t)
{
  for (size_t i = 0; i < x->here_count;) {
    const hc_task one = x->here[i];
    const size_t behind = x->here_count - i - 1;
    memmove(&x->here[i], &x->here[i + 1], behind * sizeof one);
    if (x->ask->fits_without(v, t, host, x->here, x->here_count - 1)) {
      x->here_count--;
      continue;
    }
    memmove(&x->here[i + 1], &x->here[i], behind * sizeof one);
    x->here[i++] = one;
  }
}

/* ---- which host ---- */

typedef struct cost {
  int64_t highest; /* priority of the most important victim */
  hc_int128 sum;   /* of their priorities, each raised so that fewer tasks are less */
  size_t count;
  hc_time started; /* the earliest start of the most important */
} cost;

static cost cost_of(const hc_evicting *x)
{
  cost c = {.highest = x->tasks[x->here[0]].priority, .count = x->here_count, .started = HC_NEVER};
  for (size_t i = 0; i < x->here_count; i++) {
    const hc_evicted *e = &x->tasks[x->here[i]];
    c.sum += (hc_int128)e->priority + (INT64_C(1) << 31); /* Kubernetes: MaxInt32 + 1 */
    if (e->priority == c.highest) c.started = HC_MIN(c.started, e->started);
  }
  return c;
}

static bool is_cheaper(const cost *a, const cost *b)
{
  if (a->highest != b->highest) return a->highest < b->highest;
  if (a->sum != b->sum) return a->sum < b->sum;
  if (a->count != b->count) return a->count < b->count;
  return a->started > b->started;
}

static hc_rc keep_best(hc_evicting *x)
{
  TRY(hc_reserve(x->allocator, (void **)&x->best, &x->best_cap, x->here_count, sizeof *x->best));
  memcpy(x->best, x->here, x->here_count * sizeof *x->best);
  x->best_count = x->here_count;
  return 0;
}

hc_rc hc_evicting_choose(hc_evicting *x, const hc_architecture_context *c, const hc_view *v, hc_task t,
                         uint32_t *host)
{
  const int64_t priority = x->ask->priority(v, t);
  hc_one_host_need need;
  cost least = {0};
  *host = HC_NO_HOST;
  hc_one_host_measure(x->ask, v, t, &need);
  for (uint32_t h = 0; h < x->hosts; h++) {
    cost its;
    if (x->first[h] == HC_NO_TASK) continue;
    TRY(gather(x, v, h, priority));
    if (x->here_count == 0 || !could_be_enough(x, v, h, &need) || !c->services->could(c->engine, t, h) ||
        !x->ask->fits_without(v, t, h, x->here, x->here_count))
      continue;
    reprieve(x, v, h, t);
    if (x->here_count == 0) continue;
    its = cost_of(x);
    if (*host != HC_NO_HOST && !is_cheaper(&its, &least)) continue;
    least = its;
    *host = h;
    TRY(keep_best(x));
  }
  return *host != HC_NO_HOST;
}
