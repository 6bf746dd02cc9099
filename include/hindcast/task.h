/** @file task.h A task: what it may demand beside processors and time, and how it is named while it lives.
 *
 *  Amounts are per *dimension* (cpu, memory, disk, gpu, or any other name) in whole numbers: thousandths of a
 *  core, bytes, thousandths of a GPU; a dimension with another name counts in units of its own. What sources
 *  yield is in workload.h; what was recorded of a task in record.h. */
#ifndef HINDCAST_TASK_H
#define HINDCAST_TASK_H

#include <string.h>

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dimensions ---- */

#define HC_DIMENSIONS 64      /* most that a run may have */
#define HC_NEEDS 8            /* of the first of them a task's spec keeps the amounts in itself */
#define HC_DEVICES 128        /* most GPUs that a host may have */
#define HC_DEVICE 1000        /* one whole GPU, in thousandths */
#define HC_TASK_SETS 64       /* most sets that a task may name */
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

/** GPUs of a host, a bit for each: the i-th is bit i % 64 of bits[i / 64]. */
typedef struct hc_devices {
  uint64_t bits[HC_DEVICES / 64];
} hc_devices;

static inline bool hc_devices_have(const hc_devices *d, uint32_t i)
{
  return d->bits[i / 64] >> i % 64 & 1;
}
static inline void hc_devices_add(hc_devices *d, uint32_t i)
{
  d->bits[i / 64] |= UINT64_C(1) << i % 64;
}
static inline bool hc_devices_none(const hc_devices *d)
{
  return (d->bits[0] | d->bits[1]) == 0;
}
static inline uint32_t hc_devices_count(const hc_devices *d)
{
  uint32_t n = 0;
  for (int i = 0; i < 2; i++)
    for (uint64_t bits = d->bits[i]; bits != 0; bits &= bits - 1) n++;
  return n;
}

/* ---- what a task may demand ---- */

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

/** What a task demands of a dimension whose number is HC_NEEDS or more. */
typedef struct hc_amount {
  uint32_t dimension, padding; /* the lexicon's number */
  int64_t amount;              /* of each slot */
} hc_amount;

/** A step of what a task really uses in each of its slots: the same from the end of the step before it, or
 *  from its start, until `until`. The last step lasts as long as the task. HC_UNKNOWN: not measured then. */
typedef struct hc_use_step {
  hc_time until;       /* ns since its start, ascending */
  int64_t cpu, memory; /* thousandths of a core, bytes */
} hc_use_step;

/** What a running task holds changes in place ("vertical resizing"): from `after` its start on, each of its
 *  slots is to have these amounts. What is HC_UNKNOWN, and what the run's dimensions from HC_NEEDS on are, is
 *  as it was asked for before. */
typedef struct hc_resize_step {
  hc_time after; /* ns since the start of its attempt, more than 0, ascending */
  int64_t need[HC_NEEDS];
} hc_resize_step;

/** A data item that a task reads or makes. Its name is one within the job of its task; tasks without a job
 *  share names. */
typedef struct hc_data_item {
  int64_t name;  /* a number, or that of a text */
  int64_t bytes; /* of an input: HC_UNKNOWN, what the task says that makes it */
} hc_data_item;

/** Who may be on the hosts of a task beside it. */
typedef enum hc_exclusive {
  HC_EXCLUSIVE_NOT,  /* any task for which there is room */
  HC_EXCLUSIVE_HOST, /* no other task */
  HC_EXCLUSIVE_USER, /* tasks of its own user */
  HC_EXCLUSIVE_NEVER /* any task, which may have its very cores by turns where the scheduler lets it */
} hc_exclusive;
#define HC_TASK_RESERVATIONS 8 /* that a task may name */

/** May a task that was stopped be run again? */
typedef enum hc_again {
  HC_AGAIN_UNSAID, /* as the run, or the scheduler's configuration, has it */
  HC_AGAIN_NEVER,
  HC_AGAIN_ALWAYS
} hc_again;

/** When a task may have another size than it asks for (hc_task_extras.least, most). One that lasts so long is
 *  resized while it runs; one with a profile, at its scheduling points. */
typedef enum hc_size_change {
  HC_SIZED_AT_START = 1, /* when it starts: it is moldable */
  HC_SIZED_RUNNING = 2,  /* while it runs: it is malleable */
  HC_SIZED_BY_ITSELF = 4 /* when it asks for it: it evolves. Only with a profile */
} hc_size_change;

/** A size that a moldable or malleable task without a profile may have, and how fast it is then. */
typedef struct hc_task_size {
  uint32_t size, padding; /* as hc_task_extras.of counts; padding 0 */
  /* How many times as fast as in one slot: what its run, limit and estimate come to follows from those in the
     size that it asks for, which is among the sizes then. 0: they are said, in ns */
  double speed;
  hc_time run;      /* the truth */
  hc_time limit;    /* HC_UNKNOWN: the task's own */
  hc_time estimate; /* what its user believes; HC_UNKNOWN: its limit */
} hc_task_size;

