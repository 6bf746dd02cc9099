/* measure.c -- what running tasks do and use, for metrics: exact, and at no cost for those that do not ask.
 *
 * The solver already knows what was ever used of each link and disk (hc_fluid_used: booked when a flow is
 * over, and what is under way at the rates of now, which hold until the next change). So nothing is written
 * down when rates change: a look gives sums up to a time, and what lies between two looks is a
 * difference, exact up to rounding. A look costs O(links + disks + activities), and changes cost nothing.
 *
 * Of a task it is counted for how long it did what: which of computing, sending and disk operations went on
 * at once, one addition whenever that changes. Cores that compute are counted when the first computation of a
 * process begins and the last ends. A parallel task uses cores as its one rate says: its core-seconds are
 * known for all of it, and of what is done in proportion. Where one clock stands for processes of different
 * speed, the faster ones count for the part of the time that they need. A task of which only its length is
 * known uses what it holds.
 *
 * How long a task takes *alone* is found by letting it run once more when it has come to its end, in a world
 * of its own with the same network and disks, and nothing else: what the model says, not a formula. That
 * costs as much as the first time. Empty disks, no limit, no suspension. */
#include "execution/measure.h"
#include "execution/saves.h"

#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

#define SECONDS(wide) (hc_wide_real(wide) / 1e12) /* thousandths of cores x ns */

/* ---- birth and death ---- */

static double *numbers(hc_doings *d, size_t count)
{
  double *x = hc_alloc(d->allocator, (count + 1) * sizeof *x);
  for (size_t i = 0; x && i <= count; i++) x[i] = 0;
  return x;
}

static size_t links_of(const hc_doings *d)
{
  return d->flows.network.type ? d->flows.network.facts.links : 0;
}

static size_t lanes_of(const hc_doings *d)
{
  return d->storage.disks ? (size_t)HC_DISK_WAYS * hc_disks_count(d->storage.disks) : 0;
}

/* A link with the load x / bandwidth draws idle + (busy - idle) x / bandwidth: each byte adds as much. */
static hc_rc set_joules(hc_doings *d, hc_measure *m)
{
  const hc_network_of_run *n = &d->flows.network;
  if (!n->type || !n->facts.draws) return 0;
  m->joules = numbers(d, links_of(d));
  if (!m->joules) return HC_ENOMEM;
  for (uint32_t id = 0; id < links_of(d); id++) {
    hc_link link;
    hc_link_watts w;
    n->type->link(n->self, id, &link);
    hc_network_watts_of(n, id, &w);
    m->joules[id] = (w.busy - w.idle) / link.bandwidth;
  }
  return 0;
}

hc_rc hc_measure_new(hc_doings *d, const hc_model_context *c, const hc_flow_options *flows,
                     const hc_measuring *asked)
{
  hc_measure *m = d->measure = hc_alloc(d->allocator, sizeof *m);
  if (!m) return HC_ENOMEM;
  *m = (hc_measure){.asked = *asked, .context = *c, .flows = *flows};
  m->sums.since = HC_UNKNOWN;
  m->links = numbers(d, links_of(d));
  m->bandwidths = numbers(d, links_of(d));
  m->disks = numbers(d, lanes_of(d));
  m->disk_bandwidths = numbers(d, lanes_of(d));
  if (!m->links || !m->bandwidths || !m->disks || !m->disk_bandwidths) return HC_ENOMEM;
  TRY(set_joules(d, m));
  for (uint32_t id = 0; id < links_of(d); id++) {
    hc_link link;
    d->flows.network.type->link(d->flows.network.self, id, &link);
    m->bandwidths[id] = link.sharing == HC_LINK_SHARED ? link.bandwidth : HC_FLUID_FREE;
  }
  for (uint32_t i = 0; i < lanes_of(d); i++)
    m->disk_bandwidths[i] =
        hc_disk_bandwidth(d->storage.disks, i / HC_DISK_WAYS, (hc_disk_way)(i % HC_DISK_WAYS));
  return hc_busy_init(d);
}

