/* world.c -- the cloud is made from its options, and goes on event by event. See vms.h.
 *
 * Within an instant come ends, then what is ready, then arrivals, then what is asked and said; each kind in
 * the order of the virtual machines. The world is over when nothing is left to happen. */
#include <string.h>

#include "base/sort.h"
#include "base/table.h"
#include "vms/vms.h"

#define WHERE "world vms"
#define MOST_HOSTS 1000000
#define MOST_VMS 100000000
#define LONGEST 1e9 /* s */

static const void *at(const hc_list *l, size_t i)
{
  return ((const hc_chosen *)l->items)[i].options;
}

/* ---- hosts ---- */

static hc_rc make_hosts(hc_world *w, hc_error *e)
{
  const hc_list *hosts = &w->options->hosts;
  size_t count = 0;
  for (size_t i = 0; i < hosts->count; i++)
    count += (size_t)((const hc_vm_host_options *)at(hosts, i))->count;
  if (count == 0)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "there are no hosts: name some, such as `hosts: {count: 10, cpus: 32, memory: 128GiB}`");
  if (count > MOST_HOSTS) return hc_fail(e, HC_ELIMIT, WHERE, 0, 0, "more than %d hosts", MOST_HOSTS);
  w->hosts = hc_alloc(w->allocator, count * sizeof *w->hosts);
  if (!w->hosts) return HC_ENOMEM;
  for (size_t i = 0; i < hosts->count; i++) {
    const hc_vm_host_options *o = at(hosts, i);
    for (int64_t k = 0; k < o->count; k++)
      w->hosts[w->host_count++] = (hc_vm_host){.all = {o->cpus, o->memory}, .free = {o->cpus, o->memory}};
  }
  w->believers = (size_t)w->options->schedulers + 1;
  w->rooms = hc_alloc(w->allocator, w->believers * count * sizeof *w->rooms);
  if (!w->rooms) return HC_ENOMEM;
  for (size_t i = 0; i < w->believers * count; i++) w->rooms[i] = w->hosts[i % count].all;
  return 0;
}

/* ---- virtual machines ---- */

static hc_rc add(hc_world *w, const hc_vm_vm_options *o, hc_error *e)
{
  if (w->vm_count + (size_t)o->count > MOST_VMS)
    return hc_fail(e, HC_ELIMIT, WHERE, 0, 0, "more than %d virtual machines", MOST_VMS);
  TRY(hc_reserve(w->allocator, (void **)&w->vms, &w->vm_cap, w->vm_count + (size_t)o->count, sizeof *w->vms));
  for (int64_t k = 0; k < o->count; k++)
    w->vms[w->vm_count++] = (hc_vm){.arrival = o->arrival,
                                    .lifetime = o->lifetime,
                                    .held = HC_UNKNOWN,
                                    .started = HC_UNKNOWN,
                                    .finished = HC_UNKNOWN,
                                    .freed = HC_UNKNOWN,
                                    .cpus = o->cpus,
                                    .memory = o->memory,
                                    .load = o->load,
                                    .host = HC_VM_NONE,
                                    .target = HC_VM_NONE,
                                    .copied = HC_NO_EVENT,
                                    .arrived = HC_NO_EVENT,
                                    .state = HC_VM_COMES};
  return 0;
}

typedef struct columns {
  size_t arrival, cpus, memory, lifetime, load;
} columns;

static hc_rc time_at(const hc_table *t, size_t column, hc_time *out, hc_error *e)
{
  double x;
  if (!hc_table_real(t, column, &x) || !(x >= 0 && x <= LONGEST))
    return hc_table_fail(t, column, e, "expected seconds from 0 to 1e9, got \"%.80s\"",
                         hc_table_text(t, column));
  *out = (hc_time)(x * 1e9 + 0.5);
  return 0;
}

