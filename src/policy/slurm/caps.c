/* caps.c -- see caps.h.
 *
 * What the jobs of the partition have of a node counts, whatever those of other partitions have there. A job
 * that wants a node to itself, or to its user, gets none that has more processors than the bound. While room
 * is sought behind the ends of running jobs these are counted no more; where jobs would be preempted all
 * are. Source: select/cons_tres of Slurm 22.05, as it behaves. */
#include "policy/slurm/caps.h"

#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/scheduler.h"

void hc_slurm_caps_fill(hc_slurm *self, const hc_slurm_job *job, size_t gone, hc_slurm_ask *ask)
{
  const hc_slurm_books *b = &self->books;
  const int64_t most = b->partitions[job->partition].most_cpus;
  if (most == 0) return;
  for (uint32_t h = 0; h < b->nodes.count; h++) self->caps[h] = most;
  for (size_t i = gone; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    for (uint32_t k = 0; k < x->nodes && x->partition == job->partition; k++)
      self->caps[x->hosts[k]] -= x->amounts[(size_t)k * b->nodes.dims];
  }
  ask->caps = self->caps;
}

void hc_slurm_caps_leave(const hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask,
                         uint64_t *mask)
{
  const hc_slurm_books *b = &self->books;
  const int64_t most = b->partitions[job->partition].most_cpus;
  if (most == 0 || (job->sharing == HC_EXCLUSIVE_NOT && !ask->is_whole)) return;
  for (uint32_t h = 0; h < b->nodes.count; h++)
    if (b->capacity[(size_t)h * b->nodes.dims] > most) hc_bit_put(mask, h, false);
}
