/* options.c -- the parameters of the policy `fair`, and what each of them means. */
#include "policy/share/options.h"

#include "policy/packing.h"
#include "policy/share/rule.h"
#include "policy/share/tetris.h"

typedef hc_fair_options options;

/* As shares.def has them: choices, "|drf|max_min" but for the first bar, and a text about each. */
#define HC_SHARE(x, text) "|" #x
static const char shares[] =
#include "policy/shares.def"
    ;
#undef HC_SHARE
#define HC_SHARE(x, text) " " #x ": " text ";"
static const char shares_help[] = "Whose turn it is: the user with the least of this."
#include "policy/shares.def"
                                  " ties go to the lower user.";
#undef HC_SHARE

const hc_param hc_fair_params[] = {
    HC_PARAM(CHOICE, options, share, &shares[1], "drf", shares_help),
    HC_PARAM(TEXT, options, dimension, "cpu", "With share: max_min, which dimension is shared."),
    HC_PARAM(TEXTS, options, weights, NULL,
             "What users are due: [17=2, ann=0.5], or by dimension: [ben=cpu:1 memory:2]; others have "
             "weight 1. A user goes by the name that the source has, or by its number; * means all that are "
             "not named. So in the lists that follow."),
    HC_PARAM(TEXTS, options, quotas, NULL,
             "With share: quota, what users are measured against: [ann=cpu:16 memory:64GB, \"*=10%\"]: "
             "cores, bytes, GPUs, units, or per cents of the cell. A dimension that is left out does not "
             "count. A user without: the whole cell."),
    HC_PARAM(TEXTS, options, limits, NULL,
             "What users may have at most, written as quotas are: a task that would go beyond does not "
             "start. With any share."),
    HC_PARAM(TEXTS, options, guarantees, NULL,
             "Minimum shares, as parts of the cell: [ann=30%, ben=cpu:0.1]. Users below theirs come before "
             "all others, by the part of it that they have: max_r used_r / (guarantee_r capacity_r). Not "
             "with fifo and hdrf."),
    HC_PARAM(CHOICE, options, oversold, "scale|refuse", "scale",
             "If guarantees sum to more than 100 % of a dimension. scale: all are multiplied by the largest "
             "factor that fits, as YTsaurus does, and the result says so; refuse: it is an error."),
    HC_PARAM(TIME, options, half_life, "s", "0", 0, 1e10,
             "With drf, drfh, max_min or asset, what was used counts too: to the share that a user holds, "
             "its average share over the past is added, with weights that halve every so long. 0: the past "
             "does not count."),
    HC_PARAM(TIME, options, update, "s", "1s", 1e-9, 1e9,
             "How often usage that decays, and the allocations of divisible and ceei, are looked at anew: "
             "at multiples of this time, and as things were just before. An allocation also when a user "
             "comes for the first time."),
    HC_PARAM(INT, options, expected, "users", "0", 0, 1e6,
             "With share: dynamic, how many users will come: when k of n are there, they share k / n of "
             "each dimension. Each counts with the demand of its first task. Required there."),
    HC_PARAM(TEXTS, options, slot, NULL,
             "With share: slots, the size of one: [\"cpu:1\", \"memory:4GB\"]. Each host is cut into as "
             "many as fit, and what is left over is used by no user."),
    HC_PARAM(CHOICE, options, oversized, "reject|more", "reject",
             "With share: slots, a task larger than a slot. reject: it ends as rejected, which is counted; "
             "more: it takes as many slots of a host as hold it."),
    HC_PARAM(COMPONENTS, options, pools, HC_KIND_POOL, NULL,
             "With share: hdrf, the tree of pools: [{name: research, weight: 2, users: [ann, ben]}]."),
    HC_PARAM(CHOICE, options, tree_rule, "naive|rescaled", "rescaled",
             "With share: hdrf, what a pool counts as having. naive: the sum of its members. rescaled: each "
             "is first scaled to the least share among those that are not blocked, without which a member "
             "can starve."),
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs",
             "How each user's own tasks are sorted. Not one that changes with time."),
    HC_PARAM(CHOICE, options, task, "first_fit|head", "first_fit",
             "What a user starts: the first of its tasks that fits, or only its first task. Of its tasks "
             "with equal demands only the first is tried, whatever their constraints."),
    HC_PARAM(CHOICE, options, misfit, "next|stop", "next",
             "If nothing of the chosen user's fits: the next user tries, or the offer is over."),
    HC_PARAM(REAL, options, knob, "1", "1", 0, 1,
             "f: 1 is fair. Below it, the first ceil((1 - f) U) of the U users that wait are candidates, "
             "and the one whose task goes best with the host is taken."),
    HC_PARAM(CHOICE, options, rounding, "exact|double", "exact",
             "Of (1 - f) U. exact: as on paper. double: as DSLab's example has it, where (1 - 0.7) 10 is "
             "above 3 and its ceiling 4."),
    HC_PARAM(CHOICE, options, score, HC_PACKINGS, "dot",
             "With a knob below 1, how a task d goes with what is free f. angle, cosine: by direction; "
             "angle_length: (1 - cos) |f| / |d|; dot: Tetris's product; drfh: sum |d_r / d_1 - f_r / f_1|."),
    HC_PARAM_AS(
        REALS, "dimension_weights", options, scale.weights, "1", NULL, 0, 1e9,
        "With a knob below 1, the weight of each dimension in the score: cpu, memory, disk, gpu, then "
        "others. Those behind the end of the list do not count. Default: each has weight 1."),
    HC_NORMALISE_PARAM(options, scale, "host"),
    HC_AMOUNTS_PARAM(options, scale),
    HC_PARAM(COMPONENT, options, accept, HC_KIND_ACCEPT, "always",
             "What a user says to a host on which its task fits."),
    HC_PARAM(CHOICE, options, fallback, "nothing_started|all_refused|none|best_score|round_refused",
             "nothing_started",
             "If those who could start a task have refused, the first of them starts one all the same, then "
             "the offer is over. nothing_started: only if nothing was started at this offer, as YTsaurus; "
             "all_refused: also else, as the thesis says; none: never; best_score: if nothing was started, "
             "of those who refused the one whose task goes best with the host by `score`; round_refused: "
             "only once all hosts were offered and nothing was started on any, where they are offered in "
             "rounds (offer: instant)."),
    HC_PARAM(COMPONENT, options, preempt, HC_KIND_PREEMPT, "none",
             "Which running tasks are stopped, and for which queued tasks, when what fits has been started."),
    HC_PARAM(INT, options, rounds, "rounds", "1", 1, 2,
             "2: where every user that could start a task refuses, all are asked a second time with a lower "
             "barrier (refusal: `relaxed`) before the fallback."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, "first_fit",
             "Which of the hosts that are offered a task gets, where the user is not asked about each."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Which hosts may be used now, by what they are and how loaded they are."),
    {0}};
