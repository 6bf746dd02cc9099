/* fair.c -- users share: the user with the least is next, and starts the first of its tasks that fits what is
 * offered.
 *
 * Offers are as offers.h has them, the order of users is that of a rule of shares.def. With `knob` below 1
 * the first ceil((1 - knob) U) of the U users that wait are candidates, and the one whose task goes best with
 * what is free is taken: Tetris between fairness and packing. Sources: Ghodsi et al., DRF, NSDI 2011;
 * Bhattacharya et al., H-DRF, SoCC 2013; Grandl et al., Tetris, SIGCOMM 2014. */
#include "base/util.h"
#include "policy/packing.h"
#include "policy/placing.h"
#include "policy/share/offers.h"
#include "policy/share/rule.h"

enum { OVERSOLD_SCALE, OVERSOLD_REFUSE };
enum { OVERSIZED_REJECT, OVERSIZED_MORE };
typedef struct options {
  int share, tree_rule, oversold, oversized;
  int task, misfit, fallback; /* offers.h */
  const char *dimension;
  hc_list weights, quotas, limits, guarantees, pools, slot;
  hc_time half_life, update;
  int64_t expected;
  hc_tetris_options tetris;
  hc_chosen order, place, eligibility, accept, preempt;
  int64_t rounds;
} options;

/* ---- what it is made of ---- */

static bool looks_at_one(const options *o)
{
  return hc_share_rules[o->share]->flags & HC_SHARE_BY_HOST;
}

static bool changes_with_time(const options *o)
{
  return o->half_life > 0 || hc_share_rules[o->share]->solve;
}

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_order_type *order = (const hc_order_type *)o->order.type;
  const hc_accept_type *accept = (const hc_accept_type *)o->accept.type;
  uint32_t out = HC_SHARES | (order->flags ? order->flags(o->order.options) : 0);
  if (!(out & (HC_NEEDS_ESTIMATE | HC_VARIES))) out |= HC_IGNORES_TIME;
  if (accept->flags) out |= accept->flags(o->accept.options);
  if (((const hc_preempt_type *)o->preempt.type)->run) out |= HC_MAY_PREEMPT;
  if (hc_tetris_mixes(&o->tetris)) out = (out & ~(uint32_t)HC_IGNORES_TIME) | HC_ASKS_JOBS;
  if (o->tetris.mix > 0) out |= HC_NEEDS_ESTIMATE;
  if (o->tetris.knob < 1 || accept->accepts || looks_at_one(o)) out |= HC_NEEDS_SCOPE;
  if (o->misfit == HC_MISFIT_STOP && changes_with_time(o))
    out |= HC_TIME_DEPENDENT; /* the first user may stop all others */
  if (accept->accepts && o->fallback == HC_FALLBACK_ROUND_REFUSED) out |= HC_WANTS_LAST_CALL;
  return out & ~(uint32_t)HC_BY_SUBMISSION;
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const options *o = opts;
  out->order = &o->order;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
}

