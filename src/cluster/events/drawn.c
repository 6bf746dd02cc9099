/* drawn.c -- hosts that fail and are repaired at random, each on its own or all of a zone together.
 *
 * What fails (a host, or a zone of a level) is a unit of the process in cluster/outages.c: up for a time
 * drawn from one distribution (lifetimes.c), down for a time drawn from another, and so on. In the long run
 * a share up / (up + down) of the units is up, of their means, whatever the distributions, as long as every
 * repair begins at once. Here is what units are, and what of it is said of which hosts: in a zone in order
 * of host. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "cluster/host_find.h"
#include "cluster/outages.h"
#include "cluster/record.h"

typedef struct options {
  hc_time up_time, down_time, up_scale, down_scale;
  int up_distribution, down_distribution;
  double up_shape, down_shape;
  const char *level; /* NULL: each host on its own */
  hc_list hosts;
  hc_time until;
  double spread;
  const char *spread_level;
  int64_t crews;
  hc_list spares;
  hc_time spare_time;
  double silent;
  hc_time found_time;
  int found_distribution;
} options;

/* What belongs together: the members of group g are members[first[g] .. first[g + 1]). */
typedef struct groups {
  uint32_t count;
  uint32_t *first;   /* [count + 2] */
  uint32_t *members; /* [member_count] */
  size_t member_count;
} groups;

struct hc_events {
  const hc_allocator *allocator;
  const options *o;
  groups units; /* hosts of what fails as one */
  groups zones; /* units that failures spread over */
  hc_outages *process;
  struct {         /* plain state */
    hc_outage now; /* whose hosts are being told */
    uint32_t host; /* the next of them, in units.members */
    uint32_t end;
  } s;
};

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "events drawn", 0, 0, "out of memory");
}

/* ---- events ---- */

static hc_rc next(hc_events *self, hc_host_event *out, hc_error *e)
{
  static const uint32_t changes[] = {
      [HC_OUTAGE_UP] = HC_HOST_UP, [HC_OUTAGE_DOWN] = HC_HOST_DOWN, [HC_OUTAGE_SILENT] = HC_HOST_FAIL};
  while (self->s.host == self->s.end) {
    const hc_rc rc = hc_outages_next(self->process, &self->s.now);
    if (rc < 0) return no_memory(e);
    if (rc == 0) return 0;
    self->s.host = self->units.first[self->s.now.unit];
    self->s.end = self->units.first[self->s.now.unit + 1];
  }
  *out = (hc_host_event){
      .at = self->s.now.at, .host = self->units.members[self->s.host++], .change = changes[self->s.now.kind]};
  for (int d = 0; d < HC_DIMENSIONS; d++) out->capacity[d] = HC_UNKNOWN;
  return 1;
}

/* ---- units ---- */

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

/* Hosts by zone, or each a group of its own: count, then place. @param ranges which hosts take part. */
static hc_rc group(hc_events *self, groups *g, const hc_cell_spec *cell, const hc_zone_level *level,
                   const hc_host_ranges *ranges, hc_error *e)
{
  g->count = level ? level->zone_count : cell->units;
  g->member_count = hc_host_ranges_size(ranges);
  g->first = hc_alloc(self->allocator, ((size_t)g->count + 2) * sizeof *g->first);
  g->members = hc_alloc(self->allocator, g->member_count * sizeof *g->members);
  if (!g->first || !g->members) return no_memory(e);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < ranges->count; i++) {
      for (uint32_t h = ranges->items[i].first; h - ranges->items[i].first < ranges->items[i].count; h++) {
        const uint32_t unit = level ? level->zone_of[h] : h;
        if (unit == HC_NO_NAME) continue;
        if (pass == 0) g->first[unit + 2]++;
        else g->members[g->first[unit + 1]++] = h;
      }
    }
    for (uint32_t u = 0; pass == 0 && u < g->count; u++) g->first[u + 2] += g->first[u + 1];
  }
  return 0;
}

/* ---- what cannot be ---- */

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, "events drawn", 0, 0, "%s", text);
}

static hc_rc check(const options *o, hc_error *e)
{
  const bool has_up = o->up_time != HC_UNKNOWN || o->up_scale != HC_UNKNOWN;
  const bool has_down = o->down_time != HC_UNKNOWN || o->down_scale != HC_UNKNOWN;
  if (!has_up || !has_down)
    return refuse(
        e, "say up_time, how long a host works between failures, and down_time, how long a repair takes");
  if (o->up_time != HC_UNKNOWN && o->up_scale != HC_UNKNOWN)
    return refuse(e, "up_time is the mean of its distribution, and up_scale the scale: give one of them");
  if (o->down_time != HC_UNKNOWN && o->down_scale != HC_UNKNOWN)
    return refuse(e, "down_time is the mean of its distribution, and down_scale the scale: give one of "
                     "them");
  if ((o->spread > 0) != (o->spread_level != NULL))
    return refuse(e, "spread, the chance, and spread_level, over which zones, go together");
  if (o->spread > 0 && o->level)
    return refuse(e, "zones of `level` fail as one, and failures of hosts spread: leave out one of them, "
                     "or say "
                     "both as two entries of `events`");
  if (o->spares.count > 0 && o->level)
    return refuse(e,
                  "a spare takes the place of a host, and with `level` zones fail as one: leave out one of "
                  "them, or say both as two entries of `events`");
  if (o->spare_time > 0 && o->spares.count == 0)
    return refuse(e, "spare_time is how long a spare takes to be in service: name them with spares");
  if ((o->silent > 0) != (o->found_time != HC_UNKNOWN))
    return refuse(e, "silent, the chance, and found_time, after which such a failure is found, go "
                     "together");
  return 0;
}

