/** @file network.h Networks: which links a flow between two hosts crosses, and what it is told there.
 *
 *  A network is a set of links with dense ids and a rule that gives the links between two hosts. It is fixed
 *  when it is made: nothing about it changes during a run, so that it is no state and is not visited, and
 *  two threads may ask it at once. Routes follow from the topology; none are stored where they can be
 *  computed (a fat tree of 10,000 hosts has no table). How flows share links is not a network's: a fluid
 *  model asks hc_network_route_of for each flow and needs nothing else.
 *
 *  Units: bytes per second and seconds, as double; sizes are bytes. Hosts are numbered as those of the cell.
 *
 *  A full-duplex connection is two links, one a direction; a half-duplex one is one link that both directions
 *  cross. A link is `shared` (its flows share its bandwidth) or a `fatpipe` (each flow has all of it; it
 *  bounds flows and is never divided). Every route is such a list of links and a bound of its own:
 *
 *      constant   no links; each flow is bounded by the route's bandwidth
 *      shared     one link that all flows between hosts cross
 *      topology   the links between the hosts
 *
 *  so that a solver of max-min fairness needs no case for the first two (`model` says which it is, for those
 *  that have a shorter way). A flow from a host to itself crosses that host's loopback, or nothing. */
#ifndef HINDCAST_NETWORK_H
#define HINDCAST_NETWORK_H

#include "hindcast/component.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HC_ROUTE_MOST 4096 /* links of one route; a network with longer ones is refused when it is made */
#define HC_LINKS_MOST ((uint32_t)1 << 28) /* links of one network */

typedef struct hc_network hc_network; /* a network that is made; each component defines its own */

typedef enum hc_link_sharing {
  HC_LINK_SHARED, /* the sum of its flows' rates is at most its bandwidth */
  HC_LINK_FATPIPE /* each flow's rate is at most its bandwidth */
} hc_link_sharing;

typedef struct hc_link {
  double bandwidth; /* bytes/s, > 0 */
  double latency;   /* s, >= 0 */
  hc_link_sharing sharing;
} hc_link;

/** What a link draws, in W: when it carries nothing and when all of its bandwidth is taken, and in proportion
 *  to what is taken between. Since 0.3. */
typedef struct hc_link_watts {
  double idle, busy; /* 0 <= idle <= busy; equal where the link is a fatpipe */
} hc_link_watts;

typedef enum hc_network_model {
  HC_NETWORK_CONSTANT,
  HC_NETWORK_SHARED,
  HC_NETWORK_TOPOLOGY
} hc_network_model;

/** What a model of flows makes of nominal links. Plain: factors 1, the rest 0.
 *  As SimGrid 3.32: LV08 is 13.01, 0.97, 20537, 4194304, 0.05; CM02 is 1, 1, 0, 4194304, 0.05. */
typedef struct hc_network_rules {
  double latency_factor;   /* of the time before a flow's first byte */
  double bandwidth_factor; /* of the rate that a flow gets: links are shared at their nominal bandwidth, and
                              each rate is multiplied by this afterwards, its bound included */
  double weight_s;         /* bytes; what one link adds to a flow's weight is this / its bandwidth */
  double tcp_gamma;        /* bytes of the largest window: no flow is faster than this / (2 latency), with the
                              latency before its factor. 0: no such bound */
  double cross_traffic; /* share of a flow's rate that it takes of each link of the route back, 0 to 1; 0: it
                              takes nothing there */
  bool by_latency;      /* flows share by weight (hc_route.weight); false: all weights are 1 */
} hc_network_rules;

typedef struct hc_network_facts {
  uint32_t hosts, links;
  uint32_t longest; /* links of the longest route, at most HC_ROUTE_MOST: room that suffices for each */
  hc_network_model model;
  hc_network_rules rules;
  bool draws;          /* it says what its links, or its switches, draw; else nothing is known. Since 0.3 */
  double switch_watts; /* W: of all its switches together */
} hc_network_facts;

/** What a route is. A component's `route` fills count, latency and bound; hc_network_route_of the rest. */
typedef struct hc_route {
  uint32_t count; /* of its links */
  double latency; /* s: sum of its links', or what the network says of the pair; before the factor */
  double bound;   /* bytes/s: no flow on it gets more, before the bandwidth factor; INFINITY: no bound */
  double delay;   /* s: from the start of a flow to its first byte: latency x latency_factor */
  double weight;  /* > 0: flows that contend on a link get rates in proportion to 1 / weight */
} hc_route;

typedef struct hc_network_context {
  const hc_allocator *allocator; /* files are opened through it */
  uint32_t hosts;                /* of the cell: the network connects at least so many */
  const char *const *host_names; /* [hosts]; NULL: hosts have no names, and a network that is told by names
                                    numbers them in its own order. Not kept */
  const char *where;             /* where the network is written, for errors: "execution.network" */
  bool unmetered; /* what flows there is not counted: keys that say what links draw are refused. Since 0.3 */
} hc_network_context;

