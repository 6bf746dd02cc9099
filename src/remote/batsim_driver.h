/* batsim_driver.h -- what the files of a session with a scheduler of Batsim share: the driver (batsim.c),
 * what is told (batsim_news.c) and what is wanted (batsim_act.c). */
#ifndef HC_REMOTE_BATSIM_DRIVER_H
#define HC_REMOTE_BATSIM_DRIVER_H

#include "remote/batsim.h"
#include "remote/session.h"

#define HC_BATSIM_VAIN 100000 /* calls of a period, and answers, that may come after the last job */

/* A KILL_JOB that is not answered yet. */
typedef struct hc_batsim_kill {
  uint32_t first, count; /* in `victims` */
} hc_batsim_kill;

/* A wake of the run: one that the scheduler has asked for, or one of our own. */
typedef struct hc_batsim_wait {
  hc_time at;
  bool is_own;
  bool is_stopped; /* of a period: its scheduler is not told of it any more */
  hc_time period;  /* 0: it comes once */
  hc_time due;     /* of a period: the multiple of it; `at` is later where that has passed */
  uint64_t times;  /* of a period: that are left; 0: any */
  const char *id;  /* what its scheduler calls it; NULL: nothing */
} hc_batsim_wait;

typedef struct hc_batsim_driver {
  const hc_allocator *allocator;
  hc_run *run;
  const hc_batsim_options *o;
  hc_remote_report *report;
  hc_error *e;
  hc_session session;
  const hc_batsim_dialect *dialect;
  hc_batsim_terms terms;
  hc_batsim_book book;
  hc_batsim_machines machines;
  hc_batsim_message message;
  hc_batsim_answer answer;
  bool begun;
  hc_time now;
  size_t next;                 /* of the answer's events: those before it are planned */
  bool is_known;               /* an answer is being carried out */
  hc_time until;               /* the scheduler's answer ends then */
  const hc_decision *decision; /* at hand */
  const hc_batsim_event *event;
  hc_batsim_wait *waits; /* [wait_count] by time, then as they were asked for */
  size_t wait_count, wait_cap;
  hc_batsim_wait *again; /* [again_count] of a period, which the run has not been asked for anew */
  size_t again_count, again_cap;
  size_t live;           /* jobs that wait or run */
  bool are_all_told;     /* no more jobs will be submitted */
  uint32_t vain;         /* calls of a period, and answers, since the last job was over */
  hc_batsim_kill *kills; /* [kill_count] */
  size_t kill_count, kill_cap;
  uint32_t *victims; /* [victim_count] jobs of all kills so far, by their places in the book */
  size_t victim_count, victim_cap;
  const hc_batsim_job **told; /* of one kill: room */
  size_t told_cap;
  bool is_over;                /* the scheduler registers nothing more */
  hc_buffer feed, registered;  /* room */
  hc_batsim_request *requests; /* [request_count] of the whole run, in their order */
  size_t request_count, request_cap;
  hc_batsim_events events; /* external ones */
  uint8_t *unavailable;    /* [machines] as such an event has said; NULL: there are none */
} hc_batsim_driver;

/** Something has happened: the message has it, as far as it is told. @return 0; HC_EUSAGE, HC_EINPUT,
 *  HC_EPOLICY with the reason; HC_ENOMEM */
hc_rc hc_batsim_say_news(hc_batsim_driver *d, const hc_news *n);
/** Are all jobs of a kill over? */
bool hc_batsim_kill_is_done(const hc_batsim_driver *d, const hc_batsim_kill *k);
/** Plan what `d->event` asks for. @return 0; HC_EPOLICY, HC_EUNSUPPORTED, HC_EINPUT with the reason;
 *  HC_ENOMEM */
hc_rc hc_batsim_carry_out(hc_batsim_driver *d);
/** Calls of a period that has gone on: behind all else that is planned, which is not to be late for them. */
hc_rc hc_batsim_wake_again(hc_batsim_driver *d);

#endif
