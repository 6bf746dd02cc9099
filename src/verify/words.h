/* words.h -- the rules, what can be found, and what no record says: three tables, each said once. */
#ifndef HC_VERIFY_WORDS_H
#define HC_VERIFY_WORDS_H

/* What is checked, in the order in which it is told. X(identifier, name, meaning) */
#define HC_RULES(X) \
  X(BOUNDS, "bounds", "no amount is negative, and no number is so large that sums of them could overflow") \
  X(LEDGER, "ledger", \
    "each task has one row; final states, rows, facts and marks agree with the tables that they " \
    "count") \
  X(FIGURES, "figures", \
    "counts, makespans, mean and longest waits and responses of the summary are the tasks'") \
  X(FINAL, "final", "each task has the times that its final state has, and what explains that state") \
  X(SUBMISSION, "before_submission", "no task starts before it was submitted") \
  X(TOGETHER, "together", \
    "components of a heterogeneous job, which a policy starts together, all start at once") \
  X(TIME, "before_time", "no task starts before the time that its trace names (schedule_after)") \
  X(RUN_TIME, "run_time", \
    "a task runs for its run time; where limits kill, never past its limit, and is killed at it") \
  X(ACTIVITY, "activity", \
    "what an attempt did while it ran (rows of `activity`) fits the time that it had, and the summary") \
  X(ALONE, "alone", \
    "a task that shared no link and no disk ran as long as it takes alone, and one that did one thing at a " \
    "time is never shorter") \
  X(ATTEMPTS, "attempts", \
    "attempts that a plan stopped, or that were lost with a host, follow one another and add up") \
  X(RATES, "rates", "a suspended task goes on, and does in all the work that its run is") \
  X(RESIZES, "resizes", \
    "what a task holds changes only where it is, or as a plan resized it, and its work is conserved") \
  X(CAPACITY, "capacity", "at no time is more held than there is, on the machine and on each host") \
  X(PLACES, "places", "named processors: as many as asked for, of the machine, none held twice at a time") \
  X(DEMAND, "demand", "a task holds what it asked for: slots, amounts, hosts apart, whole hosts") \
  X(SETS, "sets", "a task of a partition that is bound to a set of hosts runs on hosts of that set") \
  X(DEVICES, "devices", "GPUs are the host's; a part of one lies on one, whole ones on as many") \
  X(LICENCES, "licences", "at no time are more licences held than there are") \
  X(RESERVED, "reserved", \
    "no task of others starts where it would, by its estimate, run into an advance reservation; what " \
    "outlives its estimate there is told; jobs of a reservation of Slurm are within it") \
  X(ANNOUNCED, "announced", \
    "nothing starts on a host that drains as announced, nor where it would, by its estimate, have no room " \
    "once the host has shrunk as announced") \
  X(HOST_LOSS, "host_loss", "no task runs on through the loss of its host; none is lost without one") \
  X(POWER, "power", \
    "a host that plans switch stops, is off, starts and is on, in turn, and is away until it is on") \
  X(ORDER, "order", "FCFS: no task starts before one that was submitted earlier") \
  X(HEAD, "head", "FCFS: the first in the queue starts as soon as there is room for it") \
  X(RESERVATION, "reservation", \
    "EASY: no task delays the first in the queue, which starts by its reservation") \
  X(PROMISE, "promise", "conservative: no task starts later than it was first planned") \
  X(OUTRANKS, "outranks", \
    "batch preemption: a task is stopped only for one of higher priority, which starts then; on counted " \
    "processors none of the highest priority waits that would fit without tasks of lower")

/* What can be found. In the words {a} and {b} are its two numbers as times in seconds, {A} and {B} the same
 * as whole numbers, {o} the number of another task, {h} a host, {d} a dimension or a device, {w} the word for
 * what is counted. X(identifier, rule, words) */
