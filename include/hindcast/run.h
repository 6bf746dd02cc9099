/** @file run.h A run is a value: made from a configuration, advanced, saved, forked, restored, hashed,
 *  and asked for its result. */
#ifndef HINDCAST_RUN_H
#define HINDCAST_RUN_H

#include "hindcast/architecture.h"
#include "hindcast/figure.h"
#include "hindcast/setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One simulation. */
typedef struct hc_run hc_run;

/** How far a run has come. */
typedef struct hc_progress {
  hc_time now;                        /* virtual time, ns */
  int64_t unix_start;                 /* HC_UNKNOWN if not known */
  uint64_t submitted, started, ended; /* tasks */
  uint64_t waiting, running;
  uint64_t instants, decisions;
  uint64_t source_done, source_total; /* bytes; 0 if unknown */
  uint64_t rounded; /* amounts of the workload that were not whole and have been rounded ... */
  double rounding;  /* ... and the largest relative error that this made */
  uint64_t unnamed; /* fields with one name more than are remembered: hc_row_ledger.unnamed */
} hc_progress;

/** Make a run. @param store where task rows and the summary go; NULL: nowhere (figures can still be asked
 *  for). Configuration and store are borrowed for the run's life.
 *  @return 0, as hc_config_resolve, HC_EUNSUPPORTED (parts that cannot be combined, with the reason),
 *  HC_EINPUT or HC_EIO (a source that cannot be opened), HC_ENOMEM. */
HC_API hc_rc hc_run_new(const hc_allocator *a, hc_config *c, hc_store *store, hc_run **out, hc_error *e);
HC_API void hc_run_free(hc_run *r);
/** Go on until virtual time `until` (all of it included), or the end (HC_NEVER), or `instants` instants have
 *  passed (0: no such bound), whichever is first. After an error the run can only be freed.
 *  @return 1 if there is more to do, 0 at the end, HC_ECANCELLED, HC_ELIVELOCK, HC_EPOLICY, HC_EINPUT or
 *  HC_EIO (of the source or of the store), HC_ENOMEM. */
HC_API hc_rc hc_run_advance(hc_run *r, hc_time until, uint64_t instants, hc_error *e);

/* ---- a run that stops where a plan is wanted ----
 *
 * A program that decides in the policy's place (another language, an agent that learns, a scheduler in
 * another process) carries the run on like this:
 *
 *     while ((rc = hc_run_wait_decision(run, HC_NEVER, &d, &e)) == HC_RUN_DECISION) {
 *       t = d.services->next(d.view, HC_LIST_QUEUE, &at, NULL);    what a policy may ask
 *       d.services->start(d.plan, t, NULL, 0);                     and do: applied to the view at once
 *       hc_run_decide(run, &e);
 *     }
 *
 * The result is that of a policy which had made the same plans, under `think` too. docs/policy-interface.md
 * says more, examples/outside.c is a whole program. */

/** What hc_run_advance and hc_run_wait_decision return when nothing has failed. */
enum { HC_RUN_OVER = 0, HC_RUN_MORE = 1, HC_RUN_DECISION = 2 };

/** A plan is wanted. All of it is borrowed, and of use until the plan is handed in; what a service has
 *  returned as an array, until the next call of the same service or a snapshot. */
typedef struct hc_decision {
  hc_view *view;                    /* of the cell as it is, with the plan applied as far as it is made */
  hc_plan *plan;                    /* empty at first */
  const hc_services *services;      /* what may be asked and done: what `policy` declares */
  hc_why why;                       /* why the policy would be called */
  uint32_t scheduler;               /* whose turn it is, from 0, in the order of the configuration */
  const char *name;                 /* of the scheduler; "" where there is but one */
  const hc_chosen *policy;          /* a hc_policy_type with its options: the policy that would decide */
  const hc_policy_context *context; /* what a policy of the caller's own can be born with */
  /** [news_count] what the scheduler is told since its last decision, in order of time: of the policy
   *  `outside` under the architecture `messages`, which calls it whenever there is news, whether tasks wait
   *  or not. None elsewhere: the view says all that there is. Since 0.3. */
  const hc_news *news;
  size_t news_count;
} hc_decision;

