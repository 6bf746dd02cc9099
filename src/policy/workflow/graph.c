/* graph.c -- tasks and what they read of each other, as planners of workflows compute with them.
 *
 * The graph is made anew from the view whenever something is decided (hc_services.workflow). A task is to
 * be planned if it has not started and all that it waits for is there or over, as far back as that goes:
 * one that waits for what has not arrived is left until it has. What runs is a node that is placed, until
 * its expected end.
 *
 * Computed times are estimates: of a task its estimate / speed of the host, which is what it takes there if
 * it computes; of a transfer what it takes alone. A task's start on a host is the latest of the ends of
 * those that it waits for, each with the transfer of what it reads (late: the transfers, at once, come
 * behind the start), and from there the first gap of the host's timetable that is long enough: the
 * insertion of HEFT. Cost: O(edges to it x links of a route + steps of the timetable) for each host that is
 * tried. */
#include "policy/workflow/graph.h"

#include <string.h>

#include "base/util.h"
#include <stdlib.h>

#define LONG 1e9 /* s: a task of which nothing is believed */
#define SAMPLE 64u

/* ---- from the view ---- */

static double seconds(hc_time t)
{
  return t == HC_NEVER || t == HC_UNKNOWN ? LONG : (double)t / 1e9;
}

static void read_node(hc_graph *g, const hc_workflow_task *t, hc_node *n)
{
  const hc_services *s = g->s;
  const hc_time now = s->now(g->view);
  *n = (hc_node){.serial = t->serial,
                 .task = t->task,
                 .first = t->first,
                 .count = t->feeds,
                 .out = HC_NO_NODE,
                 .host = HC_NO_HOST,
                 .work = seconds(s->estimate(g->view, t->task)),
                 .made = (double)t->makes,
                 .runs = t->runs,
                 .waits = t->waits,
                 .has_parts = s->slots(g->view, t->task) != 1,
                 .is_wanted = !t->runs && !t->is_open};
  n->earliest = HC_MAX(0, seconds(s->not_before(g->view, t->task) - now));
}

/* Kahn's order (1962). What is left over waits for itself and is never planned. */
static void sort(hc_graph *g, uint32_t *left)
{
  uint32_t done = 0, known = 0;
  for (size_t i = 0; i < g->edge_count; i++)
    if (g->edges[i].from != HC_NO_NODE) left[g->edges[i].to]++;
  for (uint32_t i = 0; i < g->count; i++)
    if (left[i] == 0) g->order[known++] = i;
  for (; done < known; done++)
    for (uint32_t at = g->nodes[g->order[done]].out; at != HC_NO_NODE; at = g->edges[at].next) {
      const uint32_t to = g->edges[at].to;
      g->nodes[to].level = HC_MAX(g->nodes[to].level, g->nodes[g->order[done]].level + 1);
      if (--left[to] == 0) g->order[known++] = to;
    }
  for (uint32_t i = 0; i < g->count && known < g->count; i++)
    if (left[i] > 0) g->nodes[i].is_wanted = false, g->order[known++] = i;
}

static void settle_wanted(hc_graph *g)
{
  for (uint32_t i = 0; i < g->count; i++) {
    hc_node *n = &g->nodes[g->order[i]];
    n->is_wanted &= !n->has_parts;
    for (uint32_t k = 0; k < n->count && n->is_wanted; k++) {
      const uint32_t from = g->edges[n->first + k].from;
      if (from != HC_NO_NODE && !g->nodes[from].runs && !g->nodes[from].is_wanted) n->is_wanted = false;
    }
  }
}

hc_rc hc_graph_read(hc_graph *g, const hc_services *s, hc_view *v, const hc_cell_spec *cell)
{
  const hc_workflow *w = s->workflow(v);
  *g = (hc_graph){.s = s, .view = v, .cell = cell, .hosts = cell->units, .dimensions = s->dimensions(v)};
  if (!w || w->count >= HC_NO_NODE || w->feed_count >= HC_NO_NODE) return HC_ENOMEM;
  g->count = (uint32_t)w->count;
  g->edge_count = w->feed_count;
  g->nodes = s->scratch(v, (w->count + 1) * sizeof *g->nodes);
  g->edges = s->scratch(v, (w->feed_count + 1) * sizeof *g->edges);
  g->order = s->scratch(v, (w->count + 1) * sizeof *g->order);
  uint32_t *left = s->scratch(v, (w->count + 1) * sizeof *left);
  if (!g->nodes || !g->edges || !g->order || !left) return HC_ENOMEM;
  for (uint32_t i = 0; i < g->count; i++) read_node(g, &w->tasks[i], &g->nodes[i]);
  for (uint32_t i = g->count; i-- > 0;) /* chains ascend */
    for (uint32_t k = g->nodes[i].count; k-- > 0;) {
      const uint32_t at = g->nodes[i].first + k, from = w->feeds[at].from;
      g->edges[at] = (hc_edge){.from = from == HC_NO_FEED ? HC_NO_NODE : from,
                               .to = i,
                               .host = w->feeds[at].host,
                               .next = HC_NO_NODE,
                               .bytes = (double)w->feeds[at].bytes};
      if (from == HC_NO_FEED) continue;
      g->edges[at].next = g->nodes[from].out;
      g->nodes[from].out = at;
      g->nodes[from].children++;
    }
  sort(g, left);
  settle_wanted(g);
  return 0;
}

