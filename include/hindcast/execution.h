/** @file execution.h Execution: how long things take. In which size a moldable task starts: mold.h. */
#ifndef HINDCAST_EXECUTION_H
#define HINDCAST_EXECUTION_H

#include "hindcast/activity.h"
#include "hindcast/component.h"
#include "hindcast/figure.h"
#include "hindcast/lexicon.h"
#include "hindcast/mold.h"
#include "hindcast/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- laws of speed-up: how much faster on more cores ---- */

/** How many times as fast as on one core a process computes on the cores that it holds. The law belongs to
 *  the computation: a process of a task may do one that scales and then one that does not. */
typedef struct hc_speedup_type {
  hc_component component;
  /** @param cores at least 1, not always whole @return more than 0, finite; 1 on one core, by nature */
  double (*speedup)(const void *options, double cores);
  /** What no range of a parameter can say: asked once, where the law is read. NULL: nothing.
   *  @return 0; HC_EUSAGE with the reason. Since 0.3 */
  hc_rc (*check)(const void *options, hc_error *e);
} hc_speedup_type;

/** On less than one core it is that part of what one does, under each law. Without a law it is linear. */
static inline double hc_speedup(const hc_chosen *law, double cores)
{
  if (!law || !law->type) return cores;
  const hc_speedup_type *type = (const hc_speedup_type *)law->type;
  return cores < 1 ? cores * type->speedup(law->options, 1) : type->speedup(law->options, cores);
}

/* ---- checkpoints ---- */

/** What every rule of checkpoints is told. Times in ns. */
typedef struct hc_checkpoint_options {
  hc_time mtbf;        /* of a host; HC_UNKNOWN where the rule has no such parameter */
  hc_time write, read; /* what one costs, beside its bytes; `read` HC_UNKNOWN: as much as `write` */
  int64_t size;        /* bytes of one, for each slot */
  double memory;       /* the same as a share of the memory that a slot asks for */
  int64_t bandwidth;   /* bytes per s at which a task writes and reads them */
  int64_t global_each; /* 1: each checkpoint is global; n: each n-th; 0: none */
  hc_time local_write, local_read;
  double local_survives; /* chance that local ones are still there when a host of the task is lost */
  const char *store, *local_store; /* under `execution`: where bytes go, a path or "disk"; NULL: nowhere.
                                      Since 0.3 */
} hc_checkpoint_options;

/** How long tasks work between two checkpoints. */
typedef struct hc_checkpoint_type {
  hc_component component; /* its options begin with an hc_checkpoint_options */
  /** @param cost s that writing one takes, on average over local and global ones, more than 0
   *  @param mtbf s between failures of the task, more than 0; HUGE_VAL if the options do not say
   *  @return s of work, more than 0; not so: the options say too little. Deterministic, O(1). Since 0.3 */
  double (*every)(const void *options, double cost, double mtbf);
} hc_checkpoint_type;

#define HC_CHECKPOINT_MTBF_PARAM(options) \
  HC_PARAM_AS(TIME, "mtbf", options, all.mtbf, "s", NULL, 1e-9, 1e10, \
              "Mean time between failures of one host. A task on n hosts fails n times as often. Required.")
