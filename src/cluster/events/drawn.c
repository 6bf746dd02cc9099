/* drawn.c -- hosts that fail and are repaired at random, each on its own or all of a zone together.
 *
 * Each unit (a host, or a zone of a level) is an alternating renewal process: up for a time drawn from
 * one distribution, down for a time drawn from another, and so on. In the long run a share up / (up +
 * down) of the units is up, of their means, whatever the distributions.
 *
 * Draws are named by (seed, replication, unit, purpose) and counted by the unit's cycles, so that
 * nothing else shifts them: not other units, not what is done about failures, and a change of the repair
 * times leaves the times between repair and failure as they were. The next moment of every unit lies in
 * a heap: memory is 16 bytes a unit for any length of time, an event costs a logarithm of the units.
 * Events of one instant are in order of unit, and in a zone in order of host.
 *
 * A Weibull distribution of mean m and shape k has the scale m / Gamma(1 + 1/k); below shape 1 failures
 * come in bursts, as large machines show them (0.7 to 0.8: Schroeder and Gibson, DSN 2006,
 * doi:10.1109/DSN.2006.5). */
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"
#include "cluster/host_find.h"
#include "cluster/record.h"

enum { EXPONENTIAL, WEIBULL, FIXED };

typedef struct options {
  hc_time up_time, down_time;
  int up_distribution, down_distribution;
  double up_shape, down_shape;
  const char *level; /* NULL: each host on its own */
  hc_list hosts;
  hc_time until;
} options;

/* When something next happens to a unit. Even steps: it fails; odd ones: it is back. */
typedef struct moment {
  hc_time at;
  uint32_t unit, step;
} moment;

struct hc_events {
  const hc_allocator *allocator;
  options o;
  uint64_t seed, replication;
  double up_scale, down_scale; /* of a Weibull distribution, s */
  uint32_t units;
  uint32_t *first; /* [units + 1] where a unit's hosts begin in `hosts` */
  uint32_t *hosts; /* [host_count] */
  size_t host_count;
  moment *heap; /* [count] */
  size_t count, cap;
  struct {         /* plain state */
    moment now;    /* the unit whose hosts are being told */
    uint32_t host; /* the next of them, in `hosts` */
    uint32_t end;
  } s;
};

/* ---- draws ---- */

static hc_time draw(const hc_events *self, uint32_t unit, uint32_t step)
{
  const bool fails = step % 2 == 0;
  const int distribution = fails ? self->o.up_distribution : self->o.down_distribution;
  const hc_time mean = fails ? self->o.up_time : self->o.down_time;
  hc_draws s = {.seed = self->seed,
                .replication = self->replication,
                .entity = unit,
                .purpose = fails ? HC_PURPOSE_FAILURE : HC_PURPOSE_REPAIR,
                .draw = step / 2};
  double seconds;
  if (distribution == FIXED) return mean;
  if (distribution == EXPONENTIAL) seconds = hc_random_exponential(&s, (double)mean / 1e9);
  else
    seconds = hc_random_weibull(&s, fails ? self->o.up_shape : self->o.down_shape,
                                fails ? self->up_scale : self->down_scale);
  if (!(seconds < 9e9)) return HC_NEVER;
  return HC_MAX((hc_time)(seconds * 1e9), 1);
}

HC_HEAP(heap, moment, a->at != b->at ? a->at < b->at : a->unit < b->unit)

/* Draw when the unit at the top changes next, or take it out if it never does, or fails too late. */
static void go_on(hc_events *self)
{
  moment *m = &self->heap[0];
  m->step++;
  m->at = hc_time_add(m->at, draw(self, m->unit, m->step));
  if (m->at == HC_NEVER || (m->step % 2 == 0 && m->at > self->o.until))
    (void)heap_pop(self->heap, &self->count);
  else heap_sink(self->heap, self->count, 0, *m);
}

/* ---- events ---- */

