/* google_params.h -- the parameters that the readers of Google's cluster traces share, spelt once.
 * `struct_.in` is the hc_google_choices among a reader's options. */
#ifndef HC_WORKLOAD_GOOGLE_PARAMS_H
#define HC_WORKLOAD_GOOGLE_PARAMS_H

#include "workload/google.h"

#define HC_GOOGLE_FILES(struct_, in, table, job_table, usage_table) \
  HC_PARAM_AS( \
      FILE, "file", struct_, in.file, NULL, \
      "the table " table ": a file (plain, .gz, .zst or .xz; - is standard input), a directory, or a " \
      "pattern with * and ? in its last step. The files of a directory or pattern are read one after " \
      "the other, in the order of their names"), \
      HC_PARAM_AS(FILES, "parts", struct_, in.parts, NULL, \
                  "Further files, directories or patterns of the same table, read after `file`, in this " \
                  "order."), \
      HC_PARAM_AS(FILE, "jobs", struct_, in.jobs, NULL, \
                  "the table " job_table ", as a file, directory or pattern. Default: unknown"), \
      HC_PARAM_AS( \
          FILE, "usage", struct_, in.usage, NULL, \
          "the table " usage_table ", as a file, directory or pattern: the means over the run of a task, " \
          "weighted by the length of each measurement, become its CPU time (cores x run) and its used " \
          "memory. A measurement finds its task while this is held"), \
      HC_PARAM_AS( \
          INT, "usage_steps", struct_, in.usage_steps, "steps", "16", 0, 4096, \
          "With `usage`: what a task used is also kept step by step, for the metric usage, in at " \
          "most so many measurements: beyond, each two neighbours become one. 0: only the mean. Not " \
          "kept with attempts: sum.")

#define HC_GOOGLE_READINGS(struct_, in) \
  HC_PARAM_AS(CHOICE, "reading", struct_, in.reading, "requested|measured", "requested", \
              "requested: a task arrives when it was submitted, and needs what it asked for. measured: " \
              "it arrives when it started in reality, and needs the mean CPU and memory that it used " \
              "(disk as asked); tasks without a measurement are rejected (incomplete). Needs `usage`."), \
      HC_PARAM_AS( \
          CHOICE, "attempts", struct_, in.attempts, "last|each|sum", "last", \
          "A task that was stopped in a way that `merge` names, and submitted again within " \
          "`resubmit`. last: one task, which runs as long as its last attempt: what was done before " \
          "was lost. each: every attempt is a task of its own. sum: one task, which runs as long as " \
          "all of them, and waits as long as none ran."), \
      HC_PARAM_AS(CHOICES, "merge", struct_, in.merge, HC_GOOGLE_ENDS, "[evict]", \
                  "Ends after which a task that is submitted again is still the same one."), \
      HC_PARAM_AS(TIME, "resubmit", struct_, in.resubmit, "s", "1h", 0, 1e9, \
                  "How long after such an end a task may be submitted again and still be the same one."), \
      HC_PARAM_AS( \
          CHOICES, "ends", struct_, in.ends, HC_GOOGLE_ENDS, "[evict, fail, finish, kill, lost]", \
          "Ends with which a task counts; others are filtered. FINISH is completed, FAIL failed, " \
          "KILL and EVICT cancelled, LOST not known; whatever ends a task that waits is cancelled in " \
          "the queue."), \
      HC_PARAM_AS(CHOICES, "without", struct_, in.without, HC_GOOGLE_WORDS, NULL, \
                  "Events that a task may not have had; those that had one are filtered."), \
      HC_PARAM_AS( \
          CHOICE, "updates", struct_, in.updates, "last|first|largest|in_place", "last", \
          "Which demand counts if it was changed while the task waited or ran. last, first, largest: " \
          "that one, for each dimension, from the start of the task to its end; constraints are the " \
          "first or, else, the last ones. in_place: what was changed before the start counts at the " \
          "start, and each UPDATE_RUNNING changes what the running task holds, so long after its " \
          "start (`resizes` of the format native; see the run's option cannot_grow); constraints are " \
          "those of the start. Needs a cell of hosts. With attempts: sum a task of several attempts " \
          "has the last demand."), \
      HC_PARAM_AS(CHOICE, "initial", struct_, in.initial, "keep|reject", "keep", \
                  "Tasks that were there before the trace began (events at time 0, or an update as the " \
                  "first). keep: they arrive at time 0, or with that update, and their run counts from " \
                  "there. reject: as already_running or, if they waited, no_submit."), \
      HC_PARAM_AS( \
          CHOICE, "unfinished", struct_, in.unfinished, "keep|reject", "keep", \
          "Tasks whose end does not come within `window` or the trace. keep: with the run that was " \
          "seen, marked as not ended. reject: as still_running or, if they never started, never_ran."), \
      HC_PARAM_AS( \
          CHOICE, "missing", struct_, in.missing, "keep|reject", "keep", \
          "Events that the trace's makers put in where a record was missing. reject: as incomplete, " \
          "as if they had not been put in.")

#define HC_GOOGLE_SCALES(struct_, in) \
  HC_PARAM_AS(TIME, "window", struct_, in.window, "s", "2d", 0, 1e9, \
              "How long a task's end is waited for, from its arrival. Tasks come out in order of " \
              "arrival, so one that runs long holds back those behind it, at some 180 bytes each, with " \
              "usage 30 more and 32 for each step."), \
      HC_PARAM_AS( \
          INT, "held", struct_, in.held, "tasks", "2097152", 1, 1e9, \
          "Most tasks held so; past it the first is given out as it is. As many again are remembered " \
          "until their end comes."), \
      HC_PARAM_AS(REAL, "cpu_scale", struct_, in.cpu_scale, "cores", "64", 0.001, 1e9, \
                  "How many cores a share of 1 stands for: the trace has no absolute amounts."), \
      HC_PARAM_AS(SIZE, "memory_scale", struct_, in.memory_scale, "B", "256GiB", 1, 1125899906842624.0, \
                  "How much memory a share of 1 stands for."), \
      HC_PARAM_AS(TIME, "time_unit", struct_, in.time_unit, "s", "1us", 1e-9, 1e6, \
                  "Unit of the trace's times; the published trace has microseconds."), \
      HC_PARAM_AS(TIME, "origin", struct_, in.origin, "s", "0", 0, 1e9, \
                  "Time 0 of the run, in times of the trace, which begins at 600 s. What was there before " \
                  "then arrives at 0; other tasks that arrived before it are left out.")

#endif
