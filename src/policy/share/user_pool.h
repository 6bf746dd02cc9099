/* user_pool.h -- what a configuration says of a pool of users: options of a kind that has one component.
 * Nothing is called on it; the policies fair and yt read this struct. */
#ifndef HC_POLICY_SHARE_USER_POOL_H
#define HC_POLICY_SHARE_USER_POOL_H

#include "hindcast/component.h"

/* pool user_pool: users who share together */
typedef struct hc_user_pool_options {
  const char *name, *parent; /* parent: NULL: the root */
  double weight;
  hc_list users; /* const char *: names or numbers */
  /* for the policy yt alone */
  hc_list groups, queues; /* const char *: numbers, or names */
  int mode;               /* hc_pool_mode */
  hc_list strong, limit;  /* const char *: "cpu=100", "memory=30%" */
  int integral;           /* hc_pool_integral, of pools.h */
  double burst, flow;     /* shares of the cell */
  int64_t max_running;    /* operations; 0: any number */
  bool gangs;
  bool graceful;   /* running tasks beyond its operations' fair shares are told, not stopped for others */
  const char *tags; /* NULL: any host */
  hc_time history; /* half-life of the use of its members that counts against them; 0: none does */
} hc_user_pool_options;

typedef enum hc_pool_mode { HC_POOL_MODE_FAIR, HC_POOL_MODE_FIFO } hc_pool_mode;

/* Does it say anything that only the policy yt hears? */
static inline bool hc_user_pool_is_rich(const hc_user_pool_options *o)
{
  return o->groups.count > 0 || o->queues.count > 0 || o->mode != HC_POOL_MODE_FAIR || o->strong.count > 0 ||
         o->limit.count > 0 || o->integral != 0 || o->burst > 0 || o->flow > 0 || o->max_running > 0 ||
         o->gangs || o->tags || o->graceful || o->history > 0;
}

#endif