/** Go on until a policy would be called, and stop there instead; or until virtual time `until` (all of it
 *  included), or the end. If the run stands there already, because the plan has not been handed in or because
 *  it was restored, it stays and gives the decision again, with what has been planned so far.
 *  @param out filled if a decision is wanted
 *  @return HC_RUN_DECISION, HC_RUN_MORE, HC_RUN_OVER; HC_EUNSUPPORTED: under this architecture no policy is
 *  asked between events (heartbeat, two_level, `call: per_event` ...), or it keeps books by its own plans
 *  (fair, yt, gang), or it is a closed world; else as hc_run_advance.
 *  Cost: two views and the plan applied once more than a policy's call. Which of the two functions carries a
 *  run on may change at any time: under hc_run_advance its policy decides. */
HC_API hc_rc hc_run_wait_decision(hc_run *r, hc_time until, hc_decision *out, hc_error *e);
/** Hand the plan in, empty or not: the run carries it out when it goes on, at once or when its scheduler has
 *  thought, when each action is checked anew. An action that could not be was refused by its service, with
 *  HC_EPOLICY, and is not in the plan.
 *  @return 0; HC_EUSAGE: no plan is wanted; HC_EPOLICY: something was asked that the policy does not declare,
 *  which ends the run (the text names the flag); HC_ECANCELLED; HC_ENOMEM */
HC_API hc_rc hc_run_decide(hc_run *r, hc_error *e);
/** Hand a part of the plan in: its scheduler thinks on, and the run asks for the rest at `at`, whatever has
 *  happened by then. Until it has been handed in whole, by hc_run_decide, the scheduler is asked nothing
 *  else. An empty part and a rest at `at` are a plan that was thought about for so long. Under the
 *  architecture messages. @param at ns; before now: at once
 *  @return as hc_run_decide; HC_EUNSUPPORTED under another architecture. Since 0.3. */
HC_API hc_rc hc_run_decide_more(hc_run *r, hc_time at, hc_error *e);
/** Forget the plan: the run's own policy decides this once, when the run goes on. @return as hc_run_decide;
 *  HC_EUSAGE also if it is the policy `outside`, which makes none. */
HC_API hc_rc hc_run_decide_by_policy(hc_run *r, hc_error *e);
/** Say why a task cannot start now, where a plan is wanted and `start` has refused it. @return 0: it can, on
 *  hosts that the placement chooses; HC_EPOLICY with the reason; HC_EUSAGE: no plan is wanted */
HC_API hc_rc hc_run_why_not(hc_run *r, hc_task t, hc_error *e);

/** Submit tasks where a plan is wanted, of a run whose policy is `outside` under the architecture messages:
 *  the scheduler has made them itself, so that they wait in its queue at once, and no news says so. They are
 *  submitted now, whatever the text says.
 *  @param text [size] of the run's first source that takes tasks so (`dynamic: true` of the reader batsim:
 *  {"jobs": [...], "profiles": {...}}, of which profiles stay known), in its own format; borrowed
 *  @param serials out, [cap] of the tasks that have come @return how many have; fewer than the text has where
 *  a row is rejected or does not fit the machine; HC_EUSAGE: no plan is wanted, or no source takes them;
 *  HC_EUNSUPPORTED: another architecture; HC_EINPUT: the text; HC_ENOMEM. After HC_EINPUT the run can only be
 *  freed. The plan stays as far as it is made. Since 0.3. */
HC_API hc_rc hc_run_submit(hc_run *r, const char *text, size_t size, uint64_t *serials, size_t cap,
                           hc_error *e);

