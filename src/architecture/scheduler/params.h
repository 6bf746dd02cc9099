/* params.h -- the rows that every architecture of several schedulers has in its table of parameters: to be
 * included inside one, whose options begin with hc_schedulers_options. No guard: a table is not a header. */
#include "hindcast/component.h"

HC_PARAM_AS(COMPONENTS, "schedulers", hc_schedulers_options, list, HC_KIND_SCHEDULER, NULL,
            "The schedulers, the first that takes a task before the others (`hindcast describe "
            "scheduler`). Default: one, of all tasks."),
    HC_PARAM(CHOICE, hc_schedulers_options, spread, HC_SPREADS, "hash",
             "Which of several schedulers that are alike gets a job: each in turn, or by a hash of the "
             "job's number."),
    HC_PARAM(CHOICE, hc_schedulers_options, decision, HC_DECISIONS, "job",
             "What a scheduler thinks about at a time. job: one job, the next in the order of its policy. "
             "pass: all that it has queued, as a batch scheduler does: its policy decides on the whole "
             "queue, once something happened that concerns it, in think_job + think_task x tasks; "
             "reservations and shares act then, and `retry`, `attempts` and `attempts_in_vain` do not."),
    HC_PARAM(TIME, hc_schedulers_options, retry, "s", "1s", 0, 1e9,
             "A job of which something is left is queued again so much later."),
    HC_PARAM(INT, hc_schedulers_options, attempts, "attempts", "1000", 1, 1e9,
             "After so many the rest of a job is given up: its tasks are rejected."),
    HC_PARAM(COMPONENT, hc_schedulers_options, prefill_place, HC_KIND_PLACE, NULL,
             "Which hosts tasks get that ran before the beginning (a source or transform marks them): they "
             "start when they arrive, without a decision. Default: what the run's policy says."),
    HC_PARAM(REAL, hc_schedulers_options, prefill_share, "1", "1", 0, 1,
             "Such a task that would take them past this share of the cell, in any dimension, is rejected."),
    HC_PARAM(INT, hc_schedulers_options, attempts_in_vain, "attempts", "100", 1, 1e9,
             "After so many a job of which not one task has started is given up."),
