/* speeds.c -- how fast a task would be on hosts of a class, for policies that choose among classes.
 *
 * Its slots are put on hosts of the class as if nothing else was there: on as few of them as they fit on, the
 * first by number. How fast it is there is what it would be if it ran there (work.c): the speed of the class,
 * by the slowdowns of the run. Only what the hosts were declared with counts, and what the task says of
 * hosts: the answer is the same all through a run. */
#include "base/util.h"
#include "engine/demand.h"
#include "engine/plan.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* How many of so many slots a host would hold by itself. */
static uint32_t room_on(const hc_engine *e, const hc_request *given, uint32_t host, uint32_t wanted)
{
  hc_request r = *given;
  uint32_t least = 0, most = r.whole || r.spread ? 1 : wanted;
  while (least < most) {
    const uint32_t half = most - (most - least) / 2;
    r.slots = half;
    if (hc_hosts_could_on(e->cell.hosts, &r, host)) least = half;
    else most = half - 1;
  }
  return least;
}

/* GPUs of which so many slots have all or a part, the first of the host. */
static hc_devices devices_of(const hc_engine *e, const hc_request *r, uint32_t host, uint32_t slots)
{
  int64_t milli = e->cell_spec.classes[e->cell_spec.class_of[host]].capacity[HC_DIM_GPU];
  hc_devices out = {0};
  for (uint32_t d = 0; d < e->tasks.dimensions && !r->whole; d++)
    if (hc_hosts_which(e->cell.hosts)[d] == HC_DIM_GPU) milli = r->need[d] * (int64_t)slots;
  for (int64_t i = 0; i * HC_DEVICE < milli && i < HC_DEVICES; i++) hc_devices_add(&out, (uint32_t)i);
  return out;
}

double hc_view_speed_on(const hc_view *v, hc_task id, uint32_t host_class)
{
  hc_engine *e = v->engine;
  const hc_cell_spec *spec = &e->cell_spec;
  uint32_t left;
  hc_grant *grants;
  size_t n = 0;
  if (!e->cell.hosts || host_class >= spec->class_count || id >= e->tasks.count) return 0;
  const hc_request r = hc_request_of(e, id);
  left = r.slots;
  grants = hc_arena_alloc(&e->scratch, HC_MIN((size_t)spec->units, left) * sizeof *grants);
  if (!grants) {
    hc_engine_note(e, HC_ENOMEM);
    return 0;
  }
  for (uint32_t host = 0; host < spec->units && left > 0; host++) {
    if (spec->class_of[host] != host_class) continue;
    const uint32_t slots = room_on(e, &r, host, left);
    if (slots == 0) continue;
    grants[n++] = (hc_grant){.host = host, .slots = slots, .devices = devices_of(e, &r, host, slots)};
    left -= slots;
  }
  return left == 0 ? hc_work_speed(e, id, grants, n) : 0;
}
