/* storage.c -- what running tasks read and write on the disks of their hosts.
 *
 * The run file says which hosts have disks (record/disk.c); how they are shared is disk.c's. Here a read or
 * a write is an activity of a task: it fails at once where there is no room, stands still with its task, and
 * is stopped with it. A place remembers what its task has written, so that this can be cleared at its end. */
#include "execution/measure.h"

#include <inttypes.h>

#include "base/util.h"
#include "cluster/host_find.h"
#include "execution/record.h"

/* ---- what there is ---- */

static hc_rc lane_of(hc_arena *a, int64_t bandwidth, const hc_list *by, int64_t most, hc_disk_lane *out)
{
  const int64_t *items = by->items;
  *out = (hc_disk_lane){.bandwidth = (double)bandwidth, .most = (uint32_t)most};
  if (by->count == 0) return 0;
  double *copy = hc_arena_alloc(a, by->count * sizeof *copy);
  if (!copy) return HC_ENOMEM;
  for (size_t i = 0; i < by->count; i++) copy[i] = (double)items[i];
  out->by = copy;
  out->by_count = by->count;
  return 0;
}

static hc_rc check_bandwidth(size_t entry, const char *word, int64_t bandwidth, const hc_list *by,
                             hc_error *e)
{
  if ((bandwidth > 0) != (by->count > 0)) return 0;
  return hc_fail(e, HC_EUSAGE, "execution.disks", 0, 0,
                 bandwidth > 0 ? "entry %zu: `%s_bandwidth` and `%s_by` say the same: leave one out"
                               : "entry %zu: a disk needs `%s_bandwidth`, or `%s_by`",
                 entry + 1, word, word);
}

static hc_rc facts_of(hc_arena *a, size_t entry, const hc_disk_options *o, hc_disk_facts *out, hc_error *e)
{
  *out = (hc_disk_facts){.capacity = o->capacity > 0 ? (double)o->capacity : HC_DISK_FREE,
                         .most = (uint32_t)o->operations,
                         .order = (hc_disk_order)o->order};
  TRY(check_bandwidth(entry, "read", o->read_bandwidth, &o->read_by, e));
  TRY(check_bandwidth(entry, "write", o->write_bandwidth, &o->write_by, e));
  TRY(lane_of(a, o->read_bandwidth, &o->read_by, o->reads, &out->lanes[HC_DISK_READ]));
  return lane_of(a, o->write_bandwidth, &o->write_by, o->writes, &out->lanes[HC_DISK_WRITE]);
}

/* @param disk of the entry, if it is shared; HC_NO_DISK until there is one */
static hc_rc add_to_host(hc_storage *s, const hc_model_context *c, uint32_t host, const hc_disk_facts *facts,
                         const hc_disk_options *o, uint32_t *disk, hc_error *e)
{
  if (s->of[host].disk != HC_NO_DISK)
    return hc_fail(e, HC_EUSAGE, "execution.disks", 0, 0,
                   "two entries give a disk to the host %.80s, which has one at most", c->host_names[host]);
  if (!o->shared || *disk == HC_NO_DISK) TRY(hc_disks_add(s->disks, facts, disk));
  s->of[host] = (hc_host_disk){*disk, o->kept == HC_DISK_KEPT_ALWAYS};
  return 0;
}

static hc_rc add_entry(hc_storage *s, const hc_model_context *c, hc_host_finder *f, size_t entry,
                       const hc_disk_options *o, hc_error *e)
{
  hc_host_ranges hosts = {0};
  hc_disk_facts facts;
  hc_arena arena;
  uint32_t disk = HC_NO_DISK;
  hc_arena_init(&arena, c->allocator);
  hc_rc rc = facts_of(&arena, entry, o, &facts, e);
  if (rc == 0) rc = hc_host_find_all(f, &o->hosts, "execution.disks", &hosts, e);
  for (size_t i = 0; rc == 0 && i < hosts.count; i++)
    for (uint32_t h = 0; rc == 0 && h < hosts.items[i].count; h++)
      rc = add_to_host(s, c, hosts.items[i].first + h, &facts, o, &disk, e);
  hc_host_ranges_fini(&hosts, c->allocator);
  hc_arena_fini(&arena);
  return rc;
}

hc_rc hc_storage_init(hc_doings *d, const hc_model_context *c, const hc_list *entries, hc_error *e)
{
  hc_storage *s = &d->storage;
  const hc_chosen *items = entries->items;
  hc_host_finder f;
  if (entries->count == 0) return 0;
  if (c->host_count == 0 || !c->cell)
    return hc_fail(
        e, HC_EUNSUPPORTED, "execution.disks", 0, 0,
        "disks are those of hosts, and this cell counts processors: say `cell: {use: hosts, ...}`");
  TRY(hc_disks_new(c->allocator, &s->disks));
  s->of = hc_alloc(c->allocator, c->host_count * sizeof *s->of);
  if (!s->of) return HC_ENOMEM;
  for (uint32_t i = 0; i < c->host_count; i++) s->of[i].disk = HC_NO_DISK;
  hc_rc rc = hc_host_finder_init(&f, c->allocator, c->cell, NULL);
  for (size_t i = 0; rc == 0 && i < entries->count; i++) rc = add_entry(s, c, &f, i, items[i].options, e);
  hc_host_finder_fini(&f);
  return rc;
}

void hc_storage_fini(hc_doings *d)
{
  hc_free(d->allocator, d->storage.of, d->host_count * sizeof *d->storage.of);
  hc_disks_free(d->storage.disks);
}

