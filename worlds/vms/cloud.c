/* cloud.c -- what schedulers, the placement store and hosts do with a virtual machine.
 *
 *   arrival             its scheduler chooses a host by what it believes to be free; none: it asks again
 *                       after `retry`, and rejects it once it has waited longer than `timeout`
 *   + message_delay     the placement store has it there, or refuses: then the scheduler asks again
 *   + message_delay     the host holds cpus and memory for it, and boots it
 *   + boot              it runs, for its lifetime
 *   + lifetime          it stops
 *   + stop              the host is free of it; the store hears so after message_delay, schedulers after two
 *
 * A migration is asked for; after message_delay its target holds the same, if it fits, and the vm runs on.
 * After memory / throughput the source stops it; after `boot` it runs on the target. Its lifetime goes on all
 * the while. If it is over before, the vm ends where it is, and the target lets it go. */
#include "base/util.h"
#include "vms/vms.h"

/* ---- hosts ---- */

hc_vm_done hc_vm_done_by(const hc_world *w, uint32_t host)
{
  const hc_vm_host *h = &w->hosts[host];
  const hc_time passed = w->now - h->since;
  hc_vm_done done = h->done;
  done.used += h->load * (double)passed;
  if (h->load > 0) done.active += passed;
  if (h->load >= (double)h->all.cpus) done.overloaded += passed;
  return done;
}

static void account(hc_world *w, uint32_t host)
{
  w->hosts[host].done = hc_vm_done_by(w, host);
  w->hosts[host].since = w->now;
}

static bool fits(const hc_vm_room *room, const hc_vm *x)
{
  return room->cpus >= x->cpus && room->memory >= x->memory;
}

static void take(hc_vm_room *room, const hc_vm *x)
{
  room->cpus -= x->cpus;
  room->memory -= x->memory;
}

static void give(hc_vm_room *room, const hc_vm *x)
{
  room->cpus += x->cpus;
  room->memory += x->memory;
}

static void hold(hc_world *w, uint32_t vm, uint32_t host)
{
  hc_vm_host *h = &w->hosts[host];
  account(w, host);
  take(&h->free, &w->vms[vm]);
  h->load += (double)w->vms[vm].cpus * w->vms[vm].load;
  h->held++;
}

static hc_rc release(hc_world *w, uint32_t vm, uint32_t host)
{
  hc_vm_host *h = &w->hosts[host];
  account(w, host);
  give(&h->free, &w->vms[vm]);
  h->load -= (double)w->vms[vm].cpus * w->vms[vm].load;
  if (--h->held == 0) h->load = 0; /* no rounding is left */
  return hc_vm_push(w, HC_VM_RELEASED, hc_time_add(w->now, w->options->message_delay), vm, host, NULL);
}

static hc_rc create(hc_world *w, uint32_t vm, uint32_t host)
{
  hc_vm *x = &w->vms[vm];
  const hc_vm_options *o = w->options;
  if (!fits(&w->hosts[host].free,
            x)) { /* a migration came in between: the store is told, and it is placed anew */
    w->conflicts++;
    TRY(hc_vm_push(w, HC_VM_RELEASED, hc_time_add(w->now, o->message_delay), vm, host, NULL));
    return hc_vm_push(w, HC_VM_ASK, hc_time_add(w->now, hc_time_add(o->message_delay, o->retry)), vm, 0,
                      NULL);
  }
  hold(w, vm, host);
  w->held++;
  x->host = host;
  x->held = w->now;
  x->state = HC_VM_BOOTS;
  return hc_vm_push(w, HC_VM_STARTED, hc_time_add(w->now, o->boot), vm, host, NULL);
}

static hc_rc started(hc_world *w, uint32_t vm)
{
  hc_vm *x = &w->vms[vm];
  x->started = w->now;
  x->state = HC_VM_RUNS;
  return hc_vm_push(w, HC_VM_OVER, hc_time_add(w->now, x->lifetime), vm, 0, NULL);
}

