/* simgrid.c -- the disks of the hosts of a platform of SimGrid. */
#include "execution/record.h"

typedef hc_platform_disks_options options;

static const hc_param params[] = {HC_PARAM(FILE, options, file, NULL, "The platform, an XML file. Required."),
                                  HC_PARAM(CHOICE, options, kept, "task|always", "task",
                                           "How long what a task has written takes space, as for `disk`."),
                                  HC_PARAM(BOOL, options, one_rate, "false", HC_ONE_RATE_HELP),
                                  {0}};

const hc_component hc_disk_simgrid = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_DISK),
    .name = "simgrid",
    .summary = "the disks of a platform of SimGrid",
    .detail = "read_bw and write_bw are bandwidths; reads and writes do not slow each other (in SimGrid both "
              "share the larger of the two). Of its properties `size` is the capacity and `mount` the path. "
              "A host's first disk without a mount is what is read and written without a path, others are "
              "at \"/NAME\". A host's property remote_disk, \"MOUNT:DISK:HOST\", mounts the disk of another "
              "host, over the network. Disks of hosts that the cell leaves out are there, for these.",
    .source = "SimGrid 3.32, its disks and the properties of its file systems",
    .params = params,
    .options_size = sizeof(options),
};
