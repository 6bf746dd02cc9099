/* common.h -- what the networks of src/network/kind have in common: the keys of each, the loopbacks, the
 * rules of a model of flows, and a route that is put together link by link.
 *
 * A network numbers its own links first, from 0, and behind them the loopbacks, in order of hosts.
 * Its struct hc_network begins with an hc_network_common. */
#ifndef HC_NETWORK_COMMON_H
#define HC_NETWORK_COMMON_H

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/network.h"

#define HC_INFINITE __builtin_inf()
#define HC_BANDWIDTH_MOST 1e18 /* bytes/s, of what a user writes */
#define HC_NOT_SAID (-1.0)

/* The keys of every network; -1: as `factors` says. */
typedef struct hc_network_keys {
  int factors; /* plain, lv08, cm02 */
  double latency_factor, bandwidth_factor, weight_s, cross_traffic;
  double tcp_gamma;        /* bytes */
  int64_t local_bandwidth; /* bytes/s; 0: no loopback, what stays on a host takes no time */
  hc_time local_latency;
  int local_sharing;   /* shared, fatpipe */
  hc_list link_watts;  /* double: idle and busy, of each kind of links */
  double switch_watts; /* of each */
} hc_network_keys;

#define HC_SHARINGS "shared|fatpipe"
#define HC_DUPLEXES "full|half|fatpipe"
typedef enum hc_duplex { HC_DUPLEX_FULL, HC_DUPLEX_HALF, HC_DUPLEX_FATPIPE } hc_duplex;
#define HC_DUPLEX_HELP \
  "How the two directions of a connection share it. full: each direction is a link of its own. half: one " \
  "link carries both directions. fatpipe: one link that bounds the rate of each flow and is not divided " \
  "among flows."

/* Rows of the table of parameters: HC_NETWORK_KEYS(options, "plain") where options has the member `keys`. */
#define HC_NETWORK_KEYS(options, model) \
  HC_PARAM_AS(SIZE, "local_bandwidth", options, keys.local_bandwidth, "B/s", "0", 0, HC_BANDWIDTH_MOST, \
              "Bandwidth of a host's loopback, over which it sends to itself. 0: there are no loopbacks, " \
              "and such transfers take no time."), \
      HC_PARAM_AS(TIME, "local_latency", options, keys.local_latency, "s", "0", 0, 1e6, \
                  "Latency of a host's loopback. Refused without local_bandwidth."), \
      HC_PARAM_AS( \
          CHOICE, "local_sharing", options, keys.local_sharing, HC_SHARINGS, "shared", \
          "Whether flows within one host slow each other. shared: they share local_bandwidth. fatpipe: " \
          "each flow gets all of it."), \
      HC_NETWORK_RULES(options, model), \
      HC_PARAM_AS(REALS, "link_watts", options, keys.link_watts, "W", NULL, 0, 1e9, \
                  "Power that a link draws when it carries nothing, and when all of its bandwidth is " \
                  "taken, such as [1.5, 2]; in between it is linear in the load. For several kinds of " \
                  "links, such as levels, there may be a pair of numbers for each, of which the last holds " \
                  "for all further kinds. The metric energy counts it. Default: links draw nothing."), \
      HC_PARAM_AS(REAL, "switch_watts", options, keys.switch_watts, "W", "0", 0, 1e9, \
                  "Power that each switch draws, with any load. The metric energy counts it.")

#define HC_NETWORK_RULES(options, model) \
  HC_PARAM_AS(CHOICE, "factors", options, keys.factors, "plain|lv08|cm02", model, \
              "Which model of flows gives latency_factor, bandwidth_factor, weight_s, tcp_gamma and " \
              "cross_traffic. plain: 1, 1, 0, 0 and 0; flows share links evenly. lv08: 13.01, 0.97, 20537, " \
              "4194304 and 0.05, SimGrid's default (Velho and Legrand, SIMUTools 2009). cm02: 1, 1, 0, " \
              "4194304 and 0.05, SimGrid's older model (Casanova and Marchal, INRIA RR-4596, 2002). Under " \
              "lv08 and cm02 the shares of flows are inversely proportional to their weights, which are " \
              "latencies."), \
      HC_NETWORK_FACTORS(options)

#define HC_NETWORK_FACTORS(options) \
  HC_PARAM_AS(REAL, "latency_factor", options, keys.latency_factor, "1", "-1", -1, 1e6, \
              "Factor of all latencies. -1: as `factors` says."), \
      HC_PARAM_AS(REAL, "bandwidth_factor", options, keys.bandwidth_factor, "1", "-1", -1, 1e6, \
                  "Factor of the rates of flows, not 0. -1: as `factors` says."), \
      HC_PARAM_AS(REAL, "weight_s", options, keys.weight_s, "B", "-1", -1, 1e15, \
                  "The weight of a flow is the latency of its route + the sum over its links of weight_s / " \
                  "bandwidth, in seconds; on a link the shares of flows are inversely proportional to " \
                  "their weights. -1: as `factors` says."), \
      HC_PARAM_AS(REAL, "tcp_gamma", options, keys.tcp_gamma, "B", "-1", -1, 1e15, \
                  "Largest TCP window: the rate of a flow is at most tcp_gamma / (2 x latency of its " \
                  "route). 0: no such bound. -1: as `factors` says."), \
      HC_PARAM_AS(REAL, "cross_traffic", options, keys.cross_traffic, "1", "-1", -1, 1, \
                  "Bandwidth that a flow takes on the links of the way back (acknowledgements), as a part " \
                  "of its rate. -1: as `factors` says.")

