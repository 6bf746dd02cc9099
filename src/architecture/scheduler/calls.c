/* calls.c -- what the engine calls of an architecture whose state begins with schedulers: they decide at the
 * end of the time of thinking, on what the cell is then. An architecture that decides otherwise
 * (shared_state, parsync, two_level) has calls of its own in place of some of these. */
#include "architecture/scheduler/partitions.h"
#include "architecture/scheduler/schedulers.h"
#include "base/util.h"

/* A pointer to a struct points at its first member. */
static hc_schedulers *schedulers_of(hc_architecture *self)
{
  return (hc_schedulers *)(void *)self;
}

hc_rc hc_schedulers_kind_visit(hc_architecture *self, hc_visitor *v)
{
  return hc_schedulers_visit(schedulers_of(self), v);
}

hc_rc hc_schedulers_kind_finish(hc_architecture *self, hc_findings *f)
{
  return hc_schedulers_finish(schedulers_of(self), f);
}

/* Decide at the end of the time of thinking: what there was time for is done at once. */
static hc_rc decide_late(hc_schedulers *all, uint32_t scheduler, hc_error *e)
{
  const hc_partition *p = all->parts ? &all->parts[hc_scheduler_entry(all, scheduler)] : NULL;
  hc_attempt a;
  const hc_rc rc = hc_schedulers_decide(all, scheduler, p ? p->ranges : NULL, p ? p->count : 0, true, &a, e);
  return rc != 0 ? rc : hc_schedulers_done(all, scheduler, &a, e);
}

hc_rc hc_schedulers_kind_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  uint32_t scheduler;
  schedulers_of(self)->is_deciding = 0;
  TRY(hc_schedulers_signal(schedulers_of(self), sig, &scheduler, e));
  return scheduler == HC_NO_SCHEDULER ? 0 : decide_late(schedulers_of(self), scheduler, e);
}

static hc_rc decide_from(hc_schedulers *all, uint32_t from, hc_error *e)
{
  all->is_deciding = 1;
  for (uint32_t i = from; i < all->count; i++) {
    hc_rc rc = hc_schedulers_begin(all, i);
    if (rc > 0) rc = hc_schedulers_is_instant(all, i) ? decide_late(all, i, e) : hc_schedulers_timer(all, i);
    if (rc != 0) return rc;
  }
  return 0;
}

hc_rc hc_schedulers_kind_decide(hc_architecture *self, hc_error *e)
{
  return decide_from(schedulers_of(self), 0, e);
}

hc_rc hc_schedulers_kind_go_on(hc_architecture *self, hc_error *e)
{
  hc_schedulers *all = schedulers_of(self);
  const hc_rc rc = decide_late(all, all->asked, e);
  return rc != 0 || !all->is_deciding ? rc : decide_from(all, all->asked + 1, e);
}

bool hc_schedulers_kind_is_memoryless(const hc_architecture *self)
{
  return !((const hc_schedulers *)(const void *)self)->by_pass;
}

bool hc_schedulers_kind_is_thinking(const hc_architecture *self)
{
  const hc_schedulers *all = (const hc_schedulers *)(const void *)self;
  for (uint32_t i = 0; i < all->count; i++)
    if (all->one[i].at != HC_NO_JOB || all->one[i].pass.is_on) return true;
  return false;
}

hc_rc hc_schedulers_kind_note(const hc_architecture *self, hc_buffer *out)
{
  const hc_schedulers *all = (const hc_schedulers *)(const void *)self;
  uint64_t jobs = 0, tasks = 0;
  for (uint32_t k = 0; k < all->kind_count; k++) {
    jobs += all->counts[k].jobs_given_up;
    tasks += all->counts[k].tasks_given_up;
  }
  if (tasks == 0) return 0;
  hc_buffer_printf(
      out,
      "%llu task%s of %llu job%s given up by schedulers, not because they could never start: after %lld "
      "attempts all of which were in vain (attempts_in_vain), or after %lld in all (attempts)",
      (unsigned long long)tasks, tasks == 1 ? "" : "s", (unsigned long long)jobs,
      jobs == 1 ? " was" : "s were", (long long)all->o->attempts_in_vain, (long long)all->o->attempts);
  return out->failed ? HC_ENOMEM : 0;
}
