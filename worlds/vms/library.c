/* library.c -- the closed world `vms` as a library of components. */
#include "hindcast/plugin.h"
#include "vms/vms.h"

static const hc_kind_type kinds[] = {
    {HC_KIND_VM_HOST, "vm_host", "hosts of a cloud of virtual machines", sizeof(hc_component), true, NULL},
    {HC_KIND_VM, "vm", "virtual machines of a cloud", sizeof(hc_component), true, NULL},
    {HC_KIND_MIGRATION, "migration", "migrations in a cloud of virtual machines", sizeof(hc_component), true,
     NULL},
    {HC_KIND_MIGRATOR, "migrator", "what decides on migrations in a cloud of virtual machines",
     sizeof(hc_component), true, NULL},
    {.word = NULL}};

extern const hc_world_type hc_world_vms;
extern const hc_component hc_vm_host_hosts, hc_vm_machines, hc_migration_live, hc_migrator_thresholds;

static const hc_component *const components[] = {&hc_world_vms.component, &hc_vm_host_hosts,
                                                 &hc_vm_machines,         &hc_migration_live,
                                                 &hc_migrator_thresholds, NULL};

extern const hc_plugin hc_library_vms;
const hc_plugin hc_library_vms = {sizeof(hc_plugin), HC_ABI, "vms", components, kinds};
