/* options.c -- every key of a run file: the parameter table of the component `run`.
 *
 * The table is the only place where a key of the run itself is spelt. Its order is the order in which a
 * resolved configuration is listed and stored. The keys of the parts (policy, cell, metrics ...) are in
 * their own tables. */
#include "setup/options.h"

#define AT(member) .offset = offsetof(hc_run_options, member)
#define ANY_COUNT .min = 0, .max = 9223372036854775807.0

static const hc_param params[] = {
    HC_PARAM(TEXT, hc_run_options, name, NULL,
             "Name of the run, in tables and of its result file. Default: the name of the first source's "
             "file."),
    {.name = "seed",
     .type = HC_INT,
     AT(seed),
     .fallback = "1",
     ANY_COUNT,
     .help = "Seed of every random draw. The same seed and input give identical results on any machine."},
    {.name = "replication",
     .type = HC_INT,
     AT(replication),
     .fallback = "0",
     ANY_COUNT,
     .help = "Number of the replication: each has other draws from the same seed, for confidence intervals "
             "over runs that are otherwise equal."},
    HC_PARAM(COMPONENT, hc_run_options, compat, HC_KIND_COMPAT, NULL,
             "Preset: another simulator's semantics, as defaults for all keys that are not given."),
    HC_PARAM_AS(FILES, "plugin", hc_run_options, plugins, NULL,
                "Shared objects with further components, loaded before all other keys are read."),
    HC_PARAM(
        COMPONENT, hc_run_options, world, HC_KIND_WORLD, NULL,
        "Another simulator's closed world, which is carried out in place of the engine: source, cell, policy "
        "and metrics have no effect then, and other keys that only the engine knows (execution, transforms, "
        "events ...) are refused."),
    HC_PARAM(COMPONENTS, hc_run_options, source, HC_KIND_READER, NULL,
             "Sources of tasks: one or more logs or generators, merged by time of submission. The path of a "
             "file may stand for {use: FORMAT, file: PATH}; the format is recognised by the file's content, "
             "then by its name. Paths are relative to the current directory; - is standard input."),
    HC_PARAM(CHOICES, hc_run_options, users, "apart|shared", NULL,
             "Whether equal names and numbers in several sources mean the same. apart: users, groups, "
             "queues, partitions, executables, jobs and ids of each source are its own: number n of the "
             "source at position k, from 0, becomes n + k * 10^12, and names begin with the source's "
             "`prefix`. shared: the sources mean the same users, groups and so on: equal names, or equal "
             "numbers where there are no names, are one. One value for all sources, or a list with one for "
             "each. Default: apart."),
    HC_PARAM(TEXTS, hc_run_options, prefix, NULL,
             "With several sources: what the names of each source begin with, in the order of the sources, "
             "so that bob of the second is \"b/bob\" where users are named. Default: the file's name without "
             "endings, or the generator's name, and /; with the source's position, from 1, before it where "
             "two are alike."),
    HC_PARAM(COMPONENTS, hc_run_options, transforms, HC_KIND_TRANSFORM, "[]",
             "Transforms that each task goes through between source and engine, in this order, for all "
             "sources alike."),
    HC_PARAM(INT, hc_run_options, sort_window, "rows", "131072", 1, 1e9,
             "Number of rows, held in memory, within which an input is sorted that is not in order of "
             "submission. A row that comes later than that is an error. 1: the input must be sorted; rows of "
             "one time keep their order. A file in the Standard Workload Format that is not packed is looked "
             "at first: if it is in order, none of its rows is held."),
    HC_PARAM(INT, hc_run_options, threads, "threads", "1", 1, 2,
             "2: each source is read, unpacked and parsed on a thread of its own, ahead of the run. It "
             "changes the speed, never the result. Closed loops, and sources that are read twice, are read "
             "as they are asked."),
    HC_PARAM(BOOL, hc_run_options, strict, "false",
             "Is the first row that cannot be used an error? false: such rows are counted by reason."),
    HC_PARAM(TEXT, hc_run_options, rejected, NULL,
             "File to which every rejected row is written, with its file, line number and reason."),
    HC_PARAM(CHOICE, hc_run_options, processors, "asked|used|larger", "asked",
             "Which number of processors a task needs where the log has two. asked: those that it asked for; "
             "used: those that it used; larger: the larger of both. If the chosen one is missing, the other "
             "is taken."),
    HC_PARAM(CHOICE, hc_run_options, overrun, "kill|run_on|extend|kill_planned_long", "kill",
             "A task whose run time is longer than its limit. kill: it ends at its limit. run_on: it runs to "
             "its end; once past its limit it is expected to end at any moment. extend: it runs to its end, "
             "and is planned with that. kill_planned_long: it ends at its limit, but is planned with its run "
             "time."),
    HC_PARAM(CHOICE, hc_run_options, no_limit, "run|endless|assume", "run",
             "The limit of a task for which the log gives none. run: its run time, as if its user had known "
             "it. endless: none, so that no plan can count on its end. assume: `assumed_limit`."),
    HC_PARAM(TIME, hc_run_options, assumed_limit, "s", NULL, 1e-9, 1e18,
             "The limit that no_limit: assume gives."),
    HC_PARAM(CHOICE, hc_run_options, zero_length, "keep|second|drop", "keep",
             "A task that ran for no time. keep: it starts and ends in one instant. second: it runs for one "
             "second. drop: its row is rejected. `hindcast analyze` applies drop only."),
    HC_PARAM(CHOICE, hc_run_options, too_large, "reject|clamp|error", "reject",
             "A task that asks for more than the machine has. reject: its row is rejected. clamp: it gets "
             "the whole machine, and is marked. error: the run stops."),
    HC_PARAM(CHOICE, hc_run_options, cancelled, "skip|withdraw", "skip",
             "A task that left the queue before it started, according to the log. skip: its row is rejected. "
             "withdraw: it queues for as long as it did in the log and leaves; if it starts before, it runs "
             "until then."),
    HC_PARAM(CHOICE, hc_run_options, believe_waiting, "limit|run", "limit",
             "What a policy is told about the length of a waiting task: its limit, or its true run time "
             "(run), which needs oracle: true."),
    HC_PARAM(CHOICE, hc_run_options, believe_running, "limit|run", "limit",
             "What a policy is told about the length of a running task: its limit, or its true run time "
             "(run), which needs oracle: true."),
    HC_PARAM(BOOL, hc_run_options, oracle, "false",
             "May policies know true run times? No real scheduler does: the results are bounds, not "
             "forecasts."),
    HC_PARAM(
        COMPONENT, hc_run_options, execution, HC_KIND_MODEL, NULL,
        "How long tasks take while they run: `activities` carries out what their profiles say (native "
        "workloads). Default: each task takes its run time, and a profile is turned into a run time where it "
        "is read."),
    HC_PARAM(
        COMPONENT, hc_run_options, predictor, HC_KIND_PREDICTOR, NULL,
        "Predictor of run times, from tasks that ended before. A task's run time is predicted when it is "
        "submitted (with `renew` again until it starts); policies plan, backfill and sort with the "
        "prediction in place of the limit, and it is at most the limit. Tasks are still killed at their "
        "limits. Default: policies use limits."),
    HC_PARAM(CHOICE, hc_run_options, correction, "steps|limit|double|any_moment", "steps",
             "New estimate of a task that outlives its prediction, at most its limit. steps: its prediction "
             "and 1 min; past that, its prediction and 5 min, 15 min, 30 min, 1 h, 2 h, 5 h, 10 h, 20 h, 50 "
             "h, 100 h, then its limit (Tsafrir 2007). limit: its limit. double: twice the old estimate. "
             "any_moment: always one second from now, as for a task past its limit. A correction does not "
             "call for a decision."),
    HC_PARAM(CHOICE, hc_run_options, missing_predecessor, "satisfied|hold|wait|error", "satisfied",
             "A task that waits for a predecessor which is not known when all tasks submitted at the same "
             "time have arrived. satisfied: the task does not wait for it, and this is counted. hold: the "
             "task can never start, and ends as held. wait: the predecessor may still arrive. error: the run "
             "stops."),
    HC_PARAM(INT, hc_run_options, remember, "tasks", "262144", 0, 4e9,
             "Number of finished tasks and jobs that are remembered, so that a later task that names one as "
             "predecessor finds it finished. Older ones are not known any more: see missing_predecessor."),
    HC_PARAM(CHOICE, hc_run_options, host_loss, "lost|requeue|restart", "requeue",
             "What becomes of the tasks on a host that goes away. lost: they end. requeue: they wait again, "
             "at their former position in the queue, and do all of their work again. restart: the same, at "
             "the end of the queue. A task that says `requeue: false` is lost."),
    HC_PARAM(TIME, hc_run_options, requeue_after, "s", "0", 0, 1e9,
             "Time after which a task that has lost its host may start again; until then it is hidden from "
             "policies. With host_loss: restart its position in the queue is that of its return."),
    HC_PARAM(REAL, hc_run_options, requeue_growth, "1", "1", 1, 1000,
             "With requeue_after: factor by which that time grows with each further loss of the task."),
    HC_PARAM(TIME, hc_run_options, requeue_most, "s", "never", 0, 1e10,
             "With requeue_growth: greatest such time."),
    HC_PARAM(
        COMPONENT, hc_run_options, checkpoint, HC_KIND_CHECKPOINT, NULL,
        "When running tasks save their work, and how long that takes. A task that has lost a host, or was "
        "stopped to begin anew, goes on from its last checkpoint. Limits count work: the time that "
        "checkpoints take is added to them. Default: no checkpoints, and such a task begins anew."),
    HC_PARAM(COMPONENTS, hc_run_options, slowdowns, HC_KIND_SLOWDOWN, NULL,
             "Factors by which run times depend on the hosts: hosts that are far from each other, or GPUs of "
             "another type than that for which run times are known. Factors of several entries are "
             "multiplied. Default: only the speed of hosts counts."),
    HC_PARAM(INT, hc_run_options, attempts, "attempts", "100", 1, 1e9,
             "A task that has lost its host this many times is lost for good: a task longer than the time "
             "between failures would begin again for ever."),
    HC_PARAM(
        CHOICE, hc_run_options, host_shrinks, "keep|requeue|checkpoint|stop", "keep",
        "What becomes of the tasks on a host that shrinks below what they hold. keep: they keep what they "
        "hold, and no other task starts there until enough is free. With the other values only as many tasks "
        "go as must, of those that hold some of what is missing, in the order of `shrink_first`. requeue: "
        "they are stopped and queued again, and begin anew. checkpoint: they are stopped and queued again, "
        "and go on from what they have done. stop: they are killed. Tasks that hold the host whole stay."),
    HC_PARAM(CHOICE, hc_run_options, shrink_first, "latest|priority", "latest",
             "Which task goes first from a host that shrinks (`host_shrinks`). latest: the one that started "
             "last. priority: the one of the lowest priority, among equals the one that started last."),
    HC_PARAM(CHOICE, hc_run_options, cannot_grow, "keep|defer|requeue|reserve", "keep",
             "What happens when the demand of a running task grows (`resizes` of the format native, "
             "`updates: in_place` of Google's traces) and its hosts have not enough free. keep: it goes on "
             "with what it has, which is counted as refused. defer: it goes on with what it has, and grows "
             "as soon as there is room: after ends, changes of hosts and tasks that shrink, in the order in "
             "which the steps were due; a later step replaces one that still waits. requeue: it is stopped, "
             "waits again with the new demand, and does all of its work again. reserve: for a task that asks "
             "at a scheduling point, as defer, and until it has its room no task starts and no other grows; "
             "requests are met in the order in which they came, and if all running tasks wait in this way, "
             "the last one goes on as it is. With each value a demand that no host could meet is refused."),
    {.name = "max_waiting",
     .type = HC_INT,
     AT(max_waiting),
     .unit = "tasks",
     .fallback = "0",
     ANY_COUNT,
     .help =
         "The run stops with an error when more tasks than this wait, since the queue of a machine that "
         "cannot keep up would fill the memory. 0: no limit."},
    HC_PARAM(COMPONENTS, hc_run_options, events, HC_KIND_EVENTS, "[]",
             "Changes of hosts during the run, in addition to those of the cell's own description: they "
             "join, leave, drain, change size."),
    HC_PARAM(COMPONENTS, hc_run_options, reservations, HC_KIND_RESERVATION, NULL,
             "Advance reservations: hosts or processors that are kept for some users at known times. "
             "`at_start` of each says what becomes of tasks that still hold them then."),
    HC_PARAM(COMPONENTS, hc_run_options, local_load, HC_KIND_LOAD, "[]",
             "Load of hosts from outside the run, one process for each dimension. It does not slow down "
             "tasks; it decides, with the policy's eligibility, which hosts may be used now."),
    HC_PARAM(COMPONENTS, hc_run_options, power, HC_KIND_POWER, NULL,
             "Power that hosts draw, by their load: one entry for each class of hosts, or one for all. On a "
             "cell that counts processors each processor draws `idle` or `peak`. The metric energy counts "
             "it."),
    HC_PARAM(CHOICE, hc_run_options, load_wake, "needed|every_change|never", "needed",
             "When local load calls for a decision. needed: at changes after which a waiting task could "
             "start. every_change: at each change while a task waits, which gives the same schedule and "
             "costs an event for each; architectures in which a decision in vain matters (think times, "
             "offers, back-off) always use it. never: load is looked at only when something else calls for a "
             "decision."),
    HC_PARAM(COMPONENT, hc_run_options, cell, HC_KIND_CELL, "auto", "Which machine there is."),
    HC_PARAM(COMPONENT, hc_run_options, policy, HC_KIND_POLICY, "batch",
             "Decides which task runs next. Parts of the policy batch may be joined by +, in any order: "
             "easy, sjf+easy, sjf+easy+best_fit stand for {use: batch, order: sjf, select: easy, place: "
             "best_fit}."),
    HC_PARAM(
        COMPONENTS, hc_run_options, changes, HC_KIND_SETTING, NULL,
        "Changes of keys of the policy at given times of the run, in the order of these times: [{at: 9h, "
        "set: policy.select.depth=5}]."),
    HC_PARAM(COMPONENT, hc_run_options, architecture, HC_KIND_ARCHITECTURE, "monolithic",
             "Which schedulers there are, when they call which policy, and how plans are carried out."),
    HC_PARAM(CHOICE, hc_run_options, instant_order, "ends_first|arrivals_first", "ends_first",
             "What happens first when tasks end and others arrive at the same instant. It matters only where "
             "a decision is made between the two."),
    HC_PARAM(CHOICE, hc_run_options, end_order, "serial|start", "serial",
             "Order of tasks that end at the same instant: by serial, or in the order in which they started. "
             "It matters only where a decision is made between two ends."),
    HC_PARAM(BOOL, hc_run_options, due_ends_first, "false",
             "Are the processors of tasks that end exactly when expected free before any decision of that "
             "instant, as in simulators that read availability from a plan (pyss)? Early ends come one by "
             "one."),
    HC_PARAM(
        INT, hc_run_options, max_rounds, "rounds", "1000000", 1, 1e18,
        "More rounds of events than this at one instant count as a livelock, and stop the run with an error. "
        "So do more stops of tasks than this, with no work saved, while no task ends or arrives."),
    HC_PARAM(CHOICE, hc_run_options, event_queue, "heap|radix|wheel", "heap",
             "Data structure of future events. It changes the speed, never the result."),
    HC_PARAM(TIME, hc_run_options, until, "s", "never", 0, 1e18,
             "Stop at this virtual time, counted from the origin of the trace. Tasks that still wait or run "
             "are counted as such."),
    HC_PARAM(COMPONENTS, hc_run_options, metrics, HC_KIND_METRIC,
             "[tasks, makespan, utilisation, load, capacity_loss, queue, wait, response, slowdown, "
             "bounded_slowdown, per_processor_slowdown, area_weighted, fairness, by_user]",
             "Metrics, in the order in which their figures are listed."),
    HC_PARAM(COMPONENT, hc_run_options, trim, HC_KIND_TRIM, NULL,
             "Rule by which a second summary leaves out warm-up and cool-down. Default: no second summary."),
    HC_PARAM(CHOICE, hc_run_options, task_rows, "all|sample|none", "all",
             "Which tasks get a row in the result: all, one in `sample` of them, or none. Totals are exact "
             "in any case, but a result without every row cannot be verified or exported as a schedule."),
    HC_PARAM(INT, hc_run_options, sample, "tasks", "100", 1, 1e18,
             "With task_rows: sample, one task in this many is kept, chosen by its serial and the seed."),
    HC_PARAM(
        INT, hc_run_options, name_limit, NULL, "1048576", 1, 16777216,
        "Greatest number of names of users that are kept, and as many of groups, of executables, of queues "
        "and so on, and of tasks, where the source has names: in the result, and for parameters that name "
        "users or queues. A task whose user comes after that has only its number; the result says how many "
        "such tasks there were. A name takes about 100 bytes and its length."),
    HC_PARAM(TEXT, hc_run_options, zone, NULL,
             "Time zone of tables by day and hour: Europe/Stockholm, UTC, +01:00; names are those of the tz "
             "database that is part of the program. Default: that of the trace, else UTC."),
    HC_PARAM(INT, hc_run_options, unix_start, "s", "unknown", -1e12, 1e12,
             "Unix time of the origin of the run. unknown: as the trace says; if it says nothing, there are "
             "no tables by day and hour."),
    HC_PARAM(TEXT, hc_run_options, output, NULL, "File of the result. Default: results/NAME.db."),
    HC_PARAM(
        BOOL, hc_run_options, conflicts, "false",
        "Are refused starts recorded one by one, where plans are carried out after a think time "
        "(shared_state, parsync, `think`)? The table `conflicts` has each with its time, scheduler, task, "
        "host and cause, and `hindcast show` sums it up by pairs of schedulers. Conflicts are counted in any "
        "case."),
    HC_PARAM(BOOL, hc_run_options, paranoid, "false",
             "Is every invariant checked at every instant? This is slow, and meant for changes of the "
             "engine."),
    {.name = NULL},
};

const hc_component hc_component_run = {
    .size = (uint32_t)sizeof(hc_component),
    .abi = HC_ABI,
    .kind = HC_KIND_RUN,
    .name = "run",
    .summary = "one simulation: what arrives, on which machine, under which policy, and what is counted",
    .detail =
        "Each key can be set in a run file, with --set path=value, or by a flag; the later wins. Before them "
        "come the defaults of the preset that `compat` names, and the defaults below. A component is written "
        "as its name, or as a map with its name under `use` and its parameters beside it: `select: easy`, or "
        "`select: {use: easy, depth: 2}`. Where a list is wanted, a single item will do. A key without a "
        "value takes its default.",
    .params = params,
    .options_size = sizeof(hc_run_options),
};