static hc_rc read_row(hc_world *w, const hc_table *t, const columns *c, hc_error *e)
{
  hc_vm_vm_options o = {.count = 1, .load = 1};
  TRY(time_at(t, c->arrival, &o.arrival, e));
  TRY(time_at(t, c->lifetime, &o.lifetime, e));
  if (!hc_table_whole(t, c->cpus, &o.cpus) || o.cpus < 1 || o.cpus > 1000000)
    return hc_table_fail(t, c->cpus, e, "expected cpus from 1 to 1000000, got \"%.80s\"",
                         hc_table_text(t, c->cpus));
  if (hc_parse_size(hc_table_text(t, c->memory), hc_table_size(t, c->memory), &o.memory) < 0 || o.memory < 0)
    return hc_table_fail(t, c->memory, e, "expected an amount of memory (4GiB, or bytes), got \"%.80s\"",
                         hc_table_text(t, c->memory));
  if (c->load && (!hc_table_real(t, c->load, &o.load) || !(o.load >= 0 && o.load <= 1000)))
    return hc_table_fail(t, c->load, e, "expected a load from 0 to 1000, got \"%.80s\"",
                         hc_table_text(t, c->load));
  return add(w, &o, e);
}

static hc_rc read_table(hc_world *w, hc_table *t, hc_error *e)
{
  columns c;
  hc_rc rc = hc_table_next(t, e);
  if (rc == 0) return hc_fail(e, HC_EINPUT, t->name, 0, 0, "the file is empty");
  TRY(rc);
  TRY(hc_table_keep_titles(t));
  c = (columns){hc_table_column(t, "arrival"), hc_table_column(t, "cpus"), hc_table_column(t, "memory"),
                hc_table_column(t, "lifetime"), hc_table_column(t, "load")};
  if (!c.arrival || !c.cpus || !c.memory || !c.lifetime)
    return hc_table_fail(
        t, 0, e,
        "the first row should name the columns arrival, cpus, memory and lifetime (and load, if there is "
        "one)");
  while ((rc = hc_table_next(t, e)) > 0) TRY(read_row(w, t, &c, e));
  return rc;
}

HC_SORT_STABLE(sort_by_arrival, hc_vm, a->arrival < b->arrival)

static hc_rc sort(hc_world *w)
{
  hc_vm *room = hc_alloc(w->allocator, (w->vm_count / 2 + 1) * sizeof *room);
  if (!room) return HC_ENOMEM;
  sort_by_arrival(w->vms, w->vm_count, room);
  hc_free(w->allocator, room, (w->vm_count / 2 + 1) * sizeof *room);
  for (size_t i = 0; i < w->vm_count; i++) w->vms[i].scheduler = (uint32_t)(i % (w->believers - 1));
  return 0;
}

static hc_rc make_vms(hc_world *w, hc_error *e)
{
  const hc_vm_options *o = w->options;
  for (size_t i = 0; i < o->vms.count; i++) TRY(add(w, at(&o->vms, i), e));
  if (o->file) {
    hc_table t;
    hc_rc rc = hc_table_open(&t, w->allocator, o->file, e);
    if (rc >= 0) rc = read_table(w, &t, e);
    hc_table_close(&t);
    TRY(rc);
  }
  if (w->vm_count == 0)
    return hc_fail(
        e, HC_EUSAGE, WHERE, 0, 0,
        "there are no virtual machines: write `vms: {count: 10, cpus: 2, lifetime: 1h}`, or `file: vms.csv`");
  w->ended = hc_alloc(w->allocator, w->vm_count * sizeof *w->ended);
  return w->ended ? sort(w) : HC_ENOMEM;
}

static hc_rc make_migrations(hc_world *w, hc_error *e)
{
  const hc_vm_migrator_options *m = w->options->migrator.options;
  if (w->options->migrator.type && m->underload > m->overload)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "migrator: `underload` is above `overload`");
  if (w->options->migrator.type) TRY(hc_vm_push(w, HC_VM_LOOK, m->interval, 0, 0, NULL));
  for (uint32_t i = 0; i < w->options->migrations.count; i++) {
    const hc_vm_migration_options *o = at(&w->options->migrations, i);
    if (o->vm > (int64_t)w->vm_count || o->host > (int64_t)w->host_count)
      return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                     "migration %u is of virtual machine %lld to host %lld: there are %zu, and %zu hosts",
                     i + 1, (long long)o->vm, (long long)o->host, w->vm_count, w->host_count);
    TRY(hc_vm_push(w, HC_VM_MIGRATE, o->at, i, 0, NULL));
  }
  return 0;
}

