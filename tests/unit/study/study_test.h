/* study_test.h -- a study in memory: axes from lists of labels, one figure or two from a function of the
 * levels. */
#ifndef HC_TESTS_STUDY_TEST_H
#define HC_TESTS_STUDY_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hindcast/study.h"

#define STUDY_AXES 6
#define STUDY_FIGURES 4
#define STUDY_LEVELS 64

typedef double (*study_value)(size_t figure,
                              const uint32_t *level); /* NaN: the point has not been carried out */

typedef struct study_test {
  hc_study_data data;
  hc_study_axis axes[STUDY_AXES];
  hc_study_figure figures[STUDY_FIGURES];
  char *text[STUDY_AXES];
  const char *labels[STUDY_AXES][STUDY_LEVELS];
  double numbers[STUDY_AXES][STUDY_LEVELS];
  double *values[STUDY_FIGURES];
  const double *value[STUDY_FIGURES];
  uint32_t *level;
  uint8_t *state;
} study_test;

/* axes: {"name", "a b c", ..., NULL}; figures: {"wait_mean", ..., NULL} */
static inline void study_make(study_test *s, const char *const *axes, const char *const *figures,
                              study_value value)
{
  memset(s, 0, sizeof *s);
  uint64_t points = 1;
  uint32_t n = 0, m = 0;
  for (; axes[2 * n]; n++) {
    hc_study_axis *x = &s->axes[n];
    s->text[n] = strdup(axes[2 * n + 1]);
    x->name = axes[2 * n];
    for (char *w = strtok(s->text[n], " "); w; w = strtok(NULL, " ")) {
      char *end;
      s->labels[n][x->count] = w;
      s->numbers[n][x->count] = strtod(w, &end);
      if (*end) s->numbers[n][x->count] = NAN;
      x->count++;
    }
    x->labels = s->labels[n];
    x->numbers = s->numbers[n];
    points *= x->count;
  }
  for (; figures[m]; m++) {
    const bool is_good = strcmp(figures[m], "utilisation") == 0;
    s->figures[m] = (hc_study_figure){.name = figures[m], .unit = "s", .direction = is_good ? 1 : -1};
  }
  s->level = calloc(points * n + 1, sizeof *s->level);
  s->state = calloc(points + 1, 1);
  for (uint32_t f = 0; f < m; f++) s->value[f] = s->values[f] = calloc(points + 1, sizeof(double));
  for (uint64_t p = 0; p < points; p++) {
    uint64_t rest = p;
    for (uint32_t i = n; i-- > 0; rest /= s->axes[i].count)
      s->level[p * n + i] = (uint32_t)(rest % s->axes[i].count);
    for (uint32_t f = 0; f < m; f++) s->values[f][p] = value(f, &s->level[p * n]);
    s->state[p] = isnan(s->values[0][p]) ? HC_POINT_FAILED : HC_POINT_DONE;
  }
  s->data = (hc_study_data){.name = "test", .axis_count = n, .figure_count = m, .point_count = points};
  s->data.axes = s->axes;
  s->data.figures = s->figures;
  s->data.level = s->level;
  s->data.state = s->state;
  s->data.value = s->value;
}

static inline void study_drop(study_test *s)
{
  for (size_t i = 0; i < STUDY_AXES; i++) free(s->text[i]);
  for (size_t i = 0; i < STUDY_FIGURES; i++) free(s->values[i]);
  free(s->level);
  free(s->state);
}

/* An allocator that fails after so many successes. */
typedef struct failing {
  uint64_t left; /* allocations that still succeed */
  int64_t live;
} failing;

static inline void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  failing *f = ctx;
  (void)old_size;
  if (new_size == 0) {
    f->live -= p != NULL;
    free(p);
    return NULL;
  }
  if (f->left == 0) return NULL;
  f->left--;
  void *q = realloc(p, new_size);
  f->live += p == NULL;
  return q;
}

#endif
