/* figures.h -- what is found of schedulers, as figures are declared: rows to be included inside a table. No
 * guard: a table is not a header. A row is name|unit|direction|text; a name ends in that of the scheduler. */
"prefill_tasks|tasks|none|tasks that ran before the run's beginning, and got their place without a decision",
    "prefill_rejected|tasks|lower|such tasks for which there was no room, or that would have passed "
    "`prefill_share`",
    "busyness_*|1|lower, usual|time that the scheduler spent on decisions that are over / time of the run; "
    "the mean where `count` schedulers are alike",
    "busyness_useful_*|1|higher, usual|the same of decisions after which something started and nothing was "
    "refused",
    "busyness_wasted_*|1|lower, usual|the same of decisions after which something was refused: a conflict",
    "busyness_offered_*|1|none, usual|busyness if each job that came took one attempt: sum of (think_job + "
    "think_task x tasks) / time",
    "busyness_without_conflicts_*|1|lower, usual|busyness without the decisions on jobs at whose attempt "
    "before something was refused",
    "busyness_day_median_*|1|lower, usual|median of busyness over the days of virtual time; of the last day "
    "the part that the run covers",
    "busyness_day_mad_*|1|lower, usual|median over the days of the distance from busyness_day_median",
    "conflict_fraction_*|1|lower, usual|decisions after which something was refused / decisions after which "
    "something started and nothing was refused",
    "conflict_fraction_day_median_*|1|lower, usual|median of conflict_fraction over the days of virtual "
    "time; a day of which the divisor is 0 counts with divisor 1",
    "conflict_fraction_day_mad_*|1|lower, usual|median over the days of the distance from "
    "conflict_fraction_day_median",
    "conflict_share_*|1|lower|decisions after which something was refused / decisions",
    "task_conflict_share_*|1|lower|starts that were refused / starts that were tried",
    "decisions_*|decisions|none|attempts at a job",
    "decisions_vain_*|decisions|lower|attempts that found no place for any task",
    "conflicts_*|decisions|lower|attempts after which something was refused",
    "jobs_*|jobs|none|jobs that came",
    "jobs_started_*|jobs|higher|jobs of which all tasks have started",
    "jobs_given_up_*|jobs|lower, usual|jobs whose rest was rejected after `attempts` or `attempts_in_vain`",
    "tasks_given_up_*|tasks|lower|tasks of these jobs that were rejected",
    "limit_resources_*|tasks|none|starts that would have passed max_share, max_cpus or max_memory",
    "limit_jobs_*|tasks|none|starts that would have passed max_jobs",
    "limit_priority_*|tasks|none|starts of a priority that the scheduler may not use",
    "jobs_sped_up_share_*|1|higher, usual|share of the jobs of one task that started with more slots than "
    "they"
    " asked for, with `mold`",
    "speed_up_mean_*|1|higher, usual|mean over jobs of one task of slots with which it started / slots that "
    "it asked for",
    "speed_up_p50_*|1|higher|median of that ratio", "speed_up_p80_*|1|higher|quantile 0.80 of that ratio",
    "speed_up_p99_*|1|higher|quantile 0.99 of that ratio",
    "jobs_within_*|1|higher|share of the jobs whose first attempt began within `objective` of their arrival",
    "days_within_*|1|higher|share of the days on which first attempts began of which the mean wait for these "
    "was at most `objective`",
    "attempts_mean_*|attempts|lower|mean number of attempts of jobs that have started",
    "attempts_p50_*|attempts|lower|median of that number",
    "attempts_p90_*|attempts|lower|quantile 0.90 of that number",
    "attempts_p99_*|attempts|lower|quantile 0.99 of that number",
    "wait_first_p50_*|s|lower|from a job's arrival to the beginning of its first attempt: median",
    "wait_first_p90_*|s|lower|quantile 0.90 of that", "wait_first_p99_*|s|lower|quantile 0.99 of that",
    "wait_first_mean_*|s|lower, usual|mean of that",
    "wait_full_p50_*|s|lower|from a job's arrival to the start of its last task: median",
    "wait_full_p90_*|s|lower|quantile 0.90 of that", "wait_full_p99_*|s|lower|quantile 0.99 of that",
    "wait_full_mean_*|s|lower, usual|mean of that",