/** What few tasks have, kept once for all that have the same. Zeroed: nothing; make it with
 *  hc_task_extras_none. */
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
  int64_t rival;       /* what the two limits count: an application, a job */
  const hc_use_step *uses; /* what it really uses, over time; none: as the spec says on average */
  size_t use_count;
  const hc_resize_step *resizes; /* what it is to hold later on, on hosts; none: the same all the time */
  size_t resize_count;
  /* Malleable: while it runs it may have any number of slots from `least` to `most` in place of the
     `of` that it asks for; its work stays what it is, by `sizes` where it has some. Of another machine's
     numbers, in proportion. All 0: it is rigid. */
  uint32_t least, of, most;
  uint32_t changes; /* of hc_size_change: when, and by whose will; 0: HC_SIZED_RUNNING */
  /* Without a profile: with which sizes it may start (HC_SIZED_AT_START), ascending, from `least` to `most`,
     all with a speed or all with times. Of a malleable one every size from the one to the other, with a
     speed. None: any, and slots x time stays what it is */
  const hc_task_size *sizes;
  size_t size_count;
  /* At most so many tasks of its job run at once, as %2 of a job array says; 0: any number. Only a policy
     that declares HC_KEEPS_HOST_COUNTS looks at it. */
  uint32_t at_once;
  /* Its cores are chosen when it starts: as many of each of its hosts as are free there, the same on each,
     from what it asks for to the latter, thousandths. 0: it has what it asks for. */
  int64_t least_cpu, most_cpu;
  /* Its processes, by the host of each among its own, from 0: several may share one. None: one on each */
  const uint32_t *executors;
  size_t executor_count;
  /* On how many different hosts its slots may lie, at least and at most; 0: any number. Only a policy that
     declares HC_KEEPS_HOST_COUNTS looks at it. */
  uint32_t least_hosts, most_hosts;
  const hc_amount *further; /* what each slot needs beside hc_task_spec.need, ascending by dimension */
  size_t further_count;
  const uint32_t *prefers; /* names of hosts, or of zones, where its data are: it may run elsewhere */
  size_t prefer_count;
  /* What it does while it runs, as text (execution/book.h): how long it runs is then what the run's model of
     execution makes of it. None: it lasts */
  const char *profile; /* [profile_size] */
  size_t profile_size;
  const hc_data_item *inputs; /* items that it reads: it waits for the tasks that make them */
  size_t input_count;
  const hc_data_item *outputs; /* items that it makes */
  size_t output_count;
  const uint32_t *sets; /* names of further sets beside `set`, any one of which will do */
  size_t set_count;     /* less than HC_TASK_SETS */
  /* Terms that a batch scheduler was given. Only a policy that declares HC_KEEPS_TERMS looks at them. */
  /* Name of the advance reservation that it runs in, or of several, any of which will do, with commas
     between them, HC_TASK_RESERVATIONS at most; HC_NO_NAME: none */
  uint32_t reservation;
  uint32_t switches;   /* on hosts of at most so many leaf switches; 0: any number */
  hc_time switch_wait; /* ns that it waits for so few; HC_UNKNOWN: as long as the scheduler lets it */
  hc_time least_limit; /* its limit may be cut to no less than this where that lets it start; 0: it may not */
  uint32_t exclusive;  /* hc_exclusive: who else may be on its hosts */
  uint32_t
      component; /* of tasks of its job that have one, which start together, its number, from 1; 0: none */
  /* hc_again: may it be run again when it was preempted, or lost its host? The latter the engine looks at. */
  uint32_t again;
  uint32_t preferred; /* the size, as `of` counts, that its user prefers; 0: the one that it asks for */
} hc_task_extras;

/** Has it terms? Whether it may be run again is none of them. */
static inline bool hc_task_has_terms(const hc_task_extras *m)
{
  return m->reservation != HC_NO_NAME || m->switches > 0 || m->least_limit > 0 || m->exclusive > 0 ||
         m->component > 0;
}

static inline hc_task_extras hc_task_extras_none(void)
{
  hc_task_extras m;
  memset(&m, 0, sizeof m);
  m.set = m.same = m.differ = m.zone_level = m.reservation = HC_NO_NAME;
  m.switch_wait = HC_UNKNOWN;
  return m;
}

/* ---- a live task ---- */

/** A live task: a slot that is used again when the task is gone. Hold its serial across calls, not the
 *  slot. */
typedef uint32_t hc_task;
#define HC_NO_TASK UINT32_MAX

/** A place in a queue: just behind the task last returned. Zeroed, it stands before the first task. */
typedef struct hc_cursor {
  int64_t key;
  uint64_t serial;
  bool inside;
} hc_cursor;

/** A task passes if  units <= max_units  and  (estimate <= max_estimate  or  units <= or_units). */
typedef struct hc_filter {
  int64_t max_units;
  hc_time max_estimate; /* ns; HC_NEVER: any */
  int64_t or_units;     /* 0: no second way in */
  bool fits; /* only tasks that may fit now: those of which an equal one was found not to, while nothing was
                given back since, may be passed over. For components that declare HC_ASKS_FITS; else it
                changes nothing */
} hc_filter;

#ifdef __cplusplus
}
#endif
#endif