#define HC_CHECKPOINT_PARAMS(options) \
  HC_PARAM_AS(TIME, "write", options, all.write, "s", "0", 0, 1e9, \
              "Time to write a checkpoint, in addition to the time for its bytes."), \
      HC_PARAM_AS(TIME, "read", options, all.read, "s", NULL, 0, 1e9, \
                  "Time to read a checkpoint when a task goes on from it, in addition to the time for its " \
                  "bytes. Default: as `write`."), \
      HC_PARAM_AS(SIZE, "size", options, all.size, "B", "0", 0, 1e18, \
                  "Bytes of a checkpoint for each slot of the task, with `bandwidth` or `store`."), \
      HC_PARAM_AS(REAL, "memory", options, all.memory, "1", "0", 0, 10, \
                  "Bytes of a checkpoint for each slot, as a part of the memory that a slot asks for; they " \
                  "are added to `size`."), \
      HC_PARAM_AS( \
          SIZE, "bandwidth", options, all.bandwidth, "B/s", "0", 0, 1e18, \
          "Bandwidth at which a task writes and reads its checkpoints; tasks do not slow each other down. " \
          "0: bytes take no time."), \
      HC_PARAM_AS( \
          INT, "global_each", options, all.global_each, NULL, "1", 0, 1e6, \
          "Which checkpoints are global, and survive the loss of hosts. 1: all. n: each n-th; the others " \
          "are local to the task's hosts, and lost with any of them. 0: none; all are local, as those in " \
          "memory."), \
      HC_PARAM_AS(TIME, "local_write", options, all.local_write, "s", "0", 0, 1e9, \
                  "Time to write a local checkpoint."), \
      HC_PARAM_AS(TIME, "local_read", options, all.local_read, "s", "0", 0, 1e9, \
                  "Time to read a local checkpoint."), \
      HC_PARAM_AS( \
          REAL, "local_survives", options, all.local_survives, "1", "0", 0, 1, \
          "Probability that local checkpoints survive the loss of a host, as copies on partner hosts do."), \
      HC_PARAM_AS( \
          TEXT, "store", options, all.store, NULL, \
          "With `execution`: the store that the bytes of global checkpoints are written to and read from, " \
          "shared with all other transfers there: a path (/pfs), or disk, the store of what tasks read and " \
          "write without a path. Default: none, and bytes take the time that `bandwidth` says."), \
      HC_PARAM_AS(TEXT, "local_store", options, all.local_store, NULL, \
                  "The store of local checkpoints. Default: none, and their bytes take no time.")

/* ---- slowdowns: where a task runs decides how long it takes ---- */

/** A part of a task on one host; a host may have several. */
typedef struct hc_slowdown_part {
  uint32_t host, host_class, slots, gpus; /* gpus: of which it has all or a part */
} hc_slowdown_part;

/** What a task belongs to, as its source says: numbers, -1 where it does not. Names are the lexicon's. */
typedef struct hc_slowdown_task {
  int64_t user, group, executable, queue; /* executable: program, model, or job name */
} hc_slowdown_task;

/** What a slowdown is told at birth. Borrowed for its life, but `gpu_models`. */
typedef struct hc_slowdown_context {
  const hc_allocator *allocator;
  const struct hc_cell_spec *cell; /* of hosts */
  const char *const *gpu_models;   /* [cell->class_count] NULL: no GPUs; "": they have no model. The texts
                                      are borrowed for its life */
  hc_lexicon *lexicon; /* names of users, groups, executables, queues */
  int64_t (*number_of)(const char *name); /* of a name that a source only makes a number of */
} hc_slowdown_context;

/** Why a task takes longer, or less long, where it runs. Since 0.3. */
typedef struct hc_slowdown_type {
  hc_component component;
  /** @param out  what it keeps, freed by `fini`, also if it fails @return 0, HC_EUSAGE, HC_ENOMEM */
  hc_rc (*init)(const hc_slowdown_context *c, const void *options, void **out, hc_error *e);
  /** So many times as long does a task take on these, of all that it says at speed 1. More than 0, finite;
   *  the same for the same task whenever it is asked.
   *  @param parts [count], at least one, ascending by host. Deterministic, O(count) */
  double (*times)(const void *state, const hc_slowdown_task *task, const hc_slowdown_part *parts,
                  size_t count);
  /** The least that `times` can say of any task. More than 0. */
  double (*least)(const void *state);
  void (*fini)(const hc_allocator *a, void *state);
} hc_slowdown_type;

/* ---- models: how long things take ---- */

typedef struct hc_model hc_model; /* a model's state; each defines its own */
struct hc_book;                   /* how profiles are read: execution/book.h, for the models of this tree */
struct hc_cell_spec;              /* hindcast/cell.h */

/** What a host has, whatever it is promised to how many tasks. */
typedef struct hc_physical {
  int64_t cpu, memory; /* thousandths of cores, bytes */
} hc_physical;

/** What tasks on a host use now, and what those asked for: thousandths of cores, bytes. */
typedef struct hc_used {
  double cpu, memory, cpu_asked, memory_asked;
} hc_used;

/** What a model is made with. Borrowed for the run. */
typedef struct hc_model_context {
  const hc_allocator *allocator;
  uint32_t host_count;
  const double *speeds; /* [host_count] of the cell's hosts; 1: tasks run as long as their source says */
  const char *const *host_names;   /* [host_count]; on a cell that only counts: NULL, and host_count is 0 */
  uint32_t storage_host;           /* the only host without cores; UINT32_MAX: none, or several */
  const struct hc_book *book;      /* NULL where a test makes a model by itself */
  const struct hc_cell_spec *cell; /* of hosts; NULL: it counts, or a test makes a model by itself */
  const hc_physical *physical; /* [host_count] what hosts have, where more is promised; NULL: no more is */
  bool is_overrun;             /* of cores more is promised on some host */
} hc_model_context;