#define HC_FINDINGS(X) \
  X(OUT_OF_BOUNDS, BOUNDS, "{w}: {A} is negative, or too large to be added up") \
  X(TWICE, LEDGER, "has more than one row, or shares serial {A} with another") \
  X(MISSING_SERIAL, LEDGER, "no task has serial {A}, and {B} tasks were submitted") \
  X(OTHER_COUNT, LEDGER, "{w}: says {A}; counted anew it is {B}") \
  X(TWO_NAMES, LEDGER, "{w} {A} has two names") \
  X(NO_ROW, LEDGER, "is marked as {w}, and has no row that says how") \
  X(NO_MARK, LEDGER, "has a row of {w}, and is not marked so") \
  X(NEVER_RAN, LEDGER, "never ran, and has rows of what it asked for or held") \
  X(NO_TASK, LEDGER, "a row of {w} is about serial {A}, which no task has") \
  X(OTHER_FIGURE, FIGURES, "{w}: says {a}; the tasks come to {b}") \
  X(OTHER_NUMBER, FIGURES, "{w}: says {A}; the tasks come to {B}") \
  X(NO_FIGURE, FIGURES, "{w}: was asked for, and is not there") \
  X(NO_TIMES, RUN_TIME, "ended, but its start or its end is not recorded") \
  X(HAS_TIMES, FINAL, "is {w}, and has a start or an end that this cannot have, or lacks one") \
  X(NO_REASON, FINAL, "is {w}, and nothing explains it") \
  X(STILL_THERE, FINAL, "still runs when the records end, at {b} s, and would have ended at {a} s") \
  X(BACKWARDS, RUN_TIME, "ends before it starts, at {a} s") \
  X(OTHER_RUN, RUN_TIME, "ran for {a} s; its run time is {b} s") \
  X(OTHER_LIMIT, RUN_TIME, "was killed after {a} s; its limit is {b} s") \
  X(PAST_LIMIT, RUN_TIME, "ran for {a} s, past its limit of {b} s, at which tasks are killed") \
  X(NO_ATTEMPT, ACTIVITY, "has a row of `activity` that ends at {a} s, and no attempt that does") \
  X(OTHER_WORK, ACTIVITY, "worked for {a} s by its row of `activity`; the attempt took {b} s") \
  X(OTHER_PARTS, ACTIVITY, "{w}: what its row of `activity` says is not within the {a} s that it worked") \
  X(OTHER_SLOWDOWN, ACTIVITY, "{w}: is not what {a} s of work and {b} s alone come to") \
  X(OTHER_SUM, ACTIVITY, "{w}: is not what the rows of `activity` come to") \
  X(NOT_AS_ALONE, ALONE, "shared no link and no disk, and took {a} s; alone it takes {b} s") \
  X(TOO_SHORT, ALONE, "did one thing at a time, and took {a} s; alone it takes {b} s") \
  X(ATTEMPTS, ATTEMPTS, \
    "an attempt of it begins at {a} s or ends before that; the one before it ends at {b} s") \
  X(SAVED, ATTEMPTS, "saved {a} s of work in an attempt of {b} s") \
  X(LOST_ATTEMPT, ATTEMPTS, "attempt {A} was lost after more time than the task would have run") \
  X(LOST_COUNT, ATTEMPTS, "lost {A} attempts by its demand; {B} are recorded") \
  X(RATES, RATES, \
    "is suspended, goes on or changes its rate at {a} s, when it cannot; the time before is {b} s") \
  X(RESIZE, RESIZES, "is to hold {A} of dimension {d} on host {h} from now on, and cannot") \
  X(SIZE, RESIZES, "holds {A} processors from now on, and its size is {B}") \
  X(OTHER_END, RESIZES, \
    "held {B} slots from host or processor {A} on at its end, and its last resize has no such row") \
  X(ROWS_OF_END, RESIZES, "what it held at its end is {A} rows, and its last resize has {B}") \
  X(GROWS_OVERFULL, CAPACITY, "as it grows host {h} holds {A} of dimension {d}, and has {B}") \
  X(EARLY, SUBMISSION, "starts before its submission at {a} s") \
  X(TOO_EARLY, TIME, "starts before {a} s, when it may by its trace") \
  X(NO_UNITS, CAPACITY, "runs on {A} processors") \
  X(OVERFULL, CAPACITY, "with its start {A} processors are held, and there are {B}") \
  X(HOST_OVERFULL, CAPACITY, "with its start host {h} holds {A} of dimension {d}, and has {B}") \
  X(SHRINKS_OVERFULL, CAPACITY, "host {h} has {B} of dimension {d} from now on, and {A} of it stays held") \
  X(HOST_AWAY, CAPACITY, "starts on host {h}, which is away") \
  X(DEVICE_OVERFULL, CAPACITY, "with its start device {d} of host {h} holds {A} of {B}") \
  X(NOT_ALONE, CAPACITY, "with its start {A} tasks are on host {h}, of which one has it whole") \
  X(NO_PLACE, CAPACITY, "ran, and no host is recorded for it") \
  X(PLACE_COUNT, PLACES, "has {A} named processors, and runs on {B}") \
  X(PLACE_OUTSIDE, PLACES, "has processors from {A} on, as many as {B}: the machine has not all of these") \
  X(PLACE_TWICE, PLACES, "starts on processor {A}, which it has twice, or another task holds") \
  X(NO_DEMAND, DEMAND, "ran on hosts, and what it asked for is recorded {A} times, not once") \
  X(OTHER_SLOTS, DEMAND, "has {A} slots, and asked for {B}") \
  X(OTHER_DEMAND, DEMAND, "holds {A} of dimension {d} in all, and asked for {B}") \
  X(OTHER_AMOUNT, DEMAND, "holds {A} of dimension {d} on host {h} for slots that come to {B}") \
  X(NOT_APART, DEMAND, "has more than one slot on host {h}, and asked for each on another") \
  X(NOT_WHOLE, DEMAND, "holds {A} of dimension {d} on host {h}, which it asked for whole: {B}") \
  X(OUTSIDE_SET, SETS, \
    "is of partition {A}, and on host {h}, which is not of the set {B} that this is bound to") \
  X(NO_DEVICE, DEVICES, "is on device {d} of host {h}, which has {A}") \
  X(DEVICE_COUNT, DEVICES, "holds {A} thousandths of a GPU on host {h}, on {B} devices") \
  X(NO_LICENCE, LICENCES, "with its start {A} of dimension {d} are held on the whole cell, which has {B}") \
  X(IN_RESERVED, RESERVED, "starts on host {h}, which others have reserved from {a} s to {b} s") \
  X(INTO_RESERVED, RESERVED, \
    "starts on host {h}, which others have reserved from {a} s on, and would end at {b} s by its estimate") \
  X(UNTOLD, RESERVED, \
    "is on host {h} at {a} s, when it is reserved for others, until {b} s: no row says so") \
  X(OUT_OF_ITS_TIME, RESERVED, "names a reservation, and starts when none that it names lasts") \
  X(NOT_ITS_GUEST, RESERVED, \
    "names a reservation that lasts from {a} s to {b} s, and is of no user or account of it") \
  X(OUT_OF_ITS_HOSTS, RESERVED, \
    "starts on host {h}, which is not of its reservation, that lasts from {a} s to {b} s") \
  X(OUTLASTS, RESERVED, "is of a reservation that ends at {a} s, and ends at {b} s") \
  X(KEPT, RESERVED, "starts, and {B} of the processors that others have reserved from {a} s on are missing") \
  X(UNTOLD_AMOUNT, RESERVED, \
    "{B} of the processors that are reserved from {a} s on are missing: no row says so") \
  X(IN_DRAIN, ANNOUNCED, "starts on host {h}, which takes nothing from {a} s to {b} s") \
  X(INTO_SHRINK, ANNOUNCED, \
    "starts on host {h}, and by estimates {A} of dimension {d} are held there when it has {B}") \
  X(OTHER_STATE, POWER, \
    "host {h} is in state {A} from now on, and was in {B}: 0 on, 1 stopping, 2 off, 3 starting, " \
    "others on, in a state of power") \
  X(SWITCHED_THERE, POWER, "host {h} is switched off, and no row says that it goes away") \
  X(BACK_EARLY, POWER, "host {h} is there again, and in state {A}") \
  X(RUNS_ON, HOST_LOSS, "host {h} goes away, and {A} tasks that are on it run on") \
  X(NOTHING_LOST, HOST_LOSS, "was lost with a host at {a} s, and none that it was on goes away then") \
  X(DONE_BY_NONE, HOST_LOSS, "ends on host {h}, which had failed at {a} s and did nothing from then on") \
  X(OUT_OF_ORDER, ORDER, "starts before task {o}, which is earlier in order, at {a} s") \
  X(PASSES_FOR_EVER, ORDER, "starts, and task {o} before it never does") \
  X(HEAD_WAITS, HEAD, "first in the queue, and there is room for it from {a} s on: it waits all the same") \
  X(DELAYS_HEAD, RESERVATION, \
    "was let past task {o}, reserved for {a} s; by its estimate it ends after that, and it does " \
    "not fit in the {B} processors to spare") \
  X(HEAD_LATE, RESERVATION, "first in the queue with a reservation for {a} s, it starts later") \
  X(HEAD_NEVER, RESERVATION, "first in the queue with a reservation for {a} s, it has not started") \
  X(LATE, PROMISE, "starts later than {a} s, when its first plan had it") \
  X(NEVER_STARTS, PROMISE, "has not started; its first plan had it at {a} s") \
  X(APART, TOGETHER, "does not start at {a} s, when task {o} does, a component of the same job") \
  X(STOPPED_FOR_NONE, OUTRANKS, "has priority {A} and is stopped, and no task of a higher one starts then") \
  X(OUTRANKED, OUTRANKS, \
    "waits with the highest priority there is, wants {A} processors, and {B} are free or held by tasks of " \
    "lower")

