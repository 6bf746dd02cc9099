/* stat_grid.h -- one figure of a study, laid out by what a question tells apart, averages over, and samples.
 *
 * A grid is a box of values: choices x others x samples. A value that is not there is NaN. Series of choices
 * are read from it by the rules of hc_study_query. Everything lives in the grid's arena. */
#ifndef HC_STUDY_STAT_GRID_H
#define HC_STUDY_STAT_GRID_H

#include "base/mem.h"
#include "hindcast/study.h"

typedef struct hc_grid {
  hc_arena arena;
  const hc_study_data *data;
  const char *figure, *unit;
  int direction; /* 1 higher is better, -1 lower is, 0 neither: nothing can be ranked by it */
  double level;
  uint32_t axis_count; /* told apart */
  const uint32_t *axis;
  size_t choices, others, samples;
  const char **label;       /* [choices] */
  const uint32_t *levels;   /* [choices][axis_count] */
  double *value;            /* [choices][others][samples] */
  uint8_t *has;             /* [choices][others] any value at all */
  uint64_t *points, *holes; /* [choices] values; samples that are incomplete */
  uint64_t *missing;        /* [choices] points that failed, or were not carried out yet */
} hc_grid;

/** @return as hc_study_table. Call hc_grid_fini even if it failed. */
hc_rc hc_grid_init(hc_grid *g, const hc_allocator *a, const hc_study_data *d, const hc_study_query *q,
                   hc_error *e);
/** Whether choices can be ranked by the figure. @return 0, or HC_EUSAGE: it has no direction, and how to say
 *  one. */
hc_rc hc_grid_ranks(const hc_grid *g, hc_error *e);
void hc_grid_fini(hc_grid *g);

/* The samples of a choice. @param out [samples]; NaN where one is incomplete. */
void hc_grid_series(const hc_grid *g, size_t choice, double *out);
/* mask[others]: the combinations that all of these choices have. Their series over them are comparable. */
void hc_grid_common(const hc_grid *g, const size_t *who, size_t count, uint8_t *mask);
void hc_grid_series_in(const hc_grid *g, size_t choice, const uint8_t *mask, double *out);
/* How many combinations of others a choice has. */
uint32_t hc_grid_parts(const hc_grid *g, size_t choice);
/* Samples of x - y over the combinations of others that both have. */
void hc_grid_difference(const hc_grid *g, size_t x, size_t y, double *out);
/* The same for the means of two samples' worth: x and y over what both have. */
void hc_grid_both(const hc_grid *g, size_t x, size_t y, double *of_x, double *of_y);
/* Number of a choice by its label; SIZE_MAX. */
size_t hc_grid_find(const hc_grid *g, const char *label);
hc_rc hc_grid_no_choice(const hc_grid *g, const char *label, hc_error *e); /* an error with the nearest one */

/* An axis by its name, or by the part after its last point; UINT32_MAX. */
uint32_t hc_study_axis_find(const hc_study_data *d, const char *name);
uint32_t hc_study_figure_find(const hc_study_data *d, const char *name);
hc_rc hc_study_no_axis(const hc_study_data *d, const char *name, hc_error *e);
hc_rc hc_study_no_figure(const hc_study_data *d, const char *name, hc_error *e);

/* keep[axis][level]: whether the conditions leave it. */
hc_rc hc_study_where(hc_arena *a, const hc_study_data *d, const char *const *where, size_t count,
                     uint8_t ***keep, hc_error *e);

#endif
