/* running.h -- what goes on in running tasks: their processes, the instances of their profiles, and the
 * activities that these have started. See running.c, acts.c and instances.c. */
#ifndef HC_EXECUTION_RUNNING_H
#define HC_EXECUTION_RUNNING_H

#include "execution/book.h"
#include "execution/contention.h"
#include "execution/disk.h"
#include "execution/flows.h"
#include "hindcast/execution.h"
#include "kernel/queue.h"

#define HC_NO_ONE UINT32_MAX
#define HC_OVER_HELD 0x100u /* of hc_ended.how */

/* What a task has on one host. */
typedef struct hc_place {
  uint32_t host; /* HC_NO_ONE: a processor that is only counted */
  uint32_t is_released;
  double rate; /* work of all of its cores in a ns */
  double cores;
  uint32_t slots, resident; /* of a host whose cores are promised more than once; HC_NO_ONE */
  uint32_t leases;          /* what the task has written from here, a chain of storage.leases; HC_NO_ONE */
  uint32_t padding;
} hc_place;

/* A clock that computations on one process share: it goes on by `share` in a ns where one computes, by
 * share / n where n do, and a computation is done when it has gone on by what that one would take alone. */
typedef struct hc_meter {
  double at;    /* ns that each has had, up to `since` */
  double share; /* 1, but where others use the same cores */
  hc_time since;
  uint32_t first, last, count; /* computations, by the time at which they are done */
  uint32_t timed;              /* whose event stands for the meter; HC_NO_ONE */
} hc_meter;

typedef enum hc_doing_kind {
  HC_DOING_NOTHING, /* a free place */
  HC_DOING_SLEEP,
  HC_DOING_COMPUTE,
  HC_DOING_FLOW,
  HC_DOING_CHILD,   /* another profile */
  HC_DOING_GROUP,   /* a computation on each process: it ends with the last of its members */
  HC_DOING_LIMIT,   /* the task's: it is ended then */
  HC_DOING_TIMEOUT, /* of a wait */
  HC_DOING_DISK,    /* a read or a write */
  HC_DOING_FILE,    /* the same, of a file of storage.files */
  HC_DOING_SPREAD,  /* a read or a write on several disks, or over the network: it ends with its members */
  HC_DOING_POINT,   /* a scheduling point, until the scheduler lets the task go on */
  HC_DOING_GPUS,    /* a computation on GPUs of a process's host */
  HC_DOING_SAVE     /* the time until its task writes a checkpoint */
} hc_doing_kind;

/* An activity of a task. */
typedef struct hc_doing {
  uint64_t born;
  hc_time at; /* of its event; while its task is suspended, what is left until then; HC_NEVER: it has none */
  double done_at; /* COMPUTE: of its meter */
  hc_fluid_id flow;
  uint32_t running, owner;                   /* instance; HC_NO_ONE: the task itself */
  uint32_t before, after;                    /* in the chain of its task */
  uint32_t meter_before, meter_after, meter; /* meter: DISK, GPUS: its process */
  uint32_t tag;
  uint32_t of;   /* CHILD: its instance; a member of a group: the group; GROUP, SPREAD: how many still go on;
                    DISK, FILE: its operation */
  uint32_t kind; /* hc_doing_kind */
  uint32_t spread; /* of a member of a SPREAD: that; its members are a chain by meter_before and meter_after,
                      of which the SPREAD's meter_after is the first; HC_NO_ONE */
  uint32_t disk;   /* DISK, FILE */
} hc_doing;

/* A profile that goes on: what its function remembers. */
typedef struct hc_instance {
  uint64_t born;         /* 0: a free place */
  uint32_t running, act; /* that it is to the instance above; HC_NO_ONE: the task's own */
  uint32_t part;         /* of its script */
  uint32_t line, active, failures;
  uint32_t waits_all, timer; /* TIMEOUT of its wait; HC_NO_ONE */
  uint64_t iteration;        /* of the profile above when it started this one */
  uint64_t state[HC_PROFILE_STATE / sizeof(uint64_t)];
} hc_instance;

/* Where a task stands with its items. */
typedef enum hc_stage {
  HC_STAGE_DOING,    /* its profile goes on */
  HC_STAGE_FETCHING, /* items that it reads are on their way */
  HC_STAGE_READY,    /* they are there, and it is suspended */
  HC_STAGE_STORING   /* items that it made are delivered */
} hc_stage;

