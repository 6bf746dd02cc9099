/* lookahead.c -- HEFT that looks ahead: each host is tried with what then follows.
 *
 * Bittencourt, Sakellariou and Madeira, PDP 2010. Cost: with all that follows O(n^2 h^2) trials for n tasks
 * and h hosts. */
#include "base/util.h"
#include "policy/workflow/planner.h"

typedef struct options {
  hc_planner_options planner;
  int64_t depth;
  int what;
} options;

enum { ALL, CHILDREN };
#define FAR UINT32_MAX

typedef struct looking {
  hc_graph *g;
  const options *o;
  uint32_t *sorted;
  size_t n;
  uint32_t *depth; /* [count] */
} looking;

static void spread(const looking *l, uint32_t node)
{
  const uint32_t own = l->depth[node];
  if (own == FAR) return;
  for (uint32_t at = l->g->nodes[node].out; at != HC_NO_NODE; at = l->g->edges[at].next) {
    uint32_t *d = &l->depth[l->g->edges[at].to];
    *d = HC_MIN(*d, own + 1);
  }
}

/* How many steps tasks are from what is placed, or from the task at hand. */
static void measure(const looking *l, uint32_t node)
{
  const hc_graph *g = l->g;
  for (uint32_t i = 0; i < g->count; i++) l->depth[i] = FAR;
  l->depth[node] = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    const uint32_t at = g->order[i];
    if (l->o->what == ALL && g->nodes[at].is_placed) l->depth[at] = 0;
    else if (l->o->what == ALL && l->depth[at] == FAR) l->depth[at] = 1;
    spread(l, at);
  }
}

/* When the last of what is looked at ends, if a task stands where it was just placed. What is placed for
 * that is taken back. */
static hc_rc look(const looking *l, size_t first, double bound, double *makespan)
{
  hc_graph *g = l->g;
  const uint32_t before = g->planned_count;
  const int64_t most = l->o->depth > 0 ? l->o->depth : INT64_MAX;
  measure(l, l->sorted[first]);
  *makespan = g->nodes[l->sorted[first]].end;
  for (size_t i = first + 1; i < l->n && *makespan < bound; i++) {
    const uint32_t node = l->sorted[i];
    uint32_t host;
    double start, end;
    if (l->depth[node] == FAR || l->depth[node] > most) continue;
    if (!hc_graph_best(g, node, &host, &start, &end)) continue;
    TRY(hc_graph_place(g, node, host, start, end));
    *makespan = HC_MAX(*makespan, end);
  }
  while (g->planned_count > before) TRY(hc_graph_take_back(g, g->planned[g->planned_count - 1]));
  return 0;
}

static hc_rc place(const looking *l, size_t i)
{
  hc_graph *g = l->g;
  const uint32_t node = l->sorted[i];
  double best = __builtin_inf(), best_start = 0, best_end = 0;
  uint32_t best_host = HC_NO_HOST;
  for (uint32_t h = 0; h < g->hosts; h++) {
    double start, end, makespan;
    if (!hc_graph_try(g, node, h, &start, &end)) continue;
    TRY(hc_graph_place(g, node, h, start, end));
    TRY(look(l, i, best, &makespan));
    TRY(hc_graph_take_back(g, node));
    if (best_host != HC_NO_HOST && makespan >= best) continue;
    best = makespan;
    best_host = h;
    best_start = start;
    best_end = end;
  }
  return best_host == HC_NO_HOST ? 0 : hc_graph_place(g, node, best_host, best_start, best_end);
}

static hc_rc plan_all(hc_graph *g, const void *opts)
{
  double *ranks = g->s->scratch(g->view, g->count * sizeof *ranks + 1);
  looking l = {.g = g,
               .o = opts,
               .sorted = g->s->scratch(g->view, g->count * sizeof *l.sorted + 1),
               .depth = g->s->scratch(g->view, g->count * sizeof *l.depth + 1)};
  if (!ranks || !l.sorted || !l.depth) return HC_ENOMEM;
  hc_graph_ranks(g, g->slowness, true, ranks);
  l.n = hc_graph_sorted(g, ranks, l.sorted);
  if (l.n == SIZE_MAX) return HC_ENOMEM;
  for (size_t i = 0; i < l.n; i++)
    if (hc_graph_is_ready(g, l.sorted[i])) TRY(place(&l, i));
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  return hc_planner_init(c, "lookahead", opts, plan_all, out, e);
}

static const hc_param params[] = {
    HC_PLANNER_PARAMS(options),
    HC_PARAM(INT, options, depth, "steps", "0", 0, 1e6,
             "How many steps of a workflow are looked ahead. 0: to its end."),
    HC_PARAM(
        CHOICE, options, what, "all|children", "all",
        "Which tasks are looked at. all: every task that is not placed, up to `depth` steps behind those "
        "that are. children: the tasks that read from the task that is being placed, those that read from "
        "these, and so on to `depth`; the paper's variants have depth 1."),
    {0}};

const hc_policy_type hc_policy_lookahead = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "lookahead",
         .summary = "workflows by HEFT with lookahead: each task where the tasks that follow it end first, "
                    "as HEFT would place these",
         .detail =
             "By falling upward rank (as heft) each task is tried on each host, and the tasks that follow "
             "are placed behind it, each where it ends first, by their ranks; what they read from tasks that "
             "are not placed counts as no time. The host is taken for which the last of these tasks ends "
             "first; of equal ones the one that is declared first." HC_PLANNER_DETAIL,
         .source = "Bittencourt, Sakellariou and Madeira, PDP 2010, doi:10.1109/PDP.2010.56",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_PLANNER_CALLS};
