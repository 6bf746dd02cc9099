/* flows.c -- bytes on their way between hosts, and parallel tasks.
 *
 * A transfer is a flow over the links between two hosts: the network says which (hindcast/network.h), the
 * fluid how they are shared (execution/fluid.h). After the latency of its route it takes of each link what
 * it sends, and of those of the way back the share that the network's rules say.
 *
 * A parallel task is one activity: a unit of it takes all that it sends over each link, and no more of it is
 * done in a second than its slowest process does of its work. Its latency is the longest of its routes. It
 * takes the cores of its processes as if nothing else was computed there.
 *
 * Where each of many processes sends as much to each other one, what its links carry follows from the shape
 * of a network with one way between hosts (hc_network_all_pairs), at the cost of its links; on others so many
 * routes are looked up, up to PAIRS_MOST. Of a pattern each message that there is.
 *
 * Flows of a task that is suspended stand still; a latency that has begun goes on. Cost: as the fluid's; a
 * parallel task of n processes that send looks up n (n - 1) routes. */
#include "execution/measure.h"
#include "execution/saves.h"

#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

/* ---- what there is ---- */

static hc_rc add_links(hc_flows *f)
{
  const hc_network_of_run *n = &f->network;
  for (uint32_t id = 0; id < n->facts.links; id++) {
    hc_fluid_resource r = {0};
    hc_link link;
    uint32_t given;
    n->type->link(n->self, id, &link);
    r.capacity = link.bandwidth;
    r.sharing = link.sharing == HC_LINK_FATPIPE ? HC_FLUID_FATPIPE : HC_FLUID_SHARED;
    TRY(hc_fluid_add(f->fluid, &r, &given));
    HC_ASSERT(given == id);
  }
  return 0;
}

hc_rc hc_flows_init(hc_doings *d, const hc_model_context *c, const hc_flow_options *o, hc_error *e)
{
  hc_flows *f = &d->flows;
  const hc_network_context context = {.allocator = c->allocator,
                                      .hosts = c->host_count,
                                      .host_names = c->host_names,
                                      .where = "execution.network"};
  const hc_fluid_options rules = {.rule = o->together ? HC_FLUID_BOTTLENECK : HC_FLUID_MAX_MIN};
  TRY(hc_fluid_new(c->allocator, &rules, &f->fluid));
  if (!o->network->type) return 0;
  if (c->host_count == 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, "execution.network", 0, 0,
        "a network connects hosts, and this cell counts processors: say `cell: {use: hosts, ...}`");
  TRY(hc_network_make(&context, o->network, &f->network, e));
  f->links = hc_alloc(c->allocator, (f->network.facts.longest + (size_t)1) * sizeof *f->links);
  f->weights = hc_alloc(c->allocator, (f->network.facts.links + (size_t)1) * sizeof *f->weights);
  if (!f->links || !f->weights) return HC_ENOMEM;
  return add_links(f);
}

void hc_flows_fini(hc_doings *d)
{
  hc_flows *f = &d->flows;
  hc_free(d->allocator, f->uses, f->use_cap * sizeof *f->uses);
  hc_free(d->allocator, f->hosts, f->host_cap * sizeof *f->hosts);
  hc_free(d->allocator, f->links, (f->network.facts.longest + (size_t)1) * sizeof *f->links);
  hc_free(d->allocator, f->weights, (f->network.facts.links + (size_t)1) * sizeof *f->weights);
  if (f->network.type) hc_network_drop(&f->network);
  hc_fluid_free(f->fluid);
}

/* ---- routes ---- */

/* @return false: there is none, and why has been said */
static bool find_route(hc_doings *d, uint32_t running, uint32_t from, uint32_t to, hc_route *out)
{
  hc_flows *f = &d->flows;
  if (!f->network.type || from == HC_NO_ONE || to == HC_NO_ONE) {
    (void)hc_doings_fail(d, running, HC_EUNSUPPORTED,
                         "its profile sends bytes, and the run has no network: say which under "
                         "execution.network, and have a cell of hosts");
    return false;
  }
  const hc_rc rc = hc_network_route_of(&f->network, from, to, f->links, out);
  if (rc == 0) return true;
  (void)hc_doings_fail(d, running, rc, "it sends from host %u to host %u, and %s", from, to,
                       rc == HC_ELIMIT   ? "the route there has more links than a route may have, 4,096"
                       : rc == HC_ENOMEM ? "there is no memory for the route"
                                         : "no route of the network leads there");
  return false;
}

