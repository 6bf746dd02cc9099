/* report.c -- what the cloud has to say: figures, a table by host, a row a virtual machine.
 *
 * A virtual machine is a task row: start and end are when its host begins and ceases to be held for it, run
 * is its lifetime, its host is its partition, its scheduler its queue. */
#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "vms/vms.h"

const char *const hc_vm_figures[] = {
    ("makespan|s|lower, usual, compared, primary|from time 0 to when a host is free of the last virtual "
     "machine; of a run "
     "that is cut off, to there"),
    "vms|1|none, usual|virtual machines that were asked for",
    "rejected|1|lower, usual, compared|of these, those for which no host was found in time",
    "wait_mean|s|lower, usual, compared, performance|mean of the time from when a machine is asked for until "
    "it runs",
    "last_seen|s|lower, usual|when the last end of a lifetime is seen: next report of its host + message",
    "migrations|1|none, usual|live migrations that were done",
    "migrations_refused|1|lower, usual|migrations that were refused: the machine did not run, was already "
    "there, or did not fit",
    "migrations_cancelled|1|lower|migrations that the end of the machine's lifetime cut off",
    "retries|1|lower|times at which a scheduler found no host",
    "conflicts|1|lower, usual|placements that the store, or the host, refused",
    ("used_cpu_time|cpus*s|none, usual|sum over hosts of load x cpus x time: energy follows, where power is "
     "linear in "
     "the load"),
    "cpu_utilisation|1|higher, usual, compared|used_cpu_time / (cpus of all hosts x makespan)",
    "active_time|s|lower, usual|sum over hosts of the time in which their load is above 0",
    "overload_time|s|lower|sum over hosts of the time in which their load is 1 or more",
    "overload_time_fraction|1|lower, usual, compared|overload_time / active_time",
    "by_host.used_cpu_time|cpus*s|none|load x cpus x time",
    "by_host.active_time|s|none|time in which the load is above 0",
    "by_host.overload_time_fraction|1|lower|time in which the load is 1 or more / active_time",
    NULL};

static double ratio(double a, double b)
{
  return b > 0 ? a / b : (double)__builtin_nanf("");
}

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

static hc_rc tell_hosts(const hc_world *w, double makespan, hc_findings *f)
{
  double used = 0, active = 0, overloaded = 0, cpus = 0;
  for (uint32_t i = 0; i < w->host_count; i++) {
    const hc_vm_done done = hc_vm_done_by(w, i), *h = &done;
    const int64_t key = (int64_t)i + 1;
    used += h->used / 1e9;
    active += seconds(h->active);
    overloaded += seconds(h->overloaded);
    cpus += (double)w->hosts[i].all.cpus;
    TRY(hc_find_cell(f, "by_host", key, "used_cpu_time", "cpus*s", h->used / 1e9));
    TRY(hc_find_cell(f, "by_host", key, "active_time", "s", seconds(h->active)));
    TRY(hc_find_cell(f, "by_host", key, "overload_time_fraction", "1",
                     ratio(seconds(h->overloaded), seconds(h->active))));
  }
  TRY(hc_find_real(f, "used_cpu_time", "cpus*s", used));
  TRY(hc_find_real(f, "cpu_utilisation", "1", ratio(used, cpus * makespan)));
  TRY(hc_find_real(f, "active_time", "s", active));
  TRY(hc_find_real(f, "overload_time", "s", overloaded));
  return hc_find_real(f, "overload_time_fraction", "1", ratio(overloaded, active));
}

