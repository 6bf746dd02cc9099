/* fairshare.h -- the fair-share factor of users or accounts: what they have used lately against what they are
 * due.
 *
 * factor = 2^(-U / S): U is the owner's part of all usage, which decays by half every half-life
 * (share/usage.h), S its weight over the weights of all owners that have come. An owner that has used just
 * its share has 1/2, one that has used nothing 1. Factors are those of the last whole multiple of `period`,
 * as things were just before it, so that it does not matter when they are asked for; with a period of 0 they
 * are those of now.
 *
 * Usage is what the tasks of one queue hold, in one dimension. There is no tree of accounts: S is flat. Cost:
 * O(1) a start and an end, O(owners) a period. Source: Slurm's multifactor priority (PriorityDecayHalfLife,
 * PriorityCalcPeriod), its formula before Fair Tree. */
#ifndef HC_POLICY_FAIRSHARE_H
#define HC_POLICY_FAIRSHARE_H

#include "hindcast/policy.h"
#include "policy/share/due.h"
#include "policy/share/usage.h"

#define HC_FAIRSHARE_OWNERS "user|account" /* in the order of hc_fairshare_owner */
typedef enum hc_fairshare_owner { HC_FAIRSHARE_USER, HC_FAIRSHARE_ACCOUNT } hc_fairshare_owner;

typedef struct hc_fairshare_options {
  hc_time half_life, period;
  int owner; /* hc_fairshare_owner */
  const char *dimension;
  hc_list weights; /* const char *: "ann=2" */
} hc_fairshare_options;

/* Parameters of an order whose options have `member`. */
#define HC_FAIRSHARE_PARAMS(options, member) \
  HC_PARAM_AS(TIME, "half_life", options, member.half_life, "s", "7d", 1e-9, 1e10, \
              "Time after which usage counts half. never: usage is never forgotten."), \
      HC_PARAM_AS(TIME, "period", options, member.period, "s", "5m", 0, 1e9, \
                  "How often factors are computed anew, at multiples of this time. 0: at each decision."), \
      HC_PARAM_AS(CHOICE, "owner", options, member.owner, HC_FAIRSHARE_OWNERS, "user", \
                  "Whose usage is summed: each user's, or each account's (the group of a task)."), \
      HC_PARAM_AS(TEXT, "dimension", options, member.dimension, "cpu", \
                  "Dimension whose usage counts; on a cell that does not have it, the first dimension of " \
                  "the cell."), \
      HC_PARAM_AS(TEXTS, "weights", options, member.weights, NULL, \
                  "Weights of owners: [17=2, ann=0.5], by name or number; * means all that are not named. " \
                  "Default: 1 for each.")

typedef struct hc_fairshare_member {
  int64_t id;
  double weight, factor;
  hc_usage usage;
} hc_fairshare_member;

typedef struct hc_fairshare {
  const hc_allocator *allocator; /* NULL: it was never begun */
  const hc_services *services;
  const hc_fairshare_options *o;
  hc_lexicon *lexicon;
  hc_dues dues;
  hc_map index; /* id -> member */
  hc_fairshare_member *members;
  size_t count, cap;
  hc_time refreshed; /* the last period; -1: none */
} hc_fairshare;

/* @return 0, HC_EUSAGE (a weight that makes no sense, with its text), HC_ENOMEM. @param where "order
 * fairshare" */
hc_rc hc_fairshare_init(hc_fairshare *f, const hc_policy_context *c, const hc_fairshare_options *o,
                        const char *where, hc_error *e);
void hc_fairshare_fini(hc_fairshare *f);
/* As hc_order_type.on_task_event and .advance_to. */
hc_rc hc_fairshare_follow(hc_fairshare *f, const hc_view *v, hc_task_event what, hc_task t,
                          const int64_t *amounts);
void hc_fairshare_advance(hc_fairshare *f, hc_time now);
/* The factor of the task's owner: 1 if it has not come yet. */
double hc_fairshare_of(const hc_fairshare *f, const hc_order_input *task);
hc_rc hc_fairshare_visit(hc_fairshare *f, hc_visitor *v);

#endif
