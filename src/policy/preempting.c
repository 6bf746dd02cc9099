/* preempting.c -- books of running tasks, classes, and the stage. See preempting.h.
 *
 * Each member's tasks are a treap by (start, serial) whose priorities are hashes of the serials: its shape
 * depends on what is in it and on nothing else. Nodes know the sum of what is below them, so a bound of the
 * fair share is found by one walk down. */
#include "policy/preempting.h"

#include <string.h>

#include "base/slots.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

#define NONE HC_NO_RUNNER
/* Fair shares are computed in doubles: what is this near to a bound is at it, and so not strictly below. */
#define SNAP 1e-9

struct hc_victim {
  uint32_t runner;
  uint32_t group;  /* less goes first */
  double weight;   /* then this, less first */
  hc_time started; /* then who started last (or first: then these are negated) */
  uint64_t serial;
};
typedef struct hc_victim victim;

void hc_preempting_init(hc_preempting *p, const hc_allocator *a, const hc_preempting_options *o)
{
  *p = (hc_preempting){.allocator = a, .o = *o, .vacant = NONE, .vacant_piece = NONE};
  hc_map_init(&p->index, a);
}

void hc_preempting_fini(hc_preempting *p)
{
  const hc_allocator *a = p->allocator;
  if (!a) return;
  hc_map_fini(&p->index);
  for (size_t i = 0; i < p->host_count; i++)
    hc_free(a, p->hosts[i].pieces, p->hosts[i].cap * sizeof *p->hosts[i].pieces);
  hc_free(a, p->runners, p->runner_cap * sizeof *p->runners);
  hc_free(a, p->pieces, p->piece_cap * sizeof *p->pieces);
  hc_free(a, p->members, p->member_cap * sizeof *p->members);
  hc_free(a, p->hosts, p->host_cap * sizeof *p->hosts);
  hc_free(a, p->victims, p->victim_cap * sizeof *p->victims);
  hc_free(a, p->tasks, p->task_cap * sizeof *p->tasks);
  *p = (hc_preempting){0};
}

/* ---- a member's tasks, in the order of their starts ---- */

static bool before(const hc_runner *x, const hc_runner *y)
{
  return x->started != y->started ? x->started < y->started : x->serial < y->serial;
}