static void drop_alone(hc_doings *d)
{
  hc_measure *m = d->measure;
  if (!m->alone) return;
  hc_doings_fini(m->alone);
  hc_free(d->allocator, m->alone, sizeof *m->alone);
  m->alone = NULL;
}

void hc_measure_free(hc_doings *d)
{
  hc_measure *m = d->measure;
  const hc_allocator *a = d->allocator;
  if (!m) return;
  drop_alone(d);
  hc_free(a, m->links, (links_of(d) + 1) * sizeof *m->links);
  hc_free(a, m->bandwidths, (links_of(d) + 1) * sizeof *m->bandwidths);
  if (m->joules) hc_free(a, m->joules, (links_of(d) + 1) * sizeof *m->joules);
  hc_free(a, m->disks, (lanes_of(d) + 1) * sizeof *m->disks);
  hc_free(a, m->disk_bandwidths, (lanes_of(d) + 1) * sizeof *m->disk_bandwidths);
  hc_free(a, m->of, m->of_cap * sizeof *m->of);
  hc_free(a, m->acts, m->act_cap * sizeof *m->acts);
  hc_busy_fini(d);
  hc_labelled_fini(d);
  hc_free(a, m, sizeof *m);
  d->measure = NULL;
}

/* ---- times ---- */

static uint32_t does(const hc_measured *x)
{
  uint32_t set = 0;
  for (uint32_t k = 0; k < HC_MEASURED_KINDS; k++) set |= (uint32_t)(x->counts[k] > 0) << k;
  return set;
}

static void settle(hc_measured *x, hc_time now)
{
  if (x->since == HC_NEVER) return;
  x->times[does(x)] += now - x->since;
  if (x->waits) x->items += now - x->since;
  x->since = now;
}

static void settle_sums(hc_measured_sums *s, hc_time now)
{
  if (s->since == HC_UNKNOWN) s->since = now;
  hc_wide_add_product(&s->held_until, s->held, now - s->since);
  hc_wide_add_product(&s->used_until, s->used, now - s->since);
  s->since = now;
}

static void add_cores(hc_doings *d, int64_t held, int64_t used)
{
  hc_measured_sums *s = &d->measure->sums;
  settle_sums(s, d->now);
  s->held += held;
  s->used += used;
}

/* ---- tasks ---- */

static bool has_room(hc_doings *d, void **items, size_t *count, size_t *cap, size_t need, size_t item)
{
  if (need <= *count) return true;
  if (hc_reserve(d->allocator, items, cap, need, item) < 0) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for what is measured of tasks");
    return false;
  }
  memset((char *)*items + *count * item, 0, (need - *count) * item);
  *count = need;
  return true;
}

/* All that it holds, and what of it computes where all do, the slowest longest. */
static void take_held(const hc_doings *d, hc_measured *x, const hc_activity *a)
{
  double least = 0, as_one = 0;
  x->held = 0;
  for (size_t i = 0; i < a->process_count; i++) {
    const double speed = d->speeds[a->processes[i].host] * (double)a->processes[i].milli;
    x->held += a->processes[i].milli;
    if (i == 0 || speed < least) least = speed;
  }
  for (size_t i = 0; i < a->process_count && least > 0; i++)
    as_one += least / d->speeds[a->processes[i].host];
  if (!a->processes) x->held = a->units * 1000;
  x->as_one = a->processes ? (int64_t)(as_one + 0.5) : x->held;
}

/* At a scheduling point, where it computes nothing. */
void hc_measure_resize(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_measured *x = &d->measure->of[running];
  const int64_t had = x->held;
  take_held(d, x, a);
  add_cores(d, x->held - had, 0);
  hc_busy_resize(d, running, a);
  hc_labelled_resize(d, running);
}

void hc_measure_begin(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_measure *m = d->measure;
  hc_measured x = {.since = d->now, .items = a->input_count + a->output_count > 0 ? 0 : HC_UNKNOWN};
  if (!has_room(d, (void **)&m->of, &m->of_count, &m->of_cap, (size_t)running + 1, sizeof *m->of)) return;
  take_held(d, &x, a);
  x.used = a->profile ? 0 : x.held;
  m->of[running] = x;
  add_cores(d, x.held, x.used);
  hc_busy_begin(d, running, a);
}