static hc_rc tell(const hc_world *w, hc_findings *f)
{
  const bool is_cut = w->next < w->vm_count || w->ended_count < w->next;
  const double makespan = seconds(is_cut ? w->now : w->last_freed);
  hc_wide waits = {0, 0};
  int64_t ran = 0, rejected = 0;
  for (size_t i = 0; i < w->next; i++) {
    rejected += w->vms[i].state == HC_VM_REJECTED;
    if (w->vms[i].started == HC_UNKNOWN) continue;
    ran++;
    hc_wide_add(&waits, w->vms[i].started - w->vms[i].arrival);
  }
  TRY(hc_find_real(f, "makespan", "s", makespan));
  TRY(hc_find_count(f, "vms", "1", (int64_t)w->next));
  TRY(hc_find_count(f, "rejected", "1", rejected));
  TRY(hc_find_real(f, "wait_mean", "s", ratio(hc_wide_real(waits) / 1e9, (double)ran)));
  TRY(hc_find_real(f, "last_seen", "s", seconds(w->last_seen)));
  TRY(hc_find_count(f, "migrations", "1", (int64_t)w->migrations));
  TRY(hc_find_count(f, "migrations_refused", "1", (int64_t)w->refused));
  TRY(hc_find_count(f, "migrations_cancelled", "1", (int64_t)w->cancelled));
  TRY(hc_find_count(f, "retries", "1", (int64_t)w->retries));
  TRY(hc_find_count(f, "conflicts", "1", (int64_t)w->conflicts));
  return tell_hosts(w, makespan, f);
}

/* ---- the store ---- */

static hc_final final_of(const hc_vm *x)
{
  switch ((hc_vm_state)x->state) {
    case HC_VM_GONE: return HC_FINAL_COMPLETED;
    case HC_VM_REJECTED: return HC_FINAL_REJECTED;
    case HC_VM_COMES:
    case HC_VM_WAITS: return HC_FINAL_WAITING;
    case HC_VM_BOOTS:
    case HC_VM_RUNS:
    case HC_VM_MIGRATES:
    case HC_VM_STOPS: break;
  }
  return HC_FINAL_RUNNING;
}

static hc_rc store_vm(const hc_world *w, uint32_t i, hc_store *store, hc_error *e)
{
  const hc_vm *x = &w->vms[i];
  const hc_task_record row = {.serial = i,
                              .id = (int64_t)i + 1,
                              .submit = x->arrival,
                              .start = x->held,
                              .end = x->freed,
                              .units = x->cpus,
                              .limit = HC_UNKNOWN,
                              .estimate = HC_NEVER,
                              .run = x->lifetime,
                              .user = -1,
                              .group = -1,
                              .executable = -1,
                              .queue = (int64_t)x->scheduler + 1,
                              .partition = x->host == HC_VM_NONE ? -1 : (int64_t)x->host + 1,
                              .final = final_of(x)};
  return hc_store_tasks(store, &row, 1, e);
}

static hc_rc store_number(hc_store *store, const char *table, const char *key, uint64_t n, hc_error *e)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRIu64, n);
  return hc_store_row(store, table, 2, (const char *[]){key, text}, e);
}

static hc_rc store_all(const hc_world *w, hc_store *store, hc_error *e)
{
  uint64_t finals[HC_FINAL_COUNT] = {0};
  char text[80], hosts[40];
  hosts[hc_format_count((int64_t)w->host_count, hosts)] = '\0';
  (void)snprintf(text, sizeof text, "%s host%s", hosts, w->host_count == 1 ? "" : "s");
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"machine", text}, e));
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"queue_is_called", "scheduler"}, e));
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"partition_is_called", "host"}, e));
  TRY(store_number(store, "rows", "read", w->next, e));
  TRY(store_number(store, "rows", "used", w->next, e));
  TRY(store_number(store, "rows", "merged", 0, e));
  for (size_t i = 0; i < w->next; i++) finals[final_of(&w->vms[i])]++;
  for (int f = 0; f < HC_FINAL_COUNT; f++)
    TRY(store_number(store, "finals", hc_final_name((hc_final)f), finals[f], e));
  for (size_t i = 0; i < w->ended_count; i++) TRY(store_vm(w, w->ended[i], store, e));
  for (uint32_t i = 0; i < w->next; i++) {
    if (w->vms[i].state != HC_VM_GONE && w->vms[i].state != HC_VM_REJECTED) TRY(store_vm(w, i, store, e));
  }
  return 0;
}

hc_rc hc_vm_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e)
{
  if (store) TRY(store_all(w, store, e));
  return tell(w, f);
}
