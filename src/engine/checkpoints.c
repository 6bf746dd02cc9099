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
 * Under a model of execution that carries out what tasks do (execution/saves.c) nothing of that is known
 * ahead: the model writes and reads, and is asked what is saved. Runs, estimates and limits stay as they are,
 * for limits are of work there, and what a task writes is on top of it.
 *
 * Refused: other models, and policies that resize tasks. Cost: O(1) a task and a stop. */
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
  const hc_model_type *model = (const hc_model_type *)e->options->execution.type;
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  if (model && !model->saves)
    return hc_combine_refuse(error,
                             "how long tasks run is that model's matter, and it writes no checkpoints: leave "
                             "out `checkpoint`, or use `execution: activities`");
  if (!model && (o->store || o->local_store))
    return hc_combine_refuse(error,
                             "a store is what tasks with `execution` write to: say how fast checkpoints are "
                             "written by `bandwidth`, or use `execution: activities`");
  if (o->store && o->bandwidth > 0)
    return hc_combine_refuse(error, "checkpoints are written to a store, which says how fast: leave out "
                                    "`bandwidth`, or `store`");
  if (flags & HC_MAY_RESIZE)
    return hc_combine_refuse(error,
                             "a task that is resized does more or less in a stretch of time, and its "
                             "checkpoints would move: leave out `checkpoint`, or use another policy and "
                             "tasks that keep their size");
  return 0;
}

/* ---- under a model of execution ---- */

hc_rc hc_checkpoints_open(hc_engine *e, hc_error *error)
{
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  return e->model_type->saves(e->model, o->store, o->local_store, error);
}

/* What the attempt of a running task has saved, as its model says. */
static hc_work_saved saved_in_model(const hc_engine *e, hc_task id, bool locals)
{
  hc_work_saved out = {0};
  if (e->options->checkpoint.type) e->model_type->saved(e->model, e->now, id, locals, &out);
  return out;
}

void hc_checkpoints_lose(hc_engine *e, hc_task id, const hc_stopping *how)
{
  if (e->model && e->options->checkpoint.type)
    e->model_type->lose(e->model, id, how->how == HC_STOP_CHECKPOINT);
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
  if (e->model) return 0;
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

hc_rc hc_checkpoints_begin(hc_engine *e, hc_task id, hc_activity *a, hc_saving *s, hc_error *error)
{
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  const double bytes = hc_intervals_bytes(e, id);
  double write = 0, local = 0;
  if (o->store && bytes > 0 && o->global_each > 0)
    TRY(e->model_type->save_takes(e->model, a, bytes, false, &write, error));
  if (o->local_store && bytes > 0 && o->global_each != 1)
    TRY(e->model_type->save_takes(e->model, a, bytes, true, &local, error));
  if (!hc_intervals_in_model(e, id, write, local, e->cell.hosts ? (double)a->host_count : 0, s))
    return refuse_task(e, id, error);
  a->saving = s;
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
  if (e->model) return saved_in_model(e, id, locals).work;
  if (a->marks.every == 0) return 0;
  const hc_marks_done done = hc_marks_at(&a->marks, hc_time_add(a->phase, gained(e, id)), locals);
  if (read) *read = done.is_local ? a->local_read : a->read;
  return HC_MAX(done.position - a->phase, 0);
}

hc_time hc_checkpoints_kept(const hc_engine *e, hc_task id, hc_time *read)
{
  const bool in_model = e->model && e->options->checkpoint.type;
  if (!in_model && hc_attempt_of(e, id)->marks.every == 0) return 0;
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  hc_draws s = {.seed = (uint64_t)e->options->seed,
                .replication = (uint64_t)e->options->replication,
                .entity = e->tasks.live[id].serial,
                .purpose = HC_PURPOSE_COPY,
                .draw = hc_cold_of(e, id)->attempts};
  const bool survives = o->local_survives > 0 && hc_random_unit(&s) < o->local_survives;
  if (in_model && !survives) e->model_type->lose(e->model, id, false);
  return hc_checkpoints_saved(e, id, survives, read);
}

/* ---- what metrics are told ---- */

static hc_time real(const hc_work *w, hc_time work)
{
  return w->speed == 1 ? work : (hc_time)((double)work / w->speed);
}

static hc_attempt_record attempt_of(const hc_engine *e, hc_task id, hc_attempt_end how)
{
  const hc_live *t = &e->tasks.live[id];
  return (hc_attempt_record){.at = e->now,
                             .start = t->start,
                             .serial = t->serial,
                             .user = e->tasks.identities[id].user,
                             .job = hc_cold_of(e, id)->job,
                             .how = (uint32_t)how,
                             .units = t->units};
}

/* Of what was written, that which does not count is lost, as the work behind it. */
static hc_rc tell_in_model(hc_engine *e, hc_task id, hc_attempt_end how, hc_time saved)
{
  hc_work_saved x = saved_in_model(e, id, true);
  hc_attempt_record r = attempt_of(e, id, how);
  const hc_time all = x.worked + x.writing + x.reading;
  if (how != HC_ATTEMPT_ENDED && saved < x.work) x = saved_in_model(e, id, false);
  if (how != HC_ATTEMPT_ENDED && saved == 0) x.kept = x.kept_writing = 0;
  r.writing = how == HC_ATTEMPT_ENDED ? x.writing : x.kept_writing;
  r.lost = how == HC_ATTEMPT_ENDED ? 0 : x.worked - x.kept + x.writing - x.kept_writing;
  r.reading = x.reading;
  r.stood = e->now - r.start - all;
  return hc_observe_attempt(e, &r);
}

hc_rc hc_checkpoints_tell(hc_engine *e, hc_task id, hc_attempt_end how, hc_time saved)
{
  if (e->model && e->options->checkpoint.type) return tell_in_model(e, id, how, saved);
  const hc_attempt *a = hc_attempt_of(e, id);
  hc_attempt_record r = attempt_of(e, id, how);
  const hc_time ran = hc_work_so_far(e, id), done = gained(e, id);
  const hc_time kept = how == HC_ATTEMPT_ENDED ? done : saved;
  const hc_work_loss loss = hc_work_stop(&a->work, ran, hc_work_run(e, id), kept);
  const hc_time writing = hc_marks_at(&a->marks, hc_time_add(a->phase, kept), true).writing -
                          hc_marks_at(&a->marks, a->phase, true).writing;
  r.lost = how == HC_ATTEMPT_ENDED ? 0 : loss.lost;
  r.stood = e->now - r.start - ran;
  r.reading = loss.restart;
  r.writing = real(&a->work, writing);
  return hc_observe_attempt(e, &r);
}
