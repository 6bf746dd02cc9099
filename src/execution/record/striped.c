/* striped.c -- a file system over several disks, of hosts beyond the network or without. */
#include "execution/record.h"

typedef hc_striped_options options;

static const hc_param params[] = {
    HC_PARAM(TEXTS, options, hosts, "all", "Which hosts have it, as for `disk`."),
    HC_PARAM(TEXTS, options, servers, NULL,
             "Hosts whose disks they are, as `hosts`: bytes go over the network. Default: none, and they are "
             "reached without it."),
    HC_PARAM(TEXT, options, mount, NULL, HC_MOUNT_HELP),
    HC_PARAM(TEXTS, options, files, NULL, HC_FILES_HELP),
    HC_PARAM(INT, options, disks, "disks", "1", 1, 65536, "Disks of each server; without servers, of all."),
    HC_PARAM(INT, options, stripes, "disks", "0", 0, 65536,
             "Disks over which the bytes of one file, or of one read or write without a file, are spread "
             "evenly. 0: over all."),
    HC_DISK_KEYS(options),
    {0}};

const hc_component hc_disk_striped = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_DISK),
    .name = "striped",
    .summary = "a shared file system over several disks: parallel storage, a burst buffer",
    .detail =
        "Bandwidths, capacity and limits are those of one disk. An operation of b bytes on k stripes is "
        "one of b / k on each of k disks, and as many bytes between the server and the process's host; "
        "it ends when the last of these has. A file's stripes begin at the disk that its name says (a "
        "hash), those of what is no file at task + process, round all disks, which are counted "
        "server by server.",
    .source = "Lustre and other parallel file systems, without their metadata; ElastiSim, pfs_read and "
              "pfs_write, for stripes",
    .params = params,
    .options_size = sizeof(options),
};
