/* batsim.h -- the parts of Batsim's protocol: the book of jobs, what is said, what is heard. What is said and
 * heard has two forms, those of versions 4 and 5 (hc_batsim_dialect).
 *
 * Source: Batsim 4.2.1, its protocol and outputs; Batsim 5.0.0-rc2. */
#ifndef HC_REMOTE_BATSIM_H
#define HC_REMOTE_BATSIM_H

#include "base/jsonline.h"
#include "base/mem.h"
#include "hindcast/remote.h"

#define HC_BATSIM_WORKLOAD "w0" /* what the workload is called: before the ids of its jobs, and a ! */

/* ---- the book: which jobs there are (batsim_book.c) ---- */

typedef enum hc_batsim_state { HC_JOB_TO_COME, HC_JOB_WAITS, HC_JOB_RUNS, HC_JOB_IS_OVER } hc_batsim_state;

typedef struct hc_batsim_job {
  const char *id;    /* "w0!17" */
  const char *json;  /* as schedulers are told of it */
  const char *alloc; /* the machines that it was given; NULL: none yet */
  uint32_t profile;
  uint32_t state; /* hc_batsim_state */
  int64_t res;
  hc_time submit;
  hc_time start, end;
  uint64_t serial; /* of its task, from when it is known */
  hc_task task;
  bool is_killed;       /* the scheduler has ended it */
  const char *metadata; /* that the scheduler has given it; NULL */
} hc_batsim_job;

typedef struct hc_profile_text {
  const char *json;
  double delay; /* s; < 0: it is none */
  int64_t ret;
} hc_profile_text;

typedef struct hc_batsim_book {
  const hc_allocator *allocator;
  hc_arena arena;
  hc_batsim_job *jobs; /* [count] in the order of their tasks' numbers, which are from 1 on */
  size_t count, cap;
  hc_names ids;    /* of jobs; the number is the place before they were sorted: see `place` */
  uint32_t *place; /* [count] where a job of `ids` is in `jobs` */
  size_t place_cap;
  hc_names profile_names;
  hc_profile_text *profiles; /* by number of profile_names */
  size_t profile_count, profile_cap;
} hc_batsim_book;

/** Read a workload. @return 0, HC_EINPUT with the place, HC_EIO, HC_ENOMEM. The book is to be closed in any
 *  case. Cost: about 8 ns a byte; memory: its jobs and profiles as text. */
hc_rc hc_batsim_book_read(hc_batsim_book *b, const hc_allocator *a, const char *path, hc_error *e);
void hc_batsim_book_fini(hc_batsim_book *b);
/** A job by what schedulers call it; NULL: there is none. */
hc_batsim_job *hc_batsim_find(hc_batsim_book *b, const char *id, size_t size);

/* ---- machines (batsim_machines.c) ---- */

/* Batsim numbers hosts that compute from 0 on, and storage hosts behind them. */
typedef struct hc_batsim_machines {
  const hc_allocator *allocator;
  uint32_t *hosts; /* [count + storage_count] which host of the cell each is */
  uint32_t count, storage_count, total;
  hc_range *set; /* [set_count] of the text that was read last, merged */
  size_t set_count, set_cap;
  hc_range *ranges; /* [range_count] the same as hosts of the cell, ascending */
  size_t range_count, range_cap;
} hc_batsim_machines;

hc_rc hc_batsim_machines_of(hc_batsim_machines *m, const hc_allocator *a, const hc_cell_spec *cell,
                            hc_error *e);
void hc_batsim_machines_fini(hc_batsim_machines *m);
/** "0-3 7", in any order, overlapping or not. @param size out: how many machines @return 0; HC_EINPUT: it
 *  is no such text, or names a machine that there is not; HC_ENOMEM. Fills `set` and `ranges`. */
hc_rc hc_batsim_machines_read(hc_batsim_machines *m, const char *text, size_t n, uint32_t *size);
/** The set that was read last, ascending and with nothing twice. */
void hc_batsim_machines_put(const hc_batsim_machines *m, hc_buffer *out);

/* ---- their states of power (batsim_states.c) ---- */

typedef struct hc_batsim_states {
  uint32_t count;       /* of them, at least 1 */
  uint32_t sleep;       /* UINT32_MAX: none */
  hc_time stops, starts; /* how long the way there takes, and that back; HC_NEVER: it is not said */
  const char *passes;   /* the property `sleep_pstates`; NULL: there is none */
} hc_batsim_states;