/** What happens outside of a run, and becomes of hosts then. */
typedef struct hc_incident {
  hc_time at;            /* ns */
  uint32_t change;       /* HC_HOST_DRAIN, HC_HOST_UP; HC_INCIDENT_ALONE: of no host */
  const hc_range *hosts; /* [host_count] */
  size_t host_count;
} hc_incident;
#define HC_INCIDENT_ALONE UINT32_MAX
/** Let things happen outside of a run whose policy is `outside`, under the architecture messages with
 *  `incidents: true`: they are told by messages (HC_NEWS_INCIDENT), those of one call by a sender of their
 *  own, and when all senders have none left, that (HC_NEWS_NO_MORE_INCIDENTS). Hosts that drain go on with
 *  what runs on them, and take nothing else until they are up again. Before the first advance, or at the
 *  first decision; what was said is saved with the run. @param items [count] ascending by time
 *  @return 0; HC_EUSAGE, with the reason; HC_ENOMEM. Since 0.3. */
HC_API hc_rc hc_run_incidents(hc_run *r, const hc_incident *items, size_t count, hc_error *e);

/** Stop: the next advance returns HC_ECANCELLED, and so does one that is under way, as soon as the policy
 *  that decides asks anything of its view. May be called from a signal handler, or another thread. */
HC_API void hc_run_cancel(hc_run *r);
/** How far it has come. O(1), at any time between two advances. */
HC_API void hc_run_progress(const hc_run *r, hc_progress *p);
/** End the run at a time of its own: from then on it is a run with `until` there, by its configuration and by
 *  its result. Between two advances; the next one brings it to its end.
 *  @param at  ns; before what has happened already: as it stands @return 0 or HC_ENOMEM. Since 0.2. */
HC_API hc_rc hc_run_stop(hc_run *r, hc_time at, hc_error *e);
/** Close the ledgers, finish the metrics, write them to the store. The run must be at its end. A second
 *  call does nothing. @return 0, HC_EIO, HC_ENOMEM, or what a metric returned. */
HC_API hc_rc hc_run_finish(hc_run *r, hc_error *e);

/** Tell the figures of a finished run that has no store, and the cells of its tables, in the order in which a
 *  store would get them. Once. @return 0, HC_EUSAGE (not finished, or it has a store), HC_EUNSUPPORTED (a
 *  trim: that is counted from a store's rows), or what a metric or `findings` returned. */
HC_API hc_rc hc_run_figures(hc_run *r, hc_findings *findings, hc_error *e);

/** Save the whole state as one block without pointers, at an instant's end or where a plan is wanted, which
 *  is saved as far as it is made. Free it with hc_snapshot_free.
 *  @return 0, HC_EUNSUPPORTED (a source that cannot be read twice), HC_ENOMEM. */
typedef struct hc_snapshot {
  void *data;
  size_t size;
} hc_snapshot;
HC_API hc_rc hc_run_snapshot(hc_run *r, hc_snapshot *out, hc_error *e);
HC_API void hc_snapshot_free(const hc_allocator *a, hc_snapshot *s);
/** Make a run that goes on from a snapshot, under the same configuration.
 *  @return as hc_run_new; HC_EVERSION if the snapshot is of another version or configuration. */
HC_API hc_rc hc_run_restore(const hc_allocator *a, hc_config *c, hc_store *store, const hc_snapshot *s,
                            hc_run **out, hc_error *e);
/** A second run in the same state: snapshot and restore, and their errors. @return as hc_run_restore. */
HC_API hc_rc hc_run_fork(hc_run *r, hc_config *c, hc_store *store, hc_run **out, hc_error *e);
/** 128-bit checksum of the state, the same for both event queues. @param text 33 bytes.
 *  @return 0, HC_EUNSUPPORTED (a source that cannot say where it stands), HC_ENOMEM. */
HC_API hc_rc hc_run_digest(hc_run *r, char text[33], hc_error *e);

/** Explanations about one task, while the run advances: why it waited, who passed it. */
typedef struct hc_why_record {
  hc_time time;
  uint64_t serial; /* the task asked about */
  const char *text;
  /* In numbers, where it is one of these (view.h); PROMISE: it is to start at `at`; NONE: nothing follows. */
  hc_note what;
  uint64_t other; /* serial; UINT64_MAX: no task */
  hc_time at;     /* ns */
  int64_t amount;
  uint64_t place; /* where it stands in its queue, from 1, if the text says so; else 0. Since 0.3 */
} hc_why_record;
/** Before the first advance, or between two: what was said of a task before is then said anew. @param serial
 *  the task. @param each hears every record; borrowed text. NULL: no more.
 *  @return 0: it cannot fail. A task that never comes is told of never. */
