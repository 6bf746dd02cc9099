/* rows.c -- what the store keeps of tasks and hosts beside records, if it keeps a row for every task: what
 * each asked for and where it was, attempts that were lost, hosts that changed, and before which time a task
 * could not start. */
#include "engine/rows.h"

#include <string.h>

#include "base/util.h"
#include "engine/cores.h"
#include "engine/demand.h"
#include "engine/part.h"
#include "engine/reservations.h"
#include "engine/resizes.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "setup/recorded.h"

hc_rc hc_rows_put(const hc_engine *e, const char *table, size_t base, int64_t *row, const hc_devices *devices,
                  hc_error *error)
{
  size_t n = base + e->gauge.width;
  if (devices && (devices->bits[0] >> 32 | devices->bits[1]) != 0) {
    for (; n < base + HC_DIMENSIONS; n++) row[n] = 0;
    for (uint32_t i = 1; i < HC_DEVICES / 32; i++)
      row[n++] = (int64_t)(devices->bits[i / 2] >> i % 2 * 32 & UINT32_MAX);
  }
  return hc_store_numbers(e->store, table, n, row, error);
}

/* ---- demands and grants ---- */

/* Where hosts are promised ahead, it is told whether more than amounts decided where, when and for how long
 * (4). The time before which a task does not start is told apart; it counts here where it was known to no
 * part but the engine. */
static int64_t form_of(const hc_engine *e, const hc_request *r, bool later)
{
  const bool more = e->reserve->type->holds_hosts && (r->more != 0 || e->has_speeds || later);
  return (r->whole ? 1 : 0) | (r->spread ? 2 : 0) | (more ? 4 : 0);
}

/* May an earlier attempt of it have had another size than the one that it has? (moldable.c) */
static bool was_molded(const hc_engine *e, hc_task id)
{
  const hc_task_cold *cold = hc_cold_of(e, id);
  const hc_task_extras *m =
      (e->policy_flags & HC_MOLDS) && cold->more ? hc_lexicon_more(e->lexicon, cold->more) : NULL;
  return m && (m->changes & HC_SIZED_AT_START) && (cold->attempts > 0 || hc_work_of(e, id)->times > 0);
}

static hc_rc store_demand(hc_engine *e, hc_task id, bool ended, const hc_grant *grants, size_t count,
                          hc_error *error)
{
  const hc_live *t = hc_live_of(e, id);
  const hc_task_cold *cold = hc_cold_of(e, id);
  const hc_request r = hc_request_of(e, id);
  const bool other =
      (e->resizes && hc_resizes_is_other(e, id)) || was_molded(e, id) ||
      (e->book && hc_cores_are_chosen(e, id)); /* (8): earlier attempts asked for other amounts */
  int64_t row[5 + HC_ROW_AMOUNTS], held[4 + HC_ROW_AMOUNTS];
  row[0] = (int64_t)t->serial;
  row[1] = cold->job;
  row[2] = r.slots;
  row[3] = (other ? 8 : 0) | form_of(e, &r, cold->eligible != HC_UNKNOWN && !e->plans_ahead);
  row[4] = cold->attempts;
  hc_amounts_clear(e, row + 5);
  hc_demand_by_lexicon(e, r.need, false, 1, row + 5);
  hc_demand_shared(e, id, row + 5);
  TRY(hc_rows_put(e, ended ? "demands" : "open_demands", 5, row, NULL, error));
  for (size_t i = 0; i < count; i++) {
    held[0] = (int64_t)t->serial;
    held[1] = grants[i].host;
    held[2] = grants[i].slots;
    held[3] = hc_row_devices(&grants[i].devices);
    hc_demand_of_grant(e, id, &grants[i], held + 4);
    TRY(hc_rows_put(e, ended ? "grants" : "open_grants", 4, held, &grants[i].devices, error));
  }
  return 0;
}

hc_rc hc_rows_placement(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_error *error)
{
  const int64_t serial = (int64_t)hc_live_of(e, id)->serial;
  if (count == 0 || !hc_keeps_rows(e)) return 0;
  if (e->cell.hosts) return store_demand(e, id, true, grants, count, error);
  for (size_t i = 0; i < count; i++) { /* a grant's host is the first of a range */
    const hc_range r = {grants[i].host, grants[i].slots};
    TRY(hc_store_placement(e->store, serial, &r, 1, error));
  }
  return 0;
}

hc_rc hc_rows_left(hc_engine *e, hc_task id, hc_error *error)
{
  const int64_t serial = (int64_t)hc_live_of(e, id)->serial;
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  hc_rc rc = 0;
  if (!hc_keeps_rows(e)) return 0;
  TRY(hc_tasks_held(e, hc_live_of(e, id), &one, &grants, &count));
  if (e->resizes) hc_resizes_swap(e, id); /* what it held at its start */
  if (e->cell.hosts && count > 0) rc = store_demand(e, id, false, grants, count, error);
  for (size_t i = 0; i < count && !e->cell.hosts && rc >= 0; i++) {
    const int64_t row[4 + HC_NEEDS] = {serial, grants[i].host, grants[i].slots};
    rc = hc_store_numbers(e->store, "open_grants", HC_ARRAY_LEN(row), row, error);
  }
  if (e->resizes) hc_resizes_swap(e, id);
  return rc;
}

