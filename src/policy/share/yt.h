/* yt.h -- what YTsaurus's scheduler keeps in mind: operations in a tree of pools, what each is due, who
 * starves.
 *
 * An *operation* is a job (or, by option, a user): its tasks wait in one line for each shape of demand, in
 * the order in which they joined; a task that was preempted joins anew, behind. Operations are the jobs of
 * pools.h's tree. Fair shares are computed at ticks, every `update` of virtual time; a tick sees what was so
 * before it, and one before which nothing changed finds what the last one found and is left out: whoever
 * changes or asks something first makes up for the tick that is due (hc_yt_advance). So no event is needed,
 * and the result does not depend on who asks when.
 *
 * yt_pools.c reads the pools, yt_books.c keeps operations and their tasks, yt_shares.c computes what they are
 * due. */
#ifndef HC_POLICY_SHARE_YT_H
#define HC_POLICY_SHARE_YT_H

#include "base/mem.h"
#include "hindcast/policy.h"
#include "policy/share/due.h"
#include "policy/share/pools.h"
#include "policy/share/user_pool.h"

#define HC_YT_NONE UINT32_MAX

/* A task that waits. */
typedef struct hc_yt_waiter {
  uint64_t rank; /* in the order of joining */
  uint64_t serial;
  hc_task task;
  uint32_t padding;
} hc_yt_waiter;

/* Tasks of an operation that need the same. */
typedef struct hc_yt_shape {
  int64_t need[HC_DIMENSIONS]; /* of one slot */
  int64_t units;               /* slots */
  uint64_t tried;              /* number of the offer in which its head could not start */
  hc_yt_waiter *line;          /* [first + count] */
  size_t first, count, cap;
} hc_yt_shape;

typedef struct hc_yt_operation {
  uint64_t key; /* in the index */
  int64_t job, user;
  uint64_t birth; /* operations in the order in which they came: ties */
  uint64_t waiting, running;
  int64_t used[HC_DIMENSIONS], pending[HC_DIMENSIONS]; /* of the cell in all */
  int64_t least[HC_DIMENSIONS];                        /* of the needs of its shapes */
  double weight, satisfaction;
  double best[HC_DIMENSIONS]; /* share that could run on an empty cell */
  hc_time below_since;        /* found below its fair share; HC_NEVER: it is not */
  uint32_t pool;              /* number, from 0, the root */
  uint32_t node;              /* in the tree; HC_POOL_NONE: not yet admitted */
  uint32_t next;              /* of the free ones */
  bool is_here, is_known;     /* is_known: the last tick saw it */
  bool is_changed, is_listed, is_gang;
  hc_yt_shape *shapes;
  size_t shape_count, shape_cap;
} hc_yt_operation;

typedef struct hc_yt_pool {
  const hc_user_pool_options *o; /* NULL: the root */
  uint32_t parent;               /* a lower number */
  bool is_limited;               /* it, or one above it, has a limit */
  bool is_integral;
  uint32_t operations;                               /* admitted, in it and below */
  int64_t used[HC_DIMENSIONS], limit[HC_DIMENSIONS]; /* INT64_MAX: none */
  double satisfaction;                               /* its own, not that of its members */
  hc_time below_since;
  hc_integral integral;
} hc_yt_pool;

typedef struct hc_yt_options {
  hc_time update;   /* 0: whenever somebody asks */
  bool by_user;     /* operations are users */
  bool by_priority; /* the weight of an operation is that of its user times the priority of its first task */
  bool caps;        /* an operation's limit is what could run on an empty cell */
  const char *main; /* dimension whose guarantees others inherit */
  const hc_list *pools, *weights;
  const char *pools_file, *pool_tree; /* NULL: none; all of the file */
  double tolerance;
  hc_time starving_after, badly_after; /* HC_NEVER: never badly */
} hc_yt_options;

/* What could run of a need on an empty cell, remembered. */
typedef struct hc_yt_best {
  int64_t need[HC_DIMENSIONS];
  int64_t units;
  double share[HC_DIMENSIONS];
} hc_yt_best;

