/* room.c -- see room.h. */
#include "policy/room.h"

#include <string.h>

#include "base/util.h"

static const hc_stopping at_once = {.how = HC_STOP_REQUEUE};

hc_rc hc_room_stop(const hc_services *s, hc_plan *p, const hc_room_task *tasks, size_t count,
                   const hc_stopping *how)
{
  for (size_t i = 0; i < count; i++) TRY(s->stop(p, tasks[i].task, how));
  return 0;
}

static void let_go_on(hc_room_task *tasks, size_t *count, size_t at)
{
  (*count)--;
  memmove(&tasks[at], &tasks[at + 1], (*count - at) * sizeof *tasks);
}

/* Where processors are counted: as many of the first as are enough, without those that prove not to be
 * needed. @return false: all of them are not enough */
static bool add_up(hc_room_task *tasks, size_t *count, int64_t wanted)
{
  int64_t sum = 0;
  size_t n = 0;
  while (n < *count && sum < wanted) sum += tasks[n++].units;
  if (sum < wanted) return false;
  *count = n;
  for (size_t i = n; i-- > 0;) {
    if (sum - tasks[i].units < wanted) continue;
    sum -= tasks[i].units;
    let_go_on(tasks, count, i);
  }
  return true;
}

/* Stop one after the other on the view until the task fits. @return 1: enough, those needed in `count`; 0:
 * not */
static hc_rc stop_until_fits(const hc_services *s, hc_view *v, hc_plan *p, hc_task t,
                             const hc_room_task *tasks, size_t *count, int64_t wanted)
{
  int64_t sum = 0;
  for (size_t i = 0; i < *count; i++) {
    TRY(s->stop(p, tasks[i].task, &at_once));
    sum += tasks[i].units;
    if (sum < wanted || !s->fits(v, t)) continue;
    *count = i + 1;
    return 1;
  }
  return 0;
}

/* Does the task fit without these? The view is as it was. */
static hc_rc fits_without(const hc_services *s, hc_view *v, hc_plan *p, hc_task t, const hc_room_task *tasks,
                          size_t count, const hc_plan_mark *mark)
{
  bool fits;
  TRY(hc_room_stop(s, p, tasks, count, &at_once));
  fits = s->fits(v, t);
  TRY(s->take_back(p, mark));
  return fits;
}

/* Let tasks go on that it would fit without as well: the last chosen are the dearest. One without which the
 * sum would not be enough is not tried. */
static hc_rc spare(const hc_services *s, hc_view *v, hc_plan *p, hc_task t, hc_room_task *tasks,
                   size_t *count, int64_t wanted, const hc_plan_mark *mark)
{
  int64_t sum = 0;
  for (size_t i = 0; i < *count; i++) sum += tasks[i].units;
  for (size_t i = *count; i-- > 0 && *count > 1;) {
    const hc_room_task one = tasks[i];
    hc_rc fits;
    if (sum - one.units < wanted) continue;
    sum -= one.units;
    let_go_on(tasks, count, i);
    TRY(fits = fits_without(s, v, p, t, tasks, *count, mark));
    if (fits) continue;
    memmove(&tasks[i + 1], &tasks[i], (*count - i) * sizeof one);
    tasks[i] = one;
    (*count)++;
    sum += one.units;
  }
  return 0;
}

hc_rc hc_room_make(const hc_services *s, hc_view *v, hc_plan *p, hc_task t, hc_room_task *may_go,
                   size_t *count)
{
  const hc_plan_mark mark = s->mark(p);
  const int64_t wanted = s->units(v, t) - s->free_units(v);
  int64_t units = 0;
  hc_rc rc;
  if (s->fits(v, t)) {
    *count = 0;
    return 1;
  }
  for (size_t i = 0; i < *count; i++) units += may_go[i].units;
  if (wanted > units) return 0;
  if (!s->places_matter(v) && !s->host_free(v, 0, NULL)) {
    if (!add_up(may_go, count, wanted)) return 0;
    return fits_without(s, v, p, t, may_go, *count, &mark);
  }
  TRY(rc = stop_until_fits(s, v, p, t, may_go, count, wanted));
  TRY(s->take_back(p, &mark));
  if (rc == 1) TRY(spare(s, v, p, t, may_go, count, wanted, &mark));
  return rc;
}