/* ---- operations ---- */

static uint32_t disk_of(const hc_doings *d, const hc_place *p)
{
  return d->storage.of && p->host != HC_NO_ONE ? d->storage.of[p->host].disk : HC_NO_DISK;
}

static hc_place *place_of(hc_doings *d, const hc_doing *x)
{
  return hc_place_of(&d->running[x->running], x->meter);
}

/* @return HC_NO_DISK: there is none, and why has been said */
static uint32_t find_disk(hc_doings *d, uint32_t running, uint32_t process)
{
  const hc_place *p = hc_place_of(&d->running[running], process);
  const uint32_t disk = disk_of(d, p);
  if (disk != HC_NO_DISK) return disk;
  if (p->host == HC_NO_ONE)
    (void)hc_doings_fail(d, running, HC_EUNSUPPORTED,
                         "its profile reads or writes, and a cell that counts processors has no disks: take "
                         "a cell of hosts, and say under execution.disks which they have");
  else
    (void)hc_doings_fail(
        d, running, HC_EUNSUPPORTED,
        "its profile reads or writes on process %u, whose host, number %u, has no disk: say under "
        "execution.disks which it has",
        process, p->host);
  return HC_NO_DISK;
}

void hc_storage_begin(hc_doings *d, uint32_t act, uint32_t process, const hc_io *io)
{
  hc_doing *x = &d->acts[act];
  const uint32_t disk = find_disk(d, x->running, process);
  const hc_disk_request r = {.bytes = io->bytes,
                             .factor = io->factor,
                             .tag = act,
                             .serial = x->born,
                             .way = io->is_write ? HC_DISK_WRITE : HC_DISK_READ};
  uint32_t op;
  if (disk == HC_NO_DISK) return;
  const hc_rc rc = hc_disk_begin(d->storage.disks, d->now, disk, &r, &op);
  if (rc < 0) {
    (void)hc_doings_fail(d, x->running, rc, "what it reads or writes cannot begin: %s", hc_rc_text(rc));
    return;
  }
  if (rc == 0) {
    hc_doing_end(d, act, HC_ACT_FAILED);
    return;
  }
  x->of = op;
  x->meter = process;
  if (io->is_write) place_of(d, x)->written += io->bytes;
  if (d->measure)
    hc_measure_act(d, act,
                   &(hc_measured_act){.work = io->bytes,
                                      .bytes = io->bytes,
                                      .kinds = HC_DOES_DISK,
                                      .way = io->is_write ? HC_BYTES_WRITTEN : HC_BYTES_READ});
}

bool hc_storage_discard(hc_doings *d, uint32_t running, uint32_t process, double bytes)
{
  hc_place *p = hc_place_of(&d->running[running], process);
  const uint32_t disk = find_disk(d, running, process);
  if (disk == HC_NO_DISK || !(bytes >= 0) || bytes > p->written) return false;
  if (hc_disk_clear(d->storage.disks, disk, bytes) < 0) return false;
  p->written -= bytes;
  return true;
}

void hc_storage_stop(hc_doings *d, uint32_t act)
{
  const hc_doing *x = &d->acts[act];
  if (x->of == HC_NO_ONE) return; /* it has ended, or never begun */
  hc_place *p = place_of(d, x);
  const uint32_t disk = disk_of(d, p);
  const double was = hc_disk_used(d->storage.disks, disk);
  double done = 0;
  const hc_rc rc = hc_disk_cancel(d->storage.disks, d->now, x->of, &done);
  if (d->measure) hc_measure_stopped(d, act, done);
  if (rc < 0) (void)hc_doings_fail(d, x->running, rc, "what it reads or writes cannot be stopped");
  p->written -= was - hc_disk_used(d->storage.disks, disk);
}

void hc_storage_pause(hc_doings *d, uint32_t act, bool is_paused)
{
  if (d->acts[act].of == HC_NO_ONE) return;
  const hc_rc rc = hc_disk_pause(d->storage.disks, d->now, d->acts[act].of, is_paused);
  if (rc < 0)
    (void)hc_doings_fail(d, d->acts[act].running, rc, "what it reads or writes cannot be suspended");
}

/* What it has written on each of its hosts, where disks keep that no longer than the task. */
void hc_storage_leave(hc_doings *d, uint32_t running)
{
  hc_running *r = &d->running[running];
  const uint32_t places = r->places ? r->place_count : 1;
  if (!d->storage.disks) return;
  for (uint32_t i = 0; i < places; i++) {
    const hc_place *p = hc_place_of(r, i);
    const uint32_t disk = disk_of(d, p);
    if (!(p->written > 0) || disk == HC_NO_DISK || d->storage.of[p->host].is_kept) continue;
    (void)hc_disk_clear(d->storage.disks, disk, HC_MIN(p->written, hc_disk_used(d->storage.disks, disk)));
  }
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

int hc_storage_due(hc_doings *d)
{
  hc_disk_end end;
  if (!d->storage.disks) return 0;
  const hc_rc rc = hc_disks_advance(d->storage.disks, d->now, &end);
  if (rc < 0) (void)hc_doings_fail(d, HC_NO_ONE, rc, "no room for the rates of disks");
  if (rc <= 0) return 0;
  d->acts[end.tag].of = HC_NO_ONE;
  hc_doing_end(d, (uint32_t)end.tag, HC_ACT_OK);
  return 1;
}

hc_rc hc_storage_visit(hc_doings *d, hc_visitor *v)
{
  return d->storage.disks ? hc_disks_visit(d->storage.disks, v) : 0;
}
