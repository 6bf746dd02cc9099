/** @file profile.h Profiles: what a task does while it runs.
 *
 *  A profile starts *activities* (it sleeps, computes on a process, transfers between two, starts other
 *  profiles), waits for some or all of them, and goes on. It is one function that reads as straight code and
 *  keeps no stack: where it waits it returns, and it is called again behind that place. What it remembers
 *  lies in a struct of its own, of at most HC_PROFILE_STATE bytes, without pointers, so that a run in the
 *  middle of a transfer is saved, forked and hashed like any other.
 *
 *      static hc_rc resume(hc_profile *p)
 *      {
 *        const options *o = p->options;
 *        HC_PROFILE_BEGIN(p);
 *        for (uint32_t w = 1; w < p->processes; w++) hc_profile_transfer(p, 0, w, o->size, w);
 *        while (p->active > 0) {
 *          HC_WAIT_ANY(p);
 *          if (p->ended.tag > 0) hc_profile_compute(p, p->ended.tag, o->work, 0);
 *        }
 *        HC_PROFILE_END(p);
 *      }
 *
 *  A task has a *process* on each of its hosts, numbered from 0 in the order of the hosts; the cores that it
 *  holds there are the process's own. On a cell that counts processors each is a process with one core.
 *
 *  Between two waits no time passes. Variables that must outlive a wait are in the state; two waits do not
 *  stand on one line, and none inside a `switch`. Docs: docs/profiles.md. */
#ifndef HINDCAST_PROFILE_H
#define HINDCAST_PROFILE_H

#include "hindcast/component.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HC_PROFILE_STATE 64  /* bytes that an instance may remember */
#define HC_PROFILE_PATH 4096 /* bytes of the name of a file, or of a storage host */
#define HC_PROFILE_LABEL 96  /* bytes of the label of a part */
#define HC_NO_ACT UINT64_C(0)
#define HC_EACH_PROCESS UINT32_MAX

/** How an activity ended. */
typedef enum hc_act_end {
  HC_ACT_OK,        /* its work is done */
  HC_ACT_FAILED,    /* it could not be done, or a profile said so */
  HC_ACT_CANCELLED, /* it was stopped by what started it */
  HC_ACT_TIMED_OUT  /* not an activity: the time of HC_WAIT_ANY_FOR or HC_WAIT_ALL_FOR is over */
} hc_act_end;

/** A handle of an activity that was started; never reused. */
typedef uint64_t hc_act;

typedef struct hc_profile hc_profile;

/** A read or a write on a disk. */
typedef struct hc_io {
  double bytes;
  double factor; /* of its share of the bandwidth: 0.5 takes twice as long; 0: 1 */
  bool is_write;
} hc_io;

typedef enum hc_file_does { HC_FILE_READS, HC_FILE_WRITES, HC_FILE_DELETES } hc_file_does;

/** Something done with a file, on what is mounted on a process's host. A path that ends with a slash is no
 *  file: what is written there takes space as on a disk, until its task ends. In a path {task} and {process}
 *  stand for their numbers. */
typedef struct hc_file_io {
  const char *path;
  double bytes;  /* read: below 0: all of it */
  double factor; /* as hc_io.factor */
  hc_file_does does;
} hc_file_io;

/** A message of a pattern: from one process to another. */
typedef struct hc_message {
  uint32_t from, to;
  double bytes;
} hc_message;
/** Message number `i` of a pattern. @return false: there is none of this number, but there may be of others
 *  */
typedef bool (*hc_message_of)(const void *ctx, uint64_t i, hc_message *out);

/** What a profile may call. Each activity has a tag, which is the profile's own to tell them apart. A call
 *  that cannot be carried out (out of memory, too many activities, no network) ends the run when the profile
 *  waits or ends, with the reason: profiles need not look.
 *  @return the activity's handle, or HC_NO_ACT */
