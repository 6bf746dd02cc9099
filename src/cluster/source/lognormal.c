/* lognormal.c -- hosts of random sizes: cores and memory lognormal around a median, within bounds, and scaled so that
 * the cell as a whole has a given ratio of memory to cores.
 *
 * For experiments on clusters of which only the kind is published: so many servers, resources "specially randomised".
 * With z of a host standard normal, two to a host:
 *
 *   cores    c = floor(cpus exp(sigma z1)), within [least_cpus, most_cpus]
 *   memory   m0 = floor(memory exp(sigma z2)) GiB, within [least_memory, most_memory]; then
 *            m = max(least_memory, round(m0 ratio sum(c) / sum(m0)))    whole GiB, halves up
 *
 * The seed is the cell's own: runs of other seeds see the same hosts, and a study varies both. Host i does not depend on
 * how many there are, but for the scale of its memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/util.h"
#include "cluster/host_builder.h"

#define WHERE "cell lognormal"
#define GIB ((int64_t)1 << 30)

typedef struct options {
  int64_t count, seed, ratio, memory, least_memory, most_memory;
  double sigma, cpus, least_cpus, most_cpus;
  const char *name_prefix;
} options;

typedef struct host {
  int64_t cores, memory; /* memory: GiB */
} host;

static double draw(const options *o, uint32_t i, uint64_t which)
{
  hc_draws d = {.seed = (uint64_t)o->seed, .entity = i, .purpose = HC_PURPOSE_MACHINE, .draw = which};
  const double u = hc_random_unit(&d);
  return hc_exp(o->sigma * hc_normal_quantile(u > 0 ? u : 0x1p-54));
}

static int64_t within(double x, double low, double high)
{
  return (int64_t)HC_MIN(HC_MAX(x, low), high);
}

static void size_hosts(const options *o, host *hosts)
{
  const double least = (double)(o->least_memory / GIB), most = (double)(o->most_memory / GIB);
  double cores = 0, memory = 0;
  for (uint32_t i = 0; i < (uint32_t)o->count; i++) {
    hosts[i].cores = within(o->cpus * draw(o, i, 0), o->least_cpus, o->most_cpus);
    hosts[i].memory = within((double)o->memory / (double)GIB * draw(o, i, 1), least, most);
    cores += (double)hosts[i].cores;
    memory += (double)hosts[i].memory;
  }
  for (uint32_t i = 0; i < (uint32_t)o->count; i++) {
    const double scaled = (double)hosts[i].memory * ((double)o->ratio / (double)GIB) * cores / memory;
    hosts[i].memory = HC_MAX((int64_t)(scaled + 0.5), (int64_t)least);
  }
}

static hc_rc add_host(hc_host_builder *b, const options *o, uint32_t i, const host *h, hc_error *e)
{
  char name[96];
  hc_host_class class = {.speed = 1, .name = name};
  uint32_t id, number;
  int n;
  (void)snprintf(name, sizeof name, "c%" PRId64 "m%" PRId64, h->cores, h->memory);
  class.capacity[HC_DIM_CPU] = h->cores * 1000;
  class.capacity[HC_DIM_MEMORY] = h->memory * GIB;
  TRY(hc_builder_class(b, &class, &id, e));
  n = snprintf(name, sizeof name, "%.60s%" PRIu32, o->name_prefix, i);
  TRY(hc_builder_host(b, name, (size_t)n, id, &number, e));
  return 0;
}

static hc_rc build(hc_host_builder *b, const options *o, host *hosts, hc_cell_spec *out, hc_error *e)
{
  size_hosts(o, hosts);
  for (uint32_t i = 0; i < (uint32_t)o->count; i++) TRY(add_host(b, o, i, &hosts[i], e));
  return hc_builder_finish(b, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  hc_host_builder b;
  host *hosts;
  hc_rc rc;
  if (o->least_cpus > o->most_cpus || o->least_memory > o->most_memory)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "least_cpus or least_memory is above the most of it: exchange them");
  hosts = hc_alloc(c->allocator, (size_t)o->count * sizeof *hosts);
  if (!hosts) return hc_fail(e, HC_ENOMEM, WHERE, 0, 0, "no memory for %lld hosts", (long long)o->count);
  hc_builder_init(&b, c, WHERE);
  rc = build(&b, o, hosts, out, e);
  hc_builder_fini(&b);
  hc_free(c->allocator, hosts, (size_t)o->count * sizeof *hosts);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(INT, options, count, "hosts", "73", 1, 1e6, "How many."),
    HC_PARAM(INT, options, seed, "1", "1", 0, 1e15,
             "Seed of the sizes of hosts; the run's own seed does not change them."),
    HC_PARAM(REAL, options, sigma, "1", "0.5", 0, 5,
             "Standard deviation of the logarithms of both amounts, before they are bounded. 0: all hosts "
             "are alike."),
    HC_PARAM(SIZE, options, ratio, "B per core", "2816MiB", 1048576, 1e15,
             "rho: memory per core of the cell as a whole; 2816MiB is 2.75 GiB."),
    HC_PARAM(REAL, options, cpus, "cores", "24", 1, 1e6, "Median of the cores."),
    HC_PARAM(REAL, options, least_cpus, "cores", "6", 1, 1e6, "Fewest cores of a host."),
    HC_PARAM(REAL, options, most_cpus, "cores", "64", 1, 1e6, "Most cores of a host."),
    HC_PARAM(SIZE, options, memory, "B", "64GiB", 1073741824, 1e15,
             "Median of the memory, before it is scaled to `ratio`."),
    HC_PARAM(SIZE, options, least_memory, "B", "20GiB", 1073741824, 1e15,
             "Least memory of a host, before and after it is scaled."),
    HC_PARAM(SIZE, options, most_memory, "B", "256GiB", 1073741824, 1e15,
             "Most memory of a host, before it is scaled."),
    HC_PARAM(TEXT, options, name_prefix, "s", "Hosts are called by this and their number from 0."),
    {0}};

const hc_cell_type hc_cell_lognormal = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "lognormal",
         .summary = "hosts of random sizes: cores and memory lognormal, with a given ratio of their sums",
         .detail =
             "cores = floor(cpus exp(sigma z1)) within its bounds; memory m0 = floor(memory exp(sigma z2)) GiB within its "
             "bounds, then max(least_memory, round(m0 ratio sum(cores) / sum(m0))). z1, z2 are standard normal, drawn by the "
             "cell's own seed and the host. The defaults are a stand-in for the 73 servers of the thesis on packing in "
             "YTsaurus, whose amounts are not published: every host can hold its largest tasks (6 cores; 20 GiB), and 2.75 "
             "GiB a core is between the ratios at which its users' demands use up the cores and the memory.",
         .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
