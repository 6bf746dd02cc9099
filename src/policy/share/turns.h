/* turns.h -- whose turn it is: the members of a policy that shares, in the order of what they have.
 *
 * Every rule is a key of a member, the lower the earlier. The next member is the head of a line that is kept
 * in order, and a start or an end moves one of them. What members are and how their keys come about is said
 * by the rule's keeper (rule.h); there are two:
 *
 * claims.c: members are users, the key is what the rule makes of what they hold and may claim. Most keys
 * change only when what the user has, or what the cell has, changes. Two kinds change with time as well:
 * usage that decays, and shares that are measured against a computed allocation. They stand still between the
 * instants k x `update`, at each of which all are looked at anew; the answer is that of the state just before
 * that instant, whenever it is asked, so that it does not depend on who reports when. The tree of pools
 * (H-DRF) keeps its own order, and the line then only says who could fit.
 *
 * yt.h: members are operations in a tree of pools with guarantees; the key is satisfaction with a fair share
 * that is computed at ticks.
 *
 * Files: turns.c what happens; claims.c, rule/, keys.c what users may claim, targets.c computed allocations,
 * forest.c the tree; yt.c and yt_*.c. */
#ifndef HC_POLICY_SHARE_TURNS_H
#define HC_POLICY_SHARE_TURNS_H

#include "hindcast/policy.h"
#include "hindcast/view.h"
#include "policy/share/books.h"
#include "policy/share/choose.h"
#include "policy/share/due.h"
#include "policy/share/fair.h"
#include "policy/share/line.h"
#include "policy/share/pool_list.h"
#include "policy/share/ranking.h"
#include "policy/share/sites.h"
#include "policy/share/usage.h"
#include "policy/share/works.h"

typedef struct hc_turns hc_turns;
typedef struct hc_share_rule hc_share_rule;     /* rule.h */
typedef struct hc_share_keeper hc_share_keeper; /* rule.h */
struct hc_yt;                                   /* yt.h */
struct hc_yt_options;

/* What is not said is 0. */
typedef struct hc_turns_options {
  const hc_share_rule *rule;
  const char *where; /* for messages: "policy fair" */
  const struct hc_yt_options *yt;
  hc_hdrf_rule tree_rule;
  const char *dimension;              /* of max_min */
  const hc_list *lists[HC_DUE_LISTS]; /* const char *: "ann=2" */
  const hc_list *pools;               /* hc_chosen, whose options are hc_user_pool_options */
  const hc_list *slot;                /* const char *: "cpu:1" */
  bool walks;                         /* the line is kept in order */
  bool scales, takes_more;            /* guarantees; oversized tasks */
  hc_time half_life, update;          /* half_life: 0: no memory */
  int64_t expected;                   /* dynamic: how many users come */
  hc_lexicon *lexicon;
} hc_turns_options;

/* What a user may claim, by the cell's own dimensions. */
typedef struct hc_claimant {
  double weight, weights[HC_DIMENSIONS]; /* of the user; times that of the dimension */
  double quota[HC_DIMENSIONS];           /* amounts; below 0: not measured */
  double guarantee[HC_DIMENSIONS];       /* shares; 0: none */
  int64_t most[HC_DIMENSIONS];           /* amounts that it may have; INT64_MAX: no limit */
  uint8_t has_guarantee, has_most,
      unused[2]; /* unused: none of it is padding, so that it can be saved as bytes */
  uint32_t pool;
  /* state */
  double past[HC_DIMENSIONS]; /* decayed usage as an average share of the cell, as of the last update */
  double wish[HC_DIMENSIONS]; /* shares of the cell that one task takes; dynamic: the first task's */
  double target;              /* dominant share that it should have; below 0: not computed yet */
} hc_claimant;

/* The first user in a group: at which share of the group it is, and through which of the group's members. */
typedef struct hc_found {
  double share;
  uint32_t leaf, node; /* leaf: HC_NOBODY if all are blocked */
} hc_found;

struct hc_turns {
  const hc_allocator *allocator;
  const hc_services *services;
  const hc_share_keeper *keeper;
  hc_turns_options o;
  uint8_t which[HC_DIMENSIONS];
  int64_t capacity[HC_DIMENSIONS]; /* as the keeper looked at it last */
  hc_dues dues;
  hc_pool_list pools;
  hc_books books;
  hc_line line;       /* of rules that keep an order: members that may start something */
  hc_ranking ranking; /* of those under which hosts are offered one by one, in its place (is_ranked) */
  size_t cursor;      /* in the ranking: what stands before it has left, or does not fit */
  uint32_t in_line;   /* members in the line */
  bool is_ranked;     /* members that have left stay in the ranking, and are passed over */
  bool is_broken;     /* something could not be noted for want of memory: the run ends with this round */
  hc_works *works;    /* NULL: the jobs of tasks do not matter */
  void (*gone)(void *ctx, uint32_t member); /* told of members that have no task any more; may be NULL */
  void *ctx;
  struct hc_yt *yt; /* NULL: what follows is kept */
  /* ---- users and their claims ---- */
  uint32_t dimension;  /* the lexicon's number */
  hc_claimant *claims; /* [books.member_count] */
  size_t claim_cap;
  hc_usage *usage; /* [books.member_count][HC_DIMENSIONS], with a half-life */
  size_t usage_cap;
  hc_arrivals arrivals;          /* with HC_SHARE_ARRIVALS */
  hc_sites sites;                /* with HC_SHARE_BY_HOST */
  int64_t all_slots, free_slots; /* of the cell; of the host that was entered */
  int64_t here[HC_DIMENSIONS];   /* what that host has */
  uint64_t *oversized;           /* serials of tasks that fit into no slot, to be rejected */
  size_t oversized_count, oversized_cap;
  uint64_t extra; /* dynamic: users beyond those who were expected */
  hc_hdrf tree;
  hc_line
      *forests; /* [forest_count] of the root and each pool: the users in it, by their share and least need */
  hc_found *found; /* [forest_count] scratch: the first in each */
  size_t forest_count;
  bool is_by_host;   /* each host is shared by itself */
  bool has_tree;     /* it is up to date with the books */
  bool is_stale;     /* keys are to be made anew */
  bool is_dirty;     /* demands have changed since targets were computed */
  bool is_fresh;     /* a user came who has no target, */
  hc_time fresh_at;  /* then */
  hc_time refreshed; /* the last update; -1: none */
  uint32_t *by_leaf; /* [leaf_cap] users by id, in the order of the tree's leaves */
  size_t leaf_cap;
};