static bool add_use(hc_doings *d, uint32_t resource, double weight)
{
  hc_flows *f = &d->flows;
  if (hc_reserve(d->allocator, (void **)&f->uses, &f->use_cap, f->use_count + 1, sizeof *f->uses) < 0) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for the links of a flow");
    return false;
  }
  f->uses[f->use_count++] = (hc_fluid_use){resource, weight};
  return true;
}

static hc_time seconds(double s)
{
  const double ns = s * 1e9;
  return ns < 9e18 ? (hc_time)(ns + 0.5) : HC_NEVER;
}

static void start(hc_doings *d, uint32_t act, hc_fluid_activity *a)
{
  hc_doing *x = &d->acts[act];
  a->uses = d->flows.uses;
  a->count = d->flows.use_count;
  a->tag = act;
  a->serial = x->born;
  const hc_rc rc = hc_fluid_start(d->flows.fluid, d->now, a, &x->flow);
  if (rc < 0)
    (void)hc_doings_fail(d, x->running, rc, "what it sends or computes is not a number that there can be: %s",
                         hc_rc_text(rc));
}

/* What so many bytes take of the links from one host to another, and of those of the way back. @return false:
 * why has been said */
static bool add_way(hc_doings *d, uint32_t running, uint32_t from, uint32_t to, double bytes, hc_route *r)
{
  hc_flows *f = &d->flows;
  const hc_network_rules *rules = &f->network.facts.rules;
  hc_route back;
  f->use_count = 0;
  if (!find_route(d, running, from, to, r)) return false;
  const double factor = rules->bandwidth_factor;
  for (uint32_t i = 0; i < r->count; i++)
    if (!add_use(d, f->links[i], bytes / factor)) return false;
  if (!(rules->cross_traffic > 0) || from == to) return true;
  if (!find_route(d, running, to, from, &back)) return false;
  for (uint32_t i = 0; i < back.count; i++)
    if (!add_use(d, f->links[i], bytes * rules->cross_traffic / factor)) return false;
  return true;
}

bool hc_flow_with_disk(hc_doings *d, uint32_t running, uint32_t from, uint32_t to, uint32_t disk,
                       hc_disk_request *r)
{
  hc_flows *f = &d->flows;
  const double each = r->factor == 0 ? 1 : r->factor; /* bytes of a unit of work */
  hc_route way;
  if (!add_way(d, running, from, to, each, &way)) return false;
  if (!add_use(d, hc_disk_resource(d->storage.disks, disk, r->way), 1)) return false;
  r->uses = f->uses;
  r->use_count = f->use_count;
  r->bound = way.bound < HC_FLUID_FREE ? way.bound * f->network.facts.rules.bandwidth_factor / each : 0;
  r->delay = seconds(way.delay);
  return true;
}

void hc_flow_start(hc_doings *d, uint32_t act, uint32_t from, uint32_t to, double bytes)
{
  hc_flows *f = &d->flows;
  const double factor = f->network.facts.rules.bandwidth_factor;
  hc_route r;
  const hc_open_act *open = NULL;
  if (hc_saves_begins(d, act, &open) == HC_BEGINS_DRY) return;
  bytes = hc_saves_rest(d, act, bytes, open);
  if (!f->network.type && !(bytes > 0)) { /* nothing, over nothing */
    hc_doing_end(d, act, HC_ACT_OK);
    return;
  }
  if (!add_way(d, d->acts[act].running, from, to, 1, &r)) return;
  start(d, act,
        &(hc_fluid_activity){.work = bytes,
                             .bound = r.bound < HC_FLUID_FREE ? r.bound * factor : 0,
                             .cost = r.weight,
                             .delay = seconds(r.delay)});
  if (d->measure)
    hc_measure_act(d, act,
                   &(hc_measured_act){.work = bytes,
                                      .bytes = from != to ? bytes : 0,
                                      .kinds = HC_DOES_NETWORK,
                                      .from = from,
                                      .to = to});
}

