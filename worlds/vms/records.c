/* records.c -- the records of hosts, of virtual machines and of migrations. */
#include "vms/vms.h"

static const hc_param host_params[] = {
    HC_PARAM(INT, hc_vm_host_options, count, "hosts", "1", 1, 1000000, "Number of such hosts."),
    HC_PARAM(INT, hc_vm_host_options, cpus, "cpus", "1", 1, 1000000, "Cpus of each host."),
    HC_PARAM(SIZE, hc_vm_host_options, memory, "B", "1GiB", 1, 1e18, "Memory of each host."),
    {0}};

extern const hc_component hc_vm_host_hosts;
const hc_component hc_vm_host_hosts = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_VM_HOST),  .name = "hosts",
    .summary = "hosts of a cloud of virtual machines", .params = host_params,
    .options_size = sizeof(hc_vm_host_options),
};

static const hc_param vm_params[] = {
    HC_PARAM(INT, hc_vm_vm_options, count, "vms", "1", 1, 1e7, "Number of such virtual machines."),
    HC_PARAM(TIME, hc_vm_vm_options, arrival, "s", "0", 0, 1e9, "Time at which they are asked for."),
    HC_PARAM(TIME, hc_vm_vm_options, lifetime, "s", "1h", 0, 1e9,
             "How long each runs, from the end of its boot to the begin of its stop."),
    HC_PARAM(INT, hc_vm_vm_options, cpus, "cpus", "1", 1, 1000000, "Cpus that each holds."),
    HC_PARAM(SIZE, hc_vm_vm_options, memory, "B", "1GiB", 0, 1e18, "Memory that each holds."),
    HC_PARAM(
        REAL, hc_vm_vm_options, load, "1", "1", 0, 1000,
        "Part of its cpus that each uses as long as it holds them. Above 1: it uses more than it asked for."),
    {0}};

extern const hc_component hc_vm_machines;
const hc_component hc_vm_machines = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_VM),
    .name = "machines",
    .summary = "equal virtual machines that are asked for",
    .params = vm_params,
    .options_size = sizeof(hc_vm_vm_options),
};

static const hc_param migration_params[] = {
    HC_PARAM(INT, hc_vm_migration_options, vm, "vm", "1", 1, 1e9,
             "Number of the virtual machine, from 1, in order of arrival."),
    HC_PARAM(INT, hc_vm_migration_options, host, "host", "1", 1, 1e9, "Number of the target host, from 1."),
    HC_PARAM(TIME, hc_vm_migration_options, at, "s", "0", 0, 1e9,
             "Time at which the migration is asked for."),
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
    HC_PARAM(TIME, hc_vm_migrator_options, interval, "s", "1", 1e-3, 1e9, "Time between two decisions."),
    HC_PARAM(REAL, hc_vm_migrator_options, overload, "1", "0.8", 0, 1000,
             "Machines are taken from a host while its load is above this, and no machine is sent where it "
             "would exceed this."),
    HC_PARAM(REAL, hc_vm_migrator_options, underload, "1", "0.4", 0, 1000,
             "All machines are taken from a host whose load is below this, as far as they find room "
             "elsewhere. 0: from no host."),
    {0}};

extern const hc_component hc_migrator_thresholds;
const hc_component hc_migrator_thresholds = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_MIGRATOR),
    .name = "thresholds",
    .summary = "migrations from hosts whose load is too high or too low",
    .detail = "At each interval the running machines are looked at in order of their numbers. A machine of "
              "an overloaded or underloaded host goes to the host whose load would then be the highest, but "
              "not above `overload`. At one decision no host both gives and takes; a machine of an "
              "underloaded host only goes to a host with at least the same load.",
    .source = "DSLab IaaS (github.com/osukhoroslov/dslab), its VM migrator, simplified",
    .params = migrator_params,
    .options_size = sizeof(hc_vm_migrator_options),
};
