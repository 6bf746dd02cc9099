/* saves.c -- checkpoints of tasks that do what their profiles say.
 *
 * When a task has worked for `every` since its last checkpoint it stands still, as if it was suspended, and
 * writes one: for as long as that takes by itself, and then the bytes of each of its processes to a store
 * (storage.c), where they share disks and links with all else. When all is written it goes on. After a loss
 * it reads the last one that it has in the same way, on the hosts that it has then, and goes on from there.
 *
 * What a checkpoint holds is what the task was about. A profile depends on nothing but what it is told, so
 * the order in which its instances began and its activities ended is all of its past. That order is a log,
 * four bytes an entry; a checkpoint is a place in the log, and of each activity that went on what was left of
 * it. To come back to it, once it is read, the profile begins anew and is told, all at one time, what the log
 * says. Meanwhile what it begins is not begun: an activity that was over is only there until its turn comes,
 * and one that went on begins with what was left. So control flow, processes and hosts need no copy, and what
 * goes on is begun on the new hosts by the code that begins everything.
 *
 * An activity is known by its ordinal among those that its task's instances began. Of computations, sleeps,
 * transfers and parallel tasks what was left is kept, as a part of what they are on the new hosts; the
 * latency of a route is paid again. A read or a write that went on is begun again as a whole, since it is no
 * part of the process. Of a task without a profile it is enough to know how long it has worked: its next
 * attempt is shorter by that.
 *
 * Local checkpoints are forgotten when the engine says so. Room on disks is taken while a checkpoint is
 * written, and given back when it is complete. Refused: hosts that are promised more than once, and giving
 * back room on disks (discard), which what is there after a loss does not follow.
 *
 * Memory: 350 bytes a task that writes, 4 for each activity that it has ended, 32 for each that goes on.
 * Coming back costs what the profile's calls cost. */
#include "execution/saves.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "execution/measure.h"

/* Entries of a log: an ordinal, and what happened. Ends are hc_act_end. */
enum { LOG_BEGINS = 4, LOG_TIMED_OUT = 5, LOG_SHIFT = 3, LOG_MASK = 7 };
#define LOG_ORDINALS (1u << (32 - LOG_SHIFT))

/* ---- birth and death ---- */

static hc_rc take_path(struct hc_saves *s, hc_save_level level, const char *path, const char *key,
                       hc_error *e)
{
  const size_t n = path ? strlen(path) : 0;
  s->stores[level] = path != NULL;
  if (!path || strcmp(path, "disk") == 0) return 0;
  if (path[0] != '/' || n + 2 > HC_PROFILE_PATH)
    return hc_fail(e, HC_EUSAGE, "checkpoint", 0, 0,
                   "%s: \"%.80s\" is no path: say where a store is mounted (/pfs), or `disk`", key, path);
  memcpy(s->paths[level], path, n);
  if (path[n - 1] != '/') s->paths[level][n] = '/';
  return 0;
}

