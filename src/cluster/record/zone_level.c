/* zone_level.c -- zones of hosts that follow one another: racks of 40, rows of 10 racks. */
#include "cluster/record.h"

typedef hc_zone_level_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, name, NULL,
             "Name of the level, such as rack. Its zones are called <name>-0, <name>-1 and so on. Required."),
    HC_PARAM(INT, options, size, "hosts", "0", 0, 16777216,
             "Hosts of each zone, in order of declaration; the last zone may be smaller. 0: `sizes` says."),
    HC_PARAM(INTS, options, sizes, "hosts", NULL, 1, 16777216,
             "Number of hosts of each zone, in order of declaration, in place of `size`. Hosts beyond their "
             "sum are in no zone."),
    {0}};

const hc_component hc_level_zone_level = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_LEVEL),
    .name = "zone_level",
    .summary = "zones of so many hosts each, in order of declaration",
    .detail =
        "Each level counts hosts: racks of 40 hosts in rows of 10 racks are {name: rack, size: 40} and "
        "{name: row, size: 400}. `use` may be left out.",
    .params = params,
    .options_size = sizeof(options),
};
