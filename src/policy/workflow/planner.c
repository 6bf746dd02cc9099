/* planner.c -- when workflows are planned, and how plans are carried out.
 *
 * A plan is a list for each host: which tasks, in which order. It is made when a task that is to be planned
 * is not in it (a workflow has arrived, a task has to run again), and when a host has changed; all tasks
 * that have not started are planned anew then. What they read is brought to their hosts at once, if
 * transfers are early, or as soon as it is made.
 *
 * A task starts when it stands in the queue and there is room for it beside all that stand before it in the
 * list of its host, whether they may start yet or not: so no task is passed by another that takes its
 * place. Those that a plan places nowhere, since no host that is up could have them, stay so until a host
 * changes.
 *
 * State is the lists. Cost of a decision: the graph, O(live tasks log live tasks + feeds), and its
 * planning. */
#include "policy/workflow/planner.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

typedef struct entry {
  uint64_t serial;
  uint32_t host;  /* HC_NO_HOST: nowhere */
  uint32_t place; /* in the order of all starts */
} entry;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  const void *options;
  hc_planner_method *method;
  entry *entries; /* [count] ascending by serial */
  size_t count, cap;
  uint64_t is_stale; /* a host has changed */
};

enum { EARLY, LATE };

static bool is_late(const hc_policy *self)
{
  return ((const hc_planner_options *)self->options)->transfers == LATE;
}

/* ---- making a plan ---- */

typedef struct starting {
  double start;
  uint32_t place, node; /* place: in the order in which they were placed */
} starting;

static int by_start(const void *a, const void *b)
{
  const starting *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* Where it was planned before. */
static uint32_t host_before(const entry *old, size_t count, uint64_t serial)
{
  size_t low = 0, high = count;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (old[mid].serial < serial) low = mid + 1;
    else high = mid;
  }
  return low < count && old[low].serial == serial ? old[low].host : HC_NO_HOST;
}

/* The lists of a graph that has been planned; what is new on its host is brought there. */
static hc_rc write_down(hc_policy *self, hc_graph *g, hc_plan *p)
{
  starting *all = self->s->scratch(g->view, g->count * sizeof *all + 1);
  entry *old = self->s->scratch(g->view, self->count * sizeof *old + 1);
  uint32_t *place = self->s->scratch(g->view, g->count * sizeof *place + 1);
  const size_t old_count = self->count;
  if (!all || !old || !place) return HC_ENOMEM;
  if (self->count > 0) memcpy(old, self->entries, self->count * sizeof *old);
  for (uint32_t i = 0; i < g->planned_count; i++)
    all[i] = (starting){g->nodes[g->planned[i]].start, i, g->planned[i]};
  qsort(all, g->planned_count, sizeof *all, by_start);
  for (uint32_t i = 0; i < g->planned_count; i++) place[all[i].node] = i;
  TRY(hc_reserve(self->allocator, (void **)&self->entries, &self->cap, g->count, sizeof *self->entries));
  self->count = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    const hc_node *n = &g->nodes[i];
    if (!n->is_wanted) continue;
    self->entries[self->count++] = (entry){n->serial, n->is_placed ? n->host : HC_NO_HOST, place[i]};
    if (!n->is_placed || is_late(self) || host_before(old, old_count, n->serial) == n->host) continue;
    const hc_rc rc = self->s->fetch(p, n->task, n->host);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
  }
  return 0;
}

static hc_rc plan(hc_policy *self, hc_graph *g, hc_plan *p)
{
  g->late = is_late(self);
  hc_rc rc = hc_graph_prepare(g, self->allocator);
  if (rc == 0) rc = self->method(g, self->options);
  if (rc == 0) rc = write_down(self, g, p);
  hc_graph_end(g);
  self->is_stale = 0;
  return rc;
}

/* ---- and carrying it out ---- */

/* Those that have started or are gone are in the lists no more. @return one is to be planned that is not */
static bool is_incomplete(hc_policy *self, const hc_graph *g)
{
  size_t kept = 0, at = 0;
  bool lacks = self->is_stale != 0;
  for (uint32_t i = 0; i < g->count; i++) {
    const hc_node *n = &g->nodes[i];
    while (at < self->count && self->entries[at].serial < n->serial) at++;
    const bool has = at < self->count && self->entries[at].serial == n->serial;
    if (has && !n->runs && n->is_wanted) self->entries[kept++] = self->entries[at];
    if (!has && n->is_wanted) lacks = true;
  }
  self->count = kept;
  return lacks;
}