hc_rc hc_rows_attempt(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_live *t = hc_live_of(e, id);
  const int64_t row[4] = {(int64_t)t->serial, hc_cold_of(e, id)->attempts, t->start, e->now};
  return hc_keeps_rows(e) ? hc_store_numbers(e->store, "attempts", 4, row, error) : 0;
}

/* ---- the part ---- */

/* What its trace says, for whatever checks the result. */
static hc_rc store_not_before(hc_engine *e, hc_task id, hc_error *error)
{
  const int64_t row[2] = {(int64_t)hc_live_of(e, id)->serial, hc_cold_of(e, id)->eligible};
  return row[1] > hc_live_of(e, id)->submit ? hc_store_numbers(e->store, "not_before", 2, row, error) : 0;
}

/* Of a heterogeneous job, where the policy starts its components together. */
static hc_rc store_component(hc_engine *e, hc_task id, const hc_task_spec *spec, hc_error *error)
{
  const hc_task_extras *m = spec->more != 0 ? hc_lexicon_more(e->lexicon, spec->more) : NULL;
  if (!m || m->component == 0 || !(e->policy_flags & HC_KEEPS_TERMS)) return 0;
  const int64_t job = hc_cold_of(e, id)->job | (int64_t)(hc_live_of(e, id)->source & 0x7f) << 56;
  const int64_t row[2] = {(int64_t)hc_live_of(e, id)->serial, job};
  return hc_store_numbers(e->store, "components", 2, row, error);
}

/* Under a rule that stops running tasks for those of higher priority. Policies that share have others. */
static hc_rc store_priority(hc_engine *e, hc_task id, hc_error *error)
{
  const int64_t row[2] = {(int64_t)hc_live_of(e, id)->serial, hc_cold_of(e, id)->priority};
  if ((e->policy_flags & (HC_MAY_PREEMPT | HC_SHARES)) != HC_MAY_PREEMPT) return 0;
  return hc_store_numbers(e->store, "priorities", 2, row, error);
}

/* Which reservations it names, by the numbers of their names, where the policy looks at them. */
static hc_rc store_reserved_by(hc_engine *e, hc_task id, const hc_task_spec *spec, hc_error *error)
{
  const hc_task_extras *m = spec->more != 0 ? hc_lexicon_more(e->lexicon, spec->more) : NULL;
  if (!m || m->reservation == HC_NO_NAME || !(e->policy_flags & HC_KEEPS_TERMS)) return 0;
  const char *names = hc_lexicon_text(e->lexicon, m->reservation);
  for (size_t n; *names; names += n + (names[n] == ',')) {
    n = strcspn(names, ",");
    const uint32_t name = hc_lexicon_name(e->lexicon, names, n);
    const int64_t row[2] = {(int64_t)hc_live_of(e, id)->serial, name};
    if (name == HC_NO_NAME) return HC_ENOMEM;
    TRY(hc_store_numbers(e->store, "reserved_by", 2, row, error));
  }
  return 0;
}

static hc_rc store_host(hc_engine *e, const hc_host_event *event, hc_error *error)
{
  int64_t row[3 + HC_ROW_AMOUNTS];
  row[0] = event->at;
  row[1] = event->host;
  row[2] = event->change;
  hc_amounts_clear(e, row + 3);
  hc_demand_by_lexicon(e, hc_hosts_capacity_of(e->cell.hosts, event->host), false, 1, row + 3);
  return hc_rows_put(e, "host_changes", 3, row, NULL, error);
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_ARRIVED) {
    if (n->arrival->spec.status != HC_STATUS_COMPLETED)
      TRY(hc_recorded_task(e->store, (int64_t)hc_live_of(e, n->task)->serial, &n->arrival->spec, n->error));
    TRY(store_priority(e, n->task, n->error));
    TRY(store_component(e, n->task, &n->arrival->spec, n->error));
    TRY(store_reserved_by(e, n->task, &n->arrival->spec, n->error));
    return store_not_before(e, n->task, n->error);
  }
  if (n->kind == HC_ON_HOST_DONE) return store_host(e, n->event, n->error);
  return n->for_good ? hc_rows_placement(e, n->task, n->grants, n->count, n->error) : 0;
}

const hc_part hc_part_rows = {.name = "rows",
                              .wanted = hc_keeps_rows,
                              .hears = HC_HEARS(ARRIVED) | HC_HEARS(OVER) | HC_HEARS(HOST_DONE),
                              .on = on};