/* Wherever it is: of a migration whose source has gone already, on the target. */
static hc_rc over(hc_world *w, uint32_t vm)
{
  hc_vm *x = &w->vms[vm];
  if (x->state == HC_VM_MIGRATES) {
    w->cancelled++;
    hc_queue_cancel(w->events, x->arrived);
    if (x->copied != HC_NO_EVENT) {
      hc_queue_cancel(w->events, x->copied);
      TRY(release(w, vm, x->target));
    } else {
      x->host = x->target;
    }
    x->target = HC_VM_NONE;
  }
  x->state = HC_VM_STOPS;
  x->finished = w->now;
  w->last_seen = HC_MAX(w->last_seen, hc_vm_seen(w, x));
  return hc_vm_push(w, HC_VM_FREED, hc_time_add(w->now, w->options->stop), vm, x->host, NULL);
}

static hc_rc freed(hc_world *w, uint32_t vm, uint32_t host)
{
  hc_vm *x = &w->vms[vm];
  TRY(release(w, vm, host));
  x->state = HC_VM_GONE;
  x->freed = w->last_freed = w->now;
  w->ended[w->ended_count++] = vm;
  return 0;
}

/* ---- schedulers, and the store ---- */

static hc_vm_room *believed(hc_world *w, uint32_t who, uint32_t host)
{
  return &w->rooms[who * w->host_count + host];
}

static uint32_t choose(hc_world *w, uint32_t vm)
{
  const hc_vm *x = &w->vms[vm];
  uint32_t best = HC_VM_NONE;
  int64_t least = 0;
  for (uint32_t i = 0; i < w->host_count; i++) {
    const hc_vm_room *room = believed(w, x->scheduler, i);
    const int64_t taken = w->hosts[i].all.cpus - room->cpus;
    const int64_t key = w->options->place == HC_VM_BEST_FIT ? -taken : taken;
    if (!fits(room, x)) continue;
    if (w->options->place == HC_VM_FIRST_FIT) return i;
    if (best != HC_VM_NONE && key >= least) continue;
    best = i;
    least = key;
  }
  return best;
}

hc_rc hc_vm_ask(hc_world *w, uint32_t vm)
{
  hc_vm *x = &w->vms[vm];
  const hc_vm_options *o = w->options;
  uint32_t host;
  x->state = HC_VM_WAITS;
  if (w->now > hc_time_add(x->arrival, o->timeout)) {
    x->state = HC_VM_REJECTED;
    w->ended[w->ended_count++] = vm;
    return 0;
  }
  host = choose(w, vm);
  if (host == HC_VM_NONE) {
    w->retries++;
    return hc_vm_push(w, HC_VM_ASK, hc_time_add(w->now, o->retry), vm, 0, NULL);
  }
  take(believed(w, x->scheduler, host), x);
  return hc_vm_push(w, HC_VM_COMMIT, hc_time_add(w->now, o->message_delay), vm, host, NULL);
}

static hc_rc commit(hc_world *w, uint32_t vm, uint32_t host)
{
  const hc_vm_options *o = w->options;
  const hc_time soon = hc_time_add(w->now, o->message_delay);
  hc_vm_room *room = believed(w, (uint32_t)w->believers - 1, host);
  if (!fits(room, &w->vms[vm])) {
    w->conflicts++;
    TRY(hc_vm_push(w, HC_VM_REFUSED, soon, vm, host, NULL));
    return hc_vm_push(w, HC_VM_ASK, hc_time_add(soon, o->retry), vm, 0, NULL);
  }
  take(room, &w->vms[vm]);
  TRY(hc_vm_push(w, HC_VM_KNOWN, soon, vm, host, NULL));
  return hc_vm_push(w, HC_VM_CREATE, soon, vm, host, NULL);
}

/* All schedulers, but for one that knows it already. */
static void tell(hc_world *w, uint32_t vm, uint32_t host, uint32_t but,
                 void (*what)(hc_vm_room *, const hc_vm *))
{
  for (uint32_t i = 0; i + 1 < w->believers; i++) {
    if (i != but) what(believed(w, i, host), &w->vms[vm]);
  }
}

/* ---- migrations ---- */

/* ns, up to a whole one */
static hc_time copying(const hc_world *w, const hc_vm *x)
{
  return hc_wide_divide(hc_wide_product(x->memory, HC_SECOND), w->options->throughput, true);
}

