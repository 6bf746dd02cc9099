/* storage.c -- what running tasks read and write.
 *
 * What there is is stores.c's; how disks are shared is disk.c's, how links are the fluid's. Here a read or a
 * write is an activity of a task: it fails at once where there is no room, stands still with its task, and
 * is stopped with it.
 *
 * On one disk that is reached without the network it is one operation of that disk. Otherwise it is
 * *spread*: an activity with members, for each of its disks an operation of its share of the bytes and,
 * where another host has the disk, a flow of as many between that host and the process's. All begin at once,
 * as data that go through both, and it ends with the last; one that fails ends all. So it takes, alone, what
 * the slowest of its disks and links takes. Of a *wide* store the disks are those of the task's hosts, each
 * host's own. Of a store of one rate the two are one activity of the fluid in
 * which flows are, which takes of the disk and of the links at the same time, so that neither gives it more
 * than the other lets through.
 *
 * What a task has written and is no file is *leased*: a place remembers how much on which disk, so that this
 * can be cleared at its end. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "execution/filesystem.h"
#include "execution/measure.h"
#include "execution/saves.h"

/* ---- leases ---- */

static hc_place *place_of(hc_doings *d, const hc_doing *x)
{
  return hc_place_of(&d->running[x->running], x->meter);
}

/* @return that of a disk; NULL: there is none */
static hc_lease *lease_of(hc_doings *d, const hc_place *p, uint32_t disk)
{
  hc_storage *s = &d->storage;
  for (uint32_t at = p->leases; at != HC_NO_ONE; at = s->leases[at].next)
    if (s->leases[at].disk == disk) return &s->leases[at];
  return NULL;
}

/* @return false: out of memory, which has been said */
static bool lease(hc_doings *d, hc_place *p, uint32_t disk, double bytes, uint32_t is_kept)
{
  hc_storage *s = &d->storage;
  hc_lease *has = lease_of(d, p, disk);
  uint32_t at = s->vacant_lease;
  if (has) {
    has->bytes += bytes;
    return true;
  }
  if (at != HC_NO_ONE) s->vacant_lease = s->leases[at].next;
  else if (hc_reserve(d->allocator, (void **)&s->leases, &s->lease_cap, s->lease_count + 1,
                      sizeof *s->leases) < 0) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for what a task has written");
    return false;
  } else at = (uint32_t)s->lease_count++;
  s->leases[at] = (hc_lease){.bytes = bytes, .disk = disk, .next = p->leases, .is_kept = is_kept};
  p->leases = at;
  return true;
}

static void clear(hc_doings *d, hc_lease *l, double bytes)
{
  const double used = hc_disk_used(d->storage.disks, l->disk);
  (void)hc_disk_clear(d->storage.disks, l->disk, HC_MIN(bytes, used));
  l->bytes -= bytes;
}

/* What it has written on each of its hosts, where disks keep that no longer than the task. */
void hc_storage_leave(hc_doings *d, uint32_t running)
{
  hc_running *r = &d->running[running];
  hc_storage *s = &d->storage;
  const uint32_t places = r->places ? r->place_count : 1;
  if (!s->disks) return;
  for (uint32_t i = 0; i < places; i++) {
    hc_place *p = hc_place_of(r, i);
    while (p->leases != HC_NO_ONE) {
      const uint32_t at = p->leases;
      hc_lease *l = &s->leases[at];
      p->leases = l->next;
      if (!l->is_kept && l->bytes > 0) clear(d, l, l->bytes);
      *l = (hc_lease){.next = s->vacant_lease};
      s->vacant_lease = at;
    }
  }
}

/* ---- what a process reads from and writes to ---- */

