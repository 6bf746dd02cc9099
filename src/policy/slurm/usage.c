/* usage.c -- decayed usage of associations and QOS: see usage.h. */
#include "policy/slurm/usage.h"

#include <string.h>

#include "base/math.h"
#include "base/slots.h"
#include "base/util.h"

#define LEAST_DECAY 0x1p-1022 /* what a long pause leaves: as in Slurm never 0 */
#define NO_LIMIT_SECONDS (INT64_C(365) * 86400)

typedef struct job job;

/* ---- begin and end ---- */

hc_rc hc_slurm_usage_init(hc_slurm_usage *u, const hc_slurm_assocs *b, const hc_slurm_usage_options *o,
                          const hc_allocator *a)
{
  const double life = (double)o->half_life / (double)HC_SECOND;
  *u = (hc_slurm_usage){.allocator = a, .b = b, .o = *o, .room = b->count};
  u->s.vacant = HC_MAP_NONE;
  u->s.step = o->half_life > 0 && o->half_life != HC_NEVER ? HC_MAX(1 - 0.693 / life, 0.0) : 1;
  u->used = hc_alloc(a, (b->count + b->qos_count) * sizeof *u->used);
  u->standing = hc_alloc(a, b->count * sizeof *u->standing);
  u->fair_parent = hc_alloc(a, b->count * sizeof *u->fair_parent);
  u->level_shares = hc_alloc(a, b->count * sizeof *u->level_shares);
  u->level_used = hc_alloc(a, b->count * sizeof *u->level_used);
  u->scratch = hc_alloc(a, b->count * sizeof *u->scratch);
  if (!u->used || !u->standing || !u->fair_parent || !u->level_shares || !u->level_used || !u->scratch)
    return HC_ENOMEM;
  hc_slurm_fair_begin(u);
  return 0;
}

void hc_slurm_usage_fini(hc_slurm_usage *u)
{
  if (!u->allocator) return;
  hc_free(u->allocator, u->used, (u->room + u->b->qos_count) * sizeof *u->used);
  hc_free(u->allocator, u->standing, u->room * sizeof *u->standing);
  hc_free(u->allocator, u->fair_parent, u->room * sizeof *u->fair_parent);
  hc_free(u->allocator, u->level_shares, u->room * sizeof *u->level_shares);
  hc_free(u->allocator, u->level_used, u->room * sizeof *u->level_used);
  hc_free(u->allocator, u->scratch, u->room * sizeof *u->scratch);
  hc_free(u->allocator, u->jobs, u->job_cap * sizeof *u->jobs);
}

/* ---- what a job adds ---- */

static int64_t seconds(hc_time t)
{
  return hc_floor_div(t, HC_SECOND);
}

/* The last second that its limit lets it run. */
static int64_t limit_end(const hc_slurm_running *r)
{
  return seconds(r->start) + (r->limit == HC_NEVER ? NO_LIMIT_SECONDS : r->limit / HC_SECOND);
}

/* What a job adds between two seconds. */
typedef struct addition {
  double run, billed; /* s, billing x s: decayed, or as they are */
  double promised;    /* s that it no longer may use */
} addition;

static void add_to(const hc_slurm_usage *u, hc_slurm_used *x, const hc_slurm_running *r, const addition *a)
{
  x->wall += a->run;
  x->raw += a->billed;
  for (uint32_t i = 0; u->o.enforces_limits && i < u->b->tres.count; i++) {
    if (i == HC_SLURM_ENERGY) continue;
    const double amount = (double)r->amounts.of[i];
    x->tres[i] += a->run * amount;
    x->run_secs[i] = HC_MAX(x->run_secs[i] - a->promised * amount, 0.0);
  }
}

static void add_to_qos(hc_slurm_usage *u, uint32_t qos, const hc_slurm_running *r, const addition *decayed,
                       const addition *whole)
{
  if (qos == HC_SLURM_NONE) return;
  add_to(u, &u->used[u->b->count + qos], r, u->b->qos[qos].flags & HC_SLURM_NO_DECAY ? whole : decayed);
}

/* Seconds of its limit that are used up at `to`, or given back because it has ended. */
static int64_t promised(const hc_slurm_running *r, int64_t from, int64_t to, bool has_ended)
{
  const int64_t end = limit_end(r);
  if (from >= end) return 0;
  return (has_ended ? end : HC_MIN(to, end)) - from;
}

static double whole_part(double x)
{
  return x < 0x1p53 ? (double)(int64_t)x : x;
}

static void add_job(hc_slurm_usage *u, const hc_slurm_running *r, int64_t to, bool has_ended)
{
  const double factor = r->qos == HC_SLURM_NONE ? 1 : u->b->qos[r->qos].usage_factor;
  const int64_t begin = seconds(r->start);
  const int64_t from = u->s.has_run ? HC_MAX(begin, u->s.last) : begin;
  const double ran = (double)HC_MAX(to - from, INT64_C(0));
  const double faded = ran * hc_pow(u->s.step, ran);
  const double used_up = whole_part((double)promised(r, from, HC_MAX(to, from), has_ended) * factor);
  const addition whole = {ran * factor, ran * r->billing * factor, used_up};
  const addition decayed = {faded * factor, faded * r->billing * factor, used_up};
  add_to_qos(u, r->qos, r, &decayed, &whole);
  if (r->part_qos != r->qos) add_to_qos(u, r->part_qos, r, &decayed, &whole);
  for (uint32_t x = r->assoc; x != HC_SLURM_NONE; x = u->b->items[x].parent)
    add_to(u, &u->used[x], r, &decayed);
}