#define HC_LINK_KINDS 17 /* levels of a fat tree, and a backbone */

typedef struct hc_network_common {
  const hc_allocator *allocator;
  size_t size; /* of the whole struct hc_network */
  hc_network_facts facts;
  hc_link local; /* of each host's loopback; bandwidth 0: there are none */
  uint32_t own;  /* links but loopbacks */
  hc_link_watts watts[HC_LINK_KINDS]; /* of its own links, kind by kind */
} hc_network_common;

/* What a network is made of. */
typedef struct hc_network_size {
  hc_network_model model;
  uint32_t hosts;
  uint64_t own;      /* links but loopbacks */
  uint64_t longest;  /* links of a route between two hosts */
  uint64_t switches; /* 0: it has none that are told apart from its links */
  uint32_t kinds;    /* of links, which may draw differently; 0 or 1: they are all alike */
} hc_network_size;

/** What ways_of_link says of a link between two groups. */
static inline uint32_t hc_network_ways(uint32_t a, uint32_t b, uint32_t groups[2])
{
  groups[0] = a;
  groups[1] = b;
  return a == b ? 0 : 2;
}

/** The rules that the keys say. @return 0; HC_EUSAGE: a factor is 0. */
hc_rc hc_network_rules_of(const hc_network_keys *k, const char *where, hc_network_rules *out, hc_error *e);
/** Pairs of idle and busy W from the numbers of `link_watts`, one for each kind: the last holds for all after
 * it.
 *  @return 0; HC_EUSAGE: no pairs, or more than there are kinds */
hc_rc hc_network_watts_read(const hc_list *numbers, uint32_t kinds, const char *where, hc_link_watts *out,
                            hc_error *e);
/** Allocate a network of `size` bytes and fill what is common.
 *  @return 0; HC_EUSAGE, HC_ELIMIT, HC_ENOMEM with an error. */
hc_rc hc_network_new(const hc_network_context *c, const hc_network_keys *k, size_t size,
                     const hc_network_size *s, hc_network **out, hc_error *e);
/** `watts` of networks whose links are all alike. */
void hc_network_watts(const hc_network *self, uint32_t id, hc_link_watts *out);
void hc_network_free(hc_network *self);
void hc_network_facts_of(const hc_network *self, hc_network_facts *out);

/** Whether a link is a loopback, and then what it is. */
bool hc_network_local(const hc_network_common *n, uint32_t id, hc_link *out);
bool hc_network_local_name(const hc_network_common *n, uint32_t id, char *name, size_t size);
/** Seconds of a time that a user wrote. */
static inline double hc_network_seconds(hc_time t)
{
  return (double)t / 1e9;
}

/* ---- a route that is put together ---- */

typedef struct hc_path {
  uint32_t *links; /* [longest] */
  uint32_t count;
  double latency;
} hc_path;

static inline void hc_path_add(hc_path *p, uint32_t link, double latency)
{
  p->links[p->count++] = link;
  p->latency += latency;
}

/** The route from a host to itself. */
hc_rc hc_network_local_route(const hc_network_common *n, uint32_t host, uint32_t *links, hc_route *out);
static inline hc_rc hc_path_end(const hc_path *p, hc_route *out)
{
  out->count = p->count;
  out->latency = p->latency;
  out->bound = HC_INFINITE;
  return 0;
}

/* Connections that are alike: two links each if they are full duplex, up and down, and one otherwise. */
typedef struct hc_cable {
  double bandwidth, latency;
  hc_duplex duplex;
} hc_cable;

static inline uint32_t hc_cable_links(const hc_cable *c)
{
  return c->duplex == HC_DUPLEX_FULL ? 2 : 1;
}

/** The link of connection `i` in one direction, where they begin at `first`. */
static inline uint32_t hc_cable_link(const hc_cable *c, uint32_t first, uint32_t i, bool down)
{
  return c->duplex == HC_DUPLEX_FULL ? first + 2 * i + down : first + i;
}

static inline void hc_cable_describe(const hc_cable *c, hc_link *out)
{
  *out =
      (hc_link){c->bandwidth, c->latency, c->duplex == HC_DUPLEX_FATPIPE ? HC_LINK_FATPIPE : HC_LINK_SHARED};
}

#endif
