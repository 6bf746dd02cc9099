/* suspended.c -- see suspended.h.
 *
 * The engine's suspended task holds nothing. In Slurm it keeps all that it has, and so it does in the books.
 * Which jobs are suspended, and go on, is the gang scheduler's matter (slices.h). */
#include "policy/slurm/suspended.h"

#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/cores.h"
#include "policy/slurm/slices.h"

void hc_slurm_suspended_fini(hc_slurm_busy *x, const hc_allocator *a)
{
  hc_free(a, x->whole.hosts, x->whole.host_cap * sizeof *x->whole.hosts);
  hc_free(a, x->whole.amounts, x->whole.amount_cap * sizeof *x->whole.amounts);
  hc_free(a, x->cores, x->core_cap * sizeof *x->cores);
}

/* What it is believed to run moves by the time for which it was suspended. */
hc_rc hc_slurm_suspended_hear(hc_slurm_books *b, const hc_view *v, hc_task t, const int64_t *amounts,
                              int64_t sign)
{
  const uint32_t at = b->runs[t] - 1;
  const int64_t now = hc_slurm_second(b, b->s->now(v));
  hc_slurm_busy *x = &b->jobs[at];
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if (b->shared[d]) b->licences[d] -= sign * amounts[d];
  if (sign < 0) {
    x->since = HC_MAX(now, 1);
    b->suspended_count++;
    if (b->accounting) hc_slurm_accounting_pause(b->accounting, v, t);
    hc_slurm_cores_settle(b, x);
    return 0;
  }
  const int64_t since = x->since;
  x->since = 0;
  b->suspended_count--;
  hc_slurm_books_move_end(b, at, x->end + now - since);
  return b->accounting ? hc_slurm_accounting_resume(b->accounting, v, t, x->nodes, (x->end - now) * HC_SECOND)
                       : 0;
}

hc_rc hc_slurm_suspended_add(hc_slurm_books *b, hc_plan *p, uint32_t busy)
{
  b->is_changing = true;
  const hc_rc rc = b->s->suspend(p, b->jobs[busy].task);
  b->is_changing = false;
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

hc_rc hc_slurm_suspended_resume(hc_slurm_books *b, hc_plan *p, uint32_t busy)
{
  b->is_changing = true;
  const hc_rc rc = b->s->resume(p, b->jobs[busy].task);
  b->is_changing = false;
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

void hc_slurm_suspended_lose(hc_slurm_books *b, const hc_view *v, uint32_t busy)
{
  hc_slurm_busy *x = &b->jobs[busy];
  if (b->accounting) hc_slurm_accounting_lose(b->accounting, v, x->task, x->whole.count);
  b->suspended_count--;
  x->since = 0;
  b->runs[x->task] = 0;
  hc_slurm_books_forget(b, busy);
  hc_slurm_cores_settle(b, x);
  x->whole.count = x->nodes = 0;
  hc_slurm_slices_leave(b, busy);
}

/* What it has, and room for what of that counts. */
hc_rc hc_slurm_suspended_visit(hc_slurm_books *b, hc_slurm_busy *x, hc_visitor *v)
{
  HC_VISIT(v, x->since);
  if (b->cores.words == 0) return 0;
  size_t amounts = x->whole.count * b->nodes.dims, cores = x->whole.count * b->cores.words;
  HC_VISIT_ARRAY(v, x->whole.hosts, x->whole.count, x->whole.host_cap);
  HC_VISIT_ARRAY(v, x->whole.amounts, amounts, x->whole.amount_cap);
  HC_VISIT_ARRAY(v, x->cores, cores, x->core_cap);
  x->sliced.is_away = x->sliced.kept = 0;
  HC_VISIT(v, x->sliced);
  if (!hc_visit_loading(v)) return 0;
  b->suspended_count += x->since > 0;
  TRY(hc_reserve(b->allocator, (void **)&x->hosts, &x->host_cap, x->whole.count, sizeof *x->hosts));
  return hc_reserve(b->allocator, (void **)&x->amounts, &x->amount_cap, amounts, sizeof *x->amounts);
}
