/* shared_state.c -- several schedulers, each of which decides on the cell as it is when it begins to think,
 * and then commits what it decided to the cell as it is by then.
 *
 * What a scheduler will have decided is known when it begins to think: its places are picked then, on the
 * cell itself, and taken back at once; thinking is a delay before they are committed. So the past is never
 * looked at. A task conflicts if it does not fit any more (resource fit), or if its machine has another
 * sequence number than was read (sequence numbers). Of a job's tasks, those without conflict start
 * (incremental), or none does if there is one (all or nothing).
 *
 * As in the original, the scan of an all-or-nothing transaction ends at its first conflict, and the tasks
 * that it had applied count as conflicting with that one; and sequence numbers that they bumped stay so
 * (defect D15). */
#include "base/util.h"
#include "omega/mold.h"

/* The places that the job gets as the cell is now. */
static hc_rc decide(hc_world *w, hc_omega_scheduler *s)
{
  const hc_omega_job *j = &w->jobs[s->job];
  hc_rc rc;
  hc_omega_cell_try(&w->cell);
  rc = hc_omega_pick(&s->picker, &w->cell, j->task, s->width, &s->places);
  hc_omega_cell_undo(&w->cell);
  return rc;
}

static hc_rc take_next(hc_world *w, uint32_t scheduler)
{
  hc_omega_scheduler *s = &w->schedulers[scheduler];
  if (s->is_busy) return 0;
  s->job = hc_omega_dequeue(w, s);
  if (s->job == HC_OMEGA_NONE) return 0;
  s->is_busy = true;
  s->width = hc_omega_width(w, s, s->job);
  s->thinking = hc_omega_think(w, &w->jobs[s->job], s->width);
  TRY(decide(w, s));
  return hc_omega_agenda_push(&w->agenda, w->now + s->thinking, HC_OMEGA_THOUGHT, scheduler);
}

hc_rc hc_omega_shared_job(hc_world *w, uint32_t job)
{
  hc_omega_enqueue(w, job);
  return take_next(w, w->jobs[job].scheduler);
}

static bool conflicts(const hc_world *w, const hc_omega_place *p, hc_omega_amounts task)
{
  if (w->options->conflict == HC_OMEGA_SEQUENCE_NUMBERS)
    return p->sequence != w->cell.state[p->machine].sequence;
  return !hc_omega_cell_fits(&w->cell, p->machine, task);
}

/* Take back the first `count` places. */
static hc_rc roll_back(hc_world *w, const hc_omega_place *places, size_t count, hc_omega_amounts task)
{
  const bool keeps = hc_omega_has(w, HC_OMEGA_D15_SEQUENCE);
  for (size_t i = 0; i < count; i++)
    TRY(hc_omega_cell_leave(&w->cell, places[i].machine, task, keeps ? 0 : UINT32_MAX));
  return 0;
}

/* Apply places to the live cell; those that were are gathered at the front. @param conflicted out */
static hc_rc commit(hc_world *w, hc_omega_places *p, hc_omega_amounts task, size_t *conflicted)
{
  size_t applied = 0;
  *conflicted = 0;
  for (size_t i = 0; i < p->count; i++) {
    const hc_omega_place place = p->items[i];
    if (!conflicts(w, &place, task)) {
      TRY(hc_omega_cell_take(&w->cell, place.machine, task));
      p->items[applied++] = place;
      continue;
    }
    ++*conflicted;
    if (w->options->transaction == HC_OMEGA_INCREMENTAL) continue;
    TRY(roll_back(w, p->items, applied, task));
    *conflicted += applied;
    applied = 0;
    break;
  }
  p->count = applied;
  return 0;
}

static hc_rc transact(hc_world *w, uint32_t scheduler)
{
  hc_omega_scheduler *s = &w->schedulers[scheduler];
  hc_omega_job *j = &w->jobs[s->job];
  hc_omega_busy *day = &s->by_day[HC_MIN((size_t)(w->now / HC_OMEGA_DAY), w->day_count - 1)];
  size_t conflicted;
  TRY(commit(w, &s->places, j->task, &conflicted));
  s->task_succeeded += s->places.count;
  s->task_failed += conflicted;
  if (j->attempts > 1) s->retried++;
  if (conflicted == 0) {
    s->all.succeeded++;
    day->succeeded++;
    hc_omega_useful(w, s, s->job, s->thinking);
  } else {
    s->all.failed++;
    day->failed++;
    hc_omega_wasted(w, s, s->job, s->thinking);
  }
  return s->places.count > 0 ? hc_omega_start_found(w, scheduler, s->job, &s->places) : 0;
}

hc_rc hc_omega_shared_thought(hc_world *w, uint32_t scheduler)
{
  hc_omega_scheduler *s = &w->schedulers[scheduler];
  hc_omega_job *j = &w->jobs[s->job];
  j->attempts++;
  j->task_attempts += s->width;
  s->failed_probes += s->picker.misses;
  if (s->places.count > 0) {
    TRY(transact(w, scheduler));
  } else {
    s->no_resources++;
    if (!hc_omega_has(w, HC_OMEGA_D8_IDLE)) hc_omega_wasted(w, s, s->job, s->thinking);
  }
  TRY(hc_omega_again(w, s, s->job));
  s->is_busy = false;
  return take_next(w, scheduler);
}
