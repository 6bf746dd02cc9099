/* slurm_text.h -- the words of Slurm's accounting records as numbers: times, memory, job ids, states. */
#ifndef HC_WORKLOAD_SLURM_TEXT_H
#define HC_WORKLOAD_SLURM_TEXT_H

#include "base/mem.h"
#include "base/text.h"
#include "hindcast/workload.h"

#define HC_SLURM_LAST_SECOND INT64_C(9000000000) /* Unix time, s: nanoseconds up to here fit 64 bits */
#define HC_SLURM_ARRAY_LIMIT INT64_C(4000001)    /* tasks of one array: Slurm's own bound on MaxArraySize */

/* A piece of a line. Not NUL-terminated. */
typedef struct hc_slice {
  const char *s;
  size_t n; /* bytes */
} hc_slice;

/* What a field turned out to be. */
typedef enum hc_slurm_found { HC_SLURM_BAD = -1, HC_SLURM_NOTHING = 0, HC_SLURM_VALUE = 1 } hc_slurm_found;

/* Whether a slice is this word, whatever its case. */
bool hc_slurm_is(hc_slice t, const char *word);
/* Whether two names of columns are the same: letters and digits count, their case does not;
 * "%20" is a width. */
bool hc_slurm_same_column(hc_slice t, const char *name);

/** Seconds since 1970 of `2021-02-11T22:36:19`, of that with Z or +01:00, or of a number of seconds.
 *  @param zone   of times without one; NULL: they are UTC
 *  @param after  of a local time that occurs twice, the first reading that is not before this is taken, s */
hc_slurm_found hc_slurm_time(hc_slice t, const hc_zone *zone, int64_t after, int64_t *out);
/** [D-]HH:MM:SS, MM:SS, D-HH:MM, D-HH, each with a fraction; a number alone counts `unit`. */
hc_slurm_found hc_slurm_duration(hc_slice t, hc_time unit, hc_time *out);
/** A whole number, 0 to 2^52. */
hc_slurm_found hc_slurm_count(hc_slice t, int64_t *out);

/* What an amount of memory is for. */
typedef enum hc_slurm_scope { HC_SLURM_PER_JOB, HC_SLURM_PER_CPU, HC_SLURM_PER_NODE } hc_slurm_scope;

/** Memory in bytes: 2800Mc, 48000Mn, 62.50G, 4000 (of MiB). Zero means all there is, hence nothing is
 *  known; so do amounts past 2^52. From 2^31 MiB on Slurm's flag "per CPU" has leaked into the number, and is
 *  taken off. */
hc_slurm_found hc_slurm_memory(hc_slice t, int64_t *bytes, hc_slurm_scope *scope);
/** The value of `name` in `cpu=12,mem=31000M`; nothing if it is not there. */
bool hc_slurm_tres(hc_slice t, const char *name, hc_slice *out);
/** GPUs in `cpu=12,gres/gpu=2`: of a job; without a total, those of all models (`gres/gpu:v100=2`)
 * together. */
hc_slurm_found hc_slurm_tres_gpus(hc_slice t, int64_t *out);
/** GPUs in `gpu:2`, `gpu:v100:2(S:0-1),shard:4`: of each node; `gpu` alone is one. */
hc_slurm_found hc_slurm_gres_gpus(hc_slice t, int64_t *out);

/* What a state says of the end. */
typedef enum hc_slurm_phase {
  HC_SLURM_ENDED,
  HC_SLURM_IS_RUNNING,
  HC_SLURM_IS_PENDING,
  HC_SLURM_NOT_SAID
} hc_slurm_phase;

/** The phase and the hc_status of a state: "CANCELLED by 1001", "CANCELLED+", "OUT_OF_ME+". */
hc_slurm_phase hc_slurm_state(hc_slice t, hc_recorded *state);
/** The state of a status, as it is written; NULL if none has it. */
const char *hc_slurm_state_word(hc_recorded state);

/* A job's name: 123, 123_7, 123_[1-10%2], 123+0; a step of it: 123.batch, 123_7.0. */
typedef struct hc_slurm_id {
  int64_t job, task, component; /* -1: it has none */
  hc_slice list;                /* the inside of the brackets, without "%2"; empty if there are none */
  bool is_step;
  int64_t at_once; /* "%2": so many of the list run at once; 0: it says nothing of it */
} hc_slurm_id;

bool hc_slurm_job(hc_slice t, hc_slurm_id *out);
/** A bound of an array's running tasks. @return 0: none */
int64_t hc_slurm_at_once(hc_slice t);
/** "7", "7_3", "7+1": what is below 0 is left out. @return bytes, without the NUL */
size_t hc_slurm_spell(char text[80], int64_t job, int64_t task, int64_t component);

/* Tasks first, first + step ... up to last. No padding. */
typedef struct hc_slurm_range {
  int64_t first, last, step;
} hc_slurm_range;

/** Append the ranges of "1,5-7,10-20:2". @param count items in use, set to those appended from 0
 *  @return 1; 0 if it is no list, or names more tasks than an array can have; HC_ENOMEM. */
hc_rc hc_slurm_ranges(const hc_allocator *a, hc_slice list, hc_slurm_range **out, size_t *count, size_t *cap);

#endif
