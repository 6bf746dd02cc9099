/* simgrid.c -- the disks of the hosts of a platform of SimGrid. */
#include "execution/record.h"

typedef hc_platform_disks_options options;

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the platform, an XML file. Required."),
    HC_PARAM(CHOICE, options, kept, "task|always", "task",
             "How long bytes that a task has written without a file take space. task: until the task ends or "
             "is stopped. always: until the end of the run, unless the task discards them. Files stay until "
             "they are deleted."),
    HC_PARAM(BOOL, options, one_rate, "false", HC_ONE_RATE_HELP),
    {0}};

const hc_component hc_disk_simgrid = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_DISK),
    .name = "simgrid",
    .summary = "the disks of a platform of SimGrid",
    .detail = "A disk's read_bw and write_bw are its bandwidths; reads and writes do not slow each other (in "
              "SimGrid both share the larger of the two). Its property `size` is the capacity and `mount` "
              "the path. Reads and writes without a path go to a host's first disk without a mount; further "
              "ones are at \"/NAME\". A host's property remote_disk, \"MOUNT:DISK:HOST\", mounts the disk of "
              "another host, over the network; that host may be one that the cell leaves out.",
    .source = "SimGrid 3.32 (simgrid.org), its disks and the properties of its file systems",
    .params = params,
    .options_size = sizeof(options),
};
