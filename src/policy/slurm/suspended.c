/* suspended.c -- see suspended.h.
 *
 * The engine's suspended task holds nothing. In Slurm it keeps its nodes, and only a job that may preempt it
 * gets at them. So of what it had it holds in the books, and only there, as much as no other job has: all of
 * it but what those have that it was suspended for. When they are gone it takes all of it again. */
#include "policy/slurm/suspended.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/bits.h"

void hc_slurm_suspended_fini(hc_slurm_busy *x, const hc_allocator *a)
{
  hc_free(a, x->whole.hosts, x->whole.host_cap * sizeof *x->whole.hosts);
  hc_free(a, x->whole.amounts, x->whole.amount_cap * sizeof *x->whole.amounts);
}

/* Amounts of a node are taken (1), or given back (-1), by a job that has nothing else there. */
static void put(hc_slurm_books *b, uint32_t host, const int64_t *amounts, int64_t sign)
{
  int64_t *free = b->free + (size_t)host * b->nodes.dims;
  for (uint32_t d = 0; d < b->nodes.dims; d++) free[d] -= sign * amounts[d];
  b->sum -= sign * amounts[0];
  b->owes |= free[0] < 0;
  hc_slurm_books_count(b, amounts[0]);
  b->on[host] = (uint32_t)((int64_t)b->on[host] + sign);
  hc_bit_put(b->some, host, free[0] > 0);
  hc_bit_put(b->idle, host, b->on[host] == 0);
}

void hc_slurm_suspended_release(hc_slurm_books *b, uint32_t busy)
{
  hc_slurm_busy *x = &b->jobs[busy];
  for (uint32_t i = 0; i < x->nodes; i++) put(b, x->hosts[i], x->amounts + (size_t)i * b->nodes.dims, -1);
  x->nodes = 0;
  b->version++;
}

void hc_slurm_suspended_hold(hc_slurm_books *b, uint32_t busy)
{
  const uint32_t dims = b->nodes.dims;
  hc_slurm_busy *x = &b->jobs[busy];
  for (size_t i = 0; i < x->whole.count; i++) {
    const int64_t *had = x->whole.amounts + i * dims;
    int64_t *keeps = x->amounts + (size_t)x->nodes * dims;
    bool any = false;
    for (uint32_t d = 0; d < dims; d++) {
      const int64_t free = b->free[(size_t)x->whole.hosts[i] * dims + d];
      keeps[d] = HC_MAX(HC_MIN(had[d], free), 0);
      any |= keeps[d] > 0;
    }
    if (!any) continue;
    x->hosts[x->nodes++] = x->whole.hosts[i];
    put(b, x->whole.hosts[i], keeps, 1);
  }
  b->version++;
}

/* ---- heard ---- */

static hc_rc keep_whole(hc_slurm_books *b, hc_slurm_busy *x)
{
  const size_t amounts = (size_t)x->nodes * b->nodes.dims;
  TRY(hc_reserve(b->allocator, (void **)&x->whole.hosts, &x->whole.host_cap, x->nodes,
                 sizeof *x->whole.hosts));
  TRY(hc_reserve(b->allocator, (void **)&x->whole.amounts, &x->whole.amount_cap, amounts,
                 sizeof *x->whole.amounts));
  if (x->nodes > 0) {
    memcpy(x->whole.hosts, x->hosts, x->nodes * sizeof *x->hosts);
    memcpy(x->whole.amounts, x->amounts, amounts * sizeof *x->amounts);
  }
  x->whole.count = x->nodes;
  return 0;
}

hc_rc hc_slurm_suspended_hear(hc_slurm_books *b, const hc_view *v, hc_task t, const int64_t *amounts,
                              int64_t sign)
{
  const uint32_t at = b->runs[t] - 1;
  const int64_t now = hc_slurm_second(b, b->s->now(v));
  hc_slurm_busy *x = &b->jobs[at];
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if (b->shared[d]) b->licences[d] -= sign * amounts[d];
  if (sign < 0) {
    TRY(keep_whole(b, x));
    hc_slurm_suspended_release(b, at);
    x->since = HC_MAX(now, 1);
    b->suspended_count++;
    if (b->accounting) hc_slurm_accounting_pause(b->accounting, v, t);
    return 0;
  }
  for (size_t i = 0; i < x->whole.count; i++) {
    const int64_t *had = x->whole.amounts + i * b->nodes.dims;
    x->hosts[i] = x->whole.hosts[i];
    memcpy(x->amounts + i * b->nodes.dims, had, b->nodes.dims * sizeof *had);
    put(b, x->hosts[i], had, 1);
  }
  x->nodes = (uint32_t)x->whole.count;
  hc_slurm_books_move_end(b, at, x->end + now - x->since);
  x->since = 0;
  b->suspended_count--;
  return b->accounting ? hc_slurm_accounting_resume(b->accounting, v, t, x->nodes, (x->end - now) * HC_SECOND)
                       : 0;
}

