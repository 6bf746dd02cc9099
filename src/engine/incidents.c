/* incidents.c -- what happens outside of a run, of which a scheduler outside is told: that a machine is to be
 * left alone from now on, or anything that means something to the scheduler alone.
 *
 * The caller of the run gives lists of them (hc_run_incidents), each with its times. Its architecture brings
 * them: when one happens, by its messages, it says so here, and the hosts that it names drain, or are up
 * again: what runs on them goes on, and nothing else starts. Plans are one source of what becomes of a host,
 * the run's `events` others, and incidents one more: a host is there when none of them holds it
 * (host_voices.c).
 *
 * State: the lists, which are saved with the run. Cost: O(hosts that it names x log). */
#include "engine/incidents.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/host_events.h"
#include "engine/part.h"
#include "hindcast/run.h"

typedef struct incident {
  uint32_t first, count; /* of its hosts, in `ranges` */
  uint32_t change;       /* hc_host_change, or HC_INCIDENT_ALONE */
  uint32_t unused;
} incident;

typedef struct hc_incidents hc_incidents;

struct hc_incidents {
  hc_time *at; /* [count] of all lists */
  size_t count, at_cap;
  incident *all; /* [all_count] the same */
  size_t all_count, all_cap;
  uint64_t *ends; /* [list_count] of each list, where it ends in them */
  size_t list_count, list_cap;
  hc_range *ranges; /* [range_count] */
  size_t range_count, range_cap;
};

bool hc_incidents_are_heard(const hc_engine *e)
{
  const hc_architecture_type *a = e->architecture_type;
  return a && a->tells_incidents && a->tells_incidents(e->options->architecture.options);
}

/* Made when it is first looked at. */
static hc_incidents *of(hc_engine *e)
{
  if (!e->incidents) e->incidents = hc_alloc(e->allocator, sizeof *e->incidents);
  return e->incidents;
}

static size_t begin_of(const hc_incidents *x, size_t list)
{
  return list > 0 ? (size_t)x->ends[list - 1] : 0;
}

size_t hc_incidents_lists(const hc_engine *e)
{
  return e->incidents ? e->incidents->list_count : 0;
}

size_t hc_incidents_of(const hc_engine *e, size_t list, const hc_time **at)
{
  const hc_incidents *x = e->incidents;
  *at = x->at + begin_of(x, list);
  return (size_t)x->ends[list] - begin_of(x, list);
}

/* ---- the caller ---- */

static hc_rc add(hc_engine *e, hc_incidents *x, const hc_incident *i)
{
  const hc_allocator *a = e->allocator;
  TRY(hc_reserve(a, (void **)&x->at, &x->at_cap, x->count + 1, sizeof *x->at));
  TRY(hc_reserve(a, (void **)&x->all, &x->all_cap, x->all_count + 1, sizeof *x->all));
  TRY(hc_reserve(a, (void **)&x->ranges, &x->range_cap, x->range_count + i->host_count, sizeof *x->ranges));
  x->at[x->count++] = i->at;
  x->all[x->all_count++] = (incident){
      .first = (uint32_t)x->range_count, .count = (uint32_t)i->host_count, .change = i->change};
  for (size_t k = 0; k < i->host_count; k++) x->ranges[x->range_count++] = i->hosts[k];
  return 0;
}

static hc_rc check_one(const hc_engine *e, const hc_incident *i, hc_time last, hc_error *error)
{
  const bool is_alone = i->change == HC_INCIDENT_ALONE;
  bool is_known = is_alone == (i->host_count == 0) &&
                  (is_alone || i->change == HC_HOST_DRAIN || i->change == HC_HOST_UP);
  for (size_t k = 0; k < i->host_count; k++)
    is_known = is_known && i->hosts[k].first < e->cell_spec.units &&
               i->hosts[k].count <= e->cell_spec.units - i->hosts[k].first;
  if (!is_known)
    return hc_fail(error, HC_EUSAGE, "incidents", 0, 0,
                   "an incident names hosts that there are not, or another change than that they drain or "
                   "are up again");
  if (i->at < last || i->at == HC_NEVER)
    return hc_fail(error, HC_EUSAGE, "incidents", 0, 0, "incidents of a list have times that ascend");
  return 0;
}

hc_rc hc_run_incidents(hc_run *r, const hc_incident *items, size_t count, hc_error *error)
{
  hc_engine *e = &r->engine;
  hc_time last = 0;
  if (r->world || !hc_incidents_are_heard(e))
    return hc_fail(error, HC_EUSAGE, "architecture", 0, 0,
                   "incidents are told by the architecture messages, with `incidents: true`");
  if (e->now > 0)
    return hc_fail(error, HC_EUSAGE, "engine", 0, 0, "incidents are said before time passes");
  hc_incidents *x = of(e);
  if (!x) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    TRY(check_one(e, &items[i], last, error));
    TRY(add(e, x, &items[i]));
    last = items[i].at;
  }
  TRY(hc_reserve(e->allocator, (void **)&x->ends, &x->list_cap, x->list_count + 1, sizeof *x->ends));
  x->ends[x->list_count++] = x->count;
  return 0;
}

/* ---- it happens ---- */

hc_rc hc_incidents_happen(hc_engine *e, size_t list, size_t k, hc_error *error)
{
  const hc_incidents *x = e->incidents;
  const incident *i = &x->all[begin_of(x, list) + k];
  if (i->change == HC_INCIDENT_ALONE) return 0;
  for (uint32_t r = i->first; r < i->first + i->count; r++)
    for (uint32_t h = 0; h < x->ranges[r].count; h++)
      TRY(hc_host_events_hear_incident(e, x->ranges[r].first + h, (hc_host_change)i->change, error));
  return 0;
}

/* ---- state and death ---- */

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  if (!hc_incidents_are_heard(e)) return 0;
  hc_incidents *x = of(e);
  if (!x) return HC_ENOMEM;
  HC_VISIT_ARRAY(v, x->at, x->count, x->at_cap);
  HC_VISIT_ARRAY(v, x->all, x->all_count, x->all_cap);
  HC_VISIT_ARRAY(v, x->ends, x->list_count, x->list_cap);
  HC_VISIT_ARRAY(v, x->ranges, x->range_count, x->range_cap);
  if (!hc_visit_loading(v)) return 0;
  uint64_t last = 0;
  for (size_t i = 0; i < x->list_count; last = x->ends[i++])
    if (x->ends[i] < last) return HC_EINPUT;
  if (x->count != x->all_count || last != x->count) return HC_EINPUT;
  for (size_t i = 0; i < x->all_count; i++)
    if ((uint64_t)x->all[i].first + x->all[i].count > x->range_count) return HC_EINPUT;
  for (size_t i = 0; i < x->range_count; i++)
    if ((uint64_t)x->ranges[i].first + x->ranges[i].count > e->cell_spec.units) return HC_EINPUT;
  return 0;
}

static void fini(hc_engine *e)
{
  hc_incidents *x = e->incidents;
  if (!x) return;
  hc_free(e->allocator, x->at, x->at_cap * sizeof *x->at);
  hc_free(e->allocator, x->all, x->all_cap * sizeof *x->all);
  hc_free(e->allocator, x->ends, x->list_cap * sizeof *x->ends);
  hc_free(e->allocator, x->ranges, x->range_cap * sizeof *x->ranges);
  hc_free(e->allocator, x, sizeof *x);
}

const hc_part hc_part_incidents = {.name = "incidents", .visit = visit, .fini = fini};