/* @param path NULL: what has none @return HC_NO_ONE: there is nothing, and why has been said */
static uint32_t find_store(hc_doings *d, uint32_t running, uint32_t process, const char *path)
{
  const hc_place *p = hc_place_of(&d->running[running], process);
  const uint32_t store =
      p->host != HC_NO_ONE && d->storage.of ? hc_storage_find(&d->storage, p->host, path) : HC_NO_ONE;
  if (store != HC_NO_ONE) return store;
  if (p->host == HC_NO_ONE)
    (void)hc_doings_fail(d, running, HC_EUNSUPPORTED,
                         "its profile reads or writes, and a cell that counts processors has no disks: take "
                         "a cell of hosts, and say under execution.disks which they have");
  else if (path)
    (void)hc_doings_fail(d, running, HC_EUNSUPPORTED,
                         "its profile reads or writes %.80s on process %u, and nothing that its host, number "
                         "%u, has is mounted there: say under execution.disks what is (`mount`)",
                         path, process, p->host);
  else
    (void)hc_doings_fail(
        d, running, HC_EUNSUPPORTED,
        "its profile reads or writes on process %u, whose host, number %u, has no disk: say under "
        "execution.disks which it has",
        process, p->host);
  return HC_NO_ONE;
}

/* Where bytes of an operation lie: on a disk for each of its stripes, from disk `first` of its store on; of a
 * wide store on that of each host of its task. */
typedef struct stripes {
  hc_doings *d;
  const hc_shelf *x;
  uint32_t running, first, count;
} stripes;

static stripes stripes_from(hc_doings *d, const hc_shelf *x, uint32_t running, uint32_t first)
{
  return (stripes){d, x, running, first, x->is_wide ? d->running[running].place_count : x->stripes};
}

/* Of what is no file: task by task and process by process from the next disk on. */
static stripes stripes_of(hc_doings *d, const hc_shelf *x, uint32_t running, uint32_t process)
{
  const uint64_t turn = d->running[running].serial + process;
  return stripes_from(d, x, running, x->count == 1 ? 0 : (uint32_t)(turn % x->count));
}

/* @return its place in storage.parts; HC_NO_ONE: that host has none */
static uint32_t part_of(const stripes *s, uint32_t i)
{
  if (!s->x->is_wide) return s->x->first + (s->first + i) % s->x->count;
  return hc_storage_alike(&s->d->storage, hc_place_of(&s->d->running[s->running], i)->host, s->x);
}

/* Is it one operation of one disk, or spread? */
static bool is_single(const stripes *s, const hc_place *p)
{
  const uint32_t host = s->d->storage.parts[part_of(s, 0)].host;
  return s->count == 1 && (host == HC_NO_ONE || host == p->host);
}

/* @return false: some host of the task has no such disk, which has been said */
static bool all_have(const stripes *s)
{
  hc_running *r = &s->d->running[s->running];
  for (uint32_t i = 0; s->x->is_wide && i < s->count; i++) {
    if (part_of(s, i) != HC_NO_ONE) continue;
    (void)hc_doings_fail(s->d, s->running, HC_EUNSUPPORTED,
                         "its profile reads or writes the disks of all of its hosts (`wide`), and number %u "
                         "has none there: say under execution.disks which it has",
                         hc_place_of(r, i)->host);
    return false;
  }
  return true;
}

/* ---- an operation of one disk ---- */

static void measure_operation(hc_doings *d, uint32_t act, bool is_sent)
{
  hc_disk_situation x = {0};
  if (hc_disk_look(d->storage.disks, d->now, d->acts[act].of, &x) < 0) return;
  hc_measure_act(d, act,
                 &(hc_measured_act){.work = x.bytes,
                                    .bytes = x.bytes,
                                    .kinds = HC_DOES_DISK | (is_sent ? HC_DOES_NETWORK : 0u),
                                    .way = x.way == HC_DISK_WRITE ? HC_BYTES_WRITTEN : HC_BYTES_READ});
}

