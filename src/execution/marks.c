/* marks.c -- where in a task's run its checkpoints lie.
 *
 * A run with checkpoints is a run that is longer: after each stretch of `every` of work comes the time in
 * which one is written, and none at the end. So its position is a time like that of any run, and all that
 * there is to know is which marks lie before it:
 *
 *   work |L| work |L| work |G| work |L| ...        each third is global
 *   '---------- cycle -------'
 *
 * A checkpoint counts from when it has been written. Global ones lie at whole cycles,
 *   cycle = global every + (global - 1) local + cost,
 * and local ones at whole stretches of every + local in a cycle. All in whole ns. Cost: O(1). */
#include "execution/marks.h"

#include "base/util.h"

static hc_time stretch_of(const hc_marks *m)
{
  return hc_time_add(m->every, m->local);
}

/* HC_NEVER: no checkpoint is global, or none that could be. */
static hc_time cycle_of(const hc_marks *m)
{
  hc_time cycle;
  if (m->global == 0 || __builtin_mul_overflow(stretch_of(m), (hc_time)(m->global - 1), &cycle))
    return HC_NEVER;
  return hc_time_add(cycle, hc_time_add(m->every, m->cost));
}

hc_time hc_marks_length(const hc_marks *m, hc_time work)
{
  hc_time writing, more;
  if (m->every == 0 || work == HC_NEVER || work <= 0) return work;
  const hc_time count = (work - 1) / m->every, globals = m->global > 0 ? count / (hc_time)m->global : 0;
  if (__builtin_mul_overflow(globals, m->cost, &writing)) return HC_NEVER;
  if (__builtin_mul_overflow(count - globals, m->local, &more)) return HC_NEVER;
  return hc_time_add(work, hc_time_add(writing, more));
}

hc_marks_done hc_marks_at(const hc_marks *m, hc_time at, bool locals)
{
  hc_marks_done out = {0};
  if (m->every == 0 || at <= 0) return out;
  const hc_time cycle = cycle_of(m), stretch = stretch_of(m);
  const hc_time cycles = cycle == HC_NEVER ? 0 : at / cycle,
                rest = at - cycles * (cycle == HC_NEVER ? 0 : cycle);
  hc_time whole = rest / stretch;
  if (m->global > 0) whole = HC_MIN(whole, (hc_time)m->global - 1);
  const hc_time left = rest - whole * stretch;
  out.globals = cycles;
  out.locals = whole + (m->global > 0 ? cycles * ((hc_time)m->global - 1) : 0);
  out.writing = out.globals * m->cost + out.locals * m->local + HC_MAX(left - m->every, 0);
  out.position = at - rest;
  out.is_local = locals && whole > 0;
  if (out.is_local) out.position += whole * stretch;
  return out;
}

hc_time hc_marks_work(const hc_marks *m, hc_time length)
{
  if (m->every == 0 || length == HC_NEVER || length <= 0) return length;
  return length - hc_marks_at(m, length, true).writing;
}

hc_time hc_marks_phase(const hc_marks *m, hc_time at)
{
  const hc_time cycle = cycle_of(m);
  return m->every == 0 || cycle == HC_NEVER ? at : at % cycle;
}
