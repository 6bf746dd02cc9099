/* slurm_log.h -- a log of a batch system as a source: what readers of accounting records share.
 *
 * A reader gives rows, whose fields are in Slurm's columns (slurm_row.h); this makes tasks of them, holds
 * them until the origin of time is known, and merges the runs of one job. */
#ifndef HC_WORKLOAD_SLURM_LOG_H
#define HC_WORKLOAD_SLURM_LOG_H

#include "base/input.h"
#include "workload/reading.h"
#include "workload/slurm_row.h"

typedef enum hc_slurm_requeues { HC_SLURM_REQUEUES_LAST, HC_SLURM_REQUEUES_EACH } hc_slurm_requeues;

/* The part of a reader's options with which each of them begins. */
typedef struct hc_slurm_log_options {
  const char *file, *zone, *origin;
  hc_time time_unit; /* a second */
  int units, demand, wait_from, run_from, requeues;
  hc_time partition_limit;
  int64_t ahead;
} hc_slurm_log_options;

/* What a reader says of its log. */
typedef struct hc_slurm_log_type {
  const char *who;      /* for errors, "source sacct" */
  const char *empty;    /* of an empty file: what it should be, "give what `sacct --parsable2` printed" */
  const char *advice;   /* where no row can be read */
  char separator;       /* between a job's number and that of an array's task: '_' of 7_3, '[' of 7[3], '.' */
  const char *words[3]; /* what the log calls its groups, queues and executables; NULL: as they are called */
  /** Read one line, or one job, and give what it says to hc_slurm_log_row. At the end it says
   *  hc_slurm_log_end. @return 0, HC_EINPUT, HC_EIO, HC_ENOMEM */
  hc_rc (*read)(hc_source *s, hc_error *e);
} hc_slurm_log_type;

/* The begin of each such source. */
typedef struct hc_slurm_log {
  const hc_slurm_log_type *type;
  const hc_source_context *context;
  const hc_slurm_log_options *o;
  hc_input *in; /* owned; NULL: the reader has its own */
  const char *name;
  hc_zone *zone;
  hc_slurm_reading how;
  hc_task_spec task; /* the one at hand */
  hc_trace_info info;
  hc_slurm_record *held; /* [held_count] from `head` on */
  size_t head, held_count, held_cap;
  hc_map jobs;            /* hash of a job's identity -> low bits of the number of the row held for it */
  hc_slurm_range *ranges; /* of the array at hand */
  size_t range_count, range_cap;
  struct {
    uint64_t position, lines; /* written when visited */
    hc_flaws flaws;           /* of this file */
    uint64_t popped;          /* number of the first row held */
    int64_t origin, earliest; /* Unix seconds; HC_UNKNOWN */
    uint64_t range;           /* of the array at hand: which one, and what comes next */
    int64_t next_task;
    hc_slurm_record array; /* what each of its tasks is */
    bool begun, at_end, has_origin, in_array, unused[4];
  } s;
} hc_slurm_log;

static inline hc_slurm_log *hc_slurm_log_of(hc_source *s)
{
  return (hc_slurm_log *)(void *)s;
}

/** Begin a source of `size` bytes. The file is opened as `in`, unless the reader opens it.
 *  @return as hc_reader_type.open; 0: hc_slurm_log_close closes it. */
hc_rc hc_slurm_log_open(const hc_slurm_log_type *type, const hc_source_context *c, const void *options,
                        size_t size, bool opens, hc_source **out, hc_error *e);
/** Give back everything, the source with it. @param size  as it was opened */
void hc_slurm_log_close(hc_source *s, size_t size);

/** The next line that is not blank, without a byte order mark. @return 1, 0 at the end, or an error */
hc_rc hc_slurm_log_line(hc_slurm_log *l, char **line, size_t *n, hc_error *e);
/** The file is at its end. @return 0, or HC_EINPUT if it held nothing that could be read. */
hc_rc hc_slurm_log_end(hc_slurm_log *l, hc_error *e);
/** Take a row. @param number  of its line
 *  @param provisional  the job has not ended: a later row of it takes the place of this one, always
 *  @return 0, HC_EINPUT under `strict`, HC_ENOMEM */
hc_rc hc_slurm_log_row(hc_slurm_log *l, const hc_slurm_cells *cells, uint64_t number, bool provisional,
                       hc_error *e);
/** A row that is none. @param column  0: the whole line; @return the same */
hc_rc hc_slurm_log_malformed(hc_slurm_log *l, const char *line, uint64_t number, uint32_t column,
                             hc_error *e);
/** A row that is part of another, and counted as merged. */
void hc_slurm_log_part(hc_slurm_log *l);
/** A row that is held already becomes part of another; it is counted as merged. */
void hc_slurm_log_merge(hc_slurm_log *l);
/** A row that is no task for a reason. @return as hc_slurm_log_row */
hc_rc hc_slurm_log_reject(hc_slurm_log *l, const char *line, uint64_t number, hc_reason why, hc_error *e);
/** The last row held of a job, of a log that has no clusters; NULL: there is none. Borrowed until the next
 *  row. */
