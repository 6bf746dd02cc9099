/* placing.h -- what placements on hosts share: amounts as shares of something, bounds of shares over a box,
 * and what they do on a cell of processors.
 *
 * A score compares dimensions, so each amount is divided first: by what the host has, by what all hosts that
 * are up have together, by amounts that the user gives (the largest host), by what the task asks for, or by
 * nothing. Sums run over the dimensions that count: those with a weight and a divisor. A host without a GPU
 * simply has one dimension less.
 *
 * A box holds hosts between two corners. Every share is read at both ends, and a bound is the formula of
 * the score over the ends that suit it, in the same order of operations: rounding keeps order, so that the
 * bound is one in the doubles that are compared, not only on paper, and over a box of equal hosts it is
 * their score to the bit. Where a formula does not allow that the bound is widened by HC_PLACING_SLACK,
 * unless the box is a point. */
#ifndef HC_POLICY_PLACING_H
#define HC_POLICY_PLACING_H

#include "base/util.h"
#include "base/wide.h"
#include "hindcast/placement.h"

#define HC_PLACING_SLACK 1e-12

/* ---- on a cell of processors ---- */

/* The free processors with the lowest ids: what a placement that knows only hosts does where there are
 * none. */
size_t hc_place_lowest(const void *options, const hc_place_input *in, hc_range *out);

#define HC_LOWEST_TEXT " On a cell of processors it takes those with the lowest ids."

/* ---- options ---- */

typedef enum hc_divisor {
  HC_DIVIDE_BY_HOST,
  HC_DIVIDE_BY_AMOUNTS,
  HC_DIVIDE_BY_NOTHING,
  HC_DIVIDE_BY_CELL,
  HC_DIVIDE_BY_TASK
} hc_divisor;

/* How much the mean demand weighs a dimension, beside the weights given. */
typedef enum hc_learning { HC_LEARN_NOTHING, HC_LEARN_MEAN, HC_LEARN_EXP } hc_learning;

typedef struct hc_scale {
  hc_list weights; /* double, by the lexicon's number; none: 1 for each */
  hc_list amounts; /* double, the same; cores, bytes, bytes, GPUs, units */
  int by;          /* hc_divisor */
} hc_scale;

#define HC_WEIGHTS_PARAM(options, member) \
  HC_PARAM_AS(REALS, "weights", options, member.weights, "1", NULL, 0, 1e9, \
              "Weight of each dimension: cpu, memory, disk, gpu, then others in the order in which the " \
              "run names them. Those behind the end of the list do not count. Default: each has weight " \
              "1.")
#define HC_NORMALISE_PARAM_WITH(options, member, by_default, more, more_text) \
  HC_PARAM_AS(CHOICE, "normalise", options, member.by, "host|amounts|nothing|cell" more, by_default, \
              "What amounts are divided by before dimensions are compared. host: what the host has. " \
              "cell: what the hosts that are up at the time have together. amounts: the list `amounts`, " \
              "the same for all hosts. nothing: thousandths of cores and of GPUs, and bytes, as they " \
              "are." more_text)
/* Where tasks are compared on one host. Divided by what each asks for they would all be alike. */
#define HC_NORMALISE_PARAM(options, member, by_default) \
  HC_NORMALISE_PARAM_WITH(options, member, by_default, "", "")
/* Where hosts are compared for one task. */
#define HC_NORMALISE_HOSTS_PARAM(options, member, by_default) \
  HC_NORMALISE_PARAM_WITH(options, member, by_default, "|task", \
                          " task: what the task asks for, so that what is free counts such tasks; a " \
                          "dimension of which it asks for nothing does not count.")
#define HC_AMOUNTS_PARAM(options, member) \
  HC_PARAM_AS(REALS, "amounts", options, member.amounts, NULL, NULL, 0, 1e18, \
              "With normalise: amounts, the divisor of each dimension: cores, memory and disk in bytes, " \
              "GPUs, then the others in their units: the amounts of the largest host, say. A dimension " \
              "without a divisor does not count.")
