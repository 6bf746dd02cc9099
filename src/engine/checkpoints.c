/* checkpoints.c -- tasks that save their work on the way, and go on from there (the run's `checkpoint`).
 *
 * A task that writes checkpoints is a longer task: its run, what is believed of it, and its limit, which is
 * one of work, are lengthened as it arrives by the time in which it writes (execution/marks.c), so that
 * everything plans with that. When it loses a host, or a plan stops it to begin anew, it goes on from its
 * last checkpoint that is left: what lies before is saved work as after any stop (execution/work.c), and
 * reading it goes to the next attempt, and is never saved. What a plan stops with a checkpoint of its own is
 * saved as it was, and its own checkpoints follow where they would have.
 *
 * Local checkpoints lie on the task's hosts and are lost with any of them, unless the draw (serial, losses
 * so far) says that a copy survives; when a plan stops the task they are lost as well, since others may get
 * the hosts. All that is written and read is part of the run: on a host of speed 2 it takes half the time,
 * at a rate of one half twice.
 *
 * How they lie in a task is intervals.c; a task whose size a plan settles has them laid out for that
 * (moldable.c).
 *
 * Refused: models that carry out what tasks do, whose length is not known ahead, and policies that resize
 * tasks. Cost: O(1) a task and a stop. */
#include "engine/checkpoints.h"

#include <inttypes.h>

#include "base/math.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/intervals.h"
#include "engine/observe.h"
#include "engine/work.h"

hc_rc hc_checkpoints_check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  if (!e->options->checkpoint.type) return 0;
  if (e->options->execution.type)
    return hc_combine_refuse(error,
                             "how long a task with a profile runs is not known ahead, nor where in it a "
                             "checkpoint would be: leave out `checkpoint`, or `execution`");
  if (flags & HC_MAY_RESIZE)
    return hc_combine_refuse(error,
                             "a task that a policy resizes does more or less in a stretch of time, and its "
                             "checkpoints would move: leave out `checkpoint`, or use another policy");
  return 0;
}

/* ---- a new task ---- */

static hc_rc refuse_task(const hc_engine *e, hc_task id, hc_error *error)
{
  return hc_fail(error, HC_EUSAGE, "checkpoint", 0, 0,
                 "for task %" PRId64
                 " %s knows no time between checkpoints: give it what its formula asks for "
                 "(every; mtbf, and a cost that is more than 0: write, or size and bandwidth)",
                 e->tasks.identities[id].id, e->options->checkpoint.type->name);
}

hc_rc hc_checkpoints_add(hc_engine *e, hc_task id, hc_error *error)
{
  hc_attempt *a = hc_attempt_need(e, id);
  hc_live *t = hc_live_of(e, id);
  if (!a) return HC_ENOMEM;
  if (!hc_intervals_lay(e, id, hc_size_of(e, id), a)) return refuse_task(e, id, error);
  t->run = hc_marks_length(&a->marks, t->run);
  if (e->tasks.plans) {
    hc_planned *p = &e->tasks.planned[id];
    p->estimate = hc_marks_length(&a->marks, p->estimate);
    p->running_estimate = hc_marks_length(&a->marks, p->running_estimate);
  }
  if (!e->tasks.cold) return 0;
  hc_task_cold *c = &e->tasks.cold[id];
  c->estimate = hc_marks_length(&a->marks, c->estimate);
  c->limit = hc_marks_length(&a->marks, c->limit);
  return 0;
}

/* ---- an attempt that is over ---- */

/* What of its run the attempt has done. */
static hc_time gained(const hc_engine *e, hc_task id)
{
  return hc_work_gained(hc_work_of(e, id), hc_work_so_far(e, id), hc_work_run(e, id));
}

hc_time hc_checkpoints_saved(const hc_engine *e, hc_task id, bool locals, hc_time *read)
{
  const hc_attempt *a = hc_attempt_of(e, id);
  if (a->marks.every == 0) return 0;
  const hc_marks_done done = hc_marks_at(&a->marks, hc_time_add(a->phase, gained(e, id)), locals);
  if (read) *read = done.is_local ? a->local_read : a->read;
  return HC_MAX(done.position - a->phase, 0);
}

hc_time hc_checkpoints_kept(const hc_engine *e, hc_task id, hc_time *read)
{
  if (hc_attempt_of(e, id)->marks.every == 0) return 0;
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  hc_draws s = {.seed = (uint64_t)e->options->seed,
                .replication = (uint64_t)e->options->replication,
                .entity = e->tasks.live[id].serial,
                .purpose = HC_PURPOSE_COPY,
                .draw = hc_cold_of(e, id)->attempts};
  const bool survives = o->local_survives > 0 && hc_random_unit(&s) < o->local_survives;
  return hc_checkpoints_saved(e, id, survives, read);
}

/* ---- what metrics are told ---- */

static hc_time real(const hc_work *w, hc_time work)
{
  return w->speed == 1 ? work : (hc_time)((double)work / w->speed);
}

hc_rc hc_checkpoints_tell(hc_engine *e, hc_task id, hc_attempt_end how, hc_time saved)
{
  const hc_attempt *a = hc_attempt_of(e, id);
  const hc_live *t = hc_live_of(e, id);
  const hc_time ran = hc_work_so_far(e, id), done = gained(e, id);
  const hc_time kept = how == HC_ATTEMPT_ENDED ? done : saved;
  const hc_work_loss loss = hc_work_stop(&a->work, ran, hc_work_run(e, id), kept);
  const hc_time writing = hc_marks_at(&a->marks, hc_time_add(a->phase, kept), true).writing -
                          hc_marks_at(&a->marks, a->phase, true).writing;
  return hc_observe_attempt(e, &(hc_attempt_record){.at = e->now,
                                                    .start = t->start,
                                                    .serial = t->serial,
                                                    .user = e->tasks.identities[id].user,
                                                    .job = hc_cold_of(e, id)->job,
                                                    .how = (uint32_t)how,
                                                    .units = t->units,
                                                    .lost = how == HC_ATTEMPT_ENDED ? 0 : loss.lost,
                                                    .stood = e->now - t->start - ran,
                                                    .reading = loss.restart,
                                                    .writing = real(&a->work, writing)});
}