/* It must run, and be elsewhere; one that migrates does so to its end first. */
static hc_rc take_in(hc_world *w, uint32_t vm, uint32_t host)
{
  const hc_vm_options *o = w->options;
  hc_vm *x = &w->vms[vm];
  hc_time copied;
  if (x->state != HC_VM_RUNS || x->host == host || !fits(&w->hosts[host].free, x)) {
    w->refused++;
    return 0;
  }
  copied = hc_time_add(w->now, copying(w, x));
  hold(w, vm, host);
  x->state = HC_VM_MIGRATES;
  x->target = host;
  TRY(hc_vm_push(w, HC_VM_TAKEN, hc_time_add(w->now, o->message_delay), vm, host, NULL));
  TRY(hc_vm_push(w, HC_VM_COPIED, copied, vm, x->host, &x->copied));
  return hc_vm_push(w, HC_VM_ARRIVED, hc_time_add(copied, o->boot), vm, host, &x->arrived);
}

static hc_rc take_asked(hc_world *w, uint32_t number)
{
  const hc_vm_migration_options *o = ((const hc_chosen *)w->options->migrations.items)[number].options;
  return take_in(w, (uint32_t)o->vm - 1, (uint32_t)o->host - 1);
}

static hc_rc copied(hc_world *w, uint32_t vm, uint32_t source)
{
  w->vms[vm].copied = HC_NO_EVENT;
  return hc_vm_push(w, HC_VM_LEFT, hc_time_add(w->now, w->options->stop), vm, source, NULL);
}

static void arrived(hc_world *w, uint32_t vm)
{
  hc_vm *x = &w->vms[vm];
  x->state = HC_VM_RUNS;
  x->host = x->target;
  x->target = HC_VM_NONE;
  x->arrived = HC_NO_EVENT;
  x->migrations++;
  w->migrations++;
}

/* ---- any of them ---- */

hc_rc hc_vm_happen(hc_world *w, hc_vm_event what, uint32_t vm, uint32_t host)
{
  const uint32_t store = (uint32_t)w->believers - 1;
  const hc_time soon = hc_time_add(w->now, w->options->message_delay);
  switch (what) {
    case HC_VM_FREED: return freed(w, vm, host);
    case HC_VM_LEFT: return release(w, vm, host);
    case HC_VM_OVER: return over(w, vm);
    case HC_VM_COPIED: return copied(w, vm, host);
    case HC_VM_STARTED: return started(w, vm);
    case HC_VM_ARRIVED: arrived(w, vm); return 0;
    case HC_VM_MIGRATE: return hc_vm_push(w, HC_VM_TAKE, soon, vm, 0, NULL);
    case HC_VM_ASK: return hc_vm_ask(w, vm);
    case HC_VM_COMMIT: return commit(w, vm, host);
    case HC_VM_CREATE: return create(w, vm, host);
    case HC_VM_KNOWN: tell(w, vm, host, w->vms[vm].scheduler, take); return 0;
    case HC_VM_REFUSED: give(believed(w, w->vms[vm].scheduler, host), &w->vms[vm]); return 0;
    case HC_VM_TAKE: return take_asked(w, vm);
    case HC_VM_TAKEN:
      take(believed(w, store, host), &w->vms[vm]);
      return hc_vm_push(w, HC_VM_MOVED, soon, vm, host, NULL);
    case HC_VM_MOVED: tell(w, vm, host, HC_VM_NONE, take); return 0;
    case HC_VM_RELEASED:
      give(believed(w, store, host), &w->vms[vm]);
      return hc_vm_push(w, HC_VM_FORGOTTEN, soon, vm, host, NULL);
    case HC_VM_SENT: return take_in(w, vm, host);
    case HC_VM_LOOK: return hc_vm_look(w);
    case HC_VM_FORGOTTEN: tell(w, vm, host, HC_VM_NONE, give); return 0;
  }
  return 0;
}

hc_time hc_vm_seen(const hc_world *w, const hc_vm *x)
{
  const hc_time period = w->options->report_period;
  const hc_time part = period > 0 ? x->finished % period : 0;
  return hc_time_add(hc_time_add(x->finished, part > 0 ? period - part : 0), w->options->message_delay);
}
