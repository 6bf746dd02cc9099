/** @file cluster.h
 *  What exists: the machine as a cell source describes it, the events that change its hosts, and the
 *  lexicon in which a run's sources and its cell name things alike.
 *
 *  A machine is either a number of processors (granularity `count`, `intervals`) or hosts with vectors
 *  (granularity `hosts`): each host has an amount of each *dimension* (cpu, memory, disk, gpu, or any other
 *  name), which the tasks on it share. Amounts are whole numbers: thousandths of a core, bytes, thousandths
 *  of a GPU; a dimension with another name counts in units of its own. */
#ifndef HINDCAST_CLUSTER_H
#define HINDCAST_CLUSTER_H

#include <string.h>

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dimensions and names ---- */

#define HC_DIMENSIONS 8       /* most that a run may have */
#define HC_DEVICES 16         /* most GPUs that a host may have */
#define HC_DEVICE 1000        /* one whole GPU, in thousandths */
#define HC_NO_NAME UINT32_MAX /* no text has this number */
#define HC_NO_HOST UINT32_MAX

/** Dimensions that every run knows, by these numbers. Others get the next numbers, in the order in which
 *  they are first named. */
typedef enum hc_dimension_id {
  HC_DIM_CPU,    /* thousandths of a core */
  HC_DIM_MEMORY, /* bytes */
  HC_DIM_DISK,   /* bytes */
  HC_DIM_GPU,    /* thousandths of a device; see hc_host_class.devices */
  HC_DIM_OTHER   /* the first that is free for another name */
} hc_dimension_id;

/** How an attribute of a host is compared. Texts only by EQUAL and UNEQUAL; a host without the attribute
 *  passes UNEQUAL and ABSENT alone. */
typedef enum hc_compare {
  HC_EQUAL,
  HC_UNEQUAL,
  HC_LESS,
  HC_GREATER,
  HC_AT_LEAST,
  HC_AT_MOST,
  HC_PRESENT,
  HC_ABSENT
} hc_compare;

/** Something that is true of a host: a feature is an attribute without a value (1). */
typedef struct hc_attribute {
  uint32_t name;    /* in the lexicon */
  uint32_t is_text; /* then `value` is a name in the lexicon */
  int64_t value;
} hc_attribute;

/** What a task demands of each host that it gets. Those with the same `group` are alternatives, of which
 *  one must hold; every group must. */
typedef struct hc_constraint {
  uint32_t attribute; /* name in the lexicon */
  uint32_t compare;   /* hc_compare */
  uint32_t is_text, group;
  int64_t value;
} hc_constraint;

/** What must have happened before a task may start. */
typedef enum hc_after_how {
  HC_AFTER_ENDED,     /* it ended, however (Slurm: afterany) */
  HC_AFTER_COMPLETED, /* it ran to its end (afterok) */
  HC_AFTER_FAILED,    /* it ended otherwise (afternotok) */
  HC_AFTER_STARTED,   /* it started, or ended without (after) */
  HC_AFTER_ARRIVED    /* nothing but that it is there: an order of submission */
} hc_after_how;
typedef struct hc_after {
  int64_t job;  /* hc_task_spec.job of those waited for */
  int64_t task; /* hc_task_spec.id: all tasks of that job with this id; HC_UNKNOWN: every task of the job */
  uint32_t how; /* hc_after_how */
  uint32_t padding; /* names mean those of the same source */
} hc_after;

/** Hosts of one task whose demands are not those of the others. */
typedef struct hc_chunk {
  int64_t need[HC_DIMENSIONS];
  uint32_t hosts, padding;
} hc_chunk;

/** A step of what a task really uses in each of its slots: the same from the end of the step before it, or from its
 *  start, until `until`. The last step lasts as long as the task. HC_UNKNOWN: nobody measured it then. */
typedef struct hc_use_step {
  hc_time until;       /* ns since its start, ascending */
  int64_t cpu, memory; /* thousandths of a core, bytes */
} hc_use_step;

/** What a running task holds changes in place ("vertical resizing"): from `after` its start on, each of its slots is
 *  to have these amounts. What is HC_UNKNOWN is as it was asked for before. */
typedef struct hc_resize_step {
  hc_time after; /* ns since the start of its attempt, more than 0, ascending */
  int64_t need[HC_DIMENSIONS];
} hc_resize_step;

