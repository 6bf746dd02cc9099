/* disk.c -- disks of hosts. */
#include "execution/record.h"

typedef hc_disk_options options;

static const hc_param params[] = {
    HC_PARAM(TEXTS, options, hosts, "all",
             "Which hosts have one each: a host's name (c-3), names in brackets (c-[0-4,7]), the name of a "
             "class (all of its hosts), numbers in order of declaration from 0 (0-99), or `all`."),
    HC_PARAM(BOOL, options, shared, "false",
             "It is one disk, which all of these hosts share: storage of the cell, without the network that "
             "leads there. false: each has its own."),
    HC_PARAM(TEXT, options, at, NULL,
             "Name of the host that has it: one disk, which `hosts` read and write over the network."),
    HC_PARAM(
        BOOL, options, wide, "false",
        "Each host has its own, and bytes are spread evenly over those of all hosts of the task, which read "
        "and write them over the network (wide striping). What lies there has no name: paths end with a "
        "slash."),
    HC_PARAM(TEXT, options, mount, NULL, HC_MOUNT_HELP),
    HC_PARAM(TEXTS, options, files, NULL, HC_FILES_HELP),
    HC_DISK_KEYS(options),
    {0}};

const hc_component hc_disk_disk = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_DISK),
    .name = "disk",
    .summary = "a disk of each of some hosts, or one that they share",
    .detail =
        "With B(n) bytes per second for n reads at once each gets B(n) / n, and so do writes. An operation "
        "goes on when all limits allow it; of those that may the first in `order` does. Space is taken when "
        "a write begins, or begins to wait; of a write that is stopped the whole bytes that are done keep "
        "theirs. A host has one disk at most without a `mount`, and one for each mount. `use` may be left "
        "out: disks: [{hosts: c, read_bandwidth: 200MB, write_bandwidth: 100MB}].",
    .source = "DSLab, its storage: even sharing, limits, space; mounts of its file systems. ElastiSim, "
              "wide_striping, for `wide`",
    .params = params,
    .options_size = sizeof(options),
};
