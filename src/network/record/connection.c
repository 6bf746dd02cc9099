/* connection.c -- a connection of two nodes of a graph. */
#include "network/record.h"

#define MOST 1e18

typedef hc_connection_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, from, NULL, "Name of a host, or of a switch. Required."),
    HC_PARAM(TEXT, options, to, NULL, "Name of another host or switch. Required."),
    HC_PARAM(SIZE, options, bandwidth, "B/s", NULL, 0, MOST, "Bandwidth, above 0. Required."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e6,
             "Latency of the cable; routes of least latency are taken."),
    HC_PARAM(CHOICE, options, duplex, "full|half|fatpipe|one_way", "full",
             "How the two directions share the cable. full: each direction is a link of its own. half: one "
             "link carries both directions. fatpipe: one link that bounds the rate of each flow and is not "
             "divided among flows. one_way: it leads only from `from` to `to`."),
    {0}};

const hc_component hc_connection_connection = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_CONNECTION),
    .name = "connection",
    .summary = "a cable between two nodes of a graph",
    .detail = "A name that no host has is the name of a switch, which is declared nowhere else. Of several "
              "connections between the same two nodes the last one counts, in each direction. `use` may be "
              "left out.",
    .params = params,
    .options_size = sizeof(options),
};
