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

#define AT(member) .offset = offsetof(options, member)

const hc_param hc_fair_params[] = {
    {.name = "share",
     .type = HC_CHOICE,
     .choices = &shares[1],
     .fallback = "drf",
     AT(share),
     .help = shares_help},
    {.name = "dimension",
     .type = HC_TEXT,
     .fallback = "cpu",
     AT(dimension),
     .help = "With share: max_min, which dimension is shared."},
    {.name = "weights",
     .type = HC_TEXT,
     .list = true,
     AT(weights),
     .help =
         "What users are due: [17=2, ann=0.5], or by dimension: [ben=cpu:1 memory:2]; others have weight 1. A user goes by "
         "the name that the source has, or by its number; * means all that are not named. So in the lists that follow."},
    {.name = "quotas",
     .type = HC_TEXT,
     .list = true,
     AT(quotas),
     .help =
         "With share: quota, what users are measured against: [ann=cpu:16 memory:64GB, \"*=10%\"]: cores, bytes, GPUs, "
         "units, or per cents of the cell. A dimension that is left out does not count. A user without: the whole cell."},
    {.name = "limits",
     .type = HC_TEXT,
     .list = true,
     AT(limits),
     .help =
         "What users may have at most, written as quotas are: a task that would go beyond does not start. With any share."},
    {.name = "guarantees",
     .type = HC_TEXT,
     .list = true,
     AT(guarantees),
     .help =
         "Minimum shares, as parts of the cell: [ann=30%, ben=cpu:0.1]. Users below theirs come before all others, by the part "
         "of it that they have: max_r used_r / (guarantee_r capacity_r). Not with fifo and hdrf."},
    {.name = "oversold",
     .type = HC_CHOICE,
     .choices = "scale|refuse",
     .fallback = "scale",
     AT(oversold),
     .help =
         "If guarantees sum to more than 100 % of a dimension. scale: all are multiplied by the largest factor that fits, as "
         "YTsaurus does, and the result says so; refuse: it is an error."},
    {.name = "half_life",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "0",
     .min = 0,
     .max = 1e10,
     AT(half_life),
     .help =
         "With drf, drfh, max_min or asset, what was used counts too: to the share that a user holds, its average share over "
         "the past is added, with weights that halve every so long. 0: the past does not count."},
    {.name = "update",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "1s",
     .min = 1e-9,
     .max = 1e9,
     AT(update),
     .help =
         "How often usage that decays, and the allocations of divisible and ceei, are looked at anew: at multiples of this "
         "time, and as things were just before. An allocation also when a user comes for the first time."},
    {.name = "expected",
     .type = HC_INT,
     .unit = "users",
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     AT(expected),
     .help =
         "With share: dynamic, how many users will come: when k of n are there, they share k / n of each dimension. Each counts "
         "with the demand of its first task. Required there."},
    {.name = "slot",
     .type = HC_TEXT,
     .list = true,
     AT(slot),
     .help =
         "With share: slots, the size of one: [\"cpu:1\", \"memory:4GB\"]. Each host is cut into as many as fit, and what is left "
         "over is used by nobody."},
    {.name = "oversized",
     .type = HC_CHOICE,
     .choices = "reject|more",
     .fallback = "reject",
     AT(oversized),
     .help =
         "With share: slots, a task larger than a slot. reject: it ends as rejected, which is counted; more: it takes as many "
         "slots of a host as hold it."},
    {.name = "pools",
     .type = HC_COMPONENT,
     .kind = HC_KIND_POOL,
     .list = true,
     AT(pools),
     .help = "With share: hdrf, the tree of pools: [{name: research, weight: 2, users: [ann, ben]}]."},
    {.name = "tree_rule",
     .type = HC_CHOICE,
     .choices = "naive|rescaled",
     .fallback = "rescaled",
     AT(tree_rule),
     .help =
         "With share: hdrf, what a pool counts as having. naive: the sum of its members. rescaled: each is first "
         "scaled to the least share among those that are not blocked, without which a member can starve."},
    {.name = "order",
     .type = HC_COMPONENT,
     .kind = HC_KIND_ORDER,
     .fallback = "fcfs",
     AT(order),
     .help = "How each user's own tasks are sorted. Not one that changes with time."},
    {.name = "task",
     .type = HC_CHOICE,
     .choices = "first_fit|head",
     .fallback = "first_fit",
     AT(task),
     .help =
         "What a user starts: the first of its tasks that fits, or only its first task. Of its tasks with equal demands "
         "only the first is tried, whatever their constraints."},
    {.name = "misfit",
     .type = HC_CHOICE,
     .choices = "next|stop",
     .fallback = "next",
     AT(misfit),
     .help = "If nothing of the chosen user's fits: the next user tries, or the offer is over."},
    {.name = "knob",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "1",
     .min = 0,
     .max = 1,
     AT(knob),
     .help =
         "f: 1 is fair. Below it, the first ceil((1 - f) U) of the U users that wait are candidates, and the one whose "
         "task goes best with the host is taken."},
    {.name = "rounding",
     .type = HC_CHOICE,
     .choices = "exact|double",
     .fallback = "exact",
     AT(rounding),
     .help =
         "Of (1 - f) U. exact: as on paper. double: as DSLab's example has it, where (1 - 0.7) 10 is above 3 and its "
         "ceiling 4."},
    {.name = "score",
     .type = HC_CHOICE,
     .choices = HC_PACKINGS,
     .fallback = "dot",
     AT(score),
     .help =
         "With a knob below 1, how a task d goes with what is free f. angle, cosine: by direction; angle_length: (1 - "
         "cos) |f| / |d|; dot: Tetris's product; drfh: sum |d_r / d_1 - f_r / f_1|."},
    {.name = "dimension_weights",
     .type = HC_REAL,
     .unit = "1",
     .list = true,
     .min = 0,
     .max = 1e9,
     AT(scale.weights),
     .help =
         "With a knob below 1, the weight of each dimension in the score: cpu, memory, disk, gpu, then others. Those "
         "behind the end of the list do not count. Not given: each has weight 1."},
    HC_NORMALISE_PARAM(options, scale, "host"),
    HC_AMOUNTS_PARAM(options, scale),
    {.name = "accept",
     .type = HC_COMPONENT,
     .kind = HC_KIND_ACCEPT,
     .fallback = "always",
     AT(accept),
     .help = "What a user says to a host on which its task fits."},
    {.name = "fallback",
     .type = HC_CHOICE,
     .choices = "nothing_started|all_refused|none|best_score|round_refused",
     .fallback = "nothing_started",
     AT(fallback),
     .help =
         "If those who could start a task have refused, the first of them starts one all the same, then the offer is "
         "over. nothing_started: only if nothing was started at this offer, as YTsaurus; all_refused: also "
         "else, as the thesis says; none: never; best_score: if nothing was started, of those who refused the one whose "
         "task goes best with the host by `score`; round_refused: only once all hosts were offered and nothing was started "
         "on any, where they are offered in rounds (offer: instant)."},
    {.name = "preempt",
     .type = HC_COMPONENT,
     .kind = HC_KIND_PREEMPT,
     .fallback = "none",
     AT(preempt),
     .help = "Which running tasks are stopped, and for whom, when what fits has been started."},
    {.name = "rounds",
     .type = HC_INT,
     .unit = "rounds",
     .fallback = "1",
     .min = 1,
     .max = 2,
     AT(rounds),
     .help =
         "2: where everybody who could start a task refuses, all are asked a second time with a lower barrier (refusal: "
         "`relaxed`) before the fallback."},
    {.name = "place",
     .type = HC_COMPONENT,
     .kind = HC_KIND_PLACE,
     .fallback = "first_fit",
     AT(place),
     .help = "Which of the hosts that are offered a task gets, where the user is not asked about each."},
    {.name = "eligibility",
     .type = HC_COMPONENT,
     .kind = HC_KIND_ELIGIBILITY,
     .fallback = "always",
     AT(eligibility),
     .help = "Which hosts may be used now, by what they are and how loaded they are."},
    {0}};
