/* asks.c -- what a job asks for in the partition in which it stands: its own request, as MinNodes,
 * MaxNodes, OverSubscribe and LLN of the partition let it; and for as long as it waits for few switches, on
 * these. */
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/books.h"

bool hc_slurm_ask_of(const hc_slurm_books *b, const hc_view *v, hc_task t, int64_t *need, hc_slurm_ask *out)
{
  hc_task_shape shape;
  b->s->shape(v, t, &shape);
  for (uint32_t d = 0; d < b->nodes.dims; d++) need[d] = b->s->demand(v, t, d);
  *out = (hc_slurm_ask){.need = need,
                        .slots = (uint32_t)shape.slots,
                        .least = shape.least_hosts,
                        .most = shape.most_hosts,
                        .is_spread = shape.is_spread,
                        .is_whole = shape.is_whole};
  return !shape.has_rules;
}

/* Is there as much on each node of the partition? */
static bool fits_everywhere(const hc_slurm_books *b, const hc_slurm_partition *p, const int64_t *need)
{
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if (!b->shared[d] && need[d] > p->least[d]) return false;
  return true;
}

/* Nodes that it is to have on its own, one for each slot, are nodes that it takes whole. */
static void ask_alone(const hc_slurm_books *b, const hc_slurm_partition *p, hc_slurm_ask *ask)
{
  if (ask->is_whole) return;
  if (ask->is_spread && fits_everywhere(b, p, ask->need)) ask->is_whole = true;
  else ask->is_alone = true;
}

/* Of the job's QOS: it is let beyond the partition's bounds. */
static bool is_let(const hc_slurm_books *b, const hc_slurm_job *job, uint32_t flag)
{
  return b->accounting && job->qos != HC_SLURM_NONE &&
         (b->accounting->assocs.qos[job->qos].flags & flag) != 0;
}

bool hc_slurm_ask_in(const hc_slurm_books *b, const hc_view *v, const hc_slurm_job *job, int64_t *need,
                     hc_slurm_ask *out)
{
  const hc_slurm_partition *p = &b->partitions[job->partition];
  const bool anywhere = hc_slurm_ask_of(b, v, job->task, need, out);
  const uint32_t least = out->is_spread || out->is_whole ? out->slots : HC_MAX(out->least, 1);
  out->is_barred = (least < p->least_nodes && !is_let(b, job, HC_SLURM_PART_MIN_NODE)) ||
                   (p->most_nodes > 0 && HC_MAX(least, out->most) > p->most_nodes &&
                    !is_let(b, job, HC_SLURM_PART_MAX_NODE));
  if (out->most == 0 && p->most_nodes > 0) out->most = HC_MAX(p->most_nodes, least);
  out->is_least_loaded = p->is_least_loaded || b->settings->least_loaded;
  out->is_flat = b->settings->tree_is_optional && job->switches == 0;
  if (hc_slurm_second(b, b->s->now(v)) < job->switched) out->most_leaves = job->switches;
  if (job->sharing == HC_EXCLUSIVE_HOST) ask_alone(b, p, out);
  return anywhere;
}

void hc_slurm_may(const hc_slurm_books *b, const hc_view *v, hc_task t, uint64_t *mask)
{
  for (uint32_t w = 0; w < b->words; w++)
    for (uint64_t bits = mask[w]; bits != 0; bits &= bits - 1) {
      const uint32_t host = w * 64 + (uint32_t)__builtin_ctzll(bits);
      if (!b->s->could_slot(v, t, host)) hc_bit_put(mask, host, false);
    }
}
