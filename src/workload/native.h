/* native.h -- what the native format says: values, profiles, jobs, and tasks made of them. */
#ifndef HC_WORKLOAD_NATIVE_H
#define HC_WORKLOAD_NATIVE_H

#include "base/value.h"
#include "execution/book.h"
#include "hindcast/workload.h"
#include "workload/items.h"
#include "workload/names.h"

#define HC_NATIVE_TASKS ((int64_t)1 << 24)    /* most tasks of a bundle, most jobs of a file of jobs */
#define HC_NATIVE_PRIORITY ((int64_t)1 << 52) /* the highest, and below zero the lowest */
#define HC_NATIVE_AMOUNT ((int64_t)1 << 52)   /* every amount is below it */

/* How numbers are read. */
typedef struct hc_native_units {
  hc_time time;   /* of a number of time */
  int64_t memory; /* of a number of memory or disk, bytes */
  double speed;   /* work that a core does in one unit of time */
} hc_native_units;

/* ---- values ---- */

/** The text of a scalar that is not null, as a field. False: it is something else. */
bool hc_native_scalar(const hc_value *v, hc_field *out);
/** A length of time, a whole number, an amount of work; at least 0 but for the second.
 *  @return 0, or HC_EINPUT with "`what` is ...". */
hc_rc hc_native_time(const hc_value *v, const char *what, hc_time unit, hc_time *out, hc_error *e);
hc_rc hc_native_whole(const hc_value *v, const char *what, int64_t least, int64_t most, int64_t *out,
                      hc_error *e);
hc_rc hc_native_work(const hc_value *v, const char *what, double *out, hc_error *e);
/** The number of a name, as hc_name_number has it. @return the same. */
hc_rc hc_native_name(const hc_value *v, const char *what, int64_t *out, hc_error *e);

/** A key, of which several spellings mean the same. Tables of them end with a NULL. */
typedef struct hc_native_key {
  const char *name;
  int what; /* index of what it means */
} hc_native_key;

/** Sort the members of a map by what they mean; null ones count as absent.
 *  @param at       [count] out: values, NULL where there is none
 *  @param unknown  called for each key that is not in the table; NULL: they are an error
 *  @return 0; HC_EINPUT: two keys that mean the same, an unknown key (`*is_unknown` is then set); what
 *  `unknown` returned. */
hc_rc hc_native_members(const hc_value *map, const hc_native_key *keys, const hc_value **at, size_t count,
                        hc_rc (*unknown)(void *ctx, const hc_value *v, hc_error *e), void *ctx,
                        bool *is_unknown, hc_error *e);
/** The key of a table nearest to a word; NULL if none is near. */
const char *hc_native_nearest(const hc_native_key *keys, const char *word);

/* ---- profiles ---- */

/* What a profile comes to: fixed + work / (speed x cores), on each of its processes at once. */
typedef struct hc_native_length {
  hc_time fixed;      /* ns */
  double work;        /* of the process with the most */
  uint32_t processes; /* for which it was written; 0: any number */
  bool other;         /* its length depends on a network, on a disk, or on what shares them */
} hc_native_length;

typedef struct hc_native_profiles {
  const hc_allocator *allocator;
  const hc_native_units *units;
  hc_names names;
  hc_native_length *all; /* by the id of the name */
  size_t cap;
} hc_native_profiles;

void hc_native_profiles_init(hc_native_profiles *p, const hc_allocator *a, const hc_native_units *u);
void hc_native_profiles_fini(hc_native_profiles *p);
/** Read a file that maps names to profiles. @return 0, or as hc_value_parse_file. */
hc_rc hc_native_profiles_read(hc_native_profiles *p, const char *path, hc_error *e);
/** What a profile comes to: the name of one that is known, or a description. @return 0, or HC_EINPUT. */
hc_rc hc_native_length_of(const hc_native_profiles *p, const hc_value *v, hc_native_length *out, hc_error *e);
/** How long it runs on hosts that have so many thousandths of cores each (HC_UNKNOWN: not known; `uneven`:
 *  that is the least of them). @return 1; 0 if it depends on the platform; HC_EINPUT, with only `what` said,
 *  if it is for another number of processes or endless. */
hc_rc hc_native_run(const hc_native_length *l, const hc_native_units *u, int64_t hosts, int64_t milli,
                    bool uneven, hc_time *out, const char **what);

/* ---- profiles that are kept: native_scripts.c ---- */

/* A named profile, written out. */
typedef struct hc_native_script {
  hc_book_name name;
  const char *text; /* [size] */
  size_t size;
} hc_native_script;

typedef struct hc_native_scripts {
  const hc_allocator *allocator;
  const hc_book *book;   /* NULL: profiles are worked out to lengths */
  hc_native_script *all; /* by the id of the name in hc_native_profiles.names */
  size_t cap;
  hc_arena lasting, scratch; /* of the file; of the task at hand */
  hc_buffer text;            /* of the task at hand */
} hc_native_scripts;