/* A task that runs. */
typedef struct hc_running {
  uint64_t serial, stamp; /* stamp: of this attempt, in items that it waits for */
  hc_time lasts;          /* without a profile: so long it takes, on the slowest of its hosts */
  hc_time since, worked;  /* suspended: since is HC_NEVER */
  hc_meter meter;         /* of its process, or of the slowest where all are treated alike */
  hc_place place;
  hc_meter *meters; /* [place_count] if it is not is_one; else NULL */
  hc_place *places;
  uint32_t *executors; /* [executor_count] the place of each process; NULL: its own */
  hc_use_step *uses;   /* [use_count] while hosts are promised more than once */
  double length;       /* then, of a task without a profile: its own progress, ns */
  uint64_t began;      /* in the order of starts */
  int64_t id;          /* the task's number; HC_UNKNOWN */
  double *values;      /* [HC_VARIABLES] that expressions of its script name; NULL: it has none */
  uint32_t use_count, use_at;
  uint32_t was_slowed, executor_count;
  uint32_t task; /* hc_task; HC_NO_ONE: a free place, the next in `root` */
  uint32_t root, script;
  uint32_t acts, act_count; /* chain */
  uint32_t place_count;
  uint32_t is_one;         /* one clock serves all of its processes */
  uint32_t stage;          /* hc_stage */
  uint32_t missing, makes; /* items that it waits for; chain of those that it makes */
  uint32_t point;          /* the activity that is its scheduling point; HC_NO_ONE: it is at none */
  uint32_t kept;           /* places that it had before the last one and has since */
  uint32_t first;          /* of the places that what it starts now is about; 0: all */
  uint32_t padding;
} hc_running;

/* Something happened to an instance that waits; or it begins. */
typedef struct hc_ready {
  uint64_t born; /* of the instance */
  hc_act act;
  uint32_t instance, tag;
  uint32_t how; /* hc_act_end */
  uint32_t begins;
  uint32_t ordinal, padding; /* of the activity, where its task writes checkpoints */
} hc_ready;

/* A disk of a store. */
typedef struct hc_shelf_disk {
  uint32_t disk, host; /* host: whose it is; HC_NO_ONE: it is reached without the network */
} hc_shelf_disk;

/* What can be read and written under one name: disks over which bytes are spread. */
typedef struct hc_shelf {
  const char
      *mount; /* [mount_size] without a slash at its end; NULL: what is read and written without a path */
  uint32_t mount_size;
  uint32_t first, count; /* of its disks, in storage.parts */
  uint32_t stripes;      /* disks of one operation */
  uint32_t is_kept;      /* what is written stays when its task has ended */
  uint32_t is_one_rate;  /* bytes go through a disk and the links to it as one flow */
  uint32_t is_wide;      /* an operation is spread over the disks there of all hosts of its task */
} hc_shelf;

/* A store of a host, and the next one of that host. */
typedef struct hc_shelf_of {
  uint32_t store, next;
} hc_shelf_of;

/* Bytes on a disk that are a task's: what it has written and is no file. */
typedef struct hc_lease {
  double bytes;
  uint32_t disk, next; /* of its place; of those that are free */
  uint32_t is_kept, padding;
} hc_lease;

/* What hosts read from and write to. All but disks, files and leases is as it was made. */
typedef struct hc_storage {
  hc_disks *disks; /* NULL: there is nothing */
  struct hc_filesystem
      *files; /* of all disks, by the number of the disk: "/17/path"; NULL: no store has a path */
  hc_arena arena;
  hc_shelf *stores;
  size_t store_count, store_cap;
  hc_shelf_disk *parts;
  size_t part_count, part_cap;
  hc_shelf_of *chain;
  size_t chain_count, chain_cap;
  uint32_t *of; /* [host_count] first of its stores in `chain`; HC_NO_ONE */
  hc_lease *leases;
  size_t lease_count, lease_cap;
  uint32_t vacant_lease;
} hc_storage;

/* Data items: data.c. */
typedef struct hc_stock {
  int64_t bytes;
  uint32_t origin; /* host where it was made or given; HC_NO_ONE: not yet */
  uint32_t copies; /* chain */
} hc_stock;
typedef enum hc_copy_state { HC_COPY_WANTED, HC_COPY_COMING, HC_COPY_THERE } hc_copy_state;
typedef struct hc_copy { /* of an item, on a host */
  uint32_t item, host, next;
  uint32_t state;   /* hc_copy_state */
  uint32_t waiters; /* chain of hc_want */
  uint32_t act;     /* COMING */
} hc_copy;
typedef struct hc_want { /* a task waits for a copy, or makes an item */
  uint64_t stamp;
  uint32_t running, item, next, is_final;
} hc_want;
typedef struct hc_data {
  hc_stock *stocks; /* by the engine's numbers */
  size_t stock_count, stock_cap;
  hc_copy *copies;
  size_t copy_count, copy_cap;
  hc_want *wants;
  size_t want_count, want_cap;
  uint32_t vacant_copy, vacant_want;
  uint32_t carrier;        /* place in `running` whose activities are the transfers; HC_NO_ONE */
  uint32_t storage, relay; /* hosts; relay: all goes over it; HC_NO_ONE */
} hc_data;

