/* params.h -- the rows that every architecture of several schedulers has in its table of parameters: to be
 * included inside one, whose options begin with hc_schedulers_options. No guard: a table is not a header. */
#include "hindcast/component.h"

HC_PARAM_AS(COMPONENTS, "schedulers", hc_schedulers_options, list, HC_KIND_SCHEDULER, NULL,
            "The schedulers: a task goes to the first that takes it (`hindcast describe scheduler`). "
            "Default: one scheduler that takes all tasks."),
    HC_PARAM(CHOICE, hc_schedulers_options, spread, HC_SPREADS, "hash",
             "Which of the schedulers that are alike (`count`) gets a job: each in turn, or by a hash of the "
             "job's number."),
    HC_PARAM(CHOICE, hc_schedulers_options, decision, HC_DECISIONS, "job",
             "What a scheduler thinks about at a time. job: one job, the next in the order of its policy. "
             "pass: its whole queue, as a batch scheduler does: its policy decides on all queued tasks, "
             "whenever something happened that concerns it, in think_job + think_task x tasks; reservations "
             "and shares have an effect then, and `retry`, `attempts` and `attempts_in_vain` have none."),
    HC_PARAM(TIME, hc_schedulers_options, retry, "s", "1s", 0, 1e9,
             "After an attempt, how much later a job with tasks that have not started is queued again."),
    HC_PARAM(INT, hc_schedulers_options, attempts, "attempts", "1000", 1, 1e9,
             "After so many attempts the rest of a job is given up: its tasks that have not started are "
             "rejected."),
    HC_PARAM(COMPONENT, hc_schedulers_options, prefill_place, HC_KIND_PLACE, NULL,
             "Placement of tasks that ran before the run's beginning (a source or transform marks them): "
             "they start when they arrive, without a decision. Default: the placement of the run's policy."),
    HC_PARAM(REAL, hc_schedulers_options, prefill_share, "1", "1", 0, 1,
             "A task that ran before the beginning is rejected if with it all such tasks would hold more "
             "than this share of the cell, in any dimension."),
    HC_PARAM(INT, hc_schedulers_options, attempts_in_vain, "attempts", "100", 1, 1e9,
             "After so many attempts a job of which no task has started is given up."),
