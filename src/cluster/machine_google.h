/* machine_google.h -- the machine tables of Google's two cluster traces, which differ in form, not in
 * kind. */
#ifndef HC_CLUSTER_MACHINE_GOOGLE_H
#define HC_CLUSTER_MACHINE_GOOGLE_H

#include "cluster/machine_file.h"

typedef struct hc_machine_google_options {
  const char *file, *attributes; /* machine_events; machine_attributes, NULL */
  hc_time time_unit, origin;
  double cpu_scale;     /* cores that 1.0 stands for */
  int64_t memory_scale; /* bytes that 1.0 stands for */
} hc_machine_google_options;

/* How one of the traces writes it. */
typedef struct hc_machine_google_form {
  const char *use; /* the source's name */
  bool titles;     /* the first row holds titles; else columns are in the order of the enums below */
  int add;         /* the number of ADD; REMOVE and UPDATE follow it */
} hc_machine_google_form;

enum {
  HC_MACHINE_GOOGLE_TIME,
  HC_MACHINE_GOOGLE_MACHINE,
  HC_MACHINE_GOOGLE_EVENT,
  HC_MACHINE_GOOGLE_PLATFORM,
  HC_MACHINE_GOOGLE_CPUS,
  HC_MACHINE_GOOGLE_MEMORY,
  HC_MACHINE_GOOGLE_SWITCH,
  HC_MACHINE_GOOGLE_COLUMNS
};

/** Describe the cell. @return as hc_cell_type.describe. */
hc_rc hc_machine_google_describe(const hc_cell_context *c, const hc_machine_google_options *o,
                                 const hc_machine_google_form *form, hc_cell_spec *out, hc_error *e);

/* The parameters of both, and what their pages say. */
#define HC_MACHINE_GOOGLE_PARAMS(events_name, attributes_name) \
  HC_MACHINE_FILE_PARAM(hc_machine_google_options, events_name), \
      HC_PARAM(FILE, hc_machine_google_options, attributes, NULL, \
               "Path of " attributes_name \
               ", for constraints. Default: machines have no attributes but their platform."), \
      HC_CPU_SCALE_PARAM( \
          hc_machine_google_options, "64", \
          "Cores of the largest machine, which the trace calls 1 (its tasks' requests, too)."), \
      HC_MEMORY_SCALE_PARAM( \
          hc_machine_google_options, "256GiB", \
          "Memory of the largest machine, which the trace calls 1 (its tasks' requests, too)."), \
      HC_PARAM(TIME, hc_machine_google_options, time_unit, "s", "1us", 1e-9, 1e6, \
               "Unit of the trace's times; the published trace has microseconds."), \
      HC_PARAM(TIME, hc_machine_google_options, origin, "s", "0", 0, 1e9, \
               "Time of the trace that is time 0 of the run; it must be the same as its reader's. The " \
               "trace begins at 600 s. Rows up to this time say how the cell begins.")

#define HC_MACHINE_GOOGLE_DETAIL \
  "Rows of time 0 say how the cell begins; later rows are events: ADD joins, REMOVE leaves, UPDATE " \
  "resizes. cpus: share x cpu_scale, memory: share x memory_scale, rounded up. The trace hides how large a " \
  "machine is: both scales are assumptions, and the same ones must be given to its reader. A machine " \
  "without amounts is left out. The platform is the attribute platform; the other attributes are those " \
  "with which a machine begins. "

#endif
