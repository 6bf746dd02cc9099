/* arrivals.c -- tasks from the stream. The next one is always known, and no other: so a run holds the tasks
 * that wait or run. Sources of closed loops make tasks in answer to ends; then the one that is known may
 * have to go back. */
#include "engine/arrivals.h"

#include "base/util.h"

void hc_arrivals_hold(hc_engine *e)
{
  if (!e->has_arrival) e->arrival = (hc_arrival){0};
  else if (e->next != &e->arrival) e->arrival = *e->next;
  e->next = &e->arrival;
}

/* In a fork, of those that it is given. What a task says of itself beside amounts has to be in the fork's own
 * lexicon. */
static hc_rc pull_lent(hc_engine *e)
{
  const hc_engine *of = e->replay.of;
  if (e->lent_next == of->lent.count) {
    e->source_ended = true;
    return 0;
  }
  e->arrival = of->lent.items[e->lent_next++];
  e->arrival.spec.label = e->arrival.spec.job_label = 0; /* not seen */
  if (e->arrival.spec.more != 0) {
    const hc_task_extras *extras = hc_lexicon_more(of->lexicon, e->arrival.spec.more);
    e->arrival.spec.more = extras ? hc_lexicon_keep(e->lexicon, extras) : 0;
    if (e->arrival.spec.more == 0) return HC_ENOMEM;
  }
  e->next = &e->arrival;
  e->has_arrival = true;
  return 0;
}

static hc_rc pull(hc_engine *e, hc_error *error)
{
  if (e->replay.of) return pull_lent(e);
  const hc_rc rc = hc_stream_borrow(e->stream, &e->next, error);
  if (rc < 0) return rc;
  e->has_arrival = rc == 1;
  e->source_ended = rc == 0;
  e->source_waits = rc == 2;
  if (e->has_arrival && e->next->spec.submit < e->now && e->counters.submitted > 0) {
    hc_arrivals_hold(e);
    e->arrival.spec.submit = e->now; /* a closed loop may answer late */
  }
  return 0;
}

hc_rc hc_arrivals_pull(hc_engine *e, hc_error *error)
{
  return e->has_arrival || e->source_ended ? 0 : pull(e, error);
}

hc_rc hc_arrivals_answer(hc_engine *e, hc_task id, hc_time end, bool completed, hc_error *error)
{
  const hc_feedback f = {e->tasks.identities[id].id, end, completed};
  if (!hc_stream_listens(e->stream)) return 0;
  hc_arrivals_hold(e); /* the stream may make others */
  return hc_stream_feedback(e->stream, hc_live_of(e, id)->source, &f, error);
}

hc_rc hc_arrivals_again(hc_engine *e)
{
  e->source_waits = e->source_ended = false;
  if (!e->has_arrival) return 0;
  e->has_arrival = false;
  return hc_stream_return(e->stream, e->next);
}
