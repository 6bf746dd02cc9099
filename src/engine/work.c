/* work.c -- the work of live tasks: records of it for those that are more than a fixed delay.
 *
 * A record (execution/work.h) exists from the first thing on that makes a task more than a delay, until the
 * task is gone: a start at another speed, a rate, work saved, a step of its size, a notice that it will be
 * stopped. They lie in one pool, and each task's slot says which is its own: a run without any of it pays a
 * look at a pointer, a task without it four bytes from the first task on that has it.
 *
 * When a plan starts a task on hosts, its run and what is believed of it become what they are there; when
 * the start is undone, or the task is stopped and waits again, they come back. So everything that looks at a
 * task that runs sees times that agree, and a start that is only tried (`harmless`) is judged with the time
 * that it would take. */
#include "engine/work.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/model.h"
#include "engine/slowdowns.h"
#include "engine/tasks.h"

const hc_attempt hc_attempt_plain = {.work = {.run = HC_UNKNOWN,
                                              .estimate = HC_UNKNOWN,
                                              .speed = 1,
                                              .since = HC_UNKNOWN,
                                              .rate = HC_RATE_ONE,
                                              .set = HC_RATE_ONE,
                                              .sized = HC_UNKNOWN,
                                              .mean = HC_UNKNOWN},
                                     .leaves = HC_NEVER,
                                     .stands = HC_NEVER,
                                     .uncut = {.run = HC_UNKNOWN}};

/* ---- the pool: a free place holds the next one in work.width ---- */

hc_rc hc_attempts_grow(hc_engine *e, size_t count)
{
  hc_works *ws = &e->tasks.works;
  const size_t was = ws->of_cap;
  TRY(hc_reserve(e->allocator, (void **)&ws->of, &ws->of_cap, count, sizeof *ws->of));
  for (size_t i = was; i < ws->of_cap; i++) ws->of[i] = HC_NO_WORK;
  return 0;
}

hc_attempt *hc_attempt_need(hc_engine *e, hc_task id)
{
  hc_works *ws = &e->tasks.works;
  if (!ws->of) {
    ws->vacant = HC_NO_WORK;
    if (hc_attempts_grow(e, HC_MAX(e->tasks.cap, 16)) < 0) return NULL;
  }
  if (ws->of[id] != HC_NO_WORK) return &ws->items[ws->of[id]];
  uint32_t at = ws->vacant;
  if (at != HC_NO_WORK) ws->vacant = ws->items[at].work.width;
  else if (hc_reserve(e->allocator, (void **)&ws->items, &ws->cap, ws->count + 1, sizeof *ws->items) < 0)
    return NULL;
  else at = (uint32_t)ws->count++;
  ws->of[id] = at;
  ws->items[at] = hc_attempt_plain;
  return &ws->items[at];
}

void hc_attempt_drop(hc_engine *e, hc_task id)
{
  hc_works *ws = &e->tasks.works;
  const uint32_t at = ws->of[id];
  if (at == HC_NO_WORK) return;
  ws->of[id] = HC_NO_WORK;
  ws->items[at].work.width = ws->vacant;
  ws->vacant = at;
}

/* A pace counts from a start on: until then the next plan says another. */
hc_rc hc_attempt_hash(hc_engine *e, hc_task id, hc_visitor *v)
{
  hc_attempt a = *hc_attempt_of(e, id);
  if (e->tasks.live[id].start == HC_UNKNOWN) a.work.pace = 0;
  HC_VISIT(v, a.work);
  if (e->tasks.live[id].start == HC_UNKNOWN) a.cut = 0;
  HC_VISIT(v, a.cut);
  HC_VISIT(v, a.uncut);
  HC_VISIT(v, a.own);
  HC_VISIT(v, a.leaves);
  HC_VISIT(v, a.stands);
  HC_VISIT(v, a.marks);
  HC_VISIT(v, a.read);
  HC_VISIT(v, a.local_read);
  HC_VISIT(v, a.phase);
  HC_VISIT(v, a.notice.how);
  HC_VISIT(v, a.notice.grace);
  HC_VISIT(v, a.notice.every);
  HC_VISIT(v, a.notice.overhead);
  return 0;
}

