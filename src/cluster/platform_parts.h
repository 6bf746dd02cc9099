/* platform_parts.h -- what the files that read a platform of SimGrid share: where reading stands, and the
 * records that an element becomes. */
#ifndef HC_CLUSTER_PLATFORM_PARTS_H
#define HC_CLUSTER_PLATFORM_PARTS_H

#include "base/util.h"
#include "base/xml.h"
#include "cluster/platform.h"

#define HC_PLATFORM_POINTS ((size_t)1 << 24)
#define HC_PLATFORM_LINKS ((size_t)1 << 26)

/* A host of a star, and its links up and down, by name: joined when the zone is closed, since a backbone may
 * stand behind them. */
typedef struct hc_star_arm {
  const char *host, *up, *down;
  uint32_t line;
} hc_star_arm;

typedef struct hc_platform_reading {
  hc_platform *p;
  hc_xml_place at;
  const char *element;
  const char *const *attributes;
  uint8_t stack[HC_XML_DEPTH + 1]; /* kinds of the elements that are open */
  size_t depth;
  uint32_t zone;                  /* that is open; HC_NONE: none */
  hc_platform_route route;        /* that is open */
  uint32_t prop_host, prop_hosts; /* to which properties belong; 0 hosts: to nothing that is used */
  uint32_t prop_link;             /* to which properties of a <link> belong: the first of them */
  uint32_t backbone;              /* link of the zone that is open; HC_NONE */
  HC_LIST_OF(hc_star_arm, arms);  /* of the zone that is open */
} hc_platform_reading;

#define HC_WRONG(r, e, ...) hc_fail(e, HC_EINPUT, (r)->at.file, (r)->at.line, (r)->at.column, __VA_ARGS__)

/* ---- attributes ---- */

/** The text of an attribute; NULL if it is not there, or empty. */
const char *hc_attribute_get(const hc_platform_reading *r, const char *name);
/** It must be there. */
hc_rc hc_attribute_need(const hc_platform_reading *r, const char *name, const char **out, hc_error *e);
typedef hc_rc (*hc_platform_unit)(const char *s, double *out);
/** A number with a unit, within [least, 1e30]. @param fallback of one that is not there; negative: it must
 * be */
hc_rc hc_attribute_number(const hc_platform_reading *r, const char *name, hc_platform_unit unit, double least,
                          double fallback, double *out, hc_error *e);
/** The first speed of a list, or that of the state of power that `pstate` names. */
hc_rc hc_attribute_speed(const hc_platform_reading *r, double *out, hc_error *e);
hc_rc hc_attribute_cores(const hc_platform_reading *r, uint32_t *out, hc_error *e);

/* ---- records ---- */

hc_rc hc_reading_no_memory(const hc_platform_reading *r, hc_error *e);
/** A name in the arena. */
hc_rc hc_reading_text(hc_platform_reading *r, const char *s, const char **out, hc_error *e);
/** Append a point to the zone that is open. */
hc_rc hc_reading_point(hc_platform_reading *r, const char *name, hc_point_kind kind, uint32_t of,
                       uint32_t *point, hc_error *e);
/** The point of a name, which must be known. @param what "src", for the error */
hc_rc hc_reading_find_point(const hc_platform_reading *r, const char *what, const char *name, uint32_t *point,
                            hc_error *e);
hc_rc hc_reading_host(hc_platform_reading *r, const char *name, double speed, uint32_t cores, uint32_t *point,
                      hc_error *e);
/** Append a zone and make it the open one. */
hc_rc hc_reading_zone(hc_platform_reading *r, const char *name, hc_zone_routing routing, hc_error *e);
void hc_reading_leave_zone(hc_platform_reading *r);
/** Append a link; a split one becomes two. @param first out: its number, upwards */
hc_rc hc_reading_link(hc_platform_reading *r, const char *name, double bandwidth, double latency,
                      hc_link_policy policy, uint32_t *first, hc_error *e);
/** Append a route of `count` links in the zone that is open. */
hc_rc hc_reading_route(hc_platform_reading *r, uint32_t from, uint32_t to, const uint32_t *links,
                       size_t count, bool is_symmetrical, hc_error *e);
hc_rc hc_reading_use(hc_platform_reading *r, uint32_t link, hc_error *e);

/* ---- elements: platform_cluster.c ---- */

hc_rc hc_reading_cluster(hc_platform_reading *r, hc_error *e);
hc_rc hc_reading_cabinet(hc_platform_reading *r, hc_error *e);
hc_rc hc_reading_peer(hc_platform_reading *r, hc_error *e);
hc_rc hc_reading_host_link(hc_platform_reading *r, hc_error *e);
/** Join the hosts of a zone with the routing Cluster to its star. */
hc_rc hc_reading_star(hc_platform_reading *r, hc_error *e);
/** Coordinates, "x y z". */
hc_rc hc_reading_coordinates(hc_platform_reading *r, uint32_t point, hc_error *e);

/* platform_elements.c */
extern const hc_xml_handler hc_platform_handler; /* its ctx is set by the reader */

#endif
