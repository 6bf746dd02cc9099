/* yt.h -- YTsaurus's way to share: operations in a tree of pools, what each is due, which starve.
 *
 * The rule `yt` beside those of shares.def. Its members are *operations*: jobs (or, by option, users).
 * Their tasks stand in the order in which they joined; a task that was preempted joins anew, behind.
 * Operations are the jobs of pools.h's tree, and stand in the line by their satisfaction. Fair shares are
 * computed at ticks, every `update` of virtual time; a tick sees what was so before it, and one before
 * which nothing changed finds what the last one found and is left out: what changes or asks something
 * first makes up for the tick that is due. So no event is needed, and the result does not depend on when
 * it is asked.
 *
 * An operation is there from its first task on, and goes at the first tick that finds nothing of it left:
 * so one whose only task is stopped and queued again, or whose start is undone, keeps its place. Until a
 * tick has admitted it, it is offered nothing.
 *
 * yt.c keeps operations, yt_shares.c computes what they are due, yt_pools.c reads the pools and
 * yt_pools_file.c those of a file, yt_tags.c says which hosts they may use, yt_modules.h which modules of
 * hosts operations are bound to, yt_stopping.c stops tasks for operations that starve. */
#ifndef HC_POLICY_SHARE_YT_H
#define HC_POLICY_SHARE_YT_H

#include "policy/share/pools.h"
#include "policy/share/rule.h"

/* Bytes without gaps: state. */
typedef struct hc_yt_operation {
  int64_t job, user;
  uint64_t birth; /* operations in the order in which they came: ties */
  double weight, satisfaction;
  double history[2];          /* of its use: what it comes to by weight, and the weights; 0: none yet */
  double best[HC_DIMENSIONS]; /* share that could run on an empty cell */
  hc_time below_since;        /* found below its fair share; HC_NEVER: it is not */
  uint32_t pool;              /* number, from 0, the root */
  uint32_t node;              /* in the tree; HC_POOL_NONE: no tick has admitted it, or it has gone */
  hc_time waits_since;        /* large: for a module, or, bound to one, for a start; HC_NEVER: for none */
  uint32_t module, padding;   /* HC_YT_NO_MODULE: none */
  uint8_t is_changed, is_gang, is_graceful;
  uint8_t is_large;  /* it takes whole hosts of one module: yt_modules.h */
  uint8_t is_moving; /* what it holds is not where it is bound to */
  uint8_t unused[3];
} hc_yt_operation;

typedef struct hc_yt_pool {
  const hc_user_pool_options *o; /* NULL: the root */
  bool is_limited;               /* it, or one above it, has a limit */
  bool is_integral;
  uint32_t operations;                               /* admitted, in it and below */
  int64_t used[HC_DIMENSIONS], limit[HC_DIMENSIONS]; /* INT64_MAX: none */
  double satisfaction;                               /* its own, not that of its members */
  hc_time below_since;
  hc_integral integral;
  double history[2];               /* as an operation's */
  int64_t suitable[HC_DIMENSIONS]; /* with tags of its own: what hosts have that it may use */
} hc_yt_pool;

/* Which hosts are modules, and how operations are bound to them: yt_modules.h. */
typedef struct hc_yt_module_options {
  const hc_list *names, *priority; /* const char *; priority: pools. None: no modules */
  double amount;                   /* GPUs in all from which an operation is bound */
  int choice;                      /* hc_yt_module_choice */
  hc_time timeout, patience;
  bool stops; /* tasks may be stopped */
} hc_yt_module_options;

typedef struct hc_yt_options {
  hc_time update;   /* 0: at each decision */
  bool by_user;     /* operations are users */
  bool by_priority; /* the weight of an operation is that of its user times the priority of its first task */
  bool caps;        /* an operation's limit is what could run on an empty cell */
  const char *main; /* dimension whose guarantees others inherit */
  const char *pools_file, *pool_tree; /* NULL: none; all of the file */
  double tolerance;
  hc_time starving_after, badly_after; /* HC_NEVER: never badly */
  const hc_cell_spec *cell;            /* borrowed; NULL: none */
  hc_time history;                     /* of the root's members, as hc_user_pool_options has it */
  hc_yt_module_options modules;
} hc_yt_options;

/* What could run of a need on an empty cell, remembered. */
typedef struct hc_yt_best {
  int64_t need[HC_DIMENSIONS];
  int64_t units;
  double share[HC_DIMENSIONS];
} hc_yt_best;