/* ---- birth, state and death ---- */

static hc_rc find_spares(const hc_events *self, hc_host_finder *f, uint8_t *states, hc_error *e)
{
  hc_host_ranges ranges = {0};
  hc_rc rc = 0;
  if (self->o->spares.count > 0) rc = hc_host_find_all(f, &self->o->spares, "spares", &ranges, e);
  for (size_t i = 0; rc == 0 && i < ranges.count; i++) {
    for (uint32_t h = ranges.items[i].first; h - ranges.items[i].first < ranges.items[i].count; h++) {
      if (states[h] == HC_UNIT_ABSENT)
        rc = refuse(e, "a spare is not among `hosts`, which are those that take part");
      else states[h] = HC_UNIT_SPARE;
    }
  }
  hc_host_ranges_fini(&ranges, self->allocator);
  return rc;
}

static hc_rc begin(hc_events *self, const hc_events_context *c, hc_host_finder *f, const hc_zone_level *zones,
                   hc_error *e)
{
  const options *o = self->o;
  const uint32_t units = self->units.count;
  hc_outage_rules rules = {.seed = c->seed,
                           .replication = c->replication,
                           .until = o->until,
                           .spread = o->spread,
                           .silent = o->silent,
                           .spare_time = o->spare_time,
                           .crews = (uint32_t)o->crews,
                           .has_spares = o->spares.count > 0};
  uint8_t *states = hc_alloc(self->allocator, (size_t)units + 1);
  hc_rc rc;
  if (!states) return no_memory(e);
  hc_lifetime_fit(&rules.up, o->up_distribution, o->up_time, o->up_scale, o->up_shape);
  hc_lifetime_fit(&rules.down, o->down_distribution, o->down_time, o->down_scale, o->down_shape);
  if (o->silent > 0)
    hc_lifetime_fit(&rules.found, o->found_distribution == 0 ? HC_LIFE_FIXED : HC_LIFE_EXPONENTIAL,
                    o->found_time, HC_UNKNOWN, 1);
  if (zones) {
    rules.group_of = zones->zone_of;
    rules.groups = self->zones.first;
    rules.members = self->zones.members;
  }
  for (uint32_t u = 0; u < units; u++)
    states[u] = self->units.first[u] < self->units.first[u + 1] ? HC_UNIT_UP : HC_UNIT_ABSENT;
  rc = find_spares(self, f, states, e);
  if (rc == 0 && hc_outages_new(self->allocator, &rules, states, units, &self->process) < 0)
    rc = no_memory(e);
  hc_free(self->allocator, states, (size_t)units + 1);
  return rc;
}

static hc_rc prepare(hc_events *self, const hc_events_context *c, hc_error *e)
{
  const hc_zone_level *level, *zones;
  hc_host_ranges ranges = {0};
  hc_host_finder f;
  hc_rc rc;
  TRY(check(self->o, e));
  TRY(find_level(c->cell, self->o->level, &level, e));
  TRY(find_level(c->cell, self->o->spread_level, &zones, e));
  rc = hc_host_finder_init(&f, self->allocator, c->cell, NULL);
  if (rc < 0) rc = no_memory(e);
  if (rc == 0) rc = hc_host_find_all(&f, &self->o->hosts, "events drawn", &ranges, e);
  if (rc == 0) rc = group(self, &self->units, c->cell, level, &ranges, e);
  if (rc == 0 && zones) rc = group(self, &self->zones, c->cell, zones, &ranges, e);
  if (rc == 0) rc = begin(self, c, &f, zones, e);
  hc_host_finder_fini(&f);
  hc_host_ranges_fini(&ranges, self->allocator);
  return rc;
}

static void free_groups(hc_events *self, groups *g)
{
  hc_free(self->allocator, g->first, ((size_t)g->count + 2) * sizeof *g->first);
  hc_free(self->allocator, g->members, g->member_count * sizeof *g->members);
}

