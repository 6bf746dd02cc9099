/* locality.c -- delay scheduling: a job waits a little for hosts that have its data.
 *
 * Where the data of a task are its trace says (`prefers`: hosts, or racks by the names of their zones). Of a
 * task of which it does not, they lie in copies on `replicas` hosts, drawn as HDFS places them: the first on
 * any host, the second on a host of another rack, the third in the rack of the second, others anywhere; no
 * host twice. A host is local to a task if it has a copy, rack-local if its rack has, else remote; there the
 * task runs so many times as long.
 *
 * A job's operation has a level: 0 takes local hosts only, 1 rack-local ones too, 2 any. It rises when the
 * operation has skipped D1, then D2 offers (or waited for W1, then W2 since the first it skipped), and falls
 * to the level of the host that was taken last, as in the paper's second algorithm: after a remote start
 * nothing is waited for until a local offer comes. With a share p of hosts that are local, and offers of
 * hosts drawn alike, D1 offers are skipped in vain with probability (1 - p)^D1, and a start after that is
 * local with probability p once more. The task that is asked for is the first of its line, as the policy has
 * it: another of the job that is local here is not looked for.
 *
 * Copies are drawn for each offer anew from the stream of the task (seed, replication, serial, replica),
 * or of its job: nothing is kept. Cost: about 50 ns a copy. Memory: 48 bytes an operation that has tasks.
 * Source: Zaharia et al., Delay Scheduling, EuroSys 2010, doi:10.1145/1755913.1755940, sections 3 and 4;
 * Shvachko et al., HDFS, MSST 2010 (copies). */
#include <string.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/sharing.h"
#include "policy/operations.h"
#include "policy/preferred.h"

enum { DELAY_TIME, DELAY_OFFERS };
enum { DATA_TASK, DATA_JOB };
enum { LOCAL, RACK, REMOTE, LEVELS };
enum { COPIES = 64, TRIES = 64 };

typedef struct options {
  int delay, data, whose;
  int64_t replicas, rack_offers, any_offers;
  hc_time rack_wait, any_wait;
  double rack_factor, any_factor;
  const char *zone;
} options;

typedef struct patience {
  uint64_t level, skipped;
  hc_time since; /* the first that was skipped */
} patience;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  const options *o;
  const hc_zone_level *racks; /* NULL: each host is a rack */
  const uint32_t *rack_of;    /* [hosts] */
  uint32_t hosts;
  uint64_t seed, replication;
  hc_operations whose;
  hc_preferred preferred;
  patience *states;
  size_t state_count, state_cap;
  uint64_t started[LEVELS], skipped, forced, said,
      strange;  /* said: of those started, places by the trace; strange: of
                                                          which this cell has not all */
  hc_time lost; /* waiting, in all; saturates */
};

/* ---- where the data is ---- */

static uint32_t rack_of(const hc_policy *self, uint32_t host)
{
  if (!self->rack_of || self->rack_of[host] == HC_NO_NAME) return host + self->hosts; /* by itself */
  return self->rack_of[host];
}

static bool has(const uint32_t *copies, uint32_t count, uint32_t host)
{
  for (uint32_t i = 0; i < count; i++)
    if (copies[i] == host) return true;
  return false;
}

static bool suits(const hc_policy *self, const uint32_t *copies, uint32_t count, uint32_t host)
{
  if (has(copies, count, host)) return false;
  if (count == 1) return rack_of(self, host) != rack_of(self, copies[0]);
  if (count == 2) return rack_of(self, host) == rack_of(self, copies[1]);
  return true;
}

/* The next copy: the first draw that suits; after so many, the first host behind the last draw that suits, or
 * at least has no copy. */
static uint32_t draw_copy(const hc_policy *self, hc_draws *d, const uint32_t *copies, uint32_t count)
{
  uint32_t host = 0;
  for (int i = 0; i < TRIES; i++) {
    host = (uint32_t)hc_random_below(d, self->hosts);
    if (suits(self, copies, count, host)) return host;
  }
  for (uint32_t i = 0; i < self->hosts; i++)
    if (suits(self, copies, count, (host + i) % self->hosts)) return (host + i) % self->hosts;
  while (has(copies, count, host)) host = (host + 1) % self->hosts;
  return host;
}

