/** @file cell.h What exists: the machine as a cell source describes it, the events that change its hosts, and
 *  the load that they have from elsewhere.
 *
 *  A machine is either a number of processors (granularity `count`, `intervals`) or hosts with vectors
 *  (granularity `hosts`): each host has an amount of each dimension, which the tasks on it share. */
#ifndef HINDCAST_CELL_H
#define HINDCAST_CELL_H

#include "hindcast/component.h"
#include "hindcast/lexicon.h"

#ifdef __cplusplus
extern "C" {
#endif

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
  HC_CELL_COUNT,     /* a number of processors, without ids. The fastest */
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
  uint32_t cores; /* of a host that counts as one processor: how many it really has, of which a computation
                     keeps one busy. 0: as many as `capacity` says. Since 0.3 */
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
  const char *const *of;  /* [of_count] partitions of the log that it is, by name or number; "*": all that no
                             other set names */
  size_t of_count;
  int64_t max_size; /* most slots of a task in it: hosts, or processors where it names none; 0: any */
} hc_host_set;

/** What happens to a host. */
typedef enum hc_host_change {
  HC_HOST_UP,     /* it joins, or returns, with the amounts that it last had */
  HC_HOST_DOWN,   /* it leaves: what runs on it does so no more */
  HC_HOST_DRAIN,  /* it takes nothing new; what runs on it runs on */
  HC_HOST_RESIZE, /* it has other amounts. What it holds beyond them stays until it ends */
  HC_HOST_EVICT,  /* what runs on it is stopped; the host stays as it is */
  HC_HOST_FAIL    /* it looks as before, and nothing on it does anything until it goes away. Since 0.3 */
} hc_host_change;
/** What becomes of tasks that are evicted: they wait again, and begin anew, or go on from what they have
 *  done; or that is their end. */
typedef enum hc_evict { HC_EVICT_REQUEUE, HC_EVICT_CHECKPOINT, HC_EVICT_STOP } hc_evict;
typedef struct hc_host_event {
  hc_time at;
  uint32_t host, change;           /* hc_host_change */
  int64_t capacity[HC_DIMENSIONS]; /* RESIZE: the new amounts; HC_UNKNOWN: as before */
  int64_t tolerate;                /* EVICT: tasks of at least this priority stay */
  uint32_t how, padding;           /* EVICT: hc_evict, of the others */
} hc_host_event;

/** Whether plans have switched a host off: STOPPING and STARTING last for a time. */
typedef enum hc_power_state {
  HC_POWER_ON,
  HC_POWER_STOPPING,
  HC_POWER_OFF,
  HC_POWER_STARTING
} hc_power_state;

/** The same of a host that is on, with the state of power that a plan has put it into, from 0:
 *  HC_POWER_ON and the rest is the state that hosts begin in. Since 0.3. */
#define HC_POWER_STATES 60u /* at most, of a class of hosts */
static inline uint32_t hc_power_at(uint32_t pstate)
{
  return (pstate + 1) << 2;
}
static inline hc_power_state hc_power_of_code(uint32_t code)
{
  return (hc_power_state)(code & 3);
}
/** @return the state of power that a code names; HC_POWER_STATES: the one that hosts begin in */
static inline uint32_t hc_pstate_of_code(uint32_t code)
{
  return code >> 2 > 0 ? (code >> 2) - 1 : HC_POWER_STATES;
}

/** The same where many of them lie in memory. */
typedef struct hc_cell_event {
  hc_time at;
  uint32_t host, change;
  const int64_t *capacity; /* [HC_DIMENSIONS] as in hc_host_event; NULL: nothing is said */
} hc_cell_event;

