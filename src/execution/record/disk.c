/* disk.c -- disks of hosts. */
#include "execution/record.h"

typedef hc_disk_options options;

static const hc_param params[] = {
    HC_PARAM(TEXTS, options, hosts, "all",
             "Hosts that have such a disk: a host's name (c-3), names in brackets (c-[0-4,7]), the name of a "
             "class (all of its hosts), numbers from 0 in order of declaration (0-99), or `all`."),
    HC_PARAM(BOOL, options, shared, "false",
             "All of these hosts share one disk, which they reach without the network. false: each host has "
             "its own."),
    HC_PARAM(TEXT, options, at, NULL,
             "Name of the host that has the disk: one disk, which `hosts` read and write over the network. "
             "Default: each of `hosts` has its own, or shares it."),
    HC_PARAM(BOOL, options, wide, "false",
             "Each host has its own disk, and an operation spreads its bytes evenly over the disks of all "
             "hosts of its task, by way of the network (wide striping). There are no files on them: paths "
             "end with a slash."),
    HC_PARAM(TEXT, options, mount, NULL, HC_MOUNT_HELP),
    HC_PARAM(TEXTS, options, files, NULL, HC_FILES_HELP),
    HC_DISK_KEYS(options),
    {0}};

const hc_component hc_disk_disk = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_DISK),
    .name = "disk",
    .summary = "a disk for each of some hosts, or one that they share",
    .detail = "n reads at the same time share B(n) bytes per second: each gets B(n) / n. The same holds for "
              "writes, which do not slow reads. An operation goes on when `operations` and `reads`, or "
              "`writes`, allow it; where several wait, `order` says which is first. A write takes its space "
              "when it begins, or begins to wait; a write that is stopped keeps the space of the whole bytes "
              "that it has written. A host has at most one disk without a `mount`, and one for each mount. "
              "`use` may be left out: disks: [{hosts: c, read_bandwidth: 200MB, write_bandwidth: 100MB}].",
    .source = "DSLab (github.com/osukhoroslov/dslab), dslab-storage: even sharing, limits, space, mounts; "
              "ElastiSim 2024, wide_striping, for `wide`",
    .params = params,
    .options_size = sizeof(options),
};