/* All that goes on. */
typedef struct hc_doings {
  const hc_allocator *allocator;
  const hc_book *book;
  hc_scripts scripts;
  double speed;                  /* work that a core of speed 1 does in a ns */
  double gpu_speed;              /* the same of a GPU; 0: none does any */
  int64_t most;                  /* activities of one task at once */
  const double *speeds;          /* [host_count] of the cell's hosts; owned */
  const char *const *host_names; /* [host_count], borrowed; NULL: they have none */
  const struct hc_cell_spec *cell; /* borrowed; NULL: processors are only counted */
  uint32_t host_count;
  uint32_t storage_host; /* the only host without cores, or HC_NO_ONE */
  bool speeds_differ;    /* of hosts */
  bool delays_end_late;  /* a delay that would end at its task's limit does not */
  bool passes_points;    /* no task waits at a scheduling point: one that runs alone */
  hc_flows flows;
  hc_storage storage;
  hc_contention contention;
  hc_data data;
  hc_queue *clock;
  struct hc_measure *measure; /* NULL: what is done is not measured. See measure.h */
  struct hc_saves *saves;     /* NULL: no task writes checkpoints. See saves.h */

  hc_time now;
  uint64_t born, begun, steps;
  hc_time steps_at;
  uint32_t *of; /* [of_cap] by hc_task */
  size_t of_cap;
  hc_running *running;
  size_t running_count, running_cap;
  hc_doing *acts;
  hc_event_handle *events; /* [act_cap] of `acts`: names within the clock, no part of a digest */
  size_t act_count, act_cap, event_cap;
  hc_instance *instances;
  size_t instance_count, instance_cap;
  struct hc_fiber **fibers; /* [fiber_cap] of instances that have a stack, else NULL: no state */
  size_t fiber_cap, fiber_count;
  uint32_t vacant_running, vacant_act, vacant_instance; /* chains through root, after, act */
  void *room;      /* [room_cap] options of the instance that is called, with its expressions' values */
  size_t room_cap; /* between calls it has no meaning */
  hc_ready *ready; /* a ring between calls is empty */
  size_t ready_first, ready_count, ready_cap;
  hc_ended *over; /* ended, and not told yet; HC_OVER_HELD: suspended before it could be */
  size_t over_count, over_cap;
  uint32_t failed_task; /* whose doing it was; HC_NO_ONE */
  hc_rc failed;         /* of a call that cannot say so; `error` has the reason */
  hc_error error;
} hc_doings;

/* What flows share, and how. */
typedef struct hc_flow_options {
  const hc_chosen *network;   /* HC_KIND_NETWORK; no type: there is none */
  bool together;              /* as SimGrid's L07 shares among parallel tasks (HC_FLUID_BOTTLENECK) */
  const hc_list *disks;       /* hc_chosen of HC_KIND_DISK */
  int cores, victim;          /* of hc_contention */
  bool via_master;            /* items go over the master */
  const char *master, *store; /* names of hosts; NULL: the only one without cores */
} hc_flow_options;

/* ---- running.c ---- */

hc_rc hc_doings_init(hc_doings *d, const hc_model_context *c, const hc_flow_options *flows, hc_error *e);
void hc_doings_fini(hc_doings *d);
hc_rc hc_doings_begin(hc_doings *d, hc_time now, const hc_activity *a, hc_error *e);
hc_rc hc_doings_suspend(hc_doings *d, hc_time now, uint32_t task, bool is_suspended, hc_error *e);
/** All that a task does stands still, or goes on: but what belongs to a checkpoint of it. */
void hc_doings_pause(hc_doings *d, uint32_t running, bool is_paused);
hc_rc hc_doings_stop(hc_doings *d, hc_time now, uint32_t task);
hc_time hc_doings_worked(const hc_doings *d, hc_time now, uint32_t task);
hc_time hc_doings_next(hc_doings *d);
hc_rc hc_doings_advance(hc_doings *d, hc_time now, hc_ended *out, hc_error *e);
hc_rc hc_doings_visit(hc_doings *d, hc_visitor *v);
/** Can it be saved now? @return 0; HC_EUNSUPPORTED with the task whose profile has a stack of its own */
hc_rc hc_doings_may_save(const hc_doings *d, hc_error *e);
/** How long a task, which is just over in `of`, takes where nothing else runs: in `alone`, which has the same
 *  network and disks and in which nothing goes on.
 *  @param length out: HC_UNKNOWN: it does not come to its end @return 0, or an error: `alone` can only be
 *  freed */
