/* google_params.h -- the parameters that the readers of Google's cluster traces share, spelt once.
 * AT(member) is the offset of a member of hc_google_choices in a reader's options. */
#ifndef HC_WORKLOAD_GOOGLE_PARAMS_H
#define HC_WORKLOAD_GOOGLE_PARAMS_H

#include "workload/google.h"

#define HC_GOOGLE_FILES(AT, table, job_table, usage_table) \
  {.name = "file", \
   .type = HC_TEXT, \
   AT(file), \
   .help = "the table " table ": a file (plain, .gz, .zst or .xz; - is standard input), a directory, or a " \
           "pattern with * and ? in its last step. The files of a directory or pattern are read one after " \
           "the other, in the order of their names"}, \
      {.name = "parts", \
       .type = HC_TEXT, \
       .list = true, \
       AT(parts), \
       .help = \
           "Further files, directories or patterns of the same table, read after `file`, in this order."}, \
      {.name = "jobs", \
       .type = HC_TEXT, \
       AT(jobs), \
       .help = "the table " job_table ", as a file, directory or pattern. Not given: that is not known"}, \
      {.name = "usage", \
       .type = HC_TEXT, \
       AT(usage), \
       .help = \
           "the table " usage_table ", as a file, directory or pattern: the means over the run of a task, " \
           "weighted by the length of each measurement, become its CPU time (cores x run) and its used " \
           "memory. A measurement finds its task while this is held"}, \
  { \
    .name = "usage_steps", .type = HC_INT, AT(usage_steps), .unit = "steps", .fallback = "16", .min = 0, \
    .max = 4096, \
    .help = \
        "With `usage`: what a task used is also kept step by step, for the metric usage, in at most so many " \
        "measurements: beyond, each two neighbours become one. 0: only the mean. Not kept with attempts: sum." \
  }

#define HC_GOOGLE_READINGS(AT) \
  {.name = "reading", \
   .type = HC_CHOICE, \
   AT(reading), \
   .fallback = "requested", \
   .choices = "requested|measured", \
   .help = \
       "requested: a task arrives when it was submitted, and needs what it asked for. measured: it arrives " \
       "when it started in reality, and needs the mean CPU and memory that it used (disk as asked); tasks " \
       "without a measurement are rejected (incomplete). Needs `usage`."}, \
      {.name = "attempts", \
       .type = HC_CHOICE, \
       AT(attempts), \
       .fallback = "last", \
       .choices = "last|each|sum", \
       .help = \
           "A task that was stopped in a way that `merge` names, and submitted again within `resubmit`. " \
           "last: one task, which runs as long as its last attempt: what was done before was lost. each: " \
           "every attempt is a task of its own. sum: one task, which runs as long as all of them, and waits as " \
           "long as none ran."}, \
      {.name = "merge", \
       .type = HC_CHOICE, \
       .list = true, \
       AT(merge), \
       .fallback = "[evict]", \
       .choices = HC_GOOGLE_ENDS, \
       .help = "Ends after which a task that is submitted again is still the same one."}, \
      {.name = "resubmit", \
       .type = HC_TIME, \
       AT(resubmit), \
       .unit = "s", \
       .fallback = "1h", \
       .min = 0, \
       .max = 1e9, \
       .help = "How long after such an end a task may be submitted again and still be the same one."}, \
      {.name = "ends", \
       .type = HC_CHOICE, \
       .list = true, \
       AT(ends), \
       .fallback = "[evict, fail, finish, kill, lost]", \
       .choices = HC_GOOGLE_ENDS, \
       .help = \
           "Ends with which a task counts; others are filtered. FINISH is completed, FAIL failed, KILL and " \
           "EVICT cancelled, LOST not known; whatever ends a task that waits is cancelled in the queue."}, \
      {.name = "without", \
       .type = HC_CHOICE, \
       .list = true, \
       AT(without), \
       .choices = HC_GOOGLE_WORDS, \
       .help = "Events that a task may not have had; those that had one are filtered."}, \
      {.name = "updates", \
       .type = HC_CHOICE, \
       AT(updates), \
       .fallback = "last", \
       .choices = "last|first|largest|in_place", \
       .help = \
           "Which demand counts if it was changed while the task waited or ran. last, first, largest: that one, " \
           "for each dimension, from the start of the task to its end; " \
           "constraints are the first or, else, the last ones. in_place: what was changed before the start counts at " \
           "the start, and each UPDATE_RUNNING changes what the running task holds, so long after its start " \
           "(`resizes` of the format native; see the run's option cannot_grow); constraints are those of the " \
           "start. Needs a cell of hosts. With attempts: sum a task of several attempts has the last demand."}, \
      {.name = "initial", \
       .type = HC_CHOICE, \
       AT(initial), \
       .fallback = "keep", \
       .choices = "keep|reject", \
       .help = \
           "Tasks that were there before the trace began (events at time 0, or an update as the first). " \
           "keep: they arrive at time 0, or with that update, and their run counts from there. reject: as " \
           "already_running or, if they waited, no_submit."}, \
      {.name = "unfinished", \
       .type = HC_CHOICE, \
       AT(unfinished), \
       .fallback = "keep", \
       .choices = "keep|reject", \
       .help = \
           "Tasks whose end does not come within `window` or the trace. keep: with the run that was seen, " \
           "marked as not ended. reject: as still_running or, if they never started, never_ran."}, \
  { \
    .name = "missing", .type = HC_CHOICE, AT(missing), .fallback = "keep", .choices = "keep|reject", \
    .help = \
        "Events that the trace's makers put in where a record was missing. reject: as incomplete, as if " \
        "they had not been put in." \
  }

#define HC_GOOGLE_SCALES(AT) \
  {.name = "window", \
   .type = HC_TIME, \
   AT(window), \
   .unit = "s", \
   .fallback = "2d", \
   .min = 0, \
   .max = 1e9, \
   .help = \
       "How long a task's end is waited for, from its arrival. Tasks come out in order of arrival, so one " \
       "that runs long holds back those behind it, at some 180 bytes each, with usage 30 more and 32 for each step."}, \
      {.name = "held", \
       .type = HC_INT, \
       AT(held), \
       .unit = "tasks", \
       .fallback = "2097152", \
       .min = 1, \
       .max = 1e9, \
       .help = "Most tasks held so; past it the first is given out as it is. As many again are remembered " \
               "until their end comes."}, \
      {.name = "cpu_scale", \
       .type = HC_REAL, \
       AT(cpu_scale), \
       .unit = "cores", \
       .fallback = "64", \
       .min = 0.001, \
       .max = 1e9, \
       .help = "How many cores a share of 1 stands for: the trace has no absolute amounts."}, \
      {.name = "memory_scale", \
       .type = HC_SIZE, \
       AT(memory_scale), \
       .unit = "B", \
       .fallback = "256GiB", \
       .min = 1, \
       .max = 1125899906842624.0, \
       .help = "How much memory a share of 1 stands for."}, \
      {.name = "time_unit", \
       .type = HC_TIME, \
       AT(time_unit), \
       .unit = "s", \
       .fallback = "1us", \
       .min = 1e-9, \
       .max = 1e6, \
       .help = "What one unit of its times is; the trace has microseconds."}, \
  { \
    .name = "origin", .type = HC_TIME, AT(origin), .unit = "s", .fallback = "0", .min = 0, .max = 1e9, \
    .help = "Time 0 of the run, in times of the trace, which begins at 600 s. What was there before then " \
            "arrives at 0; other tasks that arrived before it are left out." \
  }

#endif