/* Which hosts have a copy, into copies [COPIES]. @return how many */
static uint32_t copies_of(const hc_policy *self, const hc_offer *o, uint32_t *copies)
{
  const uint32_t n = (uint32_t)HC_MIN(self->o->replicas, (int64_t)HC_MIN(self->hosts, COPIES));
  hc_draws d = {.seed = self->seed, .replication = self->replication, .purpose = HC_PURPOSE_REPLICA};
  const int64_t job = self->o->data == DATA_JOB ? self->services->job(o->view, o->task) : -1;
  if (job != -1) d.entity = (UINT64_C(1) << 63) | (uint64_t)job;
  else d.entity = self->services->serial(o->view, o->task);
  for (uint32_t i = 0; i < n; i++) copies[i] = draw_copy(self, &d, copies, i);
  return n;
}

static int level_of(hc_policy *self, const hc_offer *o)
{
  uint32_t copies[COPIES], n;
  const hc_nearness near = hc_preferred_near(&self->preferred, o->view, o->task, o->host);
  if (near != HC_NEAR_UNSAID) return (int)near;
  n = copies_of(self, o, copies);
  if (has(copies, n, o->host)) return LOCAL;
  for (uint32_t i = 0; i < n; i++)
    if (rack_of(self, copies[i]) == rack_of(self, o->host)) return RACK;
  return REMOTE;
}

/* ---- how long it waits ---- */

static int level_borne(const hc_policy *self, const patience *p, hc_time now)
{
  const options *o = self->o;
  const bool by_time = o->delay == DELAY_TIME;
  const int64_t first = by_time ? o->rack_wait : o->rack_offers,
                second = by_time ? o->any_wait : o->any_offers;
  const int64_t waited = !by_time ? (int64_t)p->skipped : p->skipped > 0 ? now - p->since : 0;
  if (p->level == REMOTE || waited >= hc_time_add(p->level == LOCAL ? first : 0, second)) return REMOTE;
  return p->level == RACK || waited >= first ? RACK : LOCAL;
}

static bool accepts(hc_policy *self, const hc_offer *o)
{
  const patience none = {0};
  uint32_t place;
  if (hc_operations_of(&self->whose, o->view, o->task, o->user, &place) < 0) return true;
  return level_of(self, o) <=
         level_borne(self, place < self->state_count ? &self->states[place] : &none, o->now);
}

static hc_rc noted(hc_policy *self, const hc_offer *o, bool started)
{
  uint32_t place;
  patience *p;
  TRY(hc_operations_of(&self->whose, o->view, o->task, o->user, &place));
  if (place >= self->state_count) {
    TRY(hc_reserve(self->allocator, (void **)&self->states, &self->state_cap, (size_t)place + 1,
                   sizeof *self->states));
    while (self->state_count <= place) self->states[self->state_count++] = (patience){0};
  }
  p = &self->states[place];
  if (!started) {
    if (p->skipped == 0) p->since = o->now;
    p->skipped += o->round == 0;
    self->skipped += o->round == 0;
    return 0;
  }
  if (p->skipped > 0) self->lost = hc_time_add(self->lost, o->now - p->since);
  *p = (patience){.level = (uint64_t)level_of(self, o)};
  self->started[p->level]++;
  if (hc_preferred_near(&self->preferred, o->view, o->task, o->host) != HC_NEAR_UNSAID) {
    self->said++;
    self->strange += !hc_preferred_is_known(&self->preferred, o->view, o->task);
  }
  self->forced += o->is_forced;
  return 0;
}

static double pace(hc_policy *self, const hc_offer *o)
{
  const double factors[LEVELS] = {1, self->o->rack_factor, self->o->any_factor};
  return factors[level_of(self, o)];
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t user)
{
  uint32_t place;
  bool ended;
  TRY(hc_operations_hear(&self->whose, v, what, t, user, &place, &ended));
  if (ended && place < self->state_count) self->states[place] = (patience){0};
  return 0;
}

