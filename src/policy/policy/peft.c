/* peft.c -- PEFT: an optimistic cost table says what the rest of a workflow takes from a host on.
 *
 * Arabnejad and Barbosa, IEEE TPDS 25(3), 2014. Cost: O(edges h^2) for the table, O(n h) trials. */
#include "base/util.h"
#include "policy/workflow/planner.h"

typedef struct options {
  hc_planner_options planner;
  int estimate;
} options;

enum { MEAN, ROUTE };

/* Of an edge, from a host to another. */
static double transfer(const hc_graph *g, const options *o, double bytes, uint32_t from, uint32_t to)
{
  if (!(bytes > 0)) return 0;
  if (o->estimate == ROUTE) return g->s->takes(g->view, from, to, bytes);
  return from == to ? 0 : hc_graph_transfer(g, bytes);
}

/* table[t][p] = max over c that read of t, min over hosts q: table[c][q] + length of c on q + transfer. */
static void fill(const hc_graph *g, const options *o, double *table)
{
  for (uint32_t i = g->count; i-- > 0;) {
    const uint32_t node = g->order[i];
    for (uint32_t p = 0; p < g->hosts; p++) {
      double most = 0;
      for (uint32_t at = g->nodes[node].out; at != HC_NO_NODE; at = g->edges[at].next) {
        const hc_edge *x = &g->edges[at];
        double least = __builtin_inf();
        for (uint32_t q = 0; q < g->hosts; q++) {
          if (!g->could[(size_t)x->to * g->hosts + q]) continue;
          const double takes = table[(size_t)x->to * g->hosts + q] + hc_graph_length(g, &g->nodes[x->to], q) +
                               transfer(g, o, x->bytes, p, q);
          least = HC_MIN(least, takes);
        }
        if (least < __builtin_inf()) most = HC_MAX(most, least);
      }
      table[(size_t)node * g->hosts + p] = most;
    }
  }
}

static void rank(const hc_graph *g, const double *table, double *out)
{
  for (uint32_t i = 0; i < g->count; i++) {
    double sum = 0, n = 0;
    for (uint32_t h = 0; h < g->hosts; h++) {
      if (!g->could[(size_t)i * g->hosts + h]) continue;
      sum += table[(size_t)i * g->hosts + h];
      n++;
    }
    out[i] = n > 0 ? sum / n : 0;
  }
}

static hc_rc place(hc_graph *g, const double *table, uint32_t node)
{
  double best = __builtin_inf(), start = 0, end = 0;
  uint32_t host = HC_NO_HOST;
  for (uint32_t h = 0; h < g->hosts; h++) {
    double from, to;
    if (!hc_graph_try(g, node, h, &from, &to)) continue;
    const double optimistic = to + table[(size_t)node * g->hosts + h];
    if (host != HC_NO_HOST && optimistic >= best) continue;
    best = optimistic;
    host = h;
    start = from;
    end = to;
  }
  return host == HC_NO_HOST ? 0 : hc_graph_place(g, node, host, start, end);
}

static hc_rc plan_all(hc_graph *g, const void *opts)
{
  double *table = g->s->scratch(g->view, (size_t)g->count * g->hosts * sizeof *table + 1);
  double *ranks = g->s->scratch(g->view, g->count * sizeof *ranks + 1);
  uint32_t *sorted = g->s->scratch(g->view, g->count * sizeof *sorted + 1);
  if (!table || !ranks || !sorted) return HC_ENOMEM;
  fill(g, opts, table);
  rank(g, table, ranks);
  size_t n = hc_graph_sorted(g, ranks, sorted);
  if (n == SIZE_MAX) return HC_ENOMEM;
  for (size_t i = 0; i < n;) { /* the first that is ready, again and again */
    size_t k = i;
    while (k < n && !hc_graph_is_ready(g, sorted[k])) k++;
    if (k == n) break;
    const uint32_t node = sorted[k];
    for (; k > i; k--) sorted[k] = sorted[k - 1];
    sorted[i++] = node;
    TRY(place(g, table, node));
  }
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  return hc_planner_init(c, "peft", opts, plan_all, out, e);
}

static const hc_param params[] = {
    HC_PLANNER_PARAMS(options),
    HC_PARAM(
        CHOICE, options, estimate, "mean|route", "mean",
        "Time of a transfer in the table. mean: the mean over pairs of different hosts, and 0 on one host, "
        "as in the paper. route: the time between the two hosts."),
    {0}};

const hc_policy_type hc_policy_peft = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "peft",
         .summary =
             "workflows by PEFT: each task where its end plus the optimistic time of the rest of its "
             "workflow is least",
         .detail =
             "The optimistic cost table has for each task t and host p: OCT(t, p) = max over tasks c that "
             "read from t (min over hosts q (OCT(c, q) + w(c, q) + c(t, c))), where w(c, q) is the length of "
             "c on q and the transfer c(t, c) is nothing where p = q. Of the tasks of which all parents are "
             "placed, the one with the highest mean of OCT over hosts is next, and gets the host on which "
             "end + OCT is least, in the first gap of its plan that is long enough." HC_PLANNER_DETAIL,
         .source = "Arabnejad and Barbosa, IEEE TPDS 25(3), 2014, doi:10.1109/TPDS.2013.57", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    HC_PLANNER_CALLS};
