/* instances.c -- profiles that go on: what they call, and when they are called.
 *
 * An instance has a struct of what it remembers and the number of the line where it goes on. What happens
 * to it (an activity has ended, a wait has lasted too long) is put into a line, and told from there one by
 * one, so that profiles never run inside each other and the order is that in which things happened. Ends
 * that come while it waits for all are counted and told as one. Cost: O(1) each; what one has not waited
 * for when it ends is looked for among all activities of its task. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "execution/expressions.h"
#include "execution/fibers.h"
#include "execution/measure.h"
#include "execution/running.h"
#include "execution/saves.h"
#include "hindcast/cell.h"

/* ---- instances ---- */

hc_rc hc_instance_options(hc_doings *d, uint32_t running, uint32_t part, uint64_t iteration,
                          const void **options, hc_error *e)
{
  const hc_running *r = &d->running[running];
  const hc_script *s = &d->scripts.items[r->script];
  *options = s->parts[part]->options;
  if (!s->exprs || s->first_expr[part] == s->first_expr[part + 1]) return 0;
  const hc_script_expr *exprs = s->exprs + s->first_expr[part];
  const size_t count = s->first_expr[part + 1] - s->first_expr[part];
  const size_t room = hc_expressions_room(s->parts[part], exprs, count);
  TRY(hc_reserve(d->allocator, &d->room, &d->room_cap, (room + 15) / 16, 16));
  r->values[HC_VARIABLE_ITERATION] = (double)iteration;
  TRY(hc_expressions_fill(s->parts[part], exprs, count, r->values, d->room, e));
  *options = d->room;
  return 0;
}

uint32_t hc_instance_new(hc_doings *d, uint32_t running, uint32_t act, uint32_t part, uint64_t iteration)
{
  uint32_t at = d->vacant_instance;
  if (d->failed < 0) return HC_NO_ONE;
  if (at != HC_NO_ONE) d->vacant_instance = d->instances[at].act;
  else if (hc_reserve(d->allocator, (void **)&d->instances, &d->instance_cap, d->instance_count + 1,
                      sizeof *d->instances) < 0) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for another profile");
    return HC_NO_ONE;
  } else at = (uint32_t)d->instance_count++;
  d->instances[at] = (hc_instance){.born = ++d->born,
                                   .running = running,
                                   .act = act,
                                   .part = part,
                                   .timer = HC_NO_ONE,
                                   .iteration = iteration};
  if (d->measure) hc_labelled_begin(d, at);
  hc_instance_tell(d, &(hc_ready){.born = d->born, .instance = at, .begins = true});
  return at;
}

/* Everything that it has started and that still goes on. */
static void drop_acts(hc_doings *d, uint32_t instance)
{
  const uint32_t running = d->instances[instance].running;
  for (uint32_t at = d->running[running].acts; at != HC_NO_ONE;) {
    const bool own = d->acts[at].owner == instance;
    if (own) hc_doing_drop(d, at);
    at = own ? d->running[running].acts : d->acts[at].after; /* others may have gone with it */
  }
}

static void drop_fiber(hc_doings *d, uint32_t instance)
{
  if (instance >= d->fiber_cap || !d->fibers[instance]) return;
  hc_fiber_free(d->allocator, d->fibers[instance]);
  d->fibers[instance] = NULL;
  d->fiber_count--;
}

void hc_instance_drop(hc_doings *d, uint32_t instance)
{
  if (instance == HC_NO_ONE || d->instances[instance].born == 0) return;
  drop_fiber(d, instance);
  if (d->measure) hc_labelled_drop(d, instance);
  if (d->instances[instance].active > 0 || d->instances[instance].timer != HC_NO_ONE) drop_acts(d, instance);
  d->instances[instance] = (hc_instance){.act = d->vacant_instance};
  d->vacant_instance = instance;
}

