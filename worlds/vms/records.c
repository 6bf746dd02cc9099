/* records.c -- the records of hosts, of virtual machines and of migrations. */
#include "vms/vms.h"

static const hc_param host_params[] = {
    HC_PARAM(INT, hc_vm_host_options, count, "hosts", "1", 1, 1000000, "Number of hosts that are so."),
    HC_PARAM(INT, hc_vm_host_options, cpus, "cpus", "1", 1, 1000000, "Cpus of each."),
    HC_PARAM(SIZE, hc_vm_host_options, memory, "B", "1GiB", 1, 1e18, "Memory of each."),
    {0}};

extern const hc_component hc_vm_host_hosts;
const hc_component hc_vm_host_hosts = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_VM_HOST),  .name = "hosts",
    .summary = "hosts of a cloud of virtual machines", .params = host_params,
    .options_size = sizeof(hc_vm_host_options),
};

static const hc_param vm_params[] = {
    HC_PARAM(INT, hc_vm_vm_options, count, "vms", "1", 1, 1e7, "Number of virtual machines that are so."),
    HC_PARAM(TIME, hc_vm_vm_options, arrival, "s", "0", 0, 1e9, "When they are asked for."),
    HC_PARAM(TIME, hc_vm_vm_options, lifetime, "s", "1h", 0, 1e9,
             "How long each runs, from when it has booted to when it begins to stop."),
    HC_PARAM(INT, hc_vm_vm_options, cpus, "cpus", "1", 1, 1000000, "Cpus that each holds."),
    HC_PARAM(SIZE, hc_vm_vm_options, memory, "B", "1GiB", 0, 1e18, "Memory that each holds."),
    HC_PARAM(REAL, hc_vm_vm_options, load, "1", "1", 0, 1000,
             "How much of its cpus each uses, as long as it holds them. It may be above 1: the host is then "
             "loaded by more "
             "than was asked for."),
    {0}};

extern const hc_component hc_vm_machines;
const hc_component hc_vm_machines = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_VM),      .name = "machines",
    .summary = "virtual machines that are asked for", .params = vm_params,
    .options_size = sizeof(hc_vm_vm_options),
};

static const hc_param migration_params[] = {
    HC_PARAM(INT, hc_vm_migration_options, vm, "vm", "1", 1, 1e9,
             "Number of the virtual machine, from 1, in order of arrival."),
    HC_PARAM(INT, hc_vm_migration_options, host, "host", "1", 1, 1e9, "Number of its target, from 1."),
    HC_PARAM(TIME, hc_vm_migration_options, at, "s", "0", 0, 1e9, "When it is asked for."),
    {0}};

extern const hc_component hc_migration_live;
const hc_component hc_migration_live = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_MIGRATION),
    .name = "live",
    .summary = "a virtual machine goes to another host while it runs",
    .params = migration_params,
    .options_size = sizeof(hc_vm_migration_options),
};

static const hc_param migrator_params[] = {
    HC_PARAM(TIME, hc_vm_migrator_options, interval, "s", "1", 1e-3, 1e9, "How often it looks."),
    HC_PARAM(REAL, hc_vm_migrator_options, overload, "1", "0.8", 0, 1000,
             "Machines are taken from a host while its load is above this; none is sent where it would be."),
    HC_PARAM(REAL, hc_vm_migrator_options, underload, "1", "0.4", 0, 1000,
             "All machines are taken from a host whose load is below this, as far as they find room. 0: from "
             "none."),
    {0}};

extern const hc_component hc_migrator_thresholds;
const hc_component hc_migrator_thresholds = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_MIGRATOR),
    .name = "thresholds",
    .summary = "migrations from hosts whose load is too high or too low",
    .detail =
        "Each interval it goes through the machines that run, by number, and sends those of hosts that are "
        "overloaded "
        "or underloaded to the host whose load would be highest, and not above overload. In one look no "
        "host both "
        "gives and takes; from an underloaded host they only go to one that is at least as much loaded.",
    .source = "DSLab IaaS, its VM migrator, simplified",
    .params = migrator_params,
    .options_size = sizeof(hc_vm_migrator_options),
};