/* ---- what planning needs ---- */

/* Means over pairs of hosts; of many hosts, of some at equal distances. */
static void measure(hc_graph *g)
{
  const uint32_t step = HC_MAX(g->hosts / SAMPLE, 1u);
  double pairs = 0, usable = 0;
  for (uint32_t a = 0; a < g->hosts; a++) {
    if (g->cell->classes[g->cell->class_of[a]].capacity[HC_DIM_CPU] == 0) continue; /* storage */
    g->slowness += 1 / g->speeds[a];
    usable++;
    if (a % step != 0) continue;
    for (uint32_t b = 0; b < g->hosts; b += step) {
      if (a == b || g->cell->classes[g->cell->class_of[b]].capacity[HC_DIM_CPU] == 0) continue;
      const double latency = g->s->takes(g->view, a, b, 0), gig = g->s->takes(g->view, a, b, 1e9);
      if (!(gig < __builtin_inf())) continue;
      pairs++;
      g->latency += latency;
      g->byte += (gig - latency) / 1e9;
    }
  }
  if (usable > 0) g->slowness /= usable;
  if (pairs > 0) g->latency /= pairs;
  if (pairs > 0) g->byte /= pairs;
}

static hc_rc open_tables(hc_graph *g, const hc_allocator *a)
{
  const hc_services *s = g->s;
  for (uint32_t h = 0; h < g->hosts; h++) {
    const int64_t *capacity;
    if (!s->host_free(g->view, h, &capacity)) return HC_EUNSUPPORTED;
    g->speeds[h] = g->cell->classes[g->cell->class_of[h]].speed;
    if (!(g->speeds[h] > 0)) g->speeds[h] = 1e-9;
    TRY(hc_timetable_init(&g->tables[h], a, g->dimensions, capacity));
  }
  return 0;
}

/* What runs is there until it is believed to end. */
static hc_rc place_running(hc_graph *g)
{
  const hc_services *s = g->s;
  for (uint32_t i = 0; i < g->count; i++) {
    hc_node *n = &g->nodes[i];
    const hc_holding *held;
    const size_t count = n->runs ? s->held(g->view, n->task, &held) : 0;
    for (size_t k = 0; k < count; k++) {
      const double began = seconds(s->started(g->view, n->task)) - seconds(s->now(g->view));
      if (k == 0) n->host = held[0].host;
      n->end = HC_MAX(began + hc_graph_length(g, n, n->host), 0);
      n->is_placed = true;
      TRY(hc_timetable_put(&g->tables[held[k].host], -1, n->end, held[k].amount, 1));
    }
  }
  return 0;
}

hc_rc hc_graph_prepare(hc_graph *g, const hc_allocator *a)
{
  const hc_services *s = g->s;
  int64_t *demands = s->scratch(g->view, (size_t)g->count * g->dimensions * sizeof *demands + 1);
  uint8_t *could = s->scratch(g->view, (size_t)g->count * g->hosts + 1);
  g->speeds = s->scratch(g->view, g->hosts * sizeof *g->speeds + 1);
  g->tables = s->scratch(g->view, g->hosts * sizeof *g->tables + 1);
  g->planned = s->scratch(g->view, g->count * sizeof *g->planned + 1);
  if (!demands || !could || !g->speeds || !g->tables || !g->planned) return HC_ENOMEM;
  TRY(open_tables(g, a));
  for (uint32_t i = 0; i < g->count; i++) {
    const hc_node *n = &g->nodes[i];
    for (uint32_t d = 0; d < g->dimensions; d++)
      demands[(size_t)i * g->dimensions + d] = s->demand(g->view, n->task, d);
    for (uint32_t h = 0; h < g->hosts && n->is_wanted; h++)
      could[(size_t)i * g->hosts + h] = s->could(g->view, n->task, h);
  }
  g->demands = demands;
  g->could = could;
  measure(g);
  return place_running(g);
}