/* @return 0, HC_EUSAGE (a weight or a pool that makes no sense, with its name), HC_ENOMEM. */
hc_rc hc_turns_init(hc_turns *t, const hc_policy_context *c, const hc_turns_options *o, hc_error *e);
void hc_turns_fini(hc_turns *t);
/* As hc_policy_type.on_task_event. @param member out: whose task it is. */
hc_rc hc_turns_hear(hc_turns *t, const hc_view *v, hc_task_event what, hc_task task, const int64_t *amounts,
                    uint32_t *member);
/* As hc_policy_type.cell_changed. */
hc_rc hc_turns_cell_changed(hc_turns *t, const hc_view *v);
/* Before a decision: see what the cell has now, and what time it is. Cost: O(dimensions), O(members) if that
 * has changed. */
hc_rc hc_turns_open(hc_turns *t, const hc_view *v);
/* Does the rule look at one host at a time? Then enter each before it is decided on. Cost: O(users who are
 * there). */
static inline bool hc_turns_by_host(const hc_turns *t)
{
  return t->is_by_host;
}
/* @param host HC_NO_SITE: leave the one that was entered; capacity [dims] of it */
void hc_turns_enter(hc_turns *t, uint32_t host, const int64_t *capacity);
/* Whether the host that was entered has no slot left. */
static inline bool hc_turns_is_full(const hc_turns *t)
{
  return t->sites.is_cut && t->free_slots <= 0;
}
/* Whose turn it is, of the members of which a queued task could fit into `free` (NULL: anything); HC_NOBODY:
 * there is none. */
uint32_t hc_turns_next(hc_turns *t, const int64_t *free);
/* Would a task of this shape stay within what its member may have? */
bool hc_turns_has_room(const hc_turns *t, uint32_t shape);
/* May a task of this shape start, as far as the limits of pools above its member go? */
bool hc_turns_allows(const hc_turns *t, uint32_t shape);
/* As hc_books_first, of what the member may have. */
uint32_t hc_turns_first(const hc_turns *t, uint32_t user, const int64_t *free, uint64_t number);
/* Members that may start something, or could but for limits that keepers do not look at. */
static inline uint32_t hc_turns_in_line(const hc_turns *t)
{
  return t->is_ranked ? t->ranking.in : t->in_line;
}
/* What is free is another: begin with the first again. */
static inline void hc_turns_rewind(hc_turns *t)
{
  t->cursor = 0;
}
/* Take a member out of the line, or put it back. */
void hc_turns_leave(hc_turns *t, uint32_t user, bool is_out);
/* Does member `x` come before `y` in the line? */
bool hc_turns_before(const hc_turns *t, uint32_t x, uint32_t y);
void hc_turns_note(const hc_turns *t, hc_buffer *out);
hc_rc hc_turns_visit(hc_turns *t, hc_visitor *v);

/* ---- between the files of this part ---- */

/* keys.c: make out what the user may claim, now that the cell has this; and the user's key, guarantees
 * first. */
void hc_keys_settle(hc_turns *t, uint32_t user);
double hc_keys_of(const hc_turns *t, uint32_t user);
/* Could the user start anything without going over its limit? */
bool hc_keys_may(const hc_turns *t, uint32_t user);
/* turns.c: stand where the keeper says. */
void hc_turns_stand(hc_turns *t, uint32_t user);
/* targets.c: what divisible tasks would get now. @return 0, HC_ENOMEM. */
hc_rc hc_targets_compute(hc_turns *t);
/* dynamic: let in those who came since. */
hc_rc hc_targets_admit(hc_turns *t);
/* forest.c: the tree of pools. */
hc_rc hc_forest_read(hc_turns *t, hc_error *e);
hc_rc hc_forest_build(hc_turns *t, hc_error *e);
void hc_forest_fini(hc_turns *t);
/* The user stands in the line or not, and what it has may be another. @return 0, HC_ENOMEM. */
hc_rc hc_forest_stand(hc_turns *t, uint32_t user, bool is_in);
/* The user that H-DRF takes if those who cannot fit into `free` are blocked; HC_NOBODY. */
uint32_t hc_forest_next(hc_turns *t, const int64_t *free);

#endif