/* Go through the list of a host. @param list [count] its nodes in their order */
static hc_rc start_on(hc_policy *self, hc_graph *g, hc_plan *p, uint32_t host, const uint32_t *list,
                      size_t count)
{
  const hc_services *s = self->s;
  const hc_range on = {host, 1};
  int64_t left[HC_DIMENSIONS];
  const int64_t *now_free = s->host_free(g->view, host, NULL);
  if (!now_free) return 0;
  memcpy(left, now_free, g->dimensions * sizeof *left);
  for (size_t i = 0; i < count; i++) {
    const hc_node *n = &g->nodes[list[i]];
    for (uint32_t d = 0; d < g->dimensions; d++) {
      left[d] -= HC_MAX(s->demand(g->view, n->task, d), 0);
      if (left[d] < 0) return 0;
    }
    const hc_rc rc = n->waits ? s->start(p, n->task, &on, 1) : 0;
    if (rc == HC_EPOLICY) return 0;
    if (rc < 0) return rc;
  }
  return 0;
}

typedef struct listed {
  uint32_t host, place, node;
} listed;

static int by_host(const void *a, const void *b)
{
  const listed *x = a, *y = b;
  if (x->host != y->host) return x->host < y->host ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static hc_rc carry_out(hc_policy *self, hc_graph *g, hc_plan *p)
{
  listed *all = self->s->scratch(g->view, self->count * sizeof *all + 1);
  uint32_t *list = self->s->scratch(g->view, self->count * sizeof *list + 1);
  size_t n = 0;
  if (!all || !list) return HC_ENOMEM;
  for (uint32_t i = 0, at = 0; i < g->count && at < self->count; i++) {
    if (self->entries[at].serial != g->nodes[i].serial) continue;
    if (self->entries[at].host != HC_NO_HOST)
      all[n++] = (listed){self->entries[at].host, self->entries[at].place, i};
    at++;
  }
  qsort(all, n, sizeof *all, by_host);
  for (size_t i = 0; i < n; i++) list[i] = all[i].node;
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && all[end].host == all[first].host;) end++;
    TRY(start_on(self, g, p, all[first].host, list + first, end - first));
  }
  return 0;
}

static hc_rc reject_wide(hc_policy *self, const hc_graph *g, hc_plan *p)
{
  for (uint32_t i = 0; i < g->count; i++) {
    const hc_node *n = &g->nodes[i];
    if (n->waits && n->has_parts)
      TRY(self->s->reject(p, n->task,
                          "the policy plans tasks that run on one host each, and this one wants several, or "
                          "several slots: another policy, such as scan, starts it"));
  }
  return 0;
}

hc_rc hc_planner_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_graph g;
  HC_UNUSED(why);
  TRY(hc_graph_read(&g, self->s, v, self->cell));
  TRY(reject_wide(self, &g, p));
  if (is_incomplete(self, &g)) TRY(plan(self, &g, p));
  return carry_out(self, &g, p);
}

/* ---- birth, state and death ---- */

uint32_t hc_planner_flags(const void *options)
{
  HC_UNUSED(options);
  return HC_PLANNER_FLAGS;
}

hc_rc hc_planner_changed(hc_policy *self, const hc_view *v)
{
  HC_UNUSED(v);
  self->is_stale = 1;
  return 0;
}

/* So that it hears of hosts. */
hc_rc hc_planner_hears(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                       const int64_t *amounts)
{
  HC_UNUSED(self);
  HC_UNUSED(v);
  HC_UNUSED(what);
  HC_UNUSED(t);
  HC_UNUSED(amounts);
  return 0;
}

hc_rc hc_planner_init(const hc_policy_context *c, const char *name, const void *options,
                      hc_planner_method *method, hc_policy **out, hc_error *e)
{
  if (!c->cell || c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "policy", 0, 0,
                   "the policy %s plans on hosts, and this cell counts processors: say `cell: {use: hosts, "
                   "...}`",
                   name);
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->s = c->services;
  self->allocator = c->allocator;
  self->cell = c->cell;
  self->options = options;
  self->method = method;
  *out = self;
  return 0;
}

hc_rc hc_planner_visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->is_stale);
  HC_VISIT_ARRAY(v, self->entries, self->count, self->cap);
  return 0;
}

void hc_planner_fini(hc_policy *self)
{
  const hc_allocator *a = self->allocator;
  hc_free(a, self->entries, self->cap * sizeof *self->entries);
  hc_free(a, self, sizeof *self);
}
