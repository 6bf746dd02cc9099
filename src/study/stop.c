/* stop.c -- studies that replicate until a figure is known well enough.
 *
 * Each combination of the other axes needs the first n replications, n being the least for which the interval
 * over replications 0 to n - 1 is narrow enough. That depends on values alone, so it is the same whatever
 * computed them and however many were computed in vain. Replications are given out in waves, each half as
 * long as all before it. */
#include <string.h>

#include "base/util.h"
#include "study/carrier.h"

/* Which value of a set is the figure that decides, + 1. */
static uint32_t column_of(const hc_study *s, const hc_record *r)
{
  const size_t n = strlen(s->stop.figure);
  uint32_t i = 1;
  for (const char *line = r->text, *end = r->text + r->head.text_size; line < end; i++) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop) break;
    if ((size_t)(stop - line) > n && memcmp(line, s->stop.figure, n) == 0 && line[n] == '|') return i;
    line = stop + 1;
  }
  return 0;
}

hc_rc hc_task_set(hc_task_list *t, const hc_record *r, hc_error *e)
{
  if (!t->study->stop.figure) return 0;
  for (size_t i = 0; i < t->set_count; i++)
    if (t->sets[i].key == r->head.set) return 0;
  if (hc_reserve(t->study->allocator, (void **)&t->sets, &t->set_cap, t->set_count + 1, sizeof *t->sets) < 0)
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the figures of the study");
  t->sets[t->set_count++] = (hc_task_column){.key = r->head.set, .column = column_of(t->study, r)};
  return 0;
}

double hc_task_value(const hc_task_list *t, const hc_record *r)
{
  if (r->head.state == HC_POINT_DONE)
    for (size_t i = 0; i < t->set_count; i++)
      if (t->sets[i].key == r->head.set && t->sets[i].column > 0 && t->sets[i].column <= r->head.count)
        return r->values[t->sets[i].column - 1];
  return (double)__builtin_nan("");
}

/* How many replications a combination needs; 0: not known yet. */
static hc_rc decide(const hc_task_list *t, uint64_t combination, double *values, uint64_t *out)
{
  const hc_study_stop *stop = &t->study->stop;
  const hc_stat_precision wish = {.rule = HC_STAT_SEQUENTIAL,
                                  .level = 0.95,
                                  .half_width = stop->relative ? 0 : stop->half_width,
                                  .relative = stop->relative ? stop->half_width : 0,
                                  .first = 2};
  const uint64_t first = combination * stop->max;
  size_t n = 0;
  *out = 0;
  for (uint64_t k = 0; k < stop->max; k++) {
    uint64_t needed = UINT64_MAX;
    const double x = t->values[first + k];
    if (t->offset[first + k] == 0) return 0;
    if (x == x) values[n++] = x;
    if (k + 1 < stop->min || n < 2) continue;
    TRY(hc_stat_needed(values, n, &wish, &needed));
    if (needed > n) continue;
    *out = k + 1;
    return 0;
  }
  *out = stop->max;
  return 0;
}

hc_rc hc_task_decide(hc_task_list *t, hc_error *e)
{
  const hc_study *s = t->study;
  double *values;
  hc_rc rc = 0;
  if (!s->stop.figure) return 0;
  values = hc_alloc(s->allocator, s->stop.max * sizeof *values);
  if (!values) return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the replications");
  for (uint64_t c = 0; c < s->product / s->stop.max && rc >= 0; c++)
    if (t->decided[c] == 0 && !hc_study_is_excluded(s, c * s->stop.max))
      rc = decide(t, c, values, &t->decided[c]);
  hc_free(s->allocator, values, s->stop.max * sizeof *values);
  return rc;
}

bool hc_task_next_wave(hc_task_list *t)
{
  const hc_study_stop *stop = &t->study->stop;
  if (!stop->figure || t->wave_to >= stop->max || hc_task_decide(t, t->error) < 0) return false;
  t->wave_from = 0; /* what an earlier wave left behind is wanted still */
  t->wave_to = t->wave_to == 0 ? stop->min : HC_MIN(stop->max, t->wave_to + HC_MAX(t->wave_to / 2, 1));
  t->at = 0;
  return true;
}

/* Points that the study comes to, as far as that is known: what will not be needed is not among them. */
bool hc_task_counts(const hc_task_list *t, uint64_t point)
{
  const hc_study *s = t->study;
  if (hc_study_is_excluded(s, point)) return false;
  if (!s->stop.figure) return true;
  return t->decided[point / s->stop.max] == 0 || point % s->stop.max < t->decided[point / s->stop.max];
}
