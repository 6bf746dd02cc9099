/* dragonfly.h -- the shape of a dragonfly as Cray's Aries has it: groups of chassis of blades, a router on
 * each blade.
 *
 * Nodes hang on their router. Routers of a chassis are joined all to all ("green"), those of one blade
 * number in the chassis of a group all to all ("black"), and groups all to all by one connection each
 * ("blue"): that to group g ends at blade g of the first chassis, so that there are at most as many groups
 * as blades. A connection of a colour has its number of cables, as one link of so many times the bandwidth.
 *
 * Ways are minimal and fixed, as in SimGrid 3.32: green to the blade of the other group, black to the first
 * chassis, blue, green, black. Within a group the black hop is looked up from the first chassis after a
 * green one, which is what it does there. Source: Alverson and others, Cray XC series network, 2012;
 * SimGrid 3.32. */
#ifndef HC_NETWORK_DRAGONFLY_H
#define HC_NETWORK_DRAGONFLY_H

#include "hindcast/base.h"

#define HC_DRAGONFLY_STEPS 8

typedef enum hc_dragonfly_colour {
  HC_DRAGONFLY_LOCAL,
  HC_DRAGONFLY_GREEN,
  HC_DRAGONFLY_BLACK,
  HC_DRAGONFLY_BLUE
} hc_dragonfly_colour;

typedef struct hc_dragonfly {
  uint32_t groups, chassis, blades, nodes; /* chassis of a group, blades of a chassis, nodes of a blade */
  uint32_t green_cables, black_cables, blue_cables;
  uint32_t routers, first_green, first_black, first_blue,
      connections; /* numbers of connections: local ones first */
} hc_dragonfly;

typedef struct hc_dragonfly_step {
  uint32_t connection;
  bool is_back;      /* from its second end to its first; of local ones: from router to node */
  uint32_t from, to; /* routers; equal for local ones */
  hc_dragonfly_colour colour;
} hc_dragonfly_step;

/** @return false: a number is 0, there are too many nodes, or more groups than blades of a chassis. */
bool hc_dragonfly_init(hc_dragonfly *d);
/** The way between two nodes, by way of a router even to itself. @param steps [HC_DRAGONFLY_STEPS] out */
size_t hc_dragonfly_way(const hc_dragonfly *d, uint32_t from, uint32_t to, hc_dragonfly_step *steps);
hc_dragonfly_colour hc_dragonfly_colour_of(const hc_dragonfly *d, uint32_t connection);
/** The routers at the ends of a connection; of a local one both are its node's. */
void hc_dragonfly_ends(const hc_dragonfly *d, uint32_t connection, uint32_t ends[2]);
/** How many cables a connection has. */
uint32_t hc_dragonfly_cables(const hc_dragonfly *d, uint32_t connection);

#endif
