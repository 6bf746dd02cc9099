/* themis.c -- finish-time fairness: leases, and auctions among those that are treated worst.
 *
 * Of each task rho = T_shared / T_ideal: the time from its submission to its end if it goes on, or starts,
 * now, over the time that it would take on 1 / n of the cell, run x max(1, n x its share of the GPUs), where
 * n is how many tasks there are now. A task that starts has a lease: it is not stopped before the lease is
 * over, nor before the end of any further one. At such an end, and whenever something is free, candidates
 * are the tasks that wait and those whose lease is over. Of these the ceil((1 - f) x candidates) with the
 * greatest rho, and at least one, come first (the filter); among them the one that gains most for each GPU,
 * by log(rho if it waits for another lease / rho if it has GPUs now); then the others, the greatest rho
 * first.
 *
 * What is simplified against the paper: a task is an app, of one job, which has all of its GPUs or none, so
 * that a bid is one number and not a table over allocations; the auction, which maximises the product of all
 * bids' 1 / rho, is carried out greedily by the gain for each GPU, and charges no hidden payments (no task
 * lies here); GPUs that are left go to the worst of the others, not to random ones; and where they lie is the
 * placement's choice. Whether rho was reached in the end the metric finish_time says.
 *
 * Cost a decision: O(live tasks log) beside that of reranking.h. Source: Mahajan, Balasubramanian, Singhvi,
 * Venkataraman, Akella, Phanishayee and Chawla, "Themis: fair and efficient GPU cluster scheduling", NSDI
 * 2020; the defaults of f and of the lease are the paper's. */
#include "base/math.h"
#include "base/sort.h"
#include "base/util.h"
#include "policy/reranking.h"

typedef struct options {
  hc_reranking_options base;
  double f;
  hc_time lease;
} options;

/* A candidate, as the filter sees it. */
typedef struct bid {
  double rho;
  uint64_t serial;
} bid;

typedef struct themis {
  hc_reranking base;
  double total; /* GPUs of the cell */
  double tasks; /* n */
  bid cut;      /* the last that passes the filter */
} themis;

static bool is_worse(const bid *a, const bid *b)
{
  return a->rho != b->rho ? a->rho > b->rho : a->serial < b->serial;
}

HC_SORT(sort_bids, bid, is_worse(a, b))

/* ---- rho ---- */

static double left_of(const hc_reranking *r, const hc_view *v, const hc_ranked *j)
{
  if (j->state != HC_RANKED_RUNS) return (double)r->s->estimate(v, j->task);
  return (double)(r->s->expected_end(v, j->task) - r->s->now(v));
}

/* If it has its GPUs from so long after now on. */
static double rho_of(const hc_reranking *r, const hc_view *v, const hc_ranked *j, hc_time later)
{
  const themis *self = (const themis *)r;
  const double shared = (double)(r->s->now(v) - r->s->submitted(v, j->task)) + (double)later;
  const double part = self->total > 0 ? self->tasks * j->weight / self->total : 1;
  const double ideal = HC_MAX((double)j->whole, 1) * HC_MAX(part, 1);
  return (shared + left_of(r, v, j)) / ideal;
}

/* A lease is over at its whole multiples. */
static bool may_stop(hc_reranking *r, const hc_view *v, const hc_ranked *j)
{
  const hc_time runs = r->s->now(v) - j->since;
  return runs > 0 && runs % ((const options *)r->o)->lease == 0;
}

static bool is_candidate(hc_reranking *r, const hc_view *v, const hc_ranked *j)
{
  if (j->state == HC_RANKED_WAITS) return r->s->not_before(v, j->task) <= r->s->now(v);
  return j->state == HC_RANKED_RUNS && may_stop(r, v, j);
}

/* ---- the filter ---- */

/* GPUs, processors or cores of the cell, in the unit of weights. */
static double total_of(const hc_services *s, const hc_view *v)
{
  for (uint32_t d = 0; d < s->dimensions(v); d++)
    if (s->dimension_id(v, d) == HC_DIM_GPU && s->capacity(v, d) > 0)
      return (double)s->capacity(v, d) / HC_DEVICE;
  return (double)s->capacity(v, 0) / (s->host_free(v, 0, NULL) ? 1000 : 1);
}