void hc_instance_tell(hc_doings *d, const hc_ready *x)
{
  if (d->saves && hc_saves_hold(d, x)) return;
  if (d->ready_count == d->ready_cap) {
    hc_ready *more;
    size_t cap = 0;
    more = NULL;
    if (hc_reserve(d->allocator, (void **)&more, &cap, d->ready_count * 2 + 16, sizeof *more) < 0) {
      (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for what happens to profiles");
      return;
    }
    for (size_t i = 0; i < d->ready_count; i++) more[i] = d->ready[(d->ready_first + i) % d->ready_cap];
    hc_free(d->allocator, d->ready, d->ready_cap * sizeof *d->ready);
    d->ready = more;
    d->ready_cap = cap;
    d->ready_first = 0;
  }
  d->ready[(d->ready_first + d->ready_count++) % d->ready_cap] = *x;
}

/* ---- what profiles call ---- */

static hc_doings *doings_of(const hc_profile *p)
{
  return p->model;
}

/* An activity of the instance that is called. */
static uint32_t start(hc_profile *p, hc_doing_kind kind, uint32_t tag)
{
  const uint32_t at = hc_doing_new(doings_of(p), p->running, p->instance, kind, tag);
  if (at != HC_NO_ONE) p->active++;
  return at;
}

static bool is_process(hc_profile *p, uint32_t process)
{
  if (process < p->processes) return true;
  (void)hc_doings_fail(doings_of(p), p->running, HC_EINPUT,
                       "its profile names process %u, and the task's are numbered 0 to %u", process,
                       p->processes - 1);
  return false;
}

static hc_place *place_of(hc_doings *d, uint32_t running, uint32_t process)
{
  hc_running *r = &d->running[running];
  return hc_place_of(r, hc_place_number(r, process));
}

static bool is_released(hc_doings *d, uint32_t running, uint32_t process)
{
  return place_of(d, running, process)->is_released;
}

static hc_act call_sleep(hc_profile *p, hc_time time, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  const uint32_t at = start(p, HC_DOING_SLEEP, tag);
  const hc_open_act *open;
  const hc_begins how = hc_saves_begins(d, at, &open);
  if (how == HC_BEGINS_REST) time = open->time;
  if (at != HC_NO_ONE && time != HC_NEVER && how != HC_BEGINS_DRY) hc_doing_time(d, at, time);
  return hc_act_name(d, at);
}

/* Work that the law lets all cores of a process do at so many times the speed of one, as work that they share
 * as if each counted in full. */
static double stretched(hc_profile *p, uint32_t process, double work, const hc_chosen *law)
{
  hc_doings *d = doings_of(p);
  const double cores = place_of(d, p->running, process)->cores;
  if (!law || !law->type || !(cores > 0) || !(work > 0)) return work;
  if (d->running[p->running].executors) {
    (void)hc_doings_fail(
        d, p->running, HC_EUNSUPPORTED,
        "a law of speed-up is about the cores of one process, and its executors share those of "
        "a host: leave out one of the two");
    return work;
  }
  const double s = hc_speedup(law, cores);
  if (s > 0 && s < 1e18) return work * cores / s;
  (void)hc_doings_fail(d, p->running, HC_EINPUT,
                       "the law of speed-up %s says %g for %g cores, and more than 0 is needed",
                       law->type->name, s, cores);
  return work;
}

/* So much work, or what is left of it. */
static void begin_compute(hc_doings *d, uint32_t act, uint32_t meter, double work)
{
  const hc_open_act *open = NULL;
  const hc_begins how = hc_saves_begins(d, act, &open);
  if (how != HC_BEGINS_DRY) hc_doing_compute(d, act, meter, hc_saves_rest(d, act, work, open));
}

static hc_act compute(hc_profile *p, uint32_t process, double work, const hc_chosen *law, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  uint32_t at;
  if (!is_process(p, process)) return HC_NO_ACT;
  if (d->running[p->running].is_one && p->processes > 1) {
    (void)hc_doings_fail(d, p->running, HC_EINPUT,
                         "its profile says that it treats processes alike (is_uniform), and computes on one");
    return HC_NO_ACT;
  }
  at = start(p, HC_DOING_COMPUTE, tag);
  const hc_act name = hc_act_name(d, at);
  if (at == HC_NO_ONE) return name;
  if (is_released(d, p->running, process)) hc_doing_end(d, at, HC_ACT_FAILED);
  else
    begin_compute(d, at, hc_place_number(&d->running[p->running], process), stretched(p, process, work, law));
  return name;
}

/* Where processes are not alike, a member for each, under one name. */
static hc_act compute_all(hc_profile *p, double work, const hc_chosen *law, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  uint32_t at;
  if (d->running[p->running].is_one || p->processes == 1) {
    const uint32_t own = d->running[p->running].is_one ? 0 : hc_place_number(&d->running[p->running], 0);
    at = start(p, HC_DOING_COMPUTE, tag);
    if (at != HC_NO_ONE) begin_compute(d, at, own, stretched(p, 0, work, law));
    return hc_act_name(d, at);
  }
  at = start(p, HC_DOING_GROUP, tag);
  if (at == HC_NO_ONE) return HC_NO_ACT;
  const hc_open_act *open;
  if (hc_saves_begins(d, at, &open) == HC_BEGINS_DRY) return hc_act_name(d, at);
  d->acts[at].of = p->processes;
  for (uint32_t i = 0; i < p->processes && d->failed == 0; i++) {
    const uint32_t member = hc_doing_new(d, p->running, HC_NO_ONE, HC_DOING_COMPUTE, d->saves ? i : 0);
    if (member == HC_NO_ONE) break;
    d->acts[member].of = at;
    if (hc_saves_begins(d, member, &open) == HC_BEGINS_DRY) {
      hc_doing_drop(d, member);
      d->acts[at].of--;
      continue;
    }
    begin_compute(d, member, hc_place_number(&d->running[p->running], i), stretched(p, i, work, law));
  }
  return hc_act_name(d, at);
}

static hc_act call_compute(hc_profile *p, uint32_t process, double work, uint32_t tag)
{
  return compute(p, process, work, NULL, tag);
}

static hc_act call_compute_all(hc_profile *p, double work, uint32_t tag)
{
  return compute_all(p, work, NULL, tag);
}

static hc_act call_compute_by(hc_profile *p, uint32_t process, double work, const hc_chosen *law,
                              uint32_t tag)
{
  return process == HC_EACH_PROCESS ? compute_all(p, work, law, tag) : compute(p, process, work, law, tag);
}

static hc_act flow(hc_profile *p, uint32_t own, uint32_t from, uint32_t to, double bytes, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  const uint32_t at = start(p, HC_DOING_FLOW, tag);
  const hc_act name = hc_act_name(d, at);
  if (at == HC_NO_ONE) return name;
  if (is_released(d, p->running, own)) hc_doing_end(d, at, HC_ACT_FAILED);
  else hc_flow_start(d, at, from, to, bytes);
  return name;
}

static hc_act call_transfer(hc_profile *p, uint32_t from, uint32_t to, double bytes, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  hc_running *r = &d->running[p->running];
  if (!is_process(p, from) || !is_process(p, to)) return HC_NO_ACT;
  if (r->is_one && p->processes > 1) {
    (void)hc_doings_fail(d, p->running, HC_EINPUT,
                         "its profile says that it treats processes alike (is_uniform), and names some");
    return HC_NO_ACT;
  }
  const uint32_t own = is_released(d, p->running, from) ? from : to;
  return flow(p, own, place_of(d, p->running, from)->host, place_of(d, p->running, to)->host, bytes, tag);
}

static hc_act external(hc_profile *p, uint32_t process, uint32_t host, bool is_in, double bytes, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  if (!is_process(p, process)) return HC_NO_ACT;
  const uint32_t own = place_of(d, p->running, process)->host;
  if (own != HC_NO_ONE && host >= d->host_count) {
    (void)hc_doings_fail(d, p->running, HC_EINPUT,
                         "its profile talks to host %u, and the cell's are numbered 0 to %u", host,
                         d->host_count - 1);
    return HC_NO_ACT;
  }
  return flow(p, process, is_in ? host : own, is_in ? own : host, bytes, tag);
}

static hc_act call_receive(hc_profile *p, uint32_t host, uint32_t to, double bytes, uint32_t tag)
{
  return external(p, to, host, true, bytes, tag);
}

static hc_act call_send(hc_profile *p, uint32_t from, uint32_t host, double bytes, uint32_t tag)
{
  return external(p, from, host, false, bytes, tag);
}

static hc_act joint(hc_profile *p, const hc_joint *j, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  const uint32_t at = start(p, HC_DOING_FLOW, tag);
  if (at != HC_NO_ONE) hc_flow_joint(d, at, j);
  return hc_act_name(d, at);
}

static hc_act call_together(hc_profile *p, const double *work, const double *bytes, uint32_t tag)
{
  return joint(p, &(hc_joint){.work = work, .bytes = bytes}, tag);
}

static hc_act call_alike(hc_profile *p, double work, double bytes, uint32_t tag)
{
  return joint(p, &(hc_joint){.each = work, .between = bytes}, tag);
}

static hc_act call_messages(hc_profile *p, hc_message_of of, const void *ctx, uint64_t count, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  if (d->running[p->running].is_one && p->processes > 1) {
    (void)hc_doings_fail(d, p->running, HC_EINPUT,
                         "its profile says that it treats processes alike (is_uniform), and names some");
    return HC_NO_ACT;
  }
  return joint(p, &(hc_joint){.of = of, .ctx = ctx, .count = count}, tag);
}

const char *hc_instance_storage(hc_doings *d, uint32_t instance, const char *name,
                                char (*rooms)[HC_PROFILE_PATH])
{
  const hc_script *s = &d->scripts.items[d->running[d->instances[instance].running].script];
  const uint32_t running = d->instances[instance].running;
  const char *meant = name;
  for (uint32_t act; meant && (act = d->instances[instance].act) != HC_NO_ONE;) {
    instance = d->acts[act].owner;
    const hc_chosen *part = s->parts[d->instances[instance].part];
    const hc_profile_type *type = (const hc_profile_type *)part->type;
    if (!type->storage) continue;
    /* a text may lie in the room that the one before it has filled */
    meant = type->storage(part->options, meant, rooms[meant == rooms[0]]);
  }
  if (name && !meant)
    (void)hc_doings_fail(d, running, HC_ELIMIT,
                         "what its storage_mapping makes of the path %.80s... is longer than %d bytes: map a "
                         "longer part of it, or to a shorter path",
                         name, HC_PROFILE_PATH - 1);
  return meant;
}

/* A storage host by its name. One that was named for a label must be there. */
static uint32_t storage_of(hc_profile *p, const char *label, bool by_name_only)
{
  hc_doings *d = doings_of(p);
  char text[320], rooms[2][HC_PROFILE_PATH];
  const char *name = hc_instance_storage(d, p->instance, label, rooms);
  if (label && !name) return HC_NO_ONE; /* which has been said */
  by_name_only |= name != label;
  for (uint32_t h = 0; name && d->host_names && h < d->host_count; h++)
    if (strcmp(d->host_names[h], name) == 0) return h;
  if (!by_name_only && d->storage_host != HC_NO_ONE) return d->storage_host;
  (void)snprintf(text, sizeof text,
                 "its profile needs the storage host \"%.80s\", and the cell has no host of that name%s: let "
                 "the cell have it, without cores (in cell simgrid: `storage`)",
                 name ? name : "", by_name_only ? "" : ", nor one host alone without cores");
  (void)hc_doings_fail(d, p->running, HC_EUNSUPPORTED, "%s", text);
  return HC_NO_ONE;
}

static hc_act call_exchange(hc_profile *p, const char *storage, double to_each, double from_each,
                            uint32_t tag)
{
  const hc_joint_outside x = {storage_of(p, storage, false), HC_NO_ONE, to_each, from_each};
  return x.storage == HC_NO_ONE ? HC_NO_ACT : joint(p, &(hc_joint){.outside = &x}, tag);
}

static hc_act call_stage(hc_profile *p, const char *from, const char *to, double bytes, uint32_t tag)
{
  const hc_joint_outside x = {storage_of(p, from, true), storage_of(p, to, true), bytes, 0};
  if (x.storage == HC_NO_ONE || x.target == HC_NO_ONE) return HC_NO_ACT;
  return joint(p, &(hc_joint){.outside = &x}, tag);
}

/* A part that stands in options that were copied, where it stands in those of the script. */
static const hc_chosen *original(const hc_profile *p, const hc_chosen *profile)
{
  const hc_doings *d = doings_of(p);
  const hc_script *s = &d->scripts.items[d->running[p->running].script];
  const hc_chosen *own = s->parts[d->instances[p->instance].part];
  const uintptr_t from = (uintptr_t)p->options, at = (uintptr_t)profile;
  if (p->options == own->options || at < from || at >= from + own->type->options_size) return profile;
  return (const hc_chosen *)(const void *)((const char *)own->options + (at - from));
}

/* The parts of a parallel task that several profiles make up. */
typedef struct coupling {
  hc_profile *p;
  const hc_list *profiles;
  hc_joint_outside outside; /* of the part at hand */
} coupling;

static bool joint_of(void *ctx, uint32_t i, hc_joint *out)
{
  coupling *c = ctx;
  hc_doings *d = doings_of(c->p);
  const hc_script *s = &d->scripts.items[d->running[c->p->running].script];
  const hc_chosen *chosen = (const hc_chosen *)c->profiles->items + i;
  const hc_profile_type *type = (const hc_profile_type *)chosen->type;
  const uint32_t part = hc_script_part_of(s, original(c->p, chosen));
  hc_profile_joins x = {0};
  hc_error mine = {0};
  const void *options;
  if (part == HC_NO_SCRIPT || !type->joins) {
    (void)hc_doings_fail(d, c->p->running, HC_EINPUT, "the profile %s cannot be coupled with others",
                         chosen->type->name);
    return false;
  }
  const hc_rc rc = hc_instance_options(d, c->p->running, part, c->p->iteration, &options, &mine);
  if (rc < 0) (void)hc_doings_fail(d, c->p->running, rc, "%s", mine.text[0] ? mine.text : hc_rc_text(rc));
  if (rc < 0) return false;
  type->joins(options, c->p->processes, &x);
  *out = (hc_joint){.work = x.work, .bytes = x.bytes, .each = x.each, .between = x.between};
  if (!x.is_outside) return true;
  c->outside = (hc_joint_outside){storage_of(c->p, x.storage, x.target != NULL), HC_NO_ONE, x.from_storage,
                                  x.to_storage};
  if (x.target) c->outside.target = storage_of(c->p, x.target, true);
  out->outside = &c->outside;
  return c->outside.storage != HC_NO_ONE && (!x.target || c->outside.target != HC_NO_ONE);
}

/* Its own options may lie where those of its parts are filled in: what is needed of them is taken before. */
static hc_act call_coupled(hc_profile *p, const hc_list *profiles, uint32_t tag)
{
  const hc_list own = *profiles;
  coupling c = {.p = p, .profiles = &own};
  const uint32_t at = start(p, HC_DOING_FLOW, tag);
  if (at != HC_NO_ONE) hc_flow_coupled(doings_of(p), at, joint_of, &c, (uint32_t)own.count);
  return hc_act_name(doings_of(p), at);
}

/* One process is named: not where all are treated alike. */
static bool may_name(hc_profile *p, uint32_t process)
{
  hc_doings *d = doings_of(p);
  if (!is_process(p, process)) return false;
  if (!d->running[p->running].is_one || p->processes == 1) return true;
  (void)hc_doings_fail(d, p->running, HC_EINPUT,
                       "its profile says that it treats processes alike (is_uniform), and names one");
  return false;
}

static hc_act call_io(hc_profile *p, uint32_t process, const hc_io *io, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  if (!may_name(p, process)) return HC_NO_ACT;
  const uint32_t at = start(p, HC_DOING_DISK, tag);
  const hc_act name = hc_act_name(d, at);
  if (at == HC_NO_ONE) return name;
  if (is_released(d, p->running, process)) hc_doing_end(d, at, HC_ACT_FAILED);
  else hc_storage_begin(d, at, hc_place_number(&d->running[p->running], process), io);
  return name;
}

static hc_act call_file(hc_profile *p, uint32_t process, const hc_file_io *io, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  char rooms[2][HC_PROFILE_PATH];
  hc_file_io meant = *io;
  if (!may_name(p, process)) return HC_NO_ACT;
  meant.path = hc_instance_storage(d, p->instance, io->path, rooms);
  if (io->path && !meant.path) return HC_NO_ACT;
  const uint32_t at = start(p, HC_DOING_FILE, tag);
  const hc_act name = hc_act_name(d, at);
  if (at == HC_NO_ONE) return name;
  if (is_released(d, p->running, process)) hc_doing_end(d, at, HC_ACT_FAILED);
  else hc_storage_file(d, at, process, &meant);
  return name;
}

static double call_file_size(hc_profile *p, uint32_t process, const char *path)
{
  char rooms[2][HC_PROFILE_PATH];
  if (!may_name(p, process)) return -1;
  const char *meant = hc_instance_storage(doings_of(p), p->instance, path, rooms);
  return path && !meant ? -1 : hc_storage_size(doings_of(p), p->running, process, meant);
}

static hc_act call_read(hc_profile *p, uint32_t process, double bytes, uint32_t tag)
{
  return call_io(p, process, &(hc_io){.bytes = bytes}, tag);
}

static hc_act call_write(hc_profile *p, uint32_t process, double bytes, uint32_t tag)
{
  return call_io(p, process, &(hc_io){.bytes = bytes, .is_write = true}, tag);
}

static bool call_discard(hc_profile *p, uint32_t process, double bytes)
{
  if (hc_saver_of(doings_of(p), p->running))
    (void)hc_doings_fail(doings_of(p), p->running, HC_EUNSUPPORTED,
                         "its profile gives back room on disks, which a checkpoint of it does not hold: let "
                         "it discard nothing, or leave out `checkpoint`");
  return may_name(p, process) &&
         hc_storage_discard(doings_of(p), p->running,
                            hc_place_number(&doings_of(p)->running[p->running], process), bytes);
}

static hc_act call_child(hc_profile *p, const hc_chosen *profile, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  const hc_script *s = &d->scripts.items[d->running[p->running].script];
  const uint32_t part = hc_script_part_of(s, original(p, profile));
  uint32_t at, instance;
  if (part == HC_NO_SCRIPT) {
    (void)hc_doings_fail(d, p->running, HC_EINPUT,
                         "its profile starts another that is none of its own parameters of kind profile");
    return HC_NO_ACT;
  }
  at = start(p, HC_DOING_CHILD, tag);
  if (at == HC_NO_ONE) return HC_NO_ACT;
  instance = hc_instance_new(d, p->running, at, part, p->iteration);
  if (instance != HC_NO_ONE) d->acts[at].of = instance;
  return hc_act_name(d, at);
}

/* The place of an activity of this instance that still goes on. */
static uint32_t find(const hc_profile *p, hc_act act)
{
  const hc_doings *d = doings_of(p);
  const uint64_t at = (act & UINT32_MAX) - 1;
  if (act == HC_NO_ACT || at >= d->act_count) return HC_NO_ONE;
  const hc_doing *x = &d->acts[at];
  return x->owner == p->instance && (uint32_t)x->born == act >> 32 && x->kind != HC_DOING_NOTHING
             ? (uint32_t)at
             : HC_NO_ONE;
}

static void call_cancel(hc_profile *p, hc_act act)
{
  const uint32_t at = find(p, act);
  if (at == HC_NO_ONE) return;
  hc_doing_drop(doings_of(p), at);
  p->active--;
}

static void call_keeps_busy(hc_profile *p, hc_act act, double share)
{
  hc_doings *d = doings_of(p);
  const uint32_t at = d->measure ? find(p, act) : HC_NO_ONE;
  const hc_open_act *open;
  if (at != HC_NO_ONE && hc_saves_begins(d, at, &open) != HC_BEGINS_DRY) hc_busy_says(d, at, share);
}

/* Does the host of a process have so many? Where hosts are not known it is not looked at. */
static bool has_gpus(hc_profile *p, uint32_t host, double gpus)
{
  hc_doings *d = doings_of(p);
  if (!d->cell || host == HC_NO_ONE) return true;
  const int64_t has = d->cell->classes[d->cell->class_of[host]].capacity[HC_DIM_GPU];
  if (gpus * HC_DEVICE <= (double)has) return true;
  (void)hc_doings_fail(d, p->running, HC_EINPUT, "its profile computes on %g GPUs of host %s, which has %g",
                       gpus, d->host_names ? d->host_names[host] : "", (double)has / HC_DEVICE);
  return false;
}

static bool has_gpu_speed(hc_profile *p, double gpus)
{
  hc_doings *d = doings_of(p);
  if (gpus > 0 && d->gpu_speed > 0) return true;
  (void)hc_doings_fail(d, p->running, HC_EINPUT,
                       d->gpu_speed > 0
                           ? "its profile computes on %g GPUs: say how many each process has (gpus)"
                           : "its profile computes on %g GPUs: say how fast they are "
                             "(execution.gpu_speed)",
                       gpus);
  return false;
}

/* A computation on GPUs is over when they have done its work at their own speed, of which nothing else has a
 * part. */
static hc_act call_gpus(hc_profile *p, uint32_t process, double gpus, double work, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  if (!is_process(p, process) || !has_gpu_speed(p, gpus)) return HC_NO_ACT;
  if (!has_gpus(p, place_of(d, p->running, process)->host, gpus)) return HC_NO_ACT;
  const double length = work / (gpus * d->gpu_speed);
  const uint32_t at = start(p, HC_DOING_GPUS, tag), place = hc_place_number(&d->running[p->running], process);
  const hc_act name = hc_act_name(d, at);
  const hc_open_act *open;
  const hc_begins how = hc_saves_begins(d, at, &open);
  if (at == HC_NO_ONE) return name;
  d->acts[at].meter = place;
  if (is_released(d, p->running, process)) hc_doing_end(d, at, HC_ACT_FAILED);
  else if (how != HC_BEGINS_DRY) {
    const hc_time all = length < 9e18 ? (hc_time)(length + 0.999) : HC_NEVER;
    hc_doing_time(d, at, how == HC_BEGINS_REST ? open->time : all);
    if (d->measure) hc_measure_gpus(d, at, gpus);
  }
  return name;
}

/* What it reads and writes, and its GPUs do, ends as cancelled. Members stand before what they are members
 * of, so that `next` is none of those that go with it. */
static void stop_io(hc_doings *d, const hc_running *r, uint32_t process)
{
  for (uint32_t at = r->acts, next; at != HC_NO_ONE; at = next) {
    next = d->acts[at].after;
    const hc_doing *x = &d->acts[at];
    const bool is_io = x->kind == HC_DOING_DISK || x->kind == HC_DOING_FILE || x->kind == HC_DOING_SPREAD ||
                       x->kind == HC_DOING_GPUS;
    if (is_io && x->meter == process && x->spread == HC_NO_ONE) hc_doing_end(d, at, HC_ACT_CANCELLED);
  }
}

/* Its computations end as cancelled; a flow has two ends, of which the network knows, and goes on. */
static void call_release(hc_profile *p, uint32_t process)
{
  hc_doings *d = doings_of(p);
  hc_running *r = &d->running[p->running];
  if (!is_process(p, process)) return;
  if (r->is_one && p->processes > 1) {
    (void)hc_doings_fail(d, p->running, HC_EINPUT,
                         "its profile says that it treats processes alike (is_uniform), and releases one");
    return;
  }
  if (r->executors) {
    (void)hc_doings_fail(
        d, p->running, HC_EUNSUPPORTED,
        "its profile releases a process, and its executors share hosts: leave out `executors`");
    return;
  }
  hc_place_of(r, process)->is_released = true;
  hc_meter *l = hc_meter_of(r, process);
  while (l->first != HC_NO_ONE) hc_doing_end(d, l->first, HC_ACT_CANCELLED);
  stop_io(d, r, process);
}

static void call_within(hc_profile *p, hc_time time)
{
  hc_doings *d = doings_of(p);
  const uint32_t at = hc_doing_new(d, p->running, p->instance, HC_DOING_TIMEOUT, 0);
  const hc_open_act *open;
  const hc_begins how = hc_saves_begins(d, at, &open);
  if (at == HC_NO_ONE) return;
  if (how != HC_BEGINS_DRY) hc_doing_time(d, at, how == HC_BEGINS_REST ? open->time : time);
  d->instances[p->instance].timer = at;
}

static hc_time call_now(const hc_profile *p)
{
  return doings_of(p)->now;
}

static void call_fail(hc_profile *p, hc_rc rc, const char *text)
{
  (void)hc_doings_fail(doings_of(p), p->running, rc < 0 ? rc : HC_EINPUT, "%s", text);
}

static hc_act call_point(hc_profile *p, int64_t wants, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  const uint32_t at = start(p, HC_DOING_POINT, tag);
  const hc_act name = hc_act_name(d, at);
  const hc_open_act *open;
  if (at != HC_NO_ONE && hc_saves_begins(d, at, &open) == HC_BEGINS) hc_doings_at_point(d, at, wants);
  return name;
}

static uint32_t call_kept(const hc_profile *p)
{
  return doings_of(p)->running[p->running].kept;
}

static void call_only_from(hc_profile *p, uint32_t process)
{
  hc_running *r = &doings_of(p)->running[p->running];
  HC_ASSERT(process < r->place_count);
  r->first = process;
  hc_doings_see_hosts(r);
}

static hc_act call_joined(hc_profile *p, double (*work)(const void *ctx, uint32_t process), hc_message_of of,
                          const void *ctx, uint64_t count, uint32_t tag)
{
  hc_doings *d = doings_of(p);
  double *each = NULL;
  hc_act act;
  if (!may_name(p, 0)) return HC_NO_ACT;
  if (work && !(each = hc_alloc(d->allocator, p->processes * sizeof *each))) {
    (void)hc_doings_fail(d, p->running, HC_ENOMEM, "no room for the work of a parallel task");
    return HC_NO_ACT;
  }
  for (uint32_t i = 0; each && i < p->processes; i++) each[i] = work(ctx, i);
  act = joint(p, &(hc_joint){.work = each, .of = of, .ctx = ctx, .count = count}, tag);
  hc_free(d->allocator, each, p->processes * sizeof *each);
  return act;
}

static void call_wait(hc_profile *p, bool all)
{
  if (!p->fiber) {
    (void)hc_doings_fail(doings_of(p), p->running, HC_EINPUT,
                         "its profile waits by a call, and has no stack of its own (stack_size)");
    return;
  }
  p->waits_all = all;
  hc_fiber_wait(p);
}

static const hc_profile_calls calls = {.size = sizeof calls,
                                       .abi = HC_ABI,
                                       .sleep = call_sleep,
                                       .compute = call_compute,
                                       .compute_all = call_compute_all,
                                       .transfer = call_transfer,
                                       .receive = call_receive,
                                       .send = call_send,
                                       .together = call_together,
                                       .alike = call_alike,
                                       .read = call_read,
                                       .write = call_write,
                                       .child = call_child,
                                       .cancel = call_cancel,
                                       .release = call_release,
                                       .within = call_within,
                                       .now = call_now,
                                       .fail = call_fail,
                                       .io = call_io,
                                       .discard = call_discard,
                                       .exchange = call_exchange,
                                       .stage = call_stage,
                                       .compute_by = call_compute_by,
                                       .messages = call_messages,
                                       .file = call_file,
                                       .file_size = call_file_size,
                                       .wait = call_wait,
                                       .coupled = call_coupled,
                                       .keeps_busy = call_keeps_busy,
                                       .point = call_point,
                                       .kept = call_kept,
                                       .only_from = call_only_from,
                                       .joined = call_joined,
                                       .gpus = call_gpus};

/* ---- they go on ---- */

/* It is over: the instance above is told, or the task has ended. */
static void ended(hc_doings *d, uint32_t instance, bool is_ok)
{
  const hc_instance i = d->instances[instance];
  if (d->measure && is_ok) hc_labelled_over(d, instance);
  hc_instance_drop(d, instance);
  if (i.act != HC_NO_ONE) {
    d->acts[i.act].of = HC_NO_ONE;
    hc_doing_end(d, i.act, is_ok ? HC_ACT_OK : HC_ACT_FAILED);
    return;
  }
  d->running[i.running].root = HC_NO_ONE;
  (void)hc_doings_over(d, i.running, is_ok ? HC_ENDED_DONE : HC_ENDED_FAILED);
}

/* Options with expressions, of its own: what it has of them on its stack must stay where it is. */
static hc_rc own_options(hc_doings *d, uint32_t instance, hc_fiber *f, const void **options, hc_error *e)
{
  const hc_instance *i = &d->instances[instance];
  const hc_running *r = &d->running[i->running];
  const hc_script *s = &d->scripts.items[r->script];
  const hc_script_expr *exprs = s->exprs + s->first_expr[i->part];
  *options = hc_fiber_room(f);
  return hc_expressions_fill(s->parts[i->part], exprs, s->first_expr[i->part + 1] - s->first_expr[i->part],
                             r->values, hc_fiber_room(f), e);
}

/* One with a stack goes on where it waits; it gets its stack when it begins. */
static hc_rc call_on_stack(hc_doings *d, uint32_t instance, const hc_profile_type *type, hc_profile *p,
                           hc_error *e)
{
  const hc_instance *i = &d->instances[instance];
  const hc_script *s = &d->scripts.items[d->running[i->running].script];
  const bool own = p->options != s->parts[i->part]->options;
  const uint32_t *first = s->first_expr;
  const size_t was = d->fiber_cap;
  TRY(hc_reserve(d->allocator, (void **)&d->fibers, &d->fiber_cap, (size_t)instance + 1, sizeof(hc_fiber *)));
  for (size_t k = was; k < d->fiber_cap; k++) d->fibers[k] = NULL;
  if (!d->fibers[instance]) {
    const size_t room = own ? hc_expressions_room(s->parts[i->part], s->exprs + first[i->part],
                                                  first[i->part + 1] - first[i->part])
                            : 0;
    TRY(hc_fiber_new(d->allocator, type, room, &d->fibers[instance]));
    d->fiber_count++;
    if (own) TRY(own_options(d, instance, d->fibers[instance], &p->options, e));
  }
  if (own) p->options = hc_fiber_room(d->fibers[instance]);
  return hc_fiber_resume(d->fibers[instance], p);
}

hc_rc hc_doings_may_save(const hc_doings *d, hc_error *e)
{
  if (d->fiber_count == 0) return 0;
  for (size_t i = 0; i < d->fiber_cap; i++) {
    if (!d->fibers[i]) continue;
    const hc_running *r = &d->running[d->instances[i].running];
    return hc_fail(e, HC_EUNSUPPORTED, "execution", 0, 0,
                   "the profile %s of task %lld has a stack of its own, of which there is no copy: "
                   "a "
                   "run cannot be saved, forked or branched while such a one goes on; without one it can",
                   d->scripts.items[r->script].parts[d->instances[i].part]->type->name, (long long)r->id);
  }
  return 0;
}

/* Call its function, with a copy of what it remembers: the pools may grow under it. */
static void call(hc_doings *d, uint32_t instance, const hc_ready *x)
{
  hc_instance *i = &d->instances[instance];
  const hc_running *r = &d->running[i->running];
  const hc_chosen *part = d->scripts.items[r->script].parts[i->part];
  const hc_profile_type *type = (const hc_profile_type *)part->type;
  uint64_t state[HC_PROFILE_STATE / sizeof(uint64_t)];
  hc_profile p = {.calls = &calls,
                  .state = state,
                  .processes = hc_process_count(r),
                  .active = i->active,
                  .failures = i->failures,
                  .timed_out = x->how == HC_ACT_TIMED_OUT,
                  .line = i->line,
                  .model = d,
                  .instance = instance,
                  .running = i->running,
                  .iteration = i->iteration};
  hc_error mine = {0};
  p.ended.act = x->act;
  p.ended.tag = x->tag;
  p.ended.how = (hc_act_end)x->how;
  memcpy(state, i->state, sizeof state);
  hc_rc rc = hc_instance_options(d, i->running, i->part, i->iteration, &p.options, &mine);
  if (rc < 0) {
    (void)hc_doings_fail(d, p.running, rc, "%s", mine.text[0] ? mine.text : hc_rc_text(rc));
    return;
  }
  rc = type->stack_size > 0 ? call_on_stack(d, instance, type, &p, &mine) : type->resume(&p);
  if (rc < 0) (void)hc_doings_fail(d, p.running, rc, "the profile %s: %s", part->type->name, hc_rc_text(rc));
  if (d->failed < 0) return;
  d->instances[instance].active = p.active;
  if (rc != HC_PROFILE_WAITS) {
    ended(d, instance, rc == HC_PROFILE_OK);
    return;
  }
  i = &d->instances[instance];
  memcpy(i->state, state, sizeof state);
  i->line = p.line;
  i->active = p.active;
  i->failures = p.failures;
  i->waits_all = p.waits_all;
  if (p.active == 0 && i->timer == HC_NO_ONE)
    (void)hc_doings_fail(d, p.running, HC_EINPUT, "the profile %s waits and has started nothing",
                         part->type->name);
}

static void tell(hc_doings *d, const hc_ready *x)
{
  hc_instance *i = &d->instances[x->instance];
  if (i->born != x->born) return; /* it has ended meanwhile */
  if (d->saves) hc_saves_log(d, x);
  if (!x->begins && x->how != HC_ACT_TIMED_OUT) {
    i->active--;
    i->failures += x->how != HC_ACT_OK;
    if (i->waits_all && i->active > 0) return;
  }
  if (i->timer != HC_NO_ONE) hc_doing_drop(d, i->timer);
  d->instances[x->instance].timer = HC_NO_ONE;
  call(d, x->instance, x);
}

hc_rc hc_instances_go_on(hc_doings *d)
{
  do {
    while (d->ready_count > 0 && d->failed == 0) {
      const hc_ready x = d->ready[d->ready_first];
      d->ready_first = (d->ready_first + 1) % d->ready_cap;
      d->ready_count--;
      tell(d, &x);
    }
  } while (d->failed == 0 && hc_saves_replay(d));
  return d->failed;
}
