/** @file remote.h A run whose plans are made by another process: a scheduler that was written for another
 *  simulator, in any language.
 *
 *  Such a run has the policy `outside`. It is carried on by hc_run_wait_decision, and what is said between
 *  the two goes through a session: messages that are answered, one at a time, with a bound on how long an
 *  answer may take and how large it may be. What a scheduler says is checked before anything is done with
 *  it; what is wrong with it ends the run with an error that quotes it. */
#ifndef HINDCAST_REMOTE_H
#define HINDCAST_REMOTE_H

#include "hindcast/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How long a decision takes in the run's own time. */
typedef enum hc_remote_think {
  HC_THINK_ANSWER,   /* until the time that the answer names (`now`): the scheduler says it */
  HC_THINK_NONE,     /* no time, whatever the answer names */
  HC_THINK_FIXED,    /* hc_remote_options.think_time */
  HC_THINK_MEASURED, /* as long as the answer took, by the wall clock */
} hc_remote_think;

/** How to reach the scheduler. Zeroed: needs an endpoint or a record; all texts are borrowed. */
typedef struct hc_remote_options {
  const char *endpoint; /* where the scheduler listens: "tcp://localhost:28000", "ipc:///tmp/scheduler" */
  bool is_public;       /* the endpoint may be on another machine; else loopback and local sockets alone */
  hc_time timeout;      /* ns of the wall clock that an answer may take; 0: any */
  int64_t most;         /* bytes of an answer; 0: 64 MiB */
  hc_remote_think think;
  hc_time think_time; /* of FIXED, ns of the run */
  /** File that gets what is said, a line each: "> MESSAGE" and "< NS ANSWER", where NS is how long the answer
   *  took by the wall clock. It takes its name when the run is over, or fails. NULL: none. */
  const char *record;
  /** Such a file in place of a scheduler. Its answers are given as they were, measured times with them, so
   *  that the run is the one that was recorded, bit for bit; a message that is another one than was
   *  recorded is an error. NULL: none. */
  const char *replay;
  hc_time (*clock)(void *ctx);     /* ns of a steady wall clock, for MEASURED; NULL: no time passes */
  bool (*is_cancelled)(void *ctx); /* asked while an answer is waited for; NULL: never */
  void *ctx;
  const struct hc_edc *edc; /* the scheduler is a decision component of Batsim 5; NULL: it is none */
  /** [..., NULL] a program and its arguments, in place of an endpoint: it is started, hears on its standard
   *  input and answers on its standard output, a line each. NULL: none. Since 0.3. */
  const char *const *command;
  bool listens; /* the run listens at the endpoint, and the scheduler comes to it (ZeroMQ, PAIR). Since 0.3 */
} hc_remote_options;

/** An external decision component of Batsim 5: a shared object with the functions batsim_edc_init,
 *  batsim_edc_take_decisions and batsim_edc_deinit of Batsim's batsim_edc.h, whose path is the endpoint; or a
 *  process that listens there by ZeroMQ. Messages are FlatBuffers' JSON; binary ones are refused. A shared
 *  object is called in this process and by this thread: neither a bound on its time nor an interrupt ends
 *  such a call, and what it keeps in globals is the same for all runs at a time. All texts are borrowed. */
typedef struct hc_edc {
  bool is_library;              /* the endpoint is the path of a shared object */
  const char *init;             /* [init_size] what the component is given first; NULL: nothing */
  uint32_t init_size;           /* bytes */
  const char *const *arguments; /* [argument_count] what it is told as the command line */
  size_t argument_count;
} hc_edc;

/** The first line of a record. */
#define HC_REMOTE_RECORD "# hindcast session 1: what a run and its scheduler say to each other\n"

/** What was said. */
typedef struct hc_remote_report {
  uint64_t messages;                          /* each of which was answered */
  uint64_t sent, received;                    /* bytes */
  hc_time waited;                             /* ns of the wall clock for answers; 0 without a clock */
  uint64_t executed, rejected, killed, calls; /* what the scheduler asked for */
  uint64_t switches;    /* requests that machines come into a state of power */
  uint32_t sleep_state; /* number of the state that they sleep in, of the first machine; 0: none does */
} hc_remote_report;

/** Whether schedulers can be reached by ZeroMQ: whether its library (libzmq.so.5) is on this machine. */
HC_API bool hc_remote_has_zeromq(void);

/** A scheduler that speaks Batsim's protocol: of version 4 (batsched, pybatsim), JSON over ZeroMQ, where the
 *  simulator asks and the scheduler answers; or of version 5 (remote.edc). */
typedef struct hc_batsim_options {
  hc_remote_options remote;
  const char *workload;         /* file that the run's source `batsim` reads, with `ties: id` */
  const char *scheduler_config; /* of version 4: text that the scheduler is given; NULL: "" */
  bool forwards_profiles;       /* of version 4 (in 5 the component says it): profiles go with each job */
  /** [event_count] files of external events, each told by a sender of its own; machines that become
   *  unavailable drain. The run's architecture says `incidents: true`. */
  const char *const *events;
  size_t event_count;
  /** Of version 4 (in 5 the component says it): jobs and profiles may be registered, which the run's source
   *  takes (`dynamic: true` of the reader batsim); that a job is is said back; the scheduler is told that
   *  profiles may be used again, which they may in any case. */
  bool is_dynamic, acknowledges, reuses_profiles;
  bool forwards_unknown; /* of version 4: events of other types than those of machines are told, too */
} hc_batsim_options;

/** Carry a run out to its end. Its policy is `outside` with `asks: [may_preempt]`, and may_power where its
 *  scheduler may let machines sleep; its architecture `messages`, its cell one of whole hosts. @param store
 *  where metadata of jobs go (run_info, "metadata/SERIAL"), which the exporter `batsim` writes; NULL: nowhere
 *  @param report out; may be NULL, filled also after an error
 *  @return 0; HC_EUSAGE (the endpoint; a shared object that is no component), HC_EINPUT (files of events),
 *  HC_EUNSUPPORTED (no ZeroMQ; what the scheduler asked for is not modelled), HC_EPOLICY (the scheduler's
 *  answer is wrong, or it left jobs waiting), HC_EIO (it went away, or was silent too long), HC_ECANCELLED,
 *  or as hc_run_wait_decision.
 *  After an error the run can only be freed. Cost: beside the run and the scheduler about 10 us a message.
 *  Memory: the workload's text. */
HC_API hc_rc hc_remote_batsim(const hc_allocator *a, hc_run *run, hc_store *store, const hc_batsim_options *o,
                              hc_remote_report *report, hc_error *e);

#ifdef __cplusplus
}
#endif
#endif
