/* zones.h -- routes through a platform of SimGrid: zones within zones, each with a routing of its own.
 *
 * A route between two points is made as SimGrid 3.32 makes it. In the innermost zone that holds both, the
 * zones (or points) below it that hold each are joined by that zone's own routing, which names a gateway in
 * each; from the point to its gateway, and from the other gateway to the other point, the same is done
 * again. Latencies are added in its order, the middle before the ends, so that they are equal to the last
 * bit.
 *
 * What is stored: links; routes as the file declares them, by their ends; for zones with the routings Floyd
 * and Dijkstra the point before each on the way from each, a table of points squared (at most 4096 of
 * them); for stars the links of each point. Fat trees, tori and dragonflies store their links alone.
 *
 * Different from SimGrid, where that would be undefined or an endless recursion: between the gateways of
 * one zone that Dijkstra's routing passes through, the way is found as Floyd's does (SimGrid follows a null
 * pointer). */
#ifndef HC_NETWORK_ZONES_H
#define HC_NETWORK_ZONES_H

#include "base/util.h"
#include "cluster/platform.h"
#include "network/common.h"
#include "network/dragonfly.h"
#include "network/fat_tree.h"
#include "network/torus.h"

#define HC_TABLE_MOST 2048 /* points of a zone with the routing Floyd or Dijkstra */

/* Links that follow each other in `ids`, each as it is used. */
typedef struct hc_span {
  uint32_t first, count;
} hc_span;

/* A point of a star. */
typedef struct hc_arm {
  hc_span up, down, loop;
  bool has_up, has_down, has_loop;
} hc_arm;

typedef struct hc_zone_data {
  const hc_platform_zone *zone;
  uint32_t *members; /* [points] by index; of Dijkstra: by number in its graph */
  uint32_t
      *before; /* [points x points] Floyd, Dijkstra: the member before the second on the way from the first */
  uint32_t *number; /* [points] Dijkstra: number in its graph of each index; HC_NONE: it has no route */
  uint32_t count;   /* of members */
  bool has_bypass;
  uint32_t longest; /* links of its own longest route */
  uint32_t hops;    /* of it */
  /* clusters */
  union {
    hc_fat_tree tree;
    hc_torus torus;
    hc_dragonfly dragonfly;
  } shape;
  uint32_t first_link, first_loop,
      first_limiter; /* HC_NONE: there are none. Limiters: of hosts, then of switches */
  bool is_split;
} hc_zone_data;

typedef struct hc_zones {
  hc_platform platform;
  hc_arena arena;
  hc_zone_data *zones;     /* [zones_count] */
  hc_arm *arms;            /* [points_count] */
  uint32_t *ids;           /* links of arms, as they are used */
  hc_map routes, bypasses; /* from << 32 | to: route * 2 + whether it is the way back */
  uint32_t loopback;       /* link of hosts that have no other: 10 GB/s, without latency */
  uint32_t longest;
} hc_zones;

/** Take a platform, whose memory is the zones' afterwards, whatever is returned.
 *  @return 0; HC_EINPUT with a place, HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_zones_init(hc_zones *z, hc_platform *p, double loop_bandwidth, double loop_latency, hc_error *e);
void hc_zones_fini(hc_zones *z);
/** The route between two points. @param links [longest] out @return 0; HC_ENOTFOUND. */
hc_rc hc_zones_route(const hc_zones *z, uint32_t from, uint32_t to, uint32_t *links, hc_route *out);

/* zones_links.c: the links of a fat tree, torus or dragonfly. @param trees, dragonflies in, out: how many
 * leaves and cables of each came before, which are part of names and of choices. */
typedef struct hc_zone_counters {
  uint32_t leaves, tree_cables, dragonfly_connections;
} hc_zone_counters;
hc_rc hc_zone_links(hc_zones *z, uint32_t zone, hc_zone_counters *counters, hc_error *e);

/* zones_build.c */
#define HC_PAIR(from, to) ((uint64_t)(from) << 32 | (to))
hc_rc hc_zones_build(hc_zones *z, hc_error *e);
hc_rc hc_zones_tables(hc_zones *z, hc_error *e);

#endif
