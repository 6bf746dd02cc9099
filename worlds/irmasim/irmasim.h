/* irmasim.h -- IRMaSim: what a run file can say of it, and its state. The parts and their files:
 *
 *   irmasim.c   the table of keys
 *   options.c   its own options file, under those keys
 *   platform.c  clusters, nodes, processors, cores, out of its platform and library files
 *   workload.c  jobs, out of its JSON or CSV
 *   runner.c    what runs: speed-ups, power, how operations are done
 *   models/     how tasks slow each other down: one file each
 *   managers/   who runs next, and where: one file each
 *   world.c     the order of what happens
 *   report.c    its logs, figures, rows;  export.c writes the logs
 *
 * Everything is a dense array and known by its number. Times are seconds as doubles, as IRMaSim has them: it
 * adds up differences of them, and rounds the operations that are done to whole ones at each event, so that
 * ends which should coincide lie parts of a nanosecond apart and are events of their own. That is why this is
 * a world, and no part of the engine, whose times are whole nanoseconds. */
#ifndef HC_IRMASIM_IRMASIM_H
#define HC_IRMASIM_IRMASIM_H

#include "hindcast/world.h"
#include "irmasim/json.h"
#include "irmasim/random.h"

#define HC_IRM_WHERE "world irmasim"
#define HC_IRM_NONE UINT32_MAX
#define HC_IRM_MOST_CORES 10000000
#define HC_IRM_MOST_TASKS 100000000

/* ---- what can be said ---- */

typedef struct hc_irm_manager_type hc_irm_manager_type;

typedef struct hc_irm_options {
  const char *options, *workload, *platform, *library, *platform_name; /* NULL: as the options file says */
  const char *manager, *job_selection, *resource_selection, *metric, *scheduling_option;
  int64_t seed, trajectories, trajectory_origin, trajectory_length; /* -1: as it says */
  bool logs;
} hc_irm_options;

/* The same, with what the options file says. Names of files are as they are opened. */
typedef struct hc_irm_settings {
  const char *workload, *platform, *library, *platform_name;
  const char *workload_name; /* as it was written */
  const hc_irm_manager_type *manager;
  const char *job_selection, *resource_selection, *metric, *scheduling_option; /* NULL: its default */
  uint32_t seed;
  uint32_t trajectories;
  uint32_t origin, length; /* HC_IRM_NONE: drawn. length 0: all */
  bool log_nodes;
} hc_irm_settings;

/* ---- the platform ---- */

#define HC_IRM_WHY 200 /* bytes of a reason */

/** How tasks contend for memory, and what that costs: a model of a platform, by its name. Its constants stand
 *  in the definitions of processors, or of nodes. */
typedef struct hc_irm_model {
  const char *name;
  bool by_node; /* tasks are processes of a node; false: each has a core, and shares its processor's memory */
  const char *const *constants; /* names, to NULL */
  /** What is wrong with them goes to `why`. NULL: whatever they are. @return 0, HC_EINPUT */
  hc_rc (*check)(const double *constants, uint32_t cores, char why[HC_IRM_WHY]);
  /** Of a task: x MB/s are asked for by all of the processor or node, y by it, and n are there beside it. */
  double (*speedup)(const double *constants, double x, double y, double n);
  /** By node: W of a node with n processes that ask for x MB/s. NULL: its processors say it. */
  double (*power)(const double *constants, double x, double n);
} hc_irm_model;

#define HC_CONTENTION(x) extern const hc_irm_model hc_irm_##x;
#include "irmasim/models.def"
#undef HC_CONTENTION