typedef struct hc_network_type {
  hc_component component;
  /** Make it. Keeps neither context nor options. @return 0; HC_EUSAGE: the options, with their place;
   *  HC_EINPUT: a file that they name, with line; HC_ELIMIT, HC_ENOMEM, HC_EIO. */
  hc_rc (*init)(const hc_network_context *c, const void *options, hc_network **out, hc_error *e);
  void (*fini)(hc_network *self);
  void (*facts)(const hc_network *self, hc_network_facts *out);
  /** A link. @param id below facts.links. */
  void (*link)(const hc_network *self, uint32_t id, hc_link *out);
  /** Its name, for people; all differ. @param name [size] out, cut to what there is room for, ends in NUL. */
  void (*link_name)(const hc_network *self, uint32_t id, char *name, size_t size);
  /** The links from one host to another, in the order in which they are crossed.
   *  @param from, to below facts.hosts; they may be equal: the loopback
   *  @param links [facts.longest] out: what a route has beyond its count is written over
   *  @param out count, latency and bound; the rest is left as it is
   *  @return 0; HC_ENOTFOUND: nothing connects them (never, unless a component says so in its `detail`).
   *  Cost: O(links of the route) where routes are computed. Allocates nothing. Deterministic. */
  hc_rc (*route)(const hc_network *self, uint32_t from, uint32_t to, uint32_t *links, hc_route *out);
  /** What all of some hosts take of each link when each sends a byte to each other one: a sum over all
   *  ordered pairs, without asking for their routes. NULL: it cannot be said so.
   *  @param hosts [count] all different @param weights [facts.links] in: 0; out: bytes over each link
   *  @param out the longest latency of a pair, the least bound; its count has no meaning
   *  @return 0; HC_EUNSUPPORTED: not of this network. Cost: O(count x levels). */
  hc_rc (*all_pairs)(const hc_network *self, const uint32_t *hosts, uint32_t count, double *weights,
                     hc_route *out);
  /** Of groups of hosts in levels: how many levels there are. Two hosts of one *group* of level l are joined
   *  by switches up to that level, or are as near each other as the network says of it; groups of a level lie
   *  in those of the next. NULL: it has no levels. With `group`, and `group_of_link` or `ways_of_link`. Since
   *  0.3. */
  uint32_t (*levels)(const hc_network *self);
  /** The group of a host. @param level 1 to levels @return dense numbers from 0 at each level */
  uint32_t (*group)(const hc_network *self, uint32_t level, uint32_t host);
  /** Whose way up or down a link is: a group's of that level, or of level 0 a host's.
   *  @return false: it is none of these (a loopback, a backbone, between equals) */
  bool (*group_of_link)(const hc_network *self, uint32_t link, uint32_t *level, uint32_t *group);
  /** The same of links that join equals, which lead out of two groups, and of several levels. NULL: as
   *  group_of_link says, and with this that is not asked.
   *  @param level 0 to levels; of level 0 groups are hosts
   *  @param groups out: those that it leads out of, one or two @return how many; 0: none. Since 0.3. */
  uint32_t (*ways_of_link)(const hc_network *self, uint32_t link, uint32_t level, uint32_t groups[2]);
  /** What a link draws. Asked where facts.draws. NULL: no link draws anything. Since 0.3. */
  void (*watts)(const hc_network *self, uint32_t link, hc_link_watts *out);
} hc_network_type;

/** A network of a run: what was chosen, made. Zero is none. */
typedef struct hc_network_of_run {
  const hc_network_type *type; /* NULL: none */
  hc_network *self;
  hc_network_facts facts;
} hc_network_of_run;

/** Make what was chosen (`chosen.type` is a hc_network_type), and ask its facts.
 *  @return as init; HC_EUSAGE also if it connects fewer hosts than the cell has, or says of a link that it
 *  draws less the more it carries, or of a fatpipe, whose load is not known, that it matters. */
HC_API hc_rc hc_network_make(const hc_network_context *c, const hc_chosen *chosen, hc_network_of_run *out,
                             hc_error *e);
HC_API void hc_network_drop(hc_network_of_run *n);

/** What a link draws: nothing where the network says nothing of it. */
HC_API void hc_network_watts_of(const hc_network_of_run *n, uint32_t link, hc_link_watts *out);

/** A route and all that its flows are told: as the type's `route`, and the rules applied to it:
 *
 *      delay  = latency_factor * latency
 *      bound  = min(what the route says, least bandwidth of its links, tcp_gamma / (2 latency) if any)
 *      weight = latency + sum over links of weight_s / bandwidth; 1 where not by_latency, or where the delay
 *               is 0 (as SimGrid 3.32 has it)
 *
 *  A flow's rate is bandwidth_factor * its share, and its share is at most `bound`.
 *  @param links [facts.longest] out @return as the type's `route`. Cost: O(links of the route). */
HC_API hc_rc hc_network_route_of(const hc_network_of_run *n, uint32_t from, uint32_t to, uint32_t *links,
                                 hc_route *out);

/** The type's `all_pairs`, and the rules applied to it: delay and bound are those of the pair of the longest
 *  latency, but for the bandwidths of links. @return as the type's; HC_EUNSUPPORTED also if it has none. */
HC_API hc_rc hc_network_all_pairs(const hc_network_of_run *n, const uint32_t *hosts, uint32_t count,
                                  double *weights, hc_route *out);

#ifdef __cplusplus
}
#endif
#endif