#define HC_SCALE_PARAMS(options, member, by_default) \
  HC_WEIGHTS_PARAM(options, member), HC_NORMALISE_HOSTS_PARAM(options, member, by_default), \
      HC_AMOUNTS_PARAM(options, member)

/* ---- shares ---- */

typedef struct hc_share {
  double weight;
  double need, free, left; /* left: what is free behind the task */
  double whole;            /* the capacity */
  double divisor;          /* what amounts were divided by */
  uint32_t dimension;      /* the cell's own */
} hc_share;

typedef struct hc_shares {
  uint32_t count;
  double weight; /* sum of weights */
  hc_share at[HC_DIMENSIONS];
} hc_shares;

/* The two ends of each share over a box. */
typedef struct hc_share_box {
  hc_shares low, high; /* the same dimensions in the same order */
  bool fixed;          /* divisors are known: `need` and the weights are the same at both ends */
  bool sure;           /* each dimension counts on every host of the box */
  bool point;          /* both ends are the same host */
} hc_share_box;

/* What a placement has learned of demands; a scale without it has the weights that were given. */
typedef struct hc_demand hc_demand;

void hc_shares_read(const hc_scale *s, const hc_demand *demand, const hc_host_view *h, hc_shares *out);
/* @return false: no host of the box can hold the task, so that nothing has a score there. */
bool hc_share_box_read(const hc_scale *s, const hc_demand *demand, const hc_host_box *b, hc_share_box *out);

/* Sum of weight x left, and the same over the sum of weights. */
double hc_shares_left(const hc_shares *x);
double hc_shares_left_mean(const hc_shares *x);
/* Ends of that mean over a box. */
double hc_share_box_left_least(const hc_share_box *b);
double hc_share_box_left_most(const hc_share_box *b);

/* ---- vectors ---- */

double hc_cosine(const double *a, const double *b, uint32_t n); /* 0 if one of them is 0; never above 1 */
/* Greatest cosine between `a` (not negative) and a vector between two corners. */
double hc_cosine_most(const double *a, const double *low, const double *high, uint32_t n);
/* |b| - a.b / |a|: the part of b's length that is not along a; and the least over vectors between two
 * corners. */
double hc_aside(const double *a, const double *b, uint32_t n);
double hc_aside_least(const double *a, const double *low, const double *high, uint32_t n);

/* ---- demands learned from arrivals ---- */

struct hc_demand {
  int how;     /* hc_learning */
  double rate; /* HC_LEARN_EXP: exp(rate x mean) */
  uint64_t slots;
  hc_wide sum[HC_DIMENSIONS]; /* of the need of all slots that have arrived, by the lexicon's number */
  double mean[HC_DIMENSIONS]; /* sum / slots */
  uint32_t known;             /* none behind has any */
};

/* Options of a placement whose only state are such demands: the first member of its own. */
typedef struct hc_learner_options {
  hc_scale scale;
  int weigh; /* hc_learning */
  double rate;
} hc_learner_options;

#define HC_LEARNER_PARAMS(options, member) \
  HC_PARAM_AS(CHOICE, "weigh", options, member.weigh, "given|demand|exp_demand", "given", \
              "By what the weights are multiplied. given: by nothing. demand: by the mean demand of a slot " \
              "over all tasks that have arrived, divided as amounts are. exp_demand: by exp(rate x mean " \
              "demand)."), \
      HC_PARAM_AS(REAL, "rate", options, member.rate, "1", "0.01", 0, 100, \
                  "With weigh: exp_demand, the factor in the exponent.")

/* Its state, which score and bound get. */
typedef struct hc_learner {
  const hc_allocator *allocator;
  const void *options; /* hc_learner_options, and what follows them */
  hc_demand demand;
} hc_learner;

hc_rc hc_learner_init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e);
void hc_learner_arrived(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots);
hc_rc hc_learner_visit(hc_policy *self, hc_visitor *v);
void hc_learner_fini(hc_policy *self);

#endif