/** What few tasks have, kept once for all that have the same. Zeroed: nothing; make it with hc_more_none. */
typedef struct hc_task_extras {
  const hc_after *after; /* all of them must hold */
  size_t after_count;
  const hc_constraint *constraints;
  size_t constraint_count;
  const uint32_t *hosts; /* names: no others will do */
  size_t host_count;
  const hc_chunk *chunks; /* further hosts beside those of the spec's own demand */
  size_t chunk_count;
  uint32_t set;        /* name of a partition or set of hosts, the only one that will do; HC_NO_NAME: any */
  uint32_t same;       /* name of a zone level: all hosts in one zone of it; HC_NO_NAME: no matter */
  uint32_t differ;     /* name of a zone level: each host in another zone of it; HC_NO_NAME */
  uint32_t per_host;   /* at most so many tasks with this `rival` on a host; 0: any number */
  uint32_t per_zone;   /* at most so many in a zone of level `zone_level`; 0: any number */
  uint32_t zone_level; /* name */
  int64_t rival;       /* whom the two limits count: an application, a job */
  const hc_use_step *uses; /* what it really uses, over time; none: as the spec says on average */
  size_t use_count;
  const hc_resize_step *resizes; /* what it is to hold later on, on hosts; none: the same all the time */
  size_t resize_count;
} hc_task_extras;

static inline hc_task_extras hc_more_none(void)
{
  hc_task_extras m;
  memset(&m, 0, sizeof m);
  m.set = m.same = m.differ = m.zone_level = HC_NO_NAME;
  return m;
}

/** Names, dimensions and rare facts of one run: its sources and its cell say the same thing with the same
 *  number. Reached through its first member, so that a component in a shared object can use it too. */
typedef struct hc_lexicon hc_lexicon;

/** What sources number, and may have names for. */
typedef enum hc_called {
  HC_CALLED_USER,
  HC_CALLED_GROUP,
  HC_CALLED_EXECUTABLE,
  HC_CALLED_QUEUE,
  HC_CALLED_PARTITION,
  HC_CALLED_COUNT
} hc_called;

typedef struct hc_lexicon_calls {
  uint32_t size, abi;
  uint32_t (*name)(hc_lexicon *l, const char *text, size_t n);
  const char *(*text)(const hc_lexicon *l, uint32_t name);
  int (*dimension)(hc_lexicon *l, const char *name, size_t n);
  const char *(*dimension_name)(const hc_lexicon *l, uint32_t dimension);
  uint32_t (*keep)(hc_lexicon *l, const hc_task_extras *m);
  const hc_task_extras *(*more)(const hc_lexicon *l, uint32_t handle);
  void (*hold)(hc_lexicon *l, uint32_t handle);
  void (*drop)(hc_lexicon *l, uint32_t handle);
  /* -- names of users and queues -- */
  hc_rc (*call_user)(hc_lexicon *l, int64_t user, const char *text, size_t n);
  const char *(*user_text)(const hc_lexicon *l, int64_t user);
  hc_rc (*call_queue)(hc_lexicon *l, int64_t queue, const char *text, size_t n);
  const char *(*queue_text)(const hc_lexicon *l, int64_t queue);
  /* -- since 0.6: test `size` -- */
  hc_rc (*call)(hc_lexicon *l, hc_called kind, int64_t number, const char *text, size_t n);
  const char *(*called)(const hc_lexicon *l, hc_called kind, int64_t number);
  void (*users_of_run)(hc_lexicon *l);
} hc_lexicon_calls;

static inline const hc_lexicon_calls *hc_lexicon_calls_of(const hc_lexicon *l)
{
  return *(const hc_lexicon_calls *const *)(const void *)l;
}
/** The number of a text: the same for the same text, a new one for a new one. Meant for what repeats (users,
 *  queues, features), not for the names of tasks. @return HC_NO_NAME: out of memory, or 2^24 names are known. */
static inline uint32_t hc_lexicon_name(hc_lexicon *l, const char *text, size_t n)
{
  return hc_lexicon_calls_of(l)->name(l, text, n);
}
/** The text of a number; "?" for a number that is none. Borrowed for the run's life. */
static inline const char *hc_lexicon_text(const hc_lexicon *l, uint32_t name)
{
  return hc_lexicon_calls_of(l)->text(l, name);
}
/** Say what a user is called: the source that numbers names does, once for each. Where two sources give one number to
 *  two names the first stays. @return 0, HC_ENOMEM, HC_ELIMIT. */
