/* zone_level.c -- zones of hosts that follow one another: racks of 40, rows of 10 racks. */
#include "cluster/record.h"

typedef hc_zone_level_options options;

static const hc_param params[] = {
    {.name = "name",
     .type = HC_TEXT,
     .offset = offsetof(options, name),
     .help = "Name of the level, such as rack. Its zones are called <name>-0, <name>-1 and so on. Required."},
    {.name = "size",
     .type = HC_INT,
     .offset = offsetof(options, size),
     .unit = "hosts",
     .fallback = "0",
     .min = 0,
     .max = 16777216,
     .help = "Hosts per zone, in order of declaration; the last zone may be smaller. 0: sizes says."},
    {.name = "sizes",
     .type = HC_INT,
     .list = true,
     .offset = offsetof(options, sizes),
     .unit = "hosts",
     .min = 1,
     .max = 16777216,
     .help = "Hosts of each zone, in order of declaration, in place of size. Hosts beyond their sum are "
             "in no zone."},
    {0}};

const hc_component hc_level_zone_level = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_LEVEL),
    .name = "zone_level",
    .summary = "zones of so many hosts each, in order of declaration",
    .detail =
        "Levels stand beside one another: racks of 40 in rows of 10 racks are {name: rack, size: 40} and "
        "{name: row, size: 400}. `use` may be left out.",
    .params = params,
    .options_size = sizeof(options),
};
