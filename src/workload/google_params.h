/* google_params.h -- the parameters that the readers of Google's cluster traces share, spelt once.
 * `struct_.in` is the hc_google_choices among a reader's options. */
#ifndef HC_WORKLOAD_GOOGLE_PARAMS_H
#define HC_WORKLOAD_GOOGLE_PARAMS_H

#include "workload/google.h"

#define HC_GOOGLE_FILES(struct_, in, table, job_table, usage_table) \
  HC_PARAM_AS( \
      FILE, "file", struct_, in.file, NULL, \
      "The table " table ": a file (plain, .gz, .zst or .xz; - is standard input), a directory, or a " \
      "pattern with * and ? in its last step. The files of a directory or pattern are read one after the " \
      "other, in the order of their names."), \
      HC_PARAM_AS(FILES, "parts", struct_, in.parts, NULL, \
                  "Further files, directories or patterns of the same table, read after `file`, in this " \
                  "order."), \
      HC_PARAM_AS(FILE, "jobs", struct_, in.jobs, NULL, \
                  "The table " job_table ", as a file, directory or pattern. Default: none."), \
      HC_PARAM_AS( \
          FILE, "usage", struct_, in.usage, NULL, \
          "The table " usage_table ", as a file, directory or pattern. The means over the run of a task, " \
          "weighted by the length of each measurement, become its CPU time (cores x run time) and its used " \
          "memory. A measurement finds its task as long as the task is held (see `window`). Default: " \
          "none."), \
      HC_PARAM_AS( \
          INT, "usage_steps", struct_, in.usage_steps, "steps", "16", 0, 4096, \
          "With `usage`: greatest number of measurements of a task that are kept, for the metric usage; if " \
          "there are more, each two neighbours become one. 0: only the mean is kept, as with `attempts: " \
          "sum`.")

#define HC_GOOGLE_READINGS(struct_, in) \
  HC_PARAM_AS(CHOICE, "reading", struct_, in.reading, "requested|measured", "requested", \
              "When a task arrives, and what it asks for. requested: when it was submitted, and its " \
              "request. measured: when it started in reality, and the mean CPU and memory that it used " \
              "(disk as requested); tasks without a measurement are rejected (incomplete). measured " \
              "requires `usage`."), \
      HC_PARAM_AS( \
          CHOICE, "attempts", struct_, in.attempts, "last|each|sum", "last", \
          "What becomes of a task that was stopped in a way that `merge` names, and submitted again within " \
          "`resubmit`. last: one task with the run time of its last attempt, since the work before was " \
          "lost. each: every attempt is a task of its own. sum: one task with the sum of the run times, " \
          "which waits as long as no attempt ran."), \
      HC_PARAM_AS(CHOICES, "merge", struct_, in.merge, HC_GOOGLE_ENDS, "[evict]", \
                  "Ends after which a task that is submitted again is still the same task."), \
      HC_PARAM_AS(TIME, "resubmit", struct_, in.resubmit, "s", "1h", 0, 1e9, \
                  "Time after such an end within which a task that is submitted again is still the same " \
                  "task."), \
      HC_PARAM_AS( \
          CHOICES, "ends", struct_, in.ends, HC_GOOGLE_ENDS, "[evict, fail, finish, kill, lost]", \
          "Ends of the tasks that are kept; other tasks are filtered. FINISH is completed, FAIL failed, " \
          "KILL and EVICT cancelled, LOST an unknown status; a task that any of them ends while it waits " \
          "is cancelled in the queue."), \
      HC_PARAM_AS(CHOICES, "without", struct_, in.without, HC_GOOGLE_WORDS, NULL, \
                  "Events of tasks that are filtered. Default: none."), \
      HC_PARAM_AS( \
          CHOICE, "updates", struct_, in.updates, "last|first|largest|in_place", "last", \
          "Which demand a task has if it changed while the task waited or ran. last, first, largest: that " \
          "value of each dimension, from the start of the task to its end; with first the constraints are " \
          "the first ones, else the last ones. in_place: changes before the start count at the start, and " \
          "each UPDATE_RUNNING changes what the running task holds, as long after its start as in the " \
          "trace (`resizes` of the format native; see the run's option cannot_grow); constraints are those " \
          "of the start. in_place requires a cell of hosts; with `attempts: sum` a task of several " \
          "attempts has the last demand."), \
      HC_PARAM_AS(CHOICE, "initial", struct_, in.initial, "keep|reject", "keep", \
                  "Tasks that existed before the trace began (with events at time 0, or an update as the " \
                  "first event). keep: they arrive at time 0, or with that update, and their run times " \
                  "count from then. reject: they are rejected as already_running or, if they waited, as " \
                  "no_submit."), \
      HC_PARAM_AS( \
          CHOICE, "unfinished", struct_, in.unfinished, "keep|reject", "keep", \
          "Tasks whose end is not within `window` or within the trace. keep: they have the run time that " \
          "was seen, and are marked as not ended. reject: they are rejected as still_running or, if they " \
          "never started, as never_ran."), \
      HC_PARAM_AS( \
          CHOICE, "missing", struct_, in.missing, "keep|reject", "keep", \
          "Events that the makers of the trace inserted where a record was missing. keep: they count like " \
          "any other. reject: they are counted as incomplete, and ignored.")

#define HC_GOOGLE_SCALES(struct_, in) \
  HC_PARAM_AS(TIME, "window", struct_, in.window, "s", "2d", 0, 1e9, \
              "How long after its arrival the end of a task is looked for. Tasks are given out in order of " \
              "arrival, so that a long task holds back those behind it, at about 180 bytes each, with " \
              "`usage` 30 more and 32 for each measurement."), \
      HC_PARAM_AS( \
          INT, "held", struct_, in.held, "tasks", "2097152", 1, 1e9, \
          "Greatest number of tasks that are held back; beyond it the first is given out as it is. As many " \
          "again are remembered until their ends come."), \
      HC_PARAM_AS(REAL, "cpu_scale", struct_, in.cpu_scale, "cores", "64", 0.001, 1e9, \
                  "Cores that a share of 1 stands for: the trace has no absolute amounts."), \
      HC_PARAM_AS(SIZE, "memory_scale", struct_, in.memory_scale, "B", "256GiB", 1, 1125899906842624.0, \
                  "Memory that a share of 1 stands for."), \
      HC_PARAM_AS(TIME, "time_unit", struct_, in.time_unit, "s", "1us", 1e-9, 1e6, \
                  "Unit of the trace's times; the published trace has microseconds."), \
      HC_PARAM_AS(TIME, "origin", struct_, in.origin, "s", "0", 0, 1e9, \
                  "Time of the trace that becomes time 0; the trace begins at 600 s. Tasks that existed " \
                  "before the trace began arrive at time 0; other tasks that arrived before this time are " \
                  "left out.")

#endif
