/* intervals.c -- how checkpoints lie in a task: the time between two, by the run's rule, and what each costs.
 *
 * Both follow from the bytes of the task and the hosts that it is on at least, and so from its size. */
#include "engine/intervals.h"

#include "base/util.h"
#include "engine/demand.h"

/* Units of it in a size; the slots of a task that may have another one are alike. */
static int64_t units_in(const hc_engine *e, hc_task id, uint32_t size)
{
  const hc_live *t = &e->tasks.live[id];
  if (size == hc_size_of(e, id)) return t->units;
  return e->cell.hosts ? (int64_t)(t->units / HC_MAX(t->slots, 1)) * size : size;
}

/* On how many hosts it will be at least: of processors that are not on nodes, one. */
static double hosts_of(const hc_engine *e, hc_task id, uint32_t size)
{
  const hc_live *t = &e->tasks.live[id];
  const int64_t units = units_in(e, id, size);
  int64_t most = e->cell_spec.units_per_node;
  if (e->cell.hosts) {
    if (t->bits & (HC_LIVE_WHOLE | HC_LIVE_SPREAD)) return HC_MAX((double)size, 1);
    most = 0;
    for (uint32_t k = 0; k < e->cell_spec.class_count; k++)
      most = HC_MAX(most, e->cell_spec.classes[k].capacity[hc_hosts_which(e->cell.hosts)[0]]);
  }
  return most > 0 && units > 0 ? (double)((units - 1) / most + 1) : 1;
}

/* Bytes of one checkpoint. */
static double bytes_of(const hc_engine *e, hc_task id, uint32_t size, const hc_checkpoint_options *o)
{
  int64_t need[HC_DIMENSIONS] = {0};
  if (o->memory > 0 && e->cell.hosts) hc_demand_by_lexicon(e, hc_need_of(e, id), false, 1, need);
  return (double)size * ((double)o->size + o->memory * (double)HC_MAX(need[HC_DIM_MEMORY], 0));
}

static hc_time time_of(double seconds)
{
  return seconds < 9e9 ? HC_MAX((hc_time)(seconds * 1e9 + 0.5), 0) : HC_NEVER;
}

/* By the run's rule. @param write, local  s that a global one takes, and a local one @return 0 or less: it
 * knows none */
static double interval(const hc_engine *e, double write, double local, double hosts)
{
  const hc_checkpoint_type *type = (const hc_checkpoint_type *)e->options->checkpoint.type;
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  const double n = (double)o->global_each;
  const double cost = o->global_each > 0 ? (write + (n - 1) * local) / n : local;
  const double mtbf = o->mtbf == HC_UNKNOWN ? __builtin_inf() : (double)o->mtbf / 1e9 / hosts;
  return type->every(o, cost, mtbf);
}

static double moving(const hc_checkpoint_options *o, double bytes)
{
  return o->bandwidth > 0 ? bytes / (double)o->bandwidth : 0;
}

static hc_time read_of(const hc_checkpoint_options *o)
{
  return o->read == HC_UNKNOWN ? o->write : o->read;
}

double hc_intervals_bytes(const hc_engine *e, hc_task id)
{
  const uint32_t size = HC_MAX(hc_size_of(e, id), 1);
  return bytes_of(e, id, size, e->options->checkpoint.options) / size;
}

bool hc_intervals_in_model(const hc_engine *e, hc_task id, double write, double local, double hosts,
                           hc_saving *out)
{
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  const double bytes = bytes_of(e, id, hc_size_of(e, id), o), slow = o->store ? 0 : moving(o, bytes);
  const double global = (double)o->write / 1e9 + slow + write;
  const double every = interval(e, global, (double)o->local_write / 1e9 + local,
                                hosts > 0 ? hosts : hosts_of(e, id, hc_size_of(e, id)));
  if (!(every > 0)) return false;
  *out = (hc_saving){.every = HC_MAX(time_of(every), 1),
                     .write = time_of((double)o->write / 1e9 + slow),
                     .read = time_of((double)read_of(o) / 1e9 + slow),
                     .local_write = o->local_write,
                     .local_read = o->local_read,
                     .bytes = o->store || o->local_store ? hc_intervals_bytes(e, id) : 0,
                     .global = (uint64_t)o->global_each};
  return true;
}

bool hc_intervals_lay(const hc_engine *e, hc_task id, uint32_t size, hc_attempt *a)
{
  const hc_checkpoint_options *o = e->options->checkpoint.options;
  const double slow = moving(o, bytes_of(e, id, size, o));
  const double write = (double)o->write / 1e9 + slow, read = (double)read_of(o) / 1e9 + slow;
  const double every = interval(e, write, (double)o->local_write / 1e9, hosts_of(e, id, size));
  if (!(every > 0)) return false;
  a->marks = (hc_marks){.every = HC_MAX(time_of(every), 1),
                        .local = o->global_each == 1 ? 0 : o->local_write,
                        .cost = time_of(write),
                        .global = (uint64_t)o->global_each};
  a->read = time_of(read);
  a->local_read = o->local_read;
  return true;
}