/** A machine. Everything in it is borrowed, for the run's life. */
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
  const hc_cell_event *events;   /* [event_count] ascending in time */
  size_t event_count;
  const uint8_t *absent; /* [units] 1: not there until it joins; NULL: all are there */
  /* What hosts of a class really have of cores and memory (thousandths, bytes), where `capacity` is what is
     promised of them; NULL: the same. The run's doing, not a source's. */
  const int64_t (*physical)[2]; /* [class_count] */
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
/** What is known of hosts ahead. */
typedef enum hc_announced {
  HC_ANNOUNCED_DOWN,  /* they leave at `start`, and what runs on them is lost */
  HC_ANNOUNCED_DRAIN, /* they take nothing new from `start` on; what runs on them runs on */
  HC_ANNOUNCED_UP, /* they are away, or drain, since `start`, and return at `end`: that alone is announced */
  HC_ANNOUNCED_RESIZE /* they have other amounts from `start` on, which is `end` as well */
} hc_announced;
/** Hosts that change at a time that is known ahead. */
typedef struct hc_downtime {
  hc_time start, end;    /* they take nothing new during [start, end); end HC_NEVER: for good */
  hc_time announced;     /* policies know of it from then on: at or before `start`; of UP, `end` */
  const hc_range *hosts; /* [count] ascending, disjoint */
  size_t count;
  const char *of, *word;   /* where it is written: "events list", "change"; a file's name, "line" */
  uint64_t place;          /* number of the change, or of the line */
  uint32_t what;           /* hc_announced. Since 0.3 */
  const int64_t *capacity; /* RESIZE: [HC_DIMENSIONS] as in hc_host_event. Since 0.3 */
} hc_downtime;
typedef struct hc_events_type {
  hc_component component;
  hc_rc (*open)(const hc_events_context *c, const void *options, hc_events **out, hc_error *e);
  /** The next event, ascending in time. @return 1, 0 at the end, or an error. */
  hc_rc (*next)(hc_events *self, hc_host_event *out, hc_error *e);
  hc_rc (*visit)(hc_events *self, hc_visitor *v);
  void (*close)(hc_events *self);
  /** What of its events is announced ahead, asked before the first of them: number `i`, from 0. Of each its
   *  hosts change at `start`, by an event, and are up again at `end`. `out` is all zero before. What is in it
   *  is borrowed for the component's life. @return false: there are no more. NULL: nothing is announced.
   *  Since 0.2. */
  bool (*announced)(const hc_events *self, size_t i, hc_downtime *out);
  /** Is any of its events HC_HOST_EVICT? NULL: no. */
  bool (*evicts)(const hc_events *self);
  /** May any of its events be HC_HOST_FAIL? NULL: no. Since 0.3. */
  bool (*fails)(const hc_events *self);
} hc_events_type;

/** Load that hosts have from outside the run: a claim of no task, which slows none. One process is
 *  one dimension's; on each host its level is a share of the amount, 0 to 1, that holds from one change to
 *  the next. It is a function of (seed, replication, host, time) that can be asked at any time in any order,
 *  so that runs of one seed have the same load whatever they do, and nothing is paid for changes that no
 *  decision looks at. */
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
  /** Its level on a host at `at` (>= 0). Cost: about 0.2 us where the level changed since it was asked
   *  last. */
  hc_load_level (*level)(hc_load *self, uint32_t host, hc_time at);
  void (*close)(hc_load *self);
} hc_load_type;

/** Power: what hosts draw, in W. What a component has in common with all: its options begin with it. */
typedef struct hc_power_options {
  hc_list
      classes; /* const char *: names of the classes of hosts that draw this; none: all that no other names */
  double idle, peak;                     /* nothing computes on the host; all of its cores do */
  double least, off, stopping, starting; /* -1 in `least`, `stopping`, `starting`: as `idle` */
} hc_power_options;
/** The same of hosts of one class, each known and at least 0. */
typedef struct hc_power_levels {
  double idle;               /* on, and nothing computes */
  double least, peak;        /* next to nothing computes; all cores do */
  double off;                /* off, or away */
  double stopping, starting; /* on the way there and back */
} hc_power_levels;
/** Parts of a host, each of which has a load and a draw of its own, which add up: */
typedef enum hc_power_part {
  HC_POWER_CORES,  /* and all that is not said otherwise: the share of its cores that computes */
  HC_POWER_MEMORY, /* the share that tasks hold */
  HC_POWER_GPUS,   /* the share that tasks hold; watts of each GPU */
  HC_POWER_PARTS
} hc_power_part;
/** A class of hosts, as its power is asked. */
typedef struct hc_power_host {
  const hc_host_class *of; /* NULL: a processor of a cell that only counts them */
  const hc_lexicon *lexicon;
} hc_power_host;
/** How a host's draw follows its load: a curve between `least` and `peak`, with `idle` where there is no
 * load. */
