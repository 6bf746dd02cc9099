/* vms.c -- the world `vms`: a cloud of virtual machines.
 *
 * This file is the table of what can be said. See vms.h for where the rest is, and docs/functions.md for what
 * it means. */
#include "vms/vms.h"

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, hc_vm_options, hosts, HC_KIND_VM_HOST, "[]", "The hosts. Required."),
    HC_PARAM(COMPONENTS, hc_vm_options, vms, HC_KIND_VM, "[]", "The virtual machines."),
    HC_PARAM(FILE, hc_vm_options, file, NULL,
             "A table of further virtual machines, plain or packed: columns arrival and lifetime (s), cpus, "
             "memory, and load if it is not 1."),
    HC_PARAM(COMPONENTS, hc_vm_options, migrations, HC_KIND_MIGRATION, "[]",
             "Live migrations that are asked for."),
    HC_PARAM(COMPONENT, hc_vm_options, migrator, HC_KIND_MIGRATOR, NULL,
             "The migrator that decides on further migrations. Default: none."),
    HC_PARAM(CHOICE, hc_vm_options, place, "first_fit|best_fit|worst_fit", "first_fit",
             "Which host gets a virtual machine, among those that have the free cpus and memory, as its "
             "scheduler believes. first_fit: the first. best_fit: the one with the most cpus taken. "
             "worst_fit: the one with the fewest cpus taken."),
    HC_PARAM(INT, hc_vm_options, schedulers, "schedulers", "1", 1, 1000,
             "Number of schedulers, which get virtual machines in turn. Each decides on what it has heard; "
             "the placement store accepts or refuses."),
    HC_PARAM(TIME, hc_vm_options, boot, "s", "1", 0, 1e9,
             "Time that a virtual machine boots; it holds its host meanwhile."),
    HC_PARAM(TIME, hc_vm_options, stop, "s", "0.5", 0, 1e9,
             "Time that a virtual machine stops; it holds its host meanwhile."),
    HC_PARAM(TIME, hc_vm_options, message_delay, "s", "0.2", 0, 1e9, "Time that a message takes."),
    HC_PARAM(TIME, hc_vm_options, retry, "s", "1", 1e-3, 1e9,
             "Time after which a scheduler tries again if it found no host for a virtual machine."),
    HC_PARAM(TIME, hc_vm_options, timeout, "s", "50", 0, 1e10,
             "A virtual machine that has waited longer than this is rejected at the next try."),
    HC_PARAM(SIZE, hc_vm_options, throughput, "B/s", "1GB", 1, 1e18,
             "Bytes of memory that a migration copies in a second."),
    HC_PARAM(TIME, hc_vm_options, report_period, "s", "0.5", 0, 1e9,
             "Time between two reports of a host, from time 0. The end of a lifetime is seen with the next "
             "report. 0: at once."),
    {0}};

const hc_world_type hc_world_vms = {
    .component =
        {HC_COMPONENT_HEAD(hc_world_type, HC_KIND_WORLD), .name = "vms",
         .summary = "a cloud of virtual machines: boot and stop times, live migration, schedulers with stale "
                    "beliefs",
         .detail = "A virtual machine holds cpus and memory of its host while it boots, runs and stops, and "
                   "loads it by load x cpus all that time. Its scheduler chooses a host when it arrives; it "
                   "boots there after two messages. A live migration holds cpus and memory on both hosts: on "
                   "the target from one message after it is asked for, on the source until memory / "
                   "throughput and the stop time later; the lifetime goes on meanwhile. The load of a host "
                   "is the sum of load x cpus over its machines / its cpus; a host is overloaded at 1 or "
                   "more, and active above 0. Times are whole nanoseconds. Hosts do not fail.",
         .source =
             "DSLab IaaS, github.com/osukhoroslov/dslab; overload time fraction: Beloglazov & Buyya 2012, "
             "doi:10.1002/cpe.1867",
         .figures = hc_vm_figures, .params = params, .options_size = sizeof(hc_vm_options)},
    .init = hc_vm_new,
    .advance = hc_vm_advance,
    .progress = hc_vm_progress,
    .finish = hc_vm_finish,
    .fini = hc_vm_free};