hc_rc hc_doings_alone(hc_doings *alone, const hc_doings *of, uint32_t running, hc_time *length);
/** A task has come to its end by itself: it is forgotten, and told by hc_doings_advance. */
hc_rc hc_doings_over(hc_doings *d, uint32_t running, hc_ended_how how);

/** What it does begins. */
void hc_doings_go(hc_doings *d, uint32_t running);
/** The same once it has read its checkpoint, if it goes on from one. */
void hc_doings_work(hc_doings *d, uint32_t running);
/** As hc_model_type.go_on. */
hc_rc hc_doings_go_on(hc_doings *d, hc_time now, uint32_t task, const hc_activity *a, hc_error *e);
/** A task comes to a scheduling point, which is this activity. */
void hc_doings_at_point(hc_doings *d, uint32_t act, int64_t wants);
/** What expressions see: so many hosts, from `r->first` on. */
void hc_doings_see_hosts(hc_running *r);
hc_rc hc_doings_failed(const hc_doings *d, hc_error *e);

/* ---- acts.c ---- */

static inline hc_act hc_act_name(const hc_doings *d, uint32_t act)
{
  return act == HC_NO_ONE ? HC_NO_ACT : d->acts[act].born << 32 | (act + UINT64_C(1));
}
/** Begin one. @param owner instance, or HC_NO_ONE @return its place; HC_NO_ONE: d->failed says why */
uint32_t hc_doing_new(hc_doings *d, uint32_t running, uint32_t owner, hc_doing_kind kind, uint32_t tag);
/** It has an event so long from now. */
void hc_doing_time(hc_doings *d, uint32_t act, hc_time length);
/** So much work on a meter. */
void hc_doing_compute(hc_doings *d, uint32_t act, uint32_t meter, double work);
/** The only one of its task: it is due, or due again, when its clock has come to `at`. */
void hc_doing_until(hc_doings *d, uint32_t act, double at);
/** It is over: told to its owner, unless it was the owner that stopped it. */
void hc_doing_end(hc_doings *d, uint32_t act, hc_act_end how);
/** It is a part of a read or a write on several disks. */
void hc_doing_member(hc_doings *d, uint32_t act, uint32_t spread);
/** It is stopped, and what it started, without a word. */
void hc_doing_drop(hc_doings *d, uint32_t act);
/** The event of one has come. */
void hc_doing_due(hc_doings *d, uint32_t act);
/** Its task is suspended, or goes on. */
void hc_doing_pause(hc_doings *d, uint32_t act);
void hc_doing_resume(hc_doings *d, uint32_t act);
void hc_meter_settle(hc_doings *d, hc_meter *l);
void hc_meter_time(hc_doings *d, hc_meter *l);
static inline hc_meter *hc_meter_of(hc_running *r, uint32_t meter)
{
  return r->meters ? &r->meters[meter] : &r->meter;
}
static inline hc_place *hc_place_of(hc_running *r, uint32_t place)
{
  return r->places ? &r->places[place] : &r->place;
}
/** Processes of a task, and the place of one: those of one place share its cores. */
static inline uint32_t hc_process_count(const hc_running *r)
{
  return r->executors ? r->executor_count : r->place_count - r->first;
}
static inline uint32_t hc_place_number(const hc_running *r, uint32_t process)
{
  return r->executors ? r->executors[process] : process + r->first;
}
/** Remember the first failure of a call that cannot return one. */
hc_rc hc_doings_fail(hc_doings *d, uint32_t running, hc_rc rc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- flows.c ---- */

hc_rc hc_flows_init(hc_doings *d, const hc_model_context *c, const hc_flow_options *o, hc_error *e);
void hc_flows_fini(hc_doings *d);
/** Bytes on their way between two hosts of the cell, as what an activity does. */
void hc_flow_start(hc_doings *d, uint32_t act, uint32_t from, uint32_t to, double bytes);
/** What an operation of a disk takes of the links between its host and another, into the request; valid until
 *  the next flow. @return false: there is no route, which has been said */
bool hc_flow_with_disk(hc_doings *d, uint32_t running, uint32_t from, uint32_t to, uint32_t disk,
                       hc_disk_request *r);
/* Storage hosts that a parallel task talks to. */
typedef struct hc_joint_outside {
  uint32_t storage, target; /* hosts of the cell; target: HC_NO_ONE: places talk to `storage` */
  double in, out;           /* bytes from `storage` to each place, or to `target`; and back */
} hc_joint_outside;
/** A parallel task on the places of its task: all that it has progresses at one rate.
 *  @param work [places], NULL: `each` everywhere @param bytes [places x places], NULL: `between` each two
 *  @param of    messages in place of both, `count` of them */
typedef struct hc_joint {
  const double *work, *bytes;
  double each, between;
  const hc_joint_outside *outside; /* NULL: hosts of the task only; then nothing is sent between these */
  hc_message_of of;
  const void *ctx;
  uint64_t count;
} hc_joint;
void hc_flow_joint(hc_doings *d, uint32_t act, const hc_joint *j);
/** Several of them as one: what they take of links is added up, and one at most computes.
 *  @param of  fills the i-th, which holds until the next is asked for @return false: why has been said */
typedef bool (*hc_joint_of)(void *ctx, uint32_t i, hc_joint *out);
void hc_flow_coupled(hc_doings *d, uint32_t act, hc_joint_of of, void *ctx, uint32_t count);
void hc_flow_stop(hc_doings *d, uint32_t act);
void hc_flow_pause(hc_doings *d, uint32_t act, bool is_paused);
hc_time hc_flows_next(hc_doings *d);
/** One that ends now is over. @return 1; 0: none does */
int hc_flows_due(hc_doings *d);
/** What flows take of a link now, of its bandwidth; of one that is not shared 0. */
hc_rc hc_flows_load(hc_doings *d, hc_time now, uint32_t link, double *out);
hc_rc hc_flows_visit(hc_doings *d, hc_visitor *v);

/* ---- stores.c ---- */

hc_rc hc_storage_init(hc_doings *d, const hc_model_context *c, const hc_list *entries, hc_error *e);
void hc_storage_fini(hc_doings *d);
/** The store of a host that a path lies in, by the longest mount; NULL: that which has no path.
 *  @return its number, or HC_NO_ONE */
uint32_t hc_storage_find(const hc_storage *s, uint32_t host, const char *path);
/** The disk of a host that is one of a wide store at the same mount. @return its place in storage.parts, or
 *  HC_NO_ONE */
uint32_t hc_storage_alike(const hc_storage *s, uint32_t host, const hc_shelf *x);
/** The name of a file of a store within storage.files, on one of its disks. @param part  in storage.parts
 *  @param room [HC_STORAGE_PATH] out @return false: it is too long */
#define HC_STORAGE_PATH (HC_PROFILE_PATH + 32)
bool hc_storage_path(const hc_storage *s, const hc_shelf *x, uint32_t part, const char *path, char *room);
/** The disk of a file's first stripe. */
uint32_t hc_storage_first(const hc_storage *s, uint32_t store, const char *path);

/* ---- storage.c ---- */

/** A read or a write on the disk of a process's host, as what an activity does. It may fail at once. */
void hc_storage_begin(hc_doings *d, uint32_t act, uint32_t process, const hc_io *io);
/** The same of a file, or of a place that a path names; or a file is deleted. */
void hc_storage_file(hc_doings *d, uint32_t act, uint32_t process, const hc_file_io *io);
/** Bytes of a checkpoint, from a place of its task: written, and cleared when they have been, or read. */
void hc_storage_save(hc_doings *d, uint32_t act, uint32_t place, const char *path, double bytes,
                     bool is_write);
/** As hc_model_type.save_takes. */
hc_rc hc_storage_takes(hc_doings *d, const hc_activity *a, const char *path, double bytes, double *seconds,
                       hc_error *e);
/** Bytes of a file; below 0: there is none. */
double hc_storage_size(const hc_doings *d, uint32_t running, uint32_t process, const char *path);
/** Of what a task has written there so much is there no more. @return false: it has not so much */
bool hc_storage_discard(hc_doings *d, uint32_t running, uint32_t process, double bytes);
void hc_storage_stop(hc_doings *d, uint32_t act);
void hc_storage_pause(hc_doings *d, uint32_t act, bool is_paused);
/** A task ends: what it has written is gone where disks keep no more. */
void hc_storage_leave(hc_doings *d, uint32_t running);
hc_time hc_storage_next(hc_doings *d);
/** One that ends now is over. @return 1; 0: none does */
int hc_storage_due(hc_doings *d);
/** One of those that share the fluid of flows has ended there. */
void hc_storage_told(hc_doings *d, const hc_fluid_end *over);
hc_rc hc_storage_visit(hc_doings *d, hc_visitor *v);

/* ---- contention.c: all of it nothing where no host is promised more than once ---- */

hc_rc hc_contention_init(hc_doings *d, const hc_model_context *c, int how, int victim);
void hc_contention_fini(hc_doings *d);
/** A task moves into its hosts, and out of them. @return 0 or HC_ENOMEM */
hc_rc hc_contention_begin(hc_doings *d, uint32_t running, const hc_activity *a);
void hc_contention_leave(hc_doings *d, uint32_t running);
/** It is suspended, or goes on. */
void hc_contention_changed(hc_doings *d, uint32_t running);
/** A process begins to compute, or does no more. */
void hc_contention_busy(hc_doings *d, uint32_t running, uint32_t meter, bool is_busy);
/** Of a task with a profile: the memory that it uses, where that is known. */
void hc_contention_memory(hc_doings *d, uint32_t running);
/** A task without a profile does what it does for so long. */
void hc_contention_last(hc_doings *d, uint32_t running, uint32_t act, hc_time length);
/** It is due: was that the end of a step of its usage only? */
bool hc_contention_goes_on(hc_doings *d, uint32_t act);
/** Settle what has changed at this time. @return false: nothing has */
bool hc_contention_due(hc_doings *d);
hc_rc hc_contention_visit(hc_doings *d, hc_visitor *v);
/* ---- data.c ---- */

#define HC_CARRIER (UINT32_MAX - 1) /* hc_running.task of the place whose activities are transfers of items */
hc_rc hc_data_init(hc_doings *d, const hc_model_context *c, const hc_flow_options *o, hc_error *e);
void hc_data_fini(hc_doings *d);
/** A task begins: what it reads is brought to its first host. @return it has all, and does not wait */
bool hc_data_begin(hc_doings *d, uint32_t running, const hc_activity *a);
/** It is done: what it made is there. @return false: it is to be delivered first */
bool hc_data_made(hc_doings *d, uint32_t running);
/** It is forgotten. */
void hc_data_leave(hc_doings *d, uint32_t running);
/** A transfer is over. */
void hc_data_arrived(hc_doings *d, uint32_t copy);
hc_rc hc_data_add(hc_doings *d, hc_time now, uint32_t item, int64_t bytes, bool is_given, hc_error *e);
hc_rc hc_data_drop(hc_doings *d, hc_time now, uint32_t item);
hc_rc hc_data_fetch(hc_doings *d, hc_time now, uint32_t item, uint32_t host, hc_error *e);
uint32_t hc_data_where(const hc_doings *d, uint32_t item);
double hc_data_takes(hc_doings *d, uint32_t from, uint32_t to, double bytes);
hc_rc hc_data_visit(hc_doings *d, hc_visitor *v);

/* ---- instances.c ---- */

/** An instance of a part of the task's script, which begins when all that is ready is carried out.
 *  @return its place, or HC_NO_ONE */
uint32_t hc_instance_new(hc_doings *d, uint32_t running, uint32_t act, uint32_t part, uint64_t iteration);
/** The options of a part of a task's script, as this task and round has them: borrowed until the next call.
 *  @return 0; HC_EINPUT, HC_ENOMEM with the reason in `e` */
hc_rc hc_instance_options(hc_doings *d, uint32_t running, uint32_t part, uint64_t iteration,
                          const void **options, hc_error *e);
void hc_instance_drop(hc_doings *d, uint32_t instance);
/** Something is to be told. */
void hc_instance_tell(hc_doings *d, const hc_ready *x);
/** What a name of storage means to an instance, by what profiles above it say (hc_profile_type.storage), the
 *  next one first. @param rooms [2][HC_PROFILE_PATH] @return `name` itself: none says otherwise; NULL: it is
 *  too long, and the run has failed, or `name` is NULL */
const char *hc_instance_storage(hc_doings *d, uint32_t instance, const char *name,
                                char (*rooms)[HC_PROFILE_PATH]);
/** Carry out all that is ready. @return 0, or d->failed */
hc_rc hc_instances_go_on(hc_doings *d);

#endif