void hc_native_scripts_init(hc_native_scripts *s, const hc_allocator *a, const hc_book *book);
void hc_native_scripts_fini(hc_native_scripts *s);
/** Read a file that maps names to profiles. @return 0, HC_EUSAGE with the place, or as
 * hc_value_parse_file. */
hc_rc hc_native_scripts_read(hc_native_scripts *s, hc_native_profiles *p, const char *path, hc_error *e);
/** What a task says that it does, as text, borrowed until the next call; and what that takes alone.
 *  @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_native_script_of(hc_native_scripts *s, const hc_native_profiles *p, const hc_value *v,
                          const char **text, size_t *size, hc_native_length *alone, hc_error *e);

/** The same with what stands around it. @param more  NULL, or the additional input and output beside it: a
 *  profile, or {profile, coupled}; @param mapping  NULL, or a map of labels of storage to what they mean
 *  @return as hc_native_script_of, HC_EINPUT with the place */
hc_rc hc_native_script_with(hc_native_scripts *s, const hc_native_profiles *p, const hc_value *v,
                            const hc_value *more, const hc_value *mapping, const char **text, size_t *size,
                            hc_native_length *alone, hc_error *e);

/* ---- jobs ---- */

/* What the file of jobs says of one. */
typedef struct hc_native_job {
  int64_t id, user, group, queue, priority;
  hc_time submit; /* HC_UNKNOWN */
  bool has_priority;
  size_t first_after, after_count; /* in `after`: jobs that it waits for */
} hc_native_job;

/* Names that become numbers, in order of first sight. */
typedef enum hc_native_list {
  HC_NATIVE_USERS,
  HC_NATIVE_GROUPS,
  HC_NATIVE_QUEUES,
  HC_NATIVE_PARTITIONS,
  HC_NATIVE_ACCOUNTS,
  HC_NATIVE_QOSES,
  HC_NATIVE_LISTS
} hc_native_list;

/* Everything that tasks are read with. */
typedef struct hc_native {
  const hc_source_context *context;
  hc_native_units units;
  hc_refers refers;    /* what tasks may wait for */
  bool ignore_unknown; /* keys that mean nothing */
  hc_native_profiles profiles;
  hc_native_scripts scripts;
  hc_interned lists[HC_NATIVE_LISTS];
  uint64_t programs, partitions; /* names of them that were said beside their numbers */
  hc_buffer scratch;
  hc_native_job *jobs; /* [job_count] */
  size_t job_count, job_cap;
  int64_t *after; /* of all jobs */
  size_t after_count, after_cap;
  hc_map by_id; /* of `jobs` */

  /* of the task at hand */
  hc_after *afters;
  hc_constraint *constraints;
  uint32_t *hosts;
  uint32_t *prefers;
  uint32_t *sets; /* those behind the first */
  uint32_t *executors;
  hc_chunk *chunks;
  hc_use_step *uses;
  hc_resize_step *resizes;
  hc_task_size *sizes;
  hc_data_item *items; /* what it reads, then what it makes */
  hc_amount further[HC_DIMENSIONS];
  size_t afters_cap, constraints_cap, hosts_cap, prefers_cap, chunks_cap, uses_cap, resizes_cap,
      executors_cap, items_cap, sets_cap, sizes_cap;
  bool is_fatal; /* what is wrong is wrong with the file, not with one row */
  hc_reason why; /* it is rejected */
} hc_native;

void hc_native_init(hc_native *n, const hc_source_context *c);
void hc_native_fini(hc_native *n);
hc_rc hc_native_visit(hc_native *n, hc_visitor *v);
/** Read the file of jobs. @return 0, HC_EINPUT, HC_EIO, HC_ENOMEM, HC_ELIMIT. */
hc_rc hc_native_jobs_read(hc_native *n, const char *path, hc_error *e);
/** NULL if the file of jobs does not know it. */
const hc_native_job *hc_native_job_of(const hc_native *n, int64_t id);
/** The number of a user, group ... that stands in `v`. @return 0, HC_EINPUT, HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_native_number(hc_native *n, hc_native_list which, const hc_value *v, const char *what, int64_t *out,
                       hc_error *e);

/** The same of what may be called something: {3: ann} is number 3, called ann. */
hc_rc hc_native_called(hc_native *n, hc_native_list which, const hc_value *v, const char *what, int64_t *out,
                       hc_error *e);

/* ---- tasks ---- */

/** Read a task. `t->id` is its rank as it comes in. What `t->more` holds is the caller's to drop.
 *  @return 1; 0: rejected, for `n->why`; HC_EINPUT: malformed, or wrong for all if `n->is_fatal`; HC_ELIMIT,
 *  HC_ENOMEM. Places of errors count from the item's begin. */
hc_rc hc_native_task(hc_native *n, const hc_value *item, hc_task_spec *t, hc_error *e);

/** A name that the lexicon knows, or learns. @return 0, HC_EINPUT, HC_ENOMEM */
hc_rc hc_native_lexicon_name(hc_native *n, const hc_value *v, const char *what, uint32_t *out, hc_error *e);

/* ---- what it needs: native_amounts.c. A value that is NULL says nothing; all @return 0, HC_EINPUT with
 * the place,
        HC_ENOMEM ---- */

