/* levels.h -- networks in levels: hosts below switches below switches, each level with its own cables.
 *
 * The shape is a fat tree's (fat_tree.h); a tree is one with a single parent, a star one with a single
 * switch. */
#ifndef HC_NETWORK_LEVELS_H
#define HC_NETWORK_LEVELS_H

#include "network/common.h"
#include "network/fat_tree.h"

#define HC_CHOICES "d_mod_k|ecmp|static"
#define HC_CHOICE_HELP \
  "Which of several ways up a flow takes. d_mod_k: the one that follows from the destination's number, " \
  "level by level. ecmp: the one that a hash of source, destination and seed gives. static: always the " \
  "first switch and the first cable."

typedef struct hc_levels {
  hc_network_common common;
  hc_fat_tree tree;
  hc_cable cables[HC_FAT_TREE_LEVELS]; /* from a node of that level to its parents */
  uint32_t first[HC_FAT_TREE_LEVELS];  /* number of the first link of the level */
  hc_link middle;                      /* bandwidth 0: there is none; else the last of its own links */
  uint32_t spread; /* hosts are dealt out to so many switches in turn; 0: they fill one after another */
} hc_levels;

/** What a level's cables are, from lists of one value a level, of which the last holds for all above.
 *  @return 0; HC_EUSAGE: a list is empty, or longer than there are levels. */
hc_rc hc_levels_cables(const hc_network_context *c, const hc_list *bandwidths, const hc_list *latencies,
                       int duplex, uint32_t levels, hc_cable *cables, hc_error *e);
/** Make it. @param like tree, cables, middle and spread; the rest is found. @return as a network's init. */
hc_rc hc_levels_new(const hc_network_context *c, const hc_network_keys *k, const hc_levels *like,
                    hc_network **out, hc_error *e);
/** A number of each level from a list of integers. @return 0; HC_EUSAGE. */
hc_rc hc_levels_numbers(const hc_network_context *c, const char *key, const hc_list *list, uint32_t levels,
                        uint32_t fallback, uint32_t *out, hc_error *e);

void hc_levels_link(const hc_network *self, uint32_t id, hc_link *out);
void hc_levels_watts(const hc_network *self, uint32_t id, hc_link_watts *out);
void hc_levels_name(const hc_network *self, uint32_t id, char *name, size_t size);
uint32_t hc_levels_count(const hc_network *self);
uint32_t hc_levels_group(const hc_network *self, uint32_t level, uint32_t host);
bool hc_levels_group_of_link(const hc_network *self, uint32_t link, uint32_t *level, uint32_t *group);
/* The end of a network's struct. */
#define HC_LEVELS_CALLS \
  .watts = hc_levels_watts, .link = hc_levels_link, .link_name = hc_levels_name, .route = hc_levels_route, \
  .levels = hc_levels_count, .group = hc_levels_group, .group_of_link = hc_levels_group_of_link, \
  .all_pairs = hc_levels_all_pairs

hc_rc hc_levels_route(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out);
/** Of trees: where each node has one parent, by one cable. */
hc_rc hc_levels_all_pairs(const hc_network *self, const uint32_t *hosts, uint32_t count, double *weights,
                          hc_route *out);

#endif
