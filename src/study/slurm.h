/* slurm.h -- what the files of the carrier `slurm` share. */
#ifndef HC_STUDY_SLURM_H
#define HC_STUDY_SLURM_H

#include "study/carrier.h"

#define HC_SLURM_PATH 4096

typedef struct hc_slurm_options {
  const char *partition, *account, *qos, *memory, *command;
  hc_time time, chunk, poll, patience;
  int64_t cpus, elements, at_once, retries;
  int on_interrupt; /* 0 cancel, 1 leave */
  hc_list sbatch, setup;
} hc_slurm_options;

typedef enum hc_slurm_place { HC_SLURM_IDLE, HC_SLURM_QUEUED, HC_SLURM_ENDED } hc_slurm_place;

typedef struct hc_slurm_element {
  uint64_t open, before; /* points that it has yet to do: now, and when it was submitted */
  hc_time ended;         /* when that was seen */
  uint32_t tries;        /* that came to nothing */
  uint8_t place;
  bool listed;    /* the queue has just named it */
  char state[20]; /* as Slurm calls it; empty: it has left the queue unseen */
} hc_slurm_element;

typedef struct hc_slurm_array {
  hc_task_list *t;
  const hc_slurm_options *o;
  char dir[HC_SLURM_PATH], cwd[HC_SLURM_PATH];
  char job[32];               /* its number; empty: none is in the queue */
  hc_slurm_element *elements; /* [count] number 1 first */
  uint64_t count;
  unsigned deaf;
  hc_buffer said;
} hc_slurm_array;

/* slurm_files.c -- what is written for the elements */

/** A path in the directory beside the store. */
hc_rc hc_slurm_path(const hc_slurm_array *a, char out[HC_SLURM_PATH], hc_error *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** A file there. @param mode as of fopen */
hc_rc hc_slurm_write(const hc_slurm_array *a, const char *name, const char *mode, const void *data,
                     size_t size, hc_error *e);
/** Which element does the position `at` of the carrying out (of a study that stops by itself: the
 *  combination).
 *  @param shard  1 at first; `at` must not fall from call to call */
uint64_t hc_slurm_owner(const hc_slurm_array *a, uint64_t at, uint64_t *shard);
/** Put what is known of elements that have something to do into their parts, so that nothing is done twice.
 *  */
hc_rc hc_slurm_seed(hc_slurm_array *a, hc_error *e);
int64_t hc_slurm_cpus(const hc_slurm_array *a); /* of an element */
/** Write the study and the batch script. */
hc_rc hc_slurm_write_files(const hc_slurm_array *a, hc_error *e);

#endif
