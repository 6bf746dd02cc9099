/* conflicts.c -- conflicts by task and time: which scheduler lost a start, where, and to which other.
 *
 * A plan that was thought about is carried out action by action, and what cannot be any more is refused
 * (commit.c). How often is counted in any case; here each is told. What was in the way is the task that
 * started last on a host of the action since the plan's view was opened, if it still runs there (or starts
 * count as such): of each host it is kept which that is. On a cell of processors without names it is the
 * last that started at all. A plan that is refused as a whole has one row, for the action that could not be;
 * that is what the engine counts.
 *
 * Off by default (`conflicts`): then nothing is kept, and a refusal costs a test. On: 24 bytes a host, and a
 * row a conflict. */
#include "engine/conflicts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "engine/explain.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/queues.h"
#include "engine/tasks.h"

/* The last start on a host. */
typedef struct last_start {
  uint64_t commit, serial; /* commit 0: there was none */
  hc_task task;            /* its slot; another's once it is gone */
  uint32_t queue;
} last_start;
_Static_assert(sizeof(last_start) == 24, "state without padding");

struct hc_conflicts {
  last_start *last; /* [count] by host, or processor; one of the whole cell where they have no names */
  size_t count;
};

/* What was in the way of an action. */
typedef struct obstacle {
  const char *reason;
  uint32_t host;        /* HC_NO_HOST: of the cell as a whole */
  const last_start *by; /* NULL: no other start */
} obstacle;

hc_rc hc_conflicts_open(hc_engine *e)
{
  hc_conflicts *x;
  if (!e->options->conflicts) return 0;
  x = hc_alloc(e->allocator, sizeof *x);
  if (!x) return HC_ENOMEM;
  e->conflicts = x;
  x->count = e->cell.granularity == HC_CELL_COUNT ? 1 : e->cell_spec.units;
  x->last = hc_alloc(e->allocator, x->count * sizeof *x->last);
  return x->last ? 0 : HC_ENOMEM;
}

/* ---- what was in the way ---- */

static bool still_runs(const hc_engine *e, const last_start *l)
{
  return l->task < e->tasks.count && e->tasks.live[l->task].serial == l->serial &&
         (e->tasks.live[l->task].state == HC_TASK_RUNNING ||
          e->tasks.live[l->task].state == HC_TASK_RESIZING);
}

/* The start that has come in between on one of the hosts of the action; of several the latest. In a sequence
 * of starts it counts also when it has ended again. */
static const last_start *find_rival(const hc_engine *e, const hc_plan *p, const hc_action *a,
                                    bool in_sequence, uint32_t *host)
{
  const hc_conflicts *x = e->conflicts;
  const hc_grant *grants = hc_plan_grants(p, a);
  const bool has_hosts = e->cell.granularity == HC_CELL_HOSTS;
  const last_start *best = NULL;
  *host = grants && has_hosts ? grants[0].host : HC_NO_HOST;
  if (!x) return NULL;
  if (x->count == 1 && e->cell.granularity == HC_CELL_COUNT)
    return x->last->commit > p->seen && still_runs(e, x->last) ? x->last : NULL;
  for (uint32_t i = 0; i < a->grant_count; i++)
    for (uint32_t k = 0; k < (has_hosts ? 1 : grants[i].slots); k++) {
      const last_start *l = &x->last[grants[i].host + k];
      if (l->commit <= p->seen || !(in_sequence || still_runs(e, l)) || (best && l->commit <= best->commit))
        continue;
      best = l;
      *host = grants[i].host + k;
    }
  return best;
}

static bool is_away(const hc_engine *e, const hc_plan *p, const hc_action *a, uint32_t *host)
{
  const hc_grant *grants = hc_plan_grants(p, a);
  for (uint32_t i = 0; e->cell.hosts && i < a->grant_count; i++)
    if (!hc_hosts_is_up(e->cell.hosts, grants[i].host)) {
      *host = grants[i].host;
      return true;
    }
  return false;
}

static obstacle look(hc_engine *e, const hc_plan *p, const hc_action *a, bool in_sequence)
{
  const hc_live *t = a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
  const bool is_start = a->kind == HC_ACTION_START;
  obstacle o = {.reason = "other", .host = HC_NO_HOST};
  if (a->task != HC_NO_TASK && (!t || t->serial != a->serial || (is_start && t->state != HC_TASK_WAITING))) {
    o.reason = "gone";
    return o;
  }
  o.by = find_rival(e, p, a, in_sequence, &o.host);
  if (o.by)
    o.reason =
        in_sequence && e->cell.hosts && hc_hosts_has_room(e->cell.hosts, o.host, hc_need_of(e, a->task))
            ? "sequence"
            : "taken";
  else if (is_away(e, p, a, &o.host)) o.reason = "host";
  return o;
}

/* ---- told ---- */