typedef enum hc_batsim_state_kind {
  HC_STATE_NONE, /* there is no such state */
  HC_STATE_COMPUTES,
  HC_STATE_SLEEPS,
  HC_STATE_OTHER_SLEEP, /* it sleeps, too, and is not the first such state */
  HC_STATE_PASSES       /* for the way between two others */
} hc_batsim_state_kind;

/** Of hosts of a class. @param out borrows texts of the lexicon */
void hc_batsim_states_of(const hc_host_class *c, const hc_lexicon *lexicon, hc_batsim_states *out);
hc_batsim_state_kind hc_batsim_state_is(const hc_batsim_states *x, uint32_t state);
/** "1.5Gf", "1e-9Mf", "500": a number, a prefix, and a unit or none. @param out flop/s */
bool hc_batsim_speed(const char *s, size_t n, double *out);

/* ---- what is heard (batsim_hear.c) ---- */

/* What a scheduler may ask for, of either version. */
typedef enum hc_batsim_type {
  HC_HEARD_EXECUTE_JOB,
  HC_HEARD_REJECT_JOB,
  HC_HEARD_KILL_JOB,
  HC_HEARD_CALL_ME_LATER,
  HC_HEARD_STOP_CALL,
  HC_HEARD_SET_JOB_METADATA,
  HC_HEARD_NOTIFY,
  HC_HEARD_FINISH_REGISTRATION,
  HC_HEARD_HELLO,
  HC_HEARD_SET_RESOURCE_STATE,
  HC_HEARD_CHANGE_PSTATE,
  HC_HEARD_TURN_ON_OFF,
  HC_HEARD_CHANGE_JOB_STATE,
  HC_HEARD_REGISTER_JOB,
  HC_HEARD_REGISTER_PROFILE,
  HC_HEARD_TO_JOB_MSG,
  HC_HEARD_QUERY,
  HC_HEARD_ANSWER,
  HC_HEARD_FORCE_STOP,
  HC_HEARD_CREATE_PROBE,
  HC_HEARD_STOP_PROBE,
  HC_HEARD_TRIGGER_PROBE,
  HC_HEARD_RESET_PROBE,
  HC_HEARD_TYPES
} hc_batsim_type;

/* A member of an event's data, as it is written: a text without its quotes, a number, or what is between two
 * brackets, with them. NULL: it is not there. */
typedef struct hc_batsim_text {
  const char *text;
  size_t size;
  char kind; /* '"', '0' a number, '{', '[', 't' another word */
} hc_batsim_text;

/* An event of an answer. What an event of its type does not have is NULL. Borrowed while the answer is. */
typedef struct hc_batsim_event {
  hc_batsim_type type;
  hc_time at;
  hc_batsim_text data; /* all of it */
  hc_batsim_text job_id, alloc, mapping, storage_mapping, overrides, job_ids, when, when_type, call_id;
  hc_batsim_text metadata, notice, machines, state, queries, job, workload, profile_name, profile, job_state;
} hc_batsim_event;

/* What a scheduler has asked for and is told of when it is over. */
typedef struct hc_batsim_request {
  hc_batsim_type type;  /* SET_RESOURCE_STATE, CHANGE_PSTATE, TURN_ON_OFF, QUERY, REGISTER_JOB */
  const char *machines; /* "0-3 7" */
  int64_t state; /* REGISTER_JOB: which of the book's jobs */
} hc_batsim_request;

typedef struct hc_batsim_answer {
  const hc_allocator *allocator;
  hc_batsim_event *events; /* [count] */
  size_t count, cap;
  hc_time now;
} hc_batsim_answer;

/* Where a member of an object goes. */
typedef struct hc_batsim_member {
  const char *key;
  size_t offset; /* of a hc_batsim_text */
} hc_batsim_member;
/* One of an event's. */
#define HC_BATSIM_MEMBER(key, to) \
  { \
    key, offsetof(hc_batsim_event, to) \
  }

/* When a scheduler wants to be called. */
typedef struct hc_batsim_when {
  hc_time at;     /* of a call that comes once; seconds as they are said, which may have passed */
  hc_time period; /* at all whole multiples of it that are to come; 0: it comes once */
  uint64_t times; /* of a period: so often; 0: until it is stopped */
} hc_batsim_when;

typedef struct hc_batsim_dialect hc_batsim_dialect;

/** Take an answer apart. @param least ns: no time in it may be before that (but for what is rounded away)
 *  @return 0, HC_EPOLICY with what is wrong, HC_ENOMEM */