static hc_rc next(hc_events *self, hc_host_event *out, hc_error *e)
{
  HC_UNUSED(e);
  if (self->s.host == self->s.end) {
    if (self->count == 0) return 0;
    self->s.now = self->heap[0];
    self->s.host = self->first[self->s.now.unit];
    self->s.end = self->first[self->s.now.unit + 1];
    go_on(self);
  }
  *out = (hc_host_event){.at = self->s.now.at,
                         .host = self->hosts[self->s.host++],
                         .change = self->s.now.step % 2 == 0 ? HC_HOST_DOWN : HC_HOST_UP};
  for (int d = 0; d < HC_DIMENSIONS; d++) out->capacity[d] = HC_UNKNOWN;
  return 1;
}

/* ---- units ---- */

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "events drawn", 0, 0, "out of memory");
}

static hc_rc find_level(const hc_cell_spec *cell, const char *name, const hc_zone_level **out, hc_error *e)
{
  *out = NULL;
  if (!name) return 0;
  for (uint32_t i = 0; i < cell->level_count; i++) {
    if (strcmp(cell->levels[i].name, name) != 0) continue;
    *out = &cell->levels[i];
    return 0;
  }
  return hc_fail(e, HC_EUSAGE, "events drawn", 0, 0, "the cell has no level \"%.80s\"; %s%.80s", name,
                 cell->level_count > 0 ? "it has " : "it has none",
                 cell->level_count > 0 ? cell->levels[0].name : "");
}

/* Hosts by unit: count, then place. @param ranges which hosts take part. */
static hc_rc group(hc_events *self, const hc_cell_spec *cell, const hc_zone_level *level,
                   const hc_host_ranges *ranges, hc_error *e)
{
  self->units = level ? level->zone_count : cell->units;
  self->host_count = hc_host_ranges_size(ranges);
  self->first = hc_alloc(self->allocator, ((size_t)self->units + 2) * sizeof *self->first);
  self->hosts = hc_alloc(self->allocator, self->host_count * sizeof *self->hosts);
  if (!self->first || !self->hosts) return no_memory(e);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < ranges->count; i++) {
      for (uint32_t h = ranges->items[i].first; h - ranges->items[i].first < ranges->items[i].count; h++) {
        const uint32_t unit = level ? level->zone_of[h] : h;
        if (unit == HC_NO_NAME) continue;
        if (pass == 0) self->first[unit + 2]++;
        else self->hosts[self->first[unit + 1]++] = h;
      }
    }
    for (uint32_t u = 0; pass == 0 && u < self->units; u++) self->first[u + 2] += self->first[u + 1];
  }
  return 0;
}

static hc_rc fill_heap(hc_events *self, hc_error *e)
{
  for (uint32_t u = 0; u < self->units; u++) {
    const moment m = {.at = draw(self, u, 0), .unit = u};
    if (self->first[u] == self->first[u + 1] || m.at == HC_NEVER || m.at > self->o.until) continue;
    if (hc_reserve(self->allocator, (void **)&self->heap, &self->cap, self->count + 1, sizeof m) < 0)
      return no_memory(e);
    self->heap[self->count++] = m;
  }
  for (size_t i = self->count / 2; i-- > 0;) heap_sink(self->heap, self->count, i, self->heap[i]);
  return 0;
}

static hc_rc prepare(hc_events *self, const hc_cell_spec *cell, hc_error *e)
{
  const hc_zone_level *level;
  hc_host_ranges ranges = {0};
  hc_host_finder f;
  hc_rc rc;
  if (self->o.up_time == HC_UNKNOWN || self->o.down_time == HC_UNKNOWN)
    return hc_fail(
        e, HC_EUSAGE, "events drawn", 0, 0,
        "say up_time, how long a host works between failures, and down_time, how long a repair takes");
  TRY(find_level(cell, self->o.level, &level, e));
  rc = hc_host_finder_init(&f, self->allocator, cell, NULL);
  if (rc < 0) rc = no_memory(e);
  if (rc == 0) rc = hc_host_find_all(&f, &self->o.hosts, "events drawn", &ranges, e);
  hc_host_finder_fini(&f);
  if (rc == 0) rc = group(self, cell, level, &ranges, e);
  hc_host_ranges_fini(&ranges, self->allocator);
  return rc < 0 ? rc : fill_heap(self, e);
}

