/* monolithic.c -- one scheduler for all workloads: it thinks, and then decides on the live cell.
 *
 * Single path and multi path are the same scheduler with other think times. What does not fit is tried again
 * a second later. The original counts no busy time for an attempt that placed nothing (defect D8), nor the
 * attempt itself. */
#include "base/util.h"
#include "omega/mold.h"

static hc_rc take_next(hc_world *w, uint32_t scheduler)
{
  hc_omega_scheduler *s = &w->schedulers[scheduler];
  if (s->is_busy) return 0;
  s->job = hc_omega_dequeue(w, s);
  if (s->job == HC_OMEGA_NONE) return 0;
  s->is_busy = true;
  s->width = hc_omega_width(w, s, s->job);
  s->thinking = hc_omega_think(w, &w->jobs[s->job], s->width);
  return hc_omega_agenda_push(&w->agenda, w->now + s->thinking, HC_OMEGA_THOUGHT, scheduler);
}

hc_rc hc_omega_monolithic_job(hc_world *w, uint32_t job)
{
  hc_omega_enqueue(w, job);
  return take_next(w, w->jobs[job].scheduler);
}

hc_rc hc_omega_monolithic_thought(hc_world *w, uint32_t scheduler)
{
  hc_omega_scheduler *s = &w->schedulers[scheduler];
  hc_omega_job *j = &w->jobs[s->job];
  j->attempts++;
  j->task_attempts += s->width;
  TRY(hc_omega_pick(&s->picker, &w->cell, j->task, s->width, &w->places));
  s->failed_probes += s->picker.misses;
  if (w->places.count > 0) {
    TRY(hc_omega_start_found(w, scheduler, s->job, &w->places));
    s->all.succeeded++;
    hc_omega_useful(w, s, s->job, s->thinking);
  } else if (!hc_omega_has(w, HC_OMEGA_D8_IDLE)) {
    s->no_resources++;
    hc_omega_wasted(w, s, s->job, s->thinking);
  }
  TRY(hc_omega_again(w, s, s->job));
  s->is_busy = false;
  return take_next(w, scheduler);
}