/** Number `i` of all of them; NULL: there are no more. */
const hc_irm_model *hc_irm_model_at(size_t i);
/** @return HC_EINPUT, with what is wrong */
hc_rc hc_irm_wrong(char why[HC_IRM_WHY], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of a processor: constants of speed-up and power. */
typedef struct hc_irm_processor_type {
  uint32_t cores;
  double clock_rate, flops_per_cycle, mops;      /* of a core: clock_rate x flops_per_cycle x 1000 */
  double dynamic_power, static_power, min_power; /* W a core; W a core; share of it of an idle processor */
  const double *constants;                       /* of the model */
} hc_irm_processor_type;

/* Of a node, where tasks are its processes: the same, of all of them together. */
typedef struct hc_irm_node_type {
  uint32_t cores;
  double gops; /* of a process */
  const double *constants;
  hc_irm_number pidle;
} hc_irm_node_type;

typedef struct hc_irm_core {
  uint32_t processor, node;
  uint32_t task;    /* HC_IRM_NONE: idle */
  uint32_t busy;    /* its place among busy cores */
  double bandwidth; /* that its task asks for */
  double speedup;
} hc_irm_core;

typedef struct hc_irm_processor {
  const hc_irm_processor_type *type;
  const char *path;      /* "the_platform.cluster0.node0.processor0" */
  uint32_t first, count; /* cores */
  double bandwidth;      /* that its tasks ask for, when one last came or went */
  hc_irm_number power;   /* W. A whole 0 until the first task comes: so IRMaSim has it */
  double max_power;
} hc_irm_processor;

typedef struct hc_irm_process { /* by node: a task on it */
  uint32_t task;
  double bandwidth, speedup;
} hc_irm_process;

typedef struct hc_irm_node {
  const char *id, *path; /* "node0", "the_platform.cluster0.node0" */
  uint32_t first, count; /* processors */
  uint32_t first_core, cores, idle;
  uint32_t same;                /* first node of that id: managers that count by id mix them up */
  double memory;                /* that tasks hold */
  const hc_irm_node_type *type; /* by node, as what follows */
  hc_irm_process *processes;    /* [process_count] */
  size_t process_count, process_cap;
  double bandwidth;
} hc_irm_node;

typedef struct hc_irm_cluster {
  uint32_t first, count; /* nodes */
} hc_irm_cluster;

typedef struct hc_irm_platform {
  const hc_irm_model *model;
  const char *name, *id;
  hc_irm_cluster *clusters;
  hc_irm_node *nodes;
  hc_irm_processor *processors;
  hc_irm_core *cores;
  size_t cluster_count, node_count, processor_count, core_count;
  size_t cluster_cap, node_cap, processor_cap, core_cap;
  uint32_t *busy; /* [busy_count] cores with a task, in no order */
  size_t busy_count;
  double mops;   /* of all cores */
  size_t leaves; /* by which utilisation is divided: cores, or nodes */
} hc_irm_platform;

/* ---- the workload ---- */

typedef struct hc_irm_row {   /* a job as the file has it */
  const char *name, *profile; /* profile NULL: none, and its number stands for it */
  hc_irm_number subtime, req_time, req_energy, memory, memory_volume;
  double ops;
  uint32_t nodes, tasks, tasks_per_node;
} hc_irm_row;

typedef struct hc_irm_job {
  uint32_t row, id;
  uint32_t first;                      /* task */
  uint32_t left;                       /* tasks with operations left */
  uint32_t rank;                       /* of submission */
  hc_irm_number submit, start, finish; /* start +inf: not yet */
  double random;                       /* drawn as it is submitted, under Heuristic */
  bool is_submitted, is_finished;
} hc_irm_job;

typedef struct hc_irm_task {
  uint32_t job;
  uint32_t place; /* core, or node; HC_IRM_NONE: never scheduled */
  double ops;     /* left; whole, and below 0 after its end */
  hc_irm_number execution_time;
} hc_irm_task;

/* ---- statistics: each adds up in the order in which jobs finish ---- */

typedef struct hc_irm_statistic {
  double total;
  hc_irm_number max, min;
} hc_irm_statistic;

enum { HC_IRM_SLOWDOWN, HC_IRM_BOUNDED, HC_IRM_USER, HC_IRM_WAITING, HC_IRM_RELATIVE, HC_IRM_STATISTICS };

typedef struct hc_irm_manager hc_irm_manager; /* a manager's state */

struct hc_world {
  const hc_allocator *allocator;
  const hc_irm_options *options;
  hc_arena arena; /* settings, names, types */
  hc_irm_settings set;
  hc_irm_random random;
  hc_irm_platform platform;
  hc_irm_row *rows;
  size_t row_count, row_cap;
  hc_irm_manager *manager;

  /* The trajectory that goes on. */
  hc_irm_job *jobs; /* by submission */
  hc_irm_task *tasks;
  size_t job_count, task_count, job_room, task_room;
  size_t next; /* job to be submitted */
  size_t pending, running, finished_count;
  uint32_t *finished; /* [job_count] in that order */
  uint32_t *ended;    /* [ended_count] jobs without operations left that IRMaSim has not noticed yet */
  size_t ended_count;
  hc_irm_statistic statistics[HC_IRM_STATISTICS];
  double core_time, mops_done;
  uint32_t trajectory;
  bool is_going, is_over;

  hc_irm_number time, energy, energy_asked;
  double to_end, to_arrival; /* seconds */
  bool arrival_is_whole;
  uint64_t events, started;

  hc_buffer simulation, job_log, nodes, summary; /* logs, as text */
  char *statistics_text;                         /* of the last row of simulation, until a job finishes */
  size_t statistics_size, statistics_cap;
  hc_error *error; /* of the call that goes on */
};

/* ---- managers: who runs next, and where ---- */

/** A manager hears what IRMaSim's hears, and calls hc_irm_schedule. Jobs and nodes are numbers. */
struct hc_irm_manager_type {
  const char *name;
  bool by_node; /* the model that it needs is */
  /** Options are in w->set; what it says as it begins goes to w->summary. @return 0, HC_EUSAGE, HC_ENOMEM */
  hc_rc (*init)(hc_world *w, hc_irm_manager **out, hc_error *e);
  hc_rc (*submitted)(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count);
  hc_rc (*finished)(hc_irm_manager *m, hc_world *w, const uint32_t *jobs, size_t count);
  void (*fini)(hc_irm_manager *m, const hc_allocator *a);
};

#define HC_MANAGER(x) extern const hc_irm_manager_type hc_irm_manager_##x;
#include "irmasim/managers.def"
#undef HC_MANAGER

/** @return NULL: there is none */
const hc_irm_manager_type *hc_irm_manager_find(const char *name);

static inline const hc_irm_row *hc_irm_row_of(const hc_world *w, uint32_t job)
{
  return &w->rows[w->jobs[job].row];
}

/** A number of the words of a list, "a|b|c"; -1: it is none of them, and `e` says so. */
int hc_irm_choice(const char *key, const char *word, const char *words, const char *fallback, hc_error *e);

/** Seconds as virtual time, to the nearest nanosecond; times beyond 146 years become that. */
static inline hc_time hc_irm_ns(double s)
{
  const double most = 4.6e9;
  if (!(s > -most)) return (hc_time)(-most * 1e9);
  if (s > most) return (hc_time)(most * 1e9);
  return (hc_time)(s < 0 ? s * 1e9 - 0.5 : s * 1e9 + 0.5);
}

/* ---- what parts do ---- */

hc_rc hc_irm_settle(hc_world *w, hc_error *e);
hc_rc hc_irm_build(hc_world *w, hc_error *e);
void hc_irm_raze(hc_world *w);
hc_rc hc_irm_load(hc_world *w, hc_error *e);
/** The jobs of the next trajectory. */
hc_rc hc_irm_generate(hc_world *w, hc_error *e);

/** A task of a job starts on a core, or by a model of nodes on one. @return 0, HC_ENOMEM */
hc_rc hc_irm_schedule(hc_world *w, uint32_t task, uint32_t place);
/** All tasks of a job leave. */
void hc_irm_reap(hc_world *w, uint32_t job);
/** The first idle core of a node; HC_IRM_NONE: none. */
uint32_t hc_irm_idle_core(const hc_world *w, uint32_t node);
/** The tasks of a job, each on the first idle core of a node, as far as there are any. */
hc_rc hc_irm_schedule_on(hc_world *w, uint32_t job, uint32_t node);
void hc_irm_advance_tasks(hc_world *w, hc_irm_number delta);
double hc_irm_next_end(const hc_world *w); /* seconds; infinity: nothing runs */
hc_irm_number hc_irm_joules(const hc_world *w, hc_irm_number delta);

hc_rc hc_irm_log_header(hc_world *w);
hc_rc hc_irm_log_state(hc_world *w);
hc_rc hc_irm_log_job(hc_world *w, uint32_t job);
/** A line of the closing figures, and of what is said on the way. */
void hc_irm_say(hc_world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hc_irm_count_finished(hc_world *w, uint32_t job);

extern const char *const hc_irm_figures[];
hc_rc hc_irm_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e);

hc_rc hc_irm_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e);
hc_rc hc_irm_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e);
void hc_irm_progress(const hc_world *w, hc_world_progress *p);
void hc_irm_free(hc_world *w);

#endif