hc_slurm_record *hc_slurm_log_held(const hc_slurm_log *l, const hc_slurm_id *id);
/** The number of the next row, from 1. */
int64_t hc_slurm_log_number(const hc_slurm_log *l);

/* ---- members of hc_reader_type ---- */

hc_rc hc_slurm_log_next(hc_source *s, hc_job *job, hc_error *e);
const hc_trace_info *hc_slurm_log_info(hc_source *s);
void hc_slurm_log_progress(hc_source *s, uint64_t *done, uint64_t *total);
hc_rc hc_slurm_log_visit(hc_source *s, hc_visitor *v, hc_error *e);

/* The reader of a log of lines. What follows are members of its component: a summary, details, a source. */
#define HC_SLURM_LOG_READER(name_, log_, recognise_, params_, ...) \
  static hc_rc log_open(const hc_source_context *c, const void *o, hc_source **out, hc_error *e) \
  { \
    return hc_slurm_log_open(&(log_), c, o, sizeof **out, true, out, e); \
  } \
  static void log_close(hc_source *s) \
  { \
    hc_slurm_log_close(s, sizeof *s); \
  } \
  const hc_reader_type hc_reader_##name_ = {.component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), \
                                                          .name = #name_, .params = params_, \
                                                          .options_size = sizeof(options), __VA_ARGS__}, \
                                            .open = log_open, \
                                            .next = hc_slurm_log_next, \
                                            .info = hc_slurm_log_info, \
                                            .visit = hc_slurm_log_visit, \
                                            .progress = hc_slurm_log_progress, \
                                            .close = log_close, \
                                            .recognise = recognise_}

/* ---- parameters ---- */

#define HC_SLURM_LOG_FILE(options_, is_) HC_PARAM_AS(FILE, "file", options_, common.file, NULL, is_)
#define HC_SLURM_LOG_ZONE(options_) \
  HC_PARAM_AS(TEXT, "zone", options_, common.zone, NULL, \
              "Time zone of the cluster's clock, by which local times are read, as in the Tz database: " \
              "Europe/Berlin. Numbers of seconds are always Unix time. Default: UTC.")
#define HC_SLURM_LOG_TIMES(options_) \
  HC_PARAM_AS(TEXT, "origin", options_, common.origin, NULL, \
              "Time 0: a date such as 2024-01-31, or a Unix time; rows submitted before it are left out. " \
              "Default: the earliest submission of the first rows (see ahead)."), \
      HC_PARAM_AS(TIME, "time_unit", options_, common.time_unit, "s", "1s", 1, 1, \
                  "Unit of a time that is a number: always a second, by the definition of the format.")
#define HC_SLURM_LOG_UNITS(options_, cpus_, nodes_) \
  HC_PARAM_AS(CHOICE, "units", options_, common.units, "cpus|nodes", "cpus", \
              "What a processor of the simulation is. cpus: " cpus_ ". nodes: " nodes_ \
              ", for machines that give out whole nodes.")
#define HC_SLURM_LOG_DEMAND(options_, said_) \
  HC_PARAM_AS( \
      CHOICE, "demand", options_, common.demand, "processors|nodes|slurm", "processors", \
      "What a task asks for on a cell of hosts. On cells that count processors it makes no difference. " \
      "processors: so many processors, on any hosts. nodes: its number of different hosts, with an equal " \
      "part of the processors, of the memory and of the " \
      "GPUs" said_ " on each, rounded up. slurm: so many processors on as many hosts as it asked for (-N, " \
      "that is node= of ReqTRES, if above 1), which the policy slurm observes; for a job with more " \
      "processors than it asked for, or with GPUs, the same as nodes.")
#define HC_SLURM_LOG_WAIT(options_, eligible_) \
  HC_PARAM_AS(CHOICE, "wait_from", options_, common.wait_from, "submit|eligible", "submit", \
              "When a task arrives. submit: when it was submitted. eligible: when only resources held it " \
              "back (" eligible_ ").")
#define HC_SLURM_LOG_RUN(options_, elapsed_) \
  HC_PARAM_AS(CHOICE, "run_from", options_, common.run_from, "elapsed|end", "elapsed", \
              "How long a task ran; where the one is unknown the other is taken. elapsed: " elapsed_ \
              ". end: from its start " \
              "to its end.")
#define HC_SLURM_LOG_REQUEUES(options_, rows_) \
  HC_PARAM_AS(CHOICE, "requeues", options_, common.requeues, "last|each", "last", \
              "Several rows of one job" rows_ ". last: the last run is the task, and the others are " \
              "counted as merged. each: each run is a task.")
#define HC_SLURM_LOG_AHEAD(options_) \
  HC_PARAM_AS(INT, "ahead", options_, common.ahead, "rows", "131072", 1, 1e9, \
              "Number of rows that are held at one time: the origin of time is the earliest submission " \
              "among the first of them, and rows of one job are merged within so many rows.")

#endif