static void finish(hc_events *self)
{
  hc_outages_free(self->process);
  free_groups(self, &self->units);
  free_groups(self, &self->zones);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc open(const hc_events_context *c, const void *opts, hc_events **out, hc_error *e)
{
  hc_events *self = hc_alloc(c->allocator, sizeof *self);
  hc_rc rc;
  if (!self) return no_memory(e);
  self->allocator = c->allocator;
  self->o = opts;
  rc = prepare(self, c, e);
  if (rc < 0) finish(self);
  else *out = self;
  return rc;
}

static hc_rc visit(hc_events *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  TRY(hc_outages_visit(self->process, v));
  if (!hc_visit_loading(v)) return 0;
  return self->s.host > self->s.end || self->s.end > self->units.member_count ||
                 self->s.now.kind > HC_OUTAGE_SILENT
             ? HC_EINPUT
             : 0;
}

static bool fails(const hc_events *self)
{
  return self->o->silent > 0;
}

#define DISTRIBUTION_PARAM(member, text) HC_PARAM(CHOICE, options, member, HC_LIFETIMES, "exponential", text)
#define SHAPE_PARAM(member, text) HC_PARAM(REAL, options, member, "1", "0.7", 0.1, 100, text)
#define SCALE_HELP \
  "The scale of that distribution, in place of its mean: of a Weibull or gamma distribution as in its " \
  "formula, of a log-normal one the median; of the others it is the mean."

static const hc_param params[] = {
    HC_PARAM(TIME, options, up_time, "s", NULL, 1e-9, 1e10,
             "Mean time from the beginning, or from a repair, to the next failure. This or up_scale is "
             "required."),
    HC_PARAM(TIME, options, down_time, "s", NULL, 1e-9, 1e10,
             "Mean time that a repair takes. This or down_scale is required."),
    DISTRIBUTION_PARAM(up_distribution,
                       "Distribution of times to failure; fixed: all are the mean."),
    DISTRIBUTION_PARAM(down_distribution, "Distribution of times to repair; fixed: all are the mean."),
    SHAPE_PARAM(up_shape, "Shape of a Weibull or gamma distribution of times to failure, of which 1 is "
                          "exponential; of a log-normal one the standard deviation of the logarithm."),
    SHAPE_PARAM(down_shape, "Shape of a Weibull or gamma distribution of times to repair, of which 1 is "
                            "exponential; of a log-normal one the standard deviation of the logarithm."),
    HC_PARAM(TIME, options, up_scale, "s", NULL, 1e-9, 1e10, SCALE_HELP),
    HC_PARAM(TIME, options, down_scale, "s", NULL, 1e-9, 1e10, SCALE_HELP),
    HC_PARAM(TEXT, options, level, NULL,
             "Level of zones that fail as one, such as rack: all hosts of a zone go down and come back "
             "together; hosts in no zone of the level never fail. Default: each host fails on its own."),
    HC_PARAM(TEXTS, options, hosts, "all", "Which hosts fail at all. " HC_HOSTS_HELP),
    HC_PARAM(TIME, options, until, "s", "never", 0, 1e10,
             "No host fails after this time; repairs that have begun are finished."),
    HC_PARAM(REAL, options, spread, "1", "0", 0, 1,
             "Probability that the failure of a host takes each other host of its zone with it; these take "
             "no further ones. 0: no failure spreads."),
    HC_PARAM(TEXT, options, spread_level, NULL,
             "The level of those zones, such as rack or power. Required with spread."),
    HC_PARAM(INT, options, crews, "repairs", "0", 0, 1e9,
             "Greatest number of hosts, or zones of `level`, that are repaired at a time; others wait, in "
             "the order in which they failed. 0: no limit."),
    HC_PARAM(
        TEXTS, options, spares, "[]",
        "Hosts that are away at first, as spares. When a host fails, the host that has been a spare longest "
        "takes its place; a repaired host is a spare from then on, or takes a place that is still empty. "
        HC_HOSTS_HELP),
    HC_PARAM(TIME, options, spare_time, "s", "0", 0, 1e10,
             "Time from a failure until the spare is in service."),
    HC_PARAM(REAL, options, silent, "1", "0", 0, 1,
             "Probability that a failure is silent: the host looks as before and does no work until the "
             "failure is found. Tasks that ran on it have then lost their work since the failure, and tasks "
             "that start there in the meantime do no work."),
    HC_PARAM(TIME, options, found_time, "s", NULL, 1e-9, 1e10,
             "Mean time from a silent failure until it is found, when the host goes down. Required with "
             "silent."),
    HC_PARAM(CHOICE, options, found_distribution, "fixed|exponential", "fixed",
             "Distribution of these times; fixed: all are the mean."),
    {0}};

const hc_events_type hc_events_drawn = {
    .component =
        {HC_COMPONENT_HEAD(hc_events_type, HC_KIND_EVENTS), .name = "drawn",
         .summary = "hosts, or whole zones, fail and are repaired at random",
         .detail =
             "Each host or zone is up for a random time and down for a random time, in turn; in the long run "
             "the part up_time / (up_time + down_time) of them is up. The draws depend only on the run's "
             "seed, its replication and the number of the host or zone. For hosts that fail on their own and "
             "racks or power domains that fail as one give several entries of `events`.",
         .source = "Alternating renewal processes; Schroeder and Gibson, DSN 2006, doi:10.1109/DSN.2006.5",
         .params = params, .options_size = sizeof(options)},
    .open = open,
    .next = next,
    .visit = visit,
    .close = finish,
    .fails = fails,
};
