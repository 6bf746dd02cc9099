/* options.h -- what a run file can say of the world `omega`. The tables are in omega.c. */
#ifndef HC_OMEGA_OPTIONS_H
#define HC_OMEGA_OPTIONS_H

#include "omega/omega.h"

/* What the original does that it should not. The list, with what each does, is in omega.c and
 * docs/omega-defects.md. */
typedef enum hc_omega_defect {
  HC_OMEGA_D1_QUANTILE,
  HC_OMEGA_D2_TAIL,
  HC_OMEGA_D3_CLOCK,
  HC_OMEGA_D4_UNIFORMS,
  HC_OMEGA_D5_SEED,
  HC_OMEGA_D6_PERCENTILE,
  HC_OMEGA_D7_SHAPES,
  HC_OMEGA_D8_IDLE,
  HC_OMEGA_D9_CONFLICTS,
  HC_OMEGA_D10_SWEPT,
  HC_OMEGA_D11_MEAN_GAP,
  HC_OMEGA_D12_LEAK,
  HC_OMEGA_D13_OFFERS,
  HC_OMEGA_D14_ATTEMPTED,
  HC_OMEGA_D15_SEQUENCE,
  HC_OMEGA_D16_BLACKLIST,
  HC_OMEGA_ALL_DEFECTS
} hc_omega_defect;

typedef enum hc_omega_pick { HC_OMEGA_PICK_CHOOSE, HC_OMEGA_PICK_PROBE } hc_omega_pick_how;

typedef enum hc_omega_sweeps { HC_OMEGA_SWEEPS_LAST, HC_OMEGA_SWEEPS_ALL } hc_omega_sweeps;

typedef struct hc_omega_workload_options {
  const char *name;
  hc_chosen arrivals; /* HC_KIND_ARRIVALS */
  hc_time think_job, think_task;
  int64_t schedulers;
  double interarrival_scale;
  bool blacklist;
  hc_chosen mold; /* HC_KIND_MOLD; no type: no job is moldable */
} hc_omega_workload_options;

typedef struct hc_omega_options {
  int architecture, conflict, transaction; /* see world.h */
  int64_t machines;
  double cpus, memory;
  hc_time run_time;
  hc_list workloads; /* hc_chosen of HC_KIND_WORKLOAD */
  hc_list prefill;   /* hc_chosen of HC_KIND_PREFILL */
  double blacklist;
  int pick; /* hc_omega_pick_how */
  int ties; /* hc_omega_ties */
  hc_list defects;
  hc_time offer_interval, offer_think, retry_delay, monitor;
  double least_offer_cpus, least_offer_memory;
  hc_list
      offer_order; /* const char *: names of schedulers, the first to be offered to of those of equal share */
  int64_t hopeless_attempts, most_attempts;
  hc_time swept, swept_task; /* HC_UNKNOWN: none */
  int sweeps;                /* hc_omega_sweeps */
  hc_time objective;
} hc_omega_options;

extern const hc_component hc_workload_jobs;

#endif