/* What no record says, so that no check can be made of it. X(identifier, where it matters, what) */
#define HC_GAPS(X) \
  X(POLICY, HC_GAP_OF_POLICY, "what the policy promises") \
  X(ANEW, HC_GAP_OF_POLICY, \
    "what the policy promises, because plans that are made anew (`replan`) may move tasks back") \
  X(OFTEN, HC_GAP_OF_POLICY, \
    "what the policy promises, because it decides more than once in an instant, by a clock, not at each " \
    "change, after a thought or by beliefs that are not recorded") \
  X(MOVED, HC_GAP_OF_POLICY, \
    "what the policy promises, because tasks waited for others or for their time, began anew, were " \
    "stopped, suspended or resized: since when they were in the queue, and with which estimate, is not " \
    "recorded") \
  X(OUTRANKED, HC_GAP_OF_POLICY, \
    "what the policy promises, because tasks of higher priority come first and may stop others: where " \
    "these are in the queue then, and for how long they are believed to run, is not recorded") \
  X(SIZED, HC_GAP_OF_POLICY, \
    "what the policy promises, because sizes of tasks were settled while they waited: which ones they had " \
    "when others were promised a start is not recorded") \
  X(WHERE, HC_GAP_OF_POLICY, \
    "what EASY promises, because where on hosts the first in the queue would have gone is not recorded") \
  X(WINDOWS, HC_GAP_OF_POLICY, \
    "what the policy promises, because plans beside advance reservations are not made anew here") \
  X(SIZES, HC_GAP_OF_POLICY, \
    "starts that an announced shrink would cut, because for how long tasks were believed to run that were " \
    "stopped, lost, resized or corrected, or that ran elsewhere at another speed, is not recorded") \
  X(CHANGED, HC_GAP_OF_POLICY, \
    "what the policy promises once it has changed, because the keys that it has then are not recorded") \
  X(CONSTRAINTS, HC_GAP_ON_HOSTS, \
    "constraints on hosts (attributes, named hosts, sets that tasks name, same, differ, rivals)") \
  X(SETS, HC_GAP_OF_SETS, \
    "which sets of hosts tasks are bound to, where a source may name them or the name of a partition is " \
    "not recorded") \
  X(LIMITS, HC_GAP_ON_HOSTS, "limits of partitions") \
  X(CHUNKS, HC_GAP_ON_HOSTS, "what unequal parts of a task asked for") \
  X(LOST_PLACES, HC_GAP_OF_LOST, "what attempts held that were lost with their host") \
  X(STOPPED_PLACES, HC_GAP_OF_STOPPED, "which processors stopped attempts held") \
  X(OPEN_PLACES, HC_GAP_OF_RUNNING, "what tasks hold that still ran at the end") \
  X(DEPENDENCIES, HC_GAP_OF_HELD, "which task waits for which") \
  X(WITHDRAWALS, HC_GAP_OF_GONE, "why tasks were withdrawn or rejected") \
  X(THINKING, HC_GAP_OF_THINKING, "think times, and what each scheduler knew") \
  X(SHARES, HC_GAP_OF_SHARES, "fair shares, quotas and guarantees") \
  X(CONTENTION, HC_GAP_OF_CONTENTION, \
    "how long tasks take that did several things at a time beside others, were suspended, or found files " \
    "of others")

#endif
