/* host_change.c -- something that happens to some hosts at one time. */
#include "cluster/record.h"

typedef hc_host_change_options options;

static const hc_param params[] = {
    {.name = "at",
     .type = HC_TIME,
     .unit = "s",
     .offset = offsetof(options, at),
     .min = 0,
     .max = 1e10,
     .help = "When, from the origin of the run. Required."},
    {.name = "hosts",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, hosts),
     .help = "Which hosts. " HC_HOSTS_HELP " Required."},
    {.name = "change",
     .type = HC_CHOICE,
     .offset = offsetof(options, change),
     .choices = HC_HOST_CHANGES,
     .fallback = "down",
     .help =
         "up: it joins or returns, with the amounts that it last had. down: it leaves, and what runs on it "
         "does so no more. drain: it takes nothing new. resize: it has the amounts given here."},
    {.name = "until",
     .type = HC_TIME,
     .unit = "s",
     .offset = offsetof(options, until),
     .max = 1e10,
     .help = "When it is up again after down or drain; absent: another change says so, or it never is."},
    {.name = "amounts",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, amounts),
     .help =
         "NAME=AMOUNT that it has from now on (resize): cpus=10.5, memory=64GiB, disk=1TB, gpus=2, or any "
         "other dimension. Those not named stay."},
    {0}};

const hc_component hc_change_host_change = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_CHANGE),
    .name = "host_change",
    .summary = "hosts go down, come up, drain or change in size",
    .detail = "`use` may be left out: changes: [{at: 1h, hosts: 'c-[0-4]', change: down, until: 2h}]",
    .params = params,
    .options_size = sizeof(options),
};