/* ---- done ---- */

hc_rc hc_slurm_suspended_add(hc_slurm_books *b, hc_plan *p, uint32_t busy)
{
  b->is_changing = true;
  const hc_rc rc = b->s->suspend(p, b->jobs[busy].task);
  b->is_changing = false;
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

static bool has_room(const hc_slurm_books *b, const hc_slurm_busy *x)
{
  const uint32_t dims = b->nodes.dims;
  for (size_t i = 0; i < x->whole.count; i++)
    for (uint32_t d = 0; d < dims; d++)
      if (x->whole.amounts[i * dims + d] > b->free[(size_t)x->whole.hosts[i] * dims + d]) return false;
  return true;
}

void hc_slurm_suspended_lose(hc_slurm_books *b, const hc_view *v, uint32_t busy)
{
  hc_slurm_suspended_release(b, busy);
  if (b->accounting)
    hc_slurm_accounting_lose(b->accounting, v, b->jobs[busy].task, b->jobs[busy].whole.count);
  b->suspended_count--;
  b->jobs[busy].since = 0;
  b->runs[b->jobs[busy].task] = 0;
  hc_slurm_books_forget(b, busy);
}

/* It takes all of it again if that is free, or else what is. @return 1: it has resumed */
static hc_rc resume(hc_slurm_books *b, hc_plan *p, uint32_t busy)
{
  hc_rc rc = HC_EPOLICY;
  if (has_room(b, &b->jobs[busy])) {
    b->is_changing = true;
    rc = b->s->resume(p, b->jobs[busy].task);
    b->is_changing = false;
  }
  if (rc == HC_EPOLICY) hc_slurm_suspended_hold(b, busy);
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

/* Where a suspended job stands among them: one of a higher tier was given nodes of one of a lower, and is in
 * the way of it; never the other way round. Of one tier in the order of their ends, which move when they
 * resume. */
typedef struct turn {
  int64_t tier, end;
  uint64_t serial;
} turn;

static turn turn_of(const hc_slurm_books *b, const hc_slurm_busy *x)
{
  return (turn){b->partitions[x->partition].tier, x->end, x->serial};
}

static bool comes_before(turn x, turn y)
{
  if (x.tier != y.tier) return x.tier > y.tier;
  return x.end != y.end ? x.end < y.end : x.serial < y.serial;
}

static uint32_t next_of(const hc_slurm_books *b, turn last)
{
  uint32_t next = UINT32_MAX;
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->since == 0 || !comes_before(last, turn_of(b, x))) continue;
    if (next == UINT32_MAX || comes_before(turn_of(b, x), turn_of(b, &b->jobs[next]))) next = b->by_end[i];
  }
  return next;
}

/* What they keep is given up by all first, so that none keeps a part of what one before it could go on with:
 * or two of them might wait for each other. */
hc_rc hc_slurm_suspended_go_on(hc_slurm_books *b, const hc_view *v, hc_plan *p)
{
  hc_rc count = 0;
  turn last = {.tier = INT64_MAX};
  if (b->suspended_count == 0) return 0;
  for (size_t i = 0; i < b->running_count; i++)
    if (b->jobs[b->by_end[i]].since > 0) hc_slurm_suspended_release(b, b->by_end[i]);
  for (uint32_t at; (at = next_of(b, last)) != UINT32_MAX;) {
    const hc_slurm_busy *x = &b->jobs[at];
    hc_rc rc = 0;
    last = turn_of(b, x);
    if (b->s->rate(v, x->task) < 0 || b->s->serial(v, x->task) != x->serial)
      hc_slurm_suspended_lose(b, v, at);
    else rc = resume(b, p, at);
    if (rc < 0) return rc;
    count += rc;
  }
  return count;
}

/* ---- state ---- */

/* What it takes again, and room for that where it takes it. */
hc_rc hc_slurm_suspended_visit(hc_slurm_books *b, hc_slurm_busy *x, hc_visitor *v)
{
  HC_VISIT(v, x->since);
  if (x->since == 0) return 0;
  size_t amounts = x->whole.count * b->nodes.dims;
  HC_VISIT_ARRAY(v, x->whole.hosts, x->whole.count, x->whole.host_cap);
  HC_VISIT_ARRAY(v, x->whole.amounts, amounts, x->whole.amount_cap);
  if (!hc_visit_loading(v)) return 0;
  b->suspended_count++;
  TRY(hc_reserve(b->allocator, (void **)&x->hosts, &x->host_cap, x->whole.count, sizeof *x->hosts));
  return hc_reserve(b->allocator, (void **)&x->amounts, &x->amount_cap, amounts, sizeof *x->amounts);
}