hc_rc hc_saves_open(hc_doings *d, const char *store, const char *local, hc_error *e)
{
  struct hc_saves *s;
  if (d->contention.hosts)
    return hc_fail(e, HC_EUNSUPPORTED, "checkpoint", 0, 0,
                   "tasks write checkpoints, and hosts are promised more than once: what a task uses of them "
                   "while it writes is not known. Leave out `overcommit`, or `checkpoint`");
  s = d->saves = hc_alloc(d->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  *s = (struct hc_saves){.of = NULL};
  TRY(take_path(s, HC_SAVE_GLOBAL, store, "store", e));
  return take_path(s, HC_SAVE_LOCAL, local, "local_store", e);
}

/* Nothing is saved. */
static void empty(hc_doings *d, hc_saver *x)
{
  for (int level = 0; level < HC_SAVE_LEVELS; level++) {
    hc_free(d->allocator, x->snaps[level].open, x->snaps[level].open_cap * sizeof(hc_open_act));
    x->snaps[level] = (hc_snap){.number = 0};
  }
  hc_free(d->allocator, x->log, x->log_cap * sizeof *x->log);
  x->log = NULL;
  x->log_count = x->log_cap = 0;
}

static void drop(hc_doings *d, uint32_t task)
{
  hc_saver *x = d->saves->of[task];
  if (x) empty(d, x);
  hc_free(d->allocator, x, x ? sizeof *x : 0);
  d->saves->of[task] = NULL;
}

void hc_saves_fini(hc_doings *d)
{
  struct hc_saves *s = d->saves;
  if (!s) return;
  for (size_t i = 0; i < s->of_cap; i++) drop(d, (uint32_t)i);
  hc_free(d->allocator, s->of, s->of_cap * sizeof(hc_saver *));
  hc_free(d->allocator, s->ordinals, s->ordinal_cap * sizeof *s->ordinals);
  hc_free(d->allocator, s->held, s->held_cap * sizeof *s->held);
  hc_free(d->allocator, s, sizeof *s);
  d->saves = NULL;
}

static hc_saver *saver_of_task(const hc_doings *d, uint32_t task)
{
  return d->saves && task < d->saves->of_cap ? d->saves->of[task] : NULL;
}

hc_saver *hc_saver_of(const hc_doings *d, uint32_t running)
{
  return saver_of_task(d, d->running[running].task);
}

void hc_saves_over(hc_doings *d, uint32_t running)
{
  hc_saver *x = hc_saver_of(d, running);
  if (x) empty(d, x);
}

hc_rc hc_saves_begin(hc_doings *d, const hc_activity *a)
{
  struct hc_saves *s = d->saves;
  const size_t was = s->of_cap;
  hc_saver *x;
  TRY(hc_reserve(d->allocator, (void **)&s->of, &s->of_cap, (size_t)a->task + 1, sizeof(hc_saver *)));
  for (size_t i = was; i < s->of_cap; i++) s->of[i] = NULL;
  x = s->of[a->task];
  if (x && (x->serial != a->serial || !a->saving)) drop(d, a->task); /* of one that is gone */
  if (!a->saving) return 0;
  x = s->of[a->task];
  if (!x) {
    x = s->of[a->task] = hc_alloc(d->allocator, sizeof *x);
    if (!x) return HC_ENOMEM;
    *x = (hc_saver){.serial = a->serial};
  }
  x->rule = *a->saving;
  x->ordinal = 0;
  x->writing = x->reading = 0;
  x->state = HC_SAVER_IDLE;
  x->is_suspended = x->is_late = 0;
  return 0;
}

/* The last that it has. */
static const hc_snap *last_of(const hc_saver *x, bool locals)
{
  const hc_snap *global = &x->snaps[HC_SAVE_GLOBAL], *local = &x->snaps[HC_SAVE_LOCAL];
  return locals && local->number > global->number ? local : global;
}

void hc_saves_lose(hc_doings *d, uint32_t task, bool all)
{
  hc_saver *x = saver_of_task(d, task);
  if (x) x->snaps[HC_SAVE_LOCAL].number = 0;
  if (x && all) x->snaps[HC_SAVE_GLOBAL].number = 0;
}

/* ---- it stands still ---- */

bool hc_saves_owns(const hc_doings *d, uint32_t act)
{
  const hc_doing *x = &d->acts[act];
  return x->owner == HC_SAVER || (x->spread != HC_NO_ONE && d->acts[x->spread].owner == HC_SAVER);
}

bool hc_saves_writes(const hc_doings *d, uint32_t act)
{
  return hc_saver_of(d, d->acts[act].running)->state == HC_SAVER_WRITES;
}

/* The time until its next checkpoint. */
static void arm(hc_doings *d, uint32_t running, hc_time every)
{
  const uint32_t act = hc_doing_new(d, running, HC_NO_ONE, HC_DOING_SAVE, 0);
  hc_doing_time(d, act, every);
}

static void take_rest(hc_doings *d, hc_running *r, const hc_doing *x, uint32_t act, hc_open_act *out)
{
  double done = 0;
  if (x->kind == HC_DOING_COMPUTE) {
    const hc_meter *l = hc_meter_of(r, x->meter);
    out->all = d->saves->ordinals[act].all;
    out->left = (x->done_at - l->at) * (r->is_one ? r->place.rate : hc_place_of(r, x->meter)->rate);
  } else if (x->kind == HC_DOING_FLOW) {
    const hc_rc rc = hc_fluid_done(d->flows.fluid, d->now, x->flow, &done);
    if (rc < 0) (void)hc_doings_fail(d, x->running, rc, "what is left of its flow is not known");
    out->all = d->saves->ordinals[act].all;
    out->left = HC_MAX(d->saves->ordinals[act].begun - done, 0);
  }
  out->time = x->at; /* it stands still: what is left until then */
}

static void add_open(hc_doings *d, hc_snap *s, const hc_open_act *x)
{
  if (hc_reserve(d->allocator, (void **)&s->open, &s->open_cap, s->open_count + 1, sizeof *s->open) < 0)
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for a checkpoint");
  else s->open[s->open_count++] = *x;
}

/* While it stands still. */
static void keep(hc_doings *d, uint32_t running, hc_saver *x)
{
  hc_running *r = &d->running[running];
  hc_snap *s = &x->snaps[x->level];
  const hc_time worked = hc_doings_worked(d, d->now, r->task);
  s->number = x->number++;
  s->level = x->level;
  s->places = r->place_count;
  s->work = x->base + worked;
  s->worked = x->had + r->worked;
  s->writing = x->writing;
  s->log_count = x->log_count;
  s->open_count = 0;
  for (uint32_t at = r->acts; at != HC_NO_ONE && r->script != HC_NO_SCRIPT; at = d->acts[at].after) {
    const hc_doing *y = &d->acts[at];
    hc_open_act open = {.time = HC_NEVER, .member = HC_NO_ONE};
    const bool is_member = y->kind == HC_DOING_COMPUTE && y->of != HC_NO_ONE;
    open.ordinal = d->saves->ordinals[is_member ? y->of : at].ordinal;
    if (open.ordinal == 0 || hc_saves_owns(d, at) || y->spread != HC_NO_ONE) continue;
    if (is_member) open.member = y->tag;
    take_rest(d, r, y, at, &open);
    add_open(d, s, &open);
  }
}

static void stand_still(hc_doings *d, uint32_t running, hc_saver *x, hc_saver_state why)
{
  hc_doings_pause(d, running, true);
  x->state = why;
  x->began = d->now;
  x->moves = false;
}

/* What it has saved is read: it comes to where it was. */
static void come_back(hc_doings *d, uint32_t running, hc_saver *x)
{
  if (d->running[running].script != HC_NO_SCRIPT) {
    x->state = HC_SAVER_REPLAYS;
    x->replayed = 0;
    d->saves->replays++;
  }
  hc_doings_work(d, running);
}

/* All is written, or read. */
static void over(hc_doings *d, uint32_t running, hc_saver *x)
{
  const bool wrote = x->state == HC_SAVER_WRITES;
  *(wrote ? &x->writing : &x->reading) += d->now - x->began;
  if (wrote) keep(d, running, x);
  x->state = HC_SAVER_IDLE;
  hc_doings_pause(d, running, false);
  arm(d, running, x->rule.every);
  if (!wrote) come_back(d, running, x);
}

static void move_bytes(hc_doings *d, uint32_t running, hc_saver *x)
{
  const struct hc_saves *s = d->saves;
  const char *path = s->paths[x->level];
  const uint32_t places = d->running[running].places ? d->running[running].place_count : 1;
  x->moves = true;
  x->going = 1; /* this call: some may be over at once */
  for (uint32_t i = 0; i < places && s->stores[x->level] && x->rule.bytes > 0 && d->failed == 0; i++) {
    const double bytes = x->rule.bytes * hc_place_of(&d->running[running], i)->slots;
    const uint32_t act = hc_doing_new(d, running, HC_SAVER, HC_DOING_DISK, 0);
    if (act == HC_NO_ONE) return;
    x->going++;
    hc_storage_save(d, act, i, path[0] ? path : NULL, bytes, x->state == HC_SAVER_WRITES);
  }
  if (d->failed == 0) hc_saves_done(d, running, HC_ACT_OK);
}

static void begin_moving(hc_doings *d, uint32_t running, hc_saver *x, hc_save_level level)
{
  const hc_saving *r = &x->rule;
  const bool writes = x->state == HC_SAVER_WRITES;
  const hc_time global = writes ? r->write : r->read, local = writes ? r->local_write : r->local_read;
  const hc_time length = level == HC_SAVE_GLOBAL ? global : local;
  x->level = level;
  x->going = 1;
  if (length <= 0) move_bytes(d, running, x);
  else hc_doing_time(d, hc_doing_new(d, running, HC_SAVER, HC_DOING_SLEEP, 0), length);
}

void hc_saves_done(hc_doings *d, uint32_t running, hc_act_end how)
{
  hc_saver *x = hc_saver_of(d, running);
  if (how != HC_ACT_OK)
    (void)hc_doings_fail(d, running, HC_EINPUT,
                         "its disk has no room for a checkpoint of %g bytes a slot: give it a greater "
                         "capacity, or let checkpoints be smaller",
                         x->rule.bytes);
  if (d->failed < 0 || --x->going > 0) return;
  if (x->moves) over(d, running, x);
  else move_bytes(d, running, x);
}

void hc_saves_due(hc_doings *d, uint32_t act)
{
  const uint32_t running = d->acts[act].running;
  hc_saver *x = hc_saver_of(d, running);
  hc_doing_drop(d, act);
  if (d->running[running].stage != HC_STAGE_DOING) return; /* all is done but what is delivered */
  x->is_late = d->running[running].point != HC_NO_ONE;
  if (x->is_late) return;
  const bool is_global = x->rule.global > 0 && x->number % x->rule.global == 0;
  stand_still(d, running, x, HC_SAVER_WRITES);
  begin_moving(d, running, x, is_global ? HC_SAVE_GLOBAL : HC_SAVE_LOCAL);
}

void hc_saves_point_over(hc_doings *d, uint32_t running)
{
  hc_saver *x = hc_saver_of(d, running);
  if (!x || !x->is_late) return;
  x->is_late = false;
  arm(d, running, 0);
}

bool hc_saves_suspend(hc_doings *d, uint32_t running, bool is_suspended)
{
  hc_saver *x = hc_saver_of(d, running);
  if (!x || (x->state != HC_SAVER_WRITES && x->state != HC_SAVER_READS)) {
    if (x) x->is_suspended = is_suspended;
    return false;
  }
  if (x->is_suspended == (uint32_t)is_suspended) return true;
  x->is_suspended = is_suspended;
  *(x->state == HC_SAVER_WRITES ? &x->writing : &x->reading) += is_suspended ? d->now - x->began : 0;
  if (!is_suspended) x->began = d->now;
  for (uint32_t at = d->running[running].acts; at != HC_NO_ONE; at = d->acts[at].after) {
    if (!hc_saves_owns(d, at)) continue;
    if (is_suspended) hc_doing_pause(d, at);
    else hc_doing_resume(d, at);
  }
  return true;
}

void hc_saves_leave(hc_doings *d, uint32_t running)
{
  hc_saver *x = hc_saver_of(d, running);
  if (!x) return;
  const hc_running *r = &d->running[running];
  const hc_time going = r->since == HC_NEVER && !x->is_suspended ? d->now - x->began : 0;
  if (x->state == HC_SAVER_WRITES) x->writing += going;
  if (x->state == HC_SAVER_READS) x->reading += going;
  x->lasted = r->since == HC_NEVER ? r->worked : r->worked + (d->now - r->since);
  d->saves->replays -= x->state == HC_SAVER_REPLAYS;
  x->state = HC_SAVER_IDLE;
}

/* ---- what profiles are told ---- */

hc_rc hc_saves_number(hc_doings *d, uint32_t act)
{
  struct hc_saves *s = d->saves;
  hc_saver *x = hc_saver_of(d, d->acts[act].running);
  const uint32_t owner = d->acts[act].owner;
  if (hc_reserve(d->allocator, (void **)&s->ordinals, &s->ordinal_cap, d->act_count, sizeof *s->ordinals) < 0)
    return HC_ENOMEM;
  s->ordinals[act] = (hc_ordinal){.ordinal = 0};
  if (!x || owner == HC_NO_ONE || owner == HC_SAVER) return 0;
  if (++x->ordinal >= LOG_ORDINALS) return HC_ELIMIT;
  s->ordinals[act].ordinal = x->ordinal;
  return 0;
}

/* The ordinal of the activity that an instance is to the one above; 0: the task's own. */
static uint32_t ordinal_of(const hc_doings *d, uint32_t instance)
{
  const uint32_t act = d->instances[instance].act;
  return act == HC_NO_ONE ? 0 : d->saves->ordinals[act].ordinal;
}

void hc_saves_log(hc_doings *d, const hc_ready *x)
{
  hc_saver *own = hc_saver_of(d, d->instances[x->instance].running);
  uint32_t what = x->how, ordinal = x->ordinal;
  if (!own || own->state == HC_SAVER_REPLAYS) return;
  if (x->begins) what = LOG_BEGINS;
  else if (x->how == HC_ACT_TIMED_OUT) what = LOG_TIMED_OUT;
  if (what >= LOG_BEGINS) ordinal = ordinal_of(d, x->instance);
  if (hc_reserve(d->allocator, (void **)&own->log, &own->log_cap, own->log_count + 1, sizeof *own->log) < 0)
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for what a task with checkpoints has done");
  else own->log[own->log_count++] = ordinal << LOG_SHIFT | what;
}

/* ---- it comes back to a checkpoint ---- */

bool hc_saves_hold(hc_doings *d, const hc_ready *x)
{
  struct hc_saves *s = d->saves;
  const hc_saver *own = hc_saver_of(d, d->instances[x->instance].running);
  if (!own || own->state != HC_SAVER_REPLAYS || s->passes) return false;
  if (hc_reserve(d->allocator, (void **)&s->held, &s->held_cap, s->held_count + 1, sizeof *s->held) < 0)
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for what a task with checkpoints has done");
  else s->held[s->held_count++] = *x;
  return true;
}

/* Of a member its own entry, else that of the activity. */
static const hc_open_act *find_open(const hc_snap *s, uint32_t ordinal, uint32_t member)
{
  for (size_t i = 0; i < s->open_count; i++)
    if (s->open[i].ordinal == ordinal && s->open[i].member == member) return &s->open[i];
  return NULL;
}

hc_begins hc_saves_begins_now(const hc_doings *d, uint32_t act, const hc_open_act **open)
{
  const hc_doing *x = &d->acts[act];
  const hc_saver *own;
  *open = NULL;
  if (x->owner == HC_SAVER || x->spread != HC_NO_ONE) return HC_BEGINS;
  own = hc_saver_of(d, x->running);
  if (!own || own->state != HC_SAVER_REPLAYS) return HC_BEGINS;
  const bool is_member = x->kind == HC_DOING_COMPUTE && x->of != HC_NO_ONE;
  const uint32_t ordinal = d->saves->ordinals[is_member ? x->of : act].ordinal;
  if (ordinal == 0) return HC_BEGINS;
  *open = find_open(last_of(own, true), ordinal, is_member ? x->tag : HC_NO_ONE);
  return *open ? HC_BEGINS_REST : HC_BEGINS_DRY;
}

/* What it begins with is its own for ever, on whatever it was written. */
static void own_last(hc_saver *x)
{
  const hc_snap other = x->snaps[HC_SAVE_GLOBAL];
  if (last_of(x, true) == &x->snaps[HC_SAVE_LOCAL]) {
    x->snaps[HC_SAVE_GLOBAL] = x->snaps[HC_SAVE_LOCAL];
    x->snaps[HC_SAVE_LOCAL] = other;
  }
  x->snaps[HC_SAVE_LOCAL].number = 0;
}

double hc_saves_rest(hc_doings *d, uint32_t act, double all, const hc_open_act *open)
{
  double left = all;
  if (open && open->all == all) left = open->left;
  else if (open && open->all > 0) left = open->left / open->all * all; /* on another number of cores */
  if (d->saves && act != HC_NO_ONE) {
    d->saves->ordinals[act].all = all;
    d->saves->ordinals[act].begun = left;
  }
  return left;
}

bool hc_saves_go(hc_doings *d, uint32_t running)
{
  hc_running *r = &d->running[running];
  hc_saver *x = hc_saver_of(d, running);
  const hc_snap *s;
  if (!x) return false;
  own_last(x);
  s = last_of(x, true);
  x->log_count = s->number > 0 ? s->log_count : 0;
  x->number = s->number + 1;
  x->base = s->number > 0 ? s->work : 0;
  x->had = s->number > 0 ? s->worked : 0;
  for (uint32_t at = r->acts; at != HC_NO_ONE && x->base > 0; at = d->acts[at].after)
    if (d->acts[at].kind == HC_DOING_LIMIT) { /* it counts what was saved */
      const hc_time left = d->acts[at].at - d->now - x->base;
      hc_doing_time(d, at, left);
    }
  if (s->number == 0) {
    arm(d, running, x->rule.every);
    return false;
  }
  if (r->script != HC_NO_SCRIPT && !r->is_one && s->places != r->place_count) {
    (void)hc_doings_fail(d, running, HC_EUNSUPPORTED,
                         "it goes on from a checkpoint of %u processes, and has %u hosts now: say on how "
                         "many it is (nodes_count), or `spread: true`",
                         (uint32_t)s->places, r->place_count);
    return true;
  }
  stand_still(d, running, x, HC_SAVER_READS);
  begin_moving(d, running, x, (hc_save_level)s->level);
  return true;
}

/* The activity of its profiles with this ordinal; HC_NO_ONE: there is none. */
static uint32_t find_act(const hc_doings *d, uint32_t running, uint32_t ordinal)
{
  uint32_t at = d->running[running].acts;
  while (at != HC_NO_ONE && d->saves->ordinals[at].ordinal != ordinal) at = d->acts[at].after;
  return at;
}

/* One that was to be told before its turn. @return false: there is none */
static bool tell_held(hc_doings *d, uint32_t ordinal, uint32_t what)
{
  struct hc_saves *s = d->saves;
  for (size_t i = 0; i < s->held_count; i++) {
    const hc_ready x = s->held[i];
    const bool is_it = what == LOG_BEGINS ? x.begins && ordinal_of(d, x.instance) == ordinal
                                          : !x.begins && x.how == what && x.ordinal == ordinal;
    if (!is_it) continue;
    memmove(&s->held[i], &s->held[i + 1], (--s->held_count - i) * sizeof x);
    hc_instance_tell(d, &x);
    return true;
  }
  return false;
}

/* Carry out an entry of the log. @return false: the profile has not come to it */
static bool repeat(hc_doings *d, uint32_t running, uint32_t entry)
{
  const uint32_t ordinal = entry >> LOG_SHIFT, what = entry & LOG_MASK;
  uint32_t act, instance;
  if (what != LOG_TIMED_OUT && tell_held(d, ordinal, what)) return true;
  if (what == LOG_BEGINS) return false;
  act = ordinal == 0 ? HC_NO_ONE : find_act(d, running, ordinal);
  if (what == LOG_TIMED_OUT) {
    instance = ordinal == 0 ? d->running[running].root : act != HC_NO_ONE ? d->acts[act].of : HC_NO_ONE;
    if (instance == HC_NO_ONE || d->instances[instance].timer == HC_NO_ONE) return false;
    hc_doing_due(d, d->instances[instance].timer);
    return true;
  }
  if (act == HC_NO_ONE || d->acts[act].kind == HC_DOING_CHILD) return false;
  hc_doing_end(d, act, (hc_act_end)what);
  return true;
}

static void replay(hc_doings *d, uint32_t running, hc_saver *x)
{
  if (x->replayed == x->log_count) {
    x->state = HC_SAVER_IDLE;
    d->saves->replays--;
    return;
  }
  d->saves->passes = true;
  const bool did = repeat(d, running, x->log[x->replayed++]);
  d->saves->passes = false;
  if (!did)
    (void)hc_doings_fail(
        d, running, HC_EUNSUPPORTED,
        "it goes on from a checkpoint, and its profile does not do again what it did before: "
        "one that depends on more than what it is told (files that others change) cannot "
        "write checkpoints");
}

static bool replays(const hc_doings *d, uint32_t running)
{
  const hc_saver *x = running < d->running_count ? hc_saver_of(d, running) : NULL;
  return x && x->state == HC_SAVER_REPLAYS;
}

bool hc_saves_replay(hc_doings *d)
{
  if (!d->saves || d->saves->replays == 0) return false;
  uint32_t at = d->saves->latest;
  if (!replays(d, at)) at = 0;
  while (at < d->running_count && !replays(d, at)) at++;
  HC_ASSERT(at < d->running_count);
  d->saves->latest = at;
  while (replays(d, at) && d->ready_count == 0 && d->failed == 0) replay(d, at, hc_saver_of(d, at));
  return true;
}

/* ---- what the engine asks ---- */

void hc_saves_tell(const hc_doings *d, hc_time now, uint32_t task, bool locals, hc_work_saved *out)
{
  const hc_saver *x = saver_of_task(d, task);
  const bool runs = task < d->of_cap && d->of[task] != HC_NO_ONE;
  const hc_running *r = runs ? &d->running[d->of[task]] : NULL;
  const hc_snap *s;
  *out = (hc_work_saved){0};
  if (!x) return;
  s = last_of(x, locals);
  const hc_time going = x->is_suspended ? 0 : now - x->began; /* if it writes, or reads */
  if (r) out->worked = r->since == HC_NEVER ? r->worked : r->worked + (now - r->since);
  else out->worked = x->lasted;
  out->writing = x->writing + (x->state == HC_SAVER_WRITES ? going : 0);
  out->reading = x->reading + (x->state == HC_SAVER_READS ? going : 0);
  if (s->number == 0 || s->work <= x->base) return;
  out->work = s->work - x->base;
  out->kept = s->worked - x->had;
  out->kept_writing = s->writing;
}

/* ---- state ---- */

static hc_rc visit_snap(hc_doings *d, hc_snap *s, hc_visitor *v)
{
  hc_snap head = *s;
  HC_UNUSED(d);
  head.open = NULL;
  head.open_count = head.open_cap = 0;
  HC_VISIT(v, head);
  if (hc_visit_loading(v)) *s = head;
  HC_VISIT_ARRAY(v, s->open, s->open_count, s->open_cap);
  return 0;
}

static hc_rc visit_saver(hc_doings *d, hc_saver *x, hc_visitor *v)
{
  hc_saver head = *x;
  head.log = NULL;
  head.log_count = head.log_cap = 0;
  for (int i = 0; i < HC_SAVE_LEVELS; i++) head.snaps[i] = (hc_snap){.number = 0};
  HC_VISIT(v, head);
  if (hc_visit_loading(v)) *x = head;
  HC_VISIT_ARRAY(v, x->log, x->log_count, x->log_cap);
  for (int i = 0; i < HC_SAVE_LEVELS; i++) TRY(visit_snap(d, &x->snaps[i], v));
  if (!hc_visit_loading(v)) return 0;
  for (int i = 0; i < HC_SAVE_LEVELS; i++)
    if (x->snaps[i].number > 0 &&
        (x->snaps[i].log_count > x->log_count || x->snaps[i].level >= HC_SAVE_LEVELS))
      return HC_EINPUT;
  return x->state > HC_SAVER_READS || x->state == HC_SAVER_REPLAYS || x->level >= HC_SAVE_LEVELS ? HC_EINPUT
                                                                                                 : 0;
}

/* Savers of tasks, and the ordinals of all activities. */
hc_rc hc_saves_visit(hc_doings *d, hc_visitor *v)
{
  struct hc_saves *s = d->saves;
  uint64_t count = 0;
  size_t ordinals = d->act_count;
  if (!s) return 0;
  for (size_t i = 0; i < s->of_cap; i++)
    if (s->of[i]) count = i + 1;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > v->left) return HC_EINPUT;
    TRY(hc_reserve(d->allocator, (void **)&s->of, &s->of_cap, (size_t)count, sizeof(hc_saver *)));
    for (size_t i = 0; i < s->of_cap; i++) s->of[i] = NULL;
  }
  for (size_t i = 0; i < count; i++) {
    bool has = s->of[i] != NULL;
    HC_VISIT(v, has);
    if (has && hc_visit_loading(v)) {
      s->of[i] = hc_alloc(d->allocator, sizeof(hc_saver));
      if (!s->of[i]) return HC_ENOMEM;
      *s->of[i] = (hc_saver){.serial = 0};
    }
    if (has) TRY(visit_saver(d, s->of[i], v));
  }
  TRY(hc_visit_array(v, (void **)&s->ordinals, &ordinals, &s->ordinal_cap, sizeof *s->ordinals));
  return ordinals == d->act_count ? 0 : HC_EINPUT;
}