typedef struct hc_profile_calls {
  uint32_t size, abi;
  /** Nothing, for so long. */
  hc_act (*sleep)(hc_profile *p, hc_time time, uint32_t tag);
  /** So much work on a process, at the speed of its host x its cores; what it computes at once shares these
   *  evenly. */
  hc_act (*compute)(hc_profile *p, uint32_t process, double work, uint32_t tag);
  /** The same on each process at once; it ends when the last has. Only for a type with is_uniform. */
  hc_act (*compute_all)(hc_profile *p, double work, uint32_t tag);
  /** So many bytes from one process to another, over the run's network; to itself: through its loopback. */
  hc_act (*transfer)(hc_profile *p, uint32_t from, uint32_t to, double bytes, uint32_t tag);
  /** The same from, or to, a host outside the task, by its number in the cell. */
  hc_act (*receive)(hc_profile *p, uint32_t host, uint32_t to, double bytes, uint32_t tag);
  hc_act (*send)(hc_profile *p, uint32_t from, uint32_t host, double bytes, uint32_t tag);
  /** Work on every process and bytes between them that progress at one rate (a parallel task).
   *  @param work [processes], may be NULL @param bytes [processes][processes], row to column, may be NULL */
  hc_act (*together)(hc_profile *p, const double *work, const double *bytes, uint32_t tag);
  /** The same where all processes are alike: so much work on each, so many bytes from each to each other. */
  hc_act (*alike)(hc_profile *p, double work, double bytes, uint32_t tag);
  /** So many bytes from or to the disk of a process's host (execution.disks). It fails at once where there is
   *  too little room; a host without a disk ends the run. */
  hc_act (*read)(hc_profile *p, uint32_t process, double bytes, uint32_t tag);
  hc_act (*write)(hc_profile *p, uint32_t process, double bytes, uint32_t tag);
  /** Another profile, on the same processes, as an activity: a parameter of kind profile. */
  hc_act (*child)(hc_profile *p, const hc_chosen *profile, uint32_t tag);
  /** Stop an activity, and what it started. One that has ended: nothing. */
  void (*cancel)(hc_profile *p, hc_act act);
  /** A process does no more: what it does is cancelled, and what is started on it later fails. What the task
   *  holds on its host it gives back when it ends. */
  void (*release)(hc_profile *p, uint32_t process);
  /** The next wait lasts no longer than this. */
  void (*within)(hc_profile *p, hc_time time);
  /** Virtual time, ns since the run's origin. */
  hc_time (*now)(const hc_profile *p);
  /** It is wrong: the run ends with this reason, "task 17: ...". */
  void (*fail)(hc_profile *p, hc_rc rc, const char *text);
  /** A read or a write with all that there is to say of it. */
  hc_act (*io)(hc_profile *p, uint32_t process, const hc_io *io, uint32_t tag);
  /** Of what the task has written on a process's host so many bytes are there no more, at once.
   *  @return false: it has not written so many, and nothing has changed */
  bool (*discard)(hc_profile *p, uint32_t process, double bytes);
  /** A parallel task without work: so many bytes from a storage host to each process, and from each to it.
   *  @param storage its name; NULL, or a name that no host has: the only host of the cell without cores */
  hc_act (*exchange)(hc_profile *p, const char *storage, double to_each, double from_each, uint32_t tag);
  /** The same between two storage hosts, without the processes. */
  hc_act (*stage)(hc_profile *p, const char *from, const char *to, double bytes, uint32_t tag);
  /** Messages that progress at one rate, as one activity: a parallel task without work, of which only the
   *  messages that there are are told. @param of asked for 0 to count - 1, before this returns */
  hc_act (*messages)(hc_profile *p, hc_message_of of, const void *ctx, uint64_t count, uint32_t tag);
  /** Read a file, append to it (it is made if there is none), or delete it (at once). It fails where there is
   *  no such file, or not so many bytes, or no room, or where it is deleted while something reads or writes
   *  it; a host on which nothing is mounted there ends the run. */
  hc_act (*file)(hc_profile *p, uint32_t process, const hc_file_io *io, uint32_t tag);
  /** How long a file is now, bytes. @return below 0: there is none */
  double (*file_size)(hc_profile *p, uint32_t process, const char *path);
  /** Of a profile with a stack: it waits here. @param all  for all of its activities, or for the next */
  void (*wait)(hc_profile *p, bool all);
  /** Work on a process, or on each at once (HC_EACH_PROCESS), that its cores speed up by a law: a parameter
   *  of kind HC_KIND_SPEEDUP. */
  hc_act (*compute_by)(hc_profile *p, uint32_t process, double work, const hc_chosen *speedup, uint32_t tag);
  /** One parallel task of all that these do, a parameter of its own that is a list of profiles, each of a
   * type that `joins`: what they take of links is added up, and all of it progresses at one rate. One at
   * most computes. */
  hc_act (*coupled)(hc_profile *p, const hc_list *profiles, uint32_t tag);
  /** A computation, which has just begun, keeps this share of its host's cores busy, whole cores and one at
   *  least, in place of those of its process: for what is counted, not for how long it takes. Since 0.3 */
  void (*keeps_busy)(hc_profile *p, hc_act act, double share);
  /** A scheduling point: nothing else of its task goes on. It ends when the scheduler lets the task go on,
   *  which may have other hosts then: `processes` is told anew, those that it keeps come first, in the order
   *  that they had.
   *  @param wants so many processes it asks for (an evolving request); 0: it asks for nothing */
  hc_act (*point)(hc_profile *p, int64_t wants, uint32_t tag);
  /** Of the processes that it has now, so many it had before the last point as well: they have the first
   *  numbers. */
  uint32_t (*kept)(const hc_profile *p);
  /** What is started from now on is about the processes from this number on alone, which count from 0; 0:
   *  about all of them. Expressions see as many hosts. */
  void (*only_from)(hc_profile *p, uint32_t process);
  /** As `messages`, with work on the processes at the same rate: a parallel task.
   *  @param work of a process, asked for 0 to processes - 1 before this returns; NULL: none */
  hc_act (*joined)(hc_profile *p, double (*work)(const void *ctx, uint32_t process), hc_message_of of,
                   const void *ctx, uint64_t count, uint32_t tag);
  /** So much work on so many GPUs of a process's host at once, each as fast as execution.gpu_speed says. It
   *  is theirs alone: what a process computes on GPUs at once is on others. Since 0.3 */
  hc_act (*gpus)(hc_profile *p, uint32_t process, double gpus, double work, uint32_t tag);
} hc_profile_calls;

