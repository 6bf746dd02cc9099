/* runner.h -- carries out points of a study one after another, in one process: what a worker is made of. */
#ifndef HC_STUDY_RUNNER_H
#define HC_STUDY_RUNNER_H

#include "study/plan.h"

/* The figures that a run found, by name: most points of a study have the same. */
typedef struct hc_figure_set {
  uint64_t key;     /* checksum of the text */
  const char *text; /* "name|unit\n" of each that is kept */
  size_t text_size, count;
} hc_figure_set;

/* What became of a point. Borrowed until the next one. */
typedef struct hc_outcome {
  hc_point_state state;
  const hc_figure_set *set; /* DONE */
  const double *values;     /* [set->count] */
  const char *text;         /* else: why */
} hc_outcome;

typedef struct hc_runner hc_runner;

/** @param tape_limit bytes of a workload that is kept to be played again; beyond it the sources are read each
 *  time
 *  @return 0 or HC_ENOMEM */
hc_rc hc_runner_new(hc_study *s, size_t tape_limit, hc_runner **out, hc_error *e);
void hc_runner_free(hc_runner *r);
/** Carry out a point. A run that fails is an outcome, not an error. @return 0 or HC_ENOMEM (for the outcome
 *  itself). */
hc_rc hc_runner_point(hc_runner *r, uint64_t point, hc_outcome *out, hc_error *e);

/* order.c -- in which order points are carried out */

/** Position `at` of the carrying out as a point: all points of one workload stand together. */
uint64_t hc_study_point_at(const hc_study *s, uint64_t at);
/** Where part `shard` (from 1) of `shards` begins in that order; part shards + 1: the end. */
uint64_t hc_study_shard_begin(const hc_study *s, uint64_t shard, uint64_t shards);

#endif
