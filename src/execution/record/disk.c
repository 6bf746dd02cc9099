/* disk.c -- disks of hosts. */
#include "execution/record.h"

#define MOST 1e18

typedef hc_disk_options options;

static const hc_param params[] = {
    HC_PARAM(TEXTS, options, hosts, "all",
             "Which hosts have one each: a host's name (c-3), names in brackets (c-[0-4,7]), the name of a "
             "class (all of its hosts), numbers in order of declaration from 0 (0-99), or `all`."),
    HC_PARAM(BOOL, options, shared, "false",
             "It is one disk, which all of these hosts share: storage of the cell, without the network that "
             "leads there. false: each has its own."),
    HC_PARAM(SIZE, options, read_bandwidth, "B/s", NULL, 1, MOST,
             "Bandwidth of reading, which all that is read at once shares evenly. Required, or `read_by`."),
    HC_PARAM(SIZE, options, write_bandwidth, "B/s", NULL, 1, MOST,
             "Bandwidth of writing, shared likewise; reads and writes do not slow each other. Required, or "
             "`write_by`."),
    HC_PARAM(SIZES, options, read_by, "B/s", NULL, 1, MOST,
             "Bandwidth of reading when 1, 2, 3 ... operations share it, and the last one for more, in place "
             "of read_bandwidth."),
    HC_PARAM(SIZES, options, write_by, "B/s", NULL, 1, MOST,
             "The same for writing, in place of write_bandwidth."),
    HC_PARAM(SIZE, options, capacity, "B", NULL, 1, MOST,
             "Bytes that it holds. A write of more than is free fails at once, and so does a read of more "
             "than this. Default: whatever is written finds room."),
    HC_PARAM(INT, options, operations, "operations", NULL, 1, 4e9,
             "Reads and writes that go on at once; others wait. Default: any number."),
    HC_PARAM(INT, options, reads, "operations", NULL, 1, 4e9,
             "Reads that go on at once; others wait. Default: any number."),
    HC_PARAM(INT, options, writes, "operations", NULL, 1, 4e9,
             "Writes that go on at once; others wait. Default: any number."),
    HC_PARAM(CHOICE, options, order, "fifo|smallest|reads_first", "fifo",
             "Which of those that wait goes on first; without a limit none waits, and all share. fifo: that "
             "which came first. smallest: that of the fewest bytes. reads_first: reads before writes, each "
             "as they came."),
    HC_PARAM(CHOICE, options, kept, "task|always", "task",
             "How long what a task has written takes space. task: until the task ends or is stopped. always: "
             "until the end of the run, unless the task discards it."),
    {0}};

const hc_component hc_disk_disk = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_DISK),
    .name = "disk",
    .summary = "a disk of each of some hosts, or one that they share",
    .detail =
        "With B(n) bytes per second for n reads at once each gets B(n) / n, and so do writes. An operation "
        "goes on when all limits allow it; of those that may the first in `order` does. Space is taken when "
        "a write begins, or begins to wait; of a write that is stopped the whole bytes that are done keep "
        "theirs. A host has one disk at most. `use` may be left out: disks: [{hosts: c, read_bandwidth: "
        "200MB, write_bandwidth: 100MB}].",
    .source = "DSLab, its storage: even sharing, limits, space",
    .params = params,
    .options_size = sizeof(options),
};
