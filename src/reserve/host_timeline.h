/* host_timeline.h -- hosts over time, for selectors that promise every task a start: host_timeline.c keeps
 * what is held on which host and when, host_search.c looks for room in it. No others include it. */
#ifndef HC_RESERVE_HOST_TIMELINE_H
#define HC_RESERVE_HOST_TIMELINE_H

#include "reserve/parts.h"
#include "reserve/promises.h"

#define HC_TIMELINE_NONE UINT32_MAX

/* What one task holds: from now on until it is expected to end, or as promised. */
typedef struct hc_planned_claim {
  hc_task task;  /* HC_NO_TASK: the place is free */
  uint32_t span; /* first of its chain; of a free place: the next free one */
  hc_time from, to;
  bool promised;
} hc_planned_claim;

/* Its part on one host; host `units` is the cell as a whole. */
typedef struct hc_host_claim {
  hc_hosts_piece piece;
  uint32_t claim, next, host;
} hc_host_claim;

/* Something is taken (sign -1) or given back (1): a claim, or on one host a span. */
typedef struct hc_edge {
  hc_time at;
  uint32_t who;
  int32_t sign;
  hc_task task;
  bool promised;
} hc_edge;

/* In order of time; at one time what is given back comes first. */
typedef struct hc_edges {
  hc_edge *edges;
  size_t count, cap;
  size_t next; /* first edge after hc_host_timeline.at */
  /* the same of the search under way, at the last time that it asked for: times only grow */
  uint64_t search;
  size_t then_next;
} hc_edges;

typedef struct hc_host_timeline {
  hc_reserve_book base;
  hc_hosts *hosts; /* a second cell: each host has what it has at `at`, unless a search is under way */
  hc_time at;
  bool stale;          /* made anew before the next question */
  bool bulk;           /* edges are appended and sorted later */
  uint32_t host_count; /* hosts, and the cell as a whole */
  uint32_t dimensions;
  uint32_t words;        /* of a minimum */
  hc_hosts_word *minima; /* [host_count][2][words] what each host has at `at`, and where a search looks */
  uint64_t search;       /* counts searches */
  uint64_t version;      /* counts changes */
  hc_edges *edges_of;    /* [host_count] */
  hc_edges turns;        /* of claims */
  hc_planned_claim *claims;
  size_t claim_count, claim_cap;
  hc_host_claim *spans;
  size_t span_count, span_cap;
  int64_t *amounts; /* [span_cap][dimensions] */
  size_t amount_cap;
  uint32_t claim_vacant, span_vacant;
  uint32_t *claim_of; /* [claim_of_cap] by task; HC_TIMELINE_NONE */
  size_t claim_of_cap;
  double *speeds;     /* [speed_count] of classes, ascending, each once */
  uint32_t *speed_of; /* [class_count] */
  uint32_t speed_count;
  hc_time *length;     /* [speed_count] of a search: how long the task would run */
  size_t *reach;       /* [speed_count] first turn that is not in the window yet */
  uint8_t *marked;     /* [host_count] of a search: 1 set otherwise than at `at`, 2 to be set anew */
  uint32_t *set, *due; /* [host_count] those marked so */
  size_t set_count, due_count;
  hc_range *ranges; /* a scope */
  size_t range_cap;
  struct { /* the last answer */
    uint64_t version;
    hc_time at;
    bool for_start;
    hc_task task;
    uint32_t turn;
    hc_grant *grants;
    size_t count, cap;
  } found;
  hc_promises promises; /* state */
} hc_host_timeline;

static inline hc_hosts_word *hc_host_timeline_now(const hc_host_timeline *x, uint32_t host)
{
  return x->minima + (size_t)host * 2 * x->words;
}
static inline hc_hosts_word *hc_host_timeline_then(const hc_host_timeline *x, uint32_t host)
{
  return x->minima + ((size_t)host * 2 + 1) * x->words;
}

/* How a host is looked at. */
enum { HC_TIMELINE_START = 1, HC_TIMELINE_RUNNING = 2 };

/** Bring it up to now. @return 0 or HC_ENOMEM. */
hc_rc hc_host_timeline_ready(hc_reserve_book *r);
/** The least that a host has during [from, to), at least the instant `from`, without what `skip` holds.
 *  @param how HC_TIMELINE_START: what is to be given back at `from` but has not been is not free yet;
 *  HC_TIMELINE_RUNNING: promises are left out. */
void hc_host_timeline_least(const hc_reserve_book *r, uint32_t host, hc_time from, hc_time to, hc_task skip,
                            uint32_t how, hc_hosts_word *out);
/** Position of the first turn after a time. */
size_t hc_host_timeline_after(const hc_edges *l, hc_time at);

/* host_search.c: hc_reserve_type has them */
hc_slot hc_host_timeline_earliest(hc_reserve_book *r, hc_task t, hc_time from);
hc_rc hc_host_timeline_place(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant **grants,
                             size_t *count);
hc_rc hc_host_timeline_choose(hc_reserve_book *r, hc_task t, const hc_grant **grants, size_t *count);
void hc_host_timeline_chosen(hc_reserve_book *r, hc_task t);
bool hc_host_timeline_leaves(hc_reserve_book *r, hc_task t, uint32_t host);
bool hc_host_timeline_holds(hc_reserve_book *r, hc_task t, hc_time at, const hc_grant *grants, size_t count);

#endif
