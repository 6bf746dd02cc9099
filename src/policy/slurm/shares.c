/* shares.c -- see shares.h.
 *
 * Without GANG in PreemptMode there are no turns: up to n jobs of a partition of FORCE:n, or that ask for it
 * in one of YES:n, have a core together and all run. Which cores a job gets is rows.c's matter, as with the
 * gang scheduler. What differs: a job that does not share gets idle cores alone; and cores of jobs of other
 * partitions that share are as good as free, but under preempt/partition_prio those of higher tiers.
 *
 * Slurm does nothing to slow such jobs, nor does the engine: each runs as long as it says, unless a model of
 * execution knows what cores do. To the engine a node has its cores so many times over as jobs may have one;
 * here it has them once. So a node counts in all figures with that many cores. Partitions of which each lets
 * one job have a core (FORCE:1) share nothing as long as there is no other.
 *
 * Source: select/cons_tres of Slurm 22.05, as it behaves. */
#include "policy/slurm/shares.h"

#include "base/util.h"

static hc_rc add_partition(const hc_conf *conf, const hc_host_set *set, const hc_allocator *a,
                           uint32_t *times, bool *shares, hc_error *e)
{
  hc_slurm_partition p = {.rows = 1};
  TRY(hc_slurm_partition_read(&p, set->name, conf, a, e));
  *shares |= p.is_oversubscribed;
  if (!p.is_oversubscribed && !p.is_forced) return 0;
  for (size_t i = 0; i < set->host_count; i++)
    for (uint32_t h = 0; h < set->hosts[i].count; h++) times[set->hosts[i].first + h] += p.rows;
  return 0;
}

hc_rc hc_slurm_shares_of(const hc_conf *conf, const hc_cell_spec *cell, const hc_allocator *a,
                         uint32_t *times, hc_error *e)
{
  bool shares = false, is_more = false;
  if (!conf) return 0;
  for (uint32_t h = 0; h < cell->units; h++) times[h] = 0;
  for (uint32_t i = 0; i < cell->set_count; i++)
    TRY(add_partition(conf, &cell->sets[i], a, times, &shares, e));
  for (uint32_t h = 0; h < cell->units; h++) {
    times[h] = shares ? HC_MAX(times[h], 1) : 1;
    is_more |= times[h] > 1;
  }
  return is_more;
}

hc_rc hc_slurm_shares_init(hc_slurm_books *b, const hc_conf *conf, const hc_cell_spec *cell, hc_error *e)
{
  hc_rc rc;
  if (b->settings->preempt.gang || !conf) return 0;
  b->times = hc_alloc(b->allocator, cell->units * sizeof *b->times);
  if (!b->times) return HC_ENOMEM;
  rc = hc_slurm_shares_of(conf, cell, b->allocator, b->times, e);
  if (rc <= 0) hc_slurm_shares_fini(b);
  return HC_MIN(rc, 0);
}

void hc_slurm_shares_fini(hc_slurm_books *b)
{
  hc_free(b->allocator, b->times, b->nodes.count * sizeof *b->times);
  b->times = NULL;
}