/** What a task has on one host. */
typedef struct hc_process {
  uint32_t host, slots;
  int64_t milli;  /* thousandths of cores that it holds there */
  int64_t memory; /* bytes */
} hc_process;

/** What expressions of profiles may name of a task. */
typedef struct hc_activity_facts {
  int64_t id, user;          /* HC_UNKNOWN: it has none, or it is not known */
  int64_t priority;          /* HC_UNKNOWN likewise */
  hc_time submit;            /* ns since the run's origin */
  int64_t memory, milli_gpu; /* on all hosts: bytes, thousandths of GPUs; HC_UNKNOWN likewise */
} hc_activity_facts;
/** A data item that a task makes. */
typedef struct hc_made_item {
  uint32_t item;
  uint32_t is_final; /* no task is known that reads it: it is to be delivered */
} hc_made_item;

/** How a task saves its work, as a model that carries that out is told. Times in ns. */
typedef struct hc_saving {
  hc_time every; /* that it works between two checkpoints, more than 0 */
  hc_time write, read, local_write, local_read; /* each takes so long, and then its bytes */
  double bytes;    /* of each slot, written to the store of its level; see hc_model_type.saves */
  uint64_t global; /* 1: each is global; n: each n-th; 0: none */
} hc_saving;
/** What a task has saved. Times in ns, of its attempt. */
typedef struct hc_work_saved {
  hc_time work;                  /* at speed 1, that a later attempt need not do again */
  hc_time worked, kept;          /* real time in which it worked; of that, what is saved */
  hc_time writing, kept_writing; /* checkpoints, all of them and up to the last that counts */
  hc_time reading;               /* the one that it began with */
} hc_work_saved;

/** What a task does from its start on. */
typedef struct hc_activity {
  uint32_t task;   /* hc_task: its name until it has ended, or `end` was called */
  uint64_t serial; /* for ties: the number of its task */
  hc_time length;  /* of its work: how long it takes by itself, at its own rate; HC_NEVER where `profile` says
                      what it does */
  int64_t units;   /* processors; on a cell of hosts: of its first dimension, in all */
  const hc_range
      *hosts; /* [host_count] where it runs, ascending; borrowed. On a cell that only counts: none */
  size_t host_count;
  const hc_process *processes; /* [process_count] one a host, in the order of its plan; borrowed. On a cell of
                                  processors none: each of its units is a process with one core */
  size_t process_count;
  const char *profile; /* [profile_size] what it does (hc_task_extras.profile), borrowed; NULL: no more than
                          that it lasts */
  size_t profile_size;
  const uint32_t
      *executors; /* [executor_count] with a profile: of each process its place in `processes`, which
                                several may share; borrowed. None: one each */
  size_t executor_count;
  hc_time limit;                  /* with a profile: it is ended when it has worked so long; HC_NEVER */
  const hc_activity_facts *facts; /* with a profile; borrowed; NULL: none is known */
  const hc_use_step *uses; /* [use_count] what each of its slots really uses, borrowed; told where hosts are
                              promised more than once */
  size_t use_count;
  const uint32_t *inputs; /* [input_count] items that it begins with, by their numbers; borrowed */
  size_t input_count;
  const hc_made_item *outputs; /* [output_count] items that it makes; borrowed */
  size_t output_count;
  const hc_saving *saving; /* borrowed; NULL: it writes no checkpoints. Since 0.3 */
} hc_activity;

/** How an activity ended. */
typedef enum hc_ended_how {
  HC_ENDED_DONE,   /* its work is done */
  HC_ENDED_LIMIT,  /* it had worked as long as it may */
  HC_ENDED_FAILED, /* its profile has failed */
  HC_ENDED_MEMORY, /* its host had too little memory for all that was on it */
  HC_ENDED_POINT   /* it has not ended: it is at a scheduling point, and waits until `go_on` is called */
} hc_ended_how;
typedef struct hc_ended {
  uint32_t task, how; /* hc_ended_how */
  int64_t wants;      /* POINT: so many processes it asks for; 0: it asks for nothing */
} hc_ended;

