/* algorithm.h -- a policy that is an algorithm of ElastiSim, invoked by messages of its protocol: the
 * parts of it. What is said is in docs/elastisim.md. */
#ifndef HC_REMOTE_ALGORITHM_H
#define HC_REMOTE_ALGORITHM_H

#include "base/value.h"
#include "hindcast/policy.h"
#include "remote/spoken.h"

#define HC_ALGORITHM_PLACE "policy elastisim"

typedef struct hc_algorithm_options {
  const char *url, *jobs, *record, *replay;
  hc_list schedule_on;         /* int: hc_algorithm_when */
  hc_list burst_buffers;       /* const char * */
  hc_list pfs_read, pfs_write; /* the same: links */
  hc_time interval, apart, timeout;
  int64_t most;
  bool clips, is_public, io_information;
} hc_algorithm_options;

/* What calls for an invocation; requests of jobs always do. */
typedef enum hc_algorithm_when {
  HC_ALGORITHM_ON_SUBMIT,
  HC_ALGORITHM_ON_FINALIZE,
  HC_ALGORITHM_ON_POINT,
  HC_ALGORITHM_ON_RECONFIGURATION
} hc_algorithm_when;

/* As the protocol numbers them. */
typedef enum hc_invocation {
  HC_INVOKE_PERIODIC,
  HC_INVOKE_JOB_SUBMIT,
  HC_INVOKE_JOB_COMPLETED,
  HC_INVOKE_JOB_KILLED,
  HC_INVOKE_SCHEDULING_POINT,
  HC_INVOKE_EVOLVING_REQUEST,
  HC_INVOKE_RECONFIGURATION
} hc_invocation;

enum {
  HC_JOB_PENDING = 1,
  HC_JOB_RUNNING = 4,
  HC_JOB_PENDING_RECONFIGURATION = 5,
  HC_JOB_IN_RECONFIGURATION = 6,
  HC_JOB_COMPLETED = 7,
  HC_JOB_KILLED = 8
};
enum { HC_JOB_RIGID, HC_JOB_MOLDABLE, HC_JOB_MALLEABLE, HC_JOB_EVOLVING, HC_JOB_ADAPTIVE, HC_JOB_TYPES };

/* A phase of an application model, of a job. */
typedef struct hc_algorithm_phase {
  uint64_t rounds;
  struct {
    bool schedules, asks; /* whether the job may come to a scheduling point there, or to a request */
  } enter, between;       /* before its first round; before each of the others */
} hc_algorithm_phase;

typedef struct hc_algorithm_phases {
  const hc_algorithm_phase *items; /* [count] each with a round at least */
  size_t count;
  uint64_t total; /* rounds */
} hc_algorithm_phases;

/* What the file of jobs says of a job, all of it checked by the reader of the source. */
typedef struct hc_algorithm_told {
  const hc_value *value; /* NULL: it says nothing */
  int type;
  uint32_t gpus_least, gpus_most;
  const char *walltime; /* as a number of JSON */
} hc_algorithm_told;

typedef struct hc_algorithm_file {
  const hc_allocator *allocator;
  const char *path; /* NULL: there is none */
  hc_arena arena;
  const hc_value *jobs; /* a list */
} hc_algorithm_file;

typedef struct hc_algorithm_job {
  uint64_t serial;
  hc_task task; /* while it is there */
  int64_t id;   /* by which it is told; -1: it is not */
  hc_algorithm_told told;
  hc_algorithm_phases phases;
  size_t phase;
  uint64_t round, done; /* rounds of the phase, and in all, that are over for certain */
  int type, state;
  uint32_t least, most, gpus;      /* nodes; GPUs of each */
  hc_time submit, start, end;      /* HC_UNKNOWN */
  bool is_queued, runs, is_killed; /* in the run, now */
  bool is_changed;                 /* one of policy.changed */
  bool is_modified;                /* not told yet */
  bool starts, dies, is_answered;  /* by the answer at hand */
  uint32_t *nodes;                 /* [node_count] that it is assigned, ascending */
  size_t node_count, node_cap;
  size_t holds;     /* nodes that it runs on */
  const char *said; /* [said_size] of it, in the answer at hand */
  size_t said_size;
  const char *arguments; /* set at run time, as JSON, in the policy's arena; NULL: none */
} hc_algorithm_job;

#define HC_NO_JOB UINT32_MAX