static inline hc_rc hc_lexicon_call_user(hc_lexicon *l, int64_t user, const char *text, size_t n)
{
  return hc_lexicon_calls_of(l)->call_user(l, user, text, n);
}
/** What a user is called; NULL if only its number is known. Borrowed for the run's life. */
static inline const char *hc_lexicon_user_text(const hc_lexicon *l, int64_t user)
{
  return hc_lexicon_calls_of(l)->user_text(l, user);
}
/** The same of queues. */
static inline hc_rc hc_lexicon_call_queue(hc_lexicon *l, int64_t queue, const char *text, size_t n)
{
  return hc_lexicon_calls_of(l)->call_queue(l, queue, text, n);
}
static inline const char *hc_lexicon_queue_text(const hc_lexicon *l, int64_t queue)
{
  return hc_lexicon_calls_of(l)->queue_text(l, queue);
}
/** The same of any kind. Of a run with one source, executables are not kept: there may be as many as tasks. */
static inline hc_rc hc_lexicon_call(hc_lexicon *l, hc_called kind, int64_t number, const char *text, size_t n)
{
  return hc_lexicon_calls_of(l)->call(l, kind, number, text, n);
}
static inline const char *hc_lexicon_called(const hc_lexicon *l, hc_called kind, int64_t number)
{
  return hc_lexicon_calls_of(l)->called(l, kind, number);
}
/** The run file itself says which users a source has (`user: ann` of a generator): ann is the same wherever it says so,
 *  and no other source's. Said while the source is opened. */
static inline void hc_lexicon_users_of_run(hc_lexicon *l)
{
  hc_lexicon_calls_of(l)->users_of_run(l);
}
/** The number of a dimension: cpu, memory, disk, gpu, or one that is new. @return -1: there is no room for
 *  another. */
static inline int hc_lexicon_dimension(hc_lexicon *l, const char *name, size_t n)
{
  return hc_lexicon_calls_of(l)->dimension(l, name, n);
}
/** The name of a dimension; NULL if there is none of that number. */
static inline const char *hc_lexicon_dimension_name(const hc_lexicon *l, uint32_t dimension)
{
  return hc_lexicon_calls_of(l)->dimension_name(l, dimension);
}
/** Keep rare facts, one copy of equal ones, for whoever drops the handle again. The arrays are copied.
 *  @return a handle; 0: out of memory. */
static inline uint32_t hc_lexicon_keep(hc_lexicon *l, const hc_task_extras *m)
{
  return hc_lexicon_calls_of(l)->keep(l, m);
}
/** What a handle stands for; NULL for 0. Borrowed until the handle is dropped. */
static inline const hc_task_extras *hc_lexicon_more(const hc_lexicon *l, uint32_t handle)
{
  return handle == 0 ? NULL : hc_lexicon_calls_of(l)->more(l, handle);
}

/* ---- the machine ---- */

/** What a trace says of itself. Zero, NULL or HC_UNKNOWN where it says nothing. */
typedef struct hc_trace_info {
  int64_t processors, nodes; /* of the machine */
  int64_t unix_start;        /* Unix time of the source's origin, s; HC_UNKNOWN if not said */
  const char *zone;          /* tz database name, NULL */
  const char *computer, *installation, *acknowledge; /* NULL */
  int64_t jobs, records;                             /* as announced; HC_UNKNOWN */
  const char *header;  /* the comment lines as they stood, newline-separated; NULL if none */
  const char *derived; /* what the reader derives and how, in a sentence or two; NULL if nothing */
} hc_trace_info;

/** How finely a cell is seen. */
typedef enum hc_granularity {
  HC_CELL_COUNT,     /* a number of processors: who has which is not asked. The fastest */
  HC_CELL_INTERVALS, /* processor ids: placements choose among them */
  HC_CELL_HOSTS      /* hosts with their own vectors */
} hc_granularity;

/** A dimension in which amounts are counted. Dimension 0 is the processor (or the host). */
typedef struct hc_dimension {
  const char *name, *unit;
  int64_t per_unit; /* how much each processor or host has */
} hc_dimension;

/** Hosts that are alike. */
typedef struct hc_host_class {
  const char *name;                /* for people: "c", "gpu-v100" */
  int64_t capacity[HC_DIMENSIONS]; /* of each host, by the lexicon's number; 0: it has none */
  uint32_t devices;                /* how many GPUs the amount of HC_DIM_GPU is made of: a fraction of a GPU
                                      comes from one of them. 0: that amount is divisible at will */
  uint32_t attribute_count;
  const hc_attribute *attributes; /* [attribute_count]; the GPU's model is attribute "gpu_model" */
  double speed;                   /* 1: tasks run as long as their profile says */
} hc_host_class;

