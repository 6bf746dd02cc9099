/* reservation.c -- hosts or processors that are kept for some users at known times. */
#include "cluster/record.h"

typedef hc_reservation_options options;

static const hc_param params[] = {
    HC_PARAM(
        FILE, options, file, NULL,
        "A table of reservations (CSV), a row for each: titles are the names of these parameters, and a "
        "parameter that a row leaves out has the value given here. Several hosts, users or accounts in a "
        "field are separated by blanks or semicolons; times may be dates in the run's zone (2024-05-01 "
        "09:00), if `unix_start` or the trace says when it begins. Default: this entry is one reservation."),
    HC_PARAM(TEXT, options, name, NULL, "Name of the reservation. Default: its number, from 1."),
    HC_PARAM(TEXTS, options, hosts, NULL,
             "Which hosts are reserved, whole. " HC_HOSTS_HELP
             " Default: all hosts, of which `count` says how many are reserved."),
    HC_PARAM(
        INT, options, count, "hosts", "0", 0, 4e9,
        "Number of hosts that are reserved, the first of `hosts` that no reservation before this one has at "
        "that time. 0: all of `hosts`."),
    HC_PARAM(INT, options, units, "processors", "0", 0, 1e12,
             "On a cell that counts processors: number of reserved processors, whichever they are."),
    HC_PARAM(TEXTS, options, users, NULL, "Users whose tasks may run in it, by name or number."),
    HC_PARAM(TEXTS, options, accounts, NULL,
             "Accounts (groups of the trace) whose tasks may run in it, by name or number."),
    HC_PARAM(TIME, options, start, "s", NULL, 0, 1e10,
             "Time at which it begins, from the origin of the run. Required, here or in `file`."),
    HC_PARAM(TIME, options, end, "s", NULL, 0, 1e10,
             "Time at which it ends. Required, here or in `file`; a maintenance without an end is for good."),
    HC_PARAM(
        TIME, options, every, "s", NULL, 1e-9, 1e10,
        "Time from one beginning to the next of a reservation that recurs: 1d, 7d. `times` says how often."),
    HC_PARAM(INT, options, times, "times", "1", 1, 100000, "Number of times that it takes place."),
    HC_PARAM(
        TIME, options, announced, "s", "0", 0, 1e10,
        "Time from which on policies know of it, at most `start`. Until then tasks start as if there were no "
        "reservation; promises that it breaks are made anew at that time."),
    HC_PARAM(
        CHOICE, options, at_start, HC_AT_STARTS, "keep",
        "What becomes of other users' tasks on reserved hosts when it begins, since they outlived their "
        "estimates, or started before it was announced. keep: they go on, and the table overruns lists them. "
        "requeue: they are stopped and queued again, and begin anew. checkpoint: they are stopped and queued "
        "again, and go on from what they have done. stop: they are killed. On a cell that counts processors "
        "as many tasks as necessary go: those past their estimates, then the others, the latest start "
        "first."),
    HC_PARAM(BOOL, options, maintenance, "false",
             "Is it announced downtime? Then no task may use it, and it names no users."),
    {0}};

const hc_component hc_reservation_reservation = {
    HC_COMPONENT_HEAD(hc_component, HC_KIND_RESERVATION),
    .name = "reservation",
    .summary = "hosts or processors kept for some users at a known time",
    .detail =
        "`use` may be left out: reservations: [{name: course, hosts: 'c-[0-4]', users: [ann], start: 9h, "
        "end: 12h, every: 1d, times: 5}]. A task of other users does not start where it would, by its "
        "estimate, still run when the reservation begins; `at_start` says what becomes of a task that "
        "outlives its estimate. Tasks of the reservation's users need not name it: they start wherever there "
        "is room. Announced downtime is a reservation that no task may use: {hosts: 'c-[0-4]', maintenance: "
        "true, announced: 1d, start: 8d, end: 9d, at_start: requeue}. Events of hosts announce it too "
        "(change/host_change, `announced`), and their hosts are away then.",
    .params = params,
    .options_size = sizeof(options),
};
