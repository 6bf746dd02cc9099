/* daemon.h -- virtual nodes on the network: one process, one port on loopback, many nodes.
 *
 * It serves one message a connection, as slurmd does, and opens a connection for each letter, a bounded
 * number at a time; a letter that does not arrive is sent again. It trusts every program that reaches the
 * port: auth/none. So it listens on 127.0.0.1 and on nothing else, and what a message can do is to start
 * and end timers. */
#ifndef HC_SLURM_DAEMON_H
#define HC_SLURM_DAEMON_H

#include "slurm/vnodes.h"

typedef struct hc_vdaemon_options {
  hc_vnodes_options nodes;
  uint16_t port, controller; /* of the nodes; of slurmctld, on 127.0.0.1 too */
  double speed;              /* how many times as fast as this machine's its clock runs */
  const char
      *clock; /* file that says how far it is ahead (cluster.h), beside which CLOCK.next is written: when
                                something is to happen next; NULL: it is never moved */
  bool (*stopped)(void); /* asked now and then; NULL: it runs until it is killed */
} hc_vdaemon_options;

/** Serve until `stopped`. What goes wrong with single messages is said on standard error, which is its log.
 *  @param ready  a descriptor on which a byte is written, and which is closed, once it listens; -1: none
 *  @return 0; HC_EUSAGE: names, speed; HC_EIO: the port, with the remedy; HC_ENOMEM */
hc_rc hc_vdaemon_run(const hc_allocator *a, const hc_vdaemon_options *o, int ready, hc_error *e);

#endif