/** An instance, as its function sees it. */
struct hc_profile {
  const hc_profile_calls *calls;
  const void *options; /* filled from its table of parameters */
  void *state;         /* [state_size] zero at the beginning */
  uint32_t processes;
  uint32_t active;   /* of its activities: those whose end it has not been told */
  uint32_t failures; /* ends that were not ok, of those that it was told; it may set it back */
  bool timed_out;    /* the last wait ended for its time */
  struct {           /* behind HC_WAIT_ANY: which one */
    hc_act act;
    uint32_t tag;
    hc_act_end how;
  } ended;
  /* the macros' own */
  uint32_t line;  /* where it goes on */
  bool waits_all; /* or for any */
  /* the model's own */
  void *model;
  uint32_t instance, running;
  /** The number of the round, which parts that it starts then are told (`iteration` in expressions); until it
   *  sets another, that of the profile above. */
  uint64_t iteration;
  void *fiber; /* the model's own: of one with a stack */
};

/** What `resume` returns: it waits, or it is over. Below 0: an error of the run. */
enum { HC_PROFILE_WAITS = 0, HC_PROFILE_OK = 1, HC_PROFILE_FAILED = 2 };

/** What a profile adds to a parallel task of several: work, and bytes between processes, or (`is_outside`)
 * from and to a storage host. Zeroed: nothing. */
typedef struct hc_profile_joins {
  const double *work;  /* [processes]; NULL: `each` on all */
  const double *bytes; /* [processes][processes]; NULL: `between` each two */
  double each, between;
  bool is_outside;
  const char *storage, *target;    /* target: bytes go there from `storage`, and not to processes; NULL */
  double from_storage, to_storage; /* to each process, or to the target; from each process */
} hc_profile_joins;

typedef struct hc_profile_type {
  hc_component component;
  uint32_t state_size; /* at most HC_PROFILE_STATE */
  /** It treats all processes alike (compute_all and sleep, children with the same): then one clock serves
   *  them all, whatever their number. Else it may name processes. */
  bool is_uniform;
  /** Can it run on so many processes? NULL: on any number. @return 0; HC_EINPUT or HC_EUNSUPPORTED with the
   *  reason in e->text. */
  hc_rc (*check)(const void *options, uint32_t processes, hc_error *e);
  /** Begin, or go on. @return HC_PROFILE_WAITS, OK or FAILED, or an error */
  hc_rc (*resume)(hc_profile *p);
  /** Bytes of a stack of its own, at least 16 KiB; 0: it has none. With one `resume` is called once, and
   *  waits by hc_fiber_wait_any and _all, in whatever function or loop; `state` is not its to use, and `p`
   *  stays where it is. It owns nothing but what stands on its stack, which goes without a word when it is
   *  stopped. While one goes on its run cannot be saved, forked or branched. @return OK or FAILED;
   *  HC_PROFILE_WAITS: by p->failures; or an error */
  uint32_t stack_size;
  /** What a name of storage (of a host, or the path of a file) means to its parts, however deep: itself, or a
   *  text that lies in `room` [HC_PROFILE_PATH] or in the options. NULL: what it says. @return NULL: what it
   *  means is too long for the room, which ends the run */
  const char *(*storage)(const void *options, const char *name, char *room);
  /** What it is as a part of a parallel task (hc_profile_calls.coupled). NULL: it is none.
   *  @param out zeroed; what it points to are the options' */
  void (*joins)(const void *options, uint32_t processes, hc_profile_joins *out);
  /** Under which label its times on hosts are told to metrics that ask for them; where one asks, each process
   *  of such a task has a clock of its own (is_uniform). NULL: they are not told. @return at most
   *  HC_PROFILE_LABEL - 1 bytes count, "" is a label too. Since 0.3 */
  const char *(*label)(const void *options);
  /** Of one with is_uniform: does it, with these options, have some processes do what others do not? Then
   *  they have clocks of their own where hosts differ in speed. NULL: it does not. Since 0.3 */
  bool (*is_uneven)(const void *options);
} hc_profile_type;