static hc_time find_alone(hc_doings *d, uint32_t running)
{
  hc_measure *m = d->measure;
  hc_time length = HC_UNKNOWN;
  hc_error ignored = {0};
  if (!m->alone) {
    m->alone = hc_alloc(d->allocator, sizeof *m->alone);
    if (!m->alone) return HC_UNKNOWN;
    if (hc_doings_init(m->alone, &m->context, &m->flows, &ignored) < 0) {
      drop_alone(d);
      return HC_UNKNOWN;
    }
    for (size_t i = 0; i < m->alone->storage.store_count; i++) m->alone->storage.stores[i].is_kept = 0;
    m->alone->most = d->most;
    m->alone->passes_points = true;
    m->alone->speed = d->speed;
    m->alone->gpu_speed = d->gpu_speed;
  }
  const hc_rc rc = hc_doings_alone(m->alone, d, running, &length);
  if (rc < 0 || m->alone->storage.files) drop_alone(d); /* files that it wrote would be there for the next */
  return length;
}

void hc_measure_end(hc_doings *d, uint32_t running, uint32_t how)
{
  hc_measure *m = d->measure;
  hc_measured *x = &m->of[running];
  const hc_running *r = &d->running[running];
  if (x->since != HC_NEVER) add_cores(d, -x->held, -x->used);
  settle(x, d->now);
  hc_busy_end(d, running);
  if (r->script == HC_NO_SCRIPT) return;
  hc_did_record told = {.at = d->now,
                        .serial = r->serial,
                        .how = how,
                        .at_once = x->most,
                        .items = x->items,
                        .worked = r->since == HC_NEVER ? r->worked : r->worked + (d->now - r->since),
                        .alone = HC_UNKNOWN,
                        .sent = x->bytes[HC_BYTES_SENT],
                        .read = x->bytes[HC_BYTES_READ],
                        .written = x->bytes[HC_BYTES_WRITTEN]};
  memcpy(told.times, x->times, sizeof told.times);
  const hc_saver *saver = d->saves ? hc_saver_of(d, running) : NULL;
  const bool is_whole = !saver || saver->base == 0; /* and no rest of a task */
  if (m->asked.alone && how == HC_DID_ALL && is_whole) told.alone = find_alone(d, running);
  const hc_rc rc = m->asked.did ? m->asked.did(m->asked.ctx, &told) : 0;
  if (rc < 0) (void)hc_doings_fail(d, running, rc, "what it did cannot be kept: %s", hc_rc_text(rc));
}

void hc_measure_suspend(hc_doings *d, uint32_t running, bool is_suspended)
{
  hc_measured *x = &d->measure->of[running];
  if (is_suspended) {
    settle(x, d->now);
    add_cores(d, -x->held, -x->used);
    x->since = HC_NEVER;
  } else {
    add_cores(d, x->held, x->used);
    x->since = d->now;
  }
  hc_busy_pause(d, running, is_suspended);
}

void hc_measure_items(hc_doings *d, uint32_t running, bool is_waiting)
{
  hc_measured *x = &d->measure->of[running];
  hc_busy_waits(d, running, is_waiting);
  if (running >= d->measure->of_count || x->items == HC_UNKNOWN) return;
  settle(x, d->now);
  x->waits = is_waiting;
}

/* ---- activities ---- */

/* Members of a computation on each process are one with it; those of a read or a write on several disks are
 * not, for what one of them has may be another's. */
static bool is_counted(const hc_doings *d, const hc_doing *x)
{
  if (x->running == d->data.carrier || x->running >= d->measure->of_count) return false;
  if (d->saves && x->owner == HC_SAVER) return false;
  switch ((hc_doing_kind)x->kind) {
    case HC_DOING_NOTHING:
    case HC_DOING_CHILD:
    case HC_DOING_POINT:
    case HC_DOING_SAVE:
    case HC_DOING_LIMIT: return false;
    case HC_DOING_COMPUTE: return x->owner != HC_NO_ONE;
    case HC_DOING_SLEEP:
    case HC_DOING_GPUS:
    case HC_DOING_FLOW:
    case HC_DOING_GROUP:
    case HC_DOING_TIMEOUT:
    case HC_DOING_DISK:
    case HC_DOING_FILE:
    case HC_DOING_SPREAD: break;
  }
  return true;
}

