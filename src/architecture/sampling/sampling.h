/* sampling.h -- what schedulers have in common that look at a few hosts and leave the rest to queues on
 * hosts: Sparrow, Hawk, Eagle.
 *
 * Tasks of one job that arrive together are a *batch*. A scheduler draws some hosts for it and sends each a
 * probe. With late binding a probe stands in the host's queue as a *reservation*; when its turn has come and
 * there is room, the host keeps the room, asks, and gets the next task of the batch that has no host, or
 * hears that there is none. With early binding hosts answer at once how long their queues are, and tasks are
 * sent to the shortest. Every message takes `latency`.
 *
 *   sampling.c          batches, tasks, what the engine says        sampling_host.c     queues on hosts, stealing
 *   sampling_choose.c   which hosts are drawn                       sampling_mail.c     messages on their way
 *   sampling_central.c  long jobs, placed by estimated waits        sampling_counts.c   what is counted
 *
 * Split by run time (`is_split`), a batch whose believed mean run time is above `cutoff` is long: a central
 * scheduler sends its tasks to the hosts with the least estimated waits, outside a part of the cell that is
 * kept for short ones.
 *
 * Invariants: a task has no host (in its batch's chain), or is bound to one (in a message or a host's queue),
 * or runs. An entry is in one host's queue, or in a message; a reservation is in its batch's list too. A
 * batch lives until its tasks have ended and nothing names it. Nothing is open between instants: `ended`,
 * `fresh` and `dirty` are empty then. */
#ifndef HC_ARCHITECTURE_SAMPLING_H
#define HC_ARCHITECTURE_SAMPLING_H

#include "architecture/counts.h"
#include "architecture/one_host.h"
#include "base/mem.h"
#include "hindcast/architecture.h"

#define HC_NOBODY UINT32_MAX

enum { HC_BIND_LATE, HC_BIND_EARLY };

/* What the kinds say; a kind that has no parameter for one leaves it at 0. */
typedef struct hc_sampling_options {
  int64_t schedulers, probes;
  hc_time latency, think_job;
  int binding;
  bool cancel;
  bool is_split;
  hc_time cutoff;
  double error, short_share;
  int64_t steal;
  bool marks,
      sticky; /* probes avoid hosts with long tasks; a host goes on with the job that it has just served */
  bool srpt;
  int64_t bypass;
} hc_sampling_options;

typedef enum hc_sampled_state {
  HC_SAMPLED_NONE,
  HC_SAMPLED_WAITS, /* has no host */
  HC_SAMPLED_BOUND,
  HC_SAMPLED_RUNS
} hc_sampled_state;

typedef struct hc_sampled_task {
  uint64_t serial;
  double expected; /* long: its believed run time, ns */
  hc_time started;
  uint32_t batch, state;
  uint32_t prev, next; /* WAITS: in its batch */
  uint32_t host, padding;
} hc_sampled_task;

typedef struct hc_batch {
  hc_one_host_need need; /* of its first task: the room that a reservation waits for */
  uint64_t first_serial, draws;
  hc_time arrived;
  double mean;                       /* believed run time of a task, ns */
  uint32_t first, last;              /* tasks without a host */
  uint32_t waiting, left, unstarted; /* without a host; not ended; not started */
  uint32_t tasks;
  uint32_t refs;    /* messages and entries that name it */
  uint32_t entries; /* its reservations, a chain */
  uint32_t answers; /* early binding: that have not come yet */
  uint32_t next;    /* vacant */
  uint32_t is_long, is_used;
} hc_batch;

/* In a host's queue, or stolen and on its way; early binding: an answer. */
typedef struct hc_entry {
  uint64_t serial;      /* of the task */
  uint32_t batch, task; /* HC_NO_TASK: a reservation */
  uint32_t host;        /* HC_NOBODY: on its way */
  uint32_t prev, next;  /* in the queue, or vacant */
  uint32_t batch_prev, batch_next;
  uint32_t bypassed; /* early binding: the length that the host said */
  uint32_t is_void, padding;
} hc_entry;

typedef struct hc_sampled_host {
  int64_t held[HC_DIMENSIONS]; /* room kept while answers are under way */
  double long_queued; /* believed run times of long tasks that are on their way to it or in its queue, ns */
  double long_until;  /* sum over its running long tasks of when they are believed to end, ns */
  uint64_t draws;
  uint32_t first, last, count; /* its queue */
  uint32_t asking, running;
  uint32_t long_assigned; /* by the central scheduler, and not ended */
  uint32_t long_here;     /* in the queue */
  uint32_t long_running;
  uint32_t steals;   /* attempts that it has left; 0: it is not looking */
  uint32_t is_dirty; /* to be served in this round */
} hc_sampled_host;

