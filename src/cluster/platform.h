/* platform.h -- a platform of SimGrid, as its XML file (version 4 or 4.1) tells it: zones, hosts, links,
 * routes.
 *
 * A platform is a tree of zones. In each are points (hosts, routers, zones within it), and its routing says
 * how points of one zone reach each other. Two rooms read it: the cell takes the hosts, the network the
 * rest. What is here is what the file says, with clusters and cabinets written out as hosts, and flat
 * clusters as links and routes of a star; the links of fat trees, tori and dragonflies are the network's to
 * make, from the cluster's parameters. Units are B/s, s and flop/s.
 *
 * Refused, with a place: what changes during a run (profiles of speed, bandwidth and state), wifi, actors,
 * elements that SimGrid itself no longer takes (include, storage). Disks and properties are read.
 *
 * Source: the manual and the DTD of SimGrid 3.32; its behaviour where they are silent. */
#ifndef HC_CLUSTER_PLATFORM_H
#define HC_CLUSTER_PLATFORM_H

#include "base/mem.h"

#define HC_NONE UINT32_MAX

typedef enum hc_zone_routing {
  HC_ZONE_FULL,
  HC_ZONE_FLOYD,
  HC_ZONE_DIJKSTRA,
  HC_ZONE_STAR, /* "Cluster", and flat clusters */
  HC_ZONE_VIVALDI,
  HC_ZONE_EMPTY, /* "None" */
  HC_ZONE_TORUS,
  HC_ZONE_FAT_TREE,
  HC_ZONE_DRAGONFLY
} hc_zone_routing;

typedef enum hc_point_kind { HC_POINT_HOST, HC_POINT_ROUTER, HC_POINT_ZONE } hc_point_kind;

typedef struct hc_platform_point {
  const char *name;
  hc_point_kind kind;
  uint32_t zone;  /* in which it is; HC_NONE: it is the root */
  uint32_t index; /* among the points of its zone */
  uint32_t of;    /* number of the host, or of the zone */
  bool is_placed; /* it has coordinates */
  double at[3];   /* ms, for Vivaldi's zones */
} hc_platform_point;

typedef struct hc_platform_zone {
  hc_zone_routing routing;
  uint32_t point;   /* as which it is in its parent */
  uint32_t points;  /* how many are in it */
  uint32_t zones;   /* of which zones */
  uint32_t cluster; /* torus, fat tree, dragonfly: its parameters; else HC_NONE */
  uint32_t line;
} hc_platform_zone;

typedef struct hc_platform_host {
  uint32_t point, line;
  double speed; /* flop/s of a core */
  uint32_t cores, disks;
  const char *speeds; /* as they are written, where there is one for each state of power; else NULL */
} hc_platform_host;

typedef struct hc_platform_disk {
  const char *name;
  const char *mount, *size; /* its properties of these names; NULL */
  double read, write;       /* bytes/s */
  uint32_t host;
} hc_platform_disk;

typedef enum hc_link_policy { HC_POLICY_SHARED, HC_POLICY_FATPIPE, HC_POLICY_SPLIT } hc_link_policy;

/* A split-duplex link is two of them, "x_UP" and then "x_DOWN". */
typedef struct hc_platform_link {
  const char *name;
  double bandwidth, latency;
  double idle, busy; /* W, by its property wattage_range */
  bool is_fatpipe, has_watts;
} hc_platform_link;

/* A link in a route: its number, and for a split one in which direction, which the way back exchanges. */
#define HC_USE_UP (UINT32_C(1) << 31)
#define HC_USE_DOWN (UINT32_C(1) << 30)
#define HC_USE_LINK(use) ((use) & (HC_USE_DOWN - 1))

static inline uint32_t hc_use_back(uint32_t use)
{
  return use & HC_USE_UP     ? (HC_USE_LINK(use) + 1) | HC_USE_DOWN
         : use & HC_USE_DOWN ? (HC_USE_LINK(use) - 1) | HC_USE_UP
                             : use;
}

/* A route as it is declared. In a star it leads from `from` to all (to HC_NONE), or from all to `to`. */
typedef struct hc_platform_route {
  uint32_t zone, from, to, gate_from, gate_to; /* points; gates HC_NONE: between points that are no zones */
  uint32_t first, count;                       /* in `uses` */
  bool is_symmetrical, is_bypass;
  uint32_t line;
} hc_platform_route;

/* What the links of a fat tree, torus or dragonfly are made of. */
typedef struct hc_platform_cluster {
  const char *name, *parameters;
  uint32_t zone, first_host, hosts, line;
  double bandwidth, latency, loop_bandwidth, loop_latency, limiter; /* 0: there is none */
  bool is_split;
  const uint32_t *radicals; /* [hosts] numbers in names */
} hc_platform_cluster;

typedef struct hc_platform_prop {
  uint32_t first_host, hosts;
  const char *name, *value;
} hc_platform_prop;

#define HC_LIST_OF(type, name) \
  type *name; \
  size_t name##_count, name##_cap

typedef struct hc_platform {
  const hc_allocator *allocator;
  const char *file;
  hc_arena arena;
  hc_names point_names, link_names, split_names; /* split_names: the n-th is `splits[n]`, its link upwards */
  HC_LIST_OF(hc_platform_point, points);         /* in order of point_names */
  HC_LIST_OF(hc_platform_zone, zones);           /* the first is the root */
  HC_LIST_OF(hc_platform_host, hosts);
  HC_LIST_OF(hc_platform_disk, all_disks);
  HC_LIST_OF(hc_platform_link, links); /* in order of link_names */
  HC_LIST_OF(uint32_t, splits);
  HC_LIST_OF(hc_platform_route, routes);
  HC_LIST_OF(uint32_t, uses);
  HC_LIST_OF(hc_platform_cluster, clusters);
  HC_LIST_OF(hc_platform_prop, props);
  HC_LIST_OF(hc_platform_prop, settings); /* of <config>: no hosts */
  uint64_t disks, unused;                 /* unused: properties of links and zones, which nothing uses */
} hc_platform;

/** Read a platform. @return 0; HC_EINPUT: it is wrong, HC_EUNSUPPORTED: it says what is refused, each with
 * its
 *  place; HC_ELIMIT, HC_EIO, HC_ENOMEM. `out` is empty after an error. */
hc_rc hc_platform_read(const hc_allocator *a, const char *path, hc_platform *out, hc_error *e);
void hc_platform_free(hc_platform *p);

/** Append a link. @return 0; HC_EINPUT: the name is taken; HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_platform_link_new(hc_platform *p, const char *name, const hc_platform_link *link, uint32_t line,
                           hc_error *e);

/** A number with a unit, "1.5Gf", "125MBps", "50us"; without one the plain unit. @return 0 or HC_EINPUT. */
hc_rc hc_platform_speed(const char *s, double *out);
hc_rc hc_platform_bandwidth(const char *s, double *out);
hc_rc hc_platform_time(const char *s, double *out);

#endif
