/* vnodes.h -- nodes that are not there: what one process has to know and say to be all slurmd of a cluster.
 *
 * Nodes have names and all the same size. A batch job is a timer: its script says in a line how long it is to
 * run and how it is to end (hc_vjob_read), and nothing of it is carried out. Nothing here knows of sockets or
 * clocks: messages come in by hc_vnodes_hear, with the time at which they do; what is to be said to slurmctld
 * is taken out letter by letter.
 *
 * A job whose time is up is reported as ended; the request to terminate it, which slurmctld sends then, is
 * answered by "it has gone", as slurmd does where there is no epilog, and by one message of each node that
 * it is clean where there is one (`epilog`), or where the job still ran; of an epilog that takes time when
 * that is over, counted from the request, upon which slurmd runs it. Source: measured, Slurm 22.05.8. */
#ifndef HC_SLURM_VNODES_H
#define HC_SLURM_VNODES_H

#include "slurm/wire.h"

#define HC_VNODES_MOST 65536u /* nodes; slurmctld's own bound is 65,533 */

typedef struct hc_vnodes_options {
  const char *names; /* list of hosts: n[0001-1000] */
  uint16_t cpus;     /* of each */
  uint64_t memory;   /* MB of each */
  double speed;      /* how many seconds of the jobs pass in one: run times are divided by it; above 0 */
  hc_time again;     /* how long a registration stands before it is done again; 0: 20 s */
  bool epilog;       /* nodes say themselves that they are clean */
  hc_time
      epilog_takes; /* how long after they were told to terminate a job, of the jobs' clock; with `epilog` */
  int64_t since;    /* Unix seconds of the start */
} hc_vnodes_options;

/* How a job is to end by itself. */
typedef enum hc_vend {
  HC_VEND_COMPLETED,
  HC_VEND_FAILED,
  HC_VEND_CANCELLED,
  HC_VEND_OUT_OF_MEMORY,
  HC_VEND_NEVER
} hc_vend;

typedef struct hc_vjob_wish {
  hc_time run; /* of the job's clock */
  hc_vend end;
  uint8_t exit; /* of a job that fails */
} hc_vjob_wish;

/** What the script asks for, in a line `#HINDCAST run=SECONDS end=WORD exit=NUMBER`; WORD is one of
 *  completed, failed, cancelled, out_of_memory, and never, which runs until it is ended. Without such a
 *  line: a second, completed. A line that cannot be read is as none. @param script  may be NULL */
hc_vjob_wish hc_vjob_read(const char *script);
/** Append such a line. */
void hc_vjob_write(hc_buffer *out, const hc_vjob_wish *w);

typedef struct hc_vjob {
  uint32_t id, uid;
  uint32_t *nodes;          /* [count] their numbers */
  uint32_t count, answered; /* answered: nodes that heard of its termination */
  uint32_t status;
  uint32_t clean; /* nodes that have said that they are clean */
  hc_time due;    /* when it ends, or its nodes are clean; HC_NEVER: it runs until it is ended */
  hc_time wake;   /* when that may come, by what the script says; HC_NEVER: it does not say */
  enum { HC_VJOB_RUNS, HC_VJOB_ENDED, HC_VJOB_CLEANS } state;
} hc_vjob;

/* What is to be said to slurmctld. */
typedef struct hc_vletter {
  enum { HC_VLETTER_REGISTRATION, HC_VLETTER_ENDED, HC_VLETTER_CLEAN } kind;
  uint32_t node, job, uid, status;
} hc_vletter;

typedef struct hc_vnodes {
  const hc_allocator *allocator;
  hc_vnodes_options o;
  hc_names names;
  hc_vjob *jobs; /* [count] in no order */
  size_t count, cap;
  hc_map by_id;
  hc_vletter *letters; /* [letter_count] those before `letter_at` were taken */
  size_t letter_count, letter_cap, letter_at;
  uint32_t *heard; /* [heard_count] the nodes that the message at hand is forwarded to */
  const char **heard_names;
  size_t heard_count, heard_cap, heard_name_cap;
  bool has_registered;
  hc_time registered; /* when that was posted last */
  uint64_t launched, ended, killed;
} hc_vnodes;

/** @return 0; HC_EUSAGE: the list of names, or too many of them; HC_ENOMEM */
hc_rc hc_vnodes_init(hc_vnodes *v, const hc_allocator *a, const hc_vnodes_options *o, hc_error *e);
void hc_vnodes_fini(hc_vnodes *v);

/** Post the registration of all nodes, unless that was done some seconds ago or letters of that kind still
 *  wait.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_vnodes_register(hc_vnodes *v, hc_time now);
/** Take a message and append the answer, a whole frame. @param data [size] what follows the length; @param
 *  now of any steady clock. @return 0; HC_EINPUT: nothing was appended, and nothing changed; HC_ENOMEM */
hc_rc hc_vnodes_hear(hc_vnodes *v, const uint8_t *data, size_t size, hc_time now, hc_buffer *answer,
                     hc_error *e);
/** End the jobs whose time is up. @return when the next one's is; HC_NEVER: none runs towards an end. Cost:
 *  O(jobs) */
hc_time hc_vnodes_tick(hc_vnodes *v, hc_time now);
/** When next something may happen to a job that runs: its end, or its limit and some minutes behind it.
 *  HC_NEVER: nothing will by itself. What has been posted and not been taken comes first: `now`. */
hc_time hc_vnodes_next(const hc_vnodes *v, hc_time now);
/** Take the next letter. @return whether there was one */
bool hc_vnodes_take(hc_vnodes *v, hc_vletter *out);
/** Put one back behind the others: it did not arrive. @return 0 or HC_ENOMEM */
hc_rc hc_vnodes_post(hc_vnodes *v, const hc_vletter *l);
/** Append its frame. @param unix_now  for registrations */
void hc_vnodes_write(const hc_vnodes *v, const hc_vletter *l, int64_t unix_now, hc_buffer *body,
                     hc_buffer *out);
/** Whether slurmctld answers this one. */
bool hc_vletter_is_answered(const hc_vletter *l);

#endif