/* A host that computes. */
typedef struct hc_algorithm_node {
  uint32_t host;
  uint32_t job;      /* that runs on it: which of policy.jobs; HC_NO_JOB */
  uint32_t expected; /* that it is kept for until that job's next scheduling point */
  bool is_away, is_modified, has_buffer;
} hc_algorithm_node;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_algorithm_options *o;
  const hc_cell_spec *cell;
  bool on[4]; /* hc_algorithm_when */
  hc_algorithm_file file;
  hc_arena arena; /* what lives as long as the policy */
  hc_spoken with; /* the algorithm */
  hc_view *open;  /* the view at hand, and the plan */
  hc_plan *plan;
  bool is_changed;        /* the cell is, since it was looked at */
  hc_algorithm_job *jobs; /* [job_count] in the order in which they came */
  size_t job_count, job_cap;
  hc_map by_serial; /* of those that are there: which of jobs */
  uint32_t *by_id;  /* [next_id] */
  size_t by_id_cap;
  uint32_t *changed; /* [changed_count] in the order in which something first happened to them */
  size_t changed_count, changed_cap;
  uint32_t *touched; /* [touched_count] jobs that are modified, ascending by id */
  size_t touched_count, touched_cap;
  uint32_t *answered; /* [answered_count] of the answer at hand, in its order */
  size_t answered_count, answered_cap;
  hc_algorithm_node *nodes; /* [node_count] ascending by host */
  size_t node_count, node_cap;
  uint32_t
      *links[2]; /* [link_count] over which the file system is read, and written; found at the first look */
  size_t link_count[2], link_cap[2];
  hc_range *ranges; /* [range_cap] */
  size_t range_cap;
  /* state */
  uint64_t invocations;
  int64_t next_id;
  hc_time last;             /* invocation */
  hc_time ticked;           /* when it was called for its period last; 0: it was not */
  hc_time tick;             /* that it is to be called at for its period; HC_NEVER: none */
  uint64_t set_at_run_time; /* jobs whose arguments were set */
};

/* ---- the file of jobs (algorithm_jobs.c) ---- */

/** @param path  NULL: there is none @return 0; HC_EINPUT, HC_EIO, HC_ENOMEM with the place */
hc_rc hc_algorithm_open_file(hc_algorithm_file *f, const hc_allocator *a, const char *path, hc_error *e);
void hc_algorithm_close_file(hc_algorithm_file *f);
/** What it says of a job by its number. @return 0; HC_EINPUT: it has no such job; HC_ENOMEM */
hc_rc hc_algorithm_tell(hc_algorithm_file *f, int64_t number, hc_algorithm_told *out,
                        hc_algorithm_phases *phases, hc_error *e);
/** A job has come to a point, with a request or without: it is as far as the first one where that may be. */
void hc_algorithm_advance(hc_algorithm_job *j, bool asks);

/* ---- what is told (algorithm_say.c), in self->with.message ---- */

/** An invocation. @param job  which of self->jobs it is about; HC_NO_JOB: none @param wants  nodes it asks
 *  for @return 0; HC_EUSAGE: no link has a name that was said; HC_ENOMEM */
hc_rc hc_algorithm_say(hc_policy *self, hc_invocation what, uint32_t job, int64_t wants);
void hc_algorithm_say_end(hc_policy *self);

/* ---- what is heard (algorithm_hear.c) ---- */

/** Take an answer apart, and give its jobs the nodes that it says: self->answered, with `starts` and `dies`.
 *  Nothing of it is carried out. @return 0; HC_EPOLICY, HC_EUNSUPPORTED with what is wrong; HC_ENOMEM */
hc_rc hc_algorithm_hear(hc_policy *self, const char *text, size_t size);
/** What is wrong with the answer at hand, about a job. @return HC_EPOLICY */
hc_rc hc_algorithm_wrong(hc_policy *self, const hc_algorithm_job *j, hc_rc rc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- books (algorithm_books.c) ---- */

/** Its nodes are kept for it no more, and it is assigned none. */
void hc_algorithm_unassign(hc_policy *self, uint32_t job);
/** It runs on just the nodes that it is assigned. */
hc_rc hc_algorithm_hold(hc_policy *self, uint32_t job);
hc_rc hc_algorithm_free(hc_policy *self, uint32_t job);            /* it runs on none, and is assigned none */
bool hc_algorithm_is_settled(const hc_policy *self, uint32_t job); /* it runs on what it is assigned */
hc_rc hc_algorithm_touch(hc_policy *self, uint32_t job);           /* its next message tells of it */
hc_rc hc_algorithm_assign(hc_policy *self, uint32_t job, uint32_t node); /* one more, in any order */

#endif
