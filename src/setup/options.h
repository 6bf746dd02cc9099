/* options.h -- everything that a run file can say: the options of the component `run`. The table is in
 * options.c. */
#ifndef HC_SETUP_OPTIONS_H
#define HC_SETUP_OPTIONS_H

#include "hindcast/component.h"

typedef enum hc_instant_order { HC_ENDS_FIRST, HC_ARRIVALS_FIRST } hc_instant_order;
typedef enum hc_end_order { HC_END_BY_SERIAL, HC_END_BY_START } hc_end_order;
typedef enum hc_task_rows { HC_ROWS_ALL, HC_ROWS_SAMPLE, HC_ROWS_NONE } hc_task_rows;
typedef enum hc_missing {
  HC_MISSING_SATISFIED,
  HC_MISSING_HOLD,
  HC_MISSING_WAIT,
  HC_MISSING_ERROR
} hc_missing;
typedef enum hc_load_wake { HC_WAKE_NEEDED, HC_WAKE_EVERY_CHANGE, HC_WAKE_NEVER } hc_load_wake;
typedef enum hc_loss { HC_LOSS_LOST, HC_LOSS_REQUEUE, HC_LOSS_RESTART } hc_loss;

typedef enum hc_shrink_first { HC_SHRINK_LATEST, HC_SHRINK_PRIORITY } hc_shrink_first;
typedef enum hc_correction {
  HC_CORRECT_STEPS,
  HC_CORRECT_LIMIT,
  HC_CORRECT_DOUBLE,
  HC_CORRECT_MOMENT
} hc_correction;

typedef enum hc_cannot_grow { HC_GROW_KEEP, HC_GROW_DEFER, HC_GROW_REQUEUE, HC_GROW_RESERVE } hc_cannot_grow;

typedef struct hc_run_options {
  const char *name;
  int64_t seed, replication;
  hc_chosen compat;     /* presets: HC_KIND_COMPAT, defaults for everything else */
  hc_list plugins;      /* const char *: shared objects, loaded before anything else is resolved */
  hc_chosen world;      /* HC_KIND_WORLD; type NULL: the engine */
  hc_list source;       /* hc_chosen of HC_KIND_READER; at least one */
  hc_list users;        /* int: whether sources share their people; one for all or each */
  hc_list prefix;       /* const char *: what names of each source begin with */
  hc_list transforms;   /* hc_chosen of HC_KIND_TRANSFORM */
  int64_t sort_window;  /* rows */
  int64_t threads;      /* 2: sources are read on their own */
  bool strict;          /* the first rejected row is an error */
  const char *rejected; /* side file for rejected rows; NULL */
  int processors, overrun, no_limit, zero_length, too_large, cancelled; /* enums of workload/stream.h */
  hc_time assumed_limit;
  int believe_waiting, believe_running;
  bool oracle;
  hc_time requeue_after, requeue_most;
  double requeue_growth;
  hc_chosen checkpoint;    /* HC_KIND_CHECKPOINT; type NULL: tasks write none */
  hc_list slowdowns;       /* hc_chosen of HC_KIND_SLOWDOWN */
  hc_chosen execution;     /* HC_KIND_MODEL; type NULL: each task is a fixed delay */
  hc_chosen predictor;     /* HC_KIND_PREDICTOR; type NULL: limits are believed */
  int correction;          /* hc_correction */
  int missing_predecessor; /* hc_missing */
  int64_t remember;        /* finished jobs and tasks that others may still refer to */
  int host_loss;           /* hc_loss */
  int64_t attempts;        /* that a task may lose */
  int host_shrinks;        /* hc_at_start: what becomes of what has no room on a host that shrank */
  int shrink_first;        /* hc_shrink_first */
  int cannot_grow;         /* hc_cannot_grow */
  int64_t max_waiting;     /* tasks; 0: any number */
  hc_list events;          /* hc_chosen of HC_KIND_EVENTS */
  hc_list reservations;    /* hc_chosen of HC_KIND_RESERVATION */
  hc_list local_load;      /* hc_chosen of HC_KIND_LOAD */
  hc_list power;           /* hc_chosen of HC_KIND_POWER */
  int load_wake;           /* hc_load_wake */
  hc_chosen cell;          /* HC_KIND_CELL */
  hc_chosen policy;        /* HC_KIND_POLICY */
  hc_list changes;         /* hc_chosen of HC_KIND_SETTING */
  hc_chosen architecture;  /* HC_KIND_ARCHITECTURE */
  int instant_order;       /* hc_instant_order */
  int end_order;           /* hc_end_order */
  bool due_ends_first;     /* tasks that end when expected are free before anything else of the instant */
  int64_t max_rounds;      /* of one instant, before it counts as a livelock */
  int event_queue;         /* hc_queue_kind */
  hc_time until;           /* stop there; HC_NEVER */
  hc_list metrics;         /* hc_chosen of HC_KIND_METRIC */
  hc_chosen trim;          /* HC_KIND_TRIM; type NULL: no trimmed scope */
  int task_rows;           /* hc_task_rows */
  int64_t sample;          /* one task in so many */
  int64_t name_limit;      /* names of a kind */
  const char *zone;        /* tz database name for tables by day and hour; NULL: the trace's, else UTC */
  int64_t unix_start;      /* s; HC_UNKNOWN: the trace's */
  const char *output;      /* path of the store; NULL: results/<name>.db */
  bool conflicts;          /* each is a row of the result */
  bool paranoid;           /* walk every invariant at every instant */
} hc_run_options;

/* setting setting: keys of the policy that have other values from a time on */
typedef struct hc_setting_options {
  hc_time at;  /* HC_UNKNOWN: not said, which is a mistake */
  hc_list set; /* const char *: "policy.select.depth=5" */
} hc_setting_options;

extern const hc_component hc_component_run;

#endif