/* ---- parallel tasks ---- */

typedef struct summing {
  double bound, delay; /* units of it in a second; s */
  double bytes;        /* between different hosts */
  double core_seconds; /* that it computes */
  bool sends;
} summing;

static bool add_pair(hc_doings *d, const hc_running *r, uint32_t from, uint32_t to, double bytes, summing *s)
{
  hc_flows *f = &d->flows;
  const uint32_t running = (uint32_t)(r - d->running);
  hc_route route;
  if (!find_route(d, running, from, to, &route)) return false;
  for (uint32_t k = 0; k < route.count; k++) {
    const uint32_t link = f->links[k];
    if (f->weights[link] == 0 && !add_use(d, link, 0)) return false;
    f->weights[link] += bytes;
  }
  s->bound = HC_MIN(s->bound, route.bound / bytes);
  s->delay = HC_MAX(s->delay, route.delay);
  if (from != to) s->bytes += bytes;
  s->sends = true;
  return true;
}

static uint32_t host_of(hc_running *r, uint32_t process)
{
  return hc_place_of(r, hc_place_number(r, process))->host;
}

/* With storage hosts, which do not compute. */
static bool add_outside(hc_doings *d, hc_running *r, const hc_joint_outside *x, summing *s)
{
  if (x->target != HC_NO_ONE) return !(x->in > 0) || add_pair(d, r, x->storage, x->target, x->in, s);
  for (uint32_t a = 0; a < hc_process_count(r); a++) {
    const uint32_t own = host_of(r, a);
    if (x->in > 0 && !add_pair(d, r, x->storage, own, x->in, s)) return false;
    if (x->out > 0 && !add_pair(d, r, own, x->storage, x->out, s)) return false;
  }
  return true;
}

/* A pattern, message by message. */
static bool add_messages(hc_doings *d, hc_running *r, const hc_joint *j, summing *s)
{
  const uint32_t running = (uint32_t)(r - d->running);
  for (uint64_t i = 0; i < j->count; i++) {
    hc_message m;
    if (!j->of(j->ctx, i, &m) || !(m.bytes > 0)) continue;
    if (m.from >= hc_process_count(r) || m.to >= hc_process_count(r)) {
      (void)hc_doings_fail(d, running, HC_EINPUT,
                           "its profile sends from process %u to process %u, and the task's are numbered 0 "
                           "to %u",
                           m.from, m.to, hc_process_count(r) - 1);
      return false;
    }
    if (!add_pair(d, r, host_of(r, m.from), host_of(r, m.to), m.bytes, s)) return false;
  }
  return true;
}

HC_SORT(sort_hosts, uint32_t, *a < *b)

/* How many messages of all places to each other one go from a host to another. Sorts the hosts. */
static double pairs_apart(uint32_t *hosts, uint32_t n)
{
  double pairs = (double)n * n;
  sort_hosts(hosts, n);
  for (uint32_t i = 0, first = 0; i < n; i++) {
    if (i + 1 < n && hosts[i + 1] == hosts[i]) continue;
    const double alike = (double)(i + 1 - first);
    pairs -= alike * alike;
    first = i + 1;
  }
  return pairs;
}

/* All of many places to each other one, from the shape of the network and not from routes.
 * @return 1; 0: it cannot say so; below: why has been said */
static int add_all(hc_doings *d, hc_running *r, double bytes, summing *s)
{
  hc_flows *f = &d->flows;
  const uint32_t n = hc_process_count(r);
  hc_route route;
  uint32_t *hosts = hc_alloc(d->allocator, n * sizeof *hosts);
  if (!hosts) return hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for the hosts of a pattern");
  for (uint32_t i = 0; i < n; i++) hosts[i] = host_of(r, i);
  const hc_rc rc = hc_network_all_pairs(&f->network, hosts, n, f->weights, &route);
  const double apart = rc == 0 ? pairs_apart(hosts, n) : 0;
  hc_free(d->allocator, hosts, n * sizeof *hosts);
  if (rc == HC_EUNSUPPORTED) return 0;
  if (rc < 0) return hc_doings_fail(d, HC_NO_ONE, rc, "the network cannot say what all its pairs take");
  for (uint32_t link = 0; link < f->network.facts.links; link++) {
    if (!(f->weights[link] > 0)) continue;
    if (!add_use(d, link, 0)) return HC_ENOMEM;
    f->weights[link] *= bytes;
  }
  s->bound = HC_MIN(s->bound, route.bound / bytes);
  s->delay = HC_MAX(s->delay, route.delay);
  s->bytes += apart * bytes;
  s->sends = true;
  return 1;
}