/* It has begun: `act` is it. @param is_sent over links too @return false: it has failed, or the run has */
static bool begun(hc_doings *d, uint32_t act, hc_rc rc, uint32_t op, uint32_t disk, bool is_sent)
{
  if (rc < 0) {
    (void)hc_doings_fail(d, d->acts[act].running, rc, "what it reads or writes cannot begin: %s",
                         hc_rc_text(rc));
    return false;
  }
  if (rc == 0) {
    hc_doing_end(d, act, HC_ACT_FAILED);
    return false;
  }
  d->acts[act].of = op;
  d->acts[act].disk = disk;
  if (d->measure) measure_operation(d, act, is_sent);
  return true;
}

static hc_disk_request request_of(const hc_doings *d, uint32_t act, double bytes, double factor,
                                  bool is_write)
{
  return (hc_disk_request){.bytes = bytes,
                           .factor = factor,
                           .tag = act,
                           .serial = d->acts[act].born,
                           .way = is_write ? HC_DISK_WRITE : HC_DISK_READ};
}

/* @param part  in storage.parts, here and below */
static bool is_far(const hc_doings *d, uint32_t act, uint32_t part)
{
  const uint32_t host = d->storage.parts[part].host;
  return host != HC_NO_ONE &&
         host != hc_place_of(&d->running[d->acts[act].running], d->acts[act].meter)->host;
}

/* The links to the disk, where it goes on at one rate with them. @return false: why has been said */
static bool add_links(hc_doings *d, uint32_t act, const hc_shelf *x, uint32_t part, hc_disk_request *r)
{
  const hc_shelf_disk on = d->storage.parts[part];
  const uint32_t own = place_of(d, &d->acts[act])->host;
  if (!x->is_one_rate || !is_far(d, act, part) || !(r->bytes > 0)) return true;
  const bool is_write = r->way == HC_DISK_WRITE;
  return hc_flow_with_disk(d, d->acts[act].running, is_write ? own : on.host, is_write ? on.host : own,
                           on.disk, r);
}

/* Bytes on a disk of a store, which are no file's. @return as begun */
static bool begin_on(hc_doings *d, uint32_t act, const hc_shelf *x, uint32_t part, const hc_io *io)
{
  const uint32_t disk = d->storage.parts[part].disk;
  hc_disk_request r = request_of(d, act, io->bytes, io->factor, io->is_write);
  uint32_t op = 0;
  if (!add_links(d, act, x, part, &r)) return false;
  const hc_rc rc = hc_disk_begin(d->storage.disks, d->now, disk, &r, &op);
  if (!begun(d, act, rc, op, disk, r.uses != NULL)) return false;
  if (d->saves && hc_saves_owns(d, act)) return true; /* its room is given back at its end */
  return !io->is_write || lease(d, place_of(d, &d->acts[act]), disk, io->bytes, x->is_kept);
}

/* The same of a file's object there. @param path [HC_STORAGE_PATH] of the object */
static bool begin_object(hc_doings *d, uint32_t act, const hc_shelf *x, uint32_t part, const char *path,
                         const hc_io *io)
{
  const uint32_t disk = d->storage.parts[part].disk;
  hc_disk_request r = request_of(d, act, io->bytes, io->factor, io->is_write);
  uint32_t op = 0;
  if (!add_links(d, act, x, part, &r)) return false;
  int rc = io->is_write ? hc_filesystem_create(d->storage.files, path) : HC_FILE_OK;
  if (rc == HC_FILE_EXISTS || rc == HC_FILE_OK)
    rc = hc_filesystem_begin(d->storage.files, d->now, path, &r, &op);
  return begun(d, act, rc < 0 ? rc : rc == HC_FILE_OK, op, disk, r.uses != NULL);
}

/* ---- spread ---- */

/* A member of a spread: an operation of a disk, or a flow. @return HC_NO_ONE: why has been said */
static uint32_t member(hc_doings *d, uint32_t act, hc_doing_kind kind)
{
  const hc_doing x = d->acts[act];
  const uint32_t at = hc_doing_new(d, x.running, HC_NO_ONE, kind, 0);
  if (at == HC_NO_ONE) return at;
  d->acts[at].meter = x.meter;
  hc_doing_member(d, at, act);
  d->acts[act].of++;
  return at;
}