void hc_graph_end(hc_graph *g)
{
  for (uint32_t h = 0; g->tables && h < g->hosts; h++)
    if (g->tables[h].allocator) hc_timetable_fini(&g->tables[h]);
}

/* ---- trying ---- */

bool hc_graph_try(const hc_graph *g, uint32_t node, uint32_t host, double *start, double *end)
{
  const hc_node *n = &g->nodes[node];
  double ready = n->earliest, longest = 0;
  if (!g->could[(size_t)node * g->hosts + host]) return false;
  for (uint32_t k = 0; k < n->count; k++) {
    const hc_edge *x = &g->edges[n->first + k];
    const hc_node *from = x->from == HC_NO_NODE ? NULL : &g->nodes[x->from];
    const uint32_t at = from ? from->host : x->host;
    if (from && !from->is_placed) continue;
    const double takes = at == HC_NO_HOST || !(x->bytes > 0) ? 0 : g->s->takes(g->view, at, host, x->bytes);
    const double from_then = from ? from->end : 0;
    if (g->late) longest = HC_MAX(longest, takes);
    ready = HC_MAX(ready, g->late ? from_then : from_then + takes);
  }
  const double length = hc_graph_length(g, n, host) + longest;
  if (!(ready < __builtin_inf()) || !(length < __builtin_inf())) return false;
  *start = hc_timetable_gap(&g->tables[host], ready, length, g->demands + (size_t)node * g->dimensions);
  *end = *start + length;
  return *start < __builtin_inf();
}

hc_rc hc_graph_place(hc_graph *g, uint32_t node, uint32_t host, double start, double end)
{
  hc_node *n = &g->nodes[node];
  n->host = host;
  n->start = start;
  n->end = end;
  n->is_placed = true;
  g->planned[g->planned_count++] = node;
  return hc_timetable_put(&g->tables[host], start, end, g->demands + (size_t)node * g->dimensions, 1);
}

hc_rc hc_graph_take_back(hc_graph *g, uint32_t node)
{
  hc_node *n = &g->nodes[node];
  const uint32_t host = n->host;
  n->is_placed = false;
  n->host = HC_NO_HOST;
  g->planned_count--;
  return hc_timetable_put(&g->tables[host], n->start, n->end, g->demands + (size_t)node * g->dimensions, -1);
}

bool hc_graph_best(const hc_graph *g, uint32_t node, uint32_t *host, double *start, double *end)
{
  bool found = false;
  for (uint32_t h = 0; h < g->hosts; h++) {
    double from, to;
    if (!hc_graph_try(g, node, h, &from, &to) || (found && to >= *end)) continue;
    found = true;
    *host = h;
    *start = from;
    *end = to;
  }
  return found;
}

bool hc_graph_is_ready(const hc_graph *g, uint32_t node)
{
  const hc_node *n = &g->nodes[node];
  for (uint32_t k = 0; k < n->count; k++) {
    const uint32_t from = g->edges[n->first + k].from;
    if (from != HC_NO_NODE && !g->nodes[from].is_placed) return false;
  }
  return true;
}

/* ---- ranks ---- */

void hc_graph_ranks(const hc_graph *g, double slowness, bool with_transfers, double *out)
{
  for (uint32_t i = g->count; i-- > 0;) {
    const uint32_t node = g->order[i];
    double most = 0;
    for (uint32_t at = g->nodes[node].out; at != HC_NO_NODE; at = g->edges[at].next) {
      const hc_edge *x = &g->edges[at];
      const double transfer = with_transfers && x->bytes > 0 ? hc_graph_transfer(g, x->bytes) : 0;
      most = HC_MAX(most, transfer + out[x->to]);
    }
    out[node] = g->nodes[node].work * slowness + most;
  }
}

typedef struct ranked {
  double rank;
  uint32_t level, node;
} ranked;

static int by_rank(const void *a, const void *b)
{
  const ranked *x = a, *y = b;
  if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

size_t hc_graph_sorted(const hc_graph *g, const double *ranks, uint32_t *out)
{
  ranked *all = g->s->scratch(g->view, g->count * sizeof *all + 1);
  size_t n = 0;
  if (!all) return SIZE_MAX;
  for (uint32_t i = 0; i < g->count; i++)
    if (g->nodes[i].is_wanted) all[n++] = (ranked){ranks[i], g->nodes[i].level, i};
  qsort(all, n, sizeof *all, by_rank);
  for (size_t i = 0; i < n; i++) out[i] = all[i].node;
  return n;
}