static hc_rc check_options(const options *o, hc_error *e)
{
  if (flags(o) & HC_VARIES)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy fair", 0, 0,
        "the order %s changes with time, and users' tasks stand where they stood when they came: use one "
        "such as fcfs or sjf",
        o->order.type->name);
  if (looks_at_one(o) && ((const hc_accept_type *)o->accept.type)->accepts)
    return hc_fail(
        e, HC_EUSAGE, "policy fair", 0, 0,
        "slots and server_drf name the host themselves: leave `accept` at always, or set share: drf");
  if ((hc_share_rules[o->share]->flags & HC_SHARE_CUT) && o->tetris.knob < 1)
    return hc_fail(
        e, HC_EUSAGE, "policy fair", 0, 0,
        "a knob below 1 packs amounts, and a host that is cut into slots has none to pack: what fits is "
        "said by slots, which are all alike; set share: server_drf or drf, or leave the knob out");
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_offers_setup setup = {.turns = {.rule = hc_share_rules[o->share],
                                     .where = "policy fair",
                                     .tree_rule = (hc_hdrf_rule)o->tree_rule,
                                     .dimension = o->dimension,
                                     .lists = {&o->weights, &o->quotas, &o->limits, &o->guarantees},
                                     .pools = &o->pools,
                                     .slot = &o->slot,
                                     .scales = o->oversold == OVERSOLD_SCALE,
                                     .takes_more = o->oversized == OVERSIZED_MORE,
                                     .half_life = o->half_life,
                                     .update = o->update,
                                     .expected = o->expected,
                                     .walks = o->tetris.knob < 1 || o->fallback == HC_FALLBACK_BEST_SCORE,
                                     .lexicon = c->lexicon},
                           .tetris = o->tetris,
                           .task = o->task,
                           .misfit = o->misfit,
                           .fallback = o->fallback,
                           .rounds = o->rounds,
                           .accept = &o->accept,
                           .preempt = (const hc_preempt_type *)o->preempt.type,
                           .preempt_options = o->preempt.options,
                           .member = "user"};
  setup.tetris.heads = o->task == HC_TASK_HEAD;
  setup.tetris.stops = o->misfit == HC_MISFIT_STOP;
  TRY(check_options(o, e));
  TRY(hc_tetris_check(&setup.tetris, "policy fair", "user", e));
  return hc_offers_init(c, &setup, out, e);
}

/* ---- what it is ---- */

/* As shares.def has them: choices, "|drf|max_min" but for the first bar, and a text about each. */
#define HC_SHARE(x, text) "|" #x
static const char shares[] =
#include "policy/shares.def"
    ;
#undef HC_SHARE
#define HC_SHARE(x, text) " " #x ": " text ";"
static const char shares_help[] = "What users are compared by: the one with the least has its turn."
#include "policy/shares.def"
                                  " ties go to the lower user.";
