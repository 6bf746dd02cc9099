/* host_class.c -- hosts that are alike: what each of them has, and how they are called. */
#include "cluster/record.h"
#include "hindcast/task.h"

typedef hc_host_class_options options;

static const hc_param params[] = {
    HC_PARAM(TEXT, options, name, NULL,
             "Name of the class; a set of hosts may use it for all of its hosts. The host of a class with "
             "one host and without name_prefix is called by this name. Default: the name_prefix."),
    HC_PARAM(TEXT, options, name_prefix, NULL,
             "Hosts are called <name_prefix>-0, <name_prefix>-1 and so on. Default: the name of the class."),
    HC_PARAM(INT, options, count, "hosts", "1", 1, 16777216, "Number of hosts of the class."),
    HC_PARAM(REAL, options, cpus, "cores", "0", 0, 1e9,
             "Cores of each host, counted in thousandths, rounded to the nearest but never to none."),
    HC_PARAM(SIZE, options, memory, "B", "0", 0, 4503599627370496.0, "Memory of each host."),
    HC_PARAM(SIZE, options, disk, "B", "0", 0, 4503599627370496.0, "Disk space of each host."),
    HC_PARAM(INT, options, gpus, "GPUs", "0", 0, HC_DEVICES,
             "GPUs of each host. A task's part of a GPU comes from one of them."),
    HC_PARAM(TEXT, options, gpu_model, NULL,
             "Model of the GPUs: the attribute gpu_model, which tasks may ask for."),
    HC_PARAM(TEXTS, options, features, NULL,
             "Words that are true of each host (ssd, ib): attributes without a value."),
    HC_PARAM(TEXTS, options, attributes, NULL,
             "NAME=VALUE, such as kernel=5 or rack_type=b. A whole number is compared as a number, anything "
             "else as a text."),
    HC_PARAM(TEXTS, options, amounts, NULL,
             "NAME=AMOUNT of each host in any other dimension, such as fpga=2 or scratch=2TB, in whole "
             "units of its own. A run has 64 dimensions at most, licences and cpu, memory, disk, gpu "
             "included."),
    HC_PARAM(REAL, options, speed, "1", "1", 1e-6, 1e6,
             "Speed of each host: at twice the speed a task takes half its run time, and half its limit. 1: "
             "the times that the task's source says."),
    {0}};

const hc_component hc_class_host_class = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_CLASS),
    .name = "host_class",
    .summary = "hosts that have the same amounts, attributes and speed",
    .detail =
        "A task that needs some of a dimension does not run on hosts that have none of it. `use` may be "
        "left out: classes: [{name_prefix: c, count: 5, cpus: 20, memory: 20GiB}]",
    .params = params,
    .options_size = sizeof(options),
};