/* ---- straight code ---- */

#define HC_PROFILE_BEGIN(p) \
  switch ((p)->line) { \
    case 0:
/** Until the next of its activities ends: p->ended says which. Only where p->active > 0. */
#define HC_WAIT_ANY(p) \
  do { \
    (p)->line = __LINE__; \
    (p)->waits_all = false; \
    return HC_PROFILE_WAITS; \
    case __LINE__:; \
  } while (0)
/** Until all of them have: p->failures counts those that did not end well. */
#define HC_WAIT_ALL(p) \
  do { \
    if ((p)->active == 0) break; \
    (p)->line = __LINE__; \
    (p)->waits_all = true; \
    return HC_PROFILE_WAITS; \
    case __LINE__:; \
  } while (0)
/** The same, for so long at most: p->timed_out says whether that was it. What goes on goes on. */
#define HC_WAIT_ANY_FOR(p, time) \
  do { \
    (p)->calls->within((p), (time)); \
    (p)->line = __LINE__; \
    (p)->waits_all = false; \
    return HC_PROFILE_WAITS; \
    case __LINE__:; \
  } while (0)
#define HC_WAIT_ALL_FOR(p, time) \
  do { \
    if ((p)->active == 0) break; \
    (p)->calls->within((p), (time)); \
    (p)->line = __LINE__; \
    (p)->waits_all = true; \
    return HC_PROFILE_WAITS; \
    case __LINE__:; \
  } while (0)
/** It is over: what is still going on is cancelled. It has failed if an activity has, and p->failures was not
 *  set back. */
#define HC_PROFILE_END(p) \
  break; \
  default: break; \
    } \
    return (p)->failures > 0 ? HC_PROFILE_FAILED : HC_PROFILE_OK

/* ---- with a stack of its own ---- */

/** Until the next of its activities ends, which p->ended says; or all have. Where none goes on they return at
 *  once. */
static inline void hc_fiber_wait_any(hc_profile *p)
{
  if (p->active > 0) p->calls->wait(p, false);
}
static inline void hc_fiber_wait_all(hc_profile *p)
{
  if (p->active > 0) p->calls->wait(p, true);
}
/** The same, for so long at most: p->timed_out says whether that was it. */
static inline void hc_fiber_wait_any_for(hc_profile *p, hc_time time)
{
  p->timed_out = false;
  if (p->active == 0) return;
  p->calls->within(p, time);
  p->calls->wait(p, false);
}
static inline void hc_fiber_wait_all_for(hc_profile *p, hc_time time)
{
  p->timed_out = false;
  if (p->active == 0) return;
  p->calls->within(p, time);
  p->calls->wait(p, true);
}

static inline hc_act hc_profile_sleep(hc_profile *p, hc_time time, uint32_t tag)
{
  return p->calls->sleep(p, time, tag);
}
static inline hc_act hc_profile_compute(hc_profile *p, uint32_t process, double work, uint32_t tag)
{
  return p->calls->compute(p, process, work, tag);
}
static inline hc_act hc_profile_compute_all(hc_profile *p, double work, uint32_t tag)
{
  return p->calls->compute_all(p, work, tag);
}
static inline hc_act hc_profile_compute_by(hc_profile *p, uint32_t process, double work,
                                           const hc_chosen *speedup, uint32_t tag)
{
  return p->calls->compute_by(p, process, work, speedup, tag);
}
static inline void hc_profile_keeps_busy(hc_profile *p, hc_act act, double share)
{
  p->calls->keeps_busy(p, act, share);
}
static inline hc_act hc_profile_transfer(hc_profile *p, uint32_t from, uint32_t to, double bytes,
                                         uint32_t tag)
{
  return p->calls->transfer(p, from, to, bytes, tag);
}
static inline hc_act hc_profile_start(hc_profile *p, const hc_chosen *profile, uint32_t tag)
{
  return p->calls->child(p, profile, tag);
}
/** All that a profile resumes that is another one, and says something about it: it is over as that is.
 *  @param within  its type may be NULL: nothing is done. Since 0.3 */
static inline hc_rc hc_profile_do(hc_profile *p, const hc_chosen *within)
{
  HC_PROFILE_BEGIN(p);
  if (within->type) (void)hc_profile_start(p, within, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

#ifdef __cplusplus
}
#endif
#endif