void hc_measure_going(hc_doings *d, const hc_doing *x, bool is_more)
{
  if (!is_counted(d, x)) return;
  hc_measured *m = &d->measure->of[x->running];
  m->going += is_more ? 1 : UINT32_MAX;
  m->most = HC_MAX(m->most, m->going);
}

static void count(hc_doings *d, uint32_t act, uint32_t kinds, bool is_more)
{
  hc_measured *x = &d->measure->of[d->acts[act].running];
  settle(x, d->now);
  for (uint32_t k = 0; k < HC_MEASURED_KINDS; k++)
    if (kinds >> k & 1) x->counts[k] += is_more ? 1 : UINT32_MAX;
}

void hc_measure_act(hc_doings *d, uint32_t act, const hc_measured_act *x)
{
  hc_measure *m = d->measure;
  const size_t running = d->acts[act].running; /* which carries items, perhaps, and is no task */
  if (!has_room(d, (void **)&m->of, &m->of_count, &m->of_cap, running + 1, sizeof *m->of)) return;
  if (!has_room(d, (void **)&m->acts, &m->act_count, &m->act_cap, (size_t)act + 1, sizeof *m->acts)) return;
  m->acts[act] = *x;
  m->acts[act].share = 1;
  count(d, act, x->kinds, true);
}

void hc_measure_gpus(hc_doings *d, uint32_t act, double gpus)
{
  hc_measure_act(d, act, &(hc_measured_act){.kinds = HC_DOES_COMPUTE});
  hc_busy_gpus(d, act, gpus);
}

void hc_measure_stopped(hc_doings *d, uint32_t act, double done)
{
  if (act >= d->measure->act_count) return;
  hc_measured_act *x = &d->measure->acts[act];
  if (x->work > 0) x->share = done / x->work;
}

/* Read or written over links at one rate: it is sent as well. */
static bool is_read_afar(const hc_measured_act *x)
{
  return x->way != HC_BYTES_SENT && (x->kinds & HC_DOES_NETWORK) != 0;
}

void hc_measure_act_over(hc_doings *d, uint32_t act)
{
  hc_measure *m = d->measure;
  if (act >= m->act_count || m->acts[act].kinds == 0) return;
  hc_busy_act_over(d, act);
  const hc_measured_act x = m->acts[act];
  count(d, act, x.kinds, false);
  m->of[d->acts[act].running].bytes[x.way] += x.bytes * x.share;
  m->sums.bytes[x.way] += x.bytes * x.share;
  if (is_read_afar(&x)) {
    m->of[d->acts[act].running].bytes[HC_BYTES_SENT] += x.bytes * x.share;
    m->sums.bytes[HC_BYTES_SENT] += x.bytes * x.share;
  }
  m->sums.core_seconds += x.core_seconds * x.share;
  m->acts[act] = (hc_measured_act){0};
}

static int64_t milli_of(const hc_doings *d, const hc_place *p)
{
  const double whole = d->speed * (p->host == HC_NO_ONE ? 1 : d->speeds[p->host]);
  return whole > 0 ? (int64_t)(p->rate / whole * 1000 + 0.5) : 0;
}

void hc_measure_meter(hc_doings *d, uint32_t running, uint32_t meter, bool computes)
{
  hc_running *r = &d->running[running];
  hc_measured *x = &d->measure->of[running];
  const int64_t milli = r->is_one && r->place_count > 1 ? x->as_one : milli_of(d, hc_place_of(r, meter));
  const int64_t more = computes ? milli : -milli;
  x->used += more;
  if (x->since != HC_NEVER) add_cores(d, 0, more);
  hc_busy_meter(d, running, meter, computes);
}

/* ---- a look ---- */