static const char *name_of(const hc_engine *e, uint64_t queue)
{
  return e->queues[queue].scheduler ? e->queues[queue].scheduler : "";
}

static int64_t id_of(const hc_engine *e, hc_task t, uint64_t serial)
{
  return t < e->tasks.count && e->tasks.live[t].serial == serial ? e->tasks.identities[t].id : -1;
}

static void number(char out[24], int64_t n)
{
  (void)snprintf(out, 24, "%" PRId64, n);
}

static hc_rc store(hc_engine *e, const hc_plan *p, const hc_action *a, const obstacle *o, hc_error *error)
{
  enum { AT, ATTEMPT, SCHEDULER, SERIAL, ID, HOST, AGAINST, AGAINST_SERIAL, AGAINST_ID, NUMBERS };
  char n[NUMBERS][24];
  number(n[AT], e->now);
  number(n[ATTEMPT], (int64_t)e->commits);
  number(n[SCHEDULER], e->queues[p->queue].number);
  number(n[SERIAL], a->task == HC_NO_TASK ? -1 : (int64_t)a->serial);
  number(n[ID], a->task == HC_NO_TASK ? -1 : id_of(e, a->task, a->serial));
  number(n[HOST], o->host == HC_NO_HOST ? -1 : (int64_t)o->host);
  number(n[AGAINST], o->by ? (int64_t)e->queues[o->by->queue].number : -1);
  number(n[AGAINST_SERIAL], o->by ? (int64_t)o->by->serial : -1);
  number(n[AGAINST_ID], o->by ? id_of(e, o->by->task, o->by->serial) : -1);
  return hc_store_row(e->store, "conflicts", 13,
                      (const char *[]){n[AT], n[ATTEMPT], n[SCHEDULER], name_of(e, p->queue),
                                       e->actions[a->kind]->name, n[SERIAL], n[ID], n[HOST], o->reason,
                                       n[AGAINST], o->by ? name_of(e, o->by->queue) : "", n[AGAINST_SERIAL],
                                       n[AGAINST_ID]},
                      error);
}

static void explain(hc_engine *e, const hc_plan *p, const hc_action *a, const obstacle *o)
{
  const char *name = name_of(e, p->queue);
  char where[80] = "", by[160] = "", task[HC_EXPLAIN_NAME];
  if (o->host != HC_NO_HOST && e->cell.hosts)
    (void)snprintf(where, sizeof where, " on host %.60s", e->cell_spec.host_names[o->host]);
  if (o->by) {
    const char *other = name_of(e, o->by->queue);
    (void)snprintf(by, sizeof by, ": %s%s%.60s has started there meanwhile",
                   hc_explain_task(e, o->by->task, task), other[0] ? " of the scheduler " : "", other);
  }
  hc_explain_text(e, a->task, "the start that%s%.60s planned%s is refused%s",
                  name[0] ? " the scheduler " : " was", name, where, by);
}

hc_rc hc_conflicts_note(hc_engine *e, const hc_plan *p, const hc_action *a, bool in_sequence, hc_error *error)
{
  obstacle o;
  if (!e->conflicts && !e->explain) return 0;
  o = look(e, p, a, in_sequence);
  if (e->explain && a->kind == HC_ACTION_START && a->task == hc_explain_asked(e)) explain(e, p, a, &o);
  return e->conflicts && e->store ? store(e, p, a, &o, error) : 0;
}

/* ---- as a part ---- */

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  hc_conflicts *x = e->conflicts;
  const hc_live *t = hc_live_of(e, n->task);
  const last_start l = {.commit = e->commits, .serial = t->serial, .task = n->task, .queue = t->queue};
  const bool has_hosts = e->cell.granularity == HC_CELL_HOSTS;
  if (e->cell.granularity == HC_CELL_COUNT) *x->last = l;
  for (size_t i = 0; i < n->count && e->cell.granularity != HC_CELL_COUNT; i++)
    for (uint32_t k = 0; k < (has_hosts ? 1 : n->grants[i].slots); k++) x->last[n->grants[i].host + k] = l;
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->conflicts != NULL;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  const hc_conflicts *x = e->conflicts;
  if (!x) return 0;
  TRY(hc_visit_bytes(v, x->last, x->count * sizeof *x->last));
  for (size_t i = 0; hc_visit_loading(v) && i < x->count; i++)
    if (x->last[i].commit > 0 && x->last[i].queue >= e->queue_count) return HC_EINPUT;
  return 0;
}

static void fini(hc_engine *e)
{
  hc_conflicts *x = e->conflicts;
  if (!x) return;
  hc_free(e->allocator, x->last, x->count * sizeof *x->last);
  hc_free(e->allocator, x, sizeof *x);
}

const hc_part hc_part_conflicts = {.name = "conflicts",
                                   .wanted = wanted,
                                   .hears = HC_HEARS(STARTED),
                                   .on = on,
                                   .visit = visit,
                                   .fini = fini};
