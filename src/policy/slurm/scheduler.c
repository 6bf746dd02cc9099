/* scheduler.c -- see scheduler.h. */
#include "policy/slurm/scheduler.h"

#include "base/util.h"

hc_rc hc_slurm_prepare(hc_slurm *m)
{
  const hc_allocator *a = m->allocator;
  const uint32_t nodes = m->books.nodes.count, words = m->books.words;
  TRY(hc_slurm_choice_init(&m->choice, a, nodes));
  hc_slurm_space_init(&m->space, a, words);
  hc_map_init(&m->tested, a);
  hc_map_init(&m->planned, a);
  hc_map_init(&m->closed, a);
  hc_slurm_ends_init(&m->ends, &m->books);
  TRY(hc_slurm_kinds_init(&m->kinds, a));
  TRY(hc_slurm_deferred_init(&m->deferred, a, words));
  m->mask = hc_alloc(a, words * sizeof *m->mask);
  m->avail = hc_alloc(a, words * sizeof *m->avail);
  m->picked = hc_alloc(a, words * sizeof *m->picked);
  m->may = hc_alloc(a, words * sizeof *m->may);
  m->open = hc_alloc(a, words * sizeof *m->open);
  m->caps = hc_alloc(a, nodes * sizeof *m->caps);
  m->failed = hc_alloc(a, m->books.partition_cap * sizeof *m->failed);
  return m->mask && m->avail && m->picked && m->may && m->open && m->caps && m->failed ? 0 : HC_ENOMEM;
}

void hc_slurm_fini(hc_slurm *m)
{
  const hc_allocator *a = m->allocator;
  const uint32_t nodes = m->books.nodes.count, words = m->books.words;
  hc_slurm_choice_fini(&m->choice, a, nodes);
  hc_slurm_space_fini(&m->space);
  hc_map_fini(&m->tested);
  hc_map_fini(&m->planned);
  hc_map_fini(&m->closed);
  hc_free(a, m->mask, words * sizeof *m->mask);
  hc_free(a, m->avail, words * sizeof *m->avail);
  hc_free(a, m->picked, words * sizeof *m->picked);
  hc_free(a, m->may, words * sizeof *m->may);
  hc_free(a, m->open, words * sizeof *m->open);
  hc_free(a, m->caps, nodes * sizeof *m->caps);
  hc_slurm_later_fini(&m->later, &m->books);
  hc_slurm_ends_fini(&m->ends);
  hc_slurm_kinds_fini(&m->kinds, a);
  hc_slurm_past_fini(&m->past, a);
  hc_slurm_deferred_fini(&m->deferred, a, words);
  hc_slurm_preempt_fini(&m->preempt, &m->books);
  hc_slurm_together_fini(m);
  hc_slurm_rows_fini(m);
  hc_free(a, m->failed, m->books.partition_cap * sizeof *m->failed);
  hc_slurm_books_fini(&m->books);
}