/* ---- life ---- */

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  uint32_t out = HC_TIME_DEPENDENT;
  if (o->whose == HC_MEMORY_OPERATION || o->data == DATA_JOB) out |= HC_ASKS_JOBS;
  if (o->rack_factor != 1 || o->any_factor != 1) out |= HC_PACES;
  return out;
}

/* Racks are the zones of one level: the one that is named, or the first. */
static hc_rc find_racks(hc_policy *self, const hc_cell_spec *cell, hc_error *e)
{
  const char *name = self->o->zone;
  if (!cell || cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "accept locality", 0, 0,
                   "data lies on hosts, and this cell has none: use a cell of hosts");
  self->hosts = cell->units;
  for (uint32_t i = 0; i < cell->level_count; i++)
    if (!name || !name[0] || strcmp(cell->levels[i].name, name) == 0) {
      self->racks = &cell->levels[i];
      self->rack_of = cell->levels[i].zone_of;
      return 0;
    }
  if (!name || !name[0]) return 0;
  return hc_fail(
      e, HC_EUSAGE, "accept locality", 0, 0,
      "zone: the cell has no level of zones \"%.80s\"; give its classes zones of that name, or leave it out",
      name);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->services = c->services;
  self->o = opts;
  self->seed = c->seed;
  self->replication = c->replication;
  hc_operations_init(&self->whose, c, (hc_memory_of)self->o->whose);
  *out = self;
  TRY(find_racks(self, c->cell, e));
  hc_preferred_init(&self->preferred, c, self->racks);
  return 0;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  TRY(hc_operations_visit(&self->whose, v));
  HC_VISIT(v, self->started);
  HC_VISIT(v, self->skipped);
  HC_VISIT(v, self->forced);
  HC_VISIT(v, self->said);
  HC_VISIT(v, self->strange);
  HC_VISIT(v, self->lost);
  HC_VISIT_ARRAY(v, self->states, self->state_count, self->state_cap);
  return 0;
}

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  const double all = (double)(self->started[LOCAL] + self->started[RACK] + self->started[REMOTE]);
  const double nothing = __builtin_nan("");
  TRY(hc_find_real(f, "local_starts", "1", all > 0 ? (double)self->started[LOCAL] / all : nothing));
  TRY(hc_find_real(f, "rack_local_starts", "1", all > 0 ? (double)self->started[RACK] / all : nothing));
  TRY(hc_find_real(f, "remote_starts", "1", all > 0 ? (double)self->started[REMOTE] / all : nothing));
  TRY(hc_find_count(f, "locality_skipped", "offers", (int64_t)self->skipped));
  if (self->said > 0) {
    TRY(hc_find_count(f, "starts_by_trace", "tasks", (int64_t)self->said));
    TRY(hc_find_count(f, "starts_of_strange_places", "tasks", (int64_t)self->strange));
    TRY(hc_find_count(f, "starts_on_host", "tasks", (int64_t)self->started[LOCAL]));
    TRY(hc_find_count(f, "starts_in_rack", "tasks", (int64_t)self->started[RACK]));
    TRY(hc_find_count(f, "starts_elsewhere", "tasks", (int64_t)self->started[REMOTE]));
  }
  TRY(hc_find_count(f, "locality_forced", "tasks", (int64_t)self->forced));
  return hc_find_real(f, "locality_wait_mean", "s",
                      all > 0 ? (double)self->lost / (double)HC_SECOND / all : nothing);
}

static void fini(hc_policy *self)
{
  hc_operations_fini(&self->whose);
  hc_preferred_fini(&self->preferred);
  hc_free(self->allocator, self->states, self->state_cap * sizeof *self->states);
  hc_free(self->allocator, self, sizeof *self);
}