hc_rc hc_batsim_hear(hc_batsim_answer *a, const hc_batsim_dialect *dialect, const char *text, size_t size,
                     hc_time least, hc_error *e);
/** Members of an object, by their names; others are passed over. @param out where their texts go, each at its
 *  member's offset; of two with one name the last counts @return false: it is no object of JSON */
bool hc_batsim_members(const hc_batsim_text *object, const hc_batsim_member *members, size_t count,
                       void *out);
/** The next value, passed over. @return false: it is no JSON */
bool hc_batsim_take(hc_jsonline *j, hc_batsim_text *out);
/** Each text of a list of texts. @return 0, HC_EPOLICY (it is no such list), or what `each` returned */
hc_rc hc_batsim_each_text(const hc_batsim_text *list, hc_rc (*each)(void *ctx, const char *text, size_t size),
                          void *ctx);

/* ---- what is registered while the run goes on (batsim_register.c) ---- */

/* A job or a profile, as it was said. */
typedef struct hc_batsim_registered {
  hc_batsim_text workload;                    /* of a profile */
  hc_batsim_text name;                        /* of a profile; "WORKLOAD!NAME" of a job */
  hc_batsim_text object;                      /* all of it */
  hc_batsim_text own_id, res, limit, profile; /* of a job */
} hc_batsim_registered;

/** Note it in the book, and make a text of it that the run's source reads (hc_run_submit).
 *  @param what out: what is wrong with it @return 0; HC_EPOLICY; HC_ENOMEM */
hc_rc hc_batsim_add_profile(hc_batsim_book *b, const hc_batsim_registered *x, hc_buffer *feed,
                            const char **what);
/** The same; the job is the book's last, and waits. */
hc_rc hc_batsim_add_job(hc_batsim_book *b, const hc_batsim_registered *x, const hc_batsim_machines *m,
                        hc_time now, hc_buffer *feed, const char **what);

/* ---- external events (batsim_events.c) ---- */

/* In the order in which those of one time happen. */
typedef enum hc_batsim_kind { HC_OCCURS_AVAILABLE, HC_OCCURS_UNAVAILABLE, HC_OCCURS_GENERIC } hc_batsim_kind;

typedef struct hc_batsim_occurrence {
  hc_time at;
  hc_batsim_kind kind;
  uint32_t list;           /* from 0 */
  size_t number;           /* in its file, from 0 */
  const char *text;        /* the machines; GENERIC: all of it, of version 5 its data, as JSON has it */
  const hc_range *hosts;   /* [host_count] of the cell */
  const uint32_t *machines; /* [machine_count] */
  size_t host_count, machine_count;
} hc_batsim_occurrence;

typedef struct hc_batsim_events {
  const hc_allocator *allocator;
  hc_batsim_occurrence *items; /* [count] of all files, one after the other, each by time */
  size_t count, cap;
  uint32_t lists;
} hc_batsim_events;

/* ---- what is said (batsim_say.c) ---- */

/* What holds for a session: of version 4 by its options, of version 5 by what the component says first. */
typedef struct hc_batsim_terms {
  const hc_batsim_options *o;
  const hc_batsim_book *book;
  bool profiles_with_jobs, profiles_at_first;
  bool is_dynamic, acknowledges; /* jobs are registered; that is said */
  bool is_early; /* it speaks batprotocol 0, which has other members than 1 */
} hc_batsim_terms;

/** Read a file of them behind those that are read. @param arena has their texts @return 0, HC_EIO, HC_EINPUT
 *  with the place, HC_ENOMEM */
hc_rc hc_batsim_events_read(hc_batsim_events *l, const hc_batsim_terms *terms, hc_arena *arena,
                            hc_batsim_machines *m, const char *path, hc_error *e);

/* A message being made: events gather in it until it is sent. */
typedef struct hc_batsim_message {
  hc_buffer events; /* separated by commas */
  hc_buffer whole;
  const hc_batsim_terms *terms;
} hc_batsim_message;

/* How a job has ended. */
typedef enum hc_batsim_end {
  HC_JOB_SUCCEEDED,
  HC_JOB_FAILED,
  HC_JOB_REACHED_WALLTIME,
  HC_JOB_WAS_KILLED
} hc_batsim_end;

extern const char *const hc_batsim_ends[]; /* what both versions call it */

/** An event, then members of its data: keys are the dialect's. */
void hc_batsim_say_begin(hc_batsim_message *m, hc_time at, const char *type_key, const char *type,
                         const char *data_key);