static uint64_t height(uint64_t serial)
{
  serial = (serial ^ serial >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  serial = (serial ^ serial >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  return serial ^ serial >> 32;
}

static void add_up(hc_preempting *p, uint32_t at)
{
  hc_runner *x = &p->runners[at];
  for (uint32_t d = 0; d < p->dims; d++) {
    x->sum[d] = x->amount[d];
    if (x->left != NONE) x->sum[d] += p->runners[x->left].sum[d];
    if (x->right != NONE) x->sum[d] += p->runners[x->right].sum[d];
  }
}

/* Cut a tree in two: what stands before `key`, and the rest. */
static void cut(hc_preempting *p, uint32_t root, const hc_runner *key, uint32_t *low, uint32_t *high)
{
  if (root == NONE) {
    *low = *high = NONE;
    return;
  }
  if (before(&p->runners[root], key)) {
    cut(p, p->runners[root].right, key, &p->runners[root].right, high);
    *low = root;
  } else {
    cut(p, p->runners[root].left, key, low, &p->runners[root].left);
    *high = root;
  }
  add_up(p, root);
}

static uint32_t join(hc_preempting *p, uint32_t low, uint32_t high)
{
  if (low == NONE || high == NONE) return low == NONE ? high : low;
  if (height(p->runners[low].serial) > height(p->runners[high].serial)) {
    p->runners[low].right = join(p, p->runners[low].right, high);
    add_up(p, low);
    return low;
  }
  p->runners[high].left = join(p, low, p->runners[high].left);
  add_up(p, high);
  return high;
}

static uint32_t plant(hc_preempting *p, uint32_t root, uint32_t at)
{
  hc_runner *x = &p->runners[at];
  if (root == NONE || height(x->serial) > height(p->runners[root].serial)) {
    cut(p, root, x, &x->left, &x->right);
    add_up(p, at);
    return at;
  }
  if (before(x, &p->runners[root])) p->runners[root].left = plant(p, p->runners[root].left, at);
  else p->runners[root].right = plant(p, p->runners[root].right, at);
  add_up(p, root);
  return root;
}

static uint32_t uproot(hc_preempting *p, uint32_t root, uint32_t at)
{
  hc_runner *r = &p->runners[root];
  if (root == at) return join(p, r->left, r->right);
  if (before(&p->runners[at], r)) r->left = uproot(p, r->left, at);
  else r->right = uproot(p, r->right, at);
  add_up(p, root);
  return root;
}

/* ---- the books ---- */

static hc_rc need_member(hc_preempting *p, uint32_t member)
{
  TRY(hc_reserve(p->allocator, (void **)&p->members, &p->member_cap, (size_t)member + 1, sizeof *p->members));
  while (p->member_count <= member)
    p->members[p->member_count++] = (hc_preempting_member){.root = NONE, .is_old = true};
  return 0;
}

static hc_rc need_host(hc_preempting *p, uint32_t host)
{
  TRY(hc_reserve(p->allocator, (void **)&p->hosts, &p->host_cap, (size_t)host + 1, sizeof *p->hosts));
  while (p->host_count <= host) p->hosts[p->host_count++] = (hc_preempting_host){.stopped = HC_UNKNOWN};
  return 0;
}

static hc_rc lay(hc_preempting *p, uint32_t runner, uint32_t host, const int64_t *amount)
{
  hc_preempting_host *h;
  uint32_t at;
  TRY(need_host(p, host));
  h = &p->hosts[host];
  TRY(hc_reserve(p->allocator, (void **)&h->pieces, &h->cap, h->count + 1, sizeof *h->pieces));
  TRY(HC_SLOT_TAKE(p->allocator, hc_piece, next, p->pieces, p->piece_count, p->piece_cap, p->vacant_piece,
                   &at));
  p->pieces[at] = (hc_piece){runner, host, p->runners[runner].pieces, (uint32_t)h->count, {0}};
  memcpy(p->pieces[at].amount, amount, p->dims * sizeof *amount);
  p->runners[runner].pieces = at;
  h->pieces[h->count++] = at;
  return 0;
}

static void lift(hc_preempting *p, uint32_t runner)
{
  uint32_t at = p->runners[runner].pieces;
  while (at != NONE) {
    hc_piece *x = &p->pieces[at];
    hc_preempting_host *h = &p->hosts[x->host];
    const uint32_t next = x->next, last = h->pieces[--h->count];
    h->pieces[x->place] = last;
    p->pieces[last].place = x->place;
    x->runner = NONE;
    HC_SLOT_GIVE(hc_piece, next, p->pieces, p->vacant_piece, at);
    at = next;
  }
  p->runners[runner].pieces = NONE;
}

static hc_rc take(hc_preempting *p, const hc_services *s, const hc_view *v, hc_task t, uint32_t member,
                  const int64_t *amounts)
{
  const hc_time started = s->started(v, t);
  const hc_holding *held;
  const size_t n = s->held(v, t, &held);
  uint32_t at;
  TRY(need_member(p, member));
  if (p->runner_count >= NONE / 2) return HC_ELIMIT;
  TRY(HC_SLOT_TAKE(p->allocator, hc_runner, left, p->runners, p->runner_count, p->runner_cap, p->vacant,
                   &at));
  p->runners[at] = (hc_runner){.serial = s->serial(v, t),
                               .started = started == HC_UNKNOWN ? s->now(v) : started,
                               .task = t,
                               .member = member,
                               .pieces = NONE,
                               .left = NONE,
                               .right = NONE,
                               .priority = s->priority(v, t)};
  memcpy(p->runners[at].amount, amounts, p->dims * sizeof *amounts);
  for (size_t i = 0; i < n; i++) TRY(lay(p, at, held[i].host, held[i].amount));
  TRY(hc_map_set(&p->index, p->runners[at].serial, at));
  p->members[member].root = plant(p, p->members[member].root, at);
  p->members[member].is_old = true;
  return 0;
}

static void give(hc_preempting *p, uint64_t serial)
{
  const uint32_t at = hc_map_get(&p->index, serial);
  hc_preempting_member *m;
  HC_ASSERT(at != HC_MAP_NONE);
  m = &p->members[p->runners[at].member];
  m->root = uproot(p, m->root, at);
  m->is_old = true;
  lift(p, at);
  hc_map_remove(&p->index, serial);
  p->runners[at] = (hc_runner){.member = NONE};
  HC_SLOT_GIVE(hc_runner, left, p->runners, p->vacant, at);
}

hc_rc hc_preempting_hear(hc_preempting *p, const hc_services *s, const hc_view *v, hc_task_event what,
                         hc_task t, uint32_t member, const int64_t *amounts)
{
  if (p->dims == 0) p->dims = s->dimensions(v);
  if (what == HC_TASK_EVENT_ALLOCATED) return take(p, s, v, t, member, amounts);
  if (what == HC_TASK_EVENT_RELEASED) give(p, s->serial(v, t));
  return 0;
}

hc_rc hc_preempting_due(hc_preempting *p, uint32_t member, const double *fair, const double *demand)
{
  hc_preempting_member *m;
  HC_ASSERT(p->dims > 0);
  TRY(need_member(p, member));
  m = &p->members[member];
  m->is_old |= !m->is_known || memcmp(m->fair, fair, p->dims * sizeof *fair) != 0 ||
               memcmp(m->demand, demand, p->dims * sizeof *demand) != 0;
  memcpy(m->fair, fair, p->dims * sizeof *fair);
  memcpy(m->demand, demand, p->dims * sizeof *demand);
  m->is_known = true;
  return 0;
}

const int64_t *hc_preempting_usage(const hc_preempting *p, uint32_t member)
{
  if (member >= p->member_count || p->members[member].root == NONE) return NULL;
  return p->runners[p->members[member].root].sum;
}

/* ---- classes ---- */

/* Is a sum strictly below so much of the fair share, in each dimension that is not blocked? */
static bool is_below(const hc_preempting *p, const hc_preempting_member *m, const int64_t *sum,
                     double threshold)
{
  for (uint32_t d = 0; d < p->dims; d++)
    if (m->fair[d] < m->demand[d] && !((double)sum[d] < m->fair[d] * threshold * (1 - SNAP))) return false;
  return true;
}

/* The first task before which the sum is not below the bound any more. */
static hc_class_bound bound_of(const hc_preempting *p, const hc_preempting_member *m, double threshold)
{
  hc_class_bound out = {HC_NEVER, 0};
  int64_t sum[HC_DIMENSIONS], here[HC_DIMENSIONS];
  uint32_t at = m->root;
  for (uint32_t d = 0; d < p->dims; d++) sum[d] = 0;
  while (at != NONE) {
    const hc_runner *x = &p->runners[at];
    for (uint32_t d = 0; d < p->dims; d++)
      here[d] = sum[d] + (x->left != NONE ? p->runners[x->left].sum[d] : 0);
    if (!is_below(p, m, here, threshold)) {
      out = (hc_class_bound){x->started, x->serial};
      at = x->left;
    } else {
      for (uint32_t d = 0; d < p->dims; d++) sum[d] = here[d] + x->amount[d];
      at = x->right;
    }
  }
  return out;
}

static bool is_from(const hc_runner *x, const hc_class_bound *b)
{
  return x->started != b->started ? x->started > b->started : x->serial >= b->serial;
}

static hc_stop_class class_of(hc_preempting *p, uint32_t runner)
{
  const hc_runner *x = &p->runners[runner];
  hc_preempting_member *m = &p->members[x->member];
  if (!m->is_known) return HC_STOPS_NEVER;
  if (m->is_old) {
    m->aggressively = bound_of(p, m, p->o.aggressive_threshold);
    m->freely = bound_of(p, m, p->o.threshold);
    m->is_old = false;
  }
  if (is_from(x, &m->freely)) return HC_STOPS_FREELY;
  return is_from(x, &m->aggressively) ? HC_STOPS_AGGRESSIVELY : HC_STOPS_NEVER;
}

hc_stop_class hc_preempting_class(hc_preempting *p, uint64_t serial)
{
  const uint32_t at = hc_map_get(&p->index, serial);
  return at == HC_MAP_NONE ? HC_STOPS_NEVER : class_of(p, at);
}

hc_time hc_preempting_ready(const hc_preempting *p, uint32_t host)
{
  if (host >= p->host_count || p->hosts[host].stopped == HC_UNKNOWN) return HC_UNKNOWN;
  return hc_time_add(p->hosts[host].stopped, p->o.backoff);
}

/* ---- victims ---- */

/* How much the member has of its fair share, in the dimension in which it has most of it. */
static double excess(const hc_preempting *p, const hc_preempting_member *m)
{
  const int64_t *sum = p->runners[m->root].sum;
  double most = 0;
  for (uint32_t d = 0; d < p->dims; d++) {
    const double part = m->fair[d] > 0 ? (double)sum[d] / m->fair[d] : sum[d] > 0 ? 1e300 : 0;
    most = HC_MAX(most, part);
  }
  return most;
}

static double loss(const hc_preempting *p, const hc_services *s, const hc_view *v, const hc_runner *x)
{
  const double time = (double)s->loses(v, x->task, &p->o.stopping);
  double share = 0;
  for (uint32_t d = 0; d < p->dims; d++) {
    const int64_t capacity = s->capacity(v, d);
    if (capacity > 0) share = HC_MAX(share, (double)x->amount[d] / (double)capacity);
  }
  return share * time;
}

HC_SORT(sort_victims, victim,
        a->group != b->group       ? a->group < b->group
        : a->weight != b->weight   ? a->weight < b->weight
        : a->started != b->started ? a->started > b->started
                                   : a->serial > b->serial)

static victim as_victim(hc_preempting *p, const hc_services *s, const hc_view *v,
                        const hc_preempting_stage *x, uint32_t at)
{
  const hc_runner *r = &p->runners[at];
  victim out = {.runner = at, .started = r->started, .serial = r->serial};
  if (x->may_stop) {
    out.weight = x->rank ? (double)x->rank(x->ctx, r) : 0;
    return out;
  }
  out.group = (uint32_t)HC_STOPS_FREELY - (uint32_t)class_of(p, at);
  switch (p->o.victims) {
    case HC_VICTIMS_NEWEST: break;
    case HC_VICTIMS_OLDEST:
      out.weight = (double)r->started;
      out.started = -r->started;
      out.serial = ~r->serial;
      break;
    case HC_VICTIMS_LEAST_LOST: out.weight = loss(p, s, v, r); break;
    case HC_VICTIMS_MOST_OVER_SHARE: out.weight = -excess(p, &p->members[r->member]); break;
  }
  return out;
}

/* May this task be stopped for the taker? @param task HC_NO_TASK: for whichever */
static bool may_stop(hc_preempting *p, const hc_services *s, const hc_view *v, const hc_preempting_stage *x,
                     uint32_t at, uint32_t taker, hc_task task)
{
  const hc_runner *r = &p->runners[at];
  if (s->leaves(v, r->task) != HC_NEVER) return false;
  if (x->may_stop) return x->may_stop(x->ctx, r, task);
  if (r->member == taker || class_of(p, at) < x->least || class_of(p, at) == HC_STOPS_NEVER) return false;
  return !(x->is_protected && x->is_protected(x->ctx, r->member, taker));
}

/* Has a task on the host been told to go? Then what becomes free with it comes first. */
static bool is_leaving(const hc_preempting *p, const hc_services *s, const hc_view *v, uint32_t host)
{
  if (p->o.stopping.grace == 0) return false;
  for (size_t i = 0; i < p->hosts[host].count; i++) {
    const hc_time at = s->leaves(v, p->runners[p->pieces[p->hosts[host].pieces[i]].runner].task);
    if (at != HC_NEVER && at != HC_UNKNOWN) return true;
  }
  return false;
}

hc_rc hc_preempting_discount(hc_preempting *p, const hc_services *s, const hc_view *v,
                             const hc_preempting_stage *x, uint32_t taker, int64_t *out)
{
  for (uint32_t d = 0; d < p->dims; d++) out[d] = 0;
  if (x->host >= p->host_count) return 0;
  for (size_t i = 0; i < p->hosts[x->host].count; i++) {
    const hc_piece *piece = &p->pieces[p->hosts[x->host].pieces[i]];
    if (!may_stop(p, s, v, x, piece->runner, taker, HC_NO_TASK)) continue;
    for (uint32_t d = 0; d < p->dims; d++) out[d] += piece->amount[d];
  }
  return 0;
}

/* The tasks on the host that may go for this one, the first to go in front, each once. */
static hc_rc gather(hc_preempting *p, const hc_services *s, const hc_view *v, const hc_preempting_stage *x,
                    uint32_t taker, hc_task task, size_t *count)
{
  const hc_preempting_host *h = &p->hosts[x->host];
  size_t n = 0, kept = 0;
  TRY(hc_reserve(p->allocator, (void **)&p->victims, &p->victim_cap, h->count, sizeof *p->victims));
  TRY(hc_reserve(p->allocator, (void **)&p->tasks, &p->task_cap, h->count, sizeof *p->tasks));
  for (size_t i = 0; i < h->count; i++) {
    const uint32_t runner = p->pieces[h->pieces[i]].runner;
    if (may_stop(p, s, v, x, runner, taker, task)) p->victims[n++] = as_victim(p, s, v, x, runner);
  }
  sort_victims(p->victims, n);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || p->victims[i].runner != p->victims[i - 1].runner) p->victims[kept++] = p->victims[i];
  *count = kept;
  return 0;
}

/* What a task of the member gives back on this host. */
static void add_here(const hc_preempting *p, uint32_t runner, uint32_t host, int64_t *sum)
{
  for (uint32_t at = p->runners[runner].pieces; at != NONE; at = p->pieces[at].next)
    for (uint32_t d = 0; p->pieces[at].host == host && d < p->dims; d++) sum[d] += p->pieces[at].amount[d];
}

static void free_on(const hc_preempting *p, const hc_services *s, const hc_view *v, uint32_t host,
                    int64_t *out)
{
  const int64_t *free = s->host_free(v, host, NULL);
  for (uint32_t d = 0; d < p->dims; d++) out[d] = free ? free[d] : 0;
  if (!free) out[0] = s->free_units(v);
}

/* Amounts alone: could it fit into so much? Of slots it may need as many as fit, so one is enough here. */
static bool could_fit(const hc_preempting *p, const hc_services *s, const hc_view *v, hc_task task,
                      const int64_t *room)
{
  if (!s->host_free(v, 0, NULL)) return s->units(v, task) <= room[0];
  for (uint32_t d = 0; d < p->dims; d++)
    if (s->demand(v, task, d) > room[d]) return false;
  return true;
}

/* How many of the first victims the task needs: none, if it fits as it is and was only not wanted there.
 * @return whether all of them are enough */
static bool enough(hc_preempting *p, const hc_services *s, const hc_view *v, uint32_t host, hc_task task,
                   size_t *count)
{
  const size_t n = *count;
  int64_t room[HC_DIMENSIONS];
  free_on(p, s, v, host, room);
  for (*count = 0;; ++*count) {
    if (could_fit(p, s, v, task, room) && s->fits_without(v, task, host, p->tasks, *count)) return true;
    if (*count == n) return false;
    p->tasks[*count] = p->runners[p->victims[*count].runner].task;
    add_here(p, p->victims[*count].runner, host, room);
  }
}

/* Let tasks go on that it would fit without as well: the last chosen are the dearest. */
static size_t spare(hc_preempting *p, const hc_services *s, const hc_view *v, uint32_t host, hc_task task,
                    size_t count)
{
  for (size_t i = count; i-- > 0 && count > 1;) {
    const hc_task one = p->tasks[i];
    memmove(&p->tasks[i], &p->tasks[i + 1], (count - i - 1) * sizeof one);
    if (s->fits_without(v, task, host, p->tasks, count - 1)) {
      count--;
      continue;
    }
    memmove(&p->tasks[i + 1], &p->tasks[i], (count - i - 1) * sizeof one);
    p->tasks[i] = one;
  }
  return count;
}

hc_rc hc_preempting_make_room(hc_preempting *p, const hc_services *s, hc_view *v, hc_plan *plan,
                              const hc_preempting_stage *x, uint32_t taker, hc_task task)
{
  const hc_range on = {x->host, 1};
  const bool has_hosts = s->host_free(v, 0, NULL) != NULL;
  size_t n;
  if (x->host >= p->host_count || is_leaving(p, s, v, x->host)) return 0;
  TRY(gather(p, s, v, x, taker, task, &n));
  if (!enough(p, s, v, x->host, task, &n)) return 0;
  if (p->o.fewest) n = spare(p, s, v, x->host, task, n);
  for (size_t i = 0; i < n; i++) {
    const hc_rc rc = s->stop(plan, p->tasks[i], &p->o.stopping);
    if (rc < 0) return rc;
  }
  if (n > 0 && s->explaining(v))
    s->explain(v, task, "%zu running task%s %s for it on host %u", n, n == 1 ? "" : "s",
               p->o.stopping.grace > 0 ? "told to go" : "stopped", x->host);
  p->stopped += n;
  if (n > 0) p->hosts[x->host].stopped = s->now(v);
  if (n > 0 && p->o.stopping.grace > 0) return 1;
  TRY(s->start(plan, task, has_hosts ? &on : NULL, has_hosts));
  return 1;
}

hc_rc hc_preempting_run(hc_preempting *p, const hc_services *s, hc_view *v, hc_plan *plan,
                        const hc_preempting_stage *x, uint32_t *taker, hc_task *task)
{
  const hc_time ready = hc_preempting_ready(p, x->host);
  int64_t free[HC_DIMENSIONS], room[HC_DIMENSIONS];
  if (x->taker_count == 0 || x->host >= p->host_count) return 0;
  if (ready != HC_UNKNOWN && s->now(v) < ready) return 0;
  p->stages++;
  free_on(p, s, v, x->host, free);
  for (size_t i = 0; i < x->taker_count; i++) {
    hc_task t;
    hc_rc rc;
    TRY(hc_preempting_discount(p, s, v, x, x->takers[i], room));
    for (uint32_t d = 0; d < p->dims; d++) room[d] += free[d];
    t = x->task(x->ctx, x->takers[i], room);
    if (t == HC_NO_TASK) continue;
    rc = hc_preempting_make_room(p, s, v, plan, x, x->takers[i], t);
    if (rc == 0) continue;
    if (taker) *taker = x->takers[i];
    if (task) *task = t;
    return rc;
  }
  p->in_vain++;
  return 0;
}

/* ---- state ---- */

/* The trees and the lists of hosts are made again from what runs; a host's list in another order is the same
 * books. */
typedef struct saved_runner {
  hc_runner runner;
  uint64_t piece_count;
} saved_runner;

HC_SORT(sort_saved, saved_runner, a->runner.serial < b->runner.serial)

typedef struct saved {
  saved_runner *runners;
  size_t runner_count, runner_cap;
  hc_piece *pieces;
  size_t piece_count, piece_cap;
  hc_time *stopped;
  size_t host_count, host_cap;
  hc_preempting_member *members;
  size_t member_count, member_cap;
} saved;

static hc_rc pack_runners(const hc_preempting *p, saved *x)
{
  const hc_allocator *a = p->allocator;
  TRY(hc_reserve(a, (void **)&x->runners, &x->runner_cap, p->runner_count, sizeof *x->runners));
  TRY(hc_reserve(a, (void **)&x->pieces, &x->piece_cap, p->piece_count, sizeof *x->pieces));
  for (size_t i = 0; i < p->runner_count; i++) {
    saved_runner *r = &x->runners[x->runner_count];
    if (p->runners[i].member == NONE) continue;
    *r = (saved_runner){.runner = p->runners[i]};
    x->runner_count++;
  }
  sort_saved(x->runners, x->runner_count);
  for (size_t i = 0; i < x->runner_count; i++) {
    saved_runner *r = &x->runners[i];
    for (uint32_t at = r->runner.pieces; at != NONE; at = p->pieces[at].next, r->piece_count++) {
      hc_piece *piece = &x->pieces[x->piece_count++];
      *piece = p->pieces[at];
      piece->runner = piece->next = piece->place = 0; /* found anew */
    }
    r->runner.pieces = r->runner.left = r->runner.right = NONE;
    memset(r->runner.sum, 0, sizeof r->runner.sum);
  }
  return 0;
}

static hc_rc pack(const hc_preempting *p, saved *x)
{
  const hc_allocator *a = p->allocator;
  TRY(pack_runners(p, x));
  TRY(hc_reserve(a, (void **)&x->stopped, &x->host_cap, p->host_count, sizeof *x->stopped));
  for (size_t i = 0; i < p->host_count; i++) x->stopped[x->host_count++] = p->hosts[i].stopped;
  TRY(hc_reserve(a, (void **)&x->members, &x->member_cap, p->member_count, sizeof *x->members));
  for (size_t i = 0; i < p->member_count; i++) {
    hc_preempting_member m = p->members[i];
    m.root = NONE;
    m.is_old = true;
    m.aggressively = m.freely = (hc_class_bound){0};
    x->members[x->member_count++] = m;
  }
  return 0;
}

static hc_rc unpack(hc_preempting *p, const saved *x)
{
  const hc_preempting_options o = p->o;
  const hc_allocator *a = p->allocator;
  const uint32_t dims = p->dims;
  const uint64_t counts[3] = {p->stages, p->in_vain, p->stopped};
  size_t piece = 0;
  hc_preempting_fini(p);
  hc_preempting_init(p, a, &o);
  p->dims = dims;
  p->stages = counts[0];
  p->in_vain = counts[1];
  p->stopped = counts[2];
  if (x->member_count > 0) TRY(need_member(p, (uint32_t)x->member_count - 1));
  for (size_t i = 0; i < x->member_count; i++) p->members[i] = x->members[i];
  if (x->host_count > 0) TRY(need_host(p, (uint32_t)x->host_count - 1));
  for (size_t i = 0; i < x->host_count; i++) p->hosts[i].stopped = x->stopped[i];
  for (size_t i = 0; i < x->runner_count; i++) {
    uint32_t at;
    if (p->runner_count >= NONE / 2) return HC_ELIMIT;
    TRY(HC_SLOT_TAKE(p->allocator, hc_runner, left, p->runners, p->runner_count, p->runner_cap, p->vacant,
                     &at));
    p->runners[at] = x->runners[i].runner;
    if (p->runners[at].member >= p->member_count) return HC_EINPUT;
    for (uint64_t k = 0; k < x->runners[i].piece_count; k++, piece++) {
      if (piece >= x->piece_count) return HC_EINPUT;
      TRY(lay(p, at, x->pieces[piece].host, x->pieces[piece].amount));
    }
    TRY(hc_map_set(&p->index, p->runners[at].serial, at));
    p->members[p->runners[at].member].root = plant(p, p->members[p->runners[at].member].root, at);
  }
  return 0;
}

hc_rc hc_preempting_visit(hc_preempting *p, hc_visitor *v)
{
  const hc_allocator *a = p->allocator;
  saved x = {0};
  hc_rc rc;
  HC_VISIT(v, p->dims);
  HC_VISIT(v, p->stages);
  HC_VISIT(v, p->in_vain);
  HC_VISIT(v, p->stopped);
  rc = hc_visit_loading(v) ? 0 : pack(p, &x);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.runners, &x.runner_count, &x.runner_cap, sizeof *x.runners);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.pieces, &x.piece_count, &x.piece_cap, sizeof *x.pieces);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.stopped, &x.host_count, &x.host_cap, sizeof *x.stopped);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.members, &x.member_count, &x.member_cap, sizeof *x.members);
  if (rc == 0 && hc_visit_loading(v)) rc = unpack(p, &x);
  hc_free(a, x.runners, x.runner_cap * sizeof *x.runners);
  hc_free(a, x.pieces, x.piece_cap * sizeof *x.pieces);
  hc_free(a, x.stopped, x.host_cap * sizeof *x.stopped);
  hc_free(a, x.members, x.member_cap * sizeof *x.members);
  return rc;
}
