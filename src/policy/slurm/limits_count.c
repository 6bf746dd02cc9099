/* limits_count.c -- counters of what associations, QOS, and users and accounts in a QOS have: see
 * limits.h. */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/limits.h"

/* ---- begin and end ---- */

static bool has_any(const hc_slurm_bounds *x)
{
  const int64_t *all = (const int64_t *)(const void *)x;
  for (size_t i = 0; i < sizeof *x / sizeof *all; i++)
    if (all[i] != HC_SLURM_NO_LIMIT) return true;
  return false;
}

/* Nodes of this counter are told apart: a block for it. */
static hc_rc give_nodes(hc_slurm_limits *l, hc_slurm_counter *c)
{
  const size_t need = l->node_jobs_count + l->node_count;
  if (need / HC_MAX(l->node_count, 1u) >= HC_MAP_NONE) return HC_ELIMIT;
  TRY(hc_reserve(l->allocator, (void **)&l->node_jobs, &l->node_jobs_cap, need, sizeof *l->node_jobs));
  memset(l->node_jobs + l->node_jobs_count, 0, l->node_count * sizeof *l->node_jobs);
  c->nodes = (uint32_t)(l->node_jobs_count / HC_MAX(l->node_count, 1u));
  l->node_jobs_count = need;
  return 0;
}

hc_rc hc_slurm_limits_init(hc_slurm_limits *l, const hc_slurm_usage *u, uint32_t enforce, uint32_t nodes,
                           const hc_allocator *a)
{
  const hc_slurm_assocs *b = u->b;
  *l = (hc_slurm_limits){.allocator = a, .usage = u, .enforce = enforce, .node_count = nodes};
  hc_map_init(&l->index, a);
  l->bounds_room = b->count + b->qos_count;
  l->has_bounds = hc_alloc(a, l->bounds_room);
  if (!l->has_bounds) return HC_ENOMEM;
  TRY(hc_reserve(a, (void **)&l->counters, &l->cap, l->bounds_room, sizeof *l->counters));
  for (size_t i = 0; i < l->bounds_room; i++) {
    const hc_slurm_bounds *x = i < b->count ? &b->items[i].bounds : &b->qos[i - b->count].bounds;
    l->has_bounds[i] = has_any(x) || (i > 0 && i < b->count && l->has_bounds[b->items[i].parent]);
    l->counters[i] = (hc_slurm_counter){.nodes = HC_MAP_NONE};
    if (x->grp.of[HC_SLURM_NODE] != HC_SLURM_NO_LIMIT) TRY(give_nodes(l, &l->counters[i]));
    l->count++;
  }
  return 0;
}

void hc_slurm_limits_fini(hc_slurm_limits *l)
{
  if (!l->allocator) return;
  hc_free(l->allocator, l->has_bounds, l->bounds_room);
  hc_free(l->allocator, l->counters, l->cap * sizeof *l->counters);
  hc_free(l->allocator, l->node_jobs, l->node_jobs_cap * sizeof *l->node_jobs);
  hc_map_fini(&l->index);
}

/* ---- which counters a job moves ---- */

/* The counter of a user or an account in a QOS, which is made if it is new. */
static hc_rc member(hc_slurm_limits *l, uint32_t qos, uint32_t id, bool is_account, uint32_t *out)
{
  const hc_slurm_bounds *x = &l->usage->b->qos[qos].bounds;
  const hc_slurm_amounts *most = is_account ? &x->max_account : &x->max_user;
  *out = hc_map_get(&l->index, hc_slurm_member_key(qos, id, is_account));
  if (*out != HC_MAP_NONE) return 0;
  TRY(hc_reserve(l->allocator, (void **)&l->counters, &l->cap, l->count + 1, sizeof *l->counters));
  hc_slurm_counter *c = &l->counters[l->count];
  *c = (hc_slurm_counter){.nodes = HC_MAP_NONE};
  if (most->of[HC_SLURM_NODE] != HC_SLURM_NO_LIMIT) TRY(give_nodes(l, c));
  TRY(hc_map_set(&l->index, hc_slurm_member_key(qos, id, is_account), (uint32_t)l->count));
  *out = (uint32_t)l->count++;
  return 0;
}

/* Counters that a job is counted in: associations up to the root, and three of each QOS. */
typedef struct counted {
  uint32_t at[HC_SLURM_DEEPEST + 2 + 6];
  int n;
} counted;

