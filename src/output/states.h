/* states.h -- how many machines compute, idle, sleep or switch, from when to when: what Batsim's files
 * of states and of sums are made of.
 *
 * A machine computes while a task has it, whatever share of it. One that left, or was not there from the
 * beginning, is in no state. Where processors are only counted nothing sleeps, and as many compute as
 * tasks have. What machines attempts had that were stopped, lost or suspended is not in a result by
 * machine, so that such a result is refused. Memory: 24 bytes a change of a machine. Cost: O(changes log
 * changes). */
#ifndef HC_OUTPUT_STATES_H
#define HC_OUTPUT_STATES_H

#include "output/emit.h"

typedef enum hc_machine_state {
  HC_MACHINE_SLEEPING,
  HC_MACHINE_SWITCHING_ON,
  HC_MACHINE_SWITCHING_OFF,
  HC_MACHINE_IDLE,
  HC_MACHINE_COMPUTING,
  HC_MACHINE_AWAY,
  HC_MACHINE_STATES
} hc_machine_state;

typedef struct hc_machine_counts {
  hc_time from, to; /* `to` of the last ones is the last change: nothing is known beyond */
  int64_t in[HC_MACHINE_STATES];
  uint64_t switched; /* machines that a plan switched on or off at `from` */
} hc_machine_counts;

/** Tell each stretch in which nothing changes, in order of time, from 0 on; the last has no length.
 *  @param name  of the exporter, for errors. @param each  returns 0 to go on
 *  @return 0; HC_EUSAGE (no row for every task); HC_EUNSUPPORTED with what to ask instead; HC_EIO, HC_EINPUT,
 *  HC_ENOMEM; what `each` returned */
hc_rc hc_machine_states(hc_emit *m, const hc_allocator *a, hc_result *r, const char *name,
                        hc_rc (*each)(void *ctx, const hc_machine_counts *c), void *ctx);

/** The same machine by machine, where they have numbers: each state that one comes into, the first at time 0.
 *  Machines that are only counted are not told of. @param each  returns 0 to go on
 *  @return as hc_machine_states */
hc_rc hc_machine_changes(hc_emit *m, const hc_allocator *a, hc_result *r, const char *name,
                         hc_rc (*each)(void *ctx, hc_time at, uint32_t machine, hc_machine_state s),
                         void *ctx);

/* A task has machines `machine` to `machine + count - 1` from then on, or has them no more. */
typedef struct hc_machine_holder {
  hc_time at;
  int64_t id; /* of the task */
  uint32_t machine, count;
  bool has;
} hc_machine_holder;
/** Each change of a task's machines, in order of time; of one instant what is given back comes first, then by
 *  machine. A task that keeps a machine while others of it change gives it back and takes it in one instant.
 *  @param each  returns 0 to go on
 *  @return as hc_machine_states; HC_EUNSUPPORTED where machines have no numbers */
hc_rc hc_machine_holders(hc_emit *m, const hc_allocator *a, hc_result *r, const char *name,
                         hc_rc (*each)(void *ctx, const hc_machine_holder *h), void *ctx);

#endif
