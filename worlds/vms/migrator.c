/* migrator.c -- which virtual machines should be elsewhere: those of hosts whose load is too high or too low.
 *
 * It sees the hosts as they are, migrations that go on included; its targets hear of it after a message, and
 * may refuse by then. In one look a host gives or takes, so that nothing is sent in a circle. Cost of a look:
 * O(virtual machines that are not over, and for each that should go O(hosts)).
 * Source: the VM migrator of DSLab IaaS, whose rules are these but for details of order. */
#include "base/util.h"
#include "vms/vms.h"

static double part(const hc_vm_host *h, double used)
{
  return used / (double)h->all.cpus;
}

static double used_by(const hc_vm *x)
{
  return (double)x->cpus * x->load;
}

static bool is_low(const hc_vm_host *h, const hc_vm_migrator_options *o)
{
  return h->load > 0 && part(h, h->load) < o->underload;
}

static bool should_go(const hc_world *w, const hc_vm *x, const hc_vm_migrator_options *o)
{
  const hc_vm_host *h;
  if (x->state != HC_VM_RUNS) return false;
  h = &w->hosts[x->host];
  return !h->takes && (part(h, h->planned) > o->overload || is_low(h, o));
}

/* From an underloaded host only uphill: of hosts that are equally loaded, to one before it. */
static bool may_take(const hc_world *w, const hc_vm *x, uint32_t host, const hc_vm_migrator_options *o)
{
  const hc_vm_host *from = &w->hosts[x->host], *to = &w->hosts[host];
  if (host == x->host || to->gives || to->room.cpus < x->cpus || to->room.memory < x->memory) return false;
  if (part(to, to->planned + used_by(x)) > o->overload) return false;
  if (!is_low(from, o)) return true;
  if (to->load == 0) return false;
  return part(to, to->load) > part(from, from->load) ||
         (part(to, to->load) == part(from, from->load) && host < x->host);
}

static uint32_t choose(const hc_world *w, const hc_vm *x, const hc_vm_migrator_options *o)
{
  uint32_t best = HC_VM_NONE;
  double most = -1;
  for (uint32_t i = 0; i < w->host_count; i++) {
    const double after = part(&w->hosts[i], w->hosts[i].planned + used_by(x));
    if (after <= most || !may_take(w, x, i, o)) continue;
    best = i;
    most = after;
  }
  return best;
}

static hc_rc send(hc_world *w, uint32_t vm, uint32_t host)
{
  const hc_vm *x = &w->vms[vm];
  hc_vm_host *from = &w->hosts[x->host], *to = &w->hosts[host];
  from->gives = true;
  from->planned -= used_by(x);
  to->takes = true;
  to->planned += used_by(x);
  to->room.cpus -= x->cpus;
  to->room.memory -= x->memory;
  return hc_vm_push(w, HC_VM_SENT, hc_time_add(w->now, w->options->message_delay), vm, host, NULL);
}

hc_rc hc_vm_look(hc_world *w)
{
  const hc_vm_migrator_options *o = w->options->migrator.options;
  if (w->ended_count == w->vm_count) return 0; /* the run is over when the rest is */
  for (size_t i = 0; i < w->host_count; i++) {
    hc_vm_host *h = &w->hosts[i];
    h->room = h->free;
    h->planned = h->load;
    h->gives = h->takes = false;
  }
  while (w->first < w->next && w->vms[w->first].state >= HC_VM_GONE) w->first++;
  for (size_t i = w->first; i < w->next; i++) {
    uint32_t host;
    if (!should_go(w, &w->vms[i], o)) continue;
    host = choose(w, &w->vms[i], o);
    if (host != HC_VM_NONE) TRY(send(w, (uint32_t)i, host));
  }
  return hc_vm_push(w, HC_VM_LOOK, hc_time_add(w->now, o->interval), 0, 0, NULL);
}