/* So often the same, added one after the other. What is whole stays so: then it is a product. */
static double add_up(double bytes, double times)
{
  double sum = 0;
  if (bytes * times <= 0x1p53 && (double)(int64_t)bytes == bytes) return bytes * times;
  for (uint64_t i = (uint64_t)times; i > 0; i--) sum += bytes;
  return sum;
}

/* A link that is new; that it is known is kept in the sign of how many cross it. */
static bool cross(hc_doings *d, uint32_t running, uint32_t from, uint32_t to, double bytes, summing *s)
{
  hc_flows *f = &d->flows;
  hc_route route;
  if (!find_route(d, running, from, to, &route)) return false;
  for (uint32_t k = 0; k < route.count; k++) {
    const uint32_t link = f->links[k];
    if (!(f->weights[link] > 0)) continue;
    if (!add_use(d, link, 0)) return false;
    f->weights[link] = -f->weights[link];
  }
  s->bound = HC_MIN(s->bound, route.bound / bytes);
  s->delay = HC_MAX(s->delay, route.delay);
  return true;
}

/* All of a few hosts to each other one, on a network with one way between any two: how many cross a link
 * follows from its shape, and the routes from the first host and to it cross all links there are, in the
 * order in which the routes of all pairs do, the longest among them. So all is to the bit what those add up
 * to.
 * @return as add_all */
static int add_few(hc_doings *d, hc_running *r, double bytes, summing *s)
{
  hc_flows *f = &d->flows;
  const uint32_t n = hc_process_count(r), running = (uint32_t)(r - d->running);
  double last = 0, sum = 0;
  hc_route any;
  bool is_right = true;
  if (hc_reserve(d->allocator, (void **)&f->hosts, &f->host_cap, n, sizeof *f->hosts) < 0)
    return hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for the hosts of a parallel task");
  for (uint32_t i = 0; i < n; i++) f->hosts[i] = host_of(r, i);
  sort_hosts(f->hosts, n);
  for (uint32_t i = 0; i < n; i++)
    if (f->hosts[i] == HC_NO_ONE || (i > 0 && f->hosts[i] == f->hosts[i - 1])) return 0; /* one twice */
  if (hc_network_all_pairs(&f->network, f->hosts, n, f->weights, &any) < 0) return 0;
  for (uint32_t i = 1; i < n && is_right; i++)
    is_right = cross(d, running, f->hosts[0], f->hosts[i], bytes, s);
  for (uint32_t i = 1; i < n && is_right; i++)
    is_right = cross(d, running, f->hosts[i], f->hosts[0], bytes, s);
  if (!is_right) {
    memset(f->weights, 0, f->network.facts.links * sizeof *f->weights);
    return HC_EINPUT;
  }
  for (size_t i = 0; i < f->use_count; i++) {
    double *weight = &f->weights[f->uses[i].resource];
    if (-*weight != last) sum = add_up(bytes, last = -*weight);
    *weight = sum;
  }
  s->bytes = add_up(bytes, (double)n * (n - 1));
  s->sends = true;
  return 1;
}

enum { FEW_PLACES = 3, MANY_PLACES = 512, PAIRS_MOST = 1 << 26 };

