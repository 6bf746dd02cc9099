/* heft.c -- HEFT: tasks by upward rank, each where it ends first.
 *
 * Topcuoglu, Hariri and Wu, IEEE TPDS 13(3), 2002. Equal ends: the host that is declared first. Cost: O(n
 * h) trials for n tasks and h hosts (policy/workflow/graph.c). */
#include "base/util.h"
#include "policy/workflow/planner.h"

typedef struct options {
  hc_planner_options planner;
} options;

static hc_rc plan_all(hc_graph *g, const void *opts)
{
  double *ranks = g->s->scratch(g->view, g->count * sizeof *ranks + 1);
  uint32_t *sorted = g->s->scratch(g->view, g->count * sizeof *sorted + 1), host;
  double start, end;
  HC_UNUSED(opts);
  if (!ranks || !sorted) return HC_ENOMEM;
  hc_graph_ranks(g, g->slowness, true, ranks);
  const size_t n = hc_graph_sorted(g, ranks, sorted);
  if (n == SIZE_MAX) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++)
    if (hc_graph_is_ready(g, sorted[i]) && hc_graph_best(g, sorted[i], &host, &start, &end))
      TRY(hc_graph_place(g, sorted[i], host, start, end));
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  return hc_planner_init(c, "heft", opts, plan_all, out, e);
}

static const hc_param params[] = {HC_PLANNER_PARAMS(options), {0}};

const hc_policy_type hc_policy_heft = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "heft",
                  .summary = "workflows by HEFT: the task with the highest upward rank, where it ends first",
                  .detail =
                      "rank(t) = w(t) + max over tasks c that read from t (c(t, c) + rank(c)), where w(t) is "
                      "the mean length of t over hosts and c(t, c) the mean transfer time, over pairs of "
                      "different hosts, of what c reads from t. By falling rank each task gets the host on "
                      "which it ends first, in the first gap of the host's plan that is long enough "
                      "(insertion). Of hosts with equal ends the one that is declared first is taken."
                      HC_PLANNER_DETAIL,
                  .source = "Topcuoglu, Hariri and Wu, IEEE TPDS 13(3), 2002, doi:10.1109/71.993206",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_PLANNER_CALLS};