/* ---- starts and ends ---- */

/* What its limit lets a job use is promised to it from its start. */
static void promise(hc_slurm_usage *u, hc_slurm_used *x, const hc_slurm_running *r)
{
  const double factor = r->qos == HC_SLURM_NONE ? 1 : u->b->qos[r->qos].usage_factor;
  const double length = whole_part((double)(limit_end(r) - seconds(r->start)) * factor);
  for (uint32_t i = 0; u->o.enforces_limits && i < u->b->tres.count; i++)
    if (i != HC_SLURM_ENERGY) x->run_secs[i] += length * (double)r->amounts.of[i];
}

hc_rc hc_slurm_usage_start(hc_slurm_usage *u, const hc_slurm_running *r, uint32_t *handle)
{
  uint32_t at;
  TRY(HC_SLOT_TAKE(u->allocator, job, vacant, u->jobs, u->job_count, u->job_cap, u->s.vacant, &at));
  memset(&u->jobs[at], 0, sizeof u->jobs[at]);
  u->jobs[at].r = *r;
  u->jobs[at].is_on = 1;
  *handle = at;
  for (uint32_t x = r->assoc; x != HC_SLURM_NONE; x = u->b->items[x].parent) promise(u, &u->used[x], r);
  if (r->qos != HC_SLURM_NONE) promise(u, &u->used[u->b->count + r->qos], r);
  if (r->part_qos != HC_SLURM_NONE && r->part_qos != r->qos)
    promise(u, &u->used[u->b->count + r->part_qos], r);
  return 0;
}

void hc_slurm_usage_end(hc_slurm_usage *u, uint32_t handle, hc_time end)
{
  job *j = &u->jobs[handle];
  HC_ASSERT(handle < u->job_count && j->is_on);
  if (u->o.enforces_limits) add_job(u, &j->r, seconds(end), true);
  j->is_on = 0;
  HC_SLOT_GIVE(job, vacant, u->jobs, u->s.vacant, handle);
}

/* ---- periods ---- */

static void decay_one(const hc_slurm_usage *u, hc_slurm_used *x, double by)
{
  x->raw *= by;
  x->wall *= by;
  for (uint32_t i = 0; i < u->b->tres.count; i++) x->tres[i] *= by;
}

static void decay(hc_slurm_usage *u, int64_t dt)
{
  const size_t all = u->b->count + u->b->qos_count;
  const double by = HC_MAX(hc_pow(u->s.step, (double)dt), LEAST_DECAY);
  if (u->s.step == 1) return; /* nothing is forgotten */
  for (size_t i = 0; i < all; i++)
    if (i < u->b->count || !(u->b->qos[i - u->b->count].flags & HC_SLURM_NO_DECAY))
      decay_one(u, &u->used[i], by);
}

static void forget(hc_slurm_usage *u)
{
  for (size_t i = 0; i < u->b->count + u->b->qos_count; i++) {
    u->used[i].raw = u->used[i].wall = 0;
    memset(u->used[i].tres, 0, sizeof u->used[i].tres);
  }
}

void hc_slurm_usage_period(hc_slurm_usage *u, hc_time now)
{
  const int64_t second = seconds(now), dt = u->s.has_run ? second - u->s.last : 0;
  const bool is_tree = u->o.sharing == HC_SLURM_FAIR_TREE;
  if (!u->s.has_run && u->o.reset == HC_SLURM_RESET_NOW) forget(u);
  if (!is_tree) hc_slurm_fair_accounts(u);
  if (dt > 0) decay(u, dt);
  if (dt > 0 || is_tree)
    for (size_t i = 0; i < u->job_count; i++)
      if (u->jobs[i].is_on) add_job(u, &u->jobs[i].r, second, false);
  if (is_tree) hc_slurm_fair_tree(u);
  else hc_slurm_fair_users(u);
  u->s.last = second;
  u->s.has_run = 1;
}

double hc_slurm_usage_factor(const hc_slurm_usage *u, uint32_t assoc)
{
  return assoc == HC_SLURM_NONE ? 0 : u->standing[assoc].factor;
}

/* ---- state ---- */

hc_rc hc_slurm_usage_visit(hc_slurm_usage *u, hc_visitor *v)
{
  uint64_t count = u->b->count + u->b->qos_count;
  TRY(hc_visit_bytes(v, &count, sizeof count));
  if (count != u->b->count + u->b->qos_count) return HC_EINPUT;
  TRY(hc_visit_bytes(v, u->used, (size_t)count * sizeof *u->used));
  TRY(hc_visit_bytes(v, u->standing, u->b->count * sizeof *u->standing));
  TRY(hc_visit_array(v, (void **)&u->jobs, &u->job_count, &u->job_cap, sizeof *u->jobs));
  TRY(hc_visit_bytes(v, &u->s, sizeof u->s));
  for (size_t i = 0; i < u->job_count; i++) {
    const hc_slurm_running *r = &u->jobs[i].r;
    const uint32_t qos = (uint32_t)u->b->qos_count;
    if (!u->jobs[i].is_on) continue;
    if ((r->assoc != HC_SLURM_NONE && r->assoc >= u->b->count) ||
        (r->qos != HC_SLURM_NONE && r->qos >= qos) || (r->part_qos != HC_SLURM_NONE && r->part_qos >= qos))
      return HC_EINPUT;
  }
  return HC_SLOTS_ARE_SOUND(job, vacant, u->jobs, u->job_count, u->s.vacant) ? 0 : HC_EINPUT;
}
