/* fair_record.h -- what the records of the policy `fair` hold: options of a kind that has one component. Nothing is
 * called on it; the policy reads this struct. */
#ifndef HC_POLICY_FAIR_RECORD_H
#define HC_POLICY_FAIR_RECORD_H

#include "hindcast/base.h"

/* pool user_pool: users who share together */
typedef struct hc_user_pool_options {
  const char *name, *parent; /* parent: NULL: the root */
  double weight;
  hc_list users; /* const char *: names or numbers */
} hc_user_pool_options;

#endif