typedef enum hc_mail {
  HC_MAIL_BEGIN,  /* a scheduler has thought about a batch */
  HC_MAIL_PROBE,  /* to a host: queue up; value: times that the batch was turned away before */
  HC_MAIL_ASK,    /* to a scheduler: there is room on the host */
  HC_MAIL_ANSWER, /* to a host: a task, or none */
  HC_MAIL_TASK,   /* to a host: run this when its turn has come */
  HC_MAIL_REJECT, /* to a scheduler: long tasks are here; value: times */
  HC_MAIL_READ,   /* to a host: how long is your queue? */
  HC_MAIL_LENGTH, /* to a scheduler; value: that */
  HC_MAIL_CANCEL, /* to hosts: the batch has no more tasks */
  HC_MAIL_STEAL,  /* to host `value`, from `host` */
  HC_MAIL_LOOT    /* to `host`; value: first entry of a chain, or HC_NOBODY */
} hc_mail;

typedef struct hc_message {
  hc_time at;
  uint64_t number; /* of messages so far: those of one time come in the order in which they were sent */
  uint64_t serial;
  uint32_t kind, host, batch, task, value, padding;
} hc_message;

/* Waits and times of one class of batches. */
typedef struct hc_sampling_class {
  uint64_t batches;
  hc_counted task_wait, batch_wait, batch_time; /* ns */
} hc_sampling_class;

typedef struct hc_sampling_counts {
  hc_sampling_class of[2]; /* short or all; long */
  hc_counted lengths;      /* of queues, as probes find them */
  uint64_t probes, messages, empty, cancelled, nowhere, rejected, steals, stolen, sticky, misfits, longest;
} hc_sampling_counts;

typedef struct hc_ended {
  uint32_t host, batch;
} hc_ended;

typedef struct hc_sampling {
  hc_architecture_context c;
  hc_sampling_options o;
  const hc_services *ask;
  hc_policy_type listener;
  const char *name;                 /* of the kind, for errors */
  uint32_t staging, hosts, general; /* general: hosts below this number take long tasks */
  uint32_t dimensions;
  /* state */
  hc_sampled_task *tasks;
  size_t task_count, task_cap;
  hc_batch *batches;
  size_t batch_count, batch_cap;
  hc_entry *entries;
  size_t entry_count, entry_cap;
  hc_message *mail; /* a heap */
  size_t mail_count, mail_cap;
  hc_sampled_host *host; /* [hosts] */
  hc_time *free_at;      /* [schedulers] */
  uint32_t vacant_batch, vacant_entry;
  uint64_t turn, sent;
  hc_time armed; /* for the first message, HC_NEVER */
  hc_sampling_counts counts;
  /* of one round */
  hc_map of_job; /* job -> batch, of those that arrive in this round */
  uint32_t *fresh, *dirty;
  hc_ended *ended;
  hc_task *again; /* lost their hosts */
  size_t fresh_count, fresh_cap, dirty_count, dirty_cap, ended_count, ended_cap, again_count, again_cap;
  hc_task moved;     /* that the architecture itself files or starts */
  bool looks_at_all; /* hosts may have changed */
  /* scratch */
  uint64_t *drawn; /* [hosts] number of the draw that took it */
  uint64_t draw;
  uint32_t *found; /* [hosts] */
  double *waits;   /* [hosts] */
} hc_sampling;

/* ---- sampling.c ---- */

/* @return 0, HC_EUNSUPPORTED (not a cell of hosts; no host for long tasks), HC_ENOMEM. The struct must not
 * move. */
hc_rc hc_sampling_init(hc_sampling *s, const hc_architecture_context *c, const char *name,
                       const hc_sampling_options *o, hc_error *e);
void hc_sampling_fini(hc_sampling *s);
hc_rc hc_sampling_hear(hc_sampling *s, const hc_signal *sig, hc_error *e);
hc_rc hc_sampling_decide(hc_sampling *s, hc_error *e);
hc_rc hc_sampling_finish(hc_sampling *s, hc_findings *f);
hc_rc hc_sampling_visit(hc_sampling *s, hc_visitor *v);

hc_time hc_sampling_now(const hc_sampling *s);
/* Take the first task without a host that could run on this one; HC_NO_TASK. It is bound to the host. */
hc_task hc_sampling_take(hc_sampling *s, uint32_t batch, uint32_t host);
/* Something that named the batch does so no more. */
void hc_sampling_release(hc_sampling *s, uint32_t batch);
/* Is this still the task that was bound to the host? */
bool hc_sampling_is_bound(const hc_sampling *s, hc_task t, uint64_t serial, uint32_t host);
/* @return 1: it runs; 0: there is no room */
hc_rc hc_sampling_start(hc_sampling *s, hc_task t, uint32_t host, hc_error *e);
hc_rc hc_sampling_reject(hc_sampling *s, hc_task t, hc_error *e);