static hc_rc begin(hc_reranking *r, hc_view *v)
{
  themis *self = (themis *)r;
  bid *bids = r->s->scratch(v, (r->count + 1) * sizeof *bids);
  size_t n = 0, pass;
  if (!bids) return HC_ENOMEM;
  self->tasks = 0;
  self->total = total_of(r->s, v);
  for (size_t i = 0; i < r->count; i++) {
    hc_ranked *j = &r->jobs[i];
    if (j->state == HC_RANKED_AWAY) continue;
    self->tasks++;
    /* Before its first start what is believed of it is all of it. */
    if (j->state == HC_RANKED_WAITS && j->first == HC_NEVER) j->whole = r->s->estimate(v, j->task);
    else if (j->state == HC_RANKED_RUNS && j->whole == 0)
      j->whole = r->s->expected_end(v, j->task) - j->since; /* it was there before the run */
  }
  for (size_t i = 0; i < r->count; i++)
    if (is_candidate(r, v, &r->jobs[i])) bids[n++] = (bid){rho_of(r, v, &r->jobs[i], 0), r->jobs[i].serial};
  sort_bids(bids, n);
  pass = n - (size_t)(((const options *)r->o)->f * (double)n + 1e-9);
  self->cut = n > 0 ? bids[HC_MIN(HC_MAX(pass, 1), n) - 1] : (bid){0};
  return 0;
}

static void rank(hc_reranking *r, const hc_view *v, hc_ranked *j)
{
  const themis *self = (const themis *)r;
  const bid its = {rho_of(r, v, j, 0), j->serial};
  const double then = rho_of(r, v, j, ((const options *)r->o)->lease);
  j->level = !is_candidate(r, v, j) ? 0 : is_worse(&self->cut, &its);
  j->key = hc_key_of_real(j->level == 0 ? -hc_log2(then / its.rho) / j->weight : -its.rho);
}

static hc_time until(hc_reranking *r, const hc_view *v, const hc_ranked *j)
{
  const hc_time lease = ((const options *)r->o)->lease, now = r->s->now(v);
  return j->state == HC_RANKED_RUNS ? hc_time_add(now, lease - (now - j->since) % lease) : HC_NEVER;
}

static const hc_rerank_rule rule = {.begin = begin, .rank = rank, .until = until, .may_stop = may_stop};

/* ---- the policy ---- */

static hc_rc init(const hc_policy_context *c, const void *given, hc_policy **out, hc_error *e)
{
  return hc_reranking_new(c, &((const options *)given)->base, &rule, sizeof(themis), "policy themis", out, e);
}

static uint32_t flags(const void *given)
{
  HC_UNUSED(given);
  return HC_MAY_PREEMPT | HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_TIME_DEPENDENT;
}

static const hc_param params[] = {
    HC_PARAM(
        REAL, options, f, "1", "0.8", 0, 1,
        "The filter: only the part 1 - f of the candidates that is treated worst takes part in an auction. "
        "1: the worst one alone. 0: all."),
    HC_PARAM(TIME, options, lease, "s", "20m", 1e-6, 1e9,
             "For how long a task that starts is not stopped; a task that runs on gets another lease at the "
             "end of each."),
    HC_RERANKING_PARAMS(options, base),
    {0}};

const hc_policy_type hc_policy_themis = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "themis",
         .summary = "finish-time fairness: leases, and auctions among the tasks that are treated worst",
         .detail =
             "rho = (time since submission + remaining time) / (run x max(1, n x the task's share of the "
             "GPUs)), with n tasks. At the end of a lease, and whenever GPUs are free, the ceil((1 - f) x "
             "candidates) tasks with the greatest rho come first, ordered among themselves by their gain for "
             "each GPU in log(rho), from now to the end of another lease; then the others, the greatest rho "
             "first. Simplified: all GPUs of a task or none, a greedy auction without hidden payments, "
             "leftovers by rho. Estimates are believed. The metric finish_time gives the rho that results.",
         .source = "Mahajan et al., Themis, NSDI 2020", .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = hc_reranking_parts,
    .init = init,
    .decide = hc_reranking_decide,
    .visit = hc_reranking_visit,
    .fini = hc_reranking_fini,
    .on_task_event = hc_reranking_hear,
};
