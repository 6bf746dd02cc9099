/* cores.c -- tasks whose cores are chosen when they start: moldable by the core, on each of their hosts.
 *
 * Such a task (hc_task_extras.most_cpu) waits as one that asks for the least that it takes, so that whatever
 * looks at the queue, places it or counts what may fit sees that. When a plan starts it on its hosts it gets
 * as many cores of each as are free there, whole ones beyond the least, the same number on each of them and
 * no more than the most; if a host of an announced change or of a reservation has no room for so many, the
 * least. It keeps them until its attempt is over; the next one chooses anew. How much faster that makes it
 * its profile says (hc_speedup_type), so that it needs a model of execution.
 *
 * What is free is counted by amounts, on the cell as the plan has left it so far: tasks that a plan starts
 * first take first. A plan that is thought about chooses when it is carried out.
 *
 * Policies that plan ahead promise to others what no task is believed to hold, and would have to be asked how
 * much may go beyond the request: they are refused. Cost: O(grants) a start. Source: DSLab, dslab-compute:
 * min_cores, max_cores. */
#include "engine/cores.h"

#include "base/util.h"
#include "engine/part.h"
#include "engine/tasks.h"

static const hc_task_extras *chosen_of(const hc_engine *e, hc_task id)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  const hc_task_extras *m = more ? hc_lexicon_more(e->lexicon, more) : NULL;
  return m && m->most_cpu > 0 ? m : NULL;
}

bool hc_cores_are_chosen(const hc_engine *e, hc_task id)
{
  return chosen_of(e, id) != NULL;
}

/* Of each slot, by the cell's own number. @return false: the cell has no cores, or they are no host's */
static bool own_cores(const hc_engine *e, uint32_t *d)
{
  for (*d = 0; *d < e->gauge.in_spec; ++*d)
    if (e->gauge.which[*d] == HC_DIM_CPU) return !hc_hosts_is_shared(e->cell.hosts, *d);
  return false;
}

static void set(hc_engine *e, hc_task id, uint32_t d, int64_t cores)
{
  int64_t *need = e->tasks.need + (size_t)id * e->tasks.dimensions + d;
  hc_live *t = hc_live_of(e, id);
  if (d == 0) t->units = (uint32_t)((int64_t)t->units + (cores - *need) * (int64_t)t->slots);
  *need = cores;
}

void hc_cores_choose(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const hc_task_extras *m = chosen_of(e, id);
  int64_t most = m->most_cpu;
  uint32_t d;
  if (!own_cores(e, &d)) return;
  most = HC_MIN(most, (int64_t)UINT32_MAX / (int64_t)HC_MAX(hc_live_of(e, id)->slots, 1));
  for (size_t i = 0, end; i < count; i = end) {
    int64_t slots = 0;
    for (end = i; end < count && grants[end].host == grants[i].host; end++) slots += grants[end].slots;
    most = HC_MIN(most, hc_hosts_free_of(e->cell.hosts, grants[i].host)[d] / HC_MAX(slots, 1));
  }
  if (most < m->most_cpu) most -= most % 1000; /* whole cores, and the most as it was said */
  if (most > m->least_cpu) set(e, id, d, most);
}

void hc_cores_reset(hc_engine *e, hc_task id)
{
  const hc_task_extras *m = chosen_of(e, id);
  uint32_t d;
  if (m && own_cores(e, &d)) set(e, id, d, m->least_cpu);
}

void hc_cores_queued(const hc_engine *e, hc_task id, int64_t *amount)
{
  const hc_task_extras *m = chosen_of(e, id);
  uint32_t d;
  if (m && own_cores(e, &d)) amount[HC_DIM_CPU] = m->least_cpu;
}

/* ---- which runs ---- */

static const char *why_not(hc_engine *e, const hc_task_extras *m)
{
  if (!e->cell.hosts) return "which needs a cell of hosts: use `cell: {use: hosts, ...}`";
  if (!e->book || m->profile_size == 0)
    return "and how much faster they make it is for its profile to say: use `execution: activities`, and "
           "give it a profile";
  if (e->policy_flags & (HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_PLANS_AHEAD))
    return "and the policy plans ahead with what tasks ask for, which is the least that they may hold: use "
           "one that looks at what is free now (select: blocking or scan)";
  if (e->policy_flags & HC_SETS_RATES)
    return "and the policy lets tasks take turns, by what they ask for: use another policy";
  if (e->loads) return "and local load takes hosts' cores at times: leave out one of the two";
  return NULL;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  const hc_task_extras *m = chosen_of(e, n->task);
  const char *why = m ? why_not(e, m) : NULL;
  if (!why) return 0;
  return hc_fail(n->error, HC_EUNSUPPORTED, "engine", 0, 0,
                 "task %lld has cores that are chosen when it starts (max_cores), %s; or leave out max_cores",
                 (long long)e->tasks.identities[n->task].id, why);
}

static bool always(const hc_engine *e)
{
  HC_UNUSED(e);
  return true;
}

const hc_part hc_part_cores = {.name = "cores", .wanted = always, .hears = HC_HEARS(EXTRAS), .on = on};