/* The bytes of one disk on their way, where another host has it. */
static bool begin_flow(hc_doings *d, uint32_t act, const hc_shelf *x, uint32_t part, const hc_io *io)
{
  const uint32_t own = place_of(d, &d->acts[act])->host, host = d->storage.parts[part].host;
  if (x->is_one_rate || !is_far(d, act, part) || !(io->bytes > 0)) return true;
  const uint32_t at = member(d, act, HC_DOING_FLOW);
  if (at != HC_NO_ONE) hc_flow_start(d, at, io->is_write ? own : host, io->is_write ? host : own, io->bytes);
  return d->failed == 0;
}

/* Is there room for a share on each disk? A read that finds none fails too. */
static bool finds_room(const stripes *s, const hc_io *io)
{
  const hc_disks *disks = s->d->storage.disks;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t disk = s->d->storage.parts[part_of(s, i)].disk;
    const double room = hc_disk_capacity(disks, disk);
    if (io->bytes > (io->is_write ? room - hc_disk_used(disks, disk) : room)) return false;
  }
  return true;
}

/* Stripe by stripe, once it is known that none will fail. @param io of one stripe @param path NULL: no file
 * */
static void spread(hc_doings *d, uint32_t act, const stripes *s, const hc_io *io, const char *path)
{
  const hc_shelf x = *s->x;
  char room[HC_STORAGE_PATH];
  d->acts[act].kind = HC_DOING_SPREAD;
  d->acts[act].of = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t part = part_of(s, i);
    hc_io own = *io;
    const uint32_t at = member(d, act, path ? HC_DOING_FILE : HC_DOING_DISK);
    if (at == HC_NO_ONE) return;
    if (path) (void)hc_storage_path(&d->storage, &x, part, path, room);
    if (path && !io->is_write) { /* of an uneven file what there is */
      double size = 0;
      (void)hc_filesystem_size(d->storage.files, room, &size);
      if (io->bytes < 0 || own.bytes > size) own.bytes = size;
    }
    if (!(path ? begin_object(d, at, &x, part, room, &own) : begin_on(d, at, &x, part, &own))) return;
    if (!begin_flow(d, act, &x, part, &own)) return;
  }
}

/* ---- without a path ---- */

static void begin_store(hc_doings *d, uint32_t act, uint32_t process, uint32_t store, const hc_io *io)
{
  const hc_shelf *x = &d->storage.stores[store];
  const stripes s = stripes_of(d, x, d->acts[act].running, process);
  hc_io part = *io;
  d->acts[act].meter = process;
  d->acts[act].kind = HC_DOING_DISK;
  if (!all_have(&s)) return;
  if (is_single(&s, place_of(d, &d->acts[act]))) {
    (void)begin_on(d, act, x, part_of(&s, 0), io);
    return;
  }
  part.bytes /= s.count;
  if (finds_room(&s, &part)) spread(d, act, &s, &part, NULL);
  else hc_doing_end(d, act, HC_ACT_FAILED);
}

void hc_storage_begin(hc_doings *d, uint32_t act, uint32_t process, const hc_io *io)
{
  const hc_open_act *open;
  if (hc_saves_begins(d, act, &open) == HC_BEGINS_DRY) return;
  const uint32_t store = find_store(d, d->acts[act].running, process, NULL);
  if (store != HC_NO_ONE) begin_store(d, act, process, store, io);
}

/* ---- checkpoints ---- */

void hc_storage_save(hc_doings *d, uint32_t act, uint32_t place, const char *path, double bytes,
                     bool is_write)
{
  const hc_io io = {.bytes = bytes, .is_write = is_write};
  const uint32_t store = find_store(d, d->acts[act].running, place, path);
  if (store != HC_NO_ONE) begin_store(d, act, place, store, &io);
}

/* Bytes of process `i`, added up by disk and by link. @param slowest out: s of its longest latency
 * @return 0, HC_EUNSUPPORTED: no way leads to a disk; 1: one of its hosts has none of a wide store */
