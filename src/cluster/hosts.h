/* hosts.h -- hosts with vectors: what each has free, what fits where, and the best place for a task.
 *
 * A task asks for `slots` times the vector `need`. A slot lies on one host; several may share a host unless
 * `spread`. A part of a GPU comes from one device; whole GPUs are devices that no other task uses. A task that
 * wants hosts whole gets hosts that nothing is on, and all they have.
 *
 * The index is a tree of bounds over hosts in order of id: each node has, for every dimension, the most and the
 * least that is free below it, and two derived dimensions (the fullest part of a GPU that is free, and whether a
 * host is idle). First fit descends to the lowest host whose vector fits; a best score is found by branch and
 * bound with the chooser's own bound. Shapes that failed are remembered until something is given back.
 * Costs are measured in bench/bench_hosts.c, the ordinary and the adversarial.
 *
 * Arrays `need`, `free`, `capacity` are by the cell's own dimensions (hc_hosts_which). */
#ifndef HC_CLUSTER_HOSTS_H
#define HC_CLUSTER_HOSTS_H

#include "base/util.h"
#include "hindcast/cell.h"
#include "hindcast/chooser.h"

typedef struct hc_hosts hc_hosts;

/* What a task asks for. */
typedef struct hc_request {
  const int64_t *need; /* [dimensions] of one slot; not looked at if `whole` */
  int64_t units;       /* processors, on a cell of those: nothing else is looked at there */
  uint32_t slots;      /* at least 1; the hosts of more->chunks come in addition */
  uint32_t more;       /* handle in the lexicon: constraints, sets, zones, limits, chunks; 0: none */
  bool whole, spread;
  uint64_t serial;  /* of the task: names its random stream */
  uint32_t draws;   /* places that it was given before and did not keep: each has draws of its own */
  hc_time estimate; /* for placements that look at it */
} hc_request;

/* What a task has on one host. */
typedef struct hc_grant {
  uint32_t host;
  uint32_t slots; /* of `need`; or 1 if `chunk` is not 0 */
  uint32_t chunk; /* 0: of the task's own need; n: more->chunks[n - 1] */
  uint32_t padding;
  hc_devices devices; /* of which it has a part or all */
} hc_grant;

/* What else than amounts decides whether a host may be used now, and what placements are told beside them. */
typedef struct hc_hosts_gate {
  void *ctx;
  /* NULL: every host may be used. @param need by the cell's dimensions; NULL: the host as a whole */
  bool (*admits)(void *ctx, uint32_t host, const int64_t *need);
  void (*look)(void *ctx, hc_host_view *view); /* NULL: there is nothing to add */
} hc_hosts_gate;

/* Why a task can never run here. */
typedef enum hc_never {
  HC_NEVER_FALSE,      /* it could, on an idle cell with every host up */
  HC_NEVER_TOO_LARGE,  /* no host has so much, or not enough hosts do */
  HC_NEVER_CONSTRAINT, /* no host, or not enough hosts, meet its constraints */
  HC_NEVER_NO_HOST     /* it names hosts, a set or a level that are not there */
} hc_never;

/** @param spec, lexicon borrowed for its life. @param seed, replication of random placements.
 *  @return 0; HC_EUSAGE (no hosts, too many devices, an impossible set: with the name); HC_ENOMEM. */
hc_rc hc_hosts_new(const hc_allocator *a, const hc_cell_spec *spec, hc_lexicon *lexicon, uint64_t seed,
                   uint64_t replication, hc_hosts **out, hc_error *e);
void hc_hosts_free(hc_hosts *h);

/** The cell's dimensions: those that any class of hosts has, or the cell as a whole, ascending. */
uint32_t hc_hosts_dimensions(const hc_hosts *h);
const uint8_t *hc_hosts_which(const hc_hosts *h);
/** True if dimension `d` (the cell's own number) belongs to the cell as a whole. */
bool hc_hosts_is_shared(const hc_hosts *h, uint32_t d);
/** Sums over hosts that are up (shared: of the cell): what exists, and what is free. Free may be negative after a
 *  shrink. O(1). */
int64_t hc_hosts_capacity(const hc_hosts *h, uint32_t d);
int64_t hc_hosts_free_sum(const hc_hosts *h, uint32_t d);
/** As much of it as tasks could get: what is free where anything is. A host that holds more than it has, since it shrank,
 *  takes nothing away from the others. O(1), and one step for each such host. */