typedef struct hc_yt {
  const hc_allocator *allocator;
  const hc_services *services;
  hc_lexicon *lexicon;
  hc_yt_options o;
  uint32_t dims; /* 0: nobody has come yet */
  uint8_t which[HC_DIMENSIONS];
  int64_t capacity[HC_DIMENSIONS];
  double part[HC_DIMENSIONS]; /* 1 / capacity; 0 of nothing */
  hc_dues dues;               /* of users: weights and pools */
  hc_map pool_of_group, pool_of_queue;
  hc_pools tree;     /* node = number of a pool; operations behind */
  hc_arena arena;    /* what a file of pools says */
  hc_list all_pools; /* of the file, then of the options */
  hc_yt_pool *pools;
  size_t pool_count;
  bool has_limits, has_integral;
  hc_map index; /* -> operation */
  hc_yt_operation *ops;
  size_t op_count, op_cap;
  uint32_t vacant;
  size_t here;       /* operations that are here */
  uint32_t *changed; /* operations whose usage or demand has */
  size_t changed_count, changed_cap;
  uint32_t *line; /* operations that wait and are known, the least satisfied first, once sorted */
  size_t line_count, line_cap;
  uint32_t *scratch;
  size_t scratch_cap;
  uint32_t *held_back; /* operations that are not admitted, as they came */
  size_t held_count, held_cap;
  bool is_unsorted, is_broken;
  hc_yt_best *bests;
  size_t best_count, best_cap;
  hc_map best_of;
  uint64_t births, ranks;
  uint64_t waiting;    /* tasks */
  hc_time updated_at;  /* the last tick */
  hc_time below_since; /* the least of all operations and pools that are below their fair shares; HC_NEVER */
  hc_time changed_at;  /* the first change since the last tick; HC_NEVER: none */
  uint64_t updates;
  /* told of operations that go for good; NULL */
  void (*gone)(void *ctx, uint32_t op);
  /* told of what each is due, at each tick; NULL. [dims] shares. */
  hc_rc (*due)(void *ctx, uint32_t op, const double *fair, const double *demand);
  void *ctx;
} hc_yt;

/* yt_pools_file.c: the file's pools, then those of the options, as `y->all_pools`. */
hc_rc hc_yt_read_pools(hc_yt *y, hc_error *e);

/* yt_pools.c */
/* @return 0, HC_EUSAGE (a pool or a weight that makes no sense, with its name), HC_ENOMEM. */
hc_rc hc_yt_init(hc_yt *y, const hc_policy_context *c, const hc_yt_options *o, hc_error *e);
void hc_yt_fini(hc_yt *y);
/* What pools are guaranteed and may have, as the cell is now. */
hc_rc hc_yt_measure_pools(hc_yt *y);
uint32_t hc_yt_pool_for(hc_yt *y, int64_t user, int64_t group, int64_t queue);

/* yt_books.c */
/* As hc_policy_type.on_task_event; ticks that are due come first. @param op out: whose task it is;
 * HC_YT_NONE: none's */
hc_rc hc_yt_hear(hc_yt *y, const hc_view *v, hc_task_event what, hc_task t, const int64_t *amounts,
                 uint32_t *op);
/* The first waiting task of an operation that needs at most `free` [dims] (NULL: any) on one host, of shapes
 * that were not tried in offer `number`: its shape, or HC_YT_NONE. @param head only the first of all */
uint32_t hc_yt_first(const hc_yt *y, uint32_t op, const int64_t *free, uint64_t number, bool head);
/* A task waits, behind the others of its shape. @param need [dims] */
hc_rc hc_yt_join(hc_yt *y, hc_yt_operation *o, const int64_t *need, int64_t units, const hc_yt_waiter *w);
/* It stands in the line, if it waits and is known. */
hc_rc hc_yt_list(hc_yt *y, uint32_t op);
/* Operations that nobody needs any more go; those that were held back come if their pools have room. */
hc_rc hc_yt_turn_over(hc_yt *y);
/* May the operation's pools take this much more? */
bool hc_yt_allows(const hc_yt *y, uint32_t op, const hc_yt_shape *s);
hc_rc hc_yt_visit(hc_yt *y, hc_visitor *v);
void hc_yt_books_fini(hc_yt *y);

/* yt_shares.c */
/* The tick that is due, if one is. @param asked somebody is about to ask: so there is one with `update` 0 */
hc_rc hc_yt_advance(hc_yt *y, hc_time now, bool asked);
/* What the cell has, for the first time or since it has changed: ticks that are due have been made up for. */
hc_rc hc_yt_look_at_cell(hc_yt *y, const hc_view *v, hc_time now);
void hc_yt_satisfy(hc_yt *y, uint32_t op); /* its usage has changed */
hc_rc hc_yt_sort(hc_yt *y);                /* the line */
bool hc_yt_is_before(const hc_yt *y, uint32_t a, uint32_t b);
hc_pool_hunger hc_yt_hunger(const hc_yt *y, uint32_t op, hc_time now); /* its own */
hc_pool_hunger hc_yt_pool_hunger(const hc_yt *y, uint32_t pool, hc_time now);
/* From when on somebody may starve, as things are; HC_NEVER. Cost: O(1). */
hc_time hc_yt_hungry_at(const hc_yt *y);
/* The worst of it and of the pools above it. */
hc_pool_hunger hc_yt_hunger_above(const hc_yt *y, uint32_t op, hc_time now);
/* What could run on an empty cell. */
hc_rc hc_yt_best_share(hc_yt *y, const hc_view *v, const hc_yt_shape *s, const double **share);

#endif