/** A level of the tree of places ("rack", "row", "domain"): each host is in one zone of it, or in none. */
typedef struct hc_zone_level {
  const char *name;
  const uint32_t *zone_of;       /* [units]; HC_NO_NAME: in none */
  const char *const *zone_names; /* [zone_count] */
  uint32_t zone_count;
} hc_zone_level;

/** A named set of hosts: a partition with its rules, or any other set. Sets may overlap. */
typedef struct hc_host_set {
  const char *name;
  const hc_range *hosts; /* [host_count] ascending, disjoint */
  size_t host_count;
  bool is_partition;      /* tasks name it as theirs */
  bool is_failure_domain; /* counted by the metric of what the worst domain takes down */
  hc_time max_time;       /* longest limit of a task in it; HC_NEVER: any */
} hc_host_set;

/** What happens to a host. */
typedef enum hc_host_change {
  HC_HOST_UP,    /* it joins, or returns, with the amounts that it last had */
  HC_HOST_DOWN,  /* it leaves: what runs on it does so no more */
  HC_HOST_DRAIN, /* it takes nothing new; what runs on it runs on */
  HC_HOST_RESIZE /* it has other amounts. What it holds beyond them stays until it ends */
} hc_host_change;
typedef struct hc_host_event {
  hc_time at;
  uint32_t host, change;           /* hc_host_change */
  int64_t capacity[HC_DIMENSIONS]; /* RESIZE: the new amounts; HC_UNKNOWN: as before */
} hc_host_event;

/** A machine. Everything is borrowed from whoever made it, for the run's life. */
typedef struct hc_cell_spec {
  hc_granularity granularity;
  uint32_t units;                 /* processors (count, intervals), or hosts */
  uint32_t units_per_node;        /* 0: unknown; for people and for traces of nodes */
  const hc_dimension *dimensions; /* [dimension_count]: count, intervals */
  uint32_t dimension_count;
  const char *note; /* what was left out or assumed; NULL if nothing */

  /* hosts only; ids in order of declaration */
  const hc_host_class *classes; /* [class_count] */
  uint32_t class_count;
  const uint32_t *class_of;      /* [units] */
  const char *const *host_names; /* [units], all different */
  const hc_zone_level *levels;   /* [level_count] */
  uint32_t level_count;
  uint32_t set_count;
  const hc_host_set *sets;       /* [set_count] */
  int64_t shared[HC_DIMENSIONS]; /* amounts of the whole cell (licences), by the lexicon's number, of which a
                                      task takes its demand once, wherever it runs; 0: none */
  const hc_host_event *events;   /* [event_count] ascending in time */
  size_t event_count;
  const uint8_t *absent; /* [units] 1: not there until it joins; NULL: all are there */
} hc_cell_spec;

typedef struct hc_cell_context {
  const hc_allocator *allocator;
  void *(*alloc)(void *arena, size_t size); /* memory for the spec; freed with the run */
  void *arena;
  const hc_trace_info *trace; /* of the first source; NULL if there is none */
  hc_lexicon *lexicon;
} hc_cell_context;

/** Says which machine there is: from options, from a trace's header, from another program's file. */
typedef struct hc_cell_type {
  hc_component component;
  /** @return 0, HC_EUSAGE (how to say it instead), HC_EINPUT (a bad file), HC_ENOMEM. */
  hc_rc (*describe)(const hc_cell_context *c, const void *options, hc_cell_spec *out, hc_error *e);
} hc_cell_type;

/** Events of hosts that come from elsewhere than the cell's own description: a list, a file, chance. */
typedef struct hc_events hc_events; /* a component's state */
typedef struct hc_events_context {
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  hc_lexicon *lexicon;
  uint64_t seed, replication;
} hc_events_context;
typedef struct hc_events_type {
  hc_component component;
  hc_rc (*open)(const hc_events_context *c, const void *options, hc_events **out, hc_error *e);
  /** The next event, ascending in time. @return 1, 0 at the end, or an error. */
  hc_rc (*next)(hc_events *self, hc_host_event *out, hc_error *e);
  hc_rc (*visit)(hc_events *self, hc_visitor *v);
  void (*close)(hc_events *self);
} hc_events_type;

/** Load that hosts have from outside the run: a claim that nobody made, which slows no task. One process is one
 *  dimension's; on each host its level is a share of the amount, 0 to 1, that holds from one change to the next.
 *  It is a function of (seed, replication, host, time) that can be asked at any time in any order, so that runs
 *  of one seed have the same load whatever they do, and nobody pays for changes that no decision looks at. */
