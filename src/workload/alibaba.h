/* alibaba.h -- what the formats of Alibaba's cluster traces share: states, options, and words for what is not
 * known. */
#ifndef HC_WORKLOAD_ALIBABA_H
#define HC_WORKLOAD_ALIBABA_H

#include "table/sheet.h"

/* The part of a reader's options that is filled from HC_ALIBABA_PARAMS. */
typedef hc_sheet_options hc_alibaba_options;

/* What these tables have where nothing is known. */
#define HC_ALIBABA_MISSING .missing = {"nan", "null", "none", "\\N"}, .missing_any_case = true

/* A table of theirs, in which that column holds numbers or nothing. */
#define HC_ALIBABA_FORM(kind_, columns_, number_, zero_is_none_) \
  HC_FORM(kind_, columns_, ',', .quotes = true, .number = 1 + (number_), .zero_is_none = zero_is_none_)

/* What became of a row's task. */
#define HC_ALIBABA_STATES \
  "status: Terminated or none, Failed, Interrupted, Cancelled; Running, Waiting, Ready: no task"
typedef enum hc_alibaba_statuses { HC_ALIBABA_TERMINATED, HC_ALIBABA_ENDED } hc_alibaba_statuses;
#define HC_ALIBABA_STATUSES "terminated|ended"
typedef struct hc_alibaba_span {
  hc_time start, end;
  hc_recorded state; /* how it ended */
} hc_alibaba_span;
/** From when to when it ran, by its state. Rows of tasks that did not run from a known begin to a known end,
 *  or not well while only those are wanted, are rejected. No state counts as a good end. @return 1, 0
 *  (rejected), or an error. */
hc_rc hc_alibaba_ran(hc_sheet *t, uint32_t status, uint32_t start, uint32_t end, int wanted,
                     hc_alibaba_span *out, hc_error *e);

/** The same of a format of columns: submission, run and status of the task. */
hc_rc hc_alibaba_span_of(hc_sheet *t, uint32_t status, uint32_t start, uint32_t end, int wanted,
                         hc_task_spec *out, hc_error *e);

/** Whether a field is a state's word. */
bool hc_alibaba_is_state(const hc_field *f);
/** Whether these fields are a job's name, a state and two times, as the tables of 2018 have them in each
 *  row. */
bool hc_alibaba_is_row_of_2018(const hc_field *job, const hc_field *status, const hc_field *start,
                               const hc_field *end);

/* ---- parameters ---- */

/* Those that all readers have. @param cpu_, memory_  their defaults, as texts; @param of_  what memory_scale
 * is for */
#define HC_ALIBABA_PARAMS(struct_, cpu_, memory_, of_) \
  HC_PARAM_AS(FILE, "file", struct_, common.file, NULL, \
              "Path of the table, plain, .gz, .zst or .xz; - is standard input."), \
      HC_PARAM_AS(TIME, "time_unit", struct_, common.time_unit, "s", "1s", 1e-9, 1e6, "Unit of a time."), \
      HC_PARAM_AS(TEXT, "origin", struct_, common.origin, NULL, \
                  "Date of the trace's time 0, such as 2018-01-31, or its Unix time. It changes no time of " \
                  "a task. Default: none."), \
      HC_PARAM_AS(INT, "cpu_scale", struct_, common.cpu_scale, NULL, cpu_, 0, 1e6, \
                  "Units of the trace that are one core. 0: as in the published trace."), \
      HC_PARAM_AS(SIZE, "memory_scale", struct_, common.memory_scale, "B", memory_, 1, 1125899906842624.0, \
                  of_), \
      HC_PARAM_AS(REAL, "default_cpu", struct_, common.default_cpu, "cores", NULL, 0, 1e6, \
                  "Cores of a task whose row has none. 0, the default: unknown."), \
      HC_PARAM_AS(SIZE, "default_memory", struct_, common.default_memory, "B", NULL, 0, 1125899906842624.0, \
                  "Memory of a task whose row has none. 0, the default: unknown.")

#endif
