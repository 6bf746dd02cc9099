/* workflow_file.h -- a file that is one workflow: tasks, the files that they read and make, and which waits
 * for which; what readers of such formats share. See workflow_file.c. */
#ifndef HC_WORKLOAD_WORKFLOW_FILE_H
#define HC_WORKLOAD_WORKFLOW_FILE_H

#include "base/mem.h"
#include "execution/book.h"
#include "workload/reading.h"

#define HC_FLOW_NONE UINT32_MAX

/* The options that all of them have, first in the struct of each. */
typedef struct hc_flow_options_read {
  const char *file, *origin;
  hc_time submit, time_unit;
  int64_t job;
  int missing_size;
  double reference_speed; /* 0: the run's */
} hc_flow_options_read;

/* A task. What is not known is HC_UNKNOWN. */
typedef struct hc_flow_task {
  const char *name, *id; /* as they are written; NULL */
  double runtime;        /* s; below 0: not said */
  int64_t milli, memory; /* thousandths of cores, bytes */
  uint32_t uses, after;  /* chains */
  uint32_t line, column;
  uint32_t left; /* while circles are sought */
  bool is_there; /* else it was only named */
} hc_flow_task;

typedef struct hc_flow_use {
  uint32_t file, next;
  uint32_t is_output;
} hc_flow_use;

typedef struct hc_flow_after {
  uint32_t task, next; /* that is waited for */
  uint32_t line, column;
} hc_flow_after;

typedef struct hc_flow_file {
  const char *name;
  int64_t bytes;         /* HC_UNKNOWN */
  uint32_t maker;        /* HC_FLOW_NONE */
  uint32_t line, column; /* of the first that names it */
} hc_flow_file;

/* A source that reads one: the struct of both readers. */
struct hc_source {
  const hc_source_context *context;
  const hc_flow_options_read *o;
  const char *name;
  hc_trace_info info;
  hc_arena arena; /* of texts */
  hc_names task_ids, task_names, file_names;
  uint32_t *by_name; /* [task_names.count] the first task of that name */
  size_t by_name_cap;
  hc_flow_task *tasks;
  hc_flow_use *uses;
  hc_flow_after *afters;
  hc_flow_file *files;
  size_t task_count, task_cap, use_count, use_cap, after_count, after_cap, file_count, file_cap;
  hc_data_item *items; /* of the task at hand */
  hc_after *waits;
  size_t items_cap, waits_cap;
  hc_buffer text; /* its profile */
  hc_task_spec task;
  struct {
    uint64_t next, count;
  } s;
};

/** @param who "source dax" @param size of the struct @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_flow_begin(const hc_source_context *c, const char *who, const hc_flow_options_read *o,
                    hc_source **out, hc_error *e);
/** The task of that id, made if there is none. @return 0, HC_ELIMIT, HC_ENOMEM */
hc_rc hc_flow_task_of(hc_source *s, const char *id, uint32_t *out);
hc_rc hc_flow_call(hc_source *s, uint32_t task, const char *name);
/** A task is here. @return 0; HC_EINPUT: it has been before */
hc_rc hc_flow_declare(hc_source *s, uint32_t task, uint32_t line, uint32_t column, hc_error *e);
hc_rc hc_flow_file_of(hc_source *s, const char *name, uint32_t line, uint32_t column, uint32_t *out);
/** A task reads or makes a file. @return 0; HC_EINPUT: two make it */
hc_rc hc_flow_use_file(hc_source *s, uint32_t task, uint32_t file, bool is_output, uint32_t line,
                       uint32_t column, hc_error *e);
/** One waits for another, by the id or the name of that. */
hc_rc hc_flow_wait(hc_source *s, uint32_t task, const char *parent, uint32_t line, uint32_t column,
                   hc_error *e);
/** A runtime in seconds; a size in bytes. @return 0; HC_EINPUT with the place */
hc_rc hc_flow_runtime(hc_source *s, uint32_t task, const char *text, uint32_t line, uint32_t column,
                      hc_error *e);
hc_rc hc_flow_size(hc_source *s, const char *text, int64_t unit, int64_t *out, uint32_t line, uint32_t column,
                   hc_error *e);
/** All is read: every task is there, none waits for itself, files have sizes. @return 0, HC_EINPUT,
 * HC_ENOMEM */
hc_rc hc_flow_end(hc_source *s, hc_error *e);

/* Of hc_reader_type. */
hc_rc hc_flow_next(hc_source *s, hc_job *out, hc_error *e);
const hc_trace_info *hc_flow_info(hc_source *s);
hc_rc hc_flow_visit(hc_source *s, hc_visitor *v, hc_error *e);
void hc_flow_close(hc_source *s);
hc_refers hc_flow_refers(const hc_source *s);

#define HC_FLOW_PARAMS(options, what) \
  HC_PARAM_AS(FILE, "file", options, flow.file, NULL, what), \
      HC_PARAM_AS(TIME, "submit", options, flow.submit, "s", "0", 0, 9e9, \
                  "When all tasks of the workflow are submitted."), \
      HC_PARAM_AS(INT, "job", options, flow.job, NULL, "1", 0, 1e12, \
                  "Number of the job of which all its tasks are part. Several workflows in one run are " \
                  "several sources, whose jobs are kept apart."), \
      HC_PARAM_AS(REAL, "reference_speed", options, flow.reference_speed, "work/s", NULL, 1e-9, 1e18, \
                  "Work that a core did in a second when run times were recorded: the work of a task is " \
                  "runtime x cores x reference_speed. Default: the run's `execution.cpu_speed`, so that a " \
                  "task takes its runtime on a host of speed 1. No effect without `execution: activities`, " \
                  "where a task always takes its runtime."), \
      HC_PARAM_AS(CHOICE, "missing_size", options, flow.missing_size, "error|zero", "error", \
                  "A file whose size is not given. error: the run ends with an error. zero: it has no " \
                  "bytes."), \
      HC_PARAM_AS(TIME, "time_unit", options, flow.time_unit, "s", "1s", 1e-9, 1e6, "Unit of a runtime."), \
      HC_PARAM_AS(TEXT, "origin", options, flow.origin, NULL, \
                  "Date (UTC) or Unix time of time 0, for tables by day. Default: none.")

#endif