void hc_batsim_say_end(hc_batsim_message *m);
/** A whole event, whose data is an object of JSON already. */
void hc_batsim_say_event(hc_batsim_message *m, hc_time at, const char *type_key, const char *type,
                             const char *data_key, const char *data);
void hc_batsim_say_key(hc_batsim_message *m, const char *key);
void hc_batsim_say_text(hc_batsim_message *m, const char *key, const char *value, size_t size);
void hc_batsim_say_raw(hc_batsim_message *m, const char *key, const char *value);
void hc_batsim_say_int(hc_batsim_message *m, const char *key, int64_t n);
void hc_batsim_say_bool(hc_batsim_message *m, const char *key, bool is_so);
void hc_batsim_say_open(hc_batsim_message *m, const char *key, char bracket);
void hc_batsim_say_close(hc_batsim_message *m, char bracket);
/** Properties of a machine: its host's attributes, but for what the cell adds to them. @param each called for
 *  each with its name and its value as text */
void hc_batsim_each_property(hc_batsim_message *m, const hc_host_class *c, const hc_lexicon *lexicon,
                             void (*each)(hc_batsim_message *m, const char *name, const char *value));
/** The whole, of time `now`: in m->whole. The events are gone. */
void hc_batsim_say_whole(hc_batsim_message *m, hc_time now);
void hc_batsim_put_number(hc_buffer *out, uint64_t n);
/** "0.001800" */
void hc_batsim_put_time(hc_buffer *out, hc_time t);
/** How far a job had come that was killed. @return 0 to HC_SECOND, for 0 to 1; < 0: it is not known */
hc_time hc_batsim_progress(const hc_batsim_book *b, const hc_batsim_job *job);

/* ---- the two versions ---- */

struct hc_batsim_dialect {
  const char *name;          /* "Batsim 4" */
  const char *const *types; /* [HC_HEARD_TYPES] what an event of a type is called; NULL: there is none such */
  const char *type_key, *data_key; /* of an event */
  const char *incomplete, *unknown; /* what is wrong with an event: its members; its type */
  const hc_batsim_member *members; /* [member_count] of the data of events */
  size_t member_count;

  /* What is said. All of it may only be out of memory, which the message knows. */
  void (*begins)(hc_batsim_message *m, const hc_batsim_machines *machines, const hc_policy_context *c);
  void (*submitted)(hc_batsim_message *m, hc_time at, const hc_batsim_job *job);
  void (*ended)(hc_batsim_message *m, hc_time at, const hc_batsim_job *job, hc_batsim_end how, int64_t code);
  void (*killed)(hc_batsim_message *m, hc_time at, const hc_batsim_job *const *jobs, size_t count);
  void (*called)(hc_batsim_message *m, hc_time at, const char *id, bool is_last);
  void (*switched)(hc_batsim_message *m, hc_time at, const hc_batsim_request *r);
  void (*energy)(hc_batsim_message *m, hc_time at, double joules); /* NULL: it is not asked for */
  void (*all_submitted)(hc_batsim_message *m, hc_time at);
  void (*occurs)(hc_batsim_message *m, hc_time at, const hc_batsim_occurrence *x);
  void (*all_occurred)(hc_batsim_message *m, hc_time at);
  void (*ends)(hc_batsim_message *m, hc_time at);

  /** Take what is registered apart. @return NULL, or what is wrong; `out` borrows `x` and `text` */
  const char *(*registered)(const hc_batsim_event *x, hc_buffer *text, hc_batsim_registered *out);
  /** What a start is on, and whether executors and storage are where they can be.
   *  @param alloc out: the machines @return NULL, or what is wrong, with `rc` */
  const char *(*allocation)(const hc_batsim_event *x, const hc_batsim_job *job, const hc_batsim_machines *m,
                            hc_batsim_text *alloc, hc_rc *rc);
  /** @return NULL, or what is wrong */
  const char *(*when)(const hc_batsim_event *x, hc_batsim_when *out);
};

extern const hc_batsim_dialect hc_batsim_4, hc_batsim_5;

/* What both refuse. */
#define HC_BATSIM_MAPPED \
  "executors are mapped to other machines than their own, which a run takes from its workload alone: give " \
  "it as many machines as it asks for"
#define HC_BATSIM_STORAGE_MAPPED \
  "storage is mapped where there is not just one storage host, which a run takes from its source " \
  "(`storage_mapping` of the reader batsim)"

#endif