/** What a model is to measure, and who is told. */
typedef struct hc_measuring {
  void *ctx;
  /** The attempt of a task is over. @return 0, or an error that ends the run */
  hc_rc (*did)(void *ctx, const hc_did_record *r);
  bool alone; /* find out how long each task would have taken alone */
  /** So many more of a host's cores, and of its GPUs, compute from now on, in billionths
   *  (HC_CORE_COMPUTES); fewer: negative. At the model's time, which is the run's. @param host of the cell;
   *  HC_NO_HOST: processors that are only counted. @return 0, or an error that ends the run. NULL: it is not
   *  asked. Since 0.3 */
  hc_rc (*computes)(void *ctx, uint32_t host, int64_t more, int64_t more_gpus);
  /** A labelled part of a profile is over. @return as `did`. NULL: it is not asked. Since 0.3 */
  hc_rc (*labelled)(void *ctx, const hc_labelled_record *r);
} hc_measuring;
/** Data items of tasks, as a model that has them is told, by numbers that the engine gives. */
typedef struct hc_data_calls {
  /** There is one. @param is_given it lies on the storage host; else a task makes it
   *  @return 0; HC_EUSAGE, HC_EUNSUPPORTED with the reason; HC_ENOMEM */
  hc_rc (*add)(hc_model *self, hc_time now, uint32_t item, int64_t bytes, bool is_given, hc_error *e);
  /** No task needs it any more. */
  hc_rc (*drop)(hc_model *self, hc_time now, uint32_t item);
  /** Bring it to a host of the cell: at once, or when it has been made. */
  hc_rc (*fetch)(hc_model *self, hc_time now, uint32_t item, uint32_t host, hc_error *e);
  /** The host where it lies since it was made, or given; UINT32_MAX: it is not made yet. */
  uint32_t (*where)(const hc_model *self, uint32_t item);
  /** Seconds that bytes take from one host to another, alone. @return INFINITY: no way leads there */
  double (*takes)(hc_model *self, uint32_t from, uint32_t to, double bytes);
  uint32_t (*storage)(const hc_model *self); /* the storage host; UINT32_MAX: there is none */
} hc_data_calls;

/** How long running tasks take that share something. Without a model each is a fixed delay, whose end is
 *  one event.
 *
 *  Calls come in order of time, and `now` is never before an end that `next` said: then `advance` comes
 *  first. An activity ends at the first whole ns at which its work is done. What a scheduler believes of a
 *  task is not the model's: its estimate stands, and a task that contention makes outlive it is overdue.
 *  Limits count work. How fast hosts are is the model's business where it is told of profiles: lengths are
 *  those of speed 1. Functions that can fail return HC_ENOMEM, and those that have `e` may say more. None may
 *  depend on anything but the calls before it. */