int64_t hc_hosts_free_most(hc_hosts *h, uint32_t d);
bool hc_hosts_owes(const hc_hosts *h);                                               /* perhaps one does */
void hc_hosts_sums(const hc_hosts *h, uint32_t d, int64_t *capacity, int64_t *free); /* both at once */
uint32_t hc_hosts_up(const hc_hosts *h);                                             /* hosts that are up */
uint32_t hc_hosts_idle(const hc_hosts *h);        /* of them, those that nothing is on */
const uint32_t *hc_hosts_held(const hc_hosts *h); /* [units] how many grants are on each */
/** Of one host: what it has (0 while it is away) and what is free on it. */
const int64_t *hc_hosts_capacity_of(const hc_hosts *h, uint32_t host);
const int64_t *hc_hosts_free_of(const hc_hosts *h, uint32_t host);

/** What the task takes of the cell as a whole. @return false: more than there can be. */
bool hc_hosts_shared_need(const hc_hosts *h, const hc_request *r, const hc_task_extras *m,
                          int64_t out[HC_DIMENSIONS]);
/** Of a host that is, or was last, taken whole: what it had then. That is what its task holds until it gives it back,
 *  whatever has become of the host. */
const int64_t *hc_hosts_taken_of(const hc_hosts *h, uint32_t host);

/** Could it ever run, on an idle cell with every host of the spec up? Remembered by shape. */
hc_never hc_hosts_never(hc_hosts *h, const hc_request *r);
/** Is more held on a host than it has, as after it shrank: of a dimension, of one of these devices, of
 *  anything? A host that is taken whole lacks nothing. Cost: O(1), O(devices), O(dimensions + devices). */
bool hc_hosts_lacks(const hc_hosts *h, uint32_t host, uint32_t d);
bool hc_hosts_lacks_devices(const hc_hosts *h, uint32_t host, const hc_devices *of);
bool hc_hosts_lacks_any(const hc_hosts *h, uint32_t host);
/** May a task have so many slots and so long a limit in a set? @param set its name in the lexicon, or
 * HC_NO_NAME */
bool hc_hosts_set_allows(const hc_hosts *h, uint32_t set, int64_t slots, hc_time limit);
/** Could all of it run on this one host, were the host up and idle: by its amounts and devices, and by what the task
 *  says of hosts? Limits on rivals and what belongs to the whole cell are not looked at. A task with chunks is one of
 *  several hosts: false. O(dimensions). */
bool hc_hosts_could_on(hc_hosts *h, const hc_request *r, uint32_t host);
/** Where it would go now. @param scope [scope_count] hosts that may be used; 0: all. @param out grants ascending by
 *  host, borrowed until the next call. @return how many; 0: it does not fit now; or HC_ENOMEM. */
hc_rc hc_hosts_choose(hc_hosts *h, const hc_request *r, const hc_chooser *c, const hc_range *scope,
                      size_t scope_count, const hc_grant **out);
/** The same with hosts that a policy names, [count] ascending: as many slots on each as fit, in order.
 *  @return how many grants; 0: it does not fit there; or HC_ENOMEM. */
hc_rc hc_hosts_choose_on(hc_hosts *h, const hc_request *r, const hc_range *hosts, size_t count,
                         const hc_grant **out);
/** The same with so many slots on each, at least 1, and as many in all as the task has. Cost: O(count). */
hc_rc hc_hosts_choose_dealt(hc_hosts *h, const hc_request *r, const hc_host_room *dealt, size_t count,
                            const hc_grant **out);
/** Are two amounts of a host all that counts: no GPUs, no licences, no third dimension? */
bool hc_hosts_is_plain(const hc_hosts *h);
/** On such a cell, for one slot: choose the first or the next host with room and take it.
 *  @return HC_NO_HOST if there is none. */
uint32_t hc_hosts_take_one(hc_hosts *h, const int64_t *need, hc_choice how);
void hc_hosts_give_one(hc_hosts *h, const int64_t *need,
                       uint32_t host); /* what was taken so, or could have been */
/** Take what was chosen, whenever: it may have been taken by another since.
 *  @return 0; HC_ECONFLICT: it is not free, nothing changed; HC_ENOMEM. */