typedef struct hc_load hc_load; /* a component's state: what it remembers to answer faster */
typedef struct hc_load_context {
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  hc_lexicon *lexicon;
  uint64_t seed, replication;
  uint32_t index; /* of this process among those of the run: part of its stream's name */
} hc_load_context;
typedef struct hc_load_level {
  double level;  /* 0 to 1 */
  hc_time until; /* it holds until then, not included; HC_NEVER: for good */
} hc_load_level;
typedef struct hc_load_type {
  hc_component component;
  /** @param dimension out: by the lexicon's number. @param takes out: is less free for tasks, or is it only
   *  seen? @return 0, HC_EUSAGE, HC_ENOMEM. */
  hc_rc (*open)(const hc_load_context *c, const void *options, hc_load **out, uint32_t *dimension,
                bool *takes, hc_error *e);
  /** Its level on a host at `at` (>= 0). Cost: about 0.2 us where the level changed since it was asked last. */
  hc_load_level (*level)(hc_load *self, uint32_t host, hc_time at);
  void (*close)(hc_load *self);
} hc_load_type;

/* ---- choosing hosts ---- */

/** What the hosts that are up have together, now. */
typedef struct hc_cell_totals {
  int64_t capacity[HC_DIMENSIONS]; /* by the lexicon's number; without what belongs to the cell as a whole */
  uint32_t hosts, padding;
} hc_cell_totals;

/** A host as a placement sees it, for one slot of a task. Arrays are by the cell's own dimensions: those that
 *  any of its hosts has, ascending by the lexicon's number. */
typedef struct hc_host_view {
  uint32_t host, class_id;
  uint32_t dimensions;     /* how many */
  uint32_t device_count;   /* GPUs of this host */
  const uint8_t *which;    /* [dimensions] the lexicon's number of each */
  const int64_t *need;     /* [dimensions] of one slot */
  const int64_t *free;     /* [dimensions] before it is placed; at least `need` */
  const int64_t *capacity; /* [dimensions] of the host */
  const int32_t *devices;  /* [device_count] free thousandths of each GPU */
  const double *load;      /* [dimensions] local load, 0 to 1; NULL: there is none */
  double speed;            /* of its class */
  double past;      /* mean share of its first dimension that tasks have held so far; 0 if nobody counts */
  hc_time now;      /* ns */
  hc_time estimate; /* of the task, at speed 1; HC_NEVER: none */
  hc_time window;   /* how long until it is reserved for another, from now; HC_NEVER: not at all */
  const hc_cell_totals *cell;
  const uint32_t
      *held;      /* [hosts of the cell] how many grants are on each, for who reads it; NULL: not known */
  uint64_t stamp; /* another one whenever that may have changed; never 0 */
} hc_host_view;

/** Hosts among which one is sought: every one of them has at least `low` and at most `high` free. */
typedef struct hc_host_box {
  uint32_t dimensions, class_id; /* HC_NO_NAME: of several classes */
  const uint8_t *which;
  const int64_t *need, *low, *high;
  const int64_t *capacity_low, *capacity_high;
  const hc_cell_totals *cell;
} hc_host_box;

typedef enum hc_choice {
  HC_CHOOSE_FIRST, /* the lowest host that fits */
  HC_CHOOSE_NEXT,  /* the first that fits behind the one chosen last, round and round */
  HC_CHOOSE_BEST,  /* the highest score; the lowest host of equal ones */
  HC_CHOOSE_SAMPLE /* the highest score among `sample` hosts that fit, drawn with the task's own stream;
                      without a score: the first drawn */
} hc_choice;

/** How a placement chooses among hosts. */
typedef struct hc_chooser {
  hc_choice how;
  uint32_t sample;
  void *self;
  /** How good a host is; higher is better. */
  double (*score)(void *self, const hc_host_view *h);
  /** No host in the box scores higher than this; NULL: nobody knows, so that all that fit are looked at. */
  double (*bound)(void *self, const hc_host_box *b);
  /** Which GPUs a slot takes: a bit for each. NULL: the fullest that fit for a part of one, the lowest that
   *  are free for whole ones. */
  uint32_t (*devices)(void *self, const hc_host_view *h, int64_t amount);
  /** Among hosts of one score, the higher; NULL: the lower host. Heard with HC_CHOOSE_BEST and no bound. */
  double (*tie)(void *self, const hc_host_view *h);
  bool reads_past; /* looks at `past`, which is kept only then */
  bool reads_load; /* looks at `load` */
  bool reads_held; /* looks at `held`, which is told only then */
  bool is_fixed;   /* the score is a host's own: neither what is free, nor time, nor the task changes it */
} hc_chooser;

#ifdef __cplusplus
}
#endif
#endif