/* @return false: why has been said */
static bool add_pairs(hc_doings *d, hc_running *r, const hc_joint *j, summing *s)
{
  const uint32_t n = hc_process_count(r);
  if (j->outside) return add_outside(d, r, j->outside, s);
  if (j->of) return add_messages(d, r, j, s);
  if (!j->bytes && !(j->between > 0)) return true;
  const bool is_first = d->flows.use_count == 0;
  if (!j->bytes && n >= FEW_PLACES && is_first && !r->executors && d->flows.network.type) {
    const int all = n > MANY_PLACES ? add_all(d, r, j->between, s) : add_few(d, r, j->between, s);
    if (all != 0) return all > 0;
  }
  if ((uint64_t)n * n > PAIRS_MOST) {
    (void)hc_doings_fail(d, (uint32_t)(r - d->running), HC_ELIMIT,
                         "its %u processes send to each other, which are more than %d pairs to look up on "
                         "this network: networks with one way between hosts (star, backbone, tree, shared, "
                         "constant) need not be asked for each",
                         n, PAIRS_MOST);
    return false;
  }
  for (uint32_t a = 0; a < n; a++)
    for (uint32_t b = 0; b < n; b++) {
      const double bytes = j->bytes ? j->bytes[(size_t)a * n + b] : a != b ? j->between : 0;
      if (bytes > 0 && !add_pair(d, r, host_of(r, a), host_of(r, b), bytes, s)) return false;
    }
  return true;
}

static double speed_of(const hc_doings *d, uint32_t host)
{
  return host == HC_NO_ONE ? 1 : d->speeds[host];
}

/* Of a process, and of all others of its place behind it; 0 if one before it has counted it. */
static double work_of(const hc_running *r, const hc_joint *j, uint32_t process)
{
  double sum = j->work ? j->work[process] : j->each;
  for (uint32_t i = 0; r->executors && i < process; i++)
    if (r->executors[i] == r->executors[process]) return 0;
  for (uint32_t i = process + 1; r->executors && i < r->executor_count; i++)
    if (r->executors[i] == r->executors[process]) sum += j->work ? j->work[i] : j->each;
  return sum;
}

static bool add_work(hc_doings *d, hc_running *r, const hc_joint *j, summing *s)
{
  for (uint32_t i = 0; i < hc_process_count(r); i++) {
    const double work = work_of(r, j, i), rate = hc_place_of(r, hc_place_number(r, i))->rate * 1e9;
    if (!(work > 0)) continue;
    if (!(rate > 0)) {
      (void)hc_doings_fail(
          d, (uint32_t)(r - d->running), HC_EINPUT,
          "its profile computes on process %u, which has no cores, or a host of speed 0: ask for "
          "some (cpu_per_node)",
          i);
      return false;
    }
    s->bound = HC_MIN(s->bound, rate / work);
    const double core_seconds = work / (d->speed * 1e9 * speed_of(d, host_of(r, i)));
    s->core_seconds += core_seconds;
    if (d->measure) hc_busy_part_of(d, hc_place_number(r, i), core_seconds);
  }
  return true;
}

/* @return false: why has been said */
static bool add_part(hc_doings *d, uint32_t act, const hc_joint *j, summing *s)
{
  hc_running *r = &d->running[d->acts[act].running];
  const double before = s->core_seconds;
  if (d->contention.is_overrun && (j->work || j->each > 0)) {
    (void)hc_doings_fail(
        d, d->acts[act].running, HC_EUNSUPPORTED,
        "its parallel task has its cores for itself, and hosts' cores are promised more than "
        "once (execution.overcommit): let it compute by another profile");
    return false;
  }
  if (!add_pairs(d, r, j, s) || !add_work(d, r, j, s)) return false;
  if (before == 0 || s->core_seconds == before) return true;
  (void)hc_doings_fail(
      d, d->acts[act].running, HC_EUNSUPPORTED,
      "two profiles that are coupled compute, and only one may: let the other only send, read "
      "or write");
  return false;
}

/* All that it takes of links is known: it begins, with the part of it that is left. */
static void start_joint(hc_doings *d, uint32_t act, bool is_right, const summing *sum, double left)
{
  hc_flows *f = &d->flows;
  const summing s = *sum;
  for (size_t i = 0; i < f->use_count; i++) {
    f->uses[i].weight = f->weights[f->uses[i].resource];
    f->weights[f->uses[i].resource] = 0;
  }
  if (!is_right) return;
  start(d, act,
        &(hc_fluid_activity){.work = s.bound < HC_FLUID_FREE || f->use_count > 0 ? left : 0,
                             .bound = s.bound < HC_FLUID_FREE ? s.bound : 0,
                             .delay = seconds(s.delay)});
  if (d->measure)
    hc_measure_act(d, act,
                   &(hc_measured_act){.work = left,
                                      .from = HC_NO_ONE,
                                      .bytes = s.bytes * left,
                                      .core_seconds = s.core_seconds * left,
                                      .kinds = (s.core_seconds > 0 ? HC_DOES_COMPUTE : 0u) |
                                               (s.sends ? HC_DOES_NETWORK : 0u)});
  if (d->measure) hc_busy_joint_begin(d, act);
}