hc_rc hc_hosts_take(hc_hosts *h, const hc_request *r, const hc_grant *grants, size_t count);
/** Take what was just given back for the sake of a question: there need be no room for it by now.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_hosts_take_again(hc_hosts *h, const hc_request *r, const hc_grant *grants, size_t count);
/** Give back exactly what was taken. Cannot fail. A host that is away gets it when it returns. */
void hc_hosts_give(hc_hosts *h, const hc_request *r, const hc_grant *grants, size_t count);
/** Is there room for what it holds to become `to` in each of its slots, where it is? @param r what it holds, not whole
 *  hosts; of GPUs `to` is as much @param to [dimensions] */
bool hc_hosts_resize_fits(const hc_hosts *h, const hc_request *r, const int64_t *to, const hc_grant *grants,
                          size_t count);
/** It becomes that: if hc_hosts_resize_fits says so, as it does of what is no more in any dimension. */
void hc_hosts_resize(hc_hosts *h, const hc_request *r, const int64_t *to, const hc_grant *grants,
                     size_t count);
/** A host changes. What is on it stays claimed until it is given back. @return 0 or HC_ENOMEM. */
hc_rc hc_hosts_change(hc_hosts *h, const hc_host_event *event);
bool hc_hosts_is_up(const hc_hosts *h, uint32_t host);
bool hc_hosts_takes_new(const hc_hosts *h, uint32_t host); /* it is up and not drained */
bool hc_hosts_is_idle(const hc_hosts *h, uint32_t host); /* up, takes tasks, and nothing is on it */
/** Could one slot of this need be put there now, by its amounts alone? @param need [dimensions] */
bool hc_hosts_has_room(const hc_hosts *h, uint32_t host, const int64_t *need);

/* ---- why it does not fit: hosts_refusals.c ---- */

/** What keeps one slot of a task from a host now: the first of these, in this order. */
typedef enum hc_refusal {
  HC_REFUSED_NOT,        /* nothing: it fits */
  HC_REFUSED_AWAY,       /* down, draining, or switched off */
  HC_REFUSED_SET,        /* outside the partition or set that it asks for */
  HC_REFUSED_NAME,       /* not among the hosts that it names */
  HC_REFUSED_CONSTRAINT, /* it does not meet the constraints on attributes and features */
  HC_REFUSED_ZONE,       /* in no zone of the level that it speaks of */
  HC_REFUSED_SMALL,      /* it has less than that of a dimension, idle too */
  HC_REFUSED_FULL,       /* there is less than that of a dimension left */
  HC_REFUSED_BUSY,       /* it wants the host whole, and something is on it */
  HC_REFUSED_DEVICES,    /* enough GPUs in all, but too little on any one, or too few that are free */
  HC_REFUSED_RIVALS,     /* as many of its rivals are there as it allows */
  HC_REFUSED_GATE        /* the gate: local load, eligibility, advance reservations */
} hc_refusal;

/** Say of every host what keeps one slot of its own need from it now. @param d of SMALL and FULL the first
 *  such dimension, by the cell's own number; else 0. Cost: O(hosts x dimensions). Changes nothing. @return 0
 *  or HC_ENOMEM. */
hc_rc hc_hosts_refusals(hc_hosts *h, const hc_request *r,
                        void (*each)(void *ctx, uint32_t host, hc_refusal why, uint32_t d), void *ctx);

/** How a host that a choice of one slot took compares with the others. */
typedef struct hc_hosts_ranked {
  uint32_t fitting; /* hosts on which it fits, this one among them */
  uint32_t next;    /* the best of the others; HC_NO_HOST: there is none */
  bool has_score;
  double score, next_score;
} hc_hosts_ranked;
/** @param scope [scope_count] as hc_hosts_choose Cost: O(hosts). Changes nothing. @return 0 or HC_ENOMEM. */
hc_rc hc_hosts_rank(hc_hosts *h, const hc_request *r, const hc_chooser *c, const hc_range *scope,
                    size_t scope_count, uint32_t chosen, hc_hosts_ranked *out);

/** From now on choices pass this gate. @param gate borrowed; NULL: none. */
void hc_hosts_set_gate(hc_hosts *h, const hc_hosts_gate *gate);

/** Where the round-robin placement stands is state; the index is rebuilt from amounts on loading. */
hc_rc hc_hosts_visit(hc_hosts *h, hc_visitor *v);
/** Every invariant, walked: sums, bounds, devices. Asserts. */
void hc_hosts_check(const hc_hosts *h);

/** Where the round-robin placement looks first. A choice by HC_CHOOSE_NEXT moves it: put it back after a choice
 *  that is only a question. */