static hc_rc add_process(hc_doings *d, const hc_shelf *x, const hc_activity *a, size_t i, double bytes,
                         double *disks, double *slowest)
{
  const uint32_t host = a->processes[i].host, parts = x->is_wide ? (uint32_t)a->process_count : x->stripes;
  const uint32_t first = x->count == 1 ? 0 : (uint32_t)((a->serial + i) % x->count);
  hc_flows *f = &d->flows;
  for (uint32_t k = 0; k < parts; k++) {
    const uint32_t part = x->is_wide ? hc_storage_alike(&d->storage, a->processes[k].host, x)
                                     : x->first + (first + k) % x->count;
    if (part == HC_NO_ONE) return 1;
    const hc_shelf_disk on = d->storage.parts[part];
    hc_route route;
    disks[on.disk] += bytes / parts;
    if (on.host == HC_NO_ONE || on.host == host) continue;
    if (!f->network.type || hc_network_route_of(&f->network, host, on.host, f->links, &route) < 0)
      return HC_EUNSUPPORTED;
    for (uint32_t l = 0; l < route.count; l++)
      f->weights[f->links[l]] += bytes / parts / f->network.facts.rules.bandwidth_factor;
    *slowest = HC_MAX(*slowest, route.delay);
  }
  return 0;
}

/* What the disk, or the link, that takes longest does; leaves the sums of links at 0. */
static double longest(hc_doings *d, const double *disks)
{
  const hc_network_of_run *n = &d->flows.network;
  double most = 0;
  for (uint32_t i = 0; i < hc_disks_count(d->storage.disks); i++)
    most = HC_MAX(most, disks[i] / hc_disk_bandwidth(d->storage.disks, i, HC_DISK_WRITE));
  for (uint32_t id = 0; n->type && id < n->facts.links; id++) {
    hc_link link;
    if (!(d->flows.weights[id] > 0)) continue;
    n->type->link(n->self, id, &link);
    if (link.sharing == HC_LINK_SHARED) most = HC_MAX(most, d->flows.weights[id] / link.bandwidth);
    d->flows.weights[id] = 0;
  }
  return most;
}

hc_rc hc_storage_takes(hc_doings *d, const hc_activity *a, const char *path, double bytes, double *seconds,
                       hc_error *e)
{
  const size_t count = d->storage.disks ? hc_disks_count(d->storage.disks) : 0;
  double *disks, slowest = 0;
  hc_rc rc = 0;
  *seconds = 0;
  if (count == 0 || !a->processes || !d->storage.of)
    return hc_fail(e, HC_EUNSUPPORTED, "checkpoint", 0, 0,
                   "it writes checkpoints to a store, and there is none: say which under execution.disks, "
                   "and have a cell of hosts");
  disks = hc_alloc(d->allocator, count * sizeof *disks);
  if (!disks) return HC_ENOMEM;
  memset(disks, 0, count * sizeof *disks);
  for (size_t i = 0; i < a->process_count && rc == 0; i++) {
    const hc_process *p = &a->processes[i];
    const uint32_t store = hc_storage_find(&d->storage, p->host, path);
    if (store == HC_NO_ONE)
      rc = hc_fail(e, HC_EUNSUPPORTED, "checkpoint", 0, 0,
                   "its host, number %u, has no store %s: say under execution.disks which it has", p->host,
                   path ? path : "without a path (disk)");
    else {
      rc = add_process(d, &d->storage.stores[store], a, i, bytes * p->slots, disks, &slowest);
      if (rc < 0)
        (void)hc_fail(e, rc, "checkpoint", 0, 0, "no way leads from its host, number %u, to its store",
                      p->host);
      if (rc > 0)
        rc = hc_fail(e, HC_EUNSUPPORTED, "checkpoint", 0, 0,
                     "its store is on the disks of all of its hosts (`wide`), and some have none there: say "
                     "under execution.disks which they have");
    }
  }
  *seconds = longest(d, disks) + slowest;
  hc_free(d->allocator, disks, count * sizeof *disks);
  return rc;
}