hc_rc hc_attempts_visit(hc_engine *e, hc_visitor *v)
{
  hc_works *ws = &e->tasks.works;
  bool has = ws->of != NULL;
  size_t count = e->tasks.count;
  if (v->mode == HC_VISIT_HASH) return 0; /* the hash has them task by task */
  HC_VISIT(v, has);
  if (!has) return 0;
  if (hc_visit_loading(v)) TRY(hc_attempts_grow(e, HC_MAX(e->tasks.cap, 16)));
  HC_VISIT(v, ws->vacant);
  HC_VISIT_ARRAY(v, ws->items, ws->count, ws->cap);
  return hc_visit_array(v, (void **)&ws->of, &count, &ws->of_cap, sizeof *ws->of);
}

void hc_attempts_fini(hc_engine *e)
{
  hc_works *ws = &e->tasks.works;
  hc_free(e->allocator, ws->of, ws->of_cap * sizeof *ws->of);
  hc_free(e->allocator, ws->items, ws->cap * sizeof *ws->items);
}

/* ---- speed ---- */

void hc_work_open(hc_engine *e)
{
  e->fastest = 1;
  if (!e->cell.hosts || e->book) return; /* a model that takes profiles knows hosts itself */
  e->fastest = 0;
  for (uint32_t k = 0; k < e->cell_spec.class_count; k++) {
    const double speed = e->cell_spec.classes[k].speed;
    if (speed > e->fastest) e->fastest = speed;
    e->has_speeds |= speed != 1;
  }
  e->stretches |= e->has_speeds;
}

double hc_work_speed(const hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_cell_spec *spec = &e->cell_spec;
  double least = __builtin_inf();
  if (count == 0) return 1;
  for (size_t i = 0; i < count; i++) {
    const double speed = spec->classes[spec->class_of[grants[i].host]].speed;
    if (speed < least) least = speed;
  }
  return e->slowdowns ? least / hc_slowdowns_times(e, id, grants, count) : least;
}

hc_time hc_work_on(const hc_engine *e, hc_task id, hc_time nominal, const hc_grant *grants, size_t count)
{
  return e->has_speeds ? hc_work_length(nominal, hc_work_speed(e, id, grants, count)) : nominal;
}

hc_rc hc_work_pace(hc_engine *e, hc_task id, double pace)
{
  hc_attempt *a;
  if (pace == 1 && hc_work_of(e, id)->pace == 0) return 0;
  a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  a->work.pace = pace;
  return 0;
}

static void set_estimate(hc_engine *e, hc_task id, hc_time estimate)
{
  if (e->tasks.plans) e->tasks.planned[id].running_estimate = estimate;
  else if (e->tasks.cold) e->tasks.cold[id].estimate = estimate;
}

hc_rc hc_work_start(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const double pace = hc_work_of(e, id)->pace;
  const double there = e->has_speeds ? hc_work_speed(e, id, grants, count) : 1;
  const double speed = there / (pace > 0 ? pace : 1) * hc_mold_speed_up(e, id);
  hc_time estimate = hc_running_estimate_of(e, id);
  hc_attempt *a;
  if (speed == 1) return 0;
  a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  hc_work_begin(&a->work, speed, &hc_live_of(e, id)->run, &estimate);
  set_estimate(e, id, estimate);
  return 0;
}

void hc_work_unstart(hc_engine *e, hc_task id)
{
  hc_time estimate = hc_running_estimate_of(e, id);
  if (hc_work_of(e, id)->speed == 1) return;
  hc_work_end(&hc_attempt_need(e, id)->work, &hc_live_of(e, id)->run, &estimate);
  set_estimate(e, id, estimate);
}

/* ---- a limit that is cut ---- */

hc_rc hc_work_limit(hc_engine *e, hc_task id, hc_time limit)
{
  hc_attempt *a;
  if (hc_attempt_of(e, id)->cut == limit) return 0;
  a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  a->cut = limit;
  return 0;
}