HC_API hc_rc hc_run_explain(hc_run *r, uint64_t serial, void (*each)(void *ctx, const hc_why_record *w),
                            void *ctx);
/** The same of how it waits alone: of how it runs nothing is said, so that no model of execution has to
 *  measure for it what tasks do, and the run stays as fast as it was. Since 0.3.
 *  @return as hc_run_explain */
HC_API hc_rc hc_run_explain_waits(hc_run *r, uint64_t serial, void (*each)(void *ctx, const hc_why_record *w),
                                  void *ctx);
/** After one of them: what tasks are called in these texts where their numbers are not what users know.
 *  @param name with the ctx of hc_run_explain; NULL from it: the number says it. Text borrowed until the next
 *  call; longer than 40 bytes, or with control characters, it is not used */
HC_API void hc_run_explain_names(hc_run *r, const char *(*name)(void *ctx, uint64_t serial));

/** Something that happens in a run: for those who step through it. */
typedef enum hc_happens {
  HC_HAPPENS_ARRIVAL, /* a task is there */
  HC_HAPPENS_START,   /* it runs */
  HC_HAPPENS_STOP,    /* it was stopped, by a plan or with its host, and will start again */
  HC_HAPPENS_END,     /* it is gone: ended, killed, lost or withdrawn */
  HC_HAPPENS_HOST     /* a host has changed */
} hc_happens;
typedef struct hc_happening {
  hc_time time;
  hc_happens what;
  uint64_t serial;  /* of the task */
  int64_t id;       /* that its source gives it */
  const char *text; /* the same in words, borrowed: "task 17 starts after 5:00 on h3" */
} hc_happening;
/** Hear of what happens from now on, in order. Between two advances. @param each borrows what it is told.
 *  NULL: not any more @return 0; HC_EUNSUPPORTED: a closed world tells nothing. Cost: a text for each. Since
 *  0.2. */
HC_API hc_rc hc_run_watch(hc_run *r, void (*each)(void *ctx, const hc_happening *h), void *ctx, hc_error *e);

/* ---- what there is just now ---- */

/** A task that is there. */
typedef struct hc_seen_task {
  uint64_t serial;
  int64_t id;       /* that its source gives it */
  const char *user; /* by name, borrowed until the next advance; NULL: it has none */
  int64_t units;    /* processors; on hosts, of the first dimension in all */
  hc_time since;    /* ns; of a queued task its submission, of a running one its start */
  hc_time promised; /* ns; a queued task's reservation; HC_NEVER: it has none */
  char wants[64];   /* the units in words: "8 cores" */
  uint64_t place;   /* of a queued task: where it stands in its own queue, from 1; else 0. Since 0.3 */
} hc_seen_task;

/** A run as it stands between two advances. */
typedef struct hc_seen {
  int64_t capacity, held; /* units: of what is there, and claimed; 0: a closed world tells neither */
  char machine[64];       /* the capacity in words: "128 processors" */
  char free[64];          /* what nothing holds, in words */
  hc_seen_task *queued;   /* [queued_cap] in the order of their queues; the caller's memory */
  hc_seen_task *running;  /* [running_cap] those that hold most, then by serial; the caller's memory */
  size_t queued_cap, queued_count;
  size_t running_cap, running_count;
} hc_seen;
/** Look at the machine and at some of its tasks. @param io  its lists and their capacities are read, the rest
 *  is filled; a capacity of 0 asks for none. A closed world tells of no task.
 *  Cost: a look at each live task if running ones are asked for. Changes nothing. Since 0.2. */
HC_API void hc_run_look(hc_run *r, hc_seen *io);

#ifdef __cplusplus
}
#endif
#endif
