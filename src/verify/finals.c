/* finals.c -- has each task the times that its final state has, and is there something that explains that
 * state?
 *
 * Completed, killed and lost tasks started and ended; one that still runs started and has not ended; the
 * others never started, and one that was withdrawn says when. A task is still there only if the run was cut
 * short: one that runs at the end would have ended later than the records do, and none waits on an idle
 * machine that it fits. Of tasks that were rejected, withdrawn, killed or held it is checked that something
 * in the run could do that. Whether a host was lost under a task: losses.c. Cost: O(n). */
#include <string.h>

#include "base/util.h"
#include "verify/parts.h"

typedef struct finals {
  hc_check *c;
  const hc_verify_told *told;
  hc_time last;    /* when anything happened for the last time */
  bool holds_back; /* tasks were held back by others, or by their time */
} finals;

static void find_last(finals *f)
{
  const hc_check *c = f->c;
  f->last = INT64_MIN;
  for (size_t i = 0; i < c->report.tasks; i++) {
    const hc_task_record *t = &c->given[i];
    f->last =
        HC_MAX(f->last, HC_MAX(t->submit, HC_MAX(t->start, t->end))); /* HC_UNKNOWN is the least of all */
  }
  f->holds_back = hc_told_fact(f->told, "held_back") > 0;
}

static bool has_right_times(const hc_task_record *t)
{
  const bool starts = t->start != HC_UNKNOWN, ends = t->end != HC_UNKNOWN;
  switch ((hc_final)t->final) {
    case HC_FINAL_LOST: return starts && ends;
    case HC_FINAL_RUNNING: return starts && !ends;
    case HC_FINAL_WITHDRAWN: return !starts && ends && t->end >= t->submit;
    case HC_FINAL_REJECTED:
    case HC_FINAL_HELD:
    case HC_FINAL_WAITING: return !starts && !ends;
    default: return true; /* a completed or killed one without times is told with its run time */
  }
}

/* One that runs for a known time, undisturbed. */
static bool has_plain_run(const hc_task_record *t)
{
  return t->run != HC_UNKNOWN && t->run != HC_NEVER &&
         (t->flags & (HC_TASK_PREEMPTED | HC_TASK_RATED | HC_TASK_RESIZED)) == 0;
}

static bool has_reason(const finals *f, const hc_task_record *t)
{
  const bool cut = f->told->until != HC_NEVER, fits = t->units >= 1 && t->units <= f->c->capacity;
  switch ((hc_final)t->final) {
    case HC_FINAL_REJECTED: return f->told->may_reject || (t->flags & HC_TASK_PREFILL);
    case HC_FINAL_WITHDRAWN: return f->told->may_withdraw;
    case HC_FINAL_HELD: return f->holds_back;
    case HC_FINAL_RUNNING: return cut || !has_plain_run(t);
    case HC_FINAL_WAITING: return cut || !f->told->starts_all || !fits;
    default: return true;
  }
}

static hc_rc check_running(finals *f, uint32_t rank, const hc_task_record *t)
{
  const hc_time until = f->told->until == HC_NEVER ? INT64_MIN : f->told->until;
  const hc_time last = HC_MAX(f->last, until);
  hc_time end;
  if (t->final != HC_FINAL_RUNNING || t->start == HC_UNKNOWN || !has_plain_run(t)) return 0;
  end = hc_time_add(t->start, t->run);
  if (end >= last) return 0;
  return hc_find(f->c, HC_FOUND_STILL_THERE, last, rank, UINT32_MAX, end, last);
}

hc_rc hc_check_finals(hc_check *c)
{
  finals f = {.c = c, .told = c->options->told};
  if (!f.told || !f.told->by_run) return 0;
  find_last(&f);
  for (size_t i = 0; i < c->report.tasks; i++) {
    const hc_task_record *t = &c->given[i];
    const char *word = hc_final_name((hc_final)t->final);
    if (!has_right_times(t)) TRY(hc_find_word(c, HC_FOUND_HAS_TIMES, word, c->ranks[i], 0, 0));
    else if (!has_reason(&f, t)) TRY(hc_find_word(c, HC_FOUND_NO_REASON, word, c->ranks[i], 0, 0));
    else TRY(check_running(&f, c->ranks[i], t));
  }
  hc_held_to(c, HC_RULE_FINAL, c->report.tasks);
  return 0;
}