void hc_work_cut(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  hc_attempt *a;
  if (hc_attempt_of(e, id)->cut == 0) return;
  a = hc_attempt_need(e, id);
  a->uncut.run = t->run;
  a->uncut.estimate = hc_running_estimate_of(e, id);
  a->uncut.is_killed = (t->bits & HC_LIVE_KILLED) != 0;
  if (t->run > a->cut) t->bits |= HC_LIVE_KILLED;
  t->run = HC_MIN(t->run, t->run == HC_NEVER ? HC_NEVER : a->cut);
  set_estimate(e, id, HC_MIN(a->uncut.estimate, a->cut));
  if (!e->tasks.cold) return;
  a->uncut.limit = e->tasks.cold[id].limit;
  if (a->uncut.limit == HC_UNKNOWN || a->uncut.limit > a->cut) e->tasks.cold[id].limit = a->cut;
}

void hc_work_uncut(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  hc_attempt *a;
  if (hc_attempt_of(e, id)->uncut.run == HC_UNKNOWN) return;
  a = hc_attempt_need(e, id);
  t->run = a->uncut.run;
  t->bits = (uint8_t)((t->bits & ~HC_LIVE_KILLED) | (a->uncut.is_killed ? HC_LIVE_KILLED : 0));
  set_estimate(e, id, a->uncut.estimate);
  if (e->tasks.cold) e->tasks.cold[id].limit = a->uncut.limit;
  a->uncut.run = HC_UNKNOWN;
}

/* ---- an attempt ---- */

void hc_work_anew(hc_engine *e, hc_task id)
{
  hc_work *w;
  if (hc_attempt_of(e, id) == &hc_attempt_plain) return;
  hc_work_uncut(e, id);
  hc_attempt_need(e, id)->cut = 0;
  hc_attempt_need(e, id)->stands = HC_NEVER;
  hc_work_unstart(e, id);
  hc_mold_reset(e, id);
  w = &hc_attempt_need(e, id)->work;
  w->pace = 0;
  w->done = (hc_wide){0};
  w->since = HC_UNKNOWN;
  w->rate = w->set = HC_RATE_ONE;
  w->area = (hc_wide){0};
  w->sized = w->mean = HC_UNKNOWN;
}

hc_time hc_work_so_far(const hc_engine *e, hc_task id)
{
  if (e->model) return e->model_type->done(e->model, e->now, id);
  return hc_work_ran(hc_work_of(e, id), e->tasks.live[id].start,
                     HC_MIN(e->now, hc_attempt_of(e, id)->stands));
}

/* Of a fixed delay it is one addition. */
hc_time hc_expected_end(const hc_engine *e, const hc_live *t)
{
  const hc_task id = hc_task_of(e, t);
  const hc_work *w = hc_work_of(e, id);
  const hc_time estimate = hc_running_estimate_of(e, id);
  if (t->bits & HC_LIVE_OVERDUE) return e->overdue_at;
  if (w->since == HC_UNKNOWN && w->set == HC_RATE_ONE && w->pause == 0)
    return hc_time_add(t->start, estimate);
  return hc_work_until(w, t->start, estimate, e->now);
}

/* ---- width, and what records say ---- */

int64_t hc_work_units(const hc_engine *e, hc_task id)
{
  const hc_live *t = &e->tasks.live[id];
  const hc_work *w = hc_work_of(e, id);
  const bool runs = t->state == HC_TASK_RUNNING && t->start != HC_UNKNOWN && w->mean == HC_UNKNOWN;
  const int64_t mean = runs ? hc_work_size(w, t->start, e->now, t->units) : w->mean;
  return mean == HC_UNKNOWN ? t->units : mean;
}

double hc_mold_speed_up(const hc_engine *e, hc_task id)
{
  const uint32_t own = hc_work_of(e, id)->width;
  return own > 0 ? (double)e->tasks.live[id].slots / (double)own : 1;
}

void hc_mold_reset(hc_engine *e, hc_task id)
{
  const uint32_t own = hc_work_of(e, id)->width;
  hc_live *t = hc_live_of(e, id);
  if (own == 0) return;
  if (e->cell.hosts) {
    t->units = t->units / t->slots * own;
    t->slots = own;
  } else t->units = own;
  hc_attempt_need(e, id)->work.width = 0;
}

hc_time hc_work_in_all(const hc_engine *e, hc_task id, hc_time left)
{
  const hc_live *t = &e->tasks.live[id];
  return hc_work_whole(hc_work_of(e, id), left, t->start == HC_UNKNOWN ? HC_UNKNOWN : t->run);
}