static const char *const figures[] = {
    "local_starts|1|higher|share of starts on a host that has the task's data",
    "rack_local_starts|1|none|share of starts on another host of a rack that has the task's data",
    "remote_starts|1|lower|share of the other starts",
    "locality_skipped|offers|none|offers of hosts on which a task would have fitted and that were skipped "
    "for hosts nearer to its data",
    "starts_by_trace|tasks|none|starts of tasks of which the trace says where their data are, if any does",
    "starts_of_strange_places|tasks|lower|starts of tasks of which the trace names a place that is not in "
    "this cell",
    "starts_on_host|tasks|higher|all starts on a host that has the task's data, if the trace says of any",
    "starts_in_rack|tasks|none|all starts on another host of a rack that has the task's data, if the trace "
    "says of any",
    "starts_elsewhere|tasks|lower|all other starts, if the trace says of any",
    "locality_forced|tasks|lower|starts by the fallback of the policy, without asking",
    "locality_wait_mean|s|lower|mean over starts of the time from the first offer skipped for it to the "
    "start, 0 if none was",
    NULL};

static const hc_param params[] = {
    HC_PARAM(INT, options, replicas, "hosts", "3", 1, COPIES,
             "Number of hosts that have a copy of a task's data, at most all."),
    HC_PARAM(CHOICE, options, data, "task|job", "task",
             "Whose data is drawn: each task's, or one file that all tasks of a job read."),
    HC_PARAM(TEXT, options, zone, NULL,
             "The level of zones that is a rack. Default: the first that the cell has; none: each host is "
             "a rack."),
    HC_PARAM_AS(CHOICE, "memory", options, whose, HC_MEMORIES, "operation",
                "What has a level of its own. operation: each job; a task of no job by itself. user: all "
                "tasks of a user together."),
    HC_PARAM(CHOICE, options, delay, "time|offers", "time",
             "What is counted. time: the time since the first skipped offer. offers: skipped offers."),
    HC_PARAM(TIME, options, rack_wait, "s", "5s", 0, 1e10,
             "W1: with delay: time, how long to wait before rack-local hosts are taken; never: they are not "
             "taken."),
    HC_PARAM(TIME, options, any_wait, "s", "5s", 0, 1e10,
             "W2: with delay: time, how long to wait after that before any host is taken; never: other hosts "
             "are not taken."),
    HC_PARAM(INT, options, rack_offers, "offers", "0", 0, 1e12,
             "D1: with delay: offers, how many are skipped before rack-local hosts are taken."),
    HC_PARAM(INT, options, any_offers, "offers", "0", 0, 1e12,
             "D2: with delay: offers, how many more are skipped before any host is taken."),
    HC_PARAM(REAL, options, rack_factor, "1", "1", 1e-3, 1e6,
             "Factor of a task's run time on a rack-local host, and of its estimate and limit."),
    HC_PARAM(REAL, options, any_factor, "1", "1", 1e-3, 1e6,
             "Factor of a task's run time on any other host, and of its estimate and limit."),
    {0}};

const hc_accept_type hc_accept_locality = {
    .component =
        {HC_COMPONENT_HEAD(hc_accept_type, HC_KIND_ACCEPT), .name = "locality",
         .summary = "waits a little for hosts that have the task's data: delay scheduling",
         .detail =
             "The trace says where a task's data are (native and csv: `prefers`, hosts or zones by name; a "
             "place that this cell does not have is remote from all hosts). For other tasks copies are "
             "placed as HDFS does: one on any host, one in another rack, a third in that rack too, the "
             "others anywhere. Levels are hosts with a copy, hosts of a rack with a copy, and any host. A "
             "job's level rises as it waits, and becomes that of the host it takes. The answer is about the "
             "user's first queued task that fits. Use `fallback: none` of the policy, or the fallback ends "
             "the waiting.",
         .source = "Zaharia et al., Delay Scheduling, EuroSys 2010, doi:10.1145/1755913.1755940",
         .params = params, .options_size = sizeof(options), .figures = figures},
    .flags = flags,
    .init = init,
    .accepts = accepts,
    .noted = noted,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .on_task_event = on_task_event,
    .pace = pace,
};
