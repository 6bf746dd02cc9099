/* future.h -- hosts over time, for selectors that promise every task a start: future.c keeps who holds what when,
 * future_find.c looks for room in it, promises.c keeps the promises. Only the engine's files include it. */
#ifndef HC_ENGINE_FUTURE_H
#define HC_ENGINE_FUTURE_H

#include "cluster/hosts.h"
#include "engine/state.h"

#define HC_FUTURE_NONE UINT32_MAX
#define HC_FUTURE_PAST INT64_MIN /* when what runs was taken */

/* What one task holds: from now on until it is expected to end, or as promised. */
typedef struct hc_future_claim {
  hc_task task;  /* HC_NO_TASK: the place is free */
  uint32_t span; /* first of its chain; of a free place: the next free one */
  hc_time from, to;
  bool promised;
} hc_future_claim;

/* Its part on one host; host `units` is the cell as a whole. */
typedef struct hc_future_span {
  hc_hosts_piece piece;
  uint32_t claim, next, host;
} hc_future_span;

/* Something is taken (sign -1) or given back (1): a claim, or on one host a span. */
typedef struct hc_future_edge {
  hc_time at;
  uint32_t who;
  int32_t sign;
  hc_task task;
  bool promised;
} hc_future_edge;

/* In order of time; at one time what is given back comes first. */
typedef struct hc_future_lane {
  hc_future_edge *edges;
  size_t count, cap;
  hc_hosts_stand now; /* of a host, at hc_future.at */
  size_t next;        /* first edge after that */
  /* the same of the search under way, at the last time that it asked for: times only grow */
  uint64_t search;
  hc_hosts_stand then;
  size_t then_next;
} hc_future_lane;

struct hc_future {
  hc_hosts *hosts; /* the second cell: posed as the first stands at `at`, unless a search is under way */
  hc_time at;
  bool stale;          /* made anew before the next question */
  bool bulk;           /* edges are appended and sorted later */
  uint32_t lane_count; /* hosts, and the cell as a whole */
  uint64_t search;     /* counts searches */
  uint64_t version;    /* counts changes */
  hc_future_lane *lanes;
  hc_future_lane turns; /* of claims */
  hc_future_claim *claims;
  size_t claim_count, claim_cap;
  hc_future_span *spans;
  size_t span_count, span_cap;
  uint32_t claim_vacant, span_vacant;
  uint32_t *claim_of; /* [claim_of_cap] by task; HC_FUTURE_NONE */
  size_t claim_of_cap;
  double *speeds;     /* [speed_count] of classes, ascending, each once */
  uint32_t *speed_of; /* [class_count] */
  uint32_t speed_count;
  hc_time *length;       /* [speed_count] of a search: how long the task would run */
  size_t *reach;         /* [speed_count] first turn that is not in the window yet */
  uint8_t *marked;       /* [lane_count] of a search: 1 posed otherwise than at `at`, 2 to be posed anew */
  uint32_t *posed, *due; /* [lane_count] those marked so */
  size_t posed_count, due_count;
  hc_range *ranges; /* a scope */
  size_t range_cap;
  struct { /* the last answer */
    uint64_t serial, version;
    hc_time at;
    bool for_start;
    uint32_t turn;
    hc_grant *grants;
    size_t count, cap;
  } found;
  /* promises.c: state */
  struct hc_seat *seats;
  size_t seat_count, seat_cap;
  uint32_t seat_vacant;
  uint32_t *seat_of; /* [seat_of_cap] by task: first of its chain */
  size_t seat_of_cap;
};

/* How a host is looked at. */
enum { HC_FUTURE_START = 1, HC_FUTURE_RUNNING = 2 };

/** Bring it up to now. @return 0 or HC_ENOMEM. */
hc_rc hc_future_ready(hc_engine *e);
/** The least that a host has during [from, to), at least the instant `from`, without what `skip` holds.
 *  @param how HC_FUTURE_START: what is to be given back at `from` but has not been is not free yet;
 *  HC_FUTURE_RUNNING: promises are left out. */
void hc_future_stand(const hc_engine *e, uint32_t host, hc_time from, hc_time to, hc_task skip, uint32_t how,
                     hc_hosts_stand *out);
/** Position of the first turn after a time. */
size_t hc_future_after(const hc_future_lane *l, hc_time at);
hc_rc hc_future_map(hc_engine *e, uint32_t **map, size_t *cap, size_t need);

#endif