/* ---- sampling_mail.c ---- */

hc_rc hc_sampling_send(hc_sampling *s, const hc_message *m);
hc_rc hc_sampling_send_at(hc_sampling *s, hc_time at, const hc_message *m);
/* Carry out what is due. */
hc_rc hc_sampling_deliver(hc_sampling *s, hc_error *e);
hc_rc hc_sampling_arm(hc_sampling *s);

/* ---- sampling_choose.c ---- */

/* Probe hosts for all tasks of a batch. */
hc_rc hc_sampling_probe(hc_sampling *s, uint32_t batch, hc_error *e);
/* Where a probe goes that was turned away so many times. @param is_last out: it stays there whatever it finds
 * */
uint32_t hc_sampling_elsewhere(hc_sampling *s, uint32_t batch, uint32_t times, bool *is_last);
/* Early binding: all answers are there. */
hc_rc hc_sampling_place(hc_sampling *s, uint32_t batch);

/* ---- sampling_central.c ---- */

hc_rc hc_sampling_place_long(hc_sampling *s, uint32_t batch, hc_error *e);
void hc_sampling_long_starts(hc_sampling *s, hc_task t);
/* It has ended, or was taken away before it started. */
void hc_sampling_long_ends(hc_sampling *s, hc_task t);

/* ---- sampling_host.c ---- */

hc_rc hc_sampling_new_entry(hc_sampling *s, uint32_t batch, uint32_t *out);
void hc_sampling_drop_entry(hc_sampling *s, uint32_t entry); /* which is in no queue */
hc_rc hc_sampling_enqueue(hc_sampling *s, uint32_t host, uint32_t entry, bool first);
void hc_sampling_unqueue(hc_sampling *s, uint32_t entry);
hc_rc hc_sampling_mark(hc_sampling *s, uint32_t host); /* to be served in this round */
hc_rc hc_sampling_serve(hc_sampling *s, uint32_t host, hc_error *e);
/* Keep room for a task of the batch and ask for one. */
hc_rc hc_sampling_ask_for(hc_sampling *s, uint32_t host, uint32_t batch);
/* A task of the batch has ended there: ask for another before any other's turn, if there is still room. */
hc_rc hc_sampling_stick(hc_sampling *s, uint32_t host, uint32_t batch);
void hc_sampling_unhold(hc_sampling *s, uint32_t host, uint32_t batch);
/* The first group of short entries behind a long task, taken out of a queue. @return a chain, or HC_NOBODY */
uint32_t hc_sampling_loot(hc_sampling *s, uint32_t victim, uint32_t thief);
hc_rc hc_sampling_steal(hc_sampling *s, uint32_t thief);

/* ---- sampling_counts.c ---- */

void hc_sampling_counts_init(hc_sampling_counts *c, const hc_allocator *a);
void hc_sampling_counts_fini(hc_sampling_counts *c);
hc_rc hc_sampling_counts_find(const hc_sampling_counts *c, const hc_sampling_options *o, hc_findings *f);
hc_rc hc_sampling_counts_visit(hc_sampling_counts *c, hc_visitor *v);

#define HC_SAMPLING_CLASS_FIGURES(suffix) \
  "batches" suffix "|jobs|none|batches: jobs, or the tasks of a job that arrived later than the others", \
      "task_wait_mean" suffix "|s|lower|mean time from a task's arrival to its start", \
      "task_wait_p50" suffix "|s|lower|median of that", \
      "task_wait_p90" suffix "|s|lower|quantile 0.90 of that", \
      "task_wait_p99" suffix "|s|lower|quantile 0.99 of that", \
      "job_wait_mean" suffix "|s|lower|mean time from a batch's arrival to the start of its last task", \
      "job_wait_p50" suffix "|s|lower|median of that", \
      "job_wait_p90" suffix "|s|lower|quantile 0.90 of that", \
      "job_wait_p99" suffix "|s|lower|quantile 0.99 of that", \
      "job_time_mean" suffix "|s|lower|mean time from a batch's arrival to the end of its last task", \
      "job_time_p50" suffix "|s|lower|median of that", \
      "job_time_p90" suffix "|s|lower|quantile 0.90 of that", \
      "job_time_p99" suffix "|s|lower|quantile 0.99 of that"
