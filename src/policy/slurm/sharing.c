/* sharing.c -- see sharing.h.
 *
 * A job is alone on its nodes in a partition of OverSubscribe=EXCLUSIVE, and where it asks for that
 * (--exclusive): it starts on nodes that nothing is on, and what it does not use of them is free for none.
 * The engine knows of what it uses only, so the rest is held in the books: to all that look at them the job
 * has its nodes whole. Limits and usage count all cores and GPUs of these nodes as its own, and of memory
 * what it asked for, as Slurm's do.
 *
 * With ExclusiveUser=YES of its partition, or --exclusive=user, a job is on no node beside a job of another
 * user, be that in another partition, until all jobs of its user that ask for that are gone from the node.
 * Jobs of which no user is known count as those of one. As in Slurm the backfill sees whose nodes are whose
 * now, and plans nothing for such a job on nodes that another user has, however soon they will be free.
 *
 * Source: filter_by_node_owner and the selection of nodes of Slurm 22.05, as they behave. */
#include "policy/slurm/sharing.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/cores.h"

uint32_t hc_slurm_sharing_of(const hc_slurm_partition *p, uint32_t exclusive)
{
  if (p->is_exclusive || exclusive == HC_EXCLUSIVE_HOST) return HC_EXCLUSIVE_HOST;
  return p->is_of_user ? HC_EXCLUSIVE_USER : exclusive;
}

/* ---- nodes that are one job's ---- */

void hc_slurm_sharing_give(hc_slurm_books *b, hc_slurm_busy *x)
{
  const uint32_t dims = b->nodes.dims;
  for (uint32_t i = 0; i < x->rest_nodes; i++) {
    int64_t *rest = x->rest + (size_t)i * dims, *free = b->free + (size_t)x->hosts[i] * dims;
    for (uint32_t d = 0; d < dims; d++) {
      x->amounts[(size_t)i * dims + d] -= rest[d];
      free[d] += rest[d];
    }
    b->sum += rest[0];
    hc_bit_put(b->some, x->hosts[i], free[0] > 0);
  }
  x->rest_nodes = 0;
}

hc_rc hc_slurm_sharing_take(hc_slurm_books *b, hc_slurm_busy *x)
{
  const uint32_t dims = b->nodes.dims;
  if (x->sharing != HC_EXCLUSIVE_HOST || b->cores.words > 0) return 0;
  TRY(hc_reserve(b->allocator, (void **)&x->rest, &x->rest_cap, (size_t)x->nodes * dims, sizeof *x->rest));
  for (uint32_t i = 0; i < x->nodes; i++) {
    int64_t *rest = x->rest + (size_t)i * dims, *free = b->free + (size_t)x->hosts[i] * dims;
    for (uint32_t d = 0; d < dims; d++) {
      rest[d] = b->shared[d] ? 0 : HC_MAX(free[d], 0);
      x->amounts[(size_t)i * dims + d] += rest[d];
      free[d] -= rest[d];
    }
    b->sum -= rest[0];
    hc_bit_put(b->some, x->hosts[i], free[0] > 0);
  }
  x->rest_nodes = x->nodes;
  return 0;
}

/* Of one that is suspended the books keep what others have not taken. */
hc_rc hc_slurm_sharing_settle(hc_slurm_books *b)
{
  hc_slurm_cores_settle(b, NULL);
  for (size_t i = 0; i < b->running_count; i++) {
    hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->sharing != HC_EXCLUSIVE_HOST || x->since > 0 || b->cores.words > 0) continue;
    hc_slurm_sharing_give(b, x);
    TRY(hc_slurm_sharing_take(b, x));
  }
  return 0;
}

void hc_slurm_sharing_fini(hc_slurm_busy *x, const hc_allocator *a)
{
  hc_free(a, x->rest, x->rest_cap * sizeof *x->rest);
}

hc_rc hc_slurm_sharing_visit(hc_slurm_books *b, hc_slurm_busy *x, hc_visitor *v)
{
  HC_VISIT(v, x->sharing);
  HC_VISIT(v, x->user);
  if (hc_visit_loading(v)) b->owned += x->sharing == HC_EXCLUSIVE_USER;
  if (x->sharing != HC_EXCLUSIVE_HOST) return 0;
  size_t rest = (size_t)x->rest_nodes * b->nodes.dims;
  HC_VISIT_ARRAY(v, x->rest, rest, x->rest_cap);
  x->rest_nodes = (uint32_t)(rest / b->nodes.dims);
  return 0;
}

/* ---- nodes that are one user's ---- */

static void take_off(uint64_t *mask, const uint32_t *hosts, size_t count)
{
  for (size_t i = 0; i < count; i++) hc_bit_put(mask, hosts[i], false);
}

void hc_slurm_sharing_leave_users(const hc_slurm_books *b, const hc_slurm_job *job, uint64_t *mask)
{
  const bool is_of_user = job->sharing == HC_EXCLUSIVE_USER;
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->user == job->user || (!is_of_user && x->sharing != HC_EXCLUSIVE_USER)) continue;
    take_off(mask, x->hosts, x->nodes);
    if (x->since > 0) take_off(mask, x->whole.hosts, x->whole.count);
  }
}

void hc_slurm_sharing_leave(const hc_slurm_books *b, const hc_slurm_job *job, uint64_t *mask)
{
  if (hc_slurm_rows_matter(b)) hc_slurm_rows_leave(b, job, mask);
  hc_slurm_sharing_leave_users(b, job, mask);
}

/* ---- what counts ---- */

static uint32_t dimension_of(const hc_slurm_books *b, const hc_view *v, int id)
{
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if ((int)b->s->dimension_id(v, d) == id && !b->shared[d]) return d;
  return UINT32_MAX;
}

static int64_t capacity_of(const hc_slurm_books *b, uint32_t host, uint32_t d)
{
  return b->capacity[(size_t)host * b->nodes.dims + d];
}

void hc_slurm_sharing_rest(const hc_slurm_books *b, const hc_view *v, const hc_holding *held, size_t count,
                           int64_t out[2])
{
  static const int ids[2] = {HC_DIM_CPU, HC_DIM_GPU};
  for (int k = 0; k < 2; k++) {
    const uint32_t d = dimension_of(b, v, ids[k]);
    out[k] = 0;
    for (size_t i = 0; i < count && d != UINT32_MAX; i++) {
      if (i == 0 || held[i].host != held[i - 1].host) out[k] += capacity_of(b, held[i].host, d);
      out[k] -= held[i].amount[d];
    }
  }
}

void hc_slurm_sharing_dealt(const hc_slurm_books *b, const hc_view *v, hc_task t, const hc_host_room *dealt,
                            size_t count, int64_t out[2])
{
  static const int ids[2] = {HC_DIM_CPU, HC_DIM_GPU};
  for (int k = 0; k < 2; k++) {
    const uint32_t d = dimension_of(b, v, ids[k]);
    out[k] = 0;
    for (size_t i = 0; i < count && d != UINT32_MAX; i++)
      out[k] += capacity_of(b, dealt[i].host, d) - b->s->demand(v, t, d) * (int64_t)dealt[i].slots;
  }
}
