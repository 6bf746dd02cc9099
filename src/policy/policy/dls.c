/* dls.c -- dynamic level scheduling: the pair of a task and a host with the highest dynamic level.
 *
 * Sih and Lee, IEEE TPDS 4(2), 1993. Cost: for n tasks, of which r are ready at once, O(n r h) trials. */
#include <stdlib.h>

#include "base/util.h"
#include "policy/workflow/planner.h"

typedef struct options {
  hc_planner_options planner;
  int levels;
} options;

enum { TRANSFERS, WORK };

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Median of 1 / speed over hosts with cores. */
static double median_slowness(const hc_graph *g)
{
  double *all = g->s->scratch(g->view, g->hosts * sizeof *all + 1);
  size_t n = 0;
  if (!all) return -1;
  for (uint32_t h = 0; h < g->hosts; h++)
    if (g->cell->classes[g->cell->class_of[h]].capacity[HC_DIM_CPU] != 0) all[n++] = 1 / g->speeds[h];
  if (n == 0) return 1;
  qsort(all, n, sizeof *all, ascending);
  return n % 2 == 1 ? all[n / 2] : (all[n / 2] + all[n / 2 - 1]) / 2;
}

typedef struct choice {
  size_t at;
  uint32_t host;
  double level, start, end;
} choice;

static choice choose(const hc_graph *g, const uint32_t *sorted, size_t n, const double *levels, double median)
{
  choice best = {.host = HC_NO_HOST};
  for (size_t i = 0; i < n; i++) {
    const uint32_t node = sorted[i];
    if (g->nodes[node].is_placed || !hc_graph_is_ready(g, node)) continue;
    for (uint32_t h = 0; h < g->hosts; h++) {
      double start, end;
      if (!hc_graph_try(g, node, h, &start, &end)) continue;
      const double delta = g->nodes[node].work * (median - 1 / g->speeds[h]);
      const double level = levels[node] - start + delta;
      if (best.host == HC_NO_HOST || level > best.level) best = (choice){i, h, level, start, end};
    }
  }
  return best;
}

static hc_rc plan_all(hc_graph *g, const void *opts)
{
  const options *o = opts;
  double *levels = g->s->scratch(g->view, g->count * sizeof *levels + 1);
  uint32_t *sorted = g->s->scratch(g->view, g->count * sizeof *sorted + 1);
  const double median = median_slowness(g);
  if (!levels || !sorted || median < 0) return HC_ENOMEM;
  hc_graph_ranks(g, median, o->levels == TRANSFERS, levels);
  const size_t n = hc_graph_sorted(g, levels, sorted);
  if (n == SIZE_MAX) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const choice c = choose(g, sorted, n, levels, median);
    if (c.host == HC_NO_HOST) break;
    TRY(hc_graph_place(g, sorted[c.at], c.host, c.start, c.end));
  }
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  return hc_planner_init(c, "dls", opts, plan_all, out, e);
}

static const hc_param params[] = {
    HC_PLANNER_PARAMS(options),
    HC_PARAM(
        CHOICE, options, levels, "transfers|work", "transfers",
        "What a static level sums up on the longest path to the end. transfers: work and mean transfers, as "
        "in DSLab. work: work alone, as in the paper."),
    {0}};

const hc_policy_type hc_policy_dls = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "dls",
         .summary = "workflows by dynamic levels: the task and host whose level is highest, again and again",
         .detail =
             "DL(t, p) = SL(t) - start(t, p) + delta(t, p), over the tasks of which all parents are placed "
             "and over all hosts. SL is the longest path from t to the end of its workflow, with median "
             "lengths over hosts; start is the earliest start of t on p, with transfers, in the first gap "
             "that is long enough; delta is the median length of t less its length on p. The pair with the "
             "highest level is placed, then all levels are computed anew. Of pairs with equal levels the one "
             "of the task with the higher static level is placed, then the one of the host that is declared "
             "first." HC_PLANNER_DETAIL,
         .source = "Sih and Lee, IEEE TPDS 4(2), 1993, doi:10.1109/71.207593; DSLab for transfers in levels",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_PLANNER_CALLS};