static hc_rc add_qos(hc_slurm_limits *l, const hc_slurm_assoc *x, uint32_t qos, counted *out)
{
  uint32_t at;
  if (qos == HC_SLURM_NONE) return 0;
  out->at[out->n++] = (uint32_t)l->usage->b->count + qos;
  TRY(member(l, qos, x->user_id, false, &at));
  out->at[out->n++] = at;
  TRY(member(l, qos, x->account_id, true, &at));
  out->at[out->n++] = at;
  return 0;
}

static hc_rc counters_of(hc_slurm_limits *l, const hc_slurm_asked *job, counted *out)
{
  const hc_slurm_assocs *b = l->usage->b;
  out->n = 0;
  if (job->assoc == HC_SLURM_NONE || !(l->enforce & HC_SLURM_ENFORCE_LIMITS)) return 0;
  const hc_slurm_assoc *x = &b->items[job->assoc];
  TRY(add_qos(l, x, job->qos, out));
  if (job->part_qos != job->qos) TRY(add_qos(l, x, job->part_qos, out));
  for (uint32_t up = job->assoc; up != HC_SLURM_NONE; up = b->items[up].parent) out->at[out->n++] = up;
  return 0;
}

/* ---- counting ---- */

/* Nodes that `by` jobs more hold. @return how many come or go */
static int64_t count_nodes(hc_slurm_limits *l, const hc_slurm_counter *c, const hc_slurm_asked *job, int by)
{
  uint16_t *jobs = l->node_jobs + (size_t)c->nodes * l->node_count;
  int64_t moved = 0;
  for (size_t r = 0; r < job->node_ranges; r++)
    for (uint32_t i = 0; i < job->nodes[r].count; i++) {
      uint16_t *x = &jobs[job->nodes[r].first + i];
      HC_ASSERT(job->nodes[r].first + i < l->node_count && (by > 0 || *x > 0));
      if (by > 0 && (*x)++ == 0) moved++;
      if (by < 0 && --*x == 0) moved--;
    }
  return moved;
}

static void count(hc_slurm_limits *l, hc_slurm_counter *c, const hc_slurm_asked *job, int by)
{
  const bool tells_nodes = c->nodes != HC_MAP_NONE && job->nodes;
  c->jobs += by;
  for (uint32_t i = 0; i < l->usage->b->tres.count; i++) {
    if (i == HC_SLURM_NODE && tells_nodes) c->held.of[i] += count_nodes(l, c, job, by);
    else c->held.of[i] += by * job->amounts.of[i];
  }
  HC_ASSERT(c->jobs >= 0 && c->held.of[HC_SLURM_CPU] >= 0);
}

hc_rc hc_slurm_limits_started(hc_slurm_limits *l, const hc_slurm_asked *job)
{
  counted c;
  TRY(counters_of(l, job, &c));
  for (int i = 0; i < c.n; i++) count(l, &l->counters[c.at[i]], job, 1);
  return 0;
}

void hc_slurm_limits_ended(hc_slurm_limits *l, const hc_slurm_asked *job)
{
  counted c;
  if (counters_of(l, job, &c) < 0) return; /* those that it was counted in are there */
  for (int i = 0; i < c.n; i++) count(l, &l->counters[c.at[i]], job, -1);
}

hc_rc hc_slurm_limits_submitted(hc_slurm_limits *l, const hc_slurm_asked *job, int64_t jobs)
{
  counted c;
  TRY(counters_of(l, job, &c));
  for (int i = 0; i < c.n; i++) l->counters[c.at[i]].submitted += jobs;
  return 0;
}

void hc_slurm_limits_withdrawn(hc_slurm_limits *l, const hc_slurm_asked *job, int64_t jobs)
{
  counted c;
  if (counters_of(l, job, &c) < 0) return;
  for (int i = 0; i < c.n; i++) {
    l->counters[c.at[i]].submitted -= jobs;
    HC_ASSERT(l->counters[c.at[i]].submitted >= 0);
  }
}

/* ---- state ---- */

hc_rc hc_slurm_limits_visit(hc_slurm_limits *l, hc_visitor *v)
{
  const size_t fixed = l->bounds_room;
  TRY(hc_visit_array(v, (void **)&l->counters, &l->count, &l->cap, sizeof *l->counters));
  TRY(hc_visit_array(v, (void **)&l->node_jobs, &l->node_jobs_count, &l->node_jobs_cap,
                     sizeof *l->node_jobs));
  TRY(hc_map_visit(&l->index, v));
  if (l->count < fixed) return HC_EINPUT;
  for (size_t i = 0; i < l->count; i++) {
    const uint32_t at = l->counters[i].nodes;
    if (at != HC_MAP_NONE && (at + (size_t)1) * l->node_count > l->node_jobs_count) return HC_EINPUT;
  }
  return hc_map_is_below(&l->index, l->count) ? 0 : HC_EINPUT;
}
