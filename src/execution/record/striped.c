/* striped.c -- a file system over several disks, of hosts beyond the network or without. */
#include "execution/record.h"

typedef hc_striped_options options;

static const hc_param params[] = {
    HC_PARAM(TEXTS, options, hosts, "all", "Hosts that read and write there, as `hosts` of `disk`."),
    HC_PARAM(TEXTS, options, servers, NULL,
             "Hosts that have the disks, written as `hosts`; bytes go over the network. Default: none; the "
             "disks are reached without the network."),
    HC_PARAM(TEXT, options, mount, NULL, HC_MOUNT_HELP),
    HC_PARAM(TEXTS, options, files, NULL, HC_FILES_HELP),
    HC_PARAM(INT, options, disks, "disks", "1", 1, 65536,
             "Number of disks of each server; without servers, of all disks together."),
    HC_PARAM(INT, options, stripes, "disks", "0", 0, 65536,
             "Number of disks over which the bytes of a file, or of a read or write without a file, are "
             "spread evenly. 0: all."),
    HC_DISK_KEYS(options),
    {0}};

const hc_component hc_disk_striped = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_DISK),
    .name = "striped",
    .summary = "a shared file system over several disks: parallel storage, a burst buffer",
    .detail =
        "Bandwidths, capacity and limits are those of one disk. An operation of b bytes on k stripes reads "
        "or writes b / k bytes on each of k disks, and as many go over the network between each server and "
        "the process's host; it ends when the last of these ends. Disks are counted server by server. The "
        "first stripe of a file is on the disk that a hash of its name gives; without a file it is on disk "
        "task + process, modulo the number of disks. Further stripes are on the next disks.",
    .source = "the stripes of Lustre (lustre.org), without its metadata servers; ElastiSim 2024, pfs_read "
              "and pfs_write",
    .params = params,
    .options_size = sizeof(options),
};