typedef struct hc_yt {
  const hc_allocator *allocator;
  hc_turns *turns; /* whose keeper this is: books, capacity, users' weights and pools */
  hc_yt_options o;
  double part[HC_DIMENSIONS]; /* 1 / capacity; 0 of nothing */
  hc_map pool_of_group, pool_of_queue;
  hc_pools tree;     /* node = number of a pool; operations behind */
  hc_arena arena;    /* what a file of pools says */
  hc_list all_pools; /* of the file, then of the options */
  hc_yt_pool *pools;
  size_t pool_count;
  bool has_limits, has_integral;
  bool has_tags;                 /* some pool may not use all hosts */
  uint8_t *admits;               /* [pool_count][classes] may its operations use hosts of a class? */
  bool has_graceful;             /* some pool's tasks are told to go */
  bool has_history;              /* use counts against members of some pool */
  struct hc_yt_modules *modules; /* NULL: none */
  hc_yt_operation *ops;          /* [op_count] by the number of the member */
  size_t op_count, op_cap;
  uint32_t *changed; /* operations whose usage or demand has */
  size_t changed_count, changed_cap;
  uint32_t *held_back; /* operations that are not admitted, as they came */
  size_t held_count, held_cap;
  hc_yt_best *bests;
  size_t best_count, best_cap;
  hc_map best_of;
  uint64_t births, ranks;
  uint64_t waiting;    /* tasks */
  hc_time updated_at;  /* the last tick */
  hc_time below_since; /* the least of all operations and pools that are below their fair shares; HC_NEVER */
  hc_time changed_at;  /* the first change since the last tick; HC_NEVER: none */
  uint64_t updates;
  /* told of what each is due, at each tick; NULL. [dims] shares. */
  hc_rc (*due)(void *ctx, uint32_t op, const double *fair, const double *demand);
  void *ctx;
} hc_yt;

extern const hc_share_rule hc_share_yt;

/* yt_pools_file.c: the file's pools, then those of the options, as `y->all_pools`. */
hc_rc hc_yt_read_pools(hc_yt *y, hc_error *e);

/* yt_pools.c */
/* The pools, and the users' weights. @return 0, HC_EUSAGE (a pool or a weight that makes no sense, with its
 * name), HC_ENOMEM. */
hc_rc hc_yt_set_up_pools(hc_yt *y, hc_error *e);
/* What pools are guaranteed and may have, as the cell is now. */
hc_rc hc_yt_measure_pools(hc_yt *y);
uint32_t hc_yt_pool_for(hc_yt *y, int64_t user, int64_t group, int64_t queue);

/* yt_tags.c */
/* What pools say of hosts, after the pools are read. @return 0, HC_EUSAGE (a formula that makes no sense),
 * HC_EUNSUPPORTED, HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_yt_read_tags(hc_yt *y, hc_error *e);
void hc_yt_free_tags(hc_yt *y);
bool hc_yt_tags_admit(const hc_yt *y, uint32_t op, uint32_t host);
/* Add up what hosts have that pools with tags may use. @return is it another amount than before? */
bool hc_yt_measure_hosts(hc_yt *y, const hc_view *v);

/* yt.c */
/* May tasks of an operation use a host, by tags and modules? */
bool hc_yt_admits(const hc_yt *y, uint32_t op, uint32_t host);
/* An operation has another usage or demand than the last tick found. */
hc_rc hc_yt_note_change(hc_yt *y, uint32_t op, hc_time now);
/* Operations of which nothing is left go; those that were held back come if their pools have room. */
hc_rc hc_yt_turn_over(hc_yt *y, hc_time at);

/* yt_shares.c */
/* The tick that is due, if one is. @param asked a decision begins: so there is one with `update` 0 */
hc_rc hc_yt_advance(hc_yt *y, hc_time now, bool asked);
/* When the next tick is that finds anything changed, as things are; HC_NEVER. */
hc_time hc_yt_next_tick(const hc_yt *y);
/* What the cell has, for the first time or since it has changed: ticks that are due have been made up for. */
hc_rc hc_yt_look_at_cell(hc_yt *y, const hc_view *v, hc_time now);
void hc_yt_measure_cell(hc_yt *y);         /* `part` follows from the capacity */
void hc_yt_satisfy(hc_yt *y, uint32_t op); /* its usage has changed */
/* Is it below its fair share, by what it holds now? */
bool hc_yt_is_below(const hc_yt *y, uint32_t op);
/* What the weight of a pool is multiplied by, for what it has used. */
double hc_yt_pool_history(const hc_yt *y, uint32_t pool);
/* What could run of it on an empty cell. */
hc_rc hc_yt_best_share(hc_yt *y, const hc_view *v, const hc_shape *s, const double **share);
hc_pool_hunger hc_yt_hunger(const hc_yt *y, uint32_t op, hc_time now); /* its own */
hc_pool_hunger hc_yt_pool_hunger(const hc_yt *y, uint32_t pool, hc_time now);
/* The worst of it and of the pools above it. */
hc_pool_hunger hc_yt_hunger_above(const hc_yt *y, uint32_t op, hc_time now);
/* From when on an operation may starve, as things are; HC_NEVER. Cost: O(1). */
hc_time hc_yt_hungry_at(const hc_yt *y);

#endif
