/* offers.h -- an allocator's offers to frameworks: which hosts each is offered, what it has refused, what is
 * locked.
 *
 * A framework is a scheduler of the list (schedulers.h). What it is offered no other is: everything that
 * is free, or hosts with room, of which `owner` says whose they are. Until it is given back it is locked, and
 * counted so. What a framework gives back is a *filter*: a host, with what was free of it then, or
 * everything, with how often something had become free by then. When offers are made, what a framework does
 * with one and when it has to answer is the architecture's business: kind/two_level.c. */
#ifndef HC_ARCHITECTURE_OFFERS_H
#define HC_ARCHITECTURE_OFFERS_H

#include "architecture/scheduler/schedulers.h"
#include "architecture/scheduler/usage.h"

enum { HC_OFFER_ALL, HC_OFFER_FAIR_SHARE, HC_OFFER_HOSTS };
#define HC_OFFERED_NOBODY 0 /* owner of a host; else number of the framework and 1 */

typedef struct hc_offers_options {
  hc_schedulers_options schedulers;
  int offer, gang;
  int64_t hosts;
  bool revive;
  hc_time interval, refuse_for, offer_timeout, hoard_timeout, back_off;
  hc_list weights; /* double, by scheduler of the list */
} hc_offers_options;

typedef struct hc_framework {
  hc_usage_of usage;
  double weight;
  uint32_t has_offer; /* of hosts, or of everything */
  uint32_t hoards;
  uint32_t timeouts; /* of its hoarding, for this job */
  uint64_t looked;   /* `changes` when there was nothing to offer it; 0: never */
  hc_time again; /* from then on there may be, though nothing changes: it has refused something until then */
  uint64_t refused_freed; /* OFFER_ALL: `freed` when it refused everything */
  hc_time revived;        /* what it refused before this is forgotten */
  hc_time refused_at;     /* and when; -1: it has not */
  hc_time *filters;       /* [filter_count] by host: when it refused it; -1: it has not */
  int64_t *filter_free;   /* [filter_free_count] by host and dimension: what was free of it then */
  size_t filter_count, filter_cap, filter_free_count, filter_free_cap;
  hc_time deadline; /* of its offer, or of its hoarding */
  hc_time locked_since;
  int64_t locked[HC_DIMENSIONS];
  hc_range *hosts; /* [count] that it has been offered; ascending; none: everything */
  size_t count, cap;
} hc_framework;

struct hc_architecture {
  hc_schedulers all;
  const hc_offers_options *o;
  hc_framework *f; /* [all.count] */
  hc_usage_of prefill;
  uint32_t *rank; /* [all.count] */
  uint32_t hosts;
  bool has_gangs;  /* some scheduler says which jobs are; else all are, if offers are hoarded */
  uint32_t *owner; /* [hosts] who has been offered it; not for OFFER_ALL */
  /* state */
  uint32_t holder;   /* OFFER_ALL: who has been offered everything */
  uint32_t next;     /* host from which the next offer of some hosts looks on */
  uint32_t is_armed; /* a round is to come */
  hc_time wakes_at;  /* when what was declined may be offered anew, as armed last */
  uint64_t changes;  /* of what may be offered */
  uint64_t least;    /* of what tasks in line have asked for, as it was known last */
  uint64_t freed;    /* of them, those by which more became free, whatever had been offered it */
  uint64_t offers, declined, withdrawn, hoards, hoard_timeouts, deadlocks;
  double locked_time[HC_DIMENSIONS], hoarded_time[HC_DIMENSIONS]; /* amounts x ns */
};

/** Of the cell, as it is now: how many dimensions, and what the whole of it has of one. */
uint32_t hc_offers_dimensions(const hc_architecture *self);
int64_t hc_offers_capacity(const hc_architecture *self, uint32_t d);
/** A framework's dominant share over its weight. */
double hc_offers_share(const hc_architecture *self, const hc_framework *f);

/** From now on what a framework has been offered is locked as it is now. */
void hc_offers_lock(hc_architecture *self, uint32_t scheduler);
/** Count what was locked until now. */
void hc_offers_count_locked(hc_architecture *self, uint32_t scheduler);
/** Its offer, if it has one, is over: counted, and free to be offered to others. */
void hc_offers_unlock(hc_architecture *self, uint32_t scheduler);
/** It has no use for what is left of its offer: for `refuse_for` that is not offered to it. @return 0 or
 *  HC_ENOMEM */
hc_rc hc_offers_refuse(hc_architecture *self, hc_framework *f);
/** Offer it what there is, beside what it holds; lock that. @return 1, 0: there is nothing, HC_ENOMEM */
hc_rc hc_offers_make(hc_architecture *self, uint32_t scheduler);

#endif