void hc_flow_joint(hc_doings *d, uint32_t act, const hc_joint *j)
{
  summing s = {.bound = HC_FLUID_FREE};
  const hc_open_act *open = NULL;
  if (hc_saves_begins(d, act, &open) == HC_BEGINS_DRY) return;
  d->flows.use_count = 0;
  const bool is_right = add_part(d, act, j, &s);
  start_joint(d, act, is_right, &s, hc_saves_rest(d, act, 1, open));
}

void hc_flow_coupled(hc_doings *d, uint32_t act, hc_joint_of of, void *ctx, uint32_t count)
{
  summing s = {.bound = HC_FLUID_FREE};
  bool is_right = true;
  const hc_open_act *open = NULL;
  if (hc_saves_begins(d, act, &open) == HC_BEGINS_DRY) return;
  d->flows.use_count = 0;
  for (uint32_t i = 0; i < count && is_right; i++) {
    hc_joint j = {0};
    is_right = of(ctx, i, &j) && add_part(d, act, &j, &s);
  }
  start_joint(d, act, is_right, &s, hc_saves_rest(d, act, 1, open));
}

/* ---- while they last ---- */

void hc_flow_stop(hc_doings *d, uint32_t act)
{
  const hc_fluid_id id = d->acts[act].flow;
  double done = 0;
  if (id.generation == 0 && id.slot == 0) return;
  (void)hc_fluid_cancel(d->flows.fluid, d->now, id, &done);
  if (d->measure) hc_measure_stopped(d, act, done);
}

void hc_flow_pause(hc_doings *d, uint32_t act, bool is_paused)
{
  const hc_rc rc = hc_fluid_change(d->flows.fluid, d->now, d->acts[act].flow, is_paused ? 0 : 1);
  if (rc < 0) (void)hc_doings_fail(d, d->acts[act].running, rc, "its flow cannot be suspended");
}

hc_time hc_flows_next(hc_doings *d)
{
  hc_time at = HC_NEVER;
  if (hc_fluid_active(d->flows.fluid) == 0 || d->failed < 0) return at;
  const hc_rc rc = hc_fluid_next(d->flows.fluid, &at);
  if (rc < 0) (void)hc_doings_fail(d, HC_NO_ONE, rc, "no room for the rates of flows");
  return at;
}

int hc_flows_due(hc_doings *d)
{
  hc_fluid_end end;
  if (hc_fluid_active(d->flows.fluid) == 0) return 0;
  const hc_rc rc = hc_fluid_advance(d->flows.fluid, d->now, &end);
  if (rc < 0) (void)hc_doings_fail(d, HC_NO_ONE, rc, "no room for the rates of flows");
  if (rc <= 0) return 0;
  if (end.tag >= HC_DISK_TAG) {
    hc_storage_told(d, &end);
    return 1;
  }
  d->acts[end.tag].flow = (hc_fluid_id){0};
  hc_doing_end(d, (uint32_t)end.tag, HC_ACT_OK);
  return 1;
}

hc_rc hc_flows_load(hc_doings *d, hc_time now, uint32_t link, double *out)
{
  const hc_network_of_run *n = &d->flows.network;
  double taken;
  hc_link x;
  *out = 0;
  if (!n->type || link >= n->facts.links) return 0;
  n->type->link(n->self, link, &x);
  if (x.sharing == HC_LINK_FATPIPE) return 0;
  TRY(hc_fluid_load(d->flows.fluid, now, link, &taken));
  *out = HC_MIN(taken / x.bandwidth, 1);
  return 0;
}

hc_rc hc_flows_visit(hc_doings *d, hc_visitor *v)
{
  return hc_fluid_visit(d->flows.fluid, v);
}