typedef struct hc_power_type {
  hc_component component; /* its options begin with an hc_power_options */
  /** @param load 0 < load <= 1: of the part @return W, at least 0 */
  double (*watts)(const void *options, const hc_power_levels *l, double load);
  /** What hosts of a class draw. NULL: what the options say, which is in `out` when this is called. Where it
   * leaves -1 in `stopping` or `starting`, that becomes `idle`. Asked once a class.
   * @return 0; HC_EUSAGE, HC_EINPUT with the reason */
  hc_rc (*levels)(const void *options, const hc_power_host *host, hc_power_levels *out, hc_error *e);
  bool may_fall; /* it was measured: more load may draw less */
  hc_power_part part;
  /** A state of power that plans may put hosts of a class into, of those that are numbered from 0; of
   *  cores only. NULL: there is none. Asked after `levels`. Since 0.3. @param out as `levels` left it:
   *  what hosts draw in that state @param speed out: how fast they are in it, of the speed that they are
   *  declared with; > 0 @return 1; 0: there are no more; HC_EUSAGE with the reason */
  hc_rc (*state)(const void *options, const hc_power_host *host, uint32_t state, hc_power_levels *out,
                 double *speed, hc_error *e);
} hc_power_type;
/** On the way from `least` to `peak`: share 0 to 1. */
static inline double hc_power_between(const hc_power_levels *l, double share)
{
  return l->least + (l->peak - l->least) * share;
}
/** The parameters of these options, which are the member `power` of a component's. */
#define HC_POWER_CLASSES_PARAM(options) \
  HC_PARAM_AS(TEXTS, "classes", options, power.classes, NULL, \
              "Names of the classes of hosts that this entry is about. Default: all that no other entry " \
              "names.")
#define HC_POWER_PARAMS(options) \
  HC_POWER_CLASSES_PARAM(options), \
      HC_PARAM_AS(REAL, "idle", options, power.idle, "W", "0", 0, 1e9, \
                  "Drawn by a host that is on, and on which nothing computes."), \
      HC_PARAM_AS(REAL, "peak", options, power.peak, "W", "0", 0, 1e9, \
                  "Drawn by a host all of whose cores compute. Required."), \
      HC_PARAM_AS( \
          REAL, "least", options, power.least, "W", "-1", -1, 1e9, \
          "Drawn by a host at a load next to 0, where the curve begins; at least `idle`. -1: as much as " \
          "`idle`."), \
      HC_POWER_OFF_PARAMS(options)
#define HC_POWER_OFF_PARAMS(options) \
  HC_PARAM_AS(REAL, "off", options, power.off, "W", "0", 0, 1e9, "Drawn by a host that is off, or away."), \
      HC_PARAM_AS(REAL, "stopping", options, power.stopping, "W", "-1", -1, 1e9, \
                  "Drawn while a host is switched off. -1: as much as by a host that is on, and on which " \
                  "nothing computes."), \
      HC_PARAM_AS(REAL, "starting", options, power.starting, "W", "-1", -1, 1e9, \
                  "Drawn while a host is switched on. -1: as much as by a host that is on, and on which " \
                  "nothing computes.")

#ifdef __cplusplus
}
#endif
#endif
