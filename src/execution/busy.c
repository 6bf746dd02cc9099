/* busy.c -- how many cores of each host compute, told when it changes: what power follows from.
 *
 * A process that computes keeps the cores busy that it holds on its host, and one that waits, sends or reads
 * none. Where one clock stands for processes of different speed, the faster ones count for the part of the
 * time that they need. A computation may say otherwise (hc_profile_calls.keeps_busy), as a trace of usage
 * does. A parallel task keeps as many busy as its one rate says, which the solver is asked for when all that
 * happens at a time has happened. A task of which only its length is known keeps all of its cores busy; a
 * suspended one none. On hosts that are promised more than once it is what contention has settled.
 *
 * Amounts are whole billionths of a core, so that sums come back to zero. What changes twice at one time is
 * told twice. Cost: O(1) for each begin and end of a computation; for each time at which something happens,
 * O(parallel tasks that compute); 48 bytes for each host of a running task. */
#include "execution/busy.h"

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "execution/measure.h"
#include "execution/running.h"
#include "hindcast/cell.h"

/* ---- birth and death ---- */

hc_rc hc_busy_init(hc_doings *d)
{
  hc_busy *b = &d->measure->busy;
  *b = (hc_busy){.is_asked = d->measure->asked.computes != NULL, .vacant = HC_NO_ONE};
  if (!b->is_asked || !d->contention.hosts) return 0;
  b->crowds = hc_alloc(d->allocator, d->contention.host_count * sizeof *b->crowds);
  if (!b->crowds) return HC_ENOMEM;
  for (uint32_t h = 0; h < d->contention.host_count; h++) b->crowds[h] = 0;
  return 0;
}

static void free_places(hc_doings *d, hc_busy_task *t)
{
  hc_free(d->allocator, t->places, t->count * sizeof *t->places);
  *t = (hc_busy_task){0};
}

static void free_parts(hc_doings *d, hc_busy_joint *j)
{
  hc_free(d->allocator, j->parts, j->count * sizeof *j->parts);
  j->parts = NULL;
}

void hc_busy_fini(hc_doings *d)
{
  hc_busy *b = &d->measure->busy;
  for (size_t i = 0; i < b->task_count; i++) free_places(d, &b->tasks[i]);
  for (size_t i = 0; i < b->joint_count; i++)
    if (b->joints[i].act != HC_NO_ONE) free_parts(d, &b->joints[i]);
  hc_free(d->allocator, b->tasks, b->task_cap * sizeof *b->tasks);
  hc_free(d->allocator, b->joints, b->joint_cap * sizeof *b->joints);
  hc_free(d->allocator, b->parts, b->part_cap * sizeof *b->parts);
  hc_free(d->allocator, b->crowds, d->contention.host_count * sizeof *b->crowds);
}

/* ---- what is told ---- */

/* Of tasks: hosts that are promised more than once tell of themselves. */
static hc_busy *asked(hc_doings *d)
{
  hc_busy *b = &d->measure->busy;
  return b->is_asked && !b->crowds ? b : NULL;
}