/* ---- birth and end ---- */

static hc_rc build(hc_world *w, hc_error *e)
{
  TRY(hc_queue_new(w->allocator, HC_QUEUE_HEAP, &w->events));
  TRY(make_hosts(w, e));
  TRY(make_vms(w, e));
  return make_migrations(w, e);
}

hc_rc hc_vm_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e)
{
  hc_world *w = hc_alloc(c->allocator, sizeof *w);
  hc_rc rc;
  if (!w) return HC_ENOMEM;
  w->allocator = c->allocator;
  w->options = options;
  rc = build(w, e);
  if (rc < 0) {
    hc_vm_free(w);
    return rc == HC_ENOMEM ? rc : hc_fail(e, rc, WHERE, 0, 0, "%s", hc_rc_text(rc));
  }
  *out = w;
  return 0;
}

void hc_vm_free(hc_world *w)
{
  const hc_allocator *a = w->allocator;
  hc_free(a, w->rooms, w->believers * w->host_count * sizeof *w->rooms);
  hc_free(a, w->hosts, w->host_count * sizeof *w->hosts);
  hc_free(a, w->ended, w->ended ? w->vm_count * sizeof *w->ended : 0);
  hc_free(a, w->vms, w->vm_cap * sizeof *w->vms);
  if (w->events) hc_queue_free(w->events);
  hc_free(a, w, sizeof *w);
}

void hc_vm_progress(const hc_world *w, hc_world_progress *p)
{
  *p = (hc_world_progress){.now = w->now,
                           .submitted = w->next,
                           .started = w->held,
                           .ended = w->ended_count,
                           .waiting = w->next - HC_MIN(w->next, w->held),
                           .running = w->held - HC_MIN(w->ended_count, w->held),
                           .events = w->happened};
}

/* ---- the loop ---- */

#define KIND_AT 56 /* bits of a key: kind, virtual machine, host */
#define VM_AT 24

hc_rc hc_vm_push(hc_world *w, hc_vm_event what, hc_time when, uint32_t vm, uint32_t host,
                 hc_event_handle *handle)
{
  const hc_event x = {.time = when,
                      .key = (uint64_t)what << KIND_AT | (uint64_t)vm << VM_AT | host,
                      .phase = what <= HC_VM_OVER      ? HC_PHASE_END
                               : what <= HC_VM_ARRIVED ? HC_PHASE_CELL
                                                       : HC_PHASE_TIMER,
                      .payload = vm};
  return hc_queue_push(w->events, &x, handle);
}

/* @return 1, 0 if nothing is left, or what went wrong. @param is_due  out: false if all that is left is
 * later */
static hc_rc step(hc_world *w, hc_time until, bool *is_due)
{
  const bool arrives = w->next < w->vm_count;
  const hc_time arrival = arrives ? w->vms[w->next].arrival : HC_NEVER;
  hc_event x;
  const bool any = hc_queue_peek(w->events, &x);
  const bool is_arrival =
      arrives && (!any || arrival < x.time || (arrival == x.time && x.phase == HC_PHASE_TIMER));
  if (!arrives && !any) return 0;
  *is_due = (is_arrival ? arrival : x.time) <= until;
  if (!*is_due) return 1;
  w->happened++;
  if (is_arrival) {
    w->now = arrival;
    TRY(hc_vm_ask(w, (uint32_t)w->next++));
    return 1;
  }
  (void)hc_queue_pop(w->events, &x);
  w->now = x.time;
  TRY(hc_vm_happen(w, (hc_vm_event)(x.key >> KIND_AT), x.payload, (uint32_t)(x.key & ((1u << VM_AT) - 1))));
  return 1;
}

hc_rc hc_vm_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e)
{
  for (uint64_t n = 0; events == 0 || n < events; n++) {
    bool is_due = true;
    const hc_rc rc = step(w, until, &is_due);
    if (rc < 0) return hc_fail(e, rc, WHERE, 0, 0, "%s", hc_rc_text(rc));
    if (rc == 0) return 0;
    if (is_due) continue;
    w->now = HC_MAX(w->now, until);
    return 1;
  }
  return 1;
}