typedef struct hc_model_type {
  hc_component component;
  bool takes_profiles; /* sources keep what tasks do; else they give its length */
  /** Work that a core of speed 1 does in a second: for lengths of profiles that are alone. NULL: 1000. */
  double (*cpu_speed)(const void *options);
  hc_rc (*init)(const hc_model_context *c, const void *options, hc_model **out, hc_error *e);
  void (*fini)(hc_model *self);
  /** It starts, at HC_RATE_ONE. @return 0; HC_EINPUT, HC_EUNSUPPORTED, HC_ELIMIT: it cannot run there, with
   *  the reason in `e`, which ends the run */
  hc_rc (*begin)(hc_model *self, hc_time now, const hc_activity *a, hc_error *e);
  /** A plan lets it go on at another rate, of HC_RATE_ONE; 0 while it is suspended. The model's own
   *  slowing comes on top. @return 0; HC_EUNSUPPORTED: it knows no such rate, with the reason */
  hc_rc (*change)(hc_model *self, hc_time now, uint32_t task, int64_t rate, hc_error *e);
  /** It is stopped, and forgotten. */
  hc_rc (*end)(hc_model *self, hc_time now, uint32_t task);
  /** How much of its length has been done by now, in whole ns, rounded down; of a profile, how long it has
   *  worked. */
  hc_time (*done)(const hc_model *self, hc_time now, uint32_t task);
  /** When the first activity ends, or a model has something else to do, if nothing changes before; HC_NEVER:
   *  never. */
  hc_time (*next)(hc_model *self);
  /** Called at that time until it returns 0. @param ended out: one that ends now, and is forgotten, in any
   * order. @return 1; 0: no other; an error, with the
   * reason in `e`, and in `ended` the task whose doing it is, if it is one's */
  hc_rc (*advance)(hc_model *self, hc_time now, hc_ended *ended, hc_error *e);
  hc_rc (*visit)(hc_model *self, hc_visitor *v);
  /** Can it be saved now, and not only hashed? NULL: always. @return 0; HC_EUNSUPPORTED with the reason */
  hc_rc (*may_save)(const hc_model *self, hc_error *e);
  /** From the beginning of the run on say what tasks do and use. NULL: it cannot. With `look` and
   *  `visit_measured`. @return 0, HC_ENOMEM, or an error as of `init` */
  hc_rc (*measure)(hc_model *self, const hc_measuring *m, hc_error *e);
  /** What has been used until a time that is not after the next end, nor before that of an earlier call. */
  hc_rc (*look)(hc_model *self, hc_time at, hc_use_look *out);
  /** State of what is measured, which is no part of `visit`. */
  hc_rc (*visit_measured)(hc_model *self, hc_visitor *v);
  /** What a running task is about now, in words, one call for each thing that it waits for. NULL: it cannot
   *  say. */
  hc_rc (*explain)(hc_model *self, hc_time now, uint32_t task, void (*say)(void *ctx, const char *text),
                   void *ctx);
  /** The network that a run with these options has (HC_KIND_NETWORK). NULL, or without a type: none. */
  const hc_chosen *(*network)(const void *options);
  /** What flows take of a link of it now, of its bandwidth: 0 to 1. NULL: it cannot say. */
  hc_rc (*link_load)(hc_model *self, hc_time now, uint32_t link, double *out);
  /** Of which resources hosts are promised more than they have, as "cpu=2" or "fat: memory=1.2". NULL, or
   *  none: of no resource. */
  const hc_list *(*overcommit)(const void *options);
  /** May a task start where it fits by what is really used in place of what was asked for, and up to which
   *  part of what hosts have? 0, or NULL: no. */
  double (*admits_up_to)(const void *options);
  void (*used)(const hc_model *self, uint32_t host, hc_used *out);
  /** The run is over: say what was counted (component.figures). NULL: nothing. */
  hc_rc (*finish)(hc_model *self, hc_findings *f);
  const hc_data_calls *data; /* NULL: it knows no items, and they only order tasks */
  /** A task that is at a scheduling point goes on. NULL: it knows none.
   *  @param a  processes of the hosts that it has from now on, and their facts; NULL: the same as before
   *  @return 0; HC_EUNSUPPORTED: it cannot have others, HC_EINPUT: not so many; with the reason */
  hc_rc (*go_on)(hc_model *self, hc_time now, uint32_t task, const hc_activity *a, hc_error *e);
  /** W that all links of its network draw together when they carry nothing, and all of its switches.
   *  @return false: nothing is said of what they draw. NULL: as false. Since 0.3. */
  bool (*network_draws)(const hc_model *self, double *links, double *switches);
  /** From the beginning of the run on tasks may write checkpoints (hc_activity.saving): one that begins
   *  again goes on from the last that it has, once it has read it. NULL: it knows none. With the three that
   *  follow.
   *  @param store, local_store  where the bytes of global and local ones go: a path, or "disk"; NULL: they
   *  take no time @return 0; HC_EUNSUPPORTED, HC_EUSAGE with the reason; HC_ENOMEM. Since 0.3 */
  hc_rc (*saves)(hc_model *self, const char *store, const char *local_store, hc_error *e);
  /** Seconds that the bytes of a checkpoint take where nothing else is written: those on the disk, or the
   *  link, that takes longest. @param bytes  of each slot
   *  @return 0; HC_EUNSUPPORTED: there is no such store; HC_ENOMEM */
  hc_rc (*save_takes)(hc_model *self, const hc_activity *a, double bytes, bool is_local, double *seconds,
                      hc_error *e);
  /** What a running task has saved. @param locals do local checkpoints count? */
  void (*saved)(const hc_model *self, hc_time now, uint32_t task, bool locals, hc_work_saved *out);
  /** The local checkpoints of a task are lost, or all that it has. */
  void (*lose)(hc_model *self, uint32_t task, bool all);
} hc_model_type;

#ifdef __cplusplus
}
#endif
#endif