/* How much of an activity is done. */
static hc_rc share_of(hc_doings *d, uint32_t act, hc_time at, double *out)
{
  const hc_doing *x = &d->acts[act];
  const hc_measured_act *y = &d->measure->acts[act];
  double done = 0;
  *out = 0;
  if (x->kind == HC_DOING_FLOW) TRY(hc_fluid_done(d->flows.fluid, at, x->flow, &done));
  else if (x->kind == HC_DOING_DISK || x->kind == HC_DOING_FILE)
    TRY(hc_disk_done(d->storage.disks, at, x->of, &done));
  if (y->work > 0) *out = done / y->work;
  return 0;
}

static void name_link(const void *names, uint32_t link, char *name, size_t size)
{
  const hc_network_of_run *n = names;
  n->type->link_name(n->self, link, name, size);
}

static hc_rc link_rate(void *rates, uint32_t link, double *out)
{
  hc_doings *d = rates;
  return hc_fluid_load(d->flows.fluid, d->now, link, out);
}

hc_rc hc_measure_look(hc_doings *d, hc_time at, hc_use_look *out)
{
  hc_measure *m = d->measure;
  hc_measured_sums s = m->sums;
  settle_sums(&s, at);
  d->now = at; /* the solver has come to it, and does not go back: rates that follow are asked from here on */
  for (uint32_t act = 0; act < m->act_count; act++) {
    const hc_measured_act *x = &m->acts[act];
    double share;
    if (x->kinds == 0 || x->work == 0) continue;
    TRY(share_of(d, act, at, &share));
    s.bytes[x->way] += x->bytes * share;
    if (is_read_afar(x)) s.bytes[HC_BYTES_SENT] += x->bytes * share;
    s.core_seconds += x->core_seconds * share;
  }
  double energy = 0;
  for (uint32_t id = 0; id < links_of(d); id++) TRY(hc_fluid_used(d->flows.fluid, at, id, &m->links[id]));
  for (uint32_t id = 0; id < links_of(d) && m->joules; id++) energy += m->joules[id] * m->links[id];
  if (d->storage.disks) TRY(hc_disks_taken(d->storage.disks, at, m->disks));
  *out = (hc_use_look){.at = at,
                       .cores_held = SECONDS(s.held_until),
                       .cores_used = SECONDS(s.used_until) + s.core_seconds,
                       .sent = s.bytes[HC_BYTES_SENT],
                       .read = s.bytes[HC_BYTES_READ],
                       .written = s.bytes[HC_BYTES_WRITTEN],
                       .link_used = m->links,
                       .link_bandwidth = m->bandwidths,
                       .link_count = (uint32_t)links_of(d),
                       .link_name = name_link,
                       .names = &d->flows.network,
                       .disk_count = (uint32_t)(lanes_of(d) / HC_DISK_WAYS),
                       .disk_used = m->disks,
                       .disk_bandwidth = m->disk_bandwidths,
                       .link_rate = link_rate,
                       .rates = d,
                       .link_energy = energy};
  return 0;
}

/* ---- state ---- */

hc_rc hc_measure_visit(hc_doings *d, hc_visitor *v)
{
  hc_measure *m = d->measure;
  HC_VISIT(v, m->sums);
  HC_VISIT_ARRAY(v, m->of, m->of_count, m->of_cap);
  HC_VISIT_ARRAY(v, m->acts, m->act_count, m->act_cap);
  TRY(hc_busy_visit(d, v));
  TRY(hc_labelled_visit(d, v));
  if (!hc_visit_loading(v)) return 0;
  if (m->of_count > d->running_count || m->act_count > d->act_count) return HC_EINPUT;
  for (size_t i = 0; i < m->act_count; i++) {
    const hc_measured_act *x = &m->acts[i];
    if (x->kinds >= HC_DOES_SETS || x->way >= HC_BYTES_WAYS) return HC_EINPUT;
    if (x->kinds != 0 && (d->acts[i].kind == HC_DOING_NOTHING || d->acts[i].running >= m->of_count))
      return HC_EINPUT;
    if (x->joint > m->busy.joint_count) return HC_EINPUT;
  }
  return 0;
}
