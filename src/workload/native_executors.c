/* native_executors.c -- on which of its hosts each process of a task is, where several share one.
 *
 *   executors: 4                             spread: the i-th on host i modulo the hosts
 *   executors: {count: 4, placement: fill}   as many on a host as it has cores for the task, then the next
 *   executors: [0, 0, 1, 1]                  the host of each, among the task's own
 *
 * Source: Batsim, `mapping` of an execution; its predefined placements. */
#include "base/util.h"
#include "workload/native.h"

#define MOST ((int64_t)1 << 20)

enum { COUNT, PLACEMENT, KEYS };
static const hc_native_key keys[] = {{"count", COUNT}, {"placement", PLACEMENT}, {NULL, 0}};

static hc_rc by_list(hc_native *n, const hc_value *v, int64_t hosts, hc_error *e)
{
  for (size_t i = 0; i < v->count; i++) {
    int64_t host;
    TRY(hc_native_whole(v->items[i], "the host of an executor, counted from 0 among those of its task,", 0,
                        hosts - 1, &host, e));
    n->executors[i] = (uint32_t)host;
  }
  return 0;
}

static hc_rc read_map(hc_native *n, const hc_value *v, int64_t *count, bool *fills, hc_error *e)
{
  const hc_value *at[KEYS];
  hc_field f;
  TRY(hc_native_members(v, keys, at, KEYS, NULL, NULL, &n->is_fatal, e));
  if (!at[COUNT]) return hc_value_fail(v, e, HC_EINPUT, "executors need a `count`");
  TRY(hc_native_whole(at[COUNT], "the count of executors", 1, MOST, count, e));
  if (!at[PLACEMENT]) return 0;
  if (!hc_native_scalar(at[PLACEMENT], &f) || (!hc_field_is(&f, "spread") && !hc_field_is(&f, "fill")))
    return hc_value_fail(at[PLACEMENT], e, HC_EINPUT, "the placement of executors is spread or fill");
  *fills = hc_field_is(&f, "fill");
  return 0;
}

hc_rc hc_native_read_executors(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                               hc_error *e)
{
  const int64_t hosts = HC_MAX(t->hosts, 1), cores = HC_MAX(t->need[HC_DIM_CPU] / 1000, 1);
  const bool is_list = v && v->kind == HC_VALUE_LIST;
  int64_t count = is_list ? (int64_t)v->count : 0;
  bool fills = false;
  if (!v) return 0;
  if (v->kind == HC_VALUE_MAP) TRY(read_map(n, v, &count, &fills, e));
  else if (!is_list) TRY(hc_native_whole(v, "the number of executors", 1, MOST, &count, e));
  if (count < 1 || count > MOST || m->chunk_count > 0)
    return hc_value_fail(v, e, HC_EINPUT,
                         "executors are from 1 to 1,048,576, and the task's hosts are alike (one group of "
                         "resources)");
  TRY(hc_reserve(n->context->allocator, (void **)&n->executors, &n->executors_cap, (size_t)count,
                 sizeof *n->executors));
  if (is_list) TRY(by_list(n, v, hosts, e));
  for (int64_t i = 0; !is_list && i < count; i++)
    n->executors[i] = (uint32_t)((fills ? i / cores : i) % hosts);
  m->executors = n->executors;
  m->executor_count = (size_t)count;
  return 0;
}