#undef HC_SHARE

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, share, &shares[1], "drf", shares_help),
    HC_PARAM(TEXT, options, dimension, "cpu", "With share: max_min, which dimension is shared."),
    HC_PARAM(TEXTS, options, weights, NULL,
             "Weights of users: [17=2, ann=0.5], or by dimension: [ben=cpu:1 memory:2]; others have weight "
             "1. A user goes by the name that the source has, or by number; * means all that are not named. "
             "The same holds for the lists of users that follow."),
    HC_PARAM(TEXTS, options, quotas, NULL,
             "With share: quota, the quotas of users: [ann=cpu:16 memory:64GB, \"*=10%\"], in cores, bytes, "
             "GPUs, units, or percent of the cell. A dimension that is left out does not count. A user "
             "without a quota is compared with the whole cell."),
    HC_PARAM(TEXTS, options, limits, NULL,
             "Upper limits of what users hold, written like `quotas`: a task that would exceed one does not "
             "start. With any share."),
    HC_PARAM(TEXTS, options, guarantees, NULL,
             "Minimum shares, as parts of the cell: [ann=30%, ben=cpu:0.1]. Users below theirs come before "
             "all others, by the part of it that they have: max_r used_r / (guarantee_r capacity_r). Not "
             "with fifo and hdrf."),
    HC_PARAM(CHOICE, options, oversold, "scale|refuse", "scale",
             "If guarantees sum to more than 100 % of a dimension. scale: all are multiplied by the largest "
             "factor that fits, as YTsaurus does, and the result says so; refuse: it is an error."),
    HC_PARAM(TIME, options, half_life, "s", "0", 0, 1e10,
             "With drf, drfh, max_min or asset, past use counts too: to the share that a user holds, its "
             "average share over the past is added, with weights that halve in this time. 0: the past does "
             "not count."),
    HC_PARAM(TIME, options, update, "s", "1s", 1e-9, 1e9,
             "How often decaying usage, and the allocations of divisible and ceei, are computed anew: at "
             "multiples of this time, from the state just before. An allocation is computed anew also when a "
             "new user comes."),
    HC_PARAM(INT, options, expected, "users", "0", 0, 1e6,
             "With share: dynamic, the number n of users that will come: when k of them are there, they "
             "share k / n of each dimension. Each counts with the demand of its first task. Required with "
             "dynamic."),
    HC_PARAM(TEXTS, options, slot, NULL,
             "With share: slots, the size of one: [\"cpu:1\", \"memory:4GB\"]. Each host is cut into as many "
             "slots as fit, and the rest of it stays unused."),
    HC_PARAM(CHOICE, options, oversized, "reject|more", "reject",
             "With share: slots, a task larger than a slot. reject: it ends as rejected, which is counted; "
             "more: it takes as many slots of a host as hold it."),
    HC_PARAM(COMPONENTS, options, pools, HC_KIND_POOL, NULL,
             "With share: hdrf, the tree of pools: [{name: research, weight: 2, users: [ann, ben]}]."),
    HC_PARAM(CHOICE, options, tree_rule, "naive|rescaled", "rescaled",
             "With share: hdrf, the share of a pool. naive: the sum of its members' shares. rescaled: each "
             "member is first scaled to the least share among the members that are not blocked; without that "
             "a member can starve."),
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs",
             "How each user's own tasks are sorted. Orders that change with time are refused."),
    HC_PARAM(CHOICE, options, task, "first_fit|head", "first_fit",
             "What a user starts: the first of its tasks that fits, or only its first task. Of its tasks "
             "with equal demands only the first is tried, whatever their constraints."),
    HC_PARAM(CHOICE, options, misfit, "next|stop", "next",
             "If no task of the chosen user fits. next: the next user tries. stop: the offer is over."),
    HC_PARAM_AS(REAL, "knob", options, tetris.knob, "1", "1", 0, 1,
                "f: 1 is fair. Below 1, the first ceil((1 - f) U) of the U users that wait are candidates, "
                "and the one whose task goes best with the host is taken."),
    HC_TETRIS_PARAMS(options, tetris),
    HC_PARAM(COMPONENT, options, accept, HC_KIND_ACCEPT, "always",
             "How a user answers the offer of a host on which its task fits."),
    HC_PARAM(CHOICE, options, fallback, "nothing_started|all_refused|none|best_score|round_refused",
             "nothing_started",
             "If all users that could start a task have refused, the first of them starts one all the same, "
             "then the offer is over. nothing_started: only if nothing was started at this offer, as in "
             "YTsaurus; all_refused: also if something was, as in the thesis; none: never; best_score: if "
             "nothing was started, the one of those that refused whose task goes best with the host by "
             "`score`; round_refused: only once all hosts were offered and nothing was started on any, where "
             "they are offered in rounds (offer: instant)."),
    HC_PARAM(COMPONENT, options, preempt, HC_KIND_PREEMPT, "none",
             "Which running tasks are stopped, and for which queued tasks, when what fits has been started."),
    HC_PARAM(INT, options, rounds, "rounds", "1", 1, 2,
             "How often users are asked at an offer. 2: where every user that could start a task refuses, "
             "all are asked a second time with a weaker condition (refusal: `relaxed`) before the fallback."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, "first_fit",
             "Which of the offered hosts a task gets, where users do not answer for each host."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Which hosts may be used now, by their attributes and their load."),
    {0}};

const hc_policy_type hc_policy_fair = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "fair",
         .summary = "users share: the user with the least starts the first of its tasks that fits",
         .detail =
             "Meant for the architecture heartbeat, which offers hosts as they report; under monolithic the "
             "whole cell is one offer, and a knob or refusals are not possible. DSLab's FairTetris is share: "
             "drf, knob, rounding: double, task: head, misfit: stop, score: cosine, normalise: amounts, "
             "amounts: [1, 1e9].",
         .source = "Ghodsi et al., NSDI 2011; Bhattacharya et al., SoCC 2013; Grandl et al., SIGCOMM 2014",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = hc_offers_decide,
    .visit = hc_offers_visit,
    .fini = hc_offers_fini,
    .on_task_event = hc_offers_on_task_event,
    .note = hc_offers_note,
    .next_preemption = hc_offers_next_preemption,
    .finish = hc_offers_finish,
};
