/* kinds.c -- the kinds of components that this program has: what each is for, and what a component of it must
 * have.
 *
 * One row a kind. The size is that of the struct that every component of the kind has: a component may be
 * larger, since structs grow at their end, and never smaller. What must be set is what is called without a
 * question whether it is there. A record has one component, whose options others read by heart. A library may
 * bring kinds of its own. */
#include "hindcast/architecture.h"
#include "hindcast/execution.h"
#include "hindcast/metric.h"
#include "hindcast/network.h"
#include "hindcast/placement.h"
#include "hindcast/plot.h"
#include "hindcast/predictor.h"
#include "hindcast/profile.h"
#include "hindcast/setup.h"
#include "hindcast/sharing.h"
#include "hindcast/study.h"
#include "hindcast/world.h"
#include "plugin/registry.h"

/* clang-format off */
#define KIND(NAME, word, text, type, ...) {HC_KIND_##NAME, word, text, sizeof(type), false, \
   (const hc_needed[]){__VA_ARGS__, {NULL, 0}}}
#define FREE(NAME, word, text, type) {HC_KIND_##NAME, word, text, sizeof(type), false, NULL}
#define RECORD(NAME, word, text) {HC_KIND_##NAME, word, text, sizeof(hc_component), true, NULL}
#define SET(type, member) {#member, offsetof(type, member)}

const hc_kind_type hc_core_kinds[] = {
    FREE(RUN, "run", "one simulation, and the parts that it is made of", hc_component),
    KIND(READER, "reader", "reads a trace format", hc_reader_type,
         SET(hc_reader_type, open), SET(hc_reader_type, next), SET(hc_reader_type, info),
         SET(hc_reader_type, visit), SET(hc_reader_type, close)),
    KIND(WRITER, "writer", "writes a trace in a format", hc_writer_type,
         SET(hc_writer_type, open), SET(hc_writer_type, task), SET(hc_writer_type, close)),
    KIND(TRANSFORM, "transform", "changes or selects tasks between a source and the engine",
         hc_transform_type,
         SET(hc_transform_type, apply)),
    KIND(CELL, "cell", "says which machine there is", hc_cell_type,
         SET(hc_cell_type, describe)),
    RECORD(CLASS, "class", "hosts that are alike"),
    RECORD(SET, "set", "hosts that belong together under a name: a partition, a failure domain"),
    RECORD(LEVEL, "level", "a level of the tree of places: racks, rows, rooms"),
    KIND(EVENTS, "events", "what happens to hosts during a run", hc_events_type,
         SET(hc_events_type, open), SET(hc_events_type, next)),
    RECORD(CHANGE, "change", "something that happens to some hosts at one time"),
    KIND(LOAD, "load", "load that hosts have from outside the run", hc_load_type,
         SET(hc_load_type, open), SET(hc_load_type, level)),
    KIND(ARCHITECTURE, "architecture", "who calls which policy when, and how plans are committed",
         hc_architecture_type,
         SET(hc_architecture_type, init), SET(hc_architecture_type, signal),
         SET(hc_architecture_type, decide)),
    RECORD(SCHEDULER, "scheduler", "one of the schedulers that share a cell"),
    KIND(POLICY, "policy", "makes a plan from a view", hc_policy_type,
         SET(hc_policy_type, decide)),
    KIND(ORDER, "order", "sorts a queue", hc_order_type,
         SET(hc_order_type, key)),
    KIND(SELECT, "select", "how far to look past a task that does not fit", hc_select_type,
         SET(hc_select_type, decide)),
    KIND(PLACE, "place", "which processors a task gets", hc_place_type,
         SET(hc_place_type, place)),
    FREE(ELIGIBILITY, "eligibility", "which hosts may be used now", hc_eligibility_type),
    FREE(ACCEPT, "accept", "how a user answers the offer of a host", hc_accept_type),
    FREE(PREEMPT, "preempt", "which running tasks are stopped, and for which others", hc_preempt_type),
    RECORD(POOL, "pool", "users who share together"),
    KIND(METRIC, "metric", "what is counted during a run", hc_metric_type,
         SET(hc_metric_type, init), SET(hc_metric_type, finish), SET(hc_metric_type, component.figures)),
    KIND(TRIM, "trim", "which tasks a trimmed summary counts", hc_trim_type,
         SET(hc_trim_type, keeps)),
    KIND(EXPORTER, "exporter", "writes a stored result in another format", hc_exporter_type,
         SET(hc_exporter_type, run)),
    KIND(COMPAT, "compat", "another simulator's semantics as a set of defaults", hc_compat_type,
         SET(hc_compat_type, entries)),
    KIND(CARRIER, "carrier", "carries the points of a study out", hc_carrier_type,
         SET(hc_carrier_type, carry)),
    KIND(WORLD, "world", "another simulator's closed world, in place of the engine", hc_world_type,
         SET(hc_world_type, init), SET(hc_world_type, advance), SET(hc_world_type, finish),
         SET(hc_world_type, fini)),
    FREE(MOLD, "mold", "in which size a moldable task starts", hc_mold_type),
    RECORD(RESERVATION, "reservation", "hosts or processors kept for some users at a known time"),
    RECORD(SETTING, "setting", "keys of the policy that have other values from a time on"),
    KIND(PREDICTOR, "predictor", "predicts how long a task will run, from tasks that ended before",
         hc_predictor_type,
         SET(hc_predictor_type, predict)),
    KIND(MODEL, "model", "how long tasks take while they run", hc_model_type,
         SET(hc_model_type, init), SET(hc_model_type, fini), SET(hc_model_type, begin),
         SET(hc_model_type, change), SET(hc_model_type, end), SET(hc_model_type, done),
         SET(hc_model_type, next), SET(hc_model_type, advance), SET(hc_model_type, visit)),
    KIND(PROFILE, "profile", "what a task does while it runs", hc_profile_type,
         SET(hc_profile_type, resume)),
    KIND(NETWORK, "network", "which links a flow between two hosts crosses", hc_network_type,
         SET(hc_network_type, init), SET(hc_network_type, fini), SET(hc_network_type, facts),
         SET(hc_network_type, link), SET(hc_network_type, link_name), SET(hc_network_type, route)),
    RECORD(CONNECTION, "connection", "a cable between two nodes of a graph"),
    RECORD(DISK, "disk", "disks of hosts, which tasks read from and write to"),
    KIND(SPEEDUP, "speedup", "how much faster a process computes on more cores", hc_speedup_type,
         SET(hc_speedup_type, speedup)),
    KIND(PLOT, "plot", "draws results or a study as a figure", hc_plot_type,
         SET(hc_plot_type, draw)),
    KIND(POWER, "power", "what a host draws, by its load", hc_power_type,
         SET(hc_power_type, watts)),
    KIND(CHECKPOINT, "checkpoint", "how long tasks work between two checkpoints", hc_checkpoint_type,
         SET(hc_checkpoint_type, every)),
    KIND(SLOWDOWN, "slowdown", "why the run time of a task depends on where it runs", hc_slowdown_type,
         SET(hc_slowdown_type, init), SET(hc_slowdown_type, times), SET(hc_slowdown_type, least),
         SET(hc_slowdown_type, fini)),
    {.word = NULL}};
/* clang-format on */