static void no_room(hc_doings *d)
{
  (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for what is told of cores that compute");
}

static void tell(hc_doings *d, uint32_t host, int64_t more, int64_t more_gpus)
{
  const hc_measuring *m = &d->measure->asked;
  if (more == 0 && more_gpus == 0) return;
  const hc_rc rc = m->computes(m->ctx, host == HC_NO_ONE ? HC_NO_HOST : host, more, more_gpus);
  if (rc < 0)
    (void)hc_doings_fail(d, HC_NO_ONE, rc, "cores that compute cannot be told of: %s", hc_rc_text(rc));
}

static void settle(hc_doings *d, const hc_busy_task *t, hc_busy_place *p)
{
  const int64_t own = !p->computes ? 0 : p->sayers > 0 ? p->said : p->cores;
  const int64_t now = t->is_paused ? 0 : own + p->joint, gpus = t->is_paused ? 0 : p->gpus;
  const int64_t more = now - p->told, more_gpus = gpus - p->told_gpus;
  p->told = now;
  p->told_gpus = gpus;
  tell(d, p->host, more, more_gpus);
}

static void settle_all(hc_doings *d, hc_busy_task *t)
{
  for (uint32_t i = 0; i < t->count; i++) settle(d, t, &t->places[i]);
}

/* ---- tasks ---- */

static hc_busy_task *room_for(hc_doings *d, uint32_t running)
{
  hc_busy *b = &d->measure->busy;
  const size_t need = (size_t)running + 1;
  if (hc_reserve(d->allocator, (void **)&b->tasks, &b->task_cap, need, sizeof *b->tasks) < 0) {
    no_room(d);
    return NULL;
  }
  for (; b->task_count < need; b->task_count++) b->tasks[b->task_count] = (hc_busy_task){0};
  return &b->tasks[running];
}

#define NANO_OF_MILLI (HC_CORE_COMPUTES / 1000)

/* Cores that each process keeps busy: all of it. */
static void take_places(hc_busy_task *t, const hc_activity *a)
{
  for (uint32_t i = 0; i < t->count; i++)
    t->places[i] =
        (hc_busy_place){.host = a->processes ? a->processes[i].host : HC_NO_ONE,
                        .cores = (a->processes ? a->processes[i].milli : a->units * 1000) * NANO_OF_MILLI};
}

/* One clock stands for all processes, that of the slowest: the others for a part of the time. */
static void share_clock(const hc_doings *d, hc_busy_task *t)
{
  double least = HC_FLUID_FREE;
  for (uint32_t i = 0; i < t->count; i++)
    least = HC_MIN(least, d->speeds[t->places[i].host] * (double)t->places[i].cores);
  for (uint32_t i = 0; i < t->count; i++) {
    hc_busy_place *p = &t->places[i];
    p->cores = (int64_t)(least / d->speeds[p->host] + 0.5);
  }
}

void hc_busy_begin(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_busy_task *t = asked(d) ? room_for(d, running) : NULL;
  if (!t) return;
  const uint32_t count = a->processes ? (uint32_t)a->process_count : 1;
  t->places = hc_alloc(d->allocator, count * sizeof *t->places);
  if (!t->places) {
    no_room(d);
    return;
  }
  t->count = count;
  t->is_plain = !a->profile;
  take_places(t, a);
  for (uint32_t i = 0; i < count && t->is_plain; i++) t->places[i].computes = 1;
  settle_all(d, t);
}

/* Is it known which of its processes compute? */
static hc_busy_task *task_of(hc_doings *d, uint32_t running)
{
  hc_busy *b = asked(d);
  return b && running < b->task_count && b->tasks[running].count > 0 ? &b->tasks[running] : NULL;
}

void hc_busy_end(hc_doings *d, uint32_t running)
{
  hc_busy_task *t = task_of(d, running);
  if (!t) return;
  t->is_paused = 1;
  settle_all(d, t);
  free_places(d, t);
}

/* The order of its places is the model's own: those that it kept come first. */
void hc_busy_resize(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_running *r = &d->running[running];
  hc_busy_end(d, running);
  hc_busy_begin(d, running, a);
  hc_busy_task *t = task_of(d, running);
  for (uint32_t i = 0; t && r->places && i < t->count; i++) {
    uint32_t at = i;
    while (at < t->count && t->places[at].host != r->places[i].host) at++;
    HC_ASSERT(at < t->count);
    const hc_busy_place x = t->places[at];
    t->places[at] = t->places[i];
    t->places[i] = x;
  }
}

void hc_busy_pause(hc_doings *d, uint32_t running, bool is_paused)
{
  hc_busy_task *t = task_of(d, running);
  if (!t) return;
  t->is_paused = is_paused;
  settle_all(d, t);
}

void hc_busy_waits(hc_doings *d, uint32_t running, bool is_waiting)
{
  hc_busy_task *t = task_of(d, running);
  if (!t || !t->is_plain) return;
  for (uint32_t i = 0; i < t->count; i++) t->places[i].computes = !is_waiting;
  settle_all(d, t);
}

/* ---- computations ---- */

void hc_busy_meter(hc_doings *d, uint32_t running, uint32_t meter, bool computes)
{
  hc_busy_task *t = task_of(d, running);
  if (!t) return;
  const bool all = d->running[running].is_one;
  if (all && computes && t->count > 1) share_clock(d, t);
  for (uint32_t i = 0; i < t->count; i++) {
    if (!all && i != meter) continue;
    t->places[i].computes = computes;
    settle(d, t, &t->places[i]);
  }
}

/* Whole cores of its host, and one at least. */
static int64_t cores_of(const hc_doings *d, uint32_t host, int64_t held, double share)
{
  const hc_cell_spec *cell = d->measure->context.cell;
  int64_t cores = held / HC_CORE_COMPUTES;
  if (cell && host != HC_NO_ONE) {
    const hc_host_class *c = &cell->classes[cell->class_of[host]];
    cores = c->cores > 0 ? c->cores : c->capacity[HC_DIM_CPU] / 1000;
  }
  return HC_MAX((int64_t)(share * (double)cores + 0.5), 1) * HC_CORE_COMPUTES;
}

void hc_busy_says(hc_doings *d, uint32_t act, double share)
{
  const hc_doing *x = &d->acts[act];
  hc_busy_task *t = task_of(d, x->running);
  if (!t || act >= d->measure->act_count || x->kind != HC_DOING_COMPUTE || x->meter >= t->count) return;
  hc_busy_place *p = &t->places[x->meter];
  int64_t *says = &d->measure->acts[act].says;
  if (*says > 0) return;
  *says = cores_of(d, p->host, p->cores, share);
  p->said += *says;
  p->sayers++;
  settle(d, t, p);
}

void hc_busy_gpus(hc_doings *d, uint32_t act, double gpus)
{
  const hc_doing *x = &d->acts[act];
  hc_busy_task *t = task_of(d, x->running);
  if (!t || act >= d->measure->act_count || x->meter >= t->count) return;
  hc_busy_place *p = &t->places[x->meter];
  d->measure->acts[act].says = (int64_t)(gpus * (double)HC_CORE_COMPUTES + 0.5);
  p->gpus += d->measure->acts[act].says;
  settle(d, t, p);
}

/* ---- parallel tasks ---- */

void hc_busy_part_of(hc_doings *d, uint32_t place, double core_seconds)
{
  hc_busy *b = asked(d);
  if (!b) return;
  if (hc_reserve(d->allocator, (void **)&b->parts, &b->part_cap, b->part_count + 1, sizeof *b->parts) < 0) {
    no_room(d);
    return;
  }
  b->parts[b->part_count++] = (hc_busy_part){.place = place, .core_seconds = core_seconds};
}

static uint32_t joint_place(hc_doings *d)
{
  hc_busy *b = &d->measure->busy;
  const uint32_t at = b->vacant;
  if (at != HC_NO_ONE) {
    b->vacant = b->joints[at].count;
    return at;
  }
  if (hc_reserve(d->allocator, (void **)&b->joints, &b->joint_cap, b->joint_count + 1, sizeof *b->joints) < 0)
    return HC_NO_ONE;
  return (uint32_t)b->joint_count++;
}

void hc_busy_joint_begin(hc_doings *d, uint32_t act)
{
  hc_busy *b = asked(d);
  const size_t n = b ? b->part_count : 0;
  if (n == 0 || act >= d->measure->act_count) return;
  b->part_count = 0;
  hc_busy_part *parts = hc_alloc(d->allocator, n * sizeof *parts);
  const uint32_t at = parts ? joint_place(d) : HC_NO_ONE;
  if (at == HC_NO_ONE) {
    hc_free(d->allocator, parts, n * sizeof *parts);
    no_room(d);
    return;
  }
  for (size_t i = 0; i < n; i++) parts[i] = b->parts[i];
  b->joints[at] = (hc_busy_joint){.parts = parts, .count = (uint32_t)n, .act = act};
  b->joint_active++;
  d->measure->acts[act].joint = at + 1;
}

static void set_rate(hc_doings *d, hc_busy_joint *j, double rate)
{
  hc_busy_task *t = task_of(d, d->acts[j->act].running);
  if (!t || j->rate == rate) return;
  j->rate = rate;
  for (uint32_t i = 0; i < j->count; i++) {
    hc_busy_part *x = &j->parts[i];
    const int64_t now = (int64_t)(rate * x->core_seconds * (double)HC_CORE_COMPUTES + 0.5);
    if (x->place >= t->count || now == x->told) continue;
    t->places[x->place].joint += now - x->told;
    x->told = now;
    settle(d, t, &t->places[x->place]);
  }
}

void hc_busy_rates(hc_doings *d)
{
  hc_busy *b = &d->measure->busy;
  for (size_t i = 0; i < b->joint_count && b->joint_active > 0 && d->failed == 0; i++) {
    hc_busy_joint *j = &b->joints[i];
    double rate = 0;
    if (j->act == HC_NO_ONE) continue;
    if (hc_fluid_rate(d->flows.fluid, d->now, d->acts[j->act].flow, &rate) < 0) continue;
    set_rate(d, j, rate < HC_FLUID_FREE ? rate : 0);
  }
}

void hc_busy_act_over(hc_doings *d, uint32_t act)
{
  hc_busy *b = asked(d);
  hc_measured_act *x = &d->measure->acts[act];
  hc_busy_task *t = task_of(d, d->acts[act].running);
  if (!b) return;
  if (x->says > 0 && t) {
    hc_busy_place *p = &t->places[d->acts[act].meter];
    const bool is_gpus = d->acts[act].kind == HC_DOING_GPUS;
    *(is_gpus ? &p->gpus : &p->said) -= x->says;
    p->sayers -= !is_gpus;
    settle(d, t, p);
  }
  if (x->joint == 0) return;
  hc_busy_joint *j = &b->joints[x->joint - 1];
  set_rate(d, j, 0);
  free_parts(d, j);
  *j = (hc_busy_joint){.act = HC_NO_ONE, .count = b->vacant};
  b->vacant = x->joint - 1;
  b->joint_active--;
}

/* ---- hosts that are promised more than once ---- */

void hc_busy_crowd(hc_doings *d, uint32_t host, double cores)
{
  int64_t *told = d->measure->busy.crowds;
  if (!told) return;
  const int64_t now = (int64_t)(cores * (double)HC_CORE_COMPUTES + 0.5), more = now - told[host];
  told[host] = now;
  tell(d, host, more, 0);
}

/* ---- state ---- */

/* Room for what is loaded: what is loaded into has nothing yet. */
static hc_rc visit_items(hc_doings *d, void **items, uint32_t *count, size_t item, hc_visitor *v)
{
  if (hc_visit_loading(v)) {
    if (*count > v->left / item) return HC_EINPUT;
    *items = *count > 0 ? hc_alloc(d->allocator, *count * item) : NULL;
    if (*count > 0 && !*items) return HC_ENOMEM;
  }
  return *count > 0 ? hc_visit_bytes(v, *items, *count * item) : 0;
}

static hc_rc visit_task(hc_doings *d, hc_busy_task *t, hc_visitor *v)
{
  hc_busy_task head = *t;
  head.places = NULL;
  HC_VISIT(v, head);
  if (hc_visit_loading(v)) *t = (hc_busy_task){.is_paused = head.is_paused, .is_plain = head.is_plain};
  TRY(visit_items(d, (void **)&t->places, &head.count, sizeof *t->places, v));
  t->count = head.count;
  return 0;
}

static hc_rc visit_joint(hc_doings *d, hc_busy_joint *j, hc_visitor *v)
{
  hc_busy_joint head = *j;
  head.parts = NULL;
  HC_VISIT(v, head);
  if (hc_visit_loading(v)) *j = (hc_busy_joint){.act = HC_NO_ONE, .count = head.count};
  if (head.act == HC_NO_ONE) return 0;
  TRY(visit_items(d, (void **)&j->parts, &head.count, sizeof *j->parts, v));
  j->count = head.count;
  j->rate = head.rate;
  j->act = head.act;
  return head.act < d->act_count ? 0 : HC_EINPUT;
}

static hc_rc visit_counts(hc_doings *d, hc_visitor *v)
{
  hc_busy *b = &d->measure->busy;
  uint64_t counts[2] = {b->task_count, b->joint_count};
  HC_VISIT(v, counts);
  HC_VISIT(v, b->vacant);
  HC_VISIT(v, b->joint_active);
  if (!hc_visit_loading(v)) return 0;
  if (counts[0] > d->running_count || counts[1] > d->act_count) return HC_EINPUT;
  TRY(hc_reserve(d->allocator, (void **)&b->tasks, &b->task_cap, (size_t)counts[0], sizeof *b->tasks));
  TRY(hc_reserve(d->allocator, (void **)&b->joints, &b->joint_cap, (size_t)counts[1], sizeof *b->joints));
  for (size_t i = 0; i < counts[0]; i++) b->tasks[i] = (hc_busy_task){0};
  for (size_t i = 0; i < counts[1]; i++) b->joints[i] = (hc_busy_joint){.act = HC_NO_ONE};
  b->task_count = (size_t)counts[0];
  b->joint_count = (size_t)counts[1];
  return b->vacant == HC_NO_ONE || b->vacant < b->joint_count ? 0 : HC_EINPUT;
}

hc_rc hc_busy_visit(hc_doings *d, hc_visitor *v)
{
  hc_busy *b = &d->measure->busy;
  if (!b->is_asked) return 0;
  if (b->crowds) return hc_visit_bytes(v, b->crowds, d->contention.host_count * sizeof *b->crowds);
  TRY(visit_counts(d, v));
  for (size_t i = 0; i < b->task_count; i++) TRY(visit_task(d, &b->tasks[i], v));
  for (size_t i = 0; i < b->joint_count; i++) TRY(visit_joint(d, &b->joints[i], v));
  return 0;
}