/* ---- birth, state and death ---- */

static void finish(hc_events *self)
{
  hc_free(self->allocator, self->first, ((size_t)self->units + 2) * sizeof *self->first);
  hc_free(self->allocator, self->hosts, self->host_count * sizeof *self->hosts);
  hc_free(self->allocator, self->heap, self->cap * sizeof *self->heap);
  hc_free(self->allocator, self, sizeof *self);
}

static double scale(hc_time mean, double shape)
{
  return (double)mean / 1e9 / hc_exp(hc_gamma_log(1 + 1 / shape));
}

static hc_rc open(const hc_events_context *c, const void *opts, hc_events **out, hc_error *e)
{
  hc_events *self = hc_alloc(c->allocator, sizeof *self);
  hc_rc rc;
  if (!self) return no_memory(e);
  self->allocator = c->allocator;
  self->o = *(const options *)opts;
  self->seed = c->seed;
  self->replication = c->replication;
  self->up_scale = scale(self->o.up_time, self->o.up_shape);
  self->down_scale = scale(self->o.down_time, self->o.down_shape);
  rc = prepare(self, c->cell, e);
  if (rc < 0) finish(self);
  else *out = self;
  return rc;
}

static hc_rc visit(hc_events *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  HC_VISIT_ARRAY(v, self->heap, self->count, self->cap);
  if (!hc_visit_loading(v)) return 0;
  if (self->s.host > self->s.end || self->s.end > self->host_count || self->count > self->units)
    return HC_EINPUT;
  for (size_t i = 0; i < self->count; i++)
    if (self->heap[i].unit >= self->units) return HC_EINPUT;
  return 0;
}

#define DISTRIBUTION_PARAM(member, text) \
  HC_PARAM(CHOICE, options, member, "exponential|weibull|fixed", "exponential", text)
#define SHAPE_PARAM(member, text) HC_PARAM(REAL, options, member, "1", "0.7", 0.1, 100, text)

static const hc_param params[] = {
    HC_PARAM(TIME, options, up_time, "s", NULL, 1e-9, 1e10,
             "Mean time from the beginning, or from a repair, to the next failure. Required."),
    HC_PARAM(TIME, options, down_time, "s", NULL, 1e-9, 1e10,
             "Mean time from a failure to the end of its repair. Required."),
    DISTRIBUTION_PARAM(up_distribution,
                       "How times to failure are spread around their mean; fixed: not at all."),
    DISTRIBUTION_PARAM(down_distribution, "How times to repair are spread around their mean."),
    SHAPE_PARAM(up_shape, "Shape of a Weibull distribution of times to failure; 1 is exponential."),
    SHAPE_PARAM(down_shape, "Shape of a Weibull distribution of times to repair."),
    HC_PARAM(TEXT, options, level, NULL,
             "Level of zones that fail as one, such as rack: all of its hosts go down and come back "
             "together. Absent: each host on its own. Hosts in no zone of it never fail."),
    HC_PARAM(TEXTS, options, hosts, "all", "Which hosts fail at all. " HC_HOSTS_HELP),
    HC_PARAM(TIME, options, until, "s", "never", 0, 1e10, "Nothing fails after this; repairs are finished."),
    {0}};

const hc_events_type hc_events_drawn = {
    .component =
        {HC_COMPONENT_HEAD(hc_events_type, HC_KIND_EVENTS), .name = "drawn",
         .summary = "hosts, or whole zones, fail and are repaired at random",
         .detail = "Each is up for a random time and down for a random time, in turn; in the long run "
                   "up_time / (up_time + down_time) of them are up. The draws depend on the run's seed, its "
                   "replication and the number of the host or zone, on nothing else.",
         .source = "Alternating renewal processes; Schroeder and Gibson, DSN 2006, doi:10.1109/DSN.2006.5",
         .params = params, .options_size = sizeof(options)},
    .open = open,
    .next = next,
    .visit = visit,
    .close = finish,
};
