/* topology.h -- hosts in a tree of groups (switches, or zones of the cell), for placements that choose all
 * hosts of a task at once. See topology.c. */
#ifndef HC_POLICY_TOPOLOGY_H
#define HC_POLICY_TOPOLOGY_H

#include "base/util.h"
#include "hindcast/placement.h"

/* A host with room, in the order of the tree: groups of every level are segments of it. */
typedef struct hc_tree_room {
  hc_host_room *room; /* of the arrangement: its slots are turned into what the task gets when it is over */
  uint32_t slots, gets;
} hc_tree_room;

/* A group with room, or at level 0 a host: rooms from `from` up to `to`. */
typedef struct hc_tree_part {
  uint32_t from, to, level;
  uint64_t slots;
  double load;
} hc_tree_part;

typedef struct hc_place_tree {
  const hc_allocator *allocator;
  const hc_topology *topology;     /* NULL: levels are zones of the cell, and have no load */
  uint32_t hosts, levels;          /* above the hosts */
  const uint32_t *const *group_of; /* [levels] */
  const uint32_t **zones;          /* what group_of is, if they are zones */
  uint32_t *in_order;              /* [hosts] those of one group next to each other, at every level */
  /* of an arrangement */
  uint32_t *room_of;   /* [hosts] its room, or UINT32_MAX */
  hc_tree_room *rooms; /* [count] in the order of the tree */
  uint32_t count;
  hc_tree_part *parts; /* [hosts] room to work in */
} hc_place_tree;

/** @param over texts: levels of zones, from the inside out; none: switches of the run's network
 *  @return 0; HC_EUSAGE: there are no such levels, or they are not nested; HC_ENOMEM */
hc_rc hc_place_tree_init(hc_place_tree *t, const hc_policy_context *c, const hc_list *over, const char *where,
                         hc_error *e);
void hc_place_tree_fini(hc_place_tree *t);

/** Rooms in the order of the tree, none of which is given. */
void hc_place_tree_begin(hc_place_tree *t, hc_arrangement *a);
/** What was given becomes the arrangement. */
void hc_place_tree_end(hc_place_tree *t);

/** The group of a room at a level; of level 0 its host, of those above the tree 0: all are one. */
static inline uint32_t hc_place_tree_group(const hc_place_tree *t, uint32_t room, uint32_t level)
{
  const uint32_t host = t->rooms[room].room->host;
  return level == 0 ? host : level <= t->levels ? t->group_of[level - 1][host] : 0;
}

/** The part that begins at a room: the segment of its group. @param to its part may not go beyond */
hc_tree_part hc_place_tree_part(const hc_place_tree *t, uint32_t from, uint32_t to, uint32_t level);
/** All that has room is the task's. */
void hc_place_tree_give_all(hc_place_tree *t, const hc_tree_part *p);

/* ---- what placements have in common ---- */

typedef enum hc_tree_rule {
  HC_TREE_COMPACT, /* the least room that suffices; within it, the fewest groups */
  HC_TREE_UNLOADED /* groups whose cables are least in use */
} hc_tree_rule;

/** Slots in the smallest part of the tree that has enough room, near what is placed if anything is. */
void hc_place_tree_arrange(hc_place_tree *t, hc_arrangement *a, hc_tree_rule rule);

/* A placement that is nothing but a tree: the first member of its state. */
typedef struct hc_tree_place {
  hc_place_tree tree;
  const void *options;
  bool has_tree; /* on a cell of hosts */
} hc_tree_place;

/** As a placement's init: @param over as hc_place_tree_init */
hc_rc hc_tree_place_init(const hc_policy_context *c, const void *options, const hc_list *over,
                         const char *where, hc_policy **out, hc_error *e);
void hc_tree_place_fini(hc_policy *self);

#define HC_TREE_OVER_TEXT \
  "Levels of zones of the cell, from the inside out, such as [rack, row], each of whose zones lies in one " \
  "zone of the next. Default: the switches of the run's network (execution.network)."
#define HC_TREE_TEXT \
  " Groups are hosts below the same switches of the run's network, level by level (star, backbone, tree, " \
  "fat_tree, rack_tree, dragonfly), or that lie near each other there (torus, graph, full_mesh: the " \
  "network says how), or zones of the cell. A task's own constraints on zones, and on tasks that it must " \
  "not meet, are kept: its slots are placed one by one then. Cost of a decision: O(hosts that fit x " \
  "levels), and a sort of groups."

#endif