bool hc_storage_discard(hc_doings *d, uint32_t running, uint32_t process, double bytes)
{
  const hc_place *p = hc_place_of(&d->running[running], process);
  const uint32_t store = find_store(d, running, process, NULL);
  double sum = 0;
  if (store == HC_NO_ONE || !(bytes >= 0)) return false;
  stripes s = stripes_from(d, &d->storage.stores[store], running, 0);
  if (!all_have(&s)) return false;
  if (!s.x->is_wide) s.count = s.x->count; /* on any of them */
  for (uint32_t i = 0; i < s.count; i++) {
    const hc_lease *l = lease_of(d, p, d->storage.parts[part_of(&s, i)].disk);
    sum += l ? l->bytes : 0;
  }
  if (bytes > sum) return false;
  for (uint32_t i = 0; i < s.count; i++) {
    hc_lease *l = lease_of(d, p, d->storage.parts[part_of(&s, i)].disk);
    if (l && l->bytes > 0) clear(d, l, l->bytes == sum ? bytes : l->bytes * (bytes / sum));
  }
  return true;
}

/* ---- files ---- */

/* A path with the task and the process in it. @return false: it is none, or too long, which has been said */
static bool written_out(hc_doings *d, uint32_t running, uint32_t process, const char *path, char *room)
{
  const hc_running *r = &d->running[running];
  size_t n = 0;
  for (const char *at = path; path && *at != '\0' && n < HC_STORAGE_PATH;) {
    const bool is_task = strncmp(at, "{task}", 6) == 0, is_process = strncmp(at, "{process}", 9) == 0;
    if (is_task || is_process) {
      n += (size_t)snprintf(room + n, HC_STORAGE_PATH - n, "%" PRId64, is_task ? r->id : (int64_t)process);
      at += is_task ? 6 : 9;
    } else {
      room[n++] = *at++;
    }
  }
  if (path && path[0] == '/' && n < HC_PROFILE_PATH && !strstr(path, "//")) {
    room[n] = '\0';
    return true;
  }
  if (path && n >= HC_PROFILE_PATH)
    (void)hc_doings_fail(
        d, running, HC_ELIMIT,
        "its profile reads or writes %.80s..., which is longer than %d bytes: take a shorter "
        "path",
        path, HC_PROFILE_PATH - 1);
  else
    (void)hc_doings_fail(
        d, running, HC_EINPUT,
        "its profile reads or writes \"%.80s\", which is no path: \"/scratch/result\" is one",
        path ? path : "");
  return false;
}

/* Bytes of all of a file's objects; below 0: there is none. @param least out, of the least of them */
static double size_of(const hc_doings *d, uint32_t store, const char *path, double *least)
{
  const hc_shelf *x = &d->storage.stores[store];
  const uint32_t first = hc_storage_first(&d->storage, store, path);
  char room[HC_STORAGE_PATH];
  double sum = 0;
  for (uint32_t i = 0; i < x->stripes; i++) {
    double bytes;
    if (!hc_storage_path(&d->storage, x, x->first + (first + i) % x->count, path, room)) return -1;
    if (hc_filesystem_size(d->storage.files, room, &bytes) != HC_FILE_OK) return -1;
    *least = i == 0 ? bytes : HC_MIN(*least, bytes);
    sum += bytes;
  }
  return sum;
}

static void delete_file(hc_doings *d, uint32_t act, uint32_t store, const char *path)
{
  const hc_shelf *x = &d->storage.stores[store];
  const uint32_t first = hc_storage_first(&d->storage, store, path);
  char room[HC_STORAGE_PATH];
  double least;
  bool can = size_of(d, store, path, &least) >= 0;
  for (int pass = 0; pass < 2 && can; pass++)
    for (uint32_t i = 0; i < x->stripes && can; i++) {
      (void)hc_storage_path(&d->storage, x, x->first + (first + i) % x->count, path, room);
      if (pass == 0) can = !hc_filesystem_is_busy(d->storage.files, room);
      else (void)hc_filesystem_delete(d->storage.files, room);
    }
  hc_doing_end(d, act, can ? HC_ACT_OK : HC_ACT_FAILED);
}