uint32_t hc_hosts_turn(const hc_hosts *h);
void hc_hosts_set_turn(hc_hosts *h, uint32_t turn);

/* ---- other times: hosts_minimum.c ---- */

/* What is free on a host at some time, or the least over some time, as words of which there are as many as the
 * cell has dimensions and devices: [0] grants on it, and of them such as have it whole, the most at once;
 * [1 + d] what is free, by the cell's dimensions, perhaps negative; behind these two devices each, in
 * thousandths. The cell as a whole is host number `units`. */
typedef union hc_hosts_word {
  int64_t amount;
  int32_t part[2];
} hc_hosts_word;
typedef struct hc_hosts_minimum {
  hc_hosts_word at[1 + HC_DIMENSIONS + HC_DEVICES / 2];
} hc_hosts_minimum;
enum { HC_MINIMUM_GRANTS, HC_MINIMUM_WHOLE }; /* parts of the first word */

/* What one grant takes beside its amounts, which are [dimensions] of the cell. */
typedef struct hc_hosts_piece {
  hc_devices devices;
  int32_t each; /* of each of its devices */
  bool whole;
  bool is_plain; /* it is amounts alone, and no grant: the host has more, or less */
} hc_hosts_piece;

/** How many words that takes. */
uint32_t hc_hosts_minimum_words(const hc_hosts *h);
static inline void hc_hosts_minimum_copy(hc_hosts_word *to, const hc_hosts_word *from, uint32_t words)
{
  for (uint32_t i = 0; i < words; i++) to[i].amount = from[i].amount;
}
/** Make `h`, on which nothing is claimed, the hosts of `of` as they are now, idle. Both of one spec.
 *  @param is_up hosts that are up all the same; NULL: none */
void hc_hosts_mirror(hc_hosts *h, const hc_hosts *of, bool (*is_up)(void *ctx, uint32_t host), void *ctx);
void hc_hosts_minimum_idle(const hc_hosts *h, uint32_t host, hc_hosts_word *out);
/** From now on a host of `h` stands like this. */
void hc_hosts_set_minimum(hc_hosts *h, uint32_t host, const hc_hosts_word *s);
void hc_hosts_amounts_of(const hc_hosts *h, const hc_request *r, const hc_grant *g, int64_t *amounts,
                         hc_hosts_piece *out);
/** What a request takes of the cell as a whole. @return false: nothing belongs to the whole cell. */
bool hc_hosts_shared_amounts(const hc_hosts *h, const hc_request *r, int64_t *amounts);
/** Take a piece away (sign -1) or give it back (1). */
void hc_hosts_minimum_move(hc_hosts_word *s, const int64_t *amounts, const hc_hosts_piece *p,
                           uint32_t dimensions, int32_t sign);
/** Of each word the less free. */
static inline void hc_hosts_minimum_meet(hc_hosts_word *least, const hc_hosts_word *s, uint32_t dimensions,
                                         uint32_t words)
{
  for (int i = 0; i < 2; i++) least->part[i] = HC_MAX(least->part[i], s->part[i]);
  for (uint32_t d = 1; d <= dimensions; d++) least[d].amount = HC_MIN(least[d].amount, s[d].amount);
  for (uint32_t i = 1 + dimensions; i < words; i++)
    for (int k = 0; k < 2; k++) least[i].part[k] = HC_MIN(least[i].part[k], s[i].part[k]);
}
/** Would one slot of a request fit into that, by amounts and devices? */
bool hc_hosts_minimum_fits(const hc_hosts *h, const hc_request *r, const hc_hosts_word *s);
bool hc_hosts_has_shared(const hc_hosts *h);
/** How many devices a host can have; 0: none has any that are told apart. */
uint32_t hc_hosts_device_room(const hc_hosts *h);
/** Does a task with these rare facts limit how many of its rivals may be where it is? */
bool hc_hosts_limits(const hc_hosts *h, uint32_t more, int64_t *rival);
/** Count a task that limits in or out, and ask whether one more would be allowed on a host. @return 0 or HC_ENOMEM */
hc_rc hc_hosts_rivals_add(hc_hosts *h, uint32_t more, const hc_grant *grants, size_t count);
void hc_hosts_rivals_remove(hc_hosts *h, uint32_t more, const hc_grant *grants, size_t count);
bool hc_hosts_rivals_allow(const hc_hosts *h, uint32_t more, uint32_t host);

#endif
