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
             "What the run is called, in tables and as the name of its result file. Default: the name of the "
             "first source's file."),
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
     .help = "The replication: other draws from the same seed, for confidence intervals over equal runs."},
    HC_PARAM(COMPONENT, hc_run_options, compat, HC_KIND_COMPAT, NULL,
             "Take another simulator's semantics as defaults for everything that is not said here."),
    HC_PARAM_AS(FILES, "plugin", hc_run_options, plugins, NULL,
                "Shared objects with further components, loaded before anything else is looked at."),
    HC_PARAM(
        COMPONENT, hc_run_options, world, HC_KIND_WORLD, NULL,
        "Carry out another simulator's closed world in place of the engine: source, cell, policy and "
        "metrics then play no part, and what else only the engine knows (execution, transforms, events ...) "
        "is refused."),
    HC_PARAM(COMPONENTS, hc_run_options, source, HC_KIND_READER, NULL,
             "What arrives: one or more logs or generators, merged by time of submission. The path of a file "
             "may stand for {use: FORMAT, file: PATH}; the format is recognised by the file's content, then "
             "by its name. Paths are relative to the current directory; - is standard input."),
    HC_PARAM(CHOICES, hc_run_options, users, "apart|shared", NULL,
             "What several sources mean by equal names and numbers. apart: users, groups, queues, "
             "partitions, executables, jobs and ids of each source are its own: the number n of the source "
             "at place k, from 0, is n + k * 10^12, and names stand behind its `prefix`. shared: the sources "
             "mean the same people, so that equal names, or numbers where there are no names, are one. One "
             "for all, or a list with one for each. Default: apart."),
    HC_PARAM(TEXTS, hc_run_options, prefix, NULL,
             "With several sources: what the names of each source begin with, in the order of the sources, "
             "so that bob of the second is \"b/bob\" where users are named. Default: the file's name without "
             "endings, or the generator's, and /; with the source's place before it, from 1, where two are "
             "alike."),
    HC_PARAM(COMPONENTS, hc_run_options, transforms, HC_KIND_TRANSFORM, "[]",
             "What is done to each task between source and engine, in this order, for each source alike."),
    HC_PARAM(INT, hc_run_options, sort_window, "rows", "131072", 1, 1e9,
             "An input that is not in order of submission is sorted within so many rows, held in memory. A "
             "row that comes later than that is an error. 1: the input must be sorted; rows of one time keep "
             "their order. A file in the Standard Workload Format that is not packed is looked at "
             "first: if it is in order, none of its rows is held."),
    HC_PARAM(INT, hc_run_options, threads, "threads", "1", 1, 2,
             "2: each source is read, unpacked and parsed on a thread of its own, ahead of the run. It "
             "changes the speed, never the result. Closed loops, and sources that are read twice, are read "
             "as they are asked."),
    HC_PARAM(BOOL, hc_run_options, strict, "false",
             "The first row that cannot be used is an error, instead of being counted by its reason."),
    HC_PARAM(TEXT, hc_run_options, rejected, NULL,
             "File to which every rejected row is written, with its file, line number and reason."),
    HC_PARAM(CHOICE, hc_run_options, processors, "asked|used|larger", "asked",
             "How many processors a task needs where the log knows two numbers: what was asked for, what was "
             "used, or the larger. If the chosen one is missing, the other is taken."),
    HC_PARAM(CHOICE, hc_run_options, overrun, "kill|run_on|extend|kill_planned_long", "kill",
             "A task whose run time is longer than its limit. kill: it ends at its limit. run_on: it runs to "
             "its end; once past its limit it is expected to end at any moment. extend: it runs to its end, "
             "and is planned with that. kill_planned_long: it ends at its limit, but is planned with its run "
             "time."),
    HC_PARAM(CHOICE, hc_run_options, no_limit, "run|endless|assume", "run",
             "The limit of a task for which the log gives none. run: its run time, as if its user had known. "
             "endless: none, so no plan can count on its end. assume: assumed_limit."),
    HC_PARAM(TIME, hc_run_options, assumed_limit, "s", NULL, 1e-9, 1e18,
             "The limit that no_limit: assume gives."),
    HC_PARAM(CHOICE, hc_run_options, zero_length, "keep|second|drop", "keep",
             "A task that ran for no time. keep: it starts and ends in one instant. second: it runs for one "
             "second. drop: its row is rejected. `analyze` heeds drop, and changes no length."),
    HC_PARAM(CHOICE, hc_run_options, too_large, "reject|clamp|error", "reject",
             "A task that asks for more than the machine has. reject: its row is rejected. clamp: it gets "
             "the whole machine, and is marked. error: the run stops."),
    HC_PARAM(CHOICE, hc_run_options, cancelled, "skip|withdraw", "skip",
             "A task that left the queue before it started, according to the log. skip: its row is rejected. "
             "withdraw: it queues for as long as it did in the log and leaves; if it starts before, it runs "
             "until then."),
    HC_PARAM(CHOICE, hc_run_options, believe_waiting, "limit|run", "limit",
             "What a policy is told about the length of a waiting task: its limit, or its true run time. The "
             "truth needs oracle: true."),
    HC_PARAM(CHOICE, hc_run_options, believe_running, "limit|run", "limit",
             "What a policy is told about the length of a running task: its limit, or its true run time. The "
             "truth needs oracle: true."),
    HC_PARAM(BOOL, hc_run_options, oracle, "false",
             "Policies may know true run times. No real scheduler does: results are bounds, not forecasts."),
    HC_PARAM(
        COMPONENT, hc_run_options, execution, HC_KIND_MODEL, NULL,
        "How long tasks take while they run: `activities` carries out what their profiles say (native "
        "workloads). Default: each task takes its run time, and profiles are worked out to one where they "
        "are read."),
    HC_PARAM(
        COMPONENT, hc_run_options, predictor, HC_KIND_PREDICTOR, NULL,
        "How long tasks will run, by those that ended before them. Each is predicted when it is submitted "
        "(with its `renew` again until it starts), and policies plan, backfill and sort with that in place "
        "of its limit, at most its limit. Tasks are killed at their limits all the same. Default: "
        "limits are believed."),
    HC_PARAM(CHOICE, hc_run_options, correction, "steps|limit|double|any_moment", "steps",
             "What is believed of a task that outlives what was predicted for it, at most its limit. steps: "
             "its prediction and 1 min; past that, its prediction and 5 min, 15 min, 30 min, 1 h, 2 h, 5 h, "
             "10 h, 20 h, 50 h, 100 h, then its limit (Tsafrir 2007). limit: its limit. double: twice what "
             "was believed. any_moment: it ends in a second, whenever that is, as a task past its limit. A "
             "correction calls for no decision."),
    HC_PARAM(CHOICE, hc_run_options, missing_predecessor, "satisfied|hold|wait|error", "satisfied",
             "A task that waits for one which is not there when all tasks of its time have arrived. "
             "satisfied: it need not wait for it, and that is counted. hold: it can never start, and ends as "
             "held. wait: the other may still arrive. error: the run stops."),
    HC_PARAM(INT, hc_run_options, remember, "tasks", "262144", 0, 4e9,
             "How many finished tasks and jobs are remembered, so that later ones can wait for them in vain. "
             "Older ones are as if they had never been: see missing_predecessor."),
    HC_PARAM(CHOICE, hc_run_options, host_loss, "lost|requeue|restart", "requeue",
             "What becomes of the tasks on a host that goes away. lost: that is their end. requeue: they "
             "wait again, at the place that they had, and do all of their work again. restart: the same, at "
             "the end of the queue. A task that says `requeue: false` is lost."),
    HC_PARAM(TIME, hc_run_options, requeue_after, "s", "0", 0, 1e9,
             "A task that has lost its host may start again only so long after that, and waits out of every "
             "policy's sight till then. With host_loss: restart its place is that of its return."),
    HC_PARAM(REAL, hc_run_options, requeue_growth, "1", "1", 1, 1000,
             "With requeue_after: each further loss of the task makes that so many times as long."),
    HC_PARAM(TIME, hc_run_options, requeue_most, "s", "never", 0, 1e10,
             "With requeue_growth: but no longer than this."),
    HC_PARAM(
        COMPONENT, hc_run_options, checkpoint, HC_KIND_CHECKPOINT, NULL,
        "Tasks save their work on the way: how often, and what that takes. A task that has lost a host, "
        "or was stopped to begin anew, goes on from its last checkpoint. Limits are limits of work: what "
        "checkpoints take is added to them. Default: what a task did is lost."),
    HC_PARAM(COMPONENTS, hc_run_options, slowdowns, HC_KIND_SLOWDOWN, NULL,
             "Where tasks run decides how long they take: hosts that are far from each other, or GPUs of "
             "another type than that on which tasks took their run times. Factors of several multiply. "
             "Default: only the speed of hosts does."),
    HC_PARAM(INT, hc_run_options, attempts, "attempts", "100", 1, 1e9,
             "A task that has lost its host so many times is lost for good: one that is longer than its "
             "hosts live would begin again for ever."),
    HC_PARAM(
        CHOICE, hc_run_options, host_shrinks, "keep|requeue|checkpoint|stop", "keep",
        "What becomes of the tasks on a host that shrinks below what they hold. keep: they keep it, and "
        "nothing new fits there until it would. Otherwise as many go as must, those that hold something of "
        "what is missing, in the order of `shrink_first`. requeue: they are stopped and queued again, and "
        "begin anew. checkpoint: the same, and go on from what they have done. stop: they are killed. What "
        "was taken whole stays."),
    HC_PARAM(CHOICE, hc_run_options, shrink_first, "latest|priority", "latest",
             "Which task goes first from a host that shrinks (`host_shrinks`). latest: the one that started "
             "last. priority: the one of the lowest priority, among equals the one that started last."),
    HC_PARAM(CHOICE, hc_run_options, cannot_grow, "keep|defer|requeue|reserve", "keep",
             "A running task whose demand grows (`resizes` of the format native, `updates: in_place` of "
             "Google's traces), while its hosts have not so much free. keep: it goes on with what it has, "
             "and that is counted as refused. defer: it does so for now, and grows as soon as there is room: "
             "after ends, changes of hosts and tasks that shrink, in the order in which the steps were due; "
             "a later step takes the place of one that still waits. requeue: it is stopped, waits again with "
             "the new demand, and does all of its work again. reserve: of a task that asks at a scheduling "
             "point, as defer, and until it has its room no task starts and no other grows; requests are met "
             "in the order in which they came, and where all tasks that run wait so, the last one goes on as "
             "it is. What no host could give is refused under each "
             "of them."),
    {.name = "max_waiting",
     .type = HC_INT,
     AT(max_waiting),
     .unit = "tasks",
     .fallback = "0",
     ANY_COUNT,
     .help =
         "The run stops with an error when more tasks than this wait: a machine that cannot keep up would "
         "fill the memory. 0: any number."},
    HC_PARAM(COMPONENTS, hc_run_options, events, HC_KIND_EVENTS, "[]",
             "What happens to hosts beside what the cell's own description says: they join, leave, drain, "
             "change size."),
    HC_PARAM(COMPONENTS, hc_run_options, reservations, HC_KIND_RESERVATION, NULL,
             "Advance reservations: hosts or processors that are kept for some users at known times. What "
             "outlives its estimate when one begins keeps what it has."),
    HC_PARAM(COMPONENTS, hc_run_options, local_load, HC_KIND_LOAD, "[]",
             "Load that hosts have from outside the run, one process a dimension. It slows no task; it "
             "decides, with the policy's eligibility, which hosts may be used now."),
    HC_PARAM(COMPONENTS, hc_run_options, power, HC_KIND_POWER, NULL,
             "What hosts draw, by their load: one entry a class of hosts, or one for all of them. On a cell "
             "that counts processors each draws `idle` or `peak`. The metric energy counts it."),
    HC_PARAM(CHOICE, hc_run_options, load_wake, "needed|every_change|never", "needed",
             "When local load calls for a decision. needed: at changes with which a task that waits could "
             "start. every_change: at each change while a task waits, which gives the same schedule and "
             "costs an event each; an architecture to which a decision in vain matters (think times, offers, "
             "back-off) always gets it. never: load is looked at when something else happens."),
    HC_PARAM(COMPONENT, hc_run_options, cell, HC_KIND_CELL, "auto", "Which machine there is."),
    HC_PARAM(COMPONENT, hc_run_options, policy, HC_KIND_POLICY, "batch",
             "Who runs next. Parts of the policy batch may be joined by +, in any order: easy, sjf+easy, "
             "sjf+easy+best_fit stand for {use: batch, order: sjf, select: easy, place: best_fit}."),
    HC_PARAM(
        COMPONENTS, hc_run_options, changes, HC_KIND_SETTING, NULL,
        "Keys of the policy that have other values from given times of the run on, in the order of these "
        "times: [{at: 9h, set: policy.select.depth=5}]."),
    HC_PARAM(COMPONENT, hc_run_options, architecture, HC_KIND_ARCHITECTURE, "monolithic",
             "Who calls which policy when, and how its plans are carried out."),
    HC_PARAM(CHOICE, hc_run_options, instant_order, "ends_first|arrivals_first", "ends_first",
             "What happens first when tasks end and others arrive at the same instant. It shows only where "
             "something is decided between the two."),
    HC_PARAM(CHOICE, hc_run_options, end_order, "serial|start", "serial",
             "In which order tasks that end at the same instant do so: by serial, or in the order in which "
             "they started. It shows only where something is decided between the two."),
    HC_PARAM(BOOL, hc_run_options, due_ends_first, "false",
             "Whether tasks that end exactly when they were expected to are free before anything else of "
             "that instant is decided, as where availability is read off a plan (pyss). Early ends come one "
             "by one."),
    HC_PARAM(
        INT, hc_run_options, max_rounds, "rounds", "1000000", 1, 1e18,
        "So many rounds of events at one instant count as a livelock, and stop the run with an error. So do "
        "more stops of tasks, with nothing saved, while no task ends or comes."),
    HC_PARAM(CHOICE, hc_run_options, event_queue, "heap|radix|wheel", "heap",
             "How future events are kept. It changes the speed, never the result."),
    HC_PARAM(TIME, hc_run_options, until, "s", "never", 0, 1e18,
             "Stop at this virtual time, counted from the origin of the trace. Tasks that still wait or run "
             "are counted as such."),
    HC_PARAM(COMPONENTS, hc_run_options, metrics, HC_KIND_METRIC,
             "[tasks, makespan, utilisation, load, capacity_loss, queue, wait, response, slowdown, "
             "bounded_slowdown, per_processor_slowdown, area_weighted, fairness, by_user]",
             "What is counted, in the order in which it is listed."),
    HC_PARAM(COMPONENT, hc_run_options, trim, HC_KIND_TRIM, NULL,
             "Leave out a warm-up and a cool-down by this rule, in a second summary beside the whole one. "
             "Default: no second summary."),
    HC_PARAM(CHOICE, hc_run_options, task_rows, "all|sample|none", "all",
             "Which tasks get a row in the result: all, one in `sample` of them, or none. Totals are exact "
             "in any case, but a result without every row cannot be verified or exported as a schedule."),
    HC_PARAM(INT, hc_run_options, sample, "tasks", "100", 1, 1e18,
             "With task_rows: sample, one task in so many is kept, chosen by its serial and the seed."),
    HC_PARAM(
        INT, hc_run_options, name_limit, NULL, "1048576", 1, 16777216,
        "At most so many names of users, as many of groups, of executables, of queues and so on, and of "
        "tasks, are kept where the source has names: in the result, and for parameters that name users or "
        "queues. A task whose user comes later has its number alone; the result says how many such tasks "
        "there were. What a name takes is about 100 bytes and its length."),
    HC_PARAM(TEXT, hc_run_options, zone, NULL,
             "Time zone of tables by day and hour: Europe/Stockholm, UTC, +01:00; names are those of the tz "
             "database that is part of the program. Default: the trace's; without one, UTC."),
    HC_PARAM(INT, hc_run_options, unix_start, "s", "unknown", -1e12, 1e12,
             "Unix time of the origin of the run. unknown: as the trace says; if it says nothing, there are "
             "no tables by day and hour."),
    HC_PARAM(TEXT, hc_run_options, output, NULL, "Where the result goes. Default: results/NAME.db."),
    HC_PARAM(
        BOOL, hc_run_options, conflicts, "false",
        "Where plans are carried out after a thought (shared_state, parsync, `think`): tell each start "
        "that is refused, with its time, scheduler and task, the host, and what was in the way. They are "
        "the table `conflicts`, summed up by `show` by pairs of schedulers. They are counted in any case."),
    HC_PARAM(BOOL, hc_run_options, paranoid, "false",
             "Check every invariant at every instant. Slow; for those who change the engine."),
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