/* Of sums of shares the last bits may be missing. */
static bool has_bytes(double has, double wants)
{
  return wants <= has * (1 + 1e-12);
}

static void begin_file(hc_doings *d, uint32_t act, uint32_t store, const char *path, const hc_file_io *io)
{
  const hc_shelf *x = &d->storage.stores[store];
  const stripes s = stripes_from(d, x, d->acts[act].running, hc_storage_first(&d->storage, store, path));
  hc_io part = {.bytes = io->bytes < 0 ? -1 : io->bytes / x->stripes,
                .factor = io->factor,
                .is_write = io->does == HC_FILE_WRITES};
  char room[HC_STORAGE_PATH];
  double least = 0;
  bool can = hc_storage_path(&d->storage, x, part_of(&s, 0), path, room);
  if (part.is_write) can = can && part.bytes >= 0 && finds_room(&s, &part);
  else can = can && size_of(d, store, path, &least) >= 0 && (part.bytes < 0 || has_bytes(least, part.bytes));
  if (!can) {
    hc_doing_end(d, act, HC_ACT_FAILED);
    return;
  }
  if (is_single(&s, place_of(d, &d->acts[act]))) {
    if (part.bytes > least && !part.is_write) part.bytes = least;
    (void)begin_object(d, act, x, part_of(&s, 0), room, &part);
  } else {
    spread(d, act, &s, &part, path);
  }
}

/* A file would be on the hosts of one task, and there is no finding it from those of another. */
static bool may_have_files(hc_doings *d, uint32_t running, uint32_t store, const char *path)
{
  if (!d->storage.stores[store].is_wide) return true;
  (void)hc_doings_fail(
      d, running, HC_EUNSUPPORTED,
      "its profile reads or writes the file %.80s, and what lies on the disks of all hosts of "
      "a task (`wide`) has no name: say a path that ends with a slash, and how many bytes",
      path);
  return false;
}

void hc_storage_file(hc_doings *d, uint32_t act, uint32_t process, const hc_file_io *io)
{
  const uint32_t running = d->acts[act].running;
  char path[HC_STORAGE_PATH];
  const uint32_t place = hc_place_number(&d->running[running], process);
  const hc_open_act *open;
  d->acts[act].meter = place;
  if (hc_saves_begins(d, act, &open) == HC_BEGINS_DRY) return;
  if (!written_out(d, running, process, io->path, path)) return;
  const uint32_t store = find_store(d, running, place, path);
  if (store == HC_NO_ONE) return;
  if (path[strlen(path) - 1] != '/') {
    if (!may_have_files(d, running, store, path)) return;
    if (io->does == HC_FILE_DELETES) delete_file(d, act, store, path);
    else begin_file(d, act, store, path, io);
    return;
  }
  if (io->does == HC_FILE_DELETES || io->bytes < 0) { /* of no file there is no whole */
    hc_doing_end(d, act, HC_ACT_FAILED);
    return;
  }
  const hc_io all = {.bytes = io->bytes, .factor = io->factor, .is_write = io->does == HC_FILE_WRITES};
  begin_store(d, act, place, store, &all);
}

double hc_storage_size(const hc_doings *d, uint32_t running, uint32_t process, const char *path)
{
  hc_doings *with = (hc_doings *)(uintptr_t)d; /* what is wrong is said there */
  char room[HC_STORAGE_PATH];
  double least;
  if (!written_out(with, running, process, path, room)) return -1;
  const uint32_t store = find_store(with, running, hc_place_number(&d->running[running], process), room);
  if (store == HC_NO_ONE || !may_have_files(with, running, store, room)) return -1;
  return size_of(d, store, room, &least);
}

/* ---- while they last ---- */