#define HC_SAMPLING_FIGURES \
  "probes|probes|none|reservations that were sent; with early binding, questions for a queue's length", \
      "messages|messages|none|messages of all kinds", \
      "answers_empty|answers|lower|hosts that asked for a task when there was none left", \
      "cancelled|reservations|none|reservations that were taken back before their turn had come", \
      "misfits|tasks|lower|tasks that found no room when they came, though amounts had been kept free", \
      "queue_length_mean|tasks|lower|mean number of tasks that a probe finds on its host, queued and " \
      "running", \
      "queue_length_p99|tasks|lower|quantile 0.99 of that number", \
      "queue_length_max|tasks|lower|greatest such number", \
      "tasks_without_host|tasks|lower|tasks that no single host could ever run: they are rejected"

/* Rows of the tables of parameters. */
#define HC_SAMPLING_PARAMS(options, member, probes_default) \
  HC_PARAM_AS(INT, "schedulers", options, member.schedulers, "schedulers", "10", 1, 1e6, \
              "Number of schedulers that draw hosts; jobs go to each in turn. They share no knowledge."), \
      HC_PARAM_AS( \
          INT, "probes", options, member.probes, "probes", probes_default, 1, 1e6, \
          "Number of hosts that are drawn for each task, distinct for all tasks of a job as long as there " \
          "are enough."), \
      HC_PARAM_AS(TIME, "latency", options, member.latency, "s", "0.5ms", 0, 1e9, \
                  "Time that a message takes, one way."), \
      HC_PARAM_AS(TIME, "think_job", options, member.think_job, "s", "0s", 0, 1e9, \
                  "Time that a scheduler takes for a job before its probes leave; it takes one job after " \
                  "another."), \
      HC_PARAM_AS(BOOL, "cancel", options, member.cancel, "false", \
                  "Are a job's reservations taken back when it has no task left without a host?")

/* Rows of those that tell long jobs from short ones. */
#define HC_SAMPLING_SPLIT_PARAMS(options, member) \
  HC_PARAM_AS(TIME, "cutoff", options, member.cutoff, "s", "1129s", 0, 1e9, \
              "A job is long if the mean estimate of its tasks is above this time; a task without an " \
              "estimate counts as 100 years. The default is the papers' value for Google's trace of " \
              "2011."), \
      HC_PARAM_AS( \
          REAL, "error", options, member.error, "1", "0", 0, 1, \
          "A job's mean estimate is multiplied by a random factor, uniform between 1 - error and 1 + " \
          "error."), \
      HC_PARAM_AS(REAL, "short_share", options, member.short_share, "1", "0.17", 0, 1, \
                  "Share of the hosts, the last ones by number, that run no long tasks. The papers take " \
                  "the share of all task-seconds that belongs to short jobs."), \
      HC_PARAM_AS(INT, "steal", options, member.steal, "hosts", "10", 0, 1e6, \
                  "How many hosts of those that run long tasks a host with room and nothing to do asks, " \
                  "drawn at random one after another, for the first group of reservations of short jobs " \
                  "behind a long task, until one of them has such a group. 0: none.")

/* Figures of those. */
#define HC_SAMPLING_SPLIT_FIGURES \
  HC_SAMPLING_CLASS_FIGURES("_short"), HC_SAMPLING_CLASS_FIGURES("_long"), HC_SAMPLING_FIGURES, \
      "steals|hosts|none|requests for work that idle hosts sent to other hosts", \
      "stolen|reservations|none|reservations that moved to idle hosts in this way"

/* ---- a kind ---- */

/* A kind of this family has no state but this and does nothing of its own: it says what its options are. */
struct hc_architecture {
  hc_sampling sampling;
};

hc_rc hc_sampling_new(const hc_architecture_context *c, const char *name, const hc_sampling_options *o,
                      hc_architecture **out, hc_error *e);
hc_rc hc_sampling_kind_signal(hc_architecture *self, const hc_signal *sig, hc_error *e);
hc_rc hc_sampling_kind_decide(hc_architecture *self, hc_error *e);
hc_rc hc_sampling_kind_visit(hc_architecture *self, hc_visitor *v);
hc_rc hc_sampling_kind_finish(hc_architecture *self, hc_findings *f);
void hc_sampling_kind_fini(hc_architecture *self);
/* The members of a kind's type beside its component and its init. */
#define HC_SAMPLING_KIND \
  .signal = hc_sampling_kind_signal, .decide = hc_sampling_kind_decide, .visit = hc_sampling_kind_visit, \
  .fini = hc_sampling_kind_fini, .finish = hc_sampling_kind_finish, .asks_jobs = true, .offers_hosts = true, \
  .fixed_amounts = true, .reach = HC_REACH_NONE

#endif