/* What all hosts of a task come to. */
typedef struct hc_native_sums {
  int64_t hosts, milli, memory; /* HC_UNKNOWN */
  int64_t least; /* thousandths of cores of the host with the least; HC_UNKNOWN: one has all of it */
  bool uneven;   /* hosts differ in their cores */
} hc_native_sums;

/** An amount, rounded up to a whole number of what is counted. Decimals are exact to nine digits.
 *  @param unit  so many to one that stands there; @param sizes  4GiB is one, too */
hc_rc hc_native_amount(hc_native *n, const hc_value *v, int64_t unit, bool sizes, int64_t *out, hc_error *e);
/** The word "unknown". NULL is not. */
bool hc_native_is_unknown(const hc_value *v);
/** Resources: a map, or a list of maps, which are chunks. @param procs  processors that are said beside
 * them */
hc_rc hc_native_read_resources(hc_native *n, const hc_value *v, const hc_value *procs, hc_task_spec *t,
                               hc_task_extras *m, hc_native_sums *s, hc_error *e);
/** What it really uses, step by step since its start, of each slot. */
hc_rc hc_native_read_usage(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e);
/** Amounts of each slot that it is to hold later on. */
hc_rc hc_native_read_resizes(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e);
/** How many cores of each of its hosts it may start with. */
hc_rc hc_native_read_cores(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                           hc_error *e);
/** Processors, and memory for each: its cores, or its hosts where nothing is said of cores. */
void hc_native_set_processors(hc_task_spec *t, const hc_native_sums *s);
/** The same of a task that does not say them. */
void hc_native_derive(hc_task_spec *t, const hc_chunk *chunks, size_t count);
/** Whether a dimension of this name can stand among resources and is read as itself. */
bool hc_native_is_dimension(const char *name);

/* ---- in which sizes it may run: native_sizes.c ---- */

/* Each may be NULL. */
typedef struct hc_native_sizes {
  const hc_value *malleable, *moldable, *shapes, *profile, *delay, *executors;
  bool is_sized; /* it says how many processors or hosts it needs */
} hc_native_sizes;

/** Before its run is read: that of the shape of its own size is its run and its limit. */
hc_rc hc_native_read_sizes(hc_native *n, const hc_native_sizes *at, hc_task_spec *t, hc_task_extras *m,
                           hc_error *e);

/* ---- on which terms it starts: native_terms.c ---- */

/* Each may be NULL. */
typedef struct hc_native_terms {
  const hc_value *reservation, *switches, *least_limit, *exclusive, *component, *requeue;
} hc_native_terms;

/** @return 0, HC_EINPUT with the place, HC_ENOMEM */
hc_rc hc_native_read_terms(hc_native *n, const hc_native_terms *at, const hc_task_spec *t, hc_task_extras *m,
                           hc_error *e);

/* ---- what else is said of it ---- */

/** Ids that are names are what a task and its job are called, unless it was said. @return 0 or HC_ENOMEM */
hc_rc hc_native_label(hc_native *n, const hc_value *id, const hc_value *job, hc_task_spec *t);
/** On which of its hosts each of its processes is: how many there are, a list with the host of each, or
 *  {count, placement}. @param v  NULL: one on each; @return 0, HC_EINPUT, HC_ENOMEM */
hc_rc hc_native_read_executors(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                               hc_error *e);
/** What numbers of a task are called: the last thing that is read of it, since the task holds the labels.
 *  @param v  NULL: nothing is said; @return 0, HC_EINPUT, HC_ENOMEM */
hc_rc hc_native_read_called(hc_native *n, const hc_value *v, hc_task_spec *t, hc_error *e);
/** What a log recorded of a task, beside what it needs: a map. @return 0, HC_EINPUT. */
hc_rc hc_native_read_recorded(hc_native *n, const hc_value *v, hc_task_spec *t, hc_error *e);

/** What a task waits for: an index within its own job, or {job: ..., task: ...}; one or a list of them. Adds
 *  to `n->afters`. @return 0, HC_EINPUT, HC_ENOMEM. */
hc_rc hc_native_read_after(hc_native *n, const hc_value *v, hc_after_how how, const hc_task_spec *t,
                           size_t *count, hc_error *e);
/** Constraints on attributes: "ssd", "!ssd", "kernel>=5", "gpu_model=V100|A100"; {attribute: x, is: "=",
 * value: y} for names and values with signs in them; {any: [...]} of such, which are alternatives; one or
 * a list of them. Adds to `n->constraints`. @return the same. */
hc_rc hc_native_read_constraints(hc_native *n, const hc_value *v, size_t *count, hc_error *e);

/** The items that a task reads and makes (either may be NULL): names, {name, size}, or a map of names to
 *  sizes. @return 0, HC_EINPUT, HC_ENOMEM. */
hc_rc hc_native_read_data(hc_native *n, const hc_value *inputs, const hc_value *outputs,
                          const hc_task_spec *t, hc_task_extras *m, hc_error *e);

#endif