/* The room of a checkpoint's bytes is free again. */
static void clear_save(hc_doings *d, uint32_t disk, double bytes)
{
  (void)hc_disk_clear(d->storage.disks, disk, HC_MIN(bytes, hc_disk_used(d->storage.disks, disk)));
}

void hc_storage_stop(hc_doings *d, uint32_t act)
{
  const hc_doing *x = &d->acts[act];
  if (x->of == HC_NO_ONE) return; /* it has ended, or never begun */
  const double was = hc_disk_used(d->storage.disks, x->disk);
  double done = 0;
  if (d->measure && hc_disk_done(d->storage.disks, d->now, x->of, &done) == 0)
    hc_measure_stopped(d, act, done);
  const hc_rc rc = x->kind == HC_DOING_FILE ? hc_filesystem_cancel(d->storage.files, d->now, x->of)
                                            : hc_disk_cancel(d->storage.disks, d->now, x->of, &done);
  if (rc < 0) (void)hc_doings_fail(d, x->running, rc, "what it reads or writes cannot be stopped");
  if (d->saves && hc_saves_owns(d, act)) {
    if (hc_saves_writes(d, act)) clear_save(d, x->disk, done);
    return;
  }
  hc_lease *l = x->kind == HC_DOING_DISK ? lease_of(d, place_of(d, x), x->disk) : NULL;
  if (l) l->bytes -= was - hc_disk_used(d->storage.disks, x->disk);
}

void hc_storage_pause(hc_doings *d, uint32_t act, bool is_paused)
{
  if (d->acts[act].of == HC_NO_ONE) return;
  const hc_rc rc = hc_disk_pause(d->storage.disks, d->now, d->acts[act].of, is_paused);
  if (rc < 0)
    (void)hc_doings_fail(d, d->acts[act].running, rc, "what it reads or writes cannot be suspended");
}

/* ---- time, and state ---- */

hc_time hc_storage_next(hc_doings *d)
{
  hc_time at = HC_NEVER;
  if (!d->storage.disks || d->failed < 0) return at;
  const hc_rc rc = hc_disks_next(d->storage.disks, &at);
  if (rc < 0) (void)hc_doings_fail(d, HC_NO_ONE, rc, "no room for the rates of disks");
  return at;
}

static void over(hc_doings *d, const hc_disk_end *end)
{
  d->acts[end->tag].of = HC_NO_ONE;
  if (end->way == HC_DISK_WRITE && d->saves && hc_saves_owns(d, (uint32_t)end->tag))
    clear_save(d, end->disk, end->bytes);
  if (d->acts[end->tag].kind == HC_DOING_FILE) (void)hc_filesystem_ended(d->storage.files, end);
  hc_doing_end(d, (uint32_t)end->tag, HC_ACT_OK);
}

int hc_storage_due(hc_doings *d)
{
  hc_disk_end end;
  if (!d->storage.disks) return 0;
  const hc_rc rc = hc_disks_advance(d->storage.disks, d->now, &end);
  if (rc < 0) (void)hc_doings_fail(d, HC_NO_ONE, rc, "no room for the rates of disks");
  if (rc <= 0) return 0;
  over(d, &end);
  return 1;
}

void hc_storage_told(hc_doings *d, const hc_fluid_end *told)
{
  hc_disk_end end;
  const hc_rc rc = hc_disks_told(d->storage.disks, d->now, told, &end);
  if (rc < 0) (void)hc_doings_fail(d, HC_NO_ONE, rc, "no room for the rates of disks");
  else over(d, &end);
}

hc_rc hc_storage_visit(hc_doings *d, hc_visitor *v)
{
  hc_storage *s = &d->storage;
  if (!s->disks) return 0;
  TRY(hc_disks_visit(s->disks, v));
  HC_VISIT_ARRAY(v, s->leases, s->lease_count, s->lease_cap);
  HC_VISIT(v, s->vacant_lease);
  return s->files ? hc_filesystem_visit(s->files, v) : 0;
}
